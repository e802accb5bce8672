#!/usr/bin/env python3
"""armtap compare on captures made here with struct: it is known what differs, in which packet, and by how much. Python
parses its JSON and computes pairs and differences independently."""
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from arm_wire import UR5, UR10, joints_at, pose_of  # noqa: E402
from tally import share  # noqa: E402

ROBOT, OTHER, CLIENT = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 3]), bytes([10, 0, 0, 9])
EPOCH = 1769860800
COLUMNS = {"timestamp": 1, "target_q": 2, "actual_q": 32, "actual_TCP_pose": 56, "target_TCP_pose": 74,
           "target_TCP_speed": 80, "actual_digital_input_bits": 86, "robot_mode": 95, "joint_mode": 96, "safety_mode": 102,
           "speed_scaling": 118}
COLUMNS_CB2 = {name: column for name, column in COLUMNS.items() if name != "target_TCP_pose"}
COLUMNS_CB2["actual_TCP_pose"] = 74
TYPES = {"timestamp": ("DOUBLE", "d"), "target_q": ("VECTOR6D", "6d"), "actual_q": ("VECTOR6D", "6d"),
         "actual_TCP_pose": ("VECTOR6D", "6d"), "target_TCP_speed": ("VECTOR6D", "6d"),
         "actual_digital_input_bits": ("UINT64", "Q"), "robot_mode": ("INT32", "i"), "joint_mode": ("VECTOR6INT32", "6i"),
         "speed_scaling": ("DOUBLE", "d"), "payload": ("DOUBLE", "d")}


IDLE = {"actual_digital_input_bits", "robot_mode", "joint_mode", "speed_scaling", "payload"}


def state(clock, **changes):
    """A robot's values at a time of its clock: all but those of IDLE change."""
    values = {"timestamp": clock, "target_q": [clock * (i + 1) / 7 for i in range(6)],
              "actual_q": [clock * (i + 1) / 3 for i in range(6)], "actual_TCP_pose": [clock / (i + 2) for i in range(6)],
              "target_TCP_pose": [clock / (i + 3) for i in range(6)], "target_TCP_speed": [clock / (i + 4) for i in range(6)],
              "actual_digital_input_bits": 5, "robot_mode": 7, "joint_mode": [253] * 6, "safety_mode": 1,
              "speed_scaling": 1.0, "payload": 1.5}
    values.update(changes)
    return values


def legacy(values, size=1060, columns=None, raw_bits=False):
    packet = bytearray(struct.pack(">I", size) + bytes(size - 4))
    for name, column in (columns or COLUMNS).items():
        value = values[name]
        for i, number in enumerate(value if isinstance(value, list) else [value]):
            if column + i > (size - 4) // 8:
                continue
            form = ">Q" if raw_bits and name == "actual_digital_input_bits" else ">d"
            struct.pack_into(form, packet, 4 + 8 * (column - 1 + i), number)
    return bytes(packet)


def package(kind, payload):
    return struct.pack(">HB", len(payload) + 3, ord(kind)) + payload


RECIPE = ["timestamp", "actual_q", "actual_TCP_pose", "actual_digital_input_bits", "robot_mode", "joint_mode",
          "speed_scaling", "payload"]


def handshake(names):
    """Requests and replies, as ("c" or "r", bytes)."""
    types = ",".join(TYPES[name][0] for name in names)
    return [("c", package("V", b"\0\2")), ("r", package("V", b"\1")),
            ("c", package("O", struct.pack(">d", 125) + ",".join(names).encode())),
            ("r", package("O", b"\1" + types.encode())), ("c", package("S", b"")), ("r", package("S", b"\1"))]


def data(values, names):
    payload = b"\1"
    for name in names:
        value = values[name]
        payload += struct.pack(">" + TYPES[name][1], *(value if isinstance(value, list) else [value]))
    return package("U", payload)


class Connection:
    """Packets of a TCP connection: (time, bytes)."""

    def __init__(self, port, client_port, robot=ROBOT, at=0.0):
        self.ends = {"r": (robot, port), "c": (CLIENT, client_port)}
        self.sequence = {"r": 1000, "c": 2000}
        self.packets = []
        self.add(at, "c", b"", 0x02)
        self.add(at, "r", b"", 0x12)

    def add(self, time, sender, payload, flags=0x18):
        (source, source_port), (to, to_port) = self.ends[sender], self.ends["c" if sender == "r" else "r"]
        tcp = struct.pack(">HHIIBBHHH", source_port, to_port, self.sequence[sender],
                          self.sequence["c" if sender == "r" else "r"], 5 << 4, flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0, source, to)
        self.packets.append((time, bytes(12) + b"\x08\0" + ip + tcp + payload))
        self.sequence[sender] += len(payload) + (flags >> 1 & 1)


def old_stream(records, client_port=50000, robot=ROBOT, **options):
    connection = Connection(30003, client_port, robot)
    for time, values in records:
        connection.add(time, "r", legacy(values, **options))
    return connection.packets


def new_stream(records, client_port=50001, robot=ROBOT, names=RECIPE):
    connection = Connection(30004, client_port, robot)
    for sender, message in handshake(names):
        connection.add(0.001, sender, message)
    for time, values in records:
        connection.add(time + 0.0004, "r", data(values, names))
    return connection.packets


def capture(path, *connections):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, packet in sorted(itertools.chain(*connections), key=lambda one: one[0]):
            nanoseconds = round(time * 1e9)
            file.write(struct.pack("<IIII", EPOCH + nanoseconds // 10**9, nanoseconds % 10**9, len(packet), len(packet)))
            file.write(packet)
    return path


def compare(*arguments, status, stdin=None):
    run = subprocess.run([os.environ["ARMTAP"], "compare", *arguments], capture_output=True, text=True, stdin=stdin,
                         timeout=60)
    assert run.returncode == status, (arguments, run.returncode, run.stdout[-600:], run.stderr)
    if "--json" not in arguments:
        assert all(len(line) <= 80 for line in run.stdout.splitlines()), max(run.stdout.splitlines(), key=len)
    return run


def read_again(arguments, once):
    """The same with streams that are named, for which compare reads the capture a second time."""
    words = compare(*arguments, status=once.returncode).stdout.split()
    numbers = [words[i + 1].strip(",") for i in range(len(words) - 1) if words[i] == "stream"][:2]
    again = compare("--json", "--stream", ",".join(numbers), *arguments, status=once.returncode)
    assert (again.stdout, again.stderr) == (once.stdout, once.stderr), (arguments, numbers)


def report(*arguments, status):
    run = compare("--json", *arguments, status=status)
    if not any(argument.startswith("--stream") for argument in arguments):
        read_again(arguments, run)
    found = json.loads(run.stdout)
    assert list(found) == ["pairs", "fields", "models"]
    assert list(found["models"]) == ["legacy", "rtde"]
    for field in found["fields"]:
        assert list(field) == ["field", "pairs", "max_abs_diff", "mean_abs_diff", "verdict", "constant"], field
    return found["pairs"], {field["field"]: field for field in found["fields"]}


def times(count, step=0.008, start=100.0, at=0.05):
    return [(at + i * step, round(start + i * step, 9)) for i in range(count)]


def states(moments, **changes):
    return [(time, state(clock, **changes)) for time, clock in moments]


folder = tempfile.mkdtemp()
passed = 0


def place(name):
    return os.path.join(folder, name + ".pcap")


def check(test):
    global passed
    test(place(test.__name__))
    passed += 1


# ---- the tests -------------------------------------------------------------------------------------------------------

def equal(path):
    records = states(times(50))
    capture(path, old_stream(records), new_stream(records))
    pairs, fields = report(path, status=0)
    assert pairs == 50
    for name in RECIPE[:-1]:
        assert fields[name] == {"field": name, "pairs": 50, "max_abs_diff": 0.0, "mean_abs_diff": 0.0, "verdict": "equal",
                                "constant": name in IDLE}, fields[name]
    assert fields["payload"] == {"field": "payload", "pairs": 0, "max_abs_diff": None, "mean_abs_diff": None,
                                 "verdict": "only-rtde", "constant": None}
    for name in "target_q", "target_TCP_pose", "rt_94", "rt_103", "safety_mode":
        assert fields[name]["verdict"] == "only-legacy", fields[name]
    assert list(fields)[:7] == ["timestamp", "actual_q", "actual_TCP_pose", "actual_digital_input_bits", "robot_mode",
                                "joint_mode", "speed_scaling"], list(fields)
    with open(path, "rb") as file:
        assert compare("--json", "-", status=0, stdin=file).stdout == compare("--json", path, status=0).stdout


def one_bit(path):
    records = states(times(50))
    joint = records[20][1]["actual_q"][3]
    changed = struct.unpack(">d", struct.pack(">Q", struct.unpack(">Q", struct.pack(">d", joint))[0] ^ 1))[0]
    other = [(time, dict(values)) for time, values in records]
    other[20][1]["actual_q"] = records[20][1]["actual_q"][:3] + [changed] + records[20][1]["actual_q"][4:]
    capture(path, old_stream(records), new_stream(other))
    pairs, fields = report(path, status=1)
    off = abs(changed - joint)
    assert off > 0
    assert fields["actual_q"] == {"field": "actual_q", "pairs": 50, "max_abs_diff": off, "mean_abs_diff": off / 300,
                                  "verdict": "differs", "constant": False}, fields["actual_q"]
    assert [name for name in fields if fields[name]["verdict"] == "differs"] == ["actual_q"]
    text = compare(path, status=1).stdout
    flat = " ".join(text.split())
    # Packets before: two that open each connection, six of the handshake, two of each pair before this one.
    assert "in 1 pair, largest in [3] at %.6f s: legacy %r, RTDE %r; legacy packet %d, RTDE packet %d" % (
        records[20][1]["timestamp"], joint, changed, 10 + 41, 10 + 42) in flat, text
    assert "1 of 7 fields differ" in text
    assert report("--tolerance", repr(off), path, status=0)[1]["actual_q"]["verdict"] == "equal"
    assert report("--tolerance", repr(off / 2), path, status=1)[1]["actual_q"]["verdict"] == "differs"


def rates(path):
    """Legacy at 125 Hz, RTDE at 500 Hz: every legacy record has a counterpart."""
    capture(path, old_stream(states(times(40))), new_stream(states(times(160, 0.002))))
    pairs, fields = report(path, status=0)
    assert pairs == 40
    assert "RTDE" in compare(path, status=0).stdout
    capture(path, old_stream(states(times(160, 0.002))), new_stream(states(times(16, 0.02))))
    assert report(path, status=0)[0] == 16


def offset(path):
    """Clocks 3 ms apart pair, and changing values differ; mean and largest are those computed here."""
    ours, theirs = states(times(50)), states(times(50, start=100.003))
    capture(path, old_stream(ours), new_stream(theirs))
    pairs, fields = report(path, status=1)
    assert pairs == 50
    apart = [abs(a[1]["timestamp"] - b[1]["timestamp"]) for a, b in zip(ours, theirs)]
    assert fields["timestamp"]["max_abs_diff"] == max(apart)
    assert math.isclose(fields["timestamp"]["mean_abs_diff"], sum(apart) / 50, rel_tol=1e-12)
    joints = [abs(x - y) for a, b in zip(ours, theirs) for x, y in zip(a[1]["actual_q"], b[1]["actual_q"])]
    assert fields["actual_q"]["max_abs_diff"] == max(joints)
    assert math.isclose(fields["actual_q"]["mean_abs_diff"], sum(joints) / 300, rel_tol=1e-12)
    assert fields["robot_mode"]["verdict"] == "equal"
    assert "up to 0.003 s apart" in compare(path, status=1).stdout


def gaps_and_repeats(path):
    moments = times(60)
    ours = states(moments[:20] + moments[30:])
    theirs = states(moments[5:40] + moments[45:])
    ours.insert(12, (ours[11][0] + 0.001, ours[11][1]))
    capture(path, old_stream(ours), new_stream(theirs))
    expected = len({v["timestamp"] for _, v in ours} & {v["timestamp"] for _, v in theirs})
    assert report(path, status=0)[0] == expected == 40


def restart(path):
    moments = times(40, start=5000.0) + times(40, start=0.008, at=30.0)
    records = states(moments)
    capture(path, old_stream(records), new_stream(records))
    assert report(path, status=0)[0] == 80
    assert "clock restarted" in " ".join(compare(path, status=0).stdout.split())
    capture(path, old_stream(records), new_stream(records[50:]))
    assert report(path, status=0)[0] == 30


def two_files(path):
    """Two files captured at the same time are read together, in any order and of any length."""
    records = states(times(20000))
    first, second = place("old"), place("new")
    capture(first, old_stream(records))
    capture(second, new_stream(records))
    assert report(first, second, status=0)[0] == 20000
    assert report(second, first, status=0)[0] == 20000


def not_numbers(path):
    records = states(times(10))
    other = [(time, dict(values)) for time, values in records]
    records[4][1]["speed_scaling"] = other[4][1]["speed_scaling"] = float("nan")
    capture(path, old_stream(records), new_stream(other))
    assert report(path, status=0)[1]["speed_scaling"]["verdict"] == "equal"
    other[5][1]["speed_scaling"] = float("nan")
    capture(path, old_stream(records), new_stream(other))
    assert report(path, status=1)[1]["speed_scaling"] == {
        "field": "speed_scaling", "pairs": 10, "max_abs_diff": None, "mean_abs_diff": None, "verdict": "differs",
        "constant": False}
    other[5][1]["speed_scaling"] = 1.0
    records[6][1]["speed_scaling"], other[6][1]["speed_scaling"] = 0.0, -0.0
    capture(path, old_stream(records), new_stream(other))
    assert report(path, status=1)[1]["speed_scaling"]["max_abs_diff"] == 0.0
    assert "only in the sign of zero" in " ".join(compare(path, status=1).stdout.split())


def modes(path):
    """Modes are doubles in the legacy packet; a cell that holds no integer is absent, which is reported."""
    records = states(times(10))
    other = [(time, dict(values)) for time, values in records]
    other[3][1]["joint_mode"] = [253] * 5 + [255]
    capture(path, old_stream(records), new_stream(other))
    fields = report(path, status=1)[1]
    assert fields["joint_mode"]["max_abs_diff"] == 2.0 and fields["robot_mode"]["verdict"] == "equal"
    flat = " ".join(compare(path, status=1).stdout.split())
    assert "in [5] at 100.024000 s: legacy 253 RUNNING, RTDE 255 IDLE" in flat, flat
    records[7][1]["robot_mode"] = 6.5
    capture(path, old_stream(records), new_stream(records[:7] + states(times(10))[7:]))
    fields = report(path, status=0)[1]
    assert fields["robot_mode"]["pairs"] == 9 and fields["timestamp"]["pairs"] == 10
    assert "robot_mode: 1 pair is omitted" in " ".join(compare(path, status=0).stdout.split())


    fraction = states(times(10), robot_mode=6.5)
    capture(path, old_stream(fraction), new_stream(states(times(10))))
    assert report(path, status=0)[1]["robot_mode"] == {"field": "robot_mode", "pairs": 0, "max_abs_diff": None,
                                                       "mean_abs_diff": None, "verdict": "only-rtde", "constant": None}


def digital(path):
    """The bits as a double, as a raw integer, and different ones."""
    records = states(times(10))
    capture(path, old_stream(records), new_stream(records))
    assert "is a double whose value is the bits" in " ".join(compare(path, status=0).stdout.split())
    capture(path, old_stream(records, raw_bits=True), new_stream(records))
    assert report(path, status=0)[1]["actual_digital_input_bits"]["verdict"] == "equal"
    assert "is a raw 64-bit integer here" in " ".join(compare(path, status=0).stdout.split())
    capture(path, old_stream(records), new_stream(states(times(10), actual_digital_input_bits=4)))
    assert report(path, status=1)[1]["actual_digital_input_bits"]["max_abs_diff"] == 1.0
    assert "legacy 0x5, RTDE 0x4" in " ".join(compare(path, status=1).stdout.split())


def cb2(path):
    """In this layout column 74 is the actual pose, column 80 the target speed."""
    names = ["timestamp", "actual_q", "actual_TCP_pose", "target_TCP_speed"]
    records = states(times(10))
    capture(path, old_stream(records, size=812, columns=COLUMNS_CB2), new_stream(records, names=names))
    fields = report(path, status=0)[1]
    assert [name for name in fields if fields[name]["verdict"] == "equal"] == names, fields
    text = " ".join(compare(path, status=0).stdout.split())
    assert "74-79 actual_TCP_pose" in text and "80-85 target_TCP_speed" in text
    assert "CB2 has the actual pose in columns 74-79" in text and "80-85 are the target speed" in text


def moving(model, count=250):
    """Records of an arm whose joints all move, with the poses of a model."""
    records = []
    for time, clock in times(count):
        joints = joints_at(clock)
        records.append((time, state(clock, actual_q=joints, actual_TCP_pose=pose_of(model, joints))))
    return records


def swapped(records):
    """Two axes of the pose in each other's place."""
    return [(time, dict(values, actual_TCP_pose=[values["actual_TCP_pose"][i] for i in (1, 0, 2, 3, 4, 5)]))
            for time, values in records]


def models(path):
    """Whether the poses follow from the joints, on both sides."""
    said = "in both streams the poses match the joint angles of a UR5"
    for ours, theirs, names, text in (
            (moving(UR5), moving(UR5), (["UR5"], ["UR5"]), said),
            (moving(UR5), moving(UR10), (["UR5"], ["UR10"]), "of a UR5 in the legacy stream, but of a UR10 in the RTDE"),
            (moving(UR5), swapped(moving(UR5)), (["UR5"], None), "does not match the joint angles in the RTDE stream"),
            (moving(UR5, 30), moving(UR5, 30), (None, None), None)):
        capture(path, old_stream(ours), new_stream(theirs))
        run = subprocess.run([os.environ["ARMTAP"], "compare", "--json", path], capture_output=True, text=True, check=False)
        assert tuple(json.loads(run.stdout)["models"].values()) == names, run.stdout[-200:]
        run = subprocess.run([os.environ["ARMTAP"], "compare", path], capture_output=True, text=True, check=False)
        flat = " ".join(run.stdout.split())
        assert text in flat if text else "joints" not in flat, flat


def tolerance(path):
    """The tolerance applies only to doubles: a mode or bit that differs by one is another."""
    records = states(times(10))
    capture(path, old_stream(records), new_stream(states(times(10), robot_mode=6, actual_digital_input_bits=4,
                                                         speed_scaling=0.5)))
    fields = report("--tolerance", "1", path, status=1)[1]
    assert [name for name in fields if fields[name]["verdict"] == "differs"] == ["actual_digital_input_bits", "robot_mode"]
    assert fields["speed_scaling"]["max_abs_diff"] == 0.5


def clocks(path):
    """Records whose clock is not a number are counted, never dropped silently; clocks of any size are printed briefly."""
    records, other = states(times(30)), states(times(30))
    for i in 3, 4, 20:
        other[i][1]["timestamp"] = float("nan")
    other[25][1]["timestamp"] = float("inf")
    capture(path, old_stream(records), new_stream(other))
    assert report(path, status=0)[0] == 26
    assert "4 more RTDE records are omitted: the timestamp is not a number" in " ".join(compare(path, status=0).stdout.split())
    for clock, said in (float("nan"), "never a number"), (1e300, "from 1e+300 to 1e+300 s"), (-1e300, "-1e+300"):
        capture(path, old_stream(records), new_stream(states([(time, clock) for time, _ in times(30)])))
        error = compare(path, status=2).stderr
        assert said in error and len(error) < 400, error


def clock_alone(path):
    records = states(times(10))
    capture(path, old_stream(records), new_stream(records, names=["timestamp"]))
    text = " ".join(compare(path, status=0).stdout.split())
    assert "proves nothing about the rest" in text and text.endswith("the 1 field is equal, bit for bit"), text
    capture(path, old_stream(records), new_stream(records, names=["timestamp", "robot_mode"]))
    assert "proves nothing about the rest" not in compare(path, status=0).stdout


def constants(path):
    """A field that never changed proves nothing, whether it is a double, a vector or a mode; one change in either stream
    suffices, be it in the last pair, in one element or in one bit."""
    def said(records, other=None, status=0, options=()):
        capture(path, old_stream(records), new_stream(other or records))
        fields = report(*options, path, status=status)[1]
        text = " ".join(compare(*options, path, status=status).stdout.split())
        return {name for name in RECIPE[:-1] if fields[name]["constant"]}, text
    idle = IDLE - {"payload"}
    constant, text = said(states(times(30)))
    assert constant == idle and text.endswith("3 of 7 fields are equal, bit for bit; 4 never changed: no proof"), text
    assert "actual_digital_input_bits robot_mode joint_mode speed_scaling never changed" in text, text
    changes = {"actual_digital_input_bits": 4, "robot_mode": 5, "joint_mode": [253] * 5 + [255],
               "speed_scaling": struct.unpack(">d", struct.pack(">Q", 0x3FF0000000000001))[0]}
    for at in 0, 1, 15, 29:
        for name, value in changes.items():
            records = states(times(30))
            records[at] = (records[at][0], dict(records[at][1], **{name: value}))
            constant, text = said(records)
            assert constant == idle - {name} and "4 of 7" in text and "3 never" in text, (at, name, text)
    records = [(time, dict(values, **{name: changes[name] for name in changes if i % 2})) for i, (time, values) in
               enumerate(states(times(30)))]
    constant, text = said(records)
    assert not constant and text.endswith("all 7 fields are equal, bit for bit"), text
    still = [(time, state(7.0, timestamp=clock)) for time, clock in times(30)]
    constant, text = said(still)
    assert constant == set(RECIPE[:-1]) - {"timestamp"} and "1 of 7 fields is equal, bit for bit" in text, text
    constant, text = said(still[:1])
    assert constant == set(RECIPE[:-1]) and "no field changed, which proves nothing" in text, text
    # One side that changes within the tolerance is a change; a constant difference is none, and no equality.
    other = [(time, dict(values, speed_scaling=1.0 + 1e-9 * (i % 2))) for i, (time, values) in enumerate(still)]
    constant, text = said(still, other, options=("--tolerance", "1e-6"))
    assert "speed_scaling" not in constant and "2 of 7" in text and "within 1e-06; 5 never" in text, text
    constant, text = said(still, [(time, dict(values, robot_mode=5)) for time, values in still], status=1)
    assert "robot_mode" in constant and "1 of 7 fields differs; 5 never changed: no proof" in text, text


def typical_step(clocks):
    steps = sorted([after - before for before, after in zip(clocks, clocks[1:])][:256])
    return steps[len(steps) // 2]


def uneven(chance, start, step, end):
    """Clocks of a stream whose steps vary."""
    clocks = [start]
    while clocks[-1] < end:
        clocks.append(round(clocks[-1] + step * chance.choice((0.2, 0.31, 1, 1, 1.07, 2)), 9))
    return clocks


def any_rates(path):
    """Compares pairs of streams of any rates, regular or not, with missing records, with an exhaustive search: partners are
    at most half a cycle apart, and neither has a nearer one."""
    chance = random.Random(4)
    for turn in range(80):
        steps = chance.choice((0.002, 0.004, 0.008)), chance.choice((0.002, 0.008, 0.02, 0.01003, 0.00751))
        apart, count = chance.choice((0.00017, 0.00053, 0.00119, 0.00231, 0.00377)), chance.randrange(20, 120)
        steps = steps if turn % 4 < 2 else steps[::-1]
        end = 100 + count * steps[0]
        if turn % 2 == 0:
            ours = [round(100 + i * steps[0], 9) for i in range(count) if chance.random() > 0.1]
            theirs = [round(100 + apart + i * steps[1], 9) for i in range(int(count * steps[0] / steps[1]) + 9)
                      if chance.random() > 0.1]
        else:
            ours, theirs = uneven(chance, 100, steps[0], end), uneven(chance, 100 + apart, steps[1], end)
        reach = min(typical_step(ours), typical_step(theirs)) / 2
        expected = 0
        for clock in ours:
            nearest = min(theirs, key=lambda other: abs(other - clock))
            expected += abs(nearest - clock) <= reach and clock == min(ours, key=lambda one: abs(one - nearest))
        capture(path, old_stream([(clock - 99.9, state(clock)) for clock in ours]),
                new_stream([(clock - 99.9, state(clock)) for clock in theirs], names=["timestamp", "robot_mode"]))
        run = subprocess.run([os.environ["ARMTAP"], "compare", "--json", path], capture_output=True, text=True)
        pairs = json.loads(run.stdout)["pairs"] if run.stdout else 0
        assert pairs == expected, (turn, steps, apart, count, pairs, expected, run.stderr)


def several(path):
    """Two legacy clients, and a second robot: the error lists them, --stream chooses."""
    records = states(times(20))
    capture(path, old_stream(records), old_stream(records, client_port=50007), new_stream(records),
            new_stream(records, client_port=50003, robot=OTHER))
    said = compare(path, status=2)
    assert said.stdout == "" and "--stream A,B" in said.stderr
    streams = [line.split(":")[1].split()[-1] for line in said.stderr.splitlines()[1:]]
    assert streams == ["0", "1", "2", "3"], said.stderr
    assert report("--stream", "1,2", path, status=0)[0] == 20
    assert report("--stream", "2", "--stream=0", path, status=0)[0] == 20
    assert report("--stream", "0,3", path, status=0)[0] == 20
    assert "one legacy and one RTDE stream" in compare("--stream", "0,1", path, status=2).stderr
    assert "no stream 4" in compare("--stream", "0,4", path, status=2).stderr
    compare("--stream", "0", path, status=2)
    compare("--stream", "0,1,2", path, status=2)
    compare("--tolerance", "-1", path, status=2)
    compare("--tolerance", "nan", path, status=2)
    with open(path, "rb") as file:
        assert "second realtime stream" in compare("-", status=2, stdin=file).stderr
    with open(path, "rb") as file:
        assert json.loads(compare("--json", "--stream", "1,2", "-", status=0, stdin=file).stdout)["pairs"] == 20
    # Of two that could be meant only one has common time: no question.
    capture(path, old_stream(records), old_stream(states(times(20, start=900.0)), client_port=50007), new_stream(records))
    assert report(path, status=0)[0] == 20


def one_reading(path):
    """What was compared before the streams were chosen is forgotten if others are chosen, or too much came between."""
    before, records = states(times(20, start=10.0)), states(times(40, at=1.0))
    capture(path, old_stream(before), old_stream(records, client_port=50007), new_stream(records))
    assert report(path, status=0)[0] == 40
    capture(path, old_stream(records), new_stream(before), old_stream(records, client_port=50007, robot=OTHER),
            new_stream(records, client_port=50003, robot=OTHER))
    assert report(path, status=0)[0] == 40
    twice = [times(20, start=500.0, at=at) + times(20, start=20.0, at=at + 1) for at in (0.05, 5.0)]
    capture(path, old_stream(states(twice[0])), new_stream(states(twice[1])))  # first the one, then the other
    assert report(path, status=0)[0] == 40
    long = states(times(2400))  # the RTDE stream begins when half of the legacy stream has passed
    capture(path, old_stream(long), new_stream(long[1200:]))
    assert report(path, status=0)[0] == 1200
    capture(path, old_stream(long), new_stream(states(times(1200, start=109.6, at=9.65), robot_mode=6)))
    pairs, fields = report(path, status=1)
    assert pairs == 1200 and fields["robot_mode"]["pairs"] == 1200 and fields["robot_mode"]["max_abs_diff"] == 1.0


def cannot(path):
    records = states(times(20))
    capture(path, old_stream(records))
    assert "no RTDE" in compare(path, status=2).stderr
    capture(path, new_stream(records))
    assert "no legacy" in compare(path, status=2).stderr
    with open(path, "rb") as file:
        assert "no legacy" in compare("-", status=2, stdin=file).stderr
    capture(path, old_stream(records), new_stream(records, robot=OTHER))
    assert "no robot has both" in compare(path, status=2).stderr
    with open(path, "rb") as file:
        compare("-", status=2, stdin=file)
    capture(path, old_stream(records), new_stream(states(times(20, start=300.0))))
    assert "no common controller time" in compare(path, status=2).stderr
    capture(path, old_stream(states(times(3, 40.0))), new_stream(states(times(200, 0.002, start=101.0))))
    assert "no record of stream 0" in compare(path, status=2).stderr
    capture(path, old_stream(records), new_stream(records, names=["actual_q"]))
    assert "no timestamp" in compare(path, status=2).stderr
    stream = [packet for packet in new_stream(records) if packet[0] > 0.04]
    capture(path, old_stream(records), stream)
    assert "--recipe" in compare(path, status=2).stderr
    recipe = place("recipe")
    with open(recipe, "w") as file:
        file.write("".join("%s %s\n" % (name, TYPES[name][0]) for name in RECIPE))
    assert report("--recipe", recipe, path, status=0)[0] >= 19


def damaged(path):
    """A truncated file: its readable part is compared, and the status tells that it is incomplete."""
    records = states(times(50))
    capture(path, old_stream(records), new_stream(records))
    with open(path, "rb") as file:
        whole = file.read()
    with open(path, "wb") as file:
        file.write(whole[:len(whole) * 2 // 3])
    assert 20 < report(path, status=2)[0] < 50


if __name__ == "__main__":
    if "ARMTAP" not in os.environ:
        sys.exit("ARMTAP names the program")
    for test in share((equal, one_bit, rates, offset, gaps_and_repeats, restart, two_files, not_numbers, modes, digital, cb2,
                 models, tolerance, clocks, clock_alone, constants, any_rates, several, one_reading, cannot, damaged), 2, "scenes"):
        check(test)
    print(passed, "passed")
