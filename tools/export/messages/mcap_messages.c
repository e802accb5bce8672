#include "mcap_messages.h"

void mcap_introduce(const struct output_row *row, struct buffer *out)
{
    const uint32_t numbers[] = {row->stream, row->lane, row->place, (uint32_t)row->protocol, (uint32_t)row->generation};
    size_t begin = mcap_aside_begin(out);
    buffer_put(out, (const char *)numbers, sizeof numbers);
    buffer_put(out, row->robot, strlen(row->robot) + 1);
    buffer_put(out, row->client, strlen(row->client) + 1);
    mcap_message_end(out, begin);
}

struct mcap_introduction mcap_introduction_of(const struct mcap_message *message)
{
    uint32_t numbers[5];
    memcpy(numbers, message->data, sizeof numbers);
    const char *robot = message->data + sizeof numbers;
    return (struct mcap_introduction){.stream = numbers[0],
                                      .lane = numbers[1],
                                      .place = numbers[2],
                                      .protocol = (enum armtap_protocol)numbers[3],
                                      .generation = (enum armtap_generation)numbers[4],
                                      .robot = robot,
                                      .client = robot + strlen(robot) + 1};
}

static void begin_message(void *user, enum ros_topic_id topic)
{
    struct mcap_posting *posting = user;
    posting->begin = mcap_message_begin(posting->out, posting->is_remark ? MARK_REMARK : topic, posting->row->stream,
                                        posting->row->read.time);
}

static void end_message(void *user)
{
    struct mcap_posting *posting = user;
    mcap_message_end(posting->out, posting->begin);
}

struct ros_out mcap_posting_out(struct mcap_posting *posting)
{
    return (struct ros_out){posting->out, begin_message, end_message, posting};
}
