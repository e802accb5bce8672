/* How two streams of one robot are compared: their records in pairs, and the pairs field by field. */
#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include "analysis/armtap-analysis.h"

/* ---- record_pairing.c ----
 *
 * Pairs the records of two streams of one robot by the controller's clock, in bounded memory.
 *
 * Two records are a pair if their clocks are at most half a cycle apart and neither has a nearer one on the other side;
 * each record is in at most one pair. The cycle is the smaller of the two sides' typical clock steps, each the median
 * over the first records. Records of a side arrive in stream order; a window of those that wait for the other side is
 * kept. */

/* The part of a record that pairing needs. */
struct sample {
    double clock; /* the controller's, s */
    struct armtap_where where;
    const struct armtap_recipe *recipe; /* held while it waits; NULL in tests */
    const uint8_t *values;              /* copied */
    size_t length;
};

/* Called for each pair, indexed by side; returns 0, or -1 to stop. */
typedef int pairing_found(void *user, const struct sample samples[ARMTAP_SIDES]);

struct pairing;
/* `in_capture_order`: records of both sides arrive in capture order, so that a clock restart on one side also holds for
 * the other. NULL if memory runs out. */
struct pairing *armtap_pairing_new(bool in_capture_order, pairing_found *found, void *user);
void armtap_pairing_free(struct pairing *pairs);
/* 0, or -1 if `found` stopped or memory ran out. */
int armtap_pairing_push(struct pairing *pairs, enum armtap_side side, const struct sample *sample);
/* Call when a side has no more records. */
int armtap_pairing_end(struct pairing *pairs, enum armtap_side side);
/* Whether enough records of a side wait, so that the other side should be read now. */
bool armtap_pairing_is_ahead(const struct pairing *pairs, enum armtap_side side);
const struct armtap_pairing_tally *armtap_pairing_tally(const struct pairing *pairs);

/* ---- field_differences.c ----
 *
 * Sums up the differences of paired records, field by field. */

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
