/* MCAP with JSON: all fields, and texts. */
#include "mcap_messages.h"

#include "base/text/json_writer.h"
#include "base/numbers/number_text.h"
#include "export/formats/line_cells.h"

#define NS_PER_S INT64_C(1000000000)
/* Foxglove knows logs by the name of their schema. */
#define LOG_NAME "foxglove.Log"

/* ---- schema ------------------------------------------------------------------------------------------------------ */

/* NULL: any. */
static const char *type_name(enum armtap_type type)
{
    switch (type) {
    case ARMTAP_BOOL:
        return "boolean";
    case ARMTAP_DOUBLE:
        return "number";
    case ARMTAP_STRING:
    case ARMTAP_BYTES:
        return "string";
    case ARMTAP_JSON:
        return NULL;
    default:
        return "integer";
    }
}

/* The type of a pick's elements. */
static enum armtap_type type_of(const struct view *view, const struct pick *pick)
{
    return row_column_is_time(pick->row_column) ? ARMTAP_DOUBLE : pick_type(view, pick);
}

static void put_property(const char *type, bool is_array, struct buffer *out)
{
    buffer_string(out, is_array ? "{\"type\":\"array\",\"items\":{\"type\":\"" : "{\"type\":\"");
    buffer_string(out, type);
    buffer_string(out, is_array ? "\"}}" : "\"}");
}

/* Values that may have any type are not in it. */
static void put_state_schema(const struct view *view, struct buffer *out)
{
    bool is_first = true;
    buffer_string(out, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < view->picks.count; i++) {
        const struct pick *pick = &view->picks.pick[i];
        const char *type = type_name(type_of(view, pick));
        bool is_field = pick->row_column == ROW_COLUMN_NONE;
        if (!type)
            continue;
        buffer_string(out, pick->key + is_first); /* it begins with a comma */
        put_property(type, is_field && !pick->element && view->table->columns[pick->column].count > 1, out);
        is_first = false;
    }
    buffer_string(out, "}}");
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static const char log_schema[] =
    "{\"type\":\"object\",\"title\":\"" LOG_NAME "\",\"properties\":{"
    "\"timestamp\":{\"type\":\"object\",\"title\":\"time\",\"properties\":{"
    "\"sec\":{\"type\":\"integer\",\"minimum\":0},"
    "\"nsec\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":999999999}}},"
    "\"level\":{\"type\":\"integer\"},\"message\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},"
    "\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"integer\",\"minimum\":0}}}";

static void put_number(const char *key, uint64_t number, struct buffer *out)
{
    char digits[NUMBER_MAX];
    buffer_string(out, key);
    buffer_put(out, digits, number_unsigned(number, digits));
}

static void put_text(const char *key, const char *text, size_t length, struct buffer *out)
{
    buffer_string(out, key);
    json_put_quoted(out, text, length);
}

static void put_log(const struct ros_log *log, struct buffer *out)
{
    uint64_t time = log->time < 0 ? 0 : (uint64_t)log->time;
    put_number("{\"timestamp\":{\"sec\":", time / NS_PER_S, out);
    put_number(",\"nsec\":", time % NS_PER_S, out);
    put_number("},\"level\":", (unsigned)log->level / 10, out); /* ROS counts in tens */
    put_text(",\"message\":", log->text, log->text_length, out);
    put_text(",\"name\":", log->name, strlen(log->name), out);
    put_text(",\"file\":", log->file, strlen(log->file), out);
    put_number(",\"line\":", log->line, out);
    buffer_char(out, '}');
}

/* ---- the dialect ------------------------------------------------------------------------------------------------- */

static void put_topic_schema(enum ros_topic_id topic, struct buffer *name, struct buffer *text)
{
    (void)topic;
    buffer_string(name, LOG_NAME);
    buffer_string(text, log_schema);
}

static void put_log_message(const struct ros_log *log, const struct ros_out *out)
{
    out->begin(out->user, ROS_TOPIC_rosout);
    put_log(log, out->bytes);
    out->end(out->user);
}

/* Keys are ,"name": and names of fields need no escapes. */
static const char *member_name(const struct pick *pick, size_t *length)
{
    *length = strlen(pick->key) - strlen(",\"\":");
    return pick->key + strlen(",\"");
}

const struct mcap_dialect mcap_json = {.profile = "",
                                       .schema_encoding = "jsonschema",
                                       .message_encoding = "json",
                                       .state_type = "armtap.State",
                                       .state_schema = put_state_schema,
                                       .topic_schema = put_topic_schema,
                                       .log = put_log_message,
                                       .member = member_name};

int mcap_json_prepare(struct view *view, enum armtap_generation generation)
{
    static const char *const reserved[] = {NULL};
    (void)generation;
    picks_drop_if_mixed(&view->picks); /* a topic has the rows of one robot */
    return json_rows_set_keys(view, reserved);
}

int mcap_json_rows(const struct row_batch *batch, struct buffer *out)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct output_row *row = &batch->rows[i];
        if (i == 0 || mcap_needs_introduction(row))
            mcap_introduce(row, out);
        size_t begin = mcap_message_begin(out, MARK_STATE, row->stream, row->read.time);
        json_rows_object(batch, i, JSON_ROWS_LEFT_OUT, out);
        mcap_message_end(out, begin);
    }
    return out->failed ? -1 : 0;
}
