/* UR's record.py format: rows of Python's csv.writer with a blank as the delimiter. */
#include "line_cells.h"

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
