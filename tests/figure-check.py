#!/usr/bin/env python3
"""The arm itself in pages of report and plot: its points against Denavit-Hartenberg matrices with the numbers that UR
publishes, and the tool's against the poses; the pose at a stop; in a browser, the pose at the cursor. There is no figure where
the model is not certain, and none of records whose numbers are no angles."""
import gzip
import html
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import report_pages as pages
from robot_capture import Capture, Client
from tally import expect, finish, lacks

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
BROWSER = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)

# a and d of the joints, m, and alpha, which all arms share, from "DH Parameters for calculations of kinematics and dynamics",
# https://www.universal-robots.com/articles/ur/application-installation/dh-parameters-for-calculations-of-kinematics-and-dynamics/
ALPHA = (math.pi / 2, 0, 0, math.pi / 2, -math.pi / 2, 0)
PUBLISHED = {
    "UR5": ((0, -0.425, -0.39225, 0, 0, 0), (0.089159, 0, 0, 0.10915, 0.09465, 0.0823)),
    "UR10": ((0, -0.612, -0.5723, 0, 0, 0), (0.1273, 0, 0, 0.163941, 0.1157, 0.0922)),
    "UR5e": ((0, -0.425, -0.3922, 0, 0, 0), (0.1625, 0, 0, 0.1333, 0.0997, 0.0996)),
}
SAMPLES = (("cb3-1060.pcap.gz", "UR5"), ("rtde-v2.pcapng.gz", "UR5e"), ("driver-stop.pcap.gz", "UR10"))


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def frames(lengths, q):
    """Of each joint, its frame in that of the base."""
    found, frame = [], [[float(i == j) for j in range(4)] for i in range(4)]
    for a, d, alpha, theta in zip(*lengths, ALPHA, q):
        c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
        frame = times(frame, [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])
        found.append(frame)
    return found


def chain(lengths, q):
    return [[frame[i][3] for i in range(3)] for frame in frames(lengths, q)]


def vector_of(turn):
    """A rotation's vector, of angles below half a turn."""
    angle = math.acos(max(-1, min(1, (turn[0][0] + turn[1][1] + turn[2][2] - 1) / 2)))
    axis = [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]
    return [one * (angle / (2 * math.sin(angle)) if angle > 1e-6 else 0.5) for one in axis]


def farthest(one, other):
    return max(math.dist(a, b) for a, b in zip(one, other))


# ---- what a page has

class Figure:
    """The data for the script, read back."""

    def __init__(self, text):
        self.text = text
        found = re.search(r'<script type="application/json" id="chart-data">(.*?)</script>', text, re.S)
        self.chart = json.loads(found.group(1)) if found else {}
        self.data = self.chart.get("figure")
        self.times, self.points = [], []
        for pose in self.data["poses"] if self.data else []:
            self.times.append(pose[0] + self.chart["start"] + self.chart["fraction"])
            points = [[one / 1000 for one in pose[i:i + 3]] for i in range(1, len(pose), 3)]
            self.points.append(points + [None] * (7 - len(points)))

    def pictures(self, live):
        """Of each figure, its views: a dictionary of each."""
        found = re.findall(r'<figure class="(arm[^"]*)">(.*?)</figure>', self.text, re.S)
        return [[view_of(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.S)]
                for name, text in found if (name == "arm live") == live]


def view_of(svg):
    """Places in m from the base, as a reader would measure them: from the base, by the bar of 0.5 m."""
    bar = float(re.search(r'class="scale" d="M[\d.-]+ [\d.-]+v6m0 -3h([\d.]+)m', svg).group(1)) / 0.5
    points = [tuple(map(float, one.split(","))) for one in re.search(r'class="links" points="([^"]*)"', svg).group(1).split()]
    base = points[0]
    axes = re.search(r'class="axes" d="M0 ([\d.]+)H240M([\d.]+) 240V0"', svg).groups()
    expect("the axes go through the base", abs(float(axes[1]) - base[0]) < 0.2 and abs(float(axes[0]) - base[1]) < 0.2, axes, base)
    return {"points": [((x - base[0]) / bar, (base[1] - y) / bar) for x, y in points],
            "axes": re.findall(r">([xyz])</text>", svg), "bar": bar}


def page_of(folder, path, command="report"):
    page = os.path.join(folder, "page.html")
    done = pages.run(command, "-o", page, path)
    expect("%s %s: a page" % (command, path), done.returncode in (0, 1), done)
    with open(page, encoding="utf-8") as file:
        return Figure(file.read())


def records_of(path):
    """Joint angles and places of the tool by time, as export has them; those of the stream with most of them. A packet may have
    brought several records."""
    streams = {}
    for line in pages.run("export", "--format", "json", path).stdout.splitlines():
        row = json.loads(line)
        if row.get("actual_q"):
            tool = row.get("actual_TCP_pose")
            streams.setdefault(row["stream"], {}).setdefault(row["time"], []).append((row["actual_q"], tool and tool[:3]))
    return max(streams.values(), key=len)


def record_at(records, time):
    """The time of the record that is at that time; None without one. A page's times have microseconds."""
    nearest = min(records, key=lambda one: abs(one - time))
    return nearest if abs(nearest - time) < 3e-6 else None


# ---- samples

def check_points(folder, name, model):
    """Every pose is a record's, and its points are those of the matrices; the tool is where the robot says it is."""
    path = os.path.join(TOP, "captures", name)
    figure, records = page_of(folder, path), records_of(path)
    expect("%s: as many poses as are told apart" % name, 100 <= len(figure.times) <= 1000, len(figure.times))
    off, tool_off, away = 0, 0, []
    for time, points in zip(figure.times, figure.points):
        at = record_at(records, time)
        expect("%s: %.6f is a record's time" % (name, time), at)
        if not at:
            return
        record = min(records[at], key=lambda one: farthest(points[:6], chain(PUBLISHED[model], one[0])))
        wanted = chain(PUBLISHED[model], record[0])
        off = max(off, farthest(points[:6], wanted))
        expect("%s: the tool, if it is known" % name, (points[6] is None) == (record[1] is None))
        if record[1]:
            tool_off = max(tool_off, math.dist(points[6], record[1]))
            away.append(math.dist(record[1], wanted[5]))
    expect("%s: points, %.2g m off" % (name, off), off < 1e-3, off)
    expect("%s: tools, %.2g m off" % (name, tool_off), tool_off < 1e-3, tool_off)
    expect("%s: one tool" % name, not away or max(away) - min(away) < 1e-3, away[:3])


def pose_shown(picture, lengths, q):
    """How far a picture is from the matrices, m; two pixels of rounding are allowed for by the caller."""
    side, top = picture
    wanted = [[0, 0, 0]] + chain(lengths, q)
    across = "xyz".index(side["axes"][0])
    return max(max(math.dist(point, (place[across], place[2])) for point, place in zip(side["points"], wanted)),
               max(math.dist(point, (place[0], place[1])) for point, place in zip(top["points"], wanted)))


def check_stop(folder):
    """The pose beside the incident, and that of the plots without a cursor, are the record's at the stop."""
    path = os.path.join(TOP, "captures", "driver-stop.pcap.gz")
    figure, records = page_of(folder, path), records_of(path)
    found = json.loads(pages.run("diagnose", "--json", "--findings-ok", path).stdout)["findings"]
    stop = next(one for one in found if one["id"] == "safety.stop")
    at = max(time for time in records if time <= float(stop["time"]) + 1e-6)
    expect("the stop is a record's", abs(at - float(stop["time"])) < 0.002, at, stop)
    for live in False, True:
        shown = figure.pictures(live)
        expect("a picture of the stop", len(shown) == 1 and len(shown[0]) == 2, len(shown))
        off = pose_shown(shown[0], PUBLISHED["UR10"], records[at][-1][0])
        expect("the pose at the stop (live: %s)" % live, off < 0.01, off)
        expect("axes", shown[0][0]["axes"][1:] == ["z"] and shown[0][1]["axes"] == ["x", "y"], shown[0])
        expect("one scale", shown[0][0]["bar"] == shown[0][1]["bar"])
        other = max(pose_shown(shown[0], PUBLISHED["UR10"], all[0][0]) for all in records.values())
        expect("another pose is another picture", other > 0.2, other)
    expect("its time is said", "at the stop, 12:00:01.256 UTC" in figure.text)
    expect("a robot's configuration is named", "UR10, known from its configuration." in figure.text)


def check_plot(folder):
    path = os.path.join(TOP, "captures", "rtde-v2.pcapng.gz")
    figure, records = page_of(folder, path, "plot"), records_of(path)
    shown = figure.pictures(True)
    expect("plot: a figure, and no other", len(shown) == 1 and not figure.pictures(False), shown)
    off = pose_shown(shown[0], PUBLISHED["UR5e"], records[max(records)][-1][0])
    expect("plot: the last pose", off < 0.01, off)
    expect("plot: models of one geometry", "UR5e or UR7e, known from its poses." in figure.text)


# ---- made captures

def moving(path, reach=0.6, lengths=PUBLISHED["UR5e"], change=None, count=400, has_tool=True, fields=()):
    """An arm whose joints swing by `reach` rad; `change` may alter joints and pose of a record."""
    capture = Capture()
    client = Client(capture, 0, [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D")] +
                    ([("actual_TCP_pose", "VECTOR6D")] if has_tool else []) + list(fields))
    for i in range(count):
        q = [0.4 + k / 2 - (4 if k == 3 else 0) + reach / 2 * math.sin(i / (11 + 3 * k) + k) for k in range(6)]
        frame = frames(lengths, q)[5]
        pose = [frame[k][3] + 0.1 * frame[k][2] for k in range(3)] + vector_of(frame)
        q, pose = change(i, q, pose) if change else (q, pose)
        client.package(0.01 + i * 0.008, 100 + i * 0.008, *q, *(pose if has_tool else []))
    capture.write(path)
    return path


def doubt_of(figure):
    found = re.search(r"The arm itself is not drawn: ([^<]*)\.</p>", figure.text)
    return found.group(1) if found else None


def check_certainty(folder):
    """Both sides of what makes a model certain."""
    path = os.path.join(folder, "made.pcap")
    noise = random.Random(3)
    longer = ((0, -0.485, -0.3922, 0, 0, 0), PUBLISHED["UR5e"][1])

    def shaken(_, q, pose):
        return q, [one + noise.uniform(-0.5, 0.5) for one in pose]

    for what, has, reason, options in (
            ("three joints by 0.6 rad", True, None, {}),
            ("by 0.19 rad", False, "moved too little", {"reach": 0.19}),
            ("no poses", False, "neither poses", {"has_tool": False}),
            ("lengths of no model", False, "do not match its joint angles", {"lengths": longer}),
            ("poses at random", False, "do not match its joint angles", {"change": shaken})):
        for command in "report", "plot":
            figure = page_of(folder, moving(path, **options), command)
            said = doubt_of(figure)
            expect("%s, %s: a figure" % (command, what), bool(figure.data) == has and ("<figure" in figure.text) == has, said)
            expect("%s, %s: why not" % (command, what), (said or "").find(reason or "") >= 0 and bool(said) != has, said)
    # Small motions fit several geometries: then, and only then, other lengths of the same structure remain.
    seen = set()

    def inexact(_, q, pose):
        return q, [one + noise.uniform(-0.002, 0.002) for one in pose]

    for reach in 0.21, 0.25, 0.3, 0.4, 0.6, 1:
        figure = page_of(folder, moving(path, reach=reach, change=inexact))
        info = pages.run("info", path).stdout.decode()
        models = re.search(r"poses match the joint angles of an? (.*?) \(", info)
        is_one = bool(models) and models.group(1) == "UR5e or UR7e"
        seen.add(is_one)
        expect("%.2f rad: a figure where one geometry remains" % reach, bool(figure.data) == is_one, doubt_of(figure), info)
    expect("both sides", seen == {True, False}, seen)


def check_configuration(folder):
    """The lengths of the primary interface count as long as they are a model's."""
    with gzip.open(os.path.join(TOP, "captures", "driver-stop.pcap.gz")) as file:
        data = file.read()
    for length, has in ((-0.612, True), (-0.6121, False), (math.nan, False), (1e300, False)):
        path = os.path.join(folder, "configured.pcap")
        with open(path, "wb") as file:
            expect("it has the length", struct.pack(">d", -0.612) in data)
            file.write(data.replace(struct.pack(">d", -0.612), struct.pack(">d", length)))
        figure = page_of(folder, path)
        expect("configured with %g: a figure" % length, bool(figure.data) == has, doubt_of(figure))


def check_hostile(folder):
    """Records whose angles are none have no pose; a tool that is nowhere is not drawn."""
    values = [math.nan, math.inf, -math.inf, 1e300, -1e300, 1e5]

    def angles(i, q, pose):
        if i % 10 == 3:
            q[i // 10 % 6] = values[i // 60 % 6]
        return q, pose

    def tools(i, q, pose):
        if i % 10 == 3:
            pose[i // 10 % 3] = values[i // 60 % 6]
        return q, pose

    for what, change in ("angles", angles), ("tools", tools):
        path = moving(os.path.join(folder, "hostile.pcap"), change=change)
        figure = page_of(folder, path)
        expect("%s: a figure" % what, figure.data and len(figure.times) > 300, doubt_of(figure))
        if not figure.data:
            continue
        bad = {round(1769860800 + 0.01 + i * 0.008, 6) for i in range(400) if i % 10 == 3}
        left = [points for time, points in zip(figure.times, figure.points) if round(time, 6) in bad]
        expect("angles that are none have no pose", bool(left) == (what == "tools"), len(left))
        expect("tools that are nowhere are not drawn", all(points[6] is None for points in left))
        expect("all others are", all(points[6] for time, points in zip(figure.times, figure.points) if round(time, 6) not in bad))
        drawn = "".join(re.findall(r"<figure.*?</figure>", figure.text, re.S))
        expect("no number that is none is drawn", not re.search(r"nan|inf|e\+", drawn, re.I))
        if BROWSER:
            said = browse(os.path.join(folder, "page.html"))[1]
            expect("the program has no error", not said, said)


def check_size(folder):
    """Long captures: no more poses than are told apart, and the one at the end."""
    path = moving(os.path.join(folder, "long.pcap"), count=6000)
    figure, records = page_of(folder, path), records_of(path)
    size = len(json.dumps(figure.data))
    print("a figure of %d poses: %d bytes" % (len(figure.times), size))
    expect("a bounded number", 450 <= len(figure.times) <= 1000 and size < 150000, len(figure.times), size)
    expect("the page's size", len(figure.text) < 2000000)
    steps = sorted(b - a for a, b in zip(figure.times, figure.times[1:]))
    expect("spread over all of it", steps[-1] < 0.1, steps[-1])
    expect("the end is there", abs(figure.times[-1] - max(records)) < 1e-5, figure.times[-1], max(records))


# ---- in a browser

FRAMES = "window.requestAnimationFrame = function (draw) { return setTimeout(draw, 16); };"
# At each share of the time axis, over each kind of plot, and without a cursor at last: what the figure shows.
POINTER = """
const seen = [], canvases = Array.from(document.querySelectorAll("#chart canvas"));
function look(what) {
  seen.push([what, document.querySelector(".arm.live output").textContent,
    Array.from(document.querySelectorAll(".arm.live svg")).map(function (svg) {
      return ["links", "tool"].map(function (name) { return svg.querySelector("." + name).getAttribute("points"); }).concat(
        ["scale", "axes"].map(function (name) { return svg.querySelector("." + name).getAttribute("d"); }));
    })]);
}
function point(shares) {
  const canvas = canvases[shares.length % canvases.length], box = canvas.getBoundingClientRect();
  if (!shares.length) {
    canvas.dispatchEvent(new PointerEvent("pointerleave"));
    setTimeout(function () { look("none"); document.title = "POINTER " + JSON.stringify(seen) + " END"; }, 200);
    return;
  }
  canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 70 + shares[0] * (box.width - 82), clientY: box.top + 10 }));
  setTimeout(function () { look(shares[0]); point(shares.slice(1)); }, 200);
}
setTimeout(function () { look("none"); point(SHARES); }, 200);
"""


def browse(path):
    done = subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           "--virtual-time-budget=8000", "--enable-logging=stderr", "--v=0", "--dump-dom", "file://" + path],
                          capture_output=True, text=True, timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def pointed_at(folder, figure, shares):
    """What the figure shows at these shares of the time, between twice without a cursor: (time shown, views)."""
    copy = os.path.join(folder, "reader.html")
    text = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", figure.text)
    text = text.replace("<body>", "<body><script>" + FRAMES + "</script>")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", "<script>" + POINTER.replace("SHARES", json.dumps(shares)) + "</script></body>"))
    dom, said = browse(copy)
    title = re.search(r"<title>POINTER (.*?) END</title>", dom)
    expect("the pointer comes to its end, without an error", title and not said, said)
    return json.loads(html.unescape(title.group(1))) if title else []


def measured(view):
    """As view_of, of a view in the browser."""
    return view_of('class="links" points="%s" class="scale" d="%s" class="axes" d="%s"' % (view[0], *view[2:]))["points"]


def check_cursor(folder):
    path = os.path.join(TOP, "captures", "rtde-v2.pcapng.gz")
    figure, records = page_of(folder, path), records_of(path)
    shares = [0.02, 0.2, 0.45, 0.7, 0.93]
    seen = pointed_at(folder, figure, shares)
    side = "xyz".index(figure.pictures(True)[0][0]["axes"][0])
    shown = set()
    for what, text, views in seen:
        clock = re.search(r"12:00:(\d\d\.\d{3}) UTC", text)
        expect("%s: a time" % what, clock, text)
        if not clock:
            continue
        time = min(records, key=lambda one: abs(one - 1769860800 - float(clock.group(1))))
        begin = figure.chart["start"] + figure.chart["fraction"]
        wished = begin + figure.chart["span"] * what if what != "none" else max(records)
        expect("%s: the record at the cursor" % what, -0.02 < wished - time < 0.02, wished, time)
        places = [[0, 0, 0]] + chain(PUBLISHED["UR5e"], records[time][-1][0])
        for number, (view, axes) in enumerate(zip(views, ((side, 2), (0, 1)))):
            wanted = [(place[axes[0]], place[axes[1]]) for place in places]
            points = measured(view)
            expect("%s, view %d: %d points" % (what, number, len(points)), len(points) == 7)
            expect("%s, view %d: the pose" % (what, number), farthest(points, wanted) < 0.01, farthest(points, wanted))
            expect("%s: the tool at the arm's end" % what, view[1].split()[0] == view[0].split()[-1], view)
        shown.add(json.dumps(views))
    expect("each place another pose", len(shown) == len(shares) + 1, len(shown))
    expect("without a cursor, as before", seen and seen[0] == seen[-1] and seen[0][1].startswith("at the end"), seen[:1])


def check_gap(folder):
    """In a gap the arm is not known."""
    capture = Capture()
    client = Client(capture, 0, [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("actual_TCP_pose", "VECTOR6D")])
    for i in range(1000):
        q = [0.4 + k / 2 - (4 if k == 3 else 0) + 0.5 * math.sin(i / (11 + 3 * k) + k) for k in range(6)]
        frame = frames(PUBLISHED["UR5e"], q)[5]
        client.package(0.01 + i * 0.01, 100 + i * 0.01, *q, *[frame[k][3] for k in range(3)], *vector_of(frame), is_lost=400 <= i < 600)
    path = os.path.join(folder, "gap.pcap")
    capture.write(path)
    seen = pointed_at(folder, page_of(folder, path), [0.3, 0.5, 0.7])
    hidden = [(text.startswith("not known"), all(view[:2] == ["", ""] for view in views)) for _, text, views in seen[1:4]]
    expect("only in the gap the arm is hidden", hidden == [(False, False), (True, True), (False, False)], hidden)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, model in SAMPLES:
            check_points(folder, name, model)
        for check in check_stop, check_plot, check_certainty, check_configuration, check_hostile, check_size:
            check(folder)
        if BROWSER:
            check_cursor(folder)
            check_gap(folder)
        else:
            lacks("chromium", "the figure at the cursor")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
