/* A text format: CSV with tabs. */
#include "export/formats/line_cells.h"

static const struct cell_style toy_text = {
    .separator = '\t', .truth = {"0", "1"}, .absent = "", .nan = "nan", .quoted_if = "\t\"\r\n", .line_end = "\n"};

static int toy_text_begin(struct target *target, const struct view *view, struct buffer *out)
{
    struct cell_style style = cells_style(toy_text, view);
    (void)target;
    cells_names(view, &style, out);
    buffer_string(out, toy_text.line_end);
    return 0;
}

static int toy_text_rows(const struct row_batch *batch, struct buffer *out)
{
    struct cell_style style = cells_style(toy_text, batch->view);
    for (size_t i = 0; i < batch->count; i++) {
        cells_values(batch, i, &style, out);
        buffer_string(out, toy_text.line_end);
    }
    return 0;
}

const struct writer writer_toy_text = {.begin = toy_text_begin, .rows = toy_text_rows};
