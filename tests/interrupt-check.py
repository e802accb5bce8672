#!/usr/bin/env python3
"""Ctrl-C, SIGTERM and SIGHUP end the program within a second, whatever it waits for: a slow pipe, a pipe that nobody opens,
a silent interface, a growing file, a reader that does not read. Reading a live source ends with complete output, any
other work is aborted, and no stray file is left."""
import os
import signal
import struct
import subprocess
import sys
import time
from functools import partial

from tally import expect, finish, side_by_side

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
LIMIT = 1.0
ATTEMPTS = 5  # a busy machine may be late; a program that waits is late each time
PATIENCE = 20
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup


def raw(count, first=0):
    return b"".join(struct.pack(">I138d", 1108, 1 + i * 0.008, *[0.0] * 137) for i in range(first, first + count))


class Run:
    def __init__(self, *arguments, stdout=subprocess.PIPE, stdin=subprocess.PIPE):
        self.program = subprocess.Popen([ARMTAP, *arguments], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE)

    def end(self, how):
        """Returns how many seconds it takes to end; kills it after PATIENCE."""
        begin = time.monotonic()
        self.program.send_signal(how)
        try:
            self.program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.program.kill()
        took = time.monotonic() - begin
        self.message = self.program.stderr.read().decode()
        self.program.wait()
        for pipe in self.program.stdin, self.program.stdout, self.program.stderr:
            try:
                if pipe:
                    pipe.close()
            except BrokenPipeError:
                pass
        return took


def wait_for(truth):
    end = time.monotonic() + PATIENCE
    while not truth() and time.monotonic() < end:
        time.sleep(0.01)
    return truth()


def is_waiting(run):
    """The program waits: only a signal makes it continue."""
    with open("/proc/%d/stat" % run.program.pid) as file:
        state = file.read().rsplit(")", 1)[1].split()[0]
    return state in "SZ"


def ends(what, begin, judge, signals=SIGNALS):
    """`begin` starts a run and lets it reach its wait; `judge` gets it when it has ended."""
    for how in signals:
        for attempt in range(ATTEMPTS):
            run = begin()
            time.sleep(0.2)
            took = run.end(how)
            if took < LIMIT:
                break
        expect((what, how.name, "in time"), took < LIMIT, took)
        judge((what, how.name), run)


def no_more_than(*names):
    return sorted(os.listdir(".")) == sorted(names)


def slow_pipe():
    def begin():
        run = Run("export", "-", "--raw", "realtime", "--fields", "timestamp", "-o", "x.csv")
        run.program.stdin.write(raw(3) + raw(1, 3)[:500])
        run.program.stdin.flush()
        wait_for(lambda: any(name == "x.csv.partial" for name in os.listdir(".")))
        return run

    def judge(what, run):
        expect((what, "whole"), run.program.returncode == 0 and no_more_than("x.csv") and open("x.csv").read().count("\n") == 4,
               run.program.returncode, run.message, os.listdir("."))
        os.remove("x.csv")

    ends("slow pipe", begin, judge)


def nobody_writes(*command):
    os.mkfifo("fifo")

    def begin():
        run = Run(*command, "fifo")
        wait_for(lambda: is_waiting(run))
        return run

    def judge(what, run):
        expect((what, "nothing came"), run.program.returncode == 2 and no_more_than("fifo"), run.program.returncode, run.message,
               os.listdir("."))

    ends(("nobody writes", command), begin, judge, SIGNALS[:1] if command[0] == "info" else SIGNALS)


def nobody_reads():
    os.mkfifo("fifo")

    def begin():
        run = Run("export", "-", "--raw", "realtime", "-f", "csv", "-o", "fifo")
        time.sleep(0.2)
        return run

    def judge(what, run):
        expect((what, "said"), run.program.returncode == 2 and "fifo" in run.message and no_more_than("fifo"), run.program.returncode,
               run.message)

    ends("nobody reads", begin, judge)


def full_pipe(*command):
    def begin():
        run = Run(*command)
        os.set_blocking(run.program.stdin.fileno(), False)
        end, idle = time.monotonic() + PATIENCE, 0
        data = raw(200)
        while idle < 5 and time.monotonic() < end:  # until both pipes are full
            try:
                os.write(run.program.stdin.fileno(), data)
                idle = 0
            except BlockingIOError:
                idle += 1
                time.sleep(0.05)
        return run

    def judge(what, run):
        expect((what, "ended"), run.program.returncode != -signal.SIGKILL and "panic" not in run.message, run.program.returncode,
               run.message)

    ends(("nobody reads", command), begin, judge)


def header():
    return struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)


def packets(first, count):
    out = []
    for i in range(first, first + count):
        payload = raw(1, i)
        data = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), i & 0xffff, 0, 64, 6, 0) + b"\x0a\0\0\2\x0a\0\0\x09" + \
            struct.pack(">HHIIBBHHH", 30003, 50000, (1 + i * 1108) & 0xffffffff, 1, 0x50, 16, 64240, 0, 0) + payload
        out.append(struct.pack("<IIII", 1000 + i // 125, i % 125 * 8000, len(data), len(data)) + data)
    return b"".join(out)


def big_files():
    """In the middle of the work: with --follow all that was read is written, otherwise nothing."""
    with open("big.pcap", "wb") as file:
        file.write(header() + packets(0, 40000))

    def begin_followed():
        run = Run("export", "--follow", "big.pcap", "-o", "x.csv")
        wait_for(lambda: any(name == "x.csv.partial" and os.path.getsize(name) > 0 for name in os.listdir(".")))
        return run

    def judge_followed(what, run):
        whole = os.path.exists("x.csv") and open("x.csv").read()
        expect((what, "whole rows"), run.program.returncode == 0 and no_more_than("big.pcap", "x.csv") and whole.endswith("\n") and
               len({line.count(",") for line in whole.splitlines()}) == 1, run.program.returncode, run.message, os.listdir("."))
        if os.path.exists("x.csv"):
            os.remove("x.csv")

    def begin_export(*options):
        run = Run("export", "big.pcap", "-o", "x.csv", *options)
        wait_for(lambda: any(name.endswith(".partial") and os.path.getsize(name) > 0 for name in os.listdir(".")))
        return run

    def judge_export(what, run):
        done = run.program.returncode == 0 and os.path.exists("x.csv")  # it may have been faster
        expect((what, "nothing"), done or (run.program.returncode == 2 and no_more_than("big.pcap") and
                                           "interrupted; nothing was written" in run.message), run.program.returncode, run.message,
               os.listdir("."))
        for name in "x.csv", "x.0.csv":
            if os.path.exists(name):
                os.remove(name)

    ends("followed", begin_followed, judge_followed)
    ends("export", begin_export, judge_export)
    os.remove("big.pcap")


def silent_interface():
    def begin():
        run = Run("diagnose", "-i", "lo", "--filter", "tcp port 9")
        time.sleep(0.5)
        return run

    run = begin()
    if run.program.poll() is not None:
        print("lo was not tried:", run.program.stderr.read().decode().strip())
        return
    run.end(signal.SIGINT)
    ends("silent interface", begin, lambda what, run: expect(what, run.program.returncode == 2 and "no telemetry" in run.message,
                                                             run.program.returncode, run.message))


def nohup():
    """An ignored SIGHUP stays ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    run = Run("export", "-", "--raw", "realtime", "--fields", "timestamp")
    signal.signal(signal.SIGHUP, before)
    time.sleep(0.3)
    run.program.send_signal(signal.SIGHUP)
    time.sleep(1.2)
    run.program.stdin.write(raw(3))
    out = run.program.communicate(timeout=PATIENCE)[0]
    expect("nohup", run.program.returncode == 0 and out.count(b"\n") == 4, run.program.returncode, out)


UNOPENED = ("export", "-o", "x.csv"), ("info",), ("diagnose",), ("export", "-f", "ndjson")
FULL = ("export", "-", "--raw", "realtime"), ("export", "-", "--raw", "realtime", "--threads", "1")
side_by_side(slow_pipe, *(partial(nobody_writes, *command) for command in UNOPENED), nobody_reads,
             *(partial(full_pipe, *command) for command in FULL), big_files, silent_interface, nohup)
sys.exit(finish())
