#include "stop_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"

const enum armtap_field_id moment_fields[MOMENT_VECTORS] = {
    [MOMENT_POSITION] = ARMTAP_ID_actual_q,
    [MOMENT_CURRENT] = ARMTAP_ID_actual_current,
    [MOMENT_FORCE] = ARMTAP_ID_actual_TCP_force,
};

static bool read_row(struct moment_row *row, const struct armtap_where *where, const struct armtap_state *state,
                     const struct armtap_set *of)
{
    struct armtap_value value;
    bool any = false;
    row->where = *where;
    for (size_t i = 0; i < MOMENT_VECTORS; i++) {
        row->has[i] = armtap_set_has(of, moment_fields[i]);
        if (!row->has[i])
            continue;
        armtap_state_get(state, armtap_field_at(moment_fields[i]), &value);
        memcpy(row->value[i], value.f64, sizeof row->value[i]);
        any = true;
    }
    return any;
}

static bool is_due(int64_t time, int64_t before, int64_t reach)
{
    return time == ARMTAP_NO_TIME || before == ARMTAP_NO_TIME || time < before ||
           when_between(before, time) >= reach / MOMENT_ROWS;
}

static bool is_within(const struct moment_row *before, const struct moment_row *stop, int64_t reach)
{
    return stop->where.time == ARMTAP_NO_TIME || before->where.time >= when_shift(stop->where.time, -reach);
}

static int begin_moment(struct moments *moments, const struct moment_row *row, int64_t reach)
{
    if (moments->count == MOMENTS_EACH)
        return 0;
    struct moment *moment = calloc(1, sizeof *moment);
    if (moment == NULL)
        return -1;
    unsigned kept = moments->seen < MOMENT_ROWS ? moments->seen : MOMENT_ROWS;
    for (unsigned i = moments->seen - kept; i < moments->seen; i++) {
        const struct moment_row *before = &moments->before[i % MOMENT_ROWS];
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

static void go_on(struct moment *moment, const struct moment_row *row, int64_t reach)
{
    const struct moment_row *last = &moment->rows[moment->count - 1], *stop = &moment->rows[moment->at];
    bool is_late = stop->where.time != ARMTAP_NO_TIME && row->where.time > when_shift(stop->where.time, reach);
    if (moment->count - moment->at <= MOMENT_ROWS && !is_late && is_due(row->where.time, last->where.time, reach))
        moment->rows[moment->count++] = *row;
}

int moments_record(struct moments *moments, const struct armtap_record *record, const struct armtap_arm *arm,
                   bool begins, int64_t reach)
{
    struct moment_row row;
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

void moments_free(struct moments *moments)
{
    for (unsigned i = 0; i < moments->count; i++)
        free(moments->all[i]);
    *moments = (struct moments){0};
}
