/* What robots are asked for: the options of commands that read them. */
#ifndef COMMAND_LINE_ROBOT_REQUEST_H
#define COMMAND_LINE_ROBOT_REQUEST_H

#include "input/robots/robot_link.h"

/* As given on the command line; `columns` by the command. */
struct robot_request {
    const char *fields;  /* --fields, a list with globs; NULL: none */
    const char *columns; /* names in `fields` that are not fields, separated by blanks; NULL: none */
    bool all;            /* --all */
    bool strict;         /* --strict */
    double frequency;    /* --frequency; 0: the controller's own */
    int64_t give_up;     /* --give-up; 0: never */
};

/* Reads the robots' URLs, looks their hosts up, and lists the names to ask for: of `recipe` (may be NULL), else as
 * requested, else those of the legacy packet. 0, or -1 after a message. The URLs must outlive the sources. */
int robot_sources_open(struct robot_sources *sources, char *const *urls, size_t count,
                       const struct robot_request *request, const struct armtap_recipe *recipe);
void robot_sources_close(struct robot_sources *sources);

#endif
