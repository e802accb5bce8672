/* Which model's geometry explains the poses: for the right one, the tool centre point stands still in the frame of the
 * flange. Its mean there is the tool's offset, its scatter the residual; both need sums only. All arms of UR's
 * structure share the orientation of the flange, so that it tells whether a pose belongs to the joints even for an
 * unknown model. A jump of the point while the joints hardly move is a change of tool: the scatter is then that around
 * several means.
 *
 * If no model fits, the lengths are fitted: they and the tool's offset are linear in the position. */
#include "analysis/arm/kinematics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arm/difference.h"
#include "analysis/inside.h"

/* rad: joints are compared with the pose again when one of them moved by this much. */
#define STEP 0.02
#define SAMPLES_MAX 4096u
#define SAMPLES_MIN 24u
/* rad: how far at least three joints must have moved for a pose that does not follow from them. */
#define RANGE_MIN 0.2
/* m, rad: calibration moves real arms from their nominal geometry, and a tool that lags behind its target from it. */
#define MODEL_RESIDUAL 0.005
#define TURN_MIN 0.03
#define MISMATCH_RESIDUAL 0.02
#define MISMATCH_TURN 0.1
/* A model is told apart from the best one by this factor in the residuals, and by 1 mm. */
#define APART 3
#define APART_MIN 0.001
/* m, and m per rad of the joints' way up to WAY_MAX: more is a change of tool. Beyond WAY_MAX it may also be a geometry
 * that does not fit. */
#define JUMP 0.003
#define JUMP_BY_WAY 0.03
#define WAY_MAX 0.3
/* rad, and rad per rad of the joints' way: the same of the tool's orientation. */
#define TURN_JUMP 0.03
#define TURN_JUMP_BY_WAY 0.03
/* A model must explain the positions to this part of how far they are apart. */
#define MODEL_PART 0.02
/* Fewer samples per tool tell nothing about the model. */
#define TOOL_SAMPLES 12u
/* m, rad: a reported tool that is farther from the one that the poses show is another one. What a calibrated arm's
 * geometry differs from the nominal one scatters the tool's place, and shifts it: by at most so many times as much. */
#define TOOL_FAR 0.01
#define TOOL_TURNED 0.05
#define TOOL_SHIFT 6
/* rad: after smaller motions another arm of the structure looks like a listed one with another tool. */
#define TOOL_RANGE 0.5
/* Of the linear fit: five lengths, and the tool's offset. */
#define UNKNOWNS 8

struct scatter {
    double sum[3], squares;
};

struct geometry {
    const struct armtap_robot_model *model; /* the first of its models */
    size_t count;
    struct scatter now; /* of the tool's offset, since the last change of tool */
    double last[3];
    double before; /* sum of squares around their means of earlier tools */
};

struct sums {
    struct geometry geometry[ARMTAP_KINEMATICS_MODELS];
    size_t count;
    double turn[3][3], turn_before; /* the same of the tool's orientation */
    double last_turn[3][3], turn_all[3][3];
    double positions[3]; /* sums */
    double least[6], most[6];
    uint64_t samples, since_change;
    unsigned tools, jumps; /* jumps: changes of tool while the joints hardly moved */
    double normal[UNKNOWNS][UNKNOWNS], right[UNKNOWNS], squares;
};

struct sample {
    double q[6], pose[6];
};

/* What is left once no more samples come. */
struct judgement {
    struct armtap_kinematics_result result;
    bool has_gap;
    struct armtap_tool_gap gap;
};
_Static_assert(sizeof(struct judgement) % DIFFERENCE_WORD == 0, "whole words are packed");
static const struct judgement no_judgement;

/* The first samples wait until there are enough for a result: adding one up takes as long as decoding several records,
 * and thousands of streams may have a few each. */
struct armtap_kinematics {
    unsigned waiting; /* samples; 0 once there are sums */
    bool has_sums;
    bool has_offset, is_offset_unknown; /* unknown: a pose came without it, or with another one */
    bool has_ended;
    union {
        struct {
            double last[6];   /* joints of the last sample, beside what else each pose reads: it may be in no cache */
            double offset[6]; /* of the tool, as reported */
            union {
                struct sample first[SAMPLES_MIN - 1];
                struct sums sums;
            };
        };
        uint8_t ended[DIFFERENCE_MAX(sizeof(struct judgement))]; /* the judgement's bytes that are not 0 */
    };
};

static void list_geometries(struct sums *sums)
{
    const struct armtap_robot_model *model;
    for (size_t i = 0; (model = armtap_robot_model_at(i)); i++) {
        struct geometry *last = sums->count > 0 ? &sums->geometry[sums->count - 1] : NULL;
        if (last && armtap_robot_model_is_alike(last->model, model))
            last->count++;
        else if (sums->count < ARMTAP_KINEMATICS_MODELS)
            sums->geometry[sums->count++] = (struct geometry){.model = model, .count = 1};
    }
}

struct armtap_kinematics *armtap_kinematics_new(void)
{
    struct armtap_kinematics *kinematics = malloc(sizeof *kinematics);
    if (kinematics) {
        kinematics->waiting = 0;
        kinematics->has_sums = false;
        kinematics->has_offset = kinematics->is_offset_unknown = kinematics->has_ended = false;
        memset(kinematics->offset, 0, sizeof kinematics->offset);
    }
    return kinematics;
}

void armtap_kinematics_free(struct armtap_kinematics *kinematics)
{
    free(kinematics);
}

/* ---- sums ------------------------------------------------------------------------------------------------------ */

static double square(const double v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/* Sum of squares around the mean. */
static double around_mean(const struct scatter *scatter, uint64_t samples)
{
    double within = samples == 0 ? 0 : scatter->squares - square(scatter->sum) / (double)samples;
    return within > 0 ? within : 0;
}

/* Of nine numbers, the sums of so many matrices. */
static double turns_around_mean(const double *turn, uint64_t count)
{
    double mean = 0, samples = (double)count;
    for (size_t i = 0; i < 3; i++)
        mean += square(turn + 3 * i);
    return samples > 0 ? fmax(3 * samples - mean / samples, 0) / 2 : 0;
}

static void begin_tool(struct sums *sums)
{
    for (size_t i = 0; i < sums->count; i++) {
        struct geometry *geometry = &sums->geometry[i];
        geometry->before += around_mean(&geometry->now, sums->since_change);
        geometry->now = (struct scatter){.squares = 0};
    }
    sums->turn_before += turns_around_mean(sums->turn[0], sums->since_change);
    memset(sums->turn, 0, sizeof sums->turn);
    sums->since_change = 0;
    sums->tools++;
}

/* The position as a sum of the unknown lengths, each times a direction. */
static void add_equations(struct sums *sums, const struct kinematics_chain *chain, const double pose[6])
{
    for (size_t i = 0; i < 3; i++) {
        const double row[UNKNOWNS] = {
            i == 2,       chain->x2[i],          chain->x3[i],          chain->z4[i],
            chain->z5[i], chain->rotation[i][0], chain->rotation[i][1], chain->rotation[i][2]};
        for (size_t k = 0; k < UNKNOWNS; k++) {
            for (size_t j = 0; j < UNKNOWNS; j++)
                sums->normal[k][j] += row[k] * row[j];
            sums->right[k] += row[k] * pose[i];
        }
        sums->squares += pose[i] * pose[i];
    }
}

/* Where the tool is in the frame of the flange. */
static void offset_of(const struct armtap_robot_model *model, const struct kinematics_chain *chain,
                      const double pose[6], double offset[3])
{
    double flange[3];
    armtap_kinematics_flange(model, chain, flange);
    for (size_t i = 0; i < 3; i++) {
        offset[i] = 0;
        for (size_t k = 0; k < 3; k++)
            offset[i] += chain->rotation[k][i] * (pose[k] - flange[k]);
    }
}

/* The orientation of the tool in the frame of the flange. */
static void turn_of(const struct kinematics_chain *chain, const double pose[6], double turn[3][3])
{
    double whole[3][3];
    armtap_rotation_matrix(pose + 3, whole);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            turn[i][k] = 0;
            for (size_t j = 0; j < 3; j++)
                turn[i][k] += chain->rotation[j][i] * whole[j][k];
        }
}

/* rad, from the trace of one times the other's inverse. */
static double angle_between(const double *one, const double *other)
{
    double trace = 0;
    for (size_t i = 0; i < 9; i++)
        trace += one[i] * other[i];
    return acos(fmax(fmin((trace - 1) / 2, 1), -1));
}

static bool is_turned(const struct sums *sums, const double *turn, double way)
{
    return sums->since_change > 0 &&
           angle_between(turn, sums->last_turn[0]) > TURN_JUMP + TURN_JUMP_BY_WAY * fmin(way, WAY_MAX);
}

static bool is_jump(const struct sums *sums, double offsets[][3], double way)
{
    double least = INFINITY;
    for (size_t i = 0; i < sums->count && sums->since_change > 0; i++) {
        const double *last = sums->geometry[i].last;
        const double step[3] = {offsets[i][0] - last[0], offsets[i][1] - last[1], offsets[i][2] - last[2]};
        least = fmin(least, sqrt(square(step)));
    }
    return sums->since_change > 0 && least > JUMP + JUMP_BY_WAY * fmin(way, WAY_MAX);
}

static void add_up(struct sums *sums, const struct kinematics_chain *chain, const double pose[6], double way)
{
    double offsets[ARMTAP_KINEMATICS_MODELS][3], turn[3][3];
    for (size_t i = 0; i < sums->count; i++)
        offset_of(sums->geometry[i].model, chain, pose, offsets[i]);
    turn_of(chain, pose, turn);
    if (is_jump(sums, offsets, way) || is_turned(sums, turn[0], way)) {
        begin_tool(sums);
        sums->jumps += way < WAY_MAX;
    }
    for (size_t i = 0; i < sums->count; i++) {
        struct geometry *geometry = &sums->geometry[i];
        for (size_t k = 0; k < 3; k++)
            geometry->now.sum[k] += offsets[i][k];
        geometry->now.squares += square(offsets[i]);
        memcpy(geometry->last, offsets[i], sizeof geometry->last);
    }
    memcpy(sums->last_turn, turn, sizeof sums->last_turn);
    for (size_t i = 0; i < 3; i++) {
        sums->positions[i] += pose[i];
        for (size_t k = 0; k < 3; k++) {
            sums->turn[i][k] += turn[i][k];
            sums->turn_all[i][k] += turn[i][k];
        }
    }
    add_equations(sums, chain, pose);
    sums->since_change++;
    sums->samples++;
}

static void add_sample(struct sums *sums, const double q[6], const double pose[6], double way)
{
    struct kinematics_chain chain;
    for (size_t i = 0; i < 6; i++) {
        sums->least[i] = sums->samples == 0 ? q[i] : fmin(sums->least[i], q[i]);
        sums->most[i] = sums->samples == 0 ? q[i] : fmax(sums->most[i], q[i]);
    }
    armtap_kinematics_chain(q, &chain);
    add_up(sums, &chain, pose, way);
}

/* How far the joints went since the last sample; also for values that are no angles or positions: infinitely far. */
static double way_since(const double last[6], const double q[6])
{
    double farthest = 0;
    for (size_t i = 0; i < 6; i++) {
        double way = fabs(q[i] - last[i]);
        farthest = way > farthest ? way : farthest;
    }
    return farthest;
}

static bool are_plausible(const double q[6], const double pose[6])
{
    bool plausible = true;
    for (size_t i = 0; i < 6; i++)
        plausible = plausible && fabs(q[i]) < 100 && fabs(pose[i]) < 100;
    return plausible;
}

/* There are enough samples now. */
static void begin_sums(struct armtap_kinematics *kinematics)
{
    struct sample first[SAMPLES_MIN - 1];
    struct sums *sums = &kinematics->sums;
    unsigned count = kinematics->waiting;
    memcpy(first, kinematics->first, sizeof first);
    *sums = (struct sums){.samples = 0};
    list_geometries(sums);
    for (unsigned i = 0; i < count; i++)
        add_sample(sums, first[i].q, first[i].pose, i == 0 ? 0 : way_since(first[i - 1].q, first[i].q));
    kinematics->waiting = 0;
    kinematics->has_sums = true;
}

/* NULL: not reported. */
static void keep_offset(struct armtap_kinematics *kinematics, const double *offset)
{
    if (!kinematics->has_offset && offset && are_plausible(offset, offset)) {
        memcpy(kinematics->offset, offset, sizeof kinematics->offset);
        kinematics->has_offset = true;
    } else if (!offset || memcmp(offset, kinematics->offset, sizeof kinematics->offset) != 0) {
        kinematics->is_offset_unknown = true;
    }
}

static void add(struct armtap_kinematics *kinematics, const double q[6], const double pose[6], const double *offset)
{
    if (kinematics->has_ended)
        return;
    bool is_first = !kinematics->has_sums && kinematics->waiting == 0;
    double way = is_first ? 0 : way_since(kinematics->last, q);
    if ((!is_first && way < STEP) || (kinematics->has_sums && kinematics->sums.samples >= SAMPLES_MAX) ||
        !are_plausible(q, pose))
        return;
    keep_offset(kinematics, offset);
    memcpy(kinematics->last, q, sizeof kinematics->last);
    if (!kinematics->has_sums && kinematics->waiting == SAMPLES_MIN - 1)
        begin_sums(kinematics);
    if (kinematics->has_sums) {
        add_sample(&kinematics->sums, q, pose, way);
        return;
    }
    struct sample *sample = &kinematics->first[kinematics->waiting++];
    memcpy(sample->q, q, sizeof sample->q);
    memcpy(sample->pose, pose, sizeof sample->pose);
}

void armtap_kinematics_add(struct armtap_kinematics *kinematics, const double q[6], const double pose[6])
{
    add(kinematics, q, pose, NULL);
}

void armtap_kinematics_add_tool(struct armtap_kinematics *kinematics, const double q[6], const double pose[6],
                                const double offset[6])
{
    add(kinematics, q, pose, offset);
}

/* ---- the result ------------------------------------------------------------------------------------------------ */

static double residual_of(const struct sums *sums, const struct geometry *geometry)
{
    double squares = geometry->before + around_mean(&geometry->now, sums->since_change);
    return sqrt(squares / (double)sums->samples);
}

/* Gaussian elimination; directions that the motions do not tell apart are left out. RMS of what is left, m. */
static double free_residual(const struct sums *sums)
{
    double a[UNKNOWNS][UNKNOWNS], b[UNKNOWNS], left = sums->squares;
    bool done[UNKNOWNS] = {false};
    memcpy(a, sums->normal, sizeof a);
    memcpy(b, sums->right, sizeof b);
    for (size_t step = 0; step < UNKNOWNS; step++) {
        size_t pivot = UNKNOWNS;
        for (size_t i = 0; i < UNKNOWNS; i++)
            if (!done[i] && (pivot == UNKNOWNS || a[i][i] > a[pivot][pivot]))
                pivot = i;
        done[pivot] = true;
        if (a[pivot][pivot] < 1e-6 * (double)sums->samples)
            break;
        left -= b[pivot] * b[pivot] / a[pivot][pivot];
        for (size_t i = 0; i < UNKNOWNS; i++) {
            double factor = done[i] ? 0 : a[i][pivot] / a[pivot][pivot];
            for (size_t k = 0; k < UNKNOWNS && factor != 0; k++)
                a[i][k] -= factor * a[pivot][k];
            b[i] -= factor * b[pivot];
        }
    }
    return sqrt(fmax(left, 0) / (double)sums->samples);
}

/* At least three joints, by so many rad. */
static bool has_moved(const struct sums *sums, double range)
{
    unsigned moved = 0;
    for (size_t i = 0; i < 6; i++)
        moved += sums->most[i] - sums->least[i] >= range;
    return moved >= 3;
}

static void put_tool(const struct sums *sums, const struct geometry *geometry, struct armtap_kinematics_result *result)
{
    double mean[3][3], samples = (double)sums->since_change;
    for (size_t i = 0; i < 3; i++) {
        result->tool[i] = geometry->now.sum[i] / samples;
        for (size_t k = 0; k < 3; k++)
            mean[i][k] = sums->turn[i][k] / samples;
    }
    armtap_rotation_vector(mean, result->tool + 3);
}

static const struct geometry *best_of(const struct sums *sums)
{
    const struct geometry *best = &sums->geometry[0];
    for (size_t i = 1; i < sums->count; i++)
        if (residual_of(sums, &sums->geometry[i]) < residual_of(sums, best))
            best = &sums->geometry[i];
    return best;
}

/* The residual from which on a geometry is told apart from the best one. */
static double rival_residual(double residual)
{
    return fmax(APART * residual, residual + APART_MIN);
}

static void put_models(const struct sums *sums, const struct geometry *best, struct armtap_kinematics_result *result)
{
    const double apart = rival_residual(result->residual);
    for (size_t i = 0; i < sums->count; i++) {
        const struct geometry *geometry = &sums->geometry[i];
        double residual = residual_of(sums, geometry);
        if (geometry != best && residual >= apart)
            result->next = fmin(result->next, residual);
        for (size_t k = 0; k < geometry->count && (geometry == best || residual < apart); k++)
            if (result->model_count < ARMTAP_KINEMATICS_MODELS)
                result->models[result->model_count++] = geometry->model + k;
    }
}

/* m, RMS: how far the positions are apart. */
static double spread_of(const struct sums *sums)
{
    double samples = (double)sums->samples;
    return sqrt(fmax(sums->squares - square(sums->positions) / samples, 0) / samples);
}

/* Whether the best model explains the poses. After small motions other geometries are near, too. */
static bool explains(const struct sums *sums, const struct armtap_kinematics_result *result)
{
    double most = fmin(MODEL_RESIDUAL, MODEL_PART * spread_of(sums));
    return result->tools * TOOL_SAMPLES <= sums->samples + TOOL_SAMPLES && result->residual < most &&
           result->turn < TURN_MIN;
}

/* Two tools may change at each waypoint, but not at most samples. */
static bool is_most(uint64_t part, uint64_t samples)
{
    return 4 * part > 3 * samples;
}

/* The geometry may be another one: with it and one tool, all samples agree. What seems a change of tool, while the
 * geometry is not known, is none then. */
static void judge_without_model(const struct sums *sums, struct armtap_kinematics_result *result)
{
    double free = free_residual(sums);
    double turn = sqrt(turns_around_mean(sums->turn_all[0], sums->samples) / (double)sums->samples);
    bool is_restless = is_most(result->tools, sums->samples);
    bool is_one = result->tools == 1 || is_restless;
    result->jumps = is_most(sums->jumps, sums->samples) || (is_restless && free > MISMATCH_RESIDUAL);
    if (turn < TURN_MIN && free < MODEL_RESIDUAL) {
        result->outcome = ARMTAP_KINEMATICS_UNLISTED;
        result->jumps = false;
        result->residual = free;
    } else if (result->jumps || (is_one && (turn > MISMATCH_TURN || free > MISMATCH_RESIDUAL))) {
        result->outcome = ARMTAP_KINEMATICS_MISMATCH;
        result->residual = result->jumps ? result->residual : free;
        result->turn = result->jumps ? result->turn : turn;
    }
}

static struct judgement judgement_of(const struct armtap_kinematics *kinematics)
{
    struct judgement judgement;
    armtap_difference_read(kinematics->ended, &judgement, &no_judgement, sizeof judgement);
    return judgement;
}

void armtap_kinematics_result(const struct armtap_kinematics *kinematics, struct armtap_kinematics_result *result)
{
    const struct sums *sums = &kinematics->sums;
    if (kinematics->has_ended) {
        *result = judgement_of(kinematics).result;
        return;
    }
    *result = (struct armtap_kinematics_result){.next = INFINITY, .tools = 1, .samples = kinematics->waiting};
    if (!kinematics->has_sums)
        return;
    result->tools = sums->tools + 1;
    result->samples = sums->samples;
    if (!has_moved(sums, RANGE_MIN))
        return;
    const struct geometry *best = best_of(sums);
    result->residual = residual_of(sums, best);
    result->turn =
        sqrt((sums->turn_before + turns_around_mean(sums->turn[0], sums->since_change)) / (double)sums->samples);
    put_tool(sums, best, result);
    if (explains(sums, result)) {
        result->outcome = ARMTAP_KINEMATICS_MODEL;
        put_models(sums, best, result);
    } else {
        judge_without_model(sums, result);
    }
}

/* Of the geometries that explain the poses, the one whose tool is nearest to the place. */
static double distance_to(const struct sums *sums, double residual, const double place[3])
{
    double nearest = INFINITY;
    for (size_t i = 0; i < sums->count; i++) {
        const struct geometry *geometry = &sums->geometry[i];
        double own = residual_of(sums, geometry), way[3];
        for (size_t k = 0; k < 3; k++)
            way[k] = geometry->now.sum[k] / (double)sums->since_change - place[k];
        if (own <= residual || own < rival_residual(residual))
            nearest = fmin(nearest, sqrt(square(way)));
    }
    return nearest;
}

bool armtap_kinematics_tool_gap(const struct armtap_kinematics *kinematics, struct armtap_tool_gap *gap)
{
    struct armtap_kinematics_result result;
    double shown[3][3], reported[3][3];
    if (kinematics->has_ended) {
        const struct judgement judgement = judgement_of(kinematics);
        *gap = judgement.gap;
        return judgement.has_gap;
    }
    armtap_kinematics_result(kinematics, &result);
    if (!kinematics->has_offset || kinematics->is_offset_unknown || result.outcome != ARMTAP_KINEMATICS_MODEL ||
        result.tools > 1 || !has_moved(&kinematics->sums, TOOL_RANGE))
        return false;
    armtap_rotation_matrix(result.tool + 3, shown);
    armtap_rotation_matrix(kinematics->offset + 3, reported);
    gap->distance = distance_to(&kinematics->sums, result.residual, kinematics->offset);
    gap->angle = angle_between(shown[0], reported[0]);
    gap->is_other =
        gap->distance > TOOL_FAR + TOOL_SHIFT * result.residual || gap->angle > TOOL_TURNED + TOOL_SHIFT * result.turn;
    return true;
}

struct armtap_kinematics *armtap_kinematics_end(struct armtap_kinematics *kinematics)
{
    uint8_t bytes[DIFFERENCE_MAX(sizeof(struct judgement))];
    struct judgement judgement = no_judgement;
    if (kinematics->has_ended)
        return kinematics;
    armtap_kinematics_result(kinematics, &judgement.result);
    judgement.has_gap = armtap_kinematics_tool_gap(kinematics, &judgement.gap);
    size_t length = armtap_difference_write(bytes, &judgement, &no_judgement, sizeof judgement);
    memcpy(kinematics->ended, bytes, length);
    kinematics->has_ended = true;
    struct armtap_kinematics *smaller = realloc(kinematics, offsetof(struct armtap_kinematics, ended) + length);
    if (smaller)
        return smaller;
    return kinematics; /* as large as before */
}
