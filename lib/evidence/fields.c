#include "evidence/evidence.h"

#include <math.h>
#include <string.h>

enum habit_change { EXPECT_FIXED, EXPECT_STEPS, EXPECT_SLOW, EXPECT_NOISE, EXPECT_MOTION, EXPECT_ANY, EXPECT_CHANGES };
enum habit_digits { IN_FULL, IN_SINGLE, IN_FLOAT, IN_EITHER, IN_SHORT, IN_ANY };
enum habit_curve { IS_SMOOTH, IS_NOISY, IS_ANY };

enum habit_pace { PACE_OF_FLOWS, PACE_OF_DRIFTS, PACE_OF_FLICKERS, PACE_OF_MOVES, PACE_OF_WANDERS, PACE_OF_ANY };

enum habit_kind { HABIT_NUMBERS, HABIT_STATE, HABIT_REGISTERS };
struct habit {
    enum habit_kind kind;
    const char *name;
    double chance, zero;
    double least[2], most[2]; /* of elements 0 to 2, and 3 to 5 */
    enum habit_change change;
    enum habit_digits digits;
    enum habit_curve curve;
    enum habit_pace pace;
    int64_t usual, lowest, highest;
    double usual_share;
    enum armtap_type type; /* of registers */
};

/* A row of each field, in the order of the guide: other rows are found by it. */
enum row {
#define NUMBERS(field, ...) ROW_##field,
#define STATE(field, ...) ROW_##field,
#define REGISTERS(field, ...) ROW_##field,
#include "evidence/fields.def"
    ROWS
};
_Static_assert(ROWS <= INFERENCE_FIELDS_MAX, "too many fields for the tables of tilings");

static const struct habit habits[ROWS] = {
#define NUMBERS(field, odds, zeros, least0, most0, least3, most3, changes, digit, shape, speed)                        \
    {.kind = HABIT_NUMBERS,                                                                                            \
     .name = #field,                                                                                                   \
     .chance = (odds) / 100.0,                                                                                         \
     .zero = (zeros) / 100.0,                                                                                          \
     .least = {least0, least3},                                                                                        \
     .most = {most0, most3},                                                                                           \
     .change = EXPECT_##changes,                                                                                       \
     .digits = IN_##digit,                                                                                             \
     .curve = IS_##shape,                                                                                              \
     .pace = PACE_OF_##speed},
#define STATE(field, odds, value, share, low, high, changes)                                                           \
    {.kind = HABIT_STATE,                                                                                              \
     .name = #field,                                                                                                   \
     .chance = (odds) / 100.0,                                                                                         \
     .usual = value,                                                                                                   \
     .usual_share = (share) / 100.0,                                                                                   \
     .lowest = low,                                                                                                    \
     .highest = high,                                                                                                  \
     .change = EXPECT_##changes},
#define REGISTERS(field, odds, kind_of)                                                                                \
    {.kind = HABIT_REGISTERS, .name = #field, .chance = (odds) / 100.0, .type = ARMTAP_##kind_of},
#include "evidence/fields.def"
};
/* By row; one row more is of no field. */
static const struct {
    double median[2], factor[2]; /* of elements 0 to 2, and 3 to 5; 0: of any size */
} amplitudes[ROWS + 1] = {
#define AMPLITUDE(field, median0, factor0, median3, factor3) [ROW_##field] = {{median0, median3}, {factor0, factor3}},
#include "evidence/fields.def"
};
static const struct limits {
    double least, most, most_behind, most_last; /* all 0: none */
} limits[ROWS + 1] = {
#define LIMITS(field, least, most, behind, last) [ROW_##field] = {least, most, behind, last},
#include "evidence/fields.def"
};
static const bool may_change[ROWS] = {
#define RESTLESS(field) [ROW_##field] = true,
#include "evidence/fields.def"
};
static const struct {
    bool is;
    enum inference_group group;
} members[ROWS] = {
#define MEMBER(field, of) [ROW_##field] = {true, GROUP_##of},
#include "evidence/fields.def"
};
static const struct inference_pair pairs[] = {
#define PAIR(one, other, bond, proof, denial) {GROUP_##one, GROUP_##other, BOND_##bond, proof, denial},
#include "evidence/fields.def"
};
static const char *const spaces[ROWS] = {
#define SPACES(one, other) [ROW_##one] = #other, [ROW_##other] = #one,
#include "evidence/fields.def"
};
static const enum row calmer[][2] = {
#define CALMER(one, other) {ROW_##one, ROW_##other},
#include "evidence/fields.def"
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

size_t armtap_inference_field_count(void)
{
    return ROWS;
}

/* False: any. */
static bool limits_of(size_t row, unsigned count, unsigned element, double *least, double *most)
{
    const struct limits *of = &limits[row];
    *most = element < 3 ? of->most : element + 1 == count ? of->most_last : of->most_behind;
    *least = element < 3 || of->least >= 0 ? of->least : -*most;
    return of->most > of->least;
}

bool armtap_inference_limits(const struct armtap_field *field, unsigned element, double *least, double *most)
{
    double lowest, highest;
    size_t row = 0;
    while (row < ROWS && strcmp(habits[row].name, field->name) != 0)
        row++;
    if (!limits_of(row, field->count, element, &lowest, &highest))
        return false;
    *least = lowest;
    *most = highest;
    return true;
}

const struct inference_pair *armtap_inference_pair_at(size_t i)
{
    return i < COUNT(pairs) ? &pairs[i] : NULL;
}

void armtap_inference_usual(size_t field, unsigned element, double *least, double *most)
{
    *least = habits[field].least[element / 3];
    *most = habits[field].most[element / 3];
}

bool armtap_inference_is_calmer(const struct inference_field *one, const struct inference_field *other)
{
    for (size_t i = 0; i < COUNT(calmer); i++)
        if (calmer[i][0] == one->row && calmer[i][1] == other->row)
            return true;
    return false;
}

static bool is_steady(const struct habit *habit)
{
    return habit->kind != HABIT_REGISTERS && !may_change[habit - habits] &&
           (habit->change == EXPECT_FIXED || habit->change == EXPECT_STEPS);
}

static bool is_never_zero(const struct habit *habit)
{
    return habit->kind == HABIT_NUMBERS && habit->least[0] > 0 && habit->zero < 0.02 &&
           (habit->change == EXPECT_SLOW || habit->change == EXPECT_NOISE);
}

bool armtap_inference_field_at(size_t i, struct inference_field *field)
{
    const struct habit *habit = &habits[i];
    *field = (struct inference_field){.name = habit->name,
                                      .row = i,
                                      .log_chance = log2(habit->chance / (1 - habit->chance)),
                                      .repeats = habit->kind == HABIT_REGISTERS,
                                      .is_state =
                                          habit->kind == HABIT_STATE && is_steady(habit) && habit->usual_share >= 0.8,
                                      .is_steady = is_steady(habit),
                                      .is_never_zero = is_never_zero(habit),
                                      .group = members[i].is ? members[i].group : GROUPS};
    if (spaces[i])
        field->in_other_space = armtap_field_find(spaces[i], strlen(spaces[i]));
    if (field->repeats) {
        field->type = habit->type;
        field->count = 1;
    } else {
        field->field = armtap_field_find(habit->name, strlen(habit->name));
        if (!field->field)
            return false;
        field->type = field->field->type;
        field->count = field->field->count;
    }
    field->size = (unsigned)armtap_type_width(field->type) * field->count;
    return true;
}

/* ---- how a field's values change --------------------------------------------------------------------------------- */

/* Shares of columns, by what is expected. */
static const double changes[EXPECT_CHANGES][CHANGES] = {
    [EXPECT_FIXED] = {0.95, 0.04, 0.008, 0.002}, [EXPECT_STEPS] = {0.6, 0.3, 0.09, 0.01},
    [EXPECT_SLOW] = {0.06, 0.24, 0.45, 0.25},    [EXPECT_NOISE] = {0.01, 0.02, 0.12, 0.85},
    [EXPECT_MOTION] = {0.04, 0.03, 0.43, 0.5},   [EXPECT_ANY] = {0.1, 0.1, 0.35, 0.45},
};
static const double digit_shares[][DIGITS] = {
    [IN_FULL] = {0.05, 0.1, 0.85, 0.1},   [IN_SINGLE] = {0.1, 0.75, 0.15, 0.1}, [IN_FLOAT] = {0.1, 0.78, 0.12, 0.1},
    [IN_EITHER] = {0.08, 0.5, 0.42, 0.1}, [IN_SHORT] = {0.5, 0.4, 0.1, 0.1},    [IN_ANY] = {0.12, 0.35, 0.53, 0.1}};
static const double curve_shares[][CURVES] = {
    [IS_SMOOTH] = {0.86, 0.08, 0.06}, [IS_NOISY] = {0.08, 0.12, 0.80}, [IS_ANY] = {0.35, 0.15, 0.5}};
static const double pace_shares[][PACES] = {
    [PACE_OF_FLOWS] = {0.93, 0.04, 0.02, 0.01},   [PACE_OF_DRIFTS] = {0.03, 0.27, 0.4, 0.3},
    [PACE_OF_FLICKERS] = {0.01, 0.01, 0.1, 0.88}, [PACE_OF_MOVES] = {0.35, 0.45, 0.15, 0.05},
    [PACE_OF_WANDERS] = {0.12, 0.35, 0.38, 0.15}, [PACE_OF_ANY] = {0.3, 0.15, 0.2, 0.35}};
/* The same of doubles that may be anything. */
static const double any_change[CHANGES] = {0.3, 0.1, 0.25, 0.35}, any_digits[DIGITS] = {0.1, 0.35, 0.55, 0.1},
                    any_curve[CURVES] = {0.35, 0.15, 0.5}, any_pace[PACES] = {0.3, 0.15, 0.2, 0.35};

static double change_bits(const struct habit *habit, const struct column *column)
{
    double bits = log2(changes[habit->change][column->change] / any_change[column->change]);
    bits += log2(digit_shares[habit->digits][column->digits] / any_digits[column->digits]);
    if (column->change == CHANGE_NEVER)
        return bits;
    if (column->change >= CHANGE_OFTEN)
        bits += log2(pace_shares[habit->pace][column->paces] / any_pace[column->paces]);
    if (column->change >= CHANGE_OFTEN)
        bits += log2(curve_shares[habit->curve][column->curve] / any_curve[column->curve]);
    return bits;
}

/* ---- where they lie ---------------------------------------------------------------------------------------------- */

/* Density of doubles that may be anything: 64 binades of equal share. */
static double any_density(double value)
{
    return 1.0 / 64 / exp2(floor(log2(fmax(fabs(value), 1e-4))));
}

static double place_bits(double value, double least, double most)
{
    double any = any_density(value), here = value >= least && value <= most ? 0.97 / (most - least) : 0;
    return log2((here + 0.03 * any) / any);
}

static double range_bits(const struct habit *habit, const struct column *column, unsigned element)
{
    double least = habit->least[element / 3], most = habit->most[element / 3];
    if (column->change == CHANGE_NEVER)
        return place_bits(column->mean, least, most);
    if (least == 0 && column->least >= 0) /* a size comes near to 0 now and then */
        return place_bits(column->most, least, most);
    return (place_bits(column->least, least, most) + place_bits(column->most, least, most)) / 2;
}

/* ---- relations --------------------------------------------------------------------------------------------------- */

/* What a relation is worth, and what it costs a field that should not have it. */
#define PROOF 24
/* Where the bytes are no such numbers. */
#define NO_NUMBERS (-9999)
#define DENIAL 14
/* An element that is always 0, where the field's range lacks it. */
#define ZERO_OUTSIDE (-8)
/* Share of robots on which a field is 0 that never is, as on some simulated ones. */
#define NEVER 0.0005
/* Against a field without the role that it needs. */
#define UNPROVEN 12
/* Against what does not belong to an arm that is known: more than a dozen registers in its place. */
#define STRANGER 100
/* Noise is no target, whatever the order says. */
#define NO_NOISE 14
#define KIND_MAX 9
#define KIND_ALONE 5
#define RESTED 12
/* Speeds that are measured are 0 at rest on some arms. */
#define RESTED_SPEED 3
/* Share of packages at rest in which a target changes, at most. */
#define HOLDS 0.05
/* Steps of a current at rest, in spreads. */
#define TREMOR_OF_ACTUAL 0.02
#define TREMOR_OF_TARGET 0.004
#define VECTOR_SAYS 2.0
#define SWING_ROWS 900.0
/* Packages of some seconds. */
#define SECONDS_OF_MOTION 256u
#define GRAVITY 9.81
/* m: of the longest arm with a tool; rad: of a rotation vector, and near that where it turns over. */
#define REACH 3
#define HALF_A_TURN 3.1417
#define TURNS_OVER 3.0
/* Volts. */
#define UNCONNECTED 0.03
/* Share of packages in which an arm that moves may move, at least; bits against a mode of which that is not so. */
#define MAY_MOVE 0.05
#define IMMOBILE 40
/* Correlation of a momentum with one of the speeds. */
#define WITH_SPEED 0.8
/* The least of one against its most. */
#define AT_REST 0.1
/* Spread against the mean. */
#define STEADY 0.004

/* Of vectors that are none of those. */
#define STRANGE                                                                                                        \
    (ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_SPEED | ROLE_HAS_LINEAR_SPEED | ROLE_IS_LINEAR_SPEED)

/* Either: some controllers give the target, others what was measured. */
enum aim { NO_AIM, TARGET, ACTUAL, EITHER };
/* Roles that vectors have: those that prove a field, those that contradict it, and those of which it needs one, since
 * other fields look the same. */
static const struct part {
    unsigned proves, denies;
    enum aim aim;
    unsigned needs;  /* always */
    unsigned stands; /* where the joints are known */
    bool is_load;    /* no motion, but what holds the arm: targets of it tremble at rest, too, though less */
} parts[ROWS + 1] = {
    [ROW_target_q] = {ROLE_JOINTS | ROLE_HAS_SPEED, ROLE_IS_SPEED | ROLE_POSE | ROLE_IS_LINEAR_SPEED, TARGET, 0,
                      ROLE_JOINTS | ROLE_TWIN, false},
    [ROW_actual_q] = {ROLE_JOINTS | ROLE_HAS_SPEED, ROLE_IS_SPEED | ROLE_POSE | ROLE_IS_LINEAR_SPEED, ACTUAL, 0,
                      ROLE_JOINTS | ROLE_TWIN, false},
    [ROW_target_qd] = {ROLE_IS_SPEED | ROLE_HAS_SPEED | ROLE_IS_JOINT_SPEED, ROLE_JOINTS | ROLE_POSE, TARGET, 0,
                       ROLE_IS_JOINT_SPEED, false},
    [ROW_actual_qd] = {ROLE_IS_SPEED | ROLE_HAS_SPEED | ROLE_IS_JOINT_SPEED, ROLE_JOINTS | ROLE_POSE, ACTUAL, 0,
                       ROLE_IS_JOINT_SPEED, false},
    [ROW_target_qdd] = {ROLE_IS_SPEED, ROLE_IS_JOINT_SPEED | ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_STRANGE,
                        NO_AIM, 0, 0, false},
    [ROW_target_TCP_pose] = {ROLE_POSE | ROLE_HAS_LINEAR_SPEED, ROLE_JOINTS | ROLE_IS_SPEED, TARGET, 0,
                             ROLE_POSE | ROLE_TWIN | ROLE_PLACE_TWIN, false},
    [ROW_actual_TCP_pose] = {ROLE_POSE | ROLE_HAS_LINEAR_SPEED, ROLE_JOINTS | ROLE_IS_SPEED, ACTUAL, 0,
                             ROLE_POSE | ROLE_TWIN | ROLE_PLACE_TWIN, false},
    [ROW_target_TCP_speed] = {ROLE_IS_LINEAR_SPEED, ROLE_JOINTS | ROLE_POSE | ROLE_IS_STRANGE, TARGET, 0,
                              ROLE_IS_LINEAR_SPEED | ROLE_IS_SPEED, false},
    [ROW_actual_TCP_speed] = {ROLE_IS_LINEAR_SPEED, ROLE_JOINTS | ROLE_POSE | ROLE_IS_STRANGE, ACTUAL, 0,
                              ROLE_IS_LINEAR_SPEED | ROLE_IS_SPEED, false},
    [ROW_target_TCP_acceleration] = {0, ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_STRANGE, TARGET,
                                     ROLE_IS_SPEED, 0, false},
    [ROW_actual_TCP_acceleration] = {0, ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_STRANGE, ACTUAL,
                                     ROLE_IS_SPEED, 0, false},
    [ROW_target_current] = {ROLE_CURRENT, ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_SPEED | ROLE_IS_STRANGE,
                            TARGET, 0, 0, true},
    [ROW_actual_current] = {ROLE_CURRENT, ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_SPEED | ROLE_IS_STRANGE,
                            ACTUAL, 0, 0, true},
    [ROW_joint_control_output] = {ROLE_CURRENT,
                                  ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_SPEED | ROLE_IS_STRANGE, EITHER, 0,
                                  0, true},
    [ROW_target_moment] = {ROLE_MOMENT, ROLE_JOINTS | ROLE_POSE | ROLE_HAS_SPEED | ROLE_IS_SPEED | ROLE_IS_STRANGE,
                           TARGET, 0, 0, true},
    [ROW_actual_current_as_torque] = {0, STRANGE, ACTUAL, 0, 0, true},
    [ROW_actual_TCP_force] = {0, STRANGE, ACTUAL, 0, 0, true},
    [ROW_ft_raw_wrench] = {0, STRANGE, ACTUAL, 0, 0, true},
    [ROW_wrench_calc_from_currents] = {0, STRANGE, ACTUAL, 0, 0, true},
    [ROW_elbow_position] = {ROLE_HAS_SPEED_3, ROLE_IS_SPEED_3 | ROLE_POSE, NO_AIM, ROLE_HAS_SPEED_3, 0, false},
    [ROW_elbow_velocity] = {ROLE_IS_SPEED_3, ROLE_HAS_SPEED_3 | ROLE_POSE, NO_AIM, ROLE_IS_SPEED_3, 0, false},
};

static unsigned bits_set(unsigned roles)
{
    unsigned count = 0;
    for (; roles; roles &= roles - 1)
        count++;
    return count;
}

static const struct part *part_of(const struct inference_field *about)
{
    return parts[about->row].denies ? &parts[about->row] : NULL;
}

bool armtap_inference_is_stranger(const struct inference_relations *relations, const struct inference_field *about,
                                  size_t offset)
{
    const struct part *part = part_of(about);
    const unsigned roles = relations->roles[offset];
    return part && relations->joints_known &&
           ((part->stands && !(roles & part->stands)) || roles & part->denies & ROLE_IS_STRANGE);
}

enum inference_rest armtap_inference_rest_of(const struct inference_relations *relations,
                                             const struct inference_field *about, size_t offset)
{
    const struct part *part = part_of(about);
    const double tremble = (double)relations->tremble[offset], tremor = (double)relations->tremor[offset];
    if (tremble < 0)
        return REST_UNKNOWN;
    if (part && part->is_load)
        return tremor > TREMOR_OF_ACTUAL ? REST_TREMBLES : tremor < TREMOR_OF_TARGET ? REST_HELD : REST_UNKNOWN;
    return tremble > INFERENCE_TREMBLES ? REST_TREMBLES : tremble < HOLDS ? REST_HELD : REST_UNKNOWN;
}

static bool is_speed(const struct part *part)
{
    return part->proves & (ROLE_IS_SPEED | ROLE_IS_LINEAR_SPEED);
}

/* Bits that say target (above 0) or actual (below): of motion, what is to the last bit the same while the arm rests is
 * a target, where something else trembles then; of currents, which a model computes from what was measured, the size of
 * the tremor tells. */
static double kind_bits(const struct inference_relations *relations, const struct inference_field *about,
                        const struct part *part, size_t offset)
{
    const enum inference_rest rest = armtap_inference_rest_of(relations, about, offset);
    if (rest != REST_UNKNOWN)
        return rest == REST_TREMBLES ? -RESTED : is_speed(part) ? RESTED_SPEED : RESTED;
    double kind = fmax(fmin((double)relations->kind[offset], KIND_MAX), -KIND_MAX);
    return relations->roles[offset] & (ROLE_TWIN | ROLE_POSE) ? kind : fmax(fmin(kind, KIND_ALONE), -KIND_ALONE);
}

static double role_bits(const struct inference_relations *relations, const struct inference_field *about, size_t offset)
{
    const unsigned roles = relations->roles[offset];
    const struct part *part = part_of(about);
    if (!part)
        return about->count == 6 ? -DENIAL * (double)bits_set(roles & STRANGE) : 0;
    double bits = PROOF * (double)bits_set(roles & part->proves) - DENIAL * (double)bits_set(roles & part->denies);
    const double kind = kind_bits(relations, about, part, offset);
    if (armtap_inference_is_stranger(relations, about, offset))
        bits -= STRANGER;
    if (part->needs && !(roles & part->needs))
        bits -= UNPROVEN;
    return bits + (part->aim == TARGET   ? kind
                   : part->aim == ACTUAL ? -kind
                   : part->aim == EITHER ? fabs(kind) - 0.5
                                         : 0);
}

/* ---- single fields ----------------------------------------------------------------------------------------------- */

/* Length of the three doubles at an offset of one row; false if they are none. */
static bool length_of(const struct inference_columns *columns, size_t offset, unsigned row, double *length)
{
    double squares = 0;
    for (unsigned i = 0; i < 3; i++) {
        const struct column *column = armtap_inference_column(columns, offset + 8 * i);
        if (!column)
            return false;
        double value = column->values ? column->values[row] : column->mean;
        squares += value * value;
    }
    *length = sqrt(squares);
    return true;
}

/* An accelerometer feels gravity, and little else. */
static double gravity_bits(const struct inference_columns *columns, size_t offset)
{
    unsigned near = 0, far = 0, moves = 0;
    double length;
    for (unsigned i = 0; i < 3; i++) {
        const struct column *column = armtap_inference_column(columns, offset + 8 * i);
        moves += column && column->values;
    }
    for (unsigned row = 0; row < columns->sample->count; row++) {
        if (!length_of(columns, offset, row, &length))
            return 0;
        near += fabs(length - GRAVITY) < 0.7;
        far += fabs(length - GRAVITY) > 6;
    }
    return moves > 1 && near > 0.5 * columns->sample->count && far < 0.05 * columns->sample->count ? 24 : -12;
}

/* Moments of inertia are positive, and mostly stand alone; a centre of gravity hardly has three equal parts. */
static double mass_bits(const struct inference_columns *columns, const struct inference_field *about, size_t offset)
{
    double value[6] = {0};
    for (unsigned i = 0; i < about->count; i++) {
        const struct column *column = armtap_inference_column(columns, offset + 8 * i);
        if (!column)
            return 0;
        value[i] = column->mean;
    }
    if (value[0] == 0 && value[1] == 0 && value[2] == 0)
        return about->count == 3 || (value[3] == 0 && value[4] == 0 && value[5] == 0) ? 0 : -12;
    if (about->count == 3)
        return value[0] == value[1] && value[1] == value[2] ? -6 : 0;
    bool positive = value[0] > 0 && value[1] > 0 && value[2] > 0;
    bool alone = value[3] == 0 && value[4] == 0 && value[5] == 0;
    return !positive ? -12 : alone ? 3 : 0;
}

/* The size of a force that is elsewhere in the package. */
static double size_bits(const struct inference_columns *columns, size_t offset)
{
    const struct column *column = armtap_inference_column(columns, offset);
    for (size_t other = 0; column && column->values && other + 24 <= columns->length; other++) {
        unsigned row = 0;
        double length;
        if (other < offset + 8 && offset < other + 24)
            continue;
        while (row < columns->sample->count && length_of(columns, other, row, &length) && length > 0 &&
               fabs(column->values[row] / length - 1) < 1e-6)
            row++;
        if (row == columns->sample->count)
            return 40;
    }
    return 0;
}

/* The controller counts its cycles, evenly. */
static bool counts(const struct inference_columns *columns, size_t offset)
{
    const struct inference_view *sample = columns->sample;
    uint64_t step = 0;
    unsigned even = 0, steps = 0;
    for (unsigned row = 0; row + 1 < sample->count; row++) {
        uint64_t now = armtap_inference_integer(armtap_inference_bytes(columns, row, offset), 8);
        uint64_t then = armtap_inference_integer(armtap_inference_bytes(columns, row + 1, offset), 8);
        if (then <= now)
            return false;
        if (!armtap_inference_goes_on(sample, row))
            continue;
        step = steps == 0 ? then - now : step;
        even += then - now == step;
        steps++;
    }
    return step < 10000 && even > 0.9 * steps;
}

/* A temperature keeps its value for the time of a capture; a current that is measured does not. */
static double steadiness_bits(const struct inference_columns *columns, size_t offset, bool is_steady)
{
    const struct column *column = armtap_inference_column(columns, offset);
    if (!column || !column->values || column->mean <= 0)
        return 0;
    bool steady = column->spread < STEADY * column->mean;
    return steady == is_steady ? 1 : -8;
}

/* An input that nothing is connected to stays near 0; those of the tool float somewhat higher. */
static double unconnected_bits(const struct inference_columns *columns, size_t offset)
{
    const struct column *column = armtap_inference_column(columns, offset);
    if (!column || !column->values)
        return 0;
    return column->least > -UNCONNECTED && column->most < UNCONNECTED ? 4 : -1;
}

/* The length of six speeds, over the sample. */
static double speed_at(const struct inference_columns *columns, size_t offset, unsigned row)
{
    double squares = 0;
    for (unsigned i = 0; i < 6; i++) {
        const struct column *column = armtap_inference_column(columns, offset + 8 * i);
        const double value = !column ? 0 : column->values ? column->values[row] : column->mean;
        squares += value * value;
    }
    return sqrt(squares);
}

static double correlation_with_speed(const struct inference_columns *columns, const struct column *column,
                                     size_t offset)
{
    const unsigned rows = columns->sample->count;
    double mean = 0, both = 0, squares = 0;
    for (unsigned row = 0; row < rows; row++)
        mean += speed_at(columns, offset, row) / rows;
    for (unsigned row = 0; row < rows; row++) {
        const double speed = speed_at(columns, offset, row) - mean;
        both += speed * (column->values[row] - column->mean);
        squares += speed * speed;
    }
    return squares > 0 ? both / sqrt(squares * rows) / column->spread : 0;
}

/* What moves slows down, sooner or later; and momentum goes with some speed. */
static double momentum_bits(const struct inference_columns *columns, const struct inference_relations *relations,
                            size_t offset)
{
    const struct column *column = armtap_inference_column(columns, offset);
    bool has_speed = false;
    if (!column || !column->values || column->spread <= 0)
        return 0;
    if (column->least < 0 ||
        (columns->sample->count >= SECONDS_OF_MOTION && (column->rises || column->least > column->most / 2)))
        return -12;
    if (column->least > AT_REST * column->most)
        return -6;
    for (size_t other = 0; other + 48 <= columns->length; other++)
        if (relations->roles[other] & (ROLE_IS_SPEED | ROLE_IS_LINEAR_SPEED) &&
            (other >= offset + 8 || other + 48 <= offset)) {
            has_speed = true;
            if (correlation_with_speed(columns, column, other) > WITH_SPEED)
                return 8;
        }
    return has_speed ? -6 : 0;
}

/* The length of three doubles, the most of it; INFINITY: they are none. */
static double most_length_of(const struct inference_columns *columns, size_t offset)
{
    double most = 0, length;
    for (unsigned row = 0; row < columns->sample->count; row++) {
        if (!length_of(columns, offset, row, &length))
            return INFINITY;
        most = fmax(most, length);
    }
    return most;
}

bool armtap_inference_turns_over(const struct inference_columns *columns, size_t offset)
{
    double before, length;
    for (unsigned row = 1; row < columns->sample->count; row++) {
        double squares = 0;
        for (unsigned i = 0; i < 3; i++) {
            const struct column *column = armtap_inference_column(columns, offset + 24 + 8 * i);
            const double step = column && column->values ? column->values[row] - column->values[row - 1] : 0;
            squares += step * step;
        }
        if (squares > 4 * TURNS_OVER * TURNS_OVER && armtap_inference_goes_on(columns->sample, row - 1) &&
            length_of(columns, offset + 24, row - 1, &before) && length_of(columns, offset + 24, row, &length) &&
            before > TURNS_OVER && before < HALF_A_TURN && length > TURNS_OVER && length < HALF_A_TURN)
            return most_length_of(columns, offset + 24) < HALF_A_TURN;
    }
    return false;
}

/* A place is within reach, and no rotation vector is longer than half a turn: where it becomes longer, it turns over.
 * Of joints, most are somewhere else. */
static double pose_bits(const struct inference_columns *columns, size_t offset)
{
    const double place = most_length_of(columns, offset), turn = most_length_of(columns, offset + 24);
    if (place > REACH || turn > HALF_A_TURN)
        return -20;
    return armtap_inference_turns_over(columns, offset) ? 20 : 0;
}

/* Joints whose first three are all near 0 are rare. */
static double joints_bits(const struct inference_columns *columns, size_t offset)
{
    return most_length_of(columns, offset) < 1 ? -3 : 0;
}

static double special_bits(const struct inference_columns *columns, const struct inference_relations *relations,
                           const struct inference_field *about, size_t offset)
{
    if (about->row == ROW_timestamp)
        return offset == relations->clock ? 40 : -30;
    if (about->type == ARMTAP_DOUBLE && offset == relations->clock)
        return -30;
    if (about->group == GROUP_POSES)
        return pose_bits(columns, offset);
    if (about->group == GROUP_JOINTS)
        return joints_bits(columns, offset);
    switch (about->row) {
    case ROW_actual_tool_accelerometer:
        return gravity_bits(columns, offset);
    case ROW_payload_inertia:
    case ROW_payload_cog:
        return mass_bits(columns, about, offset);
    case ROW_standard_analog_input0:
    case ROW_standard_analog_input1:
        return unconnected_bits(columns, offset);
    case ROW_tool_temperature:
        return steadiness_bits(columns, offset, true);
    case ROW_tool_output_current:
    case ROW_io_current:
        return steadiness_bits(columns, offset, false);
    case ROW_actual_momentum:
        return momentum_bits(columns, relations, offset);
    case ROW_tcp_force_scalar:
        return size_bits(columns, offset);
    default:
        return 0;
    }
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

/* Speeds and accelerations swing around 0, and are all 0 while the arm rests; positions, currents and torques hold the
 * arm somewhere. */
static const enum {
    RESTS_ANYWHERE,
    HOLDS_SOMEWHERE,
    SWINGS
} swings[ROWS + 1] = {
    [ROW_target_q] = HOLDS_SOMEWHERE,
    [ROW_actual_q] = HOLDS_SOMEWHERE,
    [ROW_target_qd] = SWINGS,
    [ROW_actual_qd] = SWINGS,
    [ROW_target_qdd] = SWINGS,
    [ROW_target_current] = HOLDS_SOMEWHERE,
    [ROW_target_moment] = HOLDS_SOMEWHERE,
    [ROW_actual_current] = HOLDS_SOMEWHERE,
    [ROW_joint_control_output] = HOLDS_SOMEWHERE,
    [ROW_actual_current_as_torque] = HOLDS_SOMEWHERE,
    [ROW_actual_TCP_pose] = HOLDS_SOMEWHERE,
    [ROW_target_TCP_pose] = HOLDS_SOMEWHERE,
    [ROW_actual_TCP_speed] = SWINGS,
    [ROW_target_TCP_speed] = SWINGS,
    [ROW_actual_TCP_acceleration] = SWINGS,
    [ROW_target_TCP_acceleration] = SWINGS,
    [ROW_elbow_position] = HOLDS_SOMEWHERE,
    [ROW_elbow_velocity] = SWINGS,
};

/* How far, in spreads, the element that is farthest away lies from 0; negative if nothing moves. */
static double distance_of(const struct inference_columns *columns, const struct inference_field *about, size_t offset)
{
    double farthest = -1;
    for (unsigned i = 0; i < about->count; i++) {
        const struct column *column = armtap_inference_column(columns, offset + 8 * i);
        if (column && column->values && column->spread > 0)
            farthest = fmax(farthest, fabs(column->centre) / column->spread);
        else if (column && column->mean != 0)
            farthest = fmax(farthest, 10);
    }
    return farthest;
}

/* Share of packages in which all elements are 0. */
static double share_all_zero(const struct inference_columns *columns, const struct inference_field *about,
                             size_t offset)
{
    unsigned rest = 0;
    for (unsigned row = 0; row < columns->sample->count; row++) {
        bool zero = true;
        for (unsigned i = 0; i < about->count && zero; i++) {
            const struct column *column = armtap_inference_column(columns, offset + 8 * i);
            zero = column && (column->values ? column->values[row] : column->mean) == 0;
        }
        rest += zero;
    }
    return (double)rest / columns->sample->count;
}

static double swing_bits(const struct inference_columns *columns, const struct inference_field *about, size_t offset)
{
    const double distance = swings[about->row] == RESTS_ANYWHERE ? -1 : distance_of(columns, about, offset);
    if (distance < 0)
        return 0;
    const bool rests = share_all_zero(columns, about, offset) > 0.02;
    const double seen = fmin(1, columns->sample->count / SWING_ROWS); /* few moves say little about where they centre */
    if (swings[about->row] == SWINGS)
        return seen * (distance < 0.8 ? 2 : distance < 2 ? -3 : -9) + (rests ? 2 : 0);
    return seen * (distance < 0.8 ? -6 : distance < 2 ? 0 : 1.5) - (rests ? 12 : 0);
}

static double size_of(const struct inference_columns *columns, size_t offset)
{
    double size = 0;
    for (unsigned i = 0; i < 3; i++) {
        const struct column *column = armtap_inference_column(columns, offset + 8 * i);
        size = column ? fmax(size, fmax(fabs(column->least), fabs(column->most))) : size;
    }
    return size;
}

/* Against sizes that are spread evenly over ten octaves. */
static double amplitude_bits(const struct inference_columns *columns, const struct inference_field *about,
                             size_t offset)
{
    const size_t row = about->row;
    double bits = 0;
    for (unsigned half = 0; half < 2 && amplitudes[row].median[0] > 0; half++) {
        double size = size_of(columns, offset + 24 * half), sigma = log2(amplitudes[row].factor[half]);
        double away = size > 0 ? log2(size / amplitudes[row].median[half]) / sigma : 0;
        bits += size > 0 ? log2(10 * 0.4 / sigma) - fmin(away * away / 2 * 1.44, 6) : 0;
    }
    return bits;
}

/* What one look at values says, against what the sum of several does: they are not independent. */
#define TEMPER 0.7

/* ---- all together ------------------------------------------------------------------------------------------------ */

/* What is 0 while an arm stands still, and only then. */
static bool is_zero_at_rest(size_t row)
{
    return row == ROW_actual_momentum || row == ROW_speed_scaling || row == ROW_target_speed_fraction;
}

static bool is_beyond(const struct habit *habit, unsigned count, unsigned element, const struct column *column)
{
    double least, most;
    return limits_of((size_t)(habit - habits), count, element, &least, &most) &&
           (column->least < least || column->most > most);
}

static double weigh_numbers(const struct inference_columns *columns, const struct inference_relations *relations,
                            const struct habit *habit, const struct inference_field *about, size_t offset)
{
    double gain = 0, named = 0, changing = 0;
    unsigned zeros = 0, noises = 0;
    for (unsigned i = 0; i < about->count; i++) {
        const struct column *column = armtap_inference_column(columns, offset + 8 * i);
        gain += (double)columns->gain[GAIN_DOUBLE][offset + 8 * i];
        if (!column || is_beyond(habit, about->count, i, column))
            return NO_NUMBERS;
        bool zero = column->least == 0 && column->most == 0;
        zeros += zero;
        noises += column->change == CHANGE_ALWAYS && column->paces == PACE_FLICKERS && column->curve == CURVE_ROUGH;
        if (!zero) {
            named += range_bits(habit, column, i);
            changing += change_bits(habit, column);
        } else if (habit->least[i / 3] > 0) /* a joint's temperature or voltage */
            named += ZERO_OUTSIDE;
        else
            named += habit->change == EXPECT_FIXED ? 1.3 : -1;
    }
    if (zeros == about->count)
        return gain + log2(fmax(habit->zero, NEVER) / 0.2) -
               (relations->moved && is_zero_at_rest(about->row) ? IMMOBILE : 0);
    if (habit->curve == IS_SMOOTH && habit->pace == PACE_OF_FLOWS && 2 * noises > about->count - zeros)
        named -= NO_NOISE;
    /* Elements of a vector are measured in the same way: they say it once more, not six times. */
    double weight = about->count == 1 ? 1 : VECTOR_SAYS / (double)(about->count - zeros);
    return gain + TEMPER * (named + weight * changing) + log2((1 - habit->zero) / 0.8);
}

/* Of the bits of a byte, as of inputs, the highest is as often set as the lowest. */
static double cost_of_state(int64_t value)
{
    double cost = 2 * log2(fabs((double)value) + 1) + 1;
    return value >= 0 && value < 256 ? fmin(cost, 9) : cost;
}

/* Bits that changes cost above those of a register: the first one, and each later one. */
static const struct {
    double first, later;
} restless[EXPECT_CHANGES] = {[EXPECT_FIXED] = {10, 6}, [EXPECT_STEPS] = {3, 2}};

/* The tool has 0, 12 or 24 V. */
static int64_t step_of(const struct habit *habit)
{
    const size_t row = (size_t)(habit - habits);
    return row == ROW_tool_output_voltage || row == ROW_tool_output_voltage_2 ? 12 : 1;
}

/* Bits of a value that is not the usual one. */
static double cost_of_other(const struct habit *habit, int64_t value)
{
    const int64_t states = (habit->highest - habit->lowest) / step_of(habit) + 1;
    return -log2(1 - habit->usual_share) + fmin(log2((double)states), cost_of_state(value));
}

/* Bits of a state that the field does not have, above those of its bytes. */
#define ODD_STATE 32
static bool has_state(const struct habit *habit, int64_t value)
{
    return value >= habit->lowest && value <= habit->highest && value % step_of(habit) == 0;
}

static int64_t state_at(const struct inference_columns *columns, const struct inference_field *about, size_t offset,
                        unsigned row)
{
    const unsigned width = about->size / about->count;
    uint64_t bits = armtap_inference_integer(armtap_inference_bytes(columns, row, offset), width);
    return about->type == ARMTAP_INT32 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
}

/* Bits of one element's values, over a few packages spread over the sample; *kept counts those that differ from the one
 * before. */
static double cost_of_states(const struct inference_columns *columns, const struct habit *habit,
                             const struct inference_field *about, size_t offset, unsigned *kept)
{
    struct inference_past past = {.count = 0};
    double bits = 0;
    int64_t before = 0;
    *kept = 0;
    for (unsigned i = 0; i < COLUMNS_JUDGED; i++) {
        int64_t value = state_at(columns, about, offset, armtap_inference_judged(columns->sample, i));
        if (i > 0 && value == before)
            continue;
        const bool within = has_state(habit, value);
        double cost = value == habit->usual ? -log2(habit->usual_share)
                      : within              ? cost_of_other(habit, value)
                                            : 8.0 * (about->size / about->count) + ODD_STATE;
        double again = armtap_inference_return_cost(&past, (uint64_t)value, cost_of_state(value));
        if (i > 0 && within)
            cost = fmin(fmin(cost + 2, again), armtap_inference_step_cost((uint64_t)value, (uint64_t)before) + 1);
        bits += cost + (*kept == 0 ? 0 : *kept == 1 ? restless[habit->change].first : restless[habit->change].later);
        before = value;
        ++*kept;
    }
    return bits;
}

/* Bits of whole numbers in a code made for this field. */
static double weigh_state(const struct inference_columns *columns, const struct habit *habit,
                          const struct inference_field *about, size_t offset)
{
    double gain = (double)(columns->plain[offset + about->size] - columns->plain[offset]);
    for (unsigned element = 0; element < about->count; element++) {
        unsigned kept;
        gain -= cost_of_states(columns, habit, about, offset + about->size / about->count * element, &kept);
        if (element > 0 && kept == 1) /* joints share their mode */
            gain += 2;
    }
    return gain;
}

/* Modes in which an arm may move, and bits that are set, or not, while it does. */
static const struct {
    uint64_t modes, set, unset; /* modes: one bit for each; 0: any; all 0: of no mode */
} motions[ROWS + 1] = {
    [ROW_robot_mode] = {1 << 6 | 1 << 7, 0, 0},           /* backdrive, running */
    [ROW_safety_mode] = {1 << 1 | 1 << 2 | 1 << 4, 0, 0}, /* normal, reduced, recovery */
    [ROW_safety_status] = {1 << 1 | 1 << 2 | 1 << 4, 0, 0},
    [ROW_robot_status_bits] = {0, 1, 0},      /* power */
    [ROW_safety_status_bits] = {0, 0, 0x7f4}, /* stops, violation, fault */
};

/* Against a mode that keeps an arm from moving, if one moves. */
static double motion_bits(const struct inference_columns *columns, const struct inference_field *about, size_t offset)
{
    const size_t of = about->row;
    unsigned may = 0;
    if (motions[of].modes == 0 && motions[of].set == 0 && motions[of].unset == 0)
        return 0;
    for (unsigned row = 0; row < columns->sample->count; row++) {
        uint64_t value = (uint64_t)state_at(columns, about, offset, row);
        bool in_mode = motions[of].modes == 0 || (value < 64 && motions[of].modes >> value & 1);
        may += in_mode && (value & motions[of].set) == motions[of].set && !(value & motions[of].unset);
    }
    return may > MAY_MOVE * columns->sample->count ? 0 : -IMMOBILE;
}

double armtap_inference_weigh(const struct inference_columns *columns, const struct inference_relations *relations,
                              size_t field, const struct inference_field *about, size_t offset)
{
    const struct habit *habit = &habits[field];
    switch (habit->kind) {
    case HABIT_NUMBERS:
        return weigh_numbers(columns, relations, habit, about, offset) +
               TEMPER * (swing_bits(columns, about, offset) + amplitude_bits(columns, about, offset)) +
               role_bits(relations, about, offset) + special_bits(columns, relations, about, offset);
    case HABIT_STATE:
        if (field == ROW_control_step)
            return counts(columns, offset) ? weigh_state(columns, habit, about, offset) + 40 : NO_NUMBERS;
        return weigh_state(columns, habit, about, offset) +
               (relations->moved ? motion_bits(columns, about, offset) : 0);
    default:
        if (habit->type == ARMTAP_DOUBLE && (offset == relations->clock || !armtap_inference_column(columns, offset)))
            return NO_NUMBERS;
        return (double)columns->gain[armtap_inference_gain_of(habit->type)][offset];
    }
}
