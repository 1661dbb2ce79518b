"""The other side is another implementation: the project's own in Python, and a second opinion."""

import json
import socket
import sys

import agent
import case
import lab as lab_module
import peer
import wire
from case import equal, exits, true
from lab import wait_for

IP_RECVTTL = 12  # of linux/in.h; Python does not name it


def oracle():
    """The second opinion's program, where it is."""
    shared = lab_module.shared_dir()
    path = shared / "tools" / "ywp.py" if shared else None
    if path is None or not path.exists():
        raise case.Skip("no ../shared/tools/ywp.py here; set YOKE_SHARED to its directory")
    return path


def oracle_peer(host, mode, node_id, *options):
    """It runs as a node on a host; what it accepts is in its log, a JSON object a line."""
    return host.spawn(f"oracle-{node_id}", [
        sys.executable, "-u", oracle(), "peer", mode, "--id", node_id, "--interface", host.address,
        "--psk", agent.KEY.decode(), "--seconds", "300", *options])


def heard_by(process):
    return [json.loads(line) for line in process.log().splitlines() if line.startswith("{")]


def test_two_python_peers_pair_by_the_same_rules(lab):
    observer = case.observe(lab)
    host = lab.host("py")
    case.join(lab, host, "py-enc", "producer", media=case.MEDIA)
    case.join(lab, lab.host("py2"), "py-dec", "consumer")
    observer.wait("both", "ann", "py-enc")
    observer.wait("both", "ann", "py-dec")
    desk = case.join(lab, host, "desk", None)
    desk.send("int", {"op": "pair", "consumer": "py-dec", "producer": "py-enc",
                      "version": [1, "op-1"]})
    observer.wait("ack", "ack", "py-dec", lambda b: b["applied"])
    observer.wait("active", "ann", "py-dec", lambda b: b["state"] == "active")


def test_an_agent_shows_a_python_producer(lab):
    dec = case.decoder(lab)
    case.join(lab, lab.host("py"), "py-enc", "producer", media=case.MEDIA)
    dec.wait_hears("py-enc")
    case.pair(dec, "dec", "py-enc")
    found = [n for n in dec.status()["nodes"] if n["id"] == "py-enc"][0]
    equal(found["media"], case.MEDIA, "media of the Python producer")


def test_the_tools_pair_a_python_consumer(lab):
    enc = case.encoder(lab)
    dec = case.join(lab, lab.host("py"), "py-dec", "consumer")
    enc.wait_hears("py-dec")
    result = case.pair(enc, "py-dec", "enc")
    equal(dec.pairing, {"producer": "enc", "version": result["version"]}, "its pairing")
    exits(enc.yoke("unpair", "py-dec", "--wait", "idle"), 0, "unpair")
    equal(dec.pairing["producer"], None, "its pairing after the unpair")


def test_an_agent_shows_a_producer_of_the_oracle(lab):
    oracle()
    dec = case.decoder(lab)
    theirs = oracle_peer(lab.host("py"), "producer", "ywp-enc", "--media", json.dumps(case.MEDIA))
    dec.wait_hears("ywp-enc")
    case.pair(dec, "dec", "ywp-enc")
    wait_for("the oracle accepts the decoder's frames", lambda: any(
        h["frame"] and h["frame"]["origin"] == "dec" and h["frame"]["type"] == "ack"
        for h in heard_by(theirs)))
    wrong = {h["verdict"] for h in heard_by(theirs)} - {"accept", "dup"}
    equal(wrong, set(), "verdicts of the oracle")


def test_the_tools_pair_a_consumer_of_the_oracle(lab):
    oracle()
    enc = case.encoder(lab)
    theirs = oracle_peer(lab.host("py"), "consumer", "ywp-dec")
    enc.wait_hears("ywp-dec")
    case.pair(enc, "ywp-dec", "enc")
    exits(enc.yoke("unpair", "ywp-dec", "--wait", "idle"), 0, "unpair")
    wrong = {h["verdict"] for h in heard_by(theirs)} - {"accept", "dup"}
    equal(wrong, set(), "verdicts of the oracle")


def test_all_that_is_sent_is_canonical_and_has_the_known_members(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab, name="Größe \"8\" \\ \u2028 \U0001f600"), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    enc.stop()
    dec.wait_state("pending")
    exits(dec.yoke("unpair", "dec"), 0, "unpair")
    equal(dec.stop(), 0, "exit status")
    observer.wait("bye", "bye", "dec")
    members = {
        "ann": {"role", "kind", "name", "state", "err", "pairing", "media"},
        "int": {"op", "consumer", "version"},
        "ack": {"version", "applied", "reason"},
        "evt": {"event", "detail"},
        "bye": set(),
    }
    optional = {"ann": {"driver_status"}, "int": {"producer"}}
    slugs = {"pairing-applied", "media-up", "media-pending", "media-down", "driver-error",
             "driver-retry", "peer-lost", "peer-returned", "rx-drop", "started", "stopping"}
    for heard in observer.heard:
        equal(heard.verdict, "accept", f"verdict on {heard.raw!r}")
        equal(heard.raw, wire.canonical(heard.frame), "spelling")
        kind, body = heard.frame["type"], heard.frame["body"]
        true(members[kind] <= body.keys() <= members[kind] | optional.get(kind, set()),
             f"members of {kind}: {sorted(body)}")
        true(kind != "evt" or body["event"] in slugs, f"event {body}")
    kinds = {h.frame["type"] for h in observer.heard}
    equal(kinds, set(members), "types of frames heard")
    events = {h.frame["body"]["event"] for h in observer.select("evt")}
    true({"started", "stopping", "media-up"} <= events, f"events heard: {events}")


def test_frames_stay_in_the_local_network(lab):
    dec = case.decoder(lab)
    host = lab.host("ear")
    with host.entered():
        ear = peer.open_group(host.address)
    ear.setsockopt(socket.IPPROTO_IP, IP_RECVTTL, 1)
    ear.settimeout(lab_module.DEADLINE_S)
    _, ancillary, _, source = ear.recvmsg(2048, 64)
    ear.close()
    equal(source, (dec.host.address, agent.PORT), "sent from the group's port")
    equal([int.from_bytes(data, sys.byteorder) for _, kind, data in ancillary
           if kind == socket.IP_TTL], [1], "time to live")


def answers(observer, desk, body):
    """Sends an intent for dec and gives the body of the ack."""
    mark = observer.mark()
    desk.send("int", {"consumer": "dec", **body})
    return observer.wait("ack", "ack", "dec", lambda b: b["version"] == body["version"],
                         mark).frame["body"]


def test_every_intent_is_answered_by_the_rules(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    usb = case.encoder(lab, "keys", kind="usb", media={"host": "10.77.0.9"})
    case.wait_both(enc, dec)
    case.wait_both(usb, dec)
    desk = case.join(lab, lab.host("py"), "desk", None)

    def ask(n, author, wanted, op="pair", **more):
        version = [n, author]
        got = answers(observer, desk, {"op": op, "version": version, **more})
        equal((got["applied"], got["reason"]), wanted, f"answer to {op} {more} at {version}")

    def is_now(producer, version):
        pairing = {"producer": producer, "version": version}
        equal(dec.status()["self"]["pairing"], pairing, "pairing")
        equal(dec.saved()["pairing"], pairing, "state file")

    ask(5, "op-m", (True, "applied"), producer="enc")
    is_now("enc", [5, "op-m"])
    ask(5, "op-m", (True, "applied"), producer="enc")  # the same once more: acks are idempotent
    ask(5, "op-m", (False, "superseded"), producer="other")  # same version, other intent
    ask(5, "op-a", (False, "superseded"), producer="other")
    ask(4, "op-z", (False, "superseded"), producer="other")
    is_now("enc", [5, "op-m"])
    ask(6, "op-1", (False, "self-pair"), producer="dec")
    ask(7, "op-1", (False, "kind-mismatch"), producer="keys")
    ask(8, "op-1", (False, "unknown-producer"), producer="no id!")
    is_now("enc", [5, "op-m"])
    ask(5, "op-z", (True, "applied"), producer="later")  # order of authors breaks the tie
    is_now("later", [5, "op-z"])
    ask(2**63 - 1, "op-1", (True, "applied"), op="unpair")
    is_now(None, [2**63 - 1, "op-1"])
    exhausted = dec.yoke("pair", "dec", "enc", "--json")
    exits(exhausted, 65, "nothing newer can be authored")


def test_an_intent_for_another_node_is_not_answered(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    desk = case.join(lab, lab.host("py"), "desk", None)
    desk.send("int", {"op": "pair", "consumer": "enc", "producer": "dec", "version": [1, "op-a"]})
    desk.send("int", {"op": "unpair", "consumer": "someone", "version": [1, "op-b"]})
    answers(observer, desk, {"op": "unpair", "version": [1, "op-c"]})
    equal([h.frame["origin"] for h in observer.select("ack")], ["dec"], "who answered")


def test_two_agents_on_one_host_hear_each_other(lab):
    host = lab.host("both")
    enc, dec = case.encoder(lab, host=host), case.decoder(lab, host=host)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    exits(enc.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")


def test_the_loopback_interface_alone_is_enough(lab):
    host = lab.host("lonely", plugged=False)
    host.run(["ip", "route", "add", "224.0.0.0/4", "dev", "lo"])
    enc = case.encoder(lab, host=host, interface="lo")
    dec = case.decoder(lab, host=host, interface="127.0.0.1")
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")


def test_the_kernel_chooses_the_interface_by_default(lab):
    enc, dec = case.encoder(lab, interface="0.0.0.0"), case.decoder(lab, interface="0.0.0.0")
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")


def test_open_mode_pairs_and_says_so(lab):
    observer = case.observe(lab, key=b"")
    enc, dec = case.encoder(lab, psk=False), case.decoder(lab, psk=False)
    case.wait_both(enc, dec)
    done = exits(dec.yoke("pair", "dec", "enc", "--json", "--wait", "active"), 0, "pair")
    true("open" in done.err.lower(), f"the tool says that there is no key: {done.err}")
    true("open" in dec.process.log().lower(), "and so does the agent")
    equal({h.frame["sig"] for h in observer.select()}, {""}, "signatures")


def test_a_second_key_is_accepted_and_never_signed_with(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab, start=False)
    # The decoder is already given the next key first; the encoder still signs with the old one.
    new = agent.key_file(dec.dir, b"the next key\n", "new.psk")
    dec.config["psk_file_next"] = str(new)
    dec.write_config()
    dec.start()
    case.wait_both(enc, dec)
    ahead = case.join(lab, lab.host("py"), "ahead", "producer", key=b"the next key",
                      media=case.MEDIA)
    dec.wait_hears("ahead")
    observer.wait_from(dec.host.address)
    observer.wait_from(ahead.address)
    equal({h.verdict for h in observer.heard if h.source[0] == dec.host.address}, {"accept"},
          "verdicts under the first key")
    equal({h.verdict for h in observer.heard if h.source[0] == ahead.address}, {"auth"},
          "verdicts on who signs with the next key")
