/* What follows from the first reading: the streams and tables of the export. */
#include "command_line/shared_text.h"
#include "job.h"

#include "base/process/message.h"
#include "input/stream_rank.h"

int survey_check_telemetry(struct job *job)
{
    armtap_streams_number(job->streams);
    if (armtap_streams_count(job->streams) > 0)
        return 0;
    if (job->status != EXIT_FAILED)
        no_telemetry_report(job->streams, &job->totals);
    return job_give_up(job);
}

/* Whether the rows in a file have several lanes: streams of several robots or protocols, or at the same time. */
static bool has_several_lanes(const struct job *job)
{
    const struct armtap_stream_summary *before = NULL;
    enum armtap_direction direction = job->wish->direction;
    int64_t end = INT64_MIN;
    if (job->wish->split || job->wish->has_stream)
        return false;
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(job->streams, i);
        const struct armtap_stream *stream = summary->stream;
        if (stream->records[direction] == 0 || job_leaves_protocol(job, stream->protocol))
            continue;
        if (before && (*stream->robot == '\0' || strcmp(stream->robot, before->stream->robot) != 0 ||
                       stream->protocol != before->stream->protocol || summary->first_time[direction] <= end))
            return true;
        end = before && end > summary->last[direction].time ? end : summary->last[direction].time;
        before = summary;
    }
    return armtap_streams_rest(job->streams)->records[direction] > 0;
}

/* Of several streams, an output of one table has the telemetry: what goes beside it must be asked for. */
static void leave_streams(struct job *job)
{
    const struct export_wish *wish = job->wish;
    bool has[STREAM_RANK_LAST] = {false};
    unsigned first = 0, left = 0;
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(job->streams, i)->stream;
        unsigned rank = stream_rank(stream->protocol, wish->direction);
        has[rank] = has[rank] || stream->records[wish->direction] > 0;
    }
    while (first < STREAM_RANK_LAST && !has[first])
        first++;
    if (wish->split || wish->has_stream || wish->joined || format_has(wish->format, FORMAT_ALL_TABLES))
        return;
    job->rank = first;
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(job->streams, i)->stream;
        left += stream->records[wish->direction] > 0 && job_leaves_protocol(job, stream->protocol);
    }
    if (left > 0)
        message_warning("%u stream%s other than the telemetry %s omitted; choose one with --stream N (armtap info "
                        "lists "
                        "them)",
                        left, left == 1 ? "" : "s", left == 1 ? "is" : "are");
}

int survey_conclude(struct job *job)
{
    if (survey_check_telemetry(job) != 0)
        return -1;
    tables_rewind(job->tables, job->streams);
    missing_data_rewind(job->missing);
    grid_rewind(job->grid);
    leave_streams(job);
    if (check_stream(job) != 0 || check_tables(job) != 0)
        return -1;
    if (job_check_before_rows(job) != 0)
        return -1;
    job->targets.settings.several_lanes = has_several_lanes(job);
    return tables_begin_rows(job->tables) == 0 ? 0 : job_give_up_memory(job);
}
