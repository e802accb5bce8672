/* The curves of one stream: which of its fields are drawn, and their values as records bring them. */
#ifndef PLOT_SERIES_H
#define PLOT_SERIES_H

#include "armtap.h"
#include "thinning.h"

#define SERIES_ELEMENTS 6

/* One panel's worth: the elements of a field. */
struct series {
    char *name;                       /* of the field, as in other output; owned */
    char *caption;                    /* owned */
    const struct armtap_field *field; /* NULL: not in the dictionary */
    size_t rank;                      /* panels are in this order */
    bool is_norm;                     /* one curve, the length of the vector */
    bool has[SERIES_ELEMENTS];        /* which elements are drawn */
    unsigned first, count;            /* elements of the field that are read */
    struct thinning points[SERIES_ELEMENTS];
    uint64_t values; /* records that had it */
};

/* What the user wants to see: NULL for the usual panels. */
struct series_wish {
    const char *fields;
    size_t bins;
};

struct series_plan;
/* Starts as zeros, but for `wish`. */
struct series_set {
    const struct series_wish *wish;
    struct series **all;
    size_t count;
    struct series_plan *plans; /* for the recipes seen last */
    size_t next_plan;
    size_t *curves; /* how many there may still be, of all streams */
    bool left_out;  /* there were more */
};

/* Adds a record's values at that time. 0, or -1 without memory. */
int series_take(struct series_set *set, const struct armtap_record *record, int64_t time);
/* The next values are not joined to those before. */
void series_break(struct series_set *set);
/* The first values from that time on are not joined to those before. */
void series_break_at(struct series_set *set, int64_t time);
/* Moves all values of a later set into this one, which has the same wish; lines between them are interrupted. 0, or -1
 * without memory. */
int series_join(struct series_set *set, struct series_set *later);
void series_free(struct series_set *set);

#endif
