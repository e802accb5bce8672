/* What the messages in an MCAP file are: ROS 2's or JSON. For format_mcap. */
#ifndef EXPORT_MCAP_DIALECT_H
#define EXPORT_MCAP_DIALECT_H

#include "export/formats/format.h"
#include "ros/ros.h"

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
