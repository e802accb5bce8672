/* RTDE recipes: from comma separated lists of names and types; the input recipes of a connection, found by their id, or
 * by the bytes of their values. */
#ifndef ARMTAP_RTDE_RECIPE_H
#define ARMTAP_RTDE_RECIPE_H

#include "table/recipe.h"

/* A span of a comma separated list; blanks, line ends and NULs around it are not part of it. */
struct armtap_item {
    const char *text;
    size_t length;
};
/* The next item of a list; false at its end. A trailing comma, or only white space after it, ends the list. */
bool armtap_list_next(const char **cursor, const char *end, struct armtap_item *item);
size_t armtap_list_count(const char *list, size_t length);
bool armtap_item_is(const struct armtap_item *item, const char *text);

/* A recipe of the names a client asked for and the types the controller replied. Without names (only the reply was
 * seen) they become value_0, value_1 ...; without types (only the request was seen) the table's are taken. From the
 * first unknown type on the recipe is open. */
int armtap_recipe_from_lists(const struct armtap_item *names, const struct armtap_item *types,
                             struct armtap_recipe **recipe);
/* Adapts an open recipe to data of `length` bytes: the fields of unknown type hold what the others leave. A single one
 * gets all of it, several of one type name an equal share. If the type names differ, the recipe stays open: all bytes
 * from the first to the last such field are the value of the first, and the others have no place. *recipe is NULL if
 * less than a byte is left for each. */
int armtap_recipe_of_length(struct armtap_recipe *open, size_t length, struct armtap_recipe **recipe);

#define ARMTAP_RTDE_INPUT_IDS 256 /* ids */

/* Initially zero; the owner releases the recipes. */
struct armtap_rtde_inputs {
    struct armtap_recipe *by_id[ARMTAP_RTDE_INPUT_IDS]; /* NULL: not set up */
    uint8_t by_size[ARMTAP_RTDE_INPUT_IDS];             /* ids, sorted by their recipes' size, then by id */
    unsigned count;
};

/* Re-sorts an id whose recipe has changed; it must have one. */
void armtap_rtde_inputs_sort(struct armtap_rtde_inputs *inputs, uint8_t id);
/* The recipe of that size with the lowest id, or NULL. */
const struct armtap_recipe *armtap_rtde_inputs_of_size(const struct armtap_rtde_inputs *inputs, size_t size);

#endif
