#include "evidence/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns that vary, at most: all doubles of a package, and as many again by chance. */
#define VARYING_MAX 1024
/* Below this share of repetitions a column changes with every package, above the other hardly ever. */
#define ALWAYS 0.04
#define RARELY 0.96
/* Pace below which a column moves, and above which it is noise. */
#define FLOWS 0.02
#define FLICKERS 0.4
/* Growth above which a column goes on as it went, as whatever has mass does. */
#define MOTION 2.7
#define SWEEP 4u
/* Grain below which a curve is smooth, and above which noise hides it. */
#define SMOOTH 0.25
#define ROUGH 0.9
/* Bends below this share of the values are errors of rounding: the curve is straight there. */
#define STRAIGHT 1e-11
/* One value of so many may be damaged; it is as many times farther away than all others. */
#define OUTLIERS 64u
#define FAR_BEYOND 20
/* A value this many times its hundredth part and its next step does not come out of 0. */
#define JUMP 10
/* Packages behind zeros that are missing values, at least. */
#define REST 16u
/* Bits up to which a value is one that a program may choose. */
#define SIMPLE 24
/* Parts of a unit to which recorded values are rounded, the finest. */
#define HELD 1e9
/* Bits that tell how many upper ones are those of the value before. */
#define PREFIX 1.5
/* And that they are none of these, above those of the bytes themselves. */
#define ANY_BYTES 3
#define FLOAT_TAIL ((UINT64_C(1) << 29) - 1)
#define SHORT_TAIL ((UINT64_C(1) << 36) - 1)

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t armtap_inference_integer(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

bool armtap_inference_is_no_number(uint64_t bits)
{
    return (bits & (UINT64_C(0x7ff0000000000000) | ((UINT64_C(1) << 51) - 1))) == UINT64_C(0x7ff0000000000000);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Bits that a code made for measured values takes for a double: its exponent, and the digits up to its last one. */
static double cost_of_double(uint64_t bits)
{
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    unsigned tail = 0;
    if (bits << 1 == 0)
        return bits == 0 ? 2 : 6;
    while (tail < 52 && !(mantissa >> tail & 1))
        tail++;
    double digits = tail > 8 ? 52 - tail + 4 : 52.5;
    double size = exponent >= -16 && exponent <= 14   ? 5.5
                  : exponent >= -50 && exponent <= 34 ? 8.5
                  : exponent >= -80 && exponent <= 50 ? 12
                                                      : 34;
    return size + digits;
}

static double cost_of_integer(uint64_t value, unsigned bits)
{
    return value == 0         ? 2
           : value < 4        ? 4.5
           : value < 16       ? 7
           : value < 256      ? 10
           : value < 65536    ? 19
           : value < 1u << 24 ? 28
           : value >> 32 == 0 ? bits + 2.0 - (bits == 64 ? 24 : 0)
           : value >> 48 == 0 ? 58
                              : bits + 3.0;
}

/* Of a double behind another: measured values go on where they were, so that their upper bits hardly change, and the
 * digits behind them do. Counts of an encoder plus an offset have lowest bits that never change, either. */
static double cost_behind(uint64_t bits, uint64_t before)
{
    const uint64_t apart = (bits ^ before) & ~(UINT64_C(1) << 63);
    double alone = cost_of_double(bits) + 1;
    unsigned same = 1, tail = 0, bytes = 0;
    for (unsigned i = 0; i < 8; i++)
        bytes += (bits ^ before) >> 8 * i & 0xff ? 1 : 0;
    while (same < 64 && !(apart >> (63 - same) & 1))
        same++;
    while (tail < 52 && (!(bits >> tail & 1) || !(apart >> tail & 1)))
        tail++;
    if (bits << 1 == 0)
        return alone;
    double digits = same + tail < 64 ? 64 - same - tail : 0;
    return fmin(fmin(alone, PREFIX + digits), 8 * bytes + ANY_BYTES);
}

double armtap_inference_step_cost(uint64_t value, uint64_t before)
{
    uint64_t step = value > before ? value - before : before - value;
    return 2 * log2((double)step + 1) + 4;
}

static double cost_of(enum column_gain type, uint64_t value)
{
    switch (type) {
    case GAIN_DOUBLE:
        return cost_of_double(value);
    case GAIN_INT32:
        return value >> 31 ? cost_of_integer(~value & 0xffffffff, 32) + 2 : cost_of_integer(value, 32);
    case GAIN_UINT32:
        return cost_of_integer(value, 32);
    case GAIN_UINT64:
        return cost_of_integer(value, 64);
    default:
        return value == 0 ? 2 : value == 1 ? 2.5 : 70;
    }
}

static const unsigned sizes[GAINS] = {8, 4, 4, 8, 1};

/* Of a value behind another. */
static double cost_of_change(enum column_gain type, uint64_t value, uint64_t before)
{
    if (type == GAIN_DOUBLE)
        return cost_behind(value, before);
    return fmin(cost_of(type, value) + 1, type == GAIN_BYTE ? 99 : armtap_inference_step_cost(value, before));
}

double armtap_inference_return_cost(struct inference_past *past, uint64_t value, double alone)
{
    unsigned i = 0;
    if (alone > SIMPLE)
        return INFINITY;
    while (i < past->count && past->values[i] != value)
        i++;
    if (i < past->count)
        return 1 + log2(past->count);
    past->values[past->count++] = value;
    return INFINITY;
}

/* A value that repeats the one before is free; so are bytes that do. One that was there earlier is cheap: a program's
 * states come again. */
static float saving_of(const struct inference_columns *columns, enum column_gain type, size_t offset)
{
    const unsigned size = sizes[type];
    struct inference_past past = {.count = 0};
    double cost = 0;
    uint64_t before = 0;
    for (unsigned i = 0; i < COLUMNS_JUDGED; i++) {
        unsigned row = armtap_inference_judged(columns->sample, i);
        uint64_t value = armtap_inference_integer(armtap_inference_bytes(columns, row, offset), size);
        if (i > 0 && value == before)
            continue;
        double alone = cost_of(type, value), again = armtap_inference_return_cost(&past, value, alone);
        cost += i == 0 ? alone : fmin(again, cost_of_change(type, value, before));
        before = value;
    }
    return columns->plain[offset + size] - columns->plain[offset] - (float)cost;
}

static void count_plain(struct inference_columns *columns)
{
    for (size_t offset = 0; offset < columns->length; offset++) {
        float bits = 8;
        for (unsigned i = 1; i < COLUMNS_JUDGED; i++)
            bits += *armtap_inference_bytes(columns, armtap_inference_judged(columns->sample, i), offset) !=
                            *armtap_inference_bytes(columns, armtap_inference_judged(columns->sample, i - 1), offset)
                        ? 8
                        : 0;
        columns->plain[offset + 1] = columns->plain[offset] + bits;
    }
}

/* ---- doubles ----------------------------------------------------------------------------------------------------- */

/* The speeds of an arm that comes to rest decay to the smallest numbers of single precision. */
static bool is_plausible(double value)
{
    double size = fabs(value);
    return value == 0 || (size > 1e-100 && size < 1e12);
}

/* What whole numbers look like, and nothing that is measured. */
static bool is_impossible(double value)
{
    return !isfinite(value) || (value != 0 && fabs(value) < 1e-300);
}

enum column_gain armtap_inference_gain_of(enum armtap_type type)
{
    return type == ARMTAP_DOUBLE   ? GAIN_DOUBLE
           : type == ARMTAP_INT32  ? GAIN_INT32
           : type == ARMTAP_UINT32 ? GAIN_UINT32
           : type == ARMTAP_UINT64 ? GAIN_UINT64
                                   : GAIN_BYTE;
}

int armtap_inference_by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double median_of(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, armtap_inference_by_size);
    return count > 0 ? values[count / 2] : 0;
}

/* Reads the values and marks those that are missing; false if the bytes are no doubles. */
static bool read_doubles(const struct inference_view *sample, size_t offset, double *values, bool *missing,
                         uint64_t *tails)
{
    unsigned absurd = 0, no_numbers = 0;
    *tails = 0;
    for (unsigned row = 0; row < sample->count; row++) {
        uint64_t bits = armtap_inference_integer(armtap_inference_row(sample, row) + offset, 8);
        double value = values[row] = double_of(bits);
        bool no_number = armtap_inference_is_no_number(bits);
        missing[row] = no_number || !is_plausible(value);
        if (no_number ? ++no_numbers > sample->count / 2
                      : is_impossible(value) || (missing[row] && ++absurd > sample->count / OUTLIERS))
            return false;
        *tails |= missing[row] ? 0 : bits;
    }
    return true;
}

/* Marks a few values that are far beyond all others, as of a damaged package. */
static void mark_outliers(const struct inference_view *sample, const double *values, bool *missing, double *sorted)
{
    double squares = 0, most = 0;
    unsigned count = 0;
    for (unsigned row = 0; row < sample->count; row++) {
        if (missing[row])
            continue;
        sorted[count++] = values[row];
        squares += values[row] * values[row];
        most = fmax(most, values[row] * values[row]);
    }
    if (count < 2 * OUTLIERS || most * 2 * OUTLIERS < squares)
        return;
    double middle = median_of(sorted, count);
    for (unsigned i = 0; i < count; i++)
        sorted[i] = fabs(sorted[i] - middle);
    qsort(sorted, count, sizeof *sorted, armtap_inference_by_size);
    double far = FAR_BEYOND * sorted[count - 1 - count / OUTLIERS];
    for (unsigned row = 0; row < sample->count && far > 0; row++)
        missing[row] = missing[row] || fabs(values[row] - middle) > far;
}

/* Zeros at the beginning are missing values if what follows changes, is never 0 again, and does not come out of 0: of
 * joints before the arm was switched on. Speeds rise from 0. */
static void mark_switched_off(const struct inference_view *sample, const double *values, bool *missing)
{
    double most = 0;
    unsigned off = 0, same = 0;
    while (off < sample->count && values[off] == 0)
        off++;
    if (off == 0 || off + REST > sample->count)
        return;
    for (unsigned row = off; row < sample->count; row++) {
        if (values[row] == 0)
            return;
        most = fmax(most, missing[row] ? 0 : fabs(values[row]));
        same += row > off && values[row] == values[row - 1];
    }
    bool jumps = fabs(values[off]) > JUMP * fmax(most / 100, fabs(values[off + 1] - values[off]));
    for (unsigned row = 0; row < off && jumps && same < (sample->count - off) / 2; row++)
        missing[row] = true;
}

/* In the place of what is missing: what lies between its neighbours in the run, or one of them, or the last value. */
static void fill_in(const struct inference_view *sample, double *values, const bool *missing)
{
    double last = 0;
    for (unsigned row = 0; row < sample->count; row++) {
        unsigned next = row, begin = row;
        while (next < sample->count && missing[next])
            next++;
        for (; row < next; row++) {
            bool after = next < sample->count && (begin == 0 || sample->begin[next] == sample->begin[row]);
            bool before = begin > 0 && (!after || begin - 1 >= sample->begin[row]);
            double way = (double)(row + 1 - begin) / (next + 1 - begin);
            values[row] = after && before ? last + (values[next] - last) * way : after ? values[next] : last;
        }
        if (row < sample->count)
            last = values[row];
    }
}

/* To nine decimals or fewer: so many of a larger number are all that a double has. */
static bool is_rounded(double value)
{
    const double parts = value * HELD;
    return fabs(value) < 1e5 && fabs(parts - floor(parts + 0.5)) <= 1e-15 * fabs(parts) + 1e-9;
}

/* False if the bytes are no doubles. */
static bool read_values(const struct inference_columns *columns, size_t offset, double *values, double *sorted,
                        struct column *column)
{
    const struct inference_view *sample = columns->sample;
    bool missing[EVIDENCE_ROWS], is_held = true;
    uint64_t tails, before = 0;
    unsigned still = 0, followed = 0;
    if (!read_doubles(sample, offset, values, missing, &tails))
        return false;
    mark_outliers(sample, values, missing, sorted);
    mark_switched_off(sample, values, missing);
    fill_in(sample, values, missing);
    *column = (struct column){.offset = offset, .least = INFINITY, .most = -INFINITY, .rises = true};
    for (unsigned row = 0; row < sample->count; row++) {
        uint64_t bits = armtap_inference_integer(armtap_inference_bytes(columns, row, offset), 8);
        double value = values[row];
        bool follows = row > 0 && armtap_inference_goes_on(sample, row - 1) && !missing[row] && !missing[row - 1];
        followed += follows;
        still += follows && bits == before;
        column->rises = column->rises && (row == 0 || value >= values[row - 1]);
        before = bits;
        is_held = is_held && (missing[row] || is_rounded(value));
        column->least = fmin(column->least, value);
        column->most = fmax(column->most, value);
        column->mean += value / sample->count;
    }
    column->still = followed > 0 ? (double)still / followed : 1;
    column->digits = !(tails & SHORT_TAIL)   ? DIGITS_SHORT
                     : !(tails & FLOAT_TAIL) ? DIGITS_FLOAT
                     : is_held               ? DIGITS_HELD
                                             : DIGITS_FULL;
    column->change = column->least == column->most ? CHANGE_NEVER
                     : column->still > RARELY      ? CHANGE_RARELY
                     : column->still > ALWAYS      ? CHANGE_OFTEN
                                                   : CHANGE_ALWAYS;
    return true;
}

/* How differences grow with their distance. */
static double growth_of(const struct inference_view *sample, const double *values)
{
    double near = 0, far = 0;
    for (unsigned row = 2 * SWEEP; row < sample->count; row++) {
        const double *at = &values[row];
        if (armtap_inference_before(sample, row) < 2 * SWEEP)
            continue;
        near += (at[0] - *(at - SWEEP)) * (at[0] - *(at - SWEEP));
        far += (at[0] - *(at - 2 * SWEEP)) * (at[0] - *(at - 2 * SWEEP));
    }
    return near > 0 ? far / near : 1;
}

static double pace_of(const struct inference_view *sample, const double *values, double spread)
{
    double steps = 0;
    unsigned followed = 0;
    for (unsigned row = 0; row + 1 < sample->count; row++)
        if (armtap_inference_goes_on(sample, row)) {
            steps += (values[row + 1] - values[row]) * (values[row + 1] - values[row]);
            followed++;
        }
    return followed > 0 && spread > 0 ? steps / followed / (2 * spread * spread) : 1;
}

/* Third differences against second ones, by their medians, where the values change. Unlike sums of squares, medians do
 * not see the corners of a move, so that this tells noise from the smoothest of curves. */
static double grain_of(const struct inference_view *sample, const double *values, double size, double *scratch)
{
    double *second = scratch, *third = scratch + EVIDENCE_ROWS;
    unsigned count = 0;
    for (unsigned row = 3; row < sample->count; row++) {
        const double *at = &values[row];
        if (armtap_inference_before(sample, row) < 3 || at[0] == at[-1])
            continue;
        double bend = at[0] - 2 * at[-1] + at[-2], before = at[-1] - 2 * at[-2] + at[-3];
        second[count] = fabs(bend);
        third[count++] = fabs(bend - before);
    }
    double bends = median_of(second, count), twists = median_of(third, count);
    return bends > STRAIGHT * size ? twists / bends : 0;
}

static void describe_curve(const struct inference_columns *columns, const double *values, double *sorted,
                           struct column *column)
{
    const struct inference_view *sample = columns->sample;
    for (unsigned row = 0; row < sample->count; row++)
        column->spread += (values[row] - column->mean) * (values[row] - column->mean) / sample->count;
    column->spread = sqrt(column->spread);
    column->growth = growth_of(sample, values);
    column->grain = grain_of(sample, values, fmax(fabs(column->least), fabs(column->most)), sorted);
    column->curve = column->grain < SMOOTH ? CURVE_SMOOTH : column->grain < ROUGH ? CURVE_MIXED : CURVE_ROUGH;
    column->pace = pace_of(sample, values, column->spread);
    column->paces = column->pace >= FLICKERS  ? PACE_FLICKERS
                    : column->pace >= FLOWS   ? PACE_DRIFTS
                    : column->growth > MOTION ? PACE_FLOWS
                                              : PACE_SWAYS;
    memcpy(sorted, values, sample->count * sizeof *sorted);
    qsort(sorted, sample->count, sizeof *sorted, armtap_inference_by_size);
    column->centre = sorted[sample->count / 2];
}

static int add_column(struct inference_columns *columns, const struct column *column, const double *values,
                      size_t *varying)
{
    struct column *added = &columns->columns[columns->count];
    *added = *column;
    if (column->change != CHANGE_NEVER) {
        if (*varying >= VARYING_MAX)
            return ARMTAP_OK;
        added->values = malloc(columns->sample->count * sizeof *values);
        if (!added->values)
            return ARMTAP_ERR_MEMORY;
        memcpy(added->values, values, columns->sample->count * sizeof *values);
        ++*varying;
    }
    columns->at[column->offset] = (int)columns->count++;
    return ARMTAP_OK;
}

static int read_columns(struct inference_columns *columns, double *values, double *sorted)
{
    size_t varying = 0;
    int error = ARMTAP_OK;
    for (size_t offset = 0; offset + 8 <= columns->length && error == ARMTAP_OK; offset++) {
        struct column column;
        if ((columns->wanted && !columns->wanted[offset]) || !read_values(columns, offset, values, sorted, &column))
            continue;
        if (column.change != CHANGE_NEVER)
            describe_curve(columns, values, sorted, &column);
        error = add_column(columns, &column, values, &varying);
    }
    return error;
}

static int make_room(struct inference_columns *columns)
{
    columns->columns = calloc(columns->length + 1, sizeof *columns->columns);
    columns->at = malloc((columns->length + 1) * sizeof *columns->at);
    columns->plain = calloc(columns->length + 1, sizeof *columns->plain);
    bool done = columns->columns && columns->at && columns->plain;
    for (unsigned type = 0; type < GAINS; type++) {
        columns->gain[type] = calloc(columns->length + 1, sizeof(float));
        done = done && columns->gain[type];
    }
    return done ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
}

int armtap_inference_columns_read(struct inference_columns *columns, const struct inference_view *sample,
                                  const uint8_t *wanted)
{
    *columns = (struct inference_columns){.sample = sample, .wanted = wanted, .length = sample->length};
    int error = make_room(columns);
    double *values = malloc(3 * EVIDENCE_ROWS * sizeof *values);
    if (error == ARMTAP_OK && values) {
        for (size_t offset = 0; offset <= columns->length; offset++)
            columns->at[offset] = -1;
        count_plain(columns);
        for (unsigned type = 0; type < GAINS; type++)
            for (size_t offset = 0; offset + sizes[type] <= columns->length; offset++)
                if (!wanted || wanted[offset])
                    columns->gain[type][offset] = saving_of(columns, (enum column_gain)type, offset);
        error = read_columns(columns, values, values + EVIDENCE_ROWS);
    }
    bool got_room = values != NULL;
    free(values);
    return got_room ? error : ARMTAP_ERR_MEMORY;
}

void armtap_inference_columns_clear(struct inference_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        free(columns->columns[i].values);
    for (unsigned type = 0; type < GAINS; type++)
        free(columns->gain[type]);
    free(columns->columns);
    free(columns->at);
    free(columns->plain);
    *columns = (struct inference_columns){.sample = NULL};
}
