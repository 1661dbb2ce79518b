"""What is missing, what others hold, and what others do meanwhile."""

import case
import usb
from lab import wait_for

LONG_S = 120


def says(node, *parts):
    """Until the node's error text has all the parts."""
    return node.wait_me(f"says {parts}", lambda me: me["err"] is not None and all(p in me["err"] for p in parts))


def test_two_consumers_want_one_device_and_the_second_gets_it_when_the_first_lets_go(building):
    devices, seat = usb.room(building, "1-1")
    second = usb.importer(building, building.attic, "second").start()
    second.wait_hears("devices")
    seat.pair("devices")
    second.pair("devices", wait="applied")
    says(second, "busy")
    case.equal(seat.me()["state"], "active", "the first one")
    case.equal(usb.ports(building.attic), [], "ports of the second")
    seat.unpair()
    second.wait_state("active", LONG_S)
    usb.wait_ports(building.attic, 1)


def test_an_import_by_another_program_is_neither_used_nor_touched(building):
    usb.bind_by_hand(building, building.attic, "1-1")
    usb.import_by_hand(building, building.screen, building.attic, "1-1")
    devices, seat = usb.room(building, "1-1")
    seat.pair("devices")
    case.equal(len(usb.ports(building.screen)), 2, "ports in use")
    seat.unpair()
    case.equal(len(usb.ports(building.screen)), 1, "ports in use")


def test_an_import_of_the_very_device_by_another_program_is_left_alone_and_said(building):
    devices, seat = usb.room(building, "1-1")
    theirs = usb.import_by_hand(building, building.screen, building.desk, "1-1")
    seat.pair("devices", wait="applied")
    seat.wait_me("is not active and says why", lambda me: me["state"] != "active" and me["err"])
    seat.unpair()
    case.equal(usb.ports(building.screen), [theirs], "imports after the unpair")
    building.imports_of_others = []  # the producer's stop, with which the test ends, cuts it


def test_another_program_attaches_at_the_same_moment(building):
    usb.bind_by_hand(building, building.attic, "1-1")
    devices, seat = usb.room(building, "1-1", "1-2")
    seat.pair("devices", wait="applied")
    other = building.screen.send(f"n=0; until usbip attach -r {building.attic.address} -b 1-1 || [ $n -ge 10 ]; "
                                 "do n=$((n + 1)); done")
    seat.wait_state("active", LONG_S)
    case.equal(building.screen.wait(other, LONG_S).status, 0, "the other program's attach")
    in_use = usb.wait_ports(building.screen, 3)
    theirs = [port for port in in_use
              if building.attic.address in building.screen.read(f"/run/vhci_hcd/port{port.number}")]
    case.equal(len(theirs), 1, f"imports of the other program among {in_use}")
    building.imports_of_others.append((building.screen, theirs[0]))


def test_a_binding_by_another_program_is_exported_and_not_released(building):
    usb.bind_by_hand(building, building.desk, "1-1")
    devices, seat = usb.room(building, "1-1", usbipd=False)
    seat.pair("devices")
    seat.unpair()
    devices.stop()
    case.equal(usb.bound(building.desk)[0], ["1-1"], "bindings")


def test_an_explicit_unbind_is_not_repaired(building):
    devices, seat = usb.room(building, "1-1")
    building.desk.run("usbip unbind -b 1-1")
    says(devices, "1-1: somebody unbound it")
    case.equal(usb.driver_of(building.desk, "1-1"), "usb", "its driver")
    devices.stop()
    devices.start().wait_state("active")


def test_a_missing_module_is_named_and_all_is_well_when_it_comes(building):
    building.screen.run("rmmod vhci_hcd")
    building.desk.run("rmmod usbip_host")
    devices = usb.export(building, "1-1").start()
    seat = usb.importer(building).start()
    says(devices, "modprobe usbip-host")
    case.true("usbip-host" in devices.yoke("agent --check").out, "yoke agent --check names the module")
    building.desk.run("modprobe usbip-host")
    devices.wait_state("active")
    seat.wait_hears("devices")
    seat.pair("devices", wait="applied")
    says(seat, "vhci-hcd")
    case.true("vhci-hcd" in seat.yoke("agent --check").out, "yoke agent --check names the module")
    building.screen.run("modprobe vhci-hcd")
    seat.wait_state("active", LONG_S)


def test_a_missing_usbipd_is_named_and_all_is_well_when_it_comes(building):
    devices = usb.export(building, "1-1", usbipd=False).start()
    says(devices, "no usbipd at port 3240")
    building.desk.run("usbipd -D")
    devices.wait_state("active")
    building.desk.run("kill $(pidof usbipd)")


def test_a_taken_port_is_noticed_by_who_starts_usbipd(building):
    building.desk.run("usbipd -D")
    building.desk.wait_for("it listens", "usbip list -r 127.0.0.1")
    devices = usb.export(building, "1-1").start()
    says(devices, "usbipd", "is port 3240 taken?")
    building.desk.run("kill $(pidof usbipd)")
    devices.wait_state("active", LONG_S)


def test_who_is_not_root_is_told_and_touches_nothing(building):
    devices = usb.export(building, "1-1")
    seat = usb.importer(building)
    for node in (devices, seat):
        node.guest.run("mkdir -p /run/yoke && chown -R nobody /disk /run/yoke")
        check = node.guest.run(f"su nobody -s /bin/sh -c 'yoke agent --config {node.config_file} --check'")
        case.true("usbip: missing: root" in check, f"what --check says: {check}")
        node.start(user="nobody")
    says(devices, "run the agent as root")
    case.equal(usb.driver_of(building.desk, "1-1"), "usb", "its driver")
    devices.stop()
    usb.bind_by_hand(building, building.desk, "1-1")
    building.desk.run("chown -R root /disk /run/yoke")
    devices.config["driver"]["usbipd"] = False
    devices.configure()
    devices.start().wait_state("active")
    seat.wait_hears("devices")
    seat.pair("devices", wait="applied")
    says(seat, "root")
    case.equal(usb.ports(building.screen), [], "imports")
    building.screen.run("chown -R root /disk /run/yoke")
