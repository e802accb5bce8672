/* The commands that a driver sends to External Control: holes in them, jumps, changes of mode, and the robot's word
 * that it waited in vain. Silent where the capture lacks bytes. */
#ifndef ANALYSIS_DRIVER_COMMANDS_H
#define ANALYSIS_DRIVER_COMMANDS_H

#include "findings.h"

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
void armtap_drivers_event(struct drivers *drivers, struct findings *findings, const struct armtap_event *event);
void armtap_drivers_note(struct drivers *drivers, struct findings *findings, const struct armtap_note *note);

#endif
