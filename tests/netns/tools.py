"""The tools' exits, and what they print where."""

import hashlib
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


def test_help_is_asked_for_on_every_command(lab):
    host = lab.host("h")
    for verb in ("agent", "pair", "unpair", "list", "keygen", "version"):
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


def test_no_standard_output_left_exits_70(lab):
    dec = case.decoder(lab)
    done = dec.host.call(["sh", "-c", f"{agent.YOKE} list --config {dec.config_file} >/dev/full"])
    equal(done.returncode, 70, f"list to a full device: {done.stderr}")
