"""The importing side against real kernels where it alone is at work; the rest is in usb_*.py.

The exporting side here is the real usbipd with devices bound by hand, announced by a node that does
nothing else, so that each step of it is the test's own.
"""

import case
from lab import wait_for

NULL = {"type": "null"}
USBIP = {"type": "usbip"}
TCP_PORT = 3240
STATUS = "cat /sys/devices/platform/vhci_hcd.0/status*"


def ports(guest):
    """Port -> (state, local busid) of those that are not free."""
    lines = [line.split() for line in guest.run(STATUS).splitlines() if not line.startswith("hub")]
    return {int(line[1]): (int(line[2]), line[6]) for line in lines if line[2] != "004"}


def export(guest, *busids):
    for busid in busids:
        guest.run(f"usbip bind -b {busid}")
    guest.run("pidof usbipd || usbipd -D -P/run/usbipd.pid")
    guest.wait_for("usbipd listens", "usbip list -r 127.0.0.1")


def withdraw(guest, *busids):
    for busid in busids:
        guest.call(f"usbip unbind -b {busid}")
    guest.call("kill $(cat /run/usbipd.pid)")


def announce(building, busids, host="10.77.0.1", tcp_port=TCP_PORT, name="source"):
    """A producer that announces these and touches nothing."""
    media = {"host": host, "port": tcp_port, "busids": busids}
    return building.node(building.desk, name, "producer", NULL, media=media).start()


def sink(building, guest=None):
    return building.node(guest or building.screen, "sink", "consumer", USBIP).start()


class Export:
    """Devices of the desk, exported for the length of a test."""

    def __init__(self, building, *busids):
        self.building, self.busids = building, busids

    def __enter__(self):
        export(self.building.desk, *self.busids)
        self.source = announce(self.building, list(self.busids))
        self.sink = sink(self.building)
        self.sink.wait_hears("source")
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            withdraw(self.building.desk, *self.busids)


def nothing_is_left(guest):
    wait_for(f"{guest.name}: no port is in use", lambda: ports(guest) == {}, 20, lambda: str(ports(guest)))


def test_a_set_that_cannot_be_whole_leaves_nothing(building):
    export(building.desk, "1-1")
    announce(building, ["1-1", "1-2"])
    here = sink(building)
    here.wait_hears("source")
    here.pair("source", wait="applied")
    me = here.wait_state("error")
    case.true("1-2 is not exported" in me["err"], f"error: {me}")
    nothing_is_left(building.screen)
    building.desk.run("usbip bind -b 1-2")
    here.wait_state("active")
    here.unpair()
    nothing_is_left(building.screen)
    withdraw(building.desk, "1-1", "1-2")


def test_an_import_without_its_record_is_told_and_left(building):
    with Export(building, "1-1") as room:
        room.sink.pair("source")
        building.screen.run("rm /run/vhci_hcd/port0")
        room.sink.wait_log("port 0 is not provably ours any more")
        room.sink.unpair()
        case.equal(sorted(ports(building.screen)), [0], "ports")
        building.screen.run("usbip detach -p 0")
        room.sink.wait_log("port 0 needs no recovery any more")
        nothing_is_left(building.screen)


def test_a_device_removed_on_this_host_is_made_anew(building):
    with Export(building, "1-1") as room:
        room.sink.pair("source")
        local = ports(building.screen)[0][1]
        building.screen.run(f"echo 1 > /sys/bus/usb/devices/{local}/remove")
        room.sink.wait_log("has lost its device on this host")
        room.sink.wait_state("active")
        room.sink.unpair()
        nothing_is_left(building.screen)


def test_a_producer_that_says_nothing_holds_nobody_up(building):
    silent = building.desk.spawn("silent.log", "nc -l -p 3500 -e sleep 1000")
    announce(building, ["1-1"], tcp_port=3500)
    here = sink(building)
    here.wait_hears("source")
    here.pair("source", wait="applied")
    me = here.wait_state("error")
    case.true("no answer in time" in me["err"], f"error: {me}")
    here.unpair()
    nothing_is_left(building.screen)
    building.desk.call(f"kill {silent}")


def test_a_module_that_goes_takes_the_import_and_brings_it_back(building):
    with Export(building, "1-1") as room:
        room.sink.pair("source")
        building.screen.run("rmmod vhci_hcd")
        room.sink.wait_me("it says why", lambda me: "vhci-hcd is not loaded" in (me["err"] or ""))
        building.screen.run("modprobe vhci-hcd")
        room.sink.wait_state("active")
        room.sink.unpair()
        nothing_is_left(building.screen)
