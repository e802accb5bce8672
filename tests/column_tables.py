"""Files of columns against the CSV of the same rows, for tests of formats that are read by numpy: npz-check.py, arrow-check.py."""
import csv
import glob
import importlib.util
import json
import os
import struct
import subprocess

from tally import expect

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
TOP = os.path.abspath(os.environ.get("srcdir", "."))
SAMPLES = TOP + "/captures"
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
DEBIAN = "/usr/bin/python3"
NAN, NAT = 0x7ff8000000000000, -2**63
# In numpy's words: what a field of the table is.
KINDS = {"DOUBLE": "float64", "INT32": "int32", "UINT32": "uint32", "UINT64": "uint64", "UINT8": "uint8", "BOOL": "bool",
         "VECTOR3D": "float64", "VECTOR6D": "float64", "VECTOR6INT32": "int32", "VECTOR6UINT32": "uint32"}
FIELDS = {}


def load(name):
    """Another test, as a module."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(TOP, "tests", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def has_numpy():
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True


def run(*arguments, status=(0,), **options):
    done = subprocess.run([ARMTAP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    expect("armtap %s: status" % " ".join(arguments), done.returncode in status, done.returncode, done.stderr.decode())
    return done


def field_of(name):
    if not FIELDS:
        for field in json.loads(run("fields", "--json").stdout):
            FIELDS[field["name"]] = field
    return FIELDS.get(name)


def samples():
    names = sorted(glob.glob(SAMPLES + "/*.pcap*"))
    if "without AUBO" in VERSION:
        names = [name for name in names if "aubo" not in name]
    expect("samples", len(names) > 10, names)
    return names


def split(folder, name, ending, *arguments):
    """The files of an export with --split, by stream and part."""
    run("export", *arguments, "--split", "-o", "%s/%s.%s" % (folder, name, ending))
    return {path.rsplit(".", 2)[1]: path for path in glob.glob("%s/%s.*.%s" % (folder, name, ending))}


def pairs_of(folder, name, ending, *arguments, fields="time_ns,*"):
    """What, the file and the CSV of each table of an export."""
    tables = split(folder, name, "csv", *arguments, "--fields", fields)
    files = split(folder, name, ending, *arguments, *(() if fields == "time_ns,*" else ("--fields", fields)))
    expect("%s: the same tables" % name, tables.keys() == files.keys(), tables, files)
    return [("%s %s" % (name, table), files[table], tables[table]) for table in sorted(tables) if table in files]


def read_csv(path):
    """Texts by column."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = list(zip(*rows[1:])) if len(rows) > 1 else [()] * len(rows[0])
    return dict(zip(rows[0], columns))


def whole(text):
    return {"True": 1, "False": 0, "true": 1, "false": 0}.get(text) if not text.lstrip("-").isdigit() else int(text)


def time_of(text):
    """Seconds with nine decimals as nanoseconds."""
    return int(text.replace(".", ""))


def same_text(got, text):
    """The CSV has JSON's strings without quotes, and its truth values as numbers."""
    if got.startswith('"'):
        return json.loads(got) == text
    return got == text or (got in ("true", "false") and str(int(got == "true")) == text)


def differing(values, known, texts):
    """The first row where a column is not what the CSV says, or None. `known`: which rows have a value, in the file's own way."""
    import numpy
    there = numpy.array([text != "" for text in texts], bool)
    if values.dtype.kind in "US":
        # An empty text and none look alike in the CSV.
        decoded = [value.decode("latin-1") if isinstance(value, bytes) else value for value in values.tolist()]
        wrong = numpy.array([not same_text(*both) for both in zip(decoded, texts)], bool) | (there & ~known)
    elif values.dtype.kind == "f":
        wanted = numpy.array([float(text) if text else float("nan") for text in texts])
        wrong = (values.view("u8") != wanted.view("u8")) & ~(numpy.isnan(values) & numpy.isnan(wanted) & there)
        wrong |= known != there
    else:
        of = time_of if values.dtype.kind == "M" else whole
        absent = NAT if values.dtype.kind == "M" else 0
        wanted = numpy.array([of(text) if text else absent for text in texts], values.view("i8").dtype if values.dtype.kind == "M" else values.dtype)
        wrong = ((values.view("i8") if values.dtype.kind == "M" else values) != wanted) | (known != there)
    return int(wrong.argmax()) if wrong.any() else None


def check_table(what, table, arrays, known_of):
    """Compares a file's arrays by name, of one or two dimensions, with the CSV's columns. known_of(name) is an array of the same
    shape. Returns the number of values."""
    values, left = 0, list(table)
    for name, array in arrays.items():
        columns = [name] if array.ndim == 1 else ["%s_%d" % (name, k) for k in range(array.shape[1])]
        expect("%s: columns of %s" % (what, name), all(column in left for column in columns), columns)
        known = known_of(name)
        expect("%s: shape of what is known of %s" % (what, name), known.shape == array.shape, known.shape, array.shape)
        field = field_of(name)
        if field and array.dtype.kind != "U":  # of several generations, modes are named
            expect("%s: type of %s" % (what, name), array.dtype.name == KINDS[field["type"]], array.dtype, field["type"])
        for k, column in enumerate(column for column in columns if column in left):
            left.remove(column)
            one, its = (array, known) if array.ndim == 1 else (array[:, k].copy(), known[:, k])
            same = len(one) == len(table[column])
            row = differing(one, its, table[column]) if same else None
            expect("%s: %s" % (what, column), same and row is None, row, len(one), None if row is None else (one[row], its[row], table[column][row]))
            values += len(one)
    expect("%s: every column is there" % what, not left, left)
    return values


def make_rtde(path, columns, rows):
    """A capture of an RTDE stream whose outputs have those names and types, as pairs; `rows` are packages' bytes."""
    package = lambda kind, body: struct.pack(">HB", 3 + len(body), ord(kind)) + body
    connection = load("aubo-check").Connection(30004, 50000)
    connection.send("c", package("V", b"\0\2"))
    connection.send("r", package("V", b"\1"))
    connection.send("c", package("O", struct.pack(">d", 500) + ",".join(name for name, _ in columns).encode()))
    connection.send("r", package("O", b"\1" + ",".join(kind for _, kind in columns).encode()))
    connection.send("c", package("S", b""))
    connection.send("r", package("S", b"\1"))
    for row in rows:
        connection.send("r", package("U", b"\1" + row))
    connection.write(path)
