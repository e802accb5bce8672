/* Evidence supports a name only if it would not support other names at the same bytes equally well.
 *
 * A recipe has rivals: the same with target and actual values swapped, with joints and TCP swapped, or both. Motion
 * looks the same in all of them. Points that a recipe shares with the rival of the other space do not count for it.
 *
 * A name has support of its own where the evidence falls once another field of the dictionary takes its place: an
 * untested one, one with a test of its own, or one of the recipe's with which it changes places; or once a rival of the
 * whole recipe takes its place.
 */

#include <stdlib.h>
#include <string.h>

#include "rtde_evidence.h"

/* Points by which a name must be ahead of every other: a scalar of 15 to 90, or a mode by its number, may be several
 * things, and the tests that say so are worth less. */
#define AHEAD 6

struct contest {
    const struct armtap_recipe *recipe;
    struct armtap_recipe other; /* the same with names swapped */
    const struct armtap_sample *sample;
    size_t skip;
    long clock;
};

static int contest_begin(struct contest *contest, const struct armtap_recipe *recipe,
                         const struct armtap_sample *sample, size_t skip, long clock)
{
    *contest = (struct contest){recipe, *recipe, sample, skip, clock};
    contest->other.entries = malloc((recipe->count + 1) * sizeof *recipe->entries);
    if (!contest->other.entries)
        return ARMTAP_ERR_MEMORY;
    memcpy(contest->other.entries, recipe->entries, recipe->count * sizeof *recipe->entries);
    return ARMTAP_OK;
}

static void contest_end(struct contest *contest)
{
    free(contest->other.entries);
}

static void rename_entry(struct armtap_recipe_entry *entry, const struct armtap_field *field)
{
    entry->field = field;
    entry->name = field ? field->name : "";
}

static size_t index_of(const struct armtap_recipe *recipe, const struct armtap_field *field)
{
    size_t i = 0;
    while (i < recipe->count && (!field || recipe->entries[i].field != field))
        i++;
    return i;
}

/* Whether the name of entry i is well ahead of `rival`, NULL being any field without a test. */
static bool is_ahead(struct contest *contest, size_t i, const struct armtap_field *rival)
{
    const struct armtap_recipe *recipe = contest->recipe;
    const struct armtap_field *own = recipe->entries[i].field;
    struct armtap_rtde_evidence mine, others;
    struct armtap_set about = {{0}};
    size_t k = index_of(recipe, rival);
    armtap_set_add(&about, own->id);
    if (rival)
        armtap_set_add(&about, rival->id);
    armtap_rtde_weigh(recipe, contest->sample, contest->skip, contest->clock, &about, &mine);
    if (mine.score == 0)
        return false;
    rename_entry(&contest->other.entries[i], rival);
    if (k < recipe->count)
        rename_entry(&contest->other.entries[k], own);
    armtap_rtde_weigh(&contest->other, contest->sample, contest->skip, contest->clock, &about, &others);
    contest->other.entries[i] = recipe->entries[i];
    if (k < recipe->count)
        contest->other.entries[k] = recipe->entries[k];
    return others.contradicted || mine.score >= others.score + AHEAD;
}

/* ---- rivals of the whole recipe -------------------------------------------------------------------------------- */

enum { SWAP_TWINS = 1, SWAP_SPACES = 2, SWAPS = 4 };

static const struct armtap_field *swapped(const struct armtap_field *field, unsigned swap)
{
    const struct armtap_field *other = field;
    if (other && swap & SWAP_TWINS && armtap_rtde_twin(other))
        other = armtap_rtde_twin(other);
    if (other && swap & SWAP_SPACES && armtap_rtde_in_other_space(other))
        other = armtap_rtde_in_other_space(other);
    return other;
}

/* Turns the other recipe into that rival. Sets `changed` to the fields whose names differ; false: none do. */
static bool swap_names(struct contest *contest, unsigned swap, struct armtap_set *changed)
{
    bool differs = false;
    *changed = (struct armtap_set){{0}};
    for (size_t i = 0; i < contest->recipe->count; i++) {
        const struct armtap_field *own = contest->recipe->entries[i].field, *other = swapped(own, swap);
        contest->other.entries[i] = contest->recipe->entries[i];
        if (other == own)
            continue;
        rename_entry(&contest->other.entries[i], other);
        armtap_set_add(changed, own->id);
        armtap_set_add(changed, other->id);
        differs = true;
    }
    return differs;
}

/* The points that both recipes get for the changed fields. */
static unsigned shared_points(struct contest *contest, const struct armtap_set *about)
{
    struct armtap_rtde_evidence mine, others;
    armtap_rtde_weigh(contest->recipe, contest->sample, contest->skip, contest->clock, about, &mine);
    armtap_rtde_weigh(&contest->other, contest->sample, contest->skip, contest->clock, about, &others);
    if (others.contradicted)
        return 0;
    return mine.score < others.score ? mine.score : others.score;
}

int armtap_rtde_judge(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                      struct armtap_rtde_evidence *evidence)
{
    struct contest contest;
    struct armtap_set changed;
    armtap_rtde_weigh(recipe, sample, skip, clock, NULL, evidence);
    if (evidence->contradicted || evidence->score < armtap_rtde_needed(recipe->size))
        return ARMTAP_OK;
    if (contest_begin(&contest, recipe, sample, skip, clock) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    if (swap_names(&contest, SWAP_SPACES, &changed))
        evidence->score -= shared_points(&contest, &changed);
    contest_end(&contest);
    return ARMTAP_OK;
}

/* ---- single names --------------------------------------------------------------------------------------------- */

/* Whether a name is well ahead of its counterpart in every rival. */
static bool is_ahead_of_rivals(struct contest *contest, size_t i)
{
    const struct armtap_field *own = contest->recipe->entries[i].field;
    struct armtap_rtde_evidence mine, others, all;
    struct armtap_set changed;
    bool ahead = true;
    for (unsigned swap = 1; swap < SWAPS && ahead; swap++) {
        const struct armtap_field *other = swapped(own, swap);
        struct armtap_set about = {{0}};
        if (other == own || !swap_names(contest, swap, &changed))
            continue;
        armtap_set_add(&about, own->id);
        armtap_rtde_weigh(contest->recipe, contest->sample, contest->skip, contest->clock, &about, &mine);
        about = (struct armtap_set){{0}};
        armtap_set_add(&about, other->id);
        armtap_rtde_weigh(&contest->other, contest->sample, contest->skip, contest->clock, &about, &others);
        armtap_rtde_weigh(&contest->other, contest->sample, contest->skip, contest->clock, &changed, &all);
        ahead = all.contradicted || mine.score >= others.score + AHEAD;
    }
    swap_names(contest, 0, &changed);
    return ahead;
}

static bool can_be(const struct armtap_recipe_entry *entry, const struct armtap_field *field)
{
    return field != entry->field && field->type == entry->type && field->count == entry->count &&
           (field->direction == ARMTAP_FIELD_OUTPUT || field->direction == ARMTAP_FIELD_BOTH);
}

static bool is_supported(struct contest *contest, size_t i)
{
    const struct armtap_recipe_entry *entry = &contest->recipe->entries[i];
    const struct armtap_field *rival;
    bool ahead = entry->field && armtap_rtde_has_test(entry->field) && is_ahead(contest, i, NULL);
    ahead = ahead && is_ahead_of_rivals(contest, i);
    for (size_t k = 0; ahead && (rival = armtap_field_at(k)); k++)
        if (can_be(entry, rival) && armtap_rtde_has_test(rival))
            ahead = is_ahead(contest, i, rival);
    return ahead;
}

/* No client asks for a field twice; comparing rivals of such a recipe would take unbounded time. */
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
    struct contest contest;
    if (has_twice(recipe))
        return ARMTAP_OK;
    if (contest_begin(&contest, recipe, sample, skip, clock) != ARMTAP_OK)
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < recipe->count; i++)
        if (is_supported(&contest, i))
            armtap_set_add(supported, recipe->entries[i].field->id);
    contest_end(&contest);
    return ARMTAP_OK;
}
