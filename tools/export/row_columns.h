/* Columns of a row that are no fields of the wire: when and where its record was captured, of which stream it is
 * (row_columns.def). */
#ifndef EXPORT_ROW_COLUMNS_H
#define EXPORT_ROW_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "armtap.h"
#include "base/number_text.h"

enum row_column {
    ROW_COLUMN_NONE,
#define ROW_COLUMN(name, type, meaning) ROW_COLUMN_##name,
#include "row_columns.def"
#undef ROW_COLUMN
    ROW_COLUMN_END
};

struct output_row;

/* The column of that exact name; ROW_COLUMN_NONE if there is none. */
enum row_column row_column_find(const char *name);
const char *row_column_name(enum row_column column);
bool row_column_is_number(enum row_column column);
enum armtap_type row_column_type(enum row_column column);
/* A row's value: `time` in whole nanoseconds too. */
void row_column_value(enum row_column column, const struct output_row *row, struct armtap_value *value);
/* The text of a row's cell, without quotes: a number written into `digits`, or a text of the row's. Returns its length;
 * 0: the row has nothing there. */
size_t row_column_text(enum row_column column, const struct output_row *row, char digits[NUMBER_MAX],
                       const char **text);

#endif
