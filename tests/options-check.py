#!/usr/bin/env python3
"""Every option of every command in every mode, on captures where it can have an effect: it changes what is written, or it is
refused by name. One that is taken and changes nothing is a hole. Options given twice are refused, too."""
import gzip
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

from robot_capture import Capture, message
from tally import ALL, expect, finish, share

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
ARMTAP = os.path.abspath(os.environ.get("ARMTAP") or os.path.join(os.environ.get("builddir", "."), "armtap"))
ONE_IN = 60  # combinations
ENV = dict(os.environ, TZ="EST5", LC_ALL="C.UTF-8", TERM="dumb", NO_COLOR="")
ENV.pop("NO_COLOR")

# No effect, whatever is read: CLI users may always give them. --pager asks a terminal; names are for labels-check.py.
ANYWHERE = {"--threads", "--color", "--pager", "--help", "--label", "--labels"}
# Status 0 in place of 1, which export has with --strict only; archives' scripts give it always.
# The manual wants index to have the --recipe of export.
KEPT = {("export", "--findings-ok"), ("index", "--recipe")}
# A guessed recipe tells what the robot answered, too, but no capture here has evidence enough.
KEPT_BESIDE = {("--commands", "--no-guess")}
# They would wait for what never comes.
ENDLESS = {"--interface", "--follow"}

# Beside them the option has an effect.
COMPANIONS = {("export", "--local"): ["--to", "12:00:01"], ("stats", "--local"): ["--to", "12:00:01"], ("explain", "--sort"): ["--file", "1"], ("recipe", "--file"): ["--packet", "9"]}

# A value of each option, as good as any; a list: each of them.
VALUES = {
    "--port": ["40004=rtde", "30004=realtime"], "--recipe": ["recipe.txt", "recipe-both.txt", "recipe-ur.txt"], "--raw": ["dashboard", "rtde"], "--interface": "lo", "--filter": "tcp",
    "--label": "10.0.0.2=cell-3", "--labels": "labels.txt",
    "--threads": "2", "--fields": ["timestamp", "robot_mode"], "--frequency": "25", "--give-up": "1", "--color": "always",
    "--around": ["safety.stop", "silence"], "--stream": ["1", "0"], "--tolerance": "1000", "--output": "OUT", "--format": "ndjson",
    "--dialect": ["record.py", "small", "json", "v5"], "--compression": ["none", "lz4", "gzip"], "--layout": ["cb2", "cb3e"],
    "--from": ["+0.25", "+1.5"], "--to": "+0.1", "--every": "7", "--grid": "10ms", "--changes": "robot_mode", "--enums": ["name", "both"], "--manifest": "manifest.json",
    "--after": "sidecars", "--width": "900", "--height": "2000", "--columns": "2-7", "--generation": "cb2", "--enum": "robot_mode",
    "--packet": "9", "--file": ["1", "2"], "--key": "other", "--setup": "1", "--hex": "0005560002",
    ("compare", "--stream"): ["0,1", "0,2"], ("plot", "--format"): ["png", "html"], ("recipe", "--from"): "stop.pcap",
    "--kaitai": ["realtime", "rtde", "primary"], ("index", "--output"): "other/", ("recipe", "--layout"): "cb3e", ("recipe", "--columns"): "2-7",
    ("recipe", "--fields"): "actual_qd", ("serve", "--layout"): "1108", ("serve", "--format"): "x", ("serve", "--fill"): "payload=1",
    "--listen": "127.0.0.1", "--ports": "30004", "--speed": "2", "--gaps": "keep", "--fill": "payload=1",
    "--robot": "10.0.0.2", "--controller-version": "5.11", "--hide": "payload", "--in-use": "speed_slider_mask",
    "--max-protocol": "2", "--text": "x", "--stub": "none", "--hz": "25", "--on-loss": "hold", "--allow-from": "127.0.0.1",
    ("watch", "--page"): ["joints", "fields"], "--for": "1s", "--rotate": "1h", "--keep": "1G", "--sync": "7",
}

INPUTS = (["late.pcap"], ["stop.pcap"], ["both.pcap.gz"], ["other-port.pcap"], ["dump"], ["second.pcap", "first.pcap"], ["ur.pcap.gz"],
          ["gap.pcap"], ["modes.pcap.gz"], ["several.pcapng"], ["driver.pcap.gz"],
          ["guess.pcap"], ["differs.pcap"], ["both-late.pcap"], ["formula.pcap"], ["realtime.dump"],
          ["--stream", "0", "inputs.pcap"], ["--stream", "1", "inputs.pcap"], ["ur-late.pcap"])
RECIPES = (["--from", "stop.pcap", "--from", "refused.pcap"], *(["--from", one[-1]] for one in INPUTS))
FORMATS = (["-f", "csv"], ["-f", "csv", "--dialect", "record.py"], ["-f", "gnuplot"], ["-f", "ndjson"],
           ["-f", "parquet", "-o", "out.parquet"], ["-f", "npz", "-o", "out.npz"], ["-f", "arrow", "-o", "out.arrow"], ["-f", "mcap", "-o", "out.mcap"],
           ["-f", "mcap", "--dialect", "json", "-o", "out.mcap"], ["-f", "mat", "-o", "out.mat"], ["-f", "h5", "-o", "out.h5"])
# Command, the words that make the mode, and what is read: one after another, until there is an effect.
MODES = [
    *[(command, mode, INPUTS) for command in ("info", "diagnose", "compare", "infer", "stats") for mode in ([], ["--json"])],
    *[("watch", mode, INPUTS) for mode in (["--once"], ["--json"])],
    ("infer", ["--no-handshake"], INPUTS),
    ("diagnose", ["--list"], ([],)), ("diagnose", ["--list", "--json"], ([],)),
    ("diagnose", ["--around", "safety.stop"], INPUTS),
    *[("export", mode, INPUTS) for mode in FORMATS],
    ("export", ["--commands"], (["ur.pcap.gz"], *INPUTS)), ("export", ["--commands", "-f", "ndjson"], (["ur.pcap.gz"], *INPUTS)),
    ("export", ["--union"], INPUTS), ("export", ["--split", "-o", "out.csv"], INPUTS),
    ("export", ["-o", "folder/", "-f", "parquet"], INPUTS), ("export", ["--to-robot"], INPUTS),
    ("plot", [], INPUTS), ("plot", ["-f", "html"], INPUTS), ("plot", [], [["--around", "safety.stop", *files] for files in INPUTS] + [["--around", "silence", "guess.pcap"]]),
    ("report", ["-o", "out.html"], INPUTS), ("index", ["-o", "new"], INPUTS),
    ("merge", [], (["summary.json"], ["findings.json"])), ("dissector", [], ([],)),
    *[("fields", mode, ([],)) for mode in ([], ["--json"], ["actual_q"], ["--columns", "50,74-79"], ["--enum", "robot_mode"], ["--error"],
                                         ["--kaitai", "rtde"])],
    *[("recipe", mode, ([],)) for mode in (["--columns", "50,74-79"], ["--fields", "actual_q"], ["--layout", "1060"], ["--list"],
                                          ["@record.py-2.7.12"])],
    *[("recipe", mode, RECIPES) for mode in ([], ["--plain"], ["--json"], ["--accepted"])],
    *[("explain", ["--packet", "9"] + mode, INPUTS) for mode in ([], ["--json"])],
    *[("explain", ["--hex", "000d5501000000000000000000"] + mode, ([],)) for mode in ([], ["--json"])],
]


def options_of(command):
    """[(name, value)] of the help; value None: the option takes none."""
    text = subprocess.run([ARMTAP, command, "--help"], capture_output=True, text=True, env=ENV, check=True).stdout
    found = []
    for line in re.findall(r"^  (-.*)$", text.split("\nOptions:\n")[1].split("\nExample:")[0], re.M):
        head = re.split(r"  +", line)[0]
        name, value = re.fullmatch(r"(?:-\w, )?(--[\w-]+)(.*)", head).groups()
        found.append((name, value.strip(" ") or None))
    return found


def values_of(command, name, value):
    """How the option may be given."""
    if value is None or value.startswith("[="):
        return [[name]]
    given = VALUES.get((command, name), VALUES.get(name))
    expect("%s %s: the test knows a value" % (command, name), given is not None)
    return [[name, one] for one in (given if isinstance(given, list) else [given])]


# ---- captures in which each option can have an effect ------------------------------------------------------------------

def packets_of(path):
    """(the file's head, [(head, bytes)]) of a pcap file in either byte order."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    order = "<" if data[0] in (0xd4, 0x4d) else ">"
    packets, at = [], 24
    while at < len(data):
        length = struct.unpack_from(order + "I", data, at + 8)[0]
        packets.append((data[at:at + 16], data[at + 16:at + 16 + length]))
        at += 16 + length
    return data[:24], packets


def write_capture(path, head, packets):
    with open(path, "wb") as file:
        file.write(head + b"".join(first + rest for first, rest in packets))


def ports_of(packet):
    """Of Ethernet, IPv4 without options, TCP."""
    return struct.unpack_from(">HH", packet[1], 34)


def with_ports(packet, change):
    """The packet with change(port) in place of its ports."""
    head, data = packet
    data = bytearray(data)
    struct.pack_into(">HH", data, 34, *map(change, ports_of(packet)))
    return head, bytes(data)


def is_rtde_data(packet):
    data = packet[1][54:]
    return ports_of(packet)[0] == 30004 and len(data) > 200 and data[2:3] == b"U"


def with_difference(packet):
    """The second value of the package is a little larger."""
    head, data = packet
    at = 54 + 3 + 1 + 8
    return head, data[:at + 7] + bytes([data[at + 7] ^ 1]) + data[at + 8:]


def make_guess(path):
    """The early ROS driver's recipe, without its handshake, and the legacy stream beside it."""
    capture, robot = Capture(), "10.0.0.2"
    for i in range(200):
        time = 0.008 * i + (3 if i >= 150 else 0)
        q = [0.5 * math.sin(1.5 * time + joint) + 0.3 * joint + 0.4 for joint in range(6)]
        qd = [0.75 * math.cos(1.5 * time + joint) for joint in range(6)]
        data = b"\1" + struct.pack(">d6d6dddI", 500 + time, *q, *qd, 1.0, 0.8, 2)
        capture.segment(time, (robot, 30004), ("10.0.0.9", 40001), message("U", data))
        capture.segment(time, (robot, 30003), ("10.0.0.9", 40002), struct.pack(">Id", 1060, 500 + time) + bytes(1048))
    capture.write(path)


def make_inputs(path):
    """What clients sent: a field with names, and a text that a spreadsheet would run."""
    capture, robot, client = Capture(), ("10.0.0.2", 30004), ("10.0.0.9", 40001)
    for flags, (source, target) in ((2, (client, robot)), (0x12, (robot, client)), (0x10, (client, robot))):
        capture.segment(0, source, target, b"", flags)
    capture.segment(0, client, robot, message("V", b"\0\2"))
    capture.segment(0, robot, client, message("V", b"\1"))
    capture.segment(0, client, robot, message("I", b"standard_analog_output_type"))
    capture.segment(0, robot, client, message("I", b"\1UINT8"))
    capture.segment(1, client, robot, message("U", b"\1\1"))
    capture.segment(1, ("10.0.0.2", 29999), client, b"Connected: Universal Robots Dashboard Server\n")
    capture.segment(1, client, ("10.0.0.2", 29999), b"robotmode\n=play\n")
    capture.write(path)


def make_captures():
    sample = lambda name: os.path.join(TOP, "captures", name)  # noqa: E731
    for name, target in (("rtde-stop.pcap", "stop.pcap"), ("both-streams.pcap.gz", "both.pcap.gz"), ("ur-rtde.pcap.gz", "ur.pcap.gz"),
                         ("rtde-refused.pcap", "refused.pcap"), ("cb2-812.pcap.gz", "modes.pcap.gz"),
                         ("several-clients.pcapng", "several.pcapng"), ("driver-stop.pcap.gz", "driver.pcap.gz")):
        os.symlink(sample(name), target)
    head, packets = packets_of(sample("rtde-stop.pcap"))
    write_capture("late.pcap", head, packets[40:])
    write_capture("first.pcap", head, packets[:200])
    write_capture("second.pcap", head, packets[200:])
    write_capture("gap.pcap", head, packets[:120] + packets[140:])
    write_capture("other-port.pcap", head, [with_ports(one, lambda port: 40004 if port == 30004 else port) for one in packets])
    make_guess("guess.pcap")
    make_inputs("inputs.pcap")
    head, packets = packets_of(sample("aubo-two-arms.pcap.gz"))
    write_capture("formula.pcap", head, [(one, data.replace(b"R1_message", b"=1_message")) for one, data in packets])
    head, packets = packets_of(sample("both-streams.pcap.gz"))
    data = [i for i, one in enumerate(packets) if is_rtde_data(one)]
    write_capture("differs.pcap", head, [with_difference(one) if i == data[30] else one for i, one in enumerate(packets)])
    write_capture("both-late.pcap", head, [one for i, one in enumerate(packets) if i >= data[0] or 30004 not in ports_of(one)])
    head, packets = packets_of(sample("ur-rtde.pcap.gz"))
    write_capture("ur-late.pcap", head, packets[60:])
    with open("labels.txt", "w", encoding="ascii") as file:
        file.write("10.0.0.2 cell-3\n")
    with open("dump", "wb") as file:  # of which nobody knows what it is
        file.write(b"x\n")
    with open("realtime.dump", "wb") as file:
        file.write(b"".join(struct.pack(">Id", 1060, 1 + 0.008 * i) + bytes(1048) for i in range(5)))
    for source, stream, target in (("stop.pcap", "0", "recipe.txt"), ("differs.pcap", "1", "recipe-both.txt"),
                                   ("ur.pcap.gz", "0", "recipe-ur.txt")):
        with open(target, "w") as file:
            subprocess.run([ARMTAP, "recipe", "--from", source, "--stream", stream, "--plain"], stdout=file, check=True)
    subprocess.run([ARMTAP, "index", "-o", "sidecars", "first.pcap", "second.pcap"], check=True, capture_output=True)
    for words, target in ((("info",), "summary.json"), (("diagnose",), "findings.json")):
        with open(target, "w") as file:
            subprocess.run([ARMTAP, *words, "--json", "gap.pcap"], stdout=file, stderr=subprocess.DEVNULL, env=ENV)


# ---- runs ---------------------------------------------------------------------------------------------------------------

def outcome(words):
    """(status, standard output, standard error, the files written)."""
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir("."):
            os.symlink(os.path.abspath(name), os.path.join(folder, name))
        before = set(os.listdir(folder))
        done = subprocess.run([ARMTAP, *words], cwd=folder, env=ENV, capture_output=True, stdin=subprocess.DEVNULL)
        written = []
        for where, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(where, name)
                if not os.path.islink(path):
                    with open(path, "rb") as file:
                        written.append((os.path.relpath(path, folder), file.read()))
        written += [name for name in os.listdir(folder) if name not in before]
        return done.returncode, done.stdout, done.stderr.decode(), sorted(map(str, written))


_known = {}


def usual(words):
    if tuple(words) not in _known:
        _known[tuple(words)] = outcome(words)
    return _known[tuple(words)]


def is_refused(option, result):
    """Whatever is read: a stream of that number may be missing in one capture and not in another."""
    rules = r"%s(?![-\w]).*(remove |works only with|needs --|no use for)|(remove|no use for) %s(?![-\w])" % (option, option)
    return result[0] == 2 and result[1] == b"" and re.search(rules, result[2])


def given_without(words, option):
    return option in words or (option == "--output" and "-o" in words) or (option == "--format" and "-f" in words)


def judge(command, mode, inputs, name, ways):
    """What the option does in the mode: 'effect', 'refused' or 'hole'."""
    said, beside = [], COMPANIONS.get((command, name), [])
    if beside and is_refused(beside[0], usual([command, *mode, *beside, *inputs[0]])):
        beside = []
    for files in inputs:
        if len(said) > 2 and all(said):  # refusals do not depend on what is read
            break
        for way in ways:
            with_it = outcome([command, *mode, *beside, *way, *files])
            if is_refused(name, with_it):
                said.append(with_it[2])
            elif with_it != usual([command, *mode, *beside, *files]):
                return "effect", ""
            else:
                said.append("")
    return ("refused", said[0]) if all(said) else ("hole", "")


def check_modes():
    """Each option in each mode."""
    cases = [(command, mode, inputs, name, value) for command, mode, inputs in MODES for name, value in options_of(command)
             if name not in ANYWHERE | ENDLESS and (command, name) not in KEPT and not given_without(mode, name)
             and not KEPT_BESIDE & {(one, name) for one in mode}]
    effects = {}
    for command, name, value in {(case[0], *case[3:]) for case in cases}:  # each, whatever the share
        values_of(command, name, value)
    for command, mode, inputs, name, value in share(cases, ONE_IN, "options in each mode"):
        found, said = judge(command, mode, inputs, name, values_of(command, name, value))
        what = " ".join([command, *mode])
        expect("%s: %s has an effect or is refused" % (what, name), found != "hole")
        if found == "refused":
            expect("%s: %s: one line" % (what, name), said.count("\n") == 1, said)
        effects.setdefault((command, name), set()).add(found)
    for (command, name), found in effects.items():
        needs_terminal = (command, name) == ("watch", "--speed")
        of_robots = needs_terminal or name in ("--filter", "--all", "--frequency", "--give-up") or (
            name in ("--fields", "--strict", "--no-primary") and command in ("info", "diagnose", "compare", "watch")) or (
            (command, name) == ("stats", "--strict"))
        is_mode = any(name in mode for its, mode, _ in MODES if its == command)
        if ALL and not of_robots and not is_mode:
            expect("%s %s has an effect somewhere" % (command, name), "effect" in found)


# ---- sources: what is refused before anything is opened ------------------------------------------------------------------

OF_CAPTURES = ["--port", "--no-guess", "--raw", "--filter", "--follow", "--sort", "--after", "--file", "--speed", "--loop", "--text",
               "--hide", "--gaps", "--no-wait"]
OF_RTDE = ["--recipe", "--all", "--frequency"]
OF_ROBOTS = ["--give-up", "--layout", "--hz", "--on-loss"]


def check_sources():
    """With a robot, or -i, on no host: what belongs to other sources is refused, and no more."""
    for command in ("info", "diagnose", "compare", "export", "record"):
        for name, value in share(options_of(command), 8, "options with each source"):
            way = values_of(command, name, value)[0]
            other = ["--json"] if name == "--after" and command != "export" else []
            for source in ("rtde://no host", "realtime://no host"):
                wanted = name in OF_CAPTURES or (name in OF_RTDE + (["--fields", "--strict"] if command != "export" else [])
                                                 and source[1] == "e")
                status, _, said, _ = outcome([command, *way, *other, source])
                refused = re.search(re.escape(name) + " works only with", said)
                if name != "--help":
                    expect("%s %s %s" % (command, name, source), status == 2 and bool(refused) == wanted, said)
    for name in OF_CAPTURES[8:]:
        way = values_of("serve", name, dict(options_of("serve"))[name])[0]
        said = outcome(["serve", *way, "rtde://no host"])[2]
        expect("serve %s with a robot" % name, "serve: %s works only with a capture" % name in said, said)
    for name in OF_ROBOTS:
        way = values_of("serve", name, dict(options_of("serve"))[name])[0]
        said = outcome(["serve", *way, "stop.pcap"])[2]
        expect("serve %s with a capture" % name, "serve: %s works only with a robot" % name in said, said)
    for way in (["--follow"], ["--sort"], ["--raw", "rtde"], ["--fields", "actual_q"], ["--all"], ["--strict"]):
        said = outcome(["info", "-i", "no interface", *way])[2]
        expect("info -i %s" % way, "info: %s works only with" % way[0] in said, said)


# ---- twice --------------------------------------------------------------------------------------------------------------

REPEATED = {"--label", "--port", "--hide", "--in-use", "--fill", "--allow-from", "--rotate"}


def check_twice(commands):
    for command in commands:
        for name, value in share(options_of(command), 8, "options given twice"):
            if name == "--help" or name in REPEATED or (command, name) in (("recipe", "--from"), ("compare", "--stream")):
                continue
            way = values_of(command, name, value)[0]
            status, _, said, _ = outcome([command, *way, *way, "nofile.pcap"])
            expect("%s %s twice" % (command, name), status == 2 and "%s is used twice" % name in said, said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_captures()
        check_modes()
        check_sources()
        check_twice(sorted({command for command, _, _ in MODES} | {"record", "proxy", "serve"}))
        os.chdir("/")
    return finish()


sys.exit(main())
