"""Datagrams nobody asked for: counted under the right name, and in nobody's way."""

import json
import sys
import time

import agent
import case
import lab as lab_module
import peer
import wire
from case import equal, exits, true, within
from lab import wait_for

COUNTERS = ("malformed", "version", "auth", "stale", "oversize")


def one_node(lab):
    """A decoder alone, an observer and a peer that may send what it likes."""
    observer = case.observe(lab)
    dec = case.decoder(lab)
    observer.wait("announcement", "ann", "dec")
    rogue = case.join(lab, lab.host("py"), "rogue", None)
    return observer, dec, rogue


def counted(dec, counter, wanted):
    dec.wait_status(f"{counter} {wanted}", lambda s: s["drops"][counter] == wanted)


def reported(observer, counter, wanted):
    """rx-drop with this count comes to the group."""
    observer.wait(f"rx-drop with {counter} {wanted}", "evt", "dec",
                  lambda b: b["event"] == "rx-drop" and b["detail"].get(counter) == wanted)


def test_empty_datagrams_are_counted_as_malformed(lab):
    observer, dec, rogue = one_node(lab)
    for _ in range(3):
        rogue.send_raw(b"")
    reported(observer, "malformed", 3)
    equal({k: dec.status()["drops"][k] for k in COUNTERS},
          {"malformed": 3, "version": 0, "auth": 0, "stale": 0, "oversize": 0}, "drops")
    detail = observer.select("evt", "dec", lambda b: b["event"] == "rx-drop")[-1]
    equal(set(detail.frame["body"]["detail"]), set(COUNTERS), "members of rx-drop")


def test_oversize_is_counted_and_1200_bytes_are_not(lab):
    observer, dec, rogue = one_node(lab)
    frame = wire.canonical(rogue.make("evt", {"event": "started", "detail": {}}))
    rogue.send_raw(frame + b" " * (1200 - len(frame)))
    rogue.send_raw(frame + b" " * (1201 - len(frame)))
    rogue.send_raw(b"x" * 8000)
    reported(observer, "oversize", 2)
    equal(dec.status()["drops"]["malformed"], 0, "malformed")


def test_a_wrong_key_or_none_is_counted_as_auth(lab):
    observer, dec, rogue = one_node(lab)
    frame = rogue.make("bye", {})
    rogue.key = b"another key"
    rogue.send("ann", {"role": "consumer"})
    rogue.send_raw(wire.canonical({**frame, "sig": ""}))
    rogue.send_raw(wire.canonical({**frame, "sig": "0" * 64}))
    rogue.send_raw(wire.canonical({**frame, "sig": "ä" * 64}))
    reported(observer, "auth", 4)
    equal(dec.status()["nodes"], [], "nobody was believed")


def test_version_stale_and_duplicates_are_counted_apart(lab):
    observer, dec, rogue = one_node(lab)
    first = rogue.send("bye", {})
    rogue.send_raw(first)  # the same once more is normal on multicast
    later = rogue.send("bye", {})
    rogue.send_raw(first)
    rogue.send("bye", {}, v=2)
    hour_ns = 3600 * 10**9
    rogue.send("bye", {}, seq=time.time_ns() + hour_ns + 60 * 10**9)
    rogue.send_raw(later)
    rogue.send_raw(b"{}")
    counted(dec, "dup", 2)
    counted(dec, "stale", 2)
    counted(dec, "version", 1)
    counted(dec, "malformed", 1)
    reported(observer, "stale", 2)


def test_drops_are_reported_once_an_interval_at_most(lab):
    observer, dec, rogue = one_node(lab)
    deadline = time.monotonic() + 9
    sent = 0
    while time.monotonic() < deadline:
        rogue.send_raw(b"junk")
        sent += 1
        time.sleep(0.02)
    reported(observer, "malformed", sent)
    # By the sender's clock: a busy machine may hand one over late and the next in time.
    times = [h.frame["ts"] for h in observer.select("evt", "dec",
                                                    lambda b: b["event"] == "rx-drop")]
    gaps = [b - a for a, b in zip(times, times[1:])]
    true(len(gaps) >= 3, f"{len(times)} reports in 9 s")
    true(min(gaps) > 1.9, f"shortest gap {min(gaps):.2f} s")
    mark = observer.mark()
    observer.wait("announcements", "ann", "dec", since=mark, count=2)
    equal(observer.select("evt", "dec", lambda b: b["event"] == "rx-drop", mark), [],
          "reports when nothing changed")


def test_own_frames_that_come_back_count_nowhere(lab):
    observer, dec, _ = one_node(lab)
    observer.wait("announcements", "ann", "dec", count=3)
    equal({k: v for k, v in dec.status()["drops"].items() if v}, {}, "drops")
    equal(dec.status()["nodes"], [], "it is no peer of its own")


def test_only_the_group_on_its_interface_is_heard(lab):
    observer, dec, rogue = one_node(lab)
    junk = b"not for the group"
    with dec.host.entered():
        elsewhere = peer.open_group(dec.host.address, group="239.99.99.99")
    rogue.sock.sendto(junk, (dec.host.address, agent.PORT))
    rogue.sock.sendto(junk, ("239.99.99.99", agent.PORT))
    elsewhere.settimeout(lab_module.DEADLINE_S)
    equal(elsewhere.recv(2048), junk, "the other group's datagram came to the host")
    elsewhere.close()
    inner = peer.Peer("inner", agent.KEY, "127.0.0.1", role="producer", host=dec.host).start()
    lab.on_close(inner.close)
    inner.wait("it hears itself on the loopback interface", "ann", "inner")
    rogue.send("ann", {"role": "producer", "kind": "hdmi", "name": "r", "state": "idle",
                       "err": None, "pairing": None, "media": None})
    dec.wait_hears("rogue")
    status = dec.status()
    equal([n["id"] for n in status["nodes"]], ["rogue"], "who is heard")
    equal({k: v for k, v in status["drops"].items() if v}, {}, "drops")
    true(observer.select("ann", "dec"), "it speaks")


def test_a_forged_frame_moves_no_high_water(lab):
    observer, dec, rogue = one_node(lab)
    forged = rogue.make("bye", {}, seq=time.time_ns() + 10**12)
    rogue.send_raw(wire.canonical({**forged, "sig": "0" * 64}))
    rogue.send("ann", {"role": "nobody"}, seq=time.time_ns() + 10**12)  # signed, but no body
    counted(dec, "auth", 1)
    counted(dec, "malformed", 1)
    rogue.send("ann", {"role": "producer", "kind": "hdmi", "name": "r", "state": "idle",
                       "err": None, "pairing": None, "media": None})
    dec.wait_hears("rogue")
    reported(observer, "auth", 1)


def flood_from(host, seconds):
    """20,000 datagrams a second that no receiver may accept."""
    return host.spawn("flood", [sys.executable, lab_module.ROOT / "tests/lib/peer.py", "junk",
                                "--address", host.address, "--rate", "20000",
                                "--seconds", str(seconds)])


@case.alone
def test_a_flood_of_junk_delays_no_announcement_ack_or_stop(lab):
    rogue = lab.host("rogue")
    observer = case.observe(lab)
    # The observer is Python and would drown: what the rogue sends is dropped before its socket.
    observer.host.run(["nft", "add table ip quiet; add chain ip quiet in "
                       "{ type filter hook input priority 0; }; "
                       f"add rule ip quiet in ip saddr {rogue.address} drop"])
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    flood = flood_from(rogue, 9)
    wait_for("the flood has begun", lambda: sum(case.drops(dec).values()) > 5000)
    start = observer.mark()
    slowest = 0.0
    for _ in range(5):
        for verb in (("pair", "dec", "enc"), ("unpair", "dec")):
            done = exits(dec.yoke(*verb, "--json"), 0, f"{verb[0]} in the flood")
            slowest = max(slowest, done.elapsed_s)
    within(slowest, 1.0, "keypress to saved in the flood")
    observer.wait("announcements in the flood", "ann", "enc", since=start, count=3)
    true(flood.running(), "the flood lasted as long as the measurement")
    begin = time.monotonic()
    equal(dec.stop(), 0, "exit status")
    within(time.monotonic() - begin, case.STOP_LIMIT_S, "stop in the flood")
    times = [h.at for h in observer.select("ann", "enc", since=start)]
    gaps = [b - a for a, b in zip(times, times[1:])]
    within(max(gaps), 2.7, "between announcements in the flood")
    flood.wait()
    sent = int(flood.log())
    seen = sum(case.drops(enc).values()) + enc.status()["kernel_drops"]
    true(seen >= 0.95 * sent, f"{sent} sent, {seen} accounted for")
    print(f"{sent / 9:.0f} datagrams a second, slowest operation {1000 * slowest:.0f} ms")


def test_junk_of_every_sort_crashes_nobody(lab):
    observer, dec, rogue = one_node(lab)
    datagrams = peer.junk_datagrams(2000, seed=7)
    for number, raw in enumerate(datagrams):
        rogue.send_raw(raw)
        if number % 100 == 99:
            time.sleep(0.01)
    dec.wait_status("all of it is counted", lambda s: sum(s["drops"].values())
                    + s["kernel_drops"] >= len(datagrams))
    mark = observer.mark()
    observer.wait("it goes on", "ann", "dec", since=mark)
    exits(dec.yoke("unpair", "dec"), 0, "and answers")
    true(json.dumps(dec.status()), "status")
