"""ExampleRobotWrapper of UR's client library: 30001 for the version message (2 s) and RobotModeData (5 s), the dashboard's banner
and version, `stop program` and `set robotmode run` on 30001 with their effects in RobotModeData (2 s and 30 s), then a UrDriver."""
import re

from common import must
import ur_driver

RUNNING = 7


def come_up(robot, samples=20):
    with ur_driver.Primary(robot) as primary:
        primary.wait_for("version message", lambda: primary.version, 2.0)
        must("a controller with a dashboard", primary.version[0] < 10, primary.version)
        with robot.connect("dashboard") as dashboard:
            banner = dashboard.line(10.0)
            version = re.search(r" (\d+\.\d+\.\d+(\.\d+)?) \(", dashboard.ask("PolyscopeVersion", 1.0))
            must("a version", version)
            primary.wait_for("RobotModeData", lambda: 0 in primary.parts, 5.0)
            if primary.mode()["protective"]:
                primary.stream.send(b"set unlock protective stop\n")
                primary.wait_for("release", lambda: not primary.mode()["protective"], 5.0)
            primary.stream.send(b"stop program\n")
            primary.wait_for("stop of the program", lambda: not primary.mode()["running"] and not primary.mode()["paused"], 2.0)
            primary.stream.send(b"set robotmode run\n")
            primary.wait_for("robot mode RUNNING", lambda: primary.mode()["mode"] == RUNNING, 30.0)
            found = ur_driver.come_up(robot, samples)
            return {**found, "banner": banner, "polyscope": version.group(1)}
