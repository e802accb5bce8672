#include "analysis/facts/detectors.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"
#include "analysis/inside.h"

static const enum armtap_field_id stop_fields[ARMTAP_STOP_COMMAND] = {
    [ARMTAP_STOP_POSITION] = ARMTAP_ID_actual_q,
    [ARMTAP_STOP_CURRENT] = ARMTAP_ID_actual_current,
    [ARMTAP_STOP_FORCE] = ARMTAP_ID_actual_TCP_force,
};

static bool read_row(struct armtap_stop_row *row, const struct armtap_where *where, const struct armtap_state *state,
                     const struct armtap_set *of)
{
    struct armtap_value value;
    bool any = false;
    *row = (struct armtap_stop_row){.where = *where};
    for (size_t i = 0; i < ARMTAP_STOP_COMMAND; i++) {
        row->has[i] = armtap_set_has(of, stop_fields[i]);
        if (!row->has[i])
            continue;
        armtap_state_get(state, armtap_field_at(stop_fields[i]), &value);
        memcpy(row->value[i], value.f64, sizeof row->value[i]);
        any = true;
    }
    return any;
}

static bool is_due(int64_t time, int64_t before, int64_t reach)
{
    return time == ARMTAP_NO_TIME || before == ARMTAP_NO_TIME || time < before ||
           armtap_time_between(before, time) >= reach / ARMTAP_STOP_ROWS;
}

static bool is_within(const struct armtap_stop_row *before, const struct armtap_where *stop, int64_t reach)
{
    return stop->time == ARMTAP_NO_TIME || before->where.time >= armtap_time_shift(stop->time, -reach);
}

/* A window with the rows before a stop; NULL if memory runs out. */
static struct armtap_stop_window *begin_window(struct stop_windows *windows, const struct armtap_where *stop,
                                               int64_t reach)
{
    struct armtap_stop_window *window = calloc(1, sizeof *window);
    if (!window)
        return NULL;
    unsigned kept = windows->seen < ARMTAP_STOP_ROWS ? windows->seen : ARMTAP_STOP_ROWS;
    for (unsigned i = windows->seen - kept; i < windows->seen; i++) {
        const struct armtap_stop_row *before = &windows->before[i % ARMTAP_STOP_ROWS];
        /* After a silence the ring holds rows that are too old. */
        if (is_within(before, stop, reach))
            window->rows[window->count++] = *before;
    }
    /* The record just before the stop is most likely to show its cause. */
    if (windows->is_between && is_within(&windows->just_before, stop, reach))
        window->rows[window->count++] = windows->just_before;
    windows->all[windows->count++] = window;
    return window;
}

static int begin_with(struct stop_windows *windows, const struct armtap_stop_row *row, int64_t reach)
{
    if (windows->count == STOP_WINDOWS_EACH)
        return 0;
    struct armtap_stop_window *window = begin_window(windows, &row->where, reach);
    if (!window)
        return -1;
    window->at = window->count;
    window->rows[window->count++] = *row;
    return 0;
}

static void extend(struct armtap_stop_window *window, const struct armtap_stop_row *row, int64_t reach)
{
    const struct armtap_stop_row *last = &window->rows[window->count - 1], *stop = &window->rows[window->at];
    bool is_late = stop->where.time != ARMTAP_NO_TIME && row->where.time > armtap_time_shift(stop->where.time, reach);
    if (window->count - window->at <= ARMTAP_STOP_ROWS && !is_late && is_due(row->where.time, last->where.time, reach))
        window->rows[window->count++] = *row;
}

static void keep(struct stop_windows *windows, const struct armtap_stop_row *row, int64_t reach)
{
    windows->just_before = *row;
    windows->is_between = windows->seen > 0 && !is_due(row->where.time, windows->latest, reach);
    if (windows->is_between)
        return;
    windows->before[windows->seen++ % ARMTAP_STOP_ROWS] = *row;
    windows->latest = row->where.time;
}

int armtap_stop_window_record(struct stop_windows *windows, const struct armtap_record *record,
                              const struct armtap_arm *arm, bool begins, int64_t reach)
{
    struct armtap_stop_row row;
    bool any = read_row(&row, &record->where, arm->state, arm->updated);
    /* Positions may arrive on another channel than modes: use the last ones. */
    if (!any && begins)
        any = read_row(&row, &record->where, arm->state, &arm->state->known);
    if (!any)
        return 0;
    for (unsigned i = 0; i < windows->count; i++)
        extend(windows->all[i], &row, reach);
    if (begins && begin_with(windows, &row, reach) != 0)
        return -1;
    keep(windows, &row, reach);
    return 0;
}

void armtap_stop_window_command(struct stop_windows *windows, const struct command *command, int64_t reach)
{
    struct armtap_stop_row row = {.where = command->where, .mode = armtap_command_mode(command->mode)};
    row.has[ARMTAP_STOP_COMMAND] = command->has_target;
    memcpy(row.value[ARMTAP_STOP_COMMAND], command->target, sizeof command->target);
    for (unsigned i = 0; i < windows->count; i++)
        extend(windows->all[i], &row, reach);
    keep(windows, &row, reach);
}

int armtap_stop_window_mark(struct stop_windows *windows, const struct armtap_where *stop, int64_t reach)
{
    struct armtap_stop_window *latest = windows->count > 0 ? windows->all[windows->count - 1] : NULL;
    if (windows->seen == 0 || windows->count == STOP_WINDOWS_EACH || !is_within(&windows->just_before, stop, reach))
        return 0;
    /* Another stream of the robot has shown the same stop. */
    if (latest && is_within(&latest->rows[latest->at], stop, reach))
        return 0;
    latest = begin_window(windows, stop, reach);
    if (!latest)
        return -1;
    latest->has_commands = true;
    latest->at = latest->count - 1;
    return 0;
}

void armtap_stop_window_free(struct stop_windows *windows)
{
    for (unsigned i = 0; i < windows->count; i++)
        free(windows->all[i]);
    *windows = (struct stop_windows){0};
}
