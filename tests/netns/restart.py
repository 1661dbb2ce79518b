"""What survives: restarts, power cuts at any moment, disks that are full or read-only."""

import os
import random
import time

import agent
import case
from case import equal, exits, true
from lab import wait_for


def leftovers(dec):
    """Names in the state directory that are neither the state nor its lock."""
    return sorted(set(os.listdir(dec.state_dir)) - {"state.json", "state.json.lock"})


def test_a_restarted_decoder_shows_its_saved_pairing_again(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    before = dec.saved()
    for end in (dec.stop, dec.kill):
        end()
        mark = observer.mark()
        dec.start()
        status = dec.wait_state("active")
        equal(status["self"]["pairing"], before["pairing"], "pairing after a restart")
        # Not any frame: the last of the life before may be heard after it has ended.
        first = observer.wait("start of the new life", "evt", "dec",
                              lambda body: body["event"] == "started", since=mark)
        true(first.frame["seq"] > before["seq"], "numbers start above the saved bound")
        before = dec.saved()
    true(all(h.verdict == "accept" for h in observer.heard
             if h.source[0] == dec.host.address), "no frame of it was refused by anybody")


def test_a_frame_number_is_never_above_the_saved_bound(lab):
    observer = case.observe(lab)
    dec = case.decoder(lab)
    observer.wait("announcements", "ann", "dec", count=3)
    dec.kill()
    highest = max(h.frame["seq"] for h in observer.select(origin="dec"))
    true(highest < dec.saved()["seq"], "numbers used are below the reserved bound")


def test_kill_at_any_moment_leaves_the_old_state_or_the_new(lab):
    observer = case.observe(lab)
    dec = case.decoder(lab)
    desk = case.join(lab, lab.host("desk"), "desk", None)
    source = random.Random(2)
    saved = acknowledged = 0
    for turn in range(24):
        old = dec.saved()["pairing"]
        asked = {"producer": f"enc{turn}", "version": [turn + 1, "op-desk"]}
        desk.send("int", {"op": "pair", "consumer": "dec", **asked})
        if turn % 2:  # before the save as well as after it
            time.sleep(source.uniform(0, 0.006 * case.PATIENCE))
        dec.kill()
        # The network is a wire: what was sent before the power went is heard.
        desk.send("evt", {"event": "started", "detail": {"turn": turn}})
        observer.wait("everything before it", "evt", "desk",
                      lambda b, turn=turn: b["detail"]["turn"] == turn)
        acked = observer.select("ack", "dec", lambda b, asked=asked: b["applied"]
                                and b["version"] == asked["version"])
        state = dec.saved()  # raises when it is no JSON
        equal(sorted(state), ["pairing", "seq"], "members of the state file")
        true(state["pairing"] in (old, asked), f"the old state or the new: {state}")
        if acked:
            equal(state["pairing"], asked, "what was acknowledged is saved")
        saved += state["pairing"] == asked
        acknowledged += bool(acked)
        if turn % 3 == 0:  # and once more while it starts
            dec.start(wait=False)
            time.sleep(source.uniform(0, 0.02 * case.PATIENCE))
            dec.kill()
            equal(dec.saved()["pairing"], state["pairing"], "pairing after a kill at the start")
        dec.start()
        equal(dec.status()["self"]["pairing"], state["pairing"], "pairing after the restart")
    print(f"24 kills: {saved} after the save, {acknowledged} after the ack")
    true(0 < saved < 24, f"{saved} of 24 kills came after the save: the times hit one side only")
    wait_for("temporary files of power cuts are removed", lambda: leftovers(dec) == [],
             explain=lambda: f"left: {leftovers(dec)}")


def small_disk(dec):
    """Puts the state directory on a file system of few pages."""
    dec.host.run(["mount", "-t", "tmpfs", "-o", "size=32k,mode=0700", "tmpfs", dec.state_dir])


def test_a_full_disk_acknowledges_nothing_and_keeps_the_pairing(lab):
    observer = case.observe(lab)
    enc, other = case.encoder(lab), case.encoder(lab, "enc2", media=case.OTHER_MEDIA)
    dec = case.decoder(lab, start=False)
    small_disk(dec)
    dec.start()
    case.wait_both(enc, dec)
    case.wait_both(other, dec)
    paired = case.pair(dec, "dec", "enc")
    filler = dec.state_dir / "filler"
    dec.host.call(["dd", "if=/dev/zero", f"of={filler}", "bs=4096", "count=64"])
    mark = observer.mark()
    exits(dec.yoke("pair", "dec", "enc2", "--json", "--timeout", "2"), 69, "pair on a full disk")
    equal(observer.select("ack", "dec", since=mark), [], "a save that failed gets no ack at all")
    status = dec.status()
    equal(status["self"]["pairing"], {"producer": "enc", "version": paired["version"]}, "pairing")
    equal(status["self"]["state"], "active", "what is shown goes on")
    true(any("space" in w.lower() for w in status["warnings"]), f"warnings {status['warnings']}")
    equal(dec.saved()["pairing"]["producer"], "enc", "state file")
    dec.host.run(["rm", filler])
    result = case.pair(dec, "dec", "enc2")
    equal(dec.saved()["pairing"], {"producer": "enc2", "version": result["version"]},
          "state file when there is room again")


def test_a_read_only_directory_acknowledges_nothing_and_keeps_the_pairing(lab):
    observer = case.observe(lab)
    enc = case.encoder(lab)
    dec = case.decoder(lab, start=False).commission()
    # Without capabilities, root too is bound by the mode of a directory.
    dec.start(through=["setpriv", "--inh-caps", "-all", "--bounding-set", "-all"])
    case.wait_both(enc, dec)
    dec.state_dir.chmod(0o555)
    exits(dec.yoke("pair", "dec", "enc", "--json", "--timeout", "2"), 69, "pair, read-only")
    equal(observer.select("ack", "dec"), [], "a save that failed gets no ack at all")
    equal(dec.status()["self"]["pairing"], {"producer": None, "version": [0, ""]}, "pairing")
    dec.state_dir.chmod(0o755)
    case.pair(dec, "dec", "enc")


def test_two_agents_on_one_state_file_are_refused(lab):
    dec = case.decoder(lab)
    before = dec.state_file.read_bytes()
    second = agent.yoke(dec.host, "agent", "--config", dec.config_file)
    exits(second, 75, "a second agent on one state file")
    true(str(dec.state_file) in second.err, f"the message names the file: {second.err}")
    equal(dec.state_file.read_bytes(), before, "state file")
    true(dec.process.running(), "the first goes on")
    dec.kill()
    dec.start()  # a lock that is only a file hinders nobody


def test_the_lock_file_stays_and_is_held_again(lab):
    dec = case.decoder(lab)
    lock = dec.state_dir / "state.json.lock"
    inode = lock.stat().st_ino
    equal(dec.stop(), 0, "exit status")
    equal(lock.stat().st_ino, inode, "the lock file after the stop")
    dec.start()
    equal(lock.stat().st_ino, inode, "the lock file of the next life")


def test_a_state_that_cannot_be_reserved_does_not_announce(lab):
    observer = case.observe(lab)
    dec = case.decoder(lab, start=False)
    dec.commission()
    dec.state_dir.chmod(0o555)
    dec.start(wait=False, through=["setpriv", "--inh-caps", "-all", "--bounding-set", "-all"])
    # It may refuse to start, or run and be mute; it must not speak with numbers it has not saved.
    wait_for("its log says why", lambda: "state" in dec.process.log())
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline and dec.process.running():
        time.sleep(0.05)
    equal(observer.select(origin="dec"), [], "frames without a saved reservation")
    dec.state_dir.chmod(0o755)
    if dec.process.running():
        observer.wait("it speaks when it can save", "ann", "dec")

