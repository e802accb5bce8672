/* The recipe that a capture shows: what a client set up, or the packets of a legacy stream hold. */
#ifndef RECIPE_RECIPE_FROM_CAPTURE_H
#define RECIPE_RECIPE_FROM_CAPTURE_H

#include "input/replay.h"

struct capture_recipe_wish {
    const char **names; /* of the files of one capture */
    size_t count;
    const struct replay_source *how; /* ports, raw and no_guess count */
    bool one_stream;                 /* `stream` counts */
    bool to_robot;                   /* an input recipe */
    bool
        accepted; /* set-ups that were refused in part count, less the refused names; where there are any, they alone */
    uint64_t packet; /* the set-up whose reply is in that packet, whatever its direction; 0: any */
    uint64_t file;   /* ... of that capture, from 1; 0: the first */
    uint64_t stream;
    uint64_t setup; /* which of several that a stream set up, from 1; 0: the last of outputs, the only one of inputs */
};

/* A name that the controller refused. */
struct capture_recipe_refusal {
    char *name;
    enum armtap_refusal why;
};

struct capture_recipe {
    struct armtap_recipe *recipe; /* held; NULL: a message was given */
    enum armtap_direction direction;
    struct capture_recipe_refusal *refused;
    size_t refused_count;
    enum armtap_protocol protocol;
    enum armtap_generation generation;
    int version; /* of the protocol in force when a set-up was refused in part */
};

/* Reads a capture. One that is damaged gives EXIT_FAILED, and the recipe that came before the damage. The caller frees
 * what is captured. */
enum exit_status capture_recipe_read(const struct capture_recipe_wish *wish, struct capture_recipe *captured);
void capture_recipe_free(struct capture_recipe *captured);

#endif
