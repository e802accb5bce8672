#!/usr/bin/env python3
"""The primary interface through the program: captures of every variant, packed by Python's struct from the tables of
facts (primary_wire.py), against what export says; and the sample, whose two streams are one robot's."""
import csv
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import primary_wire as wire  # noqa: E402
from tally import expect, finish  # noqa: E402

ARMTAP = os.environ.get("ARMTAP", "./armtap")
SAMPLE = os.path.join(os.environ.get("srcdir", "."), "captures", "primary-stop.pcap.gz")


def told(layout, row, value):
    """What the field of a row must be."""
    field = row[3]
    if field == "timestamp":
        return value / 1e6
    if field.startswith("actual_digital_") and layout.variant.startswith("1."):
        return value & 0xff | (value & 0x300) << 8
    return value


def expected_of(parts, number):
    """Field to value, or to a list of values; True and False where the field is a truth."""
    fields = {}
    for layout in parts:
        for row in layout.rows:
            value = told(layout, row, wire.value_of(number)(layout, row))
            name, element = wire.element_of(row[3])
            if not name:
                continue
            if ".bit" in name:
                name, bit = name.split(".bit")
                fields[name] = fields.get(name, 0) | (value != 0) << int(bit)
            elif element is None:
                fields[name] = value
            else:
                fields.setdefault(name, []).append(value)
    return fields


def run(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, check=False)


def rows_of(path):
    done = run("export", "-f", "ndjson", path)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def check_states(name, path, port, parts, counts=3):
    """A stream of these sub-packages: each value of each state, and nothing else."""
    capture = wire.Capture(port)
    capture.send_states(parts, counts)
    with open(path, "wb") as file:
        file.write(capture.bytes)
    done, rows = rows_of(path)
    expect(name, len(rows) == counts and not done.stderr, (len(rows), done.stderr))
    for number, row in enumerate(rows):
        expected = expected_of(parts, number)
        said = {key: value for key, value in row.items()
                if key not in ("time", "packet", "stream", "robot", "protocol", "direction")}
        wrong = {key: (said.get(key), value) for key, value in expected.items()
                 if said.get(key) != (bool(value) if isinstance(said.get(key), bool) else value)}
        expect(name, not wrong and set(said) == set(expected), (wrong, set(said) ^ set(expected)))


def check_variants(folder):
    regular = wire.regular_parts()
    for port in (30001, 30002, 30011, 30012):
        check_states("port %d" % port, os.path.join(folder, "port.pcap"), port, regular)
    for name, parts in wire.variants():
        check_states(name, os.path.join(folder, "one.pcap"), 30001, parts)


def check_sample():
    """RTDE and the primary interface of one robot, which has one clock: the values of both at its times are the same."""
    def table(stream):
        done = run("export", "--stream", str(stream), SAMPLE)
        return {row["timestamp"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    primary, rtde = table(0), table(1)
    both = [time for time in primary if time in rtde]
    names = ["actual_q_%d" % i for i in range(6)] + ["robot_mode", "speed_scaling"]
    expect("one robot", len(both) >= 25, len(both))
    for time in both:
        differ = [name for name in names if float(primary[time][name]) != float(rtde[time][name])]
        expect("one robot", not differ and primary[time]["safety_mode"] == rtde[time]["safety_status"], (time, differ))
    script = run("export", "--stream", "0", "--to-robot", SAMPLE).stdout
    expect("script", script.count("\n") == 7 and "movej([0, -1.57, 0, -1.57, 0, 0])" in script, script)
    with gzip.open(SAMPLE) as file:
        expect("the sample", b"PROGRAM_XXX_STOPPEDpick" in file.read(), SAMPLE)


def explained(path, packet):
    done = run("explain", "--json", "--packet", str(packet), path)
    return [(part["field"], part["value"], part["remark"] or "") for part in json.loads(done.stdout)["messages"][0]["parts"]
            if part["offset"] >= 16]


def check_variables(folder):
    """A program's variables: their names, and their values in the numbering of the release; without it, none."""
    names, values = b"counter\nposes\n", b"\x0f\0\0\0\x2a\n" + b"\x11\0\2\x0d\1\x03\0\1a" + b"\n"
    path = os.path.join(folder, "variables.pcap")
    cases = (((5, 9, 0), [("variable 3", "42", ""), ("variable 4", '[True, "a"]', "")]),
             ((5, 8, 0), [("variable 3", "5.9e-44", ""), ("variable 4", None, "a value of unknown type 17")]),
             (None, [("variableValues", None, "their types depend on the controller's release, which is not known here")]))
    for release, expected in cases:
        capture = wire.Capture(30001)
        capture.send("robot", 0.01, wire.version(*release) if release else wire.state([]))
        for kind, body in ((0, names), (1, values)):
            capture.send("robot", 0.02 + kind, struct.pack(">IBQBH", 16 + len(body), 25, 2**64 - 1, kind, 3) + body)
        with open(path, "wb") as file:
            file.write(capture.bytes)
        expect("names", explained(path, 5) == [("variableNames", names.decode(), "")], explained(path, 5))
        expect("values of %s" % (release,), explained(path, 6) == expected, explained(path, 6))


def check_changed_mode(folder):
    """C100's argument is a robot mode, which CB2 numbers differently, and which nothing names if it is not one."""
    path = os.path.join(folder, "mode.pcap")
    cases = (((5, 9, 0), 7, "Robot changed mode: RUNNING (7)"), ((1, 8, 0), 7, "Robot changed mode: NO_POWER (7)"),
             ((5, 9, 0), 0, "Robot changed mode: DISCONNECTED (0)"), ((5, 9, 0), 77, "Robot changed mode: mode 77"))
    for release, mode, words in cases:
        capture = wire.Capture(30001)
        capture.send("robot", 0.01, wire.version(*release))
        capture.send("robot", 0.02, wire.robot_message(6, struct.pack(">iiiII", 100, mode, 3, 1, 0), clock=12345678))
        with open(path, "wb") as file:
            file.write(capture.bytes)
        done = run("diagnose", "--json", path)
        told = [finding["text"] for finding in json.loads(done.stdout)["findings"] if finding["id"] == "ur.error"]
        expect("C100 of %s" % (release,), len(told) == 1 and words + ";" in told[0], told)


with tempfile.TemporaryDirectory() as scratch:
    check_variables(scratch)
    check_changed_mode(scratch)
    check_variants(scratch)
    check_sample()
sys.exit(finish())
