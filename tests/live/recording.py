"""Captures as armtap records them: pcapng of raw IP packets, written and taken apart with Python's struct."""
import ctypes
import gzip
import resource
import signal
import socket
import struct

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
ROBOT, CLIENT = ("10.0.0.2", 30004), ("10.0.0.9", 50123)
SECTION, INTERFACE, STATISTICS, PACKET = 0x0A0D0D0A, 1, 5, 6


# ---- pcapng --------------------------------------------------------------------------------------------------------------


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def option(code, data):
    return struct.pack("<HH", code, len(data)) + padded(data)


def block(kind, body):
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def head(comment=None):
    options = option(1, comment.encode()) + bytes(4) if comment else b""
    return (block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + options)
            + block(INTERFACE, struct.pack("<HHI", 101, 0, 0) + option(9, b"\x09") + bytes(4)))


def packet_block(time, data):
    return block(PACKET, struct.pack("<IIIII", 0, time >> 32, time & 0xffffffff, len(data), len(data)) + padded(data))


def write(name, packets, comment=None):
    """Packets are (time in ns, bytes)."""
    with open(name, "wb") as file:
        file.write(head(comment) + b"".join(packet_block(*one) for one in packets))


def options_of(data):
    found, at = {}, 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            break
        found[code] = data[at + 4:at + 4 + length]
        at += 4 + len(padded(data[at + 4:at + 4 + length]))
    return found


class Recording:
    """What a file holds: comment, packets, and whether it ends with a whole block."""

    def __init__(self, name):
        with (gzip.open if name.endswith(".gz") else open)(name, "rb") as file:
            data = b""
            try:
                while piece := file.read(4096):
                    data += piece
            except EOFError:
                pass
        self.comment, self.packets, self.comments, self.dropped, at = None, [], [], 0, 0
        while at + 12 <= len(data):
            kind, length = struct.unpack_from("<II", data, at)
            body = data[at + 8:at + length - 4]
            if length < 12 or at + length > len(data):
                break
            if struct.unpack_from("<I", data, at + length - 4)[0] != length:
                raise ValueError("a block of %d bytes that ends otherwise" % length)
            self.take(kind, body)
            at += length
        self.whole = at == len(data)

    def take(self, kind, body):
        if kind == SECTION:
            self.comment = options_of(body[16:]).get(1, b"").decode()
        elif kind == PACKET:
            _, high, low, length, _ = struct.unpack_from("<IIIII", body)
            self.packets.append((high << 32 | low, body[20:20 + length]))
            options = options_of(body[20 + len(padded(body[20:20 + length])):])
            self.comments.append(options.get(1, b"").decode())
            self.dropped += int.from_bytes(options.get(4, b""), "little")


# ---- packets -------------------------------------------------------------------------------------------------------------


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def packet(source, target, seq, ack, flags, data=b""):
    ends = socket.inet_aton(source[0]) + socket.inet_aton(target[0])
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1], seq & 0xffffffff, ack & 0xffffffff, 0x50, flags, 65535, 0, 0) + data
    right = checksum(ends + struct.pack(">HH", 6, len(tcp)) + tcp)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + ends
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    return ip + tcp[:16] + struct.pack(">H", right) + tcp[18:]


class Connection:
    """Makes the packets of a connection; those made are in `packets`."""

    def __init__(self, robot=ROBOT, client=CLIENT, first=(1000, 5000)):
        self.ends, self.next, self.packets = (robot, client), list(first), []

    def put(self, time, side, flags, data=b""):
        """`side` sends: 0 the robot, 1 the client."""
        self.packets.append((time, packet(self.ends[side], self.ends[not side], self.next[side],
                                          self.next[not side] if flags & ACK else 0, flags, data)))
        self.next[side] += len(data) + (1 if flags & (SYN | FIN) else 0)

    def open(self, time):
        self.put(time, 1, SYN)
        self.put(time, 0, SYN | ACK)
        self.put(time, 1, ACK)

    def repeat(self, time, parts):
        """Packets that open the connection again and end where it is now; `parts` are (side, bytes)."""
        lengths = [sum(len(data) for side, data in parts if side == one) for one in (0, 1)]
        again = Connection(*self.ends, [self.next[one] - lengths[one] - 1 for one in (0, 1)])
        again.open(time)
        for side, data in parts:
            again.put(time, side, PSH | ACK, data)
        return again.packets


class Streams:
    """The bytes of each direction of each connection, in order, as packets have them."""

    def __init__(self, packets):
        self.bytes, self.flags = {}, {}
        for _, data in packets:
            size = (data[0] & 15) * 4
            source, target = socket.inet_ntoa(data[12:16]), socket.inet_ntoa(data[16:20])
            ports = struct.unpack_from(">HH", data, size)
            key = ((source, ports[0]), (target, ports[1]))
            offset = (data[size + 12] >> 4) * 4
            self.bytes[key] = self.bytes.get(key, b"") + data[size + offset:]
            self.flags.setdefault(key, []).append(data[size + 13])


# ---- programs ------------------------------------------------------------------------------------------------------------


def ends_with_us(limit=None):
    """For preexec_fn: a program that ends when the test does, however that ends; `limit`: bytes of a file."""
    def prepare():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return prepare
