#include "aubo_json.h"

#include <stdlib.h>
#include <string.h>

#include "table/field.h"
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

/* The end of the string whose first quote is at `at`; the scanner saw its end. */
static size_t string_end(const char *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at + 1;
}

/* Finds the next word from *at on; false after the last. */
static bool next_word(const char *text, size_t length, size_t *at, size_t *end)
{
    size_t word = 0;
    while (*at < length && (word = armtap_aubo_word_length(text + *at, length - *at)) == 0)
        *at = text[*at] == '"' ? string_end(text, length, *at) : *at + 1;
    *end = *at + word;
    return *at < length;
}

/* Checks all words: counts those beyond json-c's range, or finds a wrong one. */
static bool check_words(const char *text, size_t length, size_t *beyond, size_t *wrong)
{
    size_t at = 0, end;
    *beyond = 0;
    for (; next_word(text, length, &at, &end); at = end) {
        enum armtap_aubo_word word = armtap_aubo_check_word(text + at, end - at);
        *wrong = at;
        if (word == ARMTAP_AUBO_WORD_WRONG)
            return false;
        *beyond += word == ARMTAP_AUBO_WORD_BEYOND_RANGE ? 1 : 0;
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

/* Makes a copy in which integers beyond json-c's range end in ".0", so that json-c reads them as doubles. */
static int copy_as_doubles(struct armtap_aubo_reader *reader, const char *text, size_t length, size_t beyond,
                           size_t *copied)
{
    size_t at = 0, end, from = 0, to = 0;
    if (make_room(reader, length + 2 * beyond) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    for (; next_word(text, length, &at, &end); at = end) {
        if (armtap_aubo_check_word(text + at, end - at) != ARMTAP_AUBO_WORD_BEYOND_RANGE)
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

/* ---- json-c ---- */

/* Puts a letter for each byte beyond ASCII, so that all versions find the same fault at the same place. */
static int copy_as_ascii(struct armtap_aubo_reader *reader, const char *text, size_t length)
{
    if (text != reader->copy && make_room(reader, length + 1) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < length; i++)
        reader->copy[i] = (unsigned char)text[i] < 0x80 ? text[i] : 'x';
    return ARMTAP_OK;
}

/* In its strict mode json-c 0.18 takes bytes beyond ASCII for control characters. So it is strict only about a text of
 * which armtap knows that it is not JSON, to say what is wrong. */
static int parse(struct armtap_aubo_reader *reader, const char *text, size_t length, struct json_object **message,
                 const char **wrong, size_t *at)
{
    size_t count;
    bool is_json = armtap_aubo_is_json((const uint8_t *)text, length, &count);
    if (!reader->tokener && !(reader->tokener = json_tokener_new_ex(ARMTAP_AUBO_DEPTH_MAX + 1)))
        return ARMTAP_ERR_MEMORY;
    if (!is_json && copy_as_ascii(reader, text, length) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    json_tokener_reset(reader->tokener);
    json_tokener_set_flags(reader->tokener, is_json ? 0 : JSON_TOKENER_STRICT);
    *message = json_tokener_parse_ex(reader->tokener, is_json ? text : reader->copy, (int)length);
    if (*message)
        return ARMTAP_OK;
    enum json_tokener_error error = json_tokener_get_error(reader->tokener);
    *wrong = error == json_tokener_continue ? "it does not end" : json_tokener_error_desc(error);
    *at = json_tokener_get_parse_end(reader->tokener);
    return error == json_tokener_success ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
}

int armtap_aubo_read(struct armtap_aubo_reader *reader, const uint8_t *bytes, size_t length,
                     struct json_object **message, const char **wrong, size_t *at)
{
    const char *text = (const char *)bytes;
    size_t beyond;
    *message = NULL;
    if (!check_words(text, length, &beyond, at)) {
        *wrong = "neither a number nor a word of JSON";
        return ARMTAP_OK;
    }
    if (beyond == 0)
        return parse(reader, text, length, message, wrong, at);
    size_t copied;
    int error = copy_as_doubles(reader, text, length, beyond, &copied);
    return error == ARMTAP_OK ? parse(reader, reader->copy, copied, message, wrong, at) : error;
}

/* ---- grammar ---- */

static bool is_hex(char c)
{
    return armtap_aubo_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of the escape at `text`, a backslash; 0 if JSON has no such escape. */
static size_t escape_length(const char *text, size_t length)
{
    if (length < 2 || text[1] == '\0' || !strchr("\"\\/bfnrtu", text[1]))
        return 0;
    if (text[1] != 'u')
        return 2;
    for (size_t i = 2; i < 6; i++)
        if (i >= length || !is_hex(text[i]))
            return 0;
    return 6;
}

/* Length of the string at `text`, a quote; 0 if it does not end or has a wrong escape. */
static size_t string_length(const char *text, size_t length)
{
    size_t at = 1, escape;
    while (at < length && text[at] != '"') {
        escape = text[at] == '\\' ? escape_length(text + at, length - at) : 1;
        if (escape == 0 || (unsigned char)text[at] < ' ')
            return 0;
        at += escape;
    }
    return at < length ? at + 1 : 0;
}

/* What may come next. */
enum { VALUE = 1, KEY = 2, COLON = 4, COMMA = 8, END = 16 };

struct grammar {
    unsigned expected;
    unsigned depth;
    uint64_t objects; /* bit d: the bracket open at depth d is an object */
    size_t count;     /* of commas in the outermost list */
};

static bool in_object(const struct grammar *grammar)
{
    return grammar->objects >> grammar->depth & 1;
}

static bool take_mark(struct grammar *grammar, char c)
{
    switch (c) {
    case '[':
    case '{':
        if (!(grammar->expected & VALUE) || grammar->depth == ARMTAP_AUBO_DEPTH_MAX)
            return false;
        grammar->depth++;
        grammar->objects &= ~(UINT64_C(1) << grammar->depth);
        grammar->objects |= (uint64_t)(c == '{') << grammar->depth;
        grammar->expected = c == '{' ? KEY | END : VALUE | END;
        return true;
    case ']':
    case '}':
        if (!(grammar->expected & END) || in_object(grammar) != (c == '}'))
            return false;
        grammar->depth--;
        grammar->expected = COMMA | END;
        return true;
    case ',':
        if (!(grammar->expected & COMMA))
            return false;
        grammar->expected = in_object(grammar) ? KEY : VALUE;
        grammar->count += grammar->depth == 1;
        return true;
    default:
        if (c != ':' || !(grammar->expected & COLON))
            return false;
        grammar->expected = VALUE;
        return true;
    }
}

/* Length of the word, string or mark at `text`; 0 if it is not allowed there. */
static size_t take_token(struct grammar *grammar, const char *text, size_t length)
{
    size_t word = armtap_aubo_word_length(text, length);
    if (word == 0 && *text != '"')
        return take_mark(grammar, *text) ? 1 : 0;
    if (word > 0 && !(grammar->expected & VALUE))
        return 0;
    if (word > 0 && armtap_aubo_check_word(text, word) == ARMTAP_AUBO_WORD_WRONG)
        return 0;
    if (word == 0 && !(grammar->expected & (VALUE | KEY)))
        return 0;
    grammar->expected = grammar->expected & VALUE ? COMMA | END : COLON;
    return word > 0 ? word : string_length(text, length);
}

bool armtap_aubo_is_json(const uint8_t *bytes, size_t length, size_t *count)
{
    const char *text = (const char *)bytes;
    struct grammar grammar = {.expected = VALUE};
    size_t token, tokens = 0;
    for (size_t at = 0; at < length; at += token) {
        token = armtap_aubo_is_space(text[at]) ? 1 : take_token(&grammar, text + at, length - at);
        if (token == 0)
            return false;
        tokens += !armtap_aubo_is_space(text[at]);
        if (grammar.depth == 0) {
            *count = tokens > 2 ? grammar.count + 1 : 0;
            return at + 1 == length && (text[at] == ']' || text[at] == '}');
        }
    }
    return false;
}

/* ---- elements ---- */

void armtap_aubo_next(struct armtap_aubo_element *cursor, struct armtap_aubo_element *element)
{
    const char *text = cursor->text;
    size_t at = 1, depth = 0; /* after the bracket or the comma */
    while (at < cursor->length && armtap_aubo_is_space(text[at]))
        at++;
    size_t begin = at;
    while (at < cursor->length && (depth > 0 || (text[at] != ',' && text[at] != ']'))) {
        char c = text[at];
        if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth--;
        at = c == '"' ? string_end(text, cursor->length, at) : at + 1;
    }
    size_t end = at;
    while (end > begin && armtap_aubo_is_space(text[end - 1]))
        end--;
    *element = (struct armtap_aubo_element){text + begin, end - begin};
    cursor->text += at;
    cursor->length -= at;
}

static bool is_not_finite(const char *word, size_t length)
{
    return word[length - 1] == 'N' || word[length - 1] == 'y'; /* NaN, Infinity */
}

/* Copies an array or object without white space. JSON has no NaN and no Infinity: they become null. */
static int compact(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                   struct armtap_value *value)
{
    const char *text = element->text;
    size_t to = 0, end;
    if (make_room(reader, 2 * element->length) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    for (size_t at = 0; at < element->length; at = end) {
        size_t word = armtap_aubo_word_length(text + at, element->length - at);
        end = word > 0 ? at + word : at + 1;
        if (text[at] == '"')
            end = string_end(text, element->length, at);
        else if (armtap_aubo_is_space(text[at]))
            continue;
        bool is_null = word > 0 && is_not_finite(text + at, word);
        size_t length = is_null ? 4 : end - at;
        memcpy(reader->copy + to, is_null ? "null" : text + at, length);
        to += length;
    }
    value->type = ARMTAP_JSON;
    value->text = reader->copy;
    value->length = to;
    return ARMTAP_OK;
}

/* ---- strings ---- */

static uint32_t hex_number(const char *digits)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        number = number << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return number;
}

/* Writes a character as UTF-8; returns its length. */
static size_t put_character(char *to, uint32_t character)
{
    size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(marks[more] | character >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (character >> 6 * (more - i) & 0x3f));
    return more + 1;
}

static bool is_between(uint32_t number, uint32_t first, uint32_t last)
{
    return number >= first && number <= last;
}

/* Reads \uXXXX, or a surrogate pair of two; half a pair is U+FFFD. Returns the bytes used. */
static size_t read_character(const char *text, size_t length, uint32_t *character)
{
    uint32_t first = hex_number(text + 2);
    *character = is_between(first, 0xd800, 0xdfff) ? 0xfffd : first;
    if (!is_between(first, 0xd800, 0xdbff) || length < 12 || text[6] != '\\' || text[7] != 'u')
        return 6;
    uint32_t second = hex_number(text + 8);
    if (!is_between(second, 0xdc00, 0xdfff))
        return 6;
    *character = 0x10000 + ((first - 0xd800) << 10 | (second - 0xdc00));
    return 12;
}

/* The text of a string, without quotes and escapes. */
static int read_string(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                       struct armtap_value *value)
{
    static const char escapes[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    const char *text = element->text + 1;
    size_t length = element->length - 2, to = 0, step;
    value->type = ARMTAP_STRING;
    value->text = text;
    value->length = length;
    if (!memchr(text, '\\', length))
        return ARMTAP_OK;
    if (make_room(reader, length) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    for (size_t at = 0; at < length; at += step) {
        uint32_t character;
        step = text[at] == '\\' ? 2 : 1;
        if (step == 1) {
            reader->copy[to++] = text[at];
        } else if (text[at + 1] == 'u') {
            step = read_character(text + at, length - at, &character);
            to += put_character(reader->copy + to, character);
        } else {
            reader->copy[to++] = characters[strchr(escapes, text[at + 1]) - escapes];
        }
    }
    value->text = reader->copy;
    value->length = to;
    return ARMTAP_OK;
}

/* ---- values ---- */

int armtap_aubo_value(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                      struct armtap_value *value)
{
    value->present = true;
    value->count = 1;
    switch (element->text[0]) {
    case '[':
    case '{':
        return compact(reader, element, value);
    case '"':
        return read_string(reader, element, value);
    default:
        armtap_aubo_word_value(element->text, element->length, value);
        return ARMTAP_OK;
    }
}

static double number_of(const struct armtap_value *value)
{
    return value->type == ARMTAP_DOUBLE   ? value->f64[0]
           : value->type == ARMTAP_UINT64 ? (double)value->u64[0]
                                          : (double)value->i64[0];
}

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
    } else if (from->type == ARMTAP_UINT64 || (from->type == ARMTAP_INT64 && from->i64[0] >= 0)) {
        *to = from->u64[0];
    } else {
        return false;
    }
    return *to <= max;
}

/* Converts the name of a mode to its number; modes may come as either. */
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

static bool put_element(const struct armtap_field *field, double scale, struct armtap_value *from, unsigned i,
                        struct armtap_value *to)
{
    if (!from->present || !number_by_name(field, from))
        return false;
    bool is_number = from->type == ARMTAP_DOUBLE || from->type == ARMTAP_INT64 || from->type == ARMTAP_UINT64;
    switch (field->type) {
    case ARMTAP_DOUBLE:
        to->f64[i] = is_number ? number_of(from) * scale : 0;
        return is_number;
    case ARMTAP_INT32:
        return put_signed(from, INT32_MIN, INT32_MAX, &to->i64[i]);
    case ARMTAP_BOOL:
        to->u64[i] = from->u64[0];
        return from->type == ARMTAP_BOOL;
    case ARMTAP_UINT8:
        return put_unsigned(from, UINT8_MAX, &to->u64[i]);
    case ARMTAP_UINT32:
        return put_unsigned(from, UINT32_MAX, &to->u64[i]);
    case ARMTAP_UINT64:
        return put_unsigned(from, UINT64_MAX, &to->u64[i]);
    default:
        return false;
    }
}

int armtap_aubo_field_value(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                            const struct armtap_field *field, double scale, struct armtap_value *value, bool *fits)
{
    bool is_array = element->text[0] == '[';
    struct armtap_aubo_element cursor = *element, one = *element;
    struct armtap_value from;
    *fits = is_array || field->count == 1;
    value->type = field->type;
    value->count = field->count;
    value->present = true;
    for (unsigned i = 0; i < field->count && *fits; i++) {
        if (is_array)
            armtap_aubo_next(&cursor, &one);
        *fits = one.length > 0 && one.text[0] != '[' && one.text[0] != '{';
        int error = *fits ? armtap_aubo_value(reader, &one, &from) : ARMTAP_OK;
        if (error != ARMTAP_OK)
            return error;
        *fits = *fits && put_element(field, scale, &from, i, value);
    }
    *fits = *fits && (!is_array || cursor.length == 1); /* the closing bracket */
    return ARMTAP_OK;
}
