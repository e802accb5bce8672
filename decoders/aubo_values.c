#include "aubo_text.h"

#include <stdlib.h>
#include <string.h>

#include "table/field.h"

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_64 18446744073709551616.0
#define MODE_NAME_MAX 256 /* with quotes and escapes */

void armtap_aubo_reader_free(struct armtap_aubo_reader *reader)
{
    free(reader->copy);
    *reader = (struct armtap_aubo_reader){NULL, 0};
}

int armtap_aubo_reader_room(struct armtap_aubo_reader *reader, size_t capacity)
{
    if (capacity <= reader->capacity)
        return ARMTAP_OK;
    char *copy = realloc(reader->copy, capacity);
    if (!copy)
        return ARMTAP_ERR_MEMORY;
    reader->copy = copy;
    reader->capacity = capacity;
    return ARMTAP_OK;
}

static bool is_opening(const struct armtap_json_token *token)
{
    return token->kind == ARMTAP_JSON_ARRAY || token->kind == ARMTAP_JSON_OBJECT;
}

bool armtap_aubo_is_json(const uint8_t *bytes, size_t length, struct armtap_json_token *message, size_t *count)
{
    struct armtap_json json = armtap_json_begin((const char *)bytes, length);
    struct armtap_json_token token;
    *count = 0;
    if (!armtap_json_next(&json, message) || !is_opening(message))
        return false;
    while (armtap_json_next(&json, &token)) {
        *count += token.kind != ARMTAP_JSON_CLOSE && json.depth == (is_opening(&token) ? 2 : 1);
        message->length = (size_t)(json.at - message->text);
    }
    *count = message->kind == ARMTAP_JSON_ARRAY ? *count : 0;
    return json.fault == ARMTAP_JSON_FINE;
}

/* ---- values by their own form ---- */

static void put(char **to, const char *text, size_t length)
{
    memcpy(*to, text, length);
    *to += length;
}

/* Copies JSON without white space. It has no NaN and no Infinity: they become null. Returns the length. */
static size_t compact(const struct armtap_json_token *element, char *copy)
{
    struct armtap_json json = armtap_json_begin(element->text, element->length);
    struct armtap_json_token token, before = {.kind = ARMTAP_JSON_ARRAY};
    char *to = copy;
    while (armtap_json_next(&json, &token)) {
        bool is_finite = token.kind != ARMTAP_JSON_NUMBER || (token.text[token.length - 1] | ' ') < 'a';
        if (before.kind == ARMTAP_JSON_KEY)
            put(&to, ":", 1);
        else if (!is_opening(&before) && token.kind != ARMTAP_JSON_CLOSE)
            put(&to, ",", 1);
        put(&to, is_finite ? token.text : "null", is_finite ? token.length : 4);
        before = token;
    }
    return (size_t)(to - copy);
}

/* A string without escapes is used as it is. */
static int set_text(struct armtap_aubo_reader *reader, const struct armtap_json_token *element,
                    struct armtap_value *value)
{
    bool is_string = element->kind == ARMTAP_JSON_STRING;
    value->type = is_string ? ARMTAP_STRING : ARMTAP_JSON;
    value->text = element->text + 1;
    value->length = element->length - 2;
    if (is_string && !memchr(value->text, '\\', value->length))
        return ARMTAP_OK;
    if (armtap_aubo_reader_room(reader, 2 * element->length) != ARMTAP_OK) /* "null" is longer than "NaN" */
        return ARMTAP_ERR_MEMORY;
    value->text = reader->copy;
    value->length = is_string ? armtap_json_text(element, reader->copy) : compact(element, reader->copy);
    return ARMTAP_OK;
}

/* BOOL, INT64, UINT64 if larger, DOUBLE, STRING, JSON; null is absent. Texts point into the element or the reader,
 * valid until its next use. */
static int set_own(struct armtap_aubo_reader *reader, const struct armtap_json_token *element,
                   struct armtap_value *value)
{
    value->present = element->kind != ARMTAP_JSON_NULL;
    value->count = 1;
    switch (element->kind) {
    case ARMTAP_JSON_NULL:
        value->type = ARMTAP_JSON;
        return ARMTAP_OK;
    case ARMTAP_JSON_FALSE:
    case ARMTAP_JSON_TRUE:
        value->type = ARMTAP_BOOL;
        value->u64[0] = element->kind == ARMTAP_JSON_TRUE;
        return ARMTAP_OK;
    case ARMTAP_JSON_NUMBER:
        armtap_json_number(element, value);
        return ARMTAP_OK;
    default:
        return set_text(reader, element, value);
    }
}

/* ---- topics that have the meaning of a field ---- */

struct topic {
    const char *name;
    enum armtap_field_id field;
    bool of_arm;
};
static const struct topic topics[] = {
#define ROBOT(topic, field, factor) {#topic, ARMTAP_ID_##field, false},
#define ARM(topic, field, factor) {#topic, ARMTAP_ID_##field, true},
#include "aubo_topics.def"
};

/* The arm in a name, or 0; advances *name past it. */
static unsigned arm_of(const char **name, size_t *length)
{
    const char *text = *name;
    if (*length < 3 || text[0] != 'R' || text[1] < '1' || text[1] > '0' + ARMTAP_ARMS_MAX || text[2] != '_')
        return 0;
    *name += 3;
    *length -= 3;
    return (unsigned)(text[1] - '0');
}

const struct armtap_field *armtap_aubo_topic_field(const char *name, size_t length, unsigned *arm)
{
    *arm = arm_of(&name, &length);
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
        if (topics[i].of_arm == (*arm != 0) && strlen(topics[i].name) == length &&
            memcmp(topics[i].name, name, length) == 0)
            return armtap_field_at(topics[i].field);
    return NULL;
}

/* What the numbers of the field's topic are multiplied by, to be of the field's unit. */
static double topic_factor(const struct armtap_field *field)
{
    switch ((int)field->id) {
#define ROBOT(topic, field, factor)                                                                                    \
    case ARMTAP_ID_##field:                                                                                            \
        return factor;
#define ARM(topic, field, factor) ROBOT(topic, field, factor)
#include "aubo_topics.def"
    default:
        return 1;
    }
}

/* ---- values of fields ---- */

/* Converts an integer; false if it is not one, or not within the limits. */
static bool put_signed(const struct armtap_value *from, int64_t min, int64_t max, int64_t *to)
{
    if (from->type == ARMTAP_DOUBLE) {
        double number = from->f64[0];
        if (!(number >= -TWO_TO_63 && number < TWO_TO_63) || number != (double)(int64_t)number)
            return false;
        *to = (int64_t)number;
    } else if (from->type == ARMTAP_INT64) {
        *to = from->i64[0];
    } else {
        return false;
    }
    return *to >= min && *to <= max;
}

static bool put_unsigned(const struct armtap_value *from, uint64_t max, uint64_t *to)
{
    if (from->type == ARMTAP_DOUBLE) {
        double number = from->f64[0];
        if (!(number >= 0 && number < TWO_TO_64) || number != (double)(uint64_t)number)
            return false;
        *to = (uint64_t)number;
    } else if (from->type == ARMTAP_UINT64 || from->i64[0] >= 0) {
        *to = from->u64[0];
    } else {
        return false;
    }
    return *to <= max;
}

static double number_of(const struct armtap_value *value)
{
    return value->type == ARMTAP_DOUBLE   ? value->f64[0]
           : value->type == ARMTAP_UINT64 ? (double)value->u64[0]
                                          : (double)value->i64[0];
}

/* A number, or the name of a mode, which may come as either. */
static bool read_number(const struct armtap_json_token *token, const struct armtap_field *field,
                        struct armtap_value *number)
{
    char name[MODE_NAME_MAX];
    if (token->kind == ARMTAP_JSON_NUMBER)
        armtap_json_number(token, number);
    if (token->kind != ARMTAP_JSON_STRING || token->length > sizeof name)
        return token->kind == ARMTAP_JSON_NUMBER;
    number->type = ARMTAP_INT64;
    return armtap_enum_number(field, name, armtap_json_text(token, name), ARMTAP_GENERATION_AUBO, &number->i64[0]);
}

static bool put_element(const struct armtap_field *field, double factor, const struct armtap_json_token *token,
                        unsigned i, struct armtap_value *to)
{
    struct armtap_value from;
    if (field->type == ARMTAP_BOOL) {
        to->u64[i] = token->kind == ARMTAP_JSON_TRUE;
        return token->kind == ARMTAP_JSON_TRUE || token->kind == ARMTAP_JSON_FALSE;
    }
    if (!read_number(token, field, &from))
        return false;
    switch (field->type) {
    case ARMTAP_DOUBLE:
        to->f64[i] = number_of(&from) * factor;
        return true;
    case ARMTAP_INT32:
        return put_signed(&from, INT32_MIN, INT32_MAX, &to->i64[i]);
    case ARMTAP_UINT8:
        return put_unsigned(&from, UINT8_MAX, &to->u64[i]);
    case ARMTAP_UINT32:
        return put_unsigned(&from, UINT32_MAX, &to->u64[i]);
    case ARMTAP_UINT64:
        return put_unsigned(&from, UINT64_MAX, &to->u64[i]);
    default:
        return false;
    }
}

/* Takes the next value as one of the field; false if type or count differ. A scalar may come as a list of one. */
static bool take_field(struct armtap_json *json, const struct armtap_field *field, struct armtap_value *value)
{
    double factor = topic_factor(field);
    struct armtap_json_token token;
    bool is_there = armtap_json_next(json, &token), is_list = is_there && token.kind == ARMTAP_JSON_ARRAY;
    if (is_list)
        is_there = armtap_json_next(json, &token);
    value->type = field->type;
    value->count = field->count;
    value->present = true;
    for (unsigned i = 0; i < field->count; i++) {
        if (!is_there || !put_element(field, factor, &token, i, value))
            return false;
        is_there = is_list && armtap_json_next(json, &token);
    }
    return is_list ? is_there && token.kind == ARMTAP_JSON_CLOSE : field->count == 1;
}

int armtap_aubo_values(struct armtap_aubo_reader *reader, const struct armtap_recipe *recipe,
                       const struct armtap_json_token *message, struct armtap_cells *cells, bool *fits)
{
    struct armtap_json json = armtap_json_inside(message);
    struct armtap_json_token element;
    int error = armtap_cells_begin(cells, recipe->count);
    *fits = false;
    armtap_json_value(&json, &element); /* the channel */
    for (size_t i = 0; i < recipe->count && error == ARMTAP_OK; i++) {
        const struct armtap_field *field = recipe->entries[i].field;
        const struct armtap_json here = json;
        struct armtap_value value;
        if (!field || !take_field(&json, field, &value)) {
            json = here;
            if (!armtap_json_value(&json, &element))
                return ARMTAP_OK;
            error = set_own(reader, &element, &value);
        }
        if (error == ARMTAP_OK)
            error = armtap_cells_put(cells, i, &value);
    }
    bool has_more = armtap_json_value(&json, &element);
    *fits = !has_more && !armtap_json_next(&json, &element) && json.fault == ARMTAP_JSON_FINE;
    return error;
}
