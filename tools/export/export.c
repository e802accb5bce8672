/* The course of an export: its tables are found, its rows written, its files completed. */
#define _POSIX_C_SOURCE 200809L
#include "command_line/shared_text.h"
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/files/partition.h"
#include "base/process/message.h"
#include "input/shell_command.h"
#include "input/sidecars/sidecar.h"
#include "base/os/tcp_socket.h"
#include "analysis/inside.h"

/* ---- the readings ---------------------------------------------------------------------------------------------- */

/* Whether --to has passed while robots are silent: what they had sent until then was read. */
static bool is_past_end(struct job *job, const struct replay_totals *totals)
{
    bool is_silent = totals->packets == job->packets_before;
    job->packets_before = totals->packets;
    if (!is_silent || !job->source->robots)
        return false;
    const struct export_wish *wish = job->wish;
    int64_t to = timestamp_range(&wish->from, &wish->to, totals->first_time, wish->zone).to;
    job->is_over = to < tcp_clock() - OUT_OF_ORDER_NS;
    return job->is_over;
}

/* Writes waiting rows even if no further ones come. */
static enum replay_answer on_turn(void *user, const struct replay_totals *totals)
{
    struct job *job = user;
    if (is_past_end(job, totals))
        return REPLAY_HAS_ENOUGH;
    return job_keep_up(job) == 0 ? REPLAY_GO_ON : job->closed ? REPLAY_HAS_ENOUGH : REPLAY_GAVE_UP;
}

static int forget(void *user)
{
    const struct job *job = user;
    grid_rewind(job->grid);
    return job_forget(user);
}

/* Reads the source into a sink. 0, or -1 if the export must stop; damaged input changes only the status. */
static int read_all(struct job *job, const struct armtap_sink *sink, bool is_survey)
{
    struct replay_end end;
    struct replay_source source = job_source(job, &end);
    enum exit_status status;
    source.on_turn = job->once ? on_turn : NULL;
    source.part = is_survey ? REPLAY_SIDECARS : REPLAY_CAPTURE;
    job->heard = false;
    if (is_survey)
        status = replay_learning(&source, sink, job, forget, &job->totals);
    else
        status = replay(&source, sink, job, &job->totals);
    if (status > job->status)
        job->status = status;
    if (job->totals.interrupted)
        message_error("interrupted; nothing was written to %s", job->wish->out);
    return job->totals.broken_off || job->closed ? -1 : 0;
}

/* ---- the first reading ----------------------------------------------------------------------------------------- */

/* The first of two readings: finds the tables. */
static int survey(struct job *job)
{
    return read_all(job, &job_survey_sink, true) != 0 ? -1 : survey_conclude(job);
}

/* ---- what is besides rows -------------------------------------------------------------------------------------- */

/* Where all records go the other way, says how to get them. */
static void say_other_direction(const struct job *job)
{
    bool is_to_robot = job->wish->direction == ARMTAP_TO_ROBOT;
    uint64_t records = 0;
    char command[SHELL_MAX];
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++)
        if (job_wants_stream(job, (unsigned)i))
            records +=
                armtap_streams_at(job->streams, i)->stream->records[is_to_robot ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT];
    if (records == 0)
        return;
    shell_command(command, is_to_robot ? "armtap export FILE" : "armtap export --to-robot FILE", job->source, NULL);
    message_warning("all %" PRIu64 " record%s: %s", records,
                    is_to_robot ? (records == 1 ? " is from the robot" : "s are from the robot")
                                : (records == 1 ? " is to the robot" : "s are to the robot"),
                    command);
}

/* Records came that may have rows: why none has one. */
static void say_no_row(const struct job *job)
{
    const char *plural = job->in_time == 1 ? "" : "s", *time = job->out_of_time > 0 ? " in that time" : "";
    if (job->grid)
        message_warning("no instant of --grid lies between the %" PRIu64 " record%s%s: the output has no row; use a "
                        "shorter interval",
                        job->in_time, plural, time);
    else
        message_warning("no change in the %" PRIu64 " record%s%s: the output has no row", job->in_time, plural, time);
}

/* Writes an output without rows: only its header, of the table that would have the rows; none for robots that sent
 * nothing. */
static int print_nothing(struct job *job)
{
    if (no_telemetry_came(job->source, job->streams)) {
        if (job->status != EXIT_FAILED)
            no_telemetry_report_robots(job->source, job->streams);
        return job_give_up(job);
    }
    if ((job->grid || job->changes) && job->in_time > 0)
        say_no_row(job);
    else
        message_warning("no record %s%s%s: the output has no row", job_direction(job),
                        job->opaque > 0 ? " that can be read" : "", job->out_of_time > 0 ? " in that time" : "");
    if (job->opaque == 0 && job->out_of_time == 0 && job->in_time == 0)
        say_other_direction(job);
    if (job->wish->split)
        return 0;
    struct output_file *outlet = job_outlet(job, 0, 0);
    struct table none = {0}, *table = job_only_table(job);
    struct view view = {.table = &none};
    if (!outlet || (table && (job_make_checked_view(job, table) != 0 || check_names(job) != 0)))
        return -1;
    if (table)
        return job_check_sink(job, target_begin(&job->targets, outlet, table->view));
    const struct format *format = job->wish->format;
    if (format->writer->prepare && format->writer->prepare(&view, job_layout(job, &none)) != 0)
        return job_give_up_memory(job);
    int outcome = job_check_sink(job, target_begin(&job->targets, outlet, &view));
    picks_free(&view.picks);
    return outcome;
}

static void warn_misfits(const struct job *job)
{
    char list[FORMATS_LIST_MAX];
    uint64_t misfits = batches_misfits(job->batches);
    if (misfits > 0)
        message_warning("%" PRIu64 " value%s not of the type of %s column%s, and omitted; use -f %s", misfits,
                        misfits == 1 ? " was" : "s were", misfits == 1 ? "its" : "their", misfits == 1 ? "" : "s",
                        format_names(list, 0, FORMAT_COLUMNS | FORMAT_TYPED | FORMAT_ONLY_NUMBERS));
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
        file ? job_check_sink(job, output_files_put(&job->outlets, file, text.data, text.length)) : job_give_up(job);
    free(text.data);
    return outcome;
}

/* ---- the run --------------------------------------------------------------------------------------------------- */

/* Whether the files of a folder may replace those that are there: all, or none is written. 0, or -1 after a message. */
static int check_replaced(struct job *job)
{
    for (size_t i = 0; i < job->outlets.count; i++) {
        const struct output_file *file = job->outlets.outlet[i];
        if (file->provenance && provenance_check(file->provenance, file->name) != 0)
            return job_give_up(job);
    }
    return 0;
}

/* After the reading that gave the rows. */
static int complete(struct job *job)
{
    if (job->once && (survey_check_telemetry(job) != 0 || check_stream(job) != 0))
        return -1;
    if (job->once && job->begun && check_names(job) != 0)
        return -1;
    bool is_bare = !job->begun && job->rows == 0, has_failed = is_bare && print_nothing(job) != 0;
    range_report(&job->wish->from, &job->wish->to, &job->totals, job->wish->zone,
                 job->rows == 0 && job->out_of_time > 0);
    if (has_failed)
        return -1;
    if (source_goes_on(job->source))
        missing_data_goes_on(job->missing);
    job_report(job);
    if (job->once)
        request_warn_numbers(job);
    check_left_over(job);
    if (!job->batches || job_check_sink(job, batches_drain(job->batches)) != 0)
        return -1;
    warn_misfits(job);
    if (job->remarks && remarks_finish(job->remarks) != 0)
        return job_give_up_memory(job);
    job->targets.settings.remarks = job->remarks;
    if (job_check_sink(job, targets_end(&job->targets)) != 0)
        return -1;
    targets_forget(&job->targets);
    if (job->wish->bag && describe_bag(job) != 0)
        return -1;
    if (job->wish->manifest && manifest_collect(&job->manifest, job) != 0)
        return job_give_up(job);
    return check_replaced(job) == 0 ? job_check_sink(job, output_files_commit(&job->outlets)) : -1;
}

static int print_rows(struct job *job)
{
    if (job_make_threads(job) != 0)
        return job_give_up_memory(job);
    if (read_all(job, job->remarks ? &job_hear_sink : &job_print_sink, false) != 0)
        return -1;
    if (job->grid && grid_end(job) != 0)
        return -1;
    return complete(job);
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

/* Of a source that may not end for hours. A reader of standard output gets the rows that the format can show before. */
static void say_when_readable(const struct job *job)
{
    const struct format *format = job->wish->format;
    bool is_shown = format->writer->show && strcmp(job->wish->out, "-") == 0;
    if (replay_is_live(job->source) && format_has(format, FORMAT_AT_END) && !is_shown)
        message_info("%s: -f %s is readable only when complete; csv, ndjson and mcap are readable while they are "
                     "written",
                     job->wish->out, format->name);
}

static int open_output(struct job *job)
{
    return job->wish->split || job_outlet(job, 0, 0) ? 0 : -1;
}

/* What can be read twice is read for its tables first. */
static void run_job(struct job *job)
{
    if (job_prepare(job) != 0 || check_places(job) != 0 || open_output(job) != 0)
        return;
    say_when_readable(job);
    if (job->wish->grid > 0 && !(job->grid = grid_new(job->wish))) {
        job_give_up_memory(job);
        return;
    }
    if (job->once || survey(job) == 0)
        print_rows(job);
}

/* NULL after a message. The sidecars are inputs, too. */
static struct archive *open_archive(const struct export_wish *wish, const struct replay_source *given)
{
    struct archive *archive = archive_open(wish->after, given->names[0]);
    if (!archive || !archive_has_file(archive, wish->out))
        return archive;
    message_error("%s: this file is also an input, a sidecar; name another one with -o", wish->out);
    archive_free(archive);
    return NULL;
}

static void set_up(struct job *job, const struct export_wish *wish, const struct replay_source *source)
{
    *job = (struct job){.wish = wish,
                        .source = source,
                        .manifest = {.file = -1},
                        .outlets = {.name = wish->out,
                                    .run = {.inputs = source->inputs,
                                            .is_readable = !format_has(wish->format, FORMAT_AT_END),
                                            .is_live = replay_is_live(source),
                                            .is_hidden = wish->is_folder},
                                    .split = wish->split,
                                    .gzipped = wish->gzipped,
                                    .is_live = replay_is_live(source)}};
    /* What is known about the captures of an archive is read before the capture itself. */
    job->once = !replay_is_repeatable(source) && !(source->archive && archive_current_is_indexed(source->archive));
    job->targets = (struct targets){.format = wish->format,
                                    .files = &job->outlets,
                                    .settings = {.is_split = wish->split,
                                                 .several_files = replay_has_several_files(source),
                                                 .labels = source->labels}};
}

enum exit_status export_run(const struct export_wish *wish, const struct replay_source *given)
{
    struct replay_source source = *given;
    struct job job;
    source.archive = wish->after ? open_archive(wish, given) : NULL;
    if (wish->after && !source.archive)
        return EXIT_FAILED;
    replay_start_say(&source, &wish->from);
    set_up(&job, wish, &source);
    run_job(&job);
    if (job.status == EXIT_DONE && wish->strict && job.streams && armtap_streams_data_have_warning(job.streams)) {
        job.status = EXIT_FOUND;
        job_report_strict(&job);
    }
    if (wish->manifest && manifest_write(&job.manifest, &job) != 0)
        job.status = EXIT_FAILED;
    enum exit_status status = job.status;
    grid_free(job.grid);
    job_release(&job);
    archive_free(source.archive);
    return status;
}
