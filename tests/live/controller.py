#!/usr/bin/env python3
"""A fake UR controller with faults: RTDE protocols 1 to 3, the legacy ports, the primary interface and the dashboard, on
addresses of the loopback network. It logs what it sent. As a program it prints its ports, then obeys lines on standard
input; tests use the class Controller. README.md has the faults."""
import argparse
import collections
import dataclasses
import json
import os
import selectors
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import robot as robots  # noqa: E402
import sessions  # noqa: E402
import wire  # noqa: E402

ROOM = 65536  # bytes waiting for a client: with more, data is dropped
UNREAD = 10.0  # s: a client that reads nothing for so long is closed
BEHIND = 0.25  # s: what this process misses beyond that, the robot's clock misses, too: no cycle is skipped
NEVER = float("inf")

Event = collections.namedtuple("Event", "time link role what data")
# time: before it is sent; end: offset in the bytes of its connection
Record = collections.namedtuple("Record", "time link role step values end")


@dataclasses.dataclass
class Faults:
    max_version: int = 3  # V of higher versions is refused
    short_version: bool = False  # the reply to v has 12 bytes
    unanswered: str = ""  # requests without a reply, as in "VO"
    late: dict = dataclasses.field(default_factory=dict)  # kind of request: seconds until its reply
    inject: dict = dataclasses.field(default_factory=dict)  # bytes, or a function of the session, before the n-th package
    inject_realtime: dict = dataclasses.field(default_factory=dict)  # the same for legacy packets
    hide: tuple = ()  # names that are NOT_FOUND
    in_use: tuple = ()  # inputs that are IN_USE
    refuse_start: bool = False
    unconfirmed: bool = False  # S is accepted, data never comes, a text says why
    data_before_start: int = 0  # data packages between the request S and its reply
    data_after_pause: int = 0  # between P and its reply
    cut_after: int = -1  # bytes to a client after which its connection ends
    cut_by_reset: bool = False
    pieces: int = 0  # send in pieces of so many bytes
    cut_roles: tuple = ("rtde", "realtime", "realtime_ro")


def text(message, source="", level=wire.WARNING):
    """For `inject`: a text in the format of the protocol spoken at that moment."""
    return lambda session: wire.text_package(message, source, level, session.protocol)


class Link:
    """A connection: what waits to be sent, and how it ends."""

    def __init__(self, controller, number, role, sock, peer):
        self.controller, self.number, self.role, self.socket, self.peer = controller, number, role, sock, peer
        self.waiting, self.sent, self.since, self.ending = bytearray(), 0, None, False
        self.session = sessions.SESSIONS[role](controller, self)

    def is_full(self):
        return len(self.waiting) > ROOM

    def send(self, data):
        self.waiting += data
        self.flush()

    def limit(self):
        """How many of the waiting bytes may go now."""
        faults, most = self.controller.faults, len(self.waiting)
        if faults.cut_after >= 0 and self.role in faults.cut_roles:
            most = min(most, max(0, faults.cut_after - self.sent))
        return min(most, faults.pieces) if faults.pieces else most

    def flush(self):
        while self.socket and self.waiting and self.limit():
            try:
                count = self.socket.send(self.waiting[:self.limit()])
            except BlockingIOError:
                break
            except OSError as wrong:
                self.end(str(wrong))
                return
            self.controller.note(self, "sent", bytes(self.waiting[:count]))
            del self.waiting[:count]
            self.sent += count
            self.since = None
        if self.socket and self.waiting and not self.limit():
            self.end("cut", self.controller.faults.cut_by_reset)
        elif self.socket and self.waiting and self.since is None:
            self.since = time.monotonic()
        if self.socket:
            self.controller.watch(self)

    def end(self, why="", reset=False):
        if not self.socket:
            return
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.controller.forget(self)
        self.socket.close()
        self.socket = None
        self.controller.note(self, "reset" if reset else "closed", why)
        self.session.ended()


class Controller:
    """with Controller(roles={"rtde": 0}) as one: ... one.port["rtde"]"""

    def __init__(self, host="127.0.0.1", roles=None, robot=None, faults=None, keep=True, running=True):
        self.host, self.robot, self.faults, self.keep = host, robot or robots.Robot(), faults or Faults(), keep
        self.log, self.records, self.counts = [], [], collections.Counter()
        self.links, self.number, self.timers, self.todo = {}, 0, [], collections.deque()
        self.selector, self.listeners, self.reserved, self.port = selectors.DefaultSelector(), {}, {}, {}
        self.changed, self.stopping, self.silent_until = threading.Condition(), False, 0.0
        self.running = running  # the clock; without, tests call cycle()
        self.wake_out, self.wake_in = socket.socketpair()
        self.selector.register(self.wake_out, selectors.EVENT_READ, None)
        for role, port in (roles or {"rtde": 0, "realtime": 0, "realtime_ro": 0}).items():
            self._listen(role, port)
        self.thread = threading.Thread(target=self._run, daemon=True)

    # ---- for tests: from any thread

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.do(lambda: setattr(self, "stopping", True))
        self.thread.join()

    def do(self, what):
        """Lets the controller's thread call it."""
        self.todo.append(what)
        self.wake_in.send(b"x")

    def ask(self, what):
        """What it returns in the controller's thread, between two turns: the log is whole there."""
        answers = []
        self.do(lambda: answers.append(what()))
        self.wait_for(lambda: answers or not self.thread.is_alive())
        return answers[0] if answers else what()

    def wait_for(self, truth, patience=20):
        """Whether truth() held before patience ended; looked at after each turn of the controller."""
        with self.changed:
            return self.changed.wait_for(truth, patience)

    def close(self, *roles, reset=False):
        """Ends the connections of these ports, or all."""
        self.do(lambda: [link.end("asked", reset) for link in list(self.links.values()) if not roles or link.role in roles])

    def reboot(self, uptime=0.0):
        """All connections end, the clock begins anew."""
        self.close(reset=True)
        self.do(lambda: self.robot.reboot(uptime))

    def change_mode(self):
        """As LOCAL and REMOTE on a pendant: ports that take scripts close."""
        self.close("primary", "secondary", "realtime")

    def silence(self, seconds):
        """No data, while the clock runs on."""
        self.do(lambda: setattr(self, "silent_until", time.monotonic() + seconds))

    def settle(self, patience=20):
        """No more data, for a minute, and all that was sent is read: nothing waits in a socket, several times in a row."""
        self.silence(60)
        self.ask(lambda: None)
        ports, quiet, end = {":%04X" % port for port in self.port.values()}, 0, time.monotonic() + patience
        while quiet < 5 and time.monotonic() < end:
            time.sleep(0.01)
            with open("/proc/net/tcp") as file:
                rows = [line.split() for line in file]
            waiting = any(row[4] != "00000000:00000000" for row in rows[1:] if {row[1][8:], row[2][8:]} & ports)
            quiet = 0 if waiting else quiet + 1
        return quiet >= 5

    def refuse(self, role):
        """Stops to listen; connections that stand go on."""
        self.do(lambda: self._reserve(role))

    def listen(self, role):
        """Again, on the same port."""
        self.do(lambda: self._listen(role, self.port[role]))

    def sent(self, link):
        """All bytes sent on a connection, given by its number."""
        return self.ask(lambda: b"".join(event.data for event in self.log if event.link == link and event.what == "sent"))

    def records_sent(self, link):
        """The records of a connection whose last byte was sent."""
        done = len(self.sent(link))
        return self.ask(lambda: [one for one in self.records if one.link == link and one.end <= done])

    def events(self, *what, role=None):
        return self.ask(lambda: [event for event in self.log if event.what in what and role in (None, event.role)])

    def requests(self, role="rtde"):
        """What clients asked for, in order."""
        return [event.data[0] for event in self.events("request", role=role)]

    # ---- for sessions and links: in the controller's thread

    def note(self, link, what, *data):
        self.counts[link.role, what] += 1
        if self.keep or what not in ("sent", "dropped"):
            plain = data[0] if what != "request" and data else data
            self.log.append(Event(time.time_ns(), link.number, link.role, what, plain))

    def record(self, link, step, values, begun):
        self.counts[link.role, "records"] += 1
        if self.keep:
            self.records.append(Record(begun, link.number, link.role, step, values, link.sent + len(link.waiting)))

    def after(self, seconds, what):
        self.timers.append((time.monotonic() + seconds, what))

    def taken(self, but):
        """Inputs that other connections hold."""
        return {name for link in self.links.values() if link is not but and link.role == "rtde"
                for recipe in link.session.inputs.values() for name in recipe.names}

    def watch(self, link):
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if link.waiting else 0)
        if link.number in self.links and self.selector.get_key(link.socket).events != events:
            self.selector.modify(link.socket, events, link)

    def forget(self, link):
        self.selector.unregister(link.socket)
        self.links.pop(link.number, None)

    def cycle(self):
        """One cycle of the robot."""
        self.robot.step += 1
        if time.monotonic() < self.silent_until:
            return
        for link in list(self.links.values()):
            if link.socket:
                link.session.tick(self.robot.step)

    # ---- the loop

    def _listen(self, role, port):
        listener = self.reserved.pop(role, None) or self._bound(port)
        listener.listen(1024)
        self.listeners[role] = listener
        self.port[role] = listener.getsockname()[1]
        self.selector.register(listener, selectors.EVENT_READ, role)

    def _bound(self, port):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind((self.host, port))
        return sock

    def _unlisten(self, role):
        listener = self.listeners.pop(role)
        self.selector.unregister(listener)
        listener.shutdown(socket.SHUT_RDWR)  # a program that is just being started may have a copy, which listens on
        listener.close()

    def _reserve(self, role):
        """Refuses connections; no other program gets the port meanwhile."""
        self._unlisten(role)
        self.reserved[role] = self._bound(self.port[role])

    def _accept(self, role):
        try:
            sock, peer = self.listeners[role].accept()
        except OSError:
            return
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number += 1
        link = Link(self, self.number, role, sock, peer)
        self.links[link.number] = link
        self.selector.register(sock, selectors.EVENT_READ, link)
        self.note(link, "opened", "%s:%d" % peer[:2])
        link.session.opened()
        if link.socket and self.faults.cut_after == 0 and role in self.faults.cut_roles:
            link.end("cut", self.faults.cut_by_reset)

    def _read(self, link):
        try:
            data = link.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError as wrong:
            link.end(str(wrong))
            return
        if not data:
            link.end("by the client")
            return
        self.note(link, "received", data)
        link.session.received(data)

    def _due(self):
        """Timers, clients that do not read, cycles; returns seconds until the next."""
        now = time.monotonic()
        for one in [one for one in self.timers if one[0] <= now]:
            self.timers.remove(one)
            one[1]()
        for link in list(self.links.values()):
            if link.since is not None and now - link.since > UNREAD:
                link.end("reads nothing", True)
        return min([self._cycles(now), *(when for when, _ in self.timers), now + 1]) - time.monotonic()

    def _cycles(self, now):
        """Cycles on an absolute schedule."""
        if not self.running:
            return NEVER
        period = 1 / self.robot.hz
        self.next = max(self.next, now - BEHIND)
        while self.next <= now:
            self.cycle()
            self.next += period
        return self.next

    def _run(self):
        self.next = time.monotonic()
        wait = 0.0
        while not self.stopping:
            for key, events in self.selector.select(max(0.0, wait)):
                if key.data is None:
                    self.wake_out.recv(4096)
                elif isinstance(key.data, str):
                    self._accept(key.data)
                else:
                    if events & selectors.EVENT_WRITE and key.data.socket:
                        key.data.flush()
                    if events & selectors.EVENT_READ and key.data.socket:
                        self._read(key.data)
            while self.todo:
                self.todo.popleft()()
            wait = self._due()
            with self.changed:
                self.changed.notify_all()
        for link in list(self.links.values()):
            link.end("the controller stops")
        for role in list(self.listeners):
            self._unlisten(role)
        for sock in self.reserved.values():
            sock.close()
        with self.changed:
            self.changed.notify_all()


# ---- the program ------------------------------------------------------------------------------------------------------


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--ports", default="rtde,realtime,realtime_ro,primary,secondary,primary_ro,secondary_ro,dashboard",
                        help="ROLE or ROLE=PORT, comma separated")
    parser.add_argument("--free", action="store_true", help="free ports, not UR's own, where none is given")
    parser.add_argument("--version", default="5.11.0.108249")
    parser.add_argument("--hz", type=int)
    parser.add_argument("--uptime", type=float, default=1000.0, help="the clock at the start, s")
    parser.add_argument("--size", type=int, default=1220, help="bytes of a legacy packet")
    parser.add_argument("--log", help="file for what happens: JSON, a line each")
    parser.add_argument("--sent", action="store_true", help="the log also has each record's values and all bytes, in hex")
    for one in dataclasses.fields(Faults):
        name = "--" + one.name.replace("_", "-")
        if one.type is bool:
            parser.add_argument(name, action="store_true")
        elif one.name == "late":
            parser.add_argument(name, default="", metavar="V=0.5,O=1", help="seconds by kind of request")
        elif one.name.startswith("inject"):
            parser.add_argument(name, action="append", default=[], metavar="N=HEX | N=TEXT", help="before package N; text becomes a text package")
        elif one.type is tuple:
            parser.add_argument(name, default=",".join(one.default), metavar="NAMES")
        else:
            parser.add_argument(name, type=one.type, default=one.default)
    return parser.parse_args()


def split(listed):
    return tuple(one for one in listed.split(",") if one)


def injected(told):
    """N=HEX is bytes, N=anything else a text."""
    found = {}
    for one in told:
        number, what = one.split("=", 1)
        try:
            found[int(number)] = bytes.fromhex(what)
        except ValueError:
            found[int(number)] = text(what)
    return found


def faults_of(told):
    given = {one.name: getattr(told, one.name) for one in dataclasses.fields(Faults)}
    given["late"] = {kind: float(seconds) for kind, seconds in (one.split("=") for one in split(told.late))}
    given["inject"], given["inject_realtime"] = injected(told.inject), injected(told.inject_realtime)
    for name in "hide", "in_use", "cut_roles":
        given[name] = split(given[name])
    return Faults(**given)


def roles_of(told):
    found = {}
    for one in split(told.ports):
        role, _, port = one.partition("=")
        found[role] = int(port) if port else 0 if told.free else sessions.PORTS[role]
    return found


def plain(thing):
    if isinstance(thing, bytes):
        return thing.hex()
    if isinstance(thing, (tuple, list)):
        return [plain(one) for one in thing]
    return thing


class Logged(Controller):
    """The log goes to a file, not to memory."""

    def __init__(self, file, everything, **options):
        self.file, self.everything = file, everything
        super().__init__(keep=False, **options)

    def write(self, what):
        if self.file:
            self.file.write(json.dumps(what) + "\n")
            self.file.flush()

    def note(self, link, what, *data):
        self.counts[link.role, what] += 1
        if what != "sent" and what != "received" or self.everything:
            self.write({"time": time.time_ns(), "connection": link.number, "port": link.role, "what": what, "data": plain(data)})

    def record(self, link, step, values, begun):
        self.counts[link.role, "records"] += 1
        if self.everything:
            self.write({"time": begun, "connection": link.number, "port": link.role, "what": "record", "step": step,
                        "values": values})


def obey(controller, line):
    """What may come on standard input."""
    word, *rest = line.split()
    if word == "reboot":
        controller.reboot(float(rest[0]) if rest else 0.0)
    elif word in ("close", "reset"):
        controller.close(*rest, reset=word == "reset")
    elif word == "mode":
        controller.change_mode()
    elif word == "silence":
        controller.silence(float(rest[0]))
    elif word in ("refuse", "listen"):
        getattr(controller, word)(rest[0])
    elif word != "quit":
        print("reboot [UPTIME], close|reset [ROLE...], mode, silence SECONDS, refuse|listen ROLE, quit", file=sys.stderr)
    return word != "quit"


def main():
    told = arguments()
    version = tuple(int(one) for one in told.version.split("."))
    model = robots.Robot(version, told.hz, told.uptime, told.size)
    with open(told.log or os.devnull, "w") as file, \
            Logged(file if told.log else None, told.sent, host=told.host, roles=roles_of(told), robot=model,
                   faults=faults_of(told)) as controller:
        print(json.dumps({"host": told.host, **controller.port}), flush=True)
        try:
            while True:
                line = sys.stdin.readline()
                if not line or line.strip() and not obey(controller, line):
                    break
        except KeyboardInterrupt:
            pass
        counts = {"%s %s" % key: count for key, count in sorted(controller.counts.items())}
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    main()
