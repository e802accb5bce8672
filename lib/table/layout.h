/* Recipes that follow from what many connections of a capture have in common: from a number, such as the size of a
 * packet, or from a text, such as the names that clients ask for. Made once, and shared by the connections. */
#ifndef ARMTAP_LAYOUT_H
#define ARMTAP_LAYOUT_H

#include "armtap.h"

#define ARMTAP_LAYOUTS_MAX 16        /* kept; a few sizes are in use at a time */
#define ARMTAP_TEXTS_MAX 64          /* kept; a few kinds of clients connect at a time, some with two dozen set-ups */
#define ARMTAP_TEXTS_BYTES (1 << 20) /* of memory, that these take with their recipes */
#define ARMTAP_TEXT_MOST 8192        /* bytes; the recipe of a longer text belongs to its connection alone */

struct armtap_layouts {
    struct armtap_layout {
        enum armtap_protocol protocol;
        size_t number;
        struct armtap_recipe *recipe; /* NULL: the entry is free, like all behind it */
    } all[ARMTAP_LAYOUTS_MAX];        /* those asked for last come first */
    struct armtap_text_layout {
        enum armtap_protocol protocol;
        char *text; /* one piece after the other */
        size_t length[2];
        struct armtap_recipe *recipe; /* NULL: the entry is free, like all behind it */
    } texts[ARMTAP_TEXTS_MAX];        /* likewise */
    size_t text_bytes;                /* up to ARMTAP_TEXTS_BYTES */
};

/* A text in two pieces, as they lie in messages. */
struct armtap_text_key {
    enum armtap_protocol protocol;
    const char *piece[2];
    size_t length[2];
};

/* Makes the recipe of a number. */
typedef int armtap_layout_maker(size_t number, struct armtap_recipe **recipe);

/* *recipe is held for the caller. */
int armtap_layout_of(struct armtap_layouts *layouts, enum armtap_protocol protocol, size_t number,
                     armtap_layout_maker *make, struct armtap_recipe **recipe);
/* The recipe kept for a text, held for the caller; NULL: none is. */
struct armtap_recipe *armtap_layout_of_text(struct armtap_layouts *layouts, const struct armtap_text_key *key);
/* Keeps the recipe that was made from a text, so that it becomes a shared one, unless there is one, the text is long,
 * or connections still use all those kept. ERR_MEMORY. */
int armtap_layout_keep(struct armtap_layouts *layouts, const struct armtap_text_key *key, struct armtap_recipe *recipe);
void armtap_layouts_clear(struct armtap_layouts *layouts);

#endif
