/* Missing or unreadable bytes of a stream's data: about how many records they held, and for how long no data came.
 * Reported with the next record. */
#ifndef ANALYSIS_MISSING_RECORDS_H
#define ANALYSIS_MISSING_RECORDS_H

#include "findings.h"

/* Holes between two records, those alike that the snapshot length made as one; further ones are reported with the
 * library's text. */
#define HOLES_WAITING 16
#define HOLES_TEXT 240

/* Starts as zeros. */
struct missing_records {
    bool has_last;
    struct armtap_where last; /* record */
    uint64_t skipped;         /* the stream's counter at the last record */
    uint64_t records, bytes;  /* of all records */
    size_t length;            /* of the last record; 0: lengths differ */
    double clock, step;       /* the controller's at the last record, and the last step without a hole, s; 0: unknown */
    uint64_t missing;         /* bytes missing, from the last event */
    uint64_t cuts;            /* the stream's counter of gaps that the snapshot length made, at the last event */
    bool is_cut;              /* the last gap is one of these */
    struct armtap_stream *stream; /* as last seen; NULL while there was no hole */
    struct missing_run {
        const struct armtap_note_kind *kind;
        struct armtap_where where;
        uint64_t bytes;            /* 0: unknown */
        uint64_t times;            /* how many alike, the first of which this is; each has `bytes` */
        struct armtap_where until; /* the last of them */
        bool is_cut;               /* by the snapshot length */
        char text[HOLES_TEXT];
    } * waiting; /* at most HOLES_WAITING */
    size_t count, room;
    bool failed; /* memory ran out */
};
void armtap_missing_records_clear(struct missing_records *holes);

/* Keeps a note of missing or unreadable data until the next record. False for any other note, which the caller
 * reports. */
bool armtap_missing_records_note(struct missing_records *holes, const struct armtap_note *note);
void armtap_missing_records_event(struct missing_records *holes, const struct armtap_event *event);
void armtap_missing_records_record(struct missing_records *holes, struct findings *findings,
                                   const struct armtap_record *record);
/* Call when no more records will come. */
void armtap_missing_records_end(struct missing_records *holes, struct findings *findings);

#endif
