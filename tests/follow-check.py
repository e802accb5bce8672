#!/usr/bin/env python3
"""Rows of a live source appear at once: as with `nc ROBOT 30003 | armtap export -`, also through gzip; Ctrl-C ends it with
all rows so far. The same for a growing file with --follow, whatever happens to the file."""
import json
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib
from functools import partial

from tally import expect, finish, side_by_side

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 20  # seconds, of a machine that does much else
PAUSE = 0.15  # so long that patience ends before a buffer is full, and what is kept back until then is missed
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup


def packet(clock):
    return struct.pack(">I152d", 1220, clock, *[0.0] * 151)


class Plain:
    def bytes_of(self, data):
        return data

    def end(self):
        return b""


class Gzip:
    """Like a program that compresses without holding data back."""

    def __init__(self):
        self.packer = zlib.compressobj(wbits=31)

    def bytes_of(self, data):
        return self.packer.compress(data) + self.packer.flush(zlib.Z_SYNC_FLUSH)

    def end(self):
        return self.packer.flush()


def begin(*options):
    return subprocess.Popen([ARMTAP, "export", "-", "--raw", "realtime", "--fields", "timestamp", *options],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def feed(program, way):
    """Sends packets until two lines appear; returns these and the number of packets."""
    came, count, end = b"", 0, time.monotonic() + PATIENCE
    while came.count(b"\n") < 2 and time.monotonic() < end:
        program.stdin.write(way.bytes_of(packet(1 + count * 0.008)))
        program.stdin.flush()
        count += 1
        if select.select([program.stdout], [], [], PAUSE)[0]:
            came += os.read(program.stdout.fileno(), 65536)
    return came, count


def follow(way, *options):
    """Returns the lines that appeared before the end of the input, and all lines."""
    program = begin(*options)
    came, count = feed(program, way)
    program.stdin.write(way.end())
    program.stdin.close()
    rest = program.stdout.read()
    return came.splitlines(), (came + rest).splitlines(), count, program.wait()


def interrupt(way, *options):
    """The same for an endless source, after Ctrl-C."""
    program = begin(*options)
    came, count = feed(program, way)
    program.send_signal(signal.SIGINT)
    patience = threading.Timer(PATIENCE, program.kill)
    patience.start()
    rest = program.stdout.read()
    patience.cancel()
    return came.splitlines(), (came + rest).splitlines(), count, program.wait()


def judge(what, early, lines, wanted, status, wanted_status=0):
    expect(what, len(early) >= 2 and len(lines) == wanted and status == wanted_status,
           f"{len(early)} lines before the end, {len(lines)} of {wanted}, status {status}")


def piped(way, *options, header):
    early, lines, count, status = follow(way(), *options)
    judge((way.__name__, *options), early, lines, count + header, status)


def interrupted(way, wanted, threads):
    """gzip data without its trailer is a truncated file."""
    early, lines, count, status = interrupt(way(), "-f", "csv", "--threads", threads)
    judge((way.__name__, "Ctrl-C", threads), early, lines, count + 1, status, wanted)


# ---- --follow ---------------------------------------------------------------------------------------------------------


def header():
    """A capture's header and the beginning of a connection."""
    return struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101) + captured(0, flags=2, from_robot=False) + \
        captured(0, flags=18)


def captured(count, flags=16, from_robot=True, size=1108, robot=2):
    """A packet of a capture: record `count` of a legacy stream, or, with other flags, one without data."""
    payload = struct.pack(">I%dd" % (size // 8), size, 1 + count * 0.008, *[0.0] * (size // 8 - 1)) if flags == 16 else b""
    ports = (30003, 50000) if from_robot else (50000, 30003)
    hosts = (bytes([10, 0, 0, robot]), b"\x0a\0\0\x09")[::1 if from_robot else -1]
    data = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), count & 0xffff, 0, 64, 6, 0) + hosts[0] + hosts[1] + \
        struct.pack(">HHIIBBHHH", *ports, (flags & 2 == 0) + count * size, flags != 2, 0x50, flags, 64240, 0, 0) + payload
    return struct.pack("<IIII", 1000 + count // 125, count % 125 * 8000, len(data), len(data)) + data


class Followed:
    """armtap COMMAND --follow of a file that this writes."""

    def __init__(self, name, *command, way=None, before=b""):
        self.way = way or Plain()
        self.file = open(name, "wb", buffering=0)
        self.grow(before)
        self.program = subprocess.Popen([ARMTAP, *command, "--follow", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.out = b""

    def grow(self, data):
        self.file.write(self.way.bytes_of(data))

    def read_until(self, text, count=1):
        end = time.monotonic() + PATIENCE
        while self.out.count(text) < count and time.monotonic() < end:
            if select.select([self.program.stdout], [], [], 0.1)[0]:
                more = os.read(self.program.stdout.fileno(), 65536)
                if not more:
                    break
                self.out += more
        return self.out.count(text) >= count

    def end(self, how=signal.SIGINT):
        if how:
            self.program.send_signal(how)
        rest, message = self.program.communicate(timeout=PATIENCE)
        self.file.close()
        self.out += rest
        return self.program.returncode, message.decode()


def follow_growing(name, way, cut):
    """Rows appear before anything more is written, whatever part of the next packet is there already."""
    run = Followed(name, "export", "--fields", "timestamp", way=way)
    stream = header() + b"".join(captured(i) for i in range(30))
    one = len(captured(0))
    at = 0
    for rows in 2, 3, 10, 29:
        upto = len(header()) + rows * one + cut
        run.grow(stream[at:upto])
        at = upto
        expect((name, cut, rows, "rows come"), run.read_until(b"\n", rows + 1), run.out)
        expect((name, cut, rows, "and no more"), run.out.count(b"\n") == rows + 1, run.out)
    status, message = run.end()
    expect((name, cut, "Ctrl-C"), status == 0 and message == "" and run.out.count(b"\n") == 30, status, message)


def follow_moved(what):
    """Replaced or removed: reported once, and the file that was opened is still followed."""
    run = Followed("x.pcap", "export", "--fields", "timestamp", before=header() + captured(0) + captured(1))
    run.read_until(b"\n", 3)
    if what == "another file":
        open("new", "wb").write(header())
        os.rename("new", "x.pcap")
    else:
        os.rename("x.pcap", "old")
    run.grow(captured(2))
    expect((what, "goes on"), run.read_until(b"\n", 4), run.out)
    time.sleep(0.5)
    status, message = run.end()
    expect((what, "is said"), status == 0 and message.count(what) == 1 and "x.pcap" in message, status, message)


def follow_cut():
    """An error."""
    run = Followed("x.pcap", "export", "--fields", "timestamp", before=header() + captured(0) + captured(1))
    run.read_until(b"\n", 3)
    os.truncate("x.pcap", 24)
    end = time.monotonic() + PATIENCE
    while run.program.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    ended = run.program.poll()
    status, message = run.end(None if ended is not None else signal.SIGINT)
    expect("cut", ended == 2 and status == 2 and "x.pcap" in message and "truncated the file" in message and run.out.count(b"\n") == 3,
           ended, message)


def overwrite(name, data):
    """At once: the file is never shorter meanwhile."""
    with open(name, "r+b", buffering=0) as file:
        file.write(data)


def copy_over(name, data):
    """As cp does."""
    with open(name, "wb") as file:
        file.write(data)


OLD = header() + b"".join(captured(i) for i in range(4))
MORE = b"".join(captured(i) for i in range(4, 9))
OTHER_TIME = OLD[:24 + 4] + b"\1" + OLD[24 + 5:] + MORE
OTHER_END = OLD[:-9] + b"\1" + OLD[-8:] + MORE
OTHER_ROBOT = header() + b"".join(captured(i, robot=3) for i in range(9))


def follow_written_anew(what, act, new, *words):
    """No table has rows of two captures: bytes before the current position changed, anywhere."""
    run = Followed("x.pcap", "export", "--fields", "timestamp", before=OLD)
    run.read_until(b"\n", 5)
    act("x.pcap", new)
    try:
        run.program.wait(2)
    except subprocess.TimeoutExpired:
        pass
    ended = run.program.poll()
    status, message = run.end(None if ended is not None else signal.SIGINT)
    expect(("file was rewritten", what), ended == 2 and status == 2 and "x.pcap" in message and any(word in message for word in words) and
           run.out.count(b"\n") == 5, ended, message, run.out)


def follow_written_longer():
    run = Followed("x.pcap", "export", "--fields", "timestamp", before=OLD)
    run.read_until(b"\n", 5)
    overwrite("x.pcap", OLD + MORE)
    expect("the same, longer", run.read_until(b"\n", 10), run.out)
    status, message = run.end()
    expect("the same, longer, ends", status == 0 and message == "" and run.out.count(b"\n") == 10, status, message)


def follow_with_diagnose(how):
    run = Followed("x.pcap", "diagnose", before=header() + captured(0) + captured(1))
    run.grow(captured(0, flags=2, from_robot=False, robot=3) + captured(0, flags=20, robot=3))
    expect(("found meanwhile", how), run.read_until(b"10.0.0.3:30003 refused 10.0.0.9"), run.out)
    early = run.out
    status, message = run.end(how)
    expect(("report", how), status == 1 and b"remedies" in run.out[len(early):] and message == "", status, message, run.out)


def follow_with_info():
    run = Followed("x.pcap", "info", "--json", before=header() + captured(0))
    run.grow(b"".join(captured(i) for i in range(1, 50)))
    time.sleep(1)
    status, message = run.end()
    whole = subprocess.run([ARMTAP, "info", "--json", "x.pcap"], capture_output=True, check=False)
    expect("info", status == whole.returncode and json.loads(run.out) == json.loads(whole.stdout), status, message, run.out)


def follow_a_beginning(data, words):
    run = Followed("x.pcap", "info", before=data)
    time.sleep(1)
    status, message = run.end()
    expect(("a beginning", len(data)), status == 2 and words in message, status, message)


def follow_is_for_files():
    open("x.pcap", "wb").close()
    os.mkfifo("fifo")
    for arguments, word in (("-",), "standard input"), (("-i", "lo"), "-i"), (("fifo",), "fifo"), (("x.pcap", "-"), "standard input"):
        done = subprocess.run([ARMTAP, "export", "--follow", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
                              check=False)
        expect(("refused", arguments), done.returncode == 2 and word in done.stderr.decode() and
               "--follow" in done.stderr.decode(), done)
    done = subprocess.run([ARMTAP, "compare", "--follow", "x.pcap"], capture_output=True, timeout=PATIENCE, check=False)
    expect("not of compare", done.returncode == 2 and b"no use for --follow here" in done.stderr, done)


side_by_side(
    *(partial(piped, way, *options, header=lines) for way in (Plain, Gzip)
      for options, lines in ((("-f", "csv"), 1), (("-f", "ndjson"), 0), (("-f", "csv", "--threads", "1"), 1),
                             (("-f", "csv", "--threads", "3"), 1))),
    *(partial(interrupted, way, wanted, threads) for way, wanted in ((Plain, 0), (Gzip, 2)) for threads in "13"),
    *(partial(follow_growing, "x.pcap", Plain(), cut) for cut in (0, 1, 100)),
    partial(follow_growing, "x.pcap.gz", Gzip(), 100),
    *(partial(follow_moved, what) for what in ("another file", "renamed or removed")),
    follow_cut,
    partial(follow_written_anew, "another first packet", overwrite, OTHER_TIME, "file was rewritten"),
    partial(follow_written_anew, "another last packet", overwrite, OTHER_END, "file was rewritten"),
    partial(follow_written_anew, "as long as it was", overwrite, OTHER_END[:len(OLD)], "file was rewritten"),
    partial(follow_written_anew, "cp", copy_over, OTHER_ROBOT, "file was rewritten", "truncated the file"),
    follow_written_longer,
    *(partial(follow_with_diagnose, how) for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    follow_with_info,
    partial(follow_a_beginning, b"", "is empty"),
    partial(follow_a_beginning, header()[:2], "after 2 bytes, inside the file header"),
    follow_is_for_files)
sys.exit(finish())
