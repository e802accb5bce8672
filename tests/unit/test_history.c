/* Bytes that a direction delivered lately: whether they were copied at once or stayed where they were, what is sent
 * again is compared with them, and with none that are too old. */
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

/* Packets that stay until they are returned. */
struct lender {
    struct armtap_history *first;
    uint8_t *packets[1000];
    size_t lengths[1000], count;
};

/* Copies what is kept; then all of the packets change, and go. */
static void return_all(struct lender *lender)
{
    while (lender->first)
        armtap_history_settle(lender->first);
    for (size_t i = 0; i < lender->count; i++) {
        memset(lender->packets[i], 0xEE, lender->lengths[i]);
        free(lender->packets[i]);
    }
    lender->count = 0;
}

static uint8_t *lend(struct lender *lender, const uint8_t *bytes, size_t length)
{
    uint8_t *packet = malloc(length);
    assert_non_null(packet);
    memcpy(packet, bytes, length);
    lender->lengths[lender->count] = length;
    lender->packets[lender->count++] = packet;
    return packet;
}

/* Most are of the size of packets, some tiny or large. */
static size_t some_length(uint64_t *seed)
{
    uint64_t kind = random_bits(seed) % 40;
    return 1 + random_size(kind == 0 ? LONGEST : kind < 10 ? 20 : 1500, seed);
}

static void deliver(struct direction *direction, struct lender *lender, uint64_t *seed)
{
    size_t length = some_length(seed);
    uint64_t gap = random_bits(seed) % 200 == 0 ? random_bits(seed) % 5000 : 0;
    uint64_t position = direction->end + gap;
    if (position + length > STREAM)
        return;
    uint8_t *bytes = direction->stream + position;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)random_bits(seed);
    if (random_bits(seed) % 16 == 0)
        armtap_history_add(direction->history, position, bytes, length);
    else
        armtap_history_borrow(direction->history, &lender->first, position, lend(lender, bytes, length), length);
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

static void bytes_lent_or_copied(void **state)
{
    static struct direction directions[DIRECTIONS];
    struct lender lender = {.first = NULL};
    uint64_t seed = 11;
    (void)state;
    for (size_t i = 0; i < DIRECTIONS; i++)
        renew(&directions[i]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct direction *direction = &directions[random_bits(&seed) % DIRECTIONS];
        deliver(direction, &lender, &seed);
        if (random_bits(&seed) % 30 == 0)
            compare(direction, &seed);
        if (lender.count == 1000 || random_bits(&seed) % 300 == 0)
            return_all(&lender);
        if (random_bits(&seed) % 2000 == 0)
            renew(direction);
        if (random_bits(&seed) % 500 == 0) {
            armtap_history_restart(direction->history, direction->end);
            direction->start = direction->end;
        }
    }
    return_all(&lender);
    for (size_t i = 0; i < DIRECTIONS; i++)
        armtap_history_free(directions[i].history);
    assert_null(lender.first);
}

/* One more packet than there are entries, and the oldest byte kept. */
static void entries_run_out(void **state)
{
    const size_t length = ARMTAP_HISTORY_BYTES / ARMTAP_HISTORY_LENT;
    (void)state;
    for (unsigned count = ARMTAP_HISTORY_LENT - 1; count <= ARMTAP_HISTORY_LENT + 1; count++) {
        struct direction *direction = calloc(1, sizeof *direction);
        struct lender lender = {.first = NULL};
        assert_non_null(direction);
        renew(direction);
        for (unsigned i = 0; i < count; i++) {
            memset(direction->stream + direction->end, (int)i, length);
            armtap_history_borrow(direction->history, &lender.first, direction->end,
                                  lend(&lender, direction->stream + direction->end, length), length);
            direction->end += length;
        }
        return_all(&lender);
        uint64_t oldest = count > ARMTAP_HISTORY_LENT ? length : 0;
        const uint8_t other = (uint8_t)(direction->stream[oldest] ^ 1);
        assert_true(armtap_history_differs(direction->history, oldest, &other, 1));
        assert_false(oldest > 0 && armtap_history_differs(direction->history, oldest - 1, &other, 1));
        armtap_history_free(direction->history);
        free(direction);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_lent_or_copied),
        cmocka_unit_test(entries_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
