#include "timeline.h"

#include "base/process/message.h"
#include "serve/recording/far_times.h"
#include "nanoseconds.h"

#define TICKS_AT_ONCE 64u /* then others get their turn */
#define GAPS_SHOWN 20u
/* Without clients nobody needs ticks one by one. */
#define UNSEEN (SECOND / 10)
/* Between looks whether clients have read to the end. */
#define LOOK (SECOND / 20)
/* For good-byes at the end: a client that got its last record asks for a pause, and wants the reply. */
#define PARTING SECOND
/* For the first client's requests: it shall not miss the beginning. */
#define SETTING_UP SECOND
/* Between ticks without news, for imitations that speak of their own accord. */
#define IDLE (SECOND / 10)

/* When to look for ticks if the thread's wake-up is lost. */
#define AGAIN SECOND

static void on_due(void *user)
{
    player_go_on(user);
}

/* Whether nothing is played because nobody wants it. */
static bool is_idle(const struct player *player)
{
    bool wanted = clients_want_data(player->clients);
    return !wanted && (player->is_waiting || player->at_most) && player->ending == 0;
}

/* Only while there are clients: without any, nothing wakes the program. */
static void set_idle(struct player *player)
{
    bool speaks = is_idle(player) && clients_count(player->clients) > 0;
    event_timer_set(player->idle, speaks ? event_loop_now(player->loop) + IDLE : EVENT_NEVER);
}

static void on_idle(void *user)
{
    struct player *player = user;
    const struct tick tick = {.time = event_loop_now(player->loop)};
    if (is_idle(player))
        clients_tick(player->clients, &tick);
    set_idle(player);
}

int player_begin(struct player *player)
{
    player->timer = event_timer_new(player->loop, on_due, player);
    player->idle = event_timer_new(player->loop, on_idle, player);
    return player->timer && player->idle ? 0 : -1;
}

void player_end(struct player *player)
{
    event_timer_free(player->timer);
    event_timer_free(player->idle);
}

void player_start(struct player *player)
{
    player->is_waiting = false;
    player_go_on(player);
}

static int64_t due_time(struct player *player, const struct tick *tick)
{
    if (!player->has_base) {
        player->base = far_difference(event_loop_now(player->loop), far_time((double)tick->time / player->speed));
        player->has_base = true;
    }
    return far_sum(player->base, far_time((double)tick->time / player->speed));
}

/* Whether the tick must wait; sets the timer if time alone is missing. */
static bool must_wait(struct player *player, const struct tick *tick, unsigned played)
{
    int64_t now = event_loop_now(player->loop), due = player->at_most ? now : due_time(player, tick);
    if (player->at_most &&
        (!clients_want_data(player->clients) || !clients_have_room(player->clients, tick->message_length)))
        return true;
    if (due <= now && played < TICKS_AT_ONCE)
        return false;
    bool unseen = clients_count(player->clients) == 0 && due > now && due < now + UNSEEN;
    event_timer_set(player->timer, unseen ? now + UNSEEN : due);
    return true;
}

/* Whether clients may still read what waits for them, or say good-bye. */
static bool lingers(struct player *player, int64_t now)
{
    if (player->ending == 0)
        player->ending = now + CLIENTS_PATIENCE;
    if (now >= player->ending || clients_count(player->clients) == 0)
        return false;
    if (!clients_are_flushed(player->clients))
        return true;
    if (player->parting == 0)
        player->parting = now + PARTING;
    return now < player->parting;
}

static void finish(struct player *player)
{
    int64_t now = event_loop_now(player->loop);
    if (lingers(player, now)) {
        event_timer_set(player->timer, now + LOOK);
        return;
    }
    clients_close(player->clients, false,
                  timeline_has_failed(player->timeline) ? "closed: the rest of the capture cannot be read"
                                                        : "closed: the capture ends");
    event_loop_stop(player->loop);
}

/* Says where no telemetry was captured; not for ever, as rounds repeat the same gaps. */
static void say_gap(struct player *player, const struct tick *tick)
{
    char date[MOMENT_MAX];
    moment_text(&player->moments, tick->captured, date);
    if (tick->is_silent)
        message_info("from %s on nothing was captured: %s", date, player->silence);
    else if (tick->is_repeated)
        message_info("from %s on nothing was captured: simulated, the last values are repeated with a running clock",
                     date);
    else
        message_info("from %s on captured records again, after %.1f s%s", date,
                     (double)far_difference(tick->captured, player->gap_begin) / 1e9,
                     ++player->gaps == GAPS_SHOWN ? "; further gaps are not shown" : "");
}

static void watch_gaps(struct player *player, const struct tick *tick)
{
    bool is_gap = tick->is_repeated || tick->is_silent;
    if (tick->message)
        return;
    if (is_gap != player->is_in_gap && player->gaps < GAPS_SHOWN)
        say_gap(player, tick);
    if (is_gap && !player->is_in_gap)
        player->gap_begin = tick->captured;
    player->is_in_gap = is_gap;
    player->repeated += tick->is_repeated;
    player->played += !is_gap;
}

static void play(struct player *player)
{
    const struct tick *tick;
    for (unsigned played = 0; (tick = timeline_next(player->timeline)); played++) {
        if (must_wait(player, tick, played))
            return;
        clients_tick(player->clients, tick);
        watch_gaps(player, tick);
        player->was_wanted = player->was_wanted || clients_want_data(player->clients);
        timeline_pass(player->timeline);
    }
    if (timeline_is_over(player->timeline))
        finish(player);
    else
        event_timer_set(player->timer, event_loop_now(player->loop) + AGAIN);
}

/* Whether the first client is not there, or still asks for data. Where there is nothing to play, nobody is waited for.
 */
static bool waits(struct player *player)
{
    int64_t now = event_loop_now(player->loop);
    if (!player->is_waiting || clients_want_data(player->clients) || timeline_is_over(player->timeline))
        return false;
    if (player->is_paused || clients_count(player->clients) == 0) {
        player->first_client = 0;
        return true;
    }
    if (player->first_client == 0)
        player->first_client = now;
    event_timer_set(player->timer, player->first_client + SETTING_UP);
    return now < player->first_client + SETTING_UP;
}

void player_go_on(struct player *player)
{
    set_idle(player);
    if (waits(player))
        return;
    player->is_waiting = false;
    play(player);
}
