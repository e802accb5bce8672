/* What came of reading a robot, counted from its events: for the last words of a command, and its status. */
#ifndef INPUT_ROBOT_TALLY_H
#define INPUT_ROBOT_TALLY_H

#include "robot_event.h"

struct robot_tally {
    uint64_t records;       /* that were kept */
    uint64_t dropped;       /* messages that came, but were not kept */
    uint64_t interruptions; /* connections that gave records and ended, though nobody here ended them */
    int64_t missing;        /* ns from each such end to the next record */
    int64_t since; /* when the last record's connection ended, ns since the epoch; 0: it stands, or there is none */
    bool flows;
};

/* All zeros at first. */
void robot_tally_take(struct robot_tally *tally, const struct robot_event *event);
/* Adds what one robot gave to what others gave, at the end. */
void robot_tally_add(struct robot_tally *sum, const struct robot_tally *one, int64_t now);
/* "; 2 interruptions, 12.3 s without data", or nothing without any. */
#define ROBOT_TALLY_MAX 120
void robot_tally_text(char to[ROBOT_TALLY_MAX], const struct robot_tally *tally);

#endif
