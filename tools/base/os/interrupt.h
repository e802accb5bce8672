/* Signals: Ctrl-C (and SIGTERM, SIGHUP) as a flag that loops check, and threads that leave signals to others. A system
 * call that blocks meanwhile, such as a write to a full pipe, soon ends with EINTR. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* From now on the signals do not end the program, unless another arrives once interrupt_is_overdue(). A SIGHUP that is
 * ignored (nohup) stays ignored. A pipe that its reader closed is such a signal, too. */
void interrupt_hold(void);
/* The same for every signal that can be caught and would end the program, while there are files that must not stay
 * behind. `clean` removes them, in a handler, before the program ends after all: by a second signal, or one of a crash.
 * A closed pipe and a file that may grow no more are errors, no signals. */
void interrupt_guard(void (*clean)(void));
/* From now on a closed pipe is an error of who writes to it, and no signal. */
void interrupt_ignore_closed_pipes(void);
/* Whether a signal has arrived since. */
bool interrupt_asked(void);
/* Readable once interrupt_asked(), for ever: to be polled along with what a loop waits for, so that no signal slips in
 * between the question and the wait. -1 before interrupt_hold(), or if descriptors have run out. */
int interrupt_descriptor(void);
/* Whether a signal arrived at least that many milliseconds ago. */
bool interrupt_asked_before(int64_t ms);
/* ms: the program should end within a second of Ctrl-C. */
#define INTERRUPT_LIMIT 800
/* Whether a signal arrived so long ago that the program should have ended: blocking calls (write, open) now keep
 * returning EINTR and must not be repeated. */
static inline bool interrupt_is_overdue(void)
{
    return interrupt_asked_before(INTERRUPT_LIMIT);
}

/* While files are in a state that `clean` must not find: no signal comes, in this thread, until it is let. Not nested.
 */
void interrupt_hold_back(void);
void interrupt_let(void);

/* `on_start` is called when somebody asks a program that waits to begin: in a handler of SIGUSR1; on Windows in a
 * thread, once the event "armtap-start-" and the program's process id, in decimal, is set. */
void interrupt_on_start(void (*on_start)(void));

/* Threads beside the main one. */

/* Begins a thread that leaves signals to those that were there before. 0, or the error number. */
int thread_begin(pthread_t *thread, void *(*work)(void *user), void *user);

#endif
