/* Makes ticks of the records of a robot: which records make one, at what time, and what goes in the place of a gap. */
#ifndef SERVE_TICK_MAKER_H
#define SERVE_TICK_MAKER_H

#include "serve/recording/recording.h"
#include "serve/recording/robot_view.h"
#include "serve/robot/server.h"
#include "timeline.h"

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

#endif
