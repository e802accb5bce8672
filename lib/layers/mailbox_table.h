/* What ur_rtde's releases set up, write and mean, from the tables beside this file. */
#ifndef ARMTAP_MAILBOX_TABLE_H
#define ARMTAP_MAILBOX_TABLE_H

#include "armtap.h"

enum armtap_ur_rtde_release {
#define RELEASE(code, text) ARMTAP_UR_RTDE_##code,
#include "ur_rtde_releases.def"
#undef RELEASE
    ARMTAP_UR_RTDE_RELEASES
};
/* Releases, by bit. */
typedef uint64_t armtap_ur_rtde_set;
#define ARMTAP_UR_RTDE_ALL ((UINT64_C(1) << ARMTAP_UR_RTDE_RELEASES) - 1)
/* The oldest and the newest of a set that is not empty: "1.3.5". */
const char *armtap_ur_rtde_first(armtap_ur_rtde_set set);
const char *armtap_ur_rtde_last(armtap_ur_rtde_set set);

/* Its interfaces, which use connections of their own. */
enum armtap_ur_rtde_side { ARMTAP_UR_RTDE_CONTROL, ARMTAP_UR_RTDE_IO, ARMTAP_UR_RTDE_SIDES };
#define ARMTAP_UR_RTDE_UPPER 24u /* the offset of the upper registers */

/* The releases among `set` that set up this recipe under that id, with registers at that offset. */
armtap_ur_rtde_set armtap_ur_rtde_recipe(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, unsigned id,
                                         const struct armtap_recipe *recipe, unsigned offset);
/* The releases among `set` whose recipe with that id has so many bytes. */
armtap_ur_rtde_set armtap_ur_rtde_sized(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, unsigned id,
                                        size_t bytes);
/* The fields of that recipe, of a release among `set`; NULL if none has it. Those of the releases that remain after
 * armtap_ur_rtde_sized() are the same, or only the code. */
const char *armtap_ur_rtde_fields(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, unsigned id);
/* Fields that follow each other: registers, or one by name. */
struct armtap_ur_rtde_wanted {
    unsigned id, count; /* of enum armtap_field_id */
};
/* Reads the next ones; false at the end of the text. */
bool armtap_ur_rtde_next_fields(const char **fields, unsigned offset, struct armtap_ur_rtde_wanted *wanted);
/* The releases among `set` whose recipes, but for those that some controllers refuse, are all among `ids` (by bit). */
armtap_ur_rtde_set armtap_ur_rtde_complete(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, uint64_t ids);
#define ARMTAP_UR_RTDE_BRANCHES 2
/* The releases whose script has a branch for each of these codes (by bit) and for no others that the tables have. */
armtap_ur_rtde_set armtap_ur_rtde_scripts(const uint64_t branches[ARMTAP_UR_RTDE_BRANCHES]);
/* Those of a set whose progress is a word of bits: 0 to 14 are the progress, 15 whether the operation runs, 24 to 30
 * its number. */
armtap_ur_rtde_set armtap_ur_rtde_with_status(armtap_ur_rtde_set set);
/* Whether the script of some release has a branch for a code. */
bool armtap_ur_rtde_has_branch(int32_t code);
/* Those of a set whose script sets an offset of registers; the others use the lower ones. */
armtap_ur_rtde_set armtap_ur_rtde_with_offset(armtap_ur_rtde_set set);
/* The releases that write this code with that recipe. */
armtap_ur_rtde_set armtap_ur_rtde_writers(enum armtap_ur_rtde_side side, int32_t code, unsigned recipe_id);

enum armtap_ur_rtde_place {
    ARMTAP_UR_RTDE_OPERATION, /* no value: the operation whose values follow */
    ARMTAP_UR_RTDE_DOUBLES,
    ARMTAP_UR_RTDE_INTEGERS,
    ARMTAP_UR_RTDE_FLAG,
    ARMTAP_UR_RTDE_FIELDS,
    ARMTAP_UR_RTDE_RESULT_DOUBLES,
    ARMTAP_UR_RTDE_RESULT_INTEGER,
    ARMTAP_UR_RTDE_RESULT_FLAG,
    ARMTAP_UR_RTDE_PROGRESS,
    ARMTAP_UR_RTDE_END
};
/* A row of ur_rtde_operations.def. */
struct armtap_ur_rtde_row {
    enum armtap_ur_rtde_place place;
    const char *operation; /* "MOVEL"; else NULL */
    const char *name, *unit;
    unsigned first, count;
    unsigned of;                /* doubles that the recipe must have; 0: any */
    armtap_ur_rtde_set no_wait; /* of an operation: the releases whose client does not wait for it */
    double usual;
};
/* What a code means in some releases: the row of its operation, which its values follow up to the next operation or
 * END. */
struct armtap_ur_rtde_meaning {
    const struct armtap_ur_rtde_row *row;
    armtap_ur_rtde_set releases;
};
#define ARMTAP_UR_RTDE_MEANINGS 3
/* The meanings of a code in the releases of a set; at most MEANINGS. */
size_t armtap_ur_rtde_meanings(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, int32_t code,
                               struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS]);
/* The releases that clear a command with that recipe: the first of those that have nothing but the code. */
armtap_ur_rtde_set armtap_ur_rtde_clearers(unsigned recipe_id);
/* Its purpose is that the robot stops, or the script ends: no answer follows. */
bool armtap_ur_rtde_is_stop(const struct armtap_ur_rtde_row *row);
/* The script takes it for one that the client does not wait for, so that its answer may be gone within a cycle. */
bool armtap_ur_rtde_may_hide(const struct armtap_ur_rtde_row *row);
/* It ends the script, which then answers no more. */
#define ARMTAP_UR_RTDE_STOP 255

#endif
