#!/usr/bin/env python3
"""docs/archives.md on a real Slurm: an archive of rotated captures is indexed and exported by array jobs and merged by a job that
waits for them, while tasks are killed, stopped half way and run twice. The data set equals that of one command over all captures:
its rows (read by DuckDB), its summary and diagnosis, the sums of its manifest. Run by `make slurm-check`."""
import filecmp
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

import fleet  # noqa: E402  pylint: disable=wrong-import-position
import pages  # noqa: E402  pylint: disable=wrong-import-position
import queries  # noqa: E402  pylint: disable=wrong-import-position
from cluster import Cluster, missing  # noqa: E402  pylint: disable=wrong-import-position
from tally import expect, finish  # noqa: E402  pylint: disable=wrong-import-position

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
BEGIN = time.monotonic()


def say(*words):
    print("%5.1f s " % (time.monotonic() - BEGIN), *words, flush=True)


def armtap(folder, *arguments):
    done = subprocess.run([ARMTAP, *arguments], cwd=folder, capture_output=True, check=False)
    expect("armtap %s" % arguments[0], done.returncode in (0, 1), done.returncode, done.stderr.decode())
    return done.stdout


# ---- the archive, and what one command makes of it -----------------------------------------------------------------------


def prepare(folder):
    """The captures, and beside them all rows at once, as Parquet and as text."""
    os.mkdir(folder + "/captures")
    names = [os.path.relpath(name, folder) for name in fleet.make(folder + "/captures")]
    armtap(folder, "export", *names, "-f", "parquet", "-o", "whole/", "--manifest", "whole.ndjson")
    whole = {"summary": armtap(folder, "info", "--json", *names), "diagnosis": armtap(folder, "diagnose", "--json", *names), "manifest": read_lines(folder + "/whole.ndjson"),
             "rows": len(armtap(folder, "export", "-f", "ndjson", *names).splitlines())}
    alone = sum(len(armtap(folder, "export", "-f", "ndjson", name).splitlines()) for name in names)
    guessed = sum(b"stream.midstream" in armtap(folder, "info", "--json", name) for name in names)
    say("archive: %d captures of 3 robots, %d rows; one by one without sidecars %d, %d captures begin within a stream" %
        (len(names), whole["rows"], alone, guessed))
    expect("captures", len(names) >= 10 and guessed >= 9 and alone != whole["rows"], len(names), guessed, alone)
    return names, whole


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def workplace(folder, name, captures):
    """A folder as the page wants it: the scripts, and the captures under their own names."""
    place = os.path.join(folder, name)
    os.mkdir(place)
    os.symlink("../captures", place + "/captures")
    for script in glob.glob(os.path.join(TOP, "docs", "archives", "*.sh")):
        shutil.copy(script, place)
    with open(place + "/captures.txt", "w", encoding="utf-8") as file:
        file.write("".join(name + "\n" for name in captures))
    return place


# ---- Slurm ---------------------------------------------------------------------------------------------------------------


class Run:
    """The page's commands in one place."""

    def __init__(self, cluster, place):
        self.cluster, self.place, self.note = cluster, place, place + "/paused"
        around = os.path.dirname(place)
        self.environment = dict(cluster.environment, PATH=around + "/bin:" + cluster.environment["PATH"], PAUSE=self.note,
                                HOOK=around + "/pause.so")

    def submit(self, text, tasks=4):
        text = text.replace("1-100", "1-%d" % tasks)
        done = subprocess.run(["sh", "-e", "-c", text], cwd=self.place, env=self.environment, capture_output=True, text=True, check=False)
        expect("sbatch", done.returncode == 0, done.stdout, done.stderr)

    def wait_for_jobs(self):
        self.cluster.wait("jobs", lambda: not [job for job in self.cluster.jobs() if "COMPLET" not in job])

    def wait_for_pause(self):
        """The process that stopped half way, and its job."""
        self.cluster.wait("a pause", lambda: os.path.exists(self.note) and read(self.note).endswith("\n"))
        process, job = read(self.note).split()
        self.cluster.wait("a stop", lambda: read("/proc/%s/stat" % process).rpartition(")")[2].split()[0] == "T")
        return int(process), job

    def said(self):
        return "".join(read(path) for path in sorted(glob.glob(self.place + "/slurm-*.out")))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def half_way(run, expected):
    """What lies there while a task is stopped: a final name has the whole content, what the task has not ended has another name."""
    data, whole = run.place + "/data", 0
    for path in files(data):
        hidden = os.path.basename(path).startswith(".")
        expect("half way: %s is whole" % path, hidden or filecmp.cmp(os.path.join(data, path), os.path.join(expected, "data", path), False))
        whole += not hidden
    hidden = [path for path in files(data) if os.path.basename(path).startswith(".") and path.endswith(".partial")]
    expect("half way: an unfinished file", len(hidden) > 0 and 0 < whole < len(files(expected + "/data")), hidden, whole)
    say("  a task stopped half way: %d files of all tasks are there, whole; it has %d unfinished" % (whole, len(hidden)))


def files(folder):
    return sorted(os.path.relpath(os.path.join(top, name), folder) for top, _, names in os.walk(folder) for name in names)


# ---- comparing -----------------------------------------------------------------------------------------------------------


def totals(lines):
    notes = {}
    for line in lines:
        for name, count in line["notes"].items():
            notes[name] = notes.get(name, 0) + count
    return {"rows": sum(line["rows"] for line in lines), "bytes lost": sum(line["bytes_lost"] for line in lines), "notes": notes}


def same_rows(folder, place):
    """Whether DuckDB finds the same rows, as often, in both folders. None without DuckDB."""
    one, other = ("read_parquet('%s/**/*.parquet', hive_partitioning = true, union_by_name = true)" % path
                  for path in (folder + "/whole", place + "/data"))
    difference = "select count(*) from (select * from %s except all select * from %s)"
    asked = {"rows": "select count(*) from " + other, "more": difference % (other, one), "fewer": difference % (one, other)}
    answers = queries.ask_duckdb(asked)
    return answers and [int(answers[name][0][0]) for name in ("rows", "more", "fewer")]


def compare(what, folder, place, whole, expected):
    """The data set against that of one command; the files also against those of the scripts without Slurm."""
    compared = filecmp.cmpfiles(place + "/data", expected + "/data", files(expected + "/data"), shallow=False)
    expect(what + ": files", files(place + "/data") == files(expected + "/data") and not compared[1] and not compared[2], compared[1:])
    with open(place + "/summary.json", "rb") as file:
        expect(what + ": summary", file.read() == whole["summary"])
    with open(place + "/diagnosis.json", "rb") as file:
        expect(what + ": diagnosis", file.read() == whole["diagnosis"])
    manifest = read_lines(place + "/manifest.ndjson")
    captures = sorted(line["inputs"][0] for line in manifest)
    expect(what + ": a line for each capture", captures == sorted(set(captures)) and len(captures) == len(whole["names"]), captures)
    listed = sorted(name for line in manifest for name in line["outputs"])
    expect(what + ": outputs of the manifest", listed == ["data/" + name for name in files(place + "/data")])
    expect(what + ": sums of the manifest", totals(manifest) == totals(whole["manifest"]), totals(manifest), totals(whole["manifest"]))
    rows = same_rows(folder, place)
    expect(what + ": rows", rows == [whole["rows"], 0, 0] or not rows and os.environ.get("CI") != "true", rows, whole["rows"])
    say("%s: %d files, summary (%d bytes), diagnosis (%d), manifest (%s) are those of one command; rows: %s" % (
        what, len(compared[0]), len(whole["summary"]), len(whole["diagnosis"]), ", ".join("%s %s" % one for one in totals(manifest).items()),
        "%d by DuckDB, %d more, %d fewer" % tuple(rows) if rows else "not compared, DuckDB is not installed"))


# ---- the runs ------------------------------------------------------------------------------------------------------------


def without_slurm(folder, names):
    """The scripts, one capture after another."""
    place = workplace(folder, "one-by-one", names)
    environment = dict(os.environ, PATH=folder + "/bin:" + os.environ["PATH"])
    for words in [["./index.sh", name] for name in names] + [["./export.sh", name] for name in names] + [["./merge.sh"]]:
        done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, check=False)
        expect(" ".join(words), done.returncode == 0, done.stderr)
    return place


def task_requeued(cluster, folder, names, commands, expected):
    """The page's commands as they stand; Slurm kills a task half way and starts it again."""
    run = Run(cluster, workplace(folder, "requeued", []))
    run.submit(commands)
    process, job = run.wait_for_pause()
    half_way(run, expected)
    said = cluster.ask("scontrol", "requeue", job)
    say("  scontrol requeue %s %s" % (job, said))
    run.wait_for_jobs()
    expect("requeued: the process is gone", not os.path.exists("/proc/%d" % process))
    expect("requeued: captures.txt", read(run.place + "/captures.txt").splitlines() == sorted(names))
    return run


def task_killed(cluster, folder, names, commands, expected):
    """Captures in any order; kill -9 half way, so that the merge does not begin; the same commands again."""
    shuffled = list(names)
    random.Random(13).shuffle(shuffled)
    run = Run(cluster, workplace(folder, "shuffled", shuffled))
    commands = "\n".join(line for line in commands.splitlines() if not line.startswith("ls "))
    run.submit(commands, tasks=5)
    process, job = run.wait_for_pause()
    half_way(run, expected)
    os.kill(process, signal.SIGKILL)
    cluster.wait("the merge is stuck", lambda: "DependencyNeverSatisfied" in cluster.ask("squeue", "-h", "-o", "%r"))
    say("  kill -9 of job %s: %s" % (job, cluster.ask("squeue", "-h", "-o", "%j %T %r")))
    expect("killed: no merge", not os.path.exists(run.place + "/summary.json"))
    cluster.ask("scancel", *[job.split()[0] for job in cluster.jobs()])
    run.submit(commands, tasks=3)
    run.wait_for_jobs()
    return run


def task_twice(cluster, folder, names, commands, expected):
    """A task stops half way; another one exports the same captures meanwhile; then the first one goes on."""
    run = Run(cluster, workplace(folder, "twice", names))
    commands = "\n".join(line for line in commands.splitlines() if not line.startswith("ls "))
    first, _, rest = commands.rpartition("\n")
    run.submit(first, tasks=2)
    process, _ = run.wait_for_pause()
    half_way(run, expected)
    run.submit("sbatch --parsable --array=1-3 export.sh")
    run.cluster.wait("the second task", lambda: len(cluster.jobs()) == 1 and len(os.listdir(run.place + "/summaries")) == len(names))
    say("  a second array has exported all %d captures" % len(names))
    os.kill(process, signal.SIGCONT)
    run.wait_for_jobs()
    run.submit("sbatch --parsable merge.sh")
    run.wait_for_jobs()
    expect("twice: the commands", "merge.sh" in rest, rest)
    return run


def main():
    if missing():
        print("slurm-check: %s not installed: apt-get install --no-install-recommends slurm-wlm munge" % ", ".join(missing()))
        return 1
    commands, = pages.texts(os.path.join(TOP, "docs", "archives.md"), "sh slurm")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir="/tmp") as place:
        fleet_names, whole = prepare(folder)
        whole["names"] = fleet_names
        hook(folder)
        expected = without_slurm(folder, fleet_names)
        compare("the scripts without Slurm", folder, expected, whole, expected)
        with Cluster(place) as cluster:
            say("Slurm is up:", cluster.ask("sinfo", "--version"))
            for what, case in (("a task requeued", task_requeued), ("shuffled, a task killed, run again", task_killed),
                               ("two tasks on one capture", task_twice)):
                run = case(cluster, folder, fleet_names, commands, expected)
                compare(what, folder, run.place, whole, expected)
                # Tasks that were killed between an export and its summary leave names with a dot beside the summaries.
                hidden = [path for path in files(run.place + "/data") if "/." in path]
                expect(what + ": no rows are left over", not hidden, hidden)
            expect("Slurm has no jobs left", not cluster.jobs(), cluster.jobs())
        say("Slurm is down")
    return finish()


def hook(folder):
    """`armtap` in the tasks: with the pause where a run asks for it."""
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-o", folder + "/pause.so", HERE + "/pause.c", "-ldl"], check=True)
    os.mkdir(folder + "/bin")
    with open(folder + "/bin/armtap", "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\ncase "$1 $PAUSE" in\n"export /"*) LD_PRELOAD=$HOOK; export LD_PRELOAD ;;\nesac\nexec %s "$@"\n' % ARMTAP)
    os.chmod(folder + "/bin/armtap", 0o755)


if __name__ == "__main__":
    def stop(*_):
        sys.exit(1)
    signal.signal(signal.SIGTERM, stop)
    sys.exit(main())
