/* What happens between armtap and a robot that it reads as a client. */
#ifndef INPUT_ROBOT_EVENT_H
#define INPUT_ROBOT_EVENT_H

#include "armtap.h"
#include "base/os/tcp_socket.h"

enum robot_event_kind {
    ROBOT_OPENED,     /* a connection stands */
    ROBOT_REFUSED,    /* an attempt was refused */
    ROBOT_UNANSWERED, /* an attempt got no answer */
    ROBOT_BYTES,      /* a whole message, or bytes that are none */
    ROBOT_DROPPED,    /* messages that came, but were not kept: what uses them was too slow */
    ROBOT_CLOSED,     /* one side ended the connection */
    ROBOT_STILL,      /* armtap itself stood still, as event_loop_on_still() says: from `since` to `time` */
    ROBOT_SAID        /* a line for the user */
};

struct robot_event {
    enum robot_event_kind kind;
    unsigned robot;                  /* which, in the order that the user named them */
    int64_t time;                    /* ns since the epoch */
    enum armtap_direction direction; /* of bytes; or of the side that closed */
    bool reset;                      /* CLOSED: by RST */
    bool is_end;                     /* CLOSED: because the robot is left */
    bool is_record;                  /* BYTES: a record, neither a part of the set-up nor a text */
    enum armtap_severity severity;   /* SAID */
    int64_t since;                   /* DROPPED: the time of the first message; `time` is the last one's; STILL */
    uint64_t lost_bytes, lost_messages;
    struct tcp_address address[2]; /* OPENED, REFUSED, UNANSWERED: by the direction that this side sends in */
    const uint8_t *bytes;          /* BYTES; SAID: its text, with a NUL at the end that does not count */
    size_t length;
};

/* Prints the line of ROBOT_SAID, and one for ROBOT_STILL; nothing for others. */
void robot_event_say(const struct robot_event *event);

/* What came of reading a robot, counted from its events: for the last words of a command, and its status. */

struct robot_tally {
    uint64_t records;       /* that were kept */
    uint64_t dropped;       /* messages that came, but were not kept */
    uint64_t interruptions; /* connections that gave records and ended, though nobody here ended them */
    int64_t missing;        /* ns from each such end to the next record */
    int64_t since; /* when the last record's connection ended, ns since the epoch; 0: it stands, or there is none */
    bool flows;
};

/* All zeros at first. */
void robot_tally_take(struct robot_tally *tally, const struct robot_event *event);
/* Adds what one robot gave to what others gave, at the end. */
void robot_tally_add(struct robot_tally *sum, const struct robot_tally *one, int64_t now);
/* "; 2 interruptions, 12.3 s without data", or nothing without any. */
#define ROBOT_TALLY_MAX 120
void robot_tally_text(char to[ROBOT_TALLY_MAX], const struct robot_tally *tally);

#endif
