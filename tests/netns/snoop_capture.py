"""yoke snoop with captures: what is recorded is what was heard, whoever reads it."""

import json
import subprocess

import agent
import case
import lab as lab_module
import pcap
from case import equal, exits, true
from snoop import Snooper, key_of

DISSECTOR = lab_module.ROOT / "docs/wireshark/ywp1.lua"


def read(host, key, path, *args):
    """`yoke snoop --read`; needs no network."""
    return agent.yoke(host, "snoop", "--psk-file", key, "--read", path, *args)


def frames_of(lines):
    """What a capture keeps of a frame: all but when it was heard, to the microsecond."""
    return [{**line, "time": round(line["time"], 5)} for line in lines if line["type"] == "frame"]


def some_traffic(lab):
    """Frames of a peer, junk, and one of another key."""
    rogue = case.join(lab, lab.host("py"), "enc-1", None)
    rogue.send("bye", {})
    rogue.send_raw(b"\xff junk")
    rogue.send_raw(b"x" * 1201)
    rogue.send_raw(b"")
    rogue.send("evt", {"event": "started", "detail": {}})


def test_a_recording_reads_back_as_it_was_heard(lab):
    host, path = lab.host("mon"), lab.dir / "heard.pcap"
    monitor = Snooper(lab, host, key_of(lab), "--json", "--record", path)
    some_traffic(lab)
    monitor.wait("the last", lambda line: line["type"] == "frame" and line["frame"]
                 and line["frame"]["type"] == "evt")
    heard = monitor.stop()
    true("5 datagrams recorded" in monitor.process.log(), monitor.process.log())
    again = exits(read(host, key_of(lab), path, "--json"), 0, "read").json()
    equal(frames_of(again), frames_of(heard), "frames")
    equal([line["what"] for line in again if line["type"] == "change"],
          [line["what"] for line in heard if line["type"] == "change"], "changes")


def test_a_recording_is_there_while_it_is_made(lab):
    host, path = lab.host("mon"), lab.dir / "heard.pcap"
    monitor = Snooper(lab, host, key_of(lab), "--json", "--record", path)
    some_traffic(lab)
    monitor.wait("the last", lambda line: line["type"] == "frame" and line["frame"]
                 and line["frame"]["type"] == "evt")
    lab_module.wait_for("five frames in the file", lambda: len(
        frames_of(read(host, key_of(lab), path, "--json").json())) == 5)
    monitor.stop()


def test_wireshark_opens_what_is_recorded(lab):
    case.need_program("tshark")
    path = lab.dir / "heard.pcap"
    monitor = Snooper(lab, lab.host("mon"), key_of(lab), "--json", "--record", path)
    some_traffic(lab)
    monitor.wait("the last", lambda line: line["type"] == "frame" and line["frame"]
                 and line["frame"]["type"] == "evt")
    monitor.stop()
    done = subprocess.run(
        ["tshark", "-n", "-X", f"lua_script:{DISSECTOR}", "-o", f"ywp1.key_file:{key_of(lab)}",
         "-o", "ip.check_checksum:TRUE", "-r", str(path), "-T", "fields", "-e", "ywp1.verdict",
         "-e", "ip.checksum.status", "-e", "ip.dst", "-e", "udp.dstport"],
        capture_output=True, text=True, check=False)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    equal([row[0] for row in rows], ["accept", "malformed", "oversize", "", "accept"],
          f"verdicts: {done.stderr}")
    true(all(row[1:] == ["1", agent.GROUP, str(agent.PORT)] for row in rows), f"headers: {rows}")


def test_what_tcpdump_captured_is_read(lab):
    case.need_program("tcpdump")
    host = lab.host("mon")
    Snooper(lab, host, key_of(lab))  # a member of the group, so that the switch forwards
    taps = []
    for name, interface in (("ethernet", "eth0"), ("cooked", "any")):
        path = lab.dir / f"{name}.pcap"
        taps.append((path, host.spawn(f"tcpdump-{name}", [
            "tcpdump", "-Z", "root", "-i", interface, "-U", "-w", path, "udp"])))
        taps[-1][1].wait_log("listening on")
    some_traffic(lab)
    for path, process in taps:
        lab_module.wait_for(f"five packets in {path.name}", lambda p=path: len(
            frames_of(read(host, key_of(lab), p, "--json").json())) == 5)
        process.end()
        said = exits(read(host, key_of(lab), path, "--topology", "json"), 0, path.name).json()
        equal(said[-1]["nodes"], [], "nodes of frames that are no announcements")


def test_the_captures_clock_decides_who_is_lost(lab):
    """Ten seconds pass in the file, and none here."""
    host, path = lab.host("mon"), lab.dir / "made.pcap"
    rogue = case.join(lab, host, "enc-1", None)
    body = {"role": "producer", "kind": "hdmi", "name": "n", "state": "idle", "err": None,
            "pairing": None, "media": None}
    raws = [json.dumps(rogue.make("ann", body), sort_keys=True, separators=(",", ":")).encode()
            for _ in range(2)]
    start = 1796018523 + 86400 * 3650
    path.write_bytes(pcap.pcap([(start, pcap.udp(raws[0])), (start + 10, pcap.udp(raws[1]))]))
    done = exits(read(host, key_of(lab), path, "--json", "-q"), 0, "read")
    equal([(line["what"], line["time"] - start) for line in done.json()],
          [("node-new", 0), ("peer-lost", 6.5), ("peer-returned", 10)], "changes")
    case.within(done.elapsed_s, 3, "reading")


def test_of_a_broken_capture_what_could_be_read_is_shown(lab):
    host, path = lab.host("mon"), lab.dir / "cut.pcap"
    path.write_bytes(pcap.pcap([(1, pcap.udp(b"one")), (2, pcap.udp(b"two"))])[:-3])
    done = read(host, key_of(lab), path, "--json")
    case.refused(done, 78, path, "broken behind packet 1")
    equal([line["raw"] for line in done.json()], [b"one".hex()], "lines")
    case.refused(read(host, key_of(lab), "/nowhere/c.pcap"), 78, "/nowhere/c.pcap")
    other = lab.dir / "text"
    other.write_text("no capture at all, but a text of some length")
    case.refused(read(host, key_of(lab), other), 78, other)


def test_a_capture_of_something_else_says_what_to_give(lab):
    host, path = lab.host("mon"), lab.dir / "other.pcap"
    path.write_bytes(pcap.pcap([(1, pcap.udp(b"one", to=9999))]))
    done = exits(read(host, key_of(lab), path, "--json"), 0, "read")
    equal(done.out, "", "lines")
    true("none of its 1 packets" in done.err and "--group" in done.err, done.err)
    exits(read(host, key_of(lab), path, "--port", "9999", "--json"), 0, "with the port")
    done = exits(read(host, key_of(lab), path), 0, "for people")
    true("none of its 1 packets" in done.err and "check cable" not in done.err, done.err)


def test_no_recording_is_lost_to_another(lab):
    host, path = lab.host("mon"), lab.dir / "old.pcap"
    path.write_text("precious")
    control = ("--interface", "eth0", "--for", "5")
    case.refused(agent.yoke(host, "snoop", *control, "--record", path), 73, path)
    equal(path.read_text(), "precious", "the file")
    case.join(lab, lab.host("py"), "enc-1", "producer")
    case.refused(agent.yoke(host, "snoop", *control, "--record", "/dev/full"), 73, "/dev/full")
    case.refused(read(host, key_of(lab), path, "--record", lab.dir / "x"), 78, path)
    case.refused(agent.yoke(host, "snoop", "--interface", "eth9", "--record", lab.dir / "x"), 78,
                 "eth9")
    true(not (lab.dir / "x").exists(), "nothing is left of a recording that never began")


def test_a_capture_is_recorded_anew_as_what_went_to_the_group(lab):
    host, path, again = lab.host("mon"), lab.dir / "heard.pcap", lab.dir / "again.pcap"
    monitor = Snooper(lab, host, key_of(lab), "--json", "--record", path)
    some_traffic(lab)
    monitor.wait("the last", lambda line: line["type"] == "frame" and line["frame"]
                 and line["frame"]["type"] == "evt")
    monitor.stop()
    exits(read(host, key_of(lab), path, "--record", again), 0, "record")
    equal(again.read_bytes(), path.read_bytes(), "the same datagrams at the same times")
    exits(read(host, key_of(lab), path, "--record", path), 73, "onto itself")
