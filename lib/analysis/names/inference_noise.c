/* Sensors have noise, and targets have none: noise shows that a vector was measured. That there is none shows nothing
 * by itself, since a simulator's measurements are its targets. It shows a target only beside noise of the same motion:
 * the speed and the pose of joints without noise have none either.
 *
 * Differences of sixth order tell a curve's shape from its noise: they vanish on whatever moves smoothly, up to errors
 * of rounding, and keep all noise, however small it is against the motion. */
#include "analysis/names/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"

#define VECTOR 6u
/* Orders of differences, and what these make of white noise: roots of 924 and of 70. */
#define HIGH 6u
#define LOW 4u
#define NOISE_IN_HIGH 30.4
#define NOISE_IN_LOW 8.37
/* Lower quartile of the size of a normal deviate; corners of a move are in the other quarters. */
#define QUARTILE 0.3186
/* Differences that must be there. */
#define WINDOWS_LEAST 16u
/* Noise, against the values, that no curve hides; and how much of it the differences of low order must have, too. */
#define NOISY 1e-7
#define WHITE 0.4
/* Noise that rounding makes, at most: to single precision, in values, and to a grid, in its steps. */
#define OF_SINGLE 0x1p-23
#define OF_GRID 0.5
/* The finest grid, in values, that counts; steps beside it that errors of rounding make, at most. */
#define FINEST 1e-8
#define ON_GRID 1e-4
#define PI 3.14159265358979323846
/* Seconds from package to package, up to which differences tell noise from motion. */
#define RESOLVED 0.0125
/* Noise against that of another quantity of the same motion, below which it is none: filters and differentiation make a
 * thousandth of it at the utmost. */
#define NONE 1e-4
/* Noise of what was measured against that of its target: where the target follows the arm, as one leads it by hand,
 * both have the same. */
#define NOISIER 3
/* Probability of the guide's order from which on it tells a target from what was measured, where both are there. */
#define IN_ORDER 0.99
/* Share of arms whose targets follow them and have their noise, where nothing else tells. */
#define LED_BY_HAND 0.015
/* Correlation from which on a vector is ahead. */
#define AHEAD 0.8

static const struct pair {
    const char *target, *actual;
    bool is_motion; /* of which all others are computed */
} pairs[] = {
    {"target_q", "actual_q", true},
    {"target_qd", "actual_qd", true},
    {"target_TCP_pose", "actual_TCP_pose", true},
    {"target_TCP_speed", "actual_TCP_speed", true},
    {"target_TCP_acceleration", "actual_TCP_acceleration", false},
    {"target_current", "actual_current", false},
};
#define PAIRS (sizeof pairs / sizeof *pairs)

/* What else is computed from how an arm was measured to move. */
static const char *const others[] = {"elbow_position", "elbow_velocity", "actual_momentum"};

static const struct pair *pair_of(const char *name)
{
    for (size_t i = 0; i < PAIRS; i++)
        if (strcmp(pairs[i].target, name) == 0 || strcmp(pairs[i].actual, name) == 0)
            return &pairs[i];
    return NULL;
}

static bool is_of_motion(const char *name)
{
    bool is_other = false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_other = is_other || strcmp(others[i], name) == 0;
    return is_other || (pair_of(name) && pair_of(name)->is_motion);
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

static bool changes_throughout(const double *values)
{
    for (unsigned i = 0; i < HIGH; i++)
        if (values[i] == values[i + 1])
            return false;
    return true;
}

static double difference_of(const double *values, unsigned order)
{
    double left[HIGH + 1];
    memcpy(left, values, (order + 1) * sizeof *left);
    for (unsigned n = order; n > 0; n--)
        for (unsigned i = 0; i < n; i++)
            left[i] = left[i + 1] - left[i];
    return fabs(left[0]);
}

/* Of differences of that order; negative if there are too few. */
static double quartile_of(const struct inference_view *sample, const double *values, unsigned order)
{
    double sizes[EVIDENCE_ROWS];
    unsigned count = 0;
    for (unsigned row = 0; row + HIGH < sample->count; row++)
        if (armtap_inference_go_on(sample, row, HIGH) && changes_throughout(&values[row]))
            sizes[count++] = difference_of(&values[row], order);
    qsort(sizes, count, sizeof *sizes, armtap_by_size);
    return count < WINDOWS_LEAST ? -1 : sizes[count / 4] / QUARTILE;
}

/* Decimal places, also of degrees, and bits, also of a turn. */
static const struct {
    double unit, parts;
} grids[] = {{1, 10}, {PI / 180, 10}, {1, 2}, {PI, 2}};

static bool is_on_grid(const struct inference_view *sample, const double *values, double step)
{
    for (unsigned row = 1; row < sample->count; row++) {
        const double steps = (values[row] - values[0]) / step;
        if (fabs(steps - floor(steps + 0.5)) > ON_GRID)
            return false;
    }
    return true;
}

/* The step of which all values are a multiple apart; 0: none. */
static double grid_of(const struct inference_view *sample, const double *values, double size)
{
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (double step = grids[i].unit; step > FINEST * size; step /= grids[i].parts)
            if (is_on_grid(sample, values, step))
                return step;
    return 0;
}

static double size_of(const struct column *column)
{
    return fmax(fabs(column->least), fabs(column->most));
}

static double rounding_of(const struct inference_columns *columns, const struct column *column)
{
    const double size = size_of(column),
                 single = column->digits == DIGITS_FULL || column->digits == DIGITS_HELD ? 0 : OF_SINGLE * size;
    return fmax(single, OF_GRID * grid_of(columns->sample, column->values, size));
}

/* In spreads. */
struct noise {
    unsigned known, noisy; /* elements: those that change for long enough to tell, and those of them with noise */
    double most;
    double least; /* of those that are noisy */
};

static void add_element(const struct inference_columns *columns, double step, const struct column *column,
                        struct noise *noise)
{
    const double high = quartile_of(columns->sample, column->values, HIGH) / NOISE_IN_HIGH,
                 low = quartile_of(columns->sample, column->values, LOW) / NOISE_IN_LOW;
    const bool resolved = step > 0 ? step <= RESOLVED : column->paces == PACE_FLOWS;
    if (high < 0)
        return;
    noise->known++;
    noise->most = fmax(noise->most, high / column->spread);
    if (resolved && high > NOISY * size_of(column) && high > WHITE * low && high > rounding_of(columns, column)) {
        noise->noisy++;
        noise->least = fmin(noise->least, high / column->spread);
    }
}

static struct noise noise_of(const struct inference_columns *columns, double step, const struct tiling_piece *piece)
{
    struct noise noise = {.least = INFINITY};
    for (unsigned i = 0; i < piece->count && piece->type == ARMTAP_DOUBLE; i++) {
        const struct column *column = armtap_inference_column(columns, piece->offset + 8 * i);
        if (column && column->values && column->spread > 0)
            add_element(columns, step, column, &noise);
    }
    return noise;
}

static bool is_noisy(const struct noise *noise)
{
    return noise->noisy > 0 && 2 * noise->noisy >= noise->known;
}

/* ---- which of the two -------------------------------------------------------------------------------------------- */

struct question {
    const struct inference_columns *columns;
    const struct inference_relations *relations;
    const struct inference_tiling *tiling;
    const struct tiling_piece *piece;
    const struct pair *pair;
    double enough;
};

static const char *name_of(const struct question *question, const struct tiling_piece *piece)
{
    return question->tiling->field[piece->field].name;
}

static bool is_known(const struct question *question, const struct tiling_piece *piece)
{
    return piece != question->piece && piece->certainty >= question->enough;
}

/* NULL: nothing here has that name. */
static const struct tiling_piece *find(const struct question *question, const char *name)
{
    for (size_t i = 0; i < question->tiling->count; i++)
        if (is_known(question, &question->tiling->pieces[i]) &&
            strcmp(name_of(question, &question->tiling->pieces[i]), name) == 0)
            return &question->tiling->pieces[i];
    return NULL;
}

/* Whether that piece would have noise if this one was measured: another quantity of the motion, or, of currents,
 * another current. */
static bool is_of_same_motion(const struct question *question, const struct tiling_piece *other)
{
    if (is_of_motion(name_of(question, other)))
        return is_known(question, other);
    return other != question->piece && strcmp(question->pair->target, "target_current") == 0 &&
           armtap_inference_bonds(question->relations, other->offset, question->piece->offset) & BOND_CURRENTS;
}

/* Whether quantities of the same motion have noise, against which the piece has none; but where one is rounded, what is
 * computed from it may have noise, and others none. */
static bool has_none_beside(const struct question *question, const struct noise *own)
{
    bool is_beside = false;
    if (own->known == 0)
        return false;
    for (size_t i = 0; i < question->tiling->count; i++) {
        const struct tiling_piece *other = &question->tiling->pieces[i];
        if (!is_of_same_motion(question, other))
            continue;
        const struct noise noise = noise_of(question->columns, question->relations->step, other);
        if (!is_noisy(&noise) && own->most < NONE * noise.most)
            return false;
        is_beside = is_beside || (is_noisy(&noise) && own->most < NONE * noise.least);
    }
    return is_beside;
}

/* How far one is ahead of another, as a correlation of their distance with the slope: 1 ahead, -1 behind. */
static double lead_of(const struct inference_view *sample, const double *one, const double *other)
{
    double both = 0, distances = 0, slopes = 0;
    for (unsigned row = 1; row + 1 < sample->count; row++) {
        const double distance = one[row] - other[row], slope = one[row + 1] - one[row - 1];
        if (!armtap_inference_goes_on(sample, row - 1) || !armtap_inference_goes_on(sample, row))
            continue;
        both += distance * slope;
        distances += distance * distance;
        slopes += slope * slope;
    }
    return distances > 0 && slopes > 0 ? both / sqrt(distances * slopes) : 0;
}

/* Whether one vector is ahead of another with all that moves. */
static bool leads(const struct inference_columns *columns, size_t one, size_t other)
{
    unsigned ahead = 0, moving = 0;
    for (unsigned i = 0; i < VECTOR; i++) {
        const struct column *a = armtap_inference_column(columns, one + 8 * i),
                            *b = armtap_inference_column(columns, other + 8 * i);
        if (!a || !b || !a->values || !b->values)
            continue;
        moving++;
        ahead += lead_of(columns->sample, a->values, b->values) > AHEAD;
    }
    return moving > 0 && ahead == moving;
}

/* Where both are here: noise tells them apart; without any, that what was measured follows. */
static struct inference_side side_of_two(const struct question *question, const struct tiling_piece *other,
                                         bool is_target)
{
    const double step = question->relations->step;
    const struct noise own = noise_of(question->columns, step, question->piece),
                       beside = noise_of(question->columns, step, other);
    const size_t target = (is_target ? question->piece : other)->offset,
                 actual = (is_target ? other : question->piece)->offset;
    const struct noise *measured = is_target ? &beside : &own, *aimed = is_target ? &own : &beside;
    if (is_noisy(measured) && measured->most > NOISIER * aimed->most)
        return (struct inference_side){NULL, true, "", 0};
    if (is_noisy(aimed) && aimed->most > NOISIER * measured->most)
        return (struct inference_side){name_of(question, other), false,
                                       is_target ? "it is noisier" : "it is less noisy", 0};
    if (leads(question->columns, target, actual))
        return (struct inference_side){name_of(question, other), true, is_target ? "it leads" : "it follows", 0};
    if (leads(question->columns, actual, target))
        return (struct inference_side){name_of(question, other), false, is_target ? "it follows" : "it leads", 0};
    if (question->tiling->order[ORDER_GUIDE] > IN_ORDER && target < actual)
        return (struct inference_side){NULL, true, "", 0};
    return (struct inference_side){name_of(question, other), false, "neither noise nor lag tells which", 0};
}

static enum inference_rest rest_of(const struct question *question, const struct tiling_piece *piece)
{
    return armtap_inference_rest_of(question->relations, &question->tiling->field[piece->field], piece->offset);
}

/* Measured ones are 0 at rest on some arms. */
static bool is_speed(const struct question *question)
{
    const enum inference_group group = question->tiling->field[question->piece->field].group;
    return group == GROUP_SPEEDS || group == GROUP_TOOL_SPEEDS || group == GROUP_TOOL_ACCELERATIONS;
}

struct inference_side armtap_inference_side_of(const struct inference_columns *columns,
                                               const struct inference_relations *relations,
                                               const struct inference_tiling *tiling, const struct tiling_piece *piece,
                                               double enough)
{
    const char *name = tiling->field[piece->field].name;
    const struct question question = {columns, relations, tiling, piece, pair_of(name), enough};
    if (!question.pair)
        return (struct inference_side){NULL, true, "", 0};
    const bool is_target = strcmp(name, question.pair->target) == 0;
    const char *other = is_target ? question.pair->actual : question.pair->target;
    const struct tiling_piece *twin = find(&question, other);
    const enum inference_rest rest = rest_of(&question, piece),
                              of_twin = twin ? rest_of(&question, twin) : REST_UNKNOWN;
    if (rest == REST_TREMBLES || (rest == REST_HELD && (!is_speed(&question) || of_twin == REST_TREMBLES)))
        return (struct inference_side){
            other, is_target == (rest == REST_HELD),
            rest == REST_HELD ? "it holds while the arm rests" : "it trembles while the arm rests", 0};
    if (twin)
        return side_of_two(&question, twin, is_target);
    const struct noise noise = noise_of(columns, relations->step, piece);
    if (is_noisy(&noise))
        return (struct inference_side){other, !is_target, is_target ? "it has noise" : "it has a sensor's noise",
                                       LED_BY_HAND};
    if (has_none_beside(&question, &noise))
        return (struct inference_side){other, is_target,
                                       is_target ? "it lacks the noise of what was measured" : "it has no noise", 0};
    return (struct inference_side){other, false, "no noise tells which", 0};
}
