#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "numbers.h"

/* A motion is slow if it takes this much longer than it ever did, in at least so many times before. */
#define SLOW_FACTOR 2
#define SLOW_MORE 0.5 /* s */
#define USUAL_TIMES 3
/* How long it took is one number if the robot's packages are no further apart than this share of it. */
#define SHOWN_SHARE 0.05

/* "moveL", "speedJ or speedL", "the command 77". */
static void name_command(char name[ROBOT_COMMAND_NAME_MAX], const struct armtap_command *command)
{
    size_t length = 0;
    if (command->is_unknown)
        snprintf(name, ROBOT_COMMAND_NAME_MAX, "the command %d", (int)command->code);
    for (size_t i = 0; !command->is_unknown && i < command->reading_count && length < ROBOT_COMMAND_NAME_MAX; i++)
        length += (size_t)snprintf(name + length, ROBOT_COMMAND_NAME_MAX - length, "%s%s", i > 0 ? " or " : "",
                                   command->readings[i].name);
}

/* How long the script takes at most, whatever the command means; 0: that is not known. */
static double usual_time(const struct armtap_command *command)
{
    double most = 0;
    for (size_t i = 0; i < command->reading_count; i++) {
        if (!(command->readings[i].usual > 0))
            return 0;
        most = command->readings[i].usual > most ? command->readings[i].usual : most;
    }
    return most;
}

/* "after 1.5 s", "" without times. */
static const char *after(char to[40], const struct armtap_command *command)
{
    double seconds = armtap_time_seconds(command->issued.time, command->acknowledged.time);
    to[0] = '\0';
    if (command->is_acknowledged && seconds >= 0)
        snprintf(to, 40, " after %s s", DECIMAL(seconds, 3));
    return to;
}

/* What it took, "1.002 s", as far as the robot's packages tell: "1.5 to 2.5 s" if it sends them seldom. */
static const char *took(char to[80], const struct armtap_command *command)
{
    if (command->duration - command->duration_least <= SHOWN_SHARE * command->duration)
        snprintf(to, 80, "%s s", DECIMAL(command->duration, 3));
    else
        snprintf(to, 80, "%s to %s s", DECIMAL(command->duration_least, 3), DECIMAL(command->duration, 3));
    return to;
}

static void say_slow_motion(struct findings *findings, const struct armtap_command *command, const char *name,
                            const struct usual_motion *before)
{
    char text[80];
    if (before->times >= USUAL_TIMES && !command->was_paused && command->duration_least >= SLOW_FACTOR * before->most &&
        command->duration_least >= before->most + SLOW_MORE)
        armtap_findings_measure(
            findings, "command.slow", command->duration_least, command->stream, &command->issued,
            "%s took %s; the %u times before, with the same arguments after the same motion, at most %s s", name,
            took(text, command), before->times, DECIMAL(before->most, 3));
}

/* 0, or -1 without memory. */
static int follow_motion(struct open_robot_command *open, struct usual_motions *usual, struct findings *findings,
                         const struct armtap_command *command, const char *name)
{
    struct usual_motion before;
    uint64_t last = open->motion;
    if (!armtap_is_motion(command)) {
        armtap_motion_settings_take(&open->settings, usual, command);
        return 0;
    }
    bool is_whole = command->ending == ARMTAP_COMMAND_DONE && !command->bytes_missing;
    open->motion = is_whole ? armtap_motion_of(usual, command) : 0;
    if (last == 0 || open->motion == 0 || !(command->duration >= 0))
        return 0;
    last += open->settings.sum;
    if (armtap_usual_motions_add(usual, last, open->motion, command->duration, &before) != 0)
        return -1;
    say_slow_motion(findings, command, name, &before);
    return 0;
}

int armtap_robot_commands_take(struct open_robot_command *open, struct usual_motions *usual, struct findings *findings,
                               const struct armtap_command *command)
{
    char name[ROBOT_COMMAND_NAME_MAX], when[40], duration[80];
    double most = usual_time(command);
    name_command(name, command);
    open->is_there = false;
    if (command->ending == ARMTAP_COMMAND_FAILED)
        armtap_findings_say(findings, "command.failed", command->stream, &command->issued,
                            "%s was not done: %s; the client withdrew it%s", name, command->cause ? command->cause : "",
                            after(when, command));
    if (command->ending == ARMTAP_COMMAND_ABANDONED)
        armtap_findings_say(findings, "command.unanswered", command->stream, &command->issued,
                            "the client withdrew %s%s, before the robot's script said that it is done", name,
                            after(when, command));
    if (command->ending == ARMTAP_COMMAND_REPLACED)
        armtap_findings_say(findings, "command.unanswered", command->stream, &command->issued,
                            "another command came before the robot's script said that %s is done", name);
    if (command->ending == ARMTAP_COMMAND_DONE && !command->was_paused && most > 0 && command->duration_least >= most)
        armtap_findings_measure(findings, "command.slow", command->duration_least, command->stream, &command->issued,
                                "%s took %s; the script is usually done with it within %s s", name,
                                took(duration, command), DECIMAL(most, 1));
    if (command->ending == ARMTAP_COMMAND_UNFINISHED && !command->bytes_missing && !command->is_acknowledged) {
        open->is_there = true;
        open->issued = command->issued;
        open->cause = command->cause;
        memcpy(open->name, name, sizeof open->name);
    }
    return follow_motion(open, usual, findings, command, name);
}

void armtap_robot_commands_gap(struct open_robot_command *open)
{
    open->motion = 0;
}

void armtap_robot_commands_close(struct open_robot_command *open, struct findings *findings,
                                 const struct armtap_event *event)
{
    bool is_closed = event->a == ARMTAP_CLOSE_FIN || event->a == ARMTAP_CLOSE_RESET;
    double seconds = armtap_time_seconds(open->issued.time, event->where.time);
    if (open->is_there && is_closed && seconds >= 0)
        armtap_findings_say(findings, "command.unanswered", event->stream, &open->issued,
                            "the connection ended %s s later, before the robot's script said that %s is done%s%s",
                            DECIMAL(seconds, 3), open->name, open->cause ? ", but after " : "",
                            open->cause ? open->cause : "");
    open->is_there = false;
}
