/* How much of a sweep a test runs: a sample in `make check`, the same each time; all of it in `make check-all`, which
 * sets CHECK=all. */
#ifndef ARMTAP_TEST_SHARE_H
#define ARMTAP_TEST_SHARE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool checks_all(void)
{
    const char *check = getenv("CHECK");
    return check && strcmp(check, "all") == 0;
}

/* Returns `all` or `sample`, and prints which. */
static inline size_t share_of(size_t all, size_t sample, const char *what)
{
    size_t share = checks_all() ? all : sample;
    printf("%zu of %zu %s\n", share, all, what);
    return share;
}

#endif
