/* What armtap_state_new makes besides the state. */
#ifndef ARMTAP_STATE_H
#define ARMTAP_STATE_H

#include "armtap.h"

/* Bytes behind a state, zero at first, in which whoever decodes into it keeps what makes the next time faster. They are
 * not copied with the state. */
#define ARMTAP_STATE_ROOM 1536

static inline void *armtap_state_room(struct armtap_state *state)
{
    return state + 1;
}

#endif
