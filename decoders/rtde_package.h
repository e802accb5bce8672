/* What is on RTDE's wire: packages, and the recipes that lists of names and types make. */
#ifndef ARMTAP_RTDE_PACKAGE_H
#define ARMTAP_RTDE_PACKAGE_H

#include "protocol/decoder.h"
#include "table/recipe.h"

/* ---- rtde_package.c, rtde_content.c: packages as bytes, what the decoder and the encoder share ---- */

#define ARMTAP_RTDE_HEADER 3u

/* Whether a package of that type and size, header included, can exist in that direction. */
bool armtap_rtde_size_fits(uint8_t type, enum armtap_direction direction, size_t size);
/* Bytes before the first header with such a size; a truncated header counts. */
size_t armtap_rtde_before_package(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* RTDE's own name of a type; NULL for a byte that is not a type. */
const char *armtap_rtde_type_name(uint8_t type);
/* Printable except for line ends, tabs and up to `control_max` other control bytes. Texts have a length, so they may
 * contain a NUL. */
bool armtap_rtde_is_text(const char *text, size_t length, size_t control_max);

/* Parses a package in the known protocol (0: none), or in whichever it fits. The layouts are distinguishable: a
 * protocol 2 set-up begins with a frequency or an id, neither of which is a letter. `in_step`: a package must begin
 * here. */
bool armtap_rtde_read(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol, bool in_step,
                      struct armtap_rtde_package *package);

/* ---- rtde_sniff.c: packages told from other bytes, before anything is known about a connection; as in struct
 * armtap_decoder ---- */

enum armtap_fit armtap_rtde_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length);
enum armtap_fit armtap_rtde_speaks(const uint8_t *bytes, size_t length, bool whole);
enum armtap_fit armtap_rtde_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);

/* ---- rtde_recipe.c: recipes of comma separated lists; the input recipes of a connection, found by their id, or by the
 * bytes of their values ---- */

/* A span of a comma separated list; blanks, line ends and NULs around it are not part of it. */
struct armtap_item {
    const char *text;
    size_t length;
};
/* The next item of a list; false at its end. A trailing comma, or only white space after it, ends the list. */
bool armtap_list_next(const char **cursor, const char *end, struct armtap_item *item);
size_t armtap_list_count(const char *list, size_t length);
bool armtap_item_is(const struct armtap_item *item, const char *text);

/* A recipe of the names a client asked for and the types the controller replied. Without names (only the reply was
 * seen) they become value_0, value_1 ...; without types (only the request was seen) the table's are taken. From the
 * first unknown type on the recipe is open. */
int armtap_recipe_from_lists(const struct armtap_item *names, const struct armtap_item *types,
                             struct armtap_recipe **recipe);
/* Adapts an open recipe to data of `length` bytes: the fields of unknown type hold what the others leave. A single one
 * gets all of it, several of one type name an equal share. If the type names differ, the recipe stays open: all bytes
 * from the first to the last such field are the value of the first, and the others have no place. *recipe is NULL if
 * less than a byte is left for each. */
int armtap_recipe_of_length(struct armtap_recipe *open, size_t length, struct armtap_recipe **recipe);

#define ARMTAP_RTDE_INPUT_IDS 256 /* ids */

/* Initially zero; the owner releases the recipes. */
struct armtap_rtde_inputs {
    struct armtap_recipe *by_id[ARMTAP_RTDE_INPUT_IDS]; /* NULL: not set up */
    uint8_t by_size[ARMTAP_RTDE_INPUT_IDS];             /* ids, sorted by their recipes' size, then by id */
    unsigned count;
};

/* Re-sorts an id whose recipe has changed; it must have one. */
void armtap_rtde_inputs_sort(struct armtap_rtde_inputs *inputs, uint8_t id);
/* The recipe of that size with the lowest id, or NULL. */
const struct armtap_recipe *armtap_rtde_inputs_of_size(const struct armtap_rtde_inputs *inputs, size_t size);

/* ---- rtde_describe.c: as in struct armtap_decoder ---- */

int armtap_rtde_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_rtde_identify(struct armtap_subject *subject, bool directed, bool named,
                                     struct armtap_line *doubt);

#endif
