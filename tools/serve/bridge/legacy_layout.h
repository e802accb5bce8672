/* Legacy realtime packets made from what RTDE gives: which variables to ask for, which cells they cannot fill, and how
 * the modes of CB2 follow from those of later controllers. */
#ifndef SERVE_LEGACY_LAYOUT_H
#define SERVE_LEGACY_LAYOUT_H

#include "armtap.h"

struct legacy_layout {
    size_t size; /* of a packet, bytes */
    enum armtap_generation generation;
    struct armtap_recipe *recipe;
    char *names;                    /* RTDE variables to ask for, comma separated */
    struct armtap_state *converted; /* CB2: the state with that generation's modes */
};

/* 0, or -1 if memory runs out. legacy_layout_end also after -1. The size is one of legacy_layout_sizes. */
int legacy_layout_begin(struct legacy_layout *layout, size_t size);
void legacy_layout_end(struct legacy_layout *layout);
/* Whether packets of that size are known; `list` gets those that are: "756, 764, 812, ...". */
#define LEGACY_LAYOUT_LIST 120
bool legacy_layout_knows(size_t size, char list[LEGACY_LAYOUT_LIST]);

/* Cells that are always 0 because what is received lacks their variable, or no variable has them. Calls `on_lack` for
 * each field: its first and last column, its RTDE name or "" without one. */
struct legacy_lack {
    const struct armtap_field *field;
    unsigned first, last;
    bool is_variable; /* RTDE has it, but this robot does not send it */
};
void legacy_layout_lacks(const struct legacy_layout *layout, const struct armtap_recipe *received,
                         void (*on_lack)(void *user, const struct legacy_lack *lack), void *user);
/* How many of its cells have a source in what is received, without the length word. */
unsigned legacy_layout_filled(const struct legacy_layout *layout, const struct armtap_recipe *received);

#define LEGACY_LAYOUT_REASON 120
/* Writes the packet for a state into `packet`, layout->size bytes. false if a CB2 packet would have to state a mode
 * that CB2 does not have: `reason` says which. Such a packet must not be sent. */
bool legacy_layout_make(const struct legacy_layout *layout, const struct armtap_state *state, uint8_t *packet,
                        char reason[LEGACY_LAYOUT_REASON]);

/* Says which cells of legacy packets have a source. */

/* What comes from RTDE, and what is always 0 because RTDE, or this robot, lacks it. */
void legacy_report(const struct legacy_layout *layout, const struct armtap_recipe *received, const char *source);

#endif
