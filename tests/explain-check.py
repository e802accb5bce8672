#!/usr/bin/env python3
"""Compares armtap explain --json, packet by packet, with the packets' bytes: every byte of every message is in one part,
in order; a packet has the messages that its TCP payload completes; numbers are those that struct reads."""
import collections
import gzip
import importlib.util
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

from tally import share

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("cross", os.path.join(HERE, "cross-check.py"))
cross = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(cross)
CAPTURES = {"cb2-812.pcap.gz": 9, "cb3-1060.pcap.gz": 12, "e-series-1220.pcapng.gz": 6, "rtde-v1.pcap": 16,
            "rtde-v2.pcapng.gz": 26, "rtde-v3.pcapng": 50, "rtde-refused.pcap": 40, "rtde-two-recipes.pcap": 60}

AUBO = () if "without AUBO" in subprocess.run([os.environ["ARMTAP"], "--version"], capture_output=True, text=True).stdout \
    else ("aubo-guide-tcp.pcap", "aubo-guide-websocket.pcap", "aubo-tcp.pcap.gz", "aubo-websocket.pcap.gz",
          "aubo-two-arms.pcap.gz")


def explain(*arguments):
    done = subprocess.run([os.environ["ARMTAP"], "explain", "--json", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return json.loads(done.stdout)


def check_number(message, part, raw):
    """A number must be a possible reading of its bytes; UR's cells are doubles, also for whole numbers. The primary
    interface has floats, too, and a clock in microseconds."""
    value = part["value"]
    readings = [int.from_bytes(raw, "big"), int.from_bytes(raw, "big", signed=True)]
    if len(raw) == 8:
        cell = struct.unpack(">d", raw)[0]
        if message["protocol"] == "primary" and part["field"] == "timestamp" and part["unit"] == "s":
            cell = readings[0] / 1e6
        if isinstance(value, float):
            assert value == cell, (part, cell)
            return
        readings += [int(cell)] if message["protocol"] == "realtime" and cell == cell else []
    if message["protocol"] == "primary" and len(raw) == 4:
        readings.append(struct.unpack(">f", raw)[0])
    if message["protocol"] == "primary" and raw == b"\xff":
        readings.append(-1)
    assert value in readings, (part, readings)
    if part["column"] is not None:
        assert part["offset"] == 4 + 8 * (part["column"] - 1), part


def leaves(value):
    """Scalars in the order of the text; an empty list or object counts as one, without a value."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return [value]
    return [leaf for element in value for leaf in leaves(element)] if value else [None]


def said(part):
    return json.loads('"%s"' % part["value"], strict=False) if isinstance(part["value"], str) else part["value"]


def check_aubo(message, content, windows):
    """JSON as Python reads it; WebSocket frames are parsed here and inflated by Python's zlib."""
    parts = [part for part in message["parts"] if part["field"] != "white space"]
    if content[:5] in (b"HTTP/", b"GET /"):
        assert len(parts) == len(content.splitlines()), parts
        return
    if not content.strip(b" \t\r\n\0"):
        assert not parts, parts
        return
    if message["message"] != "WebSocket frame":
        assert [said(part) for part in parts] == leaves(json.loads(content.replace(b"\0", b" "))), content
        return
    length, header = content[1] & 127, 2
    if length == 126:
        length, header = int.from_bytes(content[2:4], "big"), 4
    key = content[header:header + 4] if content[1] & 128 else bytes(4)
    header += 4 if content[1] & 128 else 0
    payload = bytes(byte ^ key[i % 4] for i, byte in enumerate(content[header:]))
    assert len(payload) == length and parts[0]["value"] == content[0] & 15 and parts[1]["value"] == content[1] & 127
    if content[0] & 8:
        return
    window = windows.setdefault((message.get("stream"), message["direction"]), [zlib.decompressobj(-15), b"", False])
    if content[0] & 15:
        window[1:] = [b"", bool(content[0] & 64)]
    window[1] += payload
    if not content[0] & 128:
        assert parts[-1]["field"] == "payload", parts
        return
    text = window[0].decompress(window[1] + b"\0\0\xff\xff") if window[2] else window[1]
    values = [part for part in parts if part["offset"] >= header and part["field"] not in ("payload", "text")]
    assert [said(part) for part in values] == leaves(json.loads(text)), (text, values)


def check_message(message, windows=None):
    content = b""
    for part in message["parts"]:
        raw = bytes.fromhex(part["bytes"])
        assert part["offset"] == len(content) and part["length"] == len(raw), part
        assert raw or message["message"] == "WebSocket frame", part
        content += raw
        if message["protocol"] == "aubo":
            continue
        if isinstance(part["value"], str) and message["message"] in ("ICMP", "ICMPv6"):
            assert re.fullmatch("[0-9a-f.:]+", part["value"]), part  # an address
        elif isinstance(part["value"], str):
            assert part["value"].encode() in raw or "\ufffd" in part["value"], part
        elif isinstance(part["value"], bool):
            assert part["value"] == (raw != b"\0"), part
        elif part["value"] is not None:
            check_number(message, part, raw)
    assert message["length"] == len(content), message["length"]
    if message["protocol"] == "aubo" and message["message"] is not None:
        check_aubo(message, content, {} if windows is None else windows)
    return content


def payload_of(packet):
    ip = packet[14:14 + struct.unpack_from(">H", packet, 16)[0]]
    tcp = ip[(ip[0] & 15) * 4:]
    return struct.unpack_from(">H", tcp)[0], tcp[(tcp[12] >> 4) * 4:]


def check_capture(name, count):
    path = os.path.join(os.environ.get("srcdir", "."), "captures", name)
    messages = 0
    waiting = {}
    for number, (time, packet) in enumerate(cross.packets(path), 1):
        if number > count:
            break
        said = explain(path, "--packet", str(number))
        assert said["packet"] == number
        port, payload = payload_of(packet)
        content = b"".join(check_message(message) for message in said["messages"])
        whole = waiting.get(port, b"") + payload
        assert whole.startswith(content), (number, whole, content)
        waiting[port] = whole[len(content):]
        later = re.search(r"--packet (\d+)", said["remarks"][0]) if payload and not content else None
        assert not payload or content or int(later.group(1)) > number, (number, said)
        assert payload or not content and said["remarks"], (number, said)
        for message in said["messages"]:
            assert abs(message["time"] - time / 1e9) < 1e-5 and message["stream"] == 0, message
        messages += len(said["messages"])
    assert messages > 0
    return messages


def check_whole(path):
    """All packets of a capture: every byte that was decoded or skipped, of both directions, is in one message."""
    command = [os.environ["ARMTAP"], "info", "--json", path]
    info = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    shown, messages, windows = collections.Counter(), 0, {}
    for number in range(1, info["packets"] + 1):
        for message in explain(path, "--packet", str(number))["messages"]:
            shown[message["stream"]] += len(check_message(message, windows))
            messages += 1
    for stream in info["streams"]:
        told = stream["bytes_decoded"] + stream["bytes_skipped"]
        assert shown[stream["stream"]] == told, (path, stream["stream"], shown, told)
    return messages


def check_damaged(name, count, seed):
    """Packets removed, bits flipped, lengths overwritten."""
    chance = random.Random(seed)
    with open(os.path.join(os.environ.get("srcdir", "."), "captures", name), "rb") as file:
        content = file.read()
    content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    form = "<I" if content[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">I"
    packets, at = [], 24
    while at < len(content) and len(packets) < count:
        end = at + 16 + struct.unpack_from(form, content, at + 8)[0]
        packets.append(bytearray(content[at:end]))
        at = end
    for _ in range(6):
        packet = chance.randrange(4, len(packets))
        data = len(packets[packet]) - 16 - 54
        if chance.random() < 0.3 or data < 4:
            del packets[packet]
        elif chance.random() < 0.5:
            packets[packet][16 + 54 + chance.randrange(data)] ^= 1 << chance.randrange(8)
        else:
            packets[packet][16 + 54:16 + 56] = bytes(chance.randrange(256) for _ in range(2))
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(content[:24] + b"".join(packets))
        file.flush()
        return check_whole(file.name)


def check_hex():
    """The same bytes in every notation."""
    package = b"\0\x16U\1" + struct.pack(">dIQ", 1.5, 7, 1 << 40)[:18]
    for text in (package.hex(), package.hex(" "), package.hex(":"), "0x" + package.hex(),
                 "\n".join("0x%02X," % byte for byte in package)):
        assert check_message(explain("--hex", text)["messages"][0]) == package, text
    cut = struct.pack(">idd", 1220, 1.0, 2.0) + b"\1\2\3"
    message = explain("--hex", cut.hex())["messages"][0]
    assert check_message(message) == cut and message["parts"][2]["field"] == "target_q_0", message
    assert message["parts"][2]["value"] == 2.0
    rubbish = bytes(range(128, 140))
    assert check_message(explain("--hex", rubbish.hex())["messages"][0]) == rubbish
    return 7


def texts_of(message):
    return {part["field"]: part["value"] for part in message["parts"] if part["field"] is not None}


def sub_package(number, content):
    return struct.pack(">IB", 5 + len(content), number) + content


def chain_end(message):
    """Where the sub-packages of a state stop following one another."""
    at = 5
    while at + 5 <= len(message):
        size, kind = struct.unpack_from(">IB", message, at)
        if size < 5 or at + size > struct.unpack_from(">I", message)[0] or kind > 31:
            break
        at += size
    return at


def check_damaged_primary(state, error):
    """A byte less, one more, another length: the message's type, its length, and where its parts stop adding up are said,
    and nothing of another protocol. Of a state whose last part alone is damaged the rest is shown."""
    dice = random.Random(5)
    sizes = [5, 5 + 47, 5 + 47 + 251, 5 + 47 + 251 + 37]
    wrong = [state[:at] + state[at + 1:] for at in [sizes[0], sizes[1] - 1, sizes[1], sizes[1] + 3] +
             [dice.randrange(5, sizes[3]) for _ in range(20)]]
    wrong += [state[:at] + bytes([dice.randrange(256)]) + state[at:] for at in (dice.randrange(6, sizes[3]) for _ in range(20))]
    for at in sizes[:3] + [0]:
        for step in (-1, 1, 7):
            length = struct.unpack_from(">I", state, at)[0] + step
            wrong.append(state[:at] + struct.pack(">I", length) + state[at + 4:])
    for message in share(wrong, 12, "damages of the primary interface"):
        shown = explain("--hex", message.hex())["messages"]
        size = struct.unpack_from(">I", message)[0]
        assert b"".join(check_message(one) for one in shown) == message
        if chain_end(message) == min(size, len(message)) and len(message) >= size:  # an extra byte behind all
            assert shown[0]["message"] == "ROBOT_STATE", shown[0]
            continue
        if shown[0]["message"] == "ROBOT_STATE":  # only its end lacks
            assert size > len(message) and chain_end(message) + 5 > len(message) or chain_end(message) > sizes[3] - 5, message.hex()
            continue
        remark = shown[0]["parts"][0]["remark"]
        for said in ("ROBOT_STATE of %d bytes (%d are here)" % (size, len(message)), "only to byte %d" % chain_end(message),
                     "--raw primary"):
            assert said in remark, (message.hex(), said, remark)
    message, = explain("--hex", (error[:13] + error[14:20]).hex())["messages"]
    assert message["protocol"] == "primary", message
    message, = explain("--hex", (error[:4] + b"\x14\x99" + error[5:]).hex())["messages"]
    remark = message["parts"][0]["remark"]
    assert "ROBOT_MESSAGE of 35 bytes (36 are here)" in remark and "--raw primary" in remark, message
    for at in range(5):  # of its head a byte lacks, or is too many
        lacks = state[:at] + state[at + 1:]
        more = state[:at] + b"\x11" + state[at:]
        for damaged, said in ((lacks, "a byte lacks"), (more, "a byte is too many")):
            message, = explain("--hex", damaged.hex())["messages"]
            remark = message["parts"][0]["remark"]
            assert message["message"] is None and "ROBOT_STATE" in remark, (at, said, message)
            assert "--raw primary" in remark and (at == 4 or said in remark), (at, said, remark)
            assert "of %d bytes" % len(state) in remark or at == 4, remark
    broken = bytearray(state)
    broken[5 + 3] += 1  # the chain does not end with the message
    message, = explain("--hex", broken.hex())["messages"]
    assert message["message"] is None and "ROBOT_STATE" in message["parts"][0]["remark"], message
    return broken


def check_primary_hex():
    """Messages of UR's primary interface, built here from its documentation: named, and never taken for another protocol."""
    mode = struct.pack(">Q9B3dB", 25643784000, 1, 1, 1, 0, 0, 1, 0, 7, 0, 1.0, 0.5, 1.0, 0)
    joints = b"".join(struct.pack(">3d4fB", q, q, 0.0, 1.5, 48.0, 30.0, 0.0, 253) for q in (0.1, -1.5, 2.0, 0.0, 1.0, -3.0))
    state = sub_package(0, mode) + sub_package(1, joints) + sub_package(2, bytes(32)) + sub_package(14, bytes(73))
    state = struct.pack(">IB", 5 + len(state), 16) + state
    assert len(mode) == 42 and len(joints) == 246
    message, = explain("--hex", state.hex())["messages"]
    assert check_message(message) == state and message["protocol"] == "primary", message
    parts = message["parts"]
    assert [part["value"] for part in parts if part["field"] == "sub-package length"] == [47, 251, 37, 78], parts
    assert [part["remark"] for part in parts if part["field"] == "sub-package type"] == [
        "RobotModeData", "JointData", "ToolData", "undocumented"], parts
    said_there = texts_of(message)
    assert (said_there["timestamp"], said_there["robot_mode"], said_there["speed_scaling"]) == (25643.784, 7, 0.5)
    cuts = share(range(5, len(state), 7), 12, "cuts of the primary interface")
    for cut in cuts:
        message, = explain("--hex", state[:cut].hex())["messages"]
        assert check_message(message) == state[:cut] and message["protocol"] == "primary", (cut, message)
    error = struct.pack(">IBQbBiiIII", 35, 20, 12345678000, -3, 6, 153, 2, 3, 1, 0)
    message, = explain("--hex", error.hex())["messages"]
    said_there = texts_of(message)
    assert (said_there["source"], said_there["robotMessageCode"], said_there["robotMessageArgument"]) == (-3, 153, 2), message
    both = explain("--hex", (state + error).hex())["messages"]
    assert b"".join(check_message(message) for message in both) == state + error and len(both) == 2
    broken = check_damaged_primary(state, error)
    forced, = explain("--raw", "realtime", "--hex", broken.hex())["messages"]
    assert forced["message"] == "realtime packet"
    return 5 + len(cuts)


def check_doubtful_hex():
    """Random bytes after a packet's length are not taken for a packet, with the reason; a real packet is."""
    dice, count = random.Random(11), 0
    for size in (756, 812, 1060, 1220, 44, 100):
        for _ in share(range(10), 5, "packets of noise"):
            noise = struct.pack(">I", size) + bytes(dice.getrandbits(8) for _ in range(size - 4))
            message, = explain("--hex", noise.hex())["messages"]
            assert message["protocol"] is None and "realtime packet of %d bytes" % size in message["parts"][0]["remark"]
            clocked = noise[:4] + struct.pack(">d", 12.5) + noise[12:]
            message, = explain("--hex", clocked.hex())["messages"]
            count += 2
            assert message["protocol"] is None and "cells" in message["parts"][0]["remark"], message
        cells = [12.5] + [dice.uniform(-3, 3) for _ in range((size - 4) // 8 - 1)]
        packet = struct.pack(">I%dd" % len(cells), size, *cells)
        message, = explain("--hex", packet.hex())["messages"]
        assert message["protocol"] == "realtime" and check_message(message) == packet
        count += 1
    for package in (b"\0\x05V\xff\x02", b"\0\x06S\x01\x02\x03"):
        message, = explain("--hex", package.hex())["messages"]
        assert message["protocol"] is None and "RTDE package" in message["parts"][0]["remark"], message
    return count + 2


def check_protocol_1_hex():
    """A set-up without a frequency and a reply without an id are protocol 1; with them, 2."""
    for names in (b"timestamp,actual_q", b"actual_q", b"payload"):
        for protocol, head in ((1, b""), (2, struct.pack(">d", 125.0))):
            package = struct.pack(">HB", 3 + len(head + names), 79) + head + names
            message, = explain("--hex", package.hex())["messages"]
            assert message["version"] == protocol and message["direction"] == "to-robot", message
            assert check_message(message) == package and texts_of(message)["name 1"] == names.split(b",")[0].decode()
    for protocol, head in ((1, b""), (2, b"\1")):
        package = struct.pack(">HB", 18 + len(head), 79) + head + b"DOUBLE,VECTOR6D"
        message, = explain("--hex", package.hex())["messages"]
        assert message["version"] == protocol and message["direction"] == "from-robot", message
        assert texts_of(message)["type 1"] == "DOUBLE", message
    return 8


def frame(text, key=None, first=0x81):
    head = bytes([first, len(text) | (128 if key else 0)]) + (key or b"")
    return head + bytes(byte ^ (key or bytes(4))[i % 4] for i, byte in enumerate(text))


def check_aubo_hex():
    """AUBO's bytes without a capture: lists, masked and compressed frames, a head."""
    texts = [b'[0,[1e-05,-0.5,"a\\"b\\u00e9",[],{}],{"k":{"l":[1,null]}},true]', b'[1,3.0999999046325684,4.1]',
             b'[100,{"chanel":0,"frequency":50.0,"segments":["R1_actual_q"],"to_server":false,"trigger":0}]']
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = (deflater.compress(texts[0]) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]
    head = b"GET / HTTP/1.1\r\nHost: 10.0.0.2:9013\r\nUpgrade: websocket\r\n\r\n"
    pieces = texts + [frame(texts[1]), frame(texts[2], b"\x19\0\xd5\xb2"), frame(packed, None, 0xc1), head]
    for piece in pieces:
        message, = explain("--raw", "aubo", "--hex", piece.hex())["messages"]
        assert check_message(message) == piece, piece
    assert check_message(explain("--hex", texts[0].hex())["messages"][0]) == texts[0]
    both = explain("--raw", "aubo", "--hex", (texts[0] + b"\n" + texts[1]).hex())["messages"]
    assert [check_message(message) for message in both] == [texts[0], b"\n" + texts[1]]
    for damaged in (b'[0,1,"x', b"[0,[1,2", b"[0,tru]", b"[0,01]", b'[0,{"a" 1}]', b"\x81\x7e\0", b"\xc1\x03abc", b"[0,1]]]"):
        messages = explain("--raw", "aubo", "--hex", damaged.hex())["messages"]
        shown = b"".join(bytes.fromhex(part["bytes"]) for message in messages for part in message["parts"])
        assert shown == damaged, (damaged, messages)
    return len(pieces) + 11


# ---- ICMP ---------------------------------------------------------------------------------------------------------------

ICMP = {(4, 3, 0): "network unreachable", (4, 3, 1): "host unreachable", (4, 3, 3): "port unreachable",
        (4, 3, 10): "host administratively prohibited", (4, 3, 13): "communication administratively prohibited",
        (4, 11, 0): "time to live exceeded in transit", (6, 1, 0): "no route to destination", (6, 1, 3): "address unreachable",
        (6, 1, 4): "port unreachable", (6, 3, 0): "hop limit exceeded in transit", (4, 3, 99): None, (6, 200, 0): None}
TYPES = {(4, 3): "destination unreachable", (4, 11): "time exceeded", (6, 1): "destination unreachable", (6, 3): "time exceeded"}
HOSTS = {4: (bytes([10, 0, 0, 1]), bytes([10, 0, 0, 9]), bytes([10, 0, 0, 2])),
         6: tuple(bytes([0xfd] + 14 * [0] + [last]) for last in (1, 9, 2))}


def ip_packet(version, source, target, protocol, payload, options=b""):
    if version == 4:
        return struct.pack(">BBHHHBBH4s4s", 0x45 + len(options) // 4, 0, 20 + len(options) + len(payload), 7, 0x4000, 63, protocol, 0x1234,
                           source, target) + options + payload
    return struct.pack(">IHBB16s16s", 6 << 28, len(payload), protocol, 63, source, target) + payload


def shown_address(raw):
    return ".".join(map(str, raw)) if len(raw) == 4 else ":".join("%x" % number for number in struct.unpack(">8H", raw))


def icmp_capture(path, link, packet, captured):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, link))
        file.write(struct.pack("<4I", 1769860800, 0, captured, len(packet)) + packet[:captured])


def check_icmp():
    """Of each error: its type and code by name, the ends of the packet that it quotes, and every byte once, however much is quoted,
    and wherever the snapshot length or a header's own length ends it."""
    checked = 0
    links = {1: bytes(6) + b"\2\0\0\0\0\1", 113: bytes(14), 101: b""}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "icmp.pcap")
        for (version, kind, code), name in ICMP.items():
            router, client, robot = HOSTS[version]
            tcp = struct.pack(">HHIIBBHHH", 40001, 30004, 1000, 0, 0x60, 2, 64240, 0, 0) + b"\2\4\5\xb4"
            quoted = ip_packet(version, client, robot, 6, tcp, b"\1\1\1\1" if version == 4 and code == 1 else b"")
            for kept in (len(quoted), len(quoted) - len(tcp) + 8, len(quoted) - len(tcp) + 4, 12, 0):
                icmp = struct.pack(">BBHI", kind, code, 0xbeef, 0) + quoted[:kept]
                whole = ip_packet(version, router, client, 1 if version == 4 else 58, icmp)
                for link, head in links.items():
                    head += {1: b"\x81\0\0\5" if code == 3 else b"", 113: b"", 101: b""}[link]
                    head += b"" if link == 101 else b"\x08\0" if version == 4 else b"\x86\xdd"
                    packet = head + whole + (bytes(9) if link == 1 else b"")
                    for captured in {len(packet), len(head) + 20 + 28, len(head) + 44}:
                        icmp_capture(path, link, packet, min(captured, len(packet)))
                        message, = explain("--packet", "1", path)["messages"]
                        raw = check_message(message)
                        assert raw == packet[:captured], (raw, packet)
                        parts = {part["field"]: part for part in message["parts"]}
                        assert message["message"] == ("ICMP" if version == 4 else "ICMPv6"), message
                        if captured < len(packet):
                            continue
                        prefix = message["message"] + " "
                        known = (version, kind) in TYPES
                        assert parts[prefix + "type"]["value"] == kind and parts[prefix + "code"]["value"] == code, parts
                        assert parts[prefix + "type"]["remark"] == TYPES.get((version, kind)), parts
                        assert parts[prefix + "code"]["remark"] == name, parts
                        if kept >= len(quoted) - len(tcp) + 4 and known:
                            assert parts["quoted source"]["value"] == shown_address(client), parts
                            assert parts["quoted destination"]["value"] == shown_address(robot), parts
                            assert (parts["quoted source port"]["value"], parts["quoted destination port"]["value"]) == (
                                40001, 30004), parts
                        assert ("quoted sequence number" in parts) == (known and kept >= len(quoted) - len(tcp) + 8), parts
                        assert not any(part["field"] and part["field"].startswith("quoted") for part in message["parts"]) or known
                        checked += 1
        rng = random.Random(2)
        for _ in range(300):
            damaged = bytearray(packet)
            for _ in range(rng.randrange(1, 8)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            captured = rng.randrange(1, len(damaged) + 1)
            icmp_capture(path, link, bytes(damaged), captured)
            done = subprocess.run([os.environ["ARMTAP"], "explain", "--json", "--packet", "1", path], capture_output=True, text=True)
            assert done.returncode in (0, 2), done.stderr
            for message in json.loads(done.stdout)["messages"]:
                assert check_message(message) == damaged[:captured], message
            checked += 1
    return checked


def main():
    passed = failed = 0
    checks = [(name, lambda name=name, count=count: check_capture(name, count))
              for name, count in share(CAPTURES.items(), 6, "beginnings of captures")]
    checks += [("all of " + name, lambda name=name: check_whole(os.path.join(os.environ.get("srcdir", "."), "captures", name)))
               for name in share(("both-streams.pcap.gz", "several-clients.pcapng", "rtde-v3.pcapng", "rtde-refused.pcap") + AUBO, 3,
                                 "whole captures")]
    checks += [("damaged %s, %d" % (name, seed), lambda name=name, seed=seed: check_damaged(name, 50, seed))
               for name, seed in share([(name, seed) for name in ("rtde-v1.pcap", "rtde-two-recipes.pcap", "both-streams.pcap.gz")
                                        for seed in (1, 2)], 3, "damaged captures")]
    checks += [("AUBO's, --hex", check_aubo_hex)] if AUBO else []
    for name, check in checks + [("--hex", check_hex), ("ICMP", check_icmp), ("the primary interface, --hex", check_primary_hex),
                                 ("what is doubtful, --hex", check_doubtful_hex),
                                 ("protocol 1, --hex", check_protocol_1_hex)]:
        try:
            print("%-32s %d messages are right" % (name, check()))
            passed += 1
        except AssertionError as difference:
            print("FAIL %s: %s" % (name, difference))
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
