/* Ctrl-C (and SIGTERM, SIGHUP) as a question that a loop asks, without a handler. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

/* Holds the signals back from this thread and from those that it starts later. */
void interrupt_hold(void);
/* Whether one has come since. */
bool interrupt_asked(void);
/* From now on they end the program again. */
void interrupt_release(void);

#endif
