#!/usr/bin/env python3
"""Rows of a source that goes on come out while it goes on: the way `nc ROBOT 30003 | armtap export -` is followed."""
import os
import select
import struct
import subprocess
import sys
import time

ARMTAP = os.environ.get("ARMTAP", "./armtap")
PATIENCE = 20  # seconds, of a machine that does much else
passed = failed = 0


def packet(clock):
    return struct.pack(">I152d", 1220, clock, *[0.0] * 151)


def follow(*options):
    """Lines that came before the end of the input, and all lines."""
    program = subprocess.Popen([ARMTAP, "export", "-", "--raw", "realtime", "--fields", "timestamp", *options],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    came, count, end = b"", 0, time.monotonic() + PATIENCE
    while came.count(b"\n") < 2 and time.monotonic() < end:
        program.stdin.write(packet(1 + count * 0.008))
        program.stdin.flush()
        count += 1
        if select.select([program.stdout], [], [], 0.008)[0]:
            came += os.read(program.stdout.fileno(), 65536)
    program.stdin.close()
    rest = program.stdout.read()
    return came.splitlines(), (came + rest).splitlines(), count, program.wait()


for options, header in ((("-f", "csv"), 1), (("-f", "ndjson"), 0), (("-f", "csv", "--threads", "3"), 1)):
    early, lines, count, status = follow(*options)
    if len(early) >= 2 and len(lines) == count + header and status == 0:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {options}: {len(early)} lines before the end, {len(lines)} of {count + header}, status {status}")

print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
