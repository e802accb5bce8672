/* Whether a sample of data follows a recipe, by what its values say for and against each field at its place, and for
 * the other outputs that could be there: lib/evidence weighs them, as for the analysis.
 *
 * A recipe is contradicted where another output fits clearly better at a place, or two of its own would clearly fit
 * better in each other's. Its points are the bits by which its fields fit better than others of their type: a vector
 * counts once, what never changes hardly. A name has support of its own where every exchange loses. It is contradicted
 * as well where its vectors cannot be those of one arm, whatever each of them is like.
 *
 * A recipe has rivals: the same with target and actual values exchanged, with joints and TCP exchanged, or both. Motion
 * looks the same in all of them. */
#include "rtde_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"

/* Bits by which an exchange must fit better to contradict a recipe: of two of its fields, and of one for another. */
#define CLEARLY 24
#define SURELY 90
#define SECOND 1.0
#define CLEARLY_OTHER 42
/* Against values that are no field's of the recipe: bits below those of any values. */
#define UNFIT (-25)
#define UNFIT_VECTOR (-50)
/* How often a temperature or a voltage may be above the usual, or below. */
#define UNUSUALLY 4
#define RUNNING 7
/* m/s^2 */
#define WEIGHTLESS 4
/* Share of packages in which more than that is felt, at least. */
#define WEIGHED 0.2
/* kg m/s, of an arm at rest, at most */
#define AT_REST 0.3
/* How much more than what was measured a target may tremble, and what is no trembling: errors of rounding. */
#define TREMBLES 10
#define CALM 2e-9
/* Bits by which a name must be ahead of every other. */
#define AHEAD 6
/* Outputs that nobody knows, which look like any values of their type: as many as that. */
#define UNKNOWN 40
/* Points of a field, at most, and how many it may cost. */
#define POINTS_MAX 8
#define POINTS_OF_PROGRAM 4
/* Of a clock in the first place, where most clients have it. */
#define POINTS_FIRST 2
/* Of motion that may be a target's or what was measured. */
#define POINTS_OF_ONE 3
/* Bits ahead of a rival that are worth a point: what one vector is like says little of several. */
#define AHEAD_PER_POINT 8
/* Of a mode that the dictionary knows, and of bits all of which it knows, at least. */
#define POINTS_MODE 2
#define POINTS_BITS 4
#define POINTS_LOST 5
#define POINTS_LOST_AT_REST 1
/* The same of one that never changes, and whose numbers are not those of a mode. */
#define POINTS_CONSTANT 2
/* What one vector hardly is away from another, as a target from what was measured, and what it is at most. */
#define NEAR 0.1
#define FAR 0.5
#define NEAR_BITS 8
#define FAR_BITS 30
/* What is missing between vectors counts against one, at most: noise and rest hide it from one after the other. */
#define DENIED 12
/* rad, m: ways below that tell nothing; rad/s: changes of speed, and those of an acceleration that never changes. */
#define PATH_LEAST 0.03
#define SPED_LEAST 0.2
#define SPED_EVENLY 0.05
/* rad, m: an arm that goes farther does not rest, and changes its values in more than this share of packages. A target
 * and what was measured may be apart by less than GOES; loads change as soon as it starts. */
#define GOES 0.02
#define STARTS 0.005
#define GOES_AT_TIMES 0.125
/* m: of the longest arm with a tool. */
#define REACH 3
/* Cosine of two vectors over the sample that are one quantity, at least, where both are larger than that: rad/s or m/s,
 * and A. */
#define LIKE 0.6
#define LIKE_SPEED 0.05
#define LIKE_CURRENT 1
/* How much larger one current is than another, at most. */
#define SEVERAL 3
#define VECTOR 6u
/* Elements of a vector that moves. */
#define MOVING 2u
#define NONE SIZE_MAX

struct judged {
    const struct armtap_recipe *recipe;
    const struct armtap_sample *sample;
    size_t skip;
    struct inference_view view;
    struct inference_columns columns;
    struct inference_relations relations;
    struct inference_field field[INFERENCE_FIELDS_MAX];
    size_t fields;
    uint8_t *wanted;
    size_t *own, *other; /* by place: the number of the recipe's field, and of a rival's; NONE: none is known */
    float *bits;         /* by place and field: against any value of the type */
    uint8_t *near;       /* by two places */
};
/* By two vectors: how near they are, and whether the second one cannot be the speed of the first: of all elements, or
 * of three. */
enum nearness { NEAR_ALL = 1, NEAR_LINEAR = 2, FAR_AWAY = 4, ASTRAY = 8, ASTRAY_LINEAR = 16 };

/* ---- what the values say --------------------------------------------------------------------------------------- */

static bool is_register(const struct armtap_field *field)
{
    return strncmp(field->name, "input_", 6) == 0 || strncmp(field->name, "output_", 7) == 0;
}

static bool has_type(const struct inference_field *field, const struct armtap_recipe_entry *entry)
{
    return field->size > 0 && field->type == entry->type && field->count == entry->count;
}

static size_t number_of(const struct judged *judged, const struct armtap_field *field)
{
    size_t i = 0;
    while (i < judged->fields && (judged->field[i].size == 0 || judged->field[i].field != field))
        i++;
    return field && i < judged->fields ? i : NONE;
}

/* Registers are all alike: one stands for those of its type. */
static size_t register_of(const struct judged *judged, const struct armtap_recipe_entry *entry)
{
    size_t i = 0;
    while (i < judged->fields && !(judged->field[i].repeats && has_type(&judged->field[i], entry)))
        i++;
    return i < judged->fields ? i : NONE;
}

static size_t place_at(const struct judged *judged, size_t i)
{
    return judged->skip + judged->recipe->entries[i].offset;
}

static bool is_vector(const struct armtap_recipe_entry *entry)
{
    return entry->type == ARMTAP_DOUBLE && entry->count == VECTOR;
}

static double bits_at(const struct judged *judged, size_t i, size_t field)
{
    return field == NONE ? 0 : (double)judged->bits[i * judged->fields + field];
}

/* Bits of any values of the type. */
static double any_at(const struct judged *judged, const struct armtap_recipe_entry *entry, size_t place)
{
    const float *gain = judged->columns.gain[armtap_inference_gain_of(entry->type)];
    double bits = 0;
    for (unsigned k = 0; k < entry->count; k++)
        bits += (double)gain[place + k * armtap_type_width(entry->type)];
    return bits;
}

static bool is_constant(const struct judged *judged, size_t i, bool *is_zero)
{
    const struct armtap_recipe_entry *entry = &judged->recipe->entries[i];
    const uint8_t *first = judged->view.bytes + place_at(judged, i);
    bool is = true;
    *is_zero = true;
    for (unsigned row = 1; row < judged->view.count && is; row++)
        is = memcmp(armtap_inference_row(&judged->view, row) + place_at(judged, i), first, entry->wire_size) == 0;
    for (size_t byte = 0; byte < entry->wire_size && *is_zero; byte++)
        *is_zero = first[byte] == 0;
    *is_zero = *is_zero && is;
    return is;
}

static bool is_all_zero(const struct judged *judged, size_t i)
{
    bool is_zero;
    is_constant(judged, i, &is_zero);
    return is_zero;
}

/* Whether there are targets of speeds, and all are 0, as while an arm is led by hand. */
static bool targets_rest(const struct judged *judged)
{
    bool has = false;
    for (size_t i = 0; i < judged->recipe->count; i++) {
        const struct armtap_field *field = judged->recipe->entries[i].field;
        if (!field || (field->id != ARMTAP_ID_target_qd && field->id != ARMTAP_ID_target_TCP_speed))
            continue;
        if (!is_all_zero(judged, i))
            return false;
        has = true;
    }
    return has;
}

static void weigh_place(struct judged *judged, size_t i, const struct inference_relations *of_numbers)
{
    const struct armtap_recipe_entry *entry = &judged->recipe->entries[i];
    const bool is_number = entry->type == ARMTAP_DOUBLE && entry->count == 1;
    size_t place = place_at(judged, i);
    double any = any_at(judged, entry, place);
    for (size_t field = 0; field < judged->fields; field++)
        if (has_type(&judged->field[field], entry) && !judged->field[field].repeats)
            judged->bits[i * judged->fields + field] =
                (float)(armtap_inference_weigh(&judged->columns, is_number ? of_numbers : &judged->relations, field,
                                               &judged->field[field], place) -
                        any);
}

static void want(struct judged *judged)
{
    for (size_t i = 0; i < judged->recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &judged->recipe->entries[i];
        for (unsigned k = 0; k < entry->count && judged->own[i] != NONE; k++)
            judged->wanted[place_at(judged, i) + k * armtap_type_width(entry->type)] = (uint8_t)(k + 1);
    }
}

static double value_at(const struct judged *judged, size_t i, unsigned row, unsigned element)
{
    const struct column *column = armtap_inference_column(&judged->columns, place_at(judged, i) + 8 * element);
    return !column ? 0 : column->values ? column->values[row] : column->mean;
}

/* Whether two vectors are near one another; of values near 0 it says nothing. */
static uint8_t nearness_of(const struct judged *judged, size_t i, size_t k)
{
    double linear = 0, all = 0;
    unsigned told = 0, told_linear = 0;
    for (unsigned element = 0; element < VECTOR; element++) {
        bool tells = true;
        for (unsigned row = 0; row < judged->view.count && all < FAR; row++) {
            double one = value_at(judged, i, row, element), other = value_at(judged, k, row, element);
            all = fmax(all, fabs(one - other));
            tells = tells && fabs(one) > NEAR && fabs(other) > NEAR;
        }
        told += tells;
        if (element < 3) {
            linear = all;
            told_linear += tells;
        }
    }
    return (uint8_t)((all < NEAR && told >= 2 ? NEAR_ALL : 0) | (linear < NEAR && told_linear >= 2 ? NEAR_LINEAR : 0) |
                     (linear >= FAR ? FAR_AWAY : 0));
}

/* What is summed up, and its least and most. */
struct sway {
    double sum, least, most;
};

static void sway_on(struct sway *sway, double step)
{
    sway->sum += step;
    sway->least = fmin(sway->least, sway->sum);
    sway->most = fmax(sway->most, sway->sum);
}

static double width_of(const struct sway *sway)
{
    return sway->most - sway->least;
}

/* Whether an element goes elsewhere than its derivative leads it, by more than `least`. */
static bool goes_astray(const struct judged *judged, size_t i, size_t k, unsigned element, double least)
{
    struct sway way = {0, 0, 0}, led = {0, 0, 0}, apart = {0, 0, 0};
    for (unsigned row = 0; row + 1 < judged->view.count; row++) {
        if (!armtap_inference_goes_on(&judged->view, row))
            continue;
        const double speed = (value_at(judged, k, row, element) + value_at(judged, k, row + 1, element)) / 2;
        const double step = value_at(judged, i, row + 1, element) - value_at(judged, i, row, element);
        sway_on(&way, step);
        sway_on(&led, speed * judged->relations.step);
        sway_on(&apart, step - speed * judged->relations.step);
    }
    return width_of(&apart) > least + fmax(width_of(&way), width_of(&led)) / 2;
}

/* A speed that is always 0 may be one that nothing computes. */
static uint8_t straying_of(const struct judged *judged, size_t i, size_t k)
{
    const bool is_computed = judged->relations.step > 0 && !is_all_zero(judged, k);
    unsigned linear = 0, all = 0;
    for (unsigned element = 0; element < VECTOR && is_computed; element++) {
        const bool is_astray = goes_astray(judged, i, k, element, PATH_LEAST);
        all += is_astray;
        linear += is_astray && element < 3;
    }
    return (uint8_t)((all > 0 ? ASTRAY : 0) | (linear > 0 ? ASTRAY_LINEAR : 0));
}

static void find_near(struct judged *judged)
{
    const struct armtap_recipe_entry *entries = judged->recipe->entries;
    for (size_t i = 0; i < judged->recipe->count; i++)
        for (size_t k = 0; k < judged->recipe->count; k++)
            if (i != k && is_vector(&entries[i]) && is_vector(&entries[k]))
                judged->near[i * judged->recipe->count + k] =
                    (uint8_t)(nearness_of(judged, i, k) | straying_of(judged, i, k));
}

static int read(struct judged *judged, long clock)
{
    judged->view.bytes = judged->sample->bytes;
    judged->view.length = judged->sample->length;
    judged->view.count = judged->sample->count;
    for (unsigned row = 0; row < judged->sample->count; row++)
        judged->view.begin[row] =
            row > 0 && armtap_sample_goes_on(judged->sample, row - 1) ? judged->view.begin[row - 1] : (uint16_t)row;
    want(judged);
    int error = armtap_inference_columns_read(&judged->columns, &judged->view, judged->wanted);
    if (error == ARMTAP_OK)
        error = armtap_inference_relations_find(&judged->relations, &judged->columns, NULL, NULL);
    if (error != ARMTAP_OK)
        return error;
    judged->relations.clock = clock >= 0 ? (size_t)clock : SIZE_MAX; /* the capture's times tell it better */
    struct inference_relations of_numbers = judged->relations;       /* a momentum rests with its targets */
    of_numbers.moved = of_numbers.moved && !targets_rest(judged);
    for (size_t i = 0; i < judged->recipe->count; i++)
        if (judged->own[i] != NONE)
            weigh_place(judged, i, &of_numbers);
    find_near(judged);
    return ARMTAP_OK;
}

static struct judged *begin(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip)
{
    struct judged *judged = calloc(1, sizeof *judged);
    const size_t count = recipe->count + 1;
    if (!judged)
        return NULL;
    *judged =
        (struct judged){.recipe = recipe, .sample = sample, .skip = skip, .fields = armtap_inference_field_count()};
    judged->wanted = calloc(sample->length + 1, 1);
    judged->own = calloc(2 * count, sizeof *judged->own);
    judged->other = judged->own + count;
    judged->bits = calloc(count * judged->fields, sizeof *judged->bits);
    judged->near = calloc(count * count, 1);
    for (size_t i = 0; i < judged->fields; i++)
        if (!armtap_inference_field_at(i, &judged->field[i]))
            judged->field[i].size = 0;
    for (size_t i = 0; judged->own && i < recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        bool is_plain = entry->field && entry->wire_size == armtap_type_width(entry->type) * entry->count;
        judged->own[i] = !is_plain                   ? NONE
                         : is_register(entry->field) ? register_of(judged, entry)
                                                     : number_of(judged, entry->field);
        if (judged->own[i] != NONE && !has_type(&judged->field[judged->own[i]], entry))
            judged->own[i] = NONE;
    }
    return judged;
}

static void end(struct judged *judged)
{
    if (!judged)
        return;
    armtap_inference_relations_clear(&judged->relations);
    armtap_inference_columns_clear(&judged->columns);
    free(judged->wanted);
    free(judged->own);
    free(judged->bits);
    free(judged->near);
    free(judged);
}

/* ---- fields at places ------------------------------------------------------------------------------------------ */

/* Whether a vector does more than flicker around a value. */
static bool moves(const struct judged *judged, size_t i)
{
    unsigned moving = 0;
    for (unsigned element = 0; element < VECTOR; element++) {
        const struct column *column = armtap_inference_column(&judged->columns, place_at(judged, i) + 8 * element);
        moving += column && column->values && column->paces != PACE_FLICKERS;
    }
    return moving >= MOVING;
}

/* The bond that a pair of groups has on a robot, between two vectors that move. Whose pose follows from which joints is
 * not looked for here. */
static double bond_bits(const struct judged *judged, const struct inference_pair *pair, size_t from, size_t to)
{
    const struct inference_relations *relations = &judged->relations;
    const size_t one = place_at(judged, from), other = place_at(judged, to);
    if (pair->bond == BOND_POSE || !relations->moved || !moves(judged, from) || !moves(judged, to) ||
        relations->block[one] < 0 || relations->block[other] < 0)
        return 0;
    return (double)(armtap_inference_bonds(relations, one, other) & pair->bond ? pair->proof : -pair->denial);
}

static double near_bits(const struct judged *judged, enum inference_group group, size_t i, size_t k)
{
    const uint8_t near = judged->near[i * judged->recipe->count + k];
    const uint8_t is = group == GROUP_JOINTS ? NEAR_ALL : group == GROUP_POSES ? NEAR_LINEAR : 0;
    return is == 0 ? 0 : near & is ? NEAR_BITS : near & FAR_AWAY ? -FAR_BITS : 0;
}

static double stray_bits(const struct judged *judged, enum inference_group one, enum inference_group two, size_t i,
                         size_t k)
{
    const uint8_t is = one == GROUP_JOINTS && two == GROUP_SPEEDS       ? ASTRAY
                       : one == GROUP_POSES && two == GROUP_TOOL_SPEEDS ? ASTRAY_LINEAR
                                                                        : 0;
    return judged->near[i * judged->recipe->count + k] & is ? -FAR_BITS : 0;
}

/* What two fields at two places say about each other: by their bonds, and by how near they are and where they go. */
struct said {
    double bonds, ways;
};

static struct said said_of(const struct judged *judged, size_t i, size_t field, size_t k, size_t other)
{
    const struct inference_pair *pair;
    struct said said = {0, 0};
    if (field == NONE || other == NONE)
        return said;
    const enum inference_group one = judged->field[field].group, two = judged->field[other].group;
    if (one == GROUPS || two == GROUPS)
        return said;
    for (size_t row = 0; (pair = armtap_inference_pair_at(row)); row++) {
        if (pair->one == one && pair->other == two)
            said.bonds += bond_bits(judged, pair, i, k);
        else if (pair->one == two && pair->other == one)
            said.bonds += bond_bits(judged, pair, k, i);
    }
    said.ways = one == two ? near_bits(judged, one, i, k)
                           : stray_bits(judged, one, two, i, k) + stray_bits(judged, two, one, k, i);
    return said;
}

static double pair_bits(const struct judged *judged, size_t i, size_t field, size_t k, size_t other)
{
    const struct said said = said_of(judged, i, field, k, other);
    return said.bonds + said.ways;
}

/* Bits of a field at a place, with what it says about those of `fields` everywhere else; `but`: not there. */
static double bits_with(const struct judged *judged, const size_t *fields, size_t i, size_t field, size_t but)
{
    double proof = 0, denial = 0;
    for (size_t k = 0; k < judged->recipe->count && is_vector(&judged->recipe->entries[i]); k++)
        if (k != i && k != but && is_vector(&judged->recipe->entries[k])) {
            const struct said said = said_of(judged, i, field, k, fields[k]);
            proof += fmax(said.bonds, 0) + said.ways;
            denial += fmin(said.bonds, 0);
        }
    return bits_at(judged, i, field) + proof + fmax(denial, -DENIED);
}

static double bits_of_all(const struct judged *judged, const size_t *fields)
{
    double bits = 0;
    for (size_t i = 0; i < judged->recipe->count; i++) {
        bits += bits_at(judged, i, fields[i]);
        for (size_t k = 0; k < i && is_vector(&judged->recipe->entries[i]); k++)
            if (is_vector(&judged->recipe->entries[k]))
                bits += pair_bits(judged, i, fields[i], k, fields[k]);
    }
    return bits;
}

/* The middle size of second differences, of all elements. */
static double trembling_of(const struct judged *judged, size_t i)
{
    double sizes[VECTOR * ARMTAP_SAMPLE_MAX];
    size_t count = 0;
    for (unsigned element = 0; element < VECTOR; element++)
        for (unsigned row = 2; row < judged->view.count; row++)
            if (armtap_inference_go_on(&judged->view, row - 2, 2))
                sizes[count++] = fabs(value_at(judged, i, row, element) - 2 * value_at(judged, i, row - 1, element) +
                                      value_at(judged, i, row - 2, element));
    qsort(sizes, count, sizeof *sizes, armtap_inference_by_size);
    return count > 0 ? sizes[count / 2] : 0;
}

/* Whether both are a target and what was measured, of which only trembling tells which is which; *gain: what it says.
 */
static bool are_alike(const struct judged *judged, size_t i, size_t k, double *gain)
{
    const struct inference_field *one = &judged->field[judged->own[i]], *other = &judged->field[judged->own[k]];
    const bool is_calmer = armtap_inference_is_calmer(one, other);
    if (!is_calmer && !armtap_inference_is_calmer(other, one))
        return false;
    const double calm = trembling_of(judged, is_calmer ? i : k), most = trembling_of(judged, is_calmer ? k : i);
    *gain = calm > TREMBLES * most + CALM ? SURELY : most > TREMBLES * calm + CALM ? -SURELY : 0;
    return true;
}

/* How much better it fits if two fields change places. */
static double gain_of_exchange(const struct judged *judged, size_t i, size_t k)
{
    const size_t *own = judged->own;
    double gain;
    if (are_alike(judged, i, k, &gain))
        return gain;
    return bits_with(judged, own, i, own[k], k) + bits_with(judged, own, k, own[i], i) +
           pair_bits(judged, i, own[k], k, own[i]) - bits_with(judged, own, i, own[i], k) -
           bits_with(judged, own, k, own[k], i) - pair_bits(judged, i, own[i], k, own[k]);
}

/* Whether values are far from those of a quantity that is never near 0: a temperature, a voltage. Without power, some
 * are 0: these count only if told so. */
static bool is_far(const struct judged *judged, size_t i, size_t field, bool zeros_count)
{
    double least, most;
    for (unsigned element = 0; element < judged->field[field].count && judged->field[field].is_never_zero; element++) {
        armtap_inference_usual(field, element, &least, &most);
        for (unsigned row = 0; row < judged->view.count; row++) {
            const double value = value_at(judged, i, row, element);
            if (value == 0 ? zeros_count : value < least / UNUSUALLY || value > most * UNUSUALLY)
                return true;
        }
    }
    return false;
}

static bool may_exchange(const struct judged *judged, size_t i, size_t k)
{
    const struct armtap_recipe_entry *a = &judged->recipe->entries[i], *b = &judged->recipe->entries[k];
    return i != k && judged->own[i] != judged->own[k] && judged->own[i] != NONE && judged->own[k] != NONE &&
           a->type == b->type && a->count == b->count && !is_far(judged, i, judged->own[k], true) &&
           !is_far(judged, k, judged->own[i], true);
}

/* The same for another field of the dictionary at that place alone. */
static double gain_of_other(const struct judged *judged, size_t i, size_t field)
{
    return bits_with(judged, judged->own, i, field, NONE) - bits_with(judged, judged->own, i, judged->own[i], NONE);
}

/* Whether two fields are one quantity: a target that follows the arm is like what was measured, and a simulator
 * measures its targets. */
static bool are_one(const struct judged *judged, size_t one, size_t other)
{
    const struct inference_field *a = &judged->field[one], *b = &judged->field[other];
    return (a->group != GROUPS && a->group == b->group) || armtap_inference_is_calmer(a, b) ||
           armtap_inference_is_calmer(b, a);
}

static bool may_be(const struct judged *judged, size_t i, size_t field)
{
    return judged->own[i] != NONE && field != judged->own[i] && judged->field[field].type == ARMTAP_DOUBLE &&
           has_type(&judged->field[field], &judged->recipe->entries[i]) && !are_one(judged, field, judged->own[i]) &&
           !is_far(judged, i, field, true);
}

/* ---- against a recipe ------------------------------------------------------------------------------------------ */

static void contradict(struct armtap_rtde_evidence *evidence, const char *against, const char *rival)
{
    evidence->contradicted = true;
    evidence->against = against;
    evidence->rival = rival;
}

/* s; without times: 0. */
static double span_of(const struct armtap_sample *sample)
{
    const int64_t from = sample->time[0], to = sample->time[sample->count - 1];
    return from == ARMTAP_NO_TIME || to == ARMTAP_NO_TIME || to < from ? 0 : (double)(to - from) / 1e9;
}

/* Bits by which an exchange must fit better: zeros may be any field's, so that only one of both places speaks;
 * in less than a second, an arm hardly moves. */
static double clearly(const struct judged *judged, size_t i, size_t k)
{
    const bool is_short = is_vector(&judged->recipe->entries[i]) && span_of(judged->sample) < SECOND;
    return is_short || is_all_zero(judged, i) || is_all_zero(judged, k) ? CLEARLY_OTHER : CLEARLY;
}

/* Whether an accelerometer hardly ever feels gravity; one that is always 0 is a simulator's. */
static bool is_weightless(const struct judged *judged, size_t i)
{
    unsigned heavy = 0;
    bool is_zero;
    is_constant(judged, i, &is_zero);
    for (unsigned row = 0; row < judged->view.count; row++) {
        double squares = 0;
        for (unsigned element = 0; element < 3; element++)
            squares += value_at(judged, i, row, element) * value_at(judged, i, row, element);
        heavy += squares > WEIGHTLESS * WEIGHTLESS;
    }
    return !is_zero && heavy < WEIGHED * judged->view.count;
}

/* Whether a momentum is that of an arm that moves all the time. */
static bool never_rests(const struct judged *judged, size_t i)
{
    double least = INFINITY;
    for (unsigned row = 0; row < judged->view.count; row++)
        least = fmin(least, value_at(judged, i, row, 0));
    return least > AT_REST;
}

/* Whether a number is another one in nearly all packages, and none follows from the ones before. */
static bool is_noise(const struct judged *judged, size_t place)
{
    const struct column *column = armtap_inference_column(&judged->columns, place);
    return column && column->values && column->change == CHANGE_ALWAYS && column->curve == CURVE_ROUGH;
}

/* Whether values are no robot's with power, or without. */
static bool is_unusual(const struct judged *judged, size_t i, bool has_power)
{
    const struct armtap_recipe_entry *entry = &judged->recipe->entries[i];
    if (entry->field && entry->field->id == ARMTAP_ID_actual_tool_accelerometer)
        return has_power && is_weightless(judged, i);
    if (entry->field && entry->field->id == ARMTAP_ID_actual_momentum)
        return !judged->relations.moved && never_rests(judged, i);
    if (entry->field && entry->field->id == ARMTAP_ID_speed_scaling && is_noise(judged, place_at(judged, i)))
        return true;
    return judged->own[i] != NONE && is_far(judged, i, judged->own[i], has_power);
}

static enum inference_group group_at(const struct judged *judged, size_t i)
{
    const bool has_group = judged->own[i] != NONE && is_vector(&judged->recipe->entries[i]);
    return has_group ? judged->field[judged->own[i]].group : GROUPS;
}

static bool is_current(enum inference_group group)
{
    return group == GROUP_CURRENTS || group == GROUP_TARGET_CURRENT;
}

/* Whether a real robot was measured: temperatures or voltages change, which some simulators leave at one value, or
 * currents or an accelerometer have noise. */
static bool is_measured(const struct judged *judged)
{
    bool is_zero;
    for (size_t i = 0; i < judged->recipe->count; i++) {
        const struct armtap_field *field = judged->recipe->entries[i].field;
        if (judged->own[i] == NONE)
            continue;
        if (judged->field[judged->own[i]].is_never_zero && !is_constant(judged, i, &is_zero))
            return true;
        if ((group_at(judged, i) == GROUP_CURRENTS || field->id == ARMTAP_ID_actual_tool_accelerometer) &&
            is_noise(judged, place_at(judged, i)) && is_noise(judged, place_at(judged, i) + 8))
            return true;
    }
    return false;
}

/* Whether a robot was measured while the arm moves, or its mode is that of one that runs. */
static bool is_powered(const struct judged *judged)
{
    const struct armtap_recipe_entry *entries = judged->recipe->entries;
    if (!is_measured(judged))
        return false;
    for (size_t i = 0; i < judged->recipe->count; i++)
        if (entries[i].field && entries[i].field->id == ARMTAP_ID_robot_mode &&
            armtap_inference_integer(judged->view.bytes + place_at(judged, i), 4) == RUNNING)
            return true;
    return judged->relations.moved;
}

/* Whether values are hardly the field's, or a mode is none in which an arm moves. */
static bool is_unfit(const struct judged *judged, size_t i)
{
    const struct armtap_recipe_entry *entry = &judged->recipe->entries[i];
    const double least = is_vector(entry) ? UNFIT_VECTOR : UNFIT;
    const bool is_mode = judged->own[i] != NONE && judged->field[judged->own[i]].is_state && judged->relations.moved;
    return (entry->type == ARMTAP_DOUBLE || is_mode) && bits_at(judged, i, judged->own[i]) < least;
}

static void find_contradiction(const struct judged *judged, struct armtap_rtde_evidence *evidence)
{
    const struct armtap_recipe_entry *entries = judged->recipe->entries;
    const bool has_power = is_powered(judged);
    double most = 0, gain;
    for (size_t i = 0; i < judged->recipe->count; i++) {
        for (size_t k = 0; k < i; k++)
            if (may_exchange(judged, i, k) && (gain = gain_of_exchange(judged, i, k) - clearly(judged, i, k)) > most) {
                most = gain;
                contradict(evidence, entries[i].name, entries[k].name);
            }
        for (size_t field = 0; field < judged->fields; field++)
            if (may_be(judged, i, field) &&
                (gain = gain_of_other(judged, i, field) + judged->field[field].log_chance -
                        (judged->field[field].is_never_zero ? CLEARLY : CLEARLY_OTHER)) > most) {
                most = gain;
                contradict(evidence, entries[i].name, judged->field[field].name);
            }
        if (most == 0 && (is_unfit(judged, i) || is_unusual(judged, i, has_power)))
            contradict(evidence, entries[i].name, NULL);
    }
}

/* ---- what no arm does ------------------------------------------------------------------------------------------ */

static bool goes_by(const struct judged *judged, size_t i, double least)
{
    for (unsigned element = 0; element < VECTOR; element++) {
        const struct column *column = armtap_inference_column(&judged->columns, place_at(judged, i) + 8 * element);
        if (column && column->values && column->most - column->least > least && column->still < 1 - GOES_AT_TIMES)
            return true;
    }
    return false;
}

static bool goes(const struct judged *judged, size_t i)
{
    return goes_by(judged, i, GOES);
}

static bool some_go(const struct judged *judged, enum inference_group group, double least)
{
    bool some = false;
    for (size_t i = 0; i < judged->recipe->count && !some; i++)
        some = group_at(judged, i) == group && goes_by(judged, i, least);
    return some;
}

static bool is_name_of(const struct judged *judged, size_t i, const char *aim)
{
    return strncmp(judged->field[judged->own[i]].name, aim, strlen(aim)) == 0;
}

/* Whether a momentum flickers while the arm goes somewhere. */
static bool flickers(const struct judged *judged, size_t i)
{
    const struct armtap_field *field = judged->recipe->entries[i].field;
    return field && field->id == ARMTAP_ID_actual_momentum && some_go(judged, GROUP_JOINTS, GOES) &&
           is_noise(judged, place_at(judged, i)) &&
           armtap_inference_column(&judged->columns, place_at(judged, i))->paces == PACE_FLICKERS;
}

/* Whether a vector stays as it is while the arm goes somewhere, and the field does not; measured forces never do. Some
 * are always 0 on a simulator; targets of speeds while the arm is led by hand, and a sensor's forces without a sensor,
 * on any robot. */
static bool is_stuck(const struct judged *judged, size_t i)
{
    const enum inference_group group = group_at(judged, i);
    bool is_zero;
    if (group == GROUPS || !is_constant(judged, i, &is_zero))
        return false;
    if (group == GROUP_JOINTS || group == GROUP_POSES)
        return some_go(judged, GROUP_JOINTS, GOES) || some_go(judged, GROUP_POSES, GOES);
    if (is_current(group) || group == GROUP_MOMENT)
        return some_go(judged, GROUP_JOINTS, STARTS) && (!is_zero || is_measured(judged));
    if (group == GROUP_FORCES)
        return !is_zero && is_measured(judged);
    return is_zero && is_name_of(judged, i, "actual") && is_measured(judged) &&
           ((group == GROUP_SPEEDS && some_go(judged, GROUP_JOINTS, GOES)) ||
            (group == GROUP_TOOL_SPEEDS && some_go(judged, GROUP_POSES, GOES)));
}

/* Products of two vectors, summed up over the sample. */
struct products {
    double both, one, other;
};

static struct products products_of(const struct judged *judged, size_t i, size_t k)
{
    struct products sum = {0, 0, 0};
    for (unsigned row = 0; row < judged->view.count; row++)
        for (unsigned element = 0; element < VECTOR; element++) {
            const double a = value_at(judged, i, row, element), b = value_at(judged, k, row, element);
            sum.both += a * b / judged->view.count;
            sum.one += a * a / judged->view.count;
            sum.other += b * b / judged->view.count;
        }
    return sum;
}

/* Whether two vectors point elsewhere, both being larger than `least`. */
static bool are_unlike(const struct judged *judged, size_t i, size_t k, double least)
{
    const struct products sum = products_of(judged, i, k);
    return fmin(sum.one, sum.other) > least * least && sum.both < LIKE * sqrt(sum.one * sum.other);
}

/* Whether one of two currents is several times the other, unless that is one that a simulator leaves at 0. */
static bool is_multiple(const struct judged *judged, size_t i, size_t k)
{
    const struct products sum = products_of(judged, i, k);
    const double least = fmin(sum.one, sum.other), most = fmax(sum.one, sum.other);
    return least > 0 && most > SEVERAL * SEVERAL * fmax(least, LIKE_CURRENT * LIKE_CURRENT);
}

/* Whether speeds change by something else than an acceleration; one that is always 0 may be one that nothing computes.
 */
static bool is_sped_otherwise(const struct judged *judged, size_t i, size_t k)
{
    bool is_zero, is_even = is_constant(judged, k, &is_zero), is_otherwise = false;
    for (unsigned element = 0; element < VECTOR && !is_zero && judged->relations.step > 0; element++)
        is_otherwise = is_otherwise || goes_astray(judged, i, k, element, is_even ? SPED_EVENLY : SPED_LEAST);
    return is_otherwise;
}

static double way_of(const struct judged *judged, size_t i, unsigned row, unsigned element)
{
    return fabs(value_at(judged, i, row + 1, element) - value_at(judged, i, row, element));
}

/* Whether a pose goes farther than its joints can take it, but for one step, with which another tool comes. */
static bool outruns(const struct judged *judged, size_t pose, size_t joints)
{
    double path = 0, turned = 0, most = 0;
    for (unsigned row = 0; row + 1 < judged->view.count; row++) {
        const double x = way_of(judged, pose, row, 0), y = way_of(judged, pose, row, 1),
                     z = way_of(judged, pose, row, 2);
        const double step = sqrt(x * x + y * y + z * z);
        most = fmax(most, step);
        path += step;
        for (unsigned element = 0; element < VECTOR; element++)
            turned += way_of(judged, joints, row, element);
    }
    return path - most > REACH * turned + PATH_LEAST;
}

/* Whether joints are to move and the tool is not, or the other way round. */
static bool aims_apart(const struct judged *judged, size_t i, size_t k)
{
    return is_name_of(judged, i, "target") && is_name_of(judged, k, "target") &&
           ((is_all_zero(judged, i) && goes(judged, k)) || (is_all_zero(judged, k) && goes(judged, i)));
}

/* Whether two vectors cannot both be what the recipe says. */
static bool are_apart(const struct judged *judged, size_t i, size_t k)
{
    const enum inference_group one = group_at(judged, i), other = group_at(judged, k);
    if (one == GROUPS || other == GROUPS)
        return false;
    if (one == GROUP_SPEEDS && other == GROUP_ACCELERATIONS)
        return is_sped_otherwise(judged, i, k);
    if (one == GROUP_SPEEDS && other == GROUP_TOOL_SPEEDS)
        return aims_apart(judged, i, k);
    if (one == GROUP_POSES && other == GROUP_JOINTS &&
        is_name_of(judged, i, "target") == is_name_of(judged, k, "target") && outruns(judged, i, k))
        return true;
    if (is_current(one) && is_current(other))
        return are_unlike(judged, i, k, LIKE_CURRENT) || is_multiple(judged, i, k);
    if (one == other && (one == GROUP_SPEEDS || one == GROUP_TOOL_SPEEDS))
        return are_unlike(judged, i, k, LIKE_SPEED);
    return judged->relations.moved && said_of(judged, i, judged->own[i], k, judged->own[k]).ways < 0;
}

/* Of two vectors that are apart, names the one that fits its place worse. */
static void find_impossible(const struct judged *judged, struct armtap_rtde_evidence *evidence)
{
    const struct armtap_recipe_entry *entries = judged->recipe->entries;
    for (size_t i = 0; i < judged->recipe->count && !evidence->contradicted; i++) {
        if (is_stuck(judged, i) || flickers(judged, i))
            contradict(evidence, entries[i].name, NULL);
        for (size_t k = 0; k < judged->recipe->count && !evidence->contradicted; k++)
            if (k != i && are_apart(judged, i, k)) {
                const bool is_first = bits_at(judged, i, judged->own[i]) < bits_at(judged, k, judged->own[k]);
                contradict(evidence, entries[is_first ? i : k].name, NULL);
            }
    }
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

/* Bits by which a field fits its place better than others of its type do on average. */
static double points_at(const struct judged *judged, size_t i)
{
    const struct armtap_recipe_entry *entry = &judged->recipe->entries[i];
    double sum = UNKNOWN, count = UNKNOWN;
    bool is_zero, is_const = is_constant(judged, i, &is_zero);
    if (judged->own[i] == NONE || judged->field[judged->own[i]].repeats)
        return 0;
    double own = bits_at(judged, i, judged->own[i]);
    for (size_t field = 0; field < judged->fields; field++)
        if (has_type(&judged->field[field], entry) && !judged->field[field].repeats) {
            own = are_one(judged, field, judged->own[i]) ? fmax(own, bits_at(judged, i, field)) : own;
            sum += exp2(fmin(bits_at(judged, i, field), 60));
            count++;
        }
    double points = own - log2(sum / count);
    const struct armtap_enum_value *value =
        judged->field[judged->own[i]].is_state && !is_zero ? armtap_enum_at(entry->field, 0) : NULL;
    if (value)
        points = fmax(points, value->is_bit ? POINTS_BITS : POINTS_MODE);
    const bool is_telling = entry->type != ARMTAP_DOUBLE || judged->field[judged->own[i]].is_never_zero;
    const bool is_first = entry->field->id == ARMTAP_ID_timestamp && entry->offset == 0;
    const double most = is_first ? POINTS_FIRST : is_zero ? 0 : is_const && !is_telling ? POINTS_CONSTANT : POINTS_MAX;
    const double lost = is_const && !is_telling                 ? 0
                        : is_vector(entry) && !moves(judged, i) ? POINTS_LOST_AT_REST
                                                                : POINTS_LOST;
    return fmax(fmin(points, most), -lost);
}

enum { SWAP_TWINS = 1, SWAP_SPACES = 2, SWAPS = 4 };

static size_t twin_of(const struct judged *judged, size_t field)
{
    const struct inference_field *own = &judged->field[field];
    const bool has_twin = own->group == GROUP_JOINTS || own->group == GROUP_SPEEDS || own->group == GROUP_POSES ||
                          own->group == GROUP_TOOL_SPEEDS;
    for (size_t i = 0; has_twin && i < judged->fields; i++)
        if (i != field && judged->field[i].group == own->group)
            return i;
    return field;
}

/* Puts the fields of a rival into `other`; false: it is the same. */
static bool make_rival(struct judged *judged, unsigned swap)
{
    bool differs = false;
    for (size_t i = 0; i < judged->recipe->count; i++) {
        size_t field = judged->own[i];
        if (field != NONE && swap & SWAP_TWINS)
            field = twin_of(judged, field);
        if (field != NONE && swap & SWAP_SPACES && judged->field[field].in_other_space)
            field = number_of(judged, judged->field[field].in_other_space);
        judged->other[i] = field;
        differs = differs || field != judged->own[i];
    }
    return differs;
}

/* Two fields say whether a program runs. */
static bool has_program(const struct judged *judged)
{
    bool runs = false, is_playing = false;
    for (size_t i = 0; i < judged->recipe->count; i++) {
        const struct armtap_field *field = judged->recipe->entries[i].field;
        if (!field || judged->recipe->entries[i].type != ARMTAP_UINT32)
            continue;
        const uint64_t value = armtap_inference_integer(judged->view.bytes + place_at(judged, i), 4);
        runs = runs || (field->id == ARMTAP_ID_robot_status_bits && value & 2);
        is_playing = is_playing || (field->id == ARMTAP_ID_runtime_state && value == 2);
    }
    return runs && is_playing;
}

/* Points of the fields that a rival changes; of targets and what was measured, those that stand alone. */
static double points_of_changed(struct judged *judged, unsigned swap)
{
    double points = 0;
    make_rival(judged, swap);
    for (size_t i = 0; i < judged->recipe->count; i++) {
        bool is_changed = judged->other[i] != judged->own[i];
        for (size_t k = 0; k < judged->recipe->count && swap == SWAP_TWINS && is_changed; k++)
            is_changed = judged->own[k] != judged->other[i];
        points += is_changed ? points_at(judged, i) : 0;
    }
    return fmax(points, 0);
}

/* Where joints and TCP may as well be exchanged, their points count only as far as the recipe is ahead of that rival.
 * Nothing but noise, which a simulator lacks, tells a target that stands alone from what was measured. */
static double points_of_all(struct judged *judged)
{
    double points = has_program(judged) ? POINTS_OF_PROGRAM : 0;
    for (size_t i = 0; i < judged->recipe->count; i++)
        points += points_at(judged, i);
    const double alone = points_of_changed(judged, SWAP_TWINS), of_space = points_of_changed(judged, SWAP_SPACES);
    const double ahead =
        judged->relations.moved ? bits_of_all(judged, judged->own) - bits_of_all(judged, judged->other) : 0;
    return points -
           fmax(alone - fmin(alone, POINTS_OF_ONE), of_space - fmin(of_space, fmax(ahead / AHEAD_PER_POINT, 0)));
}

/* ---- in words -------------------------------------------------------------------------------------------------- */

static void say(struct armtap_line *reasons, const char *name, const char *what, const char *other)
{
    armtap_line_string(reasons, reasons->length > 0 ? "; " : "");
    armtap_line_string(reasons, name);
    armtap_line_string(reasons, what);
    armtap_line_string(reasons, other);
}

/* The field of which a vector is the derivative, or which it follows. */
static const char *related(const struct judged *judged, size_t i, const char **what)
{
    const struct inference_field *own = &judged->field[judged->own[i]];
    for (size_t k = 0; k < judged->recipe->count; k++) {
        if (k == i || judged->own[k] == NONE || !is_vector(&judged->recipe->entries[k]))
            continue;
        const enum inference_group other = judged->field[judged->own[k]].group;
        const unsigned bonds = armtap_inference_bonds(&judged->relations, place_at(judged, k), place_at(judged, i));
        if ((own->group == GROUP_SPEEDS && other == GROUP_JOINTS && bonds & BOND_SPEED) ||
            (own->group == GROUP_ACCELERATIONS && other == GROUP_SPEEDS && bonds & BOND_SPEED) ||
            (own->group == GROUP_TOOL_SPEEDS && other == GROUP_POSES && bonds & BOND_LINEAR_SPEED)) {
            *what = " is the derivative of ";
            return judged->recipe->entries[k].name;
        }
        if (own->group == other && near_bits(judged, other, i, k) > 0 && strncmp(own->name, "target", 6) == 0) {
            *what = " follows ";
            return judged->recipe->entries[k].name;
        }
    }
    return NULL;
}

static void explain(const struct judged *judged, struct armtap_line *reasons)
{
    for (size_t i = 0; i < judged->recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &judged->recipe->entries[i];
        if (judged->own[i] == NONE)
            continue;
        const char *what = entry->type != ARMTAP_DOUBLE                              ? " has known values"
                           : entry->field->id == ARMTAP_ID_timestamp                 ? " keeps time"
                           : entry->field->id == ARMTAP_ID_actual_tool_accelerometer ? " shows gravity"
                                                                                     : " has usual values";
        const char *other = is_vector(entry) ? related(judged, i, &what) : NULL;
        if (points_at(judged, i) >= 1 || other)
            say(reasons, entry->name, what, other ? other : "");
    }
}

/* ---- the judgement --------------------------------------------------------------------------------------------- */

int armtap_rtde_judge(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                      struct armtap_rtde_evidence *evidence)
{
    *evidence = (struct armtap_rtde_evidence){.score = 0};
    armtap_line_begin(&evidence->reasons);
    evidence->contradicted = evidence->is_impossible =
        !armtap_rtde_check(recipe, sample, skip, clock, &evidence->against);
    if (evidence->contradicted)
        return ARMTAP_OK;
    struct judged *judged = begin(recipe, sample, skip);
    int error = judged && judged->wanted && judged->own && judged->bits && judged->near ? read(judged, clock)
                                                                                        : ARMTAP_ERR_MEMORY;
    if (error == ARMTAP_OK)
        find_contradiction(judged, evidence);
    if (error == ARMTAP_OK && !evidence->contradicted)
        find_impossible(judged, evidence);
    if (error == ARMTAP_OK && !evidence->contradicted) {
        evidence->score = (unsigned)fmax(points_of_all(judged) + 0.5, 0);
        explain(judged, &evidence->reasons);
    }
    end(judged);
    return error;
}

/* ---- single names ---------------------------------------------------------------------------------------------- */

static bool is_supported(struct judged *judged, size_t i)
{
    const size_t own = judged->own[i];
    bool is_ahead = own != NONE && !judged->field[own].repeats && bits_at(judged, i, own) >= AHEAD;
    for (size_t k = 0; k < judged->recipe->count && is_ahead; k++)
        is_ahead = !may_exchange(judged, i, k) || gain_of_exchange(judged, i, k) <= -AHEAD;
    for (size_t field = 0; field < judged->fields && is_ahead; field++)
        is_ahead = !may_be(judged, i, field) || gain_of_other(judged, i, field) <= -AHEAD;
    for (unsigned swap = 1; swap < SWAPS && is_ahead; swap++)
        is_ahead = !make_rival(judged, swap) || judged->other[i] == own ||
                   bits_of_all(judged, judged->own) - bits_of_all(judged, judged->other) >= AHEAD;
    return is_ahead;
}

/* No client asks for a field twice. */
static bool has_twice(const struct armtap_recipe *recipe)
{
    struct armtap_set seen = {{0}};
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_field *field = recipe->entries[i].field;
        if (field && armtap_set_has(&seen, field->id))
            return true;
        if (field)
            armtap_set_add(&seen, field->id);
    }
    return false;
}

int armtap_rtde_supported(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip,
                          long clock, struct armtap_set *supported)
{
    if (has_twice(recipe) || recipe->open || recipe->size + skip != sample->length)
        return ARMTAP_OK;
    struct judged *judged = begin(recipe, sample, skip);
    int error = judged && judged->wanted && judged->own && judged->bits && judged->near ? read(judged, clock)
                                                                                        : ARMTAP_ERR_MEMORY;
    for (size_t i = 0; error == ARMTAP_OK && i < recipe->count; i++)
        if (is_supported(judged, i))
            armtap_set_add(supported, recipe->entries[i].field->id);
    end(judged);
    return error;
}
