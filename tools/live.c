#define _POSIX_C_SOURCE 200809L
#include "live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

#define SECOND INT64_C(1000000000)
/* So many findings of one kind are shown at once; then one a second. */
#define BURST 10
#define PENDING_MAX 16384
/* Without a record for so long, that is said. */
#define QUIET (2 * SECOND)

struct kind_flow {
    unsigned shown; /* of the burst */
    int64_t time;   /* of the last one shown */
    uint64_t left_out;
};

struct live {
    struct kind_flow *flows; /* by index of armtap_note_at */
    int64_t begin;           /* of the monotonic clock, as all times here */
    enum when_zone zone;
    bool waits;              /* the first second of a pipe */
    char *pending;           /* lines that wait with it */
    size_t pending_length;
    bool any;
    bool draws, drawn; /* the line of state */
    int64_t draw_time;
    uint64_t records, records_drawn, lost;
    int64_t record_time;
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

struct live *live_new(bool is_pipe, enum when_zone zone)
{
    struct live *live = calloc(1, sizeof *live);
    if (live == NULL)
        return NULL;
    live->flows = calloc(armtap_note_count(), sizeof *live->flows);
    live->pending = malloc(PENDING_MAX);
    live->begin = live->draw_time = live->record_time = now();
    live->waits = is_pipe;
    live->zone = zone;
    live->draws = isatty(STDERR_FILENO);
    if (live->flows != NULL && live->pending != NULL)
        return live;
    live_free(live);
    return NULL;
}

void live_free(struct live *live)
{
    if (live == NULL)
        return;
    free(live->flows);
    free(live->pending);
    free(live);
}

/* ---- findings -------------------------------------------------------------------------------------------------- */

static void erase(struct live *live)
{
    if (live->drawn)
        fputs("\r\033[K", stderr);
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
    int64_t time = now();
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
    /* of what may turn out to carry no telemetry, the report tells */
    if ((stream != NULL && stream->protocol == ARMTAP_PROTOCOL_NONE) || !may_show(flow))
        return;
    if (where->time != ARMTAP_NO_TIME) {
        when_date(date, where->time, live->zone);
        memmove(date + 23, date + 29, strlen(date + 29) + 1); /* milliseconds are enough */
    }
    if (where->packet > 0)
        snprintf(packet, sizeof packet, " packet %" PRIu64, where->packet);
    if (flow->left_out > 0)
        snprintf(more, sizeof more, " (%" PRIu64 " more before it)", flow->left_out);
    flow->left_out = 0;
    int length = snprintf(line, sizeof line, "%s %s%s%s %s%s%s%s: %.900s%s\n", date,
                          text_colour(stdout, kind->severity), armtap_severity_name(kind->severity), text_plain(stdout),
                          kind->id, stream == NULL ? "" : " ", stream == NULL ? "" : stream->robot, packet, text, more);
    if (length <= 0 || (size_t)length >= sizeof line || live->pending_length + (size_t)length > PENDING_MAX)
        return;
    memcpy(live->pending + live->pending_length, line, (size_t)length);
    live->pending_length += (size_t)length;
    if (!live->waits)
        show_pending(live);
}

/* ---- the line of state ----------------------------------------------------------------------------------------- */

void live_record(struct live *live, const struct armtap_record *record)
{
    if (record->direction != ARMTAP_FROM_ROBOT)
        return;
    live->records++;
    if (live->draws)
        live->record_time = now();
}

void live_event(struct live *live, const struct armtap_event *event)
{
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
    int64_t time = now();
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
    fflush(stderr);
    return live->any;
}
