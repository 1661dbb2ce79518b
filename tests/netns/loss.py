"""The tools on a bad network: a third of everything is lost, each way."""

import agent
import case
from case import equal, exits

LOSS_PERCENT = 30


def test_operations_from_a_host_without_an_agent_are_all_applied_in_time(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    desk = lab.host("desk")
    for host in (desk, dec.host):
        host.lose(LOSS_PERCENT, agent.PORT)
    # Where none of its announcements came through before, the decoder has to speak up.
    for number in range(10):
        words = ["pair", "dec", "enc"] if number % 2 == 0 else ["unpair", "dec"]
        done = agent.yoke(desk, *words, "--psk-file", dec.key_file, "--interface", "eth0", "--json")
        line = exits(done, 0, " ".join(words)).json()[-1]
        equal(line["outcome"], "applied", f"{words}")
