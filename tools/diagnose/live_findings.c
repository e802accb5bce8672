#define _POSIX_C_SOURCE 200809L
#include "diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/names.h"
#include "analysis/armtap-analysis.h"
#include "base/terminal/word_wrap.h"
#include "input/robots/event_loop.h"
#include "nanoseconds.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* Findings of one kind shown in a burst; then one per second. */
#define BURST 10
#define PENDING_MAX 16384
/* A stream is reported as silent after this time without a record, */
#define QUIET (2 * SECOND)
/* and after this many times the usual interval. */
#define QUIET_STEPS 3
/* A longer time between two calls does not count as silence: the program was not listening. */
#define DEAF (SECOND / 2)
/* Streams watched for silence. */
#define WATCHED 64

struct kind_flow {
    unsigned shown; /* in the burst */
    int64_t time;   /* when the last one was shown */
    uint64_t left_out;
};

/* A stream that sends data. */
struct flowing {
    struct armtap_stream stream;
    struct armtap_where last; /* where the last record was */
    int64_t time, step;       /* of the last record, and since the one before; time 0: none */
    bool paused, told;
};

struct live {
    struct kind_flow *flows; /* by index of armtap_note_at */
    int64_t begin;           /* monotonic clock, like all times here */
    enum timestamp_zone zone;
    const struct labels *labels;
    bool waits;    /* in the first second of a pipe */
    char *pending; /* lines held back during that second */
    size_t pending_length;
    bool any;
    bool draws, drawn; /* the status line */
    int64_t draw_time;
    uint64_t records, records_drawn, lost;
    int64_t record_time;
    bool is_pipe; /* its writer may be slow */
    struct flowing flowing[WATCHED];
    size_t flowing_count;
    int64_t turn_time;
};

struct live *live_new(bool is_pipe, enum timestamp_zone zone, const struct labels *labels)
{
    struct live *live = calloc(1, sizeof *live);
    if (!live)
        return NULL;
    live->flows = calloc(armtap_note_count(), sizeof *live->flows);
    live->pending = malloc(PENDING_MAX);
    live->begin = live->draw_time = live->record_time = live->turn_time = event_clock();
    live->waits = live->is_pipe = is_pipe;
    live->zone = zone;
    live->labels = labels;
    live->draws = isatty(STDERR_FILENO);
    if (live->flows && live->pending)
        return live;
    live_free(live);
    return NULL;
}

void live_free(struct live *live)
{
    if (!live)
        return;
    free(live->flows);
    free(live->pending);
    free(live);
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static void erase(struct live *live)
{
    if (live->drawn)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    live->drawn = false;
}

static void show_pending(struct live *live)
{
    if (live->pending_length == 0)
        return;
    erase(live);
    fwrite(live->pending, 1, live->pending_length, stdout);
    fflush(stdout);
    live->pending_length = 0;
    live->any = true;
}

static bool may_show(struct kind_flow *flow)
{
    int64_t time = event_clock();
    if (time - flow->time >= SECOND)
        flow->shown = flow->shown < BURST ? 0 : BURST - 1;
    if (time - flow->time >= BURST * SECOND)
        flow->shown = 0;
    if (flow->shown >= BURST) {
        flow->left_out++;
        return false;
    }
    flow->shown++;
    flow->time = time;
    return true;
}

static size_t index_of(const struct armtap_note_kind *kind)
{
    size_t i = 0;
    while (armtap_note_at(i) != kind)
        i++;
    return i;
}

void live_finding(struct live *live, const struct armtap_note_kind *kind, const struct armtap_stream *stream,
                  const struct armtap_where *where, const char *text)
{
    char line[1200], date[WHEN_DATE_MAX] = "-", packet[40] = "", more[60] = "";
    struct kind_flow *flow = &live->flows[index_of(kind)];
    /* a stream without a protocol may carry no telemetry: leave it to the report */
    if ((stream && stream->protocol == ARMTAP_PROTOCOL_NONE) || !may_show(flow))
        return;
    if (where->time != ARMTAP_NO_TIME) {
        timestamp_date(date, where->time, live->zone);
        memmove(date + 23, date + 29, strlen(date + 29) + 1); /* milliseconds are enough */
    }
    if (where->packet > 0)
        snprintf(packet, sizeof packet, " packet %" PRIu64, where->packet);
    if (flow->left_out > 0)
        snprintf(more, sizeof more, " (%" PRIu64 " more before it)", flow->left_out);
    flow->left_out = 0;
    int length =
        snprintf(line, sizeof line, "%s %s%s%s %s%s%s%s: %.900s%s\n", date, text_colour(stdout, kind->severity),
                 armtap_severity_name(kind->severity), text_plain(stdout), kind->id, stream ? " " : "",
                 stream ? labels_name(live->labels, stream->robot) : "", packet, text, more);
    if (length <= 0 || (size_t)length >= sizeof line || live->pending_length + (size_t)length > PENDING_MAX)
        return;
    memcpy(live->pending + live->pending_length, line, (size_t)length);
    live->pending_length += (size_t)length;
    if (!live->waits)
        show_pending(live);
}

/* ---- silence ----------------------------------------------------------------------------------------------------- */

static struct flowing *flowing_of(struct live *live, const struct armtap_stream *stream, bool make)
{
    for (size_t i = 0; i < live->flowing_count; i++)
        if (live->flowing[i].stream.connection == stream->connection)
            return &live->flowing[i];
    if (!make || live->flowing_count == WATCHED)
        return NULL;
    struct flowing *flowing = &live->flowing[live->flowing_count++];
    *flowing = (struct flowing){.stream = *stream};
    return flowing;
}

/* Data that comes only when it changes may pause. */
static bool is_steady(const struct live *live, const struct armtap_stream *stream)
{
    return !live->is_pipe && stream->info && !armtap_stream_has(stream, ARMTAP_TRAIT_ON_CHANGE);
}

static void follow_flow(struct live *live, const struct armtap_record *record)
{
    struct flowing *flowing = is_steady(live, record->stream) ? flowing_of(live, record->stream, true) : NULL;
    if (!flowing)
        return;
    int64_t time = event_clock();
    flowing->step = flowing->time == 0 ? 0 : time - flowing->time;
    flowing->time = time;
    flowing->last = record->where;
    flowing->told = false;
}

static void follow_state(struct live *live, const struct armtap_event *event)
{
    bool pauses = event->type == ARMTAP_EVENT_PAUSE, starts = event->type == ARMTAP_EVENT_START;
    struct flowing *flowing = flowing_of(live, event->stream, starts && is_steady(live, event->stream));
    if (!flowing)
        return;
    if (event->type == ARMTAP_EVENT_CLOSE)
        *flowing = live->flowing[--live->flowing_count];
    if (!pauses && !starts)
        return;
    flowing->paused = pauses;
    flowing->told = false;
    flowing->time = event_clock();
    flowing->last = event->where;
}

static void check_silence(struct live *live, struct flowing *flowing, int64_t time)
{
    char text[120];
    int64_t silent = time - flowing->time;
    struct armtap_where where = flowing->last;
    if (flowing->told || flowing->paused || flowing->time == 0 || silent < QUIET ||
        silent < QUIET_STEPS * flowing->step)
        return;
    flowing->told = true;
    snprintf(text, sizeof text, "no data for %.1f s so far, since packet %" PRIu64, (double)silent / 1e9, where.packet);
    if (where.time != ARMTAP_NO_TIME)
        where.time = armtap_time_shift(where.time, silent);
    live_finding(live, armtap_note_find("silence"), &flowing->stream, &where, text);
}

/* Time in which the program did not listen does not count. */
static void check_silences(struct live *live, int64_t time)
{
    int64_t deaf = time - live->turn_time;
    live->turn_time = time;
    for (size_t i = 0; i < live->flowing_count; i++) {
        struct flowing *flowing = &live->flowing[i];
        if (deaf > DEAF && flowing->time != 0)
            flowing->time += deaf;
        check_silence(live, flowing, time);
    }
}

/* ---- the status line --------------------------------------------------------------------------------------------- */

void live_record(struct live *live, const struct armtap_record *record)
{
    if (record->direction != ARMTAP_FROM_ROBOT)
        return;
    live->records++;
    follow_flow(live, record);
    if (live->draws)
        live->record_time = event_clock();
}

void live_event(struct live *live, const struct armtap_event *event)
{
    follow_state(live, event);
    if (event->type == ARMTAP_EVENT_GAP && event->stream->protocol != ARMTAP_PROTOCOL_NONE)
        live->lost += event->a;
}

static void draw(struct live *live, int64_t time, const struct replay_totals *totals)
{
    double seconds = (double)(time - live->draw_time) / 1e9;
    char quiet[60] = "";
    if (time - live->record_time >= QUIET)
        snprintf(quiet, sizeof quiet, ", none for %" PRId64 " s", (time - live->record_time) / SECOND);
    fprintf(stderr, "\r\033[K%.1f records/s, %" PRIu64 " records%s; %" PRIu64 " packets; %" PRIu64 " bytes lost",
            (double)(live->records - live->records_drawn) / seconds, live->records, quiet, totals->packets, live->lost);
    fflush(stderr);
    live->drawn = true;
    live->draw_time = time;
    live->records_drawn = live->records;
}

void live_turn(struct live *live, const struct replay_totals *totals)
{
    int64_t time = event_clock();
    check_silences(live, time);
    if (live->waits && time - live->begin >= SECOND) {
        live->waits = false;
        show_pending(live);
    }
    if (live->draws && !live->waits && time - live->draw_time >= SECOND)
        draw(live, time, totals);
}

bool live_end(struct live *live)
{
    erase(live);
    return live->any;
}
