/* JSON as text: what info and fields print, and the strings of ndjson. */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Room that json_quote needs for a text of `length` bytes. */
#define JSON_QUOTED_MAX(length) (6 * (size_t)(length) + 2)

/* Writes the text with its quotes, escaped, hidden characters (utf8.h) too. NUL and a byte that is no UTF-8 become the
 * text \xHH. No terminating NUL. Returns the number of bytes written. */
size_t json_quote(char *to, const char *text, size_t length);
/* Writes JSON that came from elsewhere, what its strings hold escaped in the same way. The same room suffices. */
size_t json_mend(char *to, const char *json, size_t length);

/* A writer that puts the commas and line ends. Containers opened with `lines` have an element per line. */
#define JSON_DEPTH 16
struct json {
    FILE *file;
    unsigned depth;
    struct json_level {
        char close;
        bool lines, filled;
    } level[JSON_DEPTH];
    bool after_key;
};
void json_begin(struct json *json, FILE *file);
void json_end(struct json *json); /* closes all that is open, and the line */
void json_object(struct json *json, bool lines);
void json_array(struct json *json, bool lines);
void json_close(struct json *json);
void json_key(struct json *json, const char *key);
void json_text(struct json *json, const char *text); /* NULL: null */
void json_span(struct json *json, const char *text, size_t length);
void json_text_or_null(struct json *json, const char *text); /* "": null */
void json_unsigned(struct json *json, uint64_t number);
void json_signed(struct json *json, int64_t number);
/* number / 10^digits with all its digits: (1500, 3) is 1.500 */
void json_decimal(struct json *json, int64_t number, unsigned digits);
/* With the shortest digits that read back; what JSON cannot say (NaN, infinity) is null. */
void json_double(struct json *json, double number);
/* Digits as they are: of a finite number. */
void json_number(struct json *json, const char *digits);
void json_bool(struct json *json, bool truth);
void json_null(struct json *json);

#endif
