/* What the connections of one robot share: recipes learned, controller generation and version. */
#ifndef ARMTAP_ROBOT_H
#define ARMTAP_ROBOT_H

#include "armtap.h"

struct armtap_robot {
    unsigned holders;
    enum armtap_generation generation;
    char controller_version[32];
};
struct armtap_robot *armtap_robot_new(void); /* one holder; NULL without memory */
struct armtap_robot *armtap_robot_hold(struct armtap_robot *robot);
void armtap_robot_release(struct armtap_robot *robot);

#endif
