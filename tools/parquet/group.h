/* The rows of a row group, in memory. They are kept in blocks, so that nothing moves as the group grows: in a block
 * each column has its presence bits and the values of the rows that are present. */
#ifndef PARQUET_GROUP_H
#define PARQUET_GROUP_H

#include "rows.h"

/* A group is full when it has this many rows, or its values take this many bytes. */
enum { PARQUET_GROUP_ROWS = 131072, PARQUET_GROUP_BYTES = 20 << 20 };

struct parquet_held {
    enum parquet_type type;
    size_t before;   /* widths of the columns before it */
    size_t count;    /* values */
    uint32_t latest; /* values in the last block */
    struct buffer texts;
};

struct parquet_block {
    size_t rows;
    size_t room;
    uint64_t *present; /* of each column, one after another; the block's memory begins here */
    char *values;      /* the same; each column has room for all rows */
};

struct parquet_group {
    struct parquet_held *columns;
    size_t column_count;
    size_t text_count; /* columns of texts */
    size_t width;      /* of a row, but for its texts */
    size_t rows;
    size_t rows_max;
    size_t block_rows; /* of all blocks but the last: a multiple of 64 */
    struct parquet_block *blocks;
    size_t block_count; /* those in use */
    size_t block_room;  /* all */
    size_t block_bytes; /* memory of all blocks */
    size_t text_bytes;  /* of all columns */
};

/* 0, or -1 without memory. */
int parquet_group_add_column(struct parquet_group *group, enum parquet_type type);
void parquet_group_free(struct parquet_group *group);
bool parquet_group_is_full(const struct parquet_group *group);
/* Adds rows from row `from` on until the group is full. `runs` has a run for each column; those of texts are advanced.
 * Returns the first row that did not fit, or SIZE_MAX without memory. */
size_t parquet_group_add(struct parquet_group *group, struct parquet_run *runs, size_t from, size_t count);
size_t parquet_group_held(const struct parquet_group *group);
/* Forgets the rows. `all`: gives their memory back. */
void parquet_group_clear(struct parquet_group *group, bool all);

/* Appends a column's values, or texts, as in the file; a BOOL takes a byte. */
void parquet_group_values(const struct parquet_group *group, size_t column, struct buffer *out);
/* Appends a column's presence bits, in words. */
void parquet_group_present(const struct parquet_group *group, size_t column, struct buffer *out);

#endif
