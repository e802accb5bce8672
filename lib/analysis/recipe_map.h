/* Things of recipes, found by what a recipe holds: the same fields in the same places. */
#ifndef BASE_RECIPE_MAP_H
#define BASE_RECIPE_MAP_H

#include "armtap.h"
#include "hash.h"

/* Begins as zeros. Neither recipes nor things are its own: both outlive their place in it. */
struct recipe_map {
    struct hash_key key;
    struct recipe_map_slot {
        uint64_t hash;
        const struct armtap_recipe *recipe; /* NULL: free */
        void *thing;
    } * slots;
    size_t room, count;
};

/* NULL if there is none. */
void *recipe_map_find(const struct recipe_map *map, const struct armtap_recipe *recipe);
/* Of a recipe that has none yet. 0, or -1 without memory. */
int recipe_map_add(struct recipe_map *map, const struct armtap_recipe *recipe, void *thing);
void recipe_map_clear(struct recipe_map *map);

/* Recipes that hold the same, each of them once. Begins as zeros. */
struct recipe_store {
    struct recipe_map map; /* the recipes themselves, held */
    size_t entries;        /* of all of them */
    size_t bytes;          /* of memory, about */
};
/* Bytes of memory that a recipe takes, about. */
size_t recipe_memory(const struct armtap_recipe *recipe);
/* Whether the recipe, or one that is the same, is in it. */
bool recipe_store_has(const struct recipe_store *store, const struct armtap_recipe *recipe);
/* The recipe of the store that is the same, added if there was none; the caller releases it. NULL without memory. */
struct armtap_recipe *recipe_store_hold(struct recipe_store *store, const struct armtap_recipe *recipe);
void recipe_store_clear(struct recipe_store *store);

/* The same fields in the same places. */
bool recipe_map_same(const struct armtap_recipe *a, const struct armtap_recipe *b);

#endif
