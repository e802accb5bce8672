/* What armtap_state_new makes besides the state. */
#ifndef ARMTAP_STATE_H
#define ARMTAP_STATE_H

#include "armtap.h"

/* Bytes after a state, initially zero, where a decoder keeps what speeds up the next packet. They are not copied with
 * the state. */
#define ARMTAP_STATE_ROOM 1536

/* The members of `own`. The address distinguishes a state from a copy of its bytes, behind which nothing may be read.
 */
enum { ARMTAP_STATE_OWN_MARK, ARMTAP_STATE_OWN_ADDRESS, ARMTAP_STATE_OWN_HAS_ROOM };
#define ARMTAP_STATE_MARK UINT64_C(0x7061746d7261)

/* Bytes of memory that a state without that room takes. */
#define ARMTAP_STATE_PLAIN sizeof(struct armtap_state)
struct armtap_state *armtap_state_new_plain(void);

/* Whether this library made it, so that it has the full size. */
static inline bool armtap_state_is_ours(const struct armtap_state *state)
{
    return state && state->own[ARMTAP_STATE_OWN_MARK] == ARMTAP_STATE_MARK &&
           state->own[ARMTAP_STATE_OWN_ADDRESS] == (uintptr_t)state;
}

/* NULL where it has none. */
static inline void *armtap_state_room(struct armtap_state *state)
{
    return state->own[ARMTAP_STATE_OWN_HAS_ROOM] ? state + 1 : NULL;
}

#endif
