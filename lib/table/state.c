#include "field.h"

#include <stdlib.h>
#include <string.h>

/* The fields begin behind what is private, in front of which is whose they are. */
#define OWN_AT offsetof(struct armtap_state, own)
#define FIELDS_AT (offsetof(struct armtap_state, own) + sizeof(((struct armtap_state *)0)->own))

/* Makes zeros a state. */
static struct armtap_state *begin(struct armtap_state *state, size_t room)
{
    if (!state)
        return NULL;
    state->time = ARMTAP_NO_TIME;
    state->own[ARMTAP_STATE_OWN_MARK] = ARMTAP_STATE_MARK;
    state->own[ARMTAP_STATE_OWN_ADDRESS] = (uintptr_t)state;
    state->own[ARMTAP_STATE_OWN_HAS_ROOM] = room > 0;
    return state;
}

struct armtap_state *armtap_state_new(void)
{
    return begin(calloc(1, ARMTAP_STATE_BYTES), ARMTAP_STATE_ROOM);
}

struct armtap_state *armtap_state_new_plain(void)
{
    return begin(calloc(1, ARMTAP_STATE_PLAIN), 0);
}

struct armtap_state *armtap_state_in(void *memory, size_t length)
{
    if (!memory || length < ARMTAP_STATE_BYTES || (uintptr_t)memory % _Alignof(uint64_t) != 0)
        return NULL;
    struct armtap_state *state = begin(memset(memory, 0, ARMTAP_STATE_BYTES), ARMTAP_STATE_ROOM);
    state->own[ARMTAP_STATE_OWN_IS_CALLERS] = true;
    return state;
}

void armtap_state_free(struct armtap_state *state)
{
    if (!armtap_state_is_ours(state))
        return;
    state->own[ARMTAP_STATE_OWN_MARK] = 0;
    if (!state->own[ARMTAP_STATE_OWN_IS_CALLERS])
        free(state);
}

void armtap_state_clear(struct armtap_state *state)
{
    if (!armtap_state_is_ours(state))
        return;
    memset(state, 0, OWN_AT);
    state->time = ARMTAP_NO_TIME;
    memset((char *)state + FIELDS_AT, 0, sizeof *state - FIELDS_AT);
}

void armtap_state_copy(struct armtap_state *to, const struct armtap_state *from)
{
    if (!armtap_state_is_ours(to) || !from || to == from)
        return;
    memcpy(to, from, OWN_AT);
    memcpy((char *)to + FIELDS_AT, (const char *)from + FIELDS_AT, sizeof *to - FIELDS_AT);
}

static uint8_t *member(struct armtap_state *state, const struct armtap_field *field)
{
    return (uint8_t *)state + field->offset;
}

static const uint8_t *member_const(const struct armtap_state *state, const struct armtap_field *field)
{
    return (const uint8_t *)state + field->offset;
}

void armtap_state_merge(struct armtap_state *to, const struct armtap_state *from)
{
    if (!armtap_state_is_ours(to) || !from || to == from)
        return;
    if (to->protocol == ARMTAP_PROTOCOL_NONE || from->time > to->time) {
        to->protocol = from->protocol;
        to->version = from->version;
        to->arm = from->arm;
        to->time = from->time;
    }
    if (from->generation != ARMTAP_GENERATION_UNKNOWN)
        to->generation = from->generation;
    for (unsigned id = 0; id < ARMTAP_FIELD_COUNT; id++) {
        const struct armtap_field *field = armtap_field_at(id);
        if (!armtap_set_has(&from->known, id))
            continue;
        memcpy(member(to, field), member_const(from, field), armtap_type_width(field->type) * field->count);
        armtap_set_add(&to->known, id);
    }
}

void armtap_state_get(const struct armtap_state *state, const struct armtap_field *asked, struct armtap_value *value)
{
    const struct armtap_field *field = asked ? armtap_field_at(asked->id) : NULL;
    if (!value)
        return;
    if (!state || !field) {
        *value = (struct armtap_value){.type = ARMTAP_BYTES};
        return;
    }
    size_t width = armtap_type_width(field->type);
    value->name = field->name;
    value->field = field;
    value->type = field->type;
    value->count = field->count;
    value->present = armtap_set_has(&state->known, field->id);
    for (unsigned i = 0; i < field->count; i++) {
        const uint8_t *p = member_const(state, field) + i * width;
        int32_t i32;
        uint32_t u32;
        switch (field->type) {
        case ARMTAP_INT32:
            memcpy(&i32, p, sizeof i32);
            value->i64[i] = i32;
            break;
        case ARMTAP_UINT32:
            memcpy(&u32, p, sizeof u32);
            value->u64[i] = u32;
            break;
        case ARMTAP_UINT64:
        case ARMTAP_DOUBLE:
            memcpy(&value->u64[i], p, 8);
            break;
        default:
            value->u64[i] = *p;
        }
    }
}

/* Whether a member of that type can hold an element. */
static bool fits(const struct armtap_value *value, unsigned element)
{
    switch (value->type) {
    case ARMTAP_BOOL:
        return value->u64[element] <= 1;
    case ARMTAP_UINT8:
        return value->u64[element] <= UINT8_MAX;
    case ARMTAP_UINT32:
        return value->u64[element] <= UINT32_MAX;
    case ARMTAP_INT32:
        return value->i64[element] >= INT32_MIN && value->i64[element] <= INT32_MAX;
    default:
        return true;
    }
}

int armtap_state_set(struct armtap_state *state, const struct armtap_field *asked, const struct armtap_value *value)
{
    const struct armtap_field *field = asked ? armtap_field_at(asked->id) : NULL;
    if (!field || !value || !armtap_state_is_ours(state))
        return ARMTAP_ERR_ARGUMENT;
    size_t width = armtap_type_width(field->type);
    if (value->type != field->type || value->count != field->count)
        return ARMTAP_ERR_ARGUMENT;
    for (unsigned i = 0; i < field->count; i++)
        if (!fits(value, i))
            return ARMTAP_ERR_ARGUMENT;
    for (unsigned i = 0; i < field->count; i++) {
        uint8_t *p = member(state, field) + i * width;
        int32_t i32 = (int32_t)value->i64[i];
        uint32_t u32 = (uint32_t)value->u64[i];
        switch (field->type) {
        case ARMTAP_INT32:
            memcpy(p, &i32, sizeof i32);
            break;
        case ARMTAP_UINT32:
            memcpy(p, &u32, sizeof u32);
            break;
        case ARMTAP_UINT64:
        case ARMTAP_DOUBLE:
            memcpy(p, &value->u64[i], 8);
            break;
        default:
            *p = (uint8_t)value->u64[i];
        }
    }
    armtap_set_add(&state->known, field->id);
    return ARMTAP_OK;
}
