/* --fields: which columns of a table are wanted, in which order. */
#ifndef EXPORT_FIELD_SELECTION_H
#define EXPORT_FIELD_SELECTION_H

#include "row_columns.h"
#include "tables.h"

/* Something to print of every row: elements of a column. */
struct pick {
    enum row_column row_column; /* NONE: a column of the table */
    size_t column;              /* of the table; TABLE_NONE: always absent */
    unsigned first;
    unsigned count;
    bool element;     /* one element of a vector, asked for by its own name: actual_q_0 */
    bool numbered;    /* its cells are name_0, name_1 ... */
    bool told;        /* that a row had more than these cells */
    bool by_name;     /* modes by their names */
    bool if_mixed;    /* only where rows of several generations come together */
    const char *name; /* of the column; not owned */
    char *own_name;   /* the same where the column's is not it, or NULL; owned */
    char *key;        /* what an output format prepared of the name, or NULL; owned */
};

struct picks {
    struct pick *pick;
    size_t count;
};
void picks_free(struct picks *picks);
/* Takes a column that is no field out of them, if it is there. */
void picks_drop(struct picks *picks, enum row_column column);

/* The names asked for. */
struct selection {
    char **names; /* NULL where all columns are wanted */
    bool *found;  /* by name: has matched something so far */
    bool joined;  /* robot, stream and protocol come first, asked for or not */
    size_t count;
};
/* "a,b,c"; NULL selects all. 0, or -1 without memory. */
int selection_parse(const char *list, struct selection *selection);
void selection_free(struct selection *selection);

/* What is wanted of these columns, by the names that are printed or those of the wire: by an exact name first, then
 * NAME_N for an element, then as a glob of either, then as the exact name of a column that is no field. Nothing comes
 * twice. 0, or -1 without memory. */
int selection_apply(struct selection *selection, const struct table_column *columns, size_t column_count,
                    struct picks *picks);

#endif
