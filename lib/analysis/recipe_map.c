#include "recipe_map.h"

#include <stdlib.h>
#include <string.h>

static bool entry_same(const struct armtap_recipe_entry *a, const struct armtap_recipe_entry *b)
{
    return a->type == b->type && a->count == b->count && a->offset == b->offset && a->wire_size == b->wire_size &&
           strcmp(a->name, b->name) == 0;
}

bool recipe_map_same(const struct armtap_recipe *a, const struct armtap_recipe *b)
{
    if (a == b)
        return true;
    size_t count = armtap_recipe_count(a);
    if (count != armtap_recipe_count(b) || armtap_recipe_size(a) != armtap_recipe_size(b) ||
        armtap_recipe_protocol(a) != armtap_recipe_protocol(b))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!entry_same(armtap_recipe_at(a, i), armtap_recipe_at(b, i)))
            return false;
    return true;
}

static uint64_t hash_of(const struct hash_key *key, const struct armtap_recipe *recipe)
{
    size_t count = armtap_recipe_count(recipe);
    uint64_t hash = hash_numbers(key, armtap_recipe_size(recipe), count);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        hash = hash_numbers(key, hash, hash_text(key, entry->name) ^ ((uint64_t)entry->type << 8 | entry->count));
    }
    return hash;
}

/* Where the recipe is, or belongs. */
static struct recipe_map_slot *slot_of(const struct recipe_map *map, const struct armtap_recipe *recipe, uint64_t hash)
{
    size_t at = (size_t)hash & (map->room - 1);
    while (map->slots[at].recipe != NULL &&
           (map->slots[at].hash != hash || !recipe_map_same(map->slots[at].recipe, recipe)))
        at = (at + 1) & (map->room - 1);
    return &map->slots[at];
}

void *recipe_map_find(const struct recipe_map *map, const struct armtap_recipe *recipe)
{
    return map->room == 0 ? NULL : slot_of(map, recipe, hash_of(&map->key, recipe))->thing;
}

static int grow(struct recipe_map *map)
{
    struct recipe_map larger = {.key = map->key, .room = map->room == 0 ? 16 : 2 * map->room, .count = map->count};
    if (map->room == 0)
        larger.key = hash_draw_key();
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -1;
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].recipe != NULL)
            *slot_of(&larger, map->slots[i].recipe, map->slots[i].hash) = map->slots[i];
    free(map->slots);
    *map = larger;
    return 0;
}

int recipe_map_add(struct recipe_map *map, const struct armtap_recipe *recipe, void *thing)
{
    if (2 * (map->count + 1) > map->room && grow(map) != 0)
        return -1;
    uint64_t hash = hash_of(&map->key, recipe);
    *slot_of(map, recipe, hash) = (struct recipe_map_slot){hash, recipe, thing};
    map->count++;
    return 0;
}

void recipe_map_clear(struct recipe_map *map)
{
    free(map->slots);
    *map = (struct recipe_map){0};
}

size_t recipe_memory(const struct armtap_recipe *recipe)
{
    enum { EACH = 512, ENTRY = 32 }; /* besides what armtap.h shows of an entry */
    size_t count = armtap_recipe_count(recipe), bytes = EACH;
    for (size_t i = 0; i < count; i++)
        bytes += sizeof(struct armtap_recipe_entry) + ENTRY + strlen(armtap_recipe_at(recipe, i)->name);
    return bytes;
}

bool recipe_store_has(const struct recipe_store *store, const struct armtap_recipe *recipe)
{
    return recipe_map_find(&store->map, recipe) != NULL;
}

struct armtap_recipe *recipe_store_hold(struct recipe_store *store, const struct armtap_recipe *recipe)
{
    struct armtap_recipe *same = recipe_map_find(&store->map, recipe);
    if (same != NULL)
        return armtap_recipe_hold(same);
    same = armtap_recipe_hold(recipe);
    if (recipe_map_add(&store->map, same, same) != 0) {
        armtap_recipe_release(same);
        return NULL;
    }
    store->entries += armtap_recipe_count(same);
    store->bytes += recipe_memory(same);
    return armtap_recipe_hold(same);
}

void recipe_store_clear(struct recipe_store *store)
{
    for (size_t i = 0; i < store->map.room; i++)
        if (store->map.slots[i].recipe != NULL)
            armtap_recipe_release(store->map.slots[i].thing);
    recipe_map_clear(&store->map);
    store->entries = store->bytes = 0;
}
