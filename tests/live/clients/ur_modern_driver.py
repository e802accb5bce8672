"""ur_modern_driver: 30001, one read of at most 512 bytes that must hold the whole version message; then 30002, for RobotModeData and
(before 3.12) master board data; 30003, of which each read must begin with a packet of the size that its version has."""
import struct
import time

import common
from common import must
import wire

SIZES = {(1, 6): 756, (1, 7): 764, (1, 8): 812, (3, 0): 1044, (3, 1): 1044, (3, 2): 1060}


def version_of(data):
    size, kind = struct.unpack_from(">IB", data)
    must("the version message whole, and first", kind == wire.VERSION_MESSAGE and size <= len(data) and data[14] == 3, data[:16])
    return struct.unpack_from(">BB", data, 16 + data[15])


def come_up(robot, samples=20):
    with robot.connect("primary") as primary:
        version = version_of(primary.read(None, 512))
    with robot.connect("secondary", 10.0) as secondary, robot.connect("realtime", 10.0) as realtime:
        messages, parts = wire.Messages(), {}
        while 0 not in parts:
            for kind, payload in messages.feed(secondary.read(None, 2048)):
                parts.update(wire.sub_packages(payload) if kind == wire.ROBOT_STATE else {})
        rows, end = [], time.monotonic() + common.FOR_EVER
        while len(rows) < samples:
            data = realtime.read(end - time.monotonic(), 2048)
            size = struct.unpack_from(">I", data)[0]
            if size == SIZES.get(version, size) and 12 <= len(data) and size in wire.layouts():
                rows.append({"size": (size,), "timestamp": struct.unpack_from(">d", data, 4)})
        return {"version": version, "robot_mode": struct.unpack_from(">Q7?B", parts[0])[8], "rows": rows}
