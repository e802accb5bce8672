#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_bytes(struct json *json, const char *bytes, size_t length)
{
    if (length > json->capacity - json->length) {
        json->full = true;
        return;
    }
    memcpy(json->text + json->length, bytes, length);
    json->length += length;
}

void json_text(struct json *json, const char *text)
{
    json_bytes(json, text, strlen(text));
}

void json_number(struct json *json, double number)
{
    char text[40];
    int digits = 1;
    snprintf(text, sizeof text, "%.0e", number);
    while (digits < 17 && strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.*e", digits++, number);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent >= -4 && exponent < 16)
        snprintf(text, sizeof text, "%.*f", digits - 1 - exponent > 1 ? digits - 1 - exponent : 1, number);
    json_text(json, text);
}

void json_integer(struct json *json, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    json_text(json, text);
}

void json_string(struct json *json, const char *text, size_t length)
{
    json_text(json, "\"");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            json_text(json, "\\");
        json_bytes(json, text + i, 1);
    }
    json_text(json, "\"");
}

void json_numbers(struct json *json, const double *numbers, size_t count)
{
    json_text(json, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            json_text(json, ",");
        json_number(json, numbers[i]);
    }
    json_text(json, "]");
}
