#!/usr/bin/env python3
"""The fake controller does what it is told: each fault as a plain socket sees it, and its log is what was sent."""
import json
import os
import socket
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import wire  # noqa: E402
from controller import Controller, Faults, text  # noqa: E402
from robot import Robot  # noqa: E402
from tally import expect, finish, side_by_side  # noqa: E402

PATIENCE = 20
NAMES = ["timestamp", "actual_q", "robot_mode", "input_int_register_3"]
TYPES = ["DOUBLE", "VECTOR6D", "INT32", "INT32"]


class Peer:
    def __init__(self, controller, role="rtde"):
        self.socket = socket.create_connection((controller.host, controller.port[role]), PATIENCE)
        self.packages, self.found, self.bytes = wire.Packages(), [], b""

    def ask(self, kind, payload=b""):
        self.socket.sendall(wire.package(kind, payload))
        return self.reply(kind)

    def read(self):
        data = self.socket.recv(65536)
        self.bytes += data
        return data

    def next(self):
        """(kind, payload), or None when the controller closed, or "reset"."""
        while not self.found:
            try:
                data = self.read()
            except ConnectionResetError:
                return "reset"
            if not data:
                return None
            self.found = self.packages.feed(data)
        return self.found.pop(0)

    def reply(self, kind):
        while True:
            found = self.next()
            if not isinstance(found, tuple) or found[0] == kind:
                return found and found[1]

    def version(self, number):
        return self.ask("V", struct.pack(">H", number)) == b"\1"

    def outputs(self, *names, frequency=None):
        """The types; the id is checked against them."""
        payload = self.ask("O", (b"" if frequency is None else struct.pack(">d", frequency)) + ",".join(names).encode())
        return payload if frequency is None else (payload[0], payload[1:].decode().split(","))


def talk(what, role="rtde", **faults):
    controller = Controller(roles={role: 0}, robot=Robot(), faults=Faults(**faults))
    with controller:
        peer = Peer(controller, role)
        controller.wait_for(lambda: controller.number)  # accepted
        what(controller, peer)


def data_is_the_log(controller, peer):
    """What arrives is the log, byte for byte and value for value, each step once."""
    expect("version 3", peer.version(3))
    expect("controller", peer.ask("v") == struct.pack(">4I", *controller.robot.version))
    expect("outputs", peer.outputs(*NAMES, frequency=125.0) == (1, TYPES))
    expect("inputs", peer.ask("I", b"input_int_register_3,speed_slider_mask") == b"\1INT32,UINT32")
    peer.socket.sendall(wire.package("U", struct.pack(">BiI", 1, -5, 0)))
    expect("start", peer.ask("S") == b"\1")
    recipe = wire.Recipe(NAMES, TYPES)
    came = [recipe.unpack(peer.reply("U")[1:]) for _ in range(50)]
    records = controller.records_sent(1)
    expect("values", [one.values for one in records][:50] == came, records[:1], came[:1])
    expect("125 Hz", {b.step - a.step for a, b in zip(records, records[1:])} == {4})
    expect("read back", all(one["input_int_register_3"] == (-5,) for one in came[-10:]), came[-1])
    peer.ask("P")
    expect("bytes", controller.sent(1) == peer.bytes, len(controller.sent(1)), len(peer.bytes))


def old_versions(controller, peer):
    expect("3 refused", not peer.version(3))
    expect("2 refused", not peer.version(2))
    expect("1", peer.version(1))
    expect("12 bytes", len(peer.ask("v")) == 12)
    expect("types alone", peer.outputs("timestamp", "robot_mode") == b"DOUBLE,INT32")
    expect("start", peer.ask("S") == b"\1")
    expect("no id", len(peer.reply("U")) == 12)


def names_that_lack(controller, peer):
    peer.version(2)
    expect("NOT_FOUND", peer.outputs("timestamp", "payload", "nonesuch", frequency=125.0) == (0, ["DOUBLE", "NOT_FOUND", "NOT_FOUND"]))
    expect("no start", peer.ask("S") == b"\0")
    expect("IN_USE", peer.ask("I", b"speed_slider_mask,input_int_register_0") == b"\0IN_USE,INT32")
    expect("taken", peer.ask("I", b"input_int_register_0") == b"\1INT32")
    other = Peer(controller)
    expect("by another", other.ask("I", b"input_int_register_0") == b"\0IN_USE")
    peer.socket.close()
    controller.wait_for(lambda: len(controller.links) == 1)
    expect("free again", other.ask("I", b"input_int_register_0") == b"\1INT32")


def texts_anywhere(controller, peer):
    """In the format of the protocol of that moment."""
    first = peer.next()
    expect("on connecting, protocol 1", first == ("M", b"\2early"), first)
    peer.version(2)
    found = peer.next()
    expect("protocol 2", found == ("M", b"\4late\0\2"), found)
    expect("then the reply", peer.ask("v") == struct.pack(">4I", *controller.robot.version))


def data_around_replies(controller, peer):
    peer.version(2)
    peer.outputs("timestamp", frequency=500.0)
    peer.socket.sendall(wire.package("S"))
    kinds = [peer.next()[0] for _ in range(4)]
    expect("before the reply to S", kinds[:3] == ["U", "U", "S"], kinds)
    peer.socket.sendall(wire.package("P"))
    kinds = []
    while not kinds or kinds[-1] != "P":
        kinds.append(peer.next()[0])
    expect("before the reply to P", kinds.count("U") >= 3, kinds)


def unconfirmed(controller, peer):
    peer.version(2)
    peer.outputs("timestamp", frequency=500.0)
    peer.socket.sendall(wire.package("S"))
    kinds = [peer.next(), peer.next()]
    expect("a text, and accepted", kinds[0][0] == "M" and b"SafetySetup" in kinds[0][1] and kinds[1] == ("S", b"\1"), kinds)
    controller.wait_for(lambda: controller.robot.step > 200)
    expect("no data", not controller.records)


def cut(controller, peer):
    peer.version(2)
    peer.socket.sendall(wire.package("v"))
    end = peer.next()
    expect(("cut", controller.faults.cut_by_reset), end == ("reset" if controller.faults.cut_by_reset else None) and
           len(peer.bytes) == len(controller.sent(1)) == 10, end, peer.bytes)


def unanswered(controller, peer):
    peer.version(2)
    peer.socket.sendall(wire.package("v"))
    found = peer.ask("O", struct.pack(">d", 125.0) + b"timestamp")
    events = {event.what: event.time for event in controller.events("sent", "request")}
    expect("late", found == b"\1DOUBLE" and events["sent"] - events["request"] >= 2e8, events)
    expect("never", controller.requests() == ["V", "v", "O"] and wire.package("v")[2:] not in controller.sent(1))


def huge_and_garbage(controller, peer):
    peer.version(2)
    peer.socket.sendall(wire.package("v"))
    while len(peer.bytes) < 9 + 19:
        peer.read()
    expect("garbage before the second package", peer.bytes[4:9] == b"\xff\xffU\0\0", peer.bytes)


def reboot(controller, peer):
    peer.version(2)
    peer.outputs("timestamp", frequency=500.0)
    peer.ask("S")
    first = struct.unpack(">Bd", peer.reply("U"))[1]
    controller.reboot(7.0)
    while peer.next() not in (None, "reset"):
        pass
    again = Peer(controller)
    again.version(2)
    again.outputs("timestamp", frequency=500.0)
    again.ask("S")
    second = struct.unpack(">Bd", again.reply("U"))[1]
    expect("the clock fell", first >= 1000 and 7 <= second < 1000, first, second)


def silence(controller, peer):
    """The clock runs on."""
    layout = controller.robot.layout
    controller.wait_for(lambda: controller.counts["realtime_ro", "records"] > 5)
    controller.silence(0.3)
    while True:
        times = [one.values["timestamp"][0] for one in list(controller.records)]
        if len(times) > 20 and times[-1] > 0.4 + times[0]:
            break
        peer.read()
    expect("a hole", any(b - a > 0.25 for a, b in zip(times, times[1:])), times[:20])
    cut_at = len(peer.bytes) // layout.size * layout.size
    packets = [layout.unpack(peer.bytes[at:at + layout.size]) for at in range(0, cut_at, layout.size)]
    sent = [one.values for one in controller.records_sent(1)]
    expect("the values sent", packets == sent[:len(packets)] and len(packets) > 20, packets[:1], sent[:1])


def mode_and_refusal(controller, peer):
    controller.change_mode()
    while peer.read():
        pass
    expect("closed", controller.events("closed"))
    controller.refuse("realtime")
    controller.wait_for(lambda: not controller.listeners)
    try:
        Peer(controller, "realtime")
        expect("refused", False)
    except ConnectionRefusedError:
        expect("refused", True)
    controller.listen("realtime")
    controller.wait_for(lambda: controller.listeners)
    expect("again", Peer(controller, "realtime").read())


def every_port():
    """As a program: roles, sizes, the log file, orders on standard input."""
    with subprocess.Popen([sys.executable, os.path.join(HERE, "controller.py"), "--free", "--host", "127.0.0.1", "--size", "1060",
                           "--version", "3.4.5.100", "--log", "log", "--sent", "--inject", "0=hello"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        ports = json.loads(program.stdout.readline())

        def connect(role):
            return socket.create_connection((ports["host"], ports[role]), PATIENCE)
        for role in "realtime", "realtime_ro":
            with connect(role) as peer:
                head = peer.recv(4, socket.MSG_WAITALL)
                expect((role, "size"), head == struct.pack(">I", 1060), head)
        with connect("primary") as peer:
            messages, found = wire.Messages(), []
            while len(found) < 2:
                found += messages.feed(peer.recv(65536))
            expect("version, state", [kind for kind, _ in found[:2]] == [20, 16], found)
            sizes = {kind: 5 + len(body) for kind, body in wire.sub_packages(found[1][1]).items()}
            expect("sub-packages", sizes == {0: 47, 1: 251, 4: 101, 5: 225, 6: 445}, sizes)
        with connect("dashboard") as peer, peer.makefile("rw", newline="\n") as lines:
            lines.write("PolyscopeVersion\nfly\n")
            lines.flush()
            answers = [lines.readline() for _ in range(3)]
            expect("dashboard", answers == ["Connected: Universal Robots Dashboard Server\n", "URSoftware 3.4.5.100 (Jan 01 2021)\n",
                                            "could not understand: 'fly'\n"], answers)
        with connect("rtde") as peer:
            expect("text", peer.recv(4096) == wire.package("M", b"\2hello"))
            program.stdin.write("reset rtde\n")
            program.stdin.flush()
            try:
                expect("reset", peer.recv(1) is None)
            except ConnectionResetError:
                expect("reset", True)
        program.communicate("quit\n", timeout=PATIENCE)
    with open("log") as file:
        events = [json.loads(line) for line in file]
    expect("log", {"opened", "sent", "record", "request", "reset", "closed"} <= {event["what"] for event in events}, events[:3])


def with_faults(what, role="rtde", **faults):
    def case():
        talk(what, role, **faults)
    case.__name__ = what.__name__
    return case


side_by_side(
    with_faults(data_is_the_log), with_faults(data_is_the_log, pieces=7),
    with_faults(old_versions, max_version=1, short_version=True),
    with_faults(names_that_lack, hide=("payload",), in_use=("speed_slider_mask",)),
    with_faults(texts_anywhere, inject={0: text("early"), 1: text("late")}),
    with_faults(data_around_replies, data_before_start=2, data_after_pause=3),
    with_faults(unconfirmed, unconfirmed=True),
    with_faults(cut, cut_after=10), with_faults(cut, cut_after=10, cut_by_reset=True),
    with_faults(unanswered, unanswered="v", late={"O": 0.3}),
    with_faults(huge_and_garbage, inject={1: b"\xff\xffU\0\0"}),
    with_faults(reboot), with_faults(silence, "realtime_ro"), with_faults(mode_and_refusal, "realtime"), every_port)
sys.exit(finish())
