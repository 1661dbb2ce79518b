"""USB devices follow the pairing, and are used through it."""

import case
import usb
from guest import STORAGE_TEXT


def test_a_paired_keyboard_and_a_paired_stick_are_used(building):
    devices, seat = usb.room(building, "1-1", "2-4")
    seat.pair("devices")
    usb.wait_ports(building.screen, 2)
    usb.press_until_seen(building.desk, building.screen)
    usb.read_block(building.screen, STORAGE_TEXT.decode())
    devices.wait_me("says what is in use", lambda me: me["driver_status"]
                    and "1-1 (in use), 2-4 (in use)" in me["driver_status"]["detail"])
    seat.unpair()
    case.equal(usb.ports(building.screen), [], "ports after the unpair")
    usb.wait_status(building.desk, "1-1", 1)
