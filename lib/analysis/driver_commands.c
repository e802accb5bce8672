#include "driver_commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "incident.h"
#include "times.h"

#define INTERVALS 32 /* the last ones, by which a cycle is told */
#define INTERVALS_LEAST 20
#define HOLE_CYCLES 2       /* longer is a hole */
#define SPEED_MOST 20.0     /* rad/s: the robot's program ignores targets beyond */
#define AWAY_MOST 0.1       /* rad, between an arm at rest or in motion and the first target */
#define ACTUAL_OLDEST 0.020 /* s */
#define MS_PER_S 1e3
#define SERVOJ 1

static const char waited[] = "Socket timed out waiting for command";

struct driver {
    struct armtap_stream stream; /* as it was at its last command */
    struct command last;
    bool is_known;     /* `last` is the command before, and nothing is missing since */
    bool is_resent;    /* bytes were sent again since */
    bool is_coalesced; /* the last packet had several commands, and this was said */
    bool is_closed;    /* by the driver */
    bool is_ended;
    double pause;                /* s before the last packet */
    double intervals[INTERVALS]; /* s, between packets with commands of one mode */
    size_t interval_count;
    double actual_q[COMMAND_JOINTS]; /* of the robot, from its telemetry */
    int64_t actual_time;             /* ARMTAP_NO_TIME: none */
};

void armtap_drivers_free(struct drivers *drivers)
{
    for (size_t i = 0; i < drivers->count; i++)
        free(drivers->all[i]);
    *drivers = (struct drivers){.count = 0};
}

static struct driver *driver_of(const struct drivers *drivers, uint64_t connection)
{
    for (size_t i = 0; i < drivers->count; i++)
        if (drivers->all[i]->stream.connection == connection)
            return drivers->all[i];
    return NULL;
}

const char *armtap_command_mode(int32_t mode)
{
    switch (mode) {
#define CONTROL_MODE(number, name)                                                                                     \
    case number:                                                                                                       \
        return #name;
#include "control_modes.def"
#undef CONTROL_MODE
    default:
        return "a mode that armtap does not know";
    }
}

/* Whether the robot moves by each command, so that one that is missing is a hole. */
static bool is_motion(int32_t mode)
{
    return mode == 1 || mode == 2 || mode == 4 || mode == 5 || mode == 8;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool armtap_command_read(const struct armtap_record *record, struct command *command)
{
    struct armtap_value value;
    bool has_mode = false, has_timeout = false;
    *command = (struct command){.where = record->where};
    for (size_t i = 0; armtap_record_value(record, i, &value); i++) {
        const char *name = armtap_recipe_at(record->recipe, i)->name;
        if (strcmp(name, "command_mode") == 0) {
            command->mode = (int32_t)value.i64[0];
            has_mode = true;
        } else if (strcmp(name, "command_timeout") == 0) {
            command->timeout = (int32_t)value.i64[0];
            has_timeout = true;
        } else if (value.type == ARMTAP_DOUBLE && value.count == COMMAND_JOINTS) {
            memcpy(command->target, value.f64, sizeof command->target);
            command->has_target = true;
        }
    }
    return has_mode && has_timeout;
}

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* The usual interval of commands, and the longest that is still usual; false if too few are known. */
static bool cycle_of(const struct driver *driver, double *cycle, double *longest)
{
    double sorted[INTERVALS];
    size_t count = driver->interval_count < INTERVALS ? driver->interval_count : INTERVALS;
    if (count < INTERVALS_LEAST)
        return false;
    memcpy(sorted, driver->intervals, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    *cycle = sorted[count / 2];
    *longest = sorted[count - 1];
    return *cycle > 0;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* A command that came too late, or none after the last. */
static bool judge_gap(struct driver *driver, struct findings *findings, double seconds, bool is_last)
{
    const struct command *last = &driver->last;
    double cycle, longest, allowed = last->timeout / MS_PER_S;
    const char *resent = driver->is_resent ? "; bytes to the robot were sent again meanwhile" : "";
    if (last->timeout > 0 && seconds > allowed) {
        armtap_findings_measure(findings, "command.gap", seconds, &driver->stream, &last->where,
                                "no command for %s s%s, but the last one allows %s s until the next: then the robot's "
                                "program ends%s",
                                DECIMAL(seconds, 3), is_last ? ", until the connection ended" : "", DECIMAL(allowed, 3),
                                resent);
        return true;
    }
    if (is_last || !is_motion(last->mode) || !cycle_of(driver, &cycle, &longest) || seconds <= HOLE_CYCLES * longest)
        return false;
    armtap_findings_measure(findings, "command.gap", seconds, &driver->stream, &last->where,
                            "no command for %s s, though one came every %s s: the robot moved on without%s",
                            DECIMAL(seconds, 3), DECIMAL(cycle, 3), resent);
    return true;
}

/* Whether a target is farther from the one before than a joint can go meanwhile. */
static void judge_step(struct driver *driver, struct findings *findings, const struct command *command, double seconds)
{
    double cycle, longest;
    if (command->mode != SERVOJ || !command->has_target || !driver->last.has_target ||
        !cycle_of(driver, &cycle, &longest))
        return;
    double during = seconds > cycle ? seconds : cycle;
    for (unsigned i = 0; i < COMMAND_JOINTS; i++) {
        double step = fabs(command->target[i] - driver->last.target[i]);
        if (!(step > SPEED_MOST * during))
            continue;
        armtap_findings_measure(findings, "command.jump", step, &driver->stream, &command->where,
                                "joint %u is to go %s rad within %s s, with %s rad/s: the robot's program accepts 20",
                                i, DECIMAL(step, 3), DECIMAL(during, 3), DECIMAL(step / during, 0));
        return;
    }
}

/* Whether the first target in a mode is away from where the arm is. */
static void judge_first(struct driver *driver, struct findings *findings, const struct command *command)
{
    double age = armtap_time_seconds(driver->actual_time, command->where.time);
    if (command->mode != SERVOJ || !command->has_target || age < 0 || age > ACTUAL_OLDEST)
        return;
    for (unsigned i = 0; i < COMMAND_JOINTS; i++) {
        double away = fabs(command->target[i] - driver->actual_q[i]);
        if (!(away > AWAY_MOST))
            continue;
        armtap_findings_measure(findings, "command.jump", away, &driver->stream, &command->where,
                                "the first target in this mode is %s rad away from where joint %u is", DECIMAL(away, 3),
                                i);
        return;
    }
}

static void judge_mode(struct driver *driver, struct findings *findings, const struct command *command)
{
    if (driver->is_known && command->mode == driver->last.mode)
        return;
    if (driver->is_known)
        armtap_findings_say(findings, "command.mode", &driver->stream, &command->where, "%s -> %s",
                            armtap_command_mode(driver->last.mode), armtap_command_mode(command->mode));
    driver->interval_count = 0;
    judge_first(driver, findings, command);
}

/* Another command of the last packet. */
static void judge_same_packet(struct driver *driver, struct findings *findings, const struct command *command)
{
    double cycle, longest;
    if (driver->is_coalesced || !cycle_of(driver, &cycle, &longest) || driver->pause <= HOLE_CYCLES * longest)
        return;
    driver->is_coalesced = true;
    armtap_findings_measure(findings, "command.coalesced", driver->pause, &driver->stream, &command->where,
                            "several commands in one packet, after %s s without any", DECIMAL(driver->pause, 3));
}

/* ---- feeding ----------------------------------------------------------------------------------------------------- */

static void take_command(struct driver *driver, struct findings *findings, const struct command *command)
{
    const struct command *last = &driver->last;
    double seconds = driver->is_known ? armtap_time_seconds(last->where.time, command->where.time) : -1;
    bool is_same = command->where.packet == last->where.packet && command->where.file == last->where.file;
    if (seconds >= 0 && command->mode == last->mode)
        judge_step(driver, findings, command, seconds);
    if (seconds >= 0 && is_same) {
        judge_same_packet(driver, findings, command);
    } else if (seconds >= 0) {
        driver->pause = seconds;
        driver->is_coalesced = false;
        if (!judge_gap(driver, findings, seconds, false) && command->mode == last->mode)
            driver->intervals[driver->interval_count++ % INTERVALS] = seconds;
    }
    judge_mode(driver, findings, command);
    driver->last = *command;
    driver->is_known = command->where.time != ARMTAP_NO_TIME;
    driver->is_resent = false;
}

/* A new driver, in the place of the oldest that ended; NULL if memory runs out, or there are too many. */
static struct driver *add_driver(struct drivers *drivers, const struct armtap_stream *stream, bool *has_failed)
{
    size_t place = drivers->count;
    for (size_t i = 0; i < drivers->count && drivers->count == DRIVERS_MAX && place == drivers->count; i++)
        place = drivers->all[i]->is_ended ? i : place;
    if (place == DRIVERS_MAX)
        return NULL;
    struct driver *driver = calloc(1, sizeof *driver);
    *has_failed = !driver;
    if (!driver)
        return NULL;
    driver->stream = *stream;
    driver->actual_time = ARMTAP_NO_TIME;
    if (place < drivers->count)
        free(drivers->all[place]);
    else
        drivers->count++;
    drivers->all[place] = driver;
    return driver;
}

/* Where the robot's arm is, for the drivers that command it. */
static void take_actual(struct drivers *drivers, const struct armtap_record *record)
{
    if (!record->state || !armtap_set_has(record->updated, ARMTAP_ID_actual_q))
        return;
    for (size_t i = 0; i < drivers->count; i++) {
        struct driver *driver = drivers->all[i];
        if (driver->is_ended || !armtap_incident_same_host(driver->stream.robot, record->stream->robot))
            continue;
        memcpy(driver->actual_q, record->state->actual_q, sizeof driver->actual_q);
        driver->actual_time = record->where.time;
    }
}

int armtap_drivers_record(struct drivers *drivers, struct findings *findings, const struct armtap_record *record)
{
    struct command command;
    bool has_failed = false;
    if (record->protocol != ARMTAP_EXTERNAL_CONTROL) {
        if (drivers->count > 0 && record->direction == ARMTAP_FROM_ROBOT && record->recipe)
            take_actual(drivers, record);
        return 0;
    }
    if (record->direction != ARMTAP_TO_ROBOT || !record->recipe || !armtap_command_read(record, &command))
        return 0;
    struct driver *driver = driver_of(drivers, record->stream->connection);
    if (!driver && !(driver = add_driver(drivers, record->stream, &has_failed)))
        return has_failed ? -1 : 0;
    if (record->flags & ARMTAP_AFTER_GAP)
        driver->is_known = false;
    take_command(driver, findings, &command);
    driver->stream = *record->stream;
    return 0;
}

bool armtap_drivers_next(const struct drivers *drivers, const char *robot, size_t *from, uint64_t *connection)
{
    while (*from < drivers->count) {
        const struct driver *driver = drivers->all[(*from)++];
        *connection = driver->stream.connection;
        if (armtap_incident_same_host(driver->stream.robot, robot))
            return true;
    }
    return false;
}

static void take_close(struct driver *driver, struct findings *findings, const struct armtap_event *event)
{
    bool is_end = event->a == ARMTAP_CLOSE_FIN || event->a == ARMTAP_CLOSE_RESET;
    double seconds = armtap_time_seconds(driver->last.where.time, event->where.time);
    if (driver->is_ended)
        return;
    driver->is_ended = true;
    driver->is_closed = is_end && event->direction == ARMTAP_TO_ROBOT;
    bool is_over = driver->last.mode < 0; /* the driver said so */
    if (is_end && driver->is_known && !is_over && seconds >= 0)
        judge_gap(driver, findings, seconds, true);
}

void armtap_drivers_event(struct drivers *drivers, struct findings *findings, const struct armtap_event *event)
{
    struct driver *driver = drivers->count > 0 ? driver_of(drivers, event->stream->connection) : NULL;
    if (!driver)
        return;
    if (event->type == ARMTAP_EVENT_CLOSE)
        take_close(driver, findings, event);
    if (event->direction != ARMTAP_TO_ROBOT)
        return;
    if (event->type == ARMTAP_EVENT_GAP)
        driver->is_known = false;
    if (event->type == ARMTAP_EVENT_RETRANSMISSION || event->type == ARMTAP_EVENT_OUT_OF_ORDER)
        driver->is_resent = true;
}

/* The robot's driver whose last command is the latest before a time. */
static const struct driver *latest(const struct drivers *drivers, const struct armtap_note *note)
{
    const struct driver *found = NULL;
    for (size_t i = 0; i < drivers->count; i++) {
        const struct driver *driver = drivers->all[i];
        if (armtap_incident_same_host(driver->stream.robot, note->stream->robot) &&
            armtap_time_seconds(driver->last.where.time, note->where.time) >= 0 &&
            (!found || driver->last.where.time > found->last.where.time))
            found = driver;
    }
    return found;
}

void armtap_drivers_note(struct drivers *drivers, struct findings *findings, const struct armtap_note *note)
{
    if (!note->stream || !note->text || strcmp(note->kind->id, "ur.message") != 0 ||
        strncmp(note->text, waited, sizeof waited - 1) != 0)
        return;
    const struct driver *driver = latest(drivers, note);
    if (!driver) {
        armtap_findings_say(findings, "command.timeout", note->stream, &note->where,
                            "the robot's program waited in vain for a command, and ends");
        return;
    }
    double seconds = armtap_time_seconds(driver->last.where.time, note->where.time);
    armtap_findings_measure(findings, "command.timeout", seconds, note->stream, &note->where,
                            "the robot's program waited in vain for a command, and ends: the last one, in packet "
                            "%" PRIu64 ", came %s s before%s",
                            driver->last.where.packet, DECIMAL(seconds, 3),
                            driver->is_closed ? ", then the driver closed the connection" : "");
}
