/* RTDE: the results of sessions in protocols 1, 2 and 3. The bytes are worked out by hand from the layouts in the
 * guide, without the library's encoders. */
#include "rtde_package.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FROM ARMTAP_FROM_ROBOT
#define TO ARMTAP_TO_ROBOT

/* ---- sessions ---- */

static const struct armtap_conn_options on_port = {.size = sizeof on_port, .protocol = ARMTAP_RTDE};
static const struct armtap_conn_options in_the_middle = {
    .size = sizeof in_the_middle, .protocol = ARMTAP_RTDE, .midstream = true};

/* A script line: direction, package type, head in hex, text after it. */
struct line {
    char arrow; /* '>' to the robot, '<' from it */
    char type;
    const char *head, *text;
};

static struct script session(const struct line *lines, size_t count)
{
    struct script script = {.count = 0};
    for (size_t i = 0; i < count; i++)
        script_list(&script, lines[i].arrow == '>' ? TO : FROM, lines[i].type, lines[i].head, lines[i].text);
    return script;
}

/* Plays lines and compares the whole log. */
static void check_session(const struct line *lines, size_t count, const char *wanted)
{
    struct script script = session(lines, count);
    struct log log = script_log(&script, &on_port);
    assert_string_equal(log.text, wanted);
    log_free(&log);
    script_free(&script);
}
#define CHECK(lines, wanted) check_session(lines, sizeof lines / sizeof lines[0], wanted)

#define V2                                                                                                             \
    {'>', 'V', "00 02", ""},                                                                                           \
    {                                                                                                                  \
        '<', 'V', "01", ""                                                                                             \
    }
#define V3                                                                                                             \
    {'>', 'V', "00 03", ""},                                                                                           \
    {                                                                                                                  \
        '<', 'V', "01", ""                                                                                             \
    }
#define START                                                                                                          \
    {'>', 'S', "", ""},                                                                                                \
    {                                                                                                                  \
        '<', 'S', "01", ""                                                                                             \
    }
#define HZ125 "40 5f 40 00 00 00 00 00"
#define ONE_POINT_FIVE "3f f8 00 00 00 00 00 00"
#define TWO "40 00 00 00 00 00 00 00"
#define MINUS_ONE "ff ff ff ff"

static void test_a_session_of_protocol_2(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'v', "", ""},
        {'<', 'v', "00 00 00 05 00 00 00 0b 00 00 00 01 00 00 00 6c", ""},
        {'>', 'O', HZ125, "timestamp,robot_mode"},
        {'<', 'O', "01", "DOUBLE,INT32"},
        {'>', 'I', "", "speed_slider_mask,speed_slider_fraction"},
        {'<', 'I', "01", "UINT32,DOUBLE"},
        {'<', 'U', "01 " ONE_POINT_FIVE MINUS_ONE, ""}, /* before the reply to START */
        START,
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
        {'>', 'U', "01 00 00 00 01 3f e0 00 00 00 00 00 00", ""},
        {'>', 'P', "", ""},
        {'<', 'U', "01 " TWO "00 00 00 05", ""}, /* under way when PAUSE was sent */
        {'<', 'P', "01", ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe < id1 125 Hz timestamp:DOUBLE robot_mode:INT32\n"
                 "recipe > id1 0 Hz speed_slider_mask:UINT32 speed_slider_fraction:DOUBLE\n"
                 "record < @56 +16 v2 id1 timestamp=1.5 robot_mode=-1\n"
                 "event < start 0\n"
                 "record < @76 +16 v2 id1 timestamp=2 robot_mode=7\n"
                 "record > @84 +16 v2 id1 speed_slider_mask=1 speed_slider_fraction=0.5\n"
                 "record < @92 +16 v2 id1 timestamp=2 robot_mode=5\n"
                 "event < pause 0\n"
                 "stream rtde v2 cb3e controller \"5.11.1.108\" gaps 0\n"
                 "  < records 3 decoded 112 lost 0 skipped 0\n"
                 "  > records 1 decoded 103 lost 0 skipped 0\n");
}

static void test_a_session_of_protocol_1(void **unused)
{
    static const struct line lines[] = {
        {'>', 'v', "", ""},
        {'<', 'v', "00 00 00 03 00 00 00 02 00 00 00 04", ""},
        {'>', 'O', "", "timestamp,actual_digital_input_bits"},
        {'<', 'O', "", "DOUBLE,UINT64"},
        {'>', 'I', "", "input_int_register_0"},
        {'<', 'I', "01", "INT32"},
        START,
        {'<', 'U', "40 d0 07 0d 2f 1a 9f be 00 00 00 00 00 00 00 05", ""},
        {'>', 'U', "01 ff ff ff fe", ""}, /* with its id */
        {'>', 'U', "00 00 00 07", ""},    /* without */
        {'>', 'U', "01 00 00 07", ""},    /* without, and it begins like an id */
        {'<', 'P', "01", ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe < id0 0 Hz timestamp:DOUBLE actual_digital_input_bits:UINT64\n"
                 "recipe > id1 0 Hz input_int_register_0:INT32\n"
                 "event < start 0\n"
                 "record < @44 +19 v1 id0 timestamp=16412.206 actual_digital_input_bits=5\n"
                 "record > @67 +8 v1 id1 input_int_register_0=-2\n"
                 "record > @75 +7 v1 id0 input_int_register_0=7\n"
                 "record > @82 +7 v1 id0 input_int_register_0=16777223\n"
                 "event < pause 0\n"
                 "stream rtde v1 cb3e controller \"3.2.4\" gaps 0\n"
                 "  < records 1 decoded 67 lost 0 skipped 0\n"
                 "  > records 3 decoded 89 lost 0 skipped 0\n");
}

static void test_a_session_of_protocol_3(void **unused)
{
    static const struct line lines[] = {
        V3,
        {'>', 'R', "", "v1.software.version,v1.control_box.type"},
        {'<', 'R', "00 0d", "UINT64,UINT32\x01\x02\x03\x04\x05\x06\x07\x08\x05\x01\x01\x02"},
        {'>', 'R', "", "v1.software.version,no.such"},
        {'<', 'R', "00 10", "UINT64,NOT_FOUND"},
        {'>', 'R', "", "v1.robot_arm.type"},
        {'<', 'R', "00 07", "NOT_SET"},
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        {'>', 'I', "", "configurable_digital_output_mask,configurable_digital_output"},
        {'<', 'I', "01", "UINT32,UINT32"},
        START,
        {'<', 'U', "01 " TWO, ""},
        {'>', 'U', "01 00 00 01 00 00 00 02 03", ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "properties < @4 +30 v3 id0 v1.software.version=72623859790382856 v1.control_box.type=83951874\n"
                 "note < rtde.property.missing: quoted_name='no.such' quoted_type='NOT_FOUND'\n"
                 "note < rtde.property.missing: quoted_name='v1.robot_arm.type' reason=no-value quoted_type='NOT_SET'\n"
                 "recipe < id1 125 Hz timestamp:DOUBLE\n"
                 "recipe > id1 0 Hz configurable_digital_output_mask:UINT32 configurable_digital_output:UINT32\n"
                 "event < start 0\n"
                 "record < @98 +12 v3 id1 timestamp=2\n"
                 "record > @183 +12 v3 id1 configurable_digital_output_mask=256 configurable_digital_output=515\n"
                 "stream rtde v3 cb3e controller \"\" gaps 0\n"
                 "  < records 1 decoded 110 lost 0 skipped 0\n"
                 "  > records 1 decoded 195 lost 0 skipped 0\n");
}

static void test_types_come_from_the_reply(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'I', "", "configurable_digital_output,tool_output_mode"},
        {'<', 'I', "01", "UINT8,UINT8"},
        {'>', 'I', "", "configurable_digital_output,configurable_digital_output_mask"},
        {'<', 'I', "02", "UINT32,UINT8"},
        {'>', 'U', "01 c3 02", ""},
        {'>', 'U', "02 00 00 00 c3 80", ""},
    };
    (void)unused;
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, "id1 configurable_digital_output=195 tool_output_mode=2\n"));
    assert_true(log_has(&log, "id2 configurable_digital_output=195 configurable_digital_output_mask=128\n"));
    assert_int_equal(log.notes, 0);
    log_free(&log);
    script_free(&script);
}

static void test_text_before_the_version_reply_is_of_protocol_1(void **unused)
{
    static const struct line lines[] = {
        {'>', 'V', "00 02", ""},
        {'<', 'M', "02", "SafetySetup has not been confirmed yet"},
        {'<', 'V', "01", ""},
        {'<', 'M', "05 48 65 6c 6c 6f 04 52 54 44 45 01", ""},
        {'<', 'M', "02 48 69 00 00", ""},
        {'<', 'M', "02 48 69 00 03", ""},
        {'>', 'M', "03 6c 6f 67 02 6d 65 03", ""},
        {'<', 'M', "01 0a 01 78 07", ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "text < level 2 \"SafetySetup has not been confirmed yet\" of \"\"\n"
                 "note < rtde.text.warning: quoted='SafetySetup has not been confirmed yet'\n"
                 "text < level 1 \"Hello\" of \"RTDE\"\n"
                 "note < rtde.text.error: quoted_source='RTDE' quoted='Hello'\n"
                 "text < level 0 \"Hi\" of \"\"\n"
                 "note < rtde.text.exception: quoted='Hi'\n"
                 "text < level 3 \"Hi\" of \"\"\n"
                 "note < rtde.text.info: quoted='Hi'\n"
                 "text > level 3 \"log\" of \"me\"\n"
                 "text < level 7 \"\n"
                 "\" of \"x\"\n"
                 "note < rtde.text.info: quoted_source='x' quoted='\\x0a'\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 0 decoded 85 lost 0 skipped 0\n"
                 "  > records 0 decoded 16 lost 0 skipped 0\n");
}

static void test_the_recipe_switches_at_the_reply(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        START,
        {'<', 'U', "01 " ONE_POINT_FIVE, ""},
        {'>', 'P', "", ""},
        {'>', 'O', HZ125, "robot_mode,timestamp"},
        {'<', 'U', "01 " TWO, ""}, /* requested, but without a reply */
        {'<', 'P', "01", ""},
        {'<', 'O', "01", "INT32,DOUBLE"},
        START,
        {'<', 'U', "01 00 00 00 07 " TWO, ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe < id1 125 Hz timestamp:DOUBLE\n"
                 "event < start 0\n"
                 "record < @18 +12 v2 id1 timestamp=1.5\n"
                 "record < @30 +12 v2 id1 timestamp=2\n"
                 "event < pause 0\n"
                 "recipe < id1 125 Hz robot_mode:INT32 timestamp:DOUBLE\n"
                 "event < start 0\n"
                 "record < @66 +16 v2 id1 robot_mode=7 timestamp=2\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 3 decoded 82 lost 0 skipped 0\n"
                 "  > records 0 decoded 65 lost 0 skipped 0\n");
}

static void test_several_input_recipes(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'I', "", "input_int_register_24"},
        {'>', 'I', "", "input_double_register_24"},
        {'>', 'I', "", "input_bit_register_64"},
        {'<', 'I', "01", "INT32"},
        {'<', 'I', "02", "DOUBLE"},
        {'<', 'I', "ff", "BOOL"},
        {'>', 'U', "02 " TWO, ""},
        {'>', 'U', "ff 00", ""},
        {'>', 'U', "ff 80", ""},
        {'>', 'U', "01 " MINUS_ONE, ""},
        {'>', 'U', "07 00 00", ""}, /* never set up */
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe > id1 0 Hz input_int_register_24:INT32\n"
                 "recipe > id2 0 Hz input_double_register_24:DOUBLE\n"
                 "recipe > id255 0 Hz input_bit_register_64:BOOL\n"
                 "record > @80 +12 v2 id2 input_double_register_24=2\n"
                 "record > @92 +5 v2 id255 input_bit_register_64=0\n"
                 "record > @97 +5 v2 id255 input_bit_register_64=1\n"
                 "record > @102 +8 v2 id1 input_int_register_24=-1\n"
                 "note > rtde.recipe.missing: bytes=3 direction=to-robot reason=not-captured\n"
                 "record > @110 +6 v2 id0 opaque\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 0 decoded 31 lost 0 skipped 0\n"
                 "  > records 5 decoded 116 lost 0 skipped 0\n");
}

static void test_names_as_clients_write_them(void **unused)
{
    static const char *const lists[] = {"timestamp,robot_mode",       "timestamp,robot_mode,",
                                        "timestamp,robot_mode\r\n",   "timestamp, robot_mode",
                                        "timestamp, robot_mode,\r\n", " timestamp ,robot_mode "};
    (void)unused;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct line lines[] = {
            V2,
            {'>', 'O', HZ125, lists[i]},
            {'<', 'O', "01", i % 2 ? "DOUBLE,INT32" : "DOUBLE, INT32,"},
            {'<', 'U', "01 " TWO "00 00 00 07", ""},
        };
        struct script script = session(lines, sizeof lines / sizeof lines[0]);
        struct log log = script_log(&script, &on_port);
        assert_true(log_has(&log, "recipe < id1 125 Hz timestamp:DOUBLE robot_mode:INT32\n"));
        assert_true(log_has(&log, "v2 id1 timestamp=2 robot_mode=7\n"));
        assert_int_equal(log.notes, 0);
        log_free(&log);
        script_free(&script);
    }
}

/* Without the request only types are known; a note says so when data comes. */
static void test_names_that_were_not_captured(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'<', 'O', "01", "DOUBLE,INT32"},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
    };
    (void)unused;
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, "v2 id1 value_0=2 value_1=7\n"));
    assert_true(log_has(&log, "note < rtde.recipe.missing: reason=no-names types=2\n"));
    assert_int_equal(log.notes, 1);
    log_free(&log);
    script_free(&script);
}

static void test_packages_with_wrong_arguments(void **unused)
{
    uint8_t buffer[64];
    struct armtap_rtde_package package = {
        .size = sizeof(struct armtap_rtde_package), .type = ARMTAP_RTDE_DATA, .protocol = 2, .values_length = 4};
    (void)unused;
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
    package.values_length = 0;
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), 4);
    package.direction = (enum armtap_direction)9;
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_rtde_parse("\0\3S", 3, (enum armtap_direction)9, 2, &package), ARMTAP_ERR_ARGUMENT);
}

static void test_any_non_zero_is_true(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125,
         "output_bit_register_64,output_bit_register_65,output_bit_register_66,output_bit_register_67"},
        {'<', 'O', "01", "BOOL,BOOL,BOOL,BOOL"},
        {'<', 'U', "01 00 01 02 ff", ""},
    };
    (void)unused;
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, "output_bit_register_64=0 output_bit_register_65=1 output_bit_register_66=1 "
                              "output_bit_register_67=1\n"));
    log_free(&log);
    script_free(&script);
}

static void test_unknown_names_are_delivered_by_type(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125, "new_thing,timestamp,newer.thing,actual_q"},
        {'<', 'O', "01", "VECTOR3D,DOUBLE,UINT8,INT32"},
        {'<', 'U', "01 " ONE_POINT_FIVE TWO ONE_POINT_FIVE TWO "2a" MINUS_ONE, ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "note < rtde.field.unknown: quoted_name='new_thing' quoted_type='VECTOR3D'\n"
                 "note < rtde.field.unknown: quoted_name='newer.thing' quoted_type='UINT8'\n"
                 "note < rtde.field.unknown: field=actual_q quoted_type='INT32' type_known=VECTOR6D\n"
                 "recipe < id1 125 Hz new_thing:VECTOR3D? timestamp:DOUBLE newer.thing:UINT8? actual_q:INT32?\n"
                 "record < @35 +41 v2 id1 new_thing=[1.5, 2, 1.5] timestamp=2 newer.thing=42 actual_q=-1\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 1 decoded 76 lost 0 skipped 0\n"
                 "  > records 0 decoded 56 lost 0 skipped 0\n");
}

static void test_refused_fields_are_named(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,actual_qdd,robot_mode,no_such"},
        {'<', 'O', "00", "DOUBLE,NOT_FOUND,INT32,NOT_FOUND"},
        {'>', 'I', "", "input_int_register_0,standard_digital_output"},
        {'<', 'I', "00", "IN_USE,UINT8"},
        {'>', 'S', "", ""},
        {'<', 'S', "00", ""},
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        START,
        {'<', 'U', "01 " TWO, ""},
    };
    (void)unused;
    CHECK(lines,
          "event > recognised 0\n"
          "note < rtde.field.not-found: quoted_name='actual_qdd' reason=never-heard-of\n"
          "note < rtde.field.not-found: quoted_name='no_such' reason=never-heard-of\n"
          "refused < 125 Hz, accepted timestamp:DOUBLE robot_mode:INT32; left out actual_qdd:NOT_FOUND "
          "no_such:NOT_FOUND\n"
          "note < rtde.field.in-use: field=input_int_register_0 case=client-or-fieldbus instead=registers 24 to 47\n"
          "refused > 0 Hz, accepted standard_digital_output:UINT8; left out input_int_register_0:IN_USE\n"
          "note < rtde.start.refused: reason=no-recipe\n"
          "recipe < id1 125 Hz timestamp:DOUBLE\n"
          "event < start 0\n"
          "record < @74 +12 v2 id1 timestamp=2\n"
          "stream rtde v2 cb3e controller \"\" gaps 0\n"
          "  < records 1 decoded 86 lost 0 skipped 0\n"
          "  > records 0 decoded 128 lost 0 skipped 0\n");
}

#define UNKNOWN_TYPE "note < rtde.type.unknown: quoted_name='odd' quoted_type='MATRIX4' "
#define GETS_THE_REST UNKNOWN_TYPE "case=only-one\n"
#define SEVEN "00 00 00 07"

/* One unknown type: it gets the bytes that the other fields leave, and those are decoded wherever they are. */
static void test_an_unknown_type_gets_the_rest(void **unused)
{
    static const struct line between[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,odd,robot_mode"},
        {'<', 'O', "01", "DOUBLE,MATRIX4,INT32"},
        START,
        {'<', 'U', "01 " TWO "00 11" SEVEN, ""},
        {'<', 'U', "01 " ONE_POINT_FIVE "00 12" SEVEN, ""},
        {'<', 'P', "01", ""},
    };
    static const struct line first[] = {
        {'>', 'O', "", "odd,timestamp,actual_TCP_pose"},
        {'<', 'O', "", "MATRIX4,DOUBLE,INT32"},
        {'<', 'U', "aa" TWO SEVEN, ""},
    };
    static const struct line input[] = {
        V2,
        {'>', 'I', "", "odd,input_int_register_24"},
        {'<', 'I', "05", "MATRIX4,INT32"},
        {'>', 'U', "05 aa bb cc" SEVEN, ""},
    };
    (void)unused;
    CHECK(between,
          "event > recognised 0\n" GETS_THE_REST "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32?\n"
          "event < start 0\n"
          "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32\n"
          "record < @32 +18 v2 id1 timestamp=2 odd=2 bytes robot_mode=7\n"
          "record < @50 +18 v2 id1 timestamp=1.5 odd=2 bytes robot_mode=7\n"
          "event < pause 0\n"
          "stream rtde v2 cb3e controller \"\" gaps 0\n"
          "  < records 2 decoded 72 lost 0 skipped 0\n"
          "  > records 0 decoded 43 lost 0 skipped 0\n");
    CHECK(first,
          "event > recognised 0\n" GETS_THE_REST "recipe < id0 0 Hz odd:? timestamp:DOUBLE? actual_TCP_pose:INT32?\n"
          "recipe < id0 0 Hz odd:? timestamp:DOUBLE actual_TCP_pose:INT32?\n"
          "record < @23 +16 v1 id0 odd=1 bytes timestamp=2 actual_TCP_pose=7\n"
          "stream rtde v1 cb3e controller \"\" gaps 0\n"
          "  < records 1 decoded 39 lost 0 skipped 0\n"
          "  > records 0 decoded 32 lost 0 skipped 0\n");
    CHECK(input, "event > recognised 0\n" GETS_THE_REST "recipe > id5 0 Hz odd:? input_int_register_24:INT32?\n"
                 "recipe > id5 0 Hz odd:? input_int_register_24:INT32\n"
                 "record > @33 +11 v2 id5 odd=3 bytes input_int_register_24=7\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 0 decoded 21 lost 0 skipped 0\n"
                 "  > records 1 decoded 44 lost 0 skipped 0\n");
}

/* If lengths vary, or no bytes are left for it, only the fields before it are decoded. */
static void test_an_unknown_type_without_a_size(void **unused)
{
    static const struct line varying[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,odd,robot_mode"},
        {'<', 'O', "01", "DOUBLE,MATRIX4,INT32"},
        {'<', 'U', "01 " TWO "00 11" SEVEN, ""},
        {'<', 'U', "01 " TWO "00 11 22" SEVEN, ""},
        {'<', 'U', "01 " ONE_POINT_FIVE "00 11" SEVEN, ""},
    };
    static const struct line nothing[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,odd,robot_mode"},
        {'<', 'O', "01", "DOUBLE,MATRIX4,INT32"},
        {'<', 'U', "01 " TWO SEVEN, ""},
        {'<', 'U', "01 " TWO SEVEN, ""},
    };
    (void)unused;
    CHECK(varying,
          "event > recognised 0\n" GETS_THE_REST "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32?\n"
          "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32\n"
          "record < @28 +18 v2 id1 timestamp=2 odd=2 bytes robot_mode=7\n"
          "note < rtde.type.unknown: case=varying bytes_known=14 bytes=15 quoted_name='odd'\n"
          "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32?\n"
          "record < @46 +19 v2 id1 timestamp=2 odd=7 bytes robot_mode=absent\n"
          "record < @65 +18 v2 id1 timestamp=1.5 odd=6 bytes robot_mode=absent\n"
          "stream rtde v2 cb3e controller \"\" gaps 0\n"
          "  < records 3 decoded 83 lost 0 skipped 0\n"
          "  > records 0 decoded 40 lost 0 skipped 0\n");
    CHECK(nothing,
          "event > recognised 0\n" GETS_THE_REST "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32?\n"
          "record < @28 +16 v2 id1 timestamp=2 odd=4 bytes robot_mode=absent\n"
          "record < @44 +16 v2 id1 timestamp=2 odd=4 bytes robot_mode=absent\n"
          "stream rtde v2 cb3e controller \"\" gaps 0\n"
          "  < records 2 decoded 60 lost 0 skipped 0\n"
          "  > records 0 decoded 40 lost 0 skipped 0\n");
}

#define TOGETHER "case=various\n"
#define ALIKE "case=alike\n"
#define ODDER "note < rtde.type.unknown: quoted_name='odder' quoted_type="

/* Several unknown types: the fields before the first and after the last are decoded, those between only if another
 * type's size or an equal split shows where they are. 8 bytes timestamp, 4 robot_mode, 8 payload. */
static void test_several_unknown_types(void **unused)
{
    static const struct line two[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,odd,robot_mode,odder,payload"},
        {'<', 'O', "01", "DOUBLE,MATRIX4,INT32,MATRIX5,DOUBLE"},
        {'<', 'U', "01 " TWO "00 11" SEVEN "22" ONE_POINT_FIVE, ""},
        {'<', 'U', "01 " TWO "00 11" SEVEN "33" TWO, ""},
        {'<', 'U', "01 " TWO "00 11" SEVEN "22 33" ONE_POINT_FIVE, ""},
    };
    static const struct line adjacent[] = {
        V2,
        {'>', 'I', "", "odd,odder,input_int_register_24"},
        {'<', 'I', "05", "MATRIX4,MATRIX5,INT32"},
        {'>', 'U', "05 aa bb cc dd" SEVEN, ""},
    };
    (void)unused;
    CHECK(two, "event > recognised 0\n" UNKNOWN_TYPE TOGETHER ODDER "'MATRIX5' " TOGETHER
               "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32? odder:? payload:DOUBLE?\n"
               "note < rtde.type.unknown: case=not-separated fields=2 bytes=3 quoted_name='odd' quoted_last='odder'\n"
               "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32? odder:? payload:DOUBLE\n"
               "record < @43 +27 v2 id1 timestamp=2 odd=7 bytes robot_mode=absent odder=absent payload=1.5\n"
               "record < @70 +27 v2 id1 timestamp=2 odd=7 bytes robot_mode=absent odder=absent payload=2\n"
               "note < rtde.type.unknown: case=varying bytes_known=23 bytes=24 quoted_name='odd'\n"
               "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32? odder:? payload:DOUBLE?\n"
               "record < @97 +28 v2 id1 timestamp=2 odd=16 bytes robot_mode=absent odder=absent payload=absent\n"
               "stream rtde v2 cb3e controller \"\" gaps 0\n"
               "  < records 3 decoded 125 lost 0 skipped 0\n"
               "  > records 0 decoded 54 lost 0 skipped 0\n");
    CHECK(adjacent,
          "event > recognised 0\n" UNKNOWN_TYPE TOGETHER ODDER "'MATRIX5' " TOGETHER
          "recipe > id5 0 Hz odd:? odder:? input_int_register_24:INT32?\n"
          "note > rtde.type.unknown: case=not-separated fields=2 bytes=4 quoted_name='odd' quoted_last='odder'\n"
          "recipe > id5 0 Hz odd:? odder:? input_int_register_24:INT32\n"
          "record > @39 +12 v2 id5 odd=4 bytes odder=absent input_int_register_24=7\n"
          "stream rtde v2 cb3e controller \"\" gaps 0\n"
          "  < records 0 decoded 29 lost 0 skipped 0\n"
          "  > records 1 decoded 51 lost 0 skipped 0\n");
}

/* Several fields of one unknown type: equal shares, if the remaining bytes divide. */
static void test_an_unknown_type_several_times(void **unused)
{
    static const struct line even[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,odd,robot_mode,odder,payload"},
        {'<', 'O', "01", "DOUBLE,MATRIX4,INT32,MATRIX4,DOUBLE"},
        {'<', 'U', "01 " TWO "00 11" SEVEN "22 33" ONE_POINT_FIVE, ""},
    };
    static const struct line uneven[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,odd,odder"},
        {'<', 'O', "01", "DOUBLE,MATRIX4,MATRIX4"},
        {'<', 'U', "01 " TWO "00 11 22", ""},
    };
    static const struct line too_little[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,odd,odder"},
        {'<', 'O', "01", "DOUBLE,MATRIX4,MATRIX4"},
        {'<', 'U', "01 " TWO "00", ""},
    };
    (void)unused;
    CHECK(even, "event > recognised 0\n" UNKNOWN_TYPE ALIKE ODDER "'MATRIX4' " ALIKE
                "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32? odder:? payload:DOUBLE?\n"
                "recipe < id1 125 Hz timestamp:DOUBLE odd:? robot_mode:INT32 odder:? payload:DOUBLE\n"
                "record < @43 +28 v2 id1 timestamp=2 odd=2 bytes robot_mode=7 odder=2 bytes payload=1.5\n"
                "stream rtde v2 cb3e controller \"\" gaps 0\n"
                "  < records 1 decoded 71 lost 0 skipped 0\n"
                "  > records 0 decoded 54 lost 0 skipped 0\n");
    CHECK(uneven,
          "event > recognised 0\n" UNKNOWN_TYPE ALIKE ODDER "'MATRIX4' " ALIKE
          "recipe < id1 125 Hz timestamp:DOUBLE odd:? odder:?\n"
          "note < rtde.type.unknown: case=not-separated fields=2 bytes=3 quoted_name='odd' quoted_last='odder'\n"
          "recipe < id1 125 Hz timestamp:DOUBLE odd:? odder:?\n"
          "record < @30 +15 v2 id1 timestamp=2 odd=3 bytes odder=absent\n"
          "stream rtde v2 cb3e controller \"\" gaps 0\n"
          "  < records 1 decoded 45 lost 0 skipped 0\n"
          "  > records 0 decoded 35 lost 0 skipped 0\n");
    CHECK(too_little, "event > recognised 0\n" UNKNOWN_TYPE ALIKE ODDER "'MATRIX4' " ALIKE
                      "recipe < id1 125 Hz timestamp:DOUBLE odd:? odder:?\n"
                      "record < @30 +13 v2 id1 timestamp=2 odd=1 bytes odder=absent\n"
                      "stream rtde v2 cb3e controller \"\" gaps 0\n"
                      "  < records 1 decoded 43 lost 0 skipped 0\n"
                      "  > records 0 decoded 35 lost 0 skipped 0\n");
}

static void test_a_refused_version_leaves_protocol_1(void **unused)
{
    static const struct line lines[] = {
        {'>', 'V', "00 03", ""},  {'<', 'V', "00", ""},           {'>', 'O', "", "timestamp"},
        {'<', 'O', "", "DOUBLE"}, {'<', 'U', ONE_POINT_FIVE, ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "note < rtde.version.refused: version=3\n"
                 "recipe < id0 0 Hz timestamp:DOUBLE\n"
                 "record < @13 +11 v1 id0 timestamp=1.5\n"
                 "stream rtde v1 cb3e controller \"\" gaps 0\n"
                 "  < records 1 decoded 24 lost 0 skipped 0\n"
                 "  > records 0 decoded 17 lost 0 skipped 0\n");
}

static void test_data_that_does_not_fit_its_recipe(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,robot_mode"},
        {'<', 'O', "01", "DOUBLE,INT32"},
        START,
        {'<', 'U', "01 " ONE_POINT_FIVE "00 00 00 07", ""},
        {'<', 'U', "01 " TWO "00 00", ""},             /* short */
        {'<', 'U', "01 " TWO, ""},                     /* still short */
        {'<', 'U', "01 " TWO "00 00 00 05", ""},       /* good again */
        {'<', 'U', "01 " TWO "00 00 00 06 aa bb", ""}, /* long */
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
        {'<', 'U', "", ""}, /* nothing, not even an id */
        {'<', 'P', "01", ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe < id1 125 Hz timestamp:DOUBLE robot_mode:INT32\n"
                 "event < start 0\n"
                 "record < @24 +16 v2 id1 timestamp=1.5 robot_mode=7\n"
                 "note < rtde.data.short: bytes=10 bytes_known=12\n"
                 "record < @40 +14 v2 id1 short timestamp=2 robot_mode=absent\n"
                 "record < @54 +12 v2 id1 short timestamp=2 robot_mode=absent\n"
                 "note < rtde.data.short: more=1\n"
                 "record < @66 +16 v2 id1 timestamp=2 robot_mode=5\n"
                 "note < rtde.data.long: bytes=14 bytes_known=12\n"
                 "record < @82 +18 v2 id1 long timestamp=2 robot_mode=6\n"
                 "record < @100 +16 v2 id1 timestamp=2 robot_mode=7\n"
                 "note < rtde.data.short: bytes=0 bytes_known=12\n"
                 "record < @116 +3 v2 id0 short timestamp=absent robot_mode=absent\n"
                 "event < pause 0\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 7 decoded 123 lost 0 skipped 0\n"
                 "  > records 0 decoded 39 lost 0 skipped 0\n");
}

static void test_packages_that_break_their_layout(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        {'<', 'X', "01 02", ""}, /* unknown type, as from a later protocol */
        {'<', 'U', "01 " TWO, ""},
        {'<', 'S', "01 00", ""}, /* one byte too many */
        {'<', 'U', "01 " TWO, ""},
        {'<', 'P', "01", ""},
    };
    (void)unused;
    CHECK(lines, "event > recognised 0\n"
                 "recipe < id1 125 Hz timestamp:DOUBLE\n"
                 "note < rtde.package.unknown: type=88 bytes=5\n"
                 "record < @19 +12 v2 id1 timestamp=2\n"
                 "note < rtde.package.unknown: type=83 bytes=5\n"
                 "record < @36 +12 v2 id1 timestamp=2\n"
                 "event < pause 0\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 2 decoded 52 lost 0 skipped 0\n"
                 "  > records 0 decoded 25 lost 0 skipped 0\n");
}

/* ---- set-ups that went wrong ---- */

#define NOT_FOUND "rtde.field.not-found: "

/* Checks the notes only. */
static void check_notes(const struct line *lines, size_t count, const char *const *wanted)
{
    struct script script = session(lines, count);
    struct log log = script_log(&script, &on_port);
    unsigned notes = 0;
    for (; wanted[notes]; notes++)
        if (!log_has(&log, wanted[notes]))
            fail_msg("not noted: %s\namong:\n%s", wanted[notes], log.text);
    if (log.notes != notes)
        fail_msg("%u notes, not %u:\n%s", log.notes, notes, log.text);
    log_free(&log);
    script_free(&script);
}
#define CHECK_NOTES(lines, ...)                                                                                        \
    check_notes(lines, sizeof lines / sizeof lines[0], (const char *const[]){__VA_ARGS__, NULL})

#define RELEASE(hex)                                                                                                   \
    {'>', 'v', "", ""},                                                                                                \
    {                                                                                                                  \
        '<', 'v', hex, ""                                                                                              \
    }
#define CB3_3_4 RELEASE("00 00 00 03 00 00 00 04 00 00 00 05 00 00 00 64")
#define E_5_9 RELEASE("00 00 00 05 00 00 00 09 00 00 00 04 00 00 00 0a")
#define X_10_12 RELEASE("00 00 00 0a 00 00 00 0c 00 00 00 00 00 00 00 01")

static void test_why_a_field_is_not_known(void **unused)
{
    static const struct line old[] = {
        V2,
        CB3_3_4,
        {'>', 'O', HZ125, "elbow_position,ft_raw_wrench,actual_Q,speed_slider_mask,rt_94,tool_mode,tool_mod2"},
        {'<', 'O', "00", "NOT_FOUND,NOT_FOUND,NOT_FOUND,NOT_FOUND,NOT_FOUND,NOT_FOUND,NOT_FOUND"},
    };
    static const struct line odd[] = {
        V2,
        E_5_9,
        {'>', 'O', HZ125, "elbow_position,input_int_register_0,target_gravity"},
        {'<', 'O', "00", "NOT_FOUND,NOT_FOUND,NOT_FOUND"},
        {'>', 'I', "", "actual_q,standard_digital_ouput"},
        {'<', 'I', "00", "NOT_FOUND,NOT_FOUND"},
    };
    static const struct line unversioned[] = {
        V2,
        {'>', 'O', HZ125, "elbow_position,tool_mode"},
        {'<', 'O', "00", "NOT_FOUND,NOT_FOUND"},
    };
    static const struct line newest[] = {
        V2,
        X_10_12,
        {'>', 'O', HZ125, "target_base_wrench,target_gravity"},
        {'<', 'O', "00", "NOT_FOUND,NOT_FOUND"},
    };
    (void)unused;
    CHECK_NOTES(
        old, NOT_FOUND "field=elbow_position reason=release-older release_since=3.5.0 release=3.4.5.100\n",
        NOT_FOUND
        "field=ft_raw_wrench reason=release-never release_since=5.9.0 (e-Series) series=CB3 release=3.4.5.100\n",
        NOT_FOUND "quoted_name='actual_Q' reason=misspelt field_meant=actual_q\n",
        NOT_FOUND "field=speed_slider_mask reason=is-input\n", NOT_FOUND "field=rt_94 reason=legacy-only\n",
        NOT_FOUND "field=tool_mode reason=release-unsaid release=3.4.5.100\n",
        NOT_FOUND "quoted_name='tool_mod2' reason=never-heard-of\n");
    CHECK_NOTES(odd, NOT_FOUND "field=elbow_position reason=release-has-it release_since=5.0.0 release=5.9.4.10\n",
                NOT_FOUND
                "field=input_int_register_0 reason=release-has-it release_since=3.4.0 (CB3) release=5.9.4.10\n",
                NOT_FOUND "field=target_gravity reason=release-older release_since=5.26.0 release=5.9.4.10\n",
                NOT_FOUND "field=actual_q reason=is-output\n",
                NOT_FOUND "quoted_name='standard_digital_ouput' reason=misspelt field_meant=standard_digital_output\n");
    CHECK_NOTES(unversioned,
                NOT_FOUND "field=elbow_position reason=release-older release_since=3.5.0 (CB3), 5.0.0 (e-Series)\n",
                NOT_FOUND "field=tool_mode reason=release-unsaid\n");
    CHECK_NOTES(newest,
                NOT_FOUND "field=target_base_wrench reason=release-older release_since=10.14.0 release=10.12.0.1\n",
                NOT_FOUND "field=target_gravity reason=release-has-it release_since=10.12.0 release=10.12.0.1\n");
}

#define HZ14 "40 2c 00 00 00 00 00 00" /* its second byte is a comma */
#define NOT_NEGOTIATED "rtde.version.not-negotiated: reason=not-negotiated quoted_name='timestamp'\n"

/* A set-up in the format of protocol 2 while protocol 1 is in force. */
static void test_a_set_up_that_was_not_negotiated(void **unused)
{
    static const struct line plain[] = {
        {'>', 'O', HZ125, "timestamp,actual_q,actual_qdd"},
        {'<', 'O', "", "NOT_FOUND,VECTOR6D,NOT_FOUND"},
    };
    static const struct line comma[] = {
        {'>', 'O', HZ14, "timestamp,actual_q"},
        {'<', 'O', "", "NOT_FOUND,NOT_FOUND,VECTOR6D"},
    };
    static const struct line refused[] = {
        {'>', 'V', "00 03", ""},
        {'<', 'V', "00", ""},
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "", "NOT_FOUND"},
    };
    /* Neither of these: its first name really is unknown; the frequency did no harm. */
    static const struct line right[] = {
        {'>', 'O', "", "timestomp,actual_q"},
        {'<', 'O', "", "NOT_FOUND,VECTOR6D"},
    };
    static const struct line lenient[] = {
        {'>', 'O', HZ125, "timestamp,actual_mode"},
        {'<', 'O', "", "DOUBLE,NOT_FOUND"},
    };
    (void)unused;
    CHECK_NOTES(plain, NOT_NEGOTIATED, NOT_FOUND "quoted_name='actual_qdd' reason=never-heard-of\n");
    CHECK_NOTES(comma, NOT_NEGOTIATED);
    CHECK_NOTES(refused, "rtde.version.refused: version=3\n",
                "rtde.version.not-negotiated: reason=refused version=3 quoted_name='timestamp'\n");
    CHECK_NOTES(right, NOT_FOUND "quoted_name='timestomp' reason=misspelt field_meant=timestamp\n");
    CHECK_NOTES(lenient, NOT_FOUND "quoted_name='actual_mode' reason=never-heard-of\n");
}

/* The accepted rest of refused set-ups, with the types of the reply; a misread name gets the table's type. */
static void test_what_is_left_of_a_refused_set_up(void **unused)
{
    static const struct line lines[] = {
        {'>', 'O', HZ14, "timestamp,actual_q,actual_qdd"},
        {'<', 'O', "", "NOT_FOUND,NOT_FOUND,VECTOR6INT32,NOT_FOUND"},
        {'>', 'O', HZ125, "no_such,payload"},
        {'<', 'O', "", "NOT_FOUND,DOUBLE"},
        V2,
        {'>', 'O', "", "timestamp,actual_q,"},
        {'<', 'O', "00", "NOT_FOUND,VECTOR6D,"},
        {'>', 'O', HZ125, "no_such,, a ,payload"},
        {'<', 'O', "00", "NOT_FOUND,NOT_SET,IN_USE,QUATERNION"},
        {'>', 'O', HZ125, "timestamp,actual_q"},
        {'<', 'O', "00", "NOT_FOUND,DOUBLE,DOUBLE"}, /* unclear which name is refused */
    };
    static const char *const wanted[] = {
        ("refused < 14 Hz, accepted timestamp:DOUBLE actual_q:VECTOR6INT32?; left out timestamp:MISREAD "
         "actual_qdd:NOT_FOUND\n"),
        "refused < 125 Hz, accepted payload:DOUBLE; left out no_such:MISREAD\n",
        "refused < 0 Hz, accepted timestamp:DOUBLE actual_q:VECTOR6D; left out timestamp:MISREAD\n",
        "refused < 125 Hz, accepted payload:?; left out no_such:NOT_FOUND :NOT_SET a:IN_USE\n",
    };
    (void)unused;
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!log_has(&log, wanted[i]))
            fail_msg("not in the log: %s\n%s", wanted[i], log.text);
    assert_int_equal(log_count(&log, "refused < "), 4);
    log_free(&log);
    script_free(&script);
}

/* A set-up in the format of protocol 1 while protocol 2 is in force: eight letters are read as a frequency. */
static void test_a_set_up_without_its_frequency(void **unused)
{
    static const struct line cut[] = {
        V2,
        {'>', 'O', "", "timestamp,actual_q,actual_mode"},
        {'<', 'O', "00", "NOT_FOUND,VECTOR6D,NOT_FOUND"},
    };
    static const struct line whole[] = {
        V2,
        {'>', 'O', "", "payload,timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        {'<', 'U', "01 " TWO, ""},
    };
    (void)unused;
    CHECK_NOTES(cut, "rtde.frequency.missing: version=2 quoted='timestam' is_cut quoted_name='timestamp'\n",
                NOT_FOUND "quoted_name='actual_mode' reason=never-heard-of\n");
    CHECK(whole, "event > recognised 0\n"
                 "note < rtde.frequency.missing: version=2 quoted='payload,' quoted_name='timestamp'\n"
                 "refused < 0 Hz, accepted payload:DOUBLE timestamp:DOUBLE; left out payload:MISREAD\n"
                 "recipe < id1 0 Hz timestamp:DOUBLE\n"
                 "record < @14 +12 v2 id1 timestamp=2\n"
                 "stream rtde v2 cb3e controller \"\" gaps 0\n"
                 "  < records 1 decoded 26 lost 0 skipped 0\n"
                 "  > records 0 decoded 25 lost 0 skipped 0\n");
}

/* The capture begins after the negotiation, so that only the reply shows the protocol. */
static void test_a_reply_shows_the_protocol(void **unused)
{
    static const struct line lines[] = {
        {'>', 'O', HZ125, "timestamp,actual_q"},
        {'<', 'O', "", "NOT_FOUND,VECTOR6D"},
        {'>', 'O', HZ125, "payload"},
        {'<', 'O', "42", "DOUBLE"}, /* an id that is a letter */
        {'<', 'U', "42 " TWO, ""},
    };
    (void)unused;
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &in_the_middle);
    assert_true(log_has(&log, "rtde.version.not-negotiated: reason=protocol-1 quoted_name='timestamp'\n"));
    assert_true(log_has(&log, "v2 id66 payload=2\n"));
    log_free(&log);
    script_free(&script);
}

static void test_a_reply_that_cannot_be_read(void **unused)
{
    static const struct line garbage[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,actual_mood"},
        {'<', 'O', "01 44 ff fe 2c", ""},
        START,
        {'<', 'U', "01 " TWO TWO, ""},
        {'>', 'I', "", "standard_digital_output"},
        {'<', 'I', "01", "uint8"},
        {'>', 'U', "01 2a", ""},
    };
    /* With the table's types the names fit the data: this is a guess, and reported as one. */
    static const struct line fitting[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,actual_q"},
        {'<', 'O', "01 ff", ""},
        {'>', 'O', HZ125, "timestamp,robot_mode"},
        {'<', 'O', "01 fe", ""},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
    };
    static const struct line empty[] = {
        V2,
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "", ""}, /* not even an id */
        {'<', 'P', "01", ""},
    };
    static const struct line strange[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,actual_mood"},
        {'<', 'O', "01", "REAL,REAL"},
        {'<', 'U', "01 " TWO TWO, ""},
    };
    (void)unused;
    CHECK_NOTES(garbage, "rtde.setup.bad: request=outputs reason=unreadable hex=00 08 4f 01 44 ff fe 2c\n",
                "rtde.recipe.missing: bytes=17 direction=from-robot reason=unreadable\n",
                "rtde.setup.bad: request=inputs reason=unreadable hex=00 09 49 01 75 69 6e 74 38\n",
                "rtde.recipe.missing: bytes=2 direction=to-robot reason=unreadable\n");
    CHECK_NOTES(fitting, "rtde.setup.bad: request=outputs reason=unreadable hex=00 05 4f 01 ff\n",
                "rtde.setup.bad: request=outputs reason=unreadable hex=00 05 4f 01 fe\n",
                "rtde.recipe.guessed: fields=2 reason=unreadable-reply\n");
    CHECK_NOTES(empty, "rtde.setup.bad: request=outputs reason=unreadable hex=00 03 4f\n");
    CHECK_NOTES(strange,
                "rtde.setup.bad: request=outputs reason=no-known-type types=2 fields=2 hex=00 0d 4f 01 52 45 41 4c 2c "
                "52 45 41 4c\n",
                "rtde.recipe.missing: bytes=17 direction=from-robot reason=unreadable\n");
}

/* The numbers of types and names differ: it is unclear which belong together, so no names are used. */
static void test_a_reply_of_another_count(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,robot_mode,speed_scaling"},
        {'<', 'O', "01", "DOUBLE,INT32"},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
    };
    (void)unused;
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, "rtde.setup.bad: request=outputs reason=other-count types=2 fields=3 hex=00 10 4f 01 44 "
                              "4f 55 42 4c 45 2c 49 4e 54 33 32\n"));
    assert_true(log_has(&log, "rtde.recipe.missing: reason=other-count types=2\n"));
    assert_true(log_has(&log, "id1 value_0=2 value_1=7\n"));
    assert_int_equal(log.notes, 2);
    log_free(&log);
    script_free(&script);
}

#define JOINTS_RECIPE                                                                                                  \
    {'>', 'O', HZ125, "timestamp,robot_mode"},                                                                         \
    {                                                                                                                  \
        '<', 'O', "01", "DOUBLE,INT32"                                                                                 \
    }
#define SAFETY_ASKED                                                                                                   \
    {'>', 'P', "", ""}, {'<', 'P', "01", ""},                                                                          \
    {                                                                                                                  \
        '>', 'O', HZ125, "timestamp,safety_mode"                                                                       \
    }
#define CHECK_HAS(lines, wanted)                                                                                       \
    do {                                                                                                               \
        struct script script_ = session(lines, sizeof lines / sizeof lines[0]);                                        \
        struct log log_ = script_log(&script_, &on_port);                                                              \
        assert_true(log_has(&log_, wanted));                                                                           \
        log_free(&log_);                                                                                               \
        script_free(&script_);                                                                                         \
    } while (0)

/* If the reply to a protocol request is missing, the protocol in force is unknown. */
static void test_a_version_without_its_reply(void **unused)
{
    static const struct line requests[] = {
        {'>', 'V', "00 02", ""},
        {'>', 'O', HZ125, "timestamp,robot_mode"},
        {'>', 'S', "", ""},
    };
    static const struct line data[] = {
        {'>', 'V', "00 02", ""},
        {'>', 'O', HZ125, "timestamp,robot_mode"},
        {'>', 'S', "", ""},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
    };
    static const struct line none[] = {
        {'>', 'O', "", "timestamp,robot_mode"},
        {'>', 'S', "", ""},
    };
    static const struct line refused[] = {
        {'>', 'V', "00 02", ""},
        {'<', 'V', "00", ""},
    };
    (void)unused;
    CHECK_HAS(requests, "stream rtde v0 cb3e controller");
    CHECK_HAS(data, "v2 id1 guessed timestamp=2 robot_mode=7\n");
    CHECK_HAS(none, "stream rtde v1 cb3e controller");
    CHECK_HAS(refused, "stream rtde v1 cb3e controller");
}

/* Controllers pass on what programs print, including terminal colours; it is shown escaped. */
static void test_a_text_with_control_characters(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'<', 'M', "07 61 1b 5b 33 31 6d 62 01 78 00", ""},
        {'<', 'M', "03 1b 07 08 00 02", ""}, /* nothing else */
        {'<', 'P', "01", ""},
    };
    static const struct line old[] = {
        {'>', 'O', "", "timestamp"},
        {'<', 'O', "", "DOUBLE"},
        {'<', 'M', "01", "an \x1b[1merror"},
        {'<', 'P', "01", ""},
    };
    (void)unused;
    CHECK_NOTES(lines, "rtde.text.exception: quoted_source='x' quoted='a\\x1b[31mb'\n",
                "rtde.text.warning: quoted='\\x1b\\x07\\x08'\n");
    CHECK_NOTES(old, "rtde.text.error: quoted='an \\x1b[1merror'\n");
    CHECK_HAS(lines, "decoded 31 lost 0 skipped 0\n");
}

/* During the search for a package, its text must be plausible; texts from robots hold blanks, line ends and NUL. */
static void test_what_passes_for_a_text(void **unused)
{
    (void)unused;
    assert_true(armtap_rtde_is_text("a b\nc\r\td\0e", 11, 0));
    assert_true(armtap_rtde_is_text("\x7f\xc3\xb6", 3, 0));
    assert_false(armtap_rtde_is_text("a\x1b"
                                     "b",
                                     3, 0));
    assert_false(armtap_rtde_is_text("\x1f", 1, 0));
    assert_true(armtap_rtde_is_text("\x01 \x02", 3, 2));
    assert_false(armtap_rtde_is_text("\x01 \x02\x03", 4, 2));
}

/* A refused request is no fault if another protocol is accepted afterwards. */
static void test_a_refused_version(void **unused)
{
    static const struct line fell_back[] = {
        {'>', 'V', "00 03", ""},
        {'<', 'V', "00", ""},
        {'>', 'v', "", ""},
        {'<', 'v', "00 00 00 05 00 00 00 0b 00 00 00 01 00 00 00 6c", ""},
        V2,
        JOINTS_RECIPE,
    };
    static const struct line went_on[] = {
        {'>', 'V', "00 03", ""},
        {'<', 'V', "00", ""},
        {'>', 'V', "00 02", ""},
        {'<', 'V', "00", ""},
        {'>', 'O', "", "timestamp"},
        {'<', 'O', "", "DOUBLE"},
        V2,
    };
    static const struct line gave_up[] = {
        {'>', 'V', "00 02", ""},
        {'<', 'V', "00", ""},
    };
    (void)unused;
    CHECK_NOTES(fell_back, NULL);
    CHECK_NOTES(went_on, "rtde.version.refused: version=3\n", "rtde.version.refused: version=2\n");
    CHECK_NOTES(gave_up, "rtde.version.refused: version=2\n");
}

/* Data after a set-up that the controller refused: the note blames the refusal, not the capture. */
static void test_data_behind_a_refused_set_up(void **unused)
{
    static const struct line inputs[] = {
        V2,
        {'>', 'I', "", "input_int_register_24,nonsense"},
        {'<', 'I', "00", "INT32,NOT_FOUND"},
        {'>', 'U', "01 00 00 00 05", ""},
    };
    static const struct line outputs[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,nonsense"},
        {'<', 'O', "00", "DOUBLE,NOT_FOUND"},
        {'<', 'U', "01 " TWO, ""},
    };
    (void)unused;
    CHECK_NOTES(inputs, NOT_FOUND "quoted_name='nonsense' reason=never-heard-of\n",
                "rtde.recipe.missing: bytes=5 direction=to-robot reason=refused\n");
    CHECK_NOTES(outputs, NOT_FOUND "quoted_name='nonsense' reason=never-heard-of\n",
                "rtde.recipe.missing: bytes=9 direction=from-robot reason=refused\n");
}

/* Only the first is reported, then the number of further ones. */
static void test_how_many_do_not_fit(void **unused)
{
    static const struct line lines[] = {
        V2,
        JOINTS_RECIPE,
        {'<', 'U', "01 " TWO, ""},
        {'<', 'U', "01 " TWO, ""},
        {'<', 'U', "01 " TWO TWO, ""},
        {'<', 'U', "01 " TWO, ""},
    };
    (void)unused;
    CHECK_NOTES(lines, "rtde.data.short: bytes=8 bytes_known=12\n", "rtde.data.long: bytes=16 bytes_known=12\n",
                "rtde.data.short: more=2\n");
}

/* A controller keeps one output recipe: data with another recipe's id never gets its names, whatever its length. */
static void test_data_of_another_recipe(void **unused)
{
    static const struct line lines[] = {
        V2,
        JOINTS_RECIPE,
        START,
        {'<', 'U', "02 " TWO "00 00 00 05", ""},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
        {'<', 'U', "02 " TWO TWO, ""},
    };
    static const struct line old[] = {
        {'>', 'O', "", "timestamp,robot_mode"}, /* protocol 1 has no id: the first byte is a value's */
        {'<', 'O', "", "DOUBLE,INT32"},
        {'<', 'U', TWO "00 00 00 07", ""},
        {'<', 'U', ONE_POINT_FIVE "00 00 00 05", ""},
    };
    (void)unused;
    CHECK_NOTES(lines, "rtde.recipe.missing: reason=other-recipe recipe=2 recipe_known=1\n");
    CHECK_HAS(lines, "record < @24 +16 v2 id0 opaque\n"
                     "record < @40 +16 v2 id1 timestamp=2 robot_mode=7\n"
                     "record < @56 +20 v2 id0 opaque\n");
    CHECK_HAS(old, "timestamp=2 robot_mode=7\nrecord < @30 +15 v1 id0 timestamp=1.5 robot_mode=5\n");
}

/* The reply to a second set-up is missing: the set-up still replaced the first one. */
static void test_a_second_set_up_without_its_reply(void **unused)
{
    static const struct line same_length[] = {
        V2,
        JOINTS_RECIPE,
        START,
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
        SAFETY_ASKED,
        START,
        {'<', 'U', "01 " TWO "00 00 00 01", ""},
    };
    static const struct line other_length[] = {
        V2, JOINTS_RECIPE, SAFETY_ASKED, START, {'<', 'U', "01 " TWO TWO, ""},
    };
    /* An input set-up's reply also shows that the reply before it is missing. */
    static const struct line overtaken[] = {
        V2,
        JOINTS_RECIPE,
        SAFETY_ASKED,
        {'>', 'I', "", "standard_digital_output"},
        {'<', 'I', "01", "UINT8"},
        {'<', 'U', "01 " TWO "00 00 00 01", ""},
    };
    /* Data before the reply follows the previous recipe. */
    static const struct line answered[] = {
        V2,
        JOINTS_RECIPE,
        START,
        {'>', 'O', HZ125, "timestamp,safety_mode"},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
        {'<', 'O', "02", "DOUBLE,INT32"},
        {'<', 'U', "02 " TWO "00 00 00 01", ""},
    };
    /* Also after a refusal. */
    static const struct line after_refusal[] = {
        V2,
        {'>', 'O', HZ125, "timestamp,actual_Q"},
        {'<', 'O', "00", "DOUBLE,NOT_FOUND"},
        {'>', 'O', HZ125, "timestamp,safety_mode"},
        START,
        {'<', 'U', "01 " TWO "00 00 00 01", ""},
    };
    (void)unused;
    CHECK_NOTES(same_length, "rtde.recipe.guessed: fields=2 reason=no-reply\n");
    CHECK_HAS(same_length, "timestamp=2 safety_mode=1\n");
    CHECK_NOTES(other_length, "rtde.recipe.missing: bytes=17 direction=from-robot reason=no-reply\n");
    CHECK_HAS(overtaken, "timestamp=2 safety_mode=1\n");
    CHECK_HAS(answered, "id1 timestamp=2 robot_mode=7\n");
    CHECK_HAS(answered, "id2 timestamp=2 safety_mode=1\n");
    CHECK_HAS(after_refusal, "timestamp=2 safety_mode=1\n");
}

static void test_a_reply_whose_request_was_not_captured(void **unused)
{
    static const struct line lines[] = {
        {'<', 'V', "01", ""},
        {'<', 'O', "01", "DOUBLE,INT32"},
        {'<', 'U', "01 " TWO "00 00 00 07", ""},
        {'<', 'U', "01 " TWO "00 00 00 06", ""},
    };
    (void)unused;
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    assert_true(log_has(&log, "value_0:DOUBLE? value_1:INT32?\n"));
    assert_true(log_has(&log, "+16 v2 id1 value_0=2 value_1=7\n"));
    assert_true(log_has(&log, "+16 v2 id1 value_0=2 value_1=6\n"));
    log_free(&log);
    script_free(&script);
}

/* A recipe that is given fits by its size: with an id in front from protocol 2 on, without one before, either way where
 * no protocol is known. */
static void test_the_size_of_a_given_recipe(void **unused)
{
    static const struct {
        const char *version, *answer;
        size_t fits[2]; /* from so many bytes above the recipe's to so many */
    } protocols[] = {{"", "", {0, 1}}, {"00 02", "00", {0, 0}}, {"00 02", "01", {1, 1}}, {"00 03", "01", {1, 1}}};
    (void)unused;
    for (size_t i = 0; i < 4; i++)
        for (size_t bytes = 11; bytes <= 14; bytes++) {
            struct script script = {.count = 0};
            struct armtap_sink sink = log_sink();
            struct log log = {.values = true};
            struct bytes payload = {0}, package = {0};
            struct armtap_recipe *recipe;
            struct armtap_conn *conn;
            size_t at = 0;
            if (protocols[i].answer[0] != '\0') {
                script_list(&script, TO, 'V', protocols[i].version, "");
                script_list(&script, FROM, 'V', protocols[i].answer, "");
            }
            bytes_number(&payload, 1, 1);
            while (payload.length < bytes)
                bytes_number(&payload, 0, 1);
            bytes_package(&package, 'U', &payload);
            script_add(&script, FROM, &package);
            assert_int_equal(armtap_conn_new(&on_port, &sink, &log, &conn), ARMTAP_OK);
            assert_int_equal(armtap_recipe_rtde("timestamp,robot_mode", "DOUBLE,INT32", &recipe), ARMTAP_OK);
            assert_int_equal(armtap_conn_set_recipe(conn, recipe), ARMTAP_OK);
            for (size_t k = 0; k < script.count; at = script.parts[k++].end)
                assert_int_equal(armtap_conn_push(conn, script.parts[k].direction, script.bytes.at + at,
                                                  script.parts[k].end - at, NULL),
                                 ARMTAP_OK);
            armtap_conn_close(conn, FROM, NULL);
            bool fits = bytes >= 12 + protocols[i].fits[0] && bytes <= 12 + protocols[i].fits[1];
            assert_int_equal(log.records[FROM], 1);
            assert_int_equal(log_count(&log, " opaque"), !fits);
            assert_int_equal(log_count(&log, " robot_mode="), fits);
            assert_int_equal(log_count(&log, "rtde.recipe.missing: reason=given-recipe bytes_known=12"), !fits);
            armtap_conn_free(conn);
            armtap_recipe_release(recipe);
            log_free(&log);
            bytes_free(&payload);
            bytes_free(&package);
            script_free(&script);
        }
}

/* ---- every variable at once: names of far more than 2048 bytes ---- */

struct everything {
    struct bytes names, types, values;
    unsigned count;
};

/* A value of the wire type, from a running number n: doubles n + 0.5, integers n, BOOL its lowest bit times 3. */
static void add_number(struct bytes *values, const char *type, unsigned number)
{
    if (strncmp(type, "VECTOR6D", 8) == 0 || strncmp(type, "VECTOR3D", 8) == 0 || strcmp(type, "DOUBLE") == 0)
        bytes_double(values, number + 0.5);
    else if (strcmp(type, "BOOL") == 0)
        bytes_number(values, number % 2 * 3, 1);
    else if (strcmp(type, "UINT8") == 0)
        bytes_number(values, number % 256, 1);
    else if (strcmp(type, "UINT64") == 0)
        bytes_number(values, number, 8);
    else
        bytes_number(values, number, 4);
}

static void add_variable(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct everything *all = user;
    assert_int_equal(count, 5);
    bytes_text(&all->names, all->count ? "," : "");
    bytes_text(&all->names, cells[0]);
    bytes_text(&all->types, all->count ? "," : "");
    bytes_text(&all->types, cells[2]);
    for (unsigned i = 0; i < strtoul(cells[4], NULL, 10); i++)
        add_number(&all->values, cells[2], all->count + i);
    all->count++;
}

static int hear_everything(void *user, const struct armtap_record *record)
{
    unsigned *records = user;
    struct armtap_value value;
    size_t i = 0;
    (*records)++;
    for (; armtap_record_value(record, i, &value); i++) {
        assert_true(value.present);
        assert_non_null(value.field);
        assert_true(armtap_set_has(record->updated, value.field->id));
        for (unsigned k = 0; k < value.count; k++) {
            unsigned number = (unsigned)i + k;
            double wanted = value.type == ARMTAP_DOUBLE                           ? number + 0.5
                            : value.type == ARMTAP_BOOL                           ? number % 2
                            : armtap_recipe_at(record->recipe, i)->wire_size == 1 ? number % 256
                                                                                  : number;
            double heard = value.type == ARMTAP_DOUBLE ? value.f64[k] : (double)value.u64[k];
            if (wanted != heard)
                fail_msg("%s: %g, not %g", value.name, heard, wanted);
        }
        struct armtap_value known;
        armtap_state_get(record->state, value.field, &known);
        assert_true(known.present);
        assert_memory_equal(known.u64, value.u64, 8 * value.count);
    }
    assert_int_equal(i, armtap_recipe_count(record->recipe));
    return 0;
}

/* ---- packages that end early: sanitizers detect reads beyond them ---- */

static void push_exactly(struct armtap_conn *conn, enum armtap_direction direction, const struct bytes *bytes,
                         struct armtap_where *where)
{
    uint8_t *copy = malloc(bytes->length);
    assert_non_null(copy);
    memcpy(copy, bytes->at, bytes->length);
    where->packet++;
    where->time += 8000000;
    assert_int_equal(armtap_conn_push(conn, direction, copy, bytes->length, where), ARMTAP_OK);
    free(copy);
}

/* Finding input recipes by size gives the same as searching all of them, whatever their order. */
static void test_inputs_by_size(void **unused)
{
    struct armtap_recipe recipes[12] = {{.size = 0}};
    struct armtap_rtde_inputs inputs = {.count = 0};
    uint64_t seed = 3;
    (void)unused;
    for (size_t i = 0; i < 12; i++)
        recipes[i].size = i / 2; /* two of each size */
    for (unsigned round = 0; round < 5000; round++) {
        uint8_t id = (uint8_t)(random_bits(&seed) % ARMTAP_RTDE_INPUT_IDS);
        inputs.by_id[id] = &recipes[random_bits(&seed) % 12];
        armtap_rtde_inputs_sort(&inputs, id);
        size_t size = random_bits(&seed) % 8, first = 0;
        while (first < ARMTAP_RTDE_INPUT_IDS && !(inputs.by_id[first] && inputs.by_id[first]->size == size))
            first++;
        const struct armtap_recipe *found = armtap_rtde_inputs_of_size(&inputs, size);
        assert_ptr_equal(found, first < ARMTAP_RTDE_INPUT_IDS ? inputs.by_id[first] : NULL);
    }
    assert_int_equal(inputs.count, ARMTAP_RTDE_INPUT_IDS);
}

static void test_data_without_even_a_recipe_id(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', "40 5f 40 00 00 00 00 00", "timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        {'<', 'U', "01 40 59 00 00 00 00 00 00", ""},
        {'<', 'U', "", ""},
        {'<', 'U', "", ""},
        {'<', 'U', "01 40 5a 00 00 00 00 00 00", ""},
    };
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    (void)unused;
    assert_int_equal(log.records[FROM], 4);
    assert_int_equal(log_count(&log, " short"), 2);
    log_free(&log);
    script_free(&script);
}

/* A package that holds only the id of another recipe. */
static void test_data_of_only_another_id(void **unused)
{
    static const struct line lines[] = {
        V2,
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        {'<', 'U', "01 40 59 00 00 00 00 00 00", ""},
        {'<', 'U', "02", ""},
        {'<', 'U', "01", ""},
    };
    struct script script = session(lines, sizeof lines / sizeof lines[0]);
    struct log log = script_log(&script, &on_port);
    (void)unused;
    assert_int_equal(log_count(&log, "note < rtde.recipe.missing: reason=other-recipe recipe=2 recipe_known=1\n"), 1);
    assert_int_equal(log_count(&log, "note < rtde.data.short: bytes=0 bytes_known="), 1);
    assert_int_equal(log_count(&log, " opaque"), 1);
    log_free(&log);
    script_free(&script);
}

/* 64 packages of a clock, joints that move, and what stands for their speeds; behind an id, or not. */
static void push_motion(struct armtap_conn *conn, struct armtap_where *where, bool with_id)
{
    for (unsigned i = 0; i < 64; i++) {
        struct bytes payload = {0}, package = {0};
        bytes_number(&payload, 1, with_id);
        bytes_double(&payload, 100 + 0.008 * i);
        for (unsigned k = 0; k < 6; k++)
            bytes_double(&payload, 0.3 + 0.5 * k + 0.0001 * i * i);
        for (unsigned k = 0; k < 6; k++)
            bytes_double(&payload, 0.025 * i);
        bytes_double(&payload, 1);
        bytes_double(&payload, 1);
        bytes_package(&package, 'U', &payload);
        push_exactly(conn, FROM, &package, where);
        bytes_free(&payload);
        bytes_free(&package);
    }
}

/* Names that data contradict go; what the reply said stays, with and without it. */
static void test_a_guess_that_data_contradict(void **unused)
{
    (void)unused;
    for (unsigned has_reply = 0; has_reply < 2; has_reply++) {
        struct armtap_where where = {.size = sizeof where, .time = INT64_C(1700000000000000000)};
        struct armtap_sink sink = log_sink();
        struct log log = {.values = true};
        struct bytes payload = {0}, package = {0};
        struct armtap_conn *conn;
        assert_int_equal(armtap_conn_new(&in_the_middle, &sink, &log, &conn), ARMTAP_OK);
        bytes_hex(&package, "00 04 56 01");
        if (has_reply) {
            bytes_list(&package, 'O', "01", "DOUBLE,VECTOR6D,VECTOR6D,DOUBLE,DOUBLE");
            push_exactly(conn, FROM, &package, &where);
        }
        bytes_free(&package);
        push_motion(conn, &where, true);
        assert_int_equal(log_count(&log, "rtde.recipe.guessed"), 1);
        assert_int_equal(log.recipes, has_reply + 1);
        unsigned before = log_count(&log, " opaque");
        for (unsigned i = 0; i < 2; i++) {
            bytes_number(&payload, 1, 1);
            for (unsigned k = 0; k < 15; k++)
                bytes_double(&payload, 1e9 + k);
            bytes_package(&package, 'U', &payload);
            push_exactly(conn, FROM, &package, &where);
            bytes_free(&payload);
            bytes_free(&package);
        }
        assert_int_equal(log.recipes, has_reply ? 3 : 1);
        assert_int_equal(log_count(&log, "value_0=1000000000 "), has_reply ? 2 : 0);
        assert_int_equal(log_count(&log, " opaque"), before + (has_reply ? 0 : 2));
        armtap_conn_free(conn);
        log_free(&log);
    }
}

/* A recipe guessed in protocol 1 has no recipe id when a late reply changes to protocol 2. */
static void test_another_protocol_after_a_guess(void **unused)
{
    struct armtap_where where = {.size = sizeof where, .time = INT64_C(1700000000000000000)};
    struct armtap_sink sink = log_sink();
    struct log log = {.values = true};
    struct bytes payload = {0}, package = {0};
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(&in_the_middle, &sink, &log, &conn), ARMTAP_OK);
    push_motion(conn, &where, false);
    assert_true(log_has(&log, "rtde.recipe.guessed"));
    bytes_hex(&package, "00 05 56 00 02");
    push_exactly(conn, TO, &package, &where);
    bytes_free(&package);
    bytes_hex(&package, "00 04 56 01");
    push_exactly(conn, FROM, &package, &where);
    bytes_free(&package);
    for (unsigned i = 0; i < 15; i++)
        bytes_double(&payload, 0);
    bytes_package(&package, 'U', &payload);
    push_exactly(conn, FROM, &package, &where);
    assert_int_equal(log.records[FROM], 65);
    assert_int_equal(log_count(&log, "timestamp=0.0"), 0);
    bytes_free(&payload);
    bytes_free(&package);
    armtap_conn_free(conn);
    log_free(&log);
}

static void test_all_variables_at_once(void **unused)
{
    struct everything all = {.count = 0};
    struct armtap_sink sink = {.size = sizeof sink, .on_record = hear_everything};
    struct bytes request = {0}, reply = {0}, data = {0}, payload = {0};
    struct armtap_conn *conn;
    unsigned records = 0;
    (void)unused;
    assert_true(table_each("rtde_variables.csv", add_variable, &all) > 0);
    assert_true(all.names.length > 2048);
    bytes_hex(&payload, "40 7f 40 00 00 00 00 00");
    bytes_add(&payload, all.names.at, all.names.length);
    bytes_hex(&request, "00 05 56 00 02");
    bytes_package(&request, 'O', &payload);
    payload.length = 0;
    bytes_hex(&payload, "01");
    bytes_add(&payload, all.types.at, all.types.length);
    bytes_hex(&reply, "00 04 56 01");
    bytes_package(&reply, 'O', &payload);
    payload.length = 0;
    bytes_hex(&payload, "01");
    bytes_add(&payload, all.values.at, all.values.length);
    bytes_package(&data, 'U', &payload);
    assert_int_equal(armtap_conn_new(&on_port, &sink, &records, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, TO, request.at, request.length, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, FROM, reply.at, reply.length, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, FROM, data.at, data.length, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, FROM, data.at, data.length, NULL), ARMTAP_OK);
    assert_int_equal(records, 2);
    armtap_conn_free(conn);
    bytes_free(&all.names);
    bytes_free(&all.types);
    bytes_free(&all.values);
    bytes_free(&request);
    bytes_free(&reply);
    bytes_free(&data);
    bytes_free(&payload);
}

/* ---- what a program sees ---- */

struct seen {
    uint64_t records, notes;
    double joint; /* of the state that came with properties */
    bool has_state;
    char note[200];
};

static int see_record(void *user, const struct armtap_record *record)
{
    struct seen *seen = user;
    (void)record;
    seen->records++;
    return 0;
}

static int see_properties(void *user, const struct armtap_record *record)
{
    struct seen *seen = user;
    seen->has_state = record->state && record->arm_count == 1 && record->arms[0].state == record->state;
    seen->joint = seen->has_state ? record->state->timestamp : 0;
    return 0;
}

static int see_note(void *user, const struct armtap_note *note)
{
    struct seen *seen = user;
    seen->notes++;
    snprintf(seen->note, sizeof seen->note, "%s: %s", note->kind->id, note->text);
    return 0;
}

static const struct armtap_sink seeing = {
    .size = sizeof seeing, .on_record = see_record, .on_properties = see_properties, .on_note = see_note};

/* Properties come with what is known of the robot. */
static void test_properties_have_the_state(void **unused)
{
    static const struct line lines[] = {
        V3,
        {'>', 'O', HZ125, "timestamp"},
        {'<', 'O', "01", "DOUBLE"},
        START,
        {'<', 'U', "01 " TWO, ""},
        {'>', 'R', "", "v1.control_box.type"},
        {'<', 'R', "00 06", "UINT32\x05\x01\x01\x02"},
    };
    (void)unused;
    for (size_t from = 0; from < 2; from++) { /* the second time before any data */
        struct script script = session(lines + (from == 0 ? 0 : 7), from == 0 ? 9 : 2);
        struct seen seen = {0};
        struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME};
        struct armtap_conn *conn;
        size_t at = 0;
        assert_int_equal(armtap_conn_new(&in_the_middle, &seeing, &seen, &conn), ARMTAP_OK);
        for (size_t i = 0; i < script.count; at = script.parts[i++].end)
            assert_int_equal(armtap_conn_push(conn, script.parts[i].direction, script.bytes.at + at,
                                              script.parts[i].end - at, &where),
                             ARMTAP_OK);
        armtap_conn_close(conn, FROM, &where);
        assert_true(seen.has_state);
        assert_true(from == 1 || seen.joint == 2);
        armtap_conn_free(conn);
        script_free(&script);
    }
}

/* A data package of any length is a record as soon as its last byte is there. */
static void test_misfits_need_not_wait(void **unused)
{
    static const struct line set_up[] = {V2, JOINTS_RECIPE, {'<', 'U', "01 " TWO "00 00 00 07", ""}};
    static const struct line misfits[] = {
        {'<', 'U', "01 " TWO, ""},         {'<', 'U', "01 " TWO TWO, ""},           {'<', 'U', "01 00", ""},
        {'<', 'U', "01 " TWO "07 07", ""}, {'<', 'U', "01 " TWO "00 00 00 08", ""},
    };
    struct script before = session(set_up, sizeof set_up / sizeof *set_up);
    struct script script = session(misfits, sizeof misfits / sizeof *misfits);
    struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME};
    (void)unused;
    for (size_t step = 1; step < 40; step++) {
        struct seen seen = {0};
        struct armtap_conn *conn;
        size_t at = 0;
        assert_int_equal(armtap_conn_new(&on_port, &seeing, &seen, &conn), ARMTAP_OK);
        for (size_t i = 0; i < before.count; at = before.parts[i++].end)
            armtap_conn_push(conn, before.parts[i].direction, before.bytes.at + at, before.parts[i].end - at, &where);
        assert_int_equal(seen.records, 1);
        at = 0;
        for (size_t i = 0, last = 0; last < script.bytes.length; i++) {
            last = at + (size_t)(script.bytes.at[at] << 8 | script.bytes.at[at + 1]);
            while (at < last) {
                size_t end = at + step < last ? at + step : last;
                armtap_conn_push(conn, FROM, script.bytes.at + at, end - at, &where);
                at = end;
                assert_int_equal(seen.records, 1 + i + (at == last));
            }
        }
        armtap_conn_free(conn);
    }
    script_free(&before);
    script_free(&script);
}

/* Bytes in which no protocol is found: said once, in the same words whatever the chunks, as soon as the search ends. */
static void test_the_end_of_a_search_is_said(void **unused)
{
    static uint8_t bytes[20000];
    static const size_t steps[] = {1, 7, 1300, 4096, 20000};
    char first[200] = "";
    (void)unused;
    for (size_t at = 0; at < sizeof bytes; at += 1300)
        memcpy(bytes + at, "\0\0\x05\x14\x40\x20", 6); /* packets of 1300 bytes */
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct seen seen = {0};
        struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME};
        struct armtap_conn *conn;
        assert_int_equal(armtap_conn_new(NULL, &seeing, &seen, &conn), ARMTAP_OK);
        for (size_t at = 0; at < sizeof bytes; at += steps[i])
            armtap_conn_push(conn, FROM, bytes + at, sizeof bytes - at < steps[i] ? sizeof bytes - at : steps[i],
                             &where);
        assert_int_equal(seen.notes, 1);
        assert_true(strncmp(seen.note, "stream.foreign: no protocol", 27) == 0);
        assert_true(i == 0 || strcmp(first, seen.note) == 0);
        snprintf(first, sizeof first, "%s", seen.note);
        armtap_conn_close(conn, FROM, &where);
        assert_int_equal(seen.notes, 1);
        armtap_conn_free(conn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_session_of_protocol_2),
        cmocka_unit_test(test_a_session_of_protocol_1),
        cmocka_unit_test(test_a_session_of_protocol_3),
        cmocka_unit_test(test_types_come_from_the_reply),
        cmocka_unit_test(test_text_before_the_version_reply_is_of_protocol_1),
        cmocka_unit_test(test_the_recipe_switches_at_the_reply),
        cmocka_unit_test(test_several_input_recipes),
        cmocka_unit_test(test_names_as_clients_write_them),
        cmocka_unit_test(test_names_that_were_not_captured),
        cmocka_unit_test(test_packages_with_wrong_arguments),
        cmocka_unit_test(test_any_non_zero_is_true),
        cmocka_unit_test(test_unknown_names_are_delivered_by_type),
        cmocka_unit_test(test_refused_fields_are_named),
        cmocka_unit_test(test_an_unknown_type_gets_the_rest),
        cmocka_unit_test(test_an_unknown_type_without_a_size),
        cmocka_unit_test(test_several_unknown_types),
        cmocka_unit_test(test_an_unknown_type_several_times),
        cmocka_unit_test(test_a_refused_version_leaves_protocol_1),
        cmocka_unit_test(test_data_that_does_not_fit_its_recipe),
        cmocka_unit_test(test_packages_that_break_their_layout),
        cmocka_unit_test(test_why_a_field_is_not_known),
        cmocka_unit_test(test_a_set_up_that_was_not_negotiated),
        cmocka_unit_test(test_what_is_left_of_a_refused_set_up),
        cmocka_unit_test(test_a_set_up_without_its_frequency),
        cmocka_unit_test(test_a_reply_shows_the_protocol),
        cmocka_unit_test(test_a_reply_that_cannot_be_read),
        cmocka_unit_test(test_a_reply_of_another_count),
        cmocka_unit_test(test_a_version_without_its_reply),
        cmocka_unit_test(test_a_text_with_control_characters),
        cmocka_unit_test(test_what_passes_for_a_text),
        cmocka_unit_test(test_a_refused_version),
        cmocka_unit_test(test_data_behind_a_refused_set_up),
        cmocka_unit_test(test_how_many_do_not_fit),
        cmocka_unit_test(test_data_of_another_recipe),
        cmocka_unit_test(test_a_second_set_up_without_its_reply),
        cmocka_unit_test(test_a_reply_whose_request_was_not_captured),
        cmocka_unit_test(test_the_size_of_a_given_recipe),
        cmocka_unit_test(test_inputs_by_size),
        cmocka_unit_test(test_data_without_even_a_recipe_id),
        cmocka_unit_test(test_data_of_only_another_id),
        cmocka_unit_test(test_a_guess_that_data_contradict),
        cmocka_unit_test(test_another_protocol_after_a_guess),
        cmocka_unit_test(test_all_variables_at_once),
        cmocka_unit_test(test_properties_have_the_state),
        cmocka_unit_test(test_misfits_need_not_wait),
        cmocka_unit_test(test_the_end_of_a_search_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
