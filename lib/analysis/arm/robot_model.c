#include "analysis/arm/kinematics.h"
#include "analysis/inside.h"

#include <math.h>

static const struct armtap_robot_model models[] = {
#define ROBOT_MODEL(name, d1, a2, a3, d4, d5, d6) {name, d1, a2, a3, d4, d5, d6},
#include "analysis/arm/robot_models.def"
};

const struct armtap_robot_model *armtap_robot_model_at(size_t i)
{
    return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

bool armtap_robot_model_is_alike(const struct armtap_robot_model *a, const struct armtap_robot_model *b)
{
    return a->d1 == b->d1 && a->a2 == b->a2 && a->a3 == b->a3 && a->d4 == b->d4 && a->d5 == b->d5 && a->d6 == b->d6;
}

/* With q1 the arm's plane turns; the shoulder, the elbow and the first wrist turn within it, so that their angles add
 * up. The second wrist tilts out of the plane, the third turns the flange. */
void armtap_kinematics_chain(const double q[6], struct kinematics_chain *chain)
{
    const double c1 = cos(q[0]), s1 = sin(q[0]), c5 = cos(q[4]), s5 = sin(q[4]), c6 = cos(q[5]), s6 = sin(q[5]);
    const double sum2 = q[1], sum3 = sum2 + q[2], sum4 = sum3 + q[3];
    const double c4 = cos(sum4), s4 = sin(sum4);
    const double x4[3] = {c1 * c4, s1 * c4, s4}, down[3] = {c1 * s4, s1 * s4, -c4}, side[3] = {s1, -c1, 0};
    chain->x2[0] = c1 * cos(sum2);
    chain->x2[1] = s1 * cos(sum2);
    chain->x2[2] = sin(sum2);
    chain->x3[0] = c1 * cos(sum3);
    chain->x3[1] = s1 * cos(sum3);
    chain->x3[2] = sin(sum3);
    for (size_t i = 0; i < 3; i++) {
        double x5 = c5 * x4[i] + s5 * side[i];
        chain->z4[i] = side[i];
        chain->z5[i] = down[i];
        chain->rotation[i][0] = c6 * x5 - s6 * down[i];
        chain->rotation[i][1] = -s6 * x5 - c6 * down[i];
        chain->rotation[i][2] = c5 * side[i] - s5 * x4[i];
    }
}

void armtap_kinematics_flange(const struct armtap_robot_model *model, const struct kinematics_chain *chain,
                              double position[3])
{
    for (size_t i = 0; i < 3; i++)
        position[i] = (i == 2 ? model->d1 : 0) + model->a2 * chain->x2[i] + model->a3 * chain->x3[i] +
                      model->d4 * chain->z4[i] + model->d5 * chain->z5[i] + model->d6 * chain->rotation[i][2];
}

/* Point after point along the chain: the last one is the flange. */
void armtap_robot_model_points(const struct armtap_robot_model *model, const double q[6],
                               double points[ARMTAP_ARM_POINTS][3])
{
    struct kinematics_chain chain;
    armtap_kinematics_chain(q, &chain);
    for (size_t i = 0; i < 3; i++) {
        points[0][i] = i == 2 ? model->d1 : 0;
        points[1][i] = points[0][i] + model->a2 * chain.x2[i];
        points[2][i] = points[1][i] + model->a3 * chain.x3[i];
        points[3][i] = points[2][i] + model->d4 * chain.z4[i];
        points[4][i] = points[3][i] + model->d5 * chain.z5[i];
        points[5][i] = points[4][i] + model->d6 * chain.rotation[i][2];
    }
}

/* Stretched: the first wrist in line with the arm, the second and the flange to its side. */
double armtap_robot_model_reach(const struct armtap_robot_model *model)
{
    const double ahead = fabs(model->a2) + fabs(model->a3) + fabs(model->d5), aside = fabs(model->d4) + fabs(model->d6);
    return sqrt(ahead * ahead + aside * aside);
}

void armtap_robot_model_flange(const struct armtap_robot_model *model, const double q[6], double position[3],
                               double rotation[3][3])
{
    struct kinematics_chain chain;
    armtap_kinematics_chain(q, &chain);
    armtap_kinematics_flange(model, &chain, position);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            rotation[i][k] = chain.rotation[i][k];
}

void armtap_rotation_matrix(const double vector[3], double rotation[3][3])
{
    const double x = vector[0], y = vector[1], z = vector[2], square = x * x + y * y + z * z, angle = sqrt(square);
    /* sin(a)/a and (1 - cos(a))/a^2, whose limits are needed near 0 */
    const double s = angle < 1e-6 ? 1 - square / 6 : sin(angle) / angle;
    const double half = angle < 1e-6 ? 1 - square / 24 : sin(angle / 2) / (angle / 2);
    const double c = half * half / 2;
    const double matrix[3][3] = {{1 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y},
                                 {c * x * y + s * z, 1 - c * (x * x + z * z), c * y * z - s * x},
                                 {c * x * z - s * y, c * y * z + s * x, 1 - c * (x * x + y * y)}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            rotation[i][k] = matrix[i][k];
}

/* From the largest part of the quaternion: near half a turn, as with a tool that points down, the trace says little. */
void armtap_rotation_vector(double rotation[3][3], double vector[3])
{
    const double xx = rotation[0][0], yy = rotation[1][1], zz = rotation[2][2];
    const double squares[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz};
    const double wx = rotation[2][1] - rotation[1][2], wy = rotation[0][2] - rotation[2][0];
    const double wz = rotation[1][0] - rotation[0][1], xy = rotation[0][1] + rotation[1][0];
    const double xz = rotation[0][2] + rotation[2][0], yz = rotation[1][2] + rotation[2][1];
    const double rows[4][4] = {
        {squares[0], wx, wy, wz}, {wx, squares[1], xy, xz}, {wy, xy, squares[2], yz}, {wz, xz, yz, squares[3]}};
    size_t largest = 0;
    for (size_t i = 1; i < 4; i++)
        if (squares[i] > squares[largest])
            largest = i;
    const double *q = rows[largest], sign = q[0] < 0 ? -1 : 1;
    const double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), angle = 2 * atan2(length, sign * q[0]);
    for (size_t i = 0; i < 3; i++)
        vector[i] = length > 0 ? sign * q[i + 1] / length * angle : 0;
}
