/* What is missing between the rows of an export: bytes missing in the capture, bytes that could not be decoded, the
 * time they cover, and packages that the controller skipped; with totals for each stream, for a summary on standard
 * error.
 *
 * The time is how far the controller's clock advanced since the record before, less one step for each package that
 * came or was skipped. If the records have no clock, or it jumped, and across a pause, the records that fit into the
 * bytes count, one step each; if their size or the step is not known, it is the difference of the capture times, less
 * one step if that is known. Rounded to microseconds. */
#ifndef EXPORT_MISSING_DATA_H
#define EXPORT_MISSING_DATA_H

#include "analysis/armtap-analysis.h"
#include "base/numbers/timestamp.h"
#include "gaps.h"

/* What the seconds are of, the surest first. */
enum lost_from {
    LOST_FROM_NOTHING,
    LOST_FROM_CLOCK, /* the controller's */
    LOST_FROM_RATE,  /* the records that fit, one usual step each */
    LOST_FROM_TIME   /* the capture's, with all that delayed the record behind */
};
/* "clock"; NULL for NOTHING. */
const char *lost_from_name(enum lost_from from);

struct missing_flow {
    uint64_t bytes;   /* missing in the capture */
    uint64_t unread;  /* captured, but not decoded */
    uint64_t skipped; /* packages that the controller skipped */
    double records;   /* estimate for `bytes` and `unread` */
    double seconds;   /* the same; NAN: unknown */
    enum lost_from from;
    struct gap gap; /* the longest */
};
/* Also takes over the longer gap. */
void missing_flow_add(struct missing_flow *sum, const struct missing_flow *one);
/* A place where data is missing: before a record, or after the last one. */
struct missing_place {
    struct armtap_where where;
    struct missing_flow missing;
    bool is_end;
};

#define MISSING_PLACES 3
struct missing_holes {
    uint64_t count;
    struct missing_flow sum; /* `seconds`: the known ones */
};
/* The largest holes in one direction of a stream. */
struct missing_places {
    struct missing_place gaps[MISSING_PLACES], unread[MISSING_PLACES]; /* the longest first */
    struct missing_place skip;                                         /* the largest */
};
/* The totals of one direction of a stream. */
struct missing_total {
    struct missing_holes gaps;   /* places with bytes missing in the capture, and undecodable ones beside them */
    struct missing_holes unread; /* places with undecodable bytes only */
    uint64_t skipped;            /* packages that the controller skipped */
    uint64_t skips;              /* places where it did */
    uint64_t opaque;             /* records without a known recipe */
    struct armtap_where first_opaque, last_opaque;
    uint64_t unsure; /* records behind a gap that may hold another set-up: they may not have the recipe's fields */
    struct armtap_where first_unsure;
};

struct missing_data;
/* `direction`: that of the rows. NULL without memory. */
struct missing_data *missing_data_new(enum armtap_direction direction);
void missing_data_free(struct missing_data *data);
/* Before any record: this is the first of two readings, which only learns the rates; what is missing is told in the
 * second one. */
void missing_data_only_learn(struct missing_data *data);
/* Before any record: also finds the gaps between records; `of_rows`: those without a recipe are none. */
void missing_data_find_gaps(struct missing_data *data, bool of_rows, const struct labels *labels);
/* Call these four from the callbacks of a sink, and missing_data_rewind between two readings. 0, or -1 without memory.
 */
int missing_data_record(struct missing_data *data, const struct armtap_record *record);
int missing_data_recipe(struct missing_data *data, const struct armtap_recipe_event *event);
int missing_data_event(struct missing_data *data, const struct armtap_event *event);
int missing_data_note(struct missing_data *data, const struct armtap_note *note);
/* Whether the stream is closed in both directions. */
bool missing_data_is_over(struct missing_data *data, const struct armtap_stream *stream);
/* Frees the state of a closed stream that is not listed on its own. */
void missing_data_let_go(struct missing_data *data, uint64_t connection);
void missing_data_rewind(struct missing_data *data);

/* What is missing before the current record and the earlier ones since the last missing_data_drop of the stream. */
const struct missing_flow *missing_data_before(struct missing_data *data, const struct armtap_record *record);
/* Resets what missing_data_before returns: it is in a row, or was not requested. */
void missing_data_drop(struct missing_data *data, const struct armtap_record *record);
/* Adds the current record to its stream's total. 0, or -1 without memory. */
int missing_data_count(struct missing_data *data, const struct armtap_record *record);
/* What is missing after the last records does not count: the streams go on in another capture. */
void missing_data_goes_on(struct missing_data *data);
/* Limits the totals to a range of capture times. */
void missing_data_limit(struct missing_data *data, const struct timestamp_range *range);
/* For a record outside the range: adds the part of the hole before it that is inside. 0, or -1 without memory. */
int missing_data_count_part(struct missing_data *data, const struct armtap_record *record);
/* Places are kept for so many streams: those that began first. */
#define MISSING_PLACED 64
/* The totals of a stream, including what is missing after its last record; false if it has none. `are_kept`: whether
 * *places has all its places. */
bool missing_data_total(struct missing_data *data, const struct armtap_stream *stream, struct missing_total *total,
                        struct missing_places *places, bool *are_kept);

#endif
