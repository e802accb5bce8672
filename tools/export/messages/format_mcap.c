/* MCAP: the topics of a record and their messages, in a file of channels (tools/mcap). The dialects make the messages;
 * here they reach the file. */
#include <string.h>

#include "base/process/message.h"
#include "mcap_output.h"
#include "analysis/inside.h"

/* A field's line in the schema, of which a file has two. */
#define COLUMN_COST 80
#define WRITE_BYTES ((size_t)1 << 16)

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int take_bytes(void *user, const char *bytes, size_t length)
{
    struct mcap_output *output = user;
    buffer_put(output->bytes, bytes, length);
    return output->bytes->failed || output->bytes->length >= WRITE_BYTES ? target_write_out(output->target) : 0;
}

static int describe(struct mcap_output *output)
{
    struct buffer map = {0};
    mcap_map_add(&map, "version", armtap_version(), strlen(armtap_version()));
    int outcome = map.failed ? message_no_memory() : mcap_file_add_metadata(output->file, "armtap", &map);
    free(map.data);
    return outcome;
}

static int open_file(struct target *target, const struct mcap_dialect *dialect, struct buffer *out)
{
    struct mcap_output *output = calloc(1, sizeof *output);
    if (!output)
        return message_no_memory();
    target->state = output;
    *output = (struct mcap_output){.dialect = dialect, .target = target, .bytes = out, .key = armtap_hash_draw_key()};
    const struct mcap_options options = {.packer = target->settings->packer,
                                         .spool = target->settings->spool,
                                         .write = take_bytes,
                                         .user = output,
                                         .is_alone = !target->settings->is_split,
                                         .profile = dialect->profile,
                                         .library = "armtap " ARMTAP_VERSION};
    output->file = mcap_file_new(&options);
    if (!output->file)
        return message_no_memory();
    return mcap_file_open(output->file) == 0 ? describe(output) : -1;
}

/* Schemas follow with the first rows that need them: what is said of fields depends on the rows' generation. */
static int ros2_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)view;
    return target->state ? 0 : open_file(target, &mcap_ros2, out);
}

static int json_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)view;
    return target->state ? 0 : open_file(target, &mcap_json, out);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* On a topic that is on change, a message that equals the last one is left out. 0, or -1 after a message. */
static int put_on_topic(struct mcap_output *output, struct mcap_lane *lane, enum ros_topic_id topic,
                        const struct mcap_message *message)
{
    struct channel *channel = mcap_topic_channel(output, lane, topic);
    bool is_short = ros_topic(topic)->is_on_change && message->length <= LAST_MAX;
    if (!channel)
        return -1;
    if (is_short && channel->last_length == message->length &&
        memcmp(channel->last, message->data, message->length) == 0)
        return 0;
    if (is_short) {
        channel->last_length = message->length;
        memcpy(channel->last, message->data, message->length);
    }
    return mcap_file_message(output->file, channel->id, message);
}

static int place_message(struct mcap_output *output, const struct view *view, struct mcap_lane *lane,
                         const struct mcap_message *message)
{
    if (message->mark < ROS_TOPICS)
        return put_on_topic(output, lane, (enum ros_topic_id)message->mark, message);
    if (message->mark == MARK_REMARK && lane->has_remarked)
        return 0;
    if (message->mark == MARK_REMARK) {
        lane->has_remarked = true;
        return put_on_topic(output, lane, ROS_TOPIC_rosout, message);
    }
    const struct channel *channel = mcap_state_channel(output, lane, view);
    return channel ? mcap_file_message(output->file, channel->id, message) : -1;
}

static int mcap_place(struct target *target, const struct view *view, const char *bytes, size_t length,
                      struct buffer *out)
{
    struct mcap_output *output = target->state;
    struct mcap_lane *lane = NULL;
    int outcome = 0;
    output->bytes = out;
    for (size_t from = 0; from < length && outcome == 0;) {
        const struct mcap_message message = mcap_message_at(bytes + from);
        if (message.is_aside) {
            const struct mcap_introduction introduction = mcap_introduction_of(&message);
            lane = mcap_lane(output, &introduction);
            outcome = lane ? 0 : -1;
        } else {
            outcome = place_message(output, view, lane, &message);
        }
        from += message.record_length;
    }
    target->held = mcap_file_held(output->file);
    return outcome;
}

static int mcap_ease(struct target *target, struct buffer *out)
{
    struct mcap_output *output = target->state;
    output->bytes = out;
    int outcome = mcap_file_ease(output->file);
    target->held = mcap_file_held(output->file);
    return outcome;
}

static int mcap_show(struct target *target, struct buffer *out)
{
    struct mcap_output *output = target->state;
    output->bytes = out;
    int outcome = mcap_file_flush(output->file);
    target->held = mcap_file_held(output->file);
    return outcome;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* Whether a remark is about what the file holds. */
static bool is_of_file(const struct mcap_output *output, const struct remark *remark)
{
    return !remark->robot || !output->target->settings->is_split ||
           by_connection_look_up(&output->streams, remark->stream);
}

static int put_finding(struct mcap_output *output, const struct remark *remark, struct buffer *bytes)
{
    const struct output_row row = {.read = {.time = remark->time}};
    struct mcap_posting posting = {.out = bytes, .row = &row};
    const struct ros_out out = mcap_posting_out(&posting);
    struct buffer text = {0};
    bool several_files = output->target->settings->several_files;
    buffer_string(&text, remark->kind->id);
    buffer_string(&text, ": ");
    buffer_string(&text, remark->text);
    const struct ros_log log = {.time = remark->time,
                                .level = ros_level_of_severity(remark->kind->severity),
                                .name = remark->robot ? remark->robot : "armtap",
                                .text = text.data,
                                .text_length = text.length,
                                .file = several_files && remark->file ? remark->file : "",
                                .function = remark->kind->id,
                                .function_length = strlen(remark->kind->id),
                                .line = remark->packet};
    bytes->length = 0;
    output->dialect->log(&log, &out);
    bool failed = text.failed || bytes->failed;
    free(text.data);
    if (failed)
        return message_no_memory();
    const struct mcap_message message = mcap_message_at(bytes->data);
    return put_on_topic(output, NULL, ROS_TOPIC_rosout, &message);
}

static int put_findings(struct mcap_output *output)
{
    struct buffer bytes = {0};
    struct remark remark;
    int outcome = 0;
    for (size_t i = 0; outcome == 0 && remarks_next(output->target->settings->remarks, &i, &remark);)
        if (is_of_file(output, &remark))
            outcome = put_finding(output, &remark, &bytes);
    free(bytes.data);
    return outcome;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Topics are in the order of their channels' ids. */
static void describe_bag(const struct mcap_output *output)
{
    const struct format_settings *settings = output->target->settings;
    const struct mcap_counts counts = mcap_file_counts(output->file);
    *settings->bag_counts = (struct bag_counts){counts.messages, counts.first, counts.last};
    for (size_t i = 0; i < output->topic_count; i++)
        bag_topic(settings->bag, output->topics[i].name, output->topics[i].type,
                  mcap_file_channel_messages(output->file, (unsigned)i + 1));
}

static int mcap_end(struct target *target, struct buffer *out)
{
    struct mcap_output *output = target->state;
    if (!output)
        return 0;
    output->bytes = out;
    if (put_findings(output) != 0 || mcap_file_end(output->file) != 0)
        return -1;
    if (target->settings->bag)
        describe_bag(output);
    return 0;
}

static void mcap_forget(struct target *target)
{
    struct mcap_output *output = target->state;
    if (!output)
        return;
    for (size_t i = 0; i < output->lanes.count; i++)
        mcap_lane_free(output->lanes.slots[i].thing);
    free(output->lanes.slots);
    for (size_t i = 0; i < output->schema_count; i++)
        free(output->schemas[i]);
    for (size_t i = 0; i < output->topic_count; i++) {
        free(output->topics[i].name);
        free(output->topics[i].type);
    }
    free(output->topics);
    free(output->streams.slots);
    free(output->tables.slots);
    free(output->schemas);
    mcap_file_free(output->file);
    free(output);
}

/* The dialects differ in what a message is, not in how it reaches its file. */
#define WRITER(dialect)                                                                                                \
    {                                                                                                                  \
        .column_cost = COLUMN_COST, .prepare = mcap_##dialect##_prepare, .begin = dialect##_begin,                     \
        .rows = mcap_##dialect##_rows, .place = mcap_place, .ease = mcap_ease, .show = mcap_show, .end = mcap_end,     \
        .forget = mcap_forget                                                                                          \
    }
const struct writer writer_mcap = WRITER(ros2);
const struct writer writer_mcap_ros2 = WRITER(ros2);
const struct writer writer_mcap_json = WRITER(json);
