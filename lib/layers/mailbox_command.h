/* Commands of ur_rtde, and what the robot says of them. */
#ifndef ARMTAP_MAILBOX_COMMAND_H
#define ARMTAP_MAILBOX_COMMAND_H

#include "armtap.h"
#include "mailbox_script.h"

/* ---- mailbox_said.c ----
 *
 * What the robot says of ur_rtde's script in its packages, and a queue of it, for a client whose packages are heard
 * later than they were captured. */

#define ARMTAP_SAID_DOUBLES 6u

/* What the registers for results hold. */
struct armtap_said_results {
    uint32_t has_doubles; /* by register */
    double doubles[ARMTAP_SAID_DOUBLES];
    bool has_integer, has_progress;
    int32_t integer, progress;
};
/* By one package, or by several that say the same while the client says nothing. */
struct armtap_said {
    struct armtap_where where; /* the first of them */
    uint64_t client_bytes;     /* that came before, heard or not */
    bool is_after_gap;         /* bytes of the robot are missing before it */
    bool is_after_rest;        /* something that it said before was not kept */
    bool shows_state, shows_stops, is_paused;
    int32_t state;     /* the script's */
    const char *cause; /* for a command not to be done any more; NULL: none */
    struct armtap_said_results results;
};
/* Reads a package of the robot, whose registers have that offset. */
void armtap_said_read(struct armtap_said *said, unsigned offset, const struct armtap_record *record);
/* In the capture. Without packets nothing is before anything. */
bool armtap_said_before(const struct armtap_where *one, const struct armtap_where *other);

/* More than the script says between two packages of a client. */
#define ARMTAP_SAID_KEPT 16u
/* Packages that say the same are one: its results are those of the first. Zeros: it is empty. */
struct armtap_said_queue {
    struct armtap_said kept[ARMTAP_SAID_KEPT];
    unsigned count;
    bool has_gap, has_dropped; /* before what comes next */
};
/* False: it says what the last one said. */
bool armtap_said_keep(struct armtap_said_queue *queue, const struct armtap_said *said);
/* Takes out the oldest that was said before some place; NULL: before any. False: none was. */
bool armtap_said_next(struct armtap_said_queue *queue, const struct armtap_where *before, struct armtap_said *said);
/* Whether bytes are missing before what is kept. */
bool armtap_said_has_gap(const struct armtap_said_queue *queue);
/* Of what was kept, nobody knows to which command it belongs. */
void armtap_said_drop(struct armtap_said_queue *queue);

/* ---- mailbox_command.c ----
 *
 * A command of ur_rtde from its package to its end, and what is given to the sink of it. */

#define ARMTAP_PENDING_INTEGERS 8u
#define ARMTAP_PENDING_DOUBLES 18u
#define ARMTAP_PENDING_FIELDS 4u

/* What RTDE writes before the fields of a package: its length, its type, and last the recipe's id. */
#define ARMTAP_PACKAGE_HEAD 4u

enum armtap_waiting {
    ARMTAP_WAITING_YES,     /* the client waits until the script is done */
    ARMTAP_WAITING_NO,      /* it does not */
    ARMTAP_WAITING_RESULT,  /* it does not, but a result is to be had with the next package */
    ARMTAP_WAITING_PERHAPS, /* the releases disagree, no table has the code, or the answer may not show */
};

/* A command that was written and has not ended. */
struct armtap_pending {
    bool is_there;
    enum armtap_waiting waiting;
    bool may_be_done; /* the script's state was another since: DONE answers this command */
    bool was_taken;   /* the script's state was 0 since */
    bool shows_state; /* the script's state was seen since */
    bool is_done, is_acknowledged;
    bool bytes_missing;
    bool was_paused;   /* the robot's program */
    bool wants_stop;   /* the robot is to stop, or its program to end */
    bool is_overtaken; /* what the robot said after it was read before it */
    int32_t code;
    unsigned recipe_id;
    struct armtap_where issued, done, acknowledged;
    struct armtap_where undone; /* the last package before `done` that does not say so; all zeros: none */
    const char *cause;
    uint32_t has_integers, has_doubles; /* by register */
    unsigned doubles_of;                /* how many its recipe has */
    int32_t integers[ARMTAP_PENDING_INTEGERS];
    double doubles[ARMTAP_PENDING_DOUBLES];
    size_t field_count;
    struct armtap_command_value fields[ARMTAP_PENDING_FIELDS]; /* of its recipe, besides those registers */
    struct armtap_said_results results;
};

/* By what a code is read. */
struct armtap_command_table {
    enum armtap_ur_rtde_side side;
    armtap_ur_rtde_set releases; /* never empty */
    bool is_by_script;
    bool is_by_packages; /* without set-ups */
    bool is_offset_unknown;
    unsigned offset;
};

/* The first field of a package whose set-up was not captured, and the bytes of all its fields. False: it is too short.
 */
bool armtap_command_code(const struct armtap_record *record, int32_t *code, size_t *bytes);
/* A package with a code. If its set-up was not captured, the table's recipe must have its length. */
void armtap_command_begin(struct armtap_pending *pending, const struct armtap_command_table *table,
                          const struct armtap_record *record, int32_t code);
int armtap_command_give(struct armtap_conn *conn, const struct armtap_command_table *table,
                        const struct armtap_pending *pending, enum armtap_command_ending ending);

#endif
