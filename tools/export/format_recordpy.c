/* What UR's record.py writes: rows of Python's csv.writer with a blank as its delimiter. */
#include "line_cells.h"

static const struct cell_style recordpy = {.separator = ' ',
                                           .truth = {"False", "True"},
                                           .absent = "",
                                           .nan = "nan",
                                           .quoted_if = " \"\r\n",
                                           .line_end = "\r\n"};

/* csv.writer marks a row of one empty cell, which would else be no row. */
static void end_line(size_t begin, const struct view *view, struct buffer *out)
{
    if (out->length == begin && view->picks.count > 0)
        buffer_string(out, "\"\"");
    buffer_string(out, recordpy.line_end);
}

static void recordpy_begin(const struct view *view, struct buffer *out)
{
    struct cell_style style = cells_style(recordpy, view);
    size_t begin = out->length;
    cells_names(view, &style, out);
    end_line(begin, view, out);
}

static void recordpy_row(const struct view *view, const struct output_row *row, struct buffer *out)
{
    struct cell_style style = cells_style(recordpy, view);
    size_t begin = out->length;
    cells_values(view, row, &style, out);
    end_line(begin, view, out);
}

const struct writer writer_recordpy = {.begin = recordpy_begin, .row = recordpy_row};
