/* Recipes as RTDE has them: comma separated lists of names and types. */
#ifndef ARMTAP_RTDE_RECIPE_H
#define ARMTAP_RTDE_RECIPE_H

#include "../lib/recipe.h"

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
/* An open recipe for data of `length` bytes, of which the types that are not known take what the others leave: one all
 * of it, several of one name an equal share. Several others have it in common, and the recipe stays open: from the
 * first to the last of them all bytes are the first one's value, the others have no place. *recipe is NULL where
 * less is left than a byte for each. */
int armtap_recipe_of_length(struct armtap_recipe *open, size_t length, struct armtap_recipe **recipe);

#endif
