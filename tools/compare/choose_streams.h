/* Finds the legacy and the RTDE stream of one robot, which are to be compared. */
#ifndef COMPARE_CHOOSE_STREAMS_H
#define COMPARE_CHOOSE_STREAMS_H

#include "analysis/record_pairing.h"
#include "analysis/stream_list.h"

/* What --stream said. */
struct counterparts_wish {
    uint64_t stream[PAIRS_SIDES]; /* in any order */
    unsigned count;
};

/* A stream that can be compared. */
struct counterpart {
    uint64_t connection;
    const struct stream_summary *summary; /* set when streams are chosen */
    uint64_t records;                     /* from the robot, with a clock */
    uint64_t clockless;                   /* without: the recipe is not known, or has no timestamp */
    uint64_t no_number;                   /* of these: the timestamp is NaN or infinite */
    bool opaque;                          /* a recipe was not known */
    bool guessed;                         /* or guessed */
    double low, high;                     /* of its clock, s */
    struct armtap_where first, last;      /* packets of its records */
};

/* Collects them from the records of a reading. */
struct counterparts;
struct counterparts *counterparts_new(void);
void counterparts_free(struct counterparts *counterparts);
/* 0, or -1 without memory */
int counterparts_record(struct counterparts *counterparts, const struct armtap_record *record);

/* The controller's clock of a record, if it has it. */
bool counterparts_clock(const struct armtap_record *record, double *clock);

/* After a reading, when the streams are numbered: the two to be compared, by side. 0, or -1 after a message. */
int counterparts_choose(struct counterparts *counterparts, const struct streams *streams,
                        const struct counterparts_wish *wish, const struct counterpart *chosen[PAIRS_SIDES]);
/* In a reading that cannot look ahead: `chosen` are connections taken so far, `has` which of them. Takes the record's
 * connection if it is wanted. 0; -1 after a message. */
struct counterparts_taken {
    bool has[PAIRS_SIDES];
    uint64_t connection[PAIRS_SIDES];
    char robot[64];
};
int counterparts_take(struct counterparts_taken *taken, struct streams *streams, const struct counterparts_wish *wish,
                      const struct armtap_record *record);
/* The same, after the reading: what was taken, or a message why it cannot be compared. */
int counterparts_judge(struct counterparts *counterparts, const struct streams *streams,
                       const struct counterparts_taken *taken, const struct counterpart *chosen[PAIRS_SIDES]);

/* Whether their packets lie in one file and between one another, so that one reading brings them together. */
bool counterparts_are_interleaved(const struct counterpart *const chosen[PAIRS_SIDES]);
/* Length of the host in "10.0.0.2:30004". */
int counterparts_host(const char *address);

#endif
