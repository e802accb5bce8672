/* Output formats: how a table's rows become text. A format is one file format_*.c and one line in formats.def. Formats
 * know neither files nor the library's callbacks: bytes of a frame and its recipe go in, text comes out, on any thread.
 */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include "missing_data.h"
#include "field_selection.h"
#include "tables.h"
#include "base/buffer.h"

/* What is printed of a table. */
struct view {
    const struct table *table;
    struct picks picks;
    size_t keys; /* bytes of the names in a row that has all its values, and of the longest */
    size_t longest_key;
    size_t cells;    /* of a row */
    size_t width;    /* bytes of a row's text besides its values, about: separators, keys, what stands for the absent */
    size_t header;   /* bytes of the text that precedes the first row, about */
    bool is_shown;   /* on a terminal: hidden characters (utf8.h) of texts must not reach it */
    bool is_guarded; /* for a spreadsheet: no text may begin as a formula does */
};

/* One record, without what only lives during a callback. */
struct output_row {
    struct armtap_where where;
    unsigned stream;
    const char *robot;
    const char *client;
    const char *file; /* NULL: an interface */
    bool several_files;
    enum armtap_protocol protocol;
    enum armtap_direction direction;
    enum armtap_generation generation;
    bool is_mixed; /* rows of another generation, which numbers its modes differently, are in the same output */
    const struct table_layout *layout; /* NULL: an opaque record, of which no value is known */
    struct missing_flow missing;       /* since the row before */
    const uint8_t *values;
    size_t values_length;
};

/* What a format does with rows; what it can is in its row of formats.def. */
struct writer {
    /* Changes the picks to what the format prints; NULL: leaves them. `generation` is whose legacy layout is wanted. 0,
     * or -1 without memory. A view whose picks are all absent then has nothing for this format. */
    int (*prepare)(struct view *view, enum armtap_generation generation);
    void (*begin)(const struct view *view, struct buffer *out); /* what precedes the first row, or NULL */
    /* Of an opaque record the view has no table, and picks of columns that are no fields alone. */
    void (*row)(const struct view *view, const struct output_row *row, struct buffer *out);
};

#endif
