#define _POSIX_C_SOURCE 200809L
#include "matlab.h"

#include <inttypes.h>
#include <stdio.h>

#include "array.h"
#include "base/os/names.h"
#include "base/process/message.h"
#include "content.h"
#include "base/text/names_apart.h"

/* Bytes of a matrix of characters for each byte of its texts, and without any: a few long texts among many short ones
 * would make it huge. */
#define MATRIX_SHARE 64
#define MATRIX_FREE ((uint64_t)16 << 20)

/* A variable, until the end of the file. */
struct member {
    size_t first;
    size_t columns;
};

struct matlab_file {
    struct column_file base;
    enum matlab_kind kind;
    struct packer *packer;
    int64_t time; /* the first; INT64_MIN: none yet */
    struct matlab_store store;
    struct member *members;
    size_t count;
    struct buffer description; /* of the members, then the notes; empty once the file is open */
    struct buffer notes;
    struct names_apart names; /* none once the file is open */
    uint64_t place;           /* of the description, in the spool */
    size_t description_bytes;
};

static struct matlab_file *file_of(struct column_file *base)
{
    return (struct matlab_file *)base;
}

/* ---- the structure meta ----------------------------------------------------------------------------------------- */

/* Children keep their order. NULL without memory; the texts and names must outlive the node. */
static struct matlab_node *matlab_node_new(struct matlab_node *parent, const char *name, enum matlab_node_kind kind)
{
    struct matlab_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct matlab_node){.name = name, .kind = kind};
    if (!parent)
        return node;
    if (parent->last)
        parent->last->next = node;
    else
        parent->children = node;
    parent->last = node;
    parent->count++;
    return node;
}

static int matlab_node_add_text(struct matlab_node *node, const char *text)
{
    if (!MAKE_ROOM(node->texts, node->count))
        return -1;
    node->texts[node->count++] = text;
    return 0;
}

static int matlab_node_add_number(struct matlab_node *node, int32_t number)
{
    if (!MAKE_ROOM(node->numbers, node->count))
        return -1;
    node->numbers[node->count++] = number;
    return 0;
}

/* `meta` is three structures deep. */
static void matlab_node_free(struct matlab_node *node)
{
    while (node) {
        struct matlab_node *next = node->next;
        matlab_node_free(node->children);
        free(node->texts);
        free(node->numbers);
        free(node);
        node = next;
    }
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Makes a name that MATLAB takes, and that was not taken before. 0, or -1 without memory. */
static int take_name(struct names_apart *names, const char *name, size_t length, char made[MATLAB_NAME_MAX + 1])
{
    matlab_name_make(name, length, made);
    return names_apart_take(names, made, MATLAB_NAME_MAX);
}

static void free_file(struct column_file *base)
{
    struct matlab_file *file = file_of(base);
    matlab_store_free(&file->store);
    names_apart_free(&file->names);
    free(file->members);
    free(file->description.data);
    free(file->notes.data);
}

static void put_string(struct buffer *out, const char *string)
{
    buffer_put(out, string, strlen(string) + 1);
}

static int begin_member(struct matlab_file *file, enum matlab_type type, size_t columns)
{
    if (!MAKE_ROOM(file->members, file->count))
        return -1;
    file->members[file->count++] = (struct member){file->store.table->column_count, columns};
    for (size_t i = 0; i < columns; i++)
        if (matlab_store_add_column(&file->store, type) != 0)
            return -1;
    return 0;
}

/* The description has for each member its name, its name before, its unit, then its values: 'v' or 'b', the number, and
 * the name; then an empty text. */
void matlab_file_add_variable(struct column_file *base, const char *name, size_t length, enum matlab_type type,
                              size_t columns, const char *unit)
{
    struct matlab_file *file = file_of(base);
    char made[MATLAB_NAME_MAX + 1];
    if (take_name(&file->names, name, length, made) != 0 || begin_member(file, type, columns) != 0) {
        file->base.failed = true;
        return;
    }
    if (file->count > 1)
        put_string(&file->description, "");
    put_string(&file->description, made);
    buffer_put(&file->description, name, length);
    buffer_char(&file->description, '\0');
    put_string(&file->description, unit);
}

void matlab_file_add_value(struct column_file *base, bool is_bit, int32_t value, const char *name)
{
    struct matlab_file *file = file_of(base);
    char number[24];
    snprintf(number, sizeof number, "%c%" PRId32, is_bit ? 'b' : 'v', value);
    put_string(&file->description, number);
    put_string(&file->description, name);
}

void matlab_file_add_note(struct column_file *base, const char *key, const char *value)
{
    struct matlab_file *file = file_of(base);
    put_string(&file->notes, key);
    put_string(&file->notes, value);
}

static int open_file(struct column_file *base)
{
    struct matlab_file *file = file_of(base);
    put_string(&file->description, "");
    buffer_put(&file->description, file->notes.data, file->notes.length);
    put_string(&file->description, "");
    if (file->base.failed || file->description.failed || file->notes.failed)
        return message_no_memory();
    file->description_bytes = file->description.length;
    int outcome = spool_put(file->base.output.spool, file->description.data, file->description.length, &file->place);
    free(file->description.data);
    free(file->notes.data);
    file->description = file->notes = (struct buffer){0};
    names_apart_free(&file->names);
    return outcome;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The first of the times that are known. 0, or -1 after a message. */
static int take_time(struct matlab_file *file)
{
    struct buffer times = {0};
    if (file->base.table.column_count > 0 && file->base.table.columns[0].width == sizeof file->time)
        column_table_values_present(&file->base.table, 0, &times);
    if (times.length > 0)
        memcpy(&file->time, times.data, sizeof file->time);
    free(times.data);
    return times.failed ? message_no_memory() : 0;
}

static int flush(struct column_file *base)
{
    struct matlab_file *file = file_of(base);
    if (file->time == INT64_MIN && take_time(file) != 0)
        return -1;
    return matlab_store_set_aside(&file->store);
}

struct column_file *matlab_file_new(const struct column_output *output, enum matlab_kind kind, struct packer *packer)
{
    static const struct column_file_kind functions = {open_file, flush, NULL, free_file};
    struct matlab_file *file = calloc(1, sizeof *file);
    char made[MATLAB_NAME_MAX + 1];
    if (!file)
        return NULL;
    *file = (struct matlab_file){
        .base = {.kind = &functions, .output = *output}, .kind = kind, .packer = packer, .time = INT64_MIN};
    matlab_store_begin(&file->store, &file->base.table, output->spool);
    if (take_name(&file->names, "meta", strlen("meta"), made) == 0)
        return &file->base;
    column_file_free(&file->base);
    return NULL;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

/* A text that ends with NUL; *at is set to the next one. */
static const char *next_text(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

/* How wide a matrix of characters may be. */
static size_t characters_of(const struct matlab_store *store, const struct matlab_column *column)
{
    uint64_t max = (MATRIX_FREE + MATRIX_SHARE * column->text_bytes) / (store->pieces.rows + 1) / sizeof(uint16_t) + 1;
    return column->characters < max ? column->characters : (size_t)max;
}

/* What is known of some columns together. */
static struct matlab_column sum_up(const struct matlab_store *store, size_t first, size_t count)
{
    struct matlab_column all = store->columns[first];
    for (size_t i = first + 1; i < first + count; i++) {
        all.has_absent = all.has_absent || store->columns[i].has_absent;
        all.is_wide = all.is_wide || store->columns[i].is_wide;
        all.kinds |= store->columns[i].kinds;
    }
    return all;
}

/* MATLAB's whole numbers have no NaN: with rows that lack them they are doubles, unless these cannot hold them. */
static enum matlab_class class_of(const struct matlab_column *column)
{
    const struct matlab_type_row *row = matlab_type_row(column->type);
    if (column->type == MATLAB_JSON && column->kinds == MATLAB_JSON_TRUTH && !column->has_absent)
        return MATLAB_CLASS_LOGICAL;
    if (column->type == MATLAB_JSON &&
        (column->kinds == MATLAB_JSON_TRUTH || (column->kinds & ~(unsigned)MATLAB_JSON_NUMBER) == 0))
        return MATLAB_CLASS_DOUBLE;
    return row->width > 0 && column->has_absent && !column->is_wide ? MATLAB_CLASS_DOUBLE : row->class;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* What is needed while the file is written. */
struct making {
    struct matlab_content content;
    char *description;
    struct names_apart names;
    char (*made)[MATLAB_NAME_MAX + 1]; /* names of variables that no member has */
    size_t made_count;
};

/* Adds the values of a member to meta. Sets *at to the next member. */
static int describe_values(const char **at, const char *name, struct matlab_node *enums, struct matlab_node *bits)
{
    struct matlab_node *values = NULL, *numbers = NULL, *names = NULL;
    while (**at != '\0') {
        const char *number = next_text(at), *text = next_text(at);
        if (!values) {
            values = matlab_node_new(*number == 'b' ? bits : enums, name, MATLAB_NODE_STRUCT);
            numbers = values ? matlab_node_new(values, "values", MATLAB_NODE_NUMBERS) : NULL;
            names = values ? matlab_node_new(values, "names", MATLAB_NODE_TEXTS) : NULL;
        }
        if (!numbers || !names || matlab_node_add_number(numbers, (int32_t)strtol(number + 1, NULL, 10)) != 0 ||
            matlab_node_add_text(names, text) != 0)
            return -1;
    }
    (*at)++;
    return 0;
}

static int describe_unit(struct matlab_node *units, const char *name, const char *unit)
{
    struct matlab_node *node = *unit == '\0' ? NULL : matlab_node_new(units, name, MATLAB_NODE_TEXTS);
    return *unit == '\0' ? 0 : node ? matlab_node_add_text(node, unit) : -1;
}

static int add_notes(struct matlab_node *meta, const char *at)
{
    while (*at != '\0') {
        const char *key = next_text(&at), *value = next_text(&at);
        struct matlab_node *node = matlab_node_new(meta, key, MATLAB_NODE_TEXTS);
        if (!node || matlab_node_add_text(node, value) != 0)
            return -1;
    }
    return 0;
}

static void warn_cut(const struct matlab_variable *variable, size_t longest)
{
    if (variable->characters < longest)
        message_warning("%s: a text of %zu characters was cut to %zu, since every row of a character matrix is as wide "
                        "as its longest text; -f ndjson keeps it",
                        variable->source, longest, variable->characters);
}

/* A name for a variable that no member has; NULL without memory. */
static const char *make_name(struct making *making, const char *stem, const char *ending)
{
    char wanted[2 * MATLAB_NAME_MAX];
    char *made = making->made[making->made_count++];
    int length = snprintf(wanted, sizeof wanted, "%.*s%s", (int)(MATLAB_NAME_MAX - strlen(ending)), stem, ending);
    return take_name(&making->names, wanted, (size_t)length, made) == 0 ? made : NULL;
}

/* Adds a variable of some columns, and one for their absence if there is no other sign of it. */
static int add_variable(const struct matlab_store *store, struct making *making, struct matlab_variable variable)
{
    struct matlab_content *content = &making->content;
    struct matlab_column column = sum_up(store, variable.first, variable.columns);
    variable.class = class_of(&column);
    if (variable.class == MATLAB_CLASS_CHAR) {
        variable.characters = characters_of(store, &column);
        warn_cut(&variable, column.characters);
    }
    content->variables[content->count++] = variable;
    if (!column.has_absent || !column.is_wide)
        return 0;
    variable.source = variable.name = make_name(making, variable.name, "_absent");
    variable.unit = "";
    variable.class = MATLAB_CLASS_LOGICAL;
    variable.is_absence = true;
    content->variables[content->count++] = variable;
    return variable.name ? 0 : -1;
}

/* JSON whose columns are not all numbers makes no matrix: each is a variable of its own. */
static int add_apart(const struct matlab_store *store, struct making *making, const struct matlab_variable *member)
{
    for (size_t i = 0; i < member->columns; i++) {
        char ending[24];
        struct matlab_variable variable = *member;
        snprintf(ending, sizeof ending, "_%zu", i);
        variable.first += i;
        variable.columns = 1;
        variable.source = variable.name = make_name(making, member->name, ending);
        if (!variable.name || add_variable(store, making, variable) != 0)
            return -1;
    }
    return 0;
}

static int add_member(const struct matlab_store *store, struct making *making, const struct matlab_variable *member)
{
    struct matlab_column all = sum_up(store, member->first, member->columns);
    bool is_apart = member->columns > 1 && matlab_type_is_text(all.type) && class_of(&all) == MATLAB_CLASS_CHAR;
    return is_apart ? add_apart(store, making, member) : add_variable(store, making, *member);
}

static int add_members(struct matlab_file *file, struct making *making, struct matlab_node *units,
                       struct matlab_node *enums, struct matlab_node *bits, const char **at)
{
    for (size_t i = 0; i < file->count; i++) {
        struct matlab_variable member = {.first = file->members[i].first, .columns = file->members[i].columns};
        member.name = next_text(at);
        member.source = next_text(at);
        member.unit = next_text(at);
        if (describe_unit(units, member.name, member.unit) != 0 || describe_values(at, member.name, enums, bits) != 0 ||
            add_member(&file->store, making, &member) != 0)
            return -1;
    }
    return 0;
}

/* Names of the members are taken again, since others must differ from them. */
static int take_names(struct matlab_file *file, struct making *making)
{
    const char *at = making->description;
    char made[MATLAB_NAME_MAX + 1];
    if (take_name(&making->names, "meta", strlen("meta"), made) != 0)
        return -1;
    for (size_t i = 0; i < file->count; i++) {
        const char *name = next_text(&at);
        next_text(&at);
        next_text(&at);
        while (*next_text(&at) != '\0')
            next_text(&at);
        if (take_name(&making->names, name, strlen(name), made) != 0)
            return -1;
    }
    return 0;
}

/* 0, or -1 without memory. */
static int describe(struct matlab_file *file, struct making *making)
{
    const char *at = making->description;
    struct matlab_content *content = &making->content;
    content->store = &file->store;
    content->packer = file->packer;
    content->variables = calloc(2 * file->store.table->column_count + 1, sizeof *content->variables);
    making->made = calloc(file->store.table->column_count + 1, sizeof *making->made);
    content->meta = matlab_node_new(NULL, "meta", MATLAB_NODE_STRUCT);
    if (!content->variables || !making->made || !content->meta || take_names(file, making) != 0)
        return -1;
    struct matlab_node *notes = content->meta;
    struct matlab_node *units = matlab_node_new(content->meta, "units", MATLAB_NODE_STRUCT);
    struct matlab_node *enums = matlab_node_new(content->meta, "enums", MATLAB_NODE_STRUCT);
    struct matlab_node *bits = matlab_node_new(content->meta, "bits", MATLAB_NODE_STRUCT);
    if (!units || !enums || !bits || add_members(file, making, units, enums, bits, &at) != 0)
        return -1;
    if (file->count == 0)
        next_text(&at);
    return add_notes(notes, at);
}

static void make_head(enum matlab_kind kind, int64_t time, char head[117])
{
    char text[117], date[40];
    time_t seconds = time == INT64_MIN ? 0 : (time_t)(time / 1000000000);
    struct tm broken;
    if (!gmtime_r(&seconds, &broken) || strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &broken) == 0)
        strcpy(date, "Thu Jan  1 00:00:00 1970");
    snprintf(text, sizeof text, "MATLAB %s MAT-file, Platform: GLNXA64, Created on: %s%s",
             kind == MATLAB_KIND_5 ? "5.0" : "7.3", date, kind == MATLAB_KIND_5 ? "" : " HDF5 schema 1.00 .");
    snprintf(head, 117, "%-116s", text);
}

/* A variable that a file of version 5 cannot hold, or NULL. */
static const struct matlab_variable *too_large(const struct matlab_content *content)
{
    for (size_t i = 0; i < content->count; i++) {
        const struct matlab_variable *variable = &content->variables[i];
        size_t width = variable->class == MATLAB_CLASS_CHAR ? variable->characters : variable->columns;
        if (!matlab_v5_holds(content->store->pieces.rows, width * matlab_class_row(variable->class)->width))
            return variable;
    }
    return NULL;
}

static enum matlab_outcome write_content(const struct matlab_file *file, const struct matlab_content *content,
                                         const char *path, const char *name, int *error)
{
    const struct matlab_variable *large = file->kind == MATLAB_KIND_5 ? too_large(content) : NULL;
    if (!large)
        return file->kind == MATLAB_KIND_5 ? matlab_v5_write(content, path, error)
                                           : matlab_hdf5_write(content, path, file->kind == MATLAB_KIND_73, error);
    message_error("%s: variable %s of %" PRIu64 " rows is over 2 GiB, more than MAT-files of version 5 can hold; "
                  "remove --dialect v5, or select fewer rows with --from and --to, or "
                  "--every",
                  name, large->name, content->store->pieces.rows);
    return MATLAB_FAILED;
}

enum matlab_outcome matlab_file_end(struct column_file *base, const char *path, const char *name, int *error)
{
    struct matlab_file *file = file_of(base);
    struct making making = {.description = malloc(file->description_bytes + 1)};
    enum matlab_outcome outcome = MATLAB_FAILED;
    if (column_file_ease(base, true) != 0 || !making.description)
        outcome = MATLAB_FAILED;
    else if (spool_get(file->base.output.spool, file->place, making.description, file->description_bytes) != 0)
        outcome = MATLAB_FAILED;
    else if (describe(file, &making) != 0)
        message_no_memory();
    else {
        make_head(file->kind, file->time, making.content.head);
        outcome = write_content(file, &making.content, path, name, error);
    }
    if (!making.description)
        message_no_memory();
    free(making.description);
    free(making.made);
    free(making.content.variables);
    names_apart_free(&making.names);
    matlab_node_free(making.content.meta);
    return outcome;
}
