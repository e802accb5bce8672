#!/usr/bin/env python3
"""Clients that speak a protocol to a port that carries another: what was spoken, and to which port, is said in one finding and
one incident, whatever the robot does then; clients that speak what the port carries, and ports that are forwarded, are clean."""
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import primary_wire  # noqa: E402
import tally  # noqa: E402
from robot_capture import Capture, message  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
NAMES = ["timestamp", "actual_q", "actual_current", "robot_mode", "runtime_state"]
TYPES = ["DOUBLE", "VECTOR6D", "VECTOR6D", "INT32", "UINT32"]
REALTIME, PRIMARY, RTDE, DASHBOARD, AUBO = "realtime", "primary", "rtde", "dashboard", "aubo"
CARRIES = {30001: PRIMARY, 30002: PRIMARY, 30011: PRIMARY, 30012: PRIMARY, 30003: REALTIME, 30013: REALTIME, 30004: RTDE,
           29999: DASHBOARD, 30010: AUBO}
SCRIPT_PORTS = (30001, 30002, 30003)
GREETING = b"Connected: Universal Robots Dashboard Server\n"


def set_up(version=2):
    body = struct.pack(">d", 125) if version > 1 else b""
    return message("O", body + ",".join(NAMES).encode())


# What clients say first: (protocol, segments of bytes).
SPOKEN = {
    "rtde": (RTDE, [message("V", b"\0\2"), set_up(), message("S")]),
    "rtde 3": (RTDE, [message("V", b"\0\3"), message("V", b"\0\2"), message("v"), set_up()]),
    "rtde in one": (RTDE, [message("V", b"\0\2") + message("v") + set_up() + message("S")]),
    "rtde version only": (RTDE, [message("V", b"\0\2")]),
    "rtde 1": (RTDE, [set_up(1), message("S")]),
    "rtde 1 long": (RTDE, [message("O", ",".join(NAMES * 9).encode()), message("S")]),
    "rtde release": (RTDE, [message("v"), set_up(1)]),
    "brake release": (DASHBOARD, [b"brake release\n", b"brake release\n"]),
    "play": (DASHBOARD, [b"load main.urp\n", b"play\n"]),
    "robotmode": (DASHBOARD, [b"robotmode\n"] * 5),
    "safetystatus": (DASHBOARD, [b"safetystatus\r\n"]),
    "polyscope": (DASHBOARD, [b"PolyscopeVersion\n"]),
    "unlock": (DASHBOARD, [b"close safety popup\nunlock protective stop\n"]),
    "movej": ("script", [b"movej([0.1,-1.5,1.2,-1.3,-1.5,0.2], a=1.4, v=1.05)\n"]),
    "program": ("script", [b"def prog():\n  set_digital_out(1, True)\n", b"  movel(p[0.2,0.3,0.4,0,3.1,0], a=1.2)\nend\n"]),
    "assignment": ("script", [b"global speed = 0.25\n", b"textmsg(\"hello\")\n"]),
    "aubo": (AUBO, [b'[100,{"chanel":1,"frequency":50,"segments":["R1_actual_q"],"to_server":false}]']),
    "get": ("http", [b"GET / HTTP/1.1\r\nHost: 10.0.0.2\r\nUser-Agent: curl/8\r\n\r\n"]),
    "post": ("http", [b"POST /api/v1/state HTTP/1.1\r\n", b"Host: 10.0.0.2:30003\r\nContent-Length: 2\r\n\r\n{}"]),
    "tls": ("tls", [b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + bytes(range(32)) + bytes(130)]),
}


class Robot:
    """A controller that sends what its port carries, at a rate, and does not answer what it does not know."""

    def __init__(self, capture, port, client_port=40000, hz=125.0, client_is_first=False, at=0.0, size=1220,
                 robot="10.0.0.2", client="10.0.0.1"):
        self.capture, self.port, self.hz, self.time, self.size = capture, port, hz, at, size
        self.robot, self.client = (robot, port), (client, client_port)
        self.clock, self.parts = 100.0, primary_wire.regular_parts()
        self.carries = CARRIES.get(port, "")
        self.send("c", b"", 0x02)
        self.send("r", b"", 0x12)
        self.send("c", b"", 0x10)
        if not client_is_first:
            self.unasked()

    def send(self, side, payload, flags=0x18):
        source, target = (self.client, self.robot) if side == "c" else (self.robot, self.client)
        for at in range(0, max(1, len(payload)), 1448):
            self.capture.segment(self.time, source, target, payload[at:at + 1448], flags)
            self.time += 0.0002

    def data(self):
        self.clock += 1 / self.hz
        if self.carries == REALTIME:
            cells = [self.clock] + [0.25 * i + 0.01 * self.clock for i in range(1, 85)] + [0.0] * ((self.size - 4) // 8 - 85)
            for column, value in ((95, 7), (102, 1), (132, 1), *((96 + i, 253) for i in range(6))):
                if column <= len(cells):
                    cells[column - 1] = value
            return struct.pack(">I%dd" % len(cells), self.size, *cells)
        return primary_wire.state([part.pack(self.value) for part in self.parts])

    def value(self, _layout, row):
        """Of a robot that runs, and does not move."""
        name = row[1]
        return {"timestamp": int(self.clock * 1e6), "robotMode": 7, "safetyMode": 1, "jointMode": 253, "controlMode": 0,
                "isRobotPowerOn": 1, "isRealRobotEnabled": 1, "isRealRobotConnected": 1}.get(name, 0)

    def unasked(self):
        """What the robot sends by itself, once."""
        if self.carries == DASHBOARD:
            self.send("r", GREETING)
        elif self.carries == PRIMARY:
            self.send("r", primary_wire.version(5, 12, 0))
            self.send("r", self.data())
        elif self.carries == REALTIME:
            self.send("r", self.data())

    def stream(self, seconds, acknowledge=True):
        """Goes on for some seconds."""
        end = self.time + seconds
        while self.time < end:
            if self.carries in (REALTIME, PRIMARY):
                begun = self.time
                self.send("r", self.data())
                if acknowledge:
                    self.send("c", b"", 0x10)
                self.time = max(self.time, begun + 1 / self.hz)
            else:
                self.time = end

    def say(self, segments, apart=0.002):
        for segment in segments:
            self.send("c", segment)
            self.send("r", b"", 0x10)
            if self.carries == DASHBOARD and segment.endswith(b"\n"):
                for line in segment.rstrip(b"\n").split(b"\n"):
                    self.send("r", b"could not understand: '" + line.rstrip(b"\r") + b"'\n")
            self.time += apart

    def end(self, how):
        if how == "client":
            self.send("c", b"", 0x11)
            self.send("r", b"", 0x11)
            self.send("c", b"", 0x10)
        elif how == "robot":
            self.send("r", b"", 0x11)
            self.send("c", b"", 0x11)
            self.send("r", b"", 0x10)
        elif how == "client reset":
            self.send("c", b"", 0x14)
        elif how == "robot reset":
            self.send("r", b"", 0x14)


def is_wrong(spoken, port):
    protocol = SPOKEN[spoken][0]
    if protocol == "script":
        return port not in SCRIPT_PORTS
    return CARRIES[port] != protocol


def diagnose(path, *more):
    run = subprocess.run([ARMTAP, "diagnose", "--json", path, *more], capture_output=True, text=True, timeout=60, check=False)
    report = json.loads(run.stdout or "{}")
    report["status"] = run.returncode
    return report


def said(report, kind):
    return [one["args"] for one in report["findings"] if one["id"] == kind]


def play(path, spoken, port, rng):
    capture = Capture()
    first = rng.random() < 0.5
    robot = Robot(capture, port, hz=rng.choice([125.0, 500.0]) if CARRIES[port] == REALTIME else 10.0, client_is_first=first,
                  size=rng.choice([1060, 1108, 1116, 1140, 1220]))
    robot.time += rng.choice([0.0, 0.01, 0.2])
    robot.say(SPOKEN[spoken][1], rng.choice([0.0, 0.002, 0.05]))
    if first:
        robot.unasked()
    robot.stream(rng.choice([0.3, 2.5, 4.0]))
    how = rng.choice(["client", "robot", "client reset", "robot reset", "open"])
    robot.end(how)
    capture.write(path)
    return first, how


MEANT = {AUBO: 30010, RTDE: 30004, DASHBOARD: 29999, "script": 30003, "http": 80, "tls": 443}


def check_spoken(path, spoken, port, rng):
    """Every language on every port, the robot and the client first, all ends."""
    how = play(path, spoken, port, rng)
    report = diagnose(path)
    what = (spoken, port, *how)
    args = said(report, "protocol.wrong-port")
    if not is_wrong(spoken, port):
        tally.expect(what, not args, args)
        return
    case = SPOKEN[spoken][0]
    tally.expect((*what, "said"), len(args) == 1 and (args[0]["case"], args[0]["port"], args[0]["port_meant"]) ==
                 (case, port, MEANT[case]), args, [one["id"] for one in report["findings"]])
    told = [(one["what"], one["side"], one["doubt"]) for one in report["incidents"]]
    tally.expect((*what, "one incident"), told == [("protocol.wrong-port", "client", None)], told)
    tally.expect((*what, "status"), report["status"] == 1, report["status"])


def ids(report):
    return sorted({one["id"] for one in report["findings"]})


def is_clean(path, *what):
    report = diagnose(path)
    tally.expect(what, not said(report, "protocol.wrong-port"), report["findings"])


def check_one_byte_each(path):
    """Segments of one byte say the same as whole requests."""
    for spoken, port in (("rtde", 30003), ("rtde 1", 30001), ("robotmode", 30003), ("movej", 30004), ("program", 29999),
                         ("get", 30004), ("brake release", 30013)):
        for first in False, True:
            capture = Capture()
            robot = Robot(capture, port, client_is_first=first)
            robot.say([bytes([one]) for one in b"".join(SPOKEN[spoken][1])], 0.0001)
            if first:
                robot.unasked()
            robot.stream(0.5)
            robot.end("client")
            capture.write(path)
            args = said(diagnose(path), "protocol.wrong-port")
            tally.expect((spoken, port, first, "in bytes"), [one["case"] for one in args] == [SPOKEN[spoken][0]], args)


def check_forwarded(path):
    """A port that is forwarded to what the client speaks is the right one; so is any on which the answer is HTTP."""
    for port in CARRIES:
        for answer in RTDE, DASHBOARD, "http":
            capture = Capture()
            robot = Robot(capture, port, client_is_first=True)
            robot.carries = answer
            if answer == RTDE:
                types = ",".join(TYPES).encode()
                for ask, reply in ((message("V", b"\0\2"), message("V", b"\1")), (set_up(), message("O", b"\1" + types)),
                                   (message("S"), message("S", b"\1"))):
                    robot.send("c", ask)
                    robot.send("r", reply)
                for i in range(50):
                    robot.send("r", message("U", b"\1" + struct.pack(">d12diI", 1 + i / 125, *[i / 7] * 12, 7, 1)))
                    robot.time += 0.0078
            elif answer == DASHBOARD:
                robot.send("r", GREETING)
                robot.send("c", b"robotmode\n")
                robot.send("r", b"Robotmode: RUNNING\n")
            else:
                robot.send("c", SPOKEN["get"][1][0])
                robot.send("r", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            robot.end("client")
            capture.write(path)
            is_clean(path, "forwarded", port, answer)


def check_other_text(path):
    """What is of no language known accuses nobody, nor does one byte, a comment alone, or an unknown request."""
    for port, text in itertools.product(CARRIES, (b"\n", b"x", b"hello world\n", b"# a comment\n", b"\0\0\0\1", bytes(300),
                                                  b"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n", b"is robot safe\n", b"\xff" * 9)):
        capture = Capture()
        robot = Robot(capture, port)
        robot.say([text])
        robot.stream(0.5)
        robot.end("client")
        capture.write(path)
        is_clean(path, port, text[:20])


def check_midstream(path):
    """Of a connection that began before the capture, the first bytes are not known."""
    capture = Capture()
    robot = Robot(capture, 30003)
    del capture.frames[:]
    robot.stream(0.3)
    robot.say([b"robotmode\n"])
    robot.stream(0.3)
    capture.write(path)
    is_clean(path, "midstream")


def silent(capture, seconds, port=30004, client_port=40000, at=0.0, how="client", **ends):
    robot = Robot(capture, port, client_port, at=at, **ends)
    robot.time = at + seconds
    robot.end(how)
    return robot


def check_silent(path):
    """A client that says nothing on RTDE's port, from both sides of 2 s, once and again and again; on ports that speak by
    themselves, or of AUBO's, it is no client for 30003."""
    for seconds, how in itertools.product((0.05, 1.9, 2.1, 5.0, 60.0), ("client", "client reset", "open")):
        capture = Capture()
        robot = silent(capture, seconds, how=how)
        if how == "open":
            robot.send("c", b"", 0x10)
        capture.write(path)
        report = diagnose(path)
        args = said(report, "protocol.wrong-port")
        what = (seconds, how)
        tally.expect((*what, "silent"), len(args) == (seconds > 2), args, ids(report))
        if seconds > 2:
            told = [(one["what"], one["side"], bool(one["doubt"])) for one in report["incidents"]]
            tally.expect((*what, "incident"), told == [("protocol.wrong-port", "client", True)], told)
            tally.expect((*what, "args"), (args[0]["case"], args[0]["port_meant"], args[0]["doubt"]) ==
                         ("silent", 30003, "port-guessed"), args)
            tally.expect((*what, "status"), report["status"] == 1, report["status"])
    capture = Capture()
    for i in range(6):
        silent(capture, 3.0, client_port=40000 + i, at=i * 4.0)
    capture.write(path)
    report = diagnose(path)
    tally.expect("again and again", [one["times"] for one in said(report, "protocol.wrong-port")] == [6] and
                 len(report["incidents"]) == 1, report["incidents"])
    for port in 29999, 30003, 30010, 9013:
        capture = Capture()
        silent(capture, 5.0, port=port, client_is_first=True)
        capture.write(path)
        is_clean(path, "silent", port)


def check_silent_beside(path):
    """A second, idle connection of a client that does speak RTDE is not one for another port."""
    capture = Capture()
    robot = Robot(capture, 30004, 41000)
    robot.say(SPOKEN["rtde"][1])
    robot.end("client")
    silent(capture, 5.0, client_port=41001, at=robot.time + 0.1)
    capture.write(path)
    is_clean(path, "idle beside")


def check_stall(path):
    """The client's buffer fills, and the reset at the end, belong to it; another client's do not."""
    for speaks in True, False:
        capture = Capture()
        robot = Robot(capture, 30003)
        if speaks:
            robot.say(SPOKEN["rtde"][1])
        robot.stream(1.0)
        robot.send("c", b"", 0x10)
        time, frame = capture.frames.pop()
        capture.frames.append((time, frame[:48] + b"\0\0" + frame[50:]))
        robot.time += 2.0
        robot.end("client reset")
        capture.write(path)
        report = diagnose(path)
        told = [(one["what"], one["side"]) for one in report["incidents"]]
        tally.expect(("stall", speaks), len(told) == 1 and (told[0][0] == "protocol.wrong-port") == speaks and
                     told[0][1] == "client", told)
        tally.expect(("evidence", speaks), {"tcp.zero-window"} <= {
            report["findings"][i]["id"] for i in report["incidents"][0]["evidence"]}, report["incidents"])


def check_apart(path):
    """Two clients with different mistakes are two incidents, and a client of the right port is none."""
    capture = Capture()
    for spoken, port, client in (("rtde", 30003, "10.0.0.1"), ("get", 30004, "10.0.0.3"), ("movej", 30002, "10.0.0.4")):
        robot = Robot(capture, port, client=client, at=0.0)
        robot.say(SPOKEN[spoken][1])
        robot.stream(0.5)
        robot.end("client")
    capture.frames.sort(key=lambda one: one[0])
    capture.write(path)
    report = diagnose(path)
    told = sorted((report["findings"][one["evidence"][0]]["args"]["case"], one["side"]) for one in report["incidents"])
    tally.expect("apart", told == [("http", "client"), ("rtde", "client")], told)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spoken.pcap")
        rng = random.Random(int(os.environ.get("SEED", "1")))
        if not tally.is_built_in("AUBO"):
            del SPOKEN["aubo"], CARRIES[30010]
        for spoken, port in tally.share(itertools.product(SPOKEN, CARRIES), 3, "languages on ports"):
            check_spoken(path, spoken, port, rng)
        for check in (check_one_byte_each, check_forwarded, check_other_text, check_midstream, check_silent,
                      check_silent_beside, check_stall, check_apart):
            check(path)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
