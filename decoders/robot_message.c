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
    const char *title;
    enum armtap_word what;
} program_news[] = {
    {"PROGRAM_XXX_STARTED", ARMTAP_WORD_started},
    {"PROGRAM_XXX_STOPPED", ARMTAP_WORD_stopped},
    {"PROGRAM_XXX_PAUSED", ARMTAP_WORD_paused},
    {"PROGRAM_XXX_RESUMED", ARMTAP_WORD_resumed},
    {"SECONDARY_PROGRAM_EXCEPTION_XXX", ARMTAP_WORD_secondary},
};

/* How the messages begin that the program prints with which Universal Robots' driver moves a robot. */
static const struct driver_news {
    const char *words;
    enum armtap_word what;
} driver_news[] = {
    {"Socket timed out waiting for command", ARMTAP_WORD_waits_in_vain},
    {"Receiving trajectory point failed", ARMTAP_WORD_trajectory_point_late},
    {"Terminating robot program due to targets", ARMTAP_WORD_targets_beyond_limits},
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

/* "Position deviates from path: detected by the joint"; nothing for a code that the table lacks. Returns whether the
 * data stands in it. */
static bool put_meaning(struct armtap_line *line, const struct armtap_text *text,
                        const struct armtap_robot_error_argument *argument, enum armtap_generation generation)
{
    const struct armtap_robot_error *error = armtap_robot_error_find(text->code);
    if (!error)
        return false;
    bool has_data = put_filled(line, error->title, text);
    if (argument) {
        armtap_line_string(line, ": ");
        has_data = put_filled(line, argument->meaning, text) || has_data;
    } else if (text->argument >= 0 && text->code == ARMTAP_ERROR_CHANGED_MODE) {
        put_mode(line, text->argument, generation);
    }
    return has_data;
}

static struct armtap_argument argument_of(const struct armtap_text *text)
{
    return text->argument != -1 ? arg_argument(text->argument) : arg_none(true);
}

static struct armtap_argument source_of(const struct armtap_text *text)
{
    return arg_quoted_source(text->source_length > 0 ? text->source : NULL, text->source_length);
}

static struct armtap_argument words_of(const struct armtap_text *text)
{
    return arg_quoted(text->text_length > 0 ? text->text : NULL, text->text_length);
}

static struct armtap_argument unnamed_level(const struct armtap_text *text, const char *level)
{
    return level ? arg_none(true) : arg_report_level(text->report_level);
}

/* AUBO's codes have their words in the controller's error stack only. */
static int say_number(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_note_code code,
                      const struct armtap_text *text, const char *level)
{
    return armtap_conn_raise(conn, frame, code,
                             ARGS(arg_case(ARMTAP_WORD_aubo), arg_code(text->code), argument_of(text), words_of(text),
                                  arg_level(level), unnamed_level(text, level), source_of(text)));
}
static int say_error(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text,
                     const char *level)
{
    int report = text->report_level < 0 ? 0 : text->report_level & ~FOR_DEVELOPERS;
    enum armtap_note_code code = codes[report < LEVELS ? report : LEVELS - 1];
    enum armtap_generation generation = armtap_conn_stream(conn)->generation;
    const struct armtap_robot_error_argument *argument = armtap_robot_error_argument_find(text->code, text->argument);
    struct armtap_line meaning, data;
    if (generation == ARMTAP_GENERATION_AUBO)
        return say_number(conn, frame, code, text, level);
    armtap_line_begin(&meaning);
    armtap_line_begin(&data);
    if (!put_meaning(&meaning, text, argument, generation) && text->data != 0 && text->data_type > DATA_UNSIGNED)
        put_data(&data, text);
    return armtap_conn_raise(conn, frame, code,
                             ARGS(arg_code(text->code), argument_of(text), arg_meaning(meaning.text),
                                  arg_joint_name(argument ? armtap_joint_name(argument->joint) : NULL),
                                  arg_data(data.text), arg_level(level), unnamed_level(text, level), source_of(text)));
}

/* ---- the others ------------------------------------------------------------------------------------------------ */

static int say_exception(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    struct armtap_failed_line failed = armtap_sent_program_line_of(conn, frame, text);
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_exception,
                             ARGS(arg_line(text->line), arg_column(text->column),
                                  arg_quoted(text->text, text->text_length),
                                  arg_quoted_name(failed.program, failed.program_length),
                                  failed.line ? arg_sent_packet(failed.packet) : arg_none(true),
                                  arg_quoted_line(failed.line, failed.length)));
}

/* ARMTAP_WORD_other: a title that the table lacks. */
static enum armtap_word news_of(const struct armtap_text *text)
{
    for (size_t i = 0; i < sizeof program_news / sizeof *program_news; i++)
        if (strlen(program_news[i].title) == text->title_length &&
            memcmp(program_news[i].title, text->title, text->title_length) == 0)
            return program_news[i].what;
    return ARMTAP_WORD_other;
}

static int say_program(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    enum armtap_word what = news_of(text);
    uint64_t sent = what == ARMTAP_WORD_started ? armtap_sent_program_starts(conn, frame, text) : 0;
    const void *title = what == ARMTAP_WORD_other ? text->title : NULL;
    if (what == ARMTAP_WORD_stopped)
        armtap_sent_program_stops(conn, frame);
    if (what == ARMTAP_WORD_secondary)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_exception,
                                 ARGS(arg_case(what), arg_quoted(text->text, text->text_length)));
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_program,
                             ARGS(arg_case(what), arg_quoted_title(title, text->title_length),
                                  arg_quoted_name(text->text, text->text_length),
                                  sent > 0 ? arg_sent_packet(sent) : arg_none(true)));
}

static int say_safety(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    const char *name =
        armtap_enum_name(armtap_field_at(ARMTAP_ID_safety_mode), text->safety_mode, ARMTAP_GENERATION_CB3E);
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_safety,
                             ARGS(arg_value(text->safety_mode), arg_name(name),
                                  text->code != 0 ? arg_code(text->code) : arg_none(true),
                                  text->code != 0 ? arg_argument(text->argument) : arg_none(true)));
}

static int say_popup(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    bool is_request = text->kind == ARMTAP_TEXT_REQUEST;
    enum armtap_word what = is_request                     ? ARMTAP_WORD_request
                            : text->level == LEVEL_ERROR   ? ARMTAP_WORD_error
                            : text->level == LEVEL_WARNING ? ARMTAP_WORD_warning
                                                           : ARMTAP_WORD_none;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_popup,
                             ARGS(arg_case(what), arg_quoted_title(is_request ? NULL : text->title, text->title_length),
                                  arg_quoted(text->text, text->text_length)));
}

static int say_message(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text)
{
    enum armtap_word what = ARMTAP_WORD_none;
    for (size_t i = 0; i < sizeof driver_news / sizeof *driver_news; i++)
        if (text->text_length >= strlen(driver_news[i].words) &&
            memcmp(text->text, driver_news[i].words, strlen(driver_news[i].words)) == 0)
            what = driver_news[i].what;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_message, ARGS(words_of(text), arg_case(what)));
}

int armtap_robot_message_say(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text,
                             const char *level)
{
    switch (text->kind) {
    case ARMTAP_TEXT_ERROR:
        return say_error(conn, frame, text, level);
    case ARMTAP_TEXT_EXCEPTION:
        return say_exception(conn, frame, text);
    case ARMTAP_TEXT_POPUP:
    case ARMTAP_TEXT_REQUEST:
        return say_popup(conn, frame, text);
    case ARMTAP_TEXT_PROGRAM:
        return say_program(conn, frame, text);
    case ARMTAP_TEXT_SAFETY:
        return say_safety(conn, frame, text);
    case ARMTAP_TEXT_MESSAGE:
        return say_message(conn, frame, text);
    default:
        return ARMTAP_OK;
    }
}
