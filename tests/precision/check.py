#!/usr/bin/env python3
"""What `diagnose` says of incidents and of clean sessions that another hand made: tests/precision/check.py [SEED [COUNT [FOLDER]]].

Prints, by kind and in all: causes found, wrong sides, "Nothing is wrong" where something was, sides given where the packets
prove one, and false alarms. Captures of what came out wrong stay in FOLDER, if one is given."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

import clean  # pylint: disable=wrong-import-position
import incidents  # pylint: disable=wrong-import-position
import scene as scenes  # pylint: disable=wrong-import-position
import tally  # pylint: disable=wrong-import-position

ARMTAP = os.path.abspath(os.environ.get("ARMTAP") or os.path.join(os.environ.get("builddir", "."), "armtap"))
CAUSES, SIDES, ENDS = 0.95, 0.90, 0.95  # shares that must be reached
GRAVE = ("warning", "error")


def diagnose(names):
    made = subprocess.run([ARMTAP, "diagnose", "--json", *names], capture_output=True, text=True, check=False)
    said = subprocess.run([ARMTAP, "diagnose", *names], capture_output=True, text=True, check=False)
    lines = said.stdout.strip().split("\n\n")
    found = json.loads(made.stdout) if made.stdout.strip() else {"incidents": [], "findings": [], "streams": []}
    found["said"] = said.stdout
    return found, " ".join(lines[-1].split()), made.returncode, made.stderr


def records(names):
    """By robot: of each connection the number of records; of one of them those exported."""
    made, counts, number = subprocess.run([ARMTAP, "info", "--json", *names], capture_output=True, text=True, check=False), {}, None
    for stream in json.loads(made.stdout)["streams"] if made.stdout.strip() else []:
        if stream["records"] and stream["protocol"] in incidents.SERVED:
            count = stream["records"]
            if number is None:
                number = stream["stream"]
                rows = subprocess.run([ARMTAP, "export", "-f", "csv", "--stream", str(number), *names], capture_output=True, check=False).stdout
                count = max(0, rows.count(b"\n") - 1)
            counts.setdefault(plain(stream["robot"].rpartition(":")[0]), []).append(count)
    return {robot: sorted(numbers) for robot, numbers in counts.items()}


def judge_rest(scene, names, found):
    """Records that are not as many as the packets hold, and what must not be said."""
    wrong = ["said: %s" % words for words in scene.denies if words in " ".join(found["said"].split())]
    wrong += ["%d incidents" % len(found["incidents"])] * (len(found["incidents"]) > scene.most)
    if scene.snaplen < 2000:
        return wrong  # of cut records the fields that are whole are told
    should = {robot: numbers for robot, numbers in scene.decodable().items() if numbers}
    said = records(names)
    return wrong + (["records: %s, should be %s" % (said, should)] if said != should else [])


class Tally:
    def __init__(self):
        self.rows, self.failures = {}, []

    def count(self, kind, **what):
        row = self.rows.setdefault(kind, {})
        for name, value in what.items():
            row[name] = row.get(name, 0) + value

    def total(self, name, of=None):
        return sum(row.get(name, 0) for kind, row in self.rows.items() if of is None or of(kind))


def plain(robot):
    return (robot or "").strip("[]")


def overlaps(incident, truth, alone):
    return alone or truth.begin is None or incident["to"] >= scenes.tcp.EPOCH + truth.begin - 1 and (
        truth.end is None or incident["from"] <= scenes.tcp.EPOCH + truth.end + 4)


def judge_truth(truth, found, truths):
    """(is the cause told, incidents that tell it, what is wrong)."""
    alone = sum(other.robot == truth.robot for other in truths) == 1
    mine = [one for one in found["incidents"] if plain(one["robot"]) == truth.robot and overlaps(one, truth, alone)]
    telling = [one for one in mine if {one["what"], one["cause"]} & truth.causes]
    told = bool(telling) or truth.minor and any(finding["id"] in truth.causes for finding in found["findings"])
    wrong = []
    if not told:
        wrong.append("cause: should be %s" % "|".join(sorted(truth.causes)))
    if getattr(truth, "one", False) and len(telling) > 1:
        wrong.append("one incident, told as %d" % len(telling))
        told = False
    return told, telling, wrong


def judge_sides(truths, found):
    wrong = []
    for one in found["incidents"]:
        robot = plain(one["robot"])
        own = [truth for truth in truths if truth.robot == robot]
        its = [truth for truth in own if {one["what"], one["cause"]} & truth.causes] or own
        sides = {"unclear"}.union(*(truth.sides for truth in its))
        if one["side"] not in sides:
            wrong.append("side of %s (%s): %s, should be %s" % (one["what"], one["cause"], one["side"], "|".join(sorted(sides))))
    return wrong


def play_incident(seed):
    """Kinds in turn; each third scene has two that have nothing to do with each other."""
    for attempt in range(20):
        scene = scenes.Scene("%d incident %d" % (seed, attempt))
        number, rounds = seed % 100000 % len(incidents.ALL), seed % 100000 // len(incidents.ALL)
        kind, third = incidents.ALL[number], (number + rounds) % 3 == 2
        sessions, names = [], kind.__name__
        if third and kind in incidents.GO_ON and scene.rng.random() < 0.5:
            other = scene.rng.choice([one for one in incidents.LAST if one is not kind and
                                      set(incidents.FAULTS[one]) & set(incidents.FAULTS[kind])])
            sessions += incidents.play(scene, kind, other)
            names += ", then " + other.__name__
        else:
            alone = not third or kind in incidents.ALONE
            if alone:
                incidents.vary(scene, kind)
            sessions += incidents.play(scene, kind)
            if not alone:
                other = scene.rng.choice([one for one in incidents.ALL if one not in incidents.ALONE and one is not kind])
                tap = scene.tap
                sessions += incidents.play(scene, other)
                names += " + " + other.__name__
                if scene.tap != tap:
                    continue
            elif scene.rng.random() < 0.25 and kind not in incidents.ALONE:
                healthy = scene.robot()
                scene.session(healthy, 0.5, min(6, scene.until), "realtime" if scene.is_one_way else None)
                scene.healthy = healthy.host.text
        scene.run()
        if all(check() for session in sessions for check in session.checks):
            return scene, names, kind.__name__
    return None, kind.__name__, kind.__name__


def check_incident(seed, tally_of, folder, keep):
    scene, names, kind = play_incident(seed)
    if scene is None:
        tally_of.count(kind, void=1)
        return
    files = scene.write(os.path.join(folder, "i%d" % seed))
    found, verdict, status, complaint = diagnose(files)
    wrong = []
    if status == 2 and not found["findings"]:
        wrong.append("status 2: %s" % complaint)
    for truth in scene.truths:
        told, telling, why = judge_truth(truth, found, scene.truths)
        given = any(one["side"] != "unclear" for one in telling)
        tally_of.count(truth.kind, truths=1, causes=told, proven=truth.proves, given=truth.proves and given)
        wrong += ["%s: %s" % (truth.kind, one) for one in why]
        if truth.proves and telling and not given:
            wrong.append("%s: side not given, should be %s" % (truth.kind, "|".join(truth.sides)))
        if all(getattr(one, "clean", False) for one in scene.truths):
            alarms = sorted({one["id"] for one in found["findings"] if one["severity"] in GRAVE})
            tally_of.count(truth.kind, alarms=bool(alarms))
            wrong += ["false alarm: " + ", ".join(alarms)] if alarms else []
    sides = judge_sides(scene.truths, found)
    nothing = verdict.startswith("Nothing is wrong") and not all(
        getattr(truth, "clean", False) or getattr(truth, "harmless", False) or "program.ended" in truth.causes and truth.minor and "program" in verdict
        for truth in scene.truths)
    bystander = [one for one in found["incidents"] if plain(one["robot"]) == scene.healthy]
    rest = judge_rest(scene, files, found)
    tally_of.count(kind, scenes=1, wrong_sides=bool(sides), nothing=nothing, alarms=bool(bystander), rest=bool(rest))
    wrong += rest + sides + (["said: Nothing is wrong"] if nothing else []) + ["bystander: %s" % one["text"] for one in bystander]
    report(tally_of, "incident", seed, names, scene, files, wrong, found, verdict, keep)


def check_clean(seed, tally_of, folder, keep):
    kind = clean.KINDS[seed % 100000 % len(clean.KINDS)]
    scene = scenes.Scene("%d clean" % seed)
    ends = clean.play(scene, kind)
    scene.run()
    files = scene.write(os.path.join(folder, "c%d" % seed))
    found, verdict, status, complaint = diagnose(files)
    alarms = sorted({one["id"] for one in found["findings"] if one["severity"] in GRAVE and one["id"] not in scene.allowed} |
                    {one["what"] for one in found["incidents"] if one["what"] not in scene.allowed | scene.told and one["side"] != "unclear"})
    wrong = ["false alarm: " + ", ".join(alarms)] if alarms else []
    if status == 2:
        wrong.append("status 2: %s" % complaint)
    told = {one["what"] for one in found["incidents"]} | {one["id"] for one in found["findings"]}
    well = verdict.startswith("Nothing is wrong") or bool(told & scene.told and not alarms)
    rest = [] if scene.allowed else judge_rest(scene, files, found)
    wrong += rest
    if ends and not well:
        wrong.append("verdict: " + verdict)
    if not ends and scene.allowed and scene.most > 1 and not {one["id"] for one in found["findings"]} & scene.allowed:
        wrong.append("nothing says: " + " or ".join(sorted(scene.allowed)))
    tally_of.count("clean " + kind.__name__, sessions=1, alarms=bool(alarms) or status == 2, ended=ends,
                   well=ends and well, rest=bool(rest), plain=ends and verdict.startswith("Nothing is wrong"))
    report(tally_of, "clean", seed, kind.__name__, scene, files, wrong, found, verdict, keep)


def report(tally_of, what, seed, names, scene, files, wrong, found, verdict, keep):
    if wrong:
        tally_of.failures.append((what, seed, names))
        print("-- %s %d, %s, tapped at the %s: %s" % (what, seed, names, scene.tap, "; ".join(wrong)))
        for truth in scene.truths:
            print("     truth: %s of %s%s" % (truth.kind, truth.robot, "" if truth.begin is None else " at +%.3f s" % truth.begin))
        for one in found["incidents"]:
            print("     said: %s [%s, cause %s] %s" % (one["side"], one["what"], one["cause"], one["text"]))
        print("     verdict: %s" % verdict)
        if keep:
            for file in files:
                shutil.copy(file, keep)
    for file in files:
        os.unlink(file)


def table(tally_of):
    print("%-24s %6s %6s %6s %6s %6s %7s %7s %6s %6s" % ("kind", "truths", "causes", "sides", "proven", "given", "nothing", "alarms", "rest", "void"))
    for kind, row in sorted(tally_of.rows.items()):
        if not kind.startswith("clean "):
            print("%-24s %6d %6d %6d %6d %6d %7d %7d %6d %6d" % (kind, *(row.get(name, 0) for name in (
                "truths", "causes", "wrong_sides", "proven", "given", "nothing", "alarms", "rest", "void"))))
    print("%-24s %8s %7s %6s %6s %6s %6s" % ("clean", "sessions", "alarms", "ended", "well", "plain", "rest"))
    for kind, row in sorted(tally_of.rows.items()):
        if kind.startswith("clean "):
            print("%-24s %8d %7d %6d %6d %6d %6d" % (kind[6:], *(row.get(name, 0) for name in (
                "sessions", "alarms", "ended", "well", "plain", "rest"))))


def share(part, whole):
    return part / whole if whole else 1.0


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4 * len(incidents.ALL) if tally.ALL else len(incidents.ALL)
    keep = sys.argv[3] if len(sys.argv) > 3 else None
    tally_of = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            check_incident(seed * 100000 + i, tally_of, folder, keep)
        for i in range(count if len(sys.argv) > 2 else 200 if tally.ALL else len(clean.KINDS)):
            check_clean(seed * 100000 + i, tally_of, folder, keep)
    table(tally_of)
    goals = [
        ("causes", tally_of.total("causes"), tally_of.total("truths"), CAUSES, 1),
        ("scenes with a wrong side", tally_of.total("wrong_sides"), tally_of.total("scenes"), 0, -1),
        ("\"Nothing is wrong\" where something was", tally_of.total("nothing"), tally_of.total("scenes"), 0, -1),
        ("sides given where the packets prove one", tally_of.total("given"), tally_of.total("proven"), SIDES, 1),
        ("records that are not those captured, or words that must not be said", tally_of.total("rest"),
         tally_of.total("sessions") + tally_of.total("scenes"), 0, -1),
        ("false alarms", tally_of.total("alarms"), tally_of.total("sessions") + tally_of.total("scenes"), 0, -1),
        ("\"Nothing is wrong\" of sessions that their clients ended", tally_of.total("well"), tally_of.total("ended"), ENDS, 1)]
    for name, part, whole, goal, sign in goals:
        print("%s: %d of %d (%.1f %%)" % (name, part, whole, 100 * share(part, whole)))
        tally.expect(name, sign * share(part, whole) >= sign * goal, "%d of %d" % (part, whole))
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
