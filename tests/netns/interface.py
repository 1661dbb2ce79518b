"""Networks as they are: interfaces that come late, lose their carrier, change or come back."""

import agent
import case
from case import equal, exits, true
from lab import wait_for


def hears_again(observer, node, since):
    return observer.wait(f"{node.id} is heard again", "ann", node.id, since=since)


def joined(host, name="eth0"):
    return agent.GROUP in host.memberships(name)


def test_an_interface_that_comes_late_is_joined(lab):
    observer = case.observe(lab)
    host = lab.host("dec", plugged=False)
    dec = case.decoder(lab, host=host)
    dec.process.wait_log("waiting")
    true("eth0" in dec.process.log(), "the log names the interface")
    true(dec.status()["warnings"], "status warns")
    host.add_interface()
    observer.wait("announcement", "ann", "dec")
    wait_for("membership", lambda: joined(host))
    causes = [line.split("warning", 1)[1] for line in dec.process.log().splitlines()
              if "waiting" in line]
    equal(len(causes), len(set(causes)), f"each cause is said once: {causes}")
    enc = case.encoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")


def test_an_address_that_comes_late_is_joined(lab):
    observer = case.observe(lab)
    host = lab.host("dec", plugged=False)
    host.add_interface(up=False)
    dec = case.decoder(lab, host=host, interface=host.address)
    dec.process.wait_log("waiting")
    host.link_up()
    host.run(["ip", "addr", "add", f"{host.address}/24", "dev", "eth0"])
    observer.wait("announcement", "ann", "dec")
    wait_for("membership", lambda: joined(host))


def test_the_default_interface_may_come_late_too(lab):
    observer = case.observe(lab)
    host = lab.host("dec", plugged=False)
    case.decoder(lab, host=host, interface="0.0.0.0")
    host.add_interface()
    observer.wait("announcement", "ann", "dec")
    wait_for("membership", lambda: joined(host))


def test_a_cable_that_flaps_is_survived(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    for _ in range(10):
        dec.host.unplug()
        dec.host.plug()
    mark = observer.mark()
    hears_again(observer, dec, mark)
    exits(enc.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair after the flapping")
    dec.host.unplug()
    mark = observer.mark()
    observer.wait("the encoder goes on", "ann", "enc", since=mark, count=2)
    dec.host.plug()
    hears_again(observer, dec, mark)
    case.pair(enc, "dec", "enc")


def test_a_cable_back_in_a_snooping_switch_is_reported_without_a_query(lab):
    enc, dec = case.encoder(lab, driver={"type": "igmp"}), \
        case.decoder(lab, driver={"type": "igmp", "interface": "eth0"})
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    lab.stop_querying()
    lab.host("router").query_groups()
    groups = (agent.GROUP, case.MEDIA["group"])
    lab.wait_reports_settled(dec.host, groups)
    dec.host.unplug()
    wait_for("the switch has forgotten them",
             lambda: not any(lab.forwards(group, dec.host) for group in groups))
    dec.process.wait_log("no carrier")
    dec.host.plug()
    for group in groups:
        wait_for(f"{group} is reported anew", lambda: lab.forwards(group, dec.host), 10)
    exits(enc.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")


def test_an_interface_taken_down_and_up_is_joined_again(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    for _ in range(3):
        dec.host.link_down()
        mark = observer.mark()
        dec.host.link_up()
        hears_again(observer, dec, mark)
    case.pair(enc, "dec", "enc")


def test_a_changed_address_is_sent_from(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    dec.host.change_address("10.77.0.77")
    mark = observer.mark()
    wait_for("frames from the new address", lambda: any(
        h.source[0] == "10.77.0.77" for h in observer.select("ann", "dec", since=mark)))
    case.pair(enc, "dec", "enc")
    enc.wait_status("the new address is known", lambda s: any(
        n["id"] == "dec" and n["address"].startswith("10.77.0.77") for n in s["nodes"]))
    equal(enc.status()["warnings"], [], "one change of address is no conflict of ids")


def test_an_interface_made_anew_is_joined_again(lab):
    observer = case.observe(lab)
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    former = dec.host.interface_index()
    dec.host.remove_interface()
    dec.process.wait_log("waiting")
    dec.host.run(["ip", "link", "add", "other", "type", "veth", "peer", "name", "otherp"])
    dec.host.add_interface()
    true(dec.host.interface_index() != former, "it has another index now")
    mark = observer.mark()
    hears_again(observer, dec, mark)
    wait_for("membership", lambda: joined(dec.host))
    case.pair(enc, "dec", "enc")


def test_two_nodes_under_one_id_are_told_apart_from_one_that_moved(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.join(lab, lab.host("py"), "enc", "producer", media=case.OTHER_MEDIA)
    enc.wait_status("the encoder says that its id is taken",
                    lambda s: any("id" in w for w in s["warnings"]))
    true(enc.process.running(), "and goes on")


def test_a_tool_without_its_interface_says_so(lab):
    host = lab.host("desk", plugged=False)
    key = agent.key_file(lab.dir)
    done = agent.yoke(host, "pair", "dec", "enc", "--psk-file", key, "--interface", "eth7",
                      "--timeout", "1")
    true(done.exit in (69, 78), f"exit: {done!r}")
    true("eth7" in done.err, f"the message names the interface: {done.err}")
