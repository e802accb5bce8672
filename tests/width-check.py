#!/usr/bin/env python3
"""What every command prints for people, on every sample: no line is wider than the terminal, and all words are there."""
import collections
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tally import expect, finish
from terminal import Terminal

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
WIDTHS = (40, 80, 120)
# What these print on standard output is for programs; `plot` draws in a terminal, as plot-terminal-check.py shows.
FOR_PROGRAMS = "dissector", "export", "index", "merge", "plot", "proxy", "record", "report", "serve"
PACKETS = 1, 4, 8, 20, 47
# What no line end may come into, alone on its line: a path, a quoted word of a command, an enumeration's name, a text
# from the wire without a blank; a field's name.
UNBREAKABLE = re.compile(r" *([\w.~-]*/\S+|'[^']*'|[A-Z][A-Z0-9_]+|\"\S+)( \\)?")


def run(words, width):
    """width 0: into a pipe."""
    environment = {**{name: value for name, value in os.environ.items() if name != "COLUMNS"}, "NO_COLOR": "1"}
    if width == 0:
        return subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
                              check=False).stdout.decode()
    environment["COLUMNS"] = str(width)
    with Terminal(200) as terminal, subprocess.Popen([ARMTAP, *words], stdout=terminal.theirs, env=environment,
                                                     stderr=subprocess.DEVNULL) as program:
        return terminal.read(program).decode().replace("\r\n", "\n")


def samples():
    with open(os.path.join(SAMPLES, "INDEX"), encoding="utf-8") as index:
        return [os.path.join(SAMPLES, line.split()[0]) for line in index if line.strip() and not line.startswith("#")]


def commands():
    return re.findall(r"^  ([a-z]+) ", subprocess.run([ARMTAP, "--help"], stdout=subprocess.PIPE, check=True)
                      .stdout.decode().split("Commands:")[1].split("Options:")[0], re.M)


def of_sample(path):
    told = json.loads(subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, check=False).stdout)
    yield from (("info", path), ("info", "--local", path), ("diagnose", path), ("diagnose", "--local", path),
                ("compare", path), (path,))
    yield from (("explain", path, "--packet", str(packet)) for packet in PACKETS)
    yield from (("diagnose", "--around", name, path) for name in sorted({one["id"] for one in told["findings"]}))
    yield "diagnose", "--around", "input.hostile", path


def without_sample():
    yield from ((), ("--help",), ("--version",), ("fields",), ("fields", "--error"), ("fields", "--columns", "1-152"),
                ("diagnose", "--list"), ("recipe", "--list"), ("explain", "--hex", "00 05 56 00 02"))
    enums = subprocess.run([ARMTAP, "--complete", "fields", "--enum", ""], stdout=subprocess.PIPE, check=True).stdout
    yield from (("fields", "--enum", line.split("\t")[0]) for line in enums.decode().splitlines() if line[:1] != ":")
    for command in commands():
        yield command, "--help"


def words_of(text):
    return collections.Counter(word for word in text.split() if word != "\\")


def is_unbreakable(line, names):
    return UNBREAKABLE.fullmatch(line) or line.strip() in names


def check(words, names):
    piped = run(words, 0)
    for width in WIDTHS:
        text = run(words, width)
        wide = [line for line in text.splitlines() if len(line) > width and not is_unbreakable(line, names)]
        expect((words, width, "too wide"), not wide, wide[:3])
        if words[:1] != ("explain",):  # whose lines of bytes are shorter
            told = words_of(text)
            expect((words, width, "the same words"), told == words_of(piped), told - words_of(piped),
                   words_of(piped) - told)
    return bool(piped)


def check_commands():
    """A command that is broken after backslashes is the same to a shell."""
    path = os.path.join(SAMPLES, "rtde-refused.pcap")
    whole = re.findall(r"^ +(armtap recipe --from .*)", run(("diagnose", path), 0), re.M)
    broken = re.findall(r"^ +(armtap recipe --from (?:.*\\\n)*.*)", run(("diagnose", path), 40), re.M)
    expect("commands that are broken", len(broken) == len(whole) > 0 and all("\n" in one for one in broken), broken)
    for line, lines in zip(whole, broken):
        words = subprocess.run(["sh", "-c", "printf '%s\\0' " + lines], stdout=subprocess.PIPE, check=True).stdout
        expect(("a shell reads", line), words.decode().split("\0")[:-1] == line.split(), words)


def main():
    listed = set(commands())
    names = set(run(("fields", "--names"), 0).split())
    cases = list(without_sample())
    for path in samples():
        cases += of_sample(path)
    tried = {words[0] for words in cases if words and words[-1] != "--help"}
    expect("each command is tried, or prints for programs", listed - tried == {*FOR_PROGRAMS, "help"}, listed - tried)
    check_commands()
    with ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda words: check(words, names), cases))
    expect("most of them print something", sum(printed) > 0.9 * len(cases), sum(printed), len(cases))


main()
sys.exit(finish())
