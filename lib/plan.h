/* A plan moves the values of a frame into the state and back: steps of {operation, count, source, destination}. Here it
 * is built, step by step. */
#ifndef ARMTAP_PLAN_H
#define ARMTAP_PLAN_H

#include "plan_decode.h"

/* A plan without steps; of `steps`, the caller's, there is room for as many as will be added. */
void armtap_plan_init(struct armtap_plan *plan, struct armtap_step *steps);
/* Adds a step that sets the field of that id, as part of the last one where it continues it or can be covered by it. */
void armtap_plan_add(struct armtap_plan *plan, struct armtap_step step, unsigned field);
void armtap_plan_encode(const struct armtap_plan *plan, const struct armtap_state *state, uint8_t *wire);

#endif
