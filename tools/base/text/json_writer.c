#include "json_writer.h"

#include "base64.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/number_text.h"
#include "utf8.h"

/* Room for a number of 64 bits. */
#define DIGITS 24

static const char hex[] = "0123456789abcdef";

static size_t put_unit(char *to, uint32_t unit)
{
    memcpy(to, "\\u", 2);
    for (unsigned i = 0; i < 4; i++)
        to[2 + i] = hex[unit >> (12 - 4 * i) & 15];
    return 6;
}

/* \uXXXX, two of them above 16 bits. */
static size_t put_escaped(char *to, uint32_t character)
{
    if (character < 0x10000)
        return put_unit(to, character);
    put_unit(to, 0xD800 + ((character - 0x10000) >> 10));
    return 6 + put_unit(to + 6, 0xDC00 + (character & 0x3FF));
}

/* The text \xHH, as in the other formats: JSON cannot hold the byte. */
static size_t put_byte(char *to, unsigned char byte)
{
    memcpy(to, "\\\\x", 3);
    to[3] = hex[byte >> 4];
    to[4] = hex[byte & 15];
    return 5;
}

/* Writes a character that has no meaning in JSON; returns its length in the text, in bytes. */
static size_t put_character(char *to, size_t *out, const char *text, size_t left)
{
    uint32_t character;
    if (*text >= ' ' && *text <= '~') {
        to[(*out)++] = *text;
        return 1;
    }
    size_t length = utf8_character(text, left, &character);
    if (length == 0 || character == 0) {
        *out += put_byte(to + *out, (unsigned char)*text);
        return 1;
    }
    if (utf8_is_hidden(character)) {
        *out += put_escaped(to + *out, character);
    } else {
        memcpy(to + *out, text, length);
        *out += length;
    }
    return length;
}

size_t json_mend(char *to, const char *json, size_t length)
{
    static const char nul[] = "\\u0000";
    size_t out = 0;
    for (size_t i = 0; i < length;) {
        if (json[i] != '\\' || i + 1 == length) {
            i += put_character(to, &out, json + i, length - i);
        } else if (length - i >= strlen(nul) && memcmp(json + i, nul, strlen(nul)) == 0) {
            out += put_byte(to + out, 0);
            i += strlen(nul);
        } else {
            to[out++] = json[i++];
            to[out++] = json[i++];
        }
    }
    return out;
}

size_t json_quote(char *to, const char *text, size_t length)
{
    static const char raw[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    size_t out = 0;
    to[out++] = '"';
    for (size_t i = 0; i < length;) {
        if (text[i] > '\\' && text[i] <= '~') { /* nearly every character */
            to[out++] = text[i++];
            continue;
        }
        const char *found = text[i] == '\0' ? NULL : strchr(raw, text[i]);
        if (!found) {
            i += put_character(to, &out, text + i, length - i);
        } else {
            to[out++] = '\\';
            to[out++] = letters[found - raw];
            i++;
        }
    }
    to[out++] = '"';
    return out;
}

void json_put_quoted(struct buffer *out, const char *text, size_t length)
{
    char *to = buffer_room(out, JSON_QUOTED_MAX(length));
    if (to)
        out->length += json_quote(to, text, length);
}

void json_put_mended(struct buffer *out, const char *json, size_t length)
{
    char *to = buffer_room(out, JSON_QUOTED_MAX(length));
    if (to)
        out->length += json_mend(to, json, length);
}

void json_begin(struct json *json, FILE *file)
{
    *json = (struct json){.file = file};
}

void json_begin_text(struct json *json, struct buffer *text)
{
    *json = (struct json){.text = text};
}

static void put(struct json *json, const char *bytes, size_t length)
{
    if (json->text)
        buffer_put(json->text, bytes, length);
    else
        fwrite(bytes, 1, length, json->file);
}

static void put_char(struct json *json, char character)
{
    put(json, &character, 1);
}

static void put_string(struct json *json, const char *string)
{
    put(json, string, strlen(string));
}

static void line(struct json *json)
{
    put_char(json, '\n');
    for (unsigned i = 0; i < json->depth; i++)
        put_string(json, "  ");
}

/* Writes what goes between the last element and the next one. */
static void separate(struct json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    struct json_level *level = &json->level[json->depth - 1];
    if (level->filled)
        put_char(json, ',');
    if (level->lines)
        line(json);
    else if (level->filled)
        put_char(json, ' ');
    level->filled = true;
}

static void open_level(struct json *json, char open, char close, bool lines)
{
    separate(json);
    if (json->depth == JSON_DEPTH)
        abort();
    put_char(json, open);
    json->level[json->depth++] = (struct json_level){.close = close, .lines = lines};
}

void json_object(struct json *json, bool lines)
{
    open_level(json, '{', '}', lines);
}

void json_array(struct json *json, bool lines)
{
    open_level(json, '[', ']', lines);
}

void json_close(struct json *json)
{
    struct json_level level = json->level[--json->depth];
    if (level.lines && level.filled)
        line(json);
    put_char(json, level.close);
}

void json_end(struct json *json)
{
    while (json->depth > 0)
        json_close(json);
    put_char(json, '\n');
}

void json_key(struct json *json, const char *key)
{
    json_text(json, key);
    put_string(json, ": ");
    json->after_key = true;
}

/* The length in bytes of the whole characters that fit into `room`. */
static size_t whole_characters(const char *text, size_t length, size_t room)
{
    uint32_t character;
    size_t at = 0, size;
    for (; at < length; at += size == 0 ? 1 : size) {
        size = utf8_character(text + at, length - at, &character);
        if (at + size > room)
            break;
    }
    return at < room ? at : room;
}

void json_span(struct json *json, const char *text, size_t length)
{
    char quoted[JSON_QUOTED_MAX(64)];
    separate(json);
    put_char(json, '"');
    for (size_t done = 0; done < length;) {
        size_t part = whole_characters(text + done, length - done, 64);
        size_t length_quoted = json_quote(quoted, text + done, part);
        put(json, quoted + 1, length_quoted - 2);
        done += part;
    }
    put_char(json, '"');
}

void json_text(struct json *json, const char *text)
{
    if (!text)
        json_null(json);
    else
        json_span(json, text, strlen(text));
}

static void json_text_or_null(struct json *json, const char *text)
{
    json_text(json, *text == '\0' ? NULL : text);
}

void json_unsigned(struct json *json, uint64_t number)
{
    char digits[DIGITS];
    separate(json);
    put(json, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number));
}

void json_signed(struct json *json, int64_t number)
{
    char digits[DIGITS];
    separate(json);
    put(json, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, number));
}

void json_decimal(struct json *json, int64_t number, unsigned digits)
{
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    uint64_t scale = 1;
    char text[2 * DIGITS];
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    separate(json);
    int length = snprintf(text, sizeof text, "%s%" PRIu64, number < 0 ? "-" : "", size / scale);
    if (digits > 0)
        length += snprintf(text + length, DIGITS, ".%0*" PRIu64, (int)digits, size % scale);
    put(json, text, (size_t)length);
}

void json_double(struct json *json, double number)
{
    char text[NUMBER_MAX];
    if (number - number != 0) {
        json_null(json);
        return;
    }
    separate(json);
    put(json, text, number_repr(number, text));
}

void json_number(struct json *json, const char *digits)
{
    separate(json);
    put_string(json, digits);
}

void json_base64(struct json *json, const uint8_t *bytes, size_t length)
{
    char text[BASE64_LENGTH(48)];
    separate(json);
    put_char(json, '"');
    for (size_t at = 0; at < length; at += 48) {
        size_t part = length - at < 48 ? length - at : 48;
        base64_write(text, bytes + at, part);
        put(json, text, BASE64_LENGTH(part));
    }
    put_char(json, '"');
}

void json_bool(struct json *json, bool truth)
{
    separate(json);
    put_string(json, truth ? "true" : "false");
}

void json_null(struct json *json)
{
    separate(json);
    put_string(json, "null");
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

#define MEMBER(kind, type)                                                                                             \
    void json_member_##kind(struct json *json, const char *key, type value)                                            \
    {                                                                                                                  \
        json_key(json, key);                                                                                           \
        json_##kind(json, value);                                                                                      \
    }
MEMBER(text, const char *)
MEMBER(text_or_null, const char *)
MEMBER(unsigned, uint64_t)
MEMBER(signed, int64_t)
MEMBER(bool, bool)
MEMBER(array, bool)
MEMBER(object, bool)

void json_member_time(struct json *json, const char *key, int64_t time)
{
    json_key(json, key);
    if (time == ARMTAP_NO_TIME)
        json_null(json);
    else
        json_decimal(json, time, 9);
}
