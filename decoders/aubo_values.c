#include "aubo_values.h"

#include "aubo_topics.h"

int armtap_aubo_values(struct armtap_aubo_reader *reader, const struct armtap_recipe *recipe,
                       struct armtap_aubo_element list, size_t count, struct armtap_cells *cells)
{
    struct armtap_aubo_element element;
    int error = armtap_cells_begin(cells, recipe->count);
    armtap_aubo_next(&list, &element);
    for (size_t i = 0; i < recipe->count && i + 1 < count && error == ARMTAP_OK; i++) {
        const struct armtap_field *field = recipe->entries[i].field;
        struct armtap_value value;
        bool fits = false;
        armtap_aubo_next(&list, &element);
        if (field)
            error = armtap_aubo_field_value(reader, &element, field, armtap_aubo_topic_factor(field), &value, &fits);
        if (error == ARMTAP_OK && !fits)
            error = armtap_aubo_value(reader, &element, &value);
        if (error == ARMTAP_OK)
            error = armtap_cells_put(cells, i, &value);
    }
    return error;
}
