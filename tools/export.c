#define _POSIX_C_SOURCE 200809L
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "interrupt.h"
#include "message.h"

enum { interrupt_turn = 256, show_every_ns = 200000000 };

int job_give_up(struct job *job)
{
    job->status = EXIT_FAILED;
    job->gave_up = true;
    return -1;
}

int job_give_up_memory(struct job *job)
{
    message_no_memory();
    return job_give_up(job);
}

static int check_sink(struct job *job, enum sink_outcome outcome)
{
    if (outcome == SINK_FAILED)
        return job_give_up(job);
    job->closed = outcome == SINK_CLOSED;
    return job->closed ? -1 : 0;
}

static int check_interrupt(struct job *job)
{
    if (!job->interruptible || job->turns++ % interrupt_turn != 0 || !interrupt_asked())
        return 0;
    message_error("interrupted; nothing was written to %s", job->wish->out);
    return job_give_up(job);
}

static int check_tables(struct job *job, enum tables_outcome outcome, const struct armtap_stream *stream)
{
    unsigned number = tables_stream_number(job->tables, stream->connection);
    switch (outcome) {
    case TABLES_OK:
    case TABLES_OPAQUE:
        return 0;
    case TABLES_GREW:
        message_error("stream %u: it has fields now that were not there when the first row was written, and what is "
                      "read as it comes has one header; save it to a file and export that",
                      number);
        return job_give_up(job);
    case TABLES_MANY:
        message_error("stream %u: more than %d tables, or more columns in a table than can be; split the capture, for "
                      "example with editcap -c",
                      number, TABLES_MAX);
        return job_give_up(job);
    case TABLES_NO_MEMORY:
        break;
    }
    return job_give_up_memory(job);
}

/* ---- views ----------------------------------------------------------------------------------------------------- */

/* Tables come one by one where the source is read once. */
static struct printed *printed_of(struct job *job, size_t index)
{
    if (index >= job->printed_room) {
        size_t room = 2 * index + 16;
        struct printed *printed = realloc(job->printed, room * sizeof *printed);
        if (printed == NULL)
            return NULL;
        memset(printed + job->printed_room, 0, (room - job->printed_room) * sizeof *printed);
        job->printed = printed;
        job->printed_room = room;
    }
    return &job->printed[index];
}

static enum armtap_generation layout_of(const struct job *job, const struct armtap_stream *stream)
{
    if (job->wish->layout != ARMTAP_GENERATION_UNKNOWN)
        return job->wish->layout;
    bool cb2 = stream != NULL && stream->protocol == ARMTAP_REALTIME && stream->generation == ARMTAP_GENERATION_CB2;
    return cb2 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
}

static size_t width_of(const struct picks *picks)
{
    enum { cell = 4 }; /* a separator, and what may stand for the absent */
    size_t width = 0;
    for (size_t i = 0; i < picks->count; i++)
        width += cell * (size_t)picks->pick[i].count + (picks->pick[i].key == NULL ? 0 : strlen(picks->pick[i].key));
    return width;
}

static int name_modes(struct job *job, struct view *view)
{
    bool if_mixed;
    enum mode_names how = choice_mode_names(job, view->table, &if_mixed);
    int outcome = mode_names_apply(how, view->table->columns, &view->picks);
    for (size_t i = 0; i < view->picks.count; i++)
        view->picks.pick[i].if_mixed = if_mixed && view->picks.pick[i].by_name;
    if (how != job->wish->enums && !if_mixed)
        message_warning("the controllers of %s number their modes differently, so these are written by name; for the "
                        "numbers beside the names give --enums both",
                        view->table->is_joined ? "these streams" : "a stream whose packets changed");
    return outcome;
}

static int make_view(struct job *job, struct table *table)
{
    struct printed *printed = printed_of(job, table->index);
    if (printed == NULL || table_arrange(table) != 0)
        return job_give_up_memory(job);
    printed->view.table = table;
    printed->view.is_shown = job->wish->is_shown;
    printed->view.is_guarded = job->wish->is_guarded;
    if (selection_apply(&job->selection, table->columns, table->column_count, &printed->view.picks) != 0)
        return job_give_up_memory(job);
    if (choice_judge_width(job, &printed->view) != 0 || choice_judge_texts(job, &printed->view) != 0)
        return -1;
    choice_warn_shadowed(job, &printed->view);
    if (name_modes(job, &printed->view) != 0)
        return job_give_up_memory(job);
    const struct output *output = job->wish->output;
    if (output->prepare != NULL && output->prepare(&printed->view, layout_of(job, &table->summary)) != 0)
        return job_give_up_memory(job);
    printed->view.width = width_of(&printed->view.picks);
    return 0;
}

static int make_all_views(struct job *job)
{
    size_t wanted = 0;
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        struct table *table = tables_at(job->tables, i);
        if (!job_wants(job, table))
            continue;
        wanted++;
        job->generations |= table->generations;
        if (make_view(job, table) != 0)
            return -1;
    }
    if (wanted > 0 && choice_judge_names(job) != 0)
        return -1;
    for (size_t i = 0; i < tables_count(job->tables); i++)
        if (job_wants(job, tables_at(job->tables, i)) && choice_judge_view(job, tables_at(job->tables, i)) != 0)
            return -1;
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static struct outlet *outlet_of(struct job *job, unsigned stream, unsigned part)
{
    bool by_stream = job->wish->output->all_tables;
    struct outlet *outlet = outlets_open(&job->outlets, stream, by_stream ? 0 : part);
    if (outlet == NULL)
        job_give_up(job);
    return outlet;
}

/* What a reading that cannot look ahead has to judge at a table's first row. */
static int judge_late(struct job *job, struct table *table)
{
    const struct export_wish *wish = job->wish;
    if (job->rows > 0 && !wish->split && !wish->output->all_tables) {
        return choice_refuse_second(job, table);
    }
    job->only_table = (unsigned)table->index;
    if (make_view(job, table) != 0)
        return -1;
    return wish->split || wish->output->all_tables ? 0 : choice_judge_names(job);
}

static int begin_table(struct job *job, struct table *table)
{
    if (job->once && judge_late(job, table) != 0)
        return -1;
    struct printed *printed = &job->printed[table->index];
    printed->outlet = outlet_of(job, table->stream, table->part);
    if (printed->outlet == NULL)
        return -1;
    if (job->wish->output->begin != NULL)
        job->wish->output->begin(&printed->view, &printed->outlet->buffer);
    printed->begun = true;
    return 0;
}

static int print_row(struct job *job, const struct armtap_record *record, struct view *view,
                     const struct table_layout *layout, struct outlet *outlet)
{
    job->generations |= 1u << record->stream->generation;
    struct output_row row = {
        .where = record->where,
        .stream = tables_stream_number(job->tables, record->stream->connection),
        .robot = record->stream->robot,
        .client = record->stream->client,
        .file = record->where.file < job->source->count ? job->source->names[record->where.file] : NULL,
        .several_files = job->source->count > 1,
        .protocol = record->protocol,
        .direction = record->direction,
        .generation = record->stream->generation,
        .is_mixed = mode_names_are_mixed(job->generations),
        .layout = layout,
        .missing = *missings_before(job->missings, record),
        .values = record->values,
        .values_length = record->values_length,
    };
    if (job->wish->output->spreads && record->protocol == ARMTAP_AUBO)
        choice_warn_cells(job, view, &row);
    job->rows++;
    missings_drop(job->missings, record);
    if (job->batches != NULL)
        return check_sink(job, batches_row(job->batches, outlet, view, &row));
    job->wish->output->row(view, &row, &outlet->buffer);
    return check_sink(job, outlets_flush_full(&job->outlets, outlet));
}

static int make_opaque_view(struct job *job)
{
    struct view *view = &job->opaque_view;
    job->opaque_begun = true;
    if (selection_apply(&job->selection, NULL, 0, &view->picks) != 0)
        return job_give_up_memory(job);
    if (job->wish->output->prepare != NULL && job->wish->output->prepare(view, job->wish->layout) != 0)
        return job_give_up_memory(job);
    return 0;
}

static int print_opaque(struct job *job, const struct armtap_record *record)
{
    job->opaque++;
    if (!job->wish->output->all_tables)
        return 0;
    unsigned stream = tables_stream_number(job->tables, record->stream->connection);
    struct outlet *outlet = outlet_of(job, stream, 0);
    if (outlet == NULL || (!job->opaque_begun && make_opaque_view(job) != 0))
        return -1;
    return print_row(job, record, &job->opaque_view, NULL, outlet);
}

static int print_record(struct job *job, const struct armtap_record *record, struct table *table,
                        const struct table_layout *layout)
{
    bool moves = table->index >= job->printed_room; /* and with it the views, which rows that wait know */
    if (moves && job->batches != NULL && check_sink(job, batches_drain(job->batches)) != 0)
        return -1;
    struct printed *printed = printed_of(job, table->index);
    if (printed == NULL)
        return job_give_up_memory(job);
    if (!printed->begun) {
        if (begin_table(job, table) != 0)
            return -1;
        printed = &job->printed[table->index];
    }
    uint64_t seen = job->wish->joined ? tables_count_row(job->tables, record->stream) : printed->seen++;
    if (seen % job->wish->every != 0)
        return 0;
    return print_row(job, record, &printed->view, layout, printed->outlet);
}

static void resolve_times(struct job *job)
{
    const struct export_wish *wish = job->wish;
    job->times_known = true;
    job->from = wish->from.given ? when_resolve(&wish->from, job->totals.first_time, wish->zone) : INT64_MIN;
    job->to = wish->to.given ? when_resolve(&wish->to, job->totals.first_time, wish->zone) : INT64_MAX;
    missings_limit(job->missings, job->from, job->to);
}

/* 1: within --from and --to; 0: not; -1: it cannot be told. */
static int is_in_time(struct job *job, const struct armtap_record *record)
{
    if (!job->wish->from.given && !job->wish->to.given)
        return 1;
    if (record->where.time == ARMTAP_NO_TIME) {
        message_error("%s: it has no capture times, so --from and --to cannot be judged; leave them out",
                      record->where.file < job->source->count ? job->source->names[record->where.file] : "input");
        return job_give_up(job);
    }
    if (!job->times_known)
        resolve_times(job);
    return record->where.time >= job->from && record->where.time <= job->to;
}

/* ---- callbacks ------------------------------------------------------------------------------------------------- */

static int survey_record(void *user, const struct armtap_record *record)
{
    struct job *job = user;
    struct table *table;
    const struct table_layout *layout;
    if (check_interrupt(job) != 0)
        return -1;
    if (streams_record(job->streams, record) != 0 || missings_record(job->missings, record) != 0)
        return job_give_up_memory(job);
    if (record->direction != job->wish->direction)
        return check_tables(job, tables_stream(job->tables, record->stream), record->stream);
    return check_tables(job, tables_record(job->tables, record, &table, &layout), record->stream);
}

static int follow_recipe(struct job *job, const struct armtap_recipe_event *event)
{
    if (event->direction != job->wish->direction)
        return check_tables(job, tables_stream(job->tables, event->stream), event->stream);
    return check_tables(job, tables_recipe(job->tables, event), event->stream);
}

static int survey_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct job *job = user;
    if (streams_recipe(job->streams, event) != 0 || missings_recipe(job->missings, event) != 0)
        return job_give_up_memory(job);
    return follow_recipe(job, event);
}

static int survey_note(void *user, const struct armtap_note *note)
{
    struct job *job = user;
    if (streams_note(job->streams, note) != 0 || missings_note(job->missings, note) != 0)
        return job_give_up_memory(job);
    return 0;
}

static int survey_event(void *user, const struct armtap_event *event)
{
    struct job *job = user;
    if (check_interrupt(job) != 0)
        return -1;
    if (streams_event(job->streams, event) != 0 || missings_event(job->missings, event) != 0)
        return job_give_up_memory(job);
    if (job->once)
        return check_tables(job, arrivals_event(&job->arrivals, job->tables, event), event->stream);
    if (event->type != ARMTAP_EVENT_RECOGNISED)
        return 0;
    return check_tables(job, tables_stream(job->tables, event->stream), event->stream);
}

/* Who follows a source that goes on, a robot's port behind a pipe, sees its rows while they are new. */
static int keep_up(struct job *job)
{
    struct timespec time;
    if (!job->once)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    if (now - job->shown < show_every_ns)
        return 0;
    job->shown = now;
    if (job->batches != NULL && check_sink(job, batches_drain(job->batches)) != 0)
        return -1;
    return check_sink(job, outlets_flush_all(&job->outlets));
}

static int print_on_record(void *user, const struct armtap_record *record)
{
    struct job *job = user;
    struct table *table;
    const struct table_layout *layout;
    if (check_interrupt(job) != 0)
        return -1;
    if ((job->once && streams_record(job->streams, record) != 0) || missings_record(job->missings, record) != 0)
        return job_give_up_memory(job);
    if (record->direction != job->wish->direction)
        return check_tables(job, tables_stream(job->tables, record->stream), record->stream);
    enum tables_outcome outcome = tables_record(job->tables, record, &table, &layout);
    if (!job_wants_stream(job, tables_stream_number(job->tables, record->stream->connection)))
        return outcome == TABLES_GREW ? 0 : check_tables(job, outcome, record->stream);
    int timely = is_in_time(job, record);
    if (timely <= 0) {
        job->untimely++;
        missings_count_part(job->missings, record);
        missings_drop(job->missings, record);
        return timely;
    }
    missings_count(job->missings, record);
    if (check_tables(job, outcome, record->stream) != 0)
        return -1;
    int printed = table == NULL ? print_opaque(job, record) : print_record(job, record, table, layout);
    return printed == 0 ? keep_up(job) : printed;
}

static int print_on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct job *job = user;
    if (job->once)
        return survey_recipe(user, event);
    if (missings_recipe(job->missings, event) != 0)
        return job_give_up_memory(job);
    return follow_recipe(job, event);
}

static int print_on_event(void *user, const struct armtap_event *event)
{
    struct job *job = user;
    if (job->once)
        return survey_event(user, event);
    return missings_event(job->missings, event) != 0 ? job_give_up_memory(job) : check_interrupt(job);
}

static int print_on_note(void *user, const struct armtap_note *note)
{
    struct job *job = user;
    if (job->once)
        return survey_note(user, note);
    return missings_note(job->missings, note) != 0 ? job_give_up_memory(job) : 0;
}

/* The callbacks above return other than 0 where the job gave up or nobody reads the output any more. */
#define ANSWER(callback, type)                                                                                         \
    static int callback##_answer(void *user, const struct type *what)                                                  \
    {                                                                                                                  \
        const struct job *job = user;                                                                                  \
        if (callback(user, what) == 0)                                                                                 \
            return REPLAY_GO_ON;                                                                                       \
        return job->closed ? REPLAY_HAS_ENOUGH : job->gave_up ? REPLAY_GAVE_UP : REPLAY_NO_MEMORY;                     \
    }
ANSWER(survey_record, armtap_record)
ANSWER(survey_recipe, armtap_recipe_event)
ANSWER(survey_note, armtap_note)
ANSWER(survey_event, armtap_event)
ANSWER(print_on_record, armtap_record)
ANSWER(print_on_recipe, armtap_recipe_event)
ANSWER(print_on_note, armtap_note)
ANSWER(print_on_event, armtap_event)
#undef ANSWER

static const struct armtap_sink survey_sink = {.size = sizeof survey_sink,
                                               .on_record = survey_record_answer,
                                               .on_recipe = survey_recipe_answer,
                                               .on_note = survey_note_answer,
                                               .on_event = survey_event_answer};
static const struct armtap_sink print_sink = {.size = sizeof print_sink,
                                              .on_record = print_on_record_answer,
                                              .on_recipe = print_on_recipe_answer,
                                              .on_note = print_on_note_answer,
                                              .on_event = print_on_event_answer};

/* ---- the readings ---------------------------------------------------------------------------------------------- */

/* Where a handshake was missing, what was learned may find other tables. */
static int forget(void *user)
{
    struct job *job = user;
    tables_free(job->tables);
    streams_free(job->streams);
    missings_free(job->missings);
    job->tables = tables_new(job->wish->joined);
    job->streams = streams_new();
    job->missings = missings_new(job->wish->direction);
    return job->tables == NULL || job->streams == NULL || job->missings == NULL ? -1 : 0;
}

/* Reads with a sink; whether the export may go on from there. Damage of the input is part of the status only. */
static int read_all(struct job *job, const struct armtap_sink *sink)
{
    struct replay_source source = *job->source;
    enum exit_status status;
    source.quiet = job->status == EXIT_FAILED;
    source.knowledge = job->knowledge;
    job->turns = 0;
    if (sink == &survey_sink)
        status = replay_learning(&source, sink, job, forget, &job->totals);
    else
        status = replay(&source, sink, job, &job->totals);
    if (status > job->status)
        job->status = status;
    return job->totals.broken_off || job->closed ? -1 : 0;
}

static int judge_telemetry(struct job *job)
{
    streams_number(job->streams);
    if (streams_count(job->streams) > 0)
        return 0;
    if (job->status != EXIT_FAILED)
        streams_report_none(job->streams, &job->totals);
    return job_give_up(job);
}

/* The first of two readings: finds the tables. */
static int survey(struct job *job)
{
    if (read_all(job, &survey_sink) != 0 || judge_telemetry(job) != 0)
        return -1;
    tables_rewind(job->tables, job->streams);
    missings_rewind(job->missings);
    if (choice_judge_stream(job) != 0 || choice_judge_tables(job) != 0)
        return -1;
    return make_all_views(job);
}

/* An output without rows: what would have preceded them. */
static int print_nothing(struct job *job)
{
    message_warning("no record %s%s%s: the output has no row", job_direction(job),
                    job->opaque > 0 ? " that can be read" : "", job->untimely > 0 ? " in that time" : "");
    if (job->wish->split)
        return 0;
    struct outlet *outlet = outlet_of(job, 0, 0);
    struct table none = {0};
    struct view view = {.table = &none};
    const struct output *output = job->wish->output;
    if (outlet == NULL)
        return -1;
    if (output->prepare != NULL && output->prepare(&view, layout_of(job, NULL)) != 0)
        return job_give_up_memory(job);
    if (output->begin != NULL)
        output->begin(&view, &outlet->buffer);
    picks_free(&view.picks);
    return 0;
}

static bool has_begun(const struct job *job)
{
    for (size_t i = 0; i < job->printed_room; i++)
        if (job->printed[i].begun)
            return true;
    return false;
}

static int print(struct job *job)
{
    if (job->wish->threads > 1 &&
        (job->batches = batches_new(job->wish->output, &job->outlets, job->wish->threads)) == NULL)
        return job_give_up_memory(job);
    if (read_all(job, &print_sink) != 0)
        return -1;
    if (job->once && (judge_telemetry(job) != 0 || choice_judge_stream(job) != 0))
        return -1;
    if (job->once && has_begun(job) && choice_judge_names(job) != 0)
        return -1;
    if (!has_begun(job) && job->rows == 0 && print_nothing(job) != 0)
        return -1;
    job_report(job);
    if (job->once)
        choice_warn_numbers(job);
    if (job->batches != NULL && check_sink(job, batches_drain(job->batches)) != 0)
        return -1;
    return check_sink(job, outlets_commit(&job->outlets));
}

static int run(struct job *job)
{
    job->arrivals = (struct arrivals){.ports = job->source->ports, .port_count = job->source->port_count};
    job->tables = tables_new(job->wish->joined);
    job->streams = streams_new();
    job->missings = missings_new(job->wish->direction);
    if (armtap_knowledge_new(&job->knowledge) != ARMTAP_OK)
        return job_give_up_memory(job);
    if (job->tables == NULL || job->streams == NULL || job->missings == NULL ||
        selection_parse(job->wish->fields, &job->selection) != 0)
        return job_give_up_memory(job);
    /* What cannot be written should be known before gigabytes are read. */
    if (!job->wish->split && outlet_of(job, 0, 0) == NULL)
        return -1;
    job->selection.joined = job->wish->joined;
    job->interruptible = !job->once && (job->wish->split || outlets_are_pending(&job->outlets));
    if (job->interruptible)
        interrupt_hold();
    int outcome = job->once ? 0 : survey(job);
    return outcome != 0 ? outcome : print(job);
}

int export_guard_inputs(const struct export_wish *wish, const struct replay_source *source)
{
    struct stat out;
    struct stat in;
    if (strcmp(wish->out, "-") == 0 || stat(wish->out, &out) != 0 || !S_ISREG(out.st_mode))
        return 0;
    for (size_t i = 0; i < source->count; i++) {
        if (stat(source->names[i], &in) != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
            continue;
        message_error("%s: it is a capture to be read; name another file with -o", wish->out);
        return -1;
    }
    return 0;
}

static void release(struct job *job)
{
    batches_free(job->batches);
    outlets_discard(&job->outlets);
    for (size_t i = 0; i < job->printed_room; i++)
        picks_free(&job->printed[i].view.picks);
    picks_free(&job->opaque_view.picks);
    free(job->printed);
    arrivals_free(&job->arrivals);
    selection_free(&job->selection);
    armtap_knowledge_free(job->knowledge);
    tables_free(job->tables);
    streams_free(job->streams);
    missings_free(job->missings);
}

enum exit_status export_run(const struct export_wish *wish, const struct replay_source *source)
{
    struct job job = {.wish = wish,
                      .source = source,
                      .once = !replay_is_repeatable(source),
                      .outlets = {.name = wish->out, .split = wish->split, .gzipped = wish->gzipped}};
    run(&job);
    if (job.status == EXIT_DONE && wish->strict && job.streams != NULL && streams_data_have_warning(job.streams)) {
        job.status = EXIT_FOUND;
        job_report_strict(&job);
    }
    release(&job);
    if (job.interruptible)
        interrupt_release();
    return job.status;
}
