/* Ctrl-C (and SIGTERM, SIGHUP) as a question that a loop asks. Where nobody asks, because a call of the system waits
 * for a reader of a pipe, such calls end with EINTR soon after. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the signals do not end the program, unless one comes again after interrupt_is_overdue(). A SIGHUP that is
 * ignored (nohup) stays so. */
void interrupt_hold(void);
/* Whether one has come since. */
bool interrupt_asked(void);
/* Whether one came at least so many milliseconds ago. */
bool interrupt_asked_before(int64_t ms);
/* Whether one came so long ago that the program should have ended: calls that wait, to write or to open, now return
 * EINTR again and again, and are not to be repeated. */
bool interrupt_is_overdue(void);

#endif
