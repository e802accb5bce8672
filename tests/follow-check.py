#!/usr/bin/env python3
"""Rows of a source that goes on come out while it goes on: the way `nc ROBOT 30003 | armtap export -` is followed, also
through gzip, and Ctrl-C ends it with all rows that came."""
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib

ARMTAP = os.environ.get("ARMTAP", "./armtap")
PATIENCE = 20  # seconds, of a machine that does much else
PAUSE = 0.15  # so long that patience ends before a buffer is full, and what is kept back until then is missed
passed = failed = 0


def packet(clock):
    return struct.pack(">I152d", 1220, clock, *[0.0] * 151)


class Plain:
    def bytes_of(self, data):
        return data

    def end(self):
        return b""


class Gzip:
    """As a program packs that does not keep back what it has."""

    def __init__(self):
        self.packer = zlib.compressobj(wbits=31)

    def bytes_of(self, data):
        return self.packer.compress(data) + self.packer.flush(zlib.Z_SYNC_FLUSH)

    def end(self):
        return self.packer.flush()


def begin(*options):
    return subprocess.Popen([ARMTAP, "export", "-", "--raw", "realtime", "--fields", "timestamp", *options],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def feed(program, way):
    """Packets until two lines came; these, and how many packets."""
    came, count, end = b"", 0, time.monotonic() + PATIENCE
    while came.count(b"\n") < 2 and time.monotonic() < end:
        program.stdin.write(way.bytes_of(packet(1 + count * 0.008)))
        program.stdin.flush()
        count += 1
        if select.select([program.stdout], [], [], PAUSE)[0]:
            came += os.read(program.stdout.fileno(), 65536)
    return came, count


def follow(way, *options):
    """Lines that came before the end of the input, and all lines."""
    program = begin(*options)
    came, count = feed(program, way)
    program.stdin.write(way.end())
    program.stdin.close()
    rest = program.stdout.read()
    return came.splitlines(), (came + rest).splitlines(), count, program.wait()


def interrupt(way, *options):
    """The same for a source that never ends, after Ctrl-C."""
    program = begin(*options)
    came, count = feed(program, way)
    program.send_signal(signal.SIGINT)
    patience = threading.Timer(PATIENCE, program.kill)
    patience.start()
    rest = program.stdout.read()
    patience.cancel()
    return came.splitlines(), (came + rest).splitlines(), count, program.wait()


def judge(what, early, lines, wanted, status, wanted_status=0):
    global passed, failed
    if len(early) >= 2 and len(lines) == wanted and status == wanted_status:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {what}: {len(early)} lines before the end, {len(lines)} of {wanted}, status {status}")


for way in Plain, Gzip:
    for options, header in ((("-f", "csv"), 1), (("-f", "ndjson"), 0), (("-f", "csv", "--threads", "1"), 1),
                            (("-f", "csv", "--threads", "3"), 1)):
        early, lines, count, status = follow(way(), *options)
        judge((way.__name__, *options), early, lines, count + header, status)

# gzip data that nobody ended is a file that ends early
for way, wanted in (Plain, 0), (Gzip, 2):
    for threads in "1", "3":
        early, lines, count, status = interrupt(way(), "-f", "csv", "--threads", threads)
        judge((way.__name__, "Ctrl-C", threads), early, lines, count + 1, status, wanted)

print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
