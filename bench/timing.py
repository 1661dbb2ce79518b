"""Commands timed in turns on a host of the laboratory, and what is said of many times."""

import statistics

from figures import WORK
from lab import LabError, command


class Times:
    """Milliseconds of many runs of one command."""

    def __init__(self, wall_us, cpu_us):
        self.ms = [us / 1000 for us in wall_us]
        self.cpu_ms = statistics.median(cpu_us) / 1000

    @property
    def median_ms(self):
        return statistics.median(self.ms)

    def of(self, other):
        """How many times the other, the median of the rounds."""
        return statistics.median(a / b for a, b in zip(self.ms, other.ms))


def quantile(values, part):
    """The value that so large a part of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def spawn_command(rounds, runs):
    argv = [str(WORK / "spawn"), str(rounds)]
    for number, (mode, words) in enumerate(runs):
        argv += (["--"] if number else []) + [mode, *map(str, words)]
    return argv


def read_spawn(text, count):
    columns = list(zip(*([float(word) for word in line.split()] for line in text.splitlines())))
    if len(columns) != 2 * count:
        raise LabError(f"spawn said {text[:200]!r}")
    return [Times(columns[2 * i], columns[2 * i + 1]) for i in range(count)]


def spawn(host, rounds, *runs, timeout=1200):
    """Runs (mode, command)s in turns; gives Times of each. Modes are those of bench/spawn.c."""
    done = host.call(spawn_command(rounds, runs), timeout=timeout)
    if done.returncode != 0:
        raise LabError(f"spawn: {done.stderr[-500:]}")
    return read_spawn(done.stdout, len(runs))
