#!/usr/bin/env python3
"""A raw dump of RTDE data with --recipe: its beginning is unknown, so a package's length tells the protocol. The values are
those that Python's struct wrote, or nothing is decoded and the reason is reported."""
import csv
import io
import os
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish

ARMTAP = os.environ.get("ARMTAP", "./armtap")
TRUTH = [1000.0 + 0.002 * i for i in range(400)]


def package(kind, body):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def dump(protocol, extra=b""):
    """400 packages of a timestamp and a mode."""
    recipe_id = b"\x01" if protocol == 2 else b""
    return b"".join(package("U", recipe_id + struct.pack(">di", time, 7) + extra) for time in TRUTH)


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def export(path, recipe, arguments):
    return subprocess.run([ARMTAP, "export", "--stream", "0", *arguments, "--recipe", recipe, path],
                          capture_output=True, text=True)


def check_values(what, done):
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    expect(what + ": status", done.returncode == 0, done.stderr)
    expect(what + ": values", [float(row["timestamp"]) for row in rows if row.get("timestamp")] == TRUTH,
           done.stdout[:200] + done.stderr)
    expect(what + ": modes", {row.get("robot_mode") for row in rows} == {"7"}, done.stdout[:200])


def check_misfit(what, done):
    expect(what + ": no values", "timestamp" not in done.stdout.split("\n")[0], done.stdout[:200])
    expect(what + ": says why", "given recipe differs in length" in done.stderr, done.stderr)


def main():
    begins = {"nothing": b"", "START": package("S", b"\x01"), "PAUSE and START": package("P", b"\x01") + package("S", b"\x01")}
    with tempfile.TemporaryDirectory() as folder:
        recipe = write(folder, "recipe.txt", b"timestamp DOUBLE\nrobot_mode INT32\n")
        for protocol in (1, 2):
            for name, begin in begins.items():
                path = write(folder, "dump", begin + dump(protocol))
                for arguments in (["--raw", "rtde"], []):
                    what = "protocol %d after %s%s" % (protocol, name, ", --raw" if arguments else "")
                    check_values(what, export(path, recipe, arguments))
            path = write(folder, "dump", dump(protocol, extra=bytes(2)))
            check_misfit("protocol %d, two bytes more" % protocol, export(path, recipe, ["--raw", "rtde"]))
    sys.exit(finish())


if __name__ == "__main__":
    main()
