#!/usr/bin/env python3
"""Real kernels' TCP: robots in one network namespace, clients in another, and between them a router in this script that delays,
loses and refuses, a fault for each robot. tcpdump captures at both ends; what `diagnose` says of each robot is compared with what
was done to it. Skipped (status 77) if the system does not allow namespaces."""
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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

from namespace import INSIDE, enter, skip  # pylint: disable=wrong-import-position
from tally import expect, finish  # pylint: disable=wrong-import-position
import robot as robots  # pylint: disable=wrong-import-position
import tcp  # pylint: disable=wrong-import-position

ARMTAP = os.path.abspath(os.environ.get("ARMTAP") or os.path.join(os.environ.get("builddir", "."), "armtap"))
ATTEMPT, ATTEMPTS = "ARMTAP_KERNELS_ATTEMPT", 3
CLIENT, CYCLE, SIZE = "10.9.0.9", 0.008, 1108
REALTIME, RTDE = 30003, 30004
NAMES = ["timestamp", "actual_q", "target_q", "robot_mode", "runtime_state"]
GRAVE = ("warning", "error")


class Case:  # pylint: disable=too-few-public-methods
    """`client`: what a client does with its connection after `after` s. `path`: what the router does to a packet, a function of
    (packet, is it from the client, s since the start) that returns whether it is handed on. `causes` empty: nothing is wrong."""

    def __init__(self, name, causes=(), sides=("unclear",), client="close", server="stream", path=None, delay=0.0, port=REALTIME,
                 after=4.0, taps=("client", "robot"), at_robot=None, must=False):
        self.name, self.causes, self.sides, self.client, self.server, self.path = name, set(causes), set(sides) | {"unclear"}, client, server, path
        self.delay, self.port, self.after, self.taps, self.must = delay, port, after, taps, must
        self.at_robot = self.causes if at_robot is None else set(at_robot)
        self.address = self.error = None


def size_of(packet):
    """Of what a TCP packet carries."""
    return struct.unpack_from(">H", packet, 2)[0] - 20 - (packet[32] >> 4) * 4 if packet[9] == 6 else 0


def lossy(begin, until, share, seed):
    draw = random.Random(seed)
    return lambda packet, from_client, now: from_client or not begin <= now < until or draw.random() >= share


def cut(begin, until=1e9):
    return lambda packet, from_client, now: not begin <= now < until


STALLED = ("network.stalled", "silence")
CASES = [
    Case("closed with data in flight", delay=0.04),
    Case("closed with data in flight, RTDE", delay=0.02, port=RTDE),
    Case("closed after PAUSE", client="pause", port=RTDE, delay=0.005),
    Case("killed", client="kill", delay=0.03),
    Case("ended with bytes unread", client="unread", delay=0.001),
    Case("reset by the client", client="reset", delay=0.002),
    Case("closed by the robot", ["stream.ended-by-robot"], ["robot"], server="close", delay=0.03, after=6),
    Case("reset by the robot", ["tcp.reset"], ["robot"], server="reset", delay=0.003, after=6),
    Case("burst of loss", STALLED, ["network"], path=lossy(1.5, 3.5, 0.5, 5), delay=0.01, after=9),
    Case("heavy burst of loss", STALLED, ["network"], path=lossy(1.5, 3.5, 0.6, 6), delay=0.02, after=9, port=RTDE),
    Case("link down for 2 s", STALLED, ["network"], path=cut(2, 4), delay=0.004, after=9),
    Case("cut for good", ("silence", "tcp.not-acknowledged", "network.stalled"), ["network"], path=cut(2), delay=0.004, after=7),
    Case("client stops reading", ["tcp.zero-window"], ["client"], client="stall", delay=0.002, after=9, must=True),
    Case("robot hangs, its kernel answers", ["silence"], ["robot"], server="hang", client="keep alive", delay=0.002, after=7, must=True),
    Case("closed port", ["tcp.refused"], ["robot"], port=30001),
    Case("firewall rejects", ["tcp.unreachable"], ["network"], server="prohibited", taps=("client",), must=True),
    Case("firewall drops", ["tcp.no-answer"], path=cut(0), taps=("client",)),
    Case("MTU black hole", ("silence", "tcp.no-data", "rtde.no-data", "tcp.not-acknowledged", "network.stalled"), ["network"],
         path=lambda packet, from_client, now: size_of(packet) < 1000, delay=0.005, after=7,
         at_robot=("silence", "tcp.not-acknowledged", "network.stalled")),
]
for place, one_case in enumerate(CASES):
    one_case.address = "10.9.%d.5" % (place + 1)


# ---- namespaces ------------------------------------------------------------------------------------------------------


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def tunnel(name, *addresses):
    import fcntl  # pylint: disable=import-outside-toplevel
    try:
        file = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(file, 0x400454ca, struct.pack("16sH22x", name.encode(), 0x1001))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
        ip("link", "set", "lo", "up")
        for address in addresses:
            ip("address", "add", address + "/16", "dev", name)
        ip("link", "set", name, "up")
    except (OSError, subprocess.CalledProcessError) as error:
        skip("no tunnel interface: %s" % error)
    return file


class Capture:
    """tcpdump's, of an interface of this namespace."""

    def __init__(self, interface, path):
        self.path = path
        self.program = subprocess.Popen(["tcpdump", "-i", interface, "-s", "0", "-U", "-B", "16384", "-Z", "root", "-w", path],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.program.stderr.readline()
        while line and b"listening on" not in line:
            line = self.program.stderr.readline()

    def end(self):
        time.sleep(0.3)
        self.program.send_signal(signal.SIGINT)
        self.program.communicate(timeout=30)


# ---- robots ----------------------------------------------------------------------------------------------------------


def records(count):
    """What a robot sends, by port."""
    world = tcp.World(7)
    robot = robots.Robot(world, tcp.Host(world, (10, 9, 0, 2)), 125, generation=3)
    states = [robot.state(tick) for tick in range(count)]
    body = [b"".join(struct.pack(">" + robots.TYPES[robots.OUTPUTS[name]], *(numbers if isinstance(numbers, list) else [numbers]))
                     for name in NAMES for numbers in [robots.value(robot, state, name)]) for state in states]
    return {REALTIME: [robots.realtime(robot, state, SIZE) for state in states],
            RTDE: [robots.package("U", b"\1" + one) for one in body]}


def read_package(stream):
    size, kind = struct.unpack(">HB", stream.read(3))
    return chr(kind), stream.read(size - 3)


def shake_hands(connection):
    stream = connection.makefile("rb")
    for answer in b"\1", b"\1" + ",".join(robots.OUTPUTS[name] for name in NAMES).encode(), b"\1":
        kind, _ = read_package(stream)
        connection.sendall(robots.package(kind, answer))
    return stream


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def stream_to(connection, case, data):
    stream = shake_hands(connection) if case.port == RTDE else None
    begin = time.monotonic()
    for i, record in enumerate(data):
        if case.server in ("close", "reset", "hang") and i * CYCLE > 2:
            break
        if stream and select.select([connection], [], [], 0)[0]:
            kind = stream.read(3)
            if kind:
                connection.sendall(robots.package("P", b"\1"))
                stream.read(1)
            break
        connection.sendall(record)
        time.sleep(max(0, begin + (i + 1) * CYCLE - time.monotonic()))
    if case.server == "hang":
        time.sleep(30)
    elif case.server == "reset":
        reset(connection)


def serve(case, listener, data):
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        stream_to(connection, case, data)
        connection.close()
    except (OSError, struct.error):
        connection.close()


def play_robots(control, folder):
    import ctypes  # pylint: disable=import-outside-toplevel
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it would wait for ever if the test ends early
    if libc.unshare(0x40000000) != 0:  # CLONE_NEWNET
        control.send(b"no")
        return
    served = [case for case in CASES if case.server != "prohibited"]
    file = tunnel("robot0", *(case.address for case in served))
    ip("route", "add", CLIENT + "/32", "dev", "robot0")
    with open("/proc/sys/net/ipv4/ip_forward", "w") as forward:
        forward.write("1")
    for case in CASES:
        if case.server == "prohibited":
            ip("route", "add", "prohibit", case.address + "/32")
    data = records(1500)
    for case in served:
        if case.port in data:
            listener = socket.create_server((case.address, case.port))
            threading.Thread(target=serve, args=(case, listener, data[case.port]), daemon=True).start()
    capture = Capture("robot0", os.path.join(folder, "robot.pcap"))
    socket.send_fds(control, [b"ok"], [file])
    control.recv(1)
    capture.end()
    control.send(b"!")


# ---- the router ------------------------------------------------------------------------------------------------------


class Router(threading.Thread):
    def __init__(self, client, robot):
        super().__init__(daemon=True)
        self.client, self.robot, self.ends, self.queue, self.count = client, robot, False, [], 0
        self.cases = {socket.inet_aton(case.address): case for case in CASES}
        self.begin = time.monotonic()

    def run(self):
        while not self.ends:
            wait = 0.2 if not self.queue else max(0, min(0.2, self.queue[0][0] - time.monotonic()))
            ready, _, _ = select.select([self.client, self.robot], [], [], wait)
            for file in ready:
                self.take(os.read(file, 65536), file == self.client)
            now = time.monotonic()
            while self.queue and self.queue[0][0] <= now:
                _, _, packet, file = heapq.heappop(self.queue)
                os.write(file, packet)

    def take(self, packet, from_client):
        if packet[0] >> 4 != 4:
            return
        case, now = self.cases.get(packet[16:20] if from_client else packet[12:16]), time.monotonic()
        if case and case.path and not case.path(packet, from_client, now - self.begin):
            return
        self.count += 1
        heapq.heappush(self.queue, (now + (case.delay if case else 0), self.count, packet, self.robot if from_client else self.client))


# ---- clients ---------------------------------------------------------------------------------------------------------


def ask(connection):
    stream = connection.makefile("rb")
    for kind, body in ("V", struct.pack(">H", 2)), ("O", struct.pack(">d", 125) + ",".join(NAMES).encode()), ("S", b""):
        connection.sendall(robots.package(kind, body))
        read_package(stream)
    return stream


READER = "import socket\nc = socket.create_connection((%r, %d))\nwhile c.recv(65536): pass\n"


def read_for(connection, seconds):
    """Whether the peer has not ended it."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if select.select([connection], [], [], max(0, limit - time.monotonic()))[0] and not connection.recv(65536):
            return False
    return True


def play_client(case):
    if case.client == "kill":
        program = subprocess.Popen([sys.executable, "-c", READER % (case.address, case.port)])
        time.sleep(case.after)
        program.kill()
        program.wait()
        return
    connection = socket.socket()
    if case.client == "stall":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 20000)
    if case.client == "keep alive":
        for level, option, number in ((socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1),
                                      (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1), (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 9)):
            connection.setsockopt(level, option, number)
    connection.settimeout(6)
    try:
        connection.connect((case.address, case.port))
        stream = ask(connection) if case.port == RTDE else None
        if case.client == "stall":
            read_for(connection, 2)
            time.sleep(4)
        goes_on = read_for(connection, case.after - (6 if case.client == "stall" else 0))
        if case.client == "unread":
            time.sleep(0.05)
        if case.client == "reset" and goes_on:
            reset(connection)
        if case.client == "pause" and goes_on:
            connection.sendall(robots.package("P"))
            read_for(connection, 0.3)
        if stream:
            stream.close()
    except OSError as error:
        case.error = error
    connection.close()


# ---- what was found, and what was done -------------------------------------------------------------------------------


def check(path, tap):
    made = subprocess.run([ARMTAP, "diagnose", "--json", path], capture_output=True, text=True, check=False)
    found = json.loads(made.stdout or "{}")
    expect("armtap at the " + tap, "incidents" in found, made.stderr)
    listed = json.loads(subprocess.run([ARMTAP, "info", "--json", path], capture_output=True, text=True, check=False).stdout or "{}")
    streams = {}
    for stream in listed.get("streams", []):
        streams.setdefault(stream["robot"].split(":")[0], []).append(stream)
    for case in CASES:
        if tap not in case.taps:
            continue
        name = "%s, at the %s" % (case.name, tap)
        mine = [one for one in found.get("incidents", []) if one["robot"] == case.address]
        shown = [(one["what"], one["cause"], one["side"], one["text"]) for one in mine]
        print("%-46s %s" % (name, "; ".join("%s, cause %s, side %s" % one[:3] for one in shown) or "nothing"))
        causes = case.causes if tap == "client" else case.at_robot
        numbers = {stream["stream"] for stream in streams.get(case.address, [])}
        grave = sorted({finding["id"] for finding in found.get("findings", []) if finding["severity"] in GRAVE and
                        finding["stream"] in numbers and finding["stream"] is not None})
        expect(name + ": one connection", len(numbers) <= 1, streams.get(case.address))
        if not causes:
            expect(name + ": nothing is wrong", not mine and not grave, shown, grave)
            continue
        telling = [one for one in mine if {one["what"], one["cause"]} & causes]
        expect(name + ": the cause", telling, shown, grave)
        expect(name + ": no wrong side", all(one["side"] in case.sides for one in mine), shown)
        if case.must:
            expect(name + ": the side", any(one["side"] != "unclear" for one in telling), shown)


def run(folder):
    client = tunnel("client0", CLIENT)
    control, other = socket.socketpair()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        control.close()
        os.close(client)
        play_robots(other, folder)
        os._exit(0)
    other.close()
    word, files, _, _ = socket.recv_fds(control, 2, 1)
    if word != b"ok":
        skip("a second network namespace cannot be made")
    capture = Capture("client0", os.path.join(folder, "client.pcap"))
    router = Router(client, files[0])
    router.start()
    threads = [threading.Thread(target=play_client, args=(case,)) for case in CASES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)
    capture.end()
    control.send(b"?")
    control.recv(1)
    router.ends = True
    router.join()
    os.waitpid(child, 0)
    os.close(client)
    os.close(files[0])
    for tap in "client", "robot":
        check(os.path.join(folder, tap + ".pcap"), tap)


def main():
    enter("tcpdump")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        run(os.environ.get("KEEP") or folder)
    status, attempt = finish(), int(os.environ.get(ATTEMPT, 1))
    if status == 0 or attempt == ATTEMPTS:
        sys.exit(status)
    print("once more: a busy machine may have delayed what was to be in time")
    del os.environ[INSIDE]
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {ATTEMPT: str(attempt + 1)})


if __name__ == "__main__":
    main()
