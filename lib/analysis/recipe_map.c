#include "armtap-analysis.h"

#include <stdlib.h>
#include <string.h>

#include "inside.h"

static uint64_t hash_of(const struct armtap_hash_key *key, const struct armtap_recipe *recipe)
{
    size_t count = armtap_recipe_count(recipe);
    uint64_t hash = armtap_hash_numbers(key, armtap_recipe_size(recipe), count);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        hash = armtap_hash_numbers(key, hash,
                                   armtap_hash_text(key, entry->name) ^ ((uint64_t)entry->type << 8 | entry->count));
    }
    return hash;
}

/* The slot of the recipe, or the free one for it. */
static struct armtap_recipe_map_slot *slot_of(const struct armtap_recipe_map *map, const struct armtap_recipe *recipe,
                                              uint64_t hash)
{
    size_t at = (size_t)hash & (map->room - 1);
    while (map->slots[at].recipe && (map->slots[at].hash != hash || !armtap_recipe_same(map->slots[at].recipe, recipe)))
        at = (at + 1) & (map->room - 1);
    return &map->slots[at];
}

void *armtap_recipe_map_find(const struct armtap_recipe_map *map, const struct armtap_recipe *recipe)
{
    return map->room == 0 ? NULL : slot_of(map, recipe, hash_of(&map->key, recipe))->thing;
}

static int grow(struct armtap_recipe_map *map)
{
    struct armtap_recipe_map larger = {
        .key = map->key, .room = map->room == 0 ? 16 : 2 * map->room, .count = map->count};
    if (map->room == 0)
        larger.key = armtap_hash_draw_key();
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < map->room; i++) {
        if (map->slots[i].recipe)
            *slot_of(&larger, map->slots[i].recipe, map->slots[i].hash) = map->slots[i];
    }
    free(map->slots);
    *map = larger;
    return ARMTAP_OK;
}

int armtap_recipe_map_add(struct armtap_recipe_map *map, const struct armtap_recipe *recipe, void *thing)
{
    if (2 * (map->count + 1) > map->room && grow(map) != 0)
        return ARMTAP_ERR_MEMORY;
    uint64_t hash = hash_of(&map->key, recipe);
    *slot_of(map, recipe, hash) = (struct armtap_recipe_map_slot){hash, recipe, thing};
    map->count++;
    return ARMTAP_OK;
}

void armtap_recipe_map_clear(struct armtap_recipe_map *map)
{
    free(map->slots);
    *map = (struct armtap_recipe_map){0};
}

size_t armtap_recipe_memory(const struct armtap_recipe *recipe)
{
    enum { EACH = 512, ENTRY = 32 }; /* in addition to the public part of an entry */
    size_t count = armtap_recipe_count(recipe), bytes = EACH;
    for (size_t i = 0; i < count; i++)
        bytes += sizeof(struct armtap_recipe_entry) + ENTRY + strlen(armtap_recipe_at(recipe, i)->name);
    return bytes;
}

bool armtap_recipe_store_has(const struct armtap_recipe_store *store, const struct armtap_recipe *recipe)
{
    return armtap_recipe_map_find(&store->map, recipe) != NULL;
}

struct armtap_recipe *armtap_recipe_store_hold(struct armtap_recipe_store *store, const struct armtap_recipe *recipe)
{
    struct armtap_recipe *same = armtap_recipe_map_find(&store->map, recipe);
    if (same)
        return armtap_recipe_hold(same);
    same = armtap_recipe_hold(recipe);
    if (armtap_recipe_map_add(&store->map, same, same) != 0) {
        armtap_recipe_release(same);
        return NULL;
    }
    store->entries += armtap_recipe_count(same);
    store->bytes += armtap_recipe_memory(same);
    return armtap_recipe_hold(same);
}

void armtap_recipe_store_clear(struct armtap_recipe_store *store)
{
    for (size_t i = 0; i < store->map.room; i++) {
        if (store->map.slots[i].recipe)
            armtap_recipe_release(store->map.slots[i].thing);
    }
    armtap_recipe_map_clear(&store->map);
    store->entries = store->bytes = 0;
}
