#!/usr/bin/env python3
"""What every command prints for people, on every sample: no line is wider than the terminal, all words are there, and
colours change nothing else; nor anything that is for programs."""
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from robot_capture import Capture, Client
from tally import ALL, decodable, expect, finish, share
from terminal import Terminal

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
WIDTHS = (40, 80, 120)
SGR = re.compile(b"\\033\\[[0-9;]*m")
# What these print on standard output is for programs; watch-check.py looks at the page of `watch`; `plot` draws in a terminal, as plot-terminal-check.py shows.
FOR_PROGRAMS = "dissector", "export", "index", "infer", "merge", "plot", "proxy", "record", "report", "serve"
PACKETS = 1, 4, 8, 20, 47
# What no line end may come into, alone on its line: a path, a quoted word of a command, an enumeration's name, a text
# from the wire without a blank; a field's name.
UNBREAKABLE = re.compile(r" *([\w.~-]*/\S+|'[^']*'|[A-Z][A-Z0-9_]+|\"\S+)( \\)?")


def commands():
    return re.findall(r"^  ([a-z]+) ", subprocess.run([ARMTAP, "--help"], stdout=subprocess.PIPE, check=True)
                      .stdout.decode().split("Commands:")[1].split("Options:")[0], re.M)


COMMANDS = commands()


def run(words, width, folder=None):
    """width 0: into a pipe; in the folder, if one is given."""
    environment = {**{name: value for name, value in os.environ.items() if name != "COLUMNS"}, "NO_COLOR": "1"}
    if width == 0:
        return subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
                              cwd=folder, check=False).stdout.decode()
    environment["COLUMNS"] = str(width)
    with Terminal(200) as terminal, subprocess.Popen([ARMTAP, *words], stdout=terminal.theirs, env=environment,
                                                     cwd=folder, stderr=subprocess.DEVNULL) as program:
        return terminal.read(program).decode().replace("\r\n", "\n")


def in_colours(words, when):
    """Standard output and error with --color; where no option may be, through the environment."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLICOLOR_FORCE")}
    if words and words[0] in COMMANDS:
        words = (words[0], "--color", when, *words[1:])
    else:
        environment.update({"CLICOLOR_FORCE": "1"} if when == "always" else {"NO_COLOR": "1"})
    ran = subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False,
                         stdin=subprocess.DEVNULL)
    return ran.returncode, ran.stdout, ran.stderr


def samples():
    with open(os.path.join(SAMPLES, "INDEX"), encoding="utf-8") as index:
        return decodable(os.path.join(SAMPLES, line.split()[0]) for line in index if line.strip() and not line.startswith("#"))


def of_sample(path):
    told = json.loads(subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, check=False).stdout)
    yield from (("info", path), ("info", "--local", path), ("diagnose", path), ("diagnose", "--local", path),
                ("compare", path), ("stats", path), (path,))
    yield from (("explain", path, "--packet", str(packet)) for packet in PACKETS)
    yield from (("diagnose", "--around", name, path) for name in sorted({one["id"] for one in told["findings"]}))
    yield "diagnose", "--around", "input.hostile", path


def without_sample():
    yield from ((), ("--help",), ("--version",), ("fields",), ("fields", "--error"), ("fields", "--columns", "1-152"),
                ("diagnose", "--list"), ("recipe", "--list"), ("explain", "--hex", "00 05 56 00 02"))
    enums = subprocess.run([ARMTAP, "--complete", "fields", "--enum", ""], stdout=subprocess.PIPE, check=True).stdout
    yield from (("fields", "--enum", line.split("\t")[0]) for line in enums.decode().splitlines() if line[:1] != ":")
    for command in COMMANDS:
        yield command, "--help"


def for_programs(path):
    """Nothing here has colours, whatever is asked for."""
    yield from (("info", "--json", path), ("diagnose", "--json", path), ("compare", "--json", path), ("stats", "--json", path),
                ("explain", "--json", path, "--packet", "8"), ("export", path), ("export", "--to-robot", "-f", "ndjson", path),
                ("recipe", "--from", path), ("plot", path), ("report", "-o", "-", path))


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


def check_colours(words):
    """Whether there are any; without them, all is the same."""
    shown, plain = in_colours(words, "always"), in_colours(words, "never")
    expect((words, "the same status and messages"), (shown[0], SGR.sub(b"", shown[2])) == (plain[0], plain[2]), shown[2], plain[2])
    expect((words, "the same without colours"), SGR.sub(b"", shown[1]) == plain[1], shown[1])
    expect((words, "no colours"), b"\033" not in plain[1])
    expect((words, "a line ends its colours"), all(ends_plain(line) for line in shown[1].splitlines()))
    return b"\033" in shown[1]


def ends_plain(line):
    return not SGR.search(line) or SGR.findall(line)[-1] == b"\033[0m"


def check_tones():
    """Verdicts in the colours of what they say; what is unknown is not green."""
    for name, colour, words in (
            ("rtde-v1.pcap", b"32", b"Nothing is wrong"), ("cb2-812.pcap.gz", b"33", b"10.0.0.2: the robot entered"),
            ("primary-stop.pcap.gz", b"31", b"2 incidents; the worst: 10.0.0.7:"),
            ("rtde-refused.pcap", b"31", b"2 incidents; the worst: 10.0.0.10:")):
        told = in_colours(("diagnose", os.path.join(SAMPLES, name)), "always")[1]
        expect((name, words), b"\n\033[" + colour + b"m" + words in told, told[-300:])
    both = os.path.join(SAMPLES, "both-streams.pcap.gz")
    told = in_colours(("compare", both), "always")[1]
    expect("equal is green", b"\033[32m18 of 24 fields are equal, bit for bit" in told, told[-200:])
    with open(os.path.join(SAMPLES, "rtde-v2.pcapng.gz"), "rb") as sample, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cut.pcapng")
        whole = gzip.decompress(sample.read())
        with open(path, "wb") as cut:
            cut.write(whole[:len(whole) // 2 + 3])
        told = in_colours(("diagnose", path), "always")[1]
    expect("what was not read is not green", b"\033[32m" not in told and b"reading stopped early" in told, told[-300:])


def check_length():
    """One incident takes at most 40 lines, wherever the build's folder is: a longer path would take one more."""
    judged = 0
    folder = os.path.dirname(SAMPLES) or "."
    for path in samples():
        found = json.loads(run(("diagnose", "--json", path), 0) or "{}")
        if len(found.get("incidents", [])) == 1:
            judged += 1
            told = run(("diagnose", os.path.relpath(path, folder)), 80, folder).splitlines()
            expect((path, "at most 40 lines"), len(told) <= 40, len(told))
    expect("samples with one incident", judged >= 5, judged)


def told_of(capture):
    """What diagnose finds, and prints for people."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.pcap")
        capture.write(path)
        return json.loads(run(("diagnose", "--json", path), 0)), " ".join(run(("diagnose", path), 120).split())


def check_alike():
    """What many connections have alike is told once, with its number and place; --json has all of it."""
    for count in (3, 4, 12):
        capture = Capture()
        for i in range(count):
            client = Client(capture, i, [("timestamp", "DOUBLE")], 40001 + i)
            client.package(i + 0.1, 1.0 + i)
            capture.segment(i + 0.2, client.robot, client.client, b"", 0x14)
        found, told = told_of(capture)
        expect((count, "resets in JSON"), sum(one["id"] == "tcp.reset" for one in found["findings"]) == count, found)
        expect((count, "resets told"), len(re.findall(r"error tcp.reset \S+ \S+ \S+ the robot reset", told)) == (count if count < 4 else 1), told)
        rest = {3: "", 4: "and 3 more, also in streams 1, 2, 3, up to packet 44 (12:00:03.200Z)",
                12: "and 11 more, also in streams 1, 2, 3, ..., up to packet 132 (12:00:11.200Z)"}[count]
        expect((count, "rest"), rest in told if rest else " in streams " not in told, told)
    for count in (3, 4, 7):
        capture = Capture()
        client = Client(capture, 0, [("timestamp", "DOUBLE"), ("safety_mode", "INT32")])
        for i in range(500 * count):
            client.package(0.1 + i * 0.008, 1 + i * 0.008, 3 if i % 500 > 250 else 1)
        found, told = told_of(capture)
        packets = [one["packet"] for one in found["incidents"]]
        expect((count, "stops in JSON"), len(packets) == count, packets)
        expect((count, "stops told"), told.count("Responsible side: ") == (count if count < 4 else 1), told)
        expect((count, "the rest of them"), re.findall(r"The same happened (\d+) more times, the last time at 12:\S+ \(packet (\d+)\)", told)
               == ([] if count < 4 else [(str(count - 1), str(packets[-1]))]), packets, told)


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
    listed = set(COMMANDS)
    names = set(run(("fields", "--names"), 0).split())
    cases = list(without_sample())
    for path in samples():
        cases += of_sample(path)
    tried = {words[0] for words in cases if words and words[-1] != "--help"}
    expect("each command is tried, or prints for programs", listed - tried == {*FOR_PROGRAMS, "help", "watch"}, listed - tried)
    check_commands()
    check_tones()
    check_length()
    check_alike()
    cases = share(cases, 15, "commands for people")
    with ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda words: check(words, names), cases))
        painted = list(pool.map(check_colours, cases))
        plain = list(pool.map(check_colours, share((words for path in samples() for words in for_programs(path)), 15, "commands for programs")))
    expect("most of them have colours, and none for programs", sum(painted) > 0.5 * sum(printed) and not any(plain),
           sum(painted), sum(plain))
    expect("most of them print something", sum(printed) > (0.9 if ALL else 0.7) * len(cases), sum(printed), len(cases))


main()
sys.exit(finish())
