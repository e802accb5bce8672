#include "session_state.h"

#include <stdio.h>

void session_fail(struct session *session, const struct client_step *step, const char *problem, const char *thing)
{
    if (!session->failed)
        fprintf(stderr, "%s:%u: %s%s%s\n", session->path, step->line, problem, thing ? ": " : "", thing ? thing : "");
    session->failed = true;
}

void session_flush(struct session *session, int64_t time)
{
    if (session->held_length > 0)
        wire_send(&session->connection, ARMTAP_FROM_ROBOT, session->held, session->held_length, time);
    session->held_length = 0;
}
