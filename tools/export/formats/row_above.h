/* What the text of a row has in common with that of the row above: picks whose bytes repeat are copied, unread. */
#ifndef EXPORT_ROW_ABOVE_H
#define EXPORT_ROW_ABOVE_H

#include "format.h"

/* How a format puts its rows. */
struct row_manner {
    char between; /* put between picks; '\0': nothing */
    char first;   /* the first byte of each pick's text, which may have been replaced since; '\0': any */
    /* Appends the text of a pick, maybe none. */
    void (*put)(const struct row_batch *batch, size_t row, size_t pick, const void *how, struct buffer *out);
    const void *how;
};

/* Where a pick has its bytes in frames of that layout; of size 0: nowhere. */
struct pick_above row_above_find(const struct pick *pick, const struct table_layout *layout);
/* Bytes that the frames of a row and of the one above have in common in length; 0 if there is no row above in which
 * equal bytes have equal text. Then finds the places of all picks anew. */
size_t row_above_begin(const struct row_batch *batch, size_t row);
/* Whether these bytes repeat; `length` as row_above_begin() gave it. */
bool row_above_repeats(const struct output_row *row, size_t length, const struct pick_bytes *bytes);
/* Appends a text that has been appended before. */
void row_above_copy(const struct pick_text *text, char first, struct buffer *out);
/* Converts the doubles of a row that moved, all at once, if that is faster than one by one. */
void row_above_convert(const struct row_batch *batch, size_t row, size_t length);

/* The bytes of a pick that are nothing but doubles, if the row has them all; else NULL. */
static inline const uint8_t *row_above_doubles(const struct row_batch *batch, size_t row, size_t pick)
{
    const struct pick_above *above = batch->picks_above ? &batch->picks_above[pick] : NULL;
    bool has_doubles = above && above->is_doubles && above->bytes.end <= batch->rows[row].values_length &&
                       batch->rows[row].cut_count == 0;
    return has_doubles ? batch->rows[row].values + above->bytes.offset : NULL;
}

/* The cells of a pick; NULL if it is put as if its row were alone. */
static inline struct number_cell *row_above_cells(const struct row_batch *batch, size_t pick)
{
    return batch->picks_above ? &batch->above[batch->picks_above[pick].cell] : NULL;
}

/* One pick, copied or put. */
static inline void row_above_put_pick(const struct row_batch *batch, size_t row, size_t pick, size_t length,
                                      const struct row_manner *manner, struct buffer *out)
{
    struct pick_above *above = &batch->picks_above[pick];
    if (row_above_repeats(&batch->rows[row], length, &above->bytes)) {
        row_above_copy(&above->text, manner->first, out);
        return;
    }
    size_t begin = out->length;
    manner->put(batch, row, pick, manner->how, out);
    above->text = (struct pick_text){begin, out->length - begin};
}

/* Picks that follow one another in the frame, copied together or one by one. */
static inline void row_above_put_run(const struct row_batch *batch, size_t row, size_t first, size_t length,
                                     const struct row_manner *manner, struct buffer *out)
{
    struct pick_above *above = &batch->picks_above[first];
    if (row_above_repeats(&batch->rows[row], length, &above->run_bytes)) {
        row_above_copy(&above->run_text, manner->first, out);
        return;
    }
    size_t begin = out->length;
    for (size_t i = first; i < first + above->run; i++) {
        if (i > first && manner->between != '\0')
            buffer_char(out, manner->between);
        row_above_put_pick(batch, row, i, length, manner, out);
    }
    above->run_text = (struct pick_text){begin, out->length - begin};
}

/* The plain way: each pick as if there were no other row. */
static inline void row_put_alone(const struct row_batch *batch, size_t row, const struct row_manner *manner,
                                 struct buffer *out)
{
    for (size_t i = 0; i < batch->view->picks.count; i++) {
        if (i > 0 && manner->between != '\0')
            buffer_char(out, manner->between);
        manner->put(batch, row, i, manner->how, out);
    }
}

/* Puts all picks of a row. Inline, so that `put` is, too. */
static inline void row_put(const struct row_batch *batch, size_t row, const struct row_manner *manner,
                           struct buffer *out)
{
    if (!batch->picks_above) {
        row_put_alone(batch, row, manner, out);
        return;
    }
    size_t length = row_above_begin(batch, row);
    row_above_convert(batch, row, length);
    for (size_t i = 0, run; i < batch->view->picks.count; i += run) {
        run = batch->picks_above[i].run;
        if (i > 0 && manner->between != '\0')
            buffer_char(out, manner->between);
        if (run == 1)
            row_above_put_pick(batch, row, i, length, manner, out);
        else
            row_above_put_run(batch, row, i, length, manner, out);
    }
}

#endif
