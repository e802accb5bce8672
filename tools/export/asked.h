/* The options of `armtap export`, and whether they go together. */
#ifndef EXPORT_ASKED_H
#define EXPORT_ASKED_H

#include "command_line/options.h"
#include "export.h"

/* The options as given, before they are checked against each other. */
struct asked {
    struct options options;
    struct export_wish wish;
    const char *format;
    const char *dialect;
    bool has_compression, to_robot;
    char *bag_file; /* the output, if it is in a bag; owned */
};

/* Chooses asked->wish.format, and loads its libraries: as option_usage.prepare wants it. */
int asked_choose(void *asked);
/* Completes asked->wish by what follows from the format and from the shared options. 0, or -1 after a message. */
int asked_check(struct asked *asked);

#endif
