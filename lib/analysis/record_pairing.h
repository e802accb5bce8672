/* Pairs the records of two streams of one robot by the controller's clock, in bounded memory.
 *
 * Two records are a pair if their clocks are at most half a cycle apart and neither has a nearer one on the other side;
 * each record is in at most one pair. The cycle is the smaller of the two sides' typical clock steps, each the median
 * over the first records. Records of a side arrive in stream order; a window of those that wait for the other side is
 * kept. */
#ifndef ANALYSIS_RECORD_PAIRING_H
#define ANALYSIS_RECORD_PAIRING_H

#include "armtap-analysis.h"

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

#endif
