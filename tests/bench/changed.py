#!/usr/bin/env python3
"""Captures of stream.c as networks and clients change them, from standard input to standard output: changed.py HOW.

    lost          one packet of a hundred is missing
    reordered     each twentieth comes after the one behind it
    retransmitted each hundredth comes twice
    again N       the client connects again after N packets: SYN, SYN and ACK, packets, FIN, from another port
    bytes N       of the first N packets, each byte has a segment of its own"""
import struct
import sys

HEADERS = 54
ROBOT, CLIENT = slice(26, 30), slice(30, 34)
FIN, SYN, ACK = 1, 2, 16


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


def again(packets, each):
    port, sequence = 40000, 0
    for i, packet in enumerate(packets):
        if i % each == 0:
            port, sequence = 20000 + i // each % 40000, 1000 + i * 7919
            yield segment(packet, SYN, 500, 0, b"", True, port)
            yield segment(packet, SYN | ACK, sequence, 501, b"", False, port)
            sequence += 1
        payload = packet[16 + HEADERS:]
        yield segment(packet, ACK | 8, sequence, 501, payload, False, port)
        sequence += len(payload)
        if i % each == each - 1:
            yield segment(packet, FIN | ACK, 501, sequence, b"", True, port)
            yield segment(packet, FIN | ACK, sequence, 502, b"", False, port)


def bytes_alone(packets, count):
    for i, packet in enumerate(packets):
        if i >= count:
            return
        sequence, acknowledged = struct.unpack_from(">II", packet, 16 + 38)
        for k, byte in enumerate(packet[16 + HEADERS:]):
            yield segment(packet, ACK | 8, sequence + k, acknowledged, bytes([byte]))


WAYS = {"lost": lost, "reordered": reordered, "retransmitted": retransmitted, "again": again, "bytes": bytes_alone}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in WAYS:
        sys.exit(__doc__)
    source = frames(sys.stdin.buffer)
    sys.stdout.buffer.write(next(source))
    for packet in WAYS[sys.argv[1]](source, int(sys.argv[2]) if len(sys.argv) > 2 else 0):
        sys.stdout.buffer.write(packet)


if __name__ == "__main__":
    main()
