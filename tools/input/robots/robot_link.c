#include "robot_link.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printf_format.h"
#include "nanoseconds.h"

/* More would blur the times of bursts: the kernel tells only the last byte's. */
#define READ_MAX 16384
/* Reads whose bytes may wait together. */
#define READS_MAX 64
#define LINE_MAX_BYTES 1024
/* ns: a connection that ends so soon after armtap stood still may have ended for that. */
#define AFTER_STILL (10 * SECOND)

/* Bytes of one read that wait to be taken. */
struct held {
    size_t length;
    int64_t now;  /* by the clock of the link */
    int64_t time; /* when they reached this machine */
};

struct robot_link {
    struct robot_link_wish wish;
    struct event_loop *loop;
    struct event_timer *timer;
    struct event_watch *watch;
    struct armtap_client *client;
    char name[ROBOT_URL_MAX]; /* "rtde://10.0.0.2:30004" */
    int fd;                   /* -1: none */
    bool is_connected;
    size_t at;                      /* which of the robot's addresses */
    int64_t connect_until;          /* while connecting */
    struct tcp_address address[2];  /* of the connection: see struct robot_event */
    char complaint[LINE_MAX_BYTES]; /* why it last had to connect again; "" once data has come */
    bool waited;                    /* the user was told that no data comes */
    bool is_record;                 /* of the next message a record was made */
    bool is_stopping;
    int error; /* the client's last */
    enum robot_link_outcome outcome;
    struct tcp_acknowledging acknowledging;
    struct held held[READS_MAX];
    size_t held_count, held_bytes;
    size_t taken, taken_bytes; /* of these */
    uint8_t bytes[4 * READ_MAX];
};

/* The clock of the link and its client: no deadline passes while armtap itself stands still. */
static int64_t now_of(const struct robot_link *link)
{
    return event_loop_awake(link->loop);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void tell_event(const struct robot_link *link, struct robot_event event)
{
    event.robot = link->wish.number;
    memcpy(event.address, link->address, sizeof event.address);
    link->wish.on_event(link->wish.user, &event);
}

static void tell_now(struct robot_link *link, enum robot_event_kind kind)
{
    tell_event(link, (struct robot_event){.kind = kind, .time = tcp_clock()});
}

PRINTF_FORMAT(3, 4) static void say(struct robot_link *link, enum armtap_severity severity, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list arguments;
    int length = snprintf(line, sizeof line, "%s: ", link->name);
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
    va_end(arguments);
    tell_event(link, (struct robot_event){.kind = ROBOT_SAID,
                                          .time = tcp_clock(),
                                          .severity = severity,
                                          .bytes = (const uint8_t *)line,
                                          .length = strlen(line)});
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct robot_link *link = user;
    if (link->wish.is_companion && message->skipped)
        return 0;
    tell_event(link, (struct robot_event){.kind = ROBOT_BYTES,
                                          .time = message->where.time,
                                          .direction = message->direction,
                                          .is_record = link->is_record,
                                          .bytes = message->bytes,
                                          .length = message->length});
    link->is_record = false;
    return 0;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct robot_link *link = user;
    link->is_record = record->direction == ARMTAP_FROM_ROBOT;
    return link->wish.on_record ? link->wish.on_record(link->wish.user, record) : 0;
}

/* ---- what the user reads ----------------------------------------------------------------------------------------- */

/* What was agreed, in one line. */
static void say_started(struct robot_link *link)
{
    const struct armtap_client_agreement *agreed = armtap_client_agreement(link->client);
    char rate[40] = "", release[48] = "";
    size_t count = agreed->recipe ? armtap_recipe_count(agreed->recipe) : 0;
    if (agreed->frequency > 0)
        snprintf(rate, sizeof rate, ", asked for %.6g Hz", agreed->frequency);
    if (agreed->controller_version[0] != '\0')
        snprintf(release, sizeof release, ", controller %s", agreed->controller_version);
    say(link, ARMTAP_INFO, "connected: RTDE protocol %d%s, %zu field%s%s", agreed->version, release, count,
        count == 1 ? "" : "s", rate);
}

/* Why it must connect again; once only, as long as the reason stays. */
static void say_lost(struct robot_link *link, const char *reason)
{
    int64_t still = event_loop_stood_still(link->loop, AFTER_STILL);
    char cause[80] = "";
    if (strcmp(link->complaint, reason) == 0)
        return;
    if (still > 0)
        snprintf(cause, sizeof cause, ", right after armtap itself stood still for %.1f s", (double)still / 1e9);
    snprintf(link->complaint, sizeof link->complaint, "%s", reason);
    say(link, ARMTAP_WARNING, "%s%s%s", reason, cause,
        link->wish.is_companion ? "" : "; trying again until it works, Ctrl-C ends it");
}

/* Another protocol is at this port: which URL reads it, or, where none does, the protocol's own port that was meant. */
static void say_gave_up(struct robot_link *link, const char *reason)
{
    char url[ROBOT_URL_MAX];
    const struct robot_address *address = link->wish.address;
    enum armtap_protocol answers = armtap_client_agreement(link->client)->answers;
    const struct robot_scheme *there = robot_scheme_of(answers), *wanted = robot_scheme_of(address->protocol);
    if (answers == ARMTAP_PROTOCOL_NONE) {
        say(link, ARMTAP_ERROR, "%s", reason);
        return;
    }
    robot_url(url, there ? there : wanted, address->host, there ? address->port : wanted->port);
    say(link, ARMTAP_ERROR, "%s: use %s", reason, url);
}

static void say_verdict(struct robot_link *link, const struct armtap_client_event *event)
{
    enum armtap_client_decision what = armtap_client_verdict(link->client)->what;
    if (what == ARMTAP_CLIENT_GIVE_UP)
        say_gave_up(link, event->text);
    else if (what == ARMTAP_CLIENT_RECONNECT)
        say_lost(link, event->text);
}

/* Data that comes as expected is not worth a line. */
static void say_data(struct robot_link *link)
{
    bool expected = link->complaint[0] == '\0' && !link->waited;
    link->complaint[0] = '\0';
    link->waited = false;
    if (!expected)
        say(link, ARMTAP_INFO, "data arrives again");
}

static int on_client(void *user, const struct armtap_client_event *event)
{
    struct robot_link *link = user;
    switch (event->type) {
    case ARMTAP_CLIENT_EVENT_CONNECTED:
        if (link->wish.address->protocol != ARMTAP_RTDE && link->complaint[0] == '\0')
            say(link, ARMTAP_INFO, "connected");
        break;
    case ARMTAP_CLIENT_EVENT_STARTED:
        say_started(link);
        break;
    case ARMTAP_CLIENT_EVENT_DATA:
        say_data(link);
        break;
    case ARMTAP_CLIENT_EVENT_VERDICT:
        say_verdict(link, event);
        break;
    case ARMTAP_CLIENT_EVENT_WAITING:
        link->waited = true;
        say(link, event->severity, "%s", event->text);
        break;
    default:
        say(link, event->severity, "%s", event->text);
    }
    return 0;
}

/* ---- the connection ---------------------------------------------------------------------------------------------- */

static void close_socket(struct robot_link *link)
{
    event_watch_free(link->watch);
    if (link->fd >= 0)
        tcp_close(link->fd, false);
    link->watch = NULL;
    link->fd = -1;
    link->is_connected = false;
}

static void tell_closed(struct robot_link *link, enum armtap_direction direction, bool reset, int64_t time)
{
    tell_event(
        link,
        (struct robot_event){
            .kind = ROBOT_CLOSED, .time = time, .direction = direction, .reset = reset, .is_end = link->is_stopping});
}

int64_t robot_link_waiting_time(const struct robot_link *link)
{
    return link->taken < link->held_count ? link->held[link->taken].time : ARMTAP_NO_TIME;
}

void robot_link_take(struct robot_link *link)
{
    const struct held *held = &link->held[link->taken++];
    const uint8_t *bytes = link->bytes + link->taken_bytes;
    struct armtap_where where = {.size = sizeof where, .time = held->time};
    link->taken_bytes += held->length;
    link->error = armtap_client_receive(link->client, bytes, held->length, held->now, &where);
    if (link->taken == link->held_count)
        link->held_count = link->held_bytes = link->taken = link->taken_bytes = 0;
}

static void take_held(struct robot_link *link)
{
    if (link->held_count > 0 && link->wish.take_all)
        link->wish.take_all(link->wish.user);
    while (link->held_count > 0)
        robot_link_take(link);
}

/* The connection is over. Where the robot answers no more, the system gives the connection up with a RST, which is told
 * as ours. */
static void disconnect(struct robot_link *link, enum armtap_client_end how)
{
    take_held(link);
    struct armtap_where where = {.size = sizeof where, .time = tcp_clock()};
    bool by_robot = how == ARMTAP_CLIENT_CLOSED_BY_ROBOT || how == ARMTAP_CLIENT_RESET;
    link->error = armtap_client_closed(link->client, now_of(link), how, &where);
    if (by_robot)
        tell_closed(link, ARMTAP_FROM_ROBOT, how == ARMTAP_CLIENT_RESET, where.time);
    if (how != ARMTAP_CLIENT_RESET)
        tell_closed(link, ARMTAP_TO_ROBOT, how == ARMTAP_CLIENT_DEAD, where.time);
    close_socket(link);
}

static void end_link(struct robot_link *link, enum robot_link_outcome outcome)
{
    if (link->outcome != ROBOT_LINK_GOES_ON)
        return;
    link->outcome = outcome;
    event_timer_set(link->timer, EVENT_NEVER);
    close_socket(link);
    if (link->wish.on_end)
        link->wish.on_end(link->wish.user);
}

static enum armtap_client_end end_of_errno(int error)
{
    return error == ECONNRESET || error == EPIPE ? ARMTAP_CLIENT_RESET : ARMTAP_CLIENT_DEAD;
}

/* Sends what the client wants sent, as far as the socket takes it. The time is taken before: an answer may be quicker
 * than a clock read afterwards. */
static void send_all(struct robot_link *link)
{
    const void *bytes;
    size_t length;
    unsigned wanted = EVENT_READ;
    while (link->is_connected && (length = armtap_client_send(link->client, &bytes)) > 0) {
        struct armtap_where where = {.size = sizeof where, .time = tcp_clock()};
        ssize_t sent = tcp_send(link->fd, bytes, length);
        link->acknowledging = (struct tcp_acknowledging){.reads = 0};
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            wanted |= EVENT_WRITE;
            break;
        }
        if (sent < 0)
            disconnect(link, end_of_errno(errno));
        else
            link->error = armtap_client_sent(link->client, (size_t)sent, now_of(link), &where);
    }
    if (link->is_connected)
        event_watch_want(link->watch, wanted);
}

/* When something is due next. */
static int64_t next_time(const struct robot_link *link, const struct armtap_client_verdict *verdict)
{
    int64_t due = armtap_client_deadline(link->client), other = EVENT_NEVER;
    if (link->held_count > 0)
        other = link->held[0].now + link->wish.patience;
    else if (link->fd >= 0 && !link->is_connected)
        other = link->connect_until;
    else if (verdict->what == ARMTAP_CLIENT_RECONNECT)
        other = verdict->at;
    return event_loop_when_awake(link->loop, due < other ? due : other);
}

/* Does as the client wants, after each call of it. */
static void obey(struct robot_link *link)
{
    if (link->outcome != ROBOT_LINK_GOES_ON)
        return;
    send_all(link);
    const struct armtap_client_verdict *verdict = armtap_client_verdict(link->client);
    if (verdict->what != ARMTAP_CLIENT_GO_ON && link->is_connected)
        disconnect(link, ARMTAP_CLIENT_CLOSED_HERE);
    if (verdict->what == ARMTAP_CLIENT_DONE)
        end_link(link, ROBOT_LINK_STOPPED);
    else if (verdict->what == ARMTAP_CLIENT_GIVE_UP)
        end_link(link, link->error == ARMTAP_ERR_MEMORY ? ROBOT_LINK_NO_MEMORY : ROBOT_LINK_GAVE_UP);
    else
        event_timer_set(link->timer, next_time(link, verdict));
}

/* ---- connecting -------------------------------------------------------------------------------------------------- */

static void try_address(struct robot_link *link);

static enum armtap_client_failure failure_of(int error)
{
    switch (error) {
    case ECONNREFUSED:
        return ARMTAP_CLIENT_REFUSED;
    case ETIMEDOUT:
        return ARMTAP_CLIENT_NO_ANSWER;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
        return ARMTAP_CLIENT_UNREACHABLE;
    default:
        return ARMTAP_CLIENT_FAILED;
    }
}

/* What users may look for; otherwise what the system says. */
static const char *detail_of(const struct robot_link *link, enum armtap_client_failure failure, int error)
{
    switch (failure) {
    case ARMTAP_CLIENT_REFUSED:
        return robot_scheme_of(link->wish.address->protocol)->when_refused;
    case ARMTAP_CLIENT_NO_ANSWER:
        return "is it on, is the address right, and may this network reach it?";
    case ARMTAP_CLIENT_UNREACHABLE:
        return NULL;
    default:
        return strerror(error);
    }
}

/* An attempt failed: the next of the robot's addresses has its turn, after the last one the client says when. */
static void fail(struct robot_link *link, int error)
{
    enum armtap_client_failure failure = failure_of(error);
    if (link->fd >= 0 && failure == ARMTAP_CLIENT_REFUSED)
        tell_now(link, ROBOT_REFUSED);
    if (link->fd >= 0 && failure == ARMTAP_CLIENT_NO_ANSWER)
        tell_now(link, ROBOT_UNANSWERED);
    close_socket(link);
    if (++link->at < link->wish.address->count) {
        try_address(link);
        return;
    }
    link->at = 0;
    link->error = armtap_client_failed(link->client, now_of(link), failure, detail_of(link, failure, error));
}

static void succeed(struct robot_link *link)
{
    struct armtap_where where = {.size = sizeof where, .time = tcp_clock()};
    link->is_connected = true;
    link->acknowledging = (struct tcp_acknowledging){.reads = 0};
    tcp_local_address(link->fd, &link->address[ARMTAP_TO_ROBOT]);
    tell_event(link, (struct robot_event){.kind = ROBOT_OPENED, .time = where.time});
    link->error = armtap_client_connected(link->client, now_of(link), &where);
}

/* Whether data waits for more: messages taken in a row, by code that is in the processor's caches, cost a fraction of
 * messages taken one by one. While the client sets up or ends something, nothing waits. */
static bool may_wait(const struct robot_link *link)
{
    return link->held_count > 0 && link->held_count < READS_MAX && link->held_bytes + READ_MAX <= sizeof link->bytes &&
           armtap_client_state(link->client) == ARMTAP_CLIENT_STATE_STREAMING &&
           now_of(link) - link->held[0].now < link->wish.patience;
}

static void receive(struct robot_link *link)
{
    int64_t time;
    ssize_t length = tcp_receive(link->fd, link->bytes + link->held_bytes, READ_MAX, &time);
    if (length > 0) {
        tcp_acknowledge(link->fd, &link->acknowledging);
        link->held[link->held_count++] = (struct held){(size_t)length, now_of(link), time};
        link->held_bytes += (size_t)length;
    } else if (length == 0)
        disconnect(link, ARMTAP_CLIENT_CLOSED_BY_ROBOT);
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        disconnect(link, end_of_errno(errno));
}

static void connect_or_fail(struct robot_link *link)
{
    int error = tcp_connect_outcome(link->fd);
    if (error && error != ECONNRESET)
        fail(link, error);
    else
        succeed(link);
    if (error == ECONNRESET) /* right after the connection stood */
        disconnect(link, ARMTAP_CLIENT_RESET);
}

static void on_ready(void *user, unsigned events)
{
    struct robot_link *link = user;
    bool is_first = link->held_count == 0;
    if (!link->is_connected)
        connect_or_fail(link);
    else if (events & EVENT_READ)
        receive(link);
    if (may_wait(link) && !is_first)
        return;
    if (!may_wait(link))
        take_held(link);
    obey(link);
}

static void try_address(struct robot_link *link)
{
    const struct tcp_address *robot = &link->wish.address->addresses[link->at];
    link->address[ARMTAP_FROM_ROBOT] = *robot;
    link->connect_until = now_of(link) + ARMTAP_CLIENT_CONNECT_TIME;
    link->fd = tcp_connect(robot);
    if (link->fd < 0) {
        fail(link, errno);
        return;
    }
    tcp_local_address(link->fd, &link->address[ARMTAP_TO_ROBOT]);
    link->watch = event_watch_new(link->loop, link->fd, on_ready, link);
    if (link->watch)
        event_watch_want(link->watch, EVENT_WRITE);
    else
        end_link(link, ROBOT_LINK_NO_MEMORY);
}

static void on_due(void *user)
{
    struct robot_link *link = user;
    int64_t now = now_of(link);
    const struct armtap_client_verdict *verdict = armtap_client_verdict(link->client);
    take_held(link);
    if (link->fd >= 0 && !link->is_connected && now >= link->connect_until)
        fail(link, ETIMEDOUT);
    link->error = armtap_client_expire(link->client, now);
    if (link->fd < 0 && verdict->what == ARMTAP_CLIENT_RECONNECT && now >= verdict->at)
        try_address(link);
    obey(link);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void name_link(struct robot_link *link)
{
    const struct robot_address *address = link->wish.address;
    robot_url(link->name, robot_scheme_of(address->protocol), address->host, address->port);
}

static int make_client(struct robot_link *link)
{
    char robot[TCP_ADDRESS_MAX];
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .on_message = on_message};
    struct armtap_client_options options = *link->wish.client;
    tcp_address_text(&link->wish.address->addresses[0], robot);
    options.size = sizeof options;
    options.protocol = link->wish.address->protocol;
    options.robot = robot;
    options.client = NULL;
    options.on_event = on_client;
    if (link->wish.is_companion)
        options.give_up = 0;
    return armtap_client_new(&options, &sink, link, &link->client);
}

struct robot_link *robot_link_new(struct event_loop *loop, const struct robot_link_wish *wish)
{
    struct robot_link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    link->wish = *wish;
    link->loop = loop;
    link->fd = -1;
    name_link(link);
    link->timer = event_timer_new(loop, on_due, link);
    if (!link->timer || make_client(link) != ARMTAP_OK) {
        robot_link_free(link);
        return NULL;
    }
    event_timer_set(link->timer, event_loop_now(loop));
    return link;
}

void robot_link_free(struct robot_link *link)
{
    if (!link)
        return;
    close_socket(link);
    event_timer_free(link->timer);
    armtap_client_free(link->client);
    free(link);
}

void robot_link_stop(struct robot_link *link)
{
    if (link->outcome != ROBOT_LINK_GOES_ON)
        return;
    take_held(link);
    link->is_stopping = true;
    link->error = armtap_client_stop(link->client, now_of(link));
    obey(link);
}

enum robot_link_outcome robot_link_outcome(const struct robot_link *link)
{
    return link->outcome;
}
