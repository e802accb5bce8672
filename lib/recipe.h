/* The inside of a recipe, for decoders and the connection. */
#ifndef ARMTAP_RECIPE_H
#define ARMTAP_RECIPE_H

#include "plan.h"

struct armtap_recipe {
    unsigned holders;
    enum armtap_protocol protocol;
    size_t size; /* bytes of all values */
    bool open;   /* a type is not known: what stands from there on has no size */
    size_t count;
    struct armtap_recipe_entry *entries;
    uint8_t *ops; /* enum armtap_op by entry */
    struct armtap_step *steps;
    size_t step_count;
    struct armtap_set fields; /* that a whole frame sets */
};

/* A span of a comma separated list; blanks, line ends and NULs around it are not part of it. */
struct armtap_item {
    const char *text;
    size_t length;
};
/* The next item of a list; false at its end. A trailing comma ends the list, as does nothing but white space. */
bool armtap_list_next(const char **cursor, const char *end, struct armtap_item *item);
size_t armtap_list_count(const char *list, size_t length);
bool armtap_item_is(const struct armtap_item *item, const char *text);

/* A recipe of the names a client asked for and the types the controller replied. Without names (only the reply was
 * seen) they become value_0, value_1 ...; without types (only the request was seen) the table's are taken. Types that
 * are not known leave the recipe open from there on. */
int armtap_recipe_from_lists(const struct armtap_item *names, const struct armtap_item *types,
                             struct armtap_recipe **recipe);
/* A recipe of one STRING that fills the frame, under that name: text protocols. */
int armtap_recipe_of_text(const char *name, enum armtap_protocol protocol, struct armtap_recipe **recipe);

/* Takes the values of a frame into a state. `updated` becomes the set of fields that it set: all of the recipe's, less
 * those beyond `length` and those whose legacy cell holds no whole number. */
void armtap_recipe_decode(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                          struct armtap_state *state, struct armtap_set *updated);
/* Both name the same fields of the same types in the same order. */
bool armtap_recipe_same(const struct armtap_recipe *a, const struct armtap_recipe *b);

/* The legacy layout of a size: generation, and its fields one after the other. */
enum armtap_generation armtap_realtime_generation(size_t size);
/* The field that begins at *column and is whole within `size` bytes; NULL where none is. *column moves behind it. */
const struct armtap_field *armtap_realtime_next(enum armtap_generation generation, size_t size, unsigned *column);

#endif
