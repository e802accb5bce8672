/* The work of `armtap export`: from captures to files of rows. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "export/rows/field_selection.h"
#include "base/bytes/compression.h"
#include "export/formats/formats.h"
#include "input/replay/replay.h"
#include "base/numbers/timestamp.h"
#include "command_line/options.h"

/* What the user wants. */
struct export_wish {
    const char *out;              /* "-": standard output */
    bool gzipped;                 /* compressed, because the name ends in .gz */
    enum compression compression; /* with FORMAT_PACKS */
    const struct format *format;
    enum armtap_generation layout; /* UNKNOWN: each stream's own */
    bool has_stream;
    unsigned stream;
    bool split;         /* also with a folder */
    bool is_folder;     /* `out` ends in a slash: a file for each robot, day, capture and table */
    const char *bag;    /* the folder of a bag, with a slash, in which `out` is; NULL: none */
    bool joined;        /* --union */
    bool commands;      /* rows are commands of ur_rtde, not records */
    const char *fields; /* NULL: all */
    enum armtap_direction direction;
    struct timestamp from;
    struct timestamp to;
    enum timestamp_zone zone; /* for times of day in them */
    struct row_interval every;
    int64_t grid;        /* ns between two rows; 0: rows are records */
    const char *changes; /* only rows where one of these fields changes; NULL: all */
    bool strict;
    bool findings_ok;     /* the status is 0 where `strict` makes it 1 */
    const char *after;    /* the sidecars around the capture; NULL: none */
    const char *manifest; /* the file for a line about this export; NULL: none */
    bool is_shown;        /* output is a terminal */
    bool is_guarded;      /* --csv-safe */
    enum mode_names enums;
    unsigned threads; /* for formatting, at least 1 */
};

enum exit_status export_run(const struct export_wish *wish, const struct replay_source *source);
/* The same with --commands. */
enum exit_status export_commands_run(const struct export_wish *wish, const struct replay_source *source);

/* The options of `armtap export`, and whether they go together. */

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

/* A command of ur_rtde as a row: of JSON lines, or of CSV. */

struct command_row {
    const struct armtap_command *command;
    unsigned stream;
    const char *robot, *client;
    const char *file; /* NULL: there are not several */
    bool is_shown;    /* on a terminal: escape hidden characters */
};

void command_row_json(const struct command_row *row, struct buffer *out);
void command_row_csv_header(struct buffer *out);
void command_row_csv(const struct command_row *row, struct buffer *out);

#endif
