#!/usr/bin/env python3
"""Compressed output: Python's gzip reads from OUT.csv.gz what OUT.csv holds, for every format that does not compress by itself, with --split, with any
number of threads, also with more tables than are compressed at a time. Rows of a live source appear at once. A failure
leaves no new file and keeps the old one."""
import glob
import gzip
import os
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from format_rows import one_of, rows_of

ARMTAP = os.environ.get("ARMTAP", "./armtap")
CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")
FORMATS = rows_of(os.path.join(os.environ.get("srcdir", "."), "tools", "export", "formats", "formats.def"))
PATIENCE = 20


def run(*arguments, status=0):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stderr.decode())
    return done.stderr.decode()


def content(path):
    with open(path, "rb") as file:
        return file.read()


def same_files(folder, ending, least):
    """Every plain file has a compressed one, and there are no others."""
    plain = sorted(glob.glob(folder + "/plain*" + ending))
    packed = sorted(glob.glob(folder + "/packed*"))
    assert [path.replace("/plain", "/packed") + ".gz" for path in plain] == packed, (plain, packed)
    assert len(plain) >= least, plain
    for one, other in zip(plain, packed):
        assert gzip.open(other).read() == content(one), other
    return len(plain)


def check_samples(folder):
    files = 0
    for ending in [ending for _, _, endings, flags, _ in FORMATS for ending in endings
                   if not flags & {"SEEKS", "PACKS", "BARE"}]:
        for capture in ("cb3-1060.pcap.gz", "rtde-two-recipes.pcap", "several-clients.pcapng"):
            for path in glob.glob(folder + "/*"):
                os.remove(path)
            capture_path = os.path.join(CAPTURES, capture)
            said = run("export", "--split", "-o", folder + "/plain" + ending, capture_path)
            assert run("export", "--threads", "3" if ending == ".csv" else "1", "--split", "-o",
                       folder + "/packed" + ending + ".gz", capture_path) == said
            files += same_files(folder, ending, 1)
    return files


def check_names(folder):
    capture = os.path.join(CAPTURES, "rtde-v1.pcap")
    run("export", "-o", folder + "/plain.csv", capture)
    wanted = content(folder + "/plain.csv")
    for name, options in (("a.csv.gz", []), ("a.CSV.GZ", []), ("a.gz", ["-f", "csv"]), ("a.b.dat.gz", ["-f", "csv"]),
                          ("a.0.gz", ["-f", "csv"]), ("bare.gz", [])):
        run("export", "-o", folder + "/" + name, *options, capture)
        assert gzip.open(folder + "/" + name).read() == wanted, name
        assert content(folder + "/" + name)[4:8] == bytes(4), "the same bytes each time"
    run("export", "-o", folder + "/r.csv.gz", "--dialect", "record.py", capture)
    assert gzip.open(folder + "/r.csv.gz").read().startswith(b"timestamp ")
    for name in ("b.txt.gz", ".csv.gz.gz"):
        said = run("export", "-o", folder + "/" + name, capture, status=2)
        assert "names no format; use -f %s" % one_of(row[0] for row in FORMATS) in said and not os.path.exists(folder + "/" + name), said
    # What was there stays when the export fails.
    before = content(folder + "/a.csv.gz")
    run("export", "-o", folder + "/a.csv.gz", "--fields", "nothing", capture, status=2)
    assert content(folder + "/a.csv.gz") == before
    assert not [name for name in os.listdir(folder) if "armtap" in name]


def check_many(folder, count=150):
    """Streams take turns, so that compressed files wait for each other."""
    with open(folder + "/many.pcap", "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for turn in range(60):
            for i in range(count):
                payload = struct.pack(">I101d", 812, 1 + turn * 0.008, *[turn + i / 1000] * 100)
                tcp = struct.pack(">HHIIBBHHH", 30003, 40000 + i, 1 + 812 * turn, 1, 5 << 4, 0x18, 65535, 0, 0)
                ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), turn, 0, 64, 6, 0, bytes([10, 0, 0, 2]),
                                 bytes([10, 0, 0, 3]))
                packet = bytes(12) + b"\x08\0" + ip + tcp + payload
                file.write(struct.pack("<4I", 1769860800 + turn, i, len(packet), len(packet)) + packet)
    run("export", "--split", "-o", folder + "/plain.csv", folder + "/many.pcap")
    run("export", "--split", "-o", folder + "/packed.csv.gz", folder + "/many.pcap")
    return same_files(folder, ".csv", count)


def check_follow(folder):
    """A live source's rows can be decompressed at once."""
    pipe = folder + "/pipe.csv.gz"
    os.mkfifo(pipe)
    program = subprocess.Popen([ARMTAP, "export", "-", "--raw", "realtime", "--fields", "timestamp", "-o", pipe],
                               stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    reader = os.open(pipe, os.O_RDONLY)
    os.set_blocking(reader, False)
    unpacker, text, count, end = zlib.decompressobj(31), b"", 0, time.monotonic() + PATIENCE
    while text.count(b"\n") < 2 and time.monotonic() < end:
        program.stdin.write(struct.pack(">I152d", 1220, 1.0 + count, *[0.0] * 151))
        program.stdin.flush()
        count += 1
        time.sleep(0.1)
        try:
            text += unpacker.decompress(os.read(reader, 65536))
        except BlockingIOError:
            pass
    assert text.count(b"\n") >= 2 and count < 50, (text, count)
    program.stdin.close()
    os.set_blocking(reader, True)
    while piece := os.read(reader, 65536):
        text += unpacker.decompress(piece)
    assert program.wait(PATIENCE) == 0 and unpacker.eof
    assert text.splitlines() == [b"time,timestamp"] + [b",%d.0" % (1 + i) for i in range(count)], text


def main():
    failed = 0
    for check in (check_samples, check_names, check_many, check_follow):
        with tempfile.TemporaryDirectory() as folder:
            try:
                print("%-16s %s" % (check.__name__, check(folder) or "done"))
            except (AssertionError, OSError, EOFError, zlib.error) as difference:
                print("FAIL %s: %r" % (check.__name__, difference))
                failed += 1
    return 1 if failed else 0


sys.exit(main())
