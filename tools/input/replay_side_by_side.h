/* Two readings of one source at the same time, taking turns, so that records that lie far apart in it can meet without
 * being kept. Only one of the readings moves at any moment: what both use needs no lock. */
#ifndef INPUT_REPLAY_SIDE_BY_SIDE_H
#define INPUT_REPLAY_SIDE_BY_SIDE_H

#include "replay.h"

#define SIDE_BY_SIDE_READINGS 2

enum side_by_side_turn {
    TURN_GOES_ON,
    TURN_PASSES, /* the other reading goes on */
    TURN_ENDS    /* both readings, after a message */
};

struct side_by_side_calls {
    /* A record of a reading (0 or 1). */
    enum side_by_side_turn (*record)(void *user, unsigned reading, const struct armtap_record *record);
    /* A reading came to its end. 0, or -1, after a message, to end both. */
    int (*over)(void *user, unsigned reading);
};

/* The source must be repeatable. EXIT_FAILED where a reading failed, else EXIT_DONE. `broken_off` tells whether one
 * ended before its input did: as in struct replay_totals. */
enum exit_status replay_side_by_side(const struct replay_source *source, const struct side_by_side_calls *calls,
                                     void *user, bool *broken_off);

#endif
