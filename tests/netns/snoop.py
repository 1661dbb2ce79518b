"""yoke snoop: what it shows is true, and it never says a word."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time

import agent
import case
import lab as lab_module
import wire
from case import equal, exits, true

CONTROL = ("--interface", "eth0")
FRAME = {"v": 1, "ts": 0}


def snoop(host, key, *args, seconds=None):
    """Runs `yoke snoop` on a host until it ends by itself."""
    limit = ("--for", str(seconds)) if seconds is not None else ()
    keyed = ("--psk-file", key) if key else ()
    return agent.yoke(host, "snoop", *CONTROL, *keyed, *limit, *args)


class Snooper:
    """One that runs beside the test; its lines are read as they come."""

    def __init__(self, lab, host, key, *args, through=()):
        keyed = ("--psk-file", key) if key else ()
        self.lab = lab
        self.out = lab.dir / f"snoop-{len(lab.processes)}.out"
        self.process = host.spawn(
            f"snoop-{len(lab.processes)}",
            ["sh", "-c", 'out=$1; shift; exec "$@" >"$out"', "sh", self.out, *through,
             agent.YOKE, "snoop", *CONTROL, *keyed, *args], agent.SANITIZER_ENV)
        lab_module.wait_for("the snooper has joined",
                            lambda: agent.GROUP in host.memberships() or not self.process.running())
        true(self.process.running(), f"it runs: {self.process.log()}")

    def lines(self):
        text = self.out.read_text(errors="strict") if self.out.exists() else ""
        return [json.loads(line) for line in text.splitlines() if line.endswith("}")]

    def wait(self, what, predicate):
        return lab_module.wait_for(
            f"the snooper tells: {what}", lambda: next(filter(predicate, self.lines()), None),
            explain=lambda: f"{self.process.log()} {self.lines()[-20:]}")

    def stop(self):
        self.process.signal(signal.SIGINT)
        equal(self.process.wait(), 0, f"exit status: {self.process.log()}")
        return self.lines()


def key_of(lab):
    return agent.key_file(lab.dir)


def is_change(what, node_id=None, **detail):
    return lambda line: (line["type"] == "change" and line["what"] == what
                         and node_id in (None, line["id"])
                         and all(line["detail"].get(k) == v for k, v in detail.items()))


def test_an_operation_is_followed_from_request_to_picture(lab):
    monitor = Snooper(lab, lab.host("mon"), key_of(lab), "--json")
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    line = case.pair(dec, "dec", "enc")
    told = monitor.wait("active", is_change("operation", "dec", outcome="active"))
    equal((told["detail"]["op"], told["detail"]["producer"], told["detail"]["version"]),
          ("pair", "enc", line["version"]), "the operation")
    true(told["detail"]["sender"].startswith("cli-"), "who asked")
    exits(dec.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")
    monitor.wait("idle", is_change("operation", "dec", outcome="idle"))
    enc.stop()
    monitor.wait("gone", is_change("node-gone", "enc"))
    dec.kill()
    monitor.wait("lost", is_change("peer-lost", "dec"))
    lines = monitor.stop()
    for what, node_id in (("node-new", "enc"), ("node-new", "dec"), ("media-up", "dec"),
                          ("pairing-applied", "dec"), ("stopping", "enc")):
        true(any(map(is_change(what, node_id), lines)), f"{what} of {node_id} is told")


def test_every_line_has_the_members_of_the_contract(lab):
    monitor = Snooper(lab, lab.host("mon"), key_of(lab), "--json")
    rogue = case.join(lab, lab.host("py"), "enc-1", None)
    rogue.send("bye", {})
    rogue.send_raw(b"\xff junk")
    forged = wire.encode(b"another key", rogue.make("bye", {}))
    rogue.send_raw(forged)
    for verdict in ("accept", "malformed", "auth"):
        monitor.wait(verdict, lambda line, v=verdict: line.get("verdict") == v)
    lines = [line for line in monitor.stop() if line["type"] == "frame"]
    for line in lines:
        true({"v", "type", "time", "from", "size", "verdict", "trusted", "frame", "raw"}
             <= line.keys(), f"members of {line}")
        true(abs(line["time"] - time.time()) < 60, "time is Unix seconds")
        true(line["from"].startswith(rogue.host.address + ":"), line["from"])
    accepted, malformed, auth = lines
    equal((accepted["trusted"], accepted["raw"], accepted["frame"]["type"]), (True, None, "bye"),
          "an accepted one")
    equal((malformed["frame"], malformed["raw"], malformed["trusted"]),
          (None, b"\xff junk".hex(), False), "junk")
    equal((auth["frame"], auth["trusted"], auth["raw"]), (json.loads(forged), False, None),
          "a forged one")


def test_bad_signatures_are_shown_and_change_nothing(lab):
    monitor = Snooper(lab, lab.host("mon"), key_of(lab), "--json")
    other = case.join(lab, lab.host("py"), "enc-1", "producer", key=b"another key")
    monitor.wait("the forged announcement", lambda line: line.get("verdict") == "auth")
    other.close()
    true(all(line["type"] == "frame" for line in monitor.stop()), "no change is told")
    true("every frame fails: wrong key?" in monitor.process.log(), monitor.process.log())


def test_open_mode_and_a_missing_key_are_named(lab):
    host = lab.host("mon")
    true("OPEN" in exits(snoop(host, None, seconds=0.1), 0, "open").err, "OPEN is said")
    monitor = Snooper(lab, host, None)
    case.join(lab, lab.host("py"), "enc-1", "producer")
    monitor.process.wait_log("every frame fails: no key?")
    monitor.stop()


def test_hostile_text_is_escaped_for_people_and_kept_for_programs(lab):
    host = lab.host("mon")
    name = "\x1b[2J\u202eevil\u200b<b>\"'\n\x07"
    people = Snooper(lab, host, key_of(lab))
    programs = Snooper(lab, host, key_of(lab), "--json")
    node = case.join(lab, lab.host("py"), "enc-1", None)
    node.send("ann", {"role": "producer", "kind": "hdmi", "name": name, "state": "idle",
                      "err": None, "pairing": None, "media": None})
    programs.wait("the name", lambda line: line["type"] == "frame"
                  and line["frame"]["body"].get("name") == name)
    lab_module.wait_for("a line for people", lambda: people.out.read_text().count("\n") >= 2)
    people.stop()
    programs.stop()
    text = people.out.read_text()
    true(not any(c in text for c in "\x1b\u202e\u200b\x07"), f"raw characters in {text!r}")
    true("\\x1b[2J\\u202eevil" in text, f"the name, escaped: {text!r}")


def test_quiet_tells_changes_only(lab):
    monitor = Snooper(lab, lab.host("mon"), key_of(lab), "-q", "--json")
    case.join(lab, lab.host("py"), "enc-1", "producer")
    monitor.wait("the node", is_change("node-new", "enc-1"))
    time.sleep(2.5)  # another announcement
    equal([line["what"] for line in monitor.stop()], ["node-new"], "lines")


def test_the_graph_has_every_node_and_pairing(lab):
    enc, dec = case.encoder(lab, name="Player <&\"1\">"), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    host, key = lab.host("mon"), key_of(lab)
    text = exits(snoop(host, key, "--topology", "text", seconds=2.8), 0, "text").out
    true("enc" in text.splitlines()[0] and text.splitlines()[1].startswith("  -> dec"), text)
    graph = exits(snoop(host, key, "--topology", "json", seconds=2.8), 0, "json").json()[-1]
    equal([n["id"] for n in graph["nodes"]], ["enc", "dec"], "nodes")
    equal([(e["producer"], e["consumer"], e["state"]) for e in graph["edges"]],
          [("enc", "dec", "active")], "edges")
    dot = exits(snoop(host, key, "--topology", "dot", seconds=2.8), 0, "dot").out
    true('"enc" -> "dec"' in dot and 'Player <&amp;\\"1\\">' in dot, dot)
    case.need_program("dot")
    svg = exits(snoop(host, key, "--topology", "svg", seconds=2.8), 0, "svg").out
    true("<svg" in svg and "Player &lt;&amp;&quot;1&quot;&gt;" in svg, svg)


def test_a_missing_graphviz_is_said_at_once(lab):
    host = lab.host("mon")
    done = host.call(["env", "PATH=/nowhere", agent.YOKE, "snoop", *CONTROL, "--topology", "svg"])
    equal(done.returncode, 70, f"exit: {done.stderr}")
    true("install graphviz" in done.stderr, done.stderr)


def test_what_cannot_be_is_refused(lab):
    host = lab.host("mon")
    for args in (["--topology", "gif"], ["--for", "x"], ["--topology", "text", "-q"], ["extra"],
                 ["--topology", "json", "--json"], ["--frames"]):
        exits(agent.yoke(host, "snoop", *args), 64, " ".join(args))
    case.refused(agent.yoke(host, "snoop", "--interface", "eth9"), 78, "eth9")


def test_no_standard_output_left_exits_70(lab):
    host = lab.host("mon")
    case.join(lab, host, "enc-1", "producer", key=b"")
    done = host.call(["sh", "-c", f"{agent.YOKE} snoop --interface eth0 --for 20 --json >/dev/full"])
    equal(done.returncode, 70, f"to a full device: {done.stderr}")
    equal(done.stderr.count("standard output"), 1, f"said once: {done.stderr}")


def test_a_flood_is_bounded_and_what_is_not_kept_is_counted(lab):
    """10,000 origins, and junk as fast as it can be sent."""
    monitor = Snooper(lab, lab.host("mon"), key_of(lab))
    rogue = case.join(lab, lab.host("py"), "rogue", None)
    body = {"role": "producer", "kind": "hdmi", "name": "n", "state": "idle", "err": None,
            "pairing": None, "media": None}
    frames = [wire.encode(agent.KEY, {**FRAME, "type": "ann", "origin": f"node-{i}",
                                      "seq": time.time_ns(), "body": body}) for i in range(10000)]
    for frame in frames + [b"junk"] * 40000:
        rogue.send_raw(frame)
    time.sleep(0.5)  # what is on the way
    with open(f"/proc/{monitor.process.pid}/status", encoding="ascii") as status:
        high = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    monitor.process.signal(signal.SIGINT)
    equal(monitor.process.wait(), 0, "exit status")
    log = monitor.process.log()
    heard, accepted, lost, not_kept = map(int, re.search(
        r"(\d+) frames: (\d+) accepted, .*; (\d+) lost before .*; (\d+) nodes", log).groups())
    equal(heard + lost, 50000, f"every datagram is heard or counted: {log}")
    equal(not_kept, max(0, accepted - 4096), f"nodes not kept: {log}")
    true("could not be kept" in log or accepted <= 4096, log)
    true(lab_module.SANITIZED or high < 64 * 1024, f"memory: {high} kB")


def test_colours_are_for_terminals_only(lab):
    host, key = lab.host("mon"), key_of(lab)
    case.join(lab, lab.host("py"), "enc-1", "producer")
    command = [agent.YOKE, "snoop", *CONTROL, "--psk-file", key, "--for", "2.6"]
    true("\x1b" not in exits(agent.yoke(host, *command[1:]), 0, "into a pipe").out, "no colours")
    for extra, coloured in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                            ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
        ours, theirs = os.openpty()
        with subprocess.Popen(host.inside(command), stdout=theirs, stderr=subprocess.DEVNULL,
                              env={**os.environ, **extra}):
            os.close(theirs)
            seen = b""
            with open(ours, "rb", buffering=0) as screen, contextlib.suppress(OSError):
                while part := screen.read(4096):
                    seen += part
        true(b"enc-1" in seen, f"{extra}: {seen!r}")
        equal(b"\x1b" in seen, coloured, f"{extra}: colours")


# ---- silence

class Tap:
    """Sees every frame that the switch takes from a host."""

    IGMP, ICMPV6, HOP_BY_HOP = 2, 58, 0

    def __init__(self, host):
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.sock.bind((host.leg, 0))
        self.sock.setblocking(False)

    def frames(self):
        """(the kernel's own voice about groups and neighbours, all the rest)."""
        kernel, rest = [], []
        with contextlib.suppress(BlockingIOError):
            while True:
                frame, address = self.sock.recvfrom(2048)
                if address[2] == socket.PACKET_OUTGOING:
                    continue
                kind, ip = frame[12:14], frame[14:]
                own = (kind == b"\x08\x00" and ip[9] == self.IGMP
                       or kind == b"\x86\xdd" and ip[6] in (self.ICMPV6, self.HOP_BY_HOP))
                (kernel if own else rest).append(frame.hex())
        return kernel, rest


def test_the_switch_sees_no_frame_of_it(lab):
    host = lab.host("mon")
    case.join(lab, lab.host("py"), "enc-1", "producer")
    key, tap = key_of(lab), Tap(host)
    for args in ([], ["--json"], ["-q"], ["--topology", "text"], ["--topology", "json"], ["--check"],
                 ["--record", lab.dir / "heard.pcap"], ["--read", lab.dir / "heard.pcap"]):
        exits(snoop(host, key, *args, seconds=2.6), 0, " ".join(map(str, args)))
    kernel, rest = tap.frames()
    true(kernel, "the kernel reported the membership: the tap works")
    equal(rest, [], "frames from the snooper's host")


def test_a_trace_shows_no_call_that_sends(lab):
    case.need_program("strace")
    case.need_plain_build("strace")
    trace = lab.dir / "trace"
    monitor = Snooper(lab, lab.host("mon"), key_of(lab), "--json",
                      through=["strace", "-f", "-o", trace, "-e", "trace=network,seccomp"])
    case.join(lab, lab.host("py"), "enc-1", "producer")
    monitor.wait("an announcement", lambda line: line["type"] == "frame")
    os.kill(monitored_child(monitor), signal.SIGINT)
    monitor.process.wait()
    sockets, muted, sealed = {}, set(), False
    for line in trace.read_text().splitlines():
        call = line.split(maxsplit=1)[1]
        name, _, rest = call.partition("(")
        first = rest.split(",")[0].split(")")[0]
        sealed |= name == "seccomp" and "SECCOMP_SET_MODE_FILTER" in rest
        if name == "socket" and rest.startswith("AF_INET, SOCK_DGRAM"):
            sockets[call.split("=")[-1].strip()] = rest
        elif name == "shutdown" and "SHUT_WR" in rest:
            muted.add(first)
        elif name.startswith("recv") and first in sockets:
            true(first in muted, f"read before it was shut down: {line}")
        elif name.startswith("send"):
            true(sealed and "AF_NETLINK" in rest, f"it sent: {line}")
    true(sealed and muted, "sealed, and the control group's socket shut down")


def monitored_child(monitor):
    """The process that strace runs."""
    children = f"/proc/{monitor.process.pid}/task/{monitor.process.pid}/children"
    with open(children, encoding="ascii") as lines:
        return int(lines.read().split()[0])
