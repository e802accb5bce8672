"""ur_rtde's client and its script on the robot, as the facts describe them: set-ups, commands and answers by release."""
import csv
import os
import re
import struct

import primary_wire
import robot_capture
from robot_capture import message

DATA = os.path.join(os.environ.get("srcdir", "."), "tests", "unit", "data")


def rows(name):
    with open(os.path.join(DATA, name), newline="") as file:
        return list(csv.DictReader(file))


RELEASES = [row["version"] for row in rows("ur_rtde_versions.csv")]
HISTORY = rows("ur_rtde_commands_history.csv")
TYPES = {"iI": "INT32", "iD": "DOUBLE", "oI": "INT32", "oD": "DOUBLE"}
WORDS = {"iI": "input_int_register_", "iD": "input_double_register_", "oI": "output_int_register_",
         "oD": "output_double_register_"}
CODES = {"INT32": "i", "DOUBLE": "d", "UINT8": "B", "UINT32": "I", "VECTOR6D": "6d"}
OTHERS = {"external_force_torque": "VECTOR6D", "standard_digital_output_mask": "UINT8", "standard_digital_output": "UINT8",
          "tool_digital_output_mask": "UINT8", "tool_digital_output": "UINT8", "configurable_digital_output_mask": "UINT8",
          "configurable_digital_output": "UINT8", "speed_slider_mask": "UINT32", "speed_slider_fraction": "DOUBLE",
          "standard_analog_output_mask": "UINT8", "standard_analog_output_type": "UINT8",
          "standard_analog_output_0": "DOUBLE", "standard_analog_output_1": "DOUBLE"}
IO_RECIPES = ["", "standard_digital_output_mask standard_digital_output", "tool_digital_output_mask tool_digital_output",
              "speed_slider_mask speed_slider_fraction",
              "standard_analog_output_mask standard_analog_output_type standard_analog_output_0 standard_analog_output_1",
              "configurable_digital_output_mask configurable_digital_output"]
IO_NAMES = {"SET_STD_DIGITAL_OUT": [2], "SET_TOOL_DIGITAL_OUT": [3], "SET_SPEED_SLIDER": [4], "SET_STD_ANALOG_OUT": [5],
            "SET_CONF_DIGITAL_OUT": [6], "SET_INPUT_INT_REGISTER": range(7, 12), "SET_INPUT_DOUBLE_REGISTER": range(12, 17)}
NO_BRANCH = ("SET_INPUT_INT_REGISTER", "SET_INPUT_DOUBLE_REGISTER", "SET_EXTERNAL_FORCE_TORQUE", "NO_CMD", "WATCHDOG")
SINCE = {"SERVOJ": "1.0.0", "SERVOL": "1.0.0", "SERVOC": "1.0.0", "SPEEDJ": "1.0.0", "SPEEDL": "1.0.0", "FORCE_MODE": "1.3.0",
         "GET_JOINT_TORQUES": "1.4.3", "TOOL_CONTACT": "1.4.3", "GET_STEPTIME": "1.4.3",
         "GET_ACTUAL_JOINT_POSITIONS_HISTORY": "1.4.3", "SET_EXTERNAL_FORCE_TORQUE": "1.5.6"}


def is_in(row, release):
    at = RELEASES.index(release)
    return RELEASES.index(row["version_from"]) <= at <= RELEASES.index(row["version_to"])


class Table:
    """What a release sets up and writes: `recipes` by id, `commands` as (code, name, recipe id)."""

    def __init__(self, release):
        self.release, self.recipes, self.commands, self.io = release, {}, [], {}
        for row in HISTORY:
            if not is_in(row, release):
                continue
            if row["recipe_id"] == "-":
                self.io.update({(int(row["code"]), i): row["name"] for i in IO_NAMES[row["name"]]})
                continue
            for number, fields in zip(row["recipe_id"].split("|"), row["recipe_fields"].split("|")):
                self.recipes[int(number)] = fields.split()
                if row["name"] not in ("NO_CMD", "WATCHDOG"):
                    self.commands.append((int(row["code"]), row["name"], int(number)))
        self.clear = next(i for i, fields in sorted(self.recipes.items()) if fields == ["iI0"])

    def no_wait(self, name):
        return name in SINCE and RELEASES.index(self.release) >= RELEASES.index(SINCE[name])

    def io_recipes(self):
        old = RELEASES.index(self.release) < RELEASES.index("1.4.1")
        register = "iI20" if old else "iI23"
        count = 6 if RELEASES.index(self.release) >= RELEASES.index("1.3.8") else 5
        recipes = {i + 1: [register] + IO_RECIPES[i].split() for i in range(count)}
        if RELEASES.index(self.release) >= RELEASES.index("1.4.3"):
            recipes.update({7 + i: [register, "iI%d" % (18 + i)] for i in range(5)})
            recipes.update({12 + i: [register, "iD%d" % (18 + i)] for i in range(5)})
        return recipes

    def script(self, offset, header=True, form="next", more=()):
        """A script of the same shape, with a branch for each code, and for `more`. The client puts the offset behind the line that
        is to have it: `next`. `same`: as a corrected one would; `none`: a script that was sent without it."""
        branches = sorted({code for code, name, _ in self.commands if name not in NO_BRANCH and code != 255} -
                          ({44} if self.release == "1.3.6" else set()) | set(more))
        lines = ["def rtde_control():"] if header else ["# HEADER_BEGIN"]
        if RELEASES.index(self.release) >= RELEASES.index("1.3.9"):
            same, following = (("%d " % offset, "") if form == "same" else ("", str(offset) if form == "next" else ""))
            lines += ["    global reg_offset_float = %s# float register offset" % same,
                      following + "    global reg_offset_int = %s# int register offset" % same,
                      following + "    global force_mode_type = 2"]
        lines += ["  def process(cmd):"]
        for i, code in enumerate(branches + [255]):
            lines += ["    %s cmd == %d:" % ("elif" if i else "if", code), "      textmsg(\"%d\")" % code]
        lines += ["    end", "    return cmd != 255", "  end", "  while process(read_input_integer_register(0)):",
                  "    if cmd == 9 or cmd == 24:", "      sync()", "    end", "  end"]
        return ("\n".join(lines + (["end"] if header else [])) + "\n").encode()


def name_of(field, offset):
    match = re.fullmatch(r"([io][ID])(\d+)", field)
    return WORDS[match[1]] + str(int(match[2]) + offset) if match else field


def type_of(field):
    return OTHERS.get(field) or TYPES[field[:2]]


OUTPUTS = ["oI0", "oI1", "oD0", "oD1", "oD2", "oD3", "oD4", "oD5", "oI2"]


class Client:
    """A client of RTDEControlInterface or, with `io`, of RTDEIOInterface, and the robot that answers it."""

    def __init__(self, capture, table, offset=0, io=False, port=40001, robot="10.0.0.2", time=0.0, handshake=True, recipes=None,
                 outputs=None, comma=",", refused=()):
        self.capture, self.table, self.offset, self.time = capture, table, offset, time
        self.client, self.robot = ("10.0.0.9", port), (robot, 30004)
        self.recipes = recipes or (table.io_recipes() if io else table.recipes)
        self.outputs, self.state, self.comma = outputs or OUTPUTS, 1, comma
        self.results = {}
        if not handshake:
            return
        capture.segment(time, self.client, self.robot, b"", 2)
        capture.segment(time, self.robot, self.client, b"", 0x12)
        capture.segment(time, self.client, self.robot, b"", 0x10)
        self.ask("V", b"\0\2", b"\1")
        if not io:
            self.ask("O", struct.pack(">d", 500) + self.names(self.outputs),
                     b"\1" + ",".join(self.type_of_output(field) for field in self.outputs).encode())
        for number in sorted(self.recipes):
            fields = self.recipes[number]
            answer = bytes([number]) + ",".join(type_of(field) for field in fields).encode()
            if number in refused:
                answer = b"\0" + b"INT32," + b"NOT_FOUND"
            self.ask("I", self.names(fields), answer)
        if not io:
            self.ask("S", b"", b"\1")

    def type_of_output(self, field):
        return {"robot_status_bits": "UINT32", "safety_status_bits": "UINT32", "runtime_state": "UINT32"}.get(field) or type_of(field)

    def names(self, fields):
        return (",".join(name_of(field, self.offset) for field in fields) + self.comma).encode()

    def tick(self, seconds=0.002):
        self.time += seconds
        return self.time

    def ask(self, kind, question, answer):
        self.capture.segment(self.tick(0.0005), self.client, self.robot, message(kind, question))
        self.capture.segment(self.tick(0.0005), self.robot, self.client, message(kind, answer))

    def write(self, recipe, code, values=(), fields=None, is_lost=False):
        """Writes a code and what follows it. Returns the time."""
        fields = self.recipes[recipe] if fields is None else fields
        body = bytes([recipe])
        for field, value in zip(fields, [code] + list(values)):
            kind = CODES[type_of(field)]
            body += struct.pack(">" + kind, *(value if kind == "6d" else [value]))
        self.capture.segment(self.tick(), self.client, self.robot, message("U", body), is_lost=is_lost)
        return self.time

    def say(self, state=None, is_lost=False, **others):
        """A package from the robot, with the script's state."""
        self.state = self.state if state is None else state
        self.results.update(others)
        body = b"\1"
        for field in self.outputs:
            code = CODES.get(self.type_of_output(field))
            body += struct.pack(">" + code, self.state if field == "oI0" else self.results.get(field, 0))
        self.capture.segment(self.tick(), self.robot, self.client, message("U", body), is_lost=is_lost)
        return self.time

    def finish(self, code, recipe, values=(), cycles=1, **results):
        """A command that the client waits for."""
        self.say(1)
        begin = self.write(recipe, code, values)
        for _ in range(cycles - 1):
            self.say()
        done = self.say(2, **results)
        end = self.write(self.table.clear, 0)
        self.say(1)
        return begin, done, end

    def close(self):
        self.capture.segment(self.tick(), self.client, self.robot, b"", 0x11)
        self.capture.segment(self.tick(), self.robot, self.client, b"", 0x11)
        self.capture.segment(self.tick(), self.client, self.robot, b"", 0x10)


def telemetry(port):
    """What the robot sends by itself on a port that takes scripts."""
    if port == 30003:
        return [struct.pack(">Id", 1220, 100 + i * 0.002) + bytes(1208) for i in range(3)]
    if port == 30002:
        states = [[part.pack(primary_wire.value_of(i)) for part in primary_wire.regular_parts()] for i in range(2)]
        return [primary_wire.version(5, 8, 0)] + [primary_wire.state(parts) for parts in states]
    return []


def upload(capture, text, time, port=30003, robot="10.0.0.2", client_port=41000):
    """Sends a script: to the robot's port, or for 50002 from the PC to which the robot connects."""
    here, there = ("10.0.0.9", client_port), (robot, port)
    caller = here
    if port == 50002:
        here, there = ("10.0.0.9", port), (robot, client_port)
        caller = there
    called = there if caller == here else here
    capture.segment(time, caller, called, b"", 2)
    capture.segment(time, called, caller, b"", 0x12)
    capture.segment(time, caller, called, b"", 0x10)
    if port == 50002:
        capture.segment(time, there, here, b"request_program\n")
    for package in telemetry(port):
        capture.segment(time, there, here, package)
    for at in range(0, len(text), 1400):
        capture.segment(time + 1e-5 * at / 1400, here, there, text[at:at + 1400])


def values_of(fields, start=1):
    """A value of its own for each field behind the code."""
    values = []
    for i, field in enumerate(fields[1:], start):
        kind = type_of(field)
        values.append([i + k / 8 for k in range(6)] if kind == "VECTOR6D" else i + 0.5 if kind == "DOUBLE" else i)
    return values


Capture = robot_capture.Capture
