/* Commands of clients to a robot. */
#ifndef ANALYSIS_COMMANDS_H
#define ANALYSIS_COMMANDS_H

#include "analysis/facts/findings.h"
#include "analysis/inside.h"

/* ---- robot_commands.c, usual_motions.c ----
 *
 * Commands of ur_rtde that did not go well, and how long motions take that follow the same motion: from the same place
 * to the same target, with the same speed. */

struct usual_motion {
    uint64_t hash;
    double most; /* s */
    unsigned times;
};

/* Of all robots. Starts with zeros. Of two motions that share a place the later one is kept. */
struct usual_motions {
    struct armtap_hash_key key;
    struct usual_motion *all; /* NULL before the first */
};
void armtap_usual_motions_free(struct usual_motions *usual);

/* The motion that a command asks for; 0 if it does not say where the arm is in the end. */
uint64_t armtap_motion_of(const struct usual_motions *usual, const struct armtap_command *command);
/* Settings of a client, such as the tool: with another one a motion is another. Starts with zeros. */
#define ARMTAP_MOTION_SETTINGS 4u
struct motion_settings {
    struct {
        uint64_t name, value; /* hashes; name 0: none */
    } all[ARMTAP_MOTION_SETTINGS];
    uint64_t sum; /* of the values */
};
/* Takes a command, if it is a setting. */
void armtap_motion_settings_take(struct motion_settings *settings, const struct usual_motions *usual,
                                 const struct armtap_command *command);
/* Whether the arm may move by it. */
bool armtap_is_motion(const struct armtap_command *command);
/* Adds the duration of one motion after another. *before becomes what was known before; its `times` are 0 for the
 * first. 0, or -1 without memory. */
int armtap_usual_motions_add(struct usual_motions *usual, uint64_t last, uint64_t motion, double duration,
                             struct usual_motion *before);

#define ROBOT_COMMAND_NAME_MAX 96

/* A command of a stream whose end was not seen; it is one's that is not answered if the connection was closed. */
struct open_robot_command {
    bool is_there;
    struct armtap_where issued;
    int32_t code;
    char name[ROBOT_COMMAND_NAME_MAX]; /* "" if only its code is known */
    const char *cause;                 /* for it not to be done; NULL: none is known */
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

/* ---- driver_commands.c ----
 *
 * The commands that a driver sends to External Control: holes in them, jumps, changes of mode, and the robot's word
 * that it waited in vain. Silent where the capture lacks bytes. */

#define COMMAND_JOINTS 6

/* What a command says. */
struct command {
    struct armtap_where where;
    int32_t mode, timeout; /* ms */
    int32_t action;        /* on a trajectory: 1 begins it, 0 keeps it alive */
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
struct modes_last;
/* Starts as zeros. */
struct drivers {
    struct driver *all[DRIVERS_MAX]; /* newest first */
    size_t count;
    struct trajectories *trajectories; /* NULL: none */
};
void armtap_drivers_free(struct drivers *drivers);
/* `modes`: of the record's stream; NULL: none are known. 0, or -1 if memory runs out. */
int armtap_drivers_record(struct drivers *drivers, struct findings *findings, const struct armtap_record *record,
                          const struct modes_last *modes);
/* The input ends. */
void armtap_drivers_end(const struct drivers *drivers, struct findings *findings);
/* The connection of a driver of that robot from this one on; *from moves behind it. False if there is none. */
bool armtap_drivers_next(const struct drivers *drivers, const char *robot, size_t *from, uint64_t *connection);
/* Commands of that connection were passed over: nobody knows how they came. */
void armtap_drivers_pass(const struct drivers *drivers, uint64_t connection);
void armtap_drivers_event(struct drivers *drivers, struct findings *findings, const struct armtap_event *event);
void armtap_drivers_note(struct drivers *drivers, struct findings *findings, const struct armtap_note *note);

#endif
