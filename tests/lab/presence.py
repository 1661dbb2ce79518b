"""Agents on computers with kernels of their own: what holds whatever the driver."""

import case

NULL = {"type": "null"}
MEDIA = {"group": "239.10.0.5", "port": 5004}


def rooms(building):
    player = building.node(building.desk, "player", "producer", NULL, kind="hdmi", media=MEDIA).start()
    display = building.node(building.screen, "display", "consumer", NULL, kind="hdmi").start()
    display.wait_hears("player")
    return player, display


def test_agents_of_two_computers_pair_by_multicast(building):
    player, display = rooms(building)
    display.pair("player")
    player.wait_hears("display")
    case.equal(player.nodes()["display"]["pairing"]["producer"], "player", "what the producer hears")


def test_a_cut_cable_loses_the_peer_and_a_mended_one_brings_it_back(building):
    _, display = rooms(building)
    display.pair("player")
    building.desk.cable(False)
    display.wait_state("pending")
    building.desk.cable(True)
    display.wait_state("active")


def test_a_pairing_outlives_a_power_cut(building):
    _, display = rooms(building)
    display.pair("player")
    building.screen.cut_power()
    building.screen.boot()
    display.start().wait_state("active")


def test_a_pairing_outlives_a_reboot(building):
    _, display = rooms(building)
    display.pair("player")
    building.screen.reboot()
    display.start().wait_state("active")
