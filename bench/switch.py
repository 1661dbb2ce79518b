"""What a switch costs: quiet, with losses, when a cable comes back and under forged frames."""

import http.client
import itertools
import os
import pathlib
import re
import shutil
import statistics
import tempfile
import time

import agent
import case
from figures import BUILD, WORK, say
from lab import DEADLINE_S, Lab, LabError, wait_for
from rest import has_read_all
from timing import quantile, spawn, spawn_command, read_spawn

BARE_PORT = 7000
NEIGHBOURS = 5
FORGED_RATE = 100000
GOOD_RATE = 200
# Where states are saved: None is where temporary files are, a disk; a tmpfs's fsync does nothing.
PLACES = (("disk", None), ("memory", "/dev/shm"))
TELEMETRY = 9754


def ready_pair(lab, **options):
    """An encoder and a decoder that know each other."""
    enc, dec = case.encoder(lab, more={"log_level": "info"}), case.decoder(
        lab, **{"more": {"log_level": "info"}, **options})
    case.wait_both(enc, dec)
    return enc, dec


def pair_command(at):
    return [BUILD / "yoke", "pair", "dec", "enc", "--config", at.config_file]


def start_bare_save(host, key, directory):
    host.spawn("save", [WORK / "bare", "save", BARE_PORT, key, directory / "bare.state"])
    port = f":{BARE_PORT:04X} "
    wait_for("the bare program serves", lambda: port in host.run(["cat", "/proc/net/udp"]))


def pair(args):
    """`yoke pair` from its start to its end, against a signed request to a bare program that saves
    durably and answers."""
    for place, parent in PLACES:
        with Lab() as lab, tempfile.TemporaryDirectory(dir=parent, prefix="yoke-bench-") as directory:
            directory = pathlib.Path(directory)
            _, dec = ready_pair(lab, state_dir=directory)
            start_bare_save(dec.host, dec.key_file, directory)
            yoke, bare = spawn(dec.host, 10 * args.rounds, ("exit", pair_command(dec)),
                               ("exit", [WORK / "bare", "ask", BARE_PORT, dec.key_file]))
        say("pair", state=place, ms=yoke.median_ms, bare_ms=bare.median_ms, of_bare=yoke.of(bare),
            wanted=1.5, cpu_ms=yoke.cpu_ms, bare_cpu_ms=bare.cpu_ms)


def start_broker(lab, host):
    """Broker and subscriber; gives the pipe that the subscriber's lines come out of."""
    config, pipe = lab.dir / "mosquitto.conf", lab.dir / "lines"
    config.write_text("listener 1883 127.0.0.1\nallow_anonymous true\n")
    os.mkfifo(pipe)
    host.spawn("broker", ["mosquitto", "-c", config])
    wait_for("the broker listens", lambda: ":075B " in host.run(["cat", "/proc/net/tcp"]))
    # What is retained comes as soon as the subscription stands: it is the first line.
    host.run(["mosquitto_pub", "-q", "1", "-r", "-t", "yoke", "-m", "ready"])
    host.spawn("subscriber", ["sh", "-c", f"exec mosquitto_sub -q 1 -t yoke >{pipe}"])
    return pipe


def mqtt(args):
    """A switch without the save (its state on a tmpfs), until the tool says that it is applied, against a
    message until it is printed: mosquitto_pub to mosquitto_sub at QoS 1, one broker, all on one host."""
    if not all(map(shutil.which, ("mosquitto", "mosquitto_pub", "mosquitto_sub"))):
        print("skip mqtt: mosquitto and mosquitto-clients are not installed")
        return
    with Lab() as lab, tempfile.TemporaryDirectory(dir="/dev/shm", prefix="yoke-bench-") as directory:
        _, dec = ready_pair(lab, state_dir=pathlib.Path(directory))
        pipe = start_broker(lab, dec.host)
        publish = ["mosquitto_pub", "-q", "1", "-t", "yoke", "-m", "x" * 300]
        runs = [("said", pair_command(dec)), ("line", publish)]
        done = dec.host.call(["sh", "-c", 'read -r ready; exec "$@"', "sh",
                              *spawn_command(10 * args.rounds, runs)], stdin=pipe.open())
        if done.returncode != 0:
            raise LabError(done.stderr)
        yoke, other = read_spawn(done.stdout, len(runs))
    say("mqtt", ms=yoke.median_ms, mosquitto_ms=other.median_ms, of_mosquitto=yoke.of(other), wanted=1)


def ack_ms(at):
    """Runs `yoke pair dec enc`; milliseconds from its first intent to the ack. The agent that the tool asks
    has heard of it when this ends: the next one is not to be authored under an old version."""
    line = case.exits(at.yoke("pair", "dec", "enc", "--json"), 0, "pair").json()[-1]
    at.wait_status("the operation is heard of", lambda s: any(
        n["id"] == "dec" and n["pairing"]["version"] == line["version"] for n in s["nodes"]))
    return line["elapsed_ms"]


def loss(args):
    """From the first intent to the ack between two hosts that lose a part of all that comes in."""
    for (percent, wanted), (place, parent) in itertools.product(((10, 25), (30, 250)), PLACES):
        with Lab() as lab, tempfile.TemporaryDirectory(dir=parent, prefix="yoke-bench-") as directory:
            enc, dec = ready_pair(lab, state_dir=pathlib.Path(directory))
            quiet = [ack_ms(enc) for _ in range(2 * args.rounds)]
            for host in (enc.host, dec.host):
                host.lose(percent, agent.PORT)
            times = [ack_ms(enc) for _ in range(20 * args.rounds)]
        say("loss", percent=percent, state=place, runs=len(times), quiet_ms=statistics.median(quiet),
            quiet_p95_ms=quantile(quiet, 0.95), median_ms=statistics.median(times), p95_ms=quantile(times, 0.95), wanted_ms=wanted,
            slowest_ms=max(times), all_within_ms=5000)


def missed_while_away(dec, neighbours, at):
    """The cable is out, and the neighbours have heard of an intent that the decoder has not; its version."""
    dec.host.unplug()
    line = case.exits(at.yoke("pair", "dec", "enc", "--json", "--timeout", "1"), 69,
                      "pair of an absent one").json()[-1]
    for one in neighbours:
        one.wait_status("the intent is heard", lambda s: any(
            i["version"] == line["version"] for i in s["intents"]))
    return line["version"]


def returns(args):
    """From the cable's return to the newest intent applied, with five live neighbours that heard it."""
    for percent in (0, 30):
        with Lab() as lab:
            enc, dec = ready_pair(lab)
            neighbours = [enc] + [case.encoder(lab, f"enc{i}", more={"log_level": "info"})
                                  for i in range(NEIGHBOURS - 1)]
            for one in neighbours:
                one.wait_hears("dec")
                one.host.lose(percent, agent.PORT)
            dec.host.lose(percent, agent.PORT)
            times = []
            for _ in range(2 * args.rounds):
                version = missed_while_away(dec, neighbours, enc)
                start = time.monotonic()
                dec.host.plug()
                wait_for("the newest intent is applied", lambda v=version: dec.saved()["pairing"]["version"] == v)
                times.append(time.monotonic() - start)
        say("return", percent=percent, runs=len(times), median_s=statistics.median(times), wanted_s=0.8,
            slowest_s=max(times), all_within_s=3)


def metrics(host):
    """{name: value} of the agent's telemetry there, names with their labels."""
    with host.entered():
        connection = http.client.HTTPConnection("127.0.0.1", TELEMETRY, timeout=DEADLINE_S)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
    return {name: float(value) for name, value in re.findall(r"^(\w+(?:{[^}]*})?) (\S+)$", text, re.MULTILINE)}


def received(host):
    """Good frames, forged ones, and what the kernel had no room for, at an agent; all so far."""
    found = metrics(host)
    return (found["yoke_frames_accepted_total"], found['yoke_frames_dropped_total{reason="auth"}'],
            found["yoke_receive_lost_total"])


def flood(host, key, kind, rate, seconds, **options):
    words = [f"--{name}={value}" for name, value in options.items()]
    return host.spawn(f"{kind}-flood", [BUILD / "tests/flood", "--address", host.address, "--psk-file", key,
                                        "--rate", rate, "--seconds", seconds, *words, kind])


def sent_by(process):
    process.wait()
    count, seconds = re.match(r"(\d+) datagrams in ([\d.]+) s", process.log()).groups()
    return int(count), int(count) / float(seconds)


def forged_accounts(seconds):
    """Good frames among forged ones: what was sent is accepted, refused or was never the agent's."""
    with Lab(snooping=True) as lab:
        dec = case.decoder(lab, more={"log_level": "info",
                                      "telemetry": {"listen": f"127.0.0.1:{TELEMETRY}"}})
        rogue, crowd = lab.host("rogue"), lab.host("crowd")
        bad = flood(rogue, dec.key_file, "forged", FORGED_RATE, seconds)
        good = flood(crowd, dec.key_file, "nodes", GOOD_RATE, seconds, batch=1, origins=GOOD_RATE)
        (forged, rate), (sent, _) = sent_by(bad), sent_by(good)
        wait_for("all is read", lambda: has_read_all(dec.host))
        accepted, refused, lost = received(dec.host)
    say("forged", sent=forged, per_s=rate, refused=int(refused), good_sent=sent, good_accepted=int(accepted),
        kernel_lost=int(lost), unaccounted=int(forged + sent - accepted - refused - lost), wanted=0)


def forged(args):
    """100,000 forged frames a second: is a good one lost, and how long does an ack take."""
    forged_accounts(2 if args.quick else 10)
    with Lab(snooping=True) as lab:
        enc, dec = ready_pair(lab)
        rogue = lab.host("rogue")
        quiet, flooded = [], []
        for _ in range(5):
            quiet += [ack_ms(enc) for _ in range(4 * args.rounds)]
            process = flood(rogue, dec.key_file, "forged", FORGED_RATE, 0)
            wait_for("the flood has begun", lambda: dec.status()["drops"]["auth"] > 1000)
            flooded += [ack_ms(enc) for _ in range(4 * args.rounds)]
            process.end()
    say("forged_ack", runs=len(flooded), quiet_median_ms=statistics.median(quiet),
        median_ms=statistics.median(flooded), quiet_p99_ms=quantile(quiet, 0.99),
        p99_ms=quantile(flooded, 0.99), of_quiet=quantile(flooded, 0.99) / max(1, quantile(quiet, 0.99)),
        wanted=2)
