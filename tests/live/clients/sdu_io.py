"""RTDEIOInterface of ur_rtde: 30004: V 2, then sixteen input recipes (no O, no S) whose ids it takes to be 1 to 16 in their order;
then it sends what its methods write."""
from common import must, own_recipe
from sdu_receive import Sdu

LOCK = "input_int_register_23"
RECIPES = ([LOCK], [LOCK, "standard_digital_output_mask", "standard_digital_output"],
           [LOCK, "tool_digital_output_mask", "tool_digital_output"], [LOCK, "speed_slider_mask", "speed_slider_fraction"],
           [LOCK, "standard_analog_output_mask", "standard_analog_output_type", "standard_analog_output_0",
            "standard_analog_output_1"],
           [LOCK, "configurable_digital_output_mask", "configurable_digital_output"],
           *([LOCK, "input_int_register_%d" % i] for i in range(18, 23)),
           *([LOCK, "input_double_register_%d" % i] for i in range(18, 23)))
SLIDER, STANDARD = 4, 2


def come_up(robot, samples=3):
    with Sdu(robot) as sdu:
        ids = [sdu.inputs(*recipe) for recipe in RECIPES]
        must("ids in order", ids == list(range(1, len(RECIPES) + 1)), ids)
        written = []
        for i in range(samples):
            for number, values in ((SLIDER, (0, 1, (i + 1) / 4)), (STANDARD, (0, 1 << i, 1 << i))):
                names = RECIPES[number - 1]
                row = {name: (value,) for name, value in zip(names, values)}
                sdu.rtde.send("U", bytes([number]) + own_recipe(names).pack(row))
                written.append((number, row))
        return {"ids": ids, "written": written}
