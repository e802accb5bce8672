#!/usr/bin/env python3
"""Numbers as text (tools/base/numbers/number_text.cc) are Python's repr: random bits, every power of two and its neighbours,
subnormals, halves between two decimals, decimals of few digits; each of the ways to their digits (number_shortest.h)."""
import array
import decimal
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


def lines(numbers_, *command):
    """What a program of this build prints of them."""
    program = os.path.join(os.environ.get("builddir", "."), "tests", command[0])
    printed = subprocess.run([program, *command[1:]], input=numbers_.tobytes(), check=True, stdout=subprocess.PIPE).stdout
    return printed.decode().split("\n")[:-1]


def as_decimal(number):
    """(digits, exponent) of Python's repr."""
    _, digits, exponent = decimal.Decimal(repr(abs(number))).normalize().as_tuple()
    return int("".join(map(str, digits))), exponent


def check_ways(numbers_):
    """Digits of every way that this compiler has."""
    usual = array.array("d", (number for number in numbers_ if number and math.isfinite(number)))
    ways, *found = lines(usual, "shortest_digits")
    wrong = {way: [] for way in ways.split()}
    assert len(found) == len(usual) and "printf" in wrong
    for number, line in zip(usual, found):
        values, wanted = list(map(int, line.split())), as_decimal(number)
        for way, digits, exponent in zip(wrong, values[::2], values[1::2]):
            if (digits, exponent) != wanted:
                wrong[way].append(number.hex())
    for way, those in wrong.items():
        print("by %s: %d numbers, %d of them not as repr has them %s" % (way, len(usual), len(those), those[:3]))
    return sum(map(len, wrong.values()))


def main():
    all_ = array.array("d", numbers())
    texts = lines(all_, "unit/test_number_text", "--texts")
    assert len(texts) == len(all_) > 300000
    wrong = [(number.hex(), text) for number, text in zip(all_, texts) if repr(number) != text]
    print("%d numbers, %d of them not as repr has them %s" % (len(texts), len(wrong), wrong[:3]))
    return 1 if wrong or check_ways(all_[:: 1 if os.environ.get("CHECK") == "all" else 5]) else 0


sys.exit(main())
