/* The rows of a file until they are written: the latest in memory, the others in the spool; and what is known of each
 * column's values. */
#ifndef MATLAB_STORE_H
#define MATLAB_STORE_H

#include "columns/pieces.h"
#include "texts.h"
#include "types.h"

struct matlab_column {
    enum matlab_type type;
    bool has_absent;
    bool is_wide;        /* a whole number that a double cannot hold */
    unsigned kinds;      /* of JSON: matlab_json_kind */
    size_t characters;   /* of its longest text */
    uint64_t text_bytes; /* with a length before each */
};

/* Once all rows are set aside, columns are complete. */
struct matlab_store {
    struct matlab_column *columns;
    struct column_table table;
    struct column_pieces pieces;
    size_t chunk_rows; /* of a file of much data */
};

void matlab_store_begin(struct matlab_store *store, struct spool *spool);
/* 0, or -1 without memory. */
int matlab_store_add_column(struct matlab_store *store, enum matlab_type type);
void matlab_store_free(struct matlab_store *store);
/* 0, or -1 after a message. */
int matlab_store_add(struct matlab_store *store, const struct column_batch *rows);
/* Sets the rows in memory aside. `all`: gives their memory back. 0, or -1 after a message. */
int matlab_store_set_aside(struct matlab_store *store, bool all);

/* The text at *at of a column's texts; sets *at to the next one. */
const char *matlab_text_next(const char **at, size_t *length);

#endif
