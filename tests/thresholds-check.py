#!/usr/bin/env python3
"""diagnose's thresholds, each from both sides, in captures made here: how many things are listed, when something counts,
and what incidents may say. Findings are compared by ids and arguments."""
import importlib.machinery
import importlib.util
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
EPOCH = 1769860800
STEP = 0.008
LENGTH = 1108  # of a legacy packet


def handshake_check():
    loader = importlib.machinery.SourceFileLoader("handshake_check", os.path.join(HERE, "handshake-check.py"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


sys.path.insert(0, HERE)
from arm_wire import UR5, joints_at, pose_of  # noqa: E402
from robot_capture import Capture, Client  # noqa: E402

Connection = handshake_check().Connection


class Legacy(Connection):
    """A connection to port 30003 and the controller's data on it."""

    def __init__(self, client_port=50000, at=0.0, robot=b"\x0a\0\0\2"):
        super().__init__(client_port, robot=robot, at=at)
        self.ends["r"] = (robot, 30003)
        self.sequence = {"r": 1000, "c": 2000}
        self.packets = []
        self.send("c", b"", 0x02)
        self.send("r", b"", 0x12)
        self.clock = 100.0
        self.cell = 0.0  # what its cells hold, but the clock

    def packet(self):
        self.clock += STEP
        return struct.pack(">I138d", LENGTH, self.clock, *[self.cell] * 137)

    def data(self, count, late=0.0):
        for _ in range(count):
            content = self.packet()
            self.time = self.clock - 100 + late
            self.send("r", content)
        self.acknowledge()

    def acknowledge(self):
        self.send("c", b"", 0x10)

    def window(self, size, side="c"):
        """The client, or the robot, offers a window of that size."""
        self.send(side, b"", 0x10)
        time, packet = self.packets.pop()
        self.packets.append((time, packet[:48] + struct.pack(">H", size) + packet[50:]))

    def lose(self, content):
        """Sent but not captured."""
        self.send("r", content)
        self.packets.pop()


def write(path, *connections):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, packet in sorted((one for connection in connections for one in connection.packets), key=lambda one: one[0]):
            ns = round(time * 1e9)
            file.write(struct.pack("<4I", EPOCH + ns // 10**9, ns % 10**9, len(packet), len(packet)) + packet)


def diagnose(path, *options, status=1):
    run = subprocess.run([ARMTAP, "diagnose", *options, path], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == status, (run.returncode, run.stdout[-1500:], run.stderr)
    return run.stdout


def found(path, *connections, status=1):
    write(path, *connections)
    return json.loads(diagnose(path, "--json", status=status))


def said(report, kind):
    """The arguments of all findings of a kind."""
    return [finding["args"] for finding in report["findings"] if finding["id"] == kind]


def told_of(report, kind):
    """The incidents that begin with this kind of finding."""
    return [incident for incident in report["incidents"] if incident["what"] == kind]


def skipping(**where):
    """A stream in which the controller skipped 5 packages."""
    stream = Legacy(**where)
    stream.data(200)
    stream.clock += 5 * STEP
    stream.data(200)
    return stream


def check_network(path):
    """That no fault of the network was seen is said only if the capture shows it."""
    for is_lossy in (False, True):
        stream = skipping()
        if is_lossy:
            stream.lose(stream.packet())
            stream.data(200)
        write(path, stream)
        words = " ".join(diagnose(path).split())
        report = found(path, stream)
        assert [(one["what"], one["side"]) for one in report["incidents"]] == \
            [("clock.skipped", "robot"), ("stream.gap", "capture")][:1 + is_lossy], report["incidents"]
        assert said(report, "clock.skipped")[0]["packages"] == 5, report["findings"]
        assert [one["bytes"] for one in said(report, "stream.gap")] == [LENGTH] * is_lossy, report["findings"]
        assert ("No fault of the network was seen" in words) != is_lossy, words


def check_sentences(path):
    """Ten incidents are printed, the rest is a number; JSON has them all. Those alike at more than ten robots are one."""
    for count in (10, 11, 12):
        streams = [skipping(client_port=50000 + i, robot=bytes([10, 0, 1, i])) for i in range(count)]
        for is_alike in (True, False):
            for i in range(0 if is_alike else 5):
                streams[i] = Legacy(client_port=50000 + i, robot=bytes([10, 0, 1, i]))
                streams[i].data(200)
                streams[i].lose(bytes(1108))
                streams[i].clock += STEP
                streams[i].data(200)
            report = found(path, *streams)
            assert len(report["incidents"]) == count and len(told_of(report, "clock.skipped")) == count - 5 * (not is_alike)
            words = " ".join(diagnose(path).split("\n\n")[0].split())
            assert words.count("Responsible side") == (1 if is_alike and count > 10 else 10), (count, words)
            assert (f"and {count - 10} more: " in words) == (count > 10 and not is_alike), (count, words)
            assert (f"happened {count - 1} more times at {count - 1} other robots, the last time at " in words) == (
                count > 10 and is_alike), (count, words)


def check_holes(path):
    """For up to eight holes between two records, each followed by unreadable bytes, the time without data is reported."""
    for count in (7, 8):
        stream = Legacy()
        stream.data(300)
        content = b"".join(stream.packet() for _ in range(8))
        stream.time = stream.clock - 100
        for i in range(count):
            stream.lose(content[200 * i:200 * i + 100])
            stream.send("r", content[200 * i + 100:200 * i + 200])
        stream.lose(content[200 * count:])
        stream.data(300)
        gaps = said(found(path, stream), "stream.gap")
        assert len(gaps) == count + 1, gaps
        assert sum("duration_s" in gap for gap in gaps) == 8, gaps


def check_stalls(path):
    """A thousand windows closed at the same time are timed, the next one is only reported."""
    for count in (1000, 1001):
        streams = []
        for i in range(count):
            stream = Legacy(client_port=10000 + i)
            stream.data(3)
            stream.window(0)
            stream.time += 5
            stream.window(60000)
            stream.clock += 5
            stream.data(3, late=0.02)
            streams.append(stream)
        stalls = said(found(path, *streams), "tcp.zero-window")
        timed = [one for one in stalls if int(one.get("duration_s", 0)) == 5]
        assert (len(stalls), len(timed)) == (count, 1000), (len(stalls), len(timed), stalls[:2])


def clock_of(path, stream, status):
    return found(path, stream, status=status)["streams"][0]


def late_packets(packets, late, blocks):
    """How many of the last packets must be late so that so many blocks of 1/16 s hold only late ones."""
    def block(i, late=0.0):
        return int((i * STEP + late) * 16)
    for count in range(packets):
        at = packets - count
        if len({block(i, late) for i in range(at, packets)} - {block(i) for i in range(at)}) == blocks:
            return count
    raise AssertionError(blocks)


def set_back(path, packet, seconds):
    """From this packet on, the capture's clock is behind."""
    with open(path, "r+b") as file:
        data, at, number = bytearray(file.read()), 24, 1
        while at < len(data):
            stamp, part, size = struct.unpack_from("<3I", data, at)
            if number >= packet:
                ns = stamp * 10**9 + part - round(seconds * 1e9)
                struct.pack_into("<2I", data, at, ns // 10**9, ns % 10**9)
            at, number = at + 16 + size, number + 1
        file.seek(0)
        file.write(data)


def check_order(path):
    """A clock that was set back by more than 10 ms is reported; a packet that arrives after later ones is no such clock."""
    for seconds in (0.008, 0.02):
        stream = Legacy()
        stream.data(400)
        write(path, stream)
        set_back(path, 200, seconds)
        words = diagnose(path, status=0)
        assert ("set back" in words) == (seconds > 0.01), (seconds, words)
        back = said(json.loads(diagnose(path, "--json", status=0)), "capture.clocks-apart")
        assert len(back) == (seconds > 0.01) and all(one["case"] == "set-back" and 0 < one["duration_s"] <= seconds for one in back), back
    stream = Legacy()
    stream.data(200)
    first, *others = (stream.packet() for _ in range(3))
    stream.time, before = stream.clock - 100, stream.sequence["r"]
    stream.sequence["r"] += LENGTH
    for content in others:
        stream.send("r", content)
    after, stream.sequence["r"], stream.time = stream.sequence["r"], before, stream.time + 0.03
    stream.send("r", first)
    stream.sequence["r"] = after
    stream.data(200)
    write(path, stream)
    words = diagnose(path, status=0)
    assert "set back" not in words, words


def check_clock(path):
    """Ten packages show when the controller's clock was 0. Blocks of 1/16 s show its drift, unless the capture's clock was
    set, as two late blocks at the end mean, but one does not."""
    for packages in (9, 10):
        stream = Legacy()
        stream.data(packages)
        offset = clock_of(path, stream, 0)["clock_offset_s"]
        assert (offset is not None) == (packages == 10), (packages, offset)
        assert packages == 9 or abs(offset - (EPOCH - 100)) < 1e-4, offset
    for blocks, late, known in ((0, 0.0, True), (1, 0.05, True), (2, 0.03, False), (3, 0.03, False), (2, 0.018, True)):
        stream = Legacy()
        count = late_packets(800, late, blocks)
        stream.data(800 - count)
        stream.data(count, late=late)
        write(path, stream)
        drift = json.loads(diagnose(path, "--json", status=0))["streams"][0]["clock_drift_ppm"]
        assert (drift is not None) == known, (blocks, late, drift)
        assert drift is None or abs(drift) < 1, drift


def at_rest(_):
    return [0.25] * 6


def rtde(frequency, rate, release=(5, 9, 4, 10), seconds=3.0, names=("actual_q",), values=at_rest):
    """A client that asks for `frequency` and gets data at `rate`, both Hz: vectors, whose values depend on the time."""
    connection = Connection(50000)
    connection.negotiate()
    connection.tell_release(release)
    connection.ask("O", struct.pack(">d", frequency) + ",".join(("timestamp", *names)).encode())
    connection.reply("O", b"\1" + ",".join(("DOUBLE", *["VECTOR6D"] * len(names))).encode())
    connection.ask("S")
    connection.reply("S", b"\1")
    begin = connection.time
    for i in range(round(seconds * rate)):
        connection.time = begin + i / rate
        connection.reply("U", b"\1" + struct.pack(f">{1 + 6 * len(names)}d", 100 + i / rate, *values(i / rate)))
    connection.send("c", b"", 0x10)
    return connection


def check_requests(path):
    """Only a client that asks for a rate that the controller cannot send gets a finding."""
    for frequency, release, told in ((600, (5, 9, 4, 10), "requested 600 Hz; this controller can send 500 Hz"),
                                     (125, (5, 9, 4, 10), "requested 125 Hz; this controller can send 500 Hz"),
                                     (499, (5, 9, 4, 10), "requested 499 Hz; this controller can send 500 Hz"),
                                     (500, (5, 9, 4, 10), None), (125, (3, 15, 8, 1), None),
                                     (25, (3, 15, 8, 1), "requested 25 Hz; this controller can send 125 Hz")):
        write(path, rtde(frequency, 500 if frequency in (499, 600) else frequency, release))
        shown = diagnose(path, "--tables", status=0)
        assert (told in shown) if told else "this controller can send" not in shown, (frequency, release, shown)


def check_low(path):
    """Data below 95 % of the requested rate is too slow."""
    for rate, low in ((120, False), (118, True), (60, True)):
        write(path, rtde(125, rate))
        report = json.loads(diagnose(path, "--json", status=1 if low else 0))
        rates = said(report, "rate.low")
        assert len(rates) == len(told_of(report, "rate.low")) == low, (rate, rates)
        assert all(abs(one["rate_hz"] - rate) < 0.05 and abs(one["expected_hz"] - 125) < 0.05 and one["duration_s"] > 2
                   for one in rates), rates
        # Its clock shows that it sends every second package at most; a step that is hardly longer does not.
        sides = [one["side"] for one in report["incidents"] if one["what"] == "rate.low"]
        assert sides == (["robot" if rate == 60 else "unclear"] if low else []), (rate, sides)
    for frequency, rate, low in ((300, 250, True), (300, 290, False), (300, 500, False), (200, 125, True), (600, 250, True)):
        write(path, rtde(frequency, rate))
        rates = said(json.loads(diagnose(path, "--json", status=1 if low else 0)), "rate.low")
        assert len(rates) == low, (frequency, rate, rates)
        asked = frequency if frequency < 500 and 500 % frequency else None  # else it is what the controller sends
        assert all(one.get("requested_hz") == asked and one["expected_hz"] == min(frequency, 500) for one in rates), rates


def together(size, rate=125, count=40, alone=0, apart=8e-6, skew=0.0, captured=1e-9):
    """Legacy packets that come `size` at once, `count` times, then `alone` ones in time; stamped by a clock of that tick."""
    stream = Legacy()
    step, late = 1 / rate, 0.0
    for i in range(size * count + alone):
        content = struct.pack(">I138d", LENGTH, 100 + i * step, *[stream.cell] * 137)
        due = i // size * size + size - 1 if i < size * count else i
        late = (i % size) * apart + skew if i < size * count else 0.0
        stream.time = (due * step + late) // captured * captured + 0.1
        stream.send("r", content)
        if i % size == size - 1:
            stream.acknowledge()
    return stream


def check_bursts(path):
    """Packages come in bursts if at least half of them come two or more at once, less than half a step apart, after 12 ms
    without any, ten times or more. A coarse clock of the capture, or a few late ones, make no burst."""
    for case, told in (((5,), 5), ((5, 500, 40), None), ((7, 500, 40), 7), ((6, 500, 40), None), ((11, 500, 40), 11),
                       ((3,), 3), ((2,), 2), ((5, 125, 11), 5), ((5, 125, 10), None), ((5, 125, 40, 188), 5),
                       ((5, 125, 40, 195), None), ((5, 125, 40, 0, 0.0039), 5), ((5, 125, 40, 0, 0.0041), None),
                       ((1, 500, 400, 0, 8e-6, 0.0, 0.0156), None), ((1, 125, 400, 0, 8e-6, 0.0, 0.0156), None)):
        report = found(path, together(*case), status=0)
        bursts = said(report, "rate.bursts")
        assert len(bursts) == (told is not None), (case, bursts)
        assert not told or abs(bursts[0]["packages"] - told) < 0.6, (case, bursts)
        assert not told or "Nothing is wrong" not in diagnose(path, status=0), case


def stalled(seconds, packages, side="c", later=0.0):
    """A receiver that does not read for a while, and packages skipped some time later."""
    stream = Legacy()
    stream.data(200)
    begin = stream.time
    stream.window(0, side)
    stream.time = begin + seconds
    stream.window(64000, side)
    stream.data(round(later / STEP), late=seconds)
    stream.clock += packages * STEP
    stream.data(200, late=seconds)
    return stream


def check_blame(path):
    """A client that did not read is blamed for skipped packages only if it fits: its own stall, at least as long as the
    skipped packages at 500 Hz, within a second before them; or 30 s, while what is sent still comes late. Nobody is
    blamed for what comes late otherwise."""
    for seconds, packages, options, side in (
            (0.2, 10, {}, "client"), (0.2, 10, {"side": "r"}, "robot"), (0.022, 10, {}, "client"), (0.018, 10, {}, "robot"),
            (0.2, 10, {"later": 0.8}, "client"), (0.2, 10, {"later": 29}, "client"), (0.2, 10, {"later": 31}, "unclear"),
            (0.045, 10, {"later": 1.1}, "robot"), (0.055, 10, {"later": 1.1}, "client")):
        told = [one["side"] for one in told_of(found(path, stalled(seconds, packages, **options)), "clock.skipped")]
        assert told == [side], (told, side, seconds, packages, options)


def narrow(size, seconds, gap, skips=True, scaled=True, closes=False, steps=(), lost=False):
    """The client's window has `size` bytes for `seconds` of a gap, after which the robot skipped what was due, or not."""
    stream = Legacy()
    if not scaled:
        stream.packets.clear()  # the SYN that would say how large the windows are
    stream.data(200)
    begin = stream.clock - 100
    stream.time = begin + 0.001
    for one in (*steps, size):
        stream.window(one)
    if closes:
        stream.time = begin + gap
        stream.send("c", b"", 0x11)
        return stream
    stream.time = begin + 0.001 + seconds
    stream.window(64000)
    if skips:
        stream.clock += gap - STEP
    if lost:
        stream.lose(stream.packet())
    stream.data(200, late=0 if skips else gap)
    return stream


def check_narrow(path):
    """A window that is too small for the next message is why nothing came, if it was too small nearly all the time: but
    for a tenth and a step. Of a window whose scale was not captured the size is unknown."""
    for size, seconds, gap, options, told in (
            (1000, 2.99, 3, {}, 1000), (1107, 2.99, 3, {}, 1107), (1108, 2.99, 3, {}, None), (1, 2.99, 3, {}, 1),
            (1000, 2.70, 3, {}, 1000), (1000, 2.68, 3, {}, None),
            (700, 2.99, 3, {"steps": (60000, 30000, 15000, 7500, 3750, 1875, 1200, 1100)}, 1100),
            (100, 0.1, 0.12, {}, 100), (100, 0.09, 0.12, {}, None),
            (1000, 0.9, 1, {"skips": False}, None), (1000, 2.99, 3, {"skips": False}, 1000),
            (1000, 2.99, 3, {"scaled": False}, None), (1000, 2.99, 3, {"skips": False, "lost": True}, None),
            (1000, 2.999, 3, {"closes": True}, 1000), (1000, 2.999, 3, {"closes": True, "scaled": False}, None),
            (1000, 1.989, 1.99, {"closes": True}, None), (1108, 2.999, 3, {"closes": True}, None),
            (1000, 2.99, 3, {"scaled": False, "steps": (60000,)}, None)):
        case = (size, seconds, gap, options)
        stream = narrow(size, seconds, gap, **options)
        report = found(path, stream, status=0 if not told and (("closes" in options and gap < 2) or options == {"skips": False}) else 1)
        stalls = said(report, "tcp.zero-window")
        assert len(stalls) == (told is not None), (case, stalls)
        if told:
            seconds -= 0.001 * sum(one >= LENGTH for one in options.get("steps", ()))
            stall = stalls[0]
            assert (stall["who"], stall["bytes"], stall["message_bytes"]) == ("client", told, LENGTH), (case, stall)
            assert abs(stall["duration_s"] - seconds) < 0.0006, (case, stall)
            assert {one["side"] for one in report["incidents"]} == {"client"}, (case, report["incidents"])
        else:
            assert not any(one["side"] == "client" for one in report["incidents"]), (case, report["incidents"])


def full(times, before=200, late=0.0, side="c", gap=3):
    """Data that lacks `gap` s, in which the receiver's buffer was full from one time to another; `times` may have more."""
    stream = Legacy()
    stream.data(before)
    begin = stream.clock - 100
    for at, size in times:
        stream.time = begin + at
        stream.window(size, side)
    stream.clock += gap - STEP - late
    stream.data(5, late=late)
    if before < 60:
        begin = stream.clock - 100 + late
        for at, size in ((0.001, 0), (0.002, 64000)):
            stream.time = begin + at
            stream.window(size, side)
    stream.data(200, late=late)
    return stream


def check_full(path):
    """A client whose receive buffer was full all the time without data, but for a second, is why nothing came. That the robot
    sent nothing, or did not advance, are other reasons."""
    for begins, ends, options, reason in (
            (0.001, 2.99, {}, "client-stopped-reading"), (0.001, 2.05, {}, "client-stopped-reading"), (0.001, 1.95, {}, "not-sent"),
            (0.95, 2.99, {}, "client-stopped-reading"), (1.05, 2.99, {}, "not-sent"), (0.5, 2.55, {}, "client-stopped-reading"),
            (0.5, 2.45, {}, "not-sent"), (0.001, 2.99, {"side": "r"}, "not-sent"), (0.001, 2.99, {"late": 3 - STEP}, "stalled"),
            (0.001, 2.99, {"before": 30}, "client-stopped-reading"), (0.001, 1.95, {"before": 30}, "not-sent")):
        report = found(path, full([(begins, 0), (ends, 64000)], **options))
        silence, case = said(report, "silence")[0], (begins, ends, options)
        assert silence["reason"] == reason, (case, silence)
        assert ("from_packet" in silence) == (reason == "client-stopped-reading"), (case, silence)
        if reason in ("client-stopped-reading", "not-sent") and "side" not in options:
            side = "client" if reason == "client-stopped-reading" else "unclear"
            assert [one["side"] for one in told_of(report, "silence")] == [side], (case, report["incidents"])


def outage(gap, resends, answers=(), before=(), after=(), mute=True, ids=True):
    """The robot sends its last packet again at these times after it, and the client sends something at others. `mute`: it
    acknowledged what came before. `ids`: IP ids prove that they are no copies."""
    stream = Legacy()
    if not mute:
        stream.acknowledge = lambda: None
        stream.packets.pop(0)  # its SYN
    for times, wait in ((before, 0.0), (resends, gap), (after, 0.0)):
        stream.data(200)
        begin, number = stream.clock - 100, stream.sequence["r"]
        last = stream.packets[-1 if not mute else -2][1][54:]
        for time, who in sorted([(one, "r") for one in times] + [(one, "c") for one in answers if wait]):
            stream.time = begin + time
            if who == "r":
                stream.sequence["r"] = number - LENGTH
                stream.send("r", last)
                stream.sequence["r"] = number
            else:
                stream.send("c", b"", 0x10)
        if wait:
            stream.clock += wait - STEP
    stream.data(200)
    if not ids:
        stream.packets = [(time, packet[:18] + b"\0\0" + packet[20:]) for time, packet in stream.packets]
    return stream


def check_outage(path):
    """What the robot sent again explains no data only from the half of that time on, if the rest is no silence; a client is
    said to be gone only if it answered none of two."""
    gone, lost = True, False  # held up either way
    for gap, resends, options, is_gone in (
            (3, (), {}, None), (3, (0.3,), {}, None), (3, (1.45,), {}, None), (3, (1.55,), {}, lost),
            (3, (0.2, 0.6, 1.4, 2.9), {}, gone), (3, (0.2, 0.6, 1.45), {}, None), (3, (0.2, 0.6, 1.55), {}, gone),
            (3, (0.2, 0.6, 1.4, 2.9), {"answers": (0.3, 0.7, 1.45)}, lost),
            (3, (0.2, 1.6, 2.9), {"answers": (2.8,)}, gone), (3, (0.2, 1.4, 2.9), {"answers": (2.8,)}, lost),
            (3, (0.2, 0.6, 1.4, 2.9), {"mute": False}, lost), (3, (0.2, 0.6, 1.4, 2.9), {"ids": False}, lost),
            (6, (0.5, 3.9), {}, None), (6, (0.5, 4.1), {}, gone),
            (3, (), {"before": (0.004, 0.006)}, None), (3, (), {"after": (0.004, 0.006)}, None)):
        report = found(path, outage(gap, resends, **options))
        silence, skip = said(report, "silence")[0], said(report, "clock.skipped")[0]
        case = (gap, resends, options, silence, skip, report["incidents"])
        is_held_up, reason = is_gone is not None, "acks-lost" if "answers" in options and not is_gone else "held-up"
        assert silence["reason"] == (reason if is_held_up else "not-sent") and abs(silence["duration_s"] - gap) < 0.01, case
        assert ("mute_packet" in silence) == (is_gone is True), case
        assert (skip.get("reason") == "held-up") == is_held_up, case
        side = {"acks-lost": "network"}.get(silence["reason"], "unclear" if resends else "robot")
        assert [(one["what"], one["side"]) for one in report["incidents"]] == [("silence", side)], case
        assert {"silence", "clock.skipped"} <= {report["findings"][i]["id"] for i in report["incidents"][0]["evidence"]}, case
    # Without a silence, from the time on after which TCP sends again what is not acknowledged.
    for gap, resends, ids, reason, side in (
            (1, (0.2, 0.6), True, "held-up", "unclear"), (1, (0.2, 0.4), True, None, "unclear"), (0.208, (0.12,), True, "held-up", "unclear"),
            (0.192, (0.12,), True, None, "robot"), (1, (0.2, 0.95), False, None, "robot"), (1, (), True, None, "robot")):
        report = found(path, outage(gap, resends, ids=ids))
        skip = said(report, "clock.skipped")[0]
        case = (gap, resends, skip, report["incidents"])
        assert skip.get("reason") == reason, case
        assert [one["side"] for one in told_of(report, "clock.skipped")] == [side], case


def check_keep_alives(path):
    """Keep-alives that are answered show a program that hangs, or, by the numbers of the answers, bytes that were sent and
    lost; without an answer a silence and the reset that follows are one incident."""
    for ahead, answers, ends, side, reason in (
            (0, True, 0x11, "robot", "program-silent"), (1, True, 0x11, "network", "not-captured"), (40000, True, 0x11, "network", "not-captured"),
            (-LENGTH, True, 0x11, "robot", "program-silent"), (0, False, 0x14, "unclear", "robot-gone")):
        stream = Legacy()
        stream.data(200)
        for _ in range(4):
            stream.time += 2
            stream.sequence["c"] -= 1
            stream.acknowledge()
            stream.sequence["c"] += 1
            if answers:
                stream.time += 0.0003
                acknowledged, stream.sequence["r"] = stream.sequence["r"], stream.sequence["r"] + ahead
                stream.send("r", b"", 0x10)
                stream.sequence["r"] = acknowledged
        stream.time += 2
        stream.send("c", b"", ends)
        report = found(path, stream)
        assert [(one["what"], one["side"]) for one in report["incidents"]] == [("silence", side)], (ahead, answers, report["incidents"])
        silence = said(report, "silence")[0]
        assert (silence["reason"], silence.get("bytes")) == (reason, ahead if reason == "not-captured" else None), (ahead, silence)
        assert (ends == 0x14) == bool(said(report, "tcp.reset")), (ahead, report["findings"])


def check_acknowledged(path):
    """Of what the robot sent again, that which the client had acknowledged is told from the rest, which the network lost."""
    for lacked, had, reason, acknowledged in ((2, 0, None, None), (2, 1, None, 1), (1, 3, None, 3), (0, 3, "acks-lost", None)):
        stream = Legacy()
        stream.data(200)
        content = stream.packet()
        stream.time = begin = stream.clock - 100
        stream.send("r", content)
        for i in range(lacked + had):
            if i == lacked:
                stream.acknowledge()
            stream.time = begin + 0.25 * 2 ** i
            stream.sequence["r"] -= LENGTH
            for _ in range(4 if i < lacked else 0):
                stream.acknowledge()  # of what came before
            stream.send("r", content)
            for _ in range(2 if i >= lacked else 0):
                stream.acknowledge()
        late = stream.time - begin
        stream.data(200, late=late)
        report = found(path, stream)
        told = [(one["times"], one.get("reason"), one.get("acknowledged")) for one in said(report, "network.stalled")]
        assert told == [(lacked + had, reason, acknowledged)], (lacked, had, report["findings"])
        assert [one["side"] for one in report["incidents"]] == ["network"], (lacked, had, report["incidents"])


def check_gone(path):
    """What is sent again is counted from the client's last packet on, also while records still come."""
    for answers, reason, many in (((), "held-up", 4), ((1.5,), "unknown", None)):
        stream = rtde(125, 125)
        begin, first = stream.time, stream.sequence["r"]
        package = b"\0\x3cU\1" + struct.pack(">7d", 200, *[0.25] * 6)
        times = [(0.01 + i * STEP, "data") for i in range(80)] + [(0.2, "r"), (0.6, "r"), (1.4, "r"), (3.0, "r")]
        for time, what in sorted(times + [(one, "c") for one in answers]) + [(4.0, "end")]:
            stream.time = begin + time
            after = stream.sequence["r"]
            if what == "data":
                stream.send("r", package[:4] + struct.pack(">d", 200 + time) + package[12:])
            elif what == "r":
                stream.sequence["r"] = first
                stream.send("r", package[:4] + struct.pack(">d", 200.01) + package[12:])
                stream.sequence["r"] = after
            elif what == "c":
                stream.send("c", b"", 0x10)
            else:
                stream.send("r", b"", 0x14)
        report = found(path, stream)
        told = [(one.get("reason"), one.get("times")) for one in said(report, "silence")]
        assert told == [(reason, many)], (answers, told, said(report, "silence"))


def check_delay(path):
    """Packages skipped up to three seconds after data that was held up, and no longer than that, are its effect, if what
    came in between was still late."""
    for later, packages, late, cause in (
            (2.8, 10, 0.055, "silence"), (3.1, 10, 0.055, None), (0.9, 1400, 0.055, "silence"), (0.9, 1600, 0.055, None),
            (0.9, 10, 0.045, None), (2.9, 10, 0, None)):
        stream = Legacy()
        stream.data(200)
        held = [stream.packet() for _ in range(375)]
        stream.time = stream.clock - 100
        for content in held:
            stream.time -= 0.00099
            stream.send("r", content)
        stream.data(round(later / STEP), late=late)
        stream.clock += packages * STEP
        stream.data(200, late=late + (10 - packages) * STEP)  # within 0.1 s of the capture
        report = found(path, stream)
        kinds = [[report["findings"][i]["id"] for i in one["evidence"]] for one in report["incidents"]]
        together = any("silence" in evidence and "clock.skipped" in evidence for evidence in kinds)
        assert together == (cause is not None), (later, packages, late, report["incidents"])
        side = [one["side"] for one in told_of(report, "clock.skipped")]
        assert side == ([] if together else ["unclear" if late > 0.05 else "robot"]), (later, packages, late, report["incidents"])


def check_waiting(path):
    """The controller is blamed for packages that it skipped only if its data came in time, one package in a packet: in the
    last minute it never came 0.05 s earlier, and at most one of the last 16 packages shared a packet with the one before."""
    for late, since, joint, side in (
            (0, 0, 0, "robot"), (0.045, 1, 0, "robot"), (0.055, 1, 0, "unclear"), (0.055, 55, 0, "unclear"), (0.055, 125, 0, "robot"),
            (0, 0, 1, "robot"), (0, 0, 2, "unclear"), (1.9, 10, 0, "unclear")):
        stream = Legacy()
        stream.data(200)
        stream.data(round(since / STEP), late=late)
        for _ in range(joint):
            pair = stream.packet() + stream.packet()
            stream.time = stream.clock - 100 + late
            stream.send("r", pair)
        stream.data(3, late=late)
        stream.clock += 20 * STEP
        stream.data(200, late=late)
        report = found(path, stream)
        assert [(one["what"], one["side"]) for one in report["incidents"]] == [("clock.skipped", side)], (late, since, joint, report["incidents"])
        assert said(report, "clock.skipped")[0].get("reason") == ("waited" if side == "unclear" else None), (late, since, joint)


def check_tool(path):
    """A tool that the robot reports 10 mm or 0.05 rad from where the poses have it is another one; while it changes, or
    where the arm hardly moves, nothing is said."""
    tool = (0.01, -0.02, 0.12, 0.3, -0.2, 0.1)
    names = ("actual_q", "actual_TCP_pose", "tcp_offset")

    def stream(reported, speed=1.0):
        def values(time):
            joints = joints_at(speed * time)
            return [*joints, *pose_of(UR5, joints, tool), *reported(time)]
        return rtde(125, 125, seconds=8.0, names=names, values=values)

    def beside(place, angle, since=0.0):
        """Along y, and turned: a rotation vector that is longer by the angle turns by it about the same axis."""
        scale = 1 + angle / sum(one * one for one in tool[3:]) ** 0.5
        other = (tool[0], tool[1] + place, tool[2], *(one * scale for one in tool[3:]))
        return lambda time: other if time >= since else tool

    for reported, speed, apart in (
            (beside(0.0098, 0.048), 1, None), (beside(0.0102, 0), 1, (10.2, 0)),
            (beside(0, 0.052), 1, (0, 0.052)), (beside(0.2, 0.5, since=4.0), 1, None),
            (beside(0.2, 0.5), 0.01, None), (lambda _: [float("nan")] * 6, 1, None)):
        write(path, stream(reported, speed))
        findings = said(json.loads(diagnose(path, "--json", status=0)), "model.mismatch")
        assert len(findings) == (apart is not None), (apart, findings)
        assert all(abs(one["distance_mm"] - apart[0]) < 0.06 and abs(one["angle_rad"] - apart[1]) < 0.0006
                   for one in findings), (apart, findings)


def check_names(path):
    """A suggested command has the capture's whole name, or FILE instead, but never a part of it."""
    stream = Legacy()
    stream.cell = 0.25  # no mode
    stream.data(20)
    for length, whole in ((1200, True), (1340, True), (1450, False), (2500, False)):
        folder = os.path.dirname(path)
        while len(folder) < length - 220:
            folder = os.path.join(folder, "f" * 200)
        os.makedirs(folder, exist_ok=True)
        name = os.path.join(folder, "n" * (length - len(folder) - 6) + ".pcap")
        assert len(name) == length
        write(name, stream)
        shown = diagnose(name)
        commands = [line.strip() for line in shown.splitlines() if line.strip().startswith("armtap ")]
        assert commands, shown[-2500:]
        for command in commands:
            words = shlex.split(command)
            assert (name in words) == whole and ("FILE" in words) != whole, (length, command)


def check_waits(path):
    """Data that was waited for is told though nothing is wrong: for longer than 0.1 s and 1.5 round trips, which take some ms
    here, and than ten steps."""
    for seconds, rate, told in ((0.099, 125, False), (0.106, 125, True), (1.5, 125, True), (0.99, 10, False), (1.01, 10, True)):
        stream = rtde(rate, rate)
        later = seconds - 1 / rate
        stream.packets = [(time + (later if time > 2 else 0), packet) for time, packet in stream.packets]
        write(path, stream)
        words = " ".join(diagnose(path, status=0).split())
        assert f"Stream 0 had no data for up to {seconds:.3f} s (until packet" in words or not told, words
        assert ("had no data for up to" in words) == told, words
        row = json.loads(diagnose(path, "--json", status=0))["streams"][0]
        assert (row["stood_still_s"] is not None) == (row["stood_still_packet"] is not None) == told, row
    for trip, told in ((0.3, False), (0.05, True)):
        stream = rtde(125, 125)
        stream.packets = [(time + (0.3 if time > 2.5 else 0), packet) for time, packet in far(stream, trip)]
        write(path, stream)
        words = " ".join(diagnose(path, status=0).split())
        assert ("had no data for up to" in words) == told, (trip, words)


def far(stream, trip):
    """The same from a robot that is so many s away, there and back: what it answers comes so much later."""
    packets, late, was_client = [], 0.0, False
    for time, packet in stream.packets:
        is_client = packet[34:36] == struct.pack(">H", 50000)
        late += trip * (was_client and not is_client)
        was_client = is_client
        packets.append((time + late, packet))
    return packets


def check_stops(path):
    """Data that stopped 0.5 s and three packages before its end is named, by whichever side and protocol; a round trip
    counts twice. What a client paused is its end; a reset of the client may not be."""
    for seconds, rate, trip, told in ((0.48, 125, 0, False), (0.53, 125, 0, True), (1.9, 125, 0, True), (0.45, 10, 0, False),
                                      (0.6, 10, 0, True), (0.7, 4, 0, False), (0.8, 4, 0, True), (0.9, 125, 0.3, False),
                                      (1.3, 125, 0.3, True)):
        for how in "close", "goes on", "legacy":
            if how == "legacy" and trip:
                continue
            stream, beside = rtde(rate, rate) if how != "legacy" else Legacy(), []
            if how == "legacy":
                rate, seconds = 125, max(seconds, 0.53) if told else min(seconds, 0.48)
                for _ in range(200):
                    stream.data(1)
            stream.packets = far(stream, trip)
            last = max(time for time, _ in stream.packets)
            stream.time = last + seconds
            if how == "goes on":
                other = Legacy(client_port=50001, robot=b"\x0a\0\0\3")
                other.data(round(stream.time * 125))
                beside = [other]
                stream.packets = [one for one in stream.packets if one[0] <= last]
            else:
                stream.send("c", b"", 0x11)
            write(path, stream, *beside)
            words = " ".join(diagnose(path, status=0).split())
            case = (seconds, rate, trip, how, words)
            assert ("the data of stream 0, from 10.0.0.2:" in words and "before " in words) == told, case
            assert ("it goes on" if beside else "Nothing is wrong") in words or told, case
            row = json.loads(diagnose(path, "--json", status=0))["streams"][0]
            assert (row["stopped_s"] is not None) == (row["stopped_packet"] is not None) == told, row
            assert not told or abs(row["stopped_s"] - seconds) < 0.06, (seconds, row)
    for requests, flags, well in (((), 0x11, True), ((), 0x14, False), (("P",), 0x14, True), (("P",), 0, True)):
        stream = rtde(125, 125)
        for request in requests:
            stream.ask(request)
            stream.reply(request, b"\1")
        if flags:
            stream.send("c", b"", flags)
        write(path, stream)
        words = " ".join(diagnose(path, status=0).split())
        assert ("Nothing is wrong" in words) == well, (requests, flags, words)
        assert well or "reset its connection" in words, words


def check_modes_left_out(path):
    """A field of a stream has its first 10000 modes in --json, and how many more there were; merged ones are added up."""
    for records in (9999, 10000, 10001, 10005):
        capture = Capture()
        client = Client(capture, 0.0, [("robot_mode", "INT32"), ("safety_mode", "INT32")])
        for i in range(records):
            client.package(1 + i * STEP, 7 - i % 2 * 2, 1)
            client.capture.segment(1 + i * STEP, client.client, client.robot, b"", 0x10)
        capture.write(path)
        report = json.loads(diagnose(path, "--json", status=0))
        modes = [one["value"] for one in report["modes"] if one["field"] == "robot_mode"]
        assert modes == [7 - i % 2 * 2 for i in range(min(records, 10000))], len(modes)
        assert report["modes_left_out"] == max(0, records - 10000), report["modes_left_out"]
        words = diagnose(path, "--tables", status=0)
        assert ("%d mode change" % (records - 10000) in words) == (records > 10000), words[-600:]
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(report, file)
    done = subprocess.run([ARMTAP, "merge", path + ".json", path + ".json"], capture_output=True, check=True)
    merged = json.loads(done.stdout)
    assert merged["modes_left_out"] == 10 and len(merged["modes"]) == 2 * len(report["modes"]), merged["modes_left_out"]
    folder = path + ".sidecars"
    subprocess.run([ARMTAP, "index", path, "-o", folder], check=True)
    done = subprocess.run([ARMTAP, "diagnose", "--json", "--after", folder, path], capture_output=True, check=True)
    with open(path + ".json", "wb") as file:
        file.write(done.stdout)
    merged = json.loads(subprocess.run([ARMTAP, "merge", path + ".json"], capture_output=True, check=True).stdout)
    assert merged["modes_left_out"] == 5 and merged["modes"] == report["modes"], merged["modes_left_out"]


def check_unclocked(path):
    """Without the controller's clock nobody knows what it skipped; with it in some of the data, something is known."""
    for clocked in (0, 5):
        stream = rtde(125, 125)
        packets, stream.packets = stream.packets, []
        for i, (time, packet) in enumerate(packets):
            if len(packet) == 54 + 4 + 8 + 48 and i < len(packets) - 1 - clocked:
                packet = packet[:58] + struct.pack(">d", float("nan")) + packet[66:]
            stream.packets.append((time, packet))
        found_here = found(path, stream, status=0)
        assert [one["skipped"] for one in found_here["streams"]] == [0 if clocked else None], found_here
        words = " ".join(diagnose(path, status=0).split())
        assert ("skipped packages cannot be detected" in words) == (clocked == 0), words
        assert not found_here["incidents"], found_here


def main():
    failed = 0
    checks = (check_network, check_sentences, check_holes, check_stalls, check_order, check_clock, check_requests, check_low,
              check_bursts, check_tool, check_blame, check_narrow, check_full, check_outage, check_keep_alives, check_acknowledged, check_gone, check_delay, check_waiting,
              check_names, check_waits, check_stops, check_unclocked, check_modes_left_out)
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(os.path.join(folder, "made.pcap"))
            except AssertionError as difference:
                print(f"FAIL {check.__name__}: {str(difference)[:3000]}")
                failed += 1
    print(f"{len(checks) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
