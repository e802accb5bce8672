#include "json_rows.h"

#include <math.h>

#include "base/json_elements.h"
#include "base/json_writer.h"
#include "line_cells.h"
#include "mode_names.h"
#include "names_apart.h"

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

/* The name as a key of an object: ,"name": */
static char *quoted_key(const char *name)
{
    size_t length = strlen(name);
    char *key = malloc(JSON_QUOTED_MAX(length) + 3);
    if (!key)
        return NULL;
    key[0] = ',';
    size_t end = 1 + json_quote(key + 1, name, length);
    key[end] = ':';
    key[end + 1] = '\0';
    char *fitting = realloc(key, end + 2);
    if (fitting)
        return fitting;
    return key;
}

/* `names` is for the names of the keys; those that are not NULL the caller frees. 0, or -1 without memory. */
static int make_keys(struct view *view, const char *const *reserved, char **names)
{
    for (size_t i = 0; i < view->picks.count; i++) {
        if (view->picks.pick[i].row_column == ROW_COLUMN_file)
            continue;
        names[i] = own_name(&view->picks.pick[i]);
        if (!names[i])
            return -1;
    }
    if (names_set_apart(reserved, names, view->picks.count) != 0)
        return -1;
    for (size_t i = 0; i < view->picks.count; i++) {
        view->picks.pick[i].key = quoted_key(names[i] ? names[i] : row_column_name(ROW_COLUMN_file));
        if (!view->picks.pick[i].key)
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

static void put_quoted(const char *bytes, size_t length, struct buffer *out)
{
    char *at = buffer_room(out, JSON_QUOTED_MAX(length));
    if (at)
        out->length += json_quote(at, bytes, length);
}

void json_rows_row_column(enum row_column column, const char *text, size_t length, struct buffer *out)
{
    if (length == 0)
        buffer_string(out, json.absent);
    else if (row_column_is_number(column))
        buffer_put(out, text, length);
    else
        put_quoted(text, length, out);
}

/* Leaves out an absent value, as for fields. */
static void put_asked(const struct pick *pick, const struct output_row *row, struct buffer *out)
{
    char digits[NUMBER_MAX];
    const char *text;
    size_t length = row_column_text(pick->row_column, row, digits, &text);
    if (length == 0 || (pick->row_column == ROW_COLUMN_file && row->several_files))
        return;
    buffer_string(out, pick->key);
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
static void put_item(unsigned element, struct json_elements *items, struct buffer *out)
{
    struct json_element item;
    unsigned at = 0;
    while (json_elements_next(items, &item)) {
        if (at++ != element)
            continue;
        json_elements_copy(item.text, item.length, out);
        return;
    }
    buffer_string(out, json.absent);
}

static void put_text(const struct armtap_value *value, struct buffer *out)
{
    if (value->type == ARMTAP_STRING) {
        put_quoted(value->text, value->length, out);
    } else if (value->type == ARMTAP_JSON) {
        json_elements_copy(value->text, value->length, out);
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
        put_quoted(name, strlen(name), out);
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
    struct json_elements items;
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

/* Most values: numbers, each with a cell. */
static bool put_doubles(const struct pick *pick, const struct armtap_value *value, struct cell_above *above,
                        struct buffer *out)
{
    if (value->type != ARMTAP_DOUBLE || value->count != pick->count || pick->first > 0 || pick->element)
        return false;
    if (value->count > 1)
        buffer_char(out, '[');
    cells_doubles(value->f64, value->count, &json, above, out);
    if (value->count > 1)
        buffer_char(out, ']');
    return true;
}

/* The key and the value, if there is one. */
static void put_member(const struct pick *pick, const struct output_row *row, enum json_rows_nan nan,
                       struct cell_above *above, struct buffer *out)
{
    struct armtap_value value;
    size_t entry = row->layout->entry_of[pick->column];
    if (entry == TABLE_NONE || (pick->if_mixed && !row->is_mixed))
        return;
    armtap_recipe_read(row->layout->recipe, entry, row->values, row->values_length, &value);
    if (!value.present || (nan == JSON_ROWS_LEFT_OUT && is_no_number(pick, &value)))
        return;
    buffer_string(out, pick->key);
    if (!pick->by_name && put_doubles(pick, &value, above, out))
        return;
    if (pick->by_name && !armtap_value_is_text(&value))
        put_modes(pick, &value, row->generation, out);
    else
        put_value(pick, &value, out);
}

void json_rows_values(const struct row_batch *batch, size_t number, enum json_rows_nan nan, struct buffer *out)
{
    const struct view *view = batch->view;
    const struct output_row *row = &batch->rows[number], *row_above = rows_above(batch, number);
    struct cell_above *above = batch->above;
    for (size_t i = 0; i < view->picks.count; above += view->picks.pick[i++].count) {
        const struct pick *pick = &view->picks.pick[i];
        if (pick->row_column != ROW_COLUMN_NONE) {
            put_asked(pick, row, out);
            continue;
        }
        size_t begin = out->length;
        if (cells_copy(pick, row, row_above, &batch->picks_above[i], out)) {
            if (out->length > begin)
                out->data[begin] = ','; /* it may have begun an object */
            continue;
        }
        put_member(pick, row, nan, above, out);
        batch->picks_above[i] = (struct pick_above){begin, out->length - begin};
    }
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
