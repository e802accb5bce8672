/* The inside of a recipe, for decoders and the connection. */
#ifndef ARMTAP_RECIPE_H
#define ARMTAP_RECIPE_H

#include <stdatomic.h>

#include "plan.h"

/* Only `holders` changes once it is made: threads may share it. */
struct armtap_recipe {
    atomic_uint holders;
    size_t bytes; /* that it takes */
    enum armtap_protocol protocol;
    size_t size;                   /* bytes of all values */
    bool open;                     /* a type is not known: something of it has no place */
    bool alike;                    /* of an open one: all types that are not known have one name */
    bool unsized;                  /* of an open one: the length of data does not tell more */
    size_t common;                 /* bytes that fields of unknown types hold without a boundary between them */
    struct armtap_recipe *replied; /* held: the open one of which armtap_recipe_of_length made this; NULL for others */
    size_t count;
    struct armtap_recipe_entry *entries;
    uint8_t *ops;            /* enum armtap_op by entry */
    bool integer_cells;      /* a value is an integer that travels as a double, which may hold none */
    struct armtap_plan plan; /* its fields are those that a whole frame sets, in text protocols too */
    /* Text protocols: values are read by position (cells.h). */
    bool cells;
    char *names_end;                 /* where the next name goes */
    unsigned arms;                   /* bit n - 1: an entry names arm n; bit 0 where none does */
    int channel;                     /* what a hand-written set-up says: its number ... */
    double frequency;                /* ... its Hz, 0 where it says none ... */
    enum armtap_direction direction; /* ... and which way its data goes */
};

/* About what a recipe of so many fields takes. */
static inline size_t armtap_recipe_bytes(size_t count, size_t name_bytes)
{
    return sizeof(struct armtap_recipe) + name_bytes +
           count * (sizeof(struct armtap_recipe_entry) + sizeof(struct armtap_step) + 1);
}
/* A recipe with room for `count` entries and for `name_bytes` of their names, terminators included, at *names. It
 * belongs to the caller. */
int armtap_recipe_make(enum armtap_protocol protocol, size_t count, size_t name_bytes, struct armtap_recipe **recipe,
                       char **names);
/* The next entry; its offset follows from those before. `field` may be NULL, `name` stays with the recipe. */
void armtap_recipe_add(struct armtap_recipe *recipe, const char *name, const struct armtap_field *field,
                       enum armtap_type type, unsigned count, enum armtap_op op);
/* The same for a big-endian value, which goes into the state where the field, which may be NULL, has that type or a
 * wider one. */
void armtap_recipe_add_typed(struct armtap_recipe *recipe, const char *name, const struct armtap_field *field,
                             enum armtap_type type, unsigned count);
/* A value of a binary protocol, big-endian. */
struct armtap_recipe_row {
    const char *name; /* of the dictionary, where it has the field */
    enum armtap_type type;
    unsigned count;
};
/* A recipe of values that follow one another. Fields of the dictionary go into the state where they have that type, or
 * a wider one, and that count. */
int armtap_recipe_of_rows(enum armtap_protocol protocol, const struct armtap_recipe_row *rows, size_t count,
                          struct armtap_recipe **recipe);
/* A recipe of one STRING that fills the frame, under that name: text protocols. */
int armtap_recipe_of_text(const char *name, enum armtap_protocol protocol, struct armtap_recipe **recipe);

/* A recipe for values read by position, to which names are added, up to `count` of them and `name_bytes` in all,
 * terminators included. */
int armtap_recipe_of_cells(enum armtap_protocol protocol, size_t count, size_t name_bytes,
                           struct armtap_recipe **recipe);
/* `field` may be NULL: then any JSON value is delivered as it comes. `arm` is 0 where the name says none. */
void armtap_recipe_add_cell(struct armtap_recipe *recipe, const char *name, size_t length,
                            const struct armtap_field *field, unsigned arm);
/* Takes what the cells say of an arm into its state. */
void armtap_recipe_decode_arm(const struct armtap_recipe *recipe, const uint8_t *values, size_t length, unsigned arm,
                              struct armtap_state *state, struct armtap_set *updated);

/* Takes the values of a frame into a state. `updated` becomes the set of fields that it set: all of the recipe's, less
 * those beyond `length` and those whose legacy cell holds no whole number. */
void armtap_recipe_decode(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                          struct armtap_state *state, struct armtap_set *updated);

#endif
