#include "evidence/evidence.h"

#include <math.h>
#include <stdlib.h>

#define VECTOR 6u
#define COLUMNS_MAX 400u
#define BLOCKS_MAX INFERENCE_VECTORS_MAX
/* Correlation of a derivative with the differences that it stands for. */
#define FOLLOWS 0.93
/* And where the derivative is measured with noise. */
#define FOLLOWS_IN_NOISE 0.5
#define TWIN 0.985
#define PROPORTIONAL 0.9
/* Correlations of currents of one joint; of a torque with a current under load; of a current with a speed. */
#define TOGETHER 0.85
#define BEARS 0.7
#define RUBS 0.5
/* Packages of some seconds of motion. */
#define SECONDS 512u
/* The controller's cycles are whole milliseconds. */
#define CYCLE 0.001

/* A vector of six doubles, some of which move. */
struct block {
    size_t offset;
    int column[VECTOR]; /* in `moving`; -1: never changes */
    bool zero[VECTOR];
    unsigned moves;
    float kind, linear; /* of its own noise, and of that of its first three elements */
    int twin, speed;    /* other blocks that belong to it; -1: none */
};

struct search {
    const struct inference_columns *columns;
    struct inference_relations *relations;
    const struct column *moving[COLUMNS_MAX];
    unsigned count;
    int *number;                    /* by number of a column: that in `moving`; -1: none */
    double *slope[COLUMNS_MAX];     /* by row: half the difference between the packages before and after */
    double slope_norm[COLUMNS_MAX]; /* of those and of the values, over rows that have both neighbours */
    double norm[COLUMNS_MAX];
    float *follow, *scale, *alike, *ratio; /* by pairs of moving columns */
    struct block block[BLOCKS_MAX];
    unsigned blocks;
    uint8_t inner[EVIDENCE_ROWS];
    unsigned inner_count;
};

/* ---- the clock --------------------------------------------------------------------------------------------------- */

static double step_of(const struct inference_view *sample, const double *values)
{
    double least = INFINITY;
    for (unsigned row = 0; row + 1 < sample->count; row++)
        if (armtap_inference_goes_on(sample, row))
            least = fmin(least, values[row + 1] - values[row]);
    return least;
}

static bool keeps_time(const struct inference_view *sample, const struct column *column, double *step)
{
    unsigned on_time = 0, steps = 0;
    *step = step_of(sample, column->values);
    if (!column->rises || !(*step >= CYCLE * 0.999) || *step > 60 || column->least < 0)
        return false;
    for (unsigned row = 0; row + 1 < sample->count; row++) {
        if (!armtap_inference_goes_on(sample, row))
            continue;
        double cycles = (column->values[row + 1] - column->values[row]) / CYCLE;
        steps++;
        on_time += fabs(cycles - floor(cycles + 0.5)) < 0.01 && cycles < 1.5 * *step / CYCLE;
    }
    return steps > 0 && on_time >= steps * 0.9;
}

static void find_clock(struct search *search)
{
    struct inference_relations *relations = search->relations;
    relations->clock = SIZE_MAX;
    for (size_t i = 0; i < search->columns->count && relations->clock == SIZE_MAX; i++) {
        const struct column *column = &search->columns->columns[i];
        double step;
        if (column->values && column->change == CHANGE_ALWAYS && keeps_time(search->columns->sample, column, &step)) {
            relations->clock = column->offset;
            relations->step = step;
        }
    }
}

/* ---- pairs of columns -------------------------------------------------------------------------------------------- */

/* Whether no package is missing between this one and the next, as far as the clock tells. */
static bool is_next(const struct search *search, unsigned row)
{
    const struct inference_relations *relations = search->relations;
    const struct column *clock =
        relations->clock == SIZE_MAX ? NULL : armtap_inference_column(search->columns, relations->clock);
    return armtap_inference_goes_on(search->columns->sample, row) &&
           (!clock || fabs(clock->values[row + 1] - clock->values[row] - relations->step) < relations->step / 2);
}

static void gather(struct search *search)
{
    const struct inference_view *sample = search->columns->sample;
    for (size_t i = 0; i < search->columns->count; i++) {
        const struct column *column = &search->columns->columns[i];
        search->number[i] = -1;
        if (column->values && column->change >= CHANGE_OFTEN && column->offset != search->relations->clock &&
            search->count < COLUMNS_MAX) {
            search->number[i] = (int)search->count;
            search->moving[search->count++] = column;
        }
    }
    for (unsigned row = 1; row + 1 < sample->count; row++) {
        search->inner[row] = is_next(search, row - 1) && is_next(search, row);
        search->inner_count += search->inner[row];
    }
}

static int take_slopes(struct search *search)
{
    unsigned rows = search->columns->sample->count;
    for (unsigned i = 0; i < search->count; i++) {
        const double *values = search->moving[i]->values;
        double *slope = search->slope[i] = calloc(rows, sizeof *slope);
        if (!slope)
            return ARMTAP_ERR_MEMORY;
        for (unsigned row = 1; row + 1 < rows; row++) {
            if (!search->inner[row])
                continue;
            slope[row] = (values[row + 1] - values[row - 1]) / 2;
            search->slope_norm[i] += slope[row] * slope[row];
            search->norm[i] += values[row] * values[row];
        }
    }
    return ARMTAP_OK;
}

/* How well the second column is the first one's derivative, and how well both are alike up to a factor. */
static void relate(struct search *search, unsigned a, unsigned b)
{
    const double *slope = search->slope[a], *x = search->moving[a]->values, *y = search->moving[b]->values;
    const double mean_x = search->moving[a]->mean, mean_y = search->moving[b]->mean;
    const unsigned rows = search->columns->sample->count;
    double follow = 0, both = 0;
    for (unsigned row = 0; row < rows; row++) {
        follow += slope[row] * y[row];
        both += (x[row] - mean_x) * (y[row] - mean_y);
    }
    size_t pair = (size_t)a * search->count + b;
    double norms = sqrt(search->slope_norm[a] * search->norm[b]);
    double spreads = search->moving[a]->spread * search->moving[b]->spread * rows;
    search->follow[pair] = norms > 0 ? (float)(follow / norms) : 0;
    search->scale[pair] = search->norm[b] > 0 ? (float)(follow / search->norm[b]) : 0;
    search->alike[pair] = spreads > 0 ? (float)(both / spreads) : 0;
    search->ratio[pair] =
        spreads > 0 ? (float)(both / rows / (search->moving[b]->spread * search->moving[b]->spread)) : 0;
}

/* Of known vectors, only elements of the same number belong together. */
static bool may_relate(const struct inference_columns *columns, const struct column *a, const struct column *b)
{
    return !columns->wanted || columns->wanted[a->offset] == columns->wanted[b->offset];
}

static int relate_all(struct search *search)
{
    size_t pairs = (size_t)search->count * search->count + 1;
    search->follow = calloc(4 * pairs, sizeof *search->follow);
    int error = search->follow ? take_slopes(search) : ARMTAP_ERR_MEMORY;
    if (error != ARMTAP_OK)
        return error;
    search->scale = search->follow + pairs;
    search->alike = search->scale + pairs;
    search->ratio = search->alike + pairs;
    for (unsigned a = 0; a < search->count; a++)
        for (unsigned b = 0; b < search->count; b++)
            if (a != b && may_relate(search->columns, search->moving[a], search->moving[b]))
                relate(search, a, b);
    return ARMTAP_OK;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Without a clock: the step that most derivatives have in common. */
static int find_step(struct search *search)
{
    size_t pairs = (size_t)search->count * search->count, found = 0;
    if (search->relations->step > 0)
        return ARMTAP_OK;
    float *steps = malloc((pairs + 1) * sizeof *steps);
    if (!steps)
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < pairs; i++)
        if (search->follow[i] > 0.98f && search->scale[i] > 0.0018f && search->scale[i] < 0.3f)
            steps[found++] = search->scale[i];
    if (found >= 3) {
        qsort(steps, found, sizeof *steps, by_value);
        search->relations->step = (double)steps[found / 2];
    }
    free(steps);
    return ARMTAP_OK;
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static int moving_at(const struct search *search, size_t offset)
{
    const struct column *column = armtap_inference_column(search->columns, offset);
    return column ? search->number[column - search->columns->columns] : -1;
}

/* What one column's digits and noise say: targets are computed, so that they are no floats and have no noise. That of
 * what was measured may be less than the motion shows. */
static float kind_of(const struct column *column)
{
    float kind = column->digits == DIGITS_FULL || column->digits == DIGITS_HELD ? 0 : -3;
    if (column->curve == CURVE_ROUGH)
        kind -= 2;
    else if (column->curve == CURVE_SMOOTH && column->digits == DIGITS_FULL)
        kind += 2.5f;
    return kind;
}

static bool read_block(const struct search *search, size_t offset, struct block *block)
{
    const uint8_t *wanted = search->columns->wanted;
    *block = (struct block){.offset = offset, .twin = -1, .speed = -1};
    if (wanted && (wanted[offset] != 1 || wanted[offset + 8 * (VECTOR - 1)] != VECTOR))
        return false;
    for (unsigned i = 0; i < VECTOR; i++) {
        const struct column *column = armtap_inference_column(search->columns, offset + 8 * i);
        if (!column)
            return false;
        block->column[i] = column->values ? moving_at(search, column->offset) : -1;
        block->zero[i] = column->least == 0 && column->most == 0;
        block->moves += block->column[i] >= 0;
        if (block->column[i] >= 0)
            block->kind += kind_of(column);
        block->linear = i < 3 ? block->kind : block->linear;
    }
    if (block->moves > 3)
        block->kind *= 3 / (float)block->moves;
    return block->moves >= 2;
}

static void find_blocks(struct search *search)
{
    struct inference_relations *relations = search->relations;
    for (size_t offset = 0; offset + 8 * VECTOR <= search->columns->length && search->blocks < BLOCKS_MAX; offset++)
        if (read_block(search, offset, &search->block[search->blocks])) {
            relations->block[offset] = (int)search->blocks;
            relations->vector[search->blocks] = offset;
            relations->joints[search->blocks++] = -1;
        }
    relations->vectors = search->blocks;
}

static bool overlap(const struct block *a, const struct block *b)
{
    return a->offset < b->offset + 8 * VECTOR && b->offset < a->offset + 8 * VECTOR;
}

/* Whether element i of b is the derivative of that of a; *doubt grows by what is left. */
static bool element_follows(const struct search *search, const struct block *a, const struct block *b, unsigned i,
                            double *doubt)
{
    int x = a->column[i], y = b->column[i];
    if (x < 0 || y < 0)
        return x < 0 && b->zero[i];
    size_t pair = (size_t)x * search->count + (size_t)y;
    double follow = (double)search->follow[pair], step = (double)search->scale[pair];
    *doubt += 1 - follow * follow;
    if (follow > FOLLOWS)
        return fabs(step / search->relations->step - 1) < 0.15;
    /* Noise of the speed hides it, but not how much of the slope is in it. */
    const double slope = sqrt(search->slope_norm[x] / search->norm[y]) / follow;
    return search->moving[y]->curve == CURVE_ROUGH && follow > FOLLOWS_IN_NOISE &&
           fabs(slope / search->relations->step - 1) < 0.1;
}

struct match {
    unsigned linear, all; /* how many of the first three and of all elements follow */
    unsigned moved;       /* of those, how many move */
    double doubt;
};

static struct match match_of(const struct search *search, const struct block *a, const struct block *b)
{
    struct match match = {.linear = 0};
    for (unsigned i = 0; i < VECTOR; i++) {
        double doubt = 0;
        bool follows = element_follows(search, a, b, i, &doubt);
        match.linear += follows && i < 3;
        match.all += follows;
        match.moved += follows && a->column[i] >= 0 && b->column[i] >= 0;
        match.doubt += i < 3 || follows ? doubt : 0;
    }
    return match;
}

static void add_role(struct inference_relations *relations, size_t offset, enum inference_role role)
{
    relations->roles[offset] = (uint16_t)(relations->roles[offset] | role);
    relations->moved = relations->moved || (role != ROLE_TWIN && role != ROLE_PLACE_TWIN);
}

static void add_bonds(struct inference_relations *relations, unsigned from, unsigned to, unsigned bonds)
{
    size_t pair = (size_t)from * BLOCKS_MAX + to;
    relations->bonds[pair] = (uint16_t)(relations->bonds[pair] | bonds);
}

void armtap_inference_add_pose(struct inference_relations *relations, unsigned joints, unsigned pose)
{
    add_role(relations, relations->vector[joints], ROLE_JOINTS);
    add_role(relations, relations->vector[pose], ROLE_POSE);
    add_bonds(relations, joints, pose, BOND_POSE);
}

static void find_speeds(struct search *search)
{
    for (unsigned a = 0; a < search->blocks; a++) {
        double least = INFINITY;
        for (unsigned b = 0; b < search->blocks && search->relations->step > 0; b++) {
            struct block *one = &search->block[a], *other = &search->block[b];
            if (a == b || overlap(one, other))
                continue;
            struct match match = match_of(search, one, other);
            bool all = match.all == VECTOR && match.moved >= 2;
            bool linear = !all && match.linear == 3 && match.moved >= 2 && match.all < VECTOR - 1;
            if (!all && !linear)
                continue;
            add_role(search->relations, one->offset, all ? ROLE_HAS_SPEED : ROLE_HAS_LINEAR_SPEED);
            add_role(search->relations, other->offset, all ? ROLE_IS_SPEED : ROLE_IS_LINEAR_SPEED);
            if (match.doubt < least) {
                least = match.doubt;
                one->speed = (int)b;
            }
        }
    }
}

struct likeness {
    double alike, ratio; /* correlation; how much of the second one is in the first */
};

static struct likeness likeness_of(const struct search *search, const struct block *a, const struct block *b,
                                   unsigned element)
{
    int x = a->column[element], y = b->column[element];
    if (x < 0 || y < 0)
        return (struct likeness){0, 0};
    size_t pair = (size_t)x * search->count + (size_t)y;
    return (struct likeness){(double)search->alike[pair], (double)search->ratio[pair]};
}

static bool are_twins(const struct search *search, const struct block *a, const struct block *b)
{
    unsigned alike = 0;
    for (unsigned i = 0; i < VECTOR; i++) {
        int x = a->column[i], y = b->column[i];
        if (x < 0 || y < 0)
            continue;
        size_t pair = (size_t)x * search->count + (size_t)y;
        const struct column *one = search->moving[x], *other = search->moving[y];
        if (search->alike[pair] < (float)TWIN || fabs((double)search->ratio[pair] - 1) > 0.1 ||
            fabs(one->mean - other->mean) > 0.2 * one->spread)
            return false;
        alike++;
    }
    return alike >= 2 && alike + 1 >= a->moves && alike + 1 >= b->moves;
}

static bool are_place_twins(const struct search *search, const struct block *a, const struct block *b)
{
    for (unsigned i = 0; i < 3; i++) {
        struct likeness likeness = likeness_of(search, a, b, i);
        if (likeness.alike <= TWIN || fabs(likeness.ratio - 1) >= 0.1)
            return false;
    }
    return true;
}

static void find_twins(struct search *search)
{
    for (unsigned a = 0; a < search->blocks; a++)
        for (unsigned b = 0; b < search->blocks; b++)
            if (a != b && !overlap(&search->block[a], &search->block[b]) &&
                are_twins(search, &search->block[a], &search->block[b])) {
                add_role(search->relations, search->block[a].offset, ROLE_TWIN);
                if (search->block[a].twin < 0)
                    search->block[a].twin = (int)b;
            } else if (a != b && !overlap(&search->block[a], &search->block[b]) &&
                       are_place_twins(search, &search->block[a], &search->block[b])) {
                add_role(search->relations, search->block[a].offset, ROLE_PLACE_TWIN);
            }
}

/* A motor's constant is some Nm/A at the joint, for each joint another. */
static void find_moments(struct search *search)
{
    for (unsigned a = 0; a < search->blocks; a++)
        for (unsigned b = 0; b < search->blocks; b++) {
            unsigned alike = 0, apart = 0;
            const struct block *one = &search->block[a], *other = &search->block[b];
            for (unsigned i = 0; i < VECTOR && !overlap(one, other); i++) {
                int x = one->column[i], y = other->column[i];
                size_t pair = x < 0 || y < 0 ? 0 : (size_t)x * search->count + (size_t)y;
                bool fits = x >= 0 && y >= 0 && search->alike[pair] > (float)PROPORTIONAL && search->ratio[pair] > 4 &&
                            search->ratio[pair] < 40;
                alike += fits && i < 4;
                apart += !fits && i < 3;
            }
            if (alike >= 3 && apart == 0) {
                add_role(search->relations, one->offset, ROLE_MOMENT);
                add_role(search->relations, other->offset, ROLE_CURRENT);
            }
        }
}

static void find_joint_speeds(struct search *search)
{
    for (unsigned a = 0; a < search->blocks; a++)
        for (unsigned b = 0; b < search->blocks; b++) {
            const struct block *joints = &search->block[a], *speed = &search->block[b];
            const uint16_t *roles = search->relations->roles;
            if (!(roles[joints->offset] & ROLE_JOINTS) || !(roles[speed->offset] & ROLE_IS_SPEED))
                continue;
            struct match match = match_of(search, joints, speed);
            if (match.all == VECTOR && match.moved >= 2)
                add_role(search->relations, speed->offset, ROLE_IS_JOINT_SPEED);
        }
}

/* Of what is derived from neither joints, nor poses, nor the speeds of those. */
static void find_strange_speeds(struct search *search)
{
    const unsigned known =
        ROLE_JOINTS | ROLE_IS_JOINT_SPEED | ROLE_POSE | ROLE_IS_LINEAR_SPEED | ROLE_TWIN | ROLE_PLACE_TWIN;
    for (unsigned a = 0; a < search->blocks && search->relations->joints_known; a++)
        for (unsigned b = 0; b < search->blocks; b++) {
            const struct block *from = &search->block[a], *to = &search->block[b];
            if (a == b || overlap(from, to) || search->relations->roles[from->offset] & known ||
                !(search->relations->roles[to->offset] & ROLE_IS_SPEED))
                continue;
            struct match match = match_of(search, from, to);
            if (match.all == VECTOR && match.moved >= 2)
                add_role(search->relations, to->offset, ROLE_IS_STRANGE);
        }
}

/* Whether the three doubles are part of a vector that has such a role as a whole. */
static bool is_inside(const struct search *search, size_t offset, unsigned roles)
{
    for (unsigned i = 0; i < VECTOR && 8 * i <= offset; i++)
        if (search->relations->roles[offset - 8 * i] & roles)
            return true;
    return false;
}

/* Three doubles whose derivative are three others: where neither are part of poses. */
static void find_triples(struct search *search)
{
    for (unsigned a = 0; a < search->count; a++)
        for (unsigned b = 0; b < search->count && search->relations->step > 0; b++) {
            size_t from = search->moving[a]->offset, to = search->moving[b]->offset;
            unsigned follows = 0;
            for (unsigned i = 0; i < 3; i++) {
                int x = moving_at(search, from + 8 * i), y = moving_at(search, to + 8 * i);
                size_t pair = x < 0 || y < 0 ? 0 : (size_t)x * search->count + (size_t)y;
                follows += x >= 0 && y >= 0 && search->follow[pair] > (float)FOLLOWS &&
                           fabs((double)search->scale[pair] / search->relations->step - 1) < 0.15;
                if (follows <= i)
                    break;
            }
            if (follows == 3 && a != b &&
                !is_inside(search, from, ROLE_HAS_SPEED | ROLE_HAS_LINEAR_SPEED | ROLE_POSE | ROLE_JOINTS) &&
                !is_inside(search, to, ROLE_IS_SPEED | ROLE_IS_LINEAR_SPEED)) {
                add_role(search->relations, from, ROLE_HAS_SPEED_3);
                add_role(search->relations, to, ROLE_IS_SPEED_3);
            }
        }
}

/* ---- rest ------------------------------------------------------------------------------------------------------- */

/* Packages in which an arm stands still, at least, that tell a target from what was measured. */
#define RESTS_LEAST 6u
/* Steps of what stands still, against all of its steps. */
#define STILL 0.2
/* Share of packages in which nothing goes on its way that a target holds. */
#define HELD_MOSTLY 0.5

static bool changes_at(const struct search *search, const struct block *block, unsigned row)
{
    for (unsigned i = 0; i < VECTOR; i++) {
        const double *values = block->column[i] >= 0 ? search->moving[block->column[i]]->values : NULL;
        if (values && values[row] != values[row - 1])
            return true;
    }
    return false;
}

/* A vector that moves as an arm does: not a few counts that happen to stand beside each other. */
static bool flows(const struct search *search, const struct block *block)
{
    unsigned smooth = 0;
    for (unsigned i = 0; i < VECTOR; i++)
        smooth += block->column[i] >= 0 && search->moving[block->column[i]]->paces == PACE_FLOWS;
    return smooth >= 3 && smooth == block->moves;
}

/* Whether nothing goes on its way from the package before to this one: speeds hold, too, while the arm moves evenly. */
static bool is_still(const struct search *search, unsigned row)
{
    for (unsigned i = 0; i < search->count; i++) {
        const struct column *column = search->moving[i];
        const double step = fabs(column->values[row] - column->values[row - 1]);
        if (column->paces == PACE_FLOWS && !column->rises && step > STILL * column->spread * sqrt(2 * column->pace))
            return false;
    }
    return true;
}

static bool holds_at(const struct search *search, const struct block *block, unsigned row)
{
    return armtap_inference_goes_on(search->columns->sample, row - 1) && !changes_at(search, block, row);
}

/* Whether a vector that moves otherwise is, in most packages of those, what it was in the one before, to the last bit.
 */
static bool is_held(const struct search *search, const struct block *block, const bool still[EVIDENCE_ROWS])
{
    unsigned held = 0, all = 0;
    for (unsigned row = 1; row < search->columns->sample->count; row++) {
        all += still[row];
        held += still[row] && holds_at(search, block, row);
    }
    return held > HELD_MOSTLY * all;
}

/* Marks packages at rest: nothing goes on its way, and a target is what it was in the one before; twice in a row. */
static unsigned find_rest(const struct search *search, bool rests[EVIDENCE_ROWS])
{
    const unsigned rows = search->columns->sample->count;
    bool still[EVIDENCE_ROWS] = {false};
    unsigned count = 0;
    for (unsigned row = 1; row < rows; row++)
        still[row] = armtap_inference_goes_on(search->columns->sample, row - 1) && is_still(search, row);
    for (unsigned b = 0; b < search->blocks; b++) {
        const struct block *block = &search->block[b];
        if (flows(search, block) && is_held(search, block, still))
            for (unsigned row = 2; row < rows; row++)
                rests[row] =
                    rests[row] || (still[row] && holds_at(search, block, row) && holds_at(search, block, row - 1));
    }
    for (unsigned row = 0; row < rows; row++)
        count += rests[row];
    return count;
}

/* The steps of a vector while the arm rests, against its spread: of the median element that moves. */
static double tremor_of(const struct search *search, const struct block *block, const bool rests[EVIDENCE_ROWS])
{
    double sizes[VECTOR];
    unsigned count = 0;
    for (unsigned i = 0; i < VECTOR; i++) {
        const struct column *column = block->column[i] >= 0 ? search->moving[block->column[i]] : NULL;
        double squares = 0, steps = 0;
        for (unsigned row = 1; column && row < search->columns->sample->count; row++) {
            const double step = column->values[row] - column->values[row - 1];
            squares += rests[row] ? step * step : 0;
            steps += rests[row];
        }
        if (column && steps > 0)
            sizes[count++] = sqrt(squares / steps) / column->spread;
    }
    qsort(sizes, count, sizeof *sizes, armtap_inference_by_size);
    return count > 0 ? sizes[count / 2] : 0;
}

static void find_tremble(struct search *search)
{
    struct inference_relations *relations = search->relations;
    bool rests[EVIDENCE_ROWS] = {false};
    const unsigned count = find_rest(search, rests);
    bool is_measured = false;
    for (unsigned b = 0; b < search->blocks; b++) {
        unsigned changes = 0;
        for (unsigned row = 1; row < search->columns->sample->count; row++)
            changes += rests[row] && changes_at(search, &search->block[b], row);
        relations->tremble[search->block[b].offset] = count >= RESTS_LEAST ? (float)changes / (float)count : -1;
        relations->tremor[search->block[b].offset] = (float)tremor_of(search, &search->block[b], rests);
        is_measured = is_measured || (changes > INFERENCE_TREMBLES * count && flows(search, &search->block[b]));
    }
    for (unsigned b = 0; b < search->blocks && !is_measured; b++)
        relations->tremble[search->block[b].offset] = -1;
}

/* ---- targets and what was measured ------------------------------------------------------------------------------- */

/* Vectors that belong together are of one kind, and of two that are nearly the same, one is of each. */
static void settle_kinds(struct search *search)
{
    float kind[BLOCKS_MAX];
    for (unsigned i = 0; i < search->blocks; i++) {
        const struct block *block = &search->block[i];
        const int joints = search->relations->joints[i];
        /* A rotation vector jumps at half a turn: that is no noise. */
        kind[i] = joints >= 0 ? block->linear : block->kind;
        if (block->speed >= 0)
            kind[i] += 0.5f * search->block[block->speed].kind;
        if (joints >= 0)
            kind[i] += search->block[joints].kind;
        for (unsigned k = 0; k < search->blocks; k++)
            if (search->block[k].speed == (int)i)
                kind[i] += 0.5f * search->block[k].kind;
    }
    for (unsigned i = 0; i < search->blocks; i++) {
        const struct block *block = &search->block[i];
        float settled = kind[i];
        if (block->twin >= 0)
            settled = kind[i] - kind[block->twin];
        search->relations->kind[block->offset] = settled;
    }
}

/* ---- bonds ------------------------------------------------------------------------------------------------------- */

static unsigned bonds_of_motion(const struct search *search, const struct block *a, const struct block *b)
{
    unsigned bonds = are_twins(search, a, b) ? BOND_TWIN : 0;
    if (are_place_twins(search, a, b))
        bonds |= BOND_PLACE_TWIN;
    if (search->relations->step <= 0)
        return bonds;
    struct match match = match_of(search, a, b);
    if (match.all == VECTOR && match.moved >= 2)
        bonds |= BOND_SPEED;
    if (match.linear == 3 && match.moved >= 2)
        bonds |= BOND_LINEAR_SPEED;
    return bonds;
}

/* Gravity loads the second and third joint of an arm; it hardly does the first one and those of the wrist, where
 * friction shows. */
static bool bears_weight(unsigned joint)
{
    return joint == 1 || joint == 2;
}

static unsigned bonds_of_torque(const struct search *search, const struct block *a, const struct block *b)
{
    unsigned alike = 0, both = 0, loaded = 0;
    for (unsigned i = 0; i < VECTOR; i++) {
        struct likeness likeness = likeness_of(search, a, b, i);
        both += a->column[i] >= 0 && b->column[i] >= 0;
        alike += likeness.alike > TOGETHER && likeness.ratio > 0.6 && likeness.ratio < 1.7;
        loaded += bears_weight(i) && likeness.alike > BEARS && likeness.ratio > 3 && likeness.ratio < 60;
    }
    return (both >= 3 && 3 * alike >= 2 * both ? BOND_CURRENTS : 0) | (loaded > 0 ? BOND_MOMENT : 0);
}

/* Whether the first vector has the sign of the other one, or of the other one's derivative. */
static unsigned bonds_of_friction(const struct search *search, const struct block *a, const struct block *b)
{
    unsigned by_speed = 0, by_place = 0, turns = 0;
    for (unsigned i = 0; i < VECTOR; i++) {
        int x = a->column[i], y = b->column[i];
        if (bears_weight(i) || y < 0)
            continue;
        turns++;
        by_speed += likeness_of(search, a, b, i).alike > RUBS;
        by_place += x >= 0 && search->follow[(size_t)y * search->count + (size_t)x] > (float)RUBS;
    }
    return (turns >= 2 && by_speed + 1 >= turns ? BOND_FRICTION : 0) |
           (turns >= 2 && by_place + 1 >= turns ? BOND_FRICTION_OF_PLACE : 0);
}

static void find_bonds(struct search *search)
{
    struct inference_relations *relations = search->relations;
    for (unsigned a = 0; a < search->blocks; a++) {
        const struct block *one = &search->block[a];
        for (unsigned b = 0; b < search->blocks; b++) {
            const struct block *other = &search->block[b];
            if (!overlap(one, other))
                add_bonds(relations, a, b,
                          bonds_of_motion(search, one, other) | bonds_of_torque(search, one, other) |
                              bonds_of_friction(search, one, other));
        }
    }
}

unsigned armtap_inference_bonds(const struct inference_relations *relations, size_t from, size_t to)
{
    int a = relations->block[from], b = relations->block[to];
    return a < 0 || b < 0 ? 0U : relations->bonds[a * (int)BLOCKS_MAX + b];
}

/* Even without relations: noise does not go on from package to package, temperatures do not swing. */
static void watch_motion(struct search *search)
{
    unsigned flows = 0;
    for (unsigned i = 0; i < search->count; i++) {
        const struct column *column = search->moving[i];
        flows += column->paces == PACE_FLOWS && !column->rises && column->digits != DIGITS_SHORT;
    }
    search->relations->moved = search->relations->moved || flows >= 3;
}

static bool has_poses(const struct inference_relations *relations)
{
    for (unsigned i = 0; i < relations->vectors; i++)
        if (relations->joints[i] >= 0)
            return true;
    return false;
}

static int find_all(struct search *search, inference_solver *solve, void *user)
{
    find_clock(search);
    gather(search);
    int error = relate_all(search);
    if (error == ARMTAP_OK)
        error = find_step(search);
    if (error != ARMTAP_OK)
        return error;
    find_blocks(search);
    find_speeds(search);
    find_twins(search);
    find_moments(search);
    error = solve ? solve(user, search->columns, search->relations) : ARMTAP_OK;
    search->relations->joints_known = has_poses(search->relations) && search->columns->sample->count >= SECONDS;
    find_joint_speeds(search);
    find_strange_speeds(search);
    find_triples(search);
    watch_motion(search);
    find_tremble(search);
    settle_kinds(search);
    find_bonds(search);
    return error;
}

int armtap_inference_relations_find(struct inference_relations *relations, const struct inference_columns *columns,
                                    inference_solver *solve, void *user)
{
    *relations = (struct inference_relations){.clock = SIZE_MAX};
    relations->roles = calloc(columns->length + 1, sizeof *relations->roles);
    relations->kind = calloc(columns->length + 1, sizeof *relations->kind);
    relations->tremble = calloc(columns->length + 1, sizeof *relations->tremble);
    relations->tremor = calloc(columns->length + 1, sizeof *relations->tremor);
    relations->block = malloc((columns->length + 1) * sizeof *relations->block);
    relations->bonds = calloc((size_t)BLOCKS_MAX * BLOCKS_MAX, sizeof *relations->bonds);
    for (size_t offset = 0; offset <= columns->length && relations->block; offset++)
        relations->block[offset] = -1;
    struct search *search = calloc(1, sizeof *search);
    int error = ARMTAP_ERR_MEMORY;
    if (search)
        search->number = malloc((columns->count + 1) * sizeof *search->number);
    if (search && search->number && relations->roles && relations->kind && relations->tremble && relations->tremor &&
        relations->block && relations->bonds) {
        search->columns = columns;
        search->relations = relations;
        error = find_all(search, solve, user);
    }
    for (unsigned i = 0; search && i < search->count; i++)
        free(search->slope[i]);
    if (search) {
        free(search->follow);
        free(search->number);
    }
    free(search);
    return error;
}

void armtap_inference_relations_clear(struct inference_relations *relations)
{
    free(relations->roles);
    free(relations->kind);
    free(relations->tremble);
    free(relations->tremor);
    free(relations->block);
    free(relations->bonds);
    relations->block = NULL;
    relations->bonds = NULL;
    relations->roles = NULL;
    relations->kind = NULL;
    relations->tremble = relations->tremor = NULL;
}
