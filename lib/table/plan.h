/* A plan moves the values of a frame into the state and back: steps of {operation, count, source, destination}. The
 * loop that runs it, from the wire into the state; what builds it, step by step. */
#ifndef ARMTAP_PLAN_H
#define ARMTAP_PLAN_H

#include "plan_step.h"

/* Single legacy cells between doubles that have the same order in the state and on the wire. A run copies over them as
 * if they were doubles; they are checked before it and written after it. Each has eight bytes in the state; a field of
 * four bytes is followed by zeros. */
#define ARMTAP_COVERED_MAX 4
struct armtap_covered {
    size_t count;
    uint64_t places; /* of the cells in the state, 16 bits each, read in one load before the run */
    struct armtap_step
        cells[ARMTAP_COVERED_MAX];     /* entries past `count` repeat the last: all four are processed together */
    double least[ARMTAP_COVERED_MAX];  /* the range of the type, ... */
    double most[ARMTAP_COVERED_MAX];   /* ... at most ARMTAP_TWO_TO_51 */
    uint64_t mask[ARMTAP_COVERED_MAX]; /* the bits of the type */
};

struct armtap_plan;
/* Decodes; `updated` (may be NULL) becomes the plan's fields. False if a legacy cell holds no whole number: then decode
 * the fields one by one, because others may not have been written, and `updated` is undefined. The wire must hold the
 * bytes of every step. */
typedef bool armtap_plan_decoder(const struct armtap_plan *plan, const uint8_t *wire, struct armtap_state *state,
                                 struct armtap_set *updated);

struct armtap_plan {
    struct armtap_covered covered;
    size_t count;
    struct armtap_step *steps;
    armtap_plan_decoder *decode; /* the fastest on this processor */
    armtap_plan_decoder *check;  /* the same, but it may leave out of the state what always fits */
    struct armtap_set fields;    /* set by this plan */
};

/* In plain C. */
armtap_plan_decoder armtap_plan_decode;
/* A single step, in plain C. If one of its cells holds no whole number, returns false and leaves the state
 * unchanged. */
bool armtap_step_decode(const struct armtap_step *step, const uint8_t *wire, struct armtap_state *state);
/* The decoders for this processor, the fastest first, plain C last; NULL after the last. All produce the same bits. */
armtap_plan_decoder *armtap_plan_decoder_at(size_t i);
/* The one for struct armtap_plan's `check`. */
armtap_plan_decoder *armtap_plan_checker(void);

/* A plan without steps; the caller's `steps` has room for all that will be added. */
void armtap_plan_init(struct armtap_plan *plan, struct armtap_step *steps);
/* Adds a step that sets the field of that id; merges it into the last step if it continues it or can be covered by
 * it. */
void armtap_plan_add(struct armtap_plan *plan, struct armtap_step step, unsigned field);
void armtap_plan_encode(const struct armtap_plan *plan, const struct armtap_state *state, uint8_t *wire);

#endif
