/* MCAP with messages of ROS 2: all fields, the topics of UR's driver, and texts. */
#include "mcap_messages.h"
#include "ros_rows.h"

#define NO_STREAM UINT64_MAX

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

static void put_topic_schema(enum ros_topic_id topic, struct buffer *name, struct buffer *text)
{
    ros_type_name(ros_topic(topic), name);
    ros_type_text(ros_topic(topic), text);
}

static const char *member_name(const struct pick *pick, size_t *length)
{
    *length = strlen(pick->key);
    return pick->key;
}

const struct mcap_dialect mcap_ros2 = {.profile = "ros2",
                                       .schema_encoding = "ros2msg",
                                       .message_encoding = "cdr",
                                       .state_type = "armtap_msgs/msg/State",
                                       .state_schema = ros_state_schema,
                                       .topic_schema = put_topic_schema,
                                       .log = ros_publish_log,
                                       .member = member_name,
                                       .has_qos = true};

int mcap_ros2_prepare(struct view *view, enum armtap_generation generation)
{
    (void)generation;
    return ros_name_members(view);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void put_remark(const struct mcap_posting *given, const char *remark)
{
    struct mcap_posting posting = {.out = given->out, .row = given->row, .is_remark = true};
    const struct ros_out out = mcap_posting_out(&posting);
    const struct ros_log log = {.time = given->row->read.time,
                                .level = ROS_INFO,
                                .name = given->row->robot,
                                .text = remark,
                                .text_length = strlen(remark),
                                .file = "",
                                .function = ""};
    ros_publish_log(&log, &out);
}

/* Puts the messages of a row. `remarked`: the stream of the last remark in the batch, or NO_STREAM. */
static void put_row(struct ros_rows *rows, const struct output_row *row, uint64_t *remarked, struct buffer *bytes)
{
    struct mcap_posting posting = {.out = bytes, .row = row};
    const struct ros_out out = mcap_posting_out(&posting);
    posting.begin = mcap_message_begin(bytes, MARK_STATE, row->stream, row->read.time);
    ros_rows_state(rows, row, bytes);
    mcap_message_end(bytes, posting.begin);
    if (row->direction == ARMTAP_TO_ROBOT)
        return;
    const struct ros_record record = ros_rows_record(rows, row);
    ros_publish(&record, &out);
    const char *remark = *remarked != row->stream ? ros_remark(&record) : NULL;
    if (!remark)
        return;
    put_remark(&posting, remark);
    *remarked = row->stream;
}

int mcap_ros2_rows(const struct row_batch *batch, struct buffer *out)
{
    struct ros_rows *rows = ros_rows_new(batch->view);
    uint64_t remarked = NO_STREAM;
    for (size_t i = 0; i < batch->count && rows; i++) {
        const struct output_row *row = &batch->rows[i];
        if (i == 0 || mcap_needs_introduction(row))
            mcap_introduce(row, out);
        put_row(rows, row, &remarked, out);
    }
    bool failed = !rows || out->failed;
    *batch->misfits += rows ? ros_rows_misfits(rows) : 0;
    ros_rows_free(rows);
    return failed ? -1 : 0;
}
