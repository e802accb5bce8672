/* What formats with FORMAT_COLUMNS have in common: their files (columns/table.h), and what these say beside values. */
#ifndef EXPORT_COLUMN_TARGET_H
#define EXPORT_COLUMN_TARGET_H

#include "format.h"

struct column_format {
    /* NULL without memory. */
    struct column_file *(*make)(const struct target *target, const struct column_output *output, unsigned dialect);
    /* Adds the columns and what is noted of them. 0, or -1 without memory. */
    int (*declare)(struct column_file *file, const struct columns *columns, const struct view *view,
                   const struct target *target);
    unsigned dialect; /* for make() */
};

/* The file of a target; NULL: it has not begun. */
struct column_file *column_target_file(const struct target *target);
int column_target_begin(const struct column_format *format, struct target *target, const struct view *view,
                        struct buffer *out);
/* As in struct writer. */
int column_target_place(struct target *target, const struct view *view, const char *bytes, size_t length,
                        struct buffer *out);
int column_target_ease(struct target *target, struct buffer *out);
int column_target_show(struct target *target, struct buffer *out);
int column_target_end(struct target *target, struct buffer *out);
void column_target_forget(struct target *target);

/* What files say beside their values: whose they are, units, names of modes. */

struct note_taker {
    void *user;
    /* Takes a note: a key, as "armtap.robot", and its text; is_json: an object of JSON. */
    void (*take)(void *user, const char *key, const char *text, size_t length, bool is_json);
};

/* Of the version, and of the table and its robot. */
void notes_of_table(const struct note_taker *taker, const struct table *table, const struct target *target);

/* Under which names: of columns, or of arrays (column_array_name). */
enum notes_by { NOTES_BY_COLUMN, NOTES_BY_ARRAY };
/* Objects with a member for each column that has a field: its unit, its names of values. 0, or -1 without memory. */
int notes_of_columns(const struct note_taker *taker, const struct columns *columns, const struct view *view,
                     enum notes_by by);
/* The same of an array alone, under the same keys: its unit, an object of its names of values. */
int notes_of_array(const struct note_taker *taker, const struct column *column, const struct view *view);

#endif
