#include "stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/printf_format.h"
#include "base/terminal/fold.h"
#include "base/text/json_writer.h"
#include "base/text/utf8.h"
#include "input/robots/labels.h"

enum { NAME_WIDTH = 24, NUMBER_WIDTH = 11, CHANGES_WIDTH = 7, INDENT = 4, TEXT_SHOWN = 60, CELL_BYTES = 200 };

static const char *mode_name_of(const struct robot_sums *robot, const struct cell *cell, int64_t value)
{
    return cell->kind == CELL_MODE ? armtap_enum_name(cell->field, value, robot->stream.generation) : NULL;
}

static bool is_text(const struct cell *cell)
{
    return cell->texts > 0 && cell->numbers + cell->odd == 0;
}

static uint64_t values_of(const struct cell *cell)
{
    return cell->numbers + cell->odd + cell->texts;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void sample_json(struct json *json, const char *key, const struct sample *sample, const struct buffer *text)
{
    json_key(json, key);
    if (sample->type == ARMTAP_STRING)
        json_span(json, text->data ? text->data : "", text->length);
    else if (sample->type == ARMTAP_DOUBLE)
        json_double(json, sample->f64);
    else if (sample->type == ARMTAP_INT64)
        json_signed(json, sample->i64);
    else if (sample->type == ARMTAP_UINT64)
        json_unsigned(json, sample->u64);
    else
        json_null(json);
}

static void extreme_json(struct json *json, const struct report *report, const struct cell *cell, const char *key,
                         const struct extreme *extreme)
{
    static const struct sample none = {.type = ARMTAP_JSON};
    char name[40];
    bool is_known = cell->numbers > 0;
    sample_json(json, key, is_known ? &extreme->value : &none, NULL);
    snprintf(name, sizeof name, "%s_packet", key);
    json_key(json, name);
    if (is_known && extreme->where.packet > 0)
        json_unsigned(json, extreme->where.packet);
    else
        json_null(json);
    snprintf(name, sizeof name, "%s_file", key);
    if (replay_has_several_files(report->source))
        json_member_text(json, name, is_known ? replay_file_name(report->source, extreme->where.file) : NULL);
    snprintf(name, sizeof name, "%s_time", key);
    json_member_time(json, name, is_known ? extreme->read.time : ARMTAP_NO_TIME);
}

static void modes_json(struct json *json, const struct robot_sums *robot, const struct cell *cell)
{
    json_member_array(json, "modes", false);
    for (size_t i = 0; i < cell->mode_count; i++) {
        json_object(json, false);
        json_member_signed(json, "value", cell->modes[i].value);
        json_member_text(json, "name", mode_name_of(robot, cell, cell->modes[i].value));
        json_member_unsigned(json, "records", cell->modes[i].records);
        json_key(json, "duration_s");
        if (robot->first_time == ARMTAP_NO_TIME)
            json_null(json);
        else
            json_decimal(json, cell->modes[i].ns, 9);
        json_close(json);
    }
    json_close(json);
    if (cell->modes_left_out > 0)
        json_member_unsigned(json, "more_records", cell->modes_left_out);
}

static void numbers_json(struct json *json, const struct report *report, const struct cell *cell)
{
    json_member_unsigned(json, "nan", cell->odd);
    extreme_json(json, report, cell, "min", &cell->least);
    extreme_json(json, report, cell, "max", &cell->most);
    json_key(json, "mean");
    json_double(json, cell_mean(cell));
    json_key(json, "deviation");
    json_double(json, cell_deviation(cell));
}

static void cell_json(struct json *json, const struct report *report, const struct robot_sums *robot,
                      const struct cell *cell)
{
    json_object(json, false);
    json_member_text(json, "name", cell->name);
    json_key(json, "unit");
    json_span(json, cell->unit, (size_t)cell->unit_length);
    json_member_unsigned(json, "count", is_text(cell) ? cell->texts : cell->numbers);
    if (cell->kind == CELL_NUMBER && !is_text(cell))
        numbers_json(json, report, cell);
    sample_json(json, "first", &cell->first.value, &cell->first_text);
    sample_json(json, "last", &cell->last.value, &cell->last_text);
    json_member_unsigned(json, "changes", cell->changes);
    if (cell->kind == CELL_MODE)
        modes_json(json, robot, cell);
    json_close(json);
}

void report_json(const struct report *report)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_array(&json, "robots", true);
    for (size_t i = 0; i < report->sums->robot_count; i++) {
        const struct robot_sums *robot = report->sums->robots[i];
        json_object(&json, true);
        json_member_text_or_null(&json, "robot", robot->stream.robot);
        labels_json(report->source->labels, &json, "label", robot->stream.robot);
        json_member_text_or_null(&json, "protocol", armtap_protocol_name(robot->stream.protocol));
        json_member_text(&json, "direction", report->direction == ARMTAP_TO_ROBOT ? "to-robot" : "from-robot");
        json_member_unsigned(&json, "streams", robot->streams);
        json_member_unsigned(&json, "records", robot->records);
        json_member_unsigned(&json, "guessed", robot->guessed);
        json_member_unsigned(&json, "opaque", robot->opaque);
        if (report->is_whole)
            json_member_unsigned(&json, "bytes_lost", robot->bytes_lost);
        json_member_time(&json, "first_time", robot->first_time);
        json_member_time(&json, "last_time", robot->last_time);
        json_member_array(&json, "fields", true);
        for (size_t k = 0; k < robot->cell_count; k++)
            if (values_of(robot->cells[k]) > 0)
                cell_json(&json, report, robot, robot->cells[k]);
        json_close(&json);
        json_close(&json);
    }
    json_end(&json);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static const char *shown(char to[CELL_BYTES], const char *text, size_t length)
{
    size_t at = 0;
    for (size_t used; length > 0 && at + UTF8_SHOWN_MAX < CELL_BYTES; text += used, length -= used)
        at += utf8_show(to + at, text, length, &used);
    to[at] = '\0';
    return to;
}

/* At most 5 digits, so that a table fits; of integers all, if there is room. */
static const char *real_text(char to[CELL_BYTES], double number)
{
    snprintf(to, CELL_BYTES, "%.5g", number);
    return to;
}

static const char *sample_text(char to[CELL_BYTES], const struct sample *sample, const struct buffer *text)
{
    if (sample->type == ARMTAP_STRING)
        return shown(to, text->data, text->length < TEXT_SHOWN ? text->length : TEXT_SHOWN);
    if (sample->type == ARMTAP_DOUBLE)
        return real_text(to, sample->f64);
    int length = sample->type == ARMTAP_INT64 ? snprintf(to, CELL_BYTES, "%" PRId64, sample->i64)
                                              : snprintf(to, CELL_BYTES, "%" PRIu64, sample->u64);
    return length <= NUMBER_WIDTH         ? to
           : sample->type == ARMTAP_INT64 ? real_text(to, (double)sample->i64)
                                          : real_text(to, (double)sample->u64);
}

/* ---- a robot's tables -------------------------------------------------------------------------------------------- */

/* Whether all its values are the same: changes are counted within connections only. */
static bool is_constant(const struct cell *cell)
{
    const struct buffer *first = &cell->first_text, *last = &cell->last_text;
    if (cell->kind == CELL_MODE || cell->changes > 0)
        return false;
    if (is_text(cell))
        return first->length == last->length &&
               (first->length == 0 || memcmp(first->data, last->data, first->length) == 0);
    return cell->texts == 0 && cell->odd == 0 && cell->least.value.u64 == cell->most.value.u64;
}

enum part { PART_TABLE, PART_MODES, PART_LIST, PART_CONSTANT };

static enum part part_of(const struct cell *cell)
{
    if (cell->kind == CELL_MODE)
        return PART_MODES;
    if (is_constant(cell))
        return PART_CONSTANT;
    return cell->kind == CELL_BITS || is_text(cell) ? PART_LIST : PART_TABLE;
}

static void print_table_head(const struct report *report)
{
    const char *place = replay_has_several_files(report->source) ? "file:packet" : "in packet";
    struct text_row row = text_row_heading(stdout, INDENT, 1);
    const char *const heads[][2] = {{"least", place}, {"greatest", place}, {"mean", "first"}, {"deviation", "last"}};
    text_row_head(&row, -NAME_WIDTH, "  field", "    unit");
    text_row_together(&row, 4 * (NUMBER_WIDTH + 1) + CHANGES_WIDTH);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        text_row_head(&row, NUMBER_WIDTH, heads[i][0], heads[i][1]);
    text_row_cell(&row, CHANGES_WIDTH, "changes");
    text_row_end(&row);
}

static void put_place(struct text_row *row, const struct report *report, const struct cell *cell,
                      const struct armtap_where *where)
{
    char text[CELL_BYTES] = "-";
    if (cell->numbers > 0 && where->packet > 0 && replay_has_several_files(report->source))
        snprintf(text, sizeof text, "%" PRIu32 ":%" PRIu64, where->file + 1, where->packet);
    else if (cell->numbers > 0 && where->packet > 0)
        snprintf(text, sizeof text, "%" PRIu64, where->packet);
    text_row_painted(row, NUMBER_WIDTH, PAINT_PACKET, text);
}

static void put_sample(struct text_row *row, bool is_known, const struct sample *sample, const struct buffer *text)
{
    char cell[CELL_BYTES];
    text_row_cell(row, NUMBER_WIDTH, is_known ? sample_text(cell, sample, text) : "-");
}

static void put_real(struct text_row *row, double number)
{
    char cell[CELL_BYTES];
    text_row_cell(row, NUMBER_WIDTH, isnan(number) ? "-" : real_text(cell, number));
}

/* What the row of a cell says only if it is not as usual. */
static void print_rest(const struct robot_sums *robot, const struct cell *cell)
{
    uint64_t values = values_of(cell), records = robot->records - robot->opaque;
    if (values < records)
        text_line(stdout, INDENT, "    in %" PRIu64 " of %" PRIu64 " records", values, records);
    if (cell->odd > 0)
        text_line(stdout, INDENT, "    in addition to %" PRIu64 " NaN or infinite", cell->odd);
    if (cell->texts > 0 && !is_text(cell))
        text_line(stdout, INDENT, "    in addition to %" PRIu64 " texts", cell->texts);
}

static void print_numbers(const struct report *report, const struct robot_sums *robot, const struct cell *cell)
{
    char name[CELL_BYTES], text[CELL_BYTES + 2], count[NUMBER_MAX];
    bool is_known = cell->numbers > 0;
    struct text_row row = text_row_begin(stdout, INDENT, 1);
    snprintf(text, sizeof text, "  %s", shown(name, cell->name, strlen(cell->name)));
    text_row_cell(&row, -NAME_WIDTH, text);
    text_row_together(&row, 4 * (NUMBER_WIDTH + 1) + CHANGES_WIDTH);
    put_sample(&row, is_known, &cell->least.value, NULL);
    put_sample(&row, is_known, &cell->most.value, NULL);
    put_real(&row, is_known ? cell_mean(cell) : NAN);
    put_real(&row, cell_deviation(cell));
    text_row_cell(&row, CHANGES_WIDTH, text_count(count, cell->changes));
    text_row_break(&row);
    snprintf(text, sizeof text, "%.*s", cell->unit_length, cell->unit);
    text_row_cell(&row, INDENT - NAME_WIDTH, text);
    put_place(&row, report, cell, &cell->least.where);
    put_place(&row, report, cell, &cell->most.where);
    put_sample(&row, true, &cell->first.value, &cell->first_text);
    put_sample(&row, true, &cell->last.value, &cell->last_text);
    text_row_end(&row);
    print_rest(robot, cell);
}

static struct text_wrap begin_line(const struct cell *cell)
{
    char name[CELL_BYTES];
    return text_lead(stdout, INDENT, "  %s", shown(name, cell->name, strlen(cell->name)));
}

static void add(struct text_wrap *wrap, const char *format, ...) PRINTF_FORMAT(2, 3);
static void add(struct text_wrap *wrap, const char *format, ...)
{
    char text[2 * CELL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_wrap_words(wrap, text);
}

static void add_changes(struct text_wrap *wrap, const struct cell *cell)
{
    add(wrap, "%" PRIu64 " change%s", cell->changes, cell->changes == 1 ? "" : "s");
    text_wrap_end(wrap);
}

static void print_modes(const struct robot_sums *robot, const struct cell *cell)
{
    char number[CELL_BYTES], time[40];
    struct text_wrap wrap = begin_line(cell);
    for (size_t i = 0; i < cell->mode_count; i++) {
        const struct mode_sum *mode = &cell->modes[i];
        const char *name = mode_name_of(robot, cell, mode->value);
        snprintf(number, sizeof number, "%" PRId64, mode->value);
        snprintf(time, sizeof time, " %.3f s", (double)mode->ns / 1e9);
        add(&wrap, "%s%s in %" PRIu64 " record%s;", name ? name : number,
            robot->first_time == ARMTAP_NO_TIME ? "" : time, mode->records, mode->records == 1 ? "" : "s");
    }
    if (cell->modes_left_out > 0)
        add(&wrap, "others in %" PRIu64 " records;", cell->modes_left_out);
    add_changes(&wrap, cell);
    print_rest(robot, cell);
}

static void print_line(const struct robot_sums *robot, const struct cell *cell)
{
    char text[CELL_BYTES];
    struct text_wrap wrap = begin_line(cell);
    add(&wrap, "first %s;", sample_text(text, &cell->first.value, &cell->first_text));
    add(&wrap, "last %s;", sample_text(text, &cell->last.value, &cell->last_text));
    add_changes(&wrap, cell);
    print_rest(robot, cell);
}

static void print_constants(const struct robot_sums *robot)
{
    char text[CELL_BYTES];
    struct text_wrap wrap = text_lead(stdout, INDENT, " ");
    size_t left = 0;
    for (size_t i = 0; i < robot->cell_count; i++)
        left += values_of(robot->cells[i]) > 0 && part_of(robot->cells[i]) == PART_CONSTANT;
    for (size_t i = 0; i < robot->cell_count; i++) {
        const struct cell *cell = robot->cells[i];
        if (values_of(cell) == 0 || part_of(cell) != PART_CONSTANT)
            continue;
        left--;
        text_wrap_piece(&wrap, cell->name, strlen(cell->name));
        add(&wrap, "%s%s%.*s%s", sample_text(text, &cell->first.value, &cell->first_text),
            cell->unit_length > 0 ? " " : "", cell->unit_length, cell->unit, left > 0 ? ";" : "");
    }
    text_wrap_end(&wrap);
}

static void print_part(const struct report *report, const struct robot_sums *robot, enum part part)
{
    static const char *const headings[] = {NULL, "\nmodes: how long each value lasted", "\nbits and texts",
                                           "\nnever changed"};
    bool is_begun = false;
    for (size_t i = 0; i < robot->cell_count; i++) {
        const struct cell *cell = robot->cells[i];
        if (values_of(cell) == 0 || part_of(cell) != part)
            continue;
        if (!is_begun && part == PART_TABLE)
            putchar('\n'), print_table_head(report);
        else if (!is_begun)
            text_heading(stdout, INDENT, headings[part]);
        is_begun = true;
        if (part == PART_TABLE)
            print_numbers(report, robot, cell);
        else if (part == PART_MODES)
            print_modes(robot, cell);
        else if (part == PART_LIST)
            print_line(robot, cell);
    }
    if (is_begun && part == PART_CONSTANT)
        print_constants(robot);
}

static void print_robot(const struct report *report, const struct robot_sums *robot)
{
    char from[WHEN_DATE_MAX], to[WHEN_DATE_MAX];
    const char *protocol = armtap_protocol_name(robot->stream.protocol);
    text_line(stdout, INDENT, "%s, %s: %" PRIu64 " record%s of %" PRIu64 " stream%s, %s",
              robot->stream.robot[0] ? labels_name(report->source->labels, robot->stream.robot) : "a robot",
              protocol ? protocol : "?", robot->records, robot->records == 1 ? "" : "s", robot->streams,
              robot->streams == 1 ? "" : "s", report->direction == ARMTAP_TO_ROBOT ? "to the robot" : "from the robot");
    if (robot->first_time != ARMTAP_NO_TIME) {
        timestamp_date(from, robot->first_time, report->zone);
        timestamp_date(to, robot->last_time, report->zone);
        text_line(stdout, INDENT, "%s to %s", from, to);
    }
    if (robot->guessed > 0)
        text_line(stdout, INDENT,
                  "The recipe of %" PRIu64
                  " of them was guessed, because no handshake was captured: names may be wrong.",
                  robot->guessed);
    if (robot->opaque > 0)
        text_line(stdout, INDENT, "%" PRIu64 " of them have no recipe, so their values are not known.", robot->opaque);
    if (report->is_whole && robot->bytes_lost > 0)
        text_line(stdout, INDENT, "Missing from the capture: %" PRIu64 " bytes, whose values are not in these figures.",
                  robot->bytes_lost);
    for (enum part part = PART_TABLE; part <= PART_CONSTANT; part++)
        print_part(report, robot, part);
}

void report_text(const struct report *report)
{
    for (size_t i = 0; i < report->sums->robot_count; i++) {
        if (i > 0)
            putchar('\n');
        print_robot(report, report->sums->robots[i]);
    }
}
