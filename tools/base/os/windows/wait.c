#include "base/os/wait.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/os/system_address.h"
#include "nanoseconds.h"

#include <timeapi.h>

#include "errors.h"

/* Items that need no memory. */
#define FEW 32
/* The system's waits end up to a millisecond late, and some more: what is left then is waited for by a finer timer, in
 * steps. */
#define COARSE (2 * MILLISECOND)
#define STEP (MILLISECOND / 2)
/* ms of one wait, and of one for a socket to be written to, which may be one that connects. */
#define LONGEST 60000
#define LONGEST_WRITE 250
#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

int64_t wait_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

/* The clock goes on. */
int64_t wait_slept(void)
{
    return 0;
}

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

void sockets_begin(void)
{
    static atomic_bool has_begun;
    WSADATA data;
    if (!atomic_load(&has_begun)) /* twice does no harm, too early would */
        atomic_store(&has_begun, WSAStartup(MAKEWORD(2, 2), &data) == 0);
}

/* Before Windows 10 2004, WSAPoll() does not tell of a connection that was refused. */
static bool has_failed(SOCKET socket)
{
    struct timeval at_once = {.tv_sec = 0};
    fd_set failed;
    FD_ZERO(&failed);
    FD_SET(socket, &failed);
    return select(0, NULL, NULL, &failed, &at_once) > 0;
}

static short came(const struct wait_item *item, int events)
{
    if (events & (POLLERR | POLLHUP | POLLNVAL))
        return item->wanted;
    if (events == 0 && item->wanted & WAIT_WRITE && has_failed((SOCKET)item->fd))
        return item->wanted;
    return (short)((events & POLLRDNORM ? WAIT_READ : 0) | (events & POLLWRNORM ? WAIT_WRITE : 0));
}

/* Waits at most that long. How many items something came of, or -1 with errno. */
static int wait_for(struct wait_item *items, size_t count, WSAPOLLFD *polls, int64_t left)
{
    ULONG used = 0;
    int ms = left < LONGEST ? (int)left : LONGEST;
    int ready = 0;
    for (size_t i = 0; i < count; i++) {
        int wanted = items[i].wanted;
        items[i].came = 0;
        if (items[i].fd >= 0 && wanted & WAIT_WRITE && ms > LONGEST_WRITE)
            ms = LONGEST_WRITE;
        if (items[i].fd >= 0)
            polls[used++] = (WSAPOLLFD){
                .fd = (SOCKET)items[i].fd,
                .events = (SHORT)((wanted & WAIT_READ ? POLLRDNORM : 0) | (wanted & WAIT_WRITE ? POLLWRNORM : 0))};
    }
    if (used == 0)
        Sleep((DWORD)ms);
    else if (WSAPoll(polls, used, ms) < 0)
        return errors_set();
    used = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].fd >= 0)
            ready += (items[i].came = came(&items[i], polls[used++].revents)) != 0;
    return ready;
}

static void rest(int64_t time)
{
    const LARGE_INTEGER due = {.QuadPart = -(time / 100)};
    HANDLE timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    if (!timer) /* Windows 10 before 1803 */
        timer = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
    if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    if (timer)
        CloseHandle(timer);
}

int wait_until(struct wait_item *items, size_t count, int64_t deadline)
{
    WSAPOLLFD few[FEW], *polls = count > FEW ? malloc(count * sizeof *polls) : few;
    int ready = -1;
    if (!polls)
        errno = ENOMEM;
    while (polls) {
        int64_t left = deadline - wait_clock(), ms = left > COARSE ? (left - COARSE) / MILLISECOND + 1 : 0;
        ready = wait_for(items, count, polls, ms);
        left = deadline - wait_clock();
        if (ready != 0 || left <= 0)
            break;
        if (left <= COARSE)
            rest(left < STEP ? left : STEP);
    }
    if (polls != few)
        free(polls);
    return ready;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Nothing tells: what Windows says of a pipe counts the bytes that its reader waits for as if they were in it. */
bool wait_can_write(int file)
{
    (void)file;
    return true;
}

/* ---- wake-ups: a socket that sends to itself --------------------------------------------------------------------- */

static bool connect_to_itself(SOCKET socket)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int length = sizeof here;
    u_long is_nonblocking = 1;
    return bind(socket, (struct sockaddr *)&here, sizeof here) == 0 &&
           getsockname(socket, (struct sockaddr *)&here, &length) == 0 &&
           connect(socket, (struct sockaddr *)&here, length) == 0 &&
           ioctlsocket(socket, (long)FIONBIO, &is_nonblocking) == 0;
}

int wake_open(void)
{
    sockets_begin();
    SOCKET wake = WSASocketW(AF_INET, SOCK_DGRAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (wake == INVALID_SOCKET)
        return errors_set();
    if (!connect_to_itself(wake)) {
        errors_set();
        closesocket(wake);
        return -1;
    }
    timeBeginPeriod(1); /* who waits for a wake-up waits for times, too */
    return (int)wake;
}

void wake_up(int wake)
{
    DWORD error = GetLastError();
    send((SOCKET)wake, "", 1, 0);
    SetLastError(error);
}

void wake_take(int wake)
{
    char byte;
    while (recv((SOCKET)wake, &byte, 1, 0) > 0)
        continue;
}

void wake_close(int wake)
{
    closesocket((SOCKET)wake);
    timeEndPeriod(1);
}
