#!/usr/bin/env python3
"""Live capture of real kernels: two network namespaces whose TCP goes through a router in this script, which loses, delays
and copies packets and records which. diagnose's findings on the client's interface are compared with what the router
did, packet by packet, and with the kernel's counters; with TCP's timestamps, and without, when IPv6 proves little and
must say so. Skipped (status 77) if the system does not allow namespaces."""
import ctypes
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from namespace import INSIDE, enter, skip
from tally import expect, finish

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
ATTEMPT, ATTEMPTS = "ARMTAP_NETWORK_ATTEMPT", 3
ROBOT, CLIENT, NOBODY, PROHIBITED = "10.9.0.2", "10.9.0.9", "10.9.0.77", "10.9.1.5"
ROBOT6, CLIENT6 = "fd09::2", "fd09::9"
PACKAGES, CYCLE = 1500, 0.002
LOSE, DELAY, COPY = 20, 33, 47  # every so many segments of a connection; the numbers share no factor
OVERTAKEN = 4  # by so many segments a late one is
COPIED_AFTER = 0.0003  # s
SOON = 0.005  # s: between what the router does to a packet and its capture
KINDS = {"again": "tcp.retransmission", "late": "tcp.out-of-order", "copies": "capture.duplicate"}
SCALE = 2 if os.environ.get("ASAN_OPTIONS") else 1


# ---- namespaces -----------------------------------------------------------------------------------------------------


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def tunnel(name, address, address6):
    """An interface whose packets this process reads and writes; closing the file descriptor removes it."""
    import fcntl
    try:
        file = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(file, 0x400454ca, struct.pack("16sH22x", name.encode(), 0x1001))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
        ip("link", "set", "lo", "up")
        ip("address", "add", address + "/16", "dev", name)
        ip("-6", "address", "add", address6 + "/64", "dev", name, "nodad")
        ip("link", "set", name, "up")
    except (OSError, subprocess.CalledProcessError) as error:
        skip("no tunnel interface with IPv4 and IPv6: %s" % error)
    return file


def resent():
    """Segments that the kernel of this namespace retransmitted: RetransSegs, as nstat prints it."""
    with open("/proc/net/snmp") as file:
        names, values = [line.split() for line in file if line.startswith("Tcp:")]
    return int(values[names.index("RetransSegs")])


# ---- the robot, in a namespace of its own ----------------------------------------------------------------------------


def package(kind, body):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def read_package(stream):
    size, kind = struct.unpack(">HB", stream.read(3))
    return chr(kind), stream.read(size - 3)


def serve(listener):
    """RTDE, protocol 2: what is asked for, then packages with the timestamp and six doubles that are 1."""
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = connection.makefile("rb")
    for answer in b"\1", b"\1DOUBLE,VECTOR6D", b"\1":
        kind, _ = read_package(stream)
        connection.sendall(package(kind, answer))
    begin = time.monotonic()
    for i in range(PACKAGES):
        connection.sendall(package("U", struct.pack(">B7d", 1, 100 + i * CYCLE, *[1.0] * 6)))
        time.sleep(max(0, begin + (i + 1) * CYCLE - time.monotonic()))
    time.sleep(0.5)
    connection.close()


def robot(control, timestamps):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it would wait for ever if the test ends early
    if libc.unshare(0x40000000) != 0:  # CLONE_NEWNET
        control.send(b"no")
        return
    file = tunnel("robot0", ROBOT, ROBOT6)
    ip("route", "add", "prohibit", PROHIBITED + "/32")
    with open("/proc/sys/net/ipv4/ip_forward", "w") as forward:
        forward.write("1")
    with open("/proc/sys/net/ipv4/tcp_timestamps", "w") as setting:
        setting.write(str(timestamps))
    listeners = [socket.create_server((ROBOT, 30004)), socket.create_server((ROBOT6, 30004), family=socket.AF_INET6)]
    threads = [threading.Thread(target=serve, args=(listener,)) for listener in listeners]
    for thread in threads:
        thread.start()
    socket.send_fds(control, [b"ok"], [file])
    for thread in threads:
        thread.join()
    control.recv(1)
    control.send(struct.pack(">Q", resent()))


# ---- the router -----------------------------------------------------------------------------------------------------


def segment_of(packet):
    """(version, source port, sequence number, payload's length, flags) of a TCP packet, else None."""
    version = packet[0] >> 4
    header = (packet[0] & 15) * 4 if version == 4 else 40
    if packet[9 if version == 4 else 6] != 6:
        return None
    source, _, seq, _, offset, flags = struct.unpack_from(">HHIIBB", packet, header)
    return version, source, seq, len(packet) - header - (offset >> 4) * 4, flags


class Router(threading.Thread):
    """Forwards packets. Some of the robot's segments are lost, delayed or copied, each when it is first sent."""

    def __init__(self, client, robot):
        super().__init__(daemon=True)
        self.client, self.robot = client, robot
        self.seen = {4: {}, 6: {}}  # first sequence numbers of segments, to their order
        self.late = {4: None, 6: None}  # [packet, how many are still to overtake it]
        self.copies = []  # (when, packet, version)
        self.truth = {version: {"lost": 0, "again": 0, "late": 0, "copies": 0} for version in (4, 6)}
        self.done = {version: [] for version in (4, 6)}  # (kind, time)
        self.syns = {}
        self.ends = False

    def run(self):
        while not self.ends:
            ready, _, _ = select.select([self.client, self.robot], [], [], 0.001)
            now = time.monotonic()
            if self.client in ready:
                self.from_client(os.read(self.client, 65536))
            if self.robot in ready:
                self.from_robot(os.read(self.robot, 65536), now)
            while self.copies and self.copies[0][0] <= now:
                _, packet, version = self.copies.pop(0)
                self.hand_on(packet, version, "copies")

    def hand_on(self, packet, version, kind):
        self.truth[version][kind] += 1
        self.done[version].append((kind, time.time()))
        os.write(self.client, packet)

    def from_client(self, packet):
        segment = segment_of(packet)
        target = socket.inet_ntoa(packet[16:20]) if packet[0] >> 4 == 4 else None
        if segment and segment[4] & 0x12 == 2:
            self.syns[target] = self.syns.get(target, 0) + 1
        if target != NOBODY:
            os.write(self.robot, packet)

    def from_robot(self, packet, now):
        segment = segment_of(packet)
        if segment is None or segment[1] != 30004 or segment[3] == 0:
            os.write(self.client, packet)
            return
        version, seq = segment[0], segment[2]
        seen, truth = self.seen[version], self.truth[version]
        if seq in seen:
            self.hand_on(packet, version, "again")
            return
        count = seen[seq] = len(seen)
        after_handshake = count > 20
        if after_handshake and count % LOSE == 0 and count < PACKAGES - 40:
            truth["lost"] += 1
        elif after_handshake and count % DELAY == 0 and count < PACKAGES - 40:
            self.late[version] = [packet, OVERTAKEN]
        else:
            os.write(self.client, packet)
            if after_handshake and count % COPY == 0:
                self.copies.append((now + COPIED_AFTER, packet, version))
            self.overtake(version)

    def overtake(self, version):
        late = self.late[version]
        if late is None:
            return
        late[1] -= 1
        if late[1] == 0:
            self.late[version] = None
            self.hand_on(late[0], version, "late")


# ---- the client -----------------------------------------------------------------------------------------------------


def talk(family, address, received):
    """Reads a whole stream and counts its packages."""
    with socket.create_connection((address, 30004)) as connection:
        stream = connection.makefile("rb")
        for kind, body in ("V", struct.pack(">H", 2)), ("O", struct.pack(">d", 500) + b"timestamp,actual_q"), ("S", b""):
            connection.sendall(package(kind, body))
            read_package(stream)
        count = 0
        try:
            while read_package(stream)[0] == "U":
                count += 1
        except struct.error:  # the end
            pass
    received[family] = count


def attempt(address, port, errors):
    probe = socket.socket()
    probe.settimeout(4.2)
    try:
        probe.connect((address, port))
        errors[address] = None
    except OSError as error:
        errors[address] = error.errno or "timeout"
    probe.close()


def listen(interface):
    """Starts armtap and waits until it captures."""
    program = subprocess.Popen([ARMTAP, "diagnose", "--json", "-i", interface], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    for _ in range(100 * SCALE):
        with open("/proc/net/packet") as file:
            if len(file.readlines()) > 1:
                time.sleep(0.2)
                if program.poll() is None:
                    return program
        if program.poll() is not None:
            break
        time.sleep(0.05)
    program.kill()
    complaint = program.communicate()[1]
    if "cannot capture" in complaint or "rights" in complaint:
        skip("armtap cannot capture here: " + complaint)
    print("FAIL armtap does not capture, status %d: %s" % (program.returncode, complaint))
    sys.exit(1)


def play(client, robot_file):
    router = Router(client, robot_file)
    router.start()
    program = listen("client0")
    received, errors = {}, {}
    jobs = [threading.Thread(target=talk, args=arguments)
            for arguments in ((4, ROBOT, received), (6, ROBOT6, received))]
    jobs += [threading.Thread(target=attempt, args=(*arguments, errors))
             for arguments in ((ROBOT, 30003), (NOBODY, 30004), (PROHIBITED, 30004))]
    for job in jobs:
        job.start()
        time.sleep(0.1)  # the streams are numbered in this order
    for job in jobs:
        job.join(60)
    time.sleep(0.3)
    program.send_signal(signal.SIGINT)
    output, complaint = program.communicate(timeout=60)
    router.ends = True
    router.join()
    return router, received, errors, json.loads(output or "{}"), complaint


# ---- what was found, and what was done -------------------------------------------------------------------------------


def near(said, truth, proven):
    """One packet in twenty may have had two faults at once, as on a busy machine; unproven ones may be anything."""
    return abs(said - truth) <= max(1, truth * (1.05 - proven))


def right(findings, kind, done):
    """How many findings of a kind match something that the router did."""
    times = [at for what, at in done if what == kind]
    return sum(any(abs(f["time"] - at) < SOON * SCALE for at in times) for f in findings if f["id"] == KINDS[kind])


def check_stream(version, stream, findings, router, received, proves):
    """`proves`: the share of faults that the headers prove."""
    mine = [f for f in findings if f["stream"] == stream]
    proven = [f for f in mine if not f.get("doubtful")]
    truth, done = router.truth[version], router.done[version]
    said = {kind: sum(f["id"] == id for f in mine) for kind, id in KINDS.items()}
    sure = {kind: sum(f["id"] == id for f in proven) for kind, id in KINDS.items()}
    shown = "IPv%d: done %s, told %s, without a doubt %s" % (version, truth, said, sure)
    print(shown)
    expect("all came through", received.get(version) == PACKAGES, received)
    expect("something was done", min(truth["lost"], truth["late"], truth["copies"]) >= 20, shown)
    expect("every loss was repaired", truth["again"] >= truth["lost"], shown)
    expect("nothing is missing", not any(f["id"] in ("stream.gap", "clock.skipped") for f in mine), shown)
    expect("what doubtful ones say", all("only by the delay" in f["text"] for f in mine if f.get("doubtful")), shown)
    for kind in KINDS:
        expect("no false certainty: " + kind, right(proven, kind, done) >= sure[kind] - sure[kind] // 100, shown)
        if proves:
            expect(kind, near(said[kind], truth[kind], proves) and near(right(mine, kind, done), truth[kind], proves), shown)
            expect("certainty: " + kind, sure[kind] >= truth[kind] * (proves - 0.05) - 1, shown)
    expect("doubt", proves or sum(sure.values()) < sum(said.values()) / 2, shown)


def check_attempts(findings, errors, router):
    texts = {f["id"]: f["text"] for f in findings if f["stream"] is None}
    expect("refused", errors[ROBOT] == 111 and texts.get("tcp.refused", "").startswith(
        "%s:30003 refused %s" % (ROBOT, CLIENT)), (errors, texts))
    expect("no answer", errors[NOBODY] == "timeout" and router.syns[NOBODY] >= 2 and
           "%s:30004 did not answer %s: %d SYNs" % (NOBODY, CLIENT, router.syns[NOBODY]) in texts.get("tcp.no-answer", ""),
           (errors, router.syns, texts))
    expect("prohibited", errors[PROHIBITED] in (13, 113) and "a firewall rejects the connection, reported by %s (ICMP type 3, code 13)"
           % ROBOT in texts.get("tcp.unreachable", ""), (errors, texts))


def run(timestamps):
    client = tunnel("client0", CLIENT, CLIENT6)
    control, other = socket.socketpair()
    child = os.fork()
    if child == 0:
        control.close()
        os.close(client)
        robot(other, timestamps)
        os._exit(0)
    other.close()
    word, files, _, _ = socket.recv_fds(control, 2, 1)
    if word != b"ok":
        skip("a second network namespace cannot be made")
    router, received, errors, found, complaint = play(client, files[0])
    control.send(b"?")
    sent_again = struct.unpack(">Q", control.recv(8))[0]
    os.waitpid(child, 0)
    os.close(client)
    os.close(files[0])
    expect("armtap", "findings" in found, complaint)
    expect("the kernel's own count", sent_again == sum(truth["again"] for truth in router.truth.values()),
           (sent_again, router.truth))
    findings = found.get("findings", [])
    print("with timestamps" if timestamps else "without timestamps")
    for stream, version in enumerate((4, 6)):
        # a clock that ticks every millisecond hides what a faster network does within one
        proves = 1 if version == 4 else 0.7 * timestamps
        check_stream(version, stream, findings, router, received, proves)
    check_attempts(findings, errors, router)


def main():
    enter()
    run(1)
    run(0)
    status, attempt = finish(), int(os.environ.get(ATTEMPT, 1))
    if status == 0 or attempt == ATTEMPTS:
        sys.exit(status)
    print("once more: a busy machine may have delayed a packet after it was timed")
    del os.environ[INSIDE]
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {ATTEMPT: str(attempt + 1)})


if __name__ == "__main__":
    main()
