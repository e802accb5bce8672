"""The primary interface's bytes, packed by Python's struct from the tables of facts in tests/unit/data: an encoder that
shares nothing with the decoder."""
import csv
import os
import re
import struct

DATA = os.path.join(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")), "tests",
                    "unit", "data")
FORMATS = {"bool": "B", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
           "uint64": "Q", "float32": "f", "float64": "d"}
NO_CLOCK = 2**64 - 1


class Layout:
    """A sub-package as some releases send it."""

    def __init__(self, name, number, variant, size):
        self.name, self.number, self.variant, self.size = name, number, variant, size
        self.rows = []  # (offset, UR's name, format, field)

    def pack(self, value, extra=b"", cut=0):
        """`value` gives each row's number; `extra` follows, or the last `cut` bytes are missing."""
        body = bytearray(self.size - 5)
        for row in self.rows:
            offset, _, form, _ = row
            struct.pack_into(">" + form, body, offset - 5, value(self, row))
        body = bytes(body) + extra
        body = body[:len(body) - cut]
        return struct.pack(">IB", len(body) + 5, self.number) + body


def layouts():
    """All of them, by (name, variant)."""
    found = {}
    with open(os.path.join(DATA, "primary_layout.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["wire"] not in FORMATS:
                continue  # its bytes are not known
            key = row["subpackage"], row["variant"]
            if key not in found:
                found[key] = Layout(key[0], int(row["type"]), key[1], int(row["size"]))
            found[key].rows.append((int(row["offset"]), row["name"], FORMATS[row["wire"]], row["field"].strip("-")))
    return found


def message(kind, body):
    return struct.pack(">IB", len(body) + 5, kind & 0xFF) + body


def state(subpackages):
    return message(16, b"".join(subpackages))


def robot_message(kind, body, clock=NO_CLOCK, source=-2):
    return message(20, struct.pack(">Qbb", clock, source, kind) + body)


def version(major, minor, bugfix, date=b"03-05-2019, 06:39:00"):
    return robot_message(3, b"\x09URControl" + struct.pack(">BBii", major, minor, bugfix, 0) + date)


def element_of(field):
    """(name, element) of a vector's element, (name, None) of a plain field."""
    found = re.fullmatch(r"(.*[a-z])_([0-5])", field)
    return (found.group(1), int(found.group(2))) if found else (field, None)
