/* A stop of a robot in one table, in order of time: positions, currents and forces of the arm, and what all connections
 * of that robot show. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cell_text.h"
#include "diagnosis.h"
#include "base/word_wrap.h"

#define FINDINGS_MAX 60 /* in a table */
#define VALUE_COLUMN 13

static const struct vector {
    const char *name;
    const char *axes[6];
    int digits;
} vectors[ARMTAP_STOP_VECTORS] = {
    {"position", {"base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3"}, 4},
    {"current", {"base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3"}, 2},
    {"force", {"x", "y", "z", "rx", "ry", "rz"}, 2},
};

/* What is printed next. */
struct place {
    unsigned row;
    size_t finding;
};

static const char *robot_of(const struct diagnosis *diagnosis, uint32_t stream)
{
    const struct armtap_stream_summary *summary =
        stream == ARMTAP_NO_STREAM ? NULL : armtap_streams_at(diagnosis->streams, stream);
    return summary ? summary->stream->robot : "";
}

/* Length of the address before the port. */
static int host_length(const char *end)
{
    const char *colon = strrchr(end, ':');
    return (int)(colon ? (size_t)(colon - end) : strlen(end));
}

static bool is_of_robot(const struct diagnosis *diagnosis, uint32_t stream, const char *robot)
{
    const char *other = robot_of(diagnosis, stream);
    int length = host_length(robot);
    return length > 0 && host_length(other) == length && memcmp(other, robot, (size_t)length) == 0;
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

static bool belongs(const struct diagnosis *diagnosis, const struct armtap_stop_window *window,
                    const struct armtap_finding *finding)
{
    const struct armtap_where *stop = place_of_stop(window), *where = &finding->where;
    if (!is_of_robot(diagnosis, finding->stream, robot_of(diagnosis, window->stream)))
        return false;
    if (stop->time == ARMTAP_NO_TIME || where->time == ARMTAP_NO_TIME)
        return where->file == stop->file && where->packet == stop->packet;
    return where->time >= armtap_time_shift(stop->time, -diagnosis->reach) &&
           where->time <= armtap_time_shift(stop->time, diagnosis->reach);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The time after the stop and the stream; returns the column. */
static int print_place(const struct armtap_where *stop, const struct armtap_where *where, uint32_t stream)
{
    char after[CELL_MAX] = "-";
    if (where->time != ARMTAP_NO_TIME && stop->time != ARMTAP_NO_TIME)
        snprintf(after, sizeof after, "%+.3f", ((double)where->time - (double)stop->time) / 1e9);
    return printf("  %8s %2" PRIu32, after, stream);
}

static void print_vector(const struct armtap_stop_row *row, enum armtap_stop_vector vector)
{
    printf(" %-8s", vectors[vector].name);
    for (int i = 0; i < 6; i++)
        printf(" %8.*f", vectors[vector].digits, cell_without_sign(row->value[vector][i], vectors[vector].digits));
    putchar('\n');
}

static void print_arm(const struct armtap_stop_window *window, const struct armtap_stop_row *row)
{
    bool is_first = true;
    for (int vector = 0; vector < ARMTAP_STOP_VECTORS; vector++) {
        if (!row->has[vector])
            continue;
        if (is_first)
            print_place(place_of_stop(window), &row->where, window->stream);
        else
            printf("%*s", VALUE_COLUMN, "");
        print_vector(row, (enum armtap_stop_vector)vector);
        is_first = false;
    }
}

static void print_finding(const struct armtap_stop_window *window, const struct armtap_finding *finding)
{
    int column = print_place(place_of_stop(window), &finding->where, finding->stream);
    struct text_wrap wrap = text_wrap_begin(stdout, column, VALUE_COLUMN + 1);
    text_wrap_word(&wrap, finding->kind->id);
    text_wrap_words(&wrap, finding->text);
    text_wrap_end(&wrap);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void print_axes(const struct armtap_stop_window *window)
{
    const char *const *before = NULL;
    for (int vector = 0; vector < ARMTAP_STOP_VECTORS; vector++) {
        const char *const *axes = vectors[vector].axes;
        if (!window->rows[window->at].has[vector] || (before && strcmp(axes[0], before[0]) == 0))
            continue;
        printf("  %8s %2s %-8s", before ? "" : "after, s", before ? "" : "#", "");
        for (int i = 0; i < 6; i++)
            printf(" %8s", axes[i]);
        putchar('\n');
        before = axes;
    }
}

/* The next finding of the robot from this one on; the number of findings without one. */
static size_t next_finding(const struct diagnosis *diagnosis, const struct armtap_stop_window *window, size_t from)
{
    size_t count = armtap_diagnosis_finding_count(diagnosis->found);
    while (from < count && !belongs(diagnosis, window, armtap_diagnosis_finding_at(diagnosis->found, from)))
        from++;
    return from;
}

static void print_rows(const struct diagnosis *diagnosis, const struct armtap_stop_window *window)
{
    size_t findings = armtap_diagnosis_finding_count(diagnosis->found), printed = 0, more = 0;
    struct place at = {0, next_finding(diagnosis, window, 0)};
    while (at.row < window->count || at.finding < findings) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, at.finding);
        if (!finding || (at.row < window->count && !is_before(&finding->where, &window->rows[at.row].where))) {
            print_arm(window, &window->rows[at.row++]);
            continue;
        }
        if (printed < FINDINGS_MAX)
            print_finding(window, finding);
        else
            more++;
        printed++;
        at.finding = next_finding(diagnosis, window, at.finding + 1);
    }
    if (more > 0)
        printf("  and %zu more findings: see the list above\n", more);
}

void diagnosis_print_stops(const struct diagnosis *diagnosis)
{
    bool any = false;
    for (size_t i = 0; i < armtap_diagnosis_stop_count(diagnosis->found); i++) {
        const struct armtap_stop_window *window = armtap_diagnosis_stop_at(diagnosis->found, i);
        const struct armtap_where *stop = place_of_stop(window);
        char clock[CELL_MAX], of[16] = "";
        if (window->arm > 1)
            snprintf(of, sizeof of, ", R%u,", window->arm);
        printf("\nstream %" PRIu32 "%s around the stop in packet %" PRIu64 ", %s\n", window->stream, of, stop->packet,
               cell_clock(clock, stop->time, diagnosis->zone));
        print_axes(window);
        print_rows(diagnosis, window);
        any = true;
    }
    if (any)
        puts("\n  # is the stream; positions in rad, currents in A, forces in N, torques in Nm");
}
