"""An agent's telemetry: true, only to be read, and of no consequence for what an agent is for."""

import json
import re
import time

import case
import lab as lab_module
import web
from case import equal, true
from snoop_http import Siege, check_metrics, find_promtool, high_water_kb

PORT = 9754
TELEMETRY = {"telemetry": {"listen": f"127.0.0.1:{PORT}"}}
ASKS = 30


def test_state_is_that_of_the_status_socket(lab):
    enc, dec = case.encoder(lab), case.decoder(lab, more=TELEMETRY)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    answer = web.ask(dec.host, PORT, "/api/v1/state")
    equal((answer.status, answer.headers["content-type"]), (200, "application/json"), "answer")
    state = answer.json()
    equal((state["v"], state["type"], state["source"], state["self"]), (1, "state", "agent", "dec"),
          "what it is")
    nodes = {node["id"]: node for node in state["nodes"]}
    equal(sorted(nodes), ["dec", "enc"], "nodes")
    equal((nodes["dec"]["state"], nodes["dec"]["pairing"]["producer"], nodes["enc"]["live"]),
          ("active", "enc", True), "what they do")
    equal(state["frames"]["drops"].keys(), dec.status()["drops"].keys(), "drops")
    for member in ("operations", "events"):
        equal(state[member], [], member)


def test_metrics_are_as_collectors_want_them(lab):
    promtool = find_promtool()
    dec = case.decoder(lab, name="\x1b[2J<\"\\\u202e>", more=TELEMETRY)
    text = web.ask(dec.host, PORT, "/metrics").body.decode()
    check_metrics(promtool, text)
    true('yoke_node_state{id="dec",state="idle"} 1\n' in text, text)
    true(re.search(r'^yoke_build_info\{program="yoke-agent",', text, re.MULTILINE), text)
    true(not any(c in text for c in "\x1b\u202e"), "raw characters")


def test_there_is_no_page_and_no_stream(lab):
    dec = case.decoder(lab, more=TELEMETRY)
    for path in ("/", "/api/v1/events", "/page.js"):
        equal(web.ask(dec.host, PORT, path).status, 404, path)
    equal(web.ask(dec.host, PORT, "/metrics", "POST").status, 405, "POST")
    true("yoke-http.so" in maps_of(dec.process.pid), "the server is loaded")


def maps_of(pid):
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        return maps.read()


def test_it_is_off_and_not_loaded_unless_asked_for(lab):
    dec = case.decoder(lab)
    true("microhttpd" not in maps_of(dec.process.pid), "no server is loaded")
    equal(dec.host.run(["ss", "-Hltn"]).strip(), "", "nothing listens")


def test_an_address_that_cannot_be_had_is_refused(lab):
    first = case.decoder(lab, more=TELEMETRY)
    second = case.decoder(lab, "dec-2", first.host, start=False, more=TELEMETRY).commission()
    case.refused(case.run_agent(second), 78, "telemetry.listen", f"127.0.0.1:{PORT}",
                 "another program listens there")
    second.config["telemetry"] = {"listen": "10.99.0.1:80"}
    second.write_config()
    case.refused(case.run_agent(second), 78, "telemetry.listen", "no address of this host")
    second.config["telemetry"] = {"listen": "monitor:80"}
    second.write_config()
    case.refused(case.run_agent(second, "--check"), 78, "telemetry.listen", "names are not looked up")


# ---- a hundred of them

def cadence(observer, since):
    """Seconds between announcements that nothing but time called for."""
    heard = observer.select("ann", "dec", since=since)
    return [b.at - a.at for a, b in zip(heard, heard[1:])]


def ack_times(observer, asker, start_n):
    """How long each of several requests takes to be answered: unpairs, so that no driver is asked."""
    times = []
    for n in range(start_n, start_n + ASKS):
        mark = observer.mark()
        asked = time.monotonic()
        asker.send("int", {"op": "unpair", "consumer": "dec", "version": [n, "op-1"]})
        heard = observer.wait(f"ack {n}", "ack", "dec", lambda b, n=n: b["version"][0] == n, mark)
        times.append(heard.at - asked)
    return times


@case.alone
def test_a_hundred_hostile_clients_move_neither_cadence_nor_acks(lab):
    observer = case.observe(lab)
    dec = case.decoder(lab, more=TELEMETRY)
    asker = case.join(lab, lab.host("py"), "cli-1", None)
    observer.wait("dec", "ann", "dec")
    calm = ack_times(observer, asker, 1)
    siege = Siege(dec.host, PORT)
    mark = observer.mark()
    time.sleep(9)
    gaps = cadence(observer, mark)
    besieged = ack_times(observer, asker, 1000)
    counts = dict(re.findall(r"^(yoke_http_\w+) (\d+)$",
                             web.ask(dec.host, PORT, "/metrics").body.decode(), re.MULTILINE))
    siege.end()
    memory = high_water_kb(dec.process.pid)
    print(f"announcements {min(gaps):.3f} to {max(gaps):.3f} s apart; acks calm: median "
          f"{sorted(calm)[ASKS // 2] * 1000:.1f} ms, worst {max(calm) * 1000:.1f}; besieged: "
          f"{sorted(besieged)[ASKS // 2] * 1000:.1f}, {max(besieged) * 1000:.1f}; {memory} kB; "
          f"{json.dumps(counts)}")
    true(len(gaps) >= 3, f"announcements: {gaps}")
    true(min(gaps) > 1.45, f"too early: {gaps}")
    case.within(max(gaps), 2.6, "an announcement")  # 2.5 by the specification, and the switch
    case.within(sorted(besieged)[ASKS // 2], 0.1, "half of the acks")
    case.within(max(besieged), 0.5, "every ack")
    true(int(counts["yoke_http_requests_refused_total"]) > 100, f"bad ones are refused: {counts}")
    true(lab_module.SANITIZED or memory < 64 * 1024, f"memory: {memory} kB")
