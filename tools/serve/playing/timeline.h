/* The ticks of a recorded robot, in order, made by a thread that reads the capture: a few at a time, never all. */
#ifndef SERVE_TIMELINE_H
#define SERVE_TIMELINE_H

#include "base/numbers/timestamp.h"
#include "serve/recording/recording.h"
#include "serve/robot/server.h"
#include "serve/recording/variables.h"
#include "serve/ports/clients.h"

enum timeline_gaps {
    GAPS_HOLD,   /* the last values again and again, with the clock running on */
    GAPS_KEEP,   /* everything at the time at which it was captured */
    GAPS_SQUEEZE /* passed over */
};
enum timeline_loop {
    LOOP_NONE,
    LOOP_SMOOTH, /* the controller's clock goes on rising */
    LOOP_RAW     /* it is what was recorded */
};
#define TIMELINE_GAP RECORDING_GAP

struct timeline_wish {
    const struct replay_source *source; /* quiet: its damage was reported */
    const struct recording *recording;
    size_t robot;    /* index in the recording */
    bool has_leader; /* `leader` is the connection whose records are the ticks of its protocol */
    uint64_t leader;
    struct timestamp from, to;
    enum timestamp_zone zone;
    enum timeline_gaps gaps;
    bool holds; /* also the last value of a variable that is not recorded while others are */
    enum timeline_loop loop;
    int64_t cycle;                /* ns */
    size_t packet_size;           /* of legacy packets where none were recorded */
    void (*on_ready)(void *user); /* called by the thread: there is a tick, or the end */
    void *user;
};

struct timeline;
/* What it points to must outlive it. NULL if memory runs out or no thread can be started. */
struct timeline *timeline_start(const struct timeline_wish *wish);
/* Accepts NULL. */
void timeline_free(struct timeline *timeline);
/* The next tick, valid until it is passed; NULL: none is ready, or it is over. */
const struct tick *timeline_next(struct timeline *timeline);
void timeline_pass(struct timeline *timeline);
/* Whether all ticks were passed and none will follow. */
bool timeline_is_over(struct timeline *timeline);
/* Whether a reading failed, after a message: the ticks are not all there. */
bool timeline_has_failed(struct timeline *timeline);

/* Makes ticks of the records of a robot: which records make one, at what time, and what goes in the place of a gap. */

struct tick_maker;
/* 0, or another number to end it, which the functions below return. */
typedef int tick_emit(void *user, const struct tick *tick);

/* Uses recording, robot, leader, gaps, holds, loop, cycle and packet_size of the wish. NULL if memory runs out. */
struct tick_maker *tick_maker_new(const struct timeline_wish *wish, tick_emit *emit, void *user);
void tick_maker_free(struct tick_maker *maker);
/* Before the capture is read for the first time, and for each time after it. 0, or -1 if memory runs out. */
int tick_maker_begin_round(struct tick_maker *maker);
#define TICK_MAKER_NO_MEMORY (-1)
/* A record of the robot. `is_wanted`: it is within --from and --to; else it only changes the values. */
int tick_maker_record(struct tick_maker *maker, const struct armtap_record *record, bool is_wanted);
/* A message of the robot's primary or secondary interface: it waits for its time among the ticks. */
int tick_maker_message(struct tick_maker *maker, const struct port_message *message);
/* The capture was read to its end. */
int tick_maker_end_round(struct tick_maker *maker);
/* A connection ended: messages of another one are played from now on. */
void tick_maker_close(struct tick_maker *maker, uint64_t connection);
/* Whether this round has made a tick. */
bool tick_maker_has_ticks(const struct tick_maker *maker);

/* Plays a timeline to the clients: each tick at its time, counted from the beginning, so that no delay adds up. */

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
