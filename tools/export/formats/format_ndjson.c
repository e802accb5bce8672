/* JSON lines: each record as an object of its own. */
#include "format.h"
#include "line_cells.h"
#include "row_above.h"

/* The first keys of every object; `file` only if there are several. From SOURCE on they are mostly those of the row
 * above.
 */
#define LEADING_KEY(begin, name)                                                                                       \
    {                                                                                                                  \
        ROW_COLUMN_##name, begin "\"" #name "\":", sizeof(begin "\"" #name "\":") - 1                                  \
    }
static const struct {
    enum row_column column;
    const char *key;
    size_t length;
} leading[] = {
    LEADING_KEY("{", time),  LEADING_KEY(",", file),     LEADING_KEY(",", packet),    LEADING_KEY(",", stream),
    LEADING_KEY(",", robot), LEADING_KEY(",", protocol), LEADING_KEY(",", direction),
};
#define SOURCE 3
#define LEADING (sizeof leading / sizeof *leading)

static int ndjson_prepare(struct view *view, enum armtap_generation generation)
{
    const char *reserved[LEADING + 1] = {NULL};
    (void)generation;
    for (size_t i = 0; i < LEADING; i++) {
        reserved[i] = row_column_name(leading[i].column);
        if (leading[i].column != ROW_COLUMN_file)
            picks_drop(&view->picks, leading[i].column);
    }
    return json_rows_set_keys(view, reserved);
}

/* A raw dump has neither times nor packets nor addresses. */
static void put_leading(const struct output_row *row, size_t from, size_t to, struct buffer *out)
{
    char digits[NUMBER_MAX];
    const char *text;
    for (size_t i = from; i < to; i++) {
        if (leading[i].column == ROW_COLUMN_file && !row->several_files)
            continue;
        size_t length = row_column_text(leading[i].column, row, digits, &text);
        buffer_put(out, leading[i].key, leading[i].length);
        json_rows_row_column(leading[i].column, text, length, out);
    }
}

static bool has_same_source(const struct output_row *row, const struct output_row *above)
{
    return row->stream == above->stream && row->robot == above->robot && row->protocol == above->protocol &&
           row->direction == above->direction;
}

/* `source`: where the text of it lies. */
static void put_source(const struct output_row *row, bool is_first, struct pick_text *source, struct buffer *out)
{
    size_t begin = out->length;
    if (is_first || !has_same_source(row, row - 1)) {
        put_leading(row, SOURCE, LEADING, out);
        *source = (struct pick_text){begin, out->length - begin};
        return;
    }
    row_above_copy(source, '\0', out);
}

static int ndjson_rows(const struct row_batch *batch, struct buffer *out)
{
    struct pick_text source = {0, 0};
    bool is_of_many = batch->view->table && batch->view->table->part_count > 0; /* robots */
    for (size_t i = 0; i < batch->count; i++) {
        put_leading(&batch->rows[i], 0, is_of_many ? 1 : SOURCE, out);
        if (!is_of_many)
            put_source(&batch->rows[i], i == 0, &source, out);
        json_rows_values(batch, i, JSON_ROWS_NULL, out);
        buffer_string(out, "}\n");
    }
    return 0;
}

const struct writer writer_ndjson = {.prepare = ndjson_prepare, .rows = ndjson_rows};
