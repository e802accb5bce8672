#!/usr/bin/env python3
"""Captures decoded in parts by several threads say what one thread says of them: captures of the fault corpus and the
samples, merged as if one machine had captured them, some with robots in common, some disturbed. tests/parts/armtap reads
them in parts, however small they are."""
import importlib.machinery
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import expect, finish  # noqa: E402

BUILD, SOURCE = os.environ.get("builddir", "."), os.environ.get("srcdir", ".")
ALONE = os.environ.get("ARMTAP", os.path.join(BUILD, "armtap"))
PARTS = os.path.join(BUILD, "tests", "parts", "armtap")
FAULTS = os.path.join(BUILD, "tests", "faults", "faults")
COMMANDS = (["info"], ["info", "--json"], ["diagnose"], ["diagnose", "--json"], ["compare"], ["compare", "--stream", "0,1"])
LONG, LONG_SANITIZED = 24 << 20, 6 << 20  # bytes: threads read many blocks, before their turn
MERGES = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def read(path):
    """The packets of a pcap file of Ethernet with times in ns or us: [time, bytes, length]."""
    with open(path, "rb") as file:
        data = file.read()
    unit = {0xA1B23C4D: 1, 0xA1B2C3D4: 1000}.get(struct.unpack("<I", data[:4])[0])
    if not unit or struct.unpack("<I", data[20:24])[0] != 1:
        return None
    packets, at = [], 24
    while at + 16 <= len(data):
        seconds, fraction, captured, length = struct.unpack("<IIII", data[at:at + 16])
        packets.append([seconds * 10 ** 9 + fraction * unit, data[at + 16:at + 16 + captured], length])
        at += 16 + captured
    return packets


def write(path, packets):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, data, length in packets:
            file.write(struct.pack("<IIII", time // 10 ** 9, time % 10 ** 9, len(data), length) + data)


def moved(data, by):
    """With other addresses. Nothing looks at the checksums."""
    if len(data) < 34 or data[12:14] != b"\x08\0":
        return data
    return data[:26] + bytes([data[26] ^ by]) + data[27:30] + bytes([data[30] ^ by]) + data[31:]


def disturbed(rng, packets):
    """Some packets lost, copied or captured late."""
    rest = []
    for packet in packets:
        fate = rng.random()
        if fate < 0.01:
            continue
        rest.append(packet)
        if fate > 0.99:
            rest.append([packet[0] + 50000, *packet[1:]])
        elif fate > 0.98:
            rest[-1] = [packet[0] + 3000000, *packet[1:]]
    return rest


def merge(rng, captures, shares, spoils, path):
    """Several captures as one, each moved in time so that they overlap."""
    packets, begin = [], 1700000000 * 10 ** 9
    for number, capture in enumerate(captures):
        offset = begin + rng.randrange(5 * 10 ** 9) - capture[0][0]
        one = [[time + offset, data if shares else moved(data, number), length] for time, data, length in capture]
        packets += disturbed(rng, one) if spoils else one
    write(path, sorted(packets, key=lambda packet: packet[0]))


def repeat(packets, bytes_least, path):
    """The same again and again, each time of other robots, until the capture is so long."""
    span, again, times = packets[-1][0] - packets[0][0] + 10 ** 9, [], 0
    while sum(len(packet[1]) for packet in packets) * times < bytes_least:
        again += [[time + times * span, moved(data, times), length] for time, data, length in packets]
        times += 1
    write(path, again)


def said(program, command, threads, *files):
    run = subprocess.run([program, *command, "--threads", str(threads), *files], capture_output=True, check=False)
    return run.returncode, run.stdout, run.stderr


def compare(what, threads, *files):
    for command in COMMANDS:
        wanted = said(ALONE, command, 1, *files)
        for count in threads:
            got = said(PARTS, command, count, *files)
            expect("%s: %s with %d threads" % (what, " ".join(command), count), got == wanted, wanted, got)


def damage(folder, *paths):
    """Files that end in the middle of a packet, and an empty one, for which one thread reads everything again: what is
    wrong with each of them is said once."""
    cut = []
    for number, path in enumerate(paths):
        cut.append(os.path.join(folder, "cut-%d.pcap" % number))
        with open(path, "rb") as whole, open(cut[-1], "wb") as part:
            part.write(whole.read()[:-7])
    empty = os.path.join(folder, "empty.pcap")
    with open(empty, "wb"):
        pass
    compare("damaged files", [2, 3], *cut)
    compare("damaged files and an empty one", [2, 3], cut[0], empty, *cut[1:])
    run = said(PARTS, ["info"], 2, cut[0], empty, *cut[1:])
    expect("each is reported", all(run[2].count(os.path.basename(name).encode()) == 1 for name in [empty, *cut]), run[2])


def peak(*command):
    """Bytes of memory that a command had at most. A child of this process would begin with its memory: `timed` measures
    its own child."""
    reader, writer = os.pipe()
    timed = os.path.join(BUILD, "tests", "bench", "timed")
    subprocess.run([timed, str(writer), *command], pass_fds=[writer], stdout=subprocess.DEVNULL, check=True)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        return int(pipe.read().split()[2])


def is_sanitized():
    with open(PARTS, "rb") as file:
        program = file.read()
    return b"__asan_init" in program or b"__tsan_init" in program


def small_messages(folder):
    """Eight bytes a package in full segments: what threads tell each other is longer than what they read."""
    os.environ["ARMTAP"] = ALONE
    maker = importlib.machinery.SourceFileLoader("captures", os.path.join(SOURCE, "tests", "compare-check.py")).load_module()
    maker.TYPES["runtime_state"] = "UINT32", "I"
    package = maker.package("U", b"\1" + struct.pack(">I", 1))
    streams = []
    for number in range(16):
        stream = maker.Connection(30004, 40000 + number)
        for sender, message in maker.handshake(["runtime_state"]):
            stream.add(0.001, sender, message)
        for i in range(1600):
            stream.add(0.01 + i * 0.01 + number * 1e-5, "r", package * 180)
        streams.append(stream.packets)
    path = os.path.join(folder, "small.pcap")
    maker.capture(path, *streams)
    wanted = said(ALONE, ["info"], 1, path)
    for threads in "2", "8":
        expect("small messages with %s threads" % threads, said(PARTS, ["info"], threads, path) == wanted)
        used = peak(PARTS, "info", "--threads", threads, path)
        expect("small messages with %s threads: at most 32 MB" % threads, used <= 32 << 20, used)


def corpus(folder):
    captures = {}
    listed = subprocess.run([FAULTS, "--list"], capture_output=True, check=True).stdout.decode().split()
    for name in listed[1::2]:
        path = os.path.join(folder, name + ".pcap")
        subprocess.run([FAULTS, name, path], stdout=subprocess.DEVNULL, check=True)
        packets = read(path)
        compare(name, [2], path)
        if packets:
            captures[name] = packets
    return captures


def main():
    with tempfile.TemporaryDirectory() as folder:
        captures = corpus(folder)
        expect("enough captures can be merged", len(captures) > 100, len(captures))
        names = sorted(captures)
        for number in range(MERGES):
            rng = random.Random(number)
            chosen = rng.sample(names, rng.choice([2, 3, 5, 9]))
            path = os.path.join(folder, "merged-%d.pcap" % number)
            merge(rng, [captures[name] for name in chosen], number % 4 == 3, number % 2 == 1, path)
            compare("%d: %s" % (number, " ".join(chosen)), [2, 3] if number % 4 else [8], path)
        path = os.path.join(folder, "long.pcap")
        repeat(read(os.path.join(folder, "merged-0.pcap")), LONG_SANITIZED if is_sanitized() else LONG, path)
        compare("a long capture", [2, 3, 8], path)
        several = [os.path.join(folder, "merged-%d.pcap" % number) for number in range(3)]
        compare("several files", [2, 3], *several)
        damage(folder, *several)
        if not is_sanitized():
            small_messages(folder)
    return finish()


sys.exit(main())
