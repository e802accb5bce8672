/* One recipe in several threads: each holds, reads and releases it, and gives it to its own connections. All threads
 * get the same results, and the recipe is freed once. Under ThreadSanitizer (tests/README.md) no access races. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "armtap.h"

enum { THREADS = 4, ROUNDS = 200, RECORDS = 20, VALUES_BYTES = 8 + 6 * 8 };

struct worker {
    pthread_t thread;
    struct armtap_recipe *recipe;
    unsigned records;
    double sum;
};

/* Data packages of a timestamp and six joints, without the handshake. */
static size_t fill_packages(uint8_t *bytes)
{
    size_t at = 0, length = 3 + 1 + VALUES_BYTES;
    for (size_t i = 0; i < RECORDS; i++, at += length) {
        memset(bytes + at, 0, length);
        bytes[at + 1] = (uint8_t)length;
        bytes[at + 2] = 'U';
        bytes[at + 3] = 1;
        bytes[at + 4] = 0x40; /* 2.0 and up, increasing */
        bytes[at + 7] = (uint8_t)i;
    }
    return at;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct worker *worker = user;
    struct armtap_value value;
    struct armtap_recipe *held = armtap_recipe_hold(record->recipe);
    for (size_t i = 0; armtap_record_value(record, i, &value); i++)
        worker->sum += value.f64[0];
    worker->records++;
    armtap_recipe_release(held);
    return 0;
}

static void *work(void *argument)
{
    static const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record};
    struct worker *worker = argument;
    uint8_t bytes[RECORDS * 64];
    size_t length = fill_packages(bytes);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_RTDE, .midstream = true};
        struct armtap_conn *conn;
        if (armtap_conn_new(&options, &sink, worker, &conn) != ARMTAP_OK)
            return NULL;
        armtap_conn_set_recipe(conn, worker->recipe);
        armtap_conn_push(conn, ARMTAP_FROM_ROBOT, bytes, length, NULL);
        armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL);
        armtap_conn_free(conn);
    }
    armtap_recipe_release(worker->recipe);
    return NULL;
}

static void a_recipe_in_several_threads(void **state)
{
    struct worker workers[THREADS] = {0}, alone = {0};
    struct armtap_recipe *recipe;
    (void)state;
    assert_int_equal(armtap_recipe_rtde("timestamp,actual_q", NULL, &recipe), ARMTAP_OK);
    assert_int_equal(armtap_recipe_size(recipe), VALUES_BYTES);
    alone.recipe = armtap_recipe_hold(recipe);
    work(&alone);
    assert_int_equal(alone.records, ROUNDS * RECORDS);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].recipe = armtap_recipe_hold(recipe);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    armtap_recipe_release(recipe); /* whichever thread is last frees it */
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].records, alone.records);
        assert_true(workers[i].sum == alone.sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recipe_in_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
