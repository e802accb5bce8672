#!/usr/bin/env python3
"""armtap explain --json, packet by packet, against the packets' own bytes: every byte of every message is in one part, in
order; the messages that end in a packet are what its TCP payload ends; numbers are what struct reads there."""
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

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("cross", os.path.join(HERE, "cross-check.py"))
cross = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(cross)
CAPTURES = {"cb2-812.pcap.gz": 9, "cb3-1060.pcap.gz": 12, "e-series-1220.pcapng.gz": 6, "rtde-v1.pcap": 16,
            "rtde-v2.pcapng.gz": 26, "rtde-v3.pcapng": 50, "rtde-refused.pcap": 40, "rtde-two-recipes.pcap": 60}


def explain(*arguments):
    done = subprocess.run([os.environ["ARMTAP"], "explain", "--json", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return json.loads(done.stdout)


def check_number(message, part, raw):
    """A number must be one of the readings that its bytes have; UR's cells are doubles, whole numbers too."""
    value = part["value"]
    readings = [int.from_bytes(raw, "big"), int.from_bytes(raw, "big", signed=True)]
    if len(raw) == 8:
        cell = struct.unpack(">d", raw)[0]
        if isinstance(value, float):
            assert value == cell, (part, cell)
            return
        readings += [int(cell)] if message["protocol"] == "realtime" and cell == cell else []
    assert value in readings, (part, readings)
    if part["column"] is not None:
        assert part["offset"] == 4 + 8 * (part["column"] - 1), part


def check_message(message):
    content = b""
    for part in message["parts"]:
        raw = bytes.fromhex(part["bytes"])
        assert part["offset"] == len(content) and part["length"] == len(raw) > 0, part
        content += raw
        if isinstance(part["value"], str):
            assert part["value"].encode() in raw or "\ufffd" in part["value"], part
        elif isinstance(part["value"], bool):
            assert part["value"] == (raw != b"\0"), part
        elif part["value"] is not None:
            check_number(message, part, raw)
    assert message["length"] == len(content), message["length"]
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
    shown, messages = collections.Counter(), 0
    for number in range(1, info["packets"] + 1):
        for message in explain(path, "--packet", str(number))["messages"]:
            shown[message["stream"]] += len(check_message(message))
            messages += 1
    for stream in info["streams"]:
        told = stream["bytes_decoded"] + stream["bytes_skipped"]
        assert shown[stream["stream"]] == told, (path, stream["stream"], shown, told)
    return messages


def check_damaged(name, count, seed):
    """Packets left out, bits turned over, lengths overwritten."""
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
    """The same bytes by hand, in every way to write them."""
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


def main():
    passed = failed = 0
    checks = [(name, lambda name=name, count=count: check_capture(name, count)) for name, count in CAPTURES.items()]
    checks += [("all of " + name, lambda name=name: check_whole(os.path.join(os.environ.get("srcdir", "."), "captures", name)))
               for name in ("both-streams.pcap.gz", "several-clients.pcapng", "rtde-v3.pcapng", "rtde-refused.pcap")]
    checks += [("damaged %s, %d" % (name, seed), lambda name=name, seed=seed: check_damaged(name, 50, seed))
               for name in ("rtde-v1.pcap", "rtde-two-recipes.pcap", "both-streams.pcap.gz") for seed in (1, 2)]
    for name, check in checks + [("--hex", check_hex)]:
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
