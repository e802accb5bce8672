/* A name has support of its own where the evidence falls once another field of the dictionary takes its place: an
 * untested one, one with a test of its own, or one of the recipe's with which it changes places. */
#include "rtde_support.h"

#include <stdlib.h>
#include <string.h>

#include "rtde_evidence.h"

/* Points by which a name must be ahead of every other: a scalar of 15 to 90, or a mode by its number, may be several
 * things, and the tests that say so are worth less. */
#define AHEAD 6

struct contest {
    const struct armtap_recipe *recipe;
    struct armtap_recipe other; /* the same with names exchanged */
    const struct armtap_sample *sample;
    size_t skip;
    long clock;
};

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

static bool can_be(const struct armtap_recipe_entry *entry, const struct armtap_field *field)
{
    return field != entry->field && field->type == entry->type && field->count == entry->count &&
           (field->direction == ARMTAP_FIELD_OUTPUT || field->direction == ARMTAP_FIELD_BOTH);
}

static bool is_supported(struct contest *contest, size_t i)
{
    const struct armtap_recipe_entry *entry = &contest->recipe->entries[i];
    const struct armtap_field *rival;
    enum armtap_field_id twin;
    bool ahead = entry->field && armtap_rtde_has_test(entry->field) && is_ahead(contest, i, NULL);
    if (ahead && armtap_rtde_twin(entry->field, &twin))
        ahead = index_of(contest->recipe, armtap_field_at(twin)) < contest->recipe->count;
    for (size_t k = 0; ahead && (rival = armtap_field_at(k)); k++)
        if (can_be(entry, rival) && armtap_rtde_has_test(rival))
            ahead = is_ahead(contest, i, rival);
    return ahead;
}

/* Nobody asks for a field twice; contests over such a recipe would take time without bound. */
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
    struct contest contest = {recipe, *recipe, sample, skip, clock};
    if (has_twice(recipe))
        return ARMTAP_OK;
    contest.other.entries = malloc((recipe->count + 1) * sizeof *recipe->entries);
    if (!contest.other.entries)
        return ARMTAP_ERR_MEMORY;
    memcpy(contest.other.entries, recipe->entries, recipe->count * sizeof *recipe->entries);
    for (size_t i = 0; i < recipe->count; i++)
        if (is_supported(&contest, i))
            armtap_set_add(supported, recipe->entries[i].field->id);
    free(contest.other.entries);
    return ARMTAP_OK;
}
