/* Evidence in a sample of data packages for and against a recipe. */
#ifndef ARMTAP_RTDE_EVIDENCE_H
#define ARMTAP_RTDE_EVIDENCE_H

#include "protocol/note.h"
#include "table/recipe.h"
#include "protocol/sample.h"

struct armtap_rtde_evidence {
    bool contradicted;   /* a field's values contradict its name */
    const char *against; /* that field; NULL: the length differs */
    unsigned score;      /* points for it, each worth about a bit against other fields of the dictionary */
    struct armtap_line reasons;
};

/* Finds the controller's clock: a double that grows with the capture's time by whole cycles. Its offset, or -1. */
long armtap_rtde_find_clock(const struct armtap_sample *sample);
/* Checks the fields of a recipe, whose first value is at `skip`, against all packages of a sample. `clock` is where the
 * clock was found. Runs only tests that involve a field of `about`; NULL: all. */
void armtap_rtde_weigh(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                       const struct armtap_set *about, struct armtap_rtde_evidence *evidence);
/* Whether a test exists that can support a field. */
bool armtap_rtde_has_test(const struct armtap_field *field);
/* The actual counterpart of a target field, and vice versa; NULL: neither. */
const struct armtap_field *armtap_rtde_twin(const struct armtap_field *field);
/* The TCP counterpart of a joint field, and vice versa; NULL: neither. */
const struct armtap_field *armtap_rtde_in_other_space(const struct armtap_field *field);

/* The limits of a double, which every package of a guessed recipe must keep. */
struct armtap_rtde_limit {
    size_t offset; /* from the first value */
    double least, most;
};
/* The limits of a recipe's doubles; returns how many. `limits` may be NULL. */
size_t armtap_rtde_limits(const struct armtap_recipe *recipe, struct armtap_rtde_limit *limits);
bool armtap_rtde_within(const struct armtap_rtde_limit *limits, size_t count, const uint8_t *values);

#endif
