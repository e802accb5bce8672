/* Writes a capture: pcapng of IP packets, compressed if the name ends in ".gz". A file that is cut off by a crash is
 * readable up to the last sync; one that a full disk ends holds whole packets only. */
#ifndef RECORD_CAPTURE_FILE_H
#define RECORD_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/capture/section_comment.h"

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

#endif
