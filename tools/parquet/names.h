/* Names of columns that readers can tell apart. */
#ifndef PARQUET_NAMES_H
#define PARQUET_NAMES_H

#include "footer.h"

/* Renames columns whose name an earlier one has, ignoring case (of ASCII letters): NAME_2, NAME_3 ... 0, or -1 without
 * memory. */
int parquet_names_set_apart(struct parquet_column *columns, size_t count);

#endif
