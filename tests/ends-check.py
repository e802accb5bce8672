#!/usr/bin/env python3
"""Readings that end before the capture does, `export --to` and `explain --packet`, tell what a reading of all of it tells:
the rows of a whole export up to that time, whatever comes later (streams, recipes, late segments, handshakes that explain
what came before), and of a packet what is told of it through a pipe, which is read to its end. That they do end early is
shown by damage behind the end, which they do not find; what is not decided yet at T is read on for, and finds it."""
import decimal
import gzip
import json
import os
import struct
import subprocess
import sys

from robot_capture import Capture, Client
from tally import ALL, expect, finish, share, side_by_side

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), ".."))), "captures")
SAID_BYTES = 256 << 20  # of captures, from which on --from says what it reads
FIELDS = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("robot_mode", "INT32")]
OTHERS = [("timestamp", "DOUBLE"), ("target_q", "VECTOR6D"), ("safety_mode", "INT32")]


def run(*words, stdin=None):
    return subprocess.run([ARMTAP, *words], stdin=stdin, capture_output=True, text=True, check=False)


def rows_of(*words):
    result = run("export", "-f", "ndjson", "-o", "-", *words)
    return result.returncode, [json.loads(line, parse_float=decimal.Decimal) for line in result.stdout.splitlines()]


def values(i):
    return [0.1 * j + i * 1e-3 for j in range(6)]


def send(client, begin, end, hz=125.0, **more):
    """Packages from begin on, before end."""
    count = int((end - begin) * hz + .5)
    for i in range(count):
        client.package(begin + i / hz, begin + i / hz, *values(i), 7, **more)


def plain(capture):
    client = Client(capture, 0, FIELDS)
    send(client, 0.01, 12)


def late_stream(capture):
    """Another client, of which nothing is known at T."""
    plain(capture)
    second = Client(capture, 6, OTHERS, 40002)
    send(second, 6.01, 12)


def silent_first(capture):
    """The first connection shows only long after T what it carries: it has number 0."""
    robot, client = ("10.0.0.3", 30004), ("10.0.0.9", 39999)
    capture.segment(0, client, robot, b"", 2)
    capture.segment(0, robot, client, b"", 0x12)
    capture.segment(0, client, robot, b"", 0x10)
    plain(capture)
    silent = object.__new__(Client)
    silent.capture, silent.client, silent.robot, silent.codes = capture, client, robot, ">d6di"
    silent.ask(9, "V", b"\0\2", b"\1")
    silent.ask(9, "O", struct.pack(">d", 125.0) + ",".join(name for name, _ in FIELDS).encode(),
               b"\1" + ",".join(kind for _, kind in FIELDS).encode())
    silent.ask(9, "S", b"", b"\1")
    send(silent, 9.01, 12)


def learned(capture):
    """Data without its handshake, which a later connection of the same robot has."""
    other = Capture()
    send(Client(other, 0, FIELDS), 0.01, 6)
    capture.frames += [frame for frame in other.frames if frame[0] > 0.005]
    send(Client(capture, 8, FIELDS, 40002), 8.01, 12)


def replaced(capture):
    """Another recipe long after T."""
    client = Client(capture, 0, FIELDS)
    send(client, 0.01, 6)
    client.pause(6)
    client.ask(6, "O", struct.pack(">d", 125.0) + b"timestamp,target_q,safety_mode", b"\2DOUBLE,VECTOR6D,INT32")
    client.start(6)
    for i in range(500):
        client.capture.segment(6.01 + i / 125, client.robot, client.client,
                               struct.pack(">HBBd6di", 64, ord("U"), 2, 6.01 + i / 125, *values(i), 1))


def hole(capture):
    """A segment is lost before T; what comes behind it waits, until it is sent again long after T."""
    client = Client(capture, 0, FIELDS)
    send(client, 0.01, 1.9)
    begin = capture.sent[(client.robot, client.client)]
    before = len(capture.frames)
    client.package(1.9, 1.9, *values(5), 7)
    lost = capture.frames.pop(before)
    send(client, 1.908, 4.5)
    capture.frames.append((9.0, lost[1]))
    assert capture.sent[(client.robot, client.client)] > begin
    send(client, 9.008, 12)


def gap(capture):
    """Lost for ever: whether a set-up is missing, too, shows only at the end."""
    client = Client(capture, 0, FIELDS)
    send(client, 0.01, 1.9)
    send(client, 1.9, 1.95, is_lost=True)
    send(client, 1.95, 12)


def unfinished(capture):
    """A message begins before T, and ends long after it."""
    client = Client(capture, 0, FIELDS)
    send(client, 0.01, 1.9)
    package = struct.pack(">HBBd6di", 64, ord("U"), 1, 1.9, *values(5), 7)
    capture.segment(1.9, client.robot, client.client, package[:20])
    capture.segment(9.0, client.robot, client.client, package[20:])
    send(client, 9.008, 12)


class Legacy:
    """A client of the legacy stream, whose data needs no set-up."""

    def __init__(self, capture, time):
        self.capture, self.client, self.robot = capture, ("10.0.0.9", 41001), ("10.0.0.2", 30003)
        capture.segment(time, self.client, self.robot, b"", 2)
        capture.segment(time, self.robot, self.client, b"", 0x12)
        capture.segment(time, self.client, self.robot, b"", 0x10)

    def send(self, begin, end, is_acknowledged=False, **more):
        for i in range(int((end - begin) * 125 + .5)):
            time = begin + i / 125
            packet = struct.pack(">I152d", 1220, time, *[time + k for k in range(151)])
            self.capture.segment(time, self.robot, self.client, packet, **more)
            if is_acknowledged:
                self.capture.segment(time, self.client, self.robot, b"", 0x10)


def legacy(capture):
    Legacy(capture, 0).send(0.01, 12)


def legacy_gap(capture):
    client = Legacy(capture, 0)
    client.send(0.01, 1.5)
    client.send(1.5, 1.6, is_lost=True)
    client.send(1.6, 12, is_acknowledged=True)


def legacy_hole(capture):
    """As in hole()."""
    client = Legacy(capture, 0)
    client.send(0.01, 1.9)
    before = len(capture.frames)
    client.send(1.9, 1.908)
    lost = capture.frames.pop(before)
    client.send(1.908, 4.5)
    capture.frames.append((9.0, lost[1]))
    client.send(9.008, 12)


def legacy_unfinished(capture):
    """The end of a message comes long after T."""
    client = Legacy(capture, 0)
    client.send(0.01, 1.9)
    packet = struct.pack(">I152d", 1220, *[1.9] * 152)
    capture.segment(1.9, client.robot, client.client, packet[:700])
    capture.segment(9.0, client.robot, client.client, packet[700:])
    client.send(9.008, 12)


def telemetry_later(capture):
    """Nothing of telemetry came at T."""
    web, client = ("10.0.0.7", 80), ("10.0.0.9", 50000)
    for i in range(50):
        capture.segment(i / 50, client, web, b"GET / HTTP/1.0\r\n\r\n")
        capture.segment(i / 50, web, client, b"HTTP/1.0 200 OK\r\n\r\n")
    send(Client(capture, 5, FIELDS), 5.01, 8)


SCENES = (plain, late_stream, silent_first, learned, replaced, hole, gap, unfinished, legacy, legacy_gap, legacy_hole, legacy_unfinished,
          telemetry_later)
EARLY = {"plain", "late_stream", "replaced", "legacy", "legacy_gap"}  # of these all is decided a second after T


def make(scene, path="scene.pcap"):
    capture = Capture()
    scene(capture)
    capture.frames.sort(key=lambda frame: frame[0])
    capture.write(path)
    return path


def damage(path, after):
    """A copy whose first packet later than that says that it is longer than any."""
    data, at = bytearray(open(path, "rb").read()), 24
    begin = struct.unpack_from("<I", data, at)[0]
    while at < len(data):
        seconds, ns, length = struct.unpack_from("<III", data, at)
        if seconds - begin + ns / 1e9 > after:
            struct.pack_into("<I", data, at + 8, 0x7fffffff)
            break
        at += 16 + length
    with open("damaged.pcap", "wb") as file:
        file.write(data)
    return "damaged.pcap"


def check_rows(path, times):
    _, all_rows = rows_of(path)
    begin = min((row["time"] for row in all_rows), default=0)
    for time in times:
        to = begin + decimal.Decimal(str(time))
        _, ours = rows_of("--to", str(to), path)
        wanted = [row for row in all_rows if row["time"] <= to]
        expect("%s --to %.3f" % (os.path.basename(path), to), ours == wanted, len(ours), len(wanted))


def scene_rows(scene):
    path = make(scene)
    check_rows(path, (0, 0.5, 1.8, 2.0, 2.39, 5, 7, 9.5, 30))
    whole = run("export", "-f", "ndjson", "-o", "whole.ndjson", "--to", "+2", path)
    cut = damage(path, 4)
    ours = run("export", "-f", "ndjson", "-o", "cut.ndjson", "--to", "+2", cut)
    is_early = scene.__name__ in EARLY
    expect("%s: status %d of a reading that ends, damage at 4 s" % (scene.__name__, ours.returncode),
           ours.returncode == (0 if is_early else 2), ours.stderr)
    if is_early:
        expect("%s: the same without damage" % scene.__name__,
               open("whole.ndjson").read() == open("cut.ndjson").read() and
               whole.stderr == ours.stderr.replace("damaged.pcap", "scene.pcap"), whole.stderr, ours.stderr)
        packed = gzip.compress(open(cut, "rb").read())
        with open("damaged.pcap.gz", "wb") as file:
            file.write(packed[:-8])
        again = run("export", "-f", "ndjson", "-o", "packed.ndjson", "--to", "+2", "damaged.pcap.gz")
        expect("%s: the same compressed" % scene.__name__,
               again.returncode == 0 and open("packed.ndjson").read() == open("cut.ndjson").read(), again.stderr)


def scene_packets(scene):
    path = make(scene)
    count = json.loads(run("info", "--json", path).stdout)["packets"]
    check_packets(path, count, max(1, count // 25))


def check_packet(path, packet):
    """A pipe is read once, so that nothing is learned from what comes later: where that counts, the others differ."""
    ours = run("explain", path, "--json", "--packet", str(packet))
    with open(path, "rb") as file:
        piped = run("explain", "-", "--json", "--packet", str(packet), stdin=file)
    expect("%s --packet %d" % (os.path.basename(path), packet),
           (ours.returncode, ours.stdout) == (piped.returncode, piped.stdout), ours.stdout, piped.stdout, ours.stderr)


def check_packets(path, count, step):
    for packet in share([*range(1, 12), *range(12, count + 1, step), count], 10, "packets of each capture"):
        if packet <= count:
            check_packet(path, packet)


def early_packet():
    """The packet is explained although the file is damaged behind it; nothing tells that what is not read is there."""
    path = damage(make(plain), 1)
    ours = run("explain", path, "--packet", "40")
    expect("explain before damage", ours.returncode == 0 and ours.stderr == "", ours.stderr)
    ours = run("explain", damage(make(learned), 1), "--packet", "40")
    expect("explain of a guess reads on", ours.returncode == 2, ours.stderr)
    ours = run("explain", damage(make(unfinished), 4), "--packet", "246")
    expect("explain of an unfinished message reads on", ours.returncode == 2, ours.stderr)


def files():
    """Each file is read as far as that time, also one that was named too early."""
    make(plain, "one.pcap")
    capture = Capture()
    send(Client(capture, 100, FIELDS, 40002), 100.01, 103)
    capture.write("late.pcap")
    _, expected = rows_of("--to", "%d" % (1769860800 + 1), "one.pcap")
    _, ours = rows_of("--to", "%d" % (1769860800 + 1), "late.pcap", "one.pcap")
    expect("files out of order", [row["time"] for row in ours] == [row["time"] for row in expected] != [], len(ours))
    _, ours = rows_of("--to", "%d" % (1769860800 + 1), "one.pcap", "late.pcap")
    expect("files in order", [row["time"] for row in ours] == [row["time"] for row in expected], len(ours))


def samples():
    for name in share(sorted(os.listdir(SAMPLES)), 8, "samples, by their rows"):
        if ".pcap" in name and not name.startswith("aubo"):
            path = os.path.join(SAMPLES, name)
            check_rows(path, (0, 0.2, 0.6, 1.1, 1.5))


def sample_packets():
    for name in ("both-streams.pcap.gz", "rtde-two-recipes.pcap", "rtde-v3.pcapng", "rtde-refused.pcap", "several-clients.pcapng"):
        path = os.path.join(SAMPLES, name)
        info = json.loads(run("info", "--json", path).stdout)
        check_packets(path, info["packets"], max(1, info["packets"] // 40))


def commands():
    """What became of a command of ur_rtde is in later packets than its own."""
    path = os.path.join(SAMPLES, "ur-rtde.pcap.gz")
    rows = [json.loads(line) for line in run("export", "--commands", "-f", "ndjson", path).stdout.splitlines()]
    issued = sorted({row["packet"] for row in rows})
    expect("commands of the sample", len(issued) > 5, len(issued))
    for packet in share(issued, 3, "commands"):
        check_packet(path, packet)


def padded(path, size):
    """A capture of that size, of which all but the beginning is none of telemetry."""
    make(plain, path)
    with open(path, "r+b") as file:
        left = size - file.seek(0, os.SEEK_END)
        while left > 0:
            length = left - 16 if left - 16 <= 65535 else min(65535, left - 16 - 16)
            file.write(struct.pack("<IIII", 1769860813, 0, length, length) + bytes(length))
            left -= 16 + length
    return path


def beginnings():
    """--from says that it reads all before, where that takes a while."""
    for size in (SAID_BYTES - 1, SAID_BYTES):
        path = padded("padded-%d.pcap" % size, size)
        expect("size", os.path.getsize(path) == size, os.path.getsize(path))
        for words in (["--from", "+2"], [], ["--from", "+2", "--commands", "-f", "csv"]):
            ours = run("export", *words, path, "-o", "-")
            is_said = "armtap: --from: everything before it (of 0.3 GB) is decoded too" in ours.stderr
            expect(("--from of", size, words), is_said == ("--from" in words and size >= SAID_BYTES), ours.stderr)
        os.remove(path)


def main():
    def row_cases():
        for scene in share(SCENES, 4, "scenes, by their rows"):
            scene_rows(scene)

    def packet_cases():
        for scene in share((scene for scene in SCENES if scene is not learned), 6, "scenes, by their packets"):
            scene_packets(scene)
    side_by_side(row_cases, packet_cases, early_packet, files, samples, sample_packets, commands, *([beginnings] if ALL else []))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
