/* Which release of ur_rtde a client is. */
#ifndef ARMTAP_MAILBOX_SCRIPT_H
#define ARMTAP_MAILBOX_SCRIPT_H

#include "armtap.h"

/* ---- mailbox_table.c ----
 *
 * What ur_rtde's releases set up, write and mean, from the tables beside this file. */

enum armtap_ur_rtde_release {
#define RELEASE(code, text) ARMTAP_UR_RTDE_##code,
#include "ur_rtde_releases.def"
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

/* ---- mailbox_script.c ----
 *
 * What the control script of ur_rtde shows of its release and its registers, read line by line as a client sends it. */

/* The offset of registers that a script sets: 0, ARMTAP_UR_RTDE_UPPER, or one that could not be read. */
#define ARMTAP_SCRIPT_OFFSET_UNKNOWN (-1)

/* The scripts that were sent while a client's connection was open: one of them is the client's. */
struct armtap_script_binding {
    uint64_t connection; /* the client's */
    int32_t offset;
    armtap_ur_rtde_set releases; /* that have one of them; 0: none was sent */
    bool is_strange;             /* no release of the tables has one of them: they tell nothing */
};
#define ARMTAP_SCRIPT_BINDINGS 16u /* the last ones of a robot */

/* What is known of the scripts that were sent to a robot; zeros: nothing. */
struct armtap_mailbox_script {
    uint64_t branches[ARMTAP_UR_RTDE_BRANCHES]; /* of the script being read: the codes that it compares with, by bit */
    uint64_t connection;                        /* that brings it */
    bool is_begun;
    int32_t last_code; /* they ascend */
    int32_t offset;
    bool awaits_offset; /* the next line begins with it */
    bool is_broken;     /* bytes of it are missing */
    bool is_later;      /* than the releases that the tables have: it has a branch that none of them has */
    bool is_read;       /* a whole script was: the last one, which ended at found_at */
    bool is_found;      /* and there are releases that have it */
    struct armtap_where found_at;
    int32_t found_offset;
    armtap_ur_rtde_set found;               /* the releases that have this script */
    struct armtap_script_binding *bindings; /* ARMTAP_SCRIPT_BINDINGS; NULL: none was bound */
    unsigned bound;                         /* so far */
};
/* A line sent to the robot, without its end, at some place of the capture. False: it changed nothing. */
bool armtap_mailbox_script_line(struct armtap_mailbox_script *script, uint64_t connection,
                                const struct armtap_where *where, const char *line, size_t length);
/* Bytes of that connection are missing: a script that was being read is not known. */
void armtap_mailbox_script_lost(struct armtap_mailbox_script *script, uint64_t connection);
/* The scripts of a client's connection; NULL without one. In a second reading they are known from the beginning. */
const struct armtap_script_binding *armtap_mailbox_script_of(const struct armtap_mailbox_script *script,
                                                             uint64_t connection);
/* The last script is one of this connection; *is_new: that tells something new. ARMTAP_OK or ERR_MEMORY. */
int armtap_mailbox_script_bind(struct armtap_mailbox_script *script, uint64_t connection, bool *is_new);
void armtap_mailbox_script_free(struct armtap_mailbox_script *script);

#endif
