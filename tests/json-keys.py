#!/usr/bin/env python3
"""Every key of every --json is on the page of its command. Python parses the JSON of every kind that
commands print."""
import json
import os
import re
import subprocess
import sys

CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")
ARMTAP = os.environ.get("ARMTAP", "./armtap")
PAGE = os.path.join(os.environ.get("builddir", "."), "generated", "armtap-%s.1")
COMMANDS = [["info", "cb3-1060.pcap.gz"], ["info", "rtde-refused.pcap"], ["info", "not-connected.pcap"], ["compare", "both-streams.pcap.gz"],
            ["stats", "rtde-stop.pcap"], ["stats", "rtde-v1.pcap", "rtde-v2.pcapng.gz"],
            ["diagnose", "rtde-stop.pcap"], ["diagnose", "--list"], ["fields"], ["fields", "--columns", "1-20"],
            ["fields", "--enum", "robot_mode"], ["fields", "--enum", "safety_status_bits"], ["fields", "--error", "C204"],
            ["recipe", "--layout", "1220"], ["infer", "--no-handshake", "rtde-v1.pcap"],
            ["recipe", "--list"], ["recipe", "--to-robot", "--from", "rtde-v1.pcap"],
            ["explain", "rtde-v3.pcapng", "--packet", "35"], ["explain", "cb2-812.pcap.gz", "--packet", "4"],
            ["explain", "rtde-v1.pcap", "rtde-stop.pcap", "--packet", "4", "--file", "1"],
            ["explain", "--hex", "0005 7a 0102"]]


def named_for(command):
    """What stands in quotes on the page of a command."""
    with open(PAGE % command, encoding="utf-8") as file:
        return set(re.findall(r"\bQl (\w+)", file.read()))


def keys_of(value):
    """All keys, except in objects whose keys are ids of notes."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value)) if value else set()
    if not isinstance(value, dict) or any("." in key for key in value):
        return set()
    return set(value).union(*map(keys_of, value.values()))


def main():
    failed = 0
    for command in COMMANDS:
        words = [os.path.join(CAPTURES, word) if ".pcap" in word else word for word in command]
        run = subprocess.run([ARMTAP, *words, "--json"], capture_output=True, text=True)
        keys = keys_of(json.loads(run.stdout))
        missing = keys - named_for(command[0])
        if not keys or missing:
            print("FAIL %s: not on its page: %s" % (" ".join(command), ", ".join(sorted(missing)) or "no key at all"))
            failed += 1
    print("%d passed, %d failed" % (len(COMMANDS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
