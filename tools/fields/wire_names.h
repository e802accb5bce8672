/* Names of columns that the dictionary of fields does not have: External Control's, and AUBO's own topics. */
#ifndef FIELDS_WIRE_NAMES_H
#define FIELDS_WIRE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct wire_name {
    const char *name, *vendor, *type; /* type "": as JSON has it */
    unsigned count;
    const char *unit, *direction, *meaning;
};
struct wire_mode {
    const char *of;
    int number;
    const char *text;
};
/* NULL beyond the last. */
const struct wire_name *wire_name_at(size_t i);
/* The i-th value with a name; NULL beyond the last. */
const struct wire_mode *wire_mode_at(const char *name, size_t i);
/* AUBO's R1_actual_q is actual_q of an arm. */
const char *wire_without_arm(const char *name);

#endif
