"""What the shells offer behind a tab: verbs, options, and the nodes that an agent of this host hears."""

import os

import case
from lab import BUILD, ROOT

ZSH = r"""
autoload -Uz compinit; compinit -u -D
source %(folder)s/_yoke 2>/dev/null
compadd() { [[ $1 == -- ]] && shift; print -l -- "$@" }
_describe() { print -l -- ${${(P)2}%%%%:*} }
words=(%(words)s); CURRENT=$#words
_yoke
"""


def bash(host, words):
    quoted = " ".join(f"'{w}'" for w in words)
    return host.run(["bash", "-c", f"source {ROOT}/completions/yoke.bash; COMP_WORDS=({quoted}); "
                     f"COMP_CWORD={len(words) - 1}; _yoke; printf '%s\\n' \"${{COMPREPLY[@]}}\""])


def fish(host, words):
    line = " ".join(words)
    return host.run(["env", f"PATH={BUILD}:{os.environ['PATH']}", "HOME=/nonexistent", "fish", "--no-config",
                     "-c", f"source {ROOT}/completions/yoke.fish; complete -C '{line}'"])


def zsh(host, words):
    quoted = " ".join(f"'{w}'" for w in words)
    return host.run(["zsh", "-f", "-c", ZSH % {"folder": ROOT / "completions", "words": quoted}])


def offered(shell, host, *words):
    """The words a shell offers for the last one of these."""
    name = "yoke" if shell is fish else str(BUILD / "yoke")
    return {line.split("\t")[0] for line in shell(host, [name, *words]).splitlines()}


def completes(lab, shell):
    case.need_program(shell.__name__)
    case.need_plain_build("a shell that waits for many short programs")
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    host, config = dec.host, str(dec.config_file)
    verbs = offered(shell, host, "")
    case.true({"agent", "pair", "list", "why", "snoop"} <= verbs, f"verbs: {verbs}")
    options = offered(shell, host, "list", "--")
    case.true({"--for", "--json", "--config"} <= options, f"options: {options}")
    consumers = offered(shell, host, "pair", "--config", config, "")
    case.true("dec" in consumers and "enc" not in consumers, f"consumers: {consumers}")
    producers = offered(shell, host, "pair", "dec", "--config", config, "")
    case.true("enc" in producers and "dec" not in producers, f"producers: {producers}")
    states = offered(shell, host, "unpair", "dec", "--wait", "")
    case.true({"applied", "idle"} <= states and "active" not in states, f"states: {states}")


def test_bash_offers_verbs_options_and_nodes(lab):
    completes(lab, bash)


def test_fish_offers_verbs_options_and_nodes(lab):
    completes(lab, fish)


def test_zsh_offers_verbs_options_and_nodes(lab):
    completes(lab, zsh)
