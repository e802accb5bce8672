/* A client of the scene that speaks AUBO's RTDE, over TCP or a WebSocket. */
#ifndef AUBO_SESSION_H
#define AUBO_SESSION_H

#include "session.h"

/* A step of such a client. */
void aubo_session_step(struct session *session, const struct client_step *step, int64_t time);
/* A text of either side as it stands in the scene. */
void aubo_session_say(struct session *session, enum armtap_direction sender, const char *text, int64_t time);
/* Puts the messages that are due at this cycle to what leaves next. Returns whether there were any. */
bool aubo_session_data(struct session *session);
/* What the client answers once the controller's data is out. */
void aubo_session_answer(struct session *session);
/* The closing handshake of a WebSocket, begun by that side. */
void aubo_session_close(struct session *session, enum armtap_direction sender, int64_t time);

#endif
