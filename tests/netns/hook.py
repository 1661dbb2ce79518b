"""on_change: the room's own command, told of each state."""

import os
import signal

import case
import reload
from lab import wait_for

WRITER = ("printf '%s\\n' \"$YOKE_ID $YOKE_ROLE $YOKE_KIND $YOKE_FORMER_STATE>$YOKE_STATE "
          "[$YOKE_PRODUCER]\" >>{}; {}")


def told_decoder(lab, more="true"):
    """A decoder whose command writes a line a change, and where."""
    lines = lab.dir / "changes"
    dec = case.decoder(lab, more={"on_change": ["sh", "-c", WRITER.format(lines, more)]})
    return dec, lambda: lines.read_text().splitlines() if lines.exists() else []


def wait_line(lines, line):
    wait_for(f"the line {line!r}", lambda: line in lines(), explain=lines)


def test_the_room_is_told_of_every_state_with_its_names(lab):
    dec, lines = told_decoder(lab)
    enc = case.encoder(lab)
    case.wait_both(enc, dec)
    wait_line(lines, "dec consumer hdmi >idle []")
    case.pair(dec, "dec", "enc")
    wait_for("told that it is active", lambda: lines()[-1].endswith(">active [enc]"), explain=lines)
    case.exits(dec.yoke("unpair", "dec", "--wait", "idle", "--timeout", "20"), 0, "unpair")
    wait_for("told that it is idle", lambda: lines()[-1].endswith(">idle []"), explain=lines)


def test_a_command_that_fails_changes_nothing_and_is_logged_once(lab):
    dec, lines = told_decoder(lab, "exit 3")
    enc = case.encoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    wait_for("told twice", lambda: len(lines()) >= 2, explain=lines)
    dec.process.wait_log("on_change: exit status 3")
    case.equal(dec.process.log().count("on_change: exit status 3"), 1, "times it is said")
    case.equal(dec.status()["self"]["state"], "active", "state")


def test_a_command_that_is_not_there_is_named(lab):
    dec = case.decoder(lab, more={"on_change": ["/absent/switch"]})
    dec.process.wait_log("on_change: cannot be started: No such file")


def test_a_slow_command_is_ended_and_delays_nobody(lab):
    dec, lines = told_decoder(lab, "exec sleep 600")
    enc = case.encoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")  # within the command's time
    dec.process.wait_log("on_change: took longer than 10 s and was ended")
    wait_for("then told of what is", lambda: lines()[-1].endswith(">active [enc]"), explain=lines)
    for pid in filter(str.isdigit, os.listdir("/proc")):  # the second one, that runs now
        try:
            if b"sleep\0600" in open(f"/proc/{pid}/cmdline", "rb").read():
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


def test_a_command_is_changed_by_a_reload(lab):
    dec, lines = told_decoder(lab)
    wait_line(lines, "dec consumer hdmi >idle []")
    marker = lab.dir / "second"
    reload.change(dec, on_change=["touch", str(marker)])
    reload.reload(dec)
    case.encoder(lab)
    dec.wait_hears("enc")
    case.pair(dec, "dec", "enc")
    wait_for("the second command ran", marker.exists)


def test_what_is_no_command_is_refused(lab):
    for wrong, place in (("sh", "on_change"), ([], "on_change"), ([""], "on_change[0]"),
                         (["a", 1], "on_change[1]"), (["a"] * 33, "on_change")):
        made = case.decoder(lab, start=False, more={"on_change": wrong})
        case.refused(case.run_agent(made, "--check"), 78, place)
