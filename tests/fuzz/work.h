/* What an input costs: counted instead of timed, so a busy machine does not matter. Only the build by tests/fuzz/run
 * counts, by counting.c; elsewhere uncounted.c is linked, and everything costs 0. */
#ifndef FUZZ_WORK_H
#define FUZZ_WORK_H

#include <stddef.h>
#include <stdint.h>

struct cost {
    uint64_t work;   /* edges of the project's code and work of libraries: see counting.c */
    uint64_t memory; /* bytes held at most */
    uint64_t output; /* bytes written, as the target counts them */
};

void cost_begin(void);
struct cost cost_end(void);
struct costly {
    const char *what; /* the action on the capture */
    unsigned class;   /* below COST_CLASSES: the fuzzer searches each class separately for costly inputs */
    uint64_t bytes;
    const uint8_t *operations;
    size_t length;
};
#define COST_CLASSES 16

/* Tells the fuzzer how close the cost comes to what is allowed, and fails beyond. With FUZZ_COSTS in the environment it
 * prints both; with FUZZ_COSTS=only it does not fail. */
void cost_judge(const struct costly *input, const struct cost *cost, const struct cost *allowed);

/* Keeps the input if it took an edge more often than any before, or if `share` is the largest of its class. */
void cost_keep(const struct costly *input, uint64_t share);
/* Copies one of the inputs kept to `to`; returns its length, 0 if there is none. */
size_t cost_costly(uint8_t *to, size_t room, uint32_t random);

#endif
