"""A yoke agent on a guest, and what a person there would ask it with the tools."""

import json

import agent
from guest import COMMAND_LIMIT_S
from lab import LabError, wait_for

WAIT_S = COMMAND_LIMIT_S  # emulated processors are slow, and slower on a busy machine
KEY_FILE = "/disk/site.psk"


class Node:
    """Its files are on the guest's disk, so that it can be started again after a power cut."""

    def __init__(self, guest, node_id, role, driver, kind="usb", **more):
        self.guest, self.id = guest, node_id
        self.config_file = f"/disk/{node_id}.json"
        self.log_file = f"{node_id}.log"  # in /run
        self.process = None
        self.config = {
            "node": {"id": node_id, "role": role, "kind": kind},
            "network": {"interface": "eth0"},
            "psk_file": KEY_FILE,
            "state_file": f"/disk/{node_id}.state",
            "driver": driver,
            "log_level": "debug",
            **more,
        }
        guest.write(KEY_FILE, agent.KEY)
        self.configure()
        guest.run(f"yoke agent --config {self.config_file} --commission && sync")

    def configure(self):
        self.guest.write(self.config_file, json.dumps(self.config, indent=1))

    def start(self, user=None):
        """Starts the agent, as another user if one is named."""
        command = f"yoke agent --config {self.config_file}"
        self.process = self.guest.spawn(
            self.log_file, command if user is None else f"su {user} -s /bin/sh -c 'exec {command}'")
        return self

    def is_running(self):
        return self.guest.call(f"kill -0 {self.process}").status == 0

    def wait_ended(self):
        self.guest.wait_for(f"{self.id} has ended", f"! kill -0 {self.process}", WAIT_S)

    def stop(self):
        """Orderly, and until it has ended."""
        self.guest.run(f"kill {self.process}")
        self.wait_ended()

    def kill(self):
        self.guest.run(f"kill -9 {self.process}")
        self.wait_ended()

    def log(self):
        return self.guest.read(f"/run/{self.log_file}")

    def wait_log(self, text):
        self.guest.wait_for(f"{text!r} in the log of {self.id}", f"grep -qF '{text}' /run/{self.log_file}")

    # ---- the tools, on this guest

    def yoke(self, words, limit_s=WAIT_S):
        return self.guest.call(f"yoke {words} --config {self.config_file}", limit_s)

    def nodes(self):
        """Who is there as the agent knows it: id -> line of `yoke list`."""
        result = self.yoke("list --json")
        if result.status != 0:
            raise LabError(f"{self.guest.name}: {result!r}")
        return {line["id"]: line for line in map(json.loads, result.out.splitlines())}

    def me(self):
        return self.nodes().get(self.id)

    def wait_me(self, what, condition, limit_s=WAIT_S):
        """Until condition(this node's line) is true; gives that line."""
        last = [None]

        def look():
            last[0] = self.me()
            return last[0] is not None and condition(last[0])
        wait_for(f"{self.id}: {what}", look, limit_s, lambda: f"last {last[0]}")
        return last[0]

    def wait_state(self, state, limit_s=WAIT_S):
        return self.wait_me(f"state {state}", lambda me: me["state"] == state, limit_s)

    def wait_hears(self, *others):
        wait_for(f"{self.id} hears {others}", lambda: all(
            self.nodes().get(other, {"live": False})["live"] for other in others), WAIT_S)

    def pair(self, producer, wait="active", status=0):
        """Pairs this consumer; gives the tool's result."""
        result = self.yoke(f"pair {self.id} {producer} --wait {wait} --timeout 50", 2 * WAIT_S)
        if result.status != status:
            raise LabError(f"{self.guest.name}: wanted exit {status}: {result!r}")
        return result

    def unpair(self, wait="idle"):
        result = self.yoke(f"unpair {self.id} --wait {wait} --timeout 50", 2 * WAIT_S)
        if result.status != 0:
            raise LabError(f"{self.guest.name}: {result!r}")
        return result
