"""An appliance with the HTTP API of Just Add Power's encoders and decoders, and its troubles.

Written from the published facts: one channel, commands that answer {"data":"OK"}, reads that answer
{"data":7}, failures as an "error" array, a connection a request. It lives in a thread of the test and
can be told to misbehave while it runs:

    box = Appliance(host, channel=3)
    box.trouble("silent", on="read")
    box.calm()

Another implementation of the same (Second, where there is one) has the same methods.
"""

import collections
import contextlib
import json
import re
import socket
import struct
import threading
import time

import lab

API = "/cgi-bin/api"
REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
           500: "Internal Server Error", 503: "Service Unavailable"}
RESET = object()    # in what a trouble yields: the connection breaks
FOREVER = object()  # nothing more is said

Request = collections.namedtuple("Request", "at method path version headers body")


def http(status, body, *, more=(), length=None, version="HTTP/1.1", eol="\r\n"):
    """The bytes of an answer."""
    length = len(body) if length is None else length
    lines = [f"{version} {status} {REASONS[status]}", "Content-Type: application/json",
             f"Content-Length: {length}", "Connection: close", *more]
    return (eol.join(lines) + eol + eol).encode() + body


def packed(value):
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def failure(details, uri):
    return packed({"error": [{"details": details, "uri": uri}]})


# ---- troubles: what is sent instead of an answer. Numbers are pauses in seconds.

def _cut(status, body):
    yield http(status, body)[:-(len(body) // 2)]


def _reset_midway(status, body):
    yield http(status, body)[:-(len(body) // 2)]
    yield 0.05
    yield RESET


def _chunks(body, sizes="%x\r\n"):
    head = ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n").encode()
    parts = [body[i:i + 2] for i in range(0, len(body), 2)]
    return head + b"".join((sizes % len(p)).encode() + p + b"\r\n" for p in parts) + b"0\r\n\r\n"


def _trickle(status, body):
    for byte in http(status, body):
        yield bytes([byte])
        yield 1.0


def _padding(body, size):
    return body.rstrip()[:-1] + b',"pad":"' + b"x" * size + b'"}\n'


# name: what it makes of a regular status and body
SPOILT = {
    "late": lambda s, b: iter([2.5, http(s, b)]),
    "silent": lambda s, b: iter([FOREVER]),
    "reset": lambda s, b: iter([RESET]),
    "closed": lambda s, b: iter([]),
    "reset-midway": _reset_midway,
    "cut": _cut,
    "html": lambda s, b: iter([http(200, b"<html><title>Login</title></html>\n")]),
    "empty": lambda s, b: iter([http(200, b"")]),
    "huge": lambda s, b: iter([http(s, _padding(b, 4 << 20))]),
    "huge-header": lambda s, b: iter([http(s, b, more=["X-Filler: " + "h" * 40000])]),
    "huge-line": lambda s, b: iter([http(s, b, more=["X-Filler: " + "h" * 400000])]),
    "trickle": _trickle,
    "chunked": lambda s, b: iter([_chunks(b)]),
    "bad-chunk": lambda s, b: iter([_chunks(b, "z%x\r\n")]),
    "bad-length": lambda s, b: iter([http(s, b, length=-1)]),
    "no-length": lambda s, b: iter([b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b]),
    "both": lambda s, b: iter([http(s, b.rstrip()[:-1] + b',"error":"half done"}')]),
    "list": lambda s, b: iter([http(s, b"[" + b + b"]")]),
    "twice": lambda s, b: iter([http(s, b'{"data":1,' + b[1:])]),
    "deep": lambda s, b: iter([http(s, b.rstrip()[:-1] + b',"deep":' + b"[" * 4000 + b"]" * 4000 + b"}")]),
    "spaces": lambda s, b: iter([http(s, b"\r\n \t" + b + b" \r\n\n")]),
    "bare-lf": lambda s, b: iter([http(s, b, eol="\n")]),
    "http10": lambda s, b: iter([http(s, b, version="HTTP/1.0")]),
    "continue": lambda s, b: iter([b"HTTP/1.1 100 Continue\r\n\r\n" + http(s, b)]),
    "garbage": lambda s, b: iter([b"\x00\xff\x16\x03\x01 no HTTP at all\r\n\r\n"]),
}
# name: status and body of a refusal; the command is not obeyed
REFUSALS = {
    "error-200": lambda uri: (200, failure("Command failed", uri)),
    "unknown-uri": lambda uri: (404, failure("Invalid URI", uri)),
    "fault-500": lambda uri: (500, b"<html>500 Internal Server Error</html>\n"),
    "busy": lambda uri: (503, failure("Busy", uri)),
    "login": lambda uri: (401, failure("Unauthorized", uri)),
    "redirect": lambda uri: (302, b"<html>moved</html>\n"),
}
# name: the "data" of a read instead of the channel
READINGS = {
    "text": lambda n: str(n),
    "padded": lambda n: f"{n:04}",
    "null": lambda n: None,
    "true": lambda n: True,
    "negative": lambda n: -1,
    "beyond": lambda n: 10000,
    "fraction": lambda n: n + 0.5,
    "word": lambda n: "seven",
}
# Troubles of the command alone: it answers OK.
LIES = ("stuck", "elsewhere", "lagging")
LAG_S = 1.5

ALL = (*SPOILT, *REFUSALS, *READINGS, *LIES, "dropped")


class Appliance:
    """One device on a host; `restart` and `trouble` may come at any time."""

    def __init__(self, host, *, channel=0, role="decoder", model=None, firmware="B2.3.9",
                 status="Decoding Video", port=0, system="multicast"):
        self.host = host
        self.address = host.address
        self.channel = channel
        self.role = role
        self.model = model or ("3G RX" if role == "decoder" else "3G TX")
        self.firmware = firmware
        self.status = status
        self.system = system
        self.requests = []
        self.busiest = 0  # most requests that waited for an answer at once
        self._waiting = 0
        self._lock = threading.RLock()
        self._troubles = {}  # "read", "set": (name, how often from now on, or None)
        self._shown = None   # (channel, until when) while a switch lags
        self._open = set()
        self._closing = False
        self._listener = self._listen(port)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        host.lab.on_close(self.close)

    # ---- what a test does to it

    def trouble(self, name, on="any", count=None):
        """From now on, at reads, at commands ("set") or both; `count` times or until calm()."""
        if name not in ALL:
            raise ValueError(f"no such trouble: {name}")
        with self._lock:
            for which in ("read", "set") if on == "any" else (on,):
                self._troubles[which] = [name, count]

    def calm(self):
        with self._lock:
            self._troubles = {}

    def turn(self, channel):
        """Somebody else switches it."""
        with self._lock:
            self.channel = channel

    def restart(self, seconds, channel):
        """Dark for so long; what was open breaks; it comes back on that channel."""
        with self._lock:
            listener, self._listener = self._listener, None
            broken = list(self._open)
        listener.close()
        for connection in broken:
            self._break(connection)
        threading.Timer(seconds, self._come_back, [channel]).start()

    def commands(self):
        """The channels it was commanded to, in order."""
        with self._lock:
            return [int(r.body) for r in self.requests if r.path == "/command/channel"]

    def reads(self):
        """When its channel was read."""
        with self._lock:
            return [r.at for r in self.requests if r.path == "/details/channel"]

    def close(self):
        with self._lock:
            self._closing = True
            if self._listener is not None:
                self._listener.close()
            for connection in list(self._open):
                self._break(connection)
        self._thread.join()

    # ---- connections

    def _listen(self, port):
        with self.host.entered():
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self.address, port))
        listener.listen(64)
        listener.settimeout(0.05)
        return listener

    def _come_back(self, channel):
        with self._lock:
            if not self._closing:
                self.channel = channel
                self._listener = self._listen(self.port)

    def _serve(self):
        while not self._closing:
            listener = self._listener
            if listener is None:
                time.sleep(0.01)
                continue
            try:
                connection, _ = listener.accept()
            except (TimeoutError, OSError):
                continue
            with self._lock:
                self._open.add(connection)
            threading.Thread(target=self._converse, args=[connection], daemon=True).start()

    @staticmethod
    def _break(connection):
        """The peer sees a reset."""
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.shutdown(socket.SHUT_RD)

    def _converse(self, connection):
        waiting = 0
        try:
            connection.settimeout(30)
            request = self._receive(connection)
            waiting = self._count(1)
            for piece in self._answer(request):
                if isinstance(piece, bytes) and waiting:
                    waiting += self._count(-1)
                if piece is RESET:
                    self._break(connection)
                    return
                if piece is FOREVER:
                    connection.recv(1)  # until the other side has enough
                elif isinstance(piece, float):
                    time.sleep(piece)
                else:
                    connection.sendall(piece)
        except (OSError, ValueError):
            pass
        finally:
            self._count(-waiting)
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _count(self, more):
        with self._lock:
            self._waiting += more
            self.busiest = max(self.busiest, self._waiting)
        return more

    @staticmethod
    def _receive(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(4096)
            if not more:
                raise ValueError("no request")
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, version = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in
                   (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            body += connection.recv(4096)
        return Request(time.monotonic(), method, path.removeprefix(API), version, headers, body)

    # ---- what it answers

    def _take_trouble(self, which):
        with self._lock:
            name, count = self._troubles.get(which, (None, None))
            if count is not None:
                self._troubles[which][1] -= 1
                if count == 1:
                    del self._troubles[which]
            return name

    def _answer(self, request):
        with self._lock:
            self.requests.append(request)
        name = self._take_trouble("set" if request.method == "POST" else "read")
        if name == "dropped":
            return iter([RESET])
        if name in REFUSALS:
            status, body = REFUSALS[name](request.path)
        else:
            status, body = self._obey(request, name)
        if name in SPOILT:
            return SPOILT[name](status, body)
        more = [f"Location: http://{self.address}:{self.port}/elsewhere"] if status == 302 else []
        return iter([http(status, body, more=more)])

    def _obey(self, request, name):
        where = (request.method, request.path)
        if where == ("POST", "/command/channel"):
            if not re.fullmatch(rb"[0-9]{1,4}", request.body):
                return 400, failure("Invalid value", request.path)
            self._switch(int(request.body), name)
            return 200, packed({"data": "OK"})
        if where == ("GET", "/details/channel"):
            return 200, packed({"data": READINGS.get(name, int)(self._reading())})
        if where == ("GET", "/details/device"):
            return 200, packed({"data": self._describe()})
        if where == ("GET", "/settings/system/mode"):
            return 200, packed({"data": self.system})
        return 404, failure("Invalid URI", request.path)

    def _switch(self, channel, name):
        with self._lock:
            if name == "stuck":
                return
            if name == "lagging":
                self._shown = (self.channel, time.monotonic() + LAG_S)
            self.channel = channel + 1 if name == "elsewhere" else channel

    def _reading(self):
        with self._lock:
            if self._shown is not None and time.monotonic() < self._shown[1]:
                return self._shown[0]
            return self.channel

    def _describe(self):
        return {"firmware": {"date": "Wed, 05 Jul 2023 14:07:35 -0400", "version": self.firmware,
                             "update": {"eta": False, "progress": False}},
                "hostname": "box", "mode": {"decoder": "Receiver", "encoder": "Transmitter"}.get(
                    self.role, self.role),
                "model": self.model, "status": self.status, "uptime": "1:02:03",
                "network": {"ipaddress": self.address, "mtu": 8000, "speed": "1G"}}


class Second:
    """The other implementation, a program of its own (shared/tools/fake_jap.py)."""

    SPECS = {
        "late": "SLOW=2500", "silent": "HANG", "reset": "RESET", "closed": "EMPTY",
        "reset-midway": "RESETMID", "cut": "TRUNCATE", "html": "NOTJSON", "empty": "NOBODY",
        "huge": "HUGE", "huge-header": "HUGEHEADER=40000", "huge-line": "HUGEHEADER=400000",
        "trickle": "DRIBBLE=1000",
        "chunked": "CHUNKED", "bad-chunk": "BADCHUNK", "bad-length": "BADLENGTH",
        "no-length": "NOLENGTH", "both": "BOTH", "list": "ARRAY", "twice": "DUPKEY",
        "deep": "DEEP=4000", "spaces": "SPACES", "bare-lf": "BARELF", "http10": "HTTP10",
        "continue": "CONTINUE", "garbage": "GARBAGE", "error-200": "ERRORBODY",
        "unknown-uri": "FLEXIBLE", "fault-500": "HTTP500", "busy": "BUSY", "login": "AUTH",
        "redirect": "REDIRECT", "text": "STRINGCHANNEL", "padded": "PADCHANNEL",
        "null": "NULLCHANNEL", "true": "BADCHANNEL=true", "negative": "BADCHANNEL=-1",
        "beyond": "BADCHANNEL=10000", "fraction": "BADCHANNEL=7.5", "word": 'BADCHANNEL="seven"',
        "stuck": "STUCK", "elsewhere": "WRONGCHANNEL", "lagging": "LAG=1500", "dropped": "DROP",
    }
    SCOPES = {"any": "", "read": "@GET", "set": "@SET"}

    def __init__(self, host, *, channel=0, role="decoder"):
        self.host = host
        self.address = host.address
        program = lab.shared_dir() / "tools/fake_jap.py"
        model = "3G RX" if role == "decoder" else "3G TX"
        name = f"second{len(host.lab.processes)}"
        self._process = host.spawn(name, ["python3", program, "--bind", host.address, "--channel",
                                          channel, "--role", role, "--model", model])
        line = lab.wait_for("the device's port", lambda: re.search(r"^port (\d+)$",
                                                                   self._process.log(), re.M))
        self.port = int(line.group(1))

    def trouble(self, name, on="any", count=None):
        self._tell("/__fault", f"{self.SPECS[name]}{self.SCOPES[on]}{f'*{count}' if count else ''}")

    def calm(self):
        self._tell("/__fault", "NONE")

    def turn(self, channel):
        self._tell("/__state", f"channel={channel}")

    def restart(self, seconds, channel):
        self._tell("/__state", f"saved={channel}")
        self._tell("/__fault", f"REBOOT={int(seconds * 1000)}")

    @property
    def channel(self):
        return self._tell("/__state")["channel"]

    def commands(self):
        return [e["asked"] for e in self._events() if e["path"] == f"{API}/command/channel"]

    def reads(self):
        return [e["t"] for e in self._events() if e["path"] == f"{API}/details/channel"]

    def _events(self):
        lines = self._process.log().splitlines()
        events = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        return [e for e in events if not e.get("control", True)]

    def _tell(self, path, text=None):
        """Its control requests; they are not subject to its troubles."""
        method = "GET" if text is None else "POST"
        body = (text or "").encode()
        with self.host.entered():
            connection = socket.create_connection((self.address, self.port), 10)
        with connection:
            connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: "
                               f"{len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            data = b""
            while more := connection.recv(65536):
                data += more
        return json.loads(data.split(b"\r\n\r\n", 1)[1])
