/* Sets equal names apart: the later one becomes the first free of NAME_2, NAME_3 ... */
#ifndef EXPORT_NAMES_APART_H
#define EXPORT_NAMES_APART_H

#include <stddef.h>

#include "base/numbers/number_text.h"

/* Bytes that a name may grow by, NUL included. */
#define NAMES_APART_ROOM (2 * (NUMBER_MAX + 1) + 1)

/* Names that no other may have; NULL after the last. Names have room to grow; those that are NULL are left alone. 0, or
 * -1 without memory. */
int names_set_apart(const char *const *reserved, char **names, size_t count);
/* Appends "_N" to a name with NUL. Returns its length. */
size_t name_append_number(char *name, size_t length, uint64_t number);

#endif
