/* RTDE recipes as files: UR's XML, or plain lines "name type". recipe_file.h reads both. */
#ifndef RECIPE_RECIPE_WRITE_H
#define RECIPE_RECIPE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "armtap.h"

struct recipe_line {
    const char *name;
    const char *type; /* RTDE's name of the type */
};

/* The type of a field in RTDE protocol 2; "" if RTDE lacks the field. */
const char *recipe_write_type(const struct armtap_field *field);
/* Whether this may be a recipe's key: letters, digits, '_', '-' and '.'. */
bool recipe_write_is_key(const char *key);
/* Write the form that UR's own clients read. Characters that it cannot hold become '?'; both return the number of names
 * changed. */
size_t recipe_write_xml(FILE *file, const char *key, const struct recipe_line *lines, size_t count);
size_t recipe_write_plain(FILE *file, const struct recipe_line *lines, size_t count);

/* Ranges of legacy columns as users write them: gnuplot's "2-7,32-37", Matlab's "[2:7 32:37]". */

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
