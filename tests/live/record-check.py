#!/usr/bin/env python3
"""armtap record against the fake controller: what is in the files is what the controller sent; parts, room, full disks,
kills, pipes and signals."""
import calendar
import csv
import glob
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import accumulate

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from controller import Controller, Faults  # noqa: E402
from recording import Recording, ends_with_us  # noqa: E402
from robot import Robot  # noqa: E402
from tally import endings, expect, finish, in_time, is_left_to_linux, is_windows, side_by_side, skips, term, until  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 30
SOON = 2.5 if os.environ.get("ASAN_OPTIONS") else 1.6  # s: for an end after a signal
FIELDS = "timestamp,actual_q,robot_mode"


def run(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, timeout=PATIENCE)


class Recorder:
    """armtap record of a controller's roles, in the current folder."""

    def __init__(self, controller, *arguments, roles=("rtde",), limit=None):
        schemes = {"rtde": "rtde", "realtime": "realtime", "realtime_ro": "realtime"}
        robots = ["%s://%s:%d" % (schemes[role], controller.host, controller.port[role]) for role in roles]
        has_own = "--all" in arguments or "--fields" in arguments
        fields = ["--fields", FIELDS] if "rtde" in roles and not has_own else []
        self.controller = controller
        self.program = subprocess.Popen([ARMTAP, "record", *fields, *arguments, *robots], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=ends_with_us(limit))

    def records(self, count, role="rtde"):
        """Waits until the controller has sent so many."""
        return until("%d records" % count,
                     lambda: self.controller.counts[role, "records"] >= count or self.ended())

    def ended(self):
        return self.program.poll() is not None

    def end(self, how=signal.SIGINT):
        """Status and standard error, or None as status if it does not end soon."""
        begin = time.monotonic()
        if how:
            self.program.send_signal(how)
        try:
            _, said = self.program.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.program.kill()
            return None, self.program.communicate()[1].decode()
        if how:
            in_time("the end after a signal", time.monotonic() - begin, SOON)
        return self.program.returncode, said.decode()


def story(controller):
    """What happened on a controller's connections, without the data."""
    counts = dict(controller.counts)
    return counts, controller.thread.is_alive(), controller.events("opened", "request", "closed", "reset", "dropped", "bad")


def rows(*names, may_be_empty=False):
    """With may_be_empty it may say that there is no record."""
    done = run("export", *names)
    is_empty = "no record from the robot" in done.stderr and not done.stdout.splitlines()[1:]
    expect("export of %s says nothing" % (names,), not done.stderr or (may_be_empty and is_empty), done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def check_rows(what, found, controller, link=1, least=1):
    """Every row is what the controller sent, in order and without holes; its last records may be missing."""
    sent = [one.values for one in controller.records_sent(link)]
    expect(what + ": rows", least <= len(found) <= len(sent), len(found), len(sent))
    wrong = [i for i, row in enumerate(found)
             if [float(row["timestamp"]), *(float(row["actual_q_%d" % k]) for k in range(6)), float(row["robot_mode"])]
             != [sent[i]["timestamp"][0], *sent[i]["actual_q"], sent[i]["robot_mode"][0]]]
    expect(what + ": values", not wrong, wrong[:3])


# ---- files -----------------------------------------------------------------------------------------------------------


def one_file(name="one.pcapng"):
    with Controller(roles={"rtde": 0}) as controller:
        recorder = Recorder(controller, "-o", name)
        recorder.records(1000)
        status, said = recorder.end()
        expect(name + ": status", status == 0 and "recorded" in said, status, said)
        check_rows(name, rows(name), controller, least=1000)
        file = Recording(name)
        expect(name + ": comment", "from a socket" in file.comment and "part 1" in file.comment, file.comment)
        expect(name + ": whole, nothing dropped", file.whole and file.dropped == 0)
        shown = run("diagnose", name).stdout
        expect(name + ": diagnose knows what it is", "read from a socket" in shown, shown)
        return file


def no_empty_part():
    """A robot that answers after the first part's time is over: its packets stand in the first part."""
    with Controller(roles={"rtde": 0}, faults=Faults(late={"V": 1.2})) as controller:
        recorder = Recorder(controller, "-o", "late-%H%M%S.pcapng", "--rotate", "1s")
        recorder.records(700)
        recorder.end()
        parts = [Recording(name) for name in sorted(glob.glob("late-*"))]
        expect("no part is empty", len(parts) > 1 and all(part.packets for part in parts), [len(part.packets) for part in parts])


def gzip_file():
    one_file("one.pcapng.gz")


def two_robots():
    """One file for both, or one for each."""
    with Controller("127.0.0.31", {"rtde": 0}) as one, Controller("127.0.0.32", {"rtde": 0, "realtime_ro": 0}) as other:
        urls = ["realtime://%s:%d" % (other.host, other.port["realtime_ro"]),
                "rtde://%s:%d" % (other.host, other.port["rtde"])]
        for name in "both.pcapng", "ROBOT.pcapng":
            wanted = [(robot.counts, (role, "records"), robot.counts[role, "records"] + 300)
                      for robot, role in ((one, "rtde"), (other, "rtde"), (other, "realtime_ro"))]
            recorder = Recorder(one, "-o", name, *urls)
            came = until("records of all", lambda: all(counts[kind] >= enough for counts, kind, enough in wanted),
                         ends=recorder.ended, evidence=lambda: (name, wanted, *story(one), *story(other)))
            status, said = recorder.end()
            expect(name + ": status", status == 0 and came, status, said)
        times = [time for time, _ in Recording("both.pcapng").packets]
        behind = max(latest - own for latest, own in zip(accumulate(times, max), times))
        in_time("packets of several robots are in order of time: the latest", behind / 1e9, 0.2)
        found = json.loads(run("info", "--json", "both.pcapng").stdout)["streams"]
        whole = sorted(s["protocol"] for s in found if s["records"])  # a slow machine may need a second attempt
        expect("both: three streams", whole == ["realtime", "rtde", "rtde"], found)
        names = sorted(glob.glob("127*"))
        expect("a file each", names == ["127.0.0.31.pcapng", "127.0.0.32.pcapng"], names)
        for name in names:
            found = json.loads(run("info", "--json", name).stdout)["streams"]
            expect(name + ": its own robot only", sum(one["records"] > 0 for one in found) == int(name[9])
                   and all(one["robot"].startswith(name[:10]) for one in found), found)


def parts():
    with Controller(roles={"rtde": 0}) as controller:
        recorder = Recorder(controller, "-o", "part-%H%M%S.pcapng", "--rotate", "30k", "--rotate", "1s")
        recorder.records(1500)
        status, said = recorder.end()
        names = sorted(glob.glob("part-*"))
        expect("parts: status", status == 0 and "in %d files" % len(names) in said, said)
        expect("parts: several, by size", len(names) > 5 and all(os.path.getsize(name) <= 30000 for name in names),
               [(name, os.path.getsize(name)) for name in names])
        together = rows(*names)
        check_rows("parts together", together, controller, least=1500)
        expect("parts: one stream", len(json.loads(run("info", "--json", *names).stdout)["streams"]) == 1)
        each = []
        for name in names:  # a second may end before the first record comes, and begin after the last
            each.append(rows(name, may_be_empty=not any(each) or name == names[-1]))
        alone = [row for part in each for row in part]
        expect("parts: each alone, one after the other", alone == together, len(alone), len(together))
        seconds = [{row["time"].split(".")[0] for row in part} for part in each]
        expect("parts: none goes beyond its second", all(len(one) <= 1 for one in seconds), seconds)
        files = [Recording(name) for name in names]
        expect("parts: the first repeats nothing", not any(files[0].comments) and "repeat" not in files[0].comment)
        first = next(i for i, one in enumerate(seconds) if one)  # a second may end before the handshake does
        for number, file in list(enumerate(files, 1))[first + 1:]:
            repeated = sum(1 for one in file.comments if one)
            expect("part %d: what it repeats is marked" % number, repeated >= 9 and all(file.comments[:repeated])
                   and "part %d; its first %d packets repeat" % (number, repeated) in file.comment, file.comment)


def size_of(name):
    """0 of a file that is gone: --keep deletes the oldest."""
    try:
        return os.path.getsize(name)
    except FileNotFoundError:
        return 0


def room():
    with Controller(roles={"rtde": 0}) as controller:
        recorder = Recorder(controller, "-o", "kept.pcapng", "--rotate", "20k", "--keep", "70k", "--sync", "1")
        sizes = []
        while controller.counts["rtde", "records"] < 3000 and recorder.program.poll() is None:
            sizes.append(sum(map(size_of, glob.glob("kept*"))))
            time.sleep(0.02)
        status, said = recorder.end()
        names = sorted(glob.glob("kept*"))
        expect("--keep: status", status == 0 and "deleted" in said, said)
        expect("--keep: room", max(sizes) <= 90000 and sizes[-1] > 40000, max(sizes), sizes[-1])
        expect("--keep: the oldest went", "kept.pcapng" not in names and len(names) >= 3, names)
        found = [float(row["timestamp"]) for row in rows(*names)]
        sent = [one.values["timestamp"][0] for one in controller.records_sent(1)]
        begin = sent.index(found[0])
        expect("--keep: the newest stayed, without a hole", sent[begin:begin + len(found)] == found and begin > 500
               and len(sent) - begin - len(found) < 60, begin, len(found), len(sent))


# ---- disks -----------------------------------------------------------------------------------------------------------


def full():
    with Controller(roles={"rtde": 0}) as controller:
        status, said = Recorder(controller, "-o", "/dev/full", "--sync", "1").end(None)
        expect("full device", status == 2 and "the disk is full" in said and "missing from it" in said, status, said)
        if is_left_to_linux("limits of a file's size"):
            return
        limited = Recorder(controller, "-o", "limited.pcapng", "--sync", "1", limit=50000)
        status, said = limited.end(None)
        expect("limit of a file's size", status == 2 and "File too large" in said and "missing from it" in said, status, said)
        file = Recording("limited.pcapng")
        expect("limit: whole packets, most of the room", file.whole and 40000 < os.path.getsize("limited.pcapng") <= 50000)
        told = re.search(r"recorded (\d+) packets.* ([0-9.]+) kB", said)
        expect("limit: what is told is in the file", told and int(told[1]) == len(file.packets)
               and abs(float(told[2]) * 1000 - os.path.getsize("limited.pcapng")) < 100, said, len(file.packets))
        lost = re.search(r"(\d+) packets? received (?:is|are) in no file", said)
        sent = len(controller.records_sent(2))
        expect("limit: what is not in it is counted in the same unit", lost and "message" not in said
               and 350 < int(told[1]) < int(told[1]) + int(lost[1]) < sent + 50, said, sent)
        check_rows("limit", rows("limited.pcapng"), controller, link=2, least=300)


def small_disk():
    """A disk of one megabyte, where the system lets us make one."""
    if is_left_to_linux("a small disk: Wine does not tell how much of a write it took"):
        return
    os.mkdir("disk")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "none", "disk"], capture_output=True)
    if made.returncode:
        skips("this user may not mount a small disk")
        return
    try:
        with Controller(roles={"rtde": 0}, robot=Robot(size=1220)) as controller:
            all_fields = ["--all", "--sync", "1"]
            kept = Recorder(controller, "-o", "disk/k.pcapng", "--rotate", "200k", "--keep", "100M", *all_fields)
            kept.records(2500)
            status, said = kept.end()
            expect("small disk, --keep: goes on", status == 0 and "oldest parts are deleted" in said, status, said)
            expect("small disk, --keep: rows to the end", len(rows(*sorted(glob.glob("disk/k*")))) > 200)
            for name in glob.glob("disk/*"):
                os.unlink(name)
            status, said = Recorder(controller, "-o", "disk/full.pcapng", *all_fields).end(None)
            expect("small disk: ends", status == 2 and "the disk is full" in said, status, said)
            expect("small disk: whole packets", Recording("disk/full.pcapng").whole)
            expect("small disk: rows", len(rows("disk/full.pcapng")) > 300)
    finally:
        subprocess.run(["umount", "-l", "disk"])


def killed():
    for name in "killed.pcapng", "killed.pcapng.gz":
        with Controller(roles={"rtde": 0}) as controller:
            recorder = Recorder(controller, "-o", name, "--sync", "1")
            recorder.records(400)
            before = controller.counts["rtde", "records"]
            for _ in range(3):  # the first sync may have begun before
                size = os.path.getsize(name)
                until("a sync", lambda size=size: os.path.getsize(name) > size)
            recorder.program.kill()
            recorder.program.communicate()
            done = run("export", name)
            found = list(csv.DictReader(io.StringIO(done.stdout)))
            check_rows(name, found, controller, least=before - 5)
            expect(name + ": a cut end is all that is wrong", name.endswith(".gz") or done.returncode == 0, done.stderr)


# ---- pipes and signals -----------------------------------------------------------------------------------------------


def pipe():
    with Controller(roles={"rtde": 0}) as controller:
        recorder = Recorder(controller, "-o", "-")
        with subprocess.Popen([ARMTAP, "export", "-"], stdin=recorder.program.stdout, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as reader:
            recorder.program.stdout.close()
            recorder.program.stdout = None
            lines = [reader.stdout.readline().decode() for _ in range(100)]
            expect("pipe: rows while it runs", all(lines) and controller.counts["rtde", "records"] < 5000)
            reader.kill()
            reader.communicate()
        status, said = recorder.end(None)
        expect("pipe: its reader went, a quiet end", status == 0 and "full" not in said, status, said)


def obeys(pid, how):
    """Whether it catches the signal by now. What Wine catches says nothing."""
    if is_windows():
        time.sleep(1)
        return True
    with open("/proc/%d/status" % pid) as file:
        return int(re.search(r"SigCgt:\s+(\w+)", file.read())[1], 16) >> (how - 1) & 1


STATES = {"streaming": ({}, "streaming.pcapng", 50), "refused": ({}, "refused.pcapng", 0),
          "no answer": ({"unanswered": "VOvS"}, "answer.pcapng", 0),
          "a pipe that nobody reads": ({}, "nobody", 0), "a pipe that is full": ({}, "stuck", 2000)}


def signals(state, how):
    """With so many records sent before, or without any."""
    faults, name, count = STATES[state]
    if name in ("nobody", "stuck") and is_left_to_linux(state):
        return
    os.mkfifo("nobody")
    os.mkfifo("stuck")
    stuck = os.open("stuck", os.O_RDONLY | os.O_NONBLOCK)
    with Controller(roles={"rtde": 0}, faults=Faults(**faults)) as controller:
        if state == "refused":
            controller.refuse("rtde")
        recorder = Recorder(controller, "-o", name)
        if count:
            recorder.records(count)
        until("a program that obeys signals", lambda: obeys(recorder.program.pid, how))
        if state == "no answer":
            until("a request", controller.requests)
        status, said = recorder.end(how)
        wanted = 0 if name == "streaming.pcapng" else 2  # without any record it has failed, too
        expect("%s, %s: status %d" % (state, how.name, wanted), status == wanted, status, said)
        if name == "stuck":
            told = sum(int(number) for number in re.findall(r"(\d+) packets? (?:received|from)", said))
            sent = len(controller.records_sent(1))
            expect("%s, %s: what came is recorded or lost" % (state, how.name), 0.9 * sent < told < sent + 50, told, sent, said)
    os.close(stuck)


def again():
    """A controller that reboots: both connections are there."""
    with Controller(roles={"rtde": 0}) as controller:
        recorder = Recorder(controller, "-o", "again.pcapng")
        recorder.records(200)
        controller.reboot()
        until("the second connection", lambda: len(controller.records_sent(2)) > 200)
        status, said = recorder.end()
        expect("again: status", status == 0, said)
        expect("again: interruptions are counted", "; 1 interruption, " in said.splitlines()[-1], said)
        found = json.loads(run("info", "--json", "again.pcapng").stdout)["streams"]
        expect("again: two streams", len(found) >= 2 and min(found[0]["records"], found[-1]["records"]) >= 200, found)


def for_a_time():
    """--for ends it, whether the robot sends anything or not; the time is a least one."""
    for what, faults in ("data", Faults()), ("silence", Faults(unconfirmed=True)):
        with Controller(roles={"rtde": 0}, faults=faults) as controller:
            begin = time.monotonic()
            status, said = Recorder(controller, "--for", "2s", "-o", what + ".pcapng").end(None)
            expect("--for, %s: status" % what, status == (0 if what == "data" else 2), status, said)
            expect("--for, %s: nothing came" % what, ("no record arrived" in said) == (what != "data"), said)
            expect("--for, %s: not before" % what, time.monotonic() - begin >= 2, time.monotonic() - begin)
            until("--for, %s: says good-bye" % what, lambda: controller.requests()[-1:] == ["P"], evidence=controller.requests)
            if what == "data":
                check_rows("--for", rows("data.pcapng"), controller)


def nothing_came():
    """Whatever ends it, and whatever the robot does but send data: status 2, and the file says why."""
    ways = (("--for", ["--for", "1s"], None), ("--give-up", ["--give-up", "1"], None), ("SIGINT", [], signal.SIGINT),
            ("SIGTERM", [], term()))
    states = {"refused": ("refused 127.0.0.1", "", Faults()), "no-start": ("start", "S", Faults(refuse_start=True)),
              "unanswered": ("", "O", Faults(unanswered="O")), "unconfirmed": ("", "S", Faults(unconfirmed=True))}
    for what, (why, last_request, faults) in states.items():
        with Controller(roles={"rtde": 0}, faults=faults) as controller:
            if what == "refused":
                controller.refuse("rtde")
                controller.ask(lambda: None)
            runs = []
            for way, options, how in ways:
                name = "%s%s.pcapng" % (what, way)
                runs.append((way, name, how, Recorder(controller, *options, "-o", name)))
            if last_request:
                until("all have asked", lambda wanted=last_request, of=controller: of.requests().count(wanted) >= len(ways))
            time.sleep(1)  # for the answer, or the refusal
            for way, name, how, recorder in runs:
                status, said = recorder.end(how)
                last = said.splitlines()[-1] if said else ""
                expect("%s, %s: status 2" % (what, way), status == 2, status, said)
                expect("%s, %s: says that nothing came" % (what, way), "no record arrived" in said and "0 dropped" in last, said)
                command = re.search(r"armtap (diagnose .*)$", said, re.MULTILINE)
                expect("%s, %s: how to see why" % (what, way), command, said)
                shown = run(*command[1].split()).stdout if command else ""
                expect("%s, %s: the file says why" % (what, way), why in shown and shown, shown)


STAMP = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z \+(\d+\.\d) s armtap: "


def times():
    """Each line of a run says the time, in UTC and since the beginning; a line about usage does not."""
    with Controller(roles={"rtde": 0}) as controller:
        before = time.time()
        recorder = Recorder(controller, "-o", "times.pcapng", "--for", "2s")
        status, said = recorder.end(None)
        found = [re.match(STAMP, line) for line in said.splitlines()]
        expect("times: each line", status == 0 and len(found) > 2 and all(found), said)
        dates = [calendar.timegm(time.strptime(one[1][:19], "%Y-%m-%dT%H:%M:%S")) + float(one[1][19:]) for one in found if one]
        since = [float(one[2]) for one in found if one]
        expect("times: they are true, and go forward", before - 1 < dates[0] and dates[-1] < time.time() + 1
               and dates == sorted(dates) and since == sorted(since) and since[-1] >= 1.9, dates, since)
        expect("times: both clocks agree", all(abs(date - dates[0] - (one - since[0])) < 1 for date, one in zip(dates, since)))
        status, said = Recorder(controller, "--rotate", "never").end(None)
        expect("times: none of a usage error", status == 2 and said.startswith("armtap: --rotate"), said)


def agreed_in_the_end():
    """What was agreed is said once it is, though a first attempt failed; and after each that follows."""
    with Controller(roles={"rtde": 0}) as controller:
        controller.refuse("rtde")
        controller.ask(lambda: None)
        recorder = Recorder(controller, "-o", "late.pcapng", "--frequency", "100")
        until("a refusal", lambda: os.path.exists("late.pcapng") and os.path.getsize("late.pcapng") > 200)
        controller.listen("rtde")
        recorder.records(100)
        controller.reboot()
        until("the second connection", lambda: len(controller.records_sent(2)) > 50)
        status, said = recorder.end()
        lines = re.findall("connected: RTDE protocol 3, controller [0-9.]+, 3 fields, asked for 100 Hz", said)
        expect("agreed: said each time", status == 0 and len(lines) == 2 and "refuses" in said, said)


def stopped():
    """A stop of the program itself is no fault of the robot."""
    with Controller(roles={"rtde": 0}, robot=Robot(hz=125)) as controller:
        recorder = Recorder(controller, "-o", "stopped.pcapng")
        recorder.records(100)
        recorder.program.send_signal(signal.SIGSTOP)
        time.sleep(3)
        controller.silence(0.7)  # when it goes on, nothing is there for a while
        recorder.program.send_signal(signal.SIGCONT)
        recorder.records(controller.counts["rtde", "records"] + 200)
        status, said = recorder.end()
        still = re.search(r"armtap itself stood still for ([0-9.]+) s", said)
        expect("stopped: says so", status == 0 and still and 1.5 < float(still[1]) < 10, said)
        expect("stopped: nobody else is blamed", "no data" not in said and "interruption" not in said, said)
        remarks = [one for one in Recording("stopped.pcapng").comments if one]
        expect("stopped: in the file", len(remarks) == 1 and "stood still" in remarks[0], remarks)


def restarts():
    """All runs together keep to --keep."""
    for count in range(4):
        with Controller(roles={"rtde": 0}) as controller:
            recorder = Recorder(controller, "-o", "run-%Y%m%dT%H%M%SZ-ROBOT.pcapng", "--rotate", "20k", "--keep", "70k")
            recorder.records(900)
            status, said = recorder.end()
            sizes = {name: os.path.getsize(name) for name in glob.glob("run-*")}
            named = set(re.findall(r"armtap: (run-\S+\.pcapng): ", said))
            expect("restart %d: status" % count, status == 0, status, said)
            expect("restart %d: room" % count, 40000 < sum(sizes.values()) <= 90000, sizes)
            expect("restart %d: every file of the run is named" % count, named and named <= set(sizes) and
                   (count or named == set(sizes)), named, sizes)


def not_overwritten():
    with Controller(roles={"rtde": 0}) as controller:
        with open("mine.pcapng", "w") as file:
            file.write("mine")
        status, said = Recorder(controller, "-o", "mine.pcapng").end(None)
        expect("no file is overwritten", status == 2 and "already exists" in said, status, said)
        status, said = Recorder(controller, "-o", "no/folder/x.pcapng").end(None)
        expect("no folder", status == 2 and "No such file" in said, status, said)
        status, said = Recorder(controller, "-o", "long" * 2000).end(None)
        expect("a name that is too long", status == 2 and "name too long: longlong" in said, status, said)
        with open("mine.pcapng") as file:
            expect("what was there is there", file.read() == "mine")


def left_out():
    """What a list leaves out is not asked for, by record and by export; nor is it where all that the list has is a glob."""
    for words, wanted in (("actual_q,actual_qd,!actual_qd", ["timestamp", "actual_q"]),
                          ("actual_TCP_*,!*_force,!actual_TCP_speed,!*_acc*", ["timestamp", "actual_TCP_pose"])):
        with Controller(roles={"rtde": 0}) as controller:
            name = "asked-%d.pcapng" % len(words)
            recorder = Recorder(controller, "-o", name, "--fields", words)
            recorder.records(20)
            recorder.end()
            asked = json.loads(run("info", "--json", name).stdout)["streams"][0]["fields"]
            expect("record: %s" % words, asked == wanted, asked)
            live = subprocess.Popen([ARMTAP, "export", "-f", "ndjson", "--fields", words, "rtde://%s:%d" %
                                     (controller.host, controller.port["rtde"])], stdout=subprocess.PIPE, text=True)
            row = json.loads(live.stdout.readline())
            live.send_signal(signal.SIGINT)
            live.communicate(timeout=PATIENCE)
            expect("export: %s" % words, [name for name in row if name.startswith("actual")] == wanted[1:], row)


def contradictions():
    with Controller(roles={"rtde": 0}) as controller:
        for words, wanted in ((("--keep", "1k", "--rotate", "1M"), "--keep is less than one file"),
                              (("--all", "--fields", "actual_q"), "selects the fields to request; remove --all"),
                              (("--fields", ",,"), "--fields ',,': expected names"), (("--fields", ""), "expected names")):
            status, said = Recorder(controller, *words).end(None)
            expect("%s: refused" % (words,), status == 2 and wanted in said, status, said)
        expect("before any connection", controller.number == 0, controller.number)


side_by_side(*(partial(signals, state, how) for state in STATES for how in endings()),
             one_file, gzip_file, no_empty_part, two_robots, parts, room, full, small_disk, killed, pipe, again, for_a_time, not_overwritten,
             contradictions, left_out, nothing_came, times, agreed_in_the_end, stopped, restarts)
sys.exit(finish())
