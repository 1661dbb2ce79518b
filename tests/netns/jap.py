"""Appliances: real agents, real HTTP, a device with every trouble it may have."""

import itertools
import json
import os
import pathlib
import shutil
import signal
import time

import agent
import appliance
import case
import lab as lab_module
from case import equal, exits, true, within
from lab import BUILD, PATIENCE, wait_for

CHANNEL = 7
MEDIA = {"channel": CHANNEL, "group": "239.92.0.7"}
OTHER_MEDIA = {"channel": 1001, "group": "239.92.10.1"}
EVIDENCE = "channel 7 (239.92.0.7), read back"
PARK = 9999
ANNOUNCED_WITHIN_S = 2.5  # two seconds and a quarter; a change announces sooner
POLLED_WITHIN_S = 6.25
# A read that fails is the poll's, or a retry's; each may last as long as the driver waits.
NOTICED_S = 40 * PATIENCE

# What a read or command may meet, and what is said then; None: nothing is wrong with it.
READ_TROUBLES = {
    "silent": "does not answer within 8 s", "trickle": "did not end it within 8 s",
    "reset": "broke the connection off", "dropped": "broke the connection off",
    "closed": "without an answer", "reset-midway": "broke", "cut": "broke its answer off",
    "html": "not JSON", "garbage": "not HTTP", "empty": "nothing", "huge": "larger than 16 KiB",
    "huge-header": "larger than 16 KiB", "huge-line": "larger than 16 KiB", "bad-chunk": "broken answer",
    "both": "half done", "list": "data", "twice": "not JSON", "deep": "not JSON",
    "error-200": "Command failed", "unknown-uri": "Invalid URI", "fault-500": "status 500",
    "busy": "Busy", "login": "login", "redirect": "redirect",
    "null": "null", "true": "true", "negative": "-1", "beyond": "10000", "fraction": "7.5",
    "word": "seven",
    "late": None, "chunked": None, "no-length": None, "spaces": None, "bare-lf": None,
    "http10": None, "continue": None, "text": None, "padded": None, "bad-length": "not HTTP",
}


def jap(box, **more):
    return {"type": "jap", "host": box.address, "port": box.port, **more}



def decoder(lab, node_id, box, host=None, *, paired=True, start=True, **more):
    """A decoder's agent beside the device; `paired` with "enc" before it starts."""
    made = agent.Agent(host or lab.host(node_id), node_id, "consumer", driver=jap(box, **more))
    if paired:
        made.state_file.write_bytes(agent.state_text(1, "enc", (1, "op-1")))
        made.state_file.chmod(0o600)
    return made.start() if start else made


def encoder(lab, node_id="enc", media=None):
    """An encoder that needs no device: what it announces is what counts."""
    return case.encoder(lab, node_id, media=media or MEDIA)


def err(made):
    return made.status()["self"]["err"] or ""


def wait_error(made, words, timeout=NOTICED_S):
    return made.wait_status(f"error with {words!r}", lambda s: s["self"]["state"] == "error"
                            and words in (s["self"]["err"] or ""), timeout)


def wait_active(made):
    status = made.wait_state("active", NOTICED_S)
    equal(status["self"]["driver_status"]["detail"], EVIDENCE, f"evidence of {made.id}")


def wait_polled(box, more, seen=None):
    """Until its channel was read that often, after the reads that were `seen`."""
    seen = len(box.reads()) if seen is None else seen
    wait_for("reads of the channel", lambda: len(box.reads()) >= seen + more, NOTICED_S)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def announced_on_time(observer, ids, since):
    """No device kept an agent from announcing."""
    for node_id in ids:
        times = [h.at for h in observer.select("ann", node_id, since=since)]
        gaps = [b - a for a, b in itertools.pairwise(times)]
        true(gaps, f"announcements of {node_id}")
        within(max(gaps), ANNOUNCED_WITHIN_S + 0.5, f"between announcements of {node_id}")


def crowd(lab, make_box, names, **options):
    """One device and its paired agent for each name, on two hosts: {name: (box, agent)}."""
    boxes, hosts = lab.host("boxes"), lab.host("decoders")
    made = {}
    for name in names:
        box = make_box(boxes, channel=options.get("channel", CHANNEL))
        made[name] = (box, decoder(lab, f"dec-{name}", box, hosts, start=False))
    return made


def start_crowd(made):
    for _, dec in made.values():
        dec.start(wait=False)
    for _, dec in made.values():
        dec.wait_started()


# ---- troubles

def each_read_trouble(lab, make_box, names):
    observer = case.observe(lab)
    encoder(lab)
    made = crowd(lab, make_box, names)
    start_crowd(made)
    for box, dec in made.values():
        wait_active(dec)
        equal(box.commands(), [], f"commands to {dec.id}, whose device is there already")
    before = {name: descriptors(dec.status()["pid"]) for name, (_, dec) in made.items()}
    mark = observer.mark()
    reads = {}
    for name, (box, _) in made.items():
        box.trouble(name, "read")
        reads[name] = len(box.reads())
    for name, (box, dec) in made.items():
        if READ_TROUBLES[name] is not None:
            wait_error(dec, READ_TROUBLES[name])
            true(box.address in err(dec), f"the device is named: {err(dec)}")
            # A channel that is none is shown beside what it may be; all else has a next step.
            true(";" in err(dec) or "channels are 0 to 9999" in err(dec), f"a remedy: {err(dec)}")
        else:
            wait_polled(box, 2, reads[name])
            wait_active(dec)
    for box, _ in made.values():
        box.calm()
    for name, (box, dec) in made.items():
        wait_active(dec)
        equal(box.commands(), [], f"commands to {dec.id}, which never left its channel")
        wait_for(f"descriptors of {dec.id} as before",
                 lambda name=name, dec=dec: descriptors(dec.status()["pid"]) <= before[name])
    announced_on_time(observer, [dec.id for _, dec in made.values()], mark)


def test_each_trouble_of_a_read_has_its_reason_and_passes(lab):
    each_read_trouble(lab, appliance.Appliance, READ_TROUBLES)


def test_each_trouble_of_a_read_with_the_second_device(lab):
    need_second()
    # Where ours says "half done", it has words of its own.
    names = [n for n in READ_TROUBLES if n not in ("both",)]
    each_read_trouble(lab, appliance.Second, names)


def need_second():
    shared = lab_module.shared_dir()
    if shared is None or not (shared / "tools/fake_jap.py").exists():
        raise case.Skip("no second device: $YOKE_SHARED has no tools/fake_jap.py")


# The command's answer is lost or worthless; the device has obeyed.
LOST = ["silent", "reset", "closed", "reset-midway", "cut", "html", "garbage", "empty", "huge",
        "bad-chunk", "late", "chunked", "lagging", "trickle"]
# The device has not obeyed: what is said while it is so.
NOT_OBEYED = {"stuck": "is on channel 3, not channel 7 (239.92.0.7), though it answered OK",
              "elsewhere": "is on channel 8, not channel 7",
              "error-200": "Command failed", "fault-500": "status 500", "unknown-uri": "Invalid URI",
              "login": "login", "redirect": "redirect", "dropped": "is on channel 3, not channel 7 (239.92.0.7); commanded, it broke"}


def each_command_trouble(lab, make_box):
    observer = case.observe(lab)
    made = crowd(lab, make_box, [*LOST, *NOT_OBEYED], channel=3)
    start_crowd(made)
    for name, (box, _) in made.items():
        box.trouble(name, "set")
    mark = observer.mark()
    encoder(lab)
    for name in LOST:
        box, dec = made[name]
        wait_active(dec)
        # The second device logs what it has ended.
        if not (isinstance(box, appliance.Second) and name in ("silent", "trickle")):
            equal(box.commands(), [CHANNEL], f"commands to {dec.id}: asked once, then read back")
    for name, words in NOT_OBEYED.items():
        _, dec = made[name]
        wait_error(dec, words)
    for box, _ in made.values():
        box.calm()
    for box, dec in made.values():
        wait_active(dec)
        equal(box.channel, CHANNEL, f"channel of {dec.id}")
    announced_on_time(observer, [dec.id for _, dec in made.values()], mark)


def test_only_what_is_read_back_counts(lab):
    each_command_trouble(lab, appliance.Appliance)


def test_only_what_is_read_back_counts_with_the_second_device(lab):
    need_second()
    each_command_trouble(lab, appliance.Second)


def restarts(lab, make_box):
    observer = case.observe(lab)
    encoder(lab)
    box = make_box(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    wait_active(dec)
    mark = observer.mark()
    box.restart(12.0, channel=0)
    wait_error(dec, "connection")
    wait_active(dec)
    equal(box.channel, CHANNEL, "its channel afterwards")
    announced_on_time(observer, ["dec"], mark)


def test_a_device_that_restarts_is_tuned_again(lab):
    restarts(lab, appliance.Appliance)


def test_a_device_that_restarts_with_the_second_device(lab):
    need_second()
    restarts(lab, appliance.Second)


def test_a_device_without_power_is_named_and_found_again(lab):
    observer = case.observe(lab)
    encoder(lab)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    wait_active(dec)
    mark = observer.mark()
    box.host.unplug()
    wait_error(dec, "cannot be reached")
    box.host.plug()
    wait_active(dec)
    announced_on_time(observer, ["dec"], mark)


# ---- routes

def test_tuning_is_read_back_and_polled_with_jitter(lab):
    encoder(lab)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    wait_active(dec)
    equal(box.commands(), [CHANNEL], "commands")
    start = time.monotonic()
    wait_polled(box, 5)
    gaps = [b - a for a, b in itertools.pairwise(t for t in box.reads() if t > start)]
    true(all(3.7 < gap for gap in gaps), f"a read every 5 s at most, less a quarter: {gaps}")
    within(max(gaps), POLLED_WITHIN_S + 0.5, "between two reads")
    true(max(gaps) - min(gaps) > 0.01, f"spread: {gaps}")
    equal(box.busiest, 1, "requests at a time")


def test_requests_are_as_the_device_wants_them(lab):
    encoder(lab)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box, start=False)
    dec.start(env={"http_proxy": "http://127.0.0.1:9", "all_proxy": "http://127.0.0.1:9"})
    wait_active(dec)
    command = next(r for r in box.requests if r.method == "POST")
    equal((command.body, command.headers["content-length"]), (b"7", "1"), "body")
    for request in box.requests:
        headers = request.headers
        equal(headers["accept"], "application/json", "Accept")
        equal(headers["connection"], "close", "Connection")
        equal(headers["host"], f"{box.address}:{box.port}", "Host")
        true("expect" not in headers and "transfer-encoding" not in headers, headers)
    equal([r.path for r in box.requests[:3]], ["/details/device", "/details/channel",
                                               "/command/channel"], "asked before it is commanded")


def test_a_redirect_is_not_followed(lab):
    encoder(lab)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    wait_active(dec)
    box.trouble("redirect")
    wait_error(dec, "redirect")
    true(all("elsewhere" not in r.path for r in box.requests), "requests to where it points")
    box.calm()
    wait_active(dec)


def test_replacing_and_restarting_never_park(lab):
    encoder(lab)
    encoder(lab, "enc2", OTHER_MEDIA)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    wait_active(dec)
    dec.wait_hears("enc2")
    case.pair(dec, "dec", "enc2")
    equal(box.commands(), [CHANNEL, 1001], "commands")
    equal(dec.stop(), 0, "exit status")
    equal(box.channel, 1001, "the channel after a stop")
    dec.start()
    dec.wait_state("active")
    dec.kill()
    dec.start()
    dec.wait_state("active")
    equal(box.commands(), [CHANNEL, 1001], "commands after two restarts: it was there already")


def test_unpairing_parks_and_reads_back(lab):
    encoder(lab)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box, park_channel=0)
    wait_active(dec)
    exits(dec.yoke("unpair", "dec", "--wait", "idle", "--timeout", "20"), 0, "unpair")
    equal((box.commands(), box.channel), ([CHANNEL, 0], 0), "commands and channel")
    seen = len(box.requests)
    case.pair(dec, "dec", "enc")
    equal(box.channel, CHANNEL, "channel")
    true(len(box.requests) > seen, "asked again")


def test_a_parking_that_is_not_confirmed_is_an_error_and_tried_again(lab):
    encoder(lab)
    boxes, hosts = lab.host("boxes"), lab.host("decoders")
    made = {}
    for name, words in (("silent", "does not answer"), ("fault-500", "status 500"),
                        ("stuck", "is on channel 7, not park channel 9999"),
                        ("dropped", "broke the connection off")):
        box = appliance.Appliance(boxes, channel=CHANNEL)
        made[name] = (box, decoder(lab, f"dec-{name}", box, hosts), words)
    for name, (box, dec, _) in made.items():
        wait_active(dec)
        box.trouble(name)
    observer = case.observe(lab)
    for name, (box, dec, words) in made.items():
        exits(dec.yoke("unpair", dec.id), 0, "unpair")
    for name, (box, dec, words) in made.items():
        wait_error(dec, words)
    for box, dec, _ in made.values():
        true(not observer.select("ann", dec.id, lambda b: b["state"] == "idle"),
             f"{dec.id} was never idle")
        box.calm()
    for box, dec, _ in made.values():
        dec.wait_state("idle", NOTICED_S)
        equal(box.channel, PARK, "channel")


def test_an_unpaired_decoder_parks_when_it_starts(lab):
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box, paired=False, start=False)
    dec.state_file.write_bytes(agent.state_text(1, None, (2, "op-2")))
    dec.state_file.chmod(0o600)
    dec.start()
    dec.wait_state("idle", NOTICED_S)
    equal(box.channel, PARK, "what a former life may have left is let go")


def test_a_channel_that_others_change_is_set_again_and_not_fought_over(lab):
    encoder(lab)
    observer = case.observe(lab)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    wait_active(dec)
    mark = observer.mark()
    box.turn(5)
    observer.wait("it says so", "ann", "dec", lambda b: b["state"] == "pending" and b["err"] ==
                  f"{box.address}: left channel 7 (239.92.0.7) for channel 5; it is set again", mark)
    wait_active(dec)
    equal(box.commands(), [CHANNEL, CHANNEL], "commands")
    box.turn(5)
    seen = observer.wait("it says who", "ann", "dec", lambda b: b["state"] == "pending" and
                         "2 times in short: something else switches it too" in (b["err"] or ""),
                         mark)
    wait_active(dec)
    command = [r.at for r in box.requests if r.method == "POST"][-1]
    true(command - seen.at > 1.8, f"the second time it waits longer: {command - seen.at:.2f} s")


def test_media_that_disagrees_is_refused_with_both_numbers(lab):
    # The null driver announces anything.
    encoder(lab, media={"channel": 300, "group": "239.92.1.44"})
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    wait_error(dec, "channel 300 and group \"239.92.1.44\" disagree, for that group is channel 144")
    equal(box.commands(), [], "commands")


# ---- roles

def producer(lab, box, node_id="enc"):
    return case.encoder(lab, node_id, media=MEDIA, driver=jap(box))


def test_a_producer_checks_its_encoder_and_sets_nothing(lab):
    observer = case.observe(lab)
    box = appliance.Appliance(lab.host("box"), role="encoder", channel=9, status="Streaming Video")
    enc = producer(lab, box)
    wait_error(enc, "sends on channel 9, and channel 7 (239.92.0.7) is announced")
    box.turn(CHANNEL)
    enc.wait_state("active", NOTICED_S)
    equal(enc.status()["self"]["driver_status"]["detail"],
          'encoder "3G TX", channel 7 (239.92.0.7), says "Streaming Video"', "evidence")
    mark = observer.mark()
    box.status = "No Video from Source"
    observer.wait("its health", "ann", "enc", lambda b: "No Video from Source" in
                  (b.get("driver_status") or {}).get("detail", ""), mark)
    box.turn(12)
    wait_error(enc, "sends on channel 12")
    box.turn(CHANNEL)
    enc.wait_state("active", NOTICED_S)
    equal(box.commands(), [], "commands to an encoder")


def test_the_wrong_sort_of_device_is_named_and_never_commanded(lab):
    encoder(lab)
    boxes = lab.host("boxes")
    wrong = appliance.Appliance(boxes, role="encoder", channel=3)
    dec = decoder(lab, "dec", wrong)
    strange = appliance.Appliance(boxes, role="Something", model="3G", channel=3)
    dec2 = decoder(lab, "dec2", strange)
    enc = producer(lab, appliance.Appliance(boxes, role="decoder", channel=CHANNEL), "enc2")
    wait_error(dec, 'is an encoder (mode "Transmitter", model "3G TX"), and a consumer needs a decoder')
    wait_error(dec2, 'is neither decoder nor encoder by its mode "Something"')
    wait_error(enc, 'is a decoder (mode "Receiver", model "3G RX"), and a producer needs an encoder')
    equal((wrong.commands(), strange.commands()), ([], []), "commands")
    wrong.role, wrong.model = "decoder", "3G RX"
    wait_active(dec)


# ---- agent --check --device

def check_device(made):
    return case.run_agent(made, "--check", "--device")


def test_check_device_asks_the_live_device(lab):
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box, start=False)
    done = exits(check_device(dec), 0, "check")
    true(f'device: "3G RX" at {box.address}, firmware "B2.3.9", mode "Receiver", status '
         '"Decoding Video"' in done.out, done.out)
    true("channel: 3; park channel: 9999" in done.out, done.out)
    equal(done.err, "", "warnings")
    true(all(r.method == "GET" for r in box.requests), "nothing is changed")
    box.firmware = "B1.9.9"
    done = exits(check_device(dec), 0, "check of old firmware")
    true('firmware "B1.9.9" is too old to be switched by channel; the oldest is B2.1.0' in done.err,
         done.err)
    box.system = "vlan"
    true('system mode is "vlan", and channels need "multicast"' in check_device(dec).err, "mode")
    box.firmware, box.system = "B2.3.9", "multicast"
    box.trouble("unknown-uri")
    case.refused(check_device(dec), 78, box.address, "Invalid URI")
    box.calm()
    box.role, box.model = "encoder", "3G TX"
    case.refused(check_device(dec), 78, box.address, "is an encoder, and a consumer needs a decoder")
    box.close()
    case.refused(check_device(dec), 78, box.address, "refuses the connection")


def test_check_device_of_a_producer_compares_the_channel(lab):
    box = appliance.Appliance(lab.host("box"), role="encoder", channel=9)
    enc = case.encoder(lab, media=MEDIA, driver=jap(box), start=False).commission()
    case.refused(check_device(enc), 78, "media.channel: 7 is announced", "sends on 9")
    box.turn(CHANNEL)
    exits(check_device(enc), 0, "check")


def test_check_device_needs_a_check_and_a_device(lab):
    dec = case.offline(lab).commission()
    case.refused(check_device(dec), 78, "--device: driver null has no device")
    case.refused(case.run_agent(dec, "--device"), 64, "--check --device")


# ---- the module

def loaded(made):
    """Names of the libraries in its memory."""
    lines = pathlib.Path(f"/proc/{made.status()['pid']}/maps").read_text().splitlines()
    return {os.path.basename(line.split()[-1]) for line in lines if ".so" in line}


def test_only_an_agent_that_needs_them_loads_large_libraries(lab):
    igmp = case.decoder(lab, "dec-igmp", driver={"type": "igmp", "interface": "eth0"})
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box)
    true(not [n for n in loaded(igmp) if n.startswith(("libcurl", "libmicrohttpd", "yoke-"))],
         f"loaded by igmp: {loaded(igmp)}")
    true([n for n in loaded(dec) if n.startswith("libcurl")], f"loaded by jap: {loaded(dec)}")
    true(not [n for n in loaded(dec) if n.startswith("libmicrohttpd")], "not the server's")


def test_a_missing_module_is_said_in_a_line(lab):
    box = appliance.Appliance(lab.host("box"))
    dec = decoder(lab, "dec", box, start=False)
    bare = lab.dir / "bare"
    bare.mkdir()
    shutil.copy(BUILD / "yoke-agent", bare)
    done = dec.host.call([bare / "yoke-agent", "--config", dec.config_file, "--check"],
                         env=agent.SANITIZER_ENV)
    case.refused(agent.Result(done, 0), 78, f'driver.type: "jap" is a module: {bare}/yoke-jap.so: No such file')
    equal(done.stderr.count("\n"), 1, f"lines of {done.stderr!r}")


# ---- for years

def switch(author, dec, number, producer_id):
    author.send("int", {"op": "pair", "consumer": dec.id, "producer": producer_id,
                        "version": [number, f"op-{number}"]})


def switch_often(dec, box, author, first, times):
    """As many switches between two encoders, numbered from `first`, each until it shows."""
    for number in range(first, first + times):
        wanted, shown = (("enc", CHANNEL), ("enc2", 1001))[number % 2]
        switch(author, dec, number + 1, wanted)
        wait_for(f"switch {number} to {wanted}", lambda shown=shown: box.channel == shown)
        if number % 50 == 0:
            dec.wait_state("active")


def switching(lab, start):
    encoder(lab)
    encoder(lab, "enc2", OTHER_MEDIA)
    author = case.join(lab, lab.host("author"), "author", None)
    box = appliance.Appliance(lab.host("box"), channel=3)
    dec = decoder(lab, "dec", box, paired=False, start=False)
    # A thousand saves would be the disk's test.
    dec.host.run(["mount", "-t", "tmpfs", "tmpfs", dec.state_dir])
    start(dec)
    dec.wait_hears("enc")
    dec.wait_hears("enc2")
    return dec, box, author


def test_descriptors_stay_the_same_over_a_thousand_switches(lab):
    dec, box, author = switching(lab, agent.Agent.start)
    pid = dec.status()["pid"]
    switch_often(dec, box, author, 0, 20)
    before = descriptors(pid)
    switch_often(dec, box, author, 20, 1000)
    dec.wait_state("active")
    equal(box.busiest, 1, "requests at a time")
    wait_for("as many descriptors as before", lambda: descriptors(pid) <= before)


# What the loader keeps of a module and its libraries is still reachable at the end.
LOST_ONLY = ["--show-leak-kinds=definite,indirect,possible",
             "--errors-for-leak-kinds=definite,indirect,possible"]


def test_no_leak_in_switches_and_troubles(lab):
    case.need_program("valgrind")
    case.need_plain_build("valgrind")
    import durable

    def start(dec):
        dec.commission()
        dec.process = dec.host.spawn("dec.valgrind", [*durable.VALGRIND, *LOST_ONLY, BUILD / "yoke-agent",
                                                      "--config", dec.config_file])
        dec.wait_started()

    dec, box, author = switching(lab, start)
    switch_often(dec, box, author, 0, 20)
    for name in ("reset", "huge", "twice", "garbage"):
        box.trouble(name)
        dec.wait_state("error", NOTICED_S)
        box.calm()
        dec.wait_state("active", NOTICED_S)
    box.trouble("silent")  # a question is under way when it stops
    seen = len(box.requests)
    wait_for("a question", lambda: len(box.requests) > seen, NOTICED_S)
    os.kill(dec.status()["pid"], signal.SIGTERM)
    equal(dec.process.wait(), 0, f"exit status; {dec.process.log()[-3000:]}")
