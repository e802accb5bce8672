/* The ticks of a recorded robot, in order, made by a thread that reads the capture: a few at a time, never all. */
#ifndef SERVE_TIMELINE_H
#define SERVE_TIMELINE_H

#include "base/numbers/timestamp.h"
#include "serve/recording/recording.h"
#include "serve/robot/server.h"

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

#endif
