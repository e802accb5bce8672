/* The controller's side of the primary interface: a state every 96 ms, and messages. */
#ifndef PRIMARY_H
#define PRIMARY_H

#include "session_state.h"

/* What a client gets on connecting: the version, what follows it, the tolerances, a state with kinematics and
 * configuration. */
void primary_session_begin(struct session *session, const struct client_step *step, int64_t time);
/* Queues the state that is due at this cycle. Returns whether there was one. */
bool primary_session_data(struct session *session);
/* One message, as a step of the scene says. */
void primary_session_step(struct session *session, const struct client_step *step, int64_t time);

#endif
