/* --fields: the columns to print, and their order. */
#ifndef EXPORT_FIELD_SELECTION_H
#define EXPORT_FIELD_SELECTION_H

#include "row_columns.h"
#include "tables.h"

/* A column to print, or some of its elements. */
struct pick {
    enum row_column row_column; /* NONE: `column` says which */
    size_t column;              /* of the table; TABLE_NONE: always absent */
    unsigned first;
    unsigned count;
    bool element;  /* one element of a vector, requested by its own name: actual_q_0 */
    bool numbered; /* its cells are named name_0, name_1 ... */
    bool warned;   /* that an array had more elements than these cells */
    bool by_name;  /* print modes by name */
    bool is_bit;   /* one of its bits, as 0 or 1: actual_digital_input_bits_3 */
    unsigned bit;
    bool is_watched;  /* by --changes */
    bool is_before;   /* the value that the record before had: changes.h */
    size_t before;    /* which one in the row's `before` */
    size_t watched;   /* for changes.c */
    unsigned part;    /* of the table: the robot whose row it reads */
    bool if_mixed;    /* only if the output has rows of several generations */
    const char *name; /* of the column; not owned */
    char *own_name;   /* `name`, if it is not the column's; else NULL; owned */
    char *key;        /* the name as the format writes it, or NULL; owned */
    size_t key_length;
};

struct picks {
    struct pick *pick;
    size_t count;
    uint64_t turn; /* for changes.c */
};
void picks_free(struct picks *picks);
/* Removes a row column, if present. */
void picks_drop(struct picks *picks, enum row_column column);

/* Removes names of modes that only rows of several generations have. */
void picks_drop_if_mixed(struct picks *picks);

/* Puts a row column in front, as the first pick. 0, or -1 without memory. */
int picks_lead(struct picks *picks, enum row_column column);

/* Moves more picks behind. 0, or -1 without memory. */
int picks_append(struct picks *picks, struct picks *more);

/* The requested names. */
struct selection {
    char **names;                   /* NULL: all columns */
    bool *found;                    /* for each name: has matched a column */
    bool joined;                    /* robot, stream and protocol always come first */
    bool on_grid;                   /* time and age_s do */
    const struct table_part *parts; /* of the table; each has row columns of its own; NULL: none */
    size_t part_count;
    size_t count;
    const struct picks *without; /* what is picked already; NULL: nothing */
};
/* "a,b,c"; NULL selects all. 0, or -1 without memory. */
int selection_parse(const char *list, struct selection *selection);
/* Whether a row column is asked for by its name. */
bool selection_asks(const struct selection *selection, enum row_column column);
void selection_free(struct selection *selection);

/* Picks columns by the printed name or the name on the wire. A requested name is tried as an exact name, then as NAME_N
 * for an element or a bit, then as a glob of a name or element, then as the name of a row column. Names with "!" in
 * front are left out; if there are no others, the rest is picked. Nothing is picked twice. 0, or -1 without memory. */
int selection_apply(struct selection *selection, const struct table_column *columns, size_t column_count,
                    struct picks *picks);

/* --enums: modes as numbers, names, or both. */

enum mode_names { MODES_BY_NUMBER, MODES_BY_NAME, MODES_BY_BOTH };

/* Whether the field's values have names, as modes, states and types do; bit fields do not count. */
bool mode_names_has(const struct armtap_field *field);
/* Turns picks of modes into picks of their names. MODES_BY_BOTH adds a pick of the names behind each one:
 * robot_mode_name, joint_mode_name_0 ... 0, or -1 without memory. */
int mode_names_apply(enum mode_names how, const struct table_column *columns, struct picks *picks);
/* Whether a bit set of generations has several, which number their modes differently. */
bool mode_names_are_mixed(unsigned generations);

/* Room for a number without a name. */
#define MODE_NAME_MAX 24
/* The name of an element of a value in that generation, or the number as text if it has none. Valid as long as
 * `digits`. NULL if the value is not an integer. */
const char *mode_name(const struct armtap_value *value, unsigned element, enum armtap_generation generation,
                      char digits[MODE_NAME_MAX]);

#endif
