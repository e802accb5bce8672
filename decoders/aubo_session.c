#include "aubo_session.h"

#include <float.h>
#include <string.h>

#include "aubo_robot_message.h"
#include "aubo_topics.h"
#include "aubo_values.h"

#define SEGMENTS_MAX 1000            /* of one channel */
#define LATE_MAX INT64_C(1000000000) /* ns; data in transit may still arrive after its channel was ended */

/* ---- set-ups ---- */

struct set_up {
    int channel;
    double frequency; /* 0 if missing or invalid */
    bool ends;
    enum armtap_direction direction; /* of its data */
    struct json_object *segments;
};

static bool is_number(struct json_object *json)
{
    return json_object_is_type(json, json_type_int) || json_object_is_type(json, json_type_double);
}

static const char *read_channel(struct json_object *body, struct set_up *set_up)
{
    struct json_object *json = NULL;
    if (!json_object_object_get_ex(body, "chanel", &json) && !json_object_object_get_ex(body, "channel", &json))
        return "a set-up without a channel";
    int64_t number = json_object_get_int64(json);
    if (!json_object_is_type(json, json_type_int) || number < 0 || number >= ARMTAP_AUBO_CHANNELS)
        return "a set-up whose channel is not from 0 to 99";
    set_up->channel = (int)number;
    return NULL;
}

static const char *read_segments(struct json_object *body, struct set_up *set_up)
{
    if (!json_object_object_get_ex(body, "segments", &set_up->segments) ||
        !json_object_is_type(set_up->segments, json_type_array))
        return "a set-up without a list of segments";
    size_t count = json_object_array_length(set_up->segments);
    if (count > SEGMENTS_MAX)
        return "a set-up of more than 1000 segments";
    for (size_t i = 0; i < count; i++) {
        struct json_object *segment = json_object_array_get_idx(set_up->segments, i);
        if (!json_object_is_type(segment, json_type_string) || json_object_get_string_len(segment) == 0 ||
            strlen(json_object_get_string(segment)) != (size_t)json_object_get_string_len(segment))
            return "a set-up with a segment that is not a name";
    }
    return NULL;
}

/* Returns the fault, or NULL. `set_up` points into `message`. */
static const char *read_set_up(struct json_object *message, struct set_up *set_up)
{
    struct json_object *body = json_object_array_get_idx(message, 1), *json = NULL;
    memset(set_up, 0, sizeof *set_up);
    if (json_object_array_length(message) != 2 || !json_object_is_type(body, json_type_object))
        return "a set-up that is not 100 and one object";
    const char *wrong = read_channel(body, set_up);
    if (!wrong)
        wrong = read_segments(body, set_up);
    if (wrong)
        return wrong;
    set_up->ends = json_object_array_length(set_up->segments) == 0;
    if (json_object_object_get_ex(body, "frequency", &json)) {
        if (!is_number(json))
            return "a set-up whose frequency is not a number";
        set_up->frequency = json_object_get_double(json);
        set_up->ends |= set_up->frequency == 0;
        if (!(set_up->frequency > 0 && set_up->frequency <= DBL_MAX))
            set_up->frequency = 0;
    }
    set_up->direction = ARMTAP_FROM_ROBOT;
    if (json_object_object_get_ex(body, "to_server", &json)) {
        if (!json_object_is_type(json, json_type_boolean))
            return "a set-up whose to_server is neither true nor false";
        set_up->direction = json_object_get_boolean(json) ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
    }
    return NULL;
}

static int make_recipe(const struct set_up *set_up, struct armtap_recipe **recipe)
{
    size_t count = json_object_array_length(set_up->segments), name_bytes = 0;
    for (size_t i = 0; i < count; i++)
        name_bytes += (size_t)json_object_get_string_len(json_object_array_get_idx(set_up->segments, i)) + 1;
    int error = armtap_recipe_of_cells(ARMTAP_AUBO, count, name_bytes, recipe);
    if (error != ARMTAP_OK)
        return error;
    for (size_t i = 0; i < count; i++) {
        struct json_object *segment = json_object_array_get_idx(set_up->segments, i);
        const char *name = json_object_get_string(segment);
        size_t length = (size_t)json_object_get_string_len(segment);
        unsigned arm;
        const struct armtap_field *field = armtap_aubo_topic_field(name, length, &arm);
        armtap_recipe_add_cell(*recipe, name, length, field, arm);
    }
    (*recipe)->channel = set_up->channel;
    (*recipe)->frequency = set_up->frequency;
    (*recipe)->direction = set_up->direction;
    return ARMTAP_OK;
}

static bool is_set_up(struct json_object *message)
{
    struct json_object *first =
        json_object_is_type(message, json_type_array) ? json_object_array_get_idx(message, 0) : NULL;
    return json_object_is_type(first, json_type_int) && json_object_get_int64(first) == ARMTAP_AUBO_SET_UP;
}

int armtap_recipe_aubo(const char *text, size_t length, struct armtap_recipe **recipe)
{
    struct armtap_aubo_reader reader = {NULL, NULL, 0};
    struct json_object *message;
    struct set_up set_up;
    const char *wrong;
    size_t at;
    if (!recipe || (!text && length > 0))
        return ARMTAP_ERR_ARGUMENT;
    *recipe = NULL;
    if (length > ARMTAP_AUBO_MESSAGE_MAX)
        return ARMTAP_ERR_NOT_OURS;
    int error = armtap_aubo_read(&reader, (const uint8_t *)text, length, &message, &wrong, &at);
    if (error == ARMTAP_OK) {
        bool ours =
            is_set_up(message) && !read_set_up(message, &set_up) && json_object_array_length(set_up.segments) > 0;
        error = ours ? make_recipe(&set_up, recipe) : ARMTAP_ERR_NOT_OURS;
    }
    json_object_put(message);
    armtap_aubo_reader_free(&reader);
    return error;
}

/* ---- channels ---- */

static size_t bytes_of(const struct armtap_recipe *recipe)
{
    return recipe ? recipe->bytes : 0;
}

static void release_recipe(struct armtap_aubo *aubo, struct armtap_recipe **recipe)
{
    aubo->recipe_bytes -= bytes_of(*recipe);
    armtap_recipe_release(*recipe);
    *recipe = NULL;
}

static void set_recipe(struct armtap_aubo *aubo, struct armtap_aubo_channel *channel, struct armtap_recipe *recipe,
                       int64_t time)
{
    release_recipe(aubo, &channel->previous);
    aubo->recipe_bytes += bytes_of(recipe);
    *channel = (struct armtap_aubo_channel){.recipe = recipe,
                                            .previous = channel->recipe,
                                            .begun_at = time,
                                            .has_messages = armtap_aubo_has_messages(recipe)};
}

/* The channel of that number; NULL if out of memory. */
static struct armtap_aubo_channel *channel_of(struct armtap_aubo_side *side, unsigned number)
{
    if (number < side->channel_count)
        return &side->channels[number];
    struct armtap_aubo_channel *channels = realloc(side->channels, (number + 1) * sizeof *channels);
    if (!channels)
        return NULL;
    memset(channels + side->channel_count, 0, (number + 1 - side->channel_count) * sizeof *channels);
    side->channels = channels;
    side->channel_count = number + 1;
    return &channels[number];
}

int armtap_aubo_open(void *context)
{
    struct armtap_aubo *aubo = context;
    for (int side = 0; side < 2; side++) {
        armtap_websocket_init(&aubo->sides[side].websocket, ARMTAP_AUBO_MESSAGE_MAX);
        aubo->sides[side].progress = &aubo->progress[side];
    }
    return ARMTAP_OK;
}

void armtap_aubo_close(void *context)
{
    struct armtap_aubo *aubo = context;
    for (int side = 0; side < 2; side++) {
        armtap_websocket_free(&aubo->sides[side].websocket);
        for (size_t i = 0; i < aubo->sides[side].channel_count; i++) {
            armtap_recipe_release(aubo->sides[side].channels[i].recipe);
            armtap_recipe_release(aubo->sides[side].channels[i].previous);
        }
        free(aubo->sides[side].channels);
    }
    armtap_cells_free(&aubo->cells);
    armtap_aubo_reader_free(&aubo->reader);
}

int armtap_aubo_say_bad(struct armtap_conn *conn, const struct armtap_frame *frame, const char *wrong, uint64_t offset)
{
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_aubo_message_bad, "%s, at byte %u of the stream", wrong, offset);
}

int armtap_aubo_say_too_long(struct armtap_conn *conn, const struct armtap_frame *frame, uint64_t offset)
{
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_aubo_message_too_long,
                           "the message at byte %u of the stream is longer than %u bytes", offset,
                           (uint64_t)ARMTAP_AUBO_MESSAGE_MAX);
}

static int set_up_channel(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                          const struct set_up *set_up)
{
    struct armtap_recipe *recipe;
    struct armtap_aubo_channel *channel = channel_of(&aubo->sides[set_up->direction], (unsigned)set_up->channel);
    if (!channel)
        return ARMTAP_ERR_MEMORY;
    if (set_up->ends) {
        channel->ended = true;
        channel->ended_at = frame->where.time;
        return armtap_conn_pause(conn, frame, set_up->direction, set_up->channel);
    }
    bool has;
    size_t count = json_object_array_length(set_up->segments);
    int error = armtap_conn_may_keep(conn, frame, armtap_recipe_bytes(count, frame->length), &has);
    if (error == ARMTAP_OK && has)
        error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_fields, count, &has);
    if (error == ARMTAP_OK && has)
        error = make_recipe(set_up, &recipe);
    if (error != ARMTAP_OK || !has)
        return error;
    if (aubo->recipe_bytes - bytes_of(channel->previous) + bytes_of(recipe) > ARMTAP_LIMIT_topics) {
        armtap_recipe_release(recipe);
        return armtap_conn_limit(conn, frame, ARMTAP_BUDGET_topics);
    }
    set_recipe(aubo, channel, recipe, frame->where.time);
    return armtap_conn_recipe(conn, frame, set_up->direction, set_up->channel, set_up->frequency, 0, recipe);
}

static int take_set_up(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                       struct armtap_aubo_element text, size_t elements, uint64_t offset)
{
    struct set_up set_up;
    struct json_object *message = NULL;
    const char *wrong = "a set-up that is not 100 and one object";
    size_t at;
    int error = ARMTAP_OK;
    if (elements == 2)
        error = armtap_aubo_read(&aubo->reader, (const uint8_t *)text.text, text.length, &message, &wrong, &at);
    if (message)
        wrong = read_set_up(message, &set_up);
    if (error == ARMTAP_OK)
        error = wrong ? armtap_aubo_say_bad(conn, frame, wrong, offset) : set_up_channel(aubo, conn, frame, &set_up);
    json_object_put(message);
    return error;
}

/* ---- data ---- */

/* Whether data comes too late to have been in transit when its channel was ended or set up again. */
static bool is_late(int64_t since, int64_t time)
{
    if (time == ARMTAP_NO_TIME || since == ARMTAP_NO_TIME || time < since)
        return false;
    return (uint64_t)time - (uint64_t)since > (uint64_t)LATE_MAX;
}

/* The recipe of a message with `count` values. A set-up has no reply: the number of values shows which recipe the data
 * follows, if the numbers differ. */
static const struct armtap_recipe *recipe_of(struct armtap_aubo *aubo, struct armtap_aubo_channel *channel,
                                             size_t count, int64_t time)
{
    const struct armtap_recipe *previous = channel->previous;
    if (previous && count == previous->count && count != channel->recipe->count && !is_late(channel->begun_at, time))
        return previous;
    release_recipe(aubo, &channel->previous);
    return channel->recipe;
}

/* Hands over the values in the cells, and the texts in them. */
static int deliver_cells(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                         struct armtap_aubo_channel *channel, struct armtap_data *data, struct armtap_aubo_element text)
{
    data->values = aubo->cells.bytes;
    data->values_length = aubo->cells.length;
    int error = armtap_conn_record(conn, frame, data);
    if (error != ARMTAP_OK || !channel->has_messages || data->recipe != channel->recipe || data->flags != 0)
        return error;
    return armtap_aubo_robot_messages(&aubo->reader, conn, frame, data->recipe, text, &channel->messages_seen);
}

static int deliver(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                   struct armtap_aubo_element text, size_t elements, int number)
{
    struct armtap_aubo_channel *channel = &aubo->sides[frame->direction].channels[number]; /* take_data made it */
    size_t count = elements - 1;
    const struct armtap_recipe *recipe = recipe_of(aubo, channel, count, frame->where.time);
    size_t expected = recipe->count;
    struct armtap_data data = {.recipe = recipe, .recipe_id = number};
    int error = ARMTAP_OK;
    if (count != expected) {
        data.flags = count < expected ? (unsigned)ARMTAP_SHORT : (unsigned)ARMTAP_LONG;
        if (!channel->count_noted)
            error = armtap_conn_say(conn, frame, ARMTAP_NOTE_aubo_values_count,
                                    "channel %u: a message has %u values, but the channel has %u topics",
                                    (uint64_t)number, (uint64_t)count, (uint64_t)expected);
    }
    channel->count_noted = count != expected;
    if (error == ARMTAP_OK)
        error = armtap_aubo_values(&aubo->reader, recipe, text, elements, &aubo->cells);
    return error == ARMTAP_OK ? deliver_cells(aubo, conn, frame, channel, &data, text) : error;
}

static int deliver_opaque(struct armtap_conn *conn, const struct armtap_frame *frame,
                          struct armtap_aubo_channel *channel, int number, const uint8_t *text, size_t length)
{
    struct armtap_data data = {.recipe_id = number, .values = text, .values_length = length};
    if (!channel->missing_noted) {
        channel->missing_noted = true;
        int error = armtap_conn_say(conn, frame, ARMTAP_NOTE_aubo_channel_unknown,
                                    "data %s on channel %u, but its set-up was not captured before%s",
                                    armtap_direction_name(frame->direction), (uint64_t)number,
                                    channel->ended ? ": the previous one was ended" : "");
        if (error != ARMTAP_OK)
            return error;
    }
    return armtap_conn_record(conn, frame, &data);
}

/* Adopts the recipe that the user gave, if no channel was set up. */
static int adopt_given(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                       struct armtap_aubo_channel *channel, int number)
{
    const struct armtap_recipe *given = armtap_conn_given_recipe(conn);
    if (channel->recipe || channel->ended || !given || given->channel != number || given->direction != frame->direction)
        return ARMTAP_OK;
    set_recipe(aubo, channel, armtap_recipe_hold(given), frame->where.time);
    return armtap_conn_recipe(conn, frame, frame->direction, number, given->frequency, 0, given);
}

static int take_data(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                     struct armtap_aubo_element text, size_t elements, int number)
{
    struct armtap_aubo_channel *channel = channel_of(&aubo->sides[frame->direction], (unsigned)number);
    if (!channel)
        return ARMTAP_ERR_MEMORY;
    int error = adopt_given(aubo, conn, frame, channel, number);
    if (error != ARMTAP_OK)
        return error;
    if (!channel->recipe || (channel->ended && is_late(channel->ended_at, frame->where.time)))
        return deliver_opaque(conn, frame, channel, number, (const uint8_t *)text.text, text.length);
    return deliver(aubo, conn, frame, text, elements, number);
}

/* Reads the first element, an integer; one beyond int64_t is not a channel either. */
static bool first_number(struct armtap_aubo_element list, int64_t *number)
{
    struct armtap_aubo_element first;
    struct armtap_value value = {.type = ARMTAP_JSON};
    armtap_aubo_next(&list, &first);
    if (first.length > 0 && first.text[0] != '"' && first.text[0] != '[' && first.text[0] != '{')
        armtap_aubo_word_value(first.text, first.length, &value);
    *number = value.type == ARMTAP_UINT64 ? INT64_MAX : value.i64[0];
    return value.type == ARMTAP_INT64 || value.type == ARMTAP_UINT64;
}

int armtap_aubo_say_not_json(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                             const uint8_t *text, size_t length, uint64_t offset)
{
    struct json_object *message;
    const char *wrong = "not JSON";
    size_t at = 0;
    int error = armtap_aubo_read(&aubo->reader, text, length, &message, &wrong, &at);
    json_object_put(message);
    return error == ARMTAP_OK ? armtap_aubo_say_bad(conn, frame, wrong, offset + at) : error;
}

bool armtap_aubo_known_data(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                            const uint8_t *bytes, size_t length, int *error)
{
    const struct armtap_aubo_side *side = &aubo->sides[frame->direction];
    struct armtap_aubo_element text = {(const char *)bytes, length};
    unsigned number;
    if (armtap_aubo_prefix(bytes, length, &number) != ARMTAP_AUBO_WHOLE || number >= side->channel_count)
        return false;
    struct armtap_aubo_channel *channel = &side->channels[number];
    if (!channel->recipe || channel->previous || channel->ended ||
        !armtap_aubo_values_by_position(channel->recipe, text, &aubo->cells))
        return false;
    channel->count_noted = false;
    struct armtap_data data = {.recipe = channel->recipe, .recipe_id = (int)number};
    *error = deliver_cells(aubo, conn, frame, channel, &data, text);
    return true;
}

int armtap_aubo_message(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const uint8_t *bytes, size_t length, size_t elements, uint64_t offset)
{
    struct armtap_aubo_element text = {(const char *)bytes, length};
    int64_t number;
    if (text.text[0] != '[')
        return armtap_aubo_say_bad(conn, frame, "an object instead of a list", offset);
    if (!first_number(text, &number))
        return armtap_aubo_say_bad(conn, frame, "a list that does not begin with a channel number", offset);
    if (number == ARMTAP_AUBO_SET_UP && frame->direction == ARMTAP_TO_ROBOT)
        return take_set_up(aubo, conn, frame, text, elements, offset);
    if (number < 0 || number >= ARMTAP_AUBO_CHANNELS)
        return armtap_aubo_say_bad(conn, frame, "a list whose first number is not a channel", offset);
    return take_data(aubo, conn, frame, text, elements, (int)number);
}
