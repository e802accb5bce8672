/* JSON lines: each record as an object of its own. */
#include "format.h"
#include "json_rows.h"

/* The first keys of every object; `file` only if there are several. */
static const enum row_column leading[] = {ROW_COLUMN_time,  ROW_COLUMN_file,     ROW_COLUMN_packet,   ROW_COLUMN_stream,
                                          ROW_COLUMN_robot, ROW_COLUMN_protocol, ROW_COLUMN_direction};

static int ndjson_prepare(struct view *view, enum armtap_generation generation)
{
    const char *reserved[sizeof leading / sizeof *leading + 1] = {NULL};
    (void)generation;
    for (size_t i = 0; i < sizeof leading / sizeof *leading; i++) {
        reserved[i] = row_column_name(leading[i]);
        if (leading[i] != ROW_COLUMN_file)
            picks_drop(&view->picks, leading[i]);
    }
    return json_rows_set_keys(view, reserved);
}

/* A raw dump has neither times nor packets nor addresses. */
static void put_leading(const struct output_row *row, struct buffer *out)
{
    char digits[NUMBER_MAX];
    const char *text;
    char separator = '{';
    for (size_t i = 0; i < sizeof leading / sizeof *leading; i++) {
        if (leading[i] == ROW_COLUMN_file && !row->several_files)
            continue;
        size_t length = row_column_text(leading[i], row, digits, &text);
        buffer_char(out, separator);
        buffer_char(out, '"');
        buffer_string(out, row_column_name(leading[i]));
        buffer_string(out, "\":");
        json_rows_row_column(leading[i], text, length, out);
        separator = ',';
    }
}

static int ndjson_rows(const struct row_batch *batch, struct buffer *out)
{
    for (size_t i = 0; i < batch->count; i++) {
        put_leading(&batch->rows[i], out);
        json_rows_values(batch, i, JSON_ROWS_NULL, out);
        buffer_string(out, "}\n");
    }
    return 0;
}

const struct writer writer_ndjson = {.prepare = ndjson_prepare, .rows = ndjson_rows};
