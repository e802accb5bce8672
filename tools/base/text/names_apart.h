/* Sets equal names apart: the later one becomes the first free of NAME_2, NAME_3 ... */
#ifndef BASE_NAMES_APART_H
#define BASE_NAMES_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/numbers/number_text.h"

/* Bytes that a name may grow by, NUL included. */
#define NAMES_APART_ROOM (2 * (NUMBER_MAX + 1) + 1)

/* The names that are taken. All zeros: none are. */
struct names_apart {
    bool ignores_case; /* of ASCII letters */
    void *tree;        /* of tsearch() */
};

void names_apart_free(struct names_apart *names);
/* Takes the name, changed if it is taken: then its beginning is cut as far as no name may be longer than `most`. It has
 * NAMES_APART_ROOM to grow, or up to `most`. 0, or -1 without memory. */
int names_apart_take(struct names_apart *names, char *name, size_t most);
/* Sets some apart, of which those that need no change get their names first. Names that none may have: `reserved`, NULL
 * after the last. Of `all`, those that are NULL are left alone. 0, or -1 without memory. */
int names_set_apart(const char *const *reserved, char **all, size_t count);
/* Appends "_N" to a name with NUL. Returns its length. */
size_t name_append_number(char *name, size_t length, uint64_t number);

#endif
