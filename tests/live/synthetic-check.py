#!/usr/bin/env python3
"""Packets that tools/input/robots/synthetic_tcp makes: taken apart by Python's struct, judged by tcpdump, and by tshark where it is
installed."""
import ipaddress
import os
import re
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from recording import ACK, FIN, PSH, RST, SYN, checksum  # noqa: E402
from tally import expect, finish, lacks, side_by_side  # noqa: E402

PROGRAM = os.path.join(os.path.abspath(os.environ.get("builddir", ".")), "tests/live/packets")
LONG = bytes((i * i >> 3) & 255 for i in range(200000))
WRAP = 1 << 32


class Packet:
    def __init__(self, name, time, data):
        self.time, four = time, data[0] >> 4 == 4
        if four:
            head, _, length, self.number, fragment, hops, protocol, _ = struct.unpack(">BBHHHBBH", data[:12])
            expect(name + ": IPv4 header", (head, length, fragment, protocol) == (0x45, len(data), 0x4000, 6) and hops,
                   data[:20].hex())
            expect(name + ": IPv4 checksum", checksum(data[:20]) == 0, data[:20].hex())
            hosts, segment = (data[12:16], data[16:20]), data[20:]
        else:
            head, length, protocol, hops = struct.unpack(">IHBB", data[:8])
            expect(name + ": IPv6 header", (head, length, protocol) == (6 << 28, len(data) - 40, 6) and hops,
                   data[:40].hex())
            hosts, segment = (data[8:24], data[24:40]), data[40:]
        pseudo = hosts[0] + hosts[1] + struct.pack(">HH" if four else ">II", *((6, len(segment)) if four else (len(segment), 6)))
        expect(name + ": TCP checksum", checksum(pseudo + segment) == 0, segment[:20].hex())
        *ports, self.seq, self.ack, offset, self.flags, window, _, urgent = struct.unpack(">HHIIBBHHH", segment[:20])
        expect(name + ": TCP header", offset == 0x50 and urgent == 0 and (window > 0 or self.flags & RST),
               segment[:20].hex())
        self.sides = ["%s %d" % (ipaddress.ip_address(host), port) for host, port in zip(hosts, ports)]
        self.data = segment[20:]


def packets(name):
    data = subprocess.run([PROGRAM, name], stdout=subprocess.PIPE, check=True).stdout
    with open(name + ".pcap", "wb") as file:
        file.write(data)
    expect(name + ": link type", struct.unpack("=I", data[20:24])[0] == 101)
    at, found = 24, []
    while at < len(data):
        seconds, fraction, length, _ = struct.unpack("=IIII", data[at:at + 16])
        found.append(Packet(name, seconds * 10**9 + fraction, data[at + 16:at + 16 + length]))
        at += 16 + length
    return found


def check_numbers(name, found):
    """Sequence numbers go on as the packets' lengths say, and each packet acknowledges what the other side sent."""
    following = {}
    for packet in found:
        me, peer = packet.sides
        expect(name + ": sequence number", packet.seq == following.get(me, packet.seq), packet.seq, following)
        following[me] = (packet.seq + len(packet.data) + (1 if packet.flags & (SYN | FIN) else 0)) % WRAP
        expect(name + ": acknowledgement", packet.ack == (following[peer] if packet.flags & ACK and peer in following
                                                          else packet.ack), packet.ack, following)


def summary(found, first=None):
    """A line per packet: > to the robot, flags, data."""
    client = first or found[0].sides[0]
    return [(">" if packet.sides[0] == client else "<") +
            "".join(letter for bit, letter in ((SYN, "S"), (FIN, "F"), (RST, "R"), (PSH, "P"), (ACK, "."))
                    if packet.flags & bit) + packet.data.decode("latin-1") for packet in found]


TALK = [">S", "<S.", ">.", ">P.odd", "<P.even", "<P.more", ">F.", "<P.last", "<F."]
AGAIN = [">S", "<S.", ">.", ">P.question", "<P.answer", ">P.go", "<P.goes on"]


def check_talk():
    for name, robot, client in (("four", "10.0.0.2 30004", "192.168.255.254 50000"),
                                ("six", "fd00::2 30004", "fd00::ffff:1 50000"),
                                ("mixed", "::ffff:10.0.0.2 30004", "::1 50000")):
        found = packets(name)
        expect(name, summary(found) == TALK, summary(found))
        sides = found[0].sides
        expect(name + ": sides", sides in ([client, robot], [client, robot.replace("10.0.0.2", "a00:2")]), sides)
        expect(name + ": times", [packet.time - 10**9 for packet in found] == [0, 0, 0, 1, 2, 3, 4, 5, 6])
        check_numbers(name, found)


def check_long():
    for name in ("long", "long-six"):
        found = packets(name)
        check_numbers(name, found)
        expect(name, b"".join(packet.data for packet in found) == LONG)
        expect(name + ": sizes", [len(packet.data) for packet in found] == [0, 0, 0, 65495, 65495, 65495, 3515, 0])
        expect(name + ": reset", found[-1].flags == RST | ACK)


def check_attempts():
    found = packets("refused")
    expect("refused", summary(found) == [">S", "<R."], summary(found))
    check_numbers("refused", found)
    expect("refused: RST of a port that nobody listens on", found[1].seq == 0)
    expect("unanswered", summary(packets("unanswered")) == [">S"])


def check_skip():
    found = packets("skip")
    expect("skip", summary(found) == [">S", "<S.", ">.", "<P.before", ">.", "<P.after"], summary(found))
    expect("skip: a hole of 1000 bytes", found[5].seq - found[3].seq == 1006)
    expect("skip: it is acknowledged", found[4].ack == found[5].seq)


def check_repeat():
    for name in ("repeat", "wrap"):
        found = packets(name)
        first, again = found[:len(TALK)], found[len(TALK):]
        expect(name, summary(first) == TALK and summary(again) == AGAIN, summary(again))
        check_numbers(name, first)
        check_numbers(name, again)
        ends = {packet.sides[0]: (packet.seq + len(packet.data) + 1) % WRAP for packet in first if packet.flags & FIN}
        expect(name + ": goes on where it was", again[-1].seq == ends[again[-1].sides[0]] and
               again[-1].ack == ends[again[-1].sides[1]])
        wrapped = any(packet.seq < 1000 for packet in first) and any(packet.seq > WRAP - 1000 for packet in first)
        expect(name + ": wraps around", wrapped == (name == "wrap"))


SCENES = ("four", "six", "mixed", "long", "long-six", "refused", "unanswered", "skip", "repeat", "wrap")


def check_tcpdump():
    """tcpdump finds every checksum correct, and reads each packet to its end."""
    for name in SCENES:
        count = len(packets(name))
        told = subprocess.run(["tcpdump", "-vv", "-nn", "-r", name + ".pcap"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                              text=True).stdout
        expect(name + ": tcpdump finds the checksums of TCP correct", len(re.findall(r"cksum 0x[0-9a-f]{4} \(correct\)", told)) == count, told)
        expect(name + ": tcpdump finds nothing else", not re.search(r"incorrect|bad|trunc|invalid|\[\|", told), told)


def check_tshark():
    """tshark's analysis finds nothing wrong with any packet but what a scene does on purpose."""
    if not shutil.which("tshark"):
        lacks("tshark", "its analysis")
        return
    for name, wrong in (("four", 0), ("six", 0), ("mixed", 0), ("long", 0), ("long-six", 0), ("skip", 2)):
        count = len(packets(name))
        rows = subprocess.run(["tshark", "-r", name + ".pcap", "-T", "fields", "-e", "tcp.analysis.flags"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True, text=True).stdout.split("\n")[:-1]
        expect(name + ": tshark's analysis", len(rows) == count and sum(row != "" for row in rows) == wrong, rows)


if not shutil.which("tcpdump"):
    lacks("tcpdump")
side_by_side(check_talk, check_long, check_attempts, check_skip, check_repeat, check_tcpdump, check_tshark)
sys.exit(finish())
