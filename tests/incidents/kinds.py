"""Incidents whose cause and side are known by construction, and cells in which nothing is wrong. Each kind builds a cell
and returns what an incident has to say about it: kinds of findings and their arguments."""
import csv
import os
import struct

import cell as robots
from cell import Cell, wire
from network import ACK, FIN, Capture, generator

FIELDBUS = 207  # C207: another machine's input is gone, or what is between: nothing tells which


def argument_joints():
    """The joint that UR's list gives for (code, argument)."""
    with open(os.path.join(wire.DATA, "robot_errors.csv"), encoding="utf-8") as file:
        return {(int(row["code"]), int(row["argument"])): row["joint"]
                for row in csv.DictReader(file) if row["argument"] and row["joint"]}


class Truth:
    """`ids`: beginnings of the ids that the cause may have, none if the capture does not show it; `args`: arguments of the finding
    that names it."""

    def __init__(self, time, sides, ids=(), args=None, needs="", not_ids=(), not_args=(), of_stream=False, asks_for="",
                 status=None):
        self.time, self.sides, self.ids, self.args = time, set(sides), tuple(ids), args or {}
        self.needs = needs  # an id of the decoder that the cause needs
        self.not_ids, self.not_args = tuple(not_ids), not_args  # what is not to be blamed
        self.of_stream = of_stream  # it is about data: no robot stopped
        self.asks_for = asks_for  # the source that would have shown the cause
        self.status = status  # of diagnose; None: any
        self.other_sides = set()  # of incidents about something else that is in the capture
        self.robot = ""


class Style:
    """What differs between the set to develop with and the one held out."""

    def __init__(self, name, rng):
        held_out = name.startswith("held out")
        self.rng, self.is_held_out = rng, held_out
        self.rate = rng.choice([62.5, 125, 250, 500, 500 / 3] if held_out else [125, 500])
        self.mss = rng.choice([536, 1220, 1440, 8948] if held_out else [1448])
        self.pace = rng.choice([1, 1, 2, 3] if held_out else [1])
        self.is_v6 = held_out and rng.random() < 0.3
        self.vlan = rng.randrange(2, 4000) if held_out and rng.random() < 0.3 else None
        self.is_nano = not held_out or rng.random() < 0.5
        self.every = rng.choice([0.096, 0.1, 0.04] if held_out else [0.1])
        self.release = rng.choice([(5, 9, 4), (5, 13, 0), (3, 15, 8), (5, 4, 0)] if held_out else [(5, 9, 4)])
        self.loss = rng.choice([0, 0.002, 0.01, 0.03] if held_out else [0, 0, 0.005])
        self.swaps = rng.choice([0, 0, 0.01] if held_out else [0])
        self.realtime_size = rng.choice([0, 0, 0, 1108, 1116, 1220] if held_out else [0, 0, 0, 1108])
        self.copies = held_out and rng.random() < 0.15
        self.port = rng.choice([30001, 30001, 30011] if held_out else [30001])
        self.codes = [(153, 2), (153, 4), (157, 0), (158, 1), (204, 1), (205, 0), (4, 14), (206, 3)]
        if held_out:
            self.codes = [(153, 1), (159, 0), (163, 5), (191, 34), (173, 8), (174, 7), (283, 51), (204, 2), (207, 0),
                          (50, 12), (206, 0), (4, 12), (194, 129)]

    def cell(self, number=1, seconds=0.0):
        seconds = seconds or self.rng.uniform(5, 8 if self.is_held_out else 6)
        return Cell(self.rng, number, seconds, self.release, self.is_v6, self.mss)

    def rtde(self, cell, **options):
        fields = ["timestamp", "actual_q", "robot_mode", "safety_status", "runtime_state", "speed_scaling"]
        if self.is_held_out and self.rng.random() < 0.5:
            fields = ["actual_current", "runtime_state", "safety_mode", "robot_mode", "timestamp", "target_q",
                      "actual_digital_input_bits"]
        if self.release[0] < 5:
            fields = [name.replace("safety_status", "safety_mode") for name in fields]
        rate = min(self.rate, 125) if self.release[0] < 5 else self.rate
        return cell.rtde(rate, fields=fields, pace=self.pace, **options)

    def stream(self, cell):
        """RTDE, or the older interface."""
        if self.realtime_size:
            return cell.realtime(self.realtime_size, 125 if self.realtime_size <= 1108 else 500)
        return self.rtde(cell)

    def primary(self, cell, **options):
        return cell.primary(self.port, every=self.every, **options)

    def time(self, cell):
        return self.rng.uniform(2.5, cell.seconds - 2)

    def soon(self, low, high):
        """How long one thing follows another."""
        return self.rng.uniform(low, high * (2 if self.is_held_out else 1))


def called(safety):
    return {5: "safeguard", 6: "emergency", 7: "robot-emergency"}[safety]


def coded(code):
    return {"code": code[0], "argument": code[1]}


# ---- the controller says why ----------------------------------------------------------------------------------------


def tell_code(cell, style, time, code, argument, **options):
    data = (3, struct.unpack(">I", struct.pack(">f", 312.5))[0]) if code == 283 else (1, style.rng.randrange(9))
    cell.error(time, code, argument, style.rng.choice([robots.VIOLATION, robots.VIOLATION, robots.FAULT]), data, **options)
    joint = argument_joints().get((code, argument))
    return {**coded((code, argument)), **({"joint_name": joint.lower()} if joint else {})}


def sides_of(code):
    return [] if code[0] == FIELDBUS else ["robot"]


def protective_stop(style):
    cell = style.cell()
    time = style.time(cell)
    cell.stop(time)
    style.stream(cell)
    style.primary(cell)
    code = style.rng.choice(style.codes)
    args = tell_code(cell, style, time + style.soon(-0.06, 0.2), *code)
    if style.rng.random() < 0.5:
        cell.key(time + 0.3, b"PROGRAM_XXX_STOPPED", b"main")
    return [cell], Truth(time, sides_of(code), ("ur.error",), args, needs="ur.error")


def protective_stop_cut(style):
    """The capture begins in the middle of all connections, or ends soon after the stop."""
    cells, truth = protective_stop(style)
    if style.rng.random() < 0.5:
        style.begin = truth.time - style.rng.uniform(1, 2)
    else:
        style.end = truth.time + style.rng.uniform(0.6, 1)
    return cells, truth


def protective_stop_of_commands(style):
    """The capture lacks commands of the driver: that is no hole in what it sent."""
    cells, truth = protective_stop(style)
    cell = cells[0]
    cell.commands(0.5, truth.time + 0.3, rate=500 if style.release[0] >= 5 else 125, timeout=0.2)
    style.loss, style.loss_of = 0.05, cell.command_link
    return cells, truth


def protective_stop_after_hole(style):
    """A hole in the driver's commands which the robot's program outlived: the stop has another cause."""
    cells, truth = protective_stop(style)
    timeout, before = style.rng.choice([0.02, 0.1, 0.2]), style.rng.uniform(0.6, 1.4)
    hole = truth.time - before, truth.time - before + timeout * style.rng.uniform(1.1, 1.5)
    cells[0].commands(0.5, truth.time + 0.3, 500 if style.release[0] >= 5 else 125, timeout, holes=[hole])
    truth.not_ids, truth.other_sides = ("command.",), {"client"}
    return cells, truth


def protective_stop_of_old_driver(style):
    """Its commands count reads of 20 ms: they are no times, which would all be exceeded."""
    cells, truth = protective_stop(style)
    cells[0].commands(0.5, truth.time + 0.3, 125, timeout=style.rng.choice([0.001, 0.002, 0.005]))
    truth.not_ids = ("command.",)
    return cells, truth


def runtime_exception(style):
    """Of a program on the controller."""
    cell = style.cell()
    time = style.time(cell)
    cell.end_program(time)
    style.stream(cell)
    style.primary(cell)
    text, line = style.rng.choice([(b"Type error: str_sub takes exact 3 arguments", 12), (b"index out of range", 88),
                                   (b"List index out of bounds: 7", 140)]), style.rng.randrange(3, 300)
    cell.exception(time + style.soon(-0.02, 0.05), line, 3, text[0])
    cell.key(time + 0.1, b"PROGRAM_XXX_STOPPED", b"pick")
    return [cell], Truth(time, ["robot"], ("ur.exception",), {"quoted": text[0].decode()}, needs="ur.exception")


def exception_of_script(style):
    """Of a script that a client sent; the script that played ends."""
    cell = style.cell()
    time = style.time(cell)
    cell.end_program(time)
    style.stream(cell)
    style.primary(cell)
    name = style.rng.choice([b"txtmsg", b"movejj", b"popupp"])
    script = b"def task():\n  movej([0, -1.57, 0, -1.57, 0, 0])\n  " + name + b"(1)\nend\n"
    cell.script(time - style.soon(0.01, 0.1), script, style.rng.choice([30001, 30002]))
    cell.exception(time + style.soon(0.0, 0.05), 3, 3, b"compile_error_name_not_found:" + name + b":")
    cell.key(time + 0.1, b"PROGRAM_XXX_STOPPED", b"main")
    return [cell], Truth(time, ["client"], ("ur.exception",),
                         {"quoted": "compile_error_name_not_found:" + name.decode() + ":"}, needs="ur.exception")


def popup(style):
    """The program shows an error and halts."""
    cell = style.cell()
    time = style.time(cell)
    cell.end_program(time)
    style.stream(cell)
    style.primary(cell)
    title, text = style.rng.choice([(b"Gripper", b"vacuum lost at station %d"), (b"Feeder", b"no part in tray %d"),
                                    (b"Welder", b"no arc after %d ms")])
    text = text % style.rng.randrange(2, 90)
    cell.popup(time - style.soon(0.01, 0.2), title, text)
    cell.key(time + 0.06, b"PROGRAM_XXX_STOPPED", b"main")
    return [cell], Truth(time, ["robot"], ("ur.popup",), {"quoted": text.decode()}, needs="ur.popup")


def emergency_stop(style, safety=None):
    cell = style.cell()
    time, safety = style.time(cell), safety or style.rng.choice([robots.SYSTEM_EMERGENCY, robots.ROBOT_EMERGENCY])
    cell.change(time, safety=safety, runtime=robots.STOPPING)
    cell.change(time + 0.05, runtime=robots.STOPPED)
    if style.rng.random() < 0.7:
        style.stream(cell)
    style.primary(cell)
    if style.rng.random() < 0.5:
        cell.tell(time + 0.02, robots.SAFETY_MODE, struct.pack(">iiBII", 0, 0, safety, 1, 0), tag="")
    if style.rng.random() < 0.3:
        style.begin = time - style.rng.uniform(1, 2)
    return [cell], Truth(time, ["robot"], ("safety.stop",), {"case": called(safety)})


def safeguard_stop(style):
    return emergency_stop(style, robots.SAFEGUARD)


def rtde_exception(style):
    """The controller says it over RTDE."""
    cell = style.cell()
    time = style.time(cell)
    cell.stop(time)
    style.rtde(cell)
    text = style.rng.choice([b"register 24 out of range", b"watchdog of the input expired"])
    level = style.rng.choice([0, 1])
    cell.text(time + style.soon(-0.05, 0.2), level, text)
    return [cell], Truth(time, ["robot"], ("rtde.text.",), {"quoted": text.decode()})


# ---- somebody else --------------------------------------------------------------------------------------------------


def dashboard_stop(style):
    """A second client stops the program, or takes the arm's power, while the first reads."""
    cell = style.cell()
    time = style.time(cell)
    command, reply = style.rng.choice([(b"stop", b"Stopped"), (b"power off", b"Powering off"),
                                       (b"pause", b"Pausing program")])
    if command == b"pause":
        cell.change(time, runtime=robots.PAUSING)
        cell.change(time + 0.05, runtime=robots.PAUSED)
    else:
        cell.end_program(time)
    if command == b"power off":
        cell.change(time + 0.4, robot_mode=3)
    style.stream(cell)
    if style.rng.random() < 0.7:
        style.primary(cell)
        if command != b"pause":
            cell.key(time + 0.06, b"PROGRAM_XXX_STOPPED", b"main")
    asked = time - style.soon(0.02, 0.2)
    lines = [(0.5 + i * 0.7, b"robotmode", b"Robotmode: RUNNING", "") for i in range(int((asked - 0.6) / 0.7))]
    cell.dashboard(0.3, lines + [(asked, command, reply, "cause")])
    return [cell], Truth(time, ["client"], ("dashboard.",), {"quoted": command.decode()}, needs="dashboard.refused")


def program_replaced(style):
    """A client's new script ends the one that plays."""
    cell = style.cell()
    time = style.time(cell)
    cell.end_program(time)
    cell.change(time + 0.12, runtime=robots.PLAYING)
    style.stream(cell)
    style.primary(cell)
    name = style.rng.choice([b"hello", b"set_tool", b"my_move"])
    cell.script(time - style.soon(0.01, 0.1), b"def " + name + b"():\n  set_digital_out(1, True)\nend\n",
                style.rng.choice([30001, 30002, 30003] if not style.is_held_out else [30001, 30002]))
    cell.key(time + 0.07, b"PROGRAM_XXX_STOPPED", b"main")
    cell.key(time + 0.11, b"PROGRAM_XXX_STARTED", name)
    return [cell], Truth(time, ["client"], ("ur.program",), {"quoted_name": name.decode()}, needs="ur.program")


# ---- programs that end --------------------------------------------------------------------------------------------------


def reader(style, cell):
    """Any of the interfaces that show a program's state, or several."""
    ways = [lambda: style.rtde(cell), lambda: style.primary(cell), lambda: cell.realtime(
        style.rng.choice([1060, 1108, 1116, 1140, 1220]), style.rng.choice([125, 500]))]
    for way in style.rng.sample(ways, style.rng.choice([1, 1, 2, 3])):
        way()


def stopped_on_pendant(style):
    """Nothing on the wire asks for it."""
    style.loss = style.swaps = 0
    cell = style.cell()
    time = style.time(cell)
    cell.end_program(time)
    reader(style, cell)
    return [cell], Truth(time, [], status=0)


def stopped_in_a_stop(style):
    """Somebody ends the program long after the stop that held it up: the stop is why."""
    cell = style.cell(seconds=9)
    time = style.rng.uniform(2, 3)
    cell.stop(time, style.rng.choice([robots.PROTECTIVE, robots.SAFEGUARD]))
    cell.change(time + style.rng.uniform(1.3, 5), runtime=robots.STOPPED)
    cell.change(8, safety=robots.NORMAL)
    reader(style, cell)
    return [cell], Truth(time, ["robot"], status=1)


def power_lost(style):
    """The arm loses its power or its controller: before the program ends, with it or after it."""
    cell = style.cell()
    time, mode = style.time(cell), style.rng.choice([3, 3, 0, 5, -1])
    after = style.rng.choice([0, style.rng.uniform(0.01, 0.8)])
    if style.rng.random() < 0.5:
        cell.change(time, robot_mode=mode)
        if after:
            cell.change(time + after, runtime=robots.STOPPED)
    else:
        cell.change(time, runtime=robots.STOPPING)
        cell.change(time + after, robot_mode=mode, runtime=robots.STOPPED)
    reader(style, cell)
    return [cell], Truth(time, [], ("mode.changed",), {"case": "power-lost"}, status=1)


def line_of_another(style):
    """A line is a program of its own."""
    line = style.rng.choice([b"movej([0, -1.57, 0, -1.57, 0, 0])", b"stopj(2)", b"global ready = True"])
    return script_of_another(style, line + style.rng.choice([b"\n", b"\r\n"]), {"quoted_line": line.decode()})


def script_of_another(style, script=b"def other():\n  movej([0, -1.57, 0, -1.57, 0, 0])\nend\n", said=None):
    """Another client's script ends the program that runs."""
    cell = style.cell()
    time = style.time(cell)
    cell.end_program(time)
    if style.rng.random() < 0.5:
        cell.change(time + 0.2, runtime=robots.PLAYING)
    reader(style, cell)
    cell.script(time - style.soon(0.005, 0.3), script, style.rng.choice([30001, 30002]))
    return [cell], Truth(time, ["client"], ("ur.program",), said or {"quoted_name": "other"}, status=1)


def beside_scripts(style):
    """The program ends by itself: what another client sent replaces none, or came before the program began."""
    style.loss = style.swaps = 0
    cell = style.cell()
    time, kind = style.time(cell), style.rng.randrange(3)
    script = style.rng.choice([b"sec io():\n  if True:\n  set_digital_out(1, True)\nend\ntextmsg(1)\nend\n", b"# hello\n\n",
                               b"set speed 0.5\n"])
    if kind == 0:
        cell.change(0, runtime=robots.STOPPED)
        cell.change(time - 0.3, runtime=robots.PLAYING)
        script = b"set_digital_out(1, True)\n"
    cell.end_program(time)
    style.rtde(cell)
    cell.script(time - 0.35 if kind == 0 else time - style.soon(0.005, 0.3), script, style.rng.choice([30001, 30002]))
    return [cell], Truth(time, [], status=0)


def next_script(style):
    """A client sends one script after another: the last one ends the one before, as it means to."""
    style.loss = style.swaps = 0
    cell = style.cell()
    time = style.time(cell)
    cell.change(1.3, runtime=robots.STOPPED)
    cell.change(1.6, runtime=robots.PLAYING)
    cell.end_program(time)
    cell.change(time + 0.1, runtime=robots.PLAYING)
    style.rtde(cell, begin=1.4)
    for when, name in ((1.5, b"first"), (time - 0.02, b"second")):
        cell.script(when, b"def " + name + b"():\n  sleep(9)\nend\n")
    return [cell], Truth(time, ["client"], ("ur.program",), {"quoted_name": "second"}, status=0)


def external_control(style, seconds=0.0):
    cell = style.cell(seconds=seconds)
    cell.driver_rate = 500 if style.release[0] >= 5 else 125
    cell.timeout = style.rng.choice([0.02, 0.1, 0.2] if style.is_held_out else [0.02])
    return cell


def time_out(cell, time):
    """The robot waits for a command in vain: its script ends."""
    cell.tell(time, robots.TEXT, robots.KEEP_ALIVE_TEXT)
    cell.key(time + 0.02, b"PROGRAM_XXX_STOPPED", b"main")
    cell.command_link.close(time + 0.03, 0)


def driver_silent(style):
    """The driver sends no commands any more; the network is well."""
    cell = external_control(style)
    time = style.time(cell)
    ends = time + cell.timeout + 0.002
    cell.end_program(ends)
    style.stream(cell)
    style.primary(cell)
    cell.commands(0.5, time, cell.driver_rate, cell.timeout)
    time_out(cell, ends + style.soon(0.001, 0.01))
    if style.rng.random() < 0.4:
        # What the network does to another connection, long before, is no cause.
        cell.primary_link.held.append((time - 1.7, time - 1.5, 1))
        cell.primary_link.are_acks_lost = True
    return [cell], Truth(ends, ["client"], ("command.",), needs="command.gap")


def driver_not_captured(style):
    """The same, but without the driver's port in the capture: the robot's own words tell."""
    cells, truth = driver_silent(style)
    style.ports = [30001, 30011, 30003, 30004]
    return cells, Truth(truth.time, ["client"], ("command.timeout",), needs="command.timeout")


def network_fails(style):
    """The driver sends, and the network loses it for a while: seen on the driver's side of it. Or it loses all, and what
    the robot says comes late."""
    cell = external_control(style)
    time = style.time(cell)
    out = style.rng.uniform(0.7, 1.2)
    ends = time + cell.timeout + 0.002
    cell.end_program(ends)
    style.stream(cell)
    style.primary(cell)
    link = cell.commands(0.5, time + out + 0.02, cell.driver_rate, cell.timeout)
    link.held.append((time, time + out, 1))
    link.is_lost_before = False
    # What the robot says gets through again when the network does.
    time_out(cell, ends + style.soon(0.001, 0.01))
    link.closed = [(time + out + 0.05, 0, FIN | ACK)]
    truth = Truth(ends, ["network"], ("command.", "tcp.retransmission"), needs="command.gap")
    if style.rng.random() < 0.5:
        for connection in cell.connections:
            if connection is not link:
                connection.held.append((time, time + out, 1))
                connection.are_acks_lost = True
        truth.time = time + out
    return [cell], truth


def commands_jump(style):
    """A target that no joint can reach in time: the controller's check of the path stops the robot."""
    cell = external_control(style)
    time = style.time(cell)
    cell.stop(time)
    style.stream(cell)
    style.primary(cell)
    joint, far = style.rng.randrange(6), style.rng.uniform(0.5, 0.9)

    def targets(now):
        joints = cell.joints(now)
        joints[joint] += far if now >= time - 0.006 else 0
        return joints
    cell.commands(0.5, time + 0.5, cell.driver_rate, cell.timeout, targets=targets)
    args = tell_code(cell, style, time + style.soon(0.0, 0.1), 204, style.rng.choice([1, 3]))
    return [cell], Truth(time, ["client"], ("ur.error",), args, needs="command.gap")


# ---- the data, not the robot ----------------------------------------------------------------------------------------


def network_delay(style):
    """No data for seconds, then what the robot sent again."""
    cell = style.cell(seconds=9)
    time, out = style.rng.uniform(2, 2.5), style.rng.uniform(2.8, 3.6)
    link = style.rtde(cell)
    link.held.append((time, time + out, 1))
    link.are_acks_lost = True
    if style.rng.random() < 0.5:
        style.primary(cell)
    return [cell], Truth(time + out, ["network"], ("tcp.retransmission",), {"direction": "from-robot"},
                         of_stream=True)


def window_full(style):
    """A client does not read for seconds."""
    cell = style.cell(seconds=9)
    time, out = style.rng.uniform(2, 2.5), style.rng.uniform(2.5, 3.6)
    cell.skips.append((time + 0.3, time + out + 0.01))
    link = style.rtde(cell)
    link.full.append((time, time + out, 0))
    return [cell], Truth(time + out, ["client"], ("tcp.zero-window",), {"who": "client"}, of_stream=True)


def clock_jump(style):
    """The controller leaves packages out, or sets its clock."""
    cell = style.cell()
    time = style.time(cell)
    if style.rng.random() < 0.5:
        cell.skips.append((time, time + style.rng.uniform(0.2, 0.9)))
    else:
        cell.jumps.append((time, style.rng.uniform(0.5, 3)))
    style.rtde(cell)
    return [cell], Truth(time, ["robot"], ("clock.skipped",), of_stream=True)


# ---- nothing tells --------------------------------------------------------------------------------------------------


def rtde_only(style):
    """The reason would be on the primary interface, which was not captured."""
    cell = style.cell()
    time = style.time(cell)
    cell.stop(time)
    style.rtde(cell)
    if style.rng.random() < 0.5:
        style.primary(cell)
        tell_code(cell, style, time + 0.05, *style.rng.choice(style.codes))
        style.ports = [30004]
    return [cell], Truth(time, [], asks_for="primary://%s" % cell.robot.text)


def nothing_tells(style):
    """The primary interface is there and says nothing about it."""
    cell = style.cell()
    time = style.time(cell)
    cell.stop(time)
    style.stream(cell)
    style.primary(cell)
    return [cell], Truth(time, [])


def cause_lost(style):
    """The capture lacks the packet that says why."""
    cells, truth = protective_stop(style)
    style.lost_tag = "cause"
    return cells, Truth(truth.time, [], not_args=[{"code": truth.args["code"]}])


def stop_again(style):
    """Two stops, each with a cause of its own."""
    cell = style.cell(seconds=8)
    first, time = style.rng.uniform(1.5, 2), style.rng.uniform(5, 5.5)
    cell.stop(first)
    cell.change(first + 1.2, safety=robots.NORMAL, runtime=robots.PLAYING)
    cell.stop(time)
    style.stream(cell)
    style.primary(cell)
    codes = style.rng.sample(style.codes, 2)
    before = tell_code(cell, style, first + style.soon(-0.05, 0.15), *codes[0])
    args = tell_code(cell, style, time + style.soon(-0.05, 0.15), *codes[1])
    if style.rng.random() < 0.5:
        return [cell], Truth(first, sides_of(codes[0]), ("ur.error",), before, needs="ur.error",
                             not_args=[coded(codes[1])])
    return [cell], Truth(time, sides_of(codes[1]), ("ur.error",), args, needs="ur.error", not_args=[coded(codes[0])])


# ---- what is not to be blamed ---------------------------------------------------------------------------------------


def old_error(style):
    """An error and a warning long before have nothing to do with the stop."""
    cell = style.cell(seconds=8)
    time = style.rng.uniform(4.5, 5.5)
    has_cause = style.rng.random() < 0.5
    cell.stop(time)
    style.stream(cell)
    style.primary(cell)
    args = tell_code(cell, style, time + style.soon(0, 0.15), 153, 3) if has_cause else None
    cell.error(style.rng.uniform(0.1, 1), 207, 1, tag="")
    cell.error(time - style.rng.uniform(1.5, 3), 51, 1, robots.WARNING, tag="")
    cell.error(time + style.rng.uniform(1.6, 2.2), 210, 1, tag="")
    old = [{"code": code} for code in (207, 51, 210)]
    if has_cause:
        return [cell], Truth(time, ["robot"], ("ur.error",), args, needs="ur.error", not_args=old)
    return [cell], Truth(time, [], not_args=old)


def error_of_other(style):
    """Another robot's error in the same capture, at the same time."""
    cells, truth = (protective_stop if style.rng.random() < 0.5 else nothing_tells)(style)
    beside = style.cell(number=2, seconds=cells[0].seconds)
    style.stream(beside)
    style.primary(beside)
    beside.error(truth.time + style.soon(-0.05, 0.05), 211, 2, tag="")
    truth.not_args = [{"code": 211}]
    return cells + [beside], truth


def emergency_of_other(style):
    """Another robot's emergency stop is no cause of this one's protective stop."""
    cells, truth = protective_stop(style)
    beside = style.cell(number=2, seconds=cells[0].seconds)
    beside.change(truth.time - 0.02, safety=robots.SYSTEM_EMERGENCY, runtime=robots.STOPPED)
    style.stream(beside)
    truth.not_args = [{"case": "emergency"}]
    return cells + [beside], truth


# ---- cells in which nothing is wrong --------------------------------------------------------------------------------


def program_ends(style):
    cell = style.cell()
    time = style.time(cell)
    cell.end_program(time)
    style.stream(cell)
    style.primary(cell)
    cell.key(time + 0.06, b"PROGRAM_XXX_STOPPED", b"main")
    cell.tell(time - 0.3, robots.TEXT, b"cycle 17 done", tag="")
    return [cell]


def program_pauses(style):
    cell = style.cell()
    cell.change(2, runtime=robots.PAUSING)
    cell.change(2.1, runtime=robots.PAUSED)
    cell.change(3.4, runtime=robots.RESUMING)
    cell.change(3.5, runtime=robots.PLAYING)
    style.stream(cell)
    style.primary(cell)
    cell.key(2.12, b"PROGRAM_XXX_PAUSED", b"main")
    cell.error(1, 0, 0, robots.INFO, tag="")
    return [cell]


def robot_starts(style):
    cell = style.cell()
    cell.begin_as(robot_mode=3, runtime=robots.STOPPED)
    for time, mode in ((1, 4), (1.8, 5), (2.5, robots.RUNNING)):
        cell.change(time, robot_mode=mode)
    cell.change(3.5, runtime=robots.PLAYING)
    style.stream(cell)
    style.primary(cell)
    cell.key(3.5, b"PROGRAM_XXX_STARTED", b"main")
    cell.dashboard(0.4, [(0.9, b"power on", b"Powering on", ""), (2.4, b"brake release", b"Brake releasing", ""),
                         (3.4, b"play", b"Starting program", "")])
    return [cell]


def client_reconnects(style):
    cell = style.cell()
    style.rtde(cell, until=2).close(2.1, 0)
    style.rtde(cell, begin=2.5)
    style.primary(cell)
    return [cell]


def driver_ends(style):
    """The driver says that it stops."""
    cell = external_control(style)
    time = style.time(cell)
    cell.end_program(time + 0.02)
    style.stream(cell)
    style.primary(cell)
    cell.commands(0.5, time, cell.driver_rate, cell.timeout)
    cell.command_link.say(time, 1, struct.pack(">8i", 1000, 0, 0, 0, 0, 0, 0, robots.END))
    cell.command_link.close(time + 0.05, 0)
    cell.tell(time + 0.004, robots.TEXT, b"ExternalControl: Stopping communication and control", tag="")
    cell.tell(time + 0.01, robots.TEXT, b"ExternalControl: All threads ended", tag="")
    cell.key(time + 0.05, b"PROGRAM_XXX_STOPPED", b"main")
    return [cell]


# Kind, and how many of it.
INCIDENTS = [(stopped_on_pendant, 4), (stopped_in_a_stop, 3), (power_lost, 6), (script_of_another, 5), (next_script, 3),
             (protective_stop, 8), (protective_stop_cut, 4), (protective_stop_of_commands, 3),
             (protective_stop_after_hole, 4), (protective_stop_of_old_driver, 3), (runtime_exception, 4),
             (exception_of_script, 4), (popup, 3), (emergency_stop, 4), (safeguard_stop, 3), (rtde_exception, 3),
             (dashboard_stop, 4), (program_replaced, 3), (driver_silent, 4), (driver_not_captured, 3), (stop_again, 3),
             (network_fails, 4), (commands_jump, 3),
             (network_delay, 3), (window_full, 3), (clock_jump, 3), (rtde_only, 4), (nothing_tells, 2), (cause_lost, 3),
             (old_error, 4), (error_of_other, 4), (emergency_of_other, 2),
             (line_of_another, 10), (beside_scripts, 10)]
CLEAN = [(program_ends, 3), (program_pauses, 3), (robot_starts, 3), (client_reconnects, 3), (driver_ends, 3)]


def build(kind, set_name, number, path):
    """Writes a capture of this kind; returns what is true of it: a Truth, None of a clean cell."""
    style = Style(set_name, generator(set_name, kind.__name__, number))
    style.begin = style.end = style.ports = style.lost_tag = style.loss_of = None
    built = kind(style)
    cells, truth = built if isinstance(built, tuple) else (built, None)
    rng = style.rng
    if not truth:
        style.loss = style.swaps = 0
    capture = Capture([connection for cell in cells for connection in cell.connections], 1769860800 + rng.randrange(10**7))
    if style.lost_tag:
        capture.lose_tagged(style.lost_tag)
    if style.loss_of:
        capture.lose(rng, style.loss, style.loss_of)
    elif truth and not truth.of_stream:
        capture.lose(rng, style.loss)
    if truth and not truth.of_stream:
        capture.reorder(rng, style.swaps)
    if style.copies:
        capture.copy()
    capture.cut(style.begin, style.end)
    if style.ports:
        capture.select(style.ports)
    capture.write(path, style.vlan, style.is_nano)
    if truth:
        truth.robot, truth.time = cells[0].robot.text, truth.time + capture.epoch
        truth.other_sides |= {"capture"} if style.loss or style.begin or style.lost_tag else set()
        truth.other_sides |= {"network"} if style.swaps else set()
    return truth
