#!/usr/bin/env python3
"""Output on a terminal: tables and texts fit its width, whatever it is."""
import difflib
import os
import re
import subprocess
import sys

from tally import expect, finish
from terminal import Terminal

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
WIDTHS = (40, 64, 80, 100, 132)


def on_terminal(width, *words):
    """The program's output on a terminal of that width; 0: one of unknown width."""
    with Terminal(width) as terminal:
        with subprocess.Popen([ARMTAP, *words], stdout=terminal.theirs, stderr=subprocess.DEVNULL,
                              env=dict(os.environ, NO_COLOR="1")) as program:
            return terminal.read(program).decode().replace("\r\n", "\n")


def unbroken(text):
    """Commands that were broken to fit are one line again, as a shell reads them."""
    return re.sub(r" \\\n +", " ", text)


def text_of(paragraphs):
    return " ".join(paragraphs.split())


def check_width(*words):
    """No line is wider, the words are the same for any width, and lines use the width they have."""
    told, longest = set(), {}
    for width in WIDTHS:
        text = on_terminal(width, *words)
        longest[width] = max(len(line) for line in text.splitlines())
        expect(("no wider than", width), longest[width] <= max(width, *map(len, text.split())), longest[width], text)
        told.add(text_of(text))
    expect("the same words", len(told) == 1, *told)
    expect("as wide as there is room", longest[64] < longest[80] < longest[132], longest)


def check_unknown(*words):
    """Unknown width: like a pipe, and like 80."""
    piped = subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, check=False).stdout.decode()
    for width in 0, 80:
        shown = unbroken(on_terminal(width, *words))
        expect((words, width), shown == piped, *difflib.unified_diff(piped.splitlines(), shown.splitlines(), n=0))


def check_columns():
    """COLUMNS wins over what the terminal says, within bounds, and not in a pipe; what is no number is ignored."""
    listed = {width: on_terminal(width, "diagnose", "--list") for width in (40, 80, 132)}
    for said, wanted in ("132", 132), ("40", 40), ("1", 40), ("-5", 80), ("", 80), ("wide", 80):
        os.environ["COLUMNS"] = said
        expect(("COLUMNS", said), on_terminal(80, "diagnose", "--list") == listed[wanted])
    os.environ["COLUMNS"] = "132"
    piped = subprocess.run([ARMTAP, "diagnose", "--list"], stdout=subprocess.PIPE, check=False).stdout.decode()
    expect("a pipe is as wide as ever", piped == listed[80])
    del os.environ["COLUMNS"]


def check_table():
    """info's table of streams has one line for each if there is room, otherwise two."""
    path = os.path.join(SAMPLES, "several-clients.pcapng")
    for width, lines in (132, 7), (64, 14):
        table = on_terminal(width, "info", path).split("\n\n")[1]
        expect(("lines of the table", width), table.count("\n") + 1 == lines, table)


def coloured(words, terminal, **environment):
    """Whether the output has escape sequences, and the output without them."""
    environment = {**{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLICOLOR_FORCE")},
                   "TERM": "xterm", **environment}
    if terminal:
        with Terminal(80) as shown, subprocess.Popen([ARMTAP, *words], stdout=shown.theirs, stderr=subprocess.DEVNULL,
                                                     env=environment) as program:
            text = unbroken(shown.read(program).decode().replace("\r\n", "\n"))
    else:
        text = subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
                              check=False).stdout.decode()
    return "\033[" in text, re.sub("\033\\[[0-9;]*m", "", text)


def check_colours():
    """auto: on terminals, unless the environment refuses; always and never win over it. The words are the same."""
    words = "diagnose", os.path.join(SAMPLES, "rtde-refused.pcap")
    plain = coloured((*words, "--color=never"), False)[1]
    for option, terminal, environment, wanted in (
            ((), True, {}, True), ((), False, {}, False), ((), True, {"NO_COLOR": "1"}, False),
            ((), True, {"NO_COLOR": ""}, True), ((), True, {"TERM": "dumb"}, False),
            (("--color", "auto"), True, {}, True), (("--color", "auto"), False, {}, False),
            (("--color", "always"), False, {}, True), (("--color", "always"), False, {"NO_COLOR": "1"}, True),
            (("--color", "always"), True, {"TERM": "dumb"}, True), (("--color", "never"), True, {}, False),
            (("--color", "never"), True, {"CLICOLOR_FORCE": "1"}, False), ((), False, {"CLICOLOR_FORCE": "1"}, True),
            ((), False, {"CLICOLOR_FORCE": "0"}, False)):
        is_coloured, text = coloured((*words, *option), terminal, **environment)
        expect((option, terminal, environment), is_coloured == wanted, text)
        expect(("the words", option, terminal, environment), text == plain, text)
    for machine in (("info", "--json", words[1]), ("diagnose", "--json", words[1]), ("plot", os.path.join(SAMPLES, "rtde-stop.pcap")),
                    ("export", os.path.join(SAMPLES, "rtde-stop.pcap")), ("recipe", "--columns", "2-7")):
        expect(("never in", machine), not coloured((*machine, "--color", "always"), False)[0])


os.environ.pop("COLUMNS", None)
check_width("diagnose", "--list")
check_unknown("diagnose", "--list")
check_unknown("diagnose", os.path.join(SAMPLES, "rtde-refused.pcap"))
check_table()
check_columns()
check_colours()
sys.exit(finish())
