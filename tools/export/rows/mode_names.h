/* --enums: modes as numbers, names, or both. */
#ifndef EXPORT_MODE_NAMES_H
#define EXPORT_MODE_NAMES_H

#include "field_selection.h"

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
