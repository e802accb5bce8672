#!/usr/bin/env python3
"""docs/archives.md as its readers use it: the commands on samples; GNU parallel on an archive of three robots; the queries, asked of
DuckDB. Slurm's part is run by slurm-check.py. Without parallel or DuckDB their parts are left out, but not in CI."""
import filecmp
import json
import os
import shutil
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
from tally import expect, finish, lacks  # noqa: E402  pylint: disable=wrong-import-position

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PAGE = os.path.join(TOP, "docs", "archives.md")


def room(folder, name):
    """A folder with the program in its PATH, and the scripts."""
    place = os.path.join(folder, name)
    shutil.copytree(os.path.join(TOP, "docs", "archives"), place)
    os.chmod(place, 0o755)  # the source may be read-only
    os.mkdir(place + "/bin")
    os.symlink(ARMTAP, place + "/bin/armtap")
    return place


def shell(place, text):
    environment = dict(os.environ, PATH=place + "/bin:" + os.environ["PATH"], HOME=place)
    done = subprocess.run(["sh", "-e", "-c", text], cwd=place, env=environment, capture_output=True, text=True, check=False)
    expect("%s: commands" % PAGE, done.returncode == 0, text, done.stdout, done.stderr)
    return done.stdout


def files(folder):
    return sorted(os.path.relpath(os.path.join(top, name), folder) for top, _, names in os.walk(folder) for name in names)


def check_samples(folder):
    place = room(folder, "samples")
    os.symlink(os.path.abspath(os.path.join(TOP, "captures")), place + "/captures")
    examples = pages.texts(PAGE, "sh")
    expect("examples", len(examples) == 1, len(examples))
    for text in examples:
        shell(place, text)
    with open(place + "/summary.json", encoding="utf-8") as file:
        expect("the summary", len(json.load(file)["streams"]) == 3)
    with open(place + "/done.ndjson", encoding="utf-8") as file:
        rows = [json.loads(line)["rows"] for line in file]
        expect("the manifest", sorted(rows) == [34, 121, 243], rows)


def archive(folder, name):
    place = room(folder, name)
    os.mkdir(place + "/captures")
    fleet.make(place + "/captures")
    return place


def check_parallel(folder):
    """The same files by parallel and one after another. Returns the folder that was made."""
    commands, = pages.texts(PAGE, "sh parallel")
    loop = commands.replace("parallel --joblog jobs.txt ", "parallel ").replace("parallel ", "each ")
    serial, side_by_side = archive(folder, "serial"), archive(folder, "parallel")
    shell(serial, 'each() { while IFS= read -r capture; do "$1" "$capture" || return; done <captures.txt; }\n' + loop)
    if not shutil.which("parallel"):
        lacks("parallel", "commands of the page")
        return serial
    shell(side_by_side, commands)
    for part in ("data", "sidecars", "summaries", "manifests"):
        names = files(serial + "/" + part)
        same, *other = filecmp.cmpfiles(serial + "/" + part, side_by_side + "/" + part, names, shallow=False)
        expect("parallel: " + part, len(same) > 10 and not any(other) and files(side_by_side + "/" + part) == names, other)
    before = os.stat(side_by_side + "/sidecars").st_mtime_ns
    shell(side_by_side, commands)
    expect("once more: nothing is done again", before == os.stat(side_by_side + "/sidecars").st_mtime_ns)
    return side_by_side


def check_results(place):
    """Summary, manifest and queries, against one command over all captures."""
    names = [os.path.join("captures", name) for name in sorted(os.listdir(place + "/captures"))]
    run = lambda *words: subprocess.run([ARMTAP, *words, *names], cwd=place, capture_output=True, check=False).stdout
    with open(place + "/summary.json", "rb") as file:
        expect("summary.json", file.read() == run("info", "--json"))
    with open(place + "/diagnosis.json", "rb") as file:
        expect("diagnosis.json", file.read() == run("diagnose", "--json"))
    rows = [json.loads(line) for line in run("export", "-f", "ndjson").splitlines()]
    with open(place + "/manifest.ndjson", encoding="utf-8") as file:
        expect("manifest.ndjson", sum(json.loads(line)["rows"] for line in file) == len(rows))
    answers = queries.ask_duckdb({str(i): text for i, text in enumerate(pages.texts(PAGE, "sql"))}, place)
    if not answers:
        lacks("DuckDB", "queries of the page")
        return
    wanted = {}
    for row in rows:
        key = (row["robot"], time.strftime("%Y-%m-%d", time.gmtime(row["time"])))
        wanted[key] = wanted.get(key, 0) + 1
    days, sums, lost = list(answers.values())
    expect("rows by robot and day", {(row[0], row[1]): int(row[2]) for row in days} == wanted and len(wanted) == 6, days, wanted)
    expect("a column that one robot lacks", all(row[3] is not None for row in days), days)
    expect("rows written and there", sums == [[str(len(rows))] * 2], sums)
    expect("captures with lost data", len(lost) == 1 and lost[0][0] in names and int(lost[0][1]) > 0 and "stream.gap" in lost[0][2], lost)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_samples(folder)
        check_results(check_parallel(folder))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
