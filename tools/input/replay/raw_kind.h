/* What a dump of one direction of a stream is. */
#ifndef INPUT_RAW_KIND_H
#define INPUT_RAW_KIND_H

#include "armtap.h"

/* The first bytes of a dump. */
struct raw_head {
    const uint8_t *bytes;
    size_t length;
    bool whole;                         /* no more are needed to decide */
    const struct armtap_recipe *recipe; /* given for what the robot sent: then it did; NULL: none */
};

struct raw_kind {
    enum armtap_protocol protocol; /* NONE: recognised by content */
    enum armtap_direction direction;
};

/* Sets the direction, and of NONE the protocol where content alone would not show it. `chosen` stays false while more
 * bytes are needed, and if nothing is recognised. An error of the library. */
int raw_kind_choose(const struct raw_head *head, struct raw_kind *kind, bool *chosen);

/* What UR's record.py --binary writes: a line of names, a line of types, then the values of RTDE's data packages
 * without headers, one row behind the other. */

enum record_binary_look {
    RECORD_BINARY_NO,
    RECORD_BINARY_MORE, /* more bytes are needed to tell */
    RECORD_BINARY_BAD,  /* it is one that cannot be read: `problem` says why */
    RECORD_BINARY_YES
};

#define RECORD_BINARY_PROBLEM 200

struct record_binary {
    size_t header;                /* bytes of the two lines */
    struct armtap_recipe *recipe; /* of a row; the caller releases it */
    char problem[RECORD_BINARY_PROBLEM];
};

/* Looks at the first bytes of a file; `whole`: no more are read for it. -1 without memory. */
int record_binary_look(const uint8_t *bytes, size_t length, bool whole, struct record_binary *binary,
                       enum record_binary_look *look);

#endif
