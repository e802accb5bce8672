/* Makes the program's n-th allocation, write or read fail. The definitions of malloc, write, read ... replace the C
 * library's in everything that the program is linked with, including shared libraries and the C library itself. */
#ifndef STARVE_HOOKS_H
#define STARVE_HOOKS_H

#include <stdbool.h>

enum starve_kind { STARVE_MEMORY, STARVE_WRITE, STARVE_READ, STARVE_KINDS };

struct starve_plan {
    enum starve_kind kind;
    unsigned long at; /* which call, from 1; 0: none fails */
    bool later;       /* all later calls fail, too */
    int error;        /* errno of the failure; 0: the call does only a part of what was asked for */
    bool trace;       /* print on standard error where the call is */
};

/* Starts counting. Standard output and input become streams that use the calls counted here, because the C library's
 * own streams bypass them. 0, or -1. */
int starve_begin(const struct starve_plan *plan);
/* Stops what starve_begin started: nothing fails any more. `counts` gets the number of calls, by kind. */
void starve_end(unsigned long counts[STARVE_KINDS]);

#endif
