/* What UR's record.py --binary writes: a line of names, a line of types, then the values of RTDE's data packages
 * without headers, one row behind the other. */
#ifndef INPUT_RECORD_BINARY_H
#define INPUT_RECORD_BINARY_H

#include "armtap.h"

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
