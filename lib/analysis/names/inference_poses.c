/* Joints, and the poses that follow from them by the kinematics of an arm. */
#include "analysis/names/inference.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/inside.h"

#define VECTOR 6u
/* Rows by which joints and poses are first compared. */
#define SPREAD 32u

struct solution {
    const struct inference_columns *columns;
    struct inference_relations *relations;
    struct armtap_kinematics_result *best;
    double (*turn)[3][3]; /* by vector and row: as joints, then as a pose */
};

static void values_of(const struct solution *solution, unsigned vector, unsigned row, double values[VECTOR])
{
    for (unsigned i = 0; i < VECTOR; i++) {
        const struct column *column =
            armtap_inference_column(solution->columns, solution->relations->vector[vector] + 8 * i);
        values[i] = column->values ? column->values[row] : column->mean;
    }
}

static bool is_within(const struct solution *solution, unsigned vector, const double most[VECTOR])
{
    for (unsigned i = 0; i < VECTOR; i++) {
        const struct column *column =
            armtap_inference_column(solution->columns, solution->relations->vector[vector] + 8 * i);
        if (column->least < -most[i] || column->most > most[i])
            return false;
    }
    return true;
}

static bool overlap(const struct solution *solution, unsigned a, unsigned b)
{
    const size_t *vector = solution->relations->vector;
    return vector[a] < vector[b] + 8 * VECTOR && vector[b] < vector[a] + 8 * VECTOR;
}

static unsigned spread_row(const struct solution *solution, unsigned i)
{
    return i * (solution->columns->sample->count - 1) / (SPREAD - 1);
}

static int take_turns(struct solution *solution)
{
    const unsigned vectors = solution->relations->vectors;
    solution->turn = calloc((size_t)2 * vectors * SPREAD + 1, sizeof *solution->turn);
    if (!solution->turn)
        return ARMTAP_ERR_MEMORY;
    const struct armtap_robot_model *any = armtap_robot_model_at(0);
    for (unsigned b = 0; b < vectors; b++)
        for (unsigned i = 0; i < SPREAD; i++) {
            double values[VECTOR], place[3];
            values_of(solution, b, spread_row(solution, i), values);
            armtap_robot_model_flange(any, values, place, solution->turn[(size_t)b * SPREAD + i]);
            armtap_rotation_matrix(values + 3, solution->turn[(size_t)(vectors + b) * SPREAD + i]);
        }
    return ARMTAP_OK;
}

/* The orientation of the flange is the same for all arms: the tool must stand still in it. */
static bool turns_fit(const struct solution *solution, unsigned joints, unsigned pose)
{
    double sum[3][3] = {{0}}, squares = 0;
    for (unsigned row = 0; row < SPREAD; row++) {
        double(*q)[3] = solution->turn[(size_t)joints * SPREAD + row];
        double(*p)[3] = solution->turn[(size_t)(solution->relations->vectors + pose) * SPREAD + row];
        for (unsigned i = 0; i < 3; i++)
            for (unsigned k = 0; k < 3; k++)
                sum[i][k] += q[0][i] * p[0][k] + q[1][i] * p[1][k] + q[2][i] * p[2][k];
    }
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++)
            squares += sum[i][k] * sum[i][k];
    return 3 - squares / (SPREAD * SPREAD) < 0.02;
}

static int compare(struct solution *solution, unsigned joints, unsigned pose, double *least)
{
    struct armtap_kinematics *kinematics = armtap_kinematics_new();
    struct armtap_kinematics_result result;
    if (!kinematics)
        return ARMTAP_ERR_MEMORY;
    for (unsigned row = 0; row < solution->columns->sample->count; row++) {
        double q[VECTOR], p[VECTOR];
        values_of(solution, joints, row, q);
        values_of(solution, pose, row, p);
        armtap_kinematics_add(kinematics, q, p);
    }
    armtap_kinematics_result(kinematics, &result);
    armtap_kinematics_free(kinematics);
    bool known = result.outcome == ARMTAP_KINEMATICS_MODEL;
    if (!known && result.outcome != ARMTAP_KINEMATICS_UNLISTED)
        return ARMTAP_OK;
    armtap_inference_add_pose(solution->relations, joints, pose);
    if (result.residual < *least) {
        *least = result.residual;
        solution->relations->joints[pose] = (int)joints;
    }
    struct armtap_kinematics_result *best = solution->best;
    if (best->outcome == ARMTAP_KINEMATICS_UNKNOWN || (known && result.residual < best->residual))
        *best = result;
    return ARMTAP_OK;
}

/* m and rad. The last joint of some arms turns without an end. */
static const double of_pose[VECTOR] = {3.5, 3.5, 3.5, 6.3, 6.3, 6.3},
                    of_joints[VECTOR] = {6.4, 6.4, 6.4, 6.4, 6.4, 1e4};

int armtap_inference_find_poses(void *best, const struct inference_columns *columns,
                                struct inference_relations *relations)
{
    struct solution solution = {columns, relations, best, NULL};
    int error = take_turns(&solution);
    for (unsigned b = 0; b < relations->vectors; b++) {
        double least = INFINITY;
        if (!is_within(&solution, b, of_pose))
            continue;
        for (unsigned a = 0; a < relations->vectors && error == ARMTAP_OK; a++)
            if (!overlap(&solution, a, b) && is_within(&solution, a, of_joints) && turns_fit(&solution, a, b))
                error = compare(&solution, a, b, &least);
    }
    free(solution.turn);
    return error;
}
