#!/usr/bin/env python3
"""Numbers as text (tools/base/numbers/number_text.cc) are Python's repr: random bits, every power of two and its neighbours,
subnormals, halves between two decimals, decimals of few digits."""
import array
import math
import os
import random
import struct
import subprocess
import sys


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits & (1 << 64) - 1))[0]


def numbers():
    chance = random.Random(20261124)
    for exponent in range(2047):
        for nearby in range(-3, 4):
            yield double((exponent << 52) + nearby)
    for _ in range(150000):
        yield double(chance.getrandbits(64))
        yield double(chance.getrandbits(64) & ~(1 << 62) | 0x3F << 56)  # 2^-15 to 2^16, in both signs
    for _ in range(20000):
        yield double(chance.getrandbits(chance.randrange(1, 53)))  # subnormals
        yield chance.randrange(-10**9, 10**9) / 10**chance.randrange(12)
        yield chance.randrange(1, 1 << chance.randrange(1, 54)) / 2.0**chance.randrange(60)  # few bits: ties
        yield float("%de%d" % (chance.randrange(1, 10**chance.randrange(1, 18)), chance.randrange(-330, 295)))
    for power in range(-323, 309):
        ten = float("1e%d" % power)
        yield from (math.nextafter(ten, 0), ten, math.nextafter(ten, math.inf), -ten)


def main():
    all_ = array.array("d", numbers())
    program = os.path.join(os.environ.get("builddir", "."), "tests", "unit", "test_number_text")
    texts = subprocess.run([program, "--texts"], input=all_.tobytes(), check=True, stdout=subprocess.PIPE).stdout
    texts = texts.decode().split("\n")[:-1]
    assert len(texts) == len(all_) > 300000
    wrong = [(number.hex(), text) for number, text in zip(all_, texts) if repr(number) != text]
    print("%d numbers, %d of them not as repr has them %s" % (len(texts), len(wrong), wrong[:3]))
    return 1 if wrong else 0


sys.exit(main())
