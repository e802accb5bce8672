/* The schemas of an MCAP file, and what it says of their fields. */
#include "mcap_output.h"

#include <stdio.h>

#include "array.h"
#include "base/process/message.h"
#include "export/rows/field_notes.h"
#include "analysis/inside.h"

/* ---- of tables --------------------------------------------------------------------------------------------------- */

/* The schema that has that text already, or NULL. */
static struct table_schema *find_schema(const struct mcap_output *output, uint64_t hash, size_t length)
{
    for (size_t i = 0; i < output->schema_count; i++)
        if (output->schemas[i]->hash == hash && output->schemas[i]->length == length)
            return output->schemas[i];
    return NULL;
}

/* The field of a pick, if its value is what the dictionary describes. */
static const struct armtap_field *field_of(const struct view *view, const struct pick *pick)
{
    bool is_field =
        pick->row_column == ROW_COLUMN_NONE && pick->column != TABLE_NONE && !pick->by_name && !pick->is_bit;
    return is_field ? view->table->columns[pick->column].field : NULL;
}

/* Notes of one kind on all fields, as a JSON object by their names in messages. */
static void put_notes(const struct mcap_output *output, const struct view *view, enum armtap_generation generation,
                      size_t kind, struct buffer *object)
{
    buffer_char(object, '{');
    for (size_t i = 0; i < view->picks.count && !object->failed; i++) {
        const struct pick *pick = &view->picks.pick[i];
        struct noted noted = {.field = field_of(view, pick),
                              .element = pick->element ? pick->first : NOTED_WHOLE,
                              .generation = generation};
        noted.name = output->dialect->member(pick, &noted.length);
        if (noted.field)
            field_note_put(kind, &noted, object);
    }
    buffer_char(object, '}');
}

/* Adds metadata under the name of a schema: units, names of modes and bits. 0, or -1 after a message. */
static int note_fields(struct mcap_output *output, const struct view *view, enum armtap_generation generation,
                       const char *type)
{
    struct buffer map = {0}, object = {0};
    for (size_t kind = 0; field_note_key(kind); kind++) {
        object.length = 0;
        put_notes(output, view, generation, kind, &object);
        if (object.length > strlen("{}"))
            mcap_map_add(&map, field_note_key(kind), object.data, object.length);
    }
    int outcome = map.failed || object.failed ? message_no_memory()
                  : map.length > 0            ? mcap_file_add_metadata(output->file, type, &map)
                                              : 0;
    free(map.data);
    free(object.data);
    return outcome;
}

/* NULL after a message. */
static struct table_schema *add_schema(struct mcap_output *output, const struct view *view,
                                       enum armtap_generation generation, const struct buffer *text, uint64_t hash)
{
    struct table_schema *schema = MAKE_ROOM(output->schemas, output->schema_count) ? calloc(1, sizeof *schema) : NULL;
    if (!schema) {
        message_no_memory();
        return NULL;
    }
    *schema = (struct table_schema){.number = (unsigned)output->schema_count + 1, .hash = hash, .length = text->length};
    snprintf(schema->type, sizeof schema->type, schema->number > 1 ? "%s%u" : "%s", output->dialect->state_type,
             schema->number);
    output->schemas[output->schema_count++] = schema;
    const struct mcap_schema described = {schema->type, output->dialect->schema_encoding, text->data, text->length - 1};
    if (note_fields(output, view, generation, schema->type) != 0)
        return NULL;
    schema->id = mcap_file_add_schema(output->file, &described);
    return schema->id == MCAP_NO_ID ? NULL : schema;
}

/* NULL after a message. */
static struct table_schema *begin_table(struct mcap_output *output, const struct view *view,
                                        enum armtap_generation generation)
{
    struct buffer text = {0};
    struct table_schema *schema = NULL;
    output->dialect->state_schema(view, &text);
    buffer_char(&text, '\0');
    if (text.failed) {
        message_no_memory();
    } else {
        uint64_t hash = armtap_hash_text(&output->key, text.data);
        schema = find_schema(output, hash, text.length);
        schema = schema ? schema : add_schema(output, view, generation, &text, hash);
    }
    free(text.data);
    if (schema && !by_connection_add(&output->tables, view->table->number, schema)) {
        message_no_memory();
        return NULL;
    }
    return schema;
}

const struct table_schema *mcap_table_schema(struct mcap_output *output, const struct view *view,
                                             enum armtap_generation generation)
{
    const struct table_schema *schema = by_connection_find(&output->tables, view->table->number);
    return schema ? schema : begin_table(output, view, generation);
}

/* ---- of topics --------------------------------------------------------------------------------------------------- */

unsigned mcap_topic_schema(struct mcap_output *output, enum ros_topic_id topic)
{
    struct buffer name = {0}, text = {0};
    for (unsigned i = 0; i < ROS_TOPICS && output->topic_schemas[topic] == MCAP_NO_ID; i++)
        if (strcmp(ros_topic((enum ros_topic_id)i)->type, ros_topic(topic)->type) == 0)
            output->topic_schemas[topic] = output->topic_schemas[i];
    if (output->topic_schemas[topic] != MCAP_NO_ID)
        return output->topic_schemas[topic];
    output->dialect->topic_schema(topic, &name, &text);
    buffer_char(&name, '\0');
    const struct mcap_schema schema = {name.data, output->dialect->schema_encoding, text.data, text.length};
    if (name.failed || text.failed)
        message_no_memory();
    else
        output->topic_schemas[topic] = mcap_file_add_schema(output->file, &schema);
    free(name.data);
    free(text.data);
    return output->topic_schemas[topic];
}
