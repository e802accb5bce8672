#define _POSIX_C_SOURCE 200809L
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "export/formats/line_cells.h"
#include "base/process/message.h"
#include "base/text/nearest_word.h"
#include "command_line/options.h"
#include "input/robots/labels.h"

enum {
    LISTED_MAX = 10,
    NAMES_MAX = 50000, /* to search for the nearest one */
    LEFT_OVER_WARNINGS_MAX = 8
};

/* The number of rows of each stream, by stream number; NULL without memory. */
static uint64_t *rows_of_streams(const struct job *job)
{
    size_t count = tables_stream_count(job->tables);
    uint64_t *rows = calloc(count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < tables_count(job->tables); i++) {
        const struct table *table = tables_at(job->tables, i);
        if (table->direction == job->wish->direction && table->stream < count)
            rows[table->stream] += table->rows;
    }
    return rows;
}

static void list_streams(const struct job *job, bool with_rows)
{
    unsigned listed = 0;
    uint64_t *all_rows = rows_of_streams(job);
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(job->streams, i);
        unsigned number = tables_stream_number(job->tables, summary->stream->connection);
        uint64_t rows = !all_rows || number >= tables_stream_count(job->tables) ? 0 : all_rows[number];
        const char *protocol = armtap_protocol_name(summary->stream->protocol);
        if (with_rows && rows == 0)
            continue;
        if (listed++ >= LISTED_MAX)
            continue;
        message_error(
            "  stream %u: robot %s, client %s, %s, %" PRIu64 " rows", number,
            summary->stream->robot[0] != '\0' ? labels_name(job->source->labels, summary->stream->robot) : "?",
            summary->stream->client[0] != '\0' ? labels_name(job->source->labels, summary->stream->client) : "?",
            protocol ? protocol : "?", rows);
    }
    if (listed > LISTED_MAX)
        message_error("  and %u more: armtap info groups similar ones, armtap info --json lists them all",
                      listed - LISTED_MAX);
    free(all_rows);
}

/* Lists the tables of a stream whose recipe was replaced. */
static void list_parts(const struct job *job, unsigned stream)
{
    unsigned listed = 0;
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        const struct table *table = tables_at(job->tables, i);
        if (table->stream != stream || table->direction != job->wish->direction)
            continue;
        if (listed++ == LISTED_MAX) {
            message_error("...");
            return;
        }
        const struct armtap_recipe *recipe = table->layouts[0]->recipe;
        size_t fields = armtap_recipe_count(recipe);
        for (size_t k = 1; k < table->layout_count && !armtap_protocol_has(table->protocol, ARMTAP_TRAIT_UR_COLUMNS);
             k++)
            fields += armtap_recipe_count(table->layouts[k]->recipe);
        message_error("  table %u-%u: %" PRIu64 " rows, %zu fields%s%s%s", stream, table->part, table->rows, fields,
                      fields > 0 ? ", " : "", fields > 0 ? armtap_recipe_at(recipe, 0)->name : "",
                      fields > 1 ? ", ..." : "");
    }
}

static int refuse_streams(struct job *job)
{
    message_error_called(MESSAGE_SEVERAL_TABLES,
                         "several streams have records %s, and -f %s holds one table; choose one with --stream N, use "
                         "-o FILE --split for a file each%s:",
                         job_direction(job), job->wish->format->name,
                         format_has(job->wish->format, FORMAT_HAS_NAMES) ? ", or --union for one table of all" : "");
    list_streams(job, true);
    return job_give_up(job);
}

static int refuse_parts(struct job *job, unsigned stream)
{
    char list[FORMATS_LIST_MAX];
    message_error_called(MESSAGE_SEVERAL_TABLES,
                         "stream %u: its recipe was replaced by another one, and -f %s holds one table; use -o FILE "
                         "--split for a file each%s%s%s:",
                         stream, job->wish->format->name, job->wish->has_stream ? "" : ", or -f ",
                         job->wish->has_stream ? "" : format_names(list, FORMAT_ALL_TABLES, 0),
                         job->wish->has_stream ? "" : " for one of all");
    list_parts(job, stream);
    return job_give_up(job);
}

int check_tables(struct job *job)
{
    const struct table *first = NULL;
    bool many_parts = false;
    if (format_has(job->wish->format, FORMAT_ALL_TABLES) || job->wish->split)
        return 0;
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        const struct table *table = tables_at(job->tables, i);
        if (!job_wants(job, table))
            continue;
        if (first && first->stream != table->stream)
            return refuse_streams(job);
        many_parts = many_parts || first;
        first = first ? first : table;
    }
    return many_parts ? refuse_parts(job, first->stream) : 0;
}

int check_stream(struct job *job)
{
    if (!job->wish->has_stream || job->wish->stream < tables_stream_count(job->tables))
        return 0;
    message_error("no stream %u; --stream takes one of these:", job->wish->stream);
    list_streams(job, false);
    return job_give_up(job);
}

/* Visits the entries of the requested tables until `visit` returns true. Returns that entry, or NULL. */
static const struct armtap_recipe_entry *each_entry(const struct job *job, void *user,
                                                    bool (*visit)(void *, const struct armtap_recipe_entry *))
{
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        const struct table *table = tables_at(job->tables, i);
        for (size_t k = 0; job_wants(job, table) && k < table->layout_count; k++) {
            const struct armtap_recipe *recipe = table->layouts[k]->recipe;
            for (size_t n = 0; n < armtap_recipe_count(recipe); n++)
                if (visit(user, armtap_recipe_at(recipe, n)))
                    return armtap_recipe_at(recipe, n);
        }
    }
    return NULL;
}

struct names {
    const char *name[NAMES_MAX];
    size_t count;
};

static bool take_name(void *user, const struct armtap_recipe_entry *entry)
{
    struct names *names = user;
    names->name[names->count++] = table_entry_name(entry);
    return names->count == NAMES_MAX - ROW_COLUMN_END;
}

/* The field that people mean by a word which is no field's name, or NULL. */
static const struct armtap_field *meant_by(const char *word)
{
    const struct armtap_field *field = armtap_field_nearest(word, strlen(word), ARMTAP_FIELD_BOTH);
    return field && strcmp(field->name, word) != 0 ? field : NULL;
}

/* The nearest name among fields and row columns, or NULL. */
static const char *nearest_name(const struct job *job, const char *word)
{
    struct names *names = calloc(1, sizeof *names);
    if (!names)
        return NULL;
    each_entry(job, names, take_name);
    for (int i = ROW_COLUMN_NONE + 1; i < ROW_COLUMN_END; i++)
        names->name[names->count++] = row_column_name((enum row_column)i);
    const char *nearest = word_nearest(word, names->name, names->count);
    const struct armtap_field *meant = meant_by(word);
    for (size_t i = 0; meant && i < names->count; i++)
        if (strcmp(names->name[i], meant->name) == 0)
            nearest = names->name[i];
    free(names);
    return nearest;
}

/* Patterns match fields only: reports the row columns that this one would match. False if there are none. */
static bool refuse_pattern(const char *name)
{
    char columns[400] = "";
    size_t length = 0;
    if (!strpbrk(name, "*?["))
        return false;
    for (int i = ROW_COLUMN_NONE + 1; i < ROW_COLUMN_END; i++) {
        const char *column = row_column_name((enum row_column)i);
        if (fnmatch(name, column, 0) == 0 && length < sizeof columns)
            length +=
                (size_t)snprintf(columns + length, sizeof columns - length, "%s%s", length > 0 ? "," : "", column);
    }
    if (length > 0)
        message_error(
            "--fields: no field matches '%s'; patterns match fields only. Name these columns in full: --fields %s",
            name, columns);
    return length > 0;
}

static bool is_mode(void *user, const struct armtap_recipe_entry *entry)
{
    const char *name = user, *mode = table_entry_name(entry);
    static const char ending[] = "_name";
    size_t length = strlen(name), stem = length - (sizeof ending - 1);
    if (length < sizeof ending || strcmp(name + stem, ending) != 0)
        return false;
    return strlen(mode) == stem && memcmp(mode, name, stem) == 0 && mode_names_has(entry->field);
}

/* The mode whose names --enums both writes into a column of that name, or NULL. */
static const char *mode_of(const struct job *job, char *name)
{
    const struct armtap_recipe_entry *entry = each_entry(job, name, is_mode);
    return entry ? table_entry_name(entry) : NULL;
}

/* Whether robots were asked for a field of that name, or with that element, and lack it: that was told. A name that
 * RTDE is not known to have was asked for as it stands. */
static bool is_lacking(const struct job *job, const char *name)
{
    const char *line = strrchr(name, '_');
    const struct armtap_field *field = line ? armtap_field_find(name, (size_t)(line - name)) : NULL;
    bool is_element = field && field->count > 1 && line[1] >= '0' && line[1] <= '9' && line[2] == '\0';
    if (!replay_asks_for_fields(job->source) || strpbrk(name, "*?["))
        return false;
    return !is_element || (unsigned)(line[1] - '0') < field->count;
}

static int check_selection(struct job *job, const struct selection *selection, const char *option)
{
    for (size_t i = 0; i < selection->count; i++) {
        if (selection->found[i] || is_lacking(job, selection->names[i]))
            continue;
        char *name = selection->names[i] + (selection->names[i][0] == '!');
        const char *mode = mode_of(job, name), *nearest = nearest_name(job, name);
        if (selection == &job->selection && refuse_pattern(name))
            return job_give_up(job);
        if (mode)
            message_error("%s: --enums both adds '%s' to '%s', and it cannot be selected alone; use --enums both %s "
                          "%s, or --enums name for names without numbers",
                          option, name, mode, option, mode);
        else if (nearest)
            message_error("%s: nothing here is named '%s'; did you mean '%s'?", option, name, nearest);
        else if (meant_by(name))
            message_error("%s: nothing here is named '%s'; that is probably '%s', which these streams lack; armtap "
                          "info --json lists their fields",
                          option, name, meant_by(name)->name);
        else
            message_error("%s: nothing here is named '%s'; armtap info --json lists the fields of every stream", option,
                          name);
        return job_give_up(job);
    }
    return 0;
}

int check_names(struct job *job)
{
    return check_selection(job, &job->watched, "--changes") != 0 ? -1
                                                                 : check_selection(job, &job->selection, "--fields");
}

int check_width(struct job *job, struct table *table)
{
    const struct view *view = table->view;
    const struct picks *picks = &view->picks;
    size_t widest = 0;
    char list[FORMATS_LIST_MAX];
    if (view->cells <= TABLES_COLUMNS_MAX || !format_has(job->wish->format, FORMAT_SPREADS))
        return 0;
    table->left_out = job->wish->split;
    if (table->left_out)
        return 0;
    for (size_t i = 0; i < picks->count; i++)
        if (picks->pick[i].count > picks->pick[widest].count)
            widest = i;
    message_error("stream %u: too many columns (%zu, %u of them for %s); use -f %s, or exclude it with --fields",
                  table->stream, view->cells, picks->pick[widest].count, picks->pick[widest].name,
                  format_names(list, 0, FORMAT_SPREADS | FORMAT_ONLY_NUMBERS));
    return job_give_up(job);
}

int check_texts(struct job *job, const struct view *view)
{
    char list[FORMATS_LIST_MAX];
    for (size_t i = 0; i < view->picks.count && format_has(job->wish->format, FORMAT_ONLY_NUMBERS); i++) {
        enum row_column column = view->picks.pick[i].row_column;
        if (column == ROW_COLUMN_NONE || row_column_is_number(column))
            continue;
        message_error("--fields %s: it is text, and %s holds only numbers; remove it, or use -f %s",
                      row_column_name(column), job->wish->format->name, format_names(list, 0, FORMAT_ONLY_NUMBERS));
        return job_give_up(job);
    }
    return 0;
}

enum mode_names request_mode_names(struct job *job, const struct table *table, bool *if_mixed)
{
    const struct export_wish *wish = job->wish;
    *if_mixed = false;
    if (wish->enums != MODES_BY_NUMBER || table->part_count > 0 || !format_has(wish->format, FORMAT_HAS_NAMES))
        return wish->enums;
    /* A file with all tables gets the names beside the numbers if it needs them. */
    *if_mixed = format_has(wish->format, FORMAT_ALL_TABLES);
    if (format_has(wish->format, FORMAT_ALL_TABLES))
        return MODES_BY_BOTH;
    return mode_names_are_mixed(table->generations) ? MODES_BY_NAME : MODES_BY_NUMBER;
}

static const struct table_column *column_called(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0 || strcmp(table->columns[i].wire, name) == 0)
            return &table->columns[i];
    return NULL;
}

void request_warn_shadowed(struct job *job, const struct view *view)
{
    for (size_t i = 0; i < job->selection.count; i++) {
        const char *name = job->selection.names[i];
        const struct table_column *column = column_called(view->table, name);
        if (row_column_find(name) == ROW_COLUMN_NONE || !column)
            continue;
        message_warning("--fields %s: stream %u has a field of that name, and the column %s contains that field", name,
                        view->table->stream, column->name);
    }
}

int check_view(struct job *job, const struct table *table)
{
    const struct picks *picks = &((const struct view *)table->view)->picks;
    for (size_t i = 0; i < picks->count; i++)
        if (picks->pick[i].column != TABLE_NONE || picks->pick[i].row_column != ROW_COLUMN_NONE)
            return 0;
    if (picks->count == 0 || table->column_count == 0)
        return 0;
    message_error(
        "stream %u: none of the requested fields has a column in the %s layout; choose another format with -f",
        table->stream, job->wish->format->name);
    return job_give_up(job);
}

void request_leave_over(struct job *job, const struct armtap_record *record, bool grew)
{
    const char *format = job->wish->format->name;
    unsigned first = tables_stream_number(job->tables, job->only_stream.connection);
    unsigned number = tables_stream_number(job->tables, record->stream->connection);
    struct tables_left_out left_out = tables_left_out(job->tables, record->stream->connection);
    tables_leave_out(job->tables, record, false);
    job->left_over.rows++;
    if (left_out.others > 0 || job->left_over.warnings == LEFT_OVER_WARNINGS_MAX)
        return;
    job->left_over.warnings++;
    if (grew)
        message_warning("stream %u: from packet %" PRIu64 " on it has rows with fields that the header of this %s "
                        "lacks; they are omitted",
                        number, record->where.packet, format);
    else if (number == first)
        message_warning("stream %u: in packet %" PRIu64 " its recipe was replaced by another one, and -f %s holds one "
                        "table; the rows that follow are omitted",
                        number, record->where.packet, format);
    else
        message_warning("stream %u, robot %s, client %s, has records %s too, from packet %" PRIu64
                        " on, and -f %s holds one table; these rows are omitted",
                        number, labels_name(job->source->labels, record->stream->robot),
                        labels_name(job->source->labels, record->stream->client), job_direction(job),
                        record->where.packet, format);
}

void check_left_over(struct job *job)
{
    char list[FORMATS_LIST_MAX];
    if (job->left_over.rows == 0)
        return;
    message_error_called(
        MESSAGE_SEVERAL_TABLES,
        "%" PRIu64 " row%s omitted, since -f %s holds one table; choose a stream with --stream N, use -o FILE --split "
        "for a file each or -f %s for one of all, or save the input to a file and export that",
        job->left_over.rows, job->left_over.rows == 1 ? " was" : "s were", job->wish->format->name,
        format_names(list, FORMAT_ALL_TABLES, 0));
    job->status = EXIT_FAILED;
}

void request_warn_cells(struct job *job, struct view *view, const struct output_row *row)
{
    char list[FORMATS_LIST_MAX];
    const char *others = format_names(list, 0, FORMAT_SPREADS | FORMAT_ONLY_NUMBERS);
    size_t elements;
    for (size_t i = 0; (i = cells_too_few(view, row, i, &elements)) < view->picks.count; i++) {
        struct pick *pick = &view->picks.pick[i];
        if (pick->numbered)
            job->status = EXIT_FAILED;
        if (!pick->warned && pick->numbered)
            message_error("stream %u: %s has %zu elements in packet %" PRIu64 ", and the first row set its number of "
                          "columns to %u; the rest is omitted; use "
                          "-f %s, or save the input to a file and "
                          "export that",
                          row->stream, pick->name, elements, row->where.packet, pick->count, others);
        else if (!pick->warned)
            message_warning(
                "stream %u: %s is an array in packet %" PRIu64 ", but was not one in the first row, "
                "so it has a single column, as JSON; use -f %s, or save the input to a file and export that",
                row->stream, pick->name, row->where.packet, others);
        pick->warned = true;
    }
}

void request_warn_numbers(const struct job *job)
{
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(job->streams, i);
        unsigned number = tables_stream_number(job->tables, summary->stream->connection);
        if (number == i)
            continue;
        message_warning("robot %s, client %s is stream %u here, and %zu when the capture is read from a file: its "
                        "numbers cannot be known before it ends",
                        labels_name(job->source->labels, summary->stream->robot),
                        labels_name(job->source->labels, summary->stream->client), number, i);
        return;
    }
}
