#!/usr/bin/env python3
"""Connections that never came to be, in captures made here byte by byte: what info and diagnose say of them, and where
they do not. Thresholds from both sides: 3 s without an answer, 0.8 s before a SYN counts as sent again."""
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile

ARMTAP = os.environ.get("ARMTAP", "./armtap")
BEGIN = 1769860800.0  # 2026-01-31T12:00:00Z
ROBOT, CLIENT = "10.0.0.2", "10.0.0.9"
FIN, SYN, RST, ACK = 1, 2, 4, 16
passed = failed = 0


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


def ack(time, port=30004, client_port=50000, isn=1000):
    return tcp(time, CLIENT, client_port, ROBOT, port, ACK, isn + 1, 7001)


def other(time):
    """Somebody else's packet: the capture goes on, and has the robot's direction."""
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


def expect(what, truth, shown=""):
    global passed, failed
    passed += bool(truth)
    failed += not truth
    if not truth:
        print("FAIL", what, shown)


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
                    for f in json.loads(diagnosis.stdout)["findings"] if f["id"] in ("tcp.refused", "tcp.no-answer")]
        ids = [("tcp." + w[2], "error", None, w[6], w[4]) for w in wanted]
        expect(what, sorted(findings) == sorted(ids), "diagnose: %s, not %s" % (findings, ids))
        status = 1 if wanted else 2
        expect(what, (info.returncode, diagnosis.returncode) == (status, status),
               "status %d, %d, not %d" % (info.returncode, diagnosis.returncode, status))
        expect(what, bool(info.stderr) == bool(diagnosis.stderr) == (not wanted), info.stderr + diagnosis.stderr)
        texts = [f["text"] for f in json.loads(diagnosis.stdout)["findings"]]
        plain = run("info", folder, captures, *options).stdout
        expect(what, all(" ".join(text.split()) in " ".join(plain.split()) for text in texts), "info prints others")
        return texts


def refused(count=1, first=0.0001, last=None, packet=2, connected=None, robot=ROBOT + ":30004", client=CLIENT):
    return robot, client, "refused", count, first, first if last is None else last, packet, connected


def unanswered(count=1, first=0.0, last=None, packet=1, connected=None, robot=ROBOT + ":30004", client=CLIENT):
    return robot, client, "no-answer", count, first, first if last is None else last, packet, connected


# refused
check("one", [refused()], [syn(0), rst(0.0001)])
check("IPv6", [refused(robot="[fd00::2]:30004", client="fd00::9")],
      [syn(0, robot="fd00::2", client="fd00::9"), rst(0.0001, robot="fd00::2", client="fd00::9")])
hour = [p for i in range(3600) for p in (syn(i, client_port=20000 + i, isn=i), rst(i + 0.0001, client_port=20000 + i, isn=i))]
text = check("an hour", [refused(3600, last=3599.0001)], hour)
expect("an hour's text", text == ["10.0.0.2:30004 refused 10.0.0.9, 3600 attempts, the last at "
                                  "2026-01-31T12:59:59.000Z (packet 7200)"], text)
again = [syn(3600, client_port=9999), syn_ack(3600.1, client_port=9999), ack(3600.2, client_port=9999)]
text = check("connected then", [refused(3600, last=3599.0001, connected=3600.1)], hour + again)
expect("connected", text[0].endswith("; connected at 2026-01-31T13:00:00.100Z (packet 7202)"), text)
check("connected before", [refused(first=9.0001, packet=5)],
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
check("reset later", [], [syn(0), syn_ack(0.1), ack(0.2), tcp(0.3, ROBOT, 30004, CLIENT, 50000, RST | ACK, 7001, 1001)])

# no answer
check("3 s", [unanswered()], [syn(0), *both_ways(3)])
check("less", [], [syn(0), *both_ways(2.998)])
check("sent again, the capture's end", [unanswered()], [syn(0), syn(1)])
check("sent again after 0.8 s", [unanswered()], [syn(0), syn(0.8)])
check("sooner", [], [syn(0), syn(0.799)])
check("3 s after the last SYN", [], [syn(0), syn(0.5), other(3.4)])
text = check("1 s, 3 s, 7 s", [unanswered()], [syn(0), syn(1), syn(3), syn(7), *both_ways(20)])
expect("SYNs", text == ["10.0.0.2:30004 did not answer 10.0.0.9, which sent its SYN again"], text)
check("answered after a second", [], [syn(0), syn(1), syn_ack(1.001), ack(1.002), other(9)])
check("answered late", [unanswered(connected=7.1)], [syn(0), syn(1), syn(3), syn(7), syn_ack(7.1), ack(7.2)])
check("only the client is captured, and goes on", [], [syn(0), ack(0.1), tcp(9, CLIENT, 50000, ROBOT, 30004, ACK, 1001, 7001)])
check("only the robot is captured", [], [syn_ack(0), other(9)])
check("a retry comes through", [unanswered(connected=0.6)],
      [syn(0), syn(0.5, client_port=50001), syn_ack(0.6, client_port=50001), ack(0.7, client_port=50001), other(9)])
check("every five seconds", [unanswered(20, last=95)],
      [syn(5 * i, client_port=50000 + i) for i in range(20)] + both_ways(100))
check("refused, then off", [refused(), unanswered(first=1, packet=3)], [syn(0), rst(0.0001), syn(1, isn=4), syn(2, isn=4)])
check("the capture pauses between files", [], [syn(0)], [other(60)])
check("and does not", [unanswered()], [syn(0)], [other(2), *both_ways(4)])
check("a clock set back", [], [syn(0), other(-5000), other(-4000)])

# what the capture may lack
hedge = "; the capture holds no packet from a robot: if it lacks that direction, an answer may have come"
text = check("one direction, others too", [unanswered(first=0, last=5, count=2, connected=6.1)],
             [syn(0), syn(5, isn=8), syn(6, client_port=3), ack(6.1, client_port=3), ack(20, client_port=3)])
expect("hedged", text[0].endswith(hedge), text)
text = check("alone, sent once", [unanswered()], [syn(0), tcp(3, CLIENT, 1, "10.0.0.7", 2, ACK)])
expect("hedged", text[0].endswith(hedge), text)
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


plain = ports("primary", [(ROBOT, 30001, 3, 20)], segments(30001, 50000))
expect("primary", "\nnot decoded\n  10.0.0.2 port 30001, primary interface: 3 packets, 20 bytes\n" in plain.stdout and
       plain.returncode == 2 and "no telemetry" in plain.stderr, plain.stdout + plain.stderr)
ports("IPv6", [("[fd00::2]", 29999, 3, 20)], segments(29999, 40000, robot="fd00::2", client="fd00::9"))
ports("two connections, two robots", [(ROBOT, 502, 6, 20 + 400), ("10.0.0.3", 502, 3, 20)],
      segments(502, 40000) + segments(502, 40001, 200) + segments(502, 40000, robot="10.0.0.3"))
ports("a client's port by chance", [(ROBOT, 30001, 3, 20)], segments(30001, 50002))
ports("of a web server", [], segments(443, 50001))
ports("of a robot's web server", [(ROBOT, 30001, 3, 20)], segments(30001, 50000) + segments(443, 50001))
ports("of something on a high port", [], segments(50051, 50001))
ports("of EtherNet/IP", [(ROBOT, 44818, 3, 20)], segments(44818, 50001))
ports("of telemetry's", [], segments(30004, 50001))
ports("the robot connects", [(ROBOT, 50001, 3, 20)], segments(50001, 40000, flags=SYN, robot="10.0.0.50", client=ROBOT))
ports("or had connected", [(ROBOT, 30001, 3, 20), (ROBOT, 50001, 3, 20)],
      segments(30001, 50000) + segments(50001, 40000, robot="10.0.0.50", client=ROBOT))
ports("what it carries is telemetry", [],
      [tcp(i * 0.008, ROBOT, 30001, CLIENT, 50000, ACK, 1 + 1108 * i, 1, struct.pack(">I138d", 1108, 1 + i * 0.008, *[0.0] * 137))
       for i in range(5)])
ports("bounded", [("10.1.%d.%d" % (i // 100, i % 100), 502, 3, 20) for i in range(256)],
      [p for i in range(300) for p in segments(502, 40000, robot="10.1.%d.%d" % (i // 100, i % 100))])

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

print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
