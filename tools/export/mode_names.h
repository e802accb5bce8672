/* --enums: the numbers of modes as numbers, by their names, or both. */
#ifndef EXPORT_MODE_NAMES_H
#define EXPORT_MODE_NAMES_H

#include "field_selection.h"

enum mode_names { MODES_BY_NUMBER, MODES_BY_NAME, MODES_BY_BOTH };

/* Whether the field's numbers have names: modes, states and types; fields of bits do not. */
bool mode_names_has(const struct armtap_field *field);
/* Makes the picks of modes ones of their names; with MODES_BY_BOTH each is followed by one of its names, called
 * robot_mode_name, joint_mode_name_0 ... 0, or -1 without memory. */
int mode_names_apply(enum mode_names how, const struct table_column *columns, struct picks *picks);
/* Whether a set of generations, a bit for each, number their modes differently. */
bool mode_names_are_mixed(unsigned generations);

/* Room for a number, where it has no name. */
#define MODE_NAME_MAX 24
/* The name of an element of a value: by the controller's generation, the number as text where it has none. Lives as
 * long as `digits`. NULL where the value is no number. */
const char *mode_name(const struct armtap_value *value, unsigned element, enum armtap_generation generation,
                      char digits[MODE_NAME_MAX]);

#endif
