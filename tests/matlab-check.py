#!/usr/bin/env python3
"""MAT-files and HDF5, read by Octave, h5py and scipy: every value of every sample equals the CSV's, doubles to the last bit;
classes, sizes, names and units; the attributes that MATLAB needs, against those that libmatio writes.

Skipped without these readers. Debian's Python has h5py and scipy."""
import csv
import ctypes
import ctypes.util
import filecmp
import glob
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from column_tables import load, make_rtde
from tally import ALL, expect, finish, lacks, left_out, share

DEBIAN = "/usr/bin/python3"
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
TOP = os.path.abspath(os.environ.get("srcdir", "."))
SAMPLES = TOP + "/captures"
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
NAN = struct.unpack("<q", struct.pack("<q", 0x7ff8000000000000))[0]
# In numpy's words: what a column of the field table becomes, if each row has a value.
KINDS = {"DOUBLE": "float64", "INT32": "int32", "UINT32": "uint32", "UINT64": "uint64", "UINT8": "uint8", "BOOL": "uint8",
         "VECTOR3D": "float64", "VECTOR6D": "float64", "VECTOR6INT32": "int32", "VECTOR6UINT32": "uint32"}


def lacking():
    """A program or a module that this test needs and that is not there, or None."""
    if not shutil.which("octave-cli"):
        return "octave"
    try:
        import h5py  # noqa: F401
        import scipy.io  # noqa: F401
    except ImportError as error:
        return error.name
    return None


def run(*arguments, status=(0,), **options):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False, **options)
    expect("armtap %s: status" % " ".join(arguments), done.returncode in status, done.returncode, done.stderr.decode())
    return done


FIELDS = {}


def field_of(name):
    if not FIELDS:
        for field in json.loads(run("fields", "--json").stdout):
            FIELDS[field["name"]] = field
    return FIELDS.get(name)


# ---- what is expected ------------------------------------------------------------------------------------------------


def read_csv(path):
    """Texts by column."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = list(zip(*rows[1:])) if len(rows) > 1 else [()] * len(rows[0])
    return dict(zip(rows[0], columns))


def group(names, variables):
    """The columns of each variable: those of a vector follow one another, from _0 on. An array of one element, and a field
    whose own name ends so, look alike."""
    found = []
    for name in names:
        stem, _, number = name.rpartition("_")
        if number.isdigit() and found and found[-1][0] == stem and int(number) == len(found[-1][1]):
            found[-1][1].append(name)
        elif number == "0" and name not in variables:
            found.append((stem, [name]))
        else:
            found.append((name, [name]))
    return found


def whole(text):
    return {"True": 1, "False": 0, "true": 1, "false": 0}.get(text) if not text.lstrip("-").isdigit() else int(text)


def double_bits(text):
    return struct.pack("<d", float(text)) if text else struct.pack("<q", NAN)


def same_column(kind, texts, raw):
    """How many values are the same as in the CSV, or what differs. NaN has one text for all payloads."""
    import numpy
    values = numpy.frombuffer(raw, kind)
    if len(values) != len(texts):
        return "%d values for %d rows" % (len(values), len(texts))
    if kind == "float64":
        if all(text == "" or whole(text) is not None for text in texts):
            wanted = numpy.array([float("nan") if text == "" else float(whole(text)) for text in texts])
        else:
            wanted = numpy.array([float(text) if text else float("nan") for text in texts])
        bits, wanted_bits = values.view("uint64"), wanted.view("uint64")
        differ = (bits != wanted_bits) & ~(numpy.isnan(values) & numpy.isnan(wanted))
        absent = numpy.array([text == "" for text in texts], bool)
        differ |= absent & (bits != NAN)
    else:
        wanted = numpy.array([whole(text) if text else 0 for text in texts], kind)
        differ = values != wanted
    if differ.any():
        row = int(differ.argmax())
        return "row %d: %r instead of %r" % (row, values[row], texts[row])
    return len(texts)


def units_of(texts):
    """A matrix of characters as wide as the longest text, in UTF-16, by column."""
    encoded = [text.encode("utf-16-le") for text in texts]
    width = max((len(one) // 2 for one in encoded), default=0)
    rows = [one + b" \0" * (width - len(one) // 2) for one in encoded]
    return width, b"".join(row[2 * k:2 * k + 2] for k in range(width) for row in rows)


def check_variable(what, name, columns, table, got):
    """got: the kind, rows, columns, and the bytes column after column."""
    kind, rows, count, raw = got
    texts = [table[column] for column in columns]
    expect("%s: size of %s" % (what, name), rows == len(texts[0]) and (kind == "uint16" or count == len(texts)), got[:3])
    field = field_of(name)
    complete = all("" not in column for column in texts)
    if field and complete and rows > 0:
        expect("%s: class of %s" % (what, name), kind == KINDS[field["type"]], kind, field["type"])
    if kind == "uint16":
        width, wanted = units_of(texts[0])
        expect("%s: text %s" % (what, name), (count, raw) == (width, wanted), count, width)
        return rows
    values, size = 0, len(raw) // len(texts)
    for k, column in enumerate(texts):
        outcome = same_column(kind, column, raw[k * size:(k + 1) * size])
        expect("%s: %s" % (what, columns[k]), isinstance(outcome, int), outcome)
        values += outcome if isinstance(outcome, int) else 0
    return values


def check_table(what, path, variables, left_out=()):
    """The number of values that are the same."""
    table = read_csv(path)
    groups = [(name, columns) for name, columns in group(list(table), variables) if name not in left_out]
    expect("%s: names" % what, {name for name, _ in groups} == set(variables) - {"meta"},
           {name for name, _ in groups} ^ (set(variables) - {"meta"}))
    times = table.pop("time", None)
    values = 0
    for name, columns in groups:
        if name in variables and name != "time":
            values += check_variable(what, name, columns, table, variables[name])
    if times is not None and "time" in variables:
        outcome = same_column("float64", times, variables["time"][3])
        expect("%s: time" % what, isinstance(outcome, int), outcome)
    return values


# ---- readers ---------------------------------------------------------------------------------------------------------


def read_hdf5(path):
    """Variables of a file, by h5py: the reverse order of dimensions."""
    import h5py
    found = {}
    with h5py.File(path) as file:
        for name, item in file.items():
            if isinstance(item, h5py.Group):
                found[name] = None
            elif "MATLAB_empty" in item.attrs:
                kind = item.attrs["MATLAB_class"].decode()
                found[name] = ({"double": "float64", "char": "uint16", "logical": "uint8"}.get(kind, kind), int(item[0]), int(item[1]), b"")
            else:
                found[name] = (str(item.dtype), item.shape[1], item.shape[0], item[()].tobytes())
    return found


def read_scipy(path):
    import numpy
    import scipy.io
    found = {}
    for name, item in scipy.io.loadmat(path, chars_as_strings=False).items():
        if name.startswith("__"):
            continue
        if item.dtype.kind == "U":
            raw = b"".join(unit.encode("utf-16-le", "surrogatepass") for column in item.T for unit in column) if item.size else b""
            found[name] = ("uint16", item.shape[0], item.shape[1] if item.ndim > 1 else 0, raw)
        elif item.dtype.names:
            found[name] = None
        else:
            found[name] = (str(item.dtype), *item.shape, numpy.asfortranarray(item).tobytes(order="F"))
    return found


OCTAVE = """
for i = 1:numel(files)
  s = load(files{i});
  f = fopen([files{i} '.dump'], 'w');
  for name = fieldnames(s)'
    v = s.(name{1});
    kind = class(v);
    if strcmp(kind, 'struct'), continue, end
    if strcmp(kind, 'char'), kind = 'uint16'; end
    if strcmp(kind, 'logical'), kind = 'uint8'; end
    fprintf(f, '%s %s %d %d\\n', name{1}, kind, rows(v), columns(v));
    fwrite(f, v, kind);
  end
  fprintf(f, 'end\\n');
  fclose(f);
end
"""


def run_octave(folder, script):
    path = folder + "/script.m"
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    return subprocess.run(["octave-cli", "--norc", "--no-history", path], capture_output=True, text=True, check=False, cwd=folder)


def octave_dumps(folder, paths):
    """Has Octave read all files: it starts slowly."""
    names = ", ".join("'%s'" % path for path in paths)
    done = run_octave(folder, "files = {%s};\n%s" % (names, OCTAVE))
    expect("octave", "error: " not in done.stderr.replace("error: ignoring", "") and "warning" not in done.stderr, done.stderr)


def read_dump(path):
    found = {}
    with open(path + ".dump", "rb") as file:
        while (head := file.readline().split()) and head != [b"end"]:
            name, kind, rows, columns = head[0].decode(), head[1].decode().replace("double", "float64"), int(head[2]), int(head[3])
            size = {"float64": 8, "int64": 8, "uint64": 8, "int32": 4, "uint32": 4, "uint16": 2, "uint8": 1}[kind]
            found[name] = (kind, rows, columns, file.read(rows * columns * size))
        expect("%s: read to its end" % path, head == [b"end"])
    return found


# ---- samples ---------------------------------------------------------------------------------------------------------


def split(folder, name, ending, *arguments):
    """The files of an export with --split, by stream and part."""
    run("export", *arguments, "--split", "-o", "%s/%s.%s" % (folder, name, ending))
    return {path.rsplit(".", 2)[1]: path for path in glob.glob("%s/%s.*.%s" % (folder, name, ending))}


def tables_of(folder, name, *arguments):
    """Of each table: its CSV, and the files of all kinds."""
    tables = split(folder, name, "csv", *arguments, "--fields", "time_ns,*")
    found = []
    kinds = [split(folder, name, "mat", *arguments), split(folder, name, "h5", *arguments),
             split(folder, name + "-v5", "mat", "--dialect", "v5", *arguments)]
    for files in kinds:
        expect("%s: the same tables" % name, tables.keys() == files.keys(), tables, files)
    for table in sorted(tables):
        found.append(("%s %s" % (name, table), tables[table], *(files.get(table) for files in kinds)))
    return found


def check_samples(folder):
    """Every stream of every sample, in both directions."""
    samples = sorted(glob.glob(SAMPLES + "/*.pcap*"))
    if "without AUBO" in VERSION:
        samples = [name for name in samples if "aubo" not in name]
    expect("samples", len(samples) > 10, samples)
    tables = []
    for sample in share(samples, 6, "samples"):
        name = os.path.basename(sample).partition(".")[0]
        tables += tables_of(folder, name, sample) + tables_of(folder, name + "-to", "--to-robot", sample)
    return tables


def check_all(folder, tables):
    octave_dumps(folder, [path for _, _, mat, h5, v5 in tables for path in (mat, v5)] + [tables[0][3]])
    values = {"h5py": 0, "octave": 0, "scipy": 0}
    for what, table, mat, h5, v5 in tables:
        values["h5py"] += check_table(what + " mat, h5py", table, read_hdf5(mat)) + check_table(what + " h5, h5py", table, read_hdf5(h5))
        # Octave takes the size of an empty matrix for its value.
        empty = {name for name, one in read_hdf5(mat).items() if one and one[3] == b""}
        dump = {name: one for name, one in read_dump(mat).items() if name not in empty}
        values["octave"] += check_table(what + " mat, octave", table, dump, empty) + check_table(what + " v5, octave", table, read_dump(v5))
        values["scipy"] += check_table(what + " v5, scipy", table, read_scipy(v5))
        with open(mat, "rb") as file:
            head = file.read(512)
        expect(what + ": head", head[:19] == b"MATLAB 7.3 MAT-file" and head[116:128] == b"\0" * 8 + b"\0\2IM" and
               head[128:] == bytes(384), head[:128])
    expect("values", min(values.values()) > (170000 if ALL else 5000), values)
    return values


# ---- bits ------------------------------------------------------------------------------------------------------------


def check_bits(folder):
    """Doubles with any bits, NaN's payloads among them, over several chunks; some absent in the first half, as in packets
    that become longer. Python takes them from the packets."""
    import numpy
    parquet = load("parquet-check")
    dump, names, count, sizes = folder + "/dump", [], 18000, (1060, 1220)
    parquet.make_large(dump, count, sizes)
    for name, more in (("bits1.mat", ("--threads", "1")), ("bits3.mat", ("--threads", "3")), ("bits.h5", ("--compression", "none")),
                       ("bits5.mat", ("--dialect", "v5"))):
        names.append(folder + "/" + name)
        run("export", "--raw", "realtime", dump, "-o", names[-1], *more)
    with open(names[0], "rb") as one, open(names[1], "rb") as other:
        expect("the same by three threads", one.read() == other.read())
    octave_dumps(folder, names)
    half, content, values = count // 2, open(dump, "rb").read(), 0
    parts = [numpy.frombuffer(content[:half * 1060], "V1060"), numpy.frombuffer(content[half * 1060:], "V1220")]
    readers = [("h5py", name, read_hdf5(name)) for name in names[:3]] + [("scipy", names[3], read_scipy(names[3]))]
    readers += [("octave", name, read_dump(name)) for name in names]
    first = dict((name, offset) for offset, name, _ in parquet.layout(1060))
    for offset, field, many in parquet.layout(1220):
        if field_of(field) is None or not field_of(field)["type"].startswith(("DOUBLE", "VECTOR3D", "VECTOR6D")):
            continue
        columns = []
        for k in range(many):
            bits = numpy.full(count, NAN, "<i8")
            for part, at in zip(parts, (slice(0, half), slice(half, count))):
                if part is parts[1] or field in first:
                    raw = numpy.frombuffer(part.tobytes(), numpy.uint8).reshape(half, -1)
                    bits[at] = numpy.ascontiguousarray(raw[:, offset + 8 * k:offset + 8 * k + 8]).view(">i8").ravel()
            columns.append(bits)
        for reader, path, variables in readers:
            kind, rows, wide, raw = variables[field]
            expect("%s by %s: %s" % (os.path.basename(path), reader, field), (kind, rows, wide) == ("float64", count, many) and
                   raw == b"".join(column.tobytes() for column in columns), kind, rows, wide)
            values += rows * wide
    expect("values with any bits", values > 10**7, values)
    return values


# ---- names, absent values, meta --------------------------------------------------------------------------------------


LONG = "a" * 70
STRANGE = [("big", "UINT64"), ("1st", "DOUBLE"), ("x1st", "INT32"), ("a b", "UINT32"), ("a_b", "DOUBLE"), ("end", "DOUBLE"), ("meta", "UINT8"),
           (LONG, "DOUBLE"), (LONG + "b", "DOUBLE"), ("big_absent", "BOOL"), ("small", "UINT64"), ("int", "INT32")]
MADE = ["big", "x1st", "x1st_2", "a_b", "a_b_2", "end_", "meta_2", "a" * 63, "a" * 61 + "_2", "big_absent", "small", "int"]


def make_strange(path):
    """An RTDE stream whose names are none of MATLAB's; its first value needs all of its 64 bits."""
    values = []
    for i in range(5):
        values.append((2**64 - 1 - i, i + .5, -i, 2**32 - 1 - i, -0.0, float("inf"), 200 + i, i, -i, i % 2, 2**53 - i, -2**31 + i))
    make_rtde(path, STRANGE, [struct.pack(">QdiIddBdd?Qi", *row) for row in values])
    return values


def check_strange(folder):
    """Names that MATLAB does not take; whole numbers that are absent in some rows, of which one does not fit a double."""
    import h5py
    import numpy
    values = make_strange(folder + "/strange.pcap")
    run("export", folder + "/strange.pcap", "-o", folder + "/strange.mat")
    with h5py.File(folder + "/strange.mat") as file:
        expect("names", set(file) == set(MADE) | {"time", "time_ns", "meta"}, set(file) ^ set(MADE))
        for k, (name, (source, _)) in enumerate(zip(MADE, STRANGE)):
            got = file[name][0].tolist()
            expect("values of " + name, got == [row[k] for row in values] and
                   struct.pack("<d", got[0]) == struct.pack("<d", values[0][k]), got)
            expect("name of " + name, file[name].attrs.get("name", name.encode()) == source.encode(), dict(file[name].attrs))
        expect("classes", [file[name].dtype.name for name in ("big", "x1st_2", "a_b", "meta_2", "big_absent")] ==
               ["uint64", "int32", "uint32", "uint8", "uint8"], [file[name].dtype for name in MADE])
    for dialect in ("", "v5"):
        path = folder + "/union.mat"
        run("export", "--union", folder + "/strange.pcap", SAMPLES + "/rtde-stop.pcap", "-o", path, "--dialect", dialect)
        found = read_scipy(path) if dialect else read_hdf5(path)
        big, absent, small = (numpy.frombuffer(found[name][3], found[name][0]) for name in ("big", "big_absent_2", "small"))
        expect("a wide number with absent rows " + dialect, found["big"][0] == "uint64" and [int(n) for n in big[absent == 0]] ==
               [row[0] for row in values] and absent.sum() == len(absent) - 5 > 10 and not big[absent == 1].any(), big[:9])
        expect("a narrow one " + dialect, found["small"][0] == "float64" and small[~numpy.isnan(small)].tolist() ==
               [row[10] for row in values] and int(numpy.isnan(small).sum()) == int(absent.sum()), found["small"][:3])
        truth = numpy.frombuffer(found["big_absent"][3], found["big_absent"][0])
        expect("a logical with absent rows " + dialect, found["big_absent"][0] == "float64" and
               truth[absent == 0].tolist() == [0, 1, 0, 1, 0] and numpy.isnan(truth[absent == 1]).all(), truth)


def text_of(item):
    return item[()].T.tobytes().decode("utf-16-le")


def check_meta(folder):
    """Robot, units, names of modes; h5py's unit attribute."""
    import h5py
    sample, path = SAMPLES + "/e-series-1220.pcapng.gz", folder + "/meta.mat"
    run("export", sample, "-o", path)
    run("export", sample, "-o", folder + "/meta.csv")
    robot = json.loads(run("info", "--json", sample, status=(0, 1)).stdout)["streams"][0]
    with h5py.File(path) as file:
        meta = file["meta"]
        expect("meta", [text_of(meta[key]) for key in ("robot", "stream", "protocol", "direction")] ==
               [robot["robot"], "0", "realtime", "from the robot"] and VERSION.startswith("armtap %s\n" % text_of(meta["version"])))
        units = {name: text_of(item) for name, item in meta["units"].items()}
        for name, item in file.items():
            field = field_of(name)
            unit = field["unit"] or "" if field else {"time": "s", "time_ns": "ns"}.get(name, "")
            unit = "" if unit in ("enum", "bits") else unit
            if name != "meta":
                expect("unit of " + name, units.get(name, "") == unit == item.attrs.get("unit", b"").decode(), units.get(name), unit)
        expect("units", units["actual_q"] == "rad" and units["actual_TCP_pose"] == "m, rad" and len(units) > 20, units)
        modes = {}
        for line in run("fields", "--enum", "robot_mode").stdout.decode().splitlines():
            words = line.split()
            if len(words) >= 2 and words[0].lstrip("-").isdigit() and words[1] != "AUBO":
                modes.setdefault(int(words[0]), set()).update(words[1:])
        names = [bytes(row).decode() for row in meta["enums/robot_mode/names"][()].T.astype("uint8")]
        got = dict(zip(meta["enums/robot_mode/values"][0].tolist(), (name.rstrip() for name in names)))
        expect("names of modes", got[7] == "RUNNING" and got[-1] == "NO_CONTROLLER" and all(name in modes[value] for value, name in got.items()), got, modes)


def check_units_of_elements(folder):
    """A pose has two units, each of its elements one."""
    fields = {"actual_TCP_pose_2": "m", "actual_TCP_pose_3": "rad", "actual_TCP_force_0": "N", "actual_TCP_force_5": "Nm", "actual_q_0": "rad", "robot_mode": ""}
    run("export", SAMPLES + "/e-series-1220.pcapng.gz", "--fields", ",".join(fields), "-o", folder + "/elements.mat")
    import h5py
    with h5py.File(folder + "/elements.mat") as file:
        units = {name: text_of(item) for name, item in file["meta"]["units"].items()}
        expect("units of elements", units == {**{name: unit for name, unit in fields.items() if unit}, "time": "s", "time_ns": "ns"}, units)


def check_empty(folder):
    """A file without rows has the variables of one with rows; in HDF5 with their types, sizes and units."""
    sample, kinds = SAMPLES + "/rtde-stop.pcap", {}
    for ending, dialect in (("mat", ""), ("h5", ""), ("mat", "v5")):
        path = "%s/empty.%s" % (folder, ending)
        read_it = read_scipy if dialect else read_hdf5
        run("export", sample, "-o", path, "--dialect", dialect)
        wanted, marks = read_it(path), attributes_of(path) if ending == "h5" else None
        run("export", "--from", "2100-01-01T00:00:00Z", sample, "-o", path, "--dialect", dialect)
        what, found = "empty %s %s" % (ending, dialect), read_it(path)
        expect(what, len(found) > 10 and found == {name: one and (one[0], 0, one[2], b"") for name, one in wanted.items()}, found)
        kinds[ending + dialect] = {name: one and one[:3] for name, one in found.items()}
        if ending == "h5":
            expect(what + ": attributes", attributes_of(path) == marks and marks["actual_q"]["unit"] == b"rad", marks)
    expect("empty in all kinds", kinds["mat"] == kinds["h5"] == kinds["matv5"], kinds)


def attributes_of(path):
    import h5py
    with h5py.File(path) as file:
        return {name: dict(item.attrs) for name, item in file.items() if isinstance(item, h5py.Dataset)}


def check_no_text(folder):
    """A text that is empty in all rows: in HDF5 a row without characters for each."""
    import h5py
    path, texts = folder + "/no-text.h5", ("R2_message", "R1_message")
    if "without AUBO" in VERSION:
        return
    run("export", SAMPLES + "/aubo-two-arms.pcap.gz", "-o", path)
    run("export", SAMPLES + "/aubo-two-arms.pcap.gz", "-o", folder + "/no-text.csv")
    table = read_csv(folder + "/no-text.csv")
    with h5py.File(path) as file:
        for name in texts:
            item = file[name]
            got = [row.tobytes().decode("utf-16-le").rstrip() for row in item[()].T]
            expect("texts of " + name, item.dtype == "uint16" and got == [text.rstrip() for text in table[name]], item, got[:3])


# ---- libmatio --------------------------------------------------------------------------------------------------------


def write_by_matio(path):
    """A MAT-file of version 7.3 with a variable of each class, written by libmatio."""
    matio = ctypes.CDLL(ctypes.util.find_library("matio"))
    for name in ("Mat_CreateVer", "Mat_VarCreate", "Mat_VarCreateStruct", "Mat_VarSetStructFieldByIndex"):
        getattr(matio, name).restype = ctypes.c_void_p
    file = ctypes.c_void_p(matio.Mat_CreateVer(path.encode(), None, 0x0200))
    # enum matio_classes, enum matio_types, flags: matio.h
    kinds = {"double": (6, 9, 0), "int32": (12, 5, 0), "uint32": (13, 6, 0), "int64": (14, 12, 0), "uint64": (15, 13, 0), "uint8": (9, 2, 0),
             "logical": (9, 2, 0x0200), "char": (4, 16, 0)}

    def make(name, kind, rows, columns):
        size = (ctypes.c_size_t * 2)(rows, columns)
        data = ctypes.create_string_buffer(b"a" * (rows * columns * 8 + 1))
        what, stored, flags = kinds[kind]
        return ctypes.c_void_p(matio.Mat_VarCreate(name and name.encode(), what, stored, 2, size, data, flags))

    for kind in kinds:
        matio.Mat_VarWrite(file, make(kind, kind, 3, 2), 0)
        matio.Mat_VarWrite(file, make(kind + "_empty", kind, 0, 2), 0)
    fields = (ctypes.c_char_p * 2)(b"robot", b"units")
    one = (ctypes.c_size_t * 2)(1, 1)
    meta = ctypes.c_void_p(matio.Mat_VarCreateStruct(b"struct", 2, one, fields, 2))
    for i in range(2):
        matio.Mat_VarSetStructFieldByIndex(meta, ctypes.c_size_t(i), ctypes.c_size_t(0), make(None, "char", 1, 3))
    matio.Mat_VarWrite(file, meta, 0)
    matio.Mat_Close(file)


def marks_of(item):
    """What tells MATLAB how to read an object: attributes with their types; those for h5py left out."""
    import h5py
    marks = {}
    for name in item.attrs:
        attribute = h5py.h5a.open(item.id, name.encode())
        kind = attribute.get_type()
        value = item.attrs[name]
        marks[name] = (kind.get_class(), kind.get_size(), attribute.shape if name != "MATLAB_fields" else (), value if name != "MATLAB_fields" else "")
    for name in ("unit", "name"):
        marks.pop(name, None)
    return marks, getattr(item, "dtype", None), getattr(item, "ndim", None)


def check_marks(folder):
    """Objects have the attributes that libmatio gives those of their class."""
    import h5py
    write_by_matio(folder + "/matio.mat")
    run("export", SAMPLES + "/aubo-two-arms.pcap.gz" if "without AUBO" not in VERSION else SAMPLES + "/cb2-812.pcap.gz", "-o", folder + "/ours1.mat")
    run("export", folder + "/strange.pcap", "-o", folder + "/ours2.mat", "--fields", "*,robot,packet")
    run("export", "--from", "2100-01-01T00:00:00Z", SAMPLES + "/rtde-stop.pcap", "-o", folder + "/ours3.mat")
    seen = set()
    with h5py.File(folder + "/matio.mat") as theirs:
        for number in "123":
            with h5py.File(folder + "/ours%s.mat" % number) as ours:
                for name, item in ours.items():
                    kind = item.attrs["MATLAB_class"].decode() + ("_empty" if "MATLAB_empty" in item.attrs else "")
                    seen.add(kind)
                    expect("attributes of a " + kind, marks_of(item) == marks_of(theirs[kind]), name, marks_of(item), marks_of(theirs[kind]))
                fields = [bytes(one).decode() for one in (b"".join(word) for word in ours["meta"].attrs["MATLAB_fields"])]
                expect("fields of meta", set(fields) == set(ours["meta"]), fields)
    expect("classes", seen >= {"double", "int32", "uint32", "int64", "uint64", "uint8", "logical", "char", "struct", "double_empty", "int64_empty"},
           seen)


# ---- damage ----------------------------------------------------------------------------------------------------------


def check_full(folder):
    """A file that may not grow, as on a full disk: the file that was there stays, and nothing is left beside it."""
    place = folder + "/full"
    os.mkdir(place)
    for ending, dialect in (("mat", ""), ("h5", ""), ("mat", "v5")):
        path = "%s/x.%s" % (place, ending)
        for size in (300, 3000, 50000, 150000, 300000):
            with open(path, "wb") as file:
                file.write(b"before")
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            done = run("export", SAMPLES + "/cb3-1060.pcap.gz", "-o", path, "--dialect", dialect, "--compression", "none", status=(2,),
                       preexec_fn=limit)
            said = done.stderr.decode()
            expect("full at %d: %s %s" % (size, ending, dialect), said.count("\n") == 1 and "cannot be written" in said and
                   os.listdir(place) == ["x." + ending] and open(path, "rb").read() == b"before", said, os.listdir(place))
        os.unlink(path)


def check_killed(folder):
    """Killed at any time: no file under the final name but a whole one."""
    place, kills = folder + "/killed", 0
    os.mkdir(place)
    for ending, dialect in (("mat", ""), ("h5", ""), ("mat", "v5")):
        path = "%s/x.%s" % (place, ending)
        command = [ARMTAP, "export", "--raw", "realtime", folder + "/dump", "-o", path, "--dialect", dialect]
        subprocess.run(command, check=True)
        os.rename(path, folder + "/whole")
        for wait in (0.05, 0.15, 0.3):
            export = subprocess.Popen(command)
            time.sleep(wait)
            export.kill()
            was_killed = export.wait() == -signal.SIGKILL
            kills += was_killed
            # A kill may come between the file's last name and the end of the process.
            is_whole = os.path.exists(path) and filecmp.cmp(path, folder + "/whole", shallow=False)
            expect("killed: %s %s" % (ending, dialect), is_whole if not was_killed else is_whole or not os.path.exists(path), was_killed)
            for name in glob.glob(place + "/*"):
                os.unlink(name)
    expect("killed while it ran", kills > 0, kills)


def main():
    missing = lacking()
    if missing not in (None, "octave") and sys.executable != DEBIAN and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    if "built without libhdf5" in VERSION or "built without libmatio" in VERSION:
        left_out("libhdf5 or libmatio")
        return 77
    if missing:
        lacks(missing)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        # libhdf5 1.10 does not free 4 KB of its own if a file cannot be written.
        with open(folder + "/leaks", "w") as file:
            file.write("leak:libhdf5\n")
        os.environ["LSAN_OPTIONS"] = "suppressions=%s/leaks:print_suppressions=0" % folder
        values = check_all(folder, check_samples(folder))
        bits = check_bits(folder)
        for check in share((check_strange, check_meta, check_units_of_elements, check_empty, check_no_text, check_marks, check_full, check_killed), 3, "checks of MAT-files and HDF5"):
            check(folder)
    print("values equal to the CSV's: %s" % ", ".join("%d by %s" % (count, name) for name, count in values.items()) +
          "; %d with any bits" % bits)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
