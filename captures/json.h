/* Writes compact JSON text, as AUBO's controllers and their clients send it. The caller writes the commas. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    char *text; /* not terminated */
    size_t length;
    size_t capacity;
    bool full; /* something did not fit */
};

void json_text(struct json *json, const char *text);
void json_bytes(struct json *json, const char *bytes, size_t length);
/* The fewest digits that read back as the same number, always with a point or an exponent. */
void json_number(struct json *json, double number);
void json_integer(struct json *json, int64_t number);
void json_string(struct json *json, const char *text, size_t length);
/* [1.0,2.0] */
void json_numbers(struct json *json, const double *numbers, size_t count);

#endif
