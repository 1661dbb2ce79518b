"""The wire format of YWP/1 for tests: canonical form, signatures, admission.

Written from the specification with nothing but the standard library, as a second
implementation to hold the C one against. Speed is no aim here, plainness is.
"""

import hashlib
import hmac
import json
import math
import re

FRAME_MAX = 1200
DEPTH_MAX = 32
COUNT_MAX = 2**63 - 1
FUTURE_NS = 3600 * 10**9
MEMBERS = frozenset(["v", "type", "origin", "seq", "ts", "body", "sig"])
ROLES = ("producer", "consumer")
KINDS = ("hdmi", "usb")
STATES = ("idle", "active", "pending", "error")
REASONS = ("applied", "superseded", "unknown-producer", "driver-error", "kind-mismatch", "self-pair")


class Drop(Exception):
    """Why a datagram is not accepted: the name of the counter."""

    @property
    def counter(self):
        return self.args[0]


def demand(condition, counter="malformed"):
    if not condition:
        raise Drop(counter)


# ---- values and their canonical spelling

def canonical(value):
    """The one spelling of a value that is signed."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False,
                      allow_nan=False)
    return text.encode("utf-8")


def depth(value):
    """Containers around the innermost value, itself included."""
    deepest, level = 0, [value]
    while level := [item for item in level if isinstance(item, (dict, list))]:
        deepest += 1
        level = [inner for item in level
                 for inner in (item.values() if isinstance(item, dict) else item)]
    return deepest


def _unique(members):
    names = [name for name, _ in members]
    demand(len(names) == len(set(names)))
    return dict(members)


def _real(text):
    number = float(text)
    demand(math.isfinite(number))
    return number


def _no_number(_):
    raise Drop("malformed")


def parse(raw):
    """The value of strict JSON; Drop("malformed") for anything else."""
    try:
        text = raw.decode("utf-8")
        demand(text[:1] != "\ufeff")
        value = json.loads(text, object_pairs_hook=_unique, parse_float=_real,
                           parse_constant=_no_number)
        canonical(value)  # a lone surrogate has no UTF-8
    except (ValueError, RecursionError):
        raise Drop("malformed") from None
    demand(depth(value) <= DEPTH_MAX)
    return value


def is_integer(value):
    return type(value) is int


def is_node_id(value):
    return isinstance(value, str) and bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", value))


def is_version(value):
    return (isinstance(value, list) and len(value) == 2 and is_integer(value[0])
            and 1 <= value[0] <= COUNT_MAX and is_node_id(value[1]))


def is_zero_version(value):
    return isinstance(value, list) and len(value) == 2 and is_integer(value[0]) \
        and value == [0, ""]


# ---- signatures

def sign(key, frame):
    """The sig of a frame; whatever sig it has already does not count."""
    if not key:
        return ""
    signed = {name: value for name, value in frame.items() if name != "sig"}
    return hmac.digest(key, canonical(signed), hashlib.sha256).hex()


def encode(key, frame):
    """The signed bytes of a frame given without its sig."""
    raw = canonical({**frame, "sig": sign(key, frame)})
    if len(raw) > FRAME_MAX:
        raise ValueError(f"a frame of {len(raw)} bytes; {FRAME_MAX} is the limit")
    return raw


# ---- what a body must have

def _check_ann(body):
    demand(body.get("role") in ROLES and body.get("kind") in KINDS and body.get("state") in STATES)
    demand(isinstance(body.get("name"), str) and len(body["name"]) <= 64)
    demand("err" in body and "pairing" in body and "media" in body)
    demand(body["err"] is None or isinstance(body["err"], str))
    pairing, media = body["pairing"], body["media"]
    if body["role"] == "producer":
        demand(pairing is None and (media is None or isinstance(media, dict)))
        return
    demand(media is None and isinstance(pairing, dict) and "producer" in pairing)
    if is_zero_version(pairing.get("version")):
        demand(pairing["producer"] is None)
    else:
        demand(is_version(pairing.get("version")))
        demand(pairing["producer"] is None or is_node_id(pairing["producer"]))


def _check_int(body):
    demand(body.get("op") in ("pair", "unpair"))
    demand(is_node_id(body.get("consumer")) and is_version(body.get("version")))
    demand(body["op"] == "unpair" or isinstance(body.get("producer"), str))


def _check_ack(body):
    demand(is_version(body.get("version")) and isinstance(body.get("applied"), bool)
           and body.get("reason") in REASONS)


def _check_evt(body):
    demand(isinstance(body.get("event"), str) and isinstance(body.get("detail"), dict))
    demand(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", body["event"]))


BODIES = {"ann": _check_ann, "int": _check_int, "ack": _check_ack, "evt": _check_evt,
          "bye": lambda body: None}


# ---- admission

def check_envelope(frame):
    """Raises Drop("version") or Drop("malformed")."""
    demand(isinstance(frame, dict) and is_integer(frame.get("v")))
    demand(frame["v"] == 1, "version")
    demand(frame.keys() == MEMBERS)
    demand(isinstance(frame["type"], str) and frame["type"] in BODIES)
    demand(is_node_id(frame["origin"]))
    demand(is_integer(frame["seq"]) and 1 <= frame["seq"] <= COUNT_MAX)
    demand(type(frame["ts"]) in (int, float))
    demand(isinstance(frame["body"], dict) and isinstance(frame["sig"], str))


class Receiver:
    """Admission of one receiver; set `wall` (Unix seconds) as time goes on."""

    def __init__(self, key, wall):
        self.key = key
        self.wall = wall
        self._newest = {}  # origin: (seq, canonical bytes)

    def verdict(self, raw):
        """("accept", the frame) or (the name of the drop counter, None)."""
        try:
            return "accept", self._admit(raw)
        except Drop as drop:
            return drop.counter, None

    def _admit(self, raw):
        demand(len(raw) <= FRAME_MAX, "oversize")
        frame = parse(raw)
        check_envelope(frame)
        demand(re.fullmatch(r"([0-9a-f]{64})?", frame["sig"]), "auth")
        demand(hmac.compare_digest(frame["sig"], sign(self.key, frame)), "auth")
        BODIES[frame["type"]](frame["body"])
        demand(frame["seq"] <= int(self.wall * 10**9) + FUTURE_NS, "stale")
        self._replay(frame)
        return frame

    def _replay(self, frame):
        spelled = canonical(frame)
        newest, bytes_of_it = self._newest.get(frame["origin"], (0, b""))
        demand(frame["seq"] != newest or spelled != bytes_of_it, "dup")
        demand(frame["seq"] > newest, "stale")
        self._newest[frame["origin"]] = (frame["seq"], spelled)
