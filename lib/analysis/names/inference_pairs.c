#include "analysis/names/inference.h"

#include <string.h>

/* Probability from which on a name at an offset speaks for and against others. */
#define LIKELY_ENOUGH 0.9f
/* Bits from which on the bytes are no numbers of the field. */
#define IMPOSSIBLE (-5000)

/* What is known, and what is weighed by it. */
struct weighing {
    const struct inference_tiling *tiling;
    const struct inference_relations *relations;
    float *bits;
};

/* How likely a member of the group is at an offset; `but` does not count. */
static float share_of(const struct weighing *weighing, enum inference_group group, size_t but, size_t offset)
{
    const struct inference_tiling *tiling = weighing->tiling;
    float share = 0;
    for (size_t field = 0; field < tiling->fields; field++)
        if (tiling->field[field].group == group && field != but)
            share += tiling->share[offset * tiling->fields + field];
    return share;
}

/* Weighs a field everywhere by the place of the group. */
static void weigh_by(const struct weighing *weighing, size_t of, const struct inference_pair *pair, bool is_first,
                     size_t place)
{
    const struct inference_tiling *tiling = weighing->tiling;
    /* Few moves do not show which arm it is, so that no pose follows from any joints. */
    const float denial = pair->bond == BOND_POSE && !weighing->relations->joints_known ? 0 : pair->denial;
    for (size_t offset = 0; offset < tiling->length; offset++) {
        float *own = &weighing->bits[offset * tiling->fields + of];
        size_t from = is_first ? offset : place, to = is_first ? place : offset;
        if (offset != place && *own > IMPOSSIBLE)
            *own += armtap_inference_bonds(weighing->relations, from, to) & pair->bond ? pair->proof : -denial;
    }
}

static void weigh_pair(const struct weighing *weighing, const struct inference_pair *pair, bool is_first)
{
    const enum inference_group group = is_first ? pair->one : pair->other, known = is_first ? pair->other : pair->one;
    for (size_t of = 0; of < weighing->tiling->fields; of++) {
        const bool is_member = weighing->tiling->field[of].group == group;
        for (size_t place = 0; is_member && place < weighing->tiling->length; place++)
            if (share_of(weighing, known, of, place) > LIKELY_ENOUGH)
                weigh_by(weighing, of, pair, is_first, place);
    }
}

void armtap_inference_pairs_weigh(const struct inference_tiling *tiling, const struct inference_relations *relations,
                                  float *bits)
{
    struct weighing weighing = {.tiling = tiling, .relations = relations, .bits = bits};
    const struct inference_pair *pair;
    for (size_t i = 0; (pair = armtap_inference_pair_at(i)); i++) {
        weigh_pair(&weighing, pair, true);
        if (pair->one != pair->other)
            weigh_pair(&weighing, pair, false);
    }
}
