#!/usr/bin/env python3
"""Captures with a snapshot length, made here with Python's struct from values that are known: each field whose bytes were
all captured comes out with its value, no other does, at any snapshot length and however packets lie in segments.
lost_bytes says what is missing. Every command names the cause. tests/snaplen-check.py [SEED [ROUNDS]]."""
import csv
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import tally

ARMTAP = os.environ.get("ARMTAP", "./armtap")
START = 1769860800 * 10**9
HEADERS = 54
VECTORS = [("target_q", 6), ("target_qd", 6), ("actual_q", 6), ("actual_qd", 6), ("actual_current", 6),
           ("actual_TCP_pose", 6), ("actual_TCP_speed", 6), ("actual_TCP_force", 6)]


def run(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, check=False, timeout=60)


# ---- captures ----

class Stream:
    """The robot's bytes of one connection, which a capture may lack."""

    def __init__(self, port):
        self.port, self.packets, self.sent = port, [], {True: 1000, False: 5000}
        self.time = START
        self.captured = []  # [from, to) of the robot's bytes

    def add(self, from_robot, payload, flags=0x18):
        ports = (self.port, 50000) if from_robot else (50000, self.port)
        ends = (bytes([10, 0, 0, 2]), bytes([10, 0, 0, 9]))
        tcp = struct.pack(">HHIIBBHHH", *ports, self.sent[from_robot], self.sent[not from_robot], 5 << 4, flags, 65535, 0, 0)
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), len(self.packets), 0, 64, 6, 0,
                           *(ends if from_robot else ends[::-1]))
        self.packets.append((self.time, bytes(12) + b"\x08\0" + head + tcp + payload, from_robot,
                             self.sent[True] if from_robot else 0))
        self.sent[from_robot] += len(payload) + (1 if flags & 3 else 0)
        self.time += 1000000

    def write(self, path, snaplen):
        self.captured = []
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snaplen, 1))
            for time, frame, from_robot, at in self.packets:
                kept = frame[:snaplen]
                if from_robot and len(kept) > HEADERS:
                    self.captured.append((at, at + len(kept) - HEADERS))
                file.write(struct.pack("<4I", time // 10**9, time % 10**9, len(kept), len(frame)) + kept)

    def has(self, begin, end):
        """Whether all bytes [begin, end) were captured."""
        while begin < end:
            step = [to for at, to in self.captured if at <= begin < to]
            if not step:
                return False
            begin = step[0]
        return True

    def count(self, begin, end):
        return sum(max(0, min(to, end) - max(at, begin)) for at, to in self.captured)


def legacy(draw, size, count, sizes):
    """Packets of `size` bytes; returns the stream, and of each packet its place and values."""
    stream, truth, bytes_of = Stream(30003), [], b""
    cells = (size - 4) // 8
    for i in range(count):
        values = [100 + 0.008 * i] + [1000 * (i + 1) + cell for cell in range(2, cells + 1)]
        truth.append((len(bytes_of), size, values))
        bytes_of += struct.pack(">I%dd" % cells, size, *values)
    stream.add(False, b"", 2)
    stream.add(True, b"", 0x12)
    stream.add(False, b"", 0x10)
    return cut_up(draw, stream, truth, bytes_of, sizes)


def cut_up(draw, stream, truth, bytes_of, sizes):
    begin, at = stream.sent[True], 0
    while at < len(bytes_of):
        length = draw.choice(sizes)
        stream.add(True, bytes_of[at:at + length])
        at += length
    return stream, [(begin + place, size, values) for place, size, values in truth]


def package(kind, payload=b""):
    return struct.pack(">HB", 3 + len(payload), ord(kind)) + payload


def rtde(draw, count, sizes, fields):
    names = ["timestamp"] + [name for name, _ in fields] + ["robot_mode"]
    types = ["DOUBLE"] + ["VECTOR6D"] * len(fields) + ["INT32"]
    stream, truth, bytes_of = Stream(30004), [], b""
    stream.add(False, b"", 2)
    stream.add(True, b"", 0x12)
    stream.add(False, package("V", struct.pack(">H", 2)))
    stream.add(True, package("V", b"\1"))
    stream.add(False, package("O", struct.pack(">d", 125) + ",".join(names).encode()))
    stream.add(True, package("O", b"\1" + ",".join(types).encode()))
    stream.add(False, package("S"))
    stream.add(True, package("S", b"\1"))
    for i in range(count):
        values = [100 + 0.008 * i] + [1000.0 * (i + 1) + k for k in range(6 * len(fields))] + [1000 * (i + 1) + 999]
        one = package("U", b"\1" + struct.pack(">%ddi" % (len(values) - 1), *values))
        truth.append((len(bytes_of), len(one), values))
        bytes_of += one
    return cut_up(draw, stream, truth, bytes_of, sizes)


# ---- what must come out ----

def groups(header):
    """Columns that are one field: [first, last)."""
    found, at = [], 0
    while at < len(header):
        stem = header[at].rsplit("_", 1)[0]
        end = at + 1
        if header[at].endswith("_0"):
            while end < len(header) and header[end] == "%s_%d" % (stem, end - at):
                end += 1
        found.append((at, end))
        at = end
    return found


def expected(stream, place, values, head, widths, fields):
    """The columns that were captured whole."""
    begins, at = [], place + head
    for width in widths:
        begins.append((at, at + width))
        at += width
    there = {}
    for first, end in fields:
        if stream.has(begins[first][0], begins[end - 1][1]):
            there.update((column, float(values[column])) for column in range(first, end))
    return there


def check(what, stream, truth, head, widths, snaplen):
    path = "cut.pcap"
    stream.write(path, snaplen)
    done = run("export", "--fields", "lost_bytes,*", path)
    rows = list(csv.reader(io.StringIO(done.stdout)))
    got = {}
    fields = None
    for row in rows[1:]:
        fields = fields or groups(rows[0][2:])
        cells = {column: float(cell) for column, cell in enumerate(row[2:]) if cell}
        numbers = {int(value // 1000) - 1 if column else round((value - 100) / 0.008) for column, value in cells.items()}
        tally.expect("%s, %d: a row is of one record" % (what, snaplen), len(numbers) == 1, row)
        number = min(numbers)
        tally.expect("%s, %d: no row twice" % (what, snaplen), number not in got, number)
        got[number] = (cells, int(row[1] or 0))
    missed = 0
    for i, (place, size, values) in enumerate(truth):
        there = expected(stream, place, values, head, widths, fields or [])
        if i in got:
            cells, lost = got[i]
            tally.expect("%s, snapshot length %d, record %d: fields" % (what, snaplen, i), cells == there, cells, there)
            if i and i - 1 in got:
                tally.expect("%s, snapshot length %d, record %d: lost_bytes" % (what, snaplen, i),
                             lost == size - stream.count(place, place + size), lost)
        elif there:
            # It may be missing only where nothing shows where it begins.
            follows = truth[i + 1][0] if i + 1 < len(truth) else None
            shown = stream.has(place, place + (12 if head == 4 else 4))
            proved = i and i - 1 in got and follows and stream.has(follows, follows + 12)
            tally.expect("%s, snapshot length %d: record %d is there" % (what, snaplen, i), not shown and not proved,
                         sorted(there)[:3])
            missed += 1
    return len(got), missed


def check_all(seed, rounds):
    draw = random.Random(seed)
    for size in (1060, 1220, 1108, 812):
        cells = (size - 4) // 8
        for sizes in ([size], [1440, 2 * size - 1440], [400, 700, 512], [1460]):
            stream, truth = legacy(draw, size, 16, sizes)
            full = check("legacy %d in %s" % (size, sizes), stream, truth, 4, [8] * cells, 65535)
            tally.expect("legacy %d: whole" % size, full == (16, 0), full)
            for snaplen in sorted(draw.sample(range(HEADERS + 1, max(sizes) + HEADERS), 2 * rounds)):
                check("legacy %d in %s" % (size, sizes), stream, truth, 4, [8] * cells, snaplen)
    fields = VECTORS
    widths = [8] * (1 + 48) + [4]
    one = 4 + sum(widths)
    for sizes in ([one], [2 * one], [3 * one], [one // 2, one - one // 2], [300, 200]):
        stream, truth = rtde(draw, 16, sizes, fields)
        full = check("rtde in %s" % sizes, stream, truth, 4, widths, 65535)
        tally.expect("rtde: whole", full == (16, 0), full)
        least = HEADERS + 3 + 8 + len("timestamp,robot_mode," + ",".join(name for name, _ in fields))
        for snaplen in sorted(draw.sample(range(least, max(max(sizes) + HEADERS, least + 2 * rounds)), 2 * rounds)):
            check("rtde in %s" % sizes, stream, truth, 4, widths, snaplen)


def check_formats():
    """Every format, with one thread and several, has the same fields as the library's values."""
    draw = random.Random(3)
    stream, _ = legacy(draw, 1060, 40, [1440, 680])
    stream.write("cut.pcap", 600)
    table = list(csv.DictReader(io.StringIO(run("export", "cut.pcap").stdout)))
    lines = [json.loads(line) for line in run("export", "-f", "ndjson", "cut.pcap").stdout.splitlines()]
    tally.expect("ndjson: rows", len(lines) == len(table), len(lines), len(table))
    for row, line in zip(table, lines):
        flat = {}
        for name, value in line.items():
            if isinstance(value, list):
                flat.update(("%s_%d" % (name, i), float(one)) for i, one in enumerate(value))
            elif isinstance(value, (int, float)) and name in row:
                flat[name] = float(value)
        del flat["time"]
        cells = {name: float(cell) for name, cell in row.items() if cell and name != "time"}
        tally.expect("ndjson: fields", flat == cells, flat, cells)
    for threads in ("1", "3"):
        tally.expect("threads", run("export", "--threads", threads, "cut.pcap").stdout == run("export", "cut.pcap").stdout)
    numbers = [line.split() for line in run("export", "-f", "gnuplot", "cut.pcap").stdout.splitlines() if line[0] != "#"]
    for row, columns in zip(table, numbers):
        there = sum(1 for name, cell in row.items() if cell and name != "time")
        shown = sum(1 for one in columns if one != "NaN")
        tally.expect("gnuplot: as many numbers", shown == there, shown, there)


def check_said():
    """Each command names the snapshot length."""
    draw = random.Random(4)
    for what, stream in (("legacy", legacy(draw, 1060, 40, [1060])[0]), ("rtde", rtde(draw, 40, [416], VECTORS)[0])):
        stream.write("cut.pcap", 200)
        stream.write("whole.pcap", 65535)
        for command in (["info", "cut.pcap"], ["export", "cut.pcap"], ["diagnose", "cut.pcap"],
                        ["explain", "--packet", "12", "cut.pcap"], ["compare", "cut.pcap"], ["infer", "cut.pcap"],
                        ["recipe", "--from", "cut.pcap"], ["plot", "-o", "x.svg", "cut.pcap"],
                        ["report", "-o", "x.html", "cut.pcap"]):
            done = run(*command)
            said = done.stdout + done.stderr
            if command[0] == "report":
                with open("x.html", encoding="utf-8") as file:
                    said += file.read()
            tally.expect("%s: %s names the cause" % (what, command[0]), "snapshot length" in said, said)


def check_other_loss():
    """A segment that is missing altogether: what lies in it is no record, what is cut beside it is."""
    draw = random.Random(5)
    stream, truth = legacy(draw, 1060, 30, [1060])
    lost = len(stream.packets) - 12
    del stream.packets[lost]
    got, _ = check("a lost segment", stream, truth, 4, [8] * 132, 400)
    tally.expect("a lost segment: 29 records", got == 29, got)


def main():
    global ARMTAP  # pylint: disable=global-statement
    ARMTAP = os.path.abspath(ARMTAP)
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_all(seed, rounds)
        check_formats()
        check_said()
        check_other_loss()
        os.chdir("/")
    return tally.finish()


sys.exit(main())
