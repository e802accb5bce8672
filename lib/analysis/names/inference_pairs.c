#include "analysis/names/inference.h"

#include <string.h>

/* Probability from which on a name at an offset speaks for and against others. */
#define LIKELY_ENOUGH 0.9f
/* Bits from which on the bytes are no numbers of the field. */
#define IMPOSSIBLE (-5000)

/* Vectors that a bond does not tell apart. */
enum group {
    JOINTS,
    SPEEDS,
    POSES,
    TOOL_SPEEDS,
    CURRENTS,
    TARGET_CURRENT,
    MOMENT,
    ACCELERATIONS,
    FORCES,
    TOOL_ACCELERATIONS,
    GROUPS
};
#define MEMBERS 2
static const char *const members[GROUPS][MEMBERS] = {
    [JOINTS] = {"target_q", "actual_q"},
    [SPEEDS] = {"target_qd", "actual_qd"},
    [POSES] = {"target_TCP_pose", "actual_TCP_pose"},
    [TOOL_SPEEDS] = {"target_TCP_speed", "actual_TCP_speed"},
    [CURRENTS] = {"actual_current", "joint_control_output"},
    [TARGET_CURRENT] = {"target_current", NULL},
    [MOMENT] = {"target_moment", NULL},
    [ACCELERATIONS] = {"target_qdd", NULL},
    [TOOL_ACCELERATIONS] = {"target_TCP_acceleration", "actual_TCP_acceleration"},
    [FORCES] = {"actual_TCP_force", "ft_raw_wrench"},
};

/* The bond that the first has to the second: bits for either, wherever it is, if it has; bits against it, if it has
 * not. */
static const struct pair {
    enum group one, other;
    enum inference_bond bond;
    float proof, denial;
} pairs[] = {
    {JOINTS, JOINTS, BOND_TWIN, 10, 12},
    {SPEEDS, SPEEDS, BOND_TWIN, 10, 12},
    {POSES, POSES, BOND_PLACE_TWIN, 10, 12},
    {TOOL_SPEEDS, TOOL_SPEEDS, BOND_TWIN, 10, 12},
    {JOINTS, SPEEDS, BOND_SPEED, 7, 8},
    {SPEEDS, ACCELERATIONS, BOND_SPEED, 6, 1},
    {POSES, TOOL_SPEEDS, BOND_LINEAR_SPEED, 7, 8},
    {TOOL_SPEEDS, TOOL_ACCELERATIONS, BOND_SPEED, 10, 8},
    {JOINTS, POSES, BOND_POSE, 4, 10},
    {CURRENTS, CURRENTS, BOND_CURRENTS, 8, 10},
    {TARGET_CURRENT, CURRENTS, BOND_CURRENTS, 8, 10},
    {MOMENT, CURRENTS, BOND_MOMENT, 6, 4},
    {MOMENT, TARGET_CURRENT, BOND_MOMENT, 6, 4},
    {CURRENTS, SPEEDS, BOND_FRICTION, 4, 4},
    {TARGET_CURRENT, SPEEDS, BOND_FRICTION, 4, 6},
    {MOMENT, SPEEDS, BOND_FRICTION, -9, -2},
    {CURRENTS, JOINTS, BOND_FRICTION_OF_PLACE, 4, 4},
    {TARGET_CURRENT, JOINTS, BOND_FRICTION_OF_PLACE, 4, 6},
    {MOMENT, JOINTS, BOND_FRICTION_OF_PLACE, -9, -2},
    {FORCES, SPEEDS, BOND_FRICTION, -8, 0},
    {FORCES, JOINTS, BOND_FRICTION_OF_PLACE, -8, 0},
};
#define PAIRS (sizeof pairs / sizeof *pairs)

/* What is known, and what is weighed by it. */
struct weighing {
    const struct inference_tiling *tiling;
    const struct inference_relations *relations;
    size_t fields[GROUPS][MEMBERS]; /* numbers of the members; tiling->fields: none */
    float *bits;
};

static size_t find(const struct inference_tiling *tiling, const char *name)
{
    size_t i = 0;
    while (i < tiling->fields && (!name || strcmp(tiling->field[i].name, name) != 0))
        i++;
    return i;
}

/* How likely a member of the group is at an offset; `but` does not count. */
static float share_of(const struct weighing *weighing, enum group group, size_t but, size_t offset)
{
    const struct inference_tiling *tiling = weighing->tiling;
    float share = 0;
    for (unsigned i = 0; i < MEMBERS; i++) {
        size_t field = weighing->fields[group][i];
        if (field < tiling->fields && field != but)
            share += tiling->share[offset * tiling->fields + field];
    }
    return share;
}

/* Weighs a field everywhere by the place of the group. */
static void weigh_by(const struct weighing *weighing, size_t of, const struct pair *pair, bool is_first, size_t place)
{
    const struct inference_tiling *tiling = weighing->tiling;
    for (size_t offset = 0; offset < tiling->length; offset++) {
        float *own = &weighing->bits[offset * tiling->fields + of];
        size_t from = is_first ? offset : place, to = is_first ? place : offset;
        if (offset != place && *own > IMPOSSIBLE)
            *own += armtap_inference_bonds(weighing->relations, from, to) & pair->bond ? pair->proof : -pair->denial;
    }
}

static void weigh_pair(const struct weighing *weighing, const struct pair *pair, bool is_first)
{
    const enum group group = is_first ? pair->one : pair->other, known = is_first ? pair->other : pair->one;
    for (unsigned i = 0; i < MEMBERS; i++) {
        const size_t of = weighing->fields[group][i];
        for (size_t place = 0; of < weighing->tiling->fields && place < weighing->tiling->length; place++)
            if (share_of(weighing, known, of, place) > LIKELY_ENOUGH)
                weigh_by(weighing, of, pair, is_first, place);
    }
}

void armtap_inference_pairs_weigh(const struct inference_tiling *tiling, const struct inference_relations *relations,
                                  float *bits)
{
    struct weighing weighing = {.tiling = tiling, .relations = relations, .bits = bits};
    for (unsigned group = 0; group < GROUPS; group++)
        for (unsigned i = 0; i < MEMBERS; i++)
            weighing.fields[group][i] = find(tiling, members[group][i]);
    for (size_t i = 0; i < PAIRS; i++) {
        weigh_pair(&weighing, &pairs[i], true);
        if (pairs[i].one != pairs[i].other)
            weigh_pair(&weighing, &pairs[i], false);
    }
}
