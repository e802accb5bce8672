/* What one capture of an archive adds to the counts of its streams: those after it, less those before it. */
#ifndef INFO_PART_H
#define INFO_PART_H

#include "analysis/armtap-analysis.h"

/* Of a stream, in the whole source or in one capture of an archive. Directions are added up where there is one number.
 */
struct info_counts {
    uint64_t packets, records[2], gaps, decoded, lost, skipped;
    uint64_t steps;            /* from record to record from the robot, without pauses ... */
    int64_t streaming;         /* ... and the ns that they took */
    int64_t first[2], last[2]; /* times of records, by direction; ARMTAP_NO_TIME without one */
};

struct info_part;
struct info_part *info_part_new(void); /* NULL without memory */
void info_part_free(struct info_part *part);
/* The capture begins, and ends. 0, or -1 without memory. */
int info_part_begin(struct info_part *part, struct armtap_streams *streams);
int info_part_end(struct info_part *part, struct armtap_streams *streams);
bool info_part_has_ended(const struct info_part *part);
/* A record of the capture. 0, or -1 without memory. */
int info_part_record(struct info_part *part, const struct armtap_record *record);

/* `part` NULL: of the whole source. */
struct info_counts info_counts_of(const struct info_part *part, const struct armtap_stream_summary *summary);
/* The notes of that kind; `summary` NULL: of all streams, and of none. */
uint64_t info_notes_of(const struct info_part *part, const struct armtap_streams *streams,
                       const struct armtap_stream_summary *summary, size_t kind);

#endif
