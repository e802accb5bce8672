/* What was said with robots, as the packets of a capture. */
#ifndef INPUT_ROBOT_TRAFFIC_H
#define INPUT_ROBOT_TRAFFIC_H

#include "robot_event.h"
#include "synthetic_tcp.h"
#include "armtap.h"
#include "base/text/buffer.h"
#include "input/capture/capture.h"
#include "robot_link.h"

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

/* Finds the messages of a connection in its bytes, however they are cut, and keeps those that set it up: a capture that
 * begins later repeats them. */

/* A set-up is a few kB long; of a connection that has more of such messages the first ones are kept. */
#define SETUP_MAX 65536
#define SETUP_PARTS 64

/* A message that was kept. */
struct setup_message {
    enum armtap_direction direction;
    size_t at, length; /* in the bytes */
    bool is_whole;
};

/* Where one direction stands. */
struct setup_way {
    enum setup_kind {
        SETUP_UNSURE,
        SETUP_RTDE,
        SETUP_LENGTHS, /* messages begin with a length of four bytes: the legacy and the primary interface */
        SETUP_NEITHER
    } kind;
    uint8_t head[4];
    unsigned have;                 /* bytes of the next message's head */
    size_t left;                   /* bytes of the message that are to come */
    struct setup_message *message; /* being kept; NULL: this one is not */
    size_t filled;
};

/* Members are private; all zeros at first. */
struct setup_keeper {
    struct setup_way way[2];
    struct setup_message messages[SETUP_PARTS];
    size_t count;
    struct buffer bytes;
};

/* For another connection. */
void setup_keeper_begin(struct setup_keeper *keeper);
/* How many of the next bytes are of one message, or all where that cannot be told. `whole` becomes the length of the
 * message that begins with them; 0: they go on with one. */
size_t setup_keeper_next(const struct setup_keeper *keeper, enum armtap_direction direction, const uint8_t *bytes,
                         size_t length, size_t *whole);
/* 0, or -1 if memory runs out. */
int setup_keeper_take(struct setup_keeper *keeper, enum armtap_direction direction, const uint8_t *bytes,
                      size_t length);
/* Bytes that did not come: what follows is taken to begin with a message. */
void setup_keeper_skip(struct setup_keeper *keeper, enum armtap_direction direction);
/* The whole messages kept, in order. Returns how many. */
size_t setup_keeper_parts(const struct setup_keeper *keeper, struct synthetic_part parts[SETUP_PARTS]);
void setup_keeper_free(struct setup_keeper *keeper);

/* Robots as a capture: the packets that their data might have come in. */

struct robot_capture;

/* Starts to read; `sources` must outlive it. NULL after a message. */
struct robot_capture *robot_capture_open(const struct robot_sources *sources);
/* Accepts NULL. */
void robot_capture_close(struct robot_capture *capture);
/* The next packet, as capture_next() gives it. If `hole` becomes an event, records were dropped right before it, as it
 * tells. Prints what the robots' connections have to say. CAPTURE_DAMAGED: a robot was given up. */
enum capture_outcome robot_capture_next(struct robot_capture *capture, struct armtap_packet *packet,
                                        const struct robot_event **hole);
/* What each robot gave so far, in the order of the sources. */
const struct robot_tally *robot_capture_tallies(const struct robot_capture *capture);

#endif
