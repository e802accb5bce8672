#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "field.h"
#include "inside.h"

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
    made->holders = 1;
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
    if (field->id == ARMTAP_ID_timestamp)
        recipe->behind_clock = recipe->size;
    armtap_plan_add(&recipe->plan, armtap_plan_step(op, field->id, entry->offset), field->id);
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

static void add_holder(armtap_holders *holders)
{
#if ATOMIC_INT_LOCK_FREE == 2
    atomic_fetch_add_explicit(holders, 1, memory_order_relaxed);
#else
    ++*holders;
#endif
}

/* Whether it was the last. */
static bool drop_holder(armtap_holders *holders)
{
#if ATOMIC_INT_LOCK_FREE == 2
    /* Other threads' accesses happen before the recipe is freed. */
    return atomic_fetch_sub_explicit(holders, 1, memory_order_acq_rel) == 1;
#else
    return --*holders == 0;
#endif
}

struct armtap_recipe *armtap_recipe_hold(const struct armtap_recipe *recipe)
{
    struct armtap_recipe *held = (struct armtap_recipe *)(uintptr_t)recipe;
    if (held)
        add_holder(&held->holders);
    return held;
}

void armtap_recipe_release(struct armtap_recipe *recipe)
{
    while (recipe && drop_holder(&recipe->holders)) {
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
    if (entry->type == ARMTAP_DOUBLE && (recipe->ops[i] == ARMTAP_OP_SWAP8 || recipe->ops[i] == ARMTAP_OP_NONE)) {
        for (unsigned k = 0; k < entry->count; k++)
            value->u64[k] = armtap_be64(values + entry->offset + k * sizeof(uint64_t));
        return;
    }
    for (unsigned k = 0; k < entry->count; k++)
        value->present &=
            read_element((enum armtap_op)recipe->ops[i], entry->type, values + entry->offset + k * width, value, k);
}

bool armtap_is_missing(const struct armtap_missing *missing, size_t count, size_t from, size_t to)
{
    for (size_t i = 0; i < count; i++)
        if (missing[i].from < to && missing[i].to > from)
            return true;
    return false;
}

/* Whether bytes of an entry are missing; those of one without a size go on to the end. */
static bool lacks_bytes(const struct armtap_recipe_entry *entry, size_t length, const struct armtap_missing *missing,
                        size_t count)
{
    size_t size = entry->wire_size || entry->offset > length ? entry->wire_size : length - entry->offset;
    return armtap_is_missing(missing, count, entry->offset, entry->offset + size);
}

void armtap_recipe_read_cut(const struct armtap_recipe *recipe, size_t i, const uint8_t *values, size_t length,
                            const struct armtap_missing *missing, size_t missing_count, struct armtap_value *value)
{
    armtap_recipe_read(recipe, i, values, length, value);
    if (value && recipe && i < recipe->count && missing_count > 0 &&
        lacks_bytes(&recipe->entries[i], length, missing, missing_count))
        value->present = false;
}

bool armtap_record_value(const struct armtap_record *record, size_t i, struct armtap_value *value)
{
    if (!record || !value || !record->recipe || i >= record->recipe->count)
        return false;
    armtap_recipe_read_cut(record->recipe, i, record->values, record->values_length, record->missing,
                           record->missing_count, value);
    return true;
}

/* Field by field, for frames that are cut or hold a non-integer cell. */
void armtap_recipe_decode_cut(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                              const struct armtap_missing *missing, size_t missing_count, struct armtap_state *state,
                              struct armtap_set *updated)
{
    memset(updated, 0, sizeof *updated);
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        if (!entry->field || entry->offset > length || entry->wire_size > length - entry->offset ||
            lacks_bytes(entry, length, missing, missing_count))
            continue;
        struct armtap_step step = armtap_plan_step((enum armtap_op)recipe->ops[i], entry->field->id, entry->offset);
        if (armtap_step_decode(&step, values, state))
            armtap_set_add(updated, entry->field->id);
    }
}

void armtap_recipe_decode(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                          struct armtap_state *state, struct armtap_set *updated)
{
    if (length < recipe->size || !recipe->plan.decode(&recipe->plan, values, state, updated, recipe->plan.count))
        armtap_recipe_decode_cut(recipe, values, length, NULL, 0, state, updated);
}

bool armtap_recipe_sets_all(const struct armtap_recipe *recipe, const uint8_t *values, size_t length,
                            struct armtap_state *state, bool wants_modes)
{
    const struct armtap_plan *plan = &recipe->plan;
    return length >= recipe->size &&
           ((!recipe->integer_cells && !wants_modes) || plan->decode(plan, values, state, NULL, plan->first));
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
