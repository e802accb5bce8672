#!/usr/bin/env python3
"""Every key of every --json is in the manual, in the section of its command. Python parses the JSON of every kind that
commands print."""
import json
import os
import re
import subprocess
import sys

CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")
ARMTAP = os.environ.get("ARMTAP", "./armtap")
MANUAL = os.path.join(os.environ.get("builddir", "."), "tools", "armtap.1")
COMMANDS = [["info", "cb3-1060.pcap.gz"], ["info", "rtde-refused.pcap"], ["info", "not-connected.pcap"], ["compare", "both-streams.pcap.gz"],
            ["stats", "rtde-stop.pcap"], ["stats", "rtde-v1.pcap", "rtde-v2.pcapng.gz"],
            ["diagnose", "rtde-stop.pcap"], ["diagnose", "--list"], ["fields"], ["fields", "--columns", "1-20"],
            ["fields", "--enum", "robot_mode"], ["fields", "--enum", "safety_status_bits"], ["fields", "--error", "C204"],
            ["recipe", "--layout", "1220"], ["infer", "--no-handshake", "rtde-v1.pcap"],
            ["recipe", "--list"], ["recipe", "--to-robot", "--from", "rtde-v1.pcap"],
            ["explain", "rtde-v3.pcapng", "--packet", "35"], ["explain", "cb2-812.pcap.gz", "--packet", "4"],
            ["explain", "rtde-v1.pcap", "rtde-stop.pcap", "--packet", "4", "--file", "1"],
            ["explain", "--hex", "0005 7a 0102"]]


def sections():
    with open(MANUAL, encoding="utf-8") as file:
        parts = re.split(r"^\.S[sh] (.*)$", file.read(), flags=re.MULTILINE)
    return {name: set(re.findall(r"\bQl (\w+)", text)) for name, text in zip(parts[1::2], parts[2::2])}


def keys_of(value):
    """All keys, except in objects whose keys are ids of notes."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value)) if value else set()
    if not isinstance(value, dict) or any("." in key for key in value):
        return set()
    return set(value).union(*map(keys_of, value.values()))


def main():
    manual = sections()
    failed = 0
    for command in COMMANDS:
        words = [os.path.join(CAPTURES, word) if ".pcap" in word else word for word in command]
        run = subprocess.run([ARMTAP, *words, "--json"], capture_output=True, text=True)
        keys = keys_of(json.loads(run.stdout))
        missing = keys - manual[command[0]]
        if not keys or missing:
            print("FAIL %s: not in the manual: %s" % (" ".join(command), ", ".join(sorted(missing)) or "no key at all"))
            failed += 1
    print("%d passed, %d failed" % (len(COMMANDS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
