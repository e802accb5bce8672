#!/usr/bin/env python3
"""`armtap stats` against armtap's own CSV, in exact arithmetic: of every cell of samples and of captures made here, count, extremes
and their packets and times, mean, deviation, first, last and changes; NaN, infinities, the largest doubles, values with a large
offset; two robots, reconnections, pauses, losses and silences, and the time for which modes held. numpy and DuckDB's SUMMARIZE are
asked, too, where they are installed. tests/stats-check.py [SEED]."""
import csv
import glob
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal, localcontext
from fractions import Fraction

import node_readers
from robot_capture import Capture, Client
from tally import ALL, decodable, expect, finish, lacks, share

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
DEBIAN = "/usr/bin/python3"
FIELDS = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("target_q", "VECTOR6D"), ("actual_current", "VECTOR6D"),
          ("actual_TCP_pose", "VECTOR6D"), ("robot_mode", "INT32"), ("safety_mode", "INT32"), ("output_int_register_0", "INT32"),
          ("input_bit_register_64", "BOOL"), ("whole_numbers", "UINT64"), ("actual_digital_input_bits", "UINT64"), ("output_bit_registers0_to_31", "UINT32")]
OUR_COLUMNS = ["time_ns", "read_packet", "packet", "lost_bytes"]
MODES = {"robot_mode": {3: "POWER_OFF", 7: "RUNNING"}, "safety_mode": {1: "NORMAL", 3: "PROTECTIVE_STOP", 99: None}}


def stats(*arguments, status=0):
    done = subprocess.run([ARMTAP, "stats", *arguments], capture_output=True, check=False, text=True)
    expect(("status", arguments), done.returncode == status, done.returncode, done.stderr)
    return done.stdout


def robots_of(*arguments):
    return json.loads(stats("--json", *arguments))["robots"]


# ---- what CSV says ---------------------------------------------------------------------------------------------------

def tables(path, *arguments):
    """{(robot, protocol): [(stream, row)]}, in the order in which records could be read. A row: {column: text}."""
    with open(path, "rb") as file:
        told = subprocess.run([ARMTAP, "info", "--json", path], stdin=file, capture_output=True, check=False).stdout
    streams = {one["stream"]: one for one in json.loads(told)["streams"]}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ARMTAP, "export", "--split", "-o", folder + "/x.csv", "--fields", ",".join(OUR_COLUMNS) + ",*", *arguments, path],
                       check=True, capture_output=True)
        for name in sorted(glob.glob(folder + "/x.*.csv"), key=lambda name: [int(part) for part in name.split(".")[-2].split("-")]):
            number = int(name.split(".")[-2].split("-")[0])
            stream = streams[number]
            with open(name, newline="", encoding="utf-8", errors="surrogateescape") as file:
                for row in csv.DictReader(file):
                    found.setdefault((stream["robot"], stream["protocol"]), []).append((number, row))
    for rows in found.values():
        rows.sort(key=lambda one: int(one[1]["read_packet"] or 0))
    return found


def square_root(number):
    with localcontext() as context:
        context.prec = 40
        return (Decimal(number.numerator) / Decimal(number.denominator)).sqrt()


def number_of(text):
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return None


def is_near(got, wanted, relative, largest):
    return got is not None and abs(Fraction(got) - Fraction(wanted)) <= relative * abs(Fraction(wanted)) + Fraction(largest) / 10**17 + Fraction(5e-324)


def is_value(got, text):
    """NaN and infinities are null."""
    number = number_of(text)
    if isinstance(got, str):
        return got == text[:len(got)] and len(got) >= min(len(text), 300)
    return got is None if not math.isfinite(number) else got == number or got == int(Fraction(text))


def check_numbers(what, cell, values):
    """`values`: (number, text, row)"""
    finite = [one for one in values if math.isfinite(one[0])]
    expect((what, "count"), (cell["count"], cell["nan"]) == (len(finite), len(values) - len(finite)), cell, len(values))
    if not finite:
        expect((what, "nothing"), all(cell[key] is None for key in ("min", "max", "mean", "deviation", "min_packet", "max_time")), cell)
        return
    for key, extreme in (("min", min(finite, key=lambda one: one[0])), ("max", max(finite, key=lambda one: one[0]))):
        expect((what, key), is_value(cell[key], extreme[1]), cell, extreme[:2])
        row = extreme[2]
        place = int(row["packet"]) if row["packet"] else None, row["time_ns"] and Fraction(int(row["time_ns"]), 10**9)
        time = cell[key + "_time"]
        expect((what, key, "where"), cell[key + "_packet"] == place[0] and
               (place[1] == "" and time is None or abs(Fraction(time) - place[1]) < 1e-6), cell, place)
    exact, largest = [Fraction(one[0]) for one in finite], max(abs(float(one[0])) for one in finite)
    mean = sum(exact) / len(exact)
    expect((what, "mean"), is_near(cell["mean"], mean, 1e-12, largest), cell["mean"], float(mean))
    if len(exact) < 2:
        expect((what, "no deviation"), cell["deviation"] is None, cell)
        return
    deviation = square_root(sum((one - mean) ** 2 for one in exact) / (len(exact) - 1))
    if deviation > Decimal(sys.float_info.max):
        expect((what, "too large"), cell["deviation"] is None, cell)
        return
    expect((what, "deviation"), is_near(cell["deviation"], deviation, 1e-9, largest), cell["deviation"], deviation)
    if numpy and 1e-150 < largest < 1e150:  # whose squares are doubles, too
        array = numpy.array([float(one[0]) for one in finite])
        expect((what, "numpy"), is_near(cell["mean"], float(array.mean()), 1e-9, 100 * largest) and
               is_near(cell["deviation"], float(array.std(ddof=1)), 1e-6, 10**6 * largest), cell, array.mean(), array.std(ddof=1))


def is_change(one, other):
    numbers = number_of(one), number_of(other)
    if None in numbers or one.isdecimal() and other.isdecimal():
        return one != other
    return numbers[0] != numbers[1] and not all(map(math.isnan, numbers))


def changes_of(column):
    """Values that differ from the one before in their stream."""
    before, changes = {}, 0
    for stream, text in column:
        changes += stream in before and is_change(before[stream], text)
        before[stream] = text
    return changes


def texts_of(path, robot, protocol, *arguments):
    """{field: [(stream, text)]}; of arrays and objects None."""
    done = subprocess.run([ARMTAP, "export", "-f", "ndjson", *arguments, path], check=True, capture_output=True)
    found = {}
    for row in map(json.loads, done.stdout.splitlines()):
        for name, value in row.items() if (row["robot"], row["protocol"]) == (robot, protocol) else ():
            found.setdefault(name, []).append((row["stream"], value if isinstance(value, str) else None))
    return found


def check_texts(what, cell, texts):
    expect((what, "count"), cell["count"] == len(texts) > 0, cell, texts[:9])
    if all(isinstance(text, str) for _, text in texts):
        expect((what, "first and last"), texts[0][1].startswith(cell["first"]) and texts[-1][1].startswith(cell["last"]), cell, texts[0])
        expect((what, "changes"), cell["changes"] == changes_of(texts), cell, texts[:9])
    return True


def check_cell(what, cell, rows, texts):
    name = cell["name"]
    column = [(stream, row[name], row) for stream, row in rows if row.get(name) not in (None, "")]
    if isinstance(cell["first"], str):  # CSV has no empty ones
        return check_texts((*what, name), cell, texts.get(name, []))
    if not column:
        return False
    values = [(number_of(text), text, row) for _, text, row in column]
    if "nan" in cell:
        check_numbers((*what, name), cell, values)
    else:
        expect((*what, name, "count"), cell["count"] == len(values), cell, len(values))
    expect((*what, name, "first and last"), is_value(cell["first"], column[0][1]) and is_value(cell["last"], column[-1][1]), cell,
           column[0][1], column[-1][1])
    changes = changes_of([one[:2] for one in column])
    expect((*what, name, "changes"), cell["changes"] == changes, cell["changes"], changes)
    if "modes" in cell:
        counts = {}
        for number, _, _ in values:
            counts[int(number)] = counts.get(int(number), 0) + 1
        expect((*what, name, "modes"), {one["value"]: one["records"] for one in cell["modes"]} == counts, cell["modes"], counts)
    return True


def check_capture(path, *arguments, fields=None):
    """Compares all cells; how many they are."""
    found, cells = robots_of(path, *arguments), 0
    wanted = tables(path, *[word for word in arguments if word != "--fields" and word != fields])
    what = os.path.basename(path), *arguments
    expect((*what, "robots"), sorted((one["robot"], one["protocol"]) for one in found) == sorted(wanted), found and len(found), list(wanted))
    for robot in found:
        rows = wanted.get((robot["robot"], robot["protocol"]), [])
        expect((*what, "records"), robot["records"] == len(rows) and robot["streams"] == len({stream for stream, _ in rows}),
               robot["records"], robot["streams"], len(rows))
        names = [cell["name"] for cell in robot["fields"]]
        columns = {name for _, row in rows for name in row if row[name] and name not in ["time", *OUR_COLUMNS]}
        empty = {cell["name"] for cell in robot["fields"] if cell["first"] == cell["last"] == ""}
        expect((*what, "every cell"), fields or set(names) - empty == columns, set(names) ^ columns)
        expect((*what, "once"), len(names) == len(set(names)), names)
        has_texts = any(isinstance(cell["first"], str) for cell in robot["fields"])
        texts = texts_of(path, robot["robot"], robot["protocol"], *arguments) if has_texts else {}
        cells += sum(check_cell((*what, robot["robot"]), cell, rows, texts) for cell in robot["fields"])
    return cells


# ---- captures made here ----------------------------------------------------------------------------------------------

def difficult(draw, i):
    """Values of six joints: a large offset, NaN and infinities, the largest doubles, denormal ones, one value, none that is finite."""
    return [1e9 + draw.gauss(0, 1e-3), draw.choice([math.nan, math.inf, -math.inf, draw.gauss(0, 1), 1.5]),
            draw.choice([-1, 1]) * draw.uniform(1.6e308, 1.79e308), draw.choice([5e-324, 1e-310, 0.0, -0.0]), 0.1, math.nan if i % 3 else math.inf]


def package(draw, i, time, robot, mode, safety):
    pose = [draw.gauss(0, 1) for _ in range(6)]
    return (time, *difficult(draw, i), *[round(draw.gauss(0, 2)) for _ in range(6)], *[1e6 + i * 1e-6 + k for k in range(6)], *pose, mode, safety,
            draw.choice([-2**31, 2**31 - 1, robot]), draw.random() < 0.3, 2**64 - 1 - draw.randrange(7), draw.choice([2**63 + 1, 2**63 + 2, 0]), draw.choice([0, 2**32 - 1]))


def write_capture(path, draw, rounds):
    """Two robots and two clients of the first at once; reconnections, pauses, lost segments, silences on both sides of 2 s. Returns
    {robot: {mode field: {value: s}}}: how long each held, as one client saw it; and {robot: [from, to]}: when that was known."""
    capture, held, clocks, before, known = Capture(), {}, {}, {}, {}
    clients, ports = {}, iter(range(40001, 50000))
    time = 0.0
    for i in range(rounds):
        for key in (("10.0.0.2", 0), ("10.0.0.2", 1), ("10.0.0.3", 0)):
            time = max(time, clocks.get(key, 0.0))
            event = draw.choices(["package", "reconnect", "pause", "lost", "silent", "short"], [40, 1, 1, 1, 1, 1])[0]
            if key not in clients or event == "reconnect":
                if key in clients:
                    clients[key].close(time)
                clients[key] = Client(capture, time, FIELDS, port=next(ports), robot=key[0])
                before.pop(key, None)
            client = clients[key]
            if event == "pause":
                client.pause(time + 0.001)
                client.start(time + 0.002)
                before.pop(key, None)
            elif event == "lost":
                client.package(time + 0.001, *package(draw, i, time, 7, 7, 1), is_lost=True)
                before.pop(key, None)
            time += {"silent": 2.01, "short": 1.98}.get(event, 0.008) + draw.choice([0, 0.001])
            time = round(time, 6)
            mode, safety = draw.choice([7, 7, 7, 3]), draw.choice([1, 1, 3, 99])
            client.package(time, *package(draw, i, time, 7, mode, safety))
            sums = held.setdefault(key[0], {name: {value: 0 for value in values} for name, values in MODES.items()})
            ns = round((1769860800 + time) * 1e6) * 1000
            if key in before and ns - before[key][0] <= 2 * 10**9:
                sums["robot_mode"][before[key][1]] += ns - before[key][0]
                sums["safety_mode"][before[key][2]] += ns - before[key][0]
                known.setdefault(key[0], []).append((before[key][0], ns))
            before[key] = ns, mode, safety
            clocks[key] = time
    for client in clients.values():
        client.close(time + 0.1)
    capture.write(path)
    return held, known


def length_of(spans):
    """Of their union."""
    until = total = 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


def check_modes(path, held, known):
    """Two clients tell the same of a time: it counts once. Here they contradict each other, so that only the sum is known."""
    for robot in robots_of(path):
        cells = {cell["name"]: cell for cell in robot["fields"]}
        host = robot["robot"].split(":")[0]
        for name, values in MODES.items():
            together = sum(one["duration_s"] for one in cells[name]["modes"])
            expect((host, name, "all"), abs(together - length_of(known[host]) / 1e9) < 1e-8, together, length_of(known[host]))
            if host == "10.0.0.2":
                continue
            got = {one["value"]: (one["name"], one["duration_s"]) for one in cells[name]["modes"]}
            wanted = {value: (text, held[host][name][value] / 1e9) for value, text in values.items()}
            expect((robot["robot"], name, "how long"), got.keys() == wanted.keys() and all(
                got[value][0] == wanted[value][0] and abs(got[value][1] - wanted[value][1]) < 1e-8 for value in got), got, wanted)
        expect("units", [cells["actual_TCP_pose_%d" % i]["unit"] for i in (0, 2, 3, 5)] == ["m", "m", "rad", "rad"], cells["actual_TCP_pose_2"])


def check_options(path):
    whole = robots_of(path)
    names = [cell["name"] for cell in whole[0]["fields"]]
    for asked, wanted in (("actual_q,robot_mode", ["actual_q_%d" % i for i in range(6)] + ["robot_mode"]),
                          ("*_mode,!safety*", ["robot_mode"]), ("!*_q,!actual_*", [name for name in names if name[:9] != "target_q_" and name[:7] != "actual_"]),
                          ("actual_q_2", ["actual_q_2"])):
        found = robots_of("--fields", asked, path)
        expect(asked, [[cell["name"] for cell in robot["fields"]] for robot in found] == [wanted] * len(found), found)
        check_capture(path, "--fields", asked, fields=asked)
    bit, = robots_of("--fields", "output_bit_registers0_to_31_3", path)[0]["fields"]
    expect("a bit", (bit["name"], bit["min"], bit["max"]) == ("output_bit_registers0_to_31_3", 0, 1) and 0.3 < bit["mean"] < 0.7, bit)
    for arguments in (["--from", "+3"], ["--to", "+3.5"], ["--from", "+2", "--to", "+3"]):
        check_capture(path, *arguments)
    for stream in ("0", "2", "3"):
        check_capture(path, "--stream", stream)
    stop = SAMPLES + "/rtde-stop.pcap"
    both = robots_of(path, stop)
    expect("files", {cell["min_file"] for robot in both for cell in robot["fields"] if cell.get("count") and "min" in cell} == {path, stop}, both)
    expect("files: the same", {robot["robot"]: [{key: cell[key] for key in cell if key[4:] != "file"} for cell in robot["fields"]] for robot in both} ==
           {robot["robot"]: robot["fields"] for robot in whole + robots_of(stop)}, both)
    with open(path, "rb") as file:
        piped = subprocess.run([ARMTAP, "stats", "--json", "-"], stdin=file, capture_output=True, check=True).stdout
    expect("a pipe", json.loads(piped)["robots"] == whole)
    text = stats(path)
    expect("80 columns", all(len(line) <= 84 for line in text.splitlines()) and "POWER_OFF" in text and "99 " in text, text[:3000])


def check_duckdb(path, folder):
    lacking = node_readers.missing("@duckdb")
    if lacking:
        lacks(lacking, "DuckDB's SUMMARIZE")
        return
    for number, sample in enumerate([SAMPLES + "/rtde-stop.pcap", SAMPLES + "/e-series-1220.pcapng.gz", path]):
        table = "%s/%d.parquet" % (folder, number)
        subprocess.run([ARMTAP, "export", "--stream", "0", sample, "-o", table], check=True, capture_output=True)
        query = "select column_name, min, max, avg, std, count, column_type from (summarize select * exclude (actual_q_1, actual_q_2, actual_q_5) " \
                "from read_parquet('%s'))" % table
        done = node_readers.ask("parquet.mjs", {"queries": {"all": query}, "pairs": []})
        if done.returncode != 0:
            expect("DuckDB", False, done.stderr)
            continue
        answers = {row[0]: row[1:] for row in json.loads(done.stdout)["answers"]["all"]}
        robot, = robots_of("--stream", "0", sample)
        compared = 0
        for cell in robot["fields"]:
            least, most, mean, deviation, count, kind = answers.get(cell["name"], [None] * 6)
            if "nan" not in cell or kind != "DOUBLE" or cell["nan"] > 0 or mean is None or cell["deviation"] is None:
                continue
            largest = max(abs(cell["min"]), abs(cell["max"]))
            if largest < 1e-150:
                continue
            expect((sample, cell["name"], "SUMMARIZE"), float(least) == cell["min"] and float(most) == cell["max"] and int(count) == cell["count"] and
                   is_near(cell["mean"], float(mean), 1e-9, 1000 * largest) and
                   is_near(cell["deviation"], float(deviation), 1e-6, 10**6 * largest), cell, answers[cell["name"]])
            compared += 1
        expect((sample, "SUMMARIZE"), compared > 10, compared)


def main():
    draw = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 42)
    with tempfile.TemporaryDirectory() as folder:
        path, cells = folder + "/made.pcap", 0
        for rounds in (1, 2, 300):
            held, known = write_capture(path, draw, rounds)
            cells += check_capture(path)
            if rounds > 2:
                check_modes(path, held, known)
        check_options(path)
        check_duckdb(path, folder)
    samples = decodable(sorted(glob.glob(SAMPLES + "/*.pcap*")))
    for sample in samples if ALL else share(samples, 3, "samples"):
        for way in ([], ["--to-robot"]):
            cells += check_capture(sample, *way) if tables(sample, *way) else 0
    print("%d cells are as in CSV" % cells)
    return finish()


try:
    import numpy
except ImportError:
    numpy = None
    if sys.executable != DEBIAN and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN] + sys.argv)
    lacks("numpy (Debian: python3-numpy)", "its mean and deviation")
sys.exit(main())
