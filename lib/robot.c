#include "robot.h"

#include <stdlib.h>

struct armtap_robot *armtap_robot_new(void)
{
    struct armtap_robot *robot = calloc(1, sizeof *robot);
    if (robot)
        robot->holders = 1;
    return robot;
}

struct armtap_robot *armtap_robot_hold(struct armtap_robot *robot)
{
    robot->holders++;
    return robot;
}

void armtap_robot_release(struct armtap_robot *robot)
{
    if (robot && --robot->holders == 0)
        free(robot);
}
