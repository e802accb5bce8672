/* Reads rows on their way into a file, as parquet_rows_...() made them. */
#ifndef PARQUET_ROWS_H
#define PARQUET_ROWS_H

#include "types.h"

/* A column of some rows, while it is being read. */
struct parquet_run {
    const char *present; /* words of presence bits, in the machine's order */
    const char *values;  /* of the rows that are present, as in the file; a BOOL takes a byte */
};

/* How many bits are 1. */
size_t parquet_ones(uint64_t word);
/* Whether row `row` has a value. */
bool parquet_run_has(const struct parquet_run *run, size_t row);
/* Copies `count` presence bits, from row `from` on, to bit `at` of `bits`. Later bits of the last word become 0.
 * Returns how many are 1. */
size_t parquet_run_bits(const struct parquet_run *run, size_t from, size_t count, uint64_t *bits, size_t at);
/* The bytes of a text that begins here, with its length. */
size_t parquet_text_size(const char *text);
/* The number of rows. Sets `rows` to the first column. */
size_t parquet_rows_count(const char **rows);
/* Reads the column of that type, and sets `rows` to the next one. */
struct parquet_run parquet_rows_next(const char **rows, size_t count, enum parquet_type type);

#endif
