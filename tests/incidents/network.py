"""TCP connections as packets of a capture: what each side says and when, and what a network or a capture does to it."""
import random
import struct

FIN, SYN, PSH, ACK = 1, 2, 8, 16
RESEND = 0.2  # s until a sender sends again


class Host:
    def __init__(self, number, is_v6=False):
        self.is_v6 = is_v6
        self.address = bytes.fromhex("fd00") + bytes(12) + struct.pack(">H", number) if is_v6 else \
            bytes([192, 168, number >> 8 & 255, number & 255])
        self.text = "[fd00::%x]" % number if is_v6 else "192.168.%d.%d" % (number >> 8 & 255, number & 255)


class Packet:
    def __init__(self, time, connection, side, at, payload=b"", flags=ACK, ack=0, window=500, tags=()):
        self.time, self.connection, self.side, self.at = time, connection, side, at
        self.payload, self.flags, self.ack, self.window, self.tags = payload, flags, ack, window, set(tags)
        self.number = 0  # the IP packet's


class Connection:
    """`side` is 0 for the one that connects, 1 for the one that listens."""

    def __init__(self, rng, ends, ports, begin, mss=1448):
        self.ends, self.ports, self.begin, self.mss, self.rng = ends, ports, begin, mss, rng
        self.first = [rng.getrandbits(32), rng.getrandbits(32)]
        self.said = []  # (time, side, bytes, tag)
        self.closed = []  # (time, side, flags)
        self.held = []  # (from, until, side): what that side sends gets lost and is sent again
        self.full = []  # (from, until, side): that side does not read
        self.is_lost_before = True  # where the packets get lost, seen from the capture
        self.are_acks_lost = False  # and what acknowledges those that came last

    def say(self, time, side, data, tag=""):
        self.said.append((time, side, data, tag))

    def close(self, time, side, flags=FIN | ACK):
        self.closed.append((time, side, flags))

    def _window(self, side, time):
        return 0 if any(begin <= time < until and side == who for begin, until, who in self.full) else 500

    def _segments(self):
        """(time, side, bytes, tags), in time; those said while the other side does not read come afterwards, together."""
        segments = []
        for time, side, data, tag in sorted(self.said, key=lambda one: one[0]):
            for begin, until, who in self.full:
                if who != side and begin <= time < until:
                    time = until + 0.001
            if any(time >= when for when, _, _ in self.closed):
                continue
            for at in range(0, len(data), self.mss):
                segments.append((time, side, data[at:at + self.mss], {tag} if tag else set()))
        segments.sort(key=lambda one: one[0])
        return segments

    def packets(self):
        """All that crosses the network where it is captured, in order of time."""
        self.sent, self.lost, self.last, self.all = [1, 1], [None, None], [None, None], []
        full = list(self.full)
        self._put(self.begin, 0, flags=SYN, at=0, ack=0)
        self._put(self.begin + 0.0002, 1, flags=SYN | ACK, at=0)
        self._put(self.begin + 0.0004, 0)
        for time, side, data, tags in self._segments():
            self._probe(full, time)
            hold = next((one for one in self.held if one[2] == side and one[0] <= time < one[1]), None)
            if hold:
                self._lose(hold, time, side, data, tags)
                continue
            self._send_again(side)
            self._put(time, side, data, PSH | ACK, tags)
            self.last[side] = self.sent[side], data
            self.sent[side] += len(data)
            if self.rng.random() < 0.5:
                self._put(time + 0.0003, 1 - side)
        for side in (0, 1):
            self._send_again(side)
        for time, side, flags in sorted(self.closed):
            self._put(time, side, flags=flags)
            if flags & FIN:
                self.sent[side] += 1
                self._put(time + 0.0003, 1 - side)
        return self.all

    def _put(self, time, side, payload=b"", flags=ACK, tags=(), at=None, ack=None):
        other = 1 - side
        heard = self.lost[other][1] if self.lost[other] else self.sent[other]
        self.all.append(Packet(time, self, side, self.sent[side] if at is None else at, payload, flags,
                               heard if ack is None else ack, self._window(side, time), tags))

    def _lose(self, hold, time, side, data, tags):
        """Sent into a network that loses it: seen if the capture is on the sender's side of it."""
        if not self.lost[side]:
            self.lost[side] = [hold, self.sent[side], b"", set(), time]
        if not self.is_lost_before:
            self._put(time, side, data, PSH | ACK, tags)
        self.lost[side][2] += data
        self.lost[side][3] |= tags
        self.sent[side] += len(data)

    def _send_again(self, side):
        """What was lost: the first segment in vain at first, then all."""
        if not self.lost[side]:
            return
        (_, until, _), at, data, tags, first = self.lost[side]
        wait, again = RESEND, first + RESEND
        while again < until and not self.is_lost_before:
            self._put(again, side, data[:self.mss], PSH | ACK, tags, at=at)
            wait *= 2
            again += wait
        if self.are_acks_lost and self.last[side]:
            self._put(until - 0.001, side, self.last[side][1], PSH | ACK, at=self.last[side][0])
        for i in range(0, len(data), self.mss):
            self._put(until + 0.00002 * (i // self.mss), side, data[i:i + self.mss], PSH | ACK, tags, at=at + i)
        self.lost[side] = None
        self._put(until + 0.00002 * (len(data) // self.mss) + 0.0004, 1 - side, ack=at + len(data))

    def _probe(self, full, time):
        """The sender asks a receiver that does not read, until its window opens."""
        while full and time >= full[0][0]:
            begin, until, who = full.pop(0)
            self._put(begin, who)
            wait, at = 0.3, begin + 0.3
            while at < until:
                self._put(at, 1 - who, at=self.sent[1 - who] - 1)
                self._put(at + 0.0003, who)
                wait *= 2
                at += wait
            self._put(until, who)


class Capture:
    """What of all packets is in the file, and how it is written."""

    def __init__(self, connections, epoch=1769860800):
        self.packets = sorted((packet for connection in connections for packet in connection.packets()),
                              key=lambda packet: packet.time)
        self.epoch = epoch
        for i, packet in enumerate(self.packets):
            packet.number = i + 1

    def lose(self, rng, share, of=None):
        """Packets that the capture lacks, of one connection or of all; tagged ones stay, and what sets one up."""
        self.packets = [packet for packet in self.packets if rng.random() >= share or not packet.payload or
                        packet.tags or packet.time < packet.connection.begin + 0.1 or of not in (None, packet.connection)]

    def lose_tagged(self, tag):
        self.packets = [packet for packet in self.packets if tag not in packet.tags]

    def cut(self, begin=None, end=None):
        self.packets = [packet for packet in self.packets
                        if (begin is None or packet.time >= begin) and (end is None or packet.time < end)]

    def select(self, ports):
        self.packets = [packet for packet in self.packets if set(packet.connection.ports) & set(ports)]

    def copy(self):
        """A mirror port that shows each packet twice."""
        self.packets = [one for packet in self.packets for one in (packet, packet)]

    def reorder(self, rng, share):
        """Neighbours change places; their times do not."""
        for i in range(len(self.packets) - 1):
            one, other = self.packets[i:i + 2]
            if rng.random() < share and one.payload and other.payload and one.connection is other.connection and \
                    other.time - one.time < 0.05:
                self.packets[i], self.packets[i + 1] = other, one
                one.time, other.time = other.time, one.time

    def write(self, path, vlan=None, is_nano=True):
        unit = 10**9 if is_nano else 10**6
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D if is_nano else 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
            for packet in self.packets:
                data = frame(packet, vlan)
                seconds, rest = divmod(round(packet.time * unit), unit)
                file.write(struct.pack("<4I", self.epoch + seconds, rest, len(data), len(data)) + data)


def frame(packet, vlan):
    connection, side = packet.connection, packet.side
    ack = connection.first[1 - side] + packet.ack & 0xFFFFFFFF if packet.flags & ACK else 0
    tcp = struct.pack(">HHIIBBHHH", connection.ports[side], connection.ports[1 - side],
                      connection.first[side] + packet.at & 0xFFFFFFFF, ack, 5 << 4, packet.flags, packet.window, 0, 0)
    source, target = connection.ends[side], connection.ends[1 - side]
    length = len(tcp) + len(packet.payload)
    if source.is_v6:
        kind, ip = 0x86DD, struct.pack(">IHBB", 6 << 28, length, 6, 64) + source.address + target.address
    else:
        kind, ip = 0x0800, struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + length, packet.number & 0xFFFF, 0, 64, 6, 0,
                                       source.address, target.address)
    tag = struct.pack(">HH", 0x8100, vlan) if vlan else b""
    return bytes(12) + tag + struct.pack(">H", kind) + ip + tcp + packet.payload


def generator(*seeds):
    return random.Random(" ".join(map(str, seeds)))
