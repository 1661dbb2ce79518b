"""Clocks that are wrong, that leap and that stand still, under running agents and tools."""

import os
import signal
import struct
import time

import agent
import case
from case import equal, exits, true
from lab import BUILD, wait_for

HOUR_S = 3600
BEYOND_2038_S = 2**31 + 365 * 86400  # more than 31 bits of seconds


class Clock:
    """The clocks of the programs that are started with its `env` (tests/preload/clock.c)."""

    def __init__(self, lab, name, wall_s=0):
        self.path = lab.dir / f"{name}.clock"
        self.fifo = lab.dir / f"{name}.clock.set"
        os.mkfifo(self.fifo)
        self.monotonic_s = 0
        self.put(wall_s)
        self.env = {"LD_PRELOAD": str(BUILD / "tests/preload/clock.so"), "YOKE_TEST_CLOCK": str(self.path),
                    "ASAN_OPTIONS": agent.SANITIZER_ENV["ASAN_OPTIONS"] + ":verify_asan_link_order=0"}

    def put(self, wall_s):
        self.wall_s = wall_s
        times = struct.pack("qq", int(wall_s * 10**9), int(self.monotonic_s * 10**9))
        with open(self.path, "r+b" if self.path.exists() else "wb") as out:
            out.write(times)

    def set(self, wall_s):
        """Somebody sets the wall clock, and the kernel says so."""
        self.put(wall_s)
        fifo = os.open(self.fifo, os.O_RDWR | os.O_NONBLOCK)
        os.write(fifo, b"\1" * 8)
        return fifo  # open until it was read

    def leap(self, seconds):
        """So much time passes at once, on both clocks."""
        self.monotonic_s += seconds
        self.put(self.wall_s + seconds)


def warned(of, text):
    return any(text in warning for warning in of.status()["warnings"])


def test_a_clock_far_from_the_others_is_said_by_its_own_host_until_it_is_set(lab):
    clock = Clock(lab, "odd", wall_s=630)
    enc, dec = case.encoder(lab), case.decoder(lab)
    odd = case.decoder(lab, "odd", start=False).start(env=clock.env)
    text = "this host's clock is 10 min ahead of the clocks of the 2 nodes"
    odd.wait_status("its clock is wrong", lambda s: any(text in w for w in s["warnings"]))
    odd.process.wait_log("clock-apart")
    odd.process.wait_log(text)
    true(text in exits(odd.yoke("list"), 0, "list on the odd host").err, "list does not say it")
    said = exits(enc.yoke("list"), 0, "list elsewhere")
    true("    its clock is 10 min ahead of this host's" in said.out, said.out)
    node = next(n for n in exits(enc.yoke("list", "--json"), 0, "list").json() if n["id"] == "odd")
    true(629000 <= node["clock_ahead_ms"] <= 631000, node)
    true(not warned(enc, "clock") and not warned(dec, "clock"), "those whose clock is right were accused")
    equal(odd.status()["self"]["state"], "idle", "state")
    fifo = clock.set(0)
    odd.process.wait_log("clock-level")
    os.close(fifo)
    true(not warned(odd, "clock"), "the warning stays")
    equal(odd.process.log().count("clock-apart"), 1, "how often it was said")


def test_a_node_whose_numbers_are_ahead_of_the_clock_says_that_it_is_mute(lab):
    enc, dec = case.encoder(lab), case.decoder(lab, start=False)
    dec.state_file.write_bytes(agent.state_text(time.time_ns() + 2 * HOUR_S * 10**9, "enc", (3, "op-x")))
    dec.state_file.chmod(0o600)
    dec.start()
    text = "this node's numbers are over an hour ahead of the clock, so others drop its frames; set"
    dec.process.wait_log("clock-ahead")
    dec.process.wait_log(text)
    true(warned(dec, text), dec.status()["warnings"])
    true(text in exits(dec.yoke("list"), 0, "list").err, "list does not say it")
    dec.wait_hears("enc")
    enc.wait_status("dropped its frames", lambda s: s["drops"]["stale"] > 1)
    equal(enc.status()["nodes"], [], "whom the others hear")
    equal(dec.status()["self"]["pairing"]["producer"], "enc", "pairing")


def test_of_two_nodes_nobody_knows_whose_clock_is_wrong(lab):
    clock = Clock(lab, "enc", wall_s=1800)
    case.encoder(lab, start=False).start(env=clock.env)
    dec = case.decoder(lab)
    dec.wait_hears("enc")
    dec.wait_status("clocks differ", lambda s: any("clocks differ: this host's is" in w for w in s["warnings"]))


def test_a_board_that_boots_in_1970_works_once_its_clock_is_set(lab):
    clock = Clock(lab, "dec", wall_s=-time.time() + 100)
    enc = case.encoder(lab)
    dec = case.decoder(lab, start=False)
    dec.start(env=clock.env)
    dec.process.wait_log("this host's clock says 1970-01-01")
    dec.wait_status("why nobody is heard", lambda s: any("clock is behind" in w for w in s["warnings"]))
    true(warned(dec, "clock says 1970"), dec.status()["warnings"])
    true(dec.saved()["seq"] < 10**15, "the numbers of 1970 are small")
    fifo = clock.set(0)
    dec.process.wait_log("clock can be right now")
    os.close(fifo)
    case.wait_both(enc, dec)
    true(not warned(dec, "clock"), dec.status()["warnings"])
    case.pair(enc, "dec", "enc")
    dec.wait_state("active")


def test_after_2038_everything_works(lab):
    clock = Clock(lab, "site", wall_s=BEYOND_2038_S - time.time())
    enc = case.encoder(lab, start=False).start(env=clock.env)
    dec = case.decoder(lab, start=False)
    dec.start(env=clock.env)
    case.wait_both(enc, dec)
    exits(dec.yoke("pair", "dec", "enc", "--wait", "active", "--timeout", "20", env=clock.env), 0, "pair")
    true(dec.saved()["seq"] > 2**31 * 10**9, dec.saved())
    seen = exits(dec.yoke("snoop", "--for", "3", "--json", env=clock.env), 0, "snoop").json()
    frames = [line for line in seen if line["type"] == "frame"]
    true(frames and all(f["verdict"] == "accept" and f["time"] > 2**31 and f["frame"]["ts"] > 2**31
                        for f in frames), frames[:2])
    capture = dec.dir / "capture.pcap"
    exits(dec.yoke("snoop", "--for", "3", "--record", capture, env=clock.env), 0, "record")
    played = exits(dec.yoke("snoop", "--read", capture, "--json"), 0, "read").json()
    true(any(line["type"] == "frame" and line["time"] > 2**31 for line in played), played[:2])
    true("2039-" in dec.process.log(), dec.process.log()[:200])
    equal(dec.stop(), 0, "stop")
    dec.start(env=clock.env)
    dec.wait_state("active")


@case.alone
def test_who_was_stopped_for_an_hour_goes_on_at_once_and_without_a_storm(lab):
    clock = Clock(lab, "dec")
    enc = case.encoder(lab)
    dec = case.decoder(lab, start=False)
    dec.start(env=clock.env)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    observer = case.observe(lab)
    version = dec.saved()["pairing"]
    dec.process.signal(signal.SIGSTOP)
    wait_for("enc misses dec", lambda: not any(n["live"] for n in enc.status()["nodes"]))
    mark = observer.mark()
    clock.leap(HOUR_S)
    dec.process.signal(signal.SIGCONT)
    continued = time.monotonic()
    enc.wait_hears("dec")
    case.within(time.monotonic() - continued, 1.0, "until the others hear it again")
    dec.wait_state("active")
    dec.process.wait_log("peer-returned")
    true(dec.status()["up_ms"] > HOUR_S * 1000, "the hour did not pass")
    time_of_a_storm = time.monotonic() + 5
    wait_for("what it says settles", lambda: time.monotonic() > time_of_a_storm)
    said = [h.frame for h in observer.heard[mark:] if h.frame is not None and h.frame["origin"] == "dec"]
    events = [f["body"]["event"] for f in said if f["type"] == "evt"]
    equal(sorted(events), ["media-pending", "media-up", "peer-lost", "peer-returned"], "its events")
    true(len(said) <= 4 + 8, f"{len(said)} frames in 6 s: {said}")
    equal(dec.saved()["pairing"], version, "the pairing")
