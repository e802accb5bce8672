/* Robots as a capture: the packets that their data might have come in. */
#ifndef INPUT_ROBOT_CAPTURE_H
#define INPUT_ROBOT_CAPTURE_H

#include "input/capture/capture.h"
#include "robot_link.h"
#include "robot_event.h"

struct robot_capture;

/* Starts to read; `sources` must outlive it. NULL after a message. */
struct robot_capture *robot_capture_open(const struct robot_sources *sources);
/* Accepts NULL. */
void robot_capture_close(struct robot_capture *capture);
/* The next packet, as capture_next() gives it. If `hole` becomes an event, records were dropped right before it, as it
 * tells. Prints what the robots' connections have to say. CAPTURE_DAMAGED: a robot was given up. */
enum capture_outcome robot_capture_next(struct robot_capture *capture, struct armtap_packet *packet,
                                        const struct robot_event **hole);
/* Leaves the robots; CAPTURE_END follows soon. */
void robot_capture_stop(struct robot_capture *capture);
/* What each robot gave so far, in the order of the sources. */
const struct robot_tally *robot_capture_tallies(const struct robot_capture *capture);

#endif
