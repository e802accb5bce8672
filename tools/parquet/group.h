/* The rows of a row group, in memory: for each column its presence bits and the values of the rows that are present. */
#ifndef PARQUET_GROUP_H
#define PARQUET_GROUP_H

#include "rows.h"

/* A group is full when it has this many rows, or its values take this many bytes. */
enum { PARQUET_GROUP_ROWS = 131072, PARQUET_GROUP_BYTES = 20 << 20 };

struct parquet_held {
    enum parquet_type type;
    size_t before; /* widths of the columns before it */
    size_t count;  /* values */
    struct buffer texts;
};

struct parquet_group {
    struct parquet_held *columns;
    size_t column_count;
    size_t text_count; /* columns of texts */
    size_t width;      /* of a row, but for its texts */
    size_t rows;
    size_t rows_max;
    size_t room;       /* in rows */
    size_t text_bytes; /* of all columns */
    char *values;      /* each column's one after another, `room` of them */
    uint64_t *present; /* the same with presence bits */
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

/* A column's values and presence bits. */
const char *parquet_group_values(const struct parquet_group *group, size_t column);
const uint64_t *parquet_group_present(const struct parquet_group *group, size_t column);

#endif
