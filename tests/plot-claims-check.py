#!/usr/bin/env python3
"""Pictures of armtap plot claim nothing that was not captured, and hide nothing that was: times without data, connections
that overlap, clocks that were set, numbers of ten digits, modes by the thousand, robots side by side."""
import json
import os
import re
import subprocess
import sys
import tempfile

from pictures import COLOURS, SVG, Picture, lines, value_of
from robot_capture import Capture, Client
from tally import expect, finish

TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
ARMTAP = os.environ["ARMTAP"]
FIELDS = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("robot_mode", "INT32"), ("safety_status", "INT32")]


def armtap(*arguments, status=0):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, text=True)
    expect("armtap %s ends with %d" % (" ".join(arguments), status), done.returncode == status, done.returncode, done.stderr)
    return done


def record(client, time, joint, status=1, clock=None):
    client.package(time, 100 + time if clock is None else clock, *[joint] * 6, 7, status)


def curves(picture):
    return [line for one in picture.root.iter(SVG + "path") if one.get("stroke") == COLOURS[0] and
            one.get("stroke-width") == "1.2" for line in lines(one)]


def draw(capture, folder, *options):
    path = os.path.join(folder, "a.pcap")
    capture.write(path)
    done = armtap("plot", *options, path)
    return Picture(done.stdout), done.stderr


def check_silence(folder, step, silence, is_gap):
    """So many s without a record, in a stream with one each `step` s. The controller's clock stands still, or goes on: then
    records were skipped, however short it is."""
    for name, advance in (("stands", step), ("goes on", silence))[:1 + is_gap]:
        capture, time, clock = Capture(), 0.01, 100
        client = Client(capture, 0, FIELDS, hz=1 / step)
        for i in range(100):
            record(client, time, i / 100, 1, clock)
            time, clock = time + (silence if i == 49 else step), clock + (advance if i == 49 else step)
        picture, _ = draw(capture, folder, "--fields", "actual_q_0")
        what = "%g s of silence in steps of %g s, the clock %s" % (silence, step, name)
        expect(what + ": grey", (len({x for x, _ in picture.gaps}) == 1) == is_gap, picture.gaps)
        expect(what + ": lines", len(curves(picture)) == 1 + is_gap, len(curves(picture)))


def check_gap(folder, cause, missing, has_clock):
    """So many cycles without a record, for that reason: grey from two on, from the record before to the one behind it, with no
    line across; in the report, too. Of another robot beside it nothing is grey."""
    capture, names, step = Capture(), FIELDS[1 - has_clock:], 0.008
    client, beside = Client(capture, 0, names), Client(capture, 0, names, 40002, "10.0.0.3")
    for i in range(60 + missing):
        time, is_missing = 0.01 + i * step, 30 <= i < 30 + missing
        values = [100 + i * step] * has_clock + [*[i / 100] * 6, 7, 1]
        if i == 30 and cause == "paused":
            client.pause(time - step / 2)
        if i == 30 + missing and cause == "paused":
            client.start(time - step / 2)
        if i == 30 + missing and cause == "reconnected":
            client.close(time - 0.004)
            client = Client(capture, time - 0.003, names, 40003)
        if not is_missing or cause == "lost":
            client.package(time, *values, is_lost=is_missing)
        capture.segment(time, client.client, client.robot, b"", 0x10)
        if 20 <= i < 40 + missing:
            beside.package(time + 0.001, *values)
    what = "%s, %d cycles, %s" % (cause, missing, "with a clock" if has_clock else "without")
    is_gap = missing >= 2 and (has_clock or cause != "skipped")
    picture, _ = draw(capture, folder, "--fields", "actual_q_0", "--stream" if cause != "reconnected" else "--to",
                      "0" if cause != "reconnected" else "+1")
    drawn = curves(picture)
    pixel = (drawn[-1][-1][0] - drawn[0][0][0]) / (59 + missing)
    wanted = {(29, missing + 1)} if is_gap else set()
    found = {(round((x - drawn[0][0][0]) / pixel), round(width / pixel)) for x, width in picture.gaps}
    expect(what + ": grey", found == wanted, found, picture.gaps)
    widest = max((b[0] - a[0]) / pixel for line in drawn for a, b in zip(line, line[1:]))
    expect(what + ": no line across", len(drawn) == 1 + (is_gap or cause == "reconnected") and
           widest < (1.5 if is_gap else missing + 1.5), len(drawn), widest)
    beside, _ = draw(capture, folder, "--fields", "actual_q_0", "--stream", "1")
    expect(what + ": not the other robot", not beside.gaps and len(curves(beside)) == 1, beside.gaps)
    page = armtap("report", "--findings-ok", os.path.join(folder, "a.pcap"), "-o", "-").stdout
    gaps = [json.loads(text) for text in re.findall(r'"gaps":(\[(?:\[[^\]]*\],?)*\])', page)]
    spans = {(round(a / step), round((b - a) / step)) for one in gaps for a, b in one}
    expect(what + ": the report", len(gaps) > 0 and spans == wanted, gaps)


def check_pause(folder):
    capture = Capture()
    client = Client(capture, 0, FIELDS)
    for i in range(250):
        record(client, 0.01 + i * 0.008, i / 100)
    client.pause(2.1)
    client.start(11.9)
    for i in range(250):
        record(client, 12 + i * 0.008, i / 100, 3)
    picture, _ = draw(capture, folder)
    widest = max((width for _, width in picture.gaps), default=0)
    expect("a pause is grey", 730 < widest < 800, picture.gaps)  # 10 of 14 s in some 1084 pixels
    expect("over both strips and the panel", len([width for _, width in picture.gaps if width == widest]) == 3, picture.gaps)
    expect("and breaks the line", len(curves(picture)) == 2, len(curves(picture)))


def check_overlap(folder, end, panels):
    """A second client of the same robot that goes on until `end`, the first until 10 s."""
    capture = Capture()
    first = Client(capture, 0, FIELDS)
    for i in range(1000):
        record(first, 0.01 + i * 0.01, i / 100)
    second = Client(capture, 9.5, FIELDS, 40002)
    for i in range(int((end - 9.5) * 50)):
        record(second, 9.5 + i * 0.02, -1, 3 if i > 10 else 1)
    picture, _ = draw(capture, folder)
    expect("until %g s: panels" % end, len(picture.panels) - 1 == panels, list(picture.panels))
    strips = [word for word in picture.words if word.startswith("safety_status")]
    expect("until %g s: modes" % end, len(strips) == panels, picture.words)


def check_clock_set_back(folder):
    """100 of 500 records have times half a minute earlier: they are drawn there."""
    capture = Capture()
    client = Client(capture, 0, FIELDS)
    for i in range(500):
        record(client, 0.01 + i * 0.008 - (30 if 200 <= i < 300 else 0), i / 100, clock=100 + i * 0.008)
    picture, _ = draw(capture, folder, "--fields", "actual_q_0")
    drawn, grey = curves(picture), {x for x, _ in picture.gaps}
    xs = [x for line in drawn for x, _ in line]
    begin, end = min(xs), max(xs)
    early = [x for x in xs if x < begin + (end - begin) * 0.1]
    expect("set back: what came then is at the beginning", len(early) > 20, len(early))
    expect("set back: the time between is grey", len(grey) == 1, picture.gaps)
    ends = sorted(line[-1][0] for line in drawn)
    expect("set back: no line crosses it", len(drawn) >= 2 and ends[0] < begin + (end - begin) * 0.1, ends)


def check_numbers(folder):
    """Numbers of ten digits and a sign stand whole on the axis, and there are two at least."""
    for start, step in ((1234567890, 1), (-1234567890, 1), (0, 0), (1, 0), (-2147483648, 0), (5, 1)):
        capture = Capture()
        client = Client(capture, 0, [("timestamp", "DOUBLE"), ("output_int_register_0", "INT32")])
        for i in range(100):
            client.package(0.01 + i * 0.008, 100 + i * 0.008, start + i // 25 * step)
        picture, _ = draw(capture, folder, "--fields", "output_int_register_0", "--width", "400")
        panel = picture.panels["output_int_register_0"]
        expect("%d: two ticks" % start, len(panel["ticks"]) >= 2, panel["ticks"])
        numbers = [one for one in picture.root.iter(SVG + "text") if re.fullmatch(r"-?\d[\d.e+]*", one.text or "")]
        expect("%d: numbers within the picture" % start, numbers and
               all(float(one.get("x")) - 7.6 * len(one.text) > 0 for one in numbers),
               [(one.get("x"), one.text) for one in numbers])
        if step:
            value, pixel = value_of(panel)
            ends = [value(y) for _, y in (panel["curves"][COLOURS[0]][0], panel["curves"][COLOURS[0]][-1])]
            expect("%d: read back" % start, abs(ends[0] - start) < pixel and abs(ends[1] - start - 3) < pixel, ends)


def check_modes(folder):
    """No two modes of one field have the same colour."""
    capture = Capture()
    client = Client(capture, 0, FIELDS)
    values = list(range(1, 14))
    for i in range(50 * len(values)):
        record(client, 0.01 + i * 0.008, i / 100, values[i // 50])
    path = os.path.join(folder, "modes.pcap")
    capture.write(path)
    colours = {}
    for group in Picture(armtap("plot", path).stdout).root.iter(SVG + "g"):
        title, box = group.find(SVG + "title"), group.find(SVG + "rect")
        if title is not None and box is not None and "RUNNING" not in title.text:
            colours.setdefault(box.get("fill"), set()).add(title.text)
    expect("13 modes, 13 colours", len(colours) == 13 and all(len(names) == 1 for names in colours.values()), colours)
    page = armtap("plot", "-f", "html", path).stdout
    bands = {}
    for name, colour in re.findall(r'\[[\d.]+,[\d.]+,"([A-Z0-9_]+)","(#[0-9a-f]+)"\]', page):
        bands.setdefault(colour, set()).add(name)
    expect("the page has the same", set(colours) <= set(bands) and all(len(names - {"RUNNING"}) == 1 for names in bands.values()),
           bands)


def check_sizes(folder):
    """A picture whose words have no room says which size it needs, and can be drawn with that."""
    path = os.path.join(TOP, "captures", "driver-stop.pcap.gz")
    for option, other in (("--width", ()), ("--height", ("--width", "500"))):
        done = armtap("plot", option, "300" if option == "--width" else "150", *other, path, status=2)
        least = re.search(r"needs? at least (\d+)", done.stderr)
        expect("%s says what it needs" % option, least is not None, done.stderr)
        if least:
            armtap("plot", option, least.group(1), *other, path)
            armtap("plot", option, str(int(least.group(1)) - 1), *other, path, status=2)


def check_too_many_modes(folder, changes, has_other):
    """A mode that changes often: up to the limit of those kept all are drawn, and beyond it none is claimed."""
    fields = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("safety_status", "INT32"), ("runtime_state", "UINT32")]
    capture = Capture()
    client = Client(capture, 0, fields)
    if has_other:
        record(Client(capture, 0, FIELDS, 40002, "10.0.0.3"), 0.005, 0.5)
    for i in range(changes + 2000):
        client.package(0.01 + i * 0.008, 100 + i * 0.008, *[0.1] * 6, 5 if i > changes else 1, 1 + i % 2 if i < changes else 2)
    picture, said = draw(capture, folder)
    is_cut = changes > 10000
    expect("%d changes: said" % changes, ("runtime_state changed too often" in said) == is_cut, said)
    expect("%d changes: another robot is said, too" % changes, ("only one robot" in said) == has_other, said)
    expect("%d changes: in the picture, too" % changes, ("not all of the capture is drawn" in picture.words) == (is_cut or has_other),
           picture.words)
    expect("%d changes: the rest has no mode" % changes, ("not kept" in picture.words) == is_cut, picture.words)
    expect("%d changes: another field's are kept" % changes, any(word.startswith("SAFE") for word in picture.words), picture.words)


def check_reconnections(folder):
    """300 connections, each of a client that came again: their curves are one, without a close, too."""
    for closes in (True, False):
        capture = Capture()
        for k in range(300):
            client = Client(capture, k, FIELDS, 20000 + k)
            for i in range(20):
                record(client, k + 0.1 + i * 0.02, i / 20)
            if closes:
                client.close(k + 0.7)
        picture, said = draw(capture, folder)
        drawn = curves(picture)
        begin, end = min(x for line in drawn for x, _ in line), max(x for line in drawn for x, _ in line)
        expect("300 connections: nothing is left out", said == "" and len(picture.panels) == 2, said, list(picture.panels))
        expect("300 connections: drawn to the end", len(drawn) >= 300 and end - begin > 1080, len(drawn), end - begin)


def check_stream_of_many(folder):
    """Of 300 connections side by side, beyond what one picture holds, the one that was asked for."""
    capture = Capture()
    clients = [Client(capture, 0, FIELDS, 20000 + k) for k in range(300)]
    for i in range(20):
        for k, client in enumerate(clients):
            record(client, 0.1 + i * 0.02, k)
    picture, _ = draw(capture, folder, "--stream", "299", "--fields", "actual_q_0")
    value, pixel = value_of(picture.panels["actual_q, rad"])
    expect("stream 299", all(abs(value(y) - 299) < pixel for line in curves(picture) for _, y in line), curves(picture))


def check_robots(folder):
    """Of two robots the one that stopped is drawn, though the other has more records."""
    capture = Capture()
    stopping, going = Client(capture, 0, FIELDS), Client(capture, 0, FIELDS, 40002, "10.0.0.3")
    for i in range(400):
        if i % 4 == 0:
            record(stopping, 0.01 + i * 0.008, 0.5, 3 if i > 200 else 1)
        record(going, 0.01 + i * 0.008, 0.7)
    for options in ((), ("--around", "safety.stop=1")):
        picture, said = draw(capture, folder, *options)
        expect("the robot that stopped", any("10.0.0.2" in word for word in picture.words), picture.words)
        expect("its stop", picture.stops and any("PROTECTIVE" in word for word in picture.words), picture.words)
        expect("the other one is named", "10.0.0.3: choose it with --stream 1" in said, said)
    picture, said = draw(capture, folder, "--stream", "1")
    expect("the other robot has no stop", not picture.stops and said == "", picture.stops, said)


def check_files(folder):
    """Packets are counted in each file: a stop says which."""
    paths = [os.path.join(folder, "%s.pcap" % name) for name in "ab"]
    for k, path in enumerate(paths):
        capture = Capture()
        client = Client(capture, 10 * k, FIELDS, 40001 + k)
        for i in range(100):
            record(client, 10 * k + 0.1 + i * 0.02, 0.5, 3 if i > 50 + k else 1)
        capture.write(path)
    words = Picture(armtap("plot", *paths).stdout).words
    expect("a stop's file", [word for word in words if word.startswith("stop")] ==
           ["stop, packet 61 of a.pcap", "stop, packet 62 of b.pcap"], words)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for step, silence, is_gap in ((0.008, 10, True), (0.008, 0.12, True), (0.008, 0.09, False), (0.1, 1.1, True),
                                      (0.1, 0.9, False), (1, 11, True), (1, 1.9, False)):
            check_silence(folder, step, silence, is_gap)
        check_pause(folder)
        for cause in "lost", "skipped", "paused", "reconnected":
            for missing in 1, 2, 3:
                for has_clock in True, False:
                    check_gap(folder, cause, missing, has_clock)
        check_overlap(folder, 10.4, 1)
        check_overlap(folder, 10.6, 2)
        check_clock_set_back(folder)
        check_numbers(folder)
        check_modes(folder)
        check_sizes(folder)
        for changes, has_other in ((9999, False), (10020, False), (10020, True)):
            check_too_many_modes(folder, changes, has_other)
        check_reconnections(folder)
        check_stream_of_many(folder)
        check_robots(folder)
        check_files(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
