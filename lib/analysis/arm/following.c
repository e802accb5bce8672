#include "analysis/arm/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"

#define MOVED 0.01     /* rad: a joint that moved less stands */
#define AWAY 0.1       /* rad */
#define TOOL_AWAY 0.05 /* m */
#define LASTS 1.0      /* s that it stands though it is asked to be that far away */
#define STEP_MOST 0.1  /* s: after a longer pause a speed says nothing of what was commanded meanwhile */
#define SPEED_NONE 1e-3
#define TOOL FOLLOW_JOINTS
/* Of a controller's target: what noise and brakes do to a joint that stands, how far away its target must be then, how
 * much further than the joint has moved, and for how many s, moving at so many rad/s at least. A target that jitters
 * comes back within a moment. */
#define STILL 5e-4
#define NEAR 5e-3
#define RATIO 10.0
#define STUCK_LASTS 1.5
#define MOVES 2e-3
#define MOMENT 0.2
#define MOMENT_SAMPLES 3
#define GAP 1.5 /* s: after a longer pause nothing is known of the target's way */

static void tell(const struct following *following, struct findings *findings, const struct armtap_stream *stream,
                 const char *name, const char *field)
{
    bool is_joint = following->worst < TOOL;
    armtap_findings_raise(
        findings,
        &(struct fact){.code = ARMTAP_FINDING_command_not_followed,
                       .stream = stream,
                       .where = &following->since,
                       .arguments =
                           ARGS(arg_name(name), arg_field(field),
                                arg_duration_s(armtap_time_seconds(following->since.time, following->until.time)),
                                is_joint ? arg_joint(following->worst) : arg_none(true),
                                is_joint ? arg_joint_name(armtap_joint_name((int)following->worst)) : arg_none(true),
                                is_joint ? arg_angle_rad(following->farthest) : arg_none(true),
                                is_joint ? arg_none(true) : arg_distance_mm(following->farthest * 1000))});
}

void armtap_following_end(struct following *following, struct findings *findings, const struct armtap_stream *stream,
                          const char *name, const char *field)
{
    if (following->is_open)
        tell(following, findings, stream, name, field);
    *following = (struct following){.is_begun = false};
}

static void begin(struct following *following, const struct follow_sample *sample)
{
    following->is_begun = true;
    following->kind = sample->kind;
    memcpy(following->stood, sample->actual, sizeof following->stood);
    memcpy(following->first, sample->asked, sizeof following->first);
    if (sample->kind == FOLLOW_TOOL_SPEEDS)
        memset(following->first, 0, sizeof following->first); /* where the tool should be by now */
}

/* Begins anew with the joints that moved. */
static void take_motion(struct following *following, const struct follow_sample *sample)
{
    bool has_moved = false;
    for (unsigned i = 0; i < FOLLOW_JOINTS; i++) {
        if (fabs(sample->actual[i] - following->stood[i]) <= MOVED)
            continue;
        has_moved = true;
        following->stood[i] = sample->actual[i];
        if (sample->kind == FOLLOW_ANGLES)
            following->first[i] = sample->asked[i];
        following->away[i] = 0;
        following->begun[i].packet = 0;
    }
    if (has_moved && sample->kind >= FOLLOW_POSE)
        begin(following, sample);
    if (!has_moved)
        return;
    following->away[TOOL] = 0;
    following->begun[TOOL].packet = 0;
}

static double length_of(const double *vector)
{
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

/* How far away the commands ask the joints, or the tool, to be. */
static void take_asked(struct following *following, const struct follow_sample *sample, double seconds)
{
    double step[3];
    for (unsigned i = 0; i < FOLLOW_JOINTS && sample->kind <= FOLLOW_SPEEDS; i++) {
        double asked = sample->asked[i], away = fabs(asked - sample->actual[i]);
        if (sample->kind == FOLLOW_SPEEDS)
            following->away[i] = fabs(asked) < SPEED_NONE ? 0 : following->away[i] + asked * seconds;
        else if (sample->field)
            following->away[i] = fmin(away, fabs(asked - following->first[i]));
        else
            following->away[i] = away;
    }
    for (unsigned i = 0; i < 3 && sample->kind == FOLLOW_TOOL_SPEEDS; i++)
        following->first[i] =
            length_of(sample->asked) < SPEED_NONE ? 0 : following->first[i] + sample->asked[i] * seconds;
    for (unsigned i = 0; i < 3 && sample->kind == FOLLOW_POSE; i++)
        step[i] = sample->asked[i] - following->first[i];
    if (sample->kind >= FOLLOW_POSE)
        following->away[TOOL] = length_of(sample->kind == FOLLOW_POSE ? step : following->first);
}

/* Whether anything has stood for too long. */
static bool is_not_followed(struct following *following, const struct follow_sample *sample)
{
    bool any = false;
    for (unsigned i = 0; i <= TOOL; i++) {
        double away = fabs(following->away[i]);
        struct armtap_where *begun = &following->begun[i];
        if (!(away > (i < TOOL ? AWAY : TOOL_AWAY))) {
            begun->packet = 0;
            continue;
        }
        if (begun->packet == 0)
            *begun = sample->where;
        if (armtap_time_seconds(begun->time, sample->where.time) < LASTS + sample->patience)
            continue;
        any = true;
        if (!following->is_open) {
            following->is_open = true;
            following->since = *begun;
            following->farthest = 0;
        }
        if (away > following->farthest) {
            following->farthest = away;
            following->worst = i;
        }
    }
    return any;
}

/* How far the target is from where the joint stands, and from where it was when the joint came there. */
static double distance_of(const struct stuck_joint *joint, double asked, double actual)
{
    double here = asked - actual, there = asked - joint->first;
    return here * there <= 0 ? 0 : fabs(here) < fabs(there) ? here : there;
}

/* Takes the joint's target, and where it is. `seconds`: since the sample before; 0: unknown. False: it moved. */
static bool take_stuck(struct stuck_joint *joint, double asked, double actual, double seconds,
                       const struct armtap_where *where)
{
    double away = distance_of(joint, asked, actual), moved = fabs(actual - joint->stood), last = joint->last;
    joint->last = (float)asked;
    if (!(moved <= fmax(STILL, fmin(joint->farthest, AWAY) / RATIO))) {
        *joint = (struct stuck_joint){.stood = (float)actual, .first = (float)asked, .last = (float)asked};
        return false;
    }
    bool is_away = fabs(away) > fmax(NEAR, RATIO * moved);
    if (!is_away || (joint->samples > 0 && joint->is_above != (away > 0)) || seconds == 0)
        joint->samples = 0;
    if (!is_away)
        return true;
    joint->run = joint->samples > 0 ? joint->run + (float)seconds : 0;
    joint->samples = joint->samples < MOMENT_SAMPLES ? (uint16_t)(joint->samples + 1) : MOMENT_SAMPLES;
    joint->is_above = away > 0;
    joint->farthest = fabs(away) > joint->farthest ? (float)fabs(away) : joint->farthest;
    if (joint->since.packet == 0)
        joint->since = *where;
    if (joint->run >= MOMENT && joint->samples >= MOMENT_SAMPLES && fabs(asked - last) > MOVES * seconds)
        joint->spent += (float)seconds;
    return true;
}

/* Whether a joint stands whose target moves. `is_now`: the target is away from it. */
static bool is_stuck(struct following *following, const struct follow_sample *sample, double seconds, bool *is_now)
{
    bool any = false, is_next = seconds > 0 && seconds <= GAP;
    for (unsigned i = 0; i < FOLLOW_JOINTS && sample->field; i++)
        if (!take_stuck(&following->stuck[i], sample->asked[i], sample->actual[i], is_next ? seconds : 0,
                        &sample->where) &&
            seconds > 0)
            following->moved_time = sample->where.time;
    bool is_moving =
        following->moved_time != 0 && armtap_time_seconds(following->moved_time, sample->where.time) < STUCK_LASTS;
    for (unsigned i = 0; i < FOLLOW_JOINTS && sample->field; i++) {
        const struct stuck_joint *joint = &following->stuck[i];
        bool is_proven = joint->spent >= STUCK_LASTS && (sample->is_playing || is_moving);
        if (!is_proven && !(following->is_open && joint->spent > 0))
            continue;
        any = true;
        *is_now = *is_now || joint->samples > 0;
        if (!following->is_open || joint->since.time < following->since.time)
            following->since = joint->since;
        following->is_open = true;
        if (joint->farthest > following->farthest) {
            following->farthest = joint->farthest;
            following->worst = i;
        }
    }
    return any;
}

void armtap_following_take(struct following *following, struct findings *findings, const struct follow_sample *sample)
{
    if (sample->is_held || (following->is_begun && following->kind != sample->kind))
        armtap_following_end(following, findings, sample->stream, sample->name, sample->field);
    if (sample->is_held)
        return;
    double seconds = following->is_begun ? armtap_time_seconds(following->last.time, sample->where.time) : 0;
    if (!following->is_begun)
        begin(following, sample);
    take_motion(following, sample);
    take_asked(following, sample, seconds > 0 && seconds <= STEP_MOST ? seconds : 0);
    following->last = sample->where;
    bool is_far = is_not_followed(following, sample), is_now = is_far;
    bool stands = is_stuck(following, sample, seconds, &is_now) || is_far;
    if (is_now)
        following->until = sample->where;
    else if (following->is_open && !stands)
        armtap_following_end(following, findings, sample->stream, sample->name, sample->field);
}

/* ---- trajectories ------------------------------------------------------------------------------------------------ */

#define TRAJECTORIES_MAX 16
/* A duration of which the unit is not known: ms, or us from this number on. */
#define RAW_US 60000
#define HALF 0.5

static const char forward[] = "FORWARD";

struct trajectories {
    struct trajectory {
        struct armtap_stream stream; /* as it was at the first point */
        bool is_used, is_set;        /* there is a point to go to */
        double before;               /* s, of the points before it */
        double point[FOLLOW_JOINTS], from[FOLLOW_JOINTS];
        double patience;
        struct following following;
    } all[TRAJECTORIES_MAX];
};

void armtap_trajectories_free(struct trajectories *trajectories)
{
    free(trajectories);
}

static struct trajectory *trajectory_of(struct trajectories *trajectories, const struct armtap_stream *stream)
{
    struct trajectory *unused = NULL;
    for (size_t i = 0; i < TRAJECTORIES_MAX; i++) {
        struct trajectory *trajectory = &trajectories->all[i];
        if (trajectory->is_used && trajectory->stream.connection == stream->connection)
            return trajectory;
        unused = trajectory->is_used || unused ? unused : trajectory;
    }
    if (unused)
        *unused = (struct trajectory){.stream = *stream, .is_used = true};
    return unused;
}

static void drop(struct trajectory *trajectory, struct findings *findings)
{
    armtap_following_end(&trajectory->following, findings, &trajectory->stream, forward, NULL);
    trajectory->is_set = false;
    trajectory->before = 0;
}

/* Reads a point's joints, and how long the way to it takes. False: it is none, or one of the tool. */
static bool read_point(const struct armtap_record *record, double point[FOLLOW_JOINTS], double *seconds)
{
    struct armtap_value value;
    bool has_point = false;
    *seconds = 0;
    for (size_t i = 0; armtap_record_value(record, i, &value); i++) {
        const char *name = armtap_recipe_at(record->recipe, i)->name;
        if (strcmp(name, "point_q") == 0 && value.type == ARMTAP_DOUBLE && value.count == FOLLOW_JOINTS) {
            memcpy(point, value.f64, FOLLOW_JOINTS * sizeof *point);
            has_point = true;
        } else if (strcmp(name, "point_duration") == 0 && value.type == ARMTAP_DOUBLE) {
            *seconds = value.f64[0];
        } else if (strcmp(name, "point_duration_raw") == 0) {
            *seconds = (double)value.i64[0] / (value.i64[0] < RAW_US ? 1e3 : 1e6);
        }
    }
    return has_point;
}

static double farthest_of(const double *one, const double *other)
{
    double farthest = 0;
    for (unsigned i = 0; i < FOLLOW_JOINTS; i++)
        farthest = fmax(farthest, fabs(one[i] - other[i]));
    return farthest;
}

bool armtap_trajectories_record(struct trajectories **trajectories, struct findings *findings,
                                const struct armtap_record *record, const double *actual)
{
    double point[FOLLOW_JOINTS], seconds = 0;
    bool is_point = record->direction == ARMTAP_TO_ROBOT && read_point(record, point, &seconds);
    if (!is_point && !*trajectories)
        return true;
    if (!*trajectories && !(*trajectories = calloc(1, sizeof **trajectories)))
        return false;
    struct trajectory *trajectory = trajectory_of(*trajectories, record->stream);
    if (trajectory && !is_point)
        drop(trajectory, findings);
    if (!trajectory || !is_point || trajectory->is_set || !actual)
        return true;
    if (farthest_of(point, actual) <= AWAY) {
        trajectory->before += seconds;
        return true;
    }
    trajectory->is_set = true;
    trajectory->patience = trajectory->before + HALF * seconds;
    memcpy(trajectory->point, point, sizeof point);
    memcpy(trajectory->from, actual, sizeof trajectory->from);
    return true;
}

void armtap_trajectories_actual(struct trajectories *trajectories, struct findings *findings,
                                const struct armtap_record *record, const double *actual, bool is_held, bool is_due)
{
    for (size_t i = 0; trajectories && i < TRAJECTORIES_MAX; i++) {
        struct trajectory *trajectory = &trajectories->all[i];
        if (!trajectory->is_set || !armtap_same_host(trajectory->stream.robot, record->stream->robot))
            continue;
        if (farthest_of(actual, trajectory->from) > MOVED) {
            drop(trajectory, findings);
            continue;
        }
        struct follow_sample sample = {.stream = &trajectory->stream,
                                       .where = record->where,
                                       .kind = FOLLOW_ANGLES,
                                       .name = forward,
                                       .is_held = is_held || !is_due,
                                       .patience = trajectory->patience};
        memcpy(sample.asked, trajectory->point, sizeof sample.asked);
        memcpy(sample.actual, actual, sizeof sample.actual);
        armtap_following_take(&trajectory->following, findings, &sample);
    }
}

void armtap_trajectories_end(struct trajectories *trajectories, struct findings *findings, const char *robot)
{
    for (size_t i = 0; trajectories && i < TRAJECTORIES_MAX; i++)
        if (trajectories->all[i].is_used && (!robot || armtap_same_host(trajectories->all[i].stream.robot, robot)))
            drop(&trajectories->all[i], findings);
}
