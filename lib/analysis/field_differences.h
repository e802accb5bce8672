/* What the fields of paired records differ by, summed up field by field. */
#ifndef ANALYSIS_FIELD_DIFFERENCES_H
#define ANALYSIS_FIELD_DIFFERENCES_H

#include "record_pairing.h"

struct differences;
/* Doubles are equal that differ by no more than the tolerance; with 0, those of the same bits; NaN equals NaN. Integers
 * are equal where they are the same. NULL without memory. */
struct differences *armtap_differences_new(double tolerance);
void armtap_differences_free(struct differences *differences);
/* 0; -1 without memory, or for more fields than can be. */
int armtap_differences_add(struct differences *differences, const struct sample samples[ARMTAP_SIDES]);
/* Whether there were more fields than can be. */
bool armtap_differences_is_full(const struct differences *differences);
/* Sums up: fields of both sides in the order of the legacy packet, then those of the legacy one, then RTDE's.
 * 0, or -1 without memory. */
int armtap_differences_finish(struct differences *differences);
size_t armtap_differences_count(const struct differences *differences);
const struct armtap_difference *armtap_differences_at(const struct differences *differences, size_t i);

#endif
