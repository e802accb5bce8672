/* Texts as MATLAB has them, UTF-16, from valid UTF-8 and JSON. */
#ifndef MATLAB_TEXTS_H
#define MATLAB_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/* Beyond it, doubles skip whole numbers. */
#define MATLAB_WHOLE_MAX ((uint64_t)1 << 53)

/* What JSON texts are. */
enum matlab_json_kind {
    MATLAB_JSON_NUMBER = 1,
    MATLAB_JSON_TRUTH = 2,
    MATLAB_JSON_STRING = 4,
    MATLAB_JSON_OTHER = 8 /* arrays, and whole numbers that a double cannot hold */
};

enum matlab_json_kind matlab_json_kind_of(const char *text, size_t length);
/* UTF-16 units. */
size_t matlab_text_units(const char *text, size_t length);
/* The same of a JSON string, without its quotes and escapes. */
size_t matlab_json_text_units(const char *text, size_t length);
/* Stores a text as UTF-16 units, at most `room`, with a stride. Returns how many. */
size_t matlab_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room);
/* The same for a JSON string. */
size_t matlab_json_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room);

#endif
