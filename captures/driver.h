/* What a driver on a PC sends to the robot's program over the ports of External Control. */
#ifndef DRIVER_H
#define DRIVER_H

#include "session_state.h"

/* One message of 32-bit words, as a step of the scene says. */
void driver_session_words(struct session *session, const struct client_step *step, int64_t time);
/* The result of a trajectory, or of a tool contact, from the robot. */
void driver_session_result(struct session *session, const struct client_step *step, int64_t time);
/* This cycle's command to servo, if the driver sends them: where the arm is to be two cycles later. */
void driver_session_command(struct session *session, int64_t time);

#endif
