/* Sums up the differences of paired records, field by field. */
#ifndef ANALYSIS_FIELD_DIFFERENCES_H
#define ANALYSIS_FIELD_DIFFERENCES_H

#include "record_pairing.h"

struct differences;
/* Doubles are equal if they differ by at most the tolerance; with tolerance 0, if their bits are equal. NaN equals NaN.
 * Integers must be identical. NULL if memory runs out. */
struct differences *armtap_differences_new(double tolerance);
void armtap_differences_free(struct differences *differences);
/* 0, or -1 if memory runs out or there are too many fields. */
int armtap_differences_add(struct differences *differences, const struct sample samples[ARMTAP_SIDES]);
/* Whether there were too many fields. */
bool armtap_differences_is_full(const struct differences *differences);
/* Sorts the results: fields of both sides in legacy packet order, then legacy-only fields, then RTDE-only fields. 0, or
 * -1 if memory runs out. */
int armtap_differences_finish(struct differences *differences);
size_t armtap_differences_count(const struct differences *differences);
const struct armtap_difference *armtap_differences_at(const struct differences *differences, size_t i);

#endif
