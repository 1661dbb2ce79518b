"""The tools' exits, and what they print where."""

import contextlib
import hashlib
import os
import subprocess
import time

import agent
import case
import lab as lab_module
from case import equal, exits, true


def test_keygen_makes_a_private_key_once(lab):
    host = lab.host("h")
    path = lab.dir / "new.psk"
    made = exits(agent.yoke(host, "keygen", path), 0, "keygen")
    content = path.read_bytes()
    equal(len(content), 65, "64 digits and a line feed")
    true(set(content[:-1]) <= set(b"0123456789abcdef") and content[-1:] == b"\n", content)
    equal(path.stat().st_mode & 0o777, 0o600, "mode")
    equal(made.out.count(fingerprint(content[:-1])), 1, f"fingerprint in {made.out!r}")
    case.refused(agent.yoke(host, "keygen", path), 73, path)
    equal(path.read_bytes(), content, "the key afterwards")
    exits(agent.yoke(host, "keygen", "/nowhere/x.psk"), 73, "keygen into nowhere")


def fingerprint(key):
    return hashlib.sha256(b"yoke key" + key).hexdigest()[:8]


def test_usage_errors_exit_64(lab):
    host = lab.host("h")
    key = agent.key_file(lab.dir)
    usable = ("--psk-file", key, "--interface", "eth0")
    for args in (["pair"], ["pair", "dec"], ["pair", "dec", "enc", "more"], ["nonsense"], [],
                 ["pair", "dec", "dec", *usable], ["pair", ".bad", "enc", *usable],
                 ["pair", "dec", "enc", "--wait", "never", *usable],
                 ["pair", "dec", "enc", "--timeout", "x", *usable],
                 ["list", "--for", "-1", *usable], ["list", "--frobnicate"], ["keygen"],
                 ["agent"], ["agent", "--konfig", "x"]):
        done = exits(agent.yoke(host, *args), 64, " ".join(map(str, args)))
        equal(done.out, "", f"{args}: standard output")


def test_a_misspelt_option_is_refused_with_the_nearest(lab):
    host = lab.host("h")
    for args, near in ((["agent", "--confg", "x"], "--config"), (["agent", "--comission"], "--commission"),
                       (["pair", "--timout", "5", "a", "b"], "--timeout"), (["snoop", "--recrod", "x"], "--record"),
                       (["list", "--jsno"], "--json"), (["lst"], "list")):
        done = exits(agent.yoke(host, *args), 64, " ".join(args))
        true(f"did you mean {near}" in done.err.replace('"', "").replace("yoke ", ""), f"{args}: {done.err}")


def test_help_is_asked_for_on_every_command(lab):
    host = lab.host("h")
    for verb in ("agent", "pair", "unpair", "list", "why", "snoop", "keygen", "version"):
        done = exits(agent.yoke(host, verb, "--help"), 0, f"{verb} --help")
        true(verb in done.out and done.err == "", f"{verb} --help: {done!r}")
    exits(agent.yoke(host, "--help"), 0, "--help")
    version = exits(agent.yoke(host, "version"), 0, "version")
    true((lab_module.ROOT / "VERSION").read_text().strip() in version.out, version.out)


def test_an_unheard_decoder_exits_69(lab):
    host = lab.host("h")
    key = agent.key_file(lab.dir)
    start = time.monotonic()
    done = agent.yoke(host, "pair", "dec", "enc", "--psk-file", key, "--interface", "eth0",
                      "--timeout", "1", "--json")
    line = exits(done, 69, "nobody is there").json()[-1]
    true(time.monotonic() - start < 10 * lab_module.PATIENCE, "within its time-out")
    equal((line["outcome"], line["reason"]), ("unanswered", None), "result line")


def test_not_active_in_time_exits_75(lab):
    dec = case.decoder(lab)
    done = dec.yoke("pair", "dec", "enc", "--wait", "active", "--timeout", "1", "--json")
    line = exits(done, 75, "no producer").json()[-1]
    equal((line["outcome"], line["state"]), ("not-active", "pending"), "result line")
    equal(dec.saved()["pairing"]["producer"], "enc", "it is saved")


def on_terminal(host, args):
    """What a tool says on standard error when that is a terminal; it has to exit 0."""
    ours, theirs = os.openpty()
    with subprocess.Popen(host.inside([agent.YOKE, *args]), stdout=subprocess.PIPE,
                          stderr=theirs, text=True) as tool:
        os.close(theirs)
        out, _ = tool.communicate(timeout=lab_module.TOOL_LIMIT_S)
    said = ""
    with open(ours, "rb", buffering=0) as screen, contextlib.suppress(OSError):
        while True:  # until nobody has the terminal open: the read fails then
            said += screen.read(4096).decode()
    equal(tool.returncode, 0, f"{args}: {out}{said}")
    equal(len(out.splitlines()), 1, f"lines of standard output: {out!r}")
    return said


def test_progress_is_said_on_a_terminal_and_only_there(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    said = on_terminal(dec.host, ["pair", "dec", "enc", "--wait", "active",
                                  "--config", dec.config_file])
    for word in ("heard", "sent", "saved", "active"):
        true(word in said, f"{word!r} is not said: {said!r}")
    equal(exits(dec.yoke("unpair", "dec"), 0, "unpair").err, "", "standard error, no terminal")


def test_no_standard_output_left_exits_70(lab):
    dec = case.decoder(lab)
    done = dec.host.call(["sh", "-c", f"{agent.YOKE} list --config {dec.config_file} >/dev/full"])
    equal(done.returncode, 70, f"list to a full device: {done.stderr}")
