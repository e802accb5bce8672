/* Where bytes of a stream's data are missing or could not be read: about how many records that were, and for how long
 * no data came. It is told with the next record. */
#ifndef ANALYSIS_MISSING_RECORDS_H
#define ANALYSIS_MISSING_RECORDS_H

#include "findings.h"

/* So many between two records; the rest is told as the library says it. */
#define HOLES_WAITING 16
#define HOLES_TEXT 240

/* Begins as zeros. */
struct missing_records {
    bool has_last;
    struct armtap_where last; /* record */
    uint64_t skipped;         /* the stream's counter then */
    uint64_t records, bytes;  /* of all records */
    size_t length;            /* of the last one; 0: they differ in length */
    double clock, step; /* the controller's at the last record, and the last step without a hole, s; 0: not known */
    uint64_t missing;   /* bytes, by the last event */
    struct armtap_stream stream;
    struct missing_run {
        const struct armtap_note_kind *kind;
        struct armtap_where where;
        uint64_t bytes; /* 0: not known */
        char text[HOLES_TEXT];
    } * waiting; /* HOLES_WAITING at most */
    size_t count, room;
    bool failed; /* without memory */
};
void armtap_missing_records_clear(struct missing_records *holes);

/* Keeps a note of missing or unreadable data until the next record; false: it is none, and the caller tells it. */
bool armtap_missing_records_note(struct missing_records *holes, const struct armtap_note *note);
void armtap_missing_records_event(struct missing_records *holes, const struct armtap_event *event);
void armtap_missing_records_record(struct missing_records *holes, struct findings *findings,
                                   const struct armtap_record *record);
/* No record will come. */
void armtap_missing_records_end(struct missing_records *holes, struct findings *findings);

#endif
