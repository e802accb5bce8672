/* The tables of the pages in this folder, made of those that the library is built from. */
#ifndef ARMTAP_PROTOCOL_TABLES_H
#define ARMTAP_PROTOCOL_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "table/field.h"

/* A text as a cell of a Markdown table. */
void put_cell(FILE *to, const char *text);
/* The same as code; an empty one stays empty. */
void put_code(FILE *to, const char *text);
/* "double[6]"; a single one without brackets. */
void put_type(FILE *to, const char *type, unsigned count);
/* ": 0 off, 1 on", the named values of a number that the dictionary lacks; nothing if it has none. */
void put_modes(FILE *to, const char *name);
/* "cb2" in words; "" for UNKNOWN, which is both. */
const char *generation_words(enum armtap_generation generation);

/* ---- realtime_tables.c ---- */

void put_realtime_sizes(FILE *to);
void put_realtime_cb3e(FILE *to);
void put_realtime_cb2(FILE *to);
void put_realtime_enums(FILE *to);

/* ---- rtde_tables.c ---- */

void put_rtde_messages(FILE *to);
void put_rtde_types(FILE *to);
void put_rtde_outputs(FILE *to);
void put_rtde_inputs(FILE *to);
void put_rtde_enums(FILE *to);
void put_primary_enums(FILE *to);
void put_aubo_enums(FILE *to);
void put_errors(FILE *to);
/* Tables of the named values of all fields that `takes` takes, in the generations of which the bits are set: a heading
 * and a table for each enumeration. */
void put_enums(FILE *to, bool (*takes)(const struct armtap_field *field), unsigned generations);

/* ---- primary_tables.c ---- */

void put_primary_messages(FILE *to);
void put_primary_sizes(FILE *to);
void put_primary_subpackages(FILE *to);
void put_primary_robot_messages(FILE *to);
void put_primary_levels(FILE *to);
void put_primary_sources(FILE *to);
void put_primary_value_types(FILE *to);

/* ---- control_tables.c ---- */

void put_control_messages(FILE *to);
void put_control_results(FILE *to);
void put_dashboard_refusals(FILE *to);

/* ---- aubo_tables.c ---- */

void put_aubo_topics(FILE *to);
void put_aubo_names(FILE *to);

/* ---- ur_rtde_tables.c ---- */

void put_ur_rtde_commands(FILE *to);
void put_ur_rtde_history(FILE *to);

#endif
