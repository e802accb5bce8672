#!/usr/bin/env python3
"""How connections between real kernels end: two network namespaces whose TCP goes through a router in this script, which
delays packets by 0 to 300 ms, loses and copies them, forges RSTs, and writes what passes one point of each path. As many
streams as connections, who it was, no package lost, no error but for resets that cut a session. Skipped (status 77) if
the system does not allow namespaces."""
import ctypes
import heapq
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from namespace import enter, skip
from tally import expect, finish

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
ROBOT, CLIENT = "10.9.0.2", "10.9.0.9"
FIN, RST, ACK = 1, 4, 16
CYCLE, FIRST_PORT = 0.04, 41000
SEED = int(os.environ.get("SEED", "1"))
# How each ends, and who is said to have ended it; True: by an error.
KINDS = {"client": ("client", False), "robot": ("robot", False), "both": (None, False), "half": ("client", False),
         "unread": ("client", False), "killed": ("client", False), "aborts": ("client", False), "robot aborts": ("robot", True),
         "forged": ("client", False), "forged exactly": ("client", False), "listener forged": ("client", False),
         "cut": ("between", True)}
EACH = 5  # connections of each kind


def tunnel(name, address):
    import fcntl
    try:
        file = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(file, 0x400454ca, struct.pack("16sH22x", name.encode(), 0x1001))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
        for command in (["link", "set", "lo", "up"], ["address", "add", address + "/24", "dev", name], ["link", "set", name, "up"]):
            subprocess.run(["ip", *command], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        skip("no tunnel interface: %s" % error)
    return file


def package(kind, body):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def read_package(stream):
    size, kind = struct.unpack(">HB", stream.read(3))
    return chr(kind), stream.read(size - 3)


def abort(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def kind_of(port):
    return list(KINDS)[(port - FIRST_PORT) // EACH]


# ---- the robot, in a namespace of its own ----------------------------------------------------------------------------


def serve(connection, port):
    kind = kind_of(port)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = connection.makefile("rb")
    try:
        for answer in b"\1", b"\1DOUBLE,UINT32", b"\1":
            question, _ = read_package(stream)
            connection.sendall(package(question, answer))
        begin = time.monotonic()
        for i in range(200):
            connection.sendall(package("U", struct.pack(">BdI", 1, 100 + i * CYCLE, 2)))
            time.sleep(max(0, begin + (i + 1) * CYCLE - time.monotonic()))
            if kind in ("robot", "both", "robot aborts") and time.monotonic() > begin + 1:
                break
            if select.select([connection], [], [], 0)[0] and not connection.recv(100):
                break
    except (OSError, struct.error):
        pass
    stream.close()
    (abort if kind == "robot aborts" else socket.socket.close)(connection)


def robot(control):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it would wait for ever if the test ends early
    if libc.unshare(0x40000000) != 0:  # CLONE_NEWNET
        control.send(b"no")
        return
    file = tunnel("robot0", ROBOT)
    listener = socket.create_server((ROBOT, 30004), backlog=100)
    socket.send_fds(control, [b"ok"], [file])
    while True:
        connection, address = listener.accept()
        threading.Thread(target=serve, args=(connection, address[1]), daemon=True).start()


# ---- the router ------------------------------------------------------------------------------------------------------


def checksum(data):
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data + b"\0" * (len(data) % 2)))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def reset(source, target, seq, ack, ttl):
    ends = socket.inet_aton(source[0]) + socket.inet_aton(target[0])
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1], seq, ack, 0x50, RST | ACK, 0, 0, 0)
    tcp = tcp[:16] + struct.pack(">H", checksum(ends + struct.pack(">HH", 6, 20) + tcp)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 40, 7, 0x4000, ttl, 6, 0) + ends
    return ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:] + tcp


class Connection:
    def __init__(self, port):
        self.rng = random.Random(SEED * 1000 + port)
        self.delay = self.rng.choice((0, 0.001, 0.02, 0.3)) * self.rng.random()
        self.loss, self.copy = self.rng.choice((0, 0.02)), self.rng.choice((0, 0.02))
        self.place = self.rng.choice(("client", "robot"))  # where it is captured
        self.ends = [None, None]  # behind what passed there, of the client and of the robot
        self.forge_at = None


class Router(threading.Thread):
    """Forwards packets, and keeps what passes the point where each connection is captured."""

    def __init__(self, client, robot_file):
        super().__init__(daemon=True)
        self.files = {"client": client, "robot": robot_file}
        self.connections, self.waiting, self.seen, self.count, self.ends = {}, [], [], 0, False

    def run(self):
        names = {file: name for name, file in self.files.items()}
        while not self.ends:
            wait = min(0.005, max(0, self.waiting[0][0] - time.monotonic())) if self.waiting else 0.005
            for file in select.select(list(names), [], [], wait)[0]:
                self.take(names[file], os.read(file, 65536))
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, side, packet, connection, is_kept = heapq.heappop(self.waiting)
                if is_kept:
                    self.keep(connection, side, packet)
                os.write(self.files["robot" if side == "client" else "client"], packet)

    def take(self, side, packet):
        if packet[0] >> 4 != 4 or packet[9] != 6:
            return
        source, target = struct.unpack_from(">HH", packet, 20)
        port = source if side == "client" else target
        if not FIRST_PORT <= port < FIRST_PORT + EACH * len(KINDS):
            return
        connection = self.connections.setdefault(port, Connection(port))
        if connection.place == side:
            self.keep(connection, side, packet)
        is_alone = packet[33] & (2 | RST)  # a SYN; or a RST, which is sent once
        if not is_alone and connection.rng.random() < connection.loss:
            return
        for i in range(1 + (connection.rng.random() < connection.copy)):
            self.count += 1
            heapq.heappush(self.waiting, (time.monotonic() + connection.delay + i * 1e-4, self.count, side, packet, connection,
                                          connection.place != side))
        self.forge(connection, port, side)

    def keep(self, connection, side, packet):
        self.seen.append((time.time(), packet))
        seq, flags = struct.unpack_from(">I", packet, 24)[0], packet[33]
        end = seq + len(packet) - 20 - (packet[32] >> 4) * 4 + bool(flags & 2) + (flags & FIN)
        i = int(side == "robot")
        if not flags & RST and (connection.ends[i] is None or (end - connection.ends[i]) % (1 << 32) < 1 << 31):
            connection.ends[i] = end % (1 << 32)

    def forge(self, connection, port, side):
        kind, now = kind_of(port), time.monotonic()
        if kind not in ("forged", "forged exactly", "listener forged", "cut") or None in connection.ends or side != "robot":
            return
        if connection.forge_at is None:
            connection.forge_at = now + 0.5 + 12 * connection.delay
        if now < connection.forge_at:
            return
        connection.forge_at = 1e99
        names = {"listener forged": ("client",), "cut": ("robot", "client")}.get(kind) or (connection.rng.choice(("client", "robot")),)
        for name in names:
            self.send_forged(connection, port, name, kind)

    def send_forged(self, connection, port, name, kind):
        ends = [(CLIENT, port), (ROBOT, 30004)]
        own, other = connection.ends if name == "client" else connection.ends[::-1]
        source, target = ends if name == "client" else ends[::-1]
        is_exact, ttl = kind != "forged", connection.rng.choice((57, 64))
        packet = reset(source, target, (own + (0 if is_exact else 1000)) % (1 << 32), other, ttl)
        self.seen.append((time.time(), packet))
        if kind in ("forged", "cut"):  # the others get lost
            os.write(self.files["robot" if name == "client" else "client"], packet)


# ---- the client ------------------------------------------------------------------------------------------------------


def talk(port):
    kind = kind_of(port)
    connection = socket.socket()
    if kind == "unread":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    connection.bind((CLIENT, port))
    connection.settimeout(30)
    try:
        connection.connect((ROBOT, 30004))
        stream = connection.makefile("rb")
        for question in package("V", b"\0\2"), package("O", struct.pack(">d", 125) + b"timestamp,runtime_state"), package("S", b""):
            connection.sendall(question)
            read_package(stream)
        read_on(connection, stream, kind)
    except (OSError, struct.error):
        pass
    (abort if kind == "aborts" else socket.socket.close)(connection)


def read_on(connection, stream, kind):
    end = time.monotonic() + (4.5 if "forged" in kind or kind == "cut" else 1)
    while time.monotonic() < end or kind in ("robot", "robot aborts"):
        read_package(stream)
    if kind == "half":
        connection.shutdown(socket.SHUT_WR)
        while read_package(stream):
            pass
    if kind == "unread":
        time.sleep(0.5)
    stream.close()


def play(client, robot_file):
    router = Router(client, robot_file)
    router.start()
    jobs = [threading.Thread(target=talk, args=(FIRST_PORT + i,)) for i in range(EACH * len(KINDS))]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(60)
    time.sleep(3)
    router.ends = True
    router.join()
    return router


def write(router, name):
    with open(name, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
        for at, packet in sorted(router.seen, key=lambda one: one[0]):
            file.write(struct.pack("<IIII", int(at), int(at % 1 * 1e9), len(packet), len(packet)) + packet)


def packages_of(router):
    """That were captured, of each port."""
    found = {}
    for _, packet in router.seen:
        payload = packet[20 + (packet[32] >> 4) * 4:]
        source, port, seq = struct.unpack_from(">HHI", packet, 20)
        for at in range(0, len(payload), 16):
            if source == 30004 and payload[at + 2:at + 3] == b"U":
                found.setdefault(port, set()).add(seq + at)
    return {port: len(seqs) for port, seqs in found.items()}


# ---- what was found --------------------------------------------------------------------------------------------------


def judge(router, name):
    told = json.loads(subprocess.run([ARMTAP, "diagnose", "--json", name], capture_output=True, check=False).stdout)
    info = json.loads(subprocess.run([ARMTAP, "info", "--json", name], capture_output=True, check=False).stdout)
    ports = [int(one["client"].rsplit(":", 1)[1]) for one in info["streams"]]
    expect("all connected", len(router.connections) == EACH * len(KINDS), len(router.connections))
    expect("streams", sorted(ports) == sorted(router.connections), len(ports), len(router.connections))
    packages = packages_of(router)
    findings = {port: [] for port in ports}
    for one in told["findings"]:
        if one["stream"] is not None:
            findings[ports[one["stream"]]].append(one)
    for one, port in zip(info["streams"], ports):
        kind, connection = kind_of(port), router.connections[port]
        shown = "%s, port %d, %.3f s, loss %g, at the %s: " % (kind, port, connection.delay, connection.loss, connection.place)
        mine = [(found["id"], found["severity"], found.get("args")) for found in findings[port]]
        dropped = sum(found["args"]["bytes"] for found in findings[port]
                      if (found["id"], found["severity"]) == ("stream.gap", "info")) // 16
        expect(shown + "records", packages.get(port, 0) - dropped <= one["records"] <= packages.get(port, 0),
               one["records"], dropped, packages.get(port, 0))
        who, is_error = KINDS[kind]
        errors = {found[0] for found in mine if found[1] == "error"}
        # who is in between does not know what is still on its way: his RSTs may be ignored
        is_cut = kind != "cut" or not any(found[0] == "tcp.foreign-reset" and "is_ignored" in found[2] for found in mine)
        expect(shown + "errors", errors == ({"tcp.reset"} if is_error and is_cut else set()), mine)
        ends = [found[2] for found in mine if found[0] in ("tcp.closed", "tcp.reset")]
        expect(shown + "one end", len(ends) == 1, mine)
        expect(shown + "who", who is None or not is_cut or any(end["who"] == who or "doubt" in end for end in ends), mine)
        expect(shown + "forged", "forged" not in kind or any(found[0] == "tcp.foreign-reset" for found in mine), mine)
        expect(shown + "nothing is guessed", not {"stream.midstream", "rtde.recipe.missing"} & {found[0] for found in mine}, mine)


def main():
    enter()
    client = tunnel("client0", CLIENT)
    control, other = socket.socketpair()
    child = os.fork()
    if child == 0:
        control.close()
        os.close(client)
        robot(other)
        os._exit(0)
    other.close()
    word, files, _, _ = socket.recv_fds(control, 2, 1)
    if word != b"ok":
        skip("a second network namespace cannot be made")
    router = play(client, files[0])
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with tempfile.TemporaryDirectory() as folder:
        name = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "closes.pcap")
        write(router, name)
        judge(router, name)
    sys.exit(finish())


main()
