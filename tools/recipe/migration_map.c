#define _POSIX_C_SOURCE 200809L
#include "recipe.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"
#include "base/os/names.h"
#include "base/process/message.h"
#include "base/text/nearest_word.h"
#include "command_line/options.h"
#include "export/rows/field_selection.h"

void mapping_free(struct mapping *mapping)
{
    free(mapping->line);
    free(mapping->field);
    free(mapping->lack);
    armtap_recipe_release(mapping->held);
    *mapping = (struct mapping){0};
}

/* ---- adding fields ----------------------------------------------------------------------------------------------- */

static int add_line(struct mapping *mapping, const struct armtap_field *field, const char *name, const char *type)
{
    if (!MAKE_ROOM(mapping->line, mapping->count) || !MAKE_ROOM(mapping->field, mapping->count))
        return message_no_memory();
    mapping->field[mapping->count] = field;
    mapping->line[mapping->count++] = (struct recipe_line){name, type};
    return 0;
}

static int add_lack(struct mapping *mapping, unsigned column, const char *name, const char *reason)
{
    for (size_t i = 0; i < mapping->lack_count; i++)
        if (mapping->lack[i].column == column && strcmp(mapping->lack[i].name, name) == 0)
            return 0;
    if (!MAKE_ROOM(mapping->lack, mapping->lack_count))
        return message_no_memory();
    mapping->lack[mapping->lack_count++] = (struct mapping_lack){column, name, reason, false};
    return 0;
}

int mapping_refused(struct mapping *mapping, const char *name, const char *reason)
{
    size_t before = mapping->lack_count;
    if (add_lack(mapping, 0, name, reason) != 0)
        return -1;
    if (mapping->lack_count > before)
        mapping->lack[before].is_refused = true;
    return 0;
}

static int add_field(struct mapping *mapping, const struct armtap_field *field, unsigned column)
{
    const char *type = recipe_write_type(field);
    if (*type == '\0')
        return add_lack(mapping, column, field->name, field->meaning);
    for (size_t i = 0; i < mapping->count; i++)
        if (mapping->field[i] == field)
            return 0;
    return add_line(mapping, field, field->name, type);
}

/* ---- by column --------------------------------------------------------------------------------------------------- */

int mapping_generation(const char *option, const char *name, enum armtap_generation *generation)
{
    *generation = strcmp(name, "cb2") == 0 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
    if (*generation == ARMTAP_GENERATION_CB2 || strcmp(name, "cb3e") == 0)
        return 0;
    message_error("%s '%.40s': give cb2 or cb3e", option, name);
    return -1;
}

unsigned mapping_column(const struct armtap_field *field, enum armtap_generation generation)
{
    return generation == ARMTAP_GENERATION_CB2 ? field->column_cb2 : field->column_cb3e;
}

static const struct armtap_field *field_of(unsigned column, enum armtap_generation generation)
{
    for (size_t i = 0; i < armtap_field_count(); i++) {
        const struct armtap_field *field = armtap_field_at(i);
        unsigned first = mapping_column(field, generation);
        if (first != 0 && column >= first && column < first + field->count)
            return field;
    }
    return NULL;
}

/* Warns which columns come along with those asked for. */
static void report_whole(const struct armtap_field *field, unsigned first, const bool *asked)
{
    unsigned count = 0, one = 0;
    for (unsigned i = 0; i < field->count; i++)
        if (asked[first + i]) {
            count++;
            one = first + i;
        }
    if (count == 0 || count == field->count)
        return;
    if (count == 1)
        message_warning("column %u is an element of %s; RTDE has only the whole vector, columns %u-%u", one,
                        field->name, first, first + field->count - 1);
    else
        message_warning("%u of the columns are elements of %s; RTDE has only the whole vector, columns %u-%u", count,
                        field->name, first, first + field->count - 1);
}

int mapping_columns(struct mapping *mapping, const struct columns *columns, enum armtap_generation generation)
{
    bool asked[COLUMNS_MAX + 8] = {false};
    for (size_t i = 0; i < columns->count; i++) {
        const struct armtap_field *field = field_of(columns->number[i], generation);
        asked[columns->number[i]] = true;
        int outcome = field ? add_field(mapping, field, columns->number[i])
                            : add_lack(mapping, columns->number[i], "", "armtap knows no field there");
        if (outcome != 0)
            return -1;
    }
    for (size_t i = 0; i < mapping->count; i++)
        if (mapping_column(mapping->field[i], generation) != 0)
            report_whole(mapping->field[i], mapping_column(mapping->field[i], generation), asked);
    return 0;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

/* "actual_q_5" is an element of actual_q. */
static const struct armtap_field *vector_of(const char *name)
{
    const char *mark = strrchr(name, '_');
    if (!mark || mark[1] < '0' || mark[1] > '9' || mark[2] != '\0')
        return NULL;
    const struct armtap_field *field = armtap_field_find(name, (size_t)(mark - name));
    return field && field->count > (unsigned)(mark[1] - '0') ? field : NULL;
}

static int add_matching(struct mapping *mapping, const char *pattern, bool *found)
{
    bool is_glob = strpbrk(pattern, "*?[") != NULL;
    for (size_t i = 0; i < armtap_field_count(); i++) {
        const struct armtap_field *field = armtap_field_at(i);
        bool is_output = field->direction == ARMTAP_FIELD_OUTPUT || field->direction == ARMTAP_FIELD_BOTH;
        if (is_glob ? !is_output || fnmatch(pattern, field->name, 0) != 0
                    : strcasecmp(pattern, field->legacy_name) != 0)
            continue;
        *found = true;
        if (add_field(mapping, field, 0) != 0)
            return -1;
    }
    return 0;
}

static int name_unknown(const char *name)
{
    const struct armtap_field *field = armtap_field_nearest(name, strlen(name), ARMTAP_FIELD_BOTH);
    const char *names[1024];
    size_t count = 0;
    for (size_t i = 0; i < armtap_field_count() && count < sizeof names / sizeof *names; i++)
        names[count++] = armtap_field_at(i)->name;
    const char *meant = field ? field->name : word_nearest(name, names, count);
    if (meant)
        message_error("unknown field '%.100s'; did you mean '%s'?", name, meant);
    else
        message_error("unknown field '%.100s'; armtap fields lists all", name);
    return -1;
}

static int add_name(struct mapping *mapping, const char *name)
{
    const struct armtap_field *field = armtap_field_find(name, strlen(name));
    bool found = false;
    if (field)
        return add_field(mapping, field, 0);
    field = vector_of(name);
    if (field) {
        message_warning("%s is an element of %s; RTDE has only the whole vector", name, field->name);
        return add_field(mapping, field, 0);
    }
    if (add_matching(mapping, name, &found) != 0)
        return -1;
    return found ? 0 : name_unknown(name);
}

int mapping_names(struct mapping *mapping, const char *list)
{
    struct selection selection;
    int outcome = 0;
    if (selection_parse(list, &selection) != 0)
        return message_no_memory();
    for (size_t i = 0; i < selection.count && outcome == 0; i++)
        outcome = add_name(mapping, selection.names[i]);
    if (outcome == 0 && selection.count == 0) {
        message_error("'%s': empty; name fields, as in actual_q,robot_mode", list);
        outcome = -1;
    }
    selection_free(&selection);
    return outcome;
}

/* ---- by recipe --------------------------------------------------------------------------------------------------- */

/* The type in the controller's reply: before protocol 3 two fields are narrower on the wire than in the table. */
static const char *wire_type(const struct armtap_recipe_entry *entry)
{
    bool is_narrow = entry->type == ARMTAP_UINT32 && entry->count == 1 && entry->wire_size == 1;
    return is_narrow ? armtap_type_name(ARMTAP_UINT8, 1) : armtap_type_name(entry->type, entry->count);
}

int mapping_recipe(struct mapping *mapping, const struct armtap_recipe *recipe)
{
    armtap_recipe_release(mapping->held);
    mapping->held = armtap_recipe_hold(recipe);
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        const char *type = wire_type(entry);
        int outcome = *type == '\0' ? add_lack(mapping, 0, entry->name, "its type is unknown")
                                    : add_line(mapping, entry->field, entry->name, type);
        if (outcome != 0)
            return -1;
    }
    return 0;
}

/* ---- what is left out -------------------------------------------------------------------------------------------- */

/* Consecutive columns with the same reason share a line. */
static size_t same_reason(const struct mapping *mapping, size_t first)
{
    const struct mapping_lack *lack = mapping->lack;
    size_t last = first;
    while (lack[first].column != 0 && last + 1 < mapping->lack_count &&
           lack[last + 1].column == lack[last].column + 1 && strcmp(lack[last + 1].reason, lack[first].reason) == 0)
        last++;
    return last;
}

void mapping_report(const struct mapping *mapping)
{
    for (size_t i = 0, last; i < mapping->lack_count; i = last + 1) {
        const struct mapping_lack *lack = &mapping->lack[i];
        last = same_reason(mapping, i);
        if (lack->is_refused)
            message_warning("%s is omitted: %s", lack->name, lack->reason);
        else if (lack->column == 0)
            message_warning("%s is omitted; RTDE has no such field: %s", lack->name, lack->reason);
        else if (last == i)
            message_warning("column %u is omitted; RTDE has no such field: %s", lack->column, lack->reason);
        else
            message_warning("columns %u-%u are omitted; RTDE has no such fields: %s", lack->column,
                            mapping->lack[last].column, lack->reason);
    }
}
