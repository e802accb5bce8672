/* What drivers send to External Control, in both directions: a byte of options, then pieces of a stream. Before each is
 * a byte for its direction, and whether it is a gap, and a byte for its length. */
#include "script.h"

enum { GAP = 2, FORCED = 1, MIDSTREAM = 2, PORT = 2 };

FUZZ_TARGET(external_control)
{
    static const uint16_t ports[] = {50001, 50002, 50003, 50004, 0, 61000};
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    struct script script = {.setup = {.protocol = ARMTAP_EXTERNAL_CONTROL,
                                      .forced = options & FORCED,
                                      .midstream = options & MIDSTREAM,
                                      .port = ports[(options >> PORT) % (sizeof ports / sizeof *ports)],
                                      .first = {ARMTAP_NO_TIME, 0, 0}}};
    while (input_left(&input) > 0) {
        unsigned head = input_byte(&input);
        enum armtap_direction direction = (enum armtap_direction)(head & 1);
        size_t length = input_byte(&input);
        if (head & GAP) {
            script_step(&script, SCRIPT_GAP, direction, NULL, length);
            continue;
        }
        const uint8_t *bytes = input_bytes(&input, &length);
        script_step(&script, SCRIPT_BYTES, direction, bytes, length);
    }
    script_check(&script);
    return 0;
}
