#include "remarks.h"

#include <stdlib.h>

#include "base/numbers/timestamp.h"
#include "job.h"
#include "input/robots/labels.h"
#include "input/robots/robot_link.h"

struct remarks {
    const struct job *job;
    struct armtap_diagnosis *diagnosis;
    struct armtap_sink sink;
};

#define HEAR(callback, type)                                                                                           \
    static int callback(void *user, const struct type *what)                                                           \
    {                                                                                                                  \
        const struct remarks *remarks = user;                                                                          \
        return armtap_diagnosis_sink(remarks->diagnosis)->callback(remarks->diagnosis, what);                          \
    }
HEAR(on_record, armtap_record)
HEAR(on_recipe, armtap_recipe_event)
HEAR(on_note, armtap_note)
HEAR(on_event, armtap_event)
HEAR(on_text, armtap_text)
HEAR(on_message, armtap_message)
HEAR(on_command, armtap_command)
#undef HEAR

struct remarks *remarks_new(const struct job *job)
{
    const struct robot_sources *robots = job->source->robots;
    const struct armtap_diagnosis_options options = {.size = sizeof options,
                                                     .zone = timestamp_zone(job->wish->zone),
                                                     .frequency_wanted = !robots || robots->client.frequency > 0};
    struct remarks *remarks = calloc(1, sizeof *remarks);
    if (!remarks)
        return NULL;
    *remarks = (struct remarks){.job = job,
                                .sink = {.size = sizeof remarks->sink,
                                         .on_record = on_record,
                                         .on_recipe = on_recipe,
                                         .on_note = on_note,
                                         .on_event = on_event,
                                         .on_text = on_text,
                                         .on_message = on_message,
                                         .on_command = on_command}};
    if (armtap_diagnosis_new(&options, &remarks->diagnosis) == ARMTAP_OK)
        return remarks;
    free(remarks);
    return NULL;
}

void remarks_free(struct remarks *remarks)
{
    if (!remarks)
        return;
    armtap_diagnosis_free(remarks->diagnosis);
    free(remarks);
}

const struct armtap_sink *remarks_sink(const struct remarks *remarks)
{
    return &remarks->sink;
}

int remarks_finish(struct remarks *remarks)
{
    return armtap_diagnosis_finish(remarks->diagnosis) == ARMTAP_OK ? 0 : -1;
}

/* The stream of a finding; NULL: the whole capture. */
static const struct armtap_stream *stream_of(const struct remarks *remarks, const struct armtap_finding *finding)
{
    const struct armtap_stream_diagnosis *stream =
        finding->stream == ARMTAP_NO_STREAM ? NULL : armtap_diagnosis_stream_at(remarks->diagnosis, finding->stream);
    return stream ? stream->summary->stream : NULL;
}

/* The number that the stream's rows have: of a live source, its own. */
static unsigned number_of(const struct job *job, const struct armtap_finding *finding,
                          const struct armtap_stream *stream)
{
    return job->once ? tables_stream_number(job->tables, stream->connection) : finding->stream;
}

static bool is_wanted(const struct job *job, const struct remark *remark)
{
    return (!remark->robot || job_wants_stream(job, remark->stream)) &&
           (!job->times_known || (remark->time >= job->range.from && remark->time <= job->range.to));
}

bool remarks_next(const struct remarks *remarks, size_t *i, struct remark *remark)
{
    const struct armtap_finding *finding;
    while (remarks && (finding = armtap_diagnosis_finding_at(remarks->diagnosis, *i))) {
        const struct job *job = remarks->job;
        const struct armtap_stream *stream = stream_of(remarks, finding);
        bool has_time = finding->where.time != ARMTAP_NO_TIME;
        ++*i;
        *remark = (struct remark){.kind = finding->kind,
                                  .time = has_time ? finding->where.time : job->totals.first_time,
                                  .stream = stream ? number_of(job, finding, stream) : 0,
                                  .robot = stream ? labels_name(job->source->labels, stream->robot) : NULL,
                                  .file = replay_file_name(job->source, finding->where.file),
                                  .packet = finding->where.packet};
        armtap_finding_say(remark->text, finding, timestamp_zone(job->wish->zone));
        labels_in_text(job->source->labels, remark->text, sizeof remark->text);
        if (is_wanted(job, remark))
            return true;
    }
    return false;
}
