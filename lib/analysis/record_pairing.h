/* Pairs the records of two streams of one robot by the controller's clock, in bounded memory.
 *
 * Two records make a pair where their clocks are no more than half a cycle apart and neither has a nearer one on the
 * other side; each record is in one pair at most. The cycle is the smaller of both sides' typical steps of the clock, a
 * step's median over the first records. Records of a side come in the order of their stream; of those that wait for the
 * other side a window is kept. */
#ifndef ANALYSIS_RECORD_PAIRING_H
#define ANALYSIS_RECORD_PAIRING_H

#include "armtap-analysis.h"

/* A record as far as pairing needs it. */
struct sample {
    double clock; /* the controller's, s */
    struct armtap_where where;
    const struct armtap_recipe *recipe; /* held while it waits; NULL in tests */
    const uint8_t *values;              /* copied */
    size_t length;
};

/* Called for each pair, by side; returns 0, or -1 to stop. */
typedef int pairing_found(void *user, const struct sample samples[ARMTAP_SIDES]);

struct pairing;
/* `in_capture_order`: what comes on either side comes in the order of the capture, so that a clock that began again on
 * one side tells about the other. NULL without memory. */
struct pairing *armtap_pairing_new(bool in_capture_order, pairing_found *found, void *user);
void armtap_pairing_free(struct pairing *pairs);
/* 0; -1 where `found` said so, or without memory. */
int armtap_pairing_push(struct pairing *pairs, enum armtap_side side, const struct sample *sample);
/* No more records come on this side. */
int armtap_pairing_end(struct pairing *pairs, enum armtap_side side);
/* Whether enough of a side waits for the other one, which should come now. */
bool armtap_pairing_is_ahead(const struct pairing *pairs, enum armtap_side side);
const struct armtap_pairing_tally *armtap_pairing_tally(const struct pairing *pairs);

#endif
