/* The legacy interface: the bytes as one packet for armtap_decode_realtime, and as the stream of a robot with a gap. */
#include "script.h"

#include <stdlib.h>
#include <string.h>

/* What a state that came from a packet encodes to, decodes to the same. */
static void check_round_trip(struct armtap_state *state, size_t size)
{
    static const size_t sizes[] = {540, 812, 1060, 1220};
    uint8_t first[4096], again[4096];
    for (size_t i = 0; i <= sizeof sizes / sizeof sizes[0]; i++) {
        size_t length = i == 0 ? size : sizes[i - 1];
        CHECK(armtap_encode_realtime(state, length, first) == ARMTAP_OK);
        CHECK(armtap_decode_realtime(first, length, state) == (int)length);
        CHECK(armtap_encode_realtime(state, length, again) == ARMTAP_OK);
        CHECK(memcmp(first, again, length) == 0);
    }
}

static void check_packet(const uint8_t *data, size_t size)
{
    struct armtap_state *state = armtap_state_new();
    uint8_t *packet = copy_of(data, size);
    CHECK(state);
    int used = armtap_decode_realtime(size > 0 ? (const void *)packet : "", size, state);
    CHECK(used <= (int)size);
    CHECK(used >= 12 || used == ARMTAP_ERR_SHORT || used == ARMTAP_ERR_NOT_OURS);
    CHECK((used == ARMTAP_ERR_SHORT) == (size < 12));
    if (used > 0 && used <= 4096)
        check_round_trip(state, (size_t)used);
    free(packet);
    armtap_state_free(state);
}

FUZZ_TARGET(realtime)
{
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    size_t before_gap = input_two(&input), gap = input_byte(&input);
    struct script script = {.setup = {.protocol = ARMTAP_REALTIME,
                                      .forced = options & 1,
                                      .midstream = options & 2,
                                      .first = {.time = ARMTAP_NO_TIME}}};
    size_t left = input_left(&input);
    enum armtap_direction direction = (enum armtap_direction)((options & 12) == 12);
    check_packet(input.at, left);
    const uint8_t *bytes = input_bytes(&input, &before_gap);
    script_step(&script, SCRIPT_BYTES, direction, bytes, before_gap);
    if (gap > 0)
        script_step(&script, SCRIPT_GAP, direction, NULL, gap);
    left = input_left(&input);
    bytes = input_bytes(&input, &left);
    script_step(&script, SCRIPT_BYTES, direction, bytes, left);
    script_check(&script);
    return 0;
}
