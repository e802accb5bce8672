#!/usr/bin/env python3
"""Robots as sources of info, export, diagnose and compare: rows are what the controller sent, times are the kernel's, a slow
reader costs rows but never the robot's time, bad peers get a message, and signals end it in every state."""
import csv
import fcntl
import functools
import io
import json
import os
import re
import resource
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import wire  # noqa: E402
from controller import Controller, Faults, text  # noqa: E402
from peers import GARBAGE, Peer, closing, for_ever, once, silent  # noqa: E402
from program import ARMTAP, PATIENCE, Run  # noqa: E402
from robot import Robot  # noqa: E402
from tally import Late, endings, expect, finish, in_time, is_left_to_linux, is_sanitized, lacks, share, side_by_side, skips, wait_for  # noqa: E402

LEGACY = 36  # fields of a legacy packet that RTDE has
GOOD_BYE = 0.5  # s that a robot has to answer P: all that it sent until then are rows
SIGNALS = endings()
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup


def url(controller, role="rtde", host=None):
    return "%s://%s:%d" % ("rtde" if role == "rtde" else "realtime", host or controller.host, controller.port[role])


def seen(controller, count, role="rtde"):
    return controller.wait_for(lambda: controller.counts[role, "records"] >= count, PATIENCE)


# ---- rows --------------------------------------------------------------------------------------------------------------


def plain(value):
    return value[0] if len(value) == 1 else list(value)


def on_time(name, run, whole):
    """A good-bye that took too long may lack its answer, and even itself at the robot: both say nothing then."""
    if not whole and run.lasted >= GOOD_BYE:
        raise Late("%s: the good-bye took %.2f s" % (name, run.lasted))


def check_rows(name, run, records, protocol="rtde"):
    """ndjson against the controller's log."""
    rows = [json.loads(line) for line in run.printed().splitlines()]
    on_time(name, run, len(rows) >= len(records))
    expect(name + ": as many rows as were sent", len(rows) == len(records) > 0, len(rows), len(records), run.lasted, run.said())
    for row, record in zip(rows, records):
        wanted = {key: plain(value) for key, value in record.values.items()}
        got = {key: row.get(key) for key in wanted}
        if got != wanted or row["protocol"] != protocol or row["time"] * 1e9 + 1000 < record.time:
            expect(name + ": a row is what was sent", False, {key: (got[key], wanted[key]) for key in got
                                                             if got[key] != wanted[key]}, row["time"], record.time)
            return rows
    expect(name + ": times rise", all(a["time"] <= b["time"] for a, b in zip(rows, rows[1:])))
    return rows


def export_rtde():
    for name, options, count in (("default", [], LEGACY), ("all", ["--all"], 85),
                                 ("fields", ["--fields", "actual_q_1,output_int_register_0,packet,time,*_mode"], 10),
                                 ("known", ["--recipe", "@ur_rtde-control-1.3.9-upper"], 10), ("slower", ["--frequency", "125"], LEGACY)):
        with Controller(roles={"rtde": 0}) as one:
            run = Run("export", "-f", "ndjson", url(one), *options)
            expect(name + ": data comes", seen(one, 60), run.said())
            expect(name + ": ends", run.end() == 0, run.status, run.said())
            names = dict(event.data for event in one.events("request"))["O"][8:].decode().split(",")
            expect(name + ": fields asked for", count in (None, len(names)), len(names), names)
            wait_for(lambda: "P" in one.requests(), GOOD_BYE)
            on_time(name, run, "P" in one.requests())
            expect(name + ": paused at the end", one.requests() == list("VvOSP"), one.requests())
            expect(name + ": says what was agreed", re.search(r"connected: RTDE protocol 3, controller 5\.11\.0\.108249, %d "
                                                             r"fields, asked for %s Hz" % (len(names), "125" if name == "slower" else
                                                                                   "500"), run.said()), run.said())
            if name == "fields":
                check_selected(run.printed(), one.records_sent(1))
            else:
                check_rows(name, run, one.records_sent(1))


def check_selected(printed, records):
    rows = [json.loads(line) for line in printed.splitlines()]
    expect("fields: rows", len(rows) == len(records))
    expect("fields: the element, the register, the modes",
           all(row["actual_q_1"] == record.values["actual_q"][1] and row["output_int_register_0"] == 1 and
               row["robot_mode"] == 7 and "timestamp" not in row for row, record in zip(rows, records)), rows[:1])


def export_realtime():
    with Controller(roles={"realtime_ro": 0}) as one:
        run = Run("export", "-f", "ndjson", url(one, "realtime_ro"))
        expect("realtime: data comes", seen(one, 50, "realtime_ro"))
        expect("realtime: all is read", one.settle())
        expect("realtime: ends", run.end() == 0, run.status, run.said())
        sent = one.sent(1)
        rows = [json.loads(line) for line in run.printed().splitlines()]
        expect("realtime: rows", len(rows) == len(sent) // 1220, len(rows), len(sent) // 1220)
        for i, row in enumerate(rows):
            cells = struct.unpack_from(">i152d", sent, 1220 * i)
            if row["timestamp"] != cells[1] or row["actual_q"] != list(cells[32:38]):
                expect("realtime: a row is what was sent", False, row, cells)
                break


def protocols():
    """Older controllers, and what may stand between packages."""
    faults = {"protocol 2": (Faults(max_version=2), 2), "protocol 1": (Faults(max_version=1), 1),
              "data before the reply": (Faults(data_before_start=3, data_after_pause=20), 3),
              "texts": (Faults(inject={n: text("hello %d" % n) for n in range(0, 30, 3)}), 3),
              "small segments": (Faults(pieces=97), 3)}
    for name, (fault, version) in faults.items():
        with Controller(roles={"rtde": 0}, robot=Robot(hz=125), faults=fault) as one:
            run = Run("export", "-f", "ndjson", url(one))
            expect(name + ": data comes", seen(one, 30), run.said())
            expect(name + ": ends", run.end() == 0, run.status, run.said())
            check_rows(name, run, one.records_sent(1))
            expect(name + ": version", "RTDE protocol %d" % version in run.said(), run.said())


def names_it_lacks():
    with Controller(roles={"rtde": 0}, faults=Faults(hide=("payload_inertia", "elbow_position"))) as one:
        run = Run("export", "-f", "ndjson", url(one))
        seen(one, 20)
        run.end()
        expect("left out: status", run.status == 0, run.status, run.said())
        expect("left out: named, with the release", re.search(r"warning: .*elbow_position.*5\.0\.0.*payload_inertia", run.said()),
               run.said())
        check_rows("left out", run, one.records_sent(1))
        run = Run("export", "--fields", "elbow_position_1,actual_q_0,payload_inertia", url(one))
        seen(one, one.counts["rtde", "records"] + 20)
        run.end()
        expect("left out of those asked for", run.status == 0 and run.printed().startswith("time,actual_q_0\n") and
               "left out" in run.said(), run.status, run.said(), run.printed()[:80])
        run = Run("export", "--fields", "actual_q_0,actual_q_9", url(one))
        expect("no such element", run.wait() < PATIENCE and run.status == 2, run.status, run.said())
        run = Run("export", "-f", "ndjson", "--strict", url(one))
        expect("strict: ends by itself", run.wait() < PATIENCE and run.status == 2, run.status, run.said())
        expect("strict: names it", "payload_inertia" in run.said(), run.said())
    with Controller(roles={"rtde": 0}) as one:
        run = Run("export", "--fields", "no_such_field", url(one))
        expect("none known: ends by itself", run.wait() < PATIENCE, run.said())
        expect("none known: status", run.status == 2, run.status, run.said())


def names_are_listed_whole():
    """However many names a robot lacks, each is named, with its releases, and no line is cut."""
    outputs = run_fields()
    for count in (1, 6, 30, 80):
        hidden = outputs[1:1 + count]
        with Controller(roles={"rtde": 0}, faults=Faults(hide=tuple(hidden))) as one:
            run = Run("export", "-f", "ndjson", "--all", url(one))
            seen(one, 20)
            run.end()
            lines = [line for line in run.said().splitlines() if "left out" in line]
            named = [name for line in lines for name in re.findall(r"\b[a-z]\w*_\w+\b", line)]
            expect("%d names: status" % count, run.status == 0, run.status, run.said())
            expect("%d names: each once" % count, sorted(named) == sorted(hidden), set(hidden) ^ set(named), lines)
            expect("%d names: whole lines" % count, lines and all(len(line) < 560 and line.endswith(": left out") for line in lines), lines)


def run_fields():
    """Outputs that --all asks for, which the fake controller has; names with an underscore."""
    with Controller(roles={"rtde": 0}) as one:
        run = Run("export", "-f", "ndjson", "--all", url(one))
        seen(one, 5)
        run.end()
        found = run.printed().splitlines()
        return [name for name in json.loads(found[0]) if "_" in name and name in one.records_sent(1)[0].values]


MEANT = {"actual-q": r"'actual-q'.*; did you mean actual_q\?", "robot_mod": r"robot_mod \(did you mean robot_mode\?\)",
         "joint_temperature": r"joint_temperature \(did you mean joint_temperatures\?\)",
         "payload_inertia": r"payload_inertia \([a-z ]*introduced in ", "speed_slider_mask": r"speed_slider_mask \(an input\)",
         "zzz_unheard_of": "zzz_unheard_of", "actual_wibble*": "no output of RTDE matches 'actual_wibble\\*'"}
NONE_LEFT = (["actual-q"], ["payload_inertia"], ["speed_slider_mask"], ["zzz_unheard_of", "robot_mod"], ["actual_wibble*", "joint_temperature"])


def one_rule():
    """A name that the robot lacks is left out with a warning that says which, and what was probably meant; without any that is left,
    or with --strict, every command ends with status 2 before it writes anything, but for what record, info and
    diagnose show of the refusal.
    What was there stays."""
    with tempfile.TemporaryDirectory() as folder, Controller(roles={"rtde": 0}, faults=Faults(hide=("payload_inertia",))) as one:
        old, out = b"what was there", folder + "/out."
        for kind in "pcapng", "csv", "parquet", "mcap":
            with open(out + kind, "wb") as file:
                file.write(old)
        commands = [("record", "-o", out + "pcapng"), ("record", "-o", "-"), ("record", "-o", folder + "/%Y.pcapng"), ("export",), ("export", "-f", "ndjson"),
                    ("export", "-o", out + "csv"), ("export", "-o", out + "parquet"), ("export", "-o", out + "mcap"), ("export", "-f", "parquet", "-o", folder + "/parts/"),
                    ("info",), ("info", "--json"), ("diagnose",), ("diagnose", "--json"), ("compare",), ("compare", "--json")]
        for i, command in enumerate(commands):
            sources = [url(one)] + ([url(one)] if command[0] == "compare" else [])
            wanted = NONE_LEFT[i % (len(NONE_LEFT) - (command[0] == "export"))]
            for names, options, status in ((wanted, [], 2), (["actual_q", wanted[0]], ["--strict"], 2)):
                name = " ".join((*command, *options, "--fields", ",".join(names)))
                run = Run(*command, *options, "--fields", ",".join(names), *sources)
                lasted = run.wait()
                expect(name + ": ends by itself", lasted < PATIENCE and run.status == status, run.status, run.said())
                expect(name + ": says which, and what was meant", "already exists" in run.said() or all(re.search(MEANT[each], run.said()) for each in names if each in MEANT), run.said())
                if command[0] not in ("record", "diagnose", "info"):
                    expect(name + ": writes nothing", run.printed() == "", run.printed()[:200])
        for kind in "pcapng", "csv", "parquet", "mcap":
            with open(out + kind, "rb") as file:
                expect("%s: what was there stays" % kind, file.read() == old)
        left = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names if not name.startswith("20")]
        expect("nothing else is there", sorted(left) == sorted(out + kind for kind in ("pcapng", "csv", "parquet", "mcap")), left)
        for command in ("record", "-o", folder + "/new.pcapng"), ("export", "-f", "ndjson"), ("info", "--json"), ("diagnose", "--json"):
            before = one.counts["rtde", "records"]
            run = Run(*command, "--fields", "actual_q," + ",".join(name for name in MEANT if "*" not in name or command[0] != "export"), url(one))
            seen(one, before + 20)
            expect("%s: goes on with what is left" % command[0], run.end() == 0, run.status, run.said())
            expect("%s: says what is left out" % command[0], all(re.search(text, run.said()) for name, text in MEANT.items()
                                                                                if "*" not in name or command[0] != "export") and "left out" in run.said(), run.said())


# ---- the other commands, several robots --------------------------------------------------------------------------------


def several():
    with Controller(roles={"rtde": 0, "realtime_ro": 0}) as one:
        sources = [url(one), url(one, "realtime_ro")]
        for command, options in (("info", ["--json"]), ("diagnose", ["--json"]), ("compare", ["--json"])):
            before = one.counts["rtde", "records"]
            run = Run(command, *options, *sources)
            expect(command + ": data comes", seen(one, before + 200), run.said())
            status, told = run.end(), json.loads(run.printed())
            if command == "diagnose" and "rate.low" in [found["id"] for found in told["findings"]]:
                raise Late("the fake robot")  # which a busy machine slows down
            expect(command + ": ends", status == 0, run.status, run.said())
            if command == "info":
                streams = {stream["protocol"]: stream for stream in told["streams"]}
                expect("info: streams", set(streams) == {"rtde", "realtime"}, told)
                expect("info: robots", [streams[name]["robot"] for name in ("rtde", "realtime")] ==
                       ["127.0.0.1:%d" % one.port[role] for role in ("rtde", "realtime_ro")])
                expect("info: fields", len(streams["rtde"]["fields"]) == LEGACY)
            elif command == "diagnose":
                # The fake robot's poses have nothing to do with its joints.
                expect("diagnose: nothing about the network", {found["id"] for found in told["findings"]} ==
                       {"tcp.closed", "model.mismatch"}, told)
            else:
                verdicts = [field["verdict"] for field in told["fields"]]
                expect("compare: all equal", told["pairs"] > 100 and verdicts.count("equal") == LEGACY and
                       set(verdicts) == {"equal", "only-legacy"}, told["pairs"], verdicts)


def live_findings():
    """diagnose prints findings while it reads."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=125), faults=Faults(inject={40: text("joint 3 is warm", "", wire.WARNING)})) as one:
        run = Run("diagnose", url(one))
        expect("a finding at once", run.until(lambda: "joint 3 is warm" in os.pread(run.out.fileno(), 1 << 16, 0).decode()))
        expect("it ends", run.end() == 1, run.status)
        expect("it says what it cannot know", "read from a socket" in run.printed(), run.printed())


def left_out_is_no_fault():
    """Names that armtap asked for and left out are no fault of the robot, in live use and in a recording."""
    with Controller(roles={"rtde": 0}, faults=Faults(hide=("payload_inertia", "elbow_position"))) as one, \
            tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "r.pcapng")
        for arguments in (["diagnose", "--json", url(one)], ["info", "--json", url(one)], ["record", "-o", file, url(one)]):
            before = one.counts["rtde", "records"]
            run = Run(*arguments)
            expect(arguments[0] + ": data comes", seen(one, before + 100), run.said())
            expect(arguments[0] + ": status", run.end() == 0, run.status, run.said(), run.printed())
            expect(arguments[0] + ": no finding", "rtde.field.not-found" not in run.printed(), run.printed())
        for command in ("diagnose", "info"):
            run = Run(command, "--json", file)
            run.wait()
            expect(command + " of a recording", run.status == 0 and "rtde.field.not-found" not in run.printed(), run.printed())
        run = Run("diagnose", "--strict", "--json", url(one))
        run.wait()
        expect("--strict: a fault", run.status != 0 and "payload_inertia is not known" in run.printed(), run.status, run.printed())


def restarted():
    """A clock that fell between two connections is what happened; the reset is only how it looked."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=125, uptime=500.0)) as one, tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "r.pcapng")
        runs = [Run("diagnose", "--json", url(one)), Run("record", "-o", file, url(one))]
        expect("restarted: data", one.wait_for(lambda: len(one.links) == 2 and seen(one, 60)), runs[0].said())
        one.reboot()
        expect("restarted: data again", one.wait_for(lambda: one.number >= 4 and all(
            len(one.records_sent(link)) > 30 for link in (3, 4))), runs[0].said())
        for run in runs:
            expect("restarted: ends", run.end() in (0, 1), run.status, run.said())
        of_file = Run("diagnose", "--json", file)
        of_file.wait()
        for run in (runs[0], of_file):
            told = json.loads(run.printed())
            found = [finding["args"] for finding in told["findings"] if finding["id"] == "clock.backwards"]
            expect("restarted: one finding", len(found) == 1 and found[0].get("case") == "restarted", told["findings"])
            expect("restarted: an incident", [one["what"] for one in told["incidents"]].count("clock.backwards") == 1, told["incidents"])


def silent_for_a_while():
    """What is lost on its way is sent again, and comes late: this was not sent."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=125)) as one:
        run = Run("diagnose", "--json", url(one))
        expect("silent: data comes", seen(one, 100), run.said())
        one.silence(3)
        expect("silent: data comes again", seen(one, 200), run.said())
        expect("silent: ends", run.end() in (0, 1), run.status)
        told = json.loads(run.printed())
        found = [finding["args"] for finding in told["findings"] if finding["id"] == "silence"]
        expect("silent: not sent", [(one["reason"], one.get("doubt")) for one in found] == [("not-sent", None)], run.printed())
        expect("silent: one incident", [(one["what"], one["side"]) for one in told["incidents"]] == [("silence", "robot")], run.printed())


def own_rate():
    """A controller that sends less than its release can, evenly: nobody asked for a number."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=100)) as one:
        run = Run("diagnose", "--json", url(one))
        expect("own rate: data comes", seen(one, 300), run.said())
        expect("own rate: ends", run.end() in (0, 1), run.status)
        found = [finding["id"] for finding in json.loads(run.printed())["findings"]]
        expect("own rate: not too low", "rate.low" not in found and run.status == 0, found, run.status)
        for asked in ("250", "500"):  # less than the release can, and as much
            before = one.counts["rtde", "records"]
            run = Run("diagnose", "--json", "--frequency", asked, url(one))
            expect("asked rate %s: data comes" % asked, seen(one, before + 150), run.said())
            expect("asked rate %s: ends" % asked, run.end() in (0, 1), run.status)
            found = [finding["id"] for finding in json.loads(run.printed())["findings"]]
            expect("asked rate %s: too low" % asked, "rate.low" in found, found)


def connects_again():
    with Controller(roles={"rtde": 0}, robot=Robot(hz=125, uptime=500.0)) as one:
        run = Run("export", "-f", "ndjson", url(one))
        seen(one, 30)
        one.reboot()
        expect("data arrives again", one.wait_for(lambda: one.number >= 2 and len(one.records_sent(2)) > 30), run.said())
        expect("ends", run.end() == 0, run.status, run.said())
        check_rows("two connections", run, one.records_sent(1) + one.records_sent(2))
        for pattern in (r"reset|closed the connection", "the controller was restarted", "data arrives again"):
            expect("says " + pattern, re.search(pattern, run.said()), run.said())


def cut_in_data():
    with Controller(roles={"rtde": 0}, robot=Robot(hz=500), faults=Faults(cut_after=9000)) as one:
        run = Run("export", "-f", "ndjson", url(one))
        expect("three connections", one.wait_for(lambda: one.number >= 3 and one.links == {}), run.said())
        run.end()
        records = [record for link in range(1, one.number + 1) for record in one.records_sent(link)]
        check_rows("cut in a record", run, records)


def one_table():
    """A file with one table goes on after a reboot."""
    with Controller(roles={"rtde": 0, "realtime": 0}, robot=Robot(hz=125, uptime=500.0)) as one:
        for role, options in (("rtde", ["--fields", "timestamp,actual_q,time,lost_s"]), ("realtime", ["--fields", "time,lost_s"])):
            begun, first = time.time(), one.number + 1
            run = Run("export", *options, url(one, role))
            seen(one, one.counts[role, "records"] + 30, role)
            one.reboot()
            expect(role + ": data comes again", one.wait_for(lambda: one.number > first and
                                                            len(one.records_sent(one.number)) > 30), run.said())
            expect(role + ": all is read", one.settle())
            expect(role + ": ends", run.end() == 0, run.status, run.said())
            one.silence(0)
            rows = list(csv.DictReader(io.StringIO(run.printed())))
            sent = sum(len(one.records_sent(number)) for number in range(first, one.number + 1))
            expect(role + ": rows of both connections", len(rows) == sent, len(rows), sent, run.said())
            holes = [float(row["lost_s"]) for row in rows if float(row["lost_s"] or 0) > 0]
            expect(role + ": the hole is shown", len(holes) == 1 and 0 < holes[0] < time.time() - begun, holes)


def until():
    """--to ends it."""
    for role in ("rtde", "realtime"):
        with Controller(roles={role: 0}) as one:
            run = Run("export", "--to", "+0.2", "--fields", "time", url(one, role))
            expect("--to: ends by itself", run.wait() < PATIENCE and run.status == 0, run.status, run.said())
            times = [float(row["time"]) for row in csv.DictReader(io.StringIO(run.printed()))]
            expect("--to: rows", times, run.said())
            in_time("--to: from the first to the last row", times[-1] - times[0], 0.2001)  # a late SYN is later than the first row
            in_time("--to: the first that is no row", times[0] + 0.2 - one.records[len(times)].time / 1e9, 0.12)
    with Controller(roles={"rtde": 0}, faults=Faults(unconfirmed=True)) as one:
        run = Run("export", "--to", "+0.2", url(one))
        expect("--to: a silent robot ends it, too", run.wait() < PATIENCE and run.status == 2, run.status, run.said())
        expect("--to: a silent robot: why", "no telemetry: " in run.said() and "sent no data" in run.said(), run.said())


def page():
    """The examples of docs/with-a-robot.md, with the controller in the robot's place."""
    with open(os.path.join(os.environ.get("srcdir") or os.path.join(HERE, "..", ".."), "docs", "with-a-robot.md")) as file:
        lines = re.findall(r"^    armtap (.*://.*)$", file.read(), re.M)
    expect("the page has examples", len(lines) >= 4, lines)
    with Controller(roles={"rtde": 0, "realtime_ro": 0}) as one, Controller(roles={"rtde": 0}) as other:
        addresses = {"rtde://10.0.0.2": url(one), "realtime://10.0.0.2": url(one, "realtime_ro"), "rtde://10.0.0.3": url(other)}
        for line in lines:
            before, words = one.counts["rtde", "records"], [addresses.get(word, word) for word in shlex.split(line)]
            run = Run(*words)
            expect(line + ": data comes", seen(one, before + 100), run.said())
            expect(line + ": ends", run.end() == 0, run.status, run.said())
            outputs = [word for before, word in zip(words, words[1:]) if before == "-o"]
            expect(line + ": output", run.printed() if not outputs else os.path.getsize(outputs[0]) > 100)


# ---- times -------------------------------------------------------------------------------------------------------------


def kernel_times():
    """The times of a capture of the same packets, but for the microsecond that the kernel takes from one to the other."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=50)) as one:
        file = os.path.abspath("lo.pcapng")
        dumpcap = None
        if shutil.which("dumpcap"):
            dumpcap = subprocess.Popen(["dumpcap", "-q", "-i", "lo", "-f", "tcp port %d" % one.port["rtde"], "-w", file],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            began = dumpcap.stderr.readline()
            while "File:" not in began and began:
                began = dumpcap.stderr.readline()
            if not began:
                dumpcap = None
        run = Run("export", "--fields", "time_ns,timestamp", url(one))
        seen(one, 40)
        run.end()
        ours = [(int(row["timestamp"].replace(".", "") or 0), int(row["time_ns"]), float(row["timestamp"]))
                for row in csv.DictReader(io.StringIO(run.printed()))]
        sent = {record.values["timestamp"][0]: record.time for record in one.records_sent(1)}
        expect("rows", len(ours) >= 40, run.said())
        expect("not before it was sent", all(row[1] >= sent[row[2]] for row in ours))
        late = sorted(row[1] - sent[row[2]] for row in ours)
        expect("soon after it was sent", late[len(late) // 2] < 20e6, late)
        if not dumpcap:
            if shutil.which("dumpcap"):
                skips("dumpcap may not capture here")
            else:
                lacks("dumpcap (Debian: tshark)", "times of a capture")
            return
        time.sleep(0.5)
        dumpcap.send_signal(signal.SIGINT)
        dumpcap.wait()
        theirs = subprocess.run([ARMTAP, "export", "--port", "%d=rtde" % one.port["rtde"], "--fields", "time_ns,timestamp", file],
                                stdout=subprocess.PIPE, check=True, text=True).stdout
        pairs = [[int(line.split(",")[1]) for line in pair] for pair in zip(run.printed().splitlines()[1:], theirs.splitlines()[1:])]
        apart = sorted(our - their for our, their in pairs)
        if is_left_to_linux("times of a capture: those of packets are the program's own"):
            return
        expect("times of a capture", len(pairs) == len(ours) and apart[0] >= 0 and apart[len(apart) // 2] < 100e3, apart)


# ---- a slow reader -----------------------------------------------------------------------------------------------------


class Fast:
    """A controller that sends as many packages as asked for, and knows whether it ever had to wait."""

    NAMES = None

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.sent, self.waited, self.wanted, self.over = self.listener.getsockname()[1], 0, 0, 0, False
        threading.Thread(target=self.serve, daemon=True).start()

    def handshake(self, peer):
        packages, variables = wire.Packages(), wire.variables()
        while True:
            for kind, payload in packages.feed(peer.recv(65536)):
                if kind == "V":
                    peer.sendall(wire.package("V", b"\1"))
                elif kind == "v":
                    peer.sendall(wire.package("v", struct.pack(">4I", 5, 11, 0, 1)))
                elif kind == "O":
                    self.names = payload[8:].decode().split(",")
                    types = [variables[name][2] for name in self.names]
                    self.recipe = wire.Recipe(self.names, types)
                    peer.sendall(wire.package("O", b"\1" + ",".join(types).encode()))
                elif kind == "S":
                    peer.sendall(wire.package("S", b"\1"))
                    return

    def package(self, robot):
        values = robot.values(self.names, 0)
        values["timestamp"] = (float(self.sent),)
        return bytearray(wire.package("U", b"\1" + self.recipe.pack(values)))

    def serve(self):
        peer, _ = self.listener.accept()
        self.handshake(peer)
        package = self.package(Robot())
        self.size, begun = len(package), time.monotonic()
        at = 4  # header and id: the timestamp is first
        while not self.over:
            behind = min(self.wanted, int((time.monotonic() - begun) * 4000)) - self.sent
            for _ in range(max(0, behind)):
                struct.pack_into(">d", package, at, self.sent / 500)
                asked = time.monotonic()
                peer.sendall(package)
                self.waited = max(self.waited, time.monotonic() - asked)
                self.sent += 1
            if self.sent >= self.wanted:
                begun = time.monotonic() - self.sent / 4000
            time.sleep(0.002)
        peer.close()


def slow_reader():
    server = Fast()
    ours, theirs = os.pipe()
    run = Run("export", "--all", "--fields", "timestamp,actual_q,lost_bytes", "rtde://127.0.0.1:%d" % server.port, stdout=theirs)
    os.close(theirs)
    server.wanted = 16000  # 28 MB: more than is kept, while nobody reads
    expect("the robot may send all", run.until(lambda: server.sent == server.wanted), server.sent)
    chunks = []

    def read():
        while chunk := os.read(ours, 1 << 20):
            chunks.append(chunk)
    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(1)
    server.wanted += 2000
    expect("and goes on", run.until(lambda: server.sent == server.wanted), server.sent)
    time.sleep(1)
    server.over = True
    run.end()
    reader.join()
    rows = list(csv.DictReader(io.StringIO(b"".join(chunks).decode())))
    found = re.search(r"(\d+) records were dropped", run.said())
    dropped = int(found.group(1)) if found else 0
    expect("it says how many were dropped", dropped > 0, run.said())
    expect("each record is a row or was dropped", len(rows) + dropped == server.sent, len(rows), dropped, server.sent)
    expect("rows are whole", all(None not in row.values() and len(row) == 9 for row in rows))
    times = [float(row["timestamp"]) for row in rows]
    expect("rows are in order", times == sorted(times))
    expect("the newest are there", times[-1] == (server.sent - 1) / 500, times[-1])
    lost = [int(row["lost_bytes"]) for row in rows if row["lost_bytes"]]
    expect("the hole is in its place", sum(lost) == dropped * server.size, lost, dropped, server.size)
    # The robot's buffers are megabytes: it would have waited for seconds if armtap had not read.
    expect("the robot never waited", server.waited < 0.5, server.waited)
    expect("memory is bounded", is_sanitized() or run.usage.ru_maxrss < 100 * 1024, run.usage.ru_maxrss)


# ---- bad peers ---------------------------------------------------------------------------------------------------------


def resets(peer):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


PEERS = {
    "silent": (silent, r"does not answer"),
    "closing": (closing, r"closed the connection|reset the connection"),  # a reset, if our request is unread
    "resetting": (resets, r"reset the connection|closed the connection"),
    "garbage once": (once(GARBAGE), r"not RTDE|does not answer"),
    "garbage": (for_ever(GARBAGE), r"not RTDE|does not answer"),
    "zeros": (for_ever(bytes(8192)), r"not RTDE|does not answer"),
    "huge length": (once(b"\xff\xffV" + bytes(1000)), r"does not answer"),
    "huge data": (for_ever(b"\xff\xffU" + bytes(65532)), r"does not answer|not RTDE"),
    "http": (once(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 3), r"not RTDE|does not answer"),
    "half a reply": (once(b"\x00\x04V"), r"does not answer"),
    "texts": (for_ever(wire.text_package("busy", "", wire.INFO, 1)), r"does not answer"),
}
LEGACY_PEERS = {
    "silent": (silent, r"no data (arrives|has arrived)"),
    "closing": (closing, r"(closed|reset) the connection"),
    "garbage": (for_ever(GARBAGE), "not legacy realtime"),
    "huge length": (once(b"\x7f\xff\xff\xff" + bytes(5000)), r"no data (arrives|has arrived)|not legacy"),
}


def bad_peer(scheme, peers):
    """All peers of a kind at once, each a robot of its own: a message for each, little work, little memory."""
    servers = {name: Peer(act) for name, (act, _) in peers.items()}
    urls = {name: "%s://127.0.0.1:%d" % (scheme, server.port) for name, server in servers.items()}
    run = Run("export", "-f", "ndjson", "--fields", "actual_q", *urls.values())
    for name, (_, pattern) in peers.items():
        wanted = re.escape(urls[name]) + ".*(" + pattern + ")"
        expect(scheme + ", " + name + ": message", run.until(lambda wanted=wanted: re.search(wanted, run.said())), run.said())
    time.sleep(2)
    lasted = time.monotonic() - run.begun
    expect(scheme + ": ends", run.end() in (0, 2), run.status)
    expect(scheme + ": no values", "actual_q" not in run.printed(), run.printed())
    expect(scheme + ": bounded memory", is_sanitized() or run.usage.ru_maxrss < 120 * 1024, run.usage.ru_maxrss)
    counts = {name: server.count for name, server in servers.items()}
    expect(scheme + ": connects again, and not too often", all(count <= 2 + lasted * 4 for count in counts.values()) and
           counts["closing"] >= 2, counts, lasted)
    expect(scheme + ": few messages", len(run.said().splitlines()) < 6 * len(peers), run.said())


def bad_rtde():
    bad_peer("rtde", PEERS)


def bad_realtime():
    bad_peer("realtime", LEGACY_PEERS)


def no_data_is_no_success():
    """A peer that never answers as a robot: neither a report nor an empty table passes for one."""
    acts = {"silent": (silent, "accepted, but sent nothing"), "zeros": (once(bytes(3000)), "nothing that can be read")}
    for command in ("diagnose", "info", "export"):
        for name, (act, pattern) in acts.items():
            server = Peer(act)
            run = Run(command, "rtde://127.0.0.1:%d" % server.port)
            asked = run.until(lambda run=run: re.search(r"does not answer|not RTDE", run.said()))
            expect("%s, %s: asked" % (command, name), asked, run.said())
            expect("%s, %s: status" % (command, name), run.end() == 2, run.status, run.said())
            expect("%s, %s: why" % (command, name), re.search("no telemetry: .*" + pattern, run.said()), run.said())


def every_byte():
    """The set-up, cut after every byte: robots of their own in one run."""
    with Controller(roles={"rtde": 0}, running=False) as one:
        run = Run("export", "-f", "ndjson", "--fields", "actual_q", url(one))
        one.wait_for(lambda: one.events("request") and one.requests()[-1] == "S")
        whole = len(one.sent(1))
        run.end()
    expect("the set-up has replies", 30 < whole < 60, whole)
    controllers = [Controller(roles={"rtde": 0}, running=False, faults=Faults(cut_after=count, cut_by_reset=count % 2 == 1))
                   for count in range(whole)]
    for one in controllers:
        one.thread.start()
    run = Run("export", "-f", "ndjson", "--fields", "actual_q", *[url(one) for one in controllers])
    for one in controllers:
        expect("cut after %d bytes: it connects again" % one.faults.cut_after, one.wait_for(lambda one=one: one.number >= 2),
               run.said())
    expect("ends", run.end() in (0, 2), run.status)
    for one in controllers:
        expect("cut after %d bytes: message" % one.faults.cut_after, re.search(
            re.escape(url(one)) + ": the robot (closed|reset) the connection", run.said()), run.said())
        one.stop()


def little_work(name, arguments, pattern):
    """Nothing to do: a few per cent of a core at most."""
    run = Run("export", "-f", "ndjson", *arguments)
    run.says(pattern)
    time.sleep(3)
    lasted = time.monotonic() - run.begun
    expect(name + ": ends", run.end() in (0, 2), run.status, run.said())
    lines = run.said().splitlines()
    expect(name + ": nothing is said twice", len(set(lines)) == len(lines), lines)
    expect(name + ": sleeps", run.cpu() < 0.1 + lasted * 0.03, run.cpu(), lasted)


def sleeps_silent():
    peer = Peer(silent)
    little_work("silent", ["rtde://127.0.0.1:%d" % peer.port], "does not answer")


def sleeps_refused():
    with Controller(roles={"rtde": 0}) as one:
        one.refuse("rtde")
        one.wait_for(lambda: not one.listeners)
        little_work("refused", [url(one)], r"refuses connections: is its RTDE service on, under Settings > Security > Services")
        run = Run("export", "-f", "ndjson", url(one).replace("rtde", "realtime"))
        run.says("refuses connections.*armtap serve --layout")
        run.end()


def sleeps_unconfirmed():
    with Controller(roles={"rtde": 0}, faults=Faults(unconfirmed=True)) as one:
        little_work("unconfirmed", [url(one)], "SafetySetup has not been confirmed")
        expect("unconfirmed: it stays connected", one.number == 1, one.number)


def no_answer():
    """A full backlog: SYN gets no answer."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        filling = [socket.socket() for _ in range(4)]
        for one in filling:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        little_work("no answer", ["rtde://127.0.0.1:%d" % listener.getsockname()[1]], "the robot does not answer: is it on")
        for number in SIGNALS:
            run = Run("export", "rtde://127.0.0.1:%d" % listener.getsockname()[1])
            time.sleep(0.2)
            expect("while connecting: signal %d" % number, run.end(number) == 2, run.status)
        run = Run("export", "--give-up", "1", "rtde://127.0.0.1:%d" % listener.getsockname()[1])
        lasted = run.wait()
        expect("--give-up 1", 0.9 < lasted < 5 and run.status == 2, lasted, run.status)
        expect("--give-up 1: says why", "no data for 1 s" in run.said(), run.said())
        for one in filling:
            one.close()


def late_answers():
    """Slower than any controller, yet in time; then not."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=125), faults=Faults(late={"V": 0.5, "v": 0.5, "O": 0.5, "S": 0.5})) as one:
        run = Run("export", "-f", "ndjson", url(one))
        expect("late answers: data comes", seen(one, 20), run.said())
        run.end()
        check_rows("late answers", run, one.records_sent(1))
        expect("late answers: one connection", one.number == 1, run.said())


def signals(number):
    """In each state of a connection."""
    states = {"version": Faults(unanswered="V"), "controller": Faults(unanswered="v"), "set-up": Faults(unanswered="O"),
              "start": Faults(unanswered="S"), "waiting": Faults(unconfirmed=True), "streaming": Faults(),
              "pausing": Faults(unanswered="P"), "pausing, much data": Faults(data_after_pause=900)}
    for state, faults in states.items():
        with Controller(roles={"rtde": 0}, robot=Robot(hz=125), faults=faults) as one:
            run = Run("export", "-f", "ndjson", url(one))
            wanted = faults.unanswered if faults.unanswered not in ("", "P") else "S"
            reached = one.wait_for(lambda wanted=wanted: wanted in one.requests())
            if state.startswith(("streaming", "pausing")):
                seen(one, 10)
            expect(state + ": reached", reached, run.said())
            run.end(number)
            if state == "pausing":
                continue
            has_data = state.startswith(("streaming", "pausing")) or (state == "start" and run.printed() != "")
            expect(state + ": status", run.status == (0 if has_data else 2), run.status, run.said())
            expect(state + ": no telemetry", ("no telemetry: " in run.said()) == (not has_data), run.said())
            if one.records:
                check_rows(state, run, one.records_sent(1))


def no_record(command):
    """A reading without a record has failed, whatever ended it and whatever else was found."""
    states = {"refused to start": Faults(refuse_start=True), "not confirmed": Faults(unconfirmed=True), "no answer": Faults(unanswered="O"),
              "texts for data": Faults(unconfirmed=True, inject={0: text("look out")})}
    for state, faults in states.items():
        with Controller(roles={"rtde": 0, "realtime": 0}, faults=faults) as one, Controller("127.0.0.38", roles={"rtde": 0}, faults=faults) as other:
            urls = [url(one), url(other)] if command == "compare" else [url(one)]
            for options, number in (*(([], number) for number in SIGNALS[:2]), (["--give-up", "1"], None)):
                run = Run(command, *options, *urls)
                what = "%s, %s, %s: " % (command, state, options or number.name)
                if number:
                    wanted = faults.unanswered or "S"
                    before = one.requests().count(wanted)
                    run.until(lambda wanted=wanted, before=before: one.requests().count(wanted) > before)
                    time.sleep(0.2)
                    run.end(number)
                else:
                    run.wait()
                expect(what + "status 2", run.status == 2, run.status, run.said(), run.printed())
                expect(what + "says so", re.search("no telemetry: .*sent no data|no data for 1 s", run.said()), run.said())


def stopped(command):
    """A stop of the program itself is said, and is no fault of the robot."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=125)) as one:
        run = Run(*command, url(one))
        seen(one, 100)
        run.program.send_signal(signal.SIGSTOP)
        time.sleep(3)
        run.program.send_signal(signal.SIGCONT)
        run.says(r"armtap itself stood still for [23]\.[0-9] s")
        seen(one, one.counts["rtde", "records"] + 100)
        run.end()
        expect("stopped, %s: nobody is blamed" % command[0], "no data" not in run.said() and "side robot" not in run.printed(), run.said(), run.printed())
        expect("stopped, %s: one connection" % command[0], one.number == 1, one.number)
        expect("stopped, %s: times" % command[0], all(re.match(r"\S+Z \+[0-9]+\.[0-9] s armtap: ", line) for line in run.said().splitlines()), run.said())


def good_bye_is_heard():
    """The reader's thread learns of the signal before the main one, which waits for a pipe: the robot's answer is awaited anyway."""
    with Controller(roles={"rtde": 0}, faults=Faults(late={"P": 0.3})) as one:
        ours, theirs = os.pipe()
        fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
        run = Run("export", "-f", "ndjson", "--fields", "actual_q", url(one), stdout=theirs)
        os.close(theirs)
        run.until(lambda: struct.unpack("i", fcntl.ioctl(ours, termios.FIONREAD, bytes(4)))[0] > 3500)
        seen(one, one.counts["rtde", "records"] + 50)
        run.program.send_signal(signal.SIGINT)
        begun = time.monotonic()
        expect("good-bye: said", one.wait_for(lambda: "P" in one.requests()), run.said())
        with os.fdopen(ours, "rb") as pipe:
            pipe.read()
        in_time("the good-bye", run.wait(begun), Run.quick)
        expect("good-bye: answered", one.sent(1).endswith(wire.package("P", b"\1")), run.status, run.said())


# ---- the command line --------------------------------------------------------------------------------------------------


def messages():
    for arguments, pattern in (
            (["rtde://"], "the host is missing"), (["rtde://:30004"], "the host is missing"),
            (["rtde://10.0.0.2:"], "port"), (["rtde://10.0.0.2:0"], "port"), (["rtde://10.0.0.2:65536"], "port"),
            (["rtde://10.0.0.2:x"], "port"), (["rtde://fd00::2"], "more than one colon"), (["rtde://[fd00::2"], "bracket"),
            (["rtde://[fd00::2]x"], "bracket"), (["rtde://10.0.0.2/path"], "no such characters|port"),
            (["rtde://user@10.0.0.2"], "no such characters"), (["http://10.0.0.2"], "rtde://HOST"), (["://x"], "rtde://HOST"),
            (["rtde://" + "a" * 300], "too long"), (["rtde://no such host"], "characters"),
            (["rtde://no-such-host.invalid"], "no-such-host.invalid': "), (["rtde://127.0.0.1", "file.pcap"], "cannot be read together"),
            (["-i", "lo", "rtde://127.0.0.1"], "-i reads packets"), (["--follow", "rtde://127.0.0.1"], "--follow"),
            (["--filter", "tcp", "rtde://127.0.0.1"], "--filter"), (["--frequency", "0", "rtde://127.0.0.1"], "--frequency"),
            (["--frequency", "nan", "rtde://127.0.0.1"], "--frequency"), (["--give-up", "0", "rtde://127.0.0.1"], "--give-up"),
            (["--give-up", "x", "rtde://127.0.0.1"], "--give-up"), (["--all", "file.pcap"], "--all works only with a robot"),
            (["--frequency", "5", "file.pcap"], "--frequency works only with a robot"),
            (["--fields", "*", "rtde://127.0.0.1"], "2048 bytes"), (["--recipe", "@nobody", "rtde://127.0.0.1"], "@nobody"),
            (["rtde://127.0.0.1:5000", "realtime://127.0.0.2:5000"], "port 5000"),
            (["rtde://127.0.0.1"] * 65, "more than the 64")):
        run = Run("export", *arguments)
        run.wait()
        expect("%s: status" % arguments[:2], run.status == 2, run.status, run.said())
        expect("%s: message" % arguments[:2], re.search(pattern, run.said()) and len(run.said().splitlines()) == 1, run.said())
    run = Run("explain", "rtde://127.0.0.1", "--packet", "1")
    run.wait()
    expect("explain: record first", run.status == 2 and "armtap record -o" in run.said(), run.said())


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
side_by_side(*share((export_rtde, export_realtime, protocols, names_it_lacks, one_rule, names_are_listed_whole, several, live_findings, connects_again, cut_in_data, one_table, until,
             page, messages, sleeps_silent, sleeps_refused, sleeps_unconfirmed, no_answer), 2, "scenes with good robots"))
side_by_side(*share((bad_rtde, bad_realtime, slow_reader, kernel_times, *[functools.partial(signals, number) for number in SIGNALS], late_answers,
             left_out_is_no_fault, restarted, silent_for_a_while, own_rate, good_bye_is_heard, no_data_is_no_success,
             every_byte, *[functools.partial(no_record, command) for command in ("info", "diagnose", "compare", "export")],
             *[functools.partial(stopped, command) for command in (("diagnose",), ("export", "-f", "ndjson"))]), 3, "scenes with bad robots"))
sys.exit(finish())
