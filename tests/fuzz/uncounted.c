/* In place of counting.c, where nothing counts: everything costs 0. */
#include "work.h"

void cost_begin(void)
{
}

struct cost cost_end(void)
{
    return (struct cost){0, 0, 0};
}

void cost_keep(const struct costly *input, uint64_t share)
{
    (void)input, (void)share;
}
