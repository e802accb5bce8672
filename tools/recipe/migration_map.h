/* Maps columns, names or a recipe to the RTDE fields with the same data, and lists what RTDE lacks. */
#ifndef RECIPE_MIGRATION_MAP_H
#define RECIPE_MIGRATION_MAP_H

#include "recipe_write.h"

/* Something asked for that is left out. */
struct mapping_lack {
    unsigned column; /* 0: asked for by name */
    const char *name;
    const char *reason;
    bool is_refused; /* refused by the controller; otherwise no RTDE field has it */
};

/* Starts as all zeros. Names belong to the field table or to the recipe that is held. */
struct mapping {
    struct recipe_line *line;
    const struct armtap_field **field; /* the line's field; NULL: not in the table */
    size_t count, room;
    struct mapping_lack *lack;
    size_t lack_count, lack_room;
    struct armtap_recipe *held;
};
void mapping_free(struct mapping *mapping);

/* "cb2" or "cb3e"; 0, or -1 after a message that names the option. */
int mapping_generation(const char *option, const char *name, enum armtap_generation *generation);
/* The first column of a field in the layouts of a generation; 0 if it has none. */
unsigned mapping_column(const struct armtap_field *field, enum armtap_generation generation);

/* Each adds fields in the order given; by column or name, each field once. Standard error says which vectors come whole
 * although only a part was asked for. 0, or -1 after a message. */
int mapping_columns(struct mapping *mapping, const struct columns *columns, enum armtap_generation generation);
/* A comma-separated list of names, elements of vectors ("actual_q_0"), UR's names of legacy rows ("q actual") and
 * globs. */
int mapping_names(struct mapping *mapping, const char *list);
/* The fields of an RTDE recipe unchanged: with its types, and twice if it has one twice. Holds the recipe. */
int mapping_recipe(struct mapping *mapping, const struct armtap_recipe *recipe);

/* Adds a name that the controller refused; name and reason must outlive the mapping. 0, or -1 after a message. */
int mapping_refused(struct mapping *mapping, const char *name, const char *reason);

/* Says on standard error what is left out. */
void mapping_report(const struct mapping *mapping);

#endif
