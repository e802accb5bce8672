#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#define WORD sizeof(uint32_t)
#define ELEMENT sizeof(uint64_t)
#define CELL_HEAD (2 * WORD)
#define CAPACITY_LEAST 512
#define ELEMENTS_MAX (sizeof(((struct armtap_value *)0)->u64) / ELEMENT)

/* Text by pointer and length. */
static bool is_text(enum armtap_type type)
{
    return type == ARMTAP_STRING || type == ARMTAP_BYTES || type == ARMTAP_JSON;
}

static uint32_t word_at(const uint8_t *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static void put_word(uint8_t *p, size_t number)
{
    uint32_t word = (uint32_t)number;
    memcpy(p, &word, sizeof word);
}

static int make_room(struct armtap_cells *cells, size_t more)
{
    if (more > UINT32_MAX - cells->length)
        return ARMTAP_ERR_SPACE;
    size_t capacity = cells->capacity ? cells->capacity : CAPACITY_LEAST;
    while (capacity < cells->length + more)
        capacity *= 2;
    if (capacity == cells->capacity)
        return ARMTAP_OK;
    uint8_t *bytes = realloc(cells->bytes, capacity);
    if (!bytes)
        return ARMTAP_ERR_MEMORY;
    cells->bytes = bytes;
    cells->capacity = capacity;
    return ARMTAP_OK;
}

int armtap_cells_begin(struct armtap_cells *cells, size_t count)
{
    cells->length = 0;
    if (count > UINT32_MAX / WORD - 1)
        return ARMTAP_ERR_SPACE;
    int error = make_room(cells, (1 + count) * WORD);
    if (error != ARMTAP_OK)
        return error;
    cells->length = (1 + count) * WORD;
    memset(cells->bytes, 0, cells->length);
    put_word(cells->bytes, count);
    return ARMTAP_OK;
}

int armtap_cells_put(struct armtap_cells *cells, size_t i, const struct armtap_value *value)
{
    bool text = is_text(value->type);
    size_t payload = text ? WORD + value->length : value->count * ELEMENT;
    if (cells->length < WORD || i >= word_at(cells->bytes) || (!text && value->count > ELEMENTS_MAX))
        return ARMTAP_ERR_ARGUMENT;
    if (!value->present)
        return ARMTAP_OK;
    int error = make_room(cells, CELL_HEAD + payload);
    if (error != ARMTAP_OK)
        return error;
    uint8_t *cell = cells->bytes + cells->length;
    put_word(cells->bytes + (1 + i) * WORD, cells->length);
    put_word(cell, (size_t)value->type);
    put_word(cell + WORD, value->count);
    if (text) {
        put_word(cell + CELL_HEAD, value->length);
        memcpy(cell + CELL_HEAD + WORD, value->text, value->length);
    } else {
        memcpy(cell + CELL_HEAD, value->u64, payload);
    }
    cells->length += CELL_HEAD + payload;
    return ARMTAP_OK;
}

void armtap_cells_free(struct armtap_cells *cells)
{
    free(cells->bytes);
    *cells = (struct armtap_cells){NULL, 0, 0};
}

void armtap_cells_read(const uint8_t *bytes, size_t length, size_t i, struct armtap_value *value)
{
    value->present = false;
    if (length < WORD || i >= word_at(bytes) || (length - WORD) / WORD <= i)
        return;
    size_t at = word_at(bytes + (1 + i) * WORD);
    if (at == 0 || at > length || length - at < CELL_HEAD)
        return;
    uint32_t type = word_at(bytes + at), count = word_at(bytes + at + WORD);
    const uint8_t *payload = bytes + at + CELL_HEAD;
    size_t left = length - at - CELL_HEAD;
    if (type > ARMTAP_JSON)
        return;
    if (!is_text((enum armtap_type)type)) {
        if (count > ELEMENTS_MAX || left < count * ELEMENT)
            return;
        memcpy(value->u64, payload, count * ELEMENT);
    } else {
        if (left < WORD || left - WORD < word_at(payload))
            return;
        value->text = (const char *)payload + WORD;
        value->length = word_at(payload);
    }
    value->type = (enum armtap_type)type;
    value->count = count;
    value->present = true;
}
