#include "player.h"

#define TICKS_AT_ONCE 64u /* then others get their turn */
/* Between looks whether clients have read to the end. */
#define LOOK INT64_C(50000000)

static void on_due(void *user)
{
    player_go_on(user);
}

int player_begin(struct player *player)
{
    player->timer = event_timer_new(player->loop, on_due, player);
    return player->timer ? 0 : -1;
}

void player_end(struct player *player)
{
    event_timer_free(player->timer);
}

void player_start(struct player *player)
{
    player->is_waiting = false;
    player_go_on(player);
}

static int64_t due_time(struct player *player, const struct tick *tick)
{
    if (!player->has_base) {
        player->base = event_loop_now(player->loop) - (int64_t)((double)tick->time / player->speed);
        player->has_base = true;
    }
    return player->base + (int64_t)((double)tick->time / player->speed);
}

/* Whether the tick must wait; sets the timer if time alone is missing. */
static bool must_wait(struct player *player, const struct tick *tick, unsigned played)
{
    int64_t now = event_loop_now(player->loop), due = player->at_most ? now : due_time(player, tick);
    if (player->at_most && (!clients_want_data(player->clients) || !clients_have_room(player->clients)))
        return true;
    if (due <= now && played < TICKS_AT_ONCE)
        return false;
    event_timer_set(player->timer, due);
    return true;
}

/* The clients may read what waits for them, for a while. */
static void finish(struct player *player)
{
    int64_t now = event_loop_now(player->loop);
    if (player->ending == 0)
        player->ending = now + CLIENTS_PATIENCE;
    if (now < player->ending && !clients_are_flushed(player->clients)) {
        event_timer_set(player->timer, now + LOOK);
        return;
    }
    clients_close(player->clients, false, "closed: the capture ends");
    event_loop_stop(player->loop);
}

void player_go_on(struct player *player)
{
    const struct tick *tick;
    if (player->is_waiting && !clients_want_data(player->clients))
        return;
    player->is_waiting = false;
    for (unsigned played = 0; (tick = timeline_next(player->timeline)); played++) {
        if (must_wait(player, tick, played))
            return;
        clients_tick(player->clients, tick);
        timeline_pass(player->timeline);
        player->played++;
    }
    if (timeline_is_over(player->timeline))
        finish(player);
}
