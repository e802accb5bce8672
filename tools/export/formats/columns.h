/* Rows as columns, for formats with FORMAT_COLUMNS. Each element of a pick is a column: an array of values of one type,
 * and one presence bit for each row. The columns of a pick are adjacent, and so are their arrays. */
#ifndef EXPORT_COLUMNS_H
#define EXPORT_COLUMNS_H

#include "columns/table.h"
#include "format.h"

/* Absent values are 0. A field of the dictionary has its own type in every protocol. Modes by name, and texts, are
 * STRING: valid UTF-8, hidden characters included. BYTES are unchanged. A value of a text protocol that may have any
 * type is JSON, well-formed. Row columns have the type that row_columns.def gives them. */
struct column {
    const struct pick *pick;
    unsigned element; /* of the pick's column */
    enum armtap_type type;
    const uint64_t *present; /* bit row % 64 of word row / 64; bits beyond the rows are 0 */
    union {                  /* as in armtap_value: the member follows the type */
        const uint64_t *u64;
        const int64_t *i64;
        const double *f64;
        const struct column_text *text; /* in columns.texts */
    };
};

struct columns {
    struct column *column;
    size_t count;
    size_t rows;
    struct buffer texts;
    uint64_t misfits; /* values that do not fit the column's type and were left out */
    /* private to columns.c */
    uint64_t *words;
    size_t words_room;
    size_t columns_room;
};

/* Fills the columns from rows of a view; with 0 rows, only sets up the columns. `columns` must be zeroed before the
 * first call, and keeps its memory for the next batch. 0, or -1 without memory. */
int columns_gather(struct columns *columns, const struct view *view, const struct output_row *rows, size_t count);
/* The rows as a table of columns takes them. */
struct column_batch columns_batch(const struct columns *columns);
void columns_free(struct columns *columns);

static inline bool column_is_text(const struct column *column)
{
    return column->type == ARMTAP_STRING || column->type == ARMTAP_BYTES || column->type == ARMTAP_JSON;
}
/* Appends the column's name as in other formats: actual_q_0. */
void column_name(const struct column *column, struct buffer *out);

#endif
