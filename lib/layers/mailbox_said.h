/* What the robot says of ur_rtde's script in its packages, and a queue of it, for a client whose packages are heard
 * later than they were captured. */
#ifndef ARMTAP_MAILBOX_SAID_H
#define ARMTAP_MAILBOX_SAID_H

#include "armtap.h"

#define ARMTAP_SAID_DOUBLES 6u

/* What the registers for results hold. */
struct armtap_said_results {
    uint32_t has_doubles; /* by register */
    double doubles[ARMTAP_SAID_DOUBLES];
    bool has_integer, has_progress;
    int32_t integer, progress;
};
/* By one package, or by several that say the same while the client says nothing. */
struct armtap_said {
    struct armtap_where where; /* the first of them */
    uint64_t client_bytes;     /* that came before, heard or not */
    bool is_after_gap;         /* bytes of the robot are missing before it */
    bool is_after_rest;        /* something that it said before was not kept */
    bool shows_state, shows_stops, is_paused;
    int32_t state;     /* the script's */
    const char *cause; /* for a command not to be done any more; NULL: none */
    struct armtap_said_results results;
};
/* Reads a package of the robot, whose registers have that offset. */
void armtap_said_read(struct armtap_said *said, unsigned offset, const struct armtap_record *record);
/* In the capture. Without packets nothing is before anything. */
bool armtap_said_before(const struct armtap_where *one, const struct armtap_where *other);

/* More than the script says between two packages of a client. */
#define ARMTAP_SAID_KEPT 16u
/* Packages that say the same are one: its results are those of the first. Zeros: it is empty. */
struct armtap_said_queue {
    struct armtap_said kept[ARMTAP_SAID_KEPT];
    unsigned count;
    bool has_gap, has_dropped; /* before what comes next */
};
/* False: it says what the last one said. */
bool armtap_said_keep(struct armtap_said_queue *queue, const struct armtap_said *said);
/* Takes out the oldest that was said before some place; NULL: before any. False: none was. */
bool armtap_said_next(struct armtap_said_queue *queue, const struct armtap_where *before, struct armtap_said *said);
/* Whether bytes are missing before what is kept. */
bool armtap_said_has_gap(const struct armtap_said_queue *queue);
/* Of what was kept, nobody knows to which command it belongs. */
void armtap_said_drop(struct armtap_said_queue *queue);

#endif
