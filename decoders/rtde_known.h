/* Finds the recipe, of well-known clients or other candidates, that a sample of data packages follows. */
#ifndef ARMTAP_RTDE_KNOWN_H
#define ARMTAP_RTDE_KNOWN_H

#include "rtde_evidence.h"

/* More than the well-known recipes that share a length. */
#define ARMTAP_RTDE_CANDIDATES 8

/* Well-known recipes that a sample does not contradict, as armtap_known_recipe_at counts: every connection keeps some.
 */
struct armtap_rtde_candidates {
    uint8_t rows[ARMTAP_RTDE_CANDIDATES];
    uint8_t count;
};

struct armtap_rtde_found {
    struct armtap_recipe *recipe; /* what all fitting recipes agree on, held by the caller; NULL: nothing */
    unsigned score;               /* of the least fitting one */
    struct armtap_line source;    /* whose recipe it is */
    const char *last;             /* the last source named */
    struct armtap_line reasons;
};
void armtap_rtde_found_begin(struct armtap_rtde_found *found);
/* Takes a candidate over from the caller, scores it, and combines it with those that fit; its first value is at `skip`.
 * `typed`: the types that a reply gave, which it must have; NULL: none. `can_be`: nothing contradicts it. */
int armtap_rtde_consider(struct armtap_rtde_found *found, struct armtap_recipe *recipe, const char *source,
                         const struct armtap_recipe *typed, const struct armtap_sample *sample, size_t skip, long clock,
                         bool *can_be);
/* The candidates among the well-known recipes whose evidence suffices, with their first value at `skip`; all that are
 * not contradicted are added to `candidates`. */
int armtap_rtde_find_known(const struct armtap_recipe *typed, const struct armtap_sample *sample, size_t skip,
                           long clock, struct armtap_rtde_found *found, struct armtap_rtde_candidates *candidates);

#endif
