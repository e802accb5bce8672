/* The queue of byte strings between two threads. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "input/robots/ring.h"

#define SIZE 4096
#define STRINGS 200000

/* Writes a string of `length` bytes, all of the same value. */
static bool put(struct ring *ring, size_t length, size_t spare, uint8_t value)
{
    uint8_t *room = ring_reserve(ring, length, spare);
    if (!room)
        return false;
    assert_int_equal(0, (uintptr_t)room % _Alignof(max_align_t));
    memset(room, value, length);
    ring_commit(ring);
    return true;
}

/* Takes a string; -1 if there is none. */
static int take(struct ring *ring, size_t *length)
{
    const uint8_t *bytes = ring_peek(ring, length);
    if (!bytes)
        return -1;
    int value = *length > 0 ? bytes[0] : 0;
    for (size_t i = 0; i < *length; i++)
        assert_int_equal(value, bytes[i]);
    ring_release(ring);
    return value;
}

static void strings_come_in_order(void **state)
{
    struct ring *ring = ring_new(SIZE);
    uint64_t seed = 1;
    size_t length;
    (void)state;
    assert_int_equal(-1, take(ring, &length));
    for (unsigned i = 0; i < 10000; i++) {
        size_t first = random_size(1000, &seed), second = random_size(1000, &seed);
        assert_true(put(ring, first, 0, (uint8_t)i));
        assert_true(put(ring, second, 0, (uint8_t)(i + 1)));
        assert_int_equal(first > 0 ? (uint8_t)i : 0, take(ring, &length));
        assert_int_equal(first, length);
        assert_int_equal(second > 0 ? (uint8_t)(i + 1) : 0, take(ring, &length));
        assert_int_equal(second, length);
        assert_int_equal(-1, take(ring, &length));
    }
    ring_free(ring);
}

/* Nothing that was written is overwritten, and what was not committed is not read. */
static void a_full_ring_takes_nothing(void **state)
{
    struct ring *ring = ring_new(SIZE);
    size_t length;
    unsigned written = 0;
    (void)state;
    assert_false(put(ring, SIZE, 0, 1));
    assert_null(ring_reserve(ring, SIZE_MAX, 0));
    assert_false(put(ring, 1, SIZE, 1));
    assert_false(put(ring, 1, SIZE_MAX, 1));
    while (put(ring, 100, 0, (uint8_t)written))
        written++;
    assert_true(written >= SIZE / 132 && written <= SIZE / 100);
    for (unsigned i = 0; i < written; i++)
        assert_int_equal(i, take(ring, &length));
    assert_non_null(ring_reserve(ring, 10, 0));
    assert_int_equal(-1, take(ring, &length));
    ring_free(ring);
}

static void spare_bytes_stay_free(void **state)
{
    struct ring *ring = ring_new(SIZE);
    (void)state;
    while (put(ring, 50, 1000, 1))
        ;
    assert_false(put(ring, 50, 1000, 2));
    for (unsigned i = 0; i < 10; i++) /* each with its head and padding */
        assert_true(put(ring, 50, 0, 2));
    ring_free(ring);
}

/* The writer's thread: each string holds its number, over and over. */
static void *write_all(void *user)
{
    struct ring *ring = user;
    uint64_t seed = 7;
    for (uint32_t i = 0; i < STRINGS; i++) {
        size_t words = 1 + random_size(60, &seed);
        uint32_t *room;
        while (!(room = ring_reserve(ring, words * sizeof *room, 0)))
            sched_yield();
        for (size_t k = 0; k < words; k++)
            room[k] = i;
        ring_commit(ring);
    }
    return NULL;
}

static void two_threads(void **state)
{
    struct ring *ring = ring_new(SIZE);
    uint64_t seed = 7;
    pthread_t thread;
    size_t length;
    (void)state;
    assert_int_equal(0, pthread_create(&thread, NULL, write_all, ring));
    for (uint32_t i = 0; i < STRINGS; i++) {
        const uint32_t *numbers;
        while (!(numbers = ring_peek(ring, &length)))
            sched_yield();
        assert_int_equal((1 + random_bits(&seed) % 60) * sizeof i, length);
        for (size_t k = 0; k < length / sizeof i; k++)
            if (numbers[k] != i)
                fail_msg("string %u holds %u", i, numbers[k]);
        ring_release(ring);
    }
    pthread_join(thread, NULL);
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_come_in_order),
        cmocka_unit_test(a_full_ring_takes_nothing),
        cmocka_unit_test(spare_bytes_stay_free),
        cmocka_unit_test(two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
