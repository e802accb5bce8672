#include "aubo_both_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoders/aubo_values.h"

struct aubo_both_ways aubo_both_ways;

bool __real_armtap_aubo_values_by_position(const struct armtap_recipe *recipe, struct armtap_aubo_element list,
                                           struct armtap_cells *cells);
bool __wrap_armtap_aubo_values_by_position(const struct armtap_recipe *recipe, struct armtap_aubo_element list,
                                           struct armtap_cells *cells);

static void fail(const char *why, struct armtap_aubo_element list)
{
    fprintf(stderr, "read by position: %s: %.*s\n", why, (int)list.length, list.text);
    abort();
}

static void check(const struct armtap_recipe *recipe, struct armtap_aubo_element list, const struct armtap_cells *cells)
{
    struct armtap_aubo_reader reader = {NULL, NULL, 0};
    struct armtap_cells plain = {NULL, 0, 0};
    size_t count;
    if (!armtap_aubo_is_json((const uint8_t *)list.text, list.length, &count) || list.text[0] != '[')
        fail("no list of JSON", list);
    if (count != recipe->count + 1)
        fail("another number of values", list);
    if (armtap_aubo_values(&reader, recipe, list, count, &plain) == ARMTAP_OK &&
        (plain.length != cells->length || memcmp(plain.bytes, cells->bytes, plain.length) != 0))
        fail("other values", list);
    armtap_cells_free(&plain);
    armtap_aubo_reader_free(&reader);
}

bool __wrap_armtap_aubo_values_by_position(const struct armtap_recipe *recipe, struct armtap_aubo_element list,
                                           struct armtap_cells *cells)
{
    bool taken = __real_armtap_aubo_values_by_position(recipe, list, cells);
    aubo_both_ways.tried++;
    aubo_both_ways.taken += taken;
    if (taken)
        check(recipe, list, cells);
    return taken;
}
