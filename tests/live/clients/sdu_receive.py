"""RTDEReceiveInterface of SDU's ur_rtde 1.5.8: 30004: V 2, v, v, O with a comma at its end, S. Each reply is the very next package,
whatever that is, without a limit of time; it decodes by its own table; 2.5 s without data end it for good."""
import struct

from common import Failed, Rtde, decode, must, own_recipe
import common

SILENCE = 2.5
ALWAYS = ("timestamp target_q target_qd target_qdd target_current target_moment actual_q actual_qd actual_current "
          "joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force target_TCP_pose target_TCP_speed "
          "actual_digital_input_bits joint_temperatures actual_execution_time robot_mode joint_mode safety_mode "
          "actual_tool_accelerometer speed_scaling target_speed_fraction actual_momentum actual_main_voltage "
          "actual_robot_voltage actual_robot_current actual_joint_voltage actual_digital_output_bits runtime_state "
          "standard_analog_input0 standard_analog_input1 standard_analog_output0 standard_analog_output1 robot_status_bits "
          "safety_status_bits").split()


class Sdu:
    """What its three interfaces share."""

    def __init__(self, robot):
        self.rtde = Rtde(robot)
        self.ask("V", struct.pack(">H", 2))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.rtde.close()

    def ask(self, kind, payload=b""):
        self.rtde.send(kind, payload)
        found, answer = self.rtde.next()
        return answer if found == kind else None

    def version(self):
        answer = self.ask("v")
        return struct.unpack_from(">4I", answer) if answer else (0, 0, 0, 0)

    def outputs(self, names, frequency):
        answer = self.ask("O", struct.pack(">d", frequency) + "".join(name + "," for name in names).encode())
        must("every variable is found", answer is None or b"NOT_FOUND" not in answer, answer)

    def inputs(self, *names):
        """The id that the robot gave; the library looks at its types alone."""
        answer = self.ask("I", "".join(name + "," for name in names).encode())
        must("no input is in use", answer is None or b"IN_USE" not in answer, names, answer)
        return answer[0] if answer else None

    def start(self):
        """Whether the next package was a good reply; the reading interface does not care."""
        return self.ask("S") == b"\1"

    def row(self, recipe, seconds=SILENCE):
        while True:
            try:
                kind, payload = self.rtde.next(seconds)
            except common.Silent as wrong:
                raise Failed("no data for %g s: dead for good" % common.limit(seconds)) from wrong
            if kind == "U":
                return decode(recipe, payload)


def variables(version):
    major, minor, bugfix = version[:3]
    found = list(ALWAYS)
    if major == 5 and minor >= 9:
        found.append("ft_raw_wrench")
    if major == 3 and minor >= 11 or major == 5 and minor >= 5 and bugfix >= 1:
        found += ["payload", "payload_cog"]
    if major == 3 and minor >= 15 or major == 5 and minor >= 11:
        found.append("payload_inertia")
    if major >= 3 and minor >= 4:
        found += ["output_int_register_%d" % i for i in (2, *range(12, 20))]
        found += ["output_double_register_%d" % i for i in range(12, 20)]
    return found


def come_up(robot, samples=20, names=None):
    with Sdu(robot) as sdu:
        version = sdu.version()
        frequency = 500.0 if version[0] > 3 else 125.0
        if names is None:
            version = sdu.version()
            names = variables(version)
        sdu.outputs(names, frequency)
        recipe = own_recipe(names)
        sdu.start()
        first = sdu.row(recipe, None)
        return {"version": version, "frequency": frequency, "rows": [first] + [sdu.row(recipe) for _ in range(samples - 1)]}
