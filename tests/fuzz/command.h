/* Runs the program's commands in this process and catches standard output and error. */
#ifndef FUZZ_COMMAND_H
#define FUZZ_COMMAND_H

#include "target.h"

#define COMMAND_ARGUMENTS 16

struct outcome {
    int status;
    struct caught {
        char *text; /* terminated by a NUL that is not counted */
        size_t length;
    } out, error;
};
/* Runs `arguments`, the command's name first, NULL behind the last. */
void command_run(const char *const *arguments, struct outcome *outcome);
/* The same without looking at the output; returns its bytes. */
/* From now on `-` reads the bytes of that file, through a pipe if they fit into one. */
void command_standard_input(const char *name);
uint64_t command_run_unseen(const char *const *arguments);
void outcome_free(struct outcome *outcome);

#endif
