#include "proxy_pair.h"

#include <errno.h>
#include <stdlib.h>

/* Bytes of one direction that wait for the other side: with so many, no more are read. */
#define ROOM ((size_t)64 * 1024)
#define PATIENCE (10 * SECOND) /* for the robot's answer */

/* A direction: from the side that sends in it to the other. */
struct way {
    uint8_t bytes[ROOM];
    size_t begin, end; /* what waits */
    bool ended;        /* its side sends no more */
    bool passed;       /* and the other side knows */
};

struct side {
    struct proxy_pair *pair;
    enum armtap_direction sends;
    int file;
    struct event_watch *watch;
    struct tcp_acknowledging acknowledging;
};

struct proxy_pair {
    struct proxy_pair_wish wish;
    struct side side[2]; /* by the direction that it sends in */
    struct way way[2];
    struct event_timer *timer;
    int64_t passed;  /* when bytes, or an end, last passed, by event_loop_awake() */
    int64_t checked; /* when it was last found that no side has ended, though bytes wait */
    bool connected, over;
};

static enum armtap_direction other(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
}

/* No side is too late while armtap itself stands still. */
static int64_t now_of(const struct proxy_pair *pair)
{
    return event_loop_awake(pair->wish.loop);
}

static bool is_waiting(const struct way *way)
{
    return way->begin < way->end;
}

/* While bytes wait for the other side, or the robot has not answered yet, nothing is read, and an end is not seen. */
static bool has_ended(const struct proxy_pair *pair, enum armtap_direction direction)
{
    const struct way *way = &pair->way[direction];
    bool is_read = pair->connected ? !is_waiting(way) : direction == ARMTAP_FROM_ROBOT;
    return way->ended || (!is_read && tcp_has_ended(pair->side[direction].file));
}

static bool is_ending(const struct proxy_pair *pair)
{
    return has_ended(pair, ARMTAP_TO_ROBOT) || has_ended(pair, ARMTAP_FROM_ROBOT);
}

/* When something is due; EVENT_NEVER: nothing is. */
static int64_t due_of(const struct proxy_pair *pair)
{
    if (!pair->connected)
        return pair->passed + PATIENCE;
    int64_t since = pair->passed > pair->checked ? pair->passed : pair->checked;
    bool may_end = pair->way[0].ended || pair->way[1].ended || is_waiting(&pair->way[0]) || is_waiting(&pair->way[1]);
    return may_end ? since + PROXY_PAIR_LINGER : EVENT_NEVER;
}

static void set_timer(struct proxy_pair *pair)
{
    event_timer_set(pair->timer, event_loop_when_awake(pair->wish.loop, due_of(pair)));
}

static void tell_news(struct proxy_pair *pair, const struct proxy_news *news)
{
    pair->wish.on_news(pair->wish.user, news);
}

/* The user may free the pair now: nothing may be touched afterwards. */
static void end_pair(struct proxy_pair *pair)
{
    pair->over = true;
    tell_news(pair, &(struct proxy_news){.event = PROXY_OVER, .time = tcp_clock()});
}

/* What a side is asked for: to read if nothing waits for the other, to write if something waits for it. */
static void want(struct proxy_pair *pair)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct way *in = &pair->way[i], *out = &pair->way[!i];
        bool reads = pair->connected && !in->ended && in->begin == in->end;
        bool writes = out->begin < out->end || (i == ARMTAP_FROM_ROBOT && !pair->connected);
        if (pair->side[i].watch)
            event_watch_want(pair->side[i].watch, (reads ? EVENT_READ : 0u) | (writes ? EVENT_WRITE : 0u));
    }
}

static void close_side(struct side *side, bool reset)
{
    event_watch_free(side->watch);
    if (side->file >= 0)
        tcp_close(side->file, reset);
    side->watch = NULL;
    side->file = -1;
}

/* One side is gone; the other learns it the same way. */
static void reset(struct proxy_pair *pair, const struct proxy_news *news)
{
    tell_news(pair, news);
    close_side(&pair->side[0], true);
    close_side(&pair->side[1], true);
    end_pair(pair);
}

static void reset_by(struct proxy_pair *pair, enum armtap_direction side, int error)
{
    reset(pair, &(struct proxy_news){.event = PROXY_RESET, .direction = side, .time = tcp_clock(), .error = error});
}

/* Sends what waits. False if the pair is over. */
static bool pass(struct proxy_pair *pair, enum armtap_direction direction)
{
    struct way *way = &pair->way[direction];
    struct side *to = &pair->side[other(direction)];
    while (way->begin < way->end) {
        ssize_t sent = tcp_send(to->file, way->bytes + way->begin, way->end - way->begin);
        to->acknowledging = (struct tcp_acknowledging){.reads = 0};
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (sent < 0) {
            reset_by(pair, to->sends, errno);
            return false;
        }
        way->begin += (size_t)sent;
        pair->passed = now_of(pair);
    }
    way->begin = way->end = 0;
    if (way->ended && !way->passed) {
        tcp_finish(to->file);
        way->passed = true;
    }
    return true;
}

/* False if the pair is over. */
static bool take_bytes(struct proxy_pair *pair, enum armtap_direction direction)
{
    struct way *way = &pair->way[direction];
    struct proxy_news news = {.event = PROXY_BYTES, .direction = direction, .bytes = way->bytes};
    ssize_t came = tcp_receive(pair->side[direction].file, way->bytes, ROOM, &news.time);
    if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return true;
    if (came < 0) {
        reset_by(pair, direction, errno);
        return false;
    }
    way->ended = came == 0;
    pair->passed = now_of(pair);
    way->end = news.length = (size_t)came;
    tcp_acknowledge(pair->side[direction].file, &pair->side[direction].acknowledging);
    bool goes_on = pass(pair, direction);
    if (!goes_on)
        return false;
    news.event = came == 0 ? PROXY_FINISHED : PROXY_BYTES;
    tell_news(pair, &news);
    return true;
}

static void check_end(struct proxy_pair *pair)
{
    if (!pair->way[0].passed || !pair->way[1].passed) {
        want(pair);
        set_timer(pair);
        return;
    }
    close_side(&pair->side[0], false);
    close_side(&pair->side[1], false);
    end_pair(pair);
}

static bool finish_connecting(struct proxy_pair *pair)
{
    int error = tcp_connect_outcome(pair->side[ARMTAP_FROM_ROBOT].file);
    if (error == 0) {
        pair->connected = true;
        tell_news(pair, &(struct proxy_news){.event = PROXY_CONNECTED, .time = tcp_clock()});
        return true;
    }
    enum proxy_event event = error == ETIMEDOUT ? PROXY_UNANSWERED : PROXY_REFUSED;
    reset(pair, &(struct proxy_news){.event = event, .time = tcp_clock(), .error = error});
    return false;
}

static void on_ready(void *user, unsigned events)
{
    const struct side *side = user;
    struct proxy_pair *pair = side->pair;
    enum armtap_direction sends = side->sends;
    if (!pair->connected && !finish_connecting(pair))
        return;
    if ((events & EVENT_WRITE) && !pass(pair, other(sends)))
        return;
    const struct way *way = &pair->way[sends];
    if ((events & EVENT_READ) && !way->ended && way->begin == way->end && !take_bytes(pair, sends))
        return;
    check_end(pair);
}

int64_t proxy_pair_ending_since(const struct proxy_pair *pair)
{
    return is_ending(pair) ? pair->passed : EVENT_NEVER;
}

static void give_up_connecting(struct proxy_pair *pair)
{
    reset(pair, &(struct proxy_news){.event = PROXY_UNANSWERED, .time = tcp_clock(), .error = ETIMEDOUT});
}

void proxy_pair_let_go(struct proxy_pair *pair)
{
    if (!pair->connected) {
        give_up_connecting(pair);
        return;
    }
    enum armtap_direction ended = has_ended(pair, ARMTAP_TO_ROBOT) ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
    reset(pair, &(struct proxy_news){.event = PROXY_LET_GO, .direction = ended, .time = tcp_clock()});
}

static void on_due(void *user)
{
    struct proxy_pair *pair = user;
    if (now_of(pair) < due_of(pair)) /* armtap itself stood still */
        set_timer(pair);
    else if (pair->connected && is_ending(pair))
        proxy_pair_let_go(pair);
    else if (pair->connected) {
        pair->checked = now_of(pair);
        set_timer(pair);
    } else
        give_up_connecting(pair);
}

/* 0, or -1 with errno. */
static int begin_pair(struct proxy_pair *pair)
{
    struct event_loop *loop = pair->wish.loop;
    pair->side[ARMTAP_FROM_ROBOT].file = tcp_connect(pair->wish.robot);
    if (pair->side[ARMTAP_FROM_ROBOT].file < 0)
        return -1;
    pair->timer = event_timer_new(loop, on_due, pair);
    for (unsigned i = 0; i < 2; i++)
        pair->side[i].watch = event_watch_new(loop, pair->side[i].file, on_ready, &pair->side[i]);
    if (!pair->timer || !pair->side[0].watch || !pair->side[1].watch) {
        errno = ENOMEM;
        return -1;
    }
    pair->passed = now_of(pair);
    set_timer(pair);
    want(pair);
    return 0;
}

struct proxy_pair *proxy_pair_new(const struct proxy_pair_wish *wish)
{
    struct proxy_pair *pair = calloc(1, sizeof *pair);
    if (!pair) {
        tcp_close(wish->client, true);
        errno = ENOMEM;
        return NULL;
    }
    pair->wish = *wish;
    for (unsigned i = 0; i < 2; i++)
        pair->side[i] = (struct side){.pair = pair, .sends = (enum armtap_direction)i, .file = -1};
    pair->side[ARMTAP_TO_ROBOT].file = wish->client;
    if (begin_pair(pair) == 0)
        return pair;
    int error = errno;
    close_side(&pair->side[ARMTAP_TO_ROBOT], true);
    proxy_pair_free(pair);
    errno = error;
    return NULL;
}

void proxy_pair_free(struct proxy_pair *pair)
{
    if (!pair)
        return;
    close_side(&pair->side[0], false);
    close_side(&pair->side[1], false);
    event_timer_free(pair->timer);
    free(pair);
}
