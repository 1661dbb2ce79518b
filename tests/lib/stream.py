#!/usr/bin/env python3
"""A stream of numbered packets to a multicast group, and its receiver: media for tests.

    stream.py send GROUP PORT ADDRESS               200 packets a second
    stream.py receive GROUP PORT ADDRESS REPORT     keeps REPORT, a JSON file, up to date
    stream.py stubborn                              runs and ignores SIGTERM

The report: {"pid", "count", "first", "last", "lost"}. ADDRESS is that of the interface.
"""

import json
import os
import signal
import socket
import struct
import sys
import time

RATE = 200


def send(group, port, address):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    for number in range(2**32):
        try:
            sock.sendto(struct.pack("!I", number) + b"x" * 1000, (group, port))
        except OSError:
            pass  # the cable is out; the stream goes on
        time.sleep(1 / RATE)


def receive(group, port, address, report):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.bind((group, port))
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    struct.pack("4s4s", socket.inet_aton(group), socket.inet_aton(address)))
    seen = {"pid": os.getpid(), "count": 0, "first": None, "last": None, "lost": 0}
    written = 0.0
    sock.settimeout(0.1)
    while True:
        try:
            number, = struct.unpack("!I", sock.recv(2048)[:4])
            if seen["last"] is None:
                seen["first"] = number
            else:
                seen["lost"] += number - seen["last"] - 1
            seen["last"] = number
            seen["count"] += 1
        except TimeoutError:
            pass
        if time.monotonic() - written > 0.05:
            written = time.monotonic()
            with open(f"{report}.new", "w", encoding="ascii") as file:
                json.dump(seen, file)
            os.replace(f"{report}.new", report)


def main(mode, *args):
    if mode == "send":
        send(args[0], int(args[1]), args[2])
    elif mode == "receive":
        receive(args[0], int(args[1]), args[2], args[3])
    elif mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
