/* What armtap info collects of a capture, and how it is printed. */
#ifndef INFO_INFO_H
#define INFO_INFO_H

#include "analysis/armtap-analysis.h"
#include "command_line/options.h"
#include "capture/comments.h"
#include "command_line/shared_text.h"

/* Bytes of a note's text that are shown. */
#define EXAMPLE_MAX 512

/* The first note of a kind, shown as an example. */
struct example {
    struct armtap_where where;
    char text[EXAMPLE_MAX];
    struct armtap_arguments arguments;
};

struct info {
    bool json;
    bool findings_ok;
    struct options options;
    struct armtap_knowledge *knowledge;
    struct armtap_streams *streams;
    const char *after; /* the sidecars around the capture; NULL: none */
    struct archive *archive;
    struct info_part *part;       /* the capture in its archive; NULL: there is none */
    struct example *examples;     /* by index of armtap_note_at */
    struct armtap_traffic *ports; /* ports that are not decoded */
    size_t port_count;
    struct remedy_offers offers;
    struct capture_comments comments;
    struct replay_totals totals;
    int status; /* enum exit_status */
};

/* The direction that a stream's times and rate are about: that of its data, if there is any. */
enum armtap_direction info_direction(const struct armtap_stream_summary *summary);
/* ns, or ARMTAP_NO_TIME. */
int64_t info_duration(const struct armtap_stream_summary *summary);
/* Millionths of a record from the robot per second of streaming; negative if unknown. */
int64_t info_rate(const struct armtap_stream_summary *summary);
/* The same of a number of steps and the ns that they took. */
int64_t info_rate_of(uint64_t steps, int64_t streaming);
/* Of both directions. */
uint64_t info_both(const uint64_t count[2]);

void info_print_json(const struct info *info);
/* 0, or -1 without memory. */
int info_print_text(const struct info *info);

/* What one capture of an archive adds to the counts of its streams: those after it, less those before it. */

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
