#!/usr/bin/env python3
"""Exports that write their rows in the first reading, against exports that read twice: the same file, the same words, the
same status, for every sample, format and option, for the fault corpus, and for captures that do not go on as they begin.
tests/ahead/ahead-check.py [full]: full tries all options on all captures."""
import itertools
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.dont_write_bytecode = True
from robot_capture import Capture, Client, message  # noqa: E402
from tally import expect, finish, side_by_side  # noqa: E402

TOP = os.environ.get("builddir", os.getcwd())
BOTH = os.path.join(os.path.abspath(TOP), "tests/ahead/both_ways")
FAULTS = os.path.join(os.path.abspath(TOP), "tests/faults/faults")
SAMPLES = os.path.join(os.path.abspath(os.environ.get("srcdir", os.path.join(HERE, "..", ".."))), "captures")
FORMATS = ("csv", "ndjson", "gnuplot", "parquet", "mcap", "mat", "h5")
OPTIONS = ([], ["--union"], ["--enums", "both"], ["--enums", "name"], ["--every", "3"], ["--from", "+0.3"], ["--to", "+0.3"],
           ["--from", "+0.1", "--to", "+0.6"], ["--stream", "0"], ["--stream", "1"], ["--stream", "9"], ["--to-robot"],
           ["--fields", "time_ns,packet,lost_s,lost_bytes,skipped,timestamp"], ["--fields", "actual_q,nothing_like_it"],
           ["--fields", "*_mode*"], ["--strict"], ["--threads", "3"], ["--no-guess"], ["--csv-safe"], ["--split"],
           ["--manifest", "line.json"], ["--layout", "cb2"])
FIELDS = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("robot_mode", "INT32")]
OTHERS = [("timestamp", "DOUBLE"), ("target_q", "VECTOR6D"), ("safety_mode", "INT32")]


def is_full():
    return sys.argv[1:] == ["full"]


def lines_of(captures, options, formats=FORMATS):
    for words, name in itertools.product(options, formats):
        yield ["-f", name, "-o", "out." + name, *words, *captures]


def compare(what, lines):
    """Runs all command lines both ways; returns how many were written in the first reading."""
    text = "".join("\t".join(words) + "\n" for words in lines)
    result = subprocess.run([BOTH], input=text, capture_output=True, text=True, check=False)
    expect(what, result.returncode == 0, result.stdout, result.stderr)
    words = result.stdout.splitlines()[-1].split() if result.stdout else ["0"] * 9
    print("%s: %s" % (what, " ".join(words)))
    return int(words[2])


# ---- captures that do not go on as they begin ---------------------------------------------------------------------

def send(client, begin, end, hz=125.0, mode=7, **more):
    for i in range(int((end - begin) * hz + .5)):
        client.package(begin + i / hz, begin + i / hz, *[.1 * k + i * 1e-3 for k in range(6)], mode, **more)


def legacy(capture, begin, end, size=1220, port=41001, robot="10.0.0.2", opens=True, hz=125.0):
    ends = ("10.0.0.9", port), (robot, 30003)
    if opens:
        capture.segment(begin, *ends, b"", 2)
        capture.segment(begin, *ends[::-1], b"", 0x12)
        capture.segment(begin, *ends, b"", 0x10)
    for i in range(int((end - begin) * hz + .5)):
        time = begin + i / hz
        capture.segment(time, *ends[::-1], struct.pack(">I", size) + struct.pack(">d", time) + struct.pack(">%dd" % ((size - 12) // 8), *range((size - 12) // 8)))


def steady(capture):
    send(Client(capture, 0, FIELDS), .01, 4)


def second_stream(capture):
    steady(capture)
    send(Client(capture, 2, OTHERS, 40002), 2.01, 4)


def second_recipe(capture):
    client = Client(capture, 0, FIELDS)
    send(client, .01, 2)
    client.pause(2)
    client.ask(2, "O", struct.pack(">d", 125.0) + b"timestamp,target_q,safety_mode", b"\2DOUBLE,VECTOR6D,INT32")
    client.start(2)
    for i in range(100):
        capture.segment(2.01 + i / 125, client.robot, client.client,
                        struct.pack(">HBBd6di", 64, ord("U"), 2, 2.01 + i / 125, *range(6), 1))


def same_recipe_again(capture):
    client = Client(capture, 0, FIELDS)
    send(client, .01, 2)
    client.pause(2)
    client.start(2.5)
    send(client, 2.51, 4)


def slower_after_pause(capture):
    """With a skip and a hole in the first records after it, which only a second reading can judge."""
    client = Client(capture, 0, FIELDS)
    send(client, .01, 2)
    client.pause(2)
    client.start(2.5)
    send(client, 2.51, 2.6, 50)
    send(client, 2.7, 2.8, 50, is_lost=True)
    send(client, 2.8, 4, 50)


def connects_again(capture):
    client = Client(capture, 0, FIELDS)
    send(client, .01, 2)
    client.close(2.01)
    send(Client(capture, 2.1, FIELDS, 40002), 2.11, 4)


def learned(capture):
    other = Capture()
    send(Client(other, 0, FIELDS), 0.01, 2)
    capture.frames += [frame for frame in other.frames if frame[0] > .005]
    send(Client(capture, 2, FIELDS, 40002), 2.01, 4)


def begins_without_handshake(capture):
    """Of another robot, and late: it must be guessed, or stays opaque."""
    steady(capture)
    other = Capture()
    send(Client(other, 1, OTHERS, 40002, "10.0.0.3"), 1.01, 4)
    capture.frames += [frame for frame in other.frames if frame[0] > 1.005]


def loses_both_ways(capture):
    """Bytes of both directions are missing, so that another set-up may be."""
    client = Client(capture, 0, FIELDS)
    send(client, .01, 2)
    capture.segment(2, client.client, client.robot, message("P"), is_lost=True)
    send(client, 2, 2.1, is_lost=True)
    send(client, 2.1, 3)
    capture.segment(3, client.client, client.robot, message("S"))
    send(client, 3.01, 4)


def loses(capture):
    client = Client(capture, 0, FIELDS)
    send(client, .01, 1.9)
    send(client, 1.9, 1.95, is_lost=True)
    send(client, 1.95, 4)


def silent_first(capture):
    """The first connection shows only late what it carries, and takes number 0."""
    robot, client = ("10.0.0.3", 30004), ("10.0.0.9", 39999)
    capture.segment(0, client, robot, b"", 2)
    capture.segment(0, robot, client, b"", 0x12)
    capture.segment(0, client, robot, b"", 0x10)
    send(Client(capture, 0, FIELDS), .01, 4)
    late = object.__new__(Client)
    late.capture, late.client, late.robot, late.codes = capture, client, robot, ">d6di"
    late.ask(3, "V", b"\0\2", b"\1")
    late.ask(3, "O", struct.pack(">d", 125.0) + b"timestamp,actual_q,robot_mode", b"\1DOUBLE,VECTOR6D,INT32")
    late.ask(3, "S", b"", b"\1")
    send(late, 3.01, 4)


def grows(capture):
    """A legacy stream whose packets get longer."""
    legacy(capture, 0, 2, 1060)
    legacy(capture, 2, 3, 1108, opens=False)


def other_generation(capture):
    """Of a stream: its modes are numbered differently from then on."""
    legacy(capture, 0, 2, 1060)
    legacy(capture, 2, 3, 812, opens=False)


def mixed(capture):
    """A controller that numbers its modes differently, late."""
    legacy(capture, 0, 4, 1220)
    legacy(capture, 3, 4, 812, 41002, "10.0.0.3")


def legacy_twice(capture):
    """Of the second stream only the first records tell the rate."""
    legacy(capture, 0, 3, hz=500.0)
    legacy(capture, 2, 2.1, 1220, 41002, "10.0.0.3")


def aubo(texts):
    def make(capture):
        robot, client = ("10.0.0.2", 30010), ("10.0.0.9", 42000)
        capture.segment(0, client, robot, b"", 2)
        capture.segment(0, robot, client, b"", 0x12)
        capture.segment(0, client, robot, b"", 0x10)
        for time, to_robot, text in texts:
            capture.segment(time, *((client, robot) if to_robot else (robot, client)), text.encode())
    return make


SUBSCRIBE = '[100,{"chanel":%d,"frequency":50,"segments":[%s],"to_server":false,"trigger":0}]'
longer_array = aubo([(.01, True, SUBSCRIBE % (0, '"R1_actual_q","R1_robot_mode"')),
                     *((.1 + i / 50, False, "[0,[%s],7]" % ",".join(["0.5"] * (6 if i < 150 else 9))) for i in range(200))])
other_channel = aubo([(.01, True, SUBSCRIBE % (0, '"R1_actual_q"')),
                      *((.1 + i / 50, False, "[0,[1,2,3,4,5,%d]]" % i) for i in range(400)),
                      (8.2, True, SUBSCRIBE % (1, '"R1_robot_mode"')),
                      *((8.3 + i / 50, False, "[%d,%s]" % (i % 2, "7" if i % 2 else "[1,2,3,4,5,6]")) for i in range(100))])
array_later = aubo([(.01, True, SUBSCRIBE % (0, '"x","R1_robot_mode"')),
                    *((.1 + i / 50, False, "[0,%s,7]" % ("[1,2,3]" if i >= 300 else 1)) for i in range(400))])
SCENES = {"steady": steady, "second stream": second_stream, "second recipe": second_recipe, "same recipe again": same_recipe_again,
          "slower after pause": slower_after_pause, "connects again": connects_again, "learned": learned,
          "no handshake": begins_without_handshake, "loses both ways": loses_both_ways, "loses": loses, "silent first": silent_first,
          "grows": grows, "mixed": mixed, "legacy twice": legacy_twice, "longer array": longer_array, "other channel": other_channel,
          "array later": array_later, "other generation": other_generation}
HOLDS = {"steady", "same recipe again", "loses"}


def make(scene, path):
    capture = Capture()
    scene(capture)
    capture.frames.sort(key=lambda frame: frame[0])
    capture.write(path)
    return path


def scenes():
    for name, scene in SCENES.items():
        path = make(scene, "scene.pcap")
        compare(name, lines_of([path], OPTIONS, FORMATS if is_full() else ("csv", "ndjson")))
        held = compare(name + ", without options", lines_of([path], ([],)))
        expect("%s is written at once, or not: %d" % (name, held), (held == len(FORMATS) * 2) == (name in HOLDS))


def damage():
    """At the end, in the middle, and a record without a time."""
    with open(make(steady, "scene.pcap"), "rb") as file:
        data = file.read()
    for name, changed in (("cut", data[:-20]), ("damaged", data[:len(data) // 2] + b"\xff" * 64 + data[len(data) // 2:])):
        with open(name + ".pcap", "wb") as file:
            file.write(changed)
        compare(name, lines_of([name + ".pcap"], OPTIONS[:9], ("csv", "ndjson", "mcap")))


def several_files():
    make(steady, "one.pcap")
    make(second_stream, "two.pcap")
    for order in (["one.pcap", "two.pcap"], ["two.pcap", "one.pcap"]):
        compare("files", lines_of(order, OPTIONS, ("csv", "ndjson")))


def samples():
    full = is_full()
    for i, name in enumerate(sorted(name for name in os.listdir(SAMPLES) if ".pcap" in name)):
        some = OPTIONS if full else [[], *OPTIONS[1 + i % 3::3]]
        compare(name, lines_of([os.path.join(SAMPLES, name)], some, FORMATS if full else ("csv", "ndjson", FORMATS[2 + i % 5])))


def faults():
    names = subprocess.run([FAULTS, "--list"], capture_output=True, text=True, check=True).stdout.split("\n")
    held = 0
    for name in (name.split()[1] for name in names if name.strip()):
        if subprocess.run([FAULTS, name, "fault.pcap"], capture_output=True, check=False).returncode == 0:
            held += compare(name, lines_of(["fault.pcap"], ([], ["--fields", "packet,lost_s,skipped"]), ("csv", "ndjson")))
    expect("some of them are written at once", held > 100, held)


def main():
    side_by_side(scenes, samples, faults, damage, several_files)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
