/* The commands that a driver sends to External Control: holes in them, jumps, changes of mode, and the robot's word
 * that it waited in vain. Silent where the capture lacks bytes. */
#ifndef ANALYSIS_DRIVER_COMMANDS_H
#define ANALYSIS_DRIVER_COMMANDS_H

#include "findings.h"

#define COMMAND_JOINTS 6

/* What a command says. */
struct command {
    struct armtap_where where;
    int32_t mode, timeout; /* ms */
    bool has_target;
    double target[COMMAND_JOINTS]; /* in the unit of the mode */
};
/* Whether a record is a command with a mode and a timeout. */
bool armtap_command_read(const struct armtap_record *record, struct command *command);
/* "SERVOJ" */
const char *armtap_command_mode(int32_t mode);

/* Connections that are followed; further ones are not judged. */
#define DRIVERS_MAX 64

struct driver;
/* Starts as zeros. */
struct drivers {
    struct driver *all[DRIVERS_MAX]; /* newest first */
    size_t count;
};
void armtap_drivers_free(struct drivers *drivers);
/* 0, or -1 if memory runs out. */
int armtap_drivers_record(struct drivers *drivers, struct findings *findings, const struct armtap_record *record);
/* The connection of a driver of that robot from this one on; *from moves behind it. False if there is none. */
bool armtap_drivers_next(const struct drivers *drivers, const char *robot, size_t *from, uint64_t *connection);
void armtap_drivers_event(struct drivers *drivers, struct findings *findings, const struct armtap_event *event);
void armtap_drivers_note(struct drivers *drivers, struct findings *findings, const struct armtap_note *note);

#endif
