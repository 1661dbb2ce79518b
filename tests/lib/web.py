"""A small HTTP client that looks at every byte, inside a host of the lab."""

import json
import socket

import lab as lab_module


class Answer:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("ascii").split("\r\n")
        self.status = int(lines[0].split()[1]) if lines[0] else None
        self.headers = {name.lower(): value for name, value in
                        (line.split(": ", 1) for line in lines[1:])}

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:200]}"


def connect(host, port, address="127.0.0.1", source=""):
    with host.entered():
        return socket.create_connection((address, port), lab_module.DEADLINE_S,
                                        (source, 0) if source else None)


def exchange(host, port, request, **where):
    """Sends these bytes; all that comes back until the other end closes."""
    parts = []
    with connect(host, port, **where) as sock:
        sock.sendall(request)
        try:
            while part := sock.recv(65536):
                parts.append(part)
        except ConnectionResetError:  # it closed with bytes of ours unread
            pass
    return b"".join(parts)


def ask(host, port, path, method="GET", headers=(), **where):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *headers, "", ""]
    return Answer(exchange(host, port, "\r\n".join(lines).encode(), **where))


class Stream:
    """Server-sent events, as they come: (event, id or None, data)."""

    def __init__(self, host, port, path="/api/v1/events", headers=()):
        self.sock = connect(host, port)
        lines = [f"GET {path} HTTP/1.0", *headers, "", ""]  # 1.0: no chunks to be undone
        self.sock.sendall("\r\n".join(lines).encode())
        self.file = self.sock.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode("ascii").partition(": ")
            self.headers[name.lower()] = value

    def __iter__(self):
        return self

    def __next__(self):
        event = {}
        while (line := self.file.readline()) != b"\n":
            if not line:
                raise StopIteration
            name, _, value = line.decode().rstrip("\n").partition(": ")
            event[name] = value
        return event["event"], event.get("id"), json.loads(event["data"])

    def until(self, check):
        """The first for which check(event, data) is true."""
        for name, _, data in self:
            if check(name, data):
                return data
        raise lab_module.LabError("the stream ended")

    def close(self):
        self.file.close()
        self.sock.close()
