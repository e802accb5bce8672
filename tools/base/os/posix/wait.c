#define _GNU_SOURCE /* ppoll */
#include "base/os/wait.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "nanoseconds.h"

/* An item is what poll() takes, so that a turn of a loop copies nothing. */
_Static_assert(sizeof(struct wait_item) == sizeof(struct pollfd), "an item is a struct pollfd");
_Static_assert(offsetof(struct wait_item, wanted) == offsetof(struct pollfd, events), "an item is a struct pollfd");
_Static_assert(offsetof(struct wait_item, came) == offsetof(struct pollfd, revents), "an item is a struct pollfd");
_Static_assert(WAIT_READ == POLLIN && WAIT_WRITE == POLLOUT, "an item is a struct pollfd");

int64_t wait_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

int64_t wait_slept(void)
{
#ifdef CLOCK_BOOTTIME
    struct timespec time;
    if (clock_gettime(CLOCK_BOOTTIME, &time) == 0)
        return time.tv_sec * SECOND + time.tv_nsec - wait_clock();
#endif
    return 0;
}

int wait_until(struct wait_item *items, size_t count, int64_t deadline)
{
    int64_t left = deadline - wait_clock();
    if (left < 0)
        left = 0;
    const struct timespec time = {.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND)};
    int ready = ppoll((struct pollfd *)(void *)items, count, &time, NULL);
    for (size_t i = 0; ready > 0 && i < count; i++)
        if (items[i].came & (POLLERR | POLLHUP | POLLNVAL))
            items[i].came = items[i].wanted;
    return ready;
}

bool wait_can_write(int file)
{
    const struct timespec at_once = {0};
    struct pollfd wanted = {.fd = file, .events = POLLOUT};
    return ppoll(&wanted, 1, &at_once, NULL) > 0;
}

int wake_open(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* A write fails only where very many wake-ups are still unread, which is one already. */
void wake_up(int wake)
{
    const uint64_t one = 1;
    int error = errno;
    if (write(wake, &one, sizeof one) < 0)
        errno = error;
}

/* If it cannot be read now, it is still a wake-up; the next turn reads it. */
void wake_take(int wake)
{
    uint64_t count;
    ssize_t length = read(wake, &count, sizeof count);
    (void)length;
}

void wake_close(int wake)
{
    close(wake);
}
