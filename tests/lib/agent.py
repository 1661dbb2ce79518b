"""The programs under test, as a lab runs them: yoke-agent with its files, and the yoke tools."""

import json
import os
import socket
import time

import lab as lab_module
from lab import BUILD, DEADLINE_S, LabError, wait_for

YOKE = BUILD / "yoke"
KEY = b"a site key for tests only"
GROUP = "239.121.111.107"
PORT = 9753

# Instrumented programs have to fail loudly; what a tracer makes impossible is left out by its test.
SANITIZER_ENV = {
    "ASAN_OPTIONS": "abort_on_error=0:exitcode=99:detect_leaks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
}
SANITIZER_WORDS = ("ERROR: AddressSanitizer", "runtime error:", "ERROR: LeakSanitizer")


def key_file(directory, content=KEY + b"\n", name="site.psk"):
    path = directory / name
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def state_text(seq=1, producer=None, version=(0, "")):
    """The bytes of a state file."""
    state = {"pairing": {"producer": producer, "version": list(version)}, "seq": seq}
    return json.dumps(state, sort_keys=True, separators=(",", ":")).encode()


class Result:
    """How a tool ended."""

    def __init__(self, done, elapsed_s):
        self.exit = done.returncode
        self.out = done.stdout
        self.err = done.stderr
        self.elapsed_s = elapsed_s

    def json(self):
        """The lines of standard output, each a JSON object."""
        return [json.loads(line) for line in self.out.split("\n") if line]

    def __repr__(self):
        return f"exit {self.exit}\nstdout: {self.out}\nstderr: {self.err}"


def yoke(host, *args, timeout=lab_module.TOOL_LIMIT_S, env=None):
    """Runs `yoke ARGS` on a host."""
    start = time.monotonic()
    done = host.call([YOKE, *args], env={**SANITIZER_ENV, **(env or {})}, timeout=timeout)
    result = Result(done, time.monotonic() - start)
    if any(word in result.err for word in SANITIZER_WORDS):
        raise LabError(f"yoke {' '.join(map(str, args))}: {result!r}")
    return result


class Agent:
    """One yoke-agent on a host, with its configuration, key and state in a directory of its own."""

    def __init__(self, host, node_id, role, kind="hdmi", *, driver=None, media=None, name=None,
                 interface="eth0", psk=True, state_dir=None, status_socket=None, more=None):
        self.host = host
        self.id = node_id
        self.dir = host.lab.dir / node_id
        self.dir.mkdir(exist_ok=True)
        self.state_dir = state_dir or self.dir / "state"
        self.state_dir.mkdir(exist_ok=True)
        self.state_file = self.state_dir / "state.json"
        self.config_file = self.dir / "agent.json"
        self.status_socket = status_socket or f"/run/yoke/{node_id}.sock"
        self.process = None
        self.lives = 0
        host.lab.agents.append(self)
        node = {"id": node_id, "role": role, "kind": kind}
        if name is not None:
            node["name"] = name
        self.config = {
            "node": node,
            "network": {"group": GROUP, "port": PORT, "interface": interface},
            "state_file": str(self.state_file),
            "driver": driver or {"type": "null"},
            "log_level": "debug",
        }
        if psk:
            self.key_file = key_file(host.lab.dir)
            self.config["psk_file"] = str(self.key_file)
        if media is not None:
            self.config["media"] = media
        if status_socket:
            self.config["status_socket"] = status_socket
        self.config.update(more or {})
        self.write_config()

    def write_config(self):
        self.config_file.write_text(json.dumps(self.config, indent=1))

    def commission(self):
        result = yoke(self.host, "agent", "--config", self.config_file, "--commission")
        if result.exit != 0:
            raise LabError(f"{self.id}: commission: {result!r}")
        return self

    def start(self, wait=True, through=(), env=None):
        """Starts it (`through`: a command line it is started by, like a tracer)."""
        if not os.path.lexists(self.state_file):
            self.commission()
        self.lives += 1
        self.process = self.host.spawn(f"{self.id}.{self.lives}",
                                       [*through, YOKE, "agent", "--config", self.config_file],
                                       {**SANITIZER_ENV, **(env or {})})
        if wait:
            self.wait_started()
        return self

    def wait_started(self):
        def up():
            if not self.process.running():
                raise LabError(f"{self.id}: ended with {self.process.wait()} instead of starting: "
                               f"{self.process.log()[-2000:]}")
            return " started" in self.process.log() and self.try_status()
        return wait_for(f"{self.id} has started and serves its status", up)

    def try_status(self):
        """What its status socket says now, or None."""
        path = self.host.root / self.status_socket.lstrip("/")
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                client.settimeout(DEADLINE_S)
                client.connect(str(path))
                parts = []
                while part := client.recv(65536):
                    parts.append(part)
            return json.loads(b"".join(parts))
        except (OSError, ValueError):
            return None

    def status(self):
        found = self.try_status()
        if found is None:
            raise LabError(f"{self.id}: no answer from {self.status_socket}")
        return found

    def wait_status(self, what, predicate, timeout=DEADLINE_S):
        """Waits until predicate(status) is true; gives that status."""
        last = [None]

        def look():
            last[0] = self.try_status()
            return last[0] if last[0] is not None and predicate(last[0]) else None
        return wait_for(f"{self.id}: {what}", look, timeout, lambda: f"last status {last[0]}")

    def wait_state(self, state, timeout=DEADLINE_S):
        return self.wait_status(f"state {state}", lambda s: s["self"]["state"] == state, timeout)

    def wait_shows(self, producer, timeout=DEADLINE_S):
        return self.wait_status(f"paired with {producer}",
                                lambda s: s["self"]["pairing"]["producer"] == producer, timeout)

    def wait_hears(self, node_id, timeout=DEADLINE_S):
        return self.wait_status(
            f"hears {node_id}",
            lambda s: any(n["id"] == node_id and n["live"] for n in s["nodes"]), timeout)

    def saved(self):
        """The state file, parsed."""
        return json.loads((self.host.root / str(self.state_file).lstrip("/")).read_text())

    def stop(self):
        """Orderly stop; gives the exit status."""
        return self.process.end()

    def kill(self):
        """kill -9."""
        self.process.kill()

    def yoke(self, verb, *args, **options):
        """A tool on this agent's host, with this agent's network and key."""
        return yoke(self.host, verb, *args, "--config", self.config_file, **options)
