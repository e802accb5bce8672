#!/usr/bin/env python3
"""A signal ends each command that looks up a robot's name, whose server does not answer. In a network namespace of its own,
with a mount of its own; skipped (status 77) where the system allows none."""
import os
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from namespace import enter, skip  # noqa: E402
from tally import endings, expect, finish  # noqa: E402

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 20
NOT_AT_ONCE = 2.0  # the resolver gives up after 5 s, and asks again
SERVER = "127.0.0.61"
NAME = "robot.example"
COMMANDS = (["record", "-o", "out.pcapng", "rtde://" + NAME], ["proxy", "-o", "out.pcapng", NAME],
            ["serve", "--layout", "1108", "rtde://" + NAME], ["info", "rtde://" + NAME])


def ends(server, configuration, command, how):
    mounted = "mount --bind %s /etc/resolv.conf && exec \"$@\"" % configuration
    program = subprocess.Popen(["unshare", "-m", "sh", "-c", mounted, "sh", ARMTAP, *command], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        server.recv(512)  # it asks
    except socket.timeout:
        program.kill()
        skip("the name server is not asked: " + program.communicate()[1])
    program.send_signal(how)
    try:
        program.wait(NOT_AT_ONCE)
        ended = True
    except subprocess.TimeoutExpired:
        program.kill()
        ended = False
    said = program.communicate(timeout=PATIENCE)[1]
    expect("%s ends while %s looks up a name" % (how.name, command[0]), ended, said)


def main():
    if subprocess.run(["ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode:
        skip("no loopback in a namespace")
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        skip("unshare -m: no mount of its own")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server, tempfile.NamedTemporaryFile("w") as configuration:
        server.settimeout(PATIENCE)
        server.bind((SERVER, 53))
        configuration.write("nameserver %s\noptions timeout:5 attempts:3\n" % SERVER)
        configuration.flush()
        for command in COMMANDS:
            for how in endings():
                while drained(server):
                    pass
                ends(server, configuration.name, command, how)
    return finish()


def drained(server):
    """A question that came late, of the program before."""
    server.setblocking(False)
    try:
        return server.recv(512)
    except BlockingIOError:
        server.settimeout(PATIENCE)
        return b""


enter()
sys.exit(main())
