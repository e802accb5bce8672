#include "stream_rank.h"

#include <stdio.h>
#include <string.h>

unsigned stream_rank(enum armtap_protocol protocol, enum armtap_direction direction)
{
    if (!armtap_protocol_has(protocol, ARMTAP_TRAIT_BESIDE))
        return 0;
    return direction == ARMTAP_FROM_ROBOT && armtap_protocol_has(protocol, ARMTAP_TRAIT_UNASKED) ? 1 : 2;
}

int stream_host(const char *address)
{
    const char *colon = strrchr(address, ':');
    return colon ? (int)(colon - address) : (int)strlen(address);
}

bool stream_same_host(const char *one, const char *other)
{
    int length = stream_host(one);
    return length > 0 && length == stream_host(other) && memcmp(one, other, (size_t)length) == 0;
}

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
