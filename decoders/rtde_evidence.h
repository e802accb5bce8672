/* What a sample of data packages says for and against a recipe. */
#ifndef ARMTAP_RTDE_EVIDENCE_H
#define ARMTAP_RTDE_EVIDENCE_H

#include "../lib/note.h"
#include "../lib/recipe.h"
#include "../lib/sample.h"

struct armtap_rtde_evidence {
    bool contradicted; /* a field cannot be what its name says */
    unsigned score;    /* points for it, about a bit each against other fields of the dictionary */
    struct armtap_line reasons;
};

/* Where in the packages a double grows with the capture's time by whole cycles: the controller's clock. Its offset, or
 * -1. */
long armtap_rtde_find_clock(const struct armtap_sample *sample);
/* Holds the fields of a recipe, whose first value stands at `skip`, against all packages of a sample. `clock` is where
 * the clock was found. */
void armtap_rtde_weigh(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                       struct armtap_rtde_evidence *evidence);

/* What is asked of every package that goes by a guessed recipe: that a double keeps within its field's limits. */
struct armtap_rtde_limit {
    size_t offset; /* from the first value */
    double least, most;
};
/* The limits of a recipe's doubles; returns how many. `limits` may be NULL. */
size_t armtap_rtde_limits(const struct armtap_recipe *recipe, struct armtap_rtde_limit *limits);
bool armtap_rtde_within(const struct armtap_rtde_limit *limits, size_t count, const uint8_t *values);

#endif
