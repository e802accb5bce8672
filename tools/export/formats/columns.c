#include "format.h"

#include <math.h>

#include "bytes.h"
#include "line_cells.h"
#include "row_above.h"
#include "base/text/json_reader.h"
#include "base/text/json_writer.h"
#include "base/text/utf8.h"
#include "export/rows/field_selection.h"

#define BELOW_2_63 9223372036854775808.0
#define BELOW_2_64 18446744073709551616.0

/* ---- where values go --------------------------------------------------------------------------------------------- */

static int grow(struct columns *columns, size_t count, size_t words)
{
    if (count > columns->columns_room) {
        struct column *column = realloc(columns->column, count * sizeof *column);
        if (!column)
            return -1;
        columns->column = column;
        columns->columns_room = count;
    }
    if (words > columns->words_room) {
        free(columns->words);
        columns->words_room = 0;
        columns->words = malloc(words * sizeof *columns->words);
        if (!columns->words)
            return -1;
        columns->words_room = words;
    }
    return 0;
}

/* Lays out the memory: the presence bits of all columns, then the values of all columns. */
static int lay_out(struct columns *columns, const struct view *view, size_t rows)
{
    size_t bits = column_words_of(rows), count = 0;
    for (size_t i = 0; i < view->picks.count; i++)
        count += view->picks.pick[i].count;
    if (grow(columns, count + 1, count * (bits + rows) + 1) != 0)
        return -1;
    memset(columns->words, 0, count * (bits + rows) * sizeof *columns->words);
    columns->count = 0;
    columns->rows = rows;
    columns->texts.length = 0;
    columns->misfits = 0;
    for (size_t i = 0; i < view->picks.count; i++) {
        const struct pick *pick = &view->picks.pick[i];
        for (unsigned k = 0; k < pick->count; k++) {
            size_t at = columns->count++;
            columns->column[at] = (struct column){.pick = pick,
                                                  .element = pick->first + k,
                                                  .type = pick_type(view, pick),
                                                  .present = columns->words + at * bits,
                                                  .u64 = columns->words + count * bits + at * rows};
        }
    }
    return 0;
}

struct column_batch columns_batch(const struct columns *columns)
{
    size_t bits = column_words_of(columns->rows);
    return (struct column_batch){.rows = columns->rows,
                                 .columns = columns->count,
                                 .present = columns->words,
                                 .values = columns->words + columns->count * bits,
                                 .texts = columns->texts.data,
                                 .text_bytes = columns->texts.length};
}

int columns_prepare(struct view *view, enum armtap_generation generation)
{
    (void)generation;
    return picks_lead(&view->picks, ROW_COLUMN_time_ns) != 0 ? -1 : picks_lead(&view->picks, ROW_COLUMN_time);
}

int columns_put(const struct row_batch *batch, struct buffer *out)
{
    const struct column_batch rows = columns_batch(batch->columns);
    column_batch_put(&rows, out);
    return out->failed ? -1 : 0;
}

const struct armtap_field *column_field(const struct column *column, const struct view *view)
{
    const struct pick *pick = column->pick;
    return pick->row_column == ROW_COLUMN_NONE && pick->column != TABLE_NONE && !pick->by_name && !pick->is_bit
               ? view->table->columns[pick->column].field
               : NULL;
}

void columns_free(struct columns *columns)
{
    free(columns->column);
    free(columns->words);
    free(columns->texts.data);
    *columns = (struct columns){0};
}

/* A cell to be set. */
struct cell {
    struct columns *columns;
    const struct column *column;
    size_t row;
};

static uint64_t *word_of(const struct cell *cell, const uint64_t *at)
{
    return cell->columns->words + (at - cell->columns->words);
}

/* Marks the cell as present and returns the word for its value. */
static uint64_t *take_word(const struct cell *cell)
{
    *word_of(cell, cell->column->present + cell->row / COLUMN_WORD_BITS) |= (uint64_t)1 << cell->row % COLUMN_WORD_BITS;
    return word_of(cell, cell->column->u64 + cell->row);
}

/* Sets the cell to the text that was appended from offset `from` on. */
static void take_text(const struct cell *cell, size_t from)
{
    struct buffer *texts = &cell->columns->texts;
    struct column_text text = {(uint32_t)from, (uint32_t)(texts->length - from)};
    texts->failed = texts->failed || texts->length > UINT32_MAX;
    memcpy(take_word(cell), &text, sizeof text);
}

static void take_double(const struct cell *cell, double number)
{
    memcpy(take_word(cell), &number, sizeof number);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

struct range {
    int64_t low;
    uint64_t high;
};

static struct range range_of(enum armtap_type type)
{
    switch (type) {
    case ARMTAP_BOOL:
        return (struct range){0, 1};
    case ARMTAP_UINT8:
        return (struct range){0, UINT8_MAX};
    case ARMTAP_UINT32:
        return (struct range){0, UINT32_MAX};
    case ARMTAP_INT32:
        return (struct range){INT32_MIN, INT32_MAX};
    case ARMTAP_INT64:
        return (struct range){INT64_MIN, INT64_MAX};
    default:
        return (struct range){0, UINT64_MAX};
    }
}

static void take_negative(const struct cell *cell, int64_t number)
{
    if (cell->column->type == ARMTAP_DOUBLE)
        take_double(cell, (double)number);
    else if (number >= range_of(cell->column->type).low)
        *take_word(cell) = (uint64_t)number;
    else
        cell->columns->misfits++;
}

static void put_integer(const struct cell *cell, uint64_t number)
{
    if (cell->column->type == ARMTAP_DOUBLE)
        take_double(cell, (double)number);
    else if (number <= range_of(cell->column->type).high)
        *take_word(cell) = number;
    else
        cell->columns->misfits++;
}

/* A column of integers takes only doubles that are integers. */
static void take_number(const struct cell *cell, double number)
{
    if (cell->column->type == ARMTAP_DOUBLE)
        take_double(cell, number);
    else if (!(number > -BELOW_2_63 && number < BELOW_2_64) || floor(number) != number)
        cell->columns->misfits++;
    else if (number < 0)
        take_negative(cell, (int64_t)number);
    else
        put_integer(cell, (uint64_t)number);
}

static void put_number(const struct cell *cell, const struct armtap_value *value, unsigned element)
{
    bool is_signed = armtap_value_is_signed(value);
    if (value->type == ARMTAP_DOUBLE)
        take_number(cell, value->f64[element]);
    else if (is_signed && value->i64[element] < 0)
        take_negative(cell, value->i64[element]);
    else
        put_integer(cell, is_signed ? (uint64_t)value->i64[element] : value->u64[element]);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static const struct cell_style json = {.truth = {"false", "true"}, .absent = "null", .nan = "null"};

static void put_utf8(const char *bytes, size_t length, struct buffer *out)
{
    char shown[UTF8_SHOWN_MAX];
    for (size_t done = 0, used; done < length; done += used)
        buffer_put(out, shown, utf8_store(shown, bytes + done, length - done, &used));
}

/* Puts a text into a column of texts. */
static void put_text(const struct cell *cell, const struct armtap_value *value)
{
    struct buffer *texts = &cell->columns->texts;
    size_t from = texts->length;
    if (value->type == ARMTAP_JSON)
        json_put_mended(texts, value->text, value->length);
    else if (cell->column->type == ARMTAP_JSON && value->type == ARMTAP_STRING)
        json_put_quoted(texts, value->text, value->length);
    else if (cell->column->type == ARMTAP_BYTES)
        buffer_put(texts, value->text, value->length);
    else
        put_utf8(value->text, value->length, texts);
    take_text(cell, from);
}

/* Puts a number into a column of texts: a mode by name, or as JSON, which has no NaN. */
static void put_number_text(const struct cell *cell, const struct armtap_value *value, unsigned element,
                            enum armtap_generation generation)
{
    struct buffer *texts = &cell->columns->texts;
    size_t from = texts->length;
    char digits[MODE_NAME_MAX];
    const char *name = cell->column->pick->by_name ? mode_name(value, element, generation, digits) : NULL;
    if (name)
        buffer_string(texts, name);
    else if (value->type != ARMTAP_DOUBLE || isfinite(value->f64[element]))
        cells_number(value, element, &json, texts);
    else
        return;
    take_text(cell, from);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Puts an element of a JSON array. */
static void put_item(const struct cell *cell, const struct armtap_json_token *item)
{
    struct buffer *texts = &cell->columns->texts;
    size_t from = texts->length;
    bool is_number = item->kind == ARMTAP_JSON_NUMBER;
    bool is_truth = item->kind == ARMTAP_JSON_FALSE || item->kind == ARMTAP_JSON_TRUE;
    if (item->kind == ARMTAP_JSON_NULL)
        return;
    if (column_is_text(cell->column)) {
        json_put_mended(texts, item->text, item->length);
        take_text(cell, from);
    } else if (is_number) {
        take_number(cell, armtap_json_double(item));
    } else if (is_truth && cell->column->type == ARMTAP_BOOL) {
        put_integer(cell, item->kind == ARMTAP_JSON_TRUE);
    } else {
        cell->columns->misfits++;
    }
}

static void put_items(struct cell *cell, struct armtap_json *items)
{
    const struct pick *pick = cell->column->pick;
    struct armtap_json_token item;
    for (unsigned k = 0; k < pick->first + pick->count && json_elements_next(items, &item); k++)
        if (k >= pick->first)
            put_item(&(struct cell){cell->columns, cell->column + (k - pick->first), cell->row}, &item);
}

static void put_element(const struct cell *cell, const struct armtap_value *value, enum armtap_generation generation)
{
    unsigned element = cell->column->element;
    if (armtap_value_is_text(value) ? element > 0 : element >= value->count)
        return;
    if (!armtap_value_is_text(value) && !column_is_text(cell->column))
        put_number(cell, value, element);
    else if (!armtap_value_is_text(value))
        put_number_text(cell, value, element, generation);
    else if (column_is_text(cell->column))
        put_text(cell, value);
    else
        cell->columns->misfits++;
}

/* Puts a pick, from a row on, as long as it is doubles in the frames, as most are. Returns the first row where it is
 * not. */
static size_t put_doubles(const struct cell *first, const struct output_row *rows)
{
    const struct pick *pick = first->column->pick;
    const struct table_layout *layout = rows[first->row].layout;
    size_t count = first->columns->rows, bits = column_words_of(count), to = first->row;
    uint64_t *word = word_of(first, first->column->u64), *present = word_of(first, first->column->present);
    if (first->column->type != ARMTAP_DOUBLE || pick->if_mixed)
        return to;
    const struct pick_above place = row_above_find(pick, layout);
    while (to < count && place.is_doubles && rows[to].layout == layout && rows[to].cut_count == 0 &&
           place.bytes.end <= rows[to].values_length)
        to++;
    for (unsigned k = 0; k < pick->count; k++, word += count, present += bits)
        for (size_t i = first->row; i < to; i++) {
            word[i] = armtap_be64(rows[i].values + place.bytes.offset + k * sizeof *word);
            present[i / COLUMN_WORD_BITS] |= (uint64_t)1 << i % COLUMN_WORD_BITS;
        }
    return to;
}

/* The cells of a pick in a row. */
static void put_value(struct cell *first, const struct output_row *row, const struct armtap_value *value)
{
    const struct pick *pick = first->column->pick;
    struct armtap_json items;
    if (!value->present || (pick->if_mixed && !row->is_mixed))
        return;
    if ((pick->numbered || pick->element || !column_is_text(first->column)) && json_elements_begin(&items, value)) {
        put_items(first, &items);
        return;
    }
    for (unsigned k = 0; k < pick->count; k++)
        put_element(&(struct cell){first->columns, first->column + k, first->row}, value, row->generation);
}

static void gather_pick(struct columns *columns, const struct column *column, const struct output_row *rows)
{
    const struct pick *pick = column->pick;
    struct cell cell = {columns, column, 0};
    struct armtap_value value;
    for (; cell.row < columns->rows; cell.row++) {
        cell.row = put_doubles(&cell, rows);
        if (cell.row == columns->rows)
            return;
        if (pick->row_column != ROW_COLUMN_NONE)
            row_column_value(pick->row_column, &rows[cell.row], &value);
        else
            pick_read(pick, &rows[cell.row], &value);
        put_value(&cell, &rows[cell.row], &value);
    }
}

int columns_gather(struct columns *columns, const struct view *view, const struct output_row *rows, size_t count)
{
    if (lay_out(columns, view, count) != 0)
        return -1;
    for (size_t at = 0; count > 0 && at < columns->count; at += columns->column[at].pick->count)
        gather_pick(columns, &columns->column[at], rows + columns->column[at].pick->part * columns->part_step);
    return columns->texts.failed ? -1 : 0;
}

void column_name(const struct column *column, struct buffer *out)
{
    char digits[NUMBER_MAX];
    const struct pick *pick = column->pick;
    put_utf8(pick->name, strlen(pick->name), out);
    if (!pick->element && !pick->numbered && pick->count == 1)
        return;
    buffer_char(out, '_');
    buffer_put(out, digits, number_unsigned(column->element, digits));
}

size_t column_array_width(const struct column *column)
{
    return column_is_text(column) ? 1 : column->pick->count;
}

bool column_is_array(const struct column *column)
{
    return !column_is_text(column) && !column->pick->element && (column->pick->count > 1 || column->pick->numbered);
}

void column_array_name(const struct column *column, struct buffer *out)
{
    if (column_is_array(column))
        put_utf8(column->pick->name, strlen(column->pick->name), out);
    else
        column_name(column, out);
}
