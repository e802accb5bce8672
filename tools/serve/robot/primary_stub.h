/* Messages for an imitation of the primary and secondary interface. */
#ifndef SERVE_PRIMARY_STUB_H
#define SERVE_PRIMARY_STUB_H

#include "latest.h"

struct primary_stub {
    struct latest latest;
    uint32_t release[4];
};

/* A message: the state, with `is_first` also the kinematics and the configuration, which are made up. */
void primary_stub_state(const struct primary_stub *stub, bool is_first, struct buffer *out);
void primary_stub_version(const struct primary_stub *stub, struct buffer *out);

#endif
