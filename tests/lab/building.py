"""The laboratory's building: three guests on one Ethernet, as every test finds them."""

import usb
from guest import HUB, KEYBOARD, MOUSE, SERIAL, STORAGE, Guest
from lab import LabError, command, wait_for
from node import Node

LOG_LINES_MAX = 80  # of each log that a failed test shows


class Building:
    """`desk` has devices in its sockets and may export them, `screen` may import, `attic` may do both.
    A test leaves all as it found it: tidy() sees to that, and restart() where it did not."""

    def __init__(self, images, folder):
        # Guests send to each other by a multicast group that only this network namespace knows.
        command(["ip", "link", "set", "lo", "up"])
        command(["ip", "route", "replace", "224.0.0.0/4", "dev", "lo"])
        self.desk = Guest(images, folder, "desk", "10.77.0.1", modules=["usbip-host"], usb={
            "1": KEYBOARD, "2": SERIAL, "3": HUB, "3.1": MOUSE, "4": STORAGE})
        self.screen = Guest(images, folder, "screen", "10.77.0.2", modules=["vhci-hcd"])
        self.attic = Guest(images, folder, "attic", "10.77.0.3", modules=["usbip-host", "vhci-hcd"],
                           usb={"1": KEYBOARD})
        self.guests = [self.desk, self.screen, self.attic]
        self.nodes = []
        self.imports_of_others = []  # (guest, port), and (guest, busid): what a test made beside yoke
        self.bindings_of_others = []

    def node(self, guest, node_id, role, driver, **more):
        """A node that ends with the test."""
        made = Node(guest, node_id, role, driver, **more)
        self.nodes.append(made)
        return made

    def boot(self):
        for guest in self.guests:
            guest.power_on()
        for guest in self.guests:
            guest.wait_booted()

    def cut_power(self):
        for guest in self.guests:
            guest.cut_power()

    def restart(self):
        """After a test that left who knows what."""
        self.cut_power()
        self.nodes = []
        self.imports_of_others, self.bindings_of_others = [], []
        self.boot()
        for guest in self.guests:
            guest.run("rm -rf /disk/*")

    def tidy(self):
        """Ends the nodes of a test that went well."""
        for node in self.nodes:
            if node.process is not None and node.is_running():
                node.stop()
        self.nodes = []
        usb.nothing_of_ours_is_left(self)
        for guest in self.guests:
            wait_for(f"no agent is left on {guest.name}",
                     lambda g=guest: g.call("pidof yoke-agent").status != 0)
            guest.run("rm -rf /disk/* /run/*.log")

    def logs(self):
        """What a person needs to see of a failed test."""
        parts = []

        def show(title, text):
            lines = text.splitlines()
            if lines:
                parts.extend([f"---- {title}, {len(lines)} lines", *lines[-LOG_LINES_MAX:]])
        for guest in self.guests:
            show(f"console of {guest.name}", guest.console.read_text(errors="replace"))
            if guest.is_on():
                try:
                    guest.resume()
                    show(f"files of {guest.name}", guest.call("tail -n +1 /run/*.log /run/vhci_hcd/*", 20).out)
                    show(f"kernel of {guest.name}", guest.call("dmesg", 20).out)
                except LabError as error:
                    parts.append(f"{guest.name} says nothing: {error}")
        return "\n".join(parts)
