#!/usr/bin/env python3
"""Another program changes a file while armtap reads it, during a reading or between two: appends, replaces, truncates,
overwrites. Either the output is that of the original file, or the status is 2 with a message; no row is ever from another
file."""
import gzip
import itertools
import json
import os
import resource
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SOURCE = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "tests", "snapshot", "meanwhile.c")
# In the middle of the first reading; before the second reading.
MIDDLE, SECOND = "200000 1", "0 2"


def put(name, data):
    """Long ago: a file system's clock may be too coarse to distinguish now from a moment later."""
    with open(name, "wb") as file:
        file.write(data)
    os.utime(name, (1000, 1000))


HEADER = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)


def packets(robot, first, count, size=1108):
    """Legacy packets of a robot, one in a TCP segment."""
    out = []
    for i in range(first, first + count):
        payload = struct.pack(">I%dd" % (size // 8), size, 1 + i * 0.008, *[robot + i] * (size // 8 - 1))
        data = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), i & 0xffff, 0, 64, 6, 0) + bytes([10, 0, 0, robot]) + \
            b"\x0a\0\0\x09" + struct.pack(">HHIIBBHHH", 30003, 50000, 1 + i * size, 1, 0x50, 16, 64240, 0, 0) + payload
        out.append(struct.pack("<IIII", 1000 + i // 125, i % 125 * 8000, len(data), len(data)) + data)
    return b"".join(out)


FIRST = HEADER + packets(2, 0, 300)
CUT = FIRST[:-500]  # as the end of a file is while it is written
MORE = FIRST[-500:] + packets(2, 300, 100) + packets(3, 0, 200, 1060)
OTHER = HEADER + packets(4, 5, 400, 1060)
WAYS = (("x.pcap", bytes), ("x.pcap.gz", lambda data: gzip.compress(data, mtime=0, compresslevel=0)))


def run(*arguments, meanwhile=None, preexec=None, source=None):
    """`meanwhile`: at, what, from, to; `source`: standard input."""
    environment = dict(os.environ, ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
    if meanwhile:
        names = "AT", "DO", "FROM", "TO"
        environment.update(("MEANWHILE_" + name, value) for name, value in zip(names, meanwhile))
        environment["LD_PRELOAD"] = HOOK
    with open(source or os.devnull, "rb") as standard:
        done = subprocess.run([ARMTAP, *arguments], stdin=standard, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, env=environment, preexec_fn=preexec, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def same(what, wanted, got):
    """Nothing changes: not even a warning."""
    expect(what, got == wanted and wanted[1], got[0], got[2], got[1])


COMMANDS = (("export", "--stream", "0"), ("export", "-f", "ndjson", "--threads", "3"), ("info", "--json"), ("diagnose", "--json"))


def grown(name, pack):
    """The same as FIRST, whatever follows; ending inside a packet is reported and is no error."""
    put("more", pack(MORE))
    for at in SECOND, MIDDLE:
        for command in COMMANDS:
            put(name, pack(FIRST))
            wanted = run(*command, name)
            got = run(*command, name, meanwhile=(at, "append", "more", name))
            expect("it grew", os.path.getsize(name) == len(pack(FIRST)) + len(pack(MORE)) or at == SECOND)
            same(("grown", name, at, command), wanted, got)


def grown_cut():
    """Truncated inside a packet, then extended: the rows of all whole packets, a warning, and no error."""
    put("more", MORE)
    for command in COMMANDS:
        put("x.pcap", FIRST[:-1164])
        wanted = run(*command, "x.pcap")
        put("x.pcap", CUT)
        quiet = run(*command, "x.pcap")
        expect("cut, and nobody writes it", quiet[0] == 2 and "ends in the middle" in quiet[2], quiet)
        put("x.pcap", CUT)
        status, out, message = run(*command, "x.pcap", meanwhile=(MIDDLE, "append", "more", "x.pcap"))
        expect(("grows", command), status == wanted[0] and out == wanted[1], status, message, out)
        expect(("says so", command), message.count("still writing") == 1 and "x.pcap: after packet 299: " in message and
               "damaged" not in message, message)


def replaced(name, pack):
    put("other", pack(OTHER))
    for at in SECOND, MIDDLE:
        for command in COMMANDS:
            put(name, pack(FIRST))
            put("new", pack(OTHER))
            wanted = run(*command, name)
            same(("replaced", name, at, command), wanted, run(*command, name, meanwhile=(at, "rename", "new", name)))


def is_beginning(rows, wanted):
    return wanted.startswith(rows)


def cut(name, pack):
    """All output before the change is from the file."""
    for at in SECOND, MIDDLE:
        put(name, pack(FIRST))
        wanted = run("export", name)[1]
        status, rows, message = run("export", name, meanwhile=(at, "cut", "150000", name))
        expect(("cut", name, at), status == 2 and name in message and ("or truncated data already read" if at == SECOND else "truncated the file") in message
               and is_beginning(rows, wanted), status, message, rows)
    put(name, pack(FIRST))
    status, _, message = run("export", "-o", "x.csv", name, meanwhile=(SECOND, "cut", "0", name))
    expect(("cut to nothing", name), status == 2 and "or truncated data already read" in message and not os.path.exists("x.csv"),
           status, message)


def overwritten(name, pack):
    put("new", pack(OTHER))
    put(name, pack(FIRST))
    wanted = run("export", name)[1]
    status, rows, message = run("export", name, meanwhile=(SECOND, "overwrite", "new", name))
    expect(("overwritten", name), status == 2 and name in message and "overwrote" in message and rows == b"", status, message, rows)


def overwritten_once(name, pack):
    """During the first reading, which for most commands is the only one: certain if the bytes that are compared again differ,
    possible if only the length is the same. `info` and `diagnose` report on one file or not at all."""
    first = pack(FIRST)
    others = pack(OTHER), pack(OTHER)[:len(first)], pack(OTHER)[:len(first) - 9000]
    for command, at in itertools.product(COMMANDS, (MIDDLE,)):
        put(name, first)
        wanted = run(*command, name)
        for other in others:
            put(name, first)
            put("new", other)
            status, out, message = run(*command, name, meanwhile=(at, "overwrite", "new", name))
            expect(("overwritten once", name, command, at, len(other)), status == 2 and name in message and
                   ("overwrote" in message or "ends in the middle" in message and other is others[2]), status, message)
            expect(("nothing is said of it", name, command, len(other)), command[0] == "export" or out == b"", out)
        for other in first, first[:200000] + bytes([first[200000] ^ 1]) + first[200001:], first[:-1] + bytes([first[-1] ^ 1]):
            put(name, first)
            put("new", other)
            status, out, message = run(*command, name, meanwhile=(at, "overwrite", "new", name))
            expect(("perhaps", name, command, at), status == 2 and message.count("may have changed") == 1 and name in message and
                   (out == wanted[1] or other is not first), status, message)
        put(name, first)
        same(("renamed", name, command, at), wanted, run(*command, name, meanwhile=(at, "rename", name, "elsewhere")))


def standard_input(name, pack):
    """A file on standard input is watched like a named one, unless reading starts inside it."""
    put("new", pack(OTHER))
    for command in COMMANDS:
        put(name, pack(FIRST))
        wanted = run(*command, name)
        given = run(*command, "-", source=name)
        expect(("standard input", command), given[0] == wanted[0] and (given[1] == wanted[1] or command[0] != "export"), given[2])
        put("more", pack(MORE))
        same(("standard input, grown", name, command), given,
             run(*command, "-", source=name, meanwhile=(MIDDLE, "append", "more", name)))
        put(name, pack(FIRST))
        status, out, message = run(*command, "-", source=name, meanwhile=(MIDDLE, "overwrite", "new", name))
        expect(("standard input, overwritten", name, command), status == 2 and "standard input" in message and
               "overwrote" in message and (command[0] == "export" or out == b""), status, message)
    with open("y.pcap", "wb") as file:
        file.write(b"before" + FIRST)
    done = subprocess.run("{ dd bs=1 count=6 of=/dev/null status=none; exec %s info -; } <y.pcap" % shlex.quote(ARMTAP),
                          shell=True, capture_output=True, check=False)
    expect("standard input from its midst", done.returncode == 0 and b"300" in done.stdout, done)


def compared():
    """A comparison reads its captures three times."""
    put("x.pcap", HEADER + packets(2, 0, 300) + packets(2, 300, 1))
    put("y.pcap", HEADER + packets(3, 0, 300, 1060))
    wanted = run("compare", "--json", "x.pcap", "y.pcap")
    for count in 2, 3:
        put("new", OTHER)
        put("x.pcap", HEADER + packets(2, 0, 301))
        # both files begin at 0: the second reading of the first file is the third or fourth such read
        got = run("compare", "--json", "x.pcap", "y.pcap", meanwhile=("0 %d" % (count + 1), "rename", "new", "x.pcap"))
        expect("compared", got[:2] == wanted[:2], got, wanted)


def more_files_than_descriptors():
    """A replaced file is detected even if the files cannot all be kept open."""
    names = []
    for i in range(60):
        names.append("f%02d.pcap" % i)
        put(names[-1], HEADER + packets(2, 5 * i, 5))

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))

    wanted = run("export", *names)
    expect("sixty", wanted[0] == 0 and wanted[1].count(b"\n") == 301, wanted)
    same("sixty files, eighty descriptors", wanted, run("export", *names, preexec=limit))
    put("new", OTHER)
    status, rows, message = run("export", *names, preexec=limit, meanwhile=("0 61", "rename", "new", "f59.pcap"))
    expect("one of them replaced", status == 2 and "f59.pcap" in message and "replaced the one being read" in message and
           is_beginning(rows, wanted[1]), status, message)


def build_hook():
    compiler, flags = shlex.split(os.environ.get("CC", "cc")), shlex.split(os.environ.get("CFLAGS", "-O1"))
    flags = [flag for flag in flags if not flag.startswith("-fsanitize")]
    subprocess.run([*compiler, *flags, "-shared", "-fPIC", "-o", HOOK, SOURCE, "-ldl"], check=True)


folder = tempfile.mkdtemp()
back = os.getcwd()
HOOK = os.path.join(folder, "meanwhile.so")
try:
    os.chdir(folder)
    build_hook()
    for way in WAYS:
        grown(*way)
        replaced(*way)
        cut(*way)
        overwritten(*way)
        overwritten_once(*way)
        standard_input(*way)
    grown_cut()
    compared()
    more_files_than_descriptors()
finally:
    os.chdir(back)
    shutil.rmtree(folder)
sys.exit(finish())
