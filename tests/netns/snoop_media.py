"""yoke snoop --media: what it says of streams is true, and nothing of them is read."""

import re
import sys
import time

import agent
import case
import lab as lab_module
from case import equal, exits, true
from snoop import Snooper, Tap, key_of, snoop

STREAM = [sys.executable, str(lab_module.ROOT / "tests/lib/stream.py")]
RATE, PAYLOAD = 200, 1004  # of stream.py


def stream(host, group=case.MEDIA["group"], port=case.MEDIA["port"]):
    return host.spawn(f"stream-{group}-{port}", [*STREAM, "send", group, port, host.address])


def producer(lab, host, node_id="enc-1", media=case.MEDIA):
    return case.join(lab, host, node_id, "producer", media=media)


def watch(lab):
    monitor = Snooper(lab, lab.host("mon"), key_of(lab), "--media", "--json")
    monitor.host = lab.hosts[-1]
    return monitor


def is_stream(what, node_id="enc-1", **members):
    return lambda line: (line["what"], line["id"]) == (what, node_id) \
        and all(line[k] == v for k, v in members.items())


def is_full_rate(line):
    return line["what"] == "rate" and line["packets_per_second"] > RATE / 2


def test_presence_and_rates_of_a_stream_are_told(lab):
    monitor, host = watch(lab), lab.host("enc")
    producer(lab, host)
    joined = monitor.wait("joined", is_stream("joined", state="waiting"))
    equal((joined["group"], joined["port"]), (case.MEDIA["group"], case.MEDIA["port"]), "target")
    true(case.MEDIA["group"] in monitor.host.memberships(), "it is a member")
    stream(host)
    monitor.wait("the first packet", is_stream("present"))
    rate = monitor.wait("a full rate", is_full_rate)
    true(rate["packets_per_second"] <= 1.2 * RATE, rate)
    near = rate["packets_per_second"] * PAYLOAD * 8
    true(abs(rate["bits_per_second"] - near) < near / 50, f"bits of payload: {rate}")
    lines = monitor.stop()
    true(all(line["type"] == "media" for line in lines), "nothing else is told")
    last = lines[-1]
    equal((last["what"], last["bytes"]), ("left", last["packets"] * PAYLOAD), "the sum")


def test_a_gap_is_told_when_it_begins_and_when_it_is_over(lab):
    monitor, host = watch(lab), lab.host("enc")
    producer(lab, host)
    first = stream(host)
    monitor.wait("the first packet", is_stream("present"))
    first.kill()
    begun = monitor.wait("a gap", is_stream("silent", gaps=1))
    time.sleep(0.5)
    stream(host)
    ended = monitor.wait("the end of it", is_stream("present", gaps=1))
    gap = ended["longest_gap_ms"] / 1000
    true(gap >= 1.0 and abs(gap - (ended["time"] - begun["time"] + 0.5)) < 0.3,
         f"{gap} s, {begun}, {ended}")
    monitor.stop()


def test_producers_that_come_change_and_go_are_followed(lab):
    monitor, host = watch(lab), lab.host("enc")
    node = producer(lab, host)
    monitor.wait("joined", is_stream("joined"))
    stream(host, **case.OTHER_MEDIA)
    node.media = case.OTHER_MEDIA
    monitor.wait("left", is_stream("left", group=case.MEDIA["group"]))
    monitor.wait("the other group", is_stream("present", group=case.OTHER_MEDIA["group"]))
    mon = monitor.host
    true(case.MEDIA["group"] not in mon.memberships(), "the former group is left")
    node.close(bye=True)
    monitor.wait("left", is_stream("left", group=case.OTHER_MEDIA["group"]))
    lab_module.wait_for("no media group is joined",
                        lambda: case.OTHER_MEDIA["group"] not in mon.memberships())
    monitor.stop()


def test_one_producer_is_chosen_by_id_or_name(lab):
    host, mon = lab.host("enc"), lab.host("mon")
    producer(lab, host)
    producer(lab, lab.host("enc2"), "enc-2", case.OTHER_MEDIA)
    done = exits(snoop(mon, key_of(lab), "--media", "enc-2", "--json", seconds=3), 0,
                 "chosen")
    equal({line["id"] for line in done.json()}, {"enc-2"}, "measured")
    done = exits(snoop(mon, key_of(lab), "--media=nobody", seconds=0.2), 0,
                 "nobody")
    true("no producer of that id or name" in done.err, done.err)


def test_media_without_a_port_counts_any_udp_to_the_group(lab):
    monitor, host = watch(lab), lab.host("enc")
    group = "239.10.0.9"
    producer(lab, host, media={"channel": 9, "group": group})
    monitor.wait("joined", is_stream("joined", port=None, group=group))
    stream(host, group, 7001)
    stream(host, "239.10.0.10", 7001)
    # A sender that was held up catches up at once: not every line has the rate that is set.
    monitor.wait("the rate of the group alone", lambda line: is_full_rate(line)
                 and line["packets_per_second"] <= 1.2 * RATE)
    stream(host, group, 7002)
    twice = monitor.wait("both ports", lambda line: line["what"] == "rate"
                         and line["packets_per_second"] > 1.5 * RATE)
    near = twice["packets_per_second"] * PAYLOAD * 8
    true(abs(twice["bits_per_second"] - near) < near / 50, f"payload alone: {twice}")
    monitor.stop()


def test_without_the_capability_a_group_without_port_is_said_to_be_unmeasured(lab):
    host = lab.host("mon")
    producer(lab, lab.host("enc"), media={"channel": 9, "group": "239.10.0.9"})
    done = host.call(["setpriv", "--bounding-set", "-net_raw", agent.YOKE, "snoop", "--interface",
                      "eth0", "--psk-file", key_of(lab), "--media", "--for", "3"])
    equal(done.returncode, 0, f"exit status: {done.stderr}")
    true("unmeasured" in done.stdout and "CAP_NET_RAW" in done.stdout, done.stdout)


def test_media_that_nobody_should_join_is_named_and_not_joined(lab):
    monitor = watch(lab)
    producer(lab, lab.host("enc"), media={"group": "224.0.0.251", "port": 5353})
    line = monitor.wait("unmeasured", is_stream("unmeasured"))
    true("239.0.0.0/8" in line["problem"], line)
    monitor.stop()


def test_more_groups_than_a_socket_may_join_and_a_bound(lab):
    monitor, host = watch(lab), lab.host("enc")
    for i in range(66):
        node = case.join(lab, host, f"enc-{i}", None)
        node.send("ann", {"role": "producer", "kind": "hdmi", "name": "n", "state": "active",
                          "err": None, "pairing": None,
                          "media": {"group": f"239.11.0.{i + 1}", "port": 5004}})
    monitor.process.wait_log("64 groups are joined, the most")
    joined = [g for g in monitor.host.memberships() if g.startswith("239.11.")]
    equal(len(joined), 64, "groups")
    monitor.stop()


def test_people_get_lines_and_with_q_only_changes(lab):
    host, mon = lab.host("enc"), lab.host("mon")
    producer(lab, host)
    stream(host)
    done = exits(snoop(mon, key_of(lab), "--media", seconds=5), 0, "for people")
    true(re.search(r"enc-1 +239\.10\.0\.5:5004 +present +\d+ packets/s, [\d.]+ [kM]b/s, no gap",
                   done.out), done.out)
    quiet = exits(snoop(mon, key_of(lab), "--media", "-q", seconds=5), 0, "quiet")
    true("packets/s" not in quiet.out and "the first packet" in quiet.out, quiet.out)


def test_a_real_stream_is_measured(lab):
    case.need_program("ffmpeg")
    monitor, host = watch(lab), lab.host("enc")
    producer(lab, host)
    host.spawn("ffmpeg", [
        "ffmpeg", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=25",
        "-c:v", "mpeg2video", "-b:v", "1M", "-f", "mpegts",
        f"udp://239.10.0.5:5004?localaddr={host.address}&pkt_size=1316"])
    monitor.wait("a rate", lambda line: line["what"] == "rate" and line["bits_per_second"] > 50000)
    monitor.stop()


def test_no_frame_leaves_while_streams_are_measured(lab):
    host, enc = lab.host("mon"), lab.host("enc")
    producer(lab, enc)
    producer(lab, lab.host("enc2"), "enc-2", {"channel": 9, "group": "239.10.0.9"})
    stream(enc)
    tap = Tap(host)
    exits(snoop(host, key_of(lab), "--media", seconds=4), 0, "measuring")
    kernel, rest = tap.frames()
    true(kernel, "the kernel reported the memberships: the tap works")
    equal(rest, [], "frames from the snooper's host")


def test_payload_is_never_read(lab):
    case.need_program("strace")
    case.need_plain_build("strace")
    trace, host = lab.dir / "trace", lab.host("enc")
    producer(lab, host)
    producer(lab, lab.host("enc2"), "enc-2", {"channel": 9, "group": "239.10.0.9"})
    stream(host)
    stream(host, "239.10.0.9", 7001)
    done = lab.host("mon").call(
        ["strace", "-f", "-o", trace, "-e", "trace=network", agent.YOKE, "snoop", "--interface",
         "eth0", "--psk-file", key_of(lab), "--media", "--for", "4"])
    equal(done.returncode, 0, f"exit status: {done.stderr}")
    muted, groups, reads = set(), set(), 0
    for line in trace.read_text().splitlines():
        name, _, rest = line.split(maxsplit=1)[1].partition("(")
        fd = rest.split(",")[0]
        if name == "shutdown" and "SHUT_WR" in rest:
            muted.add(fd)
        elif name == "bind" and re.search(r"239\.10\.0\.[59]", rest):
            groups.add(fd)
        elif name.startswith("recv") and fd in groups:
            true(fd in muted, f"read before it was shut down: {line}")
            true("msg_iovlen=0" in rest or "EAGAIN" in rest, f"a buffer: {line}")
            reads += 1
    equal(len(groups), 2, "sockets of groups")
    true(reads > 10, "streams were read")


def test_an_interface_made_anew_is_joined_again(lab):
    monitor, host = watch(lab), lab.host("enc")
    producer(lab, host)
    stream(host)
    monitor.wait("the first packet", is_stream("present"))
    monitor.host.remove_interface()
    monitor.wait("a gap", is_stream("silent"))
    monitor.host.add_interface()
    monitor.wait("the stream again", is_stream("present", gaps=1))
    monitor.stop()


def test_what_cannot_stand_beside_it_is_refused(lab):
    host = lab.host("mon")
    for args in (["--check"], ["--topology", "text"], ["--read", "x.pcap"]):
        case.refused(snoop(host, key_of(lab), "--media", *args), 64, "--media")
    help_text = exits(snoop(host, None, "--help"), 0, "help").out
    for words in ("any UDP to the group", "CAP_NET_RAW", "--media [PRODUCER]", "64 groups", "0.5 s"):
        true(words in help_text, f"{words!r} in the help")
