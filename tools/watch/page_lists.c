/* Pages that are lists: connections, what was found, all fields. */
#define _GNU_SOURCE /* strcasestr */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/number_text.h"
#include "base/os/names.h"
#include "diagnose/diagnosis.h"
#include "pages.h"

enum { FIELD_NAME = 36 };

/* ---- connections ------------------------------------------------------------------------------------------------- */

static void put_ms(struct pen *pen, const char *name, int64_t ns)
{
    pen_styled(pen, dim, name);
    if (ns < 0)
        pen_put(pen, " -  ");
    else
        pen_say(pen, " %.1f  ", (double)ns / 1e6);
}

static void put_counter(struct pen *pen, const char *name, uint64_t count)
{
    pen_styled(pen, dim, name);
    pen->style = count > 0 ? painted(PAINT_WARNING) : plain;
    pen_say(pen, " %" PRIu64 "  ", count);
    pen->style = plain;
}

static void draw_stream(struct body *body, const struct watch_stream *stream)
{
    const struct armtap_rates_totals *rates = &stream->rates;
    int64_t now = body->scene->now;
    char span[SPAN_MAX];
    struct pen pen = body_line(body);
    pen_styled(&pen, painted(PAINT_HEADING), stream->title);
    pen_say(&pen, "  %s to %s", stream->robot, stream->client);
    pen_styled(&pen, stream->is_closed ? painted(PAINT_WARNING) : dim, stream->is_closed ? "  closed" : "");
    pen = body_line(body);
    pen_say(&pen, "  %.1f", stream_rate(stream, now));
    if (rates->expected_hz > 0)
        pen_say(&pen, " of %.1f", rates->expected_hz);
    pen_say(&pen, " Hz  %" PRIu64 " records  ", stream->records);
    if (stream->newest != ARMTAP_NO_TIME)
        pen_say(&pen, "newest %s ago", span_say(span, now > stream->newest ? (double)(now - stream->newest) / 1e9 : 0));
    pen = body_line(body);
    pen_put(&pen, "  ");
    put_ms(&pen, "jitter ms p50", rates->jitter_p50);
    put_ms(&pen, "p99", rates->jitter_p99);
    put_ms(&pen, "max", rates->jitter_max);
    put_ms(&pen, "longest silence ms", rates->longest_silence);
    pen = body_line(body);
    pen_put(&pen, "  ");
    put_counter(&pen, "skipped", rates->skipped);
    put_counter(&pen, "lost bytes", stream->bytes_lost);
    put_counter(&pen, "gaps", stream->gaps);
    put_ms(&pen, "late ms", isnan(stream->late) ? -1 : (int64_t)(stream->late * 1e9));
    body->row++;
}

void page_network(struct body *body)
{
    const struct watch_robot *robot = body->robot;
    const char *reason = silence_reason(robot->silence);
    char span[SPAN_MAX];
    double silent = silence_of_robot(robot, body->scene->now);
    if (silent > 0) {
        struct pen pen = body_line(body);
        pen.style = painted(PAINT_BAD);
        pen_say(&pen, "no data for %s%s%s", span_say(span, silent), reason ? ": " : "", reason ? reason : "");
    }
    for (size_t i = (size_t)body->view->scroll; i < robot->stream_count; i++)
        draw_stream(body, &robot->streams[i]);
    if (robot->streams_left_out == 0)
        return;
    struct pen pen = body_line(body);
    pen_styled(&pen, dim, "there are more connections than are shown");
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* A text that goes on below itself, behind its time. */
static void draw_entry(struct body *body, int64_t time, enum armtap_severity severity, const char *text)
{
    char clock[CELL_MAX];
    if (body->row >= body->end)
        return;
    struct pen pen = pen_at(body->sheet, body->row, 1);
    pen_styled(&pen, dim, cell_clock(clock, time, body->view->zone));
    int column = pen.column + 1;
    body->row += sheet_wrap(body->sheet, body->row, column, body->sheet->columns - column - 1, body->end - body->row,
                            painted(text_paint_of(severity)), text);
}

static void draw_totals(struct body *body)
{
    const struct watch_found *found = &body->scene->found;
    char text[160];
    size_t length = (size_t)snprintf(text, sizeof text, "findings, newest first");
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_INFO; severity--) {
        uint64_t count = found->totals[severity];
        if (count > 0)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s %" PRIu64 " %s%s", length < 30 ? ":" : ",",
                                 count, armtap_severity_name((enum armtap_severity)severity), count == 1 ? "" : "s");
    }
    body_heading(body, text);
}

void page_findings(struct body *body)
{
    const struct watch_found *found = &body->scene->found;
    char text[WATCH_TEXT + 128];
    int skip = body->view->scroll;
    if (found->incident_count > 0)
        body_heading(body, "incidents, newest first");
    for (size_t i = 0; i < found->incident_count; i++)
        if (skip-- <= 0)
            draw_entry(body, found->incidents[i].time, found->incidents[i].severity, found->incidents[i].text);
    draw_totals(body);
    for (size_t i = 0; i < found->count; i++) {
        const struct watch_finding *line = &found->findings[found->order[i]];
        char count[24] = "";
        if (skip-- > 0)
            continue;
        if (line->count > 1)
            snprintf(count, sizeof count, "%" PRIu64 " x ", line->count);
        snprintf(text, sizeof text, "%s%s%s%s: %s", count, line->robot, line->robot[0] ? ": " : "", line->kind->id,
                 line->text);
        draw_entry(body, line->time, line->kind->severity, text);
    }
}

/* ---- all fields -------------------------------------------------------------------------------------------------- */

static void put_value(struct pen *pen, const struct body *body, const struct armtap_value *value, unsigned element)
{
    char digits[NUMBER_MAX];
    size_t length = value->type == ARMTAP_DOUBLE    ? number_repr(value->f64[element], digits)
                    : armtap_value_is_signed(value) ? number_signed(value->i64[element], digits)
                                                    : number_unsigned(value->u64[element], digits);
    struct style before = pen->style;
    pen->style = style_of(body, value->field->id, element);
    if (value->type == ARMTAP_DOUBLE && length > 10)
        pen_say(pen, "%.6g", value->f64[element]);
    else
        pen_put_span(pen, digits, length);
    const char *name =
        value->type == ARMTAP_DOUBLE || strcmp(value->field->unit, "enum") != 0
            ? NULL
            : armtap_enum_name(value->field,
                               armtap_value_is_signed(value) ? value->i64[element] : (int64_t)value->u64[element],
                               body->robot->generation);
    if (name)
        pen_say(pen, " %s", name);
    pen->style = before;
    pen_put(pen, " ");
}

static void draw_field(struct body *body, const struct armtap_field *field)
{
    struct armtap_value value;
    struct pen pen = body_line(body);
    armtap_state_get(body->robot->state, field, &value);
    pen_put(&pen, field->name);
    if (pen.column < FIELD_NAME)
        pen_to(&pen, FIELD_NAME);
    pen_put(&pen, " ");
    for (unsigned i = 0; i < value.count; i++)
        put_value(&pen, body, &value, i);
    if (strcmp(field->unit, "enum") != 0)
        pen_styled(&pen, dim, field->unit);
}

void page_fields(struct body *body)
{
    const struct armtap_field *field;
    int skip = body->view->scroll, matches = 0;
    for (size_t i = 0; (field = armtap_field_at(i)); i++) {
        if (!robot_has(body->robot, field->id) || !strcasestr(field->name, body->view->filter))
            continue;
        if (matches++ < skip)
            continue;
        draw_field(body, field);
    }
    if (matches == 0) {
        struct pen pen = body_line(body);
        pen_styled(&pen, dim, "no such field in the data");
    }
}
