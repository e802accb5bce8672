#include "row_columns.h"

#include <math.h>

#include "format.h"

static const struct {
    const char *name;
    bool is_number;
} columns[ROW_COLUMN_END] = {
#define ROW_COLUMN(column, number, meaning) [ROW_COLUMN_##column] = {#column, number},
#include "row_columns.def"
#undef ROW_COLUMN
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
    return columns[column].is_number;
}

static size_t text_of(const char *name, const char **text)
{
    *text = name;
    return name ? strlen(name) : 0;
}

static bool is_time_known(const struct missing_flow *missing)
{
    return missing->seconds > 0 || (missing->bytes > 0 && !isnan(missing->seconds));
}

size_t row_column_text(enum row_column column, const struct output_row *row, char digits[NUMBER_MAX], const char **text)
{
    bool has_time = row->where.time != ARMTAP_NO_TIME;
    *text = digits;
    switch (column) {
    case ROW_COLUMN_time:
        return has_time ? number_seconds(row->where.time, digits) : 0;
    case ROW_COLUMN_time_ns:
        return has_time ? number_signed(row->where.time, digits) : 0;
    case ROW_COLUMN_packet:
        return row->where.packet > 0 ? number_unsigned(row->where.packet, digits) : 0;
    case ROW_COLUMN_stream:
        return number_unsigned(row->stream, digits);
    case ROW_COLUMN_file:
        return text_of(row->file, text);
    case ROW_COLUMN_robot:
        return text_of(row->robot, text);
    case ROW_COLUMN_client:
        return text_of(row->client, text);
    case ROW_COLUMN_protocol:
        return text_of(armtap_protocol_name(row->protocol), text);
    case ROW_COLUMN_direction:
        return text_of(row->direction == ARMTAP_TO_ROBOT ? "to-robot" : "from-robot", text);
    case ROW_COLUMN_lost_bytes:
        return row->missing.bytes > 0 ? number_unsigned(row->missing.bytes, digits) : 0;
    case ROW_COLUMN_lost_s:
        return is_time_known(&row->missing) ? number_repr(row->missing.seconds, digits) : 0;
    case ROW_COLUMN_skipped:
        return row->missing.skipped > 0 ? number_unsigned(row->missing.skipped, digits) : 0;
    case ROW_COLUMN_NONE:
    case ROW_COLUMN_END:
        break;
    }
    return 0;
}
