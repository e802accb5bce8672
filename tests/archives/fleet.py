"""An archive as a recorder leaves it: the traffic of three robots over midnight, in captures that were rotated while records and
handshakes were on their way, with a packet that is missing."""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "live"), os.path.join(HERE, "..")]

import capture  # noqa: E402  pylint: disable=wrong-import-position
import wire  # noqa: E402  pylint: disable=wrong-import-position
from robot import Robot  # noqa: E402  pylint: disable=wrong-import-position

MIDNIGHT = 43200  # seconds from capture.EPOCH, noon, to the next day
RECIPES = (["timestamp", "actual_q", "actual_qd", "actual_TCP_pose", "actual_TCP_force", "robot_mode", "safety_status", "runtime_state"],
           ["timestamp", "target_q", "actual_current", "joint_temperatures", "robot_mode", "actual_digital_input_bits"])
NAMES = ("monday %02d.pcap", "night-%02d.pcap")


def handshake(robot, names, begin, protocol):
    """The dialogue of a client, its recipe, and when data begins: requests and replies a millisecond apart."""
    recipe = wire.Recipe(names, [robot.type_of(name, protocol) for name in names])
    dialogue = [("V", struct.pack(">H", protocol), b"\1"), ("v", b"", struct.pack(">4I", *robot.version)),
                ("O", struct.pack(">d", robot.hz) + ",".join(names).encode(), b"\1" + ",".join(recipe.types).encode()),
                ("S", b"", b"\1")]
    said = []
    for i, (kind, asked, answer) in enumerate(dialogue):
        said.append((begin + 0.002 * i, "client", wire.package(kind, asked)))
        said.append((begin + 0.002 * i + 0.001, "robot", wire.package(kind, answer)))
    return said, recipe


def rtde(address, begin, steps, names, client_port, protocol=2):
    """A connection from its handshake to its end; segments cut records, and hold the end of one and the beginning of the next."""
    robot = Robot((5, 11, 0, 108249), hz=125)
    said, recipe = handshake(robot, names, begin, protocol)
    packages = [wire.package("U", b"\1" + recipe.pack(robot.values(names, step))) for step in range(steps)]
    for step in range(0, steps, 3):
        said.append((begin + 0.01 + step / robot.hz, "robot", b"".join(packages[step:step + 3])))
    return capture.spoken(30004, client_port, begin, said, size=len(packages[0]) * 4 // 5, robot=address)


def realtime(address, begin, steps):
    robot = Robot((3, 12, 1, 1), hz=125, size=1108)
    said = [(begin + step / robot.hz, "robot", robot.layout.pack(robot.packet_values(step))) for step in range(steps)]
    return capture.spoken(30003, 40003, begin, said, size=600, robot=address)


def traffic(steps):
    """Packets of three robots, in order of time. One packet is missing, so that there is something to find."""
    begin, length = MIDNIGHT - steps / 125 * 0.6, steps / 125
    streams = [rtde("10.0.1.11", begin, steps, RECIPES[0], 41000),
               rtde("10.0.1.12", begin + 0.1 * length, steps // 3, RECIPES[1], 41000),
               rtde("10.0.1.12", begin + 0.5 * length, steps // 3, RECIPES[0], 41001),  # the client came back, with another recipe
               realtime("10.0.1.13", begin + 0.003, steps)]
    del streams[0][len(streams[0]) // 3 * 2 + 1]
    return sorted((packet for stream in streams for packet in stream), key=lambda one: one[0])


def within_handshakes(packets):
    """Places between a request and its reply."""
    return [i + 1 for i, (_, packet) in enumerate(packets[:-1]) if packet[40:43] in (b"\0\3v", b"\0\3S") or packet[42:43] == b"O"]


def make(folder, count=12, steps=360):
    """Writes the captures; their names in order of time."""
    packets = traffic(steps)
    places = within_handshakes(packets)
    cuts = places[1:9:3]
    cuts += [len(packets) * k // (count - len(cuts)) for k in range(1, count - len(cuts))]
    ends, begin, names = sorted(set(cuts)) + [len(packets)], 0, []
    for i, end in enumerate(ends):
        names.append(os.path.join(folder, NAMES[i * 2 >= len(ends)] % i))
        capture.write(names[-1], packets[begin:end])
        begin = end
    return names


if __name__ == "__main__":
    for name in make(sys.argv[1], *map(int, sys.argv[2:])):
        print(name)
