/* RTDE in both directions: a byte of options, then packages, each behind a byte that tells direction and what happens
 * to it. The length is the package's own, so that changed packages stay packages. */
#include "script.h"

enum { IN_STEP = 0, GAP = 1, CUT = 2, JOINED = 3 };

static void take_package(struct input *input, struct script *script)
{
    unsigned head = input_byte(input);
    enum armtap_direction direction = (enum armtap_direction)(head & 1);
    struct input peek = *input;
    size_t length = input_two(&peek);
    if ((head >> 1 & 3) == GAP) {
        input_two(input);
        script_step(script, SCRIPT_GAP, direction, NULL, length);
        return;
    }
    if (length < 3)
        length = 3;
    if ((head >> 1 & 3) == JOINED)
        length = input_left(input);
    const uint8_t *bytes = input_bytes(input, &length);
    if ((head >> 1 & 3) == CUT && length > 0)
        length -= 1 + (head >> 3) % length;
    script_step(script, SCRIPT_BYTES, direction, bytes, length);
}

FUZZ_TARGET(rtde)
{
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    struct script script = {.setup = {.protocol = ARMTAP_RTDE,
                                      .forced = options & 1,
                                      .midstream = options & 2,
                                      .first = {.time = ARMTAP_NO_TIME}},
                            .recipe_names = options & 4 ? "timestamp,robot_mode" : NULL};
    while (input_left(&input) > 0)
        take_package(&input, &script);
    script_check(&script);
    return 0;
}
