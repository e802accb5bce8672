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
ROBOT, CLIENT, EPOCH = bytes([10, 0, 0, 7]), bytes([10, 0, 0, 9]), 1769860800
REGULAR = [("RobotModeData", "3.5-"), ("JointData", "all"), ("CartesianInfo", "3.2-"), ("NeededForCalibData", "all"),
           ("MasterboardData", "3.5-"), ("ToolData", "all"), ("ForceModeData", "all"), ("AdditionalInfo", "3.5-"),
           ("SafetyData", "3.5-"), ("ToolCommInfo", "e"), ("ToolModeInfo", "e 5.2-")]
OF_CB2 = {"RobotModeData": "1.6-1.8", "MasterboardData": "1.6-1.8", "CartesianInfo": "1.6-3.1", "AdditionalInfo": "1.8-3.1"}


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


class Capture:
    """Packets of one connection, as a pcap file."""

    def __init__(self, port, client_port=50000):
        self.port, self.client_port, self.number = port, client_port, 0
        self.sequence = {"robot": 1000, "client": 5000}
        self.bytes = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)
        for sender, flags in (("client", 0x02), ("robot", 0x12), ("client", 0x10)):
            self.segment(sender, 0, b"", flags)

    def segment(self, sender, time, payload, flags=0x18):
        other = "client" if sender == "robot" else "robot"
        address, port = {"robot": ROBOT, "client": CLIENT}, {"robot": self.port, "client": self.client_port}
        tcp = struct.pack(">HHIIBBHHH", port[sender], port[other], self.sequence[sender], self.sequence[other], 5 << 4,
                          flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), self.number + 1, 0, 64, 6, 0, address[sender],
                         address[other])
        packet = bytes(12) + b"\x08\0" + ip + tcp + payload
        self.number += 1
        self.sequence[sender] += len(payload) + (flags >> 1 & 1)
        seconds, rest = divmod(round(time * 1e9), 10**9)
        self.bytes += struct.pack("<4I", EPOCH + seconds, rest, len(packet), len(packet)) + packet

    def send(self, sender, time, payload):
        for at in range(0, len(payload), 1000):
            self.segment(sender, time, payload[at:at + 1000])

    def send_states(self, parts, counts):
        """A release, and states of these sub-packages."""
        is_cb2 = any(part.variant == "1.6-1.8" for part in parts)
        self.send("robot", 0.01, version(1, 8, 25319) if is_cb2 else version(5, 8, 0))
        for number in range(counts):
            self.send("robot", 0.1 + number * 0.096, state([part.pack(value_of(number)) for part in parts]))


def value_of(number):
    """The number of each row: different in every state and at every offset, and exact as a float."""
    def value(layout, row):
        offset, name, form = row[:3]
        if name == "timestamp":
            return 25643784000 + 96000 * number
        if name in ("euromap67InterfaceInstalled", "immiInterfaceInstalled"):
            return int("euromap" in layout.variant)
        if name.startswith(("analogInputRange", "analogOutputDomain")):
            return offset + number & 1
        if form in "df":
            return (offset - 40 + number) / 16
        if form in "hH":
            return 0x2a0 + offset + number
        return (offset + number) % 100
    return value


def regular_parts():
    known = layouts()
    return [known[key] for key in REGULAR]


def variants():
    """(name, sub-packages of a state) for each layout of each release."""
    known = layouts()
    for (name, variant), layout in known.items():
        cb2 = variant in ("1.6-1.8", "1.6-1.8 euromap", "1.8", "1.6-1.7")
        keys = [(part, OF_CB2.get(part, usual) if cb2 else usual) for part, usual in REGULAR[:8 if cb2 else None]]
        parts = [layout if part == name else known[part, usual] for part, usual in keys]
        if layout not in parts:
            parts.append(layout)
        yield "%s %s" % (name, variant), parts
