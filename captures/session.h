/* Plays a client of the scene: it connects, sends requests, receives data and closes, one step per cycle, and the robot
 * answers. */
#ifndef SESSION_H
#define SESSION_H

#include "session_state.h"

/* The controller has `arm_count` arms in the array `motion`. 0, or -1 if out of memory. */
int session_begin(struct session *session, const struct scene_client *client, struct motion *motion, size_t arm_count);
/* Plays the motion's current cycle, at capture time `time`. */
void session_cycle(struct session *session, int64_t time);
void session_end(struct session *session);

#endif
