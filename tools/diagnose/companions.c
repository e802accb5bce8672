/* A companion is heard for what the robot says; how its connection fares is no finding. Its silences and its end are
 * told to the analysis as pauses, after which nothing is due. */
#include "diagnosis.h"

#include <stdlib.h>

#include "input/robots/robot_link.h"
#include "analysis/inside.h"
#include "nanoseconds.h"

/* A pause: states come every 0.1 s, but a busy controller leaves some out. */
#define PAUSE (SECOND / 8)

struct companion {
    struct armtap_stream stream;
    struct armtap_where last; /* of its records; the stream has no protocol before the first */
};

/* Which companion a stream is of; NULL: none. */
static struct companion *companion_of(const struct diagnosis *diagnosis, const struct armtap_stream *stream)
{
    const struct robot_sources *robots = diagnosis->source->robots;
    const struct robot_address *robot = diagnosis->companions ? robot_companion_at(robots, stream->robot) : NULL;
    return robot ? &diagnosis->companions[robot - &robots->robots[robots->named]] : NULL;
}

bool companions_have(const struct diagnosis *diagnosis, const struct armtap_stream *stream)
{
    return companion_of(diagnosis, stream);
}

int companions_begin(struct diagnosis *diagnosis)
{
    const struct robot_sources *robots = diagnosis->source->robots;
    free(diagnosis->companions);
    diagnosis->companions = NULL;
    if (!robots || robots->count == robots->named)
        return 0;
    diagnosis->companions = calloc(robots->count - robots->named, sizeof *diagnosis->companions);
    return diagnosis->companions ? 0 : -1;
}

static int tell(const struct diagnosis *diagnosis, const struct companion *companion, enum armtap_event_type type,
                const struct armtap_where *where)
{
    const struct armtap_event event = {
        .stream = &companion->stream, .where = *where, .direction = ARMTAP_FROM_ROBOT, .type = type};
    return armtap_diagnosis_sink(diagnosis->found)->on_event(diagnosis->found, &event);
}

int companions_record(const struct diagnosis *diagnosis, const struct armtap_record *record)
{
    struct companion *companion = companion_of(diagnosis, record->stream);
    if (!companion || record->direction != ARMTAP_FROM_ROBOT)
        return ARMTAP_OK;
    bool paused = companion->stream.connection == record->stream->connection && companion->stream.info &&
                  armtap_time_shift(companion->last.time, PAUSE) < record->where.time;
    int outcome = paused ? tell(diagnosis, companion, ARMTAP_EVENT_PAUSE, &companion->last) : ARMTAP_OK;
    companion->stream = *record->stream;
    companion->last = record->where;
    return paused && outcome == ARMTAP_OK ? tell(diagnosis, companion, ARMTAP_EVENT_START, &record->where) : outcome;
}

bool companions_hide(const struct diagnosis *diagnosis, const struct armtap_event *event)
{
    return event->type == ARMTAP_EVENT_CLOSE && companion_of(diagnosis, event->stream);
}
