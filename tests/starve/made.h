/* What a run of the program leaves: its output, its messages, and the files in the folder made/. */
#ifndef STARVE_MADE_H
#define STARVE_MADE_H

#include <stdbool.h>

#include "support.h"

#define MADE_FILES_MAX 16

struct made_file {
    char name[256]; /* in made/, with the folders between */
    struct bytes content;
};

struct made {
    struct bytes out, err;
    struct made_file file[MADE_FILES_MAX]; /* by name */
    size_t count;
};

/* Empties made/, then writes the file `replaced`, unless it is NULL. 0, or -1 after a message. */
int made_prepare(const char *replaced);
/* 0, or -1 after a message. */
int made_read(struct made *made);
void made_free(struct made *made);

bool made_same(const struct made *one, const struct made *other);
/* Whether the output is the beginning of the usual one. */
bool made_output_begins(const struct made *usual, const struct made *made);
/* Whether each file in made/ is complete, or still the one from before the run; of a live source, OUT.partial may hold
 * the rows that came. */
bool made_is_clean(const struct made *usual, const struct made *made, bool is_live);

#endif
