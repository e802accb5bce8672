/* Makes the n-th allocation, or the n-th system call that writes or reads, of the program fail. Its definitions of
 * malloc, write, read ... take the place of the C library's for all that the program is linked with, the shared
 * libraries and the C library itself included. */
#ifndef STARVE_HOOKS_H
#define STARVE_HOOKS_H

#include <stdbool.h>

enum starve_kind { STARVE_MEMORY, STARVE_WRITE, STARVE_READ, STARVE_KINDS };

struct starve_plan {
    enum starve_kind kind;
    unsigned long at; /* which call, from 1; 0: none fails */
    bool later;       /* those after it fail, too */
    int error;        /* what they fail with; 0: they do a part of what they were asked for */
    bool trace;       /* say on standard error where it was */
};

/* Begins to count. Standard output and input become streams that end in the calls counted here: what the C library
 * writes of its own goes past them. 0, or -1. */
int starve_begin(const struct starve_plan *plan);
/* Ends what starve_begin began: nothing fails any more. Calls so far, by kind, are in `counts`. */
void starve_end(unsigned long counts[STARVE_KINDS]);

#endif
