/* The steps of compare: the streams are chosen, read again in turns where they do not interleave, and reported. */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "analysis/armtap-analysis.h"
#include "input/replay/replay.h"

/* Chooses the legacy and the RTDE stream to compare, both of one robot. */

/* The streams given with --stream. */
struct stream_choice_wish {
    uint64_t stream[ARMTAP_SIDES]; /* in any order */
    unsigned count;
    const struct labels *labels;
};

/* A stream that can be compared. */
struct chosen_stream {
    uint64_t connection;
    const struct armtap_stream_summary *summary; /* set when streams are chosen */
    uint64_t records;                            /* from the robot, with a clock */
    uint64_t clockless;              /* from the robot, without a clock: the recipe is unknown or has no timestamp */
    uint64_t no_number;              /* of the clockless: the timestamp is NaN or infinite */
    bool opaque;                     /* a recipe was unknown */
    bool guessed;                    /* a recipe was guessed */
    double low, high;                /* of its clock, s */
    struct armtap_where first, last; /* packets of its records */
};

/* Collects the streams from the records of a reading. */
struct stream_choice;
struct stream_choice *stream_choice_new(void);
void stream_choice_free(struct stream_choice *choice);
/* 0, or -1 if memory runs out */
int stream_choice_record(struct stream_choice *choice, const struct armtap_record *record);

/* Call after a reading, when the streams are numbered: chooses the two to compare. 0, or -1 after a message. */
int stream_choice_choose(struct stream_choice *choice, const struct armtap_streams *streams,
                         const struct stream_choice_wish *wish, const struct chosen_stream *chosen[ARMTAP_SIDES]);
/* For an input that can be read only once: the connections taken so far. stream_choice_take() takes the record's
 * connection if it is wanted. 0, or -1 after a message. */
struct stream_choice_taken {
    bool has[ARMTAP_SIDES];
    uint64_t connection[ARMTAP_SIDES];
    char robot[64];
};
int stream_choice_take(struct stream_choice_taken *taken, struct armtap_streams *streams,
                       const struct stream_choice_wish *wish, const struct armtap_record *record);
/* The side of a record's connection if it was taken; ARMTAP_SIDES: it was not, or the record is not the robot's. */
unsigned stream_choice_side(const struct stream_choice_taken *taken, const struct armtap_record *record);
/* Call after such a reading: `chosen` becomes the streams taken; 0, or -1 after a message why they cannot be
 * compared. */
int stream_choice_check(struct stream_choice *choice, const struct armtap_streams *streams,
                        const struct stream_choice_taken *taken, const struct chosen_stream *chosen[ARMTAP_SIDES]);

/* Whether their packets interleave in one file, so that one reading is enough to pair them. */
bool stream_choice_are_interleaved(const struct chosen_stream *const chosen[ARMTAP_SIDES]);

/* Prints what compare found on standard output, as text or as JSON. */

struct comparison {
    const struct chosen_stream *sides[ARMTAP_SIDES];
    const struct armtap_pairing_tally *tally;
    const struct armtap_comparison *found;
    double tolerance;
    const struct replay_source *source;
};

void comparison_print(const struct comparison *comparison);
void comparison_json(const struct comparison *comparison);
/* The number of fields that both streams have; *differ becomes how many of them differ. */
size_t comparison_compared(const struct comparison *comparison, size_t *differ);

/* Reads one source twice at the same time, in turns, so that records far apart in it can be compared without storing
 * them. Only one reading runs at any moment, so what they share needs no lock. */

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
