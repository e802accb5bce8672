/* A recording: one capture file, or parts that follow one another. */
#ifndef RECORD_CAPTURE_SERIES_H
#define RECORD_CAPTURE_SERIES_H

#include "capture_file.h"
#include "input/robots/synthetic_tcp.h"
#include "rotation.h"

struct capture_series;

struct capture_series_wish {
    const char *output;      /* a name, a pattern for part_name(), or "-" */
    const char *robot;       /* for its word ROBOT */
    int64_t rotate;          /* ns: parts end at multiples of it, in UTC; 0: no matter when */
    uint64_t part_size;      /* bytes of a part; 0: no matter how many */
    struct kept_parts *kept; /* where its parts are entered, and which of them are deleted; shared by several series */
    int64_t sync;            /* ns between two moments when all is on the disk */
    /* Makes the packets with which a further part begins, so that it can be read alone. NULL: none. Returns 0, what
     * `take` returned, or -1 if memory runs out. */
    int (*repeat)(void *user, int64_t time, synthetic_take *take, void *taker);
    void *user;
};

/* Begins the first part; `time` is the present (ns since the epoch). The wish is copied, its texts must stay. NULL
 * after a message. */
struct capture_series *capture_series_open(const struct capture_series_wish *wish, int64_t time);
/* Whether so many bytes more fit into the part. */
bool capture_series_has_room(const struct capture_series *series, size_t length);
/* Before the packets of a record of that time and length: begins another part if one is due. 0, or -1 after a message:
 * nothing more can be recorded. */
int capture_series_cut(struct capture_series *series, int64_t time, size_t length);
/* The outcome is the same. */
int capture_series_packet(struct capture_series *series, const struct capture_packet *packet);
/* For a reader that waits: writes what was taken. Also syncs if that is due; call it often, with the monotonic clock.
 */
int capture_series_turn(struct capture_series *series, int64_t now, bool is_idle);
/* Writes the rest. 0, or -1 after a message. */
int capture_series_end(struct capture_series *series);
/* Accepts NULL. */
void capture_series_free(struct capture_series *series);

struct capture_series_totals {
    uint64_t packets; /* written, without repeated ones */
    uint64_t bytes;   /* of all parts */
    uint64_t parts;
    uint64_t lost;   /* packets that could not be written */
    uint64_t closed; /* 1: the pipe's reader has what it wanted */
};
const struct capture_series_totals *capture_series_totals(const struct capture_series *series);
/* The part being written. */
const char *capture_series_name(const struct capture_series *series);

#endif
