#!/usr/bin/env python3
"""What diagnose shows of a live source: findings at once, a status line only on a terminal, and the whole report after a
signal. The source is a growing pipe, and for root also the loopback interface."""
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from functools import partial

from tally import expect, finish, side_by_side
from terminal import Terminal

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 20  # seconds, of a machine that does much else
PORT = 30004
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup


def header():
    return struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)


def packet(now, robot, from_robot, flags, seq, ack, payload=b""):
    """Of a client of 10.0.0.<robot>."""
    ports = (PORT, 50000) if from_robot else (50000, PORT)
    hosts = (b"\x0a\0\0" + bytes([robot]), b"\x0a\0\0\x09")[::1 if from_robot else -1]
    data = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0) + hosts[0] + hosts[1] + \
        struct.pack(">HHIIBBHHH", *ports, seq, ack, 0x50, flags, 64240, 0, 0) + payload
    return struct.pack("<IIII", int(now), int(now % 1 * 1e6), len(data), len(data)) + data


def refusal(now, robot):
    return packet(now, robot, False, 2, 1000, 0) + packet(now, robot, True, 20, 0, 1001)


def data(now, count):
    """Port 30004 carries a legacy stream here: a packet of 1108 bytes."""
    return packet(now, 2, True, 16, 1 + 1108 * count, 1, struct.pack(">I138d", 1108, 1 + count * 0.008, *[0.0] * 137))


class Run:
    def __init__(self, *options, stderr=subprocess.DEVNULL, source="-"):
        self.program = subprocess.Popen([ARMTAP, "diagnose", *options, *([source] if source else [])], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=stderr)
        self.out = b""
        self.fed = 0  # packets of data: the robot goes on where it was
        if source == "-":
            self.send(header())

    def send(self, data):
        self.program.stdin.write(data)
        self.program.stdin.flush()

    def read(self, seconds):
        if select.select([self.program.stdout], [], [], seconds)[0]:
            self.out += os.read(self.program.stdout.fileno(), 65536)

    def feed_until(self, text, limit=PATIENCE):
        """Sends data until the text appears."""
        end = time.monotonic() + limit
        while text not in self.out and time.monotonic() < end:
            self.send(data(time.time(), self.fed))
            self.fed += 1
            self.read(0.05)
        return text in self.out

    def end(self, how):
        if how:
            self.program.send_signal(how)
        else:
            self.program.stdin.close()
        end = time.monotonic() + PATIENCE
        while self.program.poll() is None and time.monotonic() < end:
            self.read(0.05)
        self.program.kill()
        self.out += self.program.stdout.read()
        return self.program.wait()


LINE = re.compile(rb"^[-0-9]{10}T[:0-9]{8}\.\d{3}Z error tcp\.refused packet \d+: 10\.0\.0\.(\d):30004 refused 10\.0\.0\.9$",
                  re.MULTILINE)


def findings_come(how):
    """While the source is live, and again in the report, however it ends."""
    run = Run()
    run.send(refusal(time.time(), 3))
    expect("a finding comes (%s)" % how, run.feed_until(b"10.0.0.3:30004 refused"), run.out)
    run.send(refusal(time.time(), 4))
    expect("and another (%s)" % how, run.feed_until(b"10.0.0.4:30004 refused"), run.out)
    expect("a line each", LINE.findall(run.out) == [b"3", b"4"], run.out)
    early = run.out
    status = run.end(how)
    report = run.out[len(early):].decode()
    expect("whole report after %s" % how, status == 1 and "2 errors: " not in early.decode() and
           re.search(r"^2 errors\b", report, re.MULTILINE) and "modes of stream" not in early.decode() and
           "remedies" in report and "realtime" in report, (status, report))


def tries_again():
    """A client that tries again is reported once, and when it connects."""
    run = Run()
    for i in range(5):
        run.send(packet(time.time(), 3, False, 2, 1000 + i, 0) + packet(time.time(), 3, True, 20, 0, 1001 + i))
    run.send(packet(time.time(), 3, False, 2, 2000, 0) + packet(time.time(), 3, True, 18, 0, 2001))
    expect("connected", run.feed_until(b"connected at"), run.out)
    expect("twice in all", run.out.count(b"tcp.refused") == 2, run.out)
    run.end(None)


def one_object():
    """--json is one object at the end."""
    run = Run("--json")
    run.send(refusal(time.time(), 3))
    run.feed_until(b"refused", 2)
    expect("nothing before the end", run.out == b"", run.out)
    status = run.end(signal.SIGINT)
    expect("one object", status == 1 and
           [f["id"] for f in json.loads(run.out)["findings"] if f["severity"] == "error"] == ["tcp.refused"], run.out)


def short_pipe():
    """What unpacks a file gives only the report."""
    for _ in range(5):  # a busy machine may take a second for it
        run = Run()
        run.send(refusal(time.time(), 3) + data(time.time(), 0))
        status = run.end(None)
        if run.out.startswith(b"incidents\n"):
            break
    expect("a short pipe", status == 1 and run.out.startswith(b"incidents\n"), run.out)


def flood():
    """It is thinned: ten are shown at once, then one a second, with how many came before it. A busy machine shows more."""
    run = Run()
    begin, sent = time.monotonic(), 240
    run.send(b"".join(refusal(time.time(), i) for i in range(10, 10 + sent)))
    left_out = re.compile(rb" refused 10\.0\.0\.9 \((\d+) more before it\)\n")
    while not left_out.search(run.out) and sent < 246:  # the last one may come within a second of one that was shown
        run.feed_until(b"never", 1.2)
        run.send(refusal(time.time(), 10 + sent))
        run.feed_until(b"10.0.0.%d:30004" % (10 + sent), 1)
        sent += 1
    shown, most = run.out.count(b"tcp.refused"), min(29, 12 + time.monotonic() - begin)
    expect("flood", shown <= most and sum(map(int, left_out.findall(run.out))) + shown == sent, sent, run.out)
    expect("flood of 240", run.out.count(b"\n") < 30, run.out.count(b"\n"))
    run.end(None)


def line_of_state():
    with Terminal(100) as terminal:
        run = Run(stderr=terminal.theirs)
        shown, end = b"", time.monotonic() + PATIENCE
        while shown.count(b" records/s") < 3 and time.monotonic() < end:
            run.feed_until(b"never", 0.3)
            if select.select([terminal.ours], [], [], 0)[0]:
                shown += os.read(terminal.ours, 65536)
        run.end(signal.SIGINT)
        shown += terminal.read(run.program)
    expect("drawn", re.search(rb"\r\x1b\[K\d+\.\d records/s, \d+ records; \d+ packets; 0 bytes lost", shown), shown)
    expect("erased", shown.endswith(b"\r\x1b[K"), shown)
    expect("not mixed with the report", b"records/s" not in run.out, run.out)


def no_line_of_state():
    run = Run(stderr=subprocess.PIPE)
    run.feed_until(b"never", 2.5)
    run.end(signal.SIGINT)
    expect("not without a terminal", run.program.stderr.read() == b"")


def may_not_capture(run):
    """Whether the program ended because this user may not."""
    if run.program.poll() is None:
        return False
    error = run.program.stderr.read().decode()
    expect("lo", "may not capture" in error or "cannot capture" in error,
           "ended with status %s, and said: %s" % (run.program.returncode, error or "nothing"))
    print("lo was not tried:", error.strip())
    return True


def loopback():
    """Where this user may capture: nobody listens on the port, and nobody else can."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    run = Run("-i", "lo", "--port", "%d=rtde" % taken.getsockname()[1], stderr=subprocess.PIPE, source=None)
    end = time.monotonic() + PATIENCE
    while b"refused" not in run.out and run.program.poll() is None and time.monotonic() < end:
        with socket.socket() as client:
            client.connect_ex(taken.getsockname())
        run.read(0.2)
    if may_not_capture(run):
        return
    expect("lo", b"tcp.refused" in run.out, run.out)
    status = run.end(signal.SIGTERM)
    expect("lo's report", status == 1 and b"remedies" in run.out, run.out)


def silence():
    """A robot that falls silent is reported while no packet comes at all."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    run = Run("-i", "lo", "--port", "%d=realtime" % port, stderr=subprocess.PIPE, source=None)
    run.read(1)  # until it listens
    if may_not_capture(run):
        return
    with socket.create_connection(("127.0.0.1", port)) as client:
        robot = listener.accept()[0]
        for i in range(120):
            robot.sendall(struct.pack(">I138d", 1108, 1 + i * 0.008, *[0.0] * 137))
            client.recv(65536)
            run.read(0.008)
        expect("not while data comes", b"silence" not in run.out, run.out)
        stopped = time.monotonic()
        while b"so far" not in run.out and time.monotonic() < stopped + PATIENCE:
            run.read(0.2)
        expect("silence", re.search(rb" warning silence 127\.0\.0\.1:%d packet \d+: no data for \d+\.\d s so far" % port, run.out) and
               time.monotonic() > stopped + 1.9, run.out)
        run.read(2.5)
        expect("once", run.out.count(b"so far") == 1, run.out)
        robot.close()
    run.end(signal.SIGTERM)


side_by_side(*(partial(findings_come, how) for how in (None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)), tries_again,
             one_object, short_pipe, flood, line_of_state, no_line_of_state, loopback, silence)
sys.exit(finish())
