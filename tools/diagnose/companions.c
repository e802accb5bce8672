/* A companion is heard for what the robot says; how its connection fares is no finding. Its silences and its end are
 * told to the analysis as pauses, after which nothing is due. */
#include "diagnosis.h"

#include <stdlib.h>

#include "input/robots/robot_link.h"
#include "analysis/inside.h"
#include "nanoseconds.h"

/* A pause; the analysis calls longer ones a silence. */
#define PAUSE SECOND

struct companion {
    struct armtap_stream stream;
    struct armtap_where last; /* of its records */
    bool runs;
};

/* Which companion a stream is of; NULL: none. */
static struct companion *companion_of(const struct diagnosis *diagnosis, const struct armtap_stream *stream)
{
    const struct robot_sources *robots = diagnosis->source->robots;
    for (size_t i = robots && diagnosis->companions ? robots->named : 0; robots && i < robots->count; i++)
        if (robots->robots[i].is_companion && robot_address_has(&robots->robots[i], stream->robot))
            return &diagnosis->companions[i - robots->named];
    return NULL;
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

static int hold(const struct diagnosis *diagnosis, struct companion *companion)
{
    bool ran = companion->runs;
    companion->runs = false;
    return ran ? tell(diagnosis, companion, ARMTAP_EVENT_PAUSE, &companion->last) : ARMTAP_OK;
}

int companions_record(const struct diagnosis *diagnosis, const struct armtap_record *record)
{
    struct companion *companion = companion_of(diagnosis, record->stream);
    if (!companion || record->direction != ARMTAP_FROM_ROBOT)
        return ARMTAP_OK;
    bool is_late = armtap_time_shift(companion->last.time, PAUSE) < record->where.time;
    int outcome = companion->runs && is_late ? hold(diagnosis, companion) : ARMTAP_OK;
    bool begins = !companion->runs;
    companion->stream = *record->stream;
    companion->last = record->where;
    companion->runs = true;
    return outcome == ARMTAP_OK && begins ? tell(diagnosis, companion, ARMTAP_EVENT_START, &record->where) : outcome;
}

int companions_event(const struct diagnosis *diagnosis, const struct armtap_event *event, bool *is_hidden)
{
    struct companion *companion = event->type == ARMTAP_EVENT_CLOSE ? companion_of(diagnosis, event->stream) : NULL;
    *is_hidden = companion;
    return companion ? hold(diagnosis, companion) : ARMTAP_OK;
}

int companions_end(const struct diagnosis *diagnosis)
{
    const struct robot_sources *robots = diagnosis->source->robots;
    int outcome = ARMTAP_OK;
    for (size_t i = 0; diagnosis->companions && i < robots->count - robots->named && outcome == ARMTAP_OK; i++)
        outcome = hold(diagnosis, &diagnosis->companions[i]);
    return outcome;
}
