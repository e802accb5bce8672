/* Ranges of legacy columns as users write them: gnuplot's "2-7,32-37", Matlab's "[2:7 32:37]". */
#ifndef RECIPE_COLUMN_RANGES_H
#define RECIPE_COLUMN_RANGES_H

#include <stddef.h>

/* More than any layout has: the longest packet holds 511 doubles. */
#define COLUMNS_MAX 512

/* Columns in the order given, each once. Column n is the n-th double after the packet's length word, from 1. */
struct columns {
    unsigned number[COLUMNS_MAX];
    size_t count;
};

/* Adds a column from 1 to COLUMNS_MAX, if it is not there yet. */
void columns_add(struct columns *columns, unsigned number);
/* Reads N, FIRST-LAST, FIRST:LAST and FIRST:STEP:LAST, separated by commas, semicolons or blanks, with or without
 * brackets; columns go from 1 to `last`. 0, or -1 after a message. */
int columns_parse(const char *text, unsigned last, struct columns *columns);

#endif
