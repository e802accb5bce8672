/* The library's output: counters, notes, and of each record its offset and a hash of its frame and values. */
#ifndef TRANSPORT_OUTCOME_H
#define TRANSPORT_OUTCOME_H

#include "dialogue.h"

#define OUTCOME_STREAMS 8

struct outcome_record {
    uint64_t stream;
    uint64_t offset;
    size_t length;
    uint64_t packet; /* file << 32 | packet number */
    uint64_t hash;   /* of frame, names, types and values */
    unsigned flags;
    int version, id;
    bool opaque;
};

struct outcome {
    struct outcome_record *records[2]; /* by enum armtap_direction, in the order they came */
    size_t count[2], room[2];
    struct armtap_stream streams[OUTCOME_STREAMS]; /* at their last close, by connection */
    unsigned closes[OUTCOME_STREAMS];
    uint64_t gap_events[2];
    uint64_t gap_bytes[2];
    struct log notes;             /* a line each: "id: text" */
    struct armtap_recipe *recipe; /* the last of data from the robot; held */
    /* Called for every record unless NULL; its user is `about`. */
    void (*watch)(void *about, const struct armtap_record *record);
    void *about;
};
struct armtap_sink outcome_sink(void); /* its user is a struct outcome */
void outcome_free(struct outcome *outcome);
unsigned outcome_notes(const struct outcome *outcome, const char *id);

/* Packets through armtap_net; `options` may be NULL. */
void outcome_of(const struct capture_list *list, const struct armtap_net_options *options, struct outcome *outcome);
/* A dialogue through armtap_net in one go: cut and dressed. */
void outcome_of_dialogue(const struct dialogue *dialogue, const struct cutting *cutting,
                         const struct clothing *clothing, const struct armtap_net_options *options,
                         struct outcome *outcome);

/* The same record, wherever it was captured; AFTER_GAP does not count. */
bool same_record(const struct outcome_record *a, const struct outcome_record *b);
/* Fails unless both directions hold the same records. */
void assert_same_records(const struct outcome *a, const struct outcome *b, const char *what);

#endif
