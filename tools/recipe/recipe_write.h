/* RTDE recipes as files: UR's XML, or plain lines "name type". recipe_file.h reads both. */
#ifndef RECIPE_RECIPE_WRITE_H
#define RECIPE_RECIPE_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "armtap.h"

struct recipe_line {
    const char *name;
    const char *type; /* as RTDE calls it */
};

/* What a controller of RTDE protocol 2 calls the type of a field of the table; "" for one that RTDE lacks. */
const char *recipe_write_type(const struct armtap_field *field);
/* Whether a recipe may be called so: letters, digits, '_', '-' and '.'. */
bool recipe_write_is_key(const char *key);
/* As UR's own clients read it. Characters that the form cannot carry become '?': both return in how many names. */
size_t recipe_write_xml(FILE *file, const char *key, const struct recipe_line *lines, size_t count);
size_t recipe_write_plain(FILE *file, const struct recipe_line *lines, size_t count);

#endif
