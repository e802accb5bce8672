#!/usr/bin/env python3
"""`export --grid`: captures made here of several robots, with legacy and RTDE streams, packets lost for good or sent
again later, silences, reconnections, and records exactly at an instant; also many robots beside one whose records wait,
captures joined in the wrong order, and robots behind one address. Every cell is compared with the newest of the
values that were put into the packets, by a search in Python, and with pandas' merge_asof of the plain export where
there is pandas; formats and numbers of threads with each other. tests/grid-check.py [SEED [ROUNDS]]."""
import bisect
import csv
import glob
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from tally import ALL, expect as expect_truth, finish, lacks

try:
    import pandas
except ImportError:
    pandas = None
try:
    import h5py
except ImportError:
    h5py = None
DEBIAN = "/usr/bin/python3"  # has pandas where another one comes first
if not pandas and os.path.exists(DEBIAN) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
    os.execv(DEBIAN, [DEBIAN] + sys.argv)

ARMTAP = os.environ.get("ARMTAP", "./armtap")
START = 1769860800 * 10**9
SECOND, MILLISECOND = 10**9, 10**6
CLIENT = bytes([10, 0, 0, 200])
NAMES = ["timestamp"] + [f"actual_q_{i}" for i in range(6)]


def rtde(kind, payload):
    return struct.pack(">HB", 3 + len(payload), ord(kind)) + payload


def moved(time, set_back):
    return time - 3600 * SECOND if set_back and time >= set_back else time


class Capture:
    def __init__(self):
        self.packets = []  # time, order, bytes

    def write(self, path, set_back=None, is_sorted=True):
        """From `set_back` on the clock is an hour behind."""
        if is_sorted:
            self.packets.sort(key=lambda one: one[:2])
        self.packets = [(moved(time, set_back), *rest) for time, *rest in self.packets]
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            for time, _, data in self.packets:
                file.write(struct.pack("<4I", time // SECOND, time % SECOND, len(data), len(data)) + data)


class Connection:
    def __init__(self, capture, robot, port, client):
        self.capture, self.robot, self.port, self.client = capture, bytes([10, 0, 0, robot]), port, client
        self.sent = {False: 1000, True: 5000}
        self.recipe = b"timestamp,actual_q", b"DOUBLE,VECTOR6D"

    def say(self, time, who, payload, flags=24, at=None, heard=None):
        """A packet of the robot (who: True) or the client; `at`: it was sent before, with this number; `heard`: up to
        where the other end's bytes arrived, all if it is None."""
        ports = (self.port, self.client) if who else (self.client, self.port)
        ends = (self.robot, CLIENT) if who else (CLIENT, self.robot)
        number = self.sent[who] if at is None else at
        tcp = struct.pack(">HHIIBBHHH", *ports, number, heard or self.sent[not who], 5 << 4, flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), len(self.capture.packets) & 0xFFFF, 0, 64, 6, 0, *ends)
        self.capture.packets.append((time, len(self.capture.packets), bytes(12) + b"\x08\0" + ip + tcp + payload))
        if at is None:
            self.sent[who] += len(payload) + (flags & 3 > 0)

    def open(self, time):
        self.say(time, False, b"", 2)
        self.say(time, True, b"", 18)
        for who, kind, payload in [(False, "V", b"\0\2"), (True, "V", b"\1"),
                                   (False, "O", struct.pack(">d", 125) + self.recipe[0]),
                                   (True, "O", b"\1" + self.recipe[1]), (False, "S", b""), (True, "S", b"\1")]:
            if self.port % 100 == 4:  # also 30104, of another robot behind the address
                self.say(time, who, rtde(kind, payload))

    def frame(self, values):
        if self.port % 100 == 4:  # also 30104, of another robot behind the address
            return rtde("U", b"\1" + struct.pack(">%dd" % len(values), *values))
        cells = [0.0] * 152
        cells[0], cells[31:37] = values[0], values[1:]
        return struct.pack(">I152d", 1220, *cells)


def session(draw, connection, begin, step, count, grid, clock):
    """A connection's records: when each could be read, and its values. Returns them and the time of the last packet."""
    now, records, floor, late = begin, [], 0, []
    connection.open(now)
    lossy, acks = draw.choice([0, 0.03, 0.15]), draw.random() < 0.7
    for _ in range(count):
        now += step + draw.choice([0, 0, draw.randint(0, step // 2), draw.randint(0, 40) * step * (draw.random() < 0.1)])
        if draw.random() < 0.2:
            now += -now % grid  # exactly at an instant
        clock[0] += step / SECOND
        values = [clock[0]] + [draw.uniform(-3, 3) for _ in range(6)]
        frame, arrived = connection.frame(values), now
        what = draw.choice(["lost", "late"]) if draw.random() < lossy else None
        at = connection.sent[True]
        if what:
            connection.sent[True] += len(frame)
            arrived = now + draw.randint(1, 30) * step if what == "late" else None
            if arrived:
                connection.say(arrived, True, frame, at=at)
                late.append((arrived, at))
        else:
            connection.say(now, True, frame)
        if acks:
            connection.say(now + 1000, False, b"", 16, heard=min([n for t, n in late if t > now + 1000], default=None))
        if arrived:
            floor = max(floor, arrived)
            records.append((floor, values))
    return records, max(now, floor) + 2000


def make(draw, path, grid):
    """Returns {(robot, port, client): records}."""
    capture, sessions, client = Capture(), {}, 40000
    for robot in range(2, 2 + draw.randint(1, 4)):
        for port in draw.choice([[30004], [30003], [30003, 30004]]):
            now, clock = START + draw.randint(0, 3 * SECOND), [100.0 * robot]
            step = draw.choice([2, 8, 40]) * MILLISECOND
            for _ in range(draw.randint(1, 3)):
                client += 1
                connection = Connection(capture, robot, port, client)
                records, now = session(draw, connection, now, step, draw.randint(5, 120), grid, clock)
                sessions[f"10.0.0.{robot}:{port}", f"10.0.0.200:{client}"] = records
                for who in [False, True]:
                    connection.say(now, who, b"", 17)
                now += draw.randint(1, 2000) * MILLISECOND
    capture.write(path)
    return {key: records for key, records in sessions.items() if records}


def run(*arguments, status=(0, 1)):
    done = subprocess.run([ARMTAP, "export", *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in status:
        raise SystemExit(f"{arguments}: {done.returncode}: {done.stderr}")
    return done


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def newest(records, instant):
    at = bisect.bisect_right([time for time, _ in records], instant)
    return records[at - 1] if at else None


def instants(first, last, grid):
    return range(first + -first % grid, last + 1, grid)


def cells(record, instant):
    return [""] * 8 if record is None else [repr((instant - record[0]) / SECOND)] + [repr(v) for v in record[1]]


def expect(where, found, wanted):
    if found != wanted:
        bad = next((k for k, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
        raise SystemExit(f"{where}: row {bad} of {len(wanted)} ({len(found)} found):\nfound    {found[bad:bad + 1]}\n"
                         f"expected {wanted[bad:bad + 1]}")


def seconds(time):
    return f"{time // SECOND}.{time % SECOND:09d}"


def within(first, last, limits):
    """Of --from A --to B."""
    low, high = (round(float(limits[k]) * 1000) * MILLISECOND for k in (1, 3)) if limits else (first, last)
    return max(first, low), min(last, high)


def check_streams(where, path, folder, grid, sessions, limits=()):
    """A file for each stream. Returns how many cells were compared."""
    done, text = 0, f"{grid / MILLISECOND:g}ms"
    run("--grid", text, *limits, "--split", "--fields", "robot,client,timestamp,actual_q", path, "-o", f"{folder}/g.csv")
    found = {}
    for name in glob.glob(f"{folder}/g.*.csv"):
        with open(name, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        os.unlink(name)
        if rows[0] != ["time", "age_s", "robot", "client"] + NAMES:
            raise SystemExit(f"{where}: {rows[0]}")
        for row in rows[1:]:
            found.setdefault((row[2], row[3]), []).append(row[:2] + row[4:])
    for key, records in sessions.items():
        first, last = within(records[0][0], records[-1][0], limits)
        wanted = [[seconds(i)] + cells(newest(records, i), i) for i in instants(first, last, grid)]
        expect(f"{where}, {key} {limits}", found.pop(key, []), wanted)
        done += 9 * len(wanted)
    if found:
        raise SystemExit(f"{where}: rows of {list(found)}")
    return done


PROTOCOLS = {"30003": "realtime", "30004": "rtde"}


def parts_of(sessions):
    """What has columns of its own: {prefix: records}. Connections to one port follow one another."""
    ports, parts = {}, {}
    for robot, _ in sessions:
        host, port = robot.rsplit(":", 1)
        ports.setdefault(host, set()).add(port)
    for (robot, _), records in sessions.items():
        host, port = robot.rsplit(":", 1)
        prefix = f"{host}_" if len(ports[host]) == 1 else f"{host}_{PROTOCOLS[port]}_"
        parts.setdefault(prefix, []).extend(records)
    return {prefix: sorted(records, key=lambda one: one[0]) for prefix, records in parts.items()}


def check_all(where, path, grid, sessions, limits=()):
    """All robots in one row. Returns how many cells were compared."""
    text, parts = f"{grid / MILLISECOND:g}ms", parts_of(sessions)
    arguments = ["--grid", text, "--union", *limits, path]
    rows = rows_of(run(*arguments).stdout)
    names = {f"{prefix}{name}": (prefix, k) for prefix in parts for k, name in enumerate(["age_s"] + NAMES)}
    known = [(at, names[name]) for at, name in enumerate(rows[0]) if name in names]
    if len(known) != len(names) or rows[0][0] != "time":
        raise SystemExit(f"{where}: columns {set(names) - set(rows[0])} are missing: {rows[0]}")
    first, last = min(r[0][0] for r in parts.values()), max(r[-1][0] for r in parts.values())
    first, last = within(first, last, limits)
    found = [[row[0]] + [row[at] for at, _ in known] for row in rows[1:]]
    wanted = []
    for i in instants(first, last, grid):
        newest_of = {prefix: cells(newest(records, i), i) for prefix, records in parts.items()}
        wanted.append([seconds(i)] + [newest_of[prefix][k] for _, (prefix, k) in known])
    expect(f"{where}, --union {limits}", found, wanted)
    objects = [json.loads(line) for line in run(*arguments, "-f", "ndjson").stdout.splitlines()]
    plain = [{n: o.get(n) for n in [f"{prefix}age_s", f"{prefix}timestamp"]} for o in objects for prefix in parts]
    same = [{f"{prefix}{n}": float(v) if v else None for n, v in zip(["age_s", "timestamp"], cells(newest(parts[prefix], i), i))}
            for i in instants(first, last, grid) for prefix in parts]
    expect(f"{where}, --union, ndjson", plain, same)
    threads = [run(*arguments, "--threads", n).stdout for n in "14"]
    if threads[0] != threads[1]:
        raise SystemExit(f"{where}: --union: --threads 1 and 4 differ")
    return len(wanted) * (1 + len(known))


def check_formats(where, path, grid, key, sessions):
    """One stream as NDJSON, with one thread and several, and a piece of it."""
    text, records = f"{grid / MILLISECOND:g}ms", sessions[key]
    lines = [json.loads(line) for line in run("--grid", text, "-f", "ndjson", path).stdout.splitlines()]
    lines = [line for line in lines if line["robot"] == key[0]]
    several = [r for k, r in sessions.items() if k[0] == key[0]]
    wanted = [[i / SECOND, (i - newest(r, i)[0]) / SECOND, newest(r, i)[1][0], newest(r, i)[1][1:]]
              for r in several for i in instants(r[0][0], r[-1][0], grid)]
    found = [[line["time"], line["age_s"], line["timestamp"], line["actual_q"]] for line in lines]
    expect(f"{where}, ndjson", sorted(found), sorted(wanted))
    same = [run("--grid", text, "-f", "ndjson", "--threads", n, path).stdout for n in "14"]
    if same[0] != same[1]:
        raise SystemExit(f"{where}: --threads 1 and 4 differ")
    return 2 + (records is not None)


def check_pandas(where, path, grid, sessions):
    """Every stream, and each robot of a row of all, by merge_asof of the plain export. Returns how many cells."""
    def frame(*arguments):
        text = io.StringIO(run(*arguments, path).stdout)
        return pandas.read_csv(text, float_precision="round_trip", dtype={"time_ns": "int64"})
    def join(plain, on_grid, prefix, what):
        joined = pandas.merge_asof(on_grid[["time_ns"]], plain.sort_values("time_ns", kind="stable").assign(at=plain["time_ns"].astype("Int64")),
                                   on="time_ns", direction="backward")
        joined["age_s"] = (joined["time_ns"] - joined["at"]).to_numpy("float64", na_value=float("nan")) / 1e9
        for name in ["age_s"] + NAMES:
            if not joined[name].equals(on_grid[prefix + name].astype("float64")):
                raise SystemExit(f"{where}: {what}: {prefix}{name} is not what merge_asof gives")
        return len(joined) * (1 + len(NAMES))
    done, text, columns = 0, f"{grid / MILLISECOND:g}ms", ["--fields", "time_ns,timestamp,actual_q"]
    plain, on_grid = frame("--union", *columns), frame("--union", "--grid", text, *columns)
    hosts = [robot.split(":")[0] for robot, _ in sessions]
    for robot, records in plain.groupby("robot"):
        host, port = robot.split(":")
        ports = {r.split(":")[1] for r, _ in sessions if r.split(":")[0] == host}
        prefix = f"{host}_" if len(ports) == 1 else f"{host}_{PROTOCOLS[port]}_"
        done += join(records, on_grid, prefix, f"{robot} of {len(hosts)}")
    if (on_grid["time_ns"].diff().dropna() != grid).any():
        raise SystemExit(f"{where}: steps other than {grid}")
    for stream in plain["stream"].unique():
        one = frame("--stream", str(stream), "--grid", text, *columns)
        if len(one):
            done += join(plain[plain["stream"] == stream], one, "", f"stream {stream}")
    return done


def check_columns(where, path, folder, grid, sessions):
    """HDF5 has what the CSV has: formats of columns."""
    arguments = ["--union", "--grid", f"{grid / MILLISECOND:g}ms", "--fields", "time_ns,actual_q_3,packet", path]
    run(*arguments, "-f", "h5", "-o", f"{folder}/c.h5")
    rows, done = rows_of(run(*arguments).stdout), 0
    if len(rows) == 1:
        return 0
    with h5py.File(f"{folder}/c.h5", "r") as file:
        for at, name in enumerate(rows[0][1:], 1):
            found = next(file[n] for n in file if file[n].attrs.get("name", n.encode()) in (name.encode(), name) or n == name)
            found = [float(v) for v in found[:].flatten()]
            wanted = [float(row[at]) if row[at] else None for row in rows[1:]]
            if [v if v == v else None for v in found] != wanted:
                raise SystemExit(f"{where}: h5 and csv: {name}: {found[:5]}, {wanted[:5]}")
            done += len(wanted)
    return done + len(sessions) * 0


def check_missing(where, path, grid, limits=()):
    """What is missing before records without a row is in the next row of their robot, and in one only."""
    columns = ["--union", "--fields", "time_ns,lost_bytes,skipped", path]
    columns += limits
    plain, on_grid = rows_of(run(*columns).stdout), rows_of(run("--grid", f"{grid / MILLISECOND:g}ms", *columns).stdout)
    last = int(on_grid[-1][on_grid[0].index("time_ns")]) if len(on_grid) > 1 else 0
    for name in ["lost_bytes", "skipped"]:
        wanted = sum(int(row[plain[0].index(name)] or 0) for row in plain[1:] if int(row[plain[0].index("time_ns")]) <= last)
        places = [i for i, column in enumerate(on_grid[0]) if column.endswith(name)]
        expect_truth(f"{where}: {name} {limits}", sum(int(row[i] or 0) for row in on_grid[1:] for i in places) == wanted, wanted)


def check_pipe(where, path, grid):
    """Read once, from a pipe, the same rows come as from the file."""
    arguments = ["--grid", f"{grid / MILLISECOND:g}ms", "-f", "ndjson"]
    with open(path, "rb") as file:
        piped = subprocess.run([ARMTAP, "export", *arguments, "-"], stdin=file, capture_output=True, text=True, check=False)
    def rows(text):
        return sorted(json.dumps({k: v for k, v in json.loads(line).items() if k != "stream"}) for line in text.splitlines())
    expect(f"{where}: pipe", rows(piped.stdout), rows(run(*arguments, path).stdout))


def check_set_back(draw, path, grid):
    """The axis begins anew where the capture's clock is set back by an hour."""
    capture = Capture()
    connection = Connection(capture, 2, 30004, 40001)
    records, _ = session(draw, connection, START, 8 * MILLISECOND, 200, grid, [100.0])
    at = draw.choice(records)[0]
    capture.write(path, at)
    pieces = [[r for r in records if r[0] < at], [(moved(r[0], at), r[1]) for r in records if r[0] >= at]]
    wanted = [[seconds(i)] + cells(newest(piece, i), i) for piece in pieces if piece
              for i in instants(piece[0][0], piece[-1][0], grid)]
    for more in [[], ["--union"]]:
        found = rows_of(run("--grid", f"{grid / MILLISECOND:g}ms", *more, path).stdout)[1:]
        expect(f"set back {more}", found, wanted)
    expect_truth("set back", True)


def check_clients(path):
    """Two clients with different recipes at once, one after the other with the same, and all with labels."""
    capture = Capture()
    def client(number, begin, count, recipe, values):
        connection, records = Connection(capture, 2, 30004, number), []
        connection.recipe = recipe
        connection.open(begin)
        for i in range(count):
            records.append((begin + (i + 1) * 8 * MILLISECOND + number, values(i)))
            connection.say(*records[-1][:1], True, connection.frame(records[-1][1]))
        connection.say(records[-1][0] + 1000, True, b"", 17)
        connection.say(records[-1][0] + 2000, False, b"", 17)
        return records
    scaling = b"timestamp,speed_scaling", b"DOUBLE,DOUBLE"
    one = client(40001, START, 200, (b"timestamp,actual_q", b"DOUBLE,VECTOR6D"), lambda i: [i / 125] + 6 * [float(i)])
    two = client(40002, START + 100 * MILLISECOND, 50, scaling, lambda i: [i / 125, 0.5 + i])
    two += client(40003, START + 800 * MILLISECOND, 50, scaling, lambda i: [i / 125, 1000.0 + i])
    capture.write(path)
    rows = rows_of(run("--union", "--grid", "10ms", "--label", "10.0.0.2=cell-3", "--fields",
                       "speed_scaling,actual_q_0,cell-3_rtde_timestamp,packet", path).stdout)
    expect_truth("names of two clients", rows[0] == ["time", "cell-3_rtde_age_s", "cell-3_rtde_2_age_s", "cell-3_rtde_2_speed_scaling",
                                                     "cell-3_rtde_actual_q_0", "cell-3_rtde_timestamp", "cell-3_rtde_packet",
                                                     "cell-3_rtde_2_packet"], rows[0])
    wanted = []
    for i in instants(one[0][0], one[-1][0], 10 * MILLISECOND):
        a, b = newest(one, i), newest(two, i)
        wanted.append([seconds(i), repr((i - a[0]) / SECOND), repr((i - b[0]) / SECOND) if b else "",
                       repr(b[1][1]) if b else "", repr(a[1][1]), repr(a[1][0])])
    expect("two clients", [row[:6] for row in rows[1:]], wanted)


def follow(capture, robot, port, begin, count, step, lost=None):
    """A robot's records at even steps, none acknowledged; one is lost for good, and those behind it wait."""
    connection, records = Connection(capture, robot, port, 40000 + robot + port % 1000), []
    connection.open(begin)
    for i in range(count):
        time, values = begin + (i + 1) * step, [100.0 + i] + [robot + port % 1000 + i / 1000 + k for k in range(6)]
        frame = connection.frame(values)
        if i == lost:
            connection.sent[True] += len(frame)
        else:
            connection.say(time, True, frame)
            records.append((time, values))
    return records


def rows_expected(grid, parts):
    """The rows of `parts`, {prefix: records}, with their columns."""
    wanted = []
    for i in instants(min(r[0][0] for r in parts.values()), max(r[-1][0] for r in parts.values()), grid):
        of = {prefix: cells(newest(records, i), i) for prefix, records in parts.items()}
        wanted.append({"time": seconds(i)} | {prefix + n: v for prefix in parts for n, v in zip(["age_s"] + NAMES, of[prefix])})
    return wanted


def check_parts(where, path, grid, parts, *more):
    """All in one row, and no warning that something came too late. Returns how many cells were compared."""
    done = run("--grid", f"{grid / MILLISECOND:g}ms", "--union", "--fields", "timestamp,actual_q", *more, path)
    rows = rows_of(done.stdout)
    names = ["time"] + [prefix + n for prefix in parts for n in ["age_s"] + NAMES]
    expect_truth(f"{where}: columns", sorted(rows[0]) == sorted(names), rows[0], names)
    expect(where, [dict(zip(rows[0], row)) for row in rows[1:]], rows_expected(grid, parts))
    expect_truth(f"{where}: nothing is late", "after later ones" not in done.stderr, done.stderr)
    return len(names) * (len(rows) - 1)


def check_held(path):
    """Forty robots at 500 Hz: of one a packet is lost, and nothing tells so before its next records are many."""
    capture = Capture()
    parts = {f"10.0.0.{robot}_": follow(capture, robot, 30004, START + robot * 47000, 600, 2 * MILLISECOND, 50 if robot == 5 else None)
             for robot in range(2, 42)}
    capture.write(path)
    return check_parts("held", path, 2 * MILLISECOND, parts)


def check_joined(path):
    """What mergecap -a makes of captures in the wrong order is sorted; what is too much for that is said."""
    done, step = 0, 8 * MILLISECOND
    for port, count, is_late in [(30004, 9000, False)] + ALL * [(30003, 40000, False), (30003, 90000, True)]:
        capture, robot, part = Capture(), f"10.0.0.3:{port}", {30004: "rtde", 30003: "realtime"}[port]
        late = follow(capture, 2, port, START + 1000 * SECOND, count, step), follow(capture, 3, port, START, 9000, step)
        capture.write(path, is_sorted=False)
        if not is_late:
            done += check_parts(f"joined {part} {count}", path, SECOND, {"10.0.0.2_": late[0], "10.0.0.3_": late[1]})
            continue
        told = run("--grid", "1s", "--union", path).stderr
        dates = [f"2026-01-31T12:{t // 60000000000 % 60:02d}:{t / SECOND % 60:06.3f}" for t in (late[1][0][0], late[1][-1][0])]
        words = [f"{robot}: 9000 records from {dates[0]}", f"to {dates[1]}", "rows lack them", f"{(late[0][-1][0] - late[1][0][0]) / SECOND:.3f} s after"]
        expect_truth("joined, too much to sort", all(w in told for w in words), told, words)
    return done


def check_address(path):
    """Robots behind one address, by their ports: the usual ones are one robot's, others have columns of their own."""
    capture, step = Capture(), 8 * MILLISECOND
    records = {port: follow(capture, 2, port, START + port % 100 * MILLISECOND + port % 1000, 100, step)
               for port in (30003, 30004, 30104, 30204)}
    capture.write(path)
    ports, at = ["--port", "30104=rtde", "--port", "30204=rtde"], "10.0.0.2"
    parts = {f"{at}_realtime_": records[30003], f"{at}_rtde_": records[30004],
             f"{at}:30104_": records[30104], f"{at}:30204_": records[30204]}
    done = check_parts("one address", path, 10 * MILLISECOND, parts, *ports)
    named = {p.replace(at, "a").replace("a:30204", "b"): r for p, r in parts.items()}
    done += check_parts("one address, labels", path, 10 * MILLISECOND, named, *ports, "--label", f"{at}=a", "--label", f"{at}:30204=b")
    capture = Capture()
    parts = {f"{at}_": follow(capture, 2, 30104, START, 50, step), "a_rtde_": follow(capture, 3, 30004, START, 50, step)}
    capture.write(path)
    done += check_parts("an unusual port", path, 10 * MILLISECOND, parts, *ports, "--label", "10.0.0.3=a_rtde")
    capture = Capture()
    parts = {"a_rtde_": follow(capture, 3, 30004, START, 50, step), "a_realtime_": follow(capture, 4, 30003, START + 1, 50, step),
             "a_rtde_2_": follow(capture, 4, 30004, START + 2, 50, step)}
    capture.write(path)
    return done + check_parts("names alike", path, 10 * MILLISECOND, parts, "--label", "10.0.0.3=a_rtde", "--label", "10.0.0.4=a")


def check_many(path):
    """Hundreds of robots with wide recipes, and thousands: all have columns, and from the first without it is said."""
    def robots(count, vectors, apart):
        capture, records = Capture(), []
        for i in range(count):
            connection, begin = Connection(capture, 0, 30004, 40001), START + i * apart
            connection.robot = bytes([10, 1, i // 250, i % 250 + 1])
            connection.recipe = b",".join([b"timestamp"] + vectors), b",".join([b"DOUBLE"] + [b"VECTOR6D"] * len(vectors))
            connection.open(begin)
            records.append((begin + 3 * MILLISECOND, 1000.0 + i))
            connection.say(records[-1][0], True, connection.frame([records[-1][1]] + [0.5] * 6 * len(vectors)))
            for who in [True, False]:
                connection.say(begin + 4 * MILLISECOND, who, b"", 17)
        capture.write(path)
        done = run("--grid", "10s", "--union", "--fields", "timestamp", path)
        row = dict(zip(*(lambda rows: (rows[0], rows[-1]))(rows_of(done.stdout))))
        found = [row.get(f"10.1.{i // 250}.{i % 250 + 1}_timestamp") for i in range(count)]
        return done.stderr, found, [repr(v) if t <= int(float(row["time"])) * SECOND else "" for t, v in records]
    vectors = [f"{a}_{b}".encode() for a in ("actual", "target") for b in ("q", "qd", "current")]
    vectors += [b"target_qdd", b"target_moment", b"actual_TCP_pose", b"actual_TCP_speed", b"target_TCP_pose", b"actual_TCP_force"]
    told, found, wanted = robots(320, vectors, 40 * MILLISECOND)
    expect_truth("320 robots of 73 fields", found == wanted and "omitted" not in told, told, found[-40:])
    told, found, wanted = robots(4010, [], 6 * MILLISECOND)
    words = "1 row is omitted", "no room for the columns of so many streams", "of 2 more streams 2 rows"
    expect_truth("4000 robots of 4010", found[:4000] == wanted[:4000] and found[4000:] == [None] * 10 and all(w in told for w in words),
                 told, found[3990:])
    return len(found)


def check_silence(path):
    """A year without records is left out, and said; a capture without times is refused."""
    capture = Capture()
    connection = Connection(capture, 2, 30004, 40001)
    connection.open(START)
    times = [START + 10 * MILLISECOND, START + 50 * MILLISECOND, START + 365 * 86400 * SECOND]
    for time in times:
        connection.say(time, True, connection.frame([1.0] * 7))
    capture.write(path)
    for more in [[], ["--union"]]:
        done = run("--grid", "10ms", *more, path)
        expect_truth(f"a year {more}", len(rows_of(done.stdout)) == 1 + 4 + 1 and "3153599995 rows of this silence" in done.stderr,
                     done.stdout[:500], done.stderr)
    done = run("--grid", "1h", "--to", "+1", path)
    expect_truth("no instant", done.stdout.count("\n") == 1 and "no instant of --grid lies between the 2 records in that time: " in done.stderr,
                 done.stdout, done.stderr)
    expect_truth("too short", "'1ns': expected a time such as 10ms, 0.5s or 1m, of 1us at least" in run("--grid", "1ns", path, status=(2,)).stderr)
    with open(path, "wb") as file:
        file.write(connection.frame([1.0] * 7) * 10)
    done = run("--raw", "rtde", "--grid", "10ms", path, status=(2,))
    expect_truth("no times", "--grid cannot place its rows" in done.stderr, done.stderr)


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 42
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 60 if ALL else 12
    compared, joined = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.pcap")
        for i in range(rounds):
            draw = random.Random(f"{seed} {i}")
            grid = draw.choice([1, 2, 10, 25, 100]) * MILLISECOND
            sessions = make(draw, path, grid)
            where = f"seed {seed}, round {i}"
            compared += check_streams(where, path, folder, grid, sessions)
            compared += check_all(where, path, grid, sessions)
            times = sorted(START + draw.randint(0, 4000) * MILLISECOND for _ in range(2))
            if any(times[0] <= r[0] <= times[1] for records in sessions.values() for r in records):
                limits = ["--from", seconds(times[0]), "--to", seconds(times[1])]
                compared += check_all(where, path, grid, sessions, limits) + check_streams(where, path, folder, grid, sessions, limits)
            check_formats(where, path, grid, draw.choice(list(sessions)), sessions)
            check_pipe(where, path, grid)
            check_missing(where, path, grid)
            check_missing(where, path, grid, ["--from", seconds(START + draw.randint(0, 4000) * MILLISECOND)])
            joined += check_pandas(where, path, grid, sessions) if pandas and (ALL or i < 5) else 0
            compared += check_columns(where, path, folder, grid, sessions) if h5py and (ALL or i < 5) else 0
            expect_truth(where, True)
            check_set_back(draw, path, grid)
        check_clients(path)
        compared += check_held(path) + check_joined(path) + check_address(path) + check_many(path)
        check_silence(path)
    for library, name in [(pandas, "pandas"), (h5py, "h5py")]:
        if not library:
            lacks(name, "grid-check.py's comparison with it")
    print(f"{compared} cells, and {joined} by merge_asof")
    return finish()


sys.exit(main())
