/* JSON text from the wire: the leaves of nested arrays, their strings and numbers, and the printable copy. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_elements.h"

static struct armtap_value json(const char *text)
{
    struct armtap_value value = {.type = ARMTAP_JSON, .count = 1, .present = true};
    value.text = text;
    value.length = strlen(text);
    return value;
}

/* Kind and text of every leaf, with a bar between them. */
static const char *leaves_of(const char *text, char *out)
{
    static const char kinds[] = "0ft#.\"{";
    struct armtap_value value = json(text);
    struct json_elements leaves;
    struct json_element leaf;
    size_t length = 0, count = 0;
    out[0] = '\0';
    if (!json_elements_begin(&leaves, &value))
        return "none";
    for (; json_elements_next(&leaves, &leaf); count++)
        length += (size_t)sprintf(out + length, "%s%c%.*s", count == 0 ? "" : "|", kinds[leaf.kind], (int)leaf.length,
                                  leaf.text);
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
    struct armtap_value value = json("[1]");
    struct json_elements leaves;
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
    struct json_elements leaves;
    struct json_element leaf;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]), count = 0;
        char *exactly = malloc(length); /* so that reading past it is detected */
        assert_non_null(exactly);
        memcpy(exactly, texts[i], length);
        struct armtap_value value = json(texts[i]);
        value.text = exactly;
        assert_true(json_elements_begin(&leaves, &value));
        while (json_elements_next(&leaves, &leaf))
            assert_true(leaf.length > 0 && ++count <= length);
        free(exactly);
    }
}

static void check_text(const char *quoted, const char *expected, size_t length)
{
    struct json_element leaf = {JSON_ELEMENT_STRING, quoted, strlen(quoted)};
    struct buffer out = {0};
    json_element_text(&leaf, &out);
    assert_int_equal(out.length, length);
    if (length > 0)
        assert_memory_equal(out.data, expected, length);
    free(out.data);
}
#define CHECK_TEXT(quoted, expected) check_text(quoted, expected, sizeof(expected) - 1)

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
    CHECK_TEXT("\"\\u12\"", "u12");
    CHECK_TEXT("\"\\", "\\");
}

static void numbers_of_any_length(void **state)
{
    struct json_element leaf = {JSON_ELEMENT_NUMBER, "0.1,", 3};
    char digits[400];
    (void)state;
    assert_true(json_element_number(&leaf) == (double)0.1);
    memset(digits, '0', sizeof digits);
    memcpy(digits, "2.5", 3);
    leaf = (struct json_element){JSON_ELEMENT_NUMBER, digits, sizeof digits};
    assert_true(json_element_number(&leaf) == 2.5);
}

static void copies_are_utf8(void **state)
{
    static const char text[] = "[\"\xC3\xA9\xFF\\n\\u0000\\\\u0000\x7F\xE2\x80\xAE\",1.50]";
    static const char copy[] = "[\"\xC3\xA9\\\\xff\\n\\\\x00\\\\u0000\\u007f\\u202e\",1.50]";
    struct buffer out = {0};
    (void)state;
    json_elements_copy(text, sizeof text - 1, &out);
    assert_int_equal(out.length, sizeof copy - 1);
    assert_memory_equal(out.data, copy, sizeof copy - 1);
    free(out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_arrays_are_flattened),
        cmocka_unit_test(other_values_have_none),
        cmocka_unit_test(broken_text_ends),
        cmocka_unit_test(escapes_are_resolved),
        cmocka_unit_test(numbers_of_any_length),
        cmocka_unit_test(copies_are_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
