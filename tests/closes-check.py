#!/usr/bin/env python3
"""How connections end: RTDE sessions between two systems that do what Linux does (delayed acknowledgements, retransmission,
RFC 5961), over a path of 0 to 300 ms that loses and copies packets, captured anywhere on it. 500 of each kind of end in
make check-all: as many streams as connections, no error but for resets that cut a session, no byte missing.
And the same where the capture lacks packets, swaps them, or has its clock set back, and somebody sends RSTs besides: each byte
is decoded, or told once to be missing, in the capture or because it was never acknowledged.
`closes-check.py KIND SEED [harmed]` leaves the capture of one of them."""
import functools
import heapq
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish, share, side_by_side

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
CLIENT, ROBOT = 0, 1
HOSTS = [bytes([10, 0, 0, 9]), bytes([10, 0, 0, 2])]
WINDOW, ACK_DELAY, RESEND = 60000, 0.04, 0.2
CAPTURES, SESSIONS = 50, 10  # of each kind; connections in each
CYCLE = 0.008  # s, of packages


class Packet:
    def __init__(self, side, seq, ack, flags, payload=b"", ttl=64):
        self.side, self.seq, self.ack, self.flags, self.payload, self.ttl = side, seq, ack, flags, payload, ttl
        self.end = seq + len(payload) + bool(flags & (FIN | SYN))
        self.is_forged = False


class Socket:
    """One end. `is_orphan`: its program has closed it; `is_dead`: its system knows it no longer; `is_gone`: with its system."""

    def __init__(self, path, side, first):
        self.path, self.side, self.next, self.acked, self.expected, self.first = path, side, first, first, 0, first
        self.flight, self.early, self.repeats, self.wait, self.sends_again = [], {}, 0, RESEND, 0
        self.unread = self.owed = 0
        self.is_reading, self.is_orphan, self.is_dead, self.is_gone, self.has_fin = True, False, False, False, False

    def put(self, flags, payload=b"", seq=None, ack=None, **more):
        self.owed = 0
        if self.is_gone:
            return
        self.path.put(Packet(self.side, self.next if seq is None else seq, self.expected if ack is None else ack, flags, payload,
                             **more))

    def send(self, payload=b"", flags=PSH | ACK):
        if self.is_dead or self.is_orphan:
            return
        packet = Packet(self.side, self.next, 0, flags, payload)
        self.flight.append(packet)
        self.put(flags, payload)
        self.next = packet.end
        self.arm()

    def arm(self):
        self.sends_again += 1
        number = self.sends_again
        self.path.after(self.wait + 2 * self.path.delay, lambda: self.again(number))

    def again(self, number=None):
        """What was sent first, after a timeout or because the peer asks for it."""
        if self.is_dead or not self.flight or number not in (None, self.sends_again):
            return
        packet = self.flight[0]
        self.put(packet.flags, packet.payload, packet.seq)
        self.wait = self.wait * 2 if number else self.wait
        self.arm()

    def acknowledge(self, number):
        if self.owed and number == self.expected and not self.is_dead:
            self.put(ACK)

    def close(self):
        """Its program closes it, or is killed."""
        if self.is_dead or self.is_orphan:
            return
        if self.unread:
            self.abort()
        else:
            self.send(flags=FIN | ACK)
            self.is_orphan = True

    def abort(self):
        if not self.is_dead:
            self.put(RST | ACK)
        self.is_dead = True

    def reject(self, packet):
        self.is_dead = True
        if not packet.flags & RST:
            self.put(RST, seq=packet.ack)

    def take(self, packet):
        if self.is_gone:
            return
        if self.is_dead:
            self.reject(packet)
        elif packet.flags & RST:
            self.take_reset(packet)
        else:
            self.take_ack(packet)
            if packet.end > packet.seq:
                self.take_bytes(packet)
            if self.is_orphan and self.has_fin and not self.flight and self.side == ROBOT:
                self.is_dead = True

    def take_reset(self, packet):
        if packet.seq == self.expected:
            self.is_dead = True
        elif self.expected < packet.seq < self.expected + WINDOW:
            self.put(ACK)

    def take_ack(self, packet):
        if packet.ack > self.acked:
            self.acked, self.repeats, self.wait = packet.ack, 0, RESEND
            self.flight = [one for one in self.flight if one.end > packet.ack]
            self.arm()
        elif self.flight and packet.end == packet.seq:
            self.repeats += 1
            if self.repeats == 3:
                self.again()

    def take_bytes(self, packet):
        if packet.end <= self.expected or packet.seq > self.expected:
            self.early.update({packet.seq: packet} if packet.seq > self.expected else {})
            self.put(ACK)
            return
        if packet.payload and self.is_orphan:
            self.reject(packet)
            return
        has_hole = bool(self.early)
        while packet:
            self.expected = packet.end
            self.unread += 0 if self.is_reading else len(packet.payload)
            self.owed += 1
            if packet.flags & FIN:
                self.has_fin = True
                self.path.after(self.path.rng.uniform(0, 0.005), self.close)
            packet = self.early.pop(self.expected, None)
        if self.owed > 1 or has_hole or self.has_fin:
            self.put(ACK)
        else:
            expected = self.expected
            self.path.after(ACK_DELAY, lambda: self.acknowledge(expected))


class Path:
    """A connection's two ends, and what passes the point of capture: (time, packet)."""

    def __init__(self, rng, begin, port, server, delay, loss, copy):
        self.server, self.most = server, rng.choice((1060, 700, 400))
        self.rng, self.now, self.port, self.delay, self.loss, self.copy = rng, begin, port, delay, loss, copy
        self.events, self.count, self.seen, self.beyond, self.packages = [], 0, [], [0, 0], []
        self.place = rng.choice((0, 0.5, 1))  # of the capture, 0: at the client
        self.cycle = CYCLE
        self.ends = [Socket(self, side, rng.randrange(1 << 20, 1 << 31)) for side in (CLIENT, ROBOT)]
        for side in (CLIENT, ROBOT):
            self.ends[side].expected = self.ends[1 - side].next + 1

    def after(self, wait, action):
        self.count += 1
        heapq.heappush(self.events, (self.now + wait, self.count, action))

    def put(self, packet):
        """Into the path: on to the point of capture, unless it gets lost."""
        before = self.place if packet.side == CLIENT else 1 - self.place
        if self.rng.random() >= self.loss * before:
            self.after(self.delay * before, lambda: self.passes(packet, self.delay * (1 - before), self.loss * (1 - before)))

    def passes(self, packet, delay, loss):
        self.beyond[packet.side] = max(self.beyond[packet.side], 0 if packet.is_forged else packet.end)
        for i in range(1 + (self.rng.random() < self.copy)):
            self.seen.append((self.now + i * 1e-5, packet))
            if self.rng.random() >= loss:
                self.after(delay + i * 1e-5, lambda: self.ends[1 - packet.side].take(packet))

    def inject(self, side, seq, ack, flags, ttl=57, loss=0):
        """Somebody where the capture is sends a packet in the name of a side."""
        packet = Packet(side, seq, ack, flags, ttl=ttl)
        packet.is_forged = True
        self.passes(packet, self.delay * abs((1, 0)[side] - self.place), loss)

    def say(self, said):
        """A package of the robot, in segments that end anywhere."""
        if not self.ends[ROBOT].is_dead and not self.ends[ROBOT].is_orphan:
            self.packages.append((self.ends[ROBOT].next, self.ends[ROBOT].next + len(said)))
        while said:
            self.ends[ROBOT].send(said[:self.most])
            said = said[self.most:]

    def run(self, until):
        while self.events and self.events[0][0] <= until:
            self.now, _, action = heapq.heappop(self.events)
            action()
        self.now = until

    def connect(self):
        client, robot = self.ends
        for one, flags in ((client, SYN), (robot, SYN | ACK)):
            self.passes(Packet(one.side, one.next, one.expected if flags & ACK else 0, flags), 9e9, 0)
            one.next += 1
            one.acked = one.next
        client.put(ACK)


def message(kind, body=b""):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


RTDE, REALTIME = 30004, 30003
TEXT = {RTDE: message("M", b"\1a\1b\3"), REALTIME: b"textmsg(1)\n"}  # what a client may say, ...
REQUESTS = ((message("V", b"\0\2"), message("V", b"\1")),
            (message("O", struct.pack(">d", 125) + b"timestamp,runtime_state"), message("O", b"\1DOUBLE,UINT32")),
            (message("S"), message("S", b"\1")))


def package(server, i):
    """... and what the robot says."""
    if server == RTDE:
        return message("U", b"\1" + struct.pack(">dI", 100 + i * 0.008, 2))
    return struct.pack(">Id", 1060, 100 + i * 0.008) + bytes(1048)


def play(kind, path, is_harassed=False):
    """A session that ends in one of the ways, after further RSTs of somebody, if it is harassed."""
    rng = path.rng
    client, robot = path.ends
    path.connect()
    if kind == "probed":
        probed(path, rng)
        return
    for question, answer in REQUESTS if path.server == RTDE else ():
        for one, other, said in ((client, robot, question), (robot, client, answer)):
            one.send(said)
            while other.expected < one.next:
                path.run(path.now + 0.001 + path.delay)
    start, end, talks = path.now, path.now + rng.uniform(0.3, 0.8) * path.cycle / CYCLE, rng.choice((0, 0.1))  # a client that only listens: 0
    for i in range(int((end - start + 4 * path.delay) / path.cycle + (260 if kind in UNHARMED else 60))):
        path.after(i * path.cycle, lambda i=i: path.say(package(path.server, i)))
        if rng.random() < talks:
            path.after(i * path.cycle + 0.001, lambda: client.send(TEXT[path.server]))
    path.start, path.close = start, end
    for _ in range(rng.randrange(1, 4) if is_harassed else 0):
        path.after(rng.uniform(10 * (path.cycle - CYCLE), end - start), rng.choice((lambda: forge(path), lambda: lose_reset(path, rng.choice((CLIENT, ROBOT)),
                                                                                                 rng.choice((57, 64))))))
    KINDS[kind](path, end - start)
    path.run(end + 30)


def closed_by(*sides):
    return lambda path, end: [path.after(end, path.ends[side].close) for side in sides]


def stop_reading(path, end):
    path.after(end - path.rng.uniform(0, 0.2), lambda: setattr(path.ends[CLIENT], "is_reading", False))


def probed(path, rng):
    """A client that looks whether the port is open: it ends the connection before the robot's first data come to it."""
    end = rng.uniform(0, 3 * path.delay)
    begin = rng.uniform(max(0, end - path.delay), end + 0.9 * path.delay)
    for i in range(rng.randrange(1, 20)):
        path.after(begin + i * path.cycle, lambda i=i: path.say(package(path.server, i)))
    path.start, path.close = path.now, path.now + end
    path.after(end, path.ends[CLIENT].close)
    path.run(path.close + 30)


def unread(path, end):
    """A program that has not read all ends, as soon as something is there."""
    stop_reading(path, end)
    path.after(end, lambda: close_unread(path))


def close_unread(path):
    if path.ends[CLIENT].unread or path.ends[CLIENT].is_dead:
        path.ends[CLIENT].close()
    else:
        path.after(0.001, lambda: close_unread(path))


def killed(path, end):
    if path.rng.random() < 0.5:
        stop_reading(path, end)
    path.after(end, path.ends[CLIENT].close)


def answered(path, end):
    """What the robot says just then comes when the client's program has ended."""
    path.after(end, path.ends[CLIENT].close)
    path.after(end - 1e-4, lambda: path.say(package(path.server, end / 0.008 + 1)))


def aborted(path, end):
    path.after(end, path.ends[ROBOT].abort)


def rebooted(path, end):
    """The client's system has forgotten the connection."""
    path.after(end, lambda: setattr(path.ends[CLIENT], "is_dead", True))


def foreign(path, end):
    """Somebody, near or far, sends RSTs that are not at the byte expected next; the session goes on and ends as usual."""
    for _ in range(path.rng.randrange(1, 4)):
        path.after(path.rng.uniform(0.05, 0.25), lambda: forge(path))
    path.after(end + 4 * path.delay, path.ends[CLIENT].close)


def forge(path):
    side = path.rng.choice((CLIENT, ROBOT))
    victim = path.ends[1 - side]
    off = path.rng.choice((-1, 1)) * path.rng.randrange(30, WINDOW // 2)
    path.inject(side, victim.expected + off, path.ends[side].expected, RST | path.rng.choice((0, ACK)), path.rng.choice((57, 64)))


def cut(path, end, ttl=57):
    """Somebody between ends it for both; where packets get lost behind him, it may go on until the client ends it."""
    path.after(end + 1 + 4 * path.delay, path.ends[CLIENT].close)
    for side in (CLIENT, ROBOT):
        path.after(end, lambda side=side: path.inject(side, path.beyond[side], path.beyond[1 - side], RST | ACK, ttl))


def cut_alike(path, end):
    """From as far away as both."""
    cut(path, end, 64)


def missed(path, end):
    """Somebody's RST is at the byte expected next, and gets lost behind the capture; the session goes on and ends as usual."""
    side = path.rng.choice((CLIENT, ROBOT))
    path.after(path.rng.uniform(0.05, 0.25), lambda: lose_reset(path, side, 57))
    path.after(end + path.rng.uniform(0, 1.5) + 4 * path.delay, path.ends[CLIENT].close)


def deaf(path, _):
    """The same in the robot's name and with its TTL; only the robot's packets are captured, and no end."""
    path.after(path.rng.uniform(0.05, 0.25), lambda: lose_reset(path, ROBOT, 64))


def lose_reset(path, side, ttl):
    path.inject(side, path.beyond[side], path.beyond[1 - side], RST | ACK, ttl, loss=1)


def forgotten(path, end):
    """The robot's system has forgotten the connection, and answers what the client says."""
    path.after(end, lambda: setattr(path.ends[ROBOT], "is_dead", True))
    path.after(end + 0.5, lambda: path.ends[CLIENT].send(TEXT[path.server]))


def firewalled(path, end):
    """A firewall answers for the robot; where that gets lost behind it, the client ends the session."""
    path.after(end, lambda: path.inject(ROBOT, path.beyond[ROBOT], 0, RST, 64))
    path.after(end + 1 + 4 * path.delay, path.ends[CLIENT].close)


def unanswered(path, end):
    """The robot is gone, and the client's system gives up."""
    path.after(end, lambda: setattr(path.ends[ROBOT], "is_gone", True))
    path.after(end + 0.1, lambda: path.ends[CLIENT].send(TEXT[path.server]))
    path.after(end + 20, path.ends[CLIENT].abort)


KINDS = {"missed": missed, "deaf": deaf, "forgotten": forgotten, "firewalled": firewalled, "unanswered": unanswered,
         "client": closed_by(CLIENT), "robot": closed_by(ROBOT), "both": closed_by(CLIENT, ROBOT), "unread": unread,
         "killed": killed, "answered": answered, "foreign": foreign, "aborted": aborted, "rebooted": rebooted, "cut": cut,
         "cut-alike": cut_alike, "probed": None}
# Who is said to have ended it.
WHO = {"client": "client", "robot": "robot", "unread": "client", "killed": "client", "answered": "client", "foreign": "client",
       "aborted": "robot", "rebooted": "client", "cut": "between", "cut-alike": "between", "missed": "client", "forgotten": "robot",
       "firewalled": "robot", "unanswered": "client", "probed": "client"}
CUT = ("aborted", "cut", "cut-alike", "forgotten", "firewalled", "unanswered")  # sessions, by a reset
GONE = ("forgotten", "firewalled", "unanswered")  # resets whose reason is that the robot no longer answers
UNHARMED = ("missed", "deaf")  # sessions, by a reset
NEVER = {"stream.midstream", "rtde.recipe.missing", "rtde.recipe.guessed", "tcp.overlap-differs"}


def frame(packet, path, number):
    ends = list(zip(HOSTS, (path.port, path.server)))
    source, target = ends[packet.side], ends[1 - packet.side]
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1], packet.seq & 0xffffffff, (packet.ack if packet.flags & ACK else 0) & 0xffffffff,
                      0x50, packet.flags, WINDOW, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(packet.payload), number & 0xffff, 0x4000, packet.ttl, 6, 0, source[0],
                     target[0])
    return b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0" + ip + tcp + packet.payload


def sides_of(kind, rng):
    """One capture in four has only the robot's packets."""
    return (ROBOT,) if kind == "deaf" or rng.random() < 0.25 else (CLIENT, ROBOT)


def sessions_of(kind, rng, is_harassed=False):
    """Of one robot; the client uses some ports twice. And the sides that were captured."""
    delay, loss, copy = rng.choice((0, 0.0005, 0.004, 0.03, 0.3)) * rng.random(), rng.choice((0, 0.01, 0.05)), rng.choice((0, 0.05))
    server, sides = REALTIME if kind == "probed" else rng.choice((RTDE, REALTIME)), sides_of(kind, rng)
    loss = 0 if len(sides) == 1 or kind == "probed" else loss  # nothing tells what the client has, and how long armtap waits is not the question here
    begin, paths = 1000.0, []
    cycle = rng.choice((CYCLE, CYCLE, 0.5, 2.5)) if is_harassed and kind not in UNHARMED else CYCLE
    for i in range(SESSIONS):
        paths.append(Path(rng, begin, 40000 + i // 2, server, delay, loss, copy))
        paths[-1].cycle = cycle
        play(kind, paths[-1], is_harassed)
        paths[-1].seen = [(time, packet) for time, packet in paths[-1].seen if packet.side in sides]
        begin = paths[-1].now + 1
    return paths, sides


def save(name, seen):
    """Of (time, packet, path)."""
    with open(name, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for number, (time, packet, path) in enumerate(seen):
            data = frame(packet, path, number)
            file.write(struct.pack("<IIII", int(time), int(time % 1 * 1e9), len(data), len(data)) + data)


def in_order(paths):
    return sorted(((time, packet, path) for path in paths for time, packet in path.seen), key=lambda one: one[0])


def write(kind, seed, name):
    """A capture of sessions. Returns how many sides it has, its packages (0: some get lost), and in how many sessions an
    end, and a FIN, is in it."""
    paths, sides = sessions_of(kind, random.Random("%s %d" % (kind, seed)))
    server, loss, seen = paths[0].server, paths[0].loss, in_order(paths)
    save(name, seen)
    ends, fins = (sum(any(packet.flags & flags for _, packet in path.seen) for path in paths) for flags in (FIN | RST, FIN))
    size = 16 if server == RTDE else 1060
    packages = {(packet.seq, path, len(packet.payload)) for _, packet, path in seen if packet.side == ROBOT and
                (server == REALTIME or packet.payload[2:3] == b"U") and packet.payload}
    of_path = {}
    for _, path, length in packages:
        of_path[path] = of_path.get(path, 0) + length
    packages = sum(length // size for length in of_path.values())
    return len(sides), 0 if loss else packages, ends, fins


def judge_records(name, packages):
    """Where no packet is lost, no record is: behind an end, or because of a RST that ended nothing."""
    streams = json.loads(subprocess.run([ARMTAP, "info", "--json", name], capture_output=True, check=False).stdout)["streams"]
    records = sum(one["records"] for one in streams)
    expect(name + ": records", records == packages, records, packages)


def judge(kind, seed):
    name = "%s-%d.pcap" % (kind, seed)
    sides, packages, ended, fins = write(kind, seed, name)
    told = json.loads(subprocess.run([ARMTAP, "diagnose", "--json", name], capture_output=True, check=False).stdout)
    if packages:
        judge_records(name, packages)
    found = {}
    for one in told["findings"]:
        found[one["id"]] = found.get(one["id"], 0) + one.get("count", 1)
    errors = {one["id"] for one in told["findings"] if one["severity"] == "error"}
    expect(name + ": streams", len(told["streams"]) == SESSIONS, len(told["streams"]), found)
    # A robot of whose FIN the capture has nothing answers what comes afterwards as one that was rebooted.
    is_cut = kind in CUT or (kind == "robot" and found.get("tcp.reset", 0) <= SESSIONS - fins)
    is_cut = is_cut or (sides == 1 and kind == "robot")
    expect(name + ": errors", errors <= {"tcp.reset"} if is_cut else not errors, found)
    if sides == 1:  # what the robot acknowledges shows who closed, or nothing is said for certain
        whos = {one["args"]["who"] for one in told["findings"] if one["id"] == "tcp.closed" and "doubt" not in one["args"]}
        expect(name + ": by whom, by one side", kind in ("both", *CUT) or whos <= {WHO.get(kind)}, whos)
        expect(name + ": it is known", kind != "client" or whos == {"client"}, told["findings"])
        return
    expect(name + ": nothing is guessed", not NEVER & set(found), found)
    ends = found.get("tcp.closed", 0) + found.get("tcp.reset", 0)
    expect(name + ": an end each", ends == ended, found, ended)
    said = [one["args"] for one in told["findings"] if one["id"] in ("tcp.closed", "tcp.reset") and "doubt" not in one["args"]]
    whos = {one["who"] for one in said if kind not in CUT or kind in GONE or "reason" not in one}
    expect(name + ": by whom", kind == "both" or whos == {WHO[kind]} or
           (kind in ("cut", "cut-alike", "firewalled") and whos <= {WHO[kind], "client", "between"}), said)
    resets = [one["args"] for one in told["findings"] if one["id"] == "tcp.reset"]
    expect(name + ": why", kind not in GONE or all(one.get("reason") == "robot-gone" or one.get("case") == "went-on" for one in resets),
           resets)
    if packages and kind in ("client", "unread", "killed"):
        text = subprocess.run([ARMTAP, "diagnose", name], capture_output=True, text=True, check=False).stdout
        is_reset = any(one.get("unread_bytes") == 0 for one in said)  # which a crash of the client causes, too
        words = " ".join(text.split())
        expect(name + ": an ordinary end", ("Nothing is wrong" in words and not is_reset) or "stalled for" in words or
               ("a client reset its connection" in words and is_reset), text[-300:])
    if kind == "unread":
        expect(name + ": unread", any("unread_bytes" in one for one in said) and
               all("unread_bytes" in one or "reason" in one for one in said), said)


# ---- what is missing in the capture, or never came ----

def harm(path, rng, drop, swap):
    """The capture lacks packets of the data, and has others before those that came before them; its times only grow."""
    first = next((i for i, (time, _) in enumerate(path.seen) if time >= path.start), len(path.seen))
    out = []
    for time, packet in path.seen[first:]:
        if rng.random() >= drop or packet.flags & (SYN | FIN | RST):
            out.insert(len(out) - (rng.randrange(1, 8) if rng.random() < swap and len(out) > 8 else 0), packet)
    times = [time for time, _ in path.seen[first:]]
    path.seen[first:] = list(zip(times, out))


def set_back(paths, rng):
    """In one capture of four the clock is set back in the midst of each session."""
    seen, back = in_order(paths), rng.choice((0, 0, 0, rng.choice((1.5, 5, 3600))))
    steps = [rng.uniform(path.start, path.close) for path in paths]
    return [(time + SESSIONS * back - back * sum(step < time for step in steps), packet, path) for time, packet, path in seen]


class Truth:
    """Of one side's bytes in a session: those captured, and of the others those that the peer acknowledged (`lost`), and
    those before captured ones that it did not (`unheard`; `before_fin`, and nothing but a FIN may have come behind them).
    `is_sure`: no copy came when armtap may have given them up."""

    def __init__(self, path, side, sides):
        self.has, late, self.is_sure = [], [], True
        acked = self.first = path.ends[side].first + 1
        for time, packet in path.seen:
            if packet.is_forged:
                continue
            if packet.side == side and (packet.payload or packet.flags & FIN):
                is_late = any(packet.end <= ack and time > then + 0.5 for ack, then in late)
                self.is_sure = self.is_sure and not is_late
                self.has.append((packet.seq, packet.seq + len(packet.payload)))
            most = max((end for _, end in self.has), default=0) if packet.flags & RST else packet.ack
            if packet.side != side and packet.flags & ACK and min(packet.ack, most) > acked:
                acked = min(packet.ack, most)  # of a RST, only for what is captured behind it
                late.append((acked, time))
        self.has.sort()
        at, self.holes, self.captured = self.first, [], 0
        acked = min(acked, path.ends[side].next - path.ends[side].is_orphan)  # without the FIN
        for start, end in self.has + [(acked, acked)]:
            if start > at:
                self.holes.append((at, start))
            self.captured += max(0, end - max(at, start))
            at = max(at, end)
        heard = acked if 1 - side in sides else 1 << 40
        self.lost = sum(max(0, min(end, heard) - start) for start, end in self.holes)
        self.unheard = sum(end - start for start, end in self.holes) - self.lost
        self.before_fin = sum(end - start for start, end in self.holes if start >= heard and not any(to > end for _, to in self.has))

    def holds(self, start, end):
        return not any(start < to and begin < end for begin, to in self.holes) and end <= max((to for _, to in self.has), default=0)


def write_harmed(kind, seed, name):
    """A capture that lacks packets and has others in another order; somebody sends RSTs that end nothing. The truth of each
    side of each session, and how many packages are whole in it: before any end, and in all."""
    rng = random.Random("harmed %s %d" % (kind, seed))
    paths, sides = sessions_of(kind, rng, True)
    drop, swap = rng.choice((0, 0.01, 0.03)), rng.choice((0, 0.02, 0.1))
    for path in paths:
        harm(path, rng, drop, swap if path.cycle == CYCLE else 0)  # a machine swaps what comes within a moment
    save(name, set_back(paths, rng))
    least = most = 0
    for path in paths:
        truth = Truth(path, ROBOT, sides)
        early = {packet.seq for time, packet in path.seen if time < path.close - 0.05}
        whole = [truth.holds(start, end) for start, end in path.packages] + [False, False]
        most += sum(whole)
        # One alone between two that are not whole is told to be unreadable: those that follow would show where it ends.
        least += sum(whole[i] and (whole[i - 1] or (whole[i + 1] and whole[i + 2])) and any(start - 1460 < seq <= start for seq in early)
                     for i, (start, _) in enumerate(path.packages))
    return [Truth(path, side, sides) for path in paths for side in sides], least, most


def judge_harmed(kind, seed):
    name = "harmed-%s-%d.pcap" % (kind, seed)
    truths, least, most = write_harmed(kind, seed, name)
    streams = json.loads(subprocess.run([ARMTAP, "info", "--json", name], capture_output=True, check=False).stdout)["streams"]
    told = json.loads(subprocess.run([ARMTAP, "diagnose", "--json", name], capture_output=True, check=False).stdout)["findings"]

    def total(key):
        return sum(one[key] for one in streams)

    expect(name + ": records", least <= total("records") <= most, least, total("records"), most)
    apart = [one["text"] for one in told if one["id"] == "capture.clocks-apart" and one["args"].get("case") != "set-back"]
    expect(name + ": one clock", not apart, apart)
    if not all(one.is_sure for one in truths):
        return
    captured, lost, unheard, late = (sum(getattr(one, key) for one in truths) for key in ("captured", "lost", "unheard", "before_fin"))
    gaps = [sum(one["args"]["bytes"] for one in told if one["id"] == "stream.gap" and one["severity"] == severity)
            for severity in ("warning", "info")]
    expect(name + ": what was captured", total("bytes_decoded") + total("bytes_skipped") == captured, captured)
    expect(name + ": what the capture lacks", gaps[0] == lost, gaps, lost)
    expect(name + ": what never came", unheard - late <= gaps[1] <= unheard, gaps, unheard, late)
    text = " ".join(subprocess.run([ARMTAP, "diagnose", name], capture_output=True, text=True, check=False).stdout.split())
    expect(name + ": the verdict", not sum(gaps) or "nothing is missing." not in text, text[-200:])
    expect(name + ": each byte counts once", total("bytes_lost") == sum(gaps), total("bytes_lost"), gaps)


def judge_all(kind, seeds):
    for seed in seeds:
        judge(kind, seed)
        if kind != "probed":  # whose few bytes may not show what they are of, where some are missing
            judge_harmed(kind, seed)


def main():
    if len(sys.argv) in (3, 4):
        (write_harmed if sys.argv[3:] else write)(sys.argv[1], int(sys.argv[2]), "-".join(sys.argv[1:]) + ".pcap")
        return
    chosen = share(range(CAPTURES), 10, "captures of ten sessions, 50 of each kind of end")
    side_by_side(*(functools.partial(judge_all, kind, chosen) for kind in KINDS))
    sys.exit(finish())


main()
