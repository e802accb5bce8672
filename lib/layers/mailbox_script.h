/* What the control script of ur_rtde shows of its release and its registers, read line by line as a client sends it. */
#ifndef ARMTAP_MAILBOX_SCRIPT_H
#define ARMTAP_MAILBOX_SCRIPT_H

#include "mailbox_table.h"

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
