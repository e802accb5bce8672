/* A plan moves the values of a frame into the state and back: steps of {operation, count, source, destination}. This
 * builds it, step by step. */
#ifndef ARMTAP_PLAN_H
#define ARMTAP_PLAN_H

#include "plan_decode.h"

/* A plan without steps; the caller's `steps` has room for all that will be added. */
void armtap_plan_init(struct armtap_plan *plan, struct armtap_step *steps);
/* Adds a step that sets the field of that id; merges it into the last step if it continues it or can be covered by
 * it. */
void armtap_plan_add(struct armtap_plan *plan, struct armtap_step step, unsigned field);
void armtap_plan_encode(const struct armtap_plan *plan, const struct armtap_state *state, uint8_t *wire);

#endif
