#include "rtde_package.h"

#include <string.h>

#include "bytes.h"
#include "table/field.h"

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

/* Bytes for the names of a list, and for the generated ones if it has too few. */
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
    if (field && !(field->direction & ARMTAP_FIELD_BOTH))
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

/* Whether RTDE has the type or, without one, the table has the name. */
static bool is_known(const struct armtap_item *name, const struct armtap_item *type)
{
    enum armtap_type found;
    unsigned count;
    if (type)
        return armtap_type_find(type->text, type->length, &found, &count);
    const struct armtap_field *field = armtap_field_find(name->text, name->length);
    return field && (field->direction & ARMTAP_FIELD_BOTH) != 0;
}

int armtap_recipe_rtde_problem(const char *names, const char *types, struct armtap_recipe_problem *problem)
{
    if (!names || !problem)
        return ARMTAP_ERR_ARGUMENT;
    if (!armtap_is_sized(problem->size, sizeof *problem))
        return ARMTAP_ERR_SIZE;
    *problem = (struct armtap_recipe_problem){.size = problem->size};
    const char *name_end = names + strlen(names), *type_end = types ? types + strlen(types) : NULL;
    for (size_t i = 0;; i++) {
        struct armtap_item name = {NULL, 0}, type = {NULL, 0};
        bool is_named = armtap_list_next(&names, name_end, &name);
        bool is_typed = types && armtap_list_next(&types, type_end, &type);
        if (!is_named && !is_typed)
            return ARMTAP_OK;
        bool is_paired = is_named && (is_typed || !types);
        if (is_paired && is_known(&name, types ? &type : NULL))
            continue;
        *problem = (struct armtap_recipe_problem){.size = problem->size,
                                                  .error = is_paired ? ARMTAP_ERR_TYPE : ARMTAP_ERR_ARGUMENT,
                                                  .index = i,
                                                  .name = name.text,
                                                  .name_length = name.length,
                                                  .type = type.text,
                                                  .type_length = type.length};
        if (is_named && !types)
            problem->meant = armtap_field_nearest(name.text, name.length, ARMTAP_FIELD_BOTH);
        return problem->error;
    }
}

/* The entries of unknown type in an open recipe, and the bytes of the others. */
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

/* Entry i of an open recipe, once the entries of unknown type are known to hold `total` bytes: `share` each, or, if
 * that is 0, all together. */
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

/* ---- input recipes ----------------------------------------------------------------------------------------------- */

/* The number of ids before one of that size: searching all for each package would cost more than the package. */
static unsigned place_of(const struct armtap_rtde_inputs *inputs, size_t size, unsigned id)
{
    unsigned low = 0, high = inputs->count;
    while (low < high) {
        unsigned middle = (low + high) / 2, other = inputs->by_size[middle];
        size_t other_size = inputs->by_id[other]->size;
        if (other_size < size || (other_size == size && other < id))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void armtap_rtde_inputs_sort(struct armtap_rtde_inputs *inputs, uint8_t id)
{
    uint8_t *ids = inputs->by_size, *old = memchr(ids, id, inputs->count);
    if (old)
        memmove(old, old + 1, --inputs->count - (size_t)(old - ids));
    unsigned at = place_of(inputs, inputs->by_id[id]->size, id);
    memmove(&ids[at + 1], &ids[at], inputs->count++ - at);
    ids[at] = id;
}

const struct armtap_recipe *armtap_rtde_inputs_of_size(const struct armtap_rtde_inputs *inputs, size_t size)
{
    unsigned at = place_of(inputs, size, 0);
    const struct armtap_recipe *recipe = at < inputs->count ? inputs->by_id[inputs->by_size[at]] : NULL;
    return recipe && recipe->size == size ? recipe : NULL;
}
