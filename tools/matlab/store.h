/* The rows of a file until they are written: the latest in memory, the others in the spool; and what is known of each
 * column's values. */
#ifndef MATLAB_STORE_H
#define MATLAB_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "columns/table.h"
#include "matlab.h"

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
    struct column_table *table; /* of the rows in memory */
    struct column_pieces pieces;
    size_t chunk_rows; /* of a file of much data */
};

void matlab_store_begin(struct matlab_store *store, struct column_table *table, struct spool *spool);
/* 0, or -1 without memory. */
int matlab_store_add_column(struct matlab_store *store, enum matlab_type type);
void matlab_store_free(struct matlab_store *store);
/* Sets the rows in memory aside. 0, or -1 after a message. */
int matlab_store_set_aside(struct matlab_store *store);

/* What columns and variables hold. */

enum matlab_class {
#define MATLAB_CLASS(id, name, width) MATLAB_CLASS_##id,
#include "classes.def"
    MATLAB_CLASSES
};

struct matlab_class_row {
    const char *name;
    size_t width; /* bytes of a value */
};

struct matlab_type_row {
    unsigned width; /* bytes of a value; 0: texts */
    enum matlab_class class;
};

const struct matlab_class_row *matlab_class_row(enum matlab_class class);
const struct matlab_type_row *matlab_type_row(enum matlab_type type);

static inline bool matlab_type_is_text(enum matlab_type type)
{
    return matlab_type_row(type)->width == 0;
}

/* Texts as MATLAB has them, UTF-16, from valid UTF-8 and JSON. */

/* Beyond it, doubles skip whole numbers. */
#define MATLAB_WHOLE_MAX ((uint64_t)1 << 53)

/* What JSON texts are. */
enum matlab_json_kind {
    MATLAB_JSON_NUMBER = 1,
    MATLAB_JSON_TRUTH = 2,
    MATLAB_JSON_STRING = 4,
    MATLAB_JSON_OTHER = 8 /* arrays, and whole numbers that a double cannot hold */
};

enum matlab_json_kind matlab_json_kind_of(const char *text, size_t length);
/* UTF-16 units. */
size_t matlab_text_units(const char *text, size_t length);
/* The same of a JSON string, without its quotes and escapes. */
size_t matlab_json_text_units(const char *text, size_t length);
/* Stores a text as UTF-16 units, at most `room`, with a stride. Returns how many. */
size_t matlab_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room);
/* The same for a JSON string. */
size_t matlab_json_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room);

enum { MATLAB_NAME_MAX = 63 };
/* Makes a name that MATLAB takes. */
void matlab_name_make(const char *name, size_t length, char made[MATLAB_NAME_MAX + 1]);

#endif
