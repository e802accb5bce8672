/* A message is an object with timestamp, level, code, source and args, or the same values in this order; a topic has
 * one or a list of them. Its text is not on the wire: the controller's error stack has it by code, with places for the
 * args.
 *
 * Source: RobotMsg and TraceLevel in the headers of AUBO's SDK (0.25.0 and others: common_interface). How they are
 * serialized is not documented, so a level may be its name or its number, and what fits neither form is no message. */
#include "aubo_robot_message.h"

#include <math.h>
#include <string.h>

#include "robot_message.h"

#define TEXT_MAX 1024
#define MESSAGES_MAX 100 /* of a topic at once */

enum { TIMESTAMP, LEVEL, CODE, SOURCE, ARGUMENTS, MEMBERS };
static const char *const members[MEMBERS] = {"timestamp", "level", "code", "source", "args"};

/* AUBO's levels by their numbers, and what UR's controllers call them. */
static const struct level {
    const char *name;
    int report_level;
} levels[] = {{"FATAL", 5}, {"ERROR", 4}, {"WARNING", 2}, {"INFO", 1}, {"DEBUG", 0}};
#define LEVELS ((int)(sizeof levels / sizeof *levels))

static bool is_message_topic(const char *name)
{
    return name[0] == 'R' && name[1] >= '1' && name[1] <= '4' && strcmp(name + 2, "_message") == 0;
}

bool armtap_aubo_has_messages(const struct armtap_recipe *recipe)
{
    for (size_t i = 0; i < recipe->count; i++)
        if (is_message_topic(recipe->entries[i].name))
            return true;
    return false;
}

/* Finds the members; false if it is no message. */
static bool read_members(struct json_object *message, struct json_object *found[MEMBERS])
{
    bool is_list = json_object_is_type(message, json_type_array);
    if (!is_list && !json_object_is_type(message, json_type_object))
        return false;
    if (is_list && json_object_array_length(message) != MEMBERS)
        return false;
    for (size_t i = 0; i < MEMBERS; i++) {
        found[i] = is_list ? json_object_array_get_idx(message, i) : NULL;
        if (!is_list)
            json_object_object_get_ex(message, members[i], &found[i]);
    }
    return json_object_is_type(found[CODE], json_type_int) && found[LEVEL];
}

/* Whether a word is a level's name, in upper or lower case. */
static bool is_level(const char *word, const char *name)
{
    while (*name && (*word & ~0x20) == *name) {
        word++;
        name++;
    }
    return *word == '\0' && *name == '\0';
}

/* The number of a level; -1 if it is neither a known name nor an integer. */
static int level_of(struct json_object *level)
{
    if (json_object_is_type(level, json_type_int))
        return json_object_get_int(level);
    for (int i = 0; i < LEVELS && json_object_is_type(level, json_type_string); i++)
        if (is_level(json_object_get_string(level), levels[i].name))
            return i;
    return -1;
}

/* Appends what fits; returns the new length. */
static size_t append(char text[TEXT_MAX], size_t length, const char *words)
{
    size_t more = strlen(words), room = TEXT_MAX - length;
    if (more > room)
        more = room;
    memcpy(text + length, words, more);
    return length + more;
}

/* "joint 3, 120.5"; not NUL-terminated. Returns the length. */
static size_t join(struct json_object *arguments, char text[TEXT_MAX])
{
    size_t length = 0,
           count = json_object_is_type(arguments, json_type_array) ? json_object_array_length(arguments) : 0;
    for (size_t i = 0; i < count && length < TEXT_MAX; i++) {
        struct json_object *argument = json_object_array_get_idx(arguments, i);
        const char *words = argument ? json_object_get_string(argument) : NULL;
        if (i > 0)
            length = append(text, length, ", ");
        length = append(text, length, words ? words : "null");
    }
    return length;
}

static int deliver(struct armtap_conn *conn, const struct armtap_frame *frame, struct json_object *message)
{
    struct json_object *found[MEMBERS];
    char words[TEXT_MAX];
    if (!read_members(message, found))
        return ARMTAP_OK;
    int level = level_of(found[LEVEL]);
    struct armtap_text text = {.level = level,
                               .text = words,
                               .text_length = join(found[ARGUMENTS], words),
                               .kind = ARMTAP_TEXT_ERROR,
                               .code = json_object_get_int(found[CODE]),
                               .argument = -1,
                               .report_level = level >= 0 && level < LEVELS ? levels[level].report_level : -1,
                               .safety_mode = -1,
                               .clock = NAN};
    if (json_object_is_type(found[SOURCE], json_type_string)) {
        text.source = json_object_get_string(found[SOURCE]);
        text.source_length = (size_t)json_object_get_string_len(found[SOURCE]);
    }
    int error = armtap_conn_text(conn, frame, &text);
    return error == ARMTAP_OK
               ? armtap_robot_message_say(conn, frame, &text, level >= 0 && level < LEVELS ? levels[level].name : NULL)
               : error;
}

/* The value of a topic: a message, or a list of them. */
static int deliver_all(struct armtap_conn *conn, const struct armtap_frame *frame, struct json_object *value)
{
    struct json_object *found[MEMBERS];
    if (!json_object_is_type(value, json_type_array) || read_members(value, found))
        return deliver(conn, frame, value);
    int error = ARMTAP_OK;
    size_t count = json_object_array_length(value);
    for (size_t i = 0; i < count && i < MESSAGES_MAX && error == ARMTAP_OK; i++)
        error = deliver(conn, frame, json_object_array_get_idx(value, i));
    return error;
}

/* FNV-1a, of the texts of all topics with messages. */
static uint32_t digest(uint32_t sum, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (uint8_t)text[i]) * UINT32_C(16777619);
    return sum;
}

static uint32_t digest_of(const struct armtap_recipe *recipe, struct armtap_aubo_element list)
{
    struct armtap_aubo_element element;
    uint32_t sum = UINT32_C(2166136261);
    armtap_aubo_next(&list, &element);
    for (size_t i = 0; i < recipe->count; i++) {
        armtap_aubo_next(&list, &element);
        if (is_message_topic(recipe->entries[i].name))
            sum = digest(sum, element.text, element.length);
    }
    return sum;
}

int armtap_aubo_robot_messages(struct armtap_aubo_reader *reader, struct armtap_conn *conn,
                               const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                               struct armtap_aubo_element list, uint32_t *seen)
{
    struct armtap_aubo_element element;
    uint32_t sum = digest_of(recipe, list);
    int error = ARMTAP_OK;
    if (sum == *seen)
        return ARMTAP_OK;
    *seen = sum;
    armtap_aubo_next(&list, &element);
    for (size_t i = 0; i < recipe->count && error == ARMTAP_OK; i++) {
        struct json_object *value = NULL;
        const char *wrong;
        size_t at;
        armtap_aubo_next(&list, &element);
        if (!is_message_topic(recipe->entries[i].name) || element.length < 2 ||
            (element.text[0] != '[' && element.text[0] != '{'))
            continue;
        error = armtap_aubo_read(reader, (const uint8_t *)element.text, element.length, &value, &wrong, &at);
        if (error == ARMTAP_OK && value)
            error = deliver_all(conn, frame, value);
        json_object_put(value);
    }
    return error;
}
