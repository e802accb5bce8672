#define _POSIX_C_SOURCE 200809L
#include "line_cells.h"

#include "base/text/json_reader.h"
#include "base/text/json_writer.h"
#include "export/rows/field_selection.h"
#include "base/numbers/number_text.h"
#include "row_above.h"
#include "base/text/utf8.h"

void cells_hex(const char *bytes, size_t length, struct buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    char *at = buffer_room(out, 2 * length);
    if (!at)
        return;
    for (size_t i = 0; i < length; i++) {
        *at++ = digits[(unsigned char)bytes[i] >> 4];
        *at++ = digits[(unsigned char)bytes[i] & 15];
    }
    out->length += 2 * length;
}

static bool needs_quotes(const char *bytes, size_t length, const char *quoted_if)
{
    for (const char *c = quoted_if; *c != '\0'; c++)
        if (length > 0 && memchr(bytes, *c, length))
            return true;
    return false;
}

/* Whether a spreadsheet takes a text for a formula. The wide characters are those of East Asian keyboards. */
static bool is_formula(const char *bytes, size_t length)
{
    static const char *const begins[] = {
        "=", "+", "-", "@", "\t", "\r", "\n", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (length >= strlen(begins[i]) && memcmp(bytes, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* The number of bytes from `from` on that can be copied unchanged. */
static size_t plain_length(const char *bytes, size_t from, size_t length)
{
    size_t at = from;
    while (at < length && bytes[at] >= ' ' && bytes[at] <= '~' && bytes[at] != '"')
        at++;
    return at - from;
}

void cells_text(const char *bytes, size_t length, const struct cell_style *style, struct buffer *out)
{
    char shown[UTF8_SHOWN_MAX];
    bool quotes = needs_quotes(bytes, length, style->quoted_if);
    if (quotes)
        buffer_char(out, '"');
    if (style->is_guarded && is_formula(bytes, length))
        buffer_char(out, '\'');
    for (size_t done = 0, used; done < length; done += used) {
        used = plain_length(bytes, done, length);
        buffer_put(out, bytes + done, used);
        if (used > 0)
            continue;
        size_t size = style->is_shown ? utf8_show(shown, bytes + done, length - done, &used)
                                      : utf8_store(shown, bytes + done, length - done, &used);
        buffer_put(out, shown, size);
        if (quotes && bytes[done] == '"')
            buffer_char(out, '"');
    }
    if (quotes)
        buffer_char(out, '"');
}

/* Puts JSON from the wire as text. */
static void put_json(const char *json, size_t length, const struct cell_style *style, struct buffer *out)
{
    struct buffer text = {0};
    json_put_mended(&text, json, length);
    cells_text(text.data, text.length, style, out);
    out->failed |= text.failed;
    free(text.data);
}

static void put_element_name(const struct pick *pick, unsigned element, const struct cell_style *style,
                             struct buffer *out)
{
    char digits[NUMBER_MAX];
    size_t length = strlen(pick->name);
    bool quotes = needs_quotes(pick->name, length, style->quoted_if);
    cells_text(pick->name, length, style, out);
    out->length -= quotes && out->length > 0;
    buffer_char(out, '_');
    size_t digit_count = number_unsigned(element, digits);
    buffer_put(out, digits, digit_count);
    if (quotes)
        buffer_char(out, '"');
}

void cells_names(const struct view *view, const struct cell_style *style, struct buffer *out)
{
    for (size_t i = 0; i < view->picks.count; i++) {
        const struct pick *pick = &view->picks.pick[i];
        bool spread = pick->element || pick->numbered || pick->count > 1;
        for (unsigned k = 0; k < pick->count; k++) {
            if (i > 0 || k > 0)
                buffer_char(out, style->separator);
            if (spread)
                put_element_name(pick, pick->first + k, style, out);
            else
                cells_text(pick->name, strlen(pick->name), style, out);
        }
    }
}

void cells_number(const struct armtap_value *value, unsigned element, const struct cell_style *style,
                  struct buffer *out)
{
    if (value->type == ARMTAP_BOOL) {
        buffer_string(out, style->truth[value->u64[element] != 0]);
        return;
    }
    if (value->type == ARMTAP_DOUBLE && value->f64[element] != value->f64[element]) {
        buffer_string(out, style->nan);
        return;
    }
    char *at = buffer_room(out, NUMBER_MAX);
    if (!at)
        return;
    if (value->type == ARMTAP_DOUBLE)
        out->length += number_repr(value->f64[element], at);
    else if (armtap_value_is_signed(value))
        out->length += number_signed(value->i64[element], at);
    else
        out->length += number_unsigned(value->u64[element], at);
}

static void put_mode(const struct armtap_value *value, unsigned element, enum armtap_generation generation,
                     const struct cell_style *style, struct buffer *out)
{
    char digits[MODE_NAME_MAX];
    const char *name = mode_name(value, element, generation, digits);
    if (!name)
        cells_number(value, element, style, out);
    else
        cells_text(name, strlen(name), style, out);
}

/* `generation`: the one whose mode names are used; UNKNOWN: print the number. */
static void put_cell(const struct armtap_value *value, unsigned element, enum armtap_generation generation,
                     const struct cell_style *style, struct buffer *out)
{
    bool is_text = value->present && armtap_value_is_text(value);
    if (!value->present || (is_text ? element > 0 || style->only_numbers : element >= value->count))
        buffer_string(out, style->absent);
    else if (value->type == ARMTAP_BYTES)
        cells_hex(value->text, value->length, out);
    else if (value->present && value->type == ARMTAP_JSON)
        put_json(value->text, value->length, style, out);
    else if (is_text)
        cells_text(value->text, value->length, style, out);
    else if (generation != ARMTAP_GENERATION_UNKNOWN)
        put_mode(value, element, generation, style, out);
    else
        cells_number(value, element, style, out);
}

static void put_item_text(const struct armtap_json_token *item, const struct cell_style *style, struct buffer *out)
{
    struct buffer text = {0};
    json_element_text(item, &text);
    cells_text(text.data, text.length, style, out);
    out->failed |= text.failed;
    free(text.data);
}

static void put_item(const struct armtap_json_token *item, const struct cell_style *style, struct buffer *out)
{
    struct armtap_value number = {.type = ARMTAP_DOUBLE, .count = 1};
    switch (item->kind) {
    case ARMTAP_JSON_NULL:
        buffer_string(out, style->absent);
        break;
    case ARMTAP_JSON_FALSE:
    case ARMTAP_JSON_TRUE:
        buffer_string(out, style->truth[item->kind == ARMTAP_JSON_TRUE]);
        break;
    case ARMTAP_JSON_NUMBER:
        number.f64[0] = armtap_json_double(item);
        if (json_element_is_whole(item))
            buffer_put(out, item->text, item->length);
        else
            cells_number(&number, 0, style, out);
        break;
    case ARMTAP_JSON_STRING:
        put_item_text(item, style, out);
        break;
    default:
        put_json(item->text, item->length, style, out);
        break;
    }
}

/* Puts a JSON array, one element for each cell. */
static void put_items(const struct pick *pick, struct armtap_json *items, const struct cell_style *style,
                      struct buffer *out)
{
    struct armtap_json_token item;
    for (unsigned skipped = 0; skipped < pick->first && json_elements_next(items, &item); skipped++)
        ;
    for (unsigned k = 0; k < pick->count; k++) {
        if (k > 0)
            buffer_char(out, style->separator);
        if (json_elements_next(items, &item))
            put_item(&item, style, out);
        else
            buffer_string(out, style->absent);
    }
}

static struct number_words words_of(const struct cell_style *style)
{
    return (struct number_words){.separator = style->separator, .nan = style->nan, .infinite = style->infinite};
}

/* Fast paths for most cells: room for all at once, no checks for each. */
void cells_doubles(const double *numbers, unsigned count, const struct cell_style *style, struct number_cell *above,
                   struct buffer *out)
{
    const struct number_words words = words_of(style);
    char *at = buffer_room(out, count * (NUMBER_MAX + 1));
    if (at)
        out->length += (size_t)(number_cells(numbers, count, &words, above, at) - at);
}

static inline void put_wire(const uint8_t *numbers, unsigned count, const struct cell_style *style,
                            struct number_cell *above, struct buffer *out)
{
    const struct number_words words = words_of(style);
    char *at = buffer_room(out, count * (NUMBER_MAX + 1));
    if (at)
        out->length += (size_t)(number_cells_wire(numbers, count, &words, above, at) - at);
}

void cells_wire_doubles(const uint8_t *numbers, unsigned count, const struct cell_style *style,
                        struct number_cell *above, struct buffer *out)
{
    put_wire(numbers, count, style, above, out);
}

static void put_row_column(enum row_column column, const struct output_row *row, const struct cell_style *style,
                           struct buffer *out)
{
    char digits[NUMBER_MAX];
    const char *text;
    size_t length = row_column_text(column, row, digits, &text);
    if (length == 0)
        buffer_string(out, style->absent);
    else
        cells_text(text, length, style, out);
}

/* In place of a value one of its bits; legacy packets have bits as doubles. */
static void take_bit(struct armtap_value *value, unsigned bit)
{
    uint64_t bits = value->u64[0];
    if (value->type == ARMTAP_DOUBLE) {
        value->present = value->present && value->f64[0] >= 0 && value->f64[0] < 18446744073709551616.0;
        bits = value->present ? (uint64_t)value->f64[0] : 0;
    }
    value->type = ARMTAP_UINT8;
    value->u64[0] = bits >> bit & 1;
}

void pick_read(const struct pick *pick, const struct output_row *row, struct armtap_value *value)
{
    if (pick->is_before) {
        uint32_t place;
        memcpy(&place, row->before + pick->before * sizeof place, sizeof place);
        value->present = place > 0;
        if (value->present)
            memcpy(value, row->before + place, sizeof *value);
        if (value->present && armtap_value_is_text(value))
            value->text = row->before + (uintptr_t)value->text;
        return;
    }
    size_t entry = pick->column == TABLE_NONE ? TABLE_NONE : layout_entry(row->layout, pick->column);
    value->present = false;
    if (entry != TABLE_NONE)
        armtap_recipe_read_cut(row->layout->recipe, entry, row->values, row->values_length, row->cut, row->cut_count,
                               value);
    if (pick->is_bit && value->present)
        take_bit(value, pick->bit);
}

enum armtap_type pick_type(const struct view *view, const struct pick *pick)
{
    if (pick->row_column != ROW_COLUMN_NONE)
        return row_column_type(pick->row_column);
    if (pick->column == TABLE_NONE)
        return ARMTAP_DOUBLE;
    return pick->is_bit ? ARMTAP_UINT8 : pick->by_name ? ARMTAP_STRING : view->table->columns[pick->column].type;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool is_doubles(const struct pick *pick, const struct armtap_value *value)
{
    return value->present && value->type == ARMTAP_DOUBLE && pick->first + pick->count <= value->count;
}

/* `above`: its cells, or NULL. */
static void put_value(const struct pick *pick, const struct output_row *row, const struct cell_style *style,
                      struct number_cell *above, struct buffer *out)
{
    struct armtap_value value;
    struct armtap_json items;
    pick_read(pick, row, &value);
    if (above && is_doubles(pick, &value)) {
        cells_doubles(&value.f64[pick->first], pick->count, style, above, out);
        return;
    }
    if ((pick->numbered || pick->element) && !style->only_numbers && json_elements_begin(&items, &value)) {
        put_items(pick, &items, style, out);
        return;
    }
    for (unsigned k = 0; k < pick->count; k++) {
        if (k > 0)
            buffer_char(out, style->separator);
        put_cell(&value, pick->first + k, pick->by_name ? row->generation : ARMTAP_GENERATION_UNKNOWN, style, out);
    }
}

static void put_pick(const struct row_batch *batch, size_t number, size_t i, const void *how, struct buffer *out)
{
    const struct cell_style *style = how;
    const struct pick *pick = &batch->view->picks.pick[i];
    const uint8_t *doubles = row_above_doubles(batch, number, i);
    if (doubles)
        put_wire(doubles, pick->count, style, row_above_cells(batch, i), out);
    else if (pick->row_column != ROW_COLUMN_NONE)
        put_row_column(pick->row_column, batch_row(batch, number, pick), style, out);
    else
        put_value(pick, batch_row(batch, number, pick), style, row_above_cells(batch, i), out);
}

void cells_values(const struct row_batch *batch, size_t number, const struct cell_style *style, struct buffer *out)
{
    const struct row_manner manner = {.between = style->separator, .put = put_pick, .how = style};
    row_put(batch, number, &manner, out);
}

size_t cells_too_few(const struct view *view, const struct output_row *row, size_t from, size_t *elements)
{
    struct armtap_value value;
    for (size_t i = from; i < view->picks.count; i++) {
        const struct pick *pick = &view->picks.pick[i];
        if (pick->element)
            continue;
        pick_read(pick, row, &value);
        *elements = json_elements_count(&value);
        if (*elements > pick->count || (*elements == 1 && !pick->numbered))
            return i;
    }
    return view->picks.count;
}
