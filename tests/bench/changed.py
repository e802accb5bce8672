#!/usr/bin/env python3
"""Captures of stream.c as networks and clients change them, from standard input to standard output: changed.py HOW.

    lost          one packet of a hundred is missing
    reordered     each twentieth comes after the one behind it
    retransmitted each hundredth comes twice
    acknowledged  the client acknowledges each packet of the robot's
    again N [END] the client connects again after N packets of data, from another port: SYN, SYN and ACK, RTDE's set-up if
                  the capture has one, the packets; END: fin (as usual), rst, or none
    bytes N       of the first N packets, each byte has a segment of its own"""
import struct
import sys

HEADERS = 54
ROBOT, CLIENT = slice(26, 30), slice(30, 34)
FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16


def frames(source):
    header = source.read(24)
    yield header
    while True:
        record = source.read(16)
        if len(record) < 16:
            return
        yield record + source.read(struct.unpack_from("<I", record, 8)[0])


def segment(like, flags, sequence, acknowledged, payload=b"", to_robot=False, port=None):
    """A frame as `like`, with other TCP fields."""
    record, frame = bytearray(like[:16]), bytearray(like[16:16 + HEADERS])
    if port is not None:
        frame[36:38] = struct.pack(">H", port)
    if to_robot:
        frame[26:34] = frame[30:34] + frame[26:30]
        frame[34:38] = frame[36:38] + frame[34:36]
    frame[16:18] = struct.pack(">H", 40 + len(payload))
    frame[38:48] = struct.pack(">IIBB", sequence & 0xffffffff, acknowledged & 0xffffffff, 0x50, flags)
    record[8:16] = struct.pack("<II", HEADERS + len(payload), HEADERS + len(payload))
    return bytes(record + frame) + payload


def lost(packets, _):
    return (packet for i, packet in enumerate(packets) if i % 100 != 50)


def reordered(packets, _):
    held = None
    for i, packet in enumerate(packets):
        if i % 20 == 10:
            held = packet
            continue
        yield packet
        if held:
            yield held
        held = None


def retransmitted(packets, _):
    for i, packet in enumerate(packets):
        yield packet
        if i % 100 == 50:
            yield packet


def is_to_robot(packet):
    return packet[16 + 34:16 + 36] not in (b"\x75\x33", b"\x75\x34")


def acknowledged(packets, _):
    for packet in packets:
        yield packet
        length = len(packet) - 16 - HEADERS
        if length > 0 and not is_to_robot(packet):
            sequence, other = struct.unpack_from(">II", packet, 16 + 38)
            yield segment(packet, ACK, other, sequence + length, to_robot=True)


class Connection:
    """The frames of one, which look like a frame from the robot."""

    def __init__(self, port, sequence):
        self.port, self.next = port, [sequence, 500]

    def put(self, like, flags, to_robot, payload=b""):
        frame = segment(like, flags, self.next[to_robot], self.next[not to_robot] if flags & ACK else 0, payload, to_robot,
                        self.port)
        self.next[to_robot] += len(payload) + (1 if flags & (SYN | FIN) else 0)
        return frame

    def begin(self, like, set_up):
        yield self.put(like, SYN, True)
        yield self.put(like, SYN | ACK, False)
        for to_robot, payload in set_up:
            yield self.put(like, ACK | PUSH, to_robot, payload)

    def end(self, like, how):
        if how == "fin":
            yield self.put(like, FIN | ACK, True)
            yield self.put(like, FIN | ACK, False)
        elif how == "rst":
            yield self.put(like, RST | ACK, True)


def is_data(payload):
    """Of the legacy stream, or RTDE's."""
    return len(payload) > 3 and (payload[2:3] == b"U" or payload[:2] == b"\0\0")


def again(packets, each, how="fin"):
    set_up, count, connection = [], 0, None
    for packet in packets:
        payload, to_robot = packet[16 + HEADERS:], is_to_robot(packet)
        if not is_data(payload):
            set_up += [(to_robot, payload)] if payload else []
            continue
        if count % each == 0:
            connection = Connection(20000 + count // each % 40000, 1000 + count * 7919)
            yield from connection.begin(packet, set_up)
        yield connection.put(packet, ACK | PUSH, False, payload)
        count += 1
        if count % each == 0:
            yield from connection.end(packet, how)


def bytes_alone(packets, count):
    for i, packet in enumerate(packets):
        if i >= count:
            return
        sequence, acknowledged = struct.unpack_from(">II", packet, 16 + 38)
        for k, byte in enumerate(packet[16 + HEADERS:]):
            yield segment(packet, ACK | 8, sequence + k, acknowledged, bytes([byte]))


WAYS = {"lost": lost, "reordered": reordered, "retransmitted": retransmitted, "acknowledged": acknowledged, "again": again,
        "bytes": bytes_alone}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in WAYS:
        sys.exit(__doc__)
    source = frames(sys.stdin.buffer)
    sys.stdout.buffer.write(next(source))
    for packet in WAYS[sys.argv[1]](source, int(sys.argv[2]) if len(sys.argv) > 2 else 0, *sys.argv[3:]):
        sys.stdout.buffer.write(packet)


if __name__ == "__main__":
    main()
