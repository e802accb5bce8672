/* The seam between rows and files. A format is a row of formats.def and a file format_*.c with a struct writer: what
 * becomes of the rows. It knows neither the library's callbacks nor how files are written: frames and their recipes go
 * in, bytes come out.
 *
 *   prepare   which columns a table has in this format    once for each table
 *   begin     a table begins in a file: its header        in order, by the thread that writes
 *   rows      a batch of rows becomes bytes               on any thread, in any order
 *   place     these bytes reach their file                in order, by the thread that writes
 *   end       the file is complete: its footer            the same
 *   forget    what it kept of the file is freed           the same
 *
 * A batch holds neighbouring rows of one table in one file, as many as happened to come: one, or some hundreds. How
 * rows are cut into batches depends on the threads and on the time, so no file may show it. A format that wants larger
 * groups, or an index, collects them in `place`, in the state that it keeps of the file.
 *
 * A batch has its rows as they came, the bytes of frames, from which values are read by recipe. A format that says
 * FORMAT_COLUMNS also gets their values as columns (columns.h). The formats of text take the frames: gathering columns
 * first costs CSV a seventh more time. */
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

struct columns;

/* Neighbouring rows of one table in one file. */
struct row_batch {
    const struct view *view; /* of opaque records: without a table, its picks are columns that are no fields alone */
    const struct output_row *rows;
    size_t count;
    const struct columns *columns; /* the same rows; NULL unless the format is one of columns */
};

/* A file as its format sees it. */
struct target {
    uint64_t offset;  /* in the file, of the next byte that is given for it; not compressed */
    const char *path; /* of a format that seeks: the file, as long as it is written; `end` finds all in it; else NULL */
    void *state;      /* the format's own, which `forget` frees */
    /* of the seam: which tables have begun in it */
    bool has_begun;
    struct buffer tables;
};

/* What a format does with rows; what it can is in its row of formats.def. All but `rows` may be NULL. What may fail
 * returns 0, or -1 after a message; where only memory lacks, out->failed says it as well. */
struct writer {
    /* Changes the picks to what the format prints. `generation` is whose legacy layout is wanted. 0, or -1 without
     * memory and without a message. A view whose picks are all absent then has nothing for this format. */
    int (*prepare)(struct view *view, enum armtap_generation generation);
    /* A table is about to have its first row in the file. If there is no row at all, called once, with an empty table.
     */
    int (*begin)(struct target *target, const struct view *view, struct buffer *out);
    /* Appends the rows to `out`. 0, or -1 without memory and without a message. */
    int (*rows)(const struct row_batch *batch, struct buffer *out);
    /* Appends to `out` what the file gets of the bytes that `rows` made of a batch of that view; NULL: all of them. */
    int (*place)(struct target *target, const struct view *view, const char *bytes, size_t length, struct buffer *out);
    int (*end)(struct target *target, struct buffer *out);
    void (*forget)(struct target *target);
};

#endif
