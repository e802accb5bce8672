/* Recipes, and the values that they describe. */
#ifndef ARMTAP_RECIPE_H
#define ARMTAP_RECIPE_H

#include <stdatomic.h>

#include "armtap.h"
#include "plan.h"

/* ---- cells.c ----
 *
 * The values of one message of a text protocol, put and read by position. What is put is kept in one span of bytes that
 * armtap_recipe_read takes as the `values` of a record:
 *
 *   number of cells, then the offset of each from the first byte (0: absent), then the cells
 *   a cell: type, count, then the elements, 8 bytes each; of STRING, BYTES and JSON the length, then the text
 *
 * Numbers are of the machine's own order, at any alignment; counts, types and offsets are uint32_t. */

struct armtap_cells {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
};
/* Resets to that many absent cells. The memory is kept for the next message. */
int armtap_cells_begin(struct armtap_cells *cells, size_t count);
/* Sets cell i from the value's type, count and elements, or text; an absent value leaves it absent. */
int armtap_cells_put(struct armtap_cells *cells, size_t i, const struct armtap_value *value);
void armtap_cells_free(struct armtap_cells *cells);

/* Reads cell i into the value's type, count, present and elements; texts point into `bytes`. Invalid bytes give an
 * absent value. */
void armtap_cells_read(const uint8_t *bytes, size_t length, size_t i, struct armtap_value *value);

/* ---- recipe.c ----
 *
 * The internals of a recipe, for decoders and connections. */

/* Processors without an atomic counter (Cortex-M0) hold and release recipes in one thread. */
#if ATOMIC_INT_LOCK_FREE == 2
typedef atomic_uint armtap_holders;
#else
typedef unsigned armtap_holders;
#endif

/* Once built only `holders` changes, and what a capture's connections count of it: threads may share it. */
struct armtap_recipe {
    armtap_holders holders;
    bool is_shared; /* by the connections of a capture, none of which its memory counts for (layout.h) */
    size_t users;   /* such connections, or requests of theirs */
    size_t bytes;   /* of memory */
    enum armtap_protocol protocol;
    size_t size;                   /* bytes of all values */
    bool open;                     /* a type is unknown: some fields have no place */
    bool alike;                    /* open only: all unknown types have the same name */
    bool unsized;                  /* open only: the length of the data does not help */
    bool assumed;                  /* its types are the table's, since the reply to the set-up is missing */
    size_t common;                 /* bytes of adjacent fields of unknown types together */
    struct armtap_recipe *replied; /* held: the open recipe from which armtap_recipe_of_length made this one, or NULL */
    size_t count;
    struct armtap_recipe_entry *entries;
    uint8_t *ops;            /* enum armtap_op by entry */
    bool integer_cells;      /* a value is an integer sent as a double, which may not hold one */
    size_t behind_clock;     /* offset of the field timestamp, and its 8 bytes; 0: it has none */
    struct armtap_plan plan; /* its fields are those set by a whole frame, also in text protocols */
    /* Text protocols: values are read by position. */
    bool cells;
    char *names_end;                 /* where the next name goes */
    unsigned arms;                   /* bit n - 1: an entry names arm n; bit 0 if none does */
    int channel;                     /* from a hand-written set-up: its channel ... */
    double frequency;                /* ... its frequency in Hz, 0 if it has none ... */
    enum armtap_direction direction; /* ... and the direction of its data */
};

/* The approximate memory of a recipe with that many fields. */
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
/* The same for a big-endian value; it goes into the state if the field (may be NULL) has that type or a wider one. */
void armtap_recipe_add_typed(struct armtap_recipe *recipe, const char *name, const struct armtap_field *field,
                             enum armtap_type type, unsigned count);
/* A value of a binary protocol, big-endian. */
struct armtap_recipe_row {
    const char *name; /* from the field table, if it has the field */
    enum armtap_type type;
    unsigned count;
};
/* A recipe of consecutive values. Fields of the table go into the state if they have that count, and that type or a
 * wider one. */
int armtap_recipe_of_rows(enum armtap_protocol protocol, const struct armtap_recipe_row *rows, size_t count,
                          struct armtap_recipe **recipe);
/* A recipe of one STRING that fills the frame, under that name: text protocols. */
int armtap_recipe_of_text(const char *name, enum armtap_protocol protocol, struct armtap_recipe **recipe);

/* A recipe for values read by position, to which names are added, up to `count` of them and `name_bytes` in all,
 * terminators included. */
int armtap_recipe_of_cells(enum armtap_protocol protocol, size_t count, size_t name_bytes,
                           struct armtap_recipe **recipe);
/* `field` may be NULL: then any JSON value is delivered unchanged. `arm` is 0 if the name has none. */
void armtap_recipe_add_cell(struct armtap_recipe *recipe, const char *name, size_t length,
                            const struct armtap_field *field, unsigned arm);
/* Copies the cells of an arm into its state. */
void armtap_recipe_decode_arm(const struct armtap_recipe *recipe, const uint8_t *values, size_t length, unsigned arm,
                              struct armtap_state *state, struct armtap_set *updated);

/* Adds the fields of a recipe, or of none, to those of others. */
static inline void armtap_recipe_add_fields(const struct armtap_recipe *recipe, struct armtap_set *fields)
{
    for (size_t i = 0; recipe && i < sizeof fields->word / sizeof fields->word[0]; i++)
        fields->word[i] |= recipe->plan.fields.word[i];
}

/* Decodes the values of a frame into a state. `updated` becomes the set of fields that were set: all of the recipe
 * except those beyond `length` and those whose legacy cell holds no whole number. */
void armtap_recipe_decode_cut(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                              const struct armtap_missing *missing, size_t missing_count, struct armtap_state *state,
                              struct armtap_set *updated);
void armtap_recipe_decode(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                          struct armtap_state *state, struct armtap_set *updated);
/* Whether that would set all of the recipe's fields (recipe->plan.fields). Then the state has the record's modes if
 * they are wanted; the rest is written only as far as that takes no time. */
bool armtap_recipe_sets_all(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                            struct armtap_state *state, bool wants_modes);

#endif
