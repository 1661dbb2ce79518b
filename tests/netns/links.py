"""Links that change faster than they are looked at, and hosts with nothing but loopback."""

import signal

import agent
import case
from lab import wait_for


def test_a_cable_out_and_in_before_anybody_looked_is_reported_anew(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    lab.stop_querying()
    lab.host("router").query_groups()
    lab.wait_reports_settled(dec.host, [agent.GROUP])
    dec.process.signal(signal.SIGSTOP)
    dec.host.unplug()
    wait_for("the kernel has noticed", lambda: not dec.host.has_carrier())
    wait_for("the switch has forgotten", lambda: not lab.forwards(agent.GROUP, dec.host))
    dec.host.plug()
    wait_for("carrier", dec.host.has_carrier)
    dec.process.signal(signal.SIGCONT)
    # Within the next look: a switch may pass nothing on at first.
    wait_for("the group is reported anew", lambda: lab.forwards(agent.GROUP, dec.host), 10)
    case.pair(enc, "dec", "enc")


def test_the_default_interface_may_be_loopback(lab):
    host = lab.host("alone", plugged=False)
    host.run(["ip", "route", "add", "224.0.0.0/4", "dev", "lo"])
    dec = case.decoder(lab, host=host, interface="0.0.0.0")
    enc = case.encoder(lab, host=host, interface="0.0.0.0")
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
