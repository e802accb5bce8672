#define _POSIX_C_SOURCE 200809L
#include "field_selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/os/names.h"
#include "base/text/comma_list.h"
#include "base/text/field_bits.h"

#define NAME_BYTES 4096

void picks_free(struct picks *picks)
{
    for (size_t i = 0; i < picks->count; i++) {
        free(picks->pick[i].key);
        free(picks->pick[i].own_name);
    }
    free(picks->pick);
    *picks = (struct picks){0};
}

void picks_drop(struct picks *picks, enum row_column column)
{
    size_t kept = 0;
    for (size_t i = 0; i < picks->count; i++)
        if (picks->pick[i].row_column != column || picks->pick[i].own_name)
            picks->pick[kept++] = picks->pick[i];
        else
            free(picks->pick[i].key);
    picks->count = kept;
}

void picks_drop_if_mixed(struct picks *picks)
{
    size_t kept = 0;
    for (size_t i = 0; i < picks->count; i++) {
        if (!picks->pick[i].if_mixed) {
            picks->pick[kept++] = picks->pick[i];
            continue;
        }
        free(picks->pick[i].own_name);
        free(picks->pick[i].key);
    }
    picks->count = kept;
}

int picks_lead(struct picks *picks, enum row_column column)
{
    picks_drop(picks, column);
    struct pick *more = realloc(picks->pick, (picks->count + 1) * sizeof *more);
    if (!more)
        return -1;
    memmove(more + 1, more, picks->count * sizeof *more);
    *more = (struct pick){.row_column = column, .column = TABLE_NONE, .count = 1, .name = row_column_name(column)};
    picks->pick = more;
    picks->count++;
    return 0;
}

int picks_append(struct picks *picks, struct picks *more)
{
    struct pick *all = realloc(picks->pick, (picks->count + more->count + 1) * sizeof *all);
    if (!all) {
        picks_free(more);
        return -1;
    }
    if (more->count > 0)
        memcpy(all + picks->count, more->pick, more->count * sizeof *all);
    picks->pick = all;
    picks->count += more->count;
    free(more->pick);
    return 0;
}

int selection_parse(const char *list, struct selection *selection)
{
    *selection = (struct selection){0};
    if (!list)
        return 0;
    size_t names_max = 1;
    for (const char *c = list; *c != '\0'; c++)
        names_max += *c == ',';
    selection->names = calloc(names_max, sizeof(char *));
    selection->found = calloc(names_max, sizeof(bool));
    if (!selection->names || !selection->found) {
        selection_free(selection);
        return -1;
    }
    size_t length;
    for (const char *name; (name = comma_list_next(&list, &length)); selection->count++)
        if (!(selection->names[selection->count] = strndup(name, length))) {
            selection_free(selection);
            return -1;
        }
    return 0;
}

bool selection_asks(const struct selection *selection, enum row_column column)
{
    for (size_t i = 0; i < selection->count; i++)
        if (strcmp(selection->names[i], row_column_name(column)) == 0)
            return true;
    return false;
}

void selection_free(struct selection *selection)
{
    for (size_t i = 0; i < selection->count; i++)
        free(selection->names[i]);
    free(selection->names);
    free(selection->found);
    *selection = (struct selection){0};
}

/* The picks so far. Each column has a flag for the whole column and one for each element. */
struct picking {
    const struct selection *selection;
    const struct table_column *columns;
    size_t column_count;
    struct picks picks;
    const struct picks *without;
    size_t *place_of; /* by column, in `taken` */
    bool *taken, *excluded;
    const struct table_part *parts;
    size_t part_count;
    bool row_taken[ROW_COLUMN_END];
    bool excludes; /* what is named now */
    bool failed;
};

static int picking_begin(struct picking *picking)
{
    size_t places = 0;
    picking->place_of = calloc(picking->column_count + 1, sizeof *picking->place_of);
    if (!picking->place_of)
        return -1;
    for (size_t i = 0; i < picking->column_count; i++) {
        picking->place_of[i] = places;
        places += 1 + column_width(&picking->columns[i]);
    }
    picking->taken = calloc(places + 1, 2 * sizeof *picking->taken);
    picking->excluded = picking->taken ? picking->taken + places + 1 : NULL;
    return picking->taken ? 0 : -1;
}

static void picks_add(struct picking *picking, const struct pick *added)
{
    picking->failed = picking->failed || !MAKE_ROOM(picking->picks.pick, picking->picks.count);
    if (!picking->failed)
        picking->picks.pick[picking->picks.count++] = *added;
}

/* NULL without memory. */
static char *joined_name(const char *first, const char *second)
{
    size_t length = strlen(first);
    char *name = malloc(length + strlen(second) + 1);
    if (name)
        strcpy(strcpy(name, first) + length, second);
    return name;
}

/* Drops elements that were picked on their own: the whole column has them. */
static void drop_elements(struct picks *picks, size_t column)
{
    size_t kept = 0;
    for (size_t i = 0; i < picks->count; i++)
        if (picks->pick[i].column != column || picks->pick[i].is_bit)
            picks->pick[kept++] = picks->pick[i];
    picks->count = kept;
}

static void pick_element_at(struct picking *picking, size_t column, size_t element);

/* A column, but for what is excluded of it. */
static void pick_column(struct picking *picking, size_t column)
{
    const struct table_column *from = &picking->columns[column];
    bool *taken = &picking->taken[picking->place_of[column]], *excluded = &picking->excluded[picking->place_of[column]];
    size_t width = column_width(from);
    if (picking->excludes) {
        memset(excluded, true, (1 + width) * sizeof *excluded);
        return;
    }
    if (*taken || *excluded)
        return;
    size_t first = 1;
    while (first <= width && !excluded[first])
        first++;
    if (first <= width) {
        for (size_t element = 0; element < width; element++)
            pick_element_at(picking, column, element);
        return;
    }
    drop_elements(&picking->picks, column);
    picks_add(picking, &(struct pick){.column = column,
                                      .count = (unsigned)width,
                                      .numbered = column_is_spread(from),
                                      .part = from->part,
                                      .name = from->name});
    *taken = true;
}

static void pick_element_at(struct picking *picking, size_t column, size_t element)
{
    size_t whole = picking->place_of[column], place = whole + 1 + element;
    if (picking->excludes) {
        picking->excluded[place] = true;
        return;
    }
    if (picking->taken[whole] || picking->taken[place] || picking->excluded[place])
        return;
    picks_add(picking, &(struct pick){.column = column,
                                      .first = (unsigned)element,
                                      .count = 1,
                                      .element = true,
                                      .part = picking->columns[column].part,
                                      .name = picking->columns[column].name});
    picking->taken[place] = true;
}

/* What is picked already is left out. */
static void exclude_picked(struct picking *picking, const struct picks *picked)
{
    for (size_t i = 0; picked && i < picked->count; i++) {
        const struct pick *pick = &picked->pick[i];
        picking->row_taken[pick->row_column] = true;
        if (pick->row_column != ROW_COLUMN_NONE || pick->is_bit)
            continue;
        bool *excluded = &picking->excluded[picking->place_of[pick->column]];
        size_t from = pick->element ? 1 + (size_t)pick->first : 0, count = pick->element ? 1 : 1 + (size_t)pick->count;
        memset(excluded + from, true, count * sizeof *excluded);
    }
}

static bool has_bit(const struct picks *picks, size_t column, unsigned bit)
{
    for (size_t i = 0; picks && i < picks->count; i++)
        if (picks->pick[i].is_bit && picks->pick[i].column == column && picks->pick[i].bit == bit)
            return true;
    return false;
}

/* Of several robots in one row each has its own packet, but all have one time. */
static bool is_of_part(const struct picking *picking, enum row_column column)
{
    return picking->part_count > 0 && column != ROW_COLUMN_time && column != ROW_COLUMN_time_ns &&
           column != ROW_COLUMN_row;
}

static void add_row_column(struct picking *picking, enum row_column column)
{
    struct pick pick = {.row_column = column, .column = TABLE_NONE, .count = 1, .name = row_column_name(column)};
    if (!is_of_part(picking, column)) {
        picks_add(picking, &pick);
        return;
    }
    for (; pick.part < picking->part_count && !picking->failed; pick.part++) {
        pick.own_name = joined_name(picking->parts[pick.part].prefix, row_column_name(column));
        pick.name = pick.own_name;
        picking->failed = !pick.own_name;
        picks_add(picking, &pick);
        if (picking->failed)
            free(pick.own_name);
    }
}

static bool pick_row_column(struct picking *picking, enum row_column column)
{
    if (column == ROW_COLUMN_NONE)
        return false;
    if (!picking->row_taken[column] && !picking->excludes)
        add_row_column(picking, column);
    picking->row_taken[column] = true;
    return true;
}

/* Whether the first `length` bytes of `name` are one of the column's names. */
static bool is_called(const struct table_column *column, const char *name, size_t length)
{
    const char *names[] = {column->name, column->wire, column->base};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && strncmp(names[i], name, length) == 0 && names[i][length] == '\0')
            return true;
    return false;
}

static bool pick_exact(struct picking *picking, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < picking->column_count; i++) {
        if (is_called(&picking->columns[i], name, strlen(name))) {
            pick_column(picking, i);
            found = true;
        }
    }
    return found;
}

/* Splits NAME_N. */
static bool split_number(const char *name, size_t *length, size_t *number)
{
    const char *underscore = strrchr(name, '_');
    if (!underscore || underscore[1] < '0' || underscore[1] > '9')
        return false;
    char *end;
    *number = strtoul(underscore + 1, &end, 10);
    *length = (size_t)(underscore - name);
    return *end == '\0' && (underscore[1] != '0' || underscore[2] == '\0');
}

/* NAME_N, for a vector that has an element N. */
static bool pick_element(struct picking *picking, const char *name)
{
    size_t length, element;
    bool found = false;
    if (!split_number(name, &length, &element))
        return false;
    for (size_t i = 0; i < picking->column_count; i++) {
        const struct table_column *column = &picking->columns[i];
        if (column_is_spread(column) && element < column_width(column) && is_called(column, name, length)) {
            pick_element_at(picking, i, element);
            found = true;
        }
    }
    return found;
}

/* NULL without memory. */
static char *bit_name(const char *column, unsigned bit)
{
    char number[16];
    snprintf(number, sizeof number, "_%u", bit);
    return joined_name(column, number);
}

static bool is_excluded(const struct selection *selection, const char *name)
{
    size_t i = 0;
    while (i < selection->count && !(selection->names[i][0] == '!' && strcmp(selection->names[i] + 1, name) == 0))
        i++;
    return i < selection->count;
}

/* A bit of a column, once. */
static void pick_bit(struct picking *picking, size_t column, unsigned bit, const char *name)
{
    const struct table_column *from = &picking->columns[column];
    struct pick pick = {.column = column, .count = 1, .is_bit = true, .bit = bit, .part = from->part};
    pick.own_name = from->base ? bit_name(from->name, bit) : strdup(name);
    bool is_new = !has_bit(&picking->picks, column, bit) && !has_bit(picking->without, column, bit);
    picking->failed = picking->failed || !pick.own_name;
    if (is_new && !is_excluded(picking->selection, name) && !picking->failed) {
        picks_add(picking, &pick);
        if (!picking->failed) {
            picking->picks.pick[picking->picks.count - 1].name = pick.own_name;
            return;
        }
    }
    free(pick.own_name);
}

/* NAME_N, for a field of bits that has a bit N. */
static bool pick_bits(struct picking *picking, const char *name)
{
    size_t length, bit;
    bool found = false;
    if (!split_number(name, &length, &bit))
        return false;
    for (size_t i = 0; i < picking->column_count; i++) {
        const struct table_column *column = &picking->columns[i];
        if (column->field && field_has_bit(column->field, bit) && is_called(column, name, length)) {
            pick_bit(picking, i, (unsigned)bit, name);
            found = true;
        }
    }
    return found;
}

static bool is_like(const struct table_column *column, const char *glob)
{
    return fnmatch(glob, column->name, 0) == 0 || (column->wire && fnmatch(glob, column->wire, 0) == 0) ||
           (column->base && fnmatch(glob, column->base, 0) == 0);
}

static bool element_is_like(const char *stem, size_t element, const char *glob)
{
    char name[NAME_BYTES];
    int length = stem ? snprintf(name, sizeof name, "%s_%zu", stem, element) : -1;
    return length >= 0 && length < (int)sizeof name && fnmatch(glob, name, 0) == 0;
}

static bool pick_glob_elements(struct picking *picking, size_t i, const char *glob)
{
    const struct table_column *column = &picking->columns[i];
    bool found = false;
    for (size_t element = 0; column_is_spread(column) && element < column_width(column); element++) {
        if (!element_is_like(column->name, element, glob) && !element_is_like(column->wire, element, glob) &&
            !element_is_like(column->base, element, glob))
            continue;
        pick_element_at(picking, i, element);
        found = true;
    }
    return found;
}

static bool pick_glob(struct picking *picking, const char *glob)
{
    bool found = false;
    for (size_t i = 0; i < picking->column_count; i++) {
        if (is_like(&picking->columns[i], glob)) {
            pick_column(picking, i);
            found = true;
        } else if (pick_glob_elements(picking, i, glob)) {
            found = true;
        }
    }
    return found;
}

static bool pick_name(struct picking *picking, const char *name)
{
    if (pick_exact(picking, name) || pick_element(picking, name) || pick_bits(picking, name))
        return true;
    if (strpbrk(name, "*?["))
        return pick_glob(picking, name);
    return pick_row_column(picking, row_column_find(name));
}

/* Names to leave out, "!rt_*", count wherever they stand; a pattern need not match. */
static bool exclude_names(struct selection *selection, struct picking *picking)
{
    bool has_others = false;
    picking->excludes = true;
    for (size_t i = 0; i < selection->count; i++) {
        const char *name = selection->names[i];
        if (name[0] != '!')
            has_others = true;
        else if (pick_name(picking, name + 1) || strpbrk(name, "*?["))
            selection->found[i] = true;
    }
    picking->excludes = false;
    return has_others;
}

int selection_apply(struct selection *selection, const struct table_column *columns, size_t column_count,
                    struct picks *picks)
{
    struct picking picking = {.selection = selection,
                              .columns = columns,
                              .column_count = column_count,
                              .without = selection->without,
                              .parts = selection->parts,
                              .part_count = selection->parts ? selection->part_count : 0};
    *picks = (struct picks){0};
    if (picking_begin(&picking) != 0) {
        free(picking.place_of);
        return -1;
    }
    if (selection->on_grid) {
        pick_row_column(&picking, ROW_COLUMN_time);
        pick_row_column(&picking, ROW_COLUMN_age_s);
    }
    exclude_picked(&picking, selection->without);
    if (selection->joined && !selection->on_grid) {
        pick_row_column(&picking, ROW_COLUMN_robot);
        pick_row_column(&picking, ROW_COLUMN_stream);
        pick_row_column(&picking, ROW_COLUMN_protocol);
    }
    if (!exclude_names(selection, &picking))
        for (size_t i = 0; i < column_count; i++)
            pick_column(&picking, i);
    for (size_t i = 0; i < selection->count; i++)
        if (selection->names[i][0] != '!' && pick_name(&picking, selection->names[i]))
            selection->found[i] = true;
    free(picking.place_of);
    free(picking.taken);
    if (picking.failed) {
        picks_free(&picking.picks);
        return -1;
    }
    *picks = picking.picks;
    return 0;
}
