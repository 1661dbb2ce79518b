"""What a test in namespaces is written with.

A test is a function test_RULE(lab) of a file in tests/netns. It gets an open Lab, fails by any
exception and is skipped by Skip with a reason. After a test that did not fail, every agent still
running has to stop in an orderly way and no program may have anything from a sanitizer in its log.
"""

import shutil

import agent
import peer
from lab import PATIENCE, SANITIZED, wait_for

MEDIA = {"group": "239.10.0.5", "port": 5004}
OTHER_MEDIA = {"group": "239.10.0.6", "port": 5004}
STOP_LIMIT_S = 2.0  # of an orderly stop; the driver's own limit comes on top


class Skip(Exception):
    """The test cannot be done here; says why."""


class Failure(Exception):
    """Something is not as it has to be."""


def alone(test):
    """Marks a test whose times would be spoilt by others at the same time."""
    test.alone = True
    return test


def need_program(name):
    if shutil.which(name) is None:
        raise Skip(f"{name} is not installed")


def need_plain_build(reason):
    if SANITIZED:
        raise Skip(f"{reason} does not work with instrumented code")


def true(condition, what):
    if not condition:
        raise Failure(what)


def equal(found, wanted, what):
    if found != wanted:
        raise Failure(f"{what}: found {found!r}, wanted {wanted!r}")


def within(seconds, limit, what):
    """A limit of the specification, with what instrumented code is allowed on top."""
    if seconds > limit * PATIENCE:
        raise Failure(f"{what}: took {seconds:.2f} s, the limit is {limit:.2f} s")


def exits(result, wanted, what):
    if result.exit != wanted:
        raise Failure(f"{what}: wanted exit {wanted}, found {result!r}")
    return result


def observe(lab, key=agent.KEY):
    """A silent peer on a host of its own that hears everything from now on."""
    return join(lab, lab.host("observer"), "observer", None, key=key)


def join(lab, host, node_id, role, *, key=agent.KEY, **options):
    """A peer of ours on a host, as a node of the network."""
    node = peer.Peer(node_id, key, host.address, role=role, host=host, **options).start()
    lab.on_close(node.close)
    return node


def encoder(lab, node_id="enc", host=None, *, media=None, start=True, **options):
    """A producer's agent on a host of its own (or the one given), running."""
    made = agent.Agent(host or lab.host(node_id), node_id, "producer",
                       media=media or MEDIA, **options)
    return made.start() if start else made


def decoder(lab, node_id="dec", host=None, *, start=True, **options):
    """A consumer's agent on a host of its own (or the one given), running."""
    made = agent.Agent(host or lab.host(node_id), node_id, "consumer", **options)
    return made.start() if start else made


def offline(lab, role="consumer"):
    """An agent that is not started: its files, and the host to try them on."""
    return decoder(lab, start=False) if role == "consumer" else encoder(lab, start=False)


def run_agent(made, *options):
    """Runs an agent that is expected to end by itself."""
    return agent.yoke(made.host, "agent", "--config", made.config_file, *options)


def refused(result, status, *words):
    """It ended so, and its message names all of these and a next step."""
    exits(result, status, f"refusal with {words}")
    for word in words:
        true(str(word) in result.err, f"{word!r} is not in the message: {result.err}")
    true(";" in result.err, f"no next step in the message: {result.err}")


def pair(at, consumer, producer, wait="active"):
    """Pairs with the tool on the host of agent `at`; the result line."""
    result = exits(at.yoke("pair", consumer, producer, "--wait", wait, "--timeout", "20", "--json"),
                   0, f"pair {consumer} {producer}")
    return result.json()[-1]


def wait_both(first, second):
    """Two agents hear each other."""
    first.wait_hears(second.id)
    second.wait_hears(first.id)


def drops(running):
    return running.status()["drops"]


def leave_orderly(lab):
    """What every test ends with."""
    running = [a for a in lab.agents if a.process is not None and a.process.running()]
    for one in running:
        one.process.popen.terminate()
    for one in running:
        equal(one.process.wait(), 0, f"{one.id}: exit status of an orderly stop")
    for path in lab.dir.glob("*.log"):
        text = path.read_text(errors="replace")
        for word in agent.SANITIZER_WORDS:
            true(word not in text, f"{path.name}: {word}")
    wait_for("no process is left on a host", lambda: not lab.strays(),
             explain=lambda: f"left: {lab.strays()}")
