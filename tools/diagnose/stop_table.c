/* A stop of a robot in one table, in order of time: positions, currents and forces of the arm, and what all connections
 * of that robot show. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "base/terminal/fold.h"
#include "input/stream_rank.h"
#include "analysis/inside.h"

#define FINDINGS_MAX 60 /* in a table */
#define VALUE_COLUMN 13
#define NARROW_COLUMNS 60 /* terminals with fewer have little room behind VALUE_COLUMN */
#define NARROW_INDENT 4
#define COMMANDS_MAX 120 /* rows of drivers in a table */

static const struct vector {
    const char *name;
    const char *axes[6];
    int digits;
} vectors[ARMTAP_STOP_VECTORS] = {
    {"position", {"base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3"}, 4},
    {"current", {"base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3"}, 2},
    {"force", {"x", "y", "z", "rx", "ry", "rz"}, 2},
    {"command", {"base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3"}, 4},
};

/* A driver's command to the robot that stopped. */
struct command_row {
    const struct armtap_stop_row *row;
    uint32_t stream;
};

struct command_rows {
    struct command_row all[COMMANDS_MAX];
    size_t count;
};

/* What is printed next. */
struct place {
    unsigned row;
    size_t finding, command;
};

static const char *robot_of(const struct diagnosis *diagnosis, uint32_t stream)
{
    const struct armtap_stream_summary *summary =
        stream == ARMTAP_NO_STREAM ? NULL : armtap_streams_at(diagnosis->streams, stream);
    return summary ? summary->stream->robot : "";
}

/* In order of packets where times are missing. */
static bool is_before(const struct armtap_where *one, const struct armtap_where *other)
{
    if (one->time != ARMTAP_NO_TIME && other->time != ARMTAP_NO_TIME && one->time != other->time)
        return one->time < other->time;
    return one->file != other->file ? one->file < other->file : one->packet < other->packet;
}

static const struct armtap_where *place_of_stop(const struct armtap_stop_window *window)
{
    return &window->rows[window->at].where;
}

static bool belongs(const struct diagnosis *diagnosis, const struct armtap_stop_window *window, uint32_t stream,
                    const struct armtap_where *where)
{
    const struct armtap_where *stop = place_of_stop(window);
    if (!stream_same_host(robot_of(diagnosis, stream), robot_of(diagnosis, window->stream)))
        return false;
    if (stop->time == ARMTAP_NO_TIME || where->time == ARMTAP_NO_TIME)
        return where->file == stop->file && where->packet == stop->packet;
    return where->time >= armtap_time_shift(stop->time, -diagnosis->reach) &&
           where->time <= armtap_time_shift(stop->time, diagnosis->reach);
}

static int by_place(const void *a, const void *b)
{
    const struct command_row *one = a, *other = b;
    return is_before(&other->row->where, &one->row->where) - is_before(&one->row->where, &other->row->where);
}

/* What drivers commanded around the stop. */
static void collect_commands(const struct diagnosis *diagnosis, const struct armtap_stop_window *window,
                             struct command_rows *commands)
{
    const struct armtap_stop_window *other;
    commands->count = 0;
    for (size_t i = 0; (other = armtap_diagnosis_stop_at(diagnosis->found, i)); i++)
        for (unsigned k = 0; other->has_commands && k < other->count && commands->count < COMMANDS_MAX; k++)
            if (belongs(diagnosis, window, other->stream, &other->rows[k].where))
                commands->all[commands->count++] = (struct command_row){&other->rows[k], other->stream};
    qsort(commands->all, commands->count, sizeof *commands->all, by_place);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static struct text_row begin_row(enum text_paint paint, const char *after, const char *stream)
{
    struct text_row line = text_row_begin(stdout, NARROW_INDENT, 1);
    line.paint = paint;
    text_row_cell(&line, 10, after);
    text_row_cell(&line, 2, stream);
    return line;
}

/* The time after the stop and the stream. */
static struct text_row begin_place(const struct armtap_where *stop, const struct armtap_where *where, uint32_t stream)
{
    char after[CELL_MAX] = "-", number[CELL_MAX];
    if (where->time != ARMTAP_NO_TIME && stop->time != ARMTAP_NO_TIME)
        snprintf(after, sizeof after, "%+.3f", ((double)where->time - (double)stop->time) / 1e9);
    snprintf(number, sizeof number, "%" PRIu32, stream);
    return begin_row(PAINT_NONE, after, number);
}

static void end_numbers(struct text_row *line, const struct armtap_stop_row *row, enum armtap_stop_vector vector,
                        const char *name)
{
    char number[CELL_MAX];
    int digits = vectors[vector].digits;
    text_row_cell(line, -8, name);
    for (int i = 0; i < 6; i++) {
        text_row_cell(line, 8, cell_number(number, row->value[vector][i], digits));
    }
    text_row_end(line);
}

static void print_arm(const struct armtap_stop_window *window, const struct armtap_stop_row *row)
{
    bool is_first = true;
    for (int vector = 0; vector < ARMTAP_STOP_COMMAND; vector++) {
        if (!row->has[vector])
            continue;
        struct text_row line =
            is_first ? begin_place(place_of_stop(window), &row->where, window->stream) : begin_row(PAINT_NONE, "", "");
        end_numbers(&line, row, (enum armtap_stop_vector)vector, vectors[vector].name);
        is_first = false;
    }
}

static void print_command(const struct armtap_stop_window *window, const struct command_row *command)
{
    const struct armtap_stop_row *row = command->row;
    struct text_row line = begin_place(place_of_stop(window), &row->where, command->stream);
    if (row->has[ARMTAP_STOP_COMMAND]) {
        end_numbers(&line, row, ARMTAP_STOP_COMMAND, row->mode);
        return;
    }
    text_row_cell(&line, 0, "command");
    text_row_cell(&line, 0, row->mode);
    text_row_end(&line);
}

static void print_finding(const struct diagnosis *diagnosis, const struct armtap_stop_window *window,
                          const struct armtap_finding *finding)
{
    char text[ARMTAP_FINDING_TEXT_MAX];
    struct text_row line = begin_place(place_of_stop(window), &finding->where, finding->stream);
    struct text_wrap wrap =
        text_row_wrap(&line, text_columns(stdout) < NARROW_COLUMNS ? NARROW_INDENT : VALUE_COLUMN + 1);
    text_wrap_word(&wrap, finding->kind->id);
    finding_say(diagnosis, finding, text, sizeof text);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void print_axes(const struct armtap_stop_window *window)
{
    const char *const *before = NULL;
    for (int vector = 0; vector < ARMTAP_STOP_COMMAND; vector++) {
        const char *const *axes = vectors[vector].axes;
        if (!window->rows[window->at].has[vector] || (before && strcmp(axes[0], before[0]) == 0))
            continue;
        struct text_row line = begin_row(PAINT_HEADING, before ? "" : "after, s", before ? "" : "#");
        text_row_cell(&line, -8, "");
        for (int i = 0; i < 6; i++)
            text_row_cell(&line, 8, axes[i]);
        text_row_end(&line);
        before = axes;
    }
}

/* The next finding of the robot from this one on; the number of findings without one. */
static size_t next_finding(const struct diagnosis *diagnosis, const struct armtap_stop_window *window, size_t from)
{
    size_t count = armtap_diagnosis_finding_count(diagnosis->found);
    for (; from < count; from++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, from);
        if (belongs(diagnosis, window, finding->stream, &finding->where))
            break;
    }
    return from;
}

/* Whether a place comes before the next row of the arm, if there is one. */
static bool is_next(const struct armtap_stop_window *window, unsigned row, const struct armtap_where *where)
{
    return row == window->count || is_before(where, &window->rows[row].where);
}

static void print_rows(const struct diagnosis *diagnosis, const struct armtap_stop_window *window,
                       const struct command_rows *commands)
{
    size_t printed = 0, more = 0;
    struct place at = {.finding = next_finding(diagnosis, window, 0)};
    for (;;) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, at.finding);
        const struct command_row *command = at.command < commands->count ? &commands->all[at.command] : NULL;
        if (command && is_next(window, at.row, &command->row->where) &&
            (!finding || !is_before(&finding->where, &command->row->where))) {
            print_command(window, command);
            at.command++;
        } else if (finding && is_next(window, at.row, &finding->where)) {
            if (printed++ < FINDINGS_MAX)
                print_finding(diagnosis, window, finding);
            else
                more++;
            at.finding = next_finding(diagnosis, window, at.finding + 1);
        } else if (at.row < window->count) {
            print_arm(window, &window->rows[at.row++]);
        } else {
            break;
        }
    }
    if (more > 0)
        text_line(stdout, 4, "  and %zu more findings: see the list above", more);
}

static void print_stop(const struct diagnosis *diagnosis, const struct armtap_stop_window *window)
{
    const struct armtap_where *stop = place_of_stop(window);
    struct command_rows commands;
    char clock[CELL_MAX], of[16] = "", title[120 + CELL_MAX];
    if (window->arm > 1)
        snprintf(of, sizeof of, ", R%u,", window->arm);
    snprintf(title, sizeof title, "\nstream %" PRIu32 "%s around the stop in packet %" PRIu64 ", %s", window->stream,
             of, stop->packet, cell_clock(clock, stop->time, diagnosis->zone));
    text_heading(stdout, 2, title);
    collect_commands(diagnosis, window, &commands);
    print_axes(window);
    print_rows(diagnosis, window, &commands);
}

void diagnosis_print_stops(const struct diagnosis *diagnosis)
{
    const struct armtap_stop_window *window;
    bool any = false, has_commands = false;
    for (size_t i = 0; (window = armtap_diagnosis_stop_at(diagnosis->found, i)); i++) {
        has_commands = has_commands || window->has_commands;
        if (window->has_commands)
            continue;
        print_stop(diagnosis, window);
        any = true;
    }
    if (any)
        text_line(stdout, 4, "\n  # is the stream; positions in rad, currents in A, forces in N, torques in Nm");
    if (has_commands)
        text_line(stdout, 4,
                  "  a driver's commands by their mode: SERVOJ in rad, SPEEDJ in rad/s, SPEEDL in m/s and rad/s, POSE "
                  "in m and rad,\n  TORQUE in Nm");
}
