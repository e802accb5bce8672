"""Messages of External Control's driver, packed by Python's struct from the facts, with what they say; and the captures
that hold them."""
import struct

ROBOT, PC, EPOCH = bytes([10, 0, 0, 7]), bytes([10, 0, 0, 9]), 1769860800
REVERSE, SENDER, TRAJECTORY, COMMANDS = 50001, 50002, 50003, 50004
JUNK = [123456789, -2147483648, 7, 2147483647, -1, 42]  # what is left in words that a message does not use


class Capture:
    """Packets of the robot's connections to ports of the PC, as a pcap file."""

    def __init__(self, *ports, name="control.pcap"):
        self.number, self.name, self.sequence = 0, name, {}
        self.bytes = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)
        for port in ports:
            for to_robot, flags in ((False, 0x02), (True, 0x12), (False, 0x10)):
                self.segment(port, 0, b"", to_robot, flags)

    def segment(self, port, time, payload, to_robot=True, flags=0x18, robot_port=None):
        near, far = (PC, port), (ROBOT, robot_port or 40000 + port % 1000)
        if not to_robot:
            near, far = far, near
        self.send(near, far, time, payload, flags)

    def send(self, near, far, time, payload, flags):
        mine, other = self.sequence.setdefault((near, far), 1000), self.sequence.setdefault((far, near), 5000)
        tcp = struct.pack(">HHIIBBHHH", near[1], far[1], mine, other, 5 << 4, flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), self.number + 1, 0, 64, 6, 0, near[0], far[0])
        packet = bytes(12) + b"\x08\0" + ip + tcp + payload
        self.number += 1
        self.sequence[near, far] = mine + len(payload) + (flags >> 1 & 1)
        seconds, rest = divmod(round(time * 1e9), 10**9)
        self.bytes += struct.pack("<4I", EPOCH + seconds, rest, len(packet), len(packet)) + packet

    def lose(self, port, length):
        self.sequence[(PC, port), (ROBOT, 40000 + port % 1000)] += length


def micro(numbers):
    return [round(number * 1e6) for number in numbers]


def words(*numbers):
    return struct.pack(f">{len(numbers)}i", *numbers)


def command(mode, used=(), timeout=20):
    """A message of port 50001 whose words beyond those used hold anything."""
    used = list(used)
    return words(timeout, *used, *JUNK[len(used):], mode)


Q = [-1.308987, 0.5, 0.000001, -3.0, 2.25, 6.0]
MODES = [
    (-2, [], {}), (-1, [], {}), (0, [], {}),
    (1, micro(Q), {"command_q": Q}),
    (2, micro(Q), {"command_qd": Q}),
    (3, [1, 250], {"trajectory_action": 1, "trajectory_points": 250}),
    (4, micro(Q), {"command_tcp_speed": Q}),
    (5, micro(Q), {"command_tcp_pose": Q}),
    (6, [-1], {"freedrive_action": -1}),
    (7, [], {}),
    (8, micro(Q), {"command_torque": Q}),
]


def point(target=(0,) * 6, second=(0,) * 6, third=(0,) * 6, duration=0, last=0, kind=0):
    return words(*micro(target), *micro(second), *micro(third), duration, last, kind)


QDD = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
POINTS = [
    (point(Q, QDD, (1.05, 1.4, 0, 0, 0, 0), 500, 0, 0),
     {"point_q": Q, "point_velocity": 1.05, "point_acceleration": 1.4, "point_duration_raw": 500,
      "point_blend_radius_raw": 0, "point_type": 0}),
    (point(Q, QDD, (1.05, 1.4, 1, 0, 0, 0), 500, 10, 0),
     {"point_q": Q, "point_q_near": QDD, "point_velocity": 1.05, "point_acceleration": 1.4,
      "point_duration_raw": 500, "point_blend_radius_raw": 10, "point_type": 0}),
    (point(Q, QDD, (1, 2, 3, 4, 5, 6), 500, 10, 1),
     {"point_pose": Q, "point_duration_raw": 500, "point_blend_radius_raw": 10, "point_type": 1}),
    (point(Q, QDD, (1, 2, 1, 0, 0, 0), 500, 10, 3),
     {"point_pose": Q, "point_via": QDD, "point_velocity": 1, "point_acceleration": 2, "point_circle_mode": 1,
      "point_duration_raw": 500, "point_blend_radius_raw": 10, "point_type": 3}),
    (point(Q, QDD, QDD, 500000, 2, 51),
     {"point_q": Q, "point_qd": QDD, "point_qdd": QDD, "point_duration_raw": 500000, "point_spline_type": 2,
      "point_type": 51}),
    (point(Q, QDD, (9,) * 6, 500000, 1, 51),
     {"point_q": Q, "point_qd": QDD, "point_duration_raw": 500000, "point_spline_type": 1, "point_type": 51}),
]


SCRIPT = [
    (0, [], {}), (1, [2.5, 0, 0, 0.05], {"payload_mass": 2.5, "payload_center": [0, 0, 0.05]}),
    (2, [24], {"tool_voltage": 24}),
    (3, [*Q, 1, 0, 1, 0, 0, 0, *Q, 2, *Q, 0.005, 1.5],
     {"force_task_frame": Q, "force_selection": [1, 0, 1, 0, 0, 0], "force_wrench": Q, "force_type": 2,
      "force_limits": Q, "force_damping": 0.005, "force_gain_scaling": 1.5}),
    (4, [], {}), (5, [], {}), (6, [], {}), (7, [1e-6], {"enabled": 1}),
    (8, [1e-6, 0.5, *Q], {"enabled": 1, "sensor_mass": 0.5, "sensor_offset": Q[:3], "sensor_center": Q[3:]}),
    (9, [0, 0, 9.82], {"gravity": [0, 0, 9.82]}), (10, Q, {"tcp_offset_pose": Q}),
    (11, [*Q, *Q], {"viscous_friction_scale": Q, "coulomb_friction_scale": Q}),
    (12, [2.5, 0, 0, 0.05, *Q, 0.5],
     {"payload_mass": 2.5, "payload_center": [0, 0, 0.05], "payload_moment_of_inertia": Q, "transition_time": 0.5}),
]


def script_command(number, values, count):
    return words(number, *micro(values), *[0] * (count - 1 - len(values)))


def capture_of_all():
    """Every message above in each of its layouts, connections one after the other, with results, messages alone
    and two in a segment."""
    capture, robot_port, time = Capture(), 41000, 1.0
    commands = [command(mode, used, 200) for mode, used, _ in MODES]
    early = words(*micro(Q), 1500, 25, 1)
    for port, messages, result in (
            (REVERSE, [*commands, command(9), command(1, micro(Q), 0)], None),
            (REVERSE, [words(*micro(Q), 1), words(*micro(Q), 1), words(*micro(Q), 0)], None),
            (TRAJECTORY, [payload for payload, _ in POINTS], 2),
            (TRAJECTORY, [point(Q, duration=500000, last=0, kind=1), point(Q, duration=1000001, last=20000, kind=1),
                          point(Q, duration=500000, last=0, kind=1)], -1),
            (TRAJECTORY, [early, early, words(*micro(Q), 1500, 25, 0)], 0),
            (COMMANDS, [script_command(n, values, 28) for n, values, _ in SCRIPT], 1),
            (COMMANDS, [script_command(n, values, 26) for n, values, _ in SCRIPT if len(values) < 26], None),
            (COMMANDS, [script_command(1, [2.5, 0, 0, 0.05], 5), script_command(2, [24], 5)], None)):
        robot_port += 1
        for to_robot, flags in ((False, 0x02), (True, 0x12), (False, 0x10)):
            capture.segment(port, time, b"", to_robot, flags, robot_port)
        for payload in [*messages, b"".join(messages[-2:])]:
            time += 0.002
            capture.segment(port, time, payload, robot_port=robot_port)
        if result is not None:
            capture.segment(port, time + 0.001, words(result), False, robot_port=robot_port)
    return capture.bytes
