#!/usr/bin/env python3
"""`armtap serve` invents nothing: captures of several recipes, one after the other or at the same time, whose values are the times
at which they were recorded. Each package has the newest recorded values of one moment, in which all of its fields were recorded;
of records that a snapshot length cut, or that are short, what is whole;
it says when one is not; a set-up that fits no moment is refused; --gaps hold repeats, --fill makes up, and the log says so."""
import bisect
import importlib.util
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import time
from datetime import datetime
from functools import partial

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import capture  # noqa: E402
import wire  # noqa: E402
from tally import expect, finish, share, side_by_side, until  # noqa: E402


def module(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(HERE, name + ".py"))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


serve_check = module("serve-check")
Serve, Rtde = serve_check.Serve, serve_check.Rtde
SAMPLES = serve_check.CAPTURES
LEGACY = "timestamp", "actual_q", "actual_TCP_pose"
SHARED = "output_double_register_20"
CYCLE = 0.008
NEVER = "NOT_FOUND"


def own(i):
    return "output_double_register_%d" % i


# ---- captures -----------------------------------------------------------------------------------------------------------


class Part:
    """Records of one recipe: `every` cycles, from `begin` to `end` s."""

    def __init__(self, names, begin, end, every=1, connection=0):
        self.names, self.connection, self.every = names, connection, every
        self.times = [i * CYCLE for i in range(round(begin / CYCLE), round(end / CYCLE) + 1, every)]


def type_of(name):
    return wire.variables()[name][1]


def set_up(link, when, names, hz):
    link.say(when, "client", wire.package("O", struct.pack(">d", hz) + ",".join(names).encode()))
    link.say(when, "robot", wire.package("O", b"\1" + ",".join(map(type_of, names)).encode()))
    link.say(when, "client", wire.package("S"))
    link.say(when, "robot", wire.package("S", b"\1"))


def offset(name):
    """Values of different fields differ."""
    return {"timestamp": 0.0, "actual_q": 1e6, "actual_TCP_pose": 2e6}.get(name) or (
        0.0 if name == "timestamp" else 1000.0 * (1 + int(name.rsplit("_", 1)[1])))


def packet(when):
    """A legacy packet whose cells are that time, each field's its own."""
    layout = wire.Layout(1220)
    cells = {name: (when + offset(name) if name in LEGACY else 0.0,) * count for _, name, count in layout.cells}
    return layout.pack(cells)


def make(path, parts, legacy=()):
    """Parts of the same connection follow each other in it; times of legacy packets."""
    streams = []
    if legacy:
        streams.append(capture.spoken(30003, 42000, legacy[0], [(when, "robot", packet(when)) for when in legacy]))
    for connection in sorted({part.connection for part in parts}):
        mine = [part for part in parts if part.connection == connection]
        begin = max(mine[0].times[0] - 0.003, 0)
        link = capture.Connection(30004, 41000 + connection, begin)
        for kind, asked, answer in (("V", b"\0\2", b"\1"), ("v", b"", struct.pack(">4I", 5, 11, 0, 1))):
            link.say(begin, "client", wire.package(kind, asked))
            link.say(begin, "robot", wire.package(kind, answer))
        for part in mine:
            set_up(link, max(part.times[0] - 0.002, begin), part.names, 1 / CYCLE / part.every)
            recipe = wire.Recipe(part.names, list(map(type_of, part.names)))
            for when in part.times:
                values = {name: (when + offset(name),) * count for name, count in zip(recipe.names, recipe.counts)}
                link.say(when, "robot", wire.package("U", b"\1" + recipe.pack(values)))
        link.end(mine[-1].times[-1] + 0.0001)
        streams.append(link.packets)
    capture.write(path, *streams)


# ---- what must come -----------------------------------------------------------------------------------------------------------


class Truth:
    """When each field was recorded."""

    def __init__(self, parts):
        self.parts = parts
        self.times = {}
        for part in parts:
            for name in part.names:
                self.times.setdefault(name, []).extend(part.times)
        for times in self.times.values():
            times.sort()

    def is_recorded(self, name, when, slack=0.0):
        return any(name in part.names and part.times[0] - slack <= when <= part.times[-1] + slack for part in self.parts)

    def step(self, name):
        """Between its records: a value stays until the next one is due."""
        return max(part.every for part in self.parts if name in part.names) * CYCLE - 1e-6

    def newest(self, name, when):
        at = bisect.bisect_right(self.times[name], when + 1e-9)
        return self.times[name][at - 1] if at else None

    def moments(self):
        return sorted({when for part in self.parts for when in part.times})

    def together(self, names):
        """The recorded moments of all of them."""
        if not all(name in self.times for name in names):
            return []
        return [when for when in self.moments() if all(self.is_recorded(name, when) for name in names)]


def judge_values(what, truth, names, rows, holds):
    """Each row is that of a moment later than the row before's; returns those moments. At equal times, the other connection's
    record may come before or after."""
    last, moments = -1.0, []
    for row in rows:
        times = [value - offset(name) for name, value in zip(names, row)]
        for name, when in zip(names, times):
            if truth.newest(name, when) is None or abs(truth.newest(name, when) - when) > 1e-6:
                expect((what, "a recorded value"), False, name, when)
                return moments
        moment = max(times)
        for name, when in zip(names, times):
            fits = {truth.newest(name, moment), truth.newest(name, moment - 1e-6)}
            if not any(one is not None and abs(one - when) < 1e-6 for one in fits):
                expect((what, "the newest value"), False, name, when, moment, fits)
                return moments
            if not holds and not truth.is_recorded(name, moment, truth.step(name)):
                expect((what, "it was recorded then"), False, name, when, moment)
                return moments
        if moment < last - 1e-9 or (moment <= last + 1e-9 and not holds and len(names) == len(truth.times)):
            expect((what, "moments rise"), False, last, moment)
            return moments
        last = moment
        moments.append(moment)
    return moments


def judge_extent(what, truth, names, moments, speed):
    """Nothing that is recorded is left out: from the beginning to the end of each stretch, but for what one connection or the
    other makes of the cycle at its ends."""
    due = truth.together(names)
    slowest = max(part.every for part in truth.parts) * CYCLE
    expect((what, "rows"), moments and len(moments) >= len(due) / (slowest / CYCLE) * 0.8 - 3, len(moments), len(due))
    if moments:
        expect((what, "the first one"), abs(moments[0] - due[0]) <= 2 * slowest + (0.1 * speed if speed else 0), moments[0], due[0])
        expect((what, "the last one"), abs(moments[-1] - due[-1]) <= 2 * slowest, moments[-1], due[-1])


def holes(times, most):
    return [(a, b) for a, b in zip(times, times[1:]) if b - a > most]


def judge_holes(what, truth, names, moments):
    """Nothing lacks between: where rows do, a field does."""
    due, slowest = truth.together(names), max(part.every for part in truth.parts) * CYCLE
    there = holes(due, 2 * slowest)
    wrong = [(a, b) for a, b in holes(moments, 4 * slowest) if not any(a <= x + 2 * slowest and y - 2 * slowest <= b for x, y in there)]
    expect((what, "no holes but those of the capture"), not wrong, wrong, there)


SAID = re.compile(r"from (\S+)Z on (not recorded|recorded): ([^:;]+)")


def said(lines):
    """(time in the capture, whether it begins, names) as the log has it."""
    found = []
    for line in lines:
        match = SAID.search(line)
        if match:
            when = datetime.fromisoformat(match[1][:26] + "+00:00").timestamp() - capture.EPOCH
            found.append((when, match[2] == "recorded", set(match[3].strip().split(", "))))
    return found


def judge_log(what, truth, names, lines):
    """For each field, when it ceases and when it begins: while others are recorded, and where nothing is for over a second."""
    moments, wrong = truth.moments(), []
    moments = sorted(moments + [a + CYCLE for a, b in zip(moments, moments[1:]) if b - a > 1])
    for name in names:
        told = [(when, begins) for when, begins, which in said(lines) if name in which]
        states = [truth.is_recorded(name, when) for when in moments]
        changes = [(when, now) for when, before, now in zip(moments, [True] + states, states) if before != now]
        slack = 2 * CYCLE * max(part.every for part in truth.parts)
        if len(told) > 1 and told[1][0] - told[0][0] <= slack:
            told = told[2:]  # the first record of another connection came first
        if len(told) != len(changes) or any(a[1] != b[1] or abs(a[0] - b[0]) > slack for a, b in zip(told, changes)):
            wrong.append((name, told, changes))
    expect((what, "the log"), not wrong, wrong, lines)


def ask(serve, names, frequency=500.0):
    client = Rtde(serve)
    return client, client.outputs(names, frequency)


def play(what, path, truth, names, *options, speed=0):
    """What a client gets that asks for these names."""
    holds = "hold" in options
    words = ("--speed", str(speed), "--paused") if speed else ("--speed", "max")
    with Serve(*words, *options, path) as serve:
        client, types = ask(serve, names)
        due = all(name in truth.times for name in names) if holds else truth.together(names)
        if not due:
            expect((what, names, "refused"), NEVER in types and client.id == 0, types)
            lacking = [name for name, kind in zip(names, types) if kind == NEVER]
            expect((what, names, "the reason"), until("it says why", lambda: all(
                any("refused" in line and name in line for line in list(serve.lines)) for name in lacking)), serve.lines)
            left = [name for name in names if name not in lacking]
            expect((what, names, "the rest fits"), not left or NEVER not in client.outputs(left), left)
            client.close()
            return
        expect((what, names, "types"), types == ["DOUBLE"] * len(names), types, serve.lines)
        client.start()
        rows = serve_check.rows(client, types)
        serve.wait()
        moments = judge_values((what, names, options, speed), truth, names, rows, holds)
        if not holds:
            judge_extent((what, names, speed), truth, names, moments, speed)
            judge_holes((what, names, speed), truth, names, moments)
        if speed == 0:
            judge_log((what, names), truth, names, serve.lines)
        if holds:
            repeated = any(not truth.is_recorded(name, moment, 2 * CYCLE) for name in names for moment in moments)
            expect((what, names, "repeated values are said"), not repeated or any("is repeated" in line for line in serve.lines),
                   serve.lines)


# ---- kinds --------------------------------------------------------------------------------------------------------------------


def arrangements():
    """Name: begin and end of each of two or three recipes."""
    for k in (2, 3):
        yield "%d in sequence" % k, [(i, i + 0.992) for i in range(k)]
        yield "%d overlapping" % k, [(0.7 * i, 0.7 * i + 1.2) for i in range(k)]
        yield "%d apart" % k, [(2.5 * i, 2.5 * i + 0.6) for i in range(k)]
        yield "%d with a pause" % k, [(1.2 * i, 1.2 * i + 0.7) for i in range(k)]
        yield "%d within" % k, [(0.4 * i, 3 - 0.4 * i) for i in range(k)]


def recipes_of(k, with_time):
    return [[own(i), SHARED] + (["timestamp"] if with_time else []) for i in range(k)]


def wishes(k):
    yield [SHARED]
    yield [own(k - 1)]
    yield [own(0), SHARED]
    yield [own(i) for i in range(k)] + [SHARED]


def check_kind(name, spans, one_connection, with_time, every):
    k = len(spans)
    parts = [Part(names, begin, end, every if i else 1, 0 if one_connection else i)
             for i, (names, (begin, end)) in enumerate(zip(recipes_of(k, with_time), spans))]
    truth = Truth(parts)
    make("kind.pcap", parts)
    what = (name, "one connection" if one_connection else "connections", "clock" if with_time else "no clock", every)
    for wish in wishes(k):
        play(what, "kind.pcap", truth, wish, "--gaps", "keep")
        play(what, "kind.pcap", truth, wish, "--gaps", "hold")
    play(what, "kind.pcap", truth, [own(k - 1), SHARED], "--gaps", "squeeze")
    play(what, "kind.pcap", truth, [own(0)], "--gaps", "keep", speed=20)


# ---- other programs, other wishes ---------------------------------------------------------------------------------------------


def cells(data):
    """Rows of the fields of LEGACY: their values, equal in all elements."""
    layout, rows = wire.Layout(1220), []
    for at in range(0, len(data) - 1219, 1220):
        row = {}
        for offset_, name, count in layout.cells:
            if name in LEGACY:
                values = set(struct.unpack_from(">%dd" % count, data, at + offset_))
                expect("all elements", len(values) == 1, values)
                row[name] = values.pop()
        rows.append(row)
    return rows


def check_legacy(name, legacy, gaps):
    """Captured packets as they are; where they are made, 0 in the cells of what is not recorded, or its last value."""
    parts = [Part(["timestamp", "actual_q"], 0, 2, connection=0), Part(["timestamp", "actual_TCP_pose"], 1, 4, connection=1)]
    legacy = [i * CYCLE for i in range(round(legacy[0] / CYCLE), round(legacy[1] / CYCLE))] if legacy else []
    truth = Truth(parts)
    make("legacy.pcap", parts, legacy)
    with Serve("--speed", "max", "--gaps", gaps, "legacy.pcap") as serve:
        rows = cells(serve_check.legacy_bytes(serve, 30003))
        said_there = said(serve.lines)
    expect((name, gaps, "rows"), len(rows) > 240, len(rows))
    wrong = []
    for row in rows:
        moment = max(row[one] - offset(one) for one in LEGACY if row[one] > 0)
        for one in LEGACY:
            newest = [truth.newest(one, moment), truth.newest(one, moment - 1e-5)]
            newest += [when for when in legacy if when <= moment + 1e-6][-1:]  # of the packets, too, which have all
            due = {max(when for when in newest if when is not None) + offset(one)} if newest != [None, None] else set()
            due |= {when + offset(one) for when in newest[:2] if when is not None and when >= moment - 2 * CYCLE}
            slack = CYCLE - 1e-6
            if not truth.is_recorded(one, moment - 1e-5) and gaps != "hold" or None in newest:
                due |= {0.0}
            if not truth.is_recorded(one, moment, slack) and gaps != "hold":
                due = {0.0}
            captured = any(abs(when - moment) < 1e-6 for when in legacy) and abs(row[one] - moment - offset(one)) < 1e-6
            if not captured and not any(abs(row[one] - one_due) < 1e-6 for one_due in due):
                wrong.append((one, row[one], moment, due))
    expect((name, gaps, "cells"), not wrong, wrong[:3])
    told = {one for _, _, names in said_there for one in names}
    expect((name, gaps, "it is said"), {"actual_q", "actual_TCP_pose"} <= told if not legacy else "actual_q" in told, said_there)


def check_columns():
    """At the start: the columns that nothing recorded can give, as --layout lists them."""
    make("columns.pcap", [Part(["timestamp", "actual_q"], 0, 0.5)])
    with Serve("--paused", "columns.pcap") as serve:
        expect("what packets lack", serve.said("7 of 152 columns are from RTDE") and
               serve.said("the capture lacks their variables: columns 2-31, 38-93"), serve.lines)


def check_names():
    """Blanks around names, a comma at the end, in whatever order: the types in the order of the names."""
    make("names.pcap", [Part(["timestamp", "actual_q", own(3)], 0, 0.5)])
    with Serve("--paused", "--loop", "names.pcap") as serve:
        for text in ("%s, timestamp, actual_q", " %s ,timestamp\t, actual_q ", "%s,timestamp,actual_q,", "%s ,\ttimestamp,actual_q\r\n",
                     "%s , timestamp , actual_q , "):
            client = Rtde(serve)
            types = client.outputs([text % own(3)])
            expect((text, "outputs"), types == ["DOUBLE", "DOUBLE", "VECTOR6D"], types)
            expect((text, "start"), client.start())
            row = serve_check.rows(client, types, 1)[0]
            expect((text, "values"), abs(row[0] - offset(own(3)) - row[2] + offset("actual_q")) < 1e-6 and row[1] < 1000, row)
            client.close()
            client = Rtde(serve)
            got = client.inputs(text.replace("timestamp", "input_int_register_1").replace("actual_q", "input_bit_register_64") %
                                "input_double_register_2")
            expect((text, "inputs"), got == (1, ["DOUBLE", "INT32", "BOOL"]), got)
            client.close()
        client = Rtde(serve)
        types = client.outputs(["timestamp", "", " ", "actual_q"])
        expect("an empty name is none", types == ["DOUBLE", NEVER, NEVER, "VECTOR6D"], types)


def check_fill():
    """What the capture lacks, and what it has for a while: there it is played."""
    parts = [Part(["timestamp", "actual_q"], 0, 2), Part(["timestamp", own(1)], 0.5, 1.5, connection=1)]
    truth = Truth(parts)
    make("fill.pcap", parts)
    fills = ("--fill", own(1) + "=-5", "--fill", "robot_mode=7", "--fill", "actual_TCP_pose=1,2,3,4,5, 6", "--fill", "payload=0x10",
             "--fill", "actual_digital_input_bits=18446744073709551615", "--fill", "output_bit_register_64=true")
    names = ["timestamp", own(1), "robot_mode", "actual_TCP_pose", "payload", "actual_digital_input_bits", "output_bit_register_64"]
    with Serve("--speed", "max", *fills, "fill.pcap") as serve:
        client, types = ask(serve, names)
        expect("types of the table", types == list(map(type_of, names)), types)
        client.start()
        rows = serve_check.rows(client, types)
        serve.wait()
        expect("all of them", len(rows) == 251, len(rows))
        expect("made up", {row[2:] for row in rows} == {(7, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 16.0, (1 << 64) - 1, True)}, rows[:1])
        for when, value, *_ in rows:
            recorded = truth.is_recorded(own(1), when)
            near = truth.is_recorded(own(1), when, CYCLE)
            if value == -5.0 and truth.is_recorded(own(1), when, -CYCLE) or value != -5.0 and (
                    not near or abs(value - offset(own(1)) - when) > CYCLE + 1e-6):
                expect("the recorded one where it is recorded", False, when, value, recorded)
                break
        told = [begins for _, begins, which in said(serve.lines) if own(1) in which]
        expect("it is said", serve.said("simulated: robot_mode=7, which the capture lacks") and told == [False, True, False], serve.lines)
    with Serve("--speed", "max", "--fill", "actual_q=3", "fill.pcap") as serve:
        client, types = ask(serve, ["actual_q"])
        client.start()
        got = {one for row in serve_check.rows(client, types) for one in row}
        expect("recorded values are not overridden", 3.0 not in got and len(got) == 251, len(got))
        expect("it is said, too", serve.said("simulated: actual_q=3, where it is not recorded"), serve.lines)


def check_range():
    """A set-up that only moments beyond --from and --to fit."""
    make("range.pcap", [Part(["timestamp", "actual_q"], 0, 3), Part(["timestamp", own(1)], 1, 2, connection=1)])
    for words, fits in (((), True), (("--to", "+0.9"), False), (("--from", "+2.1"), False), (("--from", "+1.5"), True),
                        (("--from", "+0.5", "--to", "+1.1"), True), (("--from", "+2.1", "--gaps", "hold"), True),
                        (("--to", "+0.9", "--gaps", "hold"), False)):
        with Serve("--speed", "max", *words, "range.pcap") as serve:
            client, types = ask(serve, ["timestamp", "actual_q", own(1)])
            expect((words, "found"), types == (["DOUBLE", "VECTOR6D", "DOUBLE"] if fits else ["DOUBLE", "VECTOR6D", NEVER]), types)
            if fits:
                client.start()
                expect((words, "rows"), len(serve_check.rows(client, types)) > 10)
            client.close()


def cut_copy(path, cut, length):
    """As a snapshot length leaves it."""
    with open(path, "rb") as file, open(cut, "wb") as to:
        to.write(file.read(16) + struct.pack("<I", length) + file.read(8)[4:])
        while head := file.read(16):
            seconds, fraction, captured, whole = struct.unpack("<IIII", head)
            packet = file.read(captured)[:length]
            to.write(struct.pack("<IIII", seconds, fraction, len(packet), whole) + packet)


def check_cut(protocol, length):
    """A snapshot length: what is whole is played, in each record; the rest is not recorded."""
    what, times, path = ("cut", protocol, length), [i * CYCLE for i in range(100)], "%s%d.pcap" % (protocol, length)
    is_legacy = protocol == "legacy"
    make("whole-" + path, [] if is_legacy else [Part(LEGACY, 0, 99 * CYCLE)], times if is_legacy else ())
    cut_copy("whole-" + path, path, length)
    ends = {name: at + 8 * count for at, name, count in wire.Layout(1220).cells} if is_legacy else dict(zip(LEGACY, (12, 60, 108)))
    names = [name for name in LEGACY if ends[name] <= length - 40]
    with Serve("--speed", "max", path) as serve:
        client, types = ask(serve, LEGACY)
        expect((what, "found"), [name for name, kind in zip(LEGACY, types) if kind != NEVER] == names, types, serve.lines)
        types = client.outputs(names)
        expect((what, "started"), client.start(), serve.lines)
        wanted = [tuple(when + offset(name) for name, kind in zip(names, types) for _ in range(6 if kind == "VECTOR6D" else 1))
                  for when in times]
        got = serve_check.rows(client, types)
        expect((what, "each row"), got == wanted, len(got), got[:1], wanted[:1])
        expect((what, "the cause"), serve.said("the snapshot length cut 100 of 100 records"), serve.lines)
    with Serve("--speed", "max", path) as serve:
        rows = cells(serve_check.legacy_bytes(serve, 30003))
        wanted = [{name: when + offset(name) if name in names else 0.0 for name in LEGACY} for when in times]
        expect((what, "legacy packets"), rows == wanted, len(rows), rows[:1], wanted[:1])


def check_short(lacking):
    """Packages that end before their last fields: those were named, and never recorded."""
    names, path = ["timestamp", own(1), own(2), own(3)], "short%d.pcap" % lacking
    link, recipe = capture.Connection(30004, 41000), wire.Recipe(names, ["DOUBLE"] * 4)
    set_up(link, 0.001, names, 125)
    for i in range(1, 50):
        values = recipe.pack({name: (i * CYCLE + offset(name),) for name in names})
        link.say(i * CYCLE, "robot", wire.package("U", b"\1" + values[:len(values) - lacking]))
    link.end(1)
    capture.write(path, link.packets)
    there = names[:(32 - lacking) // 8]
    with Serve("--speed", "max", path) as serve:
        client, types = ask(serve, names)
        expect((lacking, "short packages: refused"), types == ["DOUBLE"] * len(there) + [NEVER] * (4 - len(there)), types, serve.lines)
        types = client.outputs(there)
        expect((lacking, "short packages: the rest"), client.start() and len(serve_check.rows(client, types)) == 49, serve.lines)


def check_first_client():
    """Nothing is missed before the first client, whichever it is; --no-wait begins without; so does an empty range."""
    make("first.pcap", [Part(["timestamp", "actual_q"], 0, 1)])
    for words in ((), ("--loop",), ("--speed", "5")):
        with Serve(*words, "first.pcap") as serve:
            time.sleep(1.2)  # longer than the capture
            client, types = ask(serve, ["timestamp"])
            client.start()
            rows = serve_check.rows(client, types, 100)
            expect((words, "from the first record on"), rows and rows[0] == (0.0,) and len(rows) == 100, len(rows), rows[:1])
    with Serve("first.pcap") as serve:
        time.sleep(1.2)
        end = serve.connect(30003)
        got = serve_check.exactly(end, 1220)
        expect("a legacy client", cells(got)[0]["timestamp"] == 0.0)
    with Serve("first.pcap") as serve:
        time.sleep(0.5)
        end = serve.connect(29999)
        expect("a client that asks for no data begins it, too", serve.wait() == 0 and serve.said("126 records were played"), serve.lines)
        end.close()
    with Serve("--no-wait", "first.pcap") as serve:
        expect("--no-wait", serve.wait() == 0 and serve.said("126 records were played; no client"), serve.lines)


def check_no_future():
    """Imitations know what was recorded so far, not what comes."""
    robot_mode = [Part(["timestamp", "actual_q"], 0, 3), Part(["timestamp", "actual_TCP_pose"], 2, 3, connection=1)]
    make("future.pcap", robot_mode)
    with Serve("--paused", "--speed", "max", "future.pcap") as serve:
        end = serve.connect(30001)
        data = serve_check.exactly(end, 55)
        length = struct.unpack(">I", serve_check.exactly(end, 4))[0]
        state, at = serve_check.exactly(end, length - 4)[1:], 0
        while state[at + 4] != 4:  # cartesian info
            at += struct.unpack_from(">I", state, at)[0]
        pose = struct.unpack_from(">6d", state, at + 5)
        expect("a pose that comes later", len(data) == 55 and all(value < 1e6 for value in pose), pose)


def check_pause(pause, skips):
    """One of two connections is silent for a while, the other goes on: its clients miss nothing. Late data is not lost."""
    first, second = ["timestamp", own(0), SHARED], ["timestamp", own(1), SHARED]
    parts = [Part(first, 0, 1), Part(first, 1 + pause, 3), Part(second, 0.004, 2.9, connection=1)]
    if not skips:
        parts = [Part(first, 0, 3), parts[2]]
    truth = Truth(parts)
    make("pause.pcap", parts)
    for wish in ([own(1)], [own(0)], [own(0), own(1)], [SHARED]):
        play(("pause", pause, skips), "pause.pcap", truth, wish, "--gaps", "keep")


def kinds():
    for i, (name, spans) in enumerate(arrangements()):
        apart = all(a[1] < b[0] for a, b in zip(spans, spans[1:]))
        for one_connection in (True, False) if apart else (False,):
            yield partial(check_kind, name, spans, one_connection, i % 3 != 0, 1 + i % 2 * 2)


if __name__ == "__main__":
    side_by_side(*share((
        *kinds(), *(partial(check_legacy, "legacy %s" % (span,), span, gaps)
                             for span in (None, (0, 1.2), (1.5, 2.5)) for gaps in ("keep", "hold")),
                 *(partial(check_pause, pause, skips) for pause in (0.12, 0.5, 0.9, 1.5) for skips in (True, False) if skips or pause == 0.5),
                 *(partial(check_cut, "legacy", length) for length in (100, 339, 340, 500, 532, 1000)),
                 *(partial(check_short, lacking) for lacking in (1, 8, 17)),
                 *(partial(check_cut, "rtde", length) for length in (100, 120, 147)),
                 check_columns, check_names, check_fill, check_range, check_first_client, check_no_future), 3, "moments"))
    sys.exit(finish())
