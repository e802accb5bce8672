/* Lines of the dashboard server and its clients: a byte of options, then pieces of a stream (script_pieces). */
#include "script.h"

enum { FORCED = 1, MIDSTREAM = 2, OTHER_PORT = 4 };

FUZZ_TARGET(dashboard)
{
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    struct script script = {.setup = {.protocol = ARMTAP_DASHBOARD,
                                      .forced = options & FORCED,
                                      .midstream = options & MIDSTREAM,
                                      .port = options & OTHER_PORT ? 61000 : 29999,
                                      .first = {.time = ARMTAP_NO_TIME}}};
    script_pieces(&script, &input);
    script_check(&script);
    return 0;
}
