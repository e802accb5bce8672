/* What was said with robots, as the packets of a capture. */
#ifndef INPUT_ROBOT_TRAFFIC_H
#define INPUT_ROBOT_TRAFFIC_H

#include "robot_event.h"
#include "synthetic_tcp.h"

struct robot_traffic;

/* NULL if memory runs out. */
struct robot_traffic *robot_traffic_new(size_t robots);
/* Accepts NULL. */
void robot_traffic_free(struct robot_traffic *traffic);

/* Makes the packets of an event, in the order that robot_reader_next() gives them. Returns what `take` did, or -1 if
 * memory runs out. */
int robot_traffic_take(struct robot_traffic *traffic, const struct robot_event *event, synthetic_take *take,
                       void *user);
/* Makes packets for a file that begins here: each connection that stands is opened again, and its set-up repeated, as
 * synthetic_tcp_repeat() says. */
int robot_traffic_repeat(struct robot_traffic *traffic, int64_t time, synthetic_take *take, void *user);
/* As setup_keeper_next(), of a connection. */
size_t robot_traffic_next(const struct robot_traffic *traffic, unsigned robot, enum armtap_direction direction,
                          const uint8_t *bytes, size_t length, size_t *whole);

#endif
