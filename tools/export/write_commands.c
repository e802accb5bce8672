/* `armtap export --commands`: a row for each command of ur_rtde. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "input/robots/labels.h"
#include "command_line/shared_text.h"
#include "export.h"
#include "export/rows/tables.h"
#include "export/files/output_files.h"
#include "analysis/inside.h"

#define UNKNOWN_MAX 480

struct commands_job {
    const struct export_wish *wish;
    struct replay_source source;
    bool once; /* the source cannot be read twice */
    bool is_json;
    struct replay_totals totals;
    struct armtap_streams *streams;
    struct tables *tables; /* number the streams of a source that is read once */
    struct live_numbering numbering;
    struct output_files files;
    struct output_file *file;
    struct buffer text;
    uint64_t rows;
    uint64_t unknown;         /* clients of which nothing can be given */
    char reason[UNKNOWN_MAX]; /* of the first of them */
    bool times_known;
    struct timestamp_range range;
    bool closed;
    enum exit_status status;
};

static int give_up(struct commands_job *job)
{
    job->status = EXIT_FAILED;
    return REPLAY_GAVE_UP;
}

static int give_up_memory(struct commands_job *job)
{
    message_no_memory();
    return give_up(job);
}

/* ---- the streams ------------------------------------------------------------------------------------------------- */

static int on_record(void *user, const struct armtap_record *record)
{
    struct commands_job *job = user;
    if (armtap_streams_record(job->streams, record) != 0)
        return REPLAY_NO_MEMORY;
    return job->once && tables_stream(job->tables, record->stream) == TABLES_NO_MEMORY ? REPLAY_NO_MEMORY : 0;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct commands_job *job = user;
    if (armtap_streams_recipe(job->streams, event) != 0)
        return REPLAY_NO_MEMORY;
    return job->once && tables_stream(job->tables, event->stream) == TABLES_NO_MEMORY ? REPLAY_NO_MEMORY : 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct commands_job *job = user;
    if (strcmp(note->kind->id, "command.unknown") == 0 && job->unknown++ == 0)
        snprintf(job->reason, sizeof job->reason, "packet %" PRIu64 ": %s", note->where.packet, note->text);
    return armtap_streams_note(job->streams, note) == 0 ? 0 : REPLAY_NO_MEMORY;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct commands_job *job = user;
    if (armtap_streams_event(job->streams, event) != 0)
        return REPLAY_NO_MEMORY;
    bool has_failed = job->once && live_numbering_event(&job->numbering, job->tables, event) == TABLES_NO_MEMORY;
    return has_failed ? REPLAY_NO_MEMORY : 0;
}

static int on_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct commands_job *job = user;
    return armtap_streams_candidates(job->streams, candidates) == 0 ? 0 : REPLAY_NO_MEMORY;
}

static unsigned number_of(const struct commands_job *job, const struct armtap_stream *stream)
{
    if (job->once)
        return tables_stream_number(job->tables, stream->connection);
    const struct armtap_stream_summary *summary = armtap_streams_of(job->streams, stream->connection);
    return summary ? summary->number : 0;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool is_within(struct commands_job *job, const struct armtap_command *command)
{
    const struct export_wish *wish = job->wish;
    if (!wish->from.given && !wish->to.given)
        return true;
    if (!job->times_known) {
        job->times_known = true;
        job->range = timestamp_range(&wish->from, &wish->to, job->totals.first_time, wish->zone);
    }
    return command->issued.time >= job->range.from && command->issued.time <= job->range.to;
}

static int write_text(struct commands_job *job)
{
    if (job->text.failed)
        return give_up_memory(job);
    enum sink_outcome outcome = output_files_put(&job->files, job->file, job->text.data, job->text.length);
    job->text.length = 0;
    if (outcome == SINK_OK && job->once)
        outcome = output_files_flush_all(&job->files);
    job->closed = job->closed || outcome == SINK_CLOSED;
    if (outcome == SINK_FAILED)
        return give_up(job);
    return outcome == SINK_CLOSED ? REPLAY_HAS_ENOUGH : REPLAY_GO_ON;
}

static int on_command(void *user, const struct armtap_command *command)
{
    struct commands_job *job = user;
    bool has_file = replay_has_several_files(&job->source);
    struct command_row row = {.command = command,
                              .stream = number_of(job, command->stream),
                              .robot = labels_name(job->source.labels, command->stream->robot),
                              .client = labels_name(job->source.labels, command->stream->client),
                              .file = has_file ? replay_file_name(&job->source, command->issued.file) : NULL,
                              .is_shown = job->wish->is_shown};
    if ((job->wish->has_stream && row.stream != job->wish->stream) || !is_within(job, command))
        return REPLAY_GO_ON;
    job->rows++;
    if (job->is_json)
        command_row_json(&row, &job->text);
    else
        command_row_csv(&row, &job->text);
    return write_text(job);
}

/* The first of two readings learns what a client's script shows. */
static int on_command_before(void *user, const struct armtap_command *command)
{
    (void)user;
    (void)command;
    return REPLAY_GO_ON;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static int forget(void *user)
{
    struct commands_job *job = user;
    armtap_streams_free(job->streams);
    job->streams = armtap_streams_new();
    job->unknown = 0;
    return job->streams ? 0 : -1;
}

static void note_status(struct commands_job *job, enum exit_status status)
{
    if (status > job->status)
        job->status = status;
}

static int survey(struct commands_job *job)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_candidates = on_candidates,
                                     .on_command = on_command_before};
    note_status(job, replay_learning(&job->source, &sink, job, forget, &job->totals));
    return job->totals.interrupted || job->totals.broken_off ? -1 : 0;
}

static int print_commands(struct commands_job *job)
{
    const struct armtap_sink once = {.size = sizeof once,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_candidates = on_candidates,
                                     .on_command = on_command};
    const struct armtap_sink again = {.size = sizeof again, .on_command = on_command};
    if (!job->is_json)
        command_row_csv_header(&job->text);
    if (write_text(job) != REPLAY_GO_ON)
        return -1;
    job->source.quiet = job->status == EXIT_FAILED;
    note_status(job, replay(&job->source, job->once ? &once : &again, job, &job->totals));
    if (job->totals.interrupted)
        message_error("interrupted; nothing was written to %s", job->wish->out);
    return job->totals.broken_off || job->closed || job->totals.interrupted ? -1 : 0;
}

static int check_stream(struct commands_job *job)
{
    armtap_streams_number(job->streams);
    size_t count = armtap_streams_count(job->streams);
    if (count == 0 && job->status != EXIT_FAILED)
        no_telemetry_report(job->streams, &job->totals);
    else if (job->wish->has_stream && job->wish->stream >= count)
        message_error("--stream %u: there is no such stream; armtap info lists them", job->wish->stream);
    else
        return count == 0 ? -1 : 0;
    job->status = EXIT_FAILED;
    return -1;
}

/* Of what is not in the output. */
static void warn(const struct commands_job *job)
{
    if (job->unknown > 0)
        message_warning("%s%s", job->reason,
                        job->unknown > 1 ? "; others are affected, too: armtap diagnose lists them" : "");
    else if (job->rows == 0)
        message_warning(
            "no ur_rtde command was found: the output has no row; armtap recognises its client by its setups, up to "
            "release 1.6.0, or in mid-session by three commands that it cleared, one of them with arguments: capture "
            "from before it connects");
}

static int run_job(struct commands_job *job)
{
    const struct tables_options options = {.once = true};
    job->streams = armtap_streams_new();
    job->tables = tables_new(&options);
    if (!job->streams || !job->tables || armtap_knowledge_new(&job->source.knowledge) != ARMTAP_OK) {
        give_up_memory(job);
        return -1;
    }
    job->file = output_files_open(&job->files, 0, 0);
    if (!job->file) {
        give_up(job);
        return -1;
    }
    if (!job->once && (survey(job) != 0 || check_stream(job) != 0))
        return -1;
    if (print_commands(job) != 0 || (job->once && check_stream(job) != 0))
        return -1;
    warn(job);
    if (output_files_commit(&job->files) == SINK_FAILED)
        job->status = EXIT_FAILED;
    return 0;
}

enum exit_status export_commands_run(const struct export_wish *wish, const struct replay_source *source)
{
    struct commands_job job = {
        .wish = wish,
        .source = *source,
        .once = !replay_is_repeatable(source),
        .is_json = strcmp(wish->format->name, "ndjson") == 0,
        .numbering = {.ports = source->ports, .port_count = source->port_count},
        .files = {.name = wish->out,
                  .run = {.inputs = source->inputs, .is_readable = true, .is_live = replay_is_live(source)},
                  .gzipped = wish->gzipped,
                  .is_live = replay_is_live(source)},
    };
    replay_start_say(source, &wish->from);
    run_job(&job);
    if (job.status == EXIT_DONE && wish->strict && armtap_streams_data_have_warning(job.streams))
        job.status = EXIT_FOUND;
    output_files_discard(&job.files);
    live_numbering_free(&job.numbering);
    armtap_knowledge_free(job.source.knowledge);
    armtap_streams_free(job.streams);
    tables_free(job.tables);
    free(job.text.data);
    return job.status;
}
