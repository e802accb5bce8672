#include "export.h"

#include <math.h>

#include "base/text/json_writer.h"
#include "base/numbers/number_text.h"
#include "export/formats/line_cells.h"

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_quoted(struct buffer *out, const char *text)
{
    json_put_quoted(out, text, strlen(text));
}

/* NULL: null. */
static void put_text(struct buffer *out, const char *text)
{
    if (text)
        put_quoted(out, text);
    else
        buffer_string(out, "null");
}

/* `is_first`: of its object. */
static void put_key(struct buffer *out, const char *key, bool is_first)
{
    if (!is_first)
        buffer_char(out, ',');
    put_quoted(out, key);
    buffer_char(out, ':');
}

static void put_double(struct buffer *out, double number)
{
    char *to = buffer_room(out, NUMBER_MAX);
    if (!isfinite(number))
        buffer_string(out, "null");
    else if (to)
        out->length += number_repr(number, to);
}

static void put_signed(struct buffer *out, int64_t number)
{
    char *to = buffer_room(out, NUMBER_MAX);
    if (to)
        out->length += number_signed(number, to);
}

static void put_unsigned(struct buffer *out, uint64_t number)
{
    char *to = buffer_room(out, NUMBER_MAX);
    if (to)
        out->length += number_unsigned(number, to);
}

static void put_time(struct buffer *out, int64_t time)
{
    char *to = buffer_room(out, NUMBER_MAX);
    if (time == ARMTAP_NO_TIME)
        buffer_string(out, "null");
    else if (to)
        out->length += number_seconds(time, to);
}

static void put_element(struct buffer *out, const struct armtap_value *value, unsigned i)
{
    if (value->type == ARMTAP_BOOL)
        buffer_string(out, value->u64[i] ? "true" : "false");
    else if (value->type == ARMTAP_DOUBLE)
        put_double(out, value->f64[i]);
    else if (armtap_value_is_signed(value))
        put_signed(out, value->i64[i]);
    else
        put_unsigned(out, value->u64[i]);
}

static void put_value(struct buffer *out, const struct armtap_value *value)
{
    if (value->count > 1)
        buffer_char(out, '[');
    for (unsigned i = 0; i < value->count; i++) {
        if (i > 0)
            buffer_char(out, ',');
        put_element(out, value, i);
    }
    if (value->count > 1)
        buffer_char(out, ']');
}

static void put_values(struct buffer *out, const struct armtap_command_value *values, size_t count)
{
    buffer_char(out, '{');
    for (size_t i = 0; i < count; i++) {
        put_key(out, values[i].value.name, i == 0);
        put_value(out, &values[i].value);
    }
    buffer_char(out, '}');
}

static void put_units(struct buffer *out, const struct armtap_command_reading *reading)
{
    bool is_first = true;
    buffer_char(out, '{');
    for (size_t i = 0; i < reading->argument_count + reading->result_count; i++) {
        const struct armtap_command_value *value =
            i < reading->argument_count ? &reading->arguments[i] : &reading->results[i - reading->argument_count];
        if (*value->unit == '\0')
            continue;
        put_key(out, value->value.name, is_first);
        put_quoted(out, value->unit);
        is_first = false;
    }
    buffer_char(out, '}');
}

static void put_result(struct buffer *out, const struct armtap_command_reading *reading)
{
    if (reading->result_count > 0)
        put_values(out, reading->results, reading->result_count);
    else
        buffer_string(out, "null");
}

static void put_releases(struct buffer *out, const char *first, const char *last)
{
    buffer_char(out, '[');
    put_quoted(out, first);
    buffer_char(out, ',');
    put_quoted(out, last);
    buffer_char(out, ']');
}

static const char *name_of(const struct armtap_command *command)
{
    return command->reading_count == 1 && !command->is_unknown ? command->readings[0].name : NULL;
}

static void put_reading(struct buffer *out, const struct armtap_command_reading *reading)
{
    buffer_string(out, "\"arguments\":");
    put_values(out, reading->arguments, reading->argument_count);
    buffer_string(out, ",\"units\":");
    put_units(out, reading);
    buffer_string(out, ",\"result\":");
    put_result(out, reading);
}

/* Each of several meanings. */
static void put_readings(struct buffer *out, const struct armtap_command *command)
{
    buffer_string(out, "\"readings\":[");
    for (size_t i = 0; i < command->reading_count; i++) {
        const struct armtap_command_reading *reading = &command->readings[i];
        buffer_string(out, i > 0 ? ",{\"command\":" : "{\"command\":");
        put_quoted(out, reading->name);
        buffer_char(out, ',');
        put_reading(out, reading);
        buffer_string(out, ",\"releases\":");
        put_releases(out, reading->first_release, reading->last_release);
        buffer_char(out, '}');
    }
    buffer_char(out, ']');
}

static void put_place(struct buffer *out, const char *name, bool is_seen, const struct armtap_where *where)
{
    buffer_string(out, ",\"");
    buffer_string(out, name);
    buffer_string(out, "_time\":");
    put_time(out, is_seen ? where->time : ARMTAP_NO_TIME);
    buffer_string(out, ",\"");
    buffer_string(out, name);
    buffer_string(out, "_packet\":");
    if (is_seen)
        put_unsigned(out, where->packet);
    else
        buffer_string(out, "null");
}

static void put_end(struct buffer *out, const struct armtap_command *command)
{
    buffer_string(out, ",\"ending\":");
    put_quoted(out, armtap_command_ending_name(command->ending));
    buffer_string(out, ",\"cause\":");
    put_text(out, command->cause);
    buffer_string(out, ",\"duration_s\":");
    put_double(out, command->duration);
    put_place(out, "done", command->is_done, &command->done);
    put_place(out, "acknowledged", command->is_acknowledged, &command->acknowledged);
    buffer_string(out, command->is_result_early ? ",\"result_is_early\":true" : ",\"result_is_early\":false");
    buffer_string(out, command->bytes_missing ? ",\"bytes_missing\":true" : ",\"bytes_missing\":false");
}

void command_row_json(const struct command_row *row, struct buffer *out)
{
    const struct armtap_command *command = row->command;
    buffer_string(out, "{\"time\":");
    put_time(out, command->issued.time);
    if (row->file) {
        buffer_string(out, ",\"file\":");
        put_quoted(out, row->file);
    }
    buffer_string(out, ",\"packet\":");
    put_unsigned(out, command->issued.packet);
    buffer_string(out, ",\"stream\":");
    put_unsigned(out, row->stream);
    buffer_string(out, ",\"robot\":");
    put_quoted(out, row->robot);
    buffer_string(out, ",\"client\":");
    put_quoted(out, row->client);
    buffer_string(out, ",\"code\":");
    put_signed(out, command->code);
    buffer_string(out, ",\"command\":");
    put_text(out, name_of(command));
    buffer_char(out, ',');
    if (command->reading_count == 1)
        put_reading(out, command->readings);
    else
        put_readings(out, command);
    put_end(out, command);
    buffer_string(out, ",\"register_offset\":");
    if (command->is_offset_unknown)
        buffer_string(out, "null");
    else
        put_unsigned(out, command->register_offset);
    buffer_string(out, ",\"evidence\":");
    put_quoted(out, armtap_command_evidence_name(command->evidence));
    buffer_string(out, ",\"releases\":");
    put_releases(out, command->first_release, command->last_release);
    buffer_string(out, "}\n");
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static const char header[] = "time,file,packet,stream,robot,client,code,command,arguments,units,result,ending,cause,"
                             "duration_s,done_time,done_packet,acknowledged_time,acknowledged_packet,result_is_early,"
                             "bytes_missing,register_offset,evidence,first_release,last_release\n";

void command_row_csv_header(struct buffer *out)
{
    buffer_string(out, header);
}

static void put_span(struct buffer *out, const char *text, size_t length, const struct command_row *row)
{
    const struct cell_style style = {.separator = ',', .quoted_if = ",\"\r\n", .is_shown = row->is_shown};
    cells_text(text, length, &style, out);
    buffer_char(out, ',');
}

static void put_cell(struct buffer *out, const char *text, const struct command_row *row)
{
    put_span(out, text, strlen(text), row);
}

/* A cell of each meaning: one as it is, several as a JSON array. */
static void put_cells(struct buffer *out, const struct command_row *row,
                      void (*put)(struct buffer *out, const struct armtap_command_reading *reading))
{
    const struct armtap_command *command = row->command;
    struct buffer cell = {0};
    if (command->reading_count > 1)
        buffer_char(&cell, '[');
    for (size_t i = 0; i < command->reading_count; i++) {
        if (i > 0)
            buffer_char(&cell, ',');
        put(&cell, &command->readings[i]);
    }
    if (command->reading_count > 1)
        buffer_char(&cell, ']');
    put_span(out, cell.length > 0 ? cell.data : "", cell.length, row);
    out->failed = out->failed || cell.failed;
    free(cell.data);
}

static void put_arguments(struct buffer *out, const struct armtap_command_reading *reading)
{
    put_values(out, reading->arguments, reading->argument_count);
}

static void put_result_or_nothing(struct buffer *out, const struct armtap_command_reading *reading)
{
    if (reading->result_count > 0)
        put_values(out, reading->results, reading->result_count);
}

static void put_names(struct buffer *out, const struct armtap_command *command)
{
    for (size_t i = 0; i < command->reading_count; i++) {
        buffer_string(out, i > 0 ? " or " : "");
        buffer_string(out, command->readings[i].name);
    }
    buffer_char(out, ',');
}

static void put_time_cell(struct buffer *out, bool is_seen, int64_t time)
{
    if (is_seen && time != ARMTAP_NO_TIME)
        put_time(out, time);
    buffer_char(out, ',');
}

static void put_packet_cell(struct buffer *out, bool is_seen, uint64_t packet)
{
    if (is_seen)
        put_unsigned(out, packet);
    buffer_char(out, ',');
}

static void put_any_result(struct buffer *out, const struct command_row *row)
{
    put_cells(out, row, row->command->reading_count > 1 ? put_result : put_result_or_nothing);
}

static void put_end_cells(struct buffer *out, const struct command_row *row)
{
    const struct armtap_command *command = row->command;
    put_cell(out, armtap_command_ending_name(command->ending), row);
    put_cell(out, command->cause ? command->cause : "", row);
    if (isfinite(command->duration))
        put_double(out, command->duration);
    buffer_char(out, ',');
    put_time_cell(out, command->is_done, command->done.time);
    put_packet_cell(out, command->is_done, command->done.packet);
    put_time_cell(out, command->is_acknowledged, command->acknowledged.time);
    put_packet_cell(out, command->is_acknowledged, command->acknowledged.packet);
    put_cell(out, command->is_result_early ? "1" : "0", row);
    put_cell(out, command->bytes_missing ? "1" : "0", row);
}

void command_row_csv(const struct command_row *row, struct buffer *out)
{
    const struct armtap_command *command = row->command;
    put_time_cell(out, true, command->issued.time);
    put_cell(out, row->file ? row->file : "", row);
    put_packet_cell(out, true, command->issued.packet);
    put_packet_cell(out, true, row->stream);
    put_cell(out, row->robot, row);
    put_cell(out, row->client, row);
    put_signed(out, command->code);
    buffer_char(out, ',');
    put_names(out, command);
    put_cells(out, row, put_arguments);
    put_cells(out, row, put_units);
    put_any_result(out, row);
    put_end_cells(out, row);
    put_packet_cell(out, !command->is_offset_unknown, command->register_offset);
    put_cell(out, armtap_command_evidence_name(command->evidence), row);
    put_cell(out, command->first_release, row);
    buffer_string(out, command->last_release);
    buffer_char(out, '\n');
}
