#!/usr/bin/env python3
"""The clients of clients/ against `armtap serve`: all come up, and what they read is what was captured, to the bit."""
import csv
import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "clients"), HERE, os.path.join(HERE, "..")]
import capture  # noqa: E402
import common  # noqa: E402
import run  # noqa: E402
import sessions  # noqa: E402
import wire  # noqa: E402
from attempt import attempt, attempt_in_time, client  # noqa: E402
from robot import Robot  # noqa: E402
from tally import expect, finish, share, side_by_side, term, until  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.abspath(os.path.join(HERE, "..", "..", "captures"))
PATIENCE = float(os.environ.get("PATIENCE", 30))
ROLES = {str(port): role for role, port in sessions.PORTS.items()}
STEPS, PROGRAM_FROM = 700, 200  # cycles of the capture that is served; the cycle in which its program starts
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup


class Served:
    """armtap serve, on ports that are free."""

    def __init__(self, host, *arguments):
        ports = ",".join("%s=0" % port for port in ROLES if port not in ("30011", "30012"))
        self.program = subprocess.Popen([ARMTAP, "serve", "--listen", host, "--ports", ports, *arguments],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.host, self.ports, self.said, self.changed = host, {}, [], threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        with self.changed:
            self.changed.wait_for(lambda: len(self.ports) == ports.count("=") or not self.reader.is_alive(), PATIENCE)
        expect("every port listens", len(self.ports) == ports.count("="), "".join(self.said))

    def read(self):
        """What it says, until it ends."""
        for line in self.program.stderr:
            self.said.append(line)
            found = re.match(r"armtap: (\d+): .* listens on .*:(\d+)\n", line)
            with self.changed:
                if found:
                    self.ports[ROLES[found.group(1)]] = int(found.group(2))
                self.changed.notify_all()

    def robot(self):
        return common.Robot(self.host, **self.ports)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.status = self.end()

    def end(self):
        """The status; it ends within a second or so of the signal."""
        self.program.send_signal(term())
        try:
            self.program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.program.kill()
            expect("serve ends", False, "".join(self.said))
        self.reader.join(PATIENCE)
        return self.program.returncode


def captured_robot():
    return Robot(program_from=PROGRAM_FROM)


def make_capture(path):
    robot = captured_robot()
    capture.write(path, capture.rtde(robot, capture.outputs_of(robot), STEPS), capture.realtime(robot, STEPS))


def where(row, robot):
    """The captured cycle that a row's values come from, without its clock: found by the joints, or None."""
    for step in range(1, STEPS):
        if robot.one("actual_q", step) == row["actual_q"]:
            return step
    return None


def judge_rows(name, rows):
    """Each row has the values of one captured cycle; the clock rises, ahead of the captured one by the same time in a lap. The
    speed slider is the one input with an effect."""
    robot, last, wrong = captured_robot(), 0.0, None
    for row in rows:
        if "actual_q" in row and not wrong:
            step = where(row, robot)
            wrong = step is None and ("no captured cycle", row) or differing(robot, step, row) or clock_of(robot, step, row, last)
            last = row.get("timestamp", (last,))[0]
    expect((name, "rows"), not wrong, wrong)


def differing(robot, step, row):
    unlike = {key: (value, robot.one(key, step)) for key, value in row.items() if key not in ("timestamp", "target_speed_fraction") and
              key in robot.variables and value != robot.one(key, step)}
    return unlike and ("cycle", step, unlike)


def clock_of(robot, step, row, last):
    clock = row.get("timestamp", (None,))[0]
    return clock is not None and not (clock > last and (clock == robot.one("timestamp", step)[0] or
                                                        clock > robot.one("timestamp", STEPS - 2)[0])) and ("clock", step, clock, last)


def served(name):
    """It comes up, and reads what was captured."""
    make_capture("robot.pcap")
    with Served("127.0.0.%d" % (20 + run.CLIENTS.index(name)), "--paused", "--loop", "robot.pcap") as server:
        found, why = attempt_in_time(name, server.robot())
        expect((name, "comes up"), found, why, "".join(server.said))
        rows = (found or {}).get("rows", [])
        expect((name, "rows"), len(rows) >= 20 or name == "sdu_io", len(rows), "".join(server.said))
        judge_rows(name, rows)
        if found and "version" in found:
            expect((name, "version"), tuple(found["version"])[:2] == (5, 11), found["version"])
    expect((name, "serve ends"), server.status == 0, server.status, "".join(server.said))


def export(*arguments):
    return subprocess.run([ARMTAP, "export", *arguments], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


def streams_of(path):
    """Number of the first stream of each protocol."""
    listed = subprocess.run([ARMTAP, "info", path], capture_output=True, text=True, check=False, timeout=PATIENCE).stdout
    return {found[1]: found[0] for found in reversed(re.findall(r"^(\d+) +\S+ +\S+ +(rtde|realtime) \d+ ", listed, re.M))}


def record_py_rows(sample, hz):
    """record.py with the recipe of a sample: its CSV is what export --dialect record.py prints, to the byte."""
    path = os.path.join(SAMPLES, sample)
    wanted = export("--dialect", "record.py", "--stream", streams_of(path)["rtde"], path).splitlines()
    names = []
    for column in wanted[0].split(" "):
        base = re.sub(r"_[0-5]$", "", column)
        name = base if base in common.VARIABLES and wire.TYPES[common.VARIABLES[base][1]][1] > 1 else column
        names += [] if name in names else [name]
    recipe = names, [common.VARIABLES[name][1] for name in names]
    with Served("127.0.0.40", "--paused", path) as server:
        found, why = attempt_in_time("record", server.robot(), recipe=recipe, samples=len(wanted) - 1, frequency=hz)
        expect((sample, "record.py comes up"), found, why, "".join(server.said))
    said = "".join(server.said)
    if found:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=" ", lineterminator="\n")
        writer.writerows([[one for name in names for one in row[name]] for row in found["rows"]])
        got = out.getvalue().splitlines()
        differing = [(i, a, b) for i, (a, b) in enumerate(zip(got, wanted[1:])) if a != b]
        expect((sample, "the rows of record.py"), len(got) == len(wanted) - 1 and not differing, len(got), len(wanted), differing[:1], said)


def matlab_rows(sample, size):
    """A legacy client gets each captured packet, byte for byte in all cells."""
    path = os.path.join(SAMPLES, sample)
    wanted = list(csv.DictReader(io.StringIO(export("--stream", streams_of(path)["realtime"], "--fields", "timestamp,actual_q", path))))
    with Served("127.0.0.41", "--paused", path) as server:
        found, why = attempt_in_time("matlab", server.robot(), samples=len(wanted), size=size)
        expect((sample, "comes up"), found, why, "".join(server.said))
    if found:
        got = [(row["timestamp"][0], *row["actual_q"]) for row in found["rows"]]
        rows = [tuple(float(row[key]) for key in ("timestamp", *("actual_q_%d" % i for i in range(6)))) for row in wanted]
        expect((sample, "each packet"), got == rows, len(got), len(rows), next(((a, b) for a, b in zip(got, rows) if a != b), None))


# The types' values that stand in for what a sample lacks.
FILL = {"BOOL": 1, "UINT8": 3, "UINT32": 7, "UINT64": 9, "INT32": -7, "DOUBLE": 0.5}


def fill_of(name):
    kind, count = wire.TYPES[common.VARIABLES[name][1]]
    element = {"?": "BOOL", "B": "UINT8", "I": "UINT32", "Q": "UINT64", "i": "INT32", "d": "DOUBLE"}[kind[-1]]
    return (FILL[element],) * count


def outputs_asked(name, version):
    """By these programs, of a controller of that version."""
    if name == "sdu_receive":
        return client(name).variables(version)
    return client(name).OUTPUTS if name == "rtde_client" else common.known("UR record.py")[0]


def lacking_in(server, name):
    """What serve answers NOT_FOUND to, and the controller's version."""
    with common.Rtde(server.robot()) as rtde:
        rtde.send("V", b"\0\2")
        rtde.next()
        rtde.send("v")
        version = common.version_of(rtde.next()[1])
        names = outputs_asked(name, version)
        rtde.send("O", wire.struct.pack(">d", 125.0) + ", ".join(names).encode())
        types = rtde.next()[1][1:].decode().split(",")
    expect("a type for each name", len(types) == len(names), types)
    return [one for one, kind in zip(names, types) if kind == "NOT_FOUND"], version


def filled(host, sample, name):
    """A program's whole recipe, of each sample: refused without --fill, played with it; what is recorded stays as recorded."""
    path = os.path.join(SAMPLES, sample)
    robot = ["--robot", "10.0.0.12"] if sample.startswith("several") else []
    with Served(host, "--paused", "--loop", *robot, path) as server:
        lacking, version = lacking_in(server, name)
        if name == "record" and version < (3, 3):
            return  # it wants another controller
        found, why = attempt(name, server.robot())
        expect((sample, name, "comes up without --fill if nothing lacks"), bool(found) != bool(lacking), lacking, why)
        until("it says what lacks", lambda: all(any("refused" in line and one in line for line in list(server.said))
                                                for one in lacking), evidence=lambda: (sample, name, lacking, server.said))
    # All of them: what is recorded only now and then is filled between, and nowhere else.
    fills = [word for one in outputs_asked(name, version) for word in ("--fill", "%s=%s" % (one, fill_of(one)[0]))]
    with Served(host, "--paused", "--loop", *robot, *fills, path) as server:
        found, why = attempt_in_time(name, server.robot())
        said = "".join(server.said)
        expect((sample, name, "comes up with --fill"), found and len(found["rows"]) >= 20, why, said)
        expect((sample, name, "says so"), all("simulated: %s=" % one in said for one in lacking), said)
        whole = [one for one in lacking if "simulated: %s=%s, which" % (one, fill_of(one)[0]) in said and
                 one != "target_speed_fraction"]  # the client's slider changes it
        wrong = [(one, row[one]) for row in (found or {"rows": []})["rows"] for one in whole if row[one] != fill_of(one)]
        expect((sample, name, "the filled values"), not wrong, wrong[:3])


def side_clients():
    """Two programs at once, as a driver and a logger: the same rows for both; inputs belong to the first."""
    make_capture("robot.pcap")
    with Served("127.0.0.42", "--paused", "--loop", "robot.pcap") as server:
        results = {}
        threads = [threading.Thread(target=lambda one=one: results.update({one: attempt(one, server.robot(), samples=100)}))
                   for one in ("sdu_receive", "rtde_client", "matlab", "urx")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        for name, (found, why) in results.items():
            expect((name, "beside others"), found, why, "".join(server.said))
            judge_rows(name, (found or {}).get("rows", []))
        expect("all four", len(results) == 4, results.keys())
        with client("sdu_receive").Sdu(server.robot()) as holder:
            holder.inputs("speed_slider_mask")
            found, why = attempt("rtde_client", server.robot())
            expect("IN_USE while another holds it", why and "in use" in why, why)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found, why = attempt("rtde_client", server.robot())
            if found:
                break
        expect("free once it left", found, why, "".join(server.said))


def guide_recipe(host, version):
    """The recipe that docs/with-a-robot.md gives for ur_rtde, recorded from a controller of that version, is enough for it."""
    with open(os.path.join(HERE, "..", "..", "docs", "with-a-robot.md")) as page:
        name = re.search(r'record --recipe "(@ur_rtde\S+)"', page.read())[1]
    listed = subprocess.run([ARMTAP, "recipe", name, "--plain"], capture_output=True, text=True, check=True, timeout=PATIENCE)
    names = [line.split()[0] for line in listed.stdout.splitlines() if line and not line.startswith("#")]
    robot, path = Robot(version=(*version, 108)), "guide-%d.%d.%d.pcap" % version
    capture.write(path, capture.rtde(robot, names, STEPS))
    with Served(host, "--paused", "--loop", path) as server:
        found, why = attempt_in_time("sdu_receive", server.robot())
        expect((version, name, "comes up"), found, why, "".join(server.said))
        expect((version, "of that version"), found and tuple(found["version"])[:3] == version, found)


def played_samples():
    """Those with data of a UR robot."""
    with open(os.path.join(SAMPLES, "INDEX")) as file:
        for line in file:
            if re.match(r"[^#\s]\S* +\S+ +\S+ +\S*(rtde|realtime)/\d+/[1-9]", line):
                yield line.split()[0]


side_by_side(*(partial(served, name) for name in run.CLIENTS))
# ur_rtde before 1.6.0 requests other fields where the bugfix number is 0.
side_by_side(*(partial(guide_recipe, "127.0.0.%d" % (44 + i), version) for i, version in enumerate(((5, 11, 0), (5, 11, 1), (5, 9, 4), (3, 15, 8)))))
side_by_side(*(partial(filled, "127.0.0.%d" % (50 + i), sample, name) for i, sample in share(enumerate(played_samples()), 4, "samples that are served")
               for name in ("rtde_client", "sdu_receive", "record")))
side_by_side(*share((partial(record_py_rows, "rtde-v2.pcapng.gz", 125), partial(record_py_rows, "both-streams.pcap.gz", 125),
             partial(record_py_rows, "rtde-stop.pcap", 125), partial(matlab_rows, "e-series-1220.pcapng.gz", 1220),
             partial(matlab_rows, "cb2-812.pcap.gz", 812), side_clients), 2, "clients' rows"))
sys.exit(finish())
