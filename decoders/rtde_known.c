/* The default recipes of well-known clients, as candidates for data whose handshake was not captured. */
#include "rtde_judge.h"

#include <stdlib.h>
#include <string.h>

#include "rtde_package.h"

static const struct armtap_known_recipe known[] = {
#define KNOWN(name, client, size, fields) {name, client, size, fields},
#include "rtde_known.def"
};
#define LONG_LIST 8u /* types */
#define KNOWN_COUNT (sizeof known / sizeof known[0])
_Static_assert(KNOWN_COUNT <= UINT8_MAX, "struct armtap_rtde_candidates");

const struct armtap_known_recipe *armtap_known_recipe_at(size_t i)
{
    return i < KNOWN_COUNT ? &known[i] : NULL;
}

/* ---- common entries -------------------------------------------------------------------------------------------- */

/* Growing text. */
struct list {
    char *text;
    size_t length, room;
};

static int list_add(struct list *list, const char *item)
{
    size_t length = strlen(item);
    if (list->length + length + 2 > list->room) {
        size_t room = 2 * (list->length + length + 2) + 512;
        char *text = realloc(list->text, room);
        if (!text)
            return ARMTAP_ERR_MEMORY;
        list->text = text;
        list->room = room;
    }
    memcpy(list->text + list->length, item, length);
    list->length += length;
    memcpy(list->text + list->length, ",", 2);
    list->length++;
    return ARMTAP_OK;
}

/* The entry of a recipe that begins at an offset; NULL if none does. */
static const struct armtap_recipe_entry *entry_from(const struct armtap_recipe *recipe, size_t offset)
{
    for (size_t i = 0; i < recipe->count; i++)
        if (recipe->entries[i].offset == offset)
            return &recipe->entries[i];
    return NULL;
}

/* An entry that its name and type name describe completely. */
static bool is_plain(const struct armtap_recipe_entry *entry)
{
    return entry->wire_size > 0 && entry->wire_size == armtap_type_width(entry->type) * entry->count;
}

/* What two recipes of one size agree on: common entries under their names, entries of one type without, and single
 * bytes where even their borders differ. */
static int agree(const struct armtap_recipe *a, const struct armtap_recipe *b, struct armtap_recipe **both)
{
    struct list names = {NULL, 0, 0}, types = {NULL, 0, 0};
    int error = ARMTAP_OK;
    for (size_t at = 0; at < a->size && error == ARMTAP_OK;) {
        const struct armtap_recipe_entry *x = entry_from(a, at), *y = entry_from(b, at);
        bool same_type = x && y && x->type == y->type && x->count == y->count && is_plain(x) && is_plain(y);
        bool same_name = same_type && strcmp(x->name, y->name) == 0;
        error = list_add(&names, same_name ? x->name : "");
        if (error == ARMTAP_OK)
            error = list_add(&types, same_type ? armtap_type_name(x->type, x->count) : "UINT8");
        at += same_type ? x->wire_size : 1;
    }
    struct armtap_item name_list = {names.text, names.length}, type_list = {types.text, types.length};
    if (error == ARMTAP_OK)
        error = armtap_recipe_from_lists(&name_list, &type_list, both);
    free(names.text);
    free(types.text);
    return error;
}

/* ---- candidates ------------------------------------------------------------------------------------------------ */

/* Adds a candidate: keeps what it and those before it agree on. */
static int join(struct armtap_rtde_found *found, struct armtap_recipe *recipe, const char *source,
                const struct armtap_rtde_evidence *evidence)
{
    struct armtap_recipe *both = recipe;
    if (found->recipe) {
        int error = agree(found->recipe, recipe, &both);
        armtap_recipe_release(recipe);
        if (error != ARMTAP_OK)
            return error;
        armtap_recipe_release(found->recipe);
    }
    if (found->last != source) {
        armtap_line_string(&found->source, found->recipe ? "; " : "");
        armtap_line_string(&found->source, source);
    }
    found->last = source;
    if (!found->recipe || evidence->score < found->score) {
        found->score = evidence->score;
        found->reasons = evidence->reasons;
    }
    found->recipe = both;
    return ARMTAP_OK;
}

void armtap_rtde_found_begin(struct armtap_rtde_found *found)
{
    found->recipe = NULL;
    found->score = 0;
    found->last = NULL;
    armtap_line_begin(&found->source);
    armtap_line_begin(&found->reasons);
}

static bool have_same_types(const struct armtap_recipe *a, const struct armtap_recipe *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->entries[i].type == b->entries[i].type && a->entries[i].count == b->entries[i].count;
    return same;
}

/* Points for a list of types that is the same, type by type: a long one is no accident, a short one shows nothing. */
static unsigned points_of_types(const struct armtap_recipe *typed)
{
    return typed && typed->count >= LONG_LIST ? (unsigned)typed->count : 0;
}

/* A name that outlives its recipe. */
static const char *name_of(const char *name)
{
    const struct armtap_field *field = name ? armtap_field_find(name, strlen(name)) : NULL;
    return field ? field->name : NULL;
}

int armtap_rtde_consider(struct armtap_rtde_found *found, struct armtap_recipe *recipe, const char *source,
                         const struct armtap_recipe *typed, const struct armtap_sample *sample, size_t skip, long clock,
                         struct armtap_rtde_verdict *verdict)
{
    struct armtap_rtde_evidence evidence;
    *verdict = (struct armtap_rtde_verdict){.can_be = false};
    if (typed && !have_same_types(typed, recipe)) {
        armtap_recipe_release(recipe);
        return ARMTAP_OK;
    }
    int error = armtap_rtde_judge(recipe, sample, skip, clock, &evidence);
    verdict->can_be = error == ARMTAP_OK && !evidence.contradicted;
    if (verdict->can_be && points_of_types(typed) > 0) {
        evidence.score += points_of_types(typed);
        armtap_line_format(&evidence.reasons, "%sthe controller's reply has the same %u types",
                           evidence.reasons.length > 0 ? "; " : "", (uint64_t)typed->count);
    }
    verdict->against = name_of(evidence.against);
    verdict->rival = name_of(evidence.rival);
    verdict->score = evidence.score;
    verdict->is_taken = verdict->can_be && evidence.score >= armtap_rtde_needed(recipe->size);
    if (verdict->is_taken)
        return join(found, recipe, source, &evidence);
    armtap_recipe_release(recipe);
    return error;
}

/* One that the types of a reply exclude is none. */
static void pass_over(struct armtap_rtde_not_taken *not_taken, const struct armtap_known_recipe *recipe,
                      const struct armtap_rtde_verdict *verdict)
{
    if (verdict->is_taken || (!verdict->can_be && !verdict->against))
        return;
    if (not_taken->count == ARMTAP_RTDE_NOT_TAKEN) {
        not_taken->more++;
        return;
    }
    not_taken->rows[not_taken->count].known = recipe;
    not_taken->rows[not_taken->count].against = verdict->against;
    not_taken->rows[not_taken->count].rival = verdict->rival;
    not_taken->rows[not_taken->count].score = verdict->score;
    not_taken->rows[not_taken->count++].needed = armtap_rtde_needed(recipe->size);
}

void armtap_rtde_list_known(const struct armtap_sample *sample, size_t skip, struct armtap_rtde_not_taken *not_taken)
{
    static const struct armtap_rtde_verdict none = {.can_be = true};
    for (size_t i = 0; i < KNOWN_COUNT; i++)
        if (known[i].size + skip == sample->length)
            pass_over(not_taken, &known[i], &none);
}

int armtap_rtde_find_known(const struct armtap_recipe *typed, const struct armtap_sample *sample, size_t skip,
                           long clock, struct armtap_rtde_found *found, struct armtap_rtde_candidates *candidates,
                           struct armtap_rtde_not_taken *not_taken)
{
    int error = ARMTAP_OK;
    armtap_rtde_found_begin(found);
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        struct armtap_recipe *recipe;
        struct armtap_rtde_verdict verdict;
        if (known[i].size + skip != sample->length)
            continue;
        error = armtap_recipe_rtde(known[i].fields, NULL, &recipe);
        if (error == ARMTAP_OK)
            error = armtap_rtde_consider(found, recipe, known[i].client, typed, sample, skip, clock, &verdict);
        if (error != ARMTAP_OK)
            break;
        pass_over(not_taken, &known[i], &verdict);
        if (verdict.can_be && candidates->count < ARMTAP_RTDE_CANDIDATES)
            candidates->rows[candidates->count++] = (uint8_t)i;
    }
    if (error != ARMTAP_OK) {
        armtap_recipe_release(found->recipe);
        found->recipe = NULL;
    }
    return error;
}
