/* What an input costs, counted, not timed: it is the same on a busy machine. Only the build of tests/fuzz/run that
 * links counting.c counts; elsewhere everything costs nothing. */
#ifndef FUZZ_WORK_H
#define FUZZ_WORK_H

#include <stddef.h>
#include <stdint.h>

struct cost {
    uint64_t work;   /* edges of the project's code, and what it asks of libraries: see counting.c */
    uint64_t memory; /* bytes held at most */
    uint64_t output; /* bytes written, as the target counts them */
};

void cost_begin(void);
struct cost cost_end(void);
struct costly {
    const char *what; /* was done with it */
    unsigned class;   /* below COST_CLASSES: the fuzzer looks for the costly ones of each class on their own */
    uint64_t bytes;
    const uint8_t *operations;
    size_t length;
};
#define COST_CLASSES 16

/* Tells the fuzzer how near the cost comes to what is allowed, and fails where it goes beyond. With FUZZ_COSTS in the
 * environment it prints both, and with FUZZ_COSTS=only it does not fail. */
void cost_judge(const struct costly *input, const struct cost *cost, const struct cost *allowed);

/* Keeps the input if it took an edge more often than any before, or `share` is more than any of its class had. */
void cost_keep(const struct costly *input, uint64_t share);
/* Copies one of those kept to `to`; returns its length, 0 where there is none. */
size_t cost_costly(uint8_t *to, size_t room, uint32_t random);

#endif
