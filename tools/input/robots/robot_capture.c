#include "robot_traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "base/text/buffer.h"

/* A packet that waits to be given. */
struct waiting {
    int64_t time;
    size_t at, length; /* in the bytes */
};
/* An event makes few packets: a connection's beginning three. */
#define WAITING_MAX 64

struct robot_capture {
    const struct robot_sources *sources;
    struct robot_reader *reader;
    struct robot_traffic *traffic;
    struct waiting waiting[WAITING_MAX];
    size_t count, given;
    struct buffer bytes;
    uint64_t packets;
    struct robot_event hole;
    struct robot_tally *tallies; /* by robot */
};

struct robot_capture *robot_capture_open(const struct robot_sources *sources)
{
    struct robot_capture *capture = calloc(1, sizeof *capture);
    if (capture) {
        capture->sources = sources;
        capture->traffic = robot_traffic_new(sources->count);
        capture->tallies = calloc(sources->count, sizeof *capture->tallies);
    }
    if (!capture || !capture->traffic || !capture->tallies)
        message_no_memory();
    else if ((capture->reader = robot_reader_start(sources)))
        return capture;
    robot_capture_close(capture);
    return NULL;
}

void robot_capture_close(struct robot_capture *capture)
{
    if (!capture)
        return;
    robot_reader_free(capture->reader);
    robot_traffic_free(capture->traffic);
    free(capture->tallies);
    free(capture->bytes.data);
    free(capture);
}

static int queue_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct robot_capture *capture = user;
    if (capture->count == WAITING_MAX)
        return -1;
    capture->waiting[capture->count++] = (struct waiting){time, capture->bytes.length, length};
    buffer_put(&capture->bytes, (const char *)packet, length);
    return capture->bytes.failed ? -1 : 0;
}

/* Makes packets of the next event; CAPTURE_PACKET also if there are none. */
static enum capture_outcome take_event(struct robot_capture *capture, const struct robot_event **hole)
{
    struct robot_event event;
    enum robot_reader_outcome outcome = robot_reader_next(capture->reader, &event);
    switch (outcome) {
    case ROBOT_READER_SILENT:
        return CAPTURE_SILENT;
    case ROBOT_READER_STOPPED:
        return CAPTURE_END;
    case ROBOT_READER_GAVE_UP:
        return CAPTURE_DAMAGED;
    case ROBOT_READER_NO_MEMORY:
        return CAPTURE_NO_MEMORY;
    case ROBOT_READER_EVENT:
        break;
    }
    capture->count = capture->given = capture->bytes.length = 0;
    robot_event_say(&event);
    robot_tally_take(&capture->tallies[event.robot], &event);
    if (capture->sources->on_event && capture->sources->on_event(capture->sources->user, &event) != 0)
        return CAPTURE_NO_MEMORY;
    if (event.kind == ROBOT_DROPPED) {
        capture->hole = event;
        *hole = &capture->hole;
    }
    return robot_traffic_take(capture->traffic, &event, queue_packet, capture) == 0 ? CAPTURE_PACKET
                                                                                    : CAPTURE_NO_MEMORY;
}

enum capture_outcome robot_capture_next(struct robot_capture *capture, struct armtap_packet *packet,
                                        const struct robot_event **hole)
{
    *hole = NULL;
    while (capture->given == capture->count) {
        enum capture_outcome outcome = take_event(capture, hole);
        if (outcome != CAPTURE_PACKET)
            return outcome;
    }
    const struct waiting *next = &capture->waiting[capture->given++];
    *packet = (struct armtap_packet){
        .size = sizeof(struct armtap_packet),
        .link_type = SYNTHETIC_LINK_TYPE,
        .where = {.size = sizeof packet->where, .time = next->time, .packet = ++capture->packets},
        .data = (const uint8_t *)capture->bytes.data + next->at,
        .captured = next->length,
        .length = next->length};
    return CAPTURE_PACKET;
}

const struct robot_tally *robot_capture_tallies(const struct robot_capture *capture)
{
    return capture->tallies;
}
