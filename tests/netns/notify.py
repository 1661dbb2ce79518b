"""What the service manager is told, and how its watchdog is fed."""

import signal
import socket

import case
from lab import LabError, wait_for

WATCHDOG_US = 900_000


class Manager:
    """A service manager's end: everything an agent told it, in order."""

    def __init__(self, lab):
        self.path = lab.dir / "notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.socket.bind(str(self.path))
        self.told = []
        lab.on_close(self.socket.close)

    def lines(self):
        while True:
            try:
                self.told += self.socket.recv(4096).decode().split("\n")
            except BlockingIOError:
                return self.told

    def wait(self, *words):
        return wait_for(f"told {words}",
                        lambda: [li for li in self.lines() if all(w in li for w in words)],
                        explain=lambda: f"told: {self.told}")

    def start(self, made, watchdog=True):
        """Starts the agent below this manager."""
        env = {"NOTIFY_SOCKET": str(self.path)}
        if watchdog:
            env["WATCHDOG_USEC"] = str(WATCHDOG_US)
        return made.start(env=env)


def test_it_says_ready_how_it_is_and_that_it_stops(lab):
    manager = Manager(lab)
    case.encoder(lab)
    made = manager.start(case.decoder(lab, start=False), watchdog=False)
    manager.wait("READY=1")
    manager.wait("STATUS=", "idle, not paired")
    made.wait_hears("enc")
    case.pair(made, "dec", "enc")
    manager.wait("STATUS=", "active, shows enc, 1 nodes heard")
    made.stop()
    manager.wait("STOPPING=1")
    case.true("WATCHDOG=1" not in manager.told, "a watchdog was fed that nobody asked for")
    case.equal(manager.told.count("READY=1"), 1, "times it said READY")


def test_a_trouble_comes_first_in_the_status(lab):
    manager = Manager(lab)
    made = manager.start(case.decoder(lab, start=False), watchdog=False)
    manager.wait("STATUS=", "idle")
    made.host.unplug()
    manager.wait("STATUS=", "eth0", "idle")


def test_the_watchdog_is_fed_by_a_loop_that_runs_and_by_no_other(lab):
    manager = Manager(lab)
    made = manager.start(case.decoder(lab, start=False))

    def fed():
        return manager.lines().count("WATCHDOG=1")
    wait_for("fed three times", lambda: fed() >= 3)
    made.process.signal(signal.SIGSTOP)
    wait_for("the process stands still",
             lambda: open(f"/proc/{made.process.pid}/stat", encoding="ascii").read().split()[2] == "T")
    before = fed()
    try:
        wait_for("fed while it stands still", lambda: fed() > before, timeout=1.5)
        raise case.Failure("a process that stands still feeds the watchdog")
    except LabError:
        pass
    made.process.signal(signal.SIGCONT)
    wait_for("fed again", lambda: fed() > before)


def test_a_watchdog_of_another_process_is_not_fed(lab):
    manager = Manager(lab)
    made = case.decoder(lab, start=False)
    made.start(env={"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": "300000",
                    "WATCHDOG_PID": "1"})
    manager.wait("STATUS=")
    manager.wait("READY=1")
    made.stop()
    manager.wait("STOPPING=1")
    case.true("WATCHDOG=1" not in manager.told, manager.told)
