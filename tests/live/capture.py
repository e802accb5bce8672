"""Captures of the fake robot, without any network: an RTDE connection with its handshake and a legacy one, as a pcap file of raw
IP packets. Every value is the robot's, so that what is served from it can be compared with what nobody decoded."""
import socket
import struct

import wire

ROBOT, CLIENT = "10.0.0.2", "10.0.0.9"
EPOCH = 1769860800
FIN, SYN, PSH, ACK = 1, 2, 8, 16


class Connection:
    """Packets of a TCP connection, at times that rise."""

    def __init__(self, port, client_port, begin=0.0, robot=ROBOT):
        self.ports, self.sequence, self.packets = {"robot": port, "client": client_port}, {"robot": 1000, "client": 5000}, []
        self.robot = robot
        self.packet(begin, "client", SYN)
        self.packet(begin, "robot", SYN | ACK)
        self.packet(begin, "client", ACK)

    def packet(self, time, sender, flags, data=b""):
        other = "client" if sender == "robot" else "robot"
        hosts = [socket.inet_aton(self.robot if one == "robot" else CLIENT) for one in (sender, other)]
        tcp = struct.pack(">HHIIBBHHH", self.ports[sender], self.ports[other], self.sequence[sender],
                          self.sequence[other] if flags & ACK else 0, 0x50, flags, 64240, 0, 0)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), 0, 0x4000, 64, 6, 0) + b"".join(hosts)
        self.packets.append((time, ip + tcp + data))
        self.sequence[sender] += len(data) + (flags & (SYN | FIN) != 0)

    def say(self, time, sender, data):
        self.packet(time, sender, PSH | ACK, data)

    def end(self, time):
        self.packet(time, "client", FIN | ACK)
        self.packet(time, "robot", FIN | ACK)
        self.packet(time, "client", ACK)


def outputs_of(robot, registers=20):
    """All outputs that are no registers, and the first of these."""
    return [name for name, (direction, *_) in robot.variables.items()
            if direction == "output" and ("register" not in name or "output_bit" not in name and number(name) < registers)]


def number(name):
    tail = name.rsplit("_", 1)[1]
    return int(tail) if tail.isdigit() else 1 << 30


def rtde(robot, names, steps, divisor=1, protocol=2):
    """The handshake, a data package every `divisor` cycles, the end."""
    link = Connection(30004, 41000)
    recipe = wire.Recipe(names, [robot.type_of(name, protocol) for name in names])
    dialogue = [("V", struct.pack(">H", protocol), b"\1"), ("v", b"", struct.pack(">4I", *robot.version)),
                ("O", struct.pack(">d", robot.hz / divisor) + ",".join(names).encode(), b"\1" + ",".join(recipe.types).encode()),
                ("S", b"", b"\1")]
    for i, (kind, asked, answer) in enumerate(dialogue):
        link.say(0.0001 * i, "client", wire.package(kind, asked))
        link.say(0.0001 * i + 0.00005, "robot", wire.package(kind, answer))
    for step in range(divisor, steps, divisor):
        link.say(step / robot.hz, "robot", wire.package("U", b"\1" + recipe.pack(robot.values(names, step))))
    link.end(steps / robot.hz)
    return link.packets


def realtime(robot, steps, divisor=1):
    link = Connection(30003, 41001)
    for step in range(divisor, steps, divisor):
        link.say(step / robot.hz + 0.0002, "robot", robot.layout.pack(robot.packet_values(step)))
    link.end(steps / robot.hz)
    return link.packets


def spoken(port, client_port, begin, said, size=1448, robot=ROBOT):
    """A connection on which each (time, sender, bytes) of `said` is sent, in segments of that size; each is acknowledged."""
    link = Connection(port, client_port, begin, robot)
    for time, sender, data in said:
        for at in range(0, len(data), size):
            link.say(time, sender, data[at:at + size])
            link.packet(time, "client" if sender == "robot" else "robot", ACK)
    link.end(max(time for time, _, _ in said) + 0.001)
    return link.packets


def write(path, *streams):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 101))
        for time, packet in sorted((one for stream in streams for one in stream), key=lambda one: one[0]):
            file.write(struct.pack("<IIII", EPOCH + int(time), round(time % 1 * 1e9), len(packet), len(packet)) + packet)
