#!/usr/bin/env python3
"""What an arm's values show over time, on captures made here by kinds: controllers that repeat themselves (clock, values, both;
legacy packets of any size, RTDE with and without a clock; in the middle or to the end), and robots that only stand still: idle
and moving simulators, arms without power, recipes of inputs; commands that an arm does not follow (a driver's angles, speeds and
poses, the controller's own targets), and arms that follow, lag, are held or led by hand. `arm-check.py SEED...` draws others."""
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "incidents"))
from cell import REALTIME  # noqa: E402
from robot_capture import Capture, Client  # noqa: E402
from tally import expect, finish  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
TYPES = {"timestamp": "DOUBLE", "actual_q": "VECTOR6D", "target_q": "VECTOR6D", "actual_qd": "VECTOR6D", "actual_current": "VECTOR6D",
         "actual_TCP_force": "VECTOR6D", "robot_mode": "INT32", "runtime_state": "UINT32", "safety_status": "INT32",
         "actual_digital_input_bits": "UINT64", "actual_TCP_pose": "VECTOR6D", "robot_status_bits": "UINT32"}
RUNNING, POWER_OFF, PLAYING, STOPPED = 7, 3, 2, 1
LOST = {POWER_OFF: "POWER_OFF", -1: "NO_CONTROLLER", 0: "DISCONNECTED", 2: "BOOTING", 5: "IDLE"}


class Arm:
    """A robot's state at a time. `noise`: of its sensors; `stops`: when its motion ends."""

    def __init__(self, rng, noise, stops=1e9, moves=True):
        self.rng, self.noise, self.stops, self.moves = rng, noise, stops, moves
        self.boot = rng.uniform(100, 9000)
        self.off = 1e9  # when its power is gone
        self.ended = 1e9  # its program
        self.lost = POWER_OFF  # its mode then

    def values(self, time):
        at = min(time, self.stops) if self.moves else 0
        noise = self.noise if time < self.off else 0
        draw = lambda size: [self.rng.gauss(0, size * noise) for _ in range(6)]  # noqa: E731
        plus = lambda one, other: [a + b for a, b in zip(one, other)]  # noqa: E731
        target = [-1 + 0.3 * i + 0.2 * math.sin(at * (i + 1) / 3) for i in range(6)]
        is_moving = self.moves and time < self.stops
        speed = [0.2 * (i + 1) / 3 * math.cos(at * (i + 1) / 3) if is_moving else 0.0 for i in range(6)]
        current = [0.0] * 6 if time >= self.off else plus([0.4 + i / 7 for i in range(6)], draw(0.02))
        return {"timestamp": self.boot + time, "target_q": target, "actual_q": plus(target, draw(2e-5)), "actual_qd": plus(speed, draw(1e-3)),
                "actual_current": current, "actual_TCP_force": plus([0.1] * 6, draw(0.3)), "safety_status": 1, "safety_mode": 1,
                "robot_mode": self.lost if time >= self.off else RUNNING, "actual_digital_input_bits": 0,
                "actual_TCP_pose": plus([0.3 + one / 3 for one in target], draw(2e-5)),
                "robot_status_bits": (time < self.off) + 2 * (time < min(self.ended, self.off)),
                "runtime_state": STOPPED if time >= min(self.ended, self.off) else PLAYING}


def play(path, rng, way, frames):
    """Writes a stream: `way` is a size of legacy packets or a list of RTDE's fields; `frames` are (time, values)."""
    capture = Capture()
    rate = 1 / (frames[1][0] - frames[0][0])
    if isinstance(way, int):
        client, robot = ("10.0.0.9", 40001), ("10.0.0.2", 30003)
        for end, flags in ((client, 2), (robot, 0x12), (client, 0x10)):
            capture.segment(0, end, robot if end is client else client, b"", flags)
        for time, values in frames:
            cells = bytearray(way)
            struct.pack_into(">I", cells, 0, way)
            for name, offset in REALTIME[way].items():
                if name in values:
                    many = values[name] if isinstance(values[name], list) else [values[name]]
                    if name == "robot_mode" and way <= 812:  # CB2 counts otherwise
                        many = [{RUNNING: 0, POWER_OFF: 7}[many[0]]]
                    struct.pack_into(">%dd" % len(many), cells, offset, *many)
            capture.segment(time + rng.uniform(0, 2e-4), robot, client, bytes(cells))
            capture.segment(time + 3e-4, client, robot, b"", 0x10)
        for source, target, flags in ((client, robot, 0x11), (robot, client, 0x11), (client, robot, 0x10)):
            capture.segment(frames[-1][0] + 0.01, source, target, b"", flags)
    else:
        client = Client(capture, 0, [(name, TYPES[name]) for name in way], hz=rate)
        for time, values in frames:
            flat = []
            for name in way:
                flat += values[name] if isinstance(values[name], list) else [values[name]]
            client.package(time + rng.uniform(0, 2e-4), *flat)
        client.close(frames[-1][0] + 0.01)
    capture.write(path)


def diagnose(path):
    done = subprocess.run([ARMTAP, "diagnose", "--json", path], capture_output=True, check=False, timeout=60)
    return json.loads(done.stdout), done.returncode


def way_of(rng, has_clock=True, is_legacy=True):
    """A size or a recipe with a sensor that has noise."""
    if is_legacy and has_clock and rng.random() < 0.4:
        return rng.choice(sorted(REALTIME))
    fields = rng.sample(["actual_q", "actual_qd", "actual_current", "actual_TCP_force"], rng.randrange(1, 5))
    fields += rng.sample(["target_q", "robot_mode", "runtime_state", "actual_digital_input_bits"], rng.randrange(0, 4))
    rng.shuffle(fields)
    return fields[:1] + ["timestamp"] + fields[1:] if has_clock and rng.random() < 0.5 else ["timestamp"] * has_clock + fields


def shown(way, name):
    """Motion hides a position's noise, but not that of other sensors."""
    return way if name in way else way + [name]


def freeze(rng, arm, rate, seconds, since, until, what, jumps):
    """The frames of an arm whose controller repeats `what` from one time to another. `jumps`: its clock goes on from where it would be."""
    frames, held, resumed = [], None, None
    for n in range(int(seconds * rate)):
        time = 0.05 + n / rate
        if time >= seconds:
            break
        values = arm.values(time)
        if since <= time < until:
            held = held or values
            values = {**values, **({} if what == "clock" else {**held, "timestamp": values["timestamp"]}),
                      **({"timestamp": held["timestamp"]} if what in ("clock", "both") else {})}
        elif time >= until and not jumps and what in ("clock", "both"):
            resumed = resumed or time
            values["timestamp"] += held["timestamp"] - arm.boot - resumed + 1 / rate
        frames.append((time, values))
    return frames


# ---- kinds: each returns what to play, and the id of what must be found, or None


def all_repeats(rng):
    """Values and clock; the arm moves, or its sensors have noise."""
    arm, way = Arm(rng, *rng.choice([(1, 1e9, True), (1, 1e9, False), (0, 1e9, True)])), way_of(rng)
    return arm, way if isinstance(way, int) else shown(way, "actual_q"), "both", "values.frozen"


def clock_stands(rng):
    arm = Arm(rng, 1, moves=rng.random() < 0.5)
    return arm, way_of(rng), "clock", "clock.frozen"


def clock_stands_of_idle(rng):
    """Nothing else would change."""
    return Arm(rng, 0, moves=False), way_of(rng), "clock", "clock.frozen"


def values_repeat(rng):
    """The clock goes on, but the noise is gone."""
    way = way_of(rng)
    return Arm(rng, 1, moves=rng.random() < 0.5), way if isinstance(way, int) else shown(way, "actual_current"), "values", "values.frozen"


def values_repeat_without_clock(rng):
    return Arm(rng, 1, moves=rng.random() < 0.5), shown(way_of(rng, has_clock=False), "actual_TCP_force"), "values", "values.frozen"


def speed_repeats(rng):
    """No noise, but joints that are said to move stand still."""
    return Arm(rng, 0), ["timestamp", "actual_q", "actual_qd"] if rng.random() < 0.5 else rng.choice([1060, 1108, 1220]), "values", "values.frozen"


def idle(rng):
    return Arm(rng, 0, moves=False), way_of(rng, rng.random() < 0.8), "", None


def noise_at_rest(rng):
    return Arm(rng, 1, moves=False), way_of(rng, rng.random() < 0.8), "", None


def motion_ends(rng):
    """Of a simulator, or with noise, which stays."""
    arm = Arm(rng, rng.choice([0, 1]), stops=rng.uniform(1.5, 3))
    arm.ended = arm.stops if rng.random() < 0.5 else 1e9
    return arm, way_of(rng, rng.random() < 0.8), "", None


def power_off(rng):
    """Its sensors have no noise any more. A recipe without modes and currents does not show why."""
    arm = Arm(rng, 1, moves=False)
    arm.off, arm.ended = rng.uniform(1.5, 3), 1
    way = way_of(rng)
    if not isinstance(way, int) and "robot_mode" not in way:
        way.append("robot_mode")
    return arm, way, "", None


def inputs_only(rng):
    return Arm(rng, 1), rng.choice([["actual_digital_input_bits"], ["timestamp", "actual_digital_input_bits"],
                                    ["timestamp", "robot_mode", "runtime_state"]]), "", None


FROZEN = [(all_repeats, 12), (clock_stands, 8), (clock_stands_of_idle, 5), (values_repeat, 10), (values_repeat_without_clock, 5), (speed_repeats, 4)]
CLEAN = [(idle, 8), (noise_at_rest, 6), (motion_ends, 8), (power_off, 6), (inputs_only, 4)]


def check_repeats(folder, seed):
    """Each kind, long enough and, of the same, too short."""
    for kind, many in FROZEN + CLEAN:
        for number in range(2 * many):
            rng = random.Random("%s %s %d" % (seed, kind.__name__, number))
            arm, way, what, wanted = kind(rng)
            is_short = number % 2 == 1 and wanted
            rate = rng.choice([125.0, 500.0]) if not isinstance(way, list) else rng.choice([50.0, 62.5, 100.0, 125.0, 250.0, 500.0])
            since, lasts = rng.uniform(2.2, 3.2), rng.uniform(0.2, 0.85) if is_short else rng.uniform(1.3, 4)
            is_to_end = rng.random() < 0.4
            until = since + lasts if what else since
            seconds = until if is_to_end and what else max(until, 4.5) + 1.5
            frames = freeze(rng, arm, rate, seconds, since, until, what, rng.random() < 0.5)
            path = os.path.join(folder, "%s-%d.pcap" % (kind.__name__, number))
            play(path, rng, way, frames)
            report, status = diagnose(path)
            found = [one["id"] for one in report["findings"] if one["id"].endswith(".frozen")]
            about = (kind.__name__, number, way, rate, lasts, is_to_end)
            if is_short or not wanted:
                expect(about + ("nothing is frozen",), not found, found)
                continue
            expect(about + ("found",), found == [wanted], found, [one["id"] for one in report["findings"]])
            args = [one["args"] for one in report["findings"] if one["id"] == wanted]
            expect(about + ("for so long",), args and abs(args[0]["duration_s"] - lasts) < 0.25, args, lasts)
            expect(about + ("to the end",), args and bool(args[0].get("is_to_end")) == is_to_end, args)
            told = [one for one in report["incidents"] if one["what"] == wanted]
            expect(about + ("one incident of the robot",), len(told) == len(report["incidents"]) == 1 and told[0]["side"] == "robot" and status == 1,
                   [(one["what"], one["side"]) for one in report["incidents"]], status)


# ---- commands that the arm follows, or not

SERVOJ, SPEEDJ, SPEEDL, POSE, IDLE, FREEDRIVE, FORWARD = 1, 2, 4, 5, 0, 6, 3
PROTECTIVE, PAUSED, NORMAL, BRAKED = 3, 4, 1, 5


class Motion:
    """What a driver asks for, and what the arm does. `stands`: (from, until), when it does not follow; `lag`: s."""

    def __init__(self, rng, mode, stands=(1e9, 1e9), lag=0.0, speed=0.3):
        self.rng, self.mode, self.stands, self.lag, self.speed = rng, mode, stands, lag, speed
        self.states = {"robot_mode": RUNNING, "runtime_state": PLAYING, "safety_status": NORMAL}
        self.held, self.held_at = {}, 1e9  # states from a time on
        self.is_led = False  # by hand
        self.targets_too = False  # the controller's target follows, its arm does not
        self.joint = rng.randrange(6)
        self.points, self.unit, self.starts = [], rng.choice([1e3, 1e6]), 0  # of a trajectory: (s, joints)

    def asked(self, time):
        """An angle that goes up and down between 0 and 1 rad, and its speed."""
        if self.speed == 0:
            return 0.0, 0.0
        turn = 1 / abs(self.speed)
        part = time % (2 * turn)
        return (part * self.speed, self.speed) if part < turn else ((2 * turn - part) * self.speed, -self.speed)

    def angle(self, time):
        since, until = self.stands
        return self.asked(max((since if since <= time < until else time) - self.lag, 0))[0]

    def joints(self, angle, time):
        led = 0.5 * math.sin(2 * time) if self.is_led else 0
        return [angle * (i == self.joint or self.joint % 2) + led + 0.1 * i for i in range(6)]

    def command(self, time):
        angle, speed = self.asked(time)
        by_mode = {SERVOJ: self.joints(angle, 0), SPEEDJ: [speed * (i == self.joint or self.joint % 2) for i in range(6)],
                   SPEEDL: [speed / 2, 0, 0, 0, 0, 0], POSE: [0.3 + angle / 2, 0.2, 0.4, 0, 0, 0]}
        return by_mode.get(self.mode, [0] * 6)

    def values(self, time):
        target = self.angle(time)
        if self.targets_too:
            target = self.asked(max(time - self.lag, 0))[0]
        states = {**self.states, **(self.held if time >= self.held_at else {})}
        noise = [self.rng.gauss(0, 1e-5) for _ in range(6)]
        actual = [a + b for a, b in zip(self.joints(self.angle(time), time), noise)]
        led = 0 if not self.is_led else time
        return {**states, "safety_mode": states["safety_status"], "timestamp": 500 + time, "actual_q": actual,
                "target_q": self.joints(target, led), "actual_current": [0.5 + one for one in noise]}


def check_cut_off(folder, seed):
    """The arm's power, or its controller, goes while it moves, or seconds after it stood still: packets without a program's state show
    it by its speeds, angles or poses."""
    for number in range(40):
        rng = random.Random("%s cut off %d" % (seed, number))
        moves = number % 2 == 0
        arm = Arm(rng, rng.choice([0, 1]), rng.choice([1e9, 9.0]) if moves else rng.uniform(0.5, 2.5), moves or rng.random() < 0.7)
        arm.off, arm.ended, arm.lost = 5, 0, rng.choice(sorted(LOST))
        way, rate = rng.choice([size for size in REALTIME if 756 < size < 1060]), 125.0
        if number % 4 < 2:
            way = [rng.choice(["actual_q", "actual_TCP_pose", "target_q", "actual_qd"]), "robot_mode"]
            way, rate = rng.choice([way, ["timestamp"] + way, way[::-1]]), rng.choice([10.0, 25.0, 125.0, 500.0])
        else:
            arm.lost = POWER_OFF
        path = os.path.join(folder, "cut-off-%d.pcap" % number)
        play(path, rng, way, freeze(rng, arm, rate, 6.5, 9, 9, "", False))
        report, status = diagnose(path)
        ends = [(one["severity"], one["args"]["name"]) for one in report["findings"] if one["id"] == "program.ended"]
        name = LOST[arm.lost] if isinstance(way, list) else "NO_POWER" if way <= 812 else "POWER_OFF"
        expect(("cut off", number, way, rate, moves, arm.stops), ends == [("warning", name)] * moves and status == moves, ends, status)


def check_status_bits(folder, seed):
    """The program ends by itself, or as the arm loses its power: in the same record, or one of the two some records later."""
    for number in range(24):
        rng = random.Random("%s status bits %d" % (seed, number))
        arm, kind = Arm(rng, 1), number % 4
        arm.off = [3, 3, 1e9, 3][kind]
        arm.ended = [3, 1e9, 3, 3 - rng.uniform(0.05, 0.5)][kind]
        way, rate = ["actual_q", "robot_status_bits"], rng.choice([50.0, 125.0, 500.0])
        way = rng.choice([way, ["timestamp"] + way, way + ["safety_status"]])
        path = os.path.join(folder, "status-bits-%d.pcap" % number)
        play(path, rng, way, freeze(rng, arm, rate, 5, 9, 9, "", False))
        report, status = diagnose(path)
        ends = [(one["severity"], one["args"]["value_before"], one["args"]["value"]) for one in report["findings"] if one["id"] == "program.ended"]
        wanted = ("info" if kind == 2 else "warning", 3, 1 if kind > 1 else 0)
        expect(("status bits", number, way, rate), ends == [wanted] and status == (kind != 2), ends, wanted, status)
        expect(("status bits", number, "one incident"), [one["what"] for one in report["incidents"]] == ["program.ended"], report["incidents"])


def play_driver(path, rng, motion, seconds, rate, way):
    """Telemetry of the robot, and the driver's commands to it on a connection that the robot opened."""
    capture, robot, driver = Capture(), ("10.0.0.2", 51234), ("10.0.0.9", 50001)
    has_driver = motion.mode is not None
    points_robot, points_driver = ("10.0.0.2", 51236), ("10.0.0.9", 50003)
    for one, other in ((robot, driver), (points_robot, points_driver)) if has_driver else ():
        for end, flags in ((one, 2), (other, 0x12), (one, 0x10)):
            capture.segment(0, end, other if end is one else one, b"", flags)
    if isinstance(way, int):
        client, port = ("10.0.0.9", 40001), ("10.0.0.2", 30003)
        for end, flags in ((client, 2), (port, 0x12), (client, 0x10)):
            capture.segment(0, end, port if end is client else client, b"", flags)
    else:
        client = Client(capture, 0, [(name, TYPES[name]) for name in way], hz=rate)
    for n in range(int(seconds * rate)):
        time = 0.05 + n / rate
        values = motion.values(time)
        if isinstance(way, int):
            cells = bytearray(way)
            struct.pack_into(">I", cells, 0, way)
            for name, offset in REALTIME[way].items():
                if name in values:
                    many = values[name] if isinstance(values[name], list) else [values[name]]
                    struct.pack_into(">%dd" % len(many), cells, offset, *many)
            capture.segment(time, port, client, bytes(cells))
        else:
            client.package(time, *[one for name in way for one in (values[name] if isinstance(values[name], list) else [values[name]])])
        if has_driver:
            words = [200, *(round(one * 1e6) for one in motion.command(time)), motion.mode]
            if motion.mode == FORWARD:
                words = [200, int(n == motion.starts), len(motion.points), 0, 0, 0, 0, FORWARD]
            capture.segment(time + 0.3 / rate, driver, robot, struct.pack(">8i", *words))
            for seconds, joints in motion.points if n == motion.starts else ():
                words = [*(round(one * 1e6) for one in joints), *[0] * 12, round(seconds * motion.unit), 0, 0]
                capture.segment(time + 0.4 / rate, points_driver, points_robot, struct.pack(">21i", *words))
    capture.write(path)


def stands(rng, many):
    since = rng.uniform(1, 2)
    return since, since + many


def servo(rng, many):
    return Motion(rng, SERVOJ, stands(rng, many))


def joint_speeds(rng, many):
    return Motion(rng, SPEEDJ, stands(rng, many))


def tool_speeds(rng, many):
    return Motion(rng, SPEEDL, stands(rng, many))


def poses(rng, many):
    return Motion(rng, POSE, stands(rng, many))


def targets(rng, many):
    motion = Motion(rng, None, stands(rng, many))
    motion.targets_too = True
    return motion


def trajectory(rng, many):
    """The arm does not begin with it, or begins a while later, as it may."""
    motion = Motion(rng, FORWARD, (0, many + 0.5), speed=0.2)
    motion.starts = rng.randrange(20, 60)
    here, there = motion.joints(0, 0), motion.joints(rng.uniform(0.2, 1.5), 0)
    lasts = rng.uniform(0.3, 1.5)
    motion.points = rng.choice([[(lasts, there)], [(0, here), (lasts, there)], [(0, here), (lasts, there), (lasts, here)]])
    motion.stands = (0, motion.starts / 125 + (many if many < 1 else many + lasts / 2 + 0.5))
    return motion


def trajectory_waits(rng, many):
    """Its first point is where the arm is, for seconds; or the way is slow."""
    motion = Motion(rng, FORWARD, speed=0)
    motion.starts = rng.randrange(20, 60)
    here, there = motion.joints(0, 0), motion.joints(0.3, 0)
    motion.points = rng.choice([[(9, here), (1, there)], [(20, there)], [(1, here)]])
    return motion


def follows(rng, many):
    return Motion(rng, rng.choice([SERVOJ, SPEEDJ, SPEEDL, POSE, None]), speed=rng.choice([0.01, 0.05, 0.3, 3]))


def lags(rng, many):
    """Far behind in a fast motion."""
    motion = Motion(rng, rng.choice([SERVOJ, SPEEDJ, SPEEDL, POSE]), lag=rng.uniform(0.02, 0.4), speed=rng.choice([0.3, 1, 3]))
    motion.targets_too = True
    return motion


def is_held(rng, many):
    """By a stop, a pause or brakes: the driver goes on all the same."""
    since, until = stands(rng, many)
    motion = Motion(rng, rng.choice([SERVOJ, SPEEDJ, SPEEDL, POSE]), (since, 1e9))
    motion.held = rng.choice([{"safety_status": PROTECTIVE, "runtime_state": PAUSED}, {"runtime_state": PAUSED}, {"robot_mode": BRAKED},
                              {"safety_status": PROTECTIVE}, {"runtime_state": STOPPED}])
    motion.held_at = since
    return motion


def led_by_hand(rng, many):
    motion = Motion(rng, rng.choice([IDLE, FREEDRIVE, None]), speed=0)
    motion.is_led = True
    return motion


def waits(rng, many):
    """Commands that ask for nothing, or for very little."""
    motion = Motion(rng, rng.choice([SERVOJ, SPEEDJ, SPEEDL, POSE]), (0, 1e9), speed=rng.choice([0, 0.0005]))
    return motion


NOT_FOLLOWED = [(servo, 6), (joint_speeds, 5), (tool_speeds, 5), (poses, 4), (targets, 6), (trajectory, 6)]
FOLLOWED = [(follows, 8), (lags, 8), (is_held, 8), (led_by_hand, 4), (waits, 6), (trajectory_waits, 4)]


def check_following(folder, seed):
    for kind, many in NOT_FOLLOWED + FOLLOWED:
        for number in range(2 * many):
            rng = random.Random("%s %s %d" % (seed, kind.__name__, number))
            is_wanted = (kind, many) in NOT_FOLLOWED and number % 2 == 0
            # It takes up to half a second until the commands are far away.
            lasts = rng.uniform(1.9, 4) if is_wanted else rng.uniform(0.2, 0.95)
            motion = kind(rng, lasts)
            rate = rng.choice([125.0, 500.0]) if motion.mode != FORWARD else 125.0
            way = ["timestamp", "actual_q", "target_q", "robot_mode", "runtime_state", "safety_status"]
            way = rng.choice([1060, 1108, 1220]) if rng.random() < 0.3 and kind is not is_held else way
            path = os.path.join(folder, "%s-%d.pcap" % (kind.__name__, number))
            play_driver(path, rng, motion, rng.choice([motion.stands[1] if motion.stands[1] < 9 else 5, 6.5]), rate, way)
            report, status = diagnose(path)
            found = [one for one in report["findings"] if one["id"] == "command.not-followed"]
            about = (kind.__name__, number, motion.mode, way, rate, lasts, motion.joint, motion.lag, motion.speed)
            if not is_wanted:
                expect(about + ("it is followed",), not found, [one["text"] for one in found])
                continue
            expect(about + ("found",), bool(found) and status == 1, [one["id"] for one in report["findings"]])
            told = [one for one in report["incidents"] if one["what"] == "command.not-followed"]
            expect(about + ("one incident",), len(told) == 1 and told[0]["side"] == ("robot" if kind is targets else "unclear"), told)


# ---- a controller's own targets, of which a joint follows none, however small


class Swing:
    """Joints that swing, each with its own width (rad), turns (1/s) and lag (s). `stuck`: joints that stand from `since` to `until`."""

    def __init__(self, rng):
        self.rng = rng
        self.widths = [rng.uniform(0.02, 0.4) for _ in range(6)]
        self.turns = [rng.uniform(0.1, 0.5) for _ in range(6)]
        self.phases = [rng.uniform(0, 6) for _ in range(6)]
        self.stuck, self.since, self.until = [], 1e9, 1e9
        self.lag, self.soft, self.noise, self.jitter, self.step, self.offset = 0.0, 0.0, rng.choice([0, 1e-5, 5e-5]), 0.0, 0.0, 0.0
        self.led = self.target_stands = False
        self.states = {"robot_mode": RUNNING, "runtime_state": PLAYING, "safety_status": NORMAL}
        self.held, self.held_at = {}, 1e9
        self.where = None

    def way(self, joint, time):
        return joint / 3 - 1 + self.widths[joint] * math.sin(2 * math.pi * self.turns[joint] * max(time, 0) + self.phases[joint])

    def values(self, time):
        target = [self.way(i, time) for i in range(6)]
        goal = [self.way(i, self.since if i in self.stuck and self.since <= time < self.until else time - self.lag) for i in range(6)]
        if self.soft:  # a filter of first order
            share = 1 - math.exp(-(time - self.before) / self.soft) if self.where else 1
            self.where = goal = [a + share * (b - a) for a, b in zip(self.where or goal, goal)]
        self.before = time
        if self.target_stands:
            target = [self.way(i, 0) for i in range(6)]
        target = [one + self.rng.gauss(0, self.jitter) for one in target]
        target = [round(one / self.step) * self.step for one in target] if self.step else target
        states = {**self.states, **(self.held if time >= self.held_at else {})}
        return {**states, "timestamp": 500 + time, "target_q": target, "actual_q": [one + self.rng.gauss(0, self.noise) - self.offset for one in goal]}


def sticks(rng, swing):
    """One joint or some, of small swings, beside others that move; or all, in a program."""
    swing.stuck = rng.choice([rng.sample(range(6), 1), rng.sample(range(6), rng.randrange(1, 5)), range(6)])
    for joint in swing.stuck:
        swing.widths[joint], swing.turns[joint] = rng.uniform(0.015, 0.09), rng.uniform(0.15, 1)


def sticks_briefly(rng, swing):
    sticks(rng, swing)
    swing.until = swing.since + rng.uniform(0.2, 1.3)


def sticks_held(rng, swing):
    sticks(rng, swing)
    swing.stuck, swing.held_at = range(6), swing.since
    swing.held = rng.choice([{"safety_status": PROTECTIVE}, {"runtime_state": PAUSED}, {"robot_mode": BRAKED}, {"runtime_state": STOPPED}])


def lags_behind(rng, swing):
    swing.widths = [rng.uniform(0.002, 0.6) for _ in range(6)]
    swing.lag, swing.soft, swing.offset = rng.choice([(rng.uniform(0.02, 0.4), 0, 0), (0, rng.uniform(0.02, 0.3), 0), (0.05, 0, rng.uniform(0.01, 0.09))])


def rough_targets(rng, swing):
    """Targets in steps, or that jitter, also of joints that stand."""
    swing.step, swing.jitter = rng.choice([(rng.choice([1e-4, 1e-3, 4e-3]), 0), (0, rng.choice([1e-5, 1e-3, 3e-3]))])
    for joint in rng.sample(range(6), rng.randrange(0, 7)):
        swing.widths[joint] = 0


def stands_still(rng, swing):
    """A program that waits: targets that stand, or creep by less than joints care for."""
    swing.widths = [rng.choice([0, 1e-4, 1e-3]) for _ in range(6)]
    swing.stuck, swing.since = range(6), 0


def led_with_targets(rng, swing):
    swing.target_stands, swing.states["runtime_state"] = rng.random() < 0.7, rng.choice([PLAYING, STOPPED])


SMALL = [(sticks, 16), (sticks_briefly, 10), (sticks_held, 8), (lags_behind, 12), (rough_targets, 10), (stands_still, 6), (led_with_targets, 6)]


def check_small(folder, seed):
    for kind, many in SMALL:
        for number in range(many):
            rng = random.Random("%s small %s %d" % (seed, kind.__name__, number))
            swing = Swing(rng)
            swing.since = rng.uniform(1, 3)
            kind(rng, swing)
            way, rate = ["timestamp", "actual_q", "target_q", "robot_mode", "runtime_state", "safety_status"], rng.choice([10.0, 25.0, 125.0, 500.0])
            if kind is sticks_held or len(swing.stuck) == 6:
                way = [1108, 1220, way, way][number % 4] if kind is sticks else way
            else:
                way = rng.choice([way, ["target_q", "actual_q"], 1060, 1220])
            rate = 125.0 if isinstance(way, int) else rate
            path = os.path.join(folder, "small-%s-%d.pcap" % (kind.__name__, number))
            play(path, rng, way, [(0.05 + n / rate, swing.values(0.05 + n / rate)) for n in range(int(rate * 9))])
            report, _ = diagnose(path)
            found = [one["args"] for one in report["findings"] if one["id"] == "command.not-followed"]
            about = ("small", kind.__name__, number, way, rate, list(swing.stuck), [round(one, 3) for one in swing.widths], swing.lag, swing.soft)
            expect(about, len(found) == (kind is sticks), found)
            sides = [one["side"] for one in report["incidents"] if one["what"] == "command.not-followed"]
            expect(about + ("which",), not found or (found[0]["joint"] in swing.stuck and sides == ["robot"]), found, sides)


# ---- how robots end


PAUSING, PAUSED_NOW, IDLE_MODE, BOOTING = 3, 4, 5, 2


def check_standing(folder, seed):
    """A state into which a robot went, and in which it stands at the end, is in the verdict; not one that it was in from the
    beginning, or left."""
    for number in range(48):
        rng = random.Random("%s standing %d" % (seed, number))
        field = rng.choice(["runtime_state", "robot_mode"])
        stands = rng.choice([[PAUSING, PAUSED_NOW], [PAUSING], [PAUSED_NOW]] if field == "runtime_state" else
                            [[POWER_OFF], [IDLE_MODE], [-1, BOOTING], [POWER_OFF, IDLE_MODE]])
        works = PLAYING if field == "runtime_state" else RUNNING
        case = rng.choice(["to the end", "always", "left", "never"])
        way = rng.choice([1060, 1108, 1220, 1116]) if rng.random() < 0.3 and field == "robot_mode" else ["timestamp", "actual_q", field]
        since = rng.uniform(1, 2)
        frames, arm = [], Arm(rng, 0, moves=False)
        for n in range(int(4 * 125)):
            time = 0.05 + n / 125
            place = 0 if case == "always" else -1 if case == "never" or time < since or (case == "left" and time > 3) else \
                int((time - since) / 0.3)
            mode = works if place < 0 else stands[-1] if case == "always" else stands[min(place, len(stands) - 1)]
            # Without a program, nothing ends.
            values = {**arm.values(time), "robot_status_bits": 1, "runtime_state": STOPPED, field: mode}
            frames.append((time, values))
        path = os.path.join(folder, "standing-%d.pcap" % number)
        play(path, rng, way, frames)
        report, status = diagnose(path)
        words = subprocess.run([ARMTAP, "diagnose", path], capture_output=True, text=True, check=False).stdout
        verdict = " ".join(words.rsplit("\n\n", 1)[-1].split())
        about = ("standing", number, case, field, stands, way)
        expect(about + ("status",), status == 0, status, verdict)
        if case != "to the end":
            expect(about + ("plain",), not report["standing"] and "has been" not in verdict, report["standing"], verdict)
            continue
        ends = [one for one in report["standing"] if one["field"] == field]
        expect(about + ("told",), len(ends) == len(report["standing"]) == 1 and ends[0]["value"] == stands[-1], report["standing"], verdict)
        begun = [one for one in report["modes"] if one["field"] == field and one["value"] == stands[-1]][-1]
        expect(about + ("where",), ends and (ends[0]["packet"], ends[0]["time"]) == (begun["packet"], begun["time"]), ends, begun)
        expect(about + ("in the verdict",), "has been %s since" % begun["name"] in verdict and "(packet %d)" % begun["packet"] in verdict and
               "10.0.0.2's" in verdict, verdict)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.environ.get("ARM_CHECK_FOLDER", scratch)
        for seed in sys.argv[1:] or ["one"]:
            check_repeats(folder, seed)
            check_following(folder, seed)
            check_small(folder, seed)
            check_cut_off(folder, seed)
            check_status_bits(folder, seed)
            check_standing(folder, seed)
    return finish()


sys.exit(main())
