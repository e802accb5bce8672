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

/* What has topics of its own: connections to one robot that follow one another. */
struct mcap_lane {
    struct channel topics[ROS_TOPICS];
    bool has_remarked;
    struct by_connection states; /* struct channel, by the id of its schema */
    unsigned state_count[2];
    char *prefix;         /* of its topics: "", "/s4", "/cell_3" */
    char *robot, *client; /* the first connection's, as the next two */
    uint32_t number;
    enum armtap_protocol protocol;
    uint32_t stream;                   /* that has it now */
    enum armtap_generation generation; /* of that stream's first row */
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
    struct by_connection lanes;   /* struct mcap_lane, by number */
    struct by_connection streams; /* in a file of one stream: those that it has */
};

/* The schema of a table's messages, whose first row is of that generation; NULL after a message. */
const struct table_schema *mcap_table_schema(struct mcap_output *output, const struct view *view,
                                             enum armtap_generation generation);
/* Topics of one type share its schema. An id, or MCAP_NO_ID after a message. */
unsigned mcap_topic_schema(struct mcap_output *output, enum ros_topic_id topic);

/* The lane of the stream that is introduced; NULL after a message. */
struct mcap_lane *mcap_lane(struct mcap_output *output, const struct mcap_introduction *introduction);
void mcap_lane_free(struct mcap_lane *lane);
/* The channel of a lane's messages with all fields of a table; NULL after a message. */
struct channel *mcap_state_channel(struct mcap_output *output, struct mcap_lane *lane, const struct view *view);
/* The channel of a lane's messages on a topic; NULL after a message. */
struct channel *mcap_topic_channel(struct mcap_output *output, struct mcap_lane *lane, enum ros_topic_id topic);

#endif
