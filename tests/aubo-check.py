#!/usr/bin/env python3
"""Compares exports of AUBO's RTDE with Python's json, csv, zlib and repr. Captures are made here with struct: every JSON
type, strings that csv must quote, nested arrays, two arms, two channels, both directions, a channel set up again. The
samples are parsed here, too, including WebSockets."""
import csv
import glob
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

from tally import left_out

ROBOT, CLIENT = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 9])
EPOCH = 1769860800
PORT = 30010
LAYOUT = os.path.join(os.environ.get("srcdir", "."), "tests", "unit", "data", "realtime_layout.csv")
with open(LAYOUT, encoding="utf-8") as layout:  # each row begins with the bytes of its packet
    COLUMNS = (max(int(line.split(",")[0]) for line in layout if line[0].isdigit()) - 4) // 8
# Topics that stand for fields, by their names without the arm: how many elements, and the numbers of names.
DOUBLES = dict.fromkeys("actual_q actual_qd actual_current actual_TCP_pose actual_TCP_speed actual_TCP_force target_q "
                        "target_qd target_qdd target_current target_TCP_pose target_TCP_speed joint_temperatures "
                        "actual_joint_voltage".split(), 6)
DOUBLES.update(dict.fromkeys("timestamp speed_scaling tool_temperature actual_main_voltage".split(), 1))
MODES = {"robot_mode": {"Running": 8, "PowerOff": 3, "PowerOn": 4, "Idle": 5, "BrakeReleasing": 6, "NoController": -1},
         "safety_mode": {"Normal": 1, "ProtectiveStop": 5}, "runtime_state": {"Running": 0, "Stopped": 6},
         "joint_mode": {"Poweroff": 0, "Idle": 2, "Running": 4}}


class Connection:
    """Packets of one TCP connection."""

    def __init__(self, port=PORT, client_port=50000):
        self.ends = {"r": (ROBOT, port), "c": (CLIENT, client_port)}
        self.sequence = {"r": 1000, "c": 2000}
        self.packets = []
        self.add("c", b"", 0x02)
        self.add("r", b"", 0x12)

    def add(self, sender, payload, flags=0x18):
        (source, source_port), (to, to_port) = self.ends[sender], self.ends["c" if sender == "r" else "r"]
        tcp = struct.pack(">HHIIBBHHH", source_port, to_port, self.sequence[sender],
                          self.sequence["c" if sender == "r" else "r"], 5 << 4, flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0, source, to)
        self.packets.append(bytes(12) + b"\x08\0" + ip + tcp + payload)
        self.sequence[sender] = (self.sequence[sender] + len(payload) + (flags >> 1 & 1)) % 2**32

    def send(self, sender, message):
        content = message if isinstance(message, bytes) else json.dumps(message, separators=(",", ":")).encode()
        for at in range(0, len(content), 60000):
            self.add(sender, content[at:at + 60000])
        return len(self.packets)

    def set_up(self, channel, names, to_server=False, frequency=50.0):
        self.send("c", [100, {"chanel": channel, "frequency": frequency, "segments": names, "to_server": to_server,
                              "trigger": 0}])

    def write(self, path):
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            for i, packet in enumerate(self.packets):
                file.write(struct.pack("<4I", EPOCH + i // 50, i % 50 * 20000, len(packet), len(packet)) + packet)


def run(*arguments, status=0, stdin=None, errors=""):
    done = subprocess.run([os.environ["ARMTAP"], *arguments], capture_output=True, stdin=stdin, check=False)
    # Clocks are made up in some captures: then packages seem to be skipped.
    lines = done.stderr.decode().splitlines()
    said = "\n".join(line for line in lines if "packages skipped by" not in line and "for more:" not in line)
    assert done.returncode == status, (arguments, done.returncode, said)
    assert errors in said and bool(errors) == bool(said), (arguments, said)
    return done.stdout.decode()


def same(a, b):
    """Equal and of the same type, also everything inside."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return repr(a) == repr(b)


def label(topic):
    """The name of a topic's column."""
    arm, name = (topic[:2], topic[3:]) if topic[:1] == "R" and topic[2:3] == "_" else ("", topic)
    return name if arm in ("", "R1") and (name in DOUBLES or name in MODES) else topic


def field_value(topic, value):
    """A value as its field has it, if the topic has a field and the value fits it."""
    name = topic[3:] if topic[:1] == "R" and topic[2:3] == "_" else topic
    if name in MODES and isinstance(value, list):
        return [MODES[name].get(mode, mode) for mode in value]
    if name in MODES and isinstance(value, str):
        return MODES[name].get(value, value)
    if name in DOUBLES and isinstance(value, list) and len(value) == DOUBLES[name]:
        return [float(element) for element in value]
    return float(value) if name in DOUBLES and not isinstance(value, (str, list, dict, type(None))) else value


def flat(value):
    return [leaf for element in value for leaf in flat(element)] if isinstance(value, list) else [value]


def cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return repr(value)
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Table:
    """The rows of channels that are open at the same time."""

    def __init__(self, channels, time=None):
        self.channels = channels
        self.time = time or (lambda packet: (EPOCH + (packet - 1) // 50) * 10**9 + (packet - 1) % 50 * 20000000)
        self.topics = list(dict.fromkeys(topic for topics in channels.values() for topic in topics))
        self.rows = []

    def learn(self, channels):
        """Adds a channel."""
        self.channels = dict(channels)
        self.topics = list(dict.fromkeys(self.topics + [topic for topics in channels.values() for topic in topics]))

    def add(self, packet, message):
        names = self.channels[message[0]]
        values = {topic: field_value(topic, value) for topic, value in zip(names, message[1:])}
        self.rows.append((packet, {topic: value for topic, value in values.items() if value is not None}))

    def csv(self):
        widths = {topic: 0 for topic in self.topics}
        for topic in self.topics:
            name = topic[3:] if topic[:1] == "R" and topic[2:3] == "_" else topic
            if DOUBLES.get(name, 1) > 1 or name == "joint_mode":
                widths[topic] = 6
            for _, values in self.rows:
                if isinstance(values.get(topic), list):
                    widths[topic] = max(widths[topic], len(flat(values[topic])), 1)
        header = ["time"]
        for topic, width in widths.items():
            header += ["%s_%d" % (label(topic), i) for i in range(width)] or [label(topic)]
        lines = [header]
        for packet, values in self.rows:
            line = ["%d.%09d" % divmod(self.time(packet), 10**9)]
            for topic, width in widths.items():
                cells = [cell(leaf) for leaf in flat(values.get(topic))]
                line += cells + [""] * (max(width, 1) - len(cells))
            lines.append(line)
        return lines

    def objects(self):
        return [(packet, {label(topic): value for topic, value in values.items()}) for packet, values in self.rows]


LEADING = ["time", "packet", "stream", "robot", "protocol", "direction"]


def check_csv(text, table, what):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    wanted = table.csv()
    assert rows[0] == wanted[0], (what, rows[0], wanted[0])
    assert len(rows) == len(wanted), (what, len(rows), len(wanted))
    for row, expected in zip(rows, wanted):
        # Escapes in an object are the sender's.
        row = [cell(json.loads(got)) if got.startswith("{") else got for got in row]
        assert row == expected, (what, [pair for pair in zip(wanted[0], row, expected) if pair[1] != pair[2]])
    return len(rows[0]) * len(wanted)


def check_ndjson(text, tables, what, direction="from-robot"):
    objects = [json.loads(line) for line in text.splitlines()]
    wanted = [entry for table in tables for entry in table.objects()]
    assert len(objects) == len(wanted), (what, len(objects), len(wanted))
    for got, (packet, values) in zip(objects, wanted):
        assert list(got)[:len(LEADING)] == LEADING, (what, list(got))
        assert got["packet"] == packet and got["protocol"] == "aubo" and got["direction"] == direction, (what, got)
        rest = {name: value for name, value in got.items() if name not in LEADING}
        assert same(rest, values), (what, packet, rest, values)
    return sum(len(values) for _, values in wanted)


JOINTS = [0.1, -0.2, 3.0999999046325684, 1e-07, -0.0, 6]
STRINGS = ["", "plain", "a,b", 'say "hi"', "two\nlines", "\r", "tab\tand \u20ac \u00df \U0001f916", "back\\slash/", "\x01\x7f", "1.5"]
ARRAYS = [[1, 2, 3], [[1.5, -2], [3e300, 4]], [], [[], [[]]], ["x", 'q"', None, True, False, "\u20ac,\U0001f916\n"], [{"a": [1, "}"]}, 2],
          [[[1]], 2, [3, [4, [5]]]], [18446744073709551615, -9223372036854775808], [0.1], list(range(40))]
SCALARS = [True, False, 0, -1, 9223372036854775807, -9223372036854775808, 18446744073709551615, 0.5, 1e22, 1e-5, 5e-324,
           1.7976931348623157e308, 3.0999999046325684, -0.0, 100.0, None, "text", {"k": [1, {"b": None}], "e": "\u00e9"}]


def rich():
    """Two channels, two arms, every kind of value; then channel 1 is set up again."""
    connection = Connection()
    names = {0: ["timestamp", "R1_actual_q", "R2_actual_q", "R1_robot_mode", "R1_message"],
             1: ["R1_points", "anything", "R2_speed_scaling"]}
    tables = [Table(names)]
    for channel, topics in names.items():
        connection.set_up(channel, topics)

    def data(message):
        tables[-1].add(connection.send("r", message), message)

    modes = ["Running", 3, "PowerOff", -1, "NoController", "SomethingNew"]
    for i in range(40):
        data([0, i if i % 3 == 0 else i * 0.02, JOINTS[i % 6:] + JOINTS[:i % 6], None if i % 7 == 6 else [float(i)] * 6,
              modes[i % 6], STRINGS[i % len(STRINGS)]])
        data([1, ARRAYS[i % len(ARRAYS)], SCALARS[i % len(SCALARS)], i])
    connection.set_up(1, ["anything"])
    tables.append(Table({0: names[0], 1: ["anything"]}))
    data([0, 1.5, JOINTS + [7.0], JOINTS, 8, "seven joints"])
    data([1, [1, [2]]])
    return connection, tables


def check_rich(folder):
    path = os.path.join(folder, "rich.pcap")
    connection, tables = rich()
    connection.write(path)
    count = check_ndjson(run("export", "-f", "ndjson", path), tables, "ndjson")
    run("export", path, "-o", os.path.join(folder, "rich.csv"), "--split")
    for part, table in enumerate(tables):
        name = os.path.join(folder, "rich.0%s.csv" % ("-1" if part else ""))
        count += check_csv(open(name, encoding="utf-8", newline="").read(), table, name)
    run("export", path, status=2, errors="its recipe was replaced")
    stream = json.loads(run("info", "--json", path))["streams"][0]
    assert (stream["protocol"], stream["version"], stream["generation"]) == ("aubo", None, None), stream
    assert stream["fields"] == ["timestamp", "R1_actual_q", "R2_actual_q", "R1_robot_mode", "R1_message", "anything"]
    assert stream["records"] == sum(len(table.rows) for table in tables) and stream["records_to_robot"] == 0
    text = run("info", path)
    for part in ("channel 0, 50 Hz, 5 topics:", "channel 1, 50 Hz, 1 topic: anything", "several arms: R1, R2"):
        assert part in text, (part, text)
    assert "CB3" not in text, text
    return count


def check_fields(folder):
    """--fields accepts names of both kinds, their elements, and patterns."""
    path = os.path.join(folder, "fields.pcap")
    connection, tables = rich()
    connection.packets = connection.packets[:tables[0].rows[-1][0]]
    connection.write(path)
    whole = tables[0].csv()
    count = 0
    for fields, wanted in (("R1_actual_q", ["actual_q_%d" % i for i in range(6)]),
                           ("actual_q", ["actual_q_%d" % i for i in range(6)]),
                           ("R1_actual_q_5,R2_actual_q_0", ["actual_q_5", "R2_actual_q_0"]),
                           ("R1_points_39,R1_points_0,R1_robot_mode", ["R1_points_39", "R1_points_0", "robot_mode"]),
                           ("R1_*", ["actual_q_%d" % i for i in range(6)] + ["robot_mode", "R1_message"] +
                            ["R1_points_%d" % i for i in range(40)]),
                           ("*_q_3", ["actual_q_3", "R2_actual_q_3"])):
        rows = list(csv.reader(io.StringIO(run("export", "--fields", fields, path), newline="")))
        rows = [[cell(json.loads(got)) if got.startswith("{") else got for got in row] for row in rows]
        places = [whole[0].index(name) for name in ["time"] + wanted]
        assert rows == [[row[place] for place in places] for row in whole], (fields, rows[:2])
        count += len(rows) * len(wanted)
    element = [json.loads(line) for line in run("export", "--fields", "R1_points_1,anything", "-f", "ndjson",
                                                path).splitlines()]
    for got, (_, values) in zip(element, tables[0].rows):
        leaves = flat(values.get("R1_points", []))
        wanted = {} if "R1_points" not in values else {"R1_points_1": leaves[1] if len(leaves) > 1 else None}
        wanted.update({"anything": values["anything"]} if "anything" in values else {})
        assert same({name: value for name, value in got.items() if name not in LEADING}, wanted), (got, wanted)
        count += 1
    run("export", "--fields", "R1_actual_qq", path, status=2, errors="nothing here is named")
    return count


def check_gnuplot(folder):
    """The first arm's fields in UR's columns: actual_q from 32 on, robot mode 95, speed scaling 118."""
    path = os.path.join(folder, "gnuplot.pcap")
    connection, tables = rich()
    connection.packets = connection.packets[:tables[0].rows[-1][0]]
    connection.write(path)

    def columns(*options):
        lines = run("export", "-f", "gnuplot", *options, path).splitlines()
        counts = {len(line.split(" ")) for line in lines[1:]}
        assert len(lines) == len(tables[0].rows) + 1, (len(lines), len(tables[0].rows))
        assert counts == {COLUMNS}, "rows of %s columns; realtime_layout.csv has %d" % (counts, COLUMNS)
        return [line.split(" ") for line in lines[1:]]

    count = 0
    for (_, values), row in zip(tables[0].rows, columns()):
        joints = [repr(joint) for joint in values.get("R1_actual_q", [])] or ["NaN"] * 6
        assert row[31:37] == joints, (row[31:37], joints)
        mode = values.get("R1_robot_mode")
        assert row[94] == (str(mode) if isinstance(mode, int) else "NaN"), (row[94], mode)
        assert row[117] == "NaN", "speed scaling is of another arm"
        count += 8
    for (_, values), row in zip(tables[0].rows, columns("--fields", "R2_*")):
        assert row[31:37] == ([repr(joint) for joint in values.get("R2_actual_q", [])] or ["NaN"] * 6), row[31:37]
        assert row[117] == (repr(values["R2_speed_scaling"]) if "R2_speed_scaling" in values else "NaN"), row[117]
        count += 7
    return count


def check_directions(folder):
    """The same channel number in both directions; two publications share a table; a repeated set-up begins another."""
    path = os.path.join(folder, "directions.pcap")
    connection = Connection()
    read, written = Table({1: ["output_double_registers_0", "output_double_registers_1"]}), [
        Table({1: ["input_double_registers_0", "input_double_registers_1"], 2: ["input_int_registers_3"]})]
    connection.set_up(1, written[0].channels[1], True)
    connection.set_up(1, read.channels[1])
    connection.set_up(2, written[0].channels[2], True)
    for i in range(20):
        for table, sender, message in ((written[0], "c", [1, 3.1 + i, 4.1]), (written[0], "c", [2, i]),
                                       (read, "r", [1, 3.0999999046325684 + i, 4.1])):
            table.add(connection.send(sender, message), message)
    connection.set_up(2, [], True, 0)
    connection.set_up(2, ["input_int_registers_4"], True)
    written.append(Table({1: written[0].channels[1], 2: ["input_int_registers_4"]}))
    for i in range(5):
        written[1].add(connection.send("c", [2, i]), [2, i])
    connection.write(path)
    count = check_csv(run("export", path), read, "from the robot")
    count += check_ndjson(run("export", "-f", "ndjson", path), [read], "from the robot")
    count += check_ndjson(run("export", "-f", "ndjson", "--to-robot", path), written, "to the robot", "to-robot")
    run("export", path, "--to-robot", "--split", "-o", os.path.join(folder, "written.csv"))
    for part, table in enumerate(written):
        name = os.path.join(folder, "written.0%s.csv" % ("-1" if part else ""))
        count += check_csv(open(name, encoding="utf-8", newline="").read(), table, name)
    stream = json.loads(run("info", "--json", path))["streams"][0]
    assert stream["fields"] == read.channels[1] and (stream["records"], stream["records_to_robot"]) == (20, 45), stream
    assert "channel 1 to the robot, 50 Hz, 2 topics:" in run("info", path)
    return count


def check_once(folder):
    """From standard input the first row determines the columns; what does not fit is reported and sets the exit status."""
    path = os.path.join(folder, "once.pcap")
    connection, table = Connection(), Table({0: ["R1_points", "R1_late"]})
    connection.set_up(0, table.channels[0])
    for message in ([0, [1, 2], 1], [0, [3], 2], [0, [4, [5]], 3]):
        table.add(connection.send("r", message), message)
    connection.write(path)
    count = check_csv(run("export", "-", stdin=open(path, "rb")), table, "standard input")
    packet = connection.send("r", [0, [6, 7, 8], [9]])
    connection.write(path)
    told = "R1_points has 3 elements in packet %d" % packet
    rows = list(csv.reader(io.StringIO(run("export", "-", stdin=open(path, "rb"), status=2, errors=told))))
    assert rows[0] == ["time", "R1_points_0", "R1_points_1", "R1_late"] and rows[-1][1:] == ["6", "7", "[9]"], rows
    rows = list(csv.reader(io.StringIO(run("export", path))))
    assert rows[0][1:] == ["R1_points_0", "R1_points_1", "R1_points_2", "R1_late_0"], rows[0]
    assert rows[-1][1:] == ["6", "7", "8", "9"] and rows[1][1:] == ["1", "2", "", "1"], rows
    last = run("export", "-f", "ndjson", "-", stdin=open(path, "rb")).splitlines()[-1]
    assert json.loads(last)["R1_points"] == [6, 7, 8], last
    return count + 8


def check_recipe(folder):
    """Data without its subscription: a capture, and a raw dump, with the subscription from a file."""
    capture, dump, recipe = (os.path.join(folder, name) for name in ("middle.pcap", "dump", "subscription"))
    connection, table = Connection(), Table({3: ["R1_actual_q", "R1_message"]})
    for i in range(10):
        table.add(connection.send("r", [3, JOINTS, "m%d" % i]), [3, JOINTS, "m%d" % i])
    connection.packets = connection.packets[2:]
    table.rows = [(packet - 2, values) for packet, values in table.rows]
    connection.write(capture)
    with open(dump, "wb") as file:
        for i in range(10):
            file.write(json.dumps([3, JOINTS, "m%d" % i]).encode())
    with open(recipe, "w", encoding="utf-8") as file:
        json.dump([100, {"chanel": 3, "frequency": 50, "segments": table.channels[3], "to_server": False}], file)
    count = check_ndjson(run("export", "-f", "ndjson", "--recipe", recipe, capture), [table], "--recipe")
    raw = [json.loads(line) for line in run("export", "-f", "ndjson", "--raw", "aubo", "--recipe", recipe,
                                            dump).splitlines()]
    for got, (_, values) in zip(raw, table.rows):
        assert got["time"] is None and got["actual_q"] == values["R1_actual_q"], got
        assert got["R1_message"] == values["R1_message"], got
    assert len(raw) == 10
    opaque = [json.loads(line) for line in run("export", "-f", "ndjson", capture,
                                               errors="have no known recipe").splitlines()]
    assert len(opaque) == 10 and all(list(row) == LEADING for row in opaque), opaque
    with open(recipe, "w", encoding="utf-8") as file:
        file.write('[100,{"chanel":3}]')
    run("info", "--recipe", recipe, capture, status=2, errors="not an AUBO subscription: a setup without a list of segments, at '{")
    return count + 20


def check_numbers(folder):
    """Values that JSON lacks, whole numbers beyond 64 bits, numbers in arrays written like all others in csv."""
    path = os.path.join(folder, "numbers.pcap")
    connection = Connection()
    connection.set_up(0, ["a", "b", "c", "R1_actual_q"])
    connection.send("r", b"[0,NaN,[NaN,-Infinity,[Infinity,1.50,1E2]],36893488147419103232,[1,2,3,NaN,5,6]]")
    connection.send("r", b" [ 0 , -Infinity , [ 36893488147419103232 , 0.10 ] , -0 , [1,2,3,4,5e0,600e-2] ]\n\0")
    connection.write(path)
    rows = list(csv.reader(io.StringIO(run("export", path))))
    assert rows[0][1:] == ["a", "b_0", "b_1", "b_2", "b_3", "b_4", "c"] + ["actual_q_%d" % i for i in range(6)], rows
    assert rows[1][1:8] == ["nan", "", "", "", "1.5", "100.0", repr(2.0**65)], rows[1]
    assert rows[2][1:] == ["-inf", "36893488147419103232", "0.1", "", "", "", "0", "1.0", "2.0", "3.0", "4.0", "5.0", "6.0"]
    objects = [json.loads(line) for line in run("export", "-f", "ndjson", path).splitlines()]
    assert objects[0]["a"] is None and same(objects[0]["b"], [None, None, [None, 1.5, 100.0]]), objects[0]
    assert same(objects[1]["b"], [2**65, 0.1]) and objects[0]["c"] == 2.0**65, objects
    return 30


def check_widths(folder):
    """More elements than a table may have columns."""
    path = os.path.join(folder, "widths.pcap")
    connection = Connection()
    connection.set_up(0, ["few", "many"])
    for _ in range(3):
        connection.send("r", [0, [1], [0] * 15000])
    connection.write(path)
    header = run("export", path).splitlines()[0].split(",")
    assert len(header) == 15002 and header[-1] == "many_14999", len(header)
    connection.set_up(1, ["many_more", "most"])
    connection.send("r", [1, [[0] * 15000], [0] * 15000])
    connection.write(path)
    run("export", path, status=2, errors="too many columns (45001, 15000 of them for many)")
    assert run("export", "--fields", "few,most_14999,many", path).count("\n") == 5
    lines = run("export", "-f", "ndjson", path).splitlines()
    assert len(json.loads(lines[3])["many_more"][0]) == 15000
    return 15000 * 5


# ---- the samples ----


def pcap(path):
    """(time, bytes) of every packet."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        content = file.read()
    order = "<" if content[0] in (0xD4, 0x4D) else ">"
    unit = 1 if struct.unpack_from(order + "I", content)[0] == 0xA1B23C4D else 1000
    at = 24
    while at < len(content):
        seconds, fraction, length, _ = struct.unpack_from(order + "4I", content, at)
        yield seconds * 10**9 + fraction * unit, content[at + 16:at + 16 + length]
        at += 16 + length


def payloads(packets):
    """(packet, sender, bytes) of TCP segments from and to AUBO's ports. The samples lose nothing and keep the order."""
    for number, (_, packet) in enumerate(packets, 1):
        ip = packet[14:14 + struct.unpack_from(">H", packet, 16)[0]]
        if packet[12:14] != b"\x08\0" or ip[9] != 6:
            continue
        tcp = ip[(ip[0] & 15) * 4:]
        ports = struct.unpack_from(">2H", tcp)
        payload = tcp[(tcp[12] >> 4) * 4:]
        for sender, port in zip("rc", ports):
            if port in (PORT, 9013) and payload:
                yield number, sender, payload


class Raw:
    """Consecutive JSON values."""

    def __init__(self):
        self.text = b""

    def take(self, payload):
        self.text += payload
        while True:
            text = self.text.lstrip(b" \t\r\n\0").decode("utf-8", "surrogateescape")
            try:
                message, end = json.JSONDecoder().raw_decode(text)
            except ValueError:
                return
            self.text = text[end:].encode("utf-8", "surrogateescape")
            yield message


class Socket:
    """The text messages of one direction of a WebSocket."""

    def __init__(self):
        self.bytes = b""
        self.open = False
        self.message = b""
        self.deflated = False
        self.inflater = zlib.decompressobj(-15)

    def frame(self):
        """The next frame's first byte and its payload; None if more bytes are needed."""
        head = 2
        if len(self.bytes) < head:
            return None
        length, masked = self.bytes[1] & 127, self.bytes[1] >> 7
        if length > 125:
            form, size = (">H", 2) if length == 126 else (">Q", 8)
            if len(self.bytes) < head + size:
                return None
            length, head = struct.unpack_from(form, self.bytes, head)[0], head + size
        mask = self.bytes[head:head + 4] if masked else bytes(4)
        head += 4 * masked
        if len(self.bytes) < head + length:
            return None
        first, payload = self.bytes[0], self.bytes[head:head + length]
        self.bytes = self.bytes[head + length:]
        return first, bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))

    def take(self, payload):
        self.bytes += payload
        if not self.open:
            head, mark, rest = self.bytes.partition(b"\r\n\r\n")
            self.open = bool(mark) and b"pgrade" in head
            if not self.open:
                return
            self.bytes = rest
        while frame := self.frame():
            first, part = frame
            if first & 8:
                continue
            self.message += part
            self.deflated = self.deflated or bool(first & 0x40)
            if first & 0x80:
                whole = self.message
                if self.deflated:
                    whole = self.inflater.decompress(whole + b"\0\0\xff\xff")
                self.message, self.deflated = b"", False
                yield json.loads(whole)


def sample_tables(path):
    """Tables by sender: a recipe that replaces another begins a new one."""
    packets = list(pcap(path))
    readers = {sender: (Socket if "websocket" in path else Raw)() for sender in "rc"}
    channels, tables, fresh = {"r": {}, "c": {}}, {"r": [], "c": []}, {"r": True, "c": True}
    for packet, sender, payload in payloads(packets):
        for message in readers[sender].take(payload):
            if message[0] == 100:
                body = message[1]
                to = "c" if body["to_server"] else "r"
                if not body["segments"]:
                    continue
                if channels[to].get(body["chanel"]) == body["segments"]:
                    continue
                fresh[to] = channels[to].pop(body["chanel"], None) is not None or fresh[to]
                channels[to][body["chanel"]] = body["segments"]
                if tables[to] and not fresh[to]:
                    tables[to][-1].learn(channels[to])
                continue
            if fresh[sender]:
                tables[sender].append(Table(dict(channels[sender]), lambda number: packets[number - 1][0]))
                fresh[sender] = False
            tables[sender][-1].add(packet, message)
    return tables


def check_samples(folder):
    count = 0
    samples = glob.glob(os.path.join(os.environ.get("srcdir", "."), "captures", "aubo-*.pcap*"))
    for path in sorted(samples):
        tables = sample_tables(path)
        for sender, options in (("r", []), ("c", ["--to-robot"])):
            out = os.path.join(folder, os.path.basename(path) + sender)
            assert tables[sender], path
            count += check_ndjson(run("export", "-f", "ndjson", *options, path), tables[sender], path,
                                  "to-robot" if options else "from-robot")
            run("export", *options, path, "--split", "-o", out + ".csv")
            for part, table in enumerate(tables[sender]):
                with open(out + ".0%s.csv" % ("-%d" % part if part else ""), encoding="utf-8", newline="") as file:
                    count += check_csv(file.read(), table, path)
    assert samples, "no sample"
    return count


def main():
    passed = failed = 0
    version = subprocess.run([os.environ["ARMTAP"], "--version"], capture_output=True, text=True, check=True).stdout
    if "built without AUBO" in version:
        left_out("AUBO")
        return 77
    for check in (check_rich, check_fields, check_gnuplot, check_directions, check_once, check_recipe, check_numbers, check_widths,
                  check_samples):
        with tempfile.TemporaryDirectory() as folder:
            try:
                print("%-24s %d values are equal" % (check.__name__[6:], check(folder)))
                passed += 1
            except (AssertionError, KeyError, ValueError, subprocess.CalledProcessError) as difference:
                print("FAIL %s: %r" % (check.__name__[6:], difference))
                failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
