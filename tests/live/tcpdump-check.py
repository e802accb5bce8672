#!/usr/bin/env python3
"""What armtap record and armtap proxy write gives the same rows as a tcpdump of the same traffic, to the byte; their times are
the kernel's, as tcpdump's are. In a network namespace of its own; skipped (status 77) where the system allows none.
"""
import bisect
import csv
import io
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from controller import Controller  # noqa: E402
from namespace import enter, skip  # noqa: E402
from recording import ends_with_us  # noqa: E402
from tally import expect, finish, is_left_to_linux, side_by_side  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 30
ROBOT, PROXY, BEHIND = "127.0.0.51", "127.0.0.52", "127.0.0.53"
RECORDS = 1500
FIELDS = "timestamp,actual_q,robot_mode,actual_TCP_pose"
PORTS = {"rtde": 30004, "realtime_ro": 30013}
# The kernel stamps a packet of the loopback device twice, when it is sent (for tcpdump) and when it is received (for the
# socket), a microsecond apart; a network card's packet is stamped once. Messages that were read at once have the time of
# the last, as the socket tells it: on a busy machine of one much later.
USUAL = 20000  # ns
FEW = 0.1  # may be later: whatever interrupts the kernel between the two
ATTEMPTS = 4  # tcpdump drops packets where the machine is too busy for it


class Tcpdump:
    def __init__(self, name, host):
        self.program = subprocess.Popen(["tcpdump", "-i", "lo", "-Z", "root", "-B", "16384", "--immediate-mode", "--time-stamp-precision=nano",
                                         "-w", name, "-U", "host", host], stderr=subprocess.PIPE, text=True, preexec_fn=ends_with_us())
        line = self.program.stderr.readline()
        while line and "listening on" not in line:
            line = self.program.stderr.readline()
        expect("tcpdump listens", line)

    def end(self):
        time.sleep(0.3)  # tcpdump takes packets from the kernel in blocks
        self.program.send_signal(signal.SIGINT)
        said = self.program.communicate(timeout=PATIENCE)[1]
        return "\n0 packets dropped by kernel" in said


def rows(name):
    done = subprocess.run([ARMTAP, "export", "--union", "--fields", "time_ns," + FIELDS, name], capture_output=True, text=True)
    expect("export of " + name, done.returncode == 0 and done.stdout and not done.stderr, done.stderr)
    found = list(csv.DictReader(io.StringIO(done.stdout)))
    # Streams are numbered in the order of their first packets, which two sockets may see differently.
    return sorted(found, key=lambda row: row["protocol"])


def compare(what, ours, wire):
    """All but the time, to the byte; then the times."""
    for protocol in "rtde", "realtime":
        one, other = [[row for row in found if row["protocol"] == protocol] for found in (ours, wire)]
        expect("%s: %s: as many rows" % (what, protocol), RECORDS <= len(one) == len(other), len(one),
               len(other))
        plain = [[{key: value for key, value in row.items() if key not in ("time", "time_ns", "stream")} for row in found]
                 for found in (one, other)]
        wrong = [i for i, (a, b) in enumerate(zip(*plain)) if a != b]
        expect("%s: %s: the same rows, to the byte" % (what, protocol), not wrong, wrong[:3])
        apart = sorted(beyond(*times) for times in stamps(one, other))
        print("%s: %s: times are later than a packet's by %.1f us (median), %.1f us (90 %%), %.1f us (most)" % (
            what, protocol, *(apart[int(part * (len(apart) - 1))] / 1000 for part in (0.5, 0.9, 1))))
        expect("%s: %s: the kernel's times" % (what, protocol), 0 <= apart[int((1 - FEW) * len(apart))] < USUAL, apart[0], apart[-1])


def stamps(ours, wire):
    """For each of our rows its time, and the times on the wire of its packet and of those after it."""
    times = [int(row["time_ns"]) for row in wire]
    for i, row in enumerate(ours):
        yield int(row["time_ns"]), times, i


def beyond(time, times, first):
    """ns since the packet that gave the time: the record's own or a later one. Negative: before its own."""
    last = bisect.bisect_right(times, time) - 1
    return time - times[max(first, last)]


def wait_for_records(controller):
    expect("records are sent", controller.wait_for(lambda: min(controller.counts[role, "records"] for role in PORTS) >= RECORDS, PATIENCE))
    expect("and read", controller.settle())


def record():
    with Controller(ROBOT, PORTS) as controller:
        wire = Tcpdump("wire.pcap", ROBOT)
        recorder = subprocess.Popen([ARMTAP, "record", "-o", "ours.pcapng", "--fields", FIELDS, "rtde://" + ROBOT,
                                     "realtime://" + ROBOT], stderr=subprocess.DEVNULL, preexec_fn=ends_with_us())
        wait_for_records(controller)
        recorder.send_signal(signal.SIGINT)
        expect("record: status", recorder.wait(PATIENCE) == 0)
        return wire.end()


def proxy():
    """The wire between proxy and robot has the proxy's address as client; rows do not."""
    with Controller(BEHIND, PORTS) as controller:
        wire = Tcpdump("wire.pcap", BEHIND)
        between = subprocess.Popen([ARMTAP, "proxy", "--listen", PROXY, "--ports", "30004,30013", "-o", "ours.pcapng", BEHIND],
                                   stderr=subprocess.PIPE, text=True, preexec_fn=ends_with_us())
        for _ in PORTS:
            expect("proxy: listens", "forwards" in between.stderr.readline())
        client = subprocess.Popen([ARMTAP, "record", "-o", "client.pcapng", "--fields", FIELDS, "rtde://" + PROXY,
                                   "realtime://" + PROXY], stderr=subprocess.DEVNULL, preexec_fn=ends_with_us())
        wait_for_records(controller)
        client.send_signal(signal.SIGINT)
        client.wait(PATIENCE)
        between.send_signal(signal.SIGINT)
        expect("proxy: status", between.wait(PATIENCE) == 0)
        between.stderr.close()
        return wire.end()


def attempts(what, case):
    for _ in range(ATTEMPTS):
        for name in "wire.pcap", "ours.pcapng", "client.pcapng":
            if os.path.exists(name):
                os.unlink(name)
        if case():
            compare(what, rows("ours.pcapng"), rows("wire.pcap"))
            return
    expect(what + ": tcpdump dropped packets in each attempt", False)


if is_left_to_linux("a network of its own, in which Wine does not start"):
    sys.exit(77)
enter("tcpdump")
if subprocess.run(["ip", "link", "set", "lo", "up"], capture_output=True).returncode:
    skip("no loopback in a namespace")
side_by_side(lambda: attempts("record", record), lambda: attempts("proxy", proxy))
sys.exit(finish())
