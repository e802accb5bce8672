#include "analysis/facts/detectors.h"

#include <string.h>

#include "analysis/numbers.h"

/* s; a controller answers within milliseconds */
#define NO_REPLY 1

/* Requests that a controller answers with a package of the same type. */
static const char requests[] = {ARMTAP_RTDE_VERSION, ARMTAP_RTDE_SETUP_OUTPUTS, ARMTAP_RTDE_SETUP_INPUTS,
                                ARMTAP_RTDE_START};

void armtap_unanswered_message(struct unanswered_requests *dialogue, const struct armtap_message *message)
{
    if (message->skipped || message->length < 3)
        return;
    uint8_t type = message->bytes[2];
    if (message->direction == ARMTAP_FROM_ROBOT) {
        dialogue->robot_seen = true;
        dialogue->granted = dialogue->granted || type == ARMTAP_RTDE_SETUP_OUTPUTS;
        dialogue->asked = type == dialogue->asked ? 0 : dialogue->asked;
    } else {
        if (memchr(requests, type, sizeof requests)) {
            dialogue->start_asked = dialogue->start_asked || type == ARMTAP_RTDE_START;
            dialogue->asked = type;
            dialogue->where = message->first;
            dialogue->heard = message->stream->packets[ARMTAP_FROM_ROBOT];
        }
    }
}

void armtap_unanswered_event(struct unanswered_requests *dialogue, const struct armtap_event *event)
{
    bool is_packet =
        event->type == ARMTAP_EVENT_WINDOW || (event->type == ARMTAP_EVENT_CLOSE && event->a <= ARMTAP_CLOSE_RESET);
    if (is_packet && event->direction == ARMTAP_FROM_ROBOT)
        dialogue->robot_seen = true;
    if (event->type == ARMTAP_EVENT_CLOSE && !dialogue->is_closing) {
        dialogue->is_closing = true;
        dialogue->until = event->where.time;
    }
}

void armtap_unanswered_end(const struct unanswered_requests *dialogue, struct findings *findings,
                           const struct armtap_event *close)
{
    const struct armtap_stream *stream = close->stream;
    double seconds = armtap_time_seconds(dialogue->where.time, dialogue->until);
    bool is_whole = !stream->midstream && stream->bytes_lost[0] + stream->bytes_lost[1] == 0;
    bool is_over = close->a != ARMTAP_CLOSE_END_OF_CAPTURE;
    bool is_asked = dialogue->asked != 0, is_left = dialogue->granted && !dialogue->start_asked;
    if (!dialogue->robot_seen || dialogue->where.packet == 0 || !is_whole || !(is_asked || is_left) ||
        !(seconds >= (is_over && !is_asked ? 0 : NO_REPLY)))
        return;
    armtap_findings_raise(
        findings, &(struct fact){.code = is_asked ? ARMTAP_FINDING_rtde_no_reply : ARMTAP_FINDING_rtde_no_data,
                                 .stream = stream,
                                 .where = &close->where,
                                 .arguments = ARGS(arg_duration_s(seconds), arg_since_packet(dialogue->where.packet),
                                                   arg_is_acknowledged(is_asked && stream->packets[ARMTAP_FROM_ROBOT] >
                                                                                       dialogue->heard),
                                                   arg_is_earlier_file(dialogue->where.file != close->where.file))});
}
