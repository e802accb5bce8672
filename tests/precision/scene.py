"""A cell: robots, clients, where the capture was taken, and what the file shows."""
import os
import struct

import robot as robots
import tcp

RTDE, REALTIME, PRIMARY, DASHBOARD = 30004, 30003, 30001, 29999


class Truth:  # pylint: disable=too-few-public-methods
    """What happened to a robot: the ids that say so, whose side may be named, and whether the packets prove one."""

    def __init__(self, kind, robot, causes, sides, proves, begin=None, end=None, minor=False):
        self.kind, self.robot, self.causes, self.sides, self.proves = kind, robot.host.text, set(causes), set(sides), proves
        self.begin, self.end, self.minor = begin, end, minor  # `minor`: told as a finding, and perhaps no more


class Scene:
    def __init__(self, seed):
        self.world = tcp.World(seed)
        self.rng = self.world.rng
        self.robots, self.sessions, self.truths, self.used = [], [], [], set()
        self.tap = self.rng.choice(("client", "client", "robot", "mirror"))
        self.link, self.vlan, self.is_v6, self.snaplen = 1, None, False, 262144
        self.is_nano, self.keeps, self.shift, self.copies, self.translate = self.rng.random() < 0.6, None, None, False, None
        self.ids = self.rng.choice(("socket", "socket", "host", "zero"))
        self.is_one_way, self.healthy = False, None
        self.until, self.net = 0.0, self.rng.randrange(256)
        self.clients, self.routed = set(), {}
        self.timestamps = self.rng.random() < 0.85
        self.from_, self.to = None, None
        self.parts = None  # cut into files at these times
        self.by_way = False  # a file for each direction, as a passive tap writes
        self.alter = None  # function of the rows: what the capture makes of their order and times
        self.shown, self.denies, self.most = [], [], 99  # what was written; what must not be said; how many incidents at most

    def robot(self, hz=None, **options):
        hz = hz or (500 if self.rng.random() < 0.2 else 125)  # fewer e-Series: they take four times as long to play
        number = len(self.robots)
        host = tcp.Host(self.world, (10, self.net, number, 2 + self.rng.randrange(100)), self.is_v6, self.ids)
        robot = robots.Robot(self.world, host, hz, generation=5 if hz == 500 else 3, **options)
        robot.faults, robot.send_limit = {}, 600000
        robot.size = self.rng.choice((1108, 1116, 1140, 1060)) if self.rng.random() < 0.8 else 812
        if robot.hz == 500:
            robot.size = self.rng.choice((1108, 1116, 1140, 1220))
        elif robot.size == 812:
            robot.version = (1, 8, 0, 0)
        self.robots.append(robot)
        robot.servers, robot.accepted = [], []
        self.serve(robot)
        return robot

    def serve(self, robot):
        make = lambda tick, _: robots.realtime(robot, robot.state(tick), robot.size)
        primary = robots.primary_maker
        start = lambda what: lambda socket: (robot.accepted.append(socket), setattr(socket, "send_limit", robot.send_limit), socket.keep_alive(), robot.servers.append(what(socket)))
        robot.host.listen(RTDE, start(lambda socket: robots.RtdeServer(robot, socket, robot.faults)))
        robot.host.listen(REALTIME, start(lambda socket: robots.Streamer(robot, socket, robot.faults, make)))
        robot.host.listen(PRIMARY, start(lambda socket: robots.Streamer(robot, socket, robot.faults, primary(robot), robot.hz // 10)))
        robot.host.listen(DASHBOARD, lambda socket: robot.servers.append(robots.Dashboard(robot, socket)))

    def client(self):
        number = self.rng.choice([one for one in range(2, 250) if one not in self.clients])
        self.clients.add(number)
        return tcp.Host(self.world, (10, self.net, 200, number), self.is_v6, self.ids)

    def path(self, client, robot, trip=None):
        """`trip`: one way, s."""
        rng = self.rng
        trip = rng.choice((0.0001, 0.0003, 0.001, 0.004, 0.015, 0.04)) * rng.uniform(0.7, 1.4) if trip is None else trip
        share = {"client": 0.02, "robot": 0.98, "mirror": rng.uniform(0.2, 0.8)}[self.tap]
        hops = (0, 0)
        if trip > 0.0008 and rng.random() < 0.6 or robot in self.routed and self.tap != "robot":  # a robot is as far from the tap for all
            hops = {"client": (0, 1), "robot": (1, 0), "mirror": (rng.randrange(2), rng.randrange(2))}[self.tap]
        if self.tap != "robot":
            hops = hops[0], self.routed.setdefault(robot, hops[1])
        path = tcp.Path(self.world, client, robot.host, (trip * share, trip * (1 - share)), hops)
        path.jitter = trip * 0.1
        return path

    def session(self, robot, begin, until, protocol=None, client=None, path=None, **options):
        client = client or self.client()
        session = Session(self, robot, client, path or self.path(client, robot), begin, until, protocol, **options)
        self.sessions.append(session)
        self.until = max(self.until, until + 0.6)
        return session

    def run(self):
        self.world.run(self.until)

    def rows(self):
        rows = self.world.captured
        if self.keeps:
            rows = [row for row in rows if self.keeps(*row)]
        if self.from_ is not None:
            rows = [row for row in rows if row[0].time >= self.from_]
        if self.to is not None:
            rows = [row for row in rows if row[0].time <= self.to]
        return rows

    def write(self, stem):
        rows, names = self.rows(), []
        self.shown = rows = self.alter(rows) if self.alter else rows
        options = {"link": self.link, "vlan": self.vlan, "is_nano": self.is_nano, "snaplen": self.snaplen, "translate": self.translate,
                   "shift": self.shift, "copies": self.copies}
        if self.by_way:
            for name, from_client in ("robot", False), ("client", True):
                names.append("%s-%s.pcap" % (stem, name))
                tcp.write([row for row in rows if row[0].from_client == from_client], names[-1], **options)
            return names
        edges = [None, *(self.parts or []), None]
        for i, (begin, end) in enumerate(zip(edges, edges[1:])):
            name = "%s%s.pcap" % (stem, "" if len(edges) == 2 else "-%d" % i)
            tcp.write([row for row in rows if (begin is None or row[0].time >= begin) and (end is None or row[0].time < end)], name, **options)
            names.append(name)
        return names

    def decodable(self):
        """By robot: of each connection the number of records whose bytes were all captured."""
        counts = {}
        for robot in self.robots:
            for socket in robot.accepted:
                ports, edges = (socket.port, socket.peer_port), []
                for packet, _ in self.shown:
                    if packet.ports == ports and packet.source is robot.host and packet.target is socket.peer and packet.payload:
                        at = (packet.seq - socket.first - 1) & 0xFFFFFFFF
                        edges.append((at, at + len(packet.payload)))
                counts.setdefault(robot.host.text, []).append(covered(socket.records, sorted(edges)))
        return {robot: sorted(one for one in numbers if one) for robot, numbers in counts.items()}

    def truth(self, kind, robot, causes, sides, proves, begin=None, end=None, minor=False):
        self.truths.append(Truth(kind, robot, causes, sides, proves, begin, end, minor))


def covered(records, pieces):
    """How many records lie in what the pieces, sorted, cover."""
    whole = []
    for begin, end in pieces:
        if whole and begin <= whole[-1][1]:
            whole[-1][1] = max(whole[-1][1], end)
        else:
            whole.append([begin, end])
    count, at = 0, 0
    for begin, end in records:
        while at < len(whole) and whole[at][1] < end:
            at += 1
        count += at < len(whole) and whole[at][0] <= begin
    return count


class Session:
    """A client's program at a port of a robot: connects, reads, and ends."""

    def __init__(self, scene, robot, client, path, begin, until, protocol=None, end=None, frequency=None, version=None, names=None,
                 requests=None, keep_alive=None, write=None, port=None):
        rng = scene.rng
        self.scene, self.world, self.robot, self.client, self.path, self.begin, self.until = scene, scene.world, robot, client, path, begin, until
        self.protocol = protocol or rng.choice(("rtde", "rtde", "rtde", "realtime", "realtime", "primary"))
        self.port = port or {"rtde": RTDE, "realtime": REALTIME, "primary": PRIMARY}[self.protocol]
        self.version = version or rng.choice((1, 2, 2, 2))
        self.names, self.requests, self.first_bytes = names or self.recipe(rng), requests, write
        self.frequency = frequency or robot.hz
        self.end = end or ("pause" if self.protocol == "rtde" and rng.random() < 0.6 else "close")
        self.keep_alive = keep_alive
        self.the_socket = self.program = None
        self.on_lost = lambda: None
        self.times = []
        self.fails = False
        self.world.at(begin, self.start)

    @staticmethod
    def recipe(rng):
        names = ["actual_q", "target_q", "actual_qd", "target_qd", "actual_current", "robot_mode", "runtime_state", "safety_mode"]
        names += rng.sample([name for name in robots.OUTPUTS if name not in names and name != "timestamp"], rng.randrange(1, 8))
        if rng.random() < 0.3:
            rng.shuffle(names)
        return ["timestamp"] + names

    def socket(self):
        client, rng = self.client, self.world.rng
        client.keep_alive = self.keep_alive
        while True:
            port = rng.randrange(32768, 60999)
            if (port, self.robot.host.text) not in self.scene.used:
                break
        self.scene.used.add((port, self.robot.host.text))
        self.the_socket = tcp.Socket(client, self.robot.host, port, self.port, self.path)
        self.the_socket.timestamps = self.scene.timestamps
        if self.rate() * 2 * sum(self.path.delays) > 40000:
            self.the_socket.room = 500000  # as a system gives to a connection that needs it
        self.the_socket.on_reset = lambda: self.on_lost()  # pylint: disable=unnecessary-lambda
        self.world.after(0, lambda: self.the_socket.connect(on_fail=lambda: setattr(self, "fails", True)))
        return self.the_socket

    def start(self):
        if self.protocol == "rtde" and self.requests is None:
            version, names = self.version, ",".join(self.names).encode()
            self.requests = ([("V", struct.pack(">H", version))] if version > 1 or self.world.rng.random() < 0.5 else []) + \
                [("v", b"")] * (self.world.rng.random() < 0.7) + \
                [("O", (struct.pack(">d", self.frequency) if version > 1 else b"") + names), ("S", b"")]
        if self.protocol == "rtde":
            self.program = robots.RtdeClient(self, self.requests, self.end, self.until)
            self.times = self.program.times
            return
        socket = self.socket()
        socket.on_data = lambda data: self.times.append(self.world.now)
        socket.on_end = socket.close
        if self.first_bytes:
            socket.on_open = lambda: socket.write(self.first_bytes)
        if self.end != "never":
            self.world.at(self.until, socket.close)

    def tell(self, *arguments, **options):
        self.scene.truth(self.kind, self.robot, *arguments, **options)

    def rate(self):
        """Bytes per s, about."""
        size = {"rtde": 500, "realtime": self.robot.size, "primary": 650}[self.protocol]
        return size * (10 if self.protocol == "primary" else self.robot.hz)

    def far(self, trip):
        """`trip`: one way, s."""
        whole = sum(self.path.delays)
        self.path.delays = tuple(one * trip / whole for one in self.path.delays)

    def server(self):
        """The robot's end of it."""
        for server in self.robot.servers:
            socket = server.socket
            if self.the_socket and socket.peer is self.client and socket.peer_port == self.the_socket.port:
                return server
        return None

    def still(self):
        """The longest time, in s, in which the client read nothing, and when it began."""
        return max(((later - time, time) for time, later in zip(self.times, self.times[1:])), default=(0, 0))


def folder_of(path):
    return os.path.dirname(os.path.abspath(path))
