/* An MCAP file that is being written: its streams, and the channels and schemas of their messages. For format_mcap. */
#ifndef EXPORT_MCAP_OUTPUT_H
#define EXPORT_MCAP_OUTPUT_H

#include "by_connection.h"
#include "mcap_messages.h"
#include "analysis/inside.h"

/* Messages of topics that are on change have an enclosed number and the four bytes before it. */
#define LAST_MAX 16
#define TYPE_MAX 60

/* A schema of a table's messages. Tables with equal schemas share one. */
struct table_schema {
    char type[TYPE_MAX];
    unsigned id;
    unsigned number; /* counts from 1 */
    uint64_t hash;   /* of its text */
    size_t length;
};

struct channel {
    unsigned id; /* MCAP_NO_ID: not yet */
    size_t last_length;
    char last[LAST_MAX]; /* on a topic that is on change: the last message, if it is that short */
};

struct stream {
    struct channel topics[ROS_TOPICS];
    bool has_remarked;
    struct by_connection states; /* struct channel, by the id of its schema */
    unsigned state_count[2];
    uint32_t number;
    bool has_prefix;
    char *robot, *client;
    enum armtap_protocol protocol;
    enum armtap_generation generation; /* of its first row */
};

/* What a bag's metadata says of a channel. */
struct topic {
    char *name;
    char *type;
};

/* What is known of a file. */
struct mcap_output {
    const struct mcap_dialect *dialect;
    struct mcap_file *file;
    struct target *target;
    struct buffer *bytes; /* where the file goes: of the current call */
    struct armtap_hash_key key;
    struct table_schema **schemas;
    size_t schema_count;
    unsigned topic_schemas[ROS_TOPICS]; /* MCAP_NO_ID: not yet */
    struct channel rosout;              /* of all streams: its messages name the robot */
    struct topic *topics;               /* of all channels, for a bag's metadata */
    size_t topic_count;
    struct by_connection tables;  /* struct table_schema, by the table's number */
    struct by_connection streams; /* struct stream, by number */
};

/* The schema of a table's messages, whose first row is of that generation; NULL after a message. */
const struct table_schema *mcap_table_schema(struct mcap_output *output, const struct view *view,
                                             enum armtap_generation generation);
/* Topics of one type share its schema. An id, or MCAP_NO_ID after a message. */
unsigned mcap_topic_schema(struct mcap_output *output, enum ros_topic_id topic);

/* The stream that is introduced; NULL after a message. */
struct stream *mcap_stream(struct mcap_output *output, const struct mcap_introduction *introduction);
void mcap_stream_free(struct stream *stream);
/* The channel of a stream's messages with all fields of a table; NULL after a message. */
struct channel *mcap_state_channel(struct mcap_output *output, struct stream *stream, const struct view *view);
/* The channel of a stream's messages on a topic; NULL after a message. */
struct channel *mcap_topic_channel(struct mcap_output *output, struct stream *stream, enum ros_topic_id topic);

#endif
