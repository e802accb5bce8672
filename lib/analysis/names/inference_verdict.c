/* Whether a name is given, and how certain it is. Names rest on what values are like: what a program computes like a
 * field looks like that field, and gets its name. Of a field and its exact copy neither does. */
#include "analysis/names/inference.h"

#include <math.h>
#include <string.h>

/* Probability from which on a name is given: a wrong one is as bad as ten that are missing, of which it is one if it is
 * not given. */
#define CERTAIN 0.9
/* The same of a field that is surely somewhere else. */
#define SURE 0.98
/* Bits by which another field of the same size may fit whole numbers better; and by which one must fit better than all
 * others where the order is broken. */
#define RIVAL 6
#define RIVAL_OF_BROKEN (-3)
/* Elements in an encoder's digits, and modes behind a vector, that show an arm. */
#define MEASURED_LEAST 3u
#define BEHIND_LEAST 2u
/* What a name's probability is worth where its values stand once more. */
#define ONE_OF_TWO 0.5
/* And where nothing else shows an arm. */
#define ALONE 0.8
/* Changes of a number that another one cannot have by chance. */
#define COPIED_CHANGES 8u

/* ---- copies --------------------------------------------------------------------------------------------------------
 */

/* Whether the bytes at both offsets are the same in all packages. */
static bool are_same(const struct inference_columns *columns, size_t one, size_t other, unsigned width)
{
    for (unsigned row = 0; row < columns->sample->count; row++) {
        const uint8_t *bytes = armtap_inference_bytes(columns, row, 0);
        if (memcmp(bytes + one, bytes + other, width) != 0)
            return false;
    }
    return true;
}

static unsigned changes_at(const struct inference_columns *columns, size_t offset, unsigned width)
{
    unsigned changes = 0;
    for (unsigned row = 1; row < columns->sample->count; row++)
        changes += memcmp(armtap_inference_bytes(columns, row - 1, offset),
                          armtap_inference_bytes(columns, row, offset), width) != 0;
    return changes;
}

/* Newer controllers give their target currents as control outputs. */
static bool are_always_same(const struct inference_tiling *tiling, const struct tiling_piece *one,
                            const struct tiling_piece *other)
{
    const char *a = tiling->field[one->field].name, *b = tiling->field[other->field].name;
    return tiling->order[ORDER_GUIDE] > CERTAIN &&
           ((strcmp(a, "target_current") == 0 && strcmp(b, "joint_control_output") == 0) ||
            (strcmp(b, "target_current") == 0 && strcmp(a, "joint_control_output") == 0));
}

/* Where another piece has the same number; SIZE_MAX: nowhere. */
static size_t copy_of(const struct inference_columns *columns, const struct inference_tiling *tiling,
                      const struct tiling_piece *piece, size_t offset, unsigned width)
{
    for (size_t i = 0; i < tiling->count; i++) {
        const struct tiling_piece *other = &tiling->pieces[i];
        for (size_t at = other->offset;
             other != piece && !are_always_same(tiling, piece, other) && at < other->offset + other->size; at += width)
            if (other->size / other->count == width && are_same(columns, offset, at, width))
                return at;
    }
    return SIZE_MAX;
}

/* Where the numbers of a piece stand once more, bit by bit, all that change: as a program's registers, of which nothing
 * tells them apart. SIZE_MAX: some do not, or change so seldom that it may be chance. */
static size_t find_copy(const struct inference_columns *columns, const struct inference_tiling *tiling,
                        const struct tiling_piece *piece)
{
    const unsigned width = piece->size / piece->count;
    unsigned most = 0;
    size_t first = SIZE_MAX;
    for (size_t offset = piece->offset; offset < piece->offset + piece->size; offset += width) {
        unsigned changes = changes_at(columns, offset, width);
        size_t copy = changes > 0 ? copy_of(columns, tiling, piece, offset, width) : SIZE_MAX;
        if (changes > 0 && copy == SIZE_MAX)
            return SIZE_MAX;
        first = changes > 0 && first == SIZE_MAX ? copy : first;
        most = changes > most ? changes : most;
    }
    return most >= COPIED_CHANGES ? first : SIZE_MAX;
}

/* ---- what speaks for and against a name -------------------------------------------------------------------------- */

/* Whether another piece surely is the field, which a recipe has once. */
static bool is_elsewhere(const struct inference_tiling *tiling, const struct tiling_piece *piece, size_t field)
{
    for (size_t i = 0; i < tiling->count; i++)
        if (&tiling->pieces[i] != piece && tiling->pieces[i].field == field && !tiling->field[field].repeats &&
            tiling->pieces[i].certainty >= SURE)
            return true;
    return false;
}

/* Whether a mode or a count fits another field by that many bits better, so that only the order speaks for this one:
 * clients break it. */
static bool is_by_order_only(const struct inference_tiling *tiling, const struct tiling_piece *piece, double rival)
{
    const float *bits = tiling->bits + piece->offset * tiling->fields;
    double own = (double)bits[piece->field] + tiling->field[piece->field].log_chance;
    for (size_t i = 0; i < tiling->fields; i++) {
        const struct inference_field *other = &tiling->field[i];
        if (other->type != ARMTAP_DOUBLE && piece->type != ARMTAP_DOUBLE && other->size == piece->size &&
            i != piece->field && (double)bits[i] + other->log_chance > own + rival && !is_elsewhere(tiling, piece, i))
            return true;
    }
    return false;
}

/* Whether the order names a piece whose values say otherwise: then it may be wrong about others, too. */
static bool is_order_broken(const struct inference_tiling *tiling)
{
    for (size_t i = 0; i < tiling->count; i++)
        if (tiling->pieces[i].certainty >= CERTAIN && is_by_order_only(tiling, &tiling->pieces[i], RIVAL))
            return true;
    return false;
}

static bool is_turned_over(const struct inference_reading *reading, const struct tiling_piece *piece)
{
    return reading->tiling.field[piece->field].group == GROUP_POSES &&
           armtap_inference_turns_over(&reading->columns, piece->offset);
}

static bool has_pose(const struct inference_reading *reading)
{
    for (size_t i = 0; i < reading->tiling.count; i++)
        if (is_turned_over(reading, &reading->tiling.pieces[i]))
            return true;
    return false;
}

/* What any program may compute: smooth curves, and others that are their derivatives. */
static const struct curve {
    const char *name;
    bool is_of_tool;
} curves[] = {
    {"target_q", false},
    {"target_qd", false},
    {"target_qdd", false},
    {"actual_q", false},
    {"actual_qd", false},
    {"target_TCP_pose", true},
    {"actual_TCP_pose", true},
    {"target_TCP_speed", true},
    {"actual_TCP_speed", true},
    {"target_TCP_acceleration", true},
    {"actual_TCP_acceleration", true},
    {"elbow_position", false},
    {"elbow_velocity", false},
};

static const struct curve *curve_of(const struct inference_reading *reading, const struct tiling_piece *piece)
{
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        if (strcmp(reading->tiling.field[piece->field].name, curves[i].name) == 0)
            return &curves[i];
    return NULL;
}

/* Values of single precision, as encoders give them. */
static bool is_measured(const struct inference_columns *columns, const struct tiling_piece *piece)
{
    unsigned measured = 0;
    for (unsigned i = 0; i < piece->count; i++) {
        const struct column *column = armtap_inference_column(columns, piece->offset + 8 * i);
        measured += column && column->values && column->digits == DIGITS_FLOAT;
    }
    return measured >= MEASURED_LEAST;
}

/* Other fields behind it, which by the guide's order show that it is none of a program's registers; numbers count
 * twice, since modes look like any other small number. */
static unsigned count_behind(const struct inference_reading *reading, size_t i, double enough)
{
    unsigned count = 0;
    for (i++; i < reading->tiling.count; i++) {
        const struct tiling_piece *piece = &reading->tiling.pieces[i];
        if (!curve_of(reading, piece) && reading->tiling.field[piece->field].field && piece->certainty >= enough &&
            !is_by_order_only(&reading->tiling, piece, reading->rival))
            count += piece->type == ARMTAP_DOUBLE ? 2 : 1;
    }
    return count;
}

/* Whether a piece looks like an arm's motion, but nothing else shows an arm: neither kinematics, nor targets beside
 * what was measured, nor an encoder's digits, nor the order of other fields. */
static bool is_curve_alone(const struct inference_reading *reading, size_t i, bool has_order, double enough)
{
    const struct tiling_piece *piece = &reading->tiling.pieces[i];
    const struct curve *curve = curve_of(reading, piece);
    if (!curve || reading->has_pose || reading->kinematics.outcome != ARMTAP_KINEMATICS_UNKNOWN ||
        reading->relations.roles[piece->offset] & ROLE_TWIN || is_measured(&reading->columns, piece))
        return false;
    return has_order ? count_behind(reading, i, enough) < BEHIND_LEAST : !curve->is_of_tool;
}

/* Which of the many fields that are always 0 it is, nothing shows. */
static bool is_all_zero(const struct inference_columns *columns, const struct tiling_piece *piece)
{
    for (unsigned row = 0; row < columns->sample->count; row++)
        for (size_t i = 0; i < piece->size; i++)
            if (armtap_inference_bytes(columns, row, piece->offset)[i] != 0)
                return false;
    return true;
}

/* Bits of one double after the other in registers. */
static double register_bits(const struct inference_tiling *tiling, const struct tiling_piece *piece)
{
    double bits = 0;
    for (size_t i = 0; i < tiling->fields; i++)
        if (tiling->field[i].repeats && tiling->field[i].type == piece->type &&
            strncmp(tiling->field[i].name, "output", 6) == 0)
            for (unsigned k = 0; k < piece->count; k++)
                bits += (double)tiling->bits[(piece->offset + piece->size / piece->count * k) * tiling->fields + i] +
                        tiling->field[i].log_chance;
    return bits;
}

/* What the values alone say, without the order and without the other pieces: the share of the field among all of the
 * same type and count, and among registers. */
static double own_share(const struct inference_tiling *tiling, const struct tiling_piece *piece)
{
    const float *bits = tiling->bits + piece->offset * tiling->fields;
    const double own = (double)bits[piece->field] + tiling->field[piece->field].log_chance;
    double others = piece->count > 1 ? exp2(register_bits(tiling, piece) - own) : 0;
    for (size_t i = 0; i < tiling->fields; i++)
        if (i != piece->field && tiling->field[i].type == piece->type && tiling->field[i].count == piece->count)
            others += exp2((double)bits[i] + tiling->field[i].log_chance - own);
    return 1 / (1 + others);
}

/* Whether another piece that is known has to it what its field has to this one: a speed to a position, currents to each
 * other. */
static bool is_bonded(const struct inference_reading *reading, const struct tiling_piece *piece)
{
    const struct inference_tiling *tiling = &reading->tiling;
    const enum inference_group own = tiling->field[piece->field].group;
    const struct inference_pair *pair;
    for (size_t i = 0; own != GROUPS && i < tiling->count; i++) {
        const struct tiling_piece *other = &tiling->pieces[i];
        const enum inference_group group = tiling->field[other->field].group;
        for (size_t k = 0; other != piece && other->certainty >= CERTAIN && (pair = armtap_inference_pair_at(k)); k++)
            if (pair->proof > 0 &&
                ((pair->one == own && pair->other == group &&
                  armtap_inference_bonds(&reading->relations, piece->offset, other->offset) & pair->bond) ||
                 (pair->one == group && pair->other == own &&
                  armtap_inference_bonds(&reading->relations, other->offset, piece->offset) & pair->bond)))
                return true;
    }
    return false;
}

static bool is_constant(const struct inference_columns *columns, const struct tiling_piece *piece)
{
    for (unsigned row = 1; row < columns->sample->count; row++)
        if (memcmp(armtap_inference_bytes(columns, 0, piece->offset),
                   armtap_inference_bytes(columns, row, piece->offset), piece->size) != 0)
            return false;
    return true;
}

/* A control output looks like a current: here like what is aimed at, there like what is measured. */
static bool is_beside_currents(const struct inference_tiling *tiling)
{
    unsigned currents = 0;
    for (size_t i = 0; i < tiling->count; i++) {
        const char *name = tiling->field[tiling->pieces[i].field].name;
        currents += (strcmp(name, "target_current") == 0 || strcmp(name, "actual_current") == 0) &&
                    tiling->pieces[i].certainty >= CERTAIN;
    }
    return currents > 0 && tiling->order[ORDER_GUIDE] > CERTAIN;
}

static bool is_known_at(const struct inference_reading *reading, size_t offset)
{
    for (size_t i = 0; i < reading->tiling.count; i++) {
        const struct tiling_piece *piece = &reading->tiling.pieces[i];
        if (offset >= piece->offset && offset < piece->offset + piece->size)
            return piece->certainty >= CERTAIN || !armtap_inference_column(&reading->columns, offset);
    }
    return true;
}

/* Of three doubles that move: whether what stands before and behind them is known, or no double, so that they are no
 * half of a vector of six. */
static bool is_no_half(const struct inference_reading *reading, const struct tiling_piece *piece)
{
    return (piece->offset < 8 || is_known_at(reading, piece->offset - 8)) &&
           is_known_at(reading, piece->offset + piece->size);
}

/* A program's registers count like these. */
static bool is_like_any_counter(const char *name)
{
    return strcmp(name, "script_control_line") == 0 || strcmp(name, "control_step") == 0;
}

/* Whether the values have a part in the name. */
static bool is_shown(const struct inference_reading *reading, const struct tiling_piece *piece)
{
    const double own = own_share(&reading->tiling, piece);
    if (is_all_zero(&reading->columns, piece) || is_like_any_counter(reading->tiling.field[piece->field].name) ||
        (strcmp(reading->tiling.field[piece->field].name, "joint_control_output") == 0 &&
         !is_beside_currents(&reading->tiling)))
        return false;
    if (is_constant(&reading->columns, piece))
        return piece->count == 1 || own > 0.999;
    if (piece->count == 3 && !is_no_half(reading, piece) &&
        strcmp(reading->tiling.field[piece->field].name, "actual_tool_accelerometer") != 0) /* gravity shows that */
        return false;
    return own > 0.01 || piece->certainty > 0.995;
}

/* How often a name is right whose probability is so high, of all that rests on weights: 1 - (1 - probability) ^ power,
 * at most so often. Measured by tests/infer/figure and on recordings of real arms. */
enum proof { BY_VALUES, BY_BONDS, BY_LOOKS, PROOFS };
static const struct {
    double power, most;
} calibration[PROOFS] = {
    [BY_VALUES] = {1, 0.997},   /* scalars, modes, temperatures: their values are like no others */
    [BY_BONDS] = {0.6, 0.985},  /* motion and loads, where another vector has to them what it should */
    [BY_LOOKS] = {0.33, 0.975}, /* the same, where none has */
};
/* Probability below which the first kind is not as sure as it says, either. */
#define SURE_OF_ITSELF 0.9

/* Beside those of a group. */
static const char *const by_looks[] = {"elbow_position", "elbow_velocity", "actual_current_as_torque",
                                       "wrench_calc_from_currents"};

static enum proof proof_of(const struct inference_field *field, bool is_bound)
{
    bool is_free = field->group == GROUPS;
    for (size_t i = 0; i < sizeof by_looks / sizeof *by_looks; i++)
        is_free = is_free && strcmp(field->name, by_looks[i]) != 0;
    return is_free ? BY_VALUES : is_bound ? BY_BONDS : BY_LOOKS;
}

/* Names of motion from so few packages are not given. */
#define FEW 48
#define OF_FEW 0.8
/* Of a mode that never changes, where no order confirms it: a program's register may have that number. */
#define CONSTANT 0.975

static double calibrate(double probability, enum proof proof)
{
    const double power = proof == BY_VALUES && probability < SURE_OF_ITSELF ? 0.7 : calibration[proof].power;
    return fmin(1 - pow(1 - fmin(probability, 1), power), calibration[proof].most);
}

/* Of the field, or its counterpart, where something else shows which of both it is. */
static double probability_of(const struct inference_tiling *tiling, const struct tiling_piece *piece,
                             const struct inference_side *side)
{
    double probability = piece->certainty;
    for (size_t i = 0; side->other && side->is_proven && i < tiling->fields; i++)
        if (strcmp(tiling->field[i].name, side->other) == 0)
            probability += (double)tiling->share[piece->offset * tiling->fields + i];
    return probability;
}

struct inference_verdict armtap_inference_judge(const struct inference_reading *reading, size_t i, bool has_order,
                                                bool has_moved)
{
    const struct tiling_piece *piece = &reading->tiling.pieces[i];
    const struct inference_field *field = &reading->tiling.field[piece->field];
    const enum proof proof = proof_of(field, is_bonded(reading, piece) || is_turned_over(reading, piece));
    struct inference_verdict verdict = {
        find_copy(&reading->columns, &reading->tiling, piece),
        armtap_inference_side_of(&reading->columns, &reading->relations, &reading->tiling, piece, CERTAIN),
        is_curve_alone(reading, i, has_order, CERTAIN), 0, false};
    const bool is_one_of_two = verdict.copy != SIZE_MAX || (has_moved && !verdict.side.is_proven);
    verdict.certainty = calibrate(probability_of(&reading->tiling, piece, &verdict.side), proof) *
                        (is_one_of_two ? ONE_OF_TWO : 1 - verdict.side.doubt) * (verdict.is_alone ? ALONE : 1) *
                        (proof != BY_VALUES && reading->columns.sample->count < FEW ? OF_FEW : 1) *
                        (!has_order && is_constant(&reading->columns, piece) ? CONSTANT : 1);
    verdict.is_given = verdict.certainty >= CERTAIN && field->field && has_moved && is_shown(reading, piece) &&
                       !is_by_order_only(&reading->tiling, piece, reading->rival) &&
                       !armtap_inference_is_stranger(&reading->relations, field, piece->offset);
    return verdict;
}

void armtap_inference_settle(struct inference_reading *reading)
{
    reading->has_pose = has_pose(reading);
    reading->rival = is_order_broken(&reading->tiling) ? RIVAL_OF_BROKEN : RIVAL;
}
