/* Some of a stream's records, spread over it, and those at its stops. */
#include "figure.h"

#include <math.h>

#include "array.h"

/* rad, m: beyond this, numbers are no angles and no positions. */
#define VALUE_MAX 100
/* m: lengths that a configuration has are those of a model. */
#define LENGTH_NEAR 1e-5

static bool are_within(const double *values, size_t count, double limit)
{
    bool are = true;
    for (size_t i = 0; i < count; i++)
        are = are && fabs(values[i]) < limit;
    return are;
}

static bool read_pose(const struct armtap_record *record, struct pose *pose)
{
    const struct armtap_state *state = record->state;
    const double *tool = state->actual_TCP_pose;
    if (!armtap_set_has(record->updated, ARMTAP_ID_actual_q) || !are_within(state->actual_q, 6, VALUE_MAX))
        return false;
    bool has_tool = armtap_set_has(record->updated, ARMTAP_ID_actual_TCP_pose) && are_within(tool, 3, VALUE_MAX);
    for (size_t i = 0; i < 6; i++)
        pose->q[i] = (float)state->actual_q[i];
    for (size_t i = 0; i < 3; i++)
        pose->tool[i] = has_tool ? (float)tool[i] : NAN;
    return true;
}

static bool are_lengths_of(const struct armtap_robot_model *model, const double a[6], const double d[6])
{
    const double off[] = {a[0],
                          a[1] - model->a2,
                          a[2] - model->a3,
                          a[3],
                          a[4],
                          a[5],
                          d[0] - model->d1,
                          d[1],
                          d[2],
                          d[3] - model->d4,
                          d[4] - model->d5,
                          d[5] - model->d6};
    return are_within(off, sizeof off / sizeof *off, LENGTH_NEAR);
}

static void read_configuration(struct poses *poses, const struct armtap_state *state)
{
    const struct armtap_robot_model *model = NULL;
    for (size_t i = 0; (model = armtap_robot_model_at(i)); i++)
        if (are_lengths_of(model, state->primary_nominal_dh_a, state->primary_nominal_dh_d))
            break;
    poses->is_unclear = poses->is_unclear || !model || (poses->configured && model != poses->configured);
    poses->configured = model;
}

static int add(struct poses *poses, const struct pose *pose)
{
    if (!MAKE_ROOM(poses->all, poses->count))
        return -1;
    poses->all[poses->count++] = *pose;
    return 0;
}

static bool is_due(const struct poses *poses, const struct pose *pose)
{
    return pose->is_kept || (pose->number & ((UINT64_C(1) << poses->thinned) - 1)) == 0;
}

static void thin(struct poses *poses)
{
    size_t left = 0;
    poses->thinned++;
    for (size_t i = 0; i < poses->count; i++)
        if (is_due(poses, &poses->all[i]))
            poses->all[left++] = poses->all[i];
    poses->count = left;
}

int poses_take(struct poses *poses, const struct armtap_record *record, int64_t time)
{
    struct pose pose = {.time = time, .number = poses->seen};
    if (!record->updated || !record->state || armtap_stream_has(record->stream, ARMTAP_TRAIT_OWN_NAMES))
        return 0;
    if (armtap_set_has(record->updated, ARMTAP_ID_primary_nominal_dh_a))
        read_configuration(poses, record->state);
    if (!read_pose(record, &pose))
        return 0;
    poses->seen++;
    poses->last = pose;
    if (is_due(poses, &pose) && poses->count - poses->stops >= POSES_MAX)
        thin(poses);
    return is_due(poses, &pose) ? add(poses, &pose) : 0;
}

int poses_keep(struct poses *poses)
{
    bool is_there = poses->count > 0 && poses->all[poses->count - 1].number == poses->last.number;
    if (poses->seen == 0 || poses->last.is_kept || poses->stops == POSES_STOPS_MAX)
        return 0;
    if (!is_there && add(poses, &poses->last) != 0)
        return -1;
    poses->all[poses->count - 1].is_kept = poses->last.is_kept = true;
    poses->stops++;
    return 0;
}

void poses_free(struct poses *poses)
{
    free(poses->all);
    *poses = (struct poses){0};
}
