#!/usr/bin/env python3
"""`export --commands`: every command of every release of ur_rtde, written as the facts say, through both ranges of
registers; the script on each port that takes one; releases that disagree; ends; and other clients, of which nothing is
said."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mailbox_wire as wire  # noqa: E402
from mailbox_wire import Capture, Client, Table, upload  # noqa: E402
from tally import expect  # noqa: E402
import tally  # noqa: E402

ARMTAP = os.environ.get("ARMTAP", "./armtap")
# Names of functions that are not the command's name in other letters.
NAMES = {"MOVEC": "moveC", "MOVEL_PATH": "moveL", "MOVEJ_PATH": "moveJ", "PROTECTIVE_STOP": "triggerProtectiveStop",
         "GET_TCP_OFFSET": "getTCPOffset", "SET_STD_DIGITAL_OUT": "setStandardDigitalOut", "STOP": "stopScript",
         "SET_CONF_DIGITAL_OUT": "setConfigurableDigitalOut", "SET_STD_ANALOG_OUT": "setAnalogOutput"}
FILLERS = {"SET_GRAVITY": 1}  # values without a meaning at the end
# With a flag in the first integer register.
FLAGS = ("MOVEJ", "MOVEJ_IK", "MOVEL", "MOVEL_FK", "MOVE_PATH", "MOVEL_PATH", "MOVEJ_PATH", "STOPL", "STOPJ",
         "FT_RTDE_INPUT_ENABLE", "ENABLE_EXTERNAL_FT_SENSOR")


def run(capture, *arguments, text=True):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.pcap")
        capture.write(path)
        return subprocess.run([ARMTAP, *[path if word == "FILE" else word for word in arguments]], capture_output=True, text=text,
                              timeout=60)


def commands(capture, *options):
    done = run(capture, "export", "--commands", "-f", "ndjson", "FILE", *options)
    return [json.loads(line) for line in done.stdout.splitlines()]


def folded(name):
    return name.replace("_", "").lower()


def is_name(shown, name):
    """Whether the function is that of the command."""
    plain = name.replace("_ARGS", "").replace("_DEFAULT", "")
    return shown == NAMES.get(name) or folded(shown) == folded(plain)


def flat(arguments):
    numbers = []
    for value in arguments.values():
        numbers += value if isinstance(value, list) else [value]
    return numbers


def sent(fields, values, name):
    """The numbers that must come back, in order of their registers; a flag is true or false."""
    given = []
    for field, value in zip(fields[1:], values):
        given += value if isinstance(value, list) else [value]
    return given[:len(given) - FILLERS.get(name, 0)]


def play_control(table, offset, script_port=None, handshake=True):
    """All commands of a release, and what is expected of each."""
    capture, expected = Capture(), []
    client = Client(capture, table, offset, handshake=handshake)
    for _ in range(0 if handshake else 40):
        client.say(1)
    if script_port:
        upload(capture, table.script(offset, script_port != 50002), client.time, script_port)
        client.tick(0.5)
    for code, name, recipe in sorted(table.commands):
        fields = table.recipes[recipe]
        values = wire.values_of(fields)
        if name in FLAGS and "iI1" in fields:
            values[fields.index("iI1") - 1] = 1
        if name == "GET_TCP_OFFSET" and table.release == "1.4.5":
            fields, values = fields[:1], []
        is_short = table.release in ("1.3.3", "1.3.4") and name in ("SPEEDJ", "SPEEDL")
        if is_short:
            fields, values = fields[:-1], values[:-1]
        client.say(1)
        begin = client.write(recipe, code, values, fields)
        if not table.no_wait(name):
            if table.release == "0.0.1":
                client.say(0)
            client.say(1 if table.release == "0.0.1" else 2, oI1=1, **{"oD%d" % i: i + 0.25 for i in range(6)})
            client.write(table.clear, 0)
        client.say(1)
        expected.append((code, name, fields, values, begin))
    client.close()
    return capture, expected


def check_control(release, offset, script_port=None):
    table = Table(release)
    capture, expected = play_control(table, offset, script_port)
    got = commands(capture)
    where = "%s, offset %d, script %s" % (release, offset, script_port)
    expect("%s: %d commands" % (where, len(expected)), len(got) == len(expected), len(got), got[:1])
    for row, (code, name, fields, values, begin) in zip(got, expected):
        what = "%s: %s" % (where, name)
        # 1.0.0 to 1.3.1 number alike what they set up alike; there the recipe may tell.
        readings = row.get("readings") or [row]
        fitting = [one for one in readings if is_name(one["command"] or "", name)]
        expect(what + " is among the readings", row["code"] == code and len(fitting) == 1, row)
        if not fitting:
            continue
        expect(what + " is the only one", len(readings) == 1 or not script_port, row)
        arguments = sorted(map(float, flat(fitting[0]["arguments"])))
        expect(what + " has its arguments", arguments == sorted(map(float, sent(fields, values, name))),
               fitting[0]["arguments"], values)
        ending = "sent" if table.no_wait(name) or name == "GET_ACTUAL_TOOL_FLANGE_POSE" and row["ending"] == "sent" else "done"
        expect(what + " ends", row["ending"] == ending or ("readings" in row and row["ending"] == "sent"), row)
        expect(what + " was issued", abs(row["time"] - 1769860800 - begin) < 1e-6, row["time"], begin)
        expect(what + " has the offset", row["register_offset"] == offset, row)
        lowest, highest = (wire.RELEASES.index(one) for one in row["releases"])
        expect(what + " fits its release", lowest <= wire.RELEASES.index(release) <= highest, row["releases"])
        expect(what + " has its evidence", row["evidence"] == ("script" if script_port else "recipes"), row["evidence"])
    return got


def check_late(release, offset, script_port=None):
    """A capture that begins when the client is at work: what is given is right, and almost all is given."""
    table = Table(release)
    capture, expected = play_control(table, offset, script_port, handshake=False)
    got = {round(row["time"], 6): row for row in commands(capture)}
    where = "%s, offset %d, script %s, in mid-session" % (release, offset, script_port)
    seen = 0
    for code, name, fields, values, begin in expected:
        row = got.pop(round(1769860800 + begin, 6), None)
        if not row:
            continue
        seen += 1
        what = "%s: %s" % (where, name)
        readings = row.get("readings") or [row]
        fitting = [one for one in readings if is_name(one["command"] or "", name)]
        expect(what + " is among the readings", row["code"] == code and len(fitting) == 1, row)
        arguments = sorted(map(float, flat(fitting[0]["arguments"]))) if fitting else None
        # Which register is set is not known without its range.
        wanted = [] if name.startswith("SET_INPUT_") and not script_port else sorted(map(float, sent(fields, values, name)))
        expect(what + " has its arguments", arguments == wanted, row, values)
        expect(what + " has no end", row["ending"] in ("sent", "unfinished"), row)
        expect(what + " has an offset", row["register_offset"] == (offset if script_port else None), row)
        lowest, highest = (wire.RELEASES.index(one) for one in row["releases"])
        expect(what + " fits its release", lowest <= wire.RELEASES.index(release) <= highest, row["releases"])
        expect(what + " has its evidence", row["evidence"] == ("script" if script_port else "packages"), row["evidence"])
    expect(where + ": no others", not got, got)
    short = {"1.3.3": 2, "1.3.4": 2, "1.4.5": 1}.get(release, 0)  # packages that lack fields
    expect(where + ": all that are whole", seen == len(expected) - short, seen, len(expected))


def check_all_late():
    for release in wire.RELEASES:
        check_late(release, 0)
        check_late(release, 0, 30003)
    check_late("1.6.0", 24)
    check_late("1.6.0", 24, 30003)


def check_offset_of_script():
    """Of a client in mid-session whose robot's packages nobody can read, the script alone shows the registers."""
    table = Table("1.5.8")
    for offset in (0, 24):
        for form, text in (("next", None), ("same", None), ("none", None), ("other", table.script(7)), ("far", table.script(9999)),
                           ("before", b"24\n" + table.script(0, form="none"))):
            capture = Capture()
            client = Client(capture, table, offset, handshake=False)
            for _ in range(40):
                client.say(1)
            upload(capture, text or table.script(offset, form=form), client.time)
            client.tick(0.5)
            for _ in range(4):
                client.finish(3, 1, MOVEL)
            rows = commands(capture)
            wanted = offset if form in ("next", "same") else None
            expect("a script with offset %d, %s" % (offset, form), len(rows) == 4 and all(
                row["evidence"] == "script" and row["register_offset"] == wanted and row["releases"] == ["1.5.7", "1.5.9"]
                for row in rows), rows[:1])


CONTROL_OUTPUTS = ["robot_status_bits", "safety_status_bits", "runtime_state", "oI0", "oI1", "oI2"] + ["oD%d" % i for i in range(6)]
AFTER_CONNECTING = ["code", "command", "arguments", "result", "ending", "cause", "duration_s", "result_is_early", "bytes_missing",
                    "register_offset"]


def act(client, rng):
    """One thing that a client or a robot does: commands of all kinds, in and out of order."""
    table, kind = client.table, rng.randrange(14)
    by_name = {name: (code, recipe) for code, name, recipe in table.commands}
    names = ["MOVEL", "MOVEJ", "IS_STEADY", "GET_JOINT_TORQUES", "SERVOJ", "STOP_SCRIPT", "GET_ACTUAL_TOOL_FLANGE_POSE", "SET_TCP"]
    if kind < 6:
        code, recipe = by_name[rng.choice(names)]
        client.write(recipe, code, wire.values_of(table.recipes[recipe]))
    elif kind < 9:
        client.write(table.clear, 0)
    elif kind == 9:
        client.say(safety_status_bits=rng.choice([1, 1, 4, 0x80]), runtime_state=rng.choice([2, 2, 1, 4]))
    elif kind == 10:
        client.say(oI1=rng.randrange(2), oD0=rng.random())
    elif kind == 11:
        client.write(4, 7)
    else:
        client.say(rng.choice([0, 1, 2]))
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
        client.say(rng.choice([client.state, client.state, 2, 1]), oI2=rng.randrange(1 << 20))


def ends_of(release, offset, seed, handshake):
    """The rows of a session by packet, which are counted from the first one of data."""
    capture, rng = Capture(), random.Random(seed)
    client = Client(capture, Table(release), offset, handshake=handshake, outputs=CONTROL_OUTPUTS, time=0.0 if handshake else 1.0)
    client.results.update(robot_status_bits=3, safety_status_bits=1, runtime_state=2)
    before = len(capture.frames)
    for _ in range(rng.choice([3, 40])):
        client.say(1)
    if seed % 3:
        for _ in range(3):
            client.finish(3, 1, MOVEL)
            client.finish(29, 6, [0, 0, 0.1, 0, 0, 0], cycles=rng.choice([1, 3, 30]))
    client.finish(29, 6, [0, 0, 0.1, 0, 0, 0], cycles=rng.choice([1, 3, 30]))  # else what it writes may be that of another release
    for _ in range(60):
        act(client, rng)
    for _ in range(3):
        client.finish(1, 1, MOVEL)
        client.finish(29, 6, [0, 0, 0.1, 0, 0, 0])
    client.close()
    rows = commands(capture, *([] if handshake else ["--recipe", "@ur_rtde-control-1.5.0" + ("-upper" if offset else "")]))
    return {row["packet"] - before: {**{key: row.get(key) for key in AFTER_CONNECTING},
            **{key: row[key] and row[key] - before for key in ("done_packet", "acknowledged_packet")}} for row in rows}


def at_work():
    """A capture that begins in mid-session, and its client, with a robot that runs."""
    capture = Capture()
    client = Client(capture, Table("1.6.0"), handshake=False, outputs=CONTROL_OUTPUTS)
    client.results.update(robot_status_bits=3, safety_status_bits=1, runtime_state=2)
    return capture, client


def check_late_ends():
    """In mid-session, with the recipe of what the robot sends, commands end as with the handshake."""
    endings = {}
    for seed in range(60):
        for release, offset in (("1.6.0", 0), ("1.5.8", 24)):
            known, late = (ends_of(release, offset, seed, handshake) for handshake in (True, False))
            differing = [(known.get(packet), row) for packet, row in late.items() if known.get(packet) != row]
            expect("ends in mid-session, %s, %d" % (release, seed), len(late) > 5 and not differing, len(late), len(known), differing[:1])
            expect("all commands of %d" % seed, len(late) == len(known) or seed % 3 == 0, len(late), len(known))
            for row in late.values():
                endings[row["ending"]] = endings.get(row["ending"], 0) + 1
    expect("all endings are among them", set(endings) == {"done", "sent", "abandoned", "failed", "replaced", "unfinished"}, endings)
    # With a hole in what the robot said, or more than is kept of it, nothing is told to have been abandoned.
    for what, answers, ending in (("a hole", [(1, False), (1, True), (1, False)], "unfinished"),
                                  ("a hole, done behind it", [(1, False), (1, True), (2, False)], "done"),
                                  ("no hole", [(1, False)] * 3, "abandoned"), ("many states", [(0, False), (1, False)] * 20, "unfinished"),
                                  ("many states, then done", [(0, False), (1, False)] * 20 + [(2, False)], "done"),
                                  ("some states", [(0, False), (1, False)] * 5, "abandoned")):
        capture, client = at_work()
        for _ in range(5):
            client.say(1)
            client.finish(3, 1, MOVEL)
            client.finish(29, 6, [0, 0, 0.1, 0, 0, 0])
        client.write(1, 1, MOVEL)
        for state, is_lost in answers:
            client.say(state, is_lost=is_lost)
        client.write(4, 0)
        for _ in range(30):
            client.say(1)
        client.finish(3, 1, MOVEL)
        client.close()
        rows = [row for row in commands(capture, "--recipe", "@ur_rtde-control-1.5.0") if row["code"] == 1]
        expect("in mid-session with " + what, [row["ending"] for row in rows] == [ending] and
               rows[0]["bytes_missing"] == ("a hole" in what), rows)
    # The first clear comes long after the answer.
    for cycles in (1, 3, 25, 400):
        capture, client = at_work()
        for _ in range(4):
            client.say(1)
            client.write(1, 3, MOVEL)
            for i in range(cycles + 3):
                client.say(1 if i < cycles else 2)
            client.write(4, 0)
            client.say(2)
            for _ in range(30):
                client.say(1)
            client.finish(29, 6, [0, 0, 0.1, 0, 0, 0])
        client.close()
        rows = [row for row in commands(capture, "--recipe", "@ur_rtde-control-1.5.0") if row["code"] == 3]
        expect("moveL of %d cycles in mid-session" % cycles, [(row["ending"], row["done_packet"] - row["packet"]) for row in rows if
               row["done_packet"]] == [("done", cycles + 1)] * 4, rows)
        said = run(capture, "diagnose", "--json", "FILE", "--recipe", "@ur_rtde-control-1.5.0").stdout
        expect("nothing is raised of it", '"command.' not in said, said)


def check_all_releases():
    for release in wire.RELEASES:
        has_upper = wire.RELEASES.index(release) >= wire.RELEASES.index("1.3.9")
        for offset in (0, 24) if has_upper else (0,):
            check_control(release, offset)
            check_control(release, offset, 30003)
    for port in (30002, 50002):
        for offset in (0, 24):
            check_control("1.6.0", offset, port)


def check_io(release, offset):
    table = Table(release)
    capture, expected = Capture(), []
    client = Client(capture, table, offset, io=True)
    for (code, recipe), name in sorted(table.io.items()):
        fields = client.recipes[recipe]
        values = wire.values_of(fields)
        client.write(recipe, code, values)
        expected.append((code, name, [wire.name_of(field, offset) for field in fields[1:]], values))
    client.close()
    got = commands(capture)
    what = "IO of %s, offset %d" % (release, offset)
    expect(what, [row["code"] for row in got] == [one[0] for one in expected], got)
    for row, (code, name, fields, values) in zip(got, expected):
        expect("%s: %s" % (what, name), is_name(row["command"] or "", name) and row["ending"] == "sent", row)
        expect("%s: %s has its values" % (what, name), row["arguments"] == dict(zip(fields, values)), row["arguments"])


def check_all_io():
    for release in ("0.0.1", "1.2.7", "1.3.0", "1.3.8", "1.3.9", "1.4.1", "1.4.3", "1.6.0"):
        for offset in (0, 24) if wire.RELEASES.index(release) >= wire.RELEASES.index("1.3.9") else (0,):
            check_io(release, offset)


# ---- releases that disagree ----


def check_disagreement():
    """1.2.3 to 1.3.1 set up the same recipes, but number alike only up to 5; 1.2.7 is the last before the change."""
    for release, wanted in (("1.2.7", "speedJ"), ("1.3.0", "speedL")):
        table, capture = Table(release), Capture()
        client = Client(capture, table)
        client.say(1)
        client.write(1, 10, [1, 2, 3, 4, 5, 6, 7, 8])
        client.say(1)
        row, = commands(capture)
        names = {reading["command"]: reading for reading in row["readings"]}
        expect(release + ": both readings", row["command"] is None and set(names) == {"speedJ", "speedL"}, row)
        expect(release + ": each has its releases", names["speedJ"]["releases"] == ["1.2.3", "1.2.7"] and
               names["speedL"]["releases"] == ["1.3.0", "1.3.1"], row)
        expect(release + ": each has its arguments", names[wanted]["arguments"]["speed"] == [1, 2, 3, 4, 5, 6], row)
        done = run(capture, "export", "--commands", "FILE")
        cells, = list(csv.DictReader(done.stdout.splitlines()))
        expect(release + ": both in CSV", cells["command"] == "speedJ or speedL" and
               [one["time"] for one in json.loads(cells["arguments"])] == [8, 8], cells)
    # zeroFtSensor (9 until 1.2.7) goes with another recipe than speedJ (9 since 1.3.0), and tells for what follows.
    table, capture = Table("1.2.7"), Capture()
    client = Client(capture, table)
    client.finish(9, 5)
    client.finish(16, 5)
    first, second = commands(capture)
    expect("the recipe tells", first["command"] == "zeroFtSensor" and first["releases"] == ["1.2.3", "1.2.7"], first)
    expect("and is remembered", second["command"] == "speedStop", second)


def check_script_later():
    """A script that is sent after the commands tells of them, if the capture can be read twice."""
    table, capture = Table("1.3.0"), Capture()
    client = Client(capture, table)
    client.write(1, 10, [1, 2, 3, 4, 5, 6, 7, 8])
    client.say(1)
    upload(capture, table.script(0), client.tick(0.1))
    client.tick(0.1)
    client.say(1)
    row, = commands(capture)
    expect("a script told later", row["command"] == "speedL" and row["evidence"] == "script", row)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.pcap")
        capture.write(path)
        with open(path, "rb") as file:
            done = subprocess.run([ARMTAP, "export", "--commands", "-f", "ndjson", "-"], stdin=file, capture_output=True, text=True,
                                  timeout=60)
    row, = map(json.loads, done.stdout.splitlines())
    expect("from a pipe: exit status", done.returncode == 0, done)
    expect("from a pipe it comes too late", len(row["readings"]) == 2 and row["evidence"] == "recipes", row)


SPEEDS = [1, 2, 3, 4, 5, 6, 7, 8]


def check_scripts_of_sessions():
    """A script tells of the session in which it was sent, not of those before and after it."""
    for first, second in (("1.2.7", "1.3.0"), ("1.3.0", "1.2.7")):
        for sent_by in (0, 1):
            capture, time = Capture(), 0.0
            for i, release in enumerate((first, second)):
                client = Client(capture, Table(release), port=40001 + i, time=time)
                client.say(1)
                if sent_by == i:
                    upload(capture, Table(release).script(0), client.tick(0.1), client_port=41000 + i)
                    client.tick(0.1)
                    client.say(1)
                client.write(1, 10, SPEEDS)
                client.say(1)
                client.close()
                time = client.time + 60
            rows = commands(capture)
            name = "speedJ" if (first, second)[sent_by] == "1.2.7" else "speedL"
            what = "the script of session %d of %s, %s" % (sent_by, first, second)
            expect(what, len(rows) == 2 and rows[sent_by]["command"] == name and rows[sent_by]["evidence"] == "script", rows)
            expect(what + " alone", rows[1 - sent_by]["evidence"] == "recipes" and len(rows[1 - sent_by]["readings"]) == 2, rows)


def check_script_with_a_hole():
    """Lines that are missing might be branches of another release."""
    for lost in range(1, 6):
        capture = Capture()
        client = Client(capture, Table("1.2.7"))
        client.say(1)
        text, pieces = Table("1.2.7").script(0), []
        upload(capture, text, client.tick(0.1))
        begin = next(i for i, frame in enumerate(capture.frames) if text[:100] in frame[1])
        del capture.frames[begin:]
        capture.sent = {end: number for end, number in capture.sent.items() if end[1] != ("10.0.0.2", 30003)}
        pieces = [text[i:i + 1 + len(text) // 8] for i in range(0, len(text), 1 + len(text) // 8)]
        for i, piece in enumerate(pieces):
            capture.segment(client.tick(0.001), ("10.0.0.9", 41000), ("10.0.0.2", 30003), piece, is_lost=i == lost)
        client.tick(3)
        for _ in range(20):
            client.say(1)
        client.write(1, 10, SPEEDS)
        client.say(1)
        row, = commands(capture)
        expect("a script without piece %d" % lost, row["evidence"] == "recipes" and len(row["readings"]) == 2, row)


def check_stops():
    """What ends the script, or asks for a stop, is done when the robot shows it; the watchdog's 0 clears nothing."""
    outputs = wire.OUTPUTS + ["safety_status_bits", "runtime_state"]
    for code, shown, ending in ((255, {"runtime_state": 1}, "done"), (255, {"runtime_state": 2}, "sent"),
                                (31, {"safety_status_bits": 4}, "done"), (31, {"safety_status_bits": 0}, "sent")):
        capture, client = session(outputs=outputs)
        client.say(1, runtime_state=2)
        client.write(4, code)
        for _ in range(50):
            client.say(1, **shown)
        client.write(4, 0)
        client.say(1)
        client.close()
        row, = commands(capture)
        expect("code %d, %s" % (code, shown), row["ending"] == ending, row)
        expect("nothing is raised by it", found(capture) == [], found(capture))
    # The robot's package was captured after the clear that answers it.
    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    client.write(4, 0)
    client.say(2)
    client.say(1)
    client.finish(3, 1, MOVEL)
    client.close()
    rows = commands(capture)
    expect("done is captured late", [row["ending"] for row in rows] == ["done", "done"] and found(capture) == [], rows)
    for stays, ending, cause in ((True, "failed", "protective"), (False, "abandoned", None)):
        capture, client = session(outputs=outputs)
        client.say(1, runtime_state=2, safety_status_bits=1)
        client.write(1, 3, MOVEL)
        for _ in range(50):
            client.say(1, safety_status_bits=4)
        for _ in range(50):
            client.say(1, safety_status_bits=4 if stays else 1)
        client.write(4, 0)
        client.say(1)
        client.close()
        row, = commands(capture)
        expect("a stop that stays: %s" % stays, row["ending"] == ending and row["cause"] == cause, row)
    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    client.write(11, 0)
    client.say(1)
    client.say(2)
    client.write(4, 0)
    client.say(1)
    client.close()
    row, = commands(capture)
    expect("a watchdog in between", row["ending"] == "done" and found(capture) == [], row)


def check_other_script():
    """A script that contradicts the client's recipes, has other registers, or is of another robot, is no evidence."""
    for what, release, offset, robot in (("other release", "1.6.0", 0, "10.0.0.2"), ("other registers", "1.4.0", 24, "10.0.0.2"),
                                         ("other robot", "1.3.0", 0, "10.0.0.3")):
        table, capture = Table("1.3.0"), Capture()
        client = Client(capture, table)
        upload(capture, Table(release).script(offset), client.time, robot=robot)
        client.tick(0.1)
        client.write(1, 10, [1, 2, 3, 4, 5, 6, 7, 8])
        client.say(1)
        row, = commands(capture)
        expect("a script of " + what, row["evidence"] == "recipes" and len(row.get("readings", [])) == 2, row)


def check_later_script():
    """One with a branch that no known release has is of a later release, of which nothing is known."""
    table = Table("1.6.0")
    for more, evidence in (((), "script"), ((254,), "script"), ((66,), None), ((66, 67), None), ((130,), None), ((253,), None)):
        for handshake in (True, False):
            capture = Capture()
            client = Client(capture, table, handshake=handshake)
            for _ in range(40):
                client.say(1)
            upload(capture, table.script(0, more=more), client.time)
            client.tick(0.5)
            for _ in range(4):
                client.finish(3, 1, MOVEL)
            rows = commands(capture)
            wanted = evidence or ("recipes" if handshake else "packages")
            expect("a script with %s, handshake %s" % (more, handshake), len(rows) == 4 and all(row["evidence"] == wanted for row in rows),
                   rows[:1])


LATER = "a script that is in no release of ur_rtde up to 1.6.0 was sent while this client was connected"


def check_scripts_in_a_session():
    """Scripts that were sent while one client was connected: which of them is the client's is not known."""
    old, new = Table("1.2.7").script(0), Table("1.3.0").script(0)
    later, other = Table("1.6.0").script(0, more=(66,)), Table("1.6.0").script(0)
    for what, release, texts, evidence, releases, names in (
            ("one", "1.2.7", [old], "script", ("1.2.5", "1.2.7"), ["speedJ"]),
            ("the same again", "1.2.7", [old, old], "script", ("1.2.5", "1.2.7"), ["speedJ"]),
            ("another", "1.2.7", [old, new], "script", ("1.2.5", "1.3.1"), ["speedJ", "speedL"]),
            ("another before", "1.2.7", [new, old], "script", ("1.2.5", "1.3.1"), ["speedJ", "speedL"]),
            ("another that has other recipes", "1.2.7", [old, other], "script", ("1.2.5", "1.2.7"), ["speedJ"]),
            ("a later one", "1.6.0", [other, later], None, None, []), ("a later one before", "1.6.0", [later, other], None, None, []),
            ("a later one alone", "1.6.0", [later], None, None, [])):
        # In mid-session, what was sent before the client's first package is not looked at but for the last.
        for handshake in (True, False) if names == [] and what != "a later one before" else (True,):
            capture = Capture()
            client = Client(capture, Table(release), handshake=handshake)
            for _ in range(40):
                client.say(1)
            for i, text in enumerate(texts):
                upload(capture, text, client.time, client_port=41000 + i)
                client.tick(0.5)
                client.say(1)
            for _ in range(4):
                client.finish(3, 1, MOVEL if release == "1.6.0" else SPEEDS)
            if names:
                client.write(1, 10, SPEEDS)  # speedJ until 1.2.7, then speedL
                client.say(1)
            client.close()
            name, rows = "%s, handshake %s" % (what, handshake), commands(capture)
            wanted = (evidence, *releases) if evidence else ("recipes", "1.6.0", "1.6.0") if handshake else ("packages", "1.4.5", "1.6.0")
            expect(name + ": releases", len(rows) >= 4 and {(row["evidence"], *row["releases"]) for row in rows} == {wanted}, rows[-1:])
            expect(name + ": speedJ", not names or names == [one["command"] for one in rows[-1].get("readings", rows[-1:])], rows[-1:])
            said = [one for one in found(capture) if one[0] == "command.unknown"]
            expect(name + ": what diagnose says", len(said) == (not evidence) and (not said or said[0][2] == {"case": "script", "release": "1.6.0"}), said)
            shown = run(capture, "export", "--commands", "-f", "ndjson", "FILE").stderr
            expect(name + ": what export says", (LATER in shown) == (not evidence), shown)
            merged = [one for one in found_by_summaries(capture) if one[0] == "command.unknown"]
            expect(name + ": from summaries", merged == [(one[0], one[2]) for one in said], merged)


# ---- how commands end ----


def session(release="1.6.0", outputs=None):
    capture = Capture()
    client = Client(capture, Table(release), outputs=(outputs or wire.OUTPUTS))
    client.say(1)
    return capture, client


MOVEL = [0.1, 0.2, 0.3, 0, 3.1, 0, 0.25, 1.2, 0]


def check_endings():
    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    client.write(4, 0)
    expect("withdrawn, but the robot may have said before that it is done", [row["ending"] for row in commands(capture)] ==
           ["unfinished"])
    client.say(1)
    expect("withdrawn", [row["ending"] for row in commands(capture)] == ["abandoned"])

    for bits, runtime, cause in ((4, 2, "protective"), (0x80, 2, "emergency"), (0x20, 2, "emergency"),
                                 (0x200, 2, "fault"), (1, 1, "program-stopped")):
        capture, client = session(outputs=wire.OUTPUTS + ["safety_status_bits", "runtime_state"])
        client.results.update(safety_status_bits=1, runtime_state=2)
        client.write(1, 3, MOVEL)
        client.say(1)
        client.say(1, safety_status_bits=bits, runtime_state=runtime)
        client.write(4, 0)
        client.say(1)
        row, = commands(capture)
        expect("failed by " + cause, (row["ending"], row["cause"]) == ("failed", cause), row)

    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    client.write(1, 1, MOVEL)
    client.say(1)
    client.say(2)
    client.write(4, 0)
    expect("replaced", [row["ending"] for row in commands(capture)] == ["replaced", "done"])

    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    client.close()
    expect("unfinished", [row["ending"] for row in commands(capture)] == ["unfinished"])

    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    client.say(2)
    client.close()
    row, = commands(capture)
    expect("done, but not cleared", row["ending"] == "done" and row["acknowledged_time"] is None and row["duration_s"] == 0.004, row)

    capture, client = session(outputs=["oI1", "oD0"])
    client.write(1, 3, MOVEL)
    client.say()
    client.write(4, 0)
    client.say()
    expect("nothing shows the script's state", [row["ending"] for row in commands(capture)] == ["sent"])

    # The state of the command before is no answer to this one.
    capture, client = session()
    client.say(2)
    client.write(1, 3, MOVEL)
    client.say(2)
    client.write(4, 0)
    client.say(1)
    expect("an old state is no answer", [row["ending"] for row in commands(capture)] == ["abandoned"])

    capture, client = session(outputs=wire.OUTPUTS + ["runtime_state"])
    client.results.update(runtime_state=2)
    client.write(4, 255)
    client.say(1)
    client.say(1, runtime_state=1)
    client.write(4, 0)
    row, = commands(capture)
    expect("stopScript", (row["command"], row["ending"], row["duration_s"]) == ("stopScript", "done", 0.004), row)


def check_results():
    capture, client = session()
    client.finish(47, 4, oI1=1)
    client.finish(44, 12, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], oD0=0.5, oD5=-3.0)
    client.finish(3, 1, MOVEL[:-1] + [1], oI2=(5 << 24) + (127 << 16) + 32768 + 3)
    client.finish(3, 1, MOVEL, oI2=32768)
    steady, forward, moving, still = commands(capture)
    expect("a flag", steady["result"] == {"is_steady": True}, steady)
    expect("a vector", forward["result"] == {"pose": [0.5, 0, 0, 0, 0, -3]} and
           forward["arguments"]["tcp_offset"] == [7, 8, 9, 10, 11, 12], forward)
    expect("an asynchronous one has a progress", moving["result"] ==
           {"progress": 3, "running": True, "operation_id": 5}, moving)
    expect("another has none", still["result"] is None, still)
    # The client reads at once what may be the result of the command before: so it is said.
    capture, client = session()
    client.write(4, 38)
    client.say(1, oD0=7.0)
    row, = commands(capture)
    expect("a result on the wire", row["result"] == {"torques": [7, 0, 0, 0, 0, 0]} and row["result_is_early"] and
           row["ending"] == "sent", row)


def check_progress():
    """The register of asynchronous operations, by release: a progress, or a word of bits."""
    words = [(0, 0, False, 0), (32768, 0, True, 0), (32767, 32767, False, 0), (127 << 16, 0, False, 0), (127 << 24, 0, False, 127),
             ((1 << 24) + (1 << 16) + 32768 + 1, 1, True, 1), (-1, 32767, True, 127)]
    for release, is_word in (("1.3.9", False), ("1.5.5", False), ("1.5.6", True), ("1.6.0", True)):
        for word, progress, running, number in words:
            capture, client = session(release)
            client.finish(3, 1, MOVEL[:-1] + [1], oI2=word)
            row, = commands(capture)
            wanted = {"progress": progress, "running": running, "operation_id": number} if is_word else {"progress": word}
            expect("the word %d of %s" % (word, release), row["result"] == wanted, row)
    capture = Capture()
    client = Client(capture, Table("1.5.6"), handshake=False, outputs=CONTROL_OUTPUTS)
    client.results.update(robot_status_bits=3, safety_status_bits=1, runtime_state=2)
    for _ in range(5):
        client.finish(3, 1, MOVEL[:-1] + [1], oI2=32771)
    row = commands(capture, "--recipe", "@ur_rtde-control-1.5.0")[0]
    expect("a word of which the release is not known", row["result"] == {"status": 32771}, row)


def check_unknown():
    capture, client = session()
    client.finish(66, 17, [1, 2, 3, 4, 5, 6, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5])
    client.finish(-5, 4)
    row, other = commands(capture)
    wanted = {"input_int_register_%d" % i: i for i in range(1, 7)}
    wanted.update({"input_double_register_%d" % i: i + 0.5 for i in range(6)})
    expect("a number that no table has", row["command"] is None and row["code"] == 66 and row["arguments"] == wanted and
           row["ending"] == "done", row)
    expect("below 0", other["code"] == -5 and other["command"] is None, other)
    capture, client = session()
    client.write(4, 200)
    client.say(1)
    client.write(4, 0)
    expect("whether the client waits for it is not known", [row["ending"] for row in commands(capture)] == ["sent"])


def check_losses():
    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(2, is_lost=True)
    for _ in range(3):
        client.say(2)
    client.write(4, 0)
    client.say(1)
    row, = commands(capture)
    expect("done, though bytes are missing", row["ending"] == "done" and row["bytes_missing"], row)
    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    client.write(4, 0, is_lost=True)
    client.say(1)
    client.finish(1, 1, MOVEL)
    first, second = commands(capture)
    expect("its end is missing", first["ending"] == "unfinished" and first["bytes_missing"], first)
    expect("what the robot answers meanwhile is no proof", second["ending"] in ("unfinished", "sent") and second["bytes_missing"], second)


def check_files():
    """The same rows for any number of threads, and of connections that share a robot."""
    capture, _ = play_control(Table("1.6.0"), 0, 30003)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.pcap")
        capture.write(path)
        texts = {subprocess.run([ARMTAP, "export", "--commands", "-f", "ndjson", "--threads", threads, path], capture_output=True,
                                timeout=60).stdout for threads in ("1", "2", "8")}
        expect("any number of threads", len(texts) == 1)
        out = os.path.join(folder, "x.csv")
        done = subprocess.run([ARMTAP, "export", "--commands", path, "-o", out], capture_output=True, text=True, timeout=60)
        with open(out, newline="") as file:
            cells = list(csv.DictReader(file))
        lines = [json.loads(line) for line in next(iter(texts)).decode().splitlines()]
        expect("CSV has the same", done.returncode == 0 and len(cells) == len(lines) and all(
            cell["command"] == line["command"] and json.loads(cell["arguments"]) == line["arguments"] and
            cell["ending"] == line["ending"] and float(cell["time"]) == line["time"] for cell, line in zip(cells, lines)), done)


def check_options():
    capture, client = session()
    client.finish(1, 1, MOVEL)
    client.tick(10)
    client.finish(3, 1, MOVEL)
    expect("--from", [row["command"] for row in commands(capture, "--from", "+5")] == ["moveL"])
    expect("--to", [row["command"] for row in commands(capture, "--to", "+5")] == ["moveJ"])
    expect("--stream", len(commands(capture, "--stream", "0")) == 2)
    expect("no such stream", run(capture, "export", "--commands", "FILE", "--stream", "7").returncode == 2)
    for option in (["--fields", "actual_q"], ["--to-robot"], ["--every", "2"], ["--union"], ["-f", "gnuplot"], ["-f", "parquet", "-o", "x.parquet"],
                   ["--split", "-o", "x.csv"], ["--enums", "name"], ["--csv-safe"], ["--manifest", "m"]):
        done = run(capture, "export", "--commands", "FILE", *option)
        expect("--commands with %s" % option, done.returncode == 2 and "--commands" in done.stderr, done.stderr)


# ---- what diagnose finds ----


def found(capture):
    done = run(capture, "diagnose", "--json", "FILE")
    return [(one["id"], one["packet"], one["args"]) for one in json.loads(done.stdout)["findings"] if one["id"].startswith("command.")]


def took(args):
    """Which command took how long: at least, and at most."""
    times = [args["duration_s"]] * 2 if "duration_s" in args else [args["shortest_s"], args["longest_s"]]
    return args["command"], *(round(time, 3) for time in times)


def check_findings():
    """Each threshold from both sides. A setting takes a second at most."""
    for cycles, wanted in ((500, []), (501, ["command.slow"])):
        capture, client = session()
        client.finish(29, 6, [0, 0, 0.1, 0, 0, 0], cycles=cycles)
        said = found(capture)
        expect("setTcp of %g s" % (cycles * 0.002), [one[0] for one in said] == wanted and
               (not wanted or took(said[0][2]) == ("setTcp", 1.002, 1.002)), said)
    capture, client = session()
    client.finish(3, 1, MOVEL, cycles=2000)
    expect("a motion takes its time", found(capture) == [])
    # One of the readings moves the arm: what is usual is not known.
    capture = Capture()
    client = Client(capture, Table("1.2.7"))
    client.finish(33, 6, [0.1, 0.2, 0.3, 0, 3.1, 0, 1, 1, 0], cycles=2000)
    expect("moveP or stopL", found(capture) == [], found(capture))
    capture, client = session()
    client.write(1, 3, MOVEL)
    client.say(1)
    expect("the capture ends", found(capture) == [])
    client.close()
    said = found(capture)
    expect("the client closes the connection", [one[0] for one in said] == ["command.unanswered"] and
           (said[0][2]["command"], said[0][2]["until"]) == ("moveL", "closed"), said)
    for bits, runtime, cause in ((1, 1, "program-stopped"), (4, 2, "protective"), (1, 2, None)):
        capture, client = session(outputs=wire.OUTPUTS + ["safety_status_bits", "runtime_state"])
        client.results.update(safety_status_bits=1, runtime_state=2)
        client.write(1, 3, MOVEL)
        client.say(1)
        client.say(1, safety_status_bits=bits, runtime_state=runtime)
        client.close()
        row, = commands(capture)
        said, = found(capture)
        expect("the client closes the connection after %s" % cause, (row["ending"], row["cause"]) == ("unfinished", cause) and
               said[0] == "command.unanswered" and said[2]["command"] == "moveL" and said[2].get("cause") == cause, row, said)
    capture, client = session()
    client.write(4, 77)
    client.say(1)
    client.close()
    expect("whether an unknown one is answered is not known", found(capture) == [], found(capture))


def finish_seldom(client, code, recipe, values, took, period):
    """A command that the script takes so long for, of a robot that sends once a period."""
    begin = client.write(recipe, code, values)
    while True:
        client.tick(begin + period * (1 + (client.time - begin) // period) - client.time - 0.002 + 1e-7)
        if client.say(2 if client.time + 0.002 - begin >= took else 0) - begin >= took:
            break
    client.write(client.table.clear, 0)
    client.say(1)


def check_seldom():
    """Of a robot that sends seldom, it is known only between which packages the script was done: at 1 Hz, a setting of 0.1 s is
    seen after a second or more."""
    tcp = [0, 0, 0.1, 0, 0, 0]
    for period, taken, said in ((1.5, 0.1, None), (3, 0.1, None), (0.7, 0.5, None), (0.7, 1.1, None), (0.7, 1.5, (1.4, 2.1)), (1.5, 1.6, (1.5, 3.0)),
                                (0.05, 1.02, (1.05, 1.05)), (0.05, 0.98, None), (0.02, 1.01, (1.02, 1.02)), (0.1, 1.05, (1.0, 1.1))):
        capture, client = session()
        finish_seldom(client, 29, 6, tcp, taken, period)
        ours = found(capture)
        expect("setTcp of %g s, packages of %g s" % (taken, period), [one[0] for one in ours] == ["command.slow"] * bool(said) and
               (not said or took(ours[0][2]) == ("setTcp", *said)), ours)
        expect("setTcp of %g s, packages of %g s, from summaries" % (taken, period),
               found_by_summaries(capture) == [(one[0], one[2]) for one in ours], found_by_summaries(capture))
    # Motions of 0.2 s that are seen after 0.25; the last is seen after two packages, 1 s, or after six.
    for taken, period, said in ((0.9, 1.0, None), (1.4, 0.25, (1.25, 1.5)), (0.6, 2.0, None)):
        capture, client = session()
        for i in range(4):
            finish_seldom(client, 1, 1, HOME, 0.2, 0.25)
            finish_seldom(client, 3, 1, MOVEL, taken if i == 3 else 0.2, period if i == 3 else 0.25)
        ours = found(capture)
        expect("moveL of %g s, packages of %g s" % (taken, period), [one[0] for one in ours] == ["command.slow"] * bool(said) and
               (not said or (took(ours[0][2]), ours[0][2]["times"]) == (("moveL", *said), 3)), ours)


HOME, FAR = [0.1, -1.5, 1.5, -1.5, -1.5, 0, 1.05, 1.4, 0], [0.4, 0.2, 0.3, 0, 3.1, 0, 0.25, 1.2, 0]
SERVO = [0.1] * 6 + [0, 0, 0.008, 0.1, 300]


def motions(usual, last, rounds=3, between=None, target=MOVEL, home=HOME, pause=False, first=None):
    """Rounds of moveJ and moveL that take so many cycles each; the last moveL takes others."""
    capture, client = session(outputs=wire.OUTPUTS + ["runtime_state"])
    client.say(1, runtime_state=2)
    for i in range(rounds + 1):
        if i == rounds and first:
            first(client)
        client.finish(1, 1, home, cycles=usual)
        if i == rounds and between:
            between(client)
        if i == rounds and pause:
            client.write(1, 3, target)
            for k in range(last - 1):
                client.say(runtime_state=4 if k < last // 2 else 2)
            client.say(2)
            client.write(4, 0)
            client.say(1)
            return capture
        client.finish(3, 1, target if i == rounds else MOVEL[:8] + target[8:], cycles=last if i == rounds else usual)
    return capture


def not_captured(client):
    captured = len(client.capture.frames)
    client.finish(3, 1, FAR)
    client.say(1)
    del client.capture.frames[captured:]
    for _ in range(400):  # of the first ones, bytes are missing
        client.finish(17, 7, [1.0, 0, 0, 0.1])


def found_by_summaries(capture):
    """The same from diagnoses of the two halves, merged."""
    half, part = len(capture.frames) // 2, Capture()
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("a.pcap", "b.pcap")]
        for name, part.frames in zip(names, (capture.frames[:half], capture.frames[half:])):
            part.write(name)
        subprocess.run([ARMTAP, "index", "-o", folder, *names], check=True, capture_output=True)
        merged = []
        for name in names:
            merged.append(name + ".diagnosis")
            with open(merged[-1], "wb") as file:
                subprocess.run([ARMTAP, "diagnose", "--json", "--findings-ok", "--after", folder, name], check=True, stdout=file)
        done = subprocess.run([ARMTAP, "merge", "--findings-ok", *merged], check=True, capture_output=True, text=True)
    return [(one["id"], one["args"]) for one in json.loads(done.stdout)["findings"] if one["id"].startswith("command.")]


def check_slow_motions():
    """A motion that took at most so long three times before is slow from twice that, and half a second more, on."""
    for usual, last, said in ((500, 1000, None), (500, 1001, (2.002, 1.0)), (50, 300, None), (50, 301, (0.602, 0.1))):
        ours = found(motions(usual, last))
        expect("moveL of %d cycles after %d" % (last, usual), [one[0] for one in ours] == ["command.slow"] * bool(said) and
               (not said or (took(ours[0][2]), ours[0][2]["times"], round(ours[0][2]["usual_s"], 3)) ==
                                                                (("moveL", said[0], said[0]), 3, said[1])), ours)
    for what, slow, options in (
            ("only two times before", False, {"rounds": 2}), ("another target", False, {"target": FAR}),
            ("asynchronous", False, {"target": MOVEL[:8] + [1]}), ("after an asynchronous motion", False, {"home": HOME[:8] + [1]}),
            ("after servoJ", False, {"between": lambda client: client.write(2, 11, SERVO)}),
            ("after teaching", False, {"between": lambda client: client.finish(18, 4)}),
            ("after a stop", False, {"between": lambda client: client.finish(34, 19, [2.0, 0])}),
            ("after another motion", False, {"between": lambda client: client.finish(3, 1, FAR)}),
            ("after a motion that was not captured", False, {"between": not_captured}),
            ("after another setting", False, {"between": lambda client: client.finish(17, 7, [1.0, 0, 0, 0.1])}),
            ("after another setting before the other motion", False, {"first": lambda client: client.finish(29, 6, [0, 0, 0.2, 0, 0, 0])}),
            ("after a question", True, {"between": lambda client: client.finish(47, 4)}),
            ("after a pause", False, {"pause": True})):
        capture = motions(200, 1000, **options)
        ours = found(capture)
        expect("moveL " + what, [one[0] for one in ours] == ["command.slow"] * slow, ours)
        merged = found_by_summaries(capture)
        expect("from summaries, moveL " + what, merged == [(one[0], one[2]) for one in ours], merged)


def check_proof():
    """Four recipes show RTDEControlInterface, three RTDEIOInterface."""
    table = Table("1.6.0")
    for io, least, code in ((False, 4, 3), (True, 3, 13)):
        known = table.io_recipes() if io else table.recipes
        for count in (least - 1, least):
            capture = Capture()
            client = Client(capture, table, io=io, recipes={i: known[i] for i in sorted(known)[:count]})
            number = 2 if io else 1
            client.write(number, code, wire.values_of(known[number]))
            client.close()
            expect("%d recipes, io %s" % (count, io), len(commands(capture)) == (count >= least), count)


UNKNOWN = "no release up to 1.6.0 has its recipe %d"


def check_unknown_release():
    """A client with recipes that no release has: its commands are not given, and that is said, once four recipes (three of the IO
    interface) have shown that it is ur_rtde or alike."""
    known, outputs = Table("1.6.0").recipes, Table("1.6.0").io_recipes()
    for what, io, recipes, strange in (
            ("one more", False, {**known, 22: ["iI0", "iD0"]}, 22), ("one more, without a code", False, {**known, 22: ["iD0"]}, 22),
            ("two more", False, {**known, 22: ["iI0", "iD0"], 23: ["iI0", "iD1"]}, 22),
            ("one of a high number", False, {**known, 64: ["iI0"]}, 64), ("another fifth", False, {**known, 5: ["iI0", "iD3"]}, 5),
            ("another fourth", False, {**known, 4: ["iI0", "iD3"]}, None), ("another last", False, {**known, 21: ["iI0"]}, 21),
            ("none more", False, known, None), ("IO's, one more", True, {**outputs, 17: ["iI23", "iD23"]}, 17),
            ("IO's, another third", True, {**outputs, 3: ["iI23", "iD23"]}, None)):
        for offset in (0, 24) if what not in ("IO's, one more", "IO's, another third") else (0,):
            capture = Capture()
            client = Client(capture, Table("1.6.0"), offset, io=io, recipes=recipes)
            client.say(1)
            for _ in range(4):
                client.write(2, 13, [1, 1]) if io else client.finish(3, 1, MOVEL)
            client.close()
            done = run(capture, "export", "--commands", "-f", "ndjson", "FILE")
            rows, said = done.stdout.splitlines(), [one for one in found(capture) if one[0] == "command.unknown"]
            expect("%s: rows" % what, len(rows) == (4 if "none more" == what else 0), rows[:1])
            expect("%s: what diagnose says" % what, len(said) == (strange is not None) and (not said or
                   said[0][2] == {"case": "recipe", "release": "1.6.0", "recipe": strange}), said)
            expect("%s: what export says" % what, not said or "packet %d: " % said[0][1] in done.stderr and UNKNOWN % strange in done.stderr,
                   done.stderr)
            expect("%s: from summaries" % what, found_by_summaries(capture) == [(one[0], one[2]) for one in found(capture)],
                   found_by_summaries(capture))
    # One that the controller refuses is no other.
    capture = Capture()
    client = Client(capture, Table("1.6.0"), recipes={**known, 21: ["iI0", "external_force_torque"]}, refused=(21,))
    client.say(1)
    client.finish(3, 1, MOVEL)
    client.close()
    expect("one refused", [row["command"] for row in commands(capture)] == ["moveL"] and found(capture) == [], found(capture))


# ---- other clients ----


def others():
    """Recipes of clients that use the same registers, and are not ur_rtde's."""
    known, lower = Table("1.6.0").recipes, Table("1.2.0").recipes
    doubles = ["iD%d" % i for i in range(18)]
    yield "the guide's control loop", {1: doubles[:6], 2: ["iI0"]}
    yield "a watchdog and a pose", {1: ["iI0"], 2: doubles[:6]}
    yield "a code and a pose", {1: ["iI0"] + doubles[:6]}
    yield "a code only", {1: ["iI0"]}
    yield "ur_rtde's first recipe", {1: known[1]}
    yield "its first three", {i: known[i] for i in (1, 2, 3)}
    yield "its first three, and another", {1: known[1], 2: known[2], 3: known[3], 4: ["iI0", "iI9"]}
    yield "its recipes in another order", {i: known[22 - i] for i in range(1, 22)}
    yield "its recipes from the second on", {i: known[i + 1] for i in range(1, 21)}
    yield "its recipes with one field more", {i: known[i] + ["iI15"] for i in range(1, 22)}
    yield "one with two fields exchanged", {**known, 1: ["iI0", "iD1", "iD0"] + known[1][3:]}
    yield "one that lacks a field", {**known, 21: ["iI0"]}
    yield "recipes of two releases", {1: known[1], 2: lower[2], 3: lower[3], 4: lower[4], 5: known[5], 6: known[6]}
    yield "all integer registers", {1: ["iI%d" % i for i in range(24)]}
    yield "integers one by one", {1 + i: ["iI%d" % i] for i in range(8)}
    yield "doubles first", {1: doubles[:8] + ["iI0"]}
    yield "a tool", {1: ["iI23"], 2: ["iI23", "tool_digital_output_mask", "tool_digital_output"]}
    yield "a speed slider", {1: ["speed_slider_mask", "speed_slider_fraction"], 2: ["iI23"]}
    yield "registers of both ranges", {1: ["iI0"] + ["iD%d" % i for i in range(24, 32)] + ["iI1"], 2: ["iI24"]}
    yield "a recipe in the middle", {1: ["iI12", "iD12"], 2: ["iI12"], 3: ["iI0"], 4: ["iI0", "iD0"]}
    yield "an external force sensor", {1: ["external_force_torque"], 2: ["iI0", "external_force_torque"]}
    yield "a second mailbox", {1: ["iI18", "iI19", "iI20", "iI21", "iI22", "iD18"], 2: ["iD18"]}


def late_others():
    """Clients that write what ur_rtde writes, but for one thing each; all follow from the sixth package on."""
    known, old = Table("1.6.0").recipes, Table("1.2.0").recipes
    clear, move, joints = (4, [0]), (1, [3] + MOVEL), (1, [1] + MOVEL)
    yield "moves that nobody clears", known, [move] * 40
    yield "moves cleared twice only", known, [move, clear] * 2 + [(2, [11] + SERVO)] * 30
    yield "moves cleared by the recipe of the moves", known, [move, (1, [0] + MOVEL)] * 20
    yield "moves and clears, one of another code", known, [move, clear, (1, [6] + MOVEL), clear] * 10
    yield "moves and clears of another id", {**known, 7: ["iI0"]}, [move, (7, [0])] * 20
    yield "moves of one release, clears of another", {1: known[1], 5: old[5]}, [(1, [3] + MOVEL), (5, [0]), (2, [3] + MOVEL)] * 13
    yield "a servo alone", known, [(2, [11] + SERVO)] * 60
    yield "a counter and doubles", known, [(1, [i] + MOVEL) for i in range(1, 60)]
    yield "clears alone", known, [clear] * 60
    yield "a bit that is set and cleared", known, [(4, [8]), clear] * 20
    yield "bits that are set and cleared", known, [pair for i in (7, 8, 18, 19, 31, 42, 47) for pair in ((4, [i]), clear)] * 4
    yield "a number that ends a script", known, [(4, [255]), clear] * 20
    yield "a bit, cleared, and moves that are not", known, [(4, [8]), clear, move] * 20
    yield "clears and joints of id 2", {**known, 2: known[1]}, [(2, joints[1]), clear] * 20


def check_late_others():
    """Without their set-ups, other clients are not taken for ur_rtde; three commands that are cleared show it."""
    for what, recipes, written in late_others():
        capture = Capture()
        client = Client(capture, Table("1.6.0"), recipes=recipes, handshake=False)
        for _ in range(40):
            client.say(1)
        for number, values in written:
            client.write(number, values[0], values[1:], recipes.get(number, recipes[1]))
            client.say(1)
        client.close()
        expect("in mid-session, %s: no command" % what, commands(capture) == [], commands(capture)[:1])
    for before, move in ((2, True), (2, False), (30, True), (30, False)):
        capture = Capture()
        client = Client(capture, Table("1.6.0"), handshake=False)
        for _ in range(40):
            client.say(1)
        for _ in range(before):
            client.finish(47, 4)
        client.finish(*((3, 1, MOVEL) if move else (42, 4)))
        client.finish(47, 4)
        client.close()
        rows = [row["command"] for row in commands(capture)]
        expect("in mid-session, isSteady %d times, and moveL: %s" % (before, move), len(rows) >= 4 and rows[-2:] == ["moveL", "isSteady"]
               if move else rows == [], rows)
    for count in (2, 3):
        capture = Capture()
        client = Client(capture, Table("1.6.0"), handshake=False)
        for _ in range(40):
            client.say(1)
        for _ in range(count):
            client.finish(3, 1, MOVEL)
        client.close()
        got = commands(capture)
        expect("in mid-session, %d commands" % count, len(got) == (3 if count == 3 else 0), got)
        said = run(capture, "diagnose", "--json", "FILE").stdout
        expect("nothing is raised of %d" % count, '"command.' not in said, said)


def check_others():
    count = 0
    for what, recipes in others():
        for offset in (0, 24) if what != "registers of both ranges" else (0,):
            for comma in (",", ""):
                capture = Capture()
                client = Client(capture, Table("1.6.0"), offset, recipes=recipes, comma=comma)
                for i in range(40):
                    number = sorted(recipes)[i % len(recipes)]
                    values = [value if not isinstance(value, float) else value / 8 for value in wire.values_of(recipes[number], 0)]
                    fields = recipes[number]
                    client.say(1 + i % 2)
                    first = i % 7 if not fields[0].startswith("external") else [0] * 6
                    client.write(number, first, values)
                client.close()
                expect(what + ": no command", commands(capture) == [], what)
                said = run(capture, "diagnose", "--json", "FILE")
                found = {one["id"] for one in json.loads(said.stdout)["findings"] if one["id"].startswith("command.")}
                is_alike = what in ("one that lacks a field", "recipes of two releases")  # in its first four recipes
                expect(what + ": nothing is raised", found == ({"command.unknown"} if is_alike else set()), found)
                count += 1
    expect("there are others", count >= 20, count)


def main():
    for check in tally.share((
            check_all_releases, check_all_io, check_all_late, check_offset_of_script, check_late_ends,
            check_disagreement, check_script_later, check_other_script, check_later_script,
            check_scripts_of_sessions, check_scripts_in_a_session, check_script_with_a_hole, check_stops,
            check_endings, check_results, check_progress, check_unknown, check_losses, check_files, check_options,
            check_findings, check_seldom, check_slow_motions, check_proof, check_unknown_release, check_others,
            check_late_others), 9, "checks of commands"):
        check()
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
