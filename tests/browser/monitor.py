"""What the tests of the page are written with: a real snooper that serves it, and a real browser on it."""

import contextlib
import time

import agent
import browser as browser_module
import case
import lab as lab_module
import wire
from case import equal, true

ADDRESS = "127.0.0.1:8080"
HOME = f"http://{ADDRESS}/"
# What a browser that starts asks of itself.
OWN = ("chrome://", "data:", "about:", "chrome-untrusted://")


class Monitor:
    """`yoke snoop --http` on a host of its own."""

    def __init__(self, lab, key=None):
        self.lab = lab
        self.host = lab.host("mon")
        self.key = agent.key_file(lab.dir) if key is None else agent.key_file(lab.dir, key, "other.psk")
        self.process = None
        self.start()

    def start(self):
        keyed = ["--psk-file", self.key] if self.key else []
        self.process = self.host.spawn(
            f"snoop-{len(self.lab.processes)}",
            ["sh", "-c", 'exec "$@" >/dev/null', "sh", agent.YOKE, "snoop", "--interface", "eth0",
             *keyed, "-q", "--http", ADDRESS], agent.SANITIZER_ENV)
        lab_module.wait_for("the snooper serves", lambda: not self.process.running() or
                            f":{8080:04X} 00000000:0000 0A" in self.listening(),
                            explain=self.process.log)
        true(self.process.running(), self.process.log())

    def listening(self):
        with open(f"/proc/{self.host.keeper.pid}/net/tcp", encoding="ascii") as table:
            return table.read()


@contextlib.contextmanager
def page(monitor, *, quiet=True, **size):
    """The page, live, in a browser. At the end nothing may have been asked of anybody else and, where it
    was `quiet`, the console has to be empty."""
    with browser_module.Browser(monitor.lab, monitor.host, **size) as seen:
        seen.open(HOME)
        seen.wait("that it is live", lambda: seen.text("#stream-word") == "Live")
        yield seen
        asked = [url for url in seen.requested() if not url.startswith(OWN)]
        true(HOME in asked, f"the log of requests works: {asked}")
        equal([url for url in asked if not url.startswith(HOME)], [], "outside requests")
        complaints = seen.complaints()
        true(not quiet or not complaints, f"the console: {complaints}")


def look(seen, node_id):
    """How a node is drawn: its state, or lost, gone, unheard; None: it is not."""
    return seen.run("const e = document.querySelector(`.node[data-id='${arguments[0]}']`);"
                    "return e && e.dataset.look", node_id)


def wait_look(seen, node_id, wanted):
    seen.wait(f"{node_id} {wanted}", lambda: look(seen, node_id) == wanted)


def node_text(seen, node_id):
    return seen.text(f".node[data-id='{node_id}']")


def links(seen):
    """The looks of all links that are drawn."""
    return seen.run("return [...document.querySelectorAll('#links .link')].map(e => e.dataset.look)")


def announce(peer, origin=None, **members):
    """An announcement of a producer, from any id."""
    body = {"role": "producer", "kind": "hdmi", "name": origin or peer.id, "state": "active", "err": None,
            "pairing": None, "media": {"group": "239.10.0.5", "port": 5004}, **members}
    peer.send_raw(wire.encode(agent.KEY, {
        "v": 1, "type": "ann", "origin": origin or peer.id, "seq": time.time_ns(), "ts": 0, "body": body}))


def pair_of(lab, **options):
    """A producer and a consumer, real agents that hear each other."""
    enc, dec = case.encoder(lab, name="Lobby player"), case.decoder(lab, name="Lobby screen", **options)
    case.wait_both(enc, dec)
    return enc, dec
