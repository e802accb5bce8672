#!/usr/bin/env python3
"""The sample of a collision agrees with itself: the joint that the error names deviates most and draws the current that its part of
the force calls for, by UR's published geometry; the force opposes the tool's motion; the arm brakes to a standstill."""
import csv
import io
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tally import expect, finish  # noqa: E402

ARMTAP = os.environ.get("ARMTAP", "./armtap")
SAMPLE = os.path.join(HERE, "..", "captures", "collision.pcap.gz")
JOINTS = ("base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3")
# UR10e, Denavit-Hartenberg: a, d, alpha
ARM = [(0, 0.1807, 1), (-0.6127, 0, 0), (-0.57155, 0, 0), (0, 0.17415, 1), (0, 0.11985, -1), (0, 0.11655, 0)]


def torques(q, force):
    """Of a force on the flange about each joint: the axis times the lever cross the force."""
    frame, at, axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.0, 0.0, 0.0], []
    for angle, (a, d, twist) in zip(q, ARM):
        axes.append((list(at), [row[2] for row in frame]))
        c, s, ca, sa = math.cos(angle), math.sin(angle), 0 if twist else 1, twist
        turn = [[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0, sa, ca]]
        at = [p + sum(row[k] * step for k, step in enumerate((a * c, a * s, d))) for p, row in zip(at, frame)]
        frame = [[sum(row[k] * turn[k][i] for k in range(3)) for i in range(3)] for row in frame]
    found = []
    for origin, z in axes:
        r = [p - o for p, o in zip(at, origin)]
        moment = r[1] * force[2] - r[2] * force[1], r[2] * force[0] - r[0] * force[2], r[0] * force[1] - r[1] * force[0]
        found.append(sum(m * one for m, one in zip(moment, z)))
    return found


def vector(row, name, count=6):
    return [float(row["%s_%d" % (name, i)]) for i in range(count)]


def main():
    told = json.loads(subprocess.run([ARMTAP, "diagnose", "--json", SAMPLE], capture_output=True, text=True, check=False).stdout)
    error = next(one["args"] for one in told["findings"] if one["id"] == "ur.error")
    rows = list(csv.DictReader(io.StringIO(subprocess.run([ARMTAP, "export", "--stream", "1", SAMPLE], capture_output=True, text=True,
                                                          check=True).stdout)))
    stop = next(i for i, row in enumerate(rows) if row["safety_status"] == "3")
    hit = next(i for i, row in enumerate(rows) if math.hypot(*vector(row, "actual_TCP_force", 3)) > 30)
    expect("it pushes before it stops", 0 < stop - hit <= 4, hit, stop)
    row, before = rows[stop], rows[hit - 2]
    off = [abs(a - t - (b - u)) for a, t, b, u in zip(*(vector(one, name) for one in (row, before) for name in ("actual_q", "target_q")))]
    rise = [a - t for a, t in zip(vector(row, "actual_current"), vector(row, "target_current"))]
    named = error["argument"]
    expect("the joint that deviates most", off.index(max(off)) == named and error.get("joint_name") == JOINTS[named], off, error)
    expect("and draws most", max(range(6), key=lambda i: abs(rise[i])) == named and abs(rise[named]) > 3, rise)
    force, speed = vector(row, "actual_TCP_force", 3), vector(before, "actual_TCP_speed", 3)
    cosine = sum(f * v for f, v in zip(force, speed)) / math.hypot(*force) / math.hypot(*speed)
    expect("the force opposes the motion", cosine < -0.98, cosine)
    torque = torques(vector(row, "actual_q"), force)
    expect("the current pushes against its part of the force", torque[named] * rise[named] < 0 and
           max(range(6), key=lambda i: abs(torque[i])) == named and 5 < abs(torque[named] / rise[named]) < 30, torque, rise)
    speeds = [math.hypot(*vector(one, "actual_qd")) for one in rows[stop:stop + 12]]
    expect("the arm brakes", all(b < a + 0.02 for a, b in zip(speeds, speeds[1:])) and speeds[0] > 0.5 and speeds[-1] < 0.01, speeds)
    expect("the program pauses", [one["runtime_state"] for one in rows[stop - 1:stop + 10:5]][0] == "2" and rows[stop]["runtime_state"] == "3" and
           rows[stop + 10]["runtime_state"] == "4" and {one["robot_mode"] for one in rows} == {"7"}, rows[stop]["runtime_state"])


main()
sys.exit(finish())
