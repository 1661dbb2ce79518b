"""A decoder follows an encoder: pair, unpair, producers that come, go and say goodbye."""

import threading
import time

import agent
import case
from case import equal, exits, true, within


def heard_op(observer, consumer="dec"):
    """The body of the latest intent heard for a consumer."""
    return observer.select("int", where=lambda b: b["consumer"] == consumer)[-1].frame["body"]


def test_pair_is_saved_acknowledged_and_announced(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    result = case.pair(dec, "dec", "enc")
    for member, wanted in {"v": 1, "type": "result", "op": "pair", "consumer": "dec",
                           "producer": "enc", "outcome": "active", "reason": "applied",
                           "state": "active", "err": None}.items():
        equal(result[member], wanted, f"result line, {member}")
    equal(result["version"][0], 1, "first version of a decoder")
    true(result["version"][1].startswith("op-"), "the version's author is the operation")
    equal(dec.saved()["pairing"], {"producer": "enc", "version": result["version"]}, "state file")

    intent = observer.wait("the intent", "int")
    true(intent.frame["origin"].startswith("cli-"), "who asked is seen in the origin")
    ack = observer.wait("the ack", "ack", "dec")
    equal(ack.frame["body"], {"version": result["version"], "applied": True, "reason": "applied"},
          "ack")
    observer.wait("pairing-applied", "evt", "dec", lambda b: b["event"] == "pairing-applied")
    observer.wait("media-up", "evt", "dec", lambda b: b["event"] == "media-up")
    announced = observer.wait("active announcement", "ann", "dec", lambda b: b["state"] == "active")
    equal(announced.frame["body"]["pairing"], {"producer": "enc", "version": result["version"]},
          "announced pairing")
    true(announced.at - ack.at < 1.9, "the announcement follows the change, not the interval")


def test_unpair_releases_and_keeps_the_version(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    mark = observer.mark()
    done = exits(dec.yoke("unpair", "dec", "--wait", "idle", "--json"), 0, "unpair").json()[-1]
    equal((done["op"], done["outcome"], done["producer"]), ("unpair", "idle", None), "result line")
    equal(dec.saved()["pairing"], {"producer": None, "version": done["version"]}, "state file")
    equal(done["version"][0], 2, "counter of the second operation")
    observer.wait("media-down", "evt", "dec", lambda b: b["event"] == "media-down", mark)
    observer.wait("pairing-applied", "evt", "dec", lambda b: b["event"] == "pairing-applied", mark)
    observer.wait("idle", "ann", "dec", lambda b: b["state"] == "idle"
                  and b["pairing"] == {"producer": None, "version": done["version"]}, mark)


def test_a_producer_that_comes_later_is_shown_when_it_comes(lab):
    observer = case.observe(lab)
    dec = case.decoder(lab)
    result = case.pair(dec, "dec", "enc", wait="applied")
    equal((result["outcome"], result["reason"]), ("applied", "applied"), "unknown is no rejection")
    equal(dec.wait_state("pending")["self"]["pairing"]["producer"], "enc", "pairing")
    observer.wait("media-pending", "evt", "dec", lambda b: b["event"] == "media-pending")
    case.encoder(lab)
    dec.wait_state("active")
    observer.wait("media-up", "evt", "dec", lambda b: b["event"] == "media-up")


def test_a_lost_producer_leaves_pending_after_its_timeout_and_returns(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    enc.host.unplug()
    lost = observer.wait("peer-lost", "evt", "dec", lambda b: b["event"] == "peer-lost")
    last = observer.select("ann", "enc")[-1]
    silent_s = lost.at - last.at
    true(silent_s > 6.3, f"lost after only {silent_s:.2f} s of silence")
    within(silent_s, 7.5, "peer-lost after the last announcement")
    pending = dec.wait_state("pending")
    equal(pending["self"]["pairing"]["producer"], "enc", "pairing is kept")
    mark = observer.mark()
    enc.host.plug()
    observer.wait("peer-returned", "evt", "dec", lambda b: b["event"] == "peer-returned", mark)
    observer.wait("media-up", "evt", "dec", lambda b: b["event"] == "media-up", mark)
    dec.wait_state("active")


def test_goodbye_is_pending_at_once_without_peer_lost(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    mark = observer.mark()
    equal(enc.stop(), 0, "exit status of the encoder")
    bye = observer.wait("bye", "bye", "enc", since=mark)
    gone = observer.wait("pending", "ann", "dec", lambda b: b["state"] == "pending", mark)
    within(gone.at - bye.at, 0.5, "pending after the producer's bye")
    # Three more announcements of the decoder span the peer timeout.
    while observer.select("ann", "dec", since=mark)[-1].at < bye.at + 7.5:
        count = len(observer.select("ann", "dec", since=mark))
        observer.wait("the next announcement", "ann", "dec", since=mark, count=count + 1)
    equal(observer.select("evt", "dec", lambda b: b["event"] == "peer-lost", mark), [],
          "no peer-lost after a bye")
    enc.start()
    observer.wait("peer-returned", "evt", "dec", lambda b: b["event"] == "peer-returned", mark)
    dec.wait_state("active")


def test_replacement_shows_the_new_producer(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    other = case.encoder(lab, "enc2", media=case.OTHER_MEDIA)
    case.wait_both(enc, dec)
    case.wait_both(other, dec)
    case.pair(dec, "dec", "enc")
    result = case.pair(dec, "dec", "enc2")
    equal(result["version"][0], 2, "counter")
    equal(dec.status()["self"]["pairing"]["producer"], "enc2", "pairing")


def test_one_encoder_is_shown_by_several_decoders(lab):
    enc = case.encoder(lab)
    decoders = [case.decoder(lab, f"dec{n}") for n in range(3)]
    for dec in decoders:
        case.wait_both(enc, dec)
        case.pair(enc, dec.id, "enc")
    for dec in decoders:
        dec.wait_state("active")


def test_changed_media_is_pending_before_it_is_active_again(lab):
    observer = case.observe(lab)
    dec = case.decoder(lab)
    source = case.join(lab, lab.host("py"), "enc", "producer", media=case.MEDIA)
    dec.wait_hears("enc")
    case.pair(dec, "dec", "enc")
    mark = observer.mark()
    source.media = case.OTHER_MEDIA
    source.announce()
    pending = observer.wait("pending", "ann", "dec", lambda b: b["state"] == "pending", mark)
    equal(pending.frame["body"].get("driver_status"), None, "old evidence is cleared")
    observer.wait("active", "ann", "dec", lambda b: b["state"] == "active", mark)
    source.media = None
    source.announce()
    dec.wait_state("pending")


def test_a_local_agent_makes_pairing_immediate(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    result = exits(dec.yoke("pair", "dec", "enc", "--json"), 0, "pair")
    within(result.elapsed_s, 1.0, "pair beside an agent")
    print(f"keypress to saved: {1000 * result.elapsed_s:.0f} ms")


def test_a_host_without_agent_hears_first_and_pairs(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    desk = lab.host("desk")
    done = agent.yoke(desk, "unpair", "dec", "--psk-file", dec.key_file, "--interface", "eth0",
                      "--json", "--wait", "idle")
    equal(exits(done, 0, "unpair from a desk").json()[-1]["version"][0], 2, "counter it has heard")


def test_human_names_do_where_they_are_unique(lab):
    enc = case.encoder(lab, name="Player left")
    dec = case.decoder(lab, name="Room 3 left")
    case.wait_both(enc, dec)
    result = case.pair(dec, "Room 3 left", "Player left")
    equal((result["consumer"], result["producer"]), ("dec", "enc"), "ids of the named")


def test_racing_tools_end_in_one_version_everywhere(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    other = case.encoder(lab, "enc2")
    case.wait_both(enc, dec)
    case.wait_both(other, dec)
    for _ in range(4):
        results = {}

        def race(producer, at):
            results[producer] = at.yoke("pair", "dec", producer, "--json")
        threads = [threading.Thread(target=race, args=a) for a in (("enc", enc), ("enc2", other))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for producer, result in results.items():
            true(result.exit in (0, 1), f"pair with {producer}: {result!r}")
        true(any(r.exit == 0 for r in results.values()), f"one of them wins: {results}")
        lines = {p: r.json()[-1] for p, r in results.items()}
        winner = max(lines.values(), key=lambda line: line["version"])
        final = dec.wait_status("the higher version governs", lambda s:
                                s["self"]["pairing"]["version"] == winner["version"])
        equal(final["self"]["pairing"]["producer"], winner["producer"], "producer of the winner")
        equal(dec.saved()["pairing"], final["self"]["pairing"], "state file")
        equal(results[winner["producer"]].exit, 0, "exit of the winner")
    authors = {tuple(h.frame["body"]["version"]) for h in observer.select("int")}
    equal(len(authors), 8, "every operation has a version of its own")


def test_list_shows_every_node_with_the_agreed_members(lab):
    enc, dec = case.encoder(lab, name="Player"), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    enc.wait_status("the decoder's new pairing is heard", lambda s: any(
        n["id"] == "dec" and n["state"] == "active" for n in s["nodes"]))
    lines = exits(enc.yoke("list", "--json"), 0, "list").json()
    equal([line["id"] for line in lines], ["dec", "enc"], "all nodes, by id")
    members = {"v", "type", "id", "role", "kind", "name", "state", "err", "pairing", "media",
               "driver_status", "live", "age_ms", "address", "key"}
    for line in lines:
        true(members <= line.keys(), f"members missing: {members - line.keys()}")
        equal((line["type"], line["live"]), ("node", True), line["id"])
    equal(lines[0]["pairing"]["producer"], "enc", "pairing")
    equal((lines[1]["name"], lines[1]["media"]), ("Player", case.MEDIA), "name and media")
    text = exits(enc.yoke("list"), 0, "list").out
    true("dec" in text and "Player" in text, f"text form: {text}")


def test_control_characters_of_peers_do_not_reach_the_terminal(lab):
    dec = case.decoder(lab)
    evil = case.join(lab, lab.host("py"), "evil", None)
    # ESC, C1 CSI, right-to-left override, zero width space, line separator
    name = "a\x1b[2Jb\x9bc\u202ed\u200be\u2028f"
    evil.send("ann", {"role": "producer", "kind": "hdmi", "name": name, "state": "error",
                      "err": "x\x1b]0;y\x07", "pairing": None, "media": {}})
    dec.wait_hears("evil")
    text = exits(dec.yoke("list"), 0, "list").out
    true("evil" in text, text)
    for character in "\x1b\x9b\u202e\u200b\u2028\x07":
        true(character not in text, f"{character!r} was printed: {text!r}")
    line = [n for n in dec.yoke("list", "--json").json() if n["id"] == "evil"][0]
    equal(line["name"], name, "machine-readable output keeps the data")
    true("\x1b" not in dec.process.log(), "nor the log")


def test_announcements_come_every_interval_with_a_quarter_of_jitter(lab):
    observer = case.observe(lab)
    case.encoder(lab)
    start = time.monotonic()
    observer.wait("six announcements", "ann", "enc", count=6)
    true(time.monotonic() - start < 15, "six announcements in time")
    times = [h.at for h in observer.select("ann", "enc")]
    for gap in (b - a for a, b in zip(times[1:], times[2:])):
        true(1.4 < gap < 2.6 * case.PATIENCE, f"{gap:.2f} s between announcements")
