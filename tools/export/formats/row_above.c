#include "row_above.h"

#include "base/numbers/number_text.h"

/* ---- where picks have their bytes -------------------------------------------------------------------------------- */

static const struct armtap_recipe_entry *entry_of(const struct pick *pick, const struct table_layout *layout)
{
    if (!layout || pick->row_column != ROW_COLUMN_NONE || pick->column == TABLE_NONE || pick->is_before)
        return NULL;
    size_t entry = layout_entry(layout, pick->column);
    return entry == TABLE_NONE ? NULL : armtap_recipe_at(layout->recipe, entry);
}

struct pick_above row_above_find(const struct pick *pick, const struct table_layout *layout)
{
    const struct armtap_recipe_entry *entry = entry_of(pick, layout);
    struct pick_above above = {.run = 1};
    if (!entry || entry->wire_size == 0 || entry->wire_size > SIZE_MAX - entry->offset)
        return above;
    above.bytes = (struct pick_bytes){entry->offset, entry->wire_size, entry->offset + entry->wire_size};
    above.is_doubles = entry->type == ARMTAP_DOUBLE && !pick->is_bit &&
                       entry->wire_size == entry->count * sizeof(double) && pick->first + pick->count <= entry->count;
    above.is_whole = pick->count == entry->count;
    if (above.is_doubles) {
        above.bytes.offset += pick->first * sizeof(double);
        above.bytes.size = pick->count * sizeof(double);
    }
    return above;
}

/* Single values, which mostly stand still together: modes, bits, registers. */
static bool may_run(const struct pick *pick, const struct pick_above *above)
{
    return pick->count == 1 && above->bytes.size > 0;
}

static void find_runs(const struct row_batch *batch)
{
    const struct picks *picks = &batch->view->picks;
    for (size_t i = 0, k; i < picks->count; i = k) {
        struct pick_above *first = &batch->picks_above[i];
        first->run_bytes = first->bytes;
        for (k = i + 1; k < picks->count && may_run(&picks->pick[i], first); k++) {
            const struct pick_above *next = &batch->picks_above[k];
            if (!may_run(&picks->pick[k], next) ||
                next->bytes.offset != first->run_bytes.offset + first->run_bytes.size)
                break;
            first->run_bytes.size += next->bytes.size;
            first->run_bytes.end = next->bytes.end;
        }
        first->run = k - i;
    }
}

static void find_all(const struct row_batch *batch, const struct table_layout *layout)
{
    const struct picks *picks = &batch->view->picks;
    size_t cell = 0;
    for (size_t i = 0; i < picks->count; cell += picks->pick[i++].count) {
        batch->picks_above[i] = row_above_find(&picks->pick[i], layout);
        batch->picks_above[i].cell = cell;
    }
    find_runs(batch);
}

size_t row_above_begin(const struct row_batch *batch, size_t number)
{
    const struct output_row *row = &batch->rows[number];
    if (number == 0 || row->layout != row[-1].layout || row->generation != row[-1].generation ||
        row->is_mixed != row[-1].is_mixed) {
        find_all(batch, row->layout);
        return 0;
    }
    if (row->cut_count > 0 || row[-1].cut_count > 0)
        return 0; /* equal bytes may be none that were captured */
    return row->values_length < row[-1].values_length ? row->values_length : row[-1].values_length;
}

/* ---- bytes that repeat ------------------------------------------------------------------------------------------- */

/* Without memcmp: most are 8 or 48 bytes. What is left over is compared with bytes before it. */
static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t length)
{
    uint64_t of_a, of_b;
    if (length < sizeof of_a)
        return memcmp(a, b, length) == 0;
    for (size_t at = 0;; at = at + sizeof of_a < length - sizeof of_a ? at + sizeof of_a : length - sizeof of_a) {
        memcpy(&of_a, a + at, sizeof of_a);
        memcpy(&of_b, b + at, sizeof of_b);
        if (of_a != of_b)
            return false;
        if (at == length - sizeof of_a)
            return true;
    }
}

bool row_above_repeats(const struct output_row *row, size_t length, const struct pick_bytes *bytes)
{
    return bytes->size > 0 && bytes->end <= length &&
           same_bytes(row->values + bytes->offset, row[-1].values + bytes->offset, bytes->size);
}

void row_above_copy(const struct pick_text *text, char first, struct buffer *out)
{
    char *to = buffer_room(out, text->length + BUFFER_PIECE);
    if (!to || text->length == 0)
        return;
    buffer_copy_pieces(to, out->data + text->at, text->length);
    if (first != '\0')
        *to = first;
    out->length += text->length;
}

/* ---- doubles that move ------------------------------------------------------------------------------------------- */

void row_above_convert(const struct row_batch *batch, size_t number, size_t length)
{
    const struct output_row *row = &batch->rows[number];
    const struct picks *picks = &batch->view->picks;
    struct number_queue queue;
    queue.count = 0;
    for (size_t i = 0; i < picks->count && number_queue_is_fast() && row->cut_count == 0; i++) {
        const struct pick_above *above = &batch->picks_above[i];
        if (above->is_doubles && above->bytes.end <= row->values_length &&
            !row_above_repeats(row, length, &above->bytes))
            number_queue_add(&queue, row->values + above->bytes.offset, picks->pick[i].count,
                             row_above_cells(batch, i));
    }
    number_queue_convert(&queue);
}
