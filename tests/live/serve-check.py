#!/usr/bin/env python3
"""`armtap serve` as plain sockets see it: what it serves of a capture is what `armtap export` shows of it and what the
capture holds, byte for byte; fields that it lacks are not found; pace, rounds, several clients, bad clients, signals."""
import contextlib
import importlib.util
import itertools
import json
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from tally import (endings, expect, finish, in_time, is_built_in, is_left_to_linux, is_sanitized, side_by_side,  # noqa: E402
                   term, until)

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
CAPTURES = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "captures"))
PATIENCE = 30  # s until a condition must have come true
TYPES = {"BOOL": "?", "UINT8": "B", "UINT32": "I", "UINT64": "Q", "INT32": "i", "DOUBLE": "d", "VECTOR3D": "3d",
         "VECTOR6D": "6d", "VECTOR6INT32": "6i", "VECTOR6UINT32": "6I"}
PORTS = (30004, 30003, 30013, 30001, 29999)


def cross_check():
    """The second decoder's reader of captures."""
    spec = importlib.util.spec_from_file_location("cross_check", os.path.join(HERE, "..", "cross-check.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def capture(name):
    return os.path.join(CAPTURES, name)


def run(*words):
    return subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)


# ---- the server, and clients --------------------------------------------------------------------------------------------


class Serve:
    def __init__(self, *words, descriptors=None):
        ports = ",".join("%d=0" % port for port in PORTS)
        self.program = subprocess.Popen([ARMTAP, "serve", "--ports", ports, *words], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                        preexec_fn=descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                                               (descriptors, descriptors))))
        self.lines, self.port = [], {}
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        until("it listens", lambda: len(self.port) == len(PORTS) or self.program.poll() is not None)

    def read(self):
        for line in self.program.stderr:
            self.lines.append(line)
            match = re.search(r"armtap: (\d+): .* listens on 127\.0\.0\.1:(\d+)$", line)
            if match:
                self.port[int(match[1])] = int(match[2])

    def said(self, words):
        return any(words in line for line in list(self.lines))

    def connect(self, port):
        end = socket.create_connection(("127.0.0.1", self.port[port]), PATIENCE)
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return end

    def knock(self, port):
        """A connection that may be turned away, even before it is seen to stand: None."""
        with contextlib.suppress(ConnectionError):
            return self.connect(port)

    def status(self):
        with open("/proc/%d/status" % self.program.pid) as file:
            return file.read()

    def memory(self):
        return 0 if is_sanitized() else int(re.search(r"VmHWM:\s+(\d+)", self.status())[1]) * 1024

    def cpu(self):
        with open("/proc/%d/stat" % self.program.pid) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait(self):
        status = self.program.wait(PATIENCE)
        self.reader.join()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.program.poll() is None:
            self.program.kill()
        self.wait()


def exactly(end, length):
    data = b""
    while len(data) < length:
        more = end.recv(length - len(data))
        if not more:
            raise EOFError
        data += more
    return data


class Rtde:
    """A client with each step as a call. Texts are kept; data before a reply, too."""

    def __init__(self, serve, version=2):
        self.end, self.texts, self.early, self.version = serve.connect(30004), [], [], 1
        if version > 1:
            expect("protocol %d" % version, self.ask("V", struct.pack(">H", version)) == b"\1")
            self.version = version

    def send(self, kind, payload=b""):
        self.end.sendall(struct.pack(">HB", len(payload) + 3, ord(kind)) + payload)

    def package(self):
        length, kind = struct.unpack(">HB", exactly(self.end, 3))
        return chr(kind), exactly(self.end, length - 3)

    def ask(self, kind, payload=b""):
        self.send(kind, payload)
        while True:
            got, payload = self.package()
            if got == kind:
                return payload
            (self.texts if got == "M" else self.early).append(payload)

    def outputs(self, names, frequency=500.0):
        head = struct.pack(">d", frequency) if self.version > 1 else b""
        reply = self.ask("O", head + ",".join(names).encode())
        if self.version > 1:
            self.id, reply = reply[0], reply[1:]
        return reply.decode().split(",")

    def inputs(self, *names):
        reply = self.ask("I", ",".join(names).encode())
        return reply[0], reply[1:].decode().split(",")

    def start(self):
        return self.ask("S") == b"\1"

    def data(self):
        """Payloads until the end."""
        yield from self.early
        with contextlib.suppress(EOFError, ConnectionResetError):
            while True:
                kind, payload = self.package()
                if kind == "U":
                    yield payload

    def close(self):
        self.end.close()


def layout(types):
    return ">" + "".join(TYPES[one] for one in types)


def rows(client, types, most=None):
    skip = 0 if client.version == 1 else 1
    return [struct.unpack(layout(types), payload[skip:]) for payload in itertools.islice(client.data(), most)]


def fields(name, stream=0):
    return json.loads(run("info", "--json", capture(name)).stdout)["streams"][stream]["fields"]


# ---- what is served is what was captured ------------------------------------------------------------------------------------


def cell(value):
    return repr(value) if isinstance(value, (float, bool)) else "%d" % value


def record_py(names, types, packages):
    """What UR's record.py writes."""
    header = []
    for name, kind in zip(names, types):
        count = int(kind[6]) if kind.startswith("VECTOR") else 1
        header += [name] if count == 1 else ["%s_%d" % (name, i) for i in range(count)]
    lines = [" ".join(header)] + [" ".join(map(cell, row)) for row in packages]
    return "".join(line + "\r\n" for line in lines).encode()


def check_record_py():
    for name, version, stream in (("rtde-v2.pcapng.gz", 2, 0), ("rtde-v1.pcap", 1, 0), ("rtde-v3.pcapng", 3, 0),
                                  ("rtde-stop.pcap", 2, 0), ("both-streams.pcap.gz", 2, 1)):
        wanted = run("export", "--dialect", "record.py", "--stream", str(stream), capture(name)).stdout
        with Serve("--speed", "max", "--loop", capture(name)) as serve:  # a round that ends waits a second for good-byes
            client = Rtde(serve, version)
            release = client.ask("v")
            expect(name + ": 16 bytes of version", len(release) == 16)
            names = fields(name, stream)
            types = client.outputs(names, 125.0)
            expect(name + ": starts", client.start())
            count = wanted.count(b"\r\n") - 1
            made = record_py(names, types, rows(client, types, count))
            expect(name + ": good-bye", client.ask("P") == b"\1")
            client.close()
            expect(name + ": as record.py writes it", made == wanted and wanted.count(b"\r\n") > 10, len(made), len(wanted))
            serve.program.send_signal(term())
            expect(name + ": ends", serve.wait() == 0, serve.lines)


def legacy_bytes(serve, port):
    end, data = serve.connect(port), b""
    with contextlib.suppress(ConnectionResetError):
        while True:
            more = end.recv(65536)
            if not more:
                return data
            data += more
    return data


def check_legacy():
    for name in ("cb2-812.pcap.gz", "cb3-1060.pcap.gz", "e-series-1220.pcapng.gz"):
        (content, _), _ = cross_check().streams(capture(name))
        for port in (30003, 30013):
            with Serve("--speed", "max", capture(name)) as serve:
                served = legacy_bytes(serve, port)
                expect("%s on %d: byte for byte" % (name, port), served == bytes(content) and len(served) > 1000,
                       len(served), len(content))


def packets(data):
    at = 0
    while at < len(data):
        length = struct.unpack_from(">i", data, at)[0]
        yield data[at:at + length]
        at += length


def check_each_other():
    """Legacy cells under RTDE's names, and RTDE's values in legacy cells."""
    (content, ends), _ = cross_check().streams(capture("cb3-1060.pcap.gz"))
    captured = list(packets(bytes(content)))
    with Serve("--speed", "max", capture("cb3-1060.pcap.gz")) as serve:
        client = Rtde(serve)
        types = client.outputs(["timestamp", "actual_q", "robot_mode", "runtime_state", "actual_digital_input_bits"])
        expect("types of the table", types == ["DOUBLE", "VECTOR6D", "INT32", "UINT32", "UINT64"], types)
        client.start()
        wanted = []
        for packet in captured:
            cells = struct.unpack(">%dd" % ((len(packet) - 4) // 8), packet[4:])
            wanted.append((cells[0], *cells[31:37], int(cells[94]), int(cells[131]), int(cells[85])))
        expect("cells as RTDE", rows(client, types) == wanted)
    with Serve("--speed", "max", capture("rtde-v2.pcapng.gz")) as serve:
        served = list(packets(legacy_bytes(serve, 30003)))
    lines = run("export", "--fields", "timestamp,actual_q,robot_mode", capture("rtde-v2.pcapng.gz")).stdout.decode().split()[1:]
    lines = [line.split(",", 1)[1] for line in lines]  # without the time of the capture
    made = []
    for packet in served:
        cells = struct.unpack(">152d", packet[4:])
        made.append(",".join(map(repr, (cells[0], *cells[31:37]))) + ",%d" % cells[94])
    expect("RTDE as cells", made == lines and len(made) == 411, made[:1], lines[:1])
    expect("1220 bytes, of 5.11", {len(packet) for packet in served} == {1220})
    expect("reserved cells are 0", not any(struct.unpack_from(">6d", packet, 4 + 8 * 102)[0] for packet in served))


def check_union():
    """What only the other connection of the robot carried is there."""
    legacy, rtde = set(fields("both-streams.pcap.gz", 0)), set(fields("both-streams.pcap.gz", 1))
    names = [name for name in sorted(legacy - rtde) if not name.startswith("rt_")]
    expect("the legacy stream has more", len(names) > 3, legacy, rtde)
    with Serve("--speed", "max", capture("both-streams.pcap.gz")) as serve:
        client = Rtde(serve)
        types = client.outputs(["timestamp"] + names)
        expect("found", "NOT_FOUND" not in types, types)
        client.start()
        expect("on RTDE's grid", len(rows(client, types)) == 69)


def check_sources():
    """serve, then export of what it serves."""
    for name, source, port in (("rtde-v2.pcapng.gz", "rtde", 30004), ("rtde-stop.pcap", "rtde", 30004),
                               ("cb3-1060.pcap.gz", "realtime", 30003)):
        with open("recipe.txt", "wb") as file:
            file.write(run("recipe", "--from", capture(name), "--plain").stdout if source == "rtde" else b"timestamp DOUBLE\n")
        recipe = ["--recipe", "recipe.txt"] if source == "rtde" else []
        with Serve("--speed", "max", capture(name)) as serve:
            done = run("export", *recipe, "--give-up", "1", "-f", "csv", "%s://127.0.0.1:%d" % (source, serve.port[port]))
        wanted = run("export", "--stream", "0", capture(name)).stdout.decode().splitlines()
        made = done.stdout.decode().splitlines()
        cut = [[line.split(",", 1)[1] for line in lines] for lines in (made, wanted)]
        expect(name + ": the rows of the original", cut[0] == cut[1] and len(made) > 100, len(made), len(wanted), done.stderr)


# ---- requests -----------------------------------------------------------------------------------------------------------


def check_requests():
    with Serve("--paused", "--hide", "actual_q", "--in-use", "speed_slider_mask", "--max-protocol", "2", "--text", "hello",
               "--controller-version", "5.9.4.1", capture("rtde-v2.pcapng.gz")) as serve:
        client = Rtde(serve, 1)
        expect("protocol 3 is refused", client.ask("V", b"\0\3") == b"\0")
        expect("a text on connecting, in protocol 1", client.texts == [b"\2hello"], client.texts)
        expect("protocol 2 is agreed", client.ask("V", b"\0\2") == b"\1")
        client.version = 2
        expect("the release", client.ask("v") == struct.pack(">4I", 5, 9, 4, 1))
        expect("hidden and lacking", client.outputs(["timestamp", "actual_q", "actual_main_voltage"]) ==
               ["DOUBLE", "NOT_FOUND", "NOT_FOUND"] and client.id == 0)
        expect("no start", not client.start())
        expect("in use", client.inputs("speed_slider_mask") == (0, ["IN_USE"]))
        for i in range(1, 13):
            expect("input recipe %d" % i, client.inputs("input_int_register_%d" % i) == (i, ["INT32"]))
        other = Rtde(serve)
        expect("of another client", other.inputs("input_int_register_3") == (0, ["IN_USE"]))
        client.close()
        until("it is gone", lambda: serve.said("disconnected by the client"))
        expect("free again", other.inputs("input_int_register_3") == (1, ["INT32"]))
        other.send("U", b"\1" + struct.pack(">i", 42))
        expect("read back", other.outputs(["input_int_register_3"]) == ["INT32"] and other.start())
        expect("what was written", other.package() == ("U", b"\1" + struct.pack(">i", 42)))


def dashboard(end, *lines):
    end.sendall(b"".join(line + b"\n" for line in lines))
    with end.makefile("rb") as file:
        return [file.readline() for _ in lines]


def check_stubs():
    with Serve("--paused", capture("rtde-v2.pcapng.gz")) as serve:
        end = serve.connect(29999)
        expect("banner", exactly(end, 45) == b"Connected: Universal Robots Dashboard Server\n")
        answers = dashboard(end, b"PolyscopeVersion", b"robotmode", b"safetystatus", b"programState", b"get serial number",
                            b"stop", b"play", b"nonesuch")
        expect("answers", answers[:4] == [b"URSoftware 5.11.1.108 (Jan 01 2021)\n", b"Robotmode: RUNNING\n",
                                          b"Safetystatus: NORMAL\n", b"PLAYING recorded.urp\n"], answers)
        expect("digits only", answers[4].strip().isdigit(), answers)
        expect("what acts fails", answers[5:] == [b"Stopped\n", b"Failed to execute: play\n", b"could not understand: 'nonesuch'\n"], answers)
        opened, end = time.monotonic(), serve.connect(30001)
        length, kind = struct.unpack(">iB", exactly(end, 5))
        version = exactly(end, length - 5)
        expect("version message", (length, kind) == (55, 20) and version[:22] == b"\xff" * 8 + b"\xfe\x03\x09URControl\x05\x0b",
               version)
        length, kind = struct.unpack(">iB", exactly(end, 5))
        state, sizes, at = exactly(end, length - 5), {}, 0
        while at < len(state):
            size, sub = struct.unpack_from(">IB", state, at)
            sizes[sub] = (size, state[at + 5:at + size])
            at += size
        expect("sub-packages", kind == 16 and {sub: size for sub, (size, _) in sizes.items()} ==
               {0: 47, 1: 251, 2: 37, 3: 75, 4: 101, 5: 225, 6: 445}, sizes)
        first = run("export", "--fields", "actual_q,timestamp", capture("rtde-v2.pcapng.gz")).stdout.decode().split()[1].split(",")[1:]
        joints = [struct.unpack_from(">d", sizes[1][1], 41 * i)[0] for i in range(6)]
        expect("joints of the capture", list(map(repr, joints)) == first[:6], joints, first)
        expect("its clock in us", struct.unpack_from(">Q", sizes[0][1])[0] == round(float(first[6]) * 1e6))
        expect("running", sizes[0][1][15] == 7)
        begin = time.monotonic()
        for _ in range(12):  # while nothing is played, too; some may have come already
            length, kind = struct.unpack(">iB", exactly(end, 5))
            expect("another state", kind == 16 and length == 5 + 47 + 251 + 37 + 75 + 101 and len(exactly(end, length - 5)))
        expect("ten a second, not more", time.monotonic() - opened > 1, time.monotonic() - opened)
        in_time("a second's states", time.monotonic() - begin, 10)


# ---- pace ---------------------------------------------------------------------------------------------------------------


def played(name, *words, names=("timestamp",), frequency=500.0, most=None):
    """Values, and seconds from the start to the last."""
    with Serve(*words, capture(name)) as serve:
        client = Rtde(serve)
        client.outputs(names, frequency)
        got, begin = [], time.monotonic()
        client.start()
        for payload in client.data():
            got.append(struct.unpack(">d", payload[1:])[0])
            if len(got) == most:
                break
        return got, time.monotonic() - begin


def check_pace():
    name = "rtde-v2.pcapng.gz"  # 411 records at 125 Hz, 3.3 s
    clocks, once = played(name, "--paused")
    expect("all of them", len(clocks) == 411, len(clocks))
    expect("not faster than recorded", once > (clocks[-1] - clocks[0]) * 0.97, once, clocks[-1] - clocks[0])
    fast, tenth = played(name, "--paused", "--speed", "10")
    expect("the same, not faster than asked for", fast == clocks and tenth > (clocks[-1] - clocks[0]) * 0.097, tenth)
    in_time("ten times as fast", tenth, once / 2)
    slower, _ = played(name, "--speed", "max", frequency=25.0)
    steps = {round(b - a, 6) for a, b in zip(slower, slower[1:])}
    expect("every fifth by clock", 80 <= len(slower) <= 84 and min(steps) >= 0.04 and max(steps) < 0.081, len(slower), steps)
    part, _ = played(name, "--speed", "max", "--from", "+1", "--to", "+2")
    expect("a part", 120 <= len(part) <= 126 and set(part) < set(clocks), len(part))


def check_rounds():
    smooth, _ = played("rtde-v1.pcap", "--speed", "max", "--loop", most=400)
    expect("its clock goes on", len(smooth) == 400 and all(a < b for a, b in zip(smooth, smooth[1:])))
    raw, _ = played("rtde-v1.pcap", "--speed", "max", "--loop=raw", most=400)
    expect("its clock falls", raw[121:242] == raw[:121] and smooth[:121] == raw[:121])
    expect("by a cycle", abs(smooth[121] - smooth[120] - 0.008) < 1e-6, smooth[120:122])


def check_paused():
    """Nothing is missed before the first client; SIGUSR1 begins without one."""
    if is_left_to_linux("SIGUSR1"):
        return
    with Serve("--paused", "--speed", "1000", capture("rtde-v1.pcap")) as serve:
        idle = serve.connect(30001)
        serve.program.send_signal(signal.SIGUSR1)
        expect("it plays to the end", serve.wait() == 0 and serve.said("121 records were played"), serve.lines)
        idle.close()


# ---- several clients, bad clients ------------------------------------------------------------------------------------------


def check_several():
    """Each gets every record from its start on, at its own rate."""
    with Serve("--speed", "max", "--loop", capture("e-series-1220.pcapng.gz")) as serve:
        steps = [None] * 4

        def read(i):
            client = Rtde(serve)
            client.outputs(["timestamp", "actual_q"], 500.0 / (i + 1))
            client.start()
            clocks = [struct.unpack_from(">d", payload, 1)[0] for payload in itertools.islice(client.data(), 500)]
            steps[i] = {round((b - a) * 1000) for a, b in zip(clocks, clocks[1:])} if len(clocks) == 500 else len(clocks)
            client.close()

        threads = [threading.Thread(target=read, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect("each has all", steps == [{2}, {4}, {6}, {8}], steps, [line for line in serve.lines if "drop" in line])


GARBAGE = (b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\0", b"\0\2V", b"\xff" * 70000, b"\0\5X\0\1")


def check_garbage():
    with Serve("--loop", capture("rtde-v2.pcapng.gz")) as serve:
        for garbage in GARBAGE:
            end = serve.connect(30004)
            with contextlib.suppress(ConnectionError):
                end.sendall(garbage)
                while end.recv(4096):
                    pass
            end.close()
        expect("each was told", until("5 are closed", lambda: sum("closed: " in line for line in list(serve.lines)) >= 5))
        end = serve.connect(30004)
        end.sendall(b"\xff\xffO")  # the rest never comes
        client = Rtde(serve)
        expect("others are served", client.outputs(["timestamp"]) == ["DOUBLE"] and client.start() and
               client.package()[0] == "U")
        expect("memory", serve.memory() < 64 << 20, serve.memory())


def check_script():
    """Script is drained and named once, and data goes on."""
    with Serve("--loop", capture("cb3-1060.pcap.gz")) as serve:
        end = serve.connect(30003)
        script = b"def evil\x1b[31m():\n" + b"  movej([0,0,0,0,0,0])\n" * 50000 + b"end\n"
        got = []

        def read():
            while sum(map(len, got)) < 30 * 1060:
                got.append(end.recv(65536))

        reader = threading.Thread(target=read)
        reader.start()
        end.sendall(script)
        reader.join()
        end.shutdown(socket.SHUT_WR)  # a close with unread data would be a reset, which throws away what was sent
        while end.recv(65536):
            pass
        end.close()
        until("it is counted", lambda: serve.said("bytes of script were not run"))
        lines = [line for line in serve.lines if "script" in line]
        expect("named once", len(lines) == 2 and "def evil" in lines[0] and str(len(script)) in lines[1], lines)
        expect("no control characters", not any("\x1b" in line for line in serve.lines))


def check_many():
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with Serve("--paused", capture("rtde-v2.pcapng.gz")) as serve:
        ends = []
        for _ in range(1000):
            end = socket.socket()
            end.settimeout(PATIENCE)
            with contextlib.suppress(ConnectionError):
                end.connect(("127.0.0.1", serve.port[30004]))
            ends.append(end)
        told = ("refused: 128 clients are connected", "and another client needs its place")  # the latter on a slow machine
        until("the others are told", lambda: any(map(serve.said, told)))
        for end in ends:
            end.close()

        def serves():
            with contextlib.suppress(EOFError, ConnectionError):
                return Rtde(serve).ask("v") != b""
            return False

        expect("and then a new one is served", until("a new client is served", serves))
        expect("memory", serve.memory() < 64 << 20, serve.memory())
        serve.program.send_signal(signal.SIGINT)
        serve.wait()
        made_room, away = re.search(r"; (\d+) idle ones were closed for others, (\d+) refused", serve.lines[-1]).groups()
        expect("most had no place", int(made_room) + int(away) > 500, serve.lines[-1])


def fill(serve, port, first):
    """Idle clients, more than the table has room for: each says `first`, or nothing, and then no more."""
    ends = [end for end in (serve.knock(port) for _ in range(140)) if end]
    for end in ends:
        with contextlib.suppress(ConnectionError):
            end.sendall(first)
    return ends


def check_room():
    """Idle clients, whatever they said before, make room for those that come; those that take part do not."""
    kinds = {"silent": (30004, b""), "half a request": (30004, b"\0\5V"), "a set-up without a start": (30004, b"\0\5V\0\2"),
             "dashboard": (29999, b"robotmode\n")}
    for what, (port, first) in kinds.items():
        with Serve("--paused", "--loop", capture("rtde-v2.pcapng.gz")) as serve:
            waits = Rtde(serve)  # started: it only waits until the capture plays on
            waits.outputs(["timestamp"])
            plays = waits.start()
            ends = fill(serve, port, first)
            came, end = [], time.monotonic() + PATIENCE
            while len(came) < 20 and time.monotonic() < end:
                with contextlib.suppress(ConnectionError, EOFError):
                    client = Rtde(serve)
                    client.ask("v")
                    came.append(client)  # and stays: each takes a place
            expect(what + ": others come in", plays and len(came) == 20, len(came), serve.lines[-3:])
            expect(what + ": who takes part stays", len(rows(waits, ["DOUBLE"], 20)) == 20)
            serve.program.send_signal(signal.SIGINT)
            serve.wait()
            run_lines = [line for line in serve.lines if re.search(r"armtap: \d+ [\d.]+:\d+: ", line)]
            expect(what + ": lines say the time", run_lines and all(re.match(r"[-\d]+T[\d:.]+Z \+\d+\.\d s armtap: ", line)
                                                                  for line in run_lines + serve.lines[-1:]), run_lines[:2])
            expect(what + ": counted", re.search(r"; \d+ clients; .*; [1-9]\d* idle ones were closed for others, \d+ refused", serve.lines[-1]),
                   serve.lines[-1])
            for one in ends:
                one.close()


class Drain(threading.Thread):
    """Reads what comes until the end: whoever reads nothing for 10 s is closed."""

    def __init__(self, end):
        super().__init__()
        self.end, self.got = end, 0
        self.start()

    def run(self):
        with self.end, contextlib.suppress(OSError):
            while more := len(self.end.recv(1 << 20)):
                self.got += more


def check_one_address():
    """Whatever the clients of one address do, one of another is served; who was there before stays."""
    start = b"\0\x14O" + struct.pack(">d", 125) + b"timestamp" + b"\0\3S"
    for what, port, first in (("readers", 30003, b""), ("states", 30001, b""), ("started", 30004, b"\0\5V\0\2" + start)):
        with Serve("--loop", capture("rtde-v2.pcapng.gz")) as serve:
            early = Drain(serve.connect(30003))
            ends = fill(serve, port, first)
            for end in ends:
                with contextlib.suppress(OSError):
                    end.recv(1)
            for host in "127.0.0.7", "127.0.0.8":
                with socket.create_connection(("127.0.0.1", serve.port[30003]), PATIENCE, (host, 0)) as other:
                    expect((what, host, "is served"), len(exactly(other, 1220)) == 1220, serve.lines[-3:])
            mark = early.got
            until("%s: who was there stays" % what, lambda: early.got >= mark + 100 * 1220)
            for end in ends:
                end.close()
        early.join()


def check_lines():
    """However many connections come and go, the lines about them stay few."""
    with Serve("--paused", capture("rtde-v2.pcapng.gz")) as serve:
        begin = time.monotonic()
        for _ in range(1500):
            end = serve.knock(30003)
            if end:
                end.close()
        seconds = time.monotonic() - begin
        serve.program.send_signal(signal.SIGINT)
        expect("ends", serve.wait() == 0)
        expect("%d lines in %.1f s" % (len(serve.lines), seconds), len(serve.lines) <= 202 * (seconds + 2) + 20)
        if 2 * 1500 / seconds > 400 and not is_left_to_linux("lines that are not shown: Wine takes fewer clients"):
            # lines a second; a slow machine makes less than what is shown
            expect("how many more there were", serve.said("more lines are not shown"))


def check_descriptors():
    """Clients never take the descriptors that the capture's next round needs, nor do unread lines stop the data."""
    if is_left_to_linux("sockets are no descriptors there"):
        return
    name = capture("e-series-1220.pcapng.gz")
    with Serve("--loop", "--speed", "20", name, descriptors=48) as serve:
        ends = [end for end in (serve.knock(30003) for _ in range(60)) if end]
        until("some are turned away", lambda: serve.said("refused: 16 clients are connected"))
        (content, _), _ = cross_check().streams(name)
        expect("it plays on, round after round", len(exactly(ends[0], 3 * len(content))) and not serve.said("cannot be read"),
               serve.lines[-3:])
        for end in ends:
            end.close()
    unread, write = os.pipe()
    with subprocess.Popen([ARMTAP, "serve", "--ports", "30003=0", "--loop", name], stderr=write) as program:
        os.close(write)
        line = b""
        while b"listens" not in line:
            line += os.read(unread, 1)
        while b"\n" not in line.split(b"listens")[1]:
            line += os.read(unread, 1)
        address = ("127.0.0.1", int(line.rsplit(b":", 1)[1]))
        reader = Drain(socket.create_connection(address, PATIENCE))
        begin = time.monotonic()
        while time.monotonic() - begin < 7:  # 64 kB of lines, at 200 a second
            for _ in range(60):
                with contextlib.suppress(ConnectionError):
                    socket.create_connection(address, PATIENCE).close()
            time.sleep(0.1)
        mark = reader.got
        until("data goes on though nobody reads the lines", lambda: reader.got >= mark + 100 * 1220)
        program.kill()
    reader.join()
    os.close(unread)


def check_slow():
    """A client that does not read loses data, then its connection; the others lose nothing."""
    with Serve("--loop", "--speed", "50", capture("e-series-1220.pcapng.gz")) as serve:
        slow = serve.connect(30003)
        client = Rtde(serve)
        client.outputs(["timestamp"], 25.0)
        client.start()
        clocks, closed = [], False
        for payload in client.data():
            clocks.append(struct.unpack(">d", payload[1:])[0])
            closed = closed or len(clocks) % 50 == 0 and serve.said("closed: it read nothing for 10 s")
            if closed:
                break
        steps = {round(b - a, 6) for a, b in zip(clocks, clocks[1:])}
        expect("it was told before", serve.said("reads too slowly: data is dropped"))
        expect("the other one has all", max(steps) < 0.08, sorted(steps)[-3:])
        expect("memory", serve.memory() < 64 << 20, serve.memory())
        slow.close()


def check_idle():
    """Whoever waits takes no time of the processor."""
    with Serve("--paused", capture("rtde-v2.pcapng.gz")) as serve:
        ends = [serve.connect(port) for port in PORTS if port not in (30003, 30013)]
        before = serve.cpu()
        time.sleep(1)
        expect("CPU time in a second", serve.cpu() - before < 0.05, serve.cpu() - before)
        expect("still there", len(ends) == 3 and serve.program.poll() is None)


# ---- ends ---------------------------------------------------------------------------------------------------------------


def nobody(_):
    return None


def set_up(serve):
    client = Rtde(serve)
    client.outputs(["timestamp"])
    return client


def streaming(serve):
    client = set_up(serve)
    client.start()
    client.package()
    return client


def not_reading(serve):
    end = serve.connect(30003)
    time.sleep(0.2)
    return end


def half_a_package(serve):
    end = serve.connect(30004)
    end.sendall(b"\xff\xffO")
    return end


def check_signals():
    for state in (nobody, set_up, streaming, not_reading, half_a_package):
        for number in endings():
            with Serve("--loop", "--speed", "100", capture("rtde-v2.pcapng.gz")) as serve:
                kept = state(serve)
                begin = time.monotonic()
                serve.program.send_signal(number)
                status = serve.wait()
                expect("%s, %s: ends" % (state.__name__, number.name), status == 0, status, serve.lines)
                in_time("%s, %s: the end" % (state.__name__, number.name), time.monotonic() - begin, 2)
                del kept


def check_refusals():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("serve", "--ports", "30004=%d" % port, capture("rtde-v2.pcapng.gz"))
        expect("a busy port", done.returncode == 2 and b"another program listens there" in done.stderr and
               b"--listen 127.0.0.11" in done.stderr and b"--ports 30004=0" in done.stderr, done)
    for words, said in ((["several-clients.pcapng"], b"2 robots"), (["aubo-tcp.pcap.gz"], b"AUBO" if is_built_in("AUBO") else b"no telemetry"),
                        (["--robot", "10.9.9.9", "several-clients.pcapng"], b"--robot 10.9.9.9"),
                        (["--stream", "99", "rtde-v2.pcapng.gz"], b"--stream 99"),
                        (["--speed", "0", "rtde-v2.pcapng.gz"], b"--speed"),
                        (["--ports", "80", "rtde-v2.pcapng.gz"], b"--ports"),
                        (["--gaps", "none", "rtde-v2.pcapng.gz"], b"--gaps"),
                        (["--paused", "--no-wait", "rtde-v2.pcapng.gz"], b"--paused waits for a client; remove --no-wait"),
                        (["--fill", "paylod=1", "rtde-v2.pcapng.gz"], b"did you mean 'payload'"),
                        (["--fill", "payload", "rtde-v2.pcapng.gz"], b"NAME=VALUE"),
                        (["--fill", "payload=1e400", "rtde-v2.pcapng.gz"], b"payload is of type DOUBLE"),
                        (["--fill", "payload=1", "--fill", "payload=2", "rtde-v2.pcapng.gz"], b"another gives this one"),
                        (["--fill", "payload=heavy", "rtde-v2.pcapng.gz"], b"payload is of type DOUBLE"),
                        (["--fill", "robot_mode=7.5", "rtde-v2.pcapng.gz"], b"robot_mode is of type INT32"),
                        (["--fill", "robot_mode=2147483648", "rtde-v2.pcapng.gz"], b"robot_mode is of type INT32"),
                        (["--fill", "runtime_state=-1", "rtde-v2.pcapng.gz"], b"runtime_state is of type UINT32"),
                        (["--fill", "actual_q=1,2,3,4,5", "rtde-v2.pcapng.gz"], b"5 values; actual_q is of type VECTOR6D: use 6"),
                        (["--fill", "payload=1,2", "rtde-v2.pcapng.gz"], b"2 values; payload is of type DOUBLE: use 1"),
                        (["--fill", "payload=", "rtde-v2.pcapng.gz"], b"0 values"),
                        (["--fill", "speed_slider_mask=1", "rtde-v2.pcapng.gz"], b"RTDE has no such output")):
        done = run("serve", *words[:-1], capture(words[-1]))
        expect("refused: %s" % words, done.returncode == 2 and said in done.stderr, done)
    done = subprocess.run([ARMTAP, "serve", "-"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    expect("standard input", done.returncode == 2 and b"must be in files" in done.stderr, done)


def check_wild_times():
    """Of a damaged capture, whose packets are by turns of 1970 and 2038."""
    with open(capture("rtde-v1.pcap"), "rb") as file:
        packets = bytearray(file.read())
    at, late = 24, False
    while at < len(packets):
        struct.pack_into("<I", packets, at, (1 << 31) - 1 if late else 0)
        at, late = at + 16 + struct.unpack_from("<I", packets, at + 8)[0], not late
    with tempfile.NamedTemporaryFile(suffix=".pcap") as wild:
        wild.write(packets)
        wild.flush()
        with Serve("--paused", wild.name) as serve:
            expect("gaps of more than a number holds", serve.said(" nothing was captured in 9223372036.9 s"), serve.lines)


def check_empty_range():
    """A range without a record is named, as by export."""
    for words in (("--from", "+9999"), ("--from", "+1", "--to", "+0.5")):
        with Serve(*words, capture("rtde-v1.pcap")) as serve:
            expect("%s: ends" % (words,), serve.wait() == 0, serve.lines)
            expect("%s: why" % (words,), serve.said("no record from the robot in that time"), serve.lines)
    with Serve("--no-wait", "--from", "+0.1", capture("rtde-v1.pcap")) as serve:
        serve.wait()
        expect("a range with records", not any("in that time" in line for line in serve.lines), serve.lines)


def check_robots():
    for name in ("fd00::13", "[fd00::13]", "10.0.0.12"):
        with Serve("--paused", "--robot", name, "--hide", "paylod", capture("several-clients.pcapng")) as serve:
            expect("robot " + name, serve.said("robot %s: " % (name if name[0] in "1[" else "[%s]" % name)), serve.lines)
            expect("a name that there is not", serve.said("--hide paylod: "), serve.lines)
            client = Rtde(serve)
            expect("serves", client.outputs(["timestamp"]) == ["DOUBLE"])
    with Serve("--paused", "--stream", "1", capture("both-streams.pcap.gz")) as serve:
        expect("by stream", serve.said("robot 10.0.0.11"), serve.lines)


def main():
    side_by_side(check_slow, check_descriptors, check_pace, check_signals, check_record_py, check_legacy, check_each_other, check_union,
                 check_sources, check_requests, check_stubs, check_rounds, check_paused, check_several, check_garbage, check_script,
                 check_many, check_room, check_one_address, check_idle, check_refusals, check_robots,
                 check_lines, check_wild_times, check_empty_range)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
