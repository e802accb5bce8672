#!/usr/bin/env python3
"""The primary interface as a source: what a robot says of itself without privileges and without a capture, what is there
instead where it is not, and bad peers."""
import functools
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import primary_server as wire  # noqa: E402
import robot as robots  # noqa: E402
from controller import Controller, Faults  # noqa: E402
from peers import GARBAGE, Peer, closing, for_ever, once, silent  # noqa: E402
from primary_server import Primary, own_address  # noqa: E402
from program import ARMTAP, PATIENCE, Run  # noqa: E402
from tally import expect, finish, in_time, is_sanitized, lacks, share, side_by_side, wait_for  # noqa: E402

AT_ONCE = 2.5  # s: a silent port is waited for 1 s
Run.quick = 2.5 if os.environ.get("ASAN_OPTIONS") else 1.6
STOP = "C153A2"
REASON = r"the robot entered\s+PROTECTIVE_STOP\s[^:]*[^C]*C153A2:\s+Position\s+deviates"


def armtap(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)


def url(one, scheme="primary"):
    return "%s://%s:%d" % (scheme, one.host, one.port)


def stop(one):
    """A protective stop, as a controller tells it."""
    one.safety = wire.PROTECTIVE_STOP
    clock = int(one.clock() * 1e6)
    one.send(wire.error_code(153, 2, clock=clock) + wire.popup(b"Protective stop", b"joint 2", clock=clock)
             + wire.program(b"STOPPED", b"cell", clock=clock))


# ---- a source ----------------------------------------------------------------------------------------------------------


def source():
    """Rows are the states that were sent; diagnose tells errors, popups, programs and the safety mode; nothing is sent."""
    with Primary(own_address()) as one:
        run = Run("export", "-f", "ndjson", "primary://" + one.host)
        run.until(lambda: len(run.printed().splitlines()) >= 5)
        expect("export: status", run.end() == 0, run.status, run.said())
        rows = [json.loads(line) for line in run.printed().splitlines()]
        expect("export: rows", 5 <= len(rows) <= one.sent and all(row["protocol"] == "primary" for row in rows), len(rows), one.sent)
        expect("export: values", all(row["actual_q"] == [i / 8 for i in range(6)] and row["robot_mode"] == 7 and
                                     row["safety_mode"] == 1 and 1000 <= row["timestamp"] < 1100 for row in rows), rows[:1])
        run = Run("diagnose", url(one))
        run.until(lambda: one.count == 2 and one.peers)
        one.send(wire.program(b"STARTED", b"cell"))
        time.sleep(0.5)
        stop(one)
        run.shows("diagnose: live", "ur.error.*" + STOP)
        time.sleep(0.5)
        expect("diagnose: status", run.end() == 1, run.status, run.said())
        shown = run.printed()
        for what in (r"ur\.program.*program started: cell", r"ur\.program.*program stopped: cell", r"ur\.popup.*Protective stop",
                     r"safety\.stop.*PROTECTIVE_STOP", REASON):
            expect("diagnose: " + what, re.search(what, shown), shown)
        for command in ("info", "stats"):
            run = Run(command, url(one))
            before = one.sent
            run.until(lambda before=before: one.sent >= before + 5)
            expect(command + ": status", run.end() == 0 and run.printed(), run.status, run.said())
        expect("it sends nothing", one.got == b"", one.got[:200])


def again():
    """A connection that ends, as when a controller goes to LOCAL, is made anew."""
    with Primary(own_address()) as one:
        run = Run("export", "-f", "ndjson", url(one))
        run.until(lambda: run.printed().count("\n") >= 3)
        one.close()
        run.shows("again: says so", "closed the connection; switching between local and remote control closes this port, but not port 30011")
        expect("again: connects", run.until(lambda: one.count == 2), run.said())
        before = run.printed().count("\n")
        expect("again: data", run.until(lambda: run.printed().count("\n") >= before + 3), run.said())
        expect("again: status", run.end() == 0, run.status, run.said())


def ports():
    """The secondary interface, by its number; IPv6 is that of others."""
    with Primary(own_address(), wire.SECONDARY) as one:
        run = Run("export", url(one))
        run.until(lambda: run.printed().count("\n") >= 4)
        expect("secondary: rows", run.end() == 0 and run.printed().count("\n") >= 4, run.status, run.said())


# ---- recordings --------------------------------------------------------------------------------------------------------


def frames(name, port):
    """What Wireshark's program finds in a recording: the bytes that the robot sent, in order."""
    done = subprocess.run(["tshark", "-r", name, "-Y", "tcp.srcport == %d && tcp.len > 0" % port, "-T", "fields", "-e", "tcp.payload"],
                          capture_output=True, text=True, check=False)
    return b"".join(bytes.fromhex(line.replace(":", "")) for line in done.stdout.split())


def recording():
    """One file; parts, each of which can be read alone; both interfaces of one robot."""
    host = own_address()
    with Primary(host) as one, Controller(host, roles={"rtde": 30004}) as robot:
        run = Run("record", "-o", "one.pcapng", "primary://" + host)
        run.until(lambda: one.peers)
        time.sleep(0.4)
        stop(one)
        time.sleep(0.4)
        expect("record: status", run.end() == 0, run.status, run.said())
        shown = armtap("diagnose", "one.pcapng").stdout
        expect("record: the stop has its reason", re.search(REASON, shown), shown)
        if shutil.which("tshark"):
            sent = frames("one.pcapng", wire.PORT)
            expect("record: tshark reads it", sent.startswith(wire.version()) and wire.popup(b"Protective stop", b"joint 2")[14:] in sent, sent[:100])
        else:
            lacks("tshark", "a recording of the primary interface")
        run = Run("record", "-o", "part-%S.pcapng", "--rotate", "1s", "rtde://" + host, "primary://" + host)
        run.until(lambda: len(glob.glob("part-*")) >= 4)
        expect("parts: status", run.end() == 0, run.status, run.said())
        names = sorted(glob.glob("part-*"), key=os.path.getmtime)
        for name in names[1:-1]:
            told = json.loads(armtap("info", "--json", name).stdout)
            streams = {stream["protocol"]: stream for stream in told["streams"]}
            expect(name + ": both streams alone", set(streams) == {"rtde", "primary"} and
                   all(stream["controller_version"] for stream in streams.values()) and
                   all(sum(stream["records"].values() if isinstance(stream["records"], dict) else [stream["records"]]) > 0
                       for stream in streams.values()), told)
            expect(name + ": nothing is lost", not any(stream["bytes_lost"] for stream in streams.values()), told)
        whole = armtap("export", "--stream", "1", *names).stdout.count("\n")
        each = [armtap("export", "--stream", "1", name).stdout.count("\n") - 1 for name in names]
        expect("parts: the same rows", whole - 1 == sum(max(0, count) for count in each) > 20, whole, each)
        expect("RTDE ran, too", robot.counts["rtde", "records"] > 500)


# ---- another protocol --------------------------------------------------------------------------------------------------


def elsewhere():
    """The wrong protocol for a port: named, with the URL to use, at once, and status 2; also where the port tells nothing."""
    there = {"rtde": "RTDE packages", "realtime": "realtime packets", "primary": "messages of the primary interface",
             "dashboard": "lines of the dashboard server"}
    usual = {"rtde": 30004, "realtime": 30013, "primary": 30001}
    for own_ports in (True, False):
        host = own_address()
        roles = {"rtde": 30004, "realtime": 30003, "primary": 30001, "dashboard": 29999}
        with Controller(host, roles=roles if own_ports else dict.fromkeys(roles, 0)) as one:
            for scheme in usual:
                for role, port in one.port.items():
                    if role == scheme or (role == "rtde" and not own_ports):
                        continue  # RTDE waits for a request: only its port tells
                    for command in (("diagnose",), ("record", "-o", "%s-%s-%d.pcapng" % (scheme, role, own_ports))):
                        begun = time.monotonic()
                        name = "%s %s://HOST:%d" % (command[0], scheme, port)
                        run = Run(*command, "%s://%s:%d" % (scheme, host, port))
                        expect(name + ": status", run.wait() < PATIENCE and run.status == 2, run.status, run.said())
                        in_time(name, time.monotonic() - begun, AT_ONCE)
                        use = "%s://%s:%d" % ((scheme, host, usual[scheme]) if role == "dashboard" else (role, host, port))
                        size = " of 1220 bytes" if role == "realtime" else ""
                        comes = ("nothing arrives; this port is for " if role == "rtde" else "this port sends ") + there[role] + size
                        expect(name + ": what is there", "%s, not %s: use %s\n" % (comes, there[scheme], use) in run.said(), run.said())


# ---- bad peers ---------------------------------------------------------------------------------------------------------


def drip(data):
    def act(peer):
        for i in range(len(data)):
            peer.sendall(data[i:i + 1])
            time.sleep(0.001)
        while peer.recv(65536):
            pass
    return act


# what each sends, and what is said of it
PEERS = {
    "silent": (silent, "no data (arrives|has arrived)"),
    "closing": (closing, "(closed|reset) the connection"),
    "garbage": (for_ever(GARBAGE), "the data is not primary interface|no data (arrives|has arrived)"),
    "zeros": (for_ever(bytes(8192)), "the data is not primary interface|no data (arrives|has arrived)"),
    "huge length": (once(b"\x7f\xff\xff\xff\x10" + bytes(5000)), "no data (arrives|has arrived)"),
    "negative length": (once(b"\xff\xff\xff\xff\x10" + bytes(5000)), "no data (arrives|has arrived)"),
    "huge sub-package": (once(wire.version() + wire.message(16, b"\x7f\xff\xff\xff\x00" + bytes(60))), "no data (arrives|has arrived)"),
    "drip": (drip(wire.version() + wire.state(first=True)), "no data (arrives|has arrived)"),
    "a text that never ends": (for_ever(b"\x7f\x00\x00\x00\x14" + bytes(9) + b"\x00" + b"x" * 60000), "no data (arrives|has arrived)|the data is not"),
}


def bad_peers():
    """All of them at once, each a robot of its own: a message for each, little memory, and an end when it is asked for."""
    servers = {name: Peer(act, own_address()) for name, (act, _) in PEERS.items()}
    run = Run("export", "-f", "ndjson", *[url(server) for server in servers.values()])
    for name, (_, pattern) in PEERS.items():
        run.shows("bad peer, %s: message" % name, re.escape(url(servers[name])) + ".*(%s)" % pattern)
    expect("bad peers: the drip is a row", run.until(lambda: re.search(r'"timestamp":1000\b', run.printed())), run.printed()[:300])
    expect("bad peers: ends", run.end() in (0, 2), run.status)
    expect("bad peers: bounded memory", is_sanitized() or run.usage.ru_maxrss < 120 * 1024, run.usage.ru_maxrss)


def every_byte():
    """What a controller sends at first, cut after every byte: connects again, and no cut state is a row."""
    whole = wire.version() + wire.state()
    lengths = share(range(len(whole)), 8, "lengths of a cut connection")
    cut = functools.partial(lambda length, peer: (peer.sendall(whole[:length]), peer.close()))
    servers = [Peer(functools.partial(cut, length), own_address()) for length in lengths]
    for group in [servers[at:at + 60] for at in range(0, len(servers), 60)]:
        run = Run("export", *[url(server) for server in group])
        for server in group:
            expect("cut: connects again", run.until(lambda server=server: server.count >= 2), server.act.args, run.said())
        run.end()
        expect("cut: no row", run.printed().count("\n") <= 1, run.printed())


# ---- beside another source ---------------------------------------------------------------------------------------------


class Robot:
    """RTDE and the legacy interface on UR's own ports, and port 30001 as `act` has it; act "refused": nobody listens there."""

    def __init__(self, act=None):
        self.host = own_address()
        self.robot = Controller(self.host, roles={"rtde": 30004, "realtime_ro": 30013}, robot=robots.Robot(hz=125))
        self.primary = None if act == "refused" else Primary(self.host, act=act)

    def __enter__(self):
        self.robot.__enter__()
        return self

    def __exit__(self, *_):
        self.robot.stop()
        if self.primary:
            self.primary.stop()

    def stop(self):
        """A protective stop, on all ports."""
        self.robot.do(lambda: self.robot.robot.kept.update(safety_mode=(wire.PROTECTIVE_STOP,), safety_status=(wire.PROTECTIVE_STOP,)))
        if self.primary and self.primary.peers:
            stop(self.primary)

    def diagnose(self, *arguments, scheme="rtde", before=lambda: None):
        """Half a second of health, a stop, half a second; then Ctrl-C."""
        role = "rtde" if scheme == "rtde" else "realtime_ro"
        self.robot.do(lambda: self.robot.robot.kept.update(safety_mode=(wire.NORMAL,), safety_status=(wire.NORMAL,)))
        if self.primary:
            self.primary.safety = wire.NORMAL
        run = Run("diagnose", *arguments, "%s://%s" % (scheme, self.host))
        for act in (before, self.stop):
            seen = self.robot.counts[role, "records"]
            run.until(lambda seen=seen: self.robot.counts[role, "records"] >= seen + 60)
            act()
        seen = self.robot.counts[role, "records"]
        run.until(lambda: self.robot.counts[role, "records"] >= seen + 60)
        run.end()
        return run


def reasons():
    """A stop that RTDE, or the legacy interface, shows has its reason from port 30001; without it the stop is there, too."""
    with Robot() as one:
        for scheme in ("rtde", "realtime"):
            run = one.diagnose(scheme=scheme)
            expect(scheme + ": the stop has its reason", re.search(REASON, run.printed()), run.printed(), run.said())
            expect(scheme + ": one incident", run.printed().count("the robot entered") == 2, run.printed())  # and in the verdict
            expect(scheme + ": status", run.status == 1, run.status, run.said())
            expect(scheme + ": nothing is said of the port", "30001" not in run.said(), run.said())
            run = one.diagnose("--no-primary", scheme=scheme)
            expect(scheme + ", --no-primary: the stop alone", "PROTECTIVE_STOP" in run.printed() and STOP not in run.printed(), run.printed())
        expect("one connection each, to which nothing is sent", one.primary.count == 2 and one.primary.got == b"", one.primary.count)
        run = Run("diagnose", "rtde://" + one.host, url(one.primary), "realtime://" + one.host)
        run.until(lambda: one.primary.count >= 3)
        time.sleep(0.5)
        run.end()
        expect("named itself: one connection", one.primary.count == 3, one.primary.count)
    with Primary(own_address()) as primary, Controller(primary.host, roles={"rtde": 30004}, faults=Faults(late={"P": 0.2})) as robot:
        run = Run("diagnose", "rtde://" + primary.host)
        robot.wait_for(lambda: robot.counts["rtde", "records"] > 300 and primary.peers)
        run.end()
        expect("RTDE's good-bye is awaited", wait_for(lambda: robot.sent(1).endswith(b"\0\4P\1"), 1), robot.sent(1)[-20:])
    with Primary(own_address()) as primary, Controller(primary.host, roles={"rtde": 0}) as robot:
        run = Run("diagnose", "rtde://%s:%d" % (primary.host, robot.port["rtde"]))
        robot.wait_for(lambda: robot.counts["rtde", "records"] > 300)
        expect("another port: perhaps another robot", run.end() == 0 and primary.count == 0, run.status, primary.count, run.said())


def ids(run):
    told = json.loads(run.printed())
    return [(one["id"], re.sub(r"[0-9.]+", "#", one["text"])) for one in told["findings"] if one["id"] != "rate.low"], told


# Port 30001, and what is said of it.
WITHOUT = {
    "refused": ("refused", "refuses connections: is its Primary Client service on, under Settings > Security > Services"),
    "silent": (silent, "no data has arrived"),
    "closing": (closing, "(closed|reset) the connection"),
    "garbage": (for_ever(GARBAGE), "the data is not primary interface|no data has arrived"),
    "huge length": (once(b"\x7f\xff\xff\xff\x10" + bytes(5000)), "no data has arrived"),
    "another protocol": (once(b"Connected: Universal Robots Dashboard Server\n"), "no data has arrived"),
    "a part of a state": (once((wire.version() + wire.state())[:300]), "no data has arrived"),
}


def without(name):
    """Without port 30001 one line says so, once, with what to do; findings and status are those of --no-primary."""
    act, pattern = WITHOUT[name]
    with Robot(act) as one:
        alone, beside = one.diagnose("--json", "--no-primary"), one.diagnose("--json", before=lambda: time.sleep(2))
        expect(name + ": status", alone.status == beside.status == 1, alone.status, beside.status, beside.said())
        expect(name + ": findings", ids(alone)[0] == ids(beside)[0], ids(alone)[0], ids(beside)[0])
        expect(name + ": streams", len(ids(beside)[1]["streams"]) <= 1 + (name == "a part of a state"), ids(beside)[1]["streams"])
        lines = [line for line in beside.said().splitlines() if "30001" in line]
        expect(name + ": one line", len(lines) == 1 and re.search("warning: primary://%s:30001: .*(%s)" % (one.host, pattern), lines[0]) and
               "--no-primary" in lines[0], lines)
        expect(name + ": no other line", len(beside.said().splitlines()) == 1 + len(alone.said().splitlines()), beside.said(), alone.said())


def ends_in_between(name):
    """Port 30001 ends its connections, is silent for a while or from then on, or refuses; what it says otherwise is used."""
    with Robot() as one:
        alone = one.diagnose("--json", "--no-primary")

        def end():
            if name == "closes":
                one.primary.close()
            elif name == "falls silent":
                one.primary.silent = True
                time.sleep(4)
            elif name == "pauses":
                for known, length in ((6.5, 0.4), (1, 3)):
                    time.sleep(known)  # so that the analysis knows its rate
                    one.primary.silent = True
                    time.sleep(length)
                    one.primary.silent = False
            else:
                one.primary.stop()
                one.primary = None
                time.sleep(3)
        beside = one.diagnose("--json", before=end)
        said = {"ur.error", "ur.popup", "ur.program"}
        found = [sorted(one["id"] for one in ids(run)[1]["findings"] if one["id"] not in said | {"rate.low"}) for run in (alone, beside)]
        goes_on = name in ("closes", "pauses")
        extra = ["safety.stop", "mode.changed"] if goes_on else []  # it tells of the stop, too
        expect(name + ": findings", sorted(found[0] + extra) == found[1], found)
        expect(name + ": status", alone.status == beside.status == 1, alone.status, beside.status)
        expect(name + ": one line", len([line for line in beside.said().splitlines() if "30001" in line]) == 1, beside.said())
        if goes_on:
            expect(name + ": has the reason", STOP in beside.printed(), beside.printed(), beside.said())
        expect(name + ": connects again", (one.primary.count if one.primary else 1) == 1 + (name == "closes"), beside.said())


def is_no_record():
    """Port 30001 alone does not make a reading a success, and ends none."""
    with Primary(own_address()) as one, Controller(one.host, roles={"rtde": 30004}) as robot:
        robot.refuse("rtde")
        robot.wait_for(lambda: not robot.listeners)
        for options, number in (([], signal.SIGINT), (["--give-up", "1"], None)):
            before = one.sent
            run = Run("diagnose", *options, "rtde://" + one.host)
            run.until(lambda before=before: one.sent > before + 3)
            run.end(number) if number else run.wait()
            expect("no record %s: status" % options, run.status == 2, run.status, run.said())
            expect("no record %s: says so" % options, re.search("no telemetry: .*:30004|no data for 1 s", run.said()), run.said())
    for act in (silent, for_ever(GARBAGE), closing):
        with Robot(act) as one:
            run = Run("diagnose", "--give-up", "1", "rtde://" + one.host)
            one.robot.wait_for(lambda one=one: one.robot.counts["rtde", "records"] > 100)
            one.robot.silence(60)
            begun = time.monotonic()
            expect("give-up: status", run.wait() < PATIENCE and run.status == 2, run.status, run.said())
            in_time("give-up", time.monotonic() - begun, 4)


def flood():
    """A port 30001 that sends without end costs the robot's data nothing, and bounded memory."""
    with Robot(for_ever(wire.version() + wire.state() * 40, 0)) as one:
        run = Run("diagnose", "--json", "rtde://" + one.host)
        one.robot.wait_for(lambda: one.robot.counts["rtde", "records"] > 400)
        run.end()
        told = json.loads(run.printed())
        expect("flood: nothing is lost", not [one for one in told["findings"] if one["id"] in ("stream.gap", "record.dropped")],
               told["findings"][:10], run.said())
        expect("flood: both were read", [one["bytes_lost"] for one in told["streams"]] == [0, 0], told["streams"])
        expect("flood: bounded memory", is_sanitized() or run.usage.ru_maxrss < 150 * 1024, run.usage.ru_maxrss)


def played():
    """armtap serve in the robot's place: the stop that was captured has the reason that was captured."""
    host = own_address()
    sample = os.path.join(os.environ.get("srcdir") or os.path.join(HERE, "..", ".."), "captures", "driver-stop.pcap.gz")
    server = Run("serve", "--listen", host, sample)
    server.until(lambda: "30001" in server.said() and "29999: " in server.said())
    run = Run("diagnose", "rtde://" + host)
    run.shows("played: the stop", "safety.stop.*PROTECTIVE_STOP")
    run.until(lambda: "30004" in run.said().split("connected", 1)[-1])
    expect("played: status", run.end() == 1, run.status, run.said())
    expect("played: the reason", re.search(REASON.replace(STOP, r"C153A\d"), run.printed()), run.printed())
    server.wait()


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
side_by_side(source, again, ports, recording, elsewhere, bad_peers, every_byte)
side_by_side(reasons, is_no_record, flood, played, *[functools.partial(without, name) for name in share(WITHOUT, 2, "ways to be without port 30001")],
             *[functools.partial(ends_in_between, name) for name in ("closes", "falls silent", "pauses", "refuses")])
sys.exit(finish())
