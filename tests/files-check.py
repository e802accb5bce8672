#!/usr/bin/env python3
"""Capture files of all kinds, made here byte by byte: pcap and pcapng in both byte orders, with any resolution and offset
of times, several sections, interfaces of several link types, packets without a time; each packed by gzip, bzip2, xz, zstd
and lz4, several times over, in members, cut and changed; archives and other files, which are named; comments. Rows are
compared with those of the plain file, times with Python's fractions."""
import bz2
import fractions
import gzip
import html
import io
import json
import lzma
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

from tally import expect, finish, lacks, share

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
RANDOM = random.Random(7)
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, check=True).stdout.decode()


def run(*arguments, data=None):
    done = subprocess.run([ARMTAP, *arguments], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=100)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def put(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


def rows(name, **more):
    status, out, said = run("export", "--fields", "time,timestamp,actual_q_0", name, **more)
    return status, out.split("\n")[1:-1], said


# ---- captures -----------------------------------------------------------------------------------------------------------

LINKS = {1: bytes(12) + b"\x08\0", 113: bytes(14) + b"\x08\0", 276: b"\x08\0" + bytes(18), 0: b"\2\0\0\0", 101: b"", 228: b""}


def packet(number, link=101):
    """A legacy packet of 812 bytes in one segment."""
    payload = struct.pack(">I101d", 812, 1 + number * 0.008, *[number] * 100)
    tcp = struct.pack(">HHIIBBHHH", 30003, 40000, 1 + 812 * number, 1, 5 << 4, 0x18, 65535, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), number, 0, 64, 6, 0, bytes([10, 0, 0, 2]), bytes([10, 0, 0, 3]))
    return LINKS[link] + ip + tcp + payload


def pcap(order, magic, records, link=101, header=()):
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for seconds, fraction, data in records:
        out += struct.pack(order + "IIII", seconds, fraction, len(data), len(data)) + bytes(header) + data
    return out


def option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def block(order, kind, body):
    return struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(order + "I", len(body) + 12)


def section(order, *options):
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1) + b"".join(option(order, *one) for one in options))


def interface(order, link=101, snapshot=0, *options):
    return block(order, 1, struct.pack(order + "HHI", link, 0, snapshot) + b"".join(option(order, *one) for one in options))


def enhanced(order, number, time, data, *options):
    return block(order, 6, struct.pack(order + "IIIII", number, time >> 32, time & 0xFFFFFFFF, len(data), len(data)) + data + bytes(-len(data) % 4) +
                 b"".join(option(order, *one) for one in options))


COUNT, BEGIN = 30, 1700000000


def captures():
    """The same packets in each kind of file."""
    micro = [(BEGIN + i // 125, i % 125 * 8000, packet(i)) for i in range(COUNT)]
    nano = [(seconds, 1000 * fraction, data) for seconds, fraction, data in micro]
    for name, order in (("le", "<"), ("be", ">")):
        yield "us-%s.pcap" % name, pcap(order, 0xA1B2C3D4, micro)
        yield "ns-%s.pcap" % name, pcap(order, 0xA1B23C4D, nano)
        yield "kuznetzov-%s.pcap" % name, pcap(order, 0xA1B2CD34, micro, header=bytes(8))
        yield name + ".pcapng", section(order) + interface(order) + b"".join(
            enhanced(order, 0, seconds * 10**6 + fraction, data) for seconds, fraction, data in micro)


# ---- packers ------------------------------------------------------------------------------------------------------------

def xxh32(data):
    """Of less than 16 bytes, as the frame of lz4 has it."""
    prime = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    turn = lambda number, by: (number << by | number >> 32 - by) & 0xFFFFFFFF
    number = (prime[4] + len(data)) & 0xFFFFFFFF
    for i in range(0, len(data) // 4 * 4, 4):
        number = turn((number + struct.unpack_from("<I", data, i)[0] * prime[2]) & 0xFFFFFFFF, 17) * prime[3] & 0xFFFFFFFF
    for byte in data[len(data) // 4 * 4:]:
        number = turn((number + byte * prime[4]) & 0xFFFFFFFF, 11) * prime[0] & 0xFFFFFFFF
    for by, factor in ((15, prime[1]), (13, prime[2])):
        number = (number ^ number >> by) * factor & 0xFFFFFFFF
    return number ^ number >> 16


BLOCK = 4096  # of the frames made here, which do not compress


def zstd_stored(data):
    pieces = [data[i:i + BLOCK] for i in range(0, len(data), BLOCK)] or [b""]
    return b"\x28\xB5\x2F\xFD\0\x38" + b"".join(
        struct.pack("<I", (piece is pieces[-1]) | len(piece) << 3)[:3] + piece for piece in pieces)


def lz4_stored(data):
    head = b"\x60\x40"  # version 1, independent blocks, of up to 64 kB
    return b"\x04\x22\x4D\x18" + head + bytes([xxh32(head) >> 8 & 0xFF]) + b"".join(
        struct.pack("<I", len(data[i:i + BLOCK]) | 1 << 31) + data[i:i + BLOCK] for i in range(0, len(data), BLOCK)) + bytes(4)


def by_program(*command):
    return lambda data: subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def blocks_before(head, frame):
    """What is in the whole blocks of a stored frame that was cut."""
    def unpack(data):
        out, at = b"", head
        while at + frame <= len(data):
            word = int.from_bytes(data[at:at + frame], "little")
            length = word >> 3 if frame == 3 else word & 0x7FFFFFFF
            if frame == 4 and length == 0 or at + frame + length > len(data):
                break
            out += data[at + frame:at + frame + length]
            at += frame + length
        return out
    return unpack


def python_unpack(module):
    """As far as Python's module gets."""
    def unpack(data):
        unpacker = module()
        try:
            return unpacker.decompress(data)
        except (OSError, EOFError, lzma.LZMAError, zlib.error):
            return b""
    return unpack


PACKERS = {"gzip": (gzip.compress, python_unpack(lambda: zlib.decompressobj(31))), "bzip2": (bz2.compress, python_unpack(bz2.BZ2Decompressor)),
           "xz": (lzma.compress, python_unpack(lzma.LZMADecompressor)),
           "zstd": (zstd_stored, blocks_before(6, 3)), "lz4": (lz4_stored, blocks_before(7, 4))}
for program in "zstd", "lz4":
    if shutil.which(program):
        PACKERS[program + " -9"] = (by_program(program, "-q", "-9", "-c"), lambda data: b"")
    else:
        lacks(program, "files that it packed")
ABSENT = {"bzip2": "libbz2", "xz": "liblzma", "zstd": "libzstd", "lz4": "liblz4"}
BUILT = {name: packer for name, packer in PACKERS.items() if "built without " + ABSENT.get(name.split()[0], "-") not in VERSION}


def check_packed(kinds):
    for capture, data in kinds:
        wanted = rows(put(capture, data))
        expect(("plain", capture), wanted[0] == 0 and len(wanted[1]) == COUNT, wanted)
        for name, (pack, _) in BUILT.items():
            expect(("packed", capture, name), rows(put("packed", pack(data))) == wanted, rows("packed"))
    capture, data = kinds[-1]
    wanted = rows(put("plain", data))
    for name, (pack, _) in BUILT.items():
        middle = len(data) // 3
        members = pack(data[:middle]) + pack(data[middle:])
        expect(("members", name), rows(put("packed", members)) == wanted)
        expect(("standard input", name), rows("-", data=members) == wanted)
        expect(("a thread", name), run("export", "--threads", "3", "--fields", "time,timestamp,actual_q_0", "packed")[1].split("\n")[1:-1] == wanted[1])
        skipped = struct.pack("<II", 0x184D2A53, 5) + b"12345"
        expect(("frames to skip", name), rows(put("packed", skipped + pack(data) + skipped)) == wanted)
        followed = rows(put("packed", pack(data) + b"something else"))
        expect(("something behind", name), followed[0] == 2 and followed[1] == wanted[1] and "other bytes follow the" in followed[2], followed)
        for other, (again, _) in BUILT.items():
            expect(("twice", name, other), rows(put("packed", again(pack(data)))) == wanted)
        deep = pack(pack(pack(pack(pack(data)))))
        status, none, said = rows(put("packed", deep))
        expect(("too deep", name), status == 2 and not none and "compressed more than 4 times over" in said, status, said)
        dump = b"".join(packet(i)[40:] for i in range(COUNT))
        expect(("a raw dump", name), rows(put("packed", pack(dump)))[1] == rows(put("plain", dump))[1] != [])
        put("plain", data)
    for name in PACKERS.keys() - BUILT.keys():
        status, none, said = rows(put("packed", PACKERS[name][0](data)))
        expect(("not built in", name), status == 2 and not none and ABSENT[name.split()[0]] in said and name.split()[0] + " -dc" in said, said)


def check_damage(kinds):
    """A file that is cut gives all that its library gets out of what is left; a changed one all that comes before."""
    capture, data = kinds[-1]
    whole = rows(put("plain", data))[1]
    for name, (pack, unpack) in BUILT.items():
        packed = pack(data)
        for _ in range(12):
            length = RANDOM.randrange(8, len(packed))
            status, got, said = rows(put("packed", packed[:length]))
            before = rows(put("before", unpack(packed[:length])))[1] if unpack(packed[:length]) else []
            expect(("cut", name, length), status == 2 and "data ends early" in said and "packed: " in said and "byte %d" % length in said and
                   "copy or fetch the file again" in said, status, said)
            expect(("rows of what was cut", name, length), got[:len(before)] == before and got == whole[:len(got)] and (len(got) == len(before) or name.startswith(("zstd", "lz4"))),
                   len(got), len(before))
            changed = bytearray(packed)
            changed[length] ^= 1 << RANDOM.randrange(8)
            status, got, said = rows(put("packed", bytes(changed)))
            expect(("changed", name, length), got[:len(before)] == before and (status == 2 and "packed: " in said or name.endswith(("zstd", "lz4"))), status, said)


def check_bombs():
    """Little that becomes much takes no memory, and ends."""
    zeros = bytes(30 << 20)
    for name, (pack, _) in BUILT.items():
        status, out, said = rows(put("packed", pack(pack(zeros))))
        expect(("zeros", name), status == 2 and not out, said)
    if "zstd" in BUILT:
        run_length = struct.pack("<I", 1 << 1 | (128 << 10) << 3)[:3] + b"\0"
        bomb = b"\x28\xB5\x2F\xFD\0\x38" + run_length * 20000 + b"\1\0\0"
        status, out, said = rows(put("packed", bomb))
        expect("a bomb", status == 2 and not out and "no capture; unpack it first" in said, said)
        large = b"\x28\xB5\x2F\xFD\0" + bytes([(30 - 10) << 3]) + b"\1\0\0"
        expect("a window of a gigabyte", "more than 128 MiB of memory" in rows(put("packed", large))[2], rows("packed")[2])
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    expect("memory", most < 400 << 10 or "ASAN_OPTIONS" in os.environ, most)


# ---- what is no capture -------------------------------------------------------------------------------------------------

def check_others(kinds):
    name, data = kinds[0]
    put(name, data)
    archives = []
    with tarfile.open("old.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        archive.add(name)
    with open("old.tar", "rb") as file:
        old = bytearray(file.read())
    old[257:265] = bytes(8)  # as tar wrote it before POSIX
    old[148:156] = b"%06o\0 " % (sum(old[:148]) + sum(old[156:512]) + 8 * 32)
    archives.append((put("old.tar", old), "a tar archive", "tar -xf old.tar"))
    for ending, mode in ((".tar", "w"), (".tar.gz", "w:gz"), (".tar.bz2", "w:bz2"), (".tar.xz", "w:xz")):
        with tarfile.open("x" + ending, mode) as archive:
            archive.add(name)
        archives.append(("x" + ending, "a tar archive", "tar -xf x" + ending))
    with zipfile.ZipFile("x y.zip", "w") as archive:
        archive.write(name)
    archives.append(("x y.zip", "a zip archive", "unzip 'x y.zip'"))
    archives.append((put("x.7z", b"7z\xBC\xAF\x27\x1C" + bytes(100)), "a 7z archive", "7z x x.7z"))
    archives.append((put("x.Z", b"\x1F\x9D\x90" + bytes(100)), "packed by compress", "zcat <x.Z >OUT"))
    archives.append((put("x.lz", b"LZIP\1" + bytes(100)), "packed by lzip", "lzip -dc x.lz >OUT"))
    archives.append((put("x.etl", bytes(0x48) + b"\2\0\2\xC0" + bytes(500)), "a trace of Windows (ETL)", "etl2pcapng x.etl"))
    archives.append((put("x.snoop", b"snoop\0\0\0\0\0\0\2\0\0\0\4"), "a capture of snoop", "editcap -F pcapng x.snoop"))
    for file, what, remedy in archives:
        for command in (("info",), ("export",), ("diagnose",), ("info", "--raw", "realtime")):
            status, out, said = run(*command, file)
            missing = file.endswith((".bz2", ".xz")) and "built without" in said
            expect((file, command), status == 2 and not out and (missing or what in said and remedy in said and file in said), status, said)
        with open(file, "rb") as opened:
            status, out, said = run("info", "-", data=opened.read())
        expect(("standard input", file), status == 2 and not out and ("built without" in said or what in said), said)
    for first, what in ((b"<!DOCTYPE html>\n<html><body>not found", "an HTML page"), (b"\x7FELF\2\1\1" + bytes(60), "a program (ELF)"),
                        (b"%PDF-1.4\n", "a PDF document"), (b"\x89PNG\r\n\x1A\n" + bytes(20), "a PNG picture"),
                        (b'{"frames": [1, 2, 3]}\n', "JSON"), ("Übersicht\n".encode() * 100, "text")):
        status, out, said = run("info", put("x", first))
        expect(("named", what), status == 2 and not out and "x: " in said and what in said, status, said)


# ---- times --------------------------------------------------------------------------------------------------------------

def text_of(time):
    """As export has it: nine decimals, cut; empty where 64 bits cannot hold it."""
    number = time.numerator * 10**9 // time.denominator
    return "" if abs(number) > 9 * 10**18 else "%s%d.%09d" % ("-" if number < 0 else "", abs(number) // 10**9, abs(number) % 10**9)


def check_times():
    """Any resolution and offset, in either byte order."""
    for turn in share(range(120), 10, "resolutions"):
        order = RANDOM.choice("<>")
        power, binary = RANDOM.choice(list(range(0, 23)) + [50, 100, 127]), RANDOM.random() < 0.5
        unit = fractions.Fraction(1, 2**power if binary else 10**power)
        time = min(RANDOM.choice([int(RANDOM.randrange(1, 5 * 10**9) / unit), RANDOM.getrandbits(64), 0, 2**64 - 1, 2**63]), 2**64 - 1)
        offset = RANDOM.choice([None, 0, 1700000000, -1, 2**62, -2**63, 2**63 - 1])
        options = [(9, bytes([power | (0x80 if binary else 0)]))]
        if offset is not None:
            options.append((14, struct.pack(order + "q", offset)))
        wanted = text_of(fractions.Fraction(time) * unit + (offset or 0))
        data = section(order) + interface(order, 101, 0, *options) + enhanced(order, 0, time, packet(0))
        got = rows(put("x.pcapng", data))
        if wanted.startswith("-"):
            continue  # before 1970
        expect(("resolution", power, binary, offset, time), got[0] == 0 and [row.split(",")[0] for row in got[1]] == [wanted], wanted, got)
    for order, seconds in (("<", 2**31), (">", 2200000000), ("<", 2**32 - 1)):
        got = rows(put("x.pcap", pcap(order, 0xA1B2C3D4, [(seconds, 999999, packet(0))])))
        expect(("unsigned", seconds), got[0] == 0 and got[1][0].startswith("%d.999999000," % seconds), got)
    got = rows(put("x.pcap", pcap("<", 0xA1B2C3D4, [(seconds, 1000000, packet(0))])))
    expect("a fraction of more than a second", got[0] == 0 and got[1][0].startswith(","), got)


def check_mixed():
    """Sections of both byte orders, interfaces of several link types and resolutions, packets without a time."""
    links = list(LINKS)
    for turn in share(range(20), 10, "mixed captures"):
        data, wanted, number = b"", [], 0
        for _ in range(3):
            order = RANDOM.choice("<>")
            described = [(RANDOM.choice(links), RANDOM.choice([3, 6, 9])) for _ in range(RANDOM.randrange(1, 5))]
            data += section(order) + b"".join(interface(order, link, 65535 * RANDOM.randrange(2), (9, bytes([power]))) for link, power in described)
            for _ in range(RANDOM.randrange(1, 8)):
                index = RANDOM.randrange(len(described))
                link, power = described[index]
                kind = RANDOM.randrange(4)
                time = "%d.%03d000000" % (BEGIN + number, number)
                if kind == 0:
                    body = packet(number, described[0][0])
                    data += block(order, 3, struct.pack(order + "I", len(body)) + body + bytes(-len(body) % 4))
                    time = ""
                elif kind == 1:
                    body, units = packet(number, link), (1000 * (BEGIN + number) + number) * 10**(power - 3)
                    data += block(order, 2, struct.pack(order + "HHIIII", index, 0xFFFF, units >> 32, units & 0xFFFFFFFF, len(body), len(body)) +
                                  body + bytes(-len(body) % 4))
                else:
                    data += enhanced(order, index, (1000 * (BEGIN + number) + number) * 10**(power - 3), packet(number, link))
                if kind == 2:  # blocks that say nothing of packets, one longer than any buffer
                    data += block(order, 0x80000001, bytes(RANDOM.choice([0, 4, 1 << 20])))
                wanted.append("%s,%s,%d.0" % (time, repr(1 + number * 0.008), number))
                number += 1
        status, got, said = rows(put("x.pcapng", data))
        expect(("mixed", turn), got == wanted and not said, status, said, got, wanted)
        if "" in [row.split(",")[0] for row in wanted]:
            lines = [json.loads(line) for line in run("export", "-f", "ndjson", "x.pcapng")[1].splitlines()]
            expect(("no time", turn), [line["time"] is None for line in lines] == [row.startswith(",") for row in wanted], lines)
        if turn == 0 and not shutil.which("tshark"):
            lacks("tshark", "how many packets it reads")
        if turn < 4 and shutil.which("tshark"):
            frames = subprocess.run(["tshark", "-r", "x.pcapng", "-T", "fields", "-e", "frame.number"], capture_output=True, check=False).stdout
            expect(("as many as tshark reads", turn), len(frames.split()) == number, frames)


def check_refused():
    """Lengths and numbers that cannot be: what came before, then an error that names the packet."""
    good = section("<") + interface("<") + enhanced("<", 0, BEGIN * 10**6, packet(0))
    bad = {"two lengths": enhanced("<", 0, 1, packet(1))[:-4] + struct.pack("<I", 16), "16 bytes": struct.pack("<III", 6, 4294967292, 0) + bytes(64),
           "interface 1": enhanced("<", 1, 1, packet(1)), "more than its block": block("<", 6, struct.pack("<IIIII", 0, 0, 1, 99999, 99999) + bytes(20)),
           "byte order": struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x12345678, 1, 0, -1, 28), "version of pcapng": block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 7, 0, -1)),
           "ends in the middle": enhanced("<", 0, 1, packet(1))[:-1]}
    for what, data in bad.items():
        status, got, said = rows(put("x.pcapng", good + data))
        expect(("refused", what), status == 2 and len(got) == 1 and "x.pcapng: after packet 1: " in said and (what == "16 bytes" or what in said), said)
    for order, magic in (("<", 0xA1B2C3D4), (">", 0xA1B23C4D)):
        parts = [pcap(order, magic, [(BEGIN + i, 0, packet(i, link))], link) for i, link in ((0, 1), (1, 113), (2, 101))]
        together = rows(put("x.pcap", b"".join(parts)))
        expect(("put together by cat", order), together[0] == 0 and len(together[1]) == 3 and not together[2], together)
    record = struct.pack("<IIII", BEGIN, 1, 300000, 300000) + bytes(300000)
    status, got, said = rows(put("x.pcap", pcap("<", 0xA1B2C3D4, [(BEGIN, 0, packet(0))]) + record))
    expect("a packet of 300000 bytes", status == 2 and len(got) == 1 and "300000 bytes" in said and "after packet 1" in said, said)
    wide = b"".join(packet(i) for i in range(400))
    data = good + enhanced("<", 0, BEGIN * 10**6 + 1, wide) + enhanced("<", 0, BEGIN * 10**6 + 2, packet(1))
    status, got, said = rows(put("x.pcapng", data))
    expect("a long block", status == 0 and len(got) == 2 and not said, status, got, said)


# ---- comments -----------------------------------------------------------------------------------------------------------

def check_comments():
    texts = ["the cell stopped here", "two\nlines", "Grüße, 故障", "<script>alert(1)</script>", "\x1B[31mred", "", "x" * 1000, "\u202Eturned"]
    for order in "<>":
        data = section(order, (1, b"of the section"), (1, b"another"), (3, b"Linux")) + interface(order, 101, 0, (2, b"eth0"), (1, b"of the interface"))
        wanted = [("section", None, "of the section"), ("section", None, "another"), ("interface", None, "of the interface")]
        for i in range(COUNT):
            mine = [RANDOM.choice(texts) for _ in range(RANDOM.choice([0, 0, 1, 2]))]
            data += enhanced(order, 0, (BEGIN + i) * 10**6, packet(i), *[(1, text.encode()) for text in mine])
            wanted += [("packet", i + 1, text) for text in mine]
        put("x.pcapng", data)
        for command in "info", "diagnose":
            got = json.loads(run(command, "--json", "x.pcapng")[1])["comments"]
            expect(("json", command, order), [(one["about"], one["packet"], one["text"]) for one in got] == wanted, got)
            expect(("times", command), all(one["time"] == (BEGIN + one["packet"] - 1 if one["packet"] else None) for one in got), got)
            text = " ".join(run(command, "x.pcapng")[1].split())
            expect(("text", command, order), "the capture - of the section" in text and "interface 0 - of the interface" in text and "\x1B" not in text and
                   "\u202E" not in text and all("packet %d " % one[1] in text for one in wanted if one[1]), text)
        expect("report", run("report", "-o", "x.html", "x.pcapng")[0] in (0, 1))
        with io.open("x.html", encoding="utf-8") as file:
            page = file.read()
        part = page[page.index("<h2>Comments"):]
        expect(("page", order), all(html.escape(one[2], False) in part for one in wanted if not set("\x1B\u202E") & set(one[2])) and
               "<script>alert" not in page, part[:2000])
    many = section("<") + interface("<") + b"".join(enhanced("<", 0, (BEGIN + i) * 10**6, packet(i), (1, b"n%d" % i), (1, b"y" * 60000)) for i in range(COUNT * 3))
    got = json.loads(run("info", "--json", put("x.pcapng", many))[1])
    expect("many", len(got["comments"]) == 100 and got["more_comments"] == 2 * 3 * COUNT - 100 and max(len(one["text"]) for one in got["comments"]) == 1000)
    status, out, _ = run("info", "--json", put("x.pcapng", section("<") + interface("<") + enhanced("<", 0, 1, packet(0))))
    expect("none", "comments" not in json.loads(out), out)


def main():
    folder, back = tempfile.mkdtemp(), os.getcwd()
    os.chdir(folder)
    try:
        kinds = share(captures(), 4, "kinds of captures")
        check_packed(kinds)
        check_damage(kinds)
        check_bombs()
        check_others(kinds)
        check_times()
        check_mixed()
        check_refused()
        check_comments()
    finally:
        os.chdir(back)
        shutil.rmtree(folder)
    return finish()


sys.exit(main())
