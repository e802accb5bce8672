/* The migration map at work: which RTDE fields give what was asked for by column, name or recipe, and what RTDE lacks.
 */
#ifndef RECIPE_MIGRATION_MAP_H
#define RECIPE_MIGRATION_MAP_H

#include "column_ranges.h"
#include "recipe_write.h"

/* Something asked for that is left out. */
struct mapping_lack {
    unsigned column; /* 0: it was asked for by name */
    const char *name;
    const char *reason;
    bool is_refused; /* by the controller; otherwise no RTDE field gives it */
};

/* Begins as all zeros. Names belong to the table, or to the recipe that is held. */
struct mapping {
    struct recipe_line *line;
    const struct armtap_field **field; /* of the line; NULL: not in the table */
    size_t count, room;
    struct mapping_lack *lack;
    size_t lack_count, lack_room;
    struct armtap_recipe *held;
};
void mapping_free(struct mapping *mapping);

/* "cb2" or "cb3e"; 0, or -1 after a message that names the option. */
int mapping_generation(const char *option, const char *name, enum armtap_generation *generation);
/* The first column of a field in the layouts of a generation, 0: it has none. */
unsigned mapping_column(const struct armtap_field *field, enum armtap_generation generation);

/* Each adds fields in the order asked for, those asked for by column or name once, and says on standard error what
 * comes whole though only a part was asked for. 0, or -1 after a message. */
int mapping_columns(struct mapping *mapping, const struct columns *columns, enum armtap_generation generation);
/* Names, elements of vectors ("actual_q_0"), UR's names of legacy rows ("q actual"), globs; comma separated. */
int mapping_names(struct mapping *mapping, const char *list);
/* The fields of an RTDE recipe as they are: in its types, and twice where it has one twice. The recipe is held. */
int mapping_recipe(struct mapping *mapping, const struct armtap_recipe *recipe);

/* A name that the controller refused; it outlives the mapping, as the reason does. 0, or -1 after a message. */
int mapping_refused(struct mapping *mapping, const char *name, const char *reason);

/* Says on standard error what is left out of it. */
void mapping_report(const struct mapping *mapping);

#endif
