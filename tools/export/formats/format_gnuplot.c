/* UR's gnuplot columns, blank-separated: column n of the line is column n of UR's tables, whatever the protocol.
 * Row columns follow. */
#include "line_cells.h"
#include "inside.h"

static const struct cell_style gnuplot = {.separator = ' ',
                                          .truth = {"0", "1"},
                                          .absent = "NaN",
                                          .nan = "NaN",
                                          .only_numbers = true,
                                          .quoted_if = "",
                                          .line_end = "\n"};

/* The source of a cell's value. */
struct source {
    const struct armtap_field *field;
    size_t column; /* of the table */
    unsigned element;
};

static unsigned field_column(const struct armtap_field *field, enum armtap_generation generation)
{
    return generation == ARMTAP_GENERATION_CB2 ? field->column_cb2 : field->column_cb3e;
}

/* Finds the field of every cell of the layout. */
static void name_cells(struct source *sources, unsigned count, enum armtap_generation generation)
{
    for (unsigned i = 0; i < count; i++)
        sources[i] = (struct source){.column = TABLE_NONE};
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        unsigned column = field_column(field, generation);
        for (unsigned k = 0; column > 0 && k < field->count && column - 1 + k < count; k++) {
            sources[column - 1 + k].field = field;
            sources[column - 1 + k].element = k;
        }
    }
}

/* The lowest arm among the picks: UR's columns hold one robot. */
static unsigned picked_arm(const struct view *view)
{
    unsigned arm = ARMTAP_ARMS_MAX;
    for (size_t i = 0; i < view->picks.count; i++) {
        if (view->picks.pick[i].row_column != ROW_COLUMN_NONE)
            continue;
        const struct table_column *column = &view->table->columns[view->picks.pick[i].column];
        if (column->field && column->arm > 0 && column->arm < arm)
            arm = column->arm;
    }
    return arm;
}

/* Assigns the picked columns to their cells. */
static void fill_cells(struct source *sources, unsigned count, const struct view *view,
                       enum armtap_generation generation)
{
    unsigned arm = picked_arm(view);
    for (size_t i = 0; i < view->picks.count; i++) {
        const struct pick *pick = &view->picks.pick[i];
        if (pick->row_column != ROW_COLUMN_NONE)
            continue;
        const struct table_column *from = &view->table->columns[pick->column];
        unsigned column = from->field ? field_column(from->field, generation) : 0;
        if (column == 0 || (from->arm > 0 && from->arm != arm))
            continue;
        for (unsigned k = pick->first; k < pick->first + pick->count && k < from->field->count; k++)
            if (column - 1 + k < count && sources[column - 1 + k].column == TABLE_NONE)
                sources[column - 1 + k].column = pick->column;
    }
}

/* Merges adjacent cells of a field into one pick. Returns the number of picks. */
static size_t pick_cells(struct pick *picks, const struct source *sources, unsigned count)
{
    size_t used = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct source *source = &sources[i];
        struct pick *last = used > 0 ? &picks[used - 1] : NULL;
        if (last && i > 0 && sources[i - 1].field == source->field && last->column == source->column) {
            last->count++;
            continue;
        }
        picks[used++] = (struct pick){.column = source->column,
                                      .first = source->element,
                                      .count = 1,
                                      .element = source->field && source->field->count > 1,
                                      .name = source->field ? source->field->name : "-"};
    }
    return used;
}

static int gnuplot_prepare(struct view *view, enum armtap_generation generation)
{
    unsigned count = armtap_layout_columns(generation);
    struct source *sources = calloc(count, sizeof *sources);
    struct pick *picks = calloc(count + view->picks.count, sizeof *picks);
    if (!sources || !picks) {
        free(sources);
        free(picks);
        return -1;
    }
    name_cells(sources, count, generation);
    fill_cells(sources, count, view, generation);
    size_t used = pick_cells(picks, sources, count);
    free(sources);
    for (size_t i = 0; i < view->picks.count; i++)
        if (view->picks.pick[i].row_column != ROW_COLUMN_NONE)
            picks[used++] = view->picks.pick[i];
    picks_free(&view->picks);
    view->picks = (struct picks){.pick = picks, .count = used};
    return 0;
}

static int gnuplot_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)target;
    buffer_string(out, "# ");
    cells_names(view, &gnuplot, out);
    buffer_string(out, gnuplot.line_end);
    return 0;
}

static int gnuplot_rows(const struct row_batch *batch, struct buffer *out)
{
    for (size_t i = 0; i < batch->count; i++) {
        cells_values(batch, i, &gnuplot, out);
        buffer_string(out, gnuplot.line_end);
    }
    return 0;
}

const struct writer writer_gnuplot = {.prepare = gnuplot_prepare, .begin = gnuplot_begin, .rows = gnuplot_rows};
