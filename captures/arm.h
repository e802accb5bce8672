/* The geometry of UR's arms: where the joints and the flange are, how fast they move, and the torque that gravity puts
 * on the joints. Nominal Denavit-Hartenberg parameters and link masses as UR publishes them. */
#ifndef ARM_H
#define ARM_H

#include <stddef.h>

#define ARM_JOINTS 6
#define GRAVITY 9.80665 /* m/s^2 */

struct arm_model {
    const char *name;
    double a[ARM_JOINTS];               /* m */
    double d[ARM_JOINTS];               /* m */
    double mass[ARM_JOINTS];            /* of the links, kg */
    double torque_constant[ARM_JOINTS]; /* Nm/A at the joint, roughly */
};

struct arm_pose {
    double origin[ARM_JOINTS + 1][3]; /* of each joint, then of the flange, in the base frame */
    double axis[ARM_JOINTS][3];       /* about which each joint turns */
    double rotation[3][3];            /* of the flange */
};

/* "ur5", "ur10", "ur5e", "ur10e"; "aubo-i5", a stand-in: an arm of UR's structure, roughly AUBO's size. NULL for
 * others. */
const struct arm_model *arm_find(const char *name);
void arm_forward(const struct arm_model *model, const double q[ARM_JOINTS], struct arm_pose *pose);
/* Axis times angle, 0 to pi. */
void arm_rotation_vector(double rotation[3][3], double vector[3]);
/* Velocity of a point that the first `joints` joints carry, and its angular velocity. */
void arm_twist(const struct arm_pose *pose, const double qd[ARM_JOINTS], size_t joints, const double point[3],
               double linear[3], double angular[3]);
/* The torques that hold the arm, and `payload` kg at its flange, against gravity. */
void arm_gravity(const struct arm_model *model, const struct arm_pose *pose, double payload, double torque[ARM_JOINTS]);
/* Magnitude of the linear momentum, kg m/s. */
double arm_momentum(const struct arm_model *model, const struct arm_pose *pose, const double qd[ARM_JOINTS],
                    double payload);

#endif
