/* What a replay reports if a callback stops it: the status, whether it was aborted, and who prints the message. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/console.h"
#include "base/os/names.h"
#include "input/replay/replay.h"

#define FILE_NAME "test_replay.tmp"
#define MESSAGE_NAME "test_replay.err"
#define RECORDS 5

/* Which callback stops, at which call, with which return value. */
struct stopper {
    unsigned at;
    int answer;
    bool says_why;
    unsigned records, events, forgotten;
};

static int on_record(void *user, const struct armtap_record *record)
{
    struct stopper *stopper = user;
    (void)record;
    if (++stopper->records != stopper->at)
        return 0;
    if (stopper->says_why)
        fputs("the callback's own words\n", stderr);
    return stopper->answer;
}

static int on_close(void *user, const struct armtap_event *event)
{
    struct stopper *stopper = user;
    stopper->events++;
    return event->type == ARMTAP_EVENT_CLOSE ? stopper->answer : 0;
}

static int forget(void *user)
{
    struct stopper *stopper = user;
    stopper->forgotten++;
    return 0;
}

static int make_dump(void **state)
{
    struct bytes bytes = {0};
    FILE *file = fopen(FILE_NAME, "wb");
    (void)state;
    for (unsigned i = 0; i < RECORDS; i++)
        bytes_packet(&bytes, 1060, 1.0 + 0.008 * i);
    bool written = file && fwrite(bytes.at, 1, bytes.length, file) == bytes.length;
    bytes_free(&bytes);
    return !file || fclose(file) != 0 || !written;
}

static int remove_files(void **state)
{
    (void)state;
    return remove(FILE_NAME) != 0 || remove(MESSAGE_NAME) != 0;
}

/* Runs a replay; `said` gets its standard error. */
static enum exit_status read_dump(const struct armtap_sink *sink, struct stopper *stopper, struct replay_totals *totals,
                                  char said[400])
{
    static const char *const names[] = {FILE_NAME};
    struct replay_source source = {.names = names, .count = 1};
    int before = dup(STDERR_FILENO), file = open(MESSAGE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0666);
    assert_int_equal(armtap_knowledge_new(&source.knowledge), ARMTAP_OK);
    assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    enum exit_status status = replay_learning(&source, sink, stopper, forget, totals);
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    ssize_t length = pread(file, said, 399, 0);
    assert_true(length >= 0);
    said[length] = '\0';
    close(before);
    close(file);
    armtap_knowledge_free(source.knowledge);
    return status;
}

static void check(struct stopper stopper, const struct armtap_sink *sink, enum exit_status status, bool broken_off,
                  const char *words)
{
    struct replay_totals totals;
    char said[400];
    assert_int_equal(read_dump(sink, &stopper, &totals, said), status);
    assert_int_equal(totals.broken_off, broken_off);
    if (*words == '\0')
        assert_string_equal(said, "");
    else
        assert_ptr_equal(strstr(said, words), said);
    assert_int_equal(stopper.forgotten, 0);
    if (stopper.at > 0)
        assert_int_equal(stopper.records, stopper.at);
}

static const struct armtap_sink records = {.size = sizeof records, .on_record = on_record};
static const struct armtap_sink closes = {.size = sizeof closes, .on_event = on_close};

static void test_goes_on(void **state)
{
    struct stopper stopper = {0};
    struct replay_totals totals;
    char said[400];
    (void)state;
    assert_int_equal(read_dump(&records, &stopper, &totals, said), EXIT_DONE);
    assert_int_equal(stopper.records, RECORDS);
    assert_false(totals.broken_off);
    assert_string_equal(said, "");
}

static void test_has_enough(void **state)
{
    (void)state;
    check((struct stopper){.at = 2, .answer = REPLAY_HAS_ENOUGH}, &records, EXIT_DONE, false, "");
}

static void test_gave_up(void **state)
{
    const char *words = "the callback's own words\n";
    (void)state;
    check((struct stopper){.at = 2, .answer = REPLAY_GAVE_UP, .says_why = true}, &records, EXIT_FAILED, true, words);
}

/* Any other return value also ends with a message. */
static void test_without_a_word(void **state)
{
    static const int answers[] = {REPLAY_NO_MEMORY, 2, -3, -1000};
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        check((struct stopper){.at = 3, .answer = answers[i]}, &records, EXIT_FAILED, true, "armtap: out of memory");
        check((struct stopper){.at = RECORDS, .answer = answers[i]}, &records, EXIT_FAILED, true,
              "armtap: out of memory");
    }
}

/* The event at the end of a dump comes from replay, not from the library. */
static void test_at_the_end(void **state)
{
    (void)state;
    check((struct stopper){.answer = REPLAY_NO_MEMORY}, &closes, EXIT_FAILED, true, "armtap: out of memory");
    check((struct stopper){.answer = REPLAY_HAS_ENOUGH}, &closes, EXIT_DONE, false, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),        cmocka_unit_test(test_has_enough), cmocka_unit_test(test_gave_up),
        cmocka_unit_test(test_without_a_word), cmocka_unit_test(test_at_the_end),
    };
    console_begin();
    return cmocka_run_group_tests(tests, make_dump, remove_files);
}
