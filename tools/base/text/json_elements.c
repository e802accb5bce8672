#include "json_elements.h"

#include <stdlib.h>
#include <string.h>

#include "json_writer.h"

static bool is_between(char c)
{
    return c == '[' || c == ']' || c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The end of the string that begins at `at`. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

static const char *object_end(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = string_end(at, end);
            continue;
        }
        depth += *at == '{';
        depth -= *at == '}';
        at++;
        if (depth == 0)
            break;
    }
    return at;
}

static const char *word_end(const char *at, const char *end)
{
    while (at < end && !is_between(*at) && *at != '}' && *at != ':' && *at != '"')
        at++;
    return at;
}

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static enum json_element_kind word_kind(const char *word, size_t length)
{
    if (word_is(word, length, "null"))
        return JSON_ELEMENT_NULL;
    if (word_is(word, length, "false"))
        return JSON_ELEMENT_FALSE;
    if (word_is(word, length, "true"))
        return JSON_ELEMENT_TRUE;
    for (size_t i = length > 1 && word[0] == '-' ? 1 : 0; i < length; i++)
        if (word[i] < '0' || word[i] > '9')
            return JSON_ELEMENT_NUMBER;
    return JSON_ELEMENT_WHOLE;
}

bool json_elements_begin(struct json_elements *elements, const struct armtap_value *value)
{
    if (!value->present || value->type != ARMTAP_JSON || value->length == 0 || value->text[0] != '[')
        return false;
    *elements = (struct json_elements){value->text, value->text + value->length};
    return true;
}

bool json_elements_next(struct json_elements *elements, struct json_element *element)
{
    const char *at = elements->at, *end = elements->end, *stop;
    while (at < end && is_between(*at))
        at++;
    if (at == end)
        return false;
    element->text = at;
    if (*at == '"') {
        stop = string_end(at, end);
        element->kind = JSON_ELEMENT_STRING;
    } else if (*at == '{') {
        stop = object_end(at, end);
        element->kind = JSON_ELEMENT_OBJECT;
    } else {
        stop = word_end(at, end);
        stop = stop == at ? at + 1 : stop;
        element->kind = word_kind(at, (size_t)(stop - at));
    }
    element->length = (size_t)(stop - at);
    elements->at = stop;
    return true;
}

size_t json_elements_count(const struct armtap_value *value)
{
    struct json_elements elements;
    struct json_element element;
    size_t count = 0;
    if (!json_elements_begin(&elements, value))
        return 0;
    while (json_elements_next(&elements, &element))
        count++;
    return count == 0 ? 1 : count;
}

double json_element_number(const struct json_element *element)
{
    char text[64], *copy = element->length < sizeof text ? text : malloc(element->length + 1);
    if (!copy)
        return 0;
    memcpy(copy, element->text, element->length);
    copy[element->length] = '\0';
    double number = strtod(copy, NULL);
    if (copy != text)
        free(copy);
    return number;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* The number that the four hexadecimal digits at `at` make; negative if one is missing. */
static long hex_at(const char *at, const char *end)
{
    static const char digits[] = "0123456789abcdef";
    long number = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *digit = at[i] == '\0' ? NULL : strchr(digits, at[i] >= 'A' && at[i] <= 'F' ? at[i] + 32 : at[i]);
        if (!digit)
            return -1;
        number = number * 16 + (digit - digits);
    }
    return number;
}

static void put_utf8(unsigned long code, struct buffer *out)
{
    unsigned char bytes[4];
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length; i-- > 1; code >>= 6)
        bytes[i] = (unsigned char)(0x80 | (code & 0x3F));
    bytes[0] = (unsigned char)(lead[length] | code);
    buffer_put(out, (const char *)bytes, length);
}

/* \uXXXX, or two of them for a UTF-16 surrogate pair; half a pair becomes U+FFFD. Returns where the text continues. */
static const char *put_unicode(const char *at, const char *end, struct buffer *out)
{
    long code = hex_at(at, end);
    if (code < 0) {
        buffer_char(out, 'u');
        return at;
    }
    at += 4;
    if (code >= 0xD800 && code <= 0xDBFF && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        long low = hex_at(at + 2, end);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            put_utf8(0x10000 + (unsigned long)(code - 0xD800) * 0x400 + (unsigned long)(low - 0xDC00), out);
            return at + 6;
        }
    }
    put_utf8(code >= 0xD800 && code <= 0xDFFF ? 0xFFFD : (unsigned long)code, out);
    return at;
}

void json_element_text(const struct json_element *element, struct buffer *out)
{
    static const char letters[] = "bfnrt", plain[] = "\b\f\n\r\t";
    const char *at = element->text + 1, *end = element->text + element->length;
    end -= element->length > 1 && end[-1] == '"';
    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        if (!escape || escape + 1 == end) {
            buffer_put(out, at, (size_t)(end - at));
            return;
        }
        buffer_put(out, at, (size_t)(escape - at));
        const char *letter = escape[1] == '\0' ? NULL : strchr(letters, escape[1]);
        at = escape + 2;
        if (escape[1] == 'u')
            at = put_unicode(at, end, out);
        else
            buffer_char(out, letter ? plain[letter - letters] : escape[1]);
    }
}

void json_elements_copy(const char *json, size_t length, struct buffer *out)
{
    char *room = buffer_room(out, JSON_QUOTED_MAX(length));
    if (room)
        out->length += json_mend(room, json, length);
}
