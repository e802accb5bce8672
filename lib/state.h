/* What armtap_state_new makes besides the state. */
#ifndef ARMTAP_STATE_H
#define ARMTAP_STATE_H

#include "armtap.h"

/* Bytes after a state, initially zero, where a decoder keeps what speeds up the next packet. They are not copied with
 * the state. */
#define ARMTAP_STATE_ROOM 1536

/* Before that room is the state's address, which distinguishes the state from a copy of its bytes. */
struct armtap_state_sign {
    const struct armtap_state *state;
    uint64_t has_room;
    uint64_t unused[6]; /* aligns the room to a cache line, like the state */
};

/* Bytes of memory that a state without that room takes. */
#define ARMTAP_STATE_PLAIN (sizeof(struct armtap_state) + sizeof(struct armtap_state_sign))
struct armtap_state *armtap_state_new_plain(void);

#define ARMTAP_STATE_MARK UINT64_C(0x7061746d7261)

/* Whether this library made it, so that it has the full size. */
static inline bool armtap_state_is_ours(const struct armtap_state *state)
{
    return state && state->own[0] == ARMTAP_STATE_MARK &&
           ((const struct armtap_state_sign *)(const void *)(state + 1))->state == state;
}

/* NULL where it has none. */
static inline void *armtap_state_room(struct armtap_state *state)
{
    struct armtap_state_sign *sign = (struct armtap_state_sign *)(void *)(state + 1);
    return sign->has_room ? sign + 1 : NULL;
}

#endif
