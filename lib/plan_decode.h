/* The loop that runs a plan: from the wire into the state. */
#ifndef ARMTAP_PLAN_DECODE_H
#define ARMTAP_PLAN_DECODE_H

#include "plan_step.h"

/* Single legacy cells between doubles that stand in the state as they do on the wire. A run goes over them as if they
 * were doubles; they are judged before it, and what they hold is written after it. In the state each has eight bytes
 * for itself: where its field has four, zeroes follow. */
#define ARMTAP_COVERED_MAX 4
struct armtap_covered {
    size_t count;
    uint64_t places;                              /* of the cells in the state, 16 bits each: one load before the run */
    struct armtap_step cells[ARMTAP_COVERED_MAX]; /* beyond `count` the last one again: they are taken all at once */
    double least[ARMTAP_COVERED_MAX];             /* the numbers of the type, ... */
    double most[ARMTAP_COVERED_MAX];              /* ... ARMTAP_TWO_TO_51 at most */
    uint64_t mask[ARMTAP_COVERED_MAX];            /* of the bits that the type has */
};

struct armtap_plan;
/* Decodes; `updated`, which may be NULL, becomes the plan's fields. False where a legacy cell holds no whole number:
 * then the fields are to be taken one by one, for some of the others may be as they were, and `updated` means nothing.
 * The wire must hold every step's bytes. */
typedef bool armtap_plan_decoder(const struct armtap_plan *plan, const uint8_t *wire, struct armtap_state *state,
                                 struct armtap_set *updated);

struct armtap_plan {
    struct armtap_covered covered;
    size_t count;
    struct armtap_step *steps;
    armtap_plan_decoder *decode; /* the fastest here */
    struct armtap_set fields;    /* that it sets */
};

/* In plain C. */
armtap_plan_decoder armtap_plan_decode;
/* One step of its own, in plain C. Cells of which one holds no whole number leave the state as it was: false. */
bool armtap_step_decode(const struct armtap_step *step, const uint8_t *wire, struct armtap_state *state);
/* Those that this processor runs, the fastest first, the one in plain C last; NULL beyond. All give the same bits. */
armtap_plan_decoder *armtap_plan_decoder_at(size_t i);

#endif
