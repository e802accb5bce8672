#!/usr/bin/env python3
"""Everything over loopback, in one chain: a capture is served, recorded as RTDE and as legacy packets, through the bridge and the
proxy as well; what comes out has the rows that went in. `make live-chain` runs it alone."""
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from functools import partial

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import capture  # noqa: E402
from robot import Robot  # noqa: E402
from tally import expect, finish, share, side_by_side, term  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = float(os.environ.get("PATIENCE", 30))
SAMPLES = os.path.abspath(os.path.join(HERE, "..", "..", "captures"))
STEPS = 1000
ENOUGH = 50  # rows, of a connection that begins after the capture did: how long after depends on the machine
RESERVED = re.compile(r"rt_\d+")
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup


class Program:
    """armtap in the background, with what it says."""

    def __init__(self, *arguments):
        self.arguments, self.said, self.changed = arguments, "", threading.Condition()
        self.process = subprocess.Popen([ARMTAP, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, errors="replace")
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            self._add(line)
        self._add("(it has ended)")

    def _add(self, line):
        with self.changed:
            self.said += line
            self.changed.notify_all()

    def says(self, pattern):
        """Waits until it has said so."""
        with self.changed:
            self.changed.wait_for(lambda: re.search(pattern, self.said) or self.said.endswith("(it has ended)"), PATIENCE)
            found = re.search(pattern, self.said)
        expect((self.arguments[0], "says", pattern), found, self.said)
        return found

    def hears_ends(self, count=1):
        """Waits until its connections have ended: then it has all that was sent."""
        self.says(r"(?s)(the robot (closed|reset) the connection.*){%d}" % count)

    def port(self, number):
        found = self.says(r"\n?armtap: %s: .* listens on [\d.]+:(\d+)\n" % number)
        return found.group(1) if found else "1"

    def end(self, how=signal.SIGINT):
        """Its status, once it has ended by itself or was asked to."""
        if how and self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            expect((self.arguments[0], "ends"), False, self.said)
        self.reader.join(PATIENCE)
        return self.process.returncode


def armtap(*arguments, status=0):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
    expect((arguments[0], "status"), done.returncode == status, done.returncode, done.stderr)
    return done.stdout


def rows(file, *options):
    return list(csv.DictReader(io.StringIO(armtap("export", *options, file))))


def compared(left, right):
    """The fields that compare finds equal, and the others."""
    found = json.loads(armtap("compare", "--json", "--stream", "0,1", left, right))["fields"]
    equal = {one["field"] for one in found if one["verdict"] == "equal" and one["pairs"]}
    return equal, [one for one in found if one["field"] not in equal]


def robot_addresses(host, ports):
    return {"rtde": "rtde://%s:%s" % (host, ports["rtde"]), "realtime": "realtime://%s:%s" % (host, ports["realtime"])}


def whole(rows_, robot, names):
    """Rows of captured cycles, each value the robot's, no cycle missing between the first and the last."""
    steps = [round((float(row["timestamp"]) - robot.uptime) * robot.hz) for row in rows_]
    expect("no cycle is missing", steps and steps == list(range(steps[0], steps[-1] + 1)), len(steps), steps[:3], steps[-3:])
    for row, step in zip(rows_, steps):
        for name in names:
            value = robot.one(name, step)
            got = tuple(float(row[column]) for column in ([name] if len(value) == 1 else ["%s_%d" % (name, i) for i in range(len(value))]))
            if got != tuple(float(one) for one in value):
                expect(("value", name, step), False, got, value)
                return
    return steps


class Served:
    """armtap serve of a capture, and its ports."""

    def __init__(self, host, file):
        self.host, self.program = host, Program("serve", "--listen", host, "--ports", "30004=0,30003=0", "--paused", file)
        self.ports = {"rtde": self.program.port(30004), "realtime": self.program.port(30003)}


def fields_of(layout):
    return [name for _, name, _ in layout.cells if not RESERVED.fullmatch(name)]


def serve_and_record():
    """Legacy packets -> serve -> record of RTDE: every cycle, every value; compare finds nothing else."""
    robot = Robot()
    layout = fields_of(robot.layout)
    capture.write("legacy.pcap", capture.realtime(robot, STEPS))
    served = Served("127.0.0.61", "legacy.pcap")
    record = Program("record", "-o", "rtde.pcapng", "--fields", ",".join(layout),
                     robot_addresses(served.host, served.ports)["rtde"])
    served.program.end(None)
    record.hears_ends()
    expect("record ends", record.end() == 0, record.said)
    steps = whole(rows("rtde.pcapng", "--fields", ",".join(layout)), robot, layout)
    expect("all of them", steps and (steps[0], steps[-1]) == (1, STEPS - 1), steps and (steps[0], steps[-1]), served.program.said)
    equal, others = compared("legacy.pcap", "rtde.pcapng")
    expect("compare", equal == set(layout) and all(RESERVED.fullmatch(one["field"]) for one in others), others)


def through_the_bridge():
    """RTDE -> serve -> bridge -> record of legacy packets, beside a record of RTDE: 134 of 152 cells are those of the capture, the
    others 0. The capture has no legacy packets."""
    robot = Robot()
    layout = fields_of(robot.layout)
    capture.write("rtde.pcap", capture.rtde(robot, layout, STEPS))
    served = Served("127.0.0.62", "rtde.pcap")
    bridge = Program("serve", "--layout", "1220", "--listen", "127.0.0.63", "--ports", "30003=0",
                     robot_addresses(served.host, served.ports)["rtde"])
    record = Program("record", "-o", "bridge.pcapng", "realtime://127.0.0.63:%s" % bridge.port(30003))
    served.program.end(None)
    record.hears_ends()
    expect("record ends", record.end() == 0, record.said)
    expect("the bridge ends", bridge.end(term()) == 0, bridge.said)
    bridge.says("134 of 152 columns are from RTDE")
    steps = whole(rows("bridge.pcapng", "--fields", ",".join(layout)), robot, layout)
    expect("to the end", steps and len(steps) >= ENOUGH and steps[-1] == STEPS - 1, steps and len(steps), record.said, bridge.said)
    equal, others = compared("rtde.pcap", "bridge.pcapng")
    expect("compare", equal == set(layout) and all(RESERVED.fullmatch(one["field"]) for one in others), others)
    packets = rows("bridge.pcapng", "--fields", "rt_*")
    expect("cells that RTDE lacks", packets and all(float(value) == 0 for row in packets for key, value in row.items()
                                                    if RESERVED.fullmatch(key)), packets[:1])


def through_the_proxy():
    """serve -> proxy -> record of both ports: no cycle is missing in the record, nor in what the proxy recorded."""
    robot = Robot()
    layout = fields_of(robot.layout)
    capture.write("both.pcap", capture.rtde(robot, layout, STEPS), capture.realtime(robot, STEPS))
    served = Served("127.0.0.73", "both.pcap")
    proxy = Program("proxy", "--listen", "127.0.0.74", "--ports", ",".join(port + "=0" for port in served.ports.values()),
                    "-o", "proxy.pcapng", served.host)
    ports = {role: proxy.says(r":(\d+) forwards to .*, port %s\n" % port).group(1) for role, port in served.ports.items()}
    addresses = robot_addresses("127.0.0.74", ports)
    record = Program("record", "-o", "record.pcapng", "--fields", ",".join(layout), addresses["rtde"], addresses["realtime"])
    served.program.end(None)
    record.hears_ends(2)
    expect("record ends", record.end() == 0, record.said)
    expect("the proxy ends", proxy.end() == 0, proxy.said)
    for file in "record.pcapng", "proxy.pcapng":
        for protocol in "rtde", "realtime":
            stream = next(str(one["stream"]) for one in json.loads(armtap("info", "--json", file))["streams"]
                          if one["protocol"] == protocol)
            steps = whole(rows(file, "--stream", stream, "--fields", ",".join(layout)), robot, layout)
            expect((file, protocol, "to the end"), steps and steps[-1] == STEPS - 1 and len(steps) >= ENOUGH,
                   steps and (steps[0], steps[-1]), record.said, proxy.said)


def values(text):
    """Lines without their first column, the time of capture."""
    lines = [line.partition(",") for line in text.splitlines()]
    expect("time comes first", lines and lines[0][0] == "time", lines[:1])
    return [rest for _, _, rest in lines]


def sample(host, name, port):
    """A sample capture -> serve -> record -> export: the rows that export finds in the sample."""
    path = os.path.join(SAMPLES, name)
    protocol = "rtde" if port == "rtde" else "realtime"
    stream = next(one for one in json.loads(armtap("info", "--json", path))["streams"] if one["protocol"] == protocol)
    chosen = ["--stream", str(stream["stream"]), "--fields", ",".join(stream["fields"])]
    wanted = values(armtap("export", *chosen, path))
    served = Served(host, path)
    outputs = ["--fields", ",".join(stream["fields"])] if port == "rtde" else []
    record = Program("record", "-o", "again.pcapng", *outputs, robot_addresses(host, served.ports)[port])
    served.program.end(None)
    record.hears_ends()
    expect((name, "record ends"), record.end() == 0, record.said)
    got = values(armtap("export", "--fields", ",".join(stream["fields"]), "again.pcapng"))
    unlike = next(((i, a, b) for i, (a, b) in enumerate(zip(got, wanted)) if a != b), None)
    expect((name, port, "the same rows"), got == wanted, len(got), len(wanted), unlike, served.program.said, record.said)


side_by_side(serve_and_record, through_the_bridge, through_the_proxy,
             *(partial(sample, "127.0.0.%d" % (64 + i), name, port) for i, (name, port) in share(enumerate((
                 ("rtde-v2.pcapng.gz", "rtde"), ("rtde-stop.pcap", "rtde"), ("rtde-v3.pcapng", "rtde"), ("rtde-v1.pcap", "rtde"),
                 ("both-streams.pcap.gz", "rtde"), ("both-streams.pcap.gz", "realtime"), ("e-series-1220.pcapng.gz", "realtime"),
                 ("cb3-1060.pcap.gz", "realtime"), ("cb2-812.pcap.gz", "realtime"))), 3, "samples in the chain")))
sys.exit(finish())
