"""yoke snoop --check: our own agents keep all rules, and whoever breaks one is named."""

import signal

import agent
import case
import lab as lab_module
import wire
from case import equal, exits, true
from snoop import Snooper, key_of


class Checker(Snooper):
    """Ends with its verdict."""

    def verdict(self):
        """(exit status, all its lines)"""
        self.process.signal(signal.SIGINT)
        return self.process.wait(), self.lines()


def started(lab):
    """It listens before the others speak, so that nothing it hears is an answer to the unheard."""
    return Checker(lab, lab.host("mon"), key_of(lab), "--check", "--json")


def keeps_all(checker, least):
    status, lines = checker.verdict()
    equal([line for line in lines if line["type"] != "conformance"], [], "violations")
    equal(status, 0, f"exit: {checker.process.log()}")
    true(lines[-1]["heard"] >= least, f"enough was heard: {lines[-1]}")


def test_agents_that_pair_and_unpair_keep_all_rules(lab):
    checker = started(lab)
    enc, other, dec = case.encoder(lab), case.encoder(lab, "enc-2", media=case.OTHER_MEDIA), \
        case.decoder(lab)
    usb = case.encoder(lab, "kbd", kind="usb")
    for node in (enc, other, usb):
        case.wait_both(node, dec)
    for producer in ("enc", "enc-2", "enc"):
        case.pair(dec, "dec", producer)
    exits(dec.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")
    exits(dec.yoke("pair", "dec", "kbd"), 1, "another kind")
    case.pair(other, "dec", "enc-2")
    for node in (enc, dec, other, usb):
        equal(node.stop(), 0, f"{node.id} stops")
    keeps_all(checker, 20)


def test_agents_whose_producer_is_lost_and_returns_keep_all_rules(lab):
    checker = started(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    enc.host.unplug()
    dec.wait_state("pending")
    enc.host.plug()
    dec.wait_state("active")
    enc.kill()
    dec.wait_state("pending")
    enc.start()
    dec.wait_state("active")
    dec.kill()
    dec.start()
    dec.wait_state("active")
    equal(enc.stop(), 0, "the producer says goodbye")
    dec.wait_state("pending")
    enc.start()
    dec.wait_state("active")
    keeps_all(checker, 20)


def test_agents_of_an_absent_consumers_operations_keep_all_rules(lab):
    """A re-issue, a superseded request and what ADR 9 makes of it."""
    checker = started(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    stranger = case.join(lab, lab.host("py"), "cli-1", None)
    for _ in range(3):
        stranger.send("int", {"op": "pair", "consumer": "dec", "producer": "enc-9",
                              "version": [1, "aa"]})
    stranger.wait("superseded", "ack", "dec", lambda b: b["reason"] == "superseded")
    equal(dec.stop(), 0, "the consumer is away")
    exits(enc.yoke("unpair", "dec", "--timeout", "1"), 69, "unpair of who is away")
    dec.start()
    stranger.wait("the unpair, issued again", "ack", "dec",
                  lambda b: b["applied"] and b["version"][0] == 2)
    dec.wait_state("idle")
    keeps_all(checker, 15)


def test_who_breaks_a_rule_is_named(lab):
    checker = started(lab)
    rogue = case.join(lab, lab.host("py"), "enc-1", None)
    rogue.send_raw(wire.canonical(rogue.make("evt", {"event": "started", "detail": {}})).replace(b",", b", "))
    rogue.send("evt", {"event": "lunch", "detail": {}})
    rogue.send_raw(b"x" * 1300)
    checker.wait("the last", lambda line: line.get("rule") == "oversize")
    status, lines = checker.verdict()
    equal(status, 1, "exit")
    named = [line for line in lines if line["type"] == "violation"]
    equal([(line["rule"], line["id"]) for line in named],
          [("canonical", "enc-1"), ("event", "enc-1"), ("oversize", None)], "violations")
    true(all(line["section"] and line["detail"] and line["verified"] == (line["id"] is not None)
             and line["from"].startswith(rogue.host.address + ":") for line in named), named)
    equal((lines[-1]["violations"], lines[-1]["rules"]),
          (3, {"oversize": 1, "canonical": 1, "event": 1}), "the sum")


def test_a_capture_is_judged_as_the_network_was(lab):
    path = lab.dir / "heard.pcap"
    checker = Checker(lab, lab.host("mon"), key_of(lab), "--check", "--json", "--record", path)
    rogue = case.join(lab, lab.host("py"), "enc-1", None)
    rogue.send("ack", {"version": [1, "a"], "applied": True, "reason": "superseded"})
    checker.wait("it", lambda line: line.get("rule") == "ack-reason")
    status, lines = checker.verdict()
    again = exits(agent.yoke(rogue.host, "snoop", "--psk-file", key_of(lab), "--check", "--json",
                             "--read", path), status, "the same from the capture").json()
    equal([line.get("rule") for line in again], [line.get("rule") for line in lines], "rules")


def test_the_rules_are_listed(lab):
    host = lab.host("mon")
    rules = exits(agent.yoke(host, "snoop", "--check", "--rules", "--json"), 0, "list").json()
    true(len(rules) >= 20 and len({r["rule"] for r in rules}) == len(rules), "20 rules and more")
    true(all(r["section"] and r["sentence"] for r in rules), "each with section and sentence")
    people = exits(agent.yoke(host, "snoop", "--check", "--rules"), 0, "list for people").out
    true(all(r["rule"] in people and r["sentence"] in people for r in rules), people)
    exits(agent.yoke(host, "snoop", "--rules"), 64, "without --check")


def test_people_are_told_the_rule_and_the_verdict(lab):
    host = lab.host("mon")
    quiet = exits(agent.yoke(host, "snoop", "--psk-file", key_of(lab), "--interface", "eth0",
                             "--check", "--for", "0.2"), 0, "silence").out
    true("nothing was heard" in quiet, quiet)
    checker = Checker(lab, host, key_of(lab), "--check")
    rogue = case.join(lab, lab.host("py"), "enc-1", None)
    rogue.send("evt", {"event": "lunch", "detail": {}})
    lab_module.wait_for("a line", lambda: "event lunch" in checker.out.read_text())
    checker.process.signal(signal.SIGINT)
    equal(checker.process.wait(), 1, "exit")
    text = checker.out.read_text()
    true("broken: 1 of " in text and "an event is one of the list" in text, text)
