#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "recipe.h"

static void forget(struct armtap_layout *layout)
{
    armtap_recipe_release(layout->recipe);
    layout->recipe = NULL;
}

int armtap_layout_of(struct armtap_layouts *layouts, enum armtap_protocol protocol, size_t number,
                     armtap_layout_maker *make, struct armtap_recipe **recipe)
{
    struct armtap_layout *all = layouts->all, found = {protocol, number, NULL};
    size_t i = 0;
    while (i < ARMTAP_LAYOUTS_MAX - 1 && all[i].recipe && (all[i].protocol != protocol || all[i].number != number))
        i++;
    if (all[i].recipe && all[i].protocol == protocol && all[i].number == number) {
        found.recipe = all[i].recipe;
    } else {
        int error = make(number, &found.recipe);
        if (error != ARMTAP_OK)
            return error;
        forget(&all[i]);
    }
    memmove(all + 1, all, i * sizeof *all);
    all[0] = found;
    *recipe = armtap_recipe_hold(found.recipe);
    return ARMTAP_OK;
}

/* ---- texts ----------------------------------------------------------------------------------------------------- */

static bool is_of(const struct armtap_text_layout *layout, const struct armtap_text_key *key)
{
    return layout->recipe && layout->protocol == key->protocol && layout->length[0] == key->length[0] &&
           layout->length[1] == key->length[1] && memcmp(layout->text, key->piece[0], key->length[0]) == 0 &&
           memcmp(layout->text + key->length[0], key->piece[1], key->length[1]) == 0;
}

static void make_first(struct armtap_layouts *layouts, size_t i)
{
    struct armtap_text_layout found = layouts->texts[i];
    memmove(layouts->texts + 1, layouts->texts, i * sizeof found);
    layouts->texts[0] = found;
}

static size_t bytes_of(const struct armtap_text_layout *layout)
{
    return layout->length[0] + layout->length[1] + layout->recipe->bytes;
}

/* Nobody uses its recipe, which becomes a connection's own if one comes by it elsewhere. */
static void forget_text(struct armtap_layouts *layouts, struct armtap_text_layout *layout)
{
    if (!layout->recipe)
        return;
    layouts->text_bytes -= bytes_of(layout);
    layout->recipe->is_shared = false;
    armtap_recipe_release(layout->recipe);
    free(layout->text);
    *layout = (struct armtap_text_layout){.recipe = NULL};
}

static size_t find_text(const struct armtap_layouts *layouts, const struct armtap_text_key *key)
{
    size_t i = 0;
    while (i < ARMTAP_TEXTS_MAX && !is_of(&layouts->texts[i], key))
        i++;
    return i;
}

struct armtap_recipe *armtap_layout_of_text(struct armtap_layouts *layouts, const struct armtap_text_key *key)
{
    size_t i = find_text(layouts, key);
    if (i == ARMTAP_TEXTS_MAX)
        return NULL;
    make_first(layouts, i);
    return armtap_recipe_hold(layouts->texts[0].recipe);
}

/* Forgets the recipe asked for longest ago that no connection uses. False: there is none. */
static bool forget_one(struct armtap_layouts *layouts)
{
    size_t i = ARMTAP_TEXTS_MAX;
    while (i > 0 && (!layouts->texts[i - 1].recipe || layouts->texts[i - 1].recipe->users > 0))
        i--;
    if (i == 0)
        return false;
    forget_text(layouts, &layouts->texts[i - 1]);
    memmove(layouts->texts + i - 1, layouts->texts + i, (ARMTAP_TEXTS_MAX - i) * sizeof *layouts->texts);
    layouts->texts[ARMTAP_TEXTS_MAX - 1] = (struct armtap_text_layout){.recipe = NULL};
    return true;
}

/* The first free entry, if that many more bytes may be kept; NULL: connections use all recipes. */
static struct armtap_text_layout *make_place(struct armtap_layouts *layouts, size_t bytes)
{
    struct armtap_text_layout *last = &layouts->texts[ARMTAP_TEXTS_MAX - 1];
    while (last->recipe || layouts->text_bytes + bytes > ARMTAP_TEXTS_BYTES) {
        if (!forget_one(layouts))
            return NULL;
    }
    while (last > layouts->texts && !last[-1].recipe)
        last--;
    return last;
}

int armtap_layout_keep(struct armtap_layouts *layouts, const struct armtap_text_key *key, struct armtap_recipe *recipe)
{
    size_t length = key->length[0] + key->length[1];
    if (length == 0 || length > ARMTAP_TEXT_MOST || find_text(layouts, key) < ARMTAP_TEXTS_MAX)
        return ARMTAP_OK;
    char *text = malloc(length);
    bool has_memory = text != NULL;
    struct armtap_text_layout *place = text ? make_place(layouts, length + recipe->bytes) : NULL;
    if (!place) {
        free(text);
        return has_memory ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
    }
    memcpy(text, key->piece[0], key->length[0]);
    memcpy(text + key->length[0], key->piece[1], key->length[1]);
    recipe->is_shared = true;
    *place = (struct armtap_text_layout){.protocol = key->protocol,
                                         .text = text,
                                         .length = {key->length[0], key->length[1]},
                                         .recipe = armtap_recipe_hold(recipe)};
    layouts->text_bytes += bytes_of(place);
    make_first(layouts, (size_t)(place - layouts->texts));
    return ARMTAP_OK;
}

void armtap_layouts_clear(struct armtap_layouts *layouts)
{
    for (size_t i = 0; i < ARMTAP_LAYOUTS_MAX; i++)
        forget(&layouts->all[i]);
    for (size_t i = 0; i < ARMTAP_TEXTS_MAX; i++)
        forget_text(layouts, &layouts->texts[i]);
}
