#!/usr/bin/env python3
"""`armtap serve` invents nothing: captures of several recipes, one after the other or at the same time, whose values are the times
at which they were recorded. Each package has the newest recorded values of one moment, in which all of its fields were recorded;
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
from tally import expect, finish, side_by_side, until  # noqa: E402


def module(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(HERE, name + ".py"))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


serve_check = module("serve-check")
Serve, Rtde = serve_check.Serve, serve_check.Rtde
SAMPLES = serve_check.CAPTURES
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


def set_up(link, when, names, hz):
    link.say(when, "client", wire.package("O", struct.pack(">d", hz) + ",".join(names).encode()))
    link.say(when, "robot", wire.package("O", b"\1" + ",".join(["DOUBLE"] * len(names)).encode()))
    link.say(when, "client", wire.package("S"))
    link.say(when, "robot", wire.package("S", b"\1"))


def offset(name):
    """Values of different fields differ."""
    return 0.0 if name == "timestamp" else 1000.0 * (1 + int(name.rsplit("_", 1)[1]))


def make(path, parts):
    """Parts of the same connection follow each other in it."""
    streams = []
    for connection in sorted({part.connection for part in parts}):
        mine = [part for part in parts if part.connection == connection]
        begin = max(mine[0].times[0] - 0.003, 0)
        link = capture.Connection(30004, 41000 + connection, begin)
        for kind, asked, answer in (("V", b"\0\2", b"\1"), ("v", b"", struct.pack(">4I", 5, 11, 0, 1))):
            link.say(begin, "client", wire.package(kind, asked))
            link.say(begin, "robot", wire.package(kind, answer))
        for part in mine:
            set_up(link, max(part.times[0] - 0.002, begin), part.names, 1 / CYCLE / part.every)
            for when in part.times:
                values = (when + offset(name) for name in part.names)
                link.say(when, "robot", wire.package("U", b"\1" + struct.pack(">%dd" % len(part.names), *values)))
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
    """For each field, when it ceases and when it begins: while others are recorded."""
    moments, wrong = truth.moments(), []
    for name in names:
        told = [(when, begins) for when, begins, which in said(lines) if name in which]
        states = [truth.is_recorded(name, when) for when in moments]
        changes = [(when, now) for when, before, now in zip(moments, [True] + states, states) if before != now]
        slack = 2 * CYCLE * max(part.every for part in truth.parts)
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
        if speed == 0 and "keep" in options:
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


def kinds():
    for i, (name, spans) in enumerate(arrangements()):
        apart = all(a[1] < b[0] for a, b in zip(spans, spans[1:]))
        for one_connection in (True, False) if apart else (False,):
            yield partial(check_kind, name, spans, one_connection, i % 3 != 0, 1 + i % 2 * 2)


if __name__ == "__main__":
    side_by_side(*kinds())
    sys.exit(finish())
