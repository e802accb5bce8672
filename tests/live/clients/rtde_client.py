"""RTDEClient of UR's Universal_Robots_Client_Library (2.14): 30004: V 2, V 1, v, O, S until the robot is seen to have booted, P,
I, S. It asks for `timestamp` in any case, decodes by its own table, takes no package of 4094 bytes or more, sends O again
when anything else came in its place, and begins three times, a second apart, on a new connection each time."""
import struct
import time

from common import Failed, Rtde, Silent, decode, must, own_recipe, version_of

SECOND = 1.0
RETRIES = 5
ATTEMPTS = 3
LARGEST = 4093
BOOTED = 40.0
OUTPUTS = ("timestamp actual_q actual_qd speed_scaling target_speed_fraction runtime_state actual_TCP_force actual_TCP_pose "
           "actual_digital_input_bits actual_digital_output_bits standard_analog_input0 standard_analog_input1 "
           "standard_analog_output0 standard_analog_output1 analog_io_types tool_mode tool_analog_input_types "
           "tool_analog_input0 tool_analog_input1 tool_output_voltage tool_output_current tool_temperature robot_mode "
           "safety_mode robot_status_bits safety_status_bits actual_current tcp_offset").split()
INPUTS = ("speed_slider_mask speed_slider_fraction standard_digital_output_mask standard_digital_output "
          "configurable_digital_output_mask configurable_digital_output tool_digital_output_mask tool_digital_output "
          "standard_analog_output_mask standard_analog_output_type standard_analog_output_0 standard_analog_output_1").split()


class Again(Exception):
    """This set-up failed; a new connection is tried."""


class Client:
    def __init__(self, robot, outputs, inputs, frequency=0.0, ignore_unavailable=False):
        self.robot, self.inputs, self.frequency, self.ignore = robot, list(inputs), frequency, ignore_unavailable
        self.outputs = list(outputs) + ([] if "timestamp" in outputs else ["timestamp"])
        self.recipe = own_recipe(self.outputs)
        self.connection, self.protocol, self.version, self.unavailable, self.input_id = None, 0, None, [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.connection:
            self.connection.close()

    def init(self):
        why = None
        for _ in range(ATTEMPTS):
            try:
                self.connection = Rtde(self.robot)
                return self.set_up()
            except (Again, Silent) as one:
                why = one
            self.connection.close()
            time.sleep(SECOND)
        raise Failed("no set-up in three attempts: %s" % why)

    def set_up(self):
        self.protocol = self.negotiate()
        self.version = self.controller()
        fastest = 125.0 if self.version[0] < 5 else 500.0
        self.frequency = self.frequency or fastest
        must("a frequency of", self.frequency <= fastest, fastest)
        self.set_outputs()
        self.booted()
        if self.inputs:
            self.set_inputs()

    def next(self, timeout=None):
        kind, payload = self.connection.next(timeout)
        must("packages below 4094 bytes", len(payload) + 3 <= LARGEST)
        return kind, payload

    def negotiate(self):
        for version in 2, 1:
            self.connection.send("V", struct.pack(">H", version))
            for _ in range(RETRIES):
                kind, payload = self.next(SECOND)
                if kind == "V":
                    if payload == b"\1":
                        return version
                    break
        raise Again("no protocol version was accepted")

    def controller(self):
        self.connection.send("v")
        for _ in range(RETRIES):
            kind, payload = self.next(SECOND)
            if kind == "v":
                return version_of(payload)
        raise Again("no controller version")

    def set_outputs(self):
        for _ in range(RETRIES):
            rate = struct.pack(">d", self.frequency) if self.protocol == 2 else b""
            self.connection.send("O", rate + ",".join(self.outputs).encode())
            kind, payload = self.next()
            if kind != "O":
                continue
            types = payload[1 if self.protocol == 2 else 0:].decode().split(",")
            must("as many types as names: assertion", len(types) == len(self.outputs), len(types), len(self.outputs))
            lacking = [name for name, one in zip(self.outputs, types) if one == "NOT_FOUND"]
            if not lacking:
                return
            must("no variable is unknown:", self.ignore, lacking)
            self.unavailable += lacking
            self.outputs = [name for name in self.outputs if name not in lacking]
            self.recipe = own_recipe(self.outputs)
            raise Again("not available: %s" % lacking)
        raise Again("no reply to O")

    def start(self):
        """Data in place of the reply counts as one."""
        self.connection.send("S")
        for _ in range(RETRIES):
            kind, payload = self.next()
            if kind in "SU":
                return kind == "U" or payload == b"\1"
        raise Failed("no reply to S")

    def booted(self):
        if not self.start():
            raise Again("S was refused")
        clock, count = 0.0, 0
        while clock < BOOTED and count < 2 * self.frequency:
            kind, payload = self.next(SECOND)
            must("data alone while it reads the clock: a crash,", kind in "US", kind)
            if kind == "U":
                clock, count = self.values(payload)["timestamp"][0], count + 1
        self.connection.send("P")
        end = time.monotonic() + 5
        while True:
            kind, payload = self.next(SECOND)
            if kind == "P":
                if payload != b"\1":
                    raise Again("P was refused")
                return
            must("a reply to P within 5 s", time.monotonic() < end)

    def set_inputs(self):
        self.connection.send("I", ",".join(self.inputs).encode())
        for _ in range(RETRIES):
            kind, payload = self.next()
            if kind == "I":
                types = payload[1:].decode().split(",")
                must("as many types as names: assertion", len(types) == len(self.inputs))
                must("no input is unknown", "NOT_FOUND" not in types, payload)
                if "IN_USE" in types:
                    raise Again("an input is in use")
                self.input_id = payload[0]
                return
        raise Again("no reply to I")

    def values(self, payload):
        return decode(self.recipe, payload, 1 if self.protocol == 2 else 0)

    def read(self, count):
        rows = []
        while len(rows) < count:
            kind, payload = self.next(SECOND)
            if kind == "U":
                rows.append(self.values(payload))
        return rows

    def write(self, **values):
        """One input package with all inputs, those not given 0."""
        recipe = own_recipe(self.inputs)
        full = {name: values.get(name, (0,)) for name in self.inputs}
        self.connection.send("U", bytes([self.input_id]) + recipe.pack(full))


def come_up(robot, samples=20, outputs=OUTPUTS, inputs=INPUTS, frequency=50.0):
    """As the example rtde_client does: reads, and moves the speed slider."""
    with Client(robot, outputs, inputs, frequency) as client:
        client.init()
        must("S is accepted", client.start())
        rows = []
        for i in range(samples):
            rows += client.read(1)
            client.write(speed_slider_mask=(1,), speed_slider_fraction=(i / samples,))
        return {"version": client.version, "rows": rows, "protocol": client.protocol}
