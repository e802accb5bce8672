#!/usr/bin/env python3
"""`armtap serve` on ports that armtap does not decode: clients of the primary and secondary interface get the captured
messages, whole, in order, at their times; the dashboard server answers as it did; only what the capture lacks is
imitated. What was captured is known from the capture's own making."""
import contextlib
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)
import capture  # pylint: disable=wrong-import-position
import wire  # pylint: disable=wrong-import-position
from robot import Robot  # pylint: disable=wrong-import-position
from sessions import robot_state, version_message  # pylint: disable=wrong-import-position
from tally import expect, finish, is_sanitized, until  # pylint: disable=wrong-import-position

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 30  # s until a condition must have come true
PORTS = (30004, 30001, 30002, 30011, 29999)
NAMES = ("timestamp", "actual_q", "robot_mode")
STATE, TEXT = 16, 20


class Serve:
    def __init__(self, *words, last=29999):
        self.program = subprocess.Popen([ARMTAP, "serve", "--ports", ",".join("%d=0" % port for port in PORTS), *words],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.lines, self.port = [], {}
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        until("it listens", lambda: last in self.port or self.program.poll() is not None)

    def read(self):
        for line in self.program.stderr:
            self.lines.append(line)
            match = re.search(r"armtap: (\d+): .* listens on 127\.0\.0\.1:(\d+)$", line)
            if match:
                self.port[int(match[1])] = int(match[2])

    def said(self, words):
        return any(words in line for line in list(self.lines))

    def connect(self, port):
        return socket.create_connection(("127.0.0.1", self.port[port]), PATIENCE)

    def memory(self):
        with open("/proc/%d/status" % self.program.pid) as file:
            return 0 if is_sanitized() else int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) * 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait(PATIENCE)
        self.reader.join()


def read_all(end, times=None):
    """Until the end of the connection; when each message came, at the latest."""
    data, at = b"", 0
    with contextlib.suppress(ConnectionError):
        while more := end.recv(65536):
            data += more
            while times is not None and len(data) - at >= 4 and len(data) - at >= (size := struct.unpack_from(">I", data, at)[0]):
                times.append(time.monotonic())
                at += size
    return data


def cut(data):
    """Messages with their headers."""
    found = []
    while data:
        size = struct.unpack_from(">I", data)[0]
        if not 5 <= size <= len(data):
            found.append(data)
            break
        found.append(data[:size])
        data = data[size:]
    return found


# ---- captures -----------------------------------------------------------------------------------------------------------


def state(robot, step, first):
    """A state of the robot; without kinematics and configuration unless it is the first."""
    whole = robot_state(robot, step)
    return whole if first else wire.primary(STATE, b"".join(
        wire.sub_package(kind, "%ds" % len(body), body) for kind, body in wire.sub_packages(whole[5:]).items() if kind < 5))


def text(words):
    return wire.primary(TEXT, struct.pack(">QBB", 1 << 40, 253, 0) + words.encode())


def messages(robot, begin, end, label):
    """(time, message): what a client gets on connecting, states ten times a second, a text after every fifth."""
    found = [(begin, version_message((5, 11, 0, 108249))), (begin, wire.primary(24, struct.pack(">22d", *range(22)))),
             (begin + 0.001, state(robot, int(begin * robot.hz), True))]
    for i in range(1, int((end - begin) * 10)):
        now = begin + i * 0.1
        found.append((now, state(robot, int(now * robot.hz), False)))
        if i % 5 == 0:
            found.append((now + 0.03, text("%s %d" % (label, i))))
    return found


def from_robot(said):
    return [(when, "robot", data) for when, data in said]


def of_robot(robot, seconds):
    return capture.rtde(robot, NAMES, int(seconds * robot.hz), divisor=20)


# ---- messages -----------------------------------------------------------------------------------------------------------


def check_played(path):
    """Byte for byte, on both ports at once and at every speed; in time where there is a pace; in each round."""
    robot = Robot()
    primary, secondary = messages(robot, 0.05, 2.9, "primary"), messages(robot, 0.2, 2.9, "secondary")
    packets = capture.spoken(30001, 42001, 0.05, from_robot(primary), 500)
    packets[9], packets[11] = [(packets[9 + i][0], packets[11 - i][1]) for i in (0, 2)]  # in another order
    capture.write(path, of_robot(robot, 3), packets, capture.spoken(30002, 42002, 0.2, from_robot(secondary)))
    wanted = {30001: b"".join(data for _, data in primary), 30002: b"".join(data for _, data in secondary)}
    for speed in ("max", "10", "1"):
        with Serve("--paused", "--speed", speed, path) as serve:
            expect("sources", serve.said("from the capture: ports 30001, 30002, 30011; simulated: 29999"), serve.lines)
            expect("titles", serve.said("30001: the captured primary") and serve.said("30002: the captured secondary"), serve.lines)
            times, got, begun = {}, {}, time.monotonic()
            ends = {port: serve.connect(port) for port in (30002, 30001)}
            readers = [threading.Thread(target=lambda port=port: got.update({port: read_all(ends[port], times.setdefault(port, []))}))
                       for port in ends]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
            # the second client comes a moment after the first, which begins the play
            expect("30002 at speed " + speed, got[30002] == wanted[30002], len(got[30002]), len(wanted[30002]))
            late = cut(got[30001])
            expect("30001 at speed " + speed, late == [data for _, data in primary][:3] + ([data for _, data in primary][-(len(late) - 3):]
                                                                                          if len(late) > 3 else []), len(late))
            if speed != "max":
                whens = [when for when, _ in secondary]
                took, least = times[30002][-1] - begun, (whens[-1] - whens[0]) / float(speed)
                expect("not faster than recorded", took > least * 0.95 and len(times[30002]) == len(whens), took, least)
    with Serve("--paused", "--speed", "max", "--loop", path) as serve:
        end, data = serve.connect(30011), b""
        later = b"".join(data for _, data in primary[3:])
        rounds = b"".join(data for _, data in primary[:3]) + 3 * later
        while len(data) < len(rounds):
            data += end.recv(65536)
        expect("rounds, and the read-only twin", data[:len(rounds)] == rounds)


def check_middle(path):
    """A connection whose beginning was not captured, with a hole: whole messages only; the beginning is imitated."""
    robot = Robot()
    said = messages(robot, 0.05, 2.9, "primary")[3:]
    packets = capture.spoken(30001, 42001, 0.05, from_robot(said), 300)[3:]
    data = [packet for packet in packets if len(packet[1]) > 40]
    lost = data[:2] + data[20:22]  # the head of the first message, parts of others
    whole = {b"".join(data for _, data in said).find(data): data for _, data in said}
    holes, at = [], 0
    for packet in data:
        size = len(packet[1]) - 40
        if packet in lost:
            holes.append((at, at + size))
        at += size
    left = [data for at, data in sorted(whole.items()) if not any(a < at + len(data) and at < b for a, b in holes)]
    capture.write(path, of_robot(robot, 3), [packet for packet in packets if packet not in lost])
    for words, invented in ((("--stub", "dashboard"), 0), ((), 2)):
        with Serve("--paused", "--speed", "max", *words, path) as serve:
            got = cut(read_all(serve.connect(30001)))
            expect("what is whole", got[invented:] == left, len(got), len(left), [len(one) for one in got], [len(one) for one in left])
            expect("said", serve.said("simulated: the primary interface") == (invented > 0), serve.lines)
            expect("imitated beginning", invented == 0 or [one[4] for one in got[:2]] == [TEXT, STATE])


def check_silence(path):
    """A connection that ended early: states are imitated from a second later on, not with --gaps keep."""
    robot = Robot()
    said = messages(robot, 0.05, 0.6, "primary")
    capture.write(path, of_robot(robot, 4), capture.spoken(30001, 42001, 0.05, from_robot(said)))
    whole = [data for _, data in said]
    for words, filled in ((("--gaps", "keep"), False), ((), True)):
        with Serve("--paused", "--speed", "max", *words, path) as serve:
            got = cut(read_all(serve.connect(30001)))
            expect("what was captured", got[:len(whole)] == whole, len(got), len(whole))
            expect("then states, ten a second", 20 <= len(got) - len(whole) <= 26 if filled else len(got) == len(whole), len(got))
            expect("of the imitation", {one[4] for one in got[len(whole):]} == ({STATE} if filled else set()))


# ---- the dashboard server -----------------------------------------------------------------------------------------------


def ask(end, *lines):
    end.sendall(b"".join(line + b"\n" for line in lines))
    with end.makefile("rb") as file:
        return [file.readline() for _ in lines]


def check_dashboard(path):
    """The first reply before anything is played; the latest one at the playing position; else the imitation's."""
    robot = Robot()
    said = [(0.0, "robot", b"Connected: a dashboard of our own\n")]
    for when, request, reply in ((0.2, b"robotmode", b"Robotmode: IDLE"), (0.3, b"play", b"Starting program"),
                                 (0.4, b"x" * 300, b"too long"), (4.0, b"robotmode", b"Robotmode: BACKDRIVE"),
                                 (4.1, b"robotmode", b"Robotmode: BACKDRIVE")):
        said += [(when, "client", request + b"\r\n"), (when + 0.01, "robot", reply + b"\n")]
    greeting = [(0.0, "robot", b"Connected: a dashboard of our own\n")]
    other = greeting + [(0.01, "client", b"quit\n"), (0.02, "robot", b"Disconnected by us\n")]
    lame = greeting + [(0.01, "client", b"running\n"), (0.02, "robot", b"Program running: perhaps\n")]
    broken = capture.spoken(29999, 43003, 0.0, lame)
    broken = [packet for packet in broken if b"running\n" not in packet[1]]  # the request is missing
    capture.write(path, of_robot(robot, 40), capture.spoken(29999, 43001, 0.0, said), capture.spoken(29999, 43002, 0.0, other),
                  broken, capture.spoken(30001, 42001, 0.05, from_robot(messages(robot, 0.05, 39, "primary"))))
    with Serve("--paused", "--speed", "4", path) as serve:
        expect("sources", serve.said("from the capture: ports 30001, 30011, 29999; simulated: 30002"), serve.lines)
        end = serve.connect(29999)
        with end.makefile("rb") as file:
            expect("the captured greeting", file.readline() == b"Connected: a dashboard of our own\n")
        got = ask(end, b"robotmode", b"play", b"robotmode \r")
        expect("first replies", got == [b"Robotmode: IDLE\n", b"Starting program\n", b"Robotmode: IDLE\n"], got)
        expect("imitated where nothing was captured", ask(end, b"safetymode", b"running") ==
               [b"Safetymode: NORMAL\n", b"Program running: false\n"])
        player, data = serve.connect(30001), b""
        while b"primary 50" not in data:  # 5.05 s of the capture were played
            data += player.recv(65536)
        expect("the latest reply", ask(end, b"robotmode") == [b"Robotmode: BACKDRIVE\n"])
        expect("the end", ask(end, b"quit") == [b"Disconnected by us\n"] and end.recv(1) == b"")
    with Serve("--paused", "--stub", "none", path) as serve:
        expect("captured only", 30002 not in serve.port and ask(serve.connect(29999), b"") is not None, serve.lines)


# ---- hostile captures ---------------------------------------------------------------------------------------------------


def served(path):
    """What clients get of a capture that nobody recorded; how much memory it took."""
    with Serve("--paused", "--speed", "max", "--stub", "none", path, last=30011) as serve:
        data, memory = serve.connect(30001), [0]
        watch = threading.Event()

        def look():
            while not watch.wait(0.05):
                with contextlib.suppress(OSError, TypeError):
                    memory[0] = max(memory[0], serve.memory())
        looker = threading.Thread(target=look)
        looker.start()
        got = read_all(data)
        watch.set()
        looker.join()
        return got, memory[0]


def check_hostile(path):
    robot = Robot()
    good = [data for _, data in messages(robot, 0.3, 0.9, "good")]
    limit = 96 << 20
    for label, bad in (("4 GB", struct.pack(">IB", 0xffffffff, STATE)), ("2 GB", struct.pack(">IB", 0x7fffffff, STATE)),
                       ("sizes below 5", b"".join(struct.pack(">IB", size, STATE) for size in range(5))),
                       ("64 KB that never come", struct.pack(">IB", 65535, STATE) + b"\0" * 40000),
                       ("an odd type", struct.pack(">IB", 6, 77) + b"\0")):
        said = from_robot([(0.1, good[0]), (0.1, good[2]), (0.15, bad), *((0.3 + 0.02 * i, one) for i, one in enumerate(good))])
        capture.write(path, of_robot(robot, 1), capture.spoken(30001, 42001, 0.05, said))
        got, memory = served(path)
        expect("%s: what is whole after it" % label, got.startswith(good[0] + good[2]) and
               (b"".join(good[3:]) in got or label.startswith("64")), len(got))
        expect("%s: memory" % label, memory < limit, memory)
    tiny = b"\0\0\0\5\x14" * 280
    said = from_robot([(0.1, good[0]), (0.1, good[2])] + [(0.2 + i * 0.0008, tiny) for i in range(715)])
    capture.write(path, of_robot(robot, 1), capture.spoken(30001, 42001, 0.05, said))
    got, memory = served(path)
    expect("200,000 tiny messages", got == good[0] + good[2] + tiny * 715, len(got))
    expect("tiny: memory", memory < limit, memory)
    said = [(0.1, "robot", b"hello\n"), (0.2, "client", b"robotmode\n"), (0.21, "robot", b"y" * (1 << 20) + b"\n"),
            (0.3, "client", b"z" * (1 << 20) + b"\n"), (0.31, "robot", b"what?\n"), (0.4, "client", b"play\n"),
            (0.41, "robot", b"no\n")]
    capture.write(path, of_robot(robot, 1), capture.spoken(29999, 42001, 0.05, said))
    with Serve("--paused", path) as serve:
        end = serve.connect(29999)
        with end.makefile("rb") as file:
            expect("its greeting", file.readline() == b"hello\n")
        got = ask(end, b"robotmode", b"play")  # which line answers which is not certain behind such lines
        expect("lines of 1 MB", got == [b"Robotmode: RUNNING\n", b"Failed to execute: play\n"], got)
        expect("lines: memory", serve.memory() < limit, serve.memory())


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.pcap")
        for check in (check_played, check_middle, check_silence, check_dashboard, check_hostile):
            check(path)
    return finish()


sys.exit(main())
