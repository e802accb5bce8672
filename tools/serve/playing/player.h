/* Plays a timeline to the clients: each tick at its time, counted from the beginning, so that no delay adds up. */
#ifndef SERVE_PLAYER_H
#define SERVE_PLAYER_H

#include "serve/ports/clients.h"
#include "serve/robot/field_watch.h"
#include "timeline.h"

struct player {
    struct event_loop *loop;
    struct clients *clients;
    struct timeline *timeline;
    struct event_timer *timer;
    struct event_timer *idle; /* nothing is played, but imitations speak */
    double speed;             /* 2: twice as fast */
    bool at_most;             /* as fast as the slowest client reads; waits while nobody wants data */
    bool is_waiting;          /* for the first client, or player_start() */
    bool is_paused;           /* that client must want data */
    int64_t first_client;     /* since when there is one while it waits; 0: there is none */
    bool has_base;
    int64_t base;              /* when the tick of time 0 is due */
    int64_t ending;            /* all is played: until when clients may read what waits; 0: not yet */
    int64_t parting;           /* they have read it: until when they may say good-bye; 0: not yet */
    uint64_t played, repeated; /* ticks of captured records, and in their place */
    bool was_wanted;           /* a client got data */
    bool is_in_gap;
    int64_t gap_begin; /* on the capture's clock */
    struct moments moments;
    const char *silence; /* what takes the place of silences that are not repeated */
    unsigned gaps;
};

/* The caller sets loop, clients, timeline, speed, at_most, is_waiting, is_paused,
 * moments, silence. 0,
 * or -1 if memory runs out. */
int player_begin(struct player *player);
void player_end(struct player *player);
void player_start(struct player *player);
/* Call it when there may be something to do: there are ticks, a client came. */
void player_go_on(struct player *player);

#endif
