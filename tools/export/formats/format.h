/* The interface between rows and files. A format is a row of formats.def and a file format_*.c with a struct writer. It
 * needs to know neither the library's callbacks nor how files are written: it turns frames and their recipes into
 * bytes.
 *
 *   prepare   chooses the columns of a table    once for each table
 *   begin     a table begins in a file: its header        in order, by the thread that writes
 *   rows      a batch of rows becomes bytes               on any thread, in any order
 *   place     these bytes reach their file                in order, by the thread that writes
 *   ease      too many rows are kept in memory            the same
 *   show      a live source: a second has passed          the same
 *   end       the file is complete: its footer            the same
 *   forget    frees its state of the file           the same
 *
 * A batch holds consecutive rows of one table in one file: from one to some hundreds. The division into batches depends
 * on threads and timing; the output must not depend on it. A format that needs larger groups, or an index, collects
 * them in `place`, in its state of the file, and may compress them there on several threads (settings->packer).
 *
 * The rows of a batch are the bytes of frames; a recipe reads the values. A format with FORMAT_COLUMNS also gets the
 * values as columns (below). Text formats read the frames: with columns, CSV takes a seventh longer. */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include "export/rows/missing_data.h"
#include "export/rows/field_selection.h"
#include "export/remarks.h"
#include "export/rows/tables.h"
#include "base/process/libraries.h"
#include "export/files/bag.h"
#include "base/bytes/compression.h"
#include "base/bytes/spool.h"
#include "columns/table.h"

/* The columns of a table that are printed. */
struct view {
    const struct table *table;
    struct picks picks;
    size_t keys;        /* bytes of all keys of a full row */
    size_t longest_key; /* bytes */
    size_t cells;       /* of a row */
    size_t width;       /* approximate size of a row without its values: separators, keys, placeholders for absent
                         * values */
    size_t header;      /* approximate size of the header */
    bool is_shown;      /* for a terminal: escape hidden characters (utf8.h) */
    bool is_guarded;    /* for a spreadsheet: no text may begin like a formula */
};

/* One record as a format gets it. */
struct output_row {
    struct armtap_where where; /* the packet with its last byte */
    struct armtap_where read;  /* when it could be read, in order */
    unsigned stream;
    unsigned lane, place; /* with FORMAT_REMARKS: the first stream of its lane, and which of the robot's lanes it is */
    const char *robot;    /* what it is called: a label, or its address */
    const char *client;
    const char *file; /* NULL: an interface */
    bool several_files;
    enum armtap_protocol protocol;
    enum armtap_direction direction;
    enum armtap_generation generation;
    unsigned release; /* as ros_release() has it */
    bool is_absent;   /* of several robots in one row: this one has no record yet, only the row's time is known */
    bool is_mixed;    /* the output has rows of several generations, which number their modes differently */
    const struct table_layout *layout; /* NULL: the record has no recipe, so no values */
    struct missing_flow missing;       /* since the row before */
    int64_t robot_time;                /* when the robot sampled it; ARMTAP_NO_TIME if unknown */
    int64_t age;                       /* of the record in a row of --grid, ns; ARMTAP_NO_TIME: none */
    uint64_t number;                   /* of the row in its file, from 1 */
    const uint8_t *values;
    size_t values_length;
    const char *before; /* with --changes, the values before: changes.c has their places */
    size_t before_length;
    const struct armtap_missing *cut; /* bytes of the values that the snapshot length cut off */
    size_t cut_count;
};

struct columns;

/* Bytes of a frame's values. */
struct pick_bytes {
    size_t offset;
    size_t size; /* 0: none */
    size_t end;  /* of the whole value: if a frame lacks a byte of it, it is absent */
};

/* A text in what `rows` appends to. */
struct pick_text {
    size_t at;
    size_t length;
};

/* What a format of text knows of a pick from the rows so far. If its bytes repeat those of the row above, its text is
 * copied, and they are not read. Where that lies stays as it is while they repeat (row_above.h). */
struct pick_above {
    struct pick_bytes bytes;
    struct pick_text text;
    size_t cell;     /* its first */
    bool is_doubles; /* its bytes are those of its cells, big-endian */
    bool is_whole;   /* all elements of its value have a cell */
    /* The picks from here on whose bytes follow one another: */
    size_t run; /* how many */
    struct pick_bytes run_bytes;
    struct pick_text run_text;
};

/* Neighbouring rows of one table in one file. */
struct row_batch {
    const struct view *view; /* for records without a recipe it has no table, and only row columns */
    const struct output_row *rows;
    size_t count;
    size_t part_step; /* from the rows of one robot to those of the next, if several are in one row; else 0 */
    /* For formats of text; both NULL with FORMAT_COLUMNS, or if each row is to be put as if it were alone: */
    struct number_cell *above;      /* view->cells of them, whose lengths are 0 */
    struct pick_above *picks_above; /* one for each pick */
    const struct columns *columns;  /* the same rows; NULL without FORMAT_COLUMNS */
    uint64_t *misfits;              /* with FORMAT_TYPED, `rows` adds the values that it leaves out */
};

/* The row that a pick reads. */
static inline const struct output_row *batch_row(const struct row_batch *batch, size_t number, const struct pick *pick)
{
    return &batch->rows[number + pick->part * batch->part_step];
}

/* What all files of an export share. */
struct format_settings {
    /* With FORMAT_PACKS, else NULL: */
    struct packer *packer; /* compresses as the user asked, on several threads */
    /* With FORMAT_PACKS or FORMAT_SPOOLS, else NULL: */
    struct spool *spool; /* keeps what a format needs at the end of its file: an index, rows */
    bool is_split;       /* each stream has a file of its own */
    bool several_files;  /* captures are read */
    bool several_lanes;  /* a file has rows of more than one, as far as is known before the first row */
    const struct labels *labels;
    struct buffer *bag; /* takes the topics of a bag's metadata.yaml when `end` is called (bag.h); NULL: no bag */
    struct bag_counts *bag_counts; /* the same */
    /* With FORMAT_REMARKS, and only when `end` is called; else NULL. */
    const struct remarks *remarks;
};

struct target_file;

/* A file as its format sees it. */
struct target {
    uint64_t offset;  /* of the next byte in the file, before compression */
    const char *path; /* with FORMAT_SEEKS: the temporary file, complete when `end` is called; else NULL */
    const char *name; /* the file as the user named it: for messages */
    bool is_direct;   /* it is no regular file but a pipe, a device or standard output */
    void *state;      /* the format's own, which `forget` frees */
    size_t held;      /* set by a format with `ease`: bytes of rows in its state */
    const struct format_settings *settings;
    const struct provenance *provenance; /* of its rows, complete when `end` is called; NULL outside of a folder */
    struct target_file *file;            /* used by target.c */
};

/* Writes what a format has appended to `out` so far, for formats that append much at once. 0, or -1: return -1, too. */
int target_write_out(struct target *target);
/* Appends bytes to `out`, and writes it once it is long. The same. */
int target_append(struct target *target, struct buffer *out, const char *bytes, size_t length);

/* The functions of a format; its capabilities are in its row of formats.def. All but `rows` may be NULL. They return 0,
 * or -1 after a message; out->failed may be set instead if memory ran out. */
struct writer {
    /* A library that the format needs and this build lacks; LIBRARY_NONE: the format is built in. */
    enum library lacks;
    /* Loads the libraries that the format needs; NULL if there are none. 0, or -1 after a message. */
    int (*load)(void);
    /* Bytes that a column takes in a file besides its name and its values: what an input may cost is limited. */
    size_t column_cost;
    /* Adapts the picks to the format. `generation` selects the legacy layout. 0, or -1 without a message if memory
     * ran out. If all picks are absent afterwards, the format has no column for the table. */
    int (*prepare)(struct view *view, enum armtap_generation generation);
    /* Called before a table's first row in the file. If there is no row at all, it is called once, with an
     * empty table. */
    int (*begin)(struct target *target, const struct view *view, struct buffer *out);
    /* Appends the rows to `out`. 0, or -1 without a message if memory ran out. */
    int (*rows)(const struct row_batch *batch, struct buffer *out);
    /* Appends to `out` what to write of the bytes that `rows` made of a batch; NULL: all of them. */
    int (*place)(struct target *target, const struct view *view, const char *bytes, size_t length, struct buffer *out);
    /* For formats that collect rows in their state: appends them to `out` and frees their memory. Called when all files
     * together hold too much, for those that hold most. Needs `place`. */
    int (*ease)(struct target *target, struct buffer *out);
    /* The same once a second while rows come live, so that a reader of the file sees them. Their memory may be kept. */
    int (*show)(struct target *target, struct buffer *out);
    int (*end)(struct target *target, struct buffer *out);
    void (*forget)(struct target *target);
};

/* Rows as columns, for formats with FORMAT_COLUMNS. Each element of a pick is a column: an array of values of one type,
 * and one presence bit for each row. The columns of a pick are adjacent, and so are their arrays. */

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
    size_t part_step; /* as in row_batch: set before they are filled */
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
/* Of files of columns. Every row begins with its time: Spark reads no nanoseconds as a time, so they are a number
 * beside it. */
int columns_prepare(struct view *view, enum armtap_generation generation);
int columns_put(const struct row_batch *batch, struct buffer *out);
void columns_free(struct columns *columns);

static inline bool column_is_text(const struct column *column)
{
    return column->type == ARMTAP_STRING || column->type == ARMTAP_BYTES || column->type == ARMTAP_JSON;
}
/* The type of a column in formats that need not fit all numbers into signed ones: that of its field; numbers of rows,
 * packets and streams are signed, so that differences can be negative. They are less than 2^63. */
static inline enum armtap_type column_exact_type(const struct column *column)
{
    return column->type == ARMTAP_UINT64 && column->pick->row_column != ROW_COLUMN_NONE ? ARMTAP_INT64 : column->type;
}
/* Appends the column's name as in other formats: actual_q_0. */
void column_name(const struct column *column, struct buffer *out);
/* Of formats that keep vectors together: how many columns from here on are one array. Texts are on their own. */
size_t column_array_width(const struct column *column);
/* Whether the array has a second dimension, even of 1. */
bool column_is_array(const struct column *column);
/* Appends the array's name: the field's; of a single element, or a text, that of the column. */
void column_array_name(const struct column *column, struct buffer *out);
/* NULL: it is none. */
const struct armtap_field *column_field(const struct column *column, const struct view *view);

#endif
