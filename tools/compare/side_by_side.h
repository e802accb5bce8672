/* Reads one source twice at the same time, in turns, so that records far apart in it can be compared without storing
 * them. Only one reading runs at any moment, so what they share needs no lock. */
#ifndef COMPARE_SIDE_BY_SIDE_H
#define COMPARE_SIDE_BY_SIDE_H

#include "input/replay/replay.h"

#define SIDE_BY_SIDE_READINGS 2

enum side_by_side_turn {
    TURN_GOES_ON,
    TURN_PASSES,     /* the other reading continues */
    TURN_HAS_ENOUGH, /* the reading is over before the end of its source */
    TURN_ENDS        /* ends both readings; a message was printed */
};

struct side_by_side_calls {
    /* Whether a reading's records of that stream are looked at. */
    bool (*wants)(void *user, unsigned reading, const struct armtap_stream *stream, enum armtap_direction direction);
    /* Called for each record, of which those that are not wanted have no state; `reading` is 0 or 1. */
    enum side_by_side_turn (*record)(void *user, unsigned reading, const struct armtap_record *record);
    /* Called when a reading ends. Returns 0, or -1 after a message to end both. */
    int (*over)(void *user, unsigned reading);
};

/* The source must be repeatable. EXIT_FAILED if a reading failed, else EXIT_DONE. `broken_off`: as in struct
 * replay_totals, for either reading. */
enum exit_status replay_side_by_side(const struct replay_source *source, const struct side_by_side_calls *calls,
                                     void *user, bool *broken_off);

#endif
