/* Files for --recipe: UR's XML, plain lines, AUBO's subscription. What is taken must be a recipe that stands in a
 * set-up too. */
#include "input/files/recipe_file.h"

#include <string.h>

#include "target.h"

FUZZ_TARGET(recipe_file)
{
    struct armtap_recipe *recipe = NULL;
    int outcome = recipe_file_read(input_file(data, size), &recipe);
    CHECK(outcome == 0 || outcome == -1);
    if (outcome != 0)
        return 0;
    CHECK(recipe && armtap_recipe_count(recipe) > 0 && armtap_recipe_count(recipe) <= size);
    bool is_aubo = armtap_recipe_protocol(recipe) == ARMTAP_AUBO;
    CHECK(is_aubo || armtap_recipe_protocol(recipe) == ARMTAP_RTDE);
    CHECK(is_aubo == (armtap_recipe_size(recipe) == 0));
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const char *name = armtap_recipe_at(recipe, i)->name;
        CHECK(strlen(name) > 0 && (is_aubo || !strchr(name, ',')));
    }
    armtap_recipe_release(recipe);
    return 0;
}
