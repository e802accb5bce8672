#!/usr/bin/env python3
"""`fields --kaitai`: kaitai-struct-compiler makes Python and JavaScript of the descriptions, which read every realtime, RTDE and
primary sample: each value equals that of `export`, to the last bit. Packets of every legacy size and sub-packages of every
release, packed from the tables of facts, give the values that were packed; cut ones what is whole.

Needs node with the packages of tests/node, and python3-kaitaistruct."""
import collections
import csv
import functools
import glob
import importlib.util
import io
import ipaddress
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import node_readers
import primary_wire
from tally import expect, finish, lacks

DEBIAN = "/usr/bin/python3"
HERE = os.environ.get("srcdir", ".")
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PROTOCOLS = ("realtime", "rtde", "primary")
ETHERNET, VLAN_TAG = 12, b"\x81\0"


def run(*words, **options):
    return subprocess.run([ARMTAP, *words], capture_output=True, text=True, check=True, **options).stdout


@functools.lru_cache(maxsize=None)
def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- bytes of captures -----------------------------------------------------------------------------------------------


def segments(packets):
    """(source, target, sequence, is_syn, payload) of TCP in Ethernet; ends as armtap prints them."""
    for _, packet in packets:
        at = ETHERNET
        while packet[at:at + 2] == VLAN_TAG:
            at += 4
        kind, at = packet[at:at + 2], at + 2
        if kind == b"\x08\0" and packet[at + 9] == 6:
            ends = [".".join(map(str, packet[at + i:at + i + 4])) for i in (12, 16)]
            end, tcp = at + struct.unpack_from(">H", packet, at + 2)[0], at + (packet[at] & 15) * 4
        elif kind == b"\x86\xdd" and packet[at + 6] == 6:
            ends = ["[%s]" % ipaddress.IPv6Address(packet[at + i:at + i + 16]) for i in (8, 24)]
            end, tcp = at + 40 + struct.unpack_from(">H", packet, at + 4)[0], at + 40
        else:
            continue
        ports = struct.unpack_from(">HH", packet, tcp)
        yield (*("%s:%d" % pair for pair in zip(ends, ports)), struct.unpack_from(">I", packet, tcp + 4)[0], packet[tcp + 13] & 2 != 0,
               packet[tcp + (packet[tcp + 12] >> 4) * 4:end])


def flows(path):
    """The bytes of each connection in each direction: {(source, target): [bytes, of the next connection ...]}. No losses."""
    found, following = collections.defaultdict(list), {}
    for source, target, sequence, is_syn, payload in segments(load(HERE + "/tests/cross-check.py", "cross").packets(path)):
        ways = found[source, target]
        if is_syn or not ways:
            ways.append(bytearray())
            following[source, target] = sequence + is_syn
        if payload and sequence == following[source, target]:
            ways[-1] += payload
            following[source, target] = (sequence + len(payload)) % 2**32
    return found


# ---- values ----------------------------------------------------------------------------------------------------------


def bits(value):
    return "%x" % struct.unpack(">Q", struct.pack(">d", float(value)))


def holders(message):
    """The objects that hold a message's values."""
    if not hasattr(message, "body"):
        return [getattr(message, "cb2", None) or message.cb3e]
    if hasattr(message.body, "data"):
        return [message.body.data]
    return [part for one in getattr(message.body, "sub_packages", []) for name, part in vars(one.body).items()
            if name[0] != "_" and hasattr(part, "_io")] if not isinstance(message.body, bytes) else []


def value_in(part, name):
    value = getattr(part, name, None)
    for joints in (getattr(part, "joints", None), getattr(part, "joints_2", None)):
        if value is None and joints and hasattr(joints[0], name):
            value = [getattr(joint, name) for joint in joints]
    return value


def row_of(message, names):
    parts = holders(message)
    if not parts:
        return None
    found = ([value_in(part, name) for part in parts] for name in names)
    values = [next((one for one in all_of if one is not None), None) for all_of in found]
    return [None if value is None else [bits(one) for one in (value if isinstance(value, list) else [value])] for value in values]


def read(module, data, parameters, names):
    """The rows of a stream, and an error with the bytes left."""
    from kaitaistruct import KaitaiStream
    name = os.path.basename(module)[:-3]
    kind = getattr(load(module, name), "".join(word.capitalize() for word in name.split("_")))
    stream, rows, at = KaitaiStream(io.BytesIO(data)), [], 0
    try:
        while not stream.is_eof():
            row = row_of(kind(*parameters, stream), names)
            rows += [row] if row else []
            at = stream.pos()
    except EOFError:
        return {"rows": rows, "left": len(data) - at}
    return {"rows": rows, "left": 0}


def text_bits(text):
    return bits({"True": 1, "False": 0}.get(text, text))


def wanted(table):
    """Columns of a CSV by field: {name: [its columns]}, and its rows as read() gives them."""
    header, *lines = list(csv.reader(table.splitlines()))
    columns = collections.defaultdict(list)
    known = {field["name"]: field["count"] for field in json.loads(run("fields", "--json"))}
    for i, name in enumerate(header):
        stem = re.sub(r"_\d+$", "", name)
        columns[name if name in known else stem if known.get(stem, 1) > 1 else name].append(i)
    names = [name for name in columns if name in known]
    return names, [[None if line[columns[name][0]] == "" else [text_bits(line[i]) for i in columns[name]] for name in names]
                   for line in lines]


# ---- samples ---------------------------------------------------------------------------------------------------------


class Job:
    """A stream and what is expected of it."""

    def __init__(self, what, ksy, parameters, data, names, rows, left=0):
        self.what, self.ksy, self.parameters, self.data, self.left = what, ksy, parameters, bytes(data), left
        self.names, self.rows = names, rows


def export(path, number):
    """The tables of a stream, one for each recipe: (names, rows)."""
    with tempfile.TemporaryDirectory() as folder:
        run("export", "--stream", str(number), "--split", "-o", folder + "/rows.csv", path)
        for file in sorted(glob.glob(folder + "/*"), key=lambda name: (len(name), name)):
            with open(file, encoding="utf-8") as text:
                yield wanted(text.read())


def rtde_jobs(folder, path, number, stream, data):
    """One for each recipe of the stream: their lengths differ."""
    for setup, table in enumerate(export(path, number), 1):
        what = "%s %d %d" % (os.path.basename(path), number, setup)
        recipe, ksy = "%s/%s.xml" % (folder, what), "%s/%s.ksy" % (folder, what)
        with open(recipe, "w", encoding="utf-8") as file:
            file.write(run("recipe", "--from", path, "--stream", str(number), "--setup", str(setup)))
        with open(ksy, "w", encoding="utf-8") as file:
            file.write(run("fields", "--kaitai", "rtde", "--recipe", recipe))
        yield Job(what, ksy, [True, stream["version"]], data, *table)


def stream_jobs(folder, path, found, stream):
    """The jobs of a stream of a sample."""
    robot, client, number = stream["robot"], stream["client"], stream["stream"]
    data = next(data for data in iter(lambda: found[robot, client].pop(0), None) if data)
    if not stream["records"]:
        return
    if stream["protocol"] == "rtde":
        yield from rtde_jobs(folder, path, number, stream, data)
        return
    tables, parameters = list(export(path, number)), [False] if stream["protocol"] == "primary" else []
    expect("%s %d: one table" % (path, number), len(tables) == 1)
    yield Job("%s %d" % (os.path.basename(path), number), "%s/%s.ksy" % (folder, stream["protocol"]), parameters, data, *tables[0])


def sample_jobs(folder):
    for path in sorted(glob.glob(HERE + "/captures/*.pcap*")):
        if os.path.basename(path).startswith("aubo"):
            continue
        found = None
        for stream in json.loads(run("info", "--json", "--findings-ok", path))["streams"]:
            if stream["protocol"] in PROTOCOLS:
                found = found or flows(path)
                yield from stream_jobs(folder, path, found, stream)


# ---- the tables of facts ---------------------------------------------------------------------------------------------


def legacy_layouts():
    """By size: (offset, name, count) of each field."""
    layouts = collections.defaultdict(list)
    with open(HERE + "/tests/unit/data/realtime_layout.csv", encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if line[0] != "#"):
            layouts[int(row["size"])].append((int(row["offset"]), row["name"], int(row["count"])))
    return layouts


def legacy_packet(size, layout):
    """A packet with another number in each cell, and what it has of the layout's values."""
    cells = [3.0 + i for i in range((size - 4) // 8)]
    packet = struct.pack(">I%dd" % len(cells), size, *cells)
    values = [[bits(cell) for cell in cells[(offset - 4) // 8:(offset - 4) // 8 + count]] if offset + 8 * count <= size else None
              for offset, _, count in layout]
    return packet + bytes(size - len(packet)), values


def legacy_jobs(folder):
    """Every size, and sizes in between: in mid-vector, beyond the longest, within a cell."""
    layouts = legacy_layouts()
    for longest in 812, max(layouts):
        known = [size for size in layouts if (size <= 812) == (longest <= 812)]
        for size in sorted({*known, *(size + more for size in known for more in (-40, -1, 4, 16)), 4 + 8}):
            if size > 812 and longest <= 812 or size <= 812 < longest:
                continue
            layout = layouts[longest]
            data, values = legacy_packet(size, layout)
            yield Job("%d bytes" % size, folder + "/realtime.ksy", [], data, [name for _, name, _ in layout], [values])
    names, data = ["actual_digital_input_bits"], bytearray(legacy_packet(1220, layouts[1220])[0])
    offset = next(offset for offset, name, _ in layouts[1220] if name == names[0])
    struct.pack_into(">Q", data, offset, 0x20005)
    yield Job("bits as an integer", folder + "/realtime.ksy", [], data, names, [[[bits(0x20005)]]])


def twice_jobs(folder):
    """A client's recipe that has a variable twice: its second one has a number."""
    forms = {"DOUBLE": "d", "VECTOR3D": "3d", "VECTOR6D": "6d", "INT32": "i", "UINT32": "I", "UINT64": "Q", "VECTOR6INT32": "6i"}
    name, ksy = "@ur_rtde-receive-0.0.1", folder + "/twice.ksy"
    with open(ksy, "w", encoding="utf-8") as file:
        file.write(run("fields", "--kaitai", "rtde", "--recipe", name))
    data, values = b"\1", {}
    for field, kind in re.findall(r'name="(\w+)" type="(\w+)"', run("recipe", name)):
        form = ">" + forms[kind]
        numbers = range(len(data), len(data) + int(form[1:-1] or 1))
        values[field + "_2" if field in values else field] = [bits(number) for number in numbers]
        data += struct.pack(form, *numbers)
    expect("one of them is twice", [one for one in values if one.endswith("_2")] == ["standard_analog_input0_2"], list(values))
    yield Job(name, ksy, [True, 2], struct.pack(">HB", 3 + len(data), ord("U")) + data, list(values), [list(values.values())])


# Fields whose value is not the number on the wire.
CONVERTED = {("timestamp", "Q"), ("actual_digital_input_bits", "H"), ("actual_digital_output_bits", "H")}


def part_values(parts):
    """By field: the numbers packed."""
    value, found = primary_wire.value_of(0), collections.defaultdict(dict)
    for part in parts:
        for row in part.rows:
            name, element = primary_wire.element_of(row[3])
            if name and "." not in name and (name, row[2]) not in CONVERTED:
                found[name][element or 0] = bits(value(part, row))
    return {name: [values[i] for i in sorted(values)] for name, values in found.items()}


def primary_jobs(folder):
    """Each sub-package of each release; one that is cut."""
    for what, parts in primary_wire.variants():
        is_cb2 = any(part.variant == "1.6-1.8" for part in parts)
        values = part_values(parts)
        data = primary_wire.state([part.pack(primary_wire.value_of(0)) for part in parts])
        yield Job(what, folder + "/primary.ksy", [is_cb2], data, list(values), [list(values.values())])
    parts = primary_wire.regular_parts()
    values = part_values(parts)
    last = primary_wire.element_of(max(row for row in parts[5].rows if row[3])[3])[0]
    values[last] = None
    data = primary_wire.state([part.pack(primary_wire.value_of(0), cut=part is parts[5]) for part in parts])
    yield Job("a sub-package without its last byte", folder + "/primary.ksy", [False], data, list(values), [list(values.values())])


# ---- messages without a state: their names, a program's variables ------------------------------------------------------


def message(kind, body):
    return struct.pack(">iB", 5 + len(body), kind) + body


def said(kind, body):
    return message(20, struct.pack(">QbB", 7, -3, kind) + body)


def check_messages(module):
    """What these say in Python, from bytes packed here."""
    from kaitaistruct import KaitaiStream
    kind = load(module, "primary").UrPrimary
    take = lambda data: kind(False, KaitaiStream(io.BytesIO(data))).body
    error = take(said(6, struct.pack(">iiiIi", 153, 2, 3, 1, 0) + b"because")).body
    level = kind.ReportLevel
    expect("an error", (error.robot_message_code, error.robot_message_report_level_name, error.robot_comm_text_message) == (153, level.violation, "because"))
    stop = take(said(5, struct.pack(">iiBII", 0, 0, 3, 0, 0))).body
    expect("a safety mode", stop.safety_mode_type_name == kind.SafetyMode.protective_stop and not hasattr(stop, "rest"), vars(stop))
    names = take(message(25, struct.pack(">QBH", 2**64 - 1, 0, 4) + b"speed\ncount\n"))
    expect("variables' names", (names.start_index, names.names) == (4, ["speed", "count"]), vars(names))
    values = take(message(25, struct.pack(">QBH", 2**64 - 1, 1, 4) + b"\x0d\x01\n"))
    expect("variables' values", values.values == b"\x0d\x01\n", vars(values))
    limits = take(message(24, struct.pack(">22dB", *range(22), 1)))
    expect("tolerances", limits.values == list(map(float, range(22))) and limits.rest == b"\x01", vars(limits))


# ---- reading ---------------------------------------------------------------------------------------------------------


def check(job, language, answer):
    rows = answer["rows"]
    expect("%s, %s: rows" % (job.what, language), len(rows) == len(job.rows), len(rows), len(job.rows), answer)
    differ = [(number, name, got, want) for number, (row, wants) in enumerate(zip(rows, job.rows))
              for name, got, want in zip(job.names, row, wants) if got != want]
    expect("%s, %s: values" % (job.what, language), not differ, differ[:5])
    expect("%s, %s: all bytes" % (job.what, language), answer["left"] == 0, answer["left"])
    return sum(len(value or ()) for row in rows for value in row)


def ask(asked):
    environment = dict(os.environ, NODE_PATH=node_readers.PACKAGES + "/node_modules")
    done = node_readers.ask("kaitai.mjs", asked, env=environment)
    if done.returncode != 0:
        raise SystemExit("FAIL node: " + done.stderr)
    return json.loads(done.stdout)


def check_all(folder):
    for protocol in PROTOCOLS:
        with open("%s/%s.ksy" % (folder, protocol), "w", encoding="utf-8") as file:
            file.write(run("fields", "--kaitai", protocol))
    jobs = [*sample_jobs(folder), *legacy_jobs(folder), *twice_jobs(folder), *primary_jobs(folder)]
    ksys = sorted({job.ksy for job in jobs} | {folder + "/rtde.ksy"})
    made = ask({"compile": [{"ksy": ksy, "language": language, "folder": "%s/%d.%s" % (folder, i, language)} for i, ksy in enumerate(ksys)
                            for language in ("python", "javascript")]})["made"]
    modules = {ksy: [files[0] for files in made[2 * i:2 * i + 2]] for i, ksy in enumerate(ksys)}
    check_messages(modules[folder + "/primary.ksy"][0])
    reads = []
    for i, job in enumerate(jobs):
        with open("%s/%d.bin" % (folder, i), "wb") as file:
            file.write(job.data)
        job.ids = [name.lower() for name in job.names]
        reads.append({"module": modules[job.ksy][1], "stream": "%s/%d.bin" % (folder, i), "parameters": job.parameters, "ids": job.ids})
    counts = collections.Counter()
    for job, answer in zip(jobs, ask({"read": reads})["read"]):
        counts["JavaScript"] += check(job, "JavaScript", answer)
        counts["Python"] += check(job, "Python", read(modules[job.ksy][0], job.data, job.parameters, job.ids))
    print("values: " + ", ".join("%d by %s" % (count, language) for language, count in counts.items()), "of %d streams" % len(jobs))


def main():
    missing = node_readers.missing("kaitai-struct-compiler")
    if not missing and not importlib.util.find_spec("kaitaistruct"):
        if sys.executable != DEBIAN and os.path.exists(DEBIAN):
            os.execv(DEBIAN, [DEBIAN, *sys.argv])
        missing = "python3-kaitaistruct"
    if missing:
        lacks(missing)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_all(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
