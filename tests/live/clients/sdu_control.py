"""RTDEControlInterface of ur_rtde: 29999: banner, `PolyscopeVersion`, again with `get serial number` (5.6 and later, digits alone)
and with `is in remote control` (unless the host is localhost); 30004: V 2, v; 30003: connects; 30004: v, O, I twenty times,
S; then it uploads its program of 40 kB to 30003 and wants runtime_state 2 within 5 s. A program that runs already must
answer a command within 3 s, and the dashboard `Stopped` to `stop`."""
import re
import time

from common import must, own_recipe
from sdu_receive import Sdu

STOPPED, PLAYING, READY = 1, 2, 1
STOP_SCRIPT = 255
LOCAL = ("localhost", "127.0.0.1", "192.168.56.101")
OUTPUTS = ["robot_status_bits", "safety_status_bits", "runtime_state", *("output_int_register_%d" % i for i in range(3)),
           *("output_double_register_%d" % i for i in range(6))]
# of each of its input recipes: how many integer and double registers, and whether more follows
RECIPES = ((0, 8, [1]), (0, 11), (7, 18), (0, 0), (0, 9), (0, 6), (0, 4), (0, 1), (1, 0), (0, 14), (0, 0), (0, 12), (0, 8), (0, 14),
           (1, 0), (0, 13), (6, 6), (0, 0, "external_force_torque"), (1, 7), (0, 1, [1]))
PROGRAM = ("def rtde_control():\n# HEADER_BEGIN\n" + "  # %s\n" % ("x" * 72) * 512 + "end\n").encode()


def names_of(integers, doubles, more=()):
    tail = [more] if isinstance(more, str) else ["input_int_register_%d" % i for i in more]
    return ["input_int_register_%d" % i for i in range(integers + 1)] + \
        ["input_double_register_%d" % i for i in range(doubles)] + tail


def polyscope(dashboard):
    found = re.search(r"\d+.\d+.\d+.\d+", dashboard.ask("PolyscopeVersion"))
    must("a version", found)
    return [int(one) for one in re.split(r"\D+", found.group(0))]


def ask_dashboard(robot, dashboard):
    must("a banner", dashboard.line())
    version, serial = polyscope(dashboard), None
    if version[0] == 5 and version[1] > 5:
        polyscope(dashboard)
        serial = dashboard.ask("get serial number")
        must("a serial number of digits", serial.isdigit(), serial)
        if robot.host not in LOCAL:
            polyscope(dashboard)
            must("remote control", "true" in dashboard.ask("is in remote control"))
    return version, serial


def stop_running(sdu, recipe, row, dashboard, command):
    """A program that runs: stopScript(), and the dashboard's stop."""
    end = time.monotonic() + 3.0
    while row["output_int_register_0"] != (READY,) and time.monotonic() < end:
        row = sdu.row(recipe)
    command(STOP_SCRIPT if row["output_int_register_0"] == (READY,) else 0)
    answer = dashboard.ask("stop")
    must("«Stopped» of the dashboard", answer == "Stopped", answer)
    time.sleep(0.1)


def come_up(robot, samples=20):
    with robot.connect("dashboard") as dashboard:
        version, serial = ask_dashboard(robot, dashboard)
        with Sdu(robot) as sdu:
            frequency = 500.0 if sdu.version()[0] > 3 else 125.0
            with robot.connect("realtime") as scripts:
                sdu.version()
                sdu.outputs(OUTPUTS, frequency)
                ids = [sdu.inputs(*names_of(*recipe)) for recipe in RECIPES]
                must("ids in order", ids == list(range(1, len(RECIPES) + 1)), ids)
                must("S is accepted", sdu.start())
                recipe, clear = own_recipe(OUTPUTS), own_recipe(["input_int_register_0"])

                def command(number):
                    sdu.rtde.send("U", b"\4" + clear.pack({"input_int_register_0": (number,)}))

                row = sdu.row(recipe, None)
                command(0)
                if row["runtime_state"] == (PLAYING,):
                    stop_running(sdu, recipe, row, dashboard, command)
                scripts.send(PROGRAM)
                end = time.monotonic() + 5.0
                row = sdu.row(recipe)
                while row["runtime_state"] != (PLAYING,):
                    must("runtime_state 2 within 5 s of the upload", time.monotonic() < end, row["runtime_state"])
                    row = sdu.row(recipe)
                return {"version": version, "serial": serial, "ids": ids, "rows": [row] + [sdu.row(recipe) for _ in range(samples)]}
