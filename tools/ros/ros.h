/* Messages of ROS 2 made from records: the topics and types of UR's driver. What a record lacks is absent: its topic
 * has no message, or a sequence in it is empty. Everything here may be called by any thread. */
#ifndef ROS_ROS_H
#define ROS_ROS_H

#include "armtap.h"
#include "cdr.h"

enum ros_topic_id {
#define TOPIC(id, name, type, is_on_change) ROS_TOPIC_##id,
#include "topics.def"
    ROS_TOPICS
};

struct ros_topic {
    const char *name;  /* "/joint_states" */
    const char *type;  /* "sensor_msgs/JointState" */
    bool is_on_change; /* a message that equals the one before on its topic is to be dropped */
};
const struct ros_topic *ros_topic(enum ros_topic_id id);

/* Appends the type's name as schemas have it: sensor_msgs/msg/JointState. */
void ros_type_name(const struct ros_topic *topic, struct buffer *out);
/* Appends the definition of the topic's type and of all that it names, in the encoding "ros2msg". */
void ros_type_text(const struct ros_topic *topic, struct buffer *out);
/* The same for a definition of `length` bytes that is not in schemas.def; its types must have their package. */
void ros_definition(const char *text, size_t length, struct buffer *out);

enum ros_input {
#define INPUT(field) ROS_INPUT_##field,
#include "inputs.def"
    ROS_INPUTS
};
/* The input that a field is; ROS_INPUTS if it is none. */
enum ros_input ros_input_of(const struct armtap_field *field);

/* A record from a robot; with several arms, the first. */
struct ros_record {
    int64_t time;
    enum armtap_generation generation;
    unsigned release;                  /* as ros_release() has it */
    const struct armtap_value *values; /* ROS_INPUTS of them; those that the record lacks are not present */
};

/* The series of a controller, by the major number of its release: 3 is CB3, 5 e-Series, 10 PolyScope X. 0: unknown, or
 * not UR's. */
unsigned ros_release(const struct armtap_stream *stream);

/* Where messages go: each is announced, appended to `bytes` and ended. */
struct ros_out {
    struct buffer *bytes;
    void (*begin)(void *user, enum ros_topic_id topic);
    void (*end)(void *user);
    void *user;
};
/* The messages of a record, including those of topics that are on change. */
void ros_publish(const struct ros_record *record, const struct ros_out *out);
/* What a reader of the record's stream should know about its messages, to be said once: a sentence. NULL: nothing. */
const char *ros_remark(const struct ros_record *record);

enum ros_level { ROS_INFO = 20, ROS_WARNING = 30, ROS_ERROR = 40 };

/* A message for /rosout. Texts may hold any bytes: what is not UTF-8 is escaped. */
struct ros_log {
    int64_t time;
    enum ros_level level;
    const char *name; /* who says it: the robot */
    const char *text;
    size_t text_length;
    const char *file; /* the capture */
    const char *function;
    size_t function_length;
    uint64_t line; /* the packet */
};
void ros_publish_log(const struct ros_log *log, const struct ros_out *out);
/* The level of a finding. */
enum ros_level ros_level_of_severity(enum armtap_severity severity);

#endif
