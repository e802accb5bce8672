/* RTDE recipes as files: UR's XML, or plain lines "name type". recipe_file.h reads both. */
#ifndef RECIPE_RECIPE_WRITE_H
#define RECIPE_RECIPE_WRITE_H

#include <stdbool.h>
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

#endif
