/* Commands of ur_rtde that did not go well. */
#ifndef ANALYSIS_ROBOT_COMMANDS_H
#define ANALYSIS_ROBOT_COMMANDS_H

#include "findings.h"

#define ROBOT_COMMAND_NAME_MAX 96

/* A command of a stream whose end was not seen; it is one's that is not answered if the connection was closed. */
struct open_robot_command {
    bool is_there;
    struct armtap_where issued;
    char name[ROBOT_COMMAND_NAME_MAX];
};

void armtap_robot_commands_take(struct open_robot_command *open, struct findings *findings,
                                const struct armtap_command *command);
/* The connection ended. */
void armtap_robot_commands_close(struct open_robot_command *open, struct findings *findings,
                                 const struct armtap_event *event);

#endif
