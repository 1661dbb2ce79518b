"""USB/IP in the building: what exports, what imports, and what the kernels say of it."""

import re

import case
from lab import LabError, wait_for

VHCI = "/sys/devices/platform/vhci_hcd.0"
HOST_DRIVER = "/sys/bus/usb/drivers/usbip-host"
USE_S = 60  # a class driver of the importer may take its time


def export(building, *busids, guest=None, node_id="devices", **driver):
    """A producer of these devices, with a usbipd of its own unless told otherwise."""
    return building.node(guest or building.desk, node_id, "producer",
                         {"type": "usbip", "usbipd": True, "busids": list(busids), **driver})


def importer(building, guest=None, node_id="seat"):
    """A consumer."""
    return building.node(guest or building.screen, node_id, "consumer", {"type": "usbip"})


def room(building, *busids, **driver):
    """A producer and a consumer that hear each other, running."""
    devices = export(building, *busids, **driver).start()
    seat = importer(building).start()
    devices.wait_state("active")
    seat.wait_hears("devices")
    return devices, seat


class Port:
    """A port of a consumer's kernel that is not free."""

    def __init__(self, line):
        words = line.split()
        self.number, self.state, self.devid, self.local = int(words[1]), int(words[2]), words[4], words[6]

    def __repr__(self):
        return f"port {self.number} state {self.state} {self.devid} {self.local}"

    def __eq__(self, other):
        return repr(self) == repr(other)


def ports(guest):
    """The ports in use, by number; none without the module."""
    lines = guest.call(f"cat {VHCI}/status*").out.splitlines()
    return [port for port in (Port(line) for line in lines if re.match(r"[hs]s +\d", line)) if port.state != 4]


def wait_ports(guest, count):
    """Until so many are in use and connected; gives them."""
    found = [None]

    def look():
        found[0] = ports(guest)
        return len(found[0]) == count and all(port.state == 6 for port in found[0])
    wait_for(f"{guest.name}: {count} ports in use", look, USE_S, explain=lambda: f"found {found[0]}")
    return found[0]


def bound(guest):
    """The busids that are with usbip-host, and those in its table."""
    return (guest.call(f"cd {HOST_DRIVER} && ls -d [0-9]*-*").out.split(),
            guest.call(f"cat {HOST_DRIVER}/match_busid").out.split())


def driver_of(guest, busid):
    return guest.call(f"readlink /sys/bus/usb/devices/{busid}/driver").out.strip().split("/")[-1]


def status(guest, busid):
    """usbip_status: 1 available, 2 in use."""
    return int(guest.run(f"cat /sys/bus/usb/devices/{busid}/usbip_status"))


def wait_status(guest, busid, wanted):
    wait_for(f"{busid} has status {wanted}", lambda: status(guest, busid) == wanted, USE_S)


# ---- other programs

def bind_by_hand(building, guest, busid):
    """Somebody else exports a device, with a usbipd of their own."""
    guest.run(f"usbip bind -b {busid}")
    building.bindings_of_others.append((guest, busid))
    if guest.call("pidof usbipd").status != 0:
        guest.run("usbipd -D")
        guest.wait_for("usbipd listens", "usbip list -r 127.0.0.1")


def import_by_hand(building, guest, host, busid):
    """Somebody else imports a device; at the end of the test it has to be there still. Gives its port."""
    before = [port.number for port in ports(guest)]
    guest.wait_for("attach by hand", f"usbip attach -r {host.address} -b {busid}")
    wait_ports(guest, len(before) + 1)
    port = next(port for port in ports(guest) if port.number not in before)
    building.imports_of_others.append((guest, port))
    return port


def nothing_of_ours_is_left(building):
    """After the agents: imports and bindings are those of others, and these are as they were."""
    for guest in building.guests:
        others = [port for owner, port in building.imports_of_others if owner is guest]
        case.equal(ports(guest), others, f"imports of {guest.name}")
        for port in others:
            guest.run(f"usbip detach -p {port.number}")
    building.imports_of_others = []
    for guest in building.guests:
        others = [busid for owner, busid in building.bindings_of_others if owner is guest]
        with_driver, in_table = bound(guest)
        case.equal(sorted(with_driver), sorted(others), f"bindings of {guest.name}")
        case.equal(sorted(in_table), sorted(others), f"table of usbip-host of {guest.name}")
        for busid in others:
            guest.run(f"usbip unbind -b {busid}")
        guest.call("kill $(pidof usbipd)")
    building.bindings_of_others = []


# ---- using a device

def press_until_seen(keyboard_at, seat):
    """A key pressed on the emulated keyboard of one guest reaches the input device of another."""
    event = seat.wait_for("the keyboard is an input device",
                          "grep -A 4 'S: Sysfs=/devices/platform/vhci_hcd' /proc/bus/input/devices "
                          "| grep -o 'event[0-9]*'", USE_S).split()[0]
    request = seat.send(f"timeout {USE_S} head -c 24 /dev/input/{event} | wc -c")
    seat.wait_for("somebody reads the input device", f"ls -l /proc/[0-9]*/fd | grep -q /dev/input/{event}")
    keyboard_at.press("a")
    result = seat.wait(request)
    case.equal(result.out.strip(), "24", "bytes of the first input event")


def read_block(seat, text):
    """The first block of the imported stick."""
    disk = seat.wait_for("the stick is a disk", "ls -l /sys/block | grep vhci_hcd | grep -o 'sd[a-z]*$'", USE_S).strip()
    found = seat.wait_for("the disk can be read", f"dd if=/dev/{disk} bs=512 count=1", USE_S)
    if not found.startswith(text):
        raise LabError(f"{seat.name}: the first block of {disk} is {found[:64]!r}")
