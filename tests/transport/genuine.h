/* Streams of our protocols, generated from a seed, with the offsets of their data messages. */
#ifndef TRANSPORT_GENUINE_H
#define TRANSPORT_GENUINE_H

#include "strangers.h"

struct genuine {
    struct talk talk;
    size_t *starts; /* of the data messages from the robot, and the end of the last */
    size_t count;   /* of the messages */
    size_t between; /* bytes that may stand before a message, and belong to it */
};

struct genuine_kind {
    const char *name;
    enum armtap_protocol protocol;
    bool common; /* JSON: recognised only on its own ports */
    void (*make)(struct genuine *genuine, uint64_t *seed, unsigned count);
};
extern const struct genuine_kind genuine_kinds[];
extern const size_t genuine_kind_count;

void genuine_free(struct genuine *genuine);

#endif
