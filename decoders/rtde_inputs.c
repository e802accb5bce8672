#include "rtde_inputs.h"

#include <string.h>

/* The number of ids before one of that size: searching all for each package would cost more than the package. */
static unsigned place_of(const struct armtap_rtde_inputs *inputs, size_t size, unsigned id)
{
    unsigned low = 0, high = inputs->count;
    while (low < high) {
        unsigned middle = (low + high) / 2, other = inputs->by_size[middle];
        size_t other_size = inputs->by_id[other]->size;
        if (other_size < size || (other_size == size && other < id))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void armtap_rtde_inputs_sort(struct armtap_rtde_inputs *inputs, uint8_t id)
{
    uint8_t *ids = inputs->by_size, *old = memchr(ids, id, inputs->count);
    if (old)
        memmove(old, old + 1, --inputs->count - (size_t)(old - ids));
    unsigned at = place_of(inputs, inputs->by_id[id]->size, id);
    memmove(&ids[at + 1], &ids[at], inputs->count++ - at);
    ids[at] = id;
}

const struct armtap_recipe *armtap_rtde_inputs_of_size(const struct armtap_rtde_inputs *inputs, size_t size)
{
    unsigned at = place_of(inputs, size, 0);
    const struct armtap_recipe *recipe = at < inputs->count ? inputs->by_id[inputs->by_size[at]] : NULL;
    return recipe && recipe->size == size ? recipe : NULL;
}
