#!/usr/bin/env python3
"""Standard output whose reader has gone, of every command: nothing is said, and the status is what it would have been; a live run
ends. Standard output that was closed from the beginning or that is full: status 2, and a message."""
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tally import expect, finish  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(HERE, "..", "captures")
STOP, RTDE, BOTH = (os.path.join(SAMPLES, name) for name in ("driver-stop.pcap.gz", "rtde-v2.pcapng.gz", "both-streams.pcap.gz"))
# Each command's lines that print; {} is a folder.
LINES = {
    "info": [["info", STOP], ["info", "--json", STOP], [STOP]], "diagnose": [["diagnose", STOP], ["diagnose", "--json", STOP], ["diagnose", "--list"]],
    "stats": [["stats", RTDE], ["stats", "--json", RTDE]], "compare": [["compare", BOTH]],
    "export": [["export", "-f", name, RTDE] for name in ("csv", "gnuplot", "ndjson", "parquet", "mcap", "npz", "arrow")] + [["export", "--grid", "10ms", RTDE]],
    "plot": [["plot", "-f", name, RTDE] for name in ("svg", "html")], "report": [["report", "-o", "-", STOP]], "dissector": [["dissector"]],
    "fields": [["fields"], ["fields", "--json"], ["fields", "--kaitai", "rtde"], ["fields", "--error"]],
    "recipe": [["recipe", "--layout", "1060"], ["recipe", "--list"], ["recipe", "--from", RTDE]], "infer": [["infer", "--no-handshake", RTDE]],
    "merge": [["merge", "{}/summary.json"]], "explain": [["explain", "--packet", "20", RTDE], ["explain", "--hex", "00 03 76"]],
    "watch": [["watch", "--once", RTDE]],
    "record": [], "proxy": [], "serve": [],  # until Ctrl-C, and what they print is for standard error
    "index": [],  # prints nothing
}


def run(words, output, close=False):
    command = ["sh", "-c", 'exec "$@" >&-', "sh", ARMTAP, *words] if close else [ARMTAP, *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    return done.returncode, done.stderr


def abandoned():
    """A pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def check(words, folder):
    with open(os.path.join(folder, "out"), "wb") as out:
        usual = run(words, out)
    expect((words, "it prints"), usual[0] in (0, 1) and os.path.getsize(os.path.join(folder, "out")) > 0, usual)
    writer = abandoned()
    found = run(words, writer)
    os.close(writer)
    expect((words, "a pipe without a reader"), found == usual, found, usual)
    status, said = run(words, None, close=True)
    expect((words, "closed"), status == 2 and "standard output" in said and "one of the files being read" not in said, status, said)
    with open("/dev/full", "wb") as full:
        status, said = run(words, full)
    expect((words, "full"), status == 2 and "standard output: cannot be written: " in said, status, said)


def check_live():
    """The capture goes on, its reader does not."""
    for words in ["diagnose", "-"], ["export", "-"]:
        with subprocess.Popen([ARMTAP, *words], stdin=subprocess.PIPE, stdout=(writer := abandoned()), stderr=subprocess.PIPE) as program:
            os.close(writer)
            with open(os.path.join(SAMPLES, "rtde-refused.pcap" if words[0] == "diagnose" else "rtde-v1.pcap"), "rb") as file:
                program.stdin.write(file.read())
            program.stdin.flush()
            end = time.monotonic() + 30
            while program.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            expect((words, "ends by itself"), program.poll() in (0, 1), program.poll())
            program.kill()
            program.stdin.close()
            said = program.stderr.read()
            expect((words, "quietly"), b"output" not in said, said)


def main():
    commands = re.findall(r"^  (\w+)", subprocess.run([ARMTAP, "--help"], capture_output=True, text=True, check=True).stdout
                          .split("\nCommands:\n")[1].split("\n\n")[0], re.M)
    expect("a line of each command", set(commands) - {"help"} <= set(LINES), commands)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "summary.json"), "w") as file:
            subprocess.run([ARMTAP, "info", "--json", RTDE], stdout=file, check=True)
        for words in [["--help"], ["--version"], ["help", "export"]] + [line for name in commands for line in LINES.get(name, [])]:
            check([word.format(folder) if word.startswith("{}") else word for word in words], folder)
        expect("nothing to print needs no output", run(["index", RTDE, "-o", os.path.join(folder, "cars")], None, close=True) == (0, ""))
    check_live()


main()
sys.exit(finish())
