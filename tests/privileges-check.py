#!/usr/bin/env python3
"""As root, on the loopback interface: once it is open the program is root no more, by what the kernel says of it; outputs
belong to the user that is left; packets, the counter of drops and Ctrl-C still work."""
import os
import signal
import subprocess
import sys
import tempfile
import time

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 20
passed = failed = 0


def expect(what, truth, *shown):
    global passed, failed
    passed += bool(truth)
    failed += not truth
    if not truth:
        print("FAIL", what, *shown)


def state(program):
    with open("/proc/%d/status" % program.pid) as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def run(environment, user, group, *command):
    """Runs until Ctrl-C; what the kernel says meanwhile."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("SUDO_")}
    program = subprocess.Popen([ARMTAP, *command, "-i", "lo", "--filter", "tcp port 9"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**variables, **environment})
    end = time.monotonic() + PATIENCE
    while program.poll() is None and state(program).get("NoNewPrivs") != "1" and time.monotonic() < end:
        time.sleep(0.05)
    if program.poll() is not None:
        message = program.stderr.read().decode()
        expect(("runs", command), False, message)
        return None
    time.sleep(0.3)
    seen = state(program)
    program.send_signal(signal.SIGINT)
    _, message = program.communicate(timeout=PATIENCE)
    expect((environment, "user"), seen["Uid"].split() == [str(user)] * 4, seen["Uid"])
    expect((environment, "group"), seen["Gid"].split() == [str(group)] * 4, seen["Gid"])
    expect((environment, "groups"), "0" not in seen["Groups"].split() and str(group) in seen["Groups"].split(), seen["Groups"])
    for name in "CapInh", "CapPrm", "CapEff", "CapAmb":
        expect((environment, name), int(seen[name], 16) == 0, seen[name])
    expect((environment, "no new privileges"), seen["NoNewPrivs"] == "1", seen["NoNewPrivs"])
    expect((environment, "ends"), program.returncode == 2 and "no telemetry" in message.decode(), program.returncode, message)
    return program


if os.getuid() != 0 or not os.path.exists("/sys/class/net/lo"):
    print("skipped: needs root, and Linux's loopback interface")
    sys.exit(77)
probe = subprocess.run(["timeout", "1", ARMTAP, "info", "-i", "lo", "--filter", "tcp port 9"], capture_output=True)
if b"cannot capture" in probe.stderr or b"more rights" in probe.stderr:
    print("skipped:", probe.stderr.decode())
    sys.exit(77)
run({}, 65534, 65534, "diagnose")
run({"SUDO_UID": "12345", "SUDO_GID": "23456"}, 12345, 23456, "diagnose")
run({"SUDO_UID": "0", "SUDO_GID": "0"}, 65534, 65534, "info")
run({"SUDO_UID": "x1", "SUDO_GID": "5"}, 65534, 65534, "info")
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    os.mkdir(folder + "/mine")
    os.chown(folder + "/mine", 12345, 23456)
    environment = {**os.environ, "SUDO_UID": "12345", "SUDO_GID": "23456"}
    for where, works in ("mine", True), ("", False):
        out = os.path.join(folder, where, "x.csv")
        program = subprocess.Popen([ARMTAP, "export", "-i", "lo", "--filter", "tcp port 9", "-o", out], stderr=subprocess.PIPE,
                                   env=environment)
        end, made = time.monotonic() + PATIENCE, []
        while program.poll() is None and not made and time.monotonic() < end:
            made = [name for name in os.listdir(os.path.dirname(out)) if name.startswith(".x")]
            time.sleep(0.05)
        if works:
            expect("an output of the user's", made and os.stat(os.path.join(folder, where, made[0])).st_uid == 12345, made)
            program.send_signal(signal.SIGINT)
        message = program.communicate(timeout=PATIENCE)[1].decode()
        expect("nothing of root's", works or (program.returncode == 2 and "Permission denied" in message), program.returncode, message)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
