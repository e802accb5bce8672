/* Whether the files of a capture were taken at the same time, as a passive tap writes one for each direction: then they
 * are read side by side, by time. */
#ifndef INPUT_FILE_TURNS_H
#define INPUT_FILE_TURNS_H

#include "replay.h"

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
