"""What the measuring programs share: lines of figures, and samples of many rounds."""

import os
import pathlib
import platform
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = (ROOT / os.environ.get("BUILD", "build")).resolve()
WORK = BUILD / "bench"


def output(*argv, cwd=ROOT):
    return subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, text=True, check=True).stdout


def figures(*argv):
    """{name: value} of a program that prints such lines."""
    return {name: float(value) for name, value in map(str.split, output(*argv).splitlines())}


def say(name, **values):
    print(name, *(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in values.items()),
          flush=True)


def describe_machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    cpu = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    say("machine", cpu='"%s"' % (cpu.group(1) if cpu else platform.machine()), cores=os.cpu_count(),
        sha_instructions="yes" if re.search(r"\bsha_ni|sha2\b", text) else "no",
        kernel=platform.release(), compiler='"%s"' % output("cc", "--version").splitlines()[0],
        openssl=output("pkg-config", "--modversion", "libcrypto").strip(), load=os.getloadavg()[0])


class Samples:
    """Values by name, one a round."""

    def __init__(self):
        self.rounds = {}

    def add(self, found, prefix=""):
        for name, value in found.items():
            self.rounds.setdefault(prefix + name, []).append(value)

    def __contains__(self, name):
        return name in self.rounds

    def median(self, name):
        return statistics.median(self.rounds[name])

    def ratio(self, above, below):
        return statistics.median(a / b for a, b in zip(self.rounds[above], self.rounds[below]))
