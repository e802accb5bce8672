/* A table of typed columns in memory, and its pieces in the spool: what goes in comes out, whatever its rows come in
 * and wherever they are cut; bounds of memory. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "columns/table.h"

enum { COLUMNS = 4 };
static const unsigned widths[COLUMNS] = {8, 0, 4, 1};

/* Whether row `row` has a value in a column, and its value. */
static bool has(size_t column, size_t row)
{
    return column == 3 || (row * 7 + column * 3) % 5 > 1;
}

static uint64_t value_of(size_t column, size_t row)
{
    return (row * 0x9e3779b97f4a7c15 + column) & (widths[column] == 8   ? UINT64_MAX
                                                  : widths[column] == 4 ? UINT32_MAX
                                                                        : 0xff);
}

/* Rows of the columns; the caller frees what they are made of. */
struct made {
    struct column_batch batch;
    uint64_t *present, *values;
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

static struct made make(size_t from, size_t rows)
{
    size_t words = column_words_of(rows);
    struct made made = {.present = calloc(COLUMNS * words + 1, 8), .values = calloc(COLUMNS * rows + 1, 8)};
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < COLUMNS; k++) {
            const struct column_text text = {(uint32_t)((from + i) % 13), (uint32_t)((from + i) % 9)};
            uint64_t value = value_of(k, from + i);
            if (!has(k, from + i))
                continue;
            made.present[k * words + i / 64] |= (uint64_t)1 << i % 64;
            memcpy(&made.values[k * rows + i], widths[k] == 0 ? (const void *)&text : &value, sizeof value);
        }
    made.batch = (struct column_batch){.rows = rows,
                                       .columns = COLUMNS,
                                       .present = made.present,
                                       .values = made.values,
                                       .texts = letters,
                                       .text_bytes = sizeof letters};
    return made;
}

static void free_made(struct made *made)
{
    free(made->present);
    free(made->values);
}

static struct column_table new_table(size_t most_rows, size_t most_bytes)
{
    struct column_table table = {.most_rows = most_rows, .most_bytes = most_bytes};
    for (size_t k = 0; k < COLUMNS; k++)
        assert_int_equal(column_table_add_column(&table, widths[k]), 0);
    return table;
}

static void expect_texts(const char *at, size_t length, size_t from, size_t rows)
{
    const char *end = at + length;
    for (size_t row = from; row < from + rows; row++) {
        size_t wanted = row % 9;
        if (!has(1, row))
            continue;
        assert_true((size_t)(end - at) >= 4 + wanted);
        assert_true((unsigned char)at[0] == wanted && at[1] == 0 && at[2] == 0 && at[3] == 0);
        assert_memory_equal(at + 4, letters + row % 13, wanted);
        at += 4 + wanted;
    }
    assert_ptr_equal(at, end);
}

/* A value in the machine's byte order. */
static uint64_t held_value(const char *at, unsigned width)
{
    uint64_t eight = 0;
    uint32_t four = 0;
    memcpy(width == 8 ? (void *)&eight : &four, at, width == 1 ? 0 : width);
    return width == 8 ? eight : width == 4 ? four : (unsigned char)at[0];
}

/* Values of a column; `all`: with zeros for rows that have none. */
static void expect_values(const char *at, size_t length, size_t column, size_t from, size_t rows, bool all)
{
    const char *end = at + length;
    for (size_t row = from; row < from + rows; row++) {
        uint64_t value = has(column, row) ? value_of(column, row) : 0;
        if (!all && !has(column, row))
            continue;
        assert_true((size_t)(end - at) >= widths[column]);
        assert_true(held_value(at, widths[column]) == value);
        at += widths[column];
    }
    assert_ptr_equal(at, end);
}

static void expect_present(const char *words, size_t column, size_t from, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        assert_int_equal(held_value(words + i / 64 * 8, 8) >> i % 64 & 1, has(column, from + i));
}

static void expect_table(const struct column_table *table, size_t from)
{
    for (size_t k = 0; k < COLUMNS; k++) {
        struct buffer present = {0}, all = {0}, some = {0};
        column_table_present(table, k, &present);
        column_table_values(table, k, &all);
        column_table_values_present(table, k, &some);
        assert_int_equal(present.length, column_words_of(table->rows) * 8);
        expect_present(present.data, k, from, table->rows);
        if (widths[k] == 0) {
            expect_texts(all.data, all.length, from, table->rows);
            expect_texts(some.data, some.length, from, table->rows);
        } else {
            expect_values(all.data, all.length, k, from, table->rows, true);
            expect_values(some.data, some.length, k, from, table->rows, false);
        }
        free(present.data);
        free(all.data);
        free(some.data);
    }
}

static void expect_pieces(const struct column_pieces *pieces, size_t from, size_t count)
{
    for (size_t k = 0; k < COLUMNS; k++) {
        char *values = malloc(count * 8 + 1);
        uint64_t *present = malloc(column_words_of(count) * 8 + 8);
        if (widths[k] > 0) {
            assert_int_equal(column_pieces_get(pieces, k, widths[k], from, count, values, present), 0);
            expect_values(values, count * widths[k], k, from, count, true);
            expect_present((const char *)present, k, from, count);
        }
        free(values);
        free(present);
    }
}

/* A batch of any length, a table of any size, a spool that keeps any number of bytes in memory. */
static void what_goes_in_comes_out(void **state)
{
    static const size_t steps[] = {1, 63, 64, 65, 700}, sizes[] = {64, 192, 3000};
    enum { ROWS = 2100 };
    (void)state;
    for (size_t s = 0; s < 15; s++) {
        struct spool *spool = spool_new(".", s % 4 * 1000);
        struct column_table table = new_table(sizes[s % 3], 1 << 20);
        struct column_pieces pieces = {.spool = spool};
        struct buffer bytes = {0};
        for (size_t from = 0, step = steps[s / 3]; from < ROWS; from += step) {
            struct made made = make(from, ROWS - from < step ? ROWS - from : step);
            bytes.length = 0;
            column_batch_put(&made.batch, &bytes);
            assert_int_equal(bytes.length % 8, 0);
            const struct column_batch batch = column_batch_get(bytes.data);
            for (size_t done = 0; done < batch.rows;) {
                done = column_table_add(&table, &batch, done);
                assert_true(done <= batch.rows);
                if (!column_table_is_full(&table))
                    continue;
                expect_table(&table, (size_t)pieces.rows);
                assert_int_equal(column_pieces_add(&pieces, &table), 0);
                column_table_clear(&table, s % 2 == 0);
            }
            free_made(&made);
        }
        expect_table(&table, (size_t)pieces.rows);
        assert_int_equal(column_pieces_add(&pieces, &table), 0);
        assert_int_equal(pieces.rows, ROWS);
        for (size_t from = 0; from < ROWS; from += 331)
            expect_pieces(&pieces, from, ROWS - from < 900 ? ROWS - from : 900);
        for (size_t i = 0; i < pieces.count; i++) {
            const struct column_piece *piece = &pieces.piece[i];
            const char *texts;
            bytes.length = 0;
            assert_int_equal(column_pieces_texts(&pieces, 1, piece, &bytes, &texts), 0);
            expect_present(bytes.data, 1, (size_t)piece->first, piece->rows);
            size_t length = 0;
            for (size_t row = (size_t)piece->first; row < piece->first + piece->rows; row++)
                length += has(1, row) ? 4 + row % 9 : 0;
            expect_texts(texts, length, (size_t)piece->first, piece->rows);
        }
        free(bytes.data);
        column_table_free(&table);
        column_pieces_free(&pieces);
        spool_free(spool);
    }
}

/* Columns of one width, row by row, over several blocks. */
static void vectors_become_rows(void **state)
{
    static const struct {
        unsigned width;
        size_t first, columns;
    } vectors[] = {{8, 0, 3}, {4, 3, 2}, {1, 5, 6}, {8, 11, 1}};
    enum { ALL = 12, ROWS = 5000, STEP = 333 };
    (void)state;
    struct column_table table = {.most_rows = ROWS, .most_bytes = 1 << 20};
    for (size_t v = 0; v < 4; v++)
        for (size_t k = 0; k < vectors[v].columns; k++)
            assert_int_equal(column_table_add_column(&table, vectors[v].width), 0);
    uint64_t *present = calloc(ALL * column_words_of(STEP), 8), *values = calloc(ALL * STEP, 8);
    char *rows = malloc(ROWS * 3 * sizeof *values);
    for (size_t from = 0, some = STEP; from < ROWS; from += some) {
        some = ROWS - from < STEP ? ROWS - from : STEP;
        for (size_t k = 0; k < ALL; k++)
            for (size_t i = 0; i < some; i++)
                values[k * some + i] = (from + i) * 7 + k * 31;
        const struct column_batch batch = {.rows = some, .columns = ALL, .present = present, .values = values};
        assert_int_equal(column_table_add(&table, &batch, 0), some);
    }
    assert_true(table.block_count > 2);
    for (size_t v = 0; v < 4; v++) {
        column_table_rows(&table, vectors[v].first, vectors[v].columns, rows);
        const char *at = rows;
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < vectors[v].columns; k++, at += vectors[v].width) {
                uint64_t wanted = i * 7 + (vectors[v].first + k) * 31;
                assert_true(held_value(at, vectors[v].width) == (wanted & UINT64_MAX >> (64 - 8 * vectors[v].width)));
            }
    }
    free(present);
    free(values);
    free(rows);
    column_table_free(&table);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

/* Adds rows of a column: zeros, or a text. Returns how many fitted. */
static size_t add(struct column_table *table, const char *text, size_t count)
{
    uint64_t *present = calloc(column_words_of(count) + 1, 8), *values = calloc(count + 1, 8);
    const struct column_text one = {0, text ? (uint32_t)strlen(text) : 0};
    for (size_t i = 0; i < count; i++) {
        present[i / 64] |= (uint64_t)1 << i % 64;
        memcpy(&values[i], &one, sizeof one);
    }
    const struct column_batch batch = {
        .rows = count, .columns = 1, .present = present, .values = values, .texts = text, .text_bytes = one.length};
    size_t taken = column_table_add(table, &batch, 0);
    free(present);
    free(values);
    return taken;
}

/* A table takes so many rows, or bytes of values, whichever comes first; a text that is longer is alone in it. */
static void tables_are_bounded(void **state)
{
    enum { MOST_ROWS = 131072, MOST_BYTES = 20 << 20 };
    struct column_table narrow = {.most_rows = MOST_ROWS, .most_bytes = MOST_BYTES}, wide = narrow, texts = narrow;
    char *text = malloc(100001);
    (void)state;
    assert_int_equal(column_table_add_column(&narrow, 1), 0);
    assert_int_equal(add(&narrow, NULL, 131071), 131071);
    assert_false(column_table_is_full(&narrow));
    assert_int_equal(add(&narrow, NULL, 5), 1);
    assert_true(column_table_is_full(&narrow));
    column_table_clear(&narrow, false);
    assert_int_equal(add(&narrow, NULL, 200000), 131072);
    for (size_t i = 0; i < 154; i++)
        assert_int_equal(column_table_add_column(&wide, 8), 0);
    assert_in_range(wide.rows_max * wide.width, MOST_BYTES - 64 * wide.width, MOST_BYTES);
    assert_int_equal(wide.rows_max % 64, 0);
    assert_int_equal(column_table_add_column(&texts, 0), 0);
    memset(text, 'x', 100000);
    text[100000] = '\0';
    assert_int_equal(add(&texts, text, 300), 210); /* 100,004 bytes each */
    assert_true(column_table_is_full(&texts));
    assert_true(column_table_held(&texts) > MOST_BYTES);
    column_table_clear(&texts, true);
    assert_int_equal(column_table_held(&texts), 0);
    free(text);
    column_table_free(&narrow);
    column_table_free(&wide);
    column_table_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(vectors_become_rows),
        cmocka_unit_test(tables_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
