#include "aubo_session.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENTS_MAX 1000            /* of one channel */
#define LATE_MAX INT64_C(1000000000) /* ns; data in transit may still arrive after its channel was ended */

/* ---- set-ups ---- */

struct set_up {
    int channel;
    double frequency; /* 0 if missing or invalid */
    bool ends;
    enum armtap_direction direction;   /* of its data */
    struct armtap_json_token segments; /* a list of names */
    const char *at;                    /* what was read last; a fault is there */
    size_t count, name_bytes;          /* of the names, each with a NUL */
};

/* Reads an integer; one beyond int64_t becomes the largest. */
static bool read_integer(const struct armtap_json_token *token, int64_t *integer)
{
    struct armtap_value value = {.type = ARMTAP_JSON};
    if (token->kind == ARMTAP_JSON_NUMBER)
        armtap_json_number(token, &value);
    *integer = value.type == ARMTAP_UINT64 ? INT64_MAX : value.i64[0];
    return value.type == ARMTAP_INT64 || value.type == ARMTAP_UINT64;
}

static const char *read_channel(const struct armtap_json_token *body, struct set_up *set_up)
{
    struct armtap_json_token channel;
    int64_t number;
    set_up->at = body->text;
    if (!armtap_json_member(body, "chanel", &channel) && !armtap_json_member(body, "channel", &channel))
        return "a setup without a channel";
    set_up->at = channel.text;
    if (!read_integer(&channel, &number) || number < 0 || number >= ARMTAP_AUBO_CHANNELS)
        return "a setup whose channel is not from 0 to 99";
    set_up->channel = (int)number;
    return NULL;
}

/* `room` is as long as the message. */
static const char *read_segments(const struct armtap_json_token *body, struct set_up *set_up, char *room)
{
    struct armtap_json_token segment;
    set_up->at = body->text;
    if (!armtap_json_member(body, "segments", &set_up->segments) || set_up->segments.kind != ARMTAP_JSON_ARRAY)
        return "a setup without a list of segments";
    struct armtap_json json = armtap_json_inside(&set_up->segments);
    const char *no_name = NULL;
    for (; armtap_json_value(&json, &segment); set_up->count++) {
        size_t length = segment.kind == ARMTAP_JSON_STRING ? armtap_json_text(&segment, room) : 0;
        if (!no_name && (length == 0 || memchr(room, '\0', length)))
            no_name = segment.text;
        set_up->name_bytes += length + 1;
    }
    set_up->at = no_name ? no_name : set_up->segments.text;
    if (set_up->count > SEGMENTS_MAX)
        return "a setup of more than 1000 segments";
    return no_name ? "a setup with a segment that is not a name" : NULL;
}

static const char *read_frequency(const struct armtap_json_token *body, struct set_up *set_up)
{
    struct armtap_json_token frequency;
    set_up->ends = set_up->count == 0;
    if (!armtap_json_member(body, "frequency", &frequency))
        return NULL;
    set_up->at = frequency.text;
    if (frequency.kind != ARMTAP_JSON_NUMBER)
        return "a setup whose frequency is not a number";
    double number = armtap_json_double(&frequency);
    set_up->ends |= number == 0;
    set_up->frequency = number > 0 && number <= DBL_MAX ? number : 0;
    return NULL;
}

static const char *read_direction(const struct armtap_json_token *body, struct set_up *set_up)
{
    struct armtap_json_token to_server = {.kind = ARMTAP_JSON_FALSE};
    if (armtap_json_member(body, "to_server", &to_server))
        set_up->at = to_server.text;
    if (to_server.kind != ARMTAP_JSON_FALSE && to_server.kind != ARMTAP_JSON_TRUE)
        return "a setup whose to_server is neither true nor false";
    set_up->direction = to_server.kind == ARMTAP_JSON_TRUE ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
    return NULL;
}

/* Returns the fault, or NULL. `set_up` points into `message`, and `room` is as long. */
static const char *read_set_up(const struct armtap_json_token *message, struct set_up *set_up, char *room)
{
    struct armtap_json json = armtap_json_inside(message);
    struct armtap_json_token body, more;
    *set_up = (struct set_up){.at = message->text};
    armtap_json_value(&json, &body); /* 100 */
    if (!armtap_json_value(&json, &body) || body.kind != ARMTAP_JSON_OBJECT || armtap_json_value(&json, &more))
        return "a setup that is not 100 and one object";
    const char *wrong = read_channel(&body, set_up);
    if (!wrong)
        wrong = read_segments(&body, set_up, room);
    if (!wrong)
        wrong = read_frequency(&body, set_up);
    return wrong ? wrong : read_direction(&body, set_up);
}

/* `room` is as long as the message. */
static int make_recipe(const struct set_up *set_up, char *room, struct armtap_recipe **recipe)
{
    struct armtap_json json = armtap_json_inside(&set_up->segments);
    struct armtap_json_token segment;
    int error = armtap_recipe_of_cells(ARMTAP_AUBO, set_up->count, set_up->name_bytes, recipe);
    if (error != ARMTAP_OK)
        return error;
    while (armtap_json_value(&json, &segment)) {
        size_t length = armtap_json_text(&segment, room);
        unsigned arm;
        const struct armtap_field *field = armtap_aubo_topic_field(room, length, &arm);
        armtap_recipe_add_cell(*recipe, room, length, field, arm);
    }
    (*recipe)->channel = set_up->channel;
    (*recipe)->frequency = set_up->frequency;
    (*recipe)->direction = set_up->direction;
    return ARMTAP_OK;
}

/* Reads the first element, an integer; one beyond int64_t is not a channel either. */
static bool first_number(const struct armtap_json_token *message, int64_t *number)
{
    struct armtap_json json = armtap_json_inside(message);
    struct armtap_json_token first;
    return armtap_json_value(&json, &first) && read_integer(&first, number);
}

/* What is wrong with a text that is no JSON, and where. */
static const char *fault_of(const char *text, size_t length, const char **at)
{
    static const char *const faults[] = {
        [ARMTAP_JSON_FINE] = "not a list",
        [ARMTAP_JSON_BAD_WORD] = "neither a number nor a word of JSON",
        [ARMTAP_JSON_BAD_ESCAPE] = "an escape that JSON does not have",
        [ARMTAP_JSON_BAD_BYTE] = "a control character inside a string",
        [ARMTAP_JSON_MISPLACED] = "a character that JSON does not allow there",
        [ARMTAP_JSON_TOO_DEEP] = "too deeply nested brackets",
        [ARMTAP_JSON_CUT] = "it does not end",
    };
    struct armtap_json json = armtap_json_begin(text, length);
    struct armtap_json_token token;
    while (armtap_json_next(&json, &token)) {
    }
    *at = json.fault == ARMTAP_JSON_FINE ? text : json.wrong;
    return faults[json.fault];
}

/* Reads a set-up that was written by hand. Returns the fault, which is at set_up->at, or NULL. `room` is as long. */
static const char *read_given(const char *text, size_t length, struct set_up *set_up, char *room)
{
    struct armtap_json_token message;
    size_t count;
    int64_t number;
    *set_up = (struct set_up){.at = text};
    if (length > ARMTAP_AUBO_MESSAGE_MAX)
        return "longer than a message of AUBO";
    if (!armtap_aubo_is_json((const uint8_t *)text, length, &message, &count))
        return fault_of(text, length, &set_up->at);
    set_up->at = message.text;
    if (!first_number(&message, &number) || number != ARMTAP_AUBO_SET_UP)
        return "not a list that begins with 100";
    const char *wrong = read_set_up(&message, set_up, room);
    return !wrong && set_up->count == 0 ? "a setup without segments, which ends its channel" : wrong;
}

static int take_given(const char *text, size_t length, struct armtap_recipe **recipe, const char **wrong, size_t *at)
{
    struct armtap_aubo_reader reader = {NULL, 0};
    struct set_up set_up;
    int error = armtap_aubo_reader_room(&reader, length);
    if (error != ARMTAP_OK)
        return error;
    *wrong = read_given(text ? text : "", length, &set_up, reader.copy);
    *at = *wrong && text ? (size_t)(set_up.at - text) : 0;
    error = *wrong ? ARMTAP_ERR_NOT_OURS : recipe ? make_recipe(&set_up, reader.copy, recipe) : ARMTAP_OK;
    armtap_aubo_reader_free(&reader);
    return error;
}

int armtap_recipe_aubo(const char *text, size_t length, struct armtap_recipe **recipe)
{
    const char *wrong;
    size_t at;
    if (!recipe || (!text && length > 0))
        return ARMTAP_ERR_ARGUMENT;
    *recipe = NULL;
    return take_given(text, length, recipe, &wrong, &at);
}

const char *armtap_recipe_aubo_problem(const char *text, size_t length, size_t *at)
{
    const char *wrong = NULL;
    size_t unused;
    at = at ? at : &unused;
    *at = 0;
    if (!text && length > 0)
        return "there is no message";
    int error = take_given(text, length, NULL, &wrong, at);
    return error == ARMTAP_ERR_MEMORY ? armtap_strerror(error) : wrong;
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

/* A recipe was replaced or ended: what only it had is no longer known. */
static void forget(struct armtap_aubo *aubo, struct armtap_conn *conn, enum armtap_direction direction)
{
    const struct armtap_aubo_side *side = &aubo->sides[direction];
    for (unsigned arm = 1; arm <= ARMTAP_ARMS_MAX; arm++) {
        struct armtap_set in_force = {{0}};
        for (size_t i = 0; i < side->channel_count; i++) {
            const struct armtap_recipe *recipe = side->channels[i].ended ? NULL : side->channels[i].recipe;
            unsigned arms = recipe && recipe->arms ? recipe->arms : 1;
            if (arms >> (arm - 1) & 1)
                armtap_recipe_add_fields(recipe, &in_force);
        }
        armtap_conn_keep_known(conn, direction, arm, &in_force);
    }
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
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_aubo_message_bad, ARGS(arg_fault(wrong), arg_offset(offset)));
}

int armtap_aubo_say_too_long(struct armtap_conn *conn, const struct armtap_frame *frame, uint64_t offset)
{
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_aubo_message_too_long,
                             ARGS(arg_offset(offset), arg_bytes_most(ARMTAP_AUBO_MESSAGE_MAX)));
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
        forget(aubo, conn, set_up->direction);
        return armtap_conn_pause(conn, frame, set_up->direction, set_up->channel);
    }
    bool has;
    size_t count = set_up->count;
    int error = armtap_conn_may_keep(conn, frame, armtap_recipe_bytes(count, frame->length), &has);
    if (error == ARMTAP_OK && has)
        error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_fields, count, &has);
    if (error == ARMTAP_OK && has)
        error = make_recipe(set_up, aubo->reader.copy, &recipe);
    if (error != ARMTAP_OK || !has)
        return error;
    if (aubo->recipe_bytes - bytes_of(channel->previous) + bytes_of(recipe) > ARMTAP_LIMIT_topics) {
        armtap_recipe_release(recipe);
        return armtap_conn_limit(conn, frame, ARMTAP_BUDGET_topics);
    }
    set_recipe(aubo, channel, recipe, frame->where.time);
    forget(aubo, conn, set_up->direction);
    return armtap_conn_recipe(conn, frame, set_up->direction, set_up->channel, set_up->frequency, 0, recipe);
}

static int take_set_up(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                       const struct armtap_json_token *message, uint64_t offset)
{
    struct set_up set_up;
    int error = armtap_aubo_reader_room(&aubo->reader, message->length);
    if (error != ARMTAP_OK)
        return error;
    const char *wrong = read_set_up(message, &set_up, aubo->reader.copy);
    return wrong ? armtap_aubo_say_bad(conn, frame, wrong, offset) : set_up_channel(aubo, conn, frame, &set_up);
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
                         struct armtap_aubo_channel *channel, struct armtap_data *data,
                         const struct armtap_json_token *message)
{
    data->values = aubo->cells.bytes;
    data->values_length = aubo->cells.length;
    int error = armtap_conn_record(conn, frame, data);
    if (data->recipe != channel->recipe || channel->ended) /* it was in transit */
        forget(aubo, conn, frame->direction);
    if (error != ARMTAP_OK || !channel->has_messages || data->recipe != channel->recipe || data->flags != 0)
        return error;
    return armtap_aubo_robot_messages(&aubo->reader, conn, frame, data->recipe, message, &channel->messages_seen);
}

static int deliver(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                   const struct armtap_json_token *message, size_t elements, int number)
{
    struct armtap_aubo_channel *channel = &aubo->sides[frame->direction].channels[number]; /* take_data made it */
    size_t count = elements - 1;
    const struct armtap_recipe *recipe = recipe_of(aubo, channel, count, frame->where.time);
    size_t expected = recipe->count;
    struct armtap_data data = {.recipe = recipe, .recipe_id = number};
    bool fits;
    int error = ARMTAP_OK;
    if (count != expected) {
        data.flags = count < expected ? (unsigned)ARMTAP_SHORT : (unsigned)ARMTAP_LONG;
        if (!channel->count_noted)
            error = armtap_conn_raise(conn, frame, ARMTAP_NOTE_aubo_values_count,
                                      ARGS(arg_channel((uint64_t)number), arg_values(count), arg_topics(expected)));
    }
    channel->count_noted = count != expected;
    if (error == ARMTAP_OK)
        error = armtap_aubo_values(&aubo->reader, recipe, message, &aubo->cells, &fits);
    return error == ARMTAP_OK ? deliver_cells(aubo, conn, frame, channel, &data, message) : error;
}

static int deliver_opaque(struct armtap_conn *conn, const struct armtap_frame *frame,
                          struct armtap_aubo_channel *channel, int number, const struct armtap_json_token *message)
{
    struct armtap_data data = {
        .recipe_id = number, .values = (const uint8_t *)message->text, .values_length = message->length};
    if (!channel->missing_noted) {
        channel->missing_noted = true;
        int error = armtap_conn_raise(conn, frame, ARMTAP_NOTE_aubo_channel_unknown,
                                      ARGS(arg_direction(armtap_direction_word(frame->direction)),
                                           arg_channel((uint64_t)number), arg_is_ended(channel->ended)));
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
                     const struct armtap_json_token *message, size_t elements, int number)
{
    struct armtap_aubo_channel *channel = channel_of(&aubo->sides[frame->direction], (unsigned)number);
    if (!channel)
        return ARMTAP_ERR_MEMORY;
    int error = adopt_given(aubo, conn, frame, channel, number);
    if (error != ARMTAP_OK)
        return error;
    if (!channel->recipe || (channel->ended && is_late(channel->ended_at, frame->where.time)))
        return deliver_opaque(conn, frame, channel, number, message);
    return deliver(aubo, conn, frame, message, elements, number);
}

int armtap_aubo_say_not_json(struct armtap_conn *conn, const struct armtap_frame *frame, const uint8_t *bytes,
                             size_t length, uint64_t offset)
{
    const char *text = (const char *)bytes, *at;
    const char *fault = fault_of(text, length, &at);
    return armtap_aubo_say_bad(conn, frame, fault, offset + (uint64_t)(at - text));
}

bool armtap_aubo_known_data(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                            const uint8_t *bytes, size_t length, int *error)
{
    const struct armtap_aubo_side *side = &aubo->sides[frame->direction];
    const struct armtap_json_token message = {.kind = ARMTAP_JSON_ARRAY, .text = (const char *)bytes, .length = length};
    unsigned number;
    bool fits;
    if (armtap_aubo_prefix(bytes, length, &number) != ARMTAP_AUBO_WHOLE || number >= side->channel_count)
        return false;
    struct armtap_aubo_channel *channel = &side->channels[number];
    if (!channel->recipe || channel->previous || channel->ended)
        return false;
    *error = armtap_aubo_values(&aubo->reader, channel->recipe, &message, &aubo->cells, &fits);
    if (*error == ARMTAP_OK && !fits)
        return false;
    channel->count_noted = false;
    struct armtap_data data = {.recipe = channel->recipe, .recipe_id = (int)number};
    if (*error == ARMTAP_OK)
        *error = deliver_cells(aubo, conn, frame, channel, &data, &message);
    return true;
}

int armtap_aubo_message(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_json_token *message, size_t elements, uint64_t offset)
{
    int64_t number;
    if (message->kind != ARMTAP_JSON_ARRAY)
        return armtap_aubo_say_bad(conn, frame, "an object instead of a list", offset);
    if (!first_number(message, &number))
        return armtap_aubo_say_bad(conn, frame, "a list that does not begin with a channel number", offset);
    if (number == ARMTAP_AUBO_SET_UP && frame->direction == ARMTAP_TO_ROBOT)
        return take_set_up(aubo, conn, frame, message, offset);
    if (number < 0 || number >= ARMTAP_AUBO_CHANNELS)
        return armtap_aubo_say_bad(conn, frame, "a list whose first number is not a channel", offset);
    return take_data(aubo, conn, frame, message, elements, (int)number);
}
