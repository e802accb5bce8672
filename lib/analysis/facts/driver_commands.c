#include "analysis/facts/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arm/watch.h"
#include "analysis/numbers.h"

#define INTERVALS 32 /* the last ones, by which a cycle is told */
#define INTERVALS_LEAST 20
#define HOLE_CYCLES 2       /* longer is a hole */
#define SPEED_MOST 20.0     /* rad/s: the robot's program ignores targets beyond */
#define AWAY_MOST 0.1       /* rad, between an arm at rest or in motion and the first target */
#define ACTUAL_OLDEST 0.020 /* s */
#define STOOD_OLDEST 0.250  /* s: an arm that stands may still be there */
#define MS_PER_S 1e3
/* Before client library 1.3.4 a command said how many reads of 20 ms may pass, and nothing tells which it is. */
#define COUNTS_MOST 20
#define READ 0.020        /* s */
#define STEP_LEAST 0.002  /* s: the shortest cycle of a controller */
#define ENDS_WITHIN 0.500 /* s after a gap: the robot closes the connection of a program that ended */
/* What was held up on its way comes together: of so many commands after a gap none comes within half a cycle of the one
 * before, and all take nearly as long as their cycles. */
#define FOLLOWING 8
#define ONE_BY_ONE 0.8
#define DEAF 0.5 /* of a gap without data to the driver, which may wait for it */

enum {
#define CONTROL_MODE(number, name) MODE_##name = (number),
#include "table/control_modes.def"
#undef CONTROL_MODE
};

/* A gap that a command allows no more, until it is known whether the robot's program ended. */
struct open_gap {
    bool is_there, is_resent;
    bool is_mute;              /* nothing of the driver came any more: it, or the path from it, may be gone */
    bool is_held;              /* commands after it came together, or the driver got no data meanwhile */
    unsigned following;        /* commands after the one that ended it, ... */
    double since;              /* ... in so many s */
    double seconds, allowed;   /* 0: what is usual */
    double cycle;              /* 0: unknown */
    struct armtap_where where; /* of the command before it */
    int64_t until;             /* the time of the command after it */
    enum armtap_word then;     /* how the connection ended; none: it goes on */
};

struct driver {
    struct armtap_stream stream; /* as it was at its last command */
    struct command last;
    bool is_known;     /* `last` is the command before, and nothing is missing since */
    bool is_resent;    /* bytes were sent again since */
    bool is_coalesced; /* the last packet had several commands, and this was said */
    bool is_closed;    /* by the driver */
    bool is_ended;
    struct open_gap gap;
    double pause;                /* s before the last packet */
    double intervals[INTERVALS]; /* s, between packets with commands of one mode */
    size_t interval_count;
    int64_t heard;                   /* when the robot last sent data to its host; ARMTAP_NO_TIME: never */
    double deaf;                     /* s, the longest time without, since the last command */
    double actual_q[COMMAND_JOINTS]; /* of the robot, from its telemetry */
    int64_t actual_time;             /* ARMTAP_NO_TIME: none */
    bool is_held;                    /* the arm, as far as is known */
    struct following following;
};

void armtap_drivers_free(struct drivers *drivers)
{
    for (size_t i = 0; i < drivers->count; i++)
        free(drivers->all[i]);
    armtap_trajectories_free(drivers->trajectories);
    *drivers = (struct drivers){.count = 0};
}

static struct driver *driver_of(const struct drivers *drivers, uint64_t connection)
{
    for (size_t i = 0; i < drivers->count; i++)
        if (drivers->all[i]->stream.connection == connection)
            return drivers->all[i];
    return NULL;
}

/* NULL: armtap does not know it. */
static const char *name_of_mode(int32_t mode)
{
    switch (mode) {
#define CONTROL_MODE(number, name)                                                                                     \
    case number:                                                                                                       \
        return #name;
#include "table/control_modes.def"
#undef CONTROL_MODE
    default:
        return NULL;
    }
}

const char *armtap_command_mode(int32_t mode)
{
    const char *name = name_of_mode(mode);
    return name ? name : "a mode that armtap does not know";
}

/* Whether the robot moves by each command, so that one that is missing is a hole. */
static bool is_motion(int32_t mode)
{
    return mode == MODE_SERVOJ || mode == MODE_SPEEDJ || mode == MODE_SPEEDL || mode == MODE_POSE ||
           mode == MODE_TORQUE;
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
        } else if (strcmp(name, "trajectory_action") == 0) {
            command->action = (int32_t)value.i64[0];
        } else if (value.type == ARMTAP_DOUBLE && value.count == COMMAND_JOINTS) {
            memcpy(command->target, value.f64, sizeof command->target);
            command->has_target = true;
        }
    }
    return has_mode && has_timeout;
}

static size_t intervals_kept(const struct driver *driver)
{
    return driver->interval_count < INTERVALS ? driver->interval_count : INTERVALS;
}

/* The usual interval of commands; false if too few are known. */
static bool cycle_of(const struct driver *driver, double *cycle)
{
    double sorted[INTERVALS];
    size_t count = intervals_kept(driver);
    if (count < INTERVALS_LEAST)
        return false;
    memcpy(sorted, driver->intervals, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, armtap_by_size);
    *cycle = sorted[count / 2];
    return *cycle > 0;
}

/* Whether a pause is longer than usual ones. */
static bool is_hole(const struct driver *driver, double seconds)
{
    size_t count = intervals_kept(driver);
    for (size_t i = 0; i < count; i++)
        if (seconds <= HOLE_CYCLES * driver->intervals[i])
            return false;
    return true;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* Raises what a driver did in its own stream. */
static void raise_command(const struct driver *driver, struct findings *findings, enum armtap_note_code code,
                          const struct armtap_where *where, const struct armtap_arguments *arguments)
{
    armtap_findings_raise(
        findings, &(struct fact){.code = code, .stream = &driver->stream, .where = where, .arguments = arguments});
}

/* How long the last command lets the robot's program wait, in s; 0: for ever. */
static double allowed_by(const struct command *command)
{
    if (command->timeout <= 0)
        return 0;
    return command->timeout < COUNTS_MOST ? command->timeout * READ : command->timeout / MS_PER_S;
}

/* How long a joint has for one step, in s: commands that come in bursts are for a cycle each, and after a hole the
 * robot's program compares with the last command as ever. */
static double step_of(const struct driver *driver, double cycle)
{
    size_t count = intervals_kept(driver);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += driver->intervals[i];
    double mean = count > 0 ? sum / (double)count : 0;
    return fmax(fmax(cycle, mean), STEP_LEAST);
}

/* Whether the commands after a gap show that none was sent in it. */
static bool is_not_sent(const struct open_gap *gap)
{
    bool is_slow = gap->cycle > 0 && gap->since >= ONE_BY_ONE * gap->following * gap->cycle;
    return !gap->is_held && !gap->is_resent && gap->following >= FOLLOWING && is_slow;
}

static void settle_gap(struct driver *driver, struct findings *findings, enum armtap_word until)
{
    const struct open_gap *gap = &driver->gap;
    until = gap->then ? gap->then : gap->allowed > 0 ? until : ARMTAP_WORD_moved_on;
    until = gap->is_held && until == ARMTAP_WORD_robot_closed ? ARMTAP_WORD_robot_closed_first : until;
    if (gap->is_there)
        raise_command(driver, findings, ARMTAP_FINDING_command_gap, &gap->where,
                      ARGS(arg_duration_s(gap->seconds),
                           gap->allowed > 0 ? arg_allowed_s(gap->allowed) : arg_usual_s(gap->cycle), arg_until(until),
                           arg_is_resent(gap->is_resent),
                           arg_doubt(gap->is_mute ? ARMTAP_WORD_client_gone : ARMTAP_WORD_none),
                           arg_reason(is_not_sent(gap) ? ARMTAP_WORD_not_sent : ARMTAP_WORD_none)));
    driver->gap.is_there = false;
}

/* A command after a gap: whether it comes with the one before. */
static void follow_gap(struct driver *driver, struct findings *findings, double seconds)
{
    struct open_gap *gap = &driver->gap;
    if (!gap->is_there || gap->until == 0 || gap->following == FOLLOWING)
        return;
    gap->is_held = gap->is_held || seconds < step_of(driver, 0) / 2;
    gap->since += seconds;
    if (++gap->following == FOLLOWING && !(gap->allowed > 0))
        settle_gap(driver, findings, ARMTAP_WORD_moved_on);
}

/* Commands went on for so long that the robot's program cannot have ended. */
static void settle_old_gap(struct driver *driver, struct findings *findings, int64_t now)
{
    if (driver->gap.is_there && !driver->is_ended && armtap_time_seconds(driver->gap.until, now) > ENDS_WITHIN)
        settle_gap(driver, findings, ARMTAP_WORD_continued);
}

/* Whether the driver may have waited for data that did not come. */
static bool is_deaf(const struct driver *driver, double seconds, int64_t now)
{
    double since = driver->heard == ARMTAP_NO_TIME ? -1 : armtap_time_seconds(driver->heard, now);
    return fmax(driver->deaf, since) >= DEAF * seconds;
}

/* A command that came too late. */
static bool judge_gap(struct driver *driver, struct findings *findings, double seconds, int64_t now)
{
    const struct command *last = &driver->last;
    double cycle = 0, allowed = allowed_by(last);
    bool is_late = allowed > 0 && seconds > allowed;
    if (!is_late && (!is_motion(last->mode) || !is_hole(driver, seconds)))
        return false;
    bool is_known = cycle_of(driver, &cycle);
    if (!is_late && !is_known)
        return false;
    settle_gap(driver, findings, ARMTAP_WORD_may_end);
    driver->gap = (struct open_gap){.is_there = true,
                                    .is_resent = driver->is_resent,
                                    .is_held = is_deaf(driver, seconds, now),
                                    .seconds = seconds,
                                    .allowed = is_late ? allowed : 0,
                                    .cycle = is_known ? cycle : 0,
                                    .where = last->where,
                                    .until = now};
    return true;
}

/* The robot's program accepts what is near the arm, whatever the command before. */
static bool is_near_arm(const struct driver *driver, const struct command *command, unsigned joint)
{
    double age = armtap_time_seconds(driver->actual_time, command->where.time);
    return age >= 0 && age <= ACTUAL_OLDEST && fabs(command->target[joint] - driver->actual_q[joint]) <= AWAY_MOST;
}

/* The largest step of a joint from the last target. */
static double largest_step(const struct driver *driver, const struct command *command)
{
    double largest = 0;
    for (unsigned i = 0; i < COMMAND_JOINTS; i++)
        largest = fmax(largest, fabs(command->target[i] - driver->last.target[i]));
    return largest;
}

/* Whether a target is farther from the one before than a joint can go meanwhile. The steps that any controller accepts
 * cost no look at the cycle. */
static void judge_step(struct driver *driver, struct findings *findings, const struct command *command)
{
    double cycle;
    if (command->mode != MODE_SERVOJ || !command->has_target || !driver->last.has_target ||
        !(largest_step(driver, command) > SPEED_MOST * STEP_LEAST) || !cycle_of(driver, &cycle))
        return;
    double during = step_of(driver, cycle);
    for (unsigned i = 0; i < COMMAND_JOINTS; i++) {
        double step = fabs(command->target[i] - driver->last.target[i]);
        if (!(step > SPEED_MOST * during) || is_near_arm(driver, command, i))
            continue;
        raise_command(driver, findings, ARMTAP_FINDING_command_jump, &command->where,
                      ARGS(arg_case(ARMTAP_WORD_too_fast), arg_joint(i), arg_joint_name(armtap_joint_name((int)i)),
                           arg_angle_rad(step), arg_within_s(during), arg_speed_rad_s(step / during)));
        return;
    }
}

/* Whether the first target in a mode is away from where the arm is. */
static void judge_first(struct driver *driver, struct findings *findings, const struct command *command)
{
    double age = armtap_time_seconds(driver->actual_time, command->where.time);
    if (command->mode != MODE_SERVOJ || !command->has_target || age < 0 || age > ACTUAL_OLDEST)
        return;
    for (unsigned i = 0; i < COMMAND_JOINTS; i++) {
        double away = fabs(command->target[i] - driver->actual_q[i]);
        if (!(away > AWAY_MOST))
            continue;
        raise_command(driver, findings, ARMTAP_FINDING_command_jump, &command->where,
                      ARGS(arg_case(ARMTAP_WORD_away_from_arm), arg_angle_rad(away), arg_joint(i),
                           arg_joint_name(armtap_joint_name((int)i))));
        return;
    }
}

static void judge_mode(struct driver *driver, struct findings *findings, const struct command *command)
{
    if (driver->is_known && command->mode == driver->last.mode)
        return;
    if (driver->is_known)
        raise_command(driver, findings, ARMTAP_FINDING_command_mode, &command->where,
                      ARGS(arg_name_before(name_of_mode(driver->last.mode)), arg_value_before(driver->last.mode),
                           arg_name(name_of_mode(command->mode)), arg_value(command->mode)));
    driver->interval_count = 0;
    judge_first(driver, findings, command);
}

/* Whether the arm follows. */
static void judge_following(struct driver *driver, struct findings *findings, const struct command *command)
{
    static const struct {
        int mode;
        enum follow kind;
    } kinds[] = {{MODE_SERVOJ, FOLLOW_ANGLES},
                 {MODE_SPEEDJ, FOLLOW_SPEEDS},
                 {MODE_POSE, FOLLOW_POSE},
                 {MODE_SPEEDL, FOLLOW_TOOL_SPEEDS}};
    double age = armtap_time_seconds(driver->actual_time, command->where.time);
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && kinds[i].mode != command->mode)
        i++;
    bool is_known = i < sizeof kinds / sizeof *kinds && command->has_target && age >= 0 && age <= STOOD_OLDEST;
    if (!is_known) {
        armtap_following_end(&driver->following, findings, &driver->stream, name_of_mode(driver->last.mode), NULL);
        return;
    }
    struct follow_sample sample = {.stream = &driver->stream,
                                   .where = command->where,
                                   .kind = kinds[i].kind,
                                   .name = name_of_mode(command->mode),
                                   .is_held = driver->is_held};
    memcpy(sample.asked, command->target, sizeof sample.asked);
    memcpy(sample.actual, driver->actual_q, sizeof sample.actual);
    armtap_following_take(&driver->following, findings, &sample);
}

/* Another command of the last packet. */
static void judge_same_packet(struct driver *driver, struct findings *findings, const struct command *command)
{
    double cycle;
    if (driver->is_coalesced || !is_hole(driver, driver->pause) || !cycle_of(driver, &cycle))
        return;
    driver->is_coalesced = true;
    raise_command(driver, findings, ARMTAP_FINDING_command_coalesced, &command->where,
                  ARGS(arg_duration_s(driver->pause)));
}

/* ---- feeding ----------------------------------------------------------------------------------------------------- */

/* A command that came after the robot closed the connection for want of it. What was held up on the way comes together;
 * none is sent any more when the driver hears of the end. */
static void take_late(struct driver *driver, struct findings *findings, const struct command *command, double seconds)
{
    struct open_gap *gap = &driver->gap;
    if (gap->until == 0) {
        gap->until = command->where.time;
        return;
    }
    gap->is_held = gap->is_held || seconds < step_of(driver, 0) / 2;
    settle_gap(driver, findings, gap->then);
}

static void take_command(struct driver *driver, struct findings *findings, const struct command *command)
{
    const struct command *last = &driver->last;
    double seconds = driver->is_known ? armtap_time_seconds(last->where.time, command->where.time) : -1;
    bool is_same = command->where.packet == last->where.packet && command->where.file == last->where.file;
    if (driver->is_ended && driver->gap.is_there && seconds >= 0)
        take_late(driver, findings, command, seconds);
    if (!driver->is_ended && seconds >= 0)
        follow_gap(driver, findings, seconds);
    if (seconds >= 0 && command->mode == last->mode)
        judge_step(driver, findings, command);
    if (seconds >= 0 && is_same) {
        judge_same_packet(driver, findings, command);
    } else if (seconds >= 0) {
        driver->pause = seconds;
        driver->is_coalesced = false;
        settle_old_gap(driver, findings, command->where.time);
        if (!driver->is_ended && !judge_gap(driver, findings, seconds, command->where.time) &&
            command->mode == last->mode)
            driver->intervals[driver->interval_count++ % INTERVALS] = seconds;
    }
    judge_mode(driver, findings, command);
    judge_following(driver, findings, command);
    driver->last = *command;
    driver->is_known = command->where.time != ARMTAP_NO_TIME;
    driver->is_resent = false;
    driver->deaf = 0;
}

/* A new driver, in the place of the oldest that ended; NULL if memory runs out, or there are too many. */
static struct driver *add_driver(struct drivers *drivers, const struct armtap_stream *stream, bool *has_failed)
{
    size_t place = drivers->count;
    for (size_t i = 0; i < drivers->count && drivers->count == DRIVERS_MAX && place == drivers->count; i++)
        place = drivers->all[i]->is_ended && !drivers->all[i]->gap.is_there ? i : place;
    if (place == DRIVERS_MAX)
        return NULL;
    struct driver *driver = calloc(1, sizeof *driver);
    *has_failed = !driver;
    if (!driver)
        return NULL;
    driver->stream = *stream;
    driver->actual_time = driver->heard = ARMTAP_NO_TIME;
    if (place < drivers->count)
        free(drivers->all[place]);
    else
        drivers->count++;
    drivers->all[place] = driver;
    return driver;
}

/* Where the robot's arm is, and whether it is held, for the drivers that command it. */
static void take_actual(struct drivers *drivers, struct findings *findings, const struct armtap_record *record,
                        const struct modes_last *modes)
{
    bool is_due = false;
    bool has_actual = record->state && armtap_set_has(record->updated, ARMTAP_ID_actual_q);
    for (size_t i = 0; i < drivers->count; i++) {
        struct driver *driver = drivers->all[i];
        if (driver->is_ended || !armtap_same_host(driver->stream.robot, record->stream->robot))
            continue;
        driver->is_held = modes ? modes->is_held : driver->is_held;
        if (armtap_same_host(driver->stream.client, record->stream->client)) {
            driver->deaf = fmax(driver->deaf, armtap_time_seconds(driver->heard, record->where.time));
            driver->heard = record->where.time;
        }
        if (!has_actual)
            continue;
        memcpy(driver->actual_q, record->state->actual_q, sizeof driver->actual_q);
        driver->actual_time = record->where.time;
        is_due = is_due || driver->last.mode == MODE_FORWARD;
    }
    if (has_actual)
        armtap_trajectories_actual(drivers->trajectories, findings, record, record->state->actual_q,
                                   modes && modes->is_held, is_due);
}

/* Where the arm of that robot is now; NULL: it is not known. */
static const double *actual_of(const struct drivers *drivers, const struct armtap_record *record)
{
    for (size_t i = 0; i < drivers->count; i++) {
        const struct driver *driver = drivers->all[i];
        double age = armtap_time_seconds(driver->actual_time, record->where.time);
        if (age >= 0 && age <= STOOD_OLDEST && armtap_same_host(driver->stream.robot, record->stream->robot))
            return driver->actual_q;
    }
    return NULL;
}

int armtap_drivers_record(struct drivers *drivers, struct findings *findings, const struct armtap_record *record,
                          const struct modes_last *modes)
{
    struct command command;
    bool has_failed = false;
    if (record->protocol != ARMTAP_EXTERNAL_CONTROL) {
        if (drivers->count > 0 && record->direction == ARMTAP_FROM_ROBOT && record->recipe)
            take_actual(drivers, findings, record, modes);
        return 0;
    }
    if (record->direction != ARMTAP_TO_ROBOT || !record->recipe || !armtap_command_read(record, &command))
        return armtap_trajectories_record(&drivers->trajectories, findings, record, actual_of(drivers, record)) ? 0
                                                                                                                : -1;
    if (command.mode == MODE_FORWARD && command.action != 0)
        armtap_trajectories_end(drivers->trajectories, findings, record->stream->robot);
    struct driver *driver = driver_of(drivers, record->stream->connection);
    if (!driver && !(driver = add_driver(drivers, record->stream, &has_failed)))
        return has_failed ? -1 : 0;
    if (record->flags & ARMTAP_AFTER_GAP)
        driver->is_known = false;
    take_command(driver, findings, &command);
    driver->stream = *record->stream;
    return 0;
}

void armtap_drivers_pass(const struct drivers *drivers, uint64_t connection)
{
    struct driver *driver = driver_of(drivers, connection);
    if (driver)
        driver->is_known = driver->gap.is_there = false;
}

bool armtap_drivers_next(const struct drivers *drivers, const char *robot, size_t *from, uint64_t *connection)
{
    while (*from < drivers->count) {
        const struct driver *driver = drivers->all[(*from)++];
        *connection = driver->stream.connection;
        if (armtap_same_host(driver->stream.robot, robot))
            return true;
    }
    return false;
}

/* What the end of the connection says of a gap. */
static void take_close(struct driver *driver, struct findings *findings, const struct armtap_event *event)
{
    bool is_end = event->a == ARMTAP_CLOSE_FIN || event->a == ARMTAP_CLOSE_RESET;
    bool by_driver = is_end && armtap_is_closed_by(event, ARMTAP_TO_ROBOT);
    bool by_robot = is_end && armtap_is_closed_by(event, ARMTAP_FROM_ROBOT);
    bool is_over = driver->last.mode < 0; /* the driver said so */
    double seconds = armtap_time_seconds(driver->last.where.time, event->where.time);
    double allowed = allowed_by(&driver->last);
    enum armtap_word then = by_robot    ? ARMTAP_WORD_robot_closed
                            : by_driver ? ARMTAP_WORD_driver_closed
                                        : ARMTAP_WORD_closed;
    if (driver->is_ended) {
        bool is_heard = event->stream->packets[ARMTAP_TO_ROBOT] > driver->stream.packets[ARMTAP_TO_ROBOT];
        if (!is_heard && driver->gap.until == 0)
            driver->gap.is_mute = true;
        settle_gap(driver, findings, driver->gap.then);
        return;
    }
    settle_old_gap(driver, findings, event->where.time);
    driver->is_ended = true;
    driver->is_closed = by_driver;
    settle_gap(driver, findings, by_robot ? ARMTAP_WORD_robot_closed : ARMTAP_WORD_may_end);
    /* If what the robot sends was not captured, it may have closed long before. */
    if (is_end && driver->is_known && !is_over && allowed > 0 && seconds > allowed &&
        event->stream->packets[ARMTAP_FROM_ROBOT] > 0)
        driver->gap = (struct open_gap){.is_there = true,
                                        .is_resent = driver->is_resent,
                                        .is_held = is_deaf(driver, seconds, event->where.time),
                                        .seconds = seconds,
                                        .allowed = allowed,
                                        .where = driver->last.where,
                                        .then = then};
    if (!by_robot || event->a != ARMTAP_CLOSE_FIN) /* otherwise commands may still come */
        settle_gap(driver, findings, ARMTAP_WORD_none);
}

void armtap_drivers_event(struct drivers *drivers, struct findings *findings, const struct armtap_event *event)
{
    struct driver *driver = drivers->count > 0 ? driver_of(drivers, event->stream->connection) : NULL;
    if (!driver)
        return;
    if (event->type == ARMTAP_EVENT_CLOSE) {
        armtap_following_end(&driver->following, findings, &driver->stream, name_of_mode(driver->last.mode), NULL);
        take_close(driver, findings, event);
    }
    if (event->direction != ARMTAP_TO_ROBOT)
        return;
    if (event->type == ARMTAP_EVENT_GAP)
        driver->is_known = false;
    if (event->type == ARMTAP_EVENT_RETRANSMISSION || event->type == ARMTAP_EVENT_OUT_OF_ORDER)
        driver->is_resent = true;
}

void armtap_drivers_end(const struct drivers *drivers, struct findings *findings)
{
    armtap_trajectories_end(drivers->trajectories, findings, NULL);
    for (size_t i = 0; i < drivers->count; i++) {
        struct driver *driver = drivers->all[i];
        armtap_following_end(&driver->following, findings, &driver->stream, name_of_mode(driver->last.mode), NULL);
    }
}

/* The robot's driver whose last command is the latest before a time. */
static const struct driver *latest(const struct drivers *drivers, const struct armtap_note *note)
{
    const struct driver *found = NULL;
    for (size_t i = 0; i < drivers->count; i++) {
        const struct driver *driver = drivers->all[i];
        if (armtap_same_host(driver->stream.robot, note->stream->robot) &&
            armtap_time_seconds(driver->last.where.time, note->where.time) >= 0 &&
            (!found || driver->last.where.time > found->last.where.time))
            found = driver;
    }
    return found;
}

void armtap_drivers_note(struct drivers *drivers, struct findings *findings, const struct armtap_note *note)
{
    if (!note->stream || strcmp(note->kind->id, "ur.message") != 0 ||
        armtap_word_of(&note->arguments, ARMTAP_ARGUMENT_case) != ARMTAP_WORD_waits_in_vain)
        return;
    const struct driver *driver = latest(drivers, note);
    armtap_findings_raise(
        findings,
        &(struct fact){.code = ARMTAP_FINDING_command_timeout,
                       .stream = note->stream,
                       .where = &note->where,
                       .arguments =
                           driver ? ARGS(arg_last_packet(driver->last.where.packet),
                                         arg_earlier_s(armtap_time_seconds(driver->last.where.time, note->where.time)),
                                         arg_until(driver->is_closed ? ARMTAP_WORD_driver_closed : ARMTAP_WORD_none))
                                  : NO_ARGS});
}
