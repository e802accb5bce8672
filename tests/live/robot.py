"""The robot behind the fake controller: every variable has a value in every cycle, which anyone can work out again."""
import math
import zlib

import wire

# Values that mean something to clients: a powered robot without a program, nothing wrong with it.
STEADY = {"robot_mode": (7,), "safety_mode": (1,), "safety_status": (1,), "joint_mode": (253,) * 6, "speed_scaling": (1.0,),
          "target_speed_fraction": (1.0,), "robot_status_bits": (7,), "safety_status_bits": (1,), "runtime_state": (1,),
          "output_int_register_0": (1,), "tcp_offset": (0.0, 0.0, 0.125, 0.0, 0.0, 0.0), "payload": (1.25,),
          "payload_cog": (0.0, 0.0, 0.0625), "payload_inertia": (0.0078125, 0.0078125, 0.0078125, 0.0, 0.0, 0.0),
          "tool_output_voltage": (24,), "tool_mode": (253,), "actual_main_voltage": (48.0,)}
DOUBLES = {"DOUBLE", "VECTOR3D", "VECTOR6D"}


class Robot:
    def __init__(self, version=(5, 11, 0, 108249), hz=None, uptime=1000.0, size=1220, program_from=None):
        self.version, self.uptime, self.program_from = version, uptime, program_from
        self.hz = hz or (125 if version[0] < 5 else 500)
        self.layout = wire.Layout(size)
        self.variables = wire.variables()
        self.step = 0  # cycles since the (last) boot that this robot was seen to do
        self.kept = {}  # inputs, as the last client wrote them, and what tests set
        self.seeds = {name: zlib.crc32(name.encode()) for name in self.variables}
        self.seeds.update((name, zlib.crc32(name.encode())) for _, name, _ in self.layout.cells)

    def type_of(self, name, protocol):
        return self.variables[name][2 if protocol >= 3 else 1]

    def one(self, name, step):
        """The value of a variable: a tuple."""
        if name == "timestamp":
            return (self.uptime + step / self.hz,)
        if name in self.kept:
            return self.kept[name]
        if name == "runtime_state" and self.program_from is not None and step >= self.program_from:
            return (2,)
        if name in STEADY:
            return STEADY[name]
        return self.moving(name, step)

    def moving(self, name, step):
        form = self.variables[name][1] if name in self.variables else "DOUBLE"
        seed, count = self.seeds[name], wire.TYPES[form][1]
        if form in DOUBLES:
            return tuple(math.sin(step / 97 + seed % 1009 + i) * (1 + seed % 7) for i in range(count))
        if "register" in name:  # registers are at rest until someone writes them
            return (0,)
        return tuple((seed + step // 25 + i) % (2 if form == "BOOL" else 64) for i in range(count))

    def values(self, names, step):
        return {name: self.one(name, step) for name in names}

    def packet_values(self, step):
        return self.values([name for _, name, _ in self.layout.cells], step)

    def reboot(self, uptime=0.0):
        self.uptime, self.step, self.kept = uptime, 0, {}
