#!/usr/bin/env python3
"""The bridge, armtap serve --layout SIZE rtde://HOST, between a fake controller and plain sockets: each cell, what is
said of the cells that stay 0, the rate, a robot that goes and comes, script text, signals, memory."""
import contextlib
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
from functools import partial

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import wire  # noqa: E402
from controller import Controller, Faults  # noqa: E402
from robot import Robot  # noqa: E402
from tally import endings, expect, finish, in_time, is_left_to_linux, is_sanitized, share, side_by_side, term, wait_for  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 20
# Columns of the 1220 layout that RTDE lacks, from UR's tables.
RESERVED = [94, *range(103, 109), *range(112, 118), 120, 121, *range(140, 143)]


def holds(truth, what):
    expect(what, truth)


class Bridge:
    """The program, with what it says."""

    def __init__(self, *arguments, ports="30003=0,30013=0"):
        self.process = subprocess.Popen([ARMTAP, "serve", "--ports", ports, *arguments], stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True, errors="replace")
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stderr.readline, "")), daemon=True)
        self.reader.start()
        self.port = {}
        wait_for(lambda: self._ports() or self.process.poll() is not None, PATIENCE)

    def _ports(self):
        self.port = dict(re.findall(r"(30003|30013): realtime listens on [\d.]+:(\d+)", self.said()))
        return len(self.port) == 2

    def said(self):
        return "".join(self.lines)

    def says(self, text):
        return wait_for(lambda: text in self.said(), PATIENCE)

    def client(self, role="30003", host="127.0.0.1"):
        return Client(int(self.port[role]), host)

    def end(self, number=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "hangs"
        finally:
            self.reader.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class Client:
    def __init__(self, port, host="127.0.0.1"):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE, (host, 0))
        self.rest = b""

    def packets(self, count):
        """So many whole packets; fewer where the connection ends."""
        found = []
        while len(found) < count:
            if len(self.rest) >= 4 and len(self.rest) >= struct.unpack(">I", self.rest[:4])[0]:
                size = struct.unpack(">I", self.rest[:4])[0]
                found.append(self.rest[:size])
                self.rest = self.rest[size:]
                continue
            more = self.socket.recv(65536)
            if not more:
                break
            self.rest += more
        return found

    def ends(self):
        """Whether the bridge ends the connection, whatever comes before."""
        with contextlib.suppress(ConnectionError, socket.timeout):
            while True:
                if not self.socket.recv(65536):
                    return True
        return False

    def close(self):
        self.socket.close()


def url(controller):
    return "rtde://%s:%d" % (controller.host, controller.port["rtde"])


def cells_of(robot, packet):
    """Column: (value in the packet, value that the robot has at that time)."""
    layout = wire.Layout(len(packet))
    flat = struct.unpack(">%dd" % ((len(packet) - 4) // 8), packet[4:])
    step = round((flat[0] - robot.uptime) * robot.hz)
    due, found = robot.packet_values(step), {}
    for offset, name, count in layout.cells:
        for i in range(count):
            column = (offset - 4) // 8 + 1 + i
            found[column] = (flat[column - 1], float(due[name][i]) if name in due else 0.0)
    return found


def same(one, other):
    return struct.pack(">d", one) == struct.pack(">d", other)


# ---- cells ----------------------------------------------------------------------------------------------------------------


def check_cells(size):
    with Controller(roles={"rtde": 0}, robot=Robot(size=size)) as robot, Bridge("--layout", str(size), url(robot)) as bridge:
        client = bridge.client()
        packets = client.packets(200)
        equal, wrong, zero = 0, [], 0
        for packet in packets:
            for column, (got, due) in cells_of(robot.robot, packet).items():
                if column in RESERVED:
                    zero += same(got, 0.0)
                elif same(got, due):
                    equal += 1
                else:
                    wrong.append((column, got, due))
        columns = (size - 4) // 8
        reserved = sum(column in RESERVED for column in range(1, columns + 1))
        holds(not wrong and equal == 200 * (columns - reserved) and zero == 200 * reserved,
               "%d bytes: %d of %d cells right in each of 200 packets, %d are 0: %r" %
               (size, columns - reserved, columns, reserved, wrong[:3]))
        text = "%d of %d columns are from RTDE" % (columns - reserved, columns)
        holds(bridge.says(text), "%d bytes: %r is said: %s" % (size, text, bridge.said()))
        if size == 1220:
            holds(bridge.says("94, 103-108, 112-117, 120-121, 140-142"), "1220 bytes: the columns are listed: " + bridge.said())
        clocks = [struct.unpack(">d", packet[4:12])[0] for packet in packets]
        steps = {round((b - a) * robot.robot.hz) for a, b in zip(clocks, clocks[1:])}
        holds(steps == {1}, "%d bytes: every record gives a packet: %r" % (size, steps))


def check_lacking():
    faults = Faults(hide={"payload", "elbow_position"})
    with Controller(roles={"rtde": 0}, faults=faults) as robot, Bridge("--layout", "1220", url(robot)) as bridge:
        packets = bridge.client().packets(20)
        wrong = []
        for packet in packets:
            for column, (got, due) in cells_of(robot.robot, packet).items():
                empty = column in RESERVED or column in (133, 134, 135, 143)
                if not same(got, 0.0 if empty else due):
                    wrong.append((column, got, due))
        holds(packets and not wrong, "what the robot lacks is 0, all else is right: %r" % wrong[:3])
        holds(bridge.says("this robot lacks their variables: columns 133-135, 143") and "introduced in 5.0.0" in bridge.said(),
              "it is listed, with the release that has it: " + bridge.said())
        robot.close("rtde")
        bridge.says("data arrives again")
        holds(bridge.said().count("columns are from RTDE") == 1, "once: " + bridge.said())


def check_hidden_mode():
    with Controller(roles={"rtde": 0}, faults=Faults(hide={"safety_mode"})) as robot, \
            Bridge("--layout", "764", url(robot)) as bridge:
        client = bridge.client()
        holds(bridge.says("CB2's robot mode is not known"), "without safety_mode CB2's mode is not made up: " + bridge.said())
        client.socket.settimeout(0.5)
        with contextlib.suppress(socket.timeout):
            holds(not client.packets(1), "and no packet is sent")


def check_rate():
    with Controller(roles={"rtde": 0}) as robot, Bridge("--layout", "1060", "--hz", "125", url(robot)) as bridge:
        clocks = [struct.unpack(">d", packet[4:12])[0] for packet in bridge.client().packets(100)]
        steps = {round((b - a) * 500) for a, b in zip(clocks, clocks[1:])}
        holds(steps == {4}, "--hz 125 of a robot at 500 Hz: every fourth record: %r" % steps)


def check_cb2():
    with Controller(roles={"rtde": 0}) as robot, Bridge("--layout", "812", url(robot)) as bridge:
        client = bridge.client()
        packet = client.packets(1)[0]
        flat = struct.unpack(">101d", packet[4:])
        pose = robot.robot.one("actual_TCP_pose", round((flat[0] - robot.robot.uptime) * 500))
        holds(len(packet) == 812 and flat[94] == 0.0 and flat[73:79] == pose and flat[49:52] != (0, 0, 0),
               "812 bytes: mode 0 is CB2's RUNNING, columns 74-79 are the actual pose")
        holds(bridge.says("converted for CB2"), "the conversion is said")
        robot.do(lambda: robot.robot.kept.update(robot_mode=(5,)))
        holds(bridge.says("CB2 has no robot_mode like IDLE (5)"), "a mode without a counterpart is said: " + bridge.said())
        robot.do(lambda: robot.robot.kept.update(robot_mode=(3,)))
        modes = [0.0]
        while len(modes) < 3000 and modes.count(7.0) < 20:
            modes.append(struct.unpack(">d", client.packets(1)[0][756:764])[0])
        holds(modes == sorted(modes) and set(modes) == {0.0, 7.0}, "then POWER_OFF, CB2's NO_POWER: %r" % set(modes))
        told = bridge.said().count("CB2 has no")
        holds(told == 1, "the mode is said once: %d" % told)


# ---- the robot goes and comes ---------------------------------------------------------------------------------------------


def check_loss():
    with Controller(roles={"rtde": 0}) as robot, Bridge("--layout", "1220", url(robot)) as bridge:
        client = bridge.client()
        client.packets(5)
        robot.refuse("rtde")
        robot.close("rtde")
        holds(client.ends(), "the robot is lost: the client's connection ends")
        holds(bridge.says("refuses connections"), "it says why: " + bridge.said())
        holds(bridge.client().ends(), "whoever connects meanwhile is disconnected, too")
        robot.listen("rtde")
        holds(wait_for(lambda: comes_back(bridge), PATIENCE), "the robot is back: packets come again")
        holds(bridge.says("the robot is not connected"), "it is said why: " + bridge.said())


def comes_back(bridge):
    client = bridge.client()
    try:
        return len(client.packets(3)) == 3
    except ConnectionError:
        return False
    finally:
        client.close()


def check_hold():
    with Controller(roles={"rtde": 0}) as robot, Bridge("--layout", "1220", "--on-loss", "hold", url(robot)) as bridge:
        client = bridge.client()
        before = client.packets(5)
        robot.close("rtde", reset=True)
        after = client.packets(400)
        clocks = [struct.unpack(">d", packet[4:12])[0] for packet in before + after]
        holds(len(after) == 400 and clocks == sorted(set(clocks)),
              "--on-loss hold: the connection stays, and no packet is sent twice: %d" % len(after))
        holds(max(b - a for a, b in zip(clocks, clocks[1:])) > 0.1, "while the robot was away nothing was sent")


def check_upgraded(size, hidden, loss):
    """The robot comes back without what it had: nobody gets packets with anything in its place, until it has that again."""
    faults = Faults()
    with Controller(roles={"rtde": 0}, faults=faults) as robot, \
            Bridge("--layout", str(size), "--on-loss", loss, url(robot)) as bridge:
        client = bridge.client()
        holds(len(client.packets(5)) == 5, "packets come")
        before = robot.robot.version
        robot.do(lambda: (setattr(faults, "hide", {hidden}), setattr(robot.robot, "version", (before[0], before[1] + 1, *before[2:]))))
        robot.reboot(5000.0)
        late = []
        with contextlib.suppress(ConnectionError, socket.timeout):
            while len(late) < 10000 and (some := client.packets(1)):
                late += some
        holds(len(late) < 10000, "%s, %s: the client is disconnected" % (hidden, loss))
        fresh = [packet for packet in late if struct.unpack(">d", packet[4:12])[0] >= 5000]
        holds(not fresh, "%s, %s: no packet of the other robot: %d" % (hidden, loss, len(fresh)))
        holds(bridge.says("the robot reconnected without %s: no packets" % hidden), "it says why: " + bridge.said())
        with contextlib.suppress(ConnectionError, socket.timeout):
            holds(not bridge.client().packets(1), "%s, %s: nor does a new client get one" % (hidden, loss))
        holds(bridge.said().count("reconnected without %s: no packets" % hidden) == 1, "once: " + bridge.said())
        robot.do(lambda: (setattr(faults, "hide", set()), setattr(robot.robot, "version", before)))
        robot.reboot(9000.0)
        holds(wait_for(lambda: comes_back(bridge), PATIENCE), "it has it again: " + bridge.said()[-2000:])


# ---- script ---------------------------------------------------------------------------------------------------------------

PROGRAM = b"def move():\n  if True:\n    movej([0,0,0,0,0,0])\n  end\nend\n"


def scripts(robot):
    return b"".join(event.data for event in robot.events("script", role="secondary"))


def a_host():
    """An address of the loopback network that no other test has; its port 30002 is free."""
    return "127.%d.%d.%d" % (random.randint(10, 250), random.randint(1, 250), random.randint(1, 250))


def check_drained():
    with Controller(roles={"rtde": 0, "secondary": 30002}, host=a_host()) as robot, \
            Bridge("--layout", "1060", url(robot)) as bridge:
        client = bridge.client()
        client.packets(2)
        client.socket.sendall(PROGRAM + b"# filler\n" * 120000)
        client.socket.sendall(PROGRAM)
        holds(len(client.packets(100)) == 100, "a megabyte of script is read, and packets go on")
        holds(bridge.says("sends script, which is not run; it begins: def move():"), "it is named: " + bridge.said())
        client.close()
        holds(bridge.says("bytes of script were not run"), "and counted")
        holds(bridge.said().count("sends script") == 1, "once")
        holds(not scripts(robot) and not robot.events("opened", role="secondary"), "nothing reached the robot")


def check_forwarded():
    with Controller(roles={"rtde": 0, "secondary": 30002}, host=a_host()) as robot, \
            Bridge("--layout", "1060", "--allow-script", "--allow-from", "127.0.0.1", "--allow-from", "127.0.0.9",
                   url(robot)) as bridge:
        client, other = bridge.client(), bridge.client(host="127.0.0.8")
        client.packets(1)  # before the robot's data a program is dropped for another reason
        for at in range(0, len(PROGRAM), 7):
            client.socket.sendall(PROGRAM[at:at + 7])
            time.sleep(0.002)
        client.socket.sendall(b"stopj(2)\n\n" + PROGRAM[:-5])
        other.socket.sendall(PROGRAM.replace(b"move", b"evil"))
        holds(wait_for(lambda: len(scripts(robot)) >= len(PROGRAM) + 9, PATIENCE), "programs reach the robot")
        client.close()
        holds(bridge.says("bytes of a program without its end: they were dropped"), "half a program is named: " + bridge.said())
        holds(bridge.says("its address is not allowed"), "who is not allowed is named: " + bridge.said())
        third = bridge.client(host="127.0.0.9")
        third.packets(1)
        third.socket.sendall(b"power on\n")
        wait_for(lambda: b"power" in scripts(robot), PATIENCE)
        holds(scripts(robot) == PROGRAM + b"stopj(2)\npower on\n", "whole programs, nothing else: %r" % scripts(robot))
        holds(len(robot.events("opened", role="secondary")) == 1, "over one connection")
        holds(not robot.events("full", role="secondary"), "which is read")
        read_only = bridge.client("30013")
        read_only.packets(1)
        read_only.socket.sendall(PROGRAM)
        bridge.says("which is not run")
        read_only.close()
        holds(bridge.says("this port accepts none"), "30013 takes none: " + bridge.said())
        holds(len(scripts(robot)) == len(PROGRAM) + 18, "and forwards none")


def check_uncertain():
    with Controller(roles={"rtde": 0, "secondary": 30002}, host=a_host()) as robot, \
            Bridge("--layout", "1060", "--allow-script", "--allow-from", "127.0.0.1", url(robot)) as bridge:
        client, other = bridge.client(), bridge.client()
        client.packets(2)
        client.socket.sendall(b"def p():\n textmsg('the end')\n stopj(2)\nend\nstopj(2)\n")
        holds(bridge.says("whose end is not certain (a single quote)"), "it is said why: " + bridge.said())
        other.socket.sendall(b"power on\n")
        wait_for(lambda: b"power" in scripts(robot), PATIENCE)
        holds(scripts(robot) == b"power on\n", "nothing of such a client reaches the robot: %r" % scripts(robot))


def check_silent_robot():
    with Controller(roles={"rtde": 0, "secondary": 30002}, host=a_host()) as robot, \
            Bridge("--layout", "1060", "--allow-script", "--allow-from", "127.0.0.1", url(robot)) as bridge:
        client = bridge.client()
        client.packets(2)
        holds(robot.settle(), "all is read")
        time.sleep(2.5)  # from two seconds on the robot counts as silent
        client.socket.sendall(b"stopj(2)\n")
        holds(bridge.says("were dropped: no data arrives from the robot"), "a silent robot gets no program: " + bridge.said())
        holds(not scripts(robot), "also not later")


@contextlib.contextmanager
def deaf_robot():
    """The bridge, and a client whose programs the robot takes but never reads."""
    host = a_host()
    with Controller(roles={"rtde": 0}, host=host) as robot, socket.socket() as listener, \
            Bridge("--layout", "1060", "--allow-script", "--allow-from", "127.0.0.1", url(robot)) as bridge:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind((host, 30002))
        listener.listen()
        client = bridge.client()
        client.packets(2)
        yield bridge, client


def check_many_programs():
    """A robot that does not read, and more programs than can wait."""
    with deaf_robot() as (bridge, client):
        threading.Thread(target=lambda: client.socket.sendall(b"a\n" * 500000), daemon=True).start()
        holds(bridge.says("further lines about programs are omitted"), "its lines are bounded")
        holds(len(bridge.client().packets(500)) == 500, "packets go on")
        begin = time.monotonic()
        holds(bridge.end(term()) == 0, "it ends: " + bridge.said()[-300:])
        in_time("the end", time.monotonic() - begin, 8)
        holds(len(bridge.lines) < 300, "lines: %d" % len(bridge.lines))


def check_program_at_the_end():
    """A program that the robot has not taken when the user ends the bridge: the robot is not blamed."""
    with deaf_robot() as (bridge, client):
        client.socket.sendall(PROGRAM[:-4] + b"# filler\n" * 3000 + b"end\n")
        holds(bridge.says("forwards "), "a program waits: " + bridge.said())
        holds(bridge.end() == 0, "it ends: " + bridge.said())
        if not is_left_to_linux("who ended it: Wine does not tell what was not acknowledged"):
            holds(":30002: the bridge stops" in bridge.said(), "who ended it: " + bridge.said())
        holds("connection is lost" not in bridge.said(), "not the robot: " + bridge.said())


def check_no_script_port():
    with Controller(roles={"rtde": 0}, host=a_host()) as robot, \
            Bridge("--layout", "1060", "--allow-script", "--allow-from", "127.0.0.1", url(robot)) as bridge:
        client = bridge.client()
        client.packets(1)
        client.socket.sendall(PROGRAM)
        holds(bridge.says("1 program was not sent"), "a robot that takes no script is named: " + bridge.said())
        holds(len(client.packets(50)) == 50, "packets go on")


# ---- bad peers, ends ------------------------------------------------------------------------------------------------------


def check_slow_client():
    with Controller(roles={"rtde": 0}) as robot, Bridge("--layout", "1220", url(robot)) as bridge:
        lazy, client = bridge.client(), bridge.client()
        lazy.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # Packets of 1220 bytes at 500 Hz fill all buffers within seconds; ten seconds later it is disconnected.
        holds(len(client.packets(1000)) == 1000, "a client that does not read delays no other")
        status = open("/proc/%d/status" % bridge.process.pid).read()
        peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1))
        holds(is_sanitized() or peak < 40000, "memory is bounded: %d kB" % peak)
        holds(bridge.says("data is dropped"), bridge.said())
        lazy.close()
        client.close()
        holds(wait_for(lambda: "packages were dropped because" in bridge.said(), PATIENCE), bridge.said())
        bridge.end()
        dropped = sum(map(int, re.findall(r"(\d+) packages were dropped because", bridge.said())))
        told = re.search(r"; (\d+) packages? dropped", bridge.said().splitlines()[-1])
        holds(told and int(told[1]) == dropped > 0, "the end counts what was dropped: %d in %s" % (dropped, bridge.said()))


def check_room():
    """Clients that connected while no data came, and said nothing, make room once others come."""
    with Controller(roles={"rtde": 0}) as robot, Bridge("--layout", "1220", "--on-loss", "hold", url(robot)) as bridge:
        served = bridge.client()
        holds(len(served.packets(10)) == 10, "data comes")
        robot.refuse("rtde")
        robot.close()
        holds(bridge.says("refuses"), bridge.said())
        idle = []
        for _ in range(140):
            with contextlib.suppress(ConnectionError):
                idle.append(bridge.client())
        time.sleep(0.5)
        late = bridge.client()
        robot.listen("rtde")
        holds(len(late.packets(50)) == 50, "one that comes now is served: " + bridge.said()[-300:])
        holds(len(served.packets(50)) == 50, "and so is the one that was served before")
        bridge.end()
        last = bridge.said().splitlines()[-1]
        holds(re.search("[1-9][0-9]* idle ones were closed for others", last), last)
        holds("; 1 interruption, " in last, "what was lost is counted: " + last)


def check_no_old_data():
    """A client pauses: what waits for it meanwhile is bounded, and what comes after is new."""
    with Controller(roles={"rtde": 0}) as robot, Bridge("--layout", "1220", url(robot)) as bridge:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # before it connects: the window follows
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", int(bridge.port["30003"])))
        holds(bridge.says(": connected"), bridge.said())
        holds(wait_for(lambda: robot.counts["rtde", "records"] > 1500, PATIENCE), "3 s of data come meanwhile")
        data, clocks = b"", []
        while len(clocks) < 1500:
            data += client.recv(65536)
            while len(data) >= 1220:
                clocks.append(struct.unpack(">d", data[4:12])[0])
                data = data[1220:]
        steps = [later - one for one, later in zip(clocks, clocks[1:])]
        old = next((at + 1 for at, step in enumerate(steps) if step > 0.1), len(clocks))
        holds(old < 400, "packets of old data: %d" % old)
        client.close()


def check_signals():
    quickest = PATIENCE
    for number in endings():
        with Controller(roles={"rtde": 0}) as robot:
            bridge = Bridge("--layout", "1220", url(robot))
            client = bridge.client()
            client.packets(3)
            begin = time.monotonic()
            holds(bridge.end(number) == 0, "signal %d ends it: %s" % (number, bridge.said()))
            in_time("signal %d: the end" % number, time.monotonic() - begin, 6)
            holds(client.ends(), "signal %d: the client's connection ends" % number)
            holds("P" in [kind for kind in robot.requests()], "signal %d: the robot is paused: %r" % (number, robot.requests()))
        bridge = Bridge("--layout", "1220", "rtde://127.0.0.1:1")
        holds(bridge.says("refuses"), bridge.said())
        begin = time.monotonic()
        holds(bridge.end(number) == 2 and "no record " in bridge.said(), "signal %d ends it without a robot" % number)
        quickest = min(quickest, time.monotonic() - begin)
    # Its last words to a robot may take 1.5 s; here there is nobody to say them to.
    holds(quickest < 1.4, "a signal ends it at once without a robot: %.2f s" % quickest)


def check_idle():
    with Controller(roles={"rtde": 0}, faults=Faults(unanswered="V")) as robot, Bridge("--layout", "1220", url(robot)) as bridge:
        bridge.client()
        time.sleep(3)
        with open("/proc/%d/stat" % bridge.process.pid) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        holds(seconds < 0.8, "waiting costs nothing: %.2f s of 3" % seconds)


def refused(arguments, text):
    done = subprocess.run([ARMTAP, "serve", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    holds(done.returncode == 2 and text in done.stderr, "%s: %r in %r" % (" ".join(arguments), text, done.stderr))


def check_usage():
    refused(["rtde://127.0.0.1"], "which packets does the old program expect?")
    refused(["--layout", "1000", "rtde://127.0.0.1"], "known are 540, 692")
    refused(["--layout", "1220", "realtime://127.0.0.1"], "over RTDE")
    refused(["--layout", "1220", "rtde://127.0.0.1", "rtde://127.0.0.2"], "one robot")
    refused(["--layout", "1220", "--allow-script", "rtde://127.0.0.1"], "needs --allow-")
    refused(["--layout", "1220", "--allow-from", "127.0.0.1", "rtde://127.0.0.1"], "needs --allow-")
    refused(["--layout", "1220", "--speed", "3", "rtde://127.0.0.1"], "--speed works only with a capture")
    refused(["--layout", "1220", "--text", "a", "rtde://127.0.0.1"], "--text works only with a capture")
    refused(["--hz", "125", "x.pcap"], "--hz works only with a robot")
    refused(["--layout", "1220", "--recipe", "@ur_rtde-io-0.0.1", "rtde://127.0.0.1"], "--recipe")
    refused(["--layout", "1220", "--frequency", "25", "rtde://127.0.0.1"], "--frequency")
    refused(["--layout", "1220", "--hz", "0", "rtde://127.0.0.1"], "from 1 to 1000")
    refused(["--layout", "1220", "--on-loss", "wait", "rtde://127.0.0.1"], "close or hold")


def main():
    side_by_side(*(lambda size=size: check_cells(size) for size in share((1220, 1140, 1116, 1108, 1060, 1044), 3, "layouts")))
    side_by_side(*(partial(check_upgraded, *case) for case in share((
        (1220, "actual_q", "close"), (1220, "payload", "hold"), (1108, "robot_mode", "hold"), (812, "safety_mode", "hold"),
        (764, "actual_TCP_force", "close")), 3, "fields that an upgrade lacks")))
    side_by_side(*share((
        check_lacking, check_rate, check_cb2, check_loss, check_hold, check_drained, check_forwarded, check_uncertain, check_silent_robot, check_many_programs, check_program_at_the_end, check_hidden_mode, check_no_script_port, check_slow_client, check_room,
        check_no_old_data, check_signals, check_idle, check_usage), 2, "scenes of a bridge"))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
