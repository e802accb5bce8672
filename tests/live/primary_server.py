"""Port 30001 of a UR controller, for tests: what it sends is packed by struct from UR's description of the client interfaces
(a version message, robot states at 10 Hz, error codes, popups, programs), and so is what goes wrong with it."""
import random
import socket
import struct
import threading
import time

from peers import Peer

PORT, SECONDARY = 30001, 30002
NO_CLOCK = 2**64 - 1
NORMAL, PROTECTIVE_STOP = 1, 3
VIOLATION, INFO = 3, 1


def own_address():
    """An address of the loopback network on which no other test listens, so that UR's own ports are free."""
    return "127.%d.%d.%d" % (random.randint(16, 200), random.randint(0, 255), random.randint(1, 254))


def message(kind, body):
    return struct.pack(">iB", 5 + len(body), kind) + body


def robot_message(kind, body, clock=NO_CLOCK, source=-3):
    return message(20, struct.pack(">Qbb", clock, source, kind) + body)


def version(major=5, minor=9, bugfix=4):
    return robot_message(3, struct.pack(">b9sBBii", 9, b"URControl", major, minor, bugfix, 0) + b"03-05-2019, 06:39:00", source=-2)


def error_code(code, argument, level=VIOLATION, clock=NO_CLOCK, data=0, text=b""):
    return robot_message(6, struct.pack(">iiiII", code, argument, level, 1, data) + text, clock)


def popup(title, text, warning=False, error=True, clock=NO_CLOCK):
    return robot_message(2, struct.pack(">II???B", 1, 8, warning, error, False, len(title)) + title + text, clock)


def program(what, name, clock=NO_CLOCK):
    """`what`: STARTED or STOPPED."""
    title = b"PROGRAM_XXX_" + what
    return robot_message(7, struct.pack(">iiB", 0, 0, len(title)) + title + name, clock)


def sub_package(kind, form, *values):
    body = struct.pack(">" + form, *values)
    return struct.pack(">IB", 5 + len(body), kind) + body


def state(clock=1000.0, safety=NORMAL, running=True, first=False):
    """RobotModeData, JointData, MasterboardData, CartesianInfo; in the first state also kinematics and configuration."""
    stopped = safety != NORMAL
    parts = [sub_package(0, "Q7?BBdddB", int(clock * 1e6), True, True, True, False, stopped, running, False, 7, 0, 1, 1, 1, 0),
             sub_package(1, "dddffffB" * 6, *[one for i in range(6) for one in (i / 8, i / 4, 0, 0, 48, 30, 0, 253)]),
             sub_package(4, "12d", *[i / 16 for i in range(12)])]
    if first:
        parts += [sub_package(5, "6I24dI", *(1,) * 6, *(0,) * 24, 2), sub_package(6, "53d4i", *(1,) * 53, 1, 1, 1, 2)]
    parts.append(sub_package(3, "IIBBddbbddffffBBBIBBB", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 48, 0, 0, safety, 0, 0, 0, 0, 0, 0))
    return message(16, b"".join(parts))


class Primary(Peer):
    """Each connection gets what `act` does with it, by default what a controller sends. with Primary(host) as one: ..."""

    def __init__(self, host, port=PORT, act=None):
        self.got, self.peers = b"", []
        self.safety, self.rate, self.silent, self.lock = NORMAL, 10, False, threading.Lock()
        self.begun, self.sent = time.monotonic(), 0
        super().__init__(act or self.send_states, host, port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Nobody listens any more, and connections end."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.close()

    def close(self):
        """Connections end, as when a controller goes to LOCAL."""
        with self.lock:
            peers, self.peers = self.peers, []
        for peer in peers:
            try:
                peer.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def clock(self):
        return 1000 + time.monotonic() - self.begun

    def send(self, data):
        with self.lock:
            for peer in self.peers:
                peer.sendall(data)

    def send_states(self, peer):
        threading.Thread(target=self.hear, args=(peer,), daemon=True).start()
        with self.lock:
            peer.sendall(version() + state(self.clock(), self.safety, first=True))
            self.peers.append(peer)
            self.sent += 1
        while peer in self.peers:
            time.sleep(1 / self.rate)
            with self.lock:
                if peer in self.peers and not self.silent:
                    peer.sendall(state(self.clock(), self.safety))
                    self.sent += 1

    def hear(self, peer):
        """Whatever a client sends: a client that only reads sends nothing."""
        try:
            while data := peer.recv(65536):
                self.got += data
        except OSError:
            pass
        with self.lock:
            self.peers = [one for one in self.peers if one is not peer]
