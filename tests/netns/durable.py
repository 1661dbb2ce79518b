"""What only a tracer sees: the order of system calls, and memory given back. And the orderly stop."""

import os
import re
import signal
import socket
import time

import agent
import case
from case import equal, exits, true, within
from lab import BUILD, wait_for

CALL = re.compile(r"^\d+\s+(?P<name>\w+)\((?P<args>.*)")


def traced_calls(path):
    """(name, arguments) of the calls in a trace, in the order they began."""
    calls = []
    for line in path.read_text(errors="replace").splitlines():
        if match := CALL.match(line):
            calls.append((match["name"], match["args"]))
    return calls


def first(calls, begin, what, accept):
    for number in range(begin, len(calls)):
        if accept(*calls[number]):
            return number
    raise case.Failure(f"no {what} after call {begin} of {len(calls)}")


def test_the_ack_is_sent_after_write_fsync_rename_and_directory_fsync(lab):
    case.need_program("strace")
    enc, dec = case.encoder(lab), case.decoder(lab, start=False).commission()
    trace = lab.dir / "trace"
    dec.start(through=["strace", "-f", "-y", "-s", "2000", "-o", trace, "-e",
                       "trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,"
                       "sendto,sendmsg,sendmmsg"], env={"ASAN_OPTIONS": "detect_leaks=0"})
    case.wait_both(enc, dec)
    version = case.pair(dec, "dec", "enc")["version"]
    calls = traced_calls(trace)
    name = dec.state_file.name

    wrote = first(calls, 0, "write of the new pairing", lambda call, args:
                  "write" in call and version[1] in args and f"<{dec.state_dir}/" in args)
    temporary = re.search(r"<([^>]+)>", calls[wrote][1])[1]
    true(temporary != str(dec.state_file), "it is written to a file of its own")
    synced = first(calls, wrote, "fsync of it", lambda call, args:
                   call == "fsync" and f"<{temporary}>" in args)
    renamed = first(calls, synced, "rename", lambda call, args:
                    call.startswith("rename") and os.path.basename(temporary) in args
                    and f'{name}"' in args)
    kept = first(calls, renamed, "fsync of the directory", lambda call, args:
                 call == "fsync" and f"<{dec.state_dir}>" in args)
    acked = first(calls, 0, "ack", lambda call, args:
                  call.startswith("send") and r'\"type\":\"ack\"' in args)
    true(kept < acked, f"the ack (call {acked}) comes before the directory's fsync (call {kept})")
    true(version[1] in calls[acked][1], "the first ack is that of the operation")
    end_traced(dec, agent_pid(dec))


def agent_pid(made):
    """Of the agent itself, when a tracer started it."""
    return made.status()["pid"]


def end_traced(made, pid):
    """Stops an agent behind a tracer; the tracer's exit status is its."""
    os.kill(pid, signal.SIGTERM)
    equal(made.process.wait(), 0, f"exit status of {made.id}")


VALGRIND = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=all",
            "--show-leak-kinds=all", "--error-exitcode=98", "--child-silent-after-fork=yes",
            "--vgdb=no"]


def test_no_leak_after_start_pair_unpair_and_stop(lab):
    case.need_program("valgrind")
    case.need_plain_build("valgrind")
    enc, dec = case.encoder(lab), case.decoder(lab, driver={"type": "igmp", "interface": "eth0"},
                                               start=False).commission()
    # Straight to the agent's program: valgrind does not follow the tool that starts it.
    dec.process = dec.host.spawn("dec.valgrind", [*VALGRIND, BUILD / "yoke-agent", "--config",
                                                  dec.config_file])
    dec.wait_started()
    case.wait_both(enc, dec)
    case.pair(enc, "dec", "enc")
    exits(enc.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")
    end_traced(dec, agent_pid(dec))
    true("definitely lost" not in dec.process.log(), dec.process.log())


def test_no_leak_in_the_tools(lab):
    case.need_program("valgrind")
    case.need_plain_build("valgrind")
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    for args in (["pair", "dec", "enc", "--wait", "active"], ["list"], ["list", "--json"],
                 ["unpair", "dec"], ["pair", "dec", "enc", "--timeout", "0.01"]):
        done = dec.host.call([*VALGRIND, agent.YOKE, *args, "--config", dec.config_file])
        true(done.returncode != 98, f"{args}: {done.stderr}")


def test_an_orderly_stop_says_goodbye_and_exits_zero(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    before = dec.saved()["pairing"]
    for number in (signal.SIGTERM, signal.SIGINT):
        mark = observer.mark()
        start = time.monotonic()
        dec.process.signal(number)
        equal(dec.process.wait(), 0, f"exit status after {number.name}")
        within(time.monotonic() - start, case.STOP_LIMIT_S, f"stop by {number.name}")
        bye = observer.wait("bye", "bye", "dec", since=mark)
        stopping = observer.wait("stopping", "evt", "dec", lambda b: b["event"] == "stopping", mark)
        true(stopping.at <= bye.at, "stopping comes before bye")
        equal(bye.frame["body"], {}, "body of bye")
        equal(observer.select(origin="dec", since=mark)[-1].frame["type"], "bye", "last word")
        equal(dec.saved()["pairing"], before, "the pairing is kept")
        true(dec.try_status() is None, "the status socket is gone")
        dec.start()
        dec.wait_state("active")


def test_an_agent_without_network_stops_as_fast(lab):
    dec = case.decoder(lab, host=lab.host("dec", plugged=False))
    start = time.monotonic()
    equal(dec.stop(), 0, "exit status")
    within(time.monotonic() - start, case.STOP_LIMIT_S, "stop")


def test_a_stale_status_socket_is_replaced(lab):
    dec = case.decoder(lab)
    dec.kill()
    path = dec.host.root / dec.status_socket.lstrip("/")
    true(path.is_socket(), "the killed agent left its socket")
    dec.start()
    equal(path.stat().st_mode & 0o777, 0o660, "mode of the status socket")


def test_a_slow_reader_of_the_status_hinders_nobody(lab):
    dec = case.decoder(lab)
    path = str(dec.host.root / dec.status_socket.lstrip("/"))
    idle = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(20)]
    for client in idle:
        client.connect(path)
    exits(dec.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair beside 20 idle readers")
    wait_for("status again", dec.try_status)
    for client in idle:
        client.close()
