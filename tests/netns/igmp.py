"""Streams: groups joined by the kernel, packets that arrive, processes that are looked after."""

import json
import os
import pathlib
import signal
import sys
import time

import case
from case import equal, exits, true, within
from lab import ROOT, wait_for

STREAM = [sys.executable, str(ROOT / "tests/lib/stream.py")]
DRIVER_STOP_S = 1.5  # the driver's own limit for a process that ignores TERM


def igmp(*command):
    driver = {"type": "igmp", "interface": "eth0"}
    if command:
        driver["command"] = list(command)
    return driver


def receiving(lab, node_id="dec", **options):
    """A decoder that runs our receiver; the agent and the report its stream process keeps."""
    report = lab.dir / f"{node_id}.report"
    dec = case.decoder(lab, node_id, driver=igmp(*STREAM, "receive", "{group}", "{port}",
                                                 "{address}", str(report)), **options)
    return dec, report


def sending(lab, node_id="enc", **options):
    return case.encoder(lab, node_id, driver=igmp(*STREAM, "send", "{group}", "{port}",
                                                  "{address}"), **options)


def read(report):
    return json.loads(report.read_text()) if report.exists() else None


def wait_packets(report, more=20, pid=None):
    """Waits until so many more packets have arrived; the report."""
    seen = read(report) if report.exists() else None
    begin = seen["count"] if seen and (pid is None or seen["pid"] == pid) else 0

    def arrived():
        now = read(report)
        return now if now and (pid is None or now["pid"] == pid) \
            and now["count"] >= begin + more else None
    return wait_for(f"{more} packets", arrived)


def children(pid):
    """Process ids below a process, zombies too."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return found


def state_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return None


def streams_up(lab, enc=None):
    """An encoder that sends and a decoder that receives, paired, with packets arriving."""
    enc = enc or sending(lab)
    dec, report = receiving(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    wait_packets(report)
    return enc, dec, report


def test_active_means_joined_running_and_packets_arrive(lab):
    _, dec, report = streams_up(lab)
    true(case.MEDIA["group"] in dec.host.memberships(), "the kernel has joined the group")
    status = dec.status()["self"]
    true(case.MEDIA["group"] in status["driver_status"]["detail"], f"evidence: {status}")
    equal(children(dec.process.pid), [read(report)["pid"]], "children of the agent")
    exits(dec.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")
    equal(children(dec.process.pid), [], "children after the unpair")
    true(case.MEDIA["group"] not in dec.host.memberships(), "the group is left")


def test_membership_alone_is_enough_without_a_command(lab):
    enc = case.encoder(lab, driver=igmp())
    dec = case.decoder(lab, driver=igmp())
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    true(case.MEDIA["group"] in dec.host.memberships(), "the group is joined")
    equal(children(dec.process.pid), [], "no process")
    other = case.encoder(lab, "enc2", driver=igmp(), media=case.OTHER_MEDIA)
    case.wait_both(other, dec)
    case.pair(dec, "dec", "enc2")
    groups = dec.host.memberships()
    true(case.OTHER_MEDIA["group"] in groups and case.MEDIA["group"] not in groups,
         f"groups after the replacement: {groups}")


def test_a_stream_process_gets_three_descriptors_and_its_own_group(lab):
    _, dec, report = streams_up(lab)
    pid = read(report)["pid"]
    # Descriptors the program opened itself are above those it was given.
    opened = {int(n): os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")}
    equal({n for n, what in opened.items() if n > 2 and not what.startswith("socket:")}, set(),
          f"descriptors besides its own socket: {opened}")
    equal(os.stat(f"/proc/{pid}/fd/0").st_rdev, os.stat("/dev/null").st_rdev, "standard input")
    inherited = [what for n, what in opened.items() if n > 2]
    agents = [os.readlink(f"/proc/{dec.process.pid}/fd/{n}")
              for n in os.listdir(f"/proc/{dec.process.pid}/fd")]
    equal(set(inherited) & {a for a in agents if a.startswith("socket:")}, set(),
          "sockets shared with the agent")
    equal(os.getpgid(pid), pid, "process group")
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    equal([line.split()[1] for line in status.splitlines() if line.startswith("SigBlk")],
          ["0" * 16], "blocked signals")


def test_a_stream_killed_from_outside_is_restarted_after_a_backoff(lab):
    observer = case.observe(lab)
    _, dec, report = streams_up(lab)
    former = read(report)["pid"]
    mark = observer.mark()
    os.kill(former, signal.SIGKILL)
    failed = observer.wait("driver-error", "evt", "dec",
                           lambda b: b["event"] in ("driver-error", "media-pending"), mark)
    wait_for("the process is reaped", lambda: state_of(former) is None)
    again = wait_for("another process", lambda: [p for p in children(dec.process.pid)
                                                 if p != former])
    true(time.monotonic() - failed.at > 0.8, "not before the backoff of a second")
    wait_packets(report, pid=again[0])
    dec.wait_state("active")
    observer.wait("media-up", "evt", "dec", lambda b: b["event"] == "media-up", mark)


def test_a_command_that_dies_at_once_backs_off(lab):
    observer = case.observe(lab)
    enc = case.encoder(lab)
    dec = case.decoder(lab, driver=igmp("sh", "-c", "exit 3"))
    case.wait_both(enc, dec)
    done = dec.yoke("pair", "dec", "enc", "--wait", "active", "--timeout", "4", "--json")
    exits(done, 75, "a stream that cannot run")
    observer.wait("retries", "evt", "dec", lambda b: b["event"] == "driver-retry", count=3)
    errors = observer.select("evt", "dec", lambda b: b["event"] == "driver-error")
    true(all("3" in e.frame["body"]["detail"]["detail"] for e in errors), "how it ended is said")
    retries = [h.at for h in observer.select("evt", "dec", lambda b: b["event"] == "driver-retry")]
    first, second = retries[1] - retries[0], retries[2] - retries[1]
    true(second > first * 1.3, f"pauses grow: {first:.2f} s, {second:.2f} s")
    equal(observer.select("evt", "dec", lambda b: b["event"] == "media-up"), [], "never active")
    announced = observer.wait("the error", "ann", "dec", lambda b: b["state"] == "error")
    true(announced.frame["body"]["err"], "err says why")


def test_a_command_that_does_not_exist_is_an_error_that_names_it(lab):
    enc = case.encoder(lab)
    dec = case.decoder(lab, driver=igmp("/nowhere/player"))
    case.wait_both(enc, dec)
    exits(dec.yoke("pair", "dec", "enc"), 0, "the pairing is saved")
    status = dec.wait_state("error")
    err = status["self"]["err"]
    true('"player"' in err and "driver.command" in err, f"err: {err}")
    exits(dec.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")


def test_a_process_that_ignores_term_is_killed_in_time(lab):
    enc = case.encoder(lab)
    dec = case.decoder(lab, driver=igmp(*STREAM, "stubborn"))
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    pid = children(dec.process.pid)[0]
    start = time.monotonic()
    equal(dec.stop(), 0, "exit status")
    within(time.monotonic() - start, case.STOP_LIMIT_S + DRIVER_STOP_S, "stop")
    equal(state_of(pid), None, "the process")


def test_kill_of_the_agent_takes_its_stream_along(lab):
    enc, dec, report = streams_up(lab)
    pids = [read(report)["pid"], *children(enc.process.pid)]
    equal(len(pids), 2, "stream processes")
    dec.kill()
    enc.kill()
    wait_for("both streams ended", lambda: all(state_of(p) in (None, "Z") for p in pids))
    dec.start()
    enc.start()
    dec.wait_state("active")
    wait_packets(report)


def test_an_encoder_agent_restarts_while_its_stream_plays_on(lab):
    observer = case.observe(lab)
    enc = case.encoder(lab, driver=igmp())
    sender = enc.host.spawn("sender", [*STREAM, "send", case.MEDIA["group"],
                                       case.MEDIA["port"], enc.host.address])
    _, dec, report = streams_up(lab, enc)
    before = read(report)
    for end in (enc.kill, enc.stop):
        mark = observer.mark()
        end()
        dec.wait_state("pending")
        wait_packets(report, 50)
        enc.start()
        observer.wait("peer-returned", "evt", "dec", lambda b: b["event"] == "peer-returned", mark)
        dec.wait_state("active")
    after = wait_packets(report)
    equal((after["pid"], after["lost"]), (before["pid"], before["lost"]),
          "process and lost packets")
    equal(after["lost"], 0, "lost packets")
    equal(children(dec.process.pid), [before["pid"]], "children of the decoder")
    true(sender.running(), "the stream played on")


def test_a_restarted_decoder_joins_and_receives_again(lab):
    _, dec, report = streams_up(lab)
    equal(dec.stop(), 0, "exit status")
    wait_for("left", lambda: case.MEDIA["group"] not in dec.host.memberships())
    dec.start()
    dec.wait_state("active")
    wait_packets(report)


def test_an_interface_made_anew_is_joined_by_the_stream_too(lab):
    enc = case.encoder(lab, driver=igmp())
    dec = case.decoder(lab, driver=igmp())
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    dec.host.remove_interface()
    dec.wait_status("not active without the interface",
                    lambda s: s["self"]["state"] in ("pending", "error"))
    dec.host.add_interface()
    dec.wait_state("active")
    true(case.MEDIA["group"] in dec.host.memberships(), "the group is joined again")


def test_media_the_driver_refuses_is_an_error_that_says_why(lab):
    dec = case.decoder(lab, driver=igmp())
    source = case.join(lab, lab.host("py"), "enc", "producer",
                       media={"group": "10.0.0.1", "port": 5004})
    dec.wait_hears("enc")
    exits(dec.yoke("pair", "dec", "enc"), 0, "the pairing is saved")
    status = dec.wait_state("error")
    true("10.0.0.1" in status["self"]["err"], f"err: {status['self']['err']}")
    source.media = case.MEDIA
    source.announce()
    dec.wait_state("active")


def test_descriptors_of_the_agent_stay_as_many(lab):
    enc = case.encoder(lab, driver=igmp())
    dec, _ = receiving(lab)
    case.wait_both(enc, dec)

    def cycle():
        exits(dec.yoke("pair", "dec", "enc", "--wait", "applied"), 0, "pair")
        exits(dec.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")
        return len(os.listdir(f"/proc/{dec.process.pid}/fd"))
    cycle()
    counts = [cycle() for _ in range(8)]
    true(max(counts) <= counts[0] + 1, f"descriptors after each pair and unpair: {counts}")
    equal(children(dec.process.pid), [], "children")
