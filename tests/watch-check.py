#!/usr/bin/env python3
"""armtap watch on a terminal that tmux emulates: the screen, key by key, against the page that --once prints; numbers against
the rows of armtap export, words against enumerations that stand here. Sizes, signals, colours, hostile texts, robots that
armtap serve plays, recordings from half a minute back on, and a terminal that takes nothing."""
import csv
import io
import json
import math
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

from robot_capture import BEGIN, Capture, Client, message
from tally import expect, finish, is_built_in, lacks, side_by_side, until, wait_for

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "captures"))
STOP = os.path.join(SAMPLES, "rtde-stop.pcap")
DRIVER = os.path.join(SAMPLES, "driver-stop.pcap.gz")
PAGES = ["robot", "joints", "io", "network", "findings", "fields"]
JOINTS = ["base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3"]
# UR's RTDE guide: robot mode, safety status, runtime state
MODES = {0: "DISCONNECTED", 1: "CONFIRM_SAFETY", 2: "BOOTING", 3: "POWER_OFF", 4: "POWER_ON", 5: "IDLE", 6: "BACKDRIVE", 7: "RUNNING"}
SAFETY = {1: "NORMAL", 2: "REDUCED", 3: "PROTECTIVE_STOP", 4: "RECOVERY", 5: "SAFEGUARD_STOP", 6: "SYSTEM_EMERGENCY_STOP",
          7: "ROBOT_EMERGENCY_STOP", 8: "VIOLATION", 9: "FAULT"}
STATES = {0: "STOPPING", 1: "STOPPED", 2: "PLAYING", 3: "PAUSING", 4: "PAUSED", 5: "RESUMING"}
ENV = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TMUX")}
ENV["LC_ALL"] = "C.UTF-8"
os.environ["ARMTAP"] = ARMTAP
HAS_SCREEN = is_built_in("ncurses")


def run(*words, **more):
    return subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**ENV, **more}, check=False)


def once(*words, **more):
    return run("watch", "--once", *words, **more).stdout.splitlines()


class Screen:
    """A terminal of tmux in which a shell runs commands."""

    def __init__(self, columns=80, rows=24, **environment):
        self.socket = "armtap-watch-%d-%x" % (os.getpid(), id(self))
        self.environment = {**ENV, **environment}
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "exec sh")
        self.tmux("set-option", "-g", "status", "off")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-L", self.socket, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=self.environment, check=False).stdout.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")

    def start(self, *words, before=""):
        self.type(before + " ".join("'%s'" % word for word in [ARMTAP, *words]) + "; echo status $?", "Enter")

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def lines(self, colours=False):
        text = self.tmux("capture-pane", "-p", *(["-e"] if colours else []))
        return [line.rstrip() for line in text.rstrip("\n").split("\n")]

    def has(self, pattern):
        return any(re.search(pattern, line) for line in self.lines())

    def shows(self, pattern, patience=10):
        came = wait_for(lambda: self.has(pattern), patience)
        expect("the screen shows " + pattern, came, "\n".join(self.lines()))
        return came

    def lacks(self, pattern):
        gone = wait_for(lambda: not self.has(pattern), 10)
        expect("the screen no longer shows " + pattern, gone, "\n".join(self.lines()))

    def pid(self):
        shell = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
        return int(subprocess.run(["ps", "-o", "pid=", "--ppid", shell], stdout=subprocess.PIPE, check=False).stdout.split()[0])


def body(lines):
    """Without what only one of them has: the keys, a note, and blank lines at the end."""
    shown = [line for line in lines if not line.startswith((" q quit", " /"))]
    return [line for line in shown if line]


# ---- the screen is the page --------------------------------------------------------------------------------------------


def check_pages(name):
    path = os.path.join(SAMPLES, name)
    with Screen() as screen:
        screen.start("watch", "--speed", "max", path)
        screen.shows(r"  END  ")
        for page in PAGES:
            screen.shows(r"\[%s\]" % page)
            want = body(once("--page", page, path))[:len(body(screen.lines()))]
            same = wait_for(lambda: body(screen.lines()) == body(once("--page", page, path))[:len(body(screen.lines()))], 5)  # pylint: disable=cell-var-from-loop
            expect((name, page, "as --once prints it"), same, "\n".join(screen.lines()), "\n".join(want))
            expect((name, page, "fills at most the screen"), len(want) >= 5, want)
            screen.type("Tab")
        screen.shows(r"\[robot\]")
        screen.type("BTab")
        screen.shows(r"\[fields\]")
        screen.type("q")
        screen.shows("status 0")


def rows_of(path, *fields):
    text = run("export", "--stream", "0", "--fields", ",".join(("time", *fields)), path).stdout
    return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]


def check_numbers():
    """At instants over the whole capture: the newest row at or before each."""
    fields = ["actual_q", "actual_qd", "actual_current", "robot_mode", "safety_status", "runtime_state", "speed_scaling", "actual_TCP_force"]
    rows = rows_of(STOP, *fields)
    begin, end = rows[0]["time"], rows[-1]["time"]
    for i in range(8):
        instant = begin + (end - begin) * (i + 0.5) / 8
        row = [one for one in rows if one["time"] <= instant][-1]
        lines = once("--to", "%.9f" % instant, STOP)
        for joint, name in enumerate(JOINTS):
            line = next(one for one in lines if one.startswith(" %-10s" % name))
            number = re.match(r" .{10} *(\S+) \[.*?\] *(\S+) \[.*?\] *(\S+)", line).groups()
            want = (row["actual_q_%d" % joint] * 180 / math.pi, row["actual_qd_%d" % joint] * 180 / math.pi, row["actual_current_%d" % joint])
            for shown, wanted, digits in zip(number, want, (2, 1, 2)):
                expect((instant, name, "number"), abs(float(shown) - wanted) <= 0.5000001 * 10 ** -digits, line, wanted)
        for title, words, field in (("mode", MODES, "robot_mode"), ("safety", SAFETY, "safety_status"), ("program", STATES, "runtime_state")):
            line = next(one for one in lines if one.startswith(" %-10s" % title))
            expect((instant, title), line[11:].split()[0] == words[int(row[field])], line, row[field])
        told = json.loads(run("watch", "--json", "--once", "--to", "%.9f" % instant, STOP).stdout.splitlines()[-1])
        expect((instant, "JSON"), told["joint_position_rad"] == [row["actual_q_%d" % k] for k in range(6)], told)
        expect((instant, "JSON's mode"), told["safety"] == SAFETY[int(row["safety_status"])], told)
        expect((instant, "the same again"), lines == once("--to", "%.9f" % instant, STOP))


def check_old():
    """The legacy stream, which alone had mode and joints, closed 2.5 s before the end; RTDE goes on, with bits that say stop."""
    path = os.path.join(SAMPLES, "ur-rtde.pcap.gz")
    lines = once(path)
    for title, shown in (("mode", r"RUNNING +2\.5 s ago"), ("safety", r"IS_PROTECTIVE_STOPPED +since 12:00:02\.504Z"), ("program", "PAUSED +since")):
        expect((title, shown), any(re.match(" %-10s%s" % (title, shown), line) for line in lines), lines)
    expect("so old are the joints", any(line.startswith(" 2.5 s ago   degree") for line in lines), lines)
    told = json.loads(run("watch", "--json", "--once", path).stdout.splitlines()[-1])
    expect("JSON has no old word", (told["mode"], told["safety"], told["program"]) == (None, "IS_PROTECTIVE_STOPPED", "PAUSED"), told)


def check_cut():
    """No number is shown in part without a mark."""
    line = next(line for line in once("--page", "fields", STOP) if line.startswith(" actual_q "))
    expect("a cut line is marked", len(line) == 80 and line.endswith(">"), line)
    whole = next(line for line in once("--page", "fields", STOP) if line.startswith(" timestamp "))
    expect("a whole one is not", whole.endswith(" s"), whole)
    for name in ("cb3-1060.pcap.gz", "driver-stop.pcap.gz", "collision.pcap.gz"):
        lines = once(os.path.join(SAMPLES, name))
        numbers = [line for line in lines if line.startswith((" TCP ", " force ", " data "))]
        expect((name, "the page's numbers fit"), len(numbers) == 3 and not any(">" in line for line in numbers), numbers)
        expect((name, "with units"), numbers[0].endswith(" rad") and numbers[1].endswith(" Nm"), numbers)


def check_json():
    lines = [json.loads(line) for line in run("watch", "--json", STOP).stdout.splitlines()]
    times = [line["time"] for line in lines]
    expect("a line a second", all(0.9 < b - a < 1.2 for a, b in zip(times, times[1:-1])) and len(times) >= 2, times)
    verdict = run("diagnose", STOP).stdout.split("\n\n")[-1]
    expect("the verdict is diagnose's", lines[-1]["verdict"].split() == verdict.split(), lines[-1]["verdict"], verdict)
    expect("the page ends with it", " ".join(once(STOP)).replace("  ", " ").split()[-8:] == verdict.split()[-8:])


# ---- keys --------------------------------------------------------------------------------------------------------------


def check_keys():
    with Screen() as screen:
        screen.start("watch", "--speed", "0.2", DRIVER)
        screen.shows("PLAYING")
        screen.type("?")
        screen.shows("Nothing that you press changes anything on a robot")
        screen.type("?")
        screen.lacks("Nothing that you press")
        screen.type("?")
        screen.shows("Nothing that you press")
        screen.type("Tab")
        screen.lacks("Nothing that you press")
        screen.shows(r"\[joints\]")
        screen.type("BTab")
        screen.type("p")
        screen.shows("FROZEN")
        still = screen.lines()
        time.sleep(0.6)
        expect("a frozen page stands", screen.lines() == still, "\n".join(still), "\n".join(screen.lines()))
        screen.type("Tab")
        screen.shows(r"\[joints\]")
        expect("at the frozen time", screen.lines()[0] == still[0], screen.lines()[0], still[0])
        screen.type("p")
        screen.lacks("FROZEN")
        until("it goes on", lambda: screen.lines()[0] != still[0])
        screen.type("r")
        screen.shows("only robots can be recorded")
        screen.type("/")
        screen.type("Joint_T")
        screen.shows(r"^ /Joint_T_")
        screen.type("Enter")
        screen.shows("Esc: all fields")
        listed = [line.split()[0] for line in screen.lines()[2:] if re.match(r" [a-z_]+ +", line) and "verdict" not in line and "So far" not in line]
        expect("only those fields", listed and all("joint_t" in name for name in listed if "_" in name), listed)
        screen.type("Escape")
        screen.shows("actual_q ")
        screen.type("q")
        screen.shows("status 0")


def check_save():
    with Screen() as screen:
        screen.type("cd '%s'" % os.getcwd(), "Enter")
        screen.start("watch", "--speed", "max", "--page", "findings", DRIVER)
        screen.shows("  END  ")
        shown = screen.lines()
        screen.type("s")
        screen.shows("saved as armtap-watch-20260131T120001Z.txt")
        with open("armtap-watch-20260131T120001Z.txt", encoding="utf-8") as file:
            saved = [line.rstrip("\n") for line in file]
        expect("the file is the page", saved == shown[:len(saved)] and len(saved) == 24, "\n".join(saved), "\n".join(shown))
        screen.type("s")
        screen.shows("saved as armtap-watch-20260131T120001Z-2.txt")
        screen.type("q")
        screen.shows("status 0")


def check_pace():
    """A capture of 1.5 s; twice as fast; and from and to a time."""
    for words, least, most in (((), 1.3, 4), (("--speed", "4"), 0.3, 1.3), (("--from", "12:00:01", "--to", "12:00:01.3"), 0.25, 1.2)):
        with Screen() as screen:
            begin = time.monotonic()
            screen.start("watch", *words, DRIVER)
            until("it plays", lambda: screen.has(r"12:00:0[01]\.\d+Z"))  # pylint: disable=cell-var-from-loop
            until("its end", lambda: screen.has(r"  END  "))  # pylint: disable=cell-var-from-loop
            took = time.monotonic() - begin
            expect((words, "took as long as that"), least < took < most, took)
            screen.type("q")
            screen.shows("status 0")


# ---- terminals ---------------------------------------------------------------------------------------------------------


def check_sizes():
    with Screen() as screen:
        screen.start("watch", "--speed", "max", DRIVER)
        screen.shows("  END  ")
        screen.tmux("resize-window", "-x", "120", "-y", "40")
        until("the page is as wide", lambda: any(len(line) > 100 for line in screen.lines()))
        until("and as high", lambda: len(screen.lines()) == 40 and "not proven" in screen.lines()[39], evidence=lambda: ["\n".join(screen.lines())])
        screen.tmux("resize-window", "-x", "40", "-y", "10")
        screen.shows("This terminal has 40 x 10; armtap")
        expect("what matters is there all the same", screen.has("PROTECTIVE_STOP"), "\n".join(screen.lines()))
        screen.tmux("resize-window", "-x", "80", "-y", "24")
        screen.shows(r"\[robot\]  joints")
        screen.type("q")
        screen.shows("status 0")


def check_signals():
    with Screen() as screen:
        screen.type("stty -a > before", "Enter")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1):
            screen.type("clear", "Enter")
            screen.start("watch", "--speed", "max", DRIVER)
            screen.shows("  END  ")
            os.kill(screen.pid(), number)
            screen.shows("status 0")
            expect((number, "the page is gone"), not screen.has(r"\[robot\]"), "\n".join(screen.lines()))
            expect((number, "the cursor is back"), screen.tmux("display", "-p", "#{cursor_flag} #{alternate_on}").split() == ["1", "0"])
        screen.start("watch", "--speed", "max", DRIVER)
        screen.shows("  END  ")
        screen.type("C-z")
        screen.shows("Stopped|suspended")
        screen.type("clear; fg", "Enter")
        screen.shows(r"\[robot\]")
        screen.type("Tab")
        screen.shows(r"\[joints\]")
        pid = screen.pid()
        screen.tmux("kill-server")
        until("it ends with its terminal", lambda: not os.path.exists("/proc/%d" % pid), 5)


def check_colours():
    for words, environment, coloured in (((), {}, True), ((), {"NO_COLOR": "1"}, False), (("--color", "never"), {}, False)):
        with Screen() as screen:
            before = "".join("%s=%s " % one for one in environment.items())
            screen.start("watch", *words, "--speed", "max", DRIVER, before=before)
            screen.shows("  END  ")
            found = re.search(r"\x1b\[[0-9;]*3[1-6]m", "\n".join(screen.lines(True)))
            expect((words, environment, "colours"), bool(found) == coloured, screen.lines(True))
            screen.type("q")
            screen.shows("status 0")


def check_dumb():
    with Screen(rows=40) as screen:
        screen.start("watch", DRIVER, before="TERM=dumb ")
        screen.shows("TERM=dumb, has no cursor")
        screen.shows("status 0")
        expect("the page", screen.has("PROTECTIVE_STOP"))
    with Screen() as screen:
        screen.start("watch", "--speed", "max", DRIVER, before="LC_ALL=C ")
        screen.shows("  END  ")
        expect("only ASCII in a locale of ASCII", all(ord(one) < 128 for one in "".join(screen.lines())), screen.lines())
        screen.type("q")


def hostile():
    """Texts that would clear the screen, and set its title, in a message of RTDE and as a program's popup would."""
    capture = Capture()
    client = Client(capture, 0, [("timestamp", "DOUBLE"), ("robot_mode", "INT32"), ("safety_status", "INT32")])
    for i in range(200):
        client.package(0.01 + i / 125, 100 + i / 125, 7, 1)
        if i % 40 == 20:
            text = b"\x1b[2J\x1b]0;OWNED\x07\xc2\x9b31m %d" % i
            capture.segment(0.012 + i / 125, client.robot, client.client, message("M", bytes([len(text)]) + text + b"\x04evil\x00"))
    client.close(2)
    capture.write("hostile.pcap")


def check_hostile():
    hostile()
    want = once("--page", "findings", "hostile.pcap")
    expect("it is shown as text", any("\\x1b[2J" in line for line in want), want)
    expect("no control character", all(one.isprintable() for line in want for one in line), want)
    with Screen() as screen:
        screen.start("watch", "--speed", "max", "--page", "findings", os.path.abspath("hostile.pcap"))
        screen.shows("  END  ")
        screen.shows(r"\\x1b\[2J")
        expect("the title is as it was", "OWNED" not in screen.tmux("display", "-p", "#{pane_title}"))
        screen.type("q")
        screen.shows("status 0")


def check_edges():
    """Inputs and outputs that change at known times, by the names of UR's programs; and what stands still is dim."""
    capture = Capture()
    client = Client(capture, 0, [("timestamp", "DOUBLE"), ("actual_digital_input_bits", "UINT64"), ("actual_digital_output_bits", "UINT64"),
                                 ("actual_q", "VECTOR6D")])
    for i in range(375):
        inputs = (1 << 3 if i >= 50 else 0) | (1 << 9 if 100 <= i < 200 else 0)
        outputs = 1 << 17 if i >= 250 else 0
        client.package(0.0 + i / 125, 100 + i / 125, inputs, outputs, *(0.1 * joint + (i / 1000 if joint == 2 else 0) for joint in range(6)))
    client.close(3)
    capture.write("edges.pcap")
    for second, edge in ((0.41, r"digital_in\[3\] on at 12:00:00\.400Z"), (0.9, r"config_in\[1\] on at 12:00:00\.800Z"),
                         (1.7, r"config_in\[1\] off at 12:00:01\.600Z"), (2.9, r"tool_out\[1\] on at 12:00:02\.000Z")):
        lines = once("--to", "+%g" % second, "edges.pcap")
        expect((second, edge), any(re.search("last edge +" + edge, line) for line in lines), lines)
    lines = once("--page", "io", "edges.pcap")
    expect("lamps", any(re.match(r" digital_in  3 ●  12:00:00\.400Z", line) for line in lines) and any(
        re.match(r" config_in   1 ○  12:00:01\.600Z", line) for line in lines), lines)
    if not HAS_SCREEN:
        return
    with Screen() as screen:
        screen.start("watch", "--speed", "max", os.path.abspath("edges.pcap"))
        screen.shows("  END  ")
        lines = screen.lines(True)
        dim = {name: bool(re.search(r"\x1b\[(\d+;)*2m *-?\d", next(line for line in lines if name in line))) for name in JOINTS}
        expect("joints that stand still are dim, the one that moves is not", dim == {name: name != "elbow" for name in JOINTS}, dim, lines)
        screen.type("q")
        screen.shows("status 0")


# ---- robots ------------------------------------------------------------------------------------------------------------


class Robot:
    """armtap serve, with the sample's robot."""

    def __init__(self, path):
        self.program = subprocess.Popen([ARMTAP, "serve", "--loop", "--no-wait", "--ports", "30004=0", path], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=ENV)
        self.port = 0
        for line in self.program.stdout:
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.program.terminate()
        self.program.wait()


def recordings():
    return sorted(name for name in os.listdir(".") if name.endswith(".pcapng"))


def check_robot():
    with Robot(STOP) as robot, Screen() as screen:
        screen.type("cd '%s'" % os.getcwd(), "Enter")
        screen.start("watch", "rtde://127.0.0.1:%d" % robot.port)
        screen.shows("mode +RUNNING")
        screen.shows(r"rtde 12\d\.\d of 125 Hz|rtde 12\d\.\d Hz")
        time.sleep(2.5)
        screen.type("r")
        screen.shows("REC ")
        time.sleep(1.5)
        screen.type("r")
        screen.shows("recorded armtap-watch-.*pcapng")
        robot.end()
        screen.shows("none for .* s")
        screen.type("q")
        screen.shows("status 0")
    names = recordings()
    expect("a recording", len(names) == 1, names)
    told = json.loads(run("info", "--json", names[0]).stdout)
    stream = told["streams"][0]
    expect("no key wrote anything to the robot", stream["records_to_robot"] == 0 and json.loads(run(
        "watch", "--json", "--once", names[0]).stdout.splitlines()[-1])["mode"] == "RUNNING", stream)
    rows = list(csv.DictReader(io.StringIO(run("export", "--fields", "time,timestamp", names[0]).stdout)))
    expect("it begins before the key, with its recipe", float(rows[-1]["time"]) - float(rows[0]["time"]) > 3.5 and stream["gaps"] == 0, len(rows), stream)


def check_several():
    """Three robots in turn, in the order in which they were named."""
    names = ["c", "a", "b"]
    robots = [Robot(STOP) for _ in names]
    labels = [word for name, robot in zip(names, robots) for word in ("--label", "127.0.0.1:%d=%s" % (robot.port, name))]
    with Screen(100) as screen:
        screen.start("watch", *labels, *("rtde://127.0.0.1:%d" % robot.port for robot in robots))
        screen.shows("^ c .* a .* b ")
        for i, name in enumerate(names):
            screen.shows("robot %d of 3" % (i + 1))
            screen.shows("armtap watch  %s " % name)
            screen.type("Right")
        screen.shows("robot 1 of 3")
        robots[0].end()
        screen.shows("^ c no data for")
        screen.type("q")
        screen.shows("status 0")
    for robot in robots:
        robot.end()


def check_refused():
    """Nobody answers: how long, and why."""
    with Screen() as screen:
        screen.start("watch", "rtde://127.0.0.1:9")
        screen.shows("no data for|none for")
        screen.shows("refuse")
        screen.type("q")
        screen.shows("status 2")


def check_silence():
    """After 5 s of attempts nothing has come for 5 s, not since the last of them."""
    silent = re.search(r"none for (\S+) s: the robot refuses", "\n".join(once("rtde://127.0.0.1:9")))
    expect("without data since the first attempt", silent and 4.5 < float(silent.group(1)) < 8, silent)


def check_order():
    """As they were named, whichever of a robot's ports answers first."""
    hosts = ["127.0.0.72", "127.0.0.71"]
    robots = [subprocess.Popen([ARMTAP, "serve", "--loop", "--no-wait", "--listen", host, DRIVER], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, env=ENV) for host in hosts]
    for robot in robots:
        while "29999" not in robot.stdout.readline():
            pass
    told = [json.loads(line)["robot"] for line in run("watch", "--json", "--once", "rtde://" + hosts[0], "realtime://" + hosts[1]).stdout.splitlines()]
    expect("their order", told == hosts, told)
    for robot in robots:
        robot.terminate()
        robot.communicate()


def check_blocked():
    """A terminal that takes nothing: the robot is read all the same, and the recording is whole."""
    with Robot(STOP) as robot:
        ours, theirs = pty.openpty()
        program = subprocess.Popen([ARMTAP, "watch", "rtde://127.0.0.1:%d" % robot.port], stdin=theirs, stdout=theirs, stderr=theirs,
                                   env={**ENV, "TERM": "xterm"})
        os.close(theirs)
        time.sleep(1)
        for key in (b"?", b"?", b"r"):
            os.write(ours, key)
            time.sleep(0.4)
        for _ in range(40):  # more than the terminal holds
            os.write(ours, b"\t?")
            time.sleep(0.1)
        begin = time.monotonic()
        program.terminate()
        until("it ends all the same", lambda: program.poll() is not None, 10)
        took = time.monotonic() - begin
        expect("soon", took < 4, took)
        if program.poll() is None:
            program.kill()
            program.wait()
        os.close(ours)
    names = recordings()
    expect("a recording", len(names) == 1, names)
    told = json.loads(run("diagnose", "--json", "--findings-ok", names[0]).stdout) if names else {"streams": [{}]}
    stream = told["streams"][0]
    expect("of the whole time", stream.get("skipped") == 0 and stream.get("bytes_lost") == 0, stream)
    rows = list(csv.DictReader(io.StringIO(run("export", "--fields", "time", names[0]).stdout)))
    expect("5 s at 125 Hz", len(rows) > 550, len(rows))


def main():
    if not shutil.which("tmux"):
        lacks("tmux")
        return 77
    cases = [check_numbers, check_old, check_cut, check_json, check_edges, check_silence, check_order]
    if HAS_SCREEN:
        cases += [check_keys, check_save, check_pace, check_sizes, check_signals, check_colours, check_dumb, check_hostile, check_robot, check_several,
                  check_refused, check_blocked]
        for name in ("driver-stop.pcap.gz", "rtde-stop.pcap", "cb2-812.pcap.gz"):
            def case(name=name):
                check_pages(name)
            case.__name__ = "check_pages " + name
            cases.append(case)
    side_by_side(*cases)
    return finish()


assert BEGIN
sys.exit(main())
