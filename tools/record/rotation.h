/* --rotate and --keep, of every command that records. */
#ifndef RECORD_ROTATION_H
#define RECORD_ROTATION_H

#include "command_line/options.h"

struct rotation {
    int64_t time;                /* ns between two files; 0: no matter how long */
    uint64_t part_size;          /* bytes of a file; 0: no matter how many */
    unsigned has_time, has_size; /* how often they were given */
    uint64_t keep;               /* bytes of all files together; 0: all are kept */
};

/* Readers of --rotate and of --keep, into a struct rotation. */
option_reader rotation_read, rotation_read_keep;
/* Whether they go together, and with the output. 0, or -1 after a message. */
int rotation_check(const struct rotation *rotation, const char *command, const char *output);

#endif
