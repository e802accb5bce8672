#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "cells.h"
#include "field.h"

#define CELL 8u       /* bytes of a legacy cell */
#define LENGTH_WORD 4 /* bytes before the first cell */
#define LARGEST_CB2_SIZE 812

/* ---- lists ---- */

static bool is_padding(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static bool only_padding(const char *p, const char *end)
{
    while (p < end && is_padding(*p))
        p++;
    return p == end;
}

bool armtap_list_next(const char **cursor, const char *end, struct armtap_item *item)
{
    const char *p = *cursor;
    if (only_padding(p, end))
        return false;
    const char *stop = memchr(p, ',', (size_t)(end - p));
    *cursor = stop ? stop + 1 : end;
    if (!stop)
        stop = end;
    while (p < stop && is_padding(*p))
        p++;
    while (stop > p && is_padding(stop[-1]))
        stop--;
    item->text = p;
    item->length = (size_t)(stop - p);
    return true;
}

size_t armtap_list_count(const char *list, size_t length)
{
    const char *cursor = list;
    struct armtap_item item;
    size_t count = 0;
    while (armtap_list_next(&cursor, list + length, &item))
        count++;
    return count;
}

bool armtap_item_is(const struct armtap_item *item, const char *text)
{
    return strlen(text) == item->length && memcmp(item->text, text, item->length) == 0;
}

/* ---- making ---- */

int armtap_recipe_make(enum armtap_protocol protocol, size_t count, size_t name_bytes, struct armtap_recipe **recipe,
                       char **names)
{
    size_t entries = count * sizeof(struct armtap_recipe_entry);
    size_t steps = count * sizeof(struct armtap_step);
    size_t bytes = armtap_recipe_bytes(count, name_bytes);
    struct armtap_recipe *made = calloc(1, bytes);
    *recipe = made;
    if (!made)
        return ARMTAP_ERR_MEMORY;
    made->bytes = bytes;
    made->protocol = protocol;
    uint8_t *room = (uint8_t *)(made + 1);
    atomic_init(&made->holders, 1);
    made->entries = (struct armtap_recipe_entry *)(void *)room;
    armtap_plan_init(&made->plan, (struct armtap_step *)(void *)(room + entries));
    made->ops = room + entries + steps;
    *names = (char *)(made->ops + count);
    return ARMTAP_OK;
}

void armtap_recipe_add(struct armtap_recipe *recipe, const char *name, const struct armtap_field *field,
                       enum armtap_type type, unsigned count, enum armtap_op op)
{
    size_t width = op == ARMTAP_OP_NONE ? armtap_type_width(type) : armtap_op_wire_width(op);
    struct armtap_recipe_entry *entry = &recipe->entries[recipe->count];
    *entry = (struct armtap_recipe_entry){name, field, type, count, recipe->size, width * count, 0};
    recipe->ops[recipe->count++] = (uint8_t)op;
    recipe->size += entry->wire_size;
    if (!field)
        return;
    recipe->integer_cells |= armtap_op_is_cell(op);
    armtap_plan_add(&recipe->plan, armtap_plan_step(op, field, entry->offset), field->id);
}

void armtap_recipe_add_typed(struct armtap_recipe *recipe, const char *name, const struct armtap_field *field,
                             enum armtap_type type, unsigned count)
{
    enum armtap_op op = ARMTAP_OP_NONE;
    if (field && field->direction != ARMTAP_FIELD_LEGACY && field->count == count)
        op = armtap_op_for(type, field->type);
    if (op == ARMTAP_OP_NONE)
        field = NULL;
    armtap_recipe_add(recipe, name, field, field ? field->type : type, count, op);
}

static char *invented_name(size_t number, char *at)
{
    static const char stem[] = "value_";
    char digits[24];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    memcpy(at, stem, sizeof stem - 1);
    at += sizeof stem - 1;
    while (count)
        *at++ = digits[--count];
    *at = '\0';
    return at + 1;
}
#define INVENTED_NAME_ROOM 32

/* Room for the names of a list, and for those made up where it lacks them. */
static size_t names_room(const struct armtap_item *names, size_t count)
{
    if (!names)
        return count * INVENTED_NAME_ROOM;
    size_t missing = count;
    const char *at = names->text;
    struct armtap_item name;
    for (size_t i = 0; i < count && armtap_list_next(&at, names->text + names->length, &name); i++)
        missing -= name.length > 0;
    return names->length + 1 + missing * INVENTED_NAME_ROOM;
}

/* Opens the recipe. It stays `alike` while all such types have the name of the first. */
static void note_unknown_type(struct armtap_recipe *recipe, const struct armtap_item *type, struct armtap_item *first)
{
    if (!recipe->open)
        *first = *type;
    recipe->alike = (!recipe->open || recipe->alike) && type->length == first->length &&
                    memcmp(type->text, first->text, type->length) == 0;
    recipe->open = true;
}

/* `unknown` is the recipe's first unknown type. */
static void add_rtde_entry(struct armtap_recipe *recipe, const char *name, const struct armtap_item *type_name,
                           struct armtap_item *unknown)
{
    const struct armtap_field *field = armtap_field_find(name, strlen(name));
    enum armtap_type type = ARMTAP_BYTES;
    unsigned count = 1;
    bool placeless = recipe->open;
    if (field && field->direction == ARMTAP_FIELD_LEGACY)
        field = NULL;
    if (type_name && !armtap_type_find(type_name->text, type_name->length, &type, &count))
        note_unknown_type(recipe, type_name, unknown);
    if (!type_name && field) {
        type = field->type;
        count = field->count;
    } else if (!type_name) {
        recipe->open = true;
    }
    size_t size = recipe->size;
    armtap_recipe_add_typed(recipe, name, placeless ? NULL : field, type, count);
    if (placeless) { /* it follows a value of unknown size, so its offset is unknown */
        recipe->entries[recipe->count - 1].offset = SIZE_MAX;
        recipe->entries[recipe->count - 1].wire_size = 0;
        recipe->size = size;
    }
}

int armtap_recipe_from_lists(const struct armtap_item *names, const struct armtap_item *types,
                             struct armtap_recipe **recipe)
{
    size_t count =
        types ? armtap_list_count(types->text, types->length) : armtap_list_count(names->text, names->length);
    char *at;
    int error = armtap_recipe_make(ARMTAP_RTDE, count, names_room(names, count), recipe, &at);
    if (error != ARMTAP_OK)
        return error;
    struct armtap_item unknown = {NULL, 0};
    const char *name_cursor = names ? names->text : NULL;
    const char *type_cursor = types ? types->text : NULL;
    for (size_t i = 0; i < count; i++) {
        struct armtap_item name, type;
        char *text = at;
        if (names && armtap_list_next(&name_cursor, names->text + names->length, &name) && name.length > 0) {
            memcpy(at, name.text, name.length);
            at[name.length] = '\0';
            at += name.length + 1;
        } else {
            at = invented_name(i, at);
        }
        if (types)
            armtap_list_next(&type_cursor, types->text + types->length, &type);
        add_rtde_entry(*recipe, text, types ? &type : NULL, &unknown);
    }
    return ARMTAP_OK;
}

int armtap_recipe_rtde(const char *names, const char *types, struct armtap_recipe **recipe)
{
    if (!names || !recipe)
        return ARMTAP_ERR_ARGUMENT;
    struct armtap_item name_list = {names, strlen(names)}, type_list = {types, types ? strlen(types) : 0};
    if (types && armtap_list_count(names, name_list.length) != armtap_list_count(types, type_list.length))
        return ARMTAP_ERR_ARGUMENT;
    int error = armtap_recipe_from_lists(&name_list, types ? &type_list : NULL, recipe);
    if (error == ARMTAP_OK && (*recipe)->open) {
        armtap_recipe_release(*recipe);
        error = ARMTAP_ERR_TYPE;
    }
    if (error != ARMTAP_OK)
        *recipe = NULL;
    return error;
}

/* The entries of an open recipe whose types are not known, and the bytes of the others. */
struct unknowns {
    size_t count, first, last;
    size_t rest;    /* bytes of all others ... */
    size_t between; /* ... of those between the first and the last */
};

static struct unknowns unknowns_of(const struct armtap_recipe *open)
{
    struct unknowns unknowns = {0};
    size_t before = 0;
    for (size_t i = 0; i < open->count; i++) {
        const struct armtap_recipe_entry *entry = &open->entries[i];
        size_t width = armtap_type_width(entry->type) * entry->count;
        if (width > 0) {
            unknowns.rest += entry->offset == SIZE_MAX ? width : entry->wire_size;
            continue;
        }
        if (unknowns.count++ == 0) {
            unknowns.first = i;
            before = unknowns.rest;
        }
        unknowns.last = i;
        unknowns.between = unknowns.rest - before;
    }
    return unknowns;
}

static void add_bytes(struct armtap_recipe *recipe, const char *name, size_t length)
{
    armtap_recipe_add(recipe, name, NULL, ARMTAP_BYTES, 1, ARMTAP_OP_NONE);
    recipe->entries[recipe->count - 1].wire_size = length;
    recipe->size += length;
}

/* Entry i of an open recipe, now that those of unknown types are known to hold `total` bytes: `share` each, or, where
 * that is 0, so many in common. */
static void place(struct armtap_recipe *recipe, const struct armtap_recipe *open, size_t i,
                  const struct unknowns *unknowns, size_t total, size_t share, const char *name)
{
    const struct armtap_recipe_entry *entry = &open->entries[i];
    bool is_unknown = armtap_type_width(entry->type) == 0;
    if (is_unknown && share > 0) {
        add_bytes(recipe, name, share);
    } else if (share == 0 && i == unknowns->first) {
        add_bytes(recipe, name, total + unknowns->between);
    } else if (share == 0 && i > unknowns->first && i <= unknowns->last) {
        recipe->ops[recipe->count] = ARMTAP_OP_NONE;
        recipe->entries[recipe->count++] =
            (struct armtap_recipe_entry){name, NULL, entry->type, entry->count, SIZE_MAX, 0, 0};
    } else if (entry->offset == SIZE_MAX) {
        armtap_recipe_add_typed(recipe, name, armtap_field_find(name, strlen(name)), entry->type, entry->count);
    } else {
        armtap_recipe_add(recipe, name, entry->field, entry->type, entry->count, (enum armtap_op)open->ops[i]);
    }
}

int armtap_recipe_of_length(struct armtap_recipe *open, size_t length, struct armtap_recipe **recipe)
{
    struct unknowns unknowns = unknowns_of(open);
    size_t name_bytes = 0;
    char *at;
    *recipe = NULL;
    if (unknowns.count == 0 || length < unknowns.rest || length - unknowns.rest < unknowns.count)
        return ARMTAP_OK;
    size_t total = length - unknowns.rest;
    bool splits = unknowns.count == 1 || (open->alike && total % unknowns.count == 0);
    for (size_t i = 0; i < open->count; i++)
        name_bytes += strlen(open->entries[i].name) + 1;
    struct armtap_recipe *made;
    int error = armtap_recipe_make(open->protocol, open->count, name_bytes, &made, &at);
    if (error != ARMTAP_OK)
        return error;
    made->replied = armtap_recipe_hold(open);
    made->open = made->unsized = !splits;
    made->common = splits ? 0 : total;
    for (size_t i = 0; i < open->count; i++) {
        size_t name_length = strlen(open->entries[i].name) + 1;
        memcpy(at, open->entries[i].name, name_length);
        place(made, open, i, &unknowns, total, splits ? total / unknowns.count : 0, at);
        at += name_length;
    }
    *recipe = made;
    return ARMTAP_OK;
}

int armtap_recipe_of_rows(enum armtap_protocol protocol, const struct armtap_recipe_row *rows, size_t count,
                          struct armtap_recipe **recipe)
{
    size_t name_bytes = 0;
    char *at;
    for (size_t i = 0; i < count; i++)
        name_bytes += strlen(rows[i].name) + 1;
    int error = armtap_recipe_make(protocol, count, name_bytes, recipe, &at);
    if (error != ARMTAP_OK)
        return error;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].name);
        memcpy(at, rows[i].name, length + 1);
        armtap_recipe_add_typed(*recipe, at, armtap_field_find(at, length), rows[i].type, rows[i].count);
        at += length + 1;
    }
    return ARMTAP_OK;
}

int armtap_recipe_of_text(const char *name, enum armtap_protocol protocol, struct armtap_recipe **recipe)
{
    char *at;
    int error = armtap_recipe_make(protocol, 1, strlen(name) + 1, recipe, &at);
    if (error != ARMTAP_OK)
        return error;
    memcpy(at, name, strlen(name) + 1);
    (*recipe)->open = true;
    armtap_recipe_add(*recipe, at, NULL, ARMTAP_STRING, 1, ARMTAP_OP_NONE);
    return ARMTAP_OK;
}

int armtap_recipe_of_cells(enum armtap_protocol protocol, size_t count, size_t name_bytes,
                           struct armtap_recipe **recipe)
{
    char *names;
    int error = armtap_recipe_make(protocol, count, name_bytes, recipe, &names);
    if (error != ARMTAP_OK)
        return error;
    (*recipe)->cells = true;
    (*recipe)->open = true;
    (*recipe)->names_end = names;
    return ARMTAP_OK;
}

void armtap_recipe_add_cell(struct armtap_recipe *recipe, const char *name, size_t length,
                            const struct armtap_field *field, unsigned arm)
{
    char *text = recipe->names_end;
    memcpy(text, name, length);
    text[length] = '\0';
    recipe->names_end += length + 1;
    recipe->ops[recipe->count] = ARMTAP_OP_NONE;
    recipe->entries[recipe->count++] = (struct armtap_recipe_entry){
        text, field, field ? field->type : ARMTAP_JSON, field ? field->count : 1, 0, 0, arm};
    recipe->arms |= arm ? 1u << (arm - 1) : 0u;
    if (field)
        armtap_set_add(&recipe->plan.fields, field->id);
}

enum armtap_generation armtap_realtime_generation(size_t size)
{
    return size <= LARGEST_CB2_SIZE ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
}

const struct armtap_field *armtap_realtime_next(enum armtap_generation generation, size_t size, unsigned *column)
{
    const struct armtap_field *field = armtap_field_at_column(generation, *column);
    if (!field || LENGTH_WORD + CELL * (*column - 1u + field->count) > size)
        return NULL;
    *column += field->count;
    return field;
}

int armtap_recipe_realtime(size_t size, struct armtap_recipe **recipe)
{
    enum armtap_generation generation = armtap_realtime_generation(size);
    char *names;
    if (!recipe)
        return ARMTAP_ERR_ARGUMENT;
    int error = armtap_recipe_make(ARMTAP_REALTIME, armtap_layout_columns(generation), 0, recipe, &names);
    if (error != ARMTAP_OK)
        return error;
    unsigned column = 1;
    for (const struct armtap_field *field; (field = armtap_realtime_next(generation, size, &column));)
        armtap_recipe_add(*recipe, field->name, field, field->type, field->count, armtap_op_for_cell(field->type));
    return ARMTAP_OK;
}

struct armtap_recipe *armtap_recipe_hold(const struct armtap_recipe *recipe)
{
    struct armtap_recipe *held = (struct armtap_recipe *)(uintptr_t)recipe;
    if (held)
        atomic_fetch_add_explicit(&held->holders, 1, memory_order_relaxed);
    return held;
}

void armtap_recipe_release(struct armtap_recipe *recipe)
{
    /* Other threads' accesses happen before it is freed. */
    while (recipe && atomic_fetch_sub_explicit(&recipe->holders, 1, memory_order_acq_rel) == 1) {
        struct armtap_recipe *replied = recipe->replied;
        free(recipe);
        recipe = replied;
    }
}

/* ---- asking ---- */

size_t armtap_recipe_count(const struct armtap_recipe *recipe)
{
    return recipe ? recipe->count : 0;
}

const struct armtap_recipe_entry *armtap_recipe_at(const struct armtap_recipe *recipe, size_t i)
{
    return recipe && i < recipe->count ? &recipe->entries[i] : NULL;
}

size_t armtap_recipe_size(const struct armtap_recipe *recipe)
{
    return recipe ? recipe->size : 0;
}

enum armtap_protocol armtap_recipe_protocol(const struct armtap_recipe *recipe)
{
    return recipe ? recipe->protocol : ARMTAP_PROTOCOL_NONE;
}

bool armtap_recipe_same(const struct armtap_recipe *a, const struct armtap_recipe *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->count != b->count || a->size != b->size || a->protocol != b->protocol)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->entries[i].name, b->entries[i].name) != 0 || a->entries[i].type != b->entries[i].type ||
            a->entries[i].count != b->entries[i].count || a->ops[i] != b->ops[i])
            return false;
    return true;
}

/* ---- reading ---- */

/* One element from the wire as the union's member for its delivered type. False for a cell that holds no integer. */
static bool read_element(enum armtap_op op, enum armtap_type type, const uint8_t *p, struct armtap_value *value,
                         unsigned i)
{
    int32_t i32 = 0;
    uint32_t u32 = 0;
    bool whole = true;
    switch (op) {
    case ARMTAP_OP_CELL_INT32:
        whole = armtap_cell_int32(p, &i32);
        value->i64[i] = i32;
        return whole;
    case ARMTAP_OP_CELL_UINT32:
        whole = armtap_cell_uint32(p, &u32);
        value->u64[i] = u32;
        return whole;
    case ARMTAP_OP_CELL_BITS:
        return armtap_cell_bits(p, &value->u64[i]);
    case ARMTAP_OP_BYTE_TO_4:
        value->u64[i] = *p;
        return true;
    case ARMTAP_OP_4_TO_8:
        value->u64[i] = armtap_be32(p);
        return true;
    default:
        break;
    }
    if (type == ARMTAP_INT32)
        value->i64[i] = (int32_t)armtap_be32(p);
    else if (type == ARMTAP_UINT32)
        value->u64[i] = armtap_be32(p);
    else if (type == ARMTAP_BOOL)
        value->u64[i] = *p != 0;
    else if (type == ARMTAP_UINT8)
        value->u64[i] = *p;
    else
        value->u64[i] = armtap_be64(p);
    return true;
}

void armtap_recipe_read(const struct armtap_recipe *recipe, size_t i, const uint8_t *values, size_t length,
                        struct armtap_value *value)
{
    if (!value)
        return;
    if (!recipe || i >= recipe->count) {
        *value = (struct armtap_value){.type = ARMTAP_BYTES};
        return;
    }
    const struct armtap_recipe_entry *entry = &recipe->entries[i];
    value->name = entry->name;
    value->field = entry->field;
    value->type = entry->type;
    value->count = entry->count;
    value->present = false;
    if (!values)
        return;
    if (recipe->cells) {
        armtap_cells_read(values, length, i, value);
        if (value->field && (value->type != value->field->type || value->count != value->field->count))
            value->field = NULL;
        return;
    }
    if (entry->offset > length || entry->wire_size > length - entry->offset)
        return;
    if (entry->type == ARMTAP_STRING || entry->type == ARMTAP_BYTES) {
        value->present = true;
        value->text = (const char *)values + entry->offset;
        value->length = entry->wire_size > 0 ? entry->wire_size : length - entry->offset;
        return;
    }
    size_t width = entry->wire_size / entry->count;
    value->present = true;
    for (unsigned k = 0; k < entry->count; k++)
        value->present &=
            read_element((enum armtap_op)recipe->ops[i], entry->type, values + entry->offset + k * width, value, k);
}

bool armtap_record_value(const struct armtap_record *record, size_t i, struct armtap_value *value)
{
    if (!record || !value || !record->recipe || i >= record->recipe->count)
        return false;
    armtap_recipe_read(record->recipe, i, record->values, record->values_length, value);
    return true;
}

/* Field by field, for frames that are cut or hold a non-integer cell. */
static void decode_one_by_one(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                              struct armtap_state *state, struct armtap_set *updated)
{
    memset(updated, 0, sizeof *updated);
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        if (!entry->field || entry->offset > length || entry->wire_size > length - entry->offset)
            continue;
        struct armtap_step step = armtap_plan_step((enum armtap_op)recipe->ops[i], entry->field, entry->offset);
        if (armtap_step_decode(&step, values, state))
            armtap_set_add(updated, entry->field->id);
    }
}

void armtap_recipe_decode(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                          struct armtap_state *state, struct armtap_set *updated)
{
    if (length < recipe->size || !recipe->plan.decode(&recipe->plan, values, state, updated))
        decode_one_by_one(recipe, values, length, state, updated);
}

/* Whether an entry is about an arm: one that names none is about all. */
static bool speaks_of(const struct armtap_recipe_entry *entry, unsigned arm)
{
    return entry->arm == arm || entry->arm == 0;
}

void armtap_recipe_decode_arm(const struct armtap_recipe *recipe, const uint8_t *values, size_t length, unsigned arm,
                              struct armtap_state *state, struct armtap_set *updated)
{
    struct armtap_value value;
    memset(updated, 0, sizeof *updated);
    for (size_t i = 0; i < recipe->count; i++) {
        if (!recipe->entries[i].field || !speaks_of(&recipe->entries[i], arm))
            continue;
        armtap_recipe_read(recipe, i, values, length, &value);
        if (value.present && value.field && armtap_state_set(state, value.field, &value) == ARMTAP_OK)
            armtap_set_add(updated, value.field->id);
    }
}

int armtap_encode_values(const struct armtap_recipe *recipe, const struct armtap_state *state, void *buffer,
                         size_t capacity)
{
    uint8_t *wire = buffer;
    if (!recipe || !state || !buffer || recipe->open)
        return ARMTAP_ERR_ARGUMENT;
    if (recipe->size > capacity || recipe->size > INT32_MAX)
        return ARMTAP_ERR_SPACE;
    memset(wire, 0, recipe->size);
    armtap_plan_encode(&recipe->plan, state, wire);
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        if (!entry->field || !armtap_set_has(&state->known, entry->field->id))
            memset(wire + entry->offset, 0, entry->wire_size);
    }
    return (int)recipe->size;
}
