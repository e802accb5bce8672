/* A text format: CSV with tabs. */
#include "export/line_cells.h"

static const struct cell_style tsv = {
    .separator = '\t', .truth = {"0", "1"}, .absent = "", .nan = "nan", .quoted_if = "\t\"\r\n", .line_end = "\n"};

static int tsv_begin(struct target *target, const struct view *view, struct buffer *out)
{
    struct cell_style style = cells_style(tsv, view);
    (void)target;
    cells_names(view, &style, out);
    buffer_string(out, tsv.line_end);
    return 0;
}

static int tsv_rows(const struct row_batch *batch, struct buffer *out)
{
    struct cell_style style = cells_style(tsv, batch->view);
    for (size_t i = 0; i < batch->count; i++) {
        cells_values(batch->view, &batch->rows[i], &style, out);
        buffer_string(out, tsv.line_end);
    }
    return 0;
}

const struct writer writer_tsv = {.begin = tsv_begin, .rows = tsv_rows};
