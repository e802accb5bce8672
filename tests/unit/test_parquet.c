/* The Parquet writer, byte by byte: what is expected was worked out by hand from parquet.thrift and the encodings. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns/table.h"
#include "parquet/footer.h"
#include "base/text/names_apart.h"
#include "parquet/footer.h"
#include "parquet/page.h"
#include "parquet/parquet.h"
#include "parquet/thrift.h"

/* ---- thrift ------------------------------------------------------------------------------------------------------ */

static void fields(void **state)
{
    struct buffer out = {0};
    struct thrift thrift = {.out = &out};
    (void)state;
    thrift_begin(&thrift);
    thrift_i32(&thrift, 1, 5);
    thrift_string(&thrift, 2, "ab");
    thrift_bool(&thrift, 4, true);
    thrift_bool(&thrift, 5, false);
    thrift_i64(&thrift, 21, -1);
    thrift_i16(&thrift, 22, -300);
    thrift_i8(&thrift, 23, -2);
    thrift_empty(&thrift, 25);
    thrift_struct(&thrift, 26);
    thrift_i32(&thrift, 15, INT32_MIN);
    thrift_end(&thrift);
    thrift_i64(&thrift, 41, INT64_MAX);
    thrift_end(&thrift);
    expect_hex(out.data, out.length,
               "15 0a  18 02 61 62  21  12  06 2a 01  14 d7 04  13 fe  2c 00  1c f5 ff ff ff ff 0f 00"
               "f6 fe ff ff ff ff ff ff ff ff 01  00");
    free(out.data);
}

static void lists(void **state)
{
    struct buffer out = {0};
    struct thrift thrift = {.out = &out};
    (void)state;
    thrift_begin(&thrift);
    thrift_list(&thrift, 1, THRIFT_I32, 2);
    thrift_element_i32(&thrift, 1);
    thrift_element_i32(&thrift, -64);
    thrift_list(&thrift, 2, THRIFT_BINARY, 1);
    thrift_element_string(&thrift, "x");
    thrift_list(&thrift, 3, THRIFT_STRUCT, 14);
    thrift_list(&thrift, 4, THRIFT_STRUCT, 15);
    thrift_list(&thrift, 5, THRIFT_STRUCT, 300);
    thrift_end(&thrift);
    expect_hex(out.data, out.length, "19 25 02 7f  19 18 01 78  19 ec  19 fc 0f  19 fc ac 02  00");
    free(out.data);
}

/* What was written is read; no part of it, and no such bytes with one changed, is read past its end. */
static void take_note(void *user, const char *key, size_t key_length, const char *value, size_t value_length)
{
    char *text = user;
    snprintf(text + strlen(text), 100 - strlen(text), "%.*s=%.*s;", (int)key_length, key, (int)value_length, value);
}

static void read_footers(void **state)
{
    struct buffer out = {0};
    struct thrift thrift = {.out = &out};
    char text[100] = "";
    struct parquet_reader reader = {.on_note = take_note, .user = text};
    (void)state;
    thrift_begin(&thrift);
    thrift_i32(&thrift, 1, 2);
    thrift_list(&thrift, 2, THRIFT_STRUCT, 1);
    thrift_begin(&thrift);
    thrift_string(&thrift, 4, "schema");
    thrift_bool(&thrift, 30, true);
    thrift_empty(&thrift, 31);
    thrift_end(&thrift);
    thrift_i64(&thrift, 3, 123456789012);
    thrift_list(&thrift, 5, THRIFT_STRUCT, 2);
    parquet_footer_note(&thrift, "a", "one", 3);
    parquet_footer_note(&thrift, "b", "", 0);
    thrift_string(&thrift, 6, "by");
    thrift_end(&thrift);
    assert_true(parquet_footer_read(out.data, out.length, &reader));
    assert_true(reader.rows == 123456789012);
    assert_string_equal(text, "a=one;b=;");
    for (size_t length = 0; length < out.length; length++) {
        char *part = malloc(length + 1);
        memcpy(part, out.data, length);
        text[0] = '\0';
        assert_false(parquet_footer_read(part, length, &reader));
        free(part);
    }
    for (size_t i = 0; i < out.length * 256; i++) {
        char *changed = malloc(out.length), was = out.data[i / 256];
        out.data[i / 256] = (char)(i % 256);
        memcpy(changed, out.data, out.length);
        text[0] = '\0';
        parquet_footer_read(changed, out.length, &reader);
        out.data[i / 256] = was;
        free(changed);
    }
    free(out.data);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static void expect_levels(const char *pattern, const char *hex)
{
    uint64_t present[8] = {0};
    size_t rows = strlen(pattern);
    struct buffer out = {0};
    assert_in_range(rows, 1, 512);
    for (size_t i = 0; i < rows; i++)
        present[i / 64] |= (uint64_t)(pattern[i] == '1') << i % 64;
    parquet_page_levels(&out, present, rows);
    expect_hex(out.data, out.length, hex);
    free(out.data);
}

static void levels(void **state)
{
    char pattern[301];
    (void)state;
    expect_levels("111", "02000000 06 01");
    expect_levels("0", "02000000 02 00");
    /* Runs would take 18 bytes. */
    expect_levels("101010101", "03000000 05 55 01");
    memset(pattern, '1', 200);
    memset(pattern + 200, '0', 100);
    pattern[300] = '\0';
    expect_levels(pattern, "06000000 9003 01 c801 00");
    pattern[299] = '1';
    expect_levels(pattern, "08000000 9003 01 c601 00 02 01");
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static void expect_doubles(const double *numbers, size_t count, const char *low, const char *high)
{
    struct bytes wanted = {0};
    char values[40 * sizeof(double)];
    assert_in_range(count, 0, 40);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (size_t k = 0; k < 8; k++)
            values[8 * i + k] = (char)(bits >> 8 * k);
    }
    struct parquet_range range = parquet_range_of(PARQUET_DOUBLE, values, count);
    assert_int_equal(range.is_known, low != NULL);
    if (!low)
        return;
    bytes_hex(&wanted, low);
    bytes_hex(&wanted, high);
    assert_memory_equal(range.low, wanted.at, 8);
    assert_memory_equal(range.high, wanted.at + 8, 8);
    bytes_free(&wanted);
}

static void ranges_of_doubles(void **state)
{
    const double some[] = {1.5, -2, NAN, 0.5}, none[] = {NAN, NAN}, infinite[] = {INFINITY, INFINITY};
    const double zero[] = {0.0, 1.0}, negative_zero[] = {-1.0, -0.0};
    double many[33];
    (void)state;
    expect_doubles(some, 4, "00000000000000c0", "000000000000f83f");
    expect_doubles(none, 2, NULL, NULL);
    expect_doubles(none, 0, NULL, NULL);
    expect_doubles(infinite, 2, "000000000000f07f", "000000000000f07f");
    expect_doubles(zero, 2, "0000000000000080", "000000000000f03f");
    expect_doubles(negative_zero, 2, "000000000000f0bf", "0000000000000000");
    /* Wherever the least and the greatest are. */
    for (size_t place = 0; place < 33; place++) {
        for (size_t i = 0; i < 33; i++)
            many[i] = i % 5 == 3 ? NAN : 1;
        many[place] = -2;
        many[(place + 11) % 33] = 1.5;
        expect_doubles(many, 33, "00000000000000c0", "000000000000f83f");
    }
}

static void ranges_of_integers(void **state)
{
    static const char longs[] = "\1\0\0\0\0\0\0\0"
                                "\377\377\377\377\377\377\377\377";
    struct parquet_range range = parquet_range_of(PARQUET_INT64, longs, 2);
    (void)state;
    assert_memory_equal(range.low, longs + 8, 8);
    assert_memory_equal(range.high, longs, 8);
    range = parquet_range_of(PARQUET_TIME, longs, 2);
    assert_memory_equal(range.low, longs + 8, 8);
    range = parquet_range_of(PARQUET_UINT64, longs, 2);
    assert_memory_equal(range.low, longs, 8);
    assert_memory_equal(range.high, longs + 8, 8);
    static const char ints[] = "\1\0\0\0"
                               "\377\377\377\377";
    range = parquet_range_of(PARQUET_INT32, ints, 2);
    assert_memory_equal(range.low, ints + 4, 4);
    range = parquet_range_of(PARQUET_UINT32, ints, 2);
    assert_memory_equal(range.high, ints + 4, 4);
    range = parquet_range_of(PARQUET_BOOL, "\0\0", 2);
    assert_true(range.is_known && range.low[0] == 0 && range.high[0] == 0);
    range = parquet_range_of(PARQUET_BOOL, "\1\0", 2);
    assert_true(range.is_known && range.low[0] == 0 && range.high[0] == 1);
    assert_false(parquet_range_of(PARQUET_TEXT, "", 0).is_known);
    assert_false(parquet_range_of(PARQUET_INT32, "", 0).is_known);
}

/* ---- whole files ------------------------------------------------------------------------------------------------- */

static int take(void *user, const char *bytes, size_t length)
{
    buffer_put(user, bytes, length);
    return 0;
}

static struct column_file *open_file(struct packer *packer, struct spool *spool, struct buffer *out)
{
    const struct column_output output = {.spool = spool, .write = take, .user = out};
    const struct parquet_options options = {.packer = packer, .created_by = "x"};
    return parquet_file_new(&output, &options);
}

/* One column of two rows, the second absent; every byte is explained in parquet.thrift. */
static void whole_file(void **state)
{
    struct packer *packer = packer_new(COMPRESSION_NONE, 1);
    struct spool *spool = spool_new(".", 100);
    struct buffer out = {0};
    struct column_file *file = open_file(packer, spool, &out);
    const uint64_t present = 1, words[] = {1, 0};
    const struct column_batch rows = {.rows = 2, .columns = 1, .present = &present, .values = words};
    (void)state;
    parquet_file_add_column(file, "a", 1, PARQUET_INT32);
    parquet_file_add_note(file, "k", "v", 1);
    assert_int_equal(file->kind->open(file), 0);
    assert_int_equal(column_file_rows(file, &rows), 0);
    assert_int_equal(column_file_end(file, "x"), 0);
    expect_hex(out.data, out.length,
               "50415231"
               "15 00 15 14 15 14 2c 15 04 15 00 15 06 15 06 00 00  02000000 03 01  01000000"
               "15 04  19 2c 48 06 736368656d61 15 02 00  15 02 25 02 18 01 61 00  16 04"
               "19 1c  19 1c 26 00 1c 15 02 19 25 00 06 19 18 01 61 15 00 16 04 16 36 16 36 26 08"
               "3c 36 02 28 04 01000000 18 04 01000000 00 00 00  16 36 16 04 26 08 16 36 14 00 00"
               "19 1c 18 01 6b 18 01 76 00  18 01 78  19 1c 1c 00 00  00"
               "63000000 50415231");
    column_file_free(file);
    packer_free(packer);
    spool_free(spool);
    free(out.data);
}

/* Row i of the columns: a number, a text, a truth; two of three rows have them. */
static void fill(struct column_batch *batch, uint64_t *present, uint64_t *values, size_t from)
{
    size_t rows = batch->rows, words = column_words_of(rows);
    memset(present, 0, batch->columns * words * sizeof *present);
    memset(values, 0, batch->columns * rows * sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        const struct column_text text = {(uint32_t)((from + i) % 7), (uint32_t)((from + i) % 11)};
        if ((from + i) % 3 == 0)
            continue;
        for (size_t k = 0; k < batch->columns; k++)
            present[k * words + i / 64] |= (uint64_t)1 << i % 64;
        values[i] = (from + i) * 3;
        memcpy(&values[rows + i], &text, sizeof text);
        values[2 * rows + i] = (from + i) & 1;
    }
}

/* Rows come in batches of any length; groups are cut in the same places. */
static void batches_do_not_matter(void **state)
{
    static const size_t steps[] = {1, 7, 64, 65, 500, 4096};
    struct buffer first = {0};
    enum { ROWS = 140000, COLUMNS = 3 };
    uint64_t *present = malloc(COLUMNS * (ROWS / 8 + 8)), *values = malloc(COLUMNS * ROWS * sizeof *values);
    (void)state;
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        struct packer *packer = packer_new(COMPRESSION_NONE, (unsigned)s % 3 + 1);
        struct spool *spool = spool_new(".", s);
        struct buffer out = {0}, bytes = {0};
        struct column_file *file = open_file(packer, spool, &out);
        parquet_file_add_column(file, "n", 1, PARQUET_INT64);
        parquet_file_add_column(file, "text", 4, PARQUET_TEXT);
        parquet_file_add_column(file, "truth", 5, PARQUET_BOOL);
        assert_int_equal(file->kind->open(file), 0);
        for (size_t from = 0; from < ROWS; from += steps[s]) {
            struct column_batch batch = {.rows = ROWS - from < steps[s] ? ROWS - from : steps[s],
                                         .columns = COLUMNS,
                                         .present = present,
                                         .values = values,
                                         .texts = "abcdefghijklmnopq",
                                         .text_bytes = 17};
            fill(&batch, present, values, from);
            bytes.length = 0;
            column_batch_put(&batch, &bytes);
            batch = column_batch_get(bytes.data);
            assert_int_equal(column_file_rows(file, &batch), 0);
        }
        assert_int_equal(column_file_end(file, "x"), 0);
        column_file_free(file);
        packer_free(packer);
        spool_free(spool);
        free(bytes.data);
        assert_true(first.length == 0 || first.length == out.length);
        if (first.length == 0) {
            first = out;
            continue;
        }
        assert_memory_equal(first.data, out.data, first.length);
        free(out.data);
    }
    free(first.data);
    free(present);
    free(values);
}

static void names(void **state)
{
    static const char *const given[] = {"a", "A", "a_2", "b", "a", "B", "a"};
    static const char *const wanted[] = {"a", "A_2", "a_2_2", "b", "a_3", "B_2", "a_4"};
    struct parquet_column columns[7] = {{0}};
    (void)state;
    for (size_t i = 0; i < 7; i++)
        columns[i].name = strcpy(malloc(8 + NAMES_APART_ROOM), given[i]);
    assert_int_equal(parquet_names_set_apart(columns, 7), 0);
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(columns[i].name, wanted[i]);
        free(columns[i].name);
    }
}

/* Microseconds are cut downwards, also before 1970; a narrow value stays one. */
static void values_in_file_order(void **state)
{
    int64_t times[] = {1999, -1, -1000, -1001};
    uint32_t narrow[] = {1, 0xfffffffe};
    (void)state;
    parquet_page_order(PARQUET_TIME, (char *)times, 4);
    expect_hex((char *)times, sizeof times, "0100000000000000 ffffffffffffffff ffffffffffffffff feffffffffffffff");
    parquet_page_order(PARQUET_INT32, (char *)narrow, 2);
    expect_hex((char *)narrow, sizeof narrow, "01000000 feffffff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
        cmocka_unit_test(lists),
        cmocka_unit_test(read_footers),
        cmocka_unit_test(levels),
        cmocka_unit_test(ranges_of_doubles),
        cmocka_unit_test(ranges_of_integers),
        cmocka_unit_test(whole_file),
        cmocka_unit_test(names),
        cmocka_unit_test(batches_do_not_matter),
        cmocka_unit_test(values_in_file_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
