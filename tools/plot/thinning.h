/* A curve of any length in a bounded number of bins: of each, the first, smallest, largest and last value, so that a
 * picture with a column of pixels for each bin looks as if it had all points, with every spike. */
#ifndef PLOT_THINNING_H
#define PLOT_THINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bin_flag {
    BIN_HAS_VALUES = 1,
    BIN_BREAKS = 2,        /* the line from the bin before does not reach this one */
    BIN_IS_GAP = 4,        /* data is missing in it */
    BIN_MAX_BEFORE_MIN = 8 /* the largest value came before the smallest one */
};

struct bin {
    double first, min, max, last;
    unsigned flags;
};

/* Adds a later bin to an earlier one. */
void bin_merge(struct bin *to, const struct bin *later);

/* Bins stand on a grid that is the same for every curve: their width is 2^shift ns, and each begins at a multiple of
 * it. When a time does not fit, the width doubles. */
struct thinning {
    struct bin *bins; /* owned */
    size_t count;     /* from the earliest to the latest time */
    size_t room;
    size_t limit;  /* of count; at least 2 */
    int64_t start; /* the first bin's number on the grid */
    unsigned shift;
    bool breaks; /* before the next value */
};

struct thinning thinning_make(size_t limit);
void thinning_free(struct thinning *thinning);
/* Adds a value; one that is not finite breaks the line. Times may come in any order. 0, or -1 without memory. */
int thinning_add(struct thinning *thinning, int64_t time, double value);
/* The line is interrupted before the next value. */
void thinning_break(struct thinning *thinning);
/* The line is interrupted before the first value that is not earlier. */
void thinning_break_at(struct thinning *thinning, int64_t time);
/* Data is missing between two times. 0, or -1 without memory. */
int thinning_gap(struct thinning *thinning, int64_t from, int64_t to);
/* Adds all of a later curve; the line between them is interrupted. 0, or -1 without memory. */
int thinning_join(struct thinning *thinning, const struct thinning *later);
/* When a bin begins; the one after the last: where they end. Within the limits of int64_t. */
int64_t thinning_time(const struct thinning *thinning, size_t bin);

#endif
