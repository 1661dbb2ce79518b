"""kill -9 of the consumer's agent at every step of an attach and of a detach: its next life finds its
own again, makes nothing twice and leaves nothing behind."""

import case
import usb

LONG_S = 120
JOURNAL = "/disk/seat.state.usbip"
IN_USE = f"cat {usb.VHCI}/status* | grep -qE '^[hs]s +[0-9]+ 00[56]'"

# A step has been reached when the command succeeds on the consumer's computer.
ATTACH_STEPS = {
    "saved": "grep -q '\"producer\":\"devices\"' /disk/seat.state",
    "intended": f"grep -q intent {JOURNAL}",
    "asked": "pidof usbip",
    "imported": IN_USE,
    "recorded": "ls /run/vhci_hcd/port*",
    "made": f"grep -qE '\"(made|held)\"' {JOURNAL}",
    "held": f"grep -q held {JOURNAL}",
}
DETACH_STEPS = {
    "saved": "grep -q '\"producer\":null' /disk/seat.state",
    "freed": f"! {{ {IN_USE}; }}",
    "forgotten": f"! grep -qE 'intent|made|held' {JOURNAL}",
}


def kill_when(seat, step):
    """Starts to watch, without a pause; the agent is killed at the first sign."""
    return seat.guest.send(f"until {step} >/dev/null 2>&1; do :; done; kill -9 {seat.process}")


def test_killed_at_any_step_of_an_attach(building):
    devices, seat = usb.room(building, "1-1")
    for name, step in ATTACH_STEPS.items():
        killed = kill_when(seat, step)
        seat.yoke("pair seat devices --timeout 10")
        case.equal(seat.guest.wait(killed).status, 0, f"the kill at: {name}")
        seat.wait_ended()
        seat.start().wait_state("active", LONG_S)
        usb.wait_ports(building.screen, 1)
        seat.unpair()
        case.equal(usb.ports(building.screen), [], f"ports after the kill at: {name}")


def test_killed_at_any_step_of_a_detach(building):
    devices, seat = usb.room(building, "1-1")
    for name, step in DETACH_STEPS.items():
        seat.pair("devices")
        killed = kill_when(seat, step)
        seat.yoke("unpair seat --timeout 10")
        case.equal(seat.guest.wait(killed).status, 0, f"the kill at: {name}")
        seat.wait_ended()
        seat.start().wait_state("idle", LONG_S)
        case.equal(usb.ports(building.screen), [], f"ports after the kill at: {name}")


def test_killed_while_the_producer_binds(building):
    """At any step of its own: the next life exports, and its stop gives the device back."""
    devices = usb.export(building, "1-1")
    for step in ("ls /disk/devices.state.usbip", f"grep -q 1-1 {usb.HOST_DRIVER}/match_busid",
                 "! ls /sys/bus/usb/devices/1-1/driver", f"ls -d {usb.HOST_DRIVER}/1-1"):
        building.desk.run("rm -f /disk/devices.state.usbip")
        request = building.desk.send(f"until {step} >/dev/null 2>&1 || [ -e /run/enough ]; do :; done; "
                                     "kill -9 $(pidof yoke-agent)")
        devices.start()
        building.desk.call("sleep 3; touch /run/enough")  # a step of microseconds may have gone by unseen
        building.desk.wait(request)
        devices.wait_ended()
        building.desk.run("rm /run/enough")
        devices.start().wait_state("active")
        devices.stop()
        case.equal(usb.driver_of(building.desk, "1-1"), "usb", f"driver after the kill at: {step}")
        case.equal(usb.bound(building.desk), ([], []), f"bindings after the kill at: {step}")
