#!/usr/bin/env python3
"""Captures in several files of the same time, made here from samples: a file for each direction, as a passive tap writes,
each perhaps rotated, in any order on the command line, packed or not: the rows are those of the one file.
tests/tap-check.py [SEED]."""
import gzip
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import tally

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "captures"))


def run(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, check=False, timeout=100)


def read(name):
    data = (gzip.open if name.endswith(".gz") else open)(os.path.join(SAMPLES, name), "rb").read()
    order = "<" if data[0] in (0xD4, 0x4D) else ">"
    at, packets = 24, []
    while at < len(data):
        _, _, captured, _ = struct.unpack_from(order + "4I", data, at)
        packets.append(data[at:at + 16 + captured])
        at += 16 + captured
    return data[:24], packets


def rows(*names):
    """The rows, without what differs: file and number of the packet."""
    done = run("export", "-f", "ndjson", *names)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        line.pop("packet")
        line.pop("file", None)
    return done, lines


def is_from_robot(packet):
    source, target = struct.unpack(">HH", packet[16 + 34:16 + 38])
    return source < target


def check(draw, name):
    header, packets = read(name)
    whole = "whole.pcap"
    with open(whole, "wb") as file:
        file.write(header + b"".join(packets))
    truth = rows(whole)[1]
    tally.expect(name + ": there are rows", truth)
    for parts in (1, 2, 3):
        names = []
        for side in (True, False):
            of_side = [packet for packet in packets if is_from_robot(packet) == side]
            cuts = [0] + sorted(draw.sample(range(1, len(of_side)), parts - 1)) + [len(of_side)]
            for i in range(parts):
                packed = draw.random() < 0.3
                names.append("%s%d.pcap%s" % ("robot" if side else "client", i, ".gz" if packed else ""))
                with (gzip.open if packed else open)(names[-1], "wb") as file:
                    file.write(header + b"".join(of_side[cuts[i]:cuts[i + 1]]))
        for _ in range(3):
            done, got = rows(*names)
            tally.expect("%s as %s: rows" % (name, " ".join(names)), got == truth, len(got), len(truth), done.stderr)
            draw.shuffle(names)
        said = run("diagnose", *names)
        tally.expect("%s in %d files: status of diagnose" % (name, len(names)),
                     said.returncode == run("diagnose", whole).returncode, said.stdout)
        count = [json.loads(run("info", "--json", *some).stdout) for some in (names, [whole])]
        for key in ("records", "records_to_robot", "fields", "gaps", "midstream"):
            tally.expect("%s in %d files: %s" % (name, len(names), key),
                         [stream[key] for stream in count[0]["streams"]] == [stream[key] for stream in count[1]["streams"]])
    # The file and packet of a record are its own.
    done = run("export", "-f", "ndjson", *names)
    for line in map(json.loads, done.stdout.splitlines()[:50]):
        tally.expect("the record's file", line["file"].startswith("robot" if line["direction"] == "from-robot" else "client"))


def folder_files(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found[name] = file.read()
    return found


def check_folder():
    """A folder of Parquet gets the same of the halves in either order, and of no half alone what it gets of both."""
    header, packets = read("rtde-stop.pcap")
    for name, side in (("robot.pcap", True), ("client.pcap", False)):
        with open(name, "wb") as file:
            file.write(header + b"".join(packet for packet in packets if is_from_robot(packet) == side))
    got = []
    for i, names in enumerate((["robot.pcap", "client.pcap"], ["client.pcap", "robot.pcap"], ["robot.pcap"])):
        done = run("export", "-f", "parquet", "-o", "folder%d/" % i, *names)
        tally.expect("folder of %s: status" % " ".join(names), done.returncode == 0, done.stderr)
        tally.expect("folder of %s: told as guessed" % " ".join(names), (len(names) == 1) == ("guess" in done.stderr or
                     "recipe" in done.stderr or "names" in done.stderr), done.stderr)
        got.append(folder_files("folder%d" % i))
    tally.expect("folder: there are files", got[0])
    tally.expect("folder: the halves in any order", got[0] == got[1], list(got[0]), list(got[1]))
    tally.expect("folder: names of fields come from the other half", all(b"actual_q" in data for data in got[0].values()))


def stamped(header, packet, late):
    """The packet with a time that many milliseconds later."""
    order = "<" if header[0] in (0xD4, 0x4D) else ">"
    second = 10**9 if header[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 10**6
    seconds, fraction, *rest = struct.unpack_from(order + "4I", packet)
    time = seconds * second + fraction + round(late * second / 1000)
    return time, struct.pack(order + "4I", time // second, time % second, *rest) + packet[16:]


def merged(draw, header, packets, kind, late):
    """As from two machines whose clocks are `late` milliseconds apart: the client's packets, every packet, or some of the
    robot's come from the second."""
    out = []
    for packet in packets:
        is_second = not is_from_robot(packet) if kind == "side" else is_from_robot(packet) and draw.random() < 0.1
        out.append(stamped(header, packet, late if is_second and kind != "both" else 0))
        if kind == "both":
            out.append(stamped(header, packet, late + 0.05))
    return b"".join(packet for _, packet in sorted(out, key=lambda pair: pair[0]))


def closers(findings):
    """Of each stream, which side closed it, and what leaves that open."""
    return sorted((one["stream"], one["args"]["who"], one["args"].get("doubt")) for one in findings if one["id"] == "tcp.closed")


def check_clocks(draw, name):
    """Captures merged from two machines: the rows of the one capture, no gap, and how far the clocks are apart."""
    header, packets = read(name)

    def of(*names):
        """By stream and direction; between these the order is that of other times."""
        found = {}
        for line in rows(*names)[1]:
            line.pop("time")
            found.setdefault((line["stream"], line["direction"]), []).append(line)
        return found

    truth = of("whole.pcap")
    closed = closers(json.loads(run("diagnose", "--json", "whole.pcap").stdout)["findings"])
    for kind in ("side", "both", "some"):
        for late in (draw.uniform(10, 100), draw.uniform(100, 500), *(() if kind == "some" else (draw.uniform(-500, -10),))):
            with open("merged.pcap", "wb") as file:
                file.write(header + merged(draw, header, packets, kind, late))
            what = "%s, %s %+.1f ms" % (name, kind, late)
            tally.expect(what + ": rows", of("merged.pcap") == truth)
            found = json.loads(run("diagnose", "--json", "merged.pcap").stdout)["findings"]
            wrong = {"stream.gap", "rtde.recipe.missing", "rtde.setup.bad", "tcp.retransmission", "silence"} & {
                finding["id"] for finding in found}
            tally.expect(what + ": nothing invented", not wrong, wrong)
            if kind == "side":  # whose FIN acknowledges the other's is known without a clock
                tally.expect(what + ": who closed", closers(found) == closed, closers(found), closed)
            told = [finding["args"]["duration_s"] for finding in found if finding["id"] == "capture.clocks-apart"]
            tally.expect(what + ": the clocks are told", told and all(0.9 * abs(late) - 5 <= 1000 * apart <= abs(late) + 5
                         for apart in told), told)


def check_rotated():
    """Files one after another stay in the order given."""
    header, packets = read("cb3-1060.pcap.gz")
    middle = len(packets) // 2
    for name, some in (("a.pcap", packets[:middle]), ("b.pcap", packets[middle:])):
        with open(name, "wb") as file:
            file.write(header + b"".join(some))
    tally.expect("rotated: rows", rows("a.pcap", "b.pcap")[1] == rows("whole.pcap")[1])
    done = run("info", "b.pcap", "a.pcap")
    tally.expect("rotated, in a wrong order: said", "begins before" in done.stderr, done.stderr)


def main():
    draw = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("rtde-stop.pcap", "ur-rtde.pcap.gz", "cb3-1060.pcap.gz"):
            check(draw, name)
            check_clocks(draw, name)
        check_rotated()
        check_folder()
        os.chdir("/")
    return tally.finish()


sys.exit(main())
