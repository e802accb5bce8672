/* The columns of a table, and where each of its recipes has them. For tables.c only. */
#ifndef EXPORT_TABLE_COLUMNS_H
#define EXPORT_TABLE_COLUMNS_H

#include "tables.h"

/* Builds the columns of a table, in the order of its recipes. 0, or -1 without memory. */
int layouts_build(struct table *table);
void layouts_take_down(struct table *table);
/* Matches a layout to a table whose columns are fixed; TABLES_GREW if it needs others. */
enum tables_outcome layout_join(struct table *table, struct table_layout *layout);
/* Updates the longest array lengths from a record, while the columns are not fixed. 0, or -1 without memory. */
int layout_measure(struct table_layout *layout, const struct armtap_record *record);
/* Raises the longest array lengths to those of another layout of the same recipe. 0, or -1 without memory. */
int layout_lengthen(struct table_layout *layout, const size_t *lengths);

#endif
