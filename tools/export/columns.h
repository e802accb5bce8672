/* Rows as columns: what a format with FORMAT_COLUMNS gets of a batch. Each cell of a view's rows, an element of a pick,
 * is a column: a buffer of values of one type, and a bit for each row that has one. The cells of a pick follow one
 * another, and so do their buffers. */
#ifndef EXPORT_COLUMNS_H
#define EXPORT_COLUMNS_H

#include "format.h"

/* A text among those of all columns. */
struct column_text {
    uint32_t at;
    uint32_t length;
};

/* The values of rows without one are 0. Columns of the dictionary's fields have the field's type, whatever the
 * protocol; modes by name, and texts that the wire had as texts, are STRING, valid UTF-8 but for hidden characters;
 * BYTES are as they came; what a text protocol may send as anything is JSON, as well-formed text. Columns that are no
 * fields have the type that row_columns.def gives them. */
struct column {
    const struct pick *pick;
    unsigned element; /* of the pick's column */
    enum armtap_type type;
    const uint64_t *present; /* bit row % 64 of word row / 64; bits beyond the rows are 0 */
    union {                  /* as in armtap_value: the member follows the type */
        const uint64_t *u64;
        const int64_t *i64;
        const double *f64;
        const struct column_text *text;
    };
};

struct columns {
    struct column *column;
    size_t count;
    size_t rows;
    struct buffer texts;
    uint64_t misfits; /* values that their column's type cannot hold: they are absent */
    /* of columns.c */
    uint64_t *words;
    size_t words_room;
    size_t columns_room;
};

/* Gathers the cells of rows of a view; without rows, what columns there are. `columns` begins as all zeros and keeps
 * its memory for the next batch. 0, or -1 without memory. */
int columns_gather(struct columns *columns, const struct view *view, const struct output_row *rows, size_t count);
void columns_free(struct columns *columns);

static inline bool column_has(const struct column *column, size_t row)
{
    return (column->present[row / 64] >> row % 64 & 1) != 0;
}
static inline bool column_is_text(const struct column *column)
{
    return column->type == ARMTAP_STRING || column->type == ARMTAP_BYTES || column->type == ARMTAP_JSON;
}
/* Appends the column's name, as other formats have it: actual_q_0. */
void column_name(const struct column *column, struct buffer *out);

#endif
