#!/usr/bin/env python3
"""The Python package: every value of every sample equals the CSV's, bit by bit, as arrays and as DataFrame; streams and diagnoses equal
the JSON's; records one by one, live from `armtap serve`; errors, warnings, awkward sources; the program ends with a closed generator and
with Ctrl-C; the wheel, installed in a virtual environment.

Skipped without numpy and pandas. Debian's Python has both."""
import ast
import csv
import importlib.util
import inspect
import io
import json
import os
import pydoc
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import typing
import warnings
import zipfile

from tally import ALL, decodable, expect, finish, lacks, share, until

DEBIAN = "/usr/bin/python3"
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
TOP = os.path.abspath(os.environ.get("srcdir", "."))
SAMPLES = TOP + "/captures/"
STOP = SAMPLES + "rtde-stop.pcap"
SEVERAL = SAMPLES + "several-clients.pcapng"
KINDS = {"DOUBLE": "float64", "INT32": "int32", "UINT32": "uint32", "UINT64": "uint64", "UINT8": "uint8", "BOOL": "bool",
         "VECTOR3D": "float64", "VECTOR6D": "float64", "VECTOR6INT32": "int32", "VECTOR6UINT32": "uint32"}
OLDEST = (3, 9)

sys.path.insert(0, TOP + "/python")
os.environ["ARMTAP"] = ARMTAP


def said(*words):
    return subprocess.run([ARMTAP, *words], capture_output=True, text=True, check=False).stdout


def raised(what, act, kind=None):
    """The exception of an act, or None after a failure."""
    import armtap
    try:
        act()
    except kind or armtap.Error as error:
        return error
    expect(what + " raises", False)
    return None


def children():
    """Processes of this one."""
    found = set()
    for thread in os.listdir("/proc/self/task"):
        with open("/proc/self/task/%s/children" % thread, encoding="ascii") as file:
            found |= set(map(int, file.read().split()))
    return found


# ---- values ------------------------------------------------------------------------------------------------------------


def flat(table):
    """Each column of a table by the name that the CSV has for it."""
    for name, array in table.items():
        if array.ndim == 1:
            yield name, array
        else:
            yield from (("%s_%d" % (name, i), array[:, i]) for i in range(array.shape[1]))


def cell(value):
    """What a cell of the CSV says, worked out from a value."""
    import numpy
    if value is numpy.ma.masked:
        return ""
    if isinstance(value, numpy.datetime64):
        return "%d.%09d" % divmod(value.astype("int64"), 10**9)
    return "" if value is None else str(int(value)) if isinstance(value, (bool, numpy.bool_, numpy.integer)) else str(value)


def differs(text, value):
    """Whether a value is another one than the CSV's text."""
    import numpy
    if isinstance(value, numpy.float64):
        return value == value if text == "" else struct.pack("<d", float(text)) != struct.pack("<d", value) if value == value else text != "nan"
    if isinstance(value, numpy.bool_) and text in ("True", "False"):
        text = str(int(text == "True"))
    return json.loads(text) != value if isinstance(value, (dict, list)) else cell(value) != text


def same_values(what, table, rows):
    columns = dict(flat(table))
    columns.pop("time_ns")
    expect(what + ": columns", list(columns) == rows[0], list(columns), rows[0])
    for i, (name, array) in enumerate(columns.items()):
        expect("%s: %s has a value a row" % (what, name), len(array) == len(rows) - 1, len(array), len(rows))
        wrong = [(row[i], value) for row, value in zip(rows[1:], array) if differs(row[i], value)]
        expect("%s: %s" % (what, name), not wrong, wrong[:3])
    return len(columns) * (len(rows) - 1)


def same_frame(what, table, frame):
    """The DataFrame has the same values, types, and absent ones."""
    import numpy
    wanted = {name: array for name, array in flat(table) if name not in ("time", "time_ns")}
    expect(what + ": columns of the frame", list(frame.columns) == list(wanted), list(frame.columns))
    times = table["time_ns"]
    expect(what + ": index", list(frame.index.asi8) == list(times) and str(frame.index.tz) == "UTC" if times.size else len(frame) == 0, frame.index)
    for name, array in wanted.items():
        column = frame[name]
        if isinstance(array, numpy.ma.MaskedArray):
            absent = numpy.ma.getmaskarray(array)
            same = list(column.isna()) == list(absent) and list(column[~absent]) == list(array[~absent])
            same &= array.dtype.kind == "U" or str(column.dtype).lower() == {"bool": "boolean"}.get(array.dtype.name, array.dtype.name)
        else:
            same = column.to_numpy().tobytes() == array.tobytes() if array.dtype.kind not in "UO" else list(column) == list(array)
        expect("%s: %s in the frame" % (what, name), same, column.dtype, array.dtype)


def check_samples():
    """Every stream of every sample."""
    import armtap
    types = {field.name: KINDS.get(field.type) for field in armtap.fields()}
    values = streams = 0
    for path in share(decodable(sorted(SAMPLES + name for name in os.listdir(SAMPLES) if ".pcap" in name)), 2, "samples, read by Python"):
        capture = armtap.open(path)
        told = json.loads(said("info", "--json", path), parse_float=str)["streams"]
        expect("streams of " + path, [(one.stream, one.robot, one.client, one.protocol, one.records, list(one.fields)) for one in capture.streams] ==
               [(one["stream"], one["robot"], one["client"], one["protocol"], one["records"], one["fields"]) for one in told], capture.streams)
        expect("times of " + path, [cell(one.first_time) if one.first_time is not None else None for one in capture.streams] ==
               [one["first_time"] for one in told], capture.streams)
        for stream in capture.streams:
            if stream.records == 0:
                continue
            what = "%s, stream %d" % (os.path.basename(path), stream.stream)
            how, words = {"stream": stream}, ["--stream", str(stream.stream)]
            try:
                table = capture.read(**how)
            except armtap.SeveralStreams:  # of several recipes
                how, words = {"union": True}, ["--union"]
                table = capture.read(**how)
            rows = list(csv.reader(io.StringIO(said("export", *words, path))))
            values += same_values(what, table, rows)
            same_frame(what, table, table.to_pandas())
            wrong = [name for name, array in table.items() if types.get(name, array.dtype.name) not in (None, array.dtype.name)]
            expect(what + ": types", stream.protocol == "aubo" or not wrong, wrong)
            streams += 1
    expect("streams and values", streams > (25 if ALL else 10) and values > (200000 if ALL else 50000), streams, values)
    print("values equal to the CSV's: %d of %d streams" % (values, streams))


def check_table():
    """What a table is: writable arrays that outlive all else, units, an exact time."""
    import numpy
    import pandas
    import armtap
    capture = armtap.open(STOP)
    table = capture.read(fields=["actual_q", "actual_TCP_force", "robot_mode"])
    expect("a vector", table["actual_q"].shape == (243, 6) and table.units["actual_q"] == "rad", table)
    expect("times", table["time"].dtype == "datetime64[ns]" and table["time_ns"].dtype == "int64" and table["time_ns"][0] == 1769860800008054320, table["time_ns"][:1])
    table["actual_q"][0, 0] = 5
    expect("arrays can be written to", table["actual_q"][0, 0] == 5 and capture.read(fields="actual_q")["actual_q"][0, 0] != 5)
    expect("a table shows itself", all(text in repr(table) for text in ("243 records", "float64 x 6  rad", "int32")), repr(table))
    frame = capture.to_pandas(fields="actual_TCP_force,actual_q")
    elements = {name: capture.read(fields=name).units.get(name) for name in frame.columns}
    expect("units by column", frame.attrs["units"] == elements and set(elements.values()) == {"N", "Nm", "rad"}, frame.attrs, elements)
    one = frame["actual_q_0"].iloc[0]
    expect("a frame", (one, frame.attrs["robot"]) == (-0.9965829849243164, "10.0.0.7:30004") and frame.index[0].value == 1769860800008054320)
    alike = armtap.Table({"a_0": numpy.array([1.]), "a": numpy.array([[2., 3.]])}, {"units": {"a": "m"}}).to_pandas()
    expect("columns of one name", alike.to_dict("list") == {"a_0": [1.], "a_0_2": [2.], "a_1": [3.]} and alike.attrs["units"] == {"a_0_2": "m", "a_1": "m"}, alike)
    raised("no fields at all", lambda: capture.read(fields=[]))
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        expect("no rows", capture.read(start=100).rows == 0 and len(capture.to_pandas(start=100)) == 0)
    moments = (0.5, "+0.5", pandas.Timestamp("2026-01-31T12:00:00.5Z"), numpy.datetime64("2026-01-31T12:00:00.5"),
               pandas.Timestamp("2026-01-31T13:00:00.5+01:00").to_pydatetime(), pandas.Timedelta("0.5s"), numpy.timedelta64(500, "ms"), 1 / 2)
    wanted = csv_rows = said("export", "--to", "+0.5", STOP).count("\n") - 1
    got = [capture.read(stop=moment).rows for moment in moments]
    expect("moments", {abs(rows - wanted) <= 1 for rows in got} == {True} and csv_rows > 40, got, wanted)
    at = table["time"][10]
    expect("a moment to the nanosecond", capture.read(start=at, stop=at)["time_ns"].tolist() == [int(at.astype("int64"))])
    expect("options", capture.read(every=10).rows == 25 and set(capture.read(enums="name", fields="robot_mode")["robot_mode"]) == {"RUNNING"})
    expect("a short moment", capture.read(start=1e-7).rows == 243 and capture.read(start=numpy.timedelta64(1, "us")).rows == 243)
    expect("fields as objects", list(capture.read(fields=armtap.fields("actual_q")[:1])) == ["time", "time_ns", "actual_q"])
    expect("a copy is a table", table.copy().units == table.units and table.copy() is not table)
    for name in ("to", "from_", "format", "output", "split", "help"):
        given = {name: "5"}
        for act in (lambda: capture.read(**given), lambda: capture.diagnose(**given), lambda: capture.records(**given), lambda: armtap.open(STOP, **given).read()):
            error = raised("an option that is another here", act, TypeError)
            expect("an option that is another here", name + "= is no option here" in str(error), error)
    files = lambda: len(os.listdir("/proc/self/fd"))
    before, kept = files(), [capture.read(fields="timestamp") for _ in range(8)]
    expect("a table that is kept needs no descriptor", files() == before and len(kept) == 8, before, files())
    union = armtap.open(SAMPLES + "rtde-two-recipes.pcap").read(union=True)
    mask = numpy.ma.getmaskarray(union["safety_status"])
    expect("absent integers", union["safety_status"].dtype == "int32" and 0 < mask.sum() < union.rows and
           numpy.isnan(union["actual_TCP_pose"]).any(), union)


# ---- what else a capture has -----------------------------------------------------------------------------------------------


def check_diagnosis():
    import armtap
    path = SAMPLES + "driver-stop.pcap.gz"
    diagnosis = armtap.open(path).diagnose()
    told = json.loads(said("diagnose", "--json", path), parse_float=str)
    expect("findings", [(one.severity, one.id, one.packet, one.text, one.stream, cell(one.time)) for one in diagnosis.findings] ==
           [(one["severity"], one["id"], one["packet"], one["text"], one["stream"], one["time"]) for one in told["findings"]], diagnosis.findings)
    incident, = diagnosis.incidents
    expect("an incident", (incident.what, incident.cause, incident.packet, incident.robot, cell(incident.start)) ==
           ("safety.stop", "ur.error", 480, "10.0.0.7", told["incidents"][0]["from"]) and [one.id for one in incident.evidence] ==
           [told["findings"][i]["id"] for i in told["incidents"][0]["evidence"]] and incident.evidence[0].args["name"] == "PROTECTIVE_STOP", incident)
    expect("in words", "PROTECTIVE_STOP" in str(diagnosis) and str(incident) == incident.text, diagnosis)
    path = SAMPLES + "cb3-1060.pcap.gz"
    expect("another diagnosis", [one.text for one in armtap.open(path).diagnose().incidents] ==
           [one["text"] for one in json.loads(said("diagnose", "--json", path))["incidents"]])
    told = json.loads(said("fields", "--json", "*_mode"))
    field = armtap.fields("actual_q")[0]
    expect("fields", (field.name, field.type, field.count, field.unit) == ("actual_q", "VECTOR6D", 6, "rad") and
           len(armtap.fields()) > 300 and [(one.name, one.meaning) for one in armtap.fields("*_mode")] == [(one["name"], one["meaning"]) for one in told], field)
    shown = repr(armtap.open(SEVERAL))
    expect("a capture shows its streams", shown.count("\n") == 7 and re.search(r"^3 +\[fd00::13\]:30004 .* rtde +137 +500.1 +2$", shown, re.M), shown)


def check_errors():
    import armtap
    error = raised("a file that is not there", lambda: armtap.open("no such file"))
    expect("not there", str(error).startswith("no such file: no such file") and error.status == 2 and error.command[:2] == [ARMTAP, "info"], error)
    error = raised("no capture", lambda: armtap.open(TOP + "/LICENSE").read())
    expect("no capture", error.status == 2 and "LICENSE" in str(error) and type(error) is armtap.Error, error)
    error = raised("several streams", lambda: armtap.open(SEVERAL).read(), armtap.SeveralStreams)
    expect("several streams", [one.stream for one in error.streams] == list(range(6)) and "stream 1: robot 10.0.0.12:30004" in str(error) and
           "union=True" in str(error), error)
    expect("several streams by their message's id", error.ids == {"export.several-tables"}, error.ids)
    error = raised("a field of another robot", lambda: armtap.open(STOP).read(fields="nonsense"))
    expect("no such field", error.status == 2 and "nonsense" in str(error), error)
    expect("an error's name", repr(armtap.Error) == "<class 'armtap.Error'>", armtap.Error)
    raised("two inputs", lambda: armtap.open(b"a", b"b"), ValueError)
    expect("a list of sources", "open(*sources)" in str(raised("a list", lambda: armtap.open([STOP, STOP]), TypeError)))
    error = raised("several recipes", lambda: armtap.open(SAMPLES + "rtde-two-recipes.pcap").read(stream=0), armtap.SeveralStreams)
    expect("several recipes of a stream", [one.stream for one in error.streams] == [0] and str(error).endswith("\nhere: read(union=True)"), error)
    begin = time.monotonic()
    for act in (lambda: armtap.open("rtde://127.0.0.1").read(), lambda: armtap.open("rtde://127.0.0.1").diagnose(), lambda: armtap.open(interface="lo").read(),
                lambda: armtap.open(STOP, follow=True).read(), lambda: armtap.open(STOP).diagnose(follow=True)):
        error = raised("what has no end", act)
        expect("what has no end", "no end" in str(error) and "=10) " in str(error) and time.monotonic() - begin < 1, error)
    expect("a robot shows itself", "live" in repr(armtap.open("rtde://127.0.0.1")))


def check_messages():
    """What the program says for programs: an object a line, with the text for people and without what a terminal would obey."""
    names = ["no such\x1b[31m \"file\" \\ \xff", SEVERAL, STOP]
    ids = []
    for words in (["info", names[0].encode("latin1")], ["export", SEVERAL], ["export", "-f", "ndjson", "--stream", "7", STOP], ["export", "--no-such", STOP]):
        both = [subprocess.run([ARMTAP, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env={**os.environ, "ARMTAP_MESSAGES": form}).stderr.decode().splitlines()
                for form in ("json", "")]
        told = list(map(json.loads, both[0]))
        expect("messages of %s" % words, all(list(one) == ["severity", "id", "time", "text"] and abs(time.time() - one["time"]) < 600 for one in told), told)
        expect("texts of %s" % words, ["armtap: %s%s" % ("warning: " if one["severity"] == "warning" else "", one["text"]) for one in told] == both[1] != [], told, both[1])
        ids += [one["id"] for one in told if one["id"]]
    expect("ids", ids == ["export.several-tables"], ids)
    with open(TOP + "/tools/base/process/message.h", encoding="utf-8") as file, open(TOP + "/tools/manual/armtap.1.in", encoding="utf-8") as manual:
        defined, text = re.findall(r'^#define MESSAGE_\w+ "(.*)"', file.read(), re.M), manual.read()
    expect("ids in the manual", set(ids) < set(defined) and all(".Cm %s\n" % one in text for one in defined), defined)


def check_cut(folder):
    """A capture that ends too early gives what it has, with a warning; one that has nothing is an error."""
    import armtap
    with open(STOP, "rb") as file:
        data = file.read()
    begins = list(packets_of(data))
    whole = armtap.open(data[:begins[200]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cut = armtap.open(data[:begins[200] + 20])
        same = (cut.read().rows, cut.streams, list(cut.records()), str(cut.diagnose())) == (whole.read().rows, whole.streams, list(whole.records()), str(whole.diagnose()))
    expect("a cut capture", same and len(caught) == 4 and all("after packet 200: the file ends" in str(one.message) and one.filename == __file__ for one in caught), caught)
    for length in (10, 30):
        with open(folder + "/cut.pcap", "wb") as file:
            file.write(data[:length])
        for act in (lambda: armtap.open(folder + "/cut.pcap").read(), lambda: list(armtap.open(folder + "/cut.pcap").records())):
            error = raised("a capture without a packet", act)
            expect("a capture without a packet", error.status == 2 and "before the first packet" in str(error), error)


def check_warnings(folder):
    """A hole in the capture is a warning that points at the line that read it; each message is one."""
    import armtap
    with open(STOP, "rb") as file:
        data = file.read()
    begins = [*packets_of(data), len(data)]
    kept = data[:24] + b"".join(data[at:end] for number, (at, end) in enumerate(zip(begins, begins[1:]), 1) if not 150 <= number <= 180)
    with open(folder + "/lossy.pcap", "wb") as file:
        file.write(kept)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = armtap.open(folder + "/lossy.pcap").read(fields="gap_s,gap_cause")
    expect("missing data", caught and all(one.category is armtap.ArmtapWarning and one.filename == __file__ for one in caught) and
           "missing" in str(caught[0].message) and not str(caught[0].message).startswith(("armtap", "warning")), [str(one.message) for one in caught])
    gaps = [(cause, seconds) for cause, seconds in zip(table["gap_cause"].tolist(), table["gap_s"]) if seconds == seconds]
    expect("a gap in a column", len(gaps) == 1 and gaps[0][0] == "lost" and 0.1 < gaps[0][1] < 0.2, gaps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        armtap.open(STOP).read()
        expect("nothing to warn of", True)


# ---- where captures come from ------------------------------------------------------------------------------------------------


def check_sources(folder):
    """Names with blanks and dashes, paths, bytes, several files, standard input, a raw dump."""
    from pathlib import Path
    import armtap
    with open(STOP, "rb") as file:
        data = file.read()
    wanted = armtap.open(STOP).read(fields="packet,actual_q")
    same = lambda table: table["actual_q"].tobytes() == wanted["actual_q"].tobytes() and list(table["time_ns"]) == list(wanted["time_ns"])
    back = os.getcwd()
    os.chdir(folder)
    try:
        for name in ("with blanks; $(x) 'q'.pcap", "-o", "-r.pcap", "r\u00f6\u20ac.pcap", "a:b=c.pcap"):
            shutil.copy(STOP, name)
            expect("a file named " + name, same(armtap.open(name).read(fields="actual_q")) and same(armtap.open(Path(name)).read(fields="actual_q")))
    finally:
        os.chdir(back)
    capture = armtap.open(data)
    expect("bytes", same(capture.read(fields="actual_q")) and same(armtap.open(bytearray(data)).read(fields="actual_q")) and
           capture.streams[0].records == 243 and len(list(capture.records())) == 243, capture)
    one, other = list(capture.records()), capture.records()
    expect("bytes, read twice at once", [next(other), *zip(other, capture.records())][1][1] == one[0])
    capture.close()
    expect("bytes that are gone", "closed" in str(raised("bytes that are gone", capture.read, ValueError)))
    os.rename(folder + "/r\u00f6\u20ac.pcap", os.fsencode(folder) + b"/\xff\xe9.pcap")
    inside = [each for each in os.scandir(os.fsencode(folder)) if each.name == b"\xff\xe9.pcap"]
    expect("a name that is no UTF-8", same(armtap.open(os.fsdecode(inside[0].path)).read(fields="actual_q")) and same(armtap.open(*inside).read(fields="actual_q")), inside)
    middle = next(at for number, at in enumerate(packets_of(data)) if number == 100)
    for name, part in (("1.pcap", data[:middle]), ("2.pcap", data[:24] + data[middle:])):
        with open("%s/%s" % (folder, name), "wb") as file:
            file.write(part)
    expect("several files", same(armtap.open(folder + "/1.pcap", Path(folder) / "2.pcap").read(fields="actual_q")))
    code = "import armtap; c = armtap.open('-'); print(c.streams[0].records, c.read(fields='actual_q').rows, len(list(c.records())))"
    for how in ({"input": data}, {"stdin": open(STOP, "rb")}):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=environment(), **how)
        expect("standard input", done.stdout == b"243 243 243\n", done)
    dump = b"".join(struct.pack(">Id240xd800x", 1060, clock, -0.0) for clock in (1.0, 1.5, 2.0))
    frame = armtap.open(dump, raw="realtime").to_pandas(fields="timestamp,actual_q_0")
    expect("a raw dump", frame["timestamp"].tolist() == [1.0, 1.5, 2.0] and str(frame.index) == "RangeIndex(start=0, stop=3, step=1, name='row')" and
           frame["actual_q_0"].to_numpy().tobytes() == struct.pack("<3d", -0.0, -0.0, -0.0), frame)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        expect("records without a time", [(one["time"], one["timestamp"], "time_ns" in one) for one in armtap.open(dump, raw="realtime").records()] ==
               [(None, 1.0, False), (None, 1.5, False), (None, 2.0, False)])


def packets_of(data):
    """Where each packet of a pcap begins."""
    at = 24
    while at < len(data):
        yield at
        at += 16 + struct.unpack_from("<I" if data[0] in (0xd4, 0x4d) else ">I", data, at + 8)[0]


def environment(**more):
    return {**os.environ, "PYTHONPATH": TOP + "/python:" + os.environ.get("PYTHONPATH", ""), **more}


# ---- one by one ----------------------------------------------------------------------------------------------------------------


def check_records():
    """Against JSON lines; the time is exact."""
    import armtap
    for path in decodable([STOP, SEVERAL, SAMPLES + "driver-stop.pcap.gz", SAMPLES + "aubo-tcp.pcap.gz"]):
        lines = said("export", "-f", "ndjson", path).splitlines()
        wanted = [{**json.loads(line), "time_ns": int(re.match(r'{"time":(\d+)\.(\d{9}),', line).expand(r"\1\2"))} for line in lines]
        expect("records of " + path, list(armtap.open(path).records()) == wanted and len(wanted) > 100)
    one = next(armtap.open(STOP).records(fields="actual_q", stream=0, start=1))
    expect("a record", list(one)[:3] == ["time", "time_ns", "packet"] and len(one["actual_q"]) == 6 and "timestamp" not in one, one)
    error = raised("records of no capture", lambda: list(armtap.open(TOP + "/LICENSE").records()))
    expect("no capture", error and error.status == 2, error)


SLEEPER = """import armtap, sys
try:
    for record in armtap.open(*sys.argv[1:]).records():
        print(record["packet"], flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def line_of(process):
    return process.stdout.readline()


def check_live():
    """A robot: closing the generator, leaving the `with`, or Ctrl-C ends the program; no zombie is left."""
    import armtap
    heard = []
    armtap.program.log.setLevel("INFO")
    armtap.program.log.addFilter(lambda record: heard.append((record.levelname, record.getMessage())))
    server = subprocess.Popen([ARMTAP, "serve", "--ports", "30004=0", "--loop", "--stub", "none", STOP], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        port = next(re.search(r":(\d+)", line.split("30004", 1)[-1]) or re.search(r"(\d{4,5})", line) for line in server.stdout if "30004" in line)[1]
        robot = "rtde://127.0.0.1:" + port
        before = children()
        records = armtap.open(robot).records(fields=["timestamp", "actual_q"])
        clocks = [next(records)["timestamp"] for _ in range(5)]
        expect("live records", clocks == sorted(clocks) and len(children() - before) == 1, clocks)
        begin = time.monotonic()
        records.close()
        expect("closing ends the program", children() == before and time.monotonic() - begin < armtap.program.PATIENCE, children())
        with armtap.open(robot) as capture:
            kept = [next(capture.records(fields="timestamp")), next(capture.records(fields="timestamp"))]
            running = capture.records(fields="timestamp")
            next(running)
        expect("leaving ends it", children() == before and len(kept) == 2 and next(running, None) is None, children())
        for record in armtap.open(robot).records():
            break
        del record
        with armtap.open(robot) as capture:
            closer = threading.Timer(0.3, capture.close)
            closer.start()
            expect("closed by another thread", len(list(capture.records(fields="timestamp"))) > 1)
            closer.join()
        expect("leaving the loop ends it", until("the program ended", lambda: children() == before, 10))
        table = armtap.open(robot).read(fields="timestamp", stop=0.3)
        expect("a robot for some time", 10 < table.rows < 60, table.rows)
        armtap.capture.LISTENED = 0.5
        streams = armtap.open(robot, "rtde://127.0.0.1:" + port).streams
        expect("streams of robots", [(one.protocol, one.robot[:10], 10 < one.records < 75, "actual_q" in one.fields) for one in streams] ==
               2 * [("rtde", "127.0.0.1:", True, True)], streams)
        diagnosis = armtap.open(robot).diagnose(seconds=0.4)
        expect("a diagnosis of a robot", 100 < diagnosis.data["streams"][0]["rate_hz"] < 150, diagnosis.data["streams"])
        armtap.capture.AWAITED, awaited = 0.3, armtap.capture.AWAITED
        error = raised("a robot that is off", lambda: armtap.open("rtde://127.0.0.1:1").read(stop=0.1))
        expect("a robot that is off", error.status == 2 and "refused" in str(error), error)
        armtap.capture.AWAITED = awaited
        error = raised("two robots", lambda: armtap.open(robot, "rtde://127.0.0.1:" + port).read(stop=0.2), armtap.SeveralStreams)
        expect("two robots", error.ids == {"export.several-tables"} and error.streams == [] and "union=True" in str(error), error)
        expect("the log", any(level == "INFO" and "connected: RTDE protocol" in text and text.startswith("rtde://") for level, text in heard), heard)
        interrupted(robot)
    finally:
        server.terminate()
        server.stdout.close()
        server.wait()


def interrupted(source):
    """SIGINT to Python alone, while it waits for a record."""
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", SLEEPER, source], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True)
    line_of(process)
    with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="ascii") as file:
        program = int(file.read().split()[0])
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    expect("Ctrl-C", out.endswith("interrupted\n") and err == "" and process.returncode == 0, out[-200:], err)
    expect("Ctrl-C ends the program", not os.path.exists("/proc/%d" % program))


def check_growing():
    """Records come while the input is still open."""
    with open(STOP, "rb") as file:
        data = file.read()
    process = subprocess.Popen([sys.executable, "-c", SLEEPER, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    process.stdin.write(data[:len(data) // 2])
    process.stdin.flush()
    expect("a record while the input is open", line_of(process) == b"10\n")
    process.stdin.write(data[len(data) // 2:])
    process.stdin.close()
    rest = process.stdout.read().split()
    expect("all records", len(rest) == 242 and process.wait() == 0, len(rest))


# ---- the program ---------------------------------------------------------------------------------------------------------------


SAYS = """import json, os, signal, sys, time
def say(severity, text, name=None):
    print(json.dumps({"severity": severity, "id": name, "time": 0, "text": text}), file=sys.stderr, flush=True)
"""


def stand_in(folder, text):
    """A program that does as the text says."""
    path = folder + "/stand-in"
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!%s\n%s\n%s" % (sys.executable, SAYS, text))
    os.chmod(path, 0o755)
    return path


def check_program(folder):
    """One that says much on standard error, one that ignores SIGTERM, one that dies, and none."""
    import armtap
    loud = "for i in range(5000): say('warning', 'a line that is not short, number %d' % i)\n"
    cases = (
        ("loud", loud + "print('{\"streams\":[]}')\n", lambda: armtap.open(STOP).streams),
        ("loud records", loud + "print('{\"time\":1.000000002,\"packet\":1}')\n", lambda: list(armtap.open(STOP).records())),
    )
    try:
        for what, text, act in cases:
            os.environ["ARMTAP"] = stand_in(folder, text)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = act()
            expect(what, result in ([], [{"time": 1.000000002, "time_ns": 1000000002, "packet": 1}]) and len(caught) == 5000 and
                   all(one.filename == __file__ for one in caught[-5:]), result, len(caught))
        os.environ["ARMTAP"] = stand_in(folder, "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('{\"time\":null}', flush=True)\ntime.sleep(60)\n")
        before, patience, armtap.program.PATIENCE = children(), armtap.program.PATIENCE, 0.2
        records = armtap.open(STOP).records()
        next(records)
        records.close()
        armtap.program.PATIENCE = patience
        expect("one that will not end", children() == before)
        os.environ["ARMTAP"] = stand_in(folder, "say('error', 'last words')\nos.kill(os.getpid(), signal.SIGSEGV)\n")
        error = raised("a crash", lambda: armtap.open(STOP).streams)
        expect("a crash", error.status == -signal.SIGSEGV and str(error) == "last words\nthe program was ended by SIGSEGV", error)
        os.environ["ARMTAP"] = stand_in(folder, "say('error', 'it broke', 'a.thing')\ntime.sleep(0.3)\nprint('{\"time\":null}', flush=True)\ntime.sleep(0.3)\nsys.exit(2)\n")
        error = raised("an error before the last record", lambda: list(armtap.open(STOP).records()))
        expect("an error before the last record", (str(error), error.ids) == ("it broke", {"a.thing"}), error)
        os.environ["ARMTAP"] = stand_in(folder, "say('warning', 'it waits')\nsignal.pause()\n")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            armtap.program.SILENCE, silence = 0.1, armtap.program.SILENCE
            for act in (lambda: armtap.open(STOP).read(), lambda: next(armtap.open(STOP).records())):
                warning = raised("a program that waits", act, armtap.ArmtapWarning)
                expect("a program that waits warns at once, and ends", str(warning) == "it waits" and children() == before, warning)
            armtap.program.SILENCE = silence
        acts = [lambda: armtap.open(STOP).streams, lambda: armtap.open(STOP).read(), armtap.open(STOP).diagnose]
        for what, text, last in (("nothing", "", armtap.fields), ("something else", "print('[]')", lambda: list(armtap.open(STOP).records()))):
            os.environ["ARMTAP"] = stand_in(folder, text)
            for act in [*acts, last]:
                expect("a program that writes " + what, "are both of one version?" in str(raised("a program that writes " + what, act)))
        os.environ["ARMTAP"] = folder + "/nothing"
        expect("a wrong $ARMTAP", "$ARMTAP" in str(raised("a wrong $ARMTAP", armtap.fields)))
    finally:
        os.environ["ARMTAP"] = ARMTAP
    shutil.copytree(TOP + "/python/armtap", folder + "/alone/deep/in/a/folder/armtap", copy_function=shutil.copyfile)
    done = subprocess.run([sys.executable, "-c", "import armtap; armtap.open(%r)" % STOP + ".streams"], capture_output=True, text=True, check=False,
                          env={"PATH": "/nowhere", "PYTHONPATH": folder + "/alone/deep/in/a/folder", "PYTHONDONTWRITEBYTECODE": "1"})
    if not os.path.exists("/usr/bin/armtap") and not os.path.exists("/usr/local/bin/armtap"):
        expect("no program", done.returncode == 1 and done.stderr.endswith("armtap.Error: the program armtap was not found: build it before `pip install`, "
               "install it, or set the environment variable ARMTAP to its path\n"), done.stderr)


# ---- the package ---------------------------------------------------------------------------------------------------------------


def check_code():
    """Python 3.9 reads it; all that is public is described and annotated."""
    import pandas
    import armtap
    for name in sorted(os.listdir(TOP + "/python/armtap")) + ["../build_wheel.py"]:
        if name.endswith(".py"):
            with open("%s/python/armtap/%s" % (TOP, name), encoding="utf-8") as file:
                text = file.read()
            ast.parse(text, name, feature_version=OLDEST)
            expect(name + ": annotations are texts", "__future__ import annotations" in text or "build_wheel" in name)
    manual = pydoc.plain(pydoc.render_doc(armtap))
    for name in armtap.__all__:
        public = getattr(armtap, name)
        expect("%s is described" % name, name in manual and (public.__doc__ or "").count("\n") + len(public.__doc__ or "") > 60, public.__doc__)
        members = [public] if inspect.isfunction(public) else [member for key, member in vars(public).items() if inspect.isfunction(member) and not key.startswith("_")]
        for member in members:
            hints = typing.get_type_hints(member, {**vars(armtap.capture), **vars(armtap.results), "pandas": pandas})
            wanted = [key for key in inspect.signature(member).parameters if key != "self"] + ["return"]
            expect("%s is annotated" % member.__qualname__, set(wanted) <= set(hints), hints)
            expect("%s is described" % member.__qualname__, member.__doc__, member)
    expect("shapes and units in help()", all(text in manual for text in ("N x 6", "rad", "seconds from the first packet", "datetime64[ns]", "ArmtapWarning")), manual)
    expect("py.typed", os.path.exists(TOP + "/python/armtap/py.typed"))


TYPED = """import armtap
from pathlib import Path
for record in armtap.open(Path("a"), "b", b"c", raw="rtde").records(fields=armtap.fields("x"), start=1):
    print(record["time"])
rows: int = armtap.open("rtde://a").read(fields=["x"], stop=1.5)["x"].shape[0]
try:
    print(armtap.open("a").streams[0].robot.upper(), armtap.open("a").diagnose().incidents[0].evidence[0].args)
except armtap.SeveralStreams as error:
    print(error.streams[0].records + 1, error.status, sorted(error.ids))
"""


def check_types(folder):
    """The package and a program that uses it, by mypy."""
    if ALL and not shutil.which("mypy"):
        lacks("mypy", "the Python package's types")
    elif ALL:
        with open(folder + "/typed.py", "w", encoding="utf-8") as file:
            file.write(TYPED)
        done = subprocess.run(["mypy", "--strict", "--allow-untyped-calls", "--ignore-missing-imports", "--no-warn-unused-ignores", "--cache-dir", folder, TOP + "/python/armtap", folder + "/typed.py"],
                              capture_output=True, text=True, check=False)
        expect("mypy", done.returncode == 0, done.stdout)


def is_sound(path):
    """Whether a wheel's RECORD is right; pip does not look."""
    import base64
    import hashlib
    with zipfile.ZipFile(path) as archive:
        record, = [name for name in archive.namelist() if name.endswith("/RECORD")]
        rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
        good = all(row[1] == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(archive.read(row[0])).digest()).rstrip(b"=").decode() and
                   int(row[2]) == len(archive.read(row[0])) for row in rows if row[0] != record)
        return good and {row[0] for row in rows} == set(archive.namelist())


USE = """import armtap, os, sys
frame = armtap.open(%r).to_pandas()
print(armtap.__version__, os.path.relpath(armtap.program.find(), sys.prefix), armtap.__file__.startswith(sys.prefix), frame.shape)
"""


def check_wheel(folder):
    """`pip install ./python` without a network, in a virtual environment; and what `python3 -m build` makes. The program is a large file:
    a script that starts it stands for it unless all is checked."""
    begin = time.monotonic()
    carried = {**os.environ, "PIP_CONFIG_FILE": os.devnull}
    if not ALL:
        carried["ARMTAP"] = folder + "/starter"
        with open(folder + "/starter", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec '%s' \"$@\"\n" % ARMTAP)
        os.chmod(folder + "/starter", 0o755)
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder + "/venv"], check=True)
    python = folder + "/venv/bin/python"
    done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python, "install", "--no-index", TOP + "/python"],
                          capture_output=True, text=True, check=False, env=carried)
    expect("pip install ./python", done.returncode == 0, done.stdout, done.stderr)
    clean = {name: value for name, value in os.environ.items() if name not in ("ARMTAP", "PYTHONPATH")}
    used = subprocess.run([python, "-c", USE % STOP], capture_output=True, text=True, check=False, env={**clean, "PATH": "/nowhere"}, cwd=folder)
    version = said("--version").split()[1]
    expect("the wheel, installed", used.stdout == "%s bin/armtap True (243, 31)\n" % version, used)
    print("pip install ./python, and a frame: %.1f s" % (time.monotonic() - begin))
    wheel, = made_wheel(folder, carried)
    expect("a wheel", re.fullmatch(r"armtap-%s-py3-none-linux_\w+\.whl" % re.escape(version), wheel) and is_sound(folder + "/" + wheel), wheel)


def made_wheel(folder, carried):
    """By `python3 -m build` if all is checked; else by what that calls."""
    words = ["-c", "import build_wheel, sys; build_wheel.build_wheel(sys.argv[1])", folder]
    if ALL and not importlib.util.find_spec("build"):
        lacks("python3-build", "python3 -m build")
    elif ALL:
        words = ["-m", "build", "--no-isolation", "--wheel", "--outdir", folder, TOP + "/python"]
    subprocess.run([sys.executable, *words], capture_output=True, check=True, env={**carried, "PYTHONPATH": TOP + "/python"})
    return [name for name in os.listdir(folder) if name.endswith(".whl")]


def main():
    lacking = next((name for name in ("numpy", "pandas") if not importlib.util.find_spec(name)), None)
    if lacking and sys.executable != DEBIAN and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    if lacking:
        lacks(lacking)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_samples, check_table, check_diagnosis, check_errors, check_messages, check_records, check_growing, check_code):
            check()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the robot lacks what is asked for, and a busy machine skips
            check_live()
        for check in (check_warnings, check_cut, check_sources, check_program, check_types, check_wheel):
            place = "%s/%s" % (folder, check.__name__)
            os.mkdir(place)
            check(place)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
