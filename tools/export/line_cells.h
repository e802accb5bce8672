/* Values as cells of a line: what the formats of one row per line have in common. */
#ifndef EXPORT_LINE_CELLS_H
#define EXPORT_LINE_CELLS_H

#include "format.h"

struct cell_style {
    char separator;
    const char *truth[2]; /* of BOOL: false, true */
    const char *absent;
    const char *nan;
    bool only_numbers;     /* a text counts as absent */
    const char *quoted_if; /* characters that make a text need quotes */
    const char *line_end;
    bool is_shown;   /* a terminal gets the text: nothing hidden in it stays as it is */
    bool is_guarded; /* no text may begin as a spreadsheet's formula does */
};

/* The style as the view wants it. */
static inline struct cell_style cells_style(struct cell_style style, const struct view *view)
{
    style.is_shown = view->is_shown;
    style.is_guarded = view->is_guarded;
    return style;
}

/* A text, in quotes if the style needs them: valid UTF-8 whatever it was (utf8_store). */
void cells_text(const char *bytes, size_t length, const struct cell_style *style, struct buffer *out);
/* The picks' names, vectors spread as name_0, name_1, ... with separators between them. */
void cells_names(const struct view *view, const struct cell_style *style, struct buffer *out);
/* The picks' values with separators between them. */
void cells_values(const struct view *view, const struct output_row *row, const struct cell_style *style,
                  struct buffer *out);
/* The value that a row has for a pick of the table. */
void pick_read(const struct pick *pick, const struct output_row *row, struct armtap_value *value);
/* The first pick from `from` on whose cells do not hold all elements of its value; picks.count where there is none.
 * `elements` becomes how many it has. */
size_t cells_too_few(const struct view *view, const struct output_row *row, size_t from, size_t *elements);
/* One element of a value as it is written without quotes. */
void cells_number(const struct armtap_value *value, unsigned element, const struct cell_style *style,
                  struct buffer *out);
/* Bytes of a value whose type is not known, as hexadecimal digits. */
void cells_hex(const char *bytes, size_t length, struct buffer *out);

#endif
