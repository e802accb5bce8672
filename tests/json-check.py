#!/usr/bin/env python3
"""The JSON scanner against Python's json: the same texts are JSON, and all values are the same, doubles to the bit.
SEED=n tests other texts."""
import json
import math
import os
import random
import struct
import subprocess
import sys

TEXTS = 12000
DEPTH_MAX = 32
seed = int(os.environ.get("SEED", "1"))
rnd = random.Random(seed)


# ---- what Python reads ----


class Number(str):
    """A number's own text."""


class Members(list):
    """Names and values of an object, in their order."""


def load(text):
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number, object_pairs_hook=Members)


def bits(number):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", number))


def number_words(text):
    real = float(text)
    if not text.lstrip("-").isdigit() or not -2 ** 63 <= int(text) < 2 ** 64:
        return "nan" if math.isnan(real) else bits(real)
    return "%d:%s" % (int(text), bits(real))


def text_words(text):
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).encode().hex()


def words(value):
    if isinstance(value, Number):
        yield number_words(value)
    elif isinstance(value, str):
        yield "string:" + text_words(value)
    elif isinstance(value, Members):
        yield "{"
        for name, member in value:
            yield "key:" + text_words(name)
            yield from words(member)
        yield "close"
    elif isinstance(value, list):
        yield "["
        for element in value:
            yield from words(element)
        yield "close"
    else:
        yield {None: "null", False: "false", True: "true"}[value]


def depth_of(value):
    inner = [x[1] for x in value] if isinstance(value, Members) else value if isinstance(value, list) else ()
    return 1 + max(map(depth_of, inner), default=0) if isinstance(value, list) else 0


def wanted(text):
    """The words of a text; None if it is not JSON, or nested too deep."""
    try:
        value = load(text)
    except ValueError:
        return None
    return list(words(value)) if depth_of(value) <= DEPTH_MAX else None


# ---- texts ----


def digits(count):
    return "".join(rnd.choice("0123456789") for _ in range(count))


def some_number():
    kind = rnd.random()
    if kind < .3:
        double = struct.unpack("<d", struct.pack("<Q", rnd.getrandbits(64)))[0]
        if not math.isfinite(double):
            return rnd.choice(["NaN", "Infinity", "-Infinity"])
        return repr(double) if rnd.random() < .5 else "%.*e" % (rnd.randrange(25), double)
    if kind < .5:
        return "%.*g" % (rnd.randrange(1, 18), rnd.gauss(0, 10 ** rnd.randrange(-8, 8)))
    whole = rnd.choice(["0", "00", "01", "", str(rnd.getrandbits(rnd.choice([1, 8, 53, 54, 64, 65, 500, 3000]))),
                        str(2 ** 63 + rnd.randrange(-2, 3)), str(2 ** 64 + rnd.randrange(-2, 3))])
    fraction = "." + digits(rnd.choice([0, 1, 3, 16, 17, 18, 19, 20, 40, 900])) if rnd.random() < .5 else ""
    exponent = ""
    if rnd.random() < .4:
        exponent = rnd.choice("eE") + rnd.choice(["", "+", "-"]) + rnd.choice(
            ["", "007", "0", "1", "5", "22", "23", "40", "300", "308", "324", "340", "999", "99999", "1000000000000"])
    return rnd.choice(["", "-"]) + whole + fraction + exponent


def some_string():
    right = ["a", "\u00e4", "\u6025", "\U0001f916", "\\n", '\\"', "\\\\", "\\/", "\\b\\f\\r\\t", "\\u0041", "\\u00e4",
             "\\ud83e\\udd16", "\\uD83E\\uDD16", "\\ud83e", "\\udd16", "\\ud83e\\u0041", "\\ud83e\\ud83e\\udd16", "\\udd16\\udd16",
             "\\u0000", "]", "{", ",", " ", "\x7f", "\u2028"]
    wrong = ["\\x", "\\u12", "\\u12g4", "\n", "\x01", "\x00", "\\", "\\'", "\\U0041"]
    return '"%s"' % "".join(rnd.choice(wrong if rnd.random() < .02 else right) for _ in range(rnd.randrange(6)))


def blank():
    return rnd.choice([""] * 12 + [" ", "\n", "\t\r", "  "]) if rnd.random() < .998 else rnd.choice(["\x0b", "\x00", "\u00a0"])


def some_value(depth=0):
    kind = rnd.random()
    separator = "," if rnd.random() < .97 else rnd.choice(["", ",,", ";", ":"])
    if kind < .25 and depth < 5:
        text = "[%s]" % separator.join(some_value(depth + 1) for _ in range(rnd.randrange(5)))
    elif kind < .4 and depth < 5:
        text = "{%s}" % separator.join(blank() + some_string() + blank() + ":" + some_value(depth + 1)
                                       for _ in range(rnd.randrange(4)))
    elif kind < .6:
        text = some_string()
    elif kind < .9:
        text = some_number()
    else:
        text = rnd.choice(["true", "false", "null"] * 6 + ["True", "nul", "nan", "+1", "truex", "'a'", "/**/", "1-1", ""])
    return blank() + text + blank()


def changed(text):
    at = rnd.randrange(len(text) + 1)
    return rnd.choice([text[:at], text[:at] + text[at + 1:], text + rnd.choice(" ]1\x00"),
                       text[:at] + rnd.choice('[]{},:"\\0123.eE-+tfn \x00\x01\u00e4') + text[at:]])


def texts():
    for _ in range(TEXTS):
        text = some_value() if rnd.random() < .7 else "[%s]" % ",".join(some_number() for _ in range(8))
        yield changed(text) if rnd.random() < .3 else text
    for depth in range(1, DEPTH_MAX + 3):
        yield "[" * depth + "]" * depth
        yield '{"a":' * depth + "1" + "}" * depth


# ---- the comparison ----


def main():
    samples = [text.encode() for text in texts()]
    data = b"".join(b"%d\n%s" % (len(text), text) for text in samples)
    run = subprocess.run([os.path.join(os.getcwd(), "tests/json_tokens")], input=data, stdout=subprocess.PIPE, check=True)
    lines = run.stdout.decode().split("\n")[:-1]
    assert len(lines) == len(samples), (len(lines), len(samples))
    passed, right = 0, 0
    for text, line in zip(samples, lines):
        found = line.split()
        found = None if found[-1:] == ["fault"] else ["nan" if x in ("7ff8000000000000", "fff8000000000000") else x for x in found]
        want = wanted(text.decode())
        if found != want:
            print("FAIL %r: %s, not %s" % (text, found, want))
            return 1
        passed += 1
        right += want is not None
    print("SEED=%d: %d passed, %d of them JSON" % (seed, passed, right))
    return 0 if TEXTS / 4 < right < TEXTS * .9 else 1


sys.exit(main())
