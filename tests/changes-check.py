#!/usr/bin/env python3
"""A robot that was updated between two connections: the size of its legacy packets, its release in RTDE and on the primary
interface, and the types and names that it grants, in one capture, in several in any order, and in an archive; clients that ask
for something else, robots side by side and behind one address are none."""
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import primary_wire  # noqa: E402
import tally  # noqa: E402
from robot_capture import Capture, message  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SIZES = (812, 1060, 1108, 1116, 1140, 1220)
ROBOT = "10.0.0.2"
PORTS = itertools.cycle(range(40000, 60000))


class Connection:
    """Of a client to a port of a robot."""

    def __init__(self, capture, time, port, robot=ROBOT, client_port=None):
        self.capture, self.time, self.robot = capture, time, (robot, port)
        self.client = ("10.0.0.9", client_port or next(PORTS))
        for side, flags in (("c", 2), ("r", 0x12), ("c", 0x10)):
            self.send(side, b"", flags)

    def send(self, side, payload, flags=0x18):
        ends = (self.client, self.robot) if side == "c" else (self.robot, self.client)
        self.capture.segment(self.time, *ends, payload, flags)
        self.time += 0.0005

    def close(self):
        for side, flags in (("c", 0x11), ("r", 0x11), ("c", 0x10)):
            self.send(side, b"", flags)
        return self


def legacy(capture, time, size, count=40, **where):
    one = Connection(capture, time, where.pop("port", 30003), **where)
    for i in range(count):
        one.time = time + 0.01 + i * 0.008
        cells = [100 + one.time] + [0.0] * ((size - 4) // 8 - 1)
        for column, value in ((95, 7), (102, 1), (132, 1), *((96 + k, 253) for k in range(6))):
            if column <= len(cells):
                cells[column - 1] = 0 if size == 812 else value
        one.send("r", struct.pack(">I%dd" % len(cells), size, *cells))
    return one.close()


CODES = {"DOUBLE": "d", "VECTOR6D": "6d", "INT32": "i", "UINT32": "I", "UINT8": "B"}
FIELDS = (("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("robot_mode", "INT32"), ("tool_mode", "UINT32"))


def rtde(capture, time, fields=FIELDS, release=None, lacks=(), count=40, version=2, start=True, **where):
    """A set-up in which the controller knows all but some of the fields, and data if it knows them all."""
    one = Connection(capture, time, 30004, **where)
    names = ",".join(name for name, _ in fields).encode()
    types = ",".join("NOT_FOUND" if name in lacks else kind for name, kind in fields).encode()
    for ask, reply in ((message("V", struct.pack(">H", version)), message("V", b"\1")),
                       *(((message("v"), message("v", struct.pack(">4I", *release))),) if release else ()),
                       (message("O", struct.pack(">d", 125) + names), message("O", b"\1" + types))):
        one.send("c", ask)
        one.send("r", reply)
    if lacks or not start:
        return one.close()
    one.send("c", message("S"))
    one.send("r", message("S", b"\1"))
    for i in range(count):
        one.time = time + 0.02 + i * 0.008
        values = [100 + one.time if kind == "DOUBLE" else 7 for _, kind in fields for _ in range(6 if kind == "VECTOR6D" else 1)]
        one.send("r", message("U", b"\1" + struct.pack(">" + "".join(CODES[kind] for _, kind in fields), *values)))
    return one.close()


def primary(capture, time, release):
    one = Connection(capture, time, 30001)
    one.send("r", primary_wire.version(*release))
    for i in range(5):
        one.time = time + 0.02 + i * 0.1
        parts = primary_wire.regular_parts()
        one.send("r", primary_wire.state([part.pack(lambda _layout, row: {
            "timestamp": int(1e6 * one.time), "robotMode": 7, "safetyMode": 1}.get(row[1], 0)) for part in parts]))
    return one.close()


def diagnose(*paths):
    run = subprocess.run([ARMTAP, "diagnose", "--json", *paths], capture_output=True, text=True, timeout=60, check=False)
    return json.loads(run.stdout)


def changes(report):
    return [(one["stream"], one["args"]) for one in report["findings"] if one["id"] == "robot.changed"]


class Scene:
    """One capture, or several."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def of(self, *plays, captures=1):
        """Each play gets a capture and its time; what changed then."""
        all_captures = [Capture() for _ in range(captures)]
        for i, play in enumerate(plays):
            play(all_captures[i * captures // len(plays)], i * 10.0)
        paths = []
        for capture in all_captures:
            self.count += 1
            paths.append(os.path.join(self.folder, "%03d.pcap" % self.count))
            capture.frames.sort(key=lambda one: one[0])
            capture.write(paths[-1])
        return paths


def check_sizes(scene):
    for before in SIZES:
        for now in SIZES:
            plays = [lambda c, t, s=size: legacy(c, t, s) for size in (before, before, now, now)]
            for captures in 1, 2, 4:
                paths = scene.of(*plays, captures=captures)
                for given in paths, paths[::-1]:
                    report = diagnose(*given)
                    found = changes(report)
                    wanted = [(before, now)] if before != now else []
                    tally.expect(("sizes", before, now, captures, given[0]), [
                        (args["bytes_before"], args["bytes"]) for _, args in found] == wanted, found)
                    told = [(one["what"], one["side"], one["doubt"]) for one in report["incidents"]]
                    tally.expect(("incident", before, now, captures), told == [("robot.changed", "robot", None)] * len(wanted), told)
                    if found:
                        tally.expect("place", [one["file"] for one in report["findings"] if one["id"] == "robot.changed"] ==
                                     [paths[captures // 2]], report["findings"])


def check_releases(scene):
    old, new = (5, 4, 1, 1), (5, 12, 0, 1101)
    for before, now, is_change in ((old, new, True), (old, old, False), (None, new, False), (old, None, False), (new, old, True)):
        report = diagnose(*scene.of(lambda c, t: rtde(c, t, release=before), lambda c, t: rtde(c, t, release=now), captures=2))
        found = [(args.get("release_before"), args.get("release")) for _, args in changes(report)]
        tally.expect(("release", before, now), found == ([tuple(".".join(map(str, one)) for one in (before, now))] if is_change else []),
                     found)
    report = diagnose(*scene.of(lambda c, t: primary(c, t, (5, 4, 1)), lambda c, t: primary(c, t, (5, 12, 0))))
    found = [args for _, args in changes(report)]
    tally.expect("primary", len(found) == 1 and found[0]["release_before"].startswith("5.4") and
                 found[0]["release"].startswith("5.12"), found)
    report = diagnose(*scene.of(lambda c, t: rtde(c, t, release=old), lambda c, t: rtde(c, t), lambda c, t: rtde(c, t, release=new)))
    tally.expect("with one between that does not ask", [stream for stream, _ in changes(report)] == [2], changes(report))


def check_fields(scene):
    changed = tuple((name, "UINT8" if name == "tool_mode" else kind) for name, kind in FIELDS)
    other = (("timestamp", "DOUBLE"), ("actual_qd", "VECTOR6D"))
    more = FIELDS + (("safety_mode", "INT32"),)
    cases = (("types", dict(), dict(fields=changed), {"names": ["tool_mode"]}),
             ("another recipe", dict(), dict(fields=other), None),
             ("a longer one", dict(), dict(fields=more), None),
             ("another order", dict(), dict(fields=FIELDS[::-1]), None),
             ("a longer one, and types", dict(fields=more), dict(fields=changed), {"names": ["tool_mode"]}),
             ("no longer known", dict(), dict(lacks=("tool_mode",)), {"names_lacked": ["tool_mode"]}),
             ("known now", dict(lacks=("tool_mode",)), dict(), {"names_granted": ["tool_mode"]}),
             ("never known", dict(lacks=("tool_mode",)), dict(lacks=("tool_mode",)), None),
             ("never asked for before", dict(), dict(fields=more, lacks=("safety_mode",)), None),
             ("another protocol", dict(version=1), dict(fields=changed), None))
    for what, before, now, wanted in cases:
        for captures in 1, 2:
            report = diagnose(*scene.of(lambda c, t: rtde(c, t, **before), lambda c, t: rtde(c, t, **now), captures=captures))
            found = [{key: value for key, value in args.items() if key.startswith("names")} for _, args in changes(report)]
            tally.expect((what, captures), found == ([wanted] if wanted else []), found)
    report = diagnose(*scene.of(lambda c, t: rtde(c, t), lambda c, t: rtde(c, t, fields=other), lambda c, t: rtde(c, t, fields=changed)))
    tally.expect("another client between", [args.get("names") for _, args in changes(report)] == [["tool_mode"]], changes(report))


def check_together(scene):
    """All that a connection shows is one finding; on two ports, one incident."""
    changed = tuple((name, "UINT8" if name == "tool_mode" else kind) for name, kind in FIELDS)
    report = diagnose(*scene.of(lambda c, t: (rtde(c, t, release=(5, 4, 1, 1)), legacy(c, t, 1116)),
                                lambda c, t: (rtde(c, t, fields=changed, release=(5, 12, 0, 1)), legacy(c, t, 1220)), captures=2))
    found = sorted(len(args) for _, args in changes(report))
    tally.expect("two findings", len(found) == 2, changes(report))
    tally.expect("one incident", [one["what"] for one in report["incidents"]] == ["robot.changed"], report["incidents"])


def check_none(scene):
    """Other addresses and ports, and robots at the same time."""
    for what, plays in (
            ("two robots", [lambda c, t: legacy(c, t, 1108), lambda c, t: legacy(c, t, 1220, robot="10.0.0.3")]),
            ("two ports", [lambda c, t: legacy(c, t, 1108), lambda c, t: legacy(c, t, 1220, port=30013)]),
            ("at the same time", [lambda c, t: (legacy(c, t, 1108, 2000), legacy(c, t + 3, 1220, client_port=50001))]),
            ("one that is idle", [lambda c, t: rtde(c, t, start=False), lambda c, t: rtde(c, t)])):
        found = changes(diagnose(*scene.of(*plays)))
        tally.expect(what, not found, found)


def check_back(scene):
    """What changes to and fro may be two robots behind one address: that is said, and no side."""
    for sizes in (1108, 1220, 1108), (1108, 1220, 1108, 1220, 1108):
        report = diagnose(*scene.of(*(lambda c, t, s=size: legacy(c, t, s) for size in sizes)))
        doubts = [args.get("doubt") for _, args in changes(report)]
        tally.expect(("to and fro", sizes), doubts == ["perhaps-two-robots"] * (len(sizes) - 1), doubts)
        again = [args.get("is_again", False) for _, args in changes(report)]
        tally.expect(("it has been so before", sizes), again == [False] + [True] * (len(sizes) - 2), again)
        tally.expect(("unclear", sizes), [one["side"] for one in report["incidents"]] == ["unclear"], report["incidents"])
    report = diagnose(*scene.of(*(lambda c, t, s=size: legacy(c, t, s) for size in (1060, 1108, 1220))))
    rising = diagnose(*scene.of(*(lambda c, t, s=size: legacy(c, t, s) for size in (1060, 1108, 1220, 1108))))
    doubts = [args.get("doubt") for _, args in changes(rising)]
    tally.expect("the first is not taken back", doubts == [None] + ["perhaps-two-robots"] * 2, doubts)
    tally.expect("two updates", [args.get("doubt") for _, args in changes(report)] == [None, None], changes(report))


def check_series(scene):
    """The controller's series is that of its release, if that was captured; without it, it is not known."""
    for release, series in (((3, 15, 8, 1), "CB3"), ((5, 12, 0, 1101), "e-Series"), ((10, 8, 0, 5), "PolyScope X"), (None, None)):
        path, = scene.of(lambda c, t: (rtde(c, t, release=release), legacy(c, t, 1220)))
        lines = subprocess.run([ARMTAP, "info", path], capture_output=True, text=True, timeout=60, check=False).stdout.splitlines()
        line = [one for one in lines if one.startswith("stream 0: rtde")][0]
        tally.expect(("series", release), line.endswith(", " + (series or "CB3 or e-Series")) or (not series and "CB3" not in line), line)
        words = subprocess.run([ARMTAP, "compare", path], capture_output=True, text=True, timeout=60, check=False).stdout
        tally.expect(("series of both", release), not series or "1220 bytes, %s\n" % series in words, words[:300])


def check_archive(scene):
    """Of an archive, each capture by itself says what changed in it; their sum is that of all."""
    paths = scene.of(*(lambda c, t, s=size: legacy(c, t, s) for size in (1108, 1108, 1220)), captures=3)
    sidecars = os.path.join(scene.folder, "sidecars")
    subprocess.run([ARMTAP, "index", *paths, "-o", sidecars], check=True, timeout=60)
    for i, path in enumerate(paths):
        run = subprocess.run([ARMTAP, "diagnose", "--json", "--after", sidecars, path], capture_output=True, text=True, timeout=60,
                             check=False)
        tally.expect(("part", i), len(changes(json.loads(run.stdout))) == (i == 2), run.stdout)
        with open(path + ".json", "w", encoding="utf-8") as file:
            file.write(run.stdout)
    run = subprocess.run([ARMTAP, "merge", *(path + ".json" for path in paths)], capture_output=True, text=True, timeout=60, check=False)
    tally.expect("sum", len(changes(json.loads(run.stdout))) == 1, run.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(folder)
        for check in check_sizes, check_releases, check_fields, check_together, check_none, check_back, check_series, check_archive:
            check(scene)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
