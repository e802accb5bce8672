#include "json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "utf8.h"

static size_t escape(char *to, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = byte == 0 ? NULL : strchr(plain, byte);
    to[0] = '\\';
    if (found != NULL) {
        to[1] = letters[found - plain];
        return 2;
    }
    memcpy(to + 1, "u00", 3);
    to[4] = hex[byte >> 4];
    to[5] = hex[byte & 15];
    return 6;
}

/* Writes the sequence at `text`, or U+FFFD; returns how many bytes were read. */
static size_t copy_sequence(char *to, size_t *out, const char *text, size_t left)
{
    size_t sequence = utf8_length((const unsigned char *)text, left);
    if (sequence == 0)
        memcpy(to + *out, "\xEF\xBF\xBD", 3);
    else
        memcpy(to + *out, text, sequence);
    *out += sequence == 0 ? 3 : sequence;
    return sequence == 0 ? 1 : sequence;
}

size_t json_mend(char *to, const char *json, size_t length)
{
    size_t out = 0;
    for (size_t i = 0; i < length;) {
        if ((unsigned char)json[i] < 0x80)
            to[out++] = json[i++];
        else
            i += copy_sequence(to, &out, json + i, length - i);
    }
    return out;
}

size_t json_quote(char *to, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t out = 0;
    to[out++] = '"';
    for (size_t i = 0; i < length;) {
        if (bytes[i] < 0x20 || bytes[i] == 0x7F || bytes[i] == '"' || bytes[i] == '\\') {
            out += escape(to + out, bytes[i++]);
        } else if (bytes[i] < 0x80) {
            to[out++] = text[i++];
        } else {
            i += copy_sequence(to, &out, text + i, length - i);
        }
    }
    to[out++] = '"';
    return out;
}

void json_begin(struct json *json, FILE *file)
{
    *json = (struct json){.file = file};
}

static void line(struct json *json)
{
    putc('\n', json->file);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->file);
}

/* What stands between the element before and the next one. */
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
        putc(',', json->file);
    if (level->lines)
        line(json);
    else if (level->filled)
        putc(' ', json->file);
    level->filled = true;
}

static void open_level(struct json *json, char open, char close, bool lines)
{
    separate(json);
    if (json->depth == JSON_DEPTH)
        abort();
    putc(open, json->file);
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
    putc(level.close, json->file);
}

void json_end(struct json *json)
{
    while (json->depth > 0)
        json_close(json);
    putc('\n', json->file);
}

void json_key(struct json *json, const char *key)
{
    json_text(json, key);
    fputs(": ", json->file);
    json->after_key = true;
}

void json_span(struct json *json, const char *text, size_t length)
{
    char quoted[JSON_QUOTED_MAX(64)];
    separate(json);
    putc('"', json->file);
    for (size_t done = 0; done < length;) {
        size_t part = length - done < 64 ? length - done : 64;
        /* A sequence must not be cut at the end of a part. */
        if (part == 64)
            while (part > 60 && ((unsigned char)text[done + part] & 0xC0) == 0x80)
                part--;
        size_t length_quoted = json_quote(quoted, text + done, part);
        fwrite(quoted + 1, 1, length_quoted - 2, json->file);
        done += part;
    }
    putc('"', json->file);
}

void json_text(struct json *json, const char *text)
{
    if (text == NULL)
        json_null(json);
    else
        json_span(json, text, strlen(text));
}

void json_text_or_null(struct json *json, const char *text)
{
    json_text(json, *text == '\0' ? NULL : text);
}

void json_unsigned(struct json *json, uint64_t number)
{
    separate(json);
    fprintf(json->file, "%" PRIu64, number);
}

void json_signed(struct json *json, int64_t number)
{
    separate(json);
    fprintf(json->file, "%" PRId64, number);
}

void json_decimal(struct json *json, int64_t number, unsigned digits)
{
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    uint64_t scale = 1;
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    separate(json);
    fprintf(json->file, "%s%" PRIu64, number < 0 ? "-" : "", size / scale);
    if (digits > 0)
        fprintf(json->file, ".%0*" PRIu64, (int)digits, size % scale);
}

void json_double(struct json *json, double number)
{
    char text[NUMBER_MAX];
    if (number - number != 0) {
        json_null(json);
        return;
    }
    separate(json);
    fwrite(text, 1, number_repr(number, text), json->file);
}

void json_number(struct json *json, const char *digits)
{
    separate(json);
    fputs(digits, json->file);
}

void json_bool(struct json *json, bool truth)
{
    separate(json);
    fputs(truth ? "true" : "false", json->file);
}

void json_null(struct json *json)
{
    separate(json);
    fputs("null", json->file);
}
