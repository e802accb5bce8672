/* The streams of a capture: the connections that carry telemetry, numbered from 0 in the order of their first packets.
 */
#ifndef ANALYSIS_STREAM_LIST_H
#define ANALYSIS_STREAM_LIST_H

#include "failed_attempts.h"
#include "input/replay.h"

/* A channel of AUBO: what was last subscribed to on it, or with the direction to the robot published. */
struct stream_channel {
    int id;
    enum armtap_direction direction;
    double frequency; /* Hz asked for; 0 where not said */
    size_t topics;
    struct armtap_recipe *recipe; /* held; NULL: it was not kept */
};

/* Why the names of a stream's data were guessed. */
struct stream_guess {
    unsigned score, needed;
    bool names_captured;         /* in the request */
    struct armtap_set supported; /* fields whose values speak for their name */
    const char *source;
    const char *reasons; /* "; " between */
};

/* Where the capture's clock was set back between two records from the robot. */
struct clock_back {
    uint64_t count;
    struct armtap_where where; /* of the largest: the record after it */
    int64_t by;                /* ns; of the largest */
};

/* Notes of one kind. */
struct stream_notes {
    uint32_t kind;  /* as armtap_note_at counts */
    uint32_t count; /* at UINT32_MAX it stays */
};

struct stream_summary {
    struct armtap_stream stream; /* as it was last seen */
    unsigned number;             /* set by streams_number */
    struct armtap_where begin;   /* its first packet; of a raw dump its file */
    int64_t first_time[2];       /* of its data records, by direction; ARMTAP_NO_TIME without one */
    int64_t last_time[2];
    int64_t hidden[2]; /* ns that pass between those times unseen: the capture's clock was set back */
    int64_t streaming; /* ns from record to record from the robot, pauses left out */
    uint64_t steps;    /* so many from one record to the next */
    bool is_paused;    /* the next record begins a stretch */
    double last_clock; /* the controller's, of the last record from the robot; NAN: none */
    struct clock_back back;
    struct armtap_recipe *recipe;    /* the last output recipe, or one that is the same, held; NULL without one */
    struct stream_channel *channels; /* in the order of set-up */
    size_t channel_count;
    uint64_t channels_left_out; /* set-ups of channels that are not kept */
    bool closed[2];
    struct stream_notes *notes; /* of the kinds that it has */
    size_t note_kinds;
    struct stream_guess *guess; /* of the last output recipe; NULL: not guessed */
    uint64_t guessed;           /* records from the robot that go by a guess */
    /* Well-known recipes that data without names may follow. */
    const struct armtap_known_recipe **candidates;
    size_t candidate_count;
};

/* What is known of streams beyond those that are kept one by one, all together. */
struct streams_rest {
    uint64_t count;
    uint64_t records[2];
    uint64_t gaps;
    uint64_t bytes_decoded, bytes_lost, bytes_skipped;
    struct armtap_where first; /* where the first of them ended */
};

/* Collects summaries: call its feeders from the callbacks of a sink. Sorted by connection. What closes without having
 * been recognised is forgotten, so that foreign traffic takes no room; of the budget `streams` the first are kept, and
 * those beyond are added up when they close. */
struct streams;
struct streams *streams_new(void);
void streams_free(struct streams *streams);
/* 0, or -1 without memory */
int streams_record(struct streams *streams, const struct armtap_record *record);
int streams_recipe(struct streams *streams, const struct armtap_recipe_event *event);
int streams_candidates(struct streams *streams, const struct armtap_candidates *candidates);
int streams_note(struct streams *streams, const struct armtap_note *note);
int streams_event(struct streams *streams, const struct armtap_event *event);
/* Whether the last event ended a stream of those that are only added up; whoever keeps something of it can let it go.
 */
bool streams_let_go(const struct streams *streams);
const struct streams_rest *streams_rest(const struct streams *streams);
/* The note about that, where the last event made it due. */
bool streams_due_note(const struct streams *streams, const struct armtap_event *event, struct armtap_note *note);
/* Set-ups whose recipes were not kept: memory for them is bounded. */
uint64_t streams_recipes_left_out(const struct streams *streams);
/* Whether nothing speaks for the name of an entry of the stream's recipe but its place there. */
bool streams_is_by_position(const struct stream_summary *summary, const struct armtap_recipe_entry *entry);
/* How many names are so; *names of how many. */
size_t streams_by_position(const struct stream_summary *summary, size_t *names);
/* Gives numbers to the connections that turned out to carry telemetry, in the order of their first packets. */
void streams_number(struct streams *streams);
size_t streams_count(const struct streams *streams); /* of numbered ones */
const struct stream_summary *streams_at(const struct streams *streams, size_t number);
const struct stream_summary *streams_of(const struct streams *streams, uint64_t connection); /* NULL: none */

/* Notes of a stream, of the kind that armtap_note_at has at `kind`. */
uint64_t streams_notes_of(const struct stream_summary *summary, size_t kind);
/* Notes of the whole capture, those that belong to no stream included (of attempts to connect, one each), by index of
 * armtap_note_at. */
const uint64_t *streams_note_counts(const struct streams *streams);
/* Attempts to connect; they are no streams. */
const struct attempts *streams_attempts(const struct streams *streams);
/* Whether there is a note of warning or error. */
bool streams_have_warning(const struct streams *streams);
/* The same without attempts to connect that failed: no record is missing because of them. */
bool streams_data_have_warning(const struct streams *streams);
/* Says on standard error that there is no telemetry, what there was instead, and what to do. */
void streams_report_none(const struct streams *streams, const struct replay_totals *totals);

#endif
