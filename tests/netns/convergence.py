"""Decoders that were away learn what they missed from whoever heard it, once."""

import agent
import case
from case import equal, exits, true, within


def reissues(observer, result, since=0):
    """Intents of this operation that were not sent by the tool that authored it."""
    return [h for h in observer.select("int", since=since)
            if h.frame["body"]["version"] == result["version"]
            and not h.frame["origin"].startswith("cli-")]


def absent_pair(at, consumer, producer, *options):
    """Pairs a consumer that cannot answer; the result line."""
    return exits(at.yoke("pair", consumer, producer, "--json", "--timeout", "1", *options),
                 69, "pair with an absent decoder").json()[-1]


def test_an_unplugged_decoder_converges_from_another_host(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    dec.host.unplug()
    result = absent_pair(enc, "dec", "enc")
    equal((result["outcome"], result["version"][0]), ("unanswered", 1), "result line")
    equal(dec.saved()["pairing"]["version"], [0, ""], "nothing reached the decoder")
    mark = observer.mark()
    dec.host.plug()
    dec.wait_shows("enc")
    again = reissues(observer, result, mark)[0]
    equal(again.frame["origin"], "enc", "whoever heard it offers it")
    equal(set(again.frame["body"]), {"op", "consumer", "producer", "version"}, "known members only")
    announced = observer.select("ann", "dec", since=mark)[0]
    true(again.at - announced.at > 0.19, "not before 0.2 s")
    within(again.at - announced.at, 1.4, "re-issue after the announcement that is behind")
    dec.wait_state("active")


def test_a_host_whose_cable_is_back_speaks_without_waiting_for_its_turn(lab):
    observer = case.observe(lab)
    dec = case.decoder(lab)
    dec.host.unplug()
    dec.process.wait_log("no carrier")
    mark = observer.mark()
    dec.host.plug()
    observer.wait("announcements", "ann", "dec", since=mark, count=4)
    times = [h.frame["ts"] for h in observer.select("ann", "dec", since=mark)]  # by its own clock
    true(times[3] - times[0] < 3 * 1.5, f"sooner than at its interval: {times}")


def test_a_decoder_that_was_off_when_paired_comes_and_follows(lab):
    enc = case.encoder(lab)
    absent_pair(enc, "dec", "enc")
    dec = case.decoder(lab)
    dec.wait_shows("enc")
    dec.wait_state("active")
    equal(dec.saved()["pairing"]["producer"], "enc", "state file")


def test_an_absent_decoder_keeps_the_newest_of_several_intents(lab):
    observer = case.observe(lab)
    enc, other = case.encoder(lab), case.encoder(lab, "enc2")
    case.wait_both(enc, other)
    absent_pair(enc, "dec", "enc")
    newest = absent_pair(other, "dec", "enc2")
    equal(newest["version"][0], 2, "the second builds on the first")
    dec = case.decoder(lab)
    dec.wait_shows("enc2")
    acks = observer.select("ack", "dec")
    # Two re-issues that fall due together are answered both.
    equal({a.frame["body"]["version"][0] for a in acks if a.frame["body"]["applied"]}, {2},
          "the older one was never applied")


def test_five_hosts_offer_a_missed_intent_once(lab):
    observer = case.observe(lab)
    encoders = [case.encoder(lab, f"enc{n}") for n in range(5)]
    for enc in encoders[1:]:
        case.wait_both(encoders[0], enc)
    results = {name: absent_pair(encoders[0], name, "enc0") for name in ("dec0", "dec1", "dec2")}
    for enc in encoders:
        enc.wait_status("all intents cached", lambda s: len(s["intents"]) == 3)
    for name in results:
        case.decoder(lab, name).wait_shows("enc0")
    # Whoever has not been told by the first re-issue would have spoken by its next announcement.
    for name in results:
        observer.wait("announcements that have caught up", "ann", name,
                      lambda b: b["pairing"]["version"][0] == 1, count=2)
    for name, result in results.items():
        again = reissues(observer, result)
        first = again[0].at
        # Two that fall due at the same moment cannot hear each other in time.
        late = [h for h in again if h.at - first > 0.05 * case.PATIENCE]
        equal([(h.frame["origin"], round(h.at - first, 3)) for h in late], [],
              f"re-issues for {name} after the first")
        true(len(again) < 4, f"{len(again)} re-issues for {name}: nobody was silent")


def test_of_five_hosts_one_speaks_for_a_decoder_that_stays_behind(lab):
    observer = case.observe(lab)
    encoders = [case.encoder(lab, f"enc{n}") for n in range(5)]
    result = absent_pair(encoders[0], "deaf", "enc0")
    for enc in encoders:
        enc.wait_status("the intent is cached", lambda s: len(s["intents"]) == 1)
    # It announces and takes nothing in, so that only hearing each other can keep the others quiet.
    deaf = case.join(lab, lab.host("py"), "deaf", None)
    rounds = []
    for _ in range(3):
        mark = observer.mark()
        deaf.send("ann", {"role": "consumer", "kind": "hdmi", "name": "deaf", "state": "idle",
                          "err": None, "media": None,
                          "pairing": {"producer": None, "version": [0, ""]}})
        first = observer.wait("a re-issue", "int", since=mark).at
        observer.wait("over a second more", "ann", "enc0", since=mark, count=2)
        again = reissues(observer, result, mark)
        # Two that fall due at the same moment cannot hear each other in time.
        rounds.append([round(h.at - first, 3) for h in again])
        true(all(late < 0.05 * case.PATIENCE for late in rounds[-1]),
             f"re-issues after the first: {rounds}")
    true(sum(map(len, rounds)) <= 6, f"re-issues of three announcements: {rounds}")


def test_unknown_members_and_floats_are_not_relayed(lab):
    observer = case.observe(lab)
    enc = case.encoder(lab)
    desk = case.join(lab, lab.host("py"), "desk", None)
    body = {"op": "pair", "consumer": "dec", "producer": "enc", "version": [1, "op-x"],
            "weight": 1.5, "filling": "x" * 700}
    desk.send("int", body)
    enc.wait_status("the intent is cached", lambda s: len(s["intents"]) == 1)
    mark = observer.mark()
    dec = case.decoder(lab)
    dec.wait_shows("enc")
    again = observer.wait("re-issue", "int", "enc", since=mark)
    equal(again.frame["body"], {"op": "pair", "consumer": "dec", "producer": "enc",
                                "version": [1, "op-x"]}, "relayed members")


def test_a_rejected_intent_is_not_offered_again(lab):
    observer = case.observe(lab)
    enc = case.encoder(lab)
    dec = case.decoder(lab, kind="usb")
    case.wait_both(enc, dec)
    refused = exits(dec.yoke("pair", "dec", "enc", "--json"), 1, "pair of other kinds")
    equal(refused.json()[-1]["reason"], "kind-mismatch", "reason")
    enc.wait_status("evicted", lambda s: s["intents"] == [])
    mark = observer.mark()
    observer.wait("announcements after it", "ann", "dec", since=mark, count=3)
    equal(observer.select("int", where=lambda b: b["consumer"] == "dec", since=mark), [],
          "intents after the rejection")
    equal(dec.status()["self"]["pairing"]["version"], [0, ""], "nothing changed")


def test_pairing_gets_through_thirty_percent_of_loss(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    enc.host.lose(30, agent.PORT)
    dec.host.lose(30, agent.PORT)
    for _ in range(5):
        for verb in (("pair", "dec", "enc"), ("unpair", "dec")):
            done = exits(enc.yoke(*verb, "--json", "--timeout", "10"), 0, " ".join(verb))
            within(done.elapsed_s, 5, "an operation at 30 % of loss")
            version = done.json()[-1]["version"]
            enc.wait_status("the operation is heard of", lambda s, version=version: any(
                n["id"] == "dec" and n["pairing"]["version"] == version for n in s["nodes"]))


def test_a_healed_partition_agrees_on_the_highest_version(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    other = case.encoder(lab, "enc2", media=case.OTHER_MEDIA)
    case.wait_both(enc, dec)
    case.wait_both(other, dec)
    other.host.unplug()
    case.pair(dec, "dec", "enc")
    case.exits(dec.yoke("unpair", "dec"), 0, "unpair")
    absent_pair(other, "dec", "enc2")  # counter 1 on the far side: loses to what came later here
    other.host.plug()
    other.wait_status("the far side has learnt the newer version", lambda s: any(
        n["id"] == "dec" and n["pairing"]["version"][0] == 2 for n in s["nodes"]))
    # Nothing the far side cached may win: an announcement of the decoder later all is as it was.
    mark = dec.status()["self"]["pairing"]
    observer = case.observe(lab)
    observer.wait("announcements", "ann", "dec", count=2)
    equal(dec.status()["self"]["pairing"], mark, "pairing after the partition")
