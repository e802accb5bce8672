/* A line of progress on standard error: only on a terminal, only after a second of work, erased at the end. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool wanted;
    bool shown;
    uint64_t total; /* bytes; 0: not known */
    int64_t begin;  /* ns of the monotonic clock */
    int64_t last;
};
void progress_begin(struct progress *progress, bool wanted, uint64_t total);
/* Call it often: it draws five times a second at most. */
void progress_update(struct progress *progress, uint64_t done);
/* Erases the line, as before a message. */
void progress_hide(struct progress *progress);

#endif
