/* What pages draw: numbers, words with their colours, bars, curves, lamps. */
#define _GNU_SOURCE /* strcasestr */
#include "pages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/inside.h"
#include "base/os/names.h"
#include "diagnose/diagnosis.h"

/* s without data that are worth a word. */
#define SILENT 0.5
/* ns that a curve shows at least. */
#define CURVE_LEAST (2 * SECOND)
#define NUMBER_TEXT 48

struct pen body_line(struct body *body)
{
    int row = body->row < body->end ? body->row : body->sheet->rows;
    body->row++;
    return pen_at(body->sheet, row, 1);
}

void body_heading(struct body *body, const char *text)
{
    struct pen pen = body_line(body);
    pen.style = painted(PAINT_HEADING);
    pen_put(&pen, text);
}

struct style style_of(const struct body *body, unsigned field, unsigned element)
{
    return robot_is_still(body->robot, field, element, body->scene->now) ? dim : plain;
}

void pen_number(struct pen *pen, struct style style, int width, int decimals, double number)
{
    char text[NUMBER_TEXT];
    int end = pen->column + width;
    if (isnan(number))
        snprintf(text, sizeof text, "%*s", width, "-");
    else
        snprintf(text, sizeof text, "%*.*f", width, decimals, fabs(number) < pow(10, -decimals) / 2 ? 0 : number);
    if (strlen(text) > (size_t)width)
        snprintf(text, sizeof text, "%*.*e", width, width > 9 ? 2 : 0, number);
    pen_styled(pen, style, text);
    pen_to(pen, end);
}

const char *span_say(char to[SPAN_MAX], double seconds)
{
    unsigned long whole = seconds < 1e9 ? (unsigned long)seconds : 1000000000UL;
    if (seconds < 60)
        snprintf(to, SPAN_MAX, "%.1f s", seconds);
    else if (whole < 3600)
        snprintf(to, SPAN_MAX, "%lu min %lu s", whole / 60, whole % 60);
    else
        snprintf(to, SPAN_MAX, "%lu h %lu min", whole / 3600, whole / 60 % 60);
    return to;
}

void pen_since(struct pen *pen, const struct body *body, unsigned field)
{
    char clock[CELL_MAX];
    if (!armtap_set_has(&body->robot->changed_ever, field))
        return;
    pen_say(pen, "since %s", cell_clock(clock, robot_changed(body->robot, field, 0), body->view->zone));
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Whether a name contains one of these words, in capitals or not: UR writes capitals, AUBO does not. */
static bool is_any_of(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strcasestr(name, *words))
            return true;
    return false;
}

static const char *const good_words[] = {"RUNNING", "NORMAL", "PLAYING", NULL};
static const char *const bad_words[] = {"STOP", "VIOLATION", "FAULT", "UNDEFINED", NULL};

/* What is old may no longer be so: it has no colour. */
static void paint_word(struct word *word, const struct watch_robot *robot, unsigned field, int64_t now,
                       const char *const *bad)
{
    word->field = field;
    word->age = robot_field_age(robot, field, now);
    word->paint = !word->text || word->age > 0        ? PAINT_NONE
                  : is_any_of(word->text, bad)        ? PAINT_BAD
                  : is_any_of(word->text, good_words) ? PAINT_GOOD
                                                      : PAINT_WARNING;
}

static void say_word(struct word *word, const struct watch_robot *robot, unsigned field, int64_t now,
                     const char *const *bad)
{
    word->text = robot_mode_name(robot, field, word->digits);
    paint_word(word, robot, field, now, bad);
}

void word_of_mode(struct word *word, const struct watch_robot *robot, int64_t now)
{
    static const char *const bad[] = {"STOP", "FATAL", "ERROR", "NO_CONTROLLER", "NOT_CONNECTED", "DISCONNECTED", NULL};
    say_word(word, robot, ARMTAP_ID_robot_mode, now, bad);
}

/* Of the safety's bits: the first that stops the arm, else the last. */
static void say_bits(struct word *word, const struct watch_robot *robot, int64_t now)
{
    const struct armtap_field *field = armtap_field_at(ARMTAP_ID_safety_status_bits);
    uint64_t bits = (uint64_t)robot_number(robot, ARMTAP_ID_safety_status_bits, 0);
    const struct armtap_enum_value *bit;
    word->text = NULL;
    for (size_t i = 0; (bit = armtap_enum_at(field, i)); i++)
        if ((bits >> bit->value & 1) != 0 && !(word->text && is_any_of(word->text, bad_words)))
            word->text = bit->name;
    paint_word(word, robot, ARMTAP_ID_safety_status_bits, now, bad_words);
}

/* The first that the robot sends now, else the first that it has sent. */
void word_of_safety(struct word *word, const struct watch_robot *robot, int64_t now)
{
    static const enum armtap_field_id fields[] = {ARMTAP_ID_safety_status, ARMTAP_ID_safety_mode,
                                                  ARMTAP_ID_safety_status_bits};
    size_t count = sizeof fields / sizeof *fields, chosen = count;
    for (size_t i = count; i-- > 0;)
        if (robot_has(robot, fields[i]))
            chosen = i;
    for (size_t i = count; i-- > 0;)
        if (robot_has(robot, fields[i]) && robot_field_age(robot, fields[i], now) <= 0)
            chosen = i;
    if (chosen + 1 == count)
        say_bits(word, robot, now);
    else
        say_word(word, robot, chosen == count ? ARMTAP_ID_safety_mode : fields[chosen], now, bad_words);
}

void word_of_program(struct word *word, const struct watch_robot *robot, int64_t now)
{
    static const char *const bad[] = {NULL};
    say_word(word, robot, ARMTAP_ID_runtime_state, now, bad);
    if ((word->text && word->age <= 0) || !robot_has(robot, ARMTAP_ID_primary_is_program_running) ||
        (word->text && robot_field_age(robot, ARMTAP_ID_primary_is_program_running, now) > 0))
        return;
    bool runs = robot_number(robot, ARMTAP_ID_primary_is_program_running, 0) != 0;
    bool is_paused = robot_number(robot, ARMTAP_ID_primary_is_program_paused, 0) > 0;
    word->field = is_paused ? ARMTAP_ID_primary_is_program_paused : ARMTAP_ID_primary_is_program_running;
    word->age = robot_field_age(robot, word->field, now);
    word->text = is_paused ? "PAUSED" : runs ? "PLAYING" : "STOPPED";
    word->paint = word->age > 0 ? PAINT_NONE : runs && !is_paused ? PAINT_GOOD : PAINT_WARNING;
}

double silence_of_robot(const struct watch_robot *robot, int64_t now)
{
    double age = robot_age(robot, now);
    if (isnan(age) && robot->silent_since != ARMTAP_NO_TIME && now != ARMTAP_NO_TIME)
        age = fmax((double)(now - robot->silent_since) / 1e9, SILENT);
    return age >= SILENT ? age : 0;
}

const char *silence_reason(enum silence silence)
{
    static const char *const reasons[] = {
        [SILENCE_UNKNOWN] = NULL,
        [SILENCE_CLOSED_BY_ROBOT] = "the robot closed the connection",
        [SILENCE_CLOSED_BY_CLIENT] = "the client closed the connection",
        [SILENCE_RESET] = "the connection was reset",
        [SILENCE_REFUSED] = "the robot refuses the connection",
        [SILENCE_UNANSWERED] = "the robot does not answer",
        [SILENCE_UNREACHABLE] = "the robot cannot be reached",
        [SILENCE_PAUSED] = "the client paused the data",
    };
    return reasons[silence];
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Pieces of bars, from empty to full, and of gauges and lamps. */
struct glyphs {
    const char *bar[9], *rise[9], *line, *mark, *on, *off, *unknown;
};
static const struct glyphs all_glyphs[] = {
    {{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
     {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
     "─",
     "█",
     "●",
     "○",
     "·"},
    {{" ", " ", " ", " ", "#", "#", "#", "#", "#"},
     {" ", "_", "_", ".", ".", "-", "=", "=", "#"},
     "-",
     "#",
     "X",
     "o",
     "."},
};

void pen_bar(struct pen *pen, bool is_ascii, struct style style, int columns, double share)
{
    const struct glyphs *glyphs = &all_glyphs[is_ascii];
    int eighths = isnan(share) ? 0 : (int)lround(fmin(fmax(share, 0), 1) * 8 * columns);
    pen_styled(pen, dim, "[");
    for (int i = 0; i < columns; i++) {
        int piece = eighths - 8 * i < 0 ? 0 : eighths - 8 * i > 8 ? 8 : eighths - 8 * i;
        pen_styled(pen, style, glyphs->bar[piece]);
    }
    pen_styled(pen, dim, "]");
}

void pen_gauge(struct pen *pen, bool is_ascii, struct style style, int columns, double share)
{
    const struct glyphs *glyphs = &all_glyphs[is_ascii];
    int at = isnan(share) ? -1 : (int)(fmin(fmax(share, 0), 0.999999) * columns);
    pen_styled(pen, dim, "[");
    for (int i = 0; i < columns; i++)
        pen_styled(pen, i == at ? style : dim, i == at ? glyphs->mark : i == columns / 2 ? "+" : glyphs->line);
    pen_styled(pen, dim, "]");
}

void pen_lamp(struct pen *pen, bool is_ascii, bool is_on, bool is_dim)
{
    struct style style = is_on ? painted(PAINT_GOOD) : plain;
    style.is_dim = is_dim && !is_on;
    pen_styled(pen, style, is_on ? all_glyphs[is_ascii].on : all_glyphs[is_ascii].off);
}

/* The point of the curve that is farthest from 0 in these slots. */
static double extreme_of(const struct curves *curves, enum curve curve, unsigned joint, int64_t from, int64_t to)
{
    double extreme = NAN;
    for (int64_t slot = from; slot < to; slot++) {
        if (slot < 0 || slot > curves->slot || slot <= curves->slot - WATCH_POINTS)
            continue;
        double value = (double)curves->points[curve][joint][slot % WATCH_POINTS];
        if (isnan(extreme) || fabs(value) > fabs(extreme))
            extreme = isnan(value) ? extreme : value;
    }
    return extreme;
}

double curve_span(const struct watch_robot *robot, int64_t now)
{
    int64_t known = robot->first == ARMTAP_NO_TIME ? 0 : armtap_time_between(robot->first, now);
    int64_t span = known < CURVE_LEAST ? CURVE_LEAST : known < WATCH_SPAN ? known : WATCH_SPAN;
    return (double)((span + SECOND - 1) / SECOND);
}

/* The values of a curve's columns, and between which they lie. */
struct drawn {
    double values[WATCH_POINTS], least, most;
};

static void find_curve(struct drawn *drawn, const struct body *body, enum curve curve, unsigned joint, int columns)
{
    int64_t points = (int64_t)curve_span(body->robot, body->scene->now) * SECOND / WATCH_POINT;
    int64_t end = body->scene->now / WATCH_POINT + 1;
    drawn->least = INFINITY;
    drawn->most = -INFINITY;
    for (int i = 0; i < columns; i++) {
        int64_t from = end - points + i * points / columns, to = end - points + (i + 1) * points / columns;
        double value = extreme_of(&body->robot->curves, curve, joint, from, to > from ? to : from + 1);
        drawn->values[i] = curve == CURVE_SPEED ? fabs(value) : value;
        drawn->least = fmin(drawn->least, drawn->values[i]);
        drawn->most = fmax(drawn->most, drawn->values[i]);
    }
    if (curve == CURVE_SPEED)
        drawn->least = 0;
}

void pen_curve(struct pen *pen, const struct body *body, enum curve curve, unsigned joint, int columns, double least)
{
    const struct glyphs *glyphs = &all_glyphs[body->view->is_ascii];
    struct drawn drawn;
    columns = columns > WATCH_POINTS ? WATCH_POINTS : columns;
    find_curve(&drawn, body, curve, joint, columns);
    double range = fmax(drawn.most - drawn.least, least);
    for (int i = 0; i < columns; i++) {
        double share = (drawn.values[i] - drawn.least) / range;
        pen_put(pen, glyphs->rise[isnan(share) ? 0 : 1 + (int)(7.999 * fmin(fmax(share, 0), 1))]);
    }
}

struct limits limits_of(const struct watch_robot *robot, unsigned joint)
{
    const double turn = 2 * acos(-1);
    double least = robot_number(robot, ARMTAP_ID_primary_joint_min_limit, joint);
    double most = robot_number(robot, ARMTAP_ID_primary_joint_max_limit, joint);
    double speed = robot_number(robot, ARMTAP_ID_primary_joint_max_speed, joint);
    struct limits limits = {-turn, turn, turn / 2};
    if (least < most && isfinite(most - least)) {
        limits.least = least;
        limits.most = most;
    }
    if (speed > 0 && isfinite(speed))
        limits.speed = speed;
    return limits;
}
