#include "robot_event.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/process/message.h"
#include "nanoseconds.h"

void robot_event_say(const struct robot_event *event)
{
    const char *text = (const char *)event->bytes;
    if (event->kind == ROBOT_STILL)
        message_still(event->time - event->since);
    if (event->kind != ROBOT_SAID)
        return;
    if (event->severity == ARMTAP_ERROR)
        message_error("%s", text);
    else if (event->severity == ARMTAP_WARNING)
        message_warning("%s", text);
    else
        message_info("%s", text);
}

static void take_record(struct robot_tally *tally, int64_t time)
{
    tally->records++;
    tally->flows = true;
    if (tally->since != 0 && time > tally->since)
        tally->missing += time - tally->since;
    tally->since = 0;
}

static void take_end(struct robot_tally *tally, const struct robot_event *event)
{
    if (tally->flows && !event->is_end) {
        tally->interruptions++;
        tally->since = event->time;
    }
    tally->flows = false;
}

void robot_tally_take(struct robot_tally *tally, const struct robot_event *event)
{
    switch (event->kind) {
    case ROBOT_BYTES:
        if (event->is_record)
            take_record(tally, event->time);
        break;
    case ROBOT_DROPPED:
        tally->dropped += event->lost_messages;
        break;
    case ROBOT_CLOSED:
        take_end(tally, event);
        break;
    default:
        break;
    }
}

void robot_tally_add(struct robot_tally *sum, const struct robot_tally *one, int64_t now)
{
    sum->records += one->records;
    sum->dropped += one->dropped;
    sum->interruptions += one->interruptions;
    sum->missing += one->missing + (one->since != 0 && now > one->since ? now - one->since : 0);
}

void robot_tally_text(char to[ROBOT_TALLY_MAX], const struct robot_tally *tally)
{
    to[0] = '\0';
    if (tally->interruptions > 0)
        snprintf(to, ROBOT_TALLY_MAX, "; %" PRIu64 " interruption%s, %.1f s without data", tally->interruptions,
                 tally->interruptions == 1 ? "" : "s", (double)tally->missing / (double)SECOND);
}
