#include "analysis/arm/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bytes.h"

/* Limit of field names per stream; real robots have less than a tenth. */
#define FIELDS_MAX 20000

struct slot {
    struct armtap_difference difference;
    char *name;
    uint64_t alone[ARMTAP_SIDES]; /* pairs in which only that side has the field */
    double sum;                   /* of differences */
    uint64_t elements;            /* elements subtracted */
    bool unlike;                  /* some values cannot be subtracted */
    bool moves;                   /* a value differs from the first one of its side */
    struct armtap_value first[ARMTAP_SIDES];
    enum armtap_side placed_by;
    size_t place; /* in that side's recipe */
};

/* The place of a field in the recipe of each side. */
struct line {
    struct slot *slot;
    size_t entry[ARMTAP_SIDES];  /* NONE: not in this recipe */
    size_t doubles;              /* of each side that has the field, if it is nothing else; else 0 */
    size_t offset[ARMTAP_SIDES]; /* of those */
};
#define NONE SIZE_MAX

struct differences {
    double tolerance;
    struct slot **by_name;
    size_t count;
    const struct slot **sorted; /* set by differences_finish */
    struct armtap_recipe *recipe[ARMTAP_SIDES];
    struct line *lines; /* for these two recipes */
    size_t line_count;
    bool is_full; /* there were too many fields */
};

struct differences *armtap_differences_new(double tolerance)
{
    struct differences *differences = calloc(1, sizeof *differences);
    if (differences)
        differences->tolerance = tolerance;
    return differences;
}

static void forget_recipes(struct differences *differences)
{
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        if (differences->recipe[side])
            armtap_recipe_release(differences->recipe[side]);
        differences->recipe[side] = NULL;
    }
    free(differences->lines);
    differences->lines = NULL;
    differences->line_count = 0;
}

void armtap_differences_free(struct differences *differences)
{
    if (!differences)
        return;
    forget_recipes(differences);
    for (size_t i = 0; i < differences->count; i++) {
        free(differences->by_name[i]->name);
        free(differences->by_name[i]);
    }
    free(differences->by_name);
    free(differences->sorted);
    free(differences);
}

/* ---- matching the fields of two recipes ------------------------------------------------------------------------ */

static size_t place_of(const struct differences *differences, const char *name)
{
    size_t low = 0, high = differences->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(differences->by_name[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct slot *slot_new(const char *name)
{
    struct slot *slot = calloc(1, sizeof *slot);
    char *copy = malloc(strlen(name) + 1);
    if (!slot || !copy) {
        free(slot);
        free(copy);
        return NULL;
    }
    strcpy(copy, name);
    slot->name = copy;
    slot->difference.name = copy;
    slot->difference.field = armtap_field_find(name, strlen(name));
    return slot;
}

static struct slot *slot_of(struct differences *differences, const char *name)
{
    size_t place = place_of(differences, name);
    if (place < differences->count && strcmp(differences->by_name[place]->name, name) == 0)
        return differences->by_name[place];
    differences->is_full = differences->is_full || differences->count == FIELDS_MAX;
    if (differences->is_full)
        return NULL;
    struct slot *slot = MAKE_ROOM(differences->by_name, differences->count) ? slot_new(name) : NULL;
    if (!slot)
        return NULL;
    memmove(differences->by_name + place + 1, differences->by_name + place,
            (differences->count - place) * sizeof *differences->by_name);
    differences->by_name[place] = slot;
    differences->count++;
    return slot;
}

static int by_slot(const void *a, const void *b)
{
    const struct line *one = a, *other = b;
    int order = strcmp(one->slot->name, other->slot->name);
    if (order != 0)
        return order;
    for (int side = 0; side < ARMTAP_SIDES; side++)
        if (one->entry[side] != other->entry[side])
            return one->entry[side] < other->entry[side] ? -1 : 1;
    return 0;
}

/* Merges the sorted lines of a slot into one: the first entry of each side counts. */
static void merge_lines(struct differences *differences)
{
    struct line *lines = differences->lines;
    size_t merged = 0;
    for (size_t i = 0; i < differences->line_count; i++) {
        if (merged == 0 || lines[merged - 1].slot != lines[i].slot) {
            lines[merged++] = lines[i];
            continue;
        }
        for (int side = 0; side < ARMTAP_SIDES; side++)
            if (lines[merged - 1].entry[side] == NONE)
                lines[merged - 1].entry[side] = lines[i].entry[side];
    }
    differences->line_count = merged;
}

/* A line of doubles that both sides have as they are, or that only one side has. */
static void find_doubles(const struct differences *differences, struct line *line)
{
    unsigned count = 0;
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(differences->recipe[side], line->entry[side]);
        if (!entry)
            continue;
        if (entry->type != ARMTAP_DOUBLE || entry->wire_size != entry->count * sizeof(double) ||
            (count != 0 && entry->count != count))
            return;
        count = entry->count;
        line->offset[side] = entry->offset;
    }
    line->doubles = count;
}

static int add_line(struct differences *differences, enum armtap_side side, size_t entry)
{
    const struct armtap_recipe_entry *described = armtap_recipe_at(differences->recipe[side], entry);
    struct slot *slot = slot_of(differences, described->name);
    if (!slot)
        return -1;
    if (slot->difference.count == 0) {
        slot->difference.count = described->count;
        slot->placed_by = side;
        slot->place = entry;
    }
    struct line *line = &differences->lines[differences->line_count++];
    *line = (struct line){.slot = slot, .entry = {NONE, NONE}};
    line->entry[side] = entry;
    return 0;
}

static int learn_recipes(struct differences *differences, const struct sample samples[ARMTAP_SIDES])
{
    size_t most = 0;
    if (differences->recipe[0] == samples[0].recipe && differences->recipe[1] == samples[1].recipe)
        return 0;
    forget_recipes(differences);
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        differences->recipe[side] = armtap_recipe_hold(samples[side].recipe);
        most += armtap_recipe_count(samples[side].recipe);
    }
    differences->lines = calloc(most + 1, sizeof *differences->lines);
    if (!differences->lines)
        return -1;
    for (int side = 0; side < ARMTAP_SIDES; side++)
        for (size_t i = 0; i < armtap_recipe_count(samples[side].recipe); i++)
            if (add_line(differences, (enum armtap_side)side, i) != 0)
                return -1;
    qsort(differences->lines, differences->line_count, sizeof *differences->lines, by_slot);
    merge_lines(differences);
    for (size_t i = 0; i < differences->line_count; i++)
        find_doubles(differences, &differences->lines[i]);
    return 0;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static double number_of(const struct armtap_value *value, unsigned element)
{
    if (value->type == ARMTAP_DOUBLE)
        return value->f64[element];
    return armtap_value_is_signed(value) ? (double)value->i64[element] : (double)value->u64[element];
}

/* The distance of two integers of any types. */
static double integers_apart(const struct armtap_value *a, const struct armtap_value *b, unsigned element)
{
    bool negative_a = armtap_value_is_signed(a) && a->i64[element] < 0;
    bool negative_b = armtap_value_is_signed(b) && b->i64[element] < 0;
    uint64_t one = a->u64[element], other = b->u64[element];
    if (negative_a == negative_b)
        return (double)(one > other ? one - other : other - one);
    /* The negative one is an INT32. */
    return negative_a ? (double)other + (double)(0 - one) : (double)one + (double)(0 - other);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* The difference of an element, NaN if it is not finite; `equal` uses the tolerance. Integers are modes, bits and
 * counts, which must be identical. */
static double apart(const struct armtap_value *a, const struct armtap_value *b, unsigned element, double tolerance,
                    bool *equal)
{
    if (a->type != ARMTAP_DOUBLE && b->type != ARMTAP_DOUBLE) {
        double distance = integers_apart(a, b, element);
        *equal = distance <= 0;
        return distance;
    }
    double one = number_of(a, element), other = number_of(b, element);
    bool both_double = a->type == b->type;
    *equal = (isnan(one) && isnan(other)) || (both_double ? same_bits(one, other) : one == other);
    if (*equal)
        return 0;
    double distance = fabs(one - other);
    if (!isfinite(distance))
        return (double)NAN;
    *equal = both_double && tolerance > 0 && distance <= tolerance;
    return distance;
}

/* Texts are not compared: legacy packets have none. */
static bool is_same_value(const struct armtap_value *one, const struct armtap_value *other)
{
    if (armtap_value_is_text(one) || one->type != other->type || one->count != other->count)
        return false;
    return memcmp(one->u64, other->u64, one->count * sizeof *one->u64) == 0;
}

/* Looks at the values of a pair until some have changed. */
static void watch(struct slot *slot, const struct armtap_value values[ARMTAP_SIDES])
{
    for (int side = 0; side < ARMTAP_SIDES && !slot->moves; side++) {
        if (!slot->first[side].present)
            slot->first[side] = values[side];
        slot->moves = !is_same_value(&slot->first[side], &values[side]);
    }
}

/* ---- sums ------------------------------------------------------------------------------------------------------ */

static void remember(struct armtap_difference *difference, unsigned element, const struct sample samples[ARMTAP_SIDES],
                     const struct armtap_value values[ARMTAP_SIDES])
{
    difference->element = element;
    difference->clock = samples[ARMTAP_SIDE_LEGACY].clock;
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        difference->where[side] = samples[side].where;
        difference->value[side] = values[side];
        if (armtap_value_is_text(&values[side]))
            difference->value[side].text = NULL;
    }
}

/* Adds an element; returns whether it is equal. */
static bool add_element(struct slot *slot, unsigned element, double tolerance,
                        const struct sample samples[ARMTAP_SIDES], const struct armtap_value values[ARMTAP_SIDES])
{
    struct armtap_difference *difference = &slot->difference;
    bool equal;
    double distance = apart(&values[0], &values[1], element, tolerance, &equal);
    bool first = !equal && difference->differ == 0;
    if (isnan(distance)) {
        if (!slot->unlike)
            remember(difference, element, samples, values);
        slot->unlike = true;
        return false;
    }
    if (!slot->unlike && (distance > difference->largest || (first && distance >= difference->largest)))
        remember(difference, element, samples, values);
    if (distance > difference->largest)
        difference->largest = distance;
    slot->sum += distance;
    slot->elements++;
    return equal;
}

static bool add_text(struct slot *slot, const struct sample samples[ARMTAP_SIDES],
                     const struct armtap_value values[ARMTAP_SIDES])
{
    if (armtap_value_is_text(&values[0]) && armtap_value_is_text(&values[1]) && values[0].length == values[1].length &&
        (values[0].length == 0 || memcmp(values[0].text, values[1].text, values[0].length) == 0)) {
        slot->elements++;
        return true;
    }
    if (!slot->unlike)
        remember(&slot->difference, 0, samples, values);
    slot->unlike = true;
    return false;
}

static void add_values(struct differences *differences, struct slot *slot, const struct sample samples[ARMTAP_SIDES],
                       const struct armtap_value values[ARMTAP_SIDES])
{
    struct armtap_difference *difference = &slot->difference;
    bool equal = true;
    difference->pairs++;
    watch(slot, values);
    if (armtap_value_is_text(&values[0]) || armtap_value_is_text(&values[1]) || values[0].count != values[1].count)
        equal = add_text(slot, samples, values);
    else
        for (unsigned i = 0; i < values[0].count; i++)
            equal = add_element(slot, i, differences->tolerance, samples, values) && equal;
    difference->differ += equal ? 0 : 1;
}

/* Notes how the legacy cell of a bit field holds its number. */
static void add_form(struct armtap_difference *difference, const struct sample *sample, size_t offset)
{
    const struct armtap_field *field = difference->field;
    if (!field || field->type != ARMTAP_UINT64 || field->column_cb3e == 0 || sample->length < offset + 8)
        return;
    uint64_t bits = armtap_be64(sample->values + offset);
    difference->forms[bits == 0 ? ARMTAP_INTEGER_ZERO : bits >> 52 == 0 ? ARMTAP_INTEGER_RAW : ARMTAP_INTEGER_DOUBLE]++;
}

bool armtap_differences_is_full(const struct differences *differences)
{
    return differences->is_full;
}

/* Adds doubles that nobody needs to look at: one side has none, or both have the same bits, and they are known to
 * change. False if there are others. */
static bool add_doubles(const struct line *line, const struct sample samples[ARMTAP_SIDES])
{
    struct slot *slot = line->slot;
    size_t size = line->doubles * sizeof(double);
    const uint8_t *doubles[ARMTAP_SIDES] = {NULL, NULL};
    for (int side = 0; side < ARMTAP_SIDES && size > 0; side++) {
        if (line->entry[side] == NONE)
            continue;
        if (line->offset[side] > samples[side].length || size > samples[side].length - line->offset[side])
            return false;
        doubles[side] = samples[side].values + line->offset[side];
    }
    bool are_same = size > 0 && (!doubles[0] || !doubles[1] || memcmp(doubles[0], doubles[1], size) == 0);
    if (are_same && doubles[0] && doubles[1] && !slot->moves)
        return false;
    if (are_same && doubles[0] && doubles[1]) {
        slot->difference.pairs++;
        slot->elements += line->doubles;
    } else if (are_same)
        slot->alone[doubles[0] ? 0 : 1]++;
    return are_same;
}

static void add_line_of(struct differences *differences, const struct line *line,
                        const struct sample samples[ARMTAP_SIDES])
{
    struct armtap_value values[ARMTAP_SIDES];
    struct slot *slot = line->slot;
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        values[side] = (struct armtap_value){.present = false};
        if (line->entry[side] != NONE)
            armtap_recipe_read(samples[side].recipe, line->entry[side], samples[side].values, samples[side].length,
                               &values[side]);
    }
    if (line->entry[ARMTAP_SIDE_LEGACY] != NONE)
        add_form(&slot->difference, &samples[ARMTAP_SIDE_LEGACY],
                 armtap_recipe_at(samples[ARMTAP_SIDE_LEGACY].recipe, line->entry[ARMTAP_SIDE_LEGACY])->offset);
    if (values[0].present && values[1].present)
        add_values(differences, slot, samples, values);
    else if (values[0].present || values[1].present)
        slot->alone[values[0].present ? 0 : 1]++;
    if (values[0].present != values[1].present && line->entry[0] != NONE && line->entry[1] != NONE)
        slot->difference.absent++;
}

int armtap_differences_add(struct differences *differences, const struct sample samples[ARMTAP_SIDES])
{
    if (learn_recipes(differences, samples) != 0)
        return -1;
    for (size_t i = 0; i < differences->line_count; i++) {
        const struct line *line = &differences->lines[i];
        if (!add_doubles(line, samples))
            add_line_of(differences, line, samples);
    }
    return 0;
}

/* ---- results --------------------------------------------------------------------------------------------------- */

static enum armtap_equality equality_of(const struct slot *slot)
{
    if (slot->difference.pairs > 0)
        return slot->difference.differ > 0 ? ARMTAP_DIFFERS : ARMTAP_EQUAL;
    return slot->alone[ARMTAP_SIDE_LEGACY] >= slot->alone[ARMTAP_SIDE_RTDE] && slot->placed_by == ARMTAP_SIDE_LEGACY
               ? ARMTAP_ONLY_LEGACY
               : ARMTAP_ONLY_RTDE;
}

static int group_of(const struct slot *slot)
{
    switch (slot->difference.verdict) {
    case ARMTAP_ONLY_LEGACY:
        return 1;
    case ARMTAP_ONLY_RTDE:
        return 2;
    default:
        return 0;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct slot *one = *(const struct slot *const *)a, *other = *(const struct slot *const *)b;
    if (group_of(one) != group_of(other))
        return group_of(one) - group_of(other);
    if (one->placed_by != other->placed_by)
        return one->placed_by < other->placed_by ? -1 : 1;
    if (one->place != other->place)
        return one->place < other->place ? -1 : 1;
    return strcmp(one->name, other->name);
}

int armtap_differences_finish(struct differences *differences)
{
    for (size_t i = 0; i < differences->count; i++) {
        struct slot *slot = differences->by_name[i];
        struct armtap_difference *difference = &slot->difference;
        difference->verdict = equality_of(slot);
        difference->is_constant = difference->pairs > 0 && !slot->moves;
        if (difference->pairs == 0 || slot->unlike)
            difference->largest = difference->mean = (double)NAN;
        else
            difference->mean = slot->elements == 0 ? 0 : slot->sum / (double)slot->elements;
    }
    free(differences->sorted);
    differences->sorted = calloc(differences->count + 1, sizeof *differences->sorted);
    if (!differences->sorted)
        return -1;
    for (size_t i = 0; i < differences->count; i++)
        differences->sorted[i] = differences->by_name[i];
    qsort(differences->sorted, differences->count, sizeof *differences->sorted, by_place);
    return 0;
}

size_t armtap_differences_count(const struct differences *differences)
{
    return differences->sorted ? differences->count : 0;
}

const struct armtap_difference *armtap_differences_at(const struct differences *differences, size_t i)
{
    return i < armtap_differences_count(differences) ? &differences->sorted[i]->difference : NULL;
}
