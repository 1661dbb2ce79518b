"""Frames for tests: one case for each rule of the wire, and any number of random ones.

A case is a name, a key and the datagrams that one fresh receiver hears in this order.
"""

import json
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))

import wire  # noqa: E402 (found by the line above)

WALL = 1796018523  # Unix seconds at which all receivers start
NOW = WALL * 10**9
KEY = b"vector-key"

BODIES = {
    "consumer": ("ann", {"role": "consumer", "kind": "hdmi", "name": "Saal Süd 3 – rechts",
                         "state": "active", "err": None,
                         "driver_status": {"detail": "joined on eth1"},
                         "pairing": {"producer": "enc-1", "version": [41, "op-5f"]},
                         "media": None}),
    "producer": ("ann", {"role": "producer", "kind": "usb", "name": "kb", "state": "error",
                         "err": "no \"device\"\n", "pairing": None,
                         "media": {"busids": ["1-1.2"], "host": "10.0.5.3", "port": 3240}}),
    "pair": ("int", {"op": "pair", "consumer": "dec-3", "producer": "enc-1",
                     "version": [42, "op-60"]}),
    "unpair": ("int", {"op": "unpair", "consumer": "dec-3", "version": [43, "op-61"]}),
    "ack": ("ack", {"version": [42, "op-60"], "applied": False, "reason": "superseded"}),
    "evt": ("evt", {"event": "driver-error", "detail": {"detail": "gone"}}),
    "bye": ("bye", {}),
}

# Stand-ins for any member: every type, and what looks nearly right.
WRONG = [None, True, False, 0, 1.0, "", "x", [], {}]


def frame(body=None, kind="bye", **changes):
    """A frame without its sig."""
    return {"v": 1, "type": kind, "origin": "dec-3", "seq": NOW, "ts": WALL + 0.25,
            "body": {} if body is None else body, **changes}


def signed(value, key=KEY):
    """Canonical bytes of a frame with its signature; of any length."""
    return wire.canonical({**value, "sig": wire.sign(key, value)})


def spelled(body_text, ts_text="1.5", key=KEY):
    """A signed frame whose body and ts are spelled as given."""
    value = frame(wire.parse(body_text.encode()), ts=wire.parse(ts_text.encode()))
    return (f'{{"v":1,"type":"bye","origin":"dec-3","seq":{NOW},"ts":{ts_text},'
            f'"body":{body_text},"sig":"{wire.sign(key, value)}"}}').encode()


def unsigned(body_text):
    """A frame with a body that may be no JSON, and a signature that cannot be right."""
    return (f'{{"body":{body_text},"origin":"dec-3","seq":{NOW},"sig":"{"0" * 64}","ts":1,'
            '"type":"bye","v":1}').encode("utf-8", "surrogatepass")


# ---- one case a rule

def envelope_cases():
    good = signed(frame())
    yield "plain", KEY, [good]
    yield "open mode", b"", [signed(frame(), b"")]
    yield "open mode, signed frame", b"", [good]
    yield "keyed, unsigned frame", KEY, [wire.canonical({**frame(), "sig": ""})]
    yield "key of 65 bytes", b"k" * 65, [signed(frame(), b"k" * 65)]
    yield "key of 64 bytes with zeros", b"\0k" * 32, [signed(frame(), b"\0k" * 32)]
    yield "other key", KEY, [signed(frame(), b"another")]
    right = wire.sign(KEY, frame())
    for sig in (right.upper(), right[:-1], right + "0", "g" + right[1:], "é" * 64, "0" * 64,
                right + "\n", *WRONG):
        yield f"sig {str(sig)[:9]}", KEY, [wire.canonical({**frame(), "sig": sig})]
    for name in frame():
        value = frame()
        del value[name]
        yield f"without {name}", KEY, [signed(value)]
        for wrong in WRONG:
            yield f"{name} {wrong!r}", KEY, [signed(frame(**{name: wrong}))]
    yield "without sig", KEY, [wire.canonical(frame())]
    yield "an eighth member", KEY, [signed(frame(w=1))]
    yield "v 2 and nothing else", KEY, [b'{"v":2}']
    yield "v 2 of a frame too deep", KEY, [b'{"v":2,"x":' + b"[" * 32 + b"]" * 32 + b"}"]
    yield "v in an array", KEY, [b'["v",1]']
    yield "type ANN", KEY, [signed(frame(kind="ANN"))]
    for origin in ("a" * 64, "a" * 65, "0", "A.b_c-9", ".a", "-a", "_a", "a b", "ä", "a\n", "a\0"):
        yield f"origin {origin[:6]}", KEY, [signed(frame(origin=origin))]
    for seq in (1, 0, 2**63 - 1, 2**63, NOW + 3600 * 10**9, NOW + 3600 * 10**9 + 1):
        yield f"seq {seq}", KEY, [signed(frame(seq=seq))]
    for size in (wire.FRAME_MAX, wire.FRAME_MAX + 1, 2 * wire.FRAME_MAX):
        yield f"line ends up to {size} bytes", KEY, [good.ljust(size, b"\n")]
        room = size - len(signed(frame({"fill": ""})))
        yield f"canonical, {size} bytes", KEY, [signed(frame({"fill": "f" * room}))]
    yield "more than 1200 only when canonical", KEY, [
        spelled('{"x":[' + ",".join(["1e15"] * 150) + "]}")]


# Both sides of each border: plain and special ASCII, sizes of UTF-8, surrogates, planes, the end.
EDGES = (0x1f, 0x20, 0x21, 0x22, 0x23, 0x2f, 0x5b, 0x5c, 0x5d, 0x7e, 0x7f, 0x80, 0x7ff, 0x800,
         0x2029, 0xd7ff, 0xe000, 0xfeff, 0xfffe, 0xffff, 0x10000, 0x1d11e, 0xfffff, 0x10ffff)


def string_spellings():
    """Strings of JSON: each escape, and each edge both as it is and by number."""
    for letter in '"\\/bfnrt':
        yield f'"<\\{letter}>"'
    for code in (*range(0x20), *EDGES):
        units = chr(code).encode("utf-16-be")
        numbers = [units[i:i + 2].hex() for i in range(0, len(units), 2)]
        yield '"' + "".join(f"\\u{number}" for number in numbers) + '"'
        yield '"' + "".join(f"\\u{number.upper()}" for number in numbers) + '-"'
        if code >= 0x20 and chr(code) not in '"\\':
            yield f'"{chr(code)}{chr(code)}"'


def text_cases():
    good = signed(frame())
    for name, raw in (("empty", b""), ("blank", b" "), ("array", b"[]"), ("word", b"null"),
                      ("byte order mark", b"\xef\xbb\xbf" + good), ("junk behind", good + b"x"),
                      ("twice", good + good), ("zero behind", good + b"\0"),
                      ("blanks around", b"\r\n\t " + good + b" \n"), ("half", good[:-1]),
                      ("UTF-16", good.decode().encode("utf-16"))):
        yield name, KEY, [raw]
    for text in ("01", "-01", "+1", ".5", "1.", "-", "1e", "1e+", "1.e1", "0x1", "NaN", "Infinity",
                 "-Infinity", "1e400", "-1e309", "1_0", "١", "nul", "nulll", "True", "'a'", '"\\x"',
                 '"\\u12"', '"\\u12g4"', '"\\uD800"', '"\\uDC00"', '"\\uDC00\\uD800"',
                 '"\\uD800\\u0041"', '"\\uD800x"', '"\t"', '"\x1f"', '"\0"', '"', '"\\', '"\\u',
                 "[1,]", "[,1]", "[1 2]", "[", "]", "[}", "{,}", '{"a"}', '{"a":}', '{"a":1,}',
                 '{"a":1 "b":2}', "{a:1}", "{1:1}", "/**/1", "1//"):
        yield f"no JSON {text[:9]}", KEY, [unsigned(f'{{"x":{text}}}')]
    for raw in (b"\xff", b"\x80", b"\xc3", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xe2\x82",
                b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98",
                b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80"):
        yield f"no UTF-8 {raw.hex()}", KEY, [unsigned('{"x":"@"}').replace(b"@", raw)]
    for text in string_spellings():
        yield f"string {text[:13]}", KEY, [spelled(f'{{"x":{text}}}')]
    names = ["", "k", "k\0", "k!", "kk", "K", *map(chr, EDGES)]
    backwards = ",".join(f"{json.dumps(name)}:{place}"
                         for place, name in reversed(list(enumerate(sorted(names)))))
    yield "keys by code point", KEY, [spelled("{" + backwards + "}")]
    yield "keys in order inside too", KEY, [spelled('{"b":[{"z":0,"y":{"b":1,"a":2}}],"a":{}}')]
    yield "key twice", KEY, [good.replace(b'"v":1', b'"v":1,"v":1')]
    yield "key twice by escape", KEY, [good.replace(b'"v":1', b'"v":1,"\\u0076":1')]
    yield "key twice inside", KEY, [unsigned('{"a":[{"b":1,"c":2,"b":1}]}')]
    yield "key twice far apart", KEY, [
        unsigned("{" + ",".join(f'"k{i % 40}":0' for i in range(41)) + "}")]
    for depth in (30, 31):
        text = "[" * depth + "]" * depth
        yield f"{depth + 2} levels", KEY, [
            spelled(f'{{"x":{text}}}') if depth < 31 else unsigned(f'{{"x":{text}}}')]
    yield "1000 levels", KEY, [b"[" * 1000]
    for index, text in enumerate(("[" + "1," * 400 + "1]", "[" + "[]," * 300 + "[]]",
                                  "[" + '"",' * 300 + '""]')):
        yield f"many tokens {index}", KEY, [spelled(f'{{"x":{text}}}')]


def number_cases():
    for text in ("-0", "-0.0", "-0e0", "0e-400", "0e400", "1E2", "1e+2", "100.0", "1e15", "1e16",
                 "9999999999999998.0", "1e22", "1e23", "0.1", "0.10", "0.0001", "0.00001", "1e-5",
                 "12.5e-6", "5e-324", "2.4e-324", "2.5e-324", "1e-400", "2.2250738585072011e-308",
                 "1.7976931348623157e308", "1.7976931348623158e308", "9007199254740993",
                 "9007199254740993.0", "72057594037927945.0", "9.5367431640625e-07", "9" * 99,
                 "-" + "9" * 99, "0." + "1" * 99, "1" + "0" * 99 + ".0", "1e0000000001",
                 "18446744073709551616", "2.0000000000000001", "4503599627370497.5"):
        yield f"number {text[:24]}", KEY, [spelled(f'{{"x":{text}}}')]
        yield f"ts {text[:24]}", KEY, [spelled("{}", text)]


def body_cases():
    for name, (kind, body) in BODIES.items():
        yield name, KEY, [signed(frame(body, kind))]
        yield f"{name} with more", KEY, [signed(frame({**body, "a": [1.5], "zz": None}, kind))]
        for member in body:
            less = {key: value for key, value in body.items() if key != member}
            yield f"{name} without {member}", KEY, [signed(frame(less, kind))]
            for wrong in WRONG:
                yield f"{name} {member} {wrong!r}", KEY, [
                    signed(frame({**body, member: wrong}, kind))]
    yield from detail_cases()


def detail_cases():
    """What a member's type alone does not decide."""
    def case(name, /, **changes):
        kind, body = BODIES[name]
        label = ", ".join(f"{key} {str(value)[:30]}" for key, value in changes.items())
        return f"{name} {label}", KEY, [signed(frame({**body, **changes}, kind))]

    for name in ("x" * 64, "x" * 65, "😀" * 64, "😀" * 65, "\n" * 64):
        yield case("consumer", name=name)
    for version in ([0, ""], [0, "a"], [1, ""], [1, "a"], [-1, "a"], [2**63 - 1, "a"], [2**63, "a"],
                    [1.0, "a"], [True, "a"], [1, "-a"], [1, None], ["a", 1], [1], [1, "a", 1], [[1], "a"]):
        yield case("consumer", pairing={"producer": None, "version": version})
        yield case("consumer", pairing={"producer": "enc-1", "version": version})
        yield case("pair", version=version)
        yield case("ack", version=version)
    for producer in ("", "no id", "a" * 65, 1, True, [], {}):
        yield case("consumer", pairing={"producer": producer, "version": [1, "a"]})
        yield case("pair", producer=producer)
        yield case("unpair", producer=producer)
    yield case("consumer", pairing={"version": [0, ""]})
    yield case("consumer", pairing={"producer": None})
    yield case("consumer", media={"port": 1})
    yield case("producer", pairing={"producer": None, "version": [0, ""]})
    yield case("producer", media=None)
    for status in ({"detail": ""}, {"detail": 1}, {"detail": "a", "x": 1}, {"x": 1}):
        yield case("consumer", driver_status=status)
    for event in ("x-own", "9", "a" * 64, "a" * 65, "-a", "A", "a_b", "é", "a\n"):
        yield case("evt", event=event)
    for reason in wire.REASONS:
        yield case("ack", reason=reason)


def history_cases():
    """More than one datagram: what is remembered."""
    def at(step, **changes):
        return signed(frame(seq=NOW + step, **changes))

    yield "replay", KEY, [at(step) for step in (0, 5, 3, 5, 6, 6, 0)]
    yield "one seq, two frames", KEY, [at(0), at(0, body={"x": 1}), at(0)]
    yield "the same, spelled otherwise", KEY, [at(0), at(0).replace(b":", b" : ")]
    yield "origins apart", KEY, [at(0, origin=origin) for origin in ("a", "b", "a", "A", "aa")]
    yield "a forgery moves nothing", KEY, [
        wire.canonical({**frame(seq=NOW + 9), "sig": "0" * 64}), at(0)]
    yield "a malformed body moves nothing", KEY, [at(9, kind="ann"), at(0)]
    yield "the future moves nothing", KEY, [at(3600 * 10**9 + 1), at(0)]
    yield "signature before body", KEY, [signed(frame(kind="ann"), b"another")]
    yield "body before future", KEY, [at(3600 * 10**9 + 1, kind="ann")]
    yield "future before replay", KEY, [at(0), at(3600 * 10**9 + 1)]
    yield "version before signature", KEY, [signed(frame(v=2), b"another")]


def all_cases():
    yield from envelope_cases()
    yield from text_cases()
    yield from number_cases()
    yield from body_cases()
    yield from history_cases()


# ---- random ones

def respell(source, value):
    """The same value as other JSON: blanks, order of keys, escapes, numbers."""
    def blank():
        return source.choice(["", "", "", " ", "\n", "\t \r"])

    def character(char):
        code = ord(char)
        if char in '"\\' and source.random() < 0.5:
            return "\\" + char
        if code >= 32 and char not in '"\\' and source.random() < 0.8:
            return char
        units = char.encode("utf-16-be")
        return "".join("\\u" + source.choice([str.lower, str.upper])(units[i:i + 2].hex())
                       for i in range(0, len(units), 2))

    def string(text):
        return '"' + "".join(map(character, text)) + '"'

    def real(number):
        text = source.choice([repr(number), f"{number:.17g}", f"{number:.25e}"])
        return text if any(sign in text for sign in ".e") else text + ".0"

    def spell(item):
        if isinstance(item, str):
            return string(item)
        if isinstance(item, float):
            return real(item)
        if isinstance(item, list):
            return "[" + ",".join(blank() + spell(inner) + blank() for inner in item) + "]"
        if isinstance(item, dict):
            members = list(item.items())
            source.shuffle(members)
            return "{" + ",".join(f"{blank()}{string(key)}{blank()}:{blank()}{spell(inner)}{blank()}"
                                  for key, inner in members) + "}"
        return wire.canonical(item).decode()

    return (blank() + spell(value) + blank()).encode()


def random_text(source, most=12):
    alphabet = "abcxyz019-._ /\"\\\n\x00\x1f\x7fé߿ࠀ\u2028\uffff😀\U0010ffff"
    return "".join(source.choice(alphabet) for _ in range(source.randrange(most)))


def random_real(source):
    sorts = [
        lambda: struct.unpack("<d", source.randbytes(8))[0],
        lambda: source.uniform(-1e6, 1e6),
        lambda: round(source.uniform(0, 2e9), source.randrange(8)),
        lambda: float(source.choice(["5e-324", "1e16", "1e-4", "9.999e15", "-0.0", "2e-308"])),
        lambda: 2.0 ** source.randrange(-1074, 1024),
    ]
    number = source.choice(sorts)()
    return number if number - number == 0 else 0.5  # nan and infinity have no spelling


def random_value(source, depth=3):
    sorts = [lambda: None, lambda: source.random() < 0.5, lambda: source.randrange(-9, 100),
             lambda: source.randrange(-10**25, 10**25), lambda: random_real(source),
             lambda: random_text(source)]
    if depth > 0:
        sorts += [lambda: [random_value(source, depth - 1) for _ in range(source.randrange(4))],
                  lambda: {random_text(source, 5): random_value(source, depth - 1)
                           for _ in range(source.randrange(5))}] * 2
    return source.choice(sorts)()


def random_id(source):
    return source.choice(["enc-1", "dec-3", "a", "Z" * 64, "op-" + source.randbytes(4).hex()])


def random_frame(source):
    """A good frame most of the time, without its sig."""
    kind, body = source.choice(list(BODIES.values()))
    body = dict(body)
    for _ in range(source.choice([0, 0, 1, 1, 2])):
        name = source.choice([*body, "extra", random_text(source, 4)])
        body[name] = random_value(source)
    return frame(body, kind, origin=random_id(source),
                 seq=NOW + source.randrange(-50, 50) * 10**source.randrange(13),
                 ts=source.choice([WALL, WALL + 0.125, random_real(source)]))


def mutate(source, raw):
    """A few bytes changed, taken away, doubled or moved."""
    data = bytearray(raw)
    for _ in range(source.choice([1, 1, 2, 4])):
        at = source.randrange(len(data) + 1)
        size = source.choice([1, 1, 2, 5, 20])
        action = source.randrange(4)
        if action == 0:
            data[at:at + size] = source.randbytes(size)
        elif action == 1:
            del data[at:at + size]
        elif action == 2:
            data[at:at] = data[at:at + size]
        else:
            data[at:at + 1] = source.choice([b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0",
                                             b".", b"e", b"-", b" ", b"\\u0041", b"\xc3\xa9", b"1e5"])
    return bytes(data)


def random_datagram(source, key):
    value = random_frame(source)
    value["sig"] = wire.sign(key, value)
    raw = wire.canonical(value) if source.random() < 0.4 else respell(source, value)
    return mutate(source, raw) if source.random() < 0.4 else raw


def random_case(source):
    key = source.choice([KEY, KEY, b"", b"k" * 100])
    return [random_datagram(source, key) for _ in range(source.randrange(1, 30))], key


def encodable_frame(source):
    """A frame as yoke itself writes one: known members only, ts in milliseconds."""
    name, (kind, body) = source.choice(list(BODIES.items()))
    body = dict(body)
    if kind == "ann":
        body["name"] = random_text(source, 64)
        body["err"] = source.choice([None, random_text(source, 60)])
        body["state"] = source.choice(wire.STATES)
        body["kind"] = source.choice(wire.KINDS)
        body.pop("driver_status", None)
        if source.random() < 0.5:
            body["driver_status"] = {"detail": random_text(source, 60)}
    if name == "consumer":
        body["pairing"] = source.choice([
            {"producer": None, "version": [0, ""]},
            {"producer": source.choice([None, random_id(source)]),
             "version": [source.randrange(1, 2**63), random_id(source)]}])
    if name == "producer":
        body["media"] = source.choice([None, {"any": random_value(source)}])
    if kind == "int":
        body["consumer"] = random_id(source)
        body["version"] = [source.randrange(1, 2**63), random_id(source)]
    if kind == "ack":
        body["applied"] = source.random() < 0.5
        body["reason"] = source.choice(wire.REASONS)
    if kind == "evt":
        body["detail"] = {"any": random_value(source)}
    return frame(body, kind, origin=random_id(source), seq=NOW + source.randrange(10**9),
                 ts=source.choice([WALL * 1000, 0, 1, source.randrange(10**15)]) / 1000)


def verdicts(receiver, datagrams):
    """[(verdict, canonical bytes or None)] of a receiver: of wire.py, or one like it."""
    answers = []
    for raw in datagrams:
        verdict, value = receiver.verdict(raw)
        answers.append((verdict, None if value is None else wire.canonical(value)))
    return answers


def seeded(seed):
    return random.Random(seed)
