/* What drivers send to External Control, in both directions: a byte of options, then pieces of a stream
 * (script_pieces). */
#include "script.h"

enum { FORCED = 1, MIDSTREAM = 2, PORT = 2 };

FUZZ_TARGET(external_control)
{
    static const uint16_t ports[] = {50001, 50002, 50003, 50004, 0, 61000};
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    struct script script = {.setup = {.protocol = ARMTAP_EXTERNAL_CONTROL,
                                      .forced = options & FORCED,
                                      .midstream = options & MIDSTREAM,
                                      .port = ports[(options >> PORT) % (sizeof ports / sizeof *ports)],
                                      .first = {.time = ARMTAP_NO_TIME}}};
    script_pieces(&script, &input);
    script_check(&script);
    return 0;
}
