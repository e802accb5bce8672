/* The rows of a file until they are written: the latest in memory, as columns; the others in the spool, in pieces. */
#ifndef MATLAB_STORE_H
#define MATLAB_STORE_H

#include "rows.h"

struct matlab_column {
    enum matlab_type type;
    size_t before; /* widths of the columns before it; of a text, the number of texts before it */
    bool has_absent;
    bool is_wide;
    unsigned kinds;      /* of JSON: matlab_json_kind */
    size_t characters;   /* of its longest text */
    uint64_t text_bytes; /* with a length before each */
};

struct matlab_piece {
    uint64_t place; /* in the spool */
    uint64_t first; /* row */
    size_t rows;
};

struct matlab_store {
    struct spool *spool;
    struct matlab_column *columns;
    size_t column_count;
    size_t text_count;
    size_t width;    /* of a row, without its texts */
    size_t rows_max; /* of a piece */
    uint64_t rows;   /* all */
    /* in memory: */
    size_t held_rows;
    size_t room;       /* rows */
    char *values;      /* of each column one after another, each with that room */
    uint64_t *present; /* the same */
    struct buffer *texts;
    size_t text_bytes;
    /* in the spool: */
    struct matlab_piece *pieces;
    size_t piece_count;
};

/* 0, or -1 without memory. */
int matlab_store_add_column(struct matlab_store *store, enum matlab_type type);
void matlab_store_free(struct matlab_store *store);
/* Adds rows, as matlab_rows_...() made them. 0, or -1 after a message. */
int matlab_store_add(struct matlab_store *store, const char *rows);
/* Bytes of memory. */
size_t matlab_store_held(const struct matlab_store *store);
/* Sets the rows in memory aside. 0, or -1 after a message. */
int matlab_store_set_aside(struct matlab_store *store);

/* Once all rows are set aside. Copies a column's values and presence bits. 0, or -1 after a message. */
int matlab_store_get(const struct matlab_store *store, size_t column, uint64_t from, size_t count, char *values,
                     uint64_t *present);
/* The texts of a piece: a run whose presence bits and values are in `bytes`. 0, or -1 after a message. */
int matlab_store_texts(const struct matlab_store *store, size_t column, const struct matlab_piece *piece,
                       struct buffer *bytes, struct matlab_run *run);

#endif
