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

#endif
