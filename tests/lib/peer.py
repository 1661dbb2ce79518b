#!/usr/bin/env python3
"""A small node of the protocol over real sockets, written from the specification.

As a library, a Peer lives in a thread of the test; as a program:

    peer.py observer|consumer|producer [--seconds S] ...   every datagram heard is a JSON line
    peer.py send --type int --body '{...}' ...             one frame
    peer.py junk --rate 20000 --seconds 5 ...              datagrams that are no frames, in a flood

Standard library only.
"""

import argparse
import collections
import json
import random
import socket
import struct
import threading
import time

import wire

GROUP = "239.121.111.107"
PORT = 9753
ANN_INTERVAL_S = 2.0
PEER_TIMEOUT_S = 6.5

Heard = collections.namedtuple("Heard", "at source verdict frame raw")


def open_group(address, group=GROUP, port=PORT):
    """A socket that hears the group on the interface with this address, and sends from there."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.bind((group, port))
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    struct.pack("4s4s", socket.inet_aton(group), socket.inet_aton(address)))
    return sock


class Peer:
    """Hears the group and remembers all of it; with a role, it announces and answers too."""

    def __init__(self, node_id, key, address, *, role=None, kind="hdmi", media=None,
                 group=GROUP, port=PORT, host=None, report=None):
        self.id = node_id
        self.host = host
        self.key = key
        self.address = address
        self.role = role
        self.kind = kind
        self.media = media
        self.pairing = {"producer": None, "version": [0, ""]}
        self.heard = []
        self.report = report  # called with each Heard
        self._news = threading.Condition()
        self._target = (group, port)
        self._seq = time.time_ns()
        self._receiver = wire.Receiver(key, time.time())
        self._announced = {}  # origin: (when, body) of the last announcement
        self._next_ann = 0.0
        self._ending = False
        if host is None:
            self.sock = open_group(address, group, port)
        else:
            with host.entered():
                self.sock = open_group(address, group, port)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()
        return self

    def close(self, bye=False):
        if bye:
            self.send("bye", {})
        self._ending = True
        self._thread.join()
        self.sock.close()

    # ---- sending

    def make(self, kind, body, **envelope):
        """A signed frame as an object; `envelope` replaces members before it is signed."""
        self._seq = max(self._seq + 1, time.time_ns())
        frame = {"v": 1, "type": kind, "origin": self.id, "seq": self._seq,
                 "ts": round(time.time(), 3), "body": body, **envelope}
        frame["sig"] = wire.sign(self.key, frame)
        return frame

    def send(self, kind, body, **envelope):
        """Signs and sends; gives the bytes."""
        return self.send_raw(wire.canonical(self.make(kind, body, **envelope)))

    def send_raw(self, raw):
        self.sock.sendto(raw, self._target)
        return raw

    def announce(self):
        state = "idle"
        if self.role == "producer":
            state = "active"
        elif self.pairing["producer"] is not None:
            state = "active" if self._is_live(self.pairing["producer"]) else "pending"
        self._next_ann = time.monotonic() + ANN_INTERVAL_S * random.uniform(0.75, 1.25)
        self.send("ann", {
            "role": self.role, "kind": self.kind, "name": self.id, "state": state, "err": None,
            "pairing": self.pairing if self.role == "consumer" else None,
            "media": self.media if self.role == "producer" else None})

    # ---- hearing

    def mark(self):
        """A place in what was heard: later questions can be about what came after it."""
        with self._news:
            return len(self.heard)

    def select(self, kind=None, origin=None, where=None, since=0):
        """Accepted frames heard since a mark that are of this kind, origin and shape of body."""
        with self._news:
            return self._select(kind, origin, where, since)

    def wait(self, what, kind=None, origin=None, where=None, since=0, count=1, timeout=30.0):
        """Waits for the count-th such frame and gives it."""
        deadline = time.monotonic() + timeout
        with self._news:
            while True:
                found = self._select(kind, origin, where, since)
                if len(found) >= count:
                    return found[count - 1]
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{self.id}: not heard within {timeout:.0f} s: {what}; "
                                       f"last heard: {self._tail()}")
                self._news.wait(left)

    def wait_from(self, address, timeout=30.0):
        """Waits for any datagram from that address, whatever its verdict."""
        with self._news:
            if not self._news.wait_for(lambda: any(h.source[0] == address for h in self.heard),
                                       timeout):
                raise TimeoutError(f"{self.id}: nothing heard from {address} within {timeout:.0f} s")

    def _select(self, kind, origin, where, since):
        return [h for h in self.heard[since:]
                if h.verdict == "accept" and (kind is None or h.frame["type"] == kind)
                and (origin is None or h.frame["origin"] == origin)
                and (where is None or where(h.frame["body"]))]

    def _tail(self):
        return [(h.verdict, h.frame and (h.frame["origin"], h.frame["type"], h.frame["body"]))
                for h in self.heard[-12:]]

    def _is_live(self, node_id):
        at, _ = self._announced.get(node_id, (-PEER_TIMEOUT_S, None))
        return time.monotonic() - at < PEER_TIMEOUT_S

    def _run(self):
        while not self._ending:
            if self.role and time.monotonic() >= self._next_ann:
                self.announce()
            self.sock.settimeout(0.05)
            try:
                raw, source = self.sock.recvfrom(65536)
            except TimeoutError:
                continue
            self._receiver.wall = time.time()
            verdict, frame = self._receiver.verdict(raw)
            self._take(Heard(time.monotonic(), source, verdict, frame, raw))

    def _take(self, heard):
        with self._news:
            self.heard.append(heard)
            self._news.notify_all()
        if self.report:
            self.report(heard)
        frame = heard.frame
        if heard.verdict != "accept" or frame["origin"] == self.id:
            return
        if frame["type"] == "ann":
            self._announced[frame["origin"]] = (heard.at, frame["body"])
        elif frame["type"] == "bye":
            self._announced.pop(frame["origin"], None)
        elif frame["type"] == "int" and self.role == "consumer" \
                and frame["body"]["consumer"] == self.id:
            self._answer(frame["body"])

    def _answer(self, intent):
        """The consumer's numbered rules, as far as one without disk and driver has them."""
        producer = intent["producer"] if intent["op"] == "pair" else None
        wanted = {"producer": producer, "version": intent["version"]}
        reason = "applied"
        if wanted["version"] <= self.pairing["version"]:
            reason = "applied" if wanted == self.pairing else "superseded"
        elif producer is not None:
            reason = self._refusal(producer)
        changed = reason == "applied" and wanted != self.pairing
        if changed:
            self.pairing = wanted
        self.send("ack", {"version": intent["version"], "applied": reason == "applied",
                          "reason": reason})
        if changed:
            self.announce()

    def _refusal(self, producer):
        if not wire.is_node_id(producer):
            return "unknown-producer"
        if producer == self.id:
            return "self-pair"
        _, known = self._announced.get(producer, (0, None))
        if known and known["kind"] != self.kind:
            return "kind-mismatch"
        return "applied"


def junk_datagrams(count=256, seed=1):
    """Datagrams no receiver may accept, of every expensive and cheap sort."""
    source = random.Random(seed)
    plausible = {"v": 1, "type": "bye", "origin": "junk", "seq": time.time_ns(), "ts": 1.5,
                 "body": {"filling": "x" * 900}, "sig": "0" * 64}
    sorts = [
        lambda: source.randbytes(source.randrange(1, 1201)),
        lambda: wire.canonical({**plausible, "seq": plausible["seq"] + source.randrange(10**6)}),
        lambda: b"[" * source.randrange(1, 1200),
        lambda: b'{"a":' + b"9" * source.randrange(1, 1100) + b"}",
        lambda: b"",
        lambda: source.randbytes(1300),
    ]
    return [sorts[i % len(sorts)]() for i in range(count)]


def flood(address, rate, seconds, group=GROUP, port=PORT):
    """Sends junk at this many datagrams a second, for so long; gives how many went out."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    datagrams = junk_datagrams()
    start = time.monotonic()
    sent = 0
    while (elapsed := time.monotonic() - start) < seconds:
        due = int(elapsed * rate) - sent
        for _ in range(min(due, rate // 50)):  # after a pause of ours no burst follows
            sock.sendto(datagrams[sent % len(datagrams)], (group, port))
            sent += 1
        time.sleep(0.001)
    sock.close()
    return sent


def _print_line(heard):
    print(json.dumps({"time": time.time(), "from": f"{heard.source[0]}:{heard.source[1]}",
                      "verdict": heard.verdict, "frame": heard.frame,
                      "raw": None if heard.frame else heard.raw.hex()}), flush=True)


def _parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["observer", "consumer", "producer", "send", "junk"])
    parser.add_argument("--id", default="py-peer")
    parser.add_argument("--kind", default="hdmi", choices=["hdmi", "usb"])
    parser.add_argument("--media", type=json.loads, default={"group": "239.10.0.5", "port": 5004})
    parser.add_argument("--group", default=GROUP)
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--address", default="127.0.0.1", help="of the interface to use")
    parser.add_argument("--psk-file")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rate", type=int, default=20000, help="of junk, datagrams a second")
    parser.add_argument("--type", choices=["ann", "int", "ack", "evt", "bye"])
    parser.add_argument("--body", type=json.loads, default={})
    return parser.parse_args()


def main():
    args = _parse_arguments()
    key = b""
    if args.psk_file:
        with open(args.psk_file, "rb") as file:
            key = file.read()
        key = key[:-1] if key.endswith(b"\n") else key
    if args.mode == "junk":
        print(flood(args.address, args.rate, args.seconds, args.group, args.port))
        return
    role = args.mode if args.mode in ("consumer", "producer") else None
    peer = Peer(args.id, key, args.address, role=role, kind=args.kind, media=args.media,
                group=args.group, port=args.port,
                report=_print_line if args.mode != "send" else None)
    if args.mode == "send":
        peer.send(args.type, args.body)
        return
    peer.start()
    time.sleep(args.seconds)
    peer.close(bye=role is not None)


if __name__ == "__main__":
    main()
