#!/usr/bin/env python3
"""What people get on a terminal: tables and texts as wide as it is, of whatever width."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
WIDTHS = (40, 64, 80, 100, 132)


def on_terminal(width, *words):
    """What the program writes to a terminal of that width; 0: one that does not know its width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = dict(os.environ, NO_COLOR="1")
    with subprocess.Popen([ARMTAP, *words], stdout=slave, stderr=subprocess.DEVNULL, env=environment) as program:
        os.close(slave)
        written = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError: # Linux: the other end is closed
                break
            if not more:
                break
            written += more
    os.close(master)
    return written.decode().replace("\r\n", "\n")


def text_of(paragraphs):
    return " ".join(paragraphs.split())


def check_width(words):
    """No line is wider, and the words are the same for any width. Where lines can be longer they are."""
    told, longest = set(), {}
    for width in WIDTHS:
        text = on_terminal(width, *words)
        lines = text.splitlines()
        longest[width] = max(len(line) for line in lines)
        assert longest[width] <= width or longest[width] == max(len(word) for word in text.split()), (width, lines)
        told.add(text_of(text))
    assert len(told) == 1, told
    assert longest[64] < longest[80] < longest[132], longest


def check_unknown(words):
    piped = subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, check=False).stdout.decode()
    assert on_terminal(0, *words) == piped == on_terminal(80, *words), words


def check_table():
    """info's table of streams has a line each where there is room, and two where there is none."""
    path = os.path.join(SAMPLES, "several-clients.pcapng")
    wide, narrow = (on_terminal(width, "info", path).split("\n\n")[1].splitlines() for width in (132, 64))
    assert len(wide) == 6 and len(narrow) == 12, (wide, narrow)


def main():
    failed = passed = 0
    checks = [(check_width, ["diagnose", "--list"]), (check_unknown, ["diagnose", "--list"]),
              (check_unknown, ["diagnose", os.path.join(SAMPLES, "rtde-refused.pcap")]), (check_table, None)]
    for check, words in checks:
        try:
            check(*([] if words is None else [words]))
            passed += 1
        except AssertionError as difference:
            print("FAIL %s(%s): %r" % (check.__name__, words, difference))
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
