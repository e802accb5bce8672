#!/usr/bin/env python3
"""A pipe is exported like a file. Every sample and format: ndjson gives the same bytes; a format with a header starts a new
table when fields appear that the last one lacks, and all files together hold the same values. Live: a client that
subscribes or connects during an export does not end it."""
import csv
import glob
import io
import json
import os
import select
import struct
import subprocess
import sys
import tempfile
import time

from tally import expect, finish, share

ARMTAP = os.environ.get("ARMTAP", "./armtap")
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
PATIENCE = 20  # seconds, of a machine that does much else


def run(*arguments, source=None):
    """Through a pipe, not only standard input: a redirected file could be read twice."""
    if source is None:
        return subprocess.run([ARMTAP, "export", *arguments], capture_output=True)
    with open(source, "rb") as file:
        return subprocess.run([ARMTAP, "export", *arguments, "-"], input=file.read(), capture_output=True)


def mcap_records(rest):
    """Schemas, channels and messages, in order. Which chunk they are in depends on when they came."""
    while rest:
        code, length = struct.unpack_from("<BQ", rest)
        body, rest = rest[9:9 + length], rest[9 + length:]
        if code == 6:  # a chunk, not compressed: 32 bytes, "", length
            yield from mcap_records(body[40:])
        elif code in (3, 4, 5):
            yield code, body
        elif code == 15:
            return  # behind it all is repeated


def cells_of(line, separator):
    if separator == ",":
        return next(csv.reader([line]))
    return line.split()


def rows_of(text, kind):
    """Each row by the header's names, without absent values; every row is as wide as the header."""
    separator = "," if kind == "csv" else " "
    lines = text.decode().splitlines()
    names = cells_of(lines[0].removeprefix("# "), separator)
    rows = []
    for line in lines[1:]:
        cells = cells_of(line, separator)
        if len(cells) != len(names):
            return None, names
        rows.append({name: cell for name, cell in zip(names, cells) if cell not in ("", "NaN")})
    return rows, names


def split_rows(folder, kind):
    """The tables of each stream, in order."""
    streams = {}
    for path in glob.glob(folder + "/x.*"):
        stream, _, part = path.rsplit(".", 2)[1].partition("-")
        with open(path, "rb") as file:
            streams.setdefault(int(stream), {})[int(part or 0)] = rows_of(file.read(), kind)
    return {stream: [parts[i] for i in sorted(parts)] for stream, parts in streams.items()}


def same_rows(name, ways, left_out):
    """Values with a column in the pipe's output equal the file's; `left_out`: arrays, whose cells the first row fixes."""
    for stream in ways[0] | ways[1]:
        tables = [way.get(stream, []) for way in ways]
        expect("%s: every row of stream %d is as wide as its header" % (name, stream),
               all(rows is not None for way in tables for rows, _ in way))
        flat = [[row for rows, _ in way for row in rows or []] for way in tables]
        expect("%s: stream %d has %d rows" % (name, stream, len(flat[0])), len(flat[0]) == len(flat[1]), len(flat[1]))
        for a, b in zip(*flat):
            differ = {k for k in a.keys() | b.keys() if a.get(k) != b.get(k)}
            differ = {k for k in differ if not any(k.startswith(array) for array in left_out)}
            if differ:
                expect("%s: stream %d: %s" % (name, stream, differ), False, (a, b))
                break


def check_split(sample, kind, options):
    ending = {"csv": "csv", "gnuplot": "dat"}[kind]
    ways, said = [], b""
    for source in (None, sample):
        with tempfile.TemporaryDirectory() as folder:
            arguments = [*options, "--split", "-o", "%s/x.%s" % (folder, ending)]
            done = run(*arguments, *([sample] if source is None else []), source=source)
            if source is None and done.returncode == 2:
                return  # nothing of it has a column
            ways.append(split_rows(folder, kind))
            said = done.stderr.decode()
            expect("%s %s: status" % (sample, options), done.returncode < 2, said)
    arrays = [line.split(": ")[3].split()[0] for line in said.splitlines() if ": warning: " in line and "first row" in line]
    same_rows("%s %s" % (os.path.basename(sample), " ".join(options)), ways, arrays)


def check_samples():
    """Everything, in either direction."""
    samples = sorted(glob.glob(SAMPLES + "/*.pcap*"))
    expect("samples", len(samples) > 10, samples)
    if "without AUBO" in subprocess.run([ARMTAP, "--version"], capture_output=True, text=True).stdout:
        samples = [name for name in samples if "aubo" not in name]
    for sample in share(samples, 6, "samples"):
        for way in ([], ["--to-robot"]):
            file, pipe = run("-f", "ndjson", *way, sample), run("-f", "ndjson", *way, source=sample)
            name = "%s ndjson %s" % (os.path.basename(sample), way)
            expect(name, file.stdout == pipe.stdout, (len(file.stdout), len(pipe.stdout), pipe.stderr))
            expect(name + ": status", file.returncode == pipe.returncode, pipe.stderr)
            check_split(sample, "csv", way)
            check_split(sample, "gnuplot", ["-f", "gnuplot", *way])
        # AUBO's arrays, and recipes that come later, have no column in what is read once.
        for words in (["parquet"], ["parquet", "--dialect", "small"], ["npz"], ["arrow"]) if "aubo" not in sample and "two-recipes" not in sample else ():
            file, pipe = (run("-f", *words, "--stream", "0", *more, source=source) for more, source in (([sample], None), ([], sample)))
            expect("%s %s" % (sample, words), file.stdout == pipe.stdout and len(file.stdout) > 100, pipe.stderr)
        for dialect in ([], ["--dialect", "json"]):
            file, pipe = (run("-f", "mcap", "--compression", "none", "--stream", "0", *dialect, *more, source=source)
                          for more, source in (([sample], None), ([], sample)))
            wanted, found = (list(mcap_records(one.stdout[8:-8])) for one in (file, pipe))
            expect("%s mcap %s" % (sample, dialect), wanted == found and len(wanted) > 1, (len(wanted), len(found), pipe.stderr))
        named, plain = (run("-f", "mcap", *dialect, sample).stdout for dialect in (["--dialect", "ros2"], []))
        expect("%s mcap: ros2 is the default" % sample, named == plain and len(plain) > 100)


def check_seeking():
    """Formats that seek in their file: the same from a pipe, and never into one."""
    sample, version = SAMPLES + "/rtde-stop.pcap", subprocess.run([ARMTAP, "--version"], capture_output=True, text=True).stdout
    for name, dialect, library in (("mat", "", "libhdf5"), ("h5", "", "libhdf5"), ("mat", "v5", "libmatio")):
        words = ["-f", name, "--dialect", dialect]
        done = run(*words, sample)
        absent = "built without " + library in version
        said = "configure it" if absent else "name a file with -o"
        expect("%s %s to a pipe" % (name, dialect), done.returncode == 2 and said in done.stderr.decode() and not done.stdout, done.stderr)
        if absent:
            continue
        with tempfile.TemporaryDirectory() as folder:
            files = [folder + "/file", folder + "/pipe"]
            run(*words, sample, "-o", files[0])
            run(*words, "-o", files[1], source=sample)
            contents = [open(path, "rb").read() for path in files]
            expect("%s %s from a pipe" % (name, dialect), contents[0] == contents[1] and len(contents[0]) > 10000)


# ---- live ------------------------------------------------------------------------------------------------------------


def packet(at, port, from_robot, flags, seq, ack, payload=b"", client=50000):
    ports, hosts = (port, client), (b"\x0a\0\0\x02", b"\x0a\0\0\x09")
    if not from_robot:
        ports, hosts = ports[::-1], hosts[::-1]
    data = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0) + hosts[0] + hosts[1] + \
        struct.pack(">HHIIBBHHH", *ports, seq, ack, 0x50, flags, 64240, 0, 0) + payload
    return struct.pack("<IIII", 1769860800 + int(at), int(at % 1 * 1e6), len(data), len(data)) + data


class Peer:
    """One connection of a client with a robot, a packet every 20 ms."""

    def __init__(self, port, client=50000, at=0.0):
        self.port, self.client, self.at, self.seq = port, client, at, [1000, 2000]

    def open(self):
        return self.send(False, flags=2) + self.send(True, flags=18)

    def send(self, from_robot, payload=b"", flags=16):
        side = 0 if from_robot else 1
        sent = packet(self.at, self.port, from_robot, flags, self.seq[side], self.seq[1 - side], payload, self.client)
        self.seq[side] += len(payload) + (1 if flags & 3 else 0)
        self.at += 0.02
        return sent


def subscribe(channel, *topics):
    return json.dumps([100, {"chanel": channel, "frequency": 50.0, "segments": topics, "to_server": False, "trigger": 0}],
                      separators=(",", ":")).encode()


def rtde(kind, body=b""):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def set_up(names, types):
    return (rtde("O", struct.pack(">d", 500) + names), rtde("O", b"\1" + types))


class Export:
    def __init__(self, *options):
        self.errors = tempfile.TemporaryFile()
        self.program = subprocess.Popen([ARMTAP, "export", *options, "-"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.out = b""
        self.send(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))

    def send(self, data):
        self.program.stdin.write(data)
        self.program.stdin.flush()

    def feed_until(self, more, lines):
        """Sends packets until there are so many lines."""
        end = time.monotonic() + PATIENCE
        while self.out.count(b"\n") < lines and time.monotonic() < end:
            self.send(more())
            if select.select([self.program.stdout], [], [], 0.05)[0]:
                self.out += os.read(self.program.stdout.fileno(), 65536)
        return self.out.count(b"\n") >= lines

    def end(self):
        self.out += self.program.communicate(timeout=PATIENCE)[0]
        self.errors.seek(0)
        return self.program.returncode, self.errors.read().decode()


def aubo_rows(peer, channels):
    return b"".join(peer.send(True, b"[%d,[1,2,3,4,5,6]]" % channel) for channel in channels)


def check_live_ndjson():
    peer = Peer(30010)
    export = Export("-f", "ndjson")
    export.send(peer.open() + peer.send(False, subscribe(0, "R1_actual_q")))
    expect("rows come", export.feed_until(lambda: aubo_rows(peer, [0]), 3), export.out)
    export.send(peer.send(False, subscribe(1, "R1_actual_TCP_pose")))
    before = export.out.count(b"\n")
    expect("rows of both channels come", export.feed_until(lambda: aubo_rows(peer, [0, 1]), before + 6), export.out)
    status, said = export.end()
    rows = [json.loads(line) for line in export.out.splitlines()]
    expect("ndjson of two channels", any("actual_TCP_pose" in row for row in rows) and "actual_q" in rows[-2], rows[-2:])
    expect("ndjson: status", status == 0 and said == "", (status, said))


def check_live_csv():
    """One table: it continues, and what has no place in it is reported at once and at the end."""
    peer = Peer(30010)
    export = Export("-f", "csv")
    export.send(peer.open() + peer.send(False, subscribe(0, "R1_actual_q")))
    expect("csv: rows come", export.feed_until(lambda: aubo_rows(peer, [0]), 4), export.out)
    export.send(peer.send(False, subscribe(1, "R1_actual_TCP_pose")))
    before = export.out.count(b"\n")
    expect("csv: rows of the first channel go on", export.feed_until(lambda: aubo_rows(peer, [1, 0]), before + 4))
    status, said = export.end()
    rows, names = rows_of(export.out, "csv")
    expect("csv: one table", rows and len(names) == 7 and all(len(row) == 7 for row in rows), export.out)
    expect("csv: said", status == 2 and "has rows with fields that the header" in said and "rows were omitted" in said,
           (status, said))


def check_live_other_stream():
    """Another client connects: the first one's rows continue."""
    first, second = Peer(30004), Peer(30004, client=50001)
    row = rtde("U", b"\1" + struct.pack(">d", 5.0))
    for options, status in ((["-f", "csv"], 2), (["-f", "csv", "--stream", "0"], 0)):
        export = Export(*options)
        first, second = Peer(30004), Peer(30004, client=50001, at=0.01)
        for peer in (first, second):
            request, reply = set_up(b"timestamp", b"DOUBLE")
            export.send(peer.open() + peer.send(False, rtde("V", b"\0\2")) + peer.send(True, rtde("V", b"\1")) +
                        peer.send(False, request) + peer.send(True, reply) + peer.send(True, row))
        expect("rows go on", export.feed_until(lambda: second.send(True, row) + first.send(True, row), 6), export.out)
        ended, said = export.end()
        expect("other stream %s" % options, ended == status and ("omitted" in said) == (status == 2), (ended, said))


def check_replaced():
    """A recipe that is replaced repeatedly: ndjson takes all, --split makes a file for each."""
    peer = Peer(30004)
    capture = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101) + peer.open() + \
        peer.send(False, rtde("V", b"\0\2")) + peer.send(True, rtde("V", b"\1"))
    for i in range(60):
        request, reply = set_up(b"field_%d" % i, b"INT32")
        capture += peer.send(False, request) + peer.send(True, reply)
        capture += peer.send(True, rtde("U", b"\1" + struct.pack(">i", i)))
    out = subprocess.run([ARMTAP, "export", "-f", "ndjson", "-"], input=capture, capture_output=True)
    rows = [json.loads(line) for line in io.StringIO(out.stdout.decode())]
    expect("replaced", [row.get("field_%d" % i) for i, row in enumerate(rows)] == list(range(60)), rows[-1:])
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ARMTAP, "export", "--split", "-o", folder + "/x.csv", "-"], input=capture,
                              capture_output=True)
        tables = split_rows(folder, "csv").get(0, [])
    expect("replaced: files", done.returncode == 0 and len(tables) == 60, (done.stderr, len(tables)))
    expect("replaced: rows", all(rows[0].get("field_%d" % i) == str(i) for i, (rows, _) in enumerate(tables)))


def main():
    checks = [check_samples, check_seeking, check_live_other_stream, check_replaced]
    if "without AUBO" not in subprocess.run([ARMTAP, "--version"], capture_output=True, text=True).stdout:
        checks += [check_live_ndjson, check_live_csv]
    for check in checks:
        check()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
