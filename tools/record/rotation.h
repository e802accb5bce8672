/* --rotate and --keep, of every command that records. */
#ifndef RECORD_ROTATION_H
#define RECORD_ROTATION_H

#include <stdint.h>

struct rotation {
    int64_t time;       /* ns between two files; 0: no matter how long */
    uint64_t part_size; /* bytes of a file; 0: no matter how many */
    uint64_t keep;      /* bytes of all files together; 0: all are kept */
};

#define ROTATE_META "T|SIZE"
#define ROTATE_HELP                                                                                                    \
    "begin another file at each multiple of T (60s, 15m, 1h, 1d), or before a file grows larger than SIZE (500M, "     \
    "1G); may be given once for each; a number alone is seconds"
#define KEEP_HELP                                                                                                      \
    "delete the oldest files, also those that earlier runs with the same OUT left, when all together exceed SIZE "     \
    "(200G)"

/* The value of --rotate, and of --keep. 0, or -1 after a message. */
int rotation_take(struct rotation *rotation, const char *value);
int rotation_take_keep(struct rotation *rotation, const char *value);
/* Whether they go together, and with the output. 0, or -1 after a message. */
int rotation_check(const struct rotation *rotation, const char *command, const char *output);

#endif
