#!/usr/bin/env python3
"""The gate of advice: each option that a message of a long-running command names is one that this command has, by its own
--help, or that of the command which the message names before it. Messages are found in the sources that the command is made
of, since few of them can be provoked in a test."""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import expect, finish  # noqa: E402

TOP = os.environ.get("srcdir", ".")
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
RECORDING = ["tools/record/%s.c" % name for name in ("capture_series", "capture_file", "kept_parts", "part_name", "rotation")]
ROBOTS = ["tools/input/robots/robot_*.c", "tools/base/os/posix/tcp_socket.c", "lib/client/*.c"]
COMMANDS = {"record": [*RECORDING, *ROBOTS, "tools/record/cmd_record.c", "tools/command_line/robot_request.c"], "proxy": [*RECORDING, "tools/proxy/*.c"],
            "serve": [*ROBOTS, "tools/serve/*.c", "tools/serve/*/*.c"]}
STRING = r'"(?:[^"\\\n]|\\.)*"'
TEXT = re.compile(r"%s(?:(?:\s|PRI\w+)*%s)*" % (STRING, STRING))
OPTION = re.compile(r"armtap ([a-z]+)|(--[a-z][a-z-]*)|[;,]")


def texts(source):
    """The literals of C, joined as the compiler does."""
    source = re.sub(r"/\*.*?\*/", " ", source, flags=re.S)
    source = re.sub(r"^#include.*$", "", source, flags=re.M)
    for found in TEXT.finditer(source):
        yield "".join(one[1:-1] for one in re.findall(STRING, found[0]))


def options_of(command, known={}):
    if command not in known:
        done = subprocess.run([ARMTAP, command, "--help"], capture_output=True, text=True, check=False)
        known[command] = set(re.findall(r"--[a-z][a-z-]*", done.stdout)) if done.returncode == 0 else None
    return known[command]


def advice(command, source):
    """Each option with the command it is for."""
    for text in texts(source):
        of = command
        for found in OPTION.finditer(text):
            if found[2]:
                yield of, found[2], text
            elif not found[1] or options_of(found[1]) is not None:
                of = found[1] or command


own = list(advice("proxy", '"give --rotate, " /* "--no" */ "or armtap" " fields --json; or --keep"'))
expect("self-test", [one[:2] for one in own] == [("proxy", "--rotate"), ("fields", "--json"), ("proxy", "--keep")], own)
for command, patterns in COMMANDS.items():
    names = sorted({name for pattern in patterns for name in glob.glob(os.path.join(TOP, pattern))})
    expect(command + ": sources", len(names) >= len(patterns))
    for name in names:
        with open(name, encoding="utf-8") as file:
            for of, option, text in advice(command, file.read()):
                expect("%s: %s names %s, which armtap %s lacks: %s" % (command, os.path.relpath(name, TOP), option, of, text),
                       option in options_of(of))
sys.exit(finish())
