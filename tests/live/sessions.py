"""What the fake controller does on each of its ports; controller.py has the connections and the clock."""
import struct
import time

import wire

UNCONFIRMED = "SafetySetup has not been confirmed yet, therefore no data will be send yet"
DASHBOARD = {"PolyscopeVersion": "URSoftware %d.%d.%d.%d (Jan 01 2021)", "robotmode": "Robotmode: RUNNING",
             "safetystatus": "Safetystatus: NORMAL", "safetymode": "Safetymode: NORMAL",
             "programState": "STOPPED <unnamed>", "running": "Program running: false", "get robot model": "UR5",
             "get serial number": "20215500001", "is in remote control": "true", "stop": "Stopped"}
STOPPED, PLAYING = (1,), (2,)


class Session:
    """One connection; `link` is what controller.py knows of it."""

    def __init__(self, controller, link):
        self.controller, self.link = controller, link
        self.faults, self.robot = controller.faults, controller.robot

    def opened(self):
        pass

    def received(self, data):
        """Ports that take scripts: the text is kept in the log, and does nothing."""

    def tick(self, step):
        """Every cycle of the controller."""

    def ended(self):
        pass


class Rtde(Session):
    def __init__(self, controller, link):
        super().__init__(controller, link)
        self.packages, self.protocol, self.started = wire.Packages(), 1, False
        self.recipe, self.divisor, self.inputs = None, 1, {}
        self.count = 0  # packages sent so far
        self.answers = {"V": self.version, "v": self.controller_version, "O": self.outputs, "I": self.new_inputs,
                        "S": self.start, "P": self.pause, "U": self.data, "R": self.properties, "M": lambda payload: None}

    def opened(self):
        self.inject()

    def received(self, data):
        try:
            found = self.packages.feed(data)
        except ValueError as wrong:
            self.controller.note(self.link, "bad", str(wrong))
            return self.link.end()
        for kind, payload in found:
            self.controller.note(self.link, "request", kind, payload)
            if kind in self.answers:
                self.answers[kind](payload)
        return None

    def send(self, kind, payload):
        """A reply: may be late, or never come."""
        if kind in self.faults.unanswered:
            return
        data = wire.package(kind, payload)
        late = self.faults.late.get(kind, 0)
        if late:
            self.controller.after(late, lambda: self.put(data))
        else:
            self.put(data)

    def put(self, data):
        self.link.send(data)
        self.count += 1
        self.inject()

    def inject(self):
        """Whatever the test wants to stand before the next package."""
        what = self.faults.inject.get(self.count)
        if what is not None:
            self.link.send(what(self) if callable(what) else what)

    def text(self, message, source="", level=wire.INFO):
        self.link.send(wire.text_package(message, source, level, self.protocol))

    # ---- requests

    def version(self, payload):
        wanted = struct.unpack(">H", payload)[0]
        accepted = 1 <= wanted <= self.faults.max_version
        if accepted:  # what follows the reply is in its format
            self.protocol = wanted
        self.send("V", bytes([accepted]))

    def controller_version(self, _payload):
        numbers = self.robot.version[:3 if self.faults.short_version else 4]
        self.send("v", struct.pack(">%dI" % len(numbers), *numbers))

    def outputs(self, payload):
        frequency = self.robot.hz
        if self.protocol >= 2:
            frequency = struct.unpack_from(">d", payload)[0]
            payload = payload[8:]
        names = names_of(payload)
        types = [self.output_type(name) for name in names]
        good = "NOT_FOUND" not in types and names
        self.recipe = wire.Recipe(names, types) if good else None
        self.divisor = max(1, int(self.robot.hz / frequency)) if frequency > 0 else 1
        self.send("O", (bytes([bool(good)]) if self.protocol >= 2 else b"") + ",".join(types).encode())

    def output_type(self, name):
        direction = self.robot.variables.get(name, ("", ""))[0]
        if direction in ("output", "both") and name not in self.faults.hide:
            return self.robot.type_of(name, self.protocol)
        return "NOT_FOUND"

    def new_inputs(self, payload):
        names = names_of(payload)
        taken = self.controller.taken(self.link) | set(self.faults.in_use)
        types = [self.input_type(name, taken) for name in names]
        good = names and not {"NOT_FOUND", "IN_USE"} & set(types) and len(self.inputs) < 255
        number = 0
        if good:
            number = len(self.inputs) + 1
            self.inputs[number] = wire.Recipe(names, types)
        self.send("I", bytes([number]) + ",".join(types).encode())

    def input_type(self, name, taken):
        direction = self.robot.variables.get(name, ("", ""))[0]
        if direction not in ("input", "both") or name in self.faults.hide:
            return "NOT_FOUND"
        return "IN_USE" if name in taken else self.robot.type_of(name, self.protocol)

    def start(self, _payload):
        accepted = self.recipe is not None and not self.faults.refuse_start
        if accepted and self.faults.unconfirmed:
            self.text(UNCONFIRMED, "", 0)
        elif accepted:
            self.started = True
            self.record(self.robot.step, self.faults.data_before_start)
        self.send("S", bytes([accepted]))

    def pause(self, _payload):
        self.record(self.robot.step, self.faults.data_after_pause if self.started else 0)
        self.started = False
        self.send("P", b"\1")

    def properties(self, payload):
        """None is known: types only."""
        types = ",".join("NOT_FOUND" for _ in names_of(payload)).encode()
        self.send("R", struct.pack(">H", len(types)) + types)

    def data(self, payload):
        """An input package: its values are kept, and read back by outputs of the same names."""
        recipe = self.inputs.get(payload[0])
        if recipe is None or len(payload) != 1 + recipe.struct.size:
            return self.controller.note(self.link, "bad", "an input package of recipe %d" % payload[0])
        values = recipe.unpack(payload[1:])
        self.robot.kept.update(values)
        if values.get("speed_slider_mask", (0,))[0] and "speed_slider_fraction" in values:
            self.robot.kept["target_speed_fraction"] = values["speed_slider_fraction"]
        return self.controller.note(self.link, "input", values)

    # ---- data

    def tick(self, step):
        if self.started and step % self.divisor == 0:
            if self.link.is_full():
                self.controller.note(self.link, "dropped", step)
            else:
                self.record(step)

    def record(self, step, times=1):
        values = self.robot.values(self.recipe.names, step)
        package = wire.package("U", (b"\1" if self.protocol >= 2 else b"") + self.recipe.pack(values))
        for _ in range(times):
            begun = time.time_ns()
            self.put(package)
            self.controller.record(self.link, step, values, begun)


class Realtime(Session):
    """30003 and 30013: packets from the first moment. `inject` counts packets."""

    def __init__(self, controller, link):
        super().__init__(controller, link)
        self.count = 0

    def tick(self, step):
        if self.link.is_full():
            self.controller.note(self.link, "dropped", step)
            return
        what = self.faults.inject_realtime.get(self.count)
        if what is not None:
            self.link.send(what)
        values, begun = self.robot.packet_values(step), time.time_ns()
        self.link.send(self.robot.layout.pack(values))
        self.count += 1
        self.controller.record(self.link, step, values, begun)


class Script(Realtime):
    """30003 also takes programs: SDU's control script, for one, sets the program state."""

    def received(self, data):
        take_script(self, data)


class Primary(Session):
    """30001, 30002 and their read-only twins: the version message, then robot states at 10 Hz."""

    def opened(self):
        self.link.send(version_message(self.robot.version))
        self.link.send(robot_state(self.robot, self.robot.step))

    def received(self, data):
        if not self.link.role.endswith("_ro"):
            take_script(self, data)

    def tick(self, step):
        if step % (self.robot.hz // 10) == 0 and not self.link.is_full():
            begun = time.time_ns()
            self.link.send(robot_state(self.robot, step))
            self.controller.record(self.link, step, self.robot.values(("actual_q", "actual_TCP_pose"), step), begun)


class Dashboard(Session):
    def __init__(self, controller, link):
        super().__init__(controller, link)
        self.rest = b""

    def opened(self):
        self.say("Connected: Universal Robots Dashboard Server")

    def say(self, text):
        self.link.send(text.encode() + b"\n")

    def received(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            asked = line.decode(errors="replace").strip()
            self.controller.note(self.link, "request", asked)
            if asked == "stop":
                self.robot.kept["runtime_state"] = STOPPED
            answer = DASHBOARD.get(asked, "could not understand: '%s'" % asked)
            self.say(answer % self.robot.version if "%d" in answer else answer)


SESSIONS = {"rtde": Rtde, "realtime": Script, "realtime_ro": Realtime, "primary": Primary, "secondary": Primary,
            "primary_ro": Primary, "secondary_ro": Primary, "dashboard": Dashboard}
PORTS = {"rtde": 30004, "realtime": 30003, "realtime_ro": 30013, "primary": 30001, "secondary": 30002, "primary_ro": 30011,
         "secondary_ro": 30012, "dashboard": 29999}


def take_script(session, data):
    """A program starts when its text arrives, and stops when told to."""
    session.controller.note(session.link, "script", data)
    if b"stop program" in data:
        session.robot.kept["runtime_state"] = STOPPED
    elif b"def " in data:
        session.robot.kept["runtime_state"] = PLAYING


def names_of(payload):
    """A comma or a line end at the end is no name."""
    return [name for name in payload.decode(errors="replace").rstrip("\r\n").split(",") if name]


def version_message(version):
    name, date = b"URControl", b"01-01-2021, 00:00:00"
    return wire.primary(wire.VERSION_MESSAGE, struct.pack(">QBBB", 0, 254, 3, len(name)) + name +
                        struct.pack(">BBII", *version) + date)


def robot_state(robot, step):
    values = robot.values(("actual_q", "target_q", "actual_qd", "actual_current", "actual_TCP_pose", "robot_mode",
                           "runtime_state"), step)
    time = int(robot.one("timestamp", step)[0] * 1e6)
    joints = [one for i in range(6) for one in (values["actual_q"][i], values["target_q"][i], values["actual_qd"][i],
                                                values["actual_current"][i], 48.0, 30.0, 0.0, 253)]
    return wire.primary(wire.ROBOT_STATE, b"".join((
        wire.sub_package(0, "Q7?BBdddB", time, True, True, True, False, False, values["runtime_state"] == PLAYING,
                         False, values["robot_mode"][0], 0, 1.0, 1.0, 1.0, 0),
        wire.sub_package(1, "dddffffB" * 6, *joints),
        wire.sub_package(4, "12d", *values["actual_TCP_pose"], *(0.0,) * 6),
        wire.sub_package(5, "6I24dI", *(1,) * 6, *(0.0,) * 24, 2),
        wire.sub_package(6, "53d4i", *(1.0,) * 53, 1, 1, 1, 2))))
