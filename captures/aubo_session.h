/* A client of the scene that speaks AUBO's RTDE, over TCP or a WebSocket. */
#ifndef AUBO_SESSION_H
#define AUBO_SESSION_H

#include "session_state.h"

/* One step of such a client. */
void aubo_session_step(struct session *session, const struct client_step *step, int64_t time);
/* Sends a text from either side, exactly as in the scene. */
void aubo_session_say(struct session *session, enum armtap_direction sender, const char *text, int64_t time);
/* Queues the messages that are due at this cycle. Returns whether there were any. */
bool aubo_session_data(struct session *session);
/* Sends the client's answer after the controller's data. */
void aubo_session_answer(struct session *session);
/* The closing handshake of a WebSocket, started by that side. */
void aubo_session_close(struct session *session, enum armtap_direction sender, int64_t time);

#endif
