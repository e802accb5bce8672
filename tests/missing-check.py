#!/usr/bin/env python3
"""Missing data in exports of captures made here with struct, whose holes and skips are known: the columns lost_bytes,
lost_s, skipped, time_ns and packet of every row; the same in csv, ndjson and gnuplot, with one thread and several, from a
file and from standard input; and the text on standard error. tests/missing-check.py [SEED [ROUNDS]]."""
import csv
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

ARMTAP = os.environ.get("ARMTAP", "./armtap")
START = 1769860800 * 10**9 + 123456789
ROBOT, CLIENT = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 9])
UNSETTLED = 64  # records until the usual step is known, where they are read once
COLUMNS = ["time_ns", "packet", "lost_bytes", "lost_s", "skipped"]


class Capture:
    """Segments of connections in the order of time; lost ones only advance the sequence number."""

    def __init__(self):
        self.segments = []  # time, order, connection, sender, sequence, flags, payload
        self.placed = []  # (connection, sender, begin, end, packet, time) of what was captured

    def add(self, time, connection, sender, payload, flags=0x18, lost=False):
        sequence = connection.sequence[sender]
        connection.sequence[sender] += len(payload) + (flags >> 1 & 1)
        if not lost:
            self.segments.append((time, len(self.segments), connection, sender, sequence, flags, payload))

    def write(self, path, in_time=True):
        """Packets in the order of time, or as they were added."""
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            order = sorted(self.segments) if in_time else self.segments
            for number, (time, _, connection, sender, sequence, flags, payload) in enumerate(order, 1):
                ports = (connection.port, connection.client_port)
                source, to = (ROBOT, CLIENT) if sender == "r" else (CLIENT, ROBOT)
                tcp = struct.pack(">HHIIBBHHH", *(ports if sender == "r" else ports[::-1]), (1000 + sequence) % 2**32, 0,
                                  5 << 4, flags & ~0x10, 65535, 0, 0)
                ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), number % 65536, 0, 64, 6, 0, source, to)
                packet = bytes(12) + b"\x08\0" + ip + tcp + payload
                file.write(struct.pack("<4I", time // 10**9, time % 10**9, len(packet), len(packet)) + packet)
                self.placed.append((connection, sender, sequence, sequence + len(payload), number, time))


class Connection:
    def __init__(self, port, client_port):
        self.port, self.client_port = port, client_port
        self.sequence = {"r": 0, "c": 0}
        self.rows = []  # what is expected of each record that is whole: begin, end, lost_bytes, lost_s, skipped


def rtde(kind, payload=b""):
    return struct.pack(">HB", 3 + len(payload), ord(kind)) + payload


def handshake(capture, connection, time, names, types, frequency, version):
    for sender, message in [("c", None), ("r", None), ("c", rtde("V", struct.pack(">H", 2))), ("r", rtde("V", b"\1")),
                            ("c", rtde("v")), ("r", rtde("v", struct.pack(">4I", *version))),
                            ("c", rtde("O", struct.pack(">d", frequency) + names)), ("r", rtde("O", b"\1" + types)),
                            ("c", rtde("S")), ("r", rtde("S", b"\1"))]:
        flags = 0x18 if message else 0x02 if sender == "c" else 0x12
        capture.add(time, connection, sender, message or b"", flags)
        time += 100000
    return time


def stream(capture, connection, time, draw, message_of, step, count, has_clock):
    """`count` messages, a segment now and then cut anywhere, with holes and skips. The truth goes to connection.rows."""
    clock, sequence = 100.0, connection.sequence["r"]
    content, messages, skipped = bytearray(), [], 0
    for i in range(count):
        if i == 1 or (i > 2 and draw.random() < 0.02):
            skipped = draw.randint(1, 9)
        clock += step * (1 + skipped)
        time += round(step * 1e9) * (1 + skipped)
        message = message_of(round(clock, 6))
        messages.append((len(content), len(content) + len(message), time + draw.randint(0, 200000), skipped))
        content += message
        skipped = 0
    # Segments: mostly a message each, otherwise cut anywhere.
    cuts = sorted({end for _, end, _, _ in messages} | {draw.randrange(1, len(content)) for _ in range(count // 4)})
    segments = list(zip([0] + cuts, cuts))
    holes, i = [], 0
    while i < len(segments):
        length = draw.choice([1, 1, 2, 7, 40]) if draw.random() < 0.01 and 2 < i < len(segments) - 50 else 0
        if length:
            holes.append((segments[i][0], segments[i + length - 1][1]))
        for begin, end in segments[i:i + max(length, 1)]:
            when = next(at for first, last, at, _ in messages if last >= end)
            capture.add(when, connection, "r", bytes(content[begin:end]), lost=length > 0)
        i += max(length, 1)
    expect(connection, messages, holes, sequence, step, has_clock)
    return time


def expect(connection, messages, holes, sequence, step, has_clock):
    """The rows: messages that no hole touches, with the holes since the one before."""
    since, records, skips = 0, 0, 0
    hole = iter(holes + [(2**62, 2**62)])
    first, last = next(hole)
    previous = None
    for begin, end, at, skipped in messages:
        while last <= begin:
            since += last - first
            first, last = next(hole)
        if first < end:
            records += 1
            skips += skipped
            continue
        # The bytes say how many packages are lost; those that were skipped among them are the rest of the clock's step.
        told = 0 if previous is None or not has_clock else skipped + skips
        connection.rows.append((sequence + begin, sequence + end, since, round(records * step, 6), told))
        since, records, skips, previous = 0, 0, 0, at


def truth(capture, connection):
    """The rows that a connection must give."""
    packets = [place for place in capture.placed if place[0] is connection and place[1] == "r"]
    at = 0
    for begin, end, lost, seconds, skipped in connection.rows:
        while packets[at][3] < end:
            at += 1
        yield packets[at][5], packets[at][4], lost, seconds, skipped


def run(*arguments, status=0, stdin=None):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, stdin=stdin, check=False)
    assert status in (None, done.returncode), (arguments, done.returncode, done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode()


def number(text):
    return 0 if text == "" else float(text) if "." in text else int(text)


def check_rows(capture, connection, rows, what, unsettled=0):
    wanted = list(truth(capture, connection))
    assert len(rows) == len(wanted), (what, len(rows), len(wanted))
    values = 0
    for i, (row, (time, packet, lost, seconds, skipped)) in enumerate(zip(rows, wanted)):
        assert row["time_ns"] == str(time), (what, i, row, time)
        assert row["packet"] == str(packet), (what, i, row, packet)
        assert number(row["lost_bytes"]) == lost and (row["lost_bytes"] == "") == (lost == 0), (what, i, row, lost)
        if i >= unsettled:
            assert number(row["skipped"]) == skipped, (what, i, row, skipped)
            assert (row["lost_s"] == "") == (lost == 0), (what, i, row)
            assert number(row["lost_s"]) == (seconds if lost else 0), (what, i, row, seconds)
        values += len(COLUMNS)
    return values


def as_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def check_ndjson(path, rows, number_of):
    """The same as csv, without empty cells."""
    text, _ = run("export", "-f", "ndjson", "--fields", ",".join(COLUMNS), "--stream", number_of, path)
    objects = [json.loads(line, parse_float=str, parse_int=str) for line in text.splitlines()]
    for one, row in zip(objects, rows):
        assert {key: one.get(key, "") for key in COLUMNS} == {key: row[key] for key in COLUMNS}, (one, row)
    assert len(objects) == len(rows)


def check_gnuplot(path, rows, number_of):
    text, _ = run("export", "-f", "gnuplot", "--fields", ",".join(["actual_q"] + COLUMNS), "--stream", number_of, path)
    lines = text.splitlines()
    assert lines[0].split(" ")[-5:] == COLUMNS, lines[0]
    for line, row in zip(lines[1:], rows, strict=True):
        assert line.split(" ")[-5:] == [row[key] or "NaN" for key in COLUMNS], (line[-80:], row)


def check_every(path, rows, number_of):
    """Rows that are not exported pass on what is missing before them."""
    text, _ = run("export", "--fields", ",".join(COLUMNS), "--every", "7", "--stream", number_of, path)
    for column in ("lost_bytes", "skipped"):
        kept = [number(row[column]) for row in as_csv(text)]
        wanted = [sum(number(row[column]) for row in rows[max(i - 6, 0):i + 1]) for i in range(0, len(rows), 7)]
        assert kept == wanted, column


def check_said(path, rows, number_of, said):
    """The words: seconds, records and packages of the whole stream."""
    skipped = sum(number(row["skipped"]) for row in rows)
    lost = sum(number(row["lost_s"]) for row in rows)
    gaps = sum(row["lost_bytes"] != "" for row in rows)
    line = next((line for line in said.splitlines() if "stream %s: " % number_of in line), "")
    found = re.search(r"(\d+) packages? skipped by the controller", line)
    assert (int(found[1]) if found else 0) == skipped, (line, skipped)
    found = re.search(r"([0-9.]+) s missing from the capture", line)
    assert abs((float(found[1]) if found else 0) - lost) < 0.06, (line, lost)
    found = re.search(r"in (\d+) gaps", line)
    assert gaps < 2 or int(found[1]) == gaps, (line, gaps)
    assert (gaps + skipped == 0) == (line == ""), (line, gaps)
    diagnosed = json.loads(run("diagnose", "--json", path, status=1 if gaps + skipped else 0)[0])
    known = diagnosed["streams"][int(number_of)]["skipped"]
    fields = json.loads(run("info", "--json", path, status=None)[0])["streams"][int(number_of)]["fields"]
    assert known == (skipped if any(name.endswith("timestamp") for name in fields) else None), (known, skipped, fields)


def check_stream(path, capture, connection, number_of, from_input=True):
    options = ["export", "--fields", ",".join(COLUMNS), "--stream", number_of]
    text, said = run(*options, path)
    rows = as_csv(text)
    values = check_rows(capture, connection, rows, path)
    for threads in ("1", "2", "5"):
        assert run(*options, "--threads", threads, path) == (text, said), threads
    check_ndjson(path, rows, number_of)
    check_gnuplot(path, rows, number_of)
    check_every(path, rows, number_of)
    check_said(path, rows, number_of, said)
    if from_input:
        with open(path, "rb") as file:
            streamed = as_csv(run(*options, "-", stdin=file)[0])
        values += check_rows(capture, connection, streamed, "standard input", UNSETTLED)
    return values, sum(number(row["skipped"]) for row in rows), sum(row["lost_bytes"] != "" for row in rows)


def rtde_capture(draw, path, frequency, step, version, names=b"timestamp,actual_q", types=b"DOUBLE,VECTOR6D"):
    capture, connection = Capture(), Connection(30004, 50000)
    has_clock = b"timestamp" in names
    size = 56 if has_clock else 48
    time = handshake(capture, connection, START, names, types, frequency, version)

    def message_of(clock):
        values = [clock] * has_clock + [draw.uniform(-3, 3) for _ in range(6)]
        return rtde("U", b"\1" + struct.pack(">%dd" % (size // 8), *values))

    stream(capture, connection, time, draw, message_of, step, 1200, has_clock)
    capture.write(path)
    return capture, connection


def realtime_capture(draw, path, size, step):
    capture, connection = Capture(), Connection(30003, 50001)

    def message_of(clock):
        return struct.pack(">I%dd" % ((size - 4) // 8), size, clock, *[0.0] * ((size - 4) // 8 - 1))

    capture.add(START, connection, "c", b"", 0x02)
    capture.add(START + 1000, connection, "r", b"", 0x12)
    stream(capture, connection, START + 10**6, draw, message_of, step, 800, True)
    capture.write(path)
    return capture, connection


def inputs_capture(draw, path):
    """Rows to the robot: no clock, so the capture's counts."""
    capture, connection = Capture(), Connection(30004, 50000)
    time = handshake(capture, connection, START, b"timestamp", b"DOUBLE", 500.0, (5, 11, 1, 108))
    capture.add(time, connection, "c", rtde("I", b"input_int_register_0,input_double_register_1"))
    capture.add(time, connection, "r", rtde("I", b"\1INT32,DOUBLE"))
    lost, rows = 0, []
    for i in range(300):
        time += 8000000
        message = rtde("U", struct.pack(">Bid", 1, i, i / 2))
        gone = i > 1 and i < 290 and draw.random() < 0.1
        capture.add(time, connection, "c", message, lost=gone)
        lost += len(message) if gone else 0
        if not gone:
            rows.append((time, lost, lost // len(message) * 0.008 + 0.008 if lost else 0))
            lost = 0
    capture.write(path)
    return rows


def check_inputs(path, draw):
    rows = inputs_capture(draw, path)
    text, said = run("export", "--to-robot", "--fields", ",".join(COLUMNS) + ",lost_from", path)
    for row, (time, lost, seconds) in zip(as_csv(text), rows, strict=True):
        assert row["time_ns"] == str(time) and number(row["lost_bytes"]) == lost and row["skipped"] == "", (row, time, lost)
        assert abs(number(row["lost_s"]) - seconds) < 1e-9, (row, seconds)
        assert row["lost_from"] == ("time" if lost else ""), row
    gone = sum(lost for _, lost, _ in rows) // 16
    assert "about %d records" % gone in said, (said, gone)


def check_range(path, draw):
    """What is missing outside --from and --to is not reported."""
    capture, connection = rtde_capture(draw, path, 500.0, 0.002, (5, 11, 1, 108))
    wanted = list(truth(capture, connection))
    middle = [row for row in wanted[len(wanted) // 3:2 * len(wanted) // 3]]
    times = ["%d.%09d" % divmod(row[0], 10**9) for row in (middle[0], middle[-1])]
    text, said = run("export", "--fields", ",".join(COLUMNS), "--from", times[0], "--to", times[1], path)
    rows = as_csv(text)
    assert len(rows) == len(middle)
    for row, (_, packet, lost, seconds, skipped) in zip(rows, middle):
        assert (number(row["packet"]), number(row["lost_bytes"]), number(row["skipped"])) == (packet, lost, skipped), row
        assert not lost or number(row["lost_s"]) == seconds, row
    count = sum(row[4] for row in middle)
    assert count > 0 and "%d packages skipped" % count in said, (said, count)


def check_tail(path, draw):
    """What is missing after the last record, if it was asked for."""
    capture, connection = Capture(), Connection(30003, 50001)
    for i in range(120):
        message = struct.pack(">I152d", 1220, 5 + i * 0.002, *[draw.random()] * 151)
        capture.add(START + i * 2000000, connection, "r", message, lost=i >= 115)
    capture.add(START + 10**9, connection, "r", b"", 0x11)
    capture.write(path)
    rows, said = run("export", "--fields", "lost_bytes", path)
    assert len(rows.splitlines()) == 116 and not any(line.endswith("0") for line in rows.splitlines()), rows
    assert "stream 0: 0.01 s missing from the capture at the end, about 5 records\n" in said, said
    assert run("export", "--to", "+0.2", path)[1] == ""


def check_unread_tail(path, draw):
    """What was captured after the last record and cannot be read is not missing; it lasts at most to the capture's end."""
    for lost, said_lost in ((0, ""), (2, "0.016 s missing from the capture at the end, about 2 records; ")):
        capture, connection = Capture(), Connection(30004, 50000)
        handshake(capture, connection, START, b"timestamp,actual_q", b"DOUBLE,VECTOR6D", 125.0, (3, 15, 8, 106))
        for i in range(250):
            message = rtde("U", b"\1" + struct.pack(">7d", 50 + i * 0.008, *[0.1 * i] * 6))
            capture.add(START + 10**9 + i * 8000000, connection, "r", message, lost=i >= 250 - lost)
        for i in range(3000):
            capture.add(START + 2992000000 + i * 100000, connection, "r", bytes([0xFF]) * 1400)
        capture.write(path)
        said = run("export", path)[1]
        assert "stream 0: %s0.296 s could not be decoded at the end, about 37 records\n" % said_lost in said, said
        said = run("export", "--to", "+3.1", path)[1]
        assert "stream 0: %s0.104 s could not be decoded at the end, about 13 records\n" % said_lost in said, said
    assert draw is not None


def check_unread_behind_gap(path, draw):
    """A gap followed by unreadable bytes before a record: each is reported as what it is."""
    capture, connection = Capture(), Connection(30004, 50000)
    handshake(capture, connection, START, b"timestamp,actual_q", b"DOUBLE,VECTOR6D", 125.0, (3, 15, 8, 106))
    for i in range(400):
        message = rtde("U", b"\1" + struct.pack(">7d", 50 + i * 0.008, *[0.1 * i] * 6))
        garbage = bytes(draw.randrange(4, 256) for _ in message)
        capture.add(START + 10**9 + i * 8000000, connection, "r", garbage if 100 < i <= 200 else message, lost=i == 100)
    capture.write(path)
    said = run("export", path)[1]
    place = "before packet [0-9]+ [^,]*"
    assert re.search("stream 0: 0.008 s missing from the capture %s, about 1 record; 0.8 s could not be decoded %s, about 100 "
                     "records\n" % (place, place), said), said


def check_aubo(path, draw):
    """Two channels of a stream: the first row after a hole reports it, on either channel."""
    if "without AUBO" in run("--version")[0]:
        return
    capture, connection = Capture(), Connection(30010, 50000)
    for channel, frequency in ((1, 50.0), (2, 10.0)):
        capture.add(START, connection, "c", json.dumps([100, {
            "chanel": channel, "frequency": frequency, "segments": ["timestamp", "R1_actual_q"], "to_server": False,
            "trigger": 0}]).encode())
    lost, gone, wanted, skipping = 0, 0, [], 0
    for i in range(600):
        time, clock = START + 10**8 + i * 20000000, 50 + i * 0.02
        for channel in (1, 2) if i % 5 == 0 else (1,):
            message = json.dumps([channel, clock, [draw.uniform(-3, 3) for _ in range(6)]]).encode()
            gone = gone - 1 if gone > 0 else draw.choice([0] * 60 + [1, 5, 30]) if 10 < i < 560 else 0
            if not gone and channel == 1 and i > 80 and draw.random() < 0.01:
                continue  # left out by the controller
            capture.add(time + channel * 1000, connection, "r", message, lost=gone > 0)
            lost += len(message) if gone else 0
            if not gone:
                wanted.append((time + channel * 1000, lost))
                lost = 0
    capture.write(path)
    text, said = run("export", "--fields", ",".join(COLUMNS), path)
    rows = as_csv(text)
    for row, (time, lost) in zip(rows, wanted, strict=True):
        assert (row["time_ns"], number(row["lost_bytes"])) == (str(time), lost), (row, time, lost)
    check_said(path, rows, "0", said)
    assert sum(lost > 0 for _, lost in wanted) > 5


def check_many(path, draw):
    """The first few of many streams have a line each, the others share one; also for more streams than are remembered."""
    for count in (30, 70):
        capture = Capture()
        for k in range(count):
            connection = Connection(30003, 41000 + k)
            clock = 5.0
            for i in range(40):
                clock += 0.002
                capture.add(START + i * 2000000 + k * 1000, connection, "r",
                            struct.pack(">I152d", 1220, clock, *[0.0] * 151), lost=i in (20, 21))
        capture.write(path)
        text, said = run("export", "-f", "ndjson", path)
        said = said.splitlines()
        each = [line for line in said if re.search(r"stream \d+: 0\.004 s missing from the capture before packet \d+ .*, about "
                                                   "2 records$", line)]
        assert len(each) == 8 and len(said) == 10, said
        assert "%d more streams: %.3f s missing from the capture, about %d records; 0 packages skipped" % (
            count - 8, 0.004 * (count - 8), 2 * (count - 8)) in said[8], said
        assert said[9] == "armtap: warning: for more: armtap diagnose %s" % path, said
        assert len(text.splitlines()) == 38 * count
        for number in (0, 63, 64, count - 1):
            line = run("export", "--stream", str(number), path)[1] if number < count else "0.004 s"
            assert "0.004 s" in line, line
    assert draw is not None


def regular(path, lost=(), garbage=(), count=250):
    """Packages of 56 bytes every 8 ms from START + 1 s on, some of them lost, some of them garbage."""
    capture, connection = Capture(), Connection(30004, 50000)
    handshake(capture, connection, START, b"timestamp,actual_q", b"DOUBLE,VECTOR6D", 125.0, (3, 15, 8, 106))
    for i in range(count):
        message = rtde("U", b"\1" + struct.pack(">7d", 50 + i * 0.008, *[0.1 * i] * 6))
        content = bytes([0xFF]) * len(message) if i in garbage else message
        capture.add(START + 10**9 + i * 8000000, connection, "r", content, lost=i in lost)
    capture.add(START + 10 * 10**9, connection, "r", b"", 0x11)
    capture.write(path)


def check_unread(path, draw):
    """Captured records that cannot be read are missing in seconds and records, but not in bytes of the capture."""
    regular(path, garbage=range(100, 150))
    text, said = run("export", "--fields", "timestamp," + ",".join(COLUMNS), path)
    rows = as_csv(text)
    assert len(rows) == 200 and [row["lost_s"] for row in rows] == [""] * 100 + ["0.4"] + [""] * 99, rows[99:102]
    assert all(row["lost_bytes"] == row["skipped"] == "" for row in rows), rows[99:102]
    assert "stream 0: 0.4 s could not be decoded before packet 161 (2026-01-31T12:00:02.323456789Z), about 50 records\n" in said
    regular(path, garbage=range(100, 150), lost=range(40, 50))
    said = run("export", path)[1]
    assert re.search(r"stream 0: 0\.08 s missing from the capture before packet 51 \(\S+, about 10 records; "
                     r"0\.4 s could not be decoded before packet 151 \(\S+, about 50 records\n", said), said
    assert draw is not None


def check_set_back(path, draw):
    """Without a controller's clock the rate measures what is missing, by the records that fit, whatever the capture's clock
    says: it may have been set back, and the record behind may be late."""
    for back in 0, 10**10, -5 * 10**7:
        capture, connection = Capture(), Connection(30004, 50000)
        handshake(capture, connection, START, b"actual_q", b"VECTOR6D", 125.0, (3, 15, 8, 106))
        for i in range(200):
            message = rtde("U", b"\1" + struct.pack(">6d", *[0.1 * i] * 6))
            capture.add(START + 11 * 10**9 + i * 8000000 - back * (i >= 100), connection, "r", message, lost=95 <= i < 100)
        capture.write(path, in_time=False)
        rows = as_csv(run("export", "--fields", ",".join(COLUMNS) + ",lost_from", path)[0])
        found = [rows[95][name] for name in ("lost_bytes", "lost_s", "lost_from")]
        assert len(rows) == 195 and found == [str(5 * 52), "0.04", "rate"], rows[94:97]
        assert {row["lost_from"] for row in rows} == {"", "rate"}, rows
    regular(path, lost=range(50, 60))
    rows = as_csv(run("export", "--fields", "lost_s,lost_from", path)[0])
    assert [(row["lost_s"], row["lost_from"]) for row in rows if row["lost_s"]] == [("0.08", "clock")], rows
    assert draw is not None


def check_window(path, draw):
    """The part of a hole inside --from and --to that no row reports: record i is captured at 1 + 0.008 i s."""
    regular(path, lost=range(50, 150))  # of 1.4 to 2.2 s
    for times, rows, missing in [(("--to", "+1.8"), 50, (0.408, 51)), (("--to", "+1.399"), 50, None),
                                 (("--to", "+1.404"), 50, (0.008, 1)), (("--from", "+1.6", "--to", "+1.7"), 0, (0.104, 13)),
                                 (("--from", "+2.21"), 98, None), (("--from", "+1.8", "--to", "+2.3"), 13, (0.8, 100))]:
        text, said = run("export", *times, path)
        found = re.search(r"stream 0: ([0-9.]+) s missing from the capture before packet 61 .*, about (\d+) records?\n", said)
        assert len(text.splitlines()) - 1 == rows, (times, len(text.splitlines()))
        assert (found and (float(found[1]), int(found[2]))) == missing, (times, said)
        assert ("no record from the robot in that time: " in said) == (rows == 0), said
    regular(path, lost=range(240, 250))
    assert "0.08 s missing from the capture at the end, about 10 records\n" in run("export", path)[1]
    assert "0.024 s missing from the capture at the end, about 3 records\n" in run("export", "--to", "+2.94", path)[1]
    assert "missing" not in run("export", "--to", "+2.915", path)[1]
    assert "in that time" in run("export", "--from", "+9", path)[1]
    assert draw is not None


def check_pause(path, draw):
    """No data is due from PAUSE to START: a hole there has bytes, and neither seconds nor records."""
    for lost, lost_data in (((False, True), 0), ((False, True), 3), ((True, True), 0)):
        capture, connection = Capture(), Connection(30004, 50000)
        time = handshake(capture, connection, START, b"timestamp,actual_q", b"DOUBLE,VECTOR6D", 125.0, (3, 15, 8, 106))
        for i in range(100):
            time += 8000000
            if i == 60:
                capture.add(time, connection, "c", rtde("P"), lost=lost[0])
                capture.add(time + 1000, connection, "r", rtde("P", b"\1"), lost=lost[0])
                capture.add(time + 400000000, connection, "c", rtde("S"), lost=lost[0])
                capture.add(time + 401000000, connection, "r", rtde("S", b"\1"), lost=lost[1])
                time += 408000000
            message = rtde("U", b"\1" + struct.pack(">7d", (time - START) / 1e9, *[0.1 * i] * 6))
            capture.add(time, connection, "r", message, lost=60 <= i < 60 + lost_data)
        capture.write(path)
        text, said = run("export", "--fields", ",".join(COLUMNS), path)
        row = as_csv(text)[60]
        control = 4 + 4 * lost[0]
        assert (row["lost_bytes"], row["lost_s"]) == (str(60 * lost_data + control), "0.024" if lost_data else "0.0"), row
        wanted = r"0\.024 s missing .*, about 3 records\n" if lost_data else r"%d bytes missing [^,]*\)\n" % control
        assert re.search("stream 0: " + wanted, said), said
    assert draw is not None


def cut(path, kept):
    """The packages of regular() with a snapshot length that leaves `kept` of their 60 bytes."""
    content, short = open(path, "rb").read(), bytearray()
    at = 24
    short += content[:at]
    while at < len(content):
        length = struct.unpack_from("<I", content, at + 8)[0]
        left = 54 + kept if length == 54 + 60 else length
        short += content[at:at + 8] + struct.pack("<II", left, length) + content[at + 16:at + 16 + left]
        at += 16 + length
    with open(path, "wb") as file:
        file.write(short)


def check_cut(path, draw):
    """Captured with a snapshot length shorter than any record: with its head, a record has the fields that are whole;
    without, the set-up says how many there were."""
    regular(path, lost=())
    cut(path, draw.randrange(1, 4))
    text, said = run("export", path)
    assert text.count("\n") == 1 and "stream 0: 2.0 s missing from the capture at the end, about 250 records\n" in said, said
    for kept in (draw.randrange(12, 60), 12, 59):
        regular(path, lost=())
        cut(path, kept)
        text, said = run("export", "--fields", "timestamp,actual_q,lost_bytes", path)
        rows = as_csv(text)
        assert len(rows) == 250 and all(row["lost_bytes"] == str(60 - kept) for row in rows), (kept, rows[:2])
        assert all(row["timestamp"] and not row["actual_q_0"] for row in rows), (kept, rows[:2])
        assert "%d bytes missing from the capture, in 250 gaps" % (250 * (60 - kept)) in said, said
        assert "about" not in said and "the snapshot length cut it: %d of 60" % kept in said, said


def check_words(path, draw):
    """Every status but 0 has its reason on standard error; a suggested command can be typed."""
    regular(path, lost=range(50, 150))
    said = run("export", "--strict", path, status=1)[1]
    assert re.search(r"warning: --strict: the status is 1, .*: stream\.gap \(1\)\n$", said), said
    assert "--strict: " in run("export", "--strict", "--to", "+1.2", path, status=1)[1]
    said = run("export", "--strict", "--findings-ok", path)[1]
    assert re.search(r"warning: --strict: the status is 0, by --findings-ok, .*: stream\.gap \(1\)\n$", said), said
    said = run("export", "--fields", "lost_*", path, status=2)[1]
    assert said.endswith("--fields lost_bytes,lost_s,lost_from\n"), said
    with open(path, "rb") as file:
        said = run("export", "/dev/stdin", stdin=file)[1]
    assert "missing from the capture" in said and "/dev/stdin" not in said, said
    regular(path)
    assert run("export", "--strict", path)[1] == "", path
    capture, connection = Capture(), Connection(30004, 50000)
    time = handshake(capture, connection, START, b"timestamp,robot_mode", b"DOUBLE,INT32", 125.0, (3, 15, 8, 106))
    capture.add(time, connection, "r", rtde("U", b"\1" + struct.pack(">di", 5, 7)))
    capture.write(path)
    said = run("export", "--enums", "both", "--fields", "robot_mode_name", path, status=2)[1]
    assert "use --enums both --fields robot_mode," in said, said
    assert run("export", "--enums", "both", "--fields", "robot_mode", path)[0].endswith(",7,RUNNING\n")
    assert draw is not None


def check_late(path, draw):
    """Joined late, without its recipe."""
    capture, connection = rtde_capture(draw, path, 500.0, 0.002, (5, 11, 1, 108))
    capture.segments = [one for one in capture.segments if one[6][2:3] not in (b"O", b"V", b"v", b"S") and not one[5] & 2]
    capture.placed = []
    capture.write(path)
    said = run("export", path)[1]
    assert re.search(r"stream 0: .*\d+ records in 2\.\d+ s have no known recipe and are not in the output", said), said
    assert "specify it with --recipe FILE" in said, said


def check_shadowed(path, draw):
    """A field of the wire that is called as one of armtap's own columns gets another name, in every format. Asked for by
    its own name it goes first, and a warning says so."""
    capture, connection = Capture(), Connection(30004, 50000)
    time = handshake(capture, connection, START, b"packet,time,timestamp", b"INT32,DOUBLE,DOUBLE", 125.0, (5, 11, 1, 108))
    for i in range(5):
        capture.add(time + 8000000 * i, connection, "r", rtde("U", b"\1" + struct.pack(">idd", 700 + i, 0.5, 8e-3 * i)))
    capture.write(path)
    text, said = run("export", "--fields", "packet,time,stream", path)
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["time", "packet_2", "time_2", "stream"], rows[0]
    assert [row[1:] for row in rows[1:]] == [[str(700 + i), "0.5", "0"] for i in range(5)], rows
    assert said.count("warning: --fields packet: stream 0 has a field of that name") == 1, said
    assert said.count("warning: --fields time: stream 0 has a field of that name") == 1, said
    one = json.loads(run("export", "-f", "ndjson", "--fields", "packet", path)[0].splitlines()[0])
    assert (one["packet"], one["packet_2"]) == (11, 700), one
    with open(os.path.join(os.environ.get("srcdir", "."), "tools/export/rows/row_columns.def"), encoding="utf-8") as table:
        own = re.findall(r"^ROW_COLUMN\((\w+),", table.read(), re.M)
    capture, connection = Capture(), Connection(30004, 50000)
    names = own + ["time_2", "timestamp"]
    time = handshake(capture, connection, START, ",".join(names).encode(), ",".join(["DOUBLE"] * len(names)).encode(), 125.0,
                     (5, 11, 1, 108))
    for i in range(5):
        values = [100.0 * i + k for k in range(len(names) - 1)] + [8e-3 * i]
        capture.add(time + 8000000 * i, connection, "r", rtde("U", b"\1" + struct.pack(">%dd" % len(values), *values)))
    capture.write(path)
    rows = list(csv.reader(io.StringIO(run("export", path)[0])))
    assert len(rows[0]) == len(set(rows[0])) == len(names) + 1 and not set(rows[0][1:]) & set(own), rows[0]
    assert rows[0][1:] == ["time_3"] + [name + "_2" for name in own[1:]] + ["time_2", "timestamp"], rows[0]
    assert [float(cell) for cell in rows[2][1:-1]] == [100.0 + k for k in range(len(names) - 1)], rows[2]
    one = json.loads(run("export", "-f", "ndjson", path)[0].splitlines()[1])
    assert [one[name] for name in rows[0][1:-1]] == [100.0 + k for k in range(len(names) - 1)], one
    for ending in ("parquet", "mcap", "h5", "mat"):
        out = path + "." + ending
        done = subprocess.run([ARMTAP, "export", "-o", out, path], capture_output=True, check=False)
        if done.returncode != 0 and b"lib" in done.stderr:
            continue  # a library lacks
        with open(out, "rb") as file:
            content = file.read()
        os.remove(out)
        assert done.returncode == 0 and (ending == "mat" or b"packet_2" in content), (ending, done)
    assert draw is not None


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    cases = [("RTDE, 500 Hz", lambda draw, path: rtde_capture(draw, path, 500.0, 0.002, (5, 11, 1, 108))),
             ("RTDE, 125 of 500 Hz", lambda draw, path: rtde_capture(draw, path, 125.0, 0.008, (5, 11, 1, 108))),
             ("RTDE, CB3", lambda draw, path: rtde_capture(draw, path, 125.0, 0.008, (3, 15, 8, 106))),
             ("RTDE, no clock", lambda draw, path: rtde_capture(draw, path, 500.0, 0.002, (5, 11, 1, 108), b"actual_q",
                                                                b"VECTOR6D")),
             ("realtime, 812", lambda draw, path: realtime_capture(draw, path, 812, 0.008)),
             ("realtime, 1220", lambda draw, path: realtime_capture(draw, path, 1220, 0.002))]
    failed = gaps = skips = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.pcap")
        for check in (check_shadowed, check_inputs, check_range, check_tail, check_unread_tail, check_unread_behind_gap,
                      check_aubo, check_many, check_late, check_unread, check_set_back,
                      check_window,
                      check_pause, check_cut, check_words):
            try:
                check(path, random.Random(seed))
                print("%-24s as it should be" % check.__name__)
            except AssertionError as difference:
                print("FAIL %s, seed %d: %s" % (check.__name__, seed, difference))
                failed += 1
        for turn in range(seed, seed + rounds):
            for name, make in cases:
                draw = random.Random("%d %s" % (turn, name))
                try:
                    capture, connection = make(draw, path)
                    values, skipped, lost = check_stream(path, capture, connection, "0")
                    print("%-24s %6d values are equal: %d gaps, %d packages skipped" % (name, values, lost, skipped))
                    gaps += lost
                    skips += skipped
                except (AssertionError, StopIteration) as difference:
                    print("FAIL %s, seed %d: %s" % (name, turn, difference))
                    failed += 1
    print("%d gaps, %d skipped packages, %d failed" % (gaps, skips, failed))
    return 1 if failed or gaps < 20 * rounds or skips < 100 * rounds else 0


sys.exit(main())
