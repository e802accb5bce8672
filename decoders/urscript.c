#include "urscript.h"

#include <string.h>

#include "protocol/describe.h"
#include "table/recipe.h"

#define LONGEST_LINE 65536u

int armtap_urscript_open(void *context)
{
    struct armtap_urscript *script = context;
    script->line_is_cut = true;
    return ARMTAP_OK;
}

void armtap_urscript_starts(void *context, enum armtap_direction direction)
{
    struct armtap_urscript *script = context;
    if (direction == ARMTAP_TO_ROBOT)
        script->line_is_cut = false;
}

long armtap_urscript_frame(const uint8_t *bytes, size_t length)
{
    const uint8_t *end = memchr(bytes, '\n', length < LONGEST_LINE ? length : LONGEST_LINE);
    if (end)
        return (long)(end - bytes) + 1;
    return length >= LONGEST_LINE ? (long)LONGEST_LINE : 0;
}

/* Length of a line without its end. */
static size_t text_length(const uint8_t *line, size_t length)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    return length;
}

int armtap_urscript_deliver(struct armtap_urscript *script, enum armtap_protocol protocol, int version,
                            struct armtap_conn *conn, const struct armtap_frame *frame)
{
    if (script->line_is_cut) {
        script->line_is_cut = false;
        return ARMTAP_OK;
    }
    if (!script->recipe) {
        int error = armtap_recipe_of_text("text", protocol, &script->recipe);
        if (error == ARMTAP_OK)
            error = armtap_conn_recipe(conn, frame, ARMTAP_TO_ROBOT, 0, 0, 0, script->recipe);
        if (error != ARMTAP_OK)
            return error;
    }
    struct armtap_data data = {
        .recipe = script->recipe,
        .version = version,
        .values = frame->bytes,
        .values_length = text_length(frame->bytes, frame->length),
    };
    return armtap_conn_record(conn, frame, &data);
}

int armtap_urscript_decode(struct armtap_urscript *script, enum armtap_protocol protocol, int version,
                           struct armtap_conn *conn, const struct armtap_frame *frame)
{
    bool is_cut = script->line_is_cut;
    int error = armtap_urscript_deliver(script, protocol, version, conn, frame);
    if (error != ARMTAP_OK || is_cut)
        return error;
    /* What a driver sends through External Control is a part of the program that asks for it. */
    bool ends = protocol != ARMTAP_EXTERNAL_CONTROL && armtap_urscript_ends_program(frame->bytes, frame->length);
    return armtap_sent_program_line(conn, frame, frame->bytes, text_length(frame->bytes, frame->length), ends);
}

void armtap_urscript_lost(struct armtap_urscript *script, struct armtap_conn *conn)
{
    script->line_is_cut = true;
    armtap_sent_program_doubt(conn);
}

void armtap_urscript_close(struct armtap_urscript *script)
{
    armtap_recipe_release(script->recipe);
}

void armtap_urscript_describe(struct armtap_pieces *pieces)
{
    const struct armtap_subject *subject = pieces->subject;
    size_t length = text_length(subject->bytes, subject->length);
    if (length > 0) {
        armtap_pieces_add(pieces, 0, length, "URScript");
        armtap_pieces_text(pieces, subject->bytes, length);
    }
    if (length < subject->length)
        armtap_pieces_add(pieces, length, subject->length - length, "line end");
}

static bool is_of_name(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '.';
}

static size_t behind_blanks(const uint8_t *line, size_t length, size_t at)
{
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return at;
}

/* Behind the blanks and the name that begin at `at`. */
static size_t behind_name(const uint8_t *line, size_t length, size_t at)
{
    at = behind_blanks(line, length, at);
    while (at < length && is_of_name(line[at]))
        at++;
    return at;
}

bool armtap_urscript_is_statement(const uint8_t *line, size_t length)
{
    static const char end[] = "end";
    length = text_length(line, length);
    size_t first = behind_name(line, length, 0), second = behind_name(line, length, first);
    size_t sign = behind_blanks(line, length, second);
    if (first == length)
        return length >= sizeof end - 1 && memcmp(line + length - (sizeof end - 1), end, sizeof end - 1) == 0;
    return line[first] == '(' || line[first] == '=' || (sign < length && line[sign] == '=') ||
           (second < length && (line[second] == '(' || line[second] == '=' || line[second] == ':'));
}

/* What the controller also takes on its script ports, beside URScript. Source: UR's client library; its forum. */
static const struct {
    const char *begins;
    bool ends_program;
} commands[] = {
    {"power on", false},   {"power off", true},    {"set robotmode ", false}, {"set unlock protective stop", false},
    {"set speed ", false}, {"stop program", true},
};

static size_t command_of(const uint8_t *line, size_t length)
{
    size_t i = 0;
    length = text_length(line, length);
    for (; i < sizeof commands / sizeof *commands; i++) {
        size_t size = strlen(commands[i].begins);
        bool has_value = commands[i].begins[size - 1] == ' ';
        if ((has_value ? length > size : length == size) && memcmp(line, commands[i].begins, size) == 0)
            break;
    }
    return i;
}

bool armtap_urscript_ends_program(const uint8_t *line, size_t length)
{
    size_t command = command_of(line, length);
    return command < sizeof commands / sizeof *commands ? commands[command].ends_program
                                                        : armtap_urscript_is_statement(line, length);
}

bool armtap_urscript_is_text(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\r' && bytes[i] != '\n')
            return false;
    return length > 0;
}

enum armtap_fit armtap_urscript_speaks(const uint8_t *bytes, size_t length, bool whole)
{
    for (size_t at = 0; at < length;) {
        const uint8_t *end = memchr(bytes + at, '\n', length - at);
        size_t size = end ? (size_t)(end - bytes) - at : length - at;
        if (!armtap_urscript_is_text(bytes + at, size + (end ? 1 : 0)))
            return ARMTAP_FIT_NO;
        if (!end && !whole)
            return ARMTAP_FIT_MORE;
        if (text_length(bytes + at, size) > 0 && bytes[at] != '#')
            return armtap_urscript_is_statement(bytes + at, size) ||
                           command_of(bytes + at, size) < sizeof commands / sizeof *commands
                       ? ARMTAP_FIT_WELL
                       : ARMTAP_FIT_NO;
        at += size + 1;
    }
    return whole ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
}

enum armtap_fit armtap_urscript_shows(const struct armtap_sight *sight, size_t *need)
{
    if (sight->hint != ARMTAP_HINT_USER || sight->before > 0)
        return ARMTAP_FIT_NO;
    long frame = armtap_urscript_frame(sight->bytes, sight->length);
    *need = sight->length + 1;
    if (frame <= 0 && !sight->whole)
        return ARMTAP_FIT_MORE;
    size_t length = frame > 0 ? (size_t)frame : sight->length;
    *sight->work += length;
    bool is_script = armtap_urscript_is_text(sight->bytes, length) &&
                     armtap_urscript_is_statement(sight->bytes, text_length(sight->bytes, length));
    return is_script ? ARMTAP_FIT_WELL : ARMTAP_FIT_NO;
}

enum armtap_fit armtap_urscript_identify(struct armtap_subject *subject, struct armtap_line *doubt)
{
    const uint8_t *end = memchr(subject->bytes, '\n', subject->length);
    size_t length = end ? (size_t)(end - subject->bytes) + 1 : subject->length;
    if (!armtap_urscript_is_text(subject->bytes, length)) {
        armtap_line_string(doubt, "what the robot gets there is text, and this is none");
        return ARMTAP_FIT_NO;
    }
    subject->direction = ARMTAP_TO_ROBOT;
    subject->length = length;
    return ARMTAP_FIT_MAYBE; /* text lines are no proof */
}
