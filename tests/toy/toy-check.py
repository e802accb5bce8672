#!/usr/bin/env python3
"""A protocol that only tests/toy names: what every command does with it, on captures made here with struct. The program
is armtap with one more decoder."""
import csv
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import expect, finish  # noqa: E402

ARMTAP = os.path.join(os.environ.get("builddir", "."), "tests", "toy", "armtap")
ROBOT, CLIENT, PORT = bytes([10, 0, 0, 7]), bytes([10, 0, 0, 9]), 40000
EPOCH, STEP = 1769860800, 0.01
COUNT, LOST, SHORT = 400, range(150, 160), 300  # messages; those not captured; one that ends before its last value
NAMES = ["timestamp"] + ["actual_q_%d" % i for i in range(6)] + ["toy_level"]


def values_of(number):
    """The values of a message: numbers that any rounding would change."""
    values = [1000 + number * STEP] + [(number + 1) / (i + 3) for i in range(6)] + [number / 7e5]
    return values[:-1] if number == SHORT else values


def message(number):
    values = values_of(number)
    return b"TOY1" + struct.pack(">I", 8 + 8 * len(values)) + struct.pack(">%dd" % len(values), *values)


def arrival(number):
    return 0.001 + number * STEP


class Capture:
    """Packets of one connection, as a pcap file."""

    def __init__(self, port=PORT):
        self.port = port
        self.sequence = {"robot": 1000, "client": 5000}
        self.number = 0
        self.bytes = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)
        self.send("client", 0, flags=0x02)
        self.send("robot", 0, flags=0x12)
        self.send("client", 0, flags=0x10)

    def send(self, sender, time, payload=b"", flags=0x18, captured=True):
        other = "client" if sender == "robot" else "robot"
        address, port = {"robot": ROBOT, "client": CLIENT}, {"robot": self.port, "client": 50000}
        tcp = struct.pack(">HHIIBBHHH", port[sender], port[other], self.sequence[sender], self.sequence[other], 5 << 4, flags,
                          65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), self.number + 1, 0, 64, 6, 0, address[sender],
                         address[other])
        packet = bytes(12) + b"\x08\0" + ip + tcp + payload
        self.number += 1
        self.sequence[sender] += len(payload) + (flags >> 1 & 1)
        if captured:
            seconds, rest = divmod(round(time * 1e9), 10**9)
            self.bytes += struct.pack("<4I", EPOCH + seconds, rest, len(packet), len(packet)) + packet

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes)
        return path


def make(path, port=PORT, lost=()):
    capture = Capture(port)
    for i in range(COUNT):
        capture.send("robot", arrival(i), message(i), captured=i not in lost)
        if i % 10 == 9:
            capture.send("client", arrival(i) + 0.001, flags=0x10)
    return capture.write(path)


def armtap(*arguments):
    return subprocess.run([ARMTAP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=60, check=False)


def check_info(path):
    run = armtap("info", "--json", path)
    streams = json.loads(run.stdout)["streams"]
    expect("info: one stream of the toy's", len(streams) == 1 and streams[0]["protocol"] == "toy", run.stdout, run.stderr)
    expect("info: its records", streams[0]["records"] == COUNT - len(LOST), streams[0])
    text = armtap("info", path).stdout
    expect("info: in words", "stream 0: toy\n" in text and "toy_level" in text, text)


def check_csv(what, run, numbers, has_time):
    rows = list(csv.reader(io.StringIO(run.stdout)))
    expect("%s: names" % what, rows and rows[0] == ["time"] + NAMES, rows[:1], run.stderr)
    expect("%s: as many rows as messages" % what, len(rows) == len(numbers) + 1, len(rows), len(numbers))
    for row, number in zip(rows[1:], numbers):
        values = values_of(number)
        cells = [repr(value) for value in values] + [""] * (len(NAMES) - len(values))
        time = "%.9f" % (EPOCH + arrival(number)) if has_time else ""
        found = [repr(float(cell)) if cell else "" for cell in row[1:]]
        expect("%s: message %d" % (what, number), found == cells, found, cells)
        expect("%s: time of message %d" % (what, number), row[0][:-7] == time[:-7], row[0], time)


def check_export(folder, path):
    kept = [i for i in range(COUNT) if i not in LOST]
    check_csv("a capture", armtap("export", path), kept, True)
    rows = [json.loads(line) for line in armtap("export", "-f", "ndjson", path).stdout.splitlines()]
    expect("ndjson: the joints", [row["actual_q"] for row in rows] == [values_of(i)[1:7] for i in kept])
    expect("ndjson: the protocol", all(row["protocol"] == "toy" for row in rows), rows[:1])
    other = make(os.path.join(folder, "other.pcap"), port=41000)
    check_csv("--port", armtap("export", "--port", "41000=toy", other), range(COUNT), True)
    dump = os.path.join(folder, "dump.bin")
    with open(dump, "wb") as file:
        file.write(b"".join(message(i) for i in range(COUNT)))
    check_csv("--raw", armtap("export", "--raw", "toy", dump), range(COUNT), False)


def check_little(folder):
    """One message, and not quite one."""
    path = make(os.path.join(folder, "one.pcap"), lost=range(1, COUNT))
    check_csv("one message", armtap("export", path), [0], True)
    dump = os.path.join(folder, "one.bin")
    with open(dump, "wb") as file:
        file.write(message(0))
    check_csv("one message, --raw", armtap("export", "--raw", "toy", dump), [0], False)
    with open(dump, "wb") as file:
        file.write(message(0)[:-1])
    run = armtap("export", "--raw", "toy", dump)
    expect("no message", run.returncode == 2 and "no complete toy message" in run.stderr, run)


def check_diagnose(path):
    run = armtap("diagnose", "--json", path)
    found = json.loads(run.stdout)["findings"]
    gaps = [one for one in found if one["id"] == "stream.gap"]
    expect("diagnose: the gap", len(gaps) == 1 and run.returncode == 1, run.stdout, run.stderr)
    size = len(message(0)) * len(LOST)
    expect("diagnose: its size", any(str(size) in one["text"] for one in gaps), gaps)
    expect("diagnose: nothing else", {one["id"] for one in found} <= {"stream.gap"}, found)


def check_parts(what, shown, number):
    """Every byte once and in order, the header's parts, and the values that struct packed."""
    content, values = message(number), values_of(number)
    parts = shown["parts"]
    expect("%s: its kind" % what, (shown["protocol"], shown["message"]) == ("toy", "joints"), shown)
    expect("%s: every byte" % what, "".join(part["bytes"] for part in parts) == content.hex(), parts)
    ends = [part["offset"] + part["length"] for part in parts]
    expect("%s: in order" % what, [part["offset"] for part in parts] == [0] + ends[:-1] and ends[-1] == len(content), parts)
    expect("%s: fields" % what, [part["field"] for part in parts] == ["magic", "length"] + NAMES[:len(values)], parts)
    expect("%s: values" % what, [part["value"] for part in parts] == ["TOY1", len(content)] + values, parts)
    units = ["s"] + ["rad"] * 6
    expect("%s: units" % what, [part["unit"] for part in parts][2:9] == units[:len(values)], parts)


def check_explain(folder):
    path = make(os.path.join(folder, "whole.pcap"))
    for number in 0, 9, 10, SHORT, COUNT - 1:
        packet = 4 + number + number // 10  # behind the handshake, and an acknowledgement after each ten
        run = armtap("explain", "--json", path, "--packet", str(packet))
        found = json.loads(run.stdout)["messages"]
        expect("explain: packet %d" % packet, len(found) == 1, run.stdout, run.stderr)
        check_parts("explain: message %d" % number, found[0], number)
    text = armtap("explain", path, "--packet", "4").stdout
    expect("explain: in words", "\ntoy joints from the robot, 72 bytes\n" in text and " magic " in text, text)
    for options in [], ["--raw", "toy"]:
        run = armtap("explain", "--json", "--hex", (message(7) + message(SHORT)).hex(), *options)
        found = json.loads(run.stdout)["messages"]
        expect("explain --hex %s: two messages" % options, len(found) == 2, run.stdout, run.stderr)
        for one, number in zip(found, (7, SHORT)):
            check_parts("explain --hex %s: message %d" % (options, number), one, number)
    cut = json.loads(armtap("explain", "--json", "--hex", message(7)[:21].hex()).stdout)["messages"]
    expect("explain --hex: cut", [part["remark"] for part in cut[0]["parts"]][1:] ==
           ["(21 are here)", None, "cut: 5 of its 8 bytes"], cut)


def protocols():
    """Those of the ordinary program, as its help lists them, and the toy."""
    run = subprocess.run([os.environ.get("ARMTAP", "./armtap"), "info", "--help"], capture_output=True, text=True)
    listed = re.search(r"may be repeated\): ([a-z0-9_, ]+?) or ([a-z0-9_]+) ", " ".join(run.stdout.split()))
    return "%s, %s or toy" % listed.groups()


def check_words():
    listed = protocols()
    for command in "info", "export", "diagnose":
        text = " ".join(armtap(command, "--help").stdout.split())
        expect("%s --help lists it" % command, text.count(listed) == 2, text)
    run = armtap("info", "--raw", "modbus", "x")
    expect("an error lists it", run.returncode != 0 and listed in run.stderr, run.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = make(os.path.join(folder, "toy.pcap"), lost=LOST)
        check_info(path)
        check_export(folder, path)
        check_little(folder)
        check_diagnose(path)
        check_explain(folder)
    check_words()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
