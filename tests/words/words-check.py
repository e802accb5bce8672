#!/usr/bin/env python3
"""Words decide nothing: a program in which every sentence of a finding is the id of its kind in capitals finds the same
on every capture, those of captures/, of the fault corpus and of the incidents: findings, their places and arguments,
incidents, tables, and the exit status."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(HERE, "..", "incidents"))
import kinds  # noqa: E402
from tally import decodable, expect, finish, is_built_in, share  # noqa: E402

BUILT = os.environ.get("builddir", ".")
ARMTAP = os.environ.get("ARMTAP", "./armtap")
CAPITALS = os.path.join(BUILT, "tests", "words", "armtap")
FAULTS = os.path.join(BUILT, "tests", "faults", "faults")
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
SAID = "text", "brief"  # what is written in sentences


def run(program, *arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


def without_words(report):
    """All that is found, without its sentences."""
    kept = dict(report)
    for things in ("findings", "incidents"):
        kept[things] = [{key: value for key, value in thing.items() if key not in SAID} for thing in report[things]]
    return kept


def first_difference(one, other):
    for key in one:
        if one[key] != other[key] and isinstance(one[key], list):
            pairs = [pair for pair in zip(one[key], other[key]) if pair[0] != pair[1]]
            return key, len(one[key]), len(other[key]), pairs[:1]
    return [key for key in one if one[key] != other[key]]


def check(name, path):
    status, printed = run(ARMTAP, "diagnose", "--json", path)
    status_of_capitals, printed_in_capitals = run(CAPITALS, "diagnose", "--json", path)
    expect(name + ": the same status", status == status_of_capitals, status, status_of_capitals)
    if status == 2 or not printed or not printed_in_capitals:
        expect(name + ": both print nothing", printed == printed_in_capitals)
        return 0
    told, in_capitals = without_words(json.loads(printed)), json.loads(printed_in_capitals)
    expect(name + ": the same is found", told == without_words(in_capitals),
           first_difference(told, without_words(in_capitals)))
    # The other program has no other sentences: those of several findings at once are made around them.
    others = [finding for finding in in_capitals["findings"] if finding["text"] != finding["id"].upper() and
              not ("count" in finding and finding["text"].endswith(": " + finding["id"].upper()))]
    expect(name + ": ids for sentences", not others, others[:1])
    return len(told["findings"])


def samples():
    return [(os.path.basename(path), path) for path in
            decodable(sorted(path for ending in ("pcap", "pcapng", "pcap.gz", "pcapng.gz")
                             for path in glob.glob(os.path.join(SAMPLES, "*." + ending))))]


def faults(folder):
    """The fault corpus, and ordinary traffic."""
    needs_aubo = re.compile("aubo|websocket") if not is_built_in("AUBO") else None
    listed = run(FAULTS, "--list")[1].decode().splitlines()
    names = [line.split()[1] for line in listed if not (needs_aubo and needs_aubo.search(line))]
    for name in share(names, 6, "captures of the fault corpus"):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        if os.path.exists(path) and os.path.getsize(path) > 0:
            yield name, path


def incidents(folder):
    cases = [(kind, number) for kind, many in kinds.INCIDENTS + kinds.CLEAN for number in range(many)]
    for kind, number in share(cases, 8, "incidents"):
        path = os.path.join(folder, "%s-%d.pcap" % (kind.__name__, number))
        kinds.build(kind, "held out", number, path)
        yield "%s %d" % (kind.__name__, number), path


def main():
    captures = findings = 0
    with tempfile.TemporaryDirectory() as folder:
        for corpus in (samples(), faults(folder), incidents(folder)):
            for name, path in corpus:
                captures, findings = captures + 1, findings + check(name, path)
    print("%d captures with %d findings" % (captures, findings))
    expect("captures with findings", captures > 20 and findings > 200, captures, findings)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
