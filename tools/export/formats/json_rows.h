/* Rows as members of a JSON object, for ndjson and MCAP. */
#ifndef EXPORT_JSON_ROWS_H
#define EXPORT_JSON_ROWS_H

#include "format.h"

/* Sets each pick's key, as in ,"actual_q": with names that no other has. `reserved`: names that none may have; NULL
 * after the last. 0, or -1 without memory. */
int json_rows_set_keys(struct view *view, const char *const *reserved);

/* What becomes of a single number that JSON lacks: NaN, an infinity. */
enum json_rows_nan { JSON_ROWS_NULL, JSON_ROWS_LEFT_OUT };
/* Appends the members of a batch's row, each after a comma. Absent fields are left out. */
void json_rows_values(const struct row_batch *batch, size_t row, enum json_rows_nan nan, struct buffer *out);
/* The same as an object of its own. */
void json_rows_object(const struct row_batch *batch, size_t row, enum json_rows_nan nan, struct buffer *out);
/* Appends the value of a row column whose text is `text`; null without one. */
void json_rows_row_column(enum row_column column, const char *text, size_t length, struct buffer *out);

#endif
