/* How regularly data arrives: the same rates, jitter and skips that diagnose reports. */
#include <stdlib.h>

#include "array.h"
#include "model_parts.h"

/* Connections that are measured at a time. */
#define METERS_MAX (WATCH_ROBOTS * WATCH_STREAMS)

/* NULL if there are too many, or memory runs out, which the model remembers. */
static struct meter *meter_of(struct model *model, const struct armtap_stream *stream, bool is_made)
{
    for (size_t i = 0; i < model->meter_count; i++)
        if (model->meters[i].connection == stream->connection)
            return &model->meters[i];
    if (!is_made || model->meter_count == METERS_MAX)
        return NULL;
    if (!MAKE_ROOM(model->meters, model->meter_count)) {
        model->has_failed = true;
        return NULL;
    }
    struct meter *meter = &model->meters[model->meter_count];
    *meter = (struct meter){stream->connection, armtap_rates_new(model->shared, NULL)};
    if (!meter->rates) {
        model->has_failed = true;
        return NULL;
    }
    model->meter_count++;
    return meter;
}

#define METER(name, type, is_made)                                                                                     \
    void meters_##name(struct model *model, const struct armtap_##type *what)                                          \
    {                                                                                                                  \
        struct meter *meter = what->stream ? meter_of(model, what->stream, is_made) : NULL;                            \
        if (meter && armtap_rates_##name(meter->rates, what) != 0)                                                     \
            model->has_failed = true;                                                                                  \
    }
METER(record, record, true)
METER(recipe, recipe_event, true)
METER(event, event, what->type == ARMTAP_EVENT_START)
METER(note, note, false)
#undef METER

static void refresh(const struct model *model, const struct meter *meter)
{
    struct armtap_rates_totals totals;
    armtap_rates_totals(meter->rates, &totals);
    for (size_t i = 0; i < model->scene.robot_count; i++) {
        struct watch_robot *robot = model->scene.robots[i];
        for (size_t k = 0; k < robot->stream_count; k++)
            if (robot->streams[k].connection == meter->connection)
                robot->streams[k].rates = totals;
    }
}

void meters_refresh(struct model *model)
{
    for (size_t i = 0; i < model->meter_count; i++)
        refresh(model, &model->meters[i]);
}

void meters_close(struct model *model, const struct armtap_stream *stream)
{
    struct meter *meter = meter_of(model, stream, false);
    if (!meter)
        return;
    refresh(model, meter);
    armtap_rates_free(meter->rates);
    *meter = model->meters[--model->meter_count];
}

void meters_free(struct model *model)
{
    for (size_t i = 0; i < model->meter_count; i++)
        armtap_rates_free(model->meters[i].rates);
    free(model->meters);
    armtap_rates_shared_free(model->shared);
}
