/* The controller's side of RTDE, byte for byte. The bytes are worked out by hand from the layouts in UR's guide. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/robot/servers.h"

#define CYCLE INT64_C(8000000)
#define RTDE_8 "40 5f 40 00 00 00 00 00" /* 125.0 */

/* ---- a server with a timestamp, joints and a mode ---------------------------------------------------------------- */

struct bench {
    struct variables *variables;
    struct rtde_server *server;
    void *peer[3];
    struct buffer out;
    char said[4096];
};

static void on_say(void *user, const char *client, const char *line)
{
    struct bench *bench = user;
    size_t length = strlen(bench->said);
    snprintf(bench->said + length, sizeof bench->said - length, "%s: %s\n", client, line);
}

static void put(struct bench *bench, const char *name, const char *hex)
{
    struct bytes value = {0};
    const struct variable *variable = variables_find(bench->variables, name, strlen(name));
    assert_non_null(variable);
    bytes_hex(&value, hex);
    assert_int_equal(value.length, variable->size);
    memcpy(variables_first(bench->variables) + variable->offset, value.at, value.length);
    bytes_free(&value);
}

static void add(struct bench *bench, const char *name, enum armtap_type type, unsigned count)
{
    struct variable *added;
    assert_int_equal(variables_add(bench->variables, name, type, count, &added), 0);
    assert_non_null(added);
    added->recorded = true;
}

static void open_peer(struct bench *bench, unsigned i)
{
    static const char *const names[] = {"a", "b", "c"};
    const struct peer_wish wish = {.client = names[i], .say = on_say, .user = bench};
    bench->out.length = 0;
    bench->peer[i] = rtde_server_kind.open(bench->server, &wish, &bench->out);
    assert_non_null(bench->peer[i]);
}

static void close_peer(struct bench *bench, unsigned i)
{
    rtde_server_kind.close(bench->peer[i]);
    bench->peer[i] = NULL;
}

static void begin(struct bench *bench, struct rtde_server_options options)
{
    *bench = (struct bench){.variables = variables_new()};
    assert_non_null(bench->variables);
    add(bench, "timestamp", ARMTAP_DOUBLE, 1);
    add(bench, "actual_q", ARMTAP_DOUBLE, 6);
    add(bench, "robot_mode", ARMTAP_INT32, 1);
    add(bench, "a_name_of_tomorrow", ARMTAP_UINT32, 6);
    add(bench, "target_speed_fraction", ARMTAP_DOUBLE, 1);
    assert_int_equal(variables_add_registers(bench->variables), 0);
    put(bench, "timestamp", "40 09 21 fb 54 44 2d 18");
    put(bench, "robot_mode", "ff ff ff ff");
    put(bench, "a_name_of_tomorrow", "00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 ff ff ff fe");
    options.variables = bench->variables;
    options.cycle = options.cycle ? options.cycle : CYCLE;
    memcpy(options.release, (uint32_t[]){5, 11, 1, 108651}, sizeof options.release);
    bench->server = rtde_server_new(&options);
    assert_non_null(bench->server);
    open_peer(bench, 0);
}

static void end(struct bench *bench)
{
    for (unsigned i = 0; i < 3; i++)
        if (bench->peer[i])
            close_peer(bench, i);
    rtde_server_free(bench->server);
    variables_free(bench->variables);
    free(bench->out.data);
}

/* What is answered to bytes: hex, then text, then hex. */
static bool send_to(struct bench *bench, unsigned i, const char *hex, const char *text)
{
    struct bytes bytes = {0};
    bytes_hex(&bytes, hex);
    bytes_text(&bytes, text);
    bench->out.length = 0;
    bool goes_on = rtde_server_kind.receive(bench->peer[i], bytes.at, bytes.length, &bench->out);
    bytes_free(&bytes);
    return goes_on;
}

static void expect_out(const struct bench *bench, const char *hex, const char *text)
{
    struct bytes bytes = {0};
    bytes_hex(&bytes, hex);
    bytes_text(&bytes, text);
    assert_int_equal(bench->out.length, bytes.length);
    if (bytes.length > 0)
        assert_memory_equal(bench->out.data, bytes.at, bytes.length);
    bytes_free(&bytes);
}

static void tick_at(struct bench *bench, unsigned i, int64_t time)
{
    const struct tick tick = {.time = time, .for_whom = TICK_RTDE, .image = variables_first(bench->variables)};
    bench->out.length = 0;
    rtde_server_kind.tick(bench->peer[i], &tick, &bench->out);
}

/* ---- the dance --------------------------------------------------------------------------------------------------- */

static void test_dance(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3});
    expect_out(&bench, "", "");
    assert_true(send_to(&bench, 0, "00 05 56 00 02", ""));
    expect_out(&bench, "00 04 56 01", "");
    assert_true(send_to(&bench, 0, "00 03 76", ""));
    expect_out(&bench, "00 13 76 00 00 00 05 00 00 00 0b 00 00 00 01 00 01 a8 6b", "");
    assert_true(send_to(&bench, 0, "00 2a 4f " RTDE_8, "timestamp,actual_q,"));
    expect_out(&bench, "", "");
    assert_true(send_to(&bench, 0, "", "")); /* 31 of 42 bytes: the rest is awaited */
    assert_false(rtde_server_kind.wants_data(bench.peer[0]));
    end(&bench);
}

static void set_up(struct bench *bench, unsigned i, const char *frequency, const char *names)
{
    char head[64];
    snprintf(head, sizeof head, "%02x %02x 4f %s", (unsigned)((strlen(names) + 11) >> 8),
             (unsigned)((strlen(names) + 11) & 0xff), frequency);
    assert_true(send_to(bench, i, "00 05 56 00 02", ""));
    assert_true(send_to(bench, i, head, names));
}

static void test_data(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3});
    set_up(&bench, 0, RTDE_8, "timestamp,robot_mode,a_name_of_tomorrow,");
    expect_out(&bench, "00 1e 4f 01", "DOUBLE,INT32,VECTOR6UINT32");
    tick_at(&bench, 0, 0);
    expect_out(&bench, "", "");
    assert_true(send_to(&bench, 0, "00 03 53", ""));
    expect_out(&bench, "00 04 53 01", "");
    assert_true(rtde_server_kind.wants_data(bench.peer[0]));
    tick_at(&bench, 0, 0);
    expect_out(&bench,
               "00 28 55 01 40 09 21 fb 54 44 2d 18 ff ff ff ff"
               "00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 ff ff ff fe",
               "");
    assert_true(send_to(&bench, 0, "00 03 50", ""));
    expect_out(&bench, "00 04 50 01", "");
    tick_at(&bench, 0, CYCLE);
    expect_out(&bench, "", "");
    end(&bench);
}

/* Protocol 1: no frequency, no recipe id in the reply and in data. */
static void test_protocol_1(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 1});
    assert_true(send_to(&bench, 0, "00 05 56 00 02", ""));
    expect_out(&bench, "00 04 56 00", "");
    assert_true(send_to(&bench, 0, "00 05 56 00 01", ""));
    expect_out(&bench, "00 04 56 01", "");
    assert_true(send_to(&bench, 0, "00 17 4f", "timestamp,robot_mode"));
    expect_out(&bench, "00 0f 4f", "DOUBLE,INT32");
    assert_true(send_to(&bench, 0, "00 03 53", ""));
    tick_at(&bench, 0, 0);
    expect_out(&bench, "00 0f 55 40 09 21 fb 54 44 2d 18 ff ff ff ff", "");
    end(&bench);
}

static void test_not_found(void **state)
{
    static const char *const hidden[] = {"robot_mode"};
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3, .hidden = {hidden, 1}});
    set_up(&bench, 0, RTDE_8, "payload,timestamp,robot_mode");
    expect_out(&bench, "00 1e 4f 00", "NOT_FOUND,DOUBLE,NOT_FOUND");
    assert_true(send_to(&bench, 0, "00 03 53", ""));
    expect_out(&bench, "00 04 53 00", "");
    assert_non_null(strstr(bench.said, "NOT_FOUND: payload, robot_mode"));
    tick_at(&bench, 0, 0);
    expect_out(&bench, "", "");
    end(&bench);
}

/* As programs write lists: the names are the same without the blanks around them. */
static void test_blanks(void **state)
{
    static const char *const lists[] = {"timestamp, robot_mode", " timestamp\t,robot_mode ",
                                        "timestamp,\r\nrobot_mode\r\n", "timestamp , robot_mode, ",
                                        "timestamp,robot_mode,"};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct bench bench;
        begin(&bench, (struct rtde_server_options){.max_protocol = 3});
        set_up(&bench, 0, RTDE_8, lists[i]);
        expect_out(&bench, "00 10 4f 01", "DOUBLE,INT32");
        end(&bench);
    }
}

/* A tick at which robot_mode is not recorded, then is repeated, filled, recorded: what is sent, and what is said once.
 */
static void test_not_recorded(void **state)
{
    static const struct {
        enum given given;
        bool is_sent;
        const char *said;
    } rows[] = {{GIVEN_RECORDED, true, ""},
                {GIVEN_NOT, false, "a: from 2026-01-31T12:00:01.000000000Z on not recorded: robot_mode: no packages"},
                {GIVEN_AGAIN, true, "not recorded: robot_mode: the last value is repeated"},
                {GIVEN_FILL, true, "not recorded: robot_mode: simulated (--fill)"},
                {GIVEN_RECORDED, true, "on recorded: robot_mode\n"}};
    struct bench bench;
    uint8_t given[VARIABLES_MAX];
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3, .moments = {.has_times = true}});
    set_up(&bench, 0, RTDE_8, "timestamp,robot_mode");
    assert_true(send_to(&bench, 0, "00 03 53", ""));
    memset(given, GIVEN_RECORDED, sizeof given);
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        struct tick tick = {.time = (int64_t)i * CYCLE,
                            .captured = INT64_C(1769860801000000000),
                            .for_whom = TICK_RTDE,
                            .image = variables_first(bench.variables),
                            .given = given};
        given[variables_find(bench.variables, "robot_mode", 10)->index] = (uint8_t)rows[i / 2].given;
        bench.out.length = 0;
        bench.said[0] = i % 2 == 0 ? '\0' : bench.said[0];
        size_t length = strlen(bench.said);
        rtde_server_kind.tick(bench.peer[0], &tick, &bench.out);
        assert_int_equal(bench.out.length > 0, rows[i / 2].is_sent);
        assert_non_null(strstr(bench.said, rows[i / 2].said));
        assert_true(i % 2 == 0 || strlen(bench.said) == length); /* once */
    }
    end(&bench);
}

/* A message before the reply to V is in protocol 1's layout. */
static void test_text(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3, .text = "hello"});
    expect_out(&bench, "00 09 4d 02", "hello");
    end(&bench);
}

/* ---- rates
 * ----------------------------------------------------------------------------------------------------------- */

static unsigned count_sent(struct bench *bench, const char *frequency, int64_t cycle, unsigned ticks, unsigned lacking)
{
    unsigned sent = 0;
    set_up(bench, 0, frequency, "timestamp");
    assert_true(send_to(bench, 0, "00 03 53", ""));
    for (unsigned i = 0; i < ticks; i++) {
        if (i == lacking)
            continue;
        tick_at(bench, 0, i * cycle);
        sent += bench->out.length > 0;
    }
    return sent;
}

static void test_rates(void **state)
{
    static const struct {
        const char *frequency;
        unsigned sent; /* of 120 ticks at 125 Hz */
    } rows[] = {
        {RTDE_8, 120},                    /* 125 */
        {"40 7f 40 00 00 00 00 00", 120}, /* 500: more than there is */
        {"40 4f 40 00 00 00 00 00", 60},  /* 62.5: every second */
        {"40 4f 80 00 00 00 00 00", 120}, /* 63: every one, as 125/63 is rounded down */
        {"40 4e 00 00 00 00 00 00", 60},  /* 60: every second */
        {"40 44 80 00 00 00 00 00", 40},  /* 41: every third */
        {"3f f0 00 00 00 00 00 00", 1},   /* 1 */
        {"00 00 00 00 00 00 00 00", 120}, /* 0 */
        {"7f f8 00 00 00 00 00 00", 120}, /* NaN */
        {"c0 5f 40 00 00 00 00 00", 120}, /* -125 */
    };
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(count_sent(&bench, rows[i].frequency, CYCLE, 120, UINT32_MAX), rows[i].sent);
    /* By clock, not by count: where a tick is missing, the next one due keeps its place. */
    assert_int_equal(count_sent(&bench, "40 4f 40 00 00 00 00 00", CYCLE, 120, 51), 60);
    end(&bench);
}

/* ---- inputs
 * ---------------------------------------------------------------------------------------------------------- */

static void test_inputs(void **state)
{
    static const char *const in_use[] = {"speed_slider_mask"};
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3, .in_use = {in_use, 1}});
    open_peer(&bench, 1);
    assert_true(send_to(&bench, 0, "00 17 49", "input_int_register_0"));
    expect_out(&bench, "00 09 49 01", "INT32");
    assert_true(send_to(&bench, 0, "00 17 49", "input_int_register_1"));
    expect_out(&bench, "00 09 49 02", "INT32");
    assert_true(send_to(&bench, 1, "00 1c 49", "input_int_register_1,nope"));
    expect_out(&bench, "00 14 49 00", "IN_USE,NOT_FOUND");
    assert_true(send_to(&bench, 1, "00 14 49", "speed_slider_mask"));
    expect_out(&bench, "00 0a 49 00", "IN_USE");
    assert_true(send_to(&bench, 1, "00 0c 49", "timestamp")); /* an output */
    expect_out(&bench, "00 0d 49 00", "NOT_FOUND");
    close_peer(&bench, 0);
    assert_true(send_to(&bench, 1, "00 17 49", "input_int_register_1"));
    expect_out(&bench, "00 09 49 01", "INT32");
    end(&bench);
}

/* Written by one client, read back by another; the speed slider, unless its mask is 0. */
static void test_read_back(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3});
    open_peer(&bench, 1);
    set_up(&bench, 1, RTDE_8, "input_int_register_0,target_speed_fraction");
    assert_true(send_to(&bench, 1, "00 03 53", ""));
    tick_at(&bench, 1, 0);
    expect_out(&bench, "00 10 55 01 00 00 00 00 00 00 00 00 00 00 00 00", "");
    assert_true(send_to(&bench, 0, "00 05 56 00 02", ""));
    assert_true(send_to(&bench, 0, "00 3f 49", "speed_slider_mask,speed_slider_fraction,input_int_register_0"));
    expect_out(&bench, "00 17 49 01", "UINT32,DOUBLE,INT32");
    assert_true(send_to(&bench, 0, "00 14 55 01 00 00 00 00 3f e0 00 00 00 00 00 00 00 00 00 2a", ""));
    tick_at(&bench, 1, CYCLE);
    expect_out(&bench, "00 10 55 01 00 00 00 2a 00 00 00 00 00 00 00 00", "");
    assert_true(send_to(&bench, 0, "00 14 55 01 00 00 00 01 3f e0 00 00 00 00 00 00 00 00 00 2b", ""));
    tick_at(&bench, 1, 2 * CYCLE);
    expect_out(&bench, "00 10 55 01 00 00 00 2b 3f e0 00 00 00 00 00 00", "");
    assert_true(send_to(&bench, 0, "00 04 55 09", "")); /* not set up: said, not fatal */
    assert_non_null(strstr(bench.said, "input recipe 9: not set up"));
    end(&bench);
}

static void test_255_recipes(void **state)
{
    struct bench bench;
    char id[32];
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3});
    for (unsigned i = 1; i <= 255; i++) {
        assert_true(send_to(&bench, 0, "00 17 49", "input_int_register_0"));
        snprintf(id, sizeof id, "00 09 49 %02x", i);
        expect_out(&bench, id, "INT32");
    }
    assert_true(send_to(&bench, 0, "00 17 49", "input_int_register_0"));
    expect_out(&bench, "00 09 49 00", "INT32");
    end(&bench);
}

/* Configurable outputs have 8 bits before protocol 3. */
static void test_types_of_inputs(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3});
    assert_true(send_to(&bench, 0, "00 05 56 00 02", ""));
    assert_true(send_to(&bench, 0, "00 1e 49", "configurable_digital_output"));
    expect_out(&bench, "00 09 49 01", "UINT8");
    assert_true(send_to(&bench, 0, "00 05 56 00 03", ""));
    assert_true(send_to(&bench, 0, "00 1e 49", "configurable_digital_output"));
    expect_out(&bench, "00 0a 49 02", "UINT32");
    end(&bench);
}

static void test_properties(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, (struct rtde_server_options){.max_protocol = 3});
    assert_true(send_to(&bench, 0, "00 05 56 00 03", ""));
    assert_true(send_to(&bench, 0, "00 16 52", "v1.software.version"));
    expect_out(&bench, "00 13 52 00 06 55 49 4e 54 36 34 00 05 00 0b 00 01 a8 6b", "");
    assert_true(send_to(&bench, 0, "00 07 52", "nope"));
    expect_out(&bench, "00 0e 52 00 09", "NOT_FOUND");
    end(&bench);
}

/* ---- bad clients
 * ----------------------------------------------------------------------------------------------------- */

static void test_not_rtde(void **state)
{
    static const char *const hex[] = {"00 02 56",    "00 00 00", "47 45 54 20", "00 05 58 00 01",
                                      "00 04 56 01", "00 02 55", "00 04 49"};
    (void)state;
    for (size_t i = 0; i < sizeof hex / sizeof *hex; i++) {
        struct bench bench;
        begin(&bench, (struct rtde_server_options){.max_protocol = 3});
        bool goes_on = send_to(&bench, 0, hex[i], "");
        assert_int_equal(goes_on, i == 6); /* whose last byte is still to come */
        if (i < 6)
            assert_non_null(strstr(bench.said, "closed"));
        end(&bench);
    }
}

/* The same answers, however the bytes are cut. */
static void test_chunks(void **state)
{
    struct bytes all = {0};
    struct bench bench;
    struct buffer whole = {0};
    (void)state;
    bytes_hex(&all, "00 05 56 00 02 00 03 76 00 1f 4f " RTDE_8);
    bytes_text(&all, "timestamp,robot_mode");
    bytes_hex(&all, "00 03 53 00 03 50");
    for (size_t step = all.length; step > 0; step--) {
        struct buffer answers = {0};
        begin(&bench, (struct rtde_server_options){.max_protocol = 3});
        for (size_t at = 0; at < all.length; at += step) {
            bench.out.length = 0;
            size_t length = all.length - at < step ? all.length - at : step;
            assert_true(rtde_server_kind.receive(bench.peer[0], all.at + at, length, &bench.out));
            buffer_put(&answers, bench.out.data, bench.out.length);
        }
        if (step == all.length)
            buffer_put(&whole, answers.data, answers.length);
        assert_int_equal(answers.length, whole.length);
        assert_memory_equal(answers.data, whole.data, whole.length);
        free(answers.data);
        end(&bench);
    }
    assert_int_equal(whole.length, 4 + 19 + 16 + 4 + 4);
    free(whole.data);
    bytes_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dance),           cmocka_unit_test(test_data),       cmocka_unit_test(test_protocol_1),
        cmocka_unit_test(test_not_found),       cmocka_unit_test(test_text),       cmocka_unit_test(test_rates),
        cmocka_unit_test(test_inputs),          cmocka_unit_test(test_read_back),  cmocka_unit_test(test_255_recipes),
        cmocka_unit_test(test_types_of_inputs), cmocka_unit_test(test_properties), cmocka_unit_test(test_not_rtde),
        cmocka_unit_test(test_chunks),          cmocka_unit_test(test_blanks),     cmocka_unit_test(test_not_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
