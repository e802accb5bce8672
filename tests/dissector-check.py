#!/usr/bin/env python3
"""The dissector in tshark, on every sample: each value of RTDE, of realtime packets and of AUBO's topics, in the same packet
as armtap export has it, to the 15 digits that Wireshark prints; refusals and display filters; damaged captures raise no
error in Lua. `dissector-check.py cost` prints what the dissector adds to tshark's CPU time."""
import gzip
import json
import math
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata
from functools import partial

import control_wire
import primary_wire
import robot_capture
from tally import ALL, decodable, expect, finish, lacks, share

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
ARMTAP = os.environ["ARMTAP"]
TOOLS = ("tshark", "luac5.2", "luac5.4")
PREFIX = {"rtde": "ur_rtde", "realtime": "ur_realtime", "aubo": "aubo_rtde",
          "primary": "ur_primary", "dashboard": "ur_dashboard", "external_control": "ur_external_control"}
OF_ALL = {"time", "packet", "stream", "robot", "protocol", "direction", "gap", "lost_bytes", "lost_s", "skipped"}
# Wireshark by itself takes a segment that arrives late for data of another place.
AS_ARMTAP = ["-o", "tcp.reassemble_out_of_order:TRUE"]
DAMAGED = 30
DEFLATED = "aubo-websocket.pcap.gz"


def tshark(script, capture, *arguments):
    done = subprocess.run(["tshark", "-X", "lua_script:" + script, *AS_ARMTAP, "-r", capture, *arguments],
                          capture_output=True, text=True, errors="replace")
    said = [line for line in done.stderr.splitlines() if "Running as user" not in line]
    expect("tshark reads %s" % os.path.basename(capture), done.returncode == 0, said)
    expect("no error in Lua: %s" % os.path.basename(capture), "Lua" not in done.stdout and "Lua" not in "\n".join(said),
           said, [line for line in done.stdout.splitlines() if "Lua" in line][:3])
    return done.stdout


def cells(script, capture, names, *options):
    """{name: {packet: cells}} of these display filters, by one run: tshark takes half a second to begin."""
    shown = {name: {} for name in names}
    text = tshark(script, capture, *options, "-T", "fields", "-E", "aggregator=\x1e", "-e", "frame.number",
                  *[part for name in names for part in ("-e", name)])
    for line in text.split("\n"):  # splitlines() ends a line at the aggregator, too
        packet, *columns = line.split("\t")
        for name, cell in zip(names, columns):
            if cell:
                shown[name][int(packet)] = cell.split("\x1e")
    return shown


def records(capture):
    """Of both directions, as export has them."""
    for way in ([], ["--to-robot"]):
        done = subprocess.run([ARMTAP, "export", "-f", "ndjson", "--union", *way, capture], capture_output=True, text=True)
        expect("export of %s" % capture, done.returncode in (0, 1), done.stderr)
        for line in done.stdout.splitlines():
            record = json.loads(line)
            if record["protocol"] in PREFIX:  # names of modes, where robots number them differently, are beside them
                yield {key: value for key, value in record.items()
                       if not (key.endswith("_name") and key[:-len("_name")] in record)}


def elements(record):
    """(display filter, value) of each number."""
    for name, value in record.items():
        if name in OF_ALL or name == "text":  # of a program: no number
            continue
        for i, one in enumerate(value) if isinstance(value, list) else [("", value)]:
            label = "%s_%s" % (name, i) if i != "" else name
            yield "%s.%s" % (PREFIX[record["protocol"]], label.lower()), one


def as_number(text):
    return {"True": 1.0, "False": 0.0}.get(text) if text in ("True", "False") else float(text)


def same(ours, theirs):
    if ours is None:  # JSON has no NaN
        return as_number(theirs) != as_number(theirs) or "inf" in theirs
    if isinstance(ours, bool) or isinstance(ours, int):
        return int(as_number(theirs)) == ours if len(theirs) < 16 else int(theirs) == ours
    return float("%.15g" % ours) == as_number(theirs)


def known_fields(script):
    done = subprocess.run(["tshark", "-G", "fields", "-X", "lua_script:" + script], capture_output=True, text=True)
    return {line.split("\t")[2] for line in done.stdout.splitlines() if line.startswith("F\t") and any("\t%s." % one in line for one in PREFIX.values())}


EXPERTS = {"safety.stop": "stop", "safety.state": "safety_state", "clock.backwards": "clock_back", "clock.skipped": "clock_jump"}
CHANGES = {"%s.%s" % (prefix, expert): name for name, expert in EXPERTS.items() for prefix in ("ur_rtde", "ur_realtime")}


def compare(script, known, capture):
    """Returns how many values were compared, and how many stops and clocks."""
    ours, unknown, found = {}, set(), list(records(capture))
    for record in found:
        for name, value in elements(record):
            if name in known:
                ours.setdefault(name, {}).setdefault(record["packet"], []).append(value)
            elif record["protocol"] != "aubo":  # compare_topics()
                unknown.add(name)
    if not ours and not unknown:
        tshark(script, capture, "-V")
    theirs = cells(script, capture, [*ours, *CHANGES, "ur_rtde.other", "aubo_rtde.other"])
    count = 0
    for name, values in ours.items():
        compare_field("%s, %s" % (os.path.basename(capture), name), values, theirs[name])
        count += sum(map(len, values.values()))
    count += compare_topics(known, capture, found, theirs["aubo_rtde.other"])
    if unknown:
        print("%s: names that no field has: %s" % (os.path.basename(capture), " ".join(sorted(unknown))))
        others = " ".join(cell for row in theirs["ur_rtde.other"].values() for cell in row).lower()
        for name in unknown:
            expect("%s is shown as another field" % name, name.split(".")[1] + ": " in others)
    return count, compare_changes(capture, theirs)


def compare_field(what, ours, theirs):
    """Values by packet."""
    expect("%s: the same packets" % what, ours.keys() == theirs.keys(), sorted(ours.keys() ^ theirs.keys()))
    wrong = [(packet, values, theirs.get(packet)) for packet, values in ours.items()
             if len(values) != len(theirs.get(packet, [])) or not all(map(same, values, theirs[packet]))]
    expect("%s: the same values" % what, not wrong, len(wrong), wrong[:2])


def numbers(value):
    """The same for what JSON reads from either side."""
    if isinstance(value, list):
        return [numbers(one) for one in value]
    if isinstance(value, dict):
        return {key: numbers(one) for key, one in value.items()}
    return float("%.15g" % value) if isinstance(value, (int, float)) else value


def compare_topics(known, capture, found, shown):
    """AUBO's topics that are no fields: as JSON. Returns how many were compared."""
    ours, theirs = {}, {}
    for record in found:
        if record["protocol"] != "aubo":
            continue
        names = {name.split(".")[1] for name, _ in elements(record) if name in known}
        for name, value in record.items():
            if name not in OF_ALL and not {name.lower(), name.lower() + "_0"} & names:
                ours.setdefault((record["packet"], name), []).append(numbers(value))
    for packet, row in shown.items() if ours else ():
        for cell in row:
            name, _, value = cell.partition(": ")
            if value != "null":  # absent
                theirs.setdefault((packet, name), []).append(numbers(json.loads(value)))
    wrong = [key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)]
    expect("%s: other topics" % os.path.basename(capture), not wrong, len(wrong),
           [(key, ours.get(key), theirs.get(key)) for key in sorted(wrong)[:3]])
    return sum(map(len, ours.values()))


def check_finding_texts(script):
    """What both find is called alike."""
    done = subprocess.run(["tshark", "-G", "fields", "-X", "lua_script:" + script], capture_output=True, text=True)
    names = {line.split("\t")[2]: line.split("\t")[1] for line in done.stdout.splitlines() if line.startswith("F\t")}
    listed = json.loads(subprocess.run([ARMTAP, "diagnose", "--list", "--json"], capture_output=True, text=True).stdout)
    meanings = {one["id"]: one["meaning"] for one in listed}
    for name, kind in (("ur_primary.error_code", "ur.error"), ("ur_rtde.stop", "safety.stop"), ("ur_dashboard.refused", "dashboard.refused"),
                       ("aubo_rtde.bad", "aubo.message.bad"), ("ur_realtime.unknown_size", "rt.size.unknown")):
        expect("%s is called as %s is" % (name, kind), names[name] == meanings[kind][0].upper() + meanings[kind][1:], names[name])


def check_experts(script):
    text = tshark(script, os.path.join(TOP, "captures", "rtde-refused.pcap"), "-q", "-z", "expert")
    expect("expert information names what was refused", "Fields refused:" in text and "NOT_FOUND" in text, text)
    text = tshark(script, os.path.join(TOP, "captures", "primary-stop.pcap.gz"), "-q", "-z", "expert")
    expect("and what the controller reports", "RUNTIME_EXCEPTION: syntax_error_on_line:2" in text and
           "ERROR_CODE C153A0" in text and "reported a safety mode" not in text, text)
    text = tshark(script, os.path.join(TOP, "captures", "dashboard-refused.pcap"), "-q", "-z", "expert")
    expect("and what the dashboard server refused", "Command is not allowed" in text and "File not found: " in text, text)


def findings(capture, *ids):
    """(id, packet) of what diagnose finds in realtime and RTDE streams."""
    info, report = (json.loads(subprocess.run([ARMTAP, command, "--json", capture], capture_output=True, text=True).stdout)
                    for command in ("info", "diagnose"))
    streams = {i for i, one in enumerate(info["streams"]) if one["protocol"] in ("rtde", "realtime")}
    return {(one["id"], one["packet"]) for one in report["findings"] if one["id"] in ids and one["stream"] in streams}


def compare_changes(capture, cells_of):
    """Stops and clocks that jump, where diagnose has them. Returns the packets."""
    wanted = findings(capture, *EXPERTS)
    shown = {(name, packet) for field, name in CHANGES.items() for packet in cells_of[field]}
    expect("%s: stops and clocks" % os.path.basename(capture), shown == wanted, sorted(shown ^ wanted))
    return sorted(packet for _, packet in wanted)


def changes_in(script, path):
    return compare_changes(path, cells(script, path, CHANGES))


def compare_clocks(script, folder):
    """A clock that skips packets, one that goes back, and steps that are nothing."""
    capture, path, clock = control_wire.Capture(), os.path.join(folder, "clocks.pcap"), 100.0
    for i in range(120):
        clock += {30: 0.064, 60: -50.0, 90: 0.011, 105: 0.016}.get(i, 0.008)
        packet = struct.pack(">I138d", 1108, clock, *[0.5] * 137)
        capture.send((control_wire.ROBOT, 30003), (control_wire.PC, 45000), 1 + i * 0.008, packet, 0x18)
    with open(path, "wb") as file:
        file.write(capture.bytes)
    expect("a clock that skips and goes back", len(changes_in(script, path)) == 3)


STATE = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("safety_status", "INT32")]


def compare_pause(script, folder):
    """The controller's clock goes on while the client pauses: that is no jump; a stop meanwhile is one."""
    capture, path = robot_capture.Capture(), os.path.join(folder, "pause.pcap")
    client = robot_capture.Client(capture, 0, STATE)
    for i in range(60):
        client.package(0.1 + i * 0.008, 100 + i * 0.008, *[0.5] * 6, 1)
    client.pause(1)
    client.start(11)
    for i in range(60):
        client.package(11.1 + i * 0.008, 111.1 + i * 0.008, *[0.5] * 6, 3)
    capture.write(path)
    expect("a pause is no jump of the clock", len(changes_in(script, path)) == 1)


def compare_states(script, folder):
    """Stops, violations and faults, as values and as bits, where they begin and where the data begins in them."""
    both = [("timestamp", "DOUBLE"), ("safety_mode", "INT32"), ("safety_status", "INT32")]
    bits = [("timestamp", "DOUBLE"), ("safety_status_bits", "UINT32")]
    capture, path, streams_of = robot_capture.Capture(), os.path.join(folder, "states.pcap"), []
    for count, fields, states in (
            (7, both, [(1, 1), (1, 3), (3, 3), (3, 1), (1, 1), (3, 1), (3, 3), (5, 5), (6, 5), (6, 6), (6, 7), (1, 1), (9, 9), (8, 9)]),
            (1, both, [(3, 3), (1, 1)]), (1, both, [(1, 9), (1, 1)]), (1, both, [(11, 11), (1, 1), (11, 11)]), (0, both, [(11, 11), (2, 2)]),
            (3, bits, [(1,), (4 | 1024,), (1,), (64 | 128 | 1024,), (512 | 1024,)]), (1, bits, [(16 | 1024,), (1,)]),
            (2, [*bits, ("safety_status", "INT32")], [(1, 1), (4 | 1024, 3), (1, 1), (1024, 9)])):
        number = len(streams_of)
        client, first = robot_capture.Client(capture, 100 * number, fields, 40001 + number, "10.0.0.%d" % (10 + number)), len(capture.frames)
        for i in range(20 * len(states)):
            client.package(100 * number + 0.1 + i * 0.008, 100 + i * 0.008, *states[i // 20])
        streams_of.append((states, count, range(first, len(capture.frames) + 1)))
    capture.write(path)
    changes = changes_in(script, path)
    for states, count, packets in streams_of:
        found = [packet for packet in changes if packet in packets]
        expect("states of safety: %s" % states, len(found) == count, found)


def compare_twice(script, folder):
    """A recipe that has a name twice, with other types: the one of the field's own type tells clock and stop."""
    recipes = ([("payload", "BOOL"), ("payload", "VECTOR6D"), *STATE],
               [("timestamp", "DOUBLE"), ("payload", "BOOL"), ("timestamp", "BOOL"), ("safety_status", "INT32")])
    for i, fields in share(enumerate(recipes), 2, "recipes with a name twice"):
        capture, path = robot_capture.Capture(), os.path.join(folder, "twice-%d.pcap" % i)
        client = robot_capture.Client(capture, 0, fields)
        for step in range(60):
            values = {"timestamp DOUBLE": [100 + step * 0.008], "safety_status INT32": [1 if step < 30 else 3],
                      "actual_q VECTOR6D": [0.5] * 6, "payload VECTOR6D": [1.25] * 6}
            client.package(0.1 + step * 0.008, *[one for field in fields for one in values.get(" ".join(field), [True])])
        capture.write(path)
        shown = cells(script, path, ["ur_rtde.timestamp", "ur_rtde.other", *CHANGES])
        first = min(shown["ur_rtde.timestamp"])
        both = shown["ur_rtde.other"][first]
        expect("a name twice: both are shown", shown["ur_rtde.timestamp"][first] == ["100"] and len(shown["ur_rtde.timestamp"]) == 60 and
               (both[:2] == ["payload: 1", "payload_0: 1.25"], both == ["payload: 1", "timestamp: 1"])[i], both)
        expect("a name twice: the stop", len(compare_changes(path, shown)) == 1)


IN_ORDER = ["-o", "tcp.reassemble_out_of_order:FALSE"]
LENGTHS = {"ur_rtde": (100, 250, 333, 64, 64, 64), "ur_realtime": (1060, 1060, 536, 1460), "ur_primary": (1460, 700, 300)}


def streams():
    """(prefix of display filters, port, what comes before, packages in bytes with the clock of each) of three protocols."""
    steps = [(100 + i / 125, 1 if i < 1000 else 3) for i in range(1500)]
    yield "ur_rtde", 30004, [(clock, robot_capture.message("U", b"\1" + struct.pack(">d6di", clock, *[math.sin(clock + k) for k in range(6)],
                                                                                mode))) for clock, mode in steps]
    yield "ur_realtime", 30003, [(clock, struct.pack(">I132d", 1060, clock, *[math.sin(clock + k) for k in range(1, 132)]))
                                 for clock, _ in steps[:600]]
    parts = primary_wire.regular_parts()
    yield "ur_primary", 30001, [(25643.784 + i * 0.096, primary_wire.state([part.pack(primary_wire.value_of(i)) for part in parts]))
                                for i in range(300)]


def cut_stream(prefix, port, packages, fate, dice):
    """A capture of the packages in segments of odd lengths, some of which have that fate; and the clocks of the packages all of
    whose bytes were captured."""
    capture, kept = robot_capture.Capture(), set()
    robot, pc = ("10.0.0.2", port), ("10.0.0.9", 40001)
    if prefix == "ur_rtde":
        robot_capture.Client(capture, 0, STATE)
    else:
        for source, target, flags in (pc, robot, 2), (robot, pc, 0x12), (pc, robot, 0x10):
            capture.segment(0, source, target, b"", flags)
    stream, at, late = b"".join(package for _, package in packages), 0, None
    while at < len(stream):
        payload, is_struck = stream[at:at + dice.choice(LENGTHS[prefix])], at > 5000 and dice.random() < 0.03
        capture.segment(1 + at / len(stream), robot, pc, payload, is_lost=is_struck and fate == "lost")
        if not is_struck or fate != "lost":
            kept.update(range(at, at + len(payload)))
        at += len(payload)
        if late:
            capture.frames.append((1 + at / len(stream), late))
        late = capture.frames.pop()[1] if is_struck and fate == "late" else None
        if is_struck and fate == "twice":
            capture.frames.append(capture.frames[-1])
    if late:
        capture.frames.append((2, late))
    at, whole = 0, set()
    for clock, package in packages:
        if kept.issuperset(range(at, at + len(package))):
            whole.add(round(clock, 6))
        at += len(package)
    return capture, whole


def segment_cases():
    """(protocol's prefix, what befalls some segments, tshark's options, the share of whole packages to be shown, the capture, which
    packages are whole)"""
    dice = random.Random(30003)
    for stream in streams():
        for fate, options, least in ("lost", IN_ORDER, 0.99), ("twice", AS_ARMTAP, 1), ("twice", IN_ORDER, 1), ("late", AS_ARMTAP, 1), \
                ("late", IN_ORDER, 0.8):
            yield (stream[0], fate, options, least, *cut_stream(*stream, fate, dice))


def compare_segments(script, folder):
    """Segments that were lost, captured twice, or late. Wireshark puts streams together by itself, and armtap by itself; both
    should go on with the first whole package behind a hole, and show none that they do not have whole."""
    for prefix, fate, options, least, capture, whole in share(segment_cases(), 8, "streams with lost, doubled and late segments"):
        path, what = os.path.join(folder, "segments.pcap"), "%s, %s, %s" % (prefix, fate, options[1].rpartition(":")[2])
        capture.write(path)
        theirs = cells(script, path, [prefix + ".timestamp", *CHANGES, "_ws.expert.message", "_ws.malformed"], *options)
        shown = {(packet, round(float(cell), 6)) for packet, row in theirs[prefix + ".timestamp"].items() for cell in row}
        ours = {(record["packet"], round(record["timestamp"], 6)) for record in records(path)
                if PREFIX[record["protocol"]] == prefix and record.get("timestamp") is not None}
        clocks = {clock for _, clock in shown}
        expect("%s: only what is whole" % what, clocks <= whole, sorted(clocks - whole)[:5])
        expect("%s: what is whole" % what, len(clocks) >= least * len(whole), len(clocks), len(whole))
        expect("%s: armtap, too, what is whole" % what, {clock for _, clock in ours} >= clocks or prefix == "ur_realtime",
               sorted(clocks - {clock for _, clock in ours})[:5])
        if least == 1:  # Wireshark may say the packet behind a late one
            near = {(packet + later, clock) for packet, clock in ours for later in ((0, 1) if fate == "late" else (0,))}
            expect("%s: in the same packets" % what, shown <= near and len(shown) == len(ours), sorted(shown - near)[:5])
        if prefix != "ur_primary" and options is not IN_ORDER or fate == "lost":
            compare_changes(path, theirs)
        said = {message for row in theirs["_ws.expert.message"].values() for message in row}
        is_lost = fate == "lost" or fate == "late" and options is IN_ORDER
        expect("%s: whether the place was lost" % what, any("begin no package" in one for one in said) == is_lost, said)
        malformed = theirs["_ws.malformed"] or any("Malformed" in one for one in said)
        expect("%s: nothing is malformed" % what, not malformed, theirs["_ws.malformed"], said)
        print("%s: %d packages whole, tshark shows %d, export %d" % (what, len(whole), len(shown), len(ours)))


def cpu_seconds(work, *arguments):
    """Of child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_cost(script, folder):
    """What the dissector adds to tshark's own CPU time; not judged."""
    maker = os.path.join(os.path.dirname(os.path.abspath(ARMTAP)), "tests", "bench", "stream")
    for kind in ("legacy", "rtde") if os.path.exists(maker) else ():
        path = os.path.join(folder, kind + ".pcap")
        with open(path, "wb") as file:
            subprocess.run([maker, kind, "20000"], stdout=file, check=True)
        for what, arguments in ("one field", ["-T", "fields", "-e", ("ur_rtde" if kind == "rtde" else "ur_realtime") + ".timestamp"]), ("all", ["-V"]):
            plain = arguments if what == "all" else [*arguments[:3], "tcp.seq"]
            seconds = [cpu_seconds(lambda command: subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True),
                                   ["tshark", *lua, "-r", path, *shown])
                       for lua, shown in ((["-X", "lua_script:" + script], arguments), ([], plain))]
            print("20000 packets, %s, %s: %.1f s of CPU, %.1f s without the dissector: %.1f times" % (
                kind, what, *seconds, seconds[0] / seconds[1]))


def check_junk(script, folder):
    """What is no robot's costs little more on its ports than on another one."""
    dice, seconds = random.Random(30001), {}
    for kind in share(("anything", "zeros"), 2, "kinds of junk"):
        for port in (30009, *share((30001, 30003, 30004), 3, "ports with junk")):
            capture, path = robot_capture.Capture(), os.path.join(folder, "junk.pcap")
            for i in range(1000):
                capture.segment(i / 1000, ("10.0.0.2", port), ("10.0.0.9", 40001), dice.randbytes(1400) if kind == "anything" else bytes(1400))
            capture.write(path)
            seconds[port, kind] = cpu_seconds(tshark, script, path)
    for key, cpu in seconds.items():
        expect("junk on port %d, %s" % key, cpu < 5 * max(seconds[30009, key[1]], 0.5), seconds)


def check_many_setups(script, folder):
    """As fast with many set-ups before the data as behind it."""
    setups, seconds = 20000 if ALL else 2000, {}
    for order in "behind", "before":
        capture, path = robot_capture.Capture(), os.path.join(folder, "setups-%s.pcap" % order)
        client = robot_capture.Client(capture, 0, [("timestamp", "DOUBLE")])

        def ask(capture=capture, client=client):
            request, reply = (robot_capture.message("O", struct.pack(">d", 125) + b"timestamp"), robot_capture.message("O", b"\2DOUBLE"))
            for i in range(setups // 100):
                capture.segment(1 + i * 0.001, client.client, client.robot, request * 100)
                capture.segment(1 + i * 0.001, client.robot, client.client, reply * 100)

        for step in (ask, None) if order == "before" else (None, ask):
            if step:
                step()
            for i in range(0 if step else 2000):
                client.package(2 + i * 0.008, 100 + i * 0.008)
        capture.write(path)
        seconds[order] = cpu_seconds(tshark, script, path)
    expect("%d set-ups cost no more before 2000 packages than behind" % setups, seconds["before"] < 2 * seconds["behind"], seconds)


HOSTILE = ("\x1b]0;title\a\x1b[2J\x7f\u009b31m\u202e\u2028\u200b\ufeff\U000e0041".encode() +
           b"\x9b31m\xc0\x9b\xe0\x80\x9b\xed\xa0\x80\xf5\x80\x80\x80 \xc3\xbc \xff\xc3")


def hostile_capture():
    """Its bytes wherever a robot or a client sends text."""
    capture, text, pc = robot_capture.Capture(), HOSTILE, ("10.0.0.9", 40002)
    client = robot_capture.Client(capture, 0, [("timestamp", "DOUBLE")])
    counted = bytes([len(text)]) + text
    client.ask(1, "O", struct.pack(">d", 125) + b"timestamp,x" + text.replace(b",", b""), b"\2DOUBLE,NOT_FOUND")
    client.ask(2, "O", struct.pack(">d", 125) + b"y" + text, b"\3DOUBLE")
    robot = client.robot[0]
    capture.segment(3, client.robot, client.client, robot_capture.message("M", counted + counted + b"\1"))
    capture.segment(3, client.robot, client.client, robot_capture.message("U", b"\3" + bytes(8)))
    for port, words in (29999, b"load "), (30001, b"def "), (30003, b"textmsg("):
        capture.segment(4, pc, (robot, port), words + text + b"\n")
    capture.segment(5, (robot, 29999), pc, b"File not found: " + text + b"\n")
    for kind, body in (0, text), (7, struct.pack(">iiB", 1, 2, len(text)) + text + text), (10, struct.pack(">ii", 3, 4) + text):
        capture.segment(6, (robot, 30001), pc, primary_wire.robot_message(kind, body))
    capture.segment(7, (robot, 45000), ("10.0.0.9", 50002), b"request_program\n")
    capture.segment(7, ("10.0.0.9", 50002), (robot, 45000), b"def " + text + b"():\nend\n")
    topics = json.dumps(["timestamp", "R1_" + text.decode("latin1")]).encode()
    capture.segment(8, pc, (robot, 30010), b'[100,{"chanel":0,"frequency":50.0,"segments":%s,"to_server":false}]' % topics)
    capture.segment(8, (robot, 30010), pc, b'[0,1.5,"%s"]' % text.replace(b"\x1b", b"\\u001b").replace(b"\a", b"\\u0007"))
    return capture


def check_hostile_texts(script, folder):
    """What would steer a terminal, or hide, is printed as \\xHH or as Wireshark writes it."""
    path = os.path.join(folder, "hostile.pcap")
    hostile_capture().write(path)
    for view in (), ("-V",), ("-q", "-z", "expert"), ("-T", "fields", "-e", "_ws.col.Info", "-e", "ur_rtde.names", "-e", "ur_primary.text",
                 "-e", "ur_rtde.other", "-e", "ur_dashboard.reply", "-e", "ur_external_control.script", "-e", "ur_realtime.script",
                 "-e", "aubo_rtde.other", "-e", "aubo_rtde.segments"):
        done = subprocess.run(["tshark", "-X", "lua_script:" + script, "-r", path, *view], capture_output=True)
        shown = done.stdout.decode(errors="surrogateescape")
        bad = [one for one in shown if one not in "\n\t" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
        expect("no control reaches the terminal: %s" % " ".join(view[:2]), not bad, sorted(set(bad)))
        expect("the text is there: %s" % " ".join(view[:2]), "\\x1b]0;title\\x07\\x1b[2J\\x7f\\xc2\\x9b31m\\xe2\\x80\\xae" in shown, shown[-600:])
        expect("letters are letters: %s" % " ".join(view[:2]), "\\x80 \u00fc \\xff\\xc3" in shown)


def check_filter(script):
    """A display filter selects the packets whose value export has so."""
    capture = os.path.join(TOP, "captures", "rtde-stop.pcap")
    seen = tshark(script, capture, "-Y", "ur_rtde.actual_q_0 < -0.999 && ur_rtde.robot_mode == 7", "-T", "fields",
                  "-e", "frame.number")
    wanted = {record["packet"] for record in records(capture)
              if record["actual_q"][0] < -0.999 and record["robot_mode"] == 7}
    expect("a filter selects some packets", 0 < len(wanted))
    expect("a filter selects the packets", set(map(int, seen.split())) == wanted, len(seen.split()), len(wanted))


def check_recipe(script, folder):
    """A capture without its set-up needs the recipe of the preference."""
    whole, late = os.path.join(TOP, "captures", "rtde-v3.pcapng"), os.path.join(folder, "late.pcap")
    subprocess.run(["tshark", "-r", whole, "-Y", "frame.number > 15 && tcp.srcport == 30004", "-w", late], capture_output=True)
    without = tshark(script, late, "-q", "-z", "expert")
    expect("no recipe was seen", "No recipe seen" in without, without)
    recipe = "timestamp,control_step,actual_qd,tool_mode"
    with_it = tshark(script, late, "-o", "ur_rtde.recipe:" + recipe, "-T", "fields", "-e", "ur_rtde.control_step")
    steps = [record["control_step"] for record in records(whole) if "control_step" in record]
    seen = [int(one) for one in with_it.replace(",", " ").split()]
    expect("the preference's recipe gives values", seen and seen == steps[-len(seen):], seen[:3], steps[:3])
    blanks = tshark(script, late, "-o", "ur_rtde.recipe: timestamp , control_step,actual_qd, tool_mode ", "-T", "fields", "-e",
                    "ur_rtde.control_step")
    expect("also with blanks in it", blanks == with_it, blanks[:100])
    unknown = tshark(script, late, "-o", "ur_rtde.recipe:timestamp,control_stepp", "-q", "-z", "expert")
    expect("a name that no field has is said", "no field has: control_stepp" in unknown and "No recipe" not in unknown, unknown)


def check_other_port(script, folder):
    """The same values on a port that is above the client's, by Decode As."""
    whole, moved = os.path.join(TOP, "captures", "rtde-stop.pcap"), os.path.join(folder, "moved.pcap")
    with open(whole, "rb") as file:
        data = file.read()
    with open(moved, "wb") as file:
        file.write(data.replace((30004).to_bytes(2, "big"), (60004).to_bytes(2, "big")))
    asked = ("-T", "fields", "-e", "ur_rtde.timestamp", "-e", "ur_rtde.actual_q_5", "-e", "ur_rtde.names")
    usual, other = tshark(script, whole, *asked), tshark(script, moved, "-d", "tcp.port==60004,ur_rtde", *asked)
    expect("Decode As gives the same values", other == usual and "actual_q" in usual, other[:300])


def damaged_captures(names):
    """Bytes replaced in the packets, and the end cut off: (name, bytes), the same each time."""
    dice = random.Random(30004)
    for i in range(DAMAGED):
        name = names[i % len(names)]
        opener = gzip.open if name.endswith(".gz") else open
        with opener(os.path.join(TOP, "captures", name), "rb") as file:
            data = bytearray(file.read())
        data = data[:dice.randrange(len(data) // 8, min(len(data), 120000) + 1)]
        for _ in range(len(data) // 400):
            data[dice.randrange(300, len(data))] = dice.choice((0, 1, 85, 255, dice.randrange(256)))
        yield "%s, %d" % (name, i), data


def check_damaged(script, folder, names):
    path = os.path.join(folder, "damaged")
    for name, data in share(damaged_captures(names), 10, "damaged captures in tshark"):
        with open(path, "wb") as file:
            file.write(data)
        done = subprocess.run(["tshark", "-X", "lua_script:" + script, "-r", path, "-V"], capture_output=True)
        lua = [line for line in (done.stdout + done.stderr).splitlines() if b"Lua" in line]
        expect("damaged %s: no error in Lua" % name, not lua and done.returncode >= 0, lua[:3], done.returncode)


def compare_primary_variants(script, known, folder):
    """A connection for each layout of each release of a robot. Returns how many values were compared."""
    path, bytes_of = os.path.join(folder, "variants.pcap"), b""
    for i, (_, parts) in enumerate(primary_wire.variants()):
        capture = primary_wire.Capture(30001, 40000 + i)
        capture.send_states(parts, 3)
        bytes_of += capture.bytes[24 if bytes_of else 0:]  # one header
    with open(path, "wb") as file:
        file.write(bytes_of)
    return compare(script, known, path)[0]


def compare_control_variants(script, known, folder):
    """A message of each kind to a robot's program. Returns how many values were compared."""
    path = os.path.join(folder, "control.pcap")
    with open(path, "wb") as file:
        file.write(control_wire.capture_of_all())
    count, _ = compare(script, known, path)
    expect("values of External Control were compared", count > 500, count)
    return count


def compare_aubo_units(script, known, folder):
    """Topics that AUBO sends in another unit than the fields have."""
    names = ["R1_master_io_current", "R1_euromap67_24V_current", "R1_tool_output_current", "R2_master_io_current", "R1_robot_mode"]
    capture, path = control_wire.Capture(), os.path.join(folder, "units.pcap")
    client, robot = (control_wire.PC, 46000), (control_wire.ROBOT, 30010)
    set_up = [100, {"chanel": 0, "frequency": 50.0, "segments": ["timestamp", *names], "to_server": False, "trigger": 0}]
    for near, far, message in ((client, robot, set_up), *((robot, client, [0, 812 + i / 50, 0.25 + i, 1.5, 0.125, 0.75, "Idle", 0])
                                                         for i in range(10))):
        capture.send(near, far, 1 + capture.number / 50, json.dumps(message).encode(), 0x18)
    with open(path, "wb") as file:
        file.write(capture.bytes)
    count, _ = compare(script, known, path)
    expect("values in other units were compared", count >= 40, count)
    shown = tshark(script, path, "-T", "fields", "-e", "aubo_rtde.io_current").split()
    expect("in the field's unit", shown[0] == "250", shown)
    return count


def check_chance(script, folder):
    """A client of something else whose port is one of a driver's."""
    capture, path = control_wire.Capture(), os.path.join(folder, "chance.pcap")
    for i, port in enumerate((50001, 50002, 50003, 50004) * 5):
        for to_robot in (True, False):
            capture.segment(port, 1 + i / 500, b"\1\0GET / HTTP/1.1", to_robot, robot_port=50051)
    for port, asked, answer in ((50002, b"GET /status HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nhello"),
                                (50003, bytes(84), b"\0\0\0\1"), (50001, bytes(36), b"\0\0\0\1")):
        capture.segment(port, 2, asked, True, robot_port=5005)
        capture.segment(port, 2.01, answer, False, robot_port=5005)
    with open(path, "wb") as file:
        file.write(capture.bytes)
    expect("a client's port by chance", "External Control" not in tshark(script, path))


def check_deflated(script):
    """What Wireshark inflates wrongly is not shown."""
    capture = os.path.join(TOP, "captures", DEFLATED)
    shown = tshark(script, capture, "-Y", "aubo_rtde", "-T", "fields", "-e", "aubo_rtde.json", "-e", "aubo_rtde.channel")
    expect("compressed messages are not shown", len(shown) > 100 and not shown.strip(), shown[:200])
    expect("and it is said", "Compressed by WebSocket" in tshark(script, capture, "-q", "-z", "expert"))


def check_second_copy(script, folder):
    """A copy of all users and one of a user's own: the first is taken."""
    copy = os.path.join(folder, "copy.lua")
    shutil.copy(script, copy)
    rows = tshark(script, os.path.join(TOP, "captures", "rtde-refused.pcap"), "-X", "lua_script:" + copy, "-Y", "ur_rtde")
    expect("two copies do no harm", len(rows.splitlines()) == 9, rows)


def main():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        lacks(" ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "armtap.lua")
        with open(script, "wb") as file:
            file.write(subprocess.run([ARMTAP, "dissector"], capture_output=True, check=True).stdout)
        for compiler in TOOLS[1:]:
            done = subprocess.run([compiler, "-p", script], capture_output=True)
            expect("%s reads it" % compiler, done.returncode == 0, done.stderr)
        if sys.argv[1:] == ["cost"]:
            print_cost(script, folder)
            return 0
        known = known_fields(script)
        names = decodable(sorted(name for name in os.listdir(os.path.join(TOP, "captures"))
                                 if name.endswith((".pcap", ".pcapng", ".gz"))))
        has_aubo, count, changes = DEFLATED in names, 0, 0
        names = [name for name in names if name != DEFLATED]
        swept = share(names, 5, "samples in tshark")
        for name in swept:
            values, changed = compare(script, known, os.path.join(TOP, "captures", name))
            count, changes = count + values, changes + len(changed)
        count += compare_primary_variants(script, known, folder)
        count += compare_control_variants(script, known, folder)
        count += compare_aubo_units(script, known, folder) if has_aubo else 0
        print("%d values compared in %d captures" % (count, len(swept)))
        expect("values were compared", count > 100000 * len(swept) / len(names), count)
        expect("stops were compared", changes >= 5 or not ALL, changes)
        parts = [partial(part, script) for part in (check_experts, check_finding_texts, check_filter, check_deflated)]
        parts += [partial(part, script, folder) for part in (
            check_chance, compare_clocks, compare_pause, compare_states, compare_twice, compare_segments, check_junk, check_many_setups,
            check_hostile_texts, check_second_copy, check_recipe, check_other_port)]
        parts += [partial(check_damaged, script, folder, [name for name in names if name.startswith(("rtde", "cb", "e-", "several", "aubo"))])]
        for part in share(parts, 2, "parts of the dissector"):
            part()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
