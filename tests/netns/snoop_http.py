"""yoke snoop --http: what a browser and a collector are told is true, and nobody out there can harm."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import agent
import case
import lab as lab_module
import snoop_top
import web
import wire
from case import equal, exits, true
from snoop import CONTROL, FRAME, Snooper, Tap, is_change, key_of, monitored_child, snoop

LIB = lab_module.ROOT / "tests/lib"
HOSTILE = "\x1b[2J\u202e\u200b</script><b>\"'\\\n\x07" + "\U0001f600" * 40


class Served:
    """A snooper that serves on a port the kernel chose."""

    def __init__(self, lab, *args, host=None, **options):
        self.host = host or lab.host("mon")
        self.snooper = Snooper(lab, self.host, key_of(lab), "--http", "0", "--json", *args,
                               **options)
        self.process = self.snooper.process
        self.process.wait_log("/ shows this")
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", self.process.log())[1])

    def ask(self, path, *args, **options):
        return web.ask(self.host, self.port, path, *args, **options)

    def state(self):
        answer = self.ask("/api/v1/state")
        equal(answer.status, 200, f"state: {answer}")
        return answer.json()

    def wait_state(self, what, check):
        return lab_module.wait_for(f"the state says: {what}",
                                   lambda: (lambda s: s if check(s) else None)(self.state()),
                                   explain=self.state)

    def stream(self, path="/api/v1/events", headers=()):
        return web.Stream(self.host, self.port, path, headers)

    def stop(self):
        return self.snooper.stop()


def node_of(state, node_id):
    return next((n for n in state["nodes"] if n["id"] == node_id), None)


def test_state_and_events_follow_a_pairing(lab):
    served = Served(lab, "-q")
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    served.wait_state("both nodes", lambda s: node_of(s, "enc") and node_of(s, "dec"))
    before = served.state()
    stream = served.stream(f"/api/v1/events?after={before['event']}")
    equal((stream.status, stream.headers["content-type"]),
          (200, "text/event-stream; charset=utf-8"), "the stream")
    version = case.pair(dec, "dec", "enc")["version"]
    paired = time.monotonic()
    told = stream.until(lambda name, data: name == "change" and data["what"] == "operation"
                        and data["detail"]["outcome"] == "active")
    case.within(time.monotonic() - paired, 1, "the page hears of it")
    equal((told["id"], told["detail"]["version"]), ("dec", version), "the operation")
    equal((told["node"]["state"], told["node"]["pairing"]["producer"]), ("active", "enc"),
          "the node after it")
    state = served.wait_state("active", lambda s: node_of(s, "dec")["state"] == "active")
    equal(state["operations"][0]["outcome"], "active", "the operation in the state")
    true(any(e["event"] == told["event"] for e in state["events"]), "the event in the state")
    dec.kill()
    lost = stream.until(lambda name, data: name == "change" and data["what"] == "peer-lost")
    equal((lost["id"], lost["node"]["presence"], lost["said"]), ("dec", "lost", False), "lost")
    served.stop()


def test_a_stream_goes_on_where_it_was_and_says_what_is_missing(lab):
    served = Served(lab, "-q")
    node = case.join(lab, lab.host("py"), "enc-1", None)
    stream = served.stream()
    for _ in range(3):
        node.send("evt", {"event": "started", "detail": {}})
    seen = [stream.until(lambda name, _: name == "change")["event"] for _ in range(3)]
    stream.close()
    again = served.stream(headers=[f"Last-Event-ID: {seen[0]}"])
    equal([again.until(lambda name, _: name == "change")["event"] for _ in range(2)], seen[1:],
          "what comes again")
    life = seen[0].rpartition("-")[0]
    other = served.stream(f"/api/v1/events?after=0{life[1:]}x-7")
    equal(other.until(lambda name, _: name == "missed")["missed"], None, "another life's id")
    for _ in range(700):  # more than are kept
        node.send("evt", {"event": "started", "detail": {}})
    served.wait_state("all of them", lambda s: s["event"] == f"{life}-703")
    late = served.stream(f"/api/v1/events?after={seen[0]}")
    missed = late.until(lambda name, _: name == "missed")["missed"]
    equal(missed, 703 - 512 - 1, "missed")
    equal(late.until(lambda name, _: name == "change")["event"], f"{life}-{1 + missed + 1}",
          "the first that is kept")
    served.stop()


def test_a_stream_beats_while_nothing_happens(lab):
    served = Served(lab, "-q")
    stream = served.stream()
    beats = []
    for name, event_id, data in stream:
        equal((name, event_id, data["type"]), ("beat", None, "beat"), "an event of silence")
        beats.append(time.monotonic())
        if len(beats) == 3:
            break
    case.within(beats[2] - beats[1], 3, "one more beat")
    true(beats[2] - beats[1] > 1.5, f"beats too often: {beats}")
    served.stop()


def test_only_reading_is_served(lab):
    served = Served(lab, "-q")
    for path in ("/", "/page.css", "/page.js", "/icon.svg", "/api/v1/state", "/metrics"):
        answer = served.ask(path)
        equal(answer.status, 200, path)
        equal(int(answer.headers["content-length"]), len(answer.body), f"length of {path}")
        head = served.ask(path, "HEAD")
        equal((head.status, head.body, head.headers["content-type"]),
              (200, b"", answer.headers["content-type"]), f"HEAD {path}")
        equal(answer.headers["x-content-type-options"], "nosniff", path)
        policy = answer.headers["content-security-policy"]
        true("default-src 'none'" in policy and "unsafe" not in policy, policy)
    equal(served.ask("/api/v1/events", "HEAD").status, 200, "HEAD of the stream")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get", "ZEBRA"):
        answer = served.ask("/", method)
        equal((answer.status, answer.headers.get("allow")), (405, "GET, HEAD"), method)
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/index.html", "//", "/page.css/",
                 "/api/v1/state/..", "/metrics%00", "/api/v2/state", "/%"):
        equal(served.ask(path).status, 404, path)
    body = served.ask("/", headers=["Content-Length: 5"])
    equal(body.status, 413, f"a body: {body}")
    equal(served.ask("/api/v1/state?x=y&z").status, 200, "a query is ignored")
    served.stop()


def test_a_page_of_another_site_cannot_read_by_a_name_of_its_own(lab):
    served = Served(lab, "-q")

    def status(name):
        request = f"GET /api/v1/state HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"
        return web.Answer(web.exchange(served.host, served.port, request.encode())).status
    for name in ("127.0.0.1", f"127.0.0.1:{served.port}", "localhost", "LOCALHOST:1", "[::1]:80"):
        equal(status(name), 200, name)
    for name in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "x"):
        equal(status(name), 421, name)
    served.stop()


def test_requests_may_follow_each_other_on_one_connection(lab):
    served = Served(lab, "-q")
    one = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    last = "GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    raw = web.exchange(served.host, served.port, (one * 5 + last).encode())
    equal(raw.count(b"HTTP/1.1 200 OK"), 6, "answers")
    true(raw.endswith(b"</svg>\n") or raw.rstrip().endswith(b"</svg>"), raw[-100:])
    served.stop()


def test_hostile_names_stay_text(lab):
    promtool = find_promtool()
    served = Served(lab, "-q")
    stream = served.stream()
    node = case.join(lab, lab.host("py"), "enc-1", None)
    node.send("ann", {"role": "producer", "kind": "hdmi", "name": HOSTILE, "state": "error",
                      "err": HOSTILE, "pairing": None, "media": None})
    told = stream.until(lambda name, _: name == "change")
    equal(told["node"]["name"], HOSTILE, "the name in the event")
    equal(node_of(served.state(), "enc-1")["err"], HOSTILE, "the text in the state")
    text = served.ask("/metrics").body.decode()
    true(not any(c in text for c in "\x1b\u202e\u200b\x07"), "raw characters in the metrics")
    equal(len([line for line in text.splitlines() if line.startswith("yoke_node_info{")]), 1,
          "series of the node")
    check_metrics(promtool, text)
    served.stop()


def find_promtool():
    """Debian's package of it brings a whole server: tools/deps ci takes this program out of it."""
    found = shutil.which("promtool", path=f"{os.environ['PATH']}:{lab_module.ROOT}/build/tools")
    if found is None:
        raise case.Skip("promtool is not installed; tools/deps ci fetches it")
    return found


def check_metrics(promtool, text):
    done = subprocess.run([promtool, "check", "metrics"], input=text, text=True,
                          capture_output=True, check=False)
    equal((done.returncode, done.stdout + done.stderr), (0, ""), f"promtool on {text}")


def test_collectors_find_no_fault(lab):
    promtool = find_promtool()
    served = Served(lab, "-q")
    enc, dec = case.encoder(lab), case.decoder(lab)
    case.wait_both(enc, dec)
    case.pair(dec, "dec", "enc")
    served.wait_state("both", lambda s: len(s["nodes"]) == 2)
    answer = served.ask("/metrics")
    equal(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8", "type")
    text = answer.body.decode()
    check_metrics(promtool, text)
    true('yoke_node_state{id="dec",state="active"} 1\n' in text, text)
    true('yoke_operations_total{outcome="active"} 1\n' in text, text)
    true(re.search(r'^yoke_build_info\{program="yoke-snoop",version="[^"]+",revision="[^"]+"\} 1$',
                   text, re.MULTILINE), text)
    equal(web.ask(served.host, served.port, "/metrics").status, 200, "again")
    served.stop()


def test_series_are_bounded_however_many_nodes_there_are(lab):
    served = Served(lab, "-q")
    rogue = case.join(lab, lab.host("py"), "rogue", None)
    body = {"role": "producer", "kind": "hdmi", "name": "n", "state": "idle", "err": None,
            "pairing": None, "media": None}
    for i in range(1500):
        rogue.send_raw(wire.encode(agent.KEY, {**FRAME, "type": "ann", "origin": f"node-{i}",
                                               "seq": time.time_ns(), "body": body}))
        if i % 100 == 0:
            time.sleep(0.01)
    served.wait_state("all of them", lambda s: len(s["nodes"]) == 1500)
    text = served.ask("/metrics").body.decode()
    equal(text.count("yoke_node_info{"), 512, "nodes with series")
    true("yoke_nodes_without_series 988\n" in text, "the rest is counted")
    true('yoke_nodes{role="producer",state="idle"} 1500\n' in text, "all are counted")
    served.stop()


def test_an_address_that_cannot_be_is_refused_in_one_line(lab):
    host = lab.host("mon")
    for value, words in (("localhost:9754", "names are not looked up"), ("9999999", "no port"),
                         ("127.0.0.1", "no port"), ("[::1]:80", "no IPv4 address"),
                         ("239.1.2.3:80", "no host's address")):
        case.refused(snoop(host, None, "--http", value), 64, "--http", words)
    case.refused(snoop(host, None, "--http", "9754", "--read", "x.pcap"), 64, "--http")
    case.refused(snoop(host, None, "--http", "10.99.0.1:9754"), 78, "--http", "10.99.0.1:9754",
                 "no address of this host")
    with host.entered():
        taken = socket.create_server(("127.0.0.1", 0))
    with taken:
        port = taken.getsockname()[1]
        result = snoop(host, key_of(lab), "--http", f"127.0.0.1:{port}")
        case.refused(result, 78, "--http", str(port), "another program listens there")
        equal(len(result.err.splitlines()), 1, f"lines: {result.err}")


def test_an_address_that_others_reach_is_said_and_served(lab):
    host, other = lab.host("mon"), lab.host("py")
    monitor = Snooper(lab, host, key_of(lab), "--http", f"{host.address}:9754")
    monitor.process.wait_log("to everybody who reaches that address")
    equal(web.ask(other, 9754, "/api/v1/state", address=host.address,
                  headers=["X: y"]).status, 200, "from another host")
    monitor.stop()


# ---- a hundred of them

class Siege:
    def __init__(self, host, port, clients=100):
        self.process = host.spawn("siege", [sys.executable, LIB / "siege.py", port, "--clients",
                                            clients])
        self.process.wait_log("ready")

    def end(self):
        true(self.process.running(), f"the siege went on: {self.process.log()}")
        self.process.kill()
        self.process.wait()


def high_water_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def exchange_frames(node, monitor, seconds, rate=200):
    """Sends events at a rate; how many, and the longest time until one was told."""
    start, sent, worst = time.monotonic(), 0, 0.0
    while (elapsed := time.monotonic() - start) < seconds:
        while sent < elapsed * rate:
            node.send("evt", {"event": f"e-{sent}", "detail": {}})
            sent += 1
        if sent % 50 == 0:
            slug = f"e-{sent}"
            node.send("evt", {"event": slug, "detail": {}})
            sent += 1
            asked = time.monotonic()
            lab_module.wait_for(f"{slug} is told", lambda s=slug: f'"{s}"' in tail(monitor.out))
            worst = max(worst, time.monotonic() - asked)
        time.sleep(0.002)
    return sent, worst


def tail(path, size=65536):
    with open(path, "rb") as lines:
        lines.seek(0, 2)
        lines.seek(max(0, lines.tell() - size))
        return lines.read().decode(errors="replace")


@case.alone
def test_a_hundred_hostile_clients_change_nothing_for_the_observer(lab):
    served = Served(lab)
    node = case.join(lab, lab.host("py"), "enc-1", None)
    siege = Siege(served.host, served.port)
    sent, worst = exchange_frames(node, served.snooper, 12.5)
    counts = dict(re.findall(r"^(yoke_http_\w+) (\d+)$", served.ask("/metrics").body.decode(),
                             re.MULTILINE))
    state = served.state()
    siege.end()
    memory = high_water_kb(served.process.pid)
    print(f"{sent} frames, told within {worst * 1000:.0f} ms; {memory} kB; {counts}")
    equal(state["frames"]["lost_before_reading"], 0, "frames lost")
    true(int(counts["yoke_http_connections_cut_total"]) > 10, f"slow ones are cut: {counts}")
    true(int(counts["yoke_http_requests_refused_total"]) > 100, f"bad ones are refused: {counts}")
    true(int(counts["yoke_http_connections"]) <= 128, f"connections: {counts}")
    case.within(worst, 1, "a frame is told")
    true(lab_module.SANITIZED or memory < 64 * 1024, f"memory: {memory} kB")
    lines = served.stop()
    equal(sum(line["type"] == "frame" for line in lines), sent, "frames told")


@case.alone
def test_a_screen_answers_its_keys_under_siege(lab):
    host = lab.host("mon")
    screen = snoop_top.Screen(lab, host, "--http", "127.0.0.1:9754")
    node = case.join(lab, lab.host("py"), "enc-1", "producer")
    screen.wait("the node", lambda text: "enc-1" in text)
    siege = Siege(host, 9754)
    node.announce()
    asked = time.monotonic()
    screen.keys("q")
    screen.left()
    case.within(time.monotonic() - asked, 3, "q ends it")
    siege.end()


# ---- silence

def test_the_switch_sees_no_frame_of_it_while_others_read(lab):
    host = lab.host("mon")
    tap = Tap(host)
    tapped = Served(lab, host=host)
    stream = tapped.stream()
    case.join(lab, lab.host("py"), "enc-1", "producer")
    stream.until(lambda name, _: name == "change")
    for path in ("/", "/api/v1/state", "/metrics", "/nothing"):
        tapped.ask(path)
    stream.until(lambda name, _: name == "beat")
    kernel, rest = tap.frames()
    true(kernel, "the kernel reported the membership: the tap works")
    equal(rest, [], "frames from the snooper's host")
    tapped.stop()


def test_a_trace_shows_answers_to_readers_and_nothing_else(lab):
    case.need_program("strace")
    case.need_plain_build("strace")
    trace = lab.dir / "trace"
    served = Served(lab, through=["strace", "-f", "-o", trace, "-e",
                                            "trace=network,seccomp,close"])
    stream = served.stream()
    case.join(lab, lab.host("py"), "enc-1", "producer")
    stream.until(lambda name, _: name == "change")
    for path in ("/", "/api/v1/state", "/metrics"):
        equal(served.ask(path).status, 200, path)
    os.kill(monitored_child(served.snooper), signal.SIGINT)
    served.process.wait()
    accepted, answers = set(), 0
    for line in trace.read_text().splitlines():
        call = line.split(maxsplit=1)[1]
        name, _, rest = call.partition("(")
        first = rest.split(",")[0].split(")")[0]
        if name == "accept4" and (made := re.search(r"= (\d+)$", line)):
            accepted.add(made[1])
        elif name == "close":
            accepted.discard(first)
        elif name == "connect":
            true("AF_INET" not in rest or "EPERM" in rest, f"it connects: {line}")
        elif name.startswith("send") and "AF_NETLINK" not in rest:
            true(first in accepted, f"it sends to who did not ask: {line}")
            answers += 1
    true(answers >= 5, f"answers in the trace: {answers}")
