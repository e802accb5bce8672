/* What is missing between the rows of an export: bytes that the capture lacks, bytes that could not be read, the time
 * that both stand for, packages that the controller left out. And the same summed up for each stream, for a word on
 * standard error.
 *
 * The time: by how much the controller's clock went on since the record before, less one step for every package that
 * came or was left out; where the records have no clock, or it jumped, by how much the capture's did, less one step if
 * that is known. Across a pause, in which no data is due, only the records that fit into the bytes count, a step each.
 * In microseconds. */
#ifndef EXPORT_MISSING_DATA_H
#define EXPORT_MISSING_DATA_H

#include "analysis/armtap-analysis.h"

struct missing_flow {
    uint64_t bytes;   /* lacking in the capture */
    uint64_t unread;  /* captured, and no message */
    uint64_t skipped; /* packages that the controller left out */
    double records;   /* that both stand for, about */
    double seconds;   /* NAN: not known */
};
/* A place where something is missing: before that record, or after the last one. */
struct missing_place {
    struct armtap_where where;
    struct missing_flow missing;
    bool is_end;
};

#define MISSING_PLACES 3
struct missing_holes {
    uint64_t count;
    struct missing_flow sum; /* `seconds` without those that are not known */
};
/* Where most is missing of one direction of a stream. */
struct missing_places {
    struct missing_place gaps[MISSING_PLACES], unread[MISSING_PLACES]; /* the longest first */
    struct missing_place skip;                                         /* the largest */
};
/* Of one direction of a stream. */
struct missing_total {
    struct missing_holes gaps;   /* where the capture lacks bytes, with those beside them that could not be read */
    struct missing_holes unread; /* where it lacks none */
    uint64_t skipped;            /* packages that the controller left out */
    uint64_t skips;              /* places where it did */
    uint64_t opaque;             /* records without a known recipe */
    struct armtap_where first_opaque, last_opaque;
};

struct missing_data;
/* `direction`: whose records are rows. NULL without memory. */
struct missing_data *missing_data_new(enum armtap_direction direction);
void missing_data_free(struct missing_data *missings);
/* Call its feeders from the callbacks of a sink, in a first reading, if there is one, and after missing_data_rewind in
 * the second. Without memory they return -1. */
int missing_data_record(struct missing_data *missings, const struct armtap_record *record);
int missing_data_recipe(struct missing_data *missings, const struct armtap_recipe_event *event);
int missing_data_event(struct missing_data *missings, const struct armtap_event *event);
int missing_data_note(struct missing_data *missings, const struct armtap_note *note);
/* Whether no record of the stream will come any more. */
bool missing_data_is_over(struct missing_data *missings, const struct armtap_stream *stream);
/* The stream is over, and one of those that are only added up. */
void missing_data_let_go(struct missing_data *missings, uint64_t connection);
void missing_data_rewind(struct missing_data *missings);

/* What is missing before the record at hand, of the direction of the rows, and before those since the last
 * missing_data_drop of its stream. */
const struct missing_flow *missing_data_before(struct missing_data *missings, const struct armtap_record *record);
/* It is in a row now, or in none that is wanted. */
void missing_data_drop(struct missing_data *missings, const struct armtap_record *record);
/* Adds the record at hand, which is wanted, to its stream's total. 0, or -1 without memory. */
int missing_data_count(struct missing_data *missings, const struct armtap_record *record);
/* Only what was captured from one time to another is wanted. */
void missing_data_limit(struct missing_data *missings, int64_t from, int64_t to);
/* The record at hand is outside of that: adds what is missing before it and within. 0, or -1 without memory. */
int missing_data_count_part(struct missing_data *missings, const struct armtap_record *record);
/* Of so many streams, those that began first, places are kept. */
#define MISSING_PLACED 64
/* The totals of a stream, what is missing after its last record included if that was counted; false if it has none.
 * `are_kept`: whether its places were kept, and are in *places. */
bool missing_data_total(struct missing_data *missings, const struct armtap_stream *stream, struct missing_total *total,
                        struct missing_places *places, bool *are_kept);

#endif
