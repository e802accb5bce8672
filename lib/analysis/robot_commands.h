/* Commands of ur_rtde that did not go well. */
#ifndef ANALYSIS_ROBOT_COMMANDS_H
#define ANALYSIS_ROBOT_COMMANDS_H

#include "findings.h"
#include "usual_motions.h"

#define ROBOT_COMMAND_NAME_MAX 96

/* A command of a stream whose end was not seen; it is one's that is not answered if the connection was closed. */
struct open_robot_command {
    bool is_there;
    struct armtap_where issued;
    char name[ROBOT_COMMAND_NAME_MAX];
    const char *cause; /* for it not to be done; NULL: none is known */
    struct motion_settings settings;
    uint64_t motion; /* the last one, which the arm has completed; 0: where it stands is not known */
};

/* 0, or -1 without memory. */
int armtap_robot_commands_take(struct open_robot_command *open, struct usual_motions *usual, struct findings *findings,
                               const struct armtap_command *command);
/* Bytes are missing, and with them perhaps commands. */
void armtap_robot_commands_gap(struct open_robot_command *open);
/* The connection ended. */
void armtap_robot_commands_close(struct open_robot_command *open, struct findings *findings,
                                 const struct armtap_event *event);

#endif
