/* Recipes: a byte of options, names, 0xFF, types, 0xFF, and bytes of values. */
#include "rtde_package.h"

#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "inside.h"

static char *take_text(struct input *input)
{
    const uint8_t *end = input_left(input) > 0 ? memchr(input->at, 0xFF, input_left(input)) : NULL;
    size_t length = end ? (size_t)(end - input->at) : input_left(input);
    char *text = malloc(length + 1);
    CHECK(text);
    if (length > 0)
        memcpy(text, input->at, length);
    text[length] = '\0';
    input->at += end ? length + 1 : length;
    return text;
}

static void check_entries(const struct armtap_recipe *recipe)
{
    size_t end = 0, count = armtap_recipe_count(recipe);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        CHECK(entry && entry->offset == end);
        CHECK(entry->count >= 1 && entry->count <= 6 && strlen(entry->name) > 0);
        end += entry->wire_size;
    }
    CHECK(end == armtap_recipe_size(recipe));
    CHECK(!armtap_recipe_at(recipe, count));
}

/* Every value, from a block that holds no byte more. */
static void check_read(const struct armtap_recipe *recipe, const uint8_t *bytes, size_t length)
{
    uint8_t *values = copy_of(bytes, length);
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        struct armtap_value value;
        armtap_recipe_read(recipe, i, values, length, &value);
        CHECK(value.present == (entry->offset + entry->wire_size <= length));
        CHECK(strcmp(value.name, entry->name) == 0 && value.count == entry->count && value.type == entry->type);
    }
    free(values);
}

/* Values, state, values, state: the second pair is as the first. */
static void check_round_trip(const struct armtap_recipe *recipe, const uint8_t *bytes, size_t length)
{
    size_t size = armtap_recipe_size(recipe);
    struct armtap_state *state = armtap_state_new(), *again = armtap_state_new();
    uint8_t *values = copy_of(bytes, length), *encoded = malloc(size), *twice = malloc(size);
    struct armtap_set updated, updated_again;
    CHECK(state && again && ((encoded && twice) || size == 0));
    armtap_recipe_decode(recipe, values, length, state, &updated);
    state->known = updated;
    if (size > 0) {
        CHECK(armtap_encode_values(recipe, state, encoded, size) == (int)size);
        CHECK(armtap_encode_values(recipe, state, encoded, size - 1) == ARMTAP_ERR_SPACE);
        armtap_recipe_decode(recipe, encoded, size, again, &updated_again);
        again->known = updated;
        CHECK(armtap_encode_values(recipe, again, twice, size) == (int)size);
        CHECK(memcmp(encoded, twice, size) == 0);
        for (size_t i = 0; i < sizeof updated.word / sizeof updated.word[0]; i++)
            CHECK((updated.word[i] & ~updated_again.word[i]) == 0);
    }
    free(twice);
    free(encoded);
    free(values);
    armtap_state_free(again);
    armtap_state_free(state);
}

/* With what the wire may hold, where types may be unknown: the recipe is open from there on. */
static void check_lists(const char *names, const char *types, const uint8_t *bytes, size_t length, unsigned options)
{
    struct armtap_item name_list = {names, strlen(names)}, type_list = {types, strlen(types)};
    struct armtap_recipe *recipe;
    bool with_names = !(options & 2), with_types = !with_names || !(options & 4);
    CHECK(armtap_recipe_from_lists(with_names ? &name_list : NULL, with_types ? &type_list : NULL, &recipe) ==
          ARMTAP_OK);
    uint8_t *values = copy_of(bytes, length);
    for (size_t i = 0; i < recipe->count; i++) {
        struct armtap_value value;
        armtap_recipe_read(recipe, i, values, length, &value);
        if (value.present && (value.type == ARMTAP_BYTES || value.type == ARMTAP_STRING))
            CHECK(value.text >= (const char *)values && value.text + value.length == (const char *)values + length);
    }
    free(values);
    CHECK(armtap_recipe_same(recipe, recipe));
    armtap_recipe_release(recipe);
}

FUZZ_TARGET(recipe)
{
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    char *names = take_text(&input), *types = take_text(&input);
    size_t left = input_left(&input);
    struct armtap_recipe *recipe = (struct armtap_recipe *)(uintptr_t)1;
    int error = armtap_recipe_rtde(names, options & 1 ? NULL : types, &recipe);
    CHECK(error == ARMTAP_OK || error == ARMTAP_ERR_TYPE || (error == ARMTAP_ERR_ARGUMENT && !(options & 1)));
    if (error == ARMTAP_OK) {
        check_entries(recipe);
        check_read(recipe, input.at, left);
        check_round_trip(recipe, input.at, left);
        armtap_recipe_release(recipe);
    }
    check_lists(names, types, input.at, left, options);
    free(names);
    free(types);
    return 0;
}
