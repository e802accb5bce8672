/* The recipe that a capture shows: what a client set up, or the packets of a legacy stream hold. */
#ifndef CAPTURED_H
#define CAPTURED_H

#include "replay.h"

struct captured_wish {
    const char **names; /* of the files of one capture */
    size_t count;
    bool one_stream; /* `stream` counts */
    bool to_robot;   /* an input recipe */
    uint64_t stream;
    uint64_t setup; /* which of several that a stream set up, from 1; 0: the last of outputs, the only one of inputs */
};

struct captured {
    struct armtap_recipe *recipe; /* held; NULL: a message was given */
    enum armtap_protocol protocol;
    enum armtap_generation generation;
};

/* Reads a capture. One that is damaged gives EXIT_FAILED, and the recipe that came before the damage. The caller
 * releases the recipe. */
enum exit_status captured_read(const struct captured_wish *wish, struct captured *captured);

#endif
