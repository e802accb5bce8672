/* The table of attempts to connect under a flood of them. Comparisons are counted, never timed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/stream_list.h"

/* Counts comparisons of texts: the linker redirects each of them here. */
static size_t comparisons;
int __real_strcmp(const char *one, const char *other);
int __wrap_strcmp(const char *one, const char *other);
int __wrap_strcmp(const char *one, const char *other)
{
    comparisons++;
    return __real_strcmp(one, other);
}

/* An attempt of the i-th client, in the packet of that number. */
static void attempt(struct armtap_attempts *attempts, unsigned i, uint64_t packet, enum armtap_event_type type)
{
    struct armtap_stream stream = {.robot = "10.0.0.2:30004", .connection = packet};
    struct armtap_event event = {.stream = &stream, .where = {.packet = packet}, .type = type, .a = 1};
    snprintf(stream.client, sizeof stream.client, "10.1.%u.%u:%u", i / 256 % 256, i % 256, 1024 + i % 5);
    assert_int_equal(armtap_attempts_event(attempts, &event), 0);
}

static void test_flood(void **state)
{
    (void)state;
    enum { CLIENTS = 3 * ATTEMPTS_PAIRS, ROUNDS = 3 };
    struct armtap_attempts *attempts = armtap_attempts_new();
    uint64_t packet = 0;
    assert_non_null(attempts);
    comparisons = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < CLIENTS; i++)
            attempt(attempts, i, ++packet, ARMTAP_EVENT_REFUSED);
    print_message("%zu comparisons for %llu attempts\n", comparisons, (unsigned long long)packet);
    assert_true(comparisons <= 4 * packet);
    for (unsigned i = 0; i < ATTEMPTS_PAIRS; i++) {
        char client[64];
        snprintf(client, sizeof client, "10.1.%u.%u", i / 256, i % 256);
        assert_string_equal(armtap_attempts_at(attempts, i)->client, client);
        assert_string_equal(armtap_attempts_at(attempts, i)->robot, "10.0.0.2:30004");
        assert_int_equal(armtap_attempts_at(attempts, i)->count, ROUNDS);
    }
    assert_null(armtap_attempts_at(attempts, ATTEMPTS_PAIRS));
    assert_int_equal(armtap_attempts_left_out(attempts, ARMTAP_ATTEMPT_REFUSED), ROUNDS * (CLIENTS - ATTEMPTS_PAIRS));
    armtap_attempts_free(attempts);
}

/* Only the client's address distinguishes pairs; brackets are not part of it. */
static void test_hosts(void **state)
{
    (void)state;
    static const char *const clients[] = {"10.0.0.9:1", "10.0.0.9:2", "[fd00::9]:1", "[fd00::9]:2", "fd00::9"};
    static const char *const hosts[] = {"10.0.0.9", "fd00::9", "fd00:"};
    struct armtap_attempts *attempts = armtap_attempts_new();
    assert_non_null(attempts);
    for (size_t i = 0; i < sizeof clients / sizeof clients[0]; i++) {
        struct armtap_stream stream = {.robot = "10.0.0.2:30004", .connection = i};
        struct armtap_event event = {
            .stream = &stream, .where = {.packet = i + 1}, .type = ARMTAP_EVENT_REFUSED, .a = 1};
        strcpy(stream.client, clients[i]);
        assert_int_equal(armtap_attempts_event(attempts, &event), 0);
    }
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++)
        assert_string_equal(armtap_attempts_at(attempts, i)->client, hosts[i]);
    assert_null(armtap_attempts_at(attempts, sizeof hosts / sizeof hosts[0]));
    armtap_attempts_free(attempts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flood), cmocka_unit_test(test_hosts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
