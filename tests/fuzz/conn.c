/* One connection: a byte of options, then chunks {direction and kind, length, bytes}. */
#include "script.h"

#include <string.h>

static const char given_recipe[] = "timestamp,actual_q,robot_mode";

FUZZ_TARGET(conn)
{
    struct input input = {data, data + size};
    static const enum armtap_protocol protocols[] = {ARMTAP_PROTOCOL_NONE, ARMTAP_REALTIME, ARMTAP_RTDE,
                                                     ARMTAP_PROTOCOL_NONE};
    unsigned options = input_byte(&input);
    struct script script = {
        .setup = {.protocol = protocols[options & 3],
                  .forced = (options & 4) && (options & 3) % 3,
                  .midstream = options & 8,
                  .roles_guessed = options & 16,
                  .first = {.time = ARMTAP_NO_TIME}},
        .recipe_names = options & 32 ? given_recipe : NULL,
        .stop_at = options & 64 ? 1 + input_byte(&input) : 0,
    };
    while (input_left(&input) > 0) {
        unsigned head = input_byte(&input);
        size_t length = input_two(&input);
        enum script_kind kind = (head >> 1 & 3) == 2 ? SCRIPT_GAP : (head >> 1 & 3) == 3 ? SCRIPT_CLOSE : SCRIPT_BYTES;
        const uint8_t *bytes = kind == SCRIPT_BYTES ? input_bytes(&input, &length) : NULL;
        script_step(&script, kind, (enum armtap_direction)(head & 1), bytes, kind == SCRIPT_CLOSE ? 0 : length);
    }
    script_check(&script);
    return 0;
}
