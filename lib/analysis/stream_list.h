/* What is listed of a capture: its streams, and attempts to connect that failed. */
#ifndef ANALYSIS_STREAM_LIST_H
#define ANALYSIS_STREAM_LIST_H

#include "armtap-analysis.h"
#include "protocol/fact.h"

/* ---- failed_attempts.c ----
 *
 * Failed attempts to connect: refused, not answered, or accepted without any data. */

/* Pairs of robot and client that are kept apart; further ones are only counted. */
#define ATTEMPTS_PAIRS 1000
/* Entries per pair and outcome, and of all pairs beyond their first; further attempts extend the last entry. */
#define ATTEMPTS_EPISODES 10
#define ATTEMPTS_ALL 2000

struct armtap_attempts *armtap_attempts_new(void);
void armtap_attempts_free(struct armtap_attempts *attempts);
/* 0, or -1 if memory runs out */
int armtap_attempts_event(struct armtap_attempts *attempts, const struct armtap_event *event);
/* For live output, what the last event changed: a pair's first failure, a failure after a success, or a success after
 * failures; NULL: nothing. */
const struct armtap_attempt *armtap_attempts_news(const struct armtap_attempts *attempts);
/* The kind of the outcome's finding. */
enum armtap_note_code armtap_attempt_code(enum armtap_attempt_outcome outcome);
/* What became of the attempts, pointing into the entry. */
struct attempt_arguments {
    struct armtap_argument all[20];
    struct armtap_arguments arguments; /* of `all` */
    char reporter[64];
};
void armtap_attempt_arguments(struct attempt_arguments *to, const struct armtap_attempts *attempts,
                              const struct armtap_attempt *attempt);
/* ---- stream_entry.c ----
 *
 * A stream of the list, in full or packed. */

/* Notes of one kind. */
struct stream_notes {
    uint32_t kind;  /* index of armtap_note_at */
    uint32_t count; /* stops at UINT32_MAX */
};

/* A stream's summary, and the data behind it. Thousands of them take turns with their records, which need the same
 * lines of the cache again: the summary lies before what is rare, the stream's counters at the end. */
struct stream_entry {
    struct armtap_stream_summary summary;
    bool is_paused; /* the next record begins a stretch */
    bool closed[2];
    bool is_told; /* its summary was asked for, and stays where it is */
    uint32_t note_kinds;
    struct stream_notes *notes; /* only the kinds that occur */
    struct armtap_stream stream;
};

/* An entry as what differs from another one, usually some 80 of its bytes. */
struct packed_stream {
    const struct armtap_stream *none; /* NULL, where an entry's summary has its stream */
    uint8_t bytes[];
};

/* Of an entry or a packed stream. */
static inline bool armtap_entry_is_packed(const void *thing)
{
    return !*(const struct armtap_stream *const *)thing;
}

static inline struct stream_entry *armtap_entry_of(const struct armtap_stream_summary *summary)
{
    return (struct stream_entry *)summary;
}

/* NULL if memory runs out, here and below. */
struct stream_entry *armtap_entry_new(void);
/* The entry's parts stay allocated, and belong to the packed one. */
struct packed_stream *armtap_entry_pack(struct stream_entry *entry, const struct stream_entry *like);
/* The same entry again; the packed one is not freed. */
void armtap_entry_unpack(const struct packed_stream *packed, const struct stream_entry *like,
                         struct stream_entry *entry);

/* ---- stream_list.c ----
 *
 * The streams of a capture: the connections that carry telemetry, found by connection and numbered from 0 in the order
 * of their first packets. */

#endif
