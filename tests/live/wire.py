"""What goes over the ports of a UR controller: RTDE packages, legacy packets and messages of the primary interface, packed
with Python's struct from the tables in tests/unit/data. Nothing of armtap is used."""
import csv
import functools
import os
import struct

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "data")
# name of a type: format and number of elements
TYPES = {"BOOL": ("?", 1), "UINT8": ("B", 1), "UINT32": ("I", 1), "UINT64": ("Q", 1), "INT32": ("i", 1), "DOUBLE": ("d", 1),
         "VECTOR3D": ("3d", 3), "VECTOR6D": ("6d", 6), "VECTOR6INT32": ("6i", 6), "VECTOR6UINT32": ("6I", 6)}
HEADER = struct.Struct(">HB")
ERROR, WARNING, INFO = 1, 2, 3
ROBOT_STATE, VERSION_MESSAGE = 16, 20


def table(name):
    with open(os.path.join(DATA, name), newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@functools.lru_cache
def variables():
    """Name: direction, type in protocols 1 and 2, type in protocol 3."""
    return {row["name"]: (row["direction"], row["type"], row["type_3"]) for row in table("rtde_variables.csv")}


@functools.lru_cache
def layouts():
    """Size of a legacy packet: [(offset, name, elements)]."""
    found = {}
    for row in table("realtime_layout.csv"):
        found.setdefault(int(row["size"]), []).append((int(row["offset"]), row["name"], int(row["count"])))
    return found


# ---- RTDE ------------------------------------------------------------------------------------------------------------


def package(kind, payload=b""):
    return HEADER.pack(HEADER.size + len(payload), ord(kind)) + payload


def text_package(message, source="", level=INFO, protocol=2):
    message, source = message.encode(), source.encode()
    if protocol == 1:
        return package("M", bytes([level]) + message)
    return package("M", bytes([len(message)]) + message + bytes([len(source)]) + source + bytes([level]))


def text_of(payload, protocol):
    """Level, message, source."""
    if protocol == 1:
        return payload[0], payload[1:].decode(), ""
    end = 1 + payload[0]
    return payload[-1], payload[1:end].decode(), payload[end + 1:end + 1 + payload[end]].decode()


class Packages:
    """Cuts a stream into (kind, payload)."""

    def __init__(self):
        self.rest = b""

    def feed(self, data):
        self.rest += data
        found = []
        while len(self.rest) >= HEADER.size:
            size, kind = HEADER.unpack_from(self.rest)
            if size < HEADER.size:
                raise ValueError("a package of %d bytes" % size)
            if len(self.rest) < size:
                break
            found.append((chr(kind), self.rest[HEADER.size:size]))
            self.rest = self.rest[size:]
        return found


class Recipe:
    """Names and types: values to bytes and back. A value is always a tuple."""

    def __init__(self, names, types):
        self.names, self.types = names, types
        self.counts = [TYPES[one][1] for one in types]
        self.struct = struct.Struct(">" + "".join(TYPES[one][0] for one in types))

    def pack(self, values):
        return self.struct.pack(*(one for name in self.names for one in values[name]))

    def unpack(self, data):
        flat, found, at = self.struct.unpack(data), {}, 0
        for name, count in zip(self.names, self.counts):
            found[name] = flat[at:at + count]
            at += count
        return found


# ---- legacy packets -----------------------------------------------------------------------------------------------------


class Layout:
    """A legacy packet: an int32, its size; then doubles, whatever they mean."""

    def __init__(self, size):
        self.size, self.cells = size, layouts()[size]
        self.struct = struct.Struct(">I%dd" % ((size - 4) // 8))

    def pack(self, values):
        """Cells without a value are 0.0."""
        return self.struct.pack(self.size, *(float(one) for _, name, count in self.cells for one in values.get(name, (0,) * count)))

    def unpack(self, data):
        flat, found = self.struct.unpack(data)[1:], {}
        for offset, name, count in self.cells:
            at = (offset - 4) // 8
            found[name] = flat[at:at + count]
        return found


# ---- the primary interface -------------------------------------------------------------------------------------------------


def primary(kind, payload):
    return struct.pack(">IB", 5 + len(payload), kind) + payload


def sub_package(kind, form, *values):
    body = struct.pack(">" + form, *values)
    return struct.pack(">IB", 5 + len(body), kind) + body


def sub_packages(payload):
    """Type: bytes behind the header, of a robot state."""
    found, at = {}, 0
    while at + 5 <= len(payload):
        size, kind = struct.unpack_from(">IB", payload, at)
        if size < 5:
            break
        found[kind] = payload[at + 5:at + size]
        at += size
    return found


class Messages:
    """Cuts a stream of the primary interface into (type, payload)."""

    def __init__(self):
        self.rest = b""

    def feed(self, data):
        self.rest += data
        found = []
        while len(self.rest) >= 5:
            size, kind = struct.unpack_from(">IB", self.rest)
            if size < 5:
                raise ValueError("a message of %d bytes" % size)
            if len(self.rest) < size:
                break
            found.append((kind, self.rest[5:size]))
            self.rest = self.rest[size:]
        return found
