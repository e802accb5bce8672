#!/usr/bin/env python3
"""The programs in examples/, built against the libraries of this build. capture.c: what it prints of every sample, plain and packed, is what
`export` writes, to the bit; what it says of files that are cut, damaged, packed, or no captures. client.c: what it reads from `armtap
serve` is what was captured. The block of docs/in-c.md is the example."""
import glob
import gzip
import json
import lzma
import os
import re
import signal
import subprocess
import threading
from functools import partial

from pages import fences
from tally import decodable, expect, finish, is_built_in, side_by_side, until

TOP = os.path.abspath(os.environ.get("srcdir", "."))
BUILT = os.path.abspath(os.environ.get("builddir", "."))
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = TOP + "/captures/"
FLAGS = os.environ.get("CC", "cc").split() + os.environ.get("CFLAGS", "").split()
FOLDERS = ["-I%s/lib%s" % (top, one) for top in (TOP, BUILT) for one in ("", "/client", "/capture")]


def build(name, library):
    """Builds an example in this folder, as strictly as its headers are."""
    subprocess.run([*FLAGS, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *FOLDERS, "-c", "-o", name + ".o",
                    "%s/examples/%s.c" % (TOP, name)], check=True)
    subprocess.run(["sh", BUILT + "/libtool", "--quiet", "--tag=CC", "--mode=link", *FLAGS, "-static", "-o", name, name + ".o",
                    "%s/lib/%s.la" % (BUILT, library)], check=True)


def captured(*names):
    """What the example prints of files, and says: pairs of numbers, lines, its status."""
    done = subprocess.run(["./capture", *names], capture_output=True, text=True, check=False)
    return [tuple(map(float, line.split())) for line in done.stdout.splitlines()], done.stderr, done.returncode


def exported(*names):
    """The same pairs, as the program exports them: of records that bring actual_q."""
    export = [ARMTAP, "export", "-f", "ndjson", "--union", "--fields"]
    done = subprocess.run([*export, "timestamp,actual_q_0", *names], capture_output=True, text=True, check=False)
    if done.returncode: # those of AUBO's guide have no timestamp
        done = subprocess.run([*export, "actual_q_0", *names], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [(row.get("timestamp", 0.0), row["actual_q_0"]) for row in rows if "actual_q_0" in row]


def samples():
    total = 0
    for name in decodable(sorted(glob.glob(SAMPLES + "*.pcap*"))):
        found, said, status = captured(name)
        wanted = exported(name)
        expect(os.path.basename(name), sorted(found) == sorted(wanted) and not said and status == 0, len(found), len(wanted), said, found[:2], wanted[:2])
        total += len(found)
    expect("records of the samples", total > 1000, total)


def plain():
    """A pcap and a pcapng without packing, as bytes."""
    with open(SAMPLES + "rtde-stop.pcap", "rb") as one, open(SAMPLES + "rtde-v3.pcapng", "rb") as other:
        return one.read(), other.read()


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)
    return name


def packings():
    pcap, pcapng = plain()
    wanted = exported(SAMPLES + "rtde-stop.pcap")
    expect("gzip twice", captured(write("twice", gzip.compress(gzip.compress(pcap)))) == (wanted, "", 0))
    if is_built_in("liblzma"):
        expect("xz", captured(write("xz", lzma.compress(pcap))) == (wanted, "", 0))
    expect("two files", len(captured(SAMPLES + "rtde-stop.pcap", SAMPLES + "rtde-v3.pcapng")[0]) == len(wanted) + len(exported(SAMPLES + "rtde-v3.pcapng")))
    expect("pcapng, plain", captured(write("ng", pcapng)) == captured(SAMPLES + "rtde-v3.pcapng"))


def says(what, name, text, rows=0):
    found, said, status = captured(name)
    expect(what, re.fullmatch(text + "\n", said) and status == 1 and len(found) >= rows, said, status, len(found))


def damage():
    pcap, _ = plain()
    wanted = exported(SAMPLES + "rtde-stop.pcap")
    says("a file cut short", write("cut.pcap", pcap[:-7]), r"cut\.pcap: packet \d+: the file ends in the middle of a packet or header \(of \d+ bytes of a packet there are \d+\)", len(wanted) - 2)
    says("a packed file cut short", write("cut.gz", gzip.compress(pcap)[:-100]), r"cut\.gz: packet \d+: the gzip data ends early; copy or fetch the file again", 10)
    says("damage within", write("bad.pcap", pcap[:24 + 8] + b"\xff" * 8 + pcap[40:]), r"bad\.pcap: packet 1: the file is damaged here \(a packet says that it has 4294967295 bytes\)")
    says("no capture", write("text", b"just a text\n"), "text: neither pcap nor pcapng")
    says("an empty file", write("empty", b""), "empty: it is empty")
    says("no file", "nowhere", "nowhere: cannot be opened: .+")
    says("a folder", ".", r"\.: cannot be read: .+")
    says("a link type that armtap does not read", write("link.pcap", pcap[:20] + (b"\xc9\0\0\0" if pcap[:1] in b"\xd4\x4d" else b"\0\0\0\xc9") + pcap[24:]), r"link\.pcap: packet \d+: packets of link type 201, which armtap does not read")


def page():
    with open(TOP + "/docs/in-c.md", encoding="utf-8") as file, open(TOP + "/examples/capture.c", encoding="utf-8") as example:
        expect("docs/in-c.md shows examples/capture.c", example.read().rstrip() in [block.rstrip() for language, block in fences(file.read()) if language == "c"])


def served():
    """The client beside a controller that plays a capture: each line is one of the capture's records."""
    wanted = {base for _, base in exported(SAMPLES + "rtde-stop.pcap")}
    serve = subprocess.Popen([ARMTAP, "serve", "--ports", "30004=0", "--loop", "--paused", SAMPLES + "rtde-stop.pcap"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said, port = "", None
    while not port:
        line = serve.stderr.readline()
        if not line:
            break
        said += line
        found = re.search(r"30004: .* listens on .*:(\d+)$", line)
        port = found and found.group(1)
    threading.Thread(target=serve.stderr.read, daemon=True).start()
    client, lines = subprocess.Popen(["./client", "127.0.0.1", port or "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True), []
    reader = threading.Thread(target=lambda: lines.extend(iter(client.stdout.readline, "")), daemon=True)
    reader.start()
    until("the client reads a robot", lambda: len(lines) >= 10, ends=lambda: client.poll() is not None, evidence=lambda: (said, lines))
    for program in (client, serve):
        program.send_signal(signal.SIGTERM)
        program.wait(30)
    events = client.stderr.read()
    rows = [tuple(map(float, line.split())) for line in lines]
    expect("what the client read", rows and all(base in wanted for _, base in rows) and [clock for clock, _ in rows] == sorted({clock for clock, _ in rows}), rows, events)
    expect("what happened", "connect" in events.lower() and events.count("\n") >= 2, events)


def case(run, name, library):
    build(name, library)
    run()


if __name__ == "__main__":
    page()
    side_by_side(partial(case, lambda: (samples(), packings(), damage()), "capture", "libarmtap-capture"), partial(case, served, "client", "libarmtap"))
    raise SystemExit(finish())
