/* The recipe in a capture: what a client set up, or the fields of a legacy stream's packets. */
#ifndef RECIPE_RECIPE_FROM_CAPTURE_H
#define RECIPE_RECIPE_FROM_CAPTURE_H

#include "input/replay/replay.h"

struct capture_recipe_wish {
    const char **names; /* the files of one capture */
    size_t count;
    const struct replay_source *how; /* ports, raw and no_guess are used */
    bool one_stream;                 /* `stream` is used */
    bool to_robot;                   /* an input recipe */
    bool accepted;   /* include partly refused set-ups, without the refused names; if there are any, only those */
    uint64_t packet; /* the set-up whose reply is in that packet, in either direction; 0: any */
    uint64_t file;   /* the capture with that packet, from 1; 0: the first */
    uint64_t stream;
    uint64_t setup; /* the n-th that a stream set up, from 1; 0: the last for outputs, the only one for inputs */
};

/* A name that the controller refused. */
struct capture_recipe_refusal {
    char *name;
    enum armtap_refusal why;
};

struct capture_recipe {
    struct armtap_recipe *recipe; /* held; NULL after a message */
    enum armtap_direction direction;
    struct capture_recipe_refusal *refused;
    size_t refused_count;
    enum armtap_protocol protocol;
    enum armtap_generation generation;
    int version; /* protocol version in force when a set-up was partly refused */
};

/* Reads a capture. If it is damaged: EXIT_FAILED, and the recipe from before the damage. The caller frees
 * `captured`. */
enum exit_status capture_recipe_read(const struct capture_recipe_wish *wish, struct capture_recipe *captured);
void capture_recipe_free(struct capture_recipe *captured);

#endif
