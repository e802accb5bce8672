/* Row columns: columns that are not fields, such as the time and place of capture, or the stream (row_columns.def). */
#ifndef EXPORT_ROW_COLUMNS_H
#define EXPORT_ROW_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "armtap.h"
#include "base/numbers/number_text.h"

enum row_column {
    ROW_COLUMN_NONE,
#define ROW_COLUMN(name, type, meaning) ROW_COLUMN_##name,
#include "row_columns.def"
    ROW_COLUMN_END
};

struct output_row;

/* The row column of that exact name, or ROW_COLUMN_NONE. */
enum row_column row_column_find(const char *name);
const char *row_column_name(enum row_column column);
bool row_column_is_number(enum row_column column);
enum armtap_type row_column_type(enum row_column column);
/* Whether its nanoseconds stand for a time in seconds. */
static inline bool row_column_is_time(enum row_column column)
{
    return column == ROW_COLUMN_time || column == ROW_COLUMN_robot_time;
}
/* A row's value; times in nanoseconds, like time_ns. */
void row_column_value(enum row_column column, const struct output_row *row, struct armtap_value *value);
/* Sets `text` to a row's cell, without quotes: a number in `digits`, or a string of the row. Returns its length; 0:
 * absent. */
size_t row_column_text(enum row_column column, const struct output_row *row, char digits[NUMBER_MAX],
                       const char **text);

#endif
