#define _POSIX_C_SOURCE 200809L
#include "script_forwarder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

#define SECOND INT64_C(1000000000)
/* Without an answer for so long, the robot cannot be reached. */
#define CONNECT_TIME (2 * SECOND)
/* Between two attempts to connect. */
#define RETRY_TIME (5 * SECOND)

struct script_forwarder {
    struct event_loop *loop;
    struct event_watch *watch;
    struct event_timer *timer;
    struct tcp_address robot;
    char name[TCP_ADDRESS_MAX];
    int fd; /* -1: not connected */
    bool connecting;
    int64_t not_before; /* of the next attempt to connect */
    char *waiting;
    size_t length, sent; /* `sent` bytes of the first program are on their way */
    size_t *programs;    /* lengths of those that wait */
    size_t count, room;
};

static void on_ready(void *user, unsigned events);
static void on_due(void *user);

struct script_forwarder *script_forwarder_new(struct event_loop *loop, const struct tcp_address *robot)
{
    struct script_forwarder *forwarder = calloc(1, sizeof *forwarder);
    if (!forwarder)
        return NULL;
    forwarder->loop = loop;
    forwarder->robot = *robot;
    forwarder->fd = -1;
    tcp_address_set_port(&forwarder->robot, SCRIPT_PORT);
    tcp_address_text(&forwarder->robot, forwarder->name);
    forwarder->timer = event_timer_new(loop, on_due, forwarder);
    if (forwarder->timer)
        return forwarder;
    free(forwarder);
    return NULL;
}

/* ---- programs that wait ------------------------------------------------------------------------------------------ */

static int add_waiting(struct script_forwarder *forwarder, const char *program, size_t length)
{
    if (forwarder->count == forwarder->room) {
        size_t room = forwarder->room == 0 ? 16 : 2 * forwarder->room;
        size_t *programs = realloc(forwarder->programs, room * sizeof *programs);
        if (!programs)
            return -1;
        forwarder->programs = programs;
        forwarder->room = room;
    }
    char *waiting = realloc(forwarder->waiting, forwarder->length + length);
    if (!waiting)
        return -1;
    memcpy(waiting + forwarder->length, program, length);
    forwarder->waiting = waiting;
    forwarder->length += length;
    forwarder->programs[forwarder->count++] = length;
    return 0;
}

/* Forgets the first program: it was sent, or will not be. */
static void remove_first(struct script_forwarder *forwarder)
{
    size_t first = forwarder->programs[0];
    forwarder->count--;
    memmove(forwarder->programs, forwarder->programs + 1, forwarder->count * sizeof *forwarder->programs);
    forwarder->length -= first;
    memmove(forwarder->waiting, forwarder->waiting + first, forwarder->length);
    forwarder->sent = 0;
}

/* ---- the connection ---------------------------------------------------------------------------------------------- */

static void disconnect(struct script_forwarder *forwarder)
{
    event_watch_free(forwarder->watch);
    forwarder->watch = NULL;
    if (forwarder->fd >= 0)
        tcp_close(forwarder->fd, false);
    forwarder->fd = -1;
    forwarder->connecting = false;
}

/* The connection is lost. What waits is dropped, not sent later: by then it would move a robot that nobody expects to
 * move. */
static void give_up(struct script_forwarder *forwarder, const char *reason)
{
    if (forwarder->sent > 0)
        message_warning("%s: %s after %zu of %zu bytes of a program; the controller does not run one without its end",
                        forwarder->name, reason, forwarder->sent, forwarder->programs[0]);
    else if (forwarder->count > 0)
        message_warning("%s: %s; %zu program%s not sent: check that the robot is in remote control and that port %d "
                        "is enabled (Settings > Security > Services)",
                        forwarder->name, reason, forwarder->count, forwarder->count == 1 ? " was" : "s were",
                        SCRIPT_PORT);
    else
        message_warning("%s: %s; the next program opens it again", forwarder->name, reason);
    forwarder->count = forwarder->length = forwarder->sent = 0;
    forwarder->not_before = event_clock() + RETRY_TIME;
    event_timer_set(forwarder->timer, EVENT_NEVER);
    disconnect(forwarder);
}

static void send_waiting(struct script_forwarder *forwarder)
{
    while (forwarder->count > 0) {
        ssize_t sent =
            tcp_send(forwarder->fd, forwarder->waiting + forwarder->sent, forwarder->programs[0] - forwarder->sent);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            give_up(forwarder, strerror(errno));
            return;
        }
        if (sent < 0)
            break;
        forwarder->sent += (size_t)sent;
        if (forwarder->sent == forwarder->programs[0])
            remove_first(forwarder);
    }
    event_watch_want(forwarder->watch, forwarder->count > 0 ? EVENT_READ | EVENT_WRITE : EVENT_READ);
}

/* Reads what the robot says, which nobody needs: it stops sending to one who does not read. */
static void drain(struct script_forwarder *forwarder)
{
    char bytes[4096];
    int64_t time;
    ssize_t got = tcp_receive(forwarder->fd, bytes, sizeof bytes, &time);
    if (got == 0)
        give_up(forwarder, "closed by the robot");
    else if (got < 0 && errno != EAGAIN && errno != EINTR)
        give_up(forwarder, strerror(errno));
}

static void on_ready(void *user, unsigned events)
{
    struct script_forwarder *forwarder = user;
    if (forwarder->connecting) {
        int error = tcp_connect_outcome(forwarder->fd);
        if (error != 0) {
            give_up(forwarder, strerror(error));
            return;
        }
        forwarder->connecting = false;
        event_timer_set(forwarder->timer, EVENT_NEVER);
    }
    if (events & EVENT_READ)
        drain(forwarder);
    if (forwarder->fd >= 0)
        send_waiting(forwarder);
}

static void on_due(void *user)
{
    give_up(user, "no answer");
}

static int connect_to_robot(struct script_forwarder *forwarder)
{
    forwarder->fd = tcp_connect(&forwarder->robot);
    if (forwarder->fd < 0) {
        give_up(forwarder, strerror(errno));
        return -1;
    }
    forwarder->watch = event_watch_new(forwarder->loop, forwarder->fd, on_ready, forwarder);
    if (!forwarder->watch) {
        give_up(forwarder, strerror(ENOMEM));
        return -1;
    }
    event_watch_want(forwarder->watch, EVENT_WRITE);
    event_timer_set(forwarder->timer, event_clock() + CONNECT_TIME);
    forwarder->connecting = true;
    return 0;
}

int script_forwarder_send(struct script_forwarder *forwarder, const char *program, size_t length)
{
    if (forwarder->fd < 0 && event_clock() < forwarder->not_before) {
        message_warning("%s: a program of %zu bytes was dropped: the robot did not take the last one", forwarder->name,
                        length);
        return -1;
    }
    if (forwarder->length + length > SCRIPT_WAITING_MAX || add_waiting(forwarder, program, length) != 0) {
        message_warning("%s: a program of %zu bytes was dropped: %zu bytes wait already, which the robot does not "
                        "take",
                        forwarder->name, length, forwarder->length);
        return -1;
    }
    if (forwarder->fd < 0)
        return connect_to_robot(forwarder);
    if (!forwarder->connecting)
        send_waiting(forwarder);
    return 0;
}

void script_forwarder_free(struct script_forwarder *forwarder)
{
    if (!forwarder)
        return;
    if (forwarder->count > 0)
        give_up(forwarder, "ended");
    disconnect(forwarder);
    event_timer_free(forwarder->timer);
    free(forwarder->programs);
    free(forwarder->waiting);
    free(forwarder);
}
