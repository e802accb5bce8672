/* Numbers in rows of text: one that repeats the row above is copied, and reads as if it had been converted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support.h"

#include "export/formats/line_cells.h"

#define CELLS 7
#define ROWS 4000

static const struct cell_style csv = {.separator = ',', .nan = "nan"};
static const struct cell_style json = {.separator = ',', .nan = "null", .infinite = "null"};

static double from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Few values, so that most repeat: zeros of both signs, NaNs with different payloads, infinities, short and long ones.
 */
static double some_number(uint64_t *seed)
{
    static const uint64_t some[] = {0,
                                    UINT64_C(1) << 63,
                                    UINT64_C(0x7FF8000000000000),
                                    UINT64_C(0x7FF8000000000001),
                                    UINT64_C(0xFFF0000000000000),
                                    UINT64_C(0x7FF0000000000000),
                                    UINT64_C(0x3FB999999999999A),
                                    UINT64_C(0xFFEFFFFFFFFFFFFF),
                                    UINT64_C(0x8000000000000001)};
    uint64_t which = random_bits(seed) % (sizeof some / sizeof *some + 1);
    return from_bits(which < sizeof some / sizeof *some ? some[which] : random_bits(seed));
}

static void change_some(double cells[CELLS], uint64_t *seed)
{
    for (size_t k = 0; k < CELLS; k++)
        if (random_bits(seed) % 3 == 0)
            cells[k] = some_number(seed);
}

static void rows_read_as_if_converted(const struct cell_style *style)
{
    uint64_t seed = 3;
    double cells[CELLS] = {0};
    struct number_cell above[CELLS] = {{0}};
    struct buffer rows = {0};
    size_t copied = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        struct number_cell none[CELLS] = {{0}};
        struct buffer row = {0};
        change_some(cells, &seed);
        for (size_t k = 0; k < CELLS; k++)
            copied += above[k].length > 0 && memcmp(&above[k].bits, &cells[k], sizeof cells[k]) == 0;
        size_t begin = rows.length;
        cells_doubles(cells, CELLS, style, above, &rows);
        cells_doubles(cells, CELLS, style, none, &row);
        assert_int_equal(rows.length - begin, row.length);
        assert_memory_equal(rows.data + begin, row.data, row.length);
        buffer_char(&rows, '\n');
        free(row.data);
    }
    assert_true(copied > ROWS);
    free(rows.data);
}

static void csv_reads_as_if_converted(void **state)
{
    (void)state;
    rows_read_as_if_converted(&csv);
}

static void json_reads_as_if_converted(void **state)
{
    (void)state;
    rows_read_as_if_converted(&json);
}

static void expect(const struct cell_style *style, const char *text)
{
    const double cells[CELLS] = {0.0, -0.0, (double)NAN, (double)INFINITY, -(double)INFINITY, 0.1, -1e300};
    struct number_cell above[CELLS] = {{0}};
    struct buffer row = {0};
    cells_doubles(cells, CELLS, style, above, &row);
    buffer_char(&row, '\0');
    assert_string_equal(row.data, text);
    free(row.data);
}

static void odd_numbers_have_words(void **state)
{
    (void)state;
    expect(&csv, "0.0,-0.0,nan,inf,-inf,0.1,-1e+300");
    expect(&json, "0.0,-0.0,null,null,null,0.1,-1e+300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_reads_as_if_converted),
        cmocka_unit_test(json_reads_as_if_converted),
        cmocka_unit_test(odd_numbers_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
