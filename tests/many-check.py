#!/usr/bin/env python3
"""What armtap says of captures with very many connections: of a client that connects again and again, ended by either
side or refused, of several clients, robots and protocols, with one that is unlike the others among them. What is alike is
said once, so that the lines are as many as the kinds; each kind and each odd one is there; what is counted adds up to
what was sent. Few streams keep a line each. CHECK=all: up to 10,000 connections."""
import json
import os
import re
import subprocess
import sys
import tempfile

import many_captures as many

ARMTAP = os.environ.get("ARMTAP", "./armtap")
ALL = os.environ.get("CHECK") == "all"
FEW = 10  # so many alike are told one by one
failures = []


def expect(what, is_so, shown=""):
    if not is_so:
        failures.append(what)
        print("FAIL %s\n%s" % (what, str(shown)[:3000]))


def run(*arguments):
    result = subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, check=False)
    expect("ends with 0 to 2: %s" % (arguments,), result.returncode in (0, 1, 2), result.stderr)
    return result


# ---- captures: (what each connection does) -----------------------------------------------------------------------------


def alike(capture, i, n):
    capture.rtde("client")


def by_robot(capture, i, n):
    capture.rtde("robot")


def resets(capture, i, n):
    capture.rtde("reset-by-robot")


def ends(capture, i, n):
    capture.rtde(many.ENDS[i % 4])


def legacy(capture, i, n):
    capture.realtime("client")


def both(capture, i, n):
    (capture.rtde, capture.realtime)[i % 2]("client")


def rates(capture, i, n):
    capture.rtde("client", hz=(125.0, 500.0)[i % 2])


def lengths(capture, i, n):
    capture.rtde("client", packages=(25, 250)[i % 2])


def recipes(capture, i, n):
    capture.rtde("client", fields=(many.FIELDS, many.SHORTER)[i % 2])


def clients(capture, i, n):
    capture.client = "10.0.0.%d" % (9 + i % 2)
    capture.rtde("client")


def leases(capture, i, n):
    capture.client = "10.0.7.%d" % (20 + i % 50)
    capture.rtde("client")


def robots(capture, i, n):
    capture.rtde("client", robot="10.0.%d.%d" % (1 + i // 200, 20 + i % 200))


def robots_end(capture, i, n):
    capture.rtde("robot", robot="10.0.%d.%d" % (1 + i // 200, 20 + i % 200))


def three_robots(capture, i, n):
    capture.rtde("client", robot="10.0.1.%d" % (20 + i % 3))


def refused(capture, i, n):
    capture.rtde("client") if i % 10 == 9 else capture.refused()


def tiny(capture, i, n):
    capture.rtde("client", packages=(25, 1)[i % 2])


def longer(capture, i, n):
    capture.rtde("client", packages=400 if i == n // 2 else None)


def another(capture, i, n):
    capture.rtde("client", fields=many.SHORTER if i == n // 2 else many.FIELDS)


def holed(capture, i, n):
    capture.rtde("client", lost=(10,) if i == n // 2 else ())


# what, how many rows of a table for many of them, and whether one of them is odd
CASES = [(alike, 1, False), (by_robot, 1, False), (resets, 1, False), (ends, 1, False), (legacy, 1, False), (both, 2, False),
         (rates, 2, False), (lengths, 2, False), (recipes, 2, False), (clients, 2, False), (leases, 1, False),
         (robots, None, False), (robots_end, None, False),
         (three_robots, 3, False), (refused, 1, False), (tiny, 1, False), (longer, 2, True), (another, 2, True),
         (holed, 2, True)]

# ---- what is said ------------------------------------------------------------------------------------------------------

ROW = re.compile(r"^ *(\d+)(?:-(\d+))? +\S+:\d+ +(\S+?)(?: \((\d+)\))?\s+(?:rtde|realtime) \d+ +(\d+) ", re.M)


def check_info(what, path, n, rows, has_odd):
    told, streams = run("info", path), json.loads(run("info", "--json", path).stdout)["streams"]
    table = [match.groups() for match in ROW.finditer(told.stdout)]
    expect("%s: JSON has every stream" % what, [stream["stream"] for stream in streams] == list(range(len(streams))))
    expect("%s: every stream is counted" % what, sum(int(row[3] or 1) for row in table) == len(streams), told.stdout)
    expect("%s: every record is counted" % what,
           sum(int(row[4]) for row in table) == sum(stream["records"] for stream in streams), told.stdout)
    expect("%s: how to see each" % what, ("armtap info --json " + path in " ".join(told.stdout.split())) ==
           any(row[3] for row in table), told.stdout)
    if rows is None:
        expect("%s: a line per robot" % what, len(table) == len(streams), told.stdout)
    elif len(streams) <= FEW:
        expect("%s: few are told one by one" % what, len(table) == len(streams), told.stdout)
    elif len(streams) > FEW * 4 + 1:
        expect("%s: %d rows" % (what, rows), len(table) == rows, told.stdout)
    if has_odd and len(streams) > FEW + 1:
        expect("%s: the odd one is seen" % what,
               any(row[:2] == (str(n // 2), None) and int(row[4]) == streams[n // 2]["records"] for row in table), told.stdout)
    check_diagnosis(what, path, n, len(streams), has_odd)
    check_refusal(what, path, sum(stream["records"] > 0 for stream in streams))
    check_tables(what, path, n, len(streams), rows, has_odd, sum("robot_mode" in stream["fields"] for stream in streams))
    kinds = len(table) if rows is None or len(streams) <= FEW * 4 else rows
    expect("%s: lines by kinds" % what, len(told.stdout.splitlines()) <= 50 + 12 * min(kinds, 40) + 2 * len(table), told.stdout)


FINDING = re.compile(r"^(?:info|notice|warning|error) +([a-z]+\.[a-z.-]+) +(\d+|-) +\d+ \S+\s+(?:and (\d+) more\b)?", re.M)


LINE = re.compile(r"^ *(\d+)(?:-\d+)? +(?:rtde|realtime) +\S+:\d+ +(?:\S+?)(?: \((\d+)\))? *$", re.M)
MODES = re.compile(r"^modes of stream (\d+)(?:, and the same values in (\d+) more)?", re.M)
CELLS = re.compile(r'<tr><td class="number">(\d+)(?:-\d+)?</td><td>(?:rtde|realtime)</td><td>[^<]*</td><td>\S+?(?: \((\d+)\))?</td>')


def modes_of(html):
    """The streams in a page's table of modes, and how many have the values of each."""
    table = html.partition("<h2>Modes</h2>")[2].partition("<h2>")[0]
    return set(re.findall(r'<td class="number">\d+</td><td class="number">(\d+)(?: \((\d+)\))?</td><td>', table))


def check_tables(what, path, n, streams, rows, has_odd, with_modes):
    told = run("diagnose", "--tables", path).stdout
    page = path + ".html"
    run("report", "-o", page, path)
    with open(page, encoding="utf-8") as file:
        html = file.read()
    expect("%s: tables count every stream" % what, sum(int(more or 1) for _, more in LINE.findall(told)) == streams, told)
    expect("%s: modes of every stream" % what, sum(int(more or 0) + 1 for _, more in MODES.findall(told)) == with_modes, told)
    lines = {int(number) for number, _ in CELLS.findall(html)}
    expect("%s: modes of every stream on the page" % what, sum(int(more or 1) for _, more in modes_of(html)) == with_modes, html)
    if rows is not None:
        expect("%s: the page counts every stream" % what, sum(int(more or 1) for _, more in CELLS.findall(html)) == streams, lines)
    for name, table in (("ends", {int(number) for number, _ in LINE.findall(told)}), ("page", lines)):
        expect("%s: few lines (%s)" % (what, name), rows is None or len(table) <= max(rows, 4) or streams <= 4 * FEW + 1, told)
        if has_odd and streams > FEW + 1:
            expect("%s: %s: the odd one has a line" % (what, name), n // 2 in table, told)
    if rows is not None and streams > 4 * FEW + 1:
        expect("%s: lines of tables by kinds" % what, len(told.splitlines()) <= 150, told)
        zeros = told.partition("controller clock zero")[2].partition("\n\n")[0].count("Z ")
        expect("%s: a clock that goes on has one line" % what, zeros <= max(rows, 4), told)


def check_refusal(what, path, streams):
    """A table holds one stream: ten are named, and how many more there are."""
    said = run("export", "-f", "csv", path).stderr.splitlines()
    named = [line for line in said if re.match(r"armtap:   stream \d+: ", line)]
    more = re.findall(r"^armtap:   and (\d+) more: ", "\n".join(said), re.M)
    expect("%s: a refusal names a few" % what, streams == 1 or
           (len(named) <= FEW and len(named) + sum(map(int, more)) == streams and len(said) <= FEW + 2), said)


def check_diagnosis(what, path, n, streams, has_odd):
    told, found = run("diagnose", path), json.loads(run("diagnose", "--json", path).stdout)
    expect("%s: JSON has every stream" % what, len(found["streams"]) == streams)
    counts, shown = {}, {}
    for finding in found["findings"]:
        counts[finding["id"]] = counts.get(finding["id"], 0) + finding.get("count", 1)
    for note, _, more in FINDING.findall(told.stdout):
        shown[note] = shown.get(note, 0) + int(more or 1)
    # a refused attempt's finding tells of several itself
    expect("%s: findings add up" % what, all(shown.get(note) == count for note, count in counts.items() if note[:4] != "tcp.r"),
           (shown, counts, told.stdout))
    expect("%s: every kind is shown" % what, set(shown) == set(counts), told.stdout)
    expect("%s: lines by kinds" % what, len(told.stdout.splitlines()) <= 40 + 6 * FEW * len(counts), told.stdout)
    incidents = len(found["incidents"])
    expect("%s: the verdict counts them" % what,
           incidents < 2 or told.stdout.replace("\n", " ").count("%d incidents; the worst: " % incidents) == 1, told.stdout)
    if has_odd is holed:
        expect("%s: the gap is seen" % what, re.search(r"^warning +stream.gap +%d " % (n // 2), told.stdout, re.M), told.stdout)
    return told.stdout


def check_robots(folder):
    """What befell more than ten robots is told once, with how many they are; of ten, of each."""
    for n, paragraphs in ((10, 10), (11, 1), (300, 1)):
        path = os.path.join(folder, "robots.pcap")
        write(path, robots_end, n)
        told = run("diagnose", path).stdout
        words = " ".join(told.split())
        expect("%d robots: %d paragraphs" % (n, paragraphs), len(re.findall("Responsible side: robot", told)) == paragraphs, told)
        rows = len(FINDING.findall(told))
        expect("%d robots: rows" % n, rows == 2 * n if n <= 10 else rows <= 5, told)
        expect("%d robots: how many" % n, ("The same happened %d more times at %d other robots" % (n - 1, n - 1) in words) == (n > 10), told)


def check_sides(folder):
    """Ten alike are told one by one, eleven are one line."""
    for n, rows in ((1, 1), (10, 10), (11, 1)):
        path = os.path.join(folder, "sides.pcap")
        write(path, alike, n)
        told = run("info", path).stdout
        expect("%d alike: %d rows" % (n, rows), len(list(ROW.finditer(told))) == rows, told)
        expect("%d alike: %d parts" % (n, rows), len(re.findall("^streams? ", told, re.M)) == rows, told)


def check_refusals(folder):
    """Refusals alike of more than ten robots are told once, also in info; one refused several times is told besides."""
    path = os.path.join(folder, "robots.pcap")
    for n in (10, 11, 300):
        for odd in (0, 1, 50):  # times of one more robot
            capture = many.Many()
            for i in range(n):
                capture.refused("10.0.%d.%d" % (1 + i // 200, 20 + i % 200))
            last, packet = capture.time - 1, 2 * n
            for _ in range(odd):
                last, packet = (capture.time, 2 * n + 2) if odd == 1 else (last, packet)
                capture.refused("10.0.9.9")
            capture.rtde("client")
            capture.capture.write(path)
            alike = n + (odd == 1)
            told, info = run("diagnose", path).stdout, run("info", path).stdout
            words, what = " ".join(told.split()), "%d refused, %d more times" % (n, odd)
            expect("%s: paragraphs" % what, words.count("Responsible side: ") ==
                   min(FEW, (alike if alike <= FEW else 1) + (odd > 1)), told)
            expect("%s: how many" % what, re.findall(r"happened (\d+) more times at (\d+) other robots, the last time at 12:(\S+)Z "
                                                     r"\(packet (\d+)\)\.", words) ==
                   ([(str(alike - 1), str(alike - 1), "%02d:%02d.000" % divmod(round(last), 60),
                      str(packet))] if alike > FEW else []), (last, packet, told))
            rows = [line for line in told.splitlines() if line.startswith("error   tcp.refused")]
            expect("%s: rows" % what, len(rows) == (alike if alike <= FEW else 2) + (odd > 1), told)
            named = " ".join(info.partition("failed connection attempts")[2].partition("findings")[0].split())
            expect("%s: info" % what, named.count("refused 10.0.0.9") == (alike if alike <= FEW else 1) + (odd > 1) and
                   ("and %d similar ones" % (alike - 1) in named) == (alike > FEW), info)
            expect("%s: the odd one" % what, odd < 2 or all("10.0.9.9:30004 refused 10.0.0.9 %d times" % odd in one
                                                            for one in (words, named)), (told, info))


def check_lasting(folder):
    """The last of the robots that refuse again and again goes on from a time, not at one."""
    path = os.path.join(folder, "robots.pcap")
    for times, words in ((1, "at 12:00:11.000Z (packet 24)."), (3, "from 12:00:33.000Z (packet 68) on.")):
        capture = many.Many()
        for i in range(12 * times):
            capture.refused("10.0.1.%d" % (20 + i // times))
        capture.capture.write(path)
        told = " ".join(run("diagnose", path).stdout.split())
        expect("%d times each" % times, "happened 11 more times at 11 other robots, the last time " + words in told, told)


def check_advice(folder):
    """How to capture what robots report is said once for more than ten that stopped, with a command for all."""
    for n in (1, 10, 11, 120):
        path, capture = os.path.join(folder, "stops.pcap"), many.Many()
        for i in range(n):
            capture.rtde("client", fields=many.SAFETY, robot="10.0.1.%d" % (20 + i), packages=25, stop_at=12)
        capture.capture.write(path)
        told = " ".join(run("diagnose", path).stdout.split())
        expect("%d stops: advice" % n, told.count("tcpdump -i any") == (n > FEW), told)
        expect("%d stops: of each" % n, told.count("armtap record rtde://10.0.1.") == (n if n <= FEW else 0), told)
        expect("%d stops: of all" % n, ("%d robots: to capture what the robots report" % n in told) == (n > FEW), told)


def check_modes(folder):
    """A page has the modes of more than ten streams once if their values are the same, and those of the one that stops."""
    for n in (10, 11, 400):
        path, capture = os.path.join(folder, "modes.pcap"), many.Many()
        for i in range(n + 1):
            capture.rtde("client", fields=many.SAFETY, packages=3, stop_at=2 if i == n else None)
        capture.capture.write(path)
        run("report", "-o", path + ".html", path)
        with open(path + ".html", encoding="utf-8") as file:
            html = file.read()
        alike = {(str(i), "") for i in range(n)} if n <= FEW else {("0", str(n))}
        expect("modes of %d" % n, modes_of(html) == alike | {(str(n), "")}, modes_of(html))
        expect("modes of %d: the stop" % n, html.partition("<h2>Modes</h2>")[2].count("PROTECTIVE_STOP") == 1, html)


def check_index(folder):
    """A capture of too many connections for a sidecar is refused with a remedy, which works: its parts give the same rows."""
    capture, folder = many.Many(), os.path.join(folder, "index")
    for _ in range(600):
        capture.realtime("client")
    frames, paths = capture.capture.frames, [os.path.join(folder, name) for name in ("all.pcap", "one.pcap", "other.pcap")]
    os.mkdir(folder)
    for path, part in zip(paths, (frames, frames[:len(frames) // 2], frames[len(frames) // 2:])):
        capture.capture.frames = part
        capture.capture.write(path)
    refused = run("index", "-o", folder, paths[0])
    expect("600 connections: index refuses", refused.returncode == 2 and "split it" in refused.stderr, refused)
    expect("600 connections: index of parts", run("index", "-o", folder, *paths[1:]).returncode == 0)
    rows = [run("export", "--union", "-f", "csv", "--fields", "time_ns,timestamp,robot_mode", *after, path).stdout.splitlines()
            for after, path in (((), paths[0]), ((), paths[1]), (("--after", folder), paths[2]))]
    expect("600 connections: rows", len(rows[0]) > 600 * 20 and rows[0] == rows[1] + rows[2][1:], [len(part) for part in rows])


def check_named(folder):
    """One that is longer than the others has a line from 0.5 s and twice on; less is named, as is one that is shorter."""
    for odd, rows, named in ((25, 1, ""), (26, 1, " (most in stream 7)"), (87, 1, " (most in stream 7)"), (88, 2, ""),
                             (1, 1, " (fewest in stream 7)")):
        path, capture = os.path.join(folder, "named.pcap"), many.Many(seed=odd)
        for i in range(20):
            capture.rtde("client", packages=odd if i == 7 else 25)
        capture.capture.write(path)
        told = run("info", path).stdout
        expect("one of %d: %d rows" % (odd, rows), len(list(ROW.finditer(told))) == rows, told)
        of_all = "%d-%d" % (min(odd, 25), max(odd, 25)) if rows == 1 and odd != 25 else "25"
        expect("one of %d: named" % odd, re.findall(r"^  each: (.*) records(.*) in [0-9.]", told, re.M) == [(of_all, named)], told)


def check_repeats(folder):
    """An incident of several groups ends with the last of them; it and the verdict count all that they are."""
    for groups in ((1,), (4,), (1, 1), (3, 5), (1, 60, 99)):
        path, capture, last = os.path.join(folder, "repeats.pcap"), many.Many(), 0
        for i, group in enumerate(groups):
            if i > 0:
                capture.rtde("client")
            for _ in range(group):
                last = capture.time + 0.0005
                capture.refused()
        capture.rtde("client")
        capture.capture.write(path)
        check_times(path, "refused %s" % (groups,), last, groups[0], sum(groups[1:]))
    for n in (1, 2, 11, 40):
        path = os.path.join(folder, "repeats.pcap")
        capture = write(path, resets, n)
        check_times(path, "%d resets" % n, capture.time - 1, 1, n - 1)


def check_times(path, what, last, first, more):
    incident, = json.loads(run("diagnose", "--json", path).stdout)["incidents"]
    expect("%s: until its last" % what, abs(incident["to"] - many.wire.BEGIN - last) < 1e-5, (incident, last))
    verdict = " ".join(run("diagnose", path).stdout.split("\n\n")[-1].split())
    for name, text in (("incident", incident["text"]), ("verdict", verdict)):
        expect("%s: %s: how many" % (what, name), re.findall("; and ([0-9]+) more", text)[:1] == ([str(more)] if more else []),
               text)
    expect("%s: of the first" % what, (" %d times" % first in incident["text"]) == (first > 1), incident["text"])


def write(path, kind, n):
    capture = many.Many(seed=n)
    for i in range(n):
        kind(capture, i, n)
    capture.capture.write(path)
    return capture


with tempfile.TemporaryDirectory() as temporary:
    check_sides(temporary)
    check_robots(temporary)
    check_refusals(temporary)
    check_lasting(temporary)
    check_advice(temporary)
    check_modes(temporary)
    if ALL:
        check_index(temporary)
    check_named(temporary)
    check_repeats(temporary)
    for number in (1, 5, 120) + ((300, 3000) if ALL else ()):
        for case, case_rows, odd in CASES:
            if case in (robots, robots_end) and number > 300:
                continue
            name = os.path.join(temporary, "many.pcap")
            write(name, case, number)
            check_info("%d %s" % (number, case.__name__), name, number, case_rows, case if odd else None)
print("many-check: %s" % ("%d wrong" % len(failures) if failures else "all as expected"))
sys.exit(bool(failures))
