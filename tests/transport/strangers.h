/* Other programs' TCP streams: both directions of protocols that are not ours, generated from a seed. */
#ifndef TRANSPORT_STRANGERS_H
#define TRANSPORT_STRANGERS_H

#include "support.h"

/* The bytes of a connection, by enum armtap_direction. */
struct talk {
    struct bytes side[2];
};

struct stranger {
    const char *name;
    void (*talk)(struct talk *talk, uint64_t *seed, size_t length); /* at least `length` bytes from the robot's side */
};
extern const struct stranger strangers[];
extern const size_t stranger_count;

/* A number from 0 to limit - 1. */
size_t random_below(uint64_t *seed, size_t limit);
double random_between(uint64_t *seed, double least, double most);
void bytes_random(struct bytes *bytes, uint64_t *seed, size_t length);

#endif
