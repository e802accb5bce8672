#include "tables.h"

#include "row_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/armtap-analysis.h"
#include "base/text/json_reader.h"
#include "analysis/inside.h"

const char *table_entry_name(const struct armtap_recipe_entry *entry)
{
    return entry->field && entry->arm <= 1 ? entry->field->name : entry->name;
}

#define PART_APART 7919 /* between the slots of one name */

/* An index of columns by name, for matching layouts. A recipe may name a field twice: columns of one name form a chain,
 * and the n-th such entry of a layout gets the n-th column of the chain. */
struct column_chain {
    size_t next;   /* the next column of the same name, or TABLE_NONE */
    size_t cursor; /* in the first of a chain: the column that the current layout took last */
    size_t layout; /* in the first of a chain: the current layout */
};

struct column_index {
    struct armtap_hash_key key;
    size_t *slots; /* open addressing; the first column of a chain, or TABLE_NONE */
    size_t mask;
    struct column_chain *chains; /* by column */
    unsigned part;               /* of the layout that is matched */
};

static int index_make(struct column_index *index, size_t columns)
{
    size_t slots = 16;
    while (slots < 2 * columns)
        slots *= 2;
    index->key = armtap_hash_draw_key();
    index->mask = slots - 1;
    index->slots = malloc(slots * sizeof *index->slots);
    index->chains = calloc(columns + 1, sizeof *index->chains);
    if (!index->slots || !index->chains) {
        free(index->slots);
        free(index->chains);
        return -1;
    }
    for (size_t i = 0; i < slots; i++)
        index->slots[i] = TABLE_NONE;
    return 0;
}

static void index_free(struct column_index *index)
{
    free(index->slots);
    free(index->chains);
}

/* The name of the recipe's protocol, if it has its own field names; NULL: UR's. */
static const char *namer_of(const struct armtap_recipe *recipe)
{
    enum armtap_protocol protocol = armtap_recipe_protocol(recipe);
    return armtap_protocol_has(protocol, ARMTAP_TRAIT_OWN_NAMES) ? armtap_protocol_name(protocol) : NULL;
}

/* A field of the dictionary has the same meaning and unit from any vendor. AUBO's other fields have type JSON, which
 * UR's never have: so they share no column. */
static bool column_fits(const struct table_column *column, const struct armtap_recipe_entry *entry, unsigned part)
{
    return column->part == part && column->type == entry->type && column->count == entry->count &&
           strcmp(column->name, table_entry_name(entry)) == 0;
}

static size_t *index_slot(const struct column_index *index, const struct table_column *columns,
                          const struct armtap_recipe_entry *entry)
{
    size_t at =
        ((size_t)armtap_hash_text(&index->key, table_entry_name(entry)) + index->part * PART_APART) & index->mask;
    while (index->slots[at] != TABLE_NONE && !column_fits(&columns[index->slots[at]], entry, index->part))
        at = (at + 1) & index->mask;
    return &index->slots[at];
}

/* The column of a layout's next entry: an existing one, or a new one at `column_count`, which is added to the index. */
static size_t index_take(struct column_index *index, const struct table_column *columns, size_t column_count,
                         const struct armtap_recipe_entry *entry, size_t layout)
{
    size_t *slot = index_slot(index, columns, entry);
    struct column_chain fresh = {.next = TABLE_NONE, .cursor = column_count, .layout = layout};
    if (*slot == TABLE_NONE) {
        *slot = column_count;
        index->chains[column_count] = fresh;
        return column_count;
    }
    struct column_chain *first = &index->chains[*slot];
    if (first->layout != layout) {
        first->layout = layout;
        first->cursor = *slot;
        return *slot;
    }
    size_t *next = &index->chains[first->cursor].next;
    if (*next == TABLE_NONE) {
        *next = column_count;
        index->chains[column_count] = fresh;
    }
    first->cursor = *next;
    return first->cursor;
}

/* Finds the column of each entry of a layout, for `columns_of`. Appends new ones to the table, which must have room. */
static void layout_match(struct table *table, struct column_index *index, const struct table_layout *of, size_t layout,
                         size_t *columns_of)
{
    const struct armtap_recipe *recipe = of->recipe;
    index->part = of->part;
    size_t count = armtap_recipe_count(recipe);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        size_t column = index_take(index, table->columns, table->column_count, entry, layout);
        if (column == table->column_count)
            table->columns[table->column_count++] = (struct table_column){.name = table_entry_name(entry),
                                                                          .wire = entry->name,
                                                                          .field = entry->field,
                                                                          .type = entry->type,
                                                                          .count = entry->count,
                                                                          .namer = namer_of(recipe),
                                                                          .arm = entry->arm,
                                                                          .part = of->part};
        columns_of[i] = column;
    }
}

static int layout_fill(struct table_layout *layout, const size_t *columns_of)
{
    size_t count = armtap_recipe_count(layout->recipe), first = SIZE_MAX, last = 0;
    for (size_t i = 0; i < count; i++) {
        first = columns_of[i] < first ? columns_of[i] : first;
        last = columns_of[i] > last ? columns_of[i] : last;
    }
    layout->first = count > 0 ? first : 0;
    layout->columns = count > 0 ? last - first + 1 : 0;
    layout->entry_of = malloc((layout->columns + 1) * sizeof *layout->entry_of);
    if (!layout->entry_of)
        return -1;
    for (size_t i = 0; i < layout->columns; i++)
        layout->entry_of[i] = TABLE_NONE;
    for (size_t i = 0; i < count; i++)
        layout->entry_of[columns_of[i] - layout->first] = i;
    return 0;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static bool has_ur_columns(const struct armtap_recipe *recipe)
{
    return armtap_protocol_has(armtap_recipe_protocol(recipe), ARMTAP_TRAIT_UR_COLUMNS);
}

/* The layout whose columns come first: the first one set up, but of legacy layouts the longest. */
static size_t leading_layout(const struct table *table, size_t first)
{
    size_t lead = first;
    if (has_ur_columns(table->layouts[first]->recipe))
        for (size_t i = first + 1; i < table->layout_count; i++)
            if (table->layouts[i]->part == table->layouts[first]->part && has_ur_columns(table->layouts[i]->recipe) &&
                armtap_recipe_size(table->layouts[i]->recipe) > armtap_recipe_size(table->layouts[lead]->recipe))
                lead = i;
    return lead;
}

/* The columns of one part, or of the whole table. */
static void arrange_part(struct table *table, unsigned part, size_t *columns_of, struct column_index *index)
{
    size_t first = 0;
    while (first < table->layout_count && table->layouts[first]->part != part)
        first++;
    if (first == table->layout_count)
        return;
    size_t lead = leading_layout(table, first);
    layout_match(table, index, table->layouts[lead], lead, columns_of);
    for (size_t i = first; i < table->layout_count; i++)
        if (table->layouts[i]->part == part)
            layout_match(table, index, table->layouts[i], table->layout_count + i, columns_of);
}

static int arrange_with(struct table *table, size_t *columns_of, struct column_index *index)
{
    for (unsigned part = 0; part == 0 || part < table->part_count; part++)
        arrange_part(table, part, columns_of, index);
    /* All columns are known now: match again to fill the layouts. */
    for (size_t i = 0; i < table->layout_count; i++) {
        layout_match(table, index, table->layouts[i], 2 * table->layout_count + i, columns_of);
        if (layout_fill(table->layouts[i], columns_of) != 0)
            return -1;
    }
    return 0;
}

static void widen(struct table *table)
{
    for (size_t i = 0; i < table->layout_count; i++) {
        const struct table_layout *layout = table->layouts[i];
        for (size_t k = 0; layout->longest && k < table->column_count; k++) {
            size_t entry = layout_entry(layout, k), length = entry == TABLE_NONE ? 0 : layout->longest[entry];
            if (length > table->columns[k].longest_array)
                table->columns[k].longest_array = length;
        }
    }
}

/* ---- names of their own ------------------------------------------------------------------------------------------ */

static int compare_names(const void *left, const void *right)
{
    const struct table_column *one = *(const struct table_column *const *)left;
    const struct table_column *other = *(const struct table_column *const *)right;
    int order = strcmp(one->name, other->name);
    return order != 0 ? order : one < other ? -1 : one > other;
}

static bool is_name(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return true;
    return false;
}

static int rename_column(struct table *table, struct table_column *column)
{
    size_t room = strlen(column->name) + 32;
    char *name = malloc(room);
    if (!name || !MAKE_ROOM(table->own_names, table->own_name_count)) {
        free(name);
        return -1;
    }
    if (column->namer)
        snprintf(name, room, "%s_%s", column->name, column->namer);
    for (unsigned i = 2; !column->namer || is_name(table, name); i++) {
        snprintf(name, room, "%s_%u", column->name, i);
        if (!is_name(table, name))
            break;
    }
    table->own_names[table->own_name_count++] = name;
    column->name = name;
    return 0;
}

/* Whether two columns of one name are the same field, which a recipe names twice. */
static bool is_repeated(const struct table_column *one, const struct table_column *other)
{
    return one->type == other->type && one->count == other->count && one->namer == other->namer;
}

/* Renames columns of one name, except for the first of UR's, or the first if none is UR's. */
static int rename_group(struct table *table, struct table_column **columns, size_t count)
{
    struct table_column *keeps = columns[0];
    for (size_t i = 1; i < count; i++)
        if (keeps->namer && !columns[i]->namer)
            keeps = columns[i];
    for (size_t i = 0; i < count; i++)
        if (!is_repeated(keeps, columns[i]) && rename_column(table, columns[i]) != 0)
            return -1;
    return 0;
}

static int rename_columns(struct table *table)
{
    struct table_column **sorted = malloc((table->column_count + 1) * sizeof *sorted);
    int outcome = sorted ? 0 : -1;
    for (size_t i = 0; sorted && i < table->column_count; i++)
        sorted[i] = &table->columns[i];
    if (sorted)
        qsort(sorted, table->column_count, sizeof *sorted, compare_names);
    for (size_t i = 0, end; outcome == 0 && i < table->column_count; i = end) {
        for (end = i + 1; end < table->column_count && strcmp(sorted[end]->name, sorted[i]->name) == 0; end++)
            ;
        if (end > i + 1)
            outcome = rename_group(table, sorted + i, end - i);
    }
    free(sorted);
    return outcome;
}

/* A field of the wire that is called as one of the row's own columns: it becomes time_2, in every format. */
static int set_apart_from_row(struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (row_column_find(table->columns[i].name) != ROW_COLUMN_NONE && rename_column(table, &table->columns[i]) != 0)
            return -1;
    return 0;
}

/* ---- names of robots --------------------------------------------------------------------------------------------- */

/* Finds the parts that are robots of their own among those behind one address. */
static void find_ports(struct table_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        parts[i].has_rival = parts[i].has_port = false;
        for (size_t k = 0; k < count && !parts[i].has_rival; k++)
            parts[i].has_rival = parts[k].port != parts[i].port && parts[k].protocol == parts[i].protocol &&
                                 strcmp(parts[k].robot, parts[i].robot) == 0;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count && parts[i].port > 0 && !parts[i].has_port; k++)
            parts[i].has_port = parts[k].has_rival && strcmp(parts[k].robot, parts[i].robot) == 0;
}

/* "10.0.0.2", "[fd00::2]:30104" */
static int put_robot(char *text, size_t size, const struct table_part *part)
{
    const char *open = strchr(part->robot, ':') ? "[" : "", *close = *open != '\0' ? "]" : "";
    return part->has_port ? snprintf(text, size, "%s%s%s:%u_", open, part->robot, close, part->port)
                          : snprintf(text, size, "%s_", part->robot);
}

static bool is_prefix(const struct table_part *parts, size_t count, const char *prefix)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(parts[i].prefix, prefix) == 0)
            return true;
    return false;
}

static void name_part(struct table_part *parts, size_t count, size_t at)
{
    struct table_part *part = &parts[at];
    bool has_several = false;
    unsigned number = 1;
    for (size_t k = 0; k < count; k++) {
        bool is_other = k != at && strcmp(parts[k].robot, part->robot) == 0 &&
                        (parts[k].port == part->port || (!part->has_port && !parts[k].has_port));
        has_several = has_several || is_other;
        number += is_other && k < at && parts[k].protocol == part->protocol;
    }
    int length = put_robot(part->prefix, sizeof part->prefix, part);
    if (has_several)
        length += snprintf(part->prefix + length, sizeof part->prefix - (size_t)length, "%s_",
                           armtap_protocol_name(part->protocol));
    for (; number > 1 || is_prefix(parts, at, part->prefix); number++) {
        snprintf(part->prefix + length, sizeof part->prefix - (size_t)length, "%u_", number > 1 ? number : ++number);
        if (!is_prefix(parts, at, part->prefix))
            break;
    }
}

void parts_name(struct table_part *parts, size_t count)
{
    find_ports(parts, count);
    for (size_t i = 0; i < count; i++)
        name_part(parts, count, i);
}

static int add_prefixes(struct table *table)
{
    for (size_t i = 0; i < table->column_count && table->part_count > 0; i++) {
        struct table_column *column = &table->columns[i];
        const char *prefix = table->parts[column->part].prefix;
        size_t room = strlen(prefix) + strlen(column->name) + 1;
        char *name = malloc(room);
        if (!name || !MAKE_ROOM(table->own_names, table->own_name_count)) {
            free(name);
            return -1;
        }
        snprintf(name, room, "%s%s", prefix, column->name);
        table->own_names[table->own_name_count++] = name;
        column->base = column->name;
        column->name = name;
    }
    return 0;
}

void layouts_take_down(struct table *table)
{
    for (size_t i = 0; i < table->layout_count; i++) {
        free(table->layouts[i]->entry_of);
        table->layouts[i]->entry_of = NULL;
        table->layouts[i]->columns = 0;
    }
    for (size_t i = 0; i < table->own_name_count; i++)
        free(table->own_names[i]);
    free(table->own_names);
    free(table->columns);
    table->own_names = NULL;
    table->columns = NULL;
    table->own_name_count = table->column_count = 0;
}

int layouts_build(struct table *table)
{
    size_t columns_max = 0;
    size_t longest = 0;
    for (size_t i = 0; i < table->layout_count; i++) {
        size_t count = armtap_recipe_count(table->layouts[i]->recipe);
        columns_max += count;
        longest = count > longest ? count : longest;
    }
    struct column_index index;
    if (index_make(&index, columns_max) != 0)
        return -1;
    size_t *columns_of = malloc((longest + 1) * sizeof *columns_of);
    table->columns = malloc((columns_max + 1) * sizeof *table->columns);
    int failed = !columns_of || !table->columns || arrange_with(table, columns_of, &index) != 0;
    free(columns_of);
    index_free(&index);
    if (failed) {
        layouts_take_down(table);
        return -1;
    }
    struct table_column *fitting = realloc(table->columns, (table->column_count + 1) * sizeof *table->columns);
    if (fitting)
        table->columns = fitting;
    widen(table);
    table->fixed = true;
    if (add_prefixes(table) == 0 && (!table->is_joined || rename_columns(table) == 0) && set_apart_from_row(table) == 0)
        return 0;
    layouts_take_down(table);
    return -1;
}

static int raise_length(struct table_layout *layout, size_t i, size_t length)
{
    if (length == 0)
        return 0;
    if (!layout->longest)
        layout->longest = calloc(armtap_recipe_count(layout->recipe) + 1, sizeof *layout->longest);
    if (!layout->longest)
        return -1;
    if (length > layout->longest[i])
        layout->longest[i] = length;
    return 0;
}

int layout_measure(struct table_layout *layout, const struct armtap_record *record)
{
    size_t count = armtap_recipe_count(layout->recipe);
    struct armtap_value value;
    for (size_t i = 0; i < count; i++) {
        armtap_recipe_read(layout->recipe, i, record->values, record->values_length, &value);
        if (raise_length(layout, i, json_elements_count(&value)) != 0)
            return -1;
    }
    return 0;
}

int layout_lengthen(struct table_layout *layout, const size_t *lengths)
{
    for (size_t i = 0; i < armtap_recipe_count(layout->recipe); i++)
        if (raise_length(layout, i, lengths[i]) != 0)
            return -1;
    return 0;
}

enum tables_outcome layout_join(struct table *table, struct table_layout *layout)
{
    size_t entries = armtap_recipe_count(layout->recipe);
    size_t columns_max = table->column_count + entries;
    struct column_index index;
    if (index_make(&index, columns_max) != 0)
        return TABLES_NO_MEMORY;
    size_t known = table->column_count;
    size_t *columns_of = malloc((entries + 1) * sizeof *columns_of);
    struct table_column *columns = realloc(table->columns, (columns_max + 1) * sizeof *columns);
    enum tables_outcome outcome = !columns_of || !columns ? TABLES_NO_MEMORY : TABLES_OK;
    if (columns)
        table->columns = columns;
    if (outcome == TABLES_OK) {
        for (size_t i = 0; i < known; i++) {
            struct armtap_recipe_entry entry = {
                .name = columns[i].name, .type = columns[i].type, .count = columns[i].count};
            index_take(&index, columns, i, &entry, 0);
        }
        layout_match(table, &index, layout, 1, columns_of);
        if (table->column_count > known)
            outcome = TABLES_GREW;
        else if (layout_fill(layout, columns_of) != 0)
            outcome = TABLES_NO_MEMORY;
        table->column_count = known;
    }
    free(columns_of);
    index_free(&index);
    return outcome;
}
