#!/usr/bin/env python3
"""armtap plot on terminals: it asks what the terminal shows and believes nothing else. Sixels, read by a decoder of their own,
and kitty's parts are the picture of -f png; terminals without pictures, mute ones, and those that would print a question get
an error that says what to do; their settings are as before, and what was typed ahead is still there."""
import base64
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from functools import partial

from png import read_png
from tally import expect, finish, share

ARMTAP = os.path.abspath(os.environ["ARMTAP"])
SAMPLE = os.path.join(os.environ.get("srcdir", "."), "captures", "driver-stop.pcap.gz")
KITTY_QUESTION, QUESTION = b"\x1b_G", b"\x1b[c"
CHOICE = ["--fields", "actual_q", "--stream", "0"]


def on_terminal(answer, *options, term="xterm-256color", pixels=640, typed=b"", foreground=True):
    """Status, what the terminal was sent, and the error text. `answer` is given once the attributes are asked for."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, pixels, 400))
    usual = termios.tcgetattr(theirs)
    os.write(ours, typed)

    def begin():
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)

    job = [] if foreground else ["sh", "-c", 'set -m; "$@" & wait $!', "sh"]
    program = subprocess.Popen([*job, ARMTAP, "plot", *options, SAMPLE], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=subprocess.PIPE, start_new_session=True, preexec_fn=begin, env=dict(os.environ, TERM=term))
    sent, answered = b"", False
    while program.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.05)[0]:
            sent += os.read(ours, 65536)
        if QUESTION in sent and answer and not answered:
            os.write(ours, answer)
            answered = True
    said = program.stderr.read()
    program.stderr.close()
    expect((term, answer, "the terminal's settings are as before"), termios.tcgetattr(theirs) == usual)
    os.write(ours, b"\n")
    left = os.read(theirs, 1000)
    expect((term, answer, "what was typed ahead is still there, and no more"), left == (typed or b"\n"), left)
    os.close(ours)
    os.close(theirs)
    return program.returncode, sent.replace(b"\r\n", b"\n").replace(typed, b""), said


def png_of(*options):
    return subprocess.run([ARMTAP, "plot", "-f", "png", *options, SAMPLE], capture_output=True, check=True).stdout


def read_sixels(text):
    """The rows of pixels (red, green, blue) of a picture in sixels."""
    head = re.match(rb'\x1bP0;1;0q"1;1;(\d+);(\d+)', text)
    width, height = int(head[1]), int(head[2])
    rows, colours, now, x, y = [[None] * width for _ in range(height)], {}, None, 0, 0
    for token in re.finditer(rb"#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|(\$)|(-)", text[head.end():text.index(b"\x1b\\")]):
        if token[2]:
            colours[int(token[1])] = tuple(int(one) * 255 // 100 for one in token.groups()[1:4])
        elif token[1]:
            now = colours[int(token[1])]
        elif token[8] or token[9]:
            x, y = 0, y + (6 if token[9] else 0)
        else:
            bits = (token[6] or token[7])[0] - 63
            for _ in range(int(token[5] or 1)):
                for row in range(6):
                    if bits >> row & 1:
                        rows[y + row][x] = now
                x += 1
    return width, rows


def check_sixel(answer, *options, width, **how):
    status, sent, said = on_terminal(answer, *CHOICE, *options, **how)
    expect((answer, "status 0"), status == 0, status, said)
    if status != 0:
        return
    got, rows = read_sixels(sent[sent.index(b"\x1bP"):])
    _, wanted = read_png(png_of(*CHOICE, "--width", str(width)))
    expect((answer, "as wide as it should be"), got == width, got)
    expect((answer, "as high"), len(rows) == len(wanted))
    expect((answer, "no pixel is left out"), all(pixel is not None for row in rows for pixel in row))
    apart = [max(abs(a - b) for a, b in zip(pixel, other)) for row, right in zip(rows, wanted) for pixel, other in zip(row, right)]
    far = sum(one > 12 for one in apart)  # colours that are rare get the nearest of 256
    expect((answer, "the pixels of PNG"), far * 100 < len(apart) and max(apart) < 90, far, max(apart))


def check_kitty(answer):
    status, sent, said = on_terminal(answer, *CHOICE)
    expect("kitty: status 0", status == 0, said)
    parts = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", sent[sent.rindex(QUESTION):])
    expect("kitty: parts", len(parts) > 2 and all(len(text) <= 4096 for _, text in parts), len(parts))
    expect("kitty: the first says what it is", parts[0][0] == b"a=T,f=100,q=2,m=1", parts[0][0])
    expect("kitty: each says whether more follows", [one[0] for one in parts[1:]] == [b"m=1"] * (len(parts) - 2) + [b"m=0"])
    expect("kitty: PNG", base64.b64decode(b"".join(text for _, text in parts)) == png_of(*CHOICE, "--width", "640"))


def check_none(what, answer, asks=True, **how):
    begin = time.monotonic()
    status, sent, said = on_terminal(answer, *CHOICE, **how)
    expect((what, "status 2, and what to do"), status == 2 and b"-o robot.svg" in said, status, said)
    expect((what, "asked" if asks else "not asked"), (QUESTION in sent) == asks, sent)
    expect((what, "nothing but questions"), sent.replace(QUESTION, b"").startswith(KITTY_QUESTION) or sent in (b"", QUESTION), sent)
    expect((what, "soon"), time.monotonic() - begin < 5)


def main():
    if b"built without libcairo" in subprocess.run([ARMTAP, "--version"], capture_output=True, check=True).stdout:
        check_none("built without libcairo", None, asks=False)
        return finish()
    cases = [
        partial(check_sixel, b"\x1b[?62;4;22c", width=640),
        partial(check_sixel, b"\x1b[?63;1;2;4c", "-o", "-", width=640),
        partial(check_sixel, b"\x1b[?62;4c", width=800, pixels=0),
        partial(check_sixel, b"\x1b[?62;4c", "--width", "500", width=500),
        partial(check_sixel, b"\x1b[?62;4c", width=1200, pixels=5000),
        partial(check_sixel, b"\x1b[?1;2;4c", width=640, term="tmux-256color"),
        partial(check_kitty, b"\x1b_Gi=31;OK\x1b\\\x1b[?62;c"),
        partial(check_kitty, b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"),
        partial(check_none, "no sixels", b"\x1b[?64;1;14;40;24c"),
        partial(check_none, "a class of 4", b"\x1b[?4;6c"),
        partial(check_none, "kitty refuses", b"\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\\x1b[?6c"),
        partial(check_none, "nonsense", b"\x1b[?\x00;4;\xff" + b"9" * 300),
        partial(check_none, "mute", None),
        partial(check_none, "typed ahead", None, asks=False, typed=b"ls -l\n"),
        partial(check_none, "in the background", b"\x1b[?62;4c", asks=False, foreground=False)]
    cases += [partial(check_none, "TERM=" + term, None, asks=False, term=term) for term in ("dumb", "linux", "")]
    for case in share(cases, 9, "terminals"):
        case()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
