/* From a reading to a chart: which robot and streams are shown, and in which panels. */
#define _POSIX_C_SOURCE 200809L
#include "chart.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/armtap-analysis.h"
#include "base/os/names.h"
#include "base/text/comma_list.h"
#include "base/process/message.h"
#include "command_line/shared_text.h"
#include "input/files/file_reader.h"
#include "input/stream_rank.h"
#include "nanoseconds.h"
#include "plot_reading.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

#define TEXT_MAX 400
#define NUMBERS_MAX 40
#define SPAN_SLACK (SECOND / 2)

/* What chart_collect works on. */
struct layout {
    const struct chart_wish *wish;
    struct plot_reading *reading;
    const struct armtap_streams *streams;
    const char *robot; /* an address of the robot that is shown; "" for a raw dump */
    struct chart *chart;
    bool is_unread;   /* the reading failed, after a message */
    bool said_unkept; /* that modes changed too often to be kept */
};

/* ---- which robot ------------------------------------------------------------------------------------------------- */

static struct read_stream *stream_at(const struct layout *layout, size_t i)
{
    return i < layout->reading->streams.count ? layout->reading->streams.slots[i].thing : NULL;
}

static const struct armtap_stream_summary *summary_of(const struct layout *layout, const struct read_stream *stream)
{
    return armtap_streams_of(layout->streams, stream->connection);
}

static const struct labels *labels_of(const struct layout *layout)
{
    return layout->reading->source->labels;
}

/* Without its port, or by its name. */
static int put_robot(const struct layout *layout, const char *robot, char *text, size_t size)
{
    const char *name = labels_find(labels_of(layout), robot);
    return snprintf(text, size, "%.*s", name ? TEXT_MAX - 1 : stream_host(robot), name ? name : robot);
}

static bool is_of_robot(const struct layout *layout, const struct armtap_stream_summary *summary, const char *robot)
{
    return labels_are_one(labels_of(layout), summary->stream->robot, robot) ||
           strcmp(summary->stream->robot, robot) == 0;
}

static bool is_shown(const struct layout *layout, const struct read_stream *stream)
{
    const struct armtap_stream_summary *summary = summary_of(layout, stream);
    if (!summary || (layout->wish->has_stream && summary->number != layout->wish->stream))
        return false;
    return layout->wish->has_stream || is_of_robot(layout, summary, layout->robot);
}

static uint64_t records_of(const struct layout *layout, const char *robot)
{
    const struct read_stream *stream;
    uint64_t records = 0;
    for (size_t i = 0; (stream = stream_at(layout, i)); i++) {
        const struct armtap_stream_summary *summary = summary_of(layout, stream);
        if (summary && (stream->series.count > 0 || stream->is_continued) && is_of_robot(layout, summary, robot))
            records += stream->records;
    }
    return records;
}

/* The first finding that a picture is about: --around's, or a stop. NULL if there is none. */
static const struct armtap_finding *occasion_of(const struct layout *layout)
{
    const struct armtap_finding *finding;
    const char *id = layout->wish->around ? layout->wish->around->id : "safety.stop";
    for (size_t i = 0; (finding = armtap_diagnosis_finding_at(layout->reading->found, i)); i++)
        if (strcmp(finding->kind->id, id) == 0 && finding->stream != ARMTAP_NO_STREAM)
            return finding;
    return NULL;
}

static const char *robot_with_most_records(const struct layout *layout)
{
    const struct read_stream *stream;
    const char *robot = "";
    uint64_t most = 0;
    for (size_t i = 0; (stream = stream_at(layout, i)); i++) {
        const struct armtap_stream_summary *summary = summary_of(layout, stream);
        uint64_t records = summary ? records_of(layout, summary->stream->robot) : 0;
        if (records > most) {
            most = records;
            robot = summary->stream->robot;
        }
    }
    return robot;
}

/* Another robot with something to draw; NULL if there is none. */
static const struct armtap_stream_summary *other_robot(const struct layout *layout)
{
    const struct read_stream *stream;
    for (size_t i = 0; !layout->wish->has_stream && (stream = stream_at(layout, i)); i++)
        if (summary_of(layout, stream) && stream->series.count > 0 && !is_shown(layout, stream))
            return summary_of(layout, stream);
    return NULL;
}

/* One robot is shown: that of the stop, or the one with most records. */
static void choose_robot(struct layout *layout)
{
    const struct armtap_finding *occasion = occasion_of(layout);
    const struct armtap_stream_summary *of = occasion ? armtap_streams_at(layout->streams, occasion->stream) : NULL;
    bool has_occasion = of && records_of(layout, of->stream->robot) > 0;
    layout->robot = has_occasion ? of->stream->robot : robot_with_most_records(layout);
    const struct armtap_stream_summary *other = other_robot(layout);
    char robot[TEXT_MAX], other_name[TEXT_MAX];
    if (!other)
        return;
    put_robot(layout, layout->robot, robot, sizeof robot);
    put_robot(layout, other->stream->robot, other_name, sizeof other_name);
    layout->chart->is_partial = true;
    if (!layout->wish->is_for_page)
        message_warning(
            "only one robot is shown, %s, the %s%s; another one is stream %u, %s: choose it with --stream %u", robot,
            has_occasion ? "first with " : "one with most records", has_occasion ? occasion->kind->id : "",
            other->number, other_name, other->number);
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

/* Whether one stream's data spans the other's, but for what two clients differ by. */
static bool spans(const struct chart_stream *one, const struct chart_stream *other)
{
    return one->from <= armtap_time_shift(other->from, SPAN_SLACK) &&
           armtap_time_shift(other->to, -SPAN_SLACK) <= one->to;
}

/* Without --fields and --stream each field is shown once: from the stream that has it most often, and from those that
 * reach further than that one. */
static bool is_best(const struct layout *layout, const struct read_stream *of, const struct series *series)
{
    const struct read_stream *stream;
    const struct chart_stream *streams = layout->chart->streams;
    if (layout->wish->fields || layout->wish->has_stream)
        return true;
    for (size_t i = 0; (stream = stream_at(layout, i)); i++)
        for (size_t k = 0; stream->shown >= 0 && k < stream->series.count; k++) {
            const struct series *other = stream->series.all[k];
            if (strcmp(other->name, series->name) == 0 && spans(&streams[stream->shown], &streams[of->shown]) &&
                (other->values > series->values ||
                 (other->values == series->values && stream->connection < of->connection)))
                return false;
        }
    return true;
}

static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};

/* Poses, speeds, forces and accelerations of the tool have axes; other vectors of six have joints. */
static const char *element_name(const struct series *series, unsigned element, char text[16])
{
    unsigned of = series->field ? series->field->count : series->first + series->count;
    bool is_cartesian = of == 3 || strstr(series->name, "TCP") || strstr(series->name, "tool");
    if (of == 6 && !is_cartesian)
        return armtap_joint_name((int)element);
    if ((of == 3 || of == 6) && is_cartesian)
        return axes[element];
    snprintf(text, 16, "%u", element);
    return text;
}

static int fill_curves(struct chart_panel *panel, struct series *series)
{
    char text[16];
    unsigned of = series->first + series->count;
    panel->curves = calloc(SERIES_ELEMENTS, sizeof *panel->curves);
    if (!panel->curves)
        return -1;
    for (unsigned i = 0; i < SERIES_ELEMENTS; i++) {
        struct chart_curve *curve = &panel->curves[panel->count];
        if (!series->has[i] || series->points[i].count == 0)
            continue;
        curve->name = strdup(of > 1 && !series->is_norm ? element_name(series, i, text) : "");
        curve->colour = i;
        curve->points = series->points[i];
        series->points[i] = thinning_make(series->points[i].limit);
        if (!curve->name)
            return -1;
        panel->count++;
    }
    return 0;
}

/* The unit of the elements that are drawn: that of a pose is "m, rad", for its position and its rotation. */
static char *unit_of(const struct series *series)
{
    const char *unit = series->field ? series->field->unit : "", *second = strstr(unit, ", ");
    bool has_first = series->is_norm, has_second = false;
    for (unsigned i = 0; i < SERIES_ELEMENTS; i++) {
        has_first = has_first || (i < 3 && series->has[i]);
        has_second = has_second || (i >= 3 && series->has[i]);
    }
    if (!second || has_first == has_second)
        return strdup(unit);
    return has_second ? strdup(second + 2) : strndup(unit, (size_t)(second - unit));
}

static int add_panel(struct layout *layout, struct series *series, size_t stream)
{
    struct chart *chart = layout->chart;
    if (!MAKE_ROOM(chart->panels, chart->panel_count))
        return -1;
    struct chart_panel *panel = &chart->panels[chart->panel_count++];
    *panel = (struct chart_panel){.stream = stream};
    panel->caption = strdup(series->caption);
    panel->unit = unit_of(series);
    return panel->caption && panel->unit ? fill_curves(panel, series) : -1;
}

/* The series that follow those of lower rank, stream by stream. */
static int add_panels_of_rank(struct layout *layout, size_t rank)
{
    for (size_t s = 0; s < layout->chart->stream_count; s++) {
        const struct armtap_stream_summary *summary =
            armtap_streams_at(layout->streams, layout->chart->streams[s].first);
        struct read_stream *stream = by_connection_find(&layout->reading->streams, summary->stream->connection);
        for (size_t k = 0; k < stream->series.count; k++) {
            struct series *series = stream->series.all[k];
            if (series->rank == rank && series->values > 0 && is_best(layout, stream, series) &&
                add_panel(layout, series, s) != 0)
                return -1;
        }
    }
    return 0;
}

static size_t last_rank(const struct layout *layout)
{
    const struct read_stream *stream;
    size_t last = 0;
    for (size_t i = 0; (stream = stream_at(layout, i)); i++)
        for (size_t k = 0; k < stream->series.count; k++)
            last = stream->series.all[k]->rank > last ? stream->series.all[k]->rank : last;
    return last;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static struct read_stream *read_stream_of(const struct layout *layout, size_t number)
{
    const struct armtap_stream_summary *summary = armtap_streams_at(layout->streams, number);
    return by_connection_find(&layout->reading->streams, summary->stream->connection);
}

/* The stream that ended before this one began, with the same port of the robot; NULL if there is none. */
static struct chart_stream *stream_before(const struct layout *layout, const struct armtap_stream_summary *summary,
                                          const struct read_stream *stream)
{
    for (size_t i = layout->chart->stream_count; i-- > 0;) {
        struct chart_stream *before = &layout->chart->streams[i];
        const struct armtap_stream *first = armtap_streams_at(layout->streams, before->first)->stream;
        if (before->to <= stream->first && first->protocol == summary->stream->protocol &&
            strcmp(labels_name(labels_of(layout), first->robot),
                   labels_name(labels_of(layout), summary->stream->robot)) == 0)
            return before;
    }
    return NULL;
}

static struct chart_stream *begin_stream(struct layout *layout, const struct armtap_stream_summary *summary,
                                         struct read_stream *stream)
{
    struct chart *chart = layout->chart;
    if (!MAKE_ROOM(chart->streams, chart->stream_count))
        return NULL;
    struct chart_stream *added = &chart->streams[chart->stream_count++];
    *added = (struct chart_stream){.first = summary->number, .from = stream->first, .gaps = stream->gaps};
    stream->gaps = thinning_make(stream->gaps.limit);
    return added;
}

/* "0, 2"; not all if there are many. */
static int add_number(struct chart_stream *stream, unsigned number)
{
    char text[NUMBERS_MAX];
    const char *before = stream->numbers ? stream->numbers : "";
    size_t length = strlen(before);
    if (length + 20 >= sizeof text)
        snprintf(text, sizeof text, "%s%s", before, before[length - 1] == '.' ? "" : " ...");
    else
        snprintf(text, sizeof text, "%s%s%u", before, length ? ", " : "", number);
    free(stream->numbers);
    stream->numbers = strdup(text);
    return stream->numbers ? 0 : -1;
}

static int name_stream(const struct layout *layout, struct chart_stream *stream)
{
    char title[TEXT_MAX];
    const struct armtap_stream *of = armtap_streams_at(layout->streams, stream->first)->stream;
    const char *protocol = armtap_protocol_name(of->protocol);
    snprintf(title, sizeof title, "stream%s %s: %s%s%s", strchr(stream->numbers, ',') ? "s" : "", stream->numbers,
             protocol ? protocol : "", of->robot[0] ? ", " : "", labels_name(labels_of(layout), of->robot));
    stream->title = strdup(title);
    return stream->title ? 0 : -1;
}

static int add_stream(struct layout *layout, const struct armtap_stream_summary *summary, struct read_stream *stream)
{
    struct chart_stream *before = stream_before(layout, summary, stream), *to = before;
    if (!before)
        to = begin_stream(layout, summary, stream);
    if (!to || add_number(to, summary->number) != 0)
        return -1;
    stream->shown = to - layout->chart->streams;
    int64_t behind = to->to;
    to->to = stream->last;
    to->records += stream->records;
    if (!before)
        return 0;
    if (stream->has_gap_before && thinning_gap(&to->gaps, behind, stream->first) != 0)
        return -1;
    return thinning_join(&to->gaps, &stream->gaps) == 0 &&
                   series_join(&read_stream_of(layout, to->first)->series, &stream->series) == 0
               ? 0
               : -1;
}

/* In the order of their numbers. */
static int add_streams(struct layout *layout)
{
    struct chart *chart = layout->chart;
    chart->from = INT64_MAX;
    chart->to = INT64_MIN;
    for (size_t i = 0; i < armtap_streams_count(layout->streams); i++) {
        struct read_stream *stream = read_stream_of(layout, i);
        if (!stream || stream->first == ARMTAP_NO_TIME || !is_shown(layout, stream))
            continue;
        chart->from = stream->first < chart->from ? stream->first : chart->from;
        chart->to = stream->last > chart->to ? stream->last : chart->to;
        if (add_stream(layout, armtap_streams_at(layout->streams, i), stream) != 0)
            return -1;
    }
    for (size_t i = 0; i < chart->stream_count; i++)
        if (name_stream(layout, &chart->streams[i]) != 0)
            return -1;
    return 0;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

static struct chart_strip *strip_of(struct chart *chart, const struct armtap_mode *mode, size_t stream)
{
    char text[ARMTAP_MODE_NAME_MAX];
    const char *name = armtap_mode_field(mode, text);
    for (size_t i = 0; i < chart->strip_count; i++)
        if (chart->strips[i].stream == stream && strcmp(chart->strips[i].caption, name) == 0)
            return &chart->strips[i];
    if (!MAKE_ROOM(chart->strips, chart->strip_count))
        return NULL;
    struct chart_strip *strip = &chart->strips[chart->strip_count];
    *strip = (struct chart_strip){.caption = strdup(name), .stream = stream};
    chart->strip_count += strip->caption != NULL;
    return strip->caption ? strip : NULL;
}

/* A mode ends where the next one begins, and the last one with the stream's data. */
static int add_band(struct chart_strip *strip, const struct chart_band *band)
{
    if (!MAKE_ROOM(strip->bands, strip->count))
        return -1;
    if (strip->count && strip->bands[strip->count - 1].to > band->from)
        strip->bands[strip->count - 1].to = band->from;
    strip->bands[strip->count++] = *band;
    return 0;
}

static int add_mode(struct layout *layout, const struct armtap_mode *mode, const struct read_stream *recorded)
{
    struct chart_strip *strip = strip_of(layout->chart, mode, (size_t)recorded->shown);
    struct chart_band band = {.from = mode->where.time, .to = recorded->last, .value = mode->value, .name = mode->name};
    if (!strip || add_band(strip, &band) != 0)
        return -1;
    if (mode->kept_until == ARMTAP_NO_TIME || mode->kept_until >= recorded->last)
        return 0;
    if (!layout->said_unkept && !layout->wish->is_for_page)
        message_warning("%s changed too often: the rest of it is not drawn; split the capture into parts, "
                        "for example with editcap -i 3600",
                        strip->caption);
    layout->said_unkept = layout->chart->is_partial = true;
    band = (struct chart_band){.from = mode->kept_until, .to = recorded->last, .is_unknown = true, .name = "not kept"};
    return add_band(strip, &band);
}

static int add_modes(struct layout *layout)
{
    const struct armtap_mode *mode;
    struct armtap_diagnosis *found = layout->reading->found;
    for (size_t i = 0; (mode = armtap_diagnosis_mode_at(found, i)); i++) {
        const struct read_stream *recorded = by_connection_look_up(&layout->reading->streams, mode->connection);
        if (!recorded || recorded->shown < 0 || mode->where.time == ARMTAP_NO_TIME ||
            mode->where.time > recorded->last || mode->field->id == ARMTAP_ID_primary_is_program_paused)
            continue;
        if (add_mode(layout, mode, recorded) != 0)
            return -1;
    }
    return 0;
}

static void free_strip(struct chart_strip *strip)
{
    free(strip->caption);
    free(strip->bands);
}

static bool is_better(const struct chart_strip *one, const struct chart_strip *other,
                      const struct chart_stream *streams)
{
    uint64_t records = streams[one->stream].records, others = streams[other->stream].records;
    return strcmp(one->caption, other->caption) == 0 && spans(&streams[one->stream], &streams[other->stream]) &&
           (records > others || (records == others && one->stream < other->stream));
}

static bool has_better(const struct chart *chart, const struct chart_strip *strip)
{
    for (size_t i = 0; i < chart->strip_count; i++)
        if (is_better(&chart->strips[i], strip, chart->streams))
            return true;
    return false;
}

/* Each mode is shown once: from the stream with most records, and from those that reach further. */
static void drop_repeated_strips(struct chart *chart)
{
    for (size_t i = chart->strip_count; i-- > 0;) {
        struct chart_strip *strip = &chart->strips[i];
        if (!has_better(chart, strip))
            continue;
        free_strip(strip);
        memmove(strip, strip + 1, (--chart->strip_count - i) * sizeof *strip);
    }
}

#define COLOURED 64 /* values of one field */

/* Of all strips with that caption, so that a mode looks the same in each stream. */
static void colour_bands(struct chart *chart, const char *caption)
{
    int64_t seen[COLOURED];
    unsigned count = 0;
    for (size_t i = 0; i < chart->strip_count; i++)
        for (size_t k = 0; strcmp(chart->strips[i].caption, caption) == 0 && k < chart->strips[i].count; k++) {
            struct chart_band *band = &chart->strips[i].bands[k];
            unsigned at = 0;
            if (band->is_unknown)
                continue;
            while (at < count && seen[at] != band->value)
                at++;
            if (at == count && count < COLOURED)
                seen[count++] = band->value;
            band->colour = at;
        }
}

/* ---- stops ------------------------------------------------------------------------------------------------------- */

static int add_stop(struct layout *layout, const struct armtap_finding *finding)
{
    struct chart *chart = layout->chart;
    const struct replay_source *source = layout->reading->source;
    char text[ARMTAP_FINDING_TEXT_MAX];
    if (!MAKE_ROOM(chart->stops, chart->stop_count))
        return -1;
    armtap_finding_say(text, finding, timestamp_zone(layout->reading->wish->zone));
    labels_in_text(source->labels, text, sizeof text);
    struct chart_stop *stop = &chart->stops[chart->stop_count++];
    *stop = (struct chart_stop){.time = finding->where.time, .packet = finding->where.packet, .text = strdup(text)};
    if (replay_has_several_files(source))
        stop->file = replay_file_name(source, finding->where.file);
    return stop->text ? 0 : -1;
}

static int add_stops(struct layout *layout)
{
    const struct armtap_finding *finding;
    const struct chart *chart = layout->chart;
    for (size_t i = 0; (finding = armtap_diagnosis_finding_at(layout->reading->found, i)); i++) {
        const struct armtap_stream_summary *of =
            finding->stream == ARMTAP_NO_STREAM ? NULL : armtap_streams_at(layout->streams, finding->stream);
        const struct read_stream *stream =
            of ? by_connection_look_up(&layout->reading->streams, of->stream->connection) : NULL;
        bool is_shown = strcmp(finding->kind->id, "safety.stop") == 0 && stream && stream->shown >= 0 &&
                        finding->where.time >= chart->from && finding->where.time <= chart->to;
        if (is_shown && finding->is_sum)
            layout->chart->stops_left_out += finding->count;
        else if (is_shown && add_stop(layout, finding) != 0)
            return -1;
    }
    return 0;
}

/* ---- the arm ----------------------------------------------------------------------------------------------------- */

/* As the stream shows it that has it most often. */
static int add_figure(struct layout *layout)
{
    struct read_stream *stream, *best = NULL;
    struct figure *figure = &layout->chart->figure;
    for (size_t i = 0; (stream = stream_at(layout, i)); i++) {
        if (stream->shown < 0)
            continue;
        figure_add(figure, summary_of(layout, stream), &stream->poses);
        best = !best || stream->poses.seen > best->poses.seen ? stream : best;
    }
    layout->chart->figure_stream = best ? (size_t)best->shown : 0;
    return best ? figure_settle(figure, &best->poses) : 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int lay_out(struct layout *layout)
{
    char title[TEXT_MAX] = "robot ";
    struct chart *chart = layout->chart;
    chart->is_clock = layout->reading->is_clock;
    if (add_streams(layout) != 0)
        return -1;
    size_t ranks = last_rank(layout) + 1;
    for (size_t rank = 0; rank < ranks; rank++)
        if (add_panels_of_rank(layout, rank) != 0)
            return -1;
    if (chart->stream_count == 1)
        snprintf(title, sizeof title, "%s", chart->streams[0].title);
    else
        put_robot(layout, layout->robot, title + strlen(title), sizeof title - strlen(title));
    chart->title = strdup(title);
    chart->robot = strdup(layout->robot);
    if (!chart->title || !chart->robot || add_modes(layout) != 0)
        return -1;
    drop_repeated_strips(chart);
    for (size_t i = 0; i < chart->strip_count; i++)
        colour_bands(chart, chart->strips[i].caption);
    return add_stops(layout) == 0 ? add_figure(layout) : -1;
}

static bool curves_left_out(const struct plot_reading *reading)
{
    for (size_t i = 0; i < reading->streams.count; i++)
        if (((const struct read_stream *)reading->streams.slots[i].thing)->series.left_out)
            return true;
    return false;
}

static void report_left_out(const struct layout *layout)
{
    struct chart *chart = layout->chart;
    bool left_out = curves_left_out(layout->reading), streams_left_out = layout->reading->streams_left_out;
    chart->is_partial = chart->is_partial || left_out || streams_left_out || chart->stops_left_out > 0;
    if (layout->wish->is_for_page)
        return;
    if (left_out)
        message_warning("only %d curves are shown; choose some with --fields and --stream", CURVES_MAX);
    if (streams_left_out)
        message_warning("only the first streams are shown, %d at a time; choose another one with --stream",
                        STREAMS_MAX);
    if (chart->stops_left_out > 0)
        message_warning("the first %zu stops are marked, %" PRIu64 " more are not: armtap diagnose lists them",
                        chart->stop_count, chart->stops_left_out);
}

/* What a name in the list was probably meant to be, where it is none; NULL: nothing like it. */
static const struct armtap_field *meant_by(const char *list)
{
    size_t length;
    for (const char *at; (at = comma_list_next(&list, &length));) {
        const struct armtap_field *meant = armtap_field_nearest(at, length, ARMTAP_FIELD_BOTH);
        if (meant && (strlen(meant->name) != length || memcmp(meant->name, at, length) != 0))
            return meant;
    }
    return NULL;
}

/* Says why there is nothing to show. */
static void report_nothing(const struct layout *layout)
{
    const struct chart_wish *wish = layout->wish;
    if (layout->reading->totals.packets == 0 && layout->is_unread && !wish->around)
        return; /* that was said */
    if (armtap_streams_count(layout->streams) == 0)
        no_telemetry_report(layout->streams, &layout->reading->totals);
    else if (wish->has_stream && wish->stream >= armtap_streams_count(layout->streams))
        message_error("plot: there is no stream %u; armtap info lists the streams", wish->stream);
    else if (wish->fields && meant_by(wish->fields))
        message_error("plot: --fields %s: no stream shown has such a field in that time; did you mean '%s'?",
                      wish->fields, meant_by(wish->fields)->name);
    else if (wish->fields)
        message_error("plot: --fields %s: no stream shown has such a field in that time; armtap info --json "
                      "lists the fields of every stream",
                      wish->fields);
    else
        message_error("plot: nothing to draw: the streams have none of the usual fields in that time; choose fields "
                      "listed by armtap info --json, with --fields");
}

static enum exit_status make_chart(struct layout *layout)
{
    struct chart *chart = layout->chart;
    layout->streams = armtap_diagnosis_streams(layout->reading->found);
    choose_robot(layout);
    chart->is_partial = chart->is_partial || layout->is_unread;
    if (lay_out(layout) != 0) {
        message_no_memory();
        return EXIT_FAILED;
    }
    report_left_out(layout);
    range_report(&layout->wish->from, &layout->wish->to, &layout->reading->totals, layout->wish->zone,
                 chart->panel_count == 0 && armtap_streams_count(layout->streams) > 0);
    if (chart->panel_count > 0 || (!layout->wish->fields && chart->strip_count > 0))
        return EXIT_DONE;
    chart_free(chart);
    layout->chart = NULL;
    if (layout->wish->is_for_page)
        return EXIT_DONE;
    report_nothing(layout);
    return EXIT_FAILED;
}

/* --around: the range around the first such finding. 0, or -1 after a message. */
static int find_range(const struct chart_wish *wish, const struct replay_source *source, struct chart_wish *found)
{
    struct plot_reading reading;
    const struct armtap_finding *finding, *first = NULL;
    struct chart_wish coarse = *wish;
    uint64_t count = 0;
    coarse.bins = 4;
    enum exit_status status = plot_read(&reading, &coarse, source);
    for (size_t i = 0; !reading.totals.broken_off && (finding = armtap_diagnosis_finding_at(reading.found, i)); i++)
        if (strcmp(finding->kind->id, wish->around->id) == 0 && finding->where.time != ARMTAP_NO_TIME) {
            first = first ? first : finding;
            count += finding->count;
        }
    *found = *wish;
    if (first) {
        found->from = (struct timestamp){.given = true, .ns = armtap_time_shift(first->where.time, -wish->reach)};
        found->to = (struct timestamp){.given = true, .ns = armtap_time_shift(first->where.time, wish->reach)};
    }
    if (count > 1)
        message_warning("--around %s: the first of %" PRIu64 " is shown, packet %" PRIu64
                        "; for the others use --from and --to",
                        wish->around->id, count, first->where.packet);
    if (!reading.totals.broken_off && !first)
        message_error("plot: --around %s: the capture has none; armtap diagnose lists the findings", wish->around->id);
    (void)status;
    plot_reading_free(&reading);
    return first ? 0 : -1;
}

/* Reads again, for the stream that was asked for only, if there were too many to keep them all. */
static enum exit_status read_for(struct plot_reading *reading, struct chart_wish *wish, struct replay_source *source)
{
    enum exit_status status = plot_read(reading, wish, source);
    bool left_out = reading->streams_left_out || curves_left_out(reading);
    if (!wish->has_stream || !left_out || reading->totals.broken_off || !replay_is_repeatable(source))
        return status;
    const struct armtap_stream_summary *summary =
        armtap_streams_at(armtap_diagnosis_streams(reading->found), wish->stream);
    if (!summary)
        return status;
    wish->has_connection = true;
    wish->connection = summary->stream->connection;
    source->quiet = true;
    plot_reading_free(reading);
    return plot_read(reading, wish, source);
}

enum exit_status chart_collect(const struct chart_wish *wish, const struct replay_source *source, struct chart **chart)
{
    struct plot_reading reading;
    struct chart_wish ranged = *wish;
    struct replay_source again = *source;
    *chart = NULL;
    if (wish->around && find_range(wish, source, &ranged) != 0)
        return EXIT_FAILED;
    again.quiet = again.quiet || wish->around;
    enum exit_status status = read_for(&reading, &ranged, &again);
    struct layout layout = {.wish = &ranged,
                            .reading = &reading,
                            .chart = calloc(1, sizeof *layout.chart),
                            .is_unread = status != EXIT_DONE};
    if (reading.totals.broken_off || !layout.chart) {
        if (!layout.chart)
            message_no_memory();
        status = EXIT_FAILED;
    } else if (make_chart(&layout) != EXIT_DONE) {
        status = EXIT_FAILED;
    } else {
        *chart = layout.chart;
        layout.chart = NULL;
    }
    chart_free(layout.chart);
    plot_reading_free(&reading);
    return status;
}

static void free_panel(struct chart_panel *panel)
{
    for (size_t i = 0; panel->curves && i < SERIES_ELEMENTS; i++) {
        free(panel->curves[i].name);
        thinning_free(&panel->curves[i].points);
    }
    free(panel->curves);
    free(panel->caption);
    free(panel->unit);
}

void chart_free(struct chart *chart)
{
    if (!chart)
        return;
    for (size_t i = 0; i < chart->panel_count; i++)
        free_panel(&chart->panels[i]);
    for (size_t i = 0; i < chart->strip_count; i++)
        free_strip(&chart->strips[i]);
    for (size_t i = 0; i < chart->stop_count; i++)
        free(chart->stops[i].text);
    for (size_t i = 0; i < chart->stream_count; i++) {
        free(chart->streams[i].numbers);
        free(chart->streams[i].title);
        thinning_free(&chart->streams[i].gaps);
    }
    poses_free(&chart->figure.poses);
    free(chart->panels);
    free(chart->strips);
    free(chart->stops);
    free(chart->streams);
    free(chart->title);
    free(chart->robot);
    free(chart);
}

bool chart_has_robot(const struct chart *chart, const char *address)
{
    return stream_same_host(address, chart->robot) || strcmp(address, chart->robot) == 0;
}
