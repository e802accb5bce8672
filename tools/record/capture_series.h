/* A recording: one capture file, or parts that follow one another. */
#ifndef RECORD_CAPTURE_SERIES_H
#define RECORD_CAPTURE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/robots/synthetic_tcp.h"
#include "rotation.h"
#include "capture/comments.h"

/* Writes a capture: pcapng of IP packets, compressed if the name ends in ".gz". A file that is cut off by a crash is
 * readable up to the last sync; one that a full disk ends holds whole packets only. */

struct capture_file;

enum capture_file_outcome {
    CAPTURE_FILE_OK,
    CAPTURE_FILE_FULL,    /* no space: what was given is kept in memory, and written once there is space */
    CAPTURE_FILE_CLOSED,  /* the reader closed the pipe */
    CAPTURE_FILE_OVERDUE, /* the pipe's reader takes nothing, and the program was asked to end */
    CAPTURE_FILE_FAILED,  /* errno says why */
    CAPTURE_FILE_NO_MEMORY,
};

struct capture_packet {
    int64_t time; /* ns since the epoch */
    const uint8_t *bytes;
    size_t length;
    uint64_t dropped;    /* so many packets were lost right before it */
    const char *comment; /* NULL: none */
};

/* Bytes kept in memory before they are written. */
#define CAPTURE_FILE_BUFFER ((size_t)128 * 1024)

/* Creates a file that must not exist yet, or opens a pipe or a device; "-" is standard output. Waits for the reader of
 * a pipe, until interrupt_is_overdue(). NULL with errno; EEXIST: there is such a file; EINTR: nobody reads the pipe. */
struct capture_file *capture_file_open(const char *path, const struct section_comment *comment);
/* The packet is taken also when the outcome is not CAPTURE_FILE_OK. */
enum capture_file_outcome capture_file_packet(struct capture_file *file, const struct capture_packet *packet);
/* Writes what was taken so far. */
enum capture_file_outcome capture_file_flush(struct capture_file *file);
/* The same, and waits until it is on the disk. */
enum capture_file_outcome capture_file_sync(struct capture_file *file);
/* Writes the rest; the file must still be freed. */
enum capture_file_outcome capture_file_end(struct capture_file *file);
/* For a file that takes no more: cuts off what was not written whole, and forgets the rest. Returns the number of
 * packets taken but not in the file. */
uint64_t capture_file_give_up(struct capture_file *file);
/* The same, and frees it. Accepts NULL. */
uint64_t capture_file_free(struct capture_file *file);

/* Whether a reader waits for what is written, as with a pipe. */
bool capture_file_is_awaited(const struct capture_file *file);
/* Bytes of the file so far, those in memory included: of gzip, as they will be written. */
uint64_t capture_file_size(const struct capture_file *file);
/* Bytes that a packet takes before compression. */
size_t capture_file_cost(const struct capture_packet *packet);

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
