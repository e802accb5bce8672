#!/usr/bin/env python3
"""Data whose handshake was not captured, in captures made here with struct: when names are guessed, that every command
says so and why, that --no-guess prevents it, and what the clock of opaque data tells."""
import csv
import io
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

from tally import share

ROBOT, CLIENT = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 9])
EPOCH = 1769860800
ARMTAP = os.environ.get("ARMTAP", "./armtap")
MANUAL = os.path.join(os.environ.get("builddir", "."), "generated", "armtap-info.1")
BY_POSITION = "rest only on their position in the recipe, since their values would also fit another field"
UNSUPPORTED = ["actual_q", "actual_qd", "speed_scaling", "target_speed_fraction", "runtime_state"]
failed = passed = 0


def check(what, good, found=None):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL %s%s" % (what, "" if found is None else ": %s" % (found,)))


# ---- captures

def package(payload):
    return struct.pack(">HB", len(payload) + 4, ord("U")) + b"\1" + payload


def driver(clock, time):
    """timestamp, actual_q, actual_qd, speed_scaling, target_speed_fraction, runtime_state: an early ROS driver's."""
    q = [0.5 * math.sin(1.5 * time + joint) + 0.3 * joint + 0.4 for joint in range(6)]
    qd = [0.75 * math.cos(1.5 * time + joint) for joint in range(6)]
    return struct.pack(">d6d6dddI", clock, *q, *qd, 1.0, 0.8, 2)


def stranger(clock, time):
    """The same number of bytes as the driver's: timestamp, a force, a register and a current of 6, speed_scaling, a line."""
    force = [40 + 3 * math.sin(9 * time + k) for k in range(6)]
    current = [math.cos(5 * time + k) for k in range(6)]
    return struct.pack(">d6d6dddI", clock, *force, *current, 250.0, 0.8, int(time))


def joints(_clock, time):
    """A demo's actual_q: as many bytes as a force, and nothing that distinguishes them."""
    return struct.pack(">6d", *(0.5 * math.sin(1.5 * time + joint) + 0.3 * joint + 0.4 for joint in range(6)))


def pushes(_clock, time):
    """A force of 40 N: not a joint's angle."""
    return struct.pack(">6d", *(40 + 3 * math.sin(9 * time + joint) for joint in range(6)))


def nothing(_clock, _time):
    """As long as a client's lower or upper registers: zeros are no evidence."""
    return bytes(64)


def capture(path, form, packages, step=0.008, left_out=(), pause=None):
    """Packages of a connection that was open before; `left_out` are numbers, `pause` (number, s) delays the rest."""
    seq, late = 1000, 0.0
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
        for i in range(packages):
            if pause and i == pause[0]:
                late = pause[1]
            if i in left_out:
                continue
            data = package(form(500 + step * i + late, step * i + late))
            tcp = struct.pack(">HHIIBBHHH", 30004, 50000, seq, 1, 0x50, 0x18, 8192, 0, 0)
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), i & 65535, 0, 64, 6, 0, ROBOT, CLIENT)
            seq += len(data)
            time = round((EPOCH + step * i + late) * 1e9)
            file.write(struct.pack("<IIII", time // 10**9, time % 10**9, 40 + len(data), 40 + len(data)))
            file.write(ip + tcp + data)
    return path


def armtap(*words, stdin=None):
    with open(stdin or os.devnull, "rb") as file:
        run = subprocess.run([ARMTAP, *words], stdin=file, capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


# ---- a recipe that is well known

def check_guessed(folder):
    path = capture(os.path.join(folder, "driver.pcap"), driver, 200)
    status, out, err = armtap("export", path)
    rows = rows_of(out)
    check("export of a guess: status", status == 0, (status, err))
    check("export names the fields", "actual_q_0" in rows[0] and "runtime_state" in rows[0], rows[0])
    check("export has every record", len(rows) == 201, len(rows))
    clocks = [float(row[rows[0].index("timestamp")]) for row in rows[1:]]
    check("export's values", clocks == [500 + 0.008 * i for i in range(200)])
    check("export says that names are guessed", "200 records are guessed" in err and "ur_robot_driver ROS 1" in err, err)
    status, out, err = armtap("export", path, "-o", os.path.join(folder, "out.ndjson"))
    check("export to a file says it too", status == 0 and "200 records are guessed" in err, err)
    status, out, err = armtap("export", "-", stdin=path)
    check("standard input: guessed when the evidence suffices", len(rows_of(out)) == 1 + 200 - 31, len(rows_of(out)))
    check("standard input says both", "169 records are guessed" in err and re.search("31 records .*have no known recipe", err), err)


def check_served(folder):
    path = os.path.join(folder, "driver.pcap")
    words = "serve", "--no-wait", "--speed", "100", "--ports", "30004=0", path
    status, _, err = armtap(*words)
    check("serve says that names are guessed", status == 0 and "the field names of 200 records are guessed" in err, err)
    status, _, err = armtap(*words, "--no-guess")
    check("serve says what it cannot play", status == 2 and "the fields of 200 records" in err and "--recipe FILE" in err, err)


def check_told(folder):
    path = os.path.join(folder, "driver.pcap")
    status, out, _ = armtap("info", "--json", path)
    guess = json.loads(out)["streams"][0]["guess"]
    check("info --json: keys", set(guess) == {"source", "score", "needed", "reasons", "by_position"}, guess)
    check("info --json: score", guess["score"] >= guess["needed"] > 0, guess)
    check("info --json: source", "until 2019-06-05" in guess["source"], guess)
    check("info --json: reasons", "timestamp keeps time" in guess["reasons"] and
          "actual_qd is the derivative of actual_q" in guess["reasons"], guess)
    # Time speaks for itself; the joints may be targets, a scale of 1 either of two, a state of 2 another mode.
    check("info --json: names by position", guess["by_position"] == UNSUPPORTED, guess)
    with open(MANUAL, encoding="utf-8") as file:
        info = file.read()
    for key in ["guess", *guess]:
        check("the manual knows %s" % key, re.search(r"\bQl %s\b" % key, info))
    check("info: status", status == 1, status)
    text = " ".join(armtap("info", path)[1].split())
    check("info lists names by position", "5 of 6 names " + BY_POSITION + ": " + " ".join(UNSUPPORTED) in text, text)
    check("info tells", "these names are guessed from ur_robot_driver ROS 1" in text, text)
    findings = json.loads(armtap("diagnose", "--json", path)[1])["findings"]
    notes = [finding["text"] for finding in findings if finding["id"] == "rtde.recipe.guessed"]
    check("the note has client, score and reasons", len(notes) == 1 and "ur_robot_driver" in notes[0] and
          "evidence" in notes[0] and "keeps time" in notes[0], notes)
    check("the note lists names by position", len(notes) == 1 and
          "5 of 6 names " + BY_POSITION + ": " + ", ".join(UNSUPPORTED) + ";" in notes[0], notes)
    _, _, err = armtap("export", path)
    check("export counts names by position", "5 of 6 names rest only on their position" in " ".join(err.split()), err)


def check_kept_out(folder):
    path = os.path.join(folder, "driver.pcap")
    for command, place in ((["export"], "not in"), (["export", "-f", "ndjson"], "without fields in"),
                           (["export", "-o", folder + "/opaque.mcap"], "not in"),
                           (["export", "-f", "mcap", "--dialect", "json", "-o", folder + "/opaque.mcap"], "not in")):
        _, out, err = armtap(*command, "--no-guess", path)
        check("%s --no-guess: no field" % command, "actual_q" not in out, out[:200])
        check("%s --no-guess: where they are" % command, "are %s the output" % place in err, err)
        check("%s --no-guess: whether there is a row" % command, ("has no row" in err) == (place == "not in"), err)
        check("%s --no-guess says that records are opaque" % command, re.search("200 records .*have no known recipe", err), err)
        check("%s --no-guess guesses nothing" % command, "guessed" not in err, err)
    _, out, _ = armtap("info", "--json", "--no-guess", path)
    stream = json.loads(out)["streams"][0]
    check("info --no-guess", stream["guess"] is None and stream["fields"] == [], stream)
    check("explain --no-guess", "actual_q" not in armtap("explain", path, "--packet", "9", "--no-guess")[1])
    check("explain guesses", "actual_q" in armtap("explain", path, "--packet", "9")[1])


# ---- one that nobody knows

def check_opaque(folder):
    path = capture(os.path.join(folder, "stranger.pcap"), stranger, 900, left_out=(300, 301, 302, 600))
    _, out, err = armtap("export", path)
    check("a stranger of a known length is not named", "guessed" not in err and "actual_q" not in out, (err, out[:100]))
    _, out, _ = armtap("info", "--json", path)
    stream = json.loads(out)["streams"][0]
    check("info of a stranger", stream["guess"] is None and stream["fields"] == [], stream)
    whole = json.loads(armtap("diagnose", "--json", path)[1])
    rates = whole["streams"][0]
    check("opaque data: the rate", rates["expected_hz"] == 125, rates)
    check("opaque data: skips", rates["skipped"] == 4, rates)
    check("opaque data: drift", rates["clock_offset_s"] is not None, rates)
    check("opaque data: a finding for each skip",
          [finding["id"] for finding in whole["findings"]].count("clock.skipped") == 2, whole["findings"])


# ---- one that may be a client's, and nothing proves it

def candidates_of(path, *words):
    return json.loads(armtap("info", "--json", *words, path)[1])["streams"][0]["candidates"]


def check_candidate(folder):
    path = capture(os.path.join(folder, "joints.pcap"), joints, 100)
    status, out, err = armtap("export", path)
    err = " ".join(err.split())
    check("a candidate names nothing", status == 0 and out.strip() in ("", "time") and "guessed" not in err, (out, err))
    check("export says which recipe it may be", "has the length of a well-known recipe, and neither proves nor contradicts it: "
          "@csharp-demo (Ur_Rtde C# demo)" in err, err)
    command = re.search(r"run: armtap (export --recipe @csharp-demo \S+joints\.pcap)", err)
    check("export has a command", command, err)
    rows = rows_of(armtap(*command.group(1).split())[1]) if command else [[]]
    check("the command shows the fields", len(rows) == 101 and "actual_q_5" in rows[0], rows[0])
    check("info --json: candidates", candidates_of(path) ==
          [{"name": "csharp-demo", "client": "Ur_Rtde C# demo", "fields": ["actual_q"]}], candidates_of(path))
    check("info --json: neither fields nor guess", '"fields": [],\n      "guess": null' in armtap("info", "--json", path)[1])
    check("--no-guess lists none", candidates_of(path, "--no-guess") == [], candidates_of(path, "--no-guess"))
    text = " ".join(armtap("info", path)[1].split())
    check("info says which recipe it may be", "neither proves nor contradicts it: @csharp-demo, Ur_Rtde C# demo: actual_q "
          "if that is the client, run: armtap export --recipe @csharp-demo" in text, text)
    findings = json.loads(armtap("diagnose", "--json", path)[1])["findings"]
    notes = [finding["text"] for finding in findings if finding["id"] == "rtde.recipe.missing"]
    check("the note names the candidate", len(notes) == 1 and notes[0].endswith("contradicts: @csharp-demo"), notes)
    _, out, err = armtap("export", "-", stdin=path)
    check("standard input: the candidate, no command", "@csharp-demo (Ur_Rtde C# demo)" in err and "run:" not in err, err)


def check_no_candidate(folder):
    path = capture(os.path.join(folder, "pushes.pcap"), pushes, 100)
    check("what contradicts a recipe leaves no candidate", candidates_of(path) == [], candidates_of(path))
    check("nor a word of one", "neither proves nor contradicts" not in armtap("export", path)[2] + armtap("info", path)[1])
    check("a guess is no candidate", candidates_of(os.path.join(folder, "driver.pcap")) == [])
    late = capture(os.path.join(folder, "late.pcap"), lambda clock, time: (pushes if time > 0.6 else joints)(clock, time), 200)
    check("nor one that later data contradicts", candidates_of(late) == [], candidates_of(late))
    with open(late, "rb") as file:
        check("nor on standard input", '"candidates": []' in armtap("info", "--json", "-", stdin=file.name)[1])


def check_several(folder):
    path = capture(os.path.join(folder, "nothing.pcap"), nothing, 100)
    names = [candidate["name"] for candidate in candidates_of(path)]
    check("two candidates", names == ["ur_rtde-control-1.1.0", "ur_rtde-control-1.3.9-upper"], names)
    text = " ".join(armtap("info", path)[1].split())
    check("info shows the fields of both", "output_double_register_5 @" in text and "output_double_register_29 if" in text, text)
    err = armtap("export", path)[2]
    check("export lists both", all("@" + name in err for name in names) and "contradicts them" in err, err)


# ---- why a well-known recipe of the data's length is not taken

def record_py(exchanged, moves=True):
    """Packages of UR record.py's recipe, or of one of its length: with two of its fields exchanged."""
    names = known_recipes()["record.py-2.6.0"]
    kinds = {field["name"]: field["type"] for field in json.loads(run("fields", "--json").stdout)}
    sent = [exchanged.get(name, name) for name in names]
    layout = ">" + "".join(LETTERS[kinds[name]] for name in sent)
    return lambda clock, time: struct.pack(layout, *(item for name in sent for item in value_of(
        name, kinds[name], clock, time if moves else 0.0)))


def not_taken(path, *words):
    """diagnose's findings about it."""
    findings = json.loads(run("diagnose", "--json", *words, path).stdout)["findings"]
    return [one for one in findings if one["id"] == "rtde.recipe.not-taken"]


def check_not_taken(folder):
    both = ("joint_temperatures", "actual_joint_voltage")
    path = capture(os.path.join(folder, "exchanged.pcap"), record_py(dict(zip(both, both[::-1]))), 250)
    stream = json.loads(run("info", "--json", path).stdout)["streams"][0]
    check("exchanged fields are not named", stream["fields"] == [] and stream["guess"] is None, stream["fields"])
    notes = not_taken(path)
    check("exchanged: said once", len(notes) == 1, notes)
    said = notes[0]["args"] if notes else {}
    check("exchanged: whose recipe", said.get("recipe_name") == "record.py-2.6.0" and "UR record.py" in said.get("source", ""), said)
    check("exchanged: which fields", {said.get("field"), said.get("field_fits")} == set(both), said)
    check("exchanged: no points", "points" not in said and "points_needed" not in said, said)
    check("exchanged: in words", notes and all(word in notes[0]["text"] for word in ("@record.py-2.6.0", *both)), notes)
    text = " ".join(run("info", path).stdout.split())
    check("exchanged: info says it", "rtde.recipe.not-taken" in text and "@record.py-2.6.0" in text and
          all(name in text for name in both), text)
    check("exchanged: diagnose says it", "rtde.recipe.not-taken" in run("diagnose", path).stdout)
    with open(path, "rb") as file:
        piped = subprocess.run([ARMTAP, "diagnose", "--json", "-"], stdin=file, capture_output=True, text=True, check=False)
    live = [one for one in json.loads(piped.stdout)["findings"] if one["id"] == "rtde.recipe.not-taken"]
    check("exchanged, on standard input: once, with the same fields", len(live) == 1 and
          {live[0]["args"].get("field"), live[0]["args"].get("field_fits")} == set(both), live)
    check("exchanged: --no-guess says nothing", not not_taken(path, "--no-guess"))
    path = capture(os.path.join(folder, "record.pcap"), record_py({}), 250)
    check("the recipe itself is taken", json.loads(run("info", "--json", path).stdout)["streams"][0]["guess"] is not None)
    check("the recipe itself: nothing is said", not not_taken(path), not_taken(path))


def turns(clock, time):
    """A driver's data, until its joints move away from their speeds."""
    whole = driver(clock, time)
    return whole if time < 0.35 else whole[:8] + struct.pack(">6d", *(0.2 * math.sin(9 * time + k) for k in range(6))) + whole[56:]


def check_ruled_out(folder):
    path = capture(os.path.join(folder, "turns.pcap"), turns, 400)
    notes = not_taken(path)
    check("what a first reading ruled out: against which field", len(notes) == 1 and notes[0]["args"].get("field") == "actual_q", notes)


def check_points_lacking(folder):
    path = os.path.join(folder, "joints.pcap")
    notes = not_taken(path)
    said = notes[0]["args"] if len(notes) == 1 else {}
    check("too little evidence: whose recipe", said.get("recipe_name") == "csharp-demo", notes)
    check("too little evidence: points", "field" not in said and said.get("points", 99) < said.get("points_needed", 0), said)
    check("too little evidence: in words", notes and "%s of %s evidence points" % (said.get("points"), said.get("points_needed")) in notes[0]["text"], notes)
    notes = not_taken(os.path.join(folder, "nothing.pcap"))
    check("nothing moves: each recipe of that length, its points", [one["args"].get("recipe_name") for one in notes] ==
          ["ur_rtde-control-1.1.0", "ur_rtde-control-1.3.9-upper"] and all("points" in one["args"] for one in notes), notes)
    path = capture(os.path.join(folder, "few.pcap"), driver, 20)
    notes = not_taken(path)
    check("too few packages: how many", [(one["args"].get("packages"), "points" in one["args"]) for one in notes] == [(20, False)] and
          "20 packages are too few" in notes[0]["text"], notes)
    with open(path, "rb") as file:
        live = subprocess.run([ARMTAP, "diagnose", "--json", "-"], stdin=file, capture_output=True, text=True, check=False)
    check("too few packages, on standard input: once", live.stdout.count('"rtde.recipe.not-taken"') >= 1 and
          live.stdout.count("20 packages are too few") == 1, live.stdout[:600])
    path = capture(os.path.join(folder, "two.pcap"), lambda clock, time: driver(clock, time) + bytes(8 if time > 0.1 else 0), 25)
    check("too few packages of several lengths: nothing is said", not not_taken(path), not_taken(path))
    path = capture(os.path.join(folder, "other.pcap"), lambda clock, time: stranger(clock, time) + bytes(5), 250)
    check("a length that nobody has: nothing is said", not not_taken(path), not_taken(path))
    check("one that somebody has: something is", len(not_taken(os.path.join(folder, "stranger.pcap"))) == 1)


def check_silence(folder):
    path = capture(os.path.join(folder, "silent.pcap"), stranger, 600, pause=(300, 3.5))
    whole = json.loads(armtap("diagnose", "--json", path)[1])
    silences = [finding["text"] for finding in whole["findings"] if finding["id"] == "silence"]
    check("opaque data: silence", len(silences) == 1, whole["findings"])


# ---- only the robot's direction was captured, with the reply to the set-up

KNOWN = os.path.join(os.environ.get("srcdir", "."), "decoders", "rtde_known.def")
LETTERS = {"DOUBLE": "d", "UINT64": "Q", "UINT32": "I", "INT32": "i", "UINT8": "B", "BOOL": "?", "VECTOR6D": "6d",
           "VECTOR3D": "3d", "VECTOR6INT32": "6i", "VECTOR6UINT32": "6I"}
STEADY = {"robot_mode": 7, "safety_mode": 1, "safety_status": 1, "runtime_state": 2, "robot_status_bits": 3,
          "safety_status_bits": 1, "speed_scaling": 1.0, "target_speed_fraction": 1.0, "joint_mode": [253] * 6,
          "joint_temperatures": [31.5] * 6, "actual_main_voltage": 48.1, "actual_robot_voltage": 48.0,
          "actual_joint_voltage": [47.9] * 6, "tool_temperature": 30.5, "tool_mode": 253, "payload": 1.5,
          "tool_output_voltage": 24}


def known_recipes():
    with open(KNOWN, encoding="utf-8") as file:
        rows = re.findall(r'KNOWN\("([^"]+)", "[^"]+", \d+,([^)]*)\)', file.read())
    return {name: "".join(re.findall(r'"([^"]*)"', names)).split(",") for name, names in rows}


def value_of(name, kind, clock, time):
    """What a robot that moves would send."""
    wave = [0.5 * math.sin(1.5 * time + joint) + 0.3 * joint + 0.4 for joint in range(6)]
    steep = [0.75 * math.cos(1.5 * time + joint) for joint in range(6)]
    value = STEADY.get(name, 0)
    if name == "timestamp":
        value = clock
    elif name.endswith("_q"):
        value = wave
    elif name.endswith("_qd"):
        value = steep
    elif name.endswith("_qdd"):
        value = [-1.125 * math.sin(1.5 * time + joint) for joint in range(6)]
    elif name.endswith("TCP_pose"):
        value = [0.1 * wave[i] + (0.2 if i < 3 else 1.0) for i in range(6)]
    elif name.endswith("TCP_speed"):
        value = [0.1 * steep[i] for i in range(6)]
    elif name == "actual_momentum":
        value = 2 * sum(abs(speed) for speed in steep)
    count = int(LETTERS[kind][0]) if LETTERS[kind][0].isdigit() else 1
    return value if isinstance(value, list) else [value] * count


def write_reply_only(path, names, types, protocol, step):
    layout = ">" + "".join(LETTERS[kind] for kind in types)
    sent = struct.pack(">HBB", 4, ord("V"), 1) if protocol > 1 else b""
    reply = (b"\1" if protocol > 1 else b"") + ",".join(types).encode()
    sent += struct.pack(">HB", 3 + len(reply), ord("O")) + reply + struct.pack(">HBB", 4, ord("S"), 1)
    parts = [(0.0, sent)]
    for i in range(200):
        values = [item for name, kind in zip(names, types) for item in value_of(name, kind, 900 + step * i, step * i)]
        payload = (b"\1" if protocol > 1 else b"") + struct.pack(layout, *values)
        parts.append((0.01 + step * i, struct.pack(">HB", 3 + len(payload), ord("U")) + payload))
    sequence = 1001
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, payload, flags in [(0.0, b"", 0x12)] + [(time, payload, 0x18) for time, payload in parts]:
            tcp = struct.pack(">HHIIBBHHH", 30004, 50000, sequence - (flags == 0x12), 2001, 5 << 4, flags, 65535, 0, 0)
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0, ROBOT, CLIENT)
            frame = bytes(12) + b"\x08\0" + ip + tcp + payload
            file.write(struct.pack("<4I", EPOCH, round(time * 1e9), len(frame), len(frame)) + frame)
            sequence += len(payload)


def run(*words):
    return subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)


def check_reply_only(folder):
    """The types of a reply narrow the well-known recipes: names that all of them share are given, as guessed; no command
    says otherwise, and infer keeps to the types."""
    path, named = os.path.join(folder, "reply.pcap"), 0
    kinds = {field["name"]: field["type"] for field in json.loads(run("fields", "--json").stdout)}
    recipes = known_recipes()
    typed = {name: [kinds[field] for field in fields] for name, fields in recipes.items()}
    chosen = share(list(recipes.items())[::3], 4, "recipes of which only the reply is known")
    for number, (name, fields) in enumerate(chosen):
        types, protocol, step = typed[name], 1 + number % 2, (0.002, 0.008)[number // 2 % 2]
        alike = [other for other in recipes if typed[other] == types]
        write_reply_only(path, fields, types, protocol, step)
        what = "%s, protocol %d" % (name, protocol)
        stream = json.loads(run("info", "--json", path).stdout)["streams"][0]
        check(what + ": 2 or 3 is not known", stream["version"] == (1 if protocol == 1 else None), stream["version"])
        invented = ["value_%d" % i for i in range(len(fields))]
        wrong = [(got, true) for got, true, number in zip(stream["fields"], fields, invented) if got not in (true, number)]
        check(what + ": no wrong name", len(stream["fields"]) == len(fields) and not wrong, wrong)
        shared = [field if all(recipes[other][i] == field for other in alike) else invented[i]
                  for i, field in enumerate(fields)]
        if stream["fields"] != invented:
            check(what + ": the names that all share", stream["fields"] == shared, stream["fields"])
        elif len(fields) >= 8 and "timestamp" in fields:
            check(what + ": has names", False, stream["fields"])
        is_guessed = stream["fields"] != invented
        named += is_guessed
        check(what + ": is a guess", (stream["guess"] is not None) == is_guessed, stream["guess"])
        found = {one["id"]: one["text"] for one in json.loads(run("diagnose", "--json", path).stdout)["findings"]}
        check(what + ": diagnose", ("rtde.recipe.guessed" in found) == is_guessed and
              ("rtde.recipe.missing" in found) != is_guessed, found)
        if is_guessed:
            check(what + ": whose types", "their types are from the controller's reply" in found["rtde.recipe.guessed"], found)
        export = run("export", path)
        check(what + ": export", ("only the controller's reply of its handshake was captured, which has their types" in export.stderr) ==
              is_guessed, export.stderr)
        plain = run("export", "--no-guess", path)
        check(what + ": --no-guess", plain.stdout.split("\n")[0].startswith("time,value_0"), plain.stdout[:80])
        if number % 4 == 0 and len(fields) > 1:
            inferred = json.loads(run("infer", "--json", path).stdout)
            check(what + ": infer has the types", [field["type"] for field in inferred["fields"]] == types,
                  [field["type"] for field in inferred["fields"]])
            check(what + ": infer says whose types", "types are known from the controller's reply" in run("infer", path).stdout)
            both = run("infer", "--no-handshake", path)
            check(what + ": infer and its placeholders", "is wrong" not in both.stderr and "value_" not in both.stderr,
                  both.stderr)
    check("most are named", named >= len(chosen) * 2 // 3, (named, len(chosen)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (check_guessed, check_served, check_told, check_kept_out, check_opaque, check_candidate, check_no_candidate,
                     check_several, check_not_taken, check_ruled_out, check_points_lacking, check_silence, check_reply_only):
            test(folder)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
