#!/usr/bin/env python3
"""Archives on a bad day: a full disk, a folder that cannot be written, programs killed at any moment or side by side. No sidecar,
row, line of a manifest or summary is half written under its name, and running the same again completes it, to the byte."""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

import fleet  # noqa: E402  pylint: disable=wrong-import-position
from tally import ALL, expect, finish, share, skips  # noqa: E402  pylint: disable=wrong-import-position

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SCRIPTS = os.path.join(HERE, "..", "..", "docs", "archives")
KILLS, CHANGES = 40 if ALL else 8, 5


def run(*arguments, status=0, **more):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, check=False, **more)
    expect("armtap %s: status" % " ".join(arguments), done.returncode == status, done.returncode, done.stderr)
    return done.stderr


def files(folder, hidden=True):
    """The files of a folder, by path, with their bytes."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            if hidden or not (name.startswith(".") or name.endswith(".partial")):
                with open(os.path.join(top, name), "rb") as file:
                    found[os.path.relpath(os.path.join(top, name), folder)] = file.read()
    return found


def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Archive:
    """Captures, and what comes of them when nothing is wrong."""

    def __init__(self, folder):
        self.folder = folder
        os.mkdir(folder + "/captures")
        self.captures = fleet.make(folder + "/captures", steps=240)
        self.sidecars, self.data = folder + "/sidecars", folder + "/data/"
        run("index", "-o", self.sidecars, *self.captures)
        for capture in self.captures:
            self.export(capture, self.data)

    def index(self, where):
        return ("index", "-o", where, *self.captures)

    def words(self, capture, where, *more):
        return ("export", "--after", self.sidecars, "--findings-ok", capture, "-f", "parquet", "-o", where, *more)

    def export(self, capture, where, *more, **how):
        return run(*self.words(capture, where, *more), **how)


def manifest_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# ---- a full disk ---------------------------------------------------------------------------------------------------------


def check_full(archive):
    """A file may not grow: nothing new, nothing changed; and then there is room again."""
    out, busiest = archive.folder + "/full", archive.captures[-1]
    said = run(*archive.index(out), status=2, preexec_fn=limited(1000))
    expect("sidecars", "File too large" in said and all(archive_name in os.listdir(archive.sidecars) for archive_name in os.listdir(out)), said)
    for name, content in files(out).items():
        expect("%s is whole" % name, content == files(archive.sidecars)[name])
    run(*archive.index(out))
    expect("sidecars, with room", files(out) == files(archive.sidecars))
    said = archive.export(busiest, out + "/data/", status=2, preexec_fn=limited(3000))
    expect("rows", "File too large" in said and not files(out + "/data"), said, files(out + "/data").keys())
    manifest = out + "/manifest"
    archive.export(archive.captures[0], out + "/data/", "--manifest", manifest)
    before = files(out)["manifest"]
    said = archive.export(archive.captures[0], out + "/data/", "--manifest", manifest, status=2, preexec_fn=limited(len(before) + 20))
    expect("manifest", "--manifest %s: File too large" % manifest in said and files(out)["manifest"] == before, said)
    # What a killed run left of a line goes, what somebody else left stays.
    for left, stays in ((b'{"inpu', b""), (before[:-9], b""), (b"a remark", b"a remark\n")):
        with open(manifest, "ab") as file:
            file.write(left)
        archive.export(archive.captures[0], out + "/data/", "--manifest", manifest)
        expect("manifest after %s" % left[:20], files(out)["manifest"] == before + stays + before, files(out)["manifest"])
        with open(manifest, "wb") as file:
            file.write(before)


DISK = """
mount -t tmpfs -o size=$1 none $2 || exit 77
shift
cd $1
shift
"$@"
status=$?
find . -type f | sort
exit $status
"""


def on_a_disk(folder, size, *words):
    """Status, files and messages of a command on a disk of this size. None where nothing may be mounted."""
    for options in (["-m"], ["-rm"]):
        done = subprocess.run(["unshare", *options, "sh", "-c", DISK, "sh", size, folder, *words], capture_output=True, text=True, check=False)
        if done.returncode in (0, 1, 2) and "unshare:" not in done.stderr:
            return done.returncode, done.stdout.splitlines(), done.stderr
    return None


def check_disk(archive):
    """A real file system without room."""
    folder = archive.folder + "/disk"
    os.mkdir(folder)
    if not shutil.which("unshare") or on_a_disk(folder, "1m", "true") is None:
        skips("this user may not mount a small disk")
        return
    every = ("export", "-f", "parquet", "-o", "data/", "--manifest", "manifest", *archive.captures)
    for what, size, words in (("sidecars", "16k", archive.index("sidecars")), ("rows", "64k", every)):
        status, left, said = on_a_disk(folder, size, ARMTAP, *words)
        left = [name for name in left if not name.endswith("manifest") and "/sidecars/monday" not in name]
        expect("full disk: " + what, status == 2 and "No space left on device" in said and not left, status, left, said)
        status, left, said = on_a_disk(folder, "8m", ARMTAP, *words)
        expect("large disk: " + what, status == 0 and len(left) >= len(archive.captures), status, left, said)
    print("on disks of 16 kB, 64 kB and 8 MB")


def check_refused(archive):
    """A place that cannot be written."""
    with open(archive.folder + "/file", "wb"):
        pass
    for where in (archive.folder + "/file", "/proc/nowhere"):
        said = run(*archive.index(where), status=2)
        expect("sidecars: " + where, where in said and said.count("\n") == 1, said)
        said = archive.export(archive.captures[1], archive.folder + "/unused/", "--manifest", where + "/manifest", status=2)
        expect("manifest: " + where, "--manifest" in said, said)
    if os.getuid() != 0:
        os.mkdir(archive.folder + "/shut", 0o500)
        said = run(*archive.index(archive.folder + "/shut"), status=2)
        expect("sidecars: shut", "Permission denied" in said, said)


# ---- killed, and side by side --------------------------------------------------------------------------------------------


def sizes(folder):
    return {os.path.join(top, name): os.lstat(os.path.join(top, name)).st_size for top, _, names in os.walk(folder) for name in names}


def changes(folder):
    """Yields whenever files of the folder have come, gone or grown."""
    before = sizes(folder)
    while True:
        try:
            now = sizes(folder)
        except FileNotFoundError:  # renamed meanwhile
            continue
        yield now != before
        before = now


def kill_often(words, folder, cwd=None):
    """Starts a program and kills it when it has changed the folder so many times, or a moment later. How often it was killed:
    now and then it has come to its end."""
    subprocess.run(words, cwd=cwd, capture_output=True, check=True)
    kills, chance = 0, random.Random(7)
    for i in range(KILLS):
        watch, seen = changes(folder), 0
        next(watch)
        process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        while seen < i % CHANGES and process.poll() is None:
            seen += next(watch)
            time.sleep(0.0005)
        time.sleep(chance.random() * 0.005)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        yield kills


def check_killed(archive):
    """Killed at many moments; each time, what has its name is whole, or not there."""
    out = archive.folder + "/killed"
    capture = archive.captures[-1]
    rows = {name: content for name, content in files(archive.data).items() if "/night-%02d" % (len(archive.captures) - 1) in name}
    expect("rows of the last capture", len(rows) >= 2, rows.keys())
    manifest = out + "/manifest"
    for what, folder, words, wanted in (
            ("sidecars", out + "/sidecars", archive.index(out + "/sidecars"), files(archive.sidecars)),
            ("rows", out + "/data", archive.words(capture, out + "/data/", "--manifest", manifest), rows)):
        os.makedirs(out, exist_ok=True)
        kills = 0
        for kills in kill_often([ARMTAP, *words], folder):
            for name, content in files(folder, hidden=False).items():
                expect("killed: %s is whole" % name, wanted.get(name) == content or ".partial" in name, len(content))
            for name in list(files(folder, hidden=False))[::2]:
                os.remove(os.path.join(folder, name))
        expect("%s: killed while it ran" % what, kills > KILLS // 4, kills)
        run(*words)
        left = {name: content for name, content in files(folder).items() if ".partial-" not in name}  # named, and kept
        expect("%s: completed, and nothing else is left over" % what, left == wanted, left.keys() ^ wanted.keys())
        print("%s: killed %d times" % (what, kills))
    lines = manifest_of(manifest)
    expect("manifest: whole lines", len(lines) > 1 and all(line == lines[0] for line in lines), lines)


def check_scripts(archive):
    """merge.sh, killed at many moments: the summary is the old one or the new one."""
    place = archive.folder + "/scripts"
    shutil.copytree(SCRIPTS, place)
    os.chmod(place, 0o755)  # the source may be read-only
    os.mkdir(place + "/bin")
    os.symlink(ARMTAP, place + "/bin/armtap")
    os.environ["PATH"] = place + "/bin:" + os.environ["PATH"]
    os.symlink(archive.folder + "/captures", place + "/captures")
    os.symlink(archive.sidecars, place + "/sidecars")
    with open(place + "/captures.txt", "w", encoding="utf-8") as file:
        file.write("".join(os.path.relpath(name, archive.folder) + "\n" for name in archive.captures))
    done = subprocess.run(["./merge.sh"], cwd=place, capture_output=True, text=True, check=False)
    expect("merge.sh before the exports", done.returncode != 0 and done.stderr.count("has not been exported") == len(archive.captures) and
           "summary.json" not in os.listdir(place), done.stderr)
    for capture in archive.captures:
        subprocess.run(["./export.sh", os.path.relpath(capture, archive.folder)], cwd=place, check=True, stderr=subprocess.DEVNULL)
    expect("export.sh makes the same rows", files(place + "/data") == files(archive.data))
    whole = {"summary.json": subprocess.run([ARMTAP, "info", "--json", *(os.path.relpath(name, archive.folder) for name in archive.captures)],
                                            cwd=archive.folder, capture_output=True, check=False).stdout}
    kills = 0
    for kills in kill_often(["./merge.sh"], place, cwd=place):
        here = files(place)
        expect("summary.json", here.get("summary.json") in (None, whole["summary.json"]))
        expect("manifest.ndjson", here.get("manifest.ndjson", b"").count(b"\n") in (0, len(archive.captures)))
        for name in ("summary.json", "manifest.ndjson"):
            if name in here and kills % 2:
                os.remove(place + "/" + name)
    expect("merge.sh: killed while it ran", kills > KILLS // 4, kills)
    done = subprocess.run(["./merge.sh"], cwd=place, capture_output=True, text=True, check=False, preexec_fn=limited(1000))
    expect("merge.sh on a full disk", done.returncode != 0, done.stderr)
    expect("merge.sh on a full disk: the old ones stay", files(place).get("summary.json") in (None, whole["summary.json"]))
    subprocess.run(["./merge.sh"], cwd=place, check=True)
    expect("merge.sh, once more", files(place)["summary.json"] == whole["summary.json"])
    print("merge.sh: killed %d times" % kills)


def check_side_by_side(archive):
    """Many at the same time: sidecars twice each, all exports with one manifest."""
    out = archive.folder + "/together"
    os.mkdir(out)
    indexes = [subprocess.Popen([ARMTAP, *archive.index(out + "/sidecars")]) for _ in range(3)]
    expect("index: status", [one.wait() for one in indexes] == [0] * 3)
    expect("index: the same sidecars", files(out + "/sidecars") == files(archive.sidecars))
    more = ("--manifest", out + "/manifest")
    exports = [subprocess.Popen([ARMTAP, *archive.words(capture, out + "/data/", *more)], stderr=subprocess.DEVNULL)
               for capture in archive.captures * 2]
    expect("export: status", [one.wait() for one in exports] == [0] * len(exports))
    expect("export: the same rows", files(out + "/data") == files(archive.data))
    lines = manifest_of(out + "/manifest")
    expect("export: whole lines", sorted(line["inputs"][0] for line in lines) == sorted(archive.captures * 2), lines)


def main():
    for check in share((check_full, check_disk, check_refused, check_killed, check_scripts, check_side_by_side), 2, "bad days"):
        with tempfile.TemporaryDirectory() as folder:
            check(Archive(folder))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
