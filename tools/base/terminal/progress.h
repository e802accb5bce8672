/* A progress line on standard error: only on a terminal, only after one second of work, erased at the end. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool wanted;
    bool shown;
    uint64_t total; /* bytes; 0: unknown */
    int64_t begin;  /* ns of the monotonic clock */
    int64_t last;
};
void progress_begin(struct progress *progress, bool wanted, uint64_t total);
/* Call it often: it draws at most five times a second. */
void progress_update(struct progress *progress, uint64_t done);
/* Erases the line, for example before a message. */
void progress_hide(struct progress *progress);

#endif
