#!/usr/bin/env python3
"""Compares exports of the samples with a second decoder that shares nothing with armtap: every row, every value, to the
last bit. Files, TCP and both protocols are parsed here with struct; Python's repr prints the numbers. It handles only
orderly streams, so it takes captures of one stream without losses."""
import gzip
import os
import struct
import subprocess
import sys

REALTIME = ["cb2-812.pcap.gz", "cb3-1060.pcap.gz", "e-series-1220.pcapng.gz"]
RTDE = ["rtde-v1.pcap", "rtde-v2.pcapng.gz", "rtde-v3.pcapng", "rtde-stop.pcap"]
TYPES = {"BOOL": "?", "UINT8": "B", "UINT32": "I", "UINT64": "Q", "INT32": "i", "DOUBLE": "d", "VECTOR3D": "3d",
         "VECTOR6D": "6d", "VECTOR6INT32": "6i", "VECTOR6UINT32": "6I"}


def pcap_packets(data, order):
    nanoseconds = struct.unpack(order + "I", data[:4])[0] == 0xA1B23C4D
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, captured, _ = struct.unpack_from(order + "4I", data, at)
        yield seconds * 10**9 + fraction * (1 if nanoseconds else 1000), data[at + 16:at + 16 + captured]
        at += 16 + captured


def pcapng_packets(data):
    order = "<" if data[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    at = 0
    resolution = 10**6
    while at + 12 <= len(data):
        kind, length = struct.unpack_from(order + "2I", data, at)
        if kind == 1:
            option = at + 16
            while option < at + length - 8:
                code, size = struct.unpack_from(order + "2H", data, option)
                if code == 9:
                    resolution = 10**data[option + 4]
                option += 4 + (size + 3) // 4 * 4
        elif kind == 6:
            _, high, low, captured, _ = struct.unpack_from(order + "5I", data, at + 8)
            yield ((high << 32) + low) * 10**9 // resolution, data[at + 28:at + 28 + captured]
        at += length


def packets(path):
    data = gzip.open(path).read() if path.endswith(".gz") else open(path, "rb").read()
    magic = data[:4]
    if magic == b"\x0a\x0d\x0d\x0a":
        return pcapng_packets(data)
    return pcap_packets(data, "<" if magic[0] in (0xD4, 0x4D) else ">")


def streams(path):
    """The bytes of both directions, and for each the (end offset, time) of its packets."""
    sides = {True: (bytearray(), []), False: (bytearray(), [])}
    for time, packet in packets(path):
        assert packet[12:14] == b"\x08\x00", "IPv4 over Ethernet"
        ip = packet[14:14 + struct.unpack_from(">H", packet, 16)[0]]
        tcp = ip[(ip[0] & 15) * 4:]
        payload = tcp[(tcp[12] >> 4) * 4:]
        if payload:
            content, ends = sides[struct.unpack_from(">H", tcp)[0] in (30003, 30004, 30013)]
            content += payload
            ends.append((len(content), time))
    return sides[True], sides[False]


def messages(content, ends, length_format):
    """The messages of a direction, each with the time of the packet that brought its last byte."""
    at = 0
    while at + struct.calcsize(length_format) <= len(content):
        length = struct.unpack_from(length_format, content, at)[0]
        if at + length > len(content):
            return
        at += length
        yield next(time for end, time in ends if end >= at), bytes(content[at - length:at])


def text(value):
    return repr(value) if isinstance(value, float) else str(int(value))


def stamp(time):
    return "%d.%09d" % divmod(time, 10**9)


def exported(path, *options):
    run = subprocess.run([os.environ["ARMTAP"], "export", *options, path], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def check_realtime(path):
    """Column n of the gnuplot format is cell n of the packet."""
    (content, ends), _ = streams(path)
    rows = [row.split(" ") for row in exported(path, "-f", "gnuplot") if not row.startswith("#")]
    times = [row.split(",")[0] for row in exported(path)[1:]]
    records = list(messages(content, ends, ">I"))
    assert len(rows) == len(records) == len(times) > 0, "rows"
    for (time, packet), row, row_time in zip(records, rows, times):
        assert row_time == stamp(time), (row_time, stamp(time))
        cells = struct.unpack(">%dd" % ((len(packet) - 4) // 8), packet[4:4 + (len(packet) - 4) // 8 * 8])
        for column, (cell, value) in enumerate(zip(cells, row), 1):
            assert value in (repr(cell), repr(cell).removesuffix(".0")), (column, cell, value)
        assert len(row) >= len(cells), "columns"
        assert all(value == "NaN" for value in row[len(cells):]), "columns beyond the packet"
    return len(records) * len(row)


def check_rtde(path):
    (content, ends), (requests, request_ends) = streams(path)
    version = 1
    for _, request in messages(requests, request_ends, ">H"):
        if request[2] == ord("V"):
            version = struct.unpack_from(">H", request, 3)[0]
        elif request[2] == ord("O"):
            names = request[3 if version == 1 else 11:].decode().split(",")
    rows = [row.split(",") for row in exported(path)]
    header, expected = ["time"], []
    values_at = 3 if version == 1 else 4
    for time, message in messages(content, ends, ">H"):
        if message[2] == ord("O"):
            types = message[values_at:].decode().split(",")
            layout = ">" + "".join(TYPES[name] for name in types)
            for name, kind in zip(names, types):
                count = struct.calcsize("=" + TYPES[kind]) // struct.calcsize("=" + TYPES[kind][-1])
                header += [name] if count == 1 else ["%s_%d" % (name, i) for i in range(count)]
        elif message[2] == ord("U"):
            expected.append([stamp(time)] + [text(value) for value in struct.unpack(layout, message[values_at:])])
    assert rows[0] == header, (rows[0], header)
    assert len(expected) > 0 and len(rows) == len(expected) + 1, "rows"
    for row, wanted in zip(rows[1:], expected):
        assert row == wanted, [pair for pair in zip(header, row, wanted) if pair[1] != pair[2]]
    return len(expected) * len(header)


def main():
    captures = os.path.join(os.environ.get("srcdir", "."), "captures")
    passed = failed = 0
    for check, names in ((check_realtime, REALTIME), (check_rtde, RTDE)):
        for name in names:
            try:
                print("%-24s %d values are equal" % (name, check(os.path.join(captures, name))))
                passed += 1
            except (AssertionError, subprocess.CalledProcessError) as difference:
                print("FAIL %s: %s" % (name, difference))
                failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
