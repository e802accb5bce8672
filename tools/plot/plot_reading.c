#include "plot_reading.h"

#include <math.h>
#include <string.h>

#include "analysis/armtap-analysis.h"
#include "base/process/message.h"
#include "export/rows/missing_data.h"
#include "nanoseconds.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* A gap is what export says in gap_s. It is one, too, if so many of the usual steps went by without a record, and at
 * least so many s, though the controller's clock does not show that any is missing; the latter as long as fewer steps
 * are known. */
#define STEPS_MISSED 10
#define SILENCE 0.1
#define SILENCE_AT_FIRST 2
#define INTERVALS_KNOWN 10

/* ---- a stream ---------------------------------------------------------------------------------------------------- */

static void free_streams(struct plot_reading *reading)
{
    for (size_t i = 0; i < reading->streams.count; i++) {
        struct read_stream *stream = reading->streams.slots[i].thing;
        series_free(&stream->series);
        thinning_free(&stream->gaps);
        poses_free(&stream->poses);
        free(stream);
    }
    free(reading->streams.slots);
    reading->streams = (struct by_connection){0};
}

static double seconds_between(int64_t from, int64_t to)
{
    return (double)armtap_time_between(from, to) / (double)SECOND;
}

/* s that a stream may be without a record before that is a gap. */
static double longest_step(const struct read_stream *stream)
{
    double least = stream->intervals < INTERVALS_KNOWN ? SILENCE_AT_FIRST : SILENCE;
    double usual = stream->intervals ? stream->flowing / (double)stream->intervals : 0;
    return fmax(usual * STEPS_MISSED, least);
}

static bool is_long(const struct read_stream *stream, int64_t from, int64_t to)
{
    return seconds_between(from, to) > longest_step(stream);
}

static const struct armtap_stream *known_as(const struct plot_reading *reading, uint64_t connection)
{
    const struct armtap_streams *streams = armtap_diagnosis_streams(reading->found);
    const struct armtap_stream_summary *summary = armtap_streams_of(streams, connection);
    return summary ? summary->stream : NULL;
}

/* A connection to the same port of the robot, closed or silent, which the stream takes the place of: a client that
 * connects again all day long has one set of curves. NULL if there is none. */
static struct read_stream *predecessor_of(const struct plot_reading *reading, const struct armtap_stream *stream,
                                          int64_t time)
{
    for (size_t i = reading->streams.count; i-- > 0 && !reading->wish->has_stream;) {
        struct read_stream *before = reading->streams.slots[i].thing;
        if (before->is_continued || before->last == ARMTAP_NO_TIME || before->last > time)
            continue;
        const struct armtap_stream *known = known_as(reading, before->connection);
        bool has_ended = before->is_closed || is_long(before, before->last, time);
        if (has_ended && known && known->protocol == stream->protocol &&
            strcmp(labels_name(reading->source->labels, known->robot),
                   labels_name(reading->source->labels, stream->robot)) == 0)
            return before;
    }
    return NULL;
}

static void begin_curves(struct plot_reading *reading, struct read_stream *stream)
{
    stream->series = (struct series_set){.wish = &reading->series_wish, .curves = &reading->curves};
    stream->gaps = thinning_make(reading->wish->bins);
    stream->poses = (struct poses){0};
}

static void go_on_with(struct plot_reading *reading, struct read_stream *stream, struct read_stream *before,
                       int64_t time)
{
    stream->series = before->series;
    stream->gaps = before->gaps;
    stream->poses = before->poses;
    stream->after = before->last;
    stream->has_gap_before = is_long(before, before->last, time);
    series_break(&stream->series);
    begin_curves(reading, before);
    before->is_continued = true;
    reading->going_on++;
}

static bool has_room(const struct plot_reading *reading)
{
    return reading->streams.count < CONNECTIONS_MAX && reading->streams.count - reading->going_on < STREAMS_MAX;
}

/* NULL without memory. */
static struct read_stream *add_stream(struct plot_reading *reading, const struct armtap_stream *of, int64_t time)
{
    struct read_stream *before = predecessor_of(reading, of, time);
    struct read_stream *stream = by_connection_new(&reading->streams, of->connection, sizeof *stream);
    if (!stream)
        return NULL;
    stream->connection = of->connection;
    begin_curves(reading, stream);
    stream->first = stream->last = stream->after = ARMTAP_NO_TIME;
    stream->shown = -1;
    if (before)
        go_on_with(reading, stream, before, time);
    return stream;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void settle_range(struct plot_reading *reading)
{
    const struct chart_wish *wish = reading->wish;
    reading->range = timestamp_range(&wish->from, &wish->to, reading->totals.first_time, wish->zone);
    reading->is_range_known = true;
}

/* Raw dumps have no times: the controller's clock stands in, as long as no record has one. */
static int64_t time_of(struct plot_reading *reading, const struct armtap_record *record)
{
    double clock;
    if (record->read.time != ARMTAP_NO_TIME)
        return reading->is_clock ? ARMTAP_NO_TIME : record->read.time;
    clock = armtap_rates_clock(record);
    if (!(fabs(clock) < 9e9) || (!reading->is_clock && reading->streams.count > 0))
        return ARMTAP_NO_TIME;
    reading->is_clock = true;
    return (int64_t)(clock * (double)SECOND);
}

static bool has_unfilled(const struct read_stream *stream)
{
    return stream->unfilled.from != stream->unfilled.to;
}

/* Times may go back, where the capturing computer's clock was set: records that come then fill what is unfilled. */
static int fill(struct read_stream *stream, int64_t time)
{
    struct unfilled *unfilled = &stream->unfilled, left = *unfilled;
    if (left.from < time && time < left.to && !is_long(stream, left.from, time)) {
        unfilled->from = time;
        return 0;
    }
    series_break(&stream->series);
    *unfilled = time < stream->first ? (struct unfilled){time, stream->first} : (struct unfilled){0};
    if (!is_long(stream, left.from, left.to))
        return 0;
    series_break_at(&stream->series, left.to);
    return thinning_gap(&stream->gaps, left.from, left.to);
}

static int take_step(struct plot_reading *reading, struct read_stream *stream, const struct armtap_record *record,
                     int64_t time)
{
    bool is_hole = missing_data_before(reading->missing, record)->gap.cause != GAP_NONE;
    missing_data_drop(reading->missing, record);
    if (stream->first == ARMTAP_NO_TIME) {
        stream->has_gap_before = stream->has_gap_before || is_hole;
        bool is_behind = stream->has_gap_before && stream->after != ARMTAP_NO_TIME;
        return is_behind ? thinning_gap(&stream->gaps, stream->after, time) : 0;
    }
    if (time < stream->first || has_unfilled(stream))
        return fill(stream, time);
    if (time < stream->last)
        return 0;
    if (is_hole || (stream->intervals > 0 && is_long(stream, stream->last, time))) {
        series_break(&stream->series);
        return thinning_gap(&stream->gaps, stream->last, time);
    }
    stream->flowing += seconds_between(stream->last, time);
    stream->intervals++;
    return 0;
}

static int fill_all(struct plot_reading *reading)
{
    for (size_t i = 0; i < reading->streams.count; i++) {
        struct read_stream *stream = reading->streams.slots[i].thing;
        if (has_unfilled(stream) && fill(stream, stream->last) != 0)
            return -1;
    }
    return 0;
}

static bool is_wanted(const struct plot_reading *reading, const struct armtap_stream *stream)
{
    return !reading->wish->has_connection || stream->connection == reading->wish->connection;
}

static int take_record(struct plot_reading *reading, const struct armtap_record *record)
{
    struct read_stream *stream = by_connection_find(&reading->streams, record->stream->connection);
    int64_t time = time_of(reading, record);
    if (time == ARMTAP_NO_TIME || time < reading->range.from || time > reading->range.to)
        return 0;
    if (!stream && !is_wanted(reading, record->stream))
        return 0;
    if (!stream && !has_room(reading)) {
        reading->streams_left_out = true;
        return 0;
    }
    stream = stream ? stream : add_stream(reading, record->stream, time);
    if (!stream || take_step(reading, stream, record, time) != 0)
        return -1;
    stream->first = stream->first == ARMTAP_NO_TIME || time < stream->first ? time : stream->first;
    stream->last = stream->last == ARMTAP_NO_TIME || time > stream->last ? time : stream->last;
    stream->records++;
    if (reading->wish->has_figure && poses_take(&stream->poses, record, time) != 0)
        return -1;
    return series_take(&stream->series, record, time);
}

/* Where the arm is, as each stream has it, when a stop is found. */
static int keep_poses(struct plot_reading *reading)
{
    for (size_t i = 0; reading->has_stopped && i < reading->streams.count; i++) {
        struct read_stream *stream = reading->streams.slots[i].thing;
        if (poses_keep(&stream->poses) != 0)
            return -1;
    }
    reading->has_stopped = false;
    return 0;
}

static int on_finding(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    struct plot_reading *reading = user;
    (void)stream;
    reading->has_stopped = reading->has_stopped || strcmp(finding->kind->id, "safety.stop") == 0;
    return 0;
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

static int answer_of(bool is_good)
{
    return is_good ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct plot_reading *reading = user;
    if (!reading->is_range_known)
        settle_range(reading);
    if (armtap_diagnosis_sink(reading->found)->on_record(reading->found, record) != ARMTAP_OK)
        return REPLAY_NO_MEMORY;
    if (record->direction != ARMTAP_FROM_ROBOT)
        return REPLAY_GO_ON;
    return answer_of(missing_data_record(reading->missing, record) == 0 && take_record(reading, record) == 0 &&
                     keep_poses(reading) == 0);
}

static void break_lines(struct plot_reading *reading, const struct armtap_stream *about)
{
    struct read_stream *stream = by_connection_find(&reading->streams, about->connection);
    if (stream)
        series_break(&stream->series);
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct plot_reading *reading = user;
    if (event->direction == ARMTAP_FROM_ROBOT)
        break_lines(reading, event->stream);
    return answer_of(armtap_diagnosis_sink(reading->found)->on_recipe(reading->found, event) == ARMTAP_OK &&
                     missing_data_recipe(reading->missing, event) == 0);
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct plot_reading *reading = user;
    return answer_of(armtap_diagnosis_sink(reading->found)->on_note(reading->found, note) == ARMTAP_OK &&
                     missing_data_note(reading->missing, note) == 0);
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct plot_reading *reading = user;
    struct read_stream *stream = by_connection_find(&reading->streams, event->stream->connection);
    if (stream && event->type == ARMTAP_EVENT_CLOSE)
        stream->is_closed = true;
    return answer_of(armtap_diagnosis_sink(reading->found)->on_event(reading->found, event) == ARMTAP_OK &&
                     missing_data_event(reading->missing, event) == 0);
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct plot_reading *reading = user;
    return answer_of(armtap_diagnosis_sink(reading->found)->on_message(reading->found, message) == ARMTAP_OK);
}

/* ---- a reading --------------------------------------------------------------------------------------------------- */

static int begin_reading(struct plot_reading *reading)
{
    struct armtap_diagnosis_options options = {
        .size = sizeof options, .zone = timestamp_zone(reading->wish->zone), .on_finding = on_finding, .user = reading};
    free_streams(reading);
    armtap_diagnosis_free(reading->found);
    reading->found = NULL;
    reading->curves = CURVES_MAX;
    reading->going_on = 0;
    reading->is_clock = reading->is_range_known = reading->streams_left_out = reading->has_stopped = false;
    return armtap_diagnosis_new(&options, &reading->found) == ARMTAP_OK ? 0 : -1;
}

/* What the first reading learned about rates is kept for the second. */
static int begin_again(void *user)
{
    struct plot_reading *reading = user;
    missing_data_rewind(reading->missing);
    return begin_reading(reading);
}

enum exit_status plot_read(struct plot_reading *reading, const struct chart_wish *wish,
                           const struct replay_source *source)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_message = on_message};
    *reading = (struct plot_reading){.source = source,
                                     .wish = wish,
                                     .series_wish = {.fields = wish->fields, .bins = wish->bins},
                                     .missing = missing_data_new(ARMTAP_FROM_ROBOT)};
    if (!reading->missing || begin_reading(reading) != 0) {
        message_no_memory();
        reading->totals.broken_off = true;
        return EXIT_FAILED;
    }
    missing_data_find_gaps(reading->missing, true, reading->source->labels);
    enum exit_status status = replay_learning(source, &sink, reading, begin_again, &reading->totals);
    if (!reading->totals.broken_off && fill_all(reading) != 0) {
        message_no_memory();
        reading->totals.broken_off = true;
    }
    if (!reading->totals.broken_off && armtap_diagnosis_finish(reading->found) != ARMTAP_OK) {
        message_no_memory();
        reading->totals.broken_off = true;
    }
    return reading->totals.broken_off ? EXIT_FAILED : status;
}

void plot_reading_free(struct plot_reading *reading)
{
    free_streams(reading);
    armtap_diagnosis_free(reading->found);
    missing_data_free(reading->missing);
    *reading = (struct plot_reading){0};
}
