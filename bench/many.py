"""As many agents as a building has hosts, one process each, on one machine."""

import statistics
import time

import agent
import case
from figures import say
from lab import Lab, wait_for
from rest import cpu_s, private_kib

SETTLE_S = 600  # until all of them hear each other, on a machine that has little to give
PAIRED = 20     # pairs that are switched, from first to last
WINDOW_S = 20


def start_all(lab, host, count):
    """Half of them encoders; all on one host, so each hears all others."""
    made = []
    for number in range(count):
        role = "producer" if number % 2 == 0 else "consumer"
        made.append(agent.Agent(host, f"{role[:3]}-{number:04}", role, media=case.MEDIA if number % 2 == 0 else None,
                                more={"log_level": "error"}))
        made[-1].state_file.write_bytes(agent.state_text())
        made[-1].state_file.chmod(0o600)
    for one in made:
        one.start(wait=False)
    return made


def hears(one, count):
    status = one.try_status()
    return status is not None and sum(node["live"] for node in status["nodes"]) == count - 1


def switch_some(made):
    """Seconds for PAIRED pairings, each saved, active and heard."""
    start = time.monotonic()
    for number in range(0, 2 * PAIRED, 2):
        case.pair(made[number], made[number + 1].id, made[number].id)
    return (time.monotonic() - start) / PAIRED


def many(args):
    """All hear each other, can be switched, and what each of them takes at rest."""
    count = args.agents
    with Lab() as lab:
        host = lab.host("building")
        start = time.monotonic()
        made = start_all(lab, host, count)
        waiting = list(made)

        def settled():
            while waiting and hears(waiting[-1], count):
                waiting.pop()
            return not waiting
        wait_for(f"all {count} hear each other", settled, SETTLE_S)
        converged = time.monotonic() - start
        switch = switch_some(made)
        before = [cpu_s(one.process.pid) for one in made]
        begun = time.monotonic()
        time.sleep(WINDOW_S)  # what is measured is what they do meanwhile
        passed = time.monotonic() - begun
        cpu = [(cpu_s(one.process.pid) - was) / passed for one, was in zip(made, before)]
        memory = [private_kib(one.process.pid) for one in made]
        lost = sum(made[i].status()["kernel_drops"] for i in range(0, count, 10))
    say("many", agents=count, converged_s=converged, switch_s=switch, cpu_percent=100 * statistics.mean(cpu),
        cpu_all_percent=100 * sum(cpu), private_kib=statistics.median(memory), most_kib=max(memory),
        lost_by_a_tenth=lost)
