/* What a sample of data packages says for and against a recipe. */
#ifndef ARMTAP_RTDE_EVIDENCE_H
#define ARMTAP_RTDE_EVIDENCE_H

#include "../lib/note.h"
#include "../lib/recipe.h"
#include "../lib/sample.h"

struct armtap_rtde_evidence {
    bool contradicted;   /* a field cannot be what its name says ... */
    const char *against; /* ... this one; NULL: the length is another */
    unsigned score;      /* points for it, about a bit each against other fields of the dictionary */
    struct armtap_line reasons;
};

/* Where in the packages a double grows with the capture's time by whole cycles: the controller's clock. Its offset, or
 * -1. */
long armtap_rtde_find_clock(const struct armtap_sample *sample);
/* Holds the fields of a recipe, whose first value stands at `skip`, against all packages of a sample. `clock` is where
 * the clock was found. Of `about`, only tests in which one of these fields takes part; NULL: all. */
void armtap_rtde_weigh(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                       const struct armtap_set *about, struct armtap_rtde_evidence *evidence);
/* Whether a test exists that can speak for a field. */
bool armtap_rtde_has_test(const struct armtap_field *field);
/* What is measured of a field that is wanted, and the other way round; NULL: neither. */
const struct armtap_field *armtap_rtde_twin(const struct armtap_field *field);
/* The TCP's counterpart of a field of the joints, and the other way round; NULL: neither. */
const struct armtap_field *armtap_rtde_in_other_space(const struct armtap_field *field);

/* What is asked of every package that goes by a guessed recipe: that a double keeps within its field's limits. */
struct armtap_rtde_limit {
    size_t offset; /* from the first value */
    double least, most;
};
/* The limits of a recipe's doubles; returns how many. `limits` may be NULL. */
size_t armtap_rtde_limits(const struct armtap_recipe *recipe, struct armtap_rtde_limit *limits);
bool armtap_rtde_within(const struct armtap_rtde_limit *limits, size_t count, const uint8_t *values);

#endif
