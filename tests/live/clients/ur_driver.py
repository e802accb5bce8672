"""UrDriver of UR's client library: its RTDEClient, then 30001, from which a robot state with the ConfigurationData must come
within ten seconds. (Its own servers on 50001 to 50004, which the robot would call, are left out.)"""
import struct
import time

from common import Silent, must
import rtde_client
import wire

CONFIGURATION_WAIT, CONFIGURATION, KINEMATICS = 10.0, 6, 5


class Primary:
    """30001: the newest of each message and sub-package."""

    def __init__(self, robot):
        self.stream, self.messages = robot.connect("primary"), wire.Messages()
        self.version, self.parts = None, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.socket.close()

    def wait_for(self, what, truth, seconds):
        end = time.monotonic() + seconds
        while not truth():
            try:
                data = self.stream.read(end - time.monotonic())
            except Silent as wrong:
                raise Silent("30001: no %s within %g s" % (what, seconds)) from wrong
            for kind, payload in self.messages.feed(data):
                self.take(kind, payload)

    def take(self, kind, payload):
        if kind == wire.ROBOT_STATE:
            self.parts.update(wire.sub_packages(payload))
        elif kind == wire.VERSION_MESSAGE and payload[9] == 3:
            at = 11 + payload[10]
            self.version = struct.unpack_from(">BBII", payload, at)

    def wait_for_part(self, what, number, size, seconds):
        self.wait_for(what, lambda: number in self.parts, seconds)
        must("a %s of %d bytes" % (what, size), len(self.parts[number]) + 5 == size, len(self.parts[number]) + 5)

    def mode(self):
        """RobotModeData, its flags and numbers by name."""
        names = "timestamp connected enabled power emergency protective running paused mode control target scaling limit".split()
        return dict(zip(names, struct.unpack_from(">Q7?BBddd", self.parts[0])))


def come_up(robot, samples=20, outputs=rtde_client.OUTPUTS, inputs=rtde_client.INPUTS, kinematics=None):
    with rtde_client.Client(robot, outputs, inputs) as client:
        client.init()
        with Primary(robot) as primary:
            primary.wait_for_part("ConfigurationData", CONFIGURATION, 445, CONFIGURATION_WAIT)
            if kinematics:
                primary.wait_for_part("KinematicsInfo", KINEMATICS, 225, kinematics)
            must("S is accepted", client.start())
            return {"version": client.version, "rows": client.read(samples), "protocol": client.protocol}
