/* Data messages that look as their set-up lets expect: numbers, lists of them, names of modes, with at most one blank
 * after a comma. Nothing else is read here, and nothing is read twice. */
#include <string.h>

#include "table/field.h"
#include "aubo_number.h"
#include "aubo_topics.h"
#include "aubo_values.h"

#define LISTS_MAX 3 /* one within the other */

/* What is left of a message. Its last byte is a bracket, which ends any number. */
struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->end || *cursor->at != c)
        return false;
    cursor->at++;
    return true;
}

static char here(const struct cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

static bool take_comma(struct cursor *cursor)
{
    if (!take(cursor, ','))
        return false;
    cursor->at += here(cursor) == ' ';
    return true;
}

static bool take_number(struct cursor *cursor, struct armtap_aubo_number *number)
{
    const char *end = cursor->at < cursor->end ? armtap_aubo_take_number(cursor->at, cursor->end, number) : NULL;
    if (!end)
        return false;
    cursor->at = end;
    return true;
}

static bool take_word(struct cursor *cursor, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

/* A string without escapes; sets *text to what is between the quotes. */
static bool take_string(struct cursor *cursor, struct armtap_aubo_element *text)
{
    const char *at = cursor->at + 1;
    if (here(cursor) != '"')
        return false;
    while (at < cursor->end && *at != '"' && *at != '\\' && (unsigned char)*at >= ' ')
        at++;
    if (at == cursor->end || *at != '"')
        return false;
    *text = (struct armtap_aubo_element){cursor->at + 1, (size_t)(at - cursor->at - 1)};
    cursor->at = at + 1;
    return true;
}

/* ---- values of fields ---- */

static bool put_integer(int64_t integer, int64_t min, uint64_t max, int64_t *to)
{
    *to = integer;
    return integer >= min && (integer < 0 || (uint64_t)integer <= max);
}

static bool put_number(const struct armtap_field *field, double factor, const struct armtap_aubo_number *number,
                       unsigned i, struct armtap_value *value)
{
    if (field->type == ARMTAP_DOUBLE)
        value->f64[i] = (number->whole ? (double)number->integer : number->real) * factor;
    if (field->type == ARMTAP_DOUBLE || !number->whole)
        return field->type == ARMTAP_DOUBLE;
    switch (field->type) {
    case ARMTAP_INT32:
        return put_integer(number->integer, INT32_MIN, INT32_MAX, &value->i64[i]);
    case ARMTAP_UINT8:
        return put_integer(number->integer, 0, UINT8_MAX, &value->i64[i]);
    case ARMTAP_UINT32:
        return put_integer(number->integer, 0, UINT32_MAX, &value->i64[i]);
    case ARMTAP_UINT64:
        return put_integer(number->integer, 0, UINT64_MAX, &value->i64[i]);
    default:
        return false;
    }
}

static bool take_mode(struct cursor *cursor, const struct armtap_field *field, struct armtap_aubo_number *number)
{
    struct armtap_aubo_element name;
    number->whole = true;
    return take_string(cursor, &name) &&
           armtap_enum_number(field, name.text, name.length, ARMTAP_GENERATION_AUBO, &number->integer);
}

static bool take_elements(struct cursor *cursor, const struct armtap_field *field, struct armtap_value *value)
{
    double factor = armtap_aubo_topic_factor(field);
    struct armtap_aubo_number number;
    for (unsigned i = 0; i < field->count; i++) {
        if (i > 0 && !take_comma(cursor))
            return false;
        if (here(cursor) == '"' ? !take_mode(cursor, field, &number) : !take_number(cursor, &number))
            return false;
        if (!put_number(field, factor, &number, i, value))
            return false;
    }
    return true;
}

/* A scalar may come as a list of one. */
static bool take_field(struct cursor *cursor, const struct armtap_field *field, struct armtap_value *value)
{
    bool is_list = take(cursor, '[');
    value->type = field->type;
    value->count = field->count;
    return (is_list || field->count == 1) && take_elements(cursor, field, value) && (!is_list || take(cursor, ']'));
}

/* ---- values in their own form ---- */

static bool take_list(struct cursor *cursor, unsigned within, size_t *count)
{
    struct armtap_aubo_number number;
    size_t inner;
    *count = 0;
    if (within == LISTS_MAX || !take(cursor, '['))
        return false;
    if (take(cursor, ']'))
        return true;
    do {
        if (here(cursor) == '[' ? !take_list(cursor, within + 1, &inner) : !take_number(cursor, &number))
            return false;
        ++*count;
    } while (take(cursor, ','));
    return take(cursor, ']');
}

/* A list of numbers, or of lists of them, stays as it is, if it has no blanks. */
static bool take_own_list(struct cursor *cursor, struct armtap_value *value, size_t *count)
{
    value->type = ARMTAP_JSON;
    value->text = cursor->at;
    if (!take_list(cursor, 0, count))
        return false;
    value->length = (size_t)(cursor->at - value->text);
    return true;
}

static bool take_own_number(struct cursor *cursor, struct armtap_value *value)
{
    struct armtap_aubo_number number;
    if (!take_number(cursor, &number))
        return false;
    value->type = number.whole ? ARMTAP_INT64 : ARMTAP_DOUBLE;
    if (number.whole)
        value->i64[0] = number.integer;
    else
        value->f64[0] = number.real;
    return true;
}

static bool take_own_string(struct cursor *cursor, struct armtap_value *value)
{
    struct armtap_aubo_element text;
    if (!take_string(cursor, &text))
        return false;
    value->type = ARMTAP_STRING;
    value->text = text.text;
    value->length = text.length;
    return true;
}

static bool take_name(struct cursor *cursor, struct armtap_value *value)
{
    value->type = ARMTAP_BOOL;
    value->u64[0] = here(cursor) == 't';
    value->present = here(cursor) != 'n';
    return take_word(cursor, "true") || take_word(cursor, "false") || take_word(cursor, "null");
}

static bool take_own(struct cursor *cursor, struct armtap_value *value)
{
    size_t count;
    value->count = 1;
    switch (here(cursor)) {
    case '[':
        return take_own_list(cursor, value, &count);
    case '"':
        return take_own_string(cursor, value);
    case 't':
    case 'f':
    case 'n':
        return take_name(cursor, value);
    default:
        return take_own_number(cursor, value);
    }
}

/* What certainly does not fit a field: nothing, a text that is no mode's name, a list of another length. */
static bool take_unfit(struct cursor *cursor, const struct armtap_field *field, struct armtap_value *value)
{
    size_t count;
    value->count = 1;
    switch (here(cursor)) {
    case '[':
        return take_own_list(cursor, value, &count) && count != field->count;
    case '"':
        return take_own_string(cursor, value);
    case 'n':
        return take_name(cursor, value);
    default:
        return false;
    }
}

/* ---- a message ---- */

static bool take_channel(struct cursor *cursor)
{
    struct armtap_aubo_number channel;
    return take(cursor, '[') && take_number(cursor, &channel);
}

static bool take_value(struct cursor *cursor, const struct armtap_field *field, struct armtap_value *value)
{
    struct cursor begin = *cursor;
    if (!field)
        return take_own(cursor, value);
    if (take_field(cursor, field, value))
        return true;
    *cursor = begin;
    return take_unfit(cursor, field, value);
}

bool armtap_aubo_values_by_position(const struct armtap_recipe *recipe, struct armtap_aubo_element list,
                                    struct armtap_cells *cells)
{
    struct cursor cursor = {list.text, list.text + list.length};
    if (list.length == 0 || cursor.end[-1] != ']' || !take_channel(&cursor) ||
        armtap_cells_begin(cells, recipe->count) != ARMTAP_OK)
        return false;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_field *field = recipe->entries[i].field;
        struct armtap_value value = {.present = true};
        if (!take_comma(&cursor) || !take_value(&cursor, field, &value) ||
            armtap_cells_put(cells, i, &value) != ARMTAP_OK)
            return false;
    }
    return take(&cursor, ']') && cursor.at == cursor.end;
}
