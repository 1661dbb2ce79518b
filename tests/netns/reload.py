"""SIGHUP: what changes while an agent runs, what is named and left, and the change of the site key."""

import signal

import agent
import case
from lab import wait_for

NEW_KEY = b"the key that comes after"


def reload(made, wait="configuration read anew"):
    """Tells the agent to read its configuration again; what its log says of it."""
    before = len(made.process.log())
    made.process.signal(signal.SIGHUP)

    def said():
        new = made.process.log()[before:]
        return new if wait in new else None
    return wait_for(f'"{wait}" in the log of {made.id}', said)


def change(made, **members):
    """Writes the configuration with these members; None takes one away."""
    for name, value in members.items():
        if value is None:
            made.config.pop(name, None)
        else:
            made.config[name] = value
    made.write_config()


def test_a_site_changes_its_key_without_a_gap(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    old = str(enc.key_file)
    new = str(agent.key_file(lab.dir, NEW_KEY + b"\n", "new.psk"))
    everybody = (enc, dec)
    for made in everybody:  # first all accept the new key
        change(made, psk_file_next=new)
        reload(made)
    for made in everybody:  # then one after the other signs with it
        change(made, psk_file=new, psk_file_next=old)
        reload(made)
        fingerprint = made.status()["key"]
        for other in everybody:
            if other is not made:
                other.wait_status(f"{made.id} signs with the new key", lambda s, f=fingerprint, i=made.id:
                                  any(n["id"] == i and n["key"] == f and n["live"] for n in s["nodes"]))
        if made is enc:
            listed = case.exits(dec.yoke("list"), 0, "list").out
            case.true(f"signs with the second key, {fingerprint}" in listed, listed)
    for made in everybody:  # and the old one is forgotten
        change(made, psk_file_next=None)
        reload(made)
    case.exits(dec.yoke("unpair", "dec", "--timeout", "20"), 0, "unpair under the new key")
    for made in everybody:
        case.equal(made.status()["drops"]["auth"], 0, f"{made.id}: frames that did not verify")
        case.true("peer-lost" not in made.process.log() and "node-lost" not in made.process.log(),
                  f"{made.id} lost the other meanwhile")
    case.true("second key" not in case.exits(dec.yoke("list"), 0, "list").out, "a second key is shown")


def test_the_old_key_is_refused_once_it_is_gone(lab):
    dec = case.decoder(lab)
    change(dec, psk_file=str(agent.key_file(lab.dir, NEW_KEY + b"\n", "new.psk")))
    reload(dec)
    case.join(lab, lab.host("old"), "old", "producer", media=case.MEDIA)
    dec.wait_status("drops the old key", lambda s: s["drops"]["auth"] > 0)
    case.true(all(n["id"] != "old" for n in dec.status()["nodes"]), "the old key was believed")


def test_a_broken_configuration_keeps_the_old_one_running(lab):
    dec = case.decoder(lab)
    key = dec.status()["key"]
    good = dec.config_file.read_text()
    for broken, word in (("{", "line 1"), (good.replace("consumer", "consumr"), "consumr"),
                         (good.replace("site.psk", "absent.psk"), "absent.psk")):
        dec.config_file.write_text(broken)
        said = reload(dec, "nothing was changed")
        case.true(word in said, f"no {word!r} in: {said}")
        case.equal(dec.status()["key"], key, "key after a broken configuration")
    dec.config_file.write_text(good)
    reload(dec)


def test_what_takes_a_restart_is_named_and_left(lab):
    dec = case.decoder(lab, name="before")
    change(dec, node={**dec.config["node"], "name": "after"}, limits={"tracked": 100})
    said = reload(dec)
    for place in ("node.name", "limits"):
        case.true(f"{place}: changed" in said, f"{place} is not named: {said}")
    case.true("node.id" not in said and "network" not in said, f"too much is named: {said}")
    case.equal(dec.status()["self"]["name"], "before", "name")
    said = reload(dec)
    case.true("node.name: changed" in said, "the second time it is not named any more")


def test_the_log_level_changes_while_the_agent_runs(lab):
    dec = case.decoder(lab)
    change(dec, log_level="error")
    dec.process.signal(signal.SIGHUP)
    dec.status()
    change(dec, log_level="debug", psk_file="/absent")
    said = reload(dec, "nothing was changed")  # errors are still said
    case.true(" info " not in said, f"more than errors is said: {said}")
    change(dec, psk_file=str(dec.key_file))
    reload(dec)


def test_a_level_of_the_command_line_goes_before_the_configuration(lab):
    dec = case.decoder(lab, start=False, more={"log_level": "debug"}).commission()
    dec.process = dec.host.spawn("dec", [agent.YOKE, "agent", "--config", dec.config_file, "--log-level", "error"],
                                 agent.SANITIZER_ENV)
    wait_for("it runs", dec.try_status)
    change(dec, psk_file="/absent")
    reload(dec, "nothing was changed")
    case.true(" info " not in dec.process.log(), dec.process.log())


def test_no_log_has_a_key(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    agent.key_file(lab.dir, NEW_KEY + b"\n", "new.psk")
    change(dec, psk_file_next=str(lab.dir / "new.psk"))
    reload(dec)
    dec.key_file.chmod(0o644)
    reload(dec, "nothing was changed")  # refused, with the place of the key
    for made in (enc, dec):
        text = made.process.log()
        for key in (agent.KEY, NEW_KEY):
            for spelt in (key.decode(), key.hex(), key.hex().upper()):
                case.true(spelt not in text, f"{made.id}: a key is in its log")


def test_an_open_site_becomes_a_keyed_one(lab):
    """As DEPLOYMENT.md has it: everybody gets the key, then everybody is told."""
    enc, dec = case.encoder(lab, psk=False), case.decoder(lab, psk=False)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    version = dec.status()["self"]["pairing"]["version"]
    key = str(agent.key_file(lab.dir))
    for made in (enc, dec):
        change(made, psk_file=key)
        reload(made)
    dec.wait_status("hears enc by the key", lambda s: any(n["live"] and n["key"] for n in s["nodes"]))
    dec.wait_state("active")
    case.equal(dec.status()["self"]["pairing"]["version"], version, "version of the pairing")
    case.exits(dec.yoke("unpair", "dec", "--timeout", "20"), 0, "unpair with the key")


def test_a_dead_box_is_replaced_under_the_same_id(lab):
    """As DEPLOYMENT.md has it: a new state, and the others tell what it is to show."""
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    version = dec.status()["self"]["pairing"]["version"]
    dec.kill()
    dec.state_file.unlink()
    dec.commission()
    dec.start()
    dec.wait_state("active")
    case.equal(dec.status()["self"]["pairing"], {"producer": "enc", "version": version}, "pairing")
    case.equal(enc.status()["drops"]["stale"], 0, "frames of the new box that were dropped")
