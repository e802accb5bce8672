/* Recipes: found in a capture, made of columns and names, written as files. */
#ifndef RECIPE_RECIPE_H
#define RECIPE_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text/buffer.h"
#include "input/replay/replay.h"
#include "armtap.h"

/* The recipe in a capture: what a client set up, or the fields of a legacy stream's packets. */

struct capture_recipe_wish {
    const char **names; /* the files of one capture */
    size_t count;
    const struct replay_source *how; /* ports, raw and no_guess are used */
    bool one_stream;                 /* `stream` is used */
    bool to_robot;                   /* an input recipe */
    bool accepted;   /* include partly refused set-ups, without the refused names; if there are any, only those */
    uint64_t packet; /* the set-up whose reply is in that packet, in either direction; 0: any */
    uint64_t file;   /* the capture with that packet, from 1; 0: the first */
    uint64_t stream;
    uint64_t setup; /* the n-th that a stream set up, from 1; 0: the last for outputs, the only one for inputs */
};

/* A name that the controller refused. */
struct capture_recipe_refusal {
    char *name;
    enum armtap_refusal why;
};

struct capture_recipe {
    struct armtap_recipe *recipe; /* held; NULL after a message */
    enum armtap_direction direction;
    struct capture_recipe_refusal *refused;
    size_t refused_count;
    enum armtap_protocol protocol;
    enum armtap_generation generation;
    int version; /* protocol version in force when a set-up was partly refused */
};

/* Reads a capture. If it is damaged: EXIT_FAILED, and the recipe from before the damage. The caller frees
 * `captured`. */
enum exit_status capture_recipe_read(const struct capture_recipe_wish *wish, struct capture_recipe *captured);
void capture_recipe_free(struct capture_recipe *captured);

/* RTDE recipes as files: UR's XML, or plain lines "name type". recipe_file.h reads both. */

struct recipe_line {
    const char *name;
    const char *type; /* RTDE's name of the type */
};

/* The type of a field in RTDE protocol 2; "" if RTDE lacks the field. */
const char *recipe_write_type(const struct armtap_field *field);
/* Whether this may be a recipe's key: letters, digits, '_', '-' and '.'. */
bool recipe_write_is_key(const char *key);
/* Write the form that UR's own clients read. Characters that it cannot hold become '?'; both return the number of names
 * changed. */
size_t recipe_write_xml(struct buffer *out, const char *key, const struct recipe_line *lines, size_t count);
size_t recipe_write_plain(struct buffer *out, const struct recipe_line *lines, size_t count);

/* Ranges of legacy columns as users write them: gnuplot's "2-7,32-37", Matlab's "[2:7 32:37]". */

/* More than any layout has: the longest packet holds 511 doubles. */
#define COLUMNS_MAX 512

/* Columns in the order given, each once. Column n is the n-th double after the packet's length word, from 1. */
struct columns {
    unsigned number[COLUMNS_MAX];
    size_t count;
};

/* Adds a column from 1 to COLUMNS_MAX, if it is not there yet. */
void columns_add(struct columns *columns, unsigned number);
/* Reads N, FIRST-LAST, FIRST:LAST and FIRST:STEP:LAST, separated by commas, semicolons or blanks, with or without
 * brackets; columns go from 1 to `last`. 0, or -1 after a message. */
int columns_parse(const char *text, unsigned last, struct columns *columns);

/* Maps columns, names or a recipe to the RTDE fields with the same data, and lists what RTDE lacks. */

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
    size_t count;
    struct mapping_lack *lack;
    size_t lack_count;
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
