/* Chooses the legacy and the RTDE stream to compare, both of one robot. */
#ifndef COMPARE_CHOOSE_STREAMS_H
#define COMPARE_CHOOSE_STREAMS_H

#include "analysis/armtap-analysis.h"

/* The streams given with --stream. */
struct stream_choice_wish {
    uint64_t stream[ARMTAP_SIDES]; /* in any order */
    unsigned count;
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
/* The same without wishes, and for an input that can be read again: false without a message if the record begins a
 * second stream of a kind of which one was taken. */
bool stream_choice_foresee(struct stream_choice_taken *taken, const struct armtap_record *record);
/* The side of a record's connection if it was taken; ARMTAP_SIDES: it was not, or the record is not the robot's. */
unsigned stream_choice_side(const struct stream_choice_taken *taken, const struct armtap_record *record);
/* Call after such a reading: `chosen` becomes the streams taken; 0, or -1 after a message why they cannot be
 * compared. */
int stream_choice_check(struct stream_choice *choice, const struct armtap_streams *streams,
                        const struct stream_choice_taken *taken, const struct chosen_stream *chosen[ARMTAP_SIDES]);

/* Whether their packets interleave in one file, so that one reading is enough to pair them. */
bool stream_choice_are_interleaved(const struct chosen_stream *const chosen[ARMTAP_SIDES]);

/* The comparison of the streams that will probably be chosen, while a reading still finds out which there are: most
 * captures have one legacy and one RTDE stream of one robot, and need no second reading then. */

struct early_pairs;
/* NULL without memory. */
struct early_pairs *early_pairs_new(double tolerance);
void early_pairs_free(struct early_pairs *pairs);
/* Call for each record. What is not foreseen, or fails, ends the comparison, of which nothing is left then. */
void early_pairs_record(struct early_pairs *pairs, const struct armtap_record *record);
/* After the reading: the comparison of all records of the chosen streams in the order of the capture, which the caller
 * frees; NULL: they must be read again. */
struct armtap_comparison *early_pairs_take(struct early_pairs *pairs,
                                           const struct chosen_stream *const chosen[ARMTAP_SIDES]);

#endif
