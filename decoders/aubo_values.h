/* The values of a data message as cells, in two ways. The plain one takes any JSON. The other one reads what the set-up
 * lets expect, checking and converting in one pass; tests/unit/test_aubo_values holds them against each other. */
#ifndef ARMTAP_AUBO_VALUES_H
#define ARMTAP_AUBO_VALUES_H

#include "table/cells.h"
#include "table/recipe.h"
#include "aubo_json.h"

/* `list` is a message for which armtap_aubo_is_json gave `count`, the channel included. */
int armtap_aubo_values(struct armtap_aubo_reader *reader, const struct armtap_recipe *recipe,
                       struct armtap_aubo_element list, size_t count, struct armtap_cells *cells);
/* False if the message needs the plain way: it is no JSON, has another number of values than the recipe, or anything
 * in it is unusual. Else the cells are the same as those of the plain way. */
bool armtap_aubo_values_by_position(const struct armtap_recipe *recipe, struct armtap_aubo_element list,
                                    struct armtap_cells *cells);

#endif
