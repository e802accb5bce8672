/* Messages on their way to an MCAP file: any thread makes them, and format_mcap finds their channels. */
#ifndef EXPORT_MCAP_MESSAGES_H
#define EXPORT_MCAP_MESSAGES_H

#include "export/formats/format.h"
#include "mcap/mcap.h"
#include "ros/ros.h"

/* What messages on their way to a file are marked with: a topic of the driver, or this. Their other mark is the stream.
 */
enum { MARK_STATE = ROS_TOPICS, MARK_REMARK };

/* What the channels of a stream say of it; comes before its first message in a batch. */
struct mcap_introduction {
    uint32_t stream, lane, place; /* as the row has them */
    enum armtap_protocol protocol;
    enum armtap_generation generation;
    const char *robot, *client;
};
/* Appends that of a row's stream. */
void mcap_introduce(const struct output_row *row, struct buffer *out);
/* Whether a row needs another one than the row before in its batch. */
static inline bool mcap_needs_introduction(const struct output_row *row)
{
    return row->stream != row[-1].stream || row->lane != row[-1].lane;
}
/* Reads it. The message must outlive it. */
struct mcap_introduction mcap_introduction_of(const struct mcap_message *message);

/* Messages of a row that are being appended, by ros_publish() and others. */
struct mcap_posting {
    struct buffer *out;
    const struct output_row *row;
    size_t begin;
    bool is_remark;
};
/* The posting must outlive it. */
struct ros_out mcap_posting_out(struct mcap_posting *posting);

/* What the messages in an MCAP file are: ROS 2's or JSON. For format_mcap. */

struct mcap_dialect {
    const char *profile;
    const char *schema_encoding, *message_encoding;
    const char *state_type;
    /* Of messages with all fields. */
    void (*state_schema)(const struct view *view, struct buffer *out);
    /* Of a topic; only ROS 2's dialect has others than rosout. */
    void (*topic_schema)(enum ros_topic_id topic, struct buffer *name, struct buffer *text);
    void (*log)(const struct ros_log *log, const struct ros_out *out);
    /* The name of a pick's member, from its key. */
    const char *(*member)(const struct pick *pick, size_t *length);
    bool has_qos;
};

/* Each with two functions of its writer (format.h). */
extern const struct mcap_dialect mcap_ros2;
int mcap_ros2_prepare(struct view *view, enum armtap_generation generation);
int mcap_ros2_rows(const struct row_batch *batch, struct buffer *out);

extern const struct mcap_dialect mcap_json;
int mcap_json_prepare(struct view *view, enum armtap_generation generation);
int mcap_json_rows(const struct row_batch *batch, struct buffer *out);

#endif
