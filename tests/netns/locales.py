"""A locale with a decimal comma, and one whose capital i has a dot: wire, files, lines for machines and
metrics are the same bytes as in C."""

import re

import agent
import case
import web
from case import equal, exits, true
from lab import wait_for

PORT = 9754
LOCALES = {"de_DE": "decimal comma", "tr_TR": "dotted capital i"}
# What differs between any two runs: random names, keys, numbers. The point between digits stays.
VARIES = [(r"op-[0-9a-f]{16}|[0-9a-f]{64}", "H"), (r"-?[0-9]+", "N"),
          (r"N\.N s|N s|N ms", "TIME")]


def in_locale(lab, name):
    """The environment of a program that runs in that locale, made here where the machine has none. The C
    library itself keeps $LOCPATH for good, and no longer knows where: leaks are looked for elsewhere."""
    if name == "C":
        return {"LC_ALL": "C"}
    case.need_program("localedef")
    folder = lab.dir / "locales"
    folder.mkdir(exist_ok=True)
    made = folder / f"{name}.UTF-8" / "LC_NUMERIC"
    if not made.exists():  # it takes seconds
        done = lab.hosts[0].call(["localedef", "-i", name, "-f", "UTF-8", made.parent])
        if not made.exists():
            raise case.Skip(f"localedef makes no {name}: {done.stderr.strip()[-200:]}; apt install locales")
    return {"LC_ALL": f"{name}.UTF-8", "LANG": f"{name}.UTF-8", "LOCPATH": str(folder),
            "ASAN_OPTIONS": agent.SANITIZER_ENV["ASAN_OPTIONS"].replace("detect_leaks=1", "detect_leaks=0")}


def shape(text):
    for pattern, instead in VARIES:
        text = re.sub(pattern, instead, text)
    return text


def test_the_locales_are_what_they_are_meant_to_be(lab):
    lab.host("h")
    for name in LOCALES:
        said = lab.hosts[0].call(["locale", "-k", "LC_NUMERIC"], env=in_locale(lab, name)).stdout
        true('decimal_point=","' in said, f"{name}: {said}")


def one_life(lab, enc, dec, env, observer):
    """What programs in that locale say and write, by name, as far as it does not depend on the day."""
    enc.start(env=env)
    dec.start(env=env)
    case.wait_both(enc, dec)
    mark = observer.mark()
    pair = exits(dec.yoke("pair", "dec", "enc", "--wait", "active", "--timeout", "20", "--json", env=env), 0, "pair")
    dec.wait_state("active")
    wait_for("both announce so", lambda: all(
        any(h.verdict == "accept" and h.frame["type"] == "ann" and h.frame["origin"] == origin
            and h.frame["body"]["state"] == "active" for h in observer.heard[mark:]) for origin in ("enc", "dec")))
    said = {"pair": pair.out, "state": dec.state_file.read_text()}
    said["list"] = exits(dec.yoke("list", "--json", env=env), 0, "list").out
    said["why"] = exits(dec.yoke("why", "dec", "--json", env=env), 1, "why").out  # no stream comes
    said["check"] = exits(agent.yoke(dec.host, "agent", "--config", dec.config_file, "--check", env=env), 0, "check").out
    said["metrics"] = web.ask(dec.host, PORT, "/metrics").body.decode()
    said["http state"] = web.ask(dec.host, PORT, "/api/v1/state").body.decode()
    for origin in ("enc", "dec"):
        last = [h for h in observer.heard if h.verdict == "accept" and h.frame["origin"] == origin
                and h.frame["type"] == "ann" and h.frame["body"]["state"] == "active"][-1]
        said[f"wire {origin}"] = last.raw.decode()
    said["drops"] = str([h.verdict for h in observer.heard[mark:] if h.verdict not in ("accept", "dup")])
    equal((enc.stop(), dec.stop()), (0, 0), "stop")
    return {name: shape(text) for name, text in said.items()}


def test_agents_and_tools_say_the_same_in_every_locale(lab):
    observer = case.observe(lab)
    enc = case.encoder(lab, start=False, name="Iıİi")
    dec = case.decoder(lab, start=False, more={"telemetry": {"listen": f"127.0.0.1:{PORT}"}})
    in_c = one_life(lab, enc, dec, in_locale(lab, "C"), observer)
    true(re.search(r'"ts":N\.N', in_c["wire dec"]), "a stamp has a point")
    for name, oddity in LOCALES.items():
        there = one_life(lab, enc, dec, in_locale(lab, name), observer)
        for what, text in in_c.items():
            equal(there[what], text, f"{what}, {oddity}")


def test_a_capture_is_read_to_the_same_bytes_in_every_locale(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    path = lab.dir / "x.pcap"
    exits(dec.yoke("snoop", "--for", "4", "--record", path, "-q"), 0, "record")
    for form in (["--json"], [], ["--check", "--json"], ["--topology", "json"], ["--topology", "dot"]):
        read = {name: exits(dec.yoke("snoop", "--read", path, *form, env=in_locale(lab, name)), 0, f"{form}").out
                for name in ("C", *LOCALES)}
        true(read["C"], f"{form}: nothing is said")
        for name, oddity in LOCALES.items():
            equal(read[name], read["C"], f"{form}, {oddity}")


def test_a_configuration_is_read_the_same_in_every_locale(lab):
    """Numbers with a point, words with an i, and refusals too."""
    made = case.offline(lab).commission()
    for name in ("C", *LOCALES):
        env = in_locale(lab, name)
        exits(agent.yoke(made.host, "list", "--for", "0.5", "--config", made.config_file, env=env), 0, name)
        done = agent.yoke(made.host, "agent", "--config", made.config_file, "--LOG-LEVEL", "INFO", env=env)
        equal(done.exit, 64, f"an option in capitals, {name}")
        made.config["driver"]["type"] = "IGMP"
        made.write_config()
        case.refused(agent.yoke(made.host, "agent", "--config", made.config_file, env=env), 78, "driver.type")
        made.config["driver"]["type"] = "null"
        made.write_config()
