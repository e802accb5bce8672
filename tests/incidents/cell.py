"""A cell on the wire: a UR robot's interfaces, a driver's computer, and what befalls them. Times are seconds since the
capture began. Bytes are packed by Python's struct from the tables of facts."""
import bisect
import csv
import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import primary_wire as wire  # noqa: E402
from network import Connection, Host  # noqa: E402

NORMAL, PROTECTIVE, SAFEGUARD, SYSTEM_EMERGENCY, ROBOT_EMERGENCY = 1, 3, 5, 6, 7
STOPPING, STOPPED, PLAYING, PAUSING, PAUSED, RESUMING = range(6)
RUNNING = 7
INFO, WARNING, VIOLATION, FAULT = range(1, 5)
TEXT, POPUP, SAFETY_MODE, ERROR_CODE, KEY, EXCEPTION = 0, 2, 5, 6, 7, 10
RT_MACHINE = -3
PARTS = [("RobotModeData", "3.5-"), ("JointData", "all"), ("CartesianInfo", "3.2-"), ("NeededForCalibData", "all"),
         ("MasterboardData", "3.5-"), ("ToolData", "all"), ("ForceModeData", "all"), ("AdditionalInfo", "3.5-"),
         ("SafetyData", "3.5-")]
OF_E_SERIES = [("ToolCommInfo", "e"), ("ToolModeInfo", "e 5.2-")]
LAYOUTS = wire.layouts()


def realtime_layouts():
    """Offsets of fields, by the packet's size."""
    found = {}
    with open(os.path.join(wire.DATA, "realtime_layout.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(int(row["size"]), {})[row["name"]] = int(row["offset"])
    return found


REALTIME = realtime_layouts()
TYPES = {"timestamp": "DOUBLE", "actual_q": "VECTOR6D", "target_q": "VECTOR6D", "actual_current": "VECTOR6D",
         "robot_mode": "INT32", "safety_status": "INT32", "safety_mode": "INT32", "runtime_state": "UINT32",
         "speed_scaling": "DOUBLE", "actual_digital_input_bits": "UINT64"}
STATE_OF = {"safety_status": "safety", "safety_mode": "safety", "runtime_state": "runtime"}
PACKED = {"DOUBLE": "d", "INT32": "i", "UINT32": "I", "UINT64": "Q"}
SERVOJ, END = 1, -2
KEEP_ALIVE_TEXT = b"Socket timed out waiting for command on reverse_socket. The script will exit now."


class Cell:
    def __init__(self, rng, number=1, seconds=6.0, release=(5, 9, 4), is_v6=False, mss=1448):
        self.rng, self.seconds, self.release, self.mss = rng, seconds, release, mss
        self.robot, self.driver, self.other = (Host(number * 256 + i, is_v6) for i in (2, 10, 20))
        self.boot = rng.uniform(300, 90000)  # s, the controller's clock when the capture begins
        self.times, self.states = [-1.0], [{"robot_mode": RUNNING, "safety": NORMAL, "runtime": PLAYING}]
        self.jumps = []  # (time, s): the controller's clock
        self.skips = []  # (from, until): the controller sends no RTDE package
        self.connections = []
        self.primary_link = self.rtde_link = self.command_link = None

    # ---- what is so, and when

    def begin_as(self, **values):
        self.states[0].update(values)

    def change(self, time, **values):
        """Later than all changes before."""
        self.times.append(time)
        self.states.append({**self.states[-1], **values})

    def at(self, time):
        return self.states[bisect.bisect_right(self.times, time) - 1]

    def clock(self, time):
        return self.boot + time + sum(by for when, by in self.jumps if when <= time)

    def joints(self, time):
        """The arm swings while a program plays."""
        moved = 0.0
        for begin, end, state in zip(self.times, self.times[1:] + [time], self.states):
            if begin < time and state["runtime"] == PLAYING and state["safety"] == NORMAL:
                moved += min(time, end) - max(begin, 0)
        return [-1.0 + 0.3 * i + 0.2 * math.sin(moved * (i + 1) / 3) for i in range(6)]

    def connect(self, ends, ports, begin=0.0, mss=0):
        connection = Connection(self.rng, ends, ports, begin, mss or self.mss)
        self.connections.append(connection)
        return connection

    # ---- RTDE

    def rtde(self, rate=125.0, begin=0.05, fields=None, host=None, pace=1, until=None):
        """Packages at `rate`, `pace` of them to a segment."""
        fields = fields or ["timestamp", "actual_q", "robot_mode", "safety_status", "runtime_state", "speed_scaling"]
        link = self.connect((host or self.driver, self.robot), (self.rng.randrange(33000, 60000), 30004), begin)
        types = ",".join(TYPES[name] for name in fields).encode()
        for i, (side, kind, body) in enumerate((
                (0, b"V", b"\0\2"), (1, b"V", b"\1"), (0, b"v", b""), (1, b"v", struct.pack(">4I", *self.release, 10)),
                (0, b"O", struct.pack(">d", rate) + ",".join(fields).encode()), (1, b"O", b"\1" + types),
                (0, b"S", b""), (1, b"S", b"\1"))):
            link.say(begin + 0.002 * (i + 1), side, package(kind, body))
        begin += 0.03
        last = until if until is not None else self.seconds - 0.02
        waiting = b""
        for n in range(int((last - begin) * rate)):
            time = begin + n / rate
            if any(start <= time < end for start, end in self.skips):
                continue
            waiting += package(b"U", b"\1" + b"".join(self.packed(name, time) for name in fields))
            if n % pace == pace - 1:
                link.say(time + self.rng.uniform(0.00005, 0.0003), 1, waiting)
                waiting = b""
        self.rtde_link = link
        return link

    def packed(self, name, time):
        kind = TYPES[name]
        if kind == "VECTOR6D":
            return struct.pack(">6d", *(self.joints(time) if name.endswith("_q") else [0.5 + i / 8 for i in range(6)]))
        value = self.clock(time) if name == "timestamp" else 1.0 if kind == "DOUBLE" else \
            self.at(time).get(STATE_OF.get(name, name), 0)
        return struct.pack(">" + PACKED[kind], value)

    def text(self, time, level, text):
        """RTDE's own message of the controller."""
        self.rtde_link.say(time, 1, package(b"M", bytes([len(text)]) + text + b"\4RTDE" + bytes([level])), "cause")

    # ---- the realtime interface

    def realtime(self, size, rate=125.0, begin=0.05, host=None, port=30003):
        link = self.connect((host or self.driver, self.robot), (self.rng.randrange(33000, 60000), port), begin)
        offsets = REALTIME[size]
        for n in range(int((self.seconds - 0.05 - begin) * rate)):
            time = begin + 0.01 + n / rate
            state, cells, joints = self.at(time), bytearray(size), self.joints(time)
            struct.pack_into(">I", cells, 0, size)
            for name, values in (("timestamp", [self.clock(time)]), ("target_q", joints), ("actual_q", joints),
                                 ("robot_mode", [state["robot_mode"]]), ("safety_mode", [state["safety"]]),
                                 ("joint_mode", [253] * 6), ("speed_scaling", [1]), ("runtime_state", [state["runtime"]])):
                if name in offsets:
                    struct.pack_into(">%dd" % len(values), cells, offsets[name], *values)
            link.say(time + self.rng.uniform(0.00005, 0.0003), 1, bytes(cells))
        return link

    # ---- the primary interface

    def primary(self, port=30001, begin=0.02, host=None, every=0.1, until=None):
        link = self.connect((host or self.driver, self.robot), (self.rng.randrange(33000, 60000), port), begin)
        link.say(begin + 0.001, 1, wire.version(*self.release))
        time, last = begin + 0.01, until if until is not None else self.seconds - 0.02
        while time < last:
            link.say(time, 1, wire.state([LAYOUTS[key].pack(self.value_at(time)) for key in
                                          PARTS + (OF_E_SERIES if self.release[0] >= 5 else [])]))
            time += every
        if port in (30001, 30011):
            self.primary_link = link
        return link

    def value_at(self, time):
        state, joints = self.at(time), self.joints(time)
        safety, runtime = state["safety"], state["runtime"]
        known = {"timestamp": round(self.clock(time) * 1e6), "isRealRobotConnected": 1, "isRealRobotEnabled": 1,
                 "isRobotPowerOn": 1, "isEmergencyStopped": int(safety in (SYSTEM_EMERGENCY, ROBOT_EMERGENCY)),
                 "isProtectiveStopped": int(safety == PROTECTIVE), "isProgramRunning": int(runtime == PLAYING),
                 "isProgramPaused": int(runtime == PAUSED), "robotMode": state["robot_mode"], "controlMode": 0,
                 "targetSpeedFraction": 1.0, "speedScaling": 1.0, "targetSpeedFractionLimit": 1.0, "safetyMode": safety,
                 "masterBoardTemperature": 36.5, "robotVoltage48V": 48.0, "robotCurrent": 0.6, "masterIOCurrent": 0.1}

        def value(_, row):
            field = row[3]
            if field.startswith(("actual_q_", "target_q_")):
                return joints[int(field[-1])]
            if field.startswith("joint_mode"):
                return 253
            return known.get(row[1], 0)
        return value

    def tell(self, time, kind, body, source=RT_MACHINE, tag="cause", clock=None):
        told = self.clock(time) if clock is None else clock
        self.primary_link.say(time, 1, wire.robot_message(kind, body, round(told * 1e6), source), tag)

    def error(self, time, code, argument, level=VIOLATION, data=(1, 0), source=RT_MACHINE, tag="cause", clock=None):
        self.tell(time, ERROR_CODE, struct.pack(">iiiII", code, argument, level, *data), source, tag, clock)

    def key(self, time, title, name, tag=""):
        self.tell(time, KEY, struct.pack(">iiB", 0, 0, len(title)) + title + name, tag=tag)

    def popup(self, time, title, text, is_error=True, tag="cause"):
        head = struct.pack(">IIBBBB", 3, 8, not is_error, is_error, 1, len(title))
        self.tell(time, POPUP, head + title + text, tag=tag)

    def exception(self, time, line, column, text):
        self.tell(time, EXCEPTION, struct.pack(">ii", line, column) + text)

    def script(self, time, text, port=30002, host=None):
        """A client sends a script and goes."""
        link = self.connect((host or self.other, self.robot), (self.rng.randrange(33000, 60000), port), time - 0.05)
        link.say(time - 0.045, 1, wire.version(*self.release))
        link.say(time, 0, text, "cause")
        link.close(time + 0.2, 0)
        return link

    # ---- the dashboard

    def dashboard(self, begin, lines, host=None):
        """lines: (time, command, reply, tag)"""
        link = self.connect((host or self.other, self.robot), (self.rng.randrange(33000, 60000), 29999), begin)
        link.say(begin + 0.001, 1, b"Connected: Universal Robots Dashboard Server\n")
        for time, command, reply, tag in lines:
            link.say(time, 0, command + b"\n", tag)
            link.say(time + 0.01, 1, reply + b"\n", tag)
        return link

    # ---- the driver's commands: the robot connects to the computer

    def commands(self, begin, until, rate=500.0, timeout=0.02, mode=SERVOJ, port=50001, holes=(), targets=None):
        """holes: (from, until) without commands."""
        link = self.connect((self.robot, self.driver), (self.rng.randrange(40000, 60000), port), begin)
        for n in range(int((until - begin - 0.01) * rate)):
            time = begin + 0.01 + n / rate
            if any(start <= time < end for start, end in holes):
                continue
            joints = targets(time) if targets else self.joints(time)
            words = [round(timeout * 1000), *(round(joint * 1e6) for joint in joints), mode]
            link.say(time + self.rng.uniform(0, 0.0002), 1, struct.pack(">8i", *words))
        self.command_link = link
        return link

    # ---- what a robot does

    def stop(self, time, safety=PROTECTIVE, pause=0.064):
        self.change(time, safety=safety, runtime=PAUSING)
        self.change(time + pause, runtime=PAUSED)

    def end_program(self, time, pause=0.05):
        self.change(time, runtime=STOPPING)
        self.change(time + pause, runtime=STOPPED)


def package(kind, body):
    return struct.pack(">HB", 3 + len(body), kind[0]) + body

