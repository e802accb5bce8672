#!/usr/bin/env python3
"""Where -o writes: OUT.partial until it is whole, links are followed, an input is never overwritten under any name, and a
file that the shell opened is written from its current position. Files that are replaced: their rights, their owners, whose
links the kernel follows. In every format: what a full disk, a kill, a folder that may not be written or a second run cannot
break."""
import ctypes
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "live"))
import capture  # noqa: E402  pylint: disable=wrong-import-position
from format_rows import rows_of
from tally import expect, finish, is_built_in, lacks, share

ARMTAP = os.environ.get("ARMTAP", "./armtap")
CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")
FORMATS = os.path.join(os.environ.get("srcdir", "."), "tools", "export", "formats", "formats.def")
LIBC = ctypes.CDLL(None)
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


def partial_until_whole():
    """While it is written a file is called so that everybody knows; long names have room for it, too."""
    os.mkdir("h")
    long_name = "h/" + "n" * 251 + ".csv"
    for name, wanted in ("h/x.csv", "x.csv.partial"), (long_name, "n" * 247 + ".partial"):
        program = begin_piped(name)
        wait_for(lambda: os.listdir("h"))
        expect("partial: " + name[:20], os.listdir("h") == [wanted], os.listdir("h"))
        program.stdin.close()
        program.wait()
        for left in os.listdir("h"):
            os.remove("h/" + left)


def partial_of_others():
    """What is called OUT.partial and is no output that a run has left stays as it is: an input, under any of its names, what
    somebody put there, links, folders, pipes."""
    os.mkdir("p")
    capture_bytes = content("cap.pcap")
    built = ["x.mat"] * is_built_in("libhdf5")
    for out in "x.csv", "x.ndjson", "x.parquet", "x.mcap", "x.svg", "x.html", *built:
        command = {"html": ["report", "--findings-ok"], "svg": ["plot"]}.get(out[2:], ["export"])
        out = "p/" + out
        for kind in "input", "linked input", "piped input", "text", "link", "dangling link", "folder", "pipe":
            beside, source, piped = out + ".partial", "cap.pcap", None
            if kind == "piped input" and command[0] == "report":
                continue  # which reads its input several times
            if "input" in kind:
                put(beside, capture_bytes)
                source = beside
                if kind == "linked input":
                    os.link(beside, "p/linked.pcap")
                    source = "p/linked.pcap"
                elif kind == "piped input":
                    source, piped = "-", open(beside, "rb")  # pylint: disable=consider-using-with
            elif kind == "text":
                put(beside, b"precious\n")
            elif "link" in kind:
                os.symlink(os.path.abspath("cap.pcap" if kind == "link" else "absent"), beside)
            else:
                os.mkdir(beside) if kind == "folder" else os.mkfifo(beside)
            before = os.lstat(beside)
            status, message, _ = run(*command, source, "-o", out, **({"stdin": piped} if piped else {}))
            if piped:
                piped.close()
            found = [name for name in sorted(os.listdir("p")) if os.lstat("p/" + name).st_ino == before.st_ino and name != "linked.pcap"]
            base = os.path.basename(beside)
            expect("%s.partial: %s" % (out, kind), status == 0 and found == [base + "-1" if kind == "text" else base] and base in message,
                   status, message, os.listdir("p"))
            if "input" in kind or kind == "text":
                expect("%s.partial: %s: whole" % (out, kind), found and content("p/" + found[0]) == (b"precious\n" if kind == "text" else capture_bytes))
            shutil.rmtree("p")
            os.mkdir("p")


# ---- files of others ---------------------------------------------------------------------------------------------------


def wait_for(truth):
    end = time.monotonic() + 20
    while not truth() and time.monotonic() < end:
        time.sleep(0.01)
    return truth()


def begin_piped(out, *options, **how):
    """An export that waits for more of its input."""
    return subprocess.Popen([ARMTAP, "export", "-", "-o", out, "--raw", "realtime", *options], stdin=subprocess.PIPE,
                            stderr=how.pop("stderr", subprocess.DEVNULL), **how)


def rights_of_replaced():
    """A file has the rights of the one that it replaces from its first moment on: the kernel's own record of each call."""
    for umask in 0o022, 0, 0o077:
        for mode in 0o600, 0o640, 0o644, 0o660, 0o666, 0o700, 0o604:
            put("rights.csv", b"old")
            os.chmod("rights.csv", mode)
            program = begin_piped("rights.csv", preexec_fn=lambda: os.umask(umask))  # pylint: disable=cell-var-from-loop
            wait_for(lambda: os.path.exists("rights.csv.partial"))
            time.sleep(0.05)
            seen = os.stat("rights.csv.partial").st_mode & 0o777
            program.communicate(b"")
            expect("rights %o, umask %o" % (mode, umask), seen == mode, oct(seen))
            os.remove("rights.csv")
    if not shutil.which("strace"):
        lacks("strace", "how files are created")
        return
    for mode in 0o600, 0o640, 0o666, 0o400:
        put("rights.csv", b"old")
        os.chmod("rights.csv", mode)
        os.umask(0)
        subprocess.run(["strace", "-f", "-o", "trace", "-e", "trace=open,openat,fchmod,chmod,rename", ARMTAP, "export", "cap.pcap",
                        "-o", "rights.csv"], check=True, env={**os.environ, "LSAN_OPTIONS": "detect_leaks=0"})
        os.umask(0o022)
        lines = [line for line in content("trace").decode().splitlines() if "rights.csv.partial" in line and "O_CREAT" in line]
        made = [int(re.search(r", (0[0-7]*)\)", line)[1], 8) for line in lines]
        expect("made with no more than %o" % mode, len(made) == 1 and made[0] & ~mode == 0, lines)
        expect("not over a link, nor over a file", all("O_EXCL" in line and "O_NOFOLLOW" in line for line in lines), lines)
        expect("ends with %o" % mode, os.stat("rights.csv").st_mode & 0o777 == mode)
        os.remove("rights.csv")


def as_somebody(user, *command):
    return subprocess.run(command, user=user, group=user, extra_groups=[], capture_output=True, text=True, check=False)


def owners():
    """Replacing a file of somebody else is said. In a sticky folder links of others are not followed, which is the
    kernel's rule, and files of others are not replaced."""
    if os.geteuid() != 0:
        print("files of others: not tried: needs root")
        return
    program = shutil.copy(ARMTAP, "program") if os.access(ARMTAP, os.X_OK) else ARMTAP
    os.chmod(".", 0o755)
    for name, mode in ("shared", 0o777), ("sticky", 0o1777):
        os.mkdir(name)
        os.chmod(name, mode)
        os.chown(name, 4321, 4321)
    shutil.copy("cap.pcap", "shared/cap.pcap")
    for out in "shared/x.csv", "sticky/x.csv":
        put(out, b"old")
        os.chown(out, 4322, 4322)
        os.chmod(out, 0o666)
    done = as_somebody(4323, os.path.abspath(program), "export", "shared/cap.pcap", "-o", "shared/x.csv")
    expect("a file of another user is replaced", done.returncode == 0 and "it belongs to user 4322" in done.stderr and
           os.stat("shared/x.csv").st_uid == 4323, done)
    done = as_somebody(4323, os.path.abspath(program), "export", "shared/cap.pcap", "-o", "shared/x.csv")
    expect("an own file is replaced", done.returncode == 0 and done.stderr == "", done)
    done = as_somebody(4323, os.path.abspath(program), "export", "shared/cap.pcap", "-o", "sticky/x.csv")
    expect("a file of another user in a sticky folder", done.returncode == 2 and "Operation not permitted" in done.stderr and
           content("sticky/x.csv") == b"old" and os.listdir("sticky") == ["x.csv"], done)
    for target in "there.csv", "absent.csv":
        put("shared/there.csv", b"old")
        os.chmod("shared/there.csv", 0o666)
        os.symlink(os.path.abspath("shared/" + target), "sticky/link")
        os.lchown("sticky/link", 4322, 4322)
        done = as_somebody(4323, os.path.abspath(program), "export", "shared/cap.pcap", "-f", "csv", "-o", "sticky/link")
        protected = content("/proc/sys/fs/protected_symlinks").strip() == b"1"
        if protected:
            expect("a link of another user", done.returncode == 2 and "Permission denied" in done.stderr and
                   content("shared/there.csv") == b"old" and not os.path.exists("shared/absent.csv"), done)
        else:
            print("a link of another user: the kernel allows it here (fs.protected_symlinks)")
        os.remove("sticky/link")


# ---- damage, in every format -------------------------------------------------------------------------------------------


def make_large(path):
    """Legacy packets whose numbers do not compress, enough for several parts of any file."""
    packets = b"".join(bytes.fromhex("00000424") + struct.pack(">d", 0.008 * i) + random.Random(i).randbytes(12 * 8).ljust(1060 - 12, b"\0")
                       for i in range(4000))
    link = capture.Connection(30003, 41000)
    for i in range(4000):
        link.say(0.008 * i, "robot", packets[1060 * i:1060 * (i + 1)])
    capture.write(path, link.packets)


def left_in_place(what, folder, old):
    """The old output is as it was, and there is nothing else."""
    found = {name: content(os.path.join(folder, name)) for name in os.listdir(folder)}
    expect(what + ": the old file, and no other", found == old, {name: len(data) for name, data in found.items()})


def full_disk(out, whole):
    """The file may grow no further than this, as on a full disk."""
    for size in 0, 1, len(whole) // 2, len(whole) - 1:
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # pylint: disable=cell-var-from-loop
        status, message, _ = run("export", "large.pcap", "-o", out, preexec_fn=limit)
        expect("%s: full at %d" % (out, size), status == 2 and "File too large" in message and message.count("\n") == 1, (status, message))
        left_in_place("%s: full at %d" % (out, size), "out", {os.path.basename(out): b"old"})


def small_disk(outs):
    """A file system with room for a part of each file."""
    script = "mount -t tmpfs -o size=64k none out && for name; do printf old >out/$name; %s export large.pcap -o out/$name; echo status $?; " \
             "ls -A out; cat out/$name; rm out/$name; done" % ARMTAP
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode != 0:
        print("small_disk: this user may mount nothing")
        return
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "-", *outs], capture_output=True, text=True, check=False)
    expect("a full disk", done.stdout == "".join("status 2\n%s\nold" % name for name in outs), done.stdout)
    expect("a full disk is named", done.stderr.count("No space left on device; free some space") == len(outs), done.stderr)


def killed(out, whole):
    """Killed when it has read a part: the old file stays, and OUT.partial. The next run is whole, names it, and keeps it, since
    it may be anybody's."""
    data = content("large.pcap")
    base = os.path.basename(out)
    program = subprocess.Popen([ARMTAP, "export", "-", "-o", out], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    program.stdin.write(data[:len(data) // 2])
    wait_for(lambda: len(os.listdir("out")) >= 2)
    time.sleep(0.5)
    program.kill()
    program.wait()
    expect(out + ": killed", sorted(os.listdir("out")) == [base, base + ".partial"] and content(out) == b"old", os.listdir("out"))
    left = content(out + ".partial")
    status, message, _ = run("export", "large.pcap", "-o", out)
    kept = len(left) > 0
    expect(out + ": the next run", status == 0 and message.count("left by a run that was killed, %d bytes" % len(left)) == 1, message)
    found = {base: whole, base + ".partial-1": left} if kept else {base: whole}
    left_in_place(out + ": the next run", "out", found)
    if kept:
        readable = not re.search(r"\.(parquet|npz|mat|h5|hdf5)$", out)
        expect(out + ": it has rows", len(left) > 1000 or not readable, len(left))
        os.remove(out + ".partial-1")
    status, message, _ = run("export", "large.pcap", "-o", out)
    expect(out + ": the run after", status == 0 and message == "", message)


def two_at_once(out, whole):
    runs = [subprocess.Popen([ARMTAP, "export", "large.pcap", "-o", out]) for _ in range(2)]
    expect(out + ": two at once", [one.wait() for one in runs] == [0, 0])
    left_in_place(out + ": two at once", "out", {os.path.basename(out): whole})


def forbidden(out):
    """A folder that this user may not write to; root may, until CAP_DAC_OVERRIDE is dropped from its bounding set."""
    os.chmod("out", 0o555)
    drop = (lambda: LIBC.prctl(24, 1, 0, 0, 0)) if os.geteuid() == 0 else None
    status, message, _ = run("export", "large.pcap", "-o", out, preexec_fn=drop)
    os.chmod("out", 0o755)
    expect(out + ": forbidden", status == 2 and "Permission denied" in message, (status, message))
    left_in_place(out + ": forbidden", "out", {os.path.basename(out): b"old"})


def every_format():
    endings = [ending for _, _, endings, _, _ in rows_of(FORMATS) for ending in endings[:1]] + [".csv.gz"]
    if not is_built_in("libhdf5"):
        endings = [ending for ending in endings if ending not in (".mat", ".h5")]
    expect("formats", {".csv", ".parquet", ".mcap"} <= set(endings), endings)
    make_large("large.pcap")
    os.mkdir("out")
    for ending in share(endings, 4, "formats"):
        out = "out/x" + ending
        status, message, _ = run("export", "large.pcap", "-o", out)
        whole = content(out)
        expect(out, status == 0 and len(whole) > 200000, message)
        for damage in (lambda: full_disk(out, whole), lambda: killed(out, whole), lambda: two_at_once(out, whole), lambda: forbidden(out)):
            put(out, b"old")
            damage()
        os.remove(out)
    small_disk(["x" + ending for ending in endings])
    status, message, _ = run("export", "large.pcap", "-f", "npz", env={**os.environ, "TMPDIR": "/nonexistent"})
    expect("no place for temporary files", status == 2 and "/nonexistent: " in message and "; name another place" in message and "TMPDIR" in message, (status, message))


os.environ.pop("POSIXLY_CORRECT", None)
folder = tempfile.mkdtemp()
back = os.getcwd()
ARMTAP, CAPTURES, FORMATS = (os.path.abspath(path) for path in (ARMTAP, CAPTURES, FORMATS))
try:
    os.chdir(folder)
    inputs_stay()
    shutil.copy(os.path.join(CAPTURES, "rtde-stop.pcap"), "cap.pcap")
    ROWS = run("export", "cap.pcap")[2]
    expect("rows", ROWS.startswith(b"time,") and ROWS.count(b"\n") > 10)
    links_lead(ROWS)
    devices_and_memory(ROWS)
    partial_until_whole()
    partial_of_others()
    rights_of_replaced()
    owners()
    every_format()
finally:
    os.chdir(back)
    shutil.rmtree(folder)
sys.exit(finish())
