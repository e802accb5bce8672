/* Options of the commands: one parser, driven by tables. */
#ifndef COMMAND_LINE_OPTIONS_H
#define COMMAND_LINE_OPTIONS_H

#include "input/replay.h"
#include "base/timestamp.h"

/* An option of a command. */
struct option_row {
    int id;            /* the command's own number, from 1 */
    char letter;       /* 0: none */
    const char *name;  /* without dashes; NULL: only the letter */
    const char *value; /* "FILE" in the help; NULL: takes none */
    const char *help;  /* lines are wrapped */
};

struct option_usage {
    const char *command;   /* "export" */
    const char *arguments; /* "[CAPTURE...]" */
    const char *summary;   /* one sentence */
    const struct option_row *rows;
    size_t row_count;
    bool reads_captures; /* has --port, --recipe, --raw, -i, --filter, --threads, --local and operands that are captures
                          */
    const char *examples; /* lines, each ends in \n */
    bool decodes;    /* without reads_captures: has --port, --raw and --no-guess, for captures that an option names */
    bool may_follow; /* with reads_captures: has --follow */
    bool may_lack_captures; /* with reads_captures: there are other things to read; the command judges */
};

/* What the options that commands share said. The source points into argv and into this. */
struct options {
    struct replay_source source;
    unsigned threads; /* at least 1; by default as many as there are cores */
    char **operands;  /* in order; with reads_captures they are the source's names */
    size_t operand_count;
    struct armtap_port *ports;
    struct armtap_recipe *recipe;
    struct inputs *inputs;
    struct capture *live;
    enum timestamp_zone zone; /* of times for people */
};

enum options_outcome { OPTIONS_RUN, OPTIONS_HELP_SHOWN, OPTIONS_BAD };

/* Called for each of the command's own options, in order. Returns 0, or -1 after a message. */
typedef int options_take(void *user, int id, const char *value);

/* Parses argv, which begins after the command's name. GNU style: operands anywhere, "--" ends options, --name=value or
 * --name value, -ovalue or -o value. Anything but OPTIONS_RUN: return options_status(outcome) at once; nothing needs to
 * be freed then. A command that reads captures is refused here if it has neither operands nor -i. */
enum options_outcome options_parse(const struct option_usage *usage, int argc, char **argv, struct options *options,
                                   options_take *take, void *user);
int options_status(enum options_outcome outcome);
void options_free(struct options *options);

/* A whole number from `low` to `high` as an option's value; 0, or -1 after a message that names the option. */
int options_number(const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *number);
/* The nearest of `count` names if it is near enough to be meant, else NULL. */
const char *options_nearest(const char *word, const char *const *names, size_t count);

#endif
