#include "export.h"

#include <stdio.h>
#include <string.h>

#include "base/os/path.h"
#include "base/process/message.h"
#include "export/files/output_files.h"

/* ---- the format ------------------------------------------------------------------------------------------------ */

/* By -f, else by OUT's ending; the first format if OUT has none, as standard output and devices. */
static const struct format *choose_format(const struct asked *asked)
{
    char list[FORMATS_LIST_MAX];
    const char *ending = output_files_ending(asked->wish.out);
    size_t length = strlen(ending) - (output_files_is_gzip(ending) ? strlen(".gz") : 0);
    const struct format *format = format_of_ending(ending, length), *of_name = format;
    if (asked->format) {
        format = format_named(asked->format);
        if (!format)
            message_error("-f '%s': give %s", asked->format, format_names(list, 0, 0));
        else if (of_name && strcmp(of_name->name, format->name) != 0)
            message_warning("%s: -f %s overrides the extension, which means %s", asked->wish.out, format->name,
                            of_name->name);
        return format;
    }
    const struct format *of_dialect = asked->dialect ? format_find(NULL, asked->dialect) : NULL;
    if (!format && *ending == '\0')
        return of_dialect ? of_dialect : format_at(0);
    if (!format)
        message_error("%s: the extension %s names no format; use -f %s", asked->wish.out, ending,
                      of_dialect ? of_dialect->name : format_names(list, 0, 0));
    return format;
}

static const struct format *choose_dialect(const struct asked *asked)
{
    char list[FORMATS_LIST_MAX];
    const struct format *format = choose_format(asked);
    if (!format || !asked->dialect)
        return format;
    const struct format *dialect = format_find(format->name, asked->dialect);
    const struct format *other = format_find(NULL, asked->dialect);
    if (!dialect && other)
        message_error("--dialect %s works only with %s, not with %s; use -f %s, or remove --dialect", asked->dialect,
                      other->name, format->name, other->name);
    else if (!dialect)
        message_error("--dialect '%s': unknown; use %s", asked->dialect, format_dialects(list));
    return dialect;
}

static const char *format_of(const struct format *format)
{
    return *format->dialect != '\0' ? format->dialect : format->name;
}

/* ---- what goes together ---------------------------------------------------------------------------------------- */

/* Whether the output can take the format. */
static int check_output(const struct export_wish *wish)
{
    const char *name = wish->format->name;
    if (format_has(wish->format, FORMAT_SEEKS) && strcmp(wish->out, "-") == 0)
        message_error("-f %s: it must seek in its output; name a file with -o", name);
    else if (format_has(wish->format, FORMAT_SEEKS) && wish->gzipped)
        message_error("-f %s: it must seek in its output, which compression prevents; remove .gz, and compress the "
                      "file afterwards",
                      name);
    else if (format_has(wish->format, FORMAT_PACKS) && wish->gzipped)
        message_error("-f %s: it is compressed already (--compression), and its readers cannot read .gz; remove .gz",
                      name);
    else if (format_has(wish->format, FORMAT_BARE) && wish->gzipped)
        message_error("-f %s: its readers cannot read .gz; remove .gz, and compress the file afterwards", name);
    else if (format_has(wish->format, FORMAT_BINARY) && wish->is_shown)
        message_error("-f %s: binary output is not written to a terminal; name a file with -o, or send it through a "
                      "pipe",
                      name);
    else
        return 0;
    return -1;
}

static enum compression_family family_of(const struct format *format)
{
    return format_has(format, FORMAT_DEFLATES) ? COMPRESSION_DEFLATE : COMPRESSION_MODERN;
}

/* Whether the format is built in. */
static int check_built_in(const struct format *format)
{
    char what[80];
    if (format->writer->lacks == LIBRARY_NONE)
        return format->writer->load ? format->writer->load() : 0;
    snprintf(what, sizeof what, "-f %s%s%s", format->name, *format->dialect != '\0' ? " --dialect " : "",
             format->dialect);
    library_report_missing(format->writer->lacks, what);
    message_info(
        "Parquet needs no library: MATLAB's parquetread() reads what -o FILE.parquet writes, numpy -o FILE.npz");
    return -1;
}

/* How to compress files of a format that has no --compression. */
static const char *compression_remedy(const struct format *format)
{
    return format_has(format, FORMAT_BARE) ? "; compress the file afterwards"
                                           : "; for a compressed one use a name of OUT that ends in .gz";
}

/* Whether the options go with the format. */
static int check_format(const struct asked *asked)
{
    char list[FORMATS_LIST_MAX];
    const struct export_wish *wish = &asked->wish;
    const struct option_row *row;
    for (size_t i = 0; (row = options_given_at(&asked->options, i)); i++) {
        if (row->format == 0 || format_has(wish->format, row->format))
            continue;
        message_error("--%s works only with -f %s, not with %s%s", row->name, format_names(list, row->format, 0),
                      format_of(wish->format), row->format == FORMAT_PACKS ? compression_remedy(wish->format) : "");
        return -1;
    }
    if (wish->joined && !replay_is_repeatable(&asked->options.source))
        message_error("--union: the fields of all streams must be known before the first row, but standard input, "
                      "interfaces and followed files are read once; save the input to a file and export that");
    else if (wish->joined && wish->grid > 0 && format_has(wish->format, FORMAT_REMARKS))
        message_error(
            "--union: with --grid all robots are in one row, and -f %s has topics for each; remove --union, or use -f "
            "%s",
            wish->format->name, format_names(list, FORMAT_HAS_NAMES, FORMAT_REMARKS));
    else if (asked->has_compression && !compression_is_of(wish->compression, family_of(wish->format)))
        message_error("--compression %s does not work with -f %s; use %s", compression_name(wish->compression),
                      wish->format->name, compression_names(list, family_of(wish->format)));
    else
        return 0;
    return -1;
}

/* Whether the format can make a folder, if one is asked for. */
static int check_folder(const struct export_wish *wish)
{
    char list[FORMATS_LIST_MAX], bags[FORMATS_LIST_MAX];
    if (!wish->is_folder)
        return 0;
    if (!format_has(wish->format, FORMAT_PARTITIONS))
        message_error("-o %s: a folder, which %s does not write; name a file in it, or use -f %s or %s", wish->out,
                      format_of(wish->format), format_names(list, FORMAT_PARTITIONS, 0),
                      format_names(bags, FORMAT_BAG, 0));
    else if (wish->split)
        message_error("--split: -o %s is a folder, which has a file for each table anyway; remove --split", wish->out);
    else if (wish->joined)
        message_error("--union: -o %s is a folder, whose files readers take for one table; remove --union", wish->out);
    else
        return 0;
    return -1;
}

/* A bag has one file with a name of its own. 0, or -1 after a message. */
static int aim_at_bag(struct asked *asked)
{
    char ending[FORMATS_ENDING_MAX];
    struct export_wish *wish = &asked->wish;
    if (wish->split) {
        message_error("--split: -o %s is a bag, which has one file; remove --split", wish->out);
        return -1;
    }
    asked->bag_file = bag_file_name(wish->out, format_ending(wish->format, ending));
    if (!asked->bag_file)
        return message_no_memory();
    if (bag_check_folder(wish->out, asked->bag_file) != 0)
        return -1;
    wish->bag = wish->out;
    wish->out = asked->bag_file;
    wish->is_folder = false;
    return 0;
}

/* Whether there is one capture that others can precede. */
static int check_after(const struct asked *asked)
{
    if (!asked->wish.after || (asked->options.source.count == 1 && !asked->options.source.follow))
        return 0;
    message_error("--after: name one capture, which continues where the sidecar's ended");
    return -1;
}

/* What the shared options say. */
static void take_shared(struct asked *asked)
{
    struct export_wish *wish = &asked->wish;
    wish->fields = asked->options.request.fields;
    wish->changes = asked->options.request.changes;
    wish->strict = asked->options.request.strict;
    wish->direction = asked->to_robot ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
    wish->threads = asked->options.threads;
    wish->zone = asked->options.zone;
}

int asked_choose(void *user)
{
    struct asked *asked = user;
    if (!asked->wish.out)
        asked->wish.out = "-";
    asked->wish.format = choose_dialect(asked);
    return asked->wish.format ? check_built_in(asked->wish.format) : -1;
}

/* Whether --changes names fields: other columns are of the row. */
static int check_changes(const struct export_wish *wish)
{
    struct selection watched;
    int outcome = 0;
    if (selection_parse(wish->changes, &watched) != 0)
        return message_no_memory();
    if (wish->changes && watched.count == 0) {
        message_error("--changes: no name is given");
        outcome = -1;
    }
    for (size_t i = 0; i < watched.count && outcome == 0; i++) {
        const char *name = watched.names[i];
        if (row_column_find(name) == ROW_COLUMN_NONE)
            continue;
        message_error("--changes '%s': a row column, not a field; name it in --fields, together with --changes", name);
        outcome = -1;
    }
    selection_free(&watched);
    return outcome;
}

int asked_check(struct asked *asked)
{
    struct export_wish *wish = &asked->wish;
    take_shared(asked);
    wish->gzipped = output_files_is_gzip(wish->out);
    wish->is_shown = sink_file_is_terminal(wish->out);
    size_t length = strlen(wish->out);
    wish->is_folder = length > 0 && path_is_separator(wish->out[length - 1]);
    if (!asked->has_compression)
        wish->compression =
            format_has(wish->format, FORMAT_LOOSE) ? COMPRESSION_NONE : compression_best(family_of(wish->format));
    if (wish->is_folder && format_has(wish->format, FORMAT_BAG) && aim_at_bag(asked) != 0)
        return -1;
    if (check_folder(wish) != 0)
        return -1;
    wish->split = wish->split || wish->is_folder;
    if (wish->split && strcmp(wish->out, "-") == 0)
        message_error("--split: needs -o OUT to name the files after");
    else if (*wish->out == '\0')
        message_error("-o: the name is empty");
    else if (wish->manifest && strcmp(wish->manifest, "-") == 0)
        message_error("--manifest -: needs the name of a file; for standard output use /dev/stdout");
    else if (check_output(wish) != 0 || check_format(asked) != 0 || check_after(asked) != 0 || check_changes(wish) != 0)
        return -1;
    else if (timestamp_is_swapped(&wish->from, &wish->to))
        message_error("--to is before --from; swap them");
    else if (wish->fields && wish->fields[strspn(wish->fields, " ,\t")] == '\0')
        message_error("--fields: no name is given");
    else
        return 0;
    return -1;
}
