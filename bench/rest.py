"""What processes cost that only run: listeners at rest, memory, the start of a tool."""

import pathlib
import re
import time

import agent
import case
from figures import BUILD, WORK, Samples, say
from lab import Lab, wait_for
from timing import spawn

KINDS = ("agent", "snooper", "bare")
ANN_INTERVAL_S = 2.0
WINDOW_S = 4.0  # two rounds of announcements


def cpu_s(pid):
    """CPU time of a whole process, by the nanosecond."""
    return time.clock_gettime((~pid << 3) | 2)  # CPUCLOCK_SCHED of another process, as in clock_getcpuclockid(3)


def private_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(map(int, re.findall(r"^Private_(?:Clean|Dirty):\s+(\d+)", text, re.MULTILINE)))


def announce(host, key, nodes, seconds=0):
    """So many nodes at their interval, one datagram at a time."""
    return host.spawn("nodes", [BUILD / "tests/flood", "--address", host.address, "--psk-file", key, "--batch",
                                "1", "--rate", f"{nodes / ANN_INTERVAL_S:.0f}", "--origins", str(nodes),
                                "--seconds", str(seconds), "nodes"])


def listeners(lab, key, nodes):
    """One of each, on hosts of their own: name -> process."""
    tracked = max(16, min(65536, nodes * 2))
    dec = case.decoder(lab, start=False, more={"limits": {"tracked": tracked}, "log_level": "info"})
    dec.start()
    snoop, bare = lab.host("snoop"), lab.host("bare")
    found = {"agent": dec.process,
             "snooper": snoop.spawn("snooper", [BUILD / "yoke-snoop", "-q", "--interface", "eth0",
                                                "--psk-file", key]),
             "bare": bare.spawn("bare", [WORK / "bare", "listen", bare.address, key])}
    wait_for("all have joined", lambda: all(
        agent.GROUP in host.memberships() for host in (dec.host, snoop, bare)))
    return dec, found


def listen(args):
    """CPU of a listener while 1,000 and 10,000 nodes announce what they announced before."""
    for nodes in (1000,) if args.quick else (1000, 10000):
        samples = Samples()
        with Lab() as lab:
            key = agent.key_file(lab.dir)
            dec, processes = listeners(lab, key, nodes)
            announce(lab.host("crowd"), key, nodes)
            dec.wait_status("all are heard", lambda s, n=nodes: len(s["nodes"]) >= n, timeout=120)
            for _ in range(args.rounds):
                before = {name: cpu_s(process.pid) for name, process in processes.items()}
                start = time.monotonic()
                time.sleep(WINDOW_S)  # what is measured is what they do meanwhile
                heard = (time.monotonic() - start) * nodes / ANN_INTERVAL_S
                samples.add({name: (cpu_s(process.pid) - before[name]) * 1e6 / heard
                             for name, process in processes.items()})
            if dec.status()["kernel_drops"] > 0:
                print(f"listen: the kernel dropped {dec.status()['kernel_drops']} datagrams")
        say("listen", nodes=nodes, **{f"{name}_us": samples.median(name) for name in KINDS},
            agent_of_bare=samples.ratio("agent", "bare"), snooper_of_bare=samples.ratio("snooper", "bare"),
            wanted=1.3)


def has_read_all(host):
    """Nothing waits in the kernel for a socket of the control group there."""
    lines = host.run(["cat", "/proc/net/udp"]).splitlines()[1:]
    group = [line.split() for line in lines if line.split()[1].endswith(f":{agent.PORT:04X}")]
    return bool(group) and all(words[4].endswith(":00000000") for words in group)


def memory(args):
    """Private memory of an agent that hears nobody, and what each tracked node adds."""
    nodes = 1000 if args.quick else 10000
    with Lab() as lab:
        dec = case.decoder(lab, start=False, more={"limits": {"tracked": nodes}, "log_level": "info"})
        dec.start()
        idle = private_kib(dec.process.pid)
        announce(lab.host("crowd"), dec.key_file, nodes, 2 * ANN_INTERVAL_S).wait()
        wait_for("all is read", lambda: has_read_all(dec.host))
        # Before the first status of so many nodes: what that leaves on the heap is no peer's.
        full = private_kib(dec.process.pid)
        heard = len(dec.status()["nodes"])
    say("memory", idle_kib=idle, wanted_kib=4096, nodes=heard, full_kib=full,
        peer_bytes=(full - idle) * 1024 / heard, wanted_bytes=1024)


TRIVIAL = "int main(void) { return 0; }\n"


def build_trivial(name, *libraries):
    """A program that does nothing, with the libraries that it would load."""
    program = WORK / f"trivial-{name}"
    source = WORK / "trivial.c"
    source.write_text(TRIVIAL)
    agent.lab_module.command(["cc", "-O2", "-pie", "-Wl,--no-as-needed,-z,now", "-o", str(program), str(source),
                              *libraries])
    return program


def start(args):
    """Of the tools, from the start of the process to the first internet socket; and what loading takes."""
    loads = {"libc": build_trivial("libc"), "libcrypto": build_trivial("libcrypto", "-lcrypto"),
             "libraries": build_trivial("libraries", "-lcrypto", "-luv", "-ljansson")}
    with Lab() as lab:
        host = lab.host("desk")  # without an agent: each has to go to the network
        options = ["--psk-file", agent.key_file(lab.dir), "--interface", "eth0"]
        tools = {verb: [BUILD / "yoke", verb, *words, *options]
                 for verb, words in (("pair", ["dec", "enc"]), ("list", []), ("why", ["dec"]))}
        runs = [("inet", argv) for argv in tools.values()] + [("exit", [p]) for p in loads.values()]
        found = spawn(host, args.rounds * 10, *runs)
    for verb, run in zip(tools, found):
        say("start", tool=verb, ms=run.median_ms, cpu_ms=run.cpu_ms, wanted_ms=3)
    say("loading", **{f"{name}_ms": run.median_ms for name, run in zip(loads, found[len(tools):])},
        **{f"{name}_cpu_ms": run.cpu_ms for name, run in zip(loads, found[len(tools):])})
