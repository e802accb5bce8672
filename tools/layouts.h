/* The columns of a table: those of its recipes, and where each recipe has them. Of tables.c only. */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include "tables.h"

/* The same fields in the same places. */
bool layouts_recipe_same(const struct armtap_recipe *a, const struct armtap_recipe *b);
/* Fills a layout that comes to a table whose columns are fixed; TABLES_GREW if it has others. */
enum tables_outcome layout_join(struct table *table, struct table_layout *layout);
/* Takes note of how many elements the arrays of a record have; of a table whose columns are not fixed yet. */
enum tables_outcome layout_measure(struct table_layout *layout, const struct armtap_record *record);

#endif
