#define _GNU_SOURCE /* strcasestr */
#include "robot_errors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/text/json_writer.h"
#include "base/process/message.h"
#include "base/terminal/word_wrap.h"
#include "command_line/options.h"

#define MODE_MAX 80
#define NAME_MAX_LENGTH 40
#define NAME_WIDTH 9
#define NO_ARGUMENT (-1) /* as controllers send it */

/* Which errors to show. */
struct wanted {
    const char *words; /* NULL: all, or by code */
    bool by_code, by_argument;
    int64_t code, argument;
};

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

/* A number and what is behind it; false if there is none, or one that no controller sends. */
static bool read_number(const char **text, int64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *number = (int64_t)strtoull(*text, &end, 10);
    *text = end;
    return *number >= 0 && *number <= INT32_MAX;
}

/* C204A3, c204a3, 204a3, 204:3, C204, 204. */
static bool read_code(const char *text, struct wanted *wanted)
{
    if (*text == 'C' || *text == 'c')
        text++;
    wanted->by_code = read_number(&text, &wanted->code);
    if (!wanted->by_code || *text == '\0')
        return wanted->by_code;
    wanted->by_argument = strchr("Aa:", *text++) && read_number(&text, &wanted->argument) && *text == '\0';
    return wanted->by_argument;
}

static bool has_words(const struct wanted *wanted, const char *text)
{
    return !wanted->words || strcasestr(text, wanted->words);
}

static bool is_wanted(const struct wanted *wanted, const struct armtap_robot_error *error)
{
    return wanted->by_code ? error->code == wanted->code : has_words(wanted, error->title);
}

/* An argument is shown with its error, too. */
static bool is_argument_wanted(const struct wanted *wanted, const struct armtap_robot_error *error,
                               const struct armtap_robot_error_argument *argument)
{
    if (argument->code != error->code)
        return false;
    if (wanted->by_code)
        return error->code == wanted->code && (!wanted->by_argument || argument->argument == wanted->argument);
    return is_wanted(wanted, error) || has_words(wanted, argument->meaning);
}

/* The next argument of an error to show, from *i on; NULL after the last. */
static const struct armtap_robot_error_argument *next_argument(const struct wanted *wanted,
                                                               const struct armtap_robot_error *error, size_t *i)
{
    const struct armtap_robot_error_argument *argument;
    while ((argument = armtap_robot_error_argument_at((*i)++)))
        if (is_argument_wanted(wanted, error, argument))
            return argument;
    return NULL;
}

static bool is_shown(const struct wanted *wanted, const struct armtap_robot_error *error)
{
    size_t i = 0;
    return is_wanted(wanted, error) || next_argument(wanted, error, &i);
}

/* The new robot mode, which is what this error's argument says; NULL if that is not it. */
static const char *mode_text(char to[MODE_MAX], int64_t code, int64_t argument)
{
    const struct armtap_field *field = armtap_field_at(ARMTAP_ID_robot_mode);
    const char *name = armtap_enum_name(field, argument, ARMTAP_GENERATION_CB3E);
    const char *cb2 = armtap_enum_name(field, argument, ARMTAP_GENERATION_CB2);
    if (code != ARMTAP_ERROR_CHANGED_MODE || argument == NO_ARGUMENT || (!name && !cb2))
        return NULL;
    snprintf(to, MODE_MAX, "%s (CB2: %s)", name ? name : "unknown", cb2 ? cb2 : "unknown");
    return to;
}

/* The argument asked for is not in the table. */
static bool lacks_argument(const struct wanted *wanted)
{
    return wanted->by_argument && !armtap_robot_error_argument_find(wanted->code, wanted->argument);
}

static const char *write_name(char to[NAME_MAX_LENGTH], int64_t code, int64_t argument)
{
    if (argument != NO_ARGUMENT)
        snprintf(to, NAME_MAX_LENGTH, "C%" PRId64 "A%" PRId64, code, argument);
    else
        snprintf(to, NAME_MAX_LENGTH, "C%" PRId64, code);
    return to;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void row_json(struct json *json, const struct armtap_robot_error *error, int64_t argument,
                     const struct armtap_robot_error_argument *known)
{
    char name[NAME_MAX_LENGTH], mode[MODE_MAX];
    json_object(json, false);
    json_member_text(json, "name", write_name(name, error->code, argument));
    json_member_signed(json, "code", error->code);
    json_key(json, "argument");
    if (argument != NO_ARGUMENT)
        json_signed(json, argument);
    else
        json_null(json);
    json_member_text(json, "title", error->title);
    json_member_text(json, "meaning", known ? known->meaning : mode_text(mode, error->code, argument));
    json_member_text(json, "joint", known ? armtap_joint_name(known->joint) : NULL);
    json_member_text_or_null(json, "advice", error->advice);
    json_member_bool(json, "all_arguments", error->all_arguments);
    json_close(json);
}

static void error_json(struct json *json, const struct wanted *wanted, const struct armtap_robot_error *error)
{
    const struct armtap_robot_error_argument *argument;
    size_t i = 0;
    if (lacks_argument(wanted))
        row_json(json, error, wanted->argument, NULL);
    else if (!wanted->by_argument && is_wanted(wanted, error))
        row_json(json, error, NO_ARGUMENT, NULL);
    while ((argument = next_argument(wanted, error, &i)))
        row_json(json, error, argument->argument, argument);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_line(int indent, const char *name, const char *text, const char *joint)
{
    int column = printf("%*s%-*s ", indent, "", NAME_WIDTH, name);
    struct text_wrap wrap = text_wrap_begin(stdout, column, column);
    text_wrap_words(&wrap, text);
    if (joint) {
        text_wrap_word(&wrap, "-");
        text_wrap_words(&wrap, joint);
    }
    text_wrap_end(&wrap);
}

static void print_error(const struct wanted *wanted, const struct armtap_robot_error *error)
{
    const struct armtap_robot_error_argument *argument;
    char name[NAME_MAX_LENGTH], mode[MODE_MAX];
    size_t i = 0;
    print_line(0, write_name(name, error->code, NO_ARGUMENT), error->title, NULL);
    if (error->advice[0] != '\0')
        print_line(2, "", error->advice, NULL);
    if (lacks_argument(wanted))
        print_line(2, write_name(name, error->code, wanted->argument),
                   mode_text(mode, error->code, wanted->argument) ? mode
                   : error->all_arguments                         ? "UR's list does not name this argument"
                                          : "unknown here: UR's list has more arguments than this table",
                   NULL);
    while ((argument = next_argument(wanted, error, &i)))
        print_line(2, write_name(name, error->code, argument->argument), argument->meaning,
                   armtap_joint_name(argument->joint));
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

int robot_errors_show(const char *text, bool as_json)
{
    const struct armtap_robot_error *error;
    struct wanted wanted = {.words = NULL};
    struct json json;
    bool any = false;
    if (text && !read_code(text, &wanted))
        wanted = (struct wanted){.words = text};
    for (size_t i = 0; (error = armtap_robot_error_at(i)) && !any; i++)
        any = is_shown(&wanted, error);
    if (!any) {
        message_error(
            "fields: --error: nothing in UR's list (ErrorCodes.json 40.121.0) matches '%.100s'; armtap fields "
            "--error prints the list",
            text);
        return EXIT_FAILED;
    }
    if (as_json) {
        json_begin(&json, stdout);
        json_array(&json, true);
    }
    for (size_t i = 0; (error = armtap_robot_error_at(i)); i++)
        if (as_json && is_shown(&wanted, error))
            error_json(&json, &wanted, error);
        else if (is_shown(&wanted, error))
            print_error(&wanted, error);
    if (as_json)
        json_end(&json);
    return EXIT_DONE;
}
