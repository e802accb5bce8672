#!/usr/bin/env python3
"""A cable is cut: armtap says what it knows, that the robot answers no more, and blames neither side. In a network namespace
of its own, whose loopback device goes down; skipped (status 77) where the system allows none."""
import json
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
PATIENCE = 60  # s: keep-alives take eleven


def loopback(state):
    return subprocess.run(["ip", "link", "set", "lo", state], capture_output=True).returncode == 0


def lines_until(program, wanted):
    """What it says up to the line that has `wanted`, or to its end."""
    said = []
    for line in program.stderr:
        said.append(line)
        if wanted in line:
            break
    return said


def start(*arguments, **options):
    return subprocess.Popen([ARMTAP, *arguments], stderr=subprocess.PIPE, text=True, preexec_fn=ends_with_us(), **options)


def check_findings(what, printed):
    found = {finding["id"]: finding for finding in json.loads(printed)["findings"]}
    expect(what + ": nobody is said to have closed it", "tcp.closed" not in found, found)
    expect(what + ": how it ended", found.get("tcp.reset", {"args": {}})["args"].get("doubt") == "perhaps-given-up", found)
    expect(what + ": the silence", found.get("silence", {"args": {}})["args"].get("reason") == "reset", found)
    incidents = json.loads(printed)["incidents"]
    expect(what + ": on no side", incidents and all(incident["side"] == "unclear" for incident in incidents), printed)


def cut():
    if not loopback("up"):
        skip("no loopback in a namespace")
    with Controller(roles={"rtde": 0}) as controller:
        url = "rtde://%s:%d" % (controller.host, controller.port["rtde"])
        programs = (start("diagnose", "--json", url, stdout=subprocess.PIPE), start("record", "-o", "cut.pcapng", url))
        controller.wait_for(lambda: controller.counts["rtde", "records"] >= 500, PATIENCE)
        loopback("down")
        begun = time.monotonic()
        for program in programs:
            said = lines_until(program, "stopped answering")
            expect("says that the robot is gone", "the robot stopped answering" in said[-1], said)
        expect("in time", time.monotonic() - begun < PATIENCE)
        for program in programs:
            program.send_signal(signal.SIGINT)
        live = programs[0].communicate(timeout=PATIENCE)[0]
        programs[1].communicate(timeout=PATIENCE)
    check_findings("live", live)
    recorded = subprocess.run([ARMTAP, "diagnose", "--json", "cut.pcapng"], capture_output=True, text=True)
    check_findings("recorded", recorded.stdout)


if is_left_to_linux("a network of its own, in which Wine does not start"):
    sys.exit(77)
enter()
side_by_side(cut)
sys.exit(finish())
