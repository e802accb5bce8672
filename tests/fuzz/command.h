/* The program's commands as functions: run in this process, standard output and error caught. */
#ifndef FUZZ_COMMAND_H
#define FUZZ_COMMAND_H

#include "target.h"

#define COMMAND_ARGUMENTS 16

struct outcome {
    int status;
    struct caught {
        char *text; /* ends in a NUL that is not counted */
        size_t length;
    } out, error;
};
/* Runs `arguments`, the command's name first, NULL behind the last. */
void command_run(const char *const *arguments, struct outcome *outcome);
/* The same without looking at the output; returns its bytes. */
/* What `-` reads from now on: the bytes of that file, through a pipe that ends where they fit into one. */
void command_standard_input(const char *name);
uint64_t command_run_unseen(const char *const *arguments);
void outcome_free(struct outcome *outcome);

#endif
