#include "variables.h"

#include <stdlib.h>
#include <string.h>

#define MAPS 8u

/* Where the values of a recipe go in the image. */
struct move {
    size_t from, to, size;
};

struct map {
    struct armtap_recipe *recipe;
    struct move *moves;
    size_t count;
};

struct robot_view {
    const struct variables *variables;
    struct map maps[MAPS]; /* the newest recipes */
    unsigned next;
    uint8_t image[];
};

bool robot_view_has(const struct armtap_record *record, size_t offset, size_t size)
{
    return offset <= record->values_length && size <= record->values_length - offset &&
           !armtap_is_missing(record->missing, record->missing_count, offset, offset + size);
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

static int learn_entry(struct variables *variables, const struct armtap_record *record,
                       const struct armtap_recipe_entry *entry)
{
    struct variable *variable;
    if (!robot_view_has(record, entry->offset, entry->wire_size)) /* a name is no value */
        return 0;
    if (variables_add(variables, entry->name, entry->type, entry->count, &variable) != 0)
        return -1;
    if (variable && !variable->recorded && entry->type == variable->type && entry->count == variable->count) {
        variable->recorded = true;
        memcpy(variables_first(variables) + variable->offset, record->values + entry->offset, variable->size);
    }
    return 0;
}

static int learn_cell(struct variables *variables, const struct armtap_record *record, const struct armtap_field *field)
{
    struct armtap_value value;
    struct variable *variable;
    if (variables_add(variables, field->name, field->type, field->count, &variable) != 0)
        return -1;
    if (!variable || variable->recorded || !variable->field)
        return 0;
    variable->recorded = true;
    armtap_state_get(record->state, field, &value);
    value_put(variables_first(variables) + variable->offset, &value);
    return 0;
}

static int learn_cells(struct variables *variables, const struct armtap_record *record)
{
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        if (armtap_set_has(record->updated, (unsigned)id) && field->direction != ARMTAP_FIELD_LEGACY &&
            learn_cell(variables, record, field) != 0)
            return -1;
    }
    return 0;
}

int robot_view_learn(struct variables *variables, const struct armtap_record *record)
{
    bool named = record->protocol == ARMTAP_RTDE && record->recipe;
    for (size_t i = 0; named && i < armtap_recipe_count(record->recipe); i++)
        if (learn_entry(variables, record, armtap_recipe_at(record->recipe, i)) != 0)
            return -1;
    return record->protocol == ARMTAP_REALTIME && record->updated ? learn_cells(variables, record) : 0;
}

/* ---- a view ------------------------------------------------------------------------------------------------------ */

struct robot_view *robot_view_new(const struct variables *variables)
{
    struct robot_view *view = calloc(1, sizeof *view + variables_size(variables));
    if (view)
        view->variables = variables;
    return view;
}

static void forget(struct map *map)
{
    armtap_recipe_release(map->recipe);
    free(map->moves);
    *map = (struct map){0};
}

void robot_view_free(struct robot_view *view)
{
    if (!view)
        return;
    for (unsigned i = 0; i < MAPS; i++)
        forget(&view->maps[i]);
    free(view);
}

static void make_map(const struct robot_view *view, struct map *map, const struct armtap_recipe *recipe)
{
    size_t count = armtap_recipe_count(recipe);
    map->moves = calloc(count + 1, sizeof *map->moves);
    map->recipe = armtap_recipe_hold(recipe);
    for (size_t i = 0; map->moves && i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        const struct variable *variable = variables_find(view->variables, entry->name, strlen(entry->name));
        if (variable && variable->type == entry->type && variable->count == entry->count && entry->offset != SIZE_MAX)
            map->moves[map->count++] = (struct move){entry->offset, variable->offset, variable->size};
    }
}

/* NULL if memory runs out. */
static const struct map *map_of(struct robot_view *view, const struct armtap_recipe *recipe)
{
    for (unsigned i = 0; i < MAPS; i++)
        if (view->maps[i].recipe == recipe)
            return &view->maps[i];
    struct map *map = &view->maps[view->next++ % MAPS];
    forget(map);
    make_map(view, map, recipe);
    if (map->moves)
        return map;
    forget(map);
    return NULL;
}

static int take_values(struct robot_view *view, const struct armtap_record *record)
{
    const struct map *map = map_of(view, record->recipe);
    if (!map)
        return -1;
    for (size_t i = 0; i < map->count; i++) {
        const struct move *move = &map->moves[i];
        if (robot_view_has(record, move->from, move->size))
            memcpy(view->image + move->to, record->values + move->from, move->size);
    }
    return 0;
}

static void take_cell(struct robot_view *view, const struct armtap_record *record, const struct armtap_field *field)
{
    struct armtap_value value;
    const struct variable *variable = variables_of_field(view->variables, field->id);
    armtap_state_get(record->state, field, &value);
    if (variable && variable->field && value.present)
        value_put(view->image + variable->offset, &value);
}

int robot_view_take(struct robot_view *view, const struct armtap_record *record)
{
    if (record->protocol == ARMTAP_RTDE)
        return record->recipe ? take_values(view, record) : 0;
    for (size_t word = 0; record->updated && word < sizeof record->updated->word / 8; word++)
        for (uint64_t bits = record->updated->word[word]; bits != 0; bits &= bits - 1) {
            const struct armtap_field *field = armtap_field_at(word * 64 + (size_t)__builtin_ctzll(bits));
            if (field)
                take_cell(view, record, field);
        }
    return 0;
}

const uint8_t *robot_view_image(const struct robot_view *view)
{
    return view->image;
}
