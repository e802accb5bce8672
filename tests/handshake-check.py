#!/usr/bin/env python3
"""Failed RTDE handshakes, in captures made here with struct, of a controller whose releases, fields and mistakes are known:
what diagnose says about each refused name, which recipe `recipe --accepted` prints, the values after a type that armtap
does not know, and what explain and info show. Which release introduced a field is read from `armtap fields --json` and
evaluated here independently. tests/handshake-check.py [SEED [ROUNDS]]."""
import csv
import io
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from tally import ALL

ARMTAP = os.environ.get("ARMTAP", "./armtap")
ROBOT, OTHER, CLIENT = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 3]), bytes([10, 0, 0, 9])
EPOCH = 1769860800
SERIES = {3: "CB3", 5: "e-Series", 10: "PolyScope X"}
RELEASES = [(3, 4, 5, 100), (3, 9, 0, 1), (3, 15, 8, 106339), (5, 0, 0, 7), (5, 3, 9, 2), (5, 9, 4, 10), (5, 26, 0, 4),
            (10, 3, 0, 1), (10, 12, 1, 9)]


class Connection:
    """Packets of a TCP connection: (time, bytes)."""

    def __init__(self, client_port, robot=ROBOT, at=0.0, port=30004):
        self.ends = {"r": (robot, port), "c": (CLIENT, client_port)}
        self.sequence = {"r": 1000, "c": 2000}
        self.packets = []
        self.time = at
        self.send("c", b"", 0x02)
        self.send("r", b"", 0x12)

    def send(self, sender, payload, flags=0x18):
        receiver = "c" if sender == "r" else "r"
        (source, source_port), (to, to_port) = self.ends[sender], self.ends[receiver]
        tcp = struct.pack(">HHIIBBHHH", source_port, to_port, self.sequence[sender], self.sequence[receiver], 5 << 4, flags,
                          65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), len(self.packets) + 1, 0, 64, 6, 0, source, to)
        self.packets.append((self.time, bytes(12) + b"\x08\0" + ip + tcp + payload))
        self.sequence[sender] += len(payload) + bool(flags & 3)
        self.time += 0.001

    def ask(self, kind, payload=b""):
        self.send("c", struct.pack(">HB", 3 + len(payload), ord(kind)) + payload)

    def reply(self, kind, payload=b""):
        self.send("r", struct.pack(">HB", 3 + len(payload), ord(kind)) + payload)

    def negotiate(self, version=2):
        self.ask("V", struct.pack(">H", version))
        self.reply("V", b"\1")

    def tell_release(self, release):
        self.ask("v")
        self.reply("v", struct.pack(">4I", *release))


def write(path, *connections):
    packets = sorted((packet for connection in connections for packet in connection.packets), key=lambda one: one[0])
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, packet in packets:
            seconds, ns = divmod(round(time * 1e9), 10**9)
            file.write(struct.pack("<4I", EPOCH + seconds, ns, len(packet), len(packet)) + packet)
    return path


def armtap(*arguments, status):
    run = subprocess.run([ARMTAP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                         timeout=60, check=False)
    assert run.returncode == status, (arguments, run.returncode, run.stdout[-800:], run.stderr)
    return run


def findings(path):
    return json.loads(armtap("diagnose", "--json", path, status=1).stdout)["findings"]


# ---- a controller of a release -------------------------------------------------------------------------------------------

def outputs():
    return {field["name"]: field for field in json.loads(armtap("fields", "--json", status=0).stdout)
            if field["direction"] in ("output", "both")}


def numbers(text):
    return tuple(int(part) for part in text.split(".")) + (0,) * (2 - text.count("."))


def knows(release, since):
    """Whether a controller has a field; a series begins with all fields of the one before."""
    firsts = [numbers(first) for first in (since or "").split(" / ") if first]
    own = [first for first in firsts if first[0] == release[0]]
    if own:
        return own[0] <= release[:3]
    return not firsts or min(firsts)[0] < release[0]


def reason(release, since):
    """What diagnose must say of a name that a controller of that release does not know."""
    firsts = since.split(" / ")
    own = [first for first in firsts if numbers(first)[0] == release[0]]
    version = ".".join(str(part) for part in release)
    if own:
        return {"reason": "release-older", "release_since": own[0], "release": version}
    listed = ", ".join("%s (%s)" % (first, SERIES[numbers(first)[0]]) for first in firsts)
    return {"reason": "release-never", "release_since": listed, "series": SERIES[release[0]], "release": version}


def said(found, kind):
    """The arguments of all findings of a kind."""
    return [one["args"] for one in found if one["id"] == kind]


def name_in(args):
    """The name that a finding is about: of the dictionary, or only on the wire."""
    return args.get("field") or args.get("quoted_name")


def without_name(args):
    return {key: value for key, value in args.items() if key not in ("field", "quoted_name")}


def slip(name, rng):
    """A name with a letter missing, in capitals, or in the form of a column's name."""
    way = rng.randrange(3)
    letters = [i for i in range(1, len(name) - 1) if name[i].isalpha() and name[i - 1] != "_" and name[i + 1] != "_"]
    if way == 0 and len(name) > 12 and letters:
        at = rng.choice(letters)
        return name[:at] + name[at + 1:]
    return name.upper() if way == 1 or not name.islower() else "get" + name.title().replace("_", "")


def play(rng, fields, path):
    """A refused set-up. Returns what must be found: names and arguments, the packet of the reply, the accepted part of the recipe."""
    release, way = rng.choice(RELEASES), rng.choice(["2", "2", "2", "1", "not negotiated"])
    dated = [name for name in fields if fields[name]["since"] and not knows(release, fields[name]["since"])]
    known = [name for name in fields if knows(release, fields[name]["since"])]
    names, types, refused, left = ["timestamp"], ["DOUBLE"], [], [("timestamp", "DOUBLE")]
    for _ in range(rng.randrange(3, 9)):
        kind = rng.choice(["known", "known", "dated", "slip", "nonsense"])
        if kind == "dated" and dated:
            name = rng.choice(dated)
            names.append(name), types.append("NOT_FOUND")
            refused.append((name, reason(release, fields[name]["since"])))
        elif kind == "slip":
            meant = rng.choice(known)
            name = slip(meant, rng)
            if name in fields:
                continue
            names.append(name), types.append("NOT_FOUND")
            refused.append((name, {"reason": "misspelt", "field_meant": meant}))
        elif kind == "nonsense":
            name = "zz" + "".join(rng.choice("bcdfghjk_") for _ in range(rng.randrange(5, 30))) + "x"
            names.append(name), types.append("NOT_FOUND")
            refused.append((name, {"reason": "never-heard-of"}))
        else:
            name = rng.choice(known)
            names.append(name), types.append(fields[name]["type"])
            left.append((name, fields[name]["type"]))
    if not refused and way != "not negotiated":
        names.append("zzz"), types.append("NOT_FOUND")
        refused.append(("zzz", {"reason": "never-heard-of"}))
    own, other = Connection(50000, at=0.1), Connection(50001, at=rng.choice([0.0, 0.5]))
    frequency = struct.pack(">d", rng.choice([1, 14, 14, 14, 125, 500]))
    if way == "2":
        own.negotiate()
    (own if rng.random() < 0.5 else other).tell_release(release)
    own.ask("O", (b"" if way == "1" else frequency) + ",".join(names).encode())
    if way == "not negotiated":
        types[0] = ",".join(["NOT_FOUND"] * (1 + frequency.count(b",")))
    own.reply("O", (b"\0" if way == "2" else b"") + ",".join(types).encode())
    write(path, own, other)
    packets = sorted(own.packets + other.packets, key=lambda one: one[0])
    return way, refused, 1 + packets.index(own.packets[-1]), left


def check_refusals(folder, rng, rounds):
    path, fields = os.path.join(folder, "refused.pcap"), outputs()
    many = 0
    for _ in range(rounds):
        way, refused, packet, left = play(rng, fields, path)
        found = findings(path)
        assert all(one["packet"] == packet for one in found), (way, packet, found)
        told = sorted((name_in(one), sorted(without_name(one).items())) for one in said(found, "rtde.field.not-found"))
        wanted = sorted((name, sorted(args.items())) for name, args in refused)
        once = [one for i, one in enumerate(wanted) if i == 0 or wanted[i - 1] != one]
        assert told in (once, wanted), (found, wanted)
        wrong = said(found, "rtde.version.not-negotiated")
        assert len(wrong) == (way == "not negotiated"), (way, wrong)
        assert not wrong or name_in(wrong[0]) == "timestamp", wrong
        shown = " ".join(armtap("info", path, status=1).stdout.split())
        assert all(one["text"] in shown for one in found if one["id"] == "rtde.version.not-negotiated"), (shown, wrong)
        run = armtap("recipe", "--from", path, "--accepted", "--packet", str(packet), status=0)
        recipe = xml.etree.ElementTree.fromstring(run.stdout).find("recipe")
        assert [(field.get("name"), field.get("type")) for field in recipe] == left, (run.stdout, left)
        assert run.stderr.count(" is omitted: the controller does not know it") == len(once), (run.stderr, once)
        assert ("the controller misread" in run.stderr) == (way == "not negotiated"), run.stderr
        assert armtap("recipe", "--from", path, "--accepted", status=0).stdout == run.stdout
        plain = armtap("recipe", "--from", path, "--accepted", "--plain", status=0).stdout
        assert plain == "".join("%s %s\n" % pair for pair in left), plain
        many += len(refused) + len(wrong)
    print("refused set-ups: %d, %d findings, each as the controller's release says" % (rounds, many))


def misread(names, types):
    """What a controller that has accepted protocol 2 makes of names without a frequency: the first 8 bytes are one. Returns its
    reply, what is left of the first name that it read, and the list of those of which it read nothing or a part."""
    text = ",".join(names)
    read = text[8:].split(",")
    whole = text[7] == ","
    known = dict(zip(names, types))
    reply = ["NOT_FOUND" if i == 0 and not whole else known[name] for i, name in enumerate(read)]
    cut = names[:len(names) - len(read) + (0 if whole else 1)]
    return reply, names[len(names) - len(read)], cut


def check_no_frequency(folder, rng, rounds):
    """Protocol 2 was accepted, but the set-up has no frequency: this is reported, with the bytes that were taken for it."""
    path, fields = os.path.join(folder, "frequency.pcap"), outputs()
    for number in range(rounds):
        names = rng.sample(sorted(set(fields) - {"payload"}), rng.randrange(1, 6))
        if number % 3 == 0:
            names.insert(0, "payload")
        types = [fields[name]["type"] for name in names]
        if ",".join(names)[8:] == "":
            continue
        reply, first, cut = misread(names, types)
        own = Connection(50000)
        own.negotiate()
        own.ask("O", ",".join(names).encode())
        own.reply("O", (b"\0" if "NOT_FOUND" in reply else b"\1") + ",".join(reply).encode())
        found = findings(write(path, own))
        assert [one["id"] for one in found if one["severity"] == "error"] == ["rtde.frequency.missing"], (names, found)
        args = found[0]["args"]
        assert (args["quoted"], name_in(args)) == (",".join(names)[:8], first), (names, args)
        run = armtap("recipe", "--from", path, "--accepted", "--plain", status=0)
        assert run.stdout == "".join("%s %s\n" % pair for pair in zip(names, types)), (names, run)
        assert run.stderr.count("the client's setup lacks the frequency that protocol 2 puts first") == len(cut), run
        assert all("misread %s," % name in run.stderr for name in cut), (cut, run.stderr)
    print("set-ups without a frequency: %d" % rounds)


def check_several(folder, rng, rounds):
    """The release arrives late, inputs, several set-ups and streams: which one is meant, and what is accepted."""
    del rng, rounds
    late, own = Connection(50001, at=0.5), Connection(50000)
    own.negotiate()
    own.ask("O", struct.pack(">d", 125) + b"timestamp,ft_raw_wrench")
    own.reply("O", b"\0DOUBLE,NOT_FOUND")
    for register in (0, 1, 2):
        own.ask("I", b"input_int_register_%d,input_double_register_%d,configurable_digital_output" % (register, register))
        own.reply("I", b"\0IN_USE,DOUBLE,UINT8")
    own.ask("I", b"speed_slider_mask")
    own.reply("I", b"\1UINT32")
    late.tell_release((3, 15, 8, 1))
    elsewhere = Connection(50002, robot=OTHER, at=0.9)
    elsewhere.tell_release((5, 9, 4, 1))
    path = write(os.path.join(folder, "several.pcap"), own, late, elsewhere)
    found = findings(path)
    assert found[0]["args"] == {"field": "ft_raw_wrench", "reason": "release-never", "release_since": "5.9.0 (e-Series)",
                                "series": "CB3", "release": "3.15.8.1"}, found
    assert [one["id"] for one in found].count("rtde.field.in-use") == 3, found
    assert armtap("recipe", "--from", path, "--accepted", "--plain", status=0).stdout == "timestamp DOUBLE\n"
    for number, one in enumerate(one for one in found if one["id"] == "rtde.field.in-use"):
        wanted = "input_double_register_%d DOUBLE\nconfigurable_digital_output UINT8\n" % number
        run = armtap("recipe", "--from", path, "--accepted", "--packet", str(one["packet"]), "--plain", status=0)
        assert run.stdout == wanted and "input_int_register_%d is omitted" % number in run.stderr, run
        by_number = armtap("recipe", "--from", path, "--accepted", "--to-robot", "--setup", str(number + 1), "--plain",
                           status=0)
        assert by_number.stdout == wanted, by_number
    last = armtap("recipe", "--from", path, "--accepted", "--to-robot", "--plain", status=0)
    assert last.stdout == wanted and "3 partly refused setups" in last.stderr, last
    accepted = armtap("recipe", "--from", path, "--to-robot", "--plain", status=0)
    assert accepted.stdout == "speed_slider_mask UINT32\n", accepted


def check_streams(folder, rng, rounds):
    """Two clients were refused: the user must choose one; a client whose fields were all accepted does not count."""
    del rng, rounds
    clients = [Connection(50000 + i, at=i * 0.1) for i in range(3)]
    for client, name in zip(clients, (b"actual_Q", b"actual_q", b"actual_tcp_pose")):
        client.negotiate()
        client.ask("O", struct.pack(">d", 125) + b"timestamp," + name)
        client.reply("O", b"\1DOUBLE,VECTOR6D" if name == b"actual_q" else b"\0DOUBLE,NOT_FOUND")
    path = write(os.path.join(folder, "streams.pcap"), *clients)
    refused = armtap("recipe", "--from", path, "--accepted", status=2)
    assert "streams 0, 2 have recipes; choose one with --stream N" in refused.stderr, refused
    for stream, wanted in ((0, "timestamp DOUBLE\n"), (1, "timestamp DOUBLE\nactual_q VECTOR6D\n"), (2, "timestamp DOUBLE\n")):
        run = armtap("recipe", "--from", path, "--accepted", "--stream", str(stream), "--plain", status=0)
        assert run.stdout == wanted, (stream, run)
    first = write(os.path.join(folder, "one.pcap"), *clients[:2])
    assert armtap("recipe", "--from", first, "--accepted", "--plain", status=0).stdout == "timestamp DOUBLE\n"


# ---- a type that armtap does not know ------------------------------------------------------------------------------------

FORMS = {"DOUBLE": "d", "INT32": "i", "UINT32": "I", "UINT64": "Q", "UINT8": "B", "VECTOR6D": "6d", "VECTOR3D": "3d",
         "VECTOR6INT32": "6i"}


def unknown_type(rng, fields, path):
    """The name whose type is not known, and the values of every package, its own in hex."""
    names = rng.sample([name for name in fields if fields[name]["type"] in FORMS and name != "timestamp" and
                        fields[name]["unit"] != "enum"], 5)
    names.insert(rng.randrange(6), "timestamp")
    strange, size = rng.randrange(6), rng.choice([1, 2, 4, 8, 12, 32])
    types = [fields[name]["type"] for name in names]
    connection, rows = Connection(50000), []
    connection.negotiate()
    connection.ask("O", struct.pack(">d", 125) + ",".join(names).encode())
    connection.reply("O", b"\1" + ",".join("QUATERNION" if i == strange else t for i, t in enumerate(types)).encode())
    connection.ask("S")
    connection.reply("S", b"\1")
    for step in range(20):
        payload, row = b"\1", []
        for i, form in enumerate(FORMS[t] for t in types):
            count = int(form[0]) if form[0].isdigit() else 1
            values = [0.008 * (step + 1) if names[i] == "timestamp" else rng.random() if form[-1] == "d" else
                      rng.randrange(100) for _ in range(count)]
            junk = bytes(rng.randrange(256) for _ in range(size))
            payload += junk if i == strange else struct.pack(">" + form, *values)
            row += [junk.hex()] if i == strange else values
        connection.reply("U", payload)
        connection.time += 0.007
        rows.append(row)
    write(path, connection)
    return names[strange], rows


def check_unknown_types(folder, rng, rounds):
    path, fields, values = os.path.join(folder, "unknown.pcap"), outputs(), 0
    for _ in range(rounds):
        name, rows = unknown_type(rng, fields, path)
        found = findings(path)
        warnings = [one["id"] for one in found if one["severity"] == "warning" and one["id"] != "program.ended"]  # random bits
        assert warnings == ["rtde.type.unknown"], found
        assert (name_in(found[0]["args"]), found[0]["args"]["quoted_type"]) == (name, "QUATERNION"), found
        exported = list(csv.reader(io.StringIO(armtap("export", path, status=0).stdout)))
        assert name in exported[0] and len(exported) == 21, (name, exported[:2])
        for row, cells in zip(rows, exported[1:]):
            for value, cell in zip(row, cells[1:]):
                assert cell == value if isinstance(value, str) else float(cell) == value, (value, cell, exported[0])
                values += 1
        last = 5 + 20
        explained = armtap("explain", path, "--packet", str(last + 2), status=0).stdout
        assert name in explained and "timestamp" in explained, explained
    print("a type that is not known: %d captures, %d values beside it, all as sent" % (rounds, values))


# ---- names with blanks in them -------------------------------------------------------------------------------------------

def check_blanks_in_names(folder, rng, rounds):
    """recipe --from: the XML has the names that were sent, and names the data of a capture without its set-up."""
    path, data, recipe = (os.path.join(folder, name) for name in ("names.pcap", "data.pcap", "r.xml"))
    for _ in range(max(1, rounds // 8)):
        name = "odd" + rng.choice(" \t\r\n") + rng.choice(["", " ", "\t"]) + "name"
        connection = Connection(50000)
        connection.negotiate()
        connection.ask("O", struct.pack(">d", 125) + b"timestamp," + name.encode())
        connection.reply("O", b"\1DOUBLE,INT32")
        connection.ask("S")
        connection.reply("S", b"\1")
        begin = len(connection.packets)
        for step in range(20):
            connection.reply("U", b"\1" + struct.pack(">di", 0.008 * step, step))
            connection.time += 0.007
        run = armtap("recipe", "--from", write(path, connection), status=0)
        fields = xml.etree.ElementTree.fromstring(run.stdout).iter("field")
        assert [field.get("name") for field in fields] == ["timestamp", name] and run.stderr == "", (name, run)
        plain = armtap("recipe", "--from", path, "--plain", status=0)
        assert "odd?" in plain.stdout and "1 name is changed" in plain.stderr, plain
        with open(recipe, "w", encoding="ascii") as file:
            file.write(run.stdout)
        connection.packets = connection.packets[begin:]
        rows = [json.loads(line) for line in armtap("export", "-f", "ndjson", "--recipe", recipe, write(data, connection),
                                                    status=0).stdout.splitlines()]
        assert [row[name] for row in rows] == list(range(20)), rows[:2]


# ---- the rest ------------------------------------------------------------------------------------------------------------

def check_unreadable(folder, rng, rounds):
    """Replies of random bytes: reported with their bytes, and as the reason why the data is not decoded."""
    path = os.path.join(folder, "bad.pcap")
    for _ in range(rounds):
        junk = b"\1" + bytes(rng.randrange(128, 256) for _ in range(rng.randrange(1, 60)))
        own = Connection(50000)
        own.negotiate()
        own.ask("O", struct.pack(">d", 125) + b"timestamp,actual_mood")
        own.reply("O", junk)
        bad = len(own.packets)
        own.ask("S")
        own.reply("S", b"\1")
        for step in range(8):
            own.reply("U", b"\1" + struct.pack(">dd", 7 + 0.008 * step, 1))
        found = [(one["id"], one["packet"], one["args"]) for one in findings(write(path, own))]
        frame = struct.pack(">HB", 3 + len(junk), ord("O")) + junk
        shown = frame[:24].hex(" ") + (" ..." if len(frame) > 24 else "")
        assert found[0] == ("rtde.setup.bad", bad, {"request": "outputs", "reason": "unreadable", "hex": shown}), found
        assert found[1][:2] == ("rtde.recipe.missing", bad + 3), found
        assert (found[1][2]["reason"], found[1][2]["packet"]) == ("unreadable", bad), found


def offered(text):
    """The recipe command that a page of armtap offers, as words; None where it offers none."""
    lines = [line.split() for line in text.splitlines() if line.strip().startswith("armtap recipe ")]
    assert len(lines) <= 1, text
    return lines[0][1:] if lines else None


def check_offers(folder, rng, rounds):
    """diagnose and info suggest recipe --accepted only if it prints something."""
    del rng, rounds
    cases = [("O", b"", b"NOT_FOUND", False), ("O", b"timestamp, actual_q,", b"DOUBLE,NOT_FOUND,NOT_FOUND", False),
             ("O", b"actual_Q", b"NOT_FOUND", False), ("O", b"timestamp,actual_Q", b"DOUBLE,NOT_FOUND", True),
             ("I", b"speed_slider_mask,speed_slider_fraction", b"IN_USE,IN_USE", False),
             ("I", b"speed_slider_mask,speed_slider_fraction", b"UINT32,IN_USE", True)]
    path = os.path.join(folder, "offers.pcap")
    for kind, names, types, prints in cases:
        own = Connection(50000)
        own.negotiate()
        own.ask(kind, (struct.pack(">d", 125) if kind == "O" else b"") + names)
        own.reply(kind, b"\0" + types)
        write(path, own)
        for command in ("diagnose", "info"):
            words = offered(armtap(command, path, status=1).stdout)
            assert (words is not None) == prints, (command, names, types, words)
            assert words is None or armtap(*words, status=0).stdout, words
    none, some = Connection(50000), Connection(50001, at=0.5)
    for connection, types in ((none, b"\0NOT_FOUND"), (some, b"\0NOT_FOUND,DOUBLE")):
        connection.negotiate()
        connection.ask("O", struct.pack(">d", 125) + (b"actual_Q" if connection is none else b"actual_Q,timestamp"))
        connection.reply("O", types)
    words = offered(armtap("diagnose", write(path, none, some), status=1).stdout)
    assert armtap(*words, "--plain", status=0).stdout == "timestamp DOUBLE\n", words


def check_names_not_captured(folder, rng, rounds):
    """The robot's side alone has types without names: no recipe to set up again."""
    del rng, rounds
    own = Connection(50000)
    own.negotiate()
    own.ask("O", struct.pack(">d", 125) + b"timestamp,actual_q")
    own.reply("O", b"\1DOUBLE,VECTOR6D")
    whole = write(os.path.join(folder, "whole.pcap"), own)
    assert armtap("recipe", "--from", whole, "--plain", status=0).stdout == "timestamp DOUBLE\nactual_q VECTOR6D\n"
    own.packets = [packet for packet in own.packets if packet[1][26:30] == ROBOT]
    run = armtap("recipe", "--from", write(os.path.join(folder, "robot.pcap"), own), status=2)
    assert not run.stdout and "the types of 2 fields were captured, not the request" in run.stderr, run
    own.reply("U", b"\1" + struct.pack(">7d", *range(7)))
    for options in ([], ["-f", "ndjson"], ["--every", "2"]):
        run = armtap("export", write(os.path.join(folder, "robot.pcap"), own), *options, status=0)
        assert "value_0" in run.stdout and "stream 0: the names of 2 fields are not known" in run.stderr, run
    recipe = os.path.join(folder, "names.txt")
    with open(recipe, "w", encoding="utf-8") as file:
        file.write("timestamp DOUBLE\nactual_q VECTOR6D\n")
    run = armtap("export", os.path.join(folder, "robot.pcap"), "--recipe", recipe, status=0)
    assert "actual_q_5" in run.stdout and "not known" not in run.stderr, run
    run = armtap("export", os.path.join(folder, "robot.pcap"), "--recipe", "@ur_rtde-io-0.0.1", status=0)
    assert "value_0" in run.stdout and "the given recipe has other types" in run.stderr, run


def check_lost_replies(folder, rng, rounds):
    """A second set-up that the capture lacks, or only its reply: no new value gets a name of the old recipe."""
    path, named, opaque = os.path.join(folder, "lost.pcap"), 0, 0
    for _ in range(rounds):
        own, lost, second = Connection(50000), rng.choice(["reply", "reply", "both", "nothing"]), rng.choice([1, 2])
        fits = rng.random() < 0.7
        own.negotiate()
        rows = []
        for number, names in ((1, "timestamp,actual_q,robot_mode"), (second, "timestamp,actual_TCP_pose,safety_mode")):
            kept, replaced = len(own.packets), bool(rows)
            own.ask("O", struct.pack(">d", 125) + names.encode())
            if replaced and lost == "both":
                del own.packets[kept:]
            kept = len(own.packets)
            own.reply("O", bytes([number]) + b"DOUBLE,VECTOR6D," + (b"INT32" if fits or not replaced else b"DOUBLE"))
            if replaced and lost in ("reply", "both"):
                del own.packets[kept:]
            own.ask("S")
            own.reply("S", b"\1")
            for _ in range(20):
                values = [own.time] + [rng.uniform(-3, 3) for _ in range(6)] + [rng.randrange(1, 5)]
                own.reply("U", bytes([number]) + struct.pack(">7di" if fits or not replaced else ">8d", *values))
                own.time += 0.007
                rows.append((names.split(","), values))
            own.ask("P")
            own.reply("P", b"\1")
        if lost == "both" and second == 1:
            continue  # only the data tells: check_set_up_in_a_gap
        write(path, own)
        found = [one["id"] for one in findings(path)] if lost != "nothing" else []
        assert lost == "nothing" or "rtde.recipe.guessed" in found or "rtde.recipe.missing" in found, (lost, found)
        lines = [json.loads(line) for line in armtap("export", "-f", "ndjson", path, status=0).stdout.splitlines()]
        assert len(lines) == len(rows), (lost, len(lines))
        for (names, values), line in zip(rows, lines):
            shown = [line.get(name) for name in names]
            if shown == [None] * 3:
                opaque += 1
                assert not set(line) & {"actual_q", "robot_mode", "timestamp"}, line
                continue
            assert shown == [values[0], values[1:7], values[7]], (lost, second, line, values)
            named += 1
        assert lost != "nothing" or all("opaque" not in line for line in lines), lines[-1]
    print("lost set-ups: %d records named as they were sent, %d left opaque" % (named, opaque))
    assert named and opaque


JOINTS = "timestamp,actual_q,robot_mode,joint_mode"


def joints(rng, time):
    return struct.pack(">d6di6i", time, *[0.3 + 0.4 * k + 0.2 * math.sin(time + k) for k in range(6)], 7, *[253] * 6)


def forces(rng, time):
    """As many bytes: timestamp, actual_TCP_force, output_int_registers."""
    return struct.pack(">d6di6i", time, *[rng.uniform(-40, 40) for _ in range(6)], *[rng.randrange(1000) for _ in range(7)])


def counts(rng, time):
    """As many bytes of registers: nothing distinguishes them."""
    return struct.pack(">d6di6i", time, *[rng.uniform(0, 1) for _ in range(6)], *[0] * 7)


def gap_between(before, names, types, after, rng, speaks=True):
    """Data, then in both directions bytes that the capture lacks, then data of the same recipe id and length."""
    own = Connection(50000)
    own.negotiate()
    own.ask("O", struct.pack(">d", 125) + names.encode())
    own.reply("O", b"\1" + types)
    own.ask("S")
    own.reply("S", b"\1")
    for form, missing in ((before, False), (after, True)):
        if missing:
            own.sequence["c"] += 70
            own.sequence["r"] += 90
            if speaks:
                own.ask("v")
        for _ in range(80):
            own.reply("U", b"\1" + form(rng, own.time))
            own.time += 0.007
    return own


def check_set_up_in_a_gap(folder, rng, rounds):
    """Only the data shows that another recipe was set up: in a file no value after the gap gets an old name, on standard
    input none after the report. Data that still fits keeps its names; undecided data is reported as such."""
    del rounds
    path, whole = os.path.join(folder, "gap.pcap"), b"DOUBLE,VECTOR6D,INT32,VECTOR6INT32"
    cases = [(after, wanted, speaks) for after, wanted in ((joints, None), (forces, "rtde.recipe.missing"))
             for speaks in (True, False)]
    for after, wanted, speaks in cases:
        own = gap_between(joints, JOINTS, whole, after, rng, speaks)
        found = findings(write(path, own))
        told = [one for one in found if one["id"].startswith("rtde.recipe")]
        assert [one["id"] for one in told] == ([wanted] if wanted else []), (wanted, found)
        assert not wanted or (told[0]["args"]["reason"] == "contradicted" and
                              told[0]["args"]["field"] in ("actual_q", "robot_mode")), told
        for source, late in ((path, 0), ("-", 64 if speaks else 80)):  # one that is silent is missed at the end
            with open(path, "rb") as file:
                run = subprocess.run([ARMTAP, "export", "-f", "ndjson", source], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     check=False)
            lines = [json.loads(line) for line in run.stdout.decode().splitlines()]
            named = ["actual_q" in line for line in lines]
            assert len(named) == 160, len(named)
            kept = named.count(True)
            assert named == [True] * kept + [False] * (160 - kept), (source, wanted, named)
            assert 80 <= kept <= 80 + late if wanted else kept == 160, (source, wanted, kept)
    few = "timestamp,output_double_register_0,output_int_register_0"
    own = gap_between(lambda rng, time: counts(rng, time)[:16] + b"\0\0\0\5", few, b"DOUBLE,DOUBLE,INT32",
                      lambda rng, time: counts(rng, time)[:16] + b"\0\0\0\5", rng)
    found = [one["id"] for one in findings(write(path, own))]
    assert found.count("rtde.recipe.unsure") == 1 and "rtde.recipe.missing" not in found, found
    # Export names the rows whose names are uncertain, read twice or once; so does an incident of diagnose.
    first = first_behind(path, 80)
    for source in (path, "-"):
        with open(path, "rb") as file:
            said = subprocess.run([ARMTAP, "export", source], stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr.decode()
        assert "the field names of 80 records from packet %d on are uncertain" % first in said, said
    run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, check=False)
    incidents = json.loads(run.stdout)["incidents"]
    assert ("rtde.recipe.unsure", "capture") in [(one["what"], one["side"]) for one in incidents], incidents
    own = gap_between(joints, JOINTS, whole, joints, rng, True)
    said = subprocess.run([ARMTAP, "export", write(path, own)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr.decode()
    assert "missing from the capture" in said and "uncertain" not in said, said


def first_behind(path, rows):
    """The packet of the row behind that many."""
    table = csv.DictReader(io.StringIO(subprocess.run([ARMTAP, "export", "--fields", "packet", path], stdout=subprocess.PIPE, check=False).stdout.decode()))
    return int(list(table)[rows]["packet"])


# ---- a direction that is captured late -----------------------------------------------------------------------------------

def write_late(path, connection, sender, seconds, has_true_times):
    """As a card with several queues does: what one side sends is captured so much later."""
    port = struct.pack(">H", connection.ends[sender][1])
    captured = sorted(((time + seconds * (packet[34:36] == port), time, packet) for time, packet in connection.packets),
                      key=lambda one: one[0])
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for late, time, packet in captured:
            nanoseconds = round((time if has_true_times else late) * 1e9)
            file.write(struct.pack("<4I", EPOCH + nanoseconds // 10**9, nanoseconds % 10**9, len(packet), len(packet)) + packet)
    return path


def set_up_twice(lacks_request=False):
    """Five input recipes of one shape, written in turn; robot_mode 7, then, of the same shape, safety_mode 1; the client closes.
    The request of one more output reply, before all, may be missing."""
    connection = Connection(40001)
    connection.negotiate()
    if lacks_request:
        connection.reply("O", b"\1VECTOR6D")
    for i in range(5):
        connection.ask("I", b"input_int_register_%d,input_double_register_%d" % (i, i))
        connection.reply("I", bytes([i + 1]) + b"INT32,DOUBLE")
    for name, value in ((b"robot_mode", 7), (b"safety_mode", 1)):
        connection.ask("O", struct.pack(">d", 125) + b"timestamp," + name)
        connection.reply("O", b"\1DOUBLE,INT32")
        connection.ask("S")
        connection.reply("S", b"\1")
        for i in range(60):
            connection.time += 0.006
            connection.reply("U", b"\1" + struct.pack(">di", connection.time, value))
            connection.ask("U", bytes([i % 5 + 1]) + struct.pack(">id", 100 + i % 5, i))
        connection.ask("P")
        connection.reply("P", b"\1")
        connection.time += 0.5
    connection.send("c", b"", 0x11)
    connection.send("r", b"", 0x11)
    connection.send("c", b"", 0x10)
    return connection


def rows_of(*arguments):
    run = subprocess.run([ARMTAP, "export", "-f", "ndjson", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                         check=False)
    return [json.loads(line) for line in run.stdout.splitlines()]


def check_written(path, what):
    """Of 120 packages, all but those that come before their set-ups have the names of their recipes."""
    written = rows_of("--to-robot", path)
    for row in written:
        for i in range(5):
            assert row.get("input_int_register_%d" % i) in (None, 100 + i), (what, row)
    named = [row for row in written if any(key.startswith("input_int") and value is not None for key, value in row.items())]
    assert len(named) >= 110, (what, len(named))


def check_late_direction(folder, _rng, _rounds):
    path, connection = os.path.join(folder, "x.pcap"), set_up_twice()
    for sender, seconds in [(None, 0)] + [(sender, ms / 1000) for sender in "cr" for ms in (1.5, 3, 10, 30)]:
        for has_true_times in (True, False):
            what = (sender, seconds, has_true_times)
            write_late(path, connection, sender or "c", seconds, has_true_times)
            rows = rows_of(path)
            modes = [row.get("robot_mode") for row in rows if row.get("robot_mode") is not None]
            safety = [row.get("safety_mode") for row in rows if row.get("safety_mode") is not None]
            assert set(modes) <= {7} and set(safety) <= {1}, (what, set(modes), set(safety))
            assert len(modes) == 60 and len(safety) == 60, (what, len(modes), len(safety))
            check_written(path, what)
            if sender == "c":
                check_written(write_late(path, set_up_twice(lacks_request=True), "c", seconds, has_true_times), what)
                write_late(path, connection, "c", seconds, has_true_times)
            run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, timeout=60, check=False)
            found = json.loads(run.stdout)["findings"]
            ids = {one["id"] for one in found}
            assert ids <= {"tcp.closed", "rtde.recipe.missing", "rtde.recipe.changed", "tcp.out-of-order",
                           *["capture.clocks-apart"] * (seconds > 0.005 and not has_true_times)}, (what, found)
            closed, = said(found, "tcp.closed")
            assert closed == {"who": "client"} or "doubt" in closed, (what, closed)


def check_lost_request(folder, _rng, _rounds):
    """The request for the first input recipe is missing, so that those behind it come after their replies. Of what no reply can be
    said to answer, nothing is named."""
    path = os.path.join(folder, "x.pcap")
    for lost in range(4):
        for gap in (0.0005, 0.002, 0.01, 0.04):
            connection = Connection(40001)
            connection.negotiate()
            for i in range(4):
                connection.ask("I", b"input_int_register_%d" % (24 + i))
                if i == lost:
                    connection.packets.pop()
                connection.reply("I", bytes([i + 1]) + b"INT32")
                connection.time += gap
            connection.time += 0.5
            for i in range(4):
                connection.ask("U", bytes([i + 1]) + struct.pack(">i", 100 + i))
            write(path, connection)
            for row in rows_of("--to-robot", path):
                for i in range(4):
                    assert row.get("input_int_register_%d" % (24 + i)) in (None, 100 + i), (lost, gap, row)


def check_early_refusal(folder, _rng, _rounds):
    """A refusal that comes before its request has the name, too."""
    path = os.path.join(folder, "x.pcap")
    for ms in (-2, 0, 2):
        connection = Connection(40001)
        connection.negotiate()
        connection.ask("O", struct.pack(">d", 125) + b"timestamp,no_such_field")
        connection.time += ms / 1000 - 0.001
        connection.reply("O", b"\0DOUBLE,NOT_FOUND")
        write(path, connection)
        run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, timeout=60, check=False)
        refused = said(json.loads(run.stdout)["findings"], "rtde.field.not-found")
        assert name_in(refused[-1]) == "no_such_field" and len(refused) == 1, (ms, refused)


def check_close_in_midstream(folder, _rng, _rounds):
    """What waits for bytes before it is captured, too."""
    path, connection = os.path.join(folder, "x.pcap"), Connection(40001)
    connection.negotiate()
    connection.ask("P")
    connection.reply("P", b"\1")
    connection.send("c", b"", 0x10)
    connection.packets = connection.packets[-3:]
    connection.send("c", b"", 0x11)
    connection.send("r", b"", 0x11)
    connection.send("c", b"", 0x10)
    write(path, connection)
    run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, timeout=60, check=False)
    closed = said(json.loads(run.stdout)["findings"], "tcp.closed")
    assert closed == [{"who": "client"}], closed
    connection = Connection(40001)
    connection.negotiate()
    connection.packets = []
    for i in range(9):
        connection.reply("U", b"\1" + struct.pack(">dd", i, 1.5))
    for sender, flags in (("c", 0x10), ("c", 0x11), ("r", 0x11), ("c", 0x10)):
        connection.send(sender, b"", flags)
    write(path, connection)
    run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, timeout=60, check=False)
    closed = said(json.loads(run.stdout)["findings"], "tcp.closed")
    assert closed != [{"who": "robot"}], closed


class Inputs(Connection):
    """A client that asks for inputs, which the controller grants or refuses."""

    def __init__(self, port, names, granted, at, host=CLIENT, robot=ROBOT):
        super().__init__(port, robot, at)
        self.ends["c"] = (host, port)
        self.packets.clear()  # with the client's address from the start
        self.sequence = {"r": 1000, "c": 2000}
        self.send("c", b"", 0x02)
        self.send("r", b"", 0x12)
        self.negotiate()
        self.ask("I", ",".join(names).encode())
        self.reply("I", (b"\1" if granted else b"\0") + ",".join(
            "IN_USE" if not granted else "DOUBLE" if "double" in name else "INT32" for name in names).encode())
        self.told = self.time - 0.001


def refusal_of(path, *connections, extra=()):
    """What the one refusal says, and the remedy. The client is responsible."""
    write(path, *connections)
    told = json.loads(armtap("diagnose", "--json", *extra, path, status=1).stdout)
    args, = said(told["findings"], "rtde.field.in-use")
    sides = [one["side"] for one in told["incidents"] if one["what"] == "rtde.field.in-use"]
    assert sides == ["client"], told["incidents"]
    shown = " ".join(armtap("diagnose", path, status=1).stdout.split())
    return args, shown[shown.rindex("rtde.field.in-use: "):]


def place_of(connection, *connections):
    """The packet that granted the inputs of that connection."""
    times = sorted(packet[0] for one in (connection, *connections) for packet in one.packets)
    return times.index(min(times, key=lambda time: abs(time - connection.told))) + 1


def held(name, case, **more):
    return {"field": name, "case": case, **more}


def is_held(args, name, case, **more):
    """Whether it says that; what to use in place of the input is beside the point."""
    return {key: value for key, value in args.items() if key not in ("is_left_to_clients", "instead")} == held(name, case, **more)


def check_input_kinds(folder, _rng, _rounds):
    """Without a holder in the capture: a fieldbus is named for what it can claim, other registers where they help."""
    path = os.path.join(folder, "x.pcap")
    for name, of_fieldbus, other in (
            ("input_int_register_5", True, "or use registers 24 to 47"), ("input_int_register_23", True, "or use registers 24 to 47"),
            ("input_double_register_0", True, "or use registers 24 to 47"), ("input_int_register_24", False, ""),
            ("input_double_register_47", False, ""), ("input_bit_register_64", False, ""), ("input_bit_register_127", False, ""),
            ("input_bit_registers0_to_31", True, "or use bits 64 to 127"), ("speed_slider_mask", True, ""),
            ("standard_digital_output", True, "")):
        args, remedy = refusal_of(path, Inputs(50001, [name], False, 0))
        assert is_held(args, name, "client-or-fieldbus" if of_fieldbus else "unknown"), args
        assert ("EtherNet/IP" in remedy) == of_fieldbus, (name, remedy)
        assert (other in remedy) and ("24 to 47" in remedy) == ("24 to 47" in other) and ("64 to 127" in remedy) == ("64" in other), remedy


def check_input_holders(folder, _rng, _rounds):
    """The capture shows who set up a refused input and did not close before."""
    path = os.path.join(folder, "x.pcap")
    name = "input_int_register_24"
    for name in ("input_int_register_5", "input_int_register_24"):
        holder, refused = Inputs(50000, ["input_int_register_9", name], True, 0), Inputs(50001, [name], False, 3)
        args, remedy = refusal_of(path, holder, refused)
        assert is_held(args, name, "same-client", client="10.0.0.9:50000", packet=place_of(holder, refused)), args
        assert "close the connection that holds it" in remedy and "EtherNet" not in remedy and "24 to 47" not in remedy, remedy
        # It may end after the refusal.
        holder.time = 4
        holder.send("c", b"", 0x11)
        assert refusal_of(path, holder, refused)[0] == args
    # Another host's.
    other = Inputs(50000, [name], True, 0, host=bytes([10, 0, 0, 8]))
    args, remedy = refusal_of(path, other, refused)
    assert is_held(args, name, "other-client", client="10.0.0.8:50000", packet=place_of(other, refused)), args
    assert "close the other client" in remedy and "EtherNet" not in remedy, remedy
    # The client's own connection explains it best, whichever came first.
    for order in ((0, 1), (1, 0)):
        args, _ = refusal_of(path, Inputs(50000, [name], True, order[0], host=bytes([10, 0, 0, 8])),
                             Inputs(50002, [name], True, order[1]), refused)
        assert (args["case"], args["client"]) == ("same-client", "10.0.0.9:50002"), args
    # Not: one that ended, of another robot, of other inputs, that was refused itself, or that came later.
    for flags in (0x11, 0x14, 0x04):
        for sender in "cr":
            closed = Inputs(50000, [name], True, 0)
            closed.send(sender, b"", flags)
            assert is_held(refusal_of(path, closed, refused)[0], name, "unknown"), (flags, sender)
    for no_holder in (Inputs(50000, [name], True, 0, robot=OTHER), Inputs(50000, ["input_int_register_25"], True, 0),
                      Inputs(50000, [name], True, 4)):
        assert is_held(refusal_of(path, no_holder, refused)[0], name, "unknown")
    run = armtap("diagnose", "--json", write(path, Inputs(50000, [name], False, 0), refused), status=1)
    told = said(json.loads(run.stdout)["findings"], "rtde.field.in-use")
    assert len(told) == 2 and all(is_held(one, name, "unknown") for one in told), told


def check_input_holder_in_another_file(folder, _rng, _rounds):
    """The same from two files at once, and of an archive, whose files are read one by one."""
    first, second, whole = (os.path.join(folder, one) for one in ("1.pcap", "2.pcap", "out"))
    name = "input_double_register_30"
    holder = Inputs(50000, [name], True, 0)
    write(first, holder)
    write(second, Inputs(50001, [name], False, 3))
    wanted = {"client": "10.0.0.9:50000", "packet": place_of(holder), "is_earlier_file": True}
    told = json.loads(armtap("diagnose", "--json", first, second, status=1).stdout)
    assert [is_held(one, name, "same-client", **wanted) for one in said(told["findings"], "rtde.field.in-use")] == [True], told
    armtap("index", first, second, "-o", whole, status=0)
    summaries = []
    for path in (first, second):
        summaries.append(os.path.join(folder, os.path.basename(path) + ".json"))
        run = subprocess.run([ARMTAP, "diagnose", "--json", "--after", whole, path], stdout=subprocess.PIPE, timeout=60, check=False)
        with open(summaries[-1], "wb") as file:
            file.write(run.stdout)
    merged = subprocess.run([ARMTAP, "merge", *summaries], stdout=subprocess.PIPE, timeout=60, check=False)
    found = json.loads(merged.stdout)["findings"]
    assert [is_held(one, name, "same-client", **wanted) for one in said(found, "rtde.field.in-use")] == [True], found


def check_changed_outputs(folder, _rng, _rounds):
    """Where a set-up changes the fields of running data, and which; in one reading, and in an archive."""
    first, second, whole = (os.path.join(folder, one) for one in ("1.pcap", "2.pcap", "out"))
    names = ["timestamp", "robot_mode", "safety_mode"]
    types = {"timestamp": "DOUBLE", "robot_mode": "INT32", "safety_mode": "INT32", "speed_scaling": "DOUBLE"}
    for new, wanted in ((names, None), (["safety_mode", "timestamp", "robot_mode"], None),
                        (["timestamp", "speed_scaling"], {"names_before": ["robot_mode", "safety_mode"], "names": ["speed_scaling"]}),
                        (["timestamp", "robot_mode"], {"names_before": ["safety_mode"]}),
                        (names + ["speed_scaling"], {"names": ["speed_scaling"]})):
        connection = Connection(40001)
        connection.negotiate()
        cuts = []
        for fields in (names, new):
            cuts.append(len(connection.packets))
            connection.ask("O", struct.pack(">d", 125) + ",".join(fields).encode())
            connection.reply("O", b"\1" + ",".join(types[name] for name in fields).encode())
            connection.ask("S")
            connection.reply("S", b"\1")
            for i in range(20):
                connection.reply("U", b"\1" + b"".join(
                    struct.pack(">d", i / 125) if types[name] == "DOUBLE" else struct.pack(">i", 1) for name in fields))
            connection.ask("P")
            connection.reply("P", b"\1")
        packets = connection.packets
        wanted = [] if wanted is None else [wanted]
        run = subprocess.run([ARMTAP, "diagnose", "--json", write(first, connection)], stdout=subprocess.PIPE, timeout=60, check=False)
        told = [one for one in json.loads(run.stdout)["findings"] if one["id"] == "rtde.recipe.changed"]
        assert [one["args"] for one in told] == wanted, (new, told)
        assert all(one["packet"] == cuts[1] + 2 and one["severity"] == "info" for one in told), (cuts, told)
        shown = armtap("info", first, status=0).stdout
        assert ("setups changed the fields 1 time; the last were:" in shown) == (new != names), shown
        # The new set-up is in the second file.
        connection.packets = packets[:cuts[1]]
        write(first, connection)
        connection.packets = packets[cuts[1]:]
        write(second, connection)
        armtap("index", first, second, "-o", whole, status=0)
        summaries = []
        for path in (first, second):
            run = subprocess.run([ARMTAP, "diagnose", "--json", "--after", whole, path], stdout=subprocess.PIPE, timeout=60, check=False)
            summaries.append(path + ".json")
            with open(summaries[-1], "wb") as file:
                file.write(run.stdout)
        whole_summary = run.stdout
        run = subprocess.run([ARMTAP, "merge", *summaries], stdout=subprocess.PIPE, timeout=60, check=False)
        told = said(json.loads(run.stdout)["findings"], "rtde.recipe.changed")
        assert told == wanted, (new, told)
        if wanted and "names" in wanted[0]:
            with open(summaries[-1], "wb") as file:
                file.write(re.sub(rb'"names": \["', b'"names": [1, "', whole_summary))
            refused = armtap("merge", *summaries, status=2)
            assert "damaged" in refused.stderr and not refused.stdout, refused


def check_recipe_beside(folder, _rng, _rounds):
    """The recipe of data without a set-up, if the same client's was captured on another connection: a command that prints it."""
    path = os.path.join(folder, "x.pcap")
    stranger = bytes([10, 0, 0, 77])
    fitting = (CLIENT, ROBOT, "r", 17)
    for way in (fitting, (stranger, ROBOT, "r", 17), (None, ROBOT, "r", 17), (CLIENT, OTHER, "r", 17),
                (CLIENT, ROBOT, "r", 18), (CLIENT, ROBOT, "r", 16), (CLIENT, ROBOT, "c", 17)):
        client, robot, sender, size = way
        whole, lacking = conversation([]), Connection(40002, robot, at=1.0)
        lacking.ends["c"], lacking.packets = (client or CLIENT, 40002), []
        for i in range(40):
            (lacking.reply if sender == "r" else lacking.ask)("U", (b"\1" + struct.pack(">ddx", i / 125, 1))[:size])
        write(path, *([whole] if client else []), lacking)
        shown = armtap("diagnose", path, status=1).stdout
        command = re.search(r"another\s+connection,\s+run:\s+armtap (recipe --from \S+ --stream 0)$", shown, re.M)
        assert "rtde.recipe.missing: " in shown and "CAPTURE" not in shown and bool(command) == (way == fitting), (way, shown)
        if command:
            printed = armtap(*command[1].split(), status=0).stdout
            assert re.findall('name="(.*?)"', printed) == ["timestamp", "speed_scaling"], printed


def conversation(ends, midstream=False, client_speaks=True, lost=()):
    """Data, then packets of (sender, flags); those numbered in `lost` were not captured."""
    connection = Connection(40001)
    connection.negotiate()
    connection.ask("O", struct.pack(">d", 125) + b"timestamp,speed_scaling")
    connection.reply("O", b"\1DOUBLE,DOUBLE")
    connection.ask("S")
    connection.reply("S", b"\1")
    connection.packets = [] if midstream else connection.packets
    for i in range(40):
        connection.reply("U", b"\1" + struct.pack(">dd", i / 125, 1))
        if client_speaks:
            connection.send("c", b"", 0x10)
    for number, (sender, flags) in enumerate(ends):
        connection.send(sender, b"", flags)
        if number in lost:
            connection.packets.pop()
    return connection


def close_of(path):
    """Who ended the connection, and why that is doubtful, or None. An incident has no side, and the same doubt."""
    run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, timeout=60, check=False)
    told = json.loads(run.stdout)
    end, = [one for one in told["findings"] if one["id"] in ("tcp.closed", "tcp.reset")]
    resets = [one for one in told["incidents"] if one["what"] == "tcp.reset"]
    doubt = end["args"].get("doubt")
    assert [(one["side"], one["doubt"] is not None) for one in resets] == \
        [("unclear", doubt is not None)] * (end["id"] == "tcp.reset"), told
    assert end.get("doubtful", False) == (doubt is not None), end
    return end["args"]["who"], doubt


def one_way(connection, sender):
    address = ROBOT if sender == "r" else CLIENT
    connection.packets = [packet for packet in connection.packets if packet[1][26:30] == address]
    return connection


def check_one_direction(folder, _rng, _rounds):
    """Who closed first is known from what the FINs acknowledge, or in doubt."""
    path = os.path.join(folder, "x.pcap")
    names = {"r": "robot", "c": "client"}
    for first, second in ("rc", "cr"):
        for midstream in (False, True):
            fins = [(first, 0x11), (second, 0x11), (first, 0x10)]
            assert close_of(write(path, conversation(fins, midstream))) == (names[first], None), (first, midstream)
            # Of the first FIN only its acknowledgement is captured, which goes one beyond the bytes.
            told = close_of(write(path, conversation(fins, midstream, lost=(0,))))
            assert told == (names[first], None), told
            for seen in "r" if midstream else "rc":  # of the client alone, nothing shows the protocol
                told = close_of(write(path, one_way(conversation(fins, midstream), seen)))
                assert told == ((names[first], None) if seen == second else (names[seen], "unheard")), (first, seen, told)
    # The acknowledgement of the other side's FIN is captured before the answer.
    late = [("c", 0x11), ("r", 0x10), ("r", 0x11), ("c", 0x10)]
    for midstream in (False, True):
        told = close_of(write(path, one_way(conversation(late, midstream), "r")))
        assert told == ("client", None), told
    # What the robot's FIN acknowledges may be a FIN with bytes before it, or bytes alone: which, nothing shows.
    for asked in (b"\0\3P", b"\0\3S"):
        for fin in ((), (("c", 0x11),)):
            unclear = conversation([])
            unclear.send("c", asked)
            for sender, flags in (*fin, ("r", 0x11), ("c", 0x10)):
                unclear.send(sender, b"", flags)
            told = close_of(write(path, one_way(unclear, "r")))
            assert told == ("robot", "unheard"), (fin, told)


def check_one_direction_reset(folder, _rng, _rounds):
    path = os.path.join(folder, "x.pcap")
    for sender, name in (("r", "robot"), ("c", "client")):
        assert close_of(write(path, conversation([(sender, 0x14)]))) == (name, None)
        fin_before = [("c" if sender == "r" else "r", 0x11), (sender, 0x14)]
        for connection in (one_way(conversation([(sender, 0x14)]), sender), conversation(fin_before, lost=(0,)),
                           conversation(fin_before, midstream=True, lost=(0,))):
            told = close_of(write(path, connection))
            assert told[0] == name and told[1] in ("unheard", "perhaps-after"), told


PROPERTY_TYPES = {"UINT64": ">Q", "UINT32": ">I", "DOUBLE": ">d", "INT32": ">i", "BOOL": ">?"}


def properties_of(rng):
    names = ["v1.software.version", "v1.control_box.type"] + ["v%d.%s.%s" % (rng.randrange(1, 4), rng.choice("abc"), part)
                                                              for part in ("type", "size", "name", "mode")]
    chosen = rng.sample(names, rng.randrange(1, len(names) + 1))
    return [(name, "UINT64" if name == names[0] else rng.choice(list(PROPERTY_TYPES))) for name in chosen]


def read_properties(connection, way, rng):
    """A READ_PROPERTIES request and what comes of it: (id, arguments that its findings must have), packet of the finding."""
    asked = properties_of(rng)
    types = [kind for _, kind in asked]
    values = [struct.pack(PROPERTY_TYPES[kind], rng.randrange(2)) for kind in types]
    sizes = [struct.calcsize(PROPERTY_TYPES[kind]) for kind in types]
    connection.ask("R", ",".join(name for name, _ in asked).encode())
    packet, wanted, whole = len(connection.packets) + 1, [], b"".join(values)
    if way in ("NOT_SET", "NOT_FOUND"):
        for i in rng.sample(range(len(asked)), rng.randrange(1, len(asked) + 1)):
            types[i] = way
            wanted.append({"quoted_name": asked[i][0], "reason": "no-value" if way == "NOT_SET" else None, "quoted_type": way})
        whole = b""
    elif way == "short":
        whole = whole[:rng.randrange(len(whole))]
        lacking = [name for i, (name, _) in enumerate(asked) if sum(sizes[:i + 1]) > len(whole)]
        wanted.append({"bytes": len(whole), "bytes_known": sum(sizes), "names": lacking})
    elif way == "long":
        whole += bytes(rng.randrange(1, 9))
        wanted.append({"bytes": len(whole), "bytes_known": sum(sizes), "names": None})
    elif way == "cut":
        wanted.append({"reason": "unreadable"})
    if way == "unanswered":
        return {"rtde.property.unanswered": [{"quoted_name": ",".join(name for name, _ in asked)}]}, packet - 1
    listed = ",".join(types).encode()
    payload = struct.pack(">H", len(listed)) + listed + whole
    connection.reply("R", payload[:rng.randrange(2, 2 + len(listed))] if way == "cut" else payload)
    kind = "missing" if way in ("NOT_SET", "NOT_FOUND") else "short"
    return ({"rtde.property." + kind: wanted} if wanted else {}), packet


def check_properties(folder, rng, rounds):
    """Whatever becomes of a request for properties, it is said as that, and the data is decoded."""
    path = os.path.join(folder, "x.pcap")
    for way in ("answered", "NOT_SET", "NOT_FOUND", "short", "long", "cut", "unanswered") * (rounds // 7 + 1):
        connection = Connection(50000)
        release = rng.choice([(5, 26, 3, 1), (10, 15, 0, 0), (5, 26, 2, 9), (10, 14, 9, 9), (5, 27, 0, 0)])
        connection.negotiate(3)
        connection.tell_release(release)
        expected, packet = read_properties(connection, way, rng)
        connection.ask("O", struct.pack(">d", 500) + b"timestamp,actual_q")
        connection.reply("O", b"\1DOUBLE,VECTOR6D")
        connection.ask("S")
        connection.reply("S", b"\1")
        for i in range(40):
            connection.reply("U", b"\1" + struct.pack(">7d", 100 + 0.002 * i, *[0.25 * i] * 6))
        write(path, connection)
        status = 1 if set(expected) & {"rtde.property.short", "rtde.property.unanswered"} else 0
        run = armtap("diagnose", path, status=status)
        found = [one for one in json.loads(armtap("diagnose", "--json", path, status=status).stdout)["findings"]
                 if one["id"].startswith("rtde.")]
        assert {one["id"] for one in found} == set(expected), (way, expected, found)
        for wanted in expected.values():
            assert len(found) == len(wanted), (way, expected, found)
            for args in wanted:
                assert any(one["packet"] == packet and all(one["args"].get(key) == value for key, value in args.items())
                           for one in found), (way, args, packet, found)
        is_old = release[:3] < ((5, 26, 3) if release[0] == 5 else (10, 15, 0))
        if way in ("NOT_FOUND", "unanswered"):
            assert all(("release_since" in one["args"]) == is_old for one in found), found
        assert "no data will be sent" not in run.stdout and "correct the name" not in run.stdout, run.stdout
        rows = armtap("export", path, status=0).stdout.splitlines()
        assert len(rows) == 41 and rows[-1].endswith(",9.75" * 6), (way, len(rows))


def check_long_property_names(folder, _rng, _rounds):
    """A list holds whole names only, and counts those that it has no room for."""
    names = ["v1.robot.%d.%s" % (i, "x" * 90) for i in range(6)]
    connection = Connection(50000)
    connection.negotiate(3)
    connection.ask("R", ",".join(names).encode())
    types = b",".join([b"UINT64"] * 6)
    connection.reply("R", struct.pack(">H", len(types)) + types + bytes(9))
    found = [one["args"] for one in findings(write(os.path.join(folder, "x.pcap"), connection))
             if one["id"] == "rtde.property.short"]
    assert len(found) == 1 and found[0]["names"] == names[1:len(found[0]["names"]) + 1], found
    assert len(found[0]["names"]) + found[0]["more"] == 5, found


def check_half_closed(folder, _rng, _rounds):
    """A robot has no time to answer once its client has closed: the robot's own end may come much later."""
    for kind, wait, count in ((kind, *one) for kind in "OvV!" for one in ((0.9, 0), (1.5, 1))):
        connection = Connection(50000)
        if kind != "V":
            connection.negotiate()
        connection.ask(*{"O": ("O", struct.pack(">d", 125) + b"timestamp"), "V": ("V", b"\0\2")}.get(kind, ("v", b"")))
        if kind == "!":  # an old controller ignores what it does not know
            connection.ask("O", struct.pack(">d", 125) + b"timestamp")
            connection.reply("O", b"\1DOUBLE")
            count = 0
        for sender, flags in (("r", 0x10), ("c", 0x11), ("r", 0x10), ("r", 0x11), ("c", 0x10)):
            connection.time += {0x11: wait if sender == "c" else 60}.get(flags, 0)
            connection.send(sender, b"", flags)
        run = armtap("diagnose", "--json", write(os.path.join(folder, "x.pcap"), connection), status=count)
        report = json.loads(run.stdout)
        durations = [one["args"]["duration_s"] for one in report["findings"] if one["id"] == "rtde.no-reply"]
        assert len(durations) == count and all(abs(one - wait) < 0.01 for one in durations), (kind, durations)
        assert [one["side"] for one in report["incidents"]] == ["robot"] * count, (kind, report["incidents"])


def check_looks_only(folder, _rng, _rounds):
    """A client that resets a connection on which it was greeted and said nothing closes it; one that asked for something does not."""
    for asks in (False, True):
        connection = Connection(50000)
        connection.ends["r"] = (ROBOT, 29999)
        connection.send("c", b"", 0x10)
        connection.send("r", b"Connected: Universal Robots Dashboard Server\n")
        if asks:
            connection.send("c", b"robotmode\n")
        connection.send("c", b"", 0x14)
        path = write(os.path.join(folder, "x.pcap"), connection)
        run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, check=False)
        found = [one["id"] for one in json.loads(run.stdout)["findings"] if one["id"].startswith("tcp.")]
        assert found == (["tcp.reset"] if asks else ["tcp.closed"]), (asks, found)


def check_dashboard_unanswered(folder, rng, rounds):
    """A line to the dashboard server that it never answers, or late; some replies come only when what was asked for is done."""
    lines = [(b"play", 3), (b"robotmode", 3), (b"load a.urp", 5), (b"load installation b", 5), (b"generate support file", 1e9)]
    for number in range(30 * max(1, rounds // 8)):
        line, longest = lines[number % 5]
        way = ("never", "never acknowledged", "never to the end", "no greeting", "late", "too soon")[number // 5 % 6]
        wait = rng.uniform(1, 0.95 * min(longest, 60)) if way == "too soon" else rng.uniform(1.05, 3) * min(longest, 60)
        connection = Connection(50000, port=29999 if number % 7 or way == "no greeting" else 30004)
        connection.ends["r"] = (ROBOT, 29999)  # its beginning may lack
        connection.send("c", b"", 0x10)
        if way != "no greeting":
            connection.send("r", b"Connected: Universal Robots Dashboard Server\n")
            connection.send("c", b"safetymode\n")
            connection.send("r", b"Safetymode: NORMAL\n")
        connection.send("c", line + b"\n")
        first = len(connection.packets)
        if way != "never acknowledged":
            connection.send("r", b"", 0x10)
        connection.time += wait
        if way == "late":
            connection.send("r", b"Starting program\n")
        connection.send("c", b"", 0x10 if way in ("never to the end", "never acknowledged") else 0x11)
        run = subprocess.run([ARMTAP, "diagnose", "--json", write(os.path.join(folder, "x.pcap"), connection)], stdout=subprocess.PIPE, check=False)
        report = json.loads(run.stdout)
        found = [(one["packet"], one["args"]["quoted"]) for one in report["findings"] if one["id"] == "command.unanswered"]
        assert found == [(first, line.decode())] * (way not in ("late", "too soon") and longest < 60), (number, line, way, wait, report)
        sides = [one["side"] for one in report["incidents"] if one["what"] == "command.unanswered"]
        assert sides == ["unclear" if way == "never acknowledged" else "robot"] * len(found), (number, line, way, wait, report)


def check_unanswered(folder, rng, rounds):
    """Requests of any time that the robot's system acknowledges, and its program answers too late for their client, or in time; or of which
    the capture cannot know."""
    ways = ["never", "never", "never to the end", "never closed", "late", "too soon", "ends too soon", "hole", "early", "resent"]
    for number in range(len(ways) * 5 * max(1, rounds // 8)):
        kind, way = ("P", "PS", "S", "O", "I")[number % 5], ways[number // 5 % len(ways)]
        if way == "early" and kind not in ("P", "PS"):
            continue
        connection = Connection(50000)
        connection.negotiate()
        rate, clock = rng.choice([10, 50, 125]), [100.0]
        setup = struct.pack(">d", rate) + b"timestamp"

        def data(seconds, is_lost=False):
            for _ in range(int(seconds * rate)):
                connection.time += 1 / rate - 0.001
                clock[0] += 1 / rate
                connection.reply("U", b"\1" + struct.pack(">d", clock[0]))
                if is_lost and _ == 1:
                    connection.packets.pop()

        connection.ask("O", setup)
        connection.reply("O", b"\1DOUBLE")
        connection.ask("S")
        connection.reply("S", b"\1")
        data(rng.uniform(0.5, 2))
        if kind == "PS":
            connection.ask("P")
            connection.reply("P", b"\1")
            connection.time += rng.uniform(0.2, 3)
        request, asked = kind[-1], {"O": setup + b",actual_q", "I": b"speed_slider_mask"}.get(kind, b"")
        reply = {"O": b"\1DOUBLE,VECTOR6D", "I": b"\1UINT32"}.get(kind, b"\1")
        if way == "early":  # in the capture, which has two clocks
            connection.reply(request, reply)
            connection.time += rng.uniform(0.002, 0.4)
        connection.ask(request, asked)
        first, wait = len(connection.packets), rng.uniform(1.2, 5) if way not in ("late", "too soon", "ends too soon") else rng.uniform(0.05, 0.8)
        runs = kind not in ("PS", "P") or (kind == "P" and way != "early" and rng.random() < 0.5)
        if way != "resent":
            connection.send("r", b"", 0x10)
        else:
            connection.time += 0.25
            connection.packets.append((connection.time, connection.packets[-1][1][:18] + b"\x77\x77" + connection.packets[-1][1][20:]))
        if runs:
            data(wait + 1 / rate, way == "hole")
        else:
            connection.time += wait
        if way == "hole" and not runs:
            continue
        if way == "late":
            connection.reply(request, reply)
            if kind == "PS":
                data(1)
        if way not in ("never to the end", "ends too soon"):
            connection.send("c", b"", 0x11)
            connection.send("r", b"", 0x10)
        if way in ("never", "too soon"):
            connection.send("r", b"", 0x11)
            connection.send("c", b"", 0x10)
        if way in ("never to the end", "ends too soon"):
            connection.send("c", b"", 0x10)
        path = write(os.path.join(folder, "x.pcap"), connection)
        run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, check=False)
        report = json.loads(run.stdout)
        found = [one for one in report["findings"] if one["id"] == "rtde.no-reply"]
        about = (number, kind, way, rate, wait, runs, found)
        assert len(found) == (way.startswith("never") or way == "resent"), about
        # Until the reply comes the data follows the set-up before.
        assert way == "hole" or not any(one["id"] in ("rtde.recipe.missing", "rtde.recipe.guessed") for one in report["findings"]), report["findings"]
        for one in found:
            assert one["args"]["since_packet"] == first and abs(one["args"]["duration_s"] - wait) < 0.5, about
        sides = [one["side"] for one in report["incidents"] if "rtde.no-reply" in [report["findings"][i]["id"] for i in one["evidence"]]]
        assert sides == (["unclear"] if way == "resent" else ["robot"]) * len(found), about + (report["incidents"],)


def check_property_order(folder, _rng, _rounds):
    """No answer is missed where it may have been captured early, lost, or is yet to come."""
    path = os.path.join(folder, "x.pcap")
    for way in ("early", "lost", "late", "waited for"):
        connection = Connection(50000)
        connection.negotiate(3)
        connection.ask("R", b"v1.software.version")
        if way == "early":  # captured before what it answers
            connection.reply("R", b"\0\6UINT64" + bytes(8))
            (asked, request), (replied, reply) = connection.packets[-2:]
            connection.packets[-2:] = [(asked, reply), (replied, request)]
        if way == "lost":
            connection.reply("R", b"\0\6UINT64" + bytes(8))
            connection.packets.pop()
        connection.ask("O", struct.pack(">d", 500) + b"timestamp")
        if way == "late":  # the client sent both at once
            connection.reply("R", b"\0\6UINT64" + bytes(8))
        if way == "waited for":
            connection.time += 5
            connection.send("c", b"", 0x11)
        else:
            connection.reply("O", b"\1DOUBLE")
        write(path, connection)
        run = subprocess.run([ARMTAP, "diagnose", "--json", path], stdout=subprocess.PIPE, check=False)
        found = [one for one in json.loads(run.stdout)["findings"] if one["id"].startswith("rtde.property")]
        assert len(found) == (way == "waited for"), (way, found)


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 40 if ALL else 8
    failed = passed = 0
    for check in (check_refusals, check_no_frequency, check_several, check_streams, check_unknown_types, check_unreadable,
                  check_offers, check_names_not_captured, check_lost_replies, check_set_up_in_a_gap, check_blanks_in_names,
                  check_late_direction, check_lost_request, check_early_refusal, check_close_in_midstream,
                  check_one_direction, check_one_direction_reset, check_input_kinds, check_input_holders,
                  check_input_holder_in_another_file, check_changed_outputs, check_recipe_beside, check_properties,
                  check_long_property_names, check_half_closed, check_looks_only, check_dashboard_unanswered, check_unanswered, check_property_order):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder, rng, rounds)
                passed += 1
            except AssertionError as difference:
                print("FAIL %s: %r" % (check.__name__, difference))
                failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
