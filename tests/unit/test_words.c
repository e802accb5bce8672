/* Facts as sentences: what the grammar of words.c promises, and that each row of findings.def keeps to it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/inside.h"
#include "protocol/fact.h"
#include "support.h"

static const char *said(const char *sentence, const struct armtap_arguments *arguments)
{
    static struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_sentence(&line, sentence, arguments, NULL);
    return line.text;
}

static void places_are_filled(void **unused)
{
    (void)unused;
    assert_string_equal(said("no data for {duration_s} s", ARGS(arg_duration_s(1.5))), "no data for 1.500 s");
    assert_string_equal(said("{duration_s:0} s", ARGS(arg_duration_s(2.5))), "2 s");
    assert_string_equal(said("{bytes} of {bytes_of}", ARGS(arg_bytes_of(20), arg_bytes(3))), "3 of 20");
    assert_string_equal(said("{value}", ARGS(arg_value(-7))), "-7");
    assert_string_equal(said("{type:x} {type}", ARGS(arg_type(85))), "0x55 85");
    assert_string_equal(said("{last_time}", ARGS(arg_last_time(INT64_C(1700000000999999999)))), "1700000000");
    assert_string_equal(said("absent: {bytes}.", NO_ARGS), "absent: .");
    assert_string_equal(said("'{quoted}'", ARGS(arg_quoted("a\0{bytes}[\x1b", 11))), "'a\\x00{bytes}[\\x1b'");
}

static void optional_parts_need_all_arguments(void **unused)
{
    (void)unused;
    static const char sentence[] = "silent[ for {duration_s} s[, since packet {packet}]]";
    assert_string_equal(said(sentence, NO_ARGS), "silent");
    assert_string_equal(said(sentence, ARGS(arg_packet(4))), "silent");
    assert_string_equal(said(sentence, ARGS(arg_duration_s(3))), "silent for 3.000 s");
    assert_string_equal(said(sentence, ARGS(arg_duration_s(3), arg_packet(4))), "silent for 3.000 s, since packet 4");
}

static void alternatives_follow_what_is_said(void **unused)
{
    (void)unused;
    static const char count[] = "{more} {more?1=record|*=records}{is_last?*=, the last}";
    static const char who[] = "the {who?robot=robot[ {packet}]|client=client|-=sender} left";
    assert_string_equal(said(count, ARGS(arg_more(1))), "1 record");
    assert_string_equal(said(count, ARGS(arg_more(11), arg_is_last(true))), "11 records, the last");
    assert_string_equal(said(who, ARGS(arg_who(ARMTAP_WORD_robot), arg_packet(9))), "the robot 9 left");
    assert_string_equal(said(who, ARGS(arg_who(ARMTAP_WORD_client))), "the client left");
    assert_string_equal(said(who, ARGS(arg_who(ARMTAP_WORD_unknown))), "the  left");
    assert_string_equal(said(who, NO_ARGS), "the sender left");
}

/* Worked out by hand, and by Python's format(). */
static struct armtap_line decimal(double number, unsigned digits)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_decimal(&line, number, digits);
    return line;
}

/* As printf writes them in a locale with a decimal point. */
static void decimals_are_printfs(void **state)
{
    static const double odd[] = {
        0,      -0.0,   0.0005, 0.0015,   0.5,      1.5, 2.5, 0.125, 1e15, 1e15 + 0.5, 9007199254740993.0,
        1.8e19, 5e-324, -1e-9,  999.9995, 0.9999999};
    uint64_t seed = 20261122;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char expected[64];
        uint64_t bits = random_bits(&seed);
        double value = i < (int)(sizeof odd / sizeof *odd) ? odd[i]
                       : i % 2 == 0                        ? (double)(int64_t)(bits >> 20) / 1e6
                                                           : (double)(bits >> 44) / 1024 - 500;
        for (unsigned digits = 0; digits <= 3; digits++) {
            snprintf(expected, sizeof expected, "%.*f", (int)digits, value);
            assert_string_equal(decimal(value, digits).text, expected);
        }
    }
}

static void decimals_are_rounded_as_printf_does(void **unused)
{
    (void)unused;
    static const struct {
        double number;
        unsigned digits;
        const char *text;
    } rows[] = {{0.0005, 3, "0.001"},
                {0.0015, 3, "0.002"},
                {2.5, 0, "2"},
                {3.5, 0, "4"},
                {-0.0004, 3, "-0.000"},
                {1e-320, 3, "0.000"},
                {99.9996, 3, "100.000"},
                {1234.5, 1, "1234.5"},
                {0.05, 1, "0.1"},
                {9007199254740993.0, 3, "9007199254740992.000"},
                {1e19, 0, "10000000000000000000"},
                {0x1p64, 3, "inf"},
                {1e300, 0, "inf"},
                {NAN, 3, "nan"},
                {-INFINITY, 1, "-inf"},
                {-INFINITY, 3, "-inf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(decimal(rows[i].number, rows[i].digits).text, rows[i].text);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static size_t balance(const char *text, char open, char close)
{
    size_t depth = 0;
    for (; *text; text++) {
        depth += *text == open;
        if (*text == close && depth-- == 0)
            return 1000;
    }
    return depth;
}

/* Every place names an argument of the table, as it stands there. */
static void check_places(const char *id, const char *sentence)
{
    static const char *const names[] = {
#define ARGUMENT(name, type, digits) #name,
#include "protocol/findings.def"
#undef ARGUMENT
    };
    for (const char *at = strchr(sentence, '{'); at; at = strchr(at + 1, '{')) {
        size_t length = strcspn(at + 1, ":?}"), i = 1;
        while (i < ARMTAP_ARGUMENT_IDS && (strlen(names[i]) != length || memcmp(names[i], at + 1, length) != 0))
            i++;
        if (i == ARMTAP_ARGUMENT_IDS)
            print_error("%s: no argument %.*s\n", id, (int)length, at + 1);
        assert_true(i < ARMTAP_ARGUMENT_IDS);
    }
}

static void check_sentence(const char *id, const char *sentence)
{
    bool is_balanced = balance(sentence, '{', '}') == 0 && balance(sentence, '[', ']') == 0;
    if (!is_balanced)
        print_error("%s: unbalanced\n", id);
    assert_true(is_balanced);
    check_places(id, sentence);
}

static void sentences_keep_to_the_grammar(void **unused)
{
    (void)unused;
    for (unsigned code = 0; code < ARMTAP_NOTE_COUNT; code++) {
        const struct armtap_note_kind *kind = armtap_note_at(code);
        const char *sentence = armtap_note_sentence((enum armtap_note_code)code);
        assert_true(*sentence != '\0');
        check_sentence(kind->id, sentence);
        check_sentence(kind->id, kind->remedy);
    }
#define SENTENCE(code, sentence) check_sentence(#code, sentence);
#include "protocol/findings.def"
#undef SENTENCE
}

static size_t lines_of(const char *text)
{
    size_t lines = *text != '\0';
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Without arguments it is what --list prints. */
static void remedies_fit(void **unused)
{
    (void)unused;
    for (unsigned code = 0; code < ARMTAP_NOTE_COUNT; code++) {
        const struct armtap_note_kind *kind = armtap_note_at(code);
        char text[ARMTAP_REMEDY_MAX];
        armtap_remedy_say(text, kind, NULL);
        assert_int_equal(*text == '\0', *kind->remedy == '\0');
        assert_null(strstr(text, "..."));
        assert_null(strpbrk(text, "{}[]|"));
        assert_int_equal(lines_of(kind->offer), lines_of(kind->command));
    }
}

static void a_remedy_depends_on_what_is_said(void **unused)
{
    char text[ARMTAP_REMEDY_MAX];
    (void)unused;
    const struct armtap_note_kind *kind = armtap_note_at(ARMTAP_NOTE_rtde_field_in_use);
    armtap_remedy_say(text, kind, ARGS(arg_case(ARMTAP_WORD_other_client)));
    assert_string_equal(text, "close the other client, or make it use other registers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_filled),
        cmocka_unit_test(optional_parts_need_all_arguments),
        cmocka_unit_test(alternatives_follow_what_is_said),
        cmocka_unit_test(decimals_are_printfs),
        cmocka_unit_test(decimals_are_rounded_as_printf_does),
        cmocka_unit_test(sentences_keep_to_the_grammar),
        cmocka_unit_test(remedies_fit),
        cmocka_unit_test(a_remedy_depends_on_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
