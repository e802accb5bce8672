/* Fields, and their part of a schema and of record batches. */
#ifndef ARROW_FIELD_H
#define ARROW_FIELD_H

#include "arrow.h"
#include "flatbuffer.h"

/* Texts that a field's values are numbers of. */
struct arrow_dictionary {
    int64_t id;
    char *field; /* its name */
    char **words;
    size_t count;
    uint64_t strangers; /* values that are none of them */
    /* of the rows in the table: */
    struct buffer numbers; /* four bytes each */
    struct buffer present; /* presence bits, in words */
    size_t known;          /* rows that have a number */
};

struct arrow_field {
    enum arrow_type type;
    size_t first; /* of its columns in the table */
    size_t columns;
    bool is_list;
    size_t notes;                        /* how many it has in its metadata */
    struct arrow_dictionary *dictionary; /* NULL: none */
};

struct arrow_type_row {
    unsigned width; /* bytes of a value in a table; 0: texts */
    unsigned char kind;
    int first, second;
};

const struct arrow_type_row *arrow_type_row(enum arrow_type type);

/* The body of a message: nodes and buffers, in the order of fields, depth first. */
struct arrow_body {
    struct buffer nodes, buffers; /* structs of two numbers of eight bytes */
    uint64_t length;
};

/* Appends the field's table to a schema; returns its place. *notes: its notes, with NUL; moves behind them. */
size_t arrow_put_field(struct buffer *out, const struct arrow_field *field, const char *name, const char **notes);
/* Appends metadata, and points to them: `count` keys and values. *notes: the same. */
void arrow_put_notes(struct buffer *out, size_t slot, size_t count, const char **notes);
/* Finds the numbers of a dictionary's field for the rows in the table. 0, or -1 without memory. */
int arrow_field_look_up(const struct arrow_field *field, const struct column_table *table);
/* Adds the field's nodes and buffers. */
void arrow_body_add(struct arrow_body *body, const struct arrow_field *field, const struct column_table *table);
/* Appends the bytes of these buffers. `scratch` keeps its memory. */
void arrow_field_put(const struct arrow_field *field, const struct column_table *table, struct buffer *scratch,
                     struct buffer *out);
/* The same of the words of a dictionary. */
void arrow_body_add_words(struct arrow_body *body, const struct arrow_dictionary *dictionary);
void arrow_words_put(const struct arrow_dictionary *dictionary, struct buffer *out);

#endif
