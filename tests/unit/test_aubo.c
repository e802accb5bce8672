/* AUBO's RTDE over raw TCP and over WebSocket. Messages are written out, frames are built by hand. */
#include "aubo_scans.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoders/aubo_session.h"
#include "connection/conn.h"
#include "inside.h"

#define FROM ARMTAP_FROM_ROBOT
#define TO ARMTAP_TO_ROBOT

static const struct armtap_conn_options on_port = {.size = sizeof on_port, .protocol = ARMTAP_AUBO};

/* ---- allocations that fail ---- */

static struct {
    long left; /* allocations that succeed; -1: all */
    bool failed;
} memory = {-1, false};

static bool fails(void)
{
    if (memory.left != 0) {
        memory.left -= memory.left > 0;
        return false;
    }
    memory.failed = true;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

/* ---- scripts of texts ---- */

/* '>' to the robot, '<' from it. */
struct line {
    char arrow;
    const char *text;
};

static void say(struct script *script, enum armtap_direction direction, const void *text, size_t length)
{
    struct bytes bytes = {0};
    bytes_add(&bytes, text, length);
    script_add(script, direction, &bytes);
    bytes_free(&bytes);
}

static void say_text(struct script *script, enum armtap_direction direction, const char *text)
{
    say(script, direction, text, strlen(text));
}

static struct script raw(const struct line *lines, size_t count)
{
    struct script script = {.count = 0};
    for (size_t i = 0; i < count; i++)
        say_text(&script, lines[i].arrow == '>' ? TO : FROM, lines[i].text);
    return script;
}

static void check_log(const struct script *script, const char *wanted)
{
    struct log log = script_log(script, &on_port);
    assert_string_equal(log.text, wanted);
    log_free(&log);
}

static void check_lines(const struct line *lines, size_t count, const char *wanted)
{
    struct script script = raw(lines, count);
    check_log(&script, wanted);
    script_free(&script);
}
#define CHECK(lines, wanted) check_lines(lines, sizeof lines / sizeof lines[0], wanted)

/* Every cut, every pair of cuts if they are not too many, and single bytes give the same log. */
static void check_splits(const struct script *script, size_t stride)
{
    struct log whole = {0}, cut = {0};
    size_t length = script->bytes.length, *all = malloc(length * sizeof *all);
    assert_non_null(all);
    script_play(script, &on_port, NULL, 0, &whole);
    for (size_t i = 0; i < length; i++) {
        all[i] = i + 1;
        for (size_t k = i; k < length; k += stride) {
            size_t cuts[] = {i + 1, k + 1};
            log_clear(&cut);
            script_play(script, &on_port, cuts, 2, &cut);
            if (strcmp(cut.text, whole.text) != 0)
                fail_msg("cut at %zu and %zu:\n%s\nwhole:\n%s", cuts[0], cuts[1], cut.text, whole.text);
        }
    }
    log_clear(&cut);
    script_play(script, &on_port, all, length, &cut);
    assert_string_equal(cut.text, whole.text);
    free(all);
    log_free(&whole);
    log_free(&cut);
}

/* ---- the examples of the vendor's guide ---- */

#define SUBSCRIBE_Q                                                                                                    \
    "[100,{\"chanel\":0,\"frequency\":50.0,\"segments\":[\"R1_actual_q\"],\"to_server\":false,\"trigger\":0}]"
#define PUBLISH_TWO                                                                                                    \
    "[100,{\"chanel\":1,\"frequency\":1.0,\"segments\":[\"input_float_registers_0\",\"input_double_registers_1\"],"    \
    "\"to_server\":true,\"trigger\":0}]"
#define READ_TWO                                                                                                       \
    "[100,{\"chanel\":1,\"frequency\":50.0,\"segments\":[\"input_float_registers_r0\",\"input_double_registers_r1\"]," \
    "\"to_server\":false,\"trigger\":0}]"
#define DATA_Q "[0,[0.0,-0.2618,1.74532925,0.43633231,-1.5707963267949,1e-05]]"

static const struct line guide[] = {
    {'>', SUBSCRIBE_Q},   {'<', DATA_Q},   {'>', PUBLISH_TWO},
    {'>', "[1,3.1,4.1]"}, {'>', READ_TWO}, {'<', "[1,3.0999999046325684,4.1]"},
};
#define GUIDE (sizeof guide / sizeof guide[0])

#define Q_VALUES "actual_q=[0, -0.2618, 1.74532925, 0.43633231, -1.5707963267949, 1e-05]\n"

static void test_the_examples_of_the_guide(void **unused)
{
    (void)unused;
    CHECK(guide, "event > recognised 0\n"
                 "recipe < id0 50 Hz R1_actual_q:VECTOR6D\n"
                 "record < @0 +62 v0 id0 R1_" Q_VALUES
                 "recipe > id1 1 Hz input_float_registers_0:? input_double_registers_1:?\n"
                 "record > @221 +11 v0 id1 input_float_registers_0=3.1 input_double_registers_1=4.1\n"
                 "recipe < id1 50 Hz input_float_registers_r0:? input_double_registers_r1:?\n"
                 "record < @62 +26 v0 id1 input_float_registers_r0=3.0999999046325684 input_double_registers_r1=4.1\n"
                 "stream aubo v0 aubo controller \"\" gaps 0\n"
                 "  < records 2 decoded 88 lost 0 skipped 0\n"
                 "  > records 1 decoded 365 lost 0 skipped 0\n");
}

static void test_the_guide_in_all_splits(void **unused)
{
    struct script script = raw(guide, GUIDE);
    (void)unused;
    check_splits(&script, 29);
    script_free(&script);
}

/* ---- WebSocket ---- */

#define REQUEST                                                                                                        \
    "GET / HTTP/1.1\r\nHost: 192.168.127.128:9013\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"                    \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
#define ANSWER                                                                                                         \
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"                                \
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

/* A frame: its first byte and its payload, masked if it goes to the robot. */
static void frame(struct script *script, enum armtap_direction direction, unsigned first, const void *payload,
                  size_t length)
{
    static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
    struct bytes bytes = {0};
    unsigned masked = direction == TO ? 0x80 : 0;
    bytes_number(&bytes, first, 1);
    if (length < 126) {
        bytes_number(&bytes, masked | length, 1);
    } else {
        bytes_number(&bytes, masked | (length < 65536 ? 126 : 127), 1);
        bytes_number(&bytes, length, length < 65536 ? 2 : 8);
    }
    if (masked)
        bytes_add(&bytes, mask, 4);
    for (size_t i = 0; i < length; i++) {
        uint8_t c = ((const uint8_t *)payload)[i] ^ (masked ? mask[i % 4] : 0);
        bytes_add(&bytes, &c, 1);
    }
    script_add(script, direction, &bytes);
    bytes_free(&bytes);
}

static void text_frame(struct script *script, enum armtap_direction direction, const char *text)
{
    frame(script, direction, 0x81, text, strlen(text));
}

static struct script upgraded(void)
{
    struct script script = {.count = 0};
    say(&script, TO, REQUEST, strlen(REQUEST));
    say(&script, FROM, ANSWER, strlen(ANSWER));
    return script;
}

static struct script guide_on_the_web(void)
{
    struct script script = upgraded();
    for (size_t i = 0; i < GUIDE; i++)
        text_frame(&script, guide[i].arrow == '>' ? TO : FROM, guide[i].text);
    frame(&script, TO, 0x88, "\x03\xe8", 2);
    frame(&script, FROM, 0x88, "\x03\xe8", 2);
    return script;
}

static void test_the_guide_over_a_websocket(void **unused)
{
    struct script script = guide_on_the_web();
    (void)unused;
    check_log(&script,
              "event > recognised 0\n"
              "recipe < id0 50 Hz R1_actual_q:VECTOR6D\n"
              "record < @129 +64 v0 id0 R1_" Q_VALUES
              "recipe > id1 1 Hz input_float_registers_0:? input_double_registers_1:?\n"
              "record > @394 +17 v0 id1 input_float_registers_0=3.1 input_double_registers_1=4.1\n"
              "recipe < id1 50 Hz input_float_registers_r0:? input_double_registers_r1:?\n"
              "record < @193 +28 v0 id1 input_float_registers_r0=3.0999999046325684 input_double_registers_r1=4.1\n"
              "stream aubo v0 aubo controller \"\" gaps 0\n"
              "  < records 2 decoded 225 lost 0 skipped 0\n"
              "  > records 1 decoded 560 lost 0 skipped 0\n");
    script_free(&script);
}

static void test_the_websocket_in_all_splits(void **unused)
{
    struct script script = guide_on_the_web();
    (void)unused;
    check_splits(&script, 307);
    script_free(&script);
}

static void test_fragments_and_control_frames(void **unused)
{
    struct script script = upgraded();
    (void)unused;
    frame(&script, TO, 0x01, SUBSCRIBE_Q, 30);
    frame(&script, TO, 0x89, "are you there", 13);
    frame(&script, FROM, 0x8a, "are you there", 13);
    frame(&script, TO, 0x80, &SUBSCRIBE_Q[30], strlen(SUBSCRIBE_Q) - 30);
    text_frame(&script, FROM, DATA_Q "\n");
    text_frame(&script, FROM, "[0,[1,2,3,4,5,6]] [0,[1,2,3,4,5,6]]");
    text_frame(&script, FROM, "[0,[1,2,3");
    frame(&script, FROM, 0x82, "[0,[1]]", 7);
    frame(&script, FROM, 0x88,
          "\x03\xea"
          "no",
          4);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, "R1_" Q_VALUES));
    assert_true(log_has(&log, "aubo.message.bad: fault=a WebSocket message with bytes after its list offset=209\n"));
    assert_true(log_has(&log, "aubo.message.bad: fault=a WebSocket message without a whole list offset=246\n"));
    assert_true(log_has(&log, "aubo.message.bad: fault=a binary message offset=257\n"));
    assert_true(log_has(&log, "websocket.bad: case=closed code=1002 quoted='no'\n"));
    assert_int_equal(log.records[FROM], 1);
    assert_int_equal(log.notes, 4);
    log_free(&log);
    script_free(&script);
}

static void test_what_a_websocket_cannot_go_on_after(void **unused)
{
    struct script script = upgraded();
    (void)unused;
    text_frame(&script, TO, SUBSCRIBE_Q);
    text_frame(&script, FROM, DATA_Q);
    say(&script, FROM, "\xff\xff\xff", 3);
    text_frame(&script, FROM, DATA_Q);
    text_frame(&script, TO, PUBLISH_TWO);
    struct log log = script_log(&script, &on_port);
    assert_int_equal(log.records[FROM], 1);
    assert_int_equal(log_count(&log, "websocket.bad"), 1);
    assert_true(log_has(&log, "websocket.bad: case=no-frame offset=193\n"));
    assert_true(log_has(&log, "recipe > id1"));
    log_free(&log);
    script_free(&script);
}

/* Data that cannot be inflated is a fault if the stream was captured from its beginning; otherwise the data it builds
 * on was not captured. An invalid frame is a fault in both cases. */
static void test_what_cannot_be_inflated(void **unused)
{
    struct armtap_conn_options options = on_port;
    struct script script = upgraded();
    (void)unused;
    frame(&script, FROM, 0xc1, "\xff\xff\xff\xff", 4);
    struct log log = script_log(&script, &options);
    assert_int_equal(
        log_count(&log, "websocket.bad: case=frame offset=129 fault=compressed data that cannot be inflated\n"), 1);
    assert_int_equal(log_count(&log, "case=compressed"), 0);
    log_free(&log);
    script_free(&script);
    for (unsigned compressed = 0; compressed < 2; compressed++) {
        options.midstream = true;
        script = (struct script){.count = 0};
        say(&script, FROM, "2,3,4,5,6]]", 11);
        text_frame(&script, FROM, DATA_Q);
        text_frame(&script, FROM, "[0,[1,2,3,4,5,6]]");
        text_frame(&script, TO, SUBSCRIBE_Q);
        text_frame(&script, FROM, DATA_Q);
        frame(&script, FROM, compressed ? 0xc1 : 0x81, "\xff\xff\xff\xff", 4);
        log = script_log(&script, &options);
        assert_int_equal(log_count(&log, "websocket.bad"), 1);
        assert_int_equal(log_count(&log, "websocket.bad: case=frame offset=158 fault=text that is not UTF-8\n"),
                         !compressed);
        assert_int_equal(log_count(&log, "websocket.bad: case=compressed\n"), compressed);
        log_free(&log);
        script_free(&script);
    }
}

static void test_a_refused_upgrade(void **unused)
{
    static const char refusal[] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    struct script script = {.count = 0};
    (void)unused;
    say(&script, TO, REQUEST, strlen(REQUEST));
    say(&script, FROM, refusal, strlen(refusal));
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, "note < websocket.bad: case=refused status=403\n"));
    log_free(&log);
    script_free(&script);
}

static void test_a_websocket_from_its_middle(void **unused)
{
    struct armtap_conn_options options = on_port;
    struct script script = {.count = 0};
    (void)unused;
    options.midstream = true;
    say(&script, FROM, "2,3,4,5,6]]", 11);
    text_frame(&script, FROM, DATA_Q);
    text_frame(&script, FROM, "[0,[1,2,3,4,5,6]]");
    text_frame(&script, TO, SUBSCRIBE_Q);
    text_frame(&script, FROM, DATA_Q);
    struct log log = script_log(&script, &options);
    assert_int_equal(log.records[FROM], 3);
    assert_int_equal(log_count(&log, "opaque"), 2);
    assert_int_equal(log_count(&log, "aubo.channel.unknown"), 1);
    assert_true(log_has(&log, "R1_" Q_VALUES));
    assert_true(log_has(&log, "skipped 11\n"));
    log_free(&log);
    script_free(&script);
}

/* ---- bytes between and within messages ---- */

#define SUBSCRIBE(channel, segments)                                                                                   \
    "[100,{\"chanel\":" channel ",\"frequency\":10,\"segments\":[" segments "],\"to_server\":false}]"

/* Invalid bytes cost no messages, whatever separates the messages and wherever segments cut them. */
static void test_damage_by_separator(void **unused)
{
    static const struct {
        const char *text;
        size_t length;
    } separators[] = {{"", 0}, {"\n", 1}, {"\0", 1}, {"\r\n", 2}, {" ", 1}, {"\n\n  \n", 5}};
    (void)unused;
    for (size_t i = 0; i < sizeof separators / sizeof separators[0]; i++)
        for (size_t segment = 1; segment < 120; segment += 7) {
            struct script script = {.count = 0};
            struct bytes bytes = {0};
            size_t cuts[400], count = 0;
            say_text(&script, TO, SUBSCRIBE("0", "\"line_number\""));
            size_t begin = script.bytes.length;
            for (unsigned k = 0; k < 20; k++) {
                bytes_text(&bytes, k == 5 ? "xxx  [0,12345]" : "[0,12345]");
                bytes_add(&bytes, separators[i].text, separators[i].length);
            }
            script_add(&script, FROM, &bytes);
            for (size_t at = begin; at < script.bytes.length; at += segment)
                cuts[count++] = at;
            struct log log = {0};
            script_play(&script, &on_port, cuts, count, &log);
            if (log.records[FROM] != 20)
                fail_msg("%u records of 20 with separator %zu in segments of %zu", log.records[FROM], i, segment);
            log_free(&log);
            script_free(&script);
            bytes_free(&bytes);
        }
}

static void test_separators(void **unused)
{
    struct script script = {.count = 0};
    static const char between[] = "\n\0\r\n \t[0,2] \0\n\n  [0,3]\n";
    char blanks[600];
    (void)unused;
    memset(blanks, ' ', sizeof blanks);
    say(&script, TO, SUBSCRIBE("0", "\"line_number\""), strlen(SUBSCRIBE("0", "\"line_number\"")));
    say(&script, FROM, "[0,1]", 5);
    say(&script, FROM, between, sizeof between - 1);
    say(&script, FROM, blanks, sizeof blanks);
    say(&script, FROM, "[ 0 ,\t4\r\n]", 10);
    struct log log = script_log(&script, &on_port);
    for (unsigned i = 1; i <= 4; i++) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "line_number=%u\n", i);
        assert_true(log_has(&log, wanted));
    }
    assert_int_equal(log.records[FROM], 4);
    assert_int_equal(log.notes, 0);
    assert_true(log_has(&log, "skipped 0\n  >"));
    log_free(&log);
    check_splits(&script, 223);
    script_free(&script);
}

static void test_values_keep_their_types(void **unused)
{
    static const struct line lines[] = {
        {'>', SUBSCRIBE("3", "\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\"")},
        {'<', "[3,true,-7,18446744073709551615,18446744073709551616,-9223372036854775809,1.50,"
              "\"x\\\"]\\u0041\\u00e4\",null,[ [1.10, 2] , [] , \"a b\" ],{\"k\" : [NaN, -Infinity], \"l\":1E5},NaN]"},
        {'<', "[3,false,9223372036854775807,9223372036854775808,1e400,-0.0,\"\",\"\\u0000\",[],{},0,Infinity]"},
        {'<', "[3,1,100000000000000000000,-10000000000000000000,4,5,6,7,8,9,10,11]"},
    };
    (void)unused;
    struct script script = raw(lines, 4);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, " a=1 b=-7 c=18446744073709551615 d=1.8446744073709552e+19 e=-9.2233720368547758e+18"
                              " f=1.5 g=\"x\"]A\xc3\xa4\" h=absent i=json [[1.10,2],[],\"a b\"]"
                              " j=json {\"k\":[null,null],\"l\":1E5} k=nan\n"));
    assert_true(log_has(&log, " a=0 b=9223372036854775807 c=9223372036854775808 d=inf e=-0 f=\"\" g=\""));
    assert_true(log_has(&log, " i=json {} j=0 k=inf\n"));
    assert_true(log_has(&log, " a=1 b=1e+20 c=-1e+19 d=4 "));
    assert_int_equal(log.notes, 0);
    log_free(&log);
    script_free(&script);
}

/* ---- fields ---- */

static void test_fields_take_what_means_the_same(void **unused)
{
    static const struct line lines[] = {
        {'>', SUBSCRIBE("0", "\"timestamp\",\"R1_actual_momentum\",\"R1_tcp_force_scalar\",\"R1_elbow_position\","
                             "\"R1_tool_output_current\",\"R1_euromap67_24V_current\",\"R1_master_io_current\","
                             "\"R1_robot_status_bits\",\"R1_speed_scaling\"")},
        {'<', "[0,7,[2.5],[3],[1,2,3.5],0.25,1,0.5,3.0,1]"},
        {'<', "[0,null,[2.5,1],\"much\",[1,2],null,true,[0.5],4294967296,[[1]]]"},
        {'<', "[0,[7],2.5,3,[1,2,null],0,0,0,-1,1]"},
    };
    (void)unused;
    CHECK(lines,
          "event > recognised 0\n"
          "recipe < id0 10 Hz timestamp:DOUBLE R1_actual_momentum:DOUBLE R1_tcp_force_scalar:DOUBLE "
          "R1_elbow_position:VECTOR3D R1_tool_output_current:DOUBLE R1_euromap67_24V_current:DOUBLE "
          "R1_master_io_current:DOUBLE R1_robot_status_bits:UINT32 R1_speed_scaling:DOUBLE\n"
          "record < @0 +42 v0 id0 timestamp=7 R1_actual_momentum=2.5 R1_tcp_force_scalar=3 R1_elbow_position=[1, 2, "
          "3.5] R1_tool_output_current=250 R1_euromap67_24V_current=1000 R1_master_io_current=500 "
          "R1_robot_status_bits=3 R1_speed_scaling=1\n"
          "record < @42 +62 v0 id0 timestamp=absent R1_actual_momentum=json [2.5,1] R1_tcp_force_scalar=\"much\" "
          "R1_elbow_position=json [1,2] R1_tool_output_current=absent R1_euromap67_24V_current=1 "
          "R1_master_io_current=500 R1_robot_status_bits=4294967296 R1_speed_scaling=json [[1]]\n"
          "record < @104 +35 v0 id0 timestamp=7 R1_actual_momentum=2.5 R1_tcp_force_scalar=3 "
          "R1_elbow_position=json [1,2,null] R1_tool_output_current=0 R1_euromap67_24V_current=0 "
          "R1_master_io_current=0 R1_robot_status_bits=-1 R1_speed_scaling=1\n"
          "stream aubo v0 aubo controller \"\" gaps 0\n"
          "  < records 3 decoded 139 lost 0 skipped 0\n"
          "  > records 0 decoded 256 lost 0 skipped 0\n");
}

/* A row of enums.csv: the mode by name and by number, alone and in an array of six. */
static void check_mode(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    char setup[200], data[200], wanted[200];
    unsigned *rows = user;
    const char *prefix = strcmp(cells[0], "runtime_state") == 0 ? "" : "R1_";
    bool six = strcmp(cells[0], "joint_mode") == 0;
    if (count != 4 || strcmp(cells[1], "aubo") != 0 || strcmp(cells[0], "safety_status") == 0)
        return;
    snprintf(setup, sizeof setup, SUBSCRIBE("0", "\"%s%s\""), prefix, cells[0]);
    if (six)
        snprintf(data, sizeof data, "[0,[\"%s\",%s,\"%s\",%s,%s,%s.0]]", cells[3], cells[2], cells[3], cells[2],
                 cells[2], cells[2]);
    else
        snprintf(data, sizeof data, "[0,\"%s\"][0,%s]", cells[3], cells[2]);
    if (six)
        snprintf(wanted, sizeof wanted, " R1_joint_mode=[%s, %s, %s, %s, %s, %s]\n", cells[2], cells[2], cells[2],
                 cells[2], cells[2], cells[2]);
    else
        snprintf(wanted, sizeof wanted, " %s%s=%s\n", prefix, cells[0], cells[2]);
    struct line lines[] = {{'>', setup}, {'<', data}};
    struct script script = raw(lines, 2);
    struct log log = script_log(&script, &on_port);
    assert_int_equal(log_count(&log, wanted), six ? 1 : 2);
    assert_int_equal(log.notes, 0);
    ++*rows;
    log_free(&log);
    script_free(&script);
}

static void test_modes_by_name_and_by_number(void **unused)
{
    unsigned rows = 0;
    (void)unused;
    table_each("enums.csv", check_mode, &rows);
    assert_int_equal(rows, 36);
    static const struct line lines[] = {{'>', SUBSCRIBE("0", "\"R1_robot_mode\"")}, {'<', "[0,\"RUNNING\"]"}};
    struct script script = raw(lines, 2);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, " R1_robot_mode=\"RUNNING\"\n"));
    log_free(&log);
    script_free(&script);
}

/* Which topics map to a field. */
static void test_every_arm_maps_alike(void **unused)
{
    static const char *const names[] = {"R1_actual_q",     "R2_actual_q", "R3_actual_q",  "R4_actual_q",
                                        "R5_actual_q",     "actual_q",    "R1_timestamp", "timestamp",
                                        "R_actual_q",      "R1_",         "R1",           "input_int_registers_0",
                                        "R2_runtime_state"};
    static const unsigned arms[] = {1, 2, 3, 4, 0, 0, 1, 0, 0, 1, 0, 0, 2};
    static const bool has_field[] = {true, true,  true,  true,  false, false, false,
                                     true, false, false, false, false, false};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[200];
        struct armtap_recipe *recipe;
        int length = snprintf(text, sizeof text, " \n" SUBSCRIBE("5", "\"%s\"") "\n", names[i]);
        assert_int_equal(armtap_recipe_aubo(text, (size_t)length, &recipe), ARMTAP_OK);
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, 0);
        assert_string_equal(entry->name, names[i]);
        assert_int_equal(entry->arm, arms[i]);
        assert_int_equal(entry->field != NULL, has_field[i]);
        armtap_recipe_release(recipe);
    }
}

/* ---- several arms ---- */

struct arms_seen {
    unsigned records;
    double q[3][3], clock[3][3]; /* by record and arm */
    size_t count[3];
    bool both[3];
};

static int see_arms(void *user, const struct armtap_record *record)
{
    struct arms_seen *seen = user;
    struct armtap_value value;
    size_t row = seen->records++;
    seen->count[row] = record->arm_count;
    assert_ptr_equal(record->state, record->arms[0].state);
    assert_ptr_equal(record->updated, record->arms[0].updated);
    for (size_t i = 0; i < record->arm_count; i++) {
        unsigned arm = record->arms[i].number;
        armtap_state_get(record->arms[i].state, field_named("actual_q"), &value);
        seen->q[row][arm - 1] = value.present ? value.f64[0] : -1;
        armtap_state_get(record->arms[i].state, field_named("timestamp"), &value);
        seen->clock[row][arm - 1] = value.present ? value.f64[0] : -1;
    }
    return 0;
}

static void push_text(struct armtap_conn *conn, enum armtap_direction direction, const char *text)
{
    assert_int_equal(armtap_conn_push(conn, direction, text, strlen(text), NULL), ARMTAP_OK);
}

static void test_arms_have_states_of_their_own(void **unused)
{
    struct arms_seen seen = {.records = 0};
    struct armtap_sink sink = {.size = sizeof sink, .on_record = see_arms};
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(&on_port, &sink, &seen, &conn), ARMTAP_OK);
    push_text(conn, TO, SUBSCRIBE("0", "\"timestamp\",\"R1_actual_q\",\"R3_actual_q\""));
    push_text(conn, TO, SUBSCRIBE("1", "\"R3_actual_q\""));
    push_text(conn, FROM, "[0,5,[1,0,0,0,0,0],[3,0,0,0,0,0]]");
    push_text(conn, FROM, "[1,[30,0,0,0,0,0]]");
    push_text(conn, FROM, "[0,6,[10,0,0,0,0,0],null]");
    armtap_conn_free(conn);
    assert_int_equal(seen.records, 3);
    assert_int_equal(seen.count[0], 2);
    assert_int_equal(seen.count[1], 1);
    assert_true(seen.q[0][0] == 1 && seen.q[0][2] == 3 && seen.clock[0][0] == 5 && seen.clock[0][2] == 5);
    assert_true(seen.q[1][2] == 30 && seen.clock[1][2] == 5);
    assert_true(seen.q[2][0] == 10 && seen.q[2][2] == 30 && seen.clock[2][2] == 6);
}

/* ---- channels ---- */

static void test_a_channel_in_both_directions_and_anew(void **unused)
{
    static const struct line lines[] = {
        {'>', SUBSCRIBE("99", "\"line_number\"")},
        {'>', "[100,{\"channel\":99,\"frequency\":1,\"segments\":[\"x\",\"y\"],\"to_server\":true}]"},
        {'<', "[99,1]"},
        {'>', "[99,1,2]"},
        {'>', SUBSCRIBE("99", "\"timestamp\",\"line_number\"")},
        {'<', "[99,1.5,2]"},
        {'>', "[99,3,4]"},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe < id99 10 Hz line_number:?\n"
                 "recipe > id99 1 Hz x:? y:?\n"
                 "record < @0 +6 v0 id99 line_number=1\n"
                 "record > @151 +8 v0 id99 x=1 y=2\n"
                 "recipe < id99 10 Hz timestamp:DOUBLE line_number:?\n"
                 "record < @6 +10 v0 id99 timestamp=1.5 line_number=2\n"
                 "record > @250 +8 v0 id99 x=3 y=4\n"
                 "stream aubo v0 aubo controller \"\" gaps 0\n"
                 "  < records 2 decoded 16 lost 0 skipped 0\n"
                 "  > records 2 decoded 258 lost 0 skipped 0\n");
}

/* Pushes with the clock at `seconds`. */
static void push_at(struct armtap_conn *conn, enum armtap_direction direction, const char *text, int seconds)
{
    struct armtap_where where = {
        .size = sizeof where, .time = INT64_C(1000000000) * seconds, .packet = (uint64_t)seconds};
    assert_int_equal(armtap_conn_push(conn, direction, text, strlen(text), &where), ARMTAP_OK);
}

/* A set-up gets no reply: data already under way still follows the previous one. Its number of topics shows that if it
 * differs, for at most a second. */
static void test_what_is_under_way_when_a_channel_is_set_up_anew(void **unused)
{
    struct log log = {.values = true};
    struct armtap_sink sink = log_sink();
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
    push_at(conn, TO, SUBSCRIBE("4", "\"a\",\"b\""), 1);
    push_at(conn, FROM, "[4,1,2]", 2);
    push_at(conn, TO, SUBSCRIBE("4", "\"x\",\"y\",\"z\""), 3);
    push_at(conn, FROM, "[4,3,4]", 3);
    push_at(conn, FROM, "[4,5,6,7]", 4);
    push_at(conn, FROM, "[4,8,9]", 4);
    push_at(conn, TO, SUBSCRIBE("4", "\"c\""), 5);
    push_at(conn, FROM, "[4,10,11,12]", 7);
    armtap_conn_free(conn);
    assert_true(log_has(&log, " a=1 b=2\n"));
    assert_true(log_has(&log, " a=3 b=4\n"));
    assert_true(log_has(&log, " x=5 y=6 z=7\n"));
    assert_true(log_has(&log, " x=8 y=9 z=absent\n"));
    assert_true(log_has(&log, " c=10\n"));
    assert_int_equal(log_count(&log, "aubo.values.count"), 2);
    log_free(&log);
}

static void test_a_channel_that_is_ended(void **unused)
{
    static const char *const ends[] = {
        "[100,{\"chanel\":4,\"frequency\":0,\"segments\":[],\"to_server\":false,\"trigger\":0}]",
        "[100,{\"chanel\":4,\"frequency\":0.0,\"segments\":[\"line_number\"],\"to_server\":false,\"trigger\":0}]",
        "[100,{\"chanel\":4,\"frequency\":10,\"segments\":[],\"to_server\":false,\"trigger\":0}]",
    };
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        struct log log = {.values = true};
        struct armtap_sink sink = log_sink();
        struct armtap_conn *conn;
        assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
        push_at(conn, TO, SUBSCRIBE("4", "\"line_number\""), 1);
        push_at(conn, FROM, "[4,1]", 2);
        push_at(conn, TO, ends[i], 3);
        push_at(conn, FROM, "[4,2]", 4); /* already under way */
        push_at(conn, FROM, "[4,3]", 5);
        push_at(conn, FROM, "[4,4]", 6);
        push_at(conn, TO, SUBSCRIBE("4", "\"line_number\""), 7);
        push_at(conn, FROM, "[4,5]", 8);
        armtap_conn_free(conn);
        assert_true(log_has(&log, " packet 4 line_number=2\n"));
        assert_int_equal(log_count(&log, "opaque"), 2);
        assert_int_equal(log_count(&log, "note < aubo.channel.unknown"), 1);
        assert_true(log_has(&log, "direction=from-robot channel=4 is_ended\n"));
        assert_true(log_has(&log, "line_number=5\n"));
        assert_int_equal(log_count(&log, "event < pause 4\n"), 1);
        log_free(&log);
    }
}

/* Only a frequency of 0 ends a channel; a missing or impossible frequency means unknown. */
static void test_a_set_up_without_a_frequency(void **unused)
{
    static const char *const frequencies[] = {"", "\"frequency\":-5,", "\"frequency\":1e999,", "\"frequency\":NaN,"};
    (void)unused;
    for (size_t i = 0; i < 4; i++) {
        char text[120];
        struct script script = {.count = 0};
        snprintf(text, sizeof text, "[100,{\"chanel\":2,%s\"segments\":[\"line_number\"]}]", frequencies[i]);
        say_text(&script, TO, text);
        say_text(&script, FROM, "[2,7]");
        struct log log = script_log(&script, &on_port);
        assert_true(log_has(&log, "recipe < id2 0 Hz line_number:?\n"));
        assert_true(log_has(&log, "line_number=7\n"));
        log_free(&log);
        script_free(&script);
    }
}

static void test_unknown_channels(void **unused)
{
    static const struct line lines[] = {
        {'<', "[7,1][7,2]"},
        {'>', "[7,true]"},
        {'<', "[8,\"x\"]"},
    };
    (void)unused;
    CHECK(lines, "event < recognised 0\n"
                 "note < aubo.channel.unknown: direction=from-robot channel=7\n"
                 "record < @0 +5 v0 id7 opaque\n"
                 "record < @5 +5 v0 id7 opaque\n"
                 "note > aubo.channel.unknown: direction=to-robot channel=7\n"
                 "record > @0 +8 v0 id7 opaque\n"
                 "note < aubo.channel.unknown: direction=from-robot channel=8\n"
                 "record < @10 +7 v0 id8 opaque\n"
                 "stream aubo v0 aubo controller \"\" gaps 0\n"
                 "  < records 3 decoded 17 lost 0 skipped 0\n"
                 "  > records 1 decoded 8 lost 0 skipped 0\n");
}

static void test_the_recipe_given(void **unused)
{
    static const char given[] = "\r\n" SUBSCRIBE("7", "\"line_number\"") "\n";
    struct log log = {.values = true};
    struct armtap_sink sink = log_sink();
    struct armtap_conn *conn;
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_aubo(given, sizeof given - 1, &recipe), ARMTAP_OK);
    assert_int_equal(armtap_recipe_protocol(recipe), ARMTAP_AUBO);
    assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_set_recipe(conn, recipe), ARMTAP_OK);
    armtap_recipe_release(recipe);
    push_text(conn, FROM, "[7,1][8,2]");
    push_text(conn, TO, "[7,3]");
    push_text(conn, TO, SUBSCRIBE("7", "\"timestamp\""));
    push_text(conn, FROM, "[7,4]");
    armtap_conn_free(conn);
    assert_string_equal(log.text, "event < recognised 0\n"
                                  "recipe < id7 10 Hz line_number:?\n"
                                  "record < @0 +5 v0 id7 line_number=1\n"
                                  "note < aubo.channel.unknown: direction=from-robot channel=8\n"
                                  "record < @5 +5 v0 id8 opaque\n"
                                  "note > aubo.channel.unknown: direction=to-robot channel=7\n"
                                  "record > @0 +5 v0 id7 opaque\n"
                                  "recipe < id7 10 Hz timestamp:DOUBLE\n"
                                  "record < @10 +5 v0 id7 timestamp=4\n");
    log_free(&log);
}

/* What is wrong with a set-up, and the text from there on, unless it does not matter where. */
static void test_what_is_no_recipe(void **unused)
{
    static const struct {
        const char *text, *fault, *from;
    } wrong[] = {
        {"", "it does not end", ""},
        {" ", "it does not end", ""},
        {"[", "it does not end", ""},
        {"[]", "not a list that begins with 100", "[]"},
        {"[100]", "a setup that is not 100 and one object", "[100]"},
        {"[100,{}]", "a setup without a channel", "{}]"},
        {"{\"chanel\":0}", "not a list that begins with 100", "{\"chanel\":0}"},
        {"[0,1]", "not a list that begins with 100", "[0,1]"},
        {"100", "not a list", "100"},
        {" null", "not a list", " null"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[]}]", "a setup without segments, which ends its channel",
         NULL},
        {"[100,{\"chanel\":0,\"frequency\":1}]", "a setup without a list of segments",
         "{\"chanel\":0,\"frequency\":1}]"},
        {"[100,{\"chanel\":100,\"frequency\":1,\"segments\":[\"a\"]}]", "a setup whose channel is not from 0 to 99",
         "100,\"frequency\":1,\"segments\":[\"a\"]}]"},
        {"[100,{\"chanel\":-1,\"frequency\":1,\"segments\":[\"a\"]}]", "a setup whose channel is not from 0 to 99",
         "-1,\"frequency\":1,\"segments\":[\"a\"]}]"},
        {"[100,{\"chanel\":\"0\",\"frequency\":1,\"segments\":[\"a\"]}]", "a setup whose channel is not from 0 to 99",
         "\"0\",\"frequency\":1,\"segments\":[\"a\"]}]"},
        {"[100,{\"chanel\":0,\"frequency\":\"1\",\"segments\":[\"a\"]}]", "a setup whose frequency is not a number",
         "\"1\",\"segments\":[\"a\"]}]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"b\",1,2]}]", "a setup with a segment that is not a name",
         "1,2]}]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"\"]}]", "a setup with a segment that is not a name",
         "\"\"]}]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\\u0000b\"]}]",
         "a setup with a segment that is not a name", "\"a\\u0000b\"]}]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":\"a\"}]", "a setup without a list of segments",
         "{\"chanel\":0,\"frequency\":1,\"segments\":\"a\"}]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\"],\"to_server\":1}]",
         "a setup whose to_server is neither true nor false", "1}]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\"]},1]", "a setup that is not 100 and one object",
         "[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\"]},1]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\"]}] x", "a character that JSON does not allow there",
         "x"},
        {"[100,{\"chanel\":nil}]", "neither a number nor a word of JSON", "nil}]"},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\"]}", "it does not end", ""},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a", "it does not end", NULL},
        {"[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\\", "an escape that JSON does not have", NULL},
    };
    static const char good[] = "[100,{\"chanel\":0,\"segments\":[\"R1_actual_q\"]}]";
    struct armtap_recipe *recipe;
    size_t at = 7;
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t length = strlen(wrong[i].text);
        char *exact = malloc(length ? length : 1);
        assert_non_null(exact);
        memcpy(exact, wrong[i].text, length);
        recipe = (struct armtap_recipe *)1;
        if (armtap_recipe_aubo(exact, length, &recipe) != ARMTAP_ERR_NOT_OURS || recipe)
            fail_msg("taken for a recipe: %s", wrong[i].text);
        const char *fault = armtap_recipe_aubo_problem(exact, length, &at);
        if (!fault || strcmp(fault, wrong[i].fault) != 0 || at > length)
            fail_msg("%s: %s", wrong[i].text, fault ? fault : "nothing");
        if (wrong[i].from && strcmp(wrong[i].text + at, wrong[i].from) != 0)
            fail_msg("%s: from %s", wrong[i].text, wrong[i].text + at);
        free(exact);
    }
    assert_null(armtap_recipe_aubo_problem(good, sizeof good - 1, &at));
    assert_int_equal(at, 0);
    assert_non_null(armtap_recipe_aubo_problem(NULL, 1, NULL));
    assert_int_equal(armtap_recipe_aubo(NULL, 1, &recipe), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_recipe_aubo("[]", 2, NULL), ARMTAP_ERR_ARGUMENT);
    assert_non_null(strstr(armtap_aubo_libraries(), "wslay "));
}

static void test_another_number_of_values(void **unused)
{
    static const struct line lines[] = {
        {'>', SUBSCRIBE("0", "\"timestamp\",\"line_number\"")},
        {'<', "[0,1][0,2][0]"},
        {'<', "[0,3,4][0,5,6,7]"},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe < id0 10 Hz timestamp:DOUBLE line_number:?\n"
                 "note < aubo.values.count: channel=0 values=1 topics=2\n"
                 "record < @0 +5 v0 id0 short timestamp=1 line_number=absent\n"
                 "record < @5 +5 v0 id0 short timestamp=2 line_number=absent\n"
                 "record < @10 +3 v0 id0 short timestamp=absent line_number=absent\n"
                 "record < @13 +7 v0 id0 timestamp=3 line_number=4\n"
                 "note < aubo.values.count: channel=0 values=3 topics=2\n"
                 "record < @20 +9 v0 id0 long timestamp=5 line_number=6\n"
                 "stream aubo v0 aubo controller \"\" gaps 0\n"
                 "  < records 5 decoded 29 lost 0 skipped 0\n"
                 "  > records 0 decoded 90 lost 0 skipped 0\n");
}

/* ---- invalid messages ---- */

struct bad {
    const char *text;
    const char *note;
};

static void test_bad_messages_are_named_and_passed_over(void **unused)
{
    static const struct bad bad[] = {
        {"[0,,1]", "aubo.message.bad: fault=a character that JSON does not allow there offset=8\n"},
        {"[0,1 2]", " offset=10\n"},
        {"[0,nan]", "aubo.message.bad: fault=neither a number nor a word of JSON offset=8\n"},
        {"[0,01]", " offset=8\n"},
        {"[0,1.]", " offset=8\n"},
        {"[0,'a']", " offset=8\n"},
        {"[0,\"\\x\"]", "an escape that JSON does not have offset=9\n"},
        {"{\"a\":1}", "aubo.message.bad: fault=an object instead of a list offset=5\n"},
        {"[]", "a list that does not begin with a channel number"},
        {"[\"a\"]", "a list that does not begin with a channel number"},
        {"[1.0]", "a list that does not begin with a channel number"},
        {"[100,{\"chanel\":0}]", "is not a channel"},
        {"[-1,2]", "is not a channel"},
        {"[0,1}", "mismatched or too deeply nested brackets"},
        {"[0,\x80]", "mismatched or too deeply nested brackets"},
        {"[0,\"a\nb\"]", "a control character inside a string offset=10\n"},
        {"[0,[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "too deeply nested"},
        {"x", "bytes that do not begin a message offset=5\n"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct line lines[] = {{'>', SUBSCRIBE("0", "\"line_number\"")},
                               {'<', "[0,1]"},
                               {'<', bad[i].text},
                               {'<', "[0,2]"},
                               {'<', "[0,3]"}};
        struct script script = raw(lines, 5);
        struct log log = script_log(&script, &on_port);
        assert_true(log_has(&log, bad[i].note));
        assert_int_equal(log_count(&log, "aubo.message.bad"), 1);
        assert_true(log_has(&log, "line_number=1\n"));
        assert_true(log_has(&log, "line_number=2\n"));
        assert_true(log_has(&log, "line_number=3\n"));
        log_free(&log);
        check_splits(&script, 997);
        script_free(&script);
    }
}

static void test_bad_set_ups(void **unused)
{
    static const struct bad bad[] = {
        {"[100]", "a setup that is not 100 and one object"},
        {"[100,{\"frequency\":1,\"segments\":[\"a\"]}]", "without a channel"},
        {"[100,{\"chanel\":100,\"segments\":[\"a\"]}]", "is not from 0 to 99"},
        {"[100,{\"chanel\":0}]", "without a list of segments"},
        {"[100,{\"chanel\":0,\"segments\":[1]}]", "a segment that is not a name"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct line lines[] = {{'>', SUBSCRIBE("0", "\"line_number\"")}, {'>', bad[i].text}, {'<', "[0,1]"}};
        struct script script = raw(lines, 3);
        struct log log = script_log(&script, &on_port);
        assert_true(log_has(&log, bad[i].note));
        assert_true(log_has(&log, "line_number=1\n"));
        assert_int_equal(log.notes, 1);
        log_free(&log);
        script_free(&script);
    }
}

static void test_too_many_segments(void **unused)
{
    struct script script = {.count = 0};
    struct bytes text = {0};
    (void)unused;
    for (unsigned count = 1000; count <= 1001; count++) {
        bytes_text(&text, "[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"a\"");
        for (unsigned i = 1; i < count; i++)
            bytes_text(&text, ",\"a\"");
        bytes_text(&text, "]}]");
    }
    script_add(&script, TO, &text);
    struct log log = script_log(&script, &on_port);
    assert_int_equal(log.recipes, 1);
    assert_true(log_has(&log, "fault=a setup of more than 1000 segments offset=4045\n"));
    log_free(&log);
    bytes_free(&text);
    script_free(&script);
}

/* A message of `length` bytes on channel 0 whose string ends like a message. */
static void add_long(struct bytes *bytes, size_t length)
{
    size_t end = bytes->length + length;
    bytes_text(bytes, "[0,\"");
    while (bytes->length + 10 < end)
        bytes_text(bytes, "[0,1]");
    while (bytes->length + 2 < end)
        bytes_text(bytes, "x");
    bytes_text(bytes, "\"]");
}

static void test_messages_that_are_too_long(void **unused)
{
    static const size_t lengths[] = {65535, 65536, 65537, 65536 + 4096, 65536 + 4097, 300000};
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct script script = {.count = 0};
        struct bytes bytes = {0};
        struct log whole = {0}, cut = {0};
        size_t cuts[200];
        bool fits = lengths[i] <= 65536;
        bytes_text(&bytes, "[0,1]");
        add_long(&bytes, lengths[i]);
        bytes_text(&bytes, "[0,2]");
        say(&script, TO, SUBSCRIBE("0", "\"line_number\""), strlen(SUBSCRIBE("0", "\"line_number\"")));
        script_add(&script, FROM, &bytes);
        for (size_t k = 0; k < 200; k++)
            cuts[k] = 50 + k * 1497;
        script_play(&script, &on_port, NULL, 0, &whole);
        script_play(&script, &on_port, cuts, 200, &cut);
        assert_string_equal(whole.text, cut.text);
        assert_int_equal(whole.records[FROM], fits ? 3 : 2);
        assert_int_equal(log_count(&whole, "aubo.message.too-long: offset=5 bytes_most=65536\n"), fits ? 0 : 1);
        assert_int_equal(whole.notes, fits ? 0 : 1);
        log_free(&whole);
        log_free(&cut);
        bytes_free(&bytes);
        script_free(&script);
    }
}

static void test_long_frames_of_a_websocket(void **unused)
{
    static const size_t lengths[] = {65537, 1 << 20, (1 << 20) + 1, 3000000};
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct script script = upgraded();
        struct bytes bytes = {0};
        struct log whole = {.values = true}, cut = {.values = true};
        size_t cuts[200];
        text_frame(&script, TO, SUBSCRIBE("0", "\"line_number\""));
        text_frame(&script, FROM, "[0,1]");
        add_long(&bytes, lengths[i]);
        frame(&script, FROM, 0x81, bytes.at, bytes.length);
        text_frame(&script, FROM, "[0,2]");
        frame(&script, FROM, 0x01, "[0,", 3);
        frame(&script, FROM, 0x00, bytes.at, bytes.length);
        frame(&script, FROM, 0x80, "9]", 2);
        text_frame(&script, FROM, "[0,3]");
        for (size_t k = 0; k < 200; k++)
            cuts[k] = 150 + k * 14970;
        script_play(&script, &on_port, NULL, 0, &whole);
        script_play(&script, &on_port, cuts, 200, &cut);
        assert_string_equal(whole.text, cut.text);
        assert_int_equal(whole.records[FROM], 3);
        assert_true(log_has(&whole, "line_number=3\n"));
        assert_int_equal(log_count(&whole, "aubo.message.too-long"), 2);
        assert_true(log_has(&whole, "aubo.message.too-long: offset=136 bytes_most=65536\n"));
        assert_int_equal(whole.notes, 2);
        log_free(&whole);
        log_free(&cut);
        bytes_free(&bytes);
        script_free(&script);
    }
}

/* A capture may end anywhere. */
static void test_an_end_within_a_frame(void **unused)
{
    (void)unused;
    for (size_t i = 1; i < 6; i++) {
        struct script script = upgraded();
        text_frame(&script, TO, SUBSCRIBE("0", "\"line_number\""));
        text_frame(&script, FROM, "[0,1]");
        say(&script, FROM, "\x81\x05[0,2]", i);
        struct log log = script_log(&script, &on_port);
        assert_int_equal(log.records[FROM], 1);
        assert_int_equal(log_count(&log, "websocket.bad"), 0);
        log_free(&log);
        script_free(&script);
    }
}

/* ---- the effort ---- */

/* The most often that any of the robot's bytes is read if they come one by one after a set-up. */
static size_t effort(const struct bytes *bytes)
{
    struct log log = {0};
    struct armtap_sink sink = log_sink();
    struct armtap_conn *conn;
    assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
    push_text(conn, TO, SUBSCRIBE("0", "\"line_number\""));
    aubo_scans.bytes = 0;
    for (size_t i = 0; i < bytes->length; i++)
        assert_int_equal(armtap_conn_push(conn, FROM, bytes->at + i, 1, NULL), ARMTAP_OK);
    armtap_conn_free(conn);
    log_free(&log);
    return aubo_scans.bytes / bytes->length;
}

static void test_the_effort_does_not_grow_with_the_message(void **unused)
{
    static const char *const before[] = {"", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "[0,\x01", "[0,1] "};
    (void)unused;
    for (size_t i = 0; i < 4; i++) {
        struct bytes bytes = {0};
        bytes_text(&bytes, before[i]);
        add_long(&bytes, 20000);
        add_long(&bytes, 20000);
        add_long(&bytes, 90000);
        bytes_text(&bytes, "[0,1]");
        assert_in_range(effort(&bytes), 1, 60);
        bytes_free(&bytes);
    }
}

/* A set-up that reveals AUBO in mid-stream and never ends; its bytes come one by one. */
static void test_the_effort_of_a_set_up_without_end(void **unused)
{
    struct log log = {0};
    struct armtap_sink sink = log_sink();
    struct armtap_conn_options options = on_port;
    struct armtap_conn *conn;
    size_t pushed = 0;
    (void)unused;
    options.midstream = true;
    assert_int_equal(armtap_conn_new(&options, &sink, &log, &conn), ARMTAP_OK);
    aubo_scans.bytes = 0;
    push_text(conn, TO, "[100,{\"chanel\":0,\"segments\":[\"actual_q\"");
    for (; pushed < 40000; pushed += 11)
        for (const char *c = ",\"actual_q\""; *c; c++)
            assert_int_equal(armtap_conn_push(conn, TO, c, 1, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_stream(conn)->protocol, ARMTAP_AUBO);
    assert_in_range(aubo_scans.bytes / pushed, 1, 60);
    armtap_conn_free(conn);
    log_free(&log);
}

/* ---- resynchronisation ---- */

/* Loses the robot's bytes [from, to) of a stream of 20 messages with nested lists. */
static void lose(size_t from, size_t to)
{
    struct log log = {.values = true};
    struct armtap_sink sink = log_sink();
    struct armtap_conn *conn;
    struct bytes bytes = {0};
    size_t starts[21];
    for (unsigned i = 0; i < 20; i++) {
        char text[80];
        starts[i] = bytes.length;
        snprintf(text, sizeof text, "[0,[[1,2,%u],[3,4]],\"[5,6][7,8]\",[0,1,0]]", i + 100);
        bytes_text(&bytes, text);
    }
    starts[20] = bytes.length;
    assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
    push_text(conn, TO, SUBSCRIBE("0", "\"a\",\"b\",\"c\""));
    assert_int_equal(armtap_conn_push(conn, FROM, bytes.at, from, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_gap(conn, FROM, to - from, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, FROM, bytes.at + to, bytes.length - to, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_close(conn, FROM, NULL), ARMTAP_OK);
    armtap_conn_free(conn);
    for (unsigned i = 0; i < 20; i++) {
        char wanted[40];
        bool whole = starts[i + 1] <= from || starts[i] >= to;
        snprintf(wanted, sizeof wanted, "a=json [[1,2,%u],[3,4]]", i + 100);
        if (log_count(&log, wanted) != (whole ? 1 : 0))
            fail_msg("[%zu, %zu) lost, message %u:\n%s", from, to, i, log.text);
    }
    assert_int_equal(log.records[FROM], log_count(&log, " b=\"[5,6][7,8]\" c=json [0,1,0]\n"));
    assert_int_equal(log.after_gap, 1);
    log_free(&log);
    bytes_free(&bytes);
}

static void test_gaps_anywhere(void **unused)
{
    (void)unused;
    for (size_t from = 41; from < 41 * 4; from += 1)
        for (size_t length = 1; length < 100; length += 3)
            lose(from, from + length);
}

/* A gap of 0 bytes is not a gap, also within a message. */
static void test_a_gap_of_nothing(void **unused)
{
    struct log log = {.values = true};
    struct armtap_sink sink = log_sink();
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
    push_text(conn, TO, SUBSCRIBE("0", "\"a\""));
    push_text(conn, FROM, "[0,1][0,[2,3");
    assert_int_equal(armtap_conn_gap(conn, FROM, 0, NULL), ARMTAP_OK);
    push_text(conn, FROM, "]][0,4]");
    armtap_conn_free(conn);
    assert_int_equal(log.records[FROM], 3);
    assert_int_equal(log.notes, 0);
    assert_true(log_has(&log, "a=json [2,3]\n"));
    log_free(&log);
}

static void test_a_gap_in_a_websocket(void **unused)
{
    struct script script = guide_on_the_web();
    struct log log = {.values = true};
    struct armtap_sink sink = log_sink();
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
    for (size_t i = 0, at = 0; i < script.count; at = script.parts[i++].end) {
        if (i == 3)
            assert_int_equal(armtap_conn_gap(conn, FROM, 40, NULL), ARMTAP_OK);
        assert_int_equal(
            armtap_conn_push(conn, script.parts[i].direction, script.bytes.at + at, script.parts[i].end - at, NULL),
            ARMTAP_OK);
    }
    armtap_conn_free(conn);
    assert_int_equal(log.records[FROM], 0);
    assert_int_equal(log.records[TO], 1);
    assert_int_equal(log.recipes, 3);
    assert_int_equal(log_count(&log, "note < websocket.bad: case=gap offset=169\n"), 1);
    log_free(&log);
    script_free(&script);
}

/* What is set up and another message follows it are two proofs; either alone is none, and nothing may follow. */
static void test_what_fits_behind_a_message(void **unused)
{
    static const char set_up[] = "[100,{\"chanel\":0,\"frequency\":50,\"segments\":[\"R1_actual_q\",\"R1_actual_qd\"],"
                                 "\"to_server\":false,\"trigger\":0}]";
    static const struct {
        const char *frame, *next;
        enum armtap_fit fit;
    } rows[] = {
        {"[0,1,2]", "[0,3,4]\n[", ARMTAP_FIT_WELL},
        {"\n[0,1,2]", "[7,3]\n[", ARMTAP_FIT_WELL},
        {"[0,1,2]", "[0,3,4]", ARMTAP_FIT_MORE},
        {"[0,1,2]", "", ARMTAP_FIT_MORE},
        {"[0,1,2]", "x", ARMTAP_FIT_NO},
        {"[0,1,2]", "[0,3,4],", ARMTAP_FIT_NO},
        {"[0,1]", "[0,3,4]\n[", ARMTAP_FIT_YES},
        {"[0,1,2,3]", "[0,3,4]\n[", ARMTAP_FIT_YES},
        {"[1,1,2]", "[0,3,4]\n[", ARMTAP_FIT_YES},
        {"[1,1,2]", "x", ARMTAP_FIT_NO},
    };
    const struct armtap_decoder *decoder = armtap_decoder_for(ARMTAP_AUBO);
    struct armtap_aubo_channel channel = {.recipe = NULL};
    struct armtap_aubo aubo = {.sides[FROM] = {.channels = &channel, .channel_count = 1}};
    (void)unused;
    assert_int_equal(armtap_recipe_aubo(set_up, sizeof set_up - 1, &channel.recipe), ARMTAP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum armtap_fit fit = decoder->follows(&aubo, FROM, (const uint8_t *)rows[i].frame, strlen(rows[i].frame),
                                               (const uint8_t *)rows[i].next, strlen(rows[i].next));
        if (fit != rows[i].fit)
            fail_msg("%s behind %s: %d", rows[i].next, rows[i].frame, fit);
    }
    armtap_recipe_release(channel.recipe);
}

static void test_from_the_middle_of_a_stream(void **unused)
{
    static const struct line lines[] = {
        {'<', "2,3],[4,5,6],\"[7,8]\"]\n[0,[1,2,3],1]\n[1,2]\n[0,[1,2,3],2]\n"},
        {'>', "eleven\"],\"to_server\":false}]" SUBSCRIBE("0", "\"a\",\"b\"")},
        {'<', "[0,[1,2,3],3]\n"},
    };
    struct armtap_conn_options options = on_port;
    struct script script = raw(lines, 3);
    (void)unused;
    options.midstream = true;
    struct log log = script_log(&script, &options);
    assert_int_equal(log.records[FROM], 4);
    assert_int_equal(log_count(&log, "opaque"), 3);
    assert_true(log_has(&log, "a=json [1,2,3] b=3\n"));
    assert_true(log_has(&log, "recipe < id0"));
    log_free(&log);
    script_free(&script);
}

/* ---- recognition ---- */

/* Checks what a connection is recognised as if its port suggests `hint` and its sides send these bytes. */
static void check_recognised(enum armtap_protocol hint, bool midstream, const char *to, const char *from,
                             const char *wanted)
{
    struct armtap_conn_setup setup = {.protocol = hint, .midstream = midstream, .first = {.time = ARMTAP_NO_TIME}};
    struct armtap_sink sink = log_sink();
    struct log log = {.values = true};
    struct armtap_conn *conn;
    assert_int_equal(armtap_conn_create(&setup, &sink, &log, &conn), ARMTAP_OK);
    push_text(conn, TO, to);
    push_text(conn, FROM, from);
    armtap_conn_close(conn, TO, NULL);
    armtap_conn_close(conn, FROM, NULL);
    log_stream(&log, conn);
    armtap_conn_free(conn);
    assert_true(log_has(&log, wanted));
    log_free(&log);
}

static void test_telling_it_from_others(void **unused)
{
    static const char arrays[] = "[1,2,3]\n[2,3,4]\n[3,4,5]\n";
    static const char objects[] = "{\"a\":[1,2]}\n{\"a\":[1,2]}\n";
    static const char answer[] = "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":[0,1]}";
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"method\":\"rob1.x\",\"params\":[],\"id\":1}";
    static const enum armtap_protocol others[] = {ARMTAP_PROTOCOL_NONE, ARMTAP_REALTIME, ARMTAP_RTDE};
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        check_recognised(others[i], false, SUBSCRIBE_Q, DATA_Q, "stream aubo");
        check_recognised(others[i], false, SUBSCRIBE_Q, DATA_Q, "R1_" Q_VALUES);
        check_recognised(others[i], true, SUBSCRIBE_Q "[1,2]", DATA_Q, "stream aubo");
        check_recognised(others[i], false, "", arrays, "stream none");
        check_recognised(others[i], true, "", arrays, "stream none");
        check_recognised(others[i], false, arrays, "[1,2]", "stream none");
        check_recognised(others[i], false, objects, objects, "stream none");
        check_recognised(others[i], false, REQUEST, ANSWER "\x81\x05[1,2]", "stream none");
    }
    check_recognised(ARMTAP_AUBO, false, "", "[1,2]", "stream aubo");
    check_recognised(ARMTAP_AUBO, true, "", arrays, "stream none");
    check_recognised(ARMTAP_AUBO, true, "", "[1,2,3]\n[1,3,4]\n[1,4,5]\n", "stream none");
    check_recognised(ARMTAP_AUBO, true, "", "[1,2,3]\n[1,3,4]\n[1,4,5]\n[1,5,6]\n", "stream aubo");
    check_recognised(ARMTAP_AUBO, false, REQUEST, ANSWER, "stream aubo");
    check_recognised(ARMTAP_AUBO, false, "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "stream none");
    check_recognised(ARMTAP_AUBO, false, objects, objects, "stream none");
    check_recognised(ARMTAP_RTDE, false, request, answer,
                     "note < stream.foreign: case=other protocol=rtde name=AUBO's JSON-RPC, whose telemetry is on "
                     "ports 30010 and 9013 quoted='{\"id\":1,\"jsonrpc\"");
    check_recognised(ARMTAP_AUBO, false, request, answer,
                     "stream.foreign: case=other protocol=aubo name=AUBO's JSON-RPC");
    check_recognised(ARMTAP_RTDE, false, objects, objects, "stream.foreign: case=other protocol=rtde quoted='{\"a\"");
}

/* AUBO's RTDE gives the same on any port if it was captured from its beginning. */
static void test_the_port_is_a_hint(void **unused)
{
    static const struct armtap_conn_options anywhere = {.size = sizeof anywhere};
    (void)unused;
    for (size_t web = 0; web < 2; web++) {
        struct script script = web ? upgraded() : (struct script){.count = 0};
        void (*send)(struct script *, enum armtap_direction, const char *) = web ? text_frame : say_text;
        size_t cuts[400];
        send(&script, TO, SUBSCRIBE("0", "\"R1_actual_q\",\"R1_actual_TCP_pose\",\"timestamp\""));
        for (unsigned i = 0; i < 300; i++)
            send(&script, FROM, "[0,[1,2,3,4,5,6],[1,2,3,4,5,6],0.25]");
        for (size_t k = 0; k < 400; k++)
            cuts[k] = k + 1;
        struct log wanted = script_log(&script, &on_port), log = script_log(&script, &anywhere);
        assert_int_equal(wanted.records[FROM], 300);
        assert_string_equal(log.text, wanted.text);
        log_clear(&log);
        script_play(&script, &anywhere, cuts, 400, &log);
        assert_string_equal(log.text, wanted.text);
        log_free(&log);
        log_free(&wanted);
        script_free(&script);
    }
}

/* ---- memory ---- */

static int play_limited(const struct script *script, struct armtap_recipe **recipe)
{
    struct armtap_sink sink = {.size = sizeof sink};
    struct armtap_conn *conn = NULL;
    int error = armtap_conn_new(&on_port, &sink, NULL, &conn);
    for (size_t i = 0, at = 0; i < script->count && error == ARMTAP_OK; at = script->parts[i++].end)
        error =
            armtap_conn_push(conn, script->parts[i].direction, script->bytes.at + at, script->parts[i].end - at, NULL);
    if (error == ARMTAP_OK)
        error = armtap_recipe_aubo(SUBSCRIBE_Q, strlen(SUBSCRIBE_Q), recipe);
    memory.left = -1;
    armtap_conn_free(conn);
    return error;
}

/* ---- robot messages ---- */

static const struct line messages[] = {
    {'>', SUBSCRIBE("0", "\"R1_message\"")},
    {'<', "[0,[]]"},
    {'<',
     "[0,[{\"timestamp\":1,\"level\":\"Error\",\"code\":30015,\"source\":\"rob1\",\"args\":[\"joint 3\",\"120.5\"]},"
     "{\"level\":2,\"code\":7}]]"},
    {'<',
     "[0,[{\"timestamp\":1,\"level\":\"Error\",\"code\":30015,\"source\":\"rob1\",\"args\":[\"joint 3\",\"120.5\"]},"
     "{\"level\":2,\"code\":7}]]"},                                      /* the same ones */
    {'<', "[0,[3,0,-1,\"rob1\",[5,null]]]"},                             /* one, as a list of its values */
    {'<', "[0,[{\"code\":8},{\"level\":1,\"code\":\"x\"},5,\"text\"]]"}, /* none of them is a message */
};
#define NO_MORE "mode -1 line 0:0 data 0 0 clock nan from 0, text < "

static void test_robot_messages_are_texts(void **unused)
{
    struct script script = raw(messages, sizeof messages / sizeof *messages);
    struct log log = script_log(&script, &on_port);
    (void)unused;
    assert_int_equal(log.texts, 3);
    assert_int_equal(log_count(&log, "error C30015A-1 \"\" report 4 " NO_MORE "level 1 \"joint 3, 120.5\" of \"rob1\""),
                     1);
    assert_int_equal(log_count(&log, "error C7A-1 \"\" report 2 " NO_MORE "level 2 \"\" of \"\""), 1);
    assert_int_equal(log_count(&log, "error C-1A-1 \"\" report 5 " NO_MORE "level 0 \"5, null\" of \"rob1\""), 1);
    log_free(&log);
    check_splits(&script, 29);
    script_free(&script);
}

static void test_every_allocation_may_fail(void **unused)
{
    static const struct line lines[] = {
        {'>', SUBSCRIBE("0", "\"a\",\"R1_actual_q\"")},
        {'<', "[0,123456789012345678901234567890,[1,2,3]]"},
        {'<', "[0,{\"a\":[1,2,\"x\"]},[1,2,3,4,5,6]]"},
    };
    struct script scripts[] = {raw(lines, 3), guide_on_the_web()};
    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        long n = 0;
        for (;; n++) {
            struct armtap_recipe *recipe = NULL;
            memory.left = n;
            memory.failed = false;
            int error = play_limited(&scripts[i], &recipe);
            armtap_recipe_release(recipe);
            if (!memory.failed)
                break;
            assert_int_equal(error, ARMTAP_ERR_MEMORY);
        }
        assert_in_range(n, 8, 200);
        script_free(&scripts[i]);
    }
}

/* Names of a set-up in any bytes that JSON allows; those of Python's json are beside them. */
static void test_names_beyond_ascii(void **unused)
{
    static const char *const names[][2] = {
        {"R1_\xe6\x80\xa5", "R1_\xe6\x80\xa5"},
        {"R1_\\u6025", "R1_\xe6\x80\xa5"},
        {"\xf0\x9f\xa4\x96", "\xf0\x9f\xa4\x96"},
        {"\\ud83e\\udd16", "\xf0\x9f\xa4\x96"},
        {"Kr\xc3\xa4"
         "fte",
         "Kr\xc3\xa4"
         "fte"},
        {"latin \xe4\xff", "latin \xe4\xff"},
        {"\\u00e4\\/\\\"", "\xc3\xa4/\""},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[200];
        struct armtap_recipe *recipe;
        snprintf(text, sizeof text,
                 "[100,{\"chanel\":0,\"frequency\":50,\"segments\":[\"R1_actual_q\",\"%s\"],\"to_server\":false,"
                 "\"trigger\":0}]",
                 names[i][0]);
        assert_int_equal(armtap_recipe_aubo(text, strlen(text), &recipe), ARMTAP_OK);
        assert_int_equal(armtap_recipe_count(recipe), 2);
        assert_string_equal(armtap_recipe_at(recipe, 1)->name, names[i][1]);
        armtap_recipe_release(recipe);
        text[strlen(text) - 1] = 'x'; /* what is no JSON stays none */
        assert_int_equal(armtap_recipe_aubo(text, strlen(text), &recipe), ARMTAP_ERR_NOT_OURS);
    }
}

/* ---- what shows the protocol ---- */

/* So many channels in turn, each with two values; the last has one more if it is `uneven`. */
static enum armtap_fit shown(unsigned channels, unsigned count, bool framed, bool uneven, bool whole)
{
    struct bytes bytes = {0};
    size_t need, work = 0;
    for (unsigned i = 0; i < count; i++) {
        char list[40];
        snprintf(list, sizeof list, "[%u,%u.5,7%s]", 1 + i % channels, i, uneven && i == count - 1 ? ",8" : "");
        if (framed) {
            bytes_number(&bytes, 0x81, 1);
            bytes_number(&bytes, strlen(list), 1);
        }
        bytes_text(&bytes, list);
    }
    struct armtap_sight sight = {
        .bytes = bytes.at, .length = bytes.length, .whole = whole, .hint = ARMTAP_HINT_PORT, .work = &work};
    enum armtap_fit fit = armtap_aubo_shows(FROM, &sight, &need);
    bytes_free(&bytes);
    return fit;
}

/* Each channel once, then each again, and three more; at the end of the bytes two. */
static void test_repeated_channels_show(void **unused)
{
    (void)unused;
    for (unsigned channels = 1; channels <= 9; channels++)
        for (unsigned count = 1; count <= 25; count++)
            for (unsigned framed = 0; framed < 2; framed++) {
                bool is_many = channels == 9 && count >= 9;
                assert_int_equal(shown(channels, count, framed, false, false), is_many ? ARMTAP_FIT_NO
                                                                               : count >= 2 * channels + 3
                                                                                   ? ARMTAP_FIT_YES
                                                                                   : ARMTAP_FIT_MORE);
                assert_int_equal(shown(channels, count, framed, false, true),
                                 !is_many && count >= 2 * channels + 2 ? ARMTAP_FIT_YES : ARMTAP_FIT_NO);
                if (count > channels && count <= 2 * channels + 3)
                    assert_int_equal(shown(channels, count, framed, true, false), ARMTAP_FIT_NO);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated_channels_show),
        cmocka_unit_test(test_the_examples_of_the_guide),
        cmocka_unit_test(test_the_guide_in_all_splits),
        cmocka_unit_test(test_the_guide_over_a_websocket),
        cmocka_unit_test(test_the_websocket_in_all_splits),
        cmocka_unit_test(test_fragments_and_control_frames),
        cmocka_unit_test(test_what_a_websocket_cannot_go_on_after),
        cmocka_unit_test(test_what_cannot_be_inflated),
        cmocka_unit_test(test_a_refused_upgrade),
        cmocka_unit_test(test_a_websocket_from_its_middle),
        cmocka_unit_test(test_damage_by_separator),
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_values_keep_their_types),
        cmocka_unit_test(test_fields_take_what_means_the_same),
        cmocka_unit_test(test_modes_by_name_and_by_number),
        cmocka_unit_test(test_every_arm_maps_alike),
        cmocka_unit_test(test_arms_have_states_of_their_own),
        cmocka_unit_test(test_a_channel_in_both_directions_and_anew),
        cmocka_unit_test(test_what_is_under_way_when_a_channel_is_set_up_anew),
        cmocka_unit_test(test_a_channel_that_is_ended),
        cmocka_unit_test(test_a_set_up_without_a_frequency),
        cmocka_unit_test(test_unknown_channels),
        cmocka_unit_test(test_the_recipe_given),
        cmocka_unit_test(test_what_is_no_recipe),
        cmocka_unit_test(test_another_number_of_values),
        cmocka_unit_test(test_bad_messages_are_named_and_passed_over),
        cmocka_unit_test(test_bad_set_ups),
        cmocka_unit_test(test_too_many_segments),
        cmocka_unit_test(test_messages_that_are_too_long),
        cmocka_unit_test(test_long_frames_of_a_websocket),
        cmocka_unit_test(test_an_end_within_a_frame),
        cmocka_unit_test(test_the_effort_does_not_grow_with_the_message),
        cmocka_unit_test(test_the_effort_of_a_set_up_without_end),
        cmocka_unit_test(test_gaps_anywhere),
        cmocka_unit_test(test_a_gap_of_nothing),
        cmocka_unit_test(test_a_gap_in_a_websocket),
        cmocka_unit_test(test_what_fits_behind_a_message),
        cmocka_unit_test(test_from_the_middle_of_a_stream),
        cmocka_unit_test(test_telling_it_from_others),
        cmocka_unit_test(test_the_port_is_a_hint),
        cmocka_unit_test(test_robot_messages_are_texts),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_names_beyond_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
