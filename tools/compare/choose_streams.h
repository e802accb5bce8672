/* Finds the legacy and the RTDE stream of one robot, which are to be compared. */
#ifndef COMPARE_CHOOSE_STREAMS_H
#define COMPARE_CHOOSE_STREAMS_H

#include "analysis/armtap-analysis.h"

/* What --stream said. */
struct stream_choice_wish {
    uint64_t stream[ARMTAP_SIDES]; /* in any order */
    unsigned count;
};

/* A stream that can be compared. */
struct chosen_stream {
    uint64_t connection;
    const struct armtap_stream_summary *summary; /* set when streams are chosen */
    uint64_t records;                            /* from the robot, with a clock */
    uint64_t clockless;                          /* without: the recipe is not known, or has no timestamp */
    uint64_t no_number;                          /* of these: the timestamp is NaN or infinite */
    bool opaque;                                 /* a recipe was not known */
    bool guessed;                                /* or guessed */
    double low, high;                            /* of its clock, s */
    struct armtap_where first, last;             /* packets of its records */
};

/* Collects them from the records of a reading. */
struct stream_choice;
struct stream_choice *stream_choice_new(void);
void stream_choice_free(struct stream_choice *choice);
/* 0, or -1 without memory */
int stream_choice_record(struct stream_choice *choice, const struct armtap_record *record);

/* After a reading, when the streams are numbered: the two to be compared, by side. 0, or -1 after a message. */
int stream_choice_choose(struct stream_choice *choice, const struct armtap_streams *streams,
                         const struct stream_choice_wish *wish, const struct chosen_stream *chosen[ARMTAP_SIDES]);
/* In a reading that cannot look ahead: `chosen` are connections taken so far, `has` which of them. Takes the record's
 * connection if it is wanted. 0; -1 after a message. */
struct stream_choice_taken {
    bool has[ARMTAP_SIDES];
    uint64_t connection[ARMTAP_SIDES];
    char robot[64];
};
int stream_choice_take(struct stream_choice_taken *taken, struct armtap_streams *streams,
                       const struct stream_choice_wish *wish, const struct armtap_record *record);
/* The same, after the reading: what was taken, or a message why it cannot be compared. */
int stream_choice_judge(struct stream_choice *choice, const struct armtap_streams *streams,
                        const struct stream_choice_taken *taken, const struct chosen_stream *chosen[ARMTAP_SIDES]);

/* Whether their packets lie in one file and between one another, so that one reading brings them together. */
bool stream_choice_are_interleaved(const struct chosen_stream *const chosen[ARMTAP_SIDES]);
/* Length of the host in "10.0.0.2:30004". */
int stream_choice_host(const char *address);

#endif
