#!/usr/bin/env python3
"""Streams of several vendors in one table, and modes by name: captures made here of AUBO's RTDE, UR's RTDE and CB2's
realtime packets, whose values are known; names from the facts in unit/data/enums.csv. Numbers of two enumerations never
share a column, nor do fields with the same name and different meanings."""
import csv
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tempfile

ARMTAP = os.environ.get("ARMTAP", "./armtap")
DATA = os.path.join(os.environ.get("srcdir", "."), "tests", "unit", "data", "enums.csv")
EPOCH = 1769860800
GENERATIONS = {"aubo": "aubo", "rtde": "cb3e", "realtime": "cb2"}
MODES = ("robot_mode", "runtime_state")


def facts():
    """(field, generation, number) -> name."""
    names = {}
    with open(DATA, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            names[row["field"], row["generation"], int(row["value"])] = row["name"]
    return names


class Capture:
    def __init__(self):
        self.packets = []

    def connect(self, robot, port):
        return [robot, port, 40000 + len(self.packets) % 20000, {"r": 1, "c": 1}]

    def send(self, time_ms, connection, sender, payload):
        robot, port, client_port, sequence = connection
        ends = [(bytes([10, 0, 0, robot]), port), (bytes([10, 0, 0, 200]), client_port)]
        (source, source_port), (to, to_port) = ends if sender == "r" else ends[::-1]
        tcp = struct.pack(">HHIIBBHHH", source_port, to_port, sequence[sender], 0, 5 << 4, 0x08, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0, source, to)
        sequence[sender] += len(payload)
        self.packets.append((time_ms, len(self.packets), bytes(12) + b"\x08\0" + ip + tcp + payload))

    def write(self, path):
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            for time_ms, _, packet in sorted(self.packets):
                file.write(struct.pack("<4I", EPOCH + time_ms // 1000, time_ms % 1000 * 1000, len(packet), len(packet)) + packet)


def rtde(kind, payload):
    return struct.pack(">HB", 3 + len(payload), ord(kind)) + payload


def realtime(size, clock, mode):
    """Column 1 is the time, 32 to 37 actual_q, 95 robot_mode; on CB2 the same columns."""
    cells = [0.0] * ((size - 4) // 8)
    cells[0], cells[94] = clock, float(mode)
    cells[31:37] = [0.25] * 6
    return struct.pack(">I%dd" % len(cells), size, *cells)


def three_vendors(path):
    """AUBO begins, so that UR's fields come second. Returns the values of each stream, in order."""
    capture = Capture()
    aubo, arm, old = capture.connect(1, 30010), capture.connect(2, 30004), capture.connect(3, 30003)
    said = {0: [], 1: [], 2: []}
    capture.send(0, aubo, "c", json.dumps([100, {"chanel": 1, "frequency": 50.0, "segments": [
        "timestamp", "R1_actual_q", "R1_robot_mode", "runtime_state", "actual_execution_time", "R2_robot_mode"],
        "to_server": False, "trigger": 0}]).encode())
    names = b"timestamp,actual_q,robot_mode,actual_execution_time,runtime_state"
    for at, (sender, message) in enumerate([("c", rtde("V", b"\0\2")), ("r", rtde("V", b"\1")),
                                            ("c", rtde("O", struct.pack(">d", 500.0) + names)),
                                            ("r", rtde("O", b"\1DOUBLE,VECTOR6D,INT32,DOUBLE,UINT32")),
                                            ("c", rtde("S", b"")), ("r", rtde("S", b"\1"))]):
        capture.send(1 + at, arm, sender, message)
    for i in range(40):
        clock, mode, state = 5 + i * 0.02, i % 14 - 1, i % 8
        joints = [i / 8 + k for k in range(6)]
        capture.send(10 + 20 * i, aubo, "r", json.dumps([1, clock, joints, mode, state, i * 3, mode]).encode())
        said[0].append({"timestamp": clock, "actual_q": joints, "robot_mode": mode, "runtime_state": state,
                        "actual_execution_time_aubo": i * 3, "R2_robot_mode": mode})
        capture.send(11 + 20 * i, arm, "r",
                     rtde("U", b"\1" + struct.pack(">d6didI", clock, *joints, mode, i / 4, state)))
        said[1].append({"timestamp": clock, "actual_q": joints, "robot_mode": mode, "runtime_state": state,
                        "actual_execution_time": i / 4})
        capture.send(12 + 20 * i, old, "r", realtime(812, clock, mode))
        said[2].append({"timestamp": clock, "actual_q": [0.25] * 6, "robot_mode": mode})
    capture.write(path)
    return said


def run(*arguments, status=0, stdin=None):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, stdin=stdin, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode()


def as_text(number):
    return repr(number) if isinstance(number, float) else str(number)


def name_of(names, field, protocol, number):
    """From the facts; the number as text if they have none."""
    field = field.removeprefix("R2_")
    generation = GENERATIONS[protocol]
    both = None if generation == "aubo" else names.get((field, "both", number))
    return names.get((field, generation, number)) or both or str(number)


def check_row(row, wanted, protocol, names, how):
    for key, value in wanted.items():
        if isinstance(value, list):
            assert [row["%s_%d" % (key, i)] for i in range(6)] == [as_text(one) for one in value], (row, key)
        elif not key.endswith(MODES):
            assert row[key] == as_text(value), (row, key, value)
        else:
            name = name_of(names, key, protocol, value)
            shown = {key: name} if how == "name" else {key: str(value), key + "_name": name}
            assert {one: row[one] for one in shown} == shown, (row, key, shown)


def check_union(folder, names):
    path = folder + "/three.pcap"
    said = three_vendors(path)
    protocols = ["aubo", "rtde", "realtime"]
    known = 0
    for how, options in (("name", []), ("name", ["--enums", "number"]), ("name", ["--enums", "name"]),
                         ("both", ["--enums", "both"])):
        text, warned = run("export", "--union", *options, path)
        rows = list(csv.DictReader(io.StringIO(text)))
        header = text.splitlines()[0].split(",")
        assert header[:4] == ["time", "robot", "stream", "protocol"] and len(set(header)) == len(header), header
        assert ("number their modes differently" in warned) == (options in ([], ["--enums", "number"])), warned
        assert len(rows) == 120
        for stream, wanted in said.items():
            own = [row for row in rows if row["stream"] == str(stream)]
            assert len(own) == 40
            for row, values in zip(own, wanted):
                assert (row["robot"], row["protocol"]) == ("10.0.0.%d:%s" % (stream + 1, ("30010", "30004", "30003")[stream]),
                                                           protocols[stream]), row
                check_row(row, values, protocols[stream], names, how)
                known += sum(len(row.get(key, "")) > 3 for key in MODES)
        for threads in ("1", "5"):
            assert run("export", "--union", *options, "--threads", threads, path) == (text, warned)
    assert known > 100, "names"
    run("export", "--union", "-o", folder + "/u.csv.gz", path)
    assert gzip.open(folder + "/u.csv.gz").read().decode() == run("export", "--union", path)[0]
    return len(rows) * len(header)


def check_union_ndjson(folder, names):
    """Numbers stay numbers, with their names beside them, with and without --union."""
    path = folder + "/three.pcap"
    said = three_vendors(path)
    for options in ([], ["--union"], ["--enums", "both"]):
        objects = [json.loads(line) for line in run("export", "-f", "ndjson", *options, path)[0].splitlines()]
        at = {0: 0, 1: 0, 2: 0}
        for one in objects:
            wanted = said[one["stream"]][at[one["stream"]]]
            at[one["stream"]] += 1
            for key, value in wanted.items():
                if not options:
                    key = key.removesuffix("_aubo")
                assert one.get(key) == value or (options == ["--enums", "both"] and key.endswith("_aubo")), (one, key)
                if key.endswith(MODES):
                    assert one[key + "_name"] == name_of(names, key, one["protocol"], value), (one, key)
        assert set(at.values()) == {40}
    alone = run("export", "-f", "ndjson", "--stream", "1", path)[0]
    assert "_name" not in alone
    with open(path, "rb") as file:
        streamed = [json.loads(line) for line in run("export", "-f", "ndjson", "-", stdin=file)[0].splitlines()]
    # On a single reading it is known from the second kind of controller on.
    second = next(i for i, one in enumerate(streamed) if one["protocol"] != streamed[0]["protocol"])
    assert [i for i, one in enumerate(streamed) if "robot_mode_name" in one] == list(range(second, len(streamed))), second
    return len(objects)


def check_every(folder, _):
    path = folder + "/three.pcap"
    three_vendors(path)
    rows = list(csv.DictReader(io.StringIO(run("export", "--union", "--every", "3", path)[0])))
    assert [sum(row["stream"] == str(i) for row in rows) for i in range(3)] == [14, 14, 14]
    rows = list(csv.reader(io.StringIO(run("export", "--union", "--fields", "stream,robot_mode,client", path)[0])))
    assert rows[0] == ["time", "robot", "stream", "protocol", "robot_mode", "client"], rows[0]
    for options, says in ((["--split", "-o", folder + "/x.csv"], "--split"), (["--stream", "1"], "--stream"),
                          (["-f", "gnuplot"], "gnuplot"), (["--dialect", "record.py"], "record.py")):
        assert says in run("export", "--union", *options, path, status=2)[1]
    with open(path, "rb") as file:
        assert "read once" in run("export", "--union", "-", status=2, stdin=file)[1]
    return len(rows)


def check_one_stream(folder, names):
    """A connection whose packets change from CB2's size to CB3's: one table of two enumerations."""
    path = folder + "/changes.pcap"
    capture = Capture()
    connection = capture.connect(3, 30003)
    for i in range(20):
        capture.send(8 * i, connection, "r", realtime(812 if i < 10 else 1060, 1 + i * 0.008, i % 10))
    capture.write(path)
    wanted = [name_of(names, "robot_mode", "realtime" if i < 10 else "rtde", i % 10) for i in range(20)]
    text, warned = run("export", "--fields", "robot_mode", path)
    assert [line.split(",")[1] for line in text.splitlines()[1:]] == wanted, text
    assert "number their modes differently" in warned
    # On a single reading one header does not fit both, in either order.
    for sizes in ((812, 1060), (1060, 764)):
        capture = Capture()
        connection = capture.connect(3, 30003)
        for i in range(20):
            capture.send(8 * i, connection, "r", realtime(sizes[i // 10], 1 + i * 0.008, i % 10))
        capture.write(path)
        with open(path, "rb") as file:
            said = run("export", "--fields", "robot_mode", "-", status=2, stdin=file)[1]
        assert "save the input to a file" in said, said
    return len(wanted)


def main():
    names = facts()
    failed = 0
    checks = [check_one_stream]
    if "without AUBO" not in run("--version")[0]:
        checks += [check_union, check_union_ndjson, check_every]
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                print("%-20s %d are equal" % (check.__name__, check(folder, names)))
            except (AssertionError, KeyError, StopIteration) as difference:
                print("FAIL %s: %r" % (check.__name__, difference))
                failed += 1
    return 1 if failed else 0


sys.exit(main())
