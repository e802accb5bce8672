/* SIGUSR1: a paused server shall begin. */
#ifndef SERVE_START_SIGNAL_H
#define SERVE_START_SIGNAL_H

#include <stdbool.h>

#include "input/robots/event_loop.h"

/* From now on the signal wakes the loop; NULL: it is ignored. */
void start_signal_hold(struct event_loop *loop);
bool start_signal_came(void);

#endif
