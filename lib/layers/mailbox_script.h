/* What the control script of ur_rtde shows of its release and its registers, read line by line as a client sends it. */
#ifndef ARMTAP_MAILBOX_SCRIPT_H
#define ARMTAP_MAILBOX_SCRIPT_H

#include "mailbox_table.h"

/* What is known of the scripts that were sent to a robot; zeros: nothing. */
struct armtap_mailbox_script {
    uint64_t branches[ARMTAP_UR_RTDE_BRANCHES]; /* of the script being read: the codes that it compares with, by bit */
    uint64_t connection;                        /* that brings it */
    int32_t last_code;                          /* they ascend */
    unsigned offset;
    bool is_found; /* a whole script was read */
    unsigned found_offset;
    armtap_ur_rtde_set found; /* the releases that have this script */
};
/* A line sent to the robot, without its end. False: it changed nothing. */
bool armtap_mailbox_script_line(struct armtap_mailbox_script *script, uint64_t connection, const char *line,
                                size_t length);

#endif
