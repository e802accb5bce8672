/* The streams of an MCAP file and their channels. */
#define _POSIX_C_SOURCE 200809L
#include "mcap_output.h"

#include <inttypes.h>
#include <stdio.h>

#include "array.h"
#include "base/process/message.h"

/* ---- streams ----------------------------------------------------------------------------------------------------- */

void mcap_stream_free(struct stream *stream)
{
    for (size_t i = 0; i < stream->states.count; i++)
        free(stream->states.slots[i].thing);
    free(stream->states.slots);
    free(stream->robot);
    free(stream->client);
    free(stream);
}

struct stream *mcap_stream(struct mcap_output *output, const struct mcap_introduction *introduction)
{
    struct stream *stream = by_connection_find(&output->streams, introduction->stream);
    if (stream)
        return stream;
    stream = calloc(1, sizeof *stream);
    if (stream) {
        stream->number = introduction->stream;
        stream->has_prefix = output->target->settings->several_streams || output->streams.count > 0;
        stream->protocol = introduction->protocol;
        stream->generation = introduction->generation;
        stream->robot = strdup(introduction->robot);
        stream->client = strdup(introduction->client);
    }
    if (stream && stream->robot && stream->client && by_connection_add(&output->streams, stream->number, stream))
        return stream;
    if (stream)
        mcap_stream_free(stream);
    message_no_memory();
    return NULL;
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static void add_text(struct buffer *map, const char *key, const char *value)
{
    if (value && *value != '\0')
        mcap_map_add(map, key, value, strlen(value));
}

static void describe_stream(struct buffer *map, const struct stream *stream)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu32, stream->number);
    add_text(map, "armtap.robot", stream->robot);
    add_text(map, "armtap.client", stream->client);
    add_text(map, "armtap.stream", number);
    add_text(map, "armtap.protocol", armtap_protocol_name(stream->protocol));
}

/* Keeps what a bag's metadata says. 0, or -1 after a message. */
static int keep_topic(struct mcap_output *output, const char *name, const char *type)
{
    if (!output->target->settings->bag)
        return 0;
    if (!MAKE_ROOM(output->topics, output->topic_count))
        return message_no_memory();
    struct topic *topic = &output->topics[output->topic_count++];
    *topic = (struct topic){strdup(name), strdup(type)};
    return topic->name && topic->type ? 0 : message_no_memory();
}

/* Adds a channel of a stream, or of all: NULL. An id, or MCAP_NO_ID after a message. */
static unsigned add_channel(struct mcap_output *output, const struct stream *stream, unsigned schema, const char *name,
                            const char *type)
{
    char topic[100];
    struct buffer map = {0};
    snprintf(topic, sizeof topic, "%s", name);
    if (stream)
        describe_stream(&map, stream);
    if (stream && stream->has_prefix)
        snprintf(topic, sizeof topic, "/s%" PRIu32 "%s", stream->number, name);
    /* The defaults: how they are written depends on the release. */
    if (output->dialect->has_qos)
        mcap_map_add(&map, "offered_qos_profiles", "", 0);
    const struct mcap_channel channel = {schema, topic, output->dialect->message_encoding, &map};
    bool is_kept = !map.failed && keep_topic(output, topic, type) == 0;
    unsigned id = is_kept ? mcap_file_add_channel(output->file, &channel) : MCAP_NO_ID;
    if (map.failed)
        message_no_memory();
    free(map.data);
    return id;
}

struct channel *mcap_state_channel(struct mcap_output *output, struct stream *stream, const struct view *view)
{
    static const char *const names[] = {"/armtap/state", "/armtap/to_robot"};
    char name[40];
    const struct table_schema *schema = mcap_table_schema(output, view, stream->generation);
    if (!schema)
        return NULL;
    struct channel *channel = by_connection_find(&stream->states, schema->id);
    if (channel)
        return channel;
    bool to_robot = view->table->direction == ARMTAP_TO_ROBOT;
    unsigned count = ++stream->state_count[to_robot];
    snprintf(name, sizeof name, count > 1 ? "%s_%u" : "%s", names[to_robot], count);
    channel = calloc(1, sizeof *channel);
    if (!channel || !by_connection_add(&stream->states, schema->id, channel)) {
        free(channel);
        message_no_memory();
        return NULL;
    }
    channel->id = add_channel(output, stream, schema->id, name, schema->type);
    return channel->id == MCAP_NO_ID ? NULL : channel;
}

struct channel *mcap_topic_channel(struct mcap_output *output, struct stream *stream, enum ros_topic_id topic)
{
    bool is_shared = topic == ROS_TOPIC_rosout;
    struct channel *channel = is_shared ? &output->rosout : &stream->topics[topic];
    if (channel->id != MCAP_NO_ID)
        return channel;
    struct buffer type = {0}, text = {0};
    unsigned schema = mcap_topic_schema(output, topic);
    output->dialect->topic_schema(topic, &type, &text);
    buffer_char(&type, '\0');
    if (schema != MCAP_NO_ID && type.failed)
        message_no_memory();
    else if (schema != MCAP_NO_ID)
        channel->id = add_channel(output, is_shared ? NULL : stream, schema, ros_topic(topic)->name, type.data);
    free(type.data);
    free(text.data);
    return channel->id != MCAP_NO_ID ? channel : NULL;
}
