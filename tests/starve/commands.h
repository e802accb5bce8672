/* The commands of tests/starve/COMMANDS, and the files that they read. */
#ifndef STARVE_COMMANDS_H
#define STARVE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_WORDS_MAX 16

struct command {
    char *line; /* the words point into it */
    const char *name;
    int status;
    bool is_first;                      /* makes files for the others, and nothing fails */
    char *words[COMMAND_WORDS_MAX + 1]; /* argv */
    int count;
    const char *input;    /* standard input; NULL: empty */
    bool piped;           /* the input comes through a pipe */
    const char *replaced; /* a file that exists before the run, or NULL */
    size_t number;        /* in the list */
};

struct commands {
    struct command *all;
    size_t count;
};

/* Reads the list and makes its files in the current folder. 0, or -1 after a message. */
int commands_read(const char *name, const char *samples, struct commands *commands);
void commands_free(struct commands *commands);

#endif
