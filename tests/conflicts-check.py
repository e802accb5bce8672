#!/usr/bin/env python3
"""Two machines with one address, and RSTs of somebody between, in generated captures of RTDE and legacy sessions: on the
client's network, the robot's, a mirror port, behind a router, with ARP and without, of systems with other TTLs. One stream a
session, address.conflict, and nobody blamed; and captures in which other MAC addresses or TTLs mean nothing."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish, share

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
CLIENT, ROBOT = 0, 1
HOSTS = [bytes([10, 0, 0, 9]), bytes([10, 0, 0, 2])]
MACS = [b"\2\0\0\0\0\x09", b"\2\0\0\0\0\x02"]
SECOND, ROUTER = b"\2\0\0\0\0\x77", b"\2\0\0\0\0\xfe"


class Capture:
    def __init__(self, rng, port):
        self.rng, self.port, self.server = rng, port, rng.choice((30004, 30003))
        self.time, self.packets = 1000.0 + rng.random(), []
        self.seq = [rng.randrange(1 << 32), rng.randrange(1 << 32)]
        self.cycle = rng.choice((0.002, 0.008))
        self.ttl, self.macs, self.count = [64, 64], list(MACS), 0

    def put(self, side, flags, payload=b"", seq=None, ack=None, mac=None, ttl=None):
        seq = self.seq[side] if seq is None else seq
        ack = (self.seq[1 - side] if ack is None else ack) if flags & ACK else 0
        ports = [self.port, self.server]
        tcp = struct.pack(">HHIIBBHHH", ports[side], ports[1 - side], seq % (1 << 32), ack % (1 << 32), 0x50, flags, 60000, 0, 0)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), len(self.packets) & 0xffff, 0x4000, ttl or self.ttl[side], 6, 0)
        self.packets.append((self.time, self.macs[1 - side] + (mac or self.macs[side]) + b"\x08\0" + ip + HOSTS[side] +
                             HOSTS[1 - side] + tcp + payload))
        if not flags & RST:
            self.seq[side] = (self.seq[side] + len(payload) + bool(flags & (FIN | SYN))) % (1 << 32)
        self.time += 1e-5

    def arp(self, operation, mac, host, target):
        self.packets.append((self.time, b"\xff" * 6 + mac + b"\x08\x06" + struct.pack(">HHBBH", 1, 0x800, 6, 4, operation) + mac + host +
                             bytes(6) + target))
        self.time += 1e-5

    def say(self, side, kind, body=b""):
        self.put(side, PSH | ACK, struct.pack(">HB", 3 + len(body), ord(kind)) + body)
        self.put(1 - side, ACK)

    def open(self):
        self.put(CLIENT, SYN)
        self.put(ROBOT, SYN | ACK)
        self.put(CLIENT, ACK)
        if self.server != 30004:
            return
        self.say(CLIENT, "V", b"\0\2")
        self.say(ROBOT, "V", b"\1")
        self.say(CLIENT, "O", struct.pack(">d", 1 / self.cycle) + b"timestamp,runtime_state")
        self.say(ROBOT, "O", b"\1DOUBLE,UINT32")
        self.say(CLIENT, "S")
        self.say(ROBOT, "S", b"\1")

    def package(self, **more):
        self.count += 1
        clock = 100 + self.count * self.cycle
        if self.server == 30004:
            body = struct.pack(">HBBdI", 16, ord("U"), 1, clock, 2)
        else:
            body = struct.pack(">Id", 1060, clock) + bytes(1048)
        self.put(ROBOT, PSH | ACK, body, **more)

    def data(self, seconds, acks=True):
        for _ in range(int(seconds / self.cycle)):
            self.package()
            if acks:
                self.put(CLIENT, ACK)
            self.time += self.cycle - 1e-5

    def close(self):
        self.put(CLIENT, FIN | ACK)
        self.put(ROBOT, FIN | ACK)
        self.put(CLIENT, ACK)


def begin(rng):
    capture = Capture(rng, rng.randrange(33000, 60000))
    capture.seconds = rng.uniform(0.5, 2)
    if rng.random() < 0.5:
        capture.arp(1, MACS[CLIENT], HOSTS[CLIENT], HOSTS[ROBOT])
        capture.arp(2, MACS[ROBOT], HOSTS[ROBOT], HOSTS[CLIENT])
    capture.open()
    capture.data(capture.seconds)
    return capture


def refused_again(capture, mac, ttl):
    """The client tries again, and the second machine refuses."""
    port = capture.port
    for i in range(capture.rng.randrange(3)):
        capture.time += 0.5
        capture.port = port + 1 + i
        capture.seq = [capture.rng.randrange(1 << 32), 0]
        capture.put(CLIENT, SYN)
        capture.put(ROBOT, RST | ACK, mac=mac, ttl=ttl)
    capture.port = port


def robots_address(rng, routed):
    """The client's acknowledgements reach a second machine, which answers by RSTs; the robot goes on for a while."""
    capture = Capture(rng, rng.randrange(33000, 60000))
    if routed:
        capture.macs, capture.ttl = [MACS[CLIENT], ROUTER], [64, 63]
    capture.open()
    capture.data(rng.uniform(0.5, 2))
    mac, ttl = (None, None) if routed else (SECOND, rng.choice((64, 128)))
    if not routed and rng.random() < 0.5:
        capture.arp(1, SECOND, HOSTS[ROBOT], HOSTS[ROBOT])
    capture.put(ROBOT, RST, mac=mac, ttl=ttl)
    for _ in range(int(rng.uniform(0.08, 0.6) / capture.cycle)):
        capture.time += capture.cycle
        capture.package()
        capture.put(CLIENT, RST)
    refused_again(capture, mac, ttl)
    return capture, True


def clients_address(rng):
    """The robot's data reach a second machine, which answers by RSTs: at the robot, or at a mirror port."""
    capture = begin(rng)
    if rng.random() < 0.5:
        capture.arp(1, SECOND, HOSTS[CLIENT], HOSTS[CLIENT])
    ttl = rng.choice((64, 128))
    capture.package()
    capture.put(CLIENT, RST, mac=SECOND, ttl=ttl)
    if rng.random() < 0.5:  # the client asks whether the robot is still there
        capture.time += rng.uniform(0.1, 5)
        capture.put(CLIENT, ACK, b"\0", seq=capture.seq[CLIENT] - 1)
        capture.put(ROBOT, RST)
    return capture, True


def unheard(rng):
    """The client's system has forgotten the connection; its RSTs go to a second machine, and the robot goes on."""
    capture = begin(rng)
    for _ in range(int(rng.uniform(1.1, 4) / capture.cycle)):
        capture.time += capture.cycle
        capture.package()
        capture.put(CLIENT, RST)
    return capture, False


def by_arp(rng):
    """Two machines answer, or claim the address in turn; the session happens to survive."""
    capture = Capture(rng, rng.randrange(33000, 60000))
    side = rng.choice((CLIENT, ROBOT))
    if rng.random() < 0.5:
        capture.arp(1, MACS[1 - side], HOSTS[1 - side], HOSTS[side])
        capture.arp(2, MACS[side], HOSTS[side], HOSTS[1 - side])
        capture.arp(2, SECOND, HOSTS[side], HOSTS[1 - side])
    else:
        for mac in MACS[side], SECOND, MACS[side]:
            capture.arp(1, mac, HOSTS[side], HOSTS[rng.choice((side, 1 - side))])
            capture.time += rng.uniform(0, 20)
    capture.open()
    capture.data(rng.uniform(0.5, 2))
    capture.close()
    return capture, False


# ---- what means nothing ----------------------------------------------------------------------------------------------


def replaced(rng):
    """Another network card, once; and a gateway that two routers share."""
    capture = begin(rng)
    capture.close()
    capture.time += rng.uniform(5, 60)
    capture.macs[ROBOT] = SECOND
    capture.arp(1, SECOND, HOSTS[ROBOT], HOSTS[ROBOT])
    for mac in ROUTER, SECOND, ROUTER, SECOND:
        capture.arp(1, mac, bytes([10, 0, 0, 254]), bytes([10, 0, 0, 254]))
    capture.port += 1
    capture.open()
    capture.data(1)
    capture.close()
    return capture, False


def two_taps(rng):
    """Each packet on both sides of a router."""
    capture = begin(rng)
    capture.close()
    both = []
    for time, data in capture.packets:
        both.append((time, data))
        if data[12:14] == b"\x08\0":
            both.append((time + 3e-6, ROUTER + ROUTER + data[12:22] + b"\x3f" + data[23:]))
    capture.packets = both
    return capture, False


def two_ways(rng):
    """Packets come by two routers of one network, in turn."""
    capture = begin(rng)
    for _ in range(40):
        capture.time += capture.cycle
        capture.package(mac=rng.choice((MACS[ROBOT], ROUTER)), ttl=rng.choice((64, 62)))
        capture.put(CLIENT, ACK)
    capture.put(*rng.choice(((CLIENT, RST | ACK), (CLIENT, FIN | ACK))))
    return capture, False


def plain(rng):
    capture = begin(rng)
    capture.close()
    return capture, False


CONFLICTS = {"the robot's address": lambda rng: robots_address(rng, False),
             "the robot's, behind a router": lambda rng: robots_address(rng, True), "the client's address": clients_address, "by ARP": by_arp,
             "unheard": unheard}
CLEAN = {"replaced": replaced, "two taps": two_taps, "two ways": two_ways, "plain": plain}


def judge(kind, make, seed):
    capture, is_cut = make(random.Random("%s %d" % (kind, seed)))
    with open("conflict.pcap", "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for time, data in capture.packets:
            file.write(struct.pack("<IIII", int(time), int(time % 1 * 1e9), len(data), len(data)) + data)
    told = json.loads(subprocess.run([ARMTAP, "diagnose", "--json", "conflict.pcap"], capture_output=True, check=False).stdout)
    what = "%s, %d" % (kind, seed)
    found = {one["id"]: one for one in told["findings"]}
    shown = [(one["id"], one["packet"], one["args"]) for one in told["findings"]]
    expect(what + ": streams", len(told["streams"]) == (2 if kind == "replaced" else 1), len(told["streams"]), shown)
    expect(what + ": conflict", ("address.conflict" in found) == (kind in CONFLICTS), shown)
    resets = [one["args"].get("who") for one in told["findings"] if one["id"] == "tcp.reset"]
    expect(what + ": reset", (set(resets) == {"between"}) if is_cut else not resets, shown)
    expect(what + ": no side", all(one["side"] == "unclear" for one in told["incidents"]), told["incidents"])
    if kind in CLEAN:
        bad = [one for one in shown if one[0] not in ("tcp.closed", "capture.duplicate", "rate.low")]
        expect(what + ": nothing else", not bad, bad)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind, make in (CONFLICTS | CLEAN).items():
            for seed in share(range(100), 10, "captures of each kind, 100"):
                judge(kind, make, seed)
        os.chdir("/")
    sys.exit(finish())


main()
