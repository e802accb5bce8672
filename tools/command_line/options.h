/* The options of all commands: their parser, driven by the table options.def; reading of values; completion. */
#ifndef COMMAND_LINE_OPTIONS_H
#define COMMAND_LINE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "input/replay/replay.h"
#include "base/numbers/timestamp.h"
#include "armtap.h"
#include "input/robots/labels.h"
#include "input/robots/robot_link.h"

/* What robots are asked for: the options of commands that read them. */

#define CHANGES_OPTION "--changes"

/* As given on the command line; `columns` by the command. */
struct robot_request {
    const char *fields;  /* --fields, a list with globs; NULL: none */
    const char *changes; /* the same, of commands that have this option; else NULL */
    const char *columns; /* names in `fields` that are not fields, separated by blanks; NULL: none */
    bool all;            /* --all */
    bool strict;         /* --strict */
    double frequency;    /* --frequency; 0: the controller's own */
    int64_t give_up;     /* --give-up; 0: never */
    bool with_primary;   /* beside each robot, its primary interface */
};

/* Reads the robots' URLs, looks their hosts up, and lists the names to ask for: of `recipe` (may be NULL), else as
 * requested, else those of the legacy packet. 0, or -1 after a message. The URLs must outlive the sources. */
int robot_sources_open(struct robot_sources *sources, char *const *urls, size_t count,
                       const struct robot_request *request, const struct armtap_recipe *recipe);
void robot_sources_close(struct robot_sources *sources);

/* What a command reads, as far as options depend on it. */
enum option_source {
    SOURCE_FILES = 1,
    SOURCE_LIVE = 2,
    SOURCE_RTDE = 4,
    SOURCE_LISTENED = 8, /* a robot that sends by itself: realtime://, primary:// */
    SOURCE_CAPTURE = SOURCE_FILES | SOURCE_LIVE,
    SOURCE_ROBOT = SOURCE_RTDE | SOURCE_LISTENED
};

/* Which shared options a command has. */
enum option_group {
    DECODES = 1,        /* --port */
    READS_CAPTURES = 2, /* operands that are captures */
    READS_LIVE = 4,     /* -i */
    FOLLOWS = 8,        /* --follow */
    SHOWS_TIMES = 16,   /* --local */
    READS_ROBOTS = 32,  /* operands that are robots */
    ASKS_ROBOTS = 64,   /* what a robot is asked for is the user's choice */
    READS_ONLY_ROBOTS = 128,
    ANY_COMMAND = 256,
    GUESSES = 512,     /* --no-guess */
    READS_DUMPS = 1024 /* --raw */
};
/* GROUPS_export and so on */
enum {
#define COMMAND(name, summary, groups) GROUPS_##name = (groups),
#include "commands.def"
};

/* What Tab offers as the value; nothing for TAB_NONE. */
enum option_tab {
    TAB_NONE,
    TAB_FILES,
    TAB_RECIPE,       /* a file, or that of a well-known client */
    TAB_FIELDS,       /* a list of fields, and of the command's columns */
    TAB_OUTPUTS,      /* a list of what a robot sends */
    TAB_OUTPUT,       /* one of these */
    TAB_INPUT,        /* one that a robot takes */
    TAB_ENUMERATIONS, /* a field that is one */
    TAB_NOTES,        /* an id of a finding */
    TAB_PROTOCOL,
    TAB_PORT,        /* a number and a protocol */
    TAB_PACKET_SIZE, /* of legacy packets */
    TAB_INTERFACE,   /* of this machine */
    TAB_END
};

#define OPTION_TEXT_MAX 2048
struct option_row;
/* Reads a value; NULL: none was given. 0, or -1 after a message. */
typedef int option_reader(const struct option_row *row, const char *value, void *place);
/* Writes a list that is not known before the program runs. */
typedef void option_text_maker(char text[OPTION_TEXT_MAX]);

/* An option, as options.def has it. Options are refused where the rules leave them out: if another one is not given
 * that they need, beside one that they clash with, in the mode of one that does not list them, and for sources that are
 * not theirs. Lists are names without dashes, separated by blanks. */
struct option_row {
    char letter;       /* 0: none */
    const char *name;  /* without dashes; NULL: only the letter */
    const char *value; /* "FILE" in the help; NULL: takes none; "[raw]": may have one, after "=" only */
    const char *help;  /* will be wrapped; "{formats}" or the like stands for what `describe` writes */
    option_text_maker *describe, *list; /* `list` in place of `words` */
    option_reader *read;
    size_t offset, size; /* where the value goes in the command's struct; the shared ones: in struct options */
    size_t has;          /* 1 + the place of a bool that becomes true; 0: none */
    uint64_t low, high;  /* of whole numbers; `low` also of the first word */
    double least, most;  /* of others */
    const char *expected;
    const char *words; /* that it takes, as a sentence lists them: "csv, gnuplot or ndjson"; NULL: others */
    enum option_tab tab;
    unsigned group;     /* of a shared option */
    unsigned sources;   /* that it works with; 0: with or without any */
    unsigned format;    /* what an output format must have; 0: nothing */
    bool repeats;       /* may be given more than once */
    bool has_commas;    /* its value is a list with commas */
    bool chooses;       /* a mode of the command, for which only the options in `takes` are */
    bool reads_nothing; /* in that mode there are no operands */
    const char *takes, *needs, *clashes;
    const char *why; /* they clash, or are not taken, after the option's name: "reads no capture" */
};

#define OPTION(letter_, name_, value_, ...) {.letter = (letter_), .name = (name_), .value = (value_), __VA_ARGS__},
#define SECTION(command)
/* Places: a member of OPTIONS_STRUCT. READ is for values of other kinds, or for several members. */
#define OPTION_AT(type, m)                                                                                             \
    .offset = offsetof(OPTIONS_STRUCT, m), .size = sizeof(*(1 ? &((OPTIONS_STRUCT *)0)->m : (type *)0))
#define OPTION_IN(m) .offset = offsetof(OPTIONS_STRUCT, m), .size = sizeof(((OPTIONS_STRUCT *)0)->m)
#define FLAG(m) OPTION_AT(bool, m), .read = option_flag
#define TEXT(m) OPTION_AT(const char *, m), .read = option_text
#define TIME(m) OPTION_AT(struct timestamp, m), .read = option_time
#define REAL(m, from, to, what)                                                                                        \
    OPTION_AT(double, m), .read = option_real, .least = (from), .most = (to), .expected = (what)
#define NUMBER(m, from, to) OPTION_IN(m), .read = option_number, .low = (from), .high = (to)
#define WORD(m, list_, first) OPTION_IN(m), .read = option_word, .words = (list_), .low = (first)
#define READ_INTO(reader, m) OPTION_IN(m), .read = (reader)
#define READ(reader) .read = (reader)
#define SETS(m) .has = 1 + offsetof(OPTIONS_STRUCT, m)
#define HELP(text) .help = (text)
#define DESCRIBED(maker) .describe = (maker)
#define LISTED(maker) .list = (maker)
#define WORDS(list_) .words = (list_)
#define TAB(what) .tab = TAB_##what
#define GROUP(which) .group = (which)
#define FROM(sources_) .sources = (sources_)
#define FORMAT_WITH(flags_) .format = (flags_)
#define REPEATS .repeats = true
#define COMMAS .has_commas = true
#define READS_NOTHING .reads_nothing = true
#define CHOOSES(takes_, why_) .chooses = true, .takes = (takes_), .why = (why_)
#define NEEDS(name_) .needs = (name_)
#define CLASHES(names, why_) .clashes = (names), .why = (why_)

option_reader option_flag, option_text, option_time, option_number, option_real, option_word;

struct option_usage {
    const char *command;           /* "export" */
    const char *arguments;         /* "[CAPTURE...]" */
    const char *summary;           /* one sentence */
    const struct option_row *rows; /* the last one has no `read`; NULL: none */
    unsigned groups;               /* enum option_group */
    const char *examples;          /* lines, each ends in \n */
    const char *decodes_with;      /* with DECODES, without READS_CAPTURES: the option that names captures */
    const char *nothing;           /* what to do if no capture is named; NULL: the usual */
    const char *columns;           /* names in its own --fields that are not fields, separated by blanks */
    /* Called when all options are taken, before an interface is opened: its sandbox allows no more libraries. `user` as
     * for options_parse. 0, or -1 after a message. NULL: nothing is to do. */
    int (*prepare)(void *user);
};

#define OPTIONS_MAX 64 /* of a command */
#define OPTION_NAME_MAX 32

/* The values of the shared options. The source points into argv and into this struct. */
struct options {
    const struct option_usage *usage;
    unsigned char given[OPTIONS_MAX]; /* how often, by options_row_at's numbers; 2: more than once */
    struct replay_source source;
    unsigned threads; /* at least 1; default: one per core */
    char **operands;  /* in order; with READS_CAPTURES they are the source's names */
    size_t operand_count;
    struct found_names *found; /* what operands were found by */
    struct armtap_port *ports;
    struct armtap_recipe *recipe;
    const char *recipe_name; /* read after all other options were checked */
    struct labels *labels;
    const char *labels_name; /* the same */
    struct inputs *inputs;
    struct capture *live;
    struct robot_request request;
    struct robot_sources robots; /* count 0: none */
    enum timestamp_zone zone;    /* of printed times */
    bool local, sorts, pages, wants_help;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_HELP_SHOWN, OPTIONS_BAD };

/* Parses argv, which begins after the command's name; the values of the command's own options go into `user`. GNU
 * style: operands anywhere, "--" ends options, --name=value or --name value, -ovalue or -o value. Unless it returns
 * OPTIONS_RUN, the caller returns options_status(outcome) at once and frees nothing. A command that reads captures
 * needs operands or -i, which is checked here. */
enum options_outcome options_parse(const struct option_usage *usage, int argc, char **argv, struct options *options,
                                   void *user);
int options_status(enum options_outcome outcome);
void options_free(struct options *options);

/* Reads an option's value, a whole number from `low` to `high`; 0, or -1 after a message that names the option. */
int options_number(const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *number);
/* The next word of a list as a sentence has it, "csv, gnuplot or ndjson"; NULL at its end. */
const char *option_list_next(const char *list, size_t *length);
/* Says what was expected of an option's value. -1. */
int option_refuse(const struct option_row *row, const char *value, const char *expected);
/* The i-th option that was given, NULL after the last. */
const struct option_row *options_given_at(const struct options *options, size_t i);
/* Says that a robot was named where only captures are read. */
void options_refuse_robot(const char *command, const char *robot);

/* The commands that have an option of their own of this name, or of this letter if `name` is NULL: "export, plot".
 * False: none has. */
bool options_commands_with(char text[OPTION_TEXT_MAX], const char *name, char letter);

/* For completion: the i-th option of a command, the shared ones included, NULL after the last; by name, by letter, NULL
 * if there is none; whether the help offers it, and with which text. */
const struct option_row *options_row_at(const struct option_usage *usage, size_t i);
const struct option_row *options_row_named(const struct option_usage *usage, const char *name, size_t length);
const struct option_row *options_row_of_letter(const struct option_usage *usage, char letter);
bool option_may_lack_value(const struct option_row *row);
bool options_is_offered(const struct option_usage *usage, const struct option_row *row);
const char *options_help_of(const struct option_usage *usage, const struct option_row *row, char text[OPTION_TEXT_MAX]);

/* Remembers what a port carries. 0, or -1 after a message that begins with `who`: it carries something else. */
int options_add_port(struct options *options, const char *who, struct armtap_port port);

/* Whether all that was given goes together, and with these sources. 0, or -1 after a message that says why not. */
int option_rules_check(const struct options *options, unsigned sources);
/* Whether the mode that was chosen reads operands. */
bool option_rules_read(const struct options *options);

/* Prints the help of a command. */
void options_show_help(const struct option_usage *usage);

/* --around ID[=SECONDS] */

/* Reads the value: a kind of finding, and how far around it, in ns; a second if not given. 0, or -1 after a message
 * that begins with the command's name. */
int around_parse(const char *command, const char *value, const struct armtap_note_kind **around, int64_t *reach);

/* Lists of a robot's ports, as users write them: "30004,30003=40003". */

struct port_pair {
    uint16_t robots; /* never 0 */
    uint16_t here;   /* the port that takes its place; the same if none is named; 0: any that is free */
};

/* Reads a list of 1 to `max` ports. Returns their number, or 0 for anything else. */
size_t port_list_parse(const char *list, struct port_pair *pairs, size_t max);

/* Answers what shells ask when the user presses Tab: armtap --complete WORDS. The tables of options say what may
 * follow; tools/completions has the shells' side. */

/* Prints what may take the place of the last word of argv, which begins after the command's name:
 *
 *   WORD<tab>MEANING    a word; the tab and the meaning may be missing
 *   :files              names of files fit, too
 *   :open               the user goes on typing after the word, so no blank follows it */
void completion_show(const struct option_usage *usage, int argc, char **argv);
/* Prints a word if `begin` begins it. */
void completion_word(const char *begin, const char *word, const char *meaning);
void completion_files(void);

#endif
