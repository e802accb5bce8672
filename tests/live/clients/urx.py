"""python-urx: 30002, from which a robot state with RobotModeData of 47 bytes, JointData of 251 and CartesianInfo of 101 must come
within 0.5 s, twice; with use_rt also 30003, whose packets it reads in exact lengths, 0.5 s for each."""
import struct

from common import must
import wire

PATIENCE = 0.5
SIZES = {0: 47, 1: 251, 4: 101}
ACTUAL_Q, POSE, LONGEST = 252, 588, 2000


def state(stream, messages, found):
    """The next robot state, by type."""
    while not found:
        found += [one for one in messages.feed(stream.read(PATIENCE, 1024)) if one[0] == wire.ROBOT_STATE]
    payload = found.pop(0)[1]
    must("a message of at most 2000 bytes", len(payload) + 5 <= LONGEST)
    parts = wire.sub_packages(payload)
    sizes = {kind: len(parts.get(kind, b"")) + 5 for kind in SIZES}
    must("parts of known sizes", sizes == SIZES, sizes)
    return parts


def packets(stream, count):
    rows = []
    for _ in range(count):
        size = struct.unpack(">i", stream.read_exactly(4, PATIENCE))[0]
        must("a packet of at least 692 bytes", 692 <= size <= 4096, size)
        data = b"\0\0\0\0" + stream.read_exactly(size - 4, PATIENCE)
        rows.append({"size": (size,), "timestamp": struct.unpack_from(">d", data, 4),
                     "actual_q": struct.unpack_from(">6d", data, ACTUAL_Q)})
    return rows


def come_up(robot, samples=20, use_rt=True):
    with robot.connect("secondary", PATIENCE) as stream:
        messages, found = wire.Messages(), []
        parts = [state(stream, messages, found), state(stream, messages, found)]
        mode = struct.unpack_from(">Q7?B", parts[1][0])
        joints = struct.unpack_from(">" + "dddffffB" * 6, parts[1][1])
        values = {"robot_mode": mode[8], "running": mode[8] == 7 and mode[1] and mode[2] and mode[3] and not mode[4],
                  "actual_q": joints[0::8], "pose": struct.unpack_from(">6d", parts[1][4]), "rows": []}
        if use_rt:
            with robot.connect("realtime", PATIENCE) as realtime:
                values["rows"] = packets(realtime, samples)
        return values
