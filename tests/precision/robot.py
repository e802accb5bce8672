"""Robots: what they do in time, and what their ports say of it: RTDE, the realtime interface, the primary one, the dashboard."""
import math
import struct

NORMAL, PROTECTIVE, RECOVERY, SAFEGUARD, SYSTEM_STOP, ROBOT_STOP, VIOLATION, FAULT = 1, 3, 4, 5, 6, 7, 8, 9
POWER_OFF, POWER_ON, IDLE, RUNNING = 3, 4, 5, 7
STOPPING, STOPPED, PLAYING, PAUSING, PAUSED = 0, 1, 2, 3, 4

ARMS = [  # a2, a3, d1, d4, d5, d6
    (-0.24365, -0.21325, 0.1519, 0.11235, 0.08535, 0.0819),
    (-0.425, -0.39225, 0.089159, 0.10915, 0.09465, 0.0823),
    (-0.612, -0.5723, 0.1273, 0.163941, 0.1157, 0.0922)]


def pose(arm, q):
    """Where the flange is, and how it is turned, as a rotation vector."""
    a2, a3, d1, d4, d5, d6 = arm
    half = math.pi / 2
    turn, place = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]
    for angle, a, d, alpha in zip(q, (0, a2, a3, 0, 0, 0), (d1, 0, 0, d4, d5, d6), (half, 0, 0, half, -half, 0)):
        c, s, ca, sa = math.cos(angle), math.sin(angle), math.cos(alpha), math.sin(alpha)
        step = ((c, -s * ca, s * sa), (s, c * ca, -c * sa), (0, sa, ca))
        place = [p + row[0] * a * c + row[1] * a * s + row[2] * d for p, row in zip(place, turn)]
        turn = [[sum(row[k] * step[k][j] for k in range(3)) for j in range(3)] for row in turn]
    cosine = max(-1, min(1, (turn[0][0] + turn[1][1] + turn[2][2] - 1) / 2))
    angle = math.acos(cosine)
    axis = [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]
    size = 2 * math.sin(angle)
    if abs(size) < 1e-4:
        diagonal = [math.sqrt(max(0, (turn[i][i] + 1) / 2)) for i in range(3)]
        return place + [angle * one for one in diagonal]
    return place + [angle * one / size for one in axis]


class State:  # pylint: disable=too-few-public-methods
    __slots__ = ("clock", "tq", "tqd", "q", "qd", "current", "mode", "runtime", "safety", "scale", "memory", "temperature", "inputs")


class Robot:
    """Its states are worked out as its program and its people want it; `plan` says who wants what, when."""

    def __init__(self, world, host, hz, plays=True, is_simulator=False, generation=5):
        rng = self.rng = world.rng
        self.world, self.host, self.hz, self.is_simulator = world, host, hz, is_simulator
        self.arm = rng.choice(ARMS)
        self.start = rng.uniform(200, 90000)
        self.home = [rng.uniform(-1.5, 1.5) for _ in range(6)]
        self.widths = [rng.uniform(0.1, 0.5) for _ in range(6)]
        self.speeds = [rng.uniform(0.4, 1.5) for _ in range(6)]
        self.changes = [(0, "mode", RUNNING if plays or rng.random() < 0.7 else IDLE), (0, "safety", NORMAL), (0, "scale", 1.0),
                        (0, "runtime", PLAYING if plays else STOPPED)]
        self.version = (5, rng.randrange(9, 20), rng.randrange(4), 0) if generation == 5 else (3, rng.randrange(10, 15), rng.randrange(9), 0)
        self.states, self.phase, self.speed = [], 0.0, 1.0 if plays else 0.0
        self.frozen = []  # (from, until, what): "values", "clock" or "all" are those of the first of these cycles
        self.skips = []  # (from, until): cycles in which the controller sends nothing
        self.hangs_at = None
        self.stuck_at, self.stuck = None, range(6)  # these joints stand from then on, whatever their targets
        self.boot = 0.0  # when its clock began, in the capture's time
        self.follows = None  # (from, until, function of time): targets that a driver commands
        self.messages = []  # of the primary interface: (time, bytes)

    def change(self, time, name, value):
        self.changes.append((time, name, value))

    def stop_program(self, time, kind="stop"):
        self.change(time, "runtime", STOPPING if kind == "stop" else PAUSING)
        self.change(time + 0.06, "runtime", STOPPED if kind == "stop" else PAUSED)

    def start_program(self, time):
        self.change(time, "runtime", PLAYING)

    def protective_stop(self, time, mode=PROTECTIVE):
        self.change(time, "safety", mode)
        self.stop_program(time + (0 if mode in (SYSTEM_STOP, ROBOT_STOP) else 0.004), "pause" if mode in (PROTECTIVE, SAFEGUARD) else "stop")
        if mode in (SYSTEM_STOP, ROBOT_STOP, FAULT, VIOLATION):
            self.change(time + 0.3, "mode", POWER_OFF)

    def state(self, tick):
        while len(self.states) <= tick:
            self.states.append(self._next(len(self.states)))
        return self.states[tick]

    def _wanted(self, time, name):
        value = None
        for when, what, to in self.changes:
            if what == name and when <= time + 1e-9:
                value = to
        return value

    def _next(self, tick):
        if not self.states:
            self.changes.sort(key=lambda one: one[0])
        rng, time, state = self.rng, tick / self.hz, State()
        for begin, until, what in self.frozen:
            first = int(begin * self.hz) + 1
            if begin < time < until and tick > first and what != "clock":
                old = self.states[first]
                for name in State.__slots__:
                    setattr(state, name, getattr(old, name))
                if what == "values":
                    state.clock = self.start + tick / self.hz
                return state
        state.clock = self.start + tick / self.hz
        for begin, until, what in self.frozen:
            if begin < time < until and what == "clock":
                state.clock = self.start + (int(begin * self.hz) + 1) / self.hz
        state.mode, state.runtime = self._wanted(time, "mode"), self._wanted(time, "runtime")
        state.safety, state.scale = self._wanted(time, "safety"), self._wanted(time, "scale")
        wants = 1.0 if state.runtime == PLAYING and state.mode == RUNNING and state.safety in (1, 2) else 0.0
        step = 8 / self.hz if wants == 0 else 3 / self.hz
        self.speed = min(wants, self.speed + step) if wants > self.speed else max(wants, self.speed - step)
        self.phase += self.speed * state.scale / self.hz
        self._move(state, time)
        state.memory = 0.25 if self.is_simulator else rng.uniform(0.2, 0.6)
        state.temperature = 30 if self.is_simulator else 30 + 2 * math.sin(time / 60)
        state.inputs = int(time / 0.7) & 3 if wants else 0
        return state

    def _move(self, state, time):
        rng, still = self.rng, self.is_simulator
        if self.follows and self.follows[0] <= time:
            place = self.follows[2](min(time, self.follows[1]) - 1 / self.hz)
            before = self.follows[2](min(time, self.follows[1]) - 2 / self.hz)
            state.tq, state.tqd = place, [(now - old) * self.hz for now, old in zip(place, before)]
        else:
            state.tq = [home + width * math.sin(speed * self.phase)
                        for home, width, speed in zip(self.home, self.widths, self.speeds)]
            state.tqd = [width * speed * self.speed * math.cos(speed * self.phase) for width, speed in zip(self.widths, self.speeds)]
        moves = self.speed > 0 or self.follows and self.follows[0] <= time < self.follows[1]
        last = self.states[-1] if self.states else state
        if still:
            state.q, state.qd = list(state.tq), list(state.tqd)
        else:
            state.q = [old + rng.choice((-1, 0, 0, 0, 1)) * 9.6e-6 for old in last.tq]
            state.qd = [old + (rng.gauss(0, 2e-4) if moves else rng.choice((0, 0, 0, 1e-5))) for old in last.tqd]
        if self.stuck_at is not None and time >= self.stuck_at:
            for joint in self.stuck:
                state.q[joint], state.qd[joint] = last.q[joint], 0.0
        off = state.mode < IDLE
        if still and not moves:
            state.current = [0.0] * 6 if off or not self.states else last.current
        else:
            state.current = [0.0 if off else 0.3 * (6 - i) * math.cos(q) + 0.4 * v + (0 if still else rng.gauss(0, 0.02))
                             for i, (q, v) in enumerate(zip(state.tq, state.tqd))]


# ---- RTDE ------------------------------------------------------------------------------------------------------------

TYPES = {"DOUBLE": "d", "VECTOR6D": "6d", "VECTOR3D": "3d", "INT32": "i", "UINT32": "I", "UINT64": "Q", "VECTOR6INT32": "6i",
         "UINT8": "B", "BOOL": "?"}
OUTPUTS = {"timestamp": "DOUBLE", "target_q": "VECTOR6D", "target_qd": "VECTOR6D", "target_qdd": "VECTOR6D", "target_current": "VECTOR6D",
           "actual_q": "VECTOR6D", "actual_qd": "VECTOR6D", "actual_current": "VECTOR6D", "actual_TCP_pose": "VECTOR6D",
           "target_TCP_pose": "VECTOR6D", "actual_TCP_force": "VECTOR6D", "joint_temperatures": "VECTOR6D",
           "actual_digital_input_bits": "UINT64", "actual_digital_output_bits": "UINT64", "actual_execution_time": "DOUBLE",
           "robot_mode": "INT32", "joint_mode": "VECTOR6INT32", "safety_mode": "INT32", "safety_status": "INT32",
           "runtime_state": "UINT32", "speed_scaling": "DOUBLE", "target_speed_fraction": "DOUBLE", "actual_main_voltage": "DOUBLE",
           "actual_robot_voltage": "DOUBLE", "actual_robot_current": "DOUBLE", "actual_joint_voltage": "VECTOR6D",
           "robot_status_bits": "UINT32", "safety_status_bits": "UINT32", "output_int_register_0": "INT32",
           "output_double_register_0": "DOUBLE", "actual_tool_accelerometer": "VECTOR3D", "tool_mode": "UINT32"}
INPUTS = {"speed_slider_mask": "UINT32", "speed_slider_fraction": "DOUBLE", "standard_digital_output_mask": "UINT8",
          "standard_digital_output": "UINT8", **{"input_int_register_%d" % i: "INT32" for i in range(48)},
          **{"input_double_register_%d" % i: "DOUBLE" for i in range(48)}}


def value(robot, state, name):
    """One or more numbers, in the field's order."""
    runs = state.runtime == PLAYING
    stop = state.safety in (PROTECTIVE, SAFEGUARD, SYSTEM_STOP, ROBOT_STOP)
    return {
        "timestamp": lambda: state.clock, "target_q": lambda: state.tq, "target_qd": lambda: state.tqd,
        "target_qdd": lambda: [0.0] * 6, "target_current": lambda: [round(one, 2) for one in state.current],
        "actual_q": lambda: state.q, "actual_qd": lambda: state.qd, "actual_current": lambda: state.current,
        "actual_TCP_pose": lambda: pose(robot.arm, state.q), "target_TCP_pose": lambda: pose(robot.arm, state.tq),
        "actual_TCP_force": lambda: [one * 1.5 for one in state.current],
        "joint_temperatures": lambda: [state.temperature + i for i in range(6)],
        "actual_digital_input_bits": lambda: state.inputs, "actual_digital_output_bits": lambda: 0,
        "actual_execution_time": lambda: state.memory, "robot_mode": lambda: state.mode,
        "joint_mode": lambda: [253 if state.mode >= IDLE else 239] * 6, "safety_mode": lambda: state.safety,
        "safety_status": lambda: state.safety, "runtime_state": lambda: state.runtime, "speed_scaling": lambda: state.scale,
        "target_speed_fraction": lambda: 1.0, "actual_main_voltage": lambda: 48.0, "actual_robot_voltage": lambda: 47.9,
        "actual_robot_current": lambda: round(sum(map(abs, state.current)) / 10, 3), "actual_joint_voltage": lambda: [47.5] * 6,
        "robot_status_bits": lambda: (state.mode >= IDLE) | runs << 1,
        "safety_status_bits": lambda: 1 << (state.safety - 1 if state.safety < 4 else 2 if not stop else
                                            {SAFEGUARD: 4, SYSTEM_STOP: 5, ROBOT_STOP: 6}.get(state.safety, 0)) |
        (1 << 7 if state.safety in (SYSTEM_STOP, ROBOT_STOP) else 0) | (1 << 10 if stop else 0),
        "output_int_register_0": lambda: int(50 * state.tq[1]), "output_double_register_0": lambda: state.tq[0] * 2,
        "actual_tool_accelerometer": lambda: [0.1 * one for one in state.tqd[:2]] + [-9.81], "tool_mode": lambda: 253,
    }[name]()


def package(kind, body=b""):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def text(message, level, version=2, source=b"RTDE"):
    if version == 1:
        return package("M", bytes([level]) + message)
    return package("M", bytes([len(message)]) + message + bytes([len(source)]) + source + bytes([level]))


class RtdeServer:
    """One connection of the controller's port 30004. `faults`: what it does not do as it should."""

    def __init__(self, robot, socket, faults):
        self.robot, self.socket, self.faults, self.world = robot, socket, faults, robot.world
        self.buffer, self.version, self.names, self.every, self.runs, self.inputs = b"", 1, None, 1, False, 0
        socket.on_data, socket.on_end = self.read, self.end
        self.sent = 0

    def end(self):
        self.runs = False
        if self.faults.get("hang", 1e9) > self.world.now:
            self.socket.close()

    def read(self, data):
        self.buffer += data
        while len(self.buffer) >= 3:
            size = struct.unpack_from(">H", self.buffer)[0]
            if size < 3:
                self.buffer = b""
                return
            if len(self.buffer) < size:
                return
            kind, body = chr(self.buffer[2]), self.buffer[3:size]
            self.buffer = self.buffer[size:]
            if self.world.now < self.faults.get("hang", 1e9):
                self.world.after(self.robot.rng.uniform(0.0002, 0.003), self.answer, kind, body)

    def answer(self, kind, body):
        faults, say = self.faults, lambda reply, data=b"": self.socket.write(package(reply, data))
        if kind in faults.get("silent", ""):
            return
        if kind == "V":
            accepted = struct.unpack(">H", body)[0] <= faults.get("newest", 2)
            say("V", bytes([accepted]))
            self.version = struct.unpack(">H", body)[0] if accepted else self.version
        elif kind == "v":
            say("v", struct.pack(">4I", *self.robot.version))
        elif kind == "O":
            self.set_up(body, say)
        elif kind == "I":
            names = body.decode().split(",")
            types = ["IN_USE" if name in faults.get("in use", ()) else INPUTS.get(name, "NOT_FOUND") for name in names]
            good = not {"IN_USE", "NOT_FOUND"} & set(types)
            self.inputs += good
            say("I", bytes([self.inputs if good else 0]) + ",".join(types).encode())
        elif kind == "S":
            good = bool(self.names) and not faults.get("refuses start")
            say("S", bytes([good]))
            if good and not self.runs:
                self.runs = True
                tick = math.ceil((self.world.now + 0.001) * self.robot.hz / self.every) * self.every
                self.world.at(tick / self.robot.hz, self.send, tick)
        elif kind == "P":
            self.runs = False
            say("P", b"\1")

    def set_up(self, body, say):
        robot, frequency = self.robot, robot_hz(self.robot)
        if self.version > 1:
            frequency, body = struct.unpack_from(">d", body)[0], body[8:]
        names = [name.strip() for name in body.decode().strip(" ,\r\n").split(",")]
        types = [OUTPUTS.get(name, "NOT_FOUND") if name not in self.faults.get("unknown", ()) else "NOT_FOUND" for name in names]
        self.names = None if "NOT_FOUND" in types else names
        self.every = max(1, int(robot.hz // max(1, min(frequency, robot.hz))), self.faults.get("every", 1))
        head = b"" if self.version == 1 else bytes([self.names is not None])
        say("O", head + ",".join(types).encode())

    def send(self, tick):
        robot, now = self.robot, self.world.now
        if not self.runs or self.socket.is_over or now >= self.faults.get("hang", 1e9) or not robot.host.is_up:
            return
        self.world.at((tick + self.every) / robot.hz, self.send, tick + self.every)
        if any(begin < now < until for begin, until in robot.skips):
            return
        state = robot.state(tick)
        body = b"" if self.version == 1 else b"\1"
        for name in self.names:
            numbers = value(robot, state, name)
            body += struct.pack(">" + TYPES[OUTPUTS[name]], *(numbers if isinstance(numbers, list) else [numbers]))
        if self.socket.write(package("U", body), True):
            self.sent += 1


def robot_hz(robot):
    return float(robot.hz)


class RtdeClient:
    """Says what a list of requests wants, each after the last one's answer, reads, and ends as told."""

    def __init__(self, session, requests, end, until):
        self.session, self.world, self.requests, self.buffer = session, session.world, list(requests), b""
        self.kind_of_end, self.received, self.waits_for, self.times = end, 0, None, []
        self.socket = session.socket()
        self.socket.on_open, self.socket.on_data, self.socket.on_end = self.next, self.read, self.peer_ends
        self.world.at(until, self.finish)
        self.is_done = False

    def next(self):
        if self.requests and not self.socket.is_over:
            kind, body = self.requests.pop(0)
            self.waits_for = kind
            self.socket.write(package(kind, body))

    def read(self, data):
        self.buffer += data
        while len(self.buffer) >= 3:
            size = struct.unpack_from(">H", self.buffer)[0]
            if len(self.buffer) < size or size < 3:
                return
            kind, self.buffer = chr(self.buffer[2]), self.buffer[size:]
            if kind == "U":
                self.received += 1
                self.times.append(self.world.now)
            elif kind == "P" and self.is_done:
                self.socket.close()
            elif kind == self.waits_for:
                self.waits_for = None
                self.world.after(self.world.rng.uniform(0.0001, 0.004), self.next)

    def peer_ends(self):
        self.socket.close()

    def finish(self):
        if self.socket.is_over or self.is_done:
            return
        self.is_done = True
        if self.kind_of_end == "pause" and self.socket.is_reading:
            self.socket.write(package("P"))
            self.world.after(3, self.socket.close)
        elif self.kind_of_end != "never":
            self.socket.close()


# ---- the realtime interface ------------------------------------------------------------------------------------------

NEW = {1: "timestamp", 2: "target_q", 8: "target_qd", 20: "target_current", 32: "actual_q", 38: "actual_qd", 44: "actual_current",
       50: "target_current", 56: "actual_TCP_pose", 68: "actual_TCP_force", 74: "target_TCP_pose", 86: "actual_digital_input_bits",
       87: "joint_temperatures", 93: "actual_execution_time", 95: "robot_mode", 96: "joint_mode", 102: "safety_mode",
       109: "actual_tool_accelerometer", 118: "speed_scaling", 122: "actual_main_voltage", 123: "actual_robot_voltage",
       124: "actual_robot_current", 125: "actual_joint_voltage", 131: "actual_digital_output_bits", 132: "runtime_state",
       139: "safety_status"}
OLD = {1: "timestamp", 2: "target_q", 8: "target_qd", 20: "target_current", 32: "actual_q", 38: "actual_qd", 44: "actual_current",
       50: "actual_tool_accelerometer", 68: "actual_TCP_force", 74: "actual_TCP_pose", 86: "actual_digital_input_bits",
       87: "joint_temperatures", 93: "actual_execution_time", 95: "robot_mode", 96: "joint_mode"}


def realtime(robot, state, size):
    cells, made = [0.0] * 152, {}
    for column, name in (OLD if size <= 812 else NEW).items():
        if name not in made:
            made[name] = value(robot, state, name)
        numbers = made[name]
        if size <= 812 and name == "robot_mode":  # CB2 counts otherwise
            numbers = 0 if state.safety in (NORMAL, 2) and state.mode >= IDLE else {PROTECTIVE: 4, SYSTEM_STOP: 5, ROBOT_STOP: 5, SAFEGUARD: 10}.get(
                state.safety, 7)
        if isinstance(numbers, list):
            cells[column - 1:column - 1 + len(numbers)] = numbers
        else:
            cells[column - 1] = numbers
    count = (size - 4) // 8
    return struct.pack(">i%dd" % count, size, *cells[:count])


class Streamer:
    """A port that sends of its own accord: the realtime or the primary interface."""

    def __init__(self, robot, socket, faults, make, every=1):
        self.robot, self.socket, self.faults, self.make, self.world = robot, socket, faults, make, robot.world
        self.every, self.is_first = every, True
        self.heard = b""
        socket.on_data, socket.on_end = self.read, self.end
        tick = math.ceil((self.world.now + 0.002) * robot.hz)
        self.world.at(tick / robot.hz, self.send, tick)

    def read(self, data):
        self.heard += data

    def end(self):
        if self.faults.get("hang", 1e9) > self.world.now:
            self.socket.close()

    def send(self, tick):
        robot, now = self.robot, self.world.now
        if self.socket.is_over or self.socket.ends or now >= self.faults.get("hang", 1e9) or not robot.host.is_up:
            return
        self.world.at((tick + self.every) / robot.hz, self.send, tick + self.every)
        if any(begin < now < until for begin, until in robot.skips):
            return
        self.socket.write(self.make(tick, self.is_first), True)
        self.is_first = False


# ---- the primary interface -------------------------------------------------------------------------------------------


def part(kind, body):
    return struct.pack(">IB", 5 + len(body), kind) + body


def message(kind, body):
    return struct.pack(">iB", 5 + len(body), kind) + body


def robot_message(robot, time, kind, body, source=-3):
    stamp = int((robot.start + time) * 1e6) if time is not None else 2**64 - 1
    return message(20, struct.pack(">QbB", stamp, source, kind) + body)


def key(robot, time, title, name):
    return robot_message(robot, time, 7, struct.pack(">iiB", 0, 0, len(title)) + title + name)


def error(robot, time, code, argument, level, source=-3):
    return robot_message(robot, time, 6, struct.pack(">iiiII", code, argument, level, 0, 0), source)


def primary_state(robot, state):
    runs, stop = state.runtime == PLAYING, state.safety == PROTECTIVE
    emergency = state.safety in (SYSTEM_STOP, ROBOT_STOP)
    mode = struct.pack(">Q7?BBdddB", int(state.clock * 1e6), True, True, state.mode >= IDLE, emergency, stop, runs,
                       state.runtime == PAUSED, state.mode, 0, 1.0, state.scale, 1.0, 0)
    joints = b"".join(struct.pack(">3d4fB", q, tq, v, i, 47.5, state.temperature, 0, 253 if state.mode >= IDLE else 239)
                      for q, tq, v, i in zip(state.q, state.tq, state.qd, state.current))
    place = pose(robot.arm, state.q)
    board = struct.pack(">IIBBddbbddffffBBBIBBB", state.inputs, 0, 0, 0, 0.1, 0.1, 0, 0, 0, 0, 35, 48, 0.6, 0.05, state.safety, 0, 0, 77, 0, 0, 0)
    tool = struct.pack(">BBddfBffB", 0, 0, 0.1, 0.1, 48, 0, 0.1, 30, 253)
    parts = part(0, mode) + part(1, joints) + part(4, struct.pack(">12d", *place, *[0] * 6)) + part(3, board) + part(2, tool) + \
        part(7, struct.pack(">7d", *[0] * 6, 0.2)) + part(8, struct.pack(">4B", 0, 0, 0, 0)) + part(9, bytes(48))
    return message(16, parts)


def primary_maker(robot):
    """States ten times a second, and the messages whose time has come."""
    told = set()

    def make(tick, is_first):
        data, now = b"", tick / robot.hz
        if is_first:
            version = struct.pack(">b9sBBii", 9, b"URControl", robot.version[0], robot.version[1], robot.version[2], 0) + b"01-01-2024, 00:00:00"
            data = robot_message(robot, None, 3, version, -2)
            told.update(i for i, (when, _) in enumerate(robot.messages) if when < now - 0.1)
        for i, (when, what) in enumerate(robot.messages):
            if i not in told and when <= now:
                told.add(i)
                data += what
        return data + primary_state(robot, robot.state(tick))
    return make


# ---- the dashboard ---------------------------------------------------------------------------------------------------


class Dashboard:
    def __init__(self, robot, socket, refusal=None):
        self.robot, self.socket, self.world, self.buffer, self.refusal = robot, socket, robot.world, b"", refusal
        socket.on_data, socket.on_end = self.read, socket.close
        socket.write(b"Connected: Universal Robots Dashboard Server\n")

    def read(self, data):
        self.buffer += data
        while b"\n" in self.buffer:
            line, _, self.buffer = self.buffer.partition(b"\n")
            reply = {b"stop": b"Stopped", b"play": b"Starting program", b"pause": b"Pausing program", b"power off": b"Powering off",
                     b"robotmode": b"Robotmode: RUNNING", b"running": b"Program running: true",
                     b"quit": b"Disconnected"}.get(line.strip(), b"Safetystatus: NORMAL")
            if self.refusal and line.split()[0] in (b"play", b"load"):
                reply = self.refusal
            self.world.after(0.004, self.socket.write, reply + b"\n")
            if line.strip() == b"quit":
                self.world.after(0.006, self.socket.close)
