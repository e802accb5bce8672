"""What the clients share: connections with time-outs, RTDE packages, recipes, types as a client's own table has them."""
import os
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import wire  # noqa: E402

PORTS = {"rtde": 30004, "realtime": 30003, "realtime_ro": 30013, "primary": 30001, "secondary": 30002, "dashboard": 29999}
FOR_EVER = 20.0  # s: as long as this test waits where the client waits without limit
VARIABLES = wire.variables()


class Failed(Exception):
    """The client gives up, throws or hangs here."""


class Silent(Failed):
    """Nothing came in time."""


def limit(timeout):
    """Of a wait; None is one without a limit."""
    return FOR_EVER if timeout is None else timeout


class Robot:
    def __init__(self, host="127.0.0.1", **ports):
        self.host, self.ports = host, {**PORTS, **ports}

    def connect(self, role, timeout=None):
        try:
            sock = socket.create_connection((self.host, self.ports[role]), limit(timeout))
        except OSError as wrong:
            raise Failed("%s: %s" % (role, wrong)) from wrong
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Stream(sock, role)


class Stream:
    """Bytes, with a limit on how long any may take."""

    def __init__(self, sock, role):
        self.socket, self.role = sock, role

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.settimeout(FOR_EVER)
            self.socket.sendall(data)
        except OSError as wrong:
            raise Failed("%s: %s" % (self.role, wrong)) from wrong

    def read(self, timeout=None, room=4096):
        """What there is, at least a byte."""
        timeout = limit(timeout)
        if timeout <= 0:
            raise Silent("%s: nothing came in time" % self.role)
        try:
            self.socket.settimeout(timeout)
            data = self.socket.recv(room)
        except TimeoutError as wrong:
            raise Silent("%s: nothing came for %g s" % (self.role, timeout)) from wrong
        except OSError as wrong:
            raise Failed("%s: %s" % (self.role, wrong)) from wrong
        if not data:
            raise Failed("%s: the robot closed the connection" % self.role)
        return data

    def read_exactly(self, count, timeout=None):
        data, end = b"", time.monotonic() + limit(timeout)
        while len(data) < count:
            data += self.read(end - time.monotonic(), count - len(data))
        return data

    def line(self, timeout=None):
        """Of the dashboard."""
        data, end = b"", time.monotonic() + limit(timeout)
        while not data.endswith(b"\n"):
            data += self.read(end - time.monotonic(), 1)
        return data.decode().rstrip("\n")

    def ask(self, command, timeout=None):
        self.send(command.encode() + b"\n")
        return self.line(timeout)


class Rtde:
    """An RTDE connection: packages out, packages in, in their order."""

    def __init__(self, robot, timeout=None):
        self.stream, self.packages, self.found = robot.connect("rtde", timeout), wire.Packages(), []
        self.texts = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stream.socket.close()

    def send(self, kind, payload=b""):
        self.stream.send(wire.package(kind, payload))

    def next(self, timeout=None):
        end = time.monotonic() + limit(timeout)
        while not self.found:
            data = self.stream.read(end - time.monotonic())
            try:
                self.found = self.packages.feed(data)
            except ValueError as wrong:
                raise Failed(str(wrong)) from wrong
        kind, payload = self.found.pop(0)
        if kind == "M":
            self.texts.append(payload)
        return kind, payload


def own_recipe(names):
    """A client that decodes by its own table, whatever types the robot gave."""
    return wire.Recipe(names, [VARIABLES[name][1] for name in names])


def decode(recipe, payload, first=1):
    if len(payload) - first != recipe.struct.size:
        raise Failed("a data package of %d bytes, %d expected" % (len(payload) - first, recipe.struct.size))
    return recipe.unpack(payload[first:])


def known(client, number=0):
    """The default outputs of a client, from the table of known recipes: names and types."""
    rows = [row for row in wire.table("known_recipes.csv") if row["client"] == client]
    pairs = [one.split(":") for one in rows[number]["fields"].split()]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def version_of(payload):
    if len(payload) != 16:
        raise Failed("a controller version of %d bytes" % len(payload))
    return struct.unpack(">4I", payload)


def must(what, truth, *shown):
    if not truth:
        raise Failed(" ".join([what, *map(str, shown)]))
