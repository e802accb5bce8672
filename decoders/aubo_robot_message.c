/* A message is an object with timestamp, level, code, source and args, or the same values in this order; a topic has
 * one or a list of them. Its text is not on the wire: the controller's error stack has it by code, with places for the
 * args.
 *
 * Source: RobotMsg and TraceLevel in the headers of AUBO's SDK (0.25.0 and others: common_interface). How they are
 * serialized is not documented, so a level may be its name or its number, and what fits neither form is no message. */
#include "aubo_session.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "urscript.h"

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

/* An integer, at most as large as an int. */
static bool read_integer(const struct armtap_json_token *token, int *integer)
{
    struct armtap_value value = {.type = ARMTAP_JSON};
    if (token->kind == ARMTAP_JSON_NUMBER)
        armtap_json_number(token, &value);
    if (value.type != ARMTAP_INT64 && value.type != ARMTAP_UINT64)
        return false;
    int64_t number = value.type == ARMTAP_UINT64 ? INT64_MAX : value.i64[0];
    *integer = number > INT_MAX ? INT_MAX : number < INT_MIN ? INT_MIN : (int)number;
    return true;
}

/* Finds the members, null if missing; false if it is no message. */
static bool read_members(const struct armtap_json_token *message, struct armtap_json_token found[MEMBERS])
{
    struct armtap_json json = armtap_json_inside(message);
    struct armtap_json_token more;
    int code;
    for (size_t i = 0; i < MEMBERS; i++) {
        found[i] = (struct armtap_json_token){.kind = ARMTAP_JSON_NULL, .text = "null", .length = 4};
        if (message->kind == ARMTAP_JSON_OBJECT)
            armtap_json_member(message, members[i], &found[i]);
        else if (!armtap_json_value(&json, &found[i]))
            return false;
    }
    bool has_more = message->kind == ARMTAP_JSON_ARRAY && armtap_json_value(&json, &more);
    return !has_more && read_integer(&found[CODE], &code) && found[LEVEL].kind != ARMTAP_JSON_NULL;
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

/* The number of a level; -1 if it is neither a known name nor an integer. `room` is as long as the level. */
static int level_of(const struct armtap_json_token *level, char *room)
{
    int number = -1;
    if (read_integer(level, &number) || level->kind != ARMTAP_JSON_STRING)
        return number;
    room[armtap_json_text(level, room)] = '\0';
    for (int i = 0; i < LEVELS; i++)
        if (is_level(room, levels[i].name))
            return i;
    return -1;
}

/* Appends what fits; returns the new length. */
static size_t append(char text[TEXT_MAX], size_t length, const char *words, size_t more)
{
    if (more > TEXT_MAX - length)
        more = TEXT_MAX - length;
    memcpy(text + length, words, more);
    return length + more;
}

/* Appends an array or object, its values apart. */
static size_t append_values(char text[TEXT_MAX], size_t length, const struct armtap_json_token *argument)
{
    struct armtap_json json = armtap_json_begin(argument->text, argument->length);
    struct armtap_json_token token;
    const char *before = "";
    while (armtap_json_next(&json, &token)) {
        bool follows = before[0] == ',' && token.kind == ARMTAP_JSON_CLOSE;
        length = append(text, length, follows ? " " : before, strlen(follows ? " " : before));
        length = append(text, length, token.text, token.length);
        before = token.kind == ARMTAP_JSON_KEY                                         ? ": "
                 : token.kind == ARMTAP_JSON_ARRAY || token.kind == ARMTAP_JSON_OBJECT ? " "
                                                                                       : ", ";
    }
    return length;
}

/* "joint 3, 120.5"; not NUL-terminated. Returns the length. `room` is as long as the arguments. */
static size_t join(const struct armtap_json_token *arguments, char *room, char text[TEXT_MAX])
{
    struct armtap_json json = armtap_json_inside(arguments);
    struct armtap_json_token argument;
    size_t length = 0;
    for (bool follows = false; arguments->kind == ARMTAP_JSON_ARRAY && armtap_json_value(&json, &argument);
         follows = true) {
        if (follows)
            length = append(text, length, ", ", 2);
        if (argument.kind == ARMTAP_JSON_STRING)
            length = append(text, length, room, armtap_json_text(&argument, room));
        else if (argument.kind == ARMTAP_JSON_ARRAY || argument.kind == ARMTAP_JSON_OBJECT)
            length = append_values(text, length, &argument);
        else
            length = append(text, length, argument.text, argument.length);
    }
    return length;
}

/* `room` is as long as the message. */
static int deliver(char *room, struct armtap_conn *conn, const struct armtap_frame *frame,
                   const struct armtap_json_token *message)
{
    struct armtap_json_token found[MEMBERS];
    char words[TEXT_MAX];
    if (!read_members(message, found))
        return ARMTAP_OK;
    int level = level_of(&found[LEVEL], room);
    struct armtap_text text = {.level = level,
                               .text = words,
                               .text_length = join(&found[ARGUMENTS], room, words),
                               .kind = ARMTAP_TEXT_ERROR,
                               .argument = -1,
                               .report_level = level >= 0 && level < LEVELS ? levels[level].report_level : -1,
                               .safety_mode = -1,
                               .clock = NAN};
    read_integer(&found[CODE], &text.code);
    if (found[SOURCE].kind == ARMTAP_JSON_STRING) {
        text.source = room;
        text.source_length = armtap_json_text(&found[SOURCE], room);
    }
    int error = armtap_conn_text(conn, frame, &text);
    return error == ARMTAP_OK
               ? armtap_robot_message_say(conn, frame, &text, level >= 0 && level < LEVELS ? levels[level].name : NULL)
               : error;
}

/* The value of a topic: a message, or a list of them. */
static int deliver_all(char *room, struct armtap_conn *conn, const struct armtap_frame *frame,
                       const struct armtap_json_token *value)
{
    struct armtap_json_token found[MEMBERS], message;
    if (value->kind != ARMTAP_JSON_ARRAY || read_members(value, found))
        return deliver(room, conn, frame, value);
    struct armtap_json json = armtap_json_inside(value);
    int error = ARMTAP_OK;
    for (size_t i = 0; i < MESSAGES_MAX && error == ARMTAP_OK && armtap_json_value(&json, &message); i++)
        error = deliver(room, conn, frame, &message);
    return error;
}

/* FNV-1a, of the texts of all topics with messages. */
static uint32_t digest(uint32_t sum, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (uint8_t)text[i]) * UINT32_C(16777619);
    return sum;
}

static uint32_t digest_of(const struct armtap_recipe *recipe, const struct armtap_json_token *list)
{
    struct armtap_json json = armtap_json_inside(list);
    struct armtap_json_token element;
    uint32_t sum = UINT32_C(2166136261);
    armtap_json_value(&json, &element);
    for (size_t i = 0; i < recipe->count && armtap_json_value(&json, &element); i++)
        if (is_message_topic(recipe->entries[i].name))
            sum = digest(sum, element.text, element.length);
    return sum;
}

int armtap_aubo_robot_messages(struct armtap_aubo_reader *reader, struct armtap_conn *conn,
                               const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                               const struct armtap_json_token *list, uint32_t *seen)
{
    struct armtap_json json = armtap_json_inside(list);
    struct armtap_json_token element;
    uint32_t sum = digest_of(recipe, list);
    int error = sum == *seen ? ARMTAP_OK : armtap_aubo_reader_room(reader, list->length);
    if (sum == *seen || error != ARMTAP_OK)
        return error;
    *seen = sum;
    armtap_json_value(&json, &element);
    for (size_t i = 0; i < recipe->count && error == ARMTAP_OK && armtap_json_value(&json, &element); i++)
        if (is_message_topic(recipe->entries[i].name) &&
            (element.kind == ARMTAP_JSON_ARRAY || element.kind == ARMTAP_JSON_OBJECT))
            error = deliver_all(reader->copy, conn, frame, &element);
    return error;
}
