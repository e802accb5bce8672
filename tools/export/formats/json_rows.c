#include "line_cells.h"

#include <math.h>

#include "base/text/json_reader.h"
#include "base/text/json_writer.h"
#include "export/rows/field_selection.h"
#include "base/text/names_apart.h"
#include "row_above.h"

static const struct cell_style json = {
    .separator = ',', .truth = {"false", "true"}, .absent = "null", .nan = "null", .infinite = "null"};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* A copy of the pick's name, with room for a number; NULL without memory. The caller frees. */
static char *own_name(const struct pick *pick)
{
    size_t length = strlen(pick->name);
    char *name = malloc(length + NAMES_APART_ROOM);
    if (!name)
        return NULL;
    memcpy(name, pick->name, length + 1);
    if (pick->element)
        name_append_number(name, length, pick->first);
    return name;
}

/* The name as a key of an object: ,"name": with zeros behind it, for buffer_put_pieces(). */
static char *quoted_key(const char *name, size_t *key_length)
{
    size_t length = strlen(name);
    char *key = calloc(1, JSON_QUOTED_MAX(length) + 2 + BUFFER_PIECE);
    if (!key)
        return NULL;
    key[0] = ',';
    size_t end = 1 + json_quote(key + 1, name, length);
    key[end] = ':';
    *key_length = end + 1;
    char *fitting = realloc(key, end + 1 + BUFFER_PIECE);
    if (fitting)
        return fitting;
    return key;
}

/* `names` is for the names of the keys; those that are not NULL the caller frees. 0, or -1 without memory. */
static int make_keys(struct view *view, const char *const *reserved, char **names)
{
    for (size_t i = 0; i < view->picks.count; i++) {
        if (view->picks.pick[i].row_column == ROW_COLUMN_file && !view->picks.pick[i].own_name)
            continue;
        names[i] = own_name(&view->picks.pick[i]);
        if (!names[i])
            return -1;
    }
    if (names_set_apart(reserved, names, view->picks.count) != 0)
        return -1;
    for (size_t i = 0; i < view->picks.count; i++) {
        struct pick *pick = &view->picks.pick[i];
        pick->key = quoted_key(names[i] ? names[i] : row_column_name(ROW_COLUMN_file), &pick->key_length);
        if (!pick->key)
            return -1;
    }
    return 0;
}

int json_rows_set_keys(struct view *view, const char *const *reserved)
{
    char **names = calloc(view->picks.count + 1, sizeof(char *));
    int outcome = names ? make_keys(view, reserved, names) : -1;
    for (size_t i = 0; names && i < view->picks.count; i++)
        free(names[i]);
    free(names);
    return outcome;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

void json_rows_row_column(enum row_column column, const char *text, size_t length, struct buffer *out)
{
    if (length == 0)
        buffer_string(out, json.absent);
    else if (row_column_is_number(column))
        buffer_put(out, text, length);
    else
        json_put_quoted(out, text, length);
}

/* Leaves out an absent value, as for fields. */
static void put_asked(const struct pick *pick, const struct output_row *row, struct buffer *out)
{
    char digits[NUMBER_MAX];
    const char *text;
    size_t length = row_column_text(pick->row_column, row, digits, &text);
    if (length == 0 || (pick->row_column == ROW_COLUMN_file && row->several_files))
        return;
    buffer_put_pieces(out, pick->key, pick->key_length);
    json_rows_row_column(pick->row_column, text, length, out);
}

static void put_element(const struct armtap_value *value, unsigned element, struct buffer *out)
{
    bool finite = element < value->count && (value->type != ARMTAP_DOUBLE || isfinite(value->f64[element]));
    if (finite)
        cells_number(value, element, &json, out);
    else
        buffer_string(out, json.absent);
}

/* Puts one element of a JSON array. */
static void put_item(unsigned element, struct armtap_json *items, struct buffer *out)
{
    struct armtap_json_token item;
    unsigned at = 0;
    while (json_elements_next(items, &item)) {
        if (at++ != element)
            continue;
        json_put_mended(out, item.text, item.length);
        return;
    }
    buffer_string(out, json.absent);
}

static void put_text(const struct armtap_value *value, struct buffer *out)
{
    if (value->type == ARMTAP_STRING) {
        json_put_quoted(out, value->text, value->length);
    } else if (value->type == ARMTAP_JSON) {
        json_put_mended(out, value->text, value->length);
    } else {
        buffer_char(out, '"');
        cells_hex(value->text, value->length, out);
        buffer_char(out, '"');
    }
}

static void put_mode(const struct armtap_value *value, unsigned element, enum armtap_generation generation,
                     struct buffer *out)
{
    char digits[MODE_NAME_MAX];
    const char *name = mode_name(value, element, generation, digits);
    if (!name)
        put_element(value, element, out);
    else
        json_put_quoted(out, name, strlen(name));
}

static void put_modes(const struct pick *pick, const struct armtap_value *value, enum armtap_generation generation,
                      struct buffer *out)
{
    if (pick->element || value->count == 1) {
        put_mode(value, pick->first, generation, out);
        return;
    }
    for (unsigned k = 0; k < value->count; k++) {
        buffer_char(out, k == 0 ? '[' : ',');
        put_mode(value, k, generation, out);
    }
    buffer_char(out, ']');
}

static void put_value(const struct pick *pick, const struct armtap_value *value, struct buffer *out)
{
    struct armtap_json items;
    if (pick->element && json_elements_begin(&items, value)) {
        put_item(pick->first, &items, out);
    } else if (pick->element && pick->first > 0 && armtap_value_is_text(value)) {
        buffer_string(out, json.absent);
    } else if (armtap_value_is_text(value)) {
        put_text(value, out);
    } else if (pick->element || value->count == 1) {
        put_element(value, pick->first, out);
    } else {
        for (unsigned k = 0; k < value->count; k++) {
            buffer_char(out, k == 0 ? '[' : ',');
            put_element(value, k, out);
        }
        buffer_char(out, ']');
    }
}

/* Whether a value is a single number that JSON lacks. */
static bool is_no_number(const struct pick *pick, const struct armtap_value *value)
{
    bool is_single = pick->element || value->count == 1;
    unsigned element = pick->element ? pick->first : 0;
    return value->type == ARMTAP_DOUBLE && is_single && element < value->count && !isfinite(value->f64[element]);
}

/* Whether a value is all numbers, each with a cell. */
static bool is_doubles(const struct pick *pick, const struct armtap_value *value)
{
    return value->type == ARMTAP_DOUBLE && value->count == pick->count && pick->first == 0 && !pick->element &&
           !pick->by_name;
}

static void put_doubles(const struct pick *pick, const double *numbers, struct number_cell *above, struct buffer *out)
{
    if (pick->count > 1)
        buffer_char(out, '[');
    cells_doubles(numbers, pick->count, &json, above, out);
    if (pick->count > 1)
        buffer_char(out, ']');
}

/* The key and the value, if there is one. `above`: its cells, or NULL. */
static void put_member(const struct pick *pick, const struct output_row *row, enum json_rows_nan nan,
                       struct number_cell *above, struct buffer *out)
{
    struct armtap_value value;
    size_t entry = layout_entry(row->layout, pick->column);
    if (entry == TABLE_NONE || (pick->if_mixed && !row->is_mixed))
        return;
    pick_read(pick, row, &value);
    if (!value.present || (nan == JSON_ROWS_LEFT_OUT && is_no_number(pick, &value)))
        return;
    buffer_put_pieces(out, pick->key, pick->key_length);
    if (above && is_doubles(pick, &value))
        put_doubles(pick, value.f64, above, out);
    else if (pick->by_name && !armtap_value_is_text(&value))
        put_modes(pick, &value, row->generation, out);
    else
        put_value(pick, &value, out);
}

/* Most values: numbers, read where they are. False: the pick is none of these. */
static bool put_wire(const struct row_batch *batch, size_t number, size_t i, enum json_rows_nan nan, struct buffer *out)
{
    const struct pick *pick = &batch->view->picks.pick[i];
    bool is_plain = !pick->element && !pick->by_name && !pick->if_mixed && pick->first == 0;
    const uint8_t *doubles = is_plain ? row_above_doubles(batch, number, i) : NULL;
    if (!doubles || !batch->picks_above[i].is_whole || (pick->count == 1 && nan == JSON_ROWS_LEFT_OUT))
        return false;
    buffer_put_pieces(out, pick->key, pick->key_length);
    if (pick->count > 1)
        buffer_char(out, '[');
    cells_wire_doubles(doubles, pick->count, &json, row_above_cells(batch, i), out);
    if (pick->count > 1)
        buffer_char(out, ']');
    return true;
}

static void put_pick(const struct row_batch *batch, size_t number, size_t i, const void *how, struct buffer *out)
{
    const struct pick *pick = &batch->view->picks.pick[i];
    enum json_rows_nan nan = *(const enum json_rows_nan *)how;
    if (pick->row_column != ROW_COLUMN_NONE)
        put_asked(pick, batch_row(batch, number, pick), out);
    else if (!put_wire(batch, number, i, nan, out))
        put_member(pick, batch_row(batch, number, pick), nan, row_above_cells(batch, i), out);
}

void json_rows_values(const struct row_batch *batch, size_t number, enum json_rows_nan nan, struct buffer *out)
{
    /* What begins with a comma may have begun an object in the row above. */
    const struct row_manner manner = {.first = ',', .put = put_pick, .how = &nan};
    row_put(batch, number, &manner, out);
}

void json_rows_object(const struct row_batch *batch, size_t number, enum json_rows_nan nan, struct buffer *out)
{
    size_t begin = out->length;
    json_rows_values(batch, number, nan, out);
    if (out->length == begin)
        buffer_char(out, ',');
    if (!out->failed)
        out->data[begin] = '{'; /* in place of the first comma */
    buffer_char(out, '}');
}
