#!/usr/bin/env python3
"""Compares the pictures of armtap plot with armtap export's rows and armtap diagnose's findings: in each panel the curves
reach the same highest and lowest values, read back through the axis; line by line every column of pixels has its extremes;
stops and gaps are drawn where they were found; hostile texts are inert; a spike in a long capture is seen."""
import csv
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
import threading
import xml.etree.ElementTree as ElementTree

from pictures import COLOURS, STOP, SVG, Picture, lines, points, value_of
from png import read_png
from report_pages import legacy, packet
from tally import ALL, decodable, expect, finish, share

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
ARMTAP = os.environ["ARMTAP"]
USUAL = [("joint positions, rad", "actual_q", 6), ("joint speeds, rad/s", "actual_qd", 6),
         ("joint currents, A", "actual_current", 6), ("TCP position, m", "actual_TCP_pose", 3)]


def run(*arguments, status=0, stdin=None):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, input=stdin)
    expect("armtap %s ends with %d" % (" ".join(arguments), status), done.returncode == status, done.returncode, done.stderr)
    return done.stdout.decode()


def rows_of(path, *options):
    return list(csv.DictReader(io.StringIO(run("export", path, "-o", "-", *options))))


def check_panel(name, picture, caption, rows, field, count):
    panel = picture.panels.get(caption)
    columns = [[float(row["%s_%d" % (field, i)]) for row in rows if row.get("%s_%d" % (field, i))] for i in range(count)]
    if not any(columns):
        expect("%s: no panel %s" % (name, caption), panel is None)
        return
    expect("%s: a panel %s" % (name, caption), panel is not None and len(panel["ticks"]) >= 2, sorted(picture.panels))
    if panel is None or len(panel["ticks"]) < 2:
        return
    value, pixel = value_of(panel)
    for i, column in enumerate(columns):
        drawn = [value(y) for _, y in panel["curves"].get(COLOURS[i], [])]
        close = drawn and abs(min(drawn) - min(column)) < pixel and abs(max(drawn) - max(column)) < pixel
        expect("%s: %s %d reaches from %g to %g" % (name, field, i, min(column), max(column)), close,
               drawn and (min(drawn), max(drawn)), pixel)


def check_sample(name):
    path = os.path.join(TOP, "captures", name)
    picture = Picture(run("plot", path, "--stream", "0"))
    rows = rows_of(path, "--stream", "0")
    for caption, field, count in USUAL:
        check_panel(name, picture, caption, rows, field, count)
    found = json.loads(run("diagnose", "--json", "--findings-ok", path))["findings"]
    stops = [one for one in found if one["id"] == "safety.stop" and one["stream"] == 0]
    expect("%s: %d stops" % (name, len(stops)), len(picture.stops) == len(stops), picture.stops)
    for stop in stops:
        expect("%s: packet %d is named" % (name, stop["packet"]), "stop, packet %d" % stop["packet"] in picture.words or
               len(stops) > 1)
    return picture


def check_columns(name, field):
    """Each column of pixels has the highest and the lowest value of its time."""
    path = os.path.join(TOP, "captures", name)
    rows = rows_of(path, "--stream", "0", "--fields", "time," + field)
    picture = Picture(run("plot", path, "--stream", "0", "--fields", field, "--width", "300"))
    vector, element = field.rsplit("_", 1)
    panel = next(iter(one for caption, one in picture.panels.items() if caption.startswith(vector)))
    value, pixel = value_of(panel)
    drawn = panel["curves"][COLOURS[int(element)]]
    left, right = min(x for x, _ in drawn), max(x for x, _ in drawn)
    times = [float(row["time"]) for row in rows]
    wrong = 0
    for x in {int(x) for x, _ in drawn}:
        at = [value(y) for px, y in drawn if int(px) == x]
        near = [float(row[field]) for row, time in zip(rows, times)
                if abs(left + (time - times[0]) / (times[-1] - times[0]) * (right - left) - x - 0.5) < 2.5]
        wrong += not near or max(at) > max(near) + pixel or min(at) < min(near) - pixel
    expect("%s: %s column by column" % (name, field), wrong == 0, wrong)


def check_spike(folder):
    """60,000 packets, one of them with a joint of 9 rad, in a picture of 300 pixels."""
    path = os.path.join(folder, "spike.pcap")
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for i in range(60000):
            file.write(packet(1769860800 + i // 125, i % 125 * 8000000, legacy(i * 0.008, 9 if i == 31415 else 0.5), 1 + 812 * i))
    picture = Picture(run("plot", "--fields", "actual_q_0", "--width", "300", path))
    panel = picture.panels["actual_q, rad"]
    value, pixel = value_of(panel)
    high = [x for x, y in panel["curves"][COLOURS[0]] if abs(value(y) - 9) < pixel]
    expect("a spike of one packet in 60,000 is drawn", len({int(x) for x in high}) == 1, high)
    low, end = (f(x for x, _ in panel["curves"][COLOURS[0]]) for f in (min, max))
    place = (high[0] - low) / (end - low) if high else -1
    expect("it is where it was", abs(place - 31415 / 59999) < 0.01, place)
    return path


def rtde(kind, body):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def check_ten_million():
    """Ten million packages through a pipe, 100 in each packet; one has another value."""
    each, packets, place = 100, 100000, 7654321
    usual, spike = (rtde("U", b"\1" + struct.pack(">d", value)) for value in (0.5, 9.0))
    filling = usual * each
    there, back = (30004, 50000), (50000, 30004)
    program = subprocess.Popen([ARMTAP, "plot", "--fields", "speed_scaling", "--width", "400", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    out = []
    reader = threading.Thread(target=lambda: out.append(program.stdout.read()))
    reader.start()
    program.stdin.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
    asked, sequence = 1, 1
    for kind, question, answer in (("V", b"\0\2", b"\1"), ("O", struct.pack(">d", 500) + b"speed_scaling", b"\1DOUBLE"),
                                   ("S", b"", b"\1")):
        program.stdin.write(packet(1769860800, 0, rtde(kind, question), asked, back))
        program.stdin.write(packet(1769860800, 0, rtde(kind, answer), sequence, there))
        asked, sequence = asked + 3 + len(question), sequence + 3 + len(answer)
    for i in range(packets):
        payload = filling
        if place // each == i:
            at = place % each * len(usual)
            payload = filling[:at] + spike + filling[at + len(usual):]
        program.stdin.write(packet(1769860800 + i // 5, i % 5 * 200000000, payload, sequence, there))
        sequence += len(payload)
    program.stdin.close()
    reader.join()
    expect("ten million: status 0", program.wait() == 0)
    panel = Picture(out[0].decode()).panels["speed_scaling, ratio"]
    value, pixel = value_of(panel)
    curve = panel["curves"][COLOURS[0]]
    high = sorted(x for x, y in curve if abs(value(y) - 9) < pixel)
    low, end = (f(x for x, _ in curve) for f in (min, max))
    expect("ten million: one column of pixels has the spike", high and high[-1] - high[0] < 1, high)
    expect("ten million: it is where it was", high and abs((high[0] - low) / (end - low) - place / each / packets) < 0.006, high)


def check_gap(folder):
    """Two seconds in the middle are missing: they are grey, and no line crosses them."""
    path = os.path.join(folder, "gap.pcap")
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for i in range(1250):
            if not 500 <= i < 750:
                file.write(packet(1769860800 + i // 125, i % 125 * 8000000, legacy(i * 0.008, i * 0.001), 1 + 812 * i))
    picture = Picture(run("plot", "--fields", "actual_q_0", path))
    drawn = [line for one in picture.root.iter(SVG + "path") if one.get("stroke") == COLOURS[0] and
             one.get("stroke-width") == "1.2" for line in lines(one)]
    low, end = (f(x for line in drawn for x, _ in line) for f in (min, max))
    expect("two lines", len(drawn) == 2, len(drawn))
    gaps = set(picture.gaps)  # over the panel and over the strip of the mode
    expect("one gap", len(gaps) == 1 and len(picture.gaps) == 2, picture.gaps)
    for x, width in gaps:
        begin, stop = (x - low) / (end - low), (x + width - low) / (end - low)
        expect("it begins after 4 s", abs(begin - 499 / 1249) < 0.005, begin)
        expect("it ends after 6 s", abs(stop - 750 / 1249) < 0.005, stop)


def colours_near(rows, x, y):
    return {rows[j][i] for j in range(int(y) - 1, int(y) + 2) for i in range(int(x) - 1, int(x) + 2)
            if 0 <= j < len(rows) and 0 <= i < len(rows[0])}


def is_like(pixels, colour):
    """Lines between two pixels are half in each: mixed with what is below them."""
    wanted = [255 - one for one in bytes.fromhex(colour[1:])]
    return any(max(abs(255 - a - b * part / 10) for a, b in zip(pixel, wanted)) < 32
               for pixel in pixels for part in range(4, 11))


def check_pixels(folder):
    """PNG shows what SVG shows: the same size, curves, stops and gaps at the same places."""
    path, out = os.path.join(TOP, "captures", "driver-stop.pcap.gz"), os.path.join(folder, "x.png")
    for options in share((["--stream", "0", "--fields", "actual_q"], ["--stream", "0", "--width", "800", "--height", "600"]), 2, "pictures"):
        picture = Picture(run("plot", *options, path))
        run("plot", *options, "-o", out, path)
        with open(out, "rb") as file:
            data = file.read()
        width, rows = read_png(data)
        expect("PNG: as large as SVG", (str(width), str(len(rows))) == (picture.root.get("width"), picture.root.get("height")))
        for caption, panel in picture.panels.items():
            alone = [(x, y, colour) for colour, curve in panel["curves"].items() for x, y in curve
                     if all(abs(y - other) > 3 for c, rest in panel["curves"].items() if c != colour for px, other in rest
                            if abs(px - x) < 8)]
            alone = [point for point in alone if all(abs(point[0] - stop) > 3 for stop in picture.stops)]
            wrong = [point for point in alone if not is_like(colours_near(rows, *point[:2]), point[2])]
            expect("PNG: the curves of %s" % caption, len(wrong) <= len(alone) // 20, len(alone), wrong[:5])
        for x in picture.stops:
            expect("PNG: a stop at %g" % x, any(is_like(colours_near(rows, x, y), STOP) for y in range(60, 120)))
        expect("PNG: the same bytes again", run_bytes("plot", *options, "-f", "png", path) == data)


def run_bytes(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, check=True).stdout


def check_pages(folder):
    path, out = os.path.join(TOP, "captures", "driver-stop.pcap.gz"), os.path.join(folder, "x.pdf")
    run("plot", "--width", "1000", "--height", "600", "-o", out, path)
    with open(out, "rb") as file:
        data = file.read()
    expect("PDF: its first and last bytes", data.startswith(b"%PDF-1.") and data.rstrip().endswith(b"%%EOF"))
    objects = data
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.S):  # newer cairo packs its objects
        try:
            objects += zlib.decompressobj().decompress(packed)
        except zlib.error:
            pass
    boxes = re.findall(rb"/MediaBox\s*\[\s*([0-9. ]+)\]", objects)
    expect("PDF: one page, of 750 to 450 points", [[float(one) for one in box.split()] for box in boxes] == [[0, 0, 750, 450]],
           boxes)
    expect("PDF: the same bytes again", run_bytes("plot", "--width", "1000", "--height", "600", "-f", "pdf", path) == data)


def check_without_cairo(folder):
    """A build without libcairo says what to install, and that SVG works."""
    path, out = os.path.join(TOP, "captures", "driver-stop.pcap.gz"), os.path.join(folder, "x.png")
    done = subprocess.run([ARMTAP, "plot", "-o", out, path], capture_output=True)
    expect("built without libcairo: status 2", done.returncode == 2 and not os.path.exists(out))
    expect("built without libcairo: what to do", all(one in done.stderr for one in (b"libcairo2-dev", b"--with-cairo", b".svg")))


def check_again(folder):
    """A client that connects again after two seconds: the same panel and strip, and grey without a line between."""
    path = os.path.join(folder, "again.pcap")
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for i in range(1250):
            if not 500 <= i < 750:
                port, sequence = (50000, 1 + 812 * i) if i < 500 else (50001, 1 + 812 * (i - 750))
                file.write(packet(1769860800 + i // 125, i % 125 * 8000000, legacy(i * 0.008, i * 0.001), sequence, (30003, port)))
    picture = Picture(run("plot", "--fields", "actual_q_0", path))
    expect("again: both streams are named", any("streams 0, 1: realtime" in word for word in picture.words), picture.words)
    expect("again: one panel", [one for one in picture.panels if "actual_q" in one] == ["actual_q, rad"], list(picture.panels))
    drawn = [line for one in picture.root.iter(SVG + "path") if one.get("stroke") == COLOURS[0]
             and one.get("stroke-width") == "1.2" for line in lines(one)]
    expect("again: two lines", len(drawn) == 2, len(drawn))
    low, end = drawn[0][0][0], drawn[-1][-1][0]
    for x, share in ((drawn[0][-1][0], 499 / 1249), (drawn[-1][0][0], 750 / 1249)):
        expect("again: a line ends at %g" % share, abs((x - low) / (end - low) - share) < 0.003, x)
    widths = [round(width / (end - low), 2) for _, width in picture.gaps]
    expect("again: grey between", len(widths) == len(picture.panels) and set(widths) == {0.2}, picture.gaps)
    value, pixel = value_of(picture.panels["actual_q, rad"])
    expect("again: values of both", abs(value(drawn[0][0][1])) < pixel and abs(value(drawn[1][-1][1]) - 1.249) < pixel)


def check_hostile_names(folder):
    path = os.path.join(folder, "<script>alert(1)<b> & \"'\x1b[31m.pcap")
    with open(path, "wb") as file, gzip.open(os.path.join(TOP, "captures", "cb2-812.pcap.gz")) as sample:
        file.write(sample.read())
    svg = run("plot", path, path)
    expect("well-formed with hostile file names", ElementTree.fromstring(svg) is not None)
    expect("no element comes from a name", "<script" not in svg)
    expect("no control character comes from a name", not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", svg))


def main():
    for name in share(("cb2-812.pcap.gz", "cb3-1060.pcap.gz", "e-series-1220.pcapng.gz", "rtde-stop.pcap", "rtde-v2.pcapng.gz",
                 "driver-stop.pcap.gz", "both-streams.pcap.gz", *decodable(["aubo-two-arms.pcap.gz"])), 4, "samples"):
        check_sample(name)
    for name, field in share((("cb3-1060.pcap.gz", "actual_q_0"), ("cb3-1060.pcap.gz", "actual_current_1"),
                        ("rtde-stop.pcap", "actual_q_0")), 3, "fields, column by column"):
        check_columns(name, field)
    with tempfile.TemporaryDirectory() as folder:
        path = check_spike(folder)
        if ALL:
            check_ten_million()
        check_gap(folder)
        check_again(folder)
        check_hostile_names(folder)
        if b"built without libcairo" in run_bytes("--version"):
            check_without_cairo(folder)
        else:
            check_pixels(folder)
            check_pages(folder)
        with open(path, "rb") as file:
            expect("through a pipe as from the file", run("plot", "-", stdin=file.read()) == run("plot", path))
        run("plot", "-o", os.path.join(folder, "x.svg"), path)
        with open(os.path.join(folder, "x.svg"), encoding="utf-8") as file:
            expect("in a file as on standard output", file.read() == run("plot", path))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
