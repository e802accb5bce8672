#include "json.h"

#include <string.h>

/* ---- single tokens ---- */

/* What may follow in a word or a number; anything else ends it. */
static bool is_in_word(char c)
{
    return armtap_json_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.';
}

static bool is_hex(char c)
{
    return armtap_json_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Where the name that begins at `at` ends; NULL if it is none. */
static const char *name_end(const char *at, const char *end, enum armtap_json_kind *kind)
{
    static const struct {
        const char *text;
        enum armtap_json_kind kind;
    } names[] = {{"null", ARMTAP_JSON_NULL},  {"false", ARMTAP_JSON_FALSE},     {"true", ARMTAP_JSON_TRUE},
                 {"NaN", ARMTAP_JSON_NUMBER}, {"Infinity", ARMTAP_JSON_NUMBER}, {"-Infinity", ARMTAP_JSON_NUMBER}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i].text);
        *kind = names[i].kind;
        if ((size_t)(end - at) >= length && memcmp(at, names[i].text, length) == 0)
            return at + length;
    }
    return NULL;
}

static const char *word_end(const char *at, const char *end, struct armtap_json_token *token)
{
    const char *digits = at + (*at == '-' && at + 1 < end);
    token->kind = ARMTAP_JSON_NUMBER;
    const char *word =
        armtap_json_is_digit(*digits) ? armtap_json_decimal(at, end, &token->decimal) : name_end(at, end, &token->kind);
    return word && (word == end || !is_in_word(*word)) ? word : NULL;
}

/* Where the escape at a backslash ends; NULL if JSON has no such escape. */
static const char *escape_end(const char *at, const char *end)
{
    if (end - at < 2 || at[1] == '\0' || !strchr("\"\\/bfnrtu", at[1]))
        return NULL;
    if (at[1] != 'u')
        return at + 2;
    for (int i = 2; i < 6; i++)
        if (end - at <= i || !is_hex(at[i]))
            return NULL;
    return at + 6;
}

/* Where the string at a quote ends; NULL with the fault. */
static const char *string_end(struct armtap_json *json)
{
    const char *at = json->at + 1, *next;
    for (; at < json->end && *at != '"'; at = next) {
        next = *at == '\\' ? escape_end(at, json->end) : at + 1;
        if (next && (unsigned char)*at >= ' ')
            continue;
        json->fault = next ? ARMTAP_JSON_BAD_BYTE : ARMTAP_JSON_BAD_ESCAPE;
        json->wrong = at;
        return NULL;
    }
    if (at < json->end)
        return at + 1;
    json->fault = ARMTAP_JSON_CUT;
    json->wrong = at;
    return NULL;
}

/* ---- grammar ---- */

/* What may come next. */
enum { VALUE = 1, KEY = 2, COLON = 4, COMMA = 8, CLOSE = 16 };

struct armtap_json armtap_json_begin(const char *text, size_t length)
{
    return (struct armtap_json){.at = text, .end = text + length, .expected = VALUE};
}

static bool fail(struct armtap_json *json, enum armtap_json_fault fault)
{
    json->fault = fault;
    json->wrong = json->at;
    return false;
}

static bool in_object(const struct armtap_json *json)
{
    return json->depth > 0 && json->objects >> (json->depth - 1) & 1;
}

/* After a value. */
static void complete(struct armtap_json *json)
{
    json->expected = json->depth > 0 ? COMMA | CLOSE : 0;
}

static bool open_bracket(struct armtap_json *json, enum armtap_json_kind kind)
{
    uint32_t bit = UINT32_C(1) << (json->depth % ARMTAP_JSON_DEPTH_MAX);
    if (!(json->expected & VALUE))
        return fail(json, ARMTAP_JSON_MISPLACED);
    if (json->depth == ARMTAP_JSON_DEPTH_MAX)
        return fail(json, ARMTAP_JSON_TOO_DEEP);
    json->depth++;
    json->objects = kind == ARMTAP_JSON_OBJECT ? json->objects | bit : json->objects & ~bit;
    json->expected = kind == ARMTAP_JSON_OBJECT ? KEY | CLOSE : VALUE | CLOSE;
    return true;
}

static bool close_bracket(struct armtap_json *json, bool brace)
{
    if (!(json->expected & CLOSE) || in_object(json) != brace)
        return fail(json, ARMTAP_JSON_MISPLACED);
    json->depth--;
    complete(json);
    return true;
}

static bool take_string(struct armtap_json *json, struct armtap_json_token *token)
{
    if (!(json->expected & (VALUE | KEY)))
        return fail(json, ARMTAP_JSON_MISPLACED);
    const char *end = string_end(json);
    if (!end)
        return false;
    token->length = (size_t)(end - json->at);
    token->kind = json->expected & KEY ? ARMTAP_JSON_KEY : ARMTAP_JSON_STRING;
    if (json->expected & KEY)
        json->expected = COLON;
    else
        complete(json);
    return true;
}

static bool take_word(struct armtap_json *json, struct armtap_json_token *token)
{
    if (!(json->expected & VALUE) || !is_in_word(*json->at))
        return fail(json, ARMTAP_JSON_MISPLACED);
    const char *end = word_end(json->at, json->end, token);
    if (!end)
        return fail(json, ARMTAP_JSON_BAD_WORD);
    token->length = (size_t)(end - json->at);
    complete(json);
    return true;
}

static bool take(struct armtap_json *json, struct armtap_json_token *token)
{
    token->kind = ARMTAP_JSON_CLOSE;
    token->text = json->at;
    token->length = 1;
    switch (*json->at) {
    case '[':
    case '{':
        token->kind = *json->at == '{' ? ARMTAP_JSON_OBJECT : ARMTAP_JSON_ARRAY;
        return open_bracket(json, token->kind);
    case ']':
    case '}':
        return close_bracket(json, *json->at == '}');
    case '"':
        return take_string(json, token);
    default:
        return take_word(json, token);
    }
}

/* A comma or colon. */
static bool separate(struct armtap_json *json)
{
    if (!(json->expected & (*json->at == ',' ? COMMA : COLON)))
        return fail(json, ARMTAP_JSON_MISPLACED);
    json->expected = *json->at == ',' && in_object(json) ? KEY : VALUE;
    return true;
}

bool armtap_json_next(struct armtap_json *json, struct armtap_json_token *token)
{
    for (; json->at < json->end; json->at++) {
        if (armtap_json_is_blank(*json->at))
            continue;
        if (*json->at == ',' || *json->at == ':') {
            if (!separate(json))
                return false;
            continue;
        }
        if (!take(json, token))
            return false;
        json->at += token->length;
        return true;
    }
    return json->expected != 0 && fail(json, ARMTAP_JSON_CUT);
}

bool armtap_json_value(struct armtap_json *json, struct armtap_json_token *value)
{
    unsigned depth = json->depth;
    struct armtap_json_token inner;
    if (!armtap_json_next(json, value))
        return false;
    if (json->depth > depth) {
        while (json->depth > depth && armtap_json_next(json, &inner)) {
        }
        value->length = (size_t)(json->at - value->text);
    }
    return json->depth == depth;
}

struct armtap_json armtap_json_inside(const struct armtap_json_token *value)
{
    struct armtap_json json = armtap_json_begin(value->text, value->length);
    struct armtap_json_token bracket;
    armtap_json_next(&json, &bracket);
    return json;
}

bool armtap_json_member(const struct armtap_json_token *object, const char *name, struct armtap_json_token *value)
{
    struct armtap_json json = armtap_json_inside(object);
    struct armtap_json_token key, member;
    bool found = false;
    while (armtap_json_value(&json, &key) && key.kind == ARMTAP_JSON_KEY && armtap_json_value(&json, &member)) {
        bool is_it = armtap_json_is(&key, name);
        found |= is_it;
        if (is_it)
            *value = member;
    }
    return found;
}

/* ---- strings ---- */

static uint32_t hex_number(const char *digits)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 4 | (uint32_t)(digits[i] <= '9' ? digits[i] - '0' : (digits[i] | 0x20) - 'a' + 10);
    return number;
}

/* The character of a \uXXXX, or of two that are a surrogate pair; advances *at. */
static uint32_t take_unicode(const char **at, const char *end)
{
    uint32_t first = hex_number(*at + 2), second = 0;
    *at += 6;
    if (first < 0xd800 || first > 0xdfff)
        return first;
    if (first < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u')
        second = hex_number(*at + 2);
    if (second < 0xdc00 || second > 0xdfff)
        return 0xfffd;
    *at += 6;
    return 0x10000 + ((first - 0xd800) << 10 | (second - 0xdc00));
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

/* Writes the character at *at, or one byte of it if it is not escaped; returns its length. */
static size_t take_character(const char **at, const char *end, char to[4])
{
    static const char letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    if (**at == '\\' && (*at)[1] == 'u')
        return put_character(to, take_unicode(at, end));
    to[0] = **at == '\\' ? characters[strchr(letters, (*at)[1]) - letters] : **at;
    *at += **at == '\\' ? 2 : 1;
    return 1;
}

size_t armtap_json_text(const struct armtap_json_token *string, char *to)
{
    const char *at = string->text + 1, *end = string->text + string->length - 1;
    size_t length = 0;
    while (at < end)
        length += take_character(&at, end, to + length);
    return length;
}

bool armtap_json_is(const struct armtap_json_token *string, const char *text)
{
    const char *at = string->text + 1, *end = string->text + string->length - 1;
    size_t left = strlen(text), length;
    char bytes[4];
    bool agrees = string->kind == ARMTAP_JSON_STRING || string->kind == ARMTAP_JSON_KEY;
    for (; agrees && at < end; text += length, left -= length) {
        length = take_character(&at, end, bytes);
        agrees = length <= left && memcmp(bytes, text, length) == 0;
        if (!agrees)
            return false;
    }
    return agrees && left == 0;
}
