"""Agents, computers, cables and devices come and go; the pairing stays."""

import case
import usb
from guest import KEYBOARD, MOUSE
from lab import wait_for

LONG_S = 120  # a dead peer is found, and the retries of half a minute


def paired(building, *busids, **driver):
    devices, seat = usb.room(building, *(busids or ("1-1",)), **driver)
    seat.pair("devices")
    return devices, seat


def test_an_orderly_restart_of_the_consumers_agent_lets_go_and_takes_again(building):
    _, seat = paired(building)
    seat.stop()
    case.equal(usb.ports(building.screen), [], "ports after the stop")
    usb.wait_status(building.desk, "1-1", 1)
    seat.start().wait_state("active")
    usb.wait_ports(building.screen, 1)


def test_a_killed_agent_knows_its_import_again_and_takes_it_anew(building):
    _, seat = paired(building)
    seat.kill()
    usb.wait_ports(building.screen, 1)
    seat.start().wait_state("active", LONG_S)
    usb.wait_ports(building.screen, 1)


def test_a_restart_of_the_producers_agent_cuts_and_exports_again(building):
    devices, seat = paired(building)
    devices.stop()
    case.equal(usb.driver_of(building.desk, "1-1"), "usb", "driver of the device after the stop")
    case.equal(usb.bound(building.desk), ([], []), "bindings after the stop")
    devices.start().wait_state("active")
    wait_for("the import is there again", lambda: len(usb.ports(building.screen)) == 1, LONG_S)
    seat.wait_state("active", LONG_S)


def test_a_killed_producers_agent_knows_its_bindings_again(building):
    devices, seat = paired(building)
    devices.kill()
    devices.start().wait_state("active")
    seat.wait_state("active")
    seat.unpair()
    devices.stop()
    case.equal(usb.driver_of(building.desk, "1-1"), "usb", "driver of the device")


def test_another_producer_replaces_the_first(building):
    devices, seat = paired(building)
    usb.export(building, "1-1", guest=building.attic, node_id="spare").start().wait_state("active")
    seat.wait_hears("spare")
    seat.pair("spare")
    usb.wait_ports(building.screen, 1)
    usb.wait_status(building.attic, "1-1", 2)
    usb.wait_status(building.desk, "1-1", 1)
    devices.wait_me("is free", lambda me: me["state"] == "active"
                    and "in use" not in me["driver_status"]["detail"])


def test_a_reboot_of_the_consumer_brings_the_import_back(building):
    _, seat = paired(building)
    building.screen.reboot()
    seat.start().wait_state("active", LONG_S)
    usb.wait_ports(building.screen, 1)


def test_a_reboot_of_the_producer_brings_the_import_back(building):
    devices, seat = paired(building)
    building.desk.reboot()
    devices.start().wait_state("active")
    seat.wait_me("is active with the new import", lambda me: me["state"] == "active", LONG_S)
    wait_for("the device is in use again", lambda: usb.status(building.desk, "1-1") == 2, LONG_S)
    usb.press_until_seen(building.desk, building.screen)


def test_a_power_cut_of_the_producer_is_seen_through_when_it_is_back(building):
    devices, seat = paired(building)
    building.desk.cut_power()
    seat.wait_state("pending")
    building.desk.boot()
    devices.start().wait_state("active")
    wait_for("the dead import is replaced", lambda: usb.status(building.desk, "1-1") == 2, LONG_S)
    seat.wait_state("active", LONG_S)
    usb.press_until_seen(building.desk, building.screen)


def test_after_a_power_cut_of_the_consumer_the_device_is_reclaimed_where_configured(building):
    devices, seat = paired(building, reclaim=True)
    building.screen.cut_power()
    usb.wait_status(building.desk, "1-1", 1)
    building.screen.boot()
    seat.start().wait_state("active", LONG_S)


def test_after_a_power_cut_of_the_consumer_the_stuck_device_is_reported_with_the_remedy(building):
    devices, seat = paired(building)
    building.screen.cut_power()
    devices.wait_me("says what to do",
                    lambda me: me["driver_status"] and "usbip unbind -b 1-1" in me["driver_status"]["detail"])
    case.equal(usb.status(building.desk, "1-1"), 2, "status of the device nobody frees")
    building.desk.run("usbip unbind -b 1-1")
    devices.stop()
    building.screen.boot()


def test_an_import_survives_a_cable_that_is_out_for_a_while(building):
    _, seat = paired(building)
    before = usb.wait_ports(building.screen, 1)
    building.desk.cable(False)
    seat.wait_state("pending")
    building.desk.cable(True)
    seat.wait_state("active", LONG_S)
    usb.press_until_seen(building.desk, building.screen)
    case.equal(usb.ports(building.screen), before, "the import")


def test_a_replugged_device_is_exported_and_imported_again(building):
    devices, seat = paired(building)
    building.desk.unplug("1")
    devices.wait_me("says what is missing", lambda me: me["err"] is not None and "1-1: not plugged in" in me["err"])
    usb.wait_ports(building.screen, 0)
    building.desk.plug("1", KEYBOARD)
    devices.wait_state("active")
    seat.wait_state("active", LONG_S)
    usb.press_until_seen(building.desk, building.screen)


def test_a_stop_while_the_device_is_unplugged_harms_no_kernel(building):
    """Nor does one in the middle of a binding: usbip-host follows pointers to devices that it never had."""
    devices = usb.export(building, "1-1")
    building.desk.run("dmesg -c >/dev/null")
    for step in (f"grep -q 1-1 {usb.HOST_DRIVER}/match_busid", "! ls /sys/bus/usb/devices/1-1/driver"):
        request = building.desk.send(f"until {step} >/dev/null 2>&1 || [ -e /run/enough ]; do :; done; "
                                     "kill $(pidof yoke-agent)")
        devices.start()
        building.desk.call("sleep 3; touch /run/enough")  # a step of microseconds may have gone by unseen
        building.desk.wait(request)
        devices.wait_ended()
        building.desk.run("rm /run/enough")
        case.equal(usb.driver_of(building.desk, "1-1"), "usb", f"driver after the stop at: {step}")
        case.equal(usb.bound(building.desk), ([], []), f"bindings after the stop at: {step}")
    devices.start().wait_state("active")
    building.desk.unplug("1")
    devices.wait_me("says what is missing", lambda me: me["err"] is not None and "1-1: not plugged in" in me["err"])
    devices.stop()
    case.equal(building.desk.call("dmesg | grep -E 'BUG|Oops'").out, "", "what the kernel complains of")
    building.desk.plug("1", KEYBOARD)
    devices.start().wait_state("active")


def test_another_device_in_the_socket_is_not_exported(building):
    devices, seat = usb.room(building, {"busid": "1-2", "id": "0403:6001"})
    seat.pair("devices")
    building.desk.unplug("2")
    usb.wait_ports(building.screen, 0)
    building.desk.plug("2", MOUSE)
    devices.wait_me("names the stranger", lambda me: me["err"] is not None and "another device is there (0627:0001" in me["err"])
    case.equal(usb.driver_of(building.desk, "1-2"), "usb", "driver of the stranger")
    case.equal(usb.ports(building.screen), [], "ports")
    building.desk.unplug("2")
    building.desk.plug("2", building.desk.plugged_at_boot["2"])
    seat.wait_state("active", LONG_S)
