#!/usr/bin/env python3
"""Where -o writes: temporary files are hidden, links are followed, an input is never overwritten under any name, and a
file that the shell opened is written from its current position."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tally import expect, finish

ARMTAP = os.environ.get("ARMTAP", "./armtap")
CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")
RECIPE = b'<?xml version="1.0"?><rtde_config><recipe key="out"><field name="timestamp" type="DOUBLE"/></recipe></rtde_config>'


def content(name):
    with open(name, "rb") as file:
        return file.read()


def put(name, data):
    with open(name, "wb") as file:
        file.write(data)


def run(*arguments, **how):
    done = subprocess.run([ARMTAP, *arguments], stdout=how.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, timeout=60,
                          **how)
    return done.returncode, done.stderr.decode(), done.stdout


def refused(what, inputs, *arguments, **how):
    """Status 2 with a message, and every input is unchanged."""
    before = [content(name) for name in inputs]
    names = sorted(os.listdir("."))
    status, message, _ = run(*arguments, **how)
    said = "this file is also an input" in message or "standard output is one of the files being read" in message
    expect(what, status == 2 and said and message.count("\n") == 1, (status, message))
    expect(what + ": untouched", before == [content(name) for name in inputs])
    expect(what + ": nothing left", names == sorted(os.listdir(".")), os.listdir("."))


def inputs_stay():
    shutil.copy(os.path.join(CAPTURES, "cb3-1060.pcap.gz"), "cap.gz")
    shutil.copy(os.path.join(CAPTURES, "rtde-stop.pcap"), "cap.0.csv")
    put("r.xml", RECIPE)
    os.link("cap.gz", "hard.csv")
    os.symlink("cap.gz", "soft.csv")
    os.symlink("soft.csv", "softer.csv")
    os.mkdir("d")
    for out in "cap.gz", "./cap.gz", "hard.csv", "soft.csv", "softer.csv", "d/../cap.gz":
        refused("file and " + out, ["cap.gz"], "export", "cap.gz", "-f", "csv", "-o", out)
        refused("link and " + out, ["cap.gz"], "export", "softer.csv", "-f", "csv", "-o", out)
        with open("cap.gz", "rb") as file:
            refused("input and " + out, ["cap.gz"], "export", "-", "-f", "csv", "-o", out, stdin=file)
    refused("the second file", ["cap.gz"], "export", "cap.0.csv", "cap.gz", "-f", "csv", "-o", "hard.csv")
    for out in "r.xml", "./r.xml":
        refused("recipe and " + out, ["r.xml"], "export", "cap.0.csv", "--recipe", "r.xml", "-f", "csv", "-o", out)
    refused("a file of --split", ["cap.0.csv"], "export", "cap.0.csv", "--split", "-o", "cap.csv")
    with open("cap.0.csv", "ab") as end:
        for command in "export", "info":
            refused(command + " >>", ["cap.0.csv"], command, "cap.0.csv", stdout=end)
        refused("export -o /dev/stdout >>", ["cap.0.csv"], "export", "cap.0.csv", "-o", "/dev/stdout", stdout=end)
        refused("export -o /dev/fd/N >>", ["cap.0.csv"], "export", "cap.0.csv", "-o", "/dev/fd/%d" % end.fileno(),
                pass_fds=[end.fileno()])


def links_lead(rows):
    os.mkdir("far")
    put("far/old.csv", b"old")
    os.chmod("far/old.csv", 0o640)
    os.symlink("far/old.csv", "to-old.csv")
    os.symlink("far/new.csv", "to-new.csv")
    os.symlink("to-new2.csv", "to-new1.csv")
    os.symlink(os.path.abspath("far/new2.csv"), "to-new2.csv")
    os.symlink("nowhere/new.csv", "to-nowhere.csv")
    os.symlink("ring.csv", "ring.csv")
    for link, target in ("to-old.csv", "far/old.csv"), ("to-new.csv", "far/new.csv"), ("to-new1.csv", "far/new2.csv"):
        status, message, _ = run("export", "cap.pcap", "-o", link)
        expect(link, status == 0 and os.path.islink(link) and content(target) == rows, (status, message))
    expect("its rights stay", os.stat("far/old.csv").st_mode & 0o777 == 0o640)
    expect("nothing beside", sorted(os.listdir("far")) == ["new.csv", "new2.csv", "old.csv"], os.listdir("far"))
    for link in "to-nowhere.csv", "ring.csv":
        status, message, _ = run("export", "cap.pcap", "-o", link)
        expect(link, status == 2 and link in message and os.path.islink(link), (status, message))


def devices_and_memory(rows):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        name = os.path.join(folder, "x.csv")
        for _ in range(2):
            status, message, _ = run("export", "cap.pcap", "-o", name)
            expect("a file in memory is replaced", status == 0 and content(name) == rows, (status, message))
        expect("nothing beside it", os.listdir(folder) == ["x.csv"], os.listdir(folder))
    os.symlink("/dev/stdout", "out.csv")
    for out in "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "out.csv":
        with open("all.txt", "wb") as file:
            file.write(b"before\n")
            file.flush()
            status, message, _ = run("export", "cap.pcap", "-f", "csv", "-o", out, stdout=file)
            os.write(file.fileno(), b"after\n")
        expect("in the midst of " + out, status == 0 and content("all.txt") == b"before\n" + rows + b"after\n",
               (status, message, content("all.txt")[:50]))
    status, message, out = run("export", "cap.pcap", "-f", "csv", "-o", "/dev/stdout")
    expect("a pipe", status == 0 and out == rows, (status, message))
    status, message, _ = run("export", "cap.pcap", "-f", "csv", "-o", "/dev/fd/77")
    expect("no such descriptor", status == 2 and "/dev/fd/77" in message, (status, message))
    expect("/dev/null", run("export", "cap.pcap", "-f", "csv", "-o", "/dev/null")[0] == 0)


def hidden_until_whole():
    """While it is written a file has a name that no shell pattern matches; long names have room for it, too."""
    os.mkdir("h")
    long_name = "h/" + "n" * 251 + ".csv"
    for name in "h/x.csv", long_name:
        program = subprocess.Popen([ARMTAP, "export", "-", "-o", name, "--raw", "realtime"], stdin=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not os.listdir("h") and time.monotonic() < end:
            time.sleep(0.02)
        names = os.listdir("h")
        expect("hidden: " + name[:20], len(names) == 1 and names[0].startswith("." + name[2:20]), names)
        program.stdin.close()
        program.wait()
        for left in os.listdir("h"):
            os.remove("h/" + left)


os.environ.pop("POSIXLY_CORRECT", None)
folder = tempfile.mkdtemp()
back = os.getcwd()
ARMTAP, CAPTURES = os.path.abspath(ARMTAP), os.path.abspath(CAPTURES)
try:
    os.chdir(folder)
    inputs_stay()
    shutil.copy(os.path.join(CAPTURES, "rtde-stop.pcap"), "cap.pcap")
    ROWS = run("export", "cap.pcap")[2]
    expect("rows", ROWS.startswith(b"time,") and ROWS.count(b"\n") > 10)
    links_lead(ROWS)
    devices_and_memory(ROWS)
    hidden_until_whole()
finally:
    os.chdir(back)
    shutil.rmtree(folder)
sys.exit(finish())
