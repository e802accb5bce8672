#!/usr/bin/env python3
"""Raw dumps of what a client sent, of every protocol, made with struct, json and base64: their protocol and direction are
told without --raw and with it, `export --to-robot` has the values that were packed, `export` and `diagnose` send nobody
from one to the other, and what is no dump of a client stays refused. tests/client-dump-check.py [SEED]."""
import base64
import csv
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish, is_built_in

ARMTAP = os.environ.get("ARMTAP", "./armtap")
INPUTS = {"input_int_register_24": "i", "input_double_register_30": "d", "speed_slider_mask": "I", "speed_slider_fraction": "d",
          "input_bit_registers0_to_31": "I", "input_int_register_40": "i", "standard_digital_output": "B",
          "standard_digital_output_mask": "B"}
COMMANDS = ["power on", "brake release", "load test.urp", "play", "stop", "pause", "robotmode", "get loaded program",
            "popup hello world", "close popup", "safetystatus", "PolyscopeVersion", "programState", "unlock protective stop"]
STATEMENTS = ["  movej([0,-1.57,0,-1.57,0,0], a=1.4, v=1.05)", "  sleep(0.5)", "  set_digital_out(0, True)", "  x = 3",
              "  movel(p[0.1,0.2,0.3,0,0,0])", "  textmsg(\"a\")"]


def armtap(*arguments):
    return subprocess.run([ARMTAP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                          check=False)


def package(kind, body=b""):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def rtde(rng, protocol, recipes, count, has_id=True):
    """A session of a client as it is sent, and the rows of its data."""
    sent = package("V", struct.pack(">H", protocol)) if protocol > 1 or rng.random() < 0.5 else b""
    if rng.random() < 0.5:
        sent += package("v")
    sent += package("O", (struct.pack(">d", 125.0) if protocol > 1 else b"") + b"timestamp,actual_q")
    for names in recipes:
        sent += package("I", ",".join(names).encode())
    sent += package("S")
    rows = []
    for _ in range(count if recipes else 0):
        number = rng.randrange(len(recipes))
        values = [rng.uniform(-9, 9) if INPUTS[name] == "d" else rng.randrange(200) for name in recipes[number]]
        body = struct.pack(">" + "".join(INPUTS[name] for name in recipes[number]), *values)
        sent += package("U", (bytes([number + 1]) if has_id else b"") + body)
        rows.append(dict(zip(recipes[number], values)))
    if rng.random() < 0.5:
        sent += package("P")
    return sent, rows


def rtde_kinds(rng):
    for protocol in (1, 2, 3):
        yield "rtde", *rtde(rng, protocol, [], 0)
        names = list(INPUTS)
        rng.shuffle(names)
        yield "rtde", *rtde(rng, protocol, [names[:3]], 0)
        yield "rtde", *rtde(rng, protocol, [names[:rng.randrange(1, 6)]], rng.randrange(1, 60))
        cut = rng.randrange(1, 5)
        yield "rtde", *rtde(rng, protocol, [names[:cut], names[cut:]], 40)
    yield "rtde", *rtde(rng, 1, [["input_int_register_24", "input_double_register_30"]], 30, has_id=False)


def commands(rng, mode):
    target, rows, sent = [rng.randrange(-3000000, 3000000) for _ in range(6)], [], b""
    for _ in range(rng.randrange(5, 3000)):
        target = [word + rng.randrange(-300, 300) for word in target]
        sent += struct.pack(">8i", 20, *target, mode)
        name = {1: "command_q", 2: "command_qd", 4: "command_tcp_speed", 5: "command_tcp_pose"}[mode]
        rows.append({"command_timeout": 20, "command_mode": mode,
                     **{"%s_%d" % (name, i): word / 1e6 for i, word in enumerate(target)}})
    return "external_control", sent, rows


def points(rng):
    sent, rows = b"", []
    for _ in range(rng.randrange(5, 40)):
        target = [rng.randrange(-3000000, 3000000) for _ in range(6)]
        sent += struct.pack(">21i", *target, *[0] * 6, 1050000, 1400000, 0, 0, 0, 0, 500, 0, 0)
        rows.append({"point_q_%d" % i: word / 1e6 for i, word in enumerate(target)})
    return "external_control", sent, rows


def lines(rng, protocol, chosen, end):
    return protocol, "".join(line + end for line in chosen).encode(), [{"text": line} for line in chosen]


def masked(rng, text):
    mask, length = bytes(rng.randrange(256) for _ in range(4)), len(text)
    head = bytes([0x81, 0x80 | length]) if length < 126 else bytes([0x81, 0xFE, length >> 8, length & 255])
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(text))


def subscription(channel, names, to_server=False):
    return [100, {"chanel": channel, "frequency": 50.0, "segments": names, "to_server": to_server, "trigger": 0}]


def aubo_kinds(rng):
    asked = [subscription(0, ["timestamp"]), subscription(1, ["R1_actual_q", "R1_actual_TCP_pose"])]
    texts = [json.dumps(one, separators=(",", ":")).encode() for one in asked]
    key = base64.b64encode(bytes(rng.randrange(256) for _ in range(16)))
    head = b"GET / HTTP/1.1\r\nHost: 10.0.0.2:9013\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + \
        key + b"\r\nSec-WebSocket-Version: 13\r\n\r\n"
    yield "aubo", b"".join(texts), []
    yield "aubo", texts[0], []
    yield "aubo", head + b"".join(masked(rng, text) for text in texts), []
    values = [rng.randrange(1000) for _ in range(20)]
    yield ("aubo", json.dumps(subscription(1, ["input_int_registers_1"], True)).encode() +
           b"".join(json.dumps([1, value]).encode() for value in values),
           [{"input_int_registers_1": value} for value in values])


def kinds(rng):
    yield from rtde_kinds(rng)
    for mode in (1, 2, 4, 5):
        yield commands(rng, mode)
    yield points(rng)
    yield lines(rng, "dashboard", rng.sample(COMMANDS, 6), "\n")
    yield lines(rng, "dashboard", rng.sample(COMMANDS, 1), "\r\n")
    yield lines(rng, "realtime", ["def prog():"] + rng.sample(STATEMENTS, 4) + ["end"], "\n")
    yield lines(rng, "realtime", [line.strip() for line in rng.sample(STATEMENTS[:4], 2)], "\n")
    if is_built_in("AUBO"):
        yield from aubo_kinds(rng)


def same(cell, value):
    return cell == value if isinstance(value, str) else cell != "" and float(cell) == value


def check_rows(what, path, arguments, rows):
    done = armtap("export", "--to-robot", *arguments, path)
    expect(what + ": export --to-robot: status", done.returncode == 0, done.stderr)
    written = list(csv.DictReader(io.StringIO(done.stdout)))
    expect(what + ": rows", len(written) == len(rows), "%d of %d: %s" % (len(written), len(rows), done.stderr))
    for row, wanted in zip(written, rows):
        wrong = [name for name in wanted if not same(row.get(name, ""), wanted[name])]
        if wrong:
            expect(what + ": values", False, "%s: %s, not %s" % (wrong, row, wanted))
            break


def check(what, path, protocol, rows, arguments):
    info = armtap("info", "--json", *arguments, path)
    streams = json.loads(info.stdout)["streams"]
    expect(what + ": info: status", info.returncode == 0, info.stderr)
    expect(what + ": protocol", [one["protocol"] for one in streams] == [protocol], streams)
    expect(what + ": to the robot", [(one["records"], one["records_to_robot"]) for one in streams] == [(0, len(rows))], streams)
    expect(what + ": nothing skipped", streams and streams[0]["bytes_skipped"] == 0, streams)
    check_rows(what, path, arguments, rows)
    export = armtap("export", *arguments, path)
    expect(what + ": export: status and no rows", export.returncode == 0 and export.stdout.count("\n") == 1, export.stderr)
    expect(what + ": export says how to get them", ("export --to-robot" in export.stderr) == bool(rows), export.stderr)
    expect(what + ": export asks for no protocol", "name its protocol" not in export.stderr, export.stderr)
    diagnose = armtap("diagnose", *arguments, path)
    expect(what + ": diagnose: status", diagnose.returncode == 0, diagnose.stdout)


def check_refused(folder, rng):
    """Other files stay what they are: no telemetry."""
    others = {"text": b"Dear all,\nplease stop the robot.\nplay\nThanks\n", "zeros": bytes(4096),
              "words": struct.pack(">400i", *[rng.randrange(-2**31, 2**31) for _ in range(400)]),
              "noise": bytes(rng.randrange(256) for _ in range(5000)), "empty": b"", "csv": b"time,q_0\n1.0,2.0\n" * 50,
              "json": b'{"a": [1, 2, 3]}\n' * 20, "floats": struct.pack("<500d", *[rng.uniform(-3, 3) for _ in range(500)])}
    for name, content in others.items():
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(content)
        done = armtap("info", path)
        expect(name + " is no telemetry", done.returncode == 2 and "no telemetry" in done.stderr, done.stdout + done.stderr)


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    with tempfile.TemporaryDirectory() as folder:
        for number, (protocol, sent, rows) in enumerate(kinds(rng)):
            path = os.path.join(folder, "dump%d" % number)
            with open(path, "wb") as file:
                file.write(sent)
            for arguments in ([], ["--raw", protocol]):
                check("%s %d %s" % (protocol, number, " ".join(arguments)), path, protocol, rows, arguments)
        check_refused(folder, rng)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
