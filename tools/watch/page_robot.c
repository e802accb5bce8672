/* The page of an arm, and that of its joints. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/diagnosis.h"
#include "pages.h"

#define DEGREES (180 / acos(-1))
#define NEAR 0.05 /* share of a range: so near to a limit is worth a colour */

enum { NAME_WIDTH = 10, MODE_WIDTH = 15, SPEED_COLUMN = 50 };

static const char absent[] = "not in the data";

/* ---- modes ------------------------------------------------------------------------------------------------------- */

static void put_age(struct pen *pen, double age)
{
    char span[SPAN_MAX];
    pen_styled(pen, painted(PAINT_WARNING), span_say(span, age));
    pen_styled(pen, painted(PAINT_WARNING), " ago");
}

static void put_word(struct pen *pen, const struct body *body, const char *title, const struct word *word)
{
    int column = pen->column;
    pen_styled(pen, dim, title);
    pen_to(pen, column + NAME_WIDTH);
    pen_styled(pen, word->text && word->age <= 0 ? painted(word->paint) : dim, word->text ? word->text : absent);
    pen_to(pen, column + NAME_WIDTH + MODE_WIDTH);
    pen_put(pen, "  ");
    if (word->age > 0)
        put_age(pen, word->age);
    else if (word->text)
        pen_since(pen, body, word->field);
}

static void put_speed(struct pen *pen, const struct body *body)
{
    const struct watch_robot *robot = body->robot;
    double scaling = robot_number(robot, ARMTAP_ID_speed_scaling, 0);
    double slider = robot_number(robot, ARMTAP_ID_target_speed_fraction, 0);
    int column = pen->column;
    pen_styled(pen, dim, "speed");
    pen_to(pen, column + NAME_WIDTH);
    if (isnan(scaling) && isnan(slider)) {
        pen_styled(pen, dim, absent);
        return;
    }
    if (!isnan(scaling))
        pen_say(pen, "%.0f %%", fmin(fmax(scaling, -99), 99) * 100);
    if (!isnan(slider))
        pen_say(pen, "%sslider %.0f %%", isnan(scaling) ? "" : "  ", fmin(fmax(slider, -99), 99) * 100);
}

static void draw_modes(struct body *body)
{
    struct word word;
    int64_t now = body->scene->now;
    struct pen pen = body_line(body);
    word_of_mode(&word, body->robot, now);
    put_word(&pen, body, "mode", &word);
    pen_to(&pen, SPEED_COLUMN);
    put_speed(&pen, body);
    pen = body_line(body);
    word_of_safety(&word, body->robot, now);
    put_word(&pen, body, "safety", &word);
    pen = body_line(body);
    word_of_program(&word, body->robot, now);
    put_word(&pen, body, "program", &word);
}

/* ---- joints ------------------------------------------------------------------------------------------------------ */

static struct style limit_style(struct style style, double share)
{
    if (isnan(share))
        return style;
    return share <= 0 || share >= 1           ? painted(PAINT_BAD)
           : share < NEAR || share > 1 - NEAR ? painted(PAINT_WARNING)
                                              : style;
}

static void put_joint_name(struct pen *pen, unsigned joint)
{
    pen_put(pen, armtap_joint_name((int)joint));
    pen_to(pen, 1 + NAME_WIDTH);
}

static void draw_joint(struct body *body, unsigned joint)
{
    struct pen pen = body_line(body);
    const struct watch_robot *robot = body->robot;
    const struct limits limits = limits_of(robot, joint);
    double position = robot_number(robot, ARMTAP_ID_actual_q, joint);
    double speed = robot_number(robot, ARMTAP_ID_actual_qd, joint);
    double share = (position - limits.least) / (limits.most - limits.least), part = fabs(speed) / limits.speed;
    struct style style = style_of(body, ARMTAP_ID_actual_q, joint), fast = style_of(body, ARMTAP_ID_actual_qd, joint);
    bool is_ascii = body->view->is_ascii;
    put_joint_name(&pen, joint);
    pen_number(&pen, style, 8, 2, position * DEGREES);
    pen_put(&pen, " ");
    pen_gauge(&pen, is_ascii, limit_style(plain, share), 9, share);
    pen_number(&pen, fast, 8, 1, speed * DEGREES);
    pen_put(&pen, " ");
    pen_bar(&pen, is_ascii, limit_style(plain, part < NEAR ? 0.5 : part), 5, part);
    pen_number(&pen, style_of(body, ARMTAP_ID_actual_current, joint), 7, 2,
               robot_number(robot, ARMTAP_ID_actual_current, joint));
    pen_number(&pen, style_of(body, ARMTAP_ID_joint_temperatures, joint), 6, 1,
               robot_number(robot, ARMTAP_ID_joint_temperatures, joint));
    pen_put(&pen, "  ");
    pen_curve(&pen, body, CURVE_SPEED, joint, pen.end - pen.column - 1, 0.1);
}

static void draw_joints(struct body *body)
{
    struct pen pen = body_line(body);
    double age = robot_field_age(body->robot, ARMTAP_ID_actual_q, body->scene->now);
    pen.style = dim;
    if (age > 0)
        put_age(&pen, age);
    else
        pen_put(&pen, "joint");
    pen_to(&pen, 11);
    pen_say(&pen, "  degree       limits degree/s   limit      A     C  speed, last %.0f s",
            curve_span(body->robot, body->scene->now));
    for (unsigned i = 0; i < JOINTS; i++)
        draw_joint(body, i);
}

/* ---- tool, inputs, outputs, data --------------------------------------------------------------------------------- */

/* Three numbers with their names. */
static void put_triple(struct pen *pen, const struct body *body, unsigned field, unsigned first, double scale,
                       int decimals)
{
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    for (unsigned i = first; i < first + 3; i++) {
        pen_styled(pen, dim, names[i]);
        pen_number(pen, style_of(body, field, i), i > 2 ? 7 : 9, decimals, robot_number(body->robot, field, i) * scale);
        pen_put(pen, " ");
    }
}

static void draw_six(struct body *body, const char *title, unsigned field, double scale, const int decimals[2],
                     const char *const units[2])
{
    struct pen pen = body_line(body);
    pen_styled(&pen, dim, title);
    pen_to(&pen, 1 + NAME_WIDTH);
    for (unsigned i = 0; i < 2 && robot_has(body->robot, field); i++) {
        put_triple(&pen, body, field, 3 * i, i == 0 ? scale : 1, decimals[i]);
        pen_styled(&pen, dim, units[i]);
    }
    if (!robot_has(body->robot, field))
        pen_styled(&pen, dim, absent);
}

static void draw_tool(struct body *body)
{
    draw_six(body, "TCP", ARMTAP_ID_actual_TCP_pose, 1000, (const int[]){1, 3}, (const char *const[]){"mm ", "rad"});
    draw_six(body, "force", ARMTAP_ID_actual_TCP_force, 1, (const int[]){1, 2}, (const char *const[]){"N  ", "Nm"});
}

static void draw_lamps(struct body *body, bool is_output)
{
    struct pen pen = body_line(body);
    const struct watch_robot *robot = body->robot;
    const struct lamps *lamps;
    uint64_t bits = is_output ? robot->state->actual_digital_output_bits : robot->state->actual_digital_input_bits;
    pen_styled(&pen, dim, is_output ? "outputs" : "inputs");
    pen_to(&pen, 1 + NAME_WIDTH);
    if (!lamps_known(robot, is_output)) {
        pen_styled(&pen, dim, absent);
        return;
    }
    for (size_t i = 0; (lamps = lamps_at(robot->generation, i)); i++) {
        if (lamps->is_output != is_output)
            continue;
        pen_say(&pen, "%s ", lamps->name);
        for (unsigned k = 0; k < lamps->count; k++)
            pen_lamp(&pen, body->view->is_ascii, bits >> (lamps->first + k) & 1, true);
        pen_put(&pen, "  ");
    }
}

static void draw_edge(struct body *body)
{
    if (!lamps_known(body->robot, false) && !lamps_known(body->robot, true))
        return;
    struct pen pen = body_line(body);
    pen_styled(&pen, dim, "last edge");
    pen_to(&pen, 1 + NAME_WIDTH);
    if (body->robot->edge.time == ARMTAP_NO_TIME)
        pen_styled(&pen, dim, "none so far");
    else
        pen_edge(&pen, body, &body->robot->edge);
}

static void put_silence(struct pen *pen, const struct body *body, double silent)
{
    char span[SPAN_MAX];
    const char *reason = silence_reason(body->robot->silence);
    pen->style = painted(PAINT_BAD);
    pen_say(pen, "none for %s%s%s", span_say(span, silent), reason ? ": " : "", reason ? reason : "");
}

static void put_arrival(struct pen *pen, const struct body *body, const struct watch_stream *stream)
{
    const struct armtap_rates_totals *rates = &stream->rates;
    pen_say(pen, "%s %.1f", armtap_protocol_name(stream->protocol), stream_rate(stream, body->scene->now));
    if (rates->expected_hz > 0)
        pen_say(pen, " of %.0f", rates->expected_hz);
    pen_put(pen, " Hz");
    if (rates->jitter_p99 >= 0)
        pen_say(pen, "  jitter %.1f%s", (double)rates->jitter_p99 / 1e6, isnan(stream->late) ? " ms" : "");
    if (!isnan(stream->late))
        pen_say(pen, "  late %.1f ms", stream->late * 1000);
    pen->style = rates->skipped > 0 ? painted(PAINT_WARNING) : plain;
    pen_say(pen, "  skipped %" PRIu64, rates->skipped);
    pen->style = stream->bytes_lost > 0 ? painted(PAINT_WARNING) : plain;
    pen_say(pen, "  lost %" PRIu64 "%s", stream->bytes_lost, stream->bytes_lost > 0 ? " B" : "");
}

static void draw_data(struct body *body)
{
    struct pen pen = body_line(body);
    const struct watch_stream *stream = robot_stream(body->robot, body->scene->now);
    double silent = silence_of_robot(body->robot, body->scene->now);
    pen_styled(&pen, dim, "data");
    pen_to(&pen, 1 + NAME_WIDTH);
    if (silent > 0 || !stream)
        put_silence(&pen, body, silent);
    else
        put_arrival(&pen, body, stream);
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* What the lines above do not show: connections that end and modes that change are only on the page of findings. */
static bool is_worth_a_line(const struct armtap_note_kind *kind)
{
    return kind->severity > ARMTAP_INFO || strncmp(kind->id, "ur.", 3) == 0;
}

static void put_finding(struct pen *pen, const struct body *body, const struct watch_finding *line)
{
    char clock[CELL_MAX];
    pen_styled(pen, dim, cell_clock(clock, line->time, body->view->zone));
    pen_put(pen, " ");
    pen->style = painted(text_paint_of(line->kind->severity));
    if (body->scene->robot_count > 1 && line->robot[0] != '\0')
        pen_say(pen, "%s: ", line->robot);
    if (line->count > 1)
        pen_say(pen, "%" PRIu64 " x ", line->count);
    pen_put(pen, line->text);
}

static void draw_newest(struct body *body)
{
    const struct watch_found *found = &body->scene->found;
    for (size_t i = 0; i < found->count && body->row < body->end; i++) {
        const struct watch_finding *line = &found->findings[found->order[i]];
        if (!is_worth_a_line(line->kind))
            continue;
        struct pen pen = body_line(body);
        pen.end--;
        put_finding(&pen, body, line);
    }
}

void page_robot(struct body *body)
{
    draw_modes(body);
    draw_joints(body);
    draw_tool(body);
    draw_lamps(body, false);
    draw_lamps(body, true);
    draw_edge(body);
    draw_data(body);
    if (body->end - body->row > 6)
        body->row++;
    draw_newest(body);
}

/* ---- joints, each quantity by itself ----------------------------------------------------------------------------- */

static const struct {
    enum curve curve;
    enum armtap_field_id field;
    const char *title, *unit;
    int decimals;
    bool is_angle;
    double floor; /* range of the curve, in the unit of the field */
} quantities[] = {
    {CURVE_POSITION, ARMTAP_ID_actual_q, "position", "degree", 2, true, 0.02},
    {CURVE_SPEED, ARMTAP_ID_actual_qd, "speed", "degree/s", 1, true, 0.1},
    {CURVE_CURRENT, ARMTAP_ID_actual_current, "current", "A", 2, false, 0.5},
    {CURVE_TEMPERATURE, ARMTAP_ID_joint_temperatures, "temperature", "C", 1, false, 2},
};

/* In rows of two quantities each: of a joint the number and its curve. */
static void draw_quantity(struct pen *pen, const struct body *body, size_t which, unsigned joint, int columns)
{
    double scale = quantities[which].is_angle ? DEGREES : 1;
    double number = robot_number(body->robot, quantities[which].field, joint) * scale;
    pen_number(pen, style_of(body, quantities[which].field, joint), 9, quantities[which].decimals, number);
    pen_put(pen, " ");
    pen_curve(pen, body, quantities[which].curve, joint, columns, quantities[which].floor);
}

static void draw_pair(struct body *body, size_t first)
{
    int half = (body->sheet->columns - NAME_WIDTH - 3) / 2, curve = half - 12;
    struct pen pen = body_line(body);
    pen.style = painted(PAINT_HEADING);
    pen_put(&pen, "joint");
    for (size_t i = first; i < first + 2; i++) {
        pen_to(&pen, 1 + NAME_WIDTH + (int)(i - first) * half);
        pen_say(&pen, "%s, %s", quantities[i].title, quantities[i].unit);
    }
    if (first == 0)
        pen_say(&pen, "  (curves: last %.0f s)", curve_span(body->robot, body->scene->now));
    for (unsigned joint = 0; joint < JOINTS; joint++) {
        pen = body_line(body);
        put_joint_name(&pen, joint);
        draw_quantity(&pen, body, first, joint, curve);
        pen_to(&pen, 1 + NAME_WIDTH + half);
        draw_quantity(&pen, body, first + 1, joint, curve);
    }
}

void page_joints(struct body *body)
{
    char digits[MODE_DIGITS];
    draw_pair(body, 0);
    draw_pair(body, 2);
    struct pen pen = body_line(body);
    if (!robot_has(body->robot, ARMTAP_ID_joint_mode))
        return;
    pen_styled(&pen, dim, "modes");
    pen_to(&pen, 1 + NAME_WIDTH);
    for (unsigned i = 0; i < JOINTS; i++) {
        int64_t value = (int64_t)robot_number(body->robot, ARMTAP_ID_joint_mode, i);
        const char *name = armtap_enum_name(armtap_field_at(ARMTAP_ID_joint_mode), value, body->robot->generation);
        snprintf(digits, sizeof digits, "%" PRId64, value);
        pen_styled(&pen, style_of(body, ARMTAP_ID_joint_mode, i), name ? name : digits);
        pen_put(&pen, " ");
    }
}
