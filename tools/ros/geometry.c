#include "geometry.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Shorter rotations are none, as in UR's driver. */
#define NO_ROTATION 1e-16

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

void ros_quaternion(const double pose[6], double quaternion[4])
{
    const double *rotation = &pose[3];
    double angle = length_of(rotation), scale = angle <= NO_ROTATION ? 0 : sin(angle / 2) / angle;
    for (size_t i = 0; i < 3; i++)
        quaternion[i] = rotation[i] * scale;
    quaternion[3] = angle <= NO_ROTATION ? 1 : cos(angle / 2);
}

/* Rodrigues' formula; `sign` -1 turns back. */
static void turn(const double rotation[3], double sign, double v[3])
{
    double angle = length_of(rotation), axis[3], sideways[3], along = 0;
    if (angle <= NO_ROTATION)
        return;
    for (size_t i = 0; i < 3; i++) {
        axis[i] = rotation[i] / angle;
        along += axis[i] * v[i];
    }
    cross(axis, v, sideways);
    double cosine = cos(angle), sine = sign * sin(angle);
    for (size_t i = 0; i < 3; i++)
        v[i] = v[i] * cosine + sideways[i] * sine + axis[i] * along * (1 - cosine);
}

void ros_wrench_at_tool(const double target[6], const double wrench[6], double turned[6])
{
    memcpy(turned, wrench, 6 * sizeof *turned);
    turn(&target[3], -1, &turned[0]);
    turn(&target[3], -1, &turned[3]);
}

void ros_wrench_from_flange(const double target[6], const double offset[6], const double wrench[6], double turned[6])
{
    double lever[3];
    ros_wrench_at_tool(target, wrench, turned);
    /* From the tool's axes to the flange's, where the torque becomes one about the tool, and back. */
    turn(&offset[3], 1, &turned[0]);
    turn(&offset[3], 1, &turned[3]);
    cross(offset, turned, lever);
    for (size_t i = 0; i < 3; i++)
        turned[3 + i] -= lever[i];
    turn(&offset[3], -1, &turned[0]);
    turn(&offset[3], -1, &turned[3]);
}
