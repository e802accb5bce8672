#!/usr/bin/env python3
"""Formats that only tests/toy-format names: the help, the errors and the manual know them, and their files hold the values
of the captures, which are decoded here with struct and json. The program is armtap with four more formats."""
import csv
import importlib.util
import io
import json
import os
import struct
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, TESTS)
from format_rows import one_of, rows_of  # noqa: E402
from tally import expect, finish  # noqa: E402
from terminal import Terminal  # noqa: E402

SOURCE = os.path.join(TESTS, "..")
ARMTAP = os.path.join(os.environ.get("builddir", "."), "tests", "toy-format", "armtap")
BOOL, UINT8, UINT32, UINT64, INT32, DOUBLE, STRING, BYTES, INT64, JSON = range(10)
WIRE = {"BOOL": BOOL, "UINT8": UINT8, "UINT32": UINT32, "UINT64": UINT64, "INT32": INT32, "DOUBLE": DOUBLE,
        "VECTOR3D": DOUBLE, "VECTOR6D": DOUBLE, "VECTOR6INT32": INT32, "VECTOR6UINT32": UINT32}
UNSIGNED, SIGNED = (BOOL, UINT8, UINT32, UINT64), (INT32, INT64)
NO_TIME = -2**63


def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(TESTS, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


cross, aubo = load("cross-check"), load("aubo-check")


def run(*arguments, status=0, **options):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False, **options)
    expect("status %d of %s" % (status, " ".join(arguments)), done.returncode == status, done.returncode, done.stderr)
    return done.stdout, done.stderr.decode()


def has_aubo():
    return b"built without AUBO" not in run("--version")[0]


def sample(name):
    return os.path.join(SOURCE, "captures", name)


# ---- files of columns ------------------------------------------------------------------------------------------------

class Reader:
    def __init__(self, content):
        self.content, self.at = content, 0

    def take(self, form):
        values = struct.unpack_from("=" + form, self.content, self.at)
        self.at += struct.calcsize("=" + form)
        return values[0] if len(values) == 1 else values

    def bytes(self, length):
        self.at += length
        return self.content[self.at - length:self.at]


class Columns:
    """A file: tables as (names, types, times, rows), a row as the values of its columns, None if absent."""

    def __init__(self, content):
        reader = Reader(content)
        expect("magic", reader.bytes(8) == b"TOYCOLS\0" and content.endswith(b"TOYCOLS\0"))
        self.front = reader.take("2Q")
        self.tables, index = [], []
        while content[reader.at:reader.at + 1] != b"I":
            at, kind = reader.at, reader.bytes(1)
            if kind == b"T":
                expect("number of a table", reader.take("I") == len(self.tables))
                self.tables.append(self.table(reader))
            else:
                expect("kind", kind == b"B", at, kind)
                index.append((at, self.batch(reader, self.tables[reader.take("I")])))
        self.batches = len(index)
        end = reader.at
        reader.bytes(1)
        expect("index", [reader.take("2Q") for _ in range(reader.take("Q"))] == index)
        expect("offset of the index", reader.take("Q") == end)
        self.rows, self.index_at = sum(rows for _, rows in index), end

    @staticmethod
    def table(reader):
        names, types = [], []
        for _ in range(reader.take("I")):
            types.append(reader.bytes(1)[0])
            names.append(reader.bytes(reader.take("I")).decode())
        return names, types, [], []

    @staticmethod
    def batch(reader, table):
        _, types, times, rows = table
        count = reader.take("Q")
        times += [reader.take("q") for _ in range(count)]
        columns = []
        for kind in types:
            words = [reader.take("Q") for _ in range((count + 63) // 64)]
            form = "d" if kind == DOUBLE else "q" if kind in SIGNED else "Q" if kind in UNSIGNED else "II"
            values = [reader.take(form) for _ in range(count)]
            present = [words[row // 64] >> row % 64 & 1 for row in range(count)]
            expect("bits beyond the rows", count % 64 == 0 or words[-1] >> count % 64 == 0)
            expect("values of absent cells", all(value in (0, (0, 0)) for value, has in zip(values, present) if not has))
            columns.append([value if has else None for value, has in zip(values, present)])
        texts = reader.bytes(reader.take("Q"))
        for kind, column in zip(types, columns):
            for row, value in enumerate(column):
                if value is not None and kind in (STRING, BYTES, JSON):
                    text = texts[value[0]:value[0] + value[1]]
                    column[row] = text if kind == BYTES else text.decode()
        rows += [list(row) for row in zip(*columns)] if columns else [[] for _ in range(count)]
        return count


def same(one, other):
    """Whether the bits are the same: zeros have a sign, and NaN equals itself."""
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack("d", one) == struct.pack("d", other)
    return type(one) is type(other) and one == other


def same_rows(what, rows, wanted):
    expect(what + ": rows", len(rows) == len(wanted) > 0, len(rows), len(wanted))
    for number, (row, expected) in enumerate(zip(rows, wanted)):
        if len(row) != len(expected) or not all(map(same, row, expected)):
            expect("%s: row %d" % (what, number), False, len(row), len(expected),
                   [(place, *pair) for place, pair in enumerate(zip(row, expected)) if not same(*pair)])
            return
    expect(what, True)


# ---- help, errors, manual --------------------------------------------------------------------------------------------

FORMATS = rows_of(SOURCE + "/tools/export/formats/formats.def") + rows_of(TESTS + "/toy-format/export/formats/formats.def")


def names_of(with_flag=None, without=()):
    return one_of(name for name, dialect, _, flags, _ in FORMATS
                  if not dialect and with_flag in flags | {None} and not flags & set(without))


def check_lists(folder):
    text = " ".join(run("export", "--help")[0].decode().split())
    briefs, seen = [], set()
    for name, _, _, _, brief in FORMATS:
        briefs += [brief] * (name not in seen)
        seen.add(name)
    expect("formats", {"csv", "gnuplot", "ndjson", "toy-text", "toy-columns"} <= seen, seen)
    for part in ("as %s." % one_of(briefs), names_of(), "sealed: columns with their count in front",
                 "one table of all streams (%s):" % names_of("HAS_NAMES")):
        expect("help says " + part, part in text, text)
    capture = sample("rtde-v1.pcap")
    dialects = "; ".join("%s, of %s" % (dialect, name) for name, dialect, _, _, _ in FORMATS if dialect)
    for options, said in ((("-f", "x"), "-f 'x': give " + names_of()),
                          (("-o", folder + "/a.x"), "use -f " + names_of()),
                          (("-f", "gnuplot", "--csv-safe"), "--csv-safe works only with -f " + names_of("CAN_GUARD")),
                          (("-f", "gnuplot", "--enums", "name"), "--enums works only with -f " + names_of("HAS_NAMES")),
                          (("-f", "gnuplot", "--fields", "robot"), "use -f " + names_of(without=["ONLY_NUMBERS"])),
                          (("-f", "toy-text", "--layout", "cb2"), "--layout works only with -f %s," % names_of("HAS_LAYOUTS")),
                          (("-f", "toy-text", "--dialect", "sealed"),
                           "--dialect sealed works only with toy-columns, not with toy-text"),
                          (("--dialect", "x"), dialects)):
        errors = run("export", *options, capture, status=2)[1]
        expect("error says " + said, said in errors, errors)
    errors = run("export", "-f", "toy-text", sample("both-streams.pcap.gz"), status=2)[1]
    expect("a file of one table", "-f toy-text holds one table" in errors and "--union" in errors, errors)
    for page, parts in (("armtap-formats.7", (".It Cm toy-text A header, then a row for each record: every field, but no .Ql time . ",)),
                        ("armtap-export.1", ("npz, arrow, toy-text or toy-columns. ", "sealed: columns with their count in front. "))):
        manual = subprocess.run(["sh", SOURCE + "/tools/manual/page", SOURCE, page, TESTS + "/toy-format/export/formats/formats.def"],
                                capture_output=True, text=True, check=True).stdout
        for part in parts:
            expect("%s says %s" % (page, part), part in " ".join(manual.split()), manual)


def check_text(folder):
    """The columns of CSV after the time."""
    samples = ["rtde-v2.pcapng.gz", "cb3-1060.pcap.gz"] + ["aubo-two-arms.pcap.gz"] * has_aubo()
    for name in samples:
        text = run("export", sample(name), "--enums", "both")[0].decode()
        rows = [row[1:] for row in csv.reader(io.StringIO(text, newline=""))]
        path = os.path.join(folder, "rows.toy")
        run("export", sample(name), "--enums", "both", "-o", path)
        with open(path, encoding="utf-8", newline="") as file:
            expect("toy-text of " + name, list(csv.reader(file, delimiter="\t")) == rows)


# ---- columns ---------------------------------------------------------------------------------------------------------

def rtde(path):
    """Names, types and rows of an RTDE stream, and their times."""
    (content, ends), (requests, request_ends) = cross.streams(path)
    version, names, types, times, rows = 1, [], [], [], []
    for _, request in cross.messages(requests, request_ends, ">H"):
        if request[2] == ord("V"):
            version = struct.unpack_from(">H", request, 3)[0]
        elif request[2] == ord("O"):
            asked = request[3 if version == 1 else 11:].decode().split(",")
    at = 3 if version == 1 else 4
    for time, message in cross.messages(content, ends, ">H"):
        if message[2] == ord("O"):
            kinds = message[at:].decode().split(",")
            form = ">" + "".join(cross.TYPES[kind] for kind in kinds)
            for name, kind in zip(asked, kinds):
                count = struct.calcsize("=" + cross.TYPES[kind]) // struct.calcsize("=" + cross.TYPES[kind][-1])
                names += [name] if count == 1 else ["%s_%d" % (name, i) for i in range(count)]
                types += [WIRE[kind]] * count
        elif message[2] == ord("U"):
            times.append(time)
            rows.append([int(value) if isinstance(value, bool) else value
                         for value in struct.unpack(form, message[at:])])
    return names, types, times, rows


def check_rtde(_):
    batches = set()
    for name in cross.RTDE:
        names, types, times, rows = rtde(sample(name))
        for threads in ("1", "2", "5", "16"):
            file = Columns(run("export", "-f", "toy-columns", "--threads", threads, sample(name))[0])
            table, what = file.tables[0], "%s by %s threads" % (name, threads)
            expect(what, len(file.tables) == 1 and table[:3] == (names, types, times) and file.front == (0, 0),
                   table[:2], names, types)
            same_rows(what, table[3], rows)
            batches.add(file.batches)
        for every in (2, 3, 7):
            out = run("export", "-f", "toy-columns", "--threads", "3", "--every", str(every), sample(name))[0]
            same_rows("%s, every %d" % (name, every), Columns(out).tables[0][3], rows[::every])
    expect("rows were cut into batches in several ways", len(batches) > 2, batches)


def check_bytes(folder):
    """A value of an unknown type is its bytes from the wire: here the second value, six doubles after one."""
    path = os.path.join(folder, "unknown.pcap")
    with open(sample("rtde-v1.pcap"), "rb") as file:
        content = file.read()
    at = content.index(b"VECTOR6D", content.index(b"DOUBLE,"))
    with open(path, "wb") as file:
        file.write(content[:at] + b"VECTOR6X" + content[at + 8:])
    names, types, times, rows = Columns(run("export", "-f", "toy-columns", path)[0]).tables[0]
    (stream, ends), _ = cross.streams(sample("rtde-v1.pcap"))
    packages = [(time, package) for time, package in cross.messages(stream, ends, ">H") if package[2] == ord("U")]
    expect("types", types[:3] == [DOUBLE, BYTES, DOUBLE], names, types)
    expect("times of bytes", times == [time for time, _ in packages])
    expect("bytes as they came", all(row[1] == package[11:59] for row, (_, package) in zip(rows, packages)), rows[0])


def check_legacy(folder):
    """Packets of two sizes in one stream share a table: the shorter ones lack columns."""
    layout = {}
    with open(TESTS + "/unit/data/realtime_layout.csv", encoding="utf-8") as file:
        for size, offset, name, count in csv.reader(line for line in file if line[0] not in "#s"):
            for i in range(int(count)):
                layout.setdefault(int(size), {})[name if count == "1" else "%s_%d" % (name, i)] = int(offset) + 8 * i
    packets = [packet for name in ("cb3-1060.pcap.gz", "e-series-1220.pcapng.gz")
               for _, packet in cross.messages(*cross.streams(sample(name))[0], ">I")]
    path = os.path.join(folder, "legacy.raw")
    with open(path, "wb") as file:
        file.write(b"".join(packets))
    for threads in ("1", "3"):
        file = Columns(run("export", "-f", "toy-columns", "--threads", threads, "--raw", "realtime", path)[0])
        names, types, times, rows = file.tables[0]
        expect("times of a dump", set(times) == {NO_TIME} and len(file.tables) == 1)
        expect("names of legacy columns", set(names) == set(layout[1220]), set(layout[1220]) ^ set(names))
        wanted = []
        for packet in packets:
            cells = [struct.unpack_from(">d", packet, layout[len(packet)][name])[0]
                     if name in layout[len(packet)] else None for name in names]
            wanted.append([cell if kind == DOUBLE or cell is None else int(cell) for cell, kind in zip(cells, types)])
        expect("both sizes", {len(packet) for packet in packets} == {1060, 1220} and INT32 in types)
        same_rows("legacy by %s threads" % threads, rows, wanted)


def aubo_cell(kind, value):
    """A value as a column of that type holds it, and whether it does not fit."""
    if value is None:
        return None, 0
    if kind == JSON:
        return value, 0
    if isinstance(value, (str, list, dict, bool)):
        return None, 1
    if kind == DOUBLE:
        return float(value), 0
    return value, 0


def check_aubo(folder):
    path, out = os.path.join(folder, "rich.pcap"), os.path.join(folder, "rich.toy-columns")
    connection, tables = aubo.rich()
    connection.write(path)
    errors = run("export", path, "-o", out, "--split")[1]
    misfits = 0
    for part, table in enumerate(tables):
        with open(os.path.join(folder, "rich.0%s.toy-columns" % ("-1" if part else "")), "rb") as file:
            names, types, _, rows = Columns(file.read()).tables[0]
        header = table.csv()[0][1:]
        expect("names of topics", names == header, names, header)
        wanted = []
        for _, values in table.rows:
            cells = {}
            for topic, value in values.items():
                name = aubo.label(topic)
                spread = name + "_0" in names
                for i, leaf in enumerate(aubo.flat(value) if spread else [value]):
                    cells["%s_%d" % (name, i) if spread else name] = leaf
            row = []
            for name, kind in zip(names, types):
                value, misfit = aubo_cell(kind, cells.get(name))
                misfits += misfit
                row.append(value)
            wanted.append(row)
        for row in rows:
            row[:] = [json.loads(value) if kind == JSON and value is not None else value
                      for kind, value in zip(types, row)]
        expect("kinds of columns", {JSON, DOUBLE, INT32} <= set(types) or part == 1, types)
        expect("rows of aubo", len(rows) == len(wanted), len(rows), len(wanted))
        for row, expected in zip(rows, wanted):
            expect("a row of aubo", all(map(aubo.same, row, expected)),
                   [pair for pair in zip(names, row, expected) if not aubo.same(*pair[1:])])
    said = "%d values were not of the type of their columns, and omitted; use -f " % misfits
    said += names_of(without=["ONLY_NUMBERS", "COLUMNS", "TYPED"])
    expect("values that do not fit", misfits > 0 and said in errors, misfits, errors)
    expect("MCAP is not named: its fields have types", "mcap" not in said, said)
    for dialect, is_said in (("ros2", True), ("json", False)):
        errors = run("export", path, "-f", "mcap", "--dialect", dialect, "-o", os.path.join(folder, "rich.mcap"))[1]
        expect("values that do not fit, %s" % dialect, (said in errors) == is_said, said, errors)


def check_texts(_):
    """Columns that are not fields, modes by name, and elements selected by name."""
    path = sample("rtde-stop.pcap")
    fields = "time,time_ns,packet,stream,robot,protocol,actual_q_2,robot_mode,lost_s"
    options = ("export", "--fields", fields, "--enums", "name", path)
    names, types, times, rows = Columns(run(*options, "-f", "toy-columns")[0]).tables[0]
    expect("names asked for", names == fields.split(","), names)
    expect("types asked for", types == [INT64, INT64, UINT64, UINT64, STRING, STRING, DOUBLE, STRING, DOUBLE], types)
    wire, _, wire_times, wire_rows = rtde(path)
    wanted = list(csv.reader(io.StringIO(run("export", "--fields", fields, "--enums", "name", path)[0].decode())))[1:]
    place = wire.index("actual_q_2")
    expect("modes by name", {text[7] for text in wanted} >= {"RUNNING"}, wanted[0])
    same_rows("texts", rows, [[time, time, int(text[2]), int(text[3]), text[4], "rtde", values[place], text[7], None]
                              for time, text, values in zip(wire_times, wanted, wire_rows)])
    expect("times", times == wire_times)


def check_all_tables(folder):
    """One file with several tables, whose rows alternate, and records without a recipe."""
    path = sample("both-streams.pcap.gz")
    file = Columns(run("export", "-f", "toy-columns", "--dialect", "all", path)[0])
    lines = [json.loads(line) for line in run("export", "-f", "ndjson", path)[0].splitlines()]
    expect("tables of both streams", len(file.tables) == 2 and file.rows == len(lines), len(file.tables), file.rows)
    for names, _, _, rows in file.tables:
        own = [flatten(line) for line in lines if set(flatten(line)) <= set(names)]
        expect("rows of a table", len(own) == len(rows) > 0, len(own), len(rows), len(names))
        expect("values of a table", all(values.get(name) == value for values, row in zip(own, rows)
                                        for name, value in zip(names, row)))
    check_split(folder)
    late = os.path.join(folder, "late.pcap")
    with open(sample("rtde-v1.pcap"), "rb") as file:
        content = file.read()
    at = 24
    for _ in range(30):
        at += 16 + struct.unpack_from("<I" if content[0] in (0xD4, 0x4D) else ">I", content, at + 8)[0]
    with open(late, "wb") as file:
        file.write(content[:24] + content[at:])
    file = Columns(run("export", "-f", "toy-columns", "--dialect", "all", "--no-guess", "--fields", "stream,robot", late)[0])
    names, types, times, rows = file.tables[0]
    expect("columns of opaque records", names == ["stream", "robot"] and types == [UINT64, STRING], names, types)
    expect("opaque records", 10 < len(times) < len(rtde(sample("rtde-v1.pcap"))[2]) and
           times == rtde(sample("rtde-v1.pcap"))[2][-len(times):], len(times))
    same_rows("opaque records", rows, [[0, cross_robot(late)]] * len(rows))


def cross_robot(path):
    """Address and port of the robot: the side that uses a robot's port."""
    for _, packet in cross.packets(path):
        if struct.unpack_from(">H", packet, 34)[0] == 30004:
            return "%d.%d.%d.%d:30004" % tuple(packet[26:30])
    return None


def check_split(folder):
    """One file for each of several streams that share a recipe, whose rows alternate."""
    path = os.path.join(folder, "clients.pcap")
    with open(sample("rtde-v1.pcap"), "rb") as file:
        content = file.read()
    order, at, packets = "<" if content[0] in (0xD4, 0x4D) else ">", 24, []
    while at + 16 <= len(content):
        length = struct.unpack_from(order + "I", content, at + 8)[0]
        head, packet = content[at:at + 16], content[at + 16:at + 16 + length]
        at += 16 + length
        place = 36 if struct.unpack_from(">H", packet, 34)[0] == 30004 else 34
        port = struct.pack(">H", struct.unpack_from(">H", packet, place)[0] + 1)
        packets += [head + packet, head + packet[:place] + port + packet[place + 2:]]
    with open(path, "wb") as file:
        file.write(content[:24] + b"".join(packets))
    run("export", path, "--split", "--dialect", "all", "-o", os.path.join(folder, "x.toy-columns"))
    names, _, times, rows = rtde(sample("rtde-v1.pcap"))
    for number in range(2):
        with open(os.path.join(folder, "x.%d.toy-columns" % number), "rb") as file:
            tables = Columns(file.read()).tables
        expect("tables of a stream", len(tables) == 1 and tables[0][2] == times, len(tables))
        # If generations mix, names of modes have columns beside the numbers.
        places = [tables[0][0].index(name) for name in names]
        same_rows("stream %d" % number, [[row[place] for place in places] for row in tables[0][3]], rows)


def flatten(line):
    values = {}
    for name, value in line.items():
        if name in aubo.LEADING:
            continue
        for i, leaf in enumerate(value if isinstance(value, list) else [value]):
            leaf = int(leaf) if isinstance(leaf, bool) else leaf
            values["%s_%d" % (name, i) if isinstance(value, list) else name] = leaf
    return values


# ---- files -----------------------------------------------------------------------------------------------------------

def check_files(folder):
    path = sample("rtde-v2.pcapng.gz")
    plain = Columns(run("export", "-f", "toy-columns", path)[0])
    out = os.path.join(folder, "a.toy-columns")
    run("export", path, "-o", out)
    run("export", path, "-o", out + ".gz")
    for content in (open(out, "rb").read(), subprocess.run(["gzip", "-dc", out + ".gz"], capture_output=True,
                                                           check=True).stdout):
        expect("a file", Columns(content).tables == plain.tables)
    with open(path, "rb") as capture:
        piped = subprocess.run([ARMTAP, "export", "-f", "toy-columns", "-"], stdin=capture, capture_output=True, check=True)
    expect("from a pipe", Columns(piped.stdout).tables == plain.tables)
    run("export", path, "-o", out, "--dialect", "sealed")
    sealed = Columns(open(out, "rb").read())
    expect("what is written in front at the end", sealed.front == (plain.rows, sealed.index_at), sealed.front)
    expect("a file that is sought in", sealed.tables == plain.tables)
    run("export", path, "-o", out, "--dialect", "sealed", "--every", "100")
    small = Columns(open(out, "rb").read())
    expect("a small one", small.front == (small.rows, small.index_at) and 0 < small.rows < 10, small.front)
    none, _ = run("export", "-f", "toy-columns", "--from", "2030-01-01T00:00:00Z", path)
    expect("no row", Columns(none).rows == 0 and len(Columns(none).tables) == 1)
    before = sorted(os.listdir(folder))
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    for name, said in (("-", "-f toy-columns: it must seek in its output; name a file with -o"),
                       ("/dev/stdout", "not a regular file; -f toy-columns must seek in its output; name another"),
                       ("/dev/null", "not a regular file"), (fifo, "not a regular file"),
                       (out + ".gz", "remove .gz, and compress the file afterwards")):
        content, errors = run("export", path, "-f", "toy-columns", "--dialect", "sealed", "-o", name, status=2)
        expect("refused: " + name, said in errors and not content, errors)
    os.close(reader)
    os.unlink(fifo)
    with Terminal(80) as pty:
        done = subprocess.run([ARMTAP, "export", "-f", "toy-columns", path], stdout=pty.theirs, stderr=subprocess.PIPE,
                              check=False)
    expect("no terminal gets it", done.returncode == 2 and b"binary output is not written to a terminal" in done.stderr,
           done.stderr)
    expect("nothing is left over", sorted(os.listdir(folder)) == before, os.listdir(folder))


def main():
    if not os.path.exists(ARMTAP):
        print("no " + ARMTAP)
        return 1
    for check in (check_lists, check_text, check_rtde, check_bytes, check_legacy, check_aubo, check_texts, check_all_tables, check_files):
        if check is check_aubo and not has_aubo():
            continue
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
