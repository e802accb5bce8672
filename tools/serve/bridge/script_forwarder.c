#define _POSIX_C_SOURCE 200809L
#include "bridge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printf_format.h"
#include "base/process/message.h"
#include "base/text/buffer.h"
#include "nanoseconds.h"

/* Without an answer for so long, the robot cannot be reached. */
#define CONNECT_TIME (2 * SECOND)
/* Nor if it acknowledges nothing for so long. */
#define ACKNOWLEDGE_TIME (2 * SECOND)
/* After an attempt to connect that failed. */
#define RETRY_TIME (5 * SECOND)
/* Lines about programs; a client may send thousands. */
#define LINES_MAX 200u
#define LINE_MAX 400
#define FIRST_LINE 60

struct script_forwarder {
    struct event_loop *loop;
    struct event_watch *watch;
    struct event_timer *timer;
    struct tcp_address robot;
    char name[TCP_ADDRESS_MAX];
    int fd; /* -1: not connected */
    bool connecting;
    int64_t not_before; /* of the next attempt to connect */
    struct buffer waiting;
    size_t lengths[SCRIPT_WAITING_PROGRAMS];
    size_t first, count; /* of the programs that wait, in the ring `lengths` */
    size_t sent;         /* bytes of the first that were handed to the system */
    unsigned lines;
    uint64_t passed_on, dropped;
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

PRINTF_FORMAT(2, 3) static void say(struct script_forwarder *forwarder, const char *format, ...)
{
    char line[LINE_MAX];
    va_list arguments;
    if (forwarder->lines++ > LINES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    message_info("%s: %s", forwarder->name, line);
    if (forwarder->lines == LINES_MAX)
        message_info("%s: further lines about programs are omitted; their number is shown at the end", forwarder->name);
}

/* ---- programs that wait ------------------------------------------------------------------------------------------ */

/* Why a program of that length cannot wait; NULL: it can. */
static const char *cannot_wait(struct script_forwarder *forwarder, size_t length)
{
    if (forwarder->count == SCRIPT_WAITING_PROGRAMS || forwarder->waiting.length + length > SCRIPT_WAITING_MAX)
        return "too many programs are already waiting, which the robot does not accept";
    return buffer_room(&forwarder->waiting, length) ? NULL : "out of memory";
}

static void add_waiting(struct script_forwarder *forwarder, const char *program, size_t length)
{
    buffer_put(&forwarder->waiting, program, length);
    forwarder->lengths[(forwarder->first + forwarder->count++) % SCRIPT_WAITING_PROGRAMS] = length;
}

/* The first program was handed to the system. */
static void remove_first(struct script_forwarder *forwarder)
{
    struct buffer *waiting = &forwarder->waiting;
    size_t length = forwarder->lengths[forwarder->first];
    waiting->length -= length;
    memmove(waiting->data, waiting->data + length, waiting->length);
    forwarder->first = (forwarder->first + 1) % SCRIPT_WAITING_PROGRAMS;
    forwarder->count--;
    forwarder->sent = 0;
    forwarder->passed_on++;
}

static void drop_waiting(struct script_forwarder *forwarder)
{
    forwarder->dropped += forwarder->count;
    forwarder->waiting.length = forwarder->count = forwarder->sent = 0;
}

/* ---- the connection ---------------------------------------------------------------------------------------------- */

/* Says what is known about the programs when a connection is lost. */
static void say_loss(struct script_forwarder *forwarder, const char *reason, size_t unacknowledged)
{
    if (unacknowledged > 0)
        say(forwarder,
            "%s; the robot did not acknowledge the last %zu bytes of script: whether it runs them is unknown", reason,
            unacknowledged);
    else
        say(forwarder, "%s%s", reason, forwarder->count > 0 ? "" : "; the next program opens it again");
    if (forwarder->sent > 0)
        say(forwarder, "a program was sent without its end, %zu of %zu bytes", forwarder->sent,
            forwarder->lengths[forwarder->first]);
    if (forwarder->count > 0)
        say(forwarder,
            "%zu program%s not sent: check that the robot is in remote control and that port %d is enabled (Settings > "
            "Security > Services)",
            forwarder->count, forwarder->count == 1 ? " was" : "s were", SCRIPT_PORT);
}

/* With `reset` the system sends nothing more of what it holds. */
static void disconnect(struct script_forwarder *forwarder, bool reset)
{
    event_timer_set(forwarder->timer, EVENT_NEVER);
    event_watch_free(forwarder->watch);
    forwarder->watch = NULL;
    if (forwarder->fd >= 0)
        tcp_close(forwarder->fd, reset);
    forwarder->fd = -1;
    forwarder->connecting = false;
}

static void lose(struct script_forwarder *forwarder, const char *reason)
{
    say_loss(forwarder, reason, forwarder->connecting || forwarder->fd < 0 ? 0 : tcp_unacknowledged(forwarder->fd));
    if (forwarder->connecting || forwarder->fd < 0)
        forwarder->not_before = event_clock() + RETRY_TIME;
    drop_waiting(forwarder);
    disconnect(forwarder, true);
}

static void send_waiting(struct script_forwarder *forwarder)
{
    while (forwarder->count > 0) {
        ssize_t sent = tcp_send(forwarder->fd, forwarder->waiting.data + forwarder->sent,
                                forwarder->lengths[forwarder->first] - forwarder->sent);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            lose(forwarder, strerror(errno));
            return;
        }
        if (sent < 0)
            break;
        forwarder->sent += (size_t)sent;
        if (forwarder->sent == forwarder->lengths[forwarder->first])
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
        lose(forwarder, "closed by the robot");
    else if (got < 0 && errno != EAGAIN && errno != EINTR)
        lose(forwarder, strerror(errno));
}

static void on_ready(void *user, unsigned events)
{
    struct script_forwarder *forwarder = user;
    if (forwarder->connecting) {
        int error = tcp_connect_outcome(forwarder->fd);
        if (error != 0) {
            lose(forwarder, strerror(error));
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
    lose(user, "no answer");
}

static void connect_to_robot(struct script_forwarder *forwarder)
{
    forwarder->fd = tcp_connect(&forwarder->robot);
    if (forwarder->fd < 0) {
        lose(forwarder, strerror(errno));
        return;
    }
    forwarder->connecting = true;
    tcp_limit_unacknowledged(forwarder->fd, ACKNOWLEDGE_TIME);
    forwarder->watch = event_watch_new(forwarder->loop, forwarder->fd, on_ready, forwarder);
    if (!forwarder->watch) {
        lose(forwarder, strerror(ENOMEM));
        return;
    }
    event_watch_want(forwarder->watch, EVENT_WRITE);
    event_timer_set(forwarder->timer, event_clock() + CONNECT_TIME);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

void script_forwarder_refuse(struct script_forwarder *forwarder, const char *client, size_t length, const char *reason)
{
    forwarder->dropped++;
    say(forwarder, "%zu bytes of script from %s were dropped: %s", length, client, reason);
}

void script_forwarder_send(struct script_forwarder *forwarder, const char *client, const char *program, size_t length)
{
    const char *newline = memchr(program, '\n', length);
    size_t first = newline ? (size_t)(newline - program) : length;
    const char *problem = cannot_wait(forwarder, length);
    if (forwarder->fd < 0 && event_clock() < forwarder->not_before)
        problem = "the last attempt to connect failed less than 5 s ago";
    if (problem) {
        script_forwarder_refuse(forwarder, client, length, problem);
        return;
    }
    say(forwarder, "forwards %zu bytes of script from %s: %.*s%s", length, client,
        (int)(first < FIRST_LINE ? first : FIRST_LINE), program, first + 2 < length ? " ..." : "");
    add_waiting(forwarder, program, length);
    if (forwarder->fd < 0)
        connect_to_robot(forwarder);
    else if (!forwarder->connecting)
        send_waiting(forwarder);
}

void script_forwarder_abort(struct script_forwarder *forwarder, const char *reason)
{
    bool idle = forwarder->count == 0 && (forwarder->fd < 0 || tcp_unacknowledged(forwarder->fd) == 0);
    if (!idle)
        lose(forwarder, reason);
    disconnect(forwarder, false);
}

void script_forwarder_free(struct script_forwarder *forwarder)
{
    if (!forwarder)
        return;
    script_forwarder_abort(forwarder, "the bridge stops");
    if (forwarder->passed_on + forwarder->dropped > 0)
        message_info("%s: %" PRIu64 " program%s forwarded, %" PRIu64 " dropped", forwarder->name, forwarder->passed_on,
                     forwarder->passed_on == 1 ? "" : "s", forwarder->dropped);
    event_timer_free(forwarder->timer);
    free(forwarder->waiting.data);
    free(forwarder);
}
