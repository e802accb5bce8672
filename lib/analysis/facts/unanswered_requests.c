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
        }
    }
}

void armtap_unanswered_event(struct unanswered_requests *dialogue, const struct armtap_event *event)
{
    bool is_close = event->type == ARMTAP_EVENT_CLOSE;
    bool is_packet = event->type == ARMTAP_EVENT_WINDOW || (is_close && event->a <= ARMTAP_CLOSE_RESET);
    if (is_packet && event->direction == ARMTAP_FROM_ROBOT)
        dialogue->robot_seen = true;
    if (is_close && dialogue->until.packet == 0)
        dialogue->until = event->where;
}

void armtap_unanswered_text(const struct unanswered_requests *dialogue, struct armtap_line *line)
{
    double seconds = armtap_time_seconds(dialogue->where.time, dialogue->until.time);
    if (!dialogue->robot_seen || dialogue->where.packet == 0)
        return;
    if (dialogue->asked != 0 && seconds >= NO_REPLY) {
        armtap_line_format(line, "the robot did not answer the request in packet %u for ", dialogue->where.packet);
        armtap_line_decimal(line, seconds, 3);
        armtap_line_string(line, " s");
    } else if (dialogue->asked == 0 && dialogue->granted && !dialogue->start_asked && seconds >= 0) {
        armtap_line_string(line, "the client never sent START, in ");
        armtap_line_decimal(line, seconds, 3);
        armtap_line_format(line, " s after its set-up in packet %u, so the robot sent no data", dialogue->where.packet);
    }
}
