/* Writes JSON: what info and fields print, and the strings of ndjson. */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "armtap.h"
#include "buffer.h"

/* The bytes that json_quote may write for a text of `length` bytes. */
#define JSON_QUOTED_MAX(length) (6 * (size_t)(length) + 2)

/* Writes the text quoted and escaped, hidden characters (utf8.h) included. NUL and bytes that are not UTF-8 become the
 * text \xHH. Writes no terminating NUL. Returns the number of bytes written. */
size_t json_quote(char *to, const char *text, size_t length);
/* Writes JSON from elsewhere with its strings escaped in the same way. Needs the same room. */
size_t json_mend(char *to, const char *json, size_t length);
/* The same, appended to a growing text. */
void json_put_quoted(struct buffer *out, const char *text, size_t length);
void json_put_mended(struct buffer *out, const char *json, size_t length);

/* A writer that adds commas and line ends. Containers opened with `lines` have one element per line. */
#define JSON_DEPTH 16
struct json {
    FILE *file;
    struct buffer *text; /* in place of the file; NULL: the file */
    unsigned depth;
    struct json_level {
        char close;
        bool lines, filled;
    } level[JSON_DEPTH];
    bool after_key;
};
void json_begin(struct json *json, FILE *file);
/* Appends to a text instead, whose owner asks afterwards whether it has failed. */
void json_begin_text(struct json *json, struct buffer *text);
void json_end(struct json *json); /* closes all open containers and ends the line */
void json_object(struct json *json, bool lines);
void json_array(struct json *json, bool lines);
void json_close(struct json *json);
void json_key(struct json *json, const char *key);
void json_text(struct json *json, const char *text); /* NULL: null */
void json_span(struct json *json, const char *text, size_t length);
void json_unsigned(struct json *json, uint64_t number);
void json_signed(struct json *json, int64_t number);
/* number / 10^digits with all digits: (1500, 3) is 1.500 */
void json_decimal(struct json *json, int64_t number, unsigned digits);
/* The shortest digits that read back as the same number; NaN and infinity, which JSON lacks, become null. */
void json_double(struct json *json, double number);
/* The digits of a finite number, unchanged. */
void json_number(struct json *json, const char *digits);
/* As base64 text. */
void json_base64(struct json *json, const uint8_t *bytes, size_t length);
void json_bool(struct json *json, bool truth);
void json_null(struct json *json);

/* Members of an object: the key, and the value as above. */
void json_member_text(struct json *json, const char *key, const char *text);
void json_member_text_or_null(struct json *json, const char *key, const char *text); /* "": null */
void json_member_unsigned(struct json *json, const char *key, uint64_t number);
void json_member_signed(struct json *json, const char *key, int64_t number);
void json_member_bool(struct json *json, const char *key, bool truth);
void json_member_array(struct json *json, const char *key, bool lines);
void json_member_object(struct json *json, const char *key, bool lines);
/* Seconds since the epoch; null without a time. */
void json_member_time(struct json *json, const char *key, int64_t time);

#endif
