/* MAT-files and HDF5: what the columns of a table are in a file of MATLAB variables (tools/matlab). */
#include "column_target.h"

#include <stdio.h>

#include "export/files/atomic_file.h"
#include "input/robots/labels.h"
#include "export/rows/field_notes.h"
#include "matlab/matlab.h"

/* A share of a data set: its attributes, its chunks, its place in the file's directory. */
#define COLUMN_COST 180

/* ---- variables --------------------------------------------------------------------------------------------------- */

static enum matlab_type type_of(const struct column *column)
{
    static const enum matlab_type types[] = {
        [ARMTAP_BOOL] = MATLAB_BOOL,     [ARMTAP_UINT8] = MATLAB_UINT8, [ARMTAP_UINT32] = MATLAB_UINT32,
        [ARMTAP_UINT64] = MATLAB_UINT64, [ARMTAP_INT32] = MATLAB_INT32, [ARMTAP_DOUBLE] = MATLAB_DOUBLE,
        [ARMTAP_STRING] = MATLAB_TEXT,   [ARMTAP_BYTES] = MATLAB_BYTES, [ARMTAP_INT64] = MATLAB_INT64,
        [ARMTAP_JSON] = MATLAB_JSON,
    };
    return row_column_is_time(column->pick->row_column) ? MATLAB_TIME : types[column->type];
}

/* Texts side by side make no matrix, unless they are numbers. */
static size_t columns_of(const struct column *column)
{
    return column_is_text(column) && column->type != ARMTAP_JSON ? 1 : column->pick->count;
}

/* A variable has the field's name; that of a single element, or of a text, the column's. */
static void put_name(const struct column *column, struct buffer *out)
{
    if (column->pick->element || columns_of(column) < column->pick->count)
        column_name(column, out);
    else
        buffer_string(out, column->pick->name);
}

/* A variable of one column may be an element of a pose. */
static size_t unit_of(const struct column *column, const struct armtap_field *field, const char **unit)
{
    enum row_column row_column = column->pick->row_column;
    if (field)
        return field_unit(field, columns_of(column) == 1 ? column->element : NOTED_WHOLE, unit);
    *unit = row_column_is_time(row_column) ? "s" : row_column == ROW_COLUMN_time_ns ? "ns" : "";
    return strlen(*unit);
}

/* Values are those of enums.def, which are small. */
static void add_values(struct column_file *file, const struct armtap_field *field, const struct view *view)
{
    const struct armtap_enum_value *value;
    for (size_t i = 0; (value = armtap_enum_at(field, i)) != NULL; i++)
        if (armtap_enum_has(value, view->table->generation))
            matlab_file_add_value(file, value->is_bit, (int32_t)value->value, value->name);
}

static void note_table(struct column_file *file, const struct table *table, const struct labels *labels)
{
    char number[16];
    matlab_file_add_note(file, "version", armtap_version());
    if (!table || table->layout_count == 0)
        return;
    matlab_file_add_note(file, "direction", armtap_direction_name(table->direction));
    if (table->is_joined)
        return;
    snprintf(number, sizeof number, "%u", table->stream);
    matlab_file_add_note(file, "robot", labels_name(labels, table->robot));
    matlab_file_add_note(file, "stream", number);
    matlab_file_add_note(file, "protocol", armtap_protocol_name(table->protocol));
}

/* 0, or -1 without memory. */
static int declare(struct column_file *file, const struct columns *columns, const struct view *view,
                   const struct target *target)
{
    struct buffer name = {0};
    for (size_t i = 0; i < columns->count && !name.failed; i += columns_of(&columns->column[i])) {
        const struct column *column = &columns->column[i];
        const struct armtap_field *field = column_field(column, view);
        const char *text;
        char unit[32];
        name.length = 0;
        put_name(column, &name);
        size_t length = unit_of(column, field, &text);
        snprintf(unit, sizeof unit, "%.*s", (int)length, text);
        matlab_file_add_variable(file, name.data, name.length, type_of(column), columns_of(column), unit);
        if (field)
            add_values(file, field, view);
    }
    free(name.data);
    note_table(file, view->table, target->settings->labels);
    return name.failed ? -1 : 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static struct column_file *make(const struct target *target, const struct column_output *output, unsigned dialect)
{
    return matlab_file_new(output, (enum matlab_kind)dialect, target->settings->packer);
}

static int matlab_begin_73(struct target *target, const struct view *view, struct buffer *out)
{
    return column_target_begin(&(struct column_format){make, declare, MATLAB_KIND_73}, target, view, out);
}

static int matlab_begin_hdf5(struct target *target, const struct view *view, struct buffer *out)
{
    return column_target_begin(&(struct column_format){make, declare, MATLAB_KIND_HDF5}, target, view, out);
}

static int matlab_begin_5(struct target *target, const struct view *view, struct buffer *out)
{
    return column_target_begin(&(struct column_format){make, declare, MATLAB_KIND_5}, target, view, out);
}

static int matlab_end(struct target *target, struct buffer *out)
{
    struct column_file *file = column_target_file(target);
    int error = 0;
    (void)out;
    if (!file)
        return 0;
    enum matlab_outcome outcome = matlab_file_end(file, target->path, target->name, &error);
    if (outcome == MATLAB_SYSTEM)
        sink_file_report(target->name, error);
    return outcome == MATLAB_OK ? 0 : -1;
}

#ifdef ARMTAP_WITH_HDF5
#define LACKS_HDF5 LIBRARY_NONE
#else
#define LACKS_HDF5 LIBRARY_HDF5
#endif
#ifdef ARMTAP_WITH_MATIO
#define LACKS_MATIO LIBRARY_NONE
#else
#define LACKS_MATIO LIBRARY_MATIO
#endif

#define WRITER(library, load_it, how)                                                                                  \
    {                                                                                                                  \
        .lacks = (library), .load = (load_it), .column_cost = COLUMN_COST, .prepare = columns_prepare, .begin = (how), \
        .rows = columns_put, .place = column_target_place, .ease = column_target_ease, .end = matlab_end,              \
        .forget = column_target_forget                                                                                 \
    }
const struct writer writer_mat = WRITER(LACKS_HDF5, matlab_hdf5_load, matlab_begin_73);
const struct writer writer_mat_v5 = WRITER(LACKS_MATIO, matlab_v5_load, matlab_begin_5);
const struct writer writer_h5 = WRITER(LACKS_HDF5, matlab_hdf5_load, matlab_begin_hdf5);
