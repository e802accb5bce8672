/* AUBO's own JSON reader accepts what json-c accepts, and gives the same values. Texts are random combinations of
 * pieces. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoders/aubo_json.h"
#include "../../decoders/aubo_words.h"

static uint64_t seed = 1;

static size_t chance(size_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % below;
}

#define PICK(list) (list)[chance(sizeof(list) / sizeof *(list))]

/* A whole text read by json-c; NULL if it rejects it. */
static struct json_object *by_json_c(const char *text)
{
    struct armtap_aubo_reader reader = {NULL, NULL, 0};
    struct json_object *read;
    const char *wrong;
    size_t at;
    assert_int_equal(armtap_aubo_read(&reader, (const uint8_t *)text, strlen(text), &read, &wrong, &at), ARMTAP_OK);
    armtap_aubo_reader_free(&reader);
    return read;
}

/* ---- words ---- */

static void add_digits(char *text, size_t most)
{
    for (size_t count = 1 + chance(most); count > 0; count--)
        strcat(text, (char[]){(char)('0' + chance(10)), '\0'});
}

static void make_number(char *text)
{
    strcpy(text, chance(3) == 0 ? "-" : "");
    if (chance(4) == 0)
        strcat(text, "0");
    else
        add_digits(text, chance(8) == 0 ? 40 : 18);
    if (chance(4) > 0) {
        strcat(text, ".");
        add_digits(text, chance(30) == 0 ? 1200 : 20);
    }
    if (chance(4) == 0) {
        static const char *const marks[] = {"e", "E", "e+", "e-", "E-"};
        strcat(text, PICK(marks));
        add_digits(text, 3);
    }
}

static void check_number(const char *word)
{
    char list[2048];
    snprintf(list, sizeof list, "[%s]", word);
    struct json_object *read = by_json_c(list);
    bool right = armtap_aubo_check_word(word, strlen(word)) != ARMTAP_AUBO_WORD_WRONG;
    assert_int_equal(read != NULL, right);
    if (read) {
        struct json_object *number = json_object_array_get_idx(read, 0);
        struct armtap_value value;
        armtap_aubo_word_value(word, strlen(word), &value);
        if (json_object_is_type(number, json_type_int)) {
            assert_true(value.type == (json_object_get_uint64(number) > INT64_MAX ? ARMTAP_UINT64 : ARMTAP_INT64));
            assert_true(value.type == ARMTAP_UINT64 ? value.u64[0] == json_object_get_uint64(number)
                                                    : value.i64[0] == json_object_get_int64(number));
        } else {
            double wanted = json_object_get_double(number);
            assert_int_equal(value.type, ARMTAP_DOUBLE);
            assert_memory_equal(&value.f64[0], &wanted, sizeof wanted);
        }
    }
    json_object_put(read);
}

static void test_numbers(void **unused)
{
    static const char *const edges[] = {
        "0",
        "-0",
        "-0.0",
        "0e0",
        "9007199254740991",
        "9007199254740992",
        "5e-324",
        "2e-324",
        "1e308",
        "1e309",
        "-1e999",
        "9007199254740993.0",
        "1e22",
        "1e23",
        "8.5e22",
        "123e-22",
        "9223372036854775807",
        "9223372036854775808",
        "0.3",
        "0.1e1",
        "00",
        "01",
        "-9223372036854775808",
        "-9223372036854775809",
        "1.",
        ".5",
        "1e",
        "1e+",
        "18446744073709551615",
        "18446744073709551616",
        "-",
        "+1",
        "1-1",
        "1e1e1",
        "0e99999999999999999999",
        "1e-99999999999999999999",
        "1.7976931348623157e308",
        "2.2250738585072011e-308",
        "179769313486231580793e289",
        "0.000000000000000000000001e24",
    };
    char word[1400];
    (void)unused;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_number(edges[i]);
    for (int i = 0; i < 100000; i++) {
        make_number(word);
        check_number(word);
    }
}

/* Digits halfway between two doubles until the next digit decides. */
static void test_long_numbers(void **unused)
{
    char word[1400];
    (void)unused;
    for (size_t zeros = 0; zeros < 1200; zeros += 7) {
        snprintf(word, sizeof word, "9007199254740993.%0*d1", (int)zeros, 0);
        check_number(word);
        snprintf(word, sizeof word, "0.%0*d9007199254740993", (int)zeros, 0);
        check_number(word);
    }
}

/* ---- texts ---- */

static void add_value(char *text, unsigned depth);

static void add_string(char *text)
{
    static const char *const pieces[] =
        {"a",       "\xc3\xa4", "]",       "{",   ",",   "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\uD83D\\ude00",
         "\\ud83d", "\\ude00",  "\\u00E4", "\\b", "\\f", "\\r", "\\t",  "\x7f"},
                             *const wrong[] = {"\\x", "\\u12", "\\uZZZZ", "\\'", "\\U0041"};
    strcat(text, "\"");
    for (size_t count = chance(5); count > 0; count--)
        strcat(text, chance(60) == 0 ? PICK(wrong) : PICK(pieces));
    strcat(text, "\"");
}

static void add_list(char *text, unsigned depth, bool object)
{
    static const char *const separators[] = {",,", "", ":", " ", "]", ",}"};
    strcat(text, object ? "{" : "[");
    for (size_t count = chance(4), i = 0; i < count; i++) {
        if (i > 0)
            strcat(text, chance(60) == 0 ? PICK(separators) : ",");
        if (object && chance(60) > 0)
            add_string(text);
        if (object && chance(60) > 0)
            strcat(text, ":");
        add_value(text, depth + 1);
    }
    strcat(text, object ? "}" : "]");
}

static void add_value(char *text, unsigned depth)
{
    static const char *const words[] = {"0",   "-7",       "1.5",       "1e3",  "true",     "false", "null",
                                        "NaN", "Infinity", "-Infinity", "2000", "\"text\"", "0.25",  "-0"},
                             *const wrong[] = {"01", "nul", "True", "nan", "-", "1 2", "", "/**/1", "'a'", "-NaN"},
                             *const blanks[] = {" ", "\t", "\r\n"};
    if (chance(12) == 0)
        strcat(text, PICK(blanks));
    if (depth < 4 && chance(3) == 0)
        add_list(text, depth, chance(2) == 0);
    else if (chance(3) == 0)
        add_string(text);
    else
        strcat(text, chance(80) == 0 ? PICK(wrong) : PICK(words));
    if (chance(12) == 0)
        strcat(text, PICK(blanks));
}

static void check_elements(const char *text, struct json_object *read, size_t count)
{
    struct armtap_aubo_reader reader = {NULL, NULL, 0};
    struct armtap_aubo_element cursor = {text, strlen(text)}, element;
    assert_int_equal(count, json_object_array_length(read));
    for (size_t i = 0; i < count; i++) {
        struct json_object *json = json_object_array_get_idx(read, i);
        struct armtap_value value;
        armtap_aubo_next(&cursor, &element);
        assert_int_equal(armtap_aubo_value(&reader, &element, &value), ARMTAP_OK);
        assert_int_equal(value.present, json != NULL);
        if (json_object_is_type(json, json_type_string)) {
            assert_int_equal(value.length, json_object_get_string_len(json));
            assert_memory_equal(value.text, json_object_get_string(json), value.length);
        }
    }
    assert_int_equal(cursor.length, count > 0 ? 1 : strlen(text));
    armtap_aubo_reader_free(&reader);
}

static void test_texts(void **unused)
{
    static char text[65536];
    size_t right = 0, count;
    (void)unused;
    for (int i = 0; i < 100000; i++) {
        *text = '\0';
        add_list(text, 0, chance(8) == 0);
        struct json_object *read = by_json_c(text);
        bool is_json = armtap_aubo_is_json((const uint8_t *)text, strlen(text), &count);
        if (is_json != (read != NULL))
            fail_msg("%s: %s", text, read ? "json-c accepts it" : "json-c rejects it");
        if (json_object_is_type(read, json_type_array))
            check_elements(text, read, count);
        right += is_json;
        json_object_put(read);
    }
    assert_in_range(right, 50000, 95000);
}

static void test_ends(void **unused)
{
    static const char *const wrong[] = {"",     "[",    "[0",   "[\"",    "[\"\\",      "[\"\\u00\"]",
                                        "[0]]", "[0] ", "0",    "\"a\"",  "[\"\x1f\"]", "[{}",
                                        "[0}]", "]",    "[0],", "[0][0]", "{\"a\"",     "{\"a\":"};
    char deep[66];
    size_t count;
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(armtap_aubo_is_json((const uint8_t *)wrong[i], strlen(wrong[i]), &count));
    assert_false(armtap_aubo_is_json((const uint8_t *)"[0,\0001]", 6, &count)); /* blank between messages only */
    assert_true(armtap_aubo_is_json((const uint8_t *)"[0,\r1]", 6, &count));
    for (size_t depth = 1; depth <= 33; depth++) {
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        assert_int_equal(armtap_aubo_is_json((const uint8_t *)deep, 2 * depth, &count), depth <= 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
