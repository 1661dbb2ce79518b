"""yoke why: the first broken link between a pairing and its picture, and the command to run next."""

import agent
import case
import igmp
from case import equal, exits, true
from lab import wait_for


def why(at, consumer, status):
    """Links by name, and the sum."""
    lines = exits(at.yoke("why", consumer, "--json"), status, f"why {consumer}").json()
    *links, total = lines
    true(all(line["v"] == 1 and line["type"] == "link" for line in links), links)
    equal(total["type"], "why", "type of the last line")
    equal(total["whole"], status == 0, "whole")
    return {link["link"]: link for link in links}, total


def broken(at, consumer, link, *words):
    links, total = why(at, consumer, 1)
    equal(total["broken"], link, f"the broken link: {links}")
    equal(list(links)[-1], link, "nothing comes behind the broken link")
    for word in words:
        true(word in links[link]["text"] + (links[link]["next"] or ""), f"{word!r} is not in {links[link]}")
    true(total["next"], "no command to run next")
    said = exits(at.yoke("why", consumer), 1, "why as text").out
    true("BROKEN" in said and "next:" in said, said)
    return links


def test_a_picture_that_comes_is_whole(lab):
    _, dec, _ = igmp.streams_up(lab)
    links, _ = why(dec, "dec", 0)
    for name in ("heard", "key", "clock", "saved", "paired", "producer", "kind", "media", "driver", "stream"):
        equal(links[name]["verdict"], "ok", f"{name}: {links.get(name)}")
    equal(links["querier"]["verdict"], "unchecked", "querier")
    true("none heard on eth0 yet" in links["querier"]["text"], links["querier"])


def querier(at):
    return why(at, "dec", 0)[0]["querier"]


def test_an_igmp_query_is_heard_by_the_agent_and_told_by_why(lab):
    enc, dec, _ = igmp.streams_up(lab)
    enc.host.query_groups()
    dec.wait_status("heard the query", lambda s: s["querier"]["heard"])
    link = querier(dec)
    equal(link["verdict"], "ok", link)
    true(f"{enc.host.address} asked" in link["text"] and "on eth0 (IGMPv3)" in link["text"], link)
    equal(querier(enc)["verdict"], "unchecked", "from another host")


def test_an_agent_that_may_not_listen_for_queries_says_so_and_works(lab):
    enc = igmp.sending(lab)
    dec = case.decoder(lab, driver=igmp.igmp(), start=False)
    dec.commission().start(through=["setpriv", "--bounding-set", "-net_raw", "--inh-caps", "-net_raw"])
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    link = querier(dec)
    equal(link["verdict"], "unchecked", link)
    true("not permitted" in link["text"] and "querier.conf" in link["text"], link)
    true("tcpdump -ni eth0 igmp" in link["next"], link)


def test_the_right_to_hear_queries_goes_to_no_child(lab):
    dec = case.decoder(lab, start=False)
    dec.commission().start(through=["setpriv", "--inh-caps", "+net_raw", "--ambient-caps", "+net_raw"])
    equal(dec.status()["querier"]["unheard"], None, "it listens")
    with open(f"/proc/{dec.process.pid}/status", encoding="ascii") as status:
        ambient = next(line.split()[1] for line in status if line.startswith("CapAmb:"))
    equal(int(ambient, 16), 0, "capabilities that a child would inherit")


def test_a_stream_that_does_not_come_is_the_broken_link(lab):
    enc = case.encoder(lab, driver=igmp.igmp())  # announces and sends nothing
    dec = case.decoder(lab, driver=igmp.igmp())
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    broken(dec, "dec", "stream", "nothing came in", "yoke snoop --media enc")


def test_from_another_host_the_stream_is_not_checked(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    links, _ = why(enc, "dec", 0)
    equal(links["stream"]["verdict"], "unchecked", "stream")
    true(dec.host.address in links["stream"]["next"], links["stream"])


def test_who_is_paired_with_nobody_is_told_how(lab):
    dec = case.decoder(lab)
    broken(dec, "dec", "paired", "yoke pair dec PRODUCER")


def test_a_producer_that_is_not_there_is_the_broken_link(lab):
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    enc.stop()
    dec.wait_state("pending")
    broken(dec, "dec", "producer", "goodbye", "systemctl start yoke-agent@enc")
    enc.start()
    dec.wait_state("active")
    enc.host.unplug()
    dec.wait_status("enc lost", lambda s: not any(n["live"] for n in s["nodes"]))
    broken(dec, "dec", "producer", enc.host.address, "ping")


def test_a_driver_that_fails_is_the_broken_link_with_its_next_try(lab):
    enc = igmp.sending(lab)
    dec = case.decoder(lab, driver=igmp.igmp("/nowhere/player"))
    case.wait_both(enc, dec)
    exits(dec.yoke("pair", "dec", "enc", "--timeout", "20"), 0, "pair")
    dec.wait_state("error")
    broken(dec, "dec", "driver", "cannot start", "journalctl")
    wait_for("the next try is said",
             lambda: "asked again in" in dec.yoke("why", "dec").out)


def test_another_key_is_named(lab):
    dec = case.decoder(lab)
    case.join(lab, lab.host("other"), "stranger", "consumer", key=b"another key")
    broken(dec, "stranger", "heard", "another key", dec.status()["key"])


def test_two_nodes_of_one_id_are_the_broken_link(lab):
    at = case.encoder(lab, "watcher")
    for name in ("one", "two"):
        case.join(lab, lab.host(name), "twin", "consumer")
    at.wait_status("sees two", lambda s: any("two senders" in w for w in s["warnings"]))
    broken(at, "twin", "id", "twin")


def test_both_agents_of_one_id_name_each_other(lab):
    """A copied card: the later one counts above the earlier, which counts below it for good."""
    twins = [agent.Agent(lab.host(name), "twin", "consumer", state_dir=lab.dir / name,
                         status_socket=f"/run/yoke/{name}.sock") for name in ("one", "two")]
    for one in twins:
        one.write_config()  # the two share a file's name, and each reads its own at its start
        one.start()
    for one, other in (twins, twins[::-1]):
        one.wait_status("names the other", lambda s, address=other.host.address: any(
            "id conflict: " + address in w for w in s["warnings"]))
        one.process.wait_log("id-conflict")
        true("clock" not in one.process.log(), "a twin is no trouble of the clock")


def test_nobody_at_all_exits_69_and_sends_nothing(lab):
    host = lab.host("alone")
    observer = case.observe(lab)
    key = case.offline(lab).key_file
    done = exits(agent.yoke(host, "why", "dec", "--psk-file", key, "--interface", "eth0"), 69, "why")
    true("nobody is heard" in done.err, done.err)
    equal([h for h in observer.heard if h.source[0] == host.address], [], "frames it sent")


def test_an_unknown_name_gets_the_nearest(lab):
    dec = case.decoder(lab, name="Lobby screen")
    done = exits(dec.yoke("why", "Loby screen"), 64, "why with a slip")
    true("Lobby screen" in done.err, done.err)


def test_an_id_that_is_not_heard_is_a_broken_link(lab):
    dec = case.decoder(lab)
    broken(dec, "dec-2", "heard", "not heard", "systemctl status yoke-agent@dec-2")


def test_list_names_both_addresses_of_one_id(lab):
    """Known from an agent of the host, at once."""
    at = case.encoder(lab, "watcher")
    addresses = [case.join(lab, lab.host(name), "twin", "consumer").address for name in ("one", "two")]
    at.wait_status("sees two", lambda s: any("two senders" in w for w in s["warnings"]))
    node = next(n for n in exits(at.yoke("list", "--json"), 0, "list").json() if n["id"] == "twin")
    equal(sorted((node["address"], node["also_at"])), sorted(addresses), "addresses of the two")


def test_list_says_which_yoke_the_agent_of_this_host_runs(lab):
    dec = case.decoder(lab)
    said = exits(dec.yoke("list"), 0, "list").out
    status = dec.status()
    true(f"agent dec on this host: yoke {status['version']}, commit {status['commit']}" in said, said)
