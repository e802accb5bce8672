#!/usr/bin/env python3
"""docs/in-pandas.md: its commands and its Python run in order, and the data in pandas is compared with Python's csv, json
and float: every value to the last bit, every time to the nanosecond. Skipped without pandas."""
import csv
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

from pages import blocks
from tally import lacks

TOP = os.path.abspath(os.environ.get("srcdir", "."))
DEBIAN = "/usr/bin/python3"


def bits(number):
    return struct.pack(">d", number)


def check_csv(name, frame, pandas):
    with gzip.open(name, "rt", newline="") as file:
        rows = list(csv.reader(file))
    assert list(frame.columns) == rows[0] and len(frame) == len(rows) - 1 > 10, name
    values = 0
    for column, name_of in enumerate(rows[0]):
        for row, value in zip(rows[1:], frame[name_of]):
            text = row[column]
            if text == "":
                assert pandas.isna(value), (name_of, value)
            elif isinstance(value, float):
                assert bits(value) == bits(float(text)), (name_of, text, value)
            else:
                assert str(value) == text, (name_of, text, value)
            values += 1
    assert str(frame["time_ns"].dtype) == "int64"
    return values


def check_json(name, frame):
    with gzip.open(name, "rt") as file:
        objects = [json.loads(line) for line in file]
    assert len(frame) == len(objects) > 10
    for (_, row), wanted in zip(frame.iterrows(), objects):
        for key, value in wanted.items():
            got = row[key]
            assert got == value and type(value)(got) == value, (key, got, value)
    return len(objects)


def check_join(streams, both):
    """Beside each record of the first robot the newest of the second, by hand."""
    others = [(row["time_ns"], row["actual_q_0"]) for _, row in streams[1].iterrows()]
    assert len(both) == len(streams[0]) > 10
    for time, joint in zip(both["time_ns"], both["actual_q_0_1"]):
        newest = [value for when, value in others if time - 10_000_000 <= when <= time]
        assert newest and newest[-1] == joint or not newest and joint != joint, (time, joint)


def main():
    try:
        import pandas
    except ImportError:
        if sys.executable != DEBIAN and os.path.exists(DEBIAN):
            os.execv(DEBIAN, [DEBIAN] + sys.argv)
        lacks("pandas (Debian: python3-pandas)", "the page's Python")
        return 77
    found = blocks(os.path.join(TOP, "docs", "in-pandas.md"))
    assert [language for language, _ in found].count("python") >= 5 <= len(found)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(TOP, "captures"), os.path.join(folder, "captures"))
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(os.path.abspath(os.environ.get("ARMTAP", "./armtap")), os.path.join(folder, "bin", "armtap"))
        os.environ["PATH"] = os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"]
        os.chdir(folder)
        names = {}
        for language, text in found:
            if language == "sh":
                subprocess.run(["sh", "-e", "-c", text], check=True)
            else:
                exec(compile(text, "docs/in-pandas.md", "exec"), names)  # pylint: disable=exec-used
        robot, cell, lines = names["robot"], names["cell"], names["lines"]
        values = check_csv("robot.csv.gz", robot, pandas) + check_csv("cell.csv.gz", cell, pandas)
        assert [time.value for time in robot.index] == list(robot["time_ns"]), "to the nanosecond"
        assert sum(len(part) for part in names["parts"]) == len(robot) and names["joints"].shape == (len(robot), 6)
        assert len(names["holes"]) == 0 and len(names["parts"]) == 1
        check_join(names["streams"], names["both"])
        print("%d values of csv and %d lines of json are equal in pandas %s" %
              (values, check_json("robot.ndjson.gz", lines), pandas.__version__))
        with gzip.open("robot.ndjson.gz", "wt", encoding="utf-8") as file:  # denormal numbers
            file.write('{"time":1700000000.009000000,"timestamp":5e-324,"actual_q":[2.2250738585072011e-308,-1.5]}\n')
        block, = (text for language, text in found if language == "python" and "robot.ndjson.gz" in text)
        exec(compile(block, "docs/in-pandas.md", "exec"), names)  # pylint: disable=exec-used
        assert list(names["lines"]["timestamp"]) == [5e-324], names["lines"]
        assert list(names["lines"]["actual_q"]) == [[2.2250738585072011e-308, -1.5]], names["lines"]
        os.chdir("/")
    return 0


sys.exit(main())
