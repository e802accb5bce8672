/* What files of columns say beside their values: whose they are, units, names of modes. For formats with
 * FORMAT_COLUMNS. */
#ifndef EXPORT_COLUMN_NOTES_H
#define EXPORT_COLUMN_NOTES_H

#include "format.h"

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
