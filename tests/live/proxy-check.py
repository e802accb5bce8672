#!/usr/bin/env python3
"""armtap proxy: bytes in are bytes out, whatever the cuts and however many clients; ends, resets and slow readers pass; the
disk never delays it; the capture is what was said."""
import contextlib
import csv
import glob
import io
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from controller import Controller  # noqa: E402
from recording import FIN, RST, Recording, Streams, ends_with_us  # noqa: E402
from tally import Late, endings, expect, finish, free_ports, in_time, is_left_to_linux, share, side_by_side  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 40
SOON = 2.5 if os.environ.get("ASAN_OPTIONS") else 1.6
HERE4, ROBOT = "127.0.0.1", "127.0.0.41"
MEGA = 1 << 20
REFUSING = []


class Robot:
    """Servers on free ports; each connection is handled by a function of its socket, in a thread."""

    def __init__(self, *handlers, host=ROBOT):
        self.host, self.port, self.listeners, self.results = host, [], [], []
        for handler in handlers:
            listener = socket.create_server((host, 0), backlog=256)
            self.listeners.append(listener)
            self.port.append(listener.getsockname()[1])
            threading.Thread(target=self.accept, args=(listener, handler), daemon=True).start()

    def accept(self, listener, handler):
        while True:
            try:
                connection, peer = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.handle, args=(connection, peer, handler), daemon=True).start()

    def handle(self, connection, peer, handler):
        connection.settimeout(PATIENCE)
        with connection:
            try:
                result = handler(connection)
            except OSError as error:
                result = error
        self.results.append((peer, result))


def closed_port():
    """Bound as long as this process lives, so that no other test gets it."""
    REFUSING.append(socket.socket())
    REFUSING[-1].bind((ROBOT, 0))
    return REFUSING[-1].getsockname()[1]


class Proxy:
    def __init__(self, ports, *arguments, output="proxy.pcapng", robot=ROBOT, limit=None):
        self.program = subprocess.Popen([ARMTAP, "proxy", "--ports", ",".join("%d=0" % port for port in ports), "-o", output,
                                         *arguments, robot], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                        preexec_fn=ends_with_us(limit))
        self.said, self.at = [], {}
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.wait(lambda: len(self.at) == len(ports), "all ports")

    def read(self):
        for line in self.program.stderr:
            self.said.append(line.rstrip())
            found = re.match(r"armtap: (\S+):(\d+) forwards to \S+ port (\d+)", line)
            if found:
                self.at[int(found[3])] = found[1], int(found[2])

    def wait(self, truth, what):
        end = time.monotonic() + PATIENCE
        while not truth() and self.program.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        expect("in time: " + what, truth(), self.said)

    def client(self, port, host=HERE4):
        connection = socket.create_connection(self.at[port], PATIENCE, (host, 0))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def memory(self):
        with open("/proc/%d/status" % self.program.pid) as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

    def end(self, how=signal.SIGINT):
        begin = time.monotonic()
        self.program.send_signal(how)
        try:
            self.program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.program.kill()
        in_time("the end after a signal", time.monotonic() - begin, SOON)
        self.reader.join()
        return self.program.returncode, "\n".join(self.said)


def read_all(connection):
    found = []
    while data := connection.recv(65536):
        found.append(data)
    return b"".join(found)


def read_exactly(connection, length):
    found = b""
    while len(found) < length and (data := connection.recv(length - len(found))):
        found += data
    return found


def send_cut(connection, data, chance):
    """In pieces of any size, now and then with a pause."""
    at = 0
    while at < len(data):
        size = chance.choice((1, 2, 7, 100, 1460, 5000, 70000, 200000))
        connection.sendall(data[at:at + size])
        at += size
        if chance.random() < 0.05:
            time.sleep(0.001)


def talk(connection, data, chance):
    """Sends and reads at once; returns what came."""
    sender = threading.Thread(target=lambda: (send_cut(connection, data, chance), connection.shutdown(socket.SHUT_WR)))
    sender.start()
    found = read_all(connection)
    sender.join()
    return found


# ---- bytes -----------------------------------------------------------------------------------------------------------


def many_clients():
    """A hundred at a time: what each side sends comes out at the other, and is in the capture."""
    count, answers = 100, {}

    def answer(connection):
        mark = read_exactly(connection, 8)
        number = struct.unpack(">Q", mark)[0]
        data = random.Random(number).randbytes(number * 999 % 60000)
        answers[number] = data, mark + talk(connection, data, random.Random(number + 1))

    def ask(number):
        chance = random.Random(-number)
        data = struct.pack(">Q", number) + chance.randbytes(number * 777 % 90000)
        with proxy.client(robot.port[number % 2]) as connection:
            sent[number] = data, talk(connection, data, chance), connection.getsockname()

    sent, robot = {}, Robot(answer, answer)
    proxy = Proxy(robot.port)
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, count + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    proxy.wait(lambda: sum(": over" in line for line in proxy.said) == count, "the end of all")
    status, said = proxy.end()
    expect("many: status", status == 0, status, said)
    expect("many: all came", len(sent) == len(answers) == count, len(sent), len(answers))
    wrong = [number for number in sent
             if number not in answers or sent[number][0] != answers[number][1] or sent[number][1] != answers[number][0]]
    expect("many: bytes in are bytes out", not wrong, wrong)
    file = Recording("proxy.pcapng")
    streams = Streams(file.packets)
    for number, (data, found, address) in sent.items():
        server = ROBOT, robot.port[number % 2]
        expect("many: recorded, client %d" % number, streams.bytes.get((address, server)) == data
               and streams.bytes.get((server, address)) == found, len(streams.bytes.get((address, server), b"")))
        flags = streams.flags.get((address, server), [0]) + streams.flags.get((server, address), [0])
        expect("many: its ends, client %d" % number, sum(1 for one in flags if one & FIN) == 2, flags[-3:])
    expect("many: nothing dropped", file.dropped == 0 and file.whole and "not recorded" not in said, said)


def half_closed():
    """The client ends its side; the robot still sends."""
    def answer(connection):
        got = read_all(connection)
        time.sleep(0.2)
        connection.sendall(b"got %d" % len(got))

    robot = Robot(answer)
    proxy = Proxy(robot.port)
    with proxy.client(robot.port[0]) as connection:
        connection.sendall(b"x" * 1000)
        connection.shutdown(socket.SHUT_WR)
        expect("half closed: the answer comes", read_all(connection) == b"got 1000")
    status, said = proxy.end()
    expect("half closed: status", status == 0, said)


def is_reset(connect, data=b""):
    try:
        with connect() as connection:
            connection.sendall(data)
            read_all(connection)
        return False
    except ConnectionResetError:
        return True


def resets():
    def reset(connection):
        connection.recv(1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    refused, robot = closed_port(), Robot(reset, read_all)
    proxy = Proxy([*robot.port, refused])
    expect("refused: the client is reset", is_reset(lambda: proxy.client(refused)))
    if is_left_to_linux("resets: Wine's sockets tell of an end instead"):
        return
    expect("reset by the robot: the client is, too", is_reset(lambda: proxy.client(robot.port[0]), b"x"))
    connection = proxy.client(robot.port[1])
    connection.sendall(b"x")
    time.sleep(0.2)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    proxy.wait(lambda: any(isinstance(result, ConnectionResetError) for _, result in robot.results), "a reset robot")
    status, said = proxy.end()
    expect("resets: status", status == 0, said)
    expect("resets: said", "refused" in said and "reset by the robot" in said and "reset by the client" in said, said)
    streams = Streams(Recording("proxy.pcapng").packets)
    flags = {server[1]: [one for flag in [streams.flags[client, server], streams.flags[server, client]] for one in flag]
             for client, server in streams.flags if server[1] in (*robot.port, refused)}
    expect("resets: all are in the capture", all(any(one & RST for one in flags[port]) for port in (*robot.port, refused)),
           flags)


def slow_reader():
    """A client that stops to read stops the robot; others go on; memory stays."""
    sent = []

    def flood(connection):
        connection.settimeout(1.5)
        sent.append(0)
        try:
            while True:
                sent[-1] += connection.send(b"x" * 65536)
        except socket.timeout:
            pass
        connection.settimeout(PATIENCE)
        connection.shutdown(socket.SHUT_WR)
        read_all(connection)

    def echo(connection):
        while data := connection.recv(65536):
            connection.sendall(data)

    robot = Robot(flood, echo)
    proxy = Proxy(robot.port)
    before = proxy.memory()
    with proxy.client(robot.port[0]) as stuck, proxy.client(robot.port[1]) as other:
        begin, trips = time.monotonic(), 0
        while time.monotonic() - begin < 3:
            other.sendall(b"hello")
            expect("slow reader: others go on", read_exactly(other, 5) == b"hello") if trips % 500 == 0 else \
                read_exactly(other, 5)
            trips += 1
        expect("slow reader: the robot has to wait", sent and sent[0] < 40 * MEGA, sent)
        in_time("slow reader: a round trip of the others", 3 / trips, 0.003)
        expect("slow reader: memory", proxy.memory() - before < 40 * 1024, before, proxy.memory())
        expect("slow reader: all comes in the end", len(read_all(stuck)) == sent[0], sent)
    status, said = proxy.end()
    expect("slow reader: status", status == 0, said)


# ---- disks -----------------------------------------------------------------------------------------------------------


def round_trips(connection, count):
    """The longest, s."""
    longest = 0
    for number in range(count):
        begin = time.monotonic()
        connection.sendall(struct.pack(">I", number) * 50)
        expect("round trip", read_exactly(connection, 200) == struct.pack(">I", number) * 50) if not number else \
            read_exactly(connection, 200)
        longest = max(longest, time.monotonic() - begin)
    return longest


def disk_trouble():
    if is_left_to_linux("pipes with a name, and limits of a file's size"):
        return

    def echo(connection):
        while data := connection.recv(65536):
            connection.sendall(data)

    os.mkfifo("nobody")
    os.mkfifo("stuck")
    stuck = os.open("stuck", os.O_RDONLY | os.O_NONBLOCK)
    robot = Robot(echo)
    for output in "nobody", "stuck", "limited":
        proxy = Proxy(robot.port, output=output, limit=MEGA if output == "limited" else None)
        with proxy.client(robot.port[0]) as connection:
            longest = round_trips(connection, 1000)
            in_time(output + ": the longest round trip", longest, 0.5)
            data, begin = random.Random(5).randbytes(24 * MEGA), time.monotonic()
            expect(output + ": much data", talk(connection, data, random.Random(5)) == data)
            in_time(output + ": much data", time.monotonic() - begin, PATIENCE / 2)
        expect(output + ": memory", proxy.memory() < 100 * 1024, proxy.memory())
        status, said = proxy.end()
        expect(output + ": status", status == 2, status, said)
        why = {"nobody": "no program reads it", "stuck": "does not read", "limited": "too large"}[output]
        expect(output + ": said", why in said and "not recorded" in said, said)
    told = re.search(r"recorded ([0-9.]+) (k|M)B", said)
    size = float(told[1]) * (1000 if told[2] == "k" else 1000000)
    expect("limited: the size that is told", abs(size - os.path.getsize("limited")) <= 0.1 * size, told, os.path.getsize("limited"))
    expect("limited: whole packets", Recording("limited").whole and os.path.getsize("limited") > MEGA - 70000)
    os.close(stuck)
    with open("mine", "w") as file:
        file.write("mine")
    done = subprocess.run([ARMTAP, "proxy", "--ports", "1=0", "-o", "mine", ROBOT], capture_output=True, text=True)
    expect("no file is overwritten", done.returncode == 2 and "already exists" in done.stderr, done.stderr)


# ---- captures --------------------------------------------------------------------------------------------------------


def columns(name, *arguments):
    done = subprocess.run([ARMTAP, "export", *arguments, name], capture_output=True, text=True)
    expect("export of " + name, done.returncode == 0 and not done.stderr, done.stderr)
    return [row[1:] for row in csv.reader(io.StringIO(done.stdout))]


def capture():
    """What the proxy recorded is what a client of it recorded, and what the controller sent."""
    with Controller(ROBOT, {"rtde": 0, "realtime_ro": 0}) as controller:
        ports = controller.port["rtde"], controller.port["realtime_ro"]
        proxy = Proxy(ports, output="through.pcapng.gz")
        urls = ["%s://%s:%d" % (scheme, *proxy.at[port]) for scheme, port in zip(("rtde", "realtime"), ports)]
        client = subprocess.Popen([ARMTAP, "record", "-o", "client.pcapng", "--fields", "timestamp,actual_q", *urls],
                                  stderr=subprocess.DEVNULL, preexec_fn=ends_with_us())
        controller.wait_for(lambda: min(controller.counts[role, "records"] for role in ("rtde", "realtime_ro")) > 1000)
        client.send_signal(signal.SIGINT)
        client.wait(PATIENCE)
        status, said = proxy.end()
        expect("capture: status", status == 0, said)
        for number, (protocol, port) in enumerate(zip(("rtde", "realtime"), ports)):
            at = proxy.at[port][1]
            through = columns("through.pcapng.gz", "--port", "%d=%s" % (port, protocol), "--union", "--fields", "timestamp,actual_q")
            direct = columns("client.pcapng", "--port", "%d=%s" % (at, protocol), "--union", "--fields", "timestamp,actual_q")
            through, direct = [[row[3:] for row in rows if row[2] in (protocol, "protocol")] for rows in (through, direct)]
            expect("capture: rows of " + protocol, len(direct) > 500 and through[:len(direct)] == direct,
                   len(direct), len(through), number)
        times = {}
        for moment, data in Recording("through.pcapng.gz").packets:
            times.setdefault(frozenset(struct.unpack_from(">HH", data, 20)), []).append(moment)
        expect("capture: in each connection, time goes forward", len(times) == 2
               and all(found == sorted(found) for found in times.values()))


# ---- the program -----------------------------------------------------------------------------------------------------


def signals():
    """In every state: idle, with clients, while the robot does not answer."""
    deaf = socket.socket()
    deaf.bind((ROBOT, 0))
    deaf.listen(0)
    waiting = []
    for _ in range(3):  # further clients are not answered
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(deaf.getsockname())
        waiting.append(one)
    robot = Robot(read_all)
    port = deaf.getsockname()[1]
    for how in endings():
        for state in "idle", "clients", "no answer":
            proxy = Proxy([robot.port[0], port], output="%s-%s.pcapng" % (how.name, state))
            clients = []
            if state != "idle":
                clients = [proxy.client(port if state == "no answer" else robot.port[0]) for _ in range(5)]
                clients[0].sendall(b"hello")
                time.sleep(0.1)
            status, said = proxy.end(how)
            expect("%s, %s: status" % (how.name, state), status == 0, status, said)
            for one in clients:
                one.close()


def for_a_time():
    """--for ends it, with and without clients."""
    robot = Robot(read_all)
    for what, count in ("a client", 1), ("nobody", 0):
        begin = time.monotonic()
        proxy = Proxy(robot.port[:1], "--for", "2s", output=what + ".pcapng")
        try:
            clients = [proxy.client(robot.port[0]) for _ in range(count)]
        except ConnectionRefusedError:
            in_time("a client of a proxy that ends after 2 s", time.monotonic() - begin, 2)
            raise
        status = proxy.program.wait(PATIENCE)
        expect("--for, %s: status" % what, status == 0, status, proxy.said)
        expect("--for, %s: not before" % what, time.monotonic() - begin >= 2, time.monotonic() - begin)
        for one in clients:
            one.close()


def ports_in_use():
    robot, taken = Robot(read_all), socket.create_server((HERE4, 0))
    number = taken.getsockname()[1]
    some = subprocess.Popen([ARMTAP, "proxy", "--ports", "%d=%d,%d=0" % (robot.port[0], number, robot.port[0]), "-o",
                             "some.pcapng", ROBOT], stderr=subprocess.PIPE, text=True, preexec_fn=ends_with_us())
    first = [some.stderr.readline(), some.stderr.readline()]
    expect("one port in use: a warning, the others go on", "in use" in first[0] and "forwards" in first[1], first)
    some.send_signal(signal.SIGINT)
    some.communicate(timeout=PATIENCE)
    none = subprocess.run([ARMTAP, "proxy", "--ports", "1=%d" % number, "-o", "none.pcapng", ROBOT], capture_output=True,
                          text=True, timeout=PATIENCE)
    expect("all ports in use: status 2", none.returncode == 2 and "--listen" in none.stderr, none.stderr)
    for wrong in "0", "70000", "1=", "x", "1,", "1;2", "":
        done = subprocess.run([ARMTAP, "proxy", "--ports", wrong, "-o", "w.pcapng", ROBOT], capture_output=True, text=True)
        expect("--ports '%s'" % wrong, done.returncode == 2 and "--ports" in done.stderr, done.stderr)
    taken.close()
    own = str(free_ports(1)[0])
    for listen, robot_address in (ROBOT, ROBOT), ("0.0.0.0", ROBOT):
        done = subprocess.run([ARMTAP, "proxy", "--listen", listen, "--ports", own, "-o", "own-%s.pcapng" % listen, robot_address],
                              capture_output=True, text=True, timeout=PATIENCE)
        expect("a proxy of itself, on " + listen, done.returncode == 2 and "connect to itself" in done.stderr, done.stderr)
        expect("a warning where others reach it: " + listen, ("no passwords" in done.stderr) == (listen == "0.0.0.0"),
               done.stderr)
    for name in "rtde://10.0.0.2", "127.0.0.1:30004":
        done = subprocess.run([ARMTAP, "proxy", "-o", "url.pcapng", name], capture_output=True, text=True, timeout=PATIENCE)
        expect("a robot as " + name, done.returncode == 2 and "without scheme and port" in done.stderr, done.stderr)


def says_nothing(connection):
    """A robot that neither answers nor ends, whatever its client does."""
    connection.recv(65536)
    time.sleep(3600)


def echoes(proxy, port, host):
    """Whether a client from there is served."""
    try:
        with proxy.client(port, host) as connection:
            connection.sendall(b"hello")
            return read_exactly(connection, 5) == b"hello"
    except ConnectionError:
        return False


def echo(connection):
    while data := connection.recv(65536):
        connection.sendall(data)


def clients_that_went():
    """Clients that ended, by half or for good, of a robot that says nothing: the next ones have their places."""
    ways = {"closed": lambda one: one.close(), "ended its half": lambda one: one.shutdown(socket.SHUT_WR)}
    for what, leave in ways.items():
        robot = Robot(says_nothing, echo)
        proxy = Proxy(robot.port, output=what.replace(" ", "-") + ".pcapng")
        clients = []
        for number in range(560):  # more than there is room for
            one = client_of_a_crowd(proxy, robot.port[0], "127.0.0.%d" % (1 + number % 6))
            if one:
                one.sendall(b"x")
                leave(one)
                clients.append(one)
        for host in "127.0.0.1", "127.0.0.7":
            end = time.monotonic() + PATIENCE
            while not (served := echoes(proxy, robot.port[1], host)) and time.monotonic() < end:
                time.sleep(0.05)
            expect("%s: a new client of %s is served" % (what, host), served, proxy.said[-3:])
        status, said = proxy.end()
        expect(what + ": status", status == 0, said)
        expect(what + ": counted", re.search(r"\d+ cut off, [1-9]\d* dropped, \d+ refused\)", said.splitlines()[-1]), said[-300:])
        expect(what + ": the end is in the capture", sum(flag & RST != 0 for flags in
                                                         Streams(Recording(what.replace(" ", "-") + ".pcapng").packets).flags.values()
                                                         for flag in flags) > 0)
        for one in clients:
            one.close()


def clients_of_a_robot_that_is_off():
    """They give up before it answers: the next ones have their places, and are served when it does."""
    listener = socket.create_server((ROBOT, 0), backlog=0)
    port, waiting = listener.getsockname()[1], [socket.socket() for _ in range(3)]
    for one in waiting:  # the queue is full: the system answers no more
        one.setblocking(False)
        one.connect_ex((ROBOT, port))
    proxy = Proxy([port], output="off.pcapng")
    for _ in range(130):
        with contextlib.suppress(ConnectionError):
            proxy.client(port, "127.0.0.8").close()
    time.sleep(0.5)
    late = proxy.client(port, "127.0.0.8")
    late.settimeout(0.5)
    with contextlib.suppress(TimeoutError):
        expect("off: a client waits for the robot", late.recv(1) == b"never", proxy.said[-3:])
    for one in waiting:
        one.close()
    robot = Robot()
    threading.Thread(target=robot.accept, args=(listener, echo), daemon=True).start()
    late.settimeout(PATIENCE)
    late.sendall(b"hello")
    expect("off: it is served in the end", read_exactly(late, 5) == b"hello", proxy.said[-3:])
    status, said = proxy.end()
    expect("off: status", status == 0, said)


def one_address():
    """As many as it likes from one address: others are served all the same, and those who were go on."""
    robot = Robot(echo)
    proxy = Proxy(robot.port)
    first = proxy.client(robot.port[0], "127.0.0.8")
    crowd = [client_of_a_crowd(proxy, robot.port[0], "127.0.0.9") for _ in range(420)]
    for _ in range(20):
        expect("one address: others are served", echoes(proxy, robot.port[0], "127.0.0.8"), proxy.said[-3:])
    first.sendall(b"first")
    expect("one address: who was served goes on", read_exactly(first, 5) == b"first")
    proxy.wait(lambda: any("127.0.0.9 has 100 connections" in line for line in proxy.said), "a word on the address")
    for one in filter(None, [first, *crowd]):
        one.close()
    status, said = proxy.end()
    expect("one address: status", status == 0, said)
    run_lines = [line for line in said.splitlines() if "forwards to" not in line]
    expect("one address: lines say the time", all(re.match(r"[-\d]+T[\d:.]+Z \+\d+\.\d s armtap: ", line) for line in run_lines),
           run_lines[:3])
    expect("one address: counted", ", 320 refused" in said.splitlines()[-1], said[-300:])


def parts():
    """Files of the proxy as those of record: each decodes alone, together nothing is missing or doubled, and only so much is kept."""
    with Controller(ROBOT, {"rtde": 0, "realtime_ro": 0}) as controller:
        ports = controller.port["rtde"], controller.port["realtime_ro"]
        proxy = Proxy(ports, "--rotate", "120k", output="part-%H%M%S.pcapng")
        urls = ["%s://%s:%d" % (scheme, *proxy.at[port]) for scheme, port in zip(("rtde", "realtime"), ports)]
        client = subprocess.Popen([ARMTAP, "record", "-o", "client.pcapng", "--fields", "timestamp,actual_q", *urls],
                                  stderr=subprocess.DEVNULL, preexec_fn=ends_with_us())
        controller.wait_for(lambda: min(controller.counts[role, "records"] for role in ("rtde", "realtime_ro")) > 1000)
        client.send_signal(signal.SIGINT)
        client.wait(PATIENCE)
        status, said = proxy.end()
        names = sorted(glob.glob("part-*"))
        expect("parts: status", status == 0 and len(names) > 5, status, said, names)
        expect("parts: each is named", all("armtap: %s: " % name in said for name in names) and "in %d files" % len(names) in said, said)
        expect("parts: sizes", all(os.path.getsize(name) <= 120000 for name in names), [os.path.getsize(name) for name in names])
        for protocol, port in zip(("rtde", "realtime"), ports):
            at = proxy.at[port][1]
            asked = "--union", "--fields", "protocol,timestamp,actual_q"
            through = columns(names[-1], "--port", "%d=%s" % (port, protocol), *asked, *names[:-1])
            direct = columns("client.pcapng", "--port", "%d=%s" % (at, protocol), *asked)
            alone = []
            for name in names:
                done = subprocess.run([ARMTAP, "export", "--port", "%d=%s" % (port, protocol), *asked, name], capture_output=True, text=True)
                alone += [row[1:] for row in csv.reader(io.StringIO(done.stdout))]
            through, direct, alone = [[row[2:] for row in rows if protocol in row] for rows in (through, direct, alone)]
            expect("parts: rows of " + protocol, len(direct) > 500 and through[:len(direct)] == direct, len(direct), len(through))
            expect("parts: each alone, of " + protocol, alone == through, len(alone), len(through))
        for count in range(3):
            proxy = Proxy(ports, "--rotate", "20k", "--keep", "70k", output="kept-%Y%m%dT%H%M%SZ.pcapng")
            with proxy.client(ports[1]) as connection:
                read_exactly(connection, 200000)
            status, said = proxy.end()
            sizes = {name: os.path.getsize(name) for name in glob.glob("kept-*")}
            expect("kept %d: status" % count, status == 0 and "deleted" in said, status, said)
            expect("kept %d: room" % count, 40000 < sum(sizes.values()) <= 90000, sizes)
        for words, why in ((("--keep", "1M"), "--keep needs --rotate"), (("--rotate", "x"), "--rotate 'x': expected"),
                           (("--keep", "1k", "--rotate", "1M"), "--keep is less than one file"), (("--rotate", "1h", "-o", "-"), "standard output is one")):
            done = subprocess.run([ARMTAP, "proxy", "--ports", "1=0", *words, ROBOT], capture_output=True, text=True, timeout=PATIENCE)
            expect("%s: refused" % (words,), done.returncode == 2 and why in done.stderr, done.stderr)


def client_of_a_crowd(proxy, port, host=HERE4):
    """None if the reset comes before connect() has returned."""
    try:
        return proxy.client(port, host)
    except ConnectionResetError:
        return None


def crowd():
    """More clients than are served: the rest is reset, those that are served go on."""
    robot = Robot(lambda connection: connection.recv(1))
    begin, proxy = time.monotonic(), Proxy(robot.port)
    clients = [client_of_a_crowd(proxy, robot.port[0], "127.0.0.%d" % (1 + number % 5)) for number in range(420)]
    proxy.wait(lambda: any("the most that are served" in line for line in proxy.said), "a word on the crowd")
    expect("crowd: memory", proxy.memory() < 120 * 1024, proxy.memory())
    with open("/proc/%d/stat" % proxy.program.pid) as file:
        before = sum(map(int, file.read().split()[13:15]))
    time.sleep(1)
    with open("/proc/%d/stat" % proxy.program.pid) as file:
        expect("crowd: no busy loop", sum(map(int, file.read().split()[13:15])) - before < 20)
    for one in filter(None, clients):
        one.close()
    for _ in range(500):
        one = client_of_a_crowd(proxy, robot.port[0])
        if one:
            one.close()
    status, said = proxy.end()
    expect("crowd: status", status == 0, said)
    seconds = time.monotonic() - begin
    expect("crowd: at most 300 lines a second", said.count("\n") < 300 * (seconds + 2), said.count("\n"), seconds)
    if "omitted" not in said:
        raise Late("920 clients took %.1f s: too long for more than 300 lines a second" % seconds)


if __name__ == "__main__":
    side_by_side(*share((many_clients, half_closed, resets, slow_reader, disk_trouble, capture, signals, for_a_time, ports_in_use, crowd,
                 clients_that_went, clients_of_a_robot_that_is_off, one_address, parts), 2, "scenes of a proxy"))
    sys.exit(finish())
