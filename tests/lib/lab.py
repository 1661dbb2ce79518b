"""A laboratory of network hosts on one Linux machine, made of private namespaces.

The process that calls enter() starts itself again in mount and network namespaces of its own (a user
namespace too when it is not root), so nothing it does is seen outside and nothing is left behind. Its
own network namespace is the switch: a bridge. A host is a pair of namespaces with one leg on that
bridge and a /run of its own, kept alive by a small process that ends when we end.

    enter()
    with Lab() as lab:
        host = lab.host("dec")
        host.run(["ip", "addr"])
        process = host.spawn("sleeper", ["sleep", "60"])
        host.unplug()

Standard library only. Everything waits for conditions with a deadline; nothing sleeps for luck.
"""

import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("BUILD", "build")).resolve()
SANITIZED = bool(os.environ.get("SAN"))

# Limits that a specification sets are asserted as they are, except where instrumented code on a busy
# machine cannot be held to them.
PATIENCE = 4 if SANITIZED else 1
DEADLINE_S = 30 * PATIENCE  # a wait that long has failed
TOOL_LIMIT_S = 60 * PATIENCE
OUTSIDE = "YOKE_LAB_OUTSIDE"  # network namespace of the process that called enter() first

MEMBERSHIP_S = 260  # how long a bridge believes a report
NET_PREFIX = "10.77.0."

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000
_PR_SET_CHILD_SUBREAPER = 36


class LabError(Exception):
    """A condition was not met, or a command failed."""


def shared_dir():
    """Where the second opinion lies, or None."""
    path = pathlib.Path(os.environ.get("YOKE_SHARED", ROOT.parent / "shared"))
    return path.resolve() if path.is_dir() else None


def _network_namespace():
    return os.readlink("/proc/self/ns/net")


def unshare_command():
    """The command that gives what follows it private namespaces."""
    command = ["unshare", "--mount", "--net", "--propagation", "private"]
    if os.geteuid() != 0:
        command[1:1] = ["--user", "--map-root-user"]
    return command + ["--"]


def _root_is_a_mount_point():
    with open("/proc/self/mountinfo", encoding="ascii", errors="replace") as mounts:
        return any(line.split()[4] == "/" for line in mounts)


def enter():
    """Starts this program again in private namespaces, unless it is there already."""
    outside = os.environ.get(OUTSIDE)
    if not outside or outside == _network_namespace():
        os.environ[OUTSIDE] = _network_namespace()
        command = unshare_command()
        probe = subprocess.run(command + ["true"], capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            remedy = ("run as root, or allow user namespaces "
                      "(sysctl kernel.unprivileged_userns_clone=1)")
            if not _root_is_a_mount_point():
                remedy = "this root is no mount point: mount --bind it onto itself, then enter it"
            sys.exit(f"namespaces: {probe.stderr.strip()}; {remedy}")
        os.execvp(command[0], command + [sys.executable, *sys.argv])
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    # Orphans of killed agents come to us, so that none is overlooked.
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for(what, check, timeout=DEADLINE_S, explain=None):
    """Gives the first true value of check(), or raises saying what did not happen."""
    deadline = time.monotonic() + timeout
    pause = 0.005
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > deadline:
            more = f"; {explain()}" if explain else ""
            raise LabError(f"not within {timeout:.0f} s: {what}{more}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def command(argv, **options):
    """Runs a command that has to work."""
    done = subprocess.run(argv, capture_output=True, text=True, check=False,
                          timeout=TOOL_LIMIT_S, **options)
    if done.returncode != 0:
        raise LabError(f"{' '.join(map(str, argv))}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Process:
    """A running program of the lab; its output goes to a file."""

    def __init__(self, name, argv, log, env=None):
        self.name = name
        self.log_path = log
        with open(log, "ab") as out:
            self.popen = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *map(str, argv)],
                                          stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                          env={**os.environ, **(env or {})})
        self.pid = self.popen.pid

    def log(self):
        return self.log_path.read_text(errors="replace")

    def running(self):
        return self.popen.poll() is None

    def signal(self, number):
        if self.running():
            self.popen.send_signal(number)

    def wait(self, timeout=DEADLINE_S):
        """The exit status; negative when a signal ended it."""
        try:
            return self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name}: still running after {timeout:.0f} s") from None

    def kill(self):
        """Power cut: no chance to do anything."""
        self.signal(signal.SIGKILL)
        return self.wait()

    def end(self):
        self.signal(signal.SIGTERM)
        return self.wait()

    def wait_log(self, text, timeout=DEADLINE_S):
        return wait_for(f'"{text}" in the log of {self.name}', lambda: text in self.log(), timeout)


class Host:
    """One computer: its own interfaces, its own /run, one leg on the switch."""

    def __init__(self, lab, name, number, plugged=True):
        self.lab = lab
        self.name = name
        self.address = f"{NET_PREFIX}{number}"
        self.leg = f"leg{number}"  # our end of the cable, on the switch
        self.keeper = subprocess.Popen(
            [*unshare_command(), "sh", "-c",
             "mount -t tmpfs tmpfs /run && echo ready && exec cat >/dev/null"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ},
            start_new_session=True)  # a terminal's interrupt is for us: the host ends when we close
        if self.keeper.stdout.readline() != b"ready\n":
            raise LabError(f"{name}: no namespaces for the host")
        self.root = pathlib.Path(f"/proc/{self.keeper.pid}/root")
        self.run(["ip", "link", "set", "lo", "up"])
        if plugged:
            self.add_interface()

    def inside(self, argv):
        """The command line that runs argv on this host, in place (the process id stays)."""
        return ["nsenter", "-t", str(self.keeper.pid), "-m", "-n", "-r", "--", *map(str, argv)]

    def run(self, argv):
        """Runs a command there that has to work; gives its output."""
        return command(self.inside(argv))

    def call(self, argv, env=None, timeout=TOOL_LIMIT_S, stdin=None):
        """Runs a command there whatever its end; gives subprocess.CompletedProcess."""
        return subprocess.run(self.inside(argv), capture_output=True, text=True, check=False,
                              timeout=timeout, env={**os.environ, **(env or {})}, stdin=stdin)

    def spawn(self, name, argv, env=None):
        """Starts a command there that goes on; it ends with the lab at the latest."""
        return self.lab.adopt(Process(name, self.inside(argv), self.lab.dir / f"{name}.log", env))

    @contextlib.contextmanager
    def entered(self):
        """Sockets made by this thread inside the block belong to the host."""
        with open("/proc/self/ns/net", "rb") as home, \
                open(f"/proc/{self.keeper.pid}/ns/net", "rb") as there:
            _setns(there.fileno())
            try:
                yield
            finally:
                _setns(home.fileno())

    # ---- the cable and the interface

    def add_interface(self, name="eth0", up=True):
        """A network card comes, with the host's address, and its cable to the switch."""
        command(["ip", "link", "add", self.leg, "type", "veth", "peer", "name", name,
                 "netns", str(self.keeper.pid)])
        command(["ip", "link", "set", self.leg, "master", "br0", "up"])
        if up:
            self.run(["ip", "addr", "add", f"{self.address}/24", "dev", name])
            self.link_up(name)
            # The kernel lets packets through a moment after it was told to.
            wait_for(f"{self.name}: carrier on {name}", lambda: self.has_carrier(name))

    def has_carrier(self, name="eth0"):
        """The cable is in at both ends, and the switch forwards what comes from there."""
        return " state UP " in self.run(["ip", "-o", "link", "show", "dev", name]) \
            and " state forwarding " in command(["bridge", "link", "show", "dev", self.leg])

    def link_up(self, name="eth0"):
        self.run(["ip", "link", "set", name, "up"])
        self.run(["ip", "route", "replace", "224.0.0.0/4", "dev", name])

    def link_down(self, name="eth0"):
        self.run(["ip", "link", "set", name, "down"])

    def remove_interface(self, name="eth0"):
        self.run(["ip", "link", "del", name])

    def change_address(self, address, name="eth0"):
        self.run(["ip", "addr", "flush", "dev", name])
        self.address = address
        self.run(["ip", "addr", "add", f"{address}/24", "dev", name])
        self.link_up(name)

    def unplug(self):
        """The cable is pulled at the switch: no carrier."""
        command(["ip", "link", "set", self.leg, "down"])

    def plug(self):
        command(["ip", "link", "set", self.leg, "up"])

    def lose(self, percent, port):
        """Of the datagrams that come in for `port`, this part is lost at random."""
        self.run(["nft", "add table ip lab; flush table ip lab; "
                  "add chain ip lab in { type filter hook input priority 0; }; "
                  f"add rule ip lab in udp dport {port} numgen random mod 100 < {percent} drop"])

    def query_groups(self):
        """Asks, as a multicast router of the network, once which groups are wanted: a snooping
        switch that is no querier itself knows from then on that there is one."""
        # IGMPv3, to be answered within 0.1 s; robustness 2, 125 s between queries
        general_query = bytes.fromhex("1101ec8100000000027d0000")
        with self.entered():
            sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_IGMP)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, b"\x94\x04\x00\x00")  # router alert
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(self.address))
        sock.sendto(general_query, ("224.0.0.1", 0))
        sock.close()

    # ---- what the kernel says

    def interface_index(self, name="eth0"):
        for line in self.run(["ip", "-o", "link"]).splitlines():
            number, device = line.split(":")[:2]
            if device.strip().split("@")[0] == name:
                return int(number)
        raise LabError(f"{self.name}: no interface {name}")

    def memberships(self, name="eth0"):
        """The IPv4 groups that the kernel has joined on an interface."""
        groups, device = set(), None
        for line in pathlib.Path(f"/proc/{self.keeper.pid}/net/igmp").read_text().splitlines()[1:]:
            words = line.split()
            if not line.startswith("\t"):
                device = words[1]
            elif device == name:
                number = int(words[0], 16).to_bytes(4, sys.byteorder)
                groups.add(".".join(map(str, number)))
        return groups

    def close(self):
        self.keeper.stdin.close()
        self.keeper.stdout.close()
        self.keeper.wait()


class Lab:
    """A switch and its hosts; closing it ends everything that was started in it."""

    def __init__(self, snooping=False):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="yoke-lab-"))
        self.hosts = []
        self.processes = []
        self.agents = []
        self._closers = []
        command(["ip", "link", "set", "lo", "up"])
        flag = "1" if snooping else "0"
        # In its first seconds the bridge floods reports, and under IGMPv2 a host that hears another
        # one's report keeps its own back: the switch would never know of it.
        command(["ip", "link", "add", "br0", "type", "bridge", "mcast_igmp_version", "3",
                 "mcast_snooping", flag, "mcast_querier", flag])
        command(["ip", "link", "set", "br0", "up"])

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def host(self, name, plugged=True):
        host = Host(self, name, len(self.hosts) + 1, plugged)
        self.hosts.append(host)
        return host

    def stop_querying(self):
        """The switch goes on snooping, but asks nobody any more."""
        command(["ip", "link", "set", "br0", "type", "bridge", "mcast_querier", "0"])

    def reported_ago(self, group, host):
        """Seconds since the snooping switch last heard that the host wants the group, or None."""
        for line in command(["bridge", "-s", "mdb", "show", "dev", "br0"]).splitlines():
            if f"port {host.leg} grp {group} " in line:
                return MEMBERSHIP_S - float(line.split()[-1])
        return None

    def forwards(self, group, host):
        """Does the snooping switch know that the host wants the group?"""
        return self.reported_ago(group, host) is not None

    def wait_reports_settled(self, host, groups):
        """Until the switch knows them and no report is on its way any more: under IGMPv3 one is
        repeated within a second."""
        wait_for(f"the reports of {host.name} have settled", lambda: all(
            (self.reported_ago(group, host) or 0) > 1.5 for group in groups))

    def adopt(self, process):
        self.processes.append(process)
        return process

    def on_close(self, close):
        """To be called when the lab ends, before the processes do."""
        self._closers.append(close)

    def logs(self, lines_max):
        """The end of everything that was printed by what ran here, for a person to read."""
        parts = []
        for path in sorted(self.dir.glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()
            parts += [f"---- {path.name}, {len(lines)} lines", *lines[-lines_max:]]
        return "\n".join(parts)

    def strays(self):
        """Live processes in the hosts' namespaces that nobody here knows."""
        spaces = {os.readlink(f"/proc/{host.keeper.pid}/ns/net") for host in self.hosts}
        known = {host.keeper.pid for host in self.hosts}
        known |= {process.pid for process in self.processes if process.running()}
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) not in known:
                with contextlib.suppress(OSError):
                    if os.readlink(f"/proc/{entry}/ns/net") in spaces:
                        found.append(int(entry))
        return found

    def close(self):
        for close in reversed(self._closers):
            close()
        for process in self.processes:
            if process.running():
                process.kill()
        for pid in self.strays():  # in namespaces that we made, so started by us
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for host in self.hosts:
            host.close()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        command(["ip", "link", "del", "br0"])
        shutil.rmtree(self.dir, ignore_errors=True)


def _setns(descriptor):
    if _libc.setns(descriptor, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
