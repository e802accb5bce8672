#include "export_job.h"

#include "base/message.h"
#include "input/stream_rank.h"

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

bool job_wants_stream(const struct job *job, unsigned number)
{
    return !job->wish->has_stream || number == job->wish->stream;
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
