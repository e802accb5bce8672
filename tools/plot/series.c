#define _POSIX_C_SOURCE 200809L
#include "plot_reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/os/names.h"
#include "base/text/comma_list.h"
#include "export/rows/tables.h"

#define NAME_MAX_LENGTH 128
#define PLANS 8 /* recipes that take turns, such as AUBO's channels */

/* Which values of a recipe go into which series. */
struct series_plan {
    struct armtap_recipe *recipe; /* held */
    struct series_step {
        size_t entry;
        struct series *series;
    } * steps;
    size_t count;
};

enum drawn { ELEMENTS, NORM };

static const struct usual {
    const char *caption, *field;
    unsigned first, count;
    enum drawn drawn;
} usual[] = {
#define PANEL(caption, field, first, count, drawn) {caption, field, first, count, drawn},
#include "usual_panels.def"
};

/* ---- which fields are drawn -------------------------------------------------------------------------------------- */

static bool matches(const char *pattern, size_t length, const char *name)
{
    char text[NAME_MAX_LENGTH];
    if (length >= sizeof text)
        return false;
    memcpy(text, pattern, length);
    text[length] = '\0';
    return fnmatch(text, name, 0) == 0;
}

/* Marks the elements that a pattern names, as other output has them; true if there is one. */
static bool mark(struct series *series, const char *pattern, size_t length, const struct armtap_recipe_entry *entry)
{
    char name[NAME_MAX_LENGTH];
    const char *whole = table_entry_name(entry);
    bool all = matches(pattern, length, whole) || matches(pattern, length, entry->name), any = all;
    unsigned count = entry->count < SERIES_ELEMENTS ? entry->count : SERIES_ELEMENTS;
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%.*s_%u", NAME_MAX_LENGTH - 16, whole, i);
        series->has[i] = series->has[i] || all || (count > 1 && matches(pattern, length, name));
        any = any || series->has[i];
    }
    return any;
}

/* Whether --fields names the entry; then the rank and the elements. */
static bool is_asked_for(const struct series_wish *wish, const struct armtap_recipe_entry *entry, struct series *series)
{
    const char *cursor = wish->fields;
    size_t length, rank = 0;
    bool any = false;
    for (const char *pattern; (pattern = comma_list_next(&cursor, &length)); rank++)
        if (mark(series, pattern, length, entry) && !any) {
            any = true;
            series->rank = rank;
        }
    series->first = 0;
    series->count = entry->count < SERIES_ELEMENTS ? entry->count : SERIES_ELEMENTS;
    return any;
}

static bool is_usual(const struct armtap_recipe_entry *entry, struct series *series)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const char *name = entry->field ? entry->field->name : entry->name;
        if (strcmp(usual[i].field, name) != 0 || entry->count < usual[i].first + usual[i].count)
            continue;
        series->rank = i;
        series->first = usual[i].first;
        series->count = usual[i].count;
        series->is_norm = usual[i].drawn == NORM;
        for (unsigned k = 0; k < usual[i].count; k++)
            series->has[k] = !series->is_norm || k == 0;
        return true;
    }
    return false;
}

/* Owned by the caller; NULL without memory. */
static char *caption_of(const struct series *series, const struct series_wish *wish, unsigned arm)
{
    char text[NAME_MAX_LENGTH];
    if (wish->fields || arm <= 1)
        return strdup(wish->fields ? series->name : usual[series->rank].caption);
    snprintf(text, sizeof text, "%s, R%u", usual[series->rank].caption, arm);
    return strdup(text);
}

static bool is_number(enum armtap_type type)
{
    return type != ARMTAP_STRING && type != ARMTAP_BYTES;
}

static struct series *find_series(const struct series_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->all[i]->name, name) == 0)
            return set->all[i];
    return NULL;
}

static unsigned curves_of(const struct series *series)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SERIES_ELEMENTS; i++)
        count += series->has[i];
    return count;
}

static void free_series(struct series *series)
{
    if (!series)
        return;
    for (unsigned i = 0; i < SERIES_ELEMENTS; i++)
        thinning_free(&series->points[i]);
    free(series->name);
    free(series->caption);
    free(series);
}

static struct series *add_series(struct series_set *set, const struct series *from,
                                 const struct armtap_recipe_entry *entry)
{
    struct series *series = MAKE_ROOM(set->all, set->count) ? calloc(1, sizeof *series) : NULL;
    if (!series)
        return NULL;
    *series = *from;
    series->field = entry->field;
    series->name = strdup(table_entry_name(entry));
    series->caption = series->name ? caption_of(series, set->wish, entry->arm) : NULL;
    for (unsigned i = 0; i < SERIES_ELEMENTS; i++)
        series->points[i] = thinning_make(set->wish->bins);
    if (!series->caption) {
        free_series(series);
        return NULL;
    }
    *set->curves -= curves_of(series);
    set->all[set->count++] = series;
    return series;
}

/* The series of an entry, or NULL if it is not drawn. 0, or -1 without memory. */
static int series_of(struct series_set *set, const struct armtap_recipe_entry *entry, struct series **found)
{
    struct series series = {0};
    *found = find_series(set, table_entry_name(entry));
    if (*found || !is_number(entry->type) || entry->count == 0)
        return 0;
    if (set->wish->fields ? !is_asked_for(set->wish, entry, &series) : !is_usual(entry, &series))
        return 0;
    if (*set->curves < curves_of(&series)) {
        set->left_out = true;
        return 0;
    }
    *found = add_series(set, &series, entry);
    return *found ? 0 : -1;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static void free_plan(struct series_plan *plan)
{
    free(plan->steps);
    armtap_recipe_release(plan->recipe);
    *plan = (struct series_plan){0};
}

static int fill_plan(struct series_set *set, struct series_plan *plan, const struct armtap_recipe *recipe)
{
    size_t count = armtap_recipe_count(recipe);
    plan->steps = calloc(count + 1, sizeof *plan->steps);
    if (!plan->steps)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct series_step *step = &plan->steps[plan->count];
        if (series_of(set, armtap_recipe_at(recipe, i), &step->series) != 0)
            return -1;
        step->entry = i;
        plan->count += step->series != NULL;
    }
    plan->recipe = armtap_recipe_hold(recipe);
    return 0;
}

static const struct series_plan *plan_of(struct series_set *set, const struct armtap_recipe *recipe)
{
    if (!set->plans)
        set->plans = calloc(PLANS, sizeof *set->plans);
    for (size_t i = 0; set->plans && i < PLANS; i++)
        if (set->plans[i].recipe == recipe)
            return &set->plans[i];
    if (!set->plans)
        return NULL;
    struct series_plan *plan = &set->plans[set->next_plan++ % PLANS];
    free_plan(plan);
    if (fill_plan(set, plan, recipe) == 0)
        return plan;
    free_plan(plan);
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double number(const struct armtap_value *value, unsigned i)
{
    if (value->type == ARMTAP_DOUBLE)
        return value->f64[i];
    return armtap_value_is_signed(value) ? (double)value->i64[i] : (double)value->u64[i];
}

static int take_value(struct series *series, const struct armtap_value *value, int64_t time)
{
    double sum = 0;
    unsigned end = series->first + series->count;
    if (!value->present || armtap_value_is_text(value) || value->count < end)
        return 0;
    series->values++;
    for (unsigned i = series->first; i < end; i++) {
        double one = number(value, i);
        sum += one * one;
        if (!series->is_norm && series->has[i] && thinning_add(&series->points[i], time, one) != 0)
            return -1;
    }
    return series->is_norm ? thinning_add(&series->points[0], time, sqrt(sum)) : 0;
}

int series_take(struct series_set *set, const struct armtap_record *record, int64_t time)
{
    struct armtap_value value;
    if (!record->recipe)
        return 0;
    const struct series_plan *plan = plan_of(set, record->recipe);
    if (!plan)
        return -1;
    for (size_t i = 0; i < plan->count; i++) {
        armtap_record_value(record, plan->steps[i].entry, &value);
        if (take_value(plan->steps[i].series, &value, time) != 0)
            return -1;
    }
    return 0;
}

void series_break(struct series_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        for (unsigned k = 0; k < SERIES_ELEMENTS; k++)
            thinning_break(&set->all[i]->points[k]);
}

void series_break_at(struct series_set *set, int64_t time)
{
    for (size_t i = 0; i < set->count; i++)
        for (unsigned k = 0; k < SERIES_ELEMENTS; k++)
            thinning_break_at(&set->all[i]->points[k], time);
}

static int join(struct series *series, const struct series *later)
{
    for (unsigned i = 0; i < SERIES_ELEMENTS; i++) {
        series->has[i] = series->has[i] || later->has[i];
        if (thinning_join(&series->points[i], &later->points[i]) != 0)
            return -1;
    }
    series->count = later->count > series->count ? later->count : series->count;
    series->values += later->values;
    return 0;
}

int series_join(struct series_set *set, struct series_set *later)
{
    while (later->count > 0) {
        struct series *from = later->all[later->count - 1], *to = find_series(set, from->name);
        if (to ? join(to, from) != 0 : !MAKE_ROOM(set->all, set->count))
            return -1;
        if (to)
            free_series(from);
        else
            set->all[set->count++] = from;
        later->count--;
    }
    return 0;
}

void series_free(struct series_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free_series(set->all[i]);
    for (size_t i = 0; set->plans && i < PLANS; i++)
        free_plan(&set->plans[i]);
    free(set->all);
    free(set->plans);
    *set = (struct series_set){.wish = set->wish, .curves = set->curves};
}
