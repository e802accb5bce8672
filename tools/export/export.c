#define _POSIX_C_SOURCE 200809L
#include "command_line/no_telemetry.h"
#include "export_job.h"
#include "manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/interrupt.h"
#include "partition.h"
#include "base/message.h"
#include "input/archive.h"
#include "input/tcp_socket.h"
#include "ros/ros.h"

#define NS_PER_S 1000000000
#define SHOW_EVERY_NS 200000000
/* By how much records of several robots may be out of order. */
#define OUT_OF_ORDER_NS 500000000
#define SPOOL_IN_MEMORY ((size_t)1 << 20)

static int check_sink(struct job *job, enum sink_outcome outcome)
{
    if (outcome == SINK_FAILED)
        return job_give_up(job);
    job->closed = outcome == SINK_CLOSED;
    return job->closed ? -1 : 0;
}

static int stop_without_memory(struct job *job, enum tables_outcome outcome)
{
    return outcome == TABLES_NO_MEMORY ? job_give_up_memory(job) : 0;
}

/* ---- views ----------------------------------------------------------------------------------------------------- */

static enum armtap_generation layout_of(const struct job *job, const struct table *table)
{
    if (job->wish->layout != ARMTAP_GENERATION_UNKNOWN)
        return job->wish->layout;
    return table->generation == ARMTAP_GENERATION_CB2 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
}

static void measure_view(struct view *view)
{
    enum { CELL = 4, NUMBER = 3 }; /* a separator and an absent value; the number after a name */
    const struct picks *picks = &view->picks;
    for (size_t i = 0; i < picks->count; i++) {
        size_t count = picks->pick[i].count, key = picks->pick[i].key ? strlen(picks->pick[i].key) : 0;
        view->cells += count;
        view->keys += key;
        view->longest_key = key > view->longest_key ? key : view->longest_key;
        view->width += CELL * count + key;
        view->header += count * (strlen(picks->pick[i].name) + NUMBER);
    }
}

static int name_modes(struct job *job, struct view *view)
{
    bool if_mixed;
    enum mode_names how = request_mode_names(job, view->table, &if_mixed);
    int outcome = mode_names_apply(how, view->table->columns, &view->picks);
    for (size_t i = 0; i < view->picks.count; i++)
        view->picks.pick[i].if_mixed = if_mixed && view->picks.pick[i].by_name;
    if (how != job->wish->enums && !if_mixed && !job->is_checked)
        message_warning("the controllers of %s number their modes differently, so these are written by name; for the "
                        "numbers beside the names give --enums both",
                        view->table->is_joined ? "these streams" : "a stream whose packets changed");
    return outcome;
}

static void forget_view(void *user, struct table *table)
{
    struct view *view = table->view;
    (void)user;
    if (view)
        picks_free(&view->picks);
    free(view);
    table->view = NULL;
}

/* 0, or -1 after a message. */
static int fill_view(struct job *job, struct view *view, const struct table *table)
{
    if (selection_apply(&job->selection, table->columns, table->column_count, &view->picks) != 0)
        return job_give_up_memory(job);
    if (!job->is_checked && check_texts(job, view) != 0)
        return -1;
    if (!job->is_checked)
        request_warn_shadowed(job, view);
    if (name_modes(job, view) != 0)
        return job_give_up_memory(job);
    /* Readers of the folder take it from the name. */
    if (job->wish->is_folder)
        picks_drop(&view->picks, ROW_COLUMN_robot);
    const struct format *format = job->wish->format;
    if (format->writer->prepare && format->writer->prepare(view, layout_of(job, table)) != 0)
        return job_give_up_memory(job);
    measure_view(view);
    view->header += format->writer->column_cost * view->cells;
    return 0;
}

static int make_view(struct job *job, struct table *table)
{
    if (table->view)
        return 0;
    if (tables_build(job->tables, table) != 0)
        return job_give_up_memory(job);
    struct view *view = calloc(1, sizeof *view);
    if (!view)
        return job_give_up_memory(job);
    table->view = view;
    view->table = table;
    view->is_shown = job->wish->is_shown;
    view->is_guarded = job->wish->is_guarded;
    return fill_view(job, view, table);
}

static bool checks_later(const struct job *job)
{
    return job->once && (job->wish->split || format_has(job->wish->format, FORMAT_ALL_TABLES));
}

static int make_checked_view(struct job *job, struct table *table)
{
    return make_view(job, table) != 0 ? -1 : check_width(job, table);
}

static int check_wanted_views(struct job *job)
{
    for (size_t i = 0; i < tables_count(job->tables) && format_has(job->wish->format, FORMAT_ONLY_NUMBERS); i++) {
        struct table *table = tables_at(job->tables, i);
        if (job_wants(job, table) && (make_view(job, table) != 0 || check_view(job, table) != 0))
            return -1;
    }
    return 0;
}

/* Checks what can be checked before the first row. Rows that name their fields take all fields, unless --fields is
 * given. */
static int check_before_rows(struct job *job)
{
    bool by_name = format_has(job->wish->format, FORMAT_ALL_TABLES) && !job->wish->joined && !job->wish->fields;
    size_t wanted = 0;
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        struct table *table = tables_at(job->tables, i);
        if (!job_wants(job, table))
            continue;
        wanted++;
        job->generations |= table->generations;
        if (!by_name && make_checked_view(job, table) != 0)
            return -1;
    }
    if (wanted > 0 && check_names(job) != 0)
        return -1;
    if (check_wanted_views(job) != 0)
        return -1;
    job->is_checked = true;
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static struct output_file *outlet_of(struct job *job, unsigned stream, unsigned part)
{
    bool by_stream = format_has(job->wish->format, FORMAT_ALL_TABLES);
    struct output_file *outlet = output_files_open(&job->outlets, stream, by_stream ? 0 : part);
    if (outlet && format_has(job->wish->format, FORMAT_SEEKS) && !sink_file_path(outlet->sink)) {
        message_error("%s: not a regular file; -f %s must seek in its output; name another one with -o",
                      sink_file_name(outlet->sink), job->wish->format->name);
        outlet = NULL;
    }
    if (!outlet)
        job_give_up(job);
    return outlet;
}

/* Completes a file of a folder that gets no more rows, so that it takes no more memory. */
static int end_outlet(struct job *job, struct output_file *outlet)
{
    if (!outlet || outlet->is_over || !job->batches)
        return 0;
    if (check_sink(job, batches_drain(job->batches)) != 0 || check_sink(job, target_end(&job->targets, outlet)) != 0)
        return -1;
    outlet->is_over = true;
    return 0;
}

/* Finds the row's file in the folder: NULL if it is not open, then *name is its name, which the caller frees; both NULL
 * without memory. */
static struct output_file *find_in_folder(struct job *job, struct partition *partition, char **name)
{
    char ending[FORMATS_ENDING_MAX];
    struct output_file *outlet;
    do {
        *name = partition_name(job->wish->out, partition, format_ending(job->wish->format, ending));
        outlet = *name ? output_files_find_named(&job->outlets, *name) : NULL;
        if (outlet) {
            free(*name);
            *name = NULL;
        }
        partition->again++;
    } while (outlet && outlet->is_over);
    return outlet;
}

/* Sets table->outlet to the row's file in the folder if that is open; else to NULL, and *name to its name, which the
 * caller frees. The file before the last one gets no more rows. 0, or -1 after a message. */
static int aim_at_folder(struct job *job, struct table *table, const struct armtap_record *record, char **name)
{
    struct partition partition = {.robot = record->stream->robot,
                                  .day = partition_day(record->where.time),
                                  .capture = replay_file_name(job->source, job->totals.file),
                                  .begin = job->totals.file_time,
                                  .direction = record->direction,
                                  .stream = table->stream,
                                  .part = table->part};
    *name = NULL;
    if (table->outlet && table->outlet_file == job->totals.file && table->outlet_day == partition.day)
        return 0;
    struct output_file *outlet = find_in_folder(job, &partition, name);
    if (!outlet && !*name)
        return job_give_up_memory(job);
    if (table->outlet && outlet != table->outlet_before && end_outlet(job, table->outlet_before) != 0) {
        free(*name);
        return -1;
    }
    table->outlet_before = table->outlet ? table->outlet : table->outlet_before;
    table->outlet = outlet;
    table->outlet_file = job->totals.file;
    table->outlet_day = partition.day;
    return 0;
}

/* For a source that is read once: the checks at the first row of a table. */
static int check_first_row(struct job *job, struct table *table, const struct armtap_record *record)
{
    job->only_table = table;
    job->only_stream = *record->stream;
    if (check_width(job, table) != 0)
        return -1;
    return checks_later(job) ? 0 : check_names(job);
}

static int begin_table(struct job *job, struct table *table, const struct armtap_record *record)
{
    bool all_tables = format_has(job->wish->format, FORMAT_ALL_TABLES);
    if (job->once && !all_tables && check_first_row(job, table, record) != 0)
        return -1;
    unsigned stream = all_tables ? tables_stream_number(job->tables, record->stream->connection) : table->stream;
    if (!job->wish->is_folder)
        table->outlet = outlet_of(job, stream, table->part);
    if (!table->outlet)
        return -1;
    table->begun = true;
    job->begun = true;
    return 0;
}

/* What is missing before the row of a connection that continues its table. */
static struct missing_flow missing_before(struct job *job, const struct armtap_record *record, struct table *table)
{
    struct missing_flow missing = *missing_data_before(job->missing, record);
    if (table && table->hole_from != ARMTAP_NO_TIME) {
        missing.seconds += (double)((record->where.time - table->hole_from) / 1000) / 1e6;
        table->hole_from = ARMTAP_NO_TIME;
    }
    return missing;
}

static int print_row(struct job *job, const struct armtap_record *record, struct table *table,
                     const struct table_layout *layout, struct output_file *outlet)
{
    struct view *view = table ? table->view : &job->opaque_view;
    if (!job->batches)
        return -1;
    job->generations |= 1u << record->stream->generation;
    struct output_row row = {
        .where = record->where,
        .stream = tables_stream_number(job->tables, record->stream->connection),
        .robot = record->stream->robot,
        .client = record->stream->client,
        .file = replay_file_name(job->source, record->where.file),
        .several_files = replay_has_several_files(job->source),
        .protocol = record->protocol,
        .direction = record->direction,
        .generation = record->stream->generation,
        .release = ros_release(record->stream),
        .is_mixed = mode_names_are_mixed(job->generations),
        .layout = layout,
        .missing = missing_before(job, record, table),
        .values = record->values,
        .values_length = record->values_length,
    };
    if (format_has(job->wish->format, FORMAT_SPREADS) && armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT))
        request_warn_cells(job, view, &row);
    job->rows++;
    missing_data_drop(job->missing, record);
    return check_sink(job, batches_row(job->batches, outlet, view, &row));
}

static int make_opaque_view(struct job *job)
{
    struct view *view = &job->opaque_view;
    job->opaque_begun = true;
    if (selection_apply(&job->selection, NULL, 0, &view->picks) != 0)
        return job_give_up_memory(job);
    if (job->wish->format->writer->prepare && job->wish->format->writer->prepare(view, job->wish->layout) != 0)
        return job_give_up_memory(job);
    return 0;
}

/* The row is another capture's. */
static int pass_over(struct job *job, const struct armtap_record *record, struct table *table)
{
    job->generations |= 1u << record->stream->generation;
    missing_before(job, record, table);
    missing_data_drop(job->missing, record);
    return 0;
}

static int print_opaque(struct job *job, const struct armtap_record *record)
{
    job->opaque += !job->totals.elsewhere;
    if (!format_has(job->wish->format, FORMAT_ALL_TABLES))
        return 0;
    if (job->totals.elsewhere)
        return pass_over(job, record, NULL);
    unsigned stream = tables_stream_number(job->tables, record->stream->connection);
    struct output_file *outlet = outlet_of(job, stream, 0);
    if (!outlet || (!job->opaque_begun && make_opaque_view(job) != 0))
        return -1;
    return print_row(job, record, NULL, NULL, outlet);
}

/* Estimates the bytes of a row's text, plus one for each column that must be looked at. */
static uint64_t row_cost(const struct job *job, const struct view *view, const struct armtap_record *record)
{
    enum { ROW = 160, VALUE = 3 }; /* bytes of the leading columns; bytes of text for a byte of the frame */
    const struct format *format = job->wish->format;
    size_t absent = format_has(format, FORMAT_COLUMNS)        ? sizeof(uint64_t) + 1
                    : format_has(format, FORMAT_ONLY_NUMBERS) ? sizeof "NaN"
                                                              : format->writer->begin != NULL;
    /* Only present values have a key, and each takes at least a byte of the frame. */
    size_t named = record->values_length < view->keys ? record->values_length * view->longest_key : view->keys;
    size_t keys = named < view->keys ? named : view->keys;
    return ROW + keys + view->picks.count + absent * view->cells + VALUE * record->values_length;
}

/* An output with all tables has one file for each stream. */
static struct output_file *outlet_of_row(struct job *job, struct table *table, const struct armtap_record *record)
{
    if (!format_has(job->wish->format, FORMAT_ALL_TABLES))
        return table->outlet;
    return outlet_of(job, tables_stream_number(job->tables, record->stream->connection), 0);
}

static int leave_out(struct job *job, const struct armtap_record *record)
{
    tables_leave_out(job->tables, record, true);
    return 0;
}

static bool has_place(const struct job *job, const struct table *table)
{
    bool is_one = job->once && !format_has(job->wish->format, FORMAT_ALL_TABLES) && !job->wish->split;
    return !is_one || !job->only_table || job->only_table == table;
}

/* Pays for a row, and for the header if it is the first in its file. */
static bool pay(struct job *job, const struct armtap_record *record, const struct view *view, bool is_first)
{
    uint64_t header = is_first && job->wish->format->writer->begin ? view->header : 0;
    return tables_spend(job->tables, record,
                        header + tables_row_price(job->tables, record, row_cost(job, view, record)));
}

static int print_record(struct job *job, const struct armtap_record *record, struct table *table,
                        const struct table_layout *layout)
{
    if (!has_place(job, table)) {
        request_leave_over(job, record, false);
        return 0;
    }
    if (table->left_out || (!table->view && !tables_spend(job->tables, record, table_cost(table))))
        return leave_out(job, record);
    if (make_view(job, table) != 0 || job->closed || job->gave_up)
        return -1;
    if (tables_count_row(job->tables, record) % job->wish->every != 0)
        return 0;
    if (job->totals.elsewhere)
        return pass_over(job, record, table);
    char *name = NULL; /* of a file in a folder that must be opened */
    if (job->wish->is_folder && aim_at_folder(job, table, record, &name) != 0)
        return -1;
    if (!pay(job, record, table->view, !table->begun || name)) {
        free(name);
        table->outlet = name ? NULL : table->outlet;
        return leave_out(job, record);
    }
    if (name && !(table->outlet = output_files_open_named(&job->outlets, name)))
        return job_give_up(job);
    if (!table->begun && begin_table(job, table, record) != 0)
        return -1;
    struct output_file *outlet = outlet_of_row(job, table, record);
    return outlet ? print_row(job, record, table, layout, outlet) : -1;
}

static void resolve_times(struct job *job)
{
    const struct export_wish *wish = job->wish;
    job->times_known = true;
    job->from = wish->from.given ? timestamp_resolve(&wish->from, job->totals.first_time, wish->zone) : INT64_MIN;
    job->to = wish->to.given ? timestamp_resolve(&wish->to, job->totals.first_time, wish->zone) : INT64_MAX;
    missing_data_limit(job->missing, job->from, job->to);
}

/* Whether a record is within --from and --to. 0, or -1 after a message if it has no time. */
static int check_time(struct job *job, const struct armtap_record *record, bool *is_within)
{
    char list[FORMATS_LIST_MAX];
    const char *name = job->source->count > 0 ? replay_file_name(job->source, record->where.file) : "input";
    bool has_time = record->where.time != ARMTAP_NO_TIME;
    *is_within = true;
    if (!has_time && format_has(job->wish->format, FORMAT_NEEDS_TIME)) {
        message_error("%s: it has no capture times, which messages of -f %s need; give -f %s, or capture with armtap "
                      "record or tcpdump",
                      name, job->wish->format->name, format_names(list, 0, FORMAT_NEEDS_TIME));
        return job_give_up(job);
    }
    if (!job->wish->from.given && !job->wish->to.given)
        return 0;
    if (!has_time) {
        message_error("%s: it has no capture times, so --from and --to cannot be judged; leave them out", name);
        return job_give_up(job);
    }
    if (!job->times_known)
        resolve_times(job);
    *is_within = record->where.time >= job->from && record->where.time <= job->to;
    return 0;
}

/* ---- callbacks ------------------------------------------------------------------------------------------------- */

static int survey_record(void *user, const struct armtap_record *record)
{
    struct job *job = user;
    struct table *table;
    const struct table_layout *layout;
    if (armtap_streams_record(job->streams, record) != 0 || missing_data_record(job->missing, record) != 0)
        return job_give_up_memory(job);
    if (record->direction != job->wish->direction)
        return stop_without_memory(job, tables_stream(job->tables, record->stream));
    return stop_without_memory(job, tables_record(job->tables, record, &table, &layout));
}

static int follow_recipe(struct job *job, const struct armtap_recipe_event *event)
{
    if (event->direction != job->wish->direction)
        return stop_without_memory(job, tables_stream(job->tables, event->stream));
    return stop_without_memory(job, tables_recipe(job->tables, event));
}

static int survey_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct job *job = user;
    if (armtap_streams_recipe(job->streams, event) != 0 || missing_data_recipe(job->missing, event) != 0)
        return job_give_up_memory(job);
    return follow_recipe(job, event);
}

static void keep_cut(struct job *job, const struct armtap_note *note)
{
    if (job->cut_count++ >= CUTS_KEPT)
        return;
    struct cut *cut = &job->cuts[job->cut_count - 1];
    *cut = (struct cut){.connection = note->stream->connection, .where = note->where};
    snprintf(cut->robot, sizeof cut->robot, "%s", note->stream->robot);
    snprintf(cut->client, sizeof cut->client, "%s", note->stream->client);
    snprintf(cut->text, sizeof cut->text, "%s", note->text);
}

static int survey_note(void *user, const struct armtap_note *note)
{
    struct job *job = user;
    if (job->totals.elsewhere)
        return missing_data_note(job->missing, note) != 0 ? job_give_up_memory(job) : 0;
    if (note->stream && strcmp(note->kind->id, "input.hostile") == 0)
        keep_cut(job, note);
    if (armtap_streams_note(job->streams, note) != 0 || missing_data_note(job->missing, note) != 0)
        return job_give_up_memory(job);
    return 0;
}

static int survey_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct job *job = user;
    return armtap_streams_candidates(job->streams, candidates) == 0 ? 0 : job_give_up_memory(job);
}

/* Frees the state of a closed stream beyond those that are listed on their own. */
static void let_go(struct job *job, const struct armtap_event *event)
{
    struct armtap_note note;
    tables_let_go(job->tables, event->stream->connection);
    missing_data_let_go(job->missing, event->stream->connection);
    if (armtap_streams_due_note(job->streams, event, &note) && armtap_streams_note(job->streams, &note) != 0)
        job_give_up_memory(job);
}

static int survey_event(void *user, const struct armtap_event *event)
{
    struct job *job = user;
    if (armtap_streams_event(job->streams, event) != 0 || missing_data_event(job->missing, event) != 0)
        return job_give_up_memory(job);
    tables_close(job->tables, event);
    if (armtap_streams_let_go(job->streams))
        let_go(job, event);
    if (job->once)
        return stop_without_memory(job, live_numbering_event(&job->numbering, job->tables, event));
    if (event->type != ARMTAP_EVENT_RECOGNISED)
        return 0;
    return stop_without_memory(job, tables_stream(job->tables, event->stream));
}

/* Writes the rows of a live source at short intervals, so that a reader sees them soon. */
static int keep_up(struct job *job)
{
    struct timespec time;
    if (!job->once)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    if (now - job->last_flush < SHOW_EVERY_NS)
        return 0;
    job->last_flush = now;
    if (job->batches && check_sink(job, batches_drain(job->batches)) != 0)
        return -1;
    if (now - job->last_show >= NS_PER_S) {
        job->last_show = now;
        if (check_sink(job, targets_show(&job->targets)) != 0)
            return -1;
    }
    return check_sink(job, output_files_flush_all(&job->outlets));
}

static int print_on_record(void *user, const struct armtap_record *record)
{
    struct job *job = user;
    struct table *table;
    const struct table_layout *layout;
    if ((job->once && armtap_streams_record(job->streams, record) != 0) ||
        missing_data_record(job->missing, record) != 0)
        return job_give_up_memory(job);
    if (record->direction != job->wish->direction)
        return stop_without_memory(job, tables_stream(job->tables, record->stream));
    enum tables_outcome outcome = tables_record(job->tables, record, &table, &layout);
    if (job->closed || job->gave_up)
        return -1;
    if (!job_wants_stream(job, tables_stream_number(job->tables, record->stream->connection)))
        return stop_without_memory(job, outcome);
    bool is_within;
    if (check_time(job, record, &is_within) != 0)
        return -1;
    if (!is_within) {
        job->out_of_time += !job->totals.elsewhere;
        if (missing_data_count_part(job->missing, record) != 0)
            return job_give_up_memory(job);
        missing_data_drop(job->missing, record);
        job->is_over = job->source->robots && job->to < record->where.time - OUT_OF_ORDER_NS;
        return job->is_over ? -1 : 0;
    }
    if ((!job->totals.elsewhere && missing_data_count(job->missing, record) != 0) || outcome == TABLES_NO_MEMORY)
        return job_give_up_memory(job);
    int printed = 0;
    if (outcome == TABLES_GREW)
        request_leave_over(job, record, true);
    else if (outcome == TABLES_MANY)
        printed = leave_out(job, record);
    else
        printed = table ? print_record(job, record, table, layout) : print_opaque(job, record);
    return printed == 0 ? keep_up(job) : printed;
}

static int print_on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct job *job = user;
    if (job->once)
        return survey_recipe(user, event);
    if (missing_data_recipe(job->missing, event) != 0)
        return job_give_up_memory(job);
    return follow_recipe(job, event);
}

static int print_on_event(void *user, const struct armtap_event *event)
{
    struct job *job = user;
    if (job->once)
        return survey_event(user, event);
    tables_close(job->tables, event);
    if (missing_data_event(job->missing, event) != 0)
        return job_give_up_memory(job);
    if (event->type == ARMTAP_EVENT_CLOSE && missing_data_is_over(job->missing, event->stream) &&
        !armtap_streams_of(job->streams, event->stream->connection))
        let_go(job, event);
    return 0;
}

static int print_on_note(void *user, const struct armtap_note *note)
{
    struct job *job = user;
    if (job->once)
        return survey_note(user, note);
    return missing_data_note(job->missing, note) != 0 ? job_give_up_memory(job) : 0;
}

static int print_on_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct job *job = user;
    return job->once ? survey_candidates(user, candidates) : 0;
}

/* The callbacks above return a value other than 0 if the job gave up, the reader closed the pipe or all is written. */
#define ANSWER(callback, type)                                                                                         \
    static int callback##_answer(void *user, const struct type *what)                                                  \
    {                                                                                                                  \
        const struct job *job = user;                                                                                  \
        if (callback(user, what) == 0)                                                                                 \
            return REPLAY_GO_ON;                                                                                       \
        return job->closed || job->is_over ? REPLAY_HAS_ENOUGH : job->gave_up ? REPLAY_GAVE_UP : REPLAY_NO_MEMORY;     \
    }
ANSWER(survey_record, armtap_record)
ANSWER(survey_recipe, armtap_recipe_event)
ANSWER(survey_note, armtap_note)
ANSWER(survey_event, armtap_event)
ANSWER(print_on_record, armtap_record)
ANSWER(print_on_recipe, armtap_recipe_event)
ANSWER(print_on_note, armtap_note)
ANSWER(print_on_event, armtap_event)
ANSWER(survey_candidates, armtap_candidates)
ANSWER(print_on_candidates, armtap_candidates)
#undef ANSWER

static const struct armtap_sink survey_sink = {.size = sizeof survey_sink,
                                               .on_record = survey_record_answer,
                                               .on_recipe = survey_recipe_answer,
                                               .on_note = survey_note_answer,
                                               .on_event = survey_event_answer,
                                               .on_candidates = survey_candidates_answer};
static const struct armtap_sink print_sink = {.size = sizeof print_sink,
                                              .on_record = print_on_record_answer,
                                              .on_recipe = print_on_recipe_answer,
                                              .on_note = print_on_note_answer,
                                              .on_event = print_on_event_answer,
                                              .on_candidates = print_on_candidates_answer};

/* The same for a format that also says what was found. Of an archive, only what is found in the capture itself. */
#define HEARD(callback, member, type)                                                                                  \
    static int callback##_heard(void *user, const struct type *what)                                                   \
    {                                                                                                                  \
        const struct job *job = user;                                                                                  \
        if (!job->totals.elsewhere && remarks_sink(job->remarks)->member(job->remarks, what) != ARMTAP_OK)             \
            return REPLAY_NO_MEMORY;                                                                                   \
        return callback##_answer(user, what);                                                                          \
    }
HEARD(print_on_record, on_record, armtap_record)
HEARD(print_on_recipe, on_recipe, armtap_recipe_event)
HEARD(print_on_note, on_note, armtap_note)
HEARD(print_on_event, on_event, armtap_event)
#undef HEARD

static int on_message_heard(void *user, const struct armtap_message *message)
{
    const struct job *job = user;
    if (job->totals.elsewhere)
        return REPLAY_GO_ON;
    int outcome = remarks_sink(job->remarks)->on_message(job->remarks, message);
    return outcome == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static const struct armtap_sink print_and_hear_sink = {.size = sizeof print_and_hear_sink,
                                                       .on_record = print_on_record_heard,
                                                       .on_recipe = print_on_recipe_heard,
                                                       .on_note = print_on_note_heard,
                                                       .on_event = print_on_event_heard,
                                                       .on_message = on_message_heard,
                                                       .on_candidates = print_on_candidates_answer};

/* ---- the readings ---------------------------------------------------------------------------------------------- */

/* Waiting rows refer to views that are about to be freed: writes them, or drops them if that fails. */
static void drain(void *user)
{
    struct job *job = user;
    if (!job->batches || check_sink(job, batches_drain(job->batches)) == 0)
        return;
    batches_free(job->batches);
    job->batches = NULL;
}

static struct tables *make_tables(struct job *job)
{
    const struct export_wish *wish = job->wish;
    const struct tables_options options = {.mode = wish->joined                                  ? TABLES_JOINED
                                                   : format_has(wish->format, FORMAT_ALL_TABLES) ? TABLES_BY_RECIPE
                                                                                                 : TABLES_APART,
                                           .once = job->once,
                                           .continues = job->source->robots,
                                           .next = wish->split,
                                           .drain = drain,
                                           .forget = forget_view,
                                           .user = job};
    return tables_new(&options);
}

static void free_tables(struct job *job)
{
    for (size_t i = 0; job->tables && i < tables_count(job->tables); i++)
        forget_view(job, tables_at(job->tables, i));
    tables_free(job->tables);
}

/* Starts over for another reading: recipes learned where a handshake was missing may lead to other tables. */
static int forget(void *user)
{
    struct job *job = user;
    free_tables(job);
    armtap_streams_free(job->streams);
    missing_data_free(job->missing);
    job->tables = make_tables(job);
    job->streams = armtap_streams_new();
    job->missing = missing_data_new(job->wish->direction);
    return !job->tables || !job->streams || !job->missing ? -1 : 0;
}

/* Whether --to has passed while robots are silent: what they had sent until then was read. */
static bool is_past_end(struct job *job, const struct replay_totals *totals)
{
    bool is_silent = totals->packets == job->packets_before;
    job->packets_before = totals->packets;
    if (!is_silent || !job->source->robots || !job->wish->to.given)
        return false;
    int64_t to = timestamp_resolve(&job->wish->to, totals->first_time, job->wish->zone);
    job->is_over = to != ARMTAP_NO_TIME && to < tcp_clock() - OUT_OF_ORDER_NS;
    return job->is_over;
}

/* Writes waiting rows even if no further ones come. */
static enum replay_answer on_turn(void *user, const struct replay_totals *totals)
{
    struct job *job = user;
    if (is_past_end(job, totals))
        return REPLAY_HAS_ENOUGH;
    return keep_up(job) == 0 ? REPLAY_GO_ON : job->closed ? REPLAY_HAS_ENOUGH : REPLAY_GAVE_UP;
}

/* Reads the source into a sink. 0, or -1 if the export must stop; damaged input changes only the status. */
static int read_all(struct job *job, const struct armtap_sink *sink)
{
    struct replay_source source = *job->source;
    enum exit_status status;
    source.quiet = job->status == EXIT_FAILED;
    source.knowledge = job->knowledge;
    source.on_turn = job->once ? on_turn : NULL;
    source.part = sink == &survey_sink ? REPLAY_SIDECARS : REPLAY_CAPTURE;
    if (sink == &survey_sink)
        status = replay_learning(&source, sink, job, forget, &job->totals);
    else
        status = replay(&source, sink, job, &job->totals);
    if (status > job->status)
        job->status = status;
    if (job->totals.interrupted)
        message_error("interrupted; nothing was written to %s", job->wish->out);
    return job->totals.broken_off || job->closed ? -1 : 0;
}

static int check_telemetry(struct job *job)
{
    armtap_streams_number(job->streams);
    if (armtap_streams_count(job->streams) > 0)
        return 0;
    if (job->status != EXIT_FAILED)
        no_telemetry_report(job->streams, &job->totals);
    return job_give_up(job);
}

/* Whether several streams have rows, which share a file. */
static bool has_several_streams(const struct job *job)
{
    size_t count = 0;
    if (job->wish->split || job->wish->has_stream)
        return false;
    for (size_t i = 0; i < armtap_streams_count(job->streams) && count < 2; i++)
        count += armtap_streams_at(job->streams, i)->stream->records[job->wish->direction] > 0;
    return count > 1 || armtap_streams_rest(job->streams)->records[job->wish->direction] > 0;
}

/* The first of two readings: finds the tables. */
static int survey(struct job *job)
{
    if (read_all(job, &survey_sink) != 0 || check_telemetry(job) != 0)
        return -1;
    tables_rewind(job->tables, job->streams);
    missing_data_rewind(job->missing);
    if (check_stream(job) != 0 || check_tables(job) != 0)
        return -1;
    if (check_before_rows(job) != 0)
        return -1;
    job->targets.settings.several_streams = has_several_streams(job);
    return tables_begin_rows(job->tables) == 0 ? 0 : job_give_up_memory(job);
}

/* The table of the output if there is only one; else NULL. */
static struct table *only_table(const struct job *job)
{
    struct table *only = NULL;
    size_t wanted = 0;
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        struct table *table = tables_at(job->tables, i);
        if (!job_wants(job, table))
            continue;
        only = table;
        wanted++;
    }
    return wanted == 1 ? only : NULL;
}

/* Writes an output without rows: only its header; none for robots that sent nothing. That of a capture in an archive is
 * the header of all. */
static int print_nothing(struct job *job)
{
    if (no_telemetry_came(job->source, job->streams)) {
        if (job->status != EXIT_FAILED)
            no_telemetry_report_robots(job->streams);
        return job_give_up(job);
    }
    message_warning("no record %s%s%s: the output has no row", job_direction(job),
                    job->opaque > 0 ? " that can be read" : "", job->out_of_time > 0 ? " in that time" : "");
    if (job->wish->split)
        return 0;
    struct output_file *outlet = outlet_of(job, 0, 0);
    struct table none = {0}, *table = job->source->archive ? only_table(job) : NULL;
    struct view view = {.table = &none};
    if (table && outlet)
        return make_view(job, table) != 0 ? -1 : check_sink(job, target_begin(&job->targets, outlet, table->view));
    const struct format *format = job->wish->format;
    if (!outlet)
        return -1;
    if (format->writer->prepare && format->writer->prepare(&view, layout_of(job, &none)) != 0)
        return job_give_up_memory(job);
    int outcome = check_sink(job, target_begin(&job->targets, outlet, &view));
    picks_free(&view.picks);
    return outcome;
}

static void warn_misfits(const struct job *job)
{
    char list[FORMATS_LIST_MAX];
    uint64_t misfits = batches_misfits(job->batches);
    if (misfits > 0)
        message_warning("%" PRIu64 " value%s not of the type of %s column%s, and left out; give -f %s", misfits,
                        misfits == 1 ? " was" : "s were", misfits == 1 ? "its" : "their", misfits == 1 ? "" : "s",
                        format_names(list, 0, FORMAT_COLUMNS | FORMAT_ONLY_NUMBERS));
}

/* Sets bytes aside beside the output, where there is room for them. */
static struct spool *make_spool(const char *out)
{
    const char *slash = strrchr(out, '/'), *folder = getenv("TMPDIR");
    if (strcmp(out, "-") == 0 || strncmp(out, "/dev/", strlen("/dev/")) == 0)
        return spool_new(folder && *folder != '\0' ? folder : "/tmp", SPOOL_IN_MEMORY);
    char *beside = slash ? strndup(out, (size_t)(slash - out) + 1) : strdup(".");
    struct spool *spool = beside ? spool_new(beside, SPOOL_IN_MEMORY) : NULL;
    free(beside);
    return spool;
}

/* Threads are made before an interface is opened: its sandbox allows no more of them. */
static int make_threads(struct job *job)
{
    const struct export_wish *wish = job->wish;
    if (format_has(wish->format, FORMAT_PACKS)) {
        job->targets.settings.packer = packer_new(wish->compression, wish->threads);
        job->targets.settings.spool = make_spool(wish->out);
        if (!job->targets.settings.packer || !job->targets.settings.spool)
            return -1;
    }
    if (format_has(wish->format, FORMAT_REMARKS) && !(job->remarks = remarks_new(job)))
        return -1;
    job->batches = batches_new(&job->targets, wish->threads);
    return job->batches ? 0 : -1;
}

/* Whether there are captures of the archive after the one that is read. */
static bool source_goes_on(const struct replay_source *source)
{
    return source->archive && archive_current(source->archive) + 1 < archive_count(source->archive);
}

/* Adds metadata.yaml to the files of a bag. 0, or -1 after a message. */
static int describe_bag(struct job *job)
{
    struct buffer text = {0};
    char *name = bag_metadata_name(job->wish->bag);
    bag_begin(&text, &job->bag_counts);
    buffer_put(&text, job->bag_topics.data, job->bag_topics.length);
    bag_end(&text, job->wish->out, &job->bag_counts, job->bag_topics.length > 0);
    if (!name || text.failed || job->bag_topics.failed) {
        free(name);
        free(text.data);
        return job_give_up_memory(job);
    }
    struct output_file *file = output_files_open_named(&job->outlets, name);
    int outcome =
        file ? check_sink(job, output_files_put(&job->outlets, file, text.data, text.length)) : job_give_up(job);
    free(text.data);
    return outcome;
}

static int print(struct job *job)
{
    if (make_threads(job) != 0)
        return job_give_up_memory(job);
    if (read_all(job, job->remarks ? &print_and_hear_sink : &print_sink) != 0)
        return -1;
    if (job->once && (check_telemetry(job) != 0 || check_stream(job) != 0))
        return -1;
    if (job->once && job->begun && check_names(job) != 0)
        return -1;
    if (!job->begun && job->rows == 0 && print_nothing(job) != 0)
        return -1;
    if (source_goes_on(job->source))
        missing_data_goes_on(job->missing);
    job_report(job);
    if (job->once)
        request_warn_numbers(job);
    check_left_over(job);
    if (!job->batches || check_sink(job, batches_drain(job->batches)) != 0)
        return -1;
    warn_misfits(job);
    if (job->remarks && remarks_finish(job->remarks) != 0)
        return job_give_up_memory(job);
    job->targets.settings.remarks = job->remarks;
    if (check_sink(job, targets_end(&job->targets)) != 0)
        return -1;
    targets_forget(&job->targets);
    if (job->wish->bag && describe_bag(job) != 0)
        return -1;
    if (job->wish->manifest && manifest_collect(&job->manifest, job) != 0)
        return -1;
    return check_sink(job, output_files_commit(&job->outlets));
}

/* Reports an unwritable folder or manifest before gigabytes are read. The manifest may lie in the folder, which is made
 * first, and gets a line also if that fails. */
static int check_places(struct job *job)
{
    const struct export_wish *wish = job->wish;
    int outcome = wish->bag ? partition_check_folder(wish->bag) : 0;
    if (outcome == 0 && wish->is_folder)
        outcome = partition_check_folder(wish->out);
    if (wish->manifest && manifest_open(&job->manifest, job) != 0)
        outcome = -1;
    return outcome != 0 ? job_give_up(job) : 0;
}

static int run(struct job *job)
{
    job->numbering = (struct live_numbering){.ports = job->source->ports, .port_count = job->source->port_count};
    job->tables = make_tables(job);
    job->streams = armtap_streams_new();
    job->missing = missing_data_new(job->wish->direction);
    if (armtap_knowledge_new(&job->knowledge) != ARMTAP_OK)
        return job_give_up_memory(job);
    if (!job->tables || !job->streams || !job->missing || selection_parse(job->wish->fields, &job->selection) != 0)
        return job_give_up_memory(job);
    if (job->wish->bag) {
        job->targets.settings.bag = &job->bag_topics;
        job->targets.settings.bag_counts = &job->bag_counts;
    }
    if (check_places(job) != 0)
        return -1;
    if (!job->wish->split && !outlet_of(job, 0, 0))
        return -1;
    job->selection.joined = job->wish->joined;
    if (job->wish->split || output_files_are_pending(&job->outlets))
        interrupt_hold();
    int outcome = job->once ? 0 : survey(job);
    return outcome != 0 ? outcome : print(job);
}

static void release(struct job *job)
{
    batches_free(job->batches);
    targets_forget(&job->targets);
    packer_free(job->targets.settings.packer);
    spool_free(job->targets.settings.spool);
    output_files_discard(&job->outlets);
    picks_free(&job->opaque_view.picks);
    live_numbering_free(&job->numbering);
    selection_free(&job->selection);
    armtap_knowledge_free(job->knowledge);
    free_tables(job);
    armtap_streams_free(job->streams);
    missing_data_free(job->missing);
    remarks_free(job->remarks);
    manifest_free(&job->manifest);
    free(job->bag_topics.data);
}

enum exit_status export_run(const struct export_wish *wish, const struct replay_source *given)
{
    struct replay_source source = *given;
    struct job job = {
        .wish = wish,
        .source = &source,
        .manifest = {.file = -1},
        .outlets = {.name = wish->out, .inputs = given->inputs, .split = wish->split, .gzipped = wish->gzipped}};
    source.archive = wish->after ? archive_open(wish->after, given->names[0]) : NULL;
    if (wish->after && !source.archive)
        return EXIT_FAILED;
    /* What is known about the captures of an archive is read before the capture itself. */
    job.once = !replay_is_repeatable(&source) && !(source.archive && archive_current_is_indexed(source.archive));
    job.targets =
        (struct targets){.format = wish->format,
                         .files = &job.outlets,
                         .settings = {.is_split = wish->split, .several_files = replay_has_several_files(&source)}};
    run(&job);
    if (job.status == EXIT_DONE && wish->strict && job.streams && armtap_streams_data_have_warning(job.streams)) {
        job.status = EXIT_FOUND;
        job_report_strict(&job);
    }
    if (wish->manifest && manifest_write(&job.manifest, &job) != 0)
        job.status = EXIT_FAILED;
    release(&job);
    archive_free(source.archive);
    return job.status;
}
