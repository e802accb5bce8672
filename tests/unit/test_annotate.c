/* Annotated messages: the pieces cover every byte, whatever the bytes are, and show what the layouts define. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "inside.h"

/* Pieces follow one another from the first byte to the last; only pieces of a WebSocket's content may be empty. */
static void assert_covers(const struct subject *subject)
{
    struct pieces pieces = {0};
    size_t at = 0;
    assert_non_null(annotate(subject, &pieces));
    assert_false(pieces.failed);
    for (size_t i = 0; i < pieces.count; i++) {
        if (pieces.piece[i].offset != at ||
            (pieces.piece[i].length == 0 && (subject->message.protocol != ARMTAP_AUBO || at < subject->message.length)))
            fail_msg("piece %zu (%s) at %zu, %zu bytes, expected at %zu", i, pieces.piece[i].field,
                     pieces.piece[i].offset, pieces.piece[i].length, at);
        at += pieces.piece[i].length;
    }
    assert_int_equal(at, subject->message.length);
    pieces_free(&pieces);
}

/* "field=value unit remark|...": what --hex shows for the first message. */
static const char *said(const char *digits, bool to_robot, const struct armtap_recipe *recipe, char *out, size_t room)
{
    struct bytes bytes = {0};
    struct subject subject;
    struct pieces pieces = {0};
    size_t length = 0;
    bytes_hex(&bytes, digits);
    struct explain_hex hex = {.bytes = bytes.at, .length = bytes.length, .to_robot = to_robot, .recipe = recipe};
    assert_int_equal(explain_hex_next(&hex, 0, &subject), 0);
    assert_covers(&subject);
    annotate(&subject, &pieces);
    for (size_t i = 0; i < pieces.count && length < room; i++) {
        const struct piece *piece = &pieces.piece[i];
        length += (size_t)snprintf(out + length, room - length, "%s%s=%s%.*s %s %s", i == 0 ? "" : "|", piece->field,
                                   piece->number, (int)piece->text_length, pieces_text(&pieces, piece), piece->unit,
                                   piece->remark);
    }
    pieces_free(&pieces);
    bytes_free(&bytes);
    return out;
}

/* Worked out by hand from the tables of the RTDE guide. */
static void packages(void **state)
{
    static const struct {
        const char *digits, *said;
        bool to_robot;
    } rows[] = {
        {"0005 56 0002", "size=5 bytes |type=V  |protocol=2  ", false}, /* recognised by its length */
        {"0010 4d 03 616263 03",
         "size=16 bytes (8 are here)|type=M  |=  cut: only a whole package of this type can be decoded", false},
        {"0004 56 01", "size=4 bytes |type=V  |accepted=1  yes", false},
        {"0004 53 00", "size=4 bytes |type=S  |accepted=0  refused", false},
        {"0003 50", "size=3 bytes |type=P  ", false},
        {"0013 76 00000005 0000000b 00000001 0000006c",
         "size=19 bytes |type=v  |major=5  |minor=11  |bugfix=1  |build=108  ", false},
        {"0009 4d 02 6869 01 73 03",
         "size=9 bytes |type=M  |text length=2  |text=hi  |source length=1  |source=s  |level=3  info", false},
        {"0007 4d 01 6f6f70", "size=7 bytes |type=M  |level=1  error|text=oop  ", false},
        {"000f 4f 405f400000000000 612c6262", "size=15 bytes |type=O  |frequency=125.0 Hz |name 1=a  |name 2=bb  ",
         false},
        {"0007 4f 612c6262", "size=7 bytes |type=O  |name 1=a  |name 2=bb  ", true},
        {"0013 4f 01 494e5433322c4e4f545f464f554e44",
         "size=19 bytes |type=O  |recipe id=1  |type 1=INT32  |type 2=NOT_FOUND  the controller does not know it",
         false},
        {"0006 55 01 0203",
         "size=6 bytes |type=U  |=  values of an unknown recipe: give it with "
         "--recipe FILE or @NAME",
         false},
        {"0005 7a 0102", "=  skipped: not a message of a protocol that armtap decodes", false},
        {"6162 2829 0d0a", "URScript=ab()  |line end=  ", false},
        {"2061 203d 2033 0a", "URScript= a = 3  |line end=  ", false},
        {"656e 640a", "URScript=end  |line end=  ", false},
        {"6162 0d0a", "=  not known: text, which may be of any protocol; --raw realtime decodes it nevertheless",
         false},
        {"4745 5420 2f20 4854 5450 0a",
         "=  not known: text, which may be of any protocol; --raw realtime decodes it nevertheless", false},
        {"0a", "=  not known: text, which may be of any protocol; --raw realtime decodes it nevertheless", false},
    };
    char out[1000];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(said(rows[i].digits, rows[i].to_robot, NULL, out, sizeof out), rows[i].said);
}

static void values(void **state)
{
    struct armtap_recipe *recipe;
    char out[1000];
    (void)state;
    assert_int_equal(armtap_recipe_rtde("actual_TCP_pose,robot_mode,actual_digital_input_bits,x",
                                        "VECTOR6D,INT32,UINT64,BOOL", &recipe),
                     ARMTAP_OK);
    /* 1.0 to 6.0; RUNNING is 7; input 1 and a bit without a name */
    const char *digits = "0041 55 01 3ff0000000000000 4000000000000000 4008000000000000 4010000000000000 "
                         "4014000000000000 4018000000000000 00000007 0000010000000002 01";
    assert_string_equal(said(digits, false, recipe, out, sizeof out),
                        "size=65 bytes |type=U  |recipe id=1  |actual_TCP_pose_0=1.0 m |actual_TCP_pose_1=2.0 m "
                        "|actual_TCP_pose_2=3.0 m |actual_TCP_pose_3=4.0 rad |actual_TCP_pose_4=5.0 rad "
                        "|actual_TCP_pose_5=6.0 rad |robot_mode=7  RUNNING|actual_digital_input_bits=1099511627778  "
                        "STANDARD_1, bit 40|x=true  ");
    armtap_recipe_release(recipe);
    assert_int_equal(armtap_recipe_rtde("robot_mode", NULL, &recipe), ARMTAP_OK);
    assert_string_equal(said("0007 55 00000007", false, recipe, out, sizeof out), /* protocol 1: no id */
                        "size=7 bytes |type=U  |robot_mode=7  RUNNING");
    armtap_recipe_release(recipe);
}

static void packets(void **state)
{
    struct bytes bytes = {0};
    struct subject subject;
    (void)state;
    bytes_packet(&bytes, 1220, 1.0);
    put_raw_cell(bytes.at, 95, 0x3FF8000000000000); /* 1.5 is not a robot mode */
    for (size_t length = 0; length <= bytes.length; length++) {
        struct explain_hex hex = {.bytes = bytes.at, .length = length};
        assert_int_equal(explain_hex_next(&hex, 0, &subject), 0);
        assert_covers(&subject);
    }
    struct explain_hex hex = {.bytes = bytes.at, .length = bytes.length};
    struct pieces pieces = {0};
    assert_int_equal(explain_hex_next(&hex, 0, &subject), 0);
    annotate(&subject, &pieces);
    assert_int_equal(pieces.count, 153);
    assert_int_equal(pieces.piece[95].column, 95);
    assert_string_equal(pieces.piece[95].number, "1.5");
    assert_true(pieces.piece[95].remark[0] != '\0');
    assert_string_equal(pieces.piece[32].field, "actual_q_0");
    assert_string_equal(pieces.piece[32].number, "32.0");
    pieces_free(&pieces);
    bytes_free(&bytes);
}

/* The same for an AUBO message; units and names are copied by hand from AUBO's documents. */
static const char *said_of(const char *text, bool to_robot, const struct armtap_recipe *recipe, char *out, size_t room)
{
    char digits[1000] = "";
    for (size_t i = 0; text[i] != '\0' && 2 * i + 3 < sizeof digits; i++)
        snprintf(digits + 2 * i, 3, "%02x", (unsigned char)text[i]);
    return said(digits, to_robot, recipe, out, room);
}

static void lists(void **state)
{
    static const char request[] =
        "[100,{\"chanel\":0,\"frequency\":10,\"segments\":[\"R1_tool_output_current\",\"R2_robot_mode\","
        "\"timestamp\",\"R3_actual_TCP_pose\",\"R1_message\"],\"to_server\":true,\"trigger\":0}]";
    struct armtap_recipe *recipe = NULL;
    char out[2000];
    (void)state;
    need_aubo();
    /* Without a recipe there are no fields. */
    assert_string_equal(said_of("[0, [1.5,\"a\\\"b\"],{\"k\":[null]} ,[]]", false, NULL, out, sizeof out),
                        "channel=0  |value 1_0=1.5  |value 1_1=a\\\"b  |value 2.k_0=  null: absent|value 3=  empty");
    assert_string_equal(said_of("[0,tru,1]", false, NULL, out, sizeof out),
                        "channel=0  |value 1=  not a JSON value|=  not JSON, or part of a message");
    assert_string_equal(said_of(request, false, NULL, out, sizeof out),
                        "set-up=100  |chanel=0  |frequency=10 Hz |segments_0=R1_tool_output_current  "
                        "|segments_1=R2_robot_mode  |segments_2=timestamp  |segments_3=R3_actual_TCP_pose  "
                        "|segments_4=R1_message  |to_server=true  the client sends it|trigger=0  periodic");
    assert_int_equal(armtap_recipe_aubo(request, strlen(request), &recipe), ARMTAP_OK);
    assert_string_equal(said_of("[0,[0.25],8,1.5,[1,2,3,4,5,6],\"8\",7]", false, recipe, out, sizeof out),
                        "channel=0  |R1_tool_output_current_0=0.25 A |R2_robot_mode=8  Running|timestamp=1.5 s "
                        "|R3_actual_TCP_pose_0=1 m |R3_actual_TCP_pose_1=2 m |R3_actual_TCP_pose_2=3 m "
                        "|R3_actual_TCP_pose_3=4 rad |R3_actual_TCP_pose_4=5 rad |R3_actual_TCP_pose_5=6 rad "
                        "|R1_message=8  |value 6=7  ");
    armtap_recipe_release(recipe);
}

static struct subject web_subject(const char *bytes, size_t length)
{
    return (struct subject){.message = {.size = sizeof(struct armtap_subject),
                                        .bytes = (const uint8_t *)bytes,
                                        .length = length,
                                        .protocol = ARMTAP_AUBO}};
}

/* RFC 6455's own examples: "Hello" plain, masked, and in two parts; and a close. */
static void frames(void **state)
{
    char out[1000];
    struct subject subject = web_subject("\x89\x05Hello", 7);
    struct pieces pieces = {0};
    (void)state;
    need_aubo();
    assert_string_equal(annotate(&subject, &pieces), "WebSocket frame");
    assert_int_equal(pieces.count, 3);
    assert_memory_equal(pieces_text(&pieces, &pieces.piece[2]), "Hello", 5);
    pieces_free(&pieces);
    subject = web_subject("\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11);
    assert_covers(&subject);
    annotate(&subject, &pieces);
    assert_int_equal(pieces.count, 4);
    assert_memory_equal(pieces_text(&pieces, &pieces.piece[3]), "Hello", 5);
    snprintf(out, sizeof out, "%s|%s", pieces.piece[0].remark, pieces.piece[1].remark);
    assert_string_equal(out, "pong, fin: end of a message|bytes, masked");
    pieces_free(&pieces);
    subject = web_subject("\x01\x03Hel", 5);
    annotate(&subject, &pieces);
    assert_string_equal(pieces.piece[2].remark, "part of a message, which is shown with its last frame");
    pieces_free(&pieces);
    subject = web_subject("\x88\x05\x03\xe8"
                          "bye",
                          7);
    annotate(&subject, &pieces);
    assert_string_equal(pieces.piece[2].number, "1000");
    assert_memory_equal(pieces_text(&pieces, &pieces.piece[3]), "bye", 3);
    pieces_free(&pieces);
    /* The last part, with the whole message. */
    subject = web_subject("\x80\x02"
                          "5]",
                          4);
    subject.message.content = (const uint8_t *)"[0,4.5]";
    subject.message.content_length = 7;
    assert_covers(&subject);
    annotate(&subject, &pieces);
    assert_int_equal(pieces.count, 6);
    assert_string_equal(pieces.piece[2].remark, "end of a fragmented message; 7 bytes of text in total:");
    assert_string_equal(pieces.piece[5].number, "4.5");
    pieces_free(&pieces);
}

/* Random bytes that look like messages: every byte is covered, and nothing is read beyond the end. */
static void any_bytes(void **state)
{
    static const char types[] = "VvMUOISPR\x01z";
    static const enum armtap_protocol protocols[] = {ARMTAP_PROTOCOL_NONE, ARMTAP_REALTIME, ARMTAP_RTDE, ARMTAP_AUBO};
    size_t count = armtap_aubo_libraries() ? 4 : 3;
    uint64_t seed = 20261120;
    struct armtap_recipe *recipe;
    (void)state;
    assert_int_equal(armtap_recipe_rtde("timestamp,actual_q,a,b", "DOUBLE,VECTOR6D,BOOL,UINT64", &recipe), ARMTAP_OK);
    for (unsigned turn = 0; turn < 20000; turn++) {
        size_t length = 1 + random_size(120, &seed);
        uint8_t *bytes = malloc(length);
        struct subject subject;
        assert_non_null(bytes);
        for (size_t i = 0; i < length; i++)
            bytes[i] = random_bits(&seed) % 3 == 0 ? (uint8_t)random_bits(&seed) : (uint8_t)("AB,_12 c"[i % 8]);
        if (length > 3 && turn % 4 != 0) {
            bytes[0] = 0;
            bytes[1] = (uint8_t)(length + random_bits(&seed) % 3 - 1);
            bytes[2] = (uint8_t)types[random_bits(&seed) % (sizeof types - 1)];
        }
        struct explain_hex hex = {.bytes = bytes,
                                  .length = length,
                                  .protocol = turn % 7 == 0 ? protocols[turn / 7 % count] : ARMTAP_PROTOCOL_NONE,
                                  .to_robot = turn % 5 == 0,
                                  .recipe = turn % 2 == 0 ? recipe : NULL};
        for (size_t at = 0; at < length; at += subject.message.length) {
            assert_int_equal(explain_hex_next(&hex, at, &subject), 0);
            assert_true(subject.message.length > 0 && subject.message.length <= length - at);
            assert_covers(&subject);
        }
        free(bytes);
    }
    armtap_recipe_release(recipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages), cmocka_unit_test(values), cmocka_unit_test(packets),
        cmocka_unit_test(lists),    cmocka_unit_test(frames), cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
