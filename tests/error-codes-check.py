#!/usr/bin/env python3
"""armtap fields --error against UR's list (unit/data/robot_errors.csv): codes, arguments, joints, titles; how codes may be
written; what it says of codes that the list lacks; what diagnose, info and report advise about an error."""
import csv
import html
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import primary_wire  # noqa: E402
from tally import expect, finish  # noqa: E402

ARMTAP = os.environ.get("ARMTAP", "./armtap")
VIOLATION, WARNING = 3, 2  # of a report
PLACES = re.compile(r"\{(\w+)\}")


def run(*words):
    return subprocess.run([ARMTAP, "fields", "--error", *words], capture_output=True, text=True, check=False)


def found(*words):
    return json.loads(run(*words, "--json").stdout)


def listed():
    with open(os.path.join(HERE, "unit", "data", "robot_errors.csv"), newline="") as file:
        return [{"code": int(row["code"]), "argument": int(row["argument"]) if row["argument"] else None,
                 "joint": row["joint"].lower() or None, "title": row["title"], "all_arguments": row["arguments"] == "all",
                 "name": "C" + row["code"] + ("A" + row["argument"] if row["argument"] else "")} for row in csv.DictReader(file)]


def check_list():
    wanted, shown = listed(), found()
    expect("every code and argument, in order", [one["name"] for one in shown] == [one["name"] for one in wanted],
           len(shown), len(wanted))
    for one, row in zip(wanted, shown):
        expect(one["name"], one == {key: row[key] for key in one}, row, one)
        expect(one["name"] + " has a meaning where it has an argument", (row["meaning"] is None) == (row["argument"] is None), row)
        expect(one["name"] + ": what stands for data",
               set(PLACES.findall(row["title"] + (row["meaning"] or ""))) <= {"float", "signed", "unsigned", "hex", "string", "deviceName"}, row)
    text = run().stdout
    expect("text: a line begins with each", {one["name"] for one in wanted} == set(re.findall(r"^ {0,2}(C\d+(?:A\d+)?) ", text, re.M)))
    expect("text: at most 80 columns", max(map(len, text.splitlines())) <= 80)


def check_codes():
    for written in "C204A3", "c204a3", "204A3", "204:3", "C204:3":
        expect(written, [one["name"] for one in found(written)] == ["C204A3"], found(written))
    expect("C204", [one["name"] for one in found("C204")] == ["C204"] + ["C204A%d" % i for i in range(1, 8)], found("C204"))
    expect("a joint", found("C153A2")[0]["joint"] == "elbow", found("C153A2"))
    words = {one["name"] for one in found("Sudden STOP")}
    expect("words of a meaning", words == {"C204A3"}, words)
    titles = {one["code"] for one in found("path sanity")}
    expect("words of a title", titles == {204}, titles)


def check_unknown():
    row, text = found("C204A99"), run("C204A99").stdout
    expect("an argument that is not in the list", [(one["name"], one["meaning"]) for one in row] == [("C204A99", None)], row)
    expect("says so", "UR's list does not name this argument" in text and "Path sanity check failed" in text, text)
    part = next(one["code"] for one in listed() if not one["all_arguments"])
    text = run("C%dA99999" % part).stdout
    expect("an argument that this table may lack", "UR's list has more arguments than this table" in text, text)
    for written in "C999", "C204A", "C204A3x", "C-1", "99999999999999999999999", "C204A99999999999999999999", "\x1b[31m", "":
        done = run(written)
        if written:
            expect(repr(written), done.returncode == 2 and not done.stdout and "nothing in UR's list" in done.stderr
                   and "\x1b" not in done.stderr, done)
        else:
            expect("an empty text is in every title", done.returncode == 0 and done.stdout == run().stdout)
    for words in ("--enum", "robot_mode"), ("--columns", "1"), ("C204", "C205"):
        expect(words, run(*words).returncode == 2, run(*words))


def diagnosed(folder, code, argument, level):
    """What diagnose, info and report say of a capture whose one finding is this error."""
    path = os.path.join(folder, "one.pcap")
    capture = primary_wire.Capture(30001)
    capture.send_states(primary_wire.regular_parts(), 3)
    capture.send("robot", 0.5, primary_wire.robot_message(6, struct.pack(">iiiII", code, argument, level, 1, 0)))
    with open(path, "wb") as file:
        file.write(capture.bytes)
    return [subprocess.run([ARMTAP, *words, path], capture_output=True, text=True, check=False).stdout
            for words in (["diagnose"], ["info"], ["report", "-o", "-"])]


def check_remedies(folder):
    """They have the code and its advice; where there is nothing to say, nothing announces it."""
    advice = {one["code"]: one["advice"] for code in ("C153A2", "C204A3") for one in found(code)}
    expect("codes with advice", all(len(advice[code]) > 20 for code in (153, 204)), advice)
    for code, argument, level in (153, 2, VIOLATION), (204, 3, VIOLATION), (153, 2, WARNING):
        for command, text in zip(("diagnose", "info", "report"), diagnosed(folder, code, argument, level)):
            expect((code, level, command, "code"), "armtap fields --error C%dA%d" % (code, argument) in text, text[:3000])
            expect((code, level, command, "advice"), advice[code] in html.unescape(" ".join(text.split())), text[:3000])
            expect((code, level, command, "no word to replace"), "--error CODE" not in text, text[:3000])
    for text in diagnosed(folder, 99999, 7, WARNING):
        expect("an unknown code is reported", "C99999A7" in text, text)
        wrong = re.search(r"(?im)^what to do.*|to do:\s*$|ur\.warning: *$|<h2>What to do", text)
        expect("and no remedy announced", not wrong, wrong, text[:3000])


check_list()
check_codes()
check_unknown()
with tempfile.TemporaryDirectory() as room:
    check_remedies(room)
sys.exit(finish())
