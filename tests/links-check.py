#!/usr/bin/env python3
"""Captures whose packets are carried in tunnels, behind tags, or in IP fragments, made here from samples with Python's
struct: every nesting of them gives the rows of the plain capture. Fragments in any order, doubled, missing,
overlapping; what cannot be read is named. Tests by tshark that the packets are what they should be.
tests/links-check.py [SEED [ROUNDS]]."""
import gzip
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import tally

ARMTAP = os.environ.get("ARMTAP", "./armtap")
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")
MACS = bytes.fromhex("020000000009020000000002")
OUTER4 = bytes([192, 168, 7, 1]), bytes([192, 168, 7, 2])
OUTER6 = bytes.fromhex("fd01" + "0" * 27 + "1"), bytes.fromhex("fd01" + "0" * 27 + "2")
ETHERNET, RAW = 1, 101


# ---- captures ----

def read(name):
    """(time in ns, whole frame) of each packet of a pcap of Ethernet."""
    path = os.path.join(SAMPLES, name)
    data = (gzip.open if name.endswith(".gz") else open)(path, "rb").read()
    order = "<" if data[0] in (0xD4, 0x4D) else ">"
    nano = struct.unpack(order + "I", data[:4])[0] == 0xA1B23C4D
    at, packets = 24, []
    while at < len(data):
        seconds, fraction, captured, length = struct.unpack_from(order + "4I", data, at)
        assert captured == length
        packets.append((seconds * 10**9 + fraction * (1 if nano else 1000), data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return packets


def write(path, packets, link=ETHERNET, snaplen=None):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snaplen or 262144, link))
        for time, frame in packets:
            kept = frame[:snaplen] if snaplen else frame
            file.write(struct.pack("<4I", time // 10**9, time % 10**9, len(kept), len(frame)) + kept)


def run(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, check=False, timeout=100)


# ---- what carries a frame, or an IP packet ----

def type_of(packet):
    return 0x0800 if packet[0] >> 4 == 4 else 0x86DD


def frame(packet, kind=None):
    return MACS + struct.pack(">H", type_of(packet) if kind is None else kind) + packet


def inside(whole):
    return whole[14:]


def checksum(header):
    total = sum(struct.unpack(">%dH" % (len(header) // 2), header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ip4(draw, protocol, payload):
    draw.id = (getattr(draw, "id", 0) + 1) % 65536
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), draw.id, 0, 64, protocol, 0, *OUTER4)
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def ip6(draw, protocol, payload):
    return struct.pack(">IHBB16s16s", 6 << 28 | draw.randrange(1 << 20), len(payload), protocol, 64, *OUTER6) + payload


def ip(draw, protocol, payload):
    return draw.choice([ip4, ip6])(draw, protocol, payload)


def udp(draw, port, payload):
    return ip(draw, 17, struct.pack(">HHHH", draw.randrange(49152, 65536), port, 8 + len(payload), 0) + payload)


def gre(draw, kind, payload, sequence=None):
    flags, options = 0, b""
    if draw.random() < 0.3:
        flags, options = flags | 0x8000, options + bytes(4)
    if draw.random() < 0.5:
        flags, options = flags | 0x2000, options + draw.randbytes(4)
    if sequence or (sequence is None and draw.random() < 0.5):
        flags, options = flags | 0x1000, options + draw.randbytes(4)
    return ip(draw, 47, struct.pack(">HH", flags, kind) + options + payload)


def erspan3(draw, whole, is_ip):
    platform = draw.random() < 0.5
    head = struct.pack(">HHIHH", 2 << 12, draw.randrange(1024), draw.randrange(1 << 32), draw.randrange(1 << 16),
                       (2 if is_ip else 0) << 10 | platform)
    return gre(draw, 0x22EB, head + (draw.randbytes(8) if platform else b"") + (inside(whole) if is_ip else whole), True)


def labels(draw, payload):
    count = draw.randrange(1, 4)
    return b"".join(struct.pack(">I", draw.randrange(16, 1 << 20) << 12 | (i == count - 1) << 8 | 64)
                    for i in range(count)) + payload


def pseudowire(draw, whole):
    return labels(draw, (struct.pack(">I", draw.randrange(1 << 16)) if draw.random() < 0.5 else b"") + whole)


def ppp(draw, packet):
    number = 0x21 if type_of(packet) == 0x0800 else 0x57
    return (bytes([number]) if draw.random() < 0.3 else struct.pack(">H", number)) + packet


def pppoe(draw, packet):
    payload = struct.pack(">H", 0x21 if type_of(packet) == 0x0800 else 0x57) + packet
    return frame(struct.pack(">BBHH", 0x11, 0, draw.randrange(1, 65535), len(payload)) + payload, 0x8864)


def snap(packet):
    llc = b"\xaa\xaa\x03\0\0\0" + struct.pack(">H", type_of(packet)) + packet
    return frame(llc, len(llc)) if len(llc) < 1536 else frame(packet)


def geneve(draw, kind, payload):
    options = draw.randbytes(4 * draw.randrange(5))
    return udp(draw, 6081, struct.pack(">BBHI", len(options) // 4, 0, kind, draw.randrange(1 << 24) << 8) + options + payload)


# Each takes a frame, and returns one.
CARRIERS = {
    "vlan": lambda d, f: f[:12] + struct.pack(">HH", d.choice([0x8100, 0x88A8, 0x9100]), d.randrange(4096)) + f[12:],
    "vn-tag": lambda d, f: f[:12] + struct.pack(">HI", 0x8926, d.randrange(1 << 31)) + f[12:],
    "e-tag": lambda d, f: f[:12] + struct.pack(">HHI", 0x893F, 0, d.randrange(1 << 31)) + f[12:],
    "hsr": lambda d, f: f[:12] + struct.pack(">HHH", 0x892F, len(f) & 0xFFF, d.randrange(1 << 16)) + f[12:],
    "backbone": lambda d, f: frame(struct.pack(">I", d.randrange(1 << 24)) + f, 0x88E7),
    "snap": lambda d, f: snap(inside(f)),
    "pppoe": lambda d, f: pppoe(d, inside(f)),
    "mpls": lambda d, f: frame(labels(d, inside(f)), 0x8847),
    "pseudowire": lambda d, f: frame(pseudowire(d, f), 0x8847),
    "mpls in ip": lambda d, f: frame(ip(d, 137, labels(d, inside(f)))),
    "mpls in udp": lambda d, f: frame(udp(d, 6635, labels(d, inside(f)))),
    "ip in ip": lambda d, f: frame(ip(d, 4 if type_of(inside(f)) == 0x0800 else 41, inside(f))),
    "gre": lambda d, f: frame(gre(d, type_of(inside(f)), inside(f))),
    "gre in udp": lambda d, f: frame(udp(d, 4754, struct.pack(">HH", 0, type_of(inside(f))) + inside(f))),
    "gre of frames": lambda d, f: frame(gre(d, 0x6558, f)),
    "gre of mpls": lambda d, f: frame(gre(d, 0x8847, labels(d, inside(f)))),
    "pptp": lambda d, f: frame(ip(d, 47, struct.pack(">HHHHII", 0x3081, 0x880B, len(f), 7, d.randrange(1 << 32),
                                                     d.randrange(1 << 32)) + ppp(d, inside(f)))),
    "erspan I": lambda d, f: frame(gre(d, 0x88BE, f, False)),
    "erspan II": lambda d, f: frame(gre(d, 0x88BE, struct.pack(">II", 1 << 28 | d.randrange(1 << 28), 7) + f, True)),
    "erspan III": lambda d, f: frame(erspan3(d, f, False)),
    "erspan III of IP": lambda d, f: frame(erspan3(d, f, True)),
    "ether ip": lambda d, f: frame(ip(d, 97, b"\x30\0" + f)),
    "vxlan": lambda d, f: frame(udp(d, d.choice([4789, 8472]), struct.pack(">II", 8 << 24, d.randrange(1 << 24) << 8) + f)),
    "vxlan gpe": lambda d, f: frame(udp(d, 4790, struct.pack(">II", 0x0C << 24 | (1 if type_of(inside(f)) == 0x0800 else 2),
                                                             d.randrange(1 << 24) << 8) + inside(f))),
    "geneve": lambda d, f: frame(geneve(d, 0x6558, f)),
    "geneve of IP": lambda d, f: frame(geneve(d, type_of(inside(f)), inside(f))),
    "gtp": lambda d, f: frame(udp(d, 2152, struct.pack(">BBHI", 0x30, 255, len(f) - 14, 7) + inside(f))),
    "tzsp": lambda d, f: frame(udp(d, 37008, b"\x01\0\0\x01" + b"\x0a\x01\x05\0" * d.randrange(2) + b"\x01" + f)),
    "authenticated": lambda d, f: frame(ip(d, 51, struct.pack(">BBHII", 4 if type_of(inside(f)) == 0x0800 else 41, 4, 0, 1,
                                                              1) + bytes(12) + inside(f))),
}
NEEDS_IP = {"snap", "pppoe", "mpls", "mpls in ip", "mpls in udp", "ip in ip", "gre", "gre in udp", "gre of mpls", "pptp",
            "erspan III of IP", "vxlan gpe", "geneve of IP", "gtp", "authenticated"}


def carried(draw, names, whole):
    for name in names:
        if name in NEEDS_IP and struct.unpack(">H", whole[12:14])[0] not in (0x0800, 0x86DD):
            return None
        whole = CARRIERS[name](draw, whole)
    return whole


# ---- fragments ----

def fragments(draw, packet, most=None):
    """An IP packet in fragments of random sizes."""
    is_four = packet[0] >> 4 == 4
    header = 20 if is_four else 40
    payload, pieces, at = packet[header:], [], 0
    size = most or draw.choice([8, 64, 256, 552])
    while at < len(payload):
        length = min(len(payload) - at, 8 * draw.randrange(1, size // 8 + 1))
        more = at + length < len(payload)
        piece = payload[at:at + length]
        if is_four:
            head = packet[:2] + struct.pack(">H", 20 + length) + packet[4:6] + \
                struct.pack(">H", more << 13 | at // 8) + packet[8:10] + b"\0\0" + packet[12:20]
            pieces.append(head[:10] + struct.pack(">H", checksum(head)) + head[12:] + piece)
        else:
            pieces.append(packet[:4] + struct.pack(">HB", 8 + length, 44) + packet[7:40] +
                          struct.pack(">BBHI", packet[6], 0, at | more, draw.number) + piece)
        at += length
    draw.number = getattr(draw, "number", 0) + 1
    return pieces


def in_fragments(draw, packets, doubled=0.0, order=True, share=0.7):
    made = []
    for time, whole in packets:
        packet = inside(whole)
        if struct.unpack(">H", whole[12:14])[0] not in (0x0800, 0x86DD) or draw.random() > share or len(packet) < 60:
            made.append((time, whole))
            continue
        pieces = fragments(draw, packet)
        pieces += [piece for piece in pieces if draw.random() < doubled]
        if order:
            draw.shuffle(pieces)
        made += [(time, frame(piece)) for piece in pieces]
    return made


def rows(path):
    done = run("export", "-f", "ndjson", path)
    drop = ("packet",)
    lines = []
    for line in done.stdout.splitlines():
        cells = [cell for cell in line.split(",") if not cell.startswith(tuple('"%s"' % name for name in drop))]
        lines.append(",".join(cells))
    return done, lines


def as_ipv6(packets):
    made = []
    for time, whole in packets:
        packet = inside(whole)
        if packet[9] == 6:
            header = (packet[0] & 15) * 4
            ends = [b"\xfd" + bytes(11) + packet[at:at + 4] for at in (12, 16)]
            length = struct.unpack(">H", packet[2:4])[0] - header
            made.append((time, frame(struct.pack(">IHBB", 6 << 28, length, 6, 64) + ends[0] + ends[1] +
                                     packet[header:header + length])))
    return made


# ---- cases ----

def check_same(what, path, truth):
    done, got = rows(path)
    tally.expect(what + ": rows", got == truth and len(got) > 0, len(got), len(truth), done.stderr)
    tally.expect(what + ": status", done.returncode == 0, done.returncode, done.stderr)


def check_tunnels(seed, packets):
    draw = random.Random(seed)
    write("plain.pcap", packets)
    truth = rows("plain.pcap")[1]
    lists = [[name] for name in CARRIERS]
    lists += [[draw.choice(list(CARRIERS)) for _ in range(draw.randrange(2, 5))] for _ in range(20)]
    for names in lists:
        made = [(time, carried(draw, names, whole)) for time, whole in packets]
        if made[0][1] is not None:
            write("carried.pcap", made)
            check_same(" in ".join(names), "carried.pcap", truth)
    # each packet in another one
    made = [(time, carried(draw, [draw.choice(list(CARRIERS))], whole)) for time, whole in packets]
    write("carried.pcap", made)
    check_same("each in another", "carried.pcap", truth)
    # links other than Ethernet
    for link, wrap in [(101, inside), (9, lambda f: b"\xff\x03" + ppp(draw, inside(f))),
                       (50, lambda f: b"\xff\x03" + ppp(draw, inside(f))), (51, lambda f: inside(pppoe(draw, inside(f)))),
                       (104, lambda f: struct.pack(">BBH", 0x0F, 0, type_of(inside(f))) + inside(f)),
                       (219, lambda f: labels(draw, inside(f)))]:
        write("carried.pcap", [(time, wrap(whole)) for time, whole in packets], link)
        check_same("link type %d" % link, "carried.pcap", truth)


def check_depth(packets):
    """More tunnels than armtap goes into: said, not followed."""
    draw = random.Random(1)
    write("deep.pcap", [(time, carried(draw, ["gre"] * 9, whole)) for time, whole in packets])
    done = run("info", "deep.pcap")
    tally.expect("deep: status", done.returncode == 2, done)
    tally.expect("deep: said", "8 tunnels" in done.stderr, done)


def check_cut_tunnels(seed, packets):
    """Cut anywhere: no crash, no row that is not there."""
    draw = random.Random(seed)
    truth = set(rows("plain.pcap")[1])
    for name in CARRIERS:
        made = [(time, carried(draw, [name], whole)) for time, whole in packets[:20]]
        for snaplen in draw.sample(range(1, 200), 3):
            write("cut.pcap", made, snaplen=snaplen)
            done = run("info", "cut.pcap")
            tally.expect("%s cut at %d" % (name, snaplen), done.returncode in (0, 1, 2), done)
        for _ in range(5):
            damaged = [(time, bytes(byte if draw.random() > 0.02 else draw.randrange(256) for byte in whole))
                       for time, whole in made]
            write("cut.pcap", damaged)
            done = run("info", "cut.pcap")
            tally.expect("%s damaged" % name, done.returncode in (0, 1, 2), done)
    tally.expect("there are rows", truth)


def check_fragments(seed, packets, what):
    draw = random.Random(seed)
    write("plain.pcap", packets)
    truth = rows("plain.pcap")[1]
    draw.number = 1
    for doubled, order in [(0, False), (0, True), (0.3, True)]:
        made = in_fragments(draw, packets, doubled, order)
        write("fragments.pcap", made)
        check_same("%s, fragments, %g doubled, %s order" % (what, doubled, "any" if order else "in"), "fragments.pcap", truth)
        write("fragments.pcap", [(time, CARRIERS["vlan"](draw, whole)) for time, whole in made])
        check_same("%s, fragments behind a tag" % what, "fragments.pcap", truth)
        write("fragments.pcap", [(time, CARRIERS["gre"](draw, whole)) for time, whole in made])
        check_same("%s, fragments in a tunnel" % what, "fragments.pcap", truth)
    for name in ["gre", "vxlan", "ip in ip", "geneve"]:
        made = [(time, CARRIERS[name](draw, whole)) for time, whole in packets]
        write("fragments.pcap", in_fragments(draw, made))
        check_same("%s, %s in fragments" % (what, name), "fragments.pcap", truth)
        write("fragments.pcap", in_fragments(draw, [(t, CARRIERS[name](draw, w)) for t, w in in_fragments(draw, packets)]))
        check_same("%s, fragments in %s in fragments" % (what, name), "fragments.pcap", truth)
    if shutil.which("tshark"):
        write("fragments.pcap", in_fragments(draw, packets, 0, False))
        seen = subprocess.run(["tshark", "-r", "fragments.pcap", "-Y", "tcp", "-T", "fields", "-e", "tcp.len"],
                              capture_output=True, text=True, check=False).stdout.split()
        tally.expect(what + ": tshark puts as many packets together", len(seen) == len(packets), len(seen), len(packets))
    else:
        tally.lacks("tshark", "how it puts fragments together")


def check_missing_fragments(packets):
    """A fragment that never comes: its record is missing, all others are there, and the finding says what it is."""
    draw = random.Random(5)
    draw.number = 1
    truth = rows("plain.pcap")[1]
    data = [i for i, (_, whole) in enumerate(packets) if len(whole) > 400 and packets[i][1][34:36] != b"\0\0"]
    lost = data[len(data) // 2]
    made = []
    for i, (time, whole) in enumerate(packets):
        pieces = fragments(draw, inside(whole), 64) if len(whole) > 400 else [inside(whole)]
        if i == lost:
            pieces.pop(1)
        made += [(time, frame(piece)) for piece in pieces]
    write("missing.pcap", made)
    got = rows("missing.pcap")[1]
    tally.expect("missing: one row less", 0 < len(truth) - len(got) <= 2, len(truth), len(got))
    tally.expect("missing: no other", {line.split('"time":')[1][:25] for line in got} <=
                 {line.split('"time":')[1][:25] for line in truth})
    said = run("diagnose", "missing.pcap")
    tally.expect("missing: named", "ip.fragment" in said.stdout and "faster disk" not in said.stdout.split("ip.fragment")[0],
                 said.stdout)


def check_overlaps(packets):
    """Fragments that overlap in any way are refused, and so is their packet."""
    draw = random.Random(6)
    draw.number = 1
    big = max(range(len(packets)), key=lambda i: len(packets[i][1]))
    for version, some in ((4, packets), (6, as_ipv6(packets))):
        time, whole = some[big]
        packet = inside(whole)
        header = 20 if version == 4 else 48
        for what in ("differs", "shifted", "longer", "two ends", "beyond"):
            pieces = fragments(draw, packet, 64)
            bad = bytearray(pieces[2])
            if what == "differs":
                bad[-1] ^= 1
            elif what == "shifted":
                at = 6 if version == 4 else 42
                unit = 1 if version == 4 else 8
                struct.pack_into(">H", bad, at, struct.unpack_from(">H", bad, at)[0] - unit)
            elif what == "longer":
                bad += bytes(8)
                at = 2 if version == 4 else 4
                struct.pack_into(">H", bad, at, struct.unpack_from(">H", bad, at)[0] + 8)
            elif what == "two ends":
                at, more = (6, 0x2000) if version == 4 else (42, 1)
                struct.pack_into(">H", bad, at, struct.unpack_from(">H", bad, at)[0] & ~more)
            else:
                at = 6 if version == 4 else 42
                struct.pack_into(">H", bad, at, 0x3FFF if version == 4 else 0xFFF9)
                if len(bad) == header:
                    bad += bytes(8)
            made = pieces[:2] + [bytes(bad)] + pieces[2:]
            made = [(time, frame(piece)) for piece in made]
            if what in ("differs", "longer"):
                made = [(time, frame(piece)) for piece in pieces[:3]] + [(time, frame(bytes(bad)))] + \
                    [(time, frame(piece)) for piece in pieces[3:]]
            write("overlap.pcap", some[:big] + made + some[big + 1:])
            said = run("diagnose", "overlap.pcap")
            name = "overlap %s, IPv%d" % (what, version)
            tally.expect(name + ": a finding", 
                         any(name in said.stdout for name in ("input.hostile", "ip.bad-header", "ip.fragment")), said.stdout)
            write("plain.pcap", some)
            tally.expect(name + ": the packet is left out", len(rows("overlap.pcap")[1]) < len(rows("plain.pcap")[1]))


def check_hostile(packets):
    """Fragments without end: memory stays bounded, and the telemetry beside them is read."""
    draw = random.Random(7)
    time = packets[0][0]
    flood = []
    for i in range(4000):
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28, i, 0x2000 | draw.randrange(8000), 64, 6, 0, OUTER4[0], OUTER4[1])
        flood.append((time, frame(head + draw.randbytes(8))))
    write("flood.pcap", packets[:5] + flood + packets[5:])
    write("plain.pcap", packets)
    done, got = rows("flood.pcap")
    tally.expect("flood: rows", got == rows("plain.pcap")[1], done.stderr)


def check_named(packets):
    draw = random.Random(8)
    plain = [(time, whole) for time, whole in packets[:20]]
    for what, wrap in [("ESP", lambda f: frame(ip4(draw, 50, draw.randbytes(60)))),
                       ("WireGuard", lambda f: frame(udp(draw, 51820, draw.randbytes(60)))),
                       ("MACsec", lambda f: frame(draw.randbytes(60), 0x88E5)),
                       ("PPP compressed", lambda f: frame(b"\x11\0\0\x01\0\x20\0\xfd" + draw.randbytes(30), 0x8864)),
                       ("VXLAN", lambda f: frame(udp(draw, 4790, b"\x0c\0\0\x09" + bytes(4) + inside(f)))),
                       ("GRE", lambda f: frame(gre(draw, 0x1234, draw.randbytes(40)))),
                       ("L2TP", lambda f: frame(ip4(draw, 115, draw.randbytes(40))))]:
        write("named.pcap", [(time, wrap(whole)) for time, whole in plain])
        for command in (["info"], ["export"], ["diagnose"], ["explain", "--packet", "1"], ["compare"], ["infer"],
                        ["recipe", "--from"], ["plot", "-o", "x.svg"], ["report", "-o", "x.html"]):
            done = run(*command, "named.pcap")
            tally.expect("%s named by %s" % (what, command[0]), what in done.stderr, done.stderr)
            tally.expect("%s: status of %s" % (what, command[0]), done.returncode == 2, done.returncode)


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    global ARMTAP, SAMPLES  # pylint: disable=global-statement
    ARMTAP, SAMPLES = os.path.abspath(ARMTAP), os.path.abspath(SAMPLES)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        four = read("rtde-stop.pcap")[:150]
        six = as_ipv6(four)
        check_tunnels(seed, four)
        check_tunnels(seed + 1, six)
        write("plain.pcap", four)
        check_cut_tunnels(seed, four)
        check_depth(four)
        check_fragments(seed, four, "IPv4")
        check_fragments(seed + 1, six, "IPv6")
        write("plain.pcap", four)
        check_missing_fragments(four)
        check_overlaps(four)
        check_hostile(four)
        check_named(four)
        os.chdir("/")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
