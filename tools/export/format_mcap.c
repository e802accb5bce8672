/* MCAP: the topics of a record and their messages, in a file of channels (tools/mcap). */
#define _POSIX_C_SOURCE 200809L
#include "by_connection.h"
#include "format.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/little_endian.h"
#include "base/message.h"
#include "field_notes.h"
#include "mcap/mcap.h"
#include "mcap_json.h"
#include "ros_rows.h"

/* A field's line in the schema, of which a file has two. */
#define COLUMN_COST 80
/* Messages of topics that are on change have an enclosed number and the four bytes before it. */
#define LAST_MAX 16
#define WRITE_BYTES ((size_t)1 << 16)

/* What messages on their way to a file are marked with: a topic of the driver, or this. Their other mark is the stream.
 */
enum { MARK_STATE = ROS_TOPICS, MARK_REMARK };

#define NO_STREAM UINT64_MAX

/* What the messages of a dialect are. */
struct dialect {
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

#define TYPE_MAX 60

/* A schema of a table's messages. Tables with equal schemas share one. */
struct table_schema {
    char type[TYPE_MAX];
    unsigned id;
    unsigned number; /* counts those of its direction from 1 */
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
struct state {
    const struct dialect *dialect;
    struct mcap_file *file;
    struct target *target;
    struct buffer *out; /* of the current call */
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

static int lack_memory(void)
{
    message_no_memory();
    return -1;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Before the first message of a stream in a batch: what its channels say of it. Begins like a record of a file; its
 * opcode is one of those that the format leaves to others. */
#define INTRODUCTION '\x80'
enum { HEAD = 9 };

static void introduce(const struct output_row *row, struct buffer *out)
{
    const uint32_t numbers[] = {row->stream, (uint32_t)row->protocol, (uint32_t)row->generation};
    size_t begin = out->length;
    char *head = buffer_room(out, HEAD);
    if (!head)
        return;
    out->length += HEAD;
    buffer_put(out, (const char *)numbers, sizeof numbers);
    buffer_put(out, row->robot, strlen(row->robot) + 1);
    buffer_put(out, row->client, strlen(row->client) + 1);
    if (out->failed)
        return;
    out->data[begin] = INTRODUCTION;
    le64_store(out->data + begin + 1, out->length - begin - HEAD);
}

/* Messages of a row that are being appended. */
struct posting {
    struct buffer *out;
    const struct output_row *row;
    size_t begin;
    bool is_remark;
};

static void begin_message(void *user, enum ros_topic_id topic)
{
    struct posting *posting = user;
    posting->begin = mcap_message_begin(posting->out, posting->is_remark ? MARK_REMARK : topic, posting->row->stream,
                                        posting->row->where.time);
}

static void end_message(void *user)
{
    struct posting *posting = user;
    mcap_message_end(posting->out, posting->begin);
}

static void put_remark(const struct posting *given, const char *remark)
{
    struct posting posting = {.out = given->out, .row = given->row, .is_remark = true};
    const struct ros_out out = {given->out, begin_message, end_message, &posting};
    const struct ros_log log = {.time = given->row->where.time,
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
    struct posting posting = {.out = bytes, .row = row};
    const struct ros_out out = {bytes, begin_message, end_message, &posting};
    posting.begin = mcap_message_begin(bytes, MARK_STATE, row->stream, row->where.time);
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

static int mcap_rows(const struct row_batch *batch, struct buffer *out)
{
    if (!batch->view->table)
        return 0;
    struct ros_rows *rows = ros_rows_new(batch->view);
    uint64_t remarked = NO_STREAM;
    for (size_t i = 0; i < batch->count && rows; i++) {
        const struct output_row *row = &batch->rows[i];
        if (i == 0 || row->stream != row[-1].stream)
            introduce(row, out);
        put_row(rows, row, &remarked, out);
    }
    bool failed = !rows || out->failed;
    ros_rows_free(rows);
    return failed ? -1 : 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int take_bytes(void *user, const char *bytes, size_t length)
{
    struct state *state = user;
    buffer_put(state->out, bytes, length);
    return state->out->failed || state->out->length >= WRITE_BYTES ? target_write_out(state->target) : 0;
}

static int describe(struct state *state)
{
    struct buffer map = {0};
    mcap_map_add(&map, "version", armtap_version(), strlen(armtap_version()));
    int outcome = map.failed ? lack_memory() : mcap_file_add_metadata(state->file, "armtap", &map);
    free(map.data);
    return outcome;
}

static int open_file(struct target *target, const struct dialect *dialect, struct buffer *out)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return lack_memory();
    target->state = state;
    *state = (struct state){.dialect = dialect, .target = target, .out = out, .key = armtap_hash_draw_key()};
    const struct mcap_options options = {.packer = target->settings->packer,
                                         .spool = target->settings->spool,
                                         .write = take_bytes,
                                         .user = state,
                                         .is_alone = !target->settings->is_split,
                                         .profile = dialect->profile,
                                         .library = "armtap " ARMTAP_VERSION};
    state->file = mcap_file_new(&options);
    if (!state->file)
        return lack_memory();
    return mcap_file_open(state->file) == 0 ? describe(state) : -1;
}

/* ---- schemas of tables ------------------------------------------------------------------------------------------- */

/* The schema that has that text already, or NULL. */
static struct table_schema *find_schema(const struct state *state, uint64_t hash, size_t length)
{
    for (size_t i = 0; i < state->schema_count; i++)
        if (state->schemas[i]->hash == hash && state->schemas[i]->length == length)
            return state->schemas[i];
    return NULL;
}

/* The field of a pick, if its value is what the dictionary describes. */
static const struct armtap_field *field_of(const struct view *view, const struct pick *pick)
{
    bool is_field = pick->row_column == ROW_COLUMN_NONE && pick->column != TABLE_NONE && !pick->by_name;
    return is_field ? view->table->columns[pick->column].field : NULL;
}

/* Notes of one kind on all fields, as a JSON object by their names in messages. */
static void put_notes(const struct state *state, const struct view *view, enum armtap_generation generation,
                      size_t kind, struct buffer *object)
{
    buffer_char(object, '{');
    for (size_t i = 0; i < view->picks.count && !object->failed; i++) {
        const struct pick *pick = &view->picks.pick[i];
        const struct armtap_field *field = field_of(view, pick);
        size_t length;
        const char *name = state->dialect->member(pick, &length);
        if (field)
            field_note_put(kind, field, generation, name, length, object);
    }
    buffer_char(object, '}');
}

/* Adds metadata under the name of a schema: units, names of modes and bits. 0, or -1 after a message. */
static int note_fields(struct state *state, const struct view *view, enum armtap_generation generation,
                       const char *type)
{
    struct buffer map = {0}, object = {0};
    for (size_t kind = 0; field_note_key(kind); kind++) {
        object.length = 0;
        put_notes(state, view, generation, kind, &object);
        if (object.length > strlen("{}"))
            mcap_map_add(&map, field_note_key(kind), object.data, object.length);
    }
    int outcome = map.failed || object.failed ? lack_memory()
                  : map.length > 0            ? mcap_file_add_metadata(state->file, type, &map)
                                              : 0;
    free(map.data);
    free(object.data);
    return outcome;
}

/* NULL after a message. */
static struct table_schema *add_schema(struct state *state, const struct view *view, enum armtap_generation generation,
                                       const struct buffer *text, uint64_t hash)
{
    struct table_schema **schemas = realloc(state->schemas, (state->schema_count + 1) * sizeof *schemas);
    if (!schemas) {
        lack_memory();
        return NULL;
    }
    state->schemas = schemas;
    struct table_schema *schema = calloc(1, sizeof *schema);
    if (!schema) {
        lack_memory();
        return NULL;
    }
    *schema = (struct table_schema){.number = (unsigned)state->schema_count + 1, .hash = hash, .length = text->length};
    snprintf(schema->type, sizeof schema->type, schema->number > 1 ? "%s%u" : "%s", state->dialect->state_type,
             schema->number);
    state->schemas[state->schema_count++] = schema;
    const struct mcap_schema described = {schema->type, state->dialect->schema_encoding, text->data, text->length - 1};
    if (note_fields(state, view, generation, schema->type) != 0)
        return NULL;
    schema->id = mcap_file_add_schema(state->file, &described);
    return schema->id == MCAP_NO_ID ? NULL : schema;
}

/* The schema of a table, whose first row is of that generation; NULL after a message. */
static struct table_schema *begin_table(struct state *state, const struct view *view, enum armtap_generation generation)
{
    struct buffer text = {0};
    struct table_schema *schema = NULL;
    state->dialect->state_schema(view, &text);
    buffer_char(&text, '\0');
    if (text.failed) {
        lack_memory();
    } else {
        uint64_t hash = armtap_hash_text(&state->key, text.data);
        schema = find_schema(state, hash, text.length);
        schema = schema ? schema : add_schema(state, view, generation, &text, hash);
    }
    free(text.data);
    if (schema && !by_connection_add(&state->tables, view->table->number, schema)) {
        lack_memory();
        return NULL;
    }
    return schema;
}

/* Schemas follow with the first rows that need them: what is said of fields depends on the rows' generation. */
static int begin(struct target *target, const struct dialect *dialect, struct buffer *out)
{
    return target->state ? 0 : open_file(target, dialect, out);
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static void free_stream(struct stream *stream)
{
    for (size_t i = 0; i < stream->states.count; i++)
        free(stream->states.slots[i].thing);
    free(stream->states.slots);
    free(stream->robot);
    free(stream->client);
    free(stream);
}

/* The stream that is introduced; NULL after a message. */
static struct stream *meet(struct state *state, const char *record)
{
    uint32_t numbers[3];
    memcpy(numbers, record + HEAD, sizeof numbers);
    const char *robot = record + HEAD + sizeof numbers, *client = robot + strlen(robot) + 1;
    struct stream *stream = by_connection_find(&state->streams, numbers[0]);
    if (stream)
        return stream;
    stream = calloc(1, sizeof *stream);
    if (stream) {
        stream->number = numbers[0];
        stream->has_prefix = state->target->settings->several_streams || state->streams.count > 0;
        stream->protocol = (enum armtap_protocol)numbers[1];
        stream->generation = (enum armtap_generation)numbers[2];
        stream->robot = strdup(robot);
        stream->client = strdup(client);
    }
    if (stream && stream->robot && stream->client && by_connection_add(&state->streams, numbers[0], stream))
        return stream;
    if (stream)
        free_stream(stream);
    lack_memory();
    return NULL;
}

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
static int keep_topic(struct state *state, const char *name, const char *type)
{
    if (!state->target->settings->bag)
        return 0;
    struct topic *topics = realloc(state->topics, (state->topic_count + 1) * sizeof *topics);
    if (!topics)
        return lack_memory();
    state->topics = topics;
    struct topic *topic = &topics[state->topic_count++];
    *topic = (struct topic){strdup(name), strdup(type)};
    return topic->name && topic->type ? 0 : lack_memory();
}

/* Adds a channel of a stream, or of all: NULL. An id, or MCAP_NO_ID after a message. */
static unsigned add_channel(struct state *state, const struct stream *stream, unsigned schema, const char *name,
                            const char *type)
{
    char topic[100];
    struct buffer map = {0};
    snprintf(topic, sizeof topic, "%s", name);
    if (stream)
        describe_stream(&map, stream);
    if (stream && stream->has_prefix)
        snprintf(topic, sizeof topic, "/s%" PRIu32 "%s", stream->number, name);
    if (state->dialect->has_qos)
        mcap_map_add(&map, "offered_qos_profiles", "",
                     0); /* the defaults: how they are written depends on the release */
    const struct mcap_channel channel = {schema, topic, state->dialect->message_encoding, &map};
    bool is_kept = !map.failed && keep_topic(state, topic, type) == 0;
    unsigned id = is_kept ? mcap_file_add_channel(state->file, &channel) : MCAP_NO_ID;
    if (map.failed)
        lack_memory();
    free(map.data);
    return id;
}

/* The channel of a stream's messages with that schema; NULL after a message. */
static struct channel *state_channel(struct state *state, struct stream *stream, const struct view *view)
{
    static const char *const names[] = {"/armtap/state", "/armtap/to_robot"};
    char name[40];
    const struct table_schema *schema = by_connection_find(&state->tables, view->table->number);
    if (!schema && !(schema = begin_table(state, view, stream->generation)))
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
        lack_memory();
        return NULL;
    }
    channel->id = add_channel(state, stream, schema->id, name, schema->type);
    return channel->id == MCAP_NO_ID ? NULL : channel;
}

/* Topics of one type share its schema. An id, or MCAP_NO_ID after a message. */
static unsigned schema_of(struct state *state, enum ros_topic_id topic)
{
    struct buffer name = {0}, text = {0};
    for (unsigned i = 0; i < ROS_TOPICS && state->topic_schemas[topic] == MCAP_NO_ID; i++)
        if (strcmp(ros_topic((enum ros_topic_id)i)->type, ros_topic(topic)->type) == 0)
            state->topic_schemas[topic] = state->topic_schemas[i];
    if (state->topic_schemas[topic] != MCAP_NO_ID)
        return state->topic_schemas[topic];
    state->dialect->topic_schema(topic, &name, &text);
    buffer_char(&name, '\0');
    const struct mcap_schema schema = {name.data, state->dialect->schema_encoding, text.data, text.length};
    if (name.failed || text.failed)
        lack_memory();
    else
        state->topic_schemas[topic] = mcap_file_add_schema(state->file, &schema);
    free(name.data);
    free(text.data);
    return state->topic_schemas[topic];
}

/* The channel of a topic; NULL after a message. */
static struct channel *topic_channel(struct state *state, struct stream *stream, enum ros_topic_id topic)
{
    bool is_shared = topic == ROS_TOPIC_rosout;
    struct channel *channel = is_shared ? &state->rosout : &stream->topics[topic];
    if (channel->id != MCAP_NO_ID)
        return channel;
    struct buffer type = {0}, text = {0};
    unsigned schema = schema_of(state, topic);
    state->dialect->topic_schema(topic, &type, &text);
    buffer_char(&type, '\0');
    if (schema != MCAP_NO_ID && type.failed)
        lack_memory();
    else if (schema != MCAP_NO_ID)
        channel->id = add_channel(state, is_shared ? NULL : stream, schema, ros_topic(topic)->name, type.data);
    free(type.data);
    free(text.data);
    return channel->id != MCAP_NO_ID ? channel : NULL;
}

/* ---- the writer -------------------------------------------------------------------------------------------------- */

static int put_on_topic(struct state *state, struct stream *stream, enum ros_topic_id topic,
                        const struct mcap_message *message)
{
    struct channel *channel = topic_channel(state, stream, topic);
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
    return mcap_file_message(state->file, channel->id, message);
}

static int place_message(struct state *state, const struct view *view, struct stream *stream, const char *record)
{
    const struct mcap_message message = mcap_message_at(record);
    if (message.mark < ROS_TOPICS)
        return put_on_topic(state, stream, (enum ros_topic_id)message.mark, &message);
    if (message.mark == MARK_REMARK && stream->has_remarked)
        return 0;
    if (message.mark == MARK_REMARK) {
        stream->has_remarked = true;
        return put_on_topic(state, stream, ROS_TOPIC_rosout, &message);
    }
    const struct channel *channel = state_channel(state, stream, view);
    return channel ? mcap_file_message(state->file, channel->id, &message) : -1;
}

static int mcap_place(struct target *target, const struct view *view, const char *bytes, size_t length,
                      struct buffer *out)
{
    struct state *state = target->state;
    struct stream *stream = NULL;
    int outcome = 0;
    state->out = out;
    for (size_t from = 0; from < length && outcome == 0;) {
        const char *record = bytes + from;
        if (*record == INTRODUCTION)
            outcome = (stream = meet(state, record)) ? 0 : -1;
        else
            outcome = place_message(state, view, stream, record);
        from += HEAD + (size_t)le64_load(record + 1);
    }
    target->held = mcap_file_held(state->file);
    return outcome;
}

static int mcap_ease(struct target *target, struct buffer *out)
{
    struct state *state = target->state;
    state->out = out;
    int outcome = mcap_file_ease(state->file);
    target->held = mcap_file_held(state->file);
    return outcome;
}

static int mcap_show(struct target *target, struct buffer *out)
{
    struct state *state = target->state;
    state->out = out;
    int outcome = mcap_file_flush(state->file);
    target->held = mcap_file_held(state->file);
    return outcome;
}

/* Whether a remark is about what the file holds. */
static bool is_of_file(const struct state *state, const struct remark *remark)
{
    return !remark->robot || !state->target->settings->is_split ||
           by_connection_look_up(&state->streams, remark->stream);
}

static int put_finding(struct state *state, const struct remark *remark, struct buffer *bytes)
{
    const struct output_row row = {.where = {.time = remark->time}};
    struct posting posting = {.out = bytes, .row = &row};
    const struct ros_out out = {bytes, begin_message, end_message, &posting};
    struct buffer text = {0};
    bool several_files = state->target->settings->several_files;
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
    state->dialect->log(&log, &out);
    bool failed = text.failed || bytes->failed;
    free(text.data);
    if (failed)
        return lack_memory();
    const struct mcap_message message = mcap_message_at(bytes->data);
    return put_on_topic(state, NULL, ROS_TOPIC_rosout, &message);
}

static int put_findings(struct state *state)
{
    struct buffer bytes = {0};
    struct remark remark;
    int outcome = 0;
    for (size_t i = 0; outcome == 0 && remarks_next(state->target->settings->remarks, &i, &remark);)
        if (is_of_file(state, &remark))
            outcome = put_finding(state, &remark, &bytes);
    free(bytes.data);
    return outcome;
}

/* Topics are in the order of their channels' ids. */
static void describe_bag(const struct state *state)
{
    const struct format_settings *settings = state->target->settings;
    const struct mcap_counts counts = mcap_file_counts(state->file);
    *settings->bag_counts = (struct bag_counts){counts.messages, counts.first, counts.last};
    for (size_t i = 0; i < state->topic_count; i++)
        bag_topic(settings->bag, state->topics[i].name, state->topics[i].type,
                  mcap_file_channel_messages(state->file, (unsigned)i + 1));
}

static int mcap_end(struct target *target, struct buffer *out)
{
    struct state *state = target->state;
    if (!state)
        return 0;
    state->out = out;
    if (put_findings(state) != 0 || mcap_file_end(state->file) != 0)
        return -1;
    if (target->settings->bag)
        describe_bag(state);
    return 0;
}

static void mcap_forget(struct target *target)
{
    struct state *state = target->state;
    if (!state)
        return;
    for (size_t i = 0; i < state->streams.count; i++)
        free_stream(state->streams.slots[i].thing);
    for (size_t i = 0; i < state->schema_count; i++)
        free(state->schemas[i]);
    for (size_t i = 0; i < state->topic_count; i++) {
        free(state->topics[i].name);
        free(state->topics[i].type);
    }
    free(state->topics);
    free(state->streams.slots);
    free(state->tables.slots);
    free(state->schemas);
    mcap_file_free(state->file);
    free(state);
}

/* ---- ROS 2 ------------------------------------------------------------------------------------------------------- */

static void ros_topic_schema(enum ros_topic_id topic, struct buffer *name, struct buffer *text)
{
    ros_type_name(ros_topic(topic), name);
    ros_type_text(ros_topic(topic), text);
}

static const char *ros_member(const struct pick *pick, size_t *length)
{
    *length = strlen(pick->key);
    return pick->key;
}

static const struct dialect ros2 = {.profile = "ros2",
                                    .schema_encoding = "ros2msg",
                                    .message_encoding = "cdr",
                                    .state_type = "armtap_msgs/msg/State",
                                    .state_schema = ros_state_schema,
                                    .topic_schema = ros_topic_schema,
                                    .log = ros_publish_log,
                                    .member = ros_member,
                                    .has_qos = true};

static int mcap_prepare(struct view *view, enum armtap_generation generation)
{
    (void)generation;
    return ros_name_members(view);
}

static int mcap_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)view;
    return begin(target, &ros2, out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_topic_schema(enum ros_topic_id topic, struct buffer *name, struct buffer *text)
{
    (void)topic;
    buffer_string(name, MCAP_JSON_LOG);
    buffer_string(text, mcap_json_log_schema);
}

static void json_log(const struct ros_log *log, const struct ros_out *out)
{
    out->begin(out->user, ROS_TOPIC_rosout);
    mcap_json_log(log, out->bytes);
    out->end(out->user);
}

/* Keys are ,"name": and names of fields need no escapes. */
static const char *json_member(const struct pick *pick, size_t *length)
{
    *length = strlen(pick->key) - strlen(",\"\":");
    return pick->key + strlen(",\"");
}

static const struct dialect json = {.profile = "",
                                    .schema_encoding = "jsonschema",
                                    .message_encoding = "json",
                                    .state_type = "armtap.State",
                                    .state_schema = mcap_json_state_schema,
                                    .topic_schema = json_topic_schema,
                                    .log = json_log,
                                    .member = json_member};

static int json_prepare(struct view *view, enum armtap_generation generation)
{
    (void)generation;
    return mcap_json_name_members(view);
}

static int json_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)view;
    return begin(target, &json, out);
}

static int json_rows(const struct row_batch *batch, struct buffer *out)
{
    for (size_t i = 0; i < batch->count && batch->view->table; i++) {
        const struct output_row *row = &batch->rows[i];
        if (i == 0 || row->stream != row[-1].stream)
            introduce(row, out);
        size_t begin = mcap_message_begin(out, MARK_STATE, row->stream, row->where.time);
        mcap_json_state(batch->view, row, out);
        mcap_message_end(out, begin);
    }
    return out->failed ? -1 : 0;
}

#define WRITER(dialect)                                                                                                \
    {                                                                                                                  \
        .column_cost = COLUMN_COST, .prepare = dialect##_prepare, .begin = dialect##_begin, .rows = dialect##_rows,    \
        .place = mcap_place, .ease = mcap_ease, .show = mcap_show, .end = mcap_end, .forget = mcap_forget              \
    }
const struct writer writer_mcap = WRITER(mcap);
const struct writer writer_mcap_ros2 = WRITER(mcap);
const struct writer writer_mcap_json = WRITER(json);
