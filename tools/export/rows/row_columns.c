#include "row_columns.h"

#include <math.h>

#include "export/formats/format.h"

static const struct {
    const char *name;
    enum armtap_type type;
} columns[ROW_COLUMN_END] = {
#define ROW_COLUMN(column, type, meaning) [ROW_COLUMN_##column] = {#column, ARMTAP_##type},
#include "row_columns.def"
};

enum row_column row_column_find(const char *name)
{
    for (int i = ROW_COLUMN_NONE + 1; i < ROW_COLUMN_END; i++)
        if (strcmp(columns[i].name, name) == 0)
            return (enum row_column)i;
    return ROW_COLUMN_NONE;
}

const char *row_column_name(enum row_column column)
{
    return columns[column].name;
}

bool row_column_is_number(enum row_column column)
{
    return columns[column].type != ARMTAP_STRING;
}

enum armtap_type row_column_type(enum row_column column)
{
    return columns[column].type;
}

static bool is_time_known(const struct missing_flow *missing)
{
    return missing->seconds > 0 || (missing->bytes > 0 && !isnan(missing->seconds));
}

static const char *text_of(enum row_column column, const struct output_row *row)
{
    switch (column) {
    case ROW_COLUMN_file:
        return row->file;
    case ROW_COLUMN_robot:
        return row->robot;
    case ROW_COLUMN_client:
        return row->client;
    case ROW_COLUMN_gap_cause:
        return gap_cause_name(row->missing.gap.cause);
    case ROW_COLUMN_lost_from:
        return is_time_known(&row->missing) ? lost_from_name(row->missing.from) : NULL;
    case ROW_COLUMN_protocol:
        return armtap_protocol_name(row->protocol);
    default:
        return row->direction == ARMTAP_TO_ROBOT ? "to-robot" : "from-robot";
    }
}

static void set_text(struct armtap_value *value, const char *text)
{
    value->present = text != NULL;
    value->text = text;
    value->length = text ? strlen(text) : 0;
}

static void set_unsigned(struct armtap_value *value, uint64_t number, bool is_known)
{
    value->present = is_known;
    value->u64[0] = number;
}

void row_column_value(enum row_column column, const struct output_row *row, struct armtap_value *value)
{
    *value = (struct armtap_value){.name = columns[column].name, .type = columns[column].type, .count = 1};
    if (row->is_absent && !row_column_is_time(column) && column != ROW_COLUMN_time_ns && column != ROW_COLUMN_row)
        return;
    switch (column) {
    case ROW_COLUMN_time:
    case ROW_COLUMN_time_ns:
        value->present = row->read.time != ARMTAP_NO_TIME;
        value->i64[0] = row->read.time;
        break;
    case ROW_COLUMN_robot_time:
        value->present = row->robot_time != ARMTAP_NO_TIME;
        value->i64[0] = row->robot_time;
        break;
    case ROW_COLUMN_age_s:
        value->present = row->age != ARMTAP_NO_TIME;
        value->f64[0] = (double)row->age / 1e9;
        break;
    case ROW_COLUMN_row:
        set_unsigned(value, row->number, true);
        break;
    case ROW_COLUMN_arrived_ns:
        value->present = row->where.time != ARMTAP_NO_TIME;
        value->i64[0] = row->where.time;
        break;
    case ROW_COLUMN_read_packet:
        set_unsigned(value, row->read.packet, row->read.packet > 0);
        break;
    case ROW_COLUMN_packet:
        set_unsigned(value, row->where.packet, row->where.packet > 0);
        break;
    case ROW_COLUMN_stream:
        set_unsigned(value, row->stream, true);
        break;
    case ROW_COLUMN_file:
    case ROW_COLUMN_robot:
    case ROW_COLUMN_client:
    case ROW_COLUMN_protocol:
    case ROW_COLUMN_direction:
    case ROW_COLUMN_gap_cause:
    case ROW_COLUMN_lost_from:
        set_text(value, text_of(column, row));
        break;
    case ROW_COLUMN_lost_bytes:
        set_unsigned(value, row->missing.bytes, row->missing.bytes > 0);
        break;
    case ROW_COLUMN_lost_s:
        value->present = is_time_known(&row->missing);
        value->f64[0] = row->missing.seconds;
        break;
    case ROW_COLUMN_gap_s:
        value->present = row->missing.gap.cause != GAP_NONE;
        value->f64[0] = row->missing.gap.seconds;
        break;
    case ROW_COLUMN_skipped:
        set_unsigned(value, row->missing.skipped, row->missing.skipped > 0);
        break;
    case ROW_COLUMN_NONE:
    case ROW_COLUMN_END:
        break;
    }
}

size_t row_column_text(enum row_column column, const struct output_row *row, char digits[NUMBER_MAX], const char **text)
{
    struct armtap_value value;
    row_column_value(column, row, &value);
    *text = digits;
    if (!value.present)
        return 0;
    if (row_column_is_time(column))
        return number_seconds(value.i64[0], digits);
    switch (value.type) {
    case ARMTAP_STRING:
        *text = value.text;
        return value.length;
    case ARMTAP_DOUBLE:
        return number_repr(value.f64[0], digits);
    case ARMTAP_INT64:
        return number_signed(value.i64[0], digits);
    default:
        return number_unsigned(value.u64[0], digits);
    }
}
