/* Ranges of legacy columns, and recipes as files. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recipe/recipe.h"
#include "input/files/recipe_file.h"
#include "inside.h"

#define FILE_NAME "test_column_ranges.tmp"

/* ---- ranges ---------------------------------------------------------------------------------------------------- */

/* "2 3 4", or "no" if the text is refused. */
static const char *numbers(const char *text, char *out, size_t room)
{
    struct columns columns;
    size_t length = 0;
    if (columns_parse(text, 152, &columns) != 0)
        return "no";
    for (size_t i = 0; i < columns.count && length < room; i++)
        length += (size_t)snprintf(out + length, room - length, "%s%u", i == 0 ? "" : " ", columns.number[i]);
    return out;
}

static void ranges(void **state)
{
    static const struct {
        const char *text, *numbers;
    } rows[] = {
        {"7", "7"},
        {"2-4", "2 3 4"},
        {"2:4", "2 3 4"},
        {"2-4,32-33", "2 3 4 32 33"},
        {"[2:4 32:33]", "2 3 4 32 33"},
        {"[2:4, 32:33]", "2 3 4 32 33"},
        {"[2;4]", "2 4"},
        {"  5 ,, 6,", "5 6"},
        {"1:3:10", "1 4 7 10"},
        {"1:3:9", "1 4 7"},
        {"9:200:10", "9"},
        {"152", "152"},
        {"4,3,4,2-4", "4 3 2"}, /* each once, in the requested order */
        {"5-5", "5"},
        {"0002", "2"},
    };
    char out[400];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = numbers(rows[i].text, out, sizeof out);
        if (strcmp(got, rows[i].numbers) != 0)
            fail_msg("'%s' gives %s, not %s", rows[i].text, got, rows[i].numbers);
    }
}

static void what_is_no_range(void **state)
{
    static const char *const rows[] = {"",
                                       " ",
                                       ",",
                                       "[]",
                                       "0",
                                       "153",
                                       "0-3",
                                       "150-153",
                                       "4-2",
                                       "2-",
                                       "-2",
                                       ":",
                                       "2:",
                                       ":2",
                                       "2-3-4",
                                       "2:3-4",
                                       "2-3:4",
                                       "1:0:9",
                                       "1:1:1:1",
                                       "two",
                                       "2..4",
                                       "2-4x",
                                       "4294967297",
                                       "1-4294967298",
                                       "99999999999999999999",
                                       "1:99999999999999999999:3x",
                                       "0x10",
                                       "+3",
                                       "2 - 4"};
    char out[4000];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(numbers(rows[i], out, sizeof out), "no") != 0)
            fail_msg("'%s' is not a range, but gives %s", rows[i], out);
}

static void all_of_them(void **state)
{
    struct columns columns;
    (void)state;
    assert_int_equal(columns_parse("1-4096", 4096, &columns), -1);
    assert_int_equal(columns_parse("1-512", 4096, &columns), 0);
    assert_int_equal(columns.count, COLUMNS_MAX);
    columns_add(&columns, 513);
    assert_int_equal(columns.count, COLUMNS_MAX);
    assert_int_equal(armtap_layout_columns(ARMTAP_GENERATION_CB2), (812 - 4) / 8);
    assert_int_equal(armtap_layout_columns(ARMTAP_GENERATION_CB3E), (legacy_size(legacy_size_count() - 1) - 4) / 8);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* Writes the lines and reads them back. */
static void assert_reads_back(bool xml, const struct recipe_line *lines, size_t count)
{
    FILE *file = fopen(FILE_NAME, "w");
    struct armtap_recipe *recipe;
    struct buffer text = {0};
    assert_non_null(file);
    if (xml)
        recipe_write_xml(&text, "out", lines, count);
    else
        recipe_write_plain(&text, lines, count);
    fwrite(text.data, 1, text.length, file);
    fclose(file);
    free(text.data);
    assert_int_equal(recipe_file_read(FILE_NAME, &recipe), 0);
    assert_int_equal(armtap_recipe_count(recipe), count);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        assert_string_equal(entry->name, lines[i].name);
        assert_string_equal(armtap_type_name(entry->type, entry->count), lines[i].type);
    }
    armtap_recipe_release(recipe);
    remove(FILE_NAME);
}

static void files_read_back(void **state)
{
    static const struct recipe_line lines[] = {
        {"timestamp", "DOUBLE"},       {"actual_q", "VECTOR6D"}, {"joint_mode", "VECTOR6INT32"},
        {"not_in_the_table", "UINT8"}, {"a&b<c\"d'>", "BOOL"},
    };
    (void)state;
    assert_reads_back(true, lines, sizeof lines / sizeof *lines);
    assert_reads_back(false, lines, sizeof lines / sizeof *lines);
}

static void names_cannot_break_out(void **state)
{
    static const struct recipe_line line = {"a b\n\x01\xFF#c", "INT32"};
    struct buffer text = {0};
    (void)state;
    assert_int_equal(recipe_write_plain(&text, &line, 1), 1);
    assert_int_equal(recipe_write_xml(&text, "out", &line, 1), 1);
    buffer_char(&text, '\0');
    assert_non_null(strstr(text.data, "a?b????c INT32\n"));
    assert_non_null(strstr(text.data, "<field name=\"a b&#10;??#c\" type=\"INT32\"/>"));
    free(text.data);
}

static void keys(void **state)
{
    (void)state;
    assert_true(recipe_write_is_key("out"));
    assert_true(recipe_write_is_key("state_2.x-y"));
    assert_false(recipe_write_is_key(""));
    assert_false(recipe_write_is_key("a b"));
    assert_false(recipe_write_is_key("\"><x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),          cmocka_unit_test(what_is_no_range),       cmocka_unit_test(all_of_them),
        cmocka_unit_test(files_read_back), cmocka_unit_test(names_cannot_break_out), cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
