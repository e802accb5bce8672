/* What recordings of real arms show beside the plain robot: each behaviour for itself, so that any of them may be
 * together. tests/README.md has the numbers that were measured, and those here keep near them. */
#include "arm_inside.h"

#include <string.h>

#define COUNT (2 * PI / 524288) /* rad: an encoder's step */
#define STOPPED 0x1p-149        /* the least float: what a fading speed ends with */

/* ---- what a robot's manners are ---------------------------------------------------------------------------------- */

static bool is_cb3(const char *name)
{
    size_t length = strlen(name);
    return name[length - 1] != 'e' && strcmp(name, "UR20") != 0 && strcmp(name, "UR30") != 0;
}

/* Some joints move by less than a few thousandths: the hand leads only the others. */
static void stiffen(struct arm *arm, struct random *r)
{
    unsigned moving = random_below(r, JOINTS);
    for (unsigned k = 0; k < JOINTS; k++) {
        double share = pow(10, random_between(r, -4, -2.7));
        arm->manners.is_stiff[k] = random_chance(r, 0.45) && k != moving;
        for (unsigned i = 1; i < arm->rungs && arm->manners.is_stiff[k]; i++)
            arm->rung[i].q[k] = arm->rung[0].q[k] + share * (arm->rung[i].q[k] - arm->rung[0].q[k]);
    }
}

/* A hand is slower than a program; it trembles, and so does what gives way to a force. */
static void draw_following(struct arm *arm, struct random *r)
{
    struct manners *m = &arm->manners;
    bool held_out = arm->plan.family == FAMILY_HELD_OUT;
    double widest = held_out ? 2e-3 : 1e-3;
    m->following = (enum following)random_below(r, FOLLOWINGS);
    m->target_rests = random_chance(r, 0.3);
    m->target_speeds_up = random_chance(r, 0.2);
    m->pushes_always = random_chance(r, 0.4);
    m->smoothing = held_out ? random_between(r, 0.004, 0.03) : random_between(r, 0.008, 0.05);
    for (unsigned i = 0; i < TREMORS; i++)
        m->beat[i] = 2 * PI * random_between(r, 0.4, 2) * (1 + 2 * i);
    for (unsigned k = 0; k < JOINTS; k++)
        for (unsigned i = 0; i < TREMORS; i++)
            m->tremor[k][i] = random_between(r, 1e-4, widest) / (1 + 2 * i) * (m->is_stiff[k] ? 0.01 : 1);
    for (unsigned i = 0; i < 6; i++)
        m->push[i] = random_between(r, -30, 30) * (i < 3 ? 1 : 0.1);
    if (!arm_behaves(arm, BEHAVES_LED))
        return;
    arm->nature.lag = 0;
    for (unsigned i = 0; i < arm->rungs; i++)
        arm->rung[i].seconds *= random_between(r, 1, 2.5);
}

static void draw_as_recorded(struct arm *arm, struct random *r)
{
    struct manners *m = &arm->manners;
    struct nature *n = &arm->nature;
    n->lag = random_between(r, 0.0003, 0.0015);
    n->encoder = random_between(r, 1e-5, 2.5e-5);
    n->speed_noise = random_between(r, 1e-3, 4e-3);
    n->current_noise = random_between(r, 0.02, 0.1);
    m->force_noise = random_between(r, 0.8, 2.5);
    n->actual_is_float = true;
    n->speed_rests = false;
    m->main_voltage = random_between(r, 47.6, 48.3);
    m->robot_voltage = m->main_voltage + random_between(r, 0, 0.15);
    m->start = random_chance(r, 0.3) ? random_between(r, 0.2, 1.3) : 0;
    for (unsigned i = 0; i < 6; i++) {
        m->joint_voltage[i] = m->robot_voltage - random_between(r, 0.05, 0.45);
        m->keeps_warmth[i] = m->is_cb3 && random_chance(r, 0.5);
        m->bias[i] = random_chance(r, 0.5) ? 0 : random_between(r, -80, 80) * (i < 3 ? 1 : 0.01);
        arm->shown_warmth[i] = floor(n->warmth[i] * 16) / 16;
    }
}

static void draw_bare(struct arm *arm)
{
    struct nature *n = &arm->nature;
    n->has_sensor = false;
    n->payload = 0;
    n->speed_fraction = 1;
    n->outputs = n->inputs = n->tool_voltage = n->pin_modes[0] = n->pin_modes[1] = 0;
    memset(n->tool, 0, sizeof n->tool);
    memset(n->cog, 0, sizeof n->cog);
    memset(n->analog, 0, sizeof n->analog);
}

static void draw_unwritten(struct arm *arm)
{
    struct nature *n = &arm->nature;
    n->registers_move = false;
    n->bit_registers = 0;
    memset(n->int_registers, 0, sizeof n->int_registers);
    memset(n->double_registers, 0, sizeof n->double_registers);
    for (unsigned i = 0; i < WORDS; i++)
        n->words[i] = (struct word){.habit = SMALL, .period = INFINITY, .states = 2};
}

static void draw_modes(struct arm *arm, struct random *r)
{
    static const unsigned tool_modes[] = {253, 253, 255, 245, 235}, voltages[] = {0, 12, 24};
    struct nature *n = &arm->nature;
    n->tool_mode = tool_modes[random_below(r, 5)];
    n->tool_voltage = voltages[random_below(r, 3)];
    n->output_mode = random_below(r, 2);
    n->pin_modes[0] = random_below(r, 4);
    n->pin_modes[1] = random_chance(r, 0.5) ? n->pin_modes[0] : random_below(r, 4);
}

void arm_manners_draw(struct arm *arm)
{
    struct manners *m = &arm->manners;
    struct random *r = &arm->apart;
    r->state = (arm->plan.seed * 2 + (arm->plan.family == FAMILY_HELD_OUT)) ^ UINT64_C(0x2545f4914f6cdd1d);
    arm->stride = 1;
    m->is_cb3 = is_cb3(arm->geometry->name);
    m->holds_counts = random_chance(r, 0.6);
    m->fades = random_chance(r, 0.5);
    m->decimals = random_chance(r, 0.5) ? 6 : 9;
    m->clock_decimals = random_chance(r, 0.5) ? 2 : 3;
    for (unsigned i = 0; i < JOINTS; i++)
        m->offset[i] = random_chance(r, 0.35) ? 0 : random_between(r, -0.5, 0.5);
    if (arm_behaves(arm, BEHAVES_STIFF))
        stiffen(arm, r);
    if (arm_behaves(arm, BEHAVES_AS_RECORDED))
        draw_as_recorded(arm, r);
    if (arm_behaves(arm, BEHAVES_LED | BEHAVES_PUSHING))
        draw_following(arm, r);
    if (arm_behaves(arm, BEHAVES_WITH_MODES))
        draw_modes(arm, r);
    if (arm_behaves(arm, BEHAVES_BARE))
        draw_bare(arm);
    if (arm_behaves(arm, BEHAVES_UNWRITTEN))
        draw_unwritten(arm);
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

/* Of the recording with gaps: 9 steps of 100, half of them 2 packages long. */
unsigned arm_manners_stride(struct arm *arm)
{
    unsigned stride = 1;
    if (!arm_behaves(arm, BEHAVES_LOSSY) || !random_chance(&arm->apart, 0.09))
        return stride;
    do
        stride++;
    while (stride < 8 && random_chance(&arm->apart, 0.5));
    return stride;
}

double arm_manners_time(const struct arm *arm)
{
    return arm->time - arm->manners.start;
}

/* Laps of a program that pushes alternate; where a motion has no laps, seconds do. */
bool arm_manners_follows(const struct arm *arm)
{
    if (!arm->plan.moves || !arm_behaves(arm, BEHAVES_LED | BEHAVES_PUSHING))
        return false;
    return arm_behaves(arm, BEHAVES_LED) || arm->manners.pushes_always || (arm->lap + (unsigned)(arm->time / 2)) % 2;
}

void arm_manners_lead(struct arm *arm)
{
    const struct manners *m = &arm->manners;
    for (unsigned k = 0; k < JOINTS && arm_manners_follows(arm); k++)
        for (unsigned i = 0; i < TREMORS; i++) {
            double size = m->tremor[k][i], beat = m->beat[i], phase = beat * arm->time + 1.7 * k;
            arm->target_q[k] += size * sin(phase);
            arm->target_qd[k] += size * beat * cos(phase);
            arm->target_qdd[k] -= size * beat * beat * sin(phase);
        }
}

/* ---- joints ------------------------------------------------------------------------------------------------------ */

static bool is_still(const struct arm *arm)
{
    for (unsigned i = 0; i < JOINTS; i++)
        if (arm->target_qd[i] != 0)
            return false;
    return true;
}

/* An angle is a float of whole steps, and then gets its joint's offset in double precision. */
static double counted(const struct arm *arm, unsigned joint, double q)
{
    double offset = arm->manners.offset[joint];
    return as_float(COUNT * floor((q - offset) / COUNT + 0.5)) + offset;
}

/* Each stop ends a little beside its target, and friction holds some of the weight; the speeds are noise, or nothing.
 */
static void come_to_rest(struct arm *arm)
{
    struct random *r = &arm->apart;
    for (unsigned i = 0; i < JOINTS; i++) {
        if (arm->rested == 0) {
            arm->stop_error[i] = random_normal(r, 6e-5);
            arm->stop_current[i] = random_normal(r, 0.15);
        }
        arm->q[i] += arm->stop_error[i];
        arm->qd[i] = arm_manners_time(arm) < 0 || random_chance(r, 0.25) ? 0 : as_float(random_normal(r, 5e-4));
    }
}

/* A controller that holds its arm, and a filter whose output fades over many decades before it is 0. */
static void hold(struct arm *arm, double seconds)
{
    const struct manners *m = &arm->manners;
    for (unsigned i = 0; i < JOINTS; i++) {
        if (arm->rested == 0) {
            arm->held_q[i] = arm->q[i];
            arm->fading[i] = arm->qd[i];
        }
        if (m->holds_counts)
            arm->q[i] = arm->held_q[i];
        arm->qd[i] = m->fades && fabs(arm->fading[i]) >= STOPPED ? as_float(arm->fading[i]) : 0;
        arm->fading[i] *= pow(10, -200 * seconds);
    }
}

static double followed(struct arm *arm, unsigned joint, double seconds)
{
    double q = arm->q[joint];
    switch (arm->manners.following) {
    case FOLLOWS_LATE: /* by one cycle of the controller */
        return q - 0.002 * arm->qd[joint] + random_normal(&arm->apart, arm->nature.encoder);
    case FOLLOWS_SMOOTHLY:
        if (!arm->following)
            arm->smooth_q[joint] = q;
        arm->smooth_q[joint] += (1 - exp(-seconds / arm->manners.smoothing)) * (q - arm->smooth_q[joint]);
        return arm->smooth_q[joint];
    default:
        return q;
    }
}

static void follow(struct arm *arm, double seconds)
{
    const struct manners *m = &arm->manners;
    for (unsigned i = 0; i < JOINTS; i++) {
        double before_q = arm->last_target_q[i], before_qd = arm->last_target_qd[i];
        arm->target_q[i] = followed(arm, i, seconds);
        arm->target_qd[i] = arm->qd[i];
        if (m->following == FOLLOWS_LATE)
            arm->target_qd[i] += random_normal(&arm->apart, arm->nature.speed_noise);
        if (m->following == FOLLOWS_SMOOTHLY && arm->following)
            arm->target_qd[i] = (arm->target_q[i] - before_q) / seconds;
        if (m->target_rests)
            arm->target_qd[i] = 0;
        arm->target_qdd[i] = m->target_speeds_up && arm->following ? (arm->target_qd[i] - before_qd) / seconds : 0;
    }
}

void arm_manners_follow(struct arm *arm)
{
    double seconds = arm->stride / (double)arm->plan.hz;
    bool still = is_still(arm), follows = arm_manners_follows(arm);
    if (arm_behaves(arm, BEHAVES_AS_RECORDED))
        arm->nature.force_noise = arm->manners.force_noise * (still ? 0.1 : 1);
    if (still && arm_behaves(arm, BEHAVES_AS_RECORDED))
        come_to_rest(arm);
    for (unsigned i = 0; i < JOINTS && arm_behaves(arm, BEHAVES_AS_RECORDED | BEHAVES_STIFF); i++)
        arm->q[i] = counted(arm, i, arm->q[i]);
    if (still && arm_behaves(arm, BEHAVES_HOLDING))
        hold(arm, seconds);
    if (follows)
        follow(arm, seconds);
    memcpy(arm->last_target_q, arm->target_q, sizeof arm->target_q);
    memcpy(arm->last_target_qd, arm->target_qd, sizeof arm->target_qd);
    arm->following = follows;
    arm->rested = still ? arm->rested + seconds : 0;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static double stepped(double value, double step)
{
    return as_float(step * floor(value / step + 0.5));
}

/* Voltages and currents of an e-Series arm are read anew for each package; those of a CB3 every 0.1 s. */
static void read_power(struct arm *arm, double seconds)
{
    const struct manners *m = &arm->manners;
    struct random *r = &arm->apart;
    double anew = m->is_cb3 ? 1 - exp(-seconds / 0.09) : 1;
    for (unsigned i = 0; i < JOINTS; i++)
        if (arm->packages == 0 || random_chance(r, anew)) {
            double volts = m->joint_voltage[i] - 0.02 * fabs(arm->current[i]) + random_normal(r, 0.03);
            arm->shown_voltage[i] =
                m->is_cb3 ? as_float(round(stepped(volts, 0.0152) * 1000) / 1000) : stepped(volts, 0.014332);
        }
    memcpy(arm->joint_voltage, arm->shown_voltage, sizeof arm->joint_voltage);
    arm->main_voltage = stepped(m->main_voltage + random_normal(r, 0.016), 0.0008955);
    arm->robot_voltage = m->is_cb3 ? stepped(m->robot_voltage + random_normal(r, 0.012), 0.060772)
                                   : stepped(m->robot_voltage + random_normal(r, 0.015), 0.0008955);
    arm->power = stepped(arm->power + fabs(random_normal(r, 0.05)), m->is_cb3 ? 0.035805 : 0.0022388);
}

/* Temperatures of an e-Series arm step by 1/16, seldom; those of a CB3 creep to theirs, or stay. */
static void read_warmth(struct arm *arm, double seconds)
{
    const struct manners *m = &arm->manners;
    for (unsigned i = 0; i < JOINTS; i++) {
        double warmth = arm->nature.warmth[i], *shown = &arm->shown_warmth[i];
        if (m->is_cb3 && !m->keeps_warmth[i])
            *shown += (floor(warmth * 50) / 50 - *shown) * (1 - exp(-seconds / 0.6));
        else if (!m->is_cb3 && fabs(warmth - *shown) > 0.07)
            *shown = floor(warmth * 16) / 16;
        arm->temperature[i] = as_float(*shown);
    }
    arm->tool_warmth = floor(arm->tool_warmth + 0.5);
}

/* Without a motion the program's speed is scaled to 0, and what is measured trembles less. */
static void read_as_recorded(struct arm *arm, double seconds)
{
    struct random *r = &arm->apart;
    bool still = arm->rested > 0;
    double squares = 0;
    read_power(arm, seconds);
    read_warmth(arm, seconds);
    arm->target_current[0] += random_normal(r, 1e-17);
    arm->target_moment[0] += random_normal(r, 1e-16);
    for (unsigned i = 0; i < JOINTS; i++) {
        arm->control[i] = arm->target_current[i];
        if (still)
            arm->current[i] = as_float(arm->target_current[i] + arm->stop_current[i] +
                                       0.2 * (arm->current[i] - arm->target_current[i]));
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++) { /* what the sensor is off turns with the tool */
            arm->wrench[i] += arm->turn[i][k] * arm->manners.bias[k];
            arm->wrench[3 + i] += arm->turn[i][k] * arm->manners.bias[3 + k];
        }
        squares += arm->target_speed[i] * arm->target_speed[i];
        arm->accelerometer[i] = stepped(arm->accelerometer[i], 0.0191536);
    }
    arm->momentum = sqrt(squares) * (6 + arm->nature.payload);
    arm->execution = (still ? 0.6 : 0.85) * (1 + 0.03 * fabs(random_normal(r, 1)));
    arm->scaling = still ? 0 : arm->nature.speed_fraction;
    arm->running = arm->plan.moves && arm_manners_time(arm) >= 0;
}

static void press(struct arm *arm)
{
    for (unsigned i = 0; i < 6; i++) {
        double push = arm->manners.push[i];
        arm->wrench[i] += push * (0.6 + 0.4 * sin(arm->manners.beat[0] * arm->time + i)) +
                          random_normal(&arm->apart, arm->nature.force_noise * (i < 3 ? 0.5 : 0.05));
    }
}

void arm_manners_finish(struct arm *arm)
{
    double seconds = arm->stride / (double)arm->plan.hz;
    memcpy(arm->wrench, arm->force, sizeof arm->wrench);
    if (arm_behaves(arm, BEHAVES_UNSPED))
        memset(arm->target_qdd, 0, sizeof arm->target_qdd);
    if (arm->following)
        press(arm);
    if (arm_behaves(arm, BEHAVES_AS_RECORDED))
        read_as_recorded(arm, seconds);
    if (arm_behaves(arm, BEHAVES_BARE)) {
        memset(arm->analog, 0, sizeof arm->analog);
        memset(arm->tool_analog, 0, sizeof arm->tool_analog);
        arm->io_current = 0;
        arm->tool_warmth = 36;
    }
}

/* A spreadsheet keeps the digits of very small numbers. */
double arm_manners_rounded(const struct arm *arm, double value, bool is_clock)
{
    const struct manners *m = &arm->manners;
    unsigned decimals = is_clock ? m->clock_decimals : m->decimals;
    double scale = pow(10, decimals);
    if (!arm_behaves(arm, BEHAVES_ROUNDED) || (decimals == 9 && fabs(value) < 1e-9))
        return value;
    return round(value * scale) / scale;
}
