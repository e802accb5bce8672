/* The lanes of an MCAP file and their channels. */
#define _POSIX_C_SOURCE 200809L
#include "mcap_output.h"

#include <inttypes.h>
#include <stdio.h>

#include "array.h"
#include "base/process/message.h"
#include "input/robots/labels.h"

#define TOPIC_MAX 200

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

void mcap_lane_free(struct mcap_lane *lane)
{
    for (size_t i = 0; i < lane->states.count; i++)
        free(lane->states.slots[i].thing);
    free(lane->states.slots);
    free(lane->prefix);
    free(lane->robot);
    free(lane->client);
    free(lane);
}

/* A label names the topics, in every file the same: RTDE's as they are, those of other protocols and of further clients
 * in a part of their own. Without one, the number of the stream does, if there are several lanes. */
static char *make_prefix(const struct mcap_output *output, const struct mcap_introduction *lane)
{
    const struct format_settings *settings = output->target->settings;
    const char *topic = labels_topic(settings->labels, lane->robot), *protocol = armtap_protocol_name(lane->protocol);
    char prefix[TOPIC_MAX], client[24] = "";
    bool is_rtde = lane->protocol == ARMTAP_RTDE;
    if (lane->place > 1)
        snprintf(client, sizeof client, "/client_%" PRIu32, lane->place);
    if (topic)
        snprintf(prefix, sizeof prefix, "/%.120s%s%s%s", topic, is_rtde ? "" : "/", is_rtde ? "" : protocol, client);
    else
        snprintf(prefix, sizeof prefix, "/s%" PRIu32, lane->lane);
    return strdup(topic || settings->several_lanes || output->lanes.count > 0 ? prefix : "");
}

static struct mcap_lane *make_lane(struct mcap_output *output, const struct mcap_introduction *introduction)
{
    struct mcap_lane *lane = calloc(1, sizeof *lane);
    if (lane) {
        lane->number = introduction->lane;
        lane->stream = introduction->stream;
        lane->protocol = introduction->protocol;
        lane->prefix = make_prefix(output, introduction);
        lane->robot = strdup(introduction->robot);
        lane->client = strdup(introduction->client);
    }
    if (lane && lane->prefix && lane->robot && lane->client && by_connection_add(&output->lanes, lane->number, lane))
        return lane;
    if (lane)
        mcap_lane_free(lane);
    message_no_memory();
    return NULL;
}

/* A topic that is on change begins with its state on each connection. */
static void begin_stream(struct mcap_lane *lane, uint32_t stream)
{
    for (size_t i = 0; i < ROS_TOPICS; i++)
        lane->topics[i].last_length = 0;
    lane->stream = stream;
}

struct mcap_lane *mcap_lane(struct mcap_output *output, const struct mcap_introduction *introduction)
{
    struct mcap_lane *lane = by_connection_find(&output->lanes, introduction->lane);
    bool is_split = output->target->settings->is_split;
    if (is_split && !by_connection_find(&output->streams, introduction->stream) &&
        !by_connection_add(&output->streams, introduction->stream, output)) {
        message_no_memory();
        return NULL;
    }
    lane = lane ? lane : make_lane(output, introduction);
    if (lane && lane->stream != introduction->stream)
        begin_stream(lane, introduction->stream);
    if (lane)
        lane->generation = introduction->generation;
    return lane;
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static void add_text(struct buffer *map, const char *key, const char *value)
{
    if (value && *value != '\0')
        mcap_map_add(map, key, value, strlen(value));
}

static void describe_lane(struct buffer *map, const struct mcap_lane *lane)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu32, lane->number);
    add_text(map, "armtap.robot", lane->robot);
    add_text(map, "armtap.client", lane->client);
    add_text(map, "armtap.stream", number);
    add_text(map, "armtap.protocol", armtap_protocol_name(lane->protocol));
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

/* Adds a channel of a lane, or of all: NULL. An id, or MCAP_NO_ID after a message. */
static unsigned add_channel(struct mcap_output *output, const struct mcap_lane *lane, unsigned schema, const char *name,
                            const char *type)
{
    char topic[TOPIC_MAX + 100];
    struct buffer map = {0};
    snprintf(topic, sizeof topic, "%s%s", lane ? lane->prefix : "", name);
    if (lane)
        describe_lane(&map, lane);
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

struct channel *mcap_state_channel(struct mcap_output *output, struct mcap_lane *lane, const struct view *view)
{
    static const char *const names[] = {"/armtap/state", "/armtap/to_robot"};
    char name[40];
    const struct table_schema *schema = mcap_table_schema(output, view, lane->generation);
    if (!schema)
        return NULL;
    struct channel *channel = by_connection_find(&lane->states, schema->id);
    if (channel)
        return channel;
    bool to_robot = view->table->direction == ARMTAP_TO_ROBOT;
    unsigned count = ++lane->state_count[to_robot];
    snprintf(name, sizeof name, count > 1 ? "%s_%u" : "%s", names[to_robot], count);
    channel = calloc(1, sizeof *channel);
    if (!channel || !by_connection_add(&lane->states, schema->id, channel)) {
        free(channel);
        message_no_memory();
        return NULL;
    }
    channel->id = add_channel(output, lane, schema->id, name, schema->type);
    return channel->id == MCAP_NO_ID ? NULL : channel;
}

struct channel *mcap_topic_channel(struct mcap_output *output, struct mcap_lane *lane, enum ros_topic_id topic)
{
    bool is_shared = topic == ROS_TOPIC_rosout;
    struct channel *channel = is_shared ? &output->rosout : &lane->topics[topic];
    if (channel->id != MCAP_NO_ID)
        return channel;
    struct buffer type = {0}, text = {0};
    unsigned schema = mcap_topic_schema(output, topic);
    output->dialect->topic_schema(topic, &type, &text);
    buffer_char(&type, '\0');
    if (schema != MCAP_NO_ID && type.failed)
        message_no_memory();
    else if (schema != MCAP_NO_ID)
        channel->id = add_channel(output, is_shared ? NULL : lane, schema, ros_topic(topic)->name, type.data);
    free(type.data);
    free(text.data);
    return channel->id != MCAP_NO_ID ? channel : NULL;
}
