#include "urscript.h"

#include <string.h>

#include "protocol/note.h"

enum { LEVEL_ERROR = 1, LEVEL_WARNING }; /* of a text */
#define FOR_DEVELOPERS 0x80              /* a flag of the report levels */

/* Of errors, by their report level: the last row for all above it. */
static const enum armtap_note_code codes[] = {ARMTAP_NOTE_ur_message, ARMTAP_NOTE_ur_message, ARMTAP_NOTE_ur_warning,
                                              ARMTAP_NOTE_ur_error};
#define LEVELS ((int)(sizeof codes / sizeof *codes))

/* What UR's controllers say of programs. */
static const struct program_news {
    const char *title, *words;
    enum armtap_note_code code;
    bool stops;
} program_news[] = {
    {"PROGRAM_XXX_STOPPED", "program stopped", ARMTAP_NOTE_ur_program, true},
    {"PROGRAM_XXX_PAUSED", "program paused", ARMTAP_NOTE_ur_program, false},
    {"PROGRAM_XXX_RESUMED", "program resumed", ARMTAP_NOTE_ur_program, false},
    {"SECONDARY_PROGRAM_EXCEPTION_XXX", "secondary program", ARMTAP_NOTE_ur_exception, false},
};

/* ---- errors ---------------------------------------------------------------------------------------------------- */

enum data_type { DATA_NONE, DATA_UNSIGNED, DATA_SIGNED, DATA_FLOAT, DATA_HEX };

static void put_data(struct armtap_line *line, const struct armtap_text *text)
{
    int32_t number;
    float real;
    memcpy(&number, &text->data, sizeof number);
    memcpy(&real, &text->data, sizeof real);
    if (text->data_type == DATA_SIGNED)
        armtap_line_signed(line, number);
    else if (text->data_type == DATA_FLOAT)
        armtap_line_double(line, (double)real);
    else if (text->data_type == DATA_HEX)
        armtap_line_hex(line, text->data);
    else
        armtap_line_unsigned(line, text->data);
}

/* Fills the places of a title or a meaning: {float} and its like. Returns whether the data stands in one. */
static bool put_filled(struct armtap_line *line, const char *words, const struct armtap_text *text)
{
    bool has_data = false;
    for (const char *open; (open = strchr(words, '{')); words = strchr(open, '}') + 1) {
        armtap_line_span(line, words, (size_t)(open - words));
        if (!strchr(open, '}'))
            break;
        if (strncmp(open, "{string}", 8) == 0) {
            armtap_line_span(line, text->text, text->text_length);
        } else if (strncmp(open, "{deviceName}", 12) == 0) {
            armtap_line_span(line, text->source, text->source_length);
        } else {
            put_data(line, text);
            has_data = true;
        }
    }
    armtap_line_string(line, words);
    return has_data;
}

/* "RUNNING (7)" */
static void put_mode(struct armtap_line *line, int64_t mode, enum armtap_generation generation)
{
    const char *name = armtap_enum_name(armtap_field_at(ARMTAP_ID_robot_mode), mode, generation);
    if (name)
        armtap_line_format(line, ": %s (%d)", name, mode);
    else
        armtap_line_format(line, ": mode %d", mode);
}

/* "C153A2: Position deviates from path: detected by the joint (elbow)" */
static void put_meaning(struct armtap_line *line, const struct armtap_text *text, enum armtap_generation generation)
{
    const struct armtap_robot_error *error = armtap_robot_error_find(text->code);
    const struct armtap_robot_error_argument *argument = armtap_robot_error_argument_find(text->code, text->argument);
    const char *joint = argument ? armtap_joint_name(argument->joint) : NULL;
    bool has_data = false;
    armtap_line_format(line, "C%d", (int64_t)text->code);
    if (text->argument != -1)
        armtap_line_format(line, "A%d", (int64_t)text->argument);
    armtap_line_string(line, ": ");
    if (error)
        has_data = put_filled(line, error->title, text);
    else
        armtap_line_string(line, "a code that armtap's table lacks");
    if (argument) {
        armtap_line_string(line, ": ");
        has_data = put_filled(line, argument->meaning, text) || has_data;
    } else if (error && text->argument >= 0 && text->code == ARMTAP_ERROR_CHANGED_MODE) {
        put_mode(line, text->argument, generation);
    }
    if (joint)
        armtap_line_format(line, " (%s)", joint);
    if (!has_data && text->data != 0 && text->data_type > DATA_UNSIGNED) {
        armtap_line_string(line, ", value ");
        put_data(line, text);
    }
}

/* AUBO's codes have their words in the controller's error stack only. */
static void put_number(struct armtap_line *line, const struct armtap_text *text)
{
    armtap_line_format(line, "code %d", (int64_t)text->code);
    if (text->text_length > 0)
        armtap_line_format(line, ": %b", (const void *)text->text, text->text_length);
}

static int say_error(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text,
                     const char *level)
{
    int report = text->report_level < 0 ? 0 : text->report_level & ~FOR_DEVELOPERS;
    struct armtap_line line;
    armtap_line_begin(&line);
    enum armtap_generation generation = armtap_conn_stream(conn)->generation;
    if (generation == ARMTAP_GENERATION_AUBO)
        put_number(&line, text);
    else
        put_meaning(&line, text, generation);
    if (level)
        armtap_line_format(&line, "; %s", level);
    else
        armtap_line_format(&line, "; level %d", (int64_t)text->report_level);
    if (text->source_length > 0)
        armtap_line_format(&line, ", from %b", (const void *)text->source, text->source_length);
    return armtap_conn_say(conn, frame, codes[report < LEVELS ? report : LEVELS - 1], "%s", line.text);
}

/* ---- the others ------------------------------------------------------------------------------------------------ */

static int say_exception(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_format(&line, "line %d, column %d: %b", (int64_t)text->line, (int64_t)text->column,
                       (const void *)text->text, text->text_length);
    armtap_sent_program_quote(conn, frame, text, &line);
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_exception, "%s", line.text);
}

/* The start of a program that a client sent names the packet. */
static int say_start(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_format(&line, "program started: %b", (const void *)text->text, text->text_length);
    armtap_sent_program_starts(conn, frame, text, &line);
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_program, "%s", line.text);
}

static int say_program(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    static const char started[] = "PROGRAM_XXX_STARTED";
    const void *title = text->title, *words = text->text;
    if (text->title_length == sizeof started - 1 && memcmp(title, started, sizeof started - 1) == 0)
        return say_start(conn, frame, text);
    for (size_t i = 0; i < sizeof program_news / sizeof *program_news; i++) {
        const struct program_news *news = &program_news[i];
        if (strlen(news->title) != text->title_length || memcmp(news->title, title, text->title_length) != 0)
            continue;
        if (news->stops)
            armtap_sent_program_stops(conn, frame);
        return armtap_conn_say(conn, frame, news->code, "%s: %b", news->words, words, text->text_length);
    }
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_program, "%b: %b", title, text->title_length, words,
                           text->text_length);
}

static int say_safety(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    const char *name =
        armtap_enum_name(armtap_field_at(ARMTAP_ID_safety_mode), text->safety_mode, ARMTAP_GENERATION_CB3E);
    if (text->code != 0)
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_safety, "safety mode %d %s, C%dA%d",
                               (int64_t)text->safety_mode, name ? name : "", (int64_t)text->code,
                               (int64_t)text->argument);
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_safety, "safety mode %d %s", (int64_t)text->safety_mode,
                           name ? name : "(unknown)");
}

static const char *popup_kind(const struct armtap_text *text)
{
    return text->level == LEVEL_ERROR ? "error: " : text->level == LEVEL_WARNING ? "warning: " : "";
}

int armtap_robot_message_say(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text,
                             const char *level)
{
    const void *title = text->title, *words = text->text;
    switch (text->kind) {
    case ARMTAP_TEXT_ERROR:
        return say_error(conn, frame, text, level);
    case ARMTAP_TEXT_EXCEPTION:
        return say_exception(conn, frame, text);
    case ARMTAP_TEXT_POPUP:
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_popup, "%s%b: %b", popup_kind(text), title,
                               text->title_length, words, text->text_length);
    case ARMTAP_TEXT_PROGRAM:
        return say_program(conn, frame, text);
    case ARMTAP_TEXT_SAFETY:
        return say_safety(conn, frame, text);
    case ARMTAP_TEXT_REQUEST:
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_popup, "asks for a value: %b", words, text->text_length);
    case ARMTAP_TEXT_MESSAGE:
        if (text->text_length == 0)
            return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_message, "a message without text");
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_ur_message, "%b", words, text->text_length);
    default:
        return ARMTAP_OK;
    }
}
