#!/usr/bin/env python3
"""How often record.py's recipe is recognised in windows of 2 s of a real arm's data without a handshake, and how often
data of the same length in another order is taken for it. The recordings are not part of the project: ARMTAP_REAL is
their folder. Arguments: kinds of windows; none: all."""
import gzip
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from tally import ALL, expect, finish

ARMTAP = os.environ.get("ARMTAP", "./armtap")
EPOCH, HZ, ROWS = 1769860800, 25, 50
FORMATS = {"DOUBLE": "d", "VECTOR6D": "6d", "VECTOR3D": "3d", "UINT32": "I", "UINT64": "Q", "INT32": "i",
           "VECTOR6INT32": "6i", "VECTOR6UINT32": "6I", "BOOL": "B", "UINT8": "B"}
NAMES = ("timestamp target_q target_qd target_qdd target_current target_moment actual_q actual_qd actual_current "
         "joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force target_TCP_pose target_TCP_speed "
         "actual_digital_input_bits joint_temperatures actual_execution_time robot_mode joint_mode safety_mode "
         "actual_tool_accelerometer speed_scaling target_speed_fraction actual_momentum actual_main_voltage "
         "actual_robot_voltage actual_robot_current actual_joint_voltage actual_digital_output_bits "
         "runtime_state").split()


class Recording:
    """Values by field and row, and their bytes."""

    def __init__(self, path):
        with gzip.open(path) as file:
            told = json.load(file)
        self.types = dict(zip(told["names"], told["types"]))
        self.rows, self.values, at = len(told["rows"]), {}, 0
        for name, kind in zip(told["names"], told["types"]):
            width = struct.calcsize("=" + FORMATS[kind]) // struct.calcsize("=" + FORMATS[kind][-1])
            self.values[name] = [tuple(row[at:at + width]) for row in told["rows"]]
            at += width
        self.bytes = {name: self.packed(name, values) for name, values in self.values.items()}

    def packed(self, name, values):
        form, whole = struct.Struct(">" + FORMATS[self.types[name]]), FORMATS[self.types[name]][-1] != "d"
        return [form.pack(*(map(int, row) if whole else map(float, row))) for row in values]

    def replaced(self, changed):
        """The same with other values of some fields."""
        bytes_of = dict(self.bytes)
        for name, values in changed.items():
            bytes_of[name] = self.packed(name, values)
        return bytes_of


# ---- captures

def packets(robot, start, payloads):
    seq = 1000
    for i, payload in enumerate(payloads):
        data = struct.pack(">HB", len(payload) + 4, ord("U")) + b"\1" + payload
        tcp = struct.pack(">HHIIBBHHH", 30004, 50000, seq, 1, 0x50, 0x18, 8192, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), i + 1, 0, 64, 6, 0, robot, bytes([192, 168, 0, 1]))
        bytes_in = ip + tcp + data
        time = start + i * 10**9 // HZ
        yield struct.pack("<IIII", time // 10**9, time % 10**9, len(bytes_in), len(bytes_in)) + bytes_in
        seq += len(data)


def judged(windows):
    """What info says of each window, a list of payloads."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "windows.pcap")
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
            for n, payloads in enumerate(windows):
                robot = bytes([10, n >> 16 & 255, n >> 8 & 255, n & 255])
                for packet in packets(robot, (EPOCH + 3 * n) * 10**9, payloads):
                    file.write(packet)
        done = subprocess.run([ARMTAP, "info", "--json", path], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    streams = {stream["robot"]: stream for stream in json.loads(done.stdout)["streams"]}
    return [streams["10.%d.%d.%d:30004" % (n >> 16 & 255, n >> 8 & 255, n & 255)] for n in range(len(windows))]


def in_parts(windows, size=40):
    windows = iter(windows)
    while part := list(itertools.islice(windows, size)):
        yield from zip(part, judged([payloads for _, payloads in part]))


# ---- windows of the recipe itself

def as_recorded(_recording):
    return {}


def no_accelerations(recording):
    return {"target_qdd": [(0,) * 6] * recording.rows}


def trembling(values):
    """How far, on average, values are from the middle of their neighbours, in the quiet half of the rows."""
    bends = sorted(abs(b - (a + c) / 2) for a, b, c in zip(values, values[1:], values[2:]))
    return bends[len(bends) // 4]


def led_by_hand(recording):
    """Targets that follow the arm, and tremble as it does."""
    dice, joints = random.Random(7), recording.values["actual_q"]
    tremble = [trembling([row[joint] for row in joints]) for joint in range(6)]
    follow = [tuple(round(q + dice.gauss(0, t), 9) for q, t in zip(row, tremble)) for row in joints]
    return {"target_q": follow, "target_qd": recording.values["actual_qd"],
            "target_qdd": [(0,) * 6] * recording.rows}


def payload(parts, row):
    return b"".join(part[row] for part in parts)


def recognised(recording, changed, every):
    """How many windows, from all starts, get all names; those that do not."""
    parts = [recording.replaced(changed)[name] for name in NAMES]
    starts = range(0, recording.rows - ROWS + 1, every)
    windows = ((start, [payload(parts, row) for row in range(start, start + ROWS)]) for start in starts)
    missed = [(start, said) for (start, _), said in in_parts(windows) if said["fields"] != NAMES]
    return len(starts), [(start, said["notes"]) for start, said in missed]


# ---- windows of others

# What nobody could tell apart by its values, beside fields that have the same.
FOLLOWS = "a target that follows the arm, as in freedrive, moves and trembles as what is measured"
ALIKE = [({"actual_main_voltage", "actual_robot_voltage"}, "both supplies have 48 V"),
         ({"actual_robot_current", "actual_execution_time"}, "noise around 1 A, and around 1 ms"),
         ({"target_q", "actual_q"}, FOLLOWS), ({"target_qd", "actual_qd"}, FOLLOWS),
         ({"target_TCP_pose", "actual_TCP_pose"}, FOLLOWS), ({"target_TCP_speed", "actual_TCP_speed"}, FOLLOWS),
         ({"target_current", "actual_current"}, FOLLOWS), ({"joint_control_output", "actual_current"}, FOLLOWS),
         ({"runtime_state", "script_control_line"}, "1 is STOPPED, and a program's first line")]


def same_type(recording, one, other):
    return one != other and recording.types[one] == recording.types[other]


def exchanged(pairs):
    order = list(NAMES)
    for one, other in pairs:
        i, k = order.index(one), order.index(other)
        order[i], order[k] = order[k], order[i]
    return order


def permuted(recording, dice):
    order, left = [], list(NAMES)
    dice.shuffle(left)
    for name in NAMES:
        order.append(next(other for other in left if recording.types[other] == recording.types[name]))
        left.remove(order[-1])
    return order


def with_others(recording, dice):
    """A few fields replaced by others of their type, also such as the recipe has elsewhere."""
    order = list(NAMES)
    for i in dice.sample(range(len(order)), dice.randint(1, 3)):
        others = [name for name in recording.types if same_type(recording, name, NAMES[i])]
        order[i] = dice.choice(others) if others else order[i]
    return order


def other_layout(recording, dice):
    order = list(NAMES)
    dice.shuffle(order)
    return order


def others(recording, dice, count):
    """Kind, order of the fields, and start of `count` windows."""
    pairs = [pair for pair in itertools.combinations(NAMES, 2) if same_type(recording, *pair)]
    makers = [("two exchanged", None), ("several exchanged", lambda: exchanged(dice.sample(pairs, dice.randint(2, 4)))),
              ("permuted", lambda: permuted(recording, dice)), ("fields replaced", lambda: with_others(recording, dice)),
              ("other layout", lambda: other_layout(recording, dice))]
    turns = ["two exchanged"] * 5 + [kind for kind, _ in makers[1:]] + ["fields replaced"]
    for n in range(count):
        kind = turns[n % len(turns)]
        order = exchanged([pairs[n % len(pairs)]]) if kind == "two exchanged" else dict(makers)[kind]()
        if order != NAMES:
            yield kind, order, dice.randrange(recording.rows - ROWS + 1)


def wrong_names(recording, order, start, fields):
    """Names at bytes of another field, and why nobody could tell; "" where somebody could."""
    rows, wrong = range(start, start + ROWS), []
    for name, holds in zip(NAMES, order) if fields == NAMES else []:
        if name == holds:
            continue
        same = all(recording.bytes[name][row] == recording.bytes[holds][row] for row in rows)
        alike = [reason for pair, reason in ALIKE if {name, holds} == pair]
        wrong.append((name, holds, "the same bytes in all packages" if same else alike[0] if alike else ""))
    return wrong


def judge_others(recording, count, show):
    tally, left = {}, {}
    dice = random.Random(43)
    windows = (((kind, order, start), [payload([recording.bytes[name] for name in order], row)
                                       for row in range(start, start + ROWS)])
               for kind, order, start in others(recording, dice, count))
    for ((kind, order, start), _), said in in_parts(windows):
        wrong = wrong_names(recording, order, start, said["fields"])
        row = tally.setdefault(kind, [0, 0, 0])
        row[0] += 1
        row[1] += bool(wrong)
        row[2] += any(not reason for _, _, reason in wrong)
        for name, holds, reason in wrong:
            key = (name, holds, reason)
            left[key] = left.get(key, 0) + 1
        if show and any(not reason for _, _, reason in wrong):
            print("  %s, row %d: %s" % (kind, start, ", ".join("%s holds %s" % one[:2] for one in wrong)))
    return tally, left


def main():
    folder = os.environ.get("ARMTAP_REAL")
    if not folder:
        print("ARMTAP_REAL names no recordings: nothing to try")
        return 0
    recording = Recording(os.path.join(folder, "00.json.gz"))
    print("all windows" if ALL else "one in 12 windows of the recipe, 600 of others")
    for change in as_recorded, no_accelerations, led_by_hand:
        tried, missed = recognised(recording, change(recording), 1 if ALL else 12)
        print("%-20s %4d windows, %5.1f %% recognised" % (change.__name__, tried, 100 - 100 * len(missed) / tried))
        expect(change.__name__, len(missed) * 20 <= tried, missed)
    tally, left = judge_others(recording, 10000 if ALL else 600, len(sys.argv) > 1)
    for kind, (tried, named, wrong) in tally.items():
        print("%-20s %4d windows, %4d named as record.py's, %4d of them with a name that could be told" %
              (kind, tried, named, wrong))
        expect(kind, wrong * 100 <= 2 * tried, wrong)
    total, all_wrong = sum(row[0] for row in tally.values()), sum(row[2] for row in tally.values())
    print("%d of %d windows of others have a name that could be told to be wrong" % (all_wrong, total))
    expect("of all", all_wrong * 200 <= total, all_wrong)
    for (name, holds, reason), count in sorted(left.items(), key=lambda one: (one[0][2], -one[1])):
        print("  %4d times %s holds %s: %s" % (count, name, holds, reason or "could be told"))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
