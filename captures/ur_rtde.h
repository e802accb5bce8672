/* The script that ur_rtde's client sends to the robot, and what the robot's program then does: it obeys codes in input
 * registers, and answers in output registers. */
#ifndef UR_RTDE_H
#define UR_RTDE_H

#include "session_state.h"

/* The client sends a script for these codes ("1-4,6-12") with registers at the offset step->count. */
void ur_rtde_session_script(struct session *session, const struct client_step *step, int64_t time);
/* The robot's program runs from now on; it takes step->seconds for a command. */
void ur_rtde_session_obey(struct session *session, const struct client_step *step);
/* The client wrote input registers. */
void ur_rtde_session_wrote(struct session *session);
/* A cycle of the robot. */
void ur_rtde_session_cycle(struct session *session);

#endif
