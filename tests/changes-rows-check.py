#!/usr/bin/env python3
"""export --changes: the rows and the values before against those that this test put into the packets, and against
pandas' shift() of the plain CSV if pandas is there. Robots with several clients, side by side and one after the other,
that lose packets, pause, connect again and change their recipe; doubles with NaN and -0.0, vectors, integers, bits.
tests/changes-rows-check.py [SEED [ROUNDS]]."""
import csv
import io
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

from robot_capture import BEGIN, Capture, Client

ARMTAP = os.environ.get("ARMTAP", "./armtap")
SAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "captures")
FIELDS = [("timestamp", "DOUBLE"), ("speed_scaling", "DOUBLE"), ("actual_q", "VECTOR6D"), ("output_int_register_0", "INT32"),
          ("robot_mode", "INT32"), ("actual_digital_input_bits", "UINT64"), ("output_bit_register_64", "BOOL")]
NAMES = [name for name, _ in FIELDS]
DOUBLES = [0.0, -0.0, math.nan, math.inf, 1 / 3, 5e-324]
# what --changes may watch: the columns it makes, and each one's field and place in it
WATCHED = {"speed_scaling": ("speed_scaling", None), "actual_q": ("actual_q", range(6)), "actual_q_4": ("actual_q", [4]),
           "output_int_register_0": ("output_int_register_0", None), "robot_mode": ("robot_mode", None),
           "actual_digital_input_bits": ("actual_digital_input_bits", None),
           "actual_digital_input_bits_3": ("actual_digital_input_bits", "bit 3"),
           "output_bit_register_64": ("output_bit_register_64", None)}


def run(*arguments, status=(0, 1), stdin=os.devnull):
    with open(stdin, "rb") as file:
        done = subprocess.run([ARMTAP, "export", *arguments], stdin=file, capture_output=True, text=True, check=False)
    if done.returncode not in status:
        raise SystemExit(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done


def table(*arguments):
    rows = list(csv.reader(io.StringIO(run(*arguments).stdout)))
    return rows[0], rows[1:]


class Session:
    """A connection: what it sends is noted as (time, robot, number of the connection, values by name)."""

    def __init__(self, capture, records, time, robot, number, names):
        self.has_begun = False
        self.records, self.robot, self.number, self.names = records, robot, number, names
        self.client = Client(capture, time, [(name, kind) for name, kind in FIELDS if name in names], port=40000 + number,
                             robot=robot, hz=25.0)

    def send(self, time, values, is_lost):
        flat = []
        for name in self.names:
            flat += values[name] if name == "actual_q" else [values[name]]
        self.has_begun = True
        self.client.package(time, *flat, is_lost=is_lost)
        self.client.capture.segment(time + 0.0001, self.client.client, self.client.robot, b"", 0x10)
        if not is_lost:
            self.records.append((time, self.robot, self.number, {name: values[name] for name in self.names}))


def vary(draw, values):
    """Most values stay as they are."""
    if draw.random() < 0.3:
        values["speed_scaling"] = draw.choice(DOUBLES)
    if draw.random() < 0.2:
        values["actual_q"] = list(values["actual_q"])
        values["actual_q"][draw.randrange(6)] = draw.choice(DOUBLES)
    if draw.random() < 0.2:
        values["output_int_register_0"] = draw.choice([0, 1, -1, -2**31])
    if draw.random() < 0.1:
        values["robot_mode"] = draw.choice([3, 5, 7])
    if draw.random() < 0.2:
        values["actual_digital_input_bits"] ^= 1 << draw.choice([0, 3, 63])
    if draw.random() < 0.2:
        values["output_bit_register_64"] = not values["output_bit_register_64"]


def make(draw, path, is_plain):
    """`is_plain`: one client at a time, and one recipe, so that pandas can tell which record is before."""
    capture, records, numbers = Capture(), [], iter(range(1000))
    robots = ["10.0.0.2", "10.0.0.3"][:draw.choice([1, 2])]
    losses = draw.choice([0, 0.2, 1])
    values = {robot: {"speed_scaling": 1.0, "actual_q": [0.5] * 6, "output_int_register_0": 0, "robot_mode": 7,
                      "actual_digital_input_bits": 0, "output_bit_register_64": False} for robot in robots}

    def begin(time, robot):
        number = next(numbers)
        is_whole = is_plain or number == 0 or draw.random() < 0.7
        names = [name for name in NAMES if is_whole or name != "output_int_register_0"]
        return Session(capture, records, time, robot, number, names)
    alive = {robot: [begin(0.001 * i, robot) for _ in range(1 if is_plain else draw.choice([1, 2]))]
             for i, robot in enumerate(robots)}
    time, lost = 1.0, dict.fromkeys(robots, 0.0)
    for turn in range(draw.randint(40, 150)):
        time += 0.04
        for i, robot in enumerate(robots):
            vary(draw, values[robot])
            values[robot]["timestamp"] = 100 + 0.04 * turn
            for k, session in enumerate(list(alive[robot])):
                now = time + 0.002 * i + 0.0005 * k
                what = draw.random()
                if what < 0.02 and now > lost[robot] + 1:  # what waits for lost bytes comes later
                    session.client.close(now)
                    alive[robot][k] = begin(now + 0.0002, robot)
                    wait = draw.choice([0, 0.3, 30])  # a gap of its own; values go on
                    time, lost = time + wait, {name: at + wait for name, at in lost.items()}
                elif what < 0.04:
                    session.client.pause(now)
                    session.client.start(now + 0.0002)
                else:
                    is_lost = 0.04 < what < 0.06 and draw.random() < losses and session.has_begun
                    lost[robot] = now if is_lost else lost[robot]
                    session.send(now, values[robot], is_lost)
    capture.frames.sort(key=lambda frame: frame[0])
    capture.write(path)
    return records


def cells(value, places):
    """The cells of a value; None: no cell."""
    if value is None:
        return [None] * (len(places) if isinstance(places, (range, list)) else 1)
    if isinstance(places, str):
        return [value >> int(places.split()[1]) & 1]
    return [value[i] for i in places] if places else [int(value) if isinstance(value, bool) else value]


def differ(a, b):
    """As numbers: NaN is NaN, -0.0 is 0.0."""
    return a != b and not (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


def expect(records, watched):
    """Of each record that differs: its time, robot, connection, and the cells of each name and before it."""
    port, own, rows = {}, {}, []
    for time, robot, number, values in records:
        before = own.setdefault(number, dict(port.get(robot, {})))
        now = {name: cells(values[WATCHED[name][0]], WATCHED[name][1]) for name in watched if WATCHED[name][0] in values}
        pairs = {name: (now.get(name), before.get(name) if name in now else None) for name in watched}
        if any(name not in before or any(map(differ, now[name], before[name])) for name in now):
            rows.append((time, robot, number, pairs))
        before.update(now)
        port.setdefault(robot, {}).update(now)
    return rows


def text(cell):
    return "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)


def row_text(pairs, watched):
    row = []
    for name in watched:
        width = len(WATCHED[name][1]) if isinstance(WATCHED[name][1], (range, list)) else 1
        for side in pairs[name]:
            row += [text(cell) for cell in side or [None] * width]
    return row


def line_text(line, watched):
    """The cells of a JSON line: what it lacks is empty, null is no finite number."""
    row = []
    for name in watched:
        width = 6 if name == "actual_q" else 1
        for key in [name, "actual_q_before_4" if name == "actual_q_4" else name + "_before"]:
            value = line.get(key, [""] * width)
            for cell in value if isinstance(value, list) else [value]:
                row.append("null" if cell is None else cell if cell == "" else text(int(cell) if isinstance(cell, bool) else cell))
    return row


def header(watched):
    names = []
    for name in watched:
        field, places = WATCHED[name]
        ends = [f"_{i}" for i in places] if isinstance(places, (range, list)) else [""]
        stem = field if ends != [""] else name
        names += [stem + end for end in ends] + [f"{stem}_before{end}" for end in ends]
    return names


def same(what, found, wanted):
    if found != wanted:
        bad = next((k for k, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
        raise SystemExit(f"{what}: row {bad} of {len(wanted)} ({len(found)} found):\nfound    {found[bad:bad + 1]}\n"
                         f"expected {wanted[bad:bad + 1]}")


def stamp(time):
    ns = round((BEGIN + time) * 1e6) * 1000
    return f"{ns // 10**9}.{ns % 10**9:09d}"


def by_pandas(path, watched):
    """How many rows differ from the one before of the robot, and their values before, in the plain table."""
    try:
        import pandas
    except ImportError:
        return False
    whole = {name: lambda cell: cell or math.nan  # a text: a float has no 64 bits
             for name in ["actual_digital_input_bits", "actual_digital_input_bits_before"]}
    plain, changed = [pandas.read_csv(io.StringIO(run("--union", *arguments, path).stdout), converters=whole)
                      .sort_values("time") for arguments in (["--fields", "*," + ",".join(watched)],
                                                             ["--changes", ",".join(watched)])]
    columns = [name for name in header(watched) if "_before" not in name]
    before = plain.groupby("robot")[columns].shift()
    is_first = ~plain["robot"].duplicated()
    is_other = ((plain[columns] != before) & ~(plain[columns].isna() & before.isna())).any(axis=1) | is_first
    for name in columns:
        stem, _, end = name.rpartition("_")
        named = f"{stem}_before_{end}" if name.startswith("actual_q_") else name + "_before"
        for one, other in [(plain, name), (before, named)]:
            wanted, found = one[is_other][name].tolist(), changed[other].tolist()
            if any(differ(a, b) for a, b in zip(wanted, found)) or len(wanted) != len(found):
                raise SystemExit(f"pandas: {other} of {path}: {len(found)} rows, {len(wanted)} expected")
    return True


def check(draw, path, is_plain):
    records = make(draw, path, is_plain)
    watched = draw.sample(list(WATCHED), draw.randint(1, 4))
    if "actual_q" in watched and "actual_q_4" in watched:
        watched.remove("actual_q_4")
    rows = expect(records, watched)
    asked = ["--union", "--changes", ",".join(watched)]
    names, found = table(*asked, path)
    found.sort()  # what waited for lost bytes comes behind what did not
    same("names", names, ["time", "robot", "stream", "protocol", "packet"] + header(watched))
    wanted = [[stamp(time), robot + ":30004", *row_text(pairs, watched)] for time, robot, _, pairs in rows]
    same(f"csv {watched}", [[row[0], row[1], *row[5:]] for row in found], wanted)
    low, high = sorted(draw.choices([record[0] for record in records], k=2))
    _, part = table(*asked, "--from", stamp(low), "--to", stamp(high), path)
    same(f"--from --to {watched}", [[row[0], row[1], *row[5:]] for row in sorted(part)],
         [line for line, row in zip(wanted, rows) if low <= row[0] <= high])
    lines = [json.loads(line) for line in run("-f", "ndjson", "--changes", ",".join(watched), path).stdout.splitlines()]
    lines.sort(key=lambda line: line["packet"])
    same("packets of ndjson", [(line["packet"], line["robot"]) for line in lines], [(int(row[4]), row[1]) for row in found])
    no_number = {"nan": "null", "inf": "null"}
    same("ndjson", [line_text(line, watched) for line in lines],
         [[no_number.get(cell, cell) for cell in row[5:]] for row in found])
    piped = run("-f", "ndjson", "--changes", ",".join(watched), "-", stdin=path).stdout.splitlines()
    same("a pipe", sorted(int(json.loads(line)["packet"]) for line in piped), [line["packet"] for line in lines])
    # a stream of its own: the record before may be another stream's
    stream = found[-1][2]
    done = run("-f", "ndjson", "--stream", stream, "--changes", ",".join(watched), path, status=(0, 1, 2))
    if done.returncode < 2:  # else it lacks a field
        same("--stream", sorted(json.loads(line)["packet"] for line in done.stdout.splitlines()),
             [int(row[4]) for row in found if row[2] == stream])
    return len(rows), is_plain and by_pandas(path, watched)


def check_cut(path):
    """A record whose value the snapshot length cut off says nothing about it."""
    capture, records = Capture(), []
    session = Session(capture, records, 0.0, "10.0.0.2", 1, NAMES)
    values = {"timestamp": 1.0, "speed_scaling": 1.0, "actual_q": [0.5] * 6, "output_int_register_0": 0, "robot_mode": 7,
              "actual_digital_input_bits": 0, "output_bit_register_64": True}
    for i in range(6):
        values["output_bit_register_64"] = i < 4
        values["robot_mode"] = 7 if i < 2 else 5
        session.send(1 + 0.008 * i, values, False)
    capture.write(path)
    with open(path, "rb") as file:
        data, at, frame, whole = file.read(), 24, 0, b""
    begin = len(capture.frames) - 12
    while at < len(data):
        seconds, ns, length, _ = struct.unpack_from("<4I", data, at)
        short = length - 1 if frame in (begin + 4, begin + 6) else length
        whole += struct.pack("<4I", seconds, ns, short, length) + data[at + 16:at + 16 + short]
        at, frame = at + 16 + length, frame + 1
    with open(path, "wb") as file:
        file.write(data[:24] + whole)
    _, rows = table("--changes", "output_bit_register_64,robot_mode", path)
    same("cut", [row[1:] for row in rows], [[str(begin + 1), "1", "", "7", ""], [str(begin + 5), "", "", "5", "7"],
                                            [str(begin + 9), "0", "1", "5", "5"]])
    done = run("--changes", "robot_mode", "--from", "+1.02", path)
    if len(done.stdout.splitlines()) != 1 or "warning: no change in the 3 records in that time: the output has no row" not in done.stderr:
        raise SystemExit(f"no change: {done.stdout}{done.stderr}")


def check_samples(draw):
    """Of samples that have one connection a port: a column by itself against the cells of the plain table, where a row
    without a cell says nothing."""
    checked = 0
    for name in sorted(os.listdir(SAMPLES)):
        path = os.path.join(SAMPLES, name)
        if ".pcap" not in name:
            continue
        info = json.loads(subprocess.run([ARMTAP, "info", "--json", path], capture_output=True, check=False).stdout)
        robots = [stream["robot"] for stream in info["streams"]]
        for stream in info["streams"]:
            done = run("--stream", str(stream["stream"]), path, status=(0, 1, 2))
            if robots.count(stream["robot"]) > 1 or done.returncode == 2 or stream["records"] == 0:
                continue
            names, *rows = csv.reader(io.StringIO(done.stdout))
            for column in draw.sample(range(1, len(names)), min(8, len(names) - 1)):
                last, wanted = "", []
                for row in rows:
                    if row[column] and (not last or not same_cell(row[column], last)):
                        wanted.append([row[0], row[column], last])
                    last = row[column] or last
                _, found = table("--stream", str(stream["stream"]), "--changes", names[column], path)
                same(f"{name}, {names[column]}", [[row[0], *row[2:]] for row in found], wanted)
                checked += 1
    return checked


def same_cell(one, other):
    try:
        return not differ(float(one), float(other))
    except ValueError:
        return one == other


def check_words(path):
    """What --changes refuses, and what comes beside it."""
    for arguments, word in [(["speed_scalin"], "did you mean 'speed_scaling'?"), (["packet"], "name it in --fields"),
                            ([","], "no name"), (["robot_mode", "--every", "2"], "remove --every")]:
        done = run("--union", "--changes", *arguments, path, status=(2,))
        if word not in done.stderr or done.stdout:
            raise SystemExit(f"--changes {arguments}: {done.stderr}")
    names, _ = table("--union", "--changes", "robot_mode", "--enums", "both", "--fields", "robot_mode,timestamp,packet", path)
    same("names", names[4:], ["packet", "robot_mode", "robot_mode_before", "robot_mode_name", "robot_mode_name_before",
                              "timestamp"])
    names, _ = table("--union", "--changes", "!t*,!a*,!output_i*", path)
    same("names", names[5::2], ["speed_scaling", "robot_mode", "output_bit_register_64"])


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 42
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    rows = frames = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.pcap")
        for i in range(rounds):
            try:
                one, is_compared = check(random.Random(f"{seed} {i}"), path, i % 2 == 0)
            except SystemExit as problem:
                raise SystemExit(f"seed {seed}, round {i}: {problem}") from None
            rows, frames = rows + one, frames + is_compared
        check_words(path)
        check_cut(path)
        samples = check_samples(random.Random(seed))
    print(f"{rounds + samples + 2} passed, 0 failed, 0 skipped; {rows} rows, {frames} captures compared by pandas")


main()
