/* Poses as UR sends them: x, y, z in m, then a rotation vector, whose length is the angle in rad. */
#ifndef ROS_GEOMETRY_H
#define ROS_GEOMETRY_H

/* The quaternion x, y, z, w of a pose. */
void ros_quaternion(const double pose[6], double quaternion[4]);
/* Turns a force and a torque from the axes of the base to those of the tool, as UR's driver does for CB3. */
void ros_wrench_at_tool(const double target[6], const double wrench[6], double turned[6]);
/* The same for e-Series, where the torque refers to the flange: `offset` is the tool in the flange. */
void ros_wrench_from_flange(const double target[6], const double offset[6], const double wrench[6], double turned[6]);

#endif
