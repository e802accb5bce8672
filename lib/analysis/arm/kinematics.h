/* Forward kinematics of arms of UR's structure, and what joints and poses say about their geometry. */
#ifndef ANALYSIS_KINEMATICS_H
#define ANALYSIS_KINEMATICS_H

#include "analysis/armtap-analysis.h"

/* The directions that a geometry's lengths are measured along: the flange is at d1 z1 + a2 x2 + a3 x3 + d4 z4 + d5 z5 +
 * d6 z6, where z6 is the third column of the rotation. */
struct kinematics_chain {
    double x2[3], x3[3], z4[3], z5[3];
    double rotation[3][3];
};
void armtap_kinematics_chain(const double q[6], struct kinematics_chain *chain);
void armtap_kinematics_flange(const struct armtap_robot_model *model, const struct kinematics_chain *chain,
                              double position[3]);

/* No more poses come: keeps what they said, in some 100 bytes of 2300. Returns where that is; its results stay the
 * same.
 */
struct armtap_kinematics *armtap_kinematics_end(struct armtap_kinematics *kinematics);

#endif
