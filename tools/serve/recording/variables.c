#include "variables.h"

#include <stdlib.h>
#include <string.h>

struct variables {
    struct variable *all[VARIABLES_MAX];
    size_t count;
    struct variable *by_field[ARMTAP_FIELD_COUNT];
    uint8_t *first;
    size_t size;
};

struct variables *variables_new(void)
{
    return calloc(1, sizeof(struct variables));
}

void variables_free(struct variables *variables)
{
    if (!variables)
        return;
    for (size_t i = 0; i < variables->count; i++) {
        free(variables->all[i]->name);
        free(variables->all[i]->fill);
        free(variables->all[i]);
    }
    free(variables->first);
    free(variables);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

void value_put(uint8_t *to, const struct armtap_value *value)
{
    size_t size = armtap_type_width(value->type);
    for (unsigned i = 0; i < value->count; i++) {
        uint64_t bits = value->u64[i];
        if (value->type == ARMTAP_BOOL)
            bits = bits != 0;
        for (size_t k = size; k > 0; k--, bits >>= 8)
            to[i * size + k - 1] = (uint8_t)bits;
    }
}

static uint64_t bits_at(const uint8_t *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++)
        bits = bits << 8 | bytes[k];
    return bits;
}

void variable_value(const struct variable *variable, const uint8_t *image, struct armtap_value *value)
{
    size_t size = armtap_type_width(variable->type);
    *value = (struct armtap_value){.name = variable->name,
                                   .field = variable->field,
                                   .type = variable->type,
                                   .count = variable->count,
                                   .present = true};
    for (unsigned i = 0; i < variable->count; i++) {
        uint64_t bits = bits_at(image + variable->offset + i * size, size);
        if (variable->type == ARMTAP_INT32)
            value->i64[i] = (int32_t)(uint32_t)bits;
        else
            value->u64[i] = bits;
    }
}

double variable_number(const struct variable *variable, const uint8_t *image, unsigned i)
{
    size_t size = armtap_type_width(variable->type);
    uint64_t bits = bits_at(image + variable->offset + i * size, size);
    double number;
    if (variable->type == ARMTAP_INT32)
        return (double)(int32_t)(uint32_t)bits;
    if (variable->type != ARMTAP_DOUBLE)
        return (double)bits;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static struct variable *find_variable(const struct variables *variables, const char *name, size_t length)
{
    const struct armtap_field *field = armtap_field_find(name, length);
    if (field)
        return variables->by_field[field->id];
    for (size_t i = 0; i < variables->count; i++) {
        struct variable *variable = variables->all[i];
        if (variable->name_length == length && memcmp(variable->name, name, length) == 0)
            return variable;
    }
    return NULL;
}

static int grow(struct variables *variables, size_t size)
{
    uint8_t *first = realloc(variables->first, variables->size + size);
    if (!first)
        return -1;
    memset(first + variables->size, 0, size);
    variables->first = first;
    return 0;
}

static struct variable *make_variable(const char *name, enum armtap_type type, unsigned count)
{
    struct variable *variable = calloc(1, sizeof *variable);
    if (!variable)
        return NULL;
    variable->name_length = strlen(name);
    variable->name = malloc(variable->name_length + 1);
    if (!variable->name) {
        free(variable);
        return NULL;
    }
    memcpy(variable->name, name, variable->name_length + 1);
    variable->type = type;
    variable->count = count;
    variable->size = armtap_type_width(type) * count;
    return variable;
}

int variables_add(struct variables *variables, const char *name, enum armtap_type type, unsigned count,
                  struct variable **added)
{
    size_t length = strlen(name);
    const struct armtap_field *field = armtap_field_find(name, length);
    *added = find_variable(variables, name, length);
    if (*added || variables->count == VARIABLES_MAX || length > VARIABLE_NAME_MAX ||
        armtap_type_name(type, count)[0] == '\0' || armtap_type_width(type) * count == 0)
        return 0;
    struct variable *variable = make_variable(name, type, count);
    if (!variable || grow(variables, variable->size) != 0) {
        if (variable)
            free(variable->name);
        free(variable);
        return -1;
    }
    variable->offset = variables->size;
    variables->size += variable->size;
    variable->index = variables->count;
    variables->all[variables->count++] = variable;
    if (field)
        variables->by_field[field->id] = variable;
    if (field && field->type == type && field->count == count)
        variable->field = field;
    *added = variable;
    return 0;
}

int variables_fill(struct variables *variables, const struct armtap_value *value, struct variable **filled)
{
    const struct armtap_field *field = value->field;
    if (variables_add(variables, field->name, field->type, field->count, filled) != 0)
        return -1;
    if (*filled && !(*filled)->field)
        *filled = NULL;
    if (!*filled)
        return 0;
    if (!(*filled)->fill)
        (*filled)->fill = malloc((*filled)->size);
    if (!(*filled)->fill)
        return -1;
    value_put((*filled)->fill, value);
    return 0;
}

int variables_add_registers(struct variables *variables)
{
    struct variable *added;
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        if (field->direction == ARMTAP_FIELD_BOTH &&
            variables_add(variables, field->name, field->type, field->count, &added) != 0)
            return -1;
    }
    return 0;
}

const struct variable *variables_find(const struct variables *variables, const char *name, size_t length)
{
    return find_variable(variables, name, length);
}

const struct variable *variables_of_field(const struct variables *variables, size_t id)
{
    return id < ARMTAP_FIELD_COUNT ? variables->by_field[id] : NULL;
}

size_t variables_count(const struct variables *variables)
{
    return variables->count;
}

const struct variable *variables_at(const struct variables *variables, size_t i)
{
    return i < variables->count ? variables->all[i] : NULL;
}

size_t variables_size(const struct variables *variables)
{
    return variables->size;
}

uint8_t *variables_first(struct variables *variables)
{
    return variables->first;
}
