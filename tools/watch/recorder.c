#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inside.h"
#include "base/process/message.h"
#include "input/robots/robot_event.h"
#include "input/robots/robot_traffic.h"
#include "nanoseconds.h"
#include "record/capture_series.h"

/* What is kept to begin with: so much time, at most so many bytes. */
#define REACH (30 * SECOND)
#define BYTES_MAX ((size_t)64 << 20)
#define SYNC (5 * SECOND)
#define PATTERN "armtap-watch-%Y%m%dT%H%M%SZ.pcapng"

struct kept_event {
    struct kept_event *next;
    struct robot_event event;
    uint8_t bytes[]; /* of the event */
};

/* `traffic` knows the connections as they were before the oldest kept event, so that a capture can begin there. */
struct recorder {
    struct robot_traffic *traffic;
    struct kept_event *oldest, *newest;
    size_t bytes;
    uint64_t dropped; /* packets before the next one */
    struct kept_parts *parts;
    struct capture_series *series; /* NULL: not recording */
    char name[PART_NAME_MAX];
    uint64_t written;
    bool has_failed; /* a message said why */
};

struct recorder *recorder_new(size_t robots)
{
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder) {
        recorder->traffic = robot_traffic_new(robots);
        recorder->parts = kept_parts_new(0);
    }
    if (recorder && recorder->traffic && recorder->parts)
        return recorder;
    recorder_free(recorder);
    return NULL;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static int skip_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    (void)user;
    (void)time;
    (void)packet;
    (void)length;
    return 0;
}

static int write_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct recorder *recorder = user;
    const struct capture_packet made = {.time = time, .bytes = packet, .length = length, .dropped = recorder->dropped};
    recorder->dropped = 0;
    if (capture_series_packet(recorder->series, &made) != 0)
        recorder->has_failed = true;
    return recorder->has_failed ? -1 : 0;
}

/* Lets an event pass: it is written, or only changes what is known of the connections. 0, or -1 if memory runs out. */
static int pass(struct recorder *recorder, const struct robot_event *event)
{
    if (event->kind == ROBOT_SAID || event->kind == ROBOT_STILL)
        return 0;
    if (recorder->series && event->kind == ROBOT_DROPPED)
        recorder->dropped += event->lost_messages;
    bool writes = recorder->series && !recorder->has_failed;
    int outcome = robot_traffic_take(recorder->traffic, event, writes ? write_packet : skip_packet, recorder);
    return outcome != 0 && !recorder->has_failed ? -1 : 0;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

static int drop_oldest(struct recorder *recorder)
{
    struct kept_event *oldest = recorder->oldest;
    int outcome = pass(recorder, &oldest->event);
    recorder->oldest = oldest->next;
    recorder->newest = recorder->oldest ? recorder->newest : NULL;
    recorder->bytes -= sizeof *oldest + oldest->event.length;
    free(oldest);
    return outcome;
}

static int keep(struct recorder *recorder, const struct robot_event *event)
{
    struct kept_event *kept = malloc(sizeof *kept + event->length);
    if (!kept)
        return -1;
    kept->next = NULL;
    kept->event = *event;
    if (event->bytes) {
        memcpy(kept->bytes, event->bytes, event->length);
        kept->event.bytes = kept->bytes;
    }
    if (recorder->newest)
        recorder->newest->next = kept;
    else
        recorder->oldest = kept;
    recorder->newest = kept;
    recorder->bytes += sizeof *kept + event->length;
    return 0;
}

int recorder_take(struct recorder *recorder, const struct robot_event *event)
{
    if (recorder->series)
        return pass(recorder, event);
    if (event->kind == ROBOT_SAID || event->kind == ROBOT_STILL)
        return 0;
    int outcome = keep(recorder, event);
    while (outcome == 0 && recorder->oldest &&
           (recorder->bytes > BYTES_MAX || armtap_time_between(recorder->oldest->event.time, event->time) > REACH))
        outcome = drop_oldest(recorder);
    return outcome;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

int recorder_begin(struct recorder *recorder)
{
    int64_t time = recorder->oldest ? recorder->oldest->event.time : tcp_clock();
    const struct capture_series_wish wish = {
        .output = PATTERN, .robot = "robots", .kept = recorder->parts, .sync = SYNC};
    recorder->has_failed = false;
    recorder->written = recorder->dropped = 0;
    recorder->series = capture_series_open(&wish, time);
    if (!recorder->series)
        return -1;
    snprintf(recorder->name, sizeof recorder->name, "%s", capture_series_name(recorder->series));
    int outcome = robot_traffic_repeat(recorder->traffic, time, write_packet, recorder);
    while (outcome == 0 && recorder->oldest)
        outcome = drop_oldest(recorder);
    if (outcome != 0 && !recorder->has_failed)
        message_no_memory();
    return outcome == 0 && !recorder->has_failed ? 0 : recorder_end(recorder);
}

int recorder_end(struct recorder *recorder)
{
    if (!recorder->series)
        return 0;
    int outcome = capture_series_end(recorder->series);
    recorder->written = capture_series_totals(recorder->series)->bytes;
    capture_series_free(recorder->series);
    recorder->series = NULL;
    return outcome == 0 && !recorder->has_failed ? 0 : -1;
}

void recorder_turn(struct recorder *recorder, int64_t now)
{
    if (recorder->series && !recorder->has_failed && capture_series_turn(recorder->series, now, true) != 0)
        recorder->has_failed = true;
    if (recorder->has_failed)
        recorder_end(recorder);
}

bool recorder_is_running(const struct recorder *recorder)
{
    return recorder->series;
}

const char *recorder_name(const struct recorder *recorder)
{
    return recorder->name;
}

uint64_t recorder_bytes(const struct recorder *recorder)
{
    return recorder->series ? capture_series_totals(recorder->series)->bytes : recorder->written;
}

void recorder_free(struct recorder *recorder)
{
    if (!recorder)
        return;
    recorder_end(recorder);
    while (recorder->oldest) {
        struct kept_event *next = recorder->oldest->next;
        free(recorder->oldest);
        recorder->oldest = next;
    }
    robot_traffic_free(recorder->traffic);
    kept_parts_free(recorder->parts);
    free(recorder);
}
