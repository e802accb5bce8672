#!/usr/bin/env python3
"""System calls, as strace sees them: how many a file and a packet cost, whatever else lies in the folder; that outputs are on
the disk before they get their names; and a signal at each call: none that can be caught leaves a partial file, the kill that
cannot leaves OUT.partial only. `calls-check.py --all` tries every call, otherwise a sample."""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter

from robot_capture import Capture, Client
from tally import ALL, expect, finish, lacks, share, side_by_side, skips

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
STEP = 1 if "--all" in sys.argv else 9 if ALL else 27
FIELDS = [("timestamp", "DOUBLE"), ("robot_mode", "INT32")]
FILES = "trace=%file,%desc,getdents,getdents64"
SIGNALS = [number for number in (*range(1, 32), signal.SIGRTMIN, signal.SIGRTMAX)
           if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)]


def clients(count, packages, path, first=0, port=40000):
    """A capture of that many connections, each with so many packages."""
    capture = Capture()
    for i in range(count):
        client = Client(capture, first + i / 100, FIELDS, port + i)
        for k in range(packages):
            client.package(first + i / 100 + k / 125, k / 125, 7)
    capture.frames.sort(key=lambda frame: frame[0])
    capture.write(path)
    return len(capture.frames)


def strace(*words, how=(), stdin=None, **more):
    return subprocess.run(["strace", "-f", "-q", "-o", "trace", *how, ARMTAP, *words], stdin=stdin, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False, **more)


def trace():
    with open("trace", encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def calls(*words):
    """How many calls concern files, and how many read folders."""
    done = strace(*words, how=("-e", FILES))
    expect(("status", words), done.returncode == 0, done.stderr)
    names = Counter(match[1] for match in (re.match(r"\d+ +(\w+)\(", line) for line in trace()) if match)
    return sum(names.values()), names["getdents"] + names["getdents64"]


# ---- cost --------------------------------------------------------------------------------------------------------------

FILE_CALLS, PACKET_CALLS = 26, 0.5  # at most, for each output and for each packet


def fill(folder, count):
    os.makedirs(folder, exist_ok=True)
    for i in range(count):
        with open("%s/other-%05d" % (folder, i), "wb"):
            pass


def outputs_cost(what, words_of, make, below=""):
    """A file costs the same in a folder with thousands of others; twice as many cost twice as much."""
    counted = {}
    for count in 20, 60:
        names = make(count)
        for others in 0, 4000:
            folder = "%s-%d-%d" % (what, count, others)
            fill(folder + below, others)
            counted[count, others] = calls(*words_of(folder, names))
    print(what, counted)
    expect((what, "what else is in the folder costs nothing"), all(counted[count, 0] == counted[count, 4000] for count in (20, 60)), counted)
    expect((what, "no folder is read"), not any(folders for _, folders in counted.values()), counted)
    each = (counted[60, 0][0] - counted[20, 0][0]) / 40
    expect((what, "calls for each file"), each <= FILE_CALLS, each)


def split_cost():
    def make(count):
        clients(count, 3, "split.pcap")
        return ["split.pcap"]
    outputs_cost("split", lambda folder, names: ("export", "--threads", "1", "--split", *names, "-o", folder + "/x.csv"), make)


def folder_cost():
    """Files of some days, each in a folder of its own."""
    def make(count):
        for i in range(count):
            clients(1, 3, "day-%d.pcap" % i, 86400 * (i // 10) + 3600 * (i % 10), 41000 + i)
        return ["day-%d.pcap" % i for i in range(count)]
    outputs_cost("parquet", lambda folder, names: ("export", "--threads", "1", "-f", "parquet", *names, "-o", folder + "/"), make,
                 "/robot=10.0.0.2%3A30004/date=2026-01-31")


def index_cost():
    def make(count):
        for i in range(count):
            clients(1, 3, "part-%d.pcap" % i, 10 * i)
        return ["part-%d.pcap" % i for i in range(count)]
    outputs_cost("index", lambda folder, names: ("index", *names, "-o", folder), make)


def packets_cost():
    """One output, and more than descriptors may stay open."""
    for what, count, limit in ("one", 1, None), ("many", 40, 64):
        for words in ("-o", "x.csv"), ("-f", "ndjson", "-o", "x.ndjson"), ("-f", "parquet", "-o", "x.parquet"), ("-f", "mcap", "-o", "x.mcap"):
            counted = []
            for packages in 2000 // count, 8000 // count:
                packets = clients(count, packages, "packets.pcap")
                lines = ["sh", "-c", "ulimit -n %d; exec \"$@\"" % limit, "-"] if limit else []
                done = subprocess.run(["strace", "-f", "-q", "-o", "trace", "-e", FILES, *lines, ARMTAP, "export", "--threads", "1",
                                       "packets.pcap", *(["--split"] if limit else []), *words], capture_output=True, text=True, check=False)
                expect(("packets", what, words), done.returncode == 0, done.stderr)
                counted.append((packets, len(trace())))
            each = (counted[1][1] - counted[0][1]) / (counted[1][0] - counted[0][0])
            expect(("calls for each packet", what, words), each <= PACKET_CALLS, each, counted)


# ---- order -------------------------------------------------------------------------------------------------------------

def paths_of(lines, pattern):
    return [(i, match[1]) for i, match in ((i, re.search(pattern, line)) for i, line in enumerate(lines)) if match]


def synced_first():
    """Each output is synced before the first one is renamed, and the folder after the last."""
    clients(5, 50, "in.pcap")
    for limit in 1024, 16:  # with and without descriptors that stay open
        for words in (("export", "in.pcap", "-o", "x.ndjson"), ("export", "in.pcap", "--split", "-o", "x.csv"),
                      ("export", "in.pcap", "-f", "parquet", "-o", "data/"), ("index", "in.pcap", "-o", "sidecars"),
                      ("report", "--findings-ok", "in.pcap", "-o", "x.html"), ("plot", "in.pcap", "--fields", "robot_mode", "-o", "x.svg")):
            if limit < 1024 and words[0] != "export":
                continue
            done = strace(*words, how=("-y", "-e", "trace=fsync,rename,renameat,renameat2"),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))  # pylint: disable=cell-var-from-loop
            lines = trace()
            renamed = paths_of(lines, r'rename\w*\(.*"([^"]*\.partial)",')
            synced = paths_of(lines, r"fsync\(\d+<([^>]*)>")
            expect((words, "status"), done.returncode == 0 and renamed, done.stderr, lines)
            first, last = renamed[0][0], renamed[-1][0]
            before = {os.path.realpath(path) for i, path in synced if i < first}
            expect((words, "each is synced before"), before == {os.path.realpath(path) for _, path in renamed}, lines)
            folders = [path for i, path in synced if i > last]
            expect((words, "each folder once, after"), sorted(folders) == sorted({os.path.realpath(os.path.dirname(path) or ".")
                                                                                for _, path in renamed}), lines)


def fails(call):
    """A call that fails: status 2, the old file, nothing beside it."""
    for words, names in ((("-o", "x.csv"), ["x.csv"]), (("--split", "-o", "x.csv"), ["x.0.csv", "x.1.csv", "x.2.csv"])):
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        for name in names:
            put("out/" + name, "old")
        clients(1 if len(names) == 1 else 3, 20, "in.pcap")
        done = strace("export", "--threads", "1", "in.pcap", *words[:-1], "out/" + words[-1],
                      how=("-e", "trace=" + call, "-e", "inject=%s:error=EIO:when=1" % call))
        kept = [name for name in names if content("out/" + name) == "old"]
        wanted = len(names) if call == "fsync" else 1
        expect((call, words, "fails"), done.returncode == 2 and "Input/output error" in done.stderr and sorted(os.listdir("out")) == names and
               len(kept) == wanted, done, os.listdir("out"), kept)


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def content(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


# ---- a signal at each call ---------------------------------------------------------------------------------------------

def whole(path):
    with open(path, "rb") as file:
        return file.read()


def points(words, stdin):
    """Each call of a run, as (its name, which of them)."""
    with open(stdin, "rb") as file:
        strace(*words, stdin=file)
    names = [match[1] for match in (re.match(r"\d+ +(\w+)\(", line) for line in trace()) if match]
    seen = Counter()
    for name in names:
        seen[name] += 1
        if name not in ("execve", "exit_group"):
            yield name, seen[name]


def signals_at(what, words, out, live=False):
    """`live`: what came until then is an output of its own."""
    clients(2 if "--split" in words else 1, 300, "in.pcap")
    put("empty", "")
    stdin = "in.pcap" if live else "empty"
    os.makedirs("out")
    names = [out]
    with open(stdin, "rb") as file:
        strace(*words, stdin=file)
    names = sorted(os.listdir("out"))
    wanted = {name: whole("out/" + name) for name in names}
    tried, ended = 0, Counter()
    for i, (name, number) in enumerate(list(points(words, stdin))):
        for how in ([SIGNALS[i % len(SIGNALS)], signal.SIGKILL] if i % STEP == 0 else []):
            shutil.rmtree("out")
            os.mkdir("out")
            for old in names:
                put("out/" + old, "old")
            with open(stdin, "rb") as file:
                done = strace(*words, stdin=file, how=("-e", "trace=" + name, "-e", "inject=%s:signal=%d:when=%d" % (name, how, number)))
            found = {left: whole("out/" + left) for left in os.listdir("out")}
            where = (what, name, number, signal.Signals(how).name if how in list(signal.Signals) else how, done.returncode)
            tried += 1
            ended[done.returncode] += 1
            partial = {left for left in found if left not in names}
            allowed = {left + ".partial" for left in names} if how == signal.SIGKILL else set()
            expect((*where, "nothing is left"), partial <= allowed, partial, done.stderr)
            for old in names:
                is_good = found.get(old) in (b"old", wanted[old]) or (live and is_beginning(found.get(old), wanted[old]))
                expect((*where, "old or whole"), is_good, old, found.get(old, b"")[-200:])
            if done.returncode == 0 and how != signal.SIGKILL:
                expect((*where, "status 0"), all(found[old] != b"old" for old in names), done.stderr)
    print(what, tried, "signals;", dict(ended))


def is_beginning(data, whole_data):
    return data is not None and data.endswith(b"\n") and whole_data.startswith(data)


def signals_at_export():
    signals_at("export", ("export", "--threads", "1", "in.pcap", "-o", "out/x.csv"), "x.csv")


def signals_at_split():
    signals_at("split", ("export", "--threads", "1", "in.pcap", "--split", "-o", "out/x.csv"), "x.csv")


def signals_at_live():
    signals_at("live", ("export", "--threads", "1", "-", "-o", "out/x.csv"), "x.csv", True)


def signals_at_hdf5():
    signals_at("h5", ("export", "--threads", "1", "in.pcap", "-o", "out/x.h5"), "x.h5")


def main():
    if not shutil.which("strace"):
        lacks("strace")
        return 77
    probe = subprocess.run(["strace", "-o", "/dev/null", "-e", "inject=getppid:signal=1", "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        skips("strace may not trace here: " + probe.stderr.decode())
        return 77
    side_by_side(*share((split_cost, folder_cost, index_cost, packets_cost, synced_first), 2, "costs in calls"))
    side_by_side(*share((lambda: fails("fsync"), lambda: fails("rename"), signals_at_export, signals_at_split, signals_at_live), 3,
                        "faults and signals at calls"))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
