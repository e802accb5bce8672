/* The JSON scanner: tokens, faults, strings; numbers against the C library. tests/json-check.py holds it against
 * Python's json. SEED=n tests other numbers. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_reader.h"
#include "base/text/json_writer.h"

#define ROOM 4096

static uint64_t seed = 5;

static size_t chance(size_t below)
{
    return (size_t)(random_bits(&seed) % below);
}

/* ---- tokens ---- */

/* A letter for each token, with the text of those that have one; then the fault and where it is, if there is one. A
 * copy of its own: sanitizers see any byte read beyond it. */
static const char *tokens_of(const char *text, size_t length, char out[ROOM])
{
    char *exact = malloc(length > 0 ? length : 1);
    struct armtap_json_token token;
    size_t at = 0;
    assert_non_null(exact);
    memcpy(exact, text, length);
    struct armtap_json json = armtap_json_begin(exact, length);
    while (armtap_json_next(&json, &token)) {
        bool has_text = token.kind >= ARMTAP_JSON_NUMBER && token.length > 1;
        at += (size_t)snprintf(out + at, ROOM - at, "%c%.*s", "nft.s[{k)"[token.kind],
                               has_text || token.kind == ARMTAP_JSON_NUMBER ? (int)token.length : 0, token.text);
    }
    assert_false(armtap_json_next(&json, &token)); /* it stays there */
    if (json.fault != ARMTAP_JSON_FINE)
        snprintf(out + at, ROOM - at, "!%d@%zu", (int)json.fault, (size_t)(json.wrong - exact));
    free(exact);
    return out;
}

static void each_token_is_read(void **state)
{
    char out[ROOM];
    (void)state;
#define TOKENS(text, wanted) assert_string_equal(tokens_of(text, sizeof(text) - 1, out), wanted)
    TOKENS("null", "n");
    TOKENS(" [ 1 , -2.5e3,true\t,false\r\n] ", "[.1.-2.5e3tf)");
    TOKENS("{\"a\":[],\"b\":{\"\":\"x\"}}", "{k\"a\"[)k\"b\"{k\"\"s\"x\"))");
    TOKENS("[NaN,Infinity,-Infinity]", "[.NaN.Infinity.-Infinity)");
    TOKENS("\"\xff\xc3\x7f\"", "s\"\xff\xc3\x7f\"");
    TOKENS("[\"a,]\\\"\",\"\\\\\",1]", "[s\"a,]\\\"\"s\"\\\\\".1)");
}

static void each_fault_is_named(void **state)
{
    static const struct {
        const char *text;
        enum armtap_json_fault fault;
        size_t at;
    } cases[] = {
        {"", ARMTAP_JSON_CUT, 0},
        {" ", ARMTAP_JSON_CUT, 1},
        {"[", ARMTAP_JSON_CUT, 1},
        {"[1,", ARMTAP_JSON_CUT, 3},
        {"[\"a", ARMTAP_JSON_CUT, 3},
        {"[1,,2]", ARMTAP_JSON_MISPLACED, 3},
        {"[1 2]", ARMTAP_JSON_MISPLACED, 3},
        {"[1,]", ARMTAP_JSON_MISPLACED, 3},
        {"[1}", ARMTAP_JSON_MISPLACED, 2},
        {"{1:2}", ARMTAP_JSON_MISPLACED, 1},
        {"{\"a\",1}", ARMTAP_JSON_MISPLACED, 4},
        {"{\"a\":1,}", ARMTAP_JSON_MISPLACED, 7},
        {"[1:2]", ARMTAP_JSON_MISPLACED, 2},
        {"[] []", ARMTAP_JSON_MISPLACED, 3},
        {"]", ARMTAP_JSON_MISPLACED, 0},
        {"['a']", ARMTAP_JSON_MISPLACED, 1},
        {"[0,nan]", ARMTAP_JSON_BAD_WORD, 3},
        {"[tru]", ARMTAP_JSON_BAD_WORD, 1},
        {"[trueish]", ARMTAP_JSON_BAD_WORD, 1},
        {"-", ARMTAP_JSON_BAD_WORD, 0},
        {"[01]", ARMTAP_JSON_BAD_WORD, 1},
        {"[1-1]", ARMTAP_JSON_BAD_WORD, 1},
        {"[\"a\\x\"]", ARMTAP_JSON_BAD_ESCAPE, 3},
        {"[\"\\u12g4\"]", ARMTAP_JSON_BAD_ESCAPE, 2},
        {"[\"\\u12", ARMTAP_JSON_BAD_ESCAPE, 2},
        {"\"a\nb\"", ARMTAP_JSON_BAD_BYTE, 2},
    };
    char out[ROOM], wanted[40];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tokens_of(cases[i].text, strlen(cases[i].text), out);
        snprintf(wanted, sizeof wanted, "!%d@%zu", (int)cases[i].fault, cases[i].at);
        if (!strstr(out, wanted))
            fail_msg("%s: %s, not %s", cases[i].text, out, wanted);
    }
    TOKENS("[0,\0001]", "[.0!4@3"); /* NUL */
    TOKENS("\"\0\"", "!3@1");
}

static void brackets_nest_to_a_limit(void **state)
{
    char deep[2 * ARMTAP_JSON_DEPTH_MAX + 3], out[ROOM];
    (void)state;
    for (size_t depth = 1; depth <= ARMTAP_JSON_DEPTH_MAX + 1; depth++) {
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        tokens_of(deep, 2 * depth, out);
        assert_int_equal(strchr(out, '!') != NULL, depth > ARMTAP_JSON_DEPTH_MAX);
    }
    assert_non_null(strstr(out, "!5@32"));
}

static void values_are_whole(void **state)
{
    static const char text[] = "{\"a\": [1, {\"b\": \"]\"}], \"n\\u0061me\": 7, \"name\": 8}";
    struct armtap_json json = armtap_json_begin(text, sizeof text - 1), inner;
    struct armtap_json_token root, value;
    (void)state;
    assert_true(armtap_json_value(&json, &root));
    assert_int_equal(root.length, sizeof text - 1);
    assert_false(armtap_json_value(&json, &value));
    assert_true(armtap_json_member(&root, "a", &value));
    assert_memory_equal(value.text, "[1, {\"b\": \"]\"}]", value.length);
    inner = armtap_json_inside(&value);
    assert_true(armtap_json_value(&inner, &value) && value.kind == ARMTAP_JSON_NUMBER);
    assert_true(armtap_json_value(&inner, &value) && value.kind == ARMTAP_JSON_OBJECT);
    assert_false(armtap_json_value(&inner, &value));
    assert_true(armtap_json_member(&root, "name", &value)); /* of equal names the last */
    assert_memory_equal(value.text, "8", 1);
    assert_false(armtap_json_member(&root, "nam", &value) || armtap_json_member(&root, "names", &value));
    assert_false(armtap_json_member(&value, "name", &value)); /* no object */
    json = armtap_json_begin("[[1,[2]", 7);
    assert_false(armtap_json_value(&json, &value)); /* it does not end */
}

/* ---- strings ---- */

static void check_text(const char *quoted, const char *wanted, size_t length)
{
    char text[200];
    struct armtap_json json = armtap_json_begin(quoted, strlen(quoted));
    struct armtap_json_token string;
    assert_true(armtap_json_next(&json, &string));
    assert_int_equal(armtap_json_text(&string, text), length);
    assert_memory_equal(text, wanted, length);
    if (!memchr(wanted, '\0', length)) {
        assert_true(armtap_json_is(&string, wanted));
        snprintf(text, sizeof text, "%sx", wanted);
        assert_false(armtap_json_is(&string, text));
        text[length > 0 ? length - 1 : 0] = '\0';
        assert_int_equal(armtap_json_is(&string, text), length == 0);
    }
}
#define CHECK_TEXT(quoted, wanted) check_text(quoted, wanted, sizeof(wanted) - 1)

static void escapes_are_resolved(void **state)
{
    (void)state;
    CHECK_TEXT("\"\"", "");
    CHECK_TEXT("\"plain\"", "plain");
    CHECK_TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    CHECK_TEXT("\"\\u0041\\u00e9\\u20AC\\u0000x\"", "A\xC3\xA9\xE2\x82\xAC\0x");
    CHECK_TEXT("\"\\ud83e\\udd16!\"", "\xF0\x9F\xA4\x96!");
    CHECK_TEXT("\"\\ud83e\"", "\xEF\xBF\xBD");                    /* half a pair */
    CHECK_TEXT("\"\\udd16\\ud83e\"", "\xEF\xBF\xBD\xEF\xBF\xBD"); /* in the wrong order */
    CHECK_TEXT("\"\\ud83e\\u0041\"", "\xEF\xBF\xBD"
                                     "A");
    CHECK_TEXT("\"latin \xe4\xff\"", "latin \xe4\xff"); /* bytes that are not UTF-8 stay */
}

/* ---- numbers ---- */

/* Returns whether the word is a number. */
static bool check_number(const char *word)
{
    char text[ROOM + 1];
    snprintf(text, sizeof text, "%s0", word); /* a digit behind its end is no part of it */
    struct armtap_json json = armtap_json_begin(text, strlen(word));
    struct armtap_json_token token;
    struct armtap_value value;
    if (!armtap_json_next(&json, &token) || json.at != json.end)
        return false;
    double wanted = strtod(word, NULL), real = armtap_json_double(&token);
    armtap_json_number(&token, &value);
    if (memcmp(&real, &wanted, sizeof real) != 0 && !isnan(wanted))
        fail_msg("%s: %a, not %a", word, real, wanted);
    if (value.type == ARMTAP_DOUBLE) {
        assert_true(strpbrk(word, ".eENI") || wanted >= 0x1p64 || wanted <= -0x1p63);
        assert_true(isnan(wanted) ? isnan(value.f64[0]) : memcmp(&value.f64[0], &wanted, sizeof wanted) == 0);
        return true;
    }
    char digits[24];
    snprintf(digits, sizeof digits, value.type == ARMTAP_UINT64 ? "%llu" : "%lld", (unsigned long long)value.u64[0]);
    assert_int_equal(value.type == ARMTAP_UINT64, value.u64[0] > INT64_MAX && word[0] != '-');
    assert_string_equal(digits, strcmp(word, "-0") == 0 ? "0" : word);
    return true;
}

static void edges_of_numbers(void **state)
{
    static const char *const taken[] = {"0",
                                        "-0",
                                        "-0.0",
                                        "0e0",
                                        "7",
                                        "999999999999999999",
                                        "-999999999999999999",
                                        "9007199254740991",
                                        "9007199254740992",
                                        "9007199254740993.0",
                                        "0.1e1",
                                        "5e-324",
                                        "2e-324",
                                        "1e308",
                                        "1e309",
                                        "-1e999",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "123e-22",
                                        "0.5",
                                        "0.50000000000000000",
                                        "1.0000000000000002",
                                        "184467440737095516.5",
                                        "9999999999999999999e-40",
                                        "1E5",
                                        "1e+5",
                                        "0.0000000000000000000000000000000000000000",
                                        "0.00000000000000000001234567890123456789",
                                        "0e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "1e99999999999999999999",
                                        "1.7976931348623157e308",
                                        "2.2250738585072011e-308",
                                        "179769313486231580793e289",
                                        "0.000000000000000000000001e24",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "-9223372036854775809",
                                        "9999999999999999999",
                                        "10000000000000000000",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "-18446744073709551615",
                                        "99999999999999999999",
                                        "123456789012345678901234567890",
                                        "12345678901234567890.5",
                                        "1e0001",
                                        "NaN",
                                        "Infinity",
                                        "-Infinity"},
                             *const refused[] = {"",     "-",   "+1",  ".5",    "1.",  "01",    "-01",
                                                 "00",   "1e",  "1e+", "1.e5",  "--1", "1.5.5", "nan",
                                                 "-NaN", "0x1", "1-1", "1e1e1", "inf"};
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!check_number(taken[i]))
            fail_msg("%s is not taken", taken[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(check_number(refused[i]));
}

/* All powers of ten, all lengths. */
static void numbers_of_digits(void **state)
{
    char word[ROOM];
    size_t taken = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char digits[24], fraction[64] = "";
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)(random_bits(&seed) >> chance(64)));
        size_t point = chance(strlen(digits)) + 1;
        if (chance(3) == 0)
            snprintf(fraction, sizeof fraction, "0.%.*s%s", (int)chance(24), "000000000000000000000000", digits);
        else
            snprintf(fraction, sizeof fraction, "%.*s.%s0", (int)point, digits, digits + point);
        snprintf(word, sizeof word, "%s%s", chance(2) ? "-" : "", fraction);
        if (chance(4) == 0)
            snprintf(word + strlen(word), 16, "e%d", (int)chance(90) - 60);
        taken += check_number(word);
    }
    assert_in_range(taken, 190000, 200000);
}

/* Doubles of all magnitudes as writers print them, and what lies around the middle between two of them. */
static void numbers_of_doubles(void **state)
{
    char word[ROOM];
    size_t taken = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = (random_bits(&seed) >> 12) | (uint64_t)(1023 - 60 + chance(70)) << 52;
        double number;
        memcpy(&number, &bits, sizeof number);
        double middle = number + number * 0x1p-53;
        int digits = 15 + (int)chance(4);
        snprintf(word, sizeof word, chance(2) ? "%.*g" : "%.*e", digits, chance(3) ? number : middle);
        taken += check_number(word);
    }
    assert_in_range(taken, 190000, 200000);
}

/* Numbers halfway between two doubles, and one digit before and after. */
static void numbers_halfway(void **state)
{
    static const char *const fractions[] = {"0", "25", "5", "75"};
    char word[ROOM];
    (void)state;
    for (int i = 0; i < 50000; i++) {
        uint64_t odd = (UINT64_C(1) << 53) + 2 * (random_bits(&seed) % (UINT64_C(1) << 48)) + 1;
        snprintf(word, sizeof word, "%llu.0", (unsigned long long)odd);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "%llu.001", (unsigned long long)odd);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "%llu.999", (unsigned long long)odd - 1);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "%llu.%s", (unsigned long long)(odd / 4), fractions[odd % 4]);
        assert_true(check_number(word));
    }
}

/* Digits halfway between two doubles until the next digit decides. */
static void long_numbers(void **state)
{
    char word[ROOM];
    (void)state;
    for (size_t zeros = 0; zeros < 1200; zeros += 7) {
        snprintf(word, sizeof word, "9007199254740993.%0*d1", (int)zeros, 0);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "0.%0*d9007199254740993", (int)zeros, 0);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "9007199254740993%0*d", (int)zeros, 0);
        assert_true(check_number(word));
    }
}

/* ---- elements of values ---- */

static struct armtap_value value_of(const char *text)
{
    struct armtap_value value = {.type = ARMTAP_JSON, .count = 1, .present = true};
    value.text = text;
    value.length = strlen(text);
    return value;
}

/* Kind and text of every leaf, with a bar between them. */
static const char *leaves_of(const char *text, char *out)
{
    static const char kinds[] = "0ft.\"[{";
    struct armtap_value value = value_of(text);
    struct armtap_json leaves;
    struct armtap_json_token leaf;
    size_t length = 0, count = 0;
    out[0] = '\0';
    if (!json_elements_begin(&leaves, &value))
        return "none";
    for (; json_elements_next(&leaves, &leaf); count++)
        length += (size_t)sprintf(out + length, "%s%c%.*s", count == 0 ? "" : "|",
                                  json_element_is_whole(&leaf) ? '#' : kinds[leaf.kind], (int)leaf.length, leaf.text);
    assert_int_equal(json_elements_count(&value), count == 0 ? 1 : count);
    return out;
}

static void nested_arrays_are_flattened(void **state)
{
    char out[200];
    (void)state;
    assert_string_equal(leaves_of("[1,2]", out), "#1|#2");
    assert_string_equal(leaves_of("[[1.5,-2],[[3e9]],[]]", out), ".1.5|#-2|.3e9");
    assert_string_equal(leaves_of("[]", out), "");
    assert_string_equal(leaves_of("[[],[[]]]", out), "");
    assert_string_equal(leaves_of("[null,true,false,\"\"]", out), "0null|ttrue|ffalse|\"\"\"");
    assert_string_equal(leaves_of("[\"a,]\\\"\",\"\\\\\",1]", out), "\"\"a,]\\\"\"|\"\"\\\\\"|#1");
    assert_string_equal(leaves_of("[{\"a\":[1,{\"b\":\"}\"}]},2]", out), "{{\"a\":[1,{\"b\":\"}\"}]}|#2");
    assert_string_equal(leaves_of("{\"a\":[1,2]}", out), "none");
    assert_string_equal(leaves_of("", out), "none");
}

static void other_values_have_none(void **state)
{
    struct armtap_value value = value_of("[1]");
    struct armtap_json leaves;
    (void)state;
    value.present = false;
    assert_false(json_elements_begin(&leaves, &value));
    value.present = true;
    value.type = ARMTAP_STRING;
    assert_int_equal(json_elements_count(&value), 0);
}

/* The library never gives invalid JSON; it would do no harm. */
static void broken_text_ends(void **state)
{
    static const char *const texts[] = {"[", "[\"", "[\"\\", "[{", "[{\"a", "[}", "[:", "[1", "[\"a\"\"b\"", "[{{]"};
    struct armtap_json leaves;
    struct armtap_json_token leaf;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]), count = 0;
        char *exactly = malloc(length); /* so that reading past it is detected */
        assert_non_null(exactly);
        memcpy(exactly, texts[i], length);
        struct armtap_value value = value_of(texts[i]);
        value.text = exactly;
        assert_true(json_elements_begin(&leaves, &value));
        while (json_elements_next(&leaves, &leaf))
            assert_true(leaf.length > 0 && ++count <= length);
        free(exactly);
    }
}

static void copies_are_utf8(void **state)
{
    static const char text[] = "[\"\xC3\xA9\xFF\\n\\u0000\\\\u0000\x7F\xE2\x80\xAE\",1.50]";
    static const char copy[] = "[\"\xC3\xA9\\\\xff\\n\\\\x00\\\\u0000\\u007f\\u202e\",1.50]";
    struct buffer out = {0};
    (void)state;
    json_put_mended(&out, text, sizeof text - 1);
    assert_int_equal(out.length, sizeof copy - 1);
    assert_memory_equal(out.data, copy, sizeof copy - 1);
    free(out.data);
}

int main(void)
{
    if (getenv("SEED"))
        seed = strtoull(getenv("SEED"), NULL, 10) | 1;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_token_is_read),
        cmocka_unit_test(each_fault_is_named),
        cmocka_unit_test(brackets_nest_to_a_limit),
        cmocka_unit_test(values_are_whole),
        cmocka_unit_test(escapes_are_resolved),
        cmocka_unit_test(edges_of_numbers),
        cmocka_unit_test(numbers_of_digits),
        cmocka_unit_test(numbers_of_doubles),
        cmocka_unit_test(numbers_halfway),
        cmocka_unit_test(long_numbers),
        cmocka_unit_test(nested_arrays_are_flattened),
        cmocka_unit_test(other_values_have_none),
        cmocka_unit_test(broken_text_ends),
        cmocka_unit_test(copies_are_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
