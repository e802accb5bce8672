#!/usr/bin/env python3
"""Arrow streams and files, read by a reader of its own (struct and numpy, from Arrow's and FlatBuffers' descriptions) and by
apache-arrow (tests/node/arrow.mjs): every value of every sample equals the CSV's, doubles to the last bit, null and NaN apart; types,
time zones, dictionaries, metadata; batches of bounded size whose metadata are equally long; the footer's places.

Skipped without numpy; without node or apache-arrow that reader is left out. Debian's Python has numpy."""
import json
import os
import struct
import sys
import tempfile

import column_tables
import node_readers
from column_tables import DEBIAN, SAMPLES, VERSION, check_table, load, make_rtde, pairs_of, read_csv, run, samples
from tally import ALL, expect, finish, lacks, share

SCHEMA, DICTIONARY, BATCH = 1, 2, 3
INT, FLOAT, BINARY, UTF8, BOOL, TIMESTAMP, LIST = 2, 3, 4, 5, 6, 10, 16


# ---- a reader --------------------------------------------------------------------------------------------------------


class Table:
    """A table of a flatbuffer: its members by slot."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        size, self.size = struct.unpack_from("<2H", data, self.vtable)
        self.slots = struct.unpack_from("<%dH" % (size // 2 - 2), data, self.vtable + 4)
        expect("a table is aligned", at % 4 == 0 and max(self.slots, default=0) < self.size, at)

    def place(self, slot):
        return self.at + self.slots[slot] if slot < len(self.slots) and self.slots[slot] else None

    def number(self, slot, form, otherwise=0):
        place = self.place(slot)
        expect("a number is aligned", place is None or place % struct.calcsize(form) == 0, place)
        return otherwise if place is None else struct.unpack_from(form, self.data, place)[0]

    def target(self, slot):
        place = self.place(slot)
        return None if place is None else place + struct.unpack_from("<I", self.data, place)[0]

    def table(self, slot):
        return Table(self.data, self.target(slot))

    def text(self, slot):
        at = self.target(slot)
        length, = struct.unpack_from("<I", self.data, at)
        expect("a text ends with NUL", self.data[at + 4 + length] == 0)
        return self.data[at + 4:at + 4 + length].decode()

    def tables(self, slot):
        at = self.target(slot)
        count = 0 if at is None else struct.unpack_from("<I", self.data, at)[0]
        places = [at + 4 + 4 * k for k in range(count)]
        return [Table(self.data, place + struct.unpack_from("<I", self.data, place)[0]) for place in places]

    def structs(self, slot, form):
        at = self.target(slot)
        count, = struct.unpack_from("<I", self.data, at)
        expect("structs are aligned", (at + 4) % 8 == 0, at)
        return list(struct.iter_unpack(form, self.data[at + 4:at + 4 + count * struct.calcsize(form)]))


def root(data):
    return Table(data, struct.unpack_from("<I", data, 0)[0])


class Arrow:
    """All of a stream or file: fields, arrays and what is known of them, metadata, lengths of the batches' metadata."""

    def __init__(self, content):
        self.content, self.is_file = content, content[:6] == b"ARROW1"
        self.fields, self.notes, self.words, self.batches, self.blocks, self.dictionaries = [], {}, {}, [], [], []
        self.parts = {}
        at = 8 if self.is_file else 0
        while True:
            mark, length = struct.unpack_from("<Ii", content, at)
            expect("a message begins", mark == 0xffffffff and at % 8 == 0, mark, at)
            if length == 0:
                break
            at += self.message(at, length)
        at += 8
        if self.is_file:
            self.footer(at)
        else:
            expect("nothing follows the end of a stream", at == len(content), at, len(content))

    def message(self, at, length):
        metadata = self.content[at + 8:at + 8 + length]
        message = root(metadata)
        kind, size = message.number(1, "<B"), message.number(3, "<q")
        body = self.content[at + 8 + length:at + 8 + length + size]
        expect("a message", message.number(0, "<h") == 4 and length % 8 == 0 and size % 8 == 0 and len(body) == size, length, size)
        header = message.table(2)
        if kind == SCHEMA:
            self.schema(header)
        elif kind == DICTIONARY:
            expect("dictionaries come before rows, whole", not self.batches and header.number(2, "<B") == 0)
            self.dictionaries.append((at, length + 8, 0, size))
            batch = Batch(header.table(1), body)
            self.words[header.number(0, "<q")] = batch.texts(UTF8)[0].tolist()
        else:
            self.blocks.append((at, length + 8, 0, size))
            self.batches.append((header.number(0, "<q"), length, size))
            batch = Batch(header, body)
            for field in self.fields:
                self.parts.setdefault(field["name"], []).append(batch.field(field, self.words))
            batch.finish()
        return 8 + length + size

    def schema(self, table):
        self.fields = [field_of(one) for one in table.tables(1)]
        self.notes = {one.text(0): one.text(1) for one in table.tables(2)}

    def footer(self, at):
        length, = struct.unpack_from("<i", self.content, len(self.content) - 10)
        expect("a file ends", self.content[-6:] == b"ARROW1" and at + length + 10 == len(self.content), at, length)
        table = root(self.content[at:at + length])
        fields, notes = self.fields, self.notes
        self.schema(table.table(1))
        expect("the footer has the schema", (self.fields, self.notes) == (fields, notes))
        expect("the footer has the places", (table.structs(2, "<qiiq"), table.structs(3, "<qiiq")) == (self.dictionaries, self.blocks))

    def arrays(self):
        """Values and what is known, by name."""
        import numpy
        found = {}
        for field in self.fields:
            parts = self.parts.get(field["name"], [])
            shape = (0, field["list"]) if field["list"] else (0,)
            values = [part[0] for part in parts] or [numpy.zeros(shape, {FLOAT: "f8", UTF8: "U1"}.get(field["kind"], "i4"))]
            found[field["name"]] = (numpy.concatenate(values), numpy.concatenate([part[1] for part in parts] or [numpy.zeros(shape, bool)]))
        return found


def field_of(table):
    kind, how = table.number(2, "<B"), table.table(3)
    field = {"name": table.text(0), "nullable": table.number(1, "<B"), "kind": kind, "list": 0, "dictionary": None,
             "notes": {one.text(0): one.text(1) for one in table.tables(6)},
             "type": {INT: lambda: "%sint%d" % ("" if how.number(1, "<B") else "u", how.number(0, "<i")),
                      FLOAT: lambda: "float%d" % (16 << how.number(0, "<h")), TIMESTAMP: lambda: (how.number(0, "<h"), how.text(1))}.get(kind, str)()}
    expect("children are there, though none", table.place(5) is not None)
    if table.place(4) is not None:
        encoding = table.table(4)
        expect("numbers of a dictionary", encoding.table(1).number(0, "<i") == 32 and encoding.table(1).number(1, "<B") == 1)
        field["dictionary"] = encoding.number(0, "<q")
    if kind == LIST:
        element = field_of(table.tables(5)[0])
        field.update(kind=element["kind"], type=element["type"], list=how.number(0, "<i"))
    return field


class Batch:
    def __init__(self, table, body):
        self.rows, self.body = table.number(0, "<q"), body
        self.nodes, self.buffers = table.structs(1, "<qq"), table.structs(2, "<qq")
        expect("buffers are aligned, in order, and inside", all(at % 64 == 0 and at + length <= len(body) for at, length in self.buffers) and
               all(a[0] + a[1] <= b[0] for a, b in zip(self.buffers, self.buffers[1:])), self.buffers)
        self.node = self.buffer = 0

    def take(self):
        at, length = self.buffers[self.buffer]
        self.buffer += 1
        return self.body[at:at + length]

    def bits(self, raw, count):
        import numpy
        return numpy.unpackbits(numpy.frombuffer(raw, "u1"), bitorder="little", count=count).astype(bool)

    def known(self, length):
        """Which values of the next node are there."""
        import numpy
        told, nulls = self.nodes[self.node]
        self.node += 1
        raw = self.take()
        known = self.bits(raw, length) if raw else numpy.ones(length, bool)
        expect("a node", told == length and int((~known).sum()) == nulls and (nulls == 0) == (raw == b""), told, length, nulls, len(raw))
        return known

    def texts(self, kind):
        import numpy
        length = self.nodes[self.node][0]
        known = self.known(length)
        offsets = numpy.frombuffer(self.take(), "<i4")
        raw = self.take()
        expect("offsets of texts", len(offsets) == length + 1 and offsets[0] == 0 and offsets[-1] == len(raw) and (numpy.diff(offsets) >= 0).all(), offsets)
        values = [raw[a:b] for a, b in zip(offsets.tolist(), offsets.tolist()[1:])]
        return numpy.array([one.decode() for one in values] if kind == UTF8 else values, "U" if kind == UTF8 else "S"), known

    def field(self, field, words):
        import numpy
        if field["dictionary"] is not None:
            known, numbers = self.known(self.rows), numpy.frombuffer(self.take(), "<i4")
            return numpy.array([words[field["dictionary"]][k] if there else "" for k, there in zip(numbers, known)], "U"), known
        if field["kind"] in (UTF8, BINARY):
            return self.texts(field["kind"])
        count = self.rows * (field["list"] or 1)
        whole = self.known(self.rows) if field["list"] else None
        known, raw = self.known(count), self.take()
        kind = {FLOAT: "<f8", TIMESTAMP: "<M8[ns]"}.get(field["kind"]) or field["type"]
        values = self.bits(raw, count) if field["kind"] == BOOL else numpy.frombuffer(raw, kind)
        if field["kind"] == TIMESTAMP:
            values = numpy.where(known, values, numpy.datetime64("NaT"))
        if field["kind"] == FLOAT:
            values = numpy.where(known, values, numpy.nan)
        expect("values", len(values) == count, field["name"])
        if field["list"]:
            known, values = known.reshape(self.rows, -1), values.reshape(self.rows, -1)
            expect("a list is null if all its elements are", (whole == known.any(axis=1)).all(), field["name"])
        return values, known

    def finish(self):
        expect("every node and buffer belongs to a field", (self.node, self.buffer) == (len(self.nodes), len(self.buffers)), self.node, self.buffer)


def read(path):
    with open(path, "rb") as file:
        return Arrow(file.read())


def compare(what, arrow, path):
    arrays = arrow.arrays()
    batches = arrow.batches
    expect(what + ": metadata of batches are equally long", len({length for _, length, _ in batches}) <= 1, batches[:5])
    expect(what + ": all fields may be null", all(field["nullable"] for field in arrow.fields))
    return check_table(what, read_csv(path), {name: values for name, (values, _) in arrays.items()}, lambda name: arrays[name][1])


# ---- samples ---------------------------------------------------------------------------------------------------------


def check_samples(folder, pairs):
    """Every stream of every sample, in both directions, as files and as streams."""
    values = 0
    for i, sample in enumerate(share(samples(), 6, "samples")):
        name, ending = os.path.basename(sample).partition(".")[0], ("arrow", "arrows")[i % 2]
        for what, path, table in pairs_of(folder, name, ending, sample) + pairs_of(folder, name + "-to", ending, "--to-robot", sample):
            arrow = read(path)
            expect(what + ": a file or a stream", arrow.is_file == (ending == "arrow"))
            values += compare(what, arrow, table)
            types = {field["name"]: field["type"] for field in arrow.fields}
            expect(what + ": times", types["time"] == (3, "UTC") and types["time_ns"] == "int64", types["time"])
            check_notes(what, arrow)
            check_field_notes(what, {field["name"]: field["notes"] for field in arrow.fields}, arrow.notes)
            pairs.append((what, path, table))
    expect("values", values > (200000 if ALL else 5000), values)
    return values


def check_notes(what, arrow):
    notes = arrow.notes
    expect(what + ": version", VERSION.startswith("armtap %s\n" % notes["armtap.version"]), notes)
    if arrow.batches:
        expect(what + ": robot", notes["armtap.robot"].rpartition(":")[2].isdigit() and notes["armtap.stream"].isdigit() and
               notes["armtap.direction"] in ("from the robot", "to the robot"), notes)
    names = {field["name"] for field in arrow.fields}
    for key in "armtap.units", "armtap.enums", "armtap.bits":
        expect("%s: %s" % (what, key), set(json.loads(notes.get(key, "{}"))) <= names, notes.get(key))


def check_field_notes(what, of_fields, notes):
    """A field has the unit that `armtap fields` lists, and what the schema, like Parquet's, lists by column."""
    for name, found in of_fields.items():
        wanted = {key: json.loads(notes[key])[name] for key in ("armtap.units", "armtap.enums", "armtap.bits") if name in json.loads(notes.get(key, "{}"))}
        got = {key: text if key == "armtap.units" else json.loads(text) for key, text in found.items()}
        expect("%s: metadata of %s" % (what, name), got == wanted, found, wanted)
        unit = (column_tables.field_of(name) or {}).get("unit")
        if unit not in (None, "enum", "bits"):
            expect("%s: unit of %s" % (what, name), found.get("armtap.units") == unit, found, unit)


def check_options(folder, pairs):
    """Streams through pipes; modes as dictionaries; all streams in one table; columns that are not fields; no rows."""
    sample = SAMPLES + "/rtde-stop.pcap"
    run("export", sample, "-o", folder + "/s.arrows")
    with open(folder + "/s.arrows", "rb") as file:
        whole = file.read()
    for more in (), ("-o", "-"), ("--threads", "1"), ("--threads", "5"), ("-o", "/dev/fd/1"):
        expect("a pipe: " + " ".join(more), run("export", "-f", "arrow", *more, sample).stdout == whole)
    with open(sample, "rb") as file:
        capture = file.read()
    for more, is_late in ((("-f", "arrow"), False), (("-o", folder + "/t.arrow"), True)):
        said = run("export", "-", *more, input=capture).stderr
        expect("rows of a stream can be read while they come: " + " ".join(more), (b"readable only when complete" in said) == is_late, said)
    rows = "time_ns,packet,stream,file,robot,client,protocol,lost_bytes,lost_s,robot_time,actual_q_3,*"
    for fields, enums in ((rows, "number"), ("time_ns,*", "both"), ("time_ns,*", "name")):
        more = () if enums == "number" else ("--enums", enums)
        for what, path, table in pairs_of(folder, "options-" + enums, "arrow", *more, sample, fields=fields):
            arrow = read(path)
            compare(what + " " + enums, arrow, table)
            pairs.append((what + " " + enums, path, table))
            named = {field["name"]: field for field in arrow.fields if field["dictionary"] is not None}
            expect("dictionaries: " + enums, (len(named) > 1) == (enums != "number"), named.keys())
            words = [arrow.words[field["dictionary"]] for field in named.values()]
            expect("all names are there, once", all(len(set(one)) == len(one) > 1 for one in words) and (not words or any("RUNNING" in one for one in words)), words)
    both = [SAMPLES + "/cb2-812.pcap.gz", SAMPLES + "/rtde-v3.pcapng"]
    run("export", *both, "--union", "-o", folder + "/union.arrow")
    run("export", *both, "--union", "-o", folder + "/union.csv", "--fields", "time_ns,*")
    union = read(folder + "/union.arrow")
    compare("union", union, folder + "/union.csv")
    pairs.append(("union", folder + "/union.arrow", folder + "/union.csv"))
    expect("nulls of a union", sum(int((~known).sum()) for _, known in union.arrays().values()) > 1000 and "armtap.robot" not in union.notes)
    for ending in "arrow", "arrows":
        run("export", "--from", "2100-01-01T00:00:00Z", sample, "-o", "%s/none.%s" % (folder, ending))
        none = read("%s/none.%s" % (folder, ending))
        expect("no rows: " + ending, not none.batches and len(none.fields) > 10 and none.is_file == (ending == "arrow"))
    refused = run("export", sample, "-f", "arrow", "-o", folder + "/x.arrow.gz", status=(2,)).stderr
    expect("no .gz", b"remove .gz" in refused, refused)


def check_names(folder, pairs):
    """A mode without a name is null where names alone are asked for, which is said; numbers that need all of their bits; names."""
    columns = [("robot_mode", "INT32"), ("x", "UINT64"), ("truth", "BOOL"), ("same", "DOUBLE"), ("n" * 5000, "INT32"), ("time", "DOUBLE")]
    rows = [((7, 99)[i == 3], 2**64 - 1 - i, i % 2 == 1, float("nan") if i == 2 else -0.0, -i, i) for i in range(5)]
    make_rtde(folder + "/names.pcap", columns, [struct.pack(">iQ?did", *row) for row in rows])
    run("export", folder + "/names.pcap", "-o", folder + "/names.arrow")
    run("export", folder + "/names.pcap", "--fields", "time_ns,*", "-o", folder + "/names.csv")
    compare("names", read(folder + "/names.arrow"), folder + "/names.csv")
    pairs.append(("names", folder + "/names.arrow", folder + "/names.csv"))
    done = run("export", folder + "/names.pcap", "--enums", "name", "-o", folder + "/modes.arrow")
    values, known = read(folder + "/modes.arrow").arrays()["robot_mode"]
    expect("a number without a name is null", values.tolist() == ["RUNNING"] * 3 + ["", "RUNNING"] and known.tolist() == [True] * 3 + [False, True], values)
    expect("it is said", b"robot_mode: 1 value without a name" in done.stderr and b"--enums number or both" in done.stderr, done.stderr)
    run("export", "--grid", "100ms", "--union", "--label", "10.0.0.7=a/b \N{GRINNING FACE}", SAMPLES + "/rtde-stop.pcap", "-o", folder + "/label.arrow")
    expect("names of a label", "a/b \N{GRINNING FACE}_actual_q" in read(folder + "/label.arrow").arrays())


def check_large(folder):
    """Several batches, of bounded size; some columns absent in the first half; the same by three threads."""
    parquet = load("parquet-check")
    count = 18000
    parquet.make_large(folder + "/dump", count, (1060, 1220))
    for threads in "1", "3":
        run("export", "--raw", "realtime", folder + "/dump", "-o", "%s/large%s.arrow" % (folder, threads), "--threads", threads)
    one, other = (read("%s/large%s.arrow" % (folder, threads)) for threads in "13")
    expect("the same by three threads", one.content == other.content)
    expect("batches", len(one.batches) > 1 and sum(rows for rows, _, _ in one.batches) == count and max(size for _, _, size in one.batches) < 17 << 20, one.batches)
    expect("metadata of batches are equally long", len({length for _, length, _ in one.batches}) == 1, one.batches)
    if ALL:
        run("export", "--raw", "realtime", folder + "/dump", "-o", folder + "/large.csv", "--fields", "time_ns,*")
        compare("large", one, folder + "/large.csv")
    else:
        check_bits(folder, one, count // 2)


def check_bits(folder, arrow, half):
    """Doubles with any bits, as in the packets."""
    import numpy
    with open(folder + "/dump", "rb") as file:
        long = numpy.frombuffer(file.read()[half * 1060:], numpy.uint8).reshape(half, 1220)
    arrays, values = arrow.arrays(), 0
    for offset, name, many in load("parquet-check").layout(1220):
        if name in arrays and arrays[name][0].dtype.kind == "f":
            wanted = numpy.ascontiguousarray(long[:, offset:offset + 8 * many]).view(">u8").astype("<u8")
            expect("bits of " + name, (arrays[name][0][half:].copy().view("<u8").reshape(half, many) == wanted).all() and arrays[name][1][half:].all())
            values += half * many
    expect("values with any bits", values > 10**6, values)


def check_by_theirs(pairs):
    """The same by apache-arrow."""
    missing = node_readers.missing("apache-arrow")
    if missing:
        lacks(missing, "Arrow by apache-arrow")
        return 0
    done = node_readers.ask("arrow.mjs", {"pairs": [{"name": name, "arrow": path, "csv": table} for name, path, table in pairs]})
    expect("node", done.returncode == 0 and done.stdout.startswith("{"), done.returncode, done.stderr)
    said = json.loads(done.stdout) if done.stdout.startswith("{") else {"errors": [], "files": {}}
    for error in said["errors"]:
        expect("same values by apache-arrow", False, error)
    expect("every table was read", len(said["files"]) == len(pairs), len(said["files"]), len(pairs))
    for name, one in said["files"].items():
        check_field_notes(name + " by apache-arrow", one["ofFields"], one["notes"])
        expect(name + ": as apache-arrow has it", one["types"]["time"] == "Timestamp<NANOSECOND, UTC>" and "armtap.version" in one["notes"] and one["nullable"], one)
    modes = [one["ofFields"]["robot_mode"] for one in said["files"].values() if "robot_mode" in one["ofFields"]]
    expect("names of modes", any(json.loads(notes.get("armtap.enums", "{}")).get("7") == "RUNNING" for notes in modes), modes)
    return sum(one["values"] for one in said["files"].values())


def main():
    if not column_tables.has_numpy() and sys.executable != DEBIAN and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    if not column_tables.has_numpy():
        lacks("numpy")
        return 77
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        values = check_samples(folder, pairs)
        check_options(folder, pairs)
        check_names(folder, pairs)
        check_large(folder)
        theirs = check_by_theirs(pairs)
    print("%d values are equal in Arrow and CSV, %d by apache-arrow" % (values, theirs))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
