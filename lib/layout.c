#include "layout.h"

#include <string.h>

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

void armtap_layouts_clear(struct armtap_layouts *layouts)
{
    for (size_t i = 0; i < ARMTAP_LAYOUTS_MAX; i++)
        forget(&layouts->all[i]);
}
