"""Captures of RTDE clients and their robots, made by hand: handshakes, set-ups, packages, pauses, lost segments."""
import ipaddress
import struct

BEGIN = 1769860800  # 2026-01-31 12:00:00 UTC
CODES = {"DOUBLE": "d", "VECTOR6D": "6d", "INT32": "i", "UINT32": "I", "UINT64": "Q", "BOOL": "?"}


def message(kind, body=b""):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


class Capture:
    """Frames with their times in s after BEGIN."""

    def __init__(self):
        self.frames, self.sent = [], {}

    def segment(self, time, source, target, payload, flags=0x18, is_lost=False):
        sequence, acknowledged = self.sent.get((source, target), 1000), self.sent.get((target, source), 1000)
        self.sent[(source, target)] = sequence + len(payload) + bool(flags & 3)
        tcp = struct.pack(">HHIIBBHHH", source[1], target[1], sequence & 0xffffffff, acknowledged & 0xffffffff, 0x50, flags, 65535,
                          0, 0)
        is_ipv6 = ":" in source[0] + target[0]
        ends = [ipaddress.ip_address(end[0] if ":" in end[0] or not is_ipv6 else "fd00::" + end[0]).packed for end in (source, target)]
        header = struct.pack(">IHBB", 6 << 28, 20 + len(payload), 6, 64) + b"".join(ends) if is_ipv6 else struct.pack(
            ">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), len(self.frames) & 0xffff, 0x4000, 64, 6, 0, *ends)
        if not is_lost:
            self.frames.append((time, b"\2\0\0\0\0\1\2\0\0\0\0\2" + (b"\x86\xdd" if is_ipv6 else b"\x08\0") + header + tcp + payload))

    def write(self, path):
        """In the order in which the frames were added."""
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
            for time, frame in self.frames:
                ns = round((BEGIN + time) * 1e6) * 1000
                file.write(struct.pack("<IIII", ns // 10**9, ns % 10**9, len(frame), len(frame)) + frame)


class Client:
    """An RTDE client of a robot: `fields` is a list of (name, type)."""

    def __init__(self, capture, time, fields, port=40001, robot="10.0.0.2", hz=125.0, host="10.0.0.9"):
        self.capture, self.client, self.robot = capture, (host, port), (robot, 30004)
        self.codes = ">" + "".join(CODES[kind] for _, kind in fields)
        capture.segment(time, self.client, self.robot, b"", 2)
        capture.segment(time, self.robot, self.client, b"", 0x12)
        capture.segment(time, self.client, self.robot, b"", 0x10)
        names, types = (",".join(column).encode() for column in zip(*fields))
        self.ask(time, "V", b"\0\2", b"\1")
        self.ask(time, "O", struct.pack(">d", hz) + names, b"\1" + types)
        self.ask(time, "S", b"", b"\1")

    def ask(self, time, kind, question, answer):
        self.capture.segment(time, self.client, self.robot, message(kind, question))
        self.capture.segment(time, self.robot, self.client, message(kind, answer))

    def pause(self, time):
        self.ask(time, "P", b"", b"\1")

    def start(self, time):
        self.ask(time, "S", b"", b"\1")

    def package(self, time, *values, is_lost=False):
        body = b"\1" + struct.pack(self.codes, *values)
        self.capture.segment(time, self.robot, self.client, message("U", body), is_lost=is_lost)

    def close(self, time):
        self.capture.segment(time, self.client, self.robot, b"", 0x11)
        self.capture.segment(time, self.robot, self.client, b"", 0x11)
        self.capture.segment(time, self.client, self.robot, b"", 0x10)
