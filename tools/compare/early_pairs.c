#include "compare.h"

#include <stdlib.h>

struct early_pairs {
    struct armtap_comparison *comparison; /* NULL: it ended */
    struct stream_choice_taken taken;
};

struct early_pairs *early_pairs_new(double tolerance)
{
    const struct armtap_comparison_options options = {
        .size = sizeof options, .tolerance = tolerance, .in_capture_order = true};
    struct early_pairs *pairs = calloc(1, sizeof *pairs);
    if (pairs && armtap_comparison_new(&options, &pairs->comparison) == ARMTAP_OK)
        return pairs;
    free(pairs);
    return NULL;
}

void early_pairs_free(struct early_pairs *pairs)
{
    if (!pairs)
        return;
    armtap_comparison_free(pairs->comparison);
    free(pairs);
}

static void end_pairs(struct early_pairs *pairs)
{
    armtap_comparison_free(pairs->comparison);
    pairs->comparison = NULL;
}

/* Whether one stream goes on alone: keeping its records may be in vain. */
static bool is_alone(const struct early_pairs *pairs, unsigned side)
{
    return !pairs->taken.has[!side] && armtap_comparison_is_ahead(pairs->comparison, (enum armtap_side)side);
}

void early_pairs_record(struct early_pairs *pairs, const struct armtap_record *record)
{
    if (!pairs->comparison)
        return;
    bool is_foreseen = stream_choice_foresee(&pairs->taken, record);
    unsigned side = stream_choice_side(&pairs->taken, record);
    if (is_foreseen && side < ARMTAP_SIDES)
        is_foreseen = armtap_comparison_record(pairs->comparison, (enum armtap_side)side, record) == ARMTAP_OK &&
                      !is_alone(pairs, side);
    if (!is_foreseen)
        end_pairs(pairs);
}

struct armtap_comparison *early_pairs_take(struct early_pairs *pairs,
                                           const struct chosen_stream *const chosen[ARMTAP_SIDES])
{
    struct armtap_comparison *comparison = pairs->comparison;
    for (int side = 0; side < ARMTAP_SIDES; side++)
        if (!pairs->taken.has[side] || pairs->taken.connection[side] != chosen[side]->connection)
            return NULL;
    if (!stream_choice_are_interleaved(chosen))
        return NULL;
    pairs->comparison = NULL;
    return comparison;
}
