"""Captures of robots whose clients connect again and again, made by hand; what each connection does is known."""
import random
import struct

import robot_capture as wire

FIELDS = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("robot_mode", "INT32")]
SHORTER = FIELDS[:2]
SAFETY = FIELDS + [("safety_status", "INT32")]
ENDS = ("client", "robot", "reset-by-client", "reset-by-robot")


class Many:
    """Connections one after the other, each with a client port of its own, as a kernel gives them."""

    def __init__(self, seed=1):
        self.capture, self.random, self.client = wire.Capture(), random.Random(seed), "10.0.0.9"
        self.port, self.time, self.clock = {}, 0.0, 1000.0

    def next_port(self, robot):
        port = self.port.get(robot, 32766) + 2
        self.port[robot] = port if port < 60998 else 32768
        return self.port[robot]

    def ends(self, robot, port):
        return (self.client, self.next_port(robot)), (robot, port)

    def refused(self, robot="10.0.0.2", port=30004):
        """An attempt that the robot refuses."""
        client, server = self.ends(robot, port)
        self.begin(client, server)
        self.capture.segment(self.time, client, server, b"", 2)
        self.capture.segment(self.time + 0.0005, server, client, b"", 0x14)
        self.time += 1

    def begin(self, client, server):
        """A connection begins with numbers of its own."""
        for pair in ((client, server), (server, client)):
            self.capture.sent[pair] = self.random.randrange(1 << 32)

    def finish(self, client, server, end):
        one, other = (client, server) if end.endswith("client") else (server, client)
        if end.startswith("reset"):
            self.capture.segment(self.time, one, other, b"", 0x14)
        else:
            for source, target in ((one, other), (other, one)):
                self.capture.segment(self.time, source, target, b"", 0x11)
            self.capture.segment(self.time + 0.0002, one, other, b"", 0x10)
        self.time += 1

    def acknowledge(self, client, server):
        self.capture.segment(self.time + 0.0001, client, server, b"", 0x10)

    def rtde(self, end="client", packages=None, fields=FIELDS, robot="10.0.0.2", lost=(), hz=125.0,
             stop_at=None):
        """The robot stops for safety at that package, if the fields are SAFETY."""
        client, server = self.ends(robot, 30004)
        packages = packages or self.random.randrange(20, 31)
        self.begin(client, server)
        session = wire.Client(self.capture, self.time, fields, client[1], robot, hz, self.client)
        self.time += 0.01
        for i in range(packages):
            values = [self.clock + self.time] + [0.1 * k for k in range(6)] + [7] * (len(fields) > 2)
            values += [3 if stop_at is not None and i >= stop_at else 1] * (len(fields) > 3)
            session.package(self.time, *values, is_lost=i in lost)
            self.acknowledge(client, server)
            self.time += 1 / hz
        self.finish(client, server, end)
        return packages

    def realtime(self, end="client", packets=None, size=1108, robot="10.0.0.2", hz=125.0):
        client, server = self.ends(robot, 30003)
        packets = packets or self.random.randrange(20, 31)
        self.begin(client, server)
        for source, target, flags in ((client, server, 2), (server, client, 0x12), (client, server, 0x10)):
            self.capture.segment(self.time, source, target, b"", flags)
        for _ in range(packets):
            cells = bytearray(size)
            struct.pack_into(">Id", cells, 0, size, self.clock + self.time)
            struct.pack_into(">d", cells, 756, 7)  # robot_mode
            struct.pack_into(">d", cells, 812, 1)  # safety_mode
            self.capture.segment(self.time, server, client, bytes(cells))
            self.acknowledge(client, server)
            self.time += 1 / hz
        self.finish(client, server, end)
        return packets
