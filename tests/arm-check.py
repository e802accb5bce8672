#!/usr/bin/env python3
"""What an arm's values show over time, on captures made here by kinds: controllers that repeat themselves (clock, values, both;
legacy packets of any size, RTDE with and without a clock; in the middle or to the end), and robots that only stand still: idle
and moving simulators, arms without power, recipes of inputs. `arm-check.py SEED...` draws others."""
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
         "actual_digital_input_bits": "UINT64"}
RUNNING, POWER_OFF, PLAYING, STOPPED = 7, 3, 2, 1


class Arm:
    """A robot's state at a time. `noise`: of its sensors; `stops`: when its motion ends."""

    def __init__(self, rng, noise, stops=1e9, moves=True):
        self.rng, self.noise, self.stops, self.moves = rng, noise, stops, moves
        self.boot = rng.uniform(100, 9000)
        self.off = 1e9  # when its power is gone
        self.ended = 1e9  # its program

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
                "robot_mode": POWER_OFF if time >= self.off else RUNNING, "actual_digital_input_bits": 0,
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


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.environ.get("ARM_CHECK_FOLDER", scratch)
        for seed in sys.argv[1:] or ["one"]:
            check_repeats(folder, seed)
    return finish()


sys.exit(main())
