#!/usr/bin/env python3
"""MAT-files and HDF5, read by Octave, h5py and scipy: every value of every sample equals the CSV's, doubles to the last bit;
classes, sizes, names and units; the attributes that MATLAB needs, against those that libmatio writes.

Skipped without these readers, but not in CI. Debian's Python has h5py and scipy."""
import csv
import ctypes
import ctypes.util
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish

DEBIAN = "/usr/bin/python3"
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
TOP = os.path.abspath(os.environ.get("srcdir", "."))
SAMPLES = TOP + "/captures"
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
NAN = struct.unpack("<q", struct.pack("<q", 0x7ff8000000000000))[0]
# In numpy's words: what a column of the field table becomes, if each row has a value.
KINDS = {"DOUBLE": "float64", "INT32": "int32", "UINT32": "uint32", "UINT64": "uint64", "UINT8": "uint8", "BOOL": "uint8",
         "VECTOR3D": "float64", "VECTOR6D": "float64", "VECTOR6INT32": "int32", "VECTOR6UINT32": "uint32"}
CLASSES = {"float64": "double", "uint16": "char"}


def missing():
    """What is missing for this test, or None."""
    if "built without libhdf5" in VERSION or "built without libmatio" in VERSION:
        return "armtap was built without libhdf5 or libmatio"
    if not shutil.which("octave-cli"):
        return "octave is not installed"
    try:
        import h5py  # noqa: F401
        import scipy.io  # noqa: F401
    except ImportError as error:
        return str(error)
    return None


def run(*arguments, status=(0,)):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False)
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
    for sample in samples:
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
    expect("values", min(values.values()) > 170000, values)
    return values


def main():
    lacking = missing()
    if lacking and sys.executable != DEBIAN and os.path.exists(DEBIAN) and "module" in lacking:
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    if lacking:
        print("matlab-check: " + lacking)
        return 1 if os.environ.get("CI") == "true" else 77
    with tempfile.TemporaryDirectory() as folder:
        values = check_all(folder, check_samples(folder))
    print("values equal to the CSV's: %s" % ", ".join("%d by %s" % (count, name) for name, count in values.items()))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
