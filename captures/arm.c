#include "arm.h"

#include "number.h"

#include <string.h>

static const struct arm_model models[] = {
    {"ur5",
     {0, -0.425, -0.39225, 0, 0, 0},
     {0.089159, 0, 0, 0.10915, 0.09465, 0.0823},
     {3.7, 8.393, 2.33, 1.219, 1.219, 0.1879},
     {13.26, 13.26, 13.26, 8.66, 8.66, 8.66}},
    {"ur10",
     {0, -0.612, -0.5723, 0, 0, 0},
     {0.1273, 0, 0, 0.163941, 0.1157, 0.0922},
     {7.1, 12.7, 4.27, 2.0, 2.0, 0.365},
     {14.87, 14.87, 13.26, 10.53, 10.53, 10.53}},
    {"ur5e",
     {0, -0.425, -0.3922, 0, 0, 0},
     {0.1625, 0, 0, 0.1333, 0.0997, 0.0996},
     {3.761, 8.058, 2.846, 1.37, 1.3, 0.365},
     {12.11, 12.11, 12.11, 9.23, 9.23, 9.23}},
    {"ur10e",
     {0, -0.6127, -0.57155, 0, 0, 0},
     {0.1807, 0, 0, 0.17415, 0.11985, 0.11655},
     {7.369, 13.051, 3.989, 2.1, 1.98, 0.615},
     {13.9, 13.9, 12.11, 9.23, 9.23, 9.23}},
    {"aubo-i5",
     {0, -0.408, -0.376, 0, 0, 0},
     {0.122, 0, 0, 0.1215, 0.1025, 0.094},
     {4.3, 10.6, 2.8, 2.0, 2.0, 0.4},
     {13, 13, 13, 9, 9, 9}},
};

/* Sine of the twist between a joint's axis and the next; all twists of UR's arms are quarter turns. */
static const double twist_sine[ARM_JOINTS] = {1, 0, 0, 1, -1, 0};
static const double twist_cosine[ARM_JOINTS] = {0, 1, 1, 0, 0, 1};

const struct arm_model *arm_find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

void arm_forward(const struct arm_model *model, const double q[ARM_JOINTS], struct arm_pose *pose)
{
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double p[3] = {0, 0, 0};
    for (size_t joint = 0; joint < ARM_JOINTS; joint++) {
        double c = number_cos(q[joint]);
        double s = number_sin(q[joint]);
        double ca = twist_cosine[joint];
        double sa = twist_sine[joint];
        double step[3][3] = {{c, -s * ca, s * sa}, {s, c * ca, -c * sa}, {0, sa, ca}};
        double reach[3] = {model->a[joint] * c, model->a[joint] * s, model->d[joint]};
        double next[3][3];
        for (size_t i = 0; i < 3; i++) {
            pose->origin[joint][i] = p[i];
            pose->axis[joint][i] = r[i][2];
        }
        for (size_t i = 0; i < 3; i++) {
            p[i] += r[i][0] * reach[0] + r[i][1] * reach[1] + r[i][2] * reach[2];
            for (size_t k = 0; k < 3; k++)
                next[i][k] = r[i][0] * step[0][k] + r[i][1] * step[1][k] + r[i][2] * step[2][k];
        }
        memcpy(r, next, sizeof r);
    }
    memcpy(pose->origin[ARM_JOINTS], p, sizeof p);
    memcpy(pose->rotation, r, sizeof r);
}

void arm_rotation_vector(double rotation[3][3], double vector[3])
{
    /* Through the quaternion, from its largest part: near half a turn, as with a tool that points down, the trace alone
     * is useless. */
    double(*m)[3] = rotation;
    double square[4] = {1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2],
                        1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2]};
    size_t largest = 0;
    for (size_t i = 1; i < 4; i++)
        if (square[i] > square[largest])
            largest = i;
    double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
    double xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
    double quaternion[4][4] = {
        {square[0], wx, wy, wz}, {wx, square[1], xy, xz}, {wy, xy, square[2], yz}, {wz, xz, yz, square[3]}};
    double *part = quaternion[largest];
    double sign = part[0] < 0 ? -1 : 1;
    double length = number_sqrt(part[1] * part[1] + part[2] * part[2] + part[3] * part[3]);
    double angle = 2 * number_atan2(length, sign * part[0]);
    for (size_t i = 0; i < 3; i++)
        vector[i] = length > 0 ? sign * part[i + 1] / length * angle : 0;
}

void arm_twist(const struct arm_pose *pose, const double qd[ARM_JOINTS], size_t joints, const double point[3],
               double linear[3], double angular[3])
{
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (size_t joint = 0; joint < joints; joint++) {
        double arm[3], turn[3];
        for (size_t i = 0; i < 3; i++)
            arm[i] = point[i] - pose->origin[joint][i];
        cross(pose->axis[joint], arm, turn);
        for (size_t i = 0; i < 3; i++) {
            linear[i] += turn[i] * qd[joint];
            angular[i] += pose->axis[joint][i] * qd[joint];
        }
    }
}

/* The middle of a link is taken as its centre of mass. */
static void centre_of_link(const struct arm_pose *pose, size_t link, double centre[3])
{
    for (size_t i = 0; i < 3; i++)
        centre[i] = 0.5 * (pose->origin[link][i] + pose->origin[link + 1][i]);
}

static double weight_torque(const struct arm_pose *pose, size_t joint, const double point[3], double mass)
{
    double arm[3], torque[3];
    double lift[3] = {0, 0, mass * GRAVITY};
    for (size_t i = 0; i < 3; i++)
        arm[i] = point[i] - pose->origin[joint][i];
    cross(arm, lift, torque);
    return pose->axis[joint][0] * torque[0] + pose->axis[joint][1] * torque[1] + pose->axis[joint][2] * torque[2];
}

void arm_gravity(const struct arm_model *model, const struct arm_pose *pose, double payload, double torque[ARM_JOINTS])
{
    for (size_t joint = 0; joint < ARM_JOINTS; joint++) {
        torque[joint] = weight_torque(pose, joint, pose->origin[ARM_JOINTS], payload);
        for (size_t link = joint; link < ARM_JOINTS; link++) {
            double centre[3];
            centre_of_link(pose, link, centre);
            torque[joint] += weight_torque(pose, joint, centre, model->mass[link]);
        }
    }
}

double arm_momentum(const struct arm_model *model, const struct arm_pose *pose, const double qd[ARM_JOINTS],
                    double payload)
{
    double linear[3], angular[3], sum[3];
    arm_twist(pose, qd, ARM_JOINTS, pose->origin[ARM_JOINTS], linear, angular);
    for (size_t i = 0; i < 3; i++)
        sum[i] = payload * linear[i];
    for (size_t link = 0; link < ARM_JOINTS; link++) {
        double centre[3];
        centre_of_link(pose, link, centre);
        arm_twist(pose, qd, link + 1, centre, linear, angular);
        for (size_t i = 0; i < 3; i++)
            sum[i] += model->mass[link] * linear[i];
    }
    return number_sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}
