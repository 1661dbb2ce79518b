"""Capture files for tests, written from what is published about the formats."""

import struct

RAW, ETHERNET, COOKED, COOKED_V2 = 101, 1, 113, 276
GROUP = "239.121.111.107"
PORT = 9753


def _address(text):
    return bytes(map(int, text.split(".")))


def udp(payload, *, source="10.0.0.1", port=40001, group=GROUP, to=PORT):
    """A UDP datagram in an IPv4 packet."""
    segment = struct.pack("!HHHH", port, to, 8 + len(payload), 0) + payload
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(segment), 1, 0, 1, 17, 0,
                         _address(source), _address(group))
    return header + segment


def pcap(packets, link=RAW, order="<", magic=0xA1B2C3D4):
    """A file of packets, given as (seconds, bytes)."""
    out = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)]
    for when, packet in packets:
        seconds = int(when)
        out.append(struct.pack(order + "IIII", seconds, int((when - seconds) * 1e6), len(packet),
                               len(packet)) + packet)
    return b"".join(out)
