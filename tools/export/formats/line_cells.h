/* Values as cells of a line, for formats with one row per line. */
#ifndef EXPORT_LINE_CELLS_H
#define EXPORT_LINE_CELLS_H

#include "format.h"

struct cell_style {
    char separator;
    const char *truth[2]; /* of BOOL: false, true */
    const char *absent;
    const char *nan;
    const char *infinite;  /* NULL: "inf" and "-inf" */
    bool only_numbers;     /* print texts as absent */
    const char *quoted_if; /* a text with one of these is quoted */
    const char *line_end;
    bool is_shown;   /* for a terminal: escape hidden characters */
    bool is_guarded; /* no text may begin like a formula */
};

/* The style, adapted to the output of the view. */
static inline struct cell_style cells_style(struct cell_style style, const struct view *view)
{
    style.is_shown = view->is_shown;
    style.is_guarded = view->is_guarded;
    return style;
}

/* Appends a text as valid UTF-8 (utf8_store), quoted if the style requires it. */
void cells_text(const char *bytes, size_t length, const struct cell_style *style, struct buffer *out);
/* The picks' names, vectors spread as name_0, name_1, ... with separators between them. */
void cells_names(const struct view *view, const struct cell_style *style, struct buffer *out);
/* The values of a batch's row with separators between them. */
void cells_values(const struct row_batch *batch, size_t row, const struct cell_style *style, struct buffer *out);
/* Numbers with separators between them. `above`: their cells. */
void cells_doubles(const double *numbers, unsigned count, const struct cell_style *style, struct number_cell *above,
                   struct buffer *out);
/* The same from the bytes of a frame. */
void cells_wire_doubles(const uint8_t *numbers, unsigned count, const struct cell_style *style,
                        struct number_cell *above, struct buffer *out);
/* The type of a pick's elements. */
enum armtap_type pick_type(const struct view *view, const struct pick *pick);
/* Reads a pick's value in a row. */
void pick_read(const struct pick *pick, const struct output_row *row, struct armtap_value *value);
/* The first pick, starting at `from`, with fewer cells than its value has elements; picks.count if none. Sets
 * `elements` to the number of elements. */
size_t cells_too_few(const struct view *view, const struct output_row *row, size_t from, size_t *elements);
/* Appends one element of a value, without quotes. */
void cells_number(const struct armtap_value *value, unsigned element, const struct cell_style *style,
                  struct buffer *out);
/* Appends bytes as hexadecimal digits. */
void cells_hex(const char *bytes, size_t length, struct buffer *out);

/* Rows as members of a JSON object, for ndjson and MCAP. */

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
