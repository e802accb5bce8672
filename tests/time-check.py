#!/usr/bin/env python3
"""When a record could be read: `time`, `read_packet`, `packet` and `arrived_ns` of every row against a receiver in
Python. Captures made here with struct: packets lost on the way and sent again, swapped, doubled and cut anew; clocks of
several queues; a clock that is set back. `time` never goes back, and --from and --to cut one piece out of the rows.
Gaps between rows, with and without the controller's clock: `gap_s` and `gap_cause` of pauses, reconnections, silences,
packages skipped or not captured, by robot and port, on both sides of two missing cycles; the greater part of what is
missing is the cause, also beside snapshot lengths, late records, clocks that are set, and pauses that were not captured.
Times of day in a capture of several days.
tests/time-check.py [SEED [ROUNDS]]."""
import csv
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import robot_capture

ARMTAP = os.environ.get("ARMTAP", "./armtap")
START = 1769860800 * 10**9
ROBOT, CLIENT = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 9])
SECOND, MILLISECOND = 10**9, 10**6
COLUMNS = ["time_ns", "read_packet", "packet", "arrived_ns", "timestamp"]


def packet(from_robot, port, sequence, acknowledged, flags, payload, number):
    ports = (port, 40000) if from_robot else (40000, port)
    source, to = (ROBOT, CLIENT) if from_robot else (CLIENT, ROBOT)
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence % 2**32, acknowledged % 2**32, 5 << 4, flags, 65535, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), number & 0xFFFF, 0, 64, 6, 0, source, to)
    return bytes(12) + b"\x08\0" + ip + tcp + payload


def rtde(kind, payload):
    return struct.pack(">HB", 3 + len(payload), ord(kind)) + payload


class Capture:
    def __init__(self):
        self.packets = []  # time, bytes

    def add(self, time, *what):
        self.packets.append((time, packet(*what, len(self.packets) + 1)))
        return len(self.packets)

    def write(self, path, cut=None):
        """`cut`: packets of that length lose their last 44 bytes."""
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            for time, data in self.packets:
                kept = len(data) - 44 * (len(data) == cut)
                file.write(struct.pack("<4I", time // SECOND, time % SECOND, kept, len(data)) + data[:kept])


def handshake(capture, port, time):
    """RTDE's, up to START; returns how many bytes each end has sent. Nothing for a legacy stream."""
    sent = {False: 0, True: 0}
    capture.add(time, False, port, 999, 0, 2, b"")
    capture.add(time, True, port, 999, 1000, 18, b"")
    for who, kind, payload in [(False, "V", b"\0\2"), (True, "V", b"\1"), (False, "O", struct.pack(">d", 500) + b"timestamp"),
                               (True, "O", b"\1DOUBLE"), (False, "S", b""), (True, "S", b"\1")] if port == 30004 else []:
        message = rtde(kind, payload)
        capture.add(time, who, port, 1000 + sent[who], 1000 + sent[not who], 24, message)
        sent[who] += len(message)
    return sent


def on_the_way(draw, segments, lost, resend):
    """Segments as they pass the tap, in order of time: lost ones come again later, perhaps cut anew, some twice."""
    passed = []
    for time, begin, data in segments:
        if draw.random() < lost:
            back, offset = time + draw.randint(1, resend), 0
            while offset < len(data):
                size = draw.choice([len(data), draw.randint(1, len(data))])
                passed.append((back, begin + offset, data[offset:offset + size]))
                offset += size
            continue
        passed.append((time + draw.choice([0, 0, 0, draw.randint(0, 5 * MILLISECOND)]), begin, data))
        if draw.random() < 0.03:
            passed.append((time + draw.randint(0, 20 * MILLISECOND), begin, data))
    return sorted(passed, key=lambda one: one[0])


def make(draw, path):
    """A capture, and of each of its records the row that is expected."""
    capture, port = Capture(), draw.choice([30004, 30003])
    sent = handshake(capture, port, START)
    first, step = sent[True], draw.choice([2, 8, 40]) * MILLISECOND
    content, ends, clocks = b"", [], []
    for i in range(draw.randint(20, 400)):
        clocks.append(100 + i * step / SECOND)
        content += rtde("U", b"\1" + struct.pack(">d", clocks[-1])) if port == 30004 else \
            struct.pack(">id", 1220, clocks[-1]) + bytes(1208)
        ends.append((len(content), START + (i + 1) * step))
    segments, at = [], 0
    for i, (end, time) in enumerate(ends):  # the robot's writes: one or several records, cut anywhere
        while at < end and (i + 1 == len(ends) or draw.random() < 0.9):
            size = draw.choice([end - at, draw.randint(1, end - at)])
            segments.append((time, at, content[at:at + size]))
            at += size
    place, arrived, heard = {}, 0, {}
    jitter, set_back = draw.choice([0, 0, 20000]), draw.choice([None, None, draw.random()])
    passed = on_the_way(draw, segments, draw.choice([0, 0.02, 0.2]), draw.choice([3, 30, 400]) * MILLISECOND)
    shift = 0
    for k, (time, begin, data) in enumerate(passed):
        if set_back is not None and k == int(set_back * len(passed)):
            shift = -3600 * SECOND
        stamp = time + shift + draw.randint(0, jitter)
        number = capture.add(stamp, True, port, 1000 + first + begin, 1000 + sent[False], 24, data)
        for byte in range(begin, begin + len(data)):
            place.setdefault(byte, (number, stamp))
        heard[begin] = max(heard.get(begin, 0), begin + len(data))
        while any(b <= arrived < e for b, e in heard.items()):
            arrived = max(e for b, e in heard.items() if b <= arrived)
        capture.add(stamp, False, port, 1000 + sent[False], 1000 + first + arrived, 16, b"")
    capture.write(path)
    rows, read, time, byte, sampled = [], 0, None, 0, []
    for (end, when), clock in zip(ends, clocks):
        while byte < end:
            number, stamp = place[byte]
            if number > read:
                read, last = number, stamp
            byte += 1
        time = last if time is None or last > time or time - last > SECOND else time
        rows.append((time, read, *place[end - 1], clock))
        sampled.append(when)
    return rows, set_back is not None, sampled


def export(*arguments, stdin=None):
    run = subprocess.run([ARMTAP, "export", *arguments], capture_output=True, text=True, check=False, stdin=stdin)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{arguments}: {run.stderr}")
    return run.stdout


def rows_of(path, *arguments):
    name = ",".join(COLUMNS)
    found = list(csv.reader(io.StringIO(export("--fields", name, *arguments, path))))[1:]
    # the first column is time in seconds
    return [(int(r[-5]), int(r[-4]), int(r[-3]), int(r[-2]), float(r[-1])) for r in found]


CAUSES = ["skipped", "lost", "paused", "silent", "reconnected", "capture"]


def set_up(capture, client, time, sent, name, rate, types=b"\1DOUBLE"):
    """RTDE's handshake from a client's port; sequence numbers in `sent`."""
    def say(who, payload, flags=24):
        ports = (30004, client)
        header = struct.pack(">HHIIBBHHH", *(ports if who else ports[::-1]), 1000 + sent[who] - (flags == 2 or flags == 18),
                             1000 + sent[not who], 5 << 4, flags, 65535, 0, 0)
        source, to = (ROBOT, CLIENT) if who else (CLIENT, ROBOT)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0, 64, 6, 0, source, to)
        capture.packets.append((time, bytes(12) + b"\x08\0" + ip + header + payload))
        sent[who] += len(payload)
    say(False, b"", 2)
    say(True, b"", 18)
    for who, kind, payload in [(False, "V", b"\0\2"), (True, "V", b"\1"),
                               (False, "O", struct.pack(">d", rate) + name), (True, "O", types),
                               (False, "S", b""), (True, "S", b"\1")]:
        say(who, rtde(kind, payload))
    return say


def make_gaps(draw, path):
    """A port of a robot with two clients side by side, one of which comes and goes. Of each row gap_s and gap_cause."""
    capture, rate = Capture(), draw.choice([25, 125, 500])
    step = SECOND // rate
    has_clock, rows = draw.random() < 0.5, []
    name = b"timestamp" if has_clock else b"speed_scaling"
    now, clock, client = START + SECOND, 100.0, 40000
    sent = {False: 0, True: 0}
    say = set_up(capture, client, now, sent, name, rate)
    before = what = None
    for _ in range(draw.randint(100, 400)):
        is_behind = what == "lost"  # a hole: the record after it shows where the one behind it begins
        what = draw.choice(CAUSES) if before and not is_behind and draw.random() < 0.05 else None
        missing = {"skipped": draw.randint(1, 4), "lost": draw.randint(1, 4), "capture": draw.randint(1, 4), "silent": draw.randint(2, 5) * rate,
                   "paused": draw.randint(1, 3 * rate), "reconnected": draw.randint(1, 3 * rate)}.get(what, 0)
        if what == "silent":
            missing = draw.choice([missing, int(1.9 * rate)])
        if what == "paused":
            for who, kind, payload in [(False, "P", b""), (True, "P", b"\1"), (False, "S", b""), (True, "S", b"\1")]:
                say_at(capture, say, now + step // 4, who, rtde(kind, payload))
        if what == "lost":
            sent[True] += 12 * missing
        for i in range(missing if what == "capture" else 0):  # of a recipe that nobody knows
            say_at(capture, say, now + (i + 1) * step, True, rtde("U", b"\x09" + bytes(8)))
        if what == "reconnected":
            client += 1
            sent = {False: 0, True: 0}
            say = set_up(capture, client, now + (missing + 1) * step - step // 2, sent, name, rate)
        now += (missing + 1) * step
        clock += (missing + 1) / rate
        say_at(capture, say, now, True, rtde("U", b"\1" + struct.pack(">d", clock if has_clock else 1.0)))
        say_at(capture, say, now + 1000, False, b"")
        cause = what
        if what == "silent" and missing * step <= 2 * SECOND - step:
            cause = "skipped"
        if missing < 2 or (cause == "skipped" and not has_clock):
            cause = None
        rows.append(((now - before) / SECOND if cause else None, cause))
        before = now
    capture.packets.sort(key=lambda one: one[0])
    capture.write(path)
    return rows


def say_at(capture, say, time, who, payload):
    say(who, payload)
    capture.packets[-1] = (time, capture.packets[-1][1])


UNSETTLED = 64  # records until the usual step is known, where they are read once
KINDS = ["lost", "skipped", "both", "unseen pause", "pause", "held", "capture set", "robot set back", "silent"]


def make_kinds(draw, path):
    """A connection that loses, skips, waits and pauses, with late records and clocks that are set, its records cut by the
    snapshot length or not, sent as asked or slower. Of each row gap_s, gap_cause, lost_s and skipped; and how often what
    came."""
    asked, capture, truth, seen = draw.choice([25, 125, 500]), Capture(), [], {}
    rate = draw.choice([asked, 25, 125]) if asked == 500 else asked
    step, has_clock, is_cut = SECOND // rate, draw.random() < 0.5, draw.random() < 0.3
    sent = {False: 0, True: 0}
    say = set_up(capture, 40000, START + SECOND, sent, (b"timestamp" if has_clock else b"speed_scaling") + b",actual_q", asked,
                 b"\1DOUBLE,VECTOR6D")
    now, clock, before, shift, held, hole_at = START + 2 * SECOND, 5000.0, None, 0, 0, 0
    count = draw.randint(120, 300)
    for i in range(count):
        what = draw.choice(KINDS) if i > 70 and held == 0 and draw.random() < 0.2 else None
        if i + 1 == count and held == 0:
            what = draw.choice([what, "lost", "both"])  # one record behind the last hole
        n, more = draw.choice([1, 1, 2, 2, 3, 5]), draw.choice([0, 1, 2, 4, 10])
        if (what == "robot set back" or is_cut) and i - hole_at < 5:  # where a record begins behind a hole, those after it show
            what = None
        lost = n if what in ("lost", "both") else 0
        # what came due beside it, and whether bytes of other messages are missing with the records
        rest = {"skipped": n, "capture set": draw.choice([0, n]), "both": more, "silent": int(draw.choice([1.5, 2.5]) * rate)}.get(what, 0)
        if what in ("pause", "unseen pause"):
            rest, lost = draw.choice([1, 2, 3, rate, 3 * rate]), draw.choice([0, 0, 1, 3])
        hole_at = i if lost or what == "unseen pause" else hole_at
        sent[True] += 60 * lost
        if what == "unseen pause":
            sent[True] += 8
        if what == "pause":
            for who, kind, payload in [(False, "P", b""), (True, "P", b"\1"), (False, "S", b""), (True, "S", b"\1")]:
                say_at(capture, say, before + (lost + rest + 1) * step // 3, who, rtde(kind, payload))
        now, clock = now + (lost + rest + 1) * step, clock + (lost + rest + 1) / rate
        if what == "capture set":
            shift += 5 * SECOND
        if what == "robot set back" and has_clock:
            clock -= 50
        if what == "held":
            held = draw.choice([n, 3 * rate])
            released = now + held * step
        due = now if held == 0 else released
        held = max(held - 1, 0)
        time = max(due + shift + (0 if what == "pause" else draw.randint(-step // 3, step // 3)), (before or 0) + 2000)
        say_at(capture, say, time, True, rtde("U", b"\1" + struct.pack(">7d", clock if has_clock else 1.0, *[0.1 * i] * 6)))
        say_at(capture, say, time + 1000, False, b"")
        seconds, exact = time - (before or time), what != "unseen pause" and what != "pause"
        told = has_clock and what != "robot set back"
        due = lost + rest if told else max(lost, (seconds + step // 2) // step - 1 if what == "pause" or seconds > 2 * SECOND else 0)
        causes = {"lost": min(lost, due), "paused": due - lost if what == "pause" else 0}
        is_long = seconds > 2 * SECOND and not (told and rest * step + step <= 2 * SECOND)
        causes["silent" if is_long else "skipped"] = due - lost if what != "pause" else 0
        cause = max(causes, key=causes.get) if due >= 2 else None
        if before:
            has_hole = lost > 0 or what == "unseen pause"
            truth.append((seconds / SECOND if cause else None, cause, round(lost * step / SECOND, 6) if has_hole or is_cut else None,
                          rest if told and rest and exact else None))
            seen[what, cause] = seen.get((what, cause), 0) + 1
        else:
            truth.append((None, None, 0.0 if is_cut else None, None))
        before = time
    if draw.random() < 0.5:
        for who in (False, True):
            say(who, b"", 17)
            capture.packets[-1] = (before + 2000 + who, capture.packets[-1][1])
            sent[who] += 1
    capture.packets.sort(key=lambda one: one[0])
    capture.write(path, 54 + 60 if is_cut else None)
    return truth, seen


def check_kinds(seed, rounds, folder):
    path, found = os.path.join(folder, "k.pcap"), {}
    for i in range(rounds):
        expected, seen = make_kinds(random.Random(f"kinds {seed} {i}"), path)
        for more in ([path], ["-"]):
            with open(path, "rb") as file:
                text = export("--fields", "gap_s,gap_cause,lost_s,skipped,lost_bytes", *more, stdin=file)
            rows = list(csv.reader(io.StringIO(text)))[1:]
            rows = [(float(r[-5]) if r[-5] else None, r[-4] or None, float(r[-3]) if r[-3] else None,
                     int(r[-2]) if r[-2] else None) for r in rows]
            if len(rows) == len(expected) and more == ["-"]:
                rows[:UNSETTLED] = expected[:UNSETTLED]
            if rows != expected:
                bad = next((k for k, (a, b) in enumerate(zip(rows, expected)) if a != b), min(len(rows), len(expected)))
                raise SystemExit(f"seed {seed}, kinds {i}, {more}: row {bad} of {len(expected)} ({len(rows)} found): found "
                                 f"{rows[bad:bad + 1]}, expected {expected[bad:bad + 1]}")
        for one, count in seen.items():
            found[one] = found.get(one, 0) + count
    return found


def check_gaps(seed, rounds, folder):
    path, found = os.path.join(folder, "g.pcap"), {}
    for i in range(rounds):
        expected = make_gaps(random.Random(f"gaps {seed} {i}"), path)
        rows = list(csv.reader(io.StringIO(export("--union", "--fields", "time_ns,gap_s,gap_cause", path))))[1:]
        rows.sort(key=lambda row: int(row[-3]))  # what waits for lost bytes comes behind the next connection
        rows = [(float(r[-2]) if r[-2] else None, r[-1] or None) for r in rows]
        if rows != expected:
            bad = next((k for k, (a, b) in enumerate(zip(rows, expected)) if a != b), min(len(rows), len(expected)))
            raise SystemExit(f"seed {seed}, gaps {i}: row {bad} of {len(expected)} ({len(rows)} found): found "
                             f"{rows[bad:bad + 1]}, expected {expected[bad:bad + 1]}")
        for _, cause in rows:
            found[cause] = found.get(cause, 0) + 1
    if any(cause not in found for cause in CAUSES):
        raise SystemExit(f"seed {seed}: no gap of some kind: {found}")
    return rounds, sum(count for cause, count in found.items() if cause)


def check_jitter(path, expected):
    """diagnose's jitter is of `time`, when records could be read, not of their arrival: of half, nearly all and all pairs."""
    pairs = sorted(abs((b[0] - a[0]) / 1e6 - (b[4] - a[4]) * 1e3) for a, b in zip(expected, expected[1:]))
    report = subprocess.run([ARMTAP, "diagnose", "--json", path], capture_output=True, check=False).stdout
    stream = json.loads(report)["streams"][0]
    for key, at in (("jitter_p50_ms", len(pairs) * 0.5), ("jitter_p99_ms", len(pairs) * 0.99), ("jitter_max_ms", len(pairs))):
        near = pairs[max(0, int(at) - 2):int(at) + 2]
        if not near[0] * 0.983 - 1e-5 <= stream[key] <= near[-1] * 1.017 + 1e-5:
            raise SystemExit(f"{key}: found {stream[key]}, expected {near}")


def make_clocks(draw, path):
    """One of the two clocks is set, or the client's packets have a clock of their own. Of each row time and robot_time."""
    capture, step = Capture(), draw.choice([2, 8, 40]) * MILLISECOND
    count, kind = draw.randint(6, 20) * SECOND // step, draw.choice(["began anew", "set", "apart"])
    turn, by = draw.randrange(count // 4, 3 * count // 4), draw.choice([-7, -0.4, 0.4, 5, 3600])
    sent, rows = {False: 0, True: 0}, []
    say = set_up(capture, 40000, START, sent, b"timestamp", SECOND // step)
    for i in range(count):
        clock = (i - turn) * step / SECOND + 5 if kind == "began anew" and i >= turn else 100 + i * step / SECOND
        time = START + SECOND + i * step + (int(by * SECOND) if kind == "set" and i >= turn else 0)
        say_at(capture, say, time, True, rtde("U", b"\1" + struct.pack(">d", clock)))
        say_at(capture, say, time + 1000 + (int(by * SECOND) if kind == "apart" else 0), False, b"")
        rows.append(time)
    capture.write(path)
    return kind, rows


def check_clocks(seed, rounds, folder):
    path, told = os.path.join(folder, "k.pcap"), 0
    for i in range(rounds):
        draw = random.Random(f"clocks {seed} {i}")
        kind, times = make_clocks(draw, path)
        found = [r[1] for r in csv.reader(io.StringIO(export("--fields", "robot_time", path)))][1:]
        wrong = [one for one, time in zip(found, times) if one and abs(int(one.replace(".", "")) - time) > MILLISECOND]
        if len(found) != len(times) or wrong:
            raise SystemExit(f"seed {seed}, clocks {i}, {kind}: {len(found)} of {len(times)} rows, {len(wrong)} wrong")
        told += sum(one != "" for one in found)
        to = draw.choice(times)
        found = rows_of(path, "--to", f"{to // SECOND}.{to % SECOND:09d}") if kind == "apart" else []
        if kind == "apart" and [row[0] for row in found] != [time for time in times if time <= to]:
            raise SystemExit(f"seed {seed}, clocks {i}: --to: {len(found)} rows")
    return rounds, told


def check_days(folder):
    """Times of day in a capture of four days: --from takes the first such moment of the capture, --to the first after --from.
    A record each half hour, a second after it, from 2026-01-31T12:00:01 on."""
    path, half = os.path.join(folder, "days.pcap"), 1800
    capture = robot_capture.Capture()
    client = robot_capture.Client(capture, 0, [("timestamp", "DOUBLE")])
    for i in range(4 * 48):
        client.package(i * half + 1, float(i))
    capture.write(path)
    noon, day = robot_capture.BEGIN, 86400
    cases = [(("--from", "08:53:30"), noon + 20 * 3600 + 53 * 60 + 30, None),
             (("--from", "12:00:01"), noon + 1, None), (("--from", "11:59:59"), noon + day - 1, None),
             (("--to", "08:53:30"), None, noon + 20 * 3600 + 53 * 60 + 30),
             (("--from", "2026-02-02", "--to", "08:53:30"), noon + day + 12 * 3600, noon + day + 20 * 3600 + 53 * 60 + 30),
             (("--from", "2026-02-02T09:00", "--to", "08:53:30"), noon + day + 21 * 3600, noon + 2 * day + 20 * 3600 + 53 * 60 + 30),
             (("--from", "23:00", "--to", "01:00"), noon + 11 * 3600, noon + 13 * 3600),
             (("--from", "+30h", "--to", "20:00"), noon + 30 * 3600, noon + 32 * 3600)]
    for options, first, last in cases:
        rows = list(csv.reader(io.StringIO(export("--fields", "timestamp", *options, path))))
        found = [float(row[1]) for row in rows[1:]]
        wanted = [float(i) for i in range(4 * 48) if (first or 0) <= noon + i * half + 1 <= (last or 1e12)]
        if found != wanted:
            raise SystemExit(f"{options}: records {found[:1]} to {found[-1:]}, expected {wanted[:1]} to {wanted[-1:]}")
    return len(cases)


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 42
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    checks, late = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.pcap")
        for i in range(rounds):
            draw = random.Random(f"{seed} {i}")
            expected, set_back, sampled = make(draw, path)
            def expect(what, found, wanted):
                if found != wanted:
                    bad = next((k for k, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
                    raise SystemExit(f"seed {seed}, round {i}: {what}: row {bad} of {len(wanted)} ({len(found)} found):\n"
                                     f"found    {found[bad:bad + 1]}\nexpected {wanted[bad:bad + 1]}")
            expect("csv", rows_of(path), expected)
            times = [row[0] for row in expected]
            late += sum(row[1] > row[2] for row in expected)
            lines = [json.loads(line) for line in export("-f", "ndjson", path).splitlines()]
            expect("ndjson", [(line["time"], line["packet"]) for line in lines],
                   [(row[0] / SECOND, row[2]) for row in expected])
            turn = next((k for k in range(1, len(times)) if times[k] < times[k - 1]), 0)  # where the clock was set back
            low, high = sorted(draw.choices(draw.choice([times[turn:], times[:turn] or times]), k=2))
            limits = [f"{t // SECOND}.{t % SECOND:09d}" for t in (low, high)]
            expect("--from --to", rows_of(path, "--from", limits[0], "--to", limits[1]),
                   [row for row in expected if low <= row[0] <= high])
            if not set_back and times != sorted(times):
                raise SystemExit(f"seed {seed}, round {i}: a time goes back")
            found = [row[1] for row in csv.reader(io.StringIO(export("--fields", "robot_time", path)))][1:]
            wrong = [one for one, when in zip(found, sampled)
                     if one and abs(int(one.replace(".", "")) - when) > MILLISECOND]
            if not set_back:
                check_jitter(path, expected)
            if not set_back and (wrong or (len(sampled) >= 40 and "" in found)):
                raise SystemExit(f"seed {seed}, round {i}: robot_time: {len(wrong)} wrong, {found.count('')} empty")
            checks += 4 + (not set_back)
        more, gaps = check_gaps(seed, rounds // 2, folder)
        more += check_days(folder)
        others, told = check_clocks(seed, rounds // 2, folder)
        found = check_kinds(seed, rounds, folder)
    for kind in KINDS:
        print(f"records that were {kind}: " + ", ".join(f"{found[one]} {one[1] or 'no gap'}" for one in sorted(found, key=str) if one[0] == kind))
    print(f"{checks + more + others + 2 * rounds} passed, 0 failed, 0 skipped; {late} records waited for bytes before them, "
          f"{gaps} gaps, {told} times of robots whose clocks were set or began anew")


main()
