/* The footer: what the columns are, and where their pages are. */
#ifndef PARQUET_FOOTER_H
#define PARQUET_FOOTER_H

#include "page.h"
#include "thrift.h"

struct parquet_column {
    char *name;
    enum parquet_type type;
};

/* Sets the names of columns apart for readers that ignore case (of ASCII letters). They have room to grow, as
 * names_apart_take() needs it. 0, or -1 without memory. */
int parquet_names_set_apart(struct parquet_column *columns, size_t count);

/* Keys and values, one after another, as parquet_footer_note() makes them. */
struct parquet_notes {
    const char *bytes;
    size_t length;
    size_t count;
};

/* Where the page of a column is, and what it holds. */
struct parquet_chunk {
    uint64_t offset;                  /* of its header in the file */
    uint32_t packed_size, plain_size; /* with the header */
    uint32_t nulls;
    bool has_range;
    char low[8], high[8];
};

struct parquet_group_record {
    uint64_t rows;
    bool is_sorted; /* by the first column */
    struct parquet_chunk chunks[];
};

/* What all footers of a file's kind say. */
struct parquet_layout {
    const struct parquet_column *columns;
    size_t count;
    int codec;
    bool splits_bytes;
};

/* The parts of a footer, in order. */
void parquet_footer_begin(struct thrift *thrift, const struct parquet_layout *layout, uint64_t rows, size_t groups);
void parquet_footer_group(struct thrift *thrift, const struct parquet_layout *layout,
                          const struct parquet_group_record *group, size_t ordinal);
void parquet_footer_end(struct thrift *thrift, const struct parquet_layout *layout, const struct parquet_notes *notes,
                        const char *created_by);

/* A note, outside of a footer. */
void parquet_footer_note(struct thrift *thrift, const char *key, const char *value, size_t length);

#endif
