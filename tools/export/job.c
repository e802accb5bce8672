#define _POSIX_C_SOURCE 200809L
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "base/process/message.h"
#include "input/stream_rank.h"

#define SPOOL_IN_MEMORY ((size_t)1 << 20)

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

int job_check_sink(struct job *job, enum sink_outcome outcome)
{
    if (outcome == SINK_FAILED)
        return job_give_up(job);
    job->closed = outcome == SINK_CLOSED;
    return job->closed ? -1 : 0;
}

const char *job_direction(const struct job *job)
{
    return armtap_direction_name(job->wish->direction);
}

bool job_wants(const struct job *job, const struct table *table)
{
    return table->direction == job->wish->direction && table->stream != TABLE_NO_STREAM && table->layout_count > 0 &&
           job_wants_stream(job, table->stream) && !job_leaves_protocol(job, table->protocol);
}

bool job_leaves_protocol(const struct job *job, enum armtap_protocol protocol)
{
    return stream_rank(protocol, job->wish->direction) > job->rank;
}

struct table *job_only_table(const struct job *job)
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

/* ---- what it works with ---------------------------------------------------------------------------------------- */

/* Waiting rows refer to views that are about to be freed: writes them, or drops them if that fails. */
static void drain(void *user)
{
    struct job *job = user;
    if (!job->batches || job_check_sink(job, batches_drain(job->batches)) == 0)
        return;
    batches_free(job->batches);
    job->batches = NULL;
}

/* As tables_options wants it. */
static void forget_view(void *user, struct table *table)
{
    struct view *view = table->view;
    (void)user;
    if (view)
        picks_free(&view->picks);
    free(view);
    table->view = NULL;
}

static struct tables *make_tables(struct job *job)
{
    const struct export_wish *wish = job->wish;
    const struct tables_options options = {.mode = wish->joined                                  ? TABLES_JOINED
                                                   : format_has(wish->format, FORMAT_ALL_TABLES) ? TABLES_BY_RECIPE
                                                                                                 : TABLES_APART,
                                           .by_robot = wish->joined && wish->grid > 0,
                                           .labels = job->source->labels,
                                           .once = job->once,
                                           .continues = job->source->robots,
                                           .next = wish->split,
                                           .file = &job->totals.file,
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

static struct missing_data *make_missing(const struct job *job)
{
    struct missing_data *missing = missing_data_new(job->wish->direction);
    if (missing && !job->once)
        missing_data_only_learn(missing);
    if (missing &&
        (selection_asks(&job->selection, ROW_COLUMN_gap_s) || selection_asks(&job->selection, ROW_COLUMN_gap_cause)))
        missing_data_find_gaps(missing, !format_has(job->wish->format, FORMAT_OPAQUE), job->source->labels);
    return missing;
}

int job_forget(void *user)
{
    struct job *job = user;
    job->heard = false;
    free_tables(job);
    armtap_streams_free(job->streams);
    missing_data_free(job->missing);
    robot_clocks_forget(&job->clocks);
    job->tables = make_tables(job);
    job->streams = armtap_streams_new();
    job->missing = make_missing(job);
    return !job->tables || !job->streams || !job->missing ? -1 : 0;
}

int job_prepare(struct job *job)
{
    job->numbering = (struct live_numbering){.ports = job->source->ports, .port_count = job->source->port_count};
    job->rank = STREAM_RANK_LAST;
    if (selection_parse(job->wish->fields, &job->selection) != 0 ||
        selection_parse(job->wish->changes, &job->watched) != 0 ||
        (job->wish->changes && !(job->changes = changes_new(job->source->labels))))
        return job_give_up_memory(job);
    job->tables = make_tables(job);
    job->streams = armtap_streams_new();
    job->missing = make_missing(job);
    if (armtap_knowledge_new(&job->knowledge) != ARMTAP_OK)
        return job_give_up_memory(job);
    if (!job->tables || !job->streams || !job->missing)
        return job_give_up_memory(job);
    job->selection.joined = job->wish->joined;
    job->age = ARMTAP_NO_TIME;
    job->range = (struct timestamp_range){INT64_MIN, INT64_MAX};
    job->selection.on_grid = job->wish->grid > 0;
    job->watched.joined = job->wish->joined;
    job->clocks.is_wanted = selection_asks(&job->selection, ROW_COLUMN_robot_time);
    if (job->wish->bag) {
        job->targets.settings.bag = &job->bag_topics;
        job->targets.settings.bag_counts = &job->bag_counts;
    }
    return 0;
}

/* Sets bytes aside beside the output, where there is room for them. */
static struct spool *make_spool(const char *out)
{
    if (strcmp(out, "-") == 0 || strncmp(out, "/dev/", strlen("/dev/")) == 0)
        return spool_new(file_temporary_folder(), SPOOL_IN_MEMORY);
    char *beside = path_folder(out);
    struct spool *spool = beside ? spool_new(beside, SPOOL_IN_MEMORY) : NULL;
    free(beside);
    return spool;
}

int job_make_threads(struct job *job)
{
    const struct export_wish *wish = job->wish;
    if (format_has(wish->format, FORMAT_PACKS)) {
        job->targets.settings.packer = packer_new(wish->compression, wish->threads);
        if (!job->targets.settings.packer)
            return -1;
    }
    if (format_has(wish->format, FORMAT_PACKS) || format_has(wish->format, FORMAT_SPOOLS)) {
        job->targets.settings.spool = make_spool(wish->out);
        if (!job->targets.settings.spool)
            return -1;
    }
    if (format_has(wish->format, FORMAT_REMARKS) && !(job->remarks = remarks_new(job)))
        return -1;
    job->batches = batches_new(&job->targets, wish->threads, tables_part_count(job->tables));
    return job->batches ? 0 : -1;
}

void job_release(struct job *job)
{
    batches_free(job->batches);
    targets_forget(&job->targets);
    packer_free(job->targets.settings.packer);
    spool_free(job->targets.settings.spool);
    output_files_discard(&job->outlets);
    picks_free(&job->opaque_view.picks);
    live_numbering_free(&job->numbering);
    selection_free(&job->selection);
    selection_free(&job->watched);
    changes_free(job->changes);
    armtap_knowledge_free(job->knowledge);
    free_tables(job);
    armtap_streams_free(job->streams);
    missing_data_free(job->missing);
    robot_clocks_forget(&job->clocks);
    lanes_forget(&job->lanes);
    remarks_free(job->remarks);
    manifest_free(&job->manifest);
    free(job->bag_topics.data);
}

/* ---- readings -------------------------------------------------------------------------------------------------- */

/* Before a record came it is not known whether --to is before all telemetry. */
static bool has_heard(const void *user)
{
    const struct job *job = user;
    return job->heard;
}

struct replay_source job_source(const struct job *job, struct replay_end *end)
{
    struct replay_source source = *job->source;
    *end = (struct replay_end){
        .from = &job->wish->from, .to = &job->wish->to, .zone = job->wish->zone, .is_enough = has_heard};
    source.quiet = job->status == EXIT_FAILED;
    source.knowledge = job->knowledge;
    source.in_turn = job->wish->is_folder; /* a capture's files are the same whatever is read beside it */
    source.end = job->wish->to.given && !job->once && !job->grid ? end : NULL;
    return source;
}
