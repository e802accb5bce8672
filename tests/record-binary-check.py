#!/usr/bin/env python3
"""Files that UR's record.py --binary writes, made here with struct: every value that `export` prints is the one that
struct.unpack finds, however the line of types is written; cut, corrupt and hostile ones are refused by name.
tests/record-binary-check.py [SEED]."""
import csv
import io
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish

ARMTAP = os.environ.get("ARMTAP", "./armtap")
ELEMENTS = {"BOOL": ("?", 1), "UINT8": ("B", 1), "UINT32": ("I", 1), "UINT64": ("Q", 1), "INT32": ("i", 1), "DOUBLE": ("d", 1),
            "VECTOR3D": ("d", 3), "VECTOR6D": ("d", 6), "VECTOR6INT32": ("i", 6), "VECTOR6UINT32": ("I", 6)}
NAMES = {"d": "DOUBLE", "i": "INT32", "I": "UINT32"}


def armtap(*arguments, stdin=None):
    return subprocess.run([ARMTAP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False,
                          input=stdin)


def columns(name, kind):
    count = ELEMENTS[kind][1]
    return [name] if count == 1 else ["%s_%d" % (name, i) for i in range(count)]


def header(fields, form):
    """`form`: the types once an element by the element's type, once an element by the field's, or once a field."""
    kinds = []
    for _, kind in fields:
        letter, count = ELEMENTS[kind]
        kinds += [kind] if count == 1 or form == "field" else [NAMES[letter] if form == "element" else kind] * count
    names = [column for field in fields for column in columns(*field)]
    return " ".join(names).encode() + b"\n" + " ".join(kinds).encode() + b"\n"


def layout(fields):
    return ">" + "".join(letter * count for letter, count in (ELEMENTS[kind] for _, kind in fields))


def value(letter, rng):
    if letter == "d":
        return rng.choice([rng.uniform(-9, 9), rng.uniform(-1e300, 1e300), 5e-324, -0.0, math.inf, math.nan, 1e16])
    least, most = {"?": (0, 1), "B": (0, 255), "I": (0, 2**32 - 1), "Q": (0, 2**64 - 1), "i": (-2**31, 2**31 - 1)}[letter]
    return rng.choice([least, most, rng.randint(least, most)])


def rows(fields, count, rng):
    letters = layout(fields)[1:]
    return b"".join(struct.pack(">" + letters, *[value(letter, rng) for letter in letters]) for _ in range(count))


def cell(number):
    return str(int(number)) if isinstance(number, (bool, int)) else repr(number)


def check_values(what, done, fields, body):
    expect(what + ": status", done.returncode == 0 and not done.stderr, done.stderr)
    table = list(csv.reader(io.StringIO(done.stdout.decode())))
    names = [column for field in fields for column in columns(*field)]
    expect(what + ": names", table[0] == ["time"] + names, table[0])
    truth = [[cell(number) for number in row] for row in struct.iter_unpack(layout(fields), body)]
    got = [row[1:] for row in table[1:]]
    expect(what + ": values", got == truth, [(a, b) for a, b in zip(got, truth) if a != b][:1], len(got), len(truth))


def some_fields(known, rng):
    chosen = rng.sample(known, rng.randrange(1, 40))
    if rng.random() < 0.5:
        chosen = [("timestamp", "DOUBLE")] + [field for field in chosen if field[0] != "timestamp"]
    if rng.random() < 0.3:
        chosen.append(("my_own_field", rng.choice(list(ELEMENTS))))
    if rng.random() < 0.3:
        chosen += [("output_int_register_%d" % i, "INT32") for i in range(8) if ("output_int_register_%d" % i, "INT32") not in chosen]
    return chosen


def check_round_trips(folder, rng, known):
    path = os.path.join(folder, "robot_data.bin")
    for number in range(40):
        fields, form = some_fields(known, rng), ("element", "repeated", "field")[number % 3]
        body = rows(fields, rng.choice([1, 2, 50, 700]), rng)
        content = header(fields, form) + body
        with open(path, "wb") as file:
            file.write(content)
        check_values("%d, %s" % (number, form), armtap("export", path), fields, body)
        if number % 8 == 0:
            check_values("%d, from a pipe" % number, armtap("export", "-", stdin=content), fields, body)
            info = armtap("info", "--json", path)
            streams = json.loads(info.stdout)["streams"]
            expect("info", info.returncode == 0 and streams[0]["records"] == len(body) // struct.calcsize(layout(fields)) and
                   streams[0]["fields"] == [name for name, _ in fields] and streams[0]["version"] is None, info.stdout, info.stderr)
            expect("diagnose", armtap("diagnose", path).returncode in (0, 1), "")


def check_damaged(folder, rng):
    path = os.path.join(folder, "cut.bin")
    fields = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("robot_mode", "INT32")]
    lines, body = header(fields, "repeated"), rows(fields, 20, rng)
    for whole, more in ((0, 0), (0, 7), (5, 1), (19, 59)):
        with open(path, "wb") as file:
            file.write(lines + body[:whole * 60 + more])
        done = armtap("export", path)
        wanted = "without a row" if whole + more == 0 else "cut in row %d of a recording of record.py --binary: %d of its 60" % (
            whole + 1, more)
        expect("cut after %d rows" % whole, done.returncode == 2 and wanted in done.stderr.decode(), done.stderr)
        if whole > 0:
            expect("rows before the cut", done.stdout.count(b"\n") == whole + 1, done.stdout)
    bad = {"fewer types": (b"a b c\nDOUBLE INT32\n", "more or fewer names"),
           "more types": (b"a\nDOUBLE INT32\n", "more or fewer names"),
           "unknown type": (b"a b\nDOUBLE STRING\n", "unknown type: STRING"),
           "names that do not fit": (b"a_0 a_1 b_2\nVECTOR3D VECTOR3D VECTOR3D\n", "do not fit the vectors"),
           "a row too long": (b"a_0 a_1 a_2 a_3 a_4 a_5 " * 1400 + b"\n" + b"VECTOR6D " * 1400 + b"\n",
                              "longer than any RTDE package")}
    for name, (content, wanted) in bad.items():
        with open(path, "wb") as file:
            file.write(content + bytes(5000))
        done = armtap("export", path)
        expect(name, done.returncode == 2 and wanted in done.stderr.decode(), done.stderr)
    hostile = [b"\x1b[2J\nDOUBLE\n" + bytes(80), b"timestamp", b"timestamp\nDOUBLE", b"a" * 200000, b"a " * 100000 + b"\nDOUBLE\n",
               b"timestamp\ndouble\n" + bytes(80), b"\n\n" + bytes(80), b"timestamp\n\n" + bytes(80)]
    for content in hostile:
        with open(path, "wb") as file:
            file.write(content)
        done = armtap("info", path)
        expect("hostile %r" % content[:20], done.returncode == 2 and b"\x1b" not in done.stderr + done.stdout, done.stderr)


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    known = [(field["name"], field["type"]) for field in json.loads(armtap("fields", "--json").stdout)
             if field["direction"] in ("output", "both") and field["type"] in ELEMENTS]
    with tempfile.TemporaryDirectory() as folder:
        check_round_trips(folder, rng, known)
        check_damaged(folder, rng)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
