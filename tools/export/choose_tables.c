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

/* Whether several streams have rows, which share a file. */
static bool has_several_streams(const struct job *job)
{
    size_t count = 0;
    if (job->wish->split || job->wish->has_stream)
        return false;
    for (size_t i = 0; i < armtap_streams_count(job->streams) && count < 2; i++)
        count += armtap_streams_at(job->streams, i)->stream->records[job->wish->direction] > 0 &&
                 !job_leaves_protocol(job, armtap_streams_at(job->streams, i)->stream->protocol);
    return count > 1 || armtap_streams_rest(job->streams)->records[job->wish->direction] > 0;
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
        message_warning("%u stream%s beside the telemetry %s left out; choose one with --stream N (armtap info lists "
                        "them)",
                        left, left == 1 ? "" : "s", left == 1 ? "is" : "are");
}

int survey_conclude(struct job *job)
{
    if (survey_check_telemetry(job) != 0)
        return -1;
    tables_rewind(job->tables, job->streams);
    missing_data_rewind(job->missing);
    leave_streams(job);
    if (check_stream(job) != 0 || check_tables(job) != 0)
        return -1;
    if (job_check_before_rows(job) != 0)
        return -1;
    job->targets.settings.several_streams = has_several_streams(job);
    return tables_begin_rows(job->tables) == 0 ? 0 : job_give_up_memory(job);
}
