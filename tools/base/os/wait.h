/* Waiting for descriptors, being woken, and the clock of deadlines. */
#ifndef BASE_WAIT_H
#define BASE_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The monotonic clock, ns. */
int64_t wait_clock(void);
/* By how much it is behind the time that went by, ns, as the machine slept; it counts from anywhere. 0 where a sleep
 * does not stop it. */
int64_t wait_slept(void);

enum { WAIT_READ = 1, WAIT_WRITE = 4 };
/* A socket or a wake-up. */
struct wait_item {
    int fd; /* negative: passed over */
    short wanted;
    short came; /* what was wanted; all of that at an end or an error, which the next read or write returns */
};
/* Waits until something came or that time. How many items something came of; -1 with errno, EINTR if a signal came
 * meanwhile: then `came` says nothing. */
int wait_until(struct wait_item *items, size_t count, int64_t deadline);
/* Whether a write to a file or a pipe would not wait now; also where it would fail at once. */
bool wait_can_write(int file);

/* A wake-up is a descriptor that is readable once it was woken, until that is taken. -1 with errno. */
int wake_open(void);
/* Of any thread, and of a signal handler; leaves errno alone. */
void wake_up(int wake);
void wake_take(int wake);
void wake_close(int wake);

#endif
