#include "line_cells.h"

#include "base/numbers/number_text.h"

static const struct cell_style csv = {
    .separator = ',', .truth = {"0", "1"}, .absent = "", .nan = "nan", .quoted_if = ",\"\r\n", .line_end = "\n"};

/* Every row begins with its time: drop another one. */
static int csv_prepare(struct view *view, enum armtap_generation generation)
{
    (void)generation;
    picks_drop(&view->picks, ROW_COLUMN_time);
    return 0;
}

static int csv_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)target;
    struct cell_style style = cells_style(csv, view);
    buffer_string(out, "time");
    if (view->picks.count > 0)
        buffer_char(out, csv.separator);
    cells_names(view, &style, out);
    buffer_string(out, csv.line_end);
    return 0;
}

static void put_row(const struct row_batch *batch, size_t number, const struct cell_style *style, struct buffer *out)
{
    const struct output_row *row = &batch->rows[number];
    char seconds[NUMBER_MAX];
    if (row->read.time != ARMTAP_NO_TIME)
        buffer_put(out, seconds, number_seconds(row->read.time, seconds));
    if (batch->view->picks.count > 0)
        buffer_char(out, csv.separator);
    cells_values(batch, number, style, out);
    buffer_string(out, csv.line_end);
}

static int csv_rows(const struct row_batch *batch, struct buffer *out)
{
    struct cell_style style = cells_style(csv, batch->view);
    for (size_t i = 0; i < batch->count; i++)
        put_row(batch, i, &style, out);
    return 0;
}

const struct writer writer_csv = {.prepare = csv_prepare, .begin = csv_begin, .rows = csv_rows};

/* UR's record.py format: rows of Python's csv.writer with a blank as the delimiter. */

static const struct cell_style recordpy = {.separator = ' ',
                                           .truth = {"False", "True"},
                                           .absent = "",
                                           .nan = "nan",
                                           .quoted_if = " \"\r\n",
                                           .line_end = "\r\n"};

/* csv.writer quotes a single empty cell, since the row would be empty otherwise. */
static void end_line(size_t begin, const struct view *view, struct buffer *out)
{
    if (out->length == begin && view->picks.count > 0)
        buffer_string(out, "\"\"");
    buffer_string(out, recordpy.line_end);
}

static int recordpy_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)target;
    struct cell_style style = cells_style(recordpy, view);
    size_t begin = out->length;
    cells_names(view, &style, out);
    end_line(begin, view, out);
    return 0;
}

static int recordpy_rows(const struct row_batch *batch, struct buffer *out)
{
    struct cell_style style = cells_style(recordpy, batch->view);
    for (size_t i = 0; i < batch->count; i++) {
        size_t begin = out->length;
        cells_values(batch, i, &style, out);
        end_line(begin, batch->view, out);
    }
    return 0;
}

const struct writer writer_recordpy = {.begin = recordpy_begin, .rows = recordpy_rows};
