/* A conversation that a target makes from its input and plays to a connection in several chunkings. */
#ifndef FUZZ_SCRIPT_H
#define FUZZ_SCRIPT_H

#include "watch.h"

#define SCRIPT_STEPS 512

enum script_kind { SCRIPT_BYTES, SCRIPT_GAP, SCRIPT_CLOSE };

struct script_step {
    enum script_kind kind;
    enum armtap_direction direction;
    const uint8_t *bytes;
    size_t length;
};

struct script {
    struct armtap_conn_setup setup;
    const char *recipe_names; /* the recipe given: RTDE's names, or AUBO's set-up; or NULL */
    unsigned long stop_at;    /* the sink's call that answers "stop"; 0: none */
    size_t count;
    struct script_step steps[SCRIPT_STEPS];
};
/* Adds a step; nothing once the script is full. */
void script_step(struct script *script, enum script_kind kind, enum armtap_direction direction, const uint8_t *bytes,
                 size_t length);
/* Adds the steps that the rest of an input says. Before each is a byte for its direction, and whether it is a gap, and
 * a byte for its length. */
void script_pieces(struct script *script, struct input *input);
/* Plays it whole, in pieces of random sizes and in single bytes: the output must be the same. */
void script_check(const struct script *script);

#endif
