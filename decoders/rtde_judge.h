/* Which recipe a sample of data packages follows, of well-known clients or other candidates: evidence for and against a
 * recipe, and how strongly it supports the recipe and each of its names rather than others at the same bytes. */
#ifndef ARMTAP_RTDE_JUDGE_H
#define ARMTAP_RTDE_JUDGE_H

#include "protocol/note.h"
#include "protocol/robot.h"
#include "table/recipe.h"

struct armtap_rtde_evidence {
    bool contradicted;   /* a field's values contradict its name */
    bool is_impossible;  /* so much that no robot sends them */
    const char *against; /* that field; NULL: the length differs */
    const char *rival;   /* what its values fit better; NULL: they are no robot's */
    unsigned score;      /* points for it, each worth about a bit against other fields of the dictionary */
    struct armtap_line reasons;
};

/* ---- rtde_checks.c ---- */

/* Finds the controller's clock: a double that grows with the capture's time by whole cycles. Its offset, or -1. */
long armtap_rtde_find_clock(const struct armtap_sample *sample);
/* Whether a robot can have sent a sample in that recipe, whose first value is at `skip`; else `against` is the field
 * that it cannot have sent. `clock` is where the clock was found. */
bool armtap_rtde_check(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                       const char **against);

/* The limits of a double, which every package of a guessed recipe must keep. */
struct armtap_rtde_limit {
    size_t offset; /* from the first value */
    double least, most;
};
/* The limits of a recipe's doubles; returns how many. `limits` may be NULL. */
size_t armtap_rtde_limits(const struct armtap_recipe *recipe, struct armtap_rtde_limit *limits);
bool armtap_rtde_within(const struct armtap_rtde_limit *limits, size_t count, const uint8_t *values);

/* ---- rtde_judge.c ---- */

/* Points needed to name a recipe of that many bytes: two status words, or a clock and some distinctive fields. Short
 * recipes need more, because many of them consist of the same few words. */
static inline unsigned armtap_rtde_needed(size_t size)
{
    return size < 32 ? 12 : 8;
}
/* Scores a whole recipe whose first value is at `skip`; points that a rival also gets do not count. */
int armtap_rtde_judge(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                      struct armtap_rtde_evidence *evidence);

/* Adds to `supported` the fields whose name explains the sample better than any other name at their bytes would; the
 * others have theirs from the recipe as a whole. None of a recipe that has a field twice. */
int armtap_rtde_supported(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip,
                          long clock, struct armtap_set *supported);

/* ---- rtde_known.c ---- */

/* More than the well-known recipes that share a length. */
#define ARMTAP_RTDE_CANDIDATES 8

/* Well-known recipes that a sample does not contradict, as armtap_known_recipe_at counts: every connection keeps some.
 */
struct armtap_rtde_candidates {
    uint8_t rows[ARMTAP_RTDE_CANDIDATES];
    uint8_t count;
};

/* Well-known recipes of the data's length that were not taken, and why: the first of them. */
#define ARMTAP_RTDE_NOT_TAKEN 4
struct armtap_rtde_not_taken {
    struct {
        const struct armtap_known_recipe *known;
        const char *against, *rival; /* as in the evidence, of the tables; NULL: nothing contradicts it */
        unsigned score, needed;
    } rows[ARMTAP_RTDE_NOT_TAKEN];
    unsigned count, more;
    uint64_t packages; /* too few for a judgement: that many; else 0 */
};

struct armtap_rtde_found {
    struct armtap_recipe *recipe; /* what all fitting recipes agree on, held by the caller; NULL: nothing */
    unsigned score;               /* of the least fitting one */
    struct armtap_line source;    /* whose recipe it is */
    const char *last;             /* the last source named */
    struct armtap_line reasons;
};
/* What became of one candidate. */
struct armtap_rtde_verdict {
    bool can_be, is_taken;       /* nothing contradicts it; the evidence suffices */
    const char *against, *rival; /* as in the evidence, of the tables; both NULL if the types differ */
    unsigned score;
};
void armtap_rtde_found_begin(struct armtap_rtde_found *found);
/* Takes a candidate over from the caller, scores it, and combines it with those that fit; its first value is at `skip`.
 * `typed`: the types that a reply gave, which it must have; NULL: none. */
int armtap_rtde_consider(struct armtap_rtde_found *found, struct armtap_recipe *recipe, const char *source,
                         const struct armtap_recipe *typed, const struct armtap_sample *sample, size_t skip, long clock,
                         struct armtap_rtde_verdict *verdict);
/* Adds the well-known recipes of a sample's length, with their first value at `skip`, without a judgement. */
void armtap_rtde_list_known(const struct armtap_sample *sample, size_t skip, struct armtap_rtde_not_taken *not_taken);
/* The candidates among the well-known recipes whose evidence suffices, with their first value at `skip`; all that are
 * not contradicted are added to `candidates`, those whose evidence does not suffice to `not_taken`. */
int armtap_rtde_find_known(const struct armtap_recipe *typed, const struct armtap_sample *sample, size_t skip,
                           long clock, struct armtap_rtde_found *found, struct armtap_rtde_candidates *candidates,
                           struct armtap_rtde_not_taken *not_taken);

#endif
