/* Bytes that a direction delivered lately: what is sent again is compared with them, and with none that
 * are too old. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "tcp/history.h"

#define DIRECTIONS 3
#define STREAM 3000000
#define ROUNDS 20000
#define LONGEST 20000 /* more than is kept */

/* A direction, and what should be kept of it. */
struct direction {
    struct armtap_history *history;
    uint64_t start, end;
    uint8_t stream[STREAM]; /* by position */
};

/* Most are of the size of packets, some tiny or large. */
static size_t some_length(uint64_t *seed)
{
    uint64_t kind = random_bits(seed) % 40;
    return 1 + random_size(kind == 0 ? LONGEST : kind < 10 ? 20 : 1500, seed);
}

static void deliver(struct direction *direction, uint64_t *seed)
{
    size_t length = some_length(seed);
    uint64_t gap = random_bits(seed) % 200 == 0 ? random_bits(seed) % 5000 : 0;
    uint64_t position = direction->end + gap;
    if (position + length > STREAM)
        return;
    uint8_t *bytes = direction->stream + position;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)random_bits(seed);
    armtap_history_add(direction->history, position, bytes, length);
    if (gap > 0)
        direction->start = position;
    direction->end = position + length;
    if (direction->end - direction->start > ARMTAP_HISTORY_BYTES)
        direction->start = direction->end - ARMTAP_HISTORY_BYTES;
}

/* Bytes from around what is kept, one of them perhaps changed: whether that one is kept decides. */
static void compare(const struct direction *direction, uint64_t *seed)
{
    uint8_t again[LONGEST];
    size_t length = some_length(seed);
    uint64_t least = direction->start > 2000 ? direction->start - 2000 : 0;
    uint64_t position = least + random_bits(seed) % (direction->end - least + 1);
    if (position + length > STREAM)
        return;
    memcpy(again, direction->stream + position, length);
    assert_false(armtap_history_differs(direction->history, position, again, length));
    size_t changed = random_size(length, seed);
    bool is_kept = position + changed >= direction->start && position + changed < direction->end;
    again[changed] ^= 1;
    assert_int_equal(armtap_history_differs(direction->history, position, again, length), is_kept);
}

static void renew(struct direction *direction)
{
    armtap_history_free(direction->history);
    direction->history = armtap_history_new();
    assert_non_null(direction->history);
    direction->start = direction->end = 0;
}

static void bytes_are_kept(void **state)
{
    static struct direction directions[DIRECTIONS];
    uint64_t seed = 11;
    (void)state;
    for (size_t i = 0; i < DIRECTIONS; i++)
        renew(&directions[i]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct direction *direction = &directions[random_bits(&seed) % DIRECTIONS];
        deliver(direction, &seed);
        if (random_bits(&seed) % 30 == 0)
            compare(direction, &seed);
        if (random_bits(&seed) % 2000 == 0)
            renew(direction);
        if (random_bits(&seed) % 500 == 0) {
            armtap_history_restart(direction->history, direction->end);
            direction->start = direction->end;
        }
    }
    for (size_t i = 0; i < DIRECTIONS; i++)
        armtap_history_free(directions[i].history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
