#include "analysis/facts/commands.h"

#include <stdio.h>
#include <string.h>

#include "analysis/numbers.h"

/* A motion is slow if it takes this much longer than it ever did, in at least so many times before. */
#define SLOW_FACTOR 2
#define SLOW_MORE 0.5 /* s */
#define USUAL_TIMES 3
/* How long it took is one number if the robot's packages are no further apart than this share of it. */
#define SHOWN_SHARE 0.05

/* "moveL", "speedJ or speedL"; "" if only its number is known. */
static void name_command(char name[ROBOT_COMMAND_NAME_MAX], const struct armtap_command *command)
{
    size_t length = 0;
    name[0] = '\0';
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

/* How much later the client withdrew it; absent without times. */
static struct armtap_argument withdrawn_later(const struct armtap_command *command)
{
    double seconds = armtap_time_seconds(command->issued.time, command->acknowledged.time);
    return command->is_acknowledged && seconds >= 0 ? arg_later_s(seconds) : arg_none(true);
}

static void raise_command(struct findings *findings, enum armtap_note_code code, const struct armtap_command *command,
                          const struct armtap_arguments *arguments)
{
    armtap_findings_raise(
        findings,
        &(struct fact){.code = code, .stream = command->stream, .where = &command->issued, .arguments = arguments});
}

/* One that was slow: it took one time, or one between two, as far as the robot's packages tell. `times`: how often it
 * took at most `usual` s before; 0: that is the script's usual time. */
static void raise_slow(struct findings *findings, const struct armtap_command *command, const char *name,
                       unsigned times, double usual)
{
    bool is_known = command->duration - command->duration_least <= SHOWN_SHARE * command->duration;
    raise_command(findings, ARMTAP_FINDING_command_slow, command,
                  ARGS(arg_command(name), arg_code(command->code),
                       is_known ? arg_duration_s(command->duration) : arg_none(true),
                       arg_shortest_s(command->duration_least), arg_longest_s(command->duration),
                       times > 0 ? arg_times(times) : arg_none(true), arg_usual_s(usual)));
}

static void report_slow_motion(struct findings *findings, const struct armtap_command *command, const char *name,
                               const struct usual_motion *before)
{
    if (before->times >= USUAL_TIMES && !command->was_paused && command->duration_least >= SLOW_FACTOR * before->most &&
        command->duration_least >= before->most + SLOW_MORE)
        raise_slow(findings, command, name, before->times, before->most);
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
    report_slow_motion(findings, command, name, &before);
    return 0;
}

int armtap_robot_commands_take(struct open_robot_command *open, struct usual_motions *usual, struct findings *findings,
                               const struct armtap_command *command)
{
    char name[ROBOT_COMMAND_NAME_MAX];
    double most = usual_time(command);
    name_command(name, command);
    open->is_there = false;
    if (command->ending == ARMTAP_COMMAND_FAILED)
        raise_command(
            findings, ARMTAP_FINDING_command_failed, command,
            ARGS(arg_command(name), arg_code(command->code), arg_cause(command->cause), withdrawn_later(command)));
    if (command->ending == ARMTAP_COMMAND_ABANDONED)
        raise_command(findings, ARMTAP_FINDING_command_unanswered, command,
                      ARGS(arg_until(ARMTAP_WORD_withdrawn), arg_command(name), arg_code(command->code),
                           withdrawn_later(command)));
    if (command->ending == ARMTAP_COMMAND_REPLACED)
        raise_command(findings, ARMTAP_FINDING_command_unanswered, command,
                      ARGS(arg_until(ARMTAP_WORD_replaced), arg_command(name), arg_code(command->code)));
    if (command->ending == ARMTAP_COMMAND_DONE && !command->was_paused && most > 0 && command->duration_least >= most)
        raise_slow(findings, command, name, 0, most);
    if (command->ending == ARMTAP_COMMAND_UNFINISHED && !command->bytes_missing && !command->is_acknowledged) {
        open->is_there = true;
        open->issued = command->issued;
        open->code = command->code;
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
        armtap_findings_raise(
            findings,
            &(struct fact){.code = ARMTAP_FINDING_command_unanswered,
                           .stream = event->stream,
                           .where = &open->issued,
                           .arguments = ARGS(arg_until(ARMTAP_WORD_closed), arg_later_s(seconds),
                                             arg_command(open->name), arg_code(open->code), arg_cause(open->cause))});
    open->is_there = false;
}
