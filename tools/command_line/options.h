/* One option parser for all commands, driven by tables. */
#ifndef COMMAND_LINE_OPTIONS_H
#define COMMAND_LINE_OPTIONS_H

#include "input/replay.h"
#include "input/robot_reader.h"
#include "base/timestamp.h"

/* An option of a command. */
struct option_row {
    int id;            /* chosen by the command, from 1 */
    char letter;       /* 0: none */
    const char *name;  /* without dashes; NULL: only the letter */
    const char *value; /* "FILE" in the help; NULL: takes none; "[raw]": may have one, after "=" only */
    const char *help;  /* will be wrapped */
};

/* The words that an option of a command takes, for completion: "csv, gnuplot or ndjson". */
struct option_words {
    int id;
    const char *list;
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
    bool decodes;    /* without reads_captures: has --port, --raw and --no-guess, for captures named by an option */
    bool may_follow; /* with reads_captures: has --follow */
    bool may_lack_captures; /* with reads_captures: the command has other inputs and checks for captures itself */
    bool needs_files;       /* with reads_captures: they are read more than once, so the help offers only files */
    bool reads_robots;      /* robots may be named: has --fields and --strict, unless it has its own, --all, ... */
    bool fixed_request;     /* with reads_robots: what to ask a robot for is not the user's choice */
    const char *columns;    /* names in its own --fields that are not fields, separated by blanks */
    const struct option_words *words;
    size_t words_count;
    /* Called when all options are taken, before an interface is opened: its sandbox allows no more libraries. `user` as
     * for options_take. 0, or -1 after a message. NULL: nothing is to do. */
    int (*prepare)(void *user);
};

/* The values of the shared options. The source points into argv and into this struct. */
struct options {
    struct replay_source source;
    unsigned threads; /* at least 1; default: one per core */
    char **operands;  /* in order; with reads_captures they are the source's names */
    size_t operand_count;
    struct armtap_port *ports;
    struct armtap_recipe *recipe;
    struct inputs *inputs;
    struct capture *live;
    struct robot_sources robots; /* count 0: none */
    enum timestamp_zone zone;    /* of printed times */
};

enum options_outcome { OPTIONS_RUN, OPTIONS_HELP_SHOWN, OPTIONS_BAD };

/* Called for each of the command's own options, in order; `value` is NULL where none was given. Returns 0, or -1 after
 * a message. NULL if it has none. */
typedef int options_take(void *user, int id, const char *value);

/* Parses argv, which begins after the command's name. GNU style: operands anywhere, "--" ends options, --name=value or
 * --name value, -ovalue or -o value. Unless it returns OPTIONS_RUN, the caller returns options_status(outcome) at once
 * and frees nothing. A command that reads captures needs operands or -i, which is checked here. */
enum options_outcome options_parse(const struct option_usage *usage, int argc, char **argv, struct options *options,
                                   options_take *take, void *user);
int options_status(enum options_outcome outcome);
void options_free(struct options *options);

/* Reads an option's value, a whole number from `low` to `high`; 0, or -1 after a message that names the option. */
int options_number(const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *number);
/* Reads the value of --from or --to. 0, or -1 after a message that names the option. */
int options_time(const char *option, const char *value, struct timestamp *when);
/* Says that a robot was named where only captures are read. */
void options_refuse_robot(const char *command, const char *robot);

/* For completion: the i-th option of a command, the shared ones included, NULL after the last; by name, by letter, NULL
 * if there is none; whether the help offers it, and with which text. */
const struct option_row *options_row_at(const struct option_usage *usage, size_t i);
const struct option_row *options_row_named(const struct option_usage *usage, const char *name, size_t length);
const struct option_row *options_row_of_letter(const struct option_usage *usage, char letter);
bool options_is_offered(const struct option_usage *usage, const struct option_row *row);
const char *options_help_of(const struct option_usage *usage, const struct option_row *row);
/* The words that a shared option takes; NULL: others, or not words. */
const char *options_shared_words(const struct option_row *row);
/* Whether it is the shared --fields, which names what a robot has. */
bool options_asks_robot(const struct option_row *row);

/* The closest of `count` names if it is close enough to be meant, else NULL. */
const char *options_nearest(const char *word, const char *const *names, size_t count);

#endif
