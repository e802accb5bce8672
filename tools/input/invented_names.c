#include "invented_names.h"

#include <stdio.h>
#include <string.h>

size_t invented_names(const struct armtap_recipe *recipe)
{
    size_t count = 0;
    char name[32];
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        snprintf(name, sizeof name, "value_%zu", i);
        count += strcmp(armtap_recipe_at(recipe, i)->name, name) == 0;
    }
    return count;
}
