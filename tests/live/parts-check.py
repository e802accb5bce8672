#!/usr/bin/env python3
"""Recordings as armtap reads them: what it says of packets that were made from a socket's bytes, parts that repeat the
handshake, and files that are not in order of time."""
import json
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import wire  # noqa: E402
from recording import ACK, FIN, PSH, Connection, write  # noqa: E402
from tally import expect, finish, side_by_side  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
BEGIN, CYCLE = 1795000000 * 10**9, 2000000
NAMES, TYPES = ["timestamp", "actual_q", "robot_mode"], ["DOUBLE", "VECTOR6D", "INT32"]
RECORDS, PART = 1000, 100
MARK = "armtap 9.9.9: from a socket"


def run(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True)


def handshake():
    """(side, bytes): the robot is 0."""
    return [(1, wire.package("V", b"\0\2")), (0, wire.package("V", b"\1")),
            (1, wire.package("O", struct.pack(">d", 500) + ",".join(NAMES).encode())),
            (0, wire.package("O", b"\1" + ",".join(TYPES).encode())),
            (1, wire.package("S")), (0, wire.package("S", b"\1"))]


def data(number):
    values = {"timestamp": (5 + number * 0.002,), "actual_q": (number / 7,) * 6, "robot_mode": (7,)}
    return wire.package("U", b"\1" + wire.Recipe(NAMES, TYPES).pack(values))


def session(records=range(RECORDS), **of):
    """The connection, which begins with the first record, and for each record its packet."""
    connection = Connection(**of)
    connection.open(BEGIN + records[0] * CYCLE)
    for side, message in handshake():
        connection.put(BEGIN + records[0] * CYCLE, side, PSH | ACK, message)
    for number in records:
        connection.put(BEGIN + number * CYCLE, 0, PSH | ACK, data(number))
    return connection


def comment(part, repeated, recording="0123456789abcdef"):
    text = "%s; recording %s, part %d" % (MARK, recording, part)
    return text + ("; its first %d packets repeat the handshake" % repeated if repeated else "")


def write_parts():
    """One recording, whole and in parts of PART records, each with the handshake again; their names."""
    connection, begun, names = Connection(), [], []
    connection.open(BEGIN)
    for side, message in handshake():
        connection.put(BEGIN, side, PSH | ACK, message)
    for number in range(RECORDS):
        if number % PART == 0:
            repeated = connection.repeat(BEGIN + number * CYCLE, handshake()) if number else []
            begun.append((len(connection.packets) if number else 0, repeated))
        connection.put(BEGIN + number * CYCLE, 0, PSH | ACK, data(number))
    connection.put(BEGIN + RECORDS * CYCLE, 0, FIN | ACK)
    connection.put(BEGIN + RECORDS * CYCLE, 1, FIN | ACK)
    for i, (at, repeated) in enumerate(begun):
        names.append("part%02d.pcapng" % (i + 1))
        end = begun[i + 1][0] if i + 1 < len(begun) else None
        write(names[-1], repeated + connection.packets[at:end], comment(i + 1, len(repeated)))
    write("whole.pcapng", connection.packets, comment(1, 0))
    return names


def parts():
    names = write_parts()
    whole = run("export", "whole.pcapng")
    expect("the whole has all records", whole.stdout.count("\n") == RECORDS + 1 and not whole.stderr, whole.stderr)
    together = run("export", *names)
    expect("parts in order are the whole", together.stdout == whole.stdout and not together.stderr, together.stderr,
           together.stdout)
    found = json.loads(run("info", "--json", *names).stdout)
    alone = json.loads(run("info", "--json", "whole.pcapng").stdout)
    for key in "records", "gaps", "midstream", "bytes_lost", "bytes_decoded", "notes", "first_time", "last_time":
        expect("info of the parts: " + key, found["streams"][0][key] == alone["streams"][0][key], found["streams"])
    expect("info of the parts: one stream", len(found["streams"]) == 1, found["streams"])
    findings = [json.loads(run("diagnose", "--json", *which).stdout)["findings"] for which in (names, ["whole.pcapng"])]
    expect("diagnose of the parts", [one["id"] for one in findings[0]] == [one["id"] for one in findings[1]], findings)
    rows = whole.stdout.splitlines()
    for i, name in enumerate(names):
        own = run("export", name)
        expect("part %d alone" % (i + 1), own.stdout.splitlines() == rows[:1] + rows[1 + i * PART:1 + (i + 1) * PART]
               and not own.stderr, own.stderr, own.stdout)


def parts_missing():
    names = write_parts()
    left_out = run("export", "--union", "--fields", "timestamp", *names[:3], *names[4:])
    expect("a part left out: the rows of the others", left_out.stdout.count("\n") == RECORDS - PART + 1, left_out.stderr)
    other = session(range(300, 310), first=(700000, 900000))
    write("other.pcapng", other.packets, comment(2, 9, "fedcba9876543210"))
    found = run("export", "--union", "--fields", "timestamp", names[0], "other.pcapng")
    expect("part 2 of another recording keeps its handshake", found.stdout.count("\n") == PART + 10 + 1, found.stdout,
           found.stderr)


def order():
    names = write_parts()
    shuffled = [names[i] for i in (0, 9, 1, 2, 3, 8, 4, 5, 6, 7)]
    warned = run("info", *shuffled)
    expect("files out of order: a warning that names them", "part02.pcapng begins before part10.pcapng" in warned.stderr
           and "--sort" in warned.stderr, warned.stderr)
    expect("each descent once", warned.stderr.count("begins before") == 2, warned.stderr)
    expect("in order: no warning", not run("info", *names).stderr)
    expect("--sort", run("export", "--sort", *shuffled).stdout == run("export", *names).stdout)
    expect("--sort: no warning", not run("export", "--sort", *shuffled).stderr)
    refused = run("export", "--sort", names[0], "-")
    expect("--sort and standard input", refused.returncode == 2 and "--sort" in refused.stderr, refused.stderr)
    missing = run("info", "--sort", names[1], "no-such-file", names[0])
    expect("--sort and a file that is not there", missing.returncode == 2 and "no-such-file" in missing.stderr
           and "begins before" not in missing.stderr, missing.stderr)


def disturbed():
    """Segments again, in another order and overlapping, a silence, and an error of the robot."""
    connection = session([*range(500), *range(2000, 2500)])
    packets = connection.packets
    packets[100:100] = [(packets[99][0] + 1, packets[50][1])] * 3
    packets[200], packets[201] = (packets[200][0], packets[201][1]), (packets[201][0], packets[200][1])
    return packets


def origin():
    about_network = {"tcp.retransmission", "tcp.out-of-order", "capture.duplicate", "tcp.zero-window"}
    for name, mark in ("network", None), ("socket", MARK), ("other", "tcpdump: from a socket"):
        write(name + ".pcapng", disturbed(), mark)
        found = json.loads(run("diagnose", "--json", name + ".pcapng").stdout)
        said = {one["id"] for one in found["findings"]}
        shown = run("diagnose", name + ".pcapng").stdout
        if mark == MARK:
            expect(name + ": nothing about the network", not said & about_network, said)
            expect(name + ": the network is not blamed", all(one["side"] != "network" for one in found["incidents"]), found)
            expect(name + ": it says what it cannot know", "read from a socket" in shown
                   and "No fault of the network" not in shown, shown)
        else:
            expect(name + ": the network", said & about_network, said)
            expect(name + ": nothing about sockets", "read from a socket" not in shown, shown)
        expect(name + ": the silence", "silence" in said, said)


def clean():
    """The controller skipped packages, and nothing else happened: only a capture shows that the network had no fault."""
    packets = session([*range(500), *range(510, RECORDS)]).packets
    write("network.pcapng", packets)
    write("socket.pcapng", packets, MARK)
    for name in ("network", "socket"):
        shown = " ".join(run("diagnose", name + ".pcapng").stdout.split())
        incidents = json.loads(run("diagnose", "--json", name + ".pcapng").stdout)["incidents"]
        expect(name + ": the controller", [(one["what"], one["side"]) for one in incidents] == [("clock.skipped", "robot")], incidents)
        expect(name + ": the network", ("No fault of the network was seen" in shown) == (name == "network"), shown)


side_by_side(parts, parts_missing, order, origin, clean)
sys.exit(finish())
