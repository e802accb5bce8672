/* Reads rows on their way into a file, as matlab_rows_...() made them. */
#ifndef MATLAB_ROWS_H
#define MATLAB_ROWS_H

#include "types.h"

/* A column of some rows. */
struct matlab_run {
    const char *present; /* words of presence bits */
    const char *values;  /* of all rows, 0 where absent; of texts: those that are present, each after its length */
    size_t bytes;        /* of the values */
    bool has_absent;
    bool is_wide;      /* a whole number that a double cannot hold */
    unsigned kinds;    /* of JSON: matlab_json_kind */
    size_t characters; /* of the longest text */
};

/* What JSON texts are. */
enum matlab_json_kind {
    MATLAB_JSON_NUMBER = 1,
    MATLAB_JSON_TRUTH = 2,
    MATLAB_JSON_STRING = 4,
    MATLAB_JSON_OTHER = 8 /* arrays, and whole numbers that a double cannot hold */
};

static inline size_t matlab_words_of(size_t rows)
{
    return (rows + 63) / 64;
}

size_t matlab_rows_count(const char **rows);
/* Reads a column, and sets `rows` to the next one. */
struct matlab_run matlab_rows_next(const char **rows, size_t count);
/* The text at *at; sets *at to the next one. */
const char *matlab_text_next(const char **at, size_t *length);
/* Copies bits `from` to from + count - 1 of `words` to bit `at` and on of `bits`, whose later bits in the last word
 * become 0. */
void matlab_bits_copy(const char *words, size_t from, size_t count, uint64_t *bits, size_t at);
/* UTF-16 units of valid UTF-8. */
size_t matlab_text_units(const char *text, size_t length);
/* Stores valid UTF-8 as UTF-16 units, at most `room`, with a stride. Returns how many. */
size_t matlab_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room);
/* The same for a JSON string, without its quotes and escapes. */
size_t matlab_json_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room);

#endif
