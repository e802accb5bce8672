#!/usr/bin/env python3
"""Failed attempts to connect, in captures made here byte by byte: what info and diagnose report, and when they report
nothing. Thresholds from both sides: 3 s without an answer, 0.8 s before a SYN counts as a retry."""
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish

ARMTAP = os.environ.get("ARMTAP", "./armtap")
BEGIN = 1769860800.0  # 2026-01-31T12:00:00Z
ROBOT, CLIENT = "10.0.0.2", "10.0.0.9"
FIN, SYN, RST, ACK = 1, 2, 4, 16


def tcp(time, source, source_port, target, target_port, flags, seq=0, ack=0, payload=b""):
    segment = struct.pack(">HHIIBBHHH", source_port, target_port, seq & 0xffffffff, ack & 0xffffffff, 0x50, flags,
                          64240, 0, 0) + payload
    return time, ip(source, target, 6, segment)


def ip(source, target, protocol, payload):
    if ":" in source:
        return struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64) + \
            socket.inet_pton(socket.AF_INET6, source) + socket.inet_pton(socket.AF_INET6, target) + payload
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0) + \
        socket.inet_aton(source) + socket.inet_aton(target) + payload


def syn(time, port=30004, client_port=50000, isn=1000, robot=ROBOT, client=CLIENT):
    return tcp(time, client, client_port, robot, port, SYN, isn)


def rst(time, port=30004, client_port=50000, isn=1000, robot=ROBOT, client=CLIENT):
    return tcp(time, robot, port, client, client_port, RST | ACK, 0, isn + 1)


def syn_ack(time, port=30004, client_port=50000, isn=1000):
    return tcp(time, ROBOT, port, CLIENT, client_port, SYN | ACK, 7000, isn + 1)


def unreachable(time, reporter, quoted, code, kind=None, cut=None):
    """An ICMP or ICMPv6 error that quotes a captured packet, up to `cut` bytes."""
    packet = quoted[1]
    v6 = packet[0] >> 4 == 6
    kind = (1 if v6 else 3) if kind is None else kind
    client = socket.inet_ntop(socket.AF_INET6, packet[8:24]) if v6 else socket.inet_ntoa(packet[12:16])
    message = struct.pack(">BBHI", kind, code, 0, 0) + (packet if cut is None else packet[:cut])
    return time, ip(reporter, client, 58 if v6 else 1, message)


def ack(time, port=30004, client_port=50000, isn=1000):
    return tcp(time, CLIENT, client_port, ROBOT, port, ACK, isn + 1, 7001)


def other(time):
    """Another host's packet: it shows that the capture continues and has the robot's direction."""
    return tcp(time, ROBOT, 445, "10.0.0.77", 49999, ACK, 5, 5, b"x")


def both_ways(time):
    return [other(time), tcp(time + 0.001, "10.0.0.77", 49999, ROBOT, 445, ACK, 5, 6, b"y")]


def write(path, packets):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
        for time, data in packets:
            ns = round((BEGIN + time) * 1e6) * 1000
            file.write(struct.pack("<IIII", ns // 10**9, ns % 10**9, len(data), len(data)) + data)


def run(command, folder, captures, *options):
    paths = []
    for i, packets in enumerate(captures):
        paths.append(os.path.join(folder, "%d.pcap" % i))
        write(paths[-1], packets)
    return subprocess.run([ARMTAP, command, *options, *paths], capture_output=True, text=True, env=os.environ | {"TZ": "UTC"})


FINDINGS = {"refused": ("tcp.refused", "error"), "unreachable": ("tcp.unreachable", "error"), "no-answer": ("tcp.no-answer", "error"), "reset": ("tcp.reset", "error"),
            "closed": ("tcp.no-data", "warning"), "silent": ("tcp.no-data", "warning"),
            "mute": ("protocol.wrong-port", "warning"), "left": ("tcp.closed", "info")}


def check(what, wanted, *captures, options=()):
    """`wanted`: robot, client, outcome, count, first time, last time, first packet, connected."""
    with tempfile.TemporaryDirectory() as folder:
        info = run("info", folder, captures, "--json", *options)
        found = [(a["robot"], a["client"], a["outcome"], a["count"],
                  *(None if a[key] is None else round(a[key] - BEGIN, 6) for key in ("first_time", "last_time")),
                  a["first_packet"], None if a["connected_time"] is None else round(a["connected_time"] - BEGIN, 6))
                 for a in json.loads(info.stdout)["attempts"]]
        expect(what, found == wanted, "info: %s, not %s" % (found, wanted))
        diagnosis = run("diagnose", folder, captures, "--json", *options)
        findings = [(f["id"], f["severity"], f["stream"], f["packet"], round(f["time"] - BEGIN, 6))
                    for f in json.loads(diagnosis.stdout)["findings"]]
        ids = [(*FINDINGS[w[2]], None, w[6], w[4]) for w in wanted]
        expect(what, sorted(findings) == sorted(ids), "diagnose: %s, not %s" % (findings, ids))
        status = 1 if any(w[2] != "left" for w in wanted) else 2
        expect(what, (info.returncode, diagnosis.returncode) == (status, status),
               "status %d, %d, not %d" % (info.returncode, diagnosis.returncode, status))
        expect(what, bool(info.stderr) == bool(diagnosis.stderr) == (status == 2), info.stderr + diagnosis.stderr)
        expect(what, "--port" not in info.stderr or "(port 30004)" not in info.stderr, info.stderr)
        texts = [f["text"] for f in json.loads(diagnosis.stdout)["findings"]]
        plain = run("info", folder, captures, *options).stdout
        expect(what, all(" ".join(text.split()) in " ".join(plain.split()) for text in texts), "info prints others")
        return texts


def refused(count=1, first=0.0001, last=None, packet=2, connected=None, robot=ROBOT + ":30004", client=CLIENT):
    return robot, client, "refused", count, first, first if last is None else last, packet, connected


def unanswered(count=1, first=0.0, last=None, packet=1, connected=None, robot=ROBOT + ":30004", client=CLIENT):
    return robot, client, "no-answer", count, first, first if last is None else last, packet, connected


def empty(outcome, count=1, first=0.0, last=None, packet=3, robot=ROBOT + ":30004", client=CLIENT):
    return robot, client, outcome, count, first, first if last is None else last, packet, None


def incidents(*captures):
    """What diagnose makes of them: what happened, to which robot, on whose side, in which packet, how often."""
    with tempfile.TemporaryDirectory() as folder:
        report = json.loads(run("diagnose", folder, captures, "--json").stdout)
    return [(one["what"], one["robot"], one["side"], one["packet"],
             sum(report["findings"][i]["args"].get("times", 1) for i in one["evidence"])) for one in report["incidents"]]


# refused
check("one", [refused()], [syn(0), rst(0.0001)])
check("IPv6", [refused(robot="[fd00::2]:30004", client="fd00::9")],
      [syn(0, robot="fd00::2", client="fd00::9"), rst(0.0001, robot="fd00::2", client="fd00::9")])
hour = [p for i in range(3600) for p in (syn(i, client_port=20000 + i, isn=i), rst(i + 0.0001, client_port=20000 + i, isn=i))]
text = check("an hour", [refused(3600, last=3599.0001)], hour)
expect("an hour's text", text == ["10.0.0.2:30004 refused 10.0.0.9 3600 times, the last at "
                                  "2026-01-31T12:59:59.000Z (packet 7200)"], text)
again = [syn(3600, client_port=9999), syn_ack(3600.1, client_port=9999), ack(3600.2, client_port=9999)]
text = check("connected then", [refused(3600, last=3599.0001, connected=3600.1)], hour + again)
expect("connected", text[0].endswith("; connected at 2026-01-31T13:00:00.100Z (packet 7202)"), text)
check("connected before", [refused(first=9.0001, packet=5), empty("mute", first=9.0001, packet=5)],
      [syn(0, isn=5), syn_ack(0.1, isn=5), ack(0.2, isn=5), syn(9, client_port=3), rst(9.0001, client_port=3)])
check("same SYN again", [refused()], [syn(0), rst(0.0001), syn(0.5), rst(0.5001), syn(1), rst(1.0001)])
check("same ports, another SYN", [refused(2, last=0.5001)], [syn(0), rst(0.0001), syn(0.5, isn=99), rst(0.5001, isn=99)])
check("two clients, two robots", [refused(), refused(first=1.0001, packet=4, client="10.0.0.8"),
                                  refused(first=2.0001, packet=6, robot="10.0.0.3:30004")],
      [syn(0), rst(0.0001), syn(1, client="10.0.0.8"), rst(1.0001, client="10.0.0.8"), syn(2, robot="10.0.0.3"),
       rst(2.0001, robot="10.0.0.3")])
check("legacy and AUBO's ports", [refused(robot=ROBOT + ":30003"), refused(first=1.0001, packet=4, robot=ROBOT + ":9013")],
      [syn(0, 30003), rst(0.0001, 30003), syn(1, 9013), rst(1.0001, 9013)])
check("another port", [], [syn(0, 40000), rst(0.0001, 40000)])
check("--port", [refused(robot=ROBOT + ":40000")], [syn(0, 40000), rst(0.0001, 40000)],
      options=("--port", "40000=rtde"))
check("from a telemetry port", [], [syn(0, 443, 30004), rst(0.0001, 443, 30004)])
check("a RST for something else", [], [syn(0), rst(0.0001, isn=77), other(9)])
check("a RST that acknowledges nothing", [], [syn(0), rst(0.0001, isn=999), other(9)])
check("the client gives up", [], [syn(0), tcp(0.001, CLIENT, 50000, ROBOT, 30004, RST, 1001), other(2.999)])
check("a RST without SYN", [], [rst(0), other(9)])
check("reset later", [empty("reset", first=0.3, packet=4)], [syn(0), syn_ack(0.1), ack(0.2), tcp(0.3, ROBOT, 30004, CLIENT, 50000, RST | ACK, 7001, 1001)])

# a RST captured before its SYN, by another card or on another machine
check("the RST first", [refused(first=0, packet=1)], [rst(0), syn(0.0001), other(9)])
check("long before", [refused(first=0, packet=1)], [rst(0), syn(2.999), other(9)])
check("too long before", [unanswered(first=3, packet=2)], [rst(0), syn(3), *both_ways(9)])
check("of another SYN", [unanswered(first=0.0001, packet=2)], [rst(0, isn=77), syn(0.0001), *both_ways(9)])
check("and again after it", [refused(first=0, packet=1)], [rst(0), syn(0.0001), rst(0.0002), syn(0.5), rst(0.5001), other(9)])
check("and come through then", [refused(first=0, packet=1, connected=1.1), empty("mute", first=9, packet=6)],
      [rst(0), syn(0.0001), syn(1, isn=9, client_port=4), syn_ack(1.1, isn=9, client_port=4), ack(1.2, isn=9, client_port=4), other(9)])


# an ICMP error answers
def blocked(count=1, first=0.0001, last=None, packet=2, connected=None, robot=ROBOT + ":30004", client=CLIENT):
    return robot, client, "unreachable", count, first, first if last is None else last, packet, connected


V6 = {"robot": "fd00::2", "client": "fd00::9"}
asked, asked_v6 = syn(0), syn(0, **V6)
# code: what RFC 792, 1122, 1812 and 4443 say of it
FIREWALL, HOST, ROUTE = "a firewall rejects the connection", "no machine answers at this address", "there is no route to it"
for code, words in {0: ROUTE, 1: HOST, 2: "its machine does not know TCP", 3: FIREWALL, 5: "the source route failed", 6: ROUTE,
                    7: HOST, 8: "the sender is isolated", 9: FIREWALL, 10: FIREWALL, 11: ROUTE, 12: HOST, 13: FIREWALL,
                    14: "it cannot be reached", 255: "it cannot be reached"}.items():
    text = check("ICMP code %d" % code, [blocked()], [asked, unreachable(0.0001, "10.0.0.1", asked, code)])
    expect("code %d" % code, text == ["10.0.0.2:30004 could not be reached by 10.0.0.9: %s, reported by 10.0.0.1 (ICMP type 3, code %d)"
                                      % (words, code)], text)
for code, words in {0: ROUTE, 1: FIREWALL, 2: "it lies beyond the scope of the client's address", 3: HOST, 4: FIREWALL,
                    5: FIREWALL, 6: ROUTE, 7: "it cannot be reached"}.items():
    text = check("ICMPv6 code %d" % code, [blocked(robot="[fd00::2]:30004", client="fd00::9")],
                 [asked_v6, unreachable(0.0001, "fd00::1", asked_v6, code)])
    expect("v6 code %d" % code, text == ["[fd00::2]:30004 could not be reached by fd00::9: %s, reported by fd00::1 (ICMPv6 type 1, code %d)"
                                         % (words, code)], text)
text = check("the robot's own firewall", [blocked()], [asked, unreachable(0.0001, ROBOT, asked, 3)])
expect("own", text[0].endswith(": a firewall rejects the connection, reported by the robot itself (ICMP type 3, code 3)"), text)
text = check("its own, IPv6", [blocked(robot="[fd00::2]:30004", client="fd00::9")],
             [asked_v6, unreachable(0.0001, "fd00::2", asked_v6, 4)])
expect("own v6", "reported by the robot itself (ICMPv6 type 1, code 4)" in text[0], text)
text = check("a quote of 8 bytes", [blocked()], [asked, unreachable(0.0001, "10.0.0.1", asked, 13, cut=28)])
check("of 7", [], [asked, unreachable(0.0001, "10.0.0.1", asked, 13, cut=27), other(2)])
check("of IPv6, 7", [], [asked_v6, unreachable(0.0001, "fd00::1", asked_v6, 1, cut=47), other(2)])
check("an empty one", [], [asked, unreachable(0.0001, "10.0.0.1", asked, 13, cut=0), other(2)])
check("a packet too big", [], [asked, unreachable(0.0001, "10.0.0.1", asked, 4), other(2)])
check("another type", [], [asked, unreachable(0.0001, "10.0.0.1", asked, 0, kind=11), other(2)])
check("of another SYN", [], [asked, unreachable(0.0001, "10.0.0.1", syn(0, isn=3), 13), other(2)])
check("of a robot's packet", [], [asked, unreachable(0.0001, CLIENT, rst(0), 3), other(2)])
check("after the answer", [empty("mute", first=9, packet=5)],
      [asked, syn_ack(0.1), ack(0.2), unreachable(0.3, "10.0.0.1", asked, 1), other(9)])
text = check("after three SYNs", [blocked(first=3.1, packet=4)],
             [syn(0), syn(1), syn(3), unreachable(3.1, "10.0.0.1", asked, 1), *both_ways(20)])
expect("SYNs of it", "by 10.0.0.9, with 3 SYNs within 3.100 s: no machine" in text[0], text)
check("after it was given up", [blocked(first=6.5, packet=3)],
      [syn(0), syn(1), unreachable(6.5, "10.0.0.1", asked, 1), other(9)])
several = [p for i in range(5) for p in (syn(i, isn=i), unreachable(i + 0.5, "10.0.0.1", syn(i, isn=i), 13))]
text = check("five times", [blocked(5, 0.5, 4.5, connected=6.1)], several + [syn(6, isn=50), syn_ack(6.1, isn=50), ack(6.2, isn=50)])
expect("five", text == ["10.0.0.2:30004 could not be reached by 10.0.0.9 5 times, the last at 2026-01-31T12:00:04.500Z (packet 10): "
                        "a firewall rejects the connection, reported by 10.0.0.1 (ICMP type 3, code 13); connected at "
                        "2026-01-31T12:00:06.100Z (packet 12)"], text)
told = incidents(several)
expect("five in short", told == [("tcp.unreachable", "10.0.0.2", "network", 2, 5)], told)

# the capture's clock was set forward between a SYN and its answer: nobody waited
check("a clock set forward", [empty("mute", first=3603, packet=4)],
      [syn(0), syn_ack(3600), ack(3600.001), tcp(3603, CLIENT, 50000, ROBOT, 30004, FIN | ACK, 1001, 7001)])
check("answered within 1 s of it", [empty("mute", first=3603.5, packet=5)],
      [syn(0), other(3600), syn_ack(3600.999), ack(3601), tcp(3603.5, CLIENT, 50000, ROBOT, 30004, FIN | ACK, 1001, 7001)])
check("not within 1 s", [unanswered(connected=3601.1), empty("mute", first=3603.5, packet=6)],
      [syn(0), other(3600), other(3601), syn_ack(3601.1), ack(3601.2), tcp(3603.5, CLIENT, 50000, ROBOT, 30004, FIN | ACK, 1001, 7001)])
check("in small steps", [unanswered(connected=3.1), empty("mute", first=9, packet=6)],
      [syn(0), other(1), other(3), syn_ack(3.1), ack(3.2), tcp(9, CLIENT, 50000, ROBOT, 30004, FIN | ACK, 1001, 7001)])

# no answer
check("3 s", [unanswered()], [syn(0), *both_ways(3)])
check("less", [], [syn(0), *both_ways(2.998)])
check("sent again, the capture's end", [unanswered()], [syn(0), syn(1)])
check("sent again after 0.8 s", [unanswered()], [syn(0), syn(0.8)])
check("sooner", [], [syn(0), syn(0.799)])
check("3 s after the last SYN", [], [syn(0), syn(0.5), other(3.4)])
text = check("1 s, 3 s, 7 s", [unanswered()], [syn(0), syn(1), syn(3), syn(7), *both_ways(20)])
expect("SYNs", text == ["10.0.0.2:30004 did not answer 10.0.0.9: 4 SYNs within 7.000 s"], text)
check("answered after a second", [empty("mute", first=9, packet=5)], [syn(0), syn(1), syn_ack(1.001), ack(1.002), other(9)])
check("answered late", [unanswered(connected=7.1)], [syn(0), syn(1), syn(3), syn(7), syn_ack(7.1), ack(7.2)])
check("only the client is captured, and goes on", [], [syn(0), ack(0.1), tcp(9, CLIENT, 50000, ROBOT, 30004, ACK, 1001, 7001)])
check("only the robot is captured", [], [syn_ack(0), other(9)])
check("a retry comes through", [unanswered(connected=0.6), empty("mute", first=9, packet=5)],
      [syn(0), syn(0.5, client_port=50001), syn_ack(0.6, client_port=50001), ack(0.7, client_port=50001), other(9)])
check("every five seconds", [unanswered(20, last=95)],
      [syn(5 * i, client_port=50000 + i) for i in range(20)] + both_ways(100))
check("refused, then off", [refused(), unanswered(first=1, packet=3)], [syn(0), rst(0.0001), syn(1, isn=4), syn(2, isn=4)])
check("the capture pauses between files", [], [syn(0)], [other(60)])
check("and does not", [unanswered()], [syn(0)], [other(2), *both_ways(4)])
check("a clock set back", [], [syn(0), other(-5000), other(-4000)])

# what is told of them
text = check("more SYNs than decided upon", [unanswered()], [syn(0), syn(1), syn(3), syn(7), syn(15)])
expect("SYNs, s", text == ["10.0.0.2:30004 did not answer 10.0.0.9: 5 SYNs within 15.000 s"], text)
text = check("a late RST", [refused(first=10, packet=5)], [syn(0), syn(1), syn(3), syn(7), rst(10)])
expect("one attempt", text == ["10.0.0.2:30004 refused 10.0.0.9 after 4 SYNs within 10.000 s"], text)
three = [p for i in range(3) for p in (syn(i, isn=i), rst(i + 0.0001, isn=i))]
told = incidents(three)
expect("an incident", told == [("tcp.refused", "10.0.0.2", "unclear", 2, 3)], told)
told = incidents([syn(0), rst(0.0001), syn(1, client="10.0.0.8"), rst(1.0001, client="10.0.0.8")])
expect("two clients", told == [("tcp.refused", "10.0.0.2", "unclear", 2, 2)], told)
come = [syn(6, isn=50), syn_ack(6.1, isn=50), ack(6.2, isn=50)]
told = incidents(three + come)
expect("then connected", told == [("tcp.refused", "10.0.0.2", "unclear", 2, 3)], told)
four = [p for i in range(100, 104) for p in (syn(i, isn=i), rst(i + 0.0001, isn=i))]
gone = [tcp(6.3, CLIENT, 50000, ROBOT, 30004, RST, 51)]
check("refused, connected, refused", [refused(3, last=2.0001, connected=6.1), empty("left", first=6.3, packet=10),
                                      refused(4, 100.0001, 103.0001, 12)], three + come + gone + four)
told = incidents(three + come + gone + four)
expect("in between", told == [("tcp.refused", "10.0.0.2", "unclear", 2, 7)], told)
not_there = [syn(6, robot="10.0.0.3"), rst(6.1, robot="10.0.0.3")]
silent = [syn(7, 30003, 8), syn(8, 30003, 8), *both_ways(12)]
for packets, wanted in ((not_there + silent, [("tcp.refused", "10.0.0.3", "unclear", 2, 1), ("tcp.no-answer", "10.0.0.2", "unclear", 3, 1)]),
                        (silent + [(time + 10, data) for time, data in not_there],
                         [("tcp.no-answer", "10.0.0.2", "unclear", 1, 1), ("tcp.refused", "10.0.0.3", "unclear", 6, 1)])):
    told = incidents(packets)
    expect("in order of time", told == wanted, told)
# an attempt beside streams that nothing is wrong with
ports = (3, 4)
two = [p for i in ports for p in (syn(20 + i, isn=i, client_port=i), syn_ack(20.1 + i, isn=i, client_port=i),
                                  tcp(20.2 + i, CLIENT, i, ROBOT, 30004, ACK, i + 1, 7001, b"\0\5V\0\2"))]
told = incidents(not_there + two)
expect("beside streams", ("tcp.refused", "10.0.0.3", "unclear", 2, 1) in told, told)
told = incidents([syn(0), tcp(3, CLIENT, 1, "10.0.0.7", 2, ACK)])
expect("not sure", told == [("tcp.no-answer", "10.0.0.2", "unclear", 1, 1)], told)

# the capture's end
with tempfile.TemporaryDirectory() as folder:
    for after, is_open in ((2.998, True), (3, False)):
        late = [syn(0), rst(0.0001), syn(9, isn=3), syn(9 + after - 2, client="10.0.0.8"), *both_ways(9 + after)]
        for command in "info", "diagnose":
            shown = " ".join(run(command, folder, [late]).stdout.split())
            line = "10.0.0.9 sent 1 SYN to 10.0.0.2:30004, at 2026-01-31T12:00:09.000Z (packet 3): the capture ends too soon"
            expect("open " + command, (line in shown) == is_open and "10.0.0.8 sent 1 SYN" in shown, shown)
    result = run("info", folder, [[syn(0)]])
    expect("only that", result.returncode == 2 and "10.0.0.9 sent 1 SYN to 10.0.0.2:30004" in result.stderr, result.stderr)

# what answers a SYN: an acknowledgement of it, and of the data that it may carry
def reset(time, acknowledged):
    return tcp(time, ROBOT, 30004, CLIENT, 50000, RST | ACK, 0, acknowledged)


for data in b"", b"hello":
    first = tcp(0, CLIENT, 50000, ROBOT, 30004, SYN, 1000, payload=data)
    for acknowledged in range(1001, 1002 + len(data)):
        check("answered", [refused()], [first, reset(0.0001, acknowledged)])
    for acknowledged in 1000, 1002 + len(data):
        check("an answer to something else", [], [first, reset(0.0001, acknowledged)])

# accepted, then nothing
begin = [syn(0), syn_ack(0.1), ack(0.2)]


def fin(time, of_robot=True):
    return tcp(time, ROBOT, 30004, CLIENT, 50000, FIN | ACK, 7001, 1001) if of_robot else \
        tcp(time, CLIENT, 50000, ROBOT, 30004, FIN | ACK, 1001, 7001)


text = check("the robot closes", [empty("closed", first=0.3, packet=4)], begin + [fin(0.3), fin(0.4, False)])
expect("closes", text == ["10.0.0.2:30004 accepted 10.0.0.9 and closed the connection after 0.200 s, before anything was sent"], text)
text = check("the client closes", [empty("left", first=2.099, packet=4)], begin + [fin(2.099, False), fin(2.2)])
expect("leaves", text == ["10.0.0.2:30004 accepted 10.0.0.9, which ended the connection after 1.999 s, before anything was sent"], text)
text = check("the client's end is not in the capture, but is acknowledged", [empty("left", first=0.3, packet=4)],
             begin + [tcp(0.3, ROBOT, 30004, CLIENT, 50000, FIN | ACK, 7001, 1002), tcp(0.4, CLIENT, 50000, ROBOT, 30004, ACK, 1002, 7002)])
expect("answered", text == ["10.0.0.2:30004 accepted 10.0.0.9, which ended the connection after 0.200 s, before anything was sent"], text)
text = check("who closed is not in the capture", [empty("left", first=0.3, packet=4)],
             begin + [tcp(0.3, ROBOT, 30004, CLIENT, 50000, FIN | ACK, 7001, 1020), tcp(0.4, CLIENT, 50000, ROBOT, 30004, ACK, 1020, 7002)])
expect("unclear", text == ["10.0.0.2:30004 accepted 10.0.0.9; the connection ended after 0.200 s, before anything was sent; this "
                           "capture does not show which side ended it"], text)
text = check("who reset is not all of it", [empty("reset", first=0.3, packet=4)],
             begin + [tcp(0.3, ROBOT, 30004, CLIENT, 50000, RST | ACK, 7001, 1002)])
expect("unclear reset", text[0].endswith("the client may have ended it first, which this capture does not show"), text)
request = [tcp(0.25, CLIENT, 50000, ROBOT, 30004, ACK, 1001, 7001, b"hello, robot!!\r\n")]
check("not empty", [], begin + request + [fin(0.3), tcp(9, CLIENT, 50000, ROBOT, 30004, FIN | ACK, 1017, 7002)])
check("after 2 s", [empty("mute", first=2.1, packet=4)], begin + [fin(2.1, False), fin(2.2)])
check("the client resets", [empty("left", first=0.2)], [syn(0), syn_ack(0.1), tcp(0.2, CLIENT, 50000, ROBOT, 30004, RST, 1001)])
check("the capture ends", [], begin + [other(2.099)])
text = check("nothing until then", [empty("mute", first=2.1, packet=4)], begin + [other(2.1)])
expect("mute", text == ["10.0.0.9 connected to 10.0.0.2:30004 and sent nothing in 2.000 s; RTDE sends only what a client "
                        "requests: it probably meant port 30003"], text)
begin_30003 = [syn(0, port=30003), syn_ack(0.1, port=30003), ack(0.1, port=30003)]
text = check("nothing by itself", [empty("silent", first=2.1, packet=4, robot=ROBOT + ":30003")], begin_30003 + [other(2.1)])
expect("silent", text == ["10.0.0.2:30003 accepted 10.0.0.9, but nothing was sent in 2.000 s"], text)
text = check("not confirmed", [empty("silent", first=4, packet=4)], [syn(0), syn_ack(0.1), syn_ack(1.1), syn_ack(4)])
expect("confirmed", text[0].endswith("the client did not confirm it: the robot's answer may not reach it"), text)
again = [p for i in range(6) for p in (syn(i, isn=10 * i, port=30003), syn_ack(i + .1, 30003, isn=10 * i), ack(i + .2, 30003, isn=10 * i),
                                       tcp(i + .3 + i / 100, ROBOT, 30003, CLIENT, 50000, RST | ACK, 7001, 10 * i + 1))]
text = check("again and again", [empty("reset", 6, 0.3, 5.35, 4, robot=ROBOT + ":30003")], again)
expect("each", text == ["10.0.0.2:30003 accepted 10.0.0.9 6 times and reset the connection each time, after 0.200 to 0.250 s, before "
                        "anything was sent, the last at 2026-01-31T12:00:05.350Z (packet 24)"], text)
told = incidents(again)
expect("each in short", told == [("tcp.reset", "10.0.0.2", "unclear", 4, 6)], told)

# other ports that only robots have
check("the robot's other ports", [refused(robot=ROBOT + ":29999"), refused(first=1.0001, packet=4, robot=ROBOT + ":30002")],
      [syn(0, 29999), rst(0.0001, 29999), syn(1, 30002), rst(1.0001, 30002)])
check("any machine's", [], [syn(0, 502), rst(0.0001, 502)])

# what the capture may lack
hedge = "; the capture has no packet from any robot: if that direction was not captured, there may have been an answer"
text = check("one direction, others too", [unanswered(first=0, last=5, count=2, connected=6.1)],
             [syn(0), syn(5, isn=8), syn(6, client_port=3), ack(6.1, client_port=3), ack(20, client_port=3)])
expect("hedged", text[0].endswith(hedge), text)
text = check("one direction, sent again", [unanswered(last=0, connected=6.1)],
             [syn(0), syn(1), syn(3), syn(6, client_port=3), ack(6.1, client_port=3), ack(20, client_port=3)])
expect("hedged", text[0].endswith(hedge), text)
text = check("alone, sent once", [unanswered()], [syn(0), tcp(3, CLIENT, 1, "10.0.0.7", 2, ACK)])
expect("hedged", text[0].endswith(hedge), text)
text = check("alone, sent again", [unanswered(last=0)], [syn(0), syn(1), syn(3), tcp(6, CLIENT, 1, "10.0.0.7", 2, ACK)])
expect("a client that got an answer sends none again", "lacks" not in text[0] and "3 SYNs" in text[0], text)
text = check("both directions", [unanswered()], [syn(0), *both_ways(3)])
expect("not hedged", "lacks" not in text[0], text)

# ports that are not decoded


def ports(what, wanted, *captures, options=()):
    """`wanted`: robot, port, packets, bytes."""
    with tempfile.TemporaryDirectory() as folder:
        info = run("info", folder, captures, "--json", *options)
        found = [(p["robot"], p["port"], p["packets"], p["bytes"]) for p in json.loads(info.stdout)["other_ports"]]
        expect(what, found == wanted, "%s, not %s" % (found, wanted))
        return run("info", folder, captures, *options)


def segments(port, client_port, length=10, flags=ACK, **hosts):
    robot, client = hosts.get("robot", ROBOT), hosts.get("client", CLIENT)
    return [tcp(1, client, client_port, robot, port, flags, 1, 1, b""),
            tcp(2, robot, port, client, client_port, ACK, 1, 1, bytes(range(length))),
            tcp(2.1, robot, port, client, client_port, ACK, 1, 1, bytes(range(length)))]


plain = ports("not decoded", [(ROBOT, 30020, 3, 20)], segments(30020, 50000))
expect("not decoded", "\nnot decoded\n  10.0.0.2 port 30020, interpreter mode: 3 packets, 20 bytes\n" in plain.stdout and
       plain.returncode == 2 and "no telemetry" in plain.stderr, plain.stdout + plain.stderr)
ports("IPv6", [("[fd00::2]", 30020, 3, 20)], segments(30020, 40000, robot="fd00::2", client="fd00::9"))
for port, name in ((30020, "interpreter mode"), (9012, "AUBO's JSON-RPC over WebSocket"), (502, "Modbus TCP"), (44818, "EtherNet/IP")):
    known = [] if port == 30020 else segments(30020, 50009)
    plain = ports("its name", [(ROBOT, 30020, 3, 20)] * bool(known) + [(ROBOT, port, 3, 20)], known + segments(port, 40000))
    expect("its name", "\n  10.0.0.2 port %d, %s: 3 packets, 20 bytes\n" % (port, name) in plain.stdout, plain.stdout)
ports("two connections, two robots", [(ROBOT, 502, 6, 20 + 400), ("10.0.0.3", 502, 3, 20)],
      segments(502, 40000) + segments(502, 40001, 200) + segments(502, 40000, robot="10.0.0.3"))
ports("a client's port by chance", [(ROBOT, 30020, 3, 20)], segments(30020, 50002))
ports("of a web server", [], segments(443, 50001))
ports("of a robot's web server", [(ROBOT, 30020, 3, 20)], segments(30020, 50000) + segments(443, 50001))
ports("of something on a high port", [], segments(50051, 50001))
ports("of EtherNet/IP", [(ROBOT, 44818, 3, 20)], segments(44818, 50001))
ports("of telemetry's", [], segments(30004, 50001))
ports("of a decoder, where the robot connects", [], segments(50001, 40000, flags=SYN, robot="10.0.0.50", client=ROBOT))
ports("or had connected", [(ROBOT, 30020, 3, 20)],
      segments(30020, 50000) + segments(50001, 40000, robot="10.0.0.50", client=ROBOT))
ports("what it carries is telemetry", [],
      [tcp(i * 0.008, ROBOT, 30020, CLIENT, 50000, ACK, 1 + 1108 * i, 1, struct.pack(">I138d", 1108, 1 + i * 0.008, *[0.0] * 137))
       for i in range(5)])
ports("bounded", [("10.1.%d.%d" % (i // 100, i % 100), 502, 3, 20) for i in range(256)],
      [p for i in range(300) for p in segments(502, 40000, robot="10.1.%d.%d" % (i // 100, i % 100))])

# a stream fell silent: keep-alives without an answer say why
def package(kind, body):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def stream(seconds, *later):
    """RTDE's handshake, then for some time a package every 8 ms, acknowledged; then `later`: (seconds after it, maker)."""
    packets, seq, at = [syn(0), syn_ack(0.001), ack(0.002)], {True: 7001, False: 1001}, [0.003]

    def send(from_robot, payload):
        ends = (ROBOT, 30004, CLIENT, 50000) if from_robot else (CLIENT, 50000, ROBOT, 30004)
        packets.append(tcp(at[0], *ends, ACK, seq[from_robot], seq[not from_robot], payload))
        seq[from_robot] += len(payload)
        at[0] += 0.0001

    for kind, ask, answer in (("V", struct.pack(">H", 2), b"\1"), ("O", struct.pack(">d", 125) + b"timestamp", b"\1DOUBLE"),
                              ("S", b"", b"\1")):
        send(False, package(kind, ask))
        send(True, package(kind, answer))
    for i in range(int(seconds * 125)):
        at[0] = 0.01 + i * 0.008
        send(True, package("U", struct.pack(">Bd", 1, 100 + i * 0.008)))
        send(False, b"")
    return packets + [make(seconds + after, seq[False], seq[True]) for after, make in later]


def asks(time, client, robot, payload=b""):
    return tcp(time, CLIENT, 50000, ROBOT, 30004, ACK, client - 1, robot, payload)


def answers(time, client, robot):
    return tcp(time, ROBOT, 30004, CLIENT, 50000, ACK, robot, client)


def robot_asks(time, client, robot):
    return tcp(time, ROBOT, 30004, CLIENT, 50000, ACK, robot - 1, client, b"x")


def resets(time, client, robot):
    return tcp(time, ROBOT, 30004, CLIENT, 50000, RST | ACK, robot, client)


def silence(what, wanted, *later):
    with tempfile.TemporaryDirectory() as folder:
        found = json.loads(run("diagnose", folder, [stream(3, *later)], "--json").stdout)["findings"]
        texts = [f["text"] for f in found if f["id"] == "silence"]
        expect(what, len(texts) == 1 and wanted in texts[0], texts)


UNKNOWN = "this stream does not show why"
silence("two keep-alives", ": 2 keep-alives of the client got no answer: the robot, or the path to it, had failed", (10, asks), (11, asks))
silence("with a byte each", "3 keep-alives of the client", *((i, lambda *at: asks(*at, b"\0")) for i in (10, 11, 12)))
silence("one", UNKNOWN, (10, asks))
silence("one, captured twice", UNKNOWN, (10, asks), (10.499, asks))
silence("one, and another soon", "2 keep-alives", (10, asks), (10.5, asks))
ANSWERED = " answered during that time: the network and the robot's system work"
silence("answered", "2 keep-alives were" + ANSWERED, (10, asks), (10.1, answers), (20, asks), (20.1, answers))
silence("answered at last", "a keep-alive was" + ANSWERED, (10, asks), (11, asks), (11.1, answers))
silence("the robot's is answered", "a keep-alive was" + ANSWERED, (10, robot_asks),
        (10.1, lambda time, client, robot: tcp(time, CLIENT, 50000, ROBOT, 30004, ACK, client, robot)))
silence("and not any more", "2 keep-alives", (10, asks), (11, asks), (11.1, answers), (20, asks), (21, asks))
silence("until it resets", "2 keep-alives of the client", (10, asks), (11, asks), (11.1, resets))
silence("the robot asks", "2 keep-alives of the robot got no answer: the client, or the path to it, had failed",
        (10, robot_asks), (11, robot_asks))
silence("nobody asks", UNKNOWN, (10, lambda time, *_: other(time)))

# a scan is bounded
hosts = ["10.%d.%d.1" % (i // 200, i % 200) for i in range(1200)]
with tempfile.TemporaryDirectory() as folder:
    scan = [p for i, host in enumerate(hosts) for p in (syn(i / 1000, robot=host), rst(i / 1000 + 0.0001, robot=host))]
    result = run("diagnose", folder, [scan], "--json")
    found = json.loads(result.stdout)["findings"]
    expect("scan", len(found) == 1001 and any(f["text"].startswith("200 more attempts") for f in found),
           "%d findings" % len(found))
    result = run("export", folder, [[syn(0), rst(0.0001)]])
    expect("export", result.returncode == 2 and "no telemetry: 10.0.0.2:30004 refused 10.0.0.9;" in result.stderr, result.stderr)

not_connected = os.path.join(os.environ.get("srcdir", "."), "captures/not-connected.pcap")
if os.path.exists(not_connected):
    result = subprocess.run([ARMTAP, "export", "--strict", not_connected], capture_output=True, text=True)
    expect("export --strict", result.returncode == 0 and result.stdout.count("\n") > 50, (result.returncode, result.stderr))

sys.exit(finish())
