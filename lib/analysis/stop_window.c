#include "stop_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"

const enum armtap_field_id stop_window_fields[STOP_WINDOW_VECTORS] = {
    [STOP_WINDOW_POSITION] = ARMTAP_ID_actual_q,
    [STOP_WINDOW_CURRENT] = ARMTAP_ID_actual_current,
    [STOP_WINDOW_FORCE] = ARMTAP_ID_actual_TCP_force,
};

static bool read_row(struct stop_window_row *row, const struct armtap_where *where, const struct armtap_state *state,
                     const struct armtap_set *of)
{
    struct armtap_value value;
    bool any = false;
    row->where = *where;
    for (size_t i = 0; i < STOP_WINDOW_VECTORS; i++) {
        row->has[i] = armtap_set_has(of, stop_window_fields[i]);
        if (!row->has[i])
            continue;
        armtap_state_get(state, armtap_field_at(stop_window_fields[i]), &value);
        memcpy(row->value[i], value.f64, sizeof row->value[i]);
        any = true;
    }
    return any;
}

static bool is_due(int64_t time, int64_t before, int64_t reach)
{
    return time == ARMTAP_NO_TIME || before == ARMTAP_NO_TIME || time < before ||
           timestamp_between(before, time) >= reach / MOMENT_ROWS;
}

static bool is_within(const struct stop_window_row *before, const struct stop_window_row *stop, int64_t reach)
{
    return stop->where.time == ARMTAP_NO_TIME || before->where.time >= timestamp_shift(stop->where.time, -reach);
}

static int begin_moment(struct stop_windows *moments, const struct stop_window_row *row, int64_t reach)
{
    if (moments->count == MOMENTS_EACH)
        return 0;
    struct stop_window *moment = calloc(1, sizeof *moment);
    if (moment == NULL)
        return -1;
    unsigned kept = moments->seen < MOMENT_ROWS ? moments->seen : MOMENT_ROWS;
    for (unsigned i = moments->seen - kept; i < moments->seen; i++) {
        const struct stop_window_row *before = &moments->before[i % MOMENT_ROWS];
        /* After a silence the ring reaches back too far. */
        if (is_within(before, row, reach))
            moment->rows[moment->count++] = *before;
    }
    /* What made it stop shows there, if anywhere. */
    if (moments->is_between && is_within(&moments->just_before, row, reach))
        moment->rows[moment->count++] = moments->just_before;
    moment->at = moment->count;
    moment->rows[moment->count++] = *row;
    moments->all[moments->count++] = moment;
    return 0;
}

static void go_on(struct stop_window *moment, const struct stop_window_row *row, int64_t reach)
{
    const struct stop_window_row *last = &moment->rows[moment->count - 1], *stop = &moment->rows[moment->at];
    bool is_late = stop->where.time != ARMTAP_NO_TIME && row->where.time > timestamp_shift(stop->where.time, reach);
    if (moment->count - moment->at <= MOMENT_ROWS && !is_late && is_due(row->where.time, last->where.time, reach))
        moment->rows[moment->count++] = *row;
}

int stop_window_record(struct stop_windows *moments, const struct armtap_record *record, const struct armtap_arm *arm,
                       bool begins, int64_t reach)
{
    struct stop_window_row row;
    bool any = read_row(&row, &record->where, arm->state, arm->updated);
    /* Positions may come on another channel than modes: what they said last is nearest. */
    if (!any && begins)
        any = read_row(&row, &record->where, arm->state, &arm->state->known);
    if (!any)
        return 0;
    for (unsigned i = 0; i < moments->count; i++)
        go_on(moments->all[i], &row, reach);
    if (begins && begin_moment(moments, &row, reach) != 0)
        return -1;
    moments->just_before = row;
    moments->is_between = moments->seen > 0 && !is_due(row.where.time, moments->latest, reach);
    if (!moments->is_between) {
        moments->before[moments->seen++ % MOMENT_ROWS] = row;
        moments->latest = row.where.time;
    }
    return 0;
}

void stop_window_free(struct stop_windows *moments)
{
    for (unsigned i = 0; i < moments->count; i++)
        free(moments->all[i]);
    *moments = (struct stop_windows){0};
}
