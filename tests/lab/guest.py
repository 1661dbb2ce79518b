"""A computer of the laboratory: a virtual machine with a kernel, a disk and USB sockets of its own.

    guest = Guest(folder, "producer", "10.77.0.1", usb={"1": KEYBOARD, "4": STORAGE})
    guest.boot()
    guest.run("usbip list -l")         # gives its output; raises when it fails
    guest.unplug("1")                  # the socket 1 is empty now
    guest.cut_power()

Guests hear each other on one Ethernet, a multicast group on the loopback interface of the network
namespace they are started in, and nothing else. A guest's disk outlives its power; the rest does not.
Everything has a limit, and a guest dies with the process that started it.
"""

import base64
import json
import select
import socket
import subprocess
import time

from lab import LabError, command, wait_for

BOOT_LIMIT_S = 240
COMMAND_LIMIT_S = 60
MEMORY_MIB = 192
DISK_MIB = 16
WIRE = "239.77.0.1:7700"  # group and port of the Ethernet

# What can be in a socket. Socket N of a guest is busid 1-N; that of a storage device, which is
# SuperSpeed, is 2-N; "1.2" is socket 2 of the hub in socket 1.
KEYBOARD = {"driver": "usb-kbd"}
TABLET = {"driver": "usb-tablet"}
MOUSE = {"driver": "usb-mouse"}
HUB = {"driver": "usb-hub"}
SERIAL = {"driver": "usb-serial", "chardev": "nothing", "always-plugged": True}
STORAGE = {"driver": "usb-storage", "drive": "stick", "share-rw": True}
STORAGE_TEXT = b"a block of the stick\n"


class Result:
    """How a command ended."""

    def __init__(self, command, status, out, err):
        self.command, self.status, self.out, self.err = command, status, out, err

    def __repr__(self):
        return f"{self.command!r}: exit {self.status}\nstdout: {self.out}\nstderr: {self.err}"


class Line:
    """A stream to something in the machine, line by line."""

    def __init__(self, owner):
        self.owner = owner
        self.socket, self.far_end = socket.socketpair()
        self.buffer = b""

    def send(self, text):
        try:
            self.socket.sendall(text.encode() + b"\n")
        except OSError as error:
            raise LabError(f"{self.owner}: cannot be told anything: {error}") from None

    def receive(self, deadline, what):
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise LabError(f"{self.owner}: no answer in time to: {what}")
            part = self.socket.recv(1 << 16)
            if not part:
                raise LabError(f"{self.owner}: its machine ended during: {what}")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode().strip()

    def close(self):
        self.socket.close()


class Guest:
    def __init__(self, images, folder, name, address, usb=None, modules=()):
        self.images, self.folder, self.name, self.address = images, folder, name, address
        self.plugged_at_boot = dict(usb or {})
        self.modules = list(modules)
        self.process = None
        self.machine = self.shell = None  # lines: qemu's monitor, and the guest's command server
        self.asked = 0
        self.answers = {}  # of requests not waited for yet
        self.sockets = {}  # socket -> qemu's name of what is in it
        self.boots = 0
        self.console = folder / f"{name}.console.log"
        self.disk = folder / f"{name}.disk"
        self.stick = folder / f"{name}.stick"
        command(["mke2fs", "-F", "-t", "ext4", str(self.disk), f"{DISK_MIB}M"])
        self.stick.write_bytes(STORAGE_TEXT.ljust(4 << 20, b"\0"))

    # ---- power

    def _device(self, place, kind):
        self.asked += 1
        name = f"usb{self.asked}"
        self.sockets[place] = name
        return {"id": name, "bus": "xhci.0", "port": place, **kind}

    def _command(self):
        number = int(self.address.split(".")[-1])
        kernel_line = f"console=ttyS0 quiet panic=-1 random.trust_cpu=on mitigations=off no_timer_check " \
                      f"lab.name={self.name} lab.address={self.address} lab.modules={','.join(self.modules)}"
        command = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                   "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", str(MEMORY_MIB),
                   "-kernel", str(self.images / "vmlinuz"), "-initrd", str(self.images / "initramfs"),
                   "-append", kernel_line,
                   "-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console",
                   "-chardev", f"socket,id=machine,fd={self.machine.far_end.fileno()}",
                   "-mon", "chardev=machine,mode=control",
                   "-chardev", f"socket,id=shell,fd={self.shell.far_end.fileno()}",
                   "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=shell",
                   "-netdev", f"socket,id=wire,mcast={WIRE},localaddr=127.0.0.1",
                   "-device", f"virtio-net-pci,id=card,netdev=wire,romfile=,mac=52:54:00:77:00:{number:02x}",
                   "-drive", f"if=virtio,format=raw,file={self.disk}",
                   "-blockdev", f"driver=raw,node-name=stick,read-only=on,file.driver=file,file.filename={self.stick}",
                   "-chardev", "null,id=nothing",
                   "-device", "qemu-xhci,id=xhci,p2=8,p3=8"]
        for place, kind in self.plugged_at_boot.items():
            command += ["-device", json.dumps(self._device(place, kind))]
        return command

    def power_on(self):
        """Starts it and does not wait: boot() does both."""
        self.machine, self.shell = Line(f"{self.name} (qemu)"), Line(self.name)
        self.answers, self.sockets = {}, {}
        self.boots += 1
        ends = [self.machine.far_end, self.shell.far_end]
        with open(self.folder / f"{self.name}.qemu.log", "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self._command()], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, pass_fds=[end.fileno() for end in ends])
        for end in ends:
            end.close()

    def wait_booted(self):
        deadline = time.monotonic() + BOOT_LIMIT_S
        while self.shell.receive(deadline, "boot") != "ready":
            pass
        self.machine.receive(deadline, "greeting")
        self._monitor("qmp_capabilities")

    def boot(self):
        self.power_on()
        self.wait_booted()

    def is_on(self):
        return self.process is not None and self.process.poll() is None

    def _forget(self):
        self.process.wait()
        self.process = None
        self.machine.close()
        self.shell.close()

    def cut_power(self):
        """What was not synchronised to the disk is lost."""
        if self.process is not None:
            self.process.kill()
            self._forget()

    def reboot(self):
        """As an administrator's: daemons are asked to end and waited for, then the machine starts anew."""
        self.send("n=0; kill $(pidof yoke-agent usbipd); "
                  "while pidof yoke-agent usbipd && [ $n -lt 200 ]; do usleep 100000; n=$((n + 1)); done; "
                  " sync; umount /disk; reboot -f")
        try:
            self.process.wait(BOOT_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name}: does not shut down within {BOOT_LIMIT_S} s") from None
        self._forget()
        self.boot()

    # ---- commands

    def send(self, command):
        """Starts a command; wait() gives its end."""
        self.asked += 1
        self.shell.send(f"{self.asked} {base64.b64encode(command.encode()).decode()}")
        return self.asked, command

    def wait(self, request, limit_s=COMMAND_LIMIT_S):
        number, command = request
        deadline = time.monotonic() + limit_s
        while number not in self.answers:
            words = self.shell.receive(deadline, command).split(" ")
            out, err = ("" if text == "-" else base64.b64decode(text).decode(errors="replace")
                        for text in words[2:4])
            self.answers[int(words[0])] = int(words[1]), out, err
        return Result(command, *self.answers.pop(number))

    def call(self, command, limit_s=COMMAND_LIMIT_S):
        """Runs a command, whatever its end."""
        return self.wait(self.send(command), limit_s)

    def run(self, command, limit_s=COMMAND_LIMIT_S):
        """Runs a command that has to work; gives its output."""
        result = self.call(command, limit_s)
        if result.status != 0:
            raise LabError(f"{self.name}: {result!r}")
        return result.out

    def spawn(self, log, command):
        """Starts a program that goes on, its output in /run/LOG; gives its process id."""
        return int(self.run(f"setsid {command} >>/run/{log} 2>&1 & echo $!"))

    def write(self, path, data, mode=0o600):
        """A file of the guest, durably."""
        packed = base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()
        self.run(f"echo {packed} | base64 -d >{path} && chmod {mode:o} {path} && sync {path}")

    def read(self, path):
        """The text of a file, or "" where there is none."""
        return self.call(f"cat {path}").out

    def wait_for(self, what, command, limit_s=COMMAND_LIMIT_S):
        """Until the command succeeds there; gives its output."""
        last = [None]

        def look():
            last[0] = self.call(command)
            return last[0].status == 0
        wait_for(f"{self.name}: {what}", look, limit_s, lambda: repr(last[0]))
        return last[0].out

    # ---- the machine

    def _monitor(self, execute, **arguments):
        deadline = time.monotonic() + COMMAND_LIMIT_S
        self.machine.send(json.dumps({"execute": execute, "arguments": arguments}))
        while True:
            answer = json.loads(self.machine.receive(deadline, execute))
            if "error" in answer:
                raise LabError(f"{self.name}: {execute} {arguments}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def plug(self, place, kind):
        device = self._device(place, kind)
        self._monitor("device_add", **device)

    def unplug(self, place):
        """Waits until the socket is empty for qemu; the guest's kernel sees it a moment later."""
        name = self.sockets.pop(place)
        self._monitor("device_del", id=name)
        wait_for(f"{self.name}: {name} is out", lambda: name not in json.dumps(
            self._monitor("qom-list", path="/machine/peripheral")))

    def press(self, key):
        """A key of the newest emulated keyboard, down and up."""
        self._monitor("send-key", keys=[{"type": "qcode", "data": key}])

    def cable(self, plugged):
        self._monitor("set_link", name="card", up=plugged)

    def pause(self):
        """It goes silent: no answer, no reset."""
        self._monitor("stop")

    def resume(self):
        self._monitor("cont")
