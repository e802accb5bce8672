/* Puts captures in order of time: names do not tell it (x1, x10, x2). */
#ifndef INPUT_FILE_ORDER_H
#define INPUT_FILE_ORDER_H

#include <stddef.h>

#include "replay.h"

/* Sorts by the time of the first packet. Files without one, raw dumps and files that cannot be read go last; files of
 * one time stay as they are. 0, or -1 after a message. Standard input cannot be sorted. */
int file_order_sort(char **names, size_t count);

/* Whether the files of a capture were taken at the same time, as a passive tap writes one for each direction: then they
 * are read side by side, by time. */

struct file_turns {
    struct file_turn {
        uint32_t file;
        int64_t first; /* time of its first packet */
    } * turns;         /* by time; NULL: the files are read one after another, as they are given */
    size_t count;
    const char *unread; /* a file whose times could not be read, so that the order may be wrong; NULL: none */
};

/* Looks at ordinary files; one that goes on, sidecars and dumps are read as they are given. 0, or -1 if memory runs
 * out. Problems are reported when a file is read; `unread` says that there was one. */
int file_turns_find(struct file_turns *turns, const struct replay_source *source);
void file_turns_free(struct file_turns *turns);

#endif
