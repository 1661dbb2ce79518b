"""yoke snoop --top: a screen that is true, answers each key, and leaves the terminal as it was."""

import contextlib
import os
import re
import signal
import subprocess
import time

import agent
import case
import lab as lab_module
import wire
from case import equal, exits, true
from snoop import CONTROL, FRAME, Snooper, Tap, key_of, snoop

BODY = {"role": "producer", "kind": "hdmi", "state": "active", "err": None, "pairing": None,
        "media": None}


class Screen:
    """A terminal of 80x24 in which the snooper runs, and behind it a shell that says what it left."""

    def __init__(self, lab, host, *args, columns=80, rows=24, env=()):
        case.need_program("tmux")
        self.lab, self.host = lab, host
        self.socket = lab.dir / f"tmux-{len(lab.processes)}"
        self.server = host.spawn("tmux", ["env", "-u", "TMUX", "tmux", "-S", self.socket, "-f",
                                          "/dev/null", "-D"], {"LC_ALL": "C.UTF-8"})
        lab_module.wait_for("tmux serves", self.socket.exists)
        script = ('trap : INT; "$@"; echo "exit $?"; '
                  "stty -a | grep -qw -- -icanon && echo raw || echo cooked; exec sleep 1000")
        self.tmux("new-session", "-d", "-x", columns, "-y", rows, "env", *env, "sh", "-c", script,
                  "sh", agent.YOKE, "snoop", *CONTROL, "--psk-file", key_of(lab), "--top", *args)
        lab.on_close(self.close)
        if "--read" not in args:
            self.wait("that it has joined", lambda text: agent.GROUP in host.memberships()
                      or "exit " in text)

    def tmux(self, *args):
        done = self.host.call(["tmux", "-S", self.socket, *map(str, args)])
        true(done.returncode == 0, f"tmux {args}: {done.stderr}")
        return done.stdout

    def text(self):
        return self.tmux("capture-pane", "-p")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def wait(self, what, check):
        """Until check(text) is true; gives the text."""
        return lab_module.wait_for(f"the screen shows {what}", lambda: (
            lambda text: text if check(text) else None)(self.text()), explain=self.text)

    def left(self, status=0):
        """It has ended so, and the terminal is as it was; gives what is seen there, and closes it."""
        text = self.wait("the end", lambda text: re.search("^(cooked|raw)$", text, re.MULTILINE))
        true(f"exit {status}\ncooked\n" in text, text)
        equal(self.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").strip(), "0 1",
              "the alternate screen is left, the cursor is seen")
        self.close()
        return text

    def snooper(self):
        """Its process."""
        shell = int(self.tmux("display-message", "-p", "#{pane_pid}"))
        return int(subprocess.run(["pgrep", "-P", str(shell)], capture_output=True, text=True,
                                  check=True).stdout.split()[0])

    def close(self):
        if self.server.running():
            self.tmux("kill-server")
            self.server.wait()


def announce(node, name="n", **members):
    node.send("ann", {**BODY, "name": name, **members})


def crowd(lab, host, count):
    """So many producers, announced once."""
    sender = case.join(lab, host, "crowd", None)
    for i in range(count):
        sender.send_raw(wire.encode(agent.KEY, {
            **FRAME, "type": "ann", "origin": f"enc-{i:02}", "seq": time.time_ns(),
            "body": {**BODY, "name": f"n{i}"}}))
    return sender


def test_it_shows_who_shows_whom_at_80x24(lab):
    screen = Screen(lab, lab.host("mon"))
    enc, dec = case.encoder(lab), case.decoder(lab, name="Room 3")
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    text = screen.wait("the pairing", lambda text: re.search(
        r'^enc +active .*239\.10\.0\.5:5004\n-> dec "Room 3" +active ', text, re.MULTILINE))
    lines = text.splitlines()
    equal(len(lines), 24, f"lines: {text}")
    true(max(map(len, lines)) <= 80, text)
    true("2 nodes, 2 live" in text and "LAST EVENTS" in text and "q quit" in lines[-1], text)
    dec.kill()
    screen.wait("that it is lost", lambda text: re.search(r"-> dec.* lost ", text))
    screen.keys("q")
    true(re.search(r"frames: \d+ accepted", screen.left()), "the sum is said behind it")


def test_it_follows_the_size_of_the_terminal(lab):
    screen = Screen(lab, lab.host("mon"))
    crowd(lab, lab.host("py"), 40)
    screen.wait("a part", lambda text: re.search(r"lines 1-1\d of 40", text))
    screen.tmux("resize-window", "-x", 120, "-y", 60)
    text = screen.wait("all", lambda text: "lines 1-40 of 40" in text)
    true("enc-39" in text and len(text.splitlines()) == 60, text)
    screen.tmux("resize-window", "-x", 30, "-y", 8)
    screen.wait("a little", lambda text: "enc-00" in text and len(text.splitlines()) == 8)
    screen.keys("q")
    screen.left()


def test_it_scrolls_with_every_key_there_is(lab):
    screen = Screen(lab, lab.host("mon"))
    crowd(lab, lab.host("py"), 40)
    screen.wait("the first", lambda text: "lines 1-" in text and "of 40" in text)
    for keys, first in (("Down", 2), ("Up", 1), ("j j", 3), ("k", 2), ("Home", 1)):
        screen.keys(*keys.split())
        screen.wait(f"line {first} first", lambda text, n=first: f"lines {n}-" in text)
    screen.keys("End")
    screen.wait("the last", lambda text: "-40 of 40" in text)
    screen.keys("PageUp")
    screen.wait("those before", lambda text: "-40 of 40" not in text)
    screen.keys("PageDown", "x")
    screen.wait("the last again", lambda text: "-40 of 40" in text)
    screen.keys("Q")
    screen.left()


def test_each_end_gives_the_terminal_back(lab):
    host = lab.host("mon")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        screen = Screen(lab, host)
        screen.wait("something", lambda text: "LAST EVENTS" in text)
        os.kill(screen.snooper(), number)
        screen.left()
    screen = Screen(lab, host)
    screen.wait("something", lambda text: "LAST EVENTS" in text)
    screen.keys("C-c")
    screen.left()
    screen = Screen(lab, host, "--for", "1")
    screen.left()
    screen = Screen(lab, host, "--group", "239.1.1.1", "--record", "/nowhere/x.pcap")
    true("/nowhere/x.pcap" in screen.left(73), "the reason is seen")


def test_what_is_said_meanwhile_is_on_the_screen_and_behind_it(lab):
    screen = Screen(lab, lab.host("mon"))
    announce(case.join(lab, lab.host("py"), "enc-1", None, key=b"another key"))
    screen.wait("the notice", lambda text: "every frame fails: wrong key?" in text
                and "LAST EVENTS" in text)
    screen.keys("q")
    true("every frame fails: wrong key?" in screen.left(), "behind it")


def test_hostile_names_draw_nothing(lab):
    screen = Screen(lab, lab.host("mon"))
    node = case.join(lab, lab.host("py"), "enc-1", None)
    announce(node, "\x1b[2J\x1b]0;evil\x07\u202e\u200b\n<b>\"", err="\x1b[31m" * 20, state="error")
    text = screen.wait("the name", lambda text: '-1 "\\x1b[2J' in text)
    equal(len(text.splitlines()), 24, f"lines: {text}")
    true("\u202e" not in text and "evil" != screen.tmux("display-message", "-p", "#T").strip(),
         "neither order nor title are changed")
    screen.keys("q")
    screen.left()


def test_wide_characters_and_terminals_that_know_ascii_alone(lab):
    host = lab.host("mon")
    for env, wanted in ((("LC_ALL=C.UTF-8",), '"\u4f1a\u8b70\u5ba4 \u00e9"'),
                        (("LC_ALL=C",), '"??? ?"')):
        screen = Screen(lab, host, env=env)
        node = case.join(lab, lab.host(f"py{len(lab.hosts)}"), "enc-1", None)
        announce(node, "\u4f1a\u8b70\u5ba4 \u00e9")
        screen.wait(wanted, lambda text, name=wanted: f"enc-1 {name}" in text)
        screen.keys("q")
        screen.left()


def test_a_dumb_terminal_and_none_get_pictures_one_below_the_other(lab):
    host, key = lab.host("mon"), key_of(lab)
    crowd(lab, lab.host("py"), 1).close()
    case.join(lab, lab.host("py2"), "enc-9", "producer")
    done = exits(snoop(host, key, "--top", seconds=6.5), 0, "no terminal")
    true("\x1b" not in done.out and "enc-9" in done.out, done.out)
    true(done.out.count("LAST EVENTS") >= 2, done.out)
    ours, theirs = os.openpty()
    with subprocess.Popen(host.inside([agent.YOKE, "snoop", *CONTROL, "--psk-file", key, "--top",
                                       "--for", "6.5"]), stdout=theirs, stderr=subprocess.DEVNULL,
                          env={**os.environ, "TERM": "dumb"}):
        os.close(theirs)
        seen = b""
        with open(ours, "rb", buffering=0) as screen, contextlib.suppress(OSError):
            while part := screen.read(4096):
                seen += part
    true(b"\x1b" not in seen and b"enc-9" in seen, f"{seen!r}")


def test_no_frame_leaves_while_it_is_drawn(lab):
    host = lab.host("mon")
    case.join(lab, lab.host("py"), "enc-1", "producer")
    tap, screen = Tap(host), Screen(lab, host, "--for", "3")
    screen.left()
    kernel, rest = tap.frames()
    true(kernel, "the kernel reported the membership: the tap works")
    equal(rest, [], "frames from the snooper's host")


def test_what_cannot_stand_beside_it_is_refused(lab):
    host = lab.host("mon")
    for args in (["--json"], ["-q"], ["--check"], ["--media"], ["--topology", "dot"]):
        case.refused(snoop(host, key_of(lab), "--top", *args), 64, "--top")
    case.refused(snoop(host, key_of(lab), "--top", "--read", "x.pcap"), 78, "x.pcap")


def test_the_end_of_a_capture_stays_until_it_is_quit(lab):
    host, path = lab.host("mon"), lab.dir / "heard.pcap"
    recorder = Snooper(lab, host, key_of(lab), "--json", "--record", path)
    crowd(lab, lab.host("py"), 12)
    recorder.wait("the last", lambda line: line["type"] == "frame" and line["frame"]["origin"] == "enc-11")
    recorder.stop()
    with path.open("ab") as capture:
        capture.write(b"cut")
    screen = Screen(lab, host, "--read", path)
    text = screen.wait("the crowd", lambda text: "enc-11" in text and "q quit" in text)
    true("12 nodes, 12 live" in text, text)
    screen.wait("what is wrong with the file", lambda text: "heard.pcap" in text)
    screen.tmux("resize-window", "-x", 100, "-y", 12)
    screen.wait("fewer of them", lambda text: "enc-11" not in text and "enc-00" in text)
    screen.keys("End")
    screen.wait("the last of them", lambda text: "enc-11" in text and "enc-00" not in text)
    screen.keys("q")
    true("heard.pcap" in screen.left(78), "the error is there to be read")


def test_the_end_of_a_capture_is_printed_once_where_there_is_no_screen(lab):
    host, path = lab.host("mon"), lab.dir / "heard.pcap"
    recorder = Snooper(lab, host, key_of(lab), "--json", "--record", path)
    crowd(lab, lab.host("py"), 3)
    recorder.wait("the last", lambda line: line["type"] == "frame" and line["frame"]["origin"] == "enc-02")
    recorder.stop()
    done = exits(snoop(host, key_of(lab), "--read", path, "--top"), 0, "read")
    equal(done.out.count("3 nodes, 3 live"), 1, done.out)
