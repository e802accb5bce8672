#include <math.h>
#include <stdlib.h>

#include "analysis/arm/comparison.h"
#include "analysis/inside.h"
#include "bytes.h"

/* The size in 0.1.0. */
#define OPTIONS_MIN (offsetof(struct armtap_comparison_options, in_capture_order) + sizeof(bool))

struct armtap_comparison {
    struct pairing *pairing;
    struct differences *differences;
    int error; /* permanent */
    bool is_finished;
};

static int take_pair(void *user, const struct sample samples[ARMTAP_SIDES])
{
    struct armtap_comparison *comparison = user;
    if (armtap_differences_add(comparison->differences, samples) == 0)
        return 0;
    comparison->error = armtap_differences_is_full(comparison->differences) ? ARMTAP_ERR_SPACE : ARMTAP_ERR_MEMORY;
    return -1;
}

int armtap_comparison_new(const struct armtap_comparison_options *options, struct armtap_comparison **comparison)
{
    if (options && !armtap_is_sized(options->size, OPTIONS_MIN))
        return ARMTAP_ERR_SIZE;
    if (!comparison || (options && !(options->tolerance >= 0)))
        return ARMTAP_ERR_ARGUMENT;
    struct armtap_comparison *made = *comparison = calloc(1, sizeof *made);
    if (!made)
        return ARMTAP_ERR_MEMORY;
    made->pairing = armtap_pairing_new(options && options->in_capture_order, take_pair, made);
    made->differences = armtap_differences_new(options ? options->tolerance : 0);
    if (made->pairing && made->differences)
        return ARMTAP_OK;
    armtap_comparison_free(made);
    *comparison = NULL;
    return ARMTAP_ERR_MEMORY;
}

void armtap_comparison_free(struct armtap_comparison *comparison)
{
    if (!comparison)
        return;
    armtap_pairing_free(comparison->pairing);
    armtap_differences_free(comparison->differences);
    free(comparison);
}

/* Keeps the result of pairing; if a pair could not be added, that error. */
static int keep_error(struct armtap_comparison *comparison, int outcome)
{
    if (outcome != 0 && comparison->error == ARMTAP_OK)
        comparison->error = ARMTAP_ERR_MEMORY;
    return comparison->error;
}

/* Checks that a side may receive records. */
static int ready(const struct armtap_comparison *comparison, enum armtap_side side)
{
    if (!comparison || (unsigned)side >= ARMTAP_SIDES)
        return ARMTAP_ERR_ARGUMENT;
    if (comparison->error != ARMTAP_OK)
        return comparison->error;
    return comparison->is_finished ? ARMTAP_ERR_ARGUMENT : ARMTAP_OK;
}

bool armtap_comparison_clock(const struct armtap_record *record, double *clock)
{
    if (!record || !clock || !record->recipe || !armtap_set_has(record->updated, ARMTAP_ID_timestamp))
        return false;
    *clock = record->state->timestamp;
    return isfinite(*clock);
}

int armtap_comparison_record(struct armtap_comparison *comparison, enum armtap_side side,
                             const struct armtap_record *record)
{
    struct sample sample;
    int error = record ? ready(comparison, side) : ARMTAP_ERR_ARGUMENT;
    if (error != ARMTAP_OK || !armtap_comparison_clock(record, &sample.clock))
        return error;
    sample.where = record->where;
    sample.recipe = record->recipe;
    sample.values = record->values;
    /* Of a record that was cut, what comes before the first hole. */
    sample.length = record->missing_count > 0 ? record->missing[0].from : record->values_length;
    return keep_error(comparison, armtap_pairing_push(comparison->pairing, side, &sample));
}

int armtap_comparison_end(struct armtap_comparison *comparison, enum armtap_side side)
{
    int error = ready(comparison, side);
    return error == ARMTAP_OK ? keep_error(comparison, armtap_pairing_end(comparison->pairing, side)) : error;
}

bool armtap_comparison_is_ahead(const struct armtap_comparison *comparison, enum armtap_side side)
{
    return ready(comparison, side) == ARMTAP_OK && armtap_pairing_is_ahead(comparison->pairing, side);
}

const struct armtap_pairing_tally *armtap_comparison_tally(const struct armtap_comparison *comparison)
{
    return comparison ? armtap_pairing_tally(comparison->pairing) : NULL;
}

int armtap_comparison_finish(struct armtap_comparison *comparison)
{
    if (!comparison)
        return ARMTAP_ERR_ARGUMENT;
    if (comparison->is_finished)
        return comparison->error;
    for (int side = 0; side < ARMTAP_SIDES; side++)
        if (armtap_comparison_end(comparison, (enum armtap_side)side) != ARMTAP_OK)
            return comparison->error;
    comparison->is_finished = true;
    return keep_error(comparison, armtap_differences_finish(comparison->differences));
}

size_t armtap_comparison_count(const struct armtap_comparison *comparison)
{
    bool is_ready = comparison && comparison->is_finished && comparison->error == ARMTAP_OK;
    return is_ready ? armtap_differences_count(comparison->differences) : 0;
}

const struct armtap_difference *armtap_comparison_at(const struct armtap_comparison *comparison, size_t i)
{
    return i < armtap_comparison_count(comparison) ? armtap_differences_at(comparison->differences, i) : NULL;
}
