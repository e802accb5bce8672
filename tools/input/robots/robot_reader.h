/* Robots read by a thread of their own, so that reading them never waits for what is done with the data. */
#ifndef INPUT_ROBOT_READER_H
#define INPUT_ROBOT_READER_H

#include "client/armtap-client.h"
#include "robot_address.h"
#include "robot_event.h"

struct robot_reader;

/* Robots to read, and what to ask them for. */
struct robot_sources {
    struct robot_address *robots; /* resolved */
    size_t count;
    struct armtap_client_options client; /* as in struct robot_link_wish */
    int64_t patience;                    /* the same; events come up to twice as late */
};

/* Starts the thread; `sources` must outlive it. NULL after a message. Call interrupt_hold() before. */
struct robot_reader *robot_reader_start(const struct robot_sources *sources);

enum robot_reader_outcome {
    ROBOT_READER_EVENT,
    ROBOT_READER_SILENT,  /* nothing came for a short while, which it waited: `patience`, or 10 ms */
    ROBOT_READER_STOPPED, /* nothing will come any more: the robots were left as robot_reader_stop() asked */
    ROBOT_READER_GAVE_UP, /* the same, but a robot was given up; an event said why */
    ROBOT_READER_NO_MEMORY
};
/* The next event; its bytes are valid until the next call. Once interrupt_asked(), robots are told to stop, and what
 * they still sent comes before the end. */
enum robot_reader_outcome robot_reader_next(struct robot_reader *reader, struct robot_event *event);
/* Leaves the robots; what they still send comes before the end, within half a second. */
void robot_reader_stop(struct robot_reader *reader);
/* Accepts NULL. */
void robot_reader_free(struct robot_reader *reader);

#endif
