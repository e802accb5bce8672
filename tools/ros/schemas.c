#include "ros.h"

static const struct schema {
    const char *package;
    const char *name;
    const char *text;
} schemas[] = {
#define SCHEMA(package, name, text) {package, name, text},
#include "schemas.def"
};
#define SCHEMAS (sizeof schemas / sizeof *schemas)

static const struct ros_topic topics[ROS_TOPICS] = {
#define TOPIC(id, name, type, is_on_change) {name, type, is_on_change},
#include "topics.def"
};

const struct ros_topic *ros_topic(enum ros_topic_id id)
{
    return &topics[id];
}

static bool is_same(const char *text, size_t length, const char *string)
{
    return strlen(string) == length && memcmp(text, string, length) == 0;
}

/* The type of that name, seen from a package; NULL if it is primitive. */
static const struct schema *find_schema(const char *name, size_t length, const char *package)
{
    const char *slash = memchr(name, '/', length);
    size_t before = slash ? (size_t)(slash - name) : 0, own = slash ? before + 1 : 0;
    for (size_t i = 0; i < SCHEMAS; i++) {
        bool is_there =
            slash ? is_same(name, before, schemas[i].package) : package && strcmp(package, schemas[i].package) == 0;
        if (is_there && is_same(name + own, length - own, schemas[i].name))
            return &schemas[i];
    }
    return NULL;
}

static void put_separator(struct buffer *out)
{
    enum { SIGNS = 80 };
    char *at = buffer_room(out, SIGNS);
    if (!at)
        return;
    memset(at, '=', SIGNS);
    out->length += SIGNS;
    buffer_char(out, '\n');
}

static void put_definition(const struct schema *schema, struct buffer *out)
{
    put_separator(out);
    buffer_string(out, "MSG: ");
    buffer_string(out, schema->package);
    buffer_char(out, '/');
    buffer_string(out, schema->name);
    buffer_char(out, '\n');
    buffer_string(out, schema->text);
}

/* Marks the types that a definition names: the first word of each line, without what makes it an array. */
static void mark_named(const char *text, size_t length, const char *package, bool *is_named)
{
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *line_end = newline ? newline : end;
        size_t word = 0, line = (size_t)(line_end - text);
        while (word < line && text[word] != ' ' && text[word] != '[')
            word++;
        const struct schema *schema = find_schema(text, word, package);
        if (schema)
            is_named[schema - schemas] = true;
        text = line_end + 1;
    }
}

/* Appends the types that a definition names, and all that those name, each once: they are earlier in the table. */
static void put_named(const char *text, size_t length, const char *package, struct buffer *out)
{
    bool is_named[SCHEMAS] = {false};
    mark_named(text, length, package, is_named);
    for (size_t i = SCHEMAS; i-- > 0;) {
        if (!is_named[i])
            continue;
        put_definition(&schemas[i], out);
        mark_named(schemas[i].text, strlen(schemas[i].text), schemas[i].package, is_named);
    }
}

void ros_definition(const char *text, size_t length, struct buffer *out)
{
    buffer_put(out, text, length);
    put_named(text, length, NULL, out);
}

void ros_type_text(const struct ros_topic *topic, struct buffer *out)
{
    const struct schema *schema = find_schema(topic->type, strlen(topic->type), NULL);
    buffer_string(out, schema->text);
    put_named(schema->text, strlen(schema->text), schema->package, out);
}

void ros_type_name(const struct ros_topic *topic, struct buffer *out)
{
    const char *slash = strchr(topic->type, '/');
    buffer_put(out, topic->type, (size_t)(slash - topic->type));
    buffer_string(out, "/msg");
    buffer_string(out, slash);
}
