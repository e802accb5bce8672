#!/usr/bin/env python3
"""Parquet, read by hyparquet and by DuckDB (tests/node/parquet.mjs): every value of every sample equals the CSV's, doubles to the
last bit, NaN and null apart; the ranges that readers skip row groups by; types, units and names in the metadata.

Skipped without node or its packages (node_readers.py)."""
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

import node_readers
from tally import ALL, expect, finish, lacks

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
TESTS = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "tests")
SAMPLES = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "captures")
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
BUILT_IN = [name for name in ("lz4", "zstd") if "built without lib" + name not in VERSION] + ["none"]


def export(*arguments, status=(0,)):
    done = subprocess.run([ARMTAP, "export", *arguments], capture_output=True, check=False)
    expect("export %s: status" % " ".join(arguments), done.returncode in status, done.returncode, done.stderr.decode())
    return done.stdout


def read(pairs, queries=None, **how):
    """What the readers found in pairs of files, and their answers to queries."""
    pairs = [{"name": name, "parquet": parquet, "csv": table} for name, parquet, table in pairs]
    done = node_readers.ask("parquet.mjs", {"queries": queries or {}, "pairs": pairs}, **how)
    expect("node", done.returncode == 0 and done.stdout.startswith("{"), done.returncode, done.stderr.replace("\n", " "))
    if not done.stdout.startswith("{"):
        return {}, {}
    said = json.loads(done.stdout)
    for error in said["errors"]:
        expect("same values", False, error)
    return said["files"], said["answers"]


def split(folder, name, ending, *arguments):
    """The files of an export with --split, by stream and part."""
    export(*arguments, "--split", "-o", "%s/%s.%s" % (folder, name, ending))
    return {path.rsplit(".", 2)[1]: path for path in glob.glob("%s/%s.*.%s" % (folder, name, ending))}


def pairs_of(folder, name, *arguments, fields="time_ns,*"):
    tables = split(folder, name, "csv", *arguments, "--fields", fields)
    files = split(folder, name, "parquet", *arguments, *(() if fields == "time_ns,*" else ("--fields", fields)))
    expect("%s: the same tables" % name, tables.keys() == files.keys(), tables, files)
    return [("%s %s" % (name, table), files[table], tables[table]) for table in tables if table in files]


# ---- samples ---------------------------------------------------------------------------------------------------------


def check_samples(folder):
    """Every stream of every sample, in both directions."""
    samples = sorted(glob.glob(SAMPLES + "/*.pcap*"))
    if "without AUBO" in VERSION:
        samples = [name for name in samples if "aubo" not in name]
    expect("samples", len(samples) > 10, samples)
    pairs = []
    for sample in samples:
        name = os.path.basename(sample).partition(".")[0]
        pairs += pairs_of(folder, name, sample) + pairs_of(folder, name + "-to", "--to-robot", sample)
    found, _ = read(pairs)
    expect("every table was read", len(found) == len(pairs) > len(samples), len(found), len(pairs))
    values = sum(one["values"] for one in found.values())
    expect("values", values > 300000 and sum(one["ranges"] for one in found.values()) > 1000, values)
    for one in found.values():
        expect("nothing is required", {kind[2] for kind in one["types"].values()} == {"OPTIONAL"}, one["types"])
        expect("sorted by time", one["sorted"] or one["rows"] == 0, one)
        expect("created by", one["created_by"].startswith("armtap version ") and "(build " in one["created_by"], one)
    check_types(found)
    check_notes(found)
    return values


def check_types(found):
    """A name has one type, in legacy packets and in every RTDE; the field table says which."""
    types = {}
    for one in found.values():
        for name, kind in one["types"].items():
            if one["notes"].get("armtap.protocol") in ("realtime", "rtde"):
                expect("one type of " + name, types.setdefault(name, kind) == kind, types[name], kind)
    physical = {"DOUBLE": ["DOUBLE", None], "INT32": ["INT32", None], "UINT32": ["INT32", "UINT_32"], "BOOL": ["BOOLEAN", None],
                "UINT8": ["INT32", "UINT_8"], "UINT64": ["INT64", None]}
    checked = 0
    for field in json.loads(subprocess.run([ARMTAP, "fields", "--json"], capture_output=True, check=True).stdout):
        name = field["name"] if field["count"] == 1 else field["name"] + "_0"
        kind = {"VECTOR3D": "DOUBLE", "VECTOR6D": "DOUBLE", "VECTOR6INT32": "INT32", "VECTOR6UINT32": "UINT32"}.get(
            field["type"], field["type"])
        if name in types:
            checked += 1
            expect("type of " + name, types[name][:2] == physical[kind], types[name], kind)
    expect("types", checked > 50 and types["time"][:2] == ["INT64", "TIMESTAMP_MICROS"] and types["time_ns"][:2] == ["INT64", None])


def check_notes(found):
    """Units and names of values, as `armtap fields` has them; "m, rad" is the unit of three elements and of three."""
    wanted = {}
    for field in json.loads(subprocess.run([ARMTAP, "fields", "--json"], capture_output=True, check=True).stdout):
        for k in range(field["count"]):
            parts = (field["unit"] or "").split(", ")
            column = field["name"] if field["count"] == 1 else "%s_%d" % (field["name"], k)
            wanted[column] = parts[k // 3] if len(parts) == 2 else field["unit"]
    for name, one in found.items():
        notes = one["notes"]
        expect(name + ": version", VERSION.startswith("armtap %s\n" % notes["armtap.version"]), notes["armtap.version"])
        if one["rows"] == 0:
            continue
        expect(name + ": robot", notes["armtap.robot"].rpartition(":")[2].isdigit() and notes["armtap.stream"].isdigit() and
               notes["armtap.protocol"] in ("realtime", "rtde", "primary", "dashboard", "external_control", "aubo") and
               notes["armtap.direction"] in ("from the robot", "to the robot"), notes)
        for column, unit in json.loads(notes.get("armtap.units", "{}")).items():
            expect("%s: unit of %s" % (name, column), column in one["types"], column)
            if column in wanted:
                expect("%s: unit of %s" % (name, column), wanted[column] == unit, unit)
        for column, names in json.loads(notes.get("armtap.enums", "{}")).items():
            expect("%s: names of %s" % (name, column), column in one["types"] and len(names) > 1, names)
    modes = json.loads(found["e-series-1220 0"]["notes"]["armtap.enums"])
    expect("robot_mode", modes["robot_mode"]["7"] == "RUNNING" and modes["joint_mode_5"]["255"] == "IDLE", modes)
    units = json.loads(found["e-series-1220 0"]["notes"]["armtap.units"])
    expect("units", units["actual_q_3"] == "rad" and units["timestamp"] == "s" and "robot_mode" not in units, units)
    pose = [units["actual_TCP_pose_%d" % k] for k in range(6)]
    expect("units of a pose", pose == ["m", "m", "m", "rad", "rad", "rad"], pose)
    cb2 = json.loads(found["cb2-812 0"]["notes"]["armtap.enums"])
    expect("robot_mode of CB2", cb2["robot_mode"]["0"] == "RUNNING", cb2)


# ---- options -------------------------------------------------------------------------------------------------------------


def check_options(folder):
    """Every compression, the dialect, columns that are not fields, modes by name, all streams in one table."""
    sample, pairs, wanted = SAMPLES + "/rtde-stop.pcap", [], {}
    table = folder + "/stop.csv"
    export(sample, "-o", table, "--fields", "time_ns,*")
    codecs = {"zstd": "ZSTD", "lz4": "LZ4_RAW", "none": "UNCOMPRESSED"}
    for how in BUILT_IN:
        for dialect in ("", "small"):
            name = "stop-%s%s" % (how, dialect)
            path = "%s/%s.parquet" % (folder, name)
            export(sample, "-o", path, "--compression", how, "--dialect", dialect)
            pairs.append((name, path, table))
            wanted[name] = (codecs[how], {"PLAIN", "RLE"} | ({"BYTE_STREAM_SPLIT"} if dialect else set()))
    rows = "time_ns,packet,file,stream,robot,client,protocol,direction,lost_bytes,lost_s,skipped,*"
    pairs += pairs_of(folder, "rows", sample, fields=rows)
    pairs += pairs_of(folder, "modes", "--enums", "both", sample)
    for name, more in (("union", ()), ("union-names", ("--enums", "name"))):
        both = [SAMPLES + "/cb2-812.pcap.gz", SAMPLES + "/rtde-v3.pcapng", *more]
        export(*both, "--union", "-o", "%s/%s.parquet" % (folder, name))
        export(*both, "--union", "-o", "%s/%s.csv" % (folder, name), "--fields", "time_ns,*")
        # The CSV has time_ns behind robot, stream and protocol.
        with open("%s/%s.csv" % (folder, name), newline="", encoding="utf-8") as file:
            cells = [row[:1] + [row[4]] + row[1:4] + row[5:] for row in csv.reader(file)]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(cells)
        with open("%s/%s.csv" % (folder, name), "w", encoding="utf-8") as file:
            file.write(text.getvalue())
        pairs.append((name, "%s/%s.parquet" % (folder, name), "%s/%s.csv" % (folder, name)))
    found, _ = read(pairs)
    for name, (codec, encodings) in wanted.items():
        expect(name, found[name]["codecs"] == [codec] and set(found[name]["encodings"]) == encodings, found[name])
    expect("modes by name", found["modes 0"]["types"]["robot_mode_name"][:2] == ["BYTE_ARRAY", "UTF8"], found["modes 0"]["types"])
    expect("nulls of a union", found["union"]["nulls"] > 1000 and "armtap.robot" not in found["union"]["notes"], found["union"])
    for threads in ("1", "2", "5", "16"):
        for how in BUILT_IN:
            with open("%s/stop-%s.parquet" % (folder, how), "rb") as file:
                expect("the same by %s threads" % threads,
                       export("-f", "parquet", "--compression", how, "--threads", threads, sample) == file.read())


# ---- a large stream --------------------------------------------------------------------------------------------------


def layout(size):
    with open(TESTS + "/unit/data/realtime_layout.csv", encoding="utf-8") as file:
        rows = [row for row in csv.reader(line for line in file if line[0] not in "#s") if row[0] == str(size)]
    return [(int(offset), name, int(count)) for _, offset, name, count in rows]


def make_large(path, count, kinds):
    """Legacy packets of two sizes, so that some columns are absent for a while, with any bits in their doubles."""
    chance = random.Random(1)
    whole = ("robot_mode", "joint_mode", "safety_mode", "program_state", "actual_digital_input_bits", "actual_digital_output_bits",
             "runtime_state", "safety_status", "timestamp")
    special = [float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 5e-324, 1.7976931348623157e308, 0.1]
    places = {size: [offset + 8 * k for offset, name, many in layout(size) if name not in whole for k in range(many)]
              for size in kinds}
    with open(path, "wb") as out:
        for i in range(count):
            size = kinds[i * len(kinds) // count]
            packet = bytearray(struct.pack(">I", size)) + bytearray(size - 4)
            for place in places[size]:
                packet[place:place + 8] = chance.randbytes(8)
            packet[4:12] = struct.pack(">d", i / 500)
            for place in chance.sample(places[size], 10):
                packet[place:place + 8] = struct.pack(">d", chance.choice(special))
            out.write(packet)


def check_large(folder):
    """More than one row group; absent values; doubles with any bits; no times, as in a raw dump."""
    dump = folder + "/dump"
    make_large(dump, 18000, (1060, 1220))
    first, second, table = folder + "/large1.parquet", folder + "/large2.parquet", folder + "/large.csv"
    export("--raw", "realtime", dump, "-o", first, "--threads", "1")
    export("--raw", "realtime", dump, "-o", second, "--threads", "3")
    export("--raw", "realtime", dump, "-o", table, "--fields", "time_ns,*")
    with open(first, "rb") as one, open(second, "rb") as other:
        expect("the same by three threads", one.read() == other.read())
    # Doubles in order: a reader that skips row groups by their ranges finds as many rows as one that does not.
    queries, columns = {}, ("actual_q_0", "actual_qd_5", "actual_TCP_force_2", "speed_scaling")
    for column in columns:
        for bound in (-1e300, -1.0, 0.0, 1e-300, 1e300):
            of = "select count(*) from %s where %s < %r"
            queries["%s %r" % (column, bound)] = of % ("read_parquet('%s')" % first, column, bound)
            queries["%s %r all" % (column, bound)] = of % ("(select %s + 0 * row_number() over () as %s from read_parquet('%s'))" %
                                                           (column, column, first), column, bound)
    found, answers = read([("large", first, table)], queries)
    large = found["large"]
    expect("row groups", large["groups"] > 1 and large["rows"] == 18000, large["groups"], large["rows"])
    expect("absent values and NaN", large["nulls"] > 100000 and large["nans"] > 1000, large["nulls"], large["nans"])
    for column in columns:
        for bound in (-1e300, -1.0, 0.0, 1e-300, 1e300):
            name = "%s %r" % (column, bound)
            expect("rows with " + name, int(answers[name][0][0]) > 0 and answers[name] == answers[name + " all"], answers[name])
    return large["values"]


def main():
    lacking = node_readers.missing("@duckdb")
    if lacking:
        lacks(lacking)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        values = check_samples(folder)
        check_options(folder)
        values += check_large(folder) if ALL else 0  # a million values: in make check-all
    print("%d values are equal in Parquet and CSV" % values)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
