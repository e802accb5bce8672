#!/usr/bin/env python3
"""External Control through the program: what drivers send, packed by Python's struct from the facts, against what
`export --to-robot` says: each mode and command, each length, either direction alone, after a gap, beside telemetry."""
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import control_wire  # noqa: E402
import primary_wire as wire  # noqa: E402
import tally  # noqa: E402
from control_wire import COMMANDS, EPOCH, MODES, PC, POINTS, Q, REVERSE, ROBOT, SCRIPT, SENDER, TRAJECTORY  # noqa: E402
from control_wire import command, micro, point, script_command, words  # noqa: E402

ARMTAP = os.environ.get("ARMTAP", "./armtap")
CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")


def expect(truth, what):
    tally.expect(what, truth)


class Capture(control_wire.Capture):
    """A capture that armtap reads."""

    def run(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, self.name)
            with open(path, "wb") as file:
                file.write(self.bytes)
            return subprocess.run([ARMTAP, arguments[0], path, *arguments[1:]], capture_output=True, text=True, timeout=60)

    def rows(self, *options):
        done = self.run("export", "-f", "ndjson", *options)
        told = ("time", "packet", "stream", "robot", "protocol", "direction")
        return [{k: v for k, v in json.loads(line).items() if k not in told} for line in done.stdout.splitlines()]


def sent(port, *payloads, begins=True, together=False, received=()):
    """The records of a connection on which the PC sent these."""
    capture = Capture(*([port] if begins else []))
    for payload in received:
        capture.segment(port, 0.5, payload, to_robot=False)
    for i, payload in enumerate([b"".join(payloads)] if together else payloads):
        capture.segment(port, 1 + i * 0.002, payload)
    return capture.rows("--to-robot")


def check_modes():
    for mode, used, values in MODES:
        wanted = {"command_timeout": 200, **values, "command_mode": mode}
        expect(sent(REVERSE, *[command(mode, used, 200)] * 4) == [wanted] * 4, f"mode {mode} is not {wanted}")
    everything = [command(mode, used) for mode, used, _ in MODES]
    wanted = [{"command_timeout": 20, **values, "command_mode": mode} for mode, _, values in MODES]
    for begins in (True, False):
        for together in (True, False):
            expect(sent(REVERSE, *everything, begins=begins, together=together) == wanted,
                   f"all modes: begins {begins}, together {together}")
    expect(sent(REVERSE, command(1, micro(Q)), command(9), command(1, micro(Q)))[1] ==
           {"command_timeout": 20, "command_mode": 9}, "a mode of a newer driver has a timeout and a number")
    expect(sent(REVERSE, command(0, timeout=0))[0]["command_timeout"] == 0, "a command without a timeout")


def check_vectors():
    """The facts' messages, hex by hand."""
    vectors = [
        (REVERSE, "00000014ffec06c5ffe808140000000000000000000000000000000000000000 00000001",
         {"command_timeout": 20, "command_q": [-1.308987, -1.570796, 0, 0, 0, 0], "command_mode": 1}),
        (REVERSE, "000000c800000001000000020000000000000000000000000000000000000000 00000003".replace(" ", ""),
         {"command_timeout": 200, "trajectory_action": 1, "trajectory_points": 2, "command_mode": 3}),
        (COMMANDS, "00000001002625a000000000000000000000c350" + 23 * "00000000",
         {"script_command": 1, "payload_mass": 2.5, "payload_center": [0, 0, 0.05]}),
    ]
    for port, digits, wanted in vectors:
        payload = bytes.fromhex(digits)
        payload = payload[:28] + payload[-4:] if port == REVERSE else payload
        expect(sent(port, payload) == [wanted], f"{digits} is {sent(port, payload)}")


def check_points():
    for payload, wanted in POINTS:
        expect(sent(TRAJECTORY, payload) == [wanted], f"a point is {sent(TRAJECTORY, payload)}, not {wanted}")
    expect(sent(TRAJECTORY, *(payload for payload, _ in POINTS), begins=False) == [wanted for _, wanted in POINTS],
           "all points, joined in the middle")
    scaled = sent(TRAJECTORY, point(Q, duration=1000001, last=20000, kind=1), point(Q, duration=500000, last=0, kind=1))
    expect([row.get("point_duration") for row in scaled] == [1.000001, 0.5], f"durations in millionths: {scaled}")
    expect(scaled[0]["point_blend_radius"] == 0.02 and "point_duration_raw" not in scaled[1], f"blend radius: {scaled}")
    limit = sent(TRAJECTORY, point(Q, duration=1000000, kind=1))
    expect(limit[0].get("point_duration_raw") == 1000000, f"1000 s may be thousandths: {limit}")
    early = words(*micro(Q), 1500, 25, 1)
    expect(sent(TRAJECTORY, early, early) == [{"point_pose": Q, "point_duration": 1.5, "point_blend_radius": 0.025,
                                               "point_type": 1}] * 2, "points of nine words")


def check_script_commands():
    for count in (28, 26):
        fit = [(n, values, told) for n, values, told in SCRIPT if len(values) < count]
        got = sent(COMMANDS, *(script_command(n, values, count) for n, values, _ in fit))
        expect(got == [{"script_command": n, **told} for n, _, told in fit], f"{count} words: {got}")
    old = sent(COMMANDS, script_command(1, [2.5, 0, 0, 0.05], 5), script_command(2, [24], 5))
    expect(old == [{"script_command": 1, "payload_mass": 2.5, "payload_center": [0, 0, 0.05]},
                   {"script_command": 2, "tool_voltage": 24}], f"five words: {old}")


def check_old_driver():
    payloads = [words(*micro(Q), 1), words(*micro(Q), 1), words(*micro(Q), 0)]
    for together in (True, False):
        got = sent(REVERSE, *payloads, together=together)
        expect(got == [{"command_q": Q, "command_keepalive": keep} for keep in (1, 1, 0)], f"seven words: {got}")


def check_script():
    program = b"def a():\n  textmsg(1)\nend\n"
    got = sent(SENDER, program, received=[b"request_program\n"])
    expect(got == [{"text": "def a():"}, {"text": "  textmsg(1)"}, {"text": "end"}], f"the program: {got}")
    expect(sent(SENDER, program[:4], program[4:]) == got, "the program in two segments, one direction alone")


def check_results():
    for port, name in ((TRAJECTORY, "trajectory_result"), (COMMANDS, "tool_contact_result")):
        for begins in (True, False):
            capture = Capture(*([port] if begins else []))
            capture.segment(port, 1, words(2 if port == TRAJECTORY else 1), to_robot=False)
            expect(capture.rows() == [{name: 2 if port == TRAJECTORY else 1}], f"{name}: {capture.rows()}")


def check_gap():
    """After a gap the grid of messages goes on; one that begins elsewhere is found."""
    for lost in (64, 40):
        capture = Capture(REVERSE)
        for i in range(40):
            if i == 20:
                capture.lose(REVERSE, lost)
            payload = command(1, micro([i / 10, *Q[1:]]))
            capture.segment(REVERSE, 1 + i / 500, payload[lost % 32:] if i == 20 else payload)
        first = [round(row["command_q"][0] * 10) for row in capture.rows("--to-robot")]
        expect(first == [i for i in range(40) if i != 20 or lost == 64], f"{lost} bytes lost: {first}")


def check_directions():
    capture = Capture(REVERSE)
    capture.segment(REVERSE, 1, command(1, micro(Q)))
    stream = json.loads(capture.run("info", "--json").stdout)["streams"][0]
    expect(stream["robot"] == f"10.0.0.7:{40000 + REVERSE % 1000}" and stream["client"] == "10.0.0.9:50001",
           f"who is who: {stream}")
    expect(stream["protocol"] == "external_control" and stream["records_to_robot"] == 1 and stream["records"] == 0,
           f"records: {stream}")


def check_chance():
    """A client's port that is one of the driver's by chance."""
    capture = Capture()
    for i in range(5):
        capture.segment(REVERSE, 1 + i / 500, command(1, micro(Q)), robot_port=443)
    expect(capture.run("info").returncode == 2, "words from a web server's client were decoded")
    capture = Capture()
    for i in range(5):
        capture.segment(REVERSE, 1 + i / 500, b"GET / HTTP/1.1", robot_port=50051)
    found = json.loads(capture.run("diagnose", "--json").stdout or '{"findings": []}')["findings"]
    expect(not found, f"something else is a finding: {found}")


def check_other_port():
    """Without a port of its own the words must tell."""
    capture = Capture(61000)
    for i in range(5):
        capture.segment(61000, 1 + i / 500, command(1, micro(Q)))
    expect(not capture.rows("--to-robot"), "nothing is decoded on a port that nobody named")
    got = capture.rows("--to-robot", "--port", "61000=external_control")
    expect(got == [{"command_timeout": 20, "command_q": Q, "command_mode": 1}] * 5, f"the user's port: {got}")


def packets_of(sample):
    with gzip.open(os.path.join(CAPTURES, sample)) as file:
        return file.read()


def check_beside():
    """Telemetry stays what is meant if nothing is chosen."""
    data = io.BytesIO(packets_of("primary-stop.pcap.gz")).getvalue()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cell.pcapng")
        with open(path, "wb") as file:
            file.write(data)
        plain = subprocess.run([ARMTAP, "export", path], capture_output=True, text=True, timeout=60)
        streams = json.loads(subprocess.run([ARMTAP, "info", "--json", path], capture_output=True, text=True,
                                            timeout=60).stdout)["streams"]
        rtde = next(i for i, stream in enumerate(streams) if stream["protocol"] == "rtde")
        chosen = subprocess.run([ARMTAP, "export", "--stream", str(rtde), path], capture_output=True, text=True, timeout=60)
        recipe = subprocess.run([ARMTAP, "recipe", "--from", path], capture_output=True, text=True, timeout=60)
    expect(plain.returncode == 0 and plain.stdout == chosen.stdout, f"export took another stream: {plain.stderr}")
    expect("1 stream other than the telemetry is omitted" in plain.stderr, f"export left a stream out: {plain.stderr}")
    expect(recipe.returncode == 0 and "timestamp" in recipe.stdout, f"recipe --from: {recipe.stderr}")


def payloads(data, port):
    """(time, bytes) of what goes to the robot from a port of the PC, of a pcap file with nanoseconds."""
    at = 24
    while at < len(data):
        seconds, rest, length = struct.unpack_from("<3I", data, at)
        tcp = data[at + 16 + 34:at + 16 + length]
        if struct.unpack_from(">H", tcp)[0] == port and len(tcp) > (tcp[12] >> 4) * 4:
            yield seconds + rest / 1e9, tcp[(tcp[12] >> 4) * 4:]
        at += 16 + length


def run_on(path, *arguments):
    return subprocess.run([ARMTAP, *arguments, path], capture_output=True, text=True, timeout=60).stdout


def check_sample():
    """Each message of the sample, as struct reads it."""
    data, path = packets_of("driver-stop.pcap.gz"), os.path.join(CAPTURES, "driver-stop.pcap.gz")
    sent_to = [struct.unpack(">8i", part) for _, part in payloads(data, REVERSE)]
    rows = [json.loads(line) for line in run_on(path, "export", "-f", "ndjson", "--to-robot", "--union").splitlines()]
    got = [(row["command_timeout"], *micro(row["command_q"]), row["command_mode"]) for row in rows if "command_mode" in row]
    expect(len(sent_to) == 116 and got == sent_to, f"the sample's commands: {len(got)}")
    (_, aim), = payloads(data, TRAJECTORY)
    (_, payload), = payloads(data, COMMANDS)
    expect([micro(row["point_q"]) for row in rows if "point_q" in row] == [list(struct.unpack(">6i", aim[:24]))], "its point")
    expect([micro([row["payload_mass"], *row["payload_center"]]) for row in rows if "payload_mass" in row] ==
           [list(struct.unpack(">4i", payload[4:20]))], "its payload")


def check_stop_table():
    """The table around the sample's stop: in order, with commands that were sent then."""
    data, path = packets_of("driver-stop.pcap.gz"), os.path.join(CAPTURES, "driver-stop.pcap.gz")
    text = run_on(path, "diagnose", "--around", "safety.stop=0.1")
    table = text[text.index("stream 0 around the stop"):text.index("stream 1 around the stop")].splitlines()
    stop = EPOCH + 1.256  # the cycle in which the scene's arm hits something
    known = [(time - stop, ["%.4f" % (number / 1e6) for number in struct.unpack(">6i", part[4:28])])
             for time, part in payloads(data, REVERSE)]
    shown = [line.split() for line in table if " SERVOJ " in line]
    expect(len(shown) >= 4, f"commands around the stop: {table}")
    for after, stream, _, *joints in shown:
        near = [values for time, values in known if abs(time - float(after)) < 0.0015]
        expect(stream == "5" and joints in near, f"a command around the stop: {after} {joints} {near}")
    last = max(time for time, _ in known if time < 0)
    expect(any(abs(float(row[0]) - last) < 0.0015 for row in shown), "the command just before the stop")
    order = [float(line[:10]) for line in table if line[:10].strip()[:1] in ("+", "-")]
    expect(order == sorted(order) and len(order) > 20, f"the table's order: {order}")


# ---- findings: each threshold from both sides


def steady(capture, count, start=1.0, mode=1, timeout=20, first=0.0, cycle=0.002):
    """Commands in an even rhythm; returns when the next one would come."""
    for i in range(count):
        used = micro([first, *Q[1:]]) if mode == 1 else []
        capture.segment(REVERSE, start + i * cycle, command(mode, used, timeout))
    return start + count * cycle


def found(capture, prefix="command."):
    report = json.loads(capture.run("diagnose", "--json").stdout)
    return [(one["id"], one["args"]) for one in report["findings"] if one["id"].startswith(prefix)]


def says(args, wanted):
    """Whether they are among the arguments, numbers as far as they are printed. None: must not be there."""
    return all(round(args[name], 3) == value if isinstance(args.get(name), float) else args.get(name) == value
               for name, value in wanted.items())


def expect_found(capture, ids, wanted, what):
    """Findings of these ids, the last of which has these arguments."""
    got = found(capture)
    expect([one for one, _ in got] == ids and (not got or says(got[-1][1], wanted)), f"{what}: {got}")


def gap(pause, mode=1, timeout=20, count=40):
    capture = Capture(REVERSE)
    end = steady(capture, count, mode=mode, timeout=timeout)
    steady(capture, 5, end - 0.002 + pause, mode=mode, timeout=timeout)
    return capture


def check_outcomes():
    """Whether the robot's program stopped after a gap: what the connection did then says so, or nothing does."""
    closed, went_on, unknown = "robot-closed", "continued", "may-end"
    for seconds, closes, until in ((0.48, True, closed), (0.52, True, went_on), (0.52, False, went_on), (0.48, False, unknown)):
        capture = Capture(REVERSE)
        again = steady(capture, 40) + 0.030
        last = steady(capture, round(seconds / 0.002) + 1, again)
        if closes:
            capture.segment(REVERSE, last - 0.001, b"", False, 0x11)
        expect_found(capture, ["command.gap"], {"until": until, "duration_s": 0.032}, f"{seconds} s of commands after a gap, {closes}")
    capture = Capture()  # only what goes to the robot: it may have closed before the driver did
    end = steady(capture, 40)
    capture.segment(REVERSE, end + 0.15, b"", True, 0x11)
    expect_found(capture, [], {}, "the driver's end alone")


def check_late():
    """Commands that come after the robot closed the connection: one by one, or one alone, they show that the driver was late.
    A burst was held up on its way. Where nothing of the driver comes, it may be gone, or the path."""
    said = b"Socket timed out waiting for command on reverse_socket. The script will exit now."
    late, unclear, mute = ("robot-closed", "client"), ("robot-closed-first", "unclear"), ("robot-closed", "unclear")
    for count, cycle, together, after, known in (
            (0, 0, 0, 0.05, mute), (0, 0, 1, 0.05, late), (1, 0, 1, 0.05, late), (1, 0, 2, 0.05, unclear), (10, 0.0009, 1, 0.05, unclear), (10, 0.0011, 1, 0.05, late),
            (10, 0.002, 1, 0.05, late), (10, 0.0001, 1, 0.6, unclear), (10, 0.002, 1, 0.6, late), (1, 0, 5, 0.05, unclear)):
        for resets in (False, True):
            capture = Capture(REVERSE)
            end = steady(capture, 40)
            capture.segment(REVERSE, end + 0.05, b"", False, 0x11)
            if together and count == 0:
                capture.segment(REVERSE, end + 0.051, b"", True, 0x10)
            for i in range(count):
                capture.segment(REVERSE, end + 0.05 + after + i * cycle, command(1, micro([0, *Q[1:]])) * together)
            if resets:
                capture.segment(REVERSE, end + 0.05 + after + count * cycle, b"", False, 0x14)
            for i, message in enumerate((wire.version(5, 9, 4), wire.robot_message(0, said, clock=12345678, source=-3))):
                capture.send((ROBOT, 30001), (PC, 45001), end + 0.04 + i * 0.02, message, 0x18)
            report = json.loads(capture.run("diagnose", "--json").stdout)
            gaps = [one["args"] for one in report["findings"] if one["id"] == "command.gap"]
            told = [(gap["until"], incident["side"]) for gap in gaps for incident in report["incidents"]]
            expect(told == [known] and says(gaps[0], {"duration_s": 0.052}),
                   f"{count} commands {after} s after the close, every {cycle} s, reset {resets}: {gaps} {told}")


def check_one_by_one():
    """A gap after which the commands come one a cycle is the driver's: what was held up would come together. A driver that
    gets no data meanwhile may wait for it."""
    for pause, count, cycle, deaf, side in (
            (0.05, 8, 0.002, False, "unclear"), (0.05, 9, 0.002, False, "client"), (0.05, 40, 0.0017, False, "client"),
            (0.05, 40, 0.0015, False, "unclear"), (0.05, 60, 0.0009, False, "unclear"), (0.05, 40, 0.002, True, "unclear"),
            (0.018, 40, 0.002, False, "client"), (0.018, 40, 0.002, True, "unclear"), (0.018, 40, 0.0009, False, "unclear")):
        capture, end = opened(REVERSE), 1.0
        for i in range(40):
            capture.segment(REVERSE, end, command(1, micro([0, *Q[1:]])))
            telemetry(capture, end + 0.0005, 0.0)
            end += 0.002
        for i in range(0 if deaf else round(pause / 0.002)):
            telemetry(capture, end + i * 0.002 - 0.0005, 0.0)
        for i in range(count):
            capture.segment(REVERSE, end - 0.002 + pause + i * cycle, command(1, micro([0, *Q[1:]])))
        report = json.loads(capture.run("diagnose", "--json").stdout)
        told = [one["side"] for one in report["incidents"] if one["what"] == "command.gap"]
        gaps = [one["args"] for one in report["findings"] if one["id"] == "command.gap"]
        expect(told == [side] and len(gaps) == 1 and (gaps[0].get("reason") == "not-sent") == (side == "client"),
               f"{count} commands every {cycle} s after a gap of {pause} s, deaf {deaf}: {told} {gaps}")


def check_counts():
    """Old drivers count reads of 20 ms, and nothing in a command tells it from a time."""
    usual = {"usual_s": 0.002, "allowed_s": None}
    for timeout, pause, wanted in ((1, 0.0198, usual), (1, 0.0202, {"allowed_s": 0.02}), (19, 0.379, usual),
                                   (19, 0.381, {"allowed_s": 0.38}), (20, 0.0202, {"allowed_s": 0.02})):
        expect_found(gap(pause, timeout=timeout), ["command.gap"], wanted, f"{timeout} in the first word, {pause} s")


def check_gaps():
    expect_found(gap(0.0202), ["command.gap"], {"duration_s": 0.02, "allowed_s": 0.02}, "longer than the timeout")
    expect_found(gap(0.0198), ["command.gap"], {"usual_s": 0.002, "allowed_s": None}, "within the timeout, a hole")
    expect_found(gap(0.0042), ["command.gap"], {"usual_s": 0.002, "allowed_s": None}, "over two cycles")
    expect_found(gap(0.0040), [], {}, "two cycles")
    expect_found(gap(0.0198, count=15), [], {}, "no rhythm yet")
    expect_found(gap(0.9, mode=0, timeout=1000), [], {}, "a keep-alive may be late")
    expect_found(gap(1.1, mode=0, timeout=1000), ["command.gap"], {"allowed_s": 1.0}, "not that late")
    expect_found(gap(5, mode=0, timeout=0), [], {}, "0 waits for ever")
    capture = Capture(REVERSE)
    end = steady(capture, 40)
    capture.lose(REVERSE, 320)
    steady(capture, 5, end + 0.05)
    expect_found(capture, [], {}, "the capture lacks commands")
    for pause, ids in ((0.019, []), (0.021, ["command.gap"])):
        for to_robot in (True, False):
            capture = Capture(REVERSE)
            end = steady(capture, 40)
            capture.segment(REVERSE, end - 0.002 + pause, b"", to_robot, 0x11)
            expect_found(capture, ids, {}, f"closed {pause} s after the last command")
    capture = Capture(REVERSE)
    end = steady(capture, 40)
    capture.segment(REVERSE, end, command(-2))
    capture.segment(REVERSE, end + 5, b"", False, 0x11)
    expect_found(capture, ["command.mode"], {"name_before": "SERVOJ", "name": "STOPPED"}, "a driver that says that it ends")


def check_jumps():
    for step, ids in ((0.0398, []), (0.0402, ["command.jump", "command.jump"])):
        capture = Capture(REVERSE)
        end = steady(capture, 40)
        capture.segment(REVERSE, end, command(1, micro([step, *Q[1:]])))
        steady(capture, 5, end + 0.002)
        expect_found(capture, ids, {"joint": 0}, f"a step of {step} rad in 2 ms")
    capture = Capture(REVERSE)
    end = steady(capture, 40)
    steady(capture, 5, end + 0.008, first=0.19)
    expect_found(capture, ["command.gap", "command.jump"], {"joint": 0, "joint_name": "base", "within_s": 0.002}, "a step after a hole")


def telemetry(capture, time, position):
    """A legacy packet of the robot, whose joints are there."""
    cells = [100 + time] + [0.0] * 137
    cells[31:37] = [position, *Q[1:]]
    capture.send((ROBOT, 30003), (PC, 45000), time, struct.pack(">I138d", 1108, *cells), 0x18)


def opened(port):
    """A driver's capture with a connection to the robot's port 30003."""
    capture, ends = Capture(port), ((PC, 45000), (ROBOT, 30003))
    for near, far, flags in ((*ends, 0x02), (*ends[::-1], 0x12), (*ends, 0x10)):
        capture.send(near, far, 0.9, b"", flags)
    return capture


def check_near_arm():
    """The robot's program accepts a step to where the arm is, so it is no jump."""
    for away, ids in ((0.098, []), (0.102, ["command.jump"])):
        capture = opened(REVERSE)
        end = steady(capture, 40)
        for i in range(3):
            telemetry(capture, end - 0.017 + i * 0.008, 0.3)
        steady(capture, 5, end, first=0.3 - away)
        expect_found(capture, ids, {}, f"a step to {away} rad from the arm")


def check_bursts():
    """Commands that come in bursts are for a cycle each: a step is not faster for that."""
    for step, ids in ((0.0016, []), (0.0396, []), (0.05, ["command.jump"])):
        capture, at = Capture(REVERSE), 1.0
        for i in range(90):
            at += 0.00598 if i % 3 == 0 else 0.00001
            capture.segment(REVERSE, at, command(1, micro([0.1 + step * (i % 2 if i > 60 else 0), *Q[1:]])))
        expect({one for one, _ in found(capture)} == set(ids), f"steps of {step} rad in bursts: {found(capture)}")


def check_first_target():
    for away, age, ids in ((0.098, 0.01, []), (0.102, 0.01, ["command.jump"]), (0.5, 0.0205, []), (0.5, 0.0195, ["command.jump"])):
        capture = Capture(REVERSE)
        end = steady(capture, 10, mode=0, timeout=1000)
        ends = (PC, 45000), (ROBOT, 30003)
        for near, far, flags in ((*ends, 0x02), (*ends[::-1], 0x12), (*ends, 0x10)):
            capture.send(near, far, end, b"", flags)
        for i in range(20):
            telemetry(capture, end + i * 0.008, away)
        start = end + 19 * 0.008 + age
        steady(capture, 3, start, first=0.0)
        expect_found(capture, ["command.mode", *ids], {} if ids else {"name_before": "IDLE", "name": "SERVOJ"}, f"{away} rad away from what was known {age} s before")


def check_coalesced():
    for pause, ids in ((0.010, ["command.gap", "command.coalesced"]), (0.0039, [])):
        capture = Capture(REVERSE)
        end = steady(capture, 40)
        capture.segment(REVERSE, end - 0.002 + pause, command(1, micro([0, *Q[1:]])) * 4)
        steady(capture, 5, end + pause)
        expect_found(capture, ids, {}, f"four commands in one packet after {pause} s")


def check_timeout():
    said = b"Socket timed out waiting for command on reverse_socket. The script will exit now."
    for closes, wanted in ((False, {"last_packet": 43, "earlier_s": 0.03}), (True, {"until": "driver-closed"})):
        capture = Capture(REVERSE)
        end = steady(capture, 40)
        if closes:
            capture.segment(REVERSE, end, b"", True, 0x11)
        for i, message in enumerate((wire.version(5, 9, 4), wire.robot_message(0, said, clock=12345678, source=-3))):
            capture.send((ROBOT, 30001), (PC, 45001), end - 0.002 + i * 0.03, message, 0x18)
        expect([one for one in found(capture) if one[0] == "command.timeout" and says(one[1], wanted)],
               f"the robot's own words: {found(capture)}")


def key(title, text, clock):
    return wire.robot_message(7, bytes(8) + bytes([len(title)]) + title + text, clock=clock)


def check_program():
    """The program that the robot fetched is the one whose line an exception names; not one of another name, nor one that
    stopped over a second before."""
    program = b"def cell():\n  movej(q)\n  boom()\nend\n"
    for started, stopped, is_quoted in ((b"cell", None, True), (b"other", None, False), (b"cell", 0.99, True), (b"cell", 1.01, False)):
        capture = Capture(SENDER)
        said = [(0.5, wire.version(5, 9, 4)), (1.02, key(b"PROGRAM_XXX_STARTED", started, 12345678)),
                (4, wire.robot_message(10, struct.pack(">ii", 3, 3) + b"it broke", clock=22345678))]
        if stopped:
            said.insert(2, (4 - stopped, key(b"PROGRAM_XXX_STOPPED", started, 22000000)))
        capture.send((ROBOT, 30001), (PC, 45001), *said[0], 0x18)
        capture.segment(SENDER, 1, b"request_program\n", False)
        capture.segment(SENDER, 1.01, program)
        for one in said[1:]:
            capture.send((ROBOT, 30001), (PC, 45001), *one, 0x18)
        broken = dict(found(capture, "ur."))["ur.exception"]
        expect(says(broken, {"line": 3, "column": 3, "quoted": "it broke", "quoted_line": "boom()" if is_quoted else None,
                             "sent_packet": 6 if is_quoted else None}), f"the line of {started}, stopped {stopped} s before: {broken}")


def check_program_lost():
    """What the capture lacks of a program may have had lines; what a client asks the dashboard server is no line of it."""
    program = b"def cell():\n  movej(q)\n  boom()\n  bang()\nend\n"
    for lost, asks, is_quoted in ((0, False, True), (0, True, True), (11, False, False)):
        capture = Capture(SENDER)
        capture.send((ROBOT, 30001), (PC, 45001), 0.5, wire.version(5, 9, 4), 0x18)
        capture.segment(SENDER, 1, b"request_program\n", False)
        capture.segment(SENDER, 1.01, program[:12])
        capture.lose(SENDER, lost)
        capture.segment(SENDER, 1.02, program[12 + lost:])
        for i in range(40):  # the loss is certain once so much has come
            capture.send((ROBOT, 30001), (PC, 45001), 1.03 + i * 0.002, wire.robot_message(0, b"on", clock=12000000), 0x18)
        capture.segment(SENDER, 1.12, b"", False, 0x10)
        for i in range(40):
            capture.send((ROBOT, 30001), (PC, 45001), 1.13 + i * 0.002, wire.robot_message(0, b"on", clock=12000000), 0x18)
        capture.send((ROBOT, 30001), (PC, 45001), 1.3, key(b"PROGRAM_XXX_STARTED", b"cell", 12345678), 0x18)
        ends = (PC, 46000), (ROBOT, 29999)
        for near, payload, flags in ((0, b"", 0x02), (1, b"", 0x12), (0, b"", 0x10),
                                     (1, b"Connected: Universal Robots Dashboard Server\n", 0x18), (0, b"robotmode\n", 0x18),
                                     (1, b"Robotmode: RUNNING\n", 0x18)) if asks else ():
            capture.send(ends[near], ends[1 - near], 2, payload, flags)
        capture.send((ROBOT, 30001), (PC, 45001), 4,
                     wire.robot_message(10, struct.pack(">ii", 3, 3) + b"it broke", clock=22345678), 0x18)
        said = dict(found(capture, "ur."))["ur.exception"]
        expect(said.get("quoted_line") == ("boom()" if is_quoted else None) and ("sent_packet" in said) == is_quoted, f"{lost} bytes lost, dashboard asked: {asks}: {said}")


def check_explain():
    capture = Capture(REVERSE)
    capture.segment(REVERSE, 1, command(6, [1]))
    said = capture.run("explain", "--packet", "4").stdout
    for wanted in ("freedrive_action     1", "command_mode         6 FREEDRIVE", "not used"):
        expect(wanted in said, f"explain lacks {wanted}: {said}")


def fields(*arguments):
    done = subprocess.run([ARMTAP, "fields", "--json", *arguments], capture_output=True, text=True, timeout=60, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else []


def check_names():
    """`fields` has a row for each value that the decoder's table names, and the names of its modes; of AUBO's topics, too."""
    source = os.environ.get("srcdir", ".")
    with open(os.path.join(source, "decoders", "external_control_layouts.def"), encoding="utf-8") as file:
        table = file.read()
    with open(os.path.join(source, "lib", "table", "control_modes.def"), encoding="utf-8") as file:
        modes = {int(number): name for number, name in re.findall(r"^CONTROL_MODE\((-?\d+), (\w+)\)", file.read(), re.M)}
    for name, wire_type, count in [(name, wire_type, int(count)) for count, name, wire_type in re.findall(
            r'^VALUE\(.*, (\d+), "(\w+)", (\w+)\)', table, re.M)] + [
                (name, "RAW", 1) for name in re.findall(r'^RESULT\(\d+, "(\w+)"\)', table, re.M)]:
        rows = [row for row in fields(name) if row["name"] == name]
        expect(len(rows) == 1 and rows[0]["count"] == count and (rows[0]["type"] == "INT32") == (wire_type == "RAW"),
               f"fields {name}: {rows}")
    selectors = {kind: {int(number): name for number, name in re.findall(r'^SELECTOR\(%s, (\d+), "(\w+)"\)' % kind, table, re.M)}
                 for kind in ("POINT", "SCRIPT")}
    for name, wanted in (("command_mode", modes), ("point_type", selectors["POINT"]), ("script_command", selectors["SCRIPT"]),
                         ("trajectory_action", {-1: "CANCEL", 0: "NOOP", 1: "START", 2: "STREAM_START", 3: "STREAM_END"}),
                         ("freedrive_action", {-1: "STOP", 0: "NOOP", 1: "START"}),
                         ("R1_operationalModeSelectorInput", {0: "Disabled", 1: "Automatic", 2: "Manual"})):
        found = {row["value"]: row["name"] for row in fields("--enum", name)}
        expect(found == wanted and wanted, f"--enum {name}: {found}")
    expect(any(row["generation"] == "aubo" for row in fields("--enum", "R2_robot_mode")), "--enum of an arm's field")
    for name in "R1_actual_q", "R4_joint_gravity_torque", "line_number", "R2_message", "gripper_status":
        plain = name[3:] if name[0] == "R" else name
        expect(plain in [row["name"] for row in fields(name)], f"fields {name}")
    for name in "R5_actual_q", "R1_", "no_such_name", "":
        expect(not [row for row in fields(name) if row["name"] == name], f"fields {name}")


for check in (check_names, check_modes, check_vectors, check_points, check_script_commands, check_old_driver, check_script,
              check_results, check_gap, check_directions, check_chance, check_other_port, check_beside, check_sample,
              check_stop_table, check_program, check_program_lost, check_explain, check_gaps, check_outcomes, check_late, check_one_by_one, check_counts, check_jumps, check_near_arm, check_bursts, check_first_target, check_coalesced, check_timeout):
    check()
sys.exit(tally.finish())
