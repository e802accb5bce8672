#include "aubo_json.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/field.h"
#include "aubo_scan.h"

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_64 18446744073709551616.0

void armtap_aubo_reader_free(struct armtap_aubo_reader *reader)
{
    if (reader->tokener)
        json_tokener_free(reader->tokener);
    free(reader->copy);
    *reader = (struct armtap_aubo_reader){NULL, NULL, 0};
}

/* ---- words: numbers, true, false, null ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

static size_t digits_at(const char *text, size_t length, size_t at)
{
    size_t count = 0;
    while (at + count < length && is_digit(text[at + count]))
        count++;
    return count;
}

/* A whole number that neither int64_t nor uint64_t holds. */
static bool is_beyond_range(const char *digits, size_t count, bool negative)
{
    const char *limit = negative ? "9223372036854775808" : "18446744073709551615";
    size_t longest = strlen(limit);
    return count > longest || (count == longest && memcmp(digits, limit, count) > 0);
}

enum word { WORD_WRONG, WORD_PLAIN, WORD_BEYOND_RANGE };

/* JSON's grammar of numbers; json-c's is wider. */
static enum word judge_number(const char *text, size_t length)
{
    size_t at = text[0] == '-' ? 1 : 0;
    size_t whole = digits_at(text, length, at);
    if (whole == 0 || (whole > 1 && text[at] == '0'))
        return WORD_WRONG;
    const char *digits = text + at;
    at += whole;
    if (at == length)
        return is_beyond_range(digits, whole, text[0] == '-') ? WORD_BEYOND_RANGE : WORD_PLAIN;
    if (text[at] == '.') {
        size_t fraction = digits_at(text, length, at + 1);
        if (fraction == 0)
            return WORD_WRONG;
        at += 1 + fraction;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-'))
            at++;
        size_t exponent = digits_at(text, length, at);
        if (exponent == 0)
            return WORD_WRONG;
        at += exponent;
    }
    return at == length ? WORD_PLAIN : WORD_WRONG;
}

static enum word judge_word(const char *text, size_t length)
{
    static const char *const names[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return WORD_PLAIN;
    return judge_number(text, length);
}

/* Steps over a string whose first quote stands at `at`; the scanner saw its end. */
static size_t string_end(const char *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at + 1;
}

/* Finds the next word from *at on; false behind the last. */
static bool next_word(const char *text, size_t length, size_t *at, size_t *end)
{
    while (*at < length && !is_word(text[*at]))
        *at = text[*at] == '"' ? string_end(text, length, *at) : *at + 1;
    for (*end = *at; *end < length && is_word(text[*end]); ++*end)
        ;
    return *at < length;
}

/* Looks at all words: how many json-c would not keep, or where one is wrong. */
static bool judge_words(const char *text, size_t length, size_t *beyond, size_t *wrong)
{
    size_t at = 0, end;
    *beyond = 0;
    for (; next_word(text, length, &at, &end); at = end) {
        enum word word = judge_word(text + at, end - at);
        *wrong = at;
        if (word == WORD_WRONG)
            return false;
        *beyond += word == WORD_BEYOND_RANGE ? 1 : 0;
    }
    return true;
}

static int make_room(struct armtap_aubo_reader *reader, size_t capacity)
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

/* A copy in which whole numbers beyond json-c's range end in ".0": it reads them as doubles then, and keeps them. */
static int copy_as_doubles(struct armtap_aubo_reader *reader, const char *text, size_t length, size_t beyond,
                           size_t *copied)
{
    size_t at = 0, end, from = 0, to = 0;
    if (make_room(reader, length + 2 * beyond) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    for (; next_word(text, length, &at, &end); at = end) {
        if (judge_word(text + at, end - at) != WORD_BEYOND_RANGE)
            continue;
        memcpy(reader->copy + to, text + from, end - from);
        to += end - from;
        memcpy(reader->copy + to, ".0", 2);
        to += 2;
        from = end;
    }
    memcpy(reader->copy + to, text + from, length - from);
    *copied = to + length - from;
    return ARMTAP_OK;
}

/* ---- a message ---- */

static int parse(struct armtap_aubo_reader *reader, const char *text, size_t length, struct json_object **message,
                 const char **wrong, size_t *at)
{
    if (!reader->tokener) {
        reader->tokener = json_tokener_new_ex(ARMTAP_AUBO_DEPTH_MAX + 1);
        if (!reader->tokener)
            return ARMTAP_ERR_MEMORY;
        json_tokener_set_flags(reader->tokener, JSON_TOKENER_STRICT);
    }
    json_tokener_reset(reader->tokener);
    *message = json_tokener_parse_ex(reader->tokener, text, (int)length);
    if (*message)
        return ARMTAP_OK;
    enum json_tokener_error error = json_tokener_get_error(reader->tokener);
    *wrong = error == json_tokener_continue ? "it has no end" : json_tokener_error_desc(error);
    *at = json_tokener_get_parse_end(reader->tokener);
    return error == json_tokener_success ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
}

int armtap_aubo_read(struct armtap_aubo_reader *reader, const uint8_t *bytes, size_t length,
                     struct json_object **message, const char **wrong, size_t *at)
{
    const char *text = (const char *)bytes;
    size_t beyond;
    *message = NULL;
    if (!judge_words(text, length, &beyond, at)) {
        *wrong = "neither a number nor a word of JSON";
        return ARMTAP_OK;
    }
    if (beyond == 0)
        return parse(reader, text, length, message, wrong, at);
    size_t copied;
    int error = copy_as_doubles(reader, text, length, beyond, &copied);
    return error == ARMTAP_OK ? parse(reader, reader->copy, copied, message, wrong, at) : error;
}

/* ---- elements ---- */

void armtap_aubo_next(struct armtap_aubo_element *cursor, struct armtap_aubo_element *element)
{
    size_t at = 1, depth = 0; /* behind the bracket or the comma before */
    while (at < cursor->length && (depth > 0 || (cursor->text[at] != ',' && cursor->text[at] != ']'))) {
        char c = cursor->text[at];
        if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth--;
        at = c == '"' ? string_end(cursor->text, cursor->length, at) : at + 1;
    }
    *element = (struct armtap_aubo_element){cursor->text + 1, at - 1};
    cursor->text += at;
    cursor->length -= at;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_no_number(const char *word, size_t length)
{
    return word[length - 1] == 'N' || word[length - 1] == 'y'; /* NaN, Infinity */
}

/* An array or object without white space. JSON has no NaN: null stands for it. */
static int compact(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                   struct armtap_value *value)
{
    const char *text = element->text;
    size_t to = 0, end;
    if (make_room(reader, 2 * element->length) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    for (size_t at = 0; at < element->length; at = end) {
        end = at + 1;
        if (text[at] == '"')
            end = string_end(text, element->length, at);
        else if (is_word(text[at]))
            next_word(text, element->length, &at, &end);
        else if (is_blank(text[at]))
            continue;
        bool is_null = is_word(text[at]) && is_no_number(text + at, end - at);
        size_t length = is_null ? 4 : end - at;
        memcpy(reader->copy + to, is_null ? "null" : text + at, length);
        to += length;
    }
    value->type = ARMTAP_JSON;
    value->text = reader->copy;
    value->length = to;
    return ARMTAP_OK;
}

/* ---- values ---- */

static void whole_number(struct json_object *json, struct armtap_value *value)
{
    uint64_t number = json_object_get_uint64(json); /* 0 where it is negative */
    value->type = number > INT64_MAX ? ARMTAP_UINT64 : ARMTAP_INT64;
    if (value->type == ARMTAP_UINT64)
        value->u64[0] = number;
    else
        value->i64[0] = json_object_get_int64(json);
}

/* False where it is none: an array, an object. */
static bool scalar(struct json_object *json, struct armtap_value *value)
{
    value->present = json != NULL;
    value->count = 1;
    switch (json_object_get_type(json)) {
    case json_type_boolean:
        value->type = ARMTAP_BOOL;
        value->u64[0] = json_object_get_boolean(json) != 0;
        return true;
    case json_type_int:
        whole_number(json, value);
        return true;
    case json_type_double:
        value->type = ARMTAP_DOUBLE;
        value->f64[0] = json_object_get_double(json);
        return true;
    case json_type_string:
        value->type = ARMTAP_STRING;
        value->text = json_object_get_string(json);
        value->length = (size_t)json_object_get_string_len(json);
        return true;
    case json_type_null:
        value->type = ARMTAP_JSON;
        return true;
    default:
        return false;
    }
}

int armtap_aubo_value(struct armtap_aubo_reader *reader, struct json_object *json,
                      const struct armtap_aubo_element *element, struct armtap_value *value)
{
    return scalar(json, value) ? ARMTAP_OK : compact(reader, element, value);
}

static double number_of(const struct armtap_value *value)
{
    return value->type == ARMTAP_DOUBLE   ? value->f64[0]
           : value->type == ARMTAP_UINT64 ? (double)value->u64[0]
                                          : (double)value->i64[0];
}

/* A whole number as a signed or unsigned one of the limits given; false where it is none, or beyond them. */
static bool put_signed(const struct armtap_value *from, int64_t least, int64_t most, int64_t *to)
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
    return *to >= least && *to <= most;
}

static bool put_unsigned(const struct armtap_value *from, uint64_t most, uint64_t *to)
{
    if (from->type == ARMTAP_DOUBLE) {
        double number = from->f64[0];
        if (!(number >= 0 && number < TWO_TO_64) || number != (double)(uint64_t)number)
            return false;
        *to = (uint64_t)number;
    } else if (from->type == ARMTAP_UINT64 || (from->type == ARMTAP_INT64 && from->i64[0] >= 0)) {
        *to = from->u64[0];
    } else {
        return false;
    }
    return *to <= most;
}

/* Modes come by number or by name. */
static bool number_by_name(const struct armtap_field *field, struct armtap_value *value)
{
    int64_t number;
    if (value->type != ARMTAP_STRING)
        return true;
    if (!armtap_enum_number(field, value->text, value->length, ARMTAP_GENERATION_AUBO, &number))
        return false;
    value->type = ARMTAP_INT64;
    value->i64[0] = number;
    return true;
}

static bool put_element(struct json_object *json, const struct armtap_field *field, double scale, unsigned i,
                        struct armtap_value *to)
{
    struct armtap_value from;
    if (!scalar(json, &from) || !from.present || !number_by_name(field, &from))
        return false;
    bool is_number = from.type == ARMTAP_DOUBLE || from.type == ARMTAP_INT64 || from.type == ARMTAP_UINT64;
    switch (field->type) {
    case ARMTAP_DOUBLE:
        to->f64[i] = is_number ? number_of(&from) * scale : 0;
        return is_number;
    case ARMTAP_INT32:
        return put_signed(&from, INT32_MIN, INT32_MAX, &to->i64[i]);
    case ARMTAP_BOOL:
        to->u64[i] = from.u64[0];
        return from.type == ARMTAP_BOOL;
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

bool armtap_aubo_field_value(struct json_object *json, const struct armtap_field *field, double scale,
                             struct armtap_value *value)
{
    bool is_array = json_object_is_type(json, json_type_array);
    size_t count = is_array ? json_object_array_length(json) : 1;
    value->type = field->type;
    value->count = field->count;
    value->present = true;
    if (count != field->count)
        return false;
    for (unsigned i = 0; i < field->count; i++)
        if (!put_element(is_array ? json_object_array_get_idx(json, i) : json, field, scale, i, value))
            return false;
    return true;
}
