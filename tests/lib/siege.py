#!/usr/bin/env python3
"""A hundred slow and hostile HTTP clients at one server, until it is ended.

    siege.py PORT [--clients N] [--addresses N]

Each client is of one sort, from one of so many loopback addresses, and comes back when it is cut.
Says "ready" when all are at it.
"""

import argparse
import selectors
import socket
import time

GET = "GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def drip(text):
    """A byte now and then, without an end."""
    def send(sock, turn):
        if turn % 10 == 0:
            sock.send(text[turn // 10 % len(text)].encode())
    return send


def flood(text):
    """As much as it takes, and nothing of what comes back is read."""
    def send(sock, _):
        sock.send(text.encode())
    return send


def once(text):
    """A request, and then nothing is read any more."""
    def send(sock, turn):
        if turn == 0:
            sock.send(text.encode())
        elif turn % 100 == 0:  # that the other end has cut it shows only now
            sock.send(b"\r\n")
    return send


SORTS = [
    once(""),  # connects, and says nothing
    drip("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + "a" * 10000),
    drip("X: y\r\n"),
    flood(GET.format("/api/v1/state") * 20),
    flood(GET.format("/metrics") * 20),
    flood("GET /api/v1/state HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"),
    flood("\x00\xff{}[] junk \r\n\r\n" * 50),
    flood("GET / HTTP/1.1\r\n" + "X-Header: " + "b" * 60000 + "\r\n"),
    flood("".join(f"X-{i}: {i}\r\n" for i in range(2000))),
    flood("".join(f"{method} / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" for method in
                  ("POST", "PUT", "DELETE", "TRACE", "CONNECT", "OPTIONS", "PATCH", "ZEBRA"))),
    flood("POST /api/v1/state HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n"
          + "c" * 30000),
    flood(GET.format("/../../../etc/passwd") + GET.format("/%2e%2e/%2e%2e/etc/passwd")
          + GET.format("//api//v1") + GET.format("/" + "d" * 5000)),
    once(GET.format("/api/v1/events")),
    once(GET.format("/api/v1/events?after=x") + "junk behind it" * 100),
]


class Client:
    """One of them; `selector` says when it may send."""

    def __init__(self, selector, port, number, addresses):
        self.selector = selector
        self.port = port
        self.send = SORTS[number % len(SORTS)]
        self.source = f"127.0.0.{1 + number % addresses}"
        self.sock = None
        self.begin()

    def begin(self):
        self.turn = 0
        self.next = time.monotonic()
        self.sock = socket.socket()
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.setblocking(False)
        self.sock.bind((self.source, 0))
        self.sock.connect_ex(("127.0.0.1", self.port))
        self.selector.register(self.sock, selectors.EVENT_WRITE, self)

    def act(self):
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + 0.02
        try:
            self.send(self.sock, self.turn)
            self.turn += 1
        except BlockingIOError:
            pass
        except OSError:
            self.selector.unregister(self.sock)
            self.sock.close()
            self.begin()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--addresses", type=int, default=1, choices=range(1, 200))
    args = parser.parse_args()
    selector = selectors.DefaultSelector()
    for number in range(args.clients):
        Client(selector, args.port, number, args.addresses)
    start, said = time.monotonic(), False
    while True:
        for key, _ in selector.select(0.05):
            key.data.act()
        time.sleep(0.01)  # the machine is small: they shall be a burden for the server, not for it
        if not said and time.monotonic() > start + 1:
            print("ready", flush=True)
            said = True


if __name__ == "__main__":
    main()
