/* The columns of a table: those of its recipes, and where each recipe has them. Of tables.c only. */
#ifndef EXPORT_TABLE_COLUMNS_H
#define EXPORT_TABLE_COLUMNS_H

#include "tables.h"

/* Builds the columns of a table; those of its recipes in their order. 0, or -1 without memory. */
int layouts_build(struct table *table);
void layouts_take_down(struct table *table);
/* Fills a layout that comes to a table whose columns are fixed; TABLES_GREW if it has others. */
enum tables_outcome layout_join(struct table *table, struct table_layout *layout);
/* Takes note of how many elements the arrays of a record have; of a table whose columns are not fixed yet. 0, or -1
 * without memory. */
int layout_measure(struct table_layout *layout, const struct armtap_record *record);
/* Takes over how many elements there were in another layout of the recipe, if that were more. */
int layout_lengthen(struct table_layout *layout, const size_t *leaves);

#endif
